/* simulation.h - internal state of a simulation. */
#ifndef MYR_SIMULATION_H
#define MYR_SIMULATION_H

#include <myriad/molecular.h>
#include <myriad/simulation.h>

#include "core/context.h"
#include "integrator/integrator.h"
#include "interaction/stage.h"
#include "molecular/molecular.h"

enum { MYR_SIMULATION_EXTERNALS = 16 };

/* Block of bytes that the user keeps in checkpoints. */
typedef struct myr_attachment {
    struct myr_attachment *next;
    char name[23]; /* with its kind, a section name of the checkpoint */
    size_t size;
    unsigned char bytes[];
} myr_attachment;

/* Initial particles of a rank as a part of all. If all ranks have made the same set, it is the whole set, and each rank
 * takes rows [keep_first, keep_last). */
typedef struct {
    int given; /* 1 = set by the user */
    int known; /* 1 = all ranks know all parts */
    int same;
    myr_molecular_part rows;
    int64_t keep_first, keep_last;
} myr_simulation_part;

/* Forcing of a fluid in a cube: energy per mass and time given to waves of up to `shell` times the lowest wave
 * number; power 0 = none. */
typedef struct {
    double power, shell;
} myr_forcing;

/* Data of a simulation on several ranks. */
typedef struct {
    struct myr_box_domains *domains; /* division of the box among the ranks; null = undivided */
    myr_simulation_part part;        /* rows of all particles that this rank begins with */
    char *names;                     /* rank 0: names of particles by rows (ranks/row_names.h); null = none */
    myr_rank_options options;
    int64_t batch;           /* number of steps of one advance, the same on all ranks */
    int depth;               /* depth of nested calls of public functions */
    int leads;               /* 1 = other ranks follow the calls of this rank */
    int follows;             /* 1 = this rank executes a command of rank 0 */
    int open;                /* 1 = all ranks make the outermost call */
    struct myr_clock *clock; /* times of the steps; null = not requested */
    int joined;              /* 1 = all ranks have the same particles, and share evaluations (ranks/replicas.h) */
    double share_from;       /* pairs from which they share one */
    int64_t evaluations;     /* number of evaluations of the interaction */
} myr_simulation_ranks_state;

struct myr_simulation {
    myr_context *context;
    myr_particles *particles;
    myr_interaction *interaction;
    myr_external *external[MYR_SIMULATION_EXTERNALS];
    int externals;
    const myr_integrator_table *table;
    myr_integration motion;
#define MYR_MOTION(name) struct myr_##name##_state *name; /* settings and state of one kind of motion (motions.h) */
#include "simulation/motions.def"
#undef MYR_MOTION
    myr_forcing forcing;
    myr_simulation_ranks_state ranks;
    myr_stage *stage;                       /* interaction between the particles; null = none */
    double *output[MYR_KERNEL_OUTPUTS_MAX]; /* [n] each: results of an evaluation */
    double *before;                         /* variables, rates and the integrator's state before the step */
    myr_particles *synchronous;             /* copy of the particles at the simulation's time */
    struct myr_kept *kept;                  /* copy of the particles at an earlier time; null = none */
    myr_interaction *energy;                /* interaction with the potential as output, in double arithmetic */
    int64_t pairs;                          /* number of pair evaluations */
    double force_seconds, step_seconds;
    myr_attachment *attached;
};

/* Frees the allocations of the first step or a restart, for all kinds of motion. */
void myr_simulation_release(myr_simulation *s);

#endif
