/* json.c - a small JSON writer. */
#include "json.h"

#include <inttypes.h>
#include <math.h>

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < 0x20)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void json_newline(const json_writer *w)
{
    if (!w->compact)
        fprintf(w->out, "\n%*s", 2 * w->depth, "");
}

static void json_begin(json_writer *w, const char *key)
{
    const int bit = 1 << w->depth;
    if (w->filled & bit)
        fputc(',', w->out);
    w->filled |= bit;
    if (w->depth > 0)
        json_newline(w);
    if (key) {
        json_string(w->out, key);
        fputs(": ", w->out);
    }
}

void json_open(json_writer *w, const char *key, char bracket)
{
    json_begin(w, key);
    fputc(bracket, w->out);
    w->closing[w->depth++] = bracket == '{' ? '}' : ']';
    w->filled &= ~(1 << w->depth);
}

void json_close(json_writer *w)
{
    const int filled = w->filled & 1 << w->depth;
    w->depth--;
    if (filled)
        json_newline(w);
    fputc(w->closing[w->depth], w->out);
    if (w->depth == 0)
        fputc('\n', w->out);
}

void json_finish(json_writer *w)
{
    while (w->depth > 0)
        json_close(w);
}

void json_text(json_writer *w, const char *key, const char *value)
{
    json_begin(w, key);
    if (value)
        json_string(w->out, value);
    else
        fputs("null", w->out);
}

/* The shortest of the usual lengths that reads back as the same number. */
void json_number(json_writer *w, const char *key, double value)
{
    char text[40];
    json_begin(w, key);
    if (!isfinite(value)) {
        fputs("null", w->out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (sscanf(text, "%lf", &back) == 1 && back == value)
            break;
    }
    fputs(text, w->out);
}

void json_integer(json_writer *w, const char *key, int64_t value)
{
    json_begin(w, key);
    fprintf(w->out, "%" PRId64, value);
}

void json_boolean(json_writer *w, const char *key, int value)
{
    json_begin(w, key);
    fputs(value ? "true" : "false", w->out);
}
