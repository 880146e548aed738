/* far_cells_args.h - arguments of the device kernels of far_cells.cuh and far_groups.cuh; rules as in far_args.h. */
#ifndef MYR_BACKEND_CUDA_FAR_CELLS_ARGS_H
#define MYR_BACKEND_CUDA_FAR_CELLS_ARGS_H

#include "backend/cell_rule.h"
#include "backend/cuda/far_args.h"

enum {
    MYR_FAR_STACK = 1024, /* cells that a walk of a warp has still to visit, at most */
    MYR_FAR_READ = 8      /* largest number of fields on a sphere */
};

/* Moments of a cell, as myr_cell_moments_cell. */
typedef struct {
    double mean[3], centre[3], radius, size, net[CELL_STRENGTHS], spread, furthest, core, velocity[3], second[6],
        change[6];
    int64_t acting; /* number of particles that act on others */
} myr_far_moments;

/* What a walk reads of a cell. */
typedef struct {
    double centre[3];
    double open, error[2]; /* as cell_rule_open and cell_rule_error */
    int32_t first, count;  /* particles */
    int32_t acting;        /* how many of them act on others */
    int32_t whole;         /* 1 = these are from `first` on, with none between them that does not act */
    int32_t child, children;
} myr_far_node;

/* Arguments of the passes with pseudo-particles. Pseudo-particle k of cell c is record n + c * points + k; places of
 * cells without pseudo-particles stay empty. */
typedef struct {
    myr_far_lists lists; /* cells, and the pools of the lists */
    myr_far_moments *moments;
    myr_far_node *node;
    double *charge;       /* [cells][strengths][points]: charges on spheres */
    const double *design; /* [3][points]: points of a sphere; [order] and [order]: recurrence of cell_weights.h */
    void *record;         /* particles in tree order, then pseudo-particles, reals [n + cells * points][stride] */
    int64_t n;
    cell_rule rule;
    double lattice, fitted; /* radius of spheres in cells' sides, or (lattice 0) in distances of the furthest source */
    int32_t points;         /* pseudo-particles of a cell with more particles that act than that */
    int32_t strengths;      /* components of a strength */
    int32_t strength;       /* lane component of the first of these */
    int32_t velocity, core; /* lane components of the velocity and of the core; -1 = none */
    int32_t real_bytes, coord_lanes, stride; /* of the records */
    int32_t begin, end;                      /* cells of the pass */
    /* pseudo-particle method: point k of the inner sphere of cell c is record n + (cells + c) * points + k */
    double *field;            /* [fields][cells * points]: fields at the points of inner spheres */
    myr_far_leaf *across;     /* [cells]: lists of what acts on inner spheres */
    myr_far_item *point_item; /* [cells][items of a sphere]: points of inner spheres as targets */
    int32_t *point_order;     /* [cells * points]: identity */
    double *sum;              /* [n][sums]: far field of each particle in tree order */
    int32_t fields, sums;
    int32_t slopes;         /* 1 = sums are fields, then gradients of fields; 0 = sums are the fields */
    int32_t sum_first;      /* number of the first sum among fields and gradients */
    int32_t group;          /* largest number of targets of a group */
    int32_t with_potential; /* 1 = the kernel has a potential */
    int32_t ordered;        /* 1 = sums have the order of the processor (portable arithmetic) */
    double period;          /* of a periodic box, along the axes of lists.periodic; 0 = none */
    int32_t inner_level;    /* coarsest level with inner spheres */
} myr_far_cells;

#endif
