/* lines.c - growing text. */
#include "simulation/checkpoint/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void myr_lines_add(myr_lines *t, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof line || t->failed) {
        t->failed = 1;
        return;
    }
    if (t->size + (size_t)length + 1 > t->room) {
        t->room = 2 * t->room + (size_t)length + 1024;
        char *more = realloc(t->at, t->room);
        if (!more) {
            t->failed = 1;
            return;
        }
        t->at = more;
    }
    memcpy(t->at + t->size, line, (size_t)length + 1);
    t->size += (size_t)length;
}
