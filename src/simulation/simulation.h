/* simulation.h - the inside of a simulation. */
#ifndef MYR_SIMULATION_H
#define MYR_SIMULATION_H

#include <myriad/molecular.h>
#include <myriad/simulation.h>

#include "core/context.h"
#include "integrator/integrator.h"
#include "interaction/stage.h"
#include "molecular/molecular.h"

enum { MYR_SIMULATION_EXTERNALS = 16 };

/* A block of bytes that the user wants kept in checkpoints. */
typedef struct myr_attachment {
    struct myr_attachment *next;
    char name[23]; /* with its kind a section name of the checkpoint */
    size_t size;
    unsigned char bytes[];
} myr_attachment;

/* What the particles that a rank begins with are of all. Where all ranks have made the same set, it is the whole, and
 * each takes [keep_first, keep_last) of it. */
typedef struct {
    int given; /* by the user */
    int known; /* to all ranks */
    int same;
    myr_molecular_part rows;
    int64_t keep_first, keep_last;
} myr_simulation_part;

/* One simulation on several ranks. */
typedef struct {
    struct myr_domains *domains; /* division of the box among the ranks; null = the box is not divided */
    myr_simulation_part part;    /* rows of all particles that this rank begins with */
    myr_rank_options options;
    int64_t batch;           /* steps of one advance, which all ranks must make alike */
    int depth;               /* depth of nested calls of the public interface */
    int leads;               /* 1 if other ranks follow the calls of this one */
    int open;                /* 1 if all ranks make the outermost call */
    struct myr_clock *clock; /* times of the steps; null = nobody has asked for them */
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
    myr_simulation_ranks_state ranks;
    myr_stage *stage;                       /* the interaction between the particles; null = there is none */
    double *output[MYR_KERNEL_OUTPUTS_MAX]; /* results of an evaluation, n each */
    double *before;                         /* variables, rates and the integrator's state before the step */
    myr_particles *synchronous;             /* copy of the particles at the simulation's time */
    struct myr_kept *kept;                  /* copy of the particles at an earlier time; null = none */
    myr_interaction *energy;                /* interaction that gives the potential in double arithmetic */
    int64_t pairs;                          /* pair evaluations so far */
    double force_seconds, step_seconds;
    myr_attachment *attached;
};

/* Another set takes the place of the particles, and the motion starts from that set at the current time. The simulation
 * owns the set in any case. */
myr_status myr_simulation_replace(myr_simulation *s, myr_particles *p);

/* Frees whatever the first step or a restart made, for all kinds of motion. */
void myr_simulation_release(myr_simulation *s);

#endif
