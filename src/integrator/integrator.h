/* integrator.h - what an integrator is: one file and one line in integrators.def.
 *
 * An integrator moves the variables of a set of particles by rates that somebody else evaluates; it does not know what
 * acts. Everything that it must remember is in arrays of the particle set (state fields, listed in its table) and in
 * the numbers of myr_integration, so a checkpoint needs no help from it. Only additions, multiplications and square
 * roots are used, in a fixed order: the same bits on every machine. */
#ifndef MYR_INTEGRATOR_H
#define MYR_INTEGRATOR_H

#include <myriad/simulation.h>

enum {
    MYR_MOTION_VARIABLES = 12, /* components at most */
    MYR_INTEGRATOR_STATE = 16, /* state numbers per particle at most */
    MYR_INTEGRATOR_PARAMETERS = 8,
    MYR_NUMBER_LONGEST = 7 /* of myr_integration.number */
};

/* Who evaluates rates. */
typedef struct {
    /* Rates of all particles at the variables as they stand. */
    myr_status (*rates)(void *user, double time);
    /* Accelerations and jerks of the listed particles (null = all) when every particle is moved to `time` by the
     * prediction of its own time; out[0..2] accelerations, out[3..5] jerks, entry by entry of the list. */
    myr_status (*predicted)(void *user, double time, const double *own, int64_t n, const int64_t *index,
                            double *const out[6]);
    void *user;
} myr_rates;

/* How much of an integrator a GPU can do. */
typedef enum {
    MYR_RESIDENT_NOT,
    MYR_RESIDENT_FIXED, /* it only calls myr_integrator_add and rates.rates */
    MYR_RESIDENT_BLOCKS /* hermite4: backend/cuda/motion.cuh knows it */
} myr_resident;

typedef struct {
    myr_context *context;
    int64_t n;
    const int64_t *ids; /* for messages */
    /* first order: variable[k] changes at rate[k]. Component arrays of the particle set. */
    int variables;
    double *variable[MYR_MOTION_VARIABLES], *rate[MYR_MOTION_VARIABLES];
    /* second order: positions, velocities, accelerations, jerks (null where the kernel has none) */
    double *x[3], *v[3], *a[3], *j[3];
    double *state[MYR_INTEGRATOR_STATE]; /* the table's state fields */
    double parameter[MYR_INTEGRATOR_PARAMETERS];
    myr_rates rates;
    /* Where the arrays are on a GPU: does what myr_integrator_add does, for three components; null otherwise. */
    myr_status (*add)(void *user, double *const *to, const double *const *from, double factor);
    double time;
    double number[8]; /* what else must be remembered; the last is the longest step that the rates allow, 0 = any */
    int64_t steps, particle_steps, active;
    int started;
    int64_t *index; /* room for n indices */
    double *room;   /* room for 3 x variables x n doubles, at least 6 n; nothing stays there between steps */
} myr_integration;

/* Integrators of particles in a box, which src/molecular moves; their parameters are in this order. */
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
    MYR_MOLECULAR_COUPLING, /* friction, or a period */
    MYR_MOLECULAR_CHAIN
};

typedef struct {
    myr_integrator_info info;
    int molecular;            /* MYR_MOLECULAR_...: then nothing below is used */
    const char *const *state; /* names of its state fields, one number per particle each, ended by null */
    int state_per_variable;   /* 1 = one such field per variable: name_0, name_1, ... */
    int second_order;         /* needs x, v, a */
    myr_resident resident;
    myr_status (*start)(myr_integration *s);
    myr_status (*step)(myr_integration *s, double end);
    /* Fills x[3], v[3] with positions and velocities at s->time; null where all particles are at that time anyway. */
    void (*synchronise)(const myr_integration *s, double *const x[3], double *const v[3]);
    /* Current step of particle i; null = parameter 0. */
    double (*step_of)(const myr_integration *s, int64_t i);
} myr_integrator_table;

/* Table k of integrators.def, or null past the end. */
const myr_integrator_table *myr_integrator_at(int k);

/* The length of the next fixed step: parameter dt, halved until it is no longer than the rates allow, and shortened to
 * reach `end` without a tiny rest. */
double myr_integrator_fixed_step(const myr_integration *s, double end);

/* to[c] += factor * from[c] over all particles. Fails only where a GPU does. */
myr_status myr_integrator_add(const myr_integration *s, double *const *to, const double *const *from, int components,
                              double factor);

#endif
