/* csv_line.c - cells and numbers of one line of a table of text, for particles (csv_names.c, csv_read.c) and tables
 * (csv_table.c).
 */
#include "io/csv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* 1 for white space around a cell; a tab may be the separator. */
static int csv_is_blank(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

char myr_csv_separator(const char *at, const char *end)
{
    int quoted = 0, seen[3] = {0, 0, 0};
    for (; at < end && *at != '\n'; at++) {
        quoted ^= *at == '"';
        seen[0] |= !quoted && *at == ';';
        seen[1] |= !quoted && *at == ',';
        seen[2] |= !quoted && *at == '\t';
    }
    return seen[0] ? ';' : seen[1] ? ',' : seen[2] ? '\t' : ' ';
}

char *myr_csv_cell(char *at, const char *end, char separator, char **from, char **to)
{
    while (csv_is_blank(*at, separator))
        at++;
    const int quoted = *at == '"';
    *from = at += quoted;
    while (at < end && *at != '\n' &&
           (quoted ? *at != '"' : *at != separator && !(separator == ' ' && csv_is_blank(*at, ' '))))
        at++;
    *to = at;
    while (!quoted && *to > *from && (csv_is_blank((*to)[-1], separator) || (*to)[-1] == '\r'))
        (*to)--;
    if (quoted && *at != '"')
        return NULL;
    return at + quoted;
}

int myr_csv_is_number(const char *from, const char *to)
{
    char *rest;
    if (from == to || !(isdigit((unsigned char)*from) || *from == '+' || *from == '-' || *from == '.'))
        return 0;
    strtod(from, &rest);
    return rest == to;
}

void myr_csv_measure(char *at, const char *end, myr_csv_shape *shape)
{
    char *from, *to, *before = NULL;
    size_t length = 0;
    *shape = (myr_csv_shape){.distinct = 1, .separator = myr_csv_separator(at, end)};
    for (;;) {
        char *after = myr_csv_cell(at, end, shape->separator, &from, &to);
        if (shape->separator == ' ' && from == to && after == to)
            return;
        shape->cells++;
        shape->numbers += myr_csv_is_number(from, to);
        shape->distinct &= !before || length != (size_t)(to - from) || memcmp(before, from, length) != 0;
        before = from;
        length = (size_t)(to - from);
        if (!after || after >= end || *after == '\n' || (*after != shape->separator && shape->separator != ' '))
            return;
        at = after + (shape->separator != ' ');
    }
}

int myr_csv_at_end(myr_text *text, char separator)
{
    if (separator != '\t')
        return myr_text_at_end(text);
    while (*text->at == ' ')
        text->at++;
    return *text->at == '\t' ? 0 : myr_text_at_end(text);
}

myr_status myr_csv_expect_value(myr_text *text, char separator, int k, int columns)
{
    if (!myr_csv_at_end(text, separator))
        return MYR_OK;
    return myr_text_fail(text, text->at, "this line has %d value%s; the first line names %d", k, myr_plural(k),
                         columns);
}

/* Why what follows a value is wrong. */
static const char *csv_complaint(const myr_text *text, char separator, int is_last)
{
    if (separator == ';' && *text->at == ',')
        return "numbers need a decimal point, not a comma";
    if (is_last)
        return "the line should end here";
    return separator == ';'    ? "a semicolon was expected"
           : separator == ','  ? "a comma was expected"
           : separator == '\t' ? "a tab was expected"
                               : "a blank was expected";
}

myr_status myr_csv_end_value(myr_text *text, char separator, int k, int columns)
{
    const char *before = text->at;
    const int is_last = k + 1 == columns;
    if (myr_csv_at_end(text, separator))
        return is_last ? MYR_OK : myr_csv_expect_value(text, separator, k + 1, columns);
    const int separated = separator == ' ' ? text->at > before : *text->at == separator;
    if (!separated || is_last)
        return myr_text_fail(text, text->at, "%s", csv_complaint(text, separator, is_last));
    text->at += separator != ' ';
    return MYR_OK;
}
