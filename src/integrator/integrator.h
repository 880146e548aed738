/* integrator.h - interface of an integrator: one file and one line in integrators.def.
 *
 * An integrator advances the variables of a particle set by rates that the caller evaluates; the integrator does not
 * know the forces. Its state is kept in arrays of the particle set (state fields, listed in its table) and in the
 * numbers of myr_integration, so that checkpoints need no code of the integrator. Integrators use only additions,
 * multiplications and square roots in a fixed order: the same bits on every machine. */
#ifndef MYR_INTEGRATOR_H
#define MYR_INTEGRATOR_H

#include <myriad/simulation.h>

#include "backend/motion.h"

enum {
    MYR_MOTION_VARIABLES = 12, /* largest number of variable components */
    MYR_INTEGRATOR_STATE = 16, /* largest number of state values per particle */
    MYR_INTEGRATOR_PARAMETERS = 8,
    MYR_NUMBER_LONGEST = 7 /* index in myr_integration.number of the longest step that the rates allow */
};

/* Functions that evaluate rates. */
typedef struct {
    /* Evaluates the rates of all particles at the present variables. */
    myr_status (*rates)(void *user, double time);
    /* Accelerations and jerks of the n listed particles (index null = all), with every particle predicted from its own
     * time to `time`; out[0..2] accelerations, out[3..5] jerks, each [n] in the order of the list. */
    myr_status (*predicted)(void *user, double time, const double *own, int64_t n, const int64_t *index,
                            double *const out[6]);
    void *user;
} myr_rates;

/* Support of an integrator on the GPU. */
typedef enum {
    MYR_RESIDENT_NOT,
    MYR_RESIDENT_FIXED, /* runs on the GPU: changes arrays by myr_integrator_sum and rates.rates only */
    MYR_RESIDENT_BLOCKS /* hermite4 has its own GPU implementation, backend/cuda/motion.cuh */
} myr_resident;

typedef struct {
    myr_context *context;
    int64_t n;
    const int64_t *ids; /* [n], particle ids, for error messages */
    /* First-order motion: variable[k] changes at rate[k]; component arrays [n] of the particle set. */
    int variables;
    double *variable[MYR_MOTION_VARIABLES], *rate[MYR_MOTION_VARIABLES];
    /* Second-order motion: positions, velocities, accelerations, and jerks (null if the kernel has none), each [n]. */
    double *x[3], *v[3], *a[3], *j[3];
    double *state[MYR_INTEGRATOR_STATE]; /* state fields of the table, each [n] */
    double parameter[MYR_INTEGRATOR_PARAMETERS];
    myr_rates rates;
    /* If the arrays are on a GPU: replaces myr_integrator_sum; otherwise null. */
    myr_status (*sum)(void *user, const motion_sum *sum);
    double time;         /* of the variables; with block steps: end of the last block step */
    double shown;        /* time shown to the caller: a time asked for that equals `time` up to rounding, or to which
                          * particles with block steps are predicted; otherwise `time`. The motion does not use it. */
    double until;        /* time asked for by the caller (myr_simulation_advance) */
    double origin, unit; /* fixed steps are counted from this time on, in this unit (clock.h); unit 0 = none made */
    double number[8];    /* further state; the last is the longest step that the rates allow, 0 = any */
    int64_t steps, particle_steps, active;
    int started;
    int64_t *index; /* scratch for n indices */
    double *room;   /* scratch for max(3 x variables, 6) x n doubles, not preserved between steps */
} myr_integration;

/* Integrators of particles in a box, whose steps src/molecular makes, and the order of their parameters. */
enum {
    MYR_MOLECULAR_NOT,
    MYR_MOLECULAR_VERLET,
    MYR_MOLECULAR_LANGEVIN,
    MYR_MOLECULAR_NOSE_HOOVER,
    MYR_MOLECULAR_BERENDSEN
};
enum {
    MYR_MOLECULAR_STEP,
    MYR_MOLECULAR_TEMPERATURE,
    MYR_MOLECULAR_TEMPERATURE_END,
    MYR_MOLECULAR_RAMP,
    MYR_MOLECULAR_COUPLING, /* friction rate (langevin), or period (nose_hoover, berendsen) */
    MYR_MOLECULAR_CHAIN
};

typedef struct {
    myr_integrator_info info;
    int molecular;            /* MYR_MOLECULAR_...; if nonzero, the fields below are unused */
    const char *const *state; /* names of the state fields, one value per particle each, ended by null */
    int state_per_variable;   /* 1 = one such field per variable: name_0, name_1, ... */
    int second_order;         /* 1 = needs x, v and a */
    myr_resident resident;
    int columns; /* columns of `room` per variable that MYR_RESIDENT_FIXED uses */
    myr_status (*start)(myr_integration *s);
    myr_status (*step)(myr_integration *s, double end);
    /* Writes positions and velocities at s->shown to x[3], v[3]; null if all particles are always at that time. */
    void (*synchronise)(const myr_integration *s, double *const x[3], double *const v[3]);
    /* Present step of particle i; null = parameter 0. */
    double (*step_of)(const myr_integration *s, int64_t i);
} myr_integrator_table;

/* Table k of integrators.def, or null past the last. */
const myr_integrator_table *myr_integrator_at(int k);

/* Computes a sum for all particles. This and the functions below fail only on a GPU error. */
myr_status myr_integrator_sum(const myr_integration *s, const motion_sum *sum);

/* to[c] = from[c]. */
myr_status myr_integrator_copy(const myr_integration *s, double *const *to, const double *const *from, int components);

/* to[c] += factor * from[c]. */
myr_status myr_integrator_add(const myr_integration *s, double *const *to, const double *const *from, int components,
                              double factor);

#endif
