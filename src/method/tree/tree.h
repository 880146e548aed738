/* tree.h - modified tree code (Barnes 1990; paper 002, section 4.4): targets are divided into groups, and each group
 * has one list of sources, evaluated as tiles. A list holds particles and, for distant cells, pseudo-particles
 * (cell_moments.h). Pseudo-particles are sources like any other, so that every pair formula with an expansion and every
 * accumulator works.
 *
 * Pairs of particles are never approximated, softened or not. Softening applies to pseudo-particles as to particles:
 * with orders 1 and 2 a softened cell is exact to that order in its extent. Spheres (higher orders, strengths of both
 * signs) are exact for 1/r only; cells near enough for softening to matter are opened. */
#ifndef MYR_METHOD_TREE_H
#define MYR_METHOD_TREE_H

#include "method/direct.h"
#include "method/tree/images.h"

enum { MYR_TREE_MOVING_ORDER = 2 }; /* highest order of cells whose velocities are used */

typedef struct {
    int order;    /* degree to which cells are exact: 1 to 10 */
    double theta; /* > 0: a cell of side s is opened below the distance s/theta + offset of its centre of mass */
    double error; /* if theta = 0; part in myr_interaction_set: largest estimated error of a cell, relative to the total
                     acceleration */
    int64_t leaf; /* cells with more sources are split */
    int64_t group; /* largest number of targets per group */
    double eps;    /* Plummer softening length: the pair formula is not harmonic at any distance */
    double reach;  /* distance below which cells are opened because the pair formula is not harmonic */
    int moving;    /* 1 = velocities of sources are used */
    myr_images box;
} myr_tree_options;

/* Fills options that are 0 from measured tables: order and error (or the order for a given theta) for a tolerance, leaf
 * and group for the unit. */
void myr_tree_choose(double tolerance, const myr_direct *problem, myr_tree_options *options);

/* Options that open cells sooner, after options that left an error of `excess` tolerances: a smaller error, with the
 * order that is fastest for it unless keep_order is 1, and no lower order than before. */
void myr_tree_tighten(double excess, int keep_order, const myr_direct *problem, myr_tree_options *options);

/* Tolerance that the options keep; infinite if cells are opened by an angle. */
double myr_tree_keeps(const myr_direct *problem, const myr_tree_options *options);

typedef struct {
    int64_t pairs;                   /* pairs evaluated, with particles and pseudo-particles */
    int64_t cells, groups, pseudo;   /* numbers of cells, groups and pseudo-particles */
    int64_t leaves, levels, largest; /* numbers of leaves and levels; largest number of sources in a leaf */
    double list;                     /* mean length of a group's list */
    int64_t bytes;                   /* memory of the method's own arrays */
    double build_seconds, moment_seconds;
    double walk_seconds, tile_seconds; /* sums over threads */
} myr_tree_report;

/* Evaluates a problem on the processor. Results have the same bits on any number of threads, because the lists depend
 * on the particles only. report may be null. */
myr_status myr_tree_run(const myr_direct *problem, const myr_tree_options *options, myr_direct_result *result,
                        myr_tree_report *report);

#endif
