/* far_args.h - arguments of the device kernels of far_tree.cuh, far_series.cuh and far_near.cuh. Compiled by the host's
 * compiler and by NVRTC, which must agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_FAR_ARGS_H
#define MYR_BACKEND_CUDA_FAR_ARGS_H

#include "backend/cuda/launch_args.h"

enum {
    MYR_FAR_DEPTH = 48,      /* largest number of levels below the root, as MYR_OCTREE_DEPTH */
    MYR_FAR_KEY_LEVELS = 21, /* levels held by one key */
    MYR_FAR_FEW = 64,        /* cells with at most this many particles meet coarser leaves particle by particle */
    MYR_FAR_THREADS = 256,   /* threads per block of the kernels of far_tree.cuh and far_series.cuh */
    MYR_FAR_DIGITS = 256,    /* values of a digit of the radix sort */
    MYR_FAR_ITEMS = 16,      /* keys per thread and pass of the radix sort */
    MYR_FAR_TILE = MYR_FAR_THREADS * MYR_FAR_ITEMS,
    MYR_FAR_CELLS = MYR_FAR_THREADS / 8, /* cells per block when cells are split */
    MYR_FAR_TARGETS = 64,                /* largest number of targets of an item of the near field */
    MYR_FAR_NEAR_THREADS = 64,           /* threads per block of the near field */
    MYR_FAR_BAG = 256,                   /* sources of the near field in shared memory */
    MYR_FAR_RANGES_HELD = 64,            /* ranges of the near field in shared memory */
    MYR_FAR_SHARED = 48 << 10,           /* bytes of shared memory of a block of the near field at most */
    MYR_FAR_SUMS = 16,                   /* largest number of series evaluated at a target */
    MYR_FAR_FIELDS = 3,                  /* largest number of fields of a target in the far field */
    /* children of a cell times children of its near cells, 448 in a corner of a full cube and 1664 inside, from which
     * on M2L by matrices is worth it */
    MYR_FAR_PARITY_WORTH = 400,
    MYR_FAR_PARENTS = 4,       /* of a block of M2M by reflections */
    MYR_FAR_PARITY_ROWS = 128, /* cells of a block of M2L by reflections */
    MYR_FAR_POOLS = 3
};

/* Translation of multipoles to local series over an offset of cells in portable arithmetic, whose matrices are in one
 * table of reals: number of degrees (0 = the cells are near each other), form (1 = one matrix), and the first reals of
 * the rotations about z and about y, the translation along z and the rotation back about y; or of the one matrix. */
enum { MYR_FAR_DEGREES, MYR_FAR_DENSE, MYR_FAR_TURN, MYR_FAR_FORWARD, MYR_FAR_AXIAL, MYR_FAR_BACK, MYR_FAR_PLACE };

/* Bytes of shared memory of a block of the near field: two bags of sources of so many bytes, whose place the sums of
 * two warps take in the end; ranges; sizes of the sources by component; folded sums. */
#define MYR_FAR_BAGS(record) (2 * MYR_FAR_BAG * (record))
#define MYR_FAR_MERGED(outputs, words) (MYR_FAR_NEAR_THREADS / 32 * MYR_FAR_TARGETS * (outputs) * (words)*8)
#define MYR_FAR_LISTED (MYR_FAR_RANGES_HELD * 12 + (MYR_FAR_RANGES_HELD + 2) * 4)
#define MYR_FAR_HELD(components) (MYR_FAR_LISTED + 2 * (components)*8)
#define MYR_FAR_FOLDED(targets, outputs, words) ((targets) * (outputs) * (words)*MYR_FAR_NEAR_THREADS * 8)

/* Cell of the octree; as myr_cell. */
typedef struct {
    int64_t at[3];        /* position in the grid of the cell's level */
    int32_t first, count; /* particles, in tree order */
    int32_t parent;       /* -1 for the root */
    int32_t child;        /* first child */
    int32_t level;
    uint32_t mask; /* bit per octant that has a child; 0 = leaf */
    int32_t octant;
    /* leaves and what is in a group of targets: the particles from `first` on, of this number, act on others; other
     * cells: as count */
    int32_t acting;
    int32_t few; /* MYR_FAR_SOURCE, MYR_FAR_TARGET: at most MYR_FAR_FEW of these */
    int32_t unused;
} myr_far_cell;

/* Bits of myr_far_cell.few, and of the role of a particle. */
enum { MYR_FAR_SOURCE = 1, MYR_FAR_TARGET = 2 };

