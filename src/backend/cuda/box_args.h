/* box_args.h - arguments of the device kernels of box.cuh. Compiled by the host's compiler and by NVRTC, which must
 * agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_BOX_ARGS_H
#define MYR_BACKEND_CUDA_BOX_ARGS_H

#include <stdint.h>

#include "backend/box_bath.h"
#include "backend/box_counts.h"
#include "backend/box_fields.h"
#include "backend/box_motion.h"
#include "backend/box_paths.h"

enum {
    MYR_BOX_CLUSTER = 4,       /* consecutive particles that share a row of the list */
    MYR_BOX_PIECE = 4,         /* entries of a row that a thread reads at once */
    MYR_BOX_ROW = 32,          /* rows have room for a multiple of so many entries: a piece for each of 8 threads */
    MYR_BOX_THREADS = 128,     /* threads per block */
    MYR_BOX_ADDERS = 512,      /* threads per block that add the parts of a sum */
    MYR_BOX_TERMS = 7,         /* energy, then the virial: xx, yy, zz, yz, xz, xy */
    MYR_BOX_SIZES = 64,        /* classes of pairs by the size of their repulsion */
    MYR_BOX_CONSTANTS = 16,    /* room for the constants of a pair of types */
    MYR_BOX_SHARED = 30 << 10, /* largest table of these that is copied to shared memory, in bytes; 48 KB are there */
    MYR_BOX_SCAN = 1024,       /* cells that a block scans at once */
    MYR_BOX_WALLS = 3 * BOX_SIDES,
    MYR_BOX_BINS = 6144,              /* bins of an observable that a block counts in shared memory */
    MYR_BOX_LISTED = 8,               /* most types whose cutoffs a list knows apart */
    MYR_BOX_SECTIONS = 4,             /* most types that are sorted apart */
    MYR_BOX_PART = 512,               /* tiles of MYR_BOX_THREADS particles with which a block counts pairs */
    MYR_BOX_PAD = 64,                 /* readable entries after the last particle of every array */
    MYR_BOX_ROW_PAD = 4 * MYR_BOX_ROW /* and after the last row: pieces are read ahead */
};

/* Constants of a pair of types in boxes with equal edges: see cube_factor. Rows have one more pair than types, which
 * does not interact. */
enum { CUBE_STRENGTH, CUBE_PULL, CUBE_RADIUS2, CUBE_PUSH, CUBE_CONSTANTS };

/* Reasons for which no further step is made. */
enum {
    MYR_BOX_EXPIRED = 1, /* a particle has moved so far that the list may lack a pair */
    MYR_BOX_REFUSED = 2, /* a particle would move too far in one step */
    MYR_BOX_CLOSE = 4,   /* a pair is so close that its force does not fit the integers of a GPU */
    MYR_BOX_FULL = 8,    /* a row of the list is longer than its room */
    MYR_BOX_WRONG = 16   /* the list does not hold the pairs that there are (box_check.cuh) */
};

/* What a launch does. Programs without thermostats and domains make steps and lists by one kernel, which reads here
 * what is next: a list is begun where the last one was found to have expired, without the host. */
enum {
    MYR_BOX_STEP,  /* evaluates forces and moves the particles; after the last move only evaluates */
    MYR_BOX_FIRST, /* moves them with the forces that are there */
    MYR_BOX_COUNT, /* the parts of a new list, in this order (box_list.cuh) */
    MYR_BOX_SCANS,
    MYR_BOX_PLACE,
    MYR_BOX_SORT,
    MYR_BOX_SEARCH,
    MYR_BOX_DONE, /* nothing */
    MYR_BOX_TASKS,
    MYR_BOX_PARTS = MYR_BOX_SEARCH - MYR_BOX_COUNT + 1 /* launches of a list */
};

/* State between two launches: a launch reads slot[0] and writes slot[1]. A launch that finds a reason to stop, or all
 * steps made, only copies the slot. */
