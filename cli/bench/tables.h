/* tables.h - tables, row by row as they are measured: aligned text, or JSON with one object per row. */
#ifndef MYR_CLI_BENCH_TABLES_H
#define MYR_CLI_BENCH_TABLES_H

#include "json.h"

typedef struct {
    const char *key;  /* in JSON */
    const char *head; /* over the column */
    int width;
    const char *format; /* of a number in text: "%.3g"; null where the column holds words */
} tables_column;

typedef struct {
    int json;
    json_writer writer;
    const tables_column *column; /* of the table that is open */
    int at;                      /* cells of the row that is open */
} tables;

/* Starts the output; as JSON with the top-level object left open for members. */
void tables_begin(tables *t, int json);
void tables_end(tables *t);

/* Starts a table; columns end with a null key. */
void tables_open(tables *t, const char *name, const char *title, const tables_column *column);
void tables_close(tables *t);

/* The next cell; a row ends by itself with its last cell. NaN and null are cells without a value. */
void tables_number(tables *t, double value);
void tables_text(tables *t, const char *text);

#endif
