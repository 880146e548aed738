/* lammps.h - parsing of LAMMPS files: lines of words and numbers with comments after #, and bounds of a box. */
#ifndef MYR_IO_LAMMPS_H
#define MYR_IO_LAMMPS_H

#include "io/text.h"

enum { MYR_LAMMPS_WORD = 64 };

/* 1 at the end of a line or at the start of a comment. */
int myr_lammps_line_ended(myr_text *t);

/* Moves to the next line that is neither empty nor a comment; 0 at the end of the file. */
int myr_lammps_line_next(myr_text *t);

/* Fails if anything but a comment follows in the line. */
myr_status myr_lammps_line_done(myr_text *t);

/* Copies the rest of the line up to a comment, without trailing blanks. */
void myr_lammps_line_rest(myr_text *t, char word[MYR_LAMMPS_WORD]);

/* Reads n numbers, each followed by a blank or the end of the line. */
myr_status myr_lammps_line_numbers(myr_text *t, int n, double *to);

/* Reads an integer, followed by a blank or the end of the line. */
myr_status myr_lammps_line_integer(myr_text *t, const char *what, int64_t lowest, int64_t highest, int64_t *value);

/* Number of words in the line. */
int myr_lammps_line_words(const myr_text *t);

/* Bounds of the box along an axis; for a non-periodic axis bounds that enclose the particles. */
void myr_lammps_bounds(const myr_particles *particles, const myr_snapshot_header *header, int axis, double bound[2]);

#endif
