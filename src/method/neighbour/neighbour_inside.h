/* neighbour_inside.h - definitions shared by the files of the neighbour method; see neighbour.h. */
#ifndef MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H
#define MYR_METHOD_NEIGHBOUR_NEIGHBOUR_INSIDE_H

#include "accumulator/integer256.h"
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
    /* windows of own pairs; windows of pairs with the halo, of which the second list stays empty: as built, and as last
     * pruned, which is what forces are evaluated from */
    myr_short_range_list wide[2], wide_halo[2];
    myr_short_range_list list[2], halo[2];
    myr_memory_room room; /* memory of the sums */
    int64_t room_bytes;   /* bytes of the sums along one axis */
    void *sum[2][3];
    int64_t pairs;
    /* close pairs of the last evaluation, which the sums do not contain */
    myr_short_range_pair *close;
    int64_t closes, closes_room;
} neighbour_share;

/* Force on a particle with close pairs. */
typedef struct {
    int32_t particle;
    double force[3];
} neighbour_exact;

/* A grid, and the particles [first, last) that are sorted by it. */
typedef struct {
    myr_short_range_grid grid;
    int32_t *start;
    int64_t room;
    int32_t first, last;
} neighbour_cells;

/* List that remained when the list was last pruned; see neighbour_prune.c. */
typedef struct {
    int whole;     /* 1 = it has all pairs of the list, and holds as long */
    double search; /* cutoff plus part of the skin; 0 = none */
    double travel; /* upper bound of all displacements since then */
    double room;   /* distance by which pairs may still approach before the numbers of neighbours are too small */
} neighbour_pruned;

/* Search for the best skin; see neighbour_skin.c. */
typedef struct {
    int on;
    double factor;     /* factor of the skin in the next trial */
    double skin, cost; /* best skin so far, and its cost */
    int misses, wait;  /* number of trials that were worse; number of lists until the next trial */
    double seconds;    /* time at which the current list was built */
    int64_t steps, prunes;
} neighbour_tuner;

struct myr_neighbour {
    myr_context *context;
    myr_neighbour_set set; /* settings; `pair` points to a copy owned by the list */
    const myr_isa_table *isa;
    const myr_short_range_unit
        *unit[2];          /* loops of own pairs; loops of pairs with the halo, null in an undivided box */
    int32_t n, halo;       /* numbers of own particles and of halo particles */
    int threads;           /* number of shares, one per thread that the user granted */
    int team;              /* number of threads that work on them, by the work (core/waiting.h) */
    double cutoff, search; /* longest cutoff; cutoff plus skin */
    double sigma;          /* unit of length of the loops */
    double strength;       /* typical force of a user's formula */
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

    int valid;          /* 1 = a list exists that can be proven */
    int sorted;         /* 1 = between myr_neighbour_sort and myr_neighbour_search */
    int begun, summing; /* 1 = between forces_begin and forces_end; 1 = with energy and virial */
    int postponed;      /* 1 = forces_begin left the pairs of own particles to forces_end */
    neighbour_pruned pruned;
    double ahead;           /* largest displacement of own particles in a step on which the domains have not agreed */
    double built_length[3]; /* box lengths when the list was built */
    double travel;          /* upper bound of all displacements since the list was built, in current lengths */
    double extra;           /* width of the halo beyond the search length */
    double stale;           /* upper bound of the difference between halo coordinates and true positions */
    double step;            /* largest displacement in the last step, over all domains */
    double foreseen;        /* largest displacement in the current step assumed before the agreement */
    int agreeing, measured; /* 1 = an agreement is in flight; 1 = displacements were measured for it */
    int exponent;           /* binary exponent of the unit of fixed-point sums */
    int choosing;           /* 1 = the unit is chosen again after the next force evaluation */
    /* largest numbers of neighbours of a particle while the list holds: near ones; sum over all of their largest
     * attraction, in units of that of a distant one (neighbour_range.c) */
    double near_most, pull_most;
    double limit;           /* largest (sigma/r)^2 with which all sums are proven to fit */
    int limited;            /* 1 = the limit is that of the current unit, list and box */
    neighbour_exact *exact; /* forces on the particles with close pairs */
    int64_t exacts, exacts_room;
    myr_integer256 close_sum[MYR_SHORT_RANGE_SUMS]; /* energy and virial of close pairs, own pairs counted twice */
    void *table;   /* constants of the pair formula, reals [types][CUT_CONSTANTS][stride] */
    void *radius2; /* squared radii within which neighbours are counted, reals [types][2][stride] */
    int stride;
    int table_exponent; /* exponent for which `table` was made */
    neighbour_tuner tuner;
    myr_neighbour_progress progress;
};

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

