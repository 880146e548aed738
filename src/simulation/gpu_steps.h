/* gpu_steps.h - bodies and vortex elements that stay on a GPU between steps. This kind of motion of bodies begins when
 * bodies started on the processor move to the GPU, and ends when the GPU is given up. */
#ifndef MYR_SIMULATION_GPU_STEPS_H
#define MYR_SIMULATION_GPU_STEPS_H

#include "interaction/interaction.h"
#include "simulation/motions.h"

struct myr_gpu_state {
    struct myr_cuda_motion *device; /* particles on the GPU; null = not on the GPU */
    int ahead;                      /* 1 = the particles on the GPU are ahead of the particle set */
    int64_t batch;                  /* fixed steps between two synchronisations */
    int decided;                    /* 1 = it has been decided whether the particles can stay on the GPU */
    /* methods with a far field: the settings of the method */
    double used[MYR_METHOD_PARAMETERS];
};

/* Moves the particles to the GPU if the interaction is evaluated there and the integrator can run there; otherwise does
 * nothing. Decided once after the motion was started on the processor. */
myr_status myr_gpu_steps_open(myr_simulation *s);

/* Returns 1 if the particles are on the GPU. */
int myr_gpu_steps_has_particles(const myr_simulation *s);

/* Copies particles that are on the GPU to the particle set. */
myr_status myr_gpu_steps_fetch(myr_simulation *s);

/* Makes steps on the GPU; see myr_simulation_advance. */
myr_status myr_gpu_steps_advance(myr_simulation *s, double end, double until, int64_t most);

/* Returns particles that are on the GPU to the processor, which moves them from then on. */
myr_status myr_gpu_steps_leave(myr_simulation *s);

#endif