typedef struct {
    int64_t made;     /* number of steps made */
    uint64_t time;    /* clock of the device at the start of the launch that wrote the slot, in ns */
    int32_t task;     /* of the launch that reads the slot, unless the list has expired */
    uint32_t state;   /* reasons to stop */
    int32_t side;     /* particle arrays in use */
    int32_t face;     /* points in use */
    uint32_t longest; /* length of the longest row */
    uint32_t crowd;   /* largest number of near sources in a row */
    /* boxes with open axes: bits of the largest squared velocity of a step, or of box_motion_way2 */
    unsigned long long fastest2;
    unsigned long long furthest2; /* several ranks: bits of the largest squared displacement since the list was built */
} myr_box_slot;

/* Task of the launch that reads a slot. */
static inline int32_t myr_box_task(const myr_box_slot *now)
{
    if (now->task == MYR_BOX_DONE || (now->state & ~(uint32_t)MYR_BOX_EXPIRED))
        return MYR_BOX_DONE;
    return now->task == MYR_BOX_STEP && now->state ? MYR_BOX_COUNT : now->task;
}

/* Particle arrays in the order of the list, [n]. */
typedef struct {
    uint64_t *q[3];
    double *v[3];
    double *inverse; /* 1/mass */
    int32_t *row;    /* place of the particle in the order in which the host sent the particles */
} myr_box_side;

/* Restraints, external fields and walls. */
typedef struct {
    box_fields fields;
    double unit[3]; /* length of an axis / 2^64 */
    double origin[3], length[3];
    double stiffness;                /* of restraints; 0 = none */
    int32_t restrained_type;         /* -1 = all types */
    int32_t has_fields, has_mirrors; /* mirrors: reflecting walls */
    uint64_t *anchor[3];             /* positions of restraints, in the order of the host */
    unsigned long long *push;        /* [MYR_BOX_WALLS][2]: impulses on walls, low and high halves of the integers */
} myr_box_external;

/* Everything that all kernels read. */
typedef struct {
    int32_t n, clusters;
    int32_t own; /* several ranks: rows of the host from here on are copies of particles of other ranks */
    myr_box_slot *slot;
    int64_t most; /* number of steps to make */
    myr_box_side side[2];
    void *point[2];   /* [n]: coordinates as the pair loop reads them, and type */
    uint32_t *old[3]; /* upper halves of the coordinates for which the list was built */
    float *spare;     /* [n]: squares of the displacements from there for which the list holds */
    double *f[3];
    float *pull[3]; /* accelerations, found last */
    /* in the order of the host */
    const double *mass;
    const int32_t *type;
    const int64_t *id;
    int32_t *image[3]; /* crossings of periodic boundaries */
    /* list: entries[cluster] sources in row `cluster` of entry[][room] */
    int32_t *entry, *entries;
    int32_t room;
    /* constants of the pair formula: reals [types][types][16] */
    const void *table;
    int32_t types;
    int32_t periodic[3];
    double unit[3];  /* length of the box per unit of a point's coordinate, in sigma */
    double scale[3]; /* force per unit of the integer sums */
    /* Pairs whose integers fit have (sigma/r)^14 of at most the smaller of these; the second for each near source,
     * since the integers of all of them are added */
    float fit_one, fit_all;
    const myr_box_external *external; /* null = none */
    /* Boxes with equal edges in single arithmetic (box_cube.cuh), in units of the coordinates: largest distance
     * of targets from the middle of their cluster; squared distance of the closest pairs for which there are integers
     */
    float widest, closest2;
    double magic; /* grid of velocities of steps that are reversed exactly (exact_motion.h) */
} myr_box_common;

