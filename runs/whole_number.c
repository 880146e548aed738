/* whole_number.c - whole numbers in three notations; see whole_number.h. */
#include "whole_number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 64^3; nonzero where it is no power, or too large. */
static int read_power(const char *text, int64_t *value)
{
    char *end;
    const long long base = strtoll(text, &end, 10);
    if (end == text || *end != '^' || end[1] < '1' || end[1] > '9' || end[2] || base < 1)
        return 1;
    *value = 1;
    for (int k = end[1] - '0'; k > 0; k--)
        if (__builtin_mul_overflow(*value, (int64_t)base, value))
            return 1;
    return 0;
}

/* 1e5; nonzero where it is no decimal number, not whole, or too large. */
static int read_decimal(const char *text, int64_t *value)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || text[strspn(text, "+-.0123456789eE")] || number != floor(number) ||
        fabs(number) > 9.2e18)
        return 1;
    *value = (int64_t)number;
    return 0;
}

int whole_number_read(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    const long long whole = strtoll(text, &end, 10);
    if (end != text && !*end && !errno) {
        *value = whole;
        return 0;
    }
    return read_power(text, value) && read_decimal(text, value);
}
