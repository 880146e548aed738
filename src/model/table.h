/* table.h - a curve of positive numbers from a text file, for models that take one. */
#ifndef MYR_MODEL_TABLE_H
#define MYR_MODEL_TABLE_H

#include <myriad/context.h>

enum { MYR_TABLE_ROWS = 4096, MYR_TABLE_COLUMNS = 16 };

typedef struct {
    int rows, columns; /* columns besides the first */
    double *x;         /* increasing */
    double *y;         /* [row][column] */
} myr_table;

/* Reads lines of numbers; empty ones and those that begin with # are passed over. Errors name the file and the line. */
myr_status myr_table_read(myr_context *context, const char *path, myr_table *table);
void myr_table_free(myr_table *table);

/* The value at x in a column (0 = the one after x), as a power law between the entries; entries that are not positive
 * count as missing, and beyond the others it is 0. */
double myr_table_at(const myr_table *table, int column, double x);

#endif
