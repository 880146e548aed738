/* csv_table.h - tables of numbers in comma-separated text, such as diagnostics.csv, read line by line in bounded
 * memory. */
#ifndef MYRIAD_CSV_TABLE_H
#define MYRIAD_CSV_TABLE_H

#include <stdint.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

enum { MYR_CSV_TABLE_COLUMNS_MAX = 1024 };

typedef struct myr_csv_table myr_csv_table;

/* Opens a table and reads the names and units of its columns: comments (#), of which "# units: a,b,c" is one, then a
 * line of names. An empty file is a table without columns. */
MYR_API myr_status myr_csv_table_open(myr_context *context, const char *path, myr_csv_table **table);

/* Number of columns. */
MYR_API int myr_csv_table_columns(const myr_csv_table *table);

/* Name and unit of a column. The unit is "" if the file states none, or 1. */
MYR_API const char *myr_csv_table_name(const myr_csv_table *table, int column);
MYR_API const char *myr_csv_table_unit(const myr_csv_table *table, int column);

/* Reads the numbers of the next line into row[columns]. *found = 0 at the end of the file. A line that is not complete,
 * or is not made of numbers, is MYR_ERROR_FORMAT. */
MYR_API myr_status myr_csv_table_next(myr_csv_table *table, double *row, int *found);

/* Closes the file, frees the table and clears the pointer. Null is allowed. */
MYR_API void myr_csv_table_close(myr_csv_table **table);

MYR_END_DECLS

#endif
