/* simulation.h - the inside of a simulation. */
#ifndef MYR_SIMULATION_H
#define MYR_SIMULATION_H

#include <myriad/molecular.h>
#include <myriad/simulation.h>

#include "core/context.h"
#include "domain/mesh.h"
#include "integrator/integrator.h"
#include "interaction/stage.h"
#include "method/spectral/spectral.h"
#include "molecular/molecular.h"

enum { MYR_SIMULATION_EXTERNALS = 16 };

/* Vortex elements that carry vorticity. */
typedef struct {
    double tolerance; /* of the strengths that are solved for; 0 = elements carry strengths */
    myr_solved solved;
    double *room;                   /* Laplacian of the vorticity at the elements, [3][n] */
    struct myr_gaussian_mesh *mesh; /* that the elements have come from; null = none is known */
    int64_t synchronised;           /* steps after which the synchronous set got its strengths; -1 = not since */
} myr_collocation;

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

struct myr_simulation {
    myr_context *context;
    myr_particles *particles;
    myr_interaction *interaction;
    myr_external *external[MYR_SIMULATION_EXTERNALS];
    int externals;
    const myr_integrator_table *table;
    myr_integration motion;
    int is_spectral;   /* the particles are a mesh of velocities */
    double viscosity;  /* of the fluid, on a mesh or in vortex elements */
    int is_exact;      /* the viscous term of the spectral method */
    double strain;     /* that elements may suffer in a step; 0 = any */
    double turning;    /* that they may do in a step: |vorticity| dt; 0 = any */
    double floor;      /* part of the largest vorticity down to which there are new elements; 0 = the usual */
    int exchanges;     /* viscosity exchanges strength between elements, and leaves their cores */
    double stream[3];  /* velocity of the fluid far away from all elements */
    double relaxation; /* rate at which strengths turn to the vorticity; 0 = they do not */
    myr_collocation collocation;
    myr_mesh mesh; /* those particles, and what moves them */
    myr_spectral *spectral;
    myr_stage *stage;
    struct myr_cuda_motion *device; /* the particles on a GPU; null = here */
    int device_ahead;               /* they have moved on there */
    int64_t device_batch;           /* fixed steps between two looks */
    int device_asked;               /* whether they could live there has been decided */
    myr_molecular_options molecular_options;
    int molecular_given;
    struct myr_molecular *molecular; /* the particles in a box; null = not, or not yet */
    struct myr_topology *topology;   /* of a molecule; null = the particles are free */
    struct myr_molecule *molecule;   /* bound to the interaction while the particles are in the engine */
    int exclusion_mode, rigid;
    myr_particles *anchors; /* where restraints hold particles that have been minimised since; null = where they are */
    int molecular_ahead;    /* they have moved on there */
    struct myr_domains *domains; /* of several ranks; null = the box is not divided */
    myr_simulation_part part;    /* of all particles, that this rank begins with */
    myr_rank_options rank_options;
    int64_t shared_batch;                   /* steps between two looks, where ranks must agree on it */
    int shared_depth;                       /* of calls of the public interface inside each other */
    int shared_leads;                       /* others follow */
    int shared_open;                        /* the outermost of these calls is made by all ranks */
    struct myr_clock *clock;                /* of steps; null = nobody has asked */
    double *output[MYR_KERNEL_OUTPUTS_MAX]; /* results of an evaluation, n each */
    double *before;                         /* the motion before the step, to go back to */
    myr_particles *synchronous;             /* particles at the simulation's time */
    struct myr_kept *kept;                  /* particles as they were; null = none */
    myr_interaction *energy;                /* potential in double arithmetic */
    int64_t pairs;
    double force_seconds, step_seconds;
    myr_attachment *attached;
};

/* Gets everything ready for steps: fields, motion, stage. Called by the first step and by a restart. */
myr_status myr_simulation_prepare(myr_simulation *s);

/* Another set takes the place of the particles, and the motion starts from it at the time of now. The simulation owns
 * it in any case. */
myr_status myr_simulation_replace(myr_simulation *s, myr_particles *p);

/* Frees what prepare made. */
void myr_simulation_release(myr_simulation *s);

#endif
