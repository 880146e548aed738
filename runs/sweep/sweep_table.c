/* sweep_table.c - sweep.csv: a line per run, with the values of its keys, how it ended, and numbers of its summary. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "outfile.h"
#include "sweep/sweep.h"

/* A cell: in quotes where a reader would take it for more than one. */
static void write_cell(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"\"" : *text == '\n' || *text == '\r' ? " " : "%c", *text);
    fputc('"', out);
}

static void write_number(FILE *out, double value)
{
    char text[40];
    double back = NAN;
    for (int digits = 6; digits <= 17 && back != value; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        sscanf(text, "%lf", &back);
    }
    fputs(text, out);
}

int sweep_is_wanted(const sweep *s, const char *column)
{
    const size_t length = strlen(column);
    for (const char *at = s->wanted; at;) {
        const size_t here = strcspn(at, ",");
        if (here == length && strncmp(at, column, length) == 0)
            return 1;
        at = at[here] ? at + here + 1 : NULL;
    }
    return !s->wanted;
}

static void write_line(const sweep *s, int64_t k, FILE *out)
{
    char text[INPUT_SWEPT_TEXT];
    const sweep_item *item = &s->item[k];
    fprintf(out, "%s", run_sweep_name(s->in, k + 1, text));
    for (int c = 0; c < s->in->sweep->keys; c++) {
        fputc(',', out);
        write_cell(out, cli_plain((char *)input_swept_text(s->in->sweep, c, k, text)));
    }
    fprintf(out, ",%s", sweep_state_name(item->state));
    for (int c = 0; c < s->columns; c++) {
        if (!sweep_is_wanted(s, s->column[c]))
            continue;
        fputc(',', out);
        if (item->value && !isnan(item->value[c]))
            write_number(out, item->value[c]);
    }
    fputc('\n', out);
}

int sweep_write_table(const sweep *s)
{
    char path[RUN_PATH];
    outfile file;
    snprintf(path, sizeof path, "%s/sweep.csv", s->directory);
    const int code = outfile_open(&file, path);
    if (code)
        return code;
    fprintf(file.out, "run");
    for (int c = 0; c < s->in->sweep->keys; c++) {
        fputc(',', file.out);
        write_cell(file.out, s->in->sweep->key[c].key);
    }
    fprintf(file.out, ",status");
    for (int c = 0; c < s->columns; c++)
        if (sweep_is_wanted(s, s->column[c])) {
            fputc(',', file.out);
            write_cell(file.out, s->column[c]);
        }
    fprintf(file.out, "\n");
    for (int64_t k = 0; k < s->runs; k++)
        write_line(s, k, file.out);
    return outfile_finish(&file);
}
