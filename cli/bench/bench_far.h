/* bench_far.h - what the suites of methods with a far field share: sets, timing, fits. Times are processor time where
 * one thread works, so that others on the machine count less, and best of three. */
#ifndef MYR_CLI_BENCH_BENCH_FAR_H
#define MYR_CLI_BENCH_BENCH_FAR_H

#include "bench/bench.h"

enum { BENCH_FAR_PARTS = 12 };

/* One measurement. */
typedef struct {
    double seconds;               /* of an evaluation: conversion of the particles, tree, fields */
    double part[BENCH_FAR_PARTS]; /* of its parts, scaled to that */
    myr_far_report far;
    double momentum; /* |sum m a| / sum m |a|; NaN where there is none */
} bench_far_row;

/* A parameter of the method; a list ends with a null name. */
typedef struct {
    const char *name;
    double value;
} bench_far_setting;

/* Processor time so far, of all threads. */
double bench_far_processor(void);

/* Particles of a model, "clustered", or "test particles": a uniform set of which one body in ten acts on the others. */
int bench_far_set(bench *b, const char *set, int64_t n, myr_particles **p);

/* Evaluates with a method and times it. The first evaluation makes operators and measures the error; it is not timed.
 */
int bench_far_measure(bench *b, const char *kernel, const char *method, const char *arithmetic,
                      const bench_far_setting *setting, myr_particles *p, bench_far_row *row);

/* The same with an accumulator. */
int bench_far_measure_sums(bench *b, const char *kernel, const char *method, const char *accumulator,
                           const char *arithmetic, const bench_far_setting *setting, myr_particles *p,
                           bench_far_row *row);

/* Seconds of a part, by its name. */
double bench_far_part(const bench_far_row *row, const char *name);

/* Seconds of a direct sum in single arithmetic, the best of some. */
int bench_far_time_direct(bench *b, const char *kernel, myr_particles *p, double *seconds);

/* Pairs per second of direct sums in single arithmetic, the yardstick. */
int bench_far_direct(bench *b, const char *kernel, double *pairs_per_s);

/* The same with an accumulator, in an arithmetic. */
int bench_far_direct_sums(bench *b, const char *kernel, const char *accumulator, const char *arithmetic,
                          double *pairs_per_s);

/* Seconds of a part of an evaluation, by its name; 0 if there is no such part. */
double bench_far_seconds(const myr_far_report *far, const char *name);

/* Relative L2 errors of the two outputs of gravity_potential or velocity_stretching that the particles hold, on a
 * sample of 2000 of them, against direct sums in double arithmetic. */
int bench_far_errors(bench *b, const char *kernel, myr_particles *p, double error[2]);

/* The suites fmm, vortex, tree and pseudo on a GPU. */
int bench_fmm_gpu(bench *b);
int bench_vortex_gpu(bench *b);
int bench_vortex_paper_gpu(bench *b);
int bench_tree_gpu(bench *b);
int bench_pseudo_gpu(bench *b);

/* Vortex elements of paper 004, section 4.2. */
int bench_vortex_elements(bench *b, int64_t n, myr_particles **p);

/* Slope of log seconds against log n. */
double bench_far_exponent(const double *n, const double *seconds, int count);

#endif
