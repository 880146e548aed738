/* report_text.c - numbers and units, as pages need them. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

void report_unit(markup *out, const char *unit)
{
    for (;;) {
        const size_t plain = strcspn(unit, "^");
        markup_write(out, "%.*s", (int)plain, unit);
        unit += plain;
        if (!*unit++)
            return;
        for (; *unit == '-' || isdigit((unsigned char)*unit); unit++)
            markup_text(out, *unit == '-' ? "⁻" : raised[*unit - '0']);
    }
}

const char *report_power(int base, int exponent, char text[REPORT_NUMBER])
{
    char plain[16];
    size_t used = (size_t)snprintf(text, REPORT_NUMBER, "%d%s", base, exponent < 0 ? "⁻" : "");
    snprintf(plain, sizeof plain, "%d", abs(exponent));
    for (const char *p = plain; *p; p++)
        used += (size_t)snprintf(text + used, REPORT_NUMBER - used, "%s", raised[*p - '0']);
    return text;
}

/* Removes the zeros at the end of a fraction. */
static void strip_zeros(char *text)
{
    char *end = text + strlen(text);
    if (!strchr(text, '.'))
        return;
    while (end[-1] == '0')
        *--end = 0;
    if (end[-1] == '.')
        end[-1] = 0;
}

/* A number with the sign between its digits and the power of ten. */
static const char *write_number(double value, int digits, const char *times, char text[REPORT_NUMBER])
{
    char plain[REPORT_NUMBER - 8]; /* room for a sign and a power */
    if (isnan(value))
        return strcpy(text, "—");
    if (isinf(value))
        return strcpy(text, value > 0 ? "∞" : "−∞");
    snprintf(plain, sizeof plain, "%.*e", digits - 1, fabs(value));
    char *e = strchr(plain, 'e');
    const int exponent = (int)strtol(e + 1, NULL, 10);
    const char *sign = value < 0 ? "−" : "";
    if (value == 0 || (exponent >= -3 && exponent < 6)) {
        const int places = digits - 1 - exponent;
        snprintf(plain, sizeof plain, "%.*f", places > 0 ? places : 0, fabs(value));
        strip_zeros(plain);
        snprintf(text, REPORT_NUMBER, "%s%s", sign, plain);
        return text;
    }
    *e = 0;
    strip_zeros(plain);
    const int one = strcmp(plain, "1") == 0; /* "10⁻⁸" says it all */
    char power[REPORT_NUMBER];
    snprintf(text, REPORT_NUMBER, "%s%.14s%s%.20s", sign, one ? "" : plain, one ? "" : times,
             report_power(10, exponent, power));
    return text;
}

const char *report_number(double value, int digits, char text[REPORT_NUMBER])
{
    return write_number(value, digits, " × ", text);
}

const char *report_tick(double value, char text[REPORT_NUMBER])
{
    return write_number(value, 4, "·", text);
}

const char *report_integer(double value, char text[REPORT_NUMBER])
{
    char plain[32];
    if (!(fabs(value) < 1e15))
        return report_number(value, 4, text);
    snprintf(plain, sizeof plain, "%" PRId64, (int64_t)fabs(value));
    const size_t length = strlen(plain);
    size_t used = (size_t)snprintf(text, REPORT_NUMBER, "%s", value < 0 ? "−" : "");
    for (size_t k = 0; k < length; k++)
        used += (size_t)snprintf(text + used, REPORT_NUMBER - used, "%s%c",
                                 k > 0 && (length - k) % 3 == 0 ? "\u202f" : "", plain[k]);
    return text;
}

const char *report_duration(double seconds, char text[REPORT_NUMBER])
{
    char number[REPORT_NUMBER];
    if (!(seconds >= 0))
        return strcpy(text, "—");
    if (seconds >= 86400)
        snprintf(text, REPORT_NUMBER, "%.0f d %.0f h", floor(seconds / 86400), floor(fmod(seconds, 86400) / 3600));
    else if (seconds >= 3600)
        snprintf(text, REPORT_NUMBER, "%.0f h %.0f min", floor(seconds / 3600), floor(fmod(seconds, 3600) / 60));
    else if (seconds >= 100)
        snprintf(text, REPORT_NUMBER, "%.0f min %.0f s", floor(seconds / 60), floor(fmod(seconds, 60)));
    else if (seconds >= 1 || seconds == 0)
        snprintf(text, REPORT_NUMBER, "%s s", report_number(seconds, 3, number));
    else if (seconds >= 1e-3)
        snprintf(text, REPORT_NUMBER, "%s ms", report_number(1e3 * seconds, 3, number));
    else
        snprintf(text, REPORT_NUMBER, "%s µs", report_number(1e6 * seconds, 3, number));
    return text;
}
