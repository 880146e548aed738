/* fmm_divided.h - definitions shared by the files of evaluations whose particles are divided among ranks:
 * fmm_divided.c, fmm_divided_take.c. */
#ifndef MYR_METHOD_FMM_FMM_DIVIDED_H
#define MYR_METHOD_FMM_FMM_DIVIDED_H

#include "domain/blocks.h"
#include "method/fmm/fmm_inside.h"
#include "method/tree/essential.h"

typedef struct {
    myr_fmm *fmm;
    fmm_run *run;              /* the evaluation; with the essential tree in the end */
    const myr_direct *problem; /* all particles; `particles` are those of this rank */
    myr_context *context;
    int ranks, me;
    uint64_t *cut; /* [ranks + 1] */
    myr_direct particles;
    void *reals;                 /* arrays of `particles` */
    int64_t all;                 /* number of particles of all ranks */
    int64_t *row;                /* [particles]: index among all particles */
    int64_t *arrival;            /* [particles]: place in the blocks received */
    int64_t *departure;          /* [rows]: rows of this rank, in the order of the blocks sent */
    int64_t *sent_to, *got_from; /* [ranks + 1]: first of `departure` for each rank, and first arrival from it */
    fmm_run own; /* with the tree of this rank's particles: their series, and the particles in its order */
    myr_essential e;
    int32_t *translations; /* [cells] */
    int64_t *pairs;        /* [cells] */
    double seconds, cost;  /* spent in exchanges; measured cost of this rank's leaves in seconds */
    int64_t sent;
    int moved; /* 1 = the cuts are not those of the last evaluation */
} fmm_divided;

/* Reals of a particle in a message: those of a source, then fields of a target. */
static inline int64_t fmm_divided_reals(const myr_unit *u)
{
    return u->source_lanes + u->target_lanes - u->desc->coords * u->coord_lanes;
}

myr_status myr_fmm_divided_no_memory(const fmm_divided *d);

/* Gives this rank the particles of its part of the curve, and writes root and leaf of the tree to the options. */
myr_status myr_fmm_divided_take(fmm_divided *d, myr_octree_options *options);

#endif
