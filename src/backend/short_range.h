/* short_range.h - short-range pairs: one target against windows of particles that are contiguous in memory.
 *
 * Particles are sorted by the cells of a grid: columns along z in serpentine order, x slowest, and within a column bins
 * of z in alternating direction. Everything within reach of a target is then in a few contiguous runs. A window is
 * LANES contiguous particles with an arbitrary start. A row is a target and the starts of windows that contain every
 * later particle within the search length (Newton's third law covers the earlier ones). docs/notes/short_range.md
 * compares this layout with others.
 *
 * Coordinates are the integers of the box (domain/box.h): the upper 32 bits in float arithmetic, the upper 52 (in
 * 64-bit words) in double. Their differences wrap around to the minimum image. Lengths are in units chosen by the
 * caller. The loops are in short_range_loop.h, short_range_second.h, short_range_sift.h and short_range_search.h,
 * compiled by short_range.c per arithmetic and instruction set; and, at run time, for a kernel written by a user.
 *
 * Fixed-point sums are integers modulo 2^32 (2^64 in double arithmetic). The unit follows typical pairs only. A pair
 * that is closer than the limit may not fit: the hot loop lists its row, and a second pass takes the pair off the sums
 * again and returns its exact integers, which the caller adds in 256 bits. Both passes round a pair to the same
 * integer, which depends on the pair's own coordinates only; the limit has no influence on results. */
#ifndef MYR_BACKEND_SHORT_RANGE_H
#define MYR_BACKEND_SHORT_RANGE_H

#include <stdint.h>

__extension__ typedef __int128 myr_short_range_total;

enum {
    MYR_SHORT_RANGE_PAD = 64, /* readable entries required after the last particle of every array */
    MYR_SHORT_RANGE_SUMS = 7, /* energy, then the virial: xx, yy, zz, yz, xz, xy */
    /* largest number of columns on either side: cells are no smaller than search / MYR_SHORT_RANGE_REACH */
    MYR_SHORT_RANGE_REACH = 4,
    MYR_SHORT_RANGE_MISSING_BITS = 12, /* low bits of a 64-bit coordinate that must be 0 in double arithmetic */
    /* Pruning counts neighbours within a near, a middle and a long radius. It adds up 1 for a near one,
     * MYR_SHORT_RANGE_MIDDLE for a middle one (near ones included) and MYR_SHORT_RANGE_ALL for each. A sum below 2^24
     * is exact in every arithmetic, and gives the number of near ones modulo MYR_SHORT_RANGE_ALL: more near ones than
     * that would make it larger */
    MYR_SHORT_RANGE_ALL = 2048,
    MYR_SHORT_RANGE_MIDDLE = 13 * MYR_SHORT_RANGE_ALL,
    MYR_SHORT_RANGE_SIZES = 64 /* classes of pairs by the size of their repulsion */
};

/* Row of the list: a target whose windows end at `end` and start at the end of the previous row. */
typedef struct {
    int32_t target, end;
} myr_short_range_row;

typedef struct {
    myr_short_range_row *row;
    int32_t *start;
    int64_t rows, starts, rows_room, starts_room;
    int32_t *close; /* rows with a pair beyond the limit of the last evaluation, [rows_room] */
    int64_t closes;
} myr_short_range_list;

/* Grid by which particles are sorted. Cell of coordinate q (upper 32 bits) along an axis: ((q - low) * factor) >> 32,
 * less than `cells`. */
typedef struct {
    int32_t cells[3];
    int periodic[3];
    uint32_t low[3];
    uint64_t factor[3];
    double width[3];      /* side of a cell */
    const int32_t *start; /* [columns * bins + 1]: first particle of each cell */
} myr_short_range_grid;

/* Particle data of the loops. */
typedef struct {
    const void *coordinate[3]; /* integers of the size of a real */
    const void *type;          /* integers of the size of a real; null with one type */
    int32_t n;                 /* number of particles that count */
    double unit[3];            /* length of the box per 2^32 or 2^64 units of coordinate, in the caller's unit */
} myr_short_range_particles;

/* Search for all windows of targets [first, last). Windows that start at `far` or later go to list[1]. */
typedef struct {
    myr_short_range_particles particles;
    const myr_short_range_grid *grid;
    double search, reach; /* search length; reach = search length with a margin for rounding of cells */
    int32_t first, last, far;
    myr_short_range_list *list; /* [2] */
    int64_t need[2];            /* output: starts for which the lists must have room to continue */
} myr_short_range_search;

/* Returns 1 when complete; 0 if the capacity for starts is exhausted: `first` is where to continue. The rows must have
 * sufficient capacity. */
