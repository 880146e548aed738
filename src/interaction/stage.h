/* stage.h - particles kept as the loops want them between evaluations, so that a step of a few particles does not
 * convert all of them again: integrators predict straight into the source arrays. */
#ifndef MYR_INTERACTION_STAGE_H
#define MYR_INTERACTION_STAGE_H

#include "interaction/interaction.h"

typedef struct myr_stage myr_stage;

/* The motion of every particle about a time of its own: x + v dt + a dt^2/2 + j dt^3/6, dt = time - own[i]. Null
 * acceleration or jerk count as zero, null own times as `time`. Component arrays of n doubles. */
typedef struct {
    double time;
    const double *own;
    const double *position[3], *velocity[3], *acceleration[3], *jerk[3];
} myr_prediction;

/* Makes a stage of a set that acts on itself. Fields other than position and velocity are read now; who changes one
 * says so (myr_stage_refresh). */
myr_status myr_stage_create(myr_interaction *f, const myr_particles *particles, myr_stage **stage);

/* Frees it and clears the pointer. */
void myr_stage_destroy(myr_stage **stage);

/* Moves all particles of the stage to a time. */
void myr_stage_predict(myr_stage *stage, const myr_prediction *prediction);

/* Takes the values of a field again; nothing where the kernel does not read it. */
void myr_stage_refresh(myr_stage *stage, const char *field, int components, double *const *value);

/* The same for the targets alone, which from then on have values of their own. */
myr_status myr_stage_refresh_targets(myr_stage *stage, const char *field, int components, double *const *value);

/* Sums for the n listed particles (null = all) where the stage has them: value[k][i] for output component k and entry i
 * of the list. */
myr_status myr_stage_evaluate(myr_stage *stage, int64_t n, const int64_t *index, double *const *value);

/* Pairs at the same place that all evaluations of the stage together left out. */
int64_t myr_stage_skipped(const myr_stage *stage);

/* For those who keep the particles on a GPU: it (null = none), the evaluation as it stands with the grids of now, and
 * the first lane component of a source's velocity (-1 = none). */
const struct myr_gpu *myr_stage_gpu(const myr_stage *stage);
const myr_direct *myr_stage_job(myr_stage *stage);
int myr_stage_velocity(const myr_stage *stage);

#endif