/* Forces at the present positions, and a step. */
typedef struct {
    myr_box_common all;
    int32_t evaluate;                /* 1 = evaluate forces, 0 = read them: box_first_step */
    int32_t move;                    /* 1 = make a step; 0 = store the forces. Not read where launches have tasks */
    int32_t ends;                    /* Langevin dynamics: 1 = end the last step */
    double kick;                     /* length of time of a kick; of half a kick in steps that are reversed exactly */
    double halves;                   /* number of these halves */
    double first_kick, first_halves; /* the same of the first step of a call */
    double drift[3];                 /* coordinate units per unit of velocity, in a drift */
    double fastest2;                 /* square of the largest velocity that a step allows */
    float displace[3];               /* length of the box per unit of the upper half of a coordinate */
    double duration;                 /* length of the step that ends with these forces; 0 = none */
    /* Langevin dynamics */
    double keep;        /* factor of the velocities */
    const double *heat; /* [most]: variance of the noise of unit mass in each step */
    uint64_t seed;
    int64_t number; /* number of the first step */
} myr_box_step;

/* State of a thermostat that scales velocities. */
typedef struct {
    box_chain chain;
    double factor;                  /* of the velocities, found last */
    unsigned long long largest;     /* bits of the largest m v^2 */
    unsigned long long total[3][2]; /* sums of m v^2 along each axis: low halves, high halves of the integers */
} myr_box_bath_state;

/* Parts of steps whose velocities are those at the end of the step. */
typedef struct {
    myr_box_step step;
    box_bath set;
    myr_box_bath_state *bath;
    const double *heat; /* [most][2]: temperatures of the bath at the start and at the end of each step */
    double dt;
    double h;        /* length of time of a kick */
    int32_t scaled;  /* 1 = velocities are multiplied by the factor */
    int32_t measure; /* 1 = the largest m v^2 is wanted */
    int32_t second;  /* 1 = end of a step, 0 = start */
} myr_box_bath;

/* Columns along z and bins into which particles are sorted. */
typedef struct {
    int32_t first; /* bin */
    int32_t cells[3];
    uint64_t factor[3]; /* cell of upper half q: ((q - low) * factor) >> 32 */
    float per_cell[3];  /* cells per unit of these */
    float width[2];     /* sides of a column, in sigma */
} myr_box_grid;

/* A new list. */
typedef struct {
    myr_box_common all;
    int32_t always;   /* 1 = also if the list still holds */
    int32_t searches; /* number of blocks that search */
    /* Types that are sorted apart, each into a grid of its own, so that the particles of a cluster are alike; 1 = none
     */
    int32_t sections;
    myr_box_grid grid[MYR_BOX_SECTIONS];
    uint32_t low[3];
    float slack[3]; /* bound of the rounding errors of places in floats, in sigma */
    /* A row has the sources within cutoff + skin of a target + skin of the source, in sigma. The skin of a particle is
     * least + straight x the way that its velocity takes it until halfway + bent x that of its acceleration, no less
     * than that way + beyond, and no more than `most`, in the units of `displace`. cutoff: the longest one and what
     * rounding may add; slack2: errors of squares of distances */
    float cutoff, slack2, per_sigma, least, straight, bent, beyond, most;
    int32_t listed; /* number of types whose cutoffs are known apart */
    float round;    /* what rounding may add to a cutoff, in sigma */
    float near2;    /* square of the distance of near sources: within, there may be repulsion while the list holds */
    /* units of the upper halves of coordinates: their length in sigma, and along z how many sigma has */
    float unit[3], per_unit[3];
    float margin[3]; /* slack in these units, and what is truncated */
    float
        widest[3]; /* largest extent of clusters whose distances are computed from the first particle, in these units */
    /* The list is built for places that the particles are expected to reach later: units per unit of velocity and of
     * acceleration; length of the box per unit; square of the largest length of such a way */
    float lead[3], bend[3], displace[3], lead2;
    int32_t *bin;   /* [n] */
    int32_t *rank;  /* [n]: place among those of the bin, in the order of arrival */
    int32_t *order; /* [n] */
    /* [bins + 2]: numbers of particles, then first places within a block of a scan; the last is the number of blocks
     * that have scanned */
    int32_t *count;
    int32_t *part;  /* sums of the blocks of a scan */
    int32_t *start; /* [bins + 1]: first places */
    int32_t bins;
} myr_box_list;

