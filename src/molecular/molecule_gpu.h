/* molecule_gpu.h - molecules that move on a GPU: one, or many replicas of it in the same launches. Each has the bits
 * that it has alone.
 *
 * The arrays of an engine are those at the end of the last call that fetched them; in between its state is on the
 * device. */
#ifndef MYR_MOLECULAR_MOLECULE_GPU_H
#define MYR_MOLECULAR_MOLECULE_GPU_H

#include "backend/gpu.h"
#include "molecular/molecular.h"

typedef struct myr_molecule_gpu myr_molecule_gpu;

/* Reason why a molecule cannot move on a GPU; null = it can. */
const char *myr_molecule_gpu_refusal(const myr_molecular *m);

/* Takes n engines, which have evaluated their forces or were loaded from a checkpoint, and whose molecules have equal
 * topologies, kernels and integrators; fails with a message in `context` if they do not. The engines outlive *gpu. */
myr_status myr_molecule_gpu_create(myr_context *context, const myr_gpu *gpu, int64_t n, myr_molecular *const *engine,
                                   myr_molecule_gpu **molecules);
void myr_molecule_gpu_destroy(myr_molecule_gpu **molecules);

/* Steps of equal length that start at time[0], time[1], ... and have the numbers step, step + 1, ... */
typedef struct {
    const double *time;
    double dt;
    int64_t step, most;
} myr_molecule_gpu_span;

/* Makes up to span->most steps of every engine whose status[r] is MYR_OK, in launches of at most 50 ms, and brings the
 * arrays up to date. *made receives the number of steps that all of these have made. An engine that fails gets a status
 * here and a message in its own context, and keeps the state before the step that failed; the others go on. Fails
 * itself only if the GPU does. */
myr_status myr_molecule_gpu_steps(myr_molecule_gpu *g, const myr_molecule_gpu_span *span, myr_status *status,
                                  int64_t *made);

/* Memory and time of the device, as in myr_molecular_gpu_report; threads and blocks per replica. */
void myr_molecule_gpu_report(const myr_molecule_gpu *g, myr_box_device *device, int *blocks, int *threads);

/* One molecule alone: moves it to a GPU if the interaction asks for one. Called before (decide) and after (seat) the
 * first forces, which the processor evaluates. */
myr_status myr_molecule_gpu_decide(myr_molecular *m, myr_interaction *f);
myr_status myr_molecule_gpu_seat(myr_molecular *m);

/* See myr_molecular_step. */
myr_status myr_molecule_gpu_step_one(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                                     int64_t *made);

#endif
