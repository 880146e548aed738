/* stage.h - particles kept in the layout of the loops between evaluations, so that a step of a few particles does not
 * convert all of them again: integrators predict directly into the source arrays. */
#ifndef MYR_INTERACTION_STAGE_H
#define MYR_INTERACTION_STAGE_H

#include "interaction/interaction.h"

typedef struct myr_stage myr_stage;

/* Motion of every particle about its own time: x + v dt + a dt^2/2 + j dt^3/6, dt = time - own[i]. Null acceleration or
 * jerk counts as zero, null own times as `time`. Component arrays of n doubles. */
typedef struct {
    double time;
    const double *own;
    const double *position[3], *velocity[3], *acceleration[3], *jerk[3];
} myr_prediction;

/* Creates a stage of a self-interacting set. Gravitating particles of mass 0 at its end are no sources, except in far
 * fields of a GPU: they cost as many pairs as there are others. Fields other than position and velocity are read now;
 * after a change call myr_stage_refresh. */
myr_status myr_stage_create(myr_interaction *f, const myr_particles *particles, myr_stage **stage);

/* Frees the stage and clears the pointer. */
void myr_stage_destroy(myr_stage **stage);

/* Moves all particles of the stage to a time. */
void myr_stage_predict(myr_stage *stage, const myr_prediction *prediction);

/* Copies the values of a field again; no effect if the kernel does not read it. */
void myr_stage_refresh(myr_stage *stage, const char *field, int components, double *const *value);

/* Copies values for the targets alone, which from then on differ from the sources'. */
myr_status myr_stage_refresh_targets(myr_stage *stage, const char *field, int components, double *const *value);

/* Sums for the n listed particles (null = all) at the positions in the stage: value[k][i] for output component k and
 * entry i of the list. */
myr_status myr_stage_evaluate(myr_stage *stage, int64_t n, const int64_t *index, double *const *value);

/* Evaluates particles of which each rank has some, those of its stage, as myr_shared_run_divided; collective. */
myr_status myr_stage_evaluate_divided(myr_stage *stage, const int64_t *row, int64_t all, double *const *value,
                                      int *refused);

/* Lets ranks that all have the particles and make the same calls share evaluations of at least so many pairs, and work
 * alone on smaller ones (shared_run.h); 0 = no evaluation is shared. */
void myr_stage_share(myr_stage *stage, double pairs);

/* Instruction set that evaluates. */
const char *myr_stage_isa(const myr_stage *stage);

/* Number of coincident pairs skipped by all evaluations of the stage. */
int64_t myr_stage_skipped(const myr_stage *stage);

/* Pairs that the last myr_stage_evaluate evaluated one by one. */
int64_t myr_stage_pairs(const myr_stage *stage);

/* Number of sources: the first particles of the stage. */
int64_t myr_stage_sources(const myr_stage *stage);

/* For particles kept on a GPU: the GPU (null = none), and the evaluation with the current grids. */
const struct myr_gpu *myr_stage_gpu(const myr_stage *stage);
const myr_direct *myr_stage_job(myr_stage *stage);

/* Chooses the grids of `fixed` sums for the positions in the stage, as the next evaluation of all particles would. */
myr_status myr_stage_choose_grids(myr_stage *stage);

/* First lane component of the sources' velocity; -1 = they have none. */
int myr_stage_velocity(const myr_stage *stage);

/* Keeps arrays on the GPU for an integrator. vector: field, besides the position, that the integrator changes; see
 * myr_method_table.open_motion. */
myr_status myr_stage_open_motion(myr_stage *stage, const char *vector, int arrays, int scratch, double *const *array,
                                 struct myr_cuda_motion **motion);

#endif
