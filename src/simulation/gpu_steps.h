/* gpu_steps.h - bodies whose particles stay on a GPU between steps. The kind of motion begins when bodies that were
 * started on the processor move there, and ends when the GPU is given up. */
#ifndef MYR_SIMULATION_GPU_STEPS_H
#define MYR_SIMULATION_GPU_STEPS_H

#include "simulation/motions.h"

struct myr_gpu_state {
    struct myr_cuda_motion *device; /* the particles on the GPU; null = they are not there */
    int ahead;                      /* 1 if the particles on the GPU have moved on from the particle set */
    int64_t batch;                  /* fixed steps between two looks at the GPU */
    int asked;                      /* 1 if it has been decided whether the particles can live on the GPU */
};

/* Moves the particles to the GPU where the interaction is evaluated there and the integrator can work there; otherwise
 * nothing changes. Decided once after the motion has been started on the processor. */
myr_status myr_gpu_steps_open(myr_simulation *s);

/* 1 if the particles are on the GPU. */
int myr_gpu_steps_has_particles(const myr_simulation *s);

/* Steps there; see myr_simulation_advance. */
myr_status myr_gpu_steps_advance(myr_simulation *s, double end, double until, int64_t most);

#endif
