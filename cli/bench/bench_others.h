/* bench_others.h - programs of others beside our own: a folder that goes away, files in it, and GROMACS. */
#ifndef MYR_CLI_BENCH_BENCH_OTHERS_H
#define MYR_CLI_BENCH_BENCH_OTHERS_H

#include <stdint.h>

enum { OTHERS_FOLDER = 64, OTHERS_PATH = 128, OTHERS_COMMAND = 1024 };

/* Whether a program is in the path. */
int others_has(const char *program);

/* A new folder, 0 where there is none; and its end. */
int others_open(char folder[OTHERS_FOLDER]);
void others_close(const char *folder);

/* The path of a file in it; and a file with a text, 0 where it cannot be written. */
const char *others_file(const char *folder, const char *name, char path[OTHERS_PATH]);
int others_write(const char *folder, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* GROMACS: makes md.tpr of md.mdp, start.gro and topol.top; 0 where it fails. */
int others_gromacs_prepare(const char *folder);

/* What so many steps of it take of each of its threads, the start of the program included: what it tells itself is time
 * on the clock. 0 where it fails. */
int others_gromacs(const char *folder, int threads, int64_t steps, double *seconds);

#endif
