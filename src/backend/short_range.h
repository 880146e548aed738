/* short_range.h - short-range pairs: one target against windows of particles that follow each other in memory.
 *
 * Particles are sorted by the cells of a grid: columns along z in serpentine order, in x the slowest, and in a column
 * bins of z, up and down by turns. Whatever lies within reach of a target is then a few runs of memory. A window is
 * LANES particles from any start; a row is a target and the starts of windows that hold every particle behind it in
 * memory that is within the search length (Newton's third law serves those before it). docs/notes/short_range.md has
 * the layouts that this one was raced against.
 *
 * Coordinates are the box's own integers (domain/box.h): the upper 32 bits in float arithmetic, the upper 52 (in 64-bit
 * words) in double. Their differences wrap around to the minimum image. Lengths are in units of the caller's choice.
 * The loops are short_range_loop.h and short_range_search.h, compiled by short_range.c per arithmetic and instruction
 * set. */
#ifndef MYR_BACKEND_SHORT_RANGE_H
#define MYR_BACKEND_SHORT_RANGE_H

#include <stdint.h>

__extension__ typedef __int128 myr_short_range_total;

enum {
    MYR_SHORT_RANGE_PAD = 64,         /* entries behind the last particle that must be there in every array */
    MYR_SHORT_RANGE_SUMS = 7,         /* energy, then the virial: xx, yy, zz, yz, xz, xy */
    MYR_SHORT_RANGE_REACH = 4,        /* columns on either side at most: cells are no smaller than search / this */
    MYR_SHORT_RANGE_MISSING_BITS = 12 /* low bits of a 64-bit coordinate that must be 0 in double arithmetic */
};

/* A target; its windows are those from the end of the row before. */
typedef struct {
    int32_t target, end;
} myr_short_range_row;

typedef struct {
    myr_short_range_row *row;
    int32_t *start;
    int64_t rows, starts, rows_room, starts_room;
} myr_short_range_list;

/* The grid that the particles are sorted by. Cell of coordinate q (upper 32 bits) along an axis:
 * ((q - low) * factor) >> 32, below cells. */
typedef struct {
    int32_t cells[3];
    int periodic[3];
    uint32_t low[3];
    uint64_t factor[3];
    double width[3];      /* of a cell */
    const int32_t *start; /* [columns * bins + 1]: first particle of each cell, in memory order */
} myr_short_range_grid;

/* What the loops know about the particles. */
typedef struct {
    const void *coordinate[3]; /* integers as large as a real */
    const void *type;          /* the same; null where there is one type */
    int32_t n;                 /* the last that counts is before it */
    double unit[3];            /* length of the box, in the caller's unit: the coordinates' 2^32 or 2^64 */
} myr_short_range_particles;

/* Search for all windows of targets [first, last). Those that start at `far` or behind go to list[1]. */
typedef struct {
    myr_short_range_particles particles;
    const myr_short_range_grid *grid;
    double search, reach; /* the second a little more, for what rounding may do to cells */
    int32_t first, last, far;
    myr_short_range_list *list; /* [2] */
    int64_t pairs;              /* found within the search length */
} myr_short_range_search;

/* Returns 1 when all is done; 0 where the room for starts is used up: `first` is where to go on. There must be room for
 * the rows. */
typedef int (*myr_short_range_search_fn)(myr_short_range_search *search);

/* One call of the hot loop. */
typedef struct {
    myr_short_range_particles particles;
    const void *table; /* reals [types][CUT_CONSTANTS][stride], see kernel/cut.h */
    int types, stride;
    const myr_short_range_list *list;
    int64_t first, last;     /* rows of it */
    void *own[3], *other[3]; /* sums of targets, and of the particles in windows: reals, or integers if fixed. The
                                loops of a halo do not touch `other`: those forces are another domain's */
    double grid;             /* fixed: energies and virials times this become integers */
    double most;             /* out: the largest (sigma/r)^2 met, if larger */
    double sum[MYR_SHORT_RANGE_SUMS];                  /* out, added to */
    myr_short_range_total total[MYR_SHORT_RANGE_SUMS]; /* out, added to: the same if fixed */
} myr_short_range_job;

typedef void (*myr_short_range_fn)(myr_short_range_job *job);

/* A private block of sums of particles [first, last), in the order of threads. */
typedef struct {
    void *sum[3];
    int32_t first, last;
} myr_short_range_strip;

/* What is compiled for one arithmetic and instruction set. */
typedef struct {
    int arithmetic, lanes, real_bytes;
    myr_short_range_search_fn search;
    myr_short_range_fn loop[2][2][2][2][2]; /* [halo][fixed][several types][roots][energy and virial] */
    /* Coordinates [first, last) as the loops want them: coordinate k goes to place[k], or to k where place is null. */
    void (*pack)(const uint64_t *coordinate, int64_t first, int64_t last, const int32_t *place, void *to);
    /* value[k] = factor times the sum over all strips of particle k in [first, last), which become 0. Sums of reals
     * are added in the order of strips. */
    void (*gather)(const myr_short_range_strip *strip, int strips, int axis, int fixed, int64_t first, int64_t last,
                   double factor, double *value);
} myr_short_range_unit;

#endif
