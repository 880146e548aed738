/* csv.h - declarations shared by the writer and the readers of comma-separated text. */
#ifndef MYR_IO_CSV_H
#define MYR_IO_CSV_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_CSV_COMPONENTS_MAX = 16 };

/* Column name that stands for a component of a field. */
typedef struct {
    const char *column, *field;
    int component;
} myr_csv_short;

/* Column names x, y, z, vx, vy, vz; ended by a null name. */
extern const myr_csv_short myr_csv_shorts[];

/* Keys of comment lines "# key = value" besides myr_text_keys. */
extern const myr_text_key myr_csv_boxes[];

/* Separator of a line that ends before `end` or at a newline: semicolon, comma or tab, whichever is there, in this
 * order; else a blank, which stands for any number of blanks and tabs. */
char myr_csv_separator(const char *at, const char *end);

/* Finds the cell of a line that begins at `at`: its text is [*from, *to), without the blanks or quotes around it.
 * Returns the place after the cell; null if a quote is not closed. */
char *myr_csv_cell(char *at, const char *end, char separator, char **from, char **to);

/* 1 if the text [from, to) of a cell is a number. */
int myr_csv_is_number(const char *from, const char *to);

/* Shape of the line at `at`, which ends before `end` or at a newline; *end must be 0. */
typedef struct {
    int cells, numbers;
    int distinct; /* 1 = no cell equals the one before */
    char separator;
} myr_csv_shape;
void myr_csv_measure(char *at, const char *end, myr_csv_shape *shape);

/* Skips white space; 1 at the end of a line. */
int myr_csv_at_end(myr_text *text, char separator);

/* Before value k of a line that has `columns` values: fails if the line ends here. */
myr_status myr_csv_expect_value(myr_text *text, char separator, int k, int columns);

/* After value k: moves over the separator; fails if there is none, or if the line goes on after the last value. */
myr_status myr_csv_end_value(myr_text *text, char separator, int k, int columns);

/* Functions of the format table (format.h). */
myr_status myr_csv_write(const myr_format_job *job);
myr_status myr_csv_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header);
myr_status myr_csv_read_columns(myr_context *context, const char *path, const char *const *columns,
                                myr_particles **particles, myr_snapshot_header *header);

#endif
