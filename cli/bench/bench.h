/* bench.h - what the suites of `myriad bench` share: interactions, speeds against the issue bound, tables. */
#ifndef MYR_CLI_BENCH_H
#define MYR_CLI_BENCH_H

#include "cli.h"
#include "progress.h"
#include "bench/tables.h"

typedef struct {
    myr_context *context;
    progress progress;
    tables tables;
    const char *isa;     /* never "auto"; "cuda" on a GPU */
    int gpu;             /* on a GPU: speeds are those of data that is there, by its own clock */
    int threads;         /* of the rows that are timed */
    int64_t min;         /* particles of the smallest set of lj on a GPU */
    int64_t max;         /* particles of the largest set, where a suite goes up to large ones */
    int64_t per_rank;    /* particles of each rank, where only what several ranks do is timed; else 0 */
    int64_t steps;       /* there, of each stretch that is timed */
    int64_t given_steps; /* the same where a suite has another number by itself; 0 = none was given */
    int64_t particles;   /* of all ranks, where they share methods; 0 = per_rank for each */
    int exchanges;       /* there, also the ways to exchange halos */
    const char *balance; /* there, its name; null = as usual */
    int quick;           /* small systems, few repeats */
    double share;        /* smallest share of the processor that a timed row got */
    int uncounted;       /* rows whose machine code could not be read */
} bench;

/* The suites. */
int bench_accumulators(bench *b);
int bench_kernels(bench *b);
int bench_direct(bench *b);
int bench_fmm(bench *b);
int bench_vortex(bench *b);
int bench_turbulence(bench *b);
int bench_mesh(bench *b);
int bench_proteins(bench *b);
int bench_proteins_gpu(bench *b);
int bench_tree(bench *b);
int bench_pseudo(bench *b);
int bench_lj(bench *b);
int bench_gpu(bench *b);
int bench_gpu_motion(bench *b);
int bench_stars_gpu(bench *b);

/* Chooses where an interaction runs: on the bench's instruction set, or on the GPU. */
myr_status bench_place(const bench *b, myr_interaction *f);

/* An interaction with these choices on the bench's instruction set; null and the message printed on failure. */
myr_interaction *bench_interaction(bench *b, const char *kernel, const char *accumulator, const char *arithmetic);

enum { BENCH_TYPES = 16 }; /* of particles, where a kernel has types and nothing else is said */

/* Particles for a kernel: a Plummer sphere, or for molecules a lattice of so many types; sets the interaction's tables
 * and softening. */
int bench_particles(bench *b, myr_interaction *f, const myr_kernel_info *kernel, int64_t n, int types,
                    myr_particles **particles);

/* One thing to time: run it once; give the seconds it took and the pairs it evaluated. */
typedef int (*bench_run)(void *user, double *seconds, int64_t *pairs);

typedef struct {
    double pairs_per_s;    /* median */
    double bound_fraction; /* median of speed / (issue rate * lanes / minimal count), rates timed between the runs */
    double issue;          /* the minimal count; NaN on a GPU, where the bound is that of the emitted ones */
    double emitted;        /* what the compiler made of it; NaN = unknown */
    int64_t splits;
} bench_speed;

/* Times it: one run to warm up, then repeats for about half a second. */
int bench_time(bench *b, bench_run run, void *user, const char *arithmetic, double issue, bench_speed *speed);

/* Times an interaction on all of the particles, or on the first `targets` of them where that is not negative. */
int bench_time_interaction(bench *b, myr_interaction *f, myr_particles *particles, int64_t targets, bench_speed *speed);

/* Fewest vector instructions per vector of pairs for a kernel with an accumulator and an arithmetic. */
double bench_issue(const myr_kernel_info *kernel, const char *accumulator, const char *arithmetic);

/* Evaluates all with double arithmetic and sums on every thread there is, as the reference: out[n][components] of an
 * output field. The interaction must have its parameters and tables; its choices are put back. */
int bench_reference(bench *b, myr_interaction *f, myr_particles *particles, const char *output, double *out);

/* The cells pairs_per_s, bound_fraction, issue, emitted, and the columns they go into. */
void bench_write_speed(bench *b, const bench_speed *speed);
#define BENCH_SPEED_COLUMNS                                                                                            \
    {"pairs_per_s", "pairs/s", 11, "%.3g"}, {"bound_fraction", "of bound", 10, "%.3f"},                                \
        {"issue", "minimal", 9, "%.0f"},                                                                               \
    {                                                                                                                  \
        "emitted", "emitted", 9, "%.1f"                                                                                \
    }

#endif
