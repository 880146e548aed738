/* csv_table.c - tables of numbers in comma-separated text, one line in memory at a time. */
#include <myriad/csv_table.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"

struct myr_csv_table {
    myr_context *context;
    char *path;
    FILE *stream;
    char *line; /* present line, of `length` bytes in `room` */
    size_t room, length;
    long number; /* of the present line, from 1 */
    int columns;
    char *name[MYR_CSV_TABLE_COLUMNS_MAX], *unit[MYR_CSV_TABLE_COLUMNS_MAX];
};

static const char units_head[] = "# units:";

/* 0 at the end of the file. */
static int table_read_line(myr_csv_table *t)
{
    const ssize_t got = getline(&t->line, &t->room, t->stream);
    t->length = got > 0 ? (size_t)got : 0;
    t->number += got > 0;
    return got > 0;
}

/* Copies the cells of the present line from `at` on; the number of cells, or -1 without memory. */
static int table_split(const myr_csv_table *t, char *at, char *cell[MYR_CSV_TABLE_COLUMNS_MAX])
{
    const char *end = t->line + t->length;
    for (int count = 0; count < MYR_CSV_TABLE_COLUMNS_MAX;) {
        char *from, *to, *after = myr_csv_cell(at, end, ',', &from, &to);
        cell[count] = strndup(from, (size_t)(to - from));
        if (!cell[count++])
            return -1;
        if (!after || *after != ',')
            return count;
        at = after + 1;
    }
    return MYR_CSV_TABLE_COLUMNS_MAX;
}

static int table_is_units(const myr_csv_table *t)
{
    return strncmp(t->line, units_head, sizeof units_head - 1) == 0;
}

static myr_status table_read_heads(myr_csv_table *t)
{
    do {
        if (!table_read_line(t))
            return MYR_OK;
    } while (*t->line == '#' && !table_is_units(t));
    int units = 0;
    if (table_is_units(t)) {
        units = table_split(t, t->line + sizeof units_head - 1, t->unit);
        if (units >= 0 && !table_read_line(t))
            return MYR_OK;
    }
    t->columns = units < 0 ? -1 : table_split(t, t->line, t->name);
    if (t->columns >= 0)
        return MYR_OK;
    t->columns = 0;
    return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for the table '%s'", t->path);
}

myr_status myr_csv_table_open(myr_context *context, const char *path, myr_csv_table **table)
{
    if (!context || !path || !table)
        return MYR_ERROR_ARGUMENT;
    myr_csv_table *t = *table = calloc(1, sizeof *t);
    if (!t || !(t->path = strdup(path))) {
        myr_csv_table_close(table);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the table '%s'", path);
    }
    t->context = context;
    t->stream = fopen(path, "re");
    const myr_status status = t->stream ? table_read_heads(t) : myr_file_fail(context, "read", path, errno);
    if (status)
        myr_csv_table_close(table);
    return status;
}

int myr_csv_table_columns(const myr_csv_table *table)
{
    return table ? table->columns : 0;
}

const char *myr_csv_table_name(const myr_csv_table *table, int column)
{
    return table && column >= 0 && column < table->columns ? table->name[column] : NULL;
}

const char *myr_csv_table_unit(const myr_csv_table *table, int column)
{
    if (!table || column < 0 || column >= table->columns)
        return NULL;
    const char *unit = table->unit[column];
    return unit && strcmp(unit, "1") != 0 ? unit : "";
}

static myr_status table_read_numbers(myr_csv_table *t, double *row)
{
    myr_text text = {t->context, t->path, t->line, t->line, t->line + t->length, t->line, t->number};
    myr_status status = MYR_OK;
    for (int k = 0; !status && k < t->columns; k++) {
        status = myr_csv_expect_value(&text, ',', k, t->columns);
        if (!status)
            status = myr_text_double(&text, &row[k]);
        if (!status)
            status = myr_csv_end_value(&text, ',', k, t->columns);
    }
    if (!status && t->line[t->length - 1] != '\n')
        status = myr_text_fail(&text, text.at, "the line is cut short");
    return status;
}

myr_status myr_csv_table_next(myr_csv_table *table, double *row, int *found)
{
    myr_text_language language;
    if (!table || !row || !found)
        return MYR_ERROR_ARGUMENT;
    *found = table->columns > 0 && table_read_line(table);
    if (!*found)
        return MYR_OK;
    myr_text_plain(&language);
    const myr_status status = table_read_numbers(table, row);
    myr_text_restore(&language);
    return status;
}

void myr_csv_table_close(myr_csv_table **table)
{
    if (!table || !*table)
        return;
    myr_csv_table *t = *table;
    for (int k = 0; k < MYR_CSV_TABLE_COLUMNS_MAX; k++) {
        free(t->name[k]);
        free(t->unit[k]);
    }
    if (t->stream)
        fclose(t->stream);
    free(t->line);
    free(t->path);
    free(t);
    *table = NULL;
}
