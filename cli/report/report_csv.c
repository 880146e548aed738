/* report_csv.c - the tables of a run in bounded memory: any columns, any number of lines, and an end that was cut off.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { ROWS_MAX = 4096, COLUMNS_MAX = 1024 };

static const char units_head[] = "# units:";

/* Cuts a line at its commas into copies; gives how many, or -1 without memory. */
static int split(const char *line, char ***words)
{
    int count = 0;
    *words = calloc(COLUMNS_MAX, sizeof **words);
    while (*words && count < COLUMNS_MAX) {
        line += strspn(line, " ");
        const size_t length = strcspn(line, ",\r\n");
        (*words)[count] = strndup(line, length);
        if (!(*words)[count])
            return -1;
        count++;
        if (line[length] != ',')
            return count;
        line += length + 1;
    }
    return *words ? count : -1;
}

static void free_words(char ***words)
{
    for (int k = 0; *words && k < COLUMNS_MAX; k++)
        free((*words)[k]);
    free(*words);
    *words = NULL;
}

/* Drops every second line, so that there is room for as many again. */
static void thin_out(report_csv *csv)
{
    const size_t bytes = (size_t)csv->columns * sizeof *csv->value;
    for (int64_t k = 1; 2 * k < csv->rows; k++)
        memcpy(csv->value + k * csv->columns, csv->value + 2 * k * csv->columns, bytes);
    csv->rows = (csv->rows + 1) / 2;
    csv->stride *= 2;
}

/* Takes the numbers of a line into the first free row; whether the line was whole. */
static int take_line(report_csv *csv, const char *line)
{
    double *row = csv->value + csv->rows * csv->columns;
    for (int k = 0; k < csv->columns; k++) {
        char *end;
        row[k] = strtod(line, &end);
        if (end == line || *end != (k + 1 < csv->columns ? ',' : '\n'))
            return 0;
        line = end + 1;
    }
    for (int k = 0; k < csv->columns; k++) {
        if (!isfinite(row[k]))
            continue;
        csv->least[k] = isnan(csv->least[k]) || row[k] < csv->least[k] ? row[k] : csv->least[k];
        csv->most[k] = isnan(csv->most[k]) || row[k] > csv->most[k] ? row[k] : csv->most[k];
    }
    return 1;
}

static int allocate(report_csv *csv)
{
    csv->room = ROWS_MAX;
    csv->stride = 1;
    csv->value = calloc((size_t)(csv->room + 1) * (size_t)csv->columns + 1, sizeof *csv->value);
    csv->least = calloc((size_t)csv->columns + 1, sizeof *csv->least);
    csv->most = calloc((size_t)csv->columns + 1, sizeof *csv->most);
    if (!csv->value || !csv->least || !csv->most)
        return 1;
    for (int k = 0; k < csv->columns; k++)
        csv->least[k] = csv->most[k] = NAN;
    return 0;
}

/* Units, then names; a file without a line of units has none. Other comments may come first. */
static int read_heads(report_csv *csv, FILE *file, char **line, size_t *size)
{
    char **units = NULL;
    int count = 0;
    do {
        if (getline(line, size, file) <= 0)
            return 0;
    } while (**line == '#' && strncmp(*line, units_head, sizeof units_head - 1) != 0);
    if (strncmp(*line, units_head, sizeof units_head - 1) == 0) {
        count = split(*line + sizeof units_head - 1, &units);
        if (count < 0 || getline(line, size, file) <= 0) {
            free_words(&units);
            return count < 0;
        }
    }
    csv->columns = split(*line, &csv->name);
    csv->unit = calloc(COLUMNS_MAX, sizeof *csv->unit);
    int failed = csv->columns < 0 || !csv->unit;
    for (int k = 0; k < csv->columns && !failed; k++) {
        csv->unit[k] = strdup(k < count && strcmp(units[k], "1") != 0 ? units[k] : "");
        failed = !csv->unit[k];
    }
    free_words(&units);
    return failed || allocate(csv);
}

static void read_lines(report_csv *csv, FILE *file, char **line, size_t *size)
{
    int64_t waiting = 0; /* lines read since the last that was kept */
    while (getline(line, size, file) > 0) {
        if (csv->rows >= csv->room)
            thin_out(csv);
        if (!take_line(csv, *line)) {
            csv->cut = 1; /* what follows a broken line cannot be trusted to be of this run */
            break;
        }
        if (csv->lines++ % csv->stride == 0) {
            csv->rows++;
            waiting = 0;
        } else {
            waiting++;
        }
    }
    if (waiting > 0 && !csv->cut) /* the last line is there whatever the stride; it stands in the first free row */
        csv->rows++;
}

int report_csv_load(report_csv *csv, const char *path, int *error)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    *error = file ? 0 : errno;
    if (!file)
        return CLI_OK;
    const int failed = read_heads(csv, file, &line, &size);
    if (!failed && csv->columns > 0)
        read_lines(csv, file, &line, &size);
    free(line);
    fclose(file);
    return failed ? cli_fail(CLI_FAILED, "no memory for %s", path) : CLI_OK;
}

int report_csv_read(report *r, const char *path)
{
    report_csv *csv = &r->csv;
    int error = 0;
    const int code = report_csv_load(csv, path, &error);
    if (code)
        return code;
    if (error)
        report_note(r, "diagnostics.csv cannot be read (%s): there are no plots.", strerror(error));
    else if (csv->cut)
        report_note(r, "Line %lld of diagnostics.csv is not whole; what follows it was left out.",
                    (long long)csv->lines + 1);
    else if (csv->rows == 0)
        report_note(r, "diagnostics.csv holds no lines: there are no plots.");
    return CLI_OK;
}

void report_csv_free(report_csv *csv)
{
    free_words(&csv->name);
    free_words(&csv->unit);
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
