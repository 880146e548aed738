/* neighbour_inside.h - what the parts of the neighbour method share. See neighbour.h. */
#ifndef MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H
#define MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H

#include "core/memory.h"
#include "core/timer.h"
#include "method/neighbour/neighbour.h"

/* An array of the caller's that is sorted with the particles. */
typedef struct {
    void *array;
    size_t bytes;
} neighbour_tracked;

/* What one thread has: targets [first, last) of memory, their windows, and its own sums of all particles that these
 * reach: [first, near), and behind a periodic box's end [far, n). */
typedef struct {
    int32_t first, last, near, far;
    myr_window_list list[2], halo[2]; /* the second of a halo stays empty */
    myr_memory_room room;             /* of the sums */
    int64_t room_bytes;               /* of those along one axis */
    void *sum[2][3];
    int64_t pairs;
} neighbour_share;

/* A grid, and the particles [first, last) of memory that are in its order. */
typedef struct {
    myr_window_grid grid;
    int32_t *start;
    int64_t room;
    int32_t first, last;
} neighbour_cells;

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
    const myr_isa_table *isa;
    const myr_window_unit *unit[2]; /* loops of own pairs; of pairs with the halo, null where the box is not divided */
    int32_t n, halo; /* own particles; copies of others' behind them */
    int threads;
    double cutoff, search; /* the longest cutoff, and that and the skin */
    double sigma;          /* unit of length of the loops */
    double resolution;     /* what distances in the list may differ by from those of the coordinates */

    neighbour_tracked *tracked;
    int arrays;
    void *scratch;        /* for sorting one array */
    size_t scratch_bytes; /* that it has */
    size_t most_bytes;    /* per particle */

    myr_memory_room room; /* of the arrays of particles below: own, then the halo in the order of its grid */
    int64_t capacity;     /* how many fit */
    void *coordinate[3], *type;
    uint32_t *old[3]; /* upper halves of the coordinates when the list was built, the halo as it came */
    int32_t *cell;
    int32_t *place; /* of the halo: where in these arrays a particle is */
    float *moved;   /* squares of displacements, for the proof */

    neighbour_cells own, others;
    uint32_t middle[3];      /* of own particles in a divided box */
    neighbour_share *share;  /* [threads] */
    myr_window_strip *strip; /* [2 threads] */
    myr_window_job *job;     /* [2 threads]: of own pairs, then of those with the halo */

    int valid;              /* the list can be proven from here on */
    int sorted;             /* begun, and not yet ended */
    int begun, summing;     /* forces are; and energy and virial with them */
    double built_length[3]; /* of the box when it was built */
    double travel;          /* no particle is further from where it was, in present lengths */
    double extra;           /* how far beyond the search length a halo reaches */
    double stale;           /* how far the halo may be from where its coordinates say */
    double step;            /* the furthest move of the last step, in all domains */
    double foreseen;        /* of a step that others have been asked about: what it was taken to be at most; */
    int asked, measured;    /* that it is under way; that displacements were measured for it */
    int exponent;           /* of the unit of fixed sums */
    int told;               /* that it is coarse */
    double closest;         /* the largest (sigma/r)^2 of the last forces: */
    int is_own;             /* of own particles; the other domains have not been asked yet */
    double since;           /* how far particles may have gone since then */
    double least_for;       /* a closest pair, and the least exponent that does for it */
    int least;
    void *table; /* constants of the formula, reals [types][CUT_CONSTANTS][stride] */
    int stride;
    int table_exponent; /* that they were made for */
    neighbour_tuner tuner;
    myr_neighbour_progress progress;
};

enum { NEIGHBOUR_UNSET = -100000 };

/* A clock that stands still while other domains are waited for. */
static inline double myr_neighbour_now(const myr_neighbour *list)
{
    return myr_timer_now() - list->progress.waited;
}

/* What counts in how much a domain has to do. */
static inline double myr_neighbour_processor(const myr_neighbour *list)
{
    return list->set.agreement ? myr_timer_processor() : 0;
}

/* The largest value, or the sums, of all domains; see domain/agreement.h. */
static inline myr_status myr_neighbour_largest(myr_neighbour *list, double *value)
{
    if (!list->set.agreement)
        return MYR_OK;
    const double began = myr_timer_now();
    const myr_status status = myr_agreement_largest(list->set.agreement, value, 1);
    list->progress.waited += myr_timer_now() - began;
    return status;
}

static inline myr_status myr_neighbour_add(myr_neighbour *list, myr_wide *sum, int count)
{
    if (!list->set.agreement)
        return MYR_OK;
    const double began = myr_timer_now();
    const myr_status status = myr_agreement_add(list->set.agreement, sum, count);
    list->progress.waited += myr_timer_now() - began;
    return status;
}

/* neighbour.c: room for so many particles in the list's own arrays, which lose what they hold. */
myr_status myr_neighbour_reserve(myr_neighbour *list, int64_t count);

/* neighbour_grid.c: sorts all that is tracked of own particles. A grid about particles [0, last), and where those from
 * `first` on go in its order; and the cell of a particle. */
myr_status myr_neighbour_order(myr_neighbour *list);
myr_status myr_neighbour_grid(myr_neighbour *list, neighbour_cells *cells, int32_t first, int32_t last);
int32_t myr_neighbour_cell(const myr_neighbour *list, const myr_window_grid *g, int32_t i);

/* neighbour_window.c: the list of particles that are in order. */
myr_status myr_neighbour_build(myr_neighbour *list);

/* neighbour_proof.c */
double myr_neighbour_resolution(const myr_neighbour *list);

/* neighbour_unit.c: of a box's closest pair now; whether all sums fit the unit, which is another one if not; and what
 * it should be from now on. */
myr_status myr_neighbour_unit_fits(myr_neighbour *list, double most, int *fits);
myr_status myr_neighbour_unit_choose(myr_neighbour *list, double most);

/* Whether it would stay what it is; and whether sums are proven to fit, before forces are evaluated. */
int myr_neighbour_unit_stays(myr_neighbour *list, double most);
int myr_neighbour_unit_safe(const myr_neighbour *list);

/* neighbour_force.c: forgets forces that have begun. */
void myr_neighbour_drop(myr_neighbour *list);

/* neighbour_force.c */
void myr_neighbour_pack(myr_neighbour *list);
void myr_neighbour_pack_halo(myr_neighbour *list);
myr_status myr_neighbour_make_table(myr_neighbour *list);
myr_window_particles myr_neighbour_particles(const myr_neighbour *list, int32_t last);

/* neighbour_range.c: what all forces on a particle stay below in size if no pair has a larger (sigma/r)^2; and the
 * largest force of one pair. */
double myr_neighbour_bound(const myr_neighbour *list, double most, double *one);

/* neighbour_skin.c: a list has come to its end; sets the search length of the next one. */
myr_status myr_neighbour_tune(myr_neighbour *list);

/* neighbour_check.c: compares pairs within the cutoff with those found through the list. */
myr_status myr_neighbour_check(myr_neighbour *list);

/* The distance of two places, squared, minimum image. */
double myr_neighbour_distance2(const myr_neighbour *list, int64_t i, int64_t j);

#endif
