/* prmtop.h - an AMBER topology as a file: sections of numbers or words in columns of fixed width.
 *
 *   %FLAG CHARGE
 *   %FORMAT(5E16.8)
 *     2.04636429E+00 ...
 *
 * Widths count, not blanks: names of four letters stand next to each other. */
#ifndef MYR_IO_PRMTOP_H
#define MYR_IO_PRMTOP_H

#include "io/text.h"

enum { MYR_PRMTOP_SECTIONS = 256, MYR_PRMTOP_NAME = 80 };

typedef struct {
    char name[MYR_PRMTOP_NAME + 1];
    char kind;           /* I, E or a */
    int per_line, width; /* fields of a line, characters of a field */
    long line;           /* of its first data */
    char *at, *end;      /* its data: from the start of a line to the start of the next section */
} myr_prmtop_section;

typedef struct {
    myr_text text;
    int sections;
    myr_prmtop_section section[MYR_PRMTOP_SECTIONS];
} myr_prmtop;

/* Loads a file and finds its sections; free it with myr_prmtop_close, also after an error. */
myr_status myr_prmtop_open(myr_context *context, const char *path, myr_prmtop *file);
void myr_prmtop_close(myr_prmtop *file);

/* A section by name; null where there is none. */
const myr_prmtop_section *myr_prmtop_find(const myr_prmtop *file, const char *name);

/* Fails about a section: "path:line:1: section NAME: sentence". Null section: about the file. */
myr_status myr_prmtop_fail(const myr_prmtop *file, const myr_prmtop_section *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The n values of a section that must be there, as new arrays (free them; null for n = 0 too is possible only with an
 * error). Integers must be within the bounds. A section with fewer or more values is an error. */
myr_status myr_prmtop_integers(const myr_prmtop *file, const char *name, int64_t n, int64_t lowest, int64_t highest,
                               int64_t **values);
myr_status myr_prmtop_reals(const myr_prmtop *file, const char *name, int64_t n, double **values);

/* The n words of a section, without blanks at their ends, into to[n] of `room` bytes each. */
myr_status myr_prmtop_words(const myr_prmtop *file, const char *name, int64_t n, char *to, size_t room);

/* How many values a section of integers has: those of POINTERS differ from version to version. */
int64_t myr_prmtop_count(const myr_prmtop *file, const myr_prmtop_section *section);

#endif