typedef int (*myr_short_range_search_fn)(myr_short_range_search *search);

/* Choice of those windows of a list that hold a particle within a shorter search length, as positions are now. */
typedef struct {
    myr_short_range_particles particles;
    double search;
    const myr_short_range_list *from;
    myr_short_range_list *to; /* output: replaced; it must have room for all that `from` holds */
    int64_t pairs;            /* output, added to: number of pairs within the search length */
    double all;               /* radius within which all neighbours are counted */
    const void *radius2;      /* squares of the near and the middle radius, reals [types][2][stride] */
    int types, stride;
    /* neighbours of targets, and of the particles in windows: reals that are added to. Null `own`: nothing is counted.
     * Null `other`: windows of the halo */
    void *own, *other;
} myr_short_range_prune;

/* Pair beyond the limit of the hot loop: its force on the target, energy and virial, in integers (which doubles hold),
 * in units of the fixed-point sums. */
typedef struct {
    int32_t target, other; /* other: -1 = a particle of the halo */
    double force[3], sum[MYR_SHORT_RANGE_SUMS];
} myr_short_range_pair;

/* Arguments of one call of the hot loop. */
typedef struct {
    myr_short_range_particles particles;
    const void *table; /* reals [types][constants][stride], see kernel/cut.h or kernel/box_formula.h */
    int types, stride;
    myr_short_range_list *list;
    int64_t first, last; /* range of rows */
    /* sums of targets, and of the particles in windows: reals, or integers if fixed. Loops with a halo do not touch
     * `other`: those forces belong to another domain */
    void *own[3], *other[3];
    double grid;  /* fixed-point sums: factor that converts energies and virials to integers */
    double limit; /* fixed-point sums: largest (sigma/r)^2, or size, with which all sums are proven to fit */
    /* output: raised to the largest (sigma/r)^2, or size, found; with fixed-point sums, by the second pass */
    double most;
    double sum[MYR_SHORT_RANGE_SUMS];                  /* output, added to: floating-point sums */
    myr_short_range_total total[MYR_SHORT_RANGE_SUMS]; /* output, added to: fixed-point sums */
} myr_short_range_job;

typedef void (*myr_short_range_fn)(myr_short_range_job *job);

/* Arguments of the second pass over rows with pairs beyond the limit. */
typedef struct {
    myr_short_range_job *job; /* `first` is the index of the next such row */
    int halo, typed, root, sums;
    myr_short_range_pair *pair; /* output, appended */
    int64_t pairs, pairs_room;
} myr_short_range_second;

/* Private block of sums of particles [first, last), in the order of threads. */
typedef struct {
    void *sum[3];
    int32_t first, last;
} myr_short_range_strip;

/* Loops compiled for one arithmetic and instruction set. */
typedef struct {
    int arithmetic, lanes, real_bytes;
    myr_short_range_search_fn search;
    void (*prune)(myr_short_range_prune *prune);
    myr_short_range_fn loop[2][2][2][2][2]; /* [halo][fixed][several types][square roots][energy and virial] */
    /* Second pass: takes pairs beyond the limit off the sums again and lists them. Returns 0 if the room for pairs is
     * exhausted. */
    int (*second)(myr_short_range_second *second);
    /* Counts pairs by the binary exponent of their repulsion 48 epsilon (sigma/r)^12 in units of the table; class 0 is
     * `lowest`, weaker pairs do not count. */
    void (*measure)(const myr_short_range_job *job, int typed, int lowest, int64_t count[MYR_SHORT_RANGE_SIZES]);
    /* Converts coordinates [first, last) to the loops' layout: coordinate k goes to place[k], or to k if place is
     * null. */
    void (*pack)(const uint64_t *coordinate, int64_t first, int64_t last, const int32_t *place, void *to);
    /* value[k] = factor times the sum over all strips of particle k in [first, last); clears the strips. Floating-point
     * sums are added in the order of strips. */
    void (*gather)(const myr_short_range_strip *strip, int strips, int axis, int fixed, int64_t first, int64_t last,
                   double factor, double *value);
    int constants; /* constants per pair of types */
    /* Units of a kernel written by a user (kernel/box_formula.h), null otherwise: the constants that depend on its
     * parameters; and the force on the target and the energy of one pair at the distance vector d, in the arithmetic of
     * the loops, and in units of the user. */
    void (*prepare)(const double *parameter, double *constant);
    void (*one)(const double *constant, const double d[3], double force[3], double *energy);
} myr_short_range_unit;

#endif
