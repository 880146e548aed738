/* ensemble_stars.h - systems of bodies that move together on a GPU by the Hermite scheme with block steps, each with
 * the bits that it has alone. */
#ifndef MYR_SIMULATION_ENSEMBLE_STARS_H
#define MYR_SIMULATION_ENSEMBLE_STARS_H

#include "backend/gpu.h"
#include "simulation/simulation.h"

typedef struct myr_ensemble_stars myr_ensemble_stars;

/* Limits of a call, as in myr_ensemble_advance. */
typedef struct {
    double end, until;
    int64_t most;
} myr_ensemble_span;

/* Returns 1 if a simulation is of this kind, by its settings: bodies, and block steps. */
int myr_ensemble_stars_are(const myr_simulation *s);

/* Before a simulation starts: it shares the GPU, and uses it if its backend is auto and `required` is 1. */
void myr_ensemble_stars_prepare(myr_simulation *s, const myr_gpu *gpu, int required);

/* Takes those of n simulations that have started (status MYR_OK), which stay the caller's. Fails with a sentence about
 * the first one that cannot move there. */
myr_status myr_ensemble_stars_create(myr_context *context, const myr_gpu *gpu, int64_t n,
                                     myr_simulation *const *simulation, const myr_status *status,
                                     myr_ensemble_stars **stars);
void myr_ensemble_stars_destroy(myr_ensemble_stars **stars);

/* Steps of all systems whose status, of the n, is MYR_OK; the status of one that fails becomes the reason. Fails itself
 * if the GPU does, or with MYR_ERROR_CANCELLED if the progress callback of the context asks for that between two
 * launches. */
myr_status myr_ensemble_stars_advance(myr_ensemble_stars *e, const myr_ensemble_span *span, myr_status *status);

/* Device memory in bytes, blocks of a system and threads of a block, seconds of launches by the clock of the GPU. */
void myr_ensemble_stars_report(const myr_ensemble_stars *e, double *bytes, int *blocks, int *threads, double *seconds);

#endif