/* Lists of variable length, filled by myr_far_state.used. */
typedef enum { MYR_FAR_RANGES, MYR_FAR_FINER, MYR_FAR_WORK } myr_far_pool;

/* State of an evaluation in device memory. */
typedef struct {
    unsigned long long bound[6];      /* ordered bits of -x, -y, -z, x, y, z: the largest over all particles */
    double origin[3], side;           /* lower corner and side of the root */
    double extent;                    /* periodic boxes: largest extent of the particles along an open axis */
    int32_t level[MYR_FAR_DEPTH + 3]; /* level l has the cells level[l] .. level[l + 1] - 1 */
    int32_t needed;                   /* number of cells that did not fit the room; 0 = all did */
    int32_t largest;                  /* largest number of particles in a leaf */
    int32_t leaves;
    int32_t overflow; /* 1 = a pool has too little room: later kernels do nothing */
    /* places of the targets that have lists: 0x7fffffff - first, end */
    int32_t own[2];
    int32_t used[MYR_FAR_POOLS]; /* entries of the pools that are wanted: more than their room if they did not fit */
    unsigned long long pairs;    /* pairs of the near field */
    unsigned long long translations;             /* M2L */
    unsigned long long far_targets, far_sources; /* targets of M2P, sources of P2L */
    /* M2L by matrices: cells whose children got their series so, for each strength, and translations this replaced */
    unsigned long long products, replaced;
    int32_t leaf_above; /* MYR_FAR_DEPTH + 1 - level of the coarsest leaf */
    int32_t unused;
} myr_far_state;

/* Sources of a leaf, in tree order, of an image of a periodic box: displacement in periods, 8 bits per axis. */
typedef struct {
    int32_t first, count;
    int32_t image;
} myr_far_range;

/* A cell of an image. */
typedef struct {
    int32_t cell, image;
} myr_far_finer;

/* Periodic box. `period` 0 = none. */
typedef struct {
    double origin[3], period;
    int32_t periodic[3];
    int32_t background; /* 1 = a background makes the box neutral: all axes are periodic, with all images */
} myr_far_box;

/* What acts on a leaf beside its own particles and local series. */
typedef struct {
    int32_t range, ranges; /* entries of the pool of ranges */
    int32_t finer, finers; /* entries of the pool of finer cells, whose multipoles are evaluated */
} myr_far_leaf;

/* Up to MYR_FAR_TARGETS targets of a leaf. */
typedef struct {
    int32_t cell, first, count;
} myr_far_item;

/* Coordinates of particles in their own order: one array of reals per lane component. They are wrapped into a periodic
 * box when they are read. */
typedef struct {
    void *component; /* [components][n] */
    int64_t n;
    int32_t real_bytes, coord_lanes;
    double origin[3], period[3]; /* as in myr_points; period 0 = not periodic */
} myr_far_points;

/* Arguments of the construction of the tree. */
typedef struct {
    myr_far_points points;
    myr_far_state *state;
    uint64_t *key[2];
    int32_t *order[2];
    /* [n]: first particle of the cell in which a particle is sorted, or the particle's own place; null = all particles
     * are sorted as one cell */
    int32_t *segment[2];
    uint32_t *count; /* [digits][tiles]: numbers of keys by digit and tile; then their places within the digit */
    uint32_t *total; /* [digits]: numbers of keys by digit */
    myr_far_cell *cell;
    int32_t *end;  /* [cells of a level][8]: end of each child's particles */
    int32_t *sums; /* [blocks]: numbers of children per block */
    void *record;  /* [n][stride]: particles in tree order */
    int32_t room;  /* of cells */
    int32_t leaf;  /* cells with more particles are split */
    int32_t depth; /* deepest level */
    int32_t level;
    int32_t from;       /* 0 or 1: which of key and order hold the keys */
    int32_t shift;      /* first bit of the digit */
    int32_t by_segment; /* 1 = digits of the segments instead of the keys */
    int32_t tiles;
    int32_t components, stride;
    int32_t strengths;
    int32_t strength[4][2];      /* as in myr_cuda_far_options */
    int32_t group;               /* tree code: largest number of targets of a group; 0 = leaves are the groups */
    const uint8_t *role;         /* as in myr_cuda_far_options; null = every particle is source and target */
    int64_t sources;             /* number of sources */
    double least, full, enlarge; /* as in myr_octree_options */
    myr_far_box box;
} myr_far_build;

