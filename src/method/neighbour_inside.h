/* neighbour_inside.h - what the parts of the neighbour method share. See neighbour.h. */
#ifndef MYR_METHOD_NEIGHBOUR_INSIDE_H
#define MYR_METHOD_NEIGHBOUR_INSIDE_H

#include "core/memory.h"
#include "method/neighbour.h"

/* An array of the caller's that is sorted with the particles. */
typedef struct {
    void *array;
    size_t bytes;
} neighbour_tracked;

/* What one thread has: targets [first, last) of memory, their windows, and its own sums of all particles that these
 * reach: [first, near), and behind a periodic box's end [far, n). */
typedef struct {
    int32_t first, last, near, far;
    myr_window_list list[2];
    myr_memory_room room; /* of the sums */
    int64_t room_bytes;   /* of those along one axis */
    void *sum[2][3];
    int64_t pairs;
} neighbour_share;

/* Looks for the best skin: see neighbour_skin.c. */
typedef struct {
    int on;
    double factor;     /* of the next try */
    double skin, cost; /* the best so far */
    int misses, wait;  /* tries that were worse; lists until the next try */
    double seconds;    /* when the present list was built */
    int64_t steps;
} neighbour_tuner;

struct myr_neighbour {
    myr_context *context;
    myr_neighbour_set set; /* pair is a copy of our own */
    const myr_window_unit *unit;
    int32_t n;
    int threads;
    double cutoff, search; /* the longest cutoff, and that and the skin */
    double sigma;          /* unit of length of the loops */
    double resolution;     /* what distances in the list may differ by from those of the coordinates */

    neighbour_tracked *tracked;
    int arrays;
    void *scratch; /* for sorting one array */
    size_t scratch_bytes;

    myr_memory_room room; /* of the arrays of particles below */
    void *coordinate[3], *type;
    uint32_t *old[3]; /* upper halves of the coordinates when the list was built */
    int32_t *cell, *place;
    float *moved; /* squares of displacements, for the proof */

    myr_window_grid grid;
    int32_t *start;
    int64_t start_room;
    neighbour_share *share;  /* [threads] */
    myr_window_strip *strip; /* [2 threads] */
    myr_window_job *job;     /* [threads] */

    int valid;              /* the list can be proven from here on */
    double built_length[3]; /* of the box when it was built */
    double travel;          /* no particle is further from where it was, in present lengths */
    int exponent;           /* of the unit of fixed sums */
    int told;               /* that it is coarse */
    void *table;            /* constants of the formula, reals [types][CUT_CONSTANTS][stride] */
    int stride;
    int table_exponent; /* that they were made for */
    neighbour_tuner tuner;
    myr_neighbour_progress progress;
};

enum { NEIGHBOUR_UNSET = -100000 };

/* neighbour_grid.c: sorts all that is tracked and builds the list. */
myr_status myr_neighbour_build(myr_neighbour *list);

/* neighbour_proof.c */
double myr_neighbour_resolution(const myr_neighbour *list);

/* neighbour_force.c */
void myr_neighbour_pack(myr_neighbour *list);
myr_status myr_neighbour_make_table(myr_neighbour *list);
myr_window_particles myr_neighbour_particles(const myr_neighbour *list);

/* neighbour_range.c: what all forces on a particle stay below in size if no pair has a larger (sigma/r)^2; and the
 * largest force of one pair. */
double myr_neighbour_bound(const myr_neighbour *list, double most, double *one);

/* neighbour_skin.c: a list has come to its end; sets the search length of the next one. */
void myr_neighbour_tune(myr_neighbour *list);

/* neighbour_check.c: compares pairs within the cutoff with those found through the list. */
myr_status myr_neighbour_check(myr_neighbour *list);

/* The distance of two places, squared, minimum image. */
double myr_neighbour_distance2(const myr_neighbour *list, int64_t i, int64_t j);

#endif
