/* table.h - curves of positive numbers from a text file, for models that need one. */
#ifndef MYR_MODEL_TABLE_H
#define MYR_MODEL_TABLE_H

#include <myriad/context.h>

enum { MYR_TABLE_ROWS = 4096, MYR_TABLE_COLUMNS = 16 };

typedef struct {
    int rows, columns; /* number of rows, and of columns besides x */
    double *x;         /* [rows], increasing */
    double *y;         /* [rows][columns] */
} myr_table;

/* Reads lines of numbers; empty lines and lines that begin with # are skipped. Errors name the file and the line. */
myr_status myr_table_read(myr_context *context, const char *path, myr_table *table);
void myr_table_free(myr_table *table);

/* Value at x in a column (0 = the one after x), interpolated as a power law between entries; entries that are not
 * positive count as missing. 0 outside the range of the entries. */
double myr_table_at(const myr_table *table, int column, double x);

#endif
