/* tree.h - the modified tree code (Barnes 1990; paper 002, section 4.4): targets in groups, one list of sources per
 * group, evaluated as tiles. A list holds particles and, of cells that are far enough, pseudo-particles
 * (cell_moments.h), which are sources like any other, so every pair formula with an expansion and every accumulator
 * works.
 *
 * Pairs of particles are never approximated, softened or not. Softening acts on pseudo-particles as it does on
 * particles: with orders 1 and 2 a softened cell is exact to that order in its extent; spheres (higher orders,
 * strengths of both signs) are exact for 1/r alone, and cells near enough to feel the difference are opened. */
#ifndef MYR_METHOD_TREE_H
#define MYR_METHOD_TREE_H

#include "method/direct.h"
#include "method/tree/images.h"

typedef struct {
    int order;     /* degree to which cells are exact: 1 to 10 */
    double theta;  /* > 0: a cell of side s is opened nearer than s/theta + the offset of its centre of mass */
    double error;  /* else: opened where the estimated error of its pull exceeds this part of the whole pull */
    int64_t leaf;  /* sources of a cell that is not split */
    int64_t group; /* targets of a group at most */
    double eps;    /* Plummer softening: the pair formula is nowhere quite harmonic */
    double reach;  /* nearer than this it is not at all: cells are opened */
    int moving;    /* velocities of sources count */
    myr_images box;
} myr_tree_options;

/* Fills what is 0: order and error (or theta's order) for a tolerance, from a measured table; leaf and group for the
 * unit. */
void myr_tree_choose(double tolerance, const myr_direct *problem, myr_tree_options *options);

typedef struct {
    int64_t pairs;                   /* evaluated, with particles and pseudo-particles */
    int64_t cells, groups, pseudo;   /* pseudo: pseudo-particles that were made */
    int64_t leaves, levels, largest; /* largest: most sources in a leaf */
    double list;                     /* mean length of a group's list */
    int64_t bytes;                   /* of its own arrays */
    double build_seconds, moment_seconds;
    double walk_seconds, tile_seconds; /* summed over threads */
} myr_tree_report;

/* Evaluates a problem on the processor. The plan depends on the particles alone: the same bits on any number of
 * threads. report may be null. */
myr_status myr_tree_run(const myr_direct *problem, const myr_tree_options *options, myr_direct_result *result,
                        myr_tree_report *report);

#endif
