/* essential.h - local essential tree: the octree of all particles as far as the cells of one rank interact with it.
 *
 * Every rank has the particles of a part of the Morton curve (curve_cut.h) and a tree of its own particles, whose cells
 * are those of the tree of all particles, but for the few that a cut divides. The maximal undivided cells of a rank are
 * its roots. All ranks know all roots, and so the cells above them. A rank describes to each other rank the cells below
 * its roots as far as they lie near keys of the other rank, from which both get one tree; each then asks for the series
 * and the sources that its own cells need, and for nothing else. */
#ifndef MYR_METHOD_TREE_ESSENTIAL_H
#define MYR_METHOD_TREE_ESSENTIAL_H

#include "domain/blocks.h"
#include "method/tree/octree.h"

/* What cells of this rank need of a cell. */
enum { MYR_ESSENTIAL_SERIES = 1, MYR_ESSENTIAL_SOURCES = 2 };

/* A cell as another rank describes it. */
typedef struct {
    int32_t index;   /* in the tree of its rank */
    int32_t sources; /* number of sources */
    int32_t first;   /* first source in the order of its rank */
    int32_t mask;    /* octants with children, if these are described as well; 0 = not */
} myr_essential_node;

/* A root: node, and its place in the tree of all particles. */
typedef struct {
    uint64_t key; /* first key */
    int64_t level;
    myr_essential_node node;
} myr_essential_root;

/* Sources first .. end - 1, in the order of a rank, and their place in the order of the essential tree. */
typedef struct {
    int32_t rank;
    int64_t first, end, place;
} myr_essential_range;

typedef struct {
    myr_context *context;
    int ranks, me, reach;
    const uint64_t *cut;   /* [ranks + 1] */
    const myr_octree *own; /* tree of this rank's particles */
    int64_t *root_at;      /* [ranks + 1]: roots of each rank */
    myr_essential_root *root;
    int64_t *base;        /* [ranks + 1]: sources of the ranks before */
    myr_blocks nodes;     /* received descriptions: myr_essential_node, the roots first, then children in order */
    int32_t **child;      /* [ranks]: first child of each described node */
    myr_octree *tree;     /* essential tree; its sources and targets are counted in the order of this rank */
    int32_t *rank, *from; /* [cells]: rank of a cell, -1 = divided; its index in `own`, or among the rank's nodes */
    uint8_t *need;        /* [cells]: bits MYR_ESSENTIAL_..., set by the caller */
    int64_t first;        /* place of this rank's first source in the order of the essential tree */
    myr_essential_range *range; /* [ranges]: sources of others, by place */
    int64_t ranges;
    myr_blocks asked, wanted; /* requests of the other ranks, and those to them; see essential_request */
    double seconds;           /* spent in exchanges */
    int64_t sent;             /* bytes sent */
} myr_essential;

/* A request of or to a rank: cells whose series are needed, and ranges [first, end) of sources. */
typedef struct {
    int64_t cells, ranges;
    const int64_t *cell;  /* [cells]: index in the tree of the rank that is asked */
    const int64_t *range; /* [ranges][2] */
} myr_essential_request;

/* Makes the roots of all ranks known; collective. The cuts and the tree must outlive `e`. */
myr_status myr_essential_open(myr_context *context, const myr_octree *own, const uint64_t *cut, myr_essential *e);
void myr_essential_close(myr_essential *e);

/* Exchanges descriptions and makes the essential tree; collective. reach: as in myr_octree_near. */
myr_status myr_essential_tree(myr_essential *e, int reach);

/* Asks the other ranks for what `need` says, and gives all needed sources, and those of this rank, places in one order:
 * that of the tree of all particles, with a gap where sources are left out. Collective. */
myr_status myr_essential_ask(myr_essential *e);

/* Request by (asked) or to (wanted) rank k. */
myr_essential_request myr_essential_request_of(const myr_blocks *blocks, int k);

#endif