/* Steps and lists by one kernel. */
typedef struct {
    myr_box_step step;
    myr_box_list list;
} myr_box_turn;

/* A copy of the state at the start of a call. */
typedef struct {
    myr_box_common all;
    myr_box_side kept;
    double *f[3];
    uint32_t *old[3];
    int32_t *image[3];
    int32_t side; /* particle arrays that are copied */
    int32_t back; /* 0 = copies to the arrays above, 1 = from them */
} myr_box_keep;

/* Sums over pairs or particles. */
typedef struct {
    myr_box_common all;
    double grid;  /* factor that converts energies and virials to integers */
    double h;     /* time by which velocities lag behind */
    double scale; /* factor that converts kinetic terms to integers */
    int32_t power;
    int32_t lowest;            /* exponent of the weakest repulsion that counts */
    unsigned long long *total; /* [terms][2]: low halves, high halves of the integers; or the largest term as bits */
    double factor, shift[3];   /* changes of velocities */
    double *to[7];             /* arrays of the host's order, for a copy */
    int64_t parts;             /* sums of floats and doubles: number of parts */
    int32_t *image[3];
} myr_box_sums;

/* A copy of the particles in the order of the user, [n]. */
typedef struct {
    myr_box_sums sums;
    int64_t *index; /* place of each particle, in the order of the host */
    uint64_t *q[3];
    double *v[3];
} myr_box_good;

/* Minimisation by FIRE. */
typedef struct {
    myr_box_common all;
    box_fire step;
    float displace[3]; /* see myr_box_step */
    double scale[3];   /* factors that convert F.v, F.F and v.v to integers */
    /* sums over particles: [3][2], low and high halves of the integers; or the largest F.F and v.v as bits; or the
     * longest way of a particle as bits */
    unsigned long long *total;
} myr_box_fire;

/* Counts for observables. */
typedef struct {
    myr_box_common all;
    box_counting set;
    double origin[3], length[3]; /* of the box */
    double inverse[3];           /* 1 / edges of set.box */
    double per_length;           /* bins per length */
    float unit[3];               /* length of the box per unit of the upper half of a coordinate */
    float bins_per_length, unsure;
    int64_t parts;             /* of the particles, for each tile of which there is a block */
    unsigned long long *count; /* [columns][rows] */
} myr_box_counts;

/* Time correlations. Arrays are in the order of the user. */
typedef struct {
    myr_box_sums sums;
    box_paths set;
    double origin[3], length[3]; /* of the box */
    const int64_t *index;        /* place of each particle, in the order of the host */
    const double *path;          /* [6][n]: path and unfolded position of an earlier sample */
    double *now;                 /* [3][n]: what is correlated */
    const double *slot;          /* [slots][3][n]: the same of all origins of time */
    int32_t *type;               /* [n] */
    const int32_t *compare;      /* slots with which a sample is compared */
    double *part;                /* [slots compared][types][chunks]: sums */
    int64_t chunks;
} myr_box_paths;

/* Comparison of the list with all pairs. */
typedef struct {
    myr_box_common all;
    double cutoff2;            /* square of the longest cutoff, in sigma */
    unsigned long long *wrong; /* numbers of wrong rows, of their pairs in the list, and of their pairs */
} myr_box_check;

/* Exchange of coordinates with other ranks. */
typedef struct {
    myr_box_common all;
    int32_t *where;        /* [n]: place of each row of the host in the order of the list */
    const int32_t *entry;  /* [entries]: row that a message has in an entry of three words; own and above: not packed */
    int32_t entries, halo; /* halo: number of copies, whose rows begin at all.own */
    uint64_t *out;         /* [entries][3] */
    const uint64_t *in;    /* [halo][3] */
} myr_box_ranks;

#endif
