/* lammps.h - what files of LAMMPS share: lines of words and numbers with comments after #, and bounds of a box. */
#ifndef MYR_IO_LAMMPS_H
#define MYR_IO_LAMMPS_H

#include "io/text.h"

enum { MYR_LAMMPS_WORD = 64 };

/* At the end of a line, or where a comment begins. */
int myr_lammps_line_ended(myr_text *t);

/* Goes to the next line that says something; 0 at the end of the file. */
int myr_lammps_line_next(myr_text *t);

/* The end of an entry. */
myr_status myr_lammps_line_done(myr_text *t);

/* Copies what follows, up to a comment and without blanks at its end. */
void myr_lammps_line_rest(myr_text *t, char word[MYR_LAMMPS_WORD]);

/* Reads numbers; a blank or the end must follow each. */
myr_status myr_lammps_line_numbers(myr_text *t, int n, double *to);

/* Reads an integer; a blank or the end must follow. */
myr_status myr_lammps_line_integer(myr_text *t, const char *what, int64_t lowest, int64_t highest, int64_t *value);

/* How many words a line has. */
int myr_lammps_line_words(const myr_text *t);

/* The bounds of a box along an axis: an axis that is not periodic has some around its particles. */
void myr_lammps_bounds(const myr_particles *particles, const myr_snapshot_header *header, int axis, double bound[2]);

#endif