/* Arguments of the kernel that moves particles: sums, then coordinates and the vector `move.bodies.v` in the arrays of
 * components, of which `move.bodies.record` has those of the sources. */
typedef struct {
    myr_cuda_move move;
    void *target; /* components of the targets; null = none */
    int32_t target_velocity;
    int32_t real_bytes, coord_lanes;
} myr_far_move;

/* Arguments of the lists. */
typedef struct {
    const myr_far_cell *cell;
    int32_t *near; /* [cells][near cells by offset]: near cells of the same level, -1 = none */
    myr_far_state *state;
    myr_far_leaf *leaf; /* [cells] */
    myr_far_range *range;
    myr_far_finer *finer;
    myr_far_item *item;
    int32_t room[MYR_FAR_POOLS];
    int32_t cells;
    int32_t begin, end; /* cells of a level */
    int32_t periodic[3];
    /* leaves and groups of targets whose first particle is at share[0] .. share[1] - 1 have lists here, others on
     * another device */
    int32_t share[2];
} myr_far_lists;

/* Arguments of the passes with expansions. */
typedef struct {
    const myr_far_cell *cell;
    const int32_t *near;
    const void *record; /* particles in tree order, reals [n][stride] */
    const myr_far_leaf *leaf;
    const myr_far_finer *finer;
    const myr_far_item *item;
    myr_far_state *state;
    void *multipole, *local; /* [cells][strengths][size] */
    const void *up, *down;   /* [8][columns][rows]: translations between parents and children by octant */
    const void *offset;      /* [offsets][5 order]: angles and powers of the distance of M2L */
    /* portable arithmetic: [offsets][MYR_FAR_PLACE], and the table of all translations */
    const int32_t *place;
    const void *translate;
    const void
        *derivative[2];       /* real [3][terms][2]: factors of the derivatives of local (0) and multipole series (1) */
    const int32_t *source[2]; /* [3][terms][2]: coefficients that these are factors of */
    void *sum; /* [n][sums]: far field of each particle in tree order; doubles in portable arithmetic, else reals */
    int32_t begin, end;    /* cells of the pass */
    int32_t splits;        /* threads per cell */
    int32_t stride;        /* reals of a record */
    int32_t number;        /* of the strength, where a pass treats one */
    int32_t factor[2];     /* places in a record of the factors of the strength; the second one may be -1 */
    int32_t coarsest;      /* first level whose cells have expansions */
    int32_t background;    /* as in myr_far_box */
    int64_t n;             /* particles */
    const double *lattice; /* [terms][terms]: from the box's multipoles to the local series of far images */
    /* background: partial sums [MYR_EXPANSION_SHARES][strengths][5]; quadratics of the listed series, [series][5] */
    double *part, *quadratic;
    /* M2L by reflections (far_parity.cuh); row null = not used. spread, gathered: sums of the series of a cell's
     * children by class; row: [cells]; parent, target: cells with children, and those whose children get their series
     * by matrices; used: numbers of these; mixing: rows of the near cells of the latter; mixed: sums over these, of a
     * part of the list, begin .. begin + end - 1. met: first level whose cells are met by others */
    const void *matrix;
    void *spread, *gathered, *mixed;
    int32_t *row, *parent, *target, *used, *mixing;
    int32_t met, zeros; /* zeros: row of `spread` that is 0 */
    int32_t share[2];   /* as in myr_far_lists: other cells have no local series */
} myr_far_series;

/* Arguments of the near field. `sweep` has constants, grids, report, factor, values in the order of the caller, wide
 * integers in the tree's order. */
typedef struct {
    myr_cuda_sweep sweep;
    const myr_far_cell *cell;
    const myr_far_leaf *leaf;
    const myr_far_range *range;
    const myr_far_item *item;
    const int32_t *order;
    const void *sum;
    myr_word *word; /* [n][outputs][words]: near field of each particle in tree order, fixed sums only */
    myr_far_state *state;
    int32_t masks_self; /* 1 = a particle does not act on itself */
    int32_t sum_bytes;  /* size of a real of `sum` */
    /* [outputs][sums][1 + MYR_FAR_FIELDS]: factor of a sum in an output, and factors of its products with fields of the
     * target */
    const double *matrix;
    double period; /* of images of a periodic box; 0 = none */
    int32_t items; /* number of items; 0 = as in the state */
    int32_t first; /* place of the first target */
    /* 1 = several devices share the targets: values are in tree order, and only those of state->own */
    int32_t is_shared;
} myr_far_near;

#endif
