/* neighbour_inside.h - definitions shared by the files of the neighbour method; see neighbour.h. */
#ifndef MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H
#define MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H

#include "core/memory.h"
#include "core/timer.h"
#include "method/neighbour/neighbour.h"

/* Array of the caller that is sorted with the particles. */
typedef struct {
    void *array;
    size_t bytes;
} neighbour_tracked;

/* Share of one thread: targets [first, last), their windows, and the thread's own sums of all particles the targets
 * reach: [first, near) and, across the end of a periodic box, [far, n). */
typedef struct {
    int32_t first, last, near, far;
    /* windows of own pairs; windows of pairs with the halo, of which the second list stays empty */
    myr_short_range_list list[2], halo[2];
    myr_memory_room room; /* memory of the sums */
    int64_t room_bytes;   /* bytes of the sums along one axis */
    void *sum[2][3];
    int64_t pairs;
} neighbour_share;

/* A grid, and the particles [first, last) that are sorted by it. */
typedef struct {
    myr_short_range_grid grid;
    int32_t *start;
    int64_t room;
    int32_t first, last;
} neighbour_cells;

/* Search for the best skin; see neighbour_skin.c. */
typedef struct {
    int on;
    double factor;     /* factor of the skin in the next trial */
    double skin, cost; /* best skin so far, and its cost */
    int misses, wait;  /* number of trials that were worse; number of lists until the next trial */
    double seconds;    /* time at which the current list was built */
    int64_t steps;
} neighbour_tuner;

struct myr_neighbour {
    myr_context *context;
    myr_neighbour_set set; /* settings; `pair` points to a copy owned by the list */
    const myr_isa_table *isa;
    const myr_short_range_unit
        *unit[2];    /* loops of own pairs; loops of pairs with the halo, null in an undivided box */
    int32_t n, halo; /* numbers of own particles and of halo particles */
    int threads; /* number of shares, one per thread that the user granted */
    int team;    /* number of threads that work on them, by the work (core/waiting.h) */
    double cutoff, search; /* longest cutoff; cutoff plus skin */
    double sigma;          /* unit of length of the loops */
    double resolution;     /* largest difference between distances in the list and distances of the coordinates */

    neighbour_tracked *tracked;
    int arrays;
    void *scratch;        /* buffer for sorting one array */
    size_t scratch_bytes; /* capacity of the buffer */
    size_t most_bytes;    /* largest size per particle of a tracked array */

    /* memory of the particle arrays below: own particles, then the halo in the order of its grid */
    myr_memory_room room;
    int64_t capacity; /* capacity in particles */
    void *coordinate[3], *type;
    uint32_t *old[3]; /* upper halves of the coordinates when the list was built, the halo in the order received */
    int32_t *cell;
    int32_t *place; /* index of a halo particle in these arrays */
    float *moved;   /* squared displacements, for the proof */

    neighbour_cells own, others;
    uint32_t middle[3];           /* middle of own particles in a divided box */
    neighbour_share *share;       /* [threads] */
    myr_short_range_strip *strip; /* [2 threads] */
    myr_short_range_job *job;     /* [2 threads]: jobs of own pairs, then jobs of pairs with the halo */

    int valid;              /* 1 = a list exists that can be proven */
    int sorted;             /* 1 = between myr_neighbour_sort and myr_neighbour_search */
    int begun, summing;     /* 1 = between forces_begin and forces_end; 1 = with energy and virial */
    double built_length[3]; /* box lengths when the list was built */
    double travel;          /* upper bound of all displacements since the list was built, in current lengths */
    double extra;           /* width of the halo beyond the search length */
    double stale;           /* upper bound of the difference between halo coordinates and true positions */
    double step;            /* largest displacement in the last step, over all domains */
    double foreseen;        /* largest displacement in the current step assumed before the agreement */
    int agreeing, measured; /* 1 = an agreement is in flight; 1 = displacements were measured for it */
    int exponent;           /* binary exponent of the unit of fixed-point sums */
    int warned;             /* 1 = the warning about a coarse unit was given */
    double closest;         /* largest (sigma/r)^2 of the last force evaluation */
    int is_own;             /* 1 = `closest` covers own particles only; the domains have not agreed yet */
    double since;           /* upper bound of displacements since that force evaluation */
    double least_for;       /* closest pair for which the smallest exponent was computed last */
    int least;
    void *table; /* constants of the pair formula, reals [types][CUT_CONSTANTS][stride] */
    int stride;
    int table_exponent; /* exponent for which `table` was made */
    neighbour_tuner tuner;
    myr_neighbour_progress progress;
};

