/* bench_lj_paper.h - molecular dynamics as paper 003 writes it, for comparison: its Algorithms 3 to 8 on the same
 * particles. One core, double arithmetic, plain C. */
#ifndef MYR_CLI_BENCH_BENCH_LJ_PAPER_H
#define MYR_CLI_BENCH_BENCH_LJ_PAPER_H

#include <stdint.h>

typedef struct lj_paper lj_paper;

typedef struct {
    double seconds, force_seconds, list_seconds; /* of one core */
    int64_t builds;                              /* of the list */
} lj_paper_times;

/* Algorithm k: its name; null past the end. */
const char *lj_paper_algorithm(int k);

/* Particles in a cubic periodic box: q[3][n] and p[3][n] are copied; with the labels shuffled, as after a long time
 * without sorting (Fig. 8). Null where memory is short. */
lj_paper *lj_paper_create(int64_t n, double length, const double *const q[3], const double *const p[3], int shuffled);
void lj_paper_destroy(lj_paper **paper);

/* Makes steps with algorithm k; particles are sorted with every tenth list, or never. The first list is built before
 * the clock runs. 0, or 1 where memory is short. */
int lj_paper_run(lj_paper *paper, int k, int64_t steps, int sorted, lj_paper_times *times);

/* The temperature, from the kinetic energy: 2 E / (3 n). */
double lj_paper_temperature(const lj_paper *paper);

#endif
