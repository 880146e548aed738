/* table.c - reads a table of numbers and interpolates between its rows. */
#include "model/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"

#define TABLE_SAME 1e-9 /* relative tolerance of equal x values: wave numbers are multiples of a rounded number */

/* Parses the numbers of a line; returns their number, or -1 if the line contains anything else. */
static int table_split(char *line, double value[MYR_TABLE_COLUMNS + 1])
{
    int count = 0;
    for (char *at = line, *end;; at = end) {
        at += strspn(at, " \t\r\n,");
        if (!*at || *at == '#')
            return count;
        if (count > MYR_TABLE_COLUMNS)
            return -1;
        value[count] = strtod(at, &end);
        if (end == at || !isfinite(value[count]))
            return -1;
        count++;
    }
}

static myr_status table_take(myr_context *context, const char *path, int line, int count, const double *value,
                             myr_table *t)
{
    if (count < 2 || (t->rows && count != t->columns + 1))
        return myr_context_fail(context, MYR_ERROR_FORMAT,
                                "%s:%d: expected %s numbers with spaces between, as in the lines before", path, line,
                                t->rows ? "as many" : "two or more");
    if (t->rows == MYR_TABLE_ROWS || (t->rows && !(value[0] > t->x[t->rows - 1])))
        return myr_context_fail(context, MYR_ERROR_FORMAT,
                                "%s:%d: the first number of a line must be larger than that of the line before, and "
                                "there may be %d lines",
                                path, line, MYR_TABLE_ROWS);
    t->columns = count - 1;
    if (!t->y && !(t->y = calloc((size_t)MYR_TABLE_ROWS * (size_t)t->columns, sizeof *t->y)))
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a table");
    t->x[t->rows] = value[0];
    memcpy(t->y + t->rows++ * t->columns, value + 1, (size_t)t->columns * sizeof *t->y);
    return MYR_OK;
}

myr_status myr_table_read(myr_context *context, const char *path, myr_table *table)
{
    char text[1024];
    double value[MYR_TABLE_COLUMNS + 1];
    *table = (myr_table){.x = calloc(MYR_TABLE_ROWS, sizeof *table->x)};
    FILE *file = fopen(path, "r");
    myr_status status = MYR_OK;
    if (!file || !table->x)
        status = myr_context_fail(context, MYR_ERROR_FILE, "%s cannot be read: %s", path, strerror(errno));
    for (int line = 1; !status && fgets(text, sizeof text, file); line++) {
        const int count = table_split(text, value);
        if (count < 0)
            status = myr_context_fail(context, MYR_ERROR_FORMAT, "%s:%d: not a line of up to %d numbers", path, line,
                                      MYR_TABLE_COLUMNS + 1);
        else if (count > 0)
            status = table_take(context, path, line, count, value, table);
    }
    if (file)
        fclose(file);
    if (!status && table->rows < 2)
        status =
            myr_context_fail(context, MYR_ERROR_FORMAT, "%s has no table: expected two lines of numbers or more", path);
    if (status)
        myr_table_free(table);
    return status;
}

void myr_table_free(myr_table *table)
{
    free(table->x);
    free(table->y);
    *table = (myr_table){0};
}

double myr_table_at(const myr_table *table, int column, double x)
{
    int before = -1;
    for (int k = 0; k < table->rows; k++) {
        const double y = table->y[k * table->columns + column];
        if (!(y > 0) || !(table->x[k] > 0))
            continue;
        if (fabs(table->x[k] - x) <= TABLE_SAME * x)
            return y;
        if (table->x[k] > x) {
            if (before < 0)
                return 0;
            const double x0 = table->x[before], y0 = table->y[before * table->columns + column];
            return y0 * pow(y / y0, log(x / x0) / log(table->x[k] / x0));
        }
        before = k;
    }
    return 0;
}