enum { NEIGHBOUR_UNSET = -100000 };

/* Wall-clock time without the time spent waiting for other domains. */
static inline double myr_neighbour_now(const myr_neighbour *list)
{
    return myr_timer_now() - list->progress.waited;
}

/* Processor time, which measures the load of a domain. */
static inline double myr_neighbour_processor(const myr_neighbour *list)
{
    return list->set.agreement ? myr_timer_processor() : 0;
}

/* Maximum, or sums, over all domains; see domain/agreement.h. */
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

/* neighbour.c: resizes the list's own arrays to `count` particles; contents are lost. */
myr_status myr_neighbour_reserve(myr_neighbour *list, int64_t count);

/* neighbour_grid.c: myr_neighbour_order sorts all tracked arrays of own particles; myr_neighbour_grid makes a grid
 * around particles [0, last) and sorts those from `first` on by it; myr_neighbour_cell is the cell of a particle. */
myr_status myr_neighbour_order(myr_neighbour *list);
myr_status myr_neighbour_grid(myr_neighbour *list, neighbour_cells *cells, int32_t first, int32_t last);
int32_t myr_neighbour_cell(const myr_neighbour *list, const myr_short_range_grid *g, int32_t i);

/* neighbour_window.c: builds the list of sorted particles. */
myr_status myr_neighbour_build(myr_neighbour *list);

/* neighbour_proof.c */
double myr_neighbour_resolution(const myr_neighbour *list);

/* neighbour_unit.c: myr_neighbour_unit_fits tests, given the closest pair of the whole box, whether all sums fit the
 * unit, and changes the unit if not; myr_neighbour_unit_choose sets the unit of the following evaluations. */
myr_status myr_neighbour_unit_fits(myr_neighbour *list, double most, int *fits);
myr_status myr_neighbour_unit_choose(myr_neighbour *list, double most);

/* Returns 1 if the unit would not change; returns 1 if the sums are proven to fit before forces are evaluated. */
int myr_neighbour_unit_stays(myr_neighbour *list, double most);
int myr_neighbour_unit_safe(const myr_neighbour *list);

/* neighbour_force.c: discards forces that were begun. */
void myr_neighbour_drop(myr_neighbour *list);

/* neighbour_force.c */
void myr_neighbour_pack(myr_neighbour *list);
void myr_neighbour_pack_halo(myr_neighbour *list);
myr_status myr_neighbour_make_table(myr_neighbour *list);
myr_short_range_particles myr_neighbour_particles(const myr_neighbour *list, int32_t last);

/* neighbour_range.c: upper bound of the total force on a particle if no pair has a larger (sigma/r)^2 than `most`;
 * *one: largest force of one pair. */
double myr_neighbour_bound(const myr_neighbour *list, double most, double *one);

/* neighbour_skin.c: called at the end of a list; sets the search length of the next list. */
myr_status myr_neighbour_tune(myr_neighbour *list);

/* neighbour_check.c: compares all pairs within the cutoff with the pairs of the list. */
myr_status myr_neighbour_check(myr_neighbour *list);

/* Squared minimum-image distance of particles i and j. */
double myr_neighbour_distance2(const myr_neighbour *list, int64_t i, int64_t j);

#endif
