/* steps.h - steps on the processor by the integrators of src/integrator, for every kind of motion whose table has
 * variables and rates. */
#ifndef MYR_SIMULATION_STEPS_H
#define MYR_SIMULATION_STEPS_H

#include "simulation/motions.h"

/* Allocates everything needed by steps: fields, variables, stage. myr_steps_prepare before the first step,
 * myr_steps_resume after a restart. */
myr_status myr_steps_prepare(myr_simulation *s);
myr_status myr_steps_resume(myr_simulation *s, const myr_checkpoint *file);

/* myr_steps_prepare for kinds of motion of which every rank has all particles (ranks/replicas.h); collective. */
myr_status myr_steps_prepare_together(myr_simulation *s);

/* Frees the allocations of prepare. */
void myr_steps_release(myr_simulation *s);

/* Starts the integrator. */
myr_status myr_steps_start(myr_simulation *s);

/* Makes one step; a failed step leaves no trace. */
myr_status myr_steps_advance(myr_simulation *s, double end, double until, int64_t most);

/* Grids of the interaction's fixed-point sums and their age, which evaluations change. */
typedef struct {
    myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS];
    int64_t age;
} myr_steps_grids;

/* Copies the interaction's grids to `grids`, or back. */
void myr_steps_copy_grids(myr_simulation *s, int back, myr_steps_grids *grids);

/* Appends pairs of a variable and its rate (component arrays of fields) to the variables of the motion. */
void myr_steps_add_variables(myr_integration *m, double *const *variable, double *const *rate, int components);

/* Component arrays of a field of the particles; the field is added if missing. */
myr_status myr_steps_field(myr_simulation *s, const char *name, int components, double **array);

#endif
