/* bench_lj.h - what the parts of `myriad bench lj` share: a Lennard-Jones system in reduced units, and the time that
 * somebody takes for its steps. */
#ifndef MYR_CLI_BENCH_BENCH_LJ_H
#define MYR_CLI_BENCH_BENCH_LJ_H

#include "bench/bench.h"

/* A face-centred cubic start in a periodic cube. */
typedef struct {
    int64_t n;
    double density, length;
    double edges[3];    /* of a box that is no cube; else 0 */
    double speed;       /* of every particle, in any direction; 0 = Maxwell's velocities of the temperature */
    double temperature; /* where speed is 0 */
    double cutoff, skin, dt;
    const char *cut;      /* how the potential ends, for us: LAMMPS and GROMACS truncate */
    int64_t warm, steps;  /* before the clock runs, and while it does */
    myr_particles *start; /* positions in [-length/2, length/2) */
    int64_t first;        /* of ranks: the row of the first of them */
    /* of a mixture, [types][types]; types 0 = one type with epsilon = sigma = 1 and the cutoff above */
    int types;
    const double *epsilon, *sigma, *cutoffs;
} lj_system;

/* What the steps of the clock took. NaN = not known. */
typedef struct {
    double seconds; /* of one core */
    double force, list, proof;
    double lifetime; /* steps per list */
    double pairs;    /* in a list, per particle */
    double temperature;
} lj_time;

/* Sets the length, and makes the particles. */
int lj_system_make(bench *b, lj_system *s);

/* The system of paper 003, section 4.5, with 4 cells^3 particles in a cube; no particles yet. */
lj_system lj_paper_system(const bench *b, int64_t cells);

/* Velocities of the system's speed in any direction, for its particles. */
void lj_system_speeds(lj_system *s);

/* A simulation of it, and steps with one. */
int lj_simulation(bench *b, const lj_system *s, const char *arithmetic, const char *accumulator,
                  myr_simulation **simulation);
int lj_steps(bench *b, myr_simulation *simulation, int64_t steps);

/* Our own steps: with an arithmetic and an accumulator. Where `after` is not null, a copy of the particles as they are
 * when the clock starts. */
int lj_time_myriad(bench *b, const lj_system *s, const char *arithmetic, const char *accumulator, lj_time *time,
                   myr_particles **after);

/* --- bench_lj_ranks.c: on the ranks of a launcher --- */

int bench_lj_ranks(bench *b);

/* --- bench_lj_gpu.c: on a GPU --- */

int bench_lj_gpu(bench *b);

/* --- bench_lj_others.c --- */

/* The same system by programs of others, each in a folder of its own that goes away: 1 where the program is there and
 * its time was understood, else 0. */
int lj_time_lammps(bench *b, const lj_system *s, const char *style, lj_time *time);
int lj_time_gromacs(bench *b, const lj_system *s, lj_time *time);

#endif
