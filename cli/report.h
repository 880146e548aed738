/* report.h - tables, row by row as they are measured: aligned text, or JSON with one object per row. */
#ifndef MYR_CLI_REPORT_H
#define MYR_CLI_REPORT_H

#include "json.h"

typedef struct {
    const char *key;  /* in JSON */
    const char *head; /* over the column */
    int width;
    const char *format; /* of a number in text: "%.3g"; null where the column holds words */
} report_column;

typedef struct {
    int json;
    json_writer writer;
    const report_column *column; /* of the table that is open */
    int at;                      /* cells of the row that is open */
} report;

/* Starts the report; as JSON with the top-level object left open for members. */
void report_begin(report *r, int json);
void report_end(report *r);

/* Starts a table; columns end with a null key. */
void report_table(report *r, const char *name, const char *title, const report_column *column);
void report_table_end(report *r);

/* The next cell; a row ends by itself with its last cell. NaN and null are cells without a value. */
void report_number(report *r, double value);
void report_text(report *r, const char *text);

#endif