/* neighbour_window.c: builds the list of sorted particles; gives a list of windows room for so many rows and starts,
 * and returns 0 if memory is short. */
myr_status myr_neighbour_build(myr_neighbour *list);
int myr_neighbour_room(myr_short_range_list *w, int64_t rows, int64_t starts);

/* neighbour_prune.c: 1 if the pruned list still holds after a further displacement; prunes the list. All coordinates
 * are packed and all sums are 0 at this time. built: 1 = no particle has moved since the list was built. */
int myr_neighbour_pruned(const myr_neighbour *list, double further);
myr_status myr_neighbour_prune(myr_neighbour *list, int built);

/* neighbour_proof.c: myr_neighbour_shrink is the smallest factor by which a side of the box changed since the list was
 * built; myr_neighbour_move is a largest displacement including the rounding of coordinates;
 * myr_neighbour_foresee is the largest displacement expected in the next step. */
double myr_neighbour_shrink(const myr_neighbour *list);
double myr_neighbour_resolution(const myr_neighbour *list);
double myr_neighbour_move(const myr_neighbour *list, double furthest);
double myr_neighbour_foresee(const myr_neighbour *list);

/* neighbour_unit.c: myr_neighbour_unit_first sets a unit with which the first one can be chosen;
 * myr_neighbour_unit_choose sets the unit of the following evaluations. Both are collective. */
void myr_neighbour_unit_first(myr_neighbour *list);
myr_status myr_neighbour_unit_choose(myr_neighbour *list);

/* neighbour_force.c: discards forces that were begun. */
void myr_neighbour_drop(myr_neighbour *list);

/* neighbour_force.c */
void myr_neighbour_pack(myr_neighbour *list);
void myr_neighbour_pack_halo(myr_neighbour *list);
myr_status myr_neighbour_make_table(myr_neighbour *list);
myr_short_range_particles myr_neighbour_particles(const myr_neighbour *list, int32_t last);
int myr_neighbour_strips(const myr_neighbour *list);

/* neighbour_force.c: job of thread t for one of its lists of windows, `which`: own pairs 0 and 1, pairs with the halo
 * 2. */
enum { NEIGHBOUR_HALO = 2, NEIGHBOUR_LISTS };
void myr_neighbour_job(const myr_neighbour *list, int t, int which, myr_short_range_job *job);

/* neighbour_range.c: radii within which neighbours are counted; limit of (sigma/r)^2, or of the size of a pair, for the
 * current list and unit. approach: distance by which pairs may approach while the numbers hold. */
myr_status myr_neighbour_radii(myr_neighbour *list, double approach);
double myr_neighbour_limit(const myr_neighbour *list);

/* neighbour_formula.c: looks at a user's formula; its constants in the current unit; limit of the size of a pair. */
myr_status myr_neighbour_formula_begin(myr_neighbour *list);
void myr_neighbour_formula_constants(const myr_neighbour *list, double *c);
double myr_neighbour_formula_limit(const myr_neighbour *list);

/* neighbour_close.c: takes close pairs off the sums; sums up exactly the forces on their particles, before the sums are
 * gathered; then puts these forces in their places. */
myr_status myr_neighbour_close_find(myr_neighbour *list);
myr_status myr_neighbour_close_sum(myr_neighbour *list);
void myr_neighbour_close_put(const myr_neighbour *list, double *const force[3]);

/* neighbour_skin.c: called at the end of a list; sets the search length of the next list. */
myr_status myr_neighbour_tune(myr_neighbour *list);

/* neighbour_check.c: compares all pairs within the cutoff with the pairs of the list. */
myr_status myr_neighbour_check(myr_neighbour *list);

/* Squared minimum-image distance of particles i and j. */
double myr_neighbour_distance2(const myr_neighbour *list, int64_t i, int64_t j);

#endif
