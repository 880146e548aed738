/* csv_inside.h - a table of text that is being read, shared by the reader of its head (csv_names.c) and of its rows
 * (csv_read.c). */
#ifndef MYR_IO_CSV_INSIDE_H
#define MYR_IO_CSV_INSIDE_H

#include "io/csv.h"

enum {
    CSV_COLUMNS_MAX = 3 + MYR_FORMAT_FIELDS_MAX * MYR_CSV_COMPONENTS_MAX,
    /* contents of a column besides a field */
    CSV_ID = -1,
    CSV_TYPE = -2,
    CSV_NAME = -3,
    CSV_SKIP = -4
};

typedef struct {
    int field; /* field index, or CSV_ID, ... */
    int component;
    double *to;
} csv_column;

typedef struct {
    myr_text_particles set; /* set.options: choice of columns, as in myr_snapshot_read_columns */
    char separator;         /* of the rows; a blank stands for any number of blanks and tabs */
    int columns, fields;
    char name[CSV_COLUMNS_MAX][MYR_FORMAT_NAME_MAX + 1]; /* as the file has them; "" without a line of names */
    int name_at[CSV_COLUMNS_MAX];                        /* bytes from the start of their line */
    myr_text names_line;                                 /* position of the names, for messages */
    csv_column column[CSV_COLUMNS_MAX];
    struct {
        char name[MYR_FORMAT_NAME_MAX + 1];
        uint32_t seen; /* bit c = component c has a column */
        int single;    /* 1 = the name has no brackets */
    } field[MYR_FORMAT_FIELDS_MAX];
} csv_reader;

/* Reads separator and names, decides what each column holds, and moves to the first line after the names. */
myr_status myr_csv_read_head(csv_reader *r, myr_snapshot_header *header);

/* Takes time, units and box from the comment at the present line. */
void myr_csv_read_comment(const csv_reader *r, myr_snapshot_header *header);

#endif
