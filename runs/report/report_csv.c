/* report_csv.c - the tables of a run in bounded memory: any columns, any number of lines, and an end that was cut off.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/csv_table.h>

#include "report/report.h"

enum { ROWS_MAX = 4096 };

/* Drops every second line, so that there is room for as many again. */
static void thin_out(report_csv *csv)
{
    const size_t bytes = (size_t)csv->columns * sizeof *csv->value;
    for (int64_t k = 1; 2 * k < csv->rows; k++)
        memcpy(csv->value + k * csv->columns, csv->value + 2 * k * csv->columns, bytes);
    csv->rows = (csv->rows + 1) / 2;
    csv->stride *= 2;
}

static void widen_ranges(report_csv *csv, const double *row)
{
    for (int k = 0; k < csv->columns; k++) {
        if (!isfinite(row[k]))
            continue;
        csv->least[k] = isnan(csv->least[k]) || row[k] < csv->least[k] ? row[k] : csv->least[k];
        csv->most[k] = isnan(csv->most[k]) || row[k] > csv->most[k] ? row[k] : csv->most[k];
    }
}

static int allocate(report_csv *csv, const myr_csv_table *table)
{
    const size_t columns = (size_t)(csv->columns = myr_csv_table_columns(table));
    csv->room = ROWS_MAX;
    csv->stride = 1;
    csv->name = calloc(columns + 1, sizeof *csv->name);
    csv->unit = calloc(columns + 1, sizeof *csv->unit);
    csv->value = calloc((size_t)(csv->room + 1) * columns + 1, sizeof *csv->value);
    csv->least = calloc(columns + 1, sizeof *csv->least);
    csv->most = calloc(columns + 1, sizeof *csv->most);
    int failed = !csv->name || !csv->unit || !csv->value || !csv->least || !csv->most;
    for (int k = 0; k < csv->columns && !failed; k++) {
        csv->least[k] = csv->most[k] = NAN;
        csv->name[k] = strdup(myr_csv_table_name(table, k));
        csv->unit[k] = strdup(myr_csv_table_unit(table, k));
        failed = !csv->name[k] || !csv->unit[k];
    }
    return failed;
}

static void read_lines(report_csv *csv, myr_csv_table *table)
{
    int64_t waiting = 0; /* lines read since the last that was kept */
    for (int found = 1; found;) {
        if (csv->rows >= csv->room)
            thin_out(csv);
        double *row = csv->value + csv->rows * csv->columns;
        if (myr_csv_table_next(table, row, &found)) {
            csv->cut = 1; /* what follows a broken line cannot be trusted to be of this run */
            return;
        }
        if (!found)
            break;
        widen_ranges(csv, row);
        if (csv->lines++ % csv->stride == 0) {
            csv->rows++;
            waiting = 0;
        } else {
            waiting++;
        }
    }
    if (waiting > 0) /* the last line is there whatever the stride; it stands in the first free row */
        csv->rows++;
}

int report_csv_load(myr_context *context, report_csv *csv, const char *path, int *missing)
{
    myr_csv_table *table;
    const myr_status status = myr_csv_table_open(context, path, &table);
    *missing = status == MYR_ERROR_FILE;
    if (status)
        return *missing ? CLI_OK : cli_check(context, status);
    const int failed = allocate(csv, table);
    if (!failed && csv->columns > 0)
        read_lines(csv, table);
    myr_csv_table_close(&table);
    return failed ? cli_fail(CLI_FAILED, "no memory for %s", path) : CLI_OK;
}

int report_csv_read(report *r, const char *path)
{
    report_csv *csv = &r->csv;
    int missing = 0;
    const int code = report_csv_load(r->context, csv, path, &missing);
    if (code)
        return code;
    if (missing)
        report_note(r, "diagnostics.csv cannot be read: there are no plots (%s).", myr_context_message(r->context));
    else if (csv->cut)
        report_note(r, "Line %lld of diagnostics.csv is not whole; what follows it was left out.",
                    (long long)csv->lines + 1);
    else if (csv->rows == 0)
        report_note(r, "diagnostics.csv holds no lines: there are no plots.");
    return CLI_OK;
}

void report_csv_free(report_csv *csv)
{
    for (int k = 0; k < csv->columns; k++) {
        free(csv->name ? csv->name[k] : NULL);
        free(csv->unit ? csv->unit[k] : NULL);
    }
    free(csv->name);
    free(csv->unit);
    free(csv->value);
    free(csv->least);
    free(csv->most);
    *csv = (report_csv){0};
}

int report_csv_column(const report_csv *csv, const char *name)
{
    for (int k = 0; k < csv->columns; k++)
        if (strcmp(csv->name[k], name) == 0)
            return k;
    return -1;
}

double report_csv_value(const report_csv *csv, int64_t row, int column)
{
    return csv->value[row * csv->columns + column];
}
