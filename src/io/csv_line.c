/* csv_line.c - cells and numbers of one line of comma-separated text, for particles (csv_read.c) and tables
 * (csv_table.c).
 */
#include "io/csv.h"

char *myr_csv_cell(char *at, const char *end, char **from, char **to)
{
    while (*at == ' ' || *at == '\t')
        at++;
    const int quoted = *at == '"';
    *from = at += quoted;
    while (at < end && *at != '\n' && *at != (quoted ? '"' : ','))
        at++;
    *to = at;
    while (!quoted && *to > *from && ((*to)[-1] == ' ' || (*to)[-1] == '\t' || (*to)[-1] == '\r'))
        (*to)--;
    if (quoted && *at != '"')
        return NULL;
    return at + quoted;
}

myr_status myr_csv_expect_value(myr_text *text, int k, int columns)
{
    if (!myr_text_at_end(text))
        return MYR_OK;
    return myr_text_fail(text, text->at, "this line has %d values; the first line names %d", k, columns);
}

myr_status myr_csv_end_value(myr_text *text, int k, int columns)
{
    const int at_end = myr_text_at_end(text);
    if (at_end)
        return k + 1 < columns ? myr_csv_expect_value(text, k + 1, columns) : MYR_OK;
    if (*text->at != ',' || k + 1 == columns)
        return myr_text_fail(text, text->at, k + 1 < columns ? "a comma was expected" : "the line should end here");
    text->at++;
    return MYR_OK;
}
