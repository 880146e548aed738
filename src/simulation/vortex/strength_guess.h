/* strength_guess.h - first guess of the strengths of an evaluation, from the solutions of earlier ones in the same
 * step. */
#ifndef MYR_SIMULATION_VORTEX_STRENGTH_GUESS_H
#define MYR_SIMULATION_VORTEX_STRENGTH_GUESS_H

#include "simulation/simulation.h"

/* Solutions of a step. Nothing is kept beyond its end, so that a restart continues with the same bits. */
enum { MYR_STRENGTH_GUESSES = 3 };
typedef struct {
    int64_t n; /* number of elements */
    int known;
    double time[MYR_STRENGTH_GUESSES];
    double *strength[MYR_STRENGTH_GUESSES]; /* [3][n] each */
} myr_strength_guess;

/* Keeps the strengths found at a time within the present step; at its beginning, the first ones. */
myr_status myr_strength_guess_keep(myr_simulation *s, double time, double *const strength[3]);

/* Replaces strengths, those of the last solution, by an extrapolation to a time within the present step. */
void myr_strength_guess_make(const myr_simulation *s, double time, double *const strength[3]);

/* After a step: the same for its end; the solutions are forgotten. */
void myr_strength_guess_finish(myr_simulation *s, double *const strength[3]);

void myr_strength_guess_release(myr_simulation *s);

#endif
