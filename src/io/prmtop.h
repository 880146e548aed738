/* prmtop.h - AMBER topology file: sections of numbers or words in columns of fixed width.
 *
 *   %FLAG CHARGE
 *   %FORMAT(5E16.8)
 *     2.04636429E+00 ...
 *
 * Fields are separated by width, not by blanks: names of four letters have no blank between them. */
#ifndef MYR_IO_PRMTOP_H
#define MYR_IO_PRMTOP_H

#include "io/text.h"

enum { MYR_PRMTOP_SECTIONS = 256, MYR_PRMTOP_NAME = 80 };

typedef struct {
    char name[MYR_PRMTOP_NAME + 1];
    char kind;           /* I = integers, E = reals, A = words, 0 = a format that is not understood */
    int per_line, width; /* fields per line, characters per field */
    long line;           /* line number of the first data line */
    char *at, *end;      /* data: from the start of a line to the start of the next section */
} myr_prmtop_section;

typedef struct {
    myr_text text;
    int sections;
    myr_prmtop_section section[MYR_PRMTOP_SECTIONS];
} myr_prmtop;

/* Loads a file and finds its sections; myr_prmtop_close must be called, also after an error. */
myr_status myr_prmtop_open(myr_context *context, const char *path, myr_prmtop *file);
void myr_prmtop_close(myr_prmtop *file);

/* Section by name; null if there is none. */
const myr_prmtop_section *myr_prmtop_find(const myr_prmtop *file, const char *name);

/* Error about a section: "path:line:1: section NAME: sentence". Null section: about the file. */
myr_status myr_prmtop_fail(const myr_prmtop *file, const myr_prmtop_section *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the n values of a section that must exist into a new array, to be freed by the caller. Integers must be within
 * the bounds. Fewer or more values are an error. */
myr_status myr_prmtop_integers(const myr_prmtop *file, const char *name, int64_t n, int64_t lowest, int64_t highest,
                               int64_t **values);
myr_status myr_prmtop_reals(const myr_prmtop *file, const char *name, int64_t n, double **values);

/* Reads the n words of a section, without trailing blanks, into to[n], `room` bytes each. */
myr_status myr_prmtop_words(const myr_prmtop *file, const char *name, int64_t n, char *to, size_t room);

/* Number of values in a section of integers; that of POINTERS depends on the version. */
int64_t myr_prmtop_count(const myr_prmtop *file, const myr_prmtop_section *section);

#endif
