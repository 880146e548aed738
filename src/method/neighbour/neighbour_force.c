/* neighbour_force.c - forces, energy and virial from the list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "core/waiting.h"
#include "method/neighbour/neighbour_inside.h"

myr_short_range_particles myr_neighbour_particles(const myr_neighbour *list, int32_t last)
{
    myr_short_range_particles p = {.type = list->type, .n = last};
    for (int k = 0; k < 3; k++) {
        p.coordinate[k] = list->coordinate[k];
        p.unit[k] = list->set.box.length[k] / list->sigma;
    }
    return p;
}

/* BLOCK: particles per block, small enough for a cache and large enough for a thread. FORCE_PART: targets between two
 * tests for messages, about 80 microseconds of work; a test takes 1 to 2. */
enum { BLOCK = 2048, FORCE_PART = 1024 };

/* Processor seconds per particle between two points at which threads wait for each other: a step takes 60 ns and has
 * about five of them. */
#define WORK 12e-9

void myr_neighbour_pack(myr_neighbour *list)
{
#pragma omp parallel for num_threads(list->team) schedule(static)
    for (int32_t b = 0; b < list->n; b += BLOCK)
        for (int k = 0; k < 3; k++)
            list->unit[0]->pack(list->set.q[k], b, list->n - b < BLOCK ? list->n : b + BLOCK, NULL,
                                list->coordinate[k]);
}

void myr_neighbour_pack_halo(myr_neighbour *list)
{
    const int32_t last = list->n + list->halo;
#pragma omp parallel for num_threads(list->team) schedule(static)
    for (int32_t b = list->n; b < last; b += BLOCK)
        for (int k = 0; k < 3; k++)
            list->unit[0]->pack(list->set.q[k], b, last - b < BLOCK ? last : b + BLOCK, list->place,
                                list->coordinate[k]);
}

/* Constants of the pair formula in units of list->sigma and, for fixed-point sums, of 2^exponent. */
myr_status myr_neighbour_make_table(myr_neighbour *list)
{
    const int types = list->set.types;
    const double unit = list->set.fixed && list->exponent != NEIGHBOUR_UNSET ? ldexp(1, list->exponent) : 1;
    if (!list->table) {
        list->stride = types > list->unit[0]->lanes ? types : list->unit[0]->lanes;
        list->table =
            myr_memory_zeros((int64_t)types * CUT_CONSTANTS * list->stride, (size_t)list->unit[0]->real_bytes);
        if (!list->table)
            return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the potentials of %d types", types);
    }
    for (int a = 0; a < types; a++)
        for (int b = 0; b < types; b++) {
            myr_pair_potential p = list->set.pair[a * types + b];
            double c[CUT_CONSTANTS];
            p.epsilon /= list->sigma * unit;
            p.sigma /= list->sigma;
            p.cutoff /= list->sigma;
            p.inner /= list->sigma;
            myr_cut_prepare(list->set.cut, &p, c);
            for (int k = 0; k < CUT_CONSTANTS; k++) {
                const int64_t at = ((int64_t)a * CUT_CONSTANTS + k) * list->stride + b;
                if (list->unit[0]->real_bytes == 4)
                    ((float *)list->table)[at] = (float)c[k];
                else
                    ((double *)list->table)[at] = c[k];
            }
        }
    list->table_exponent = list->exponent;
    return MYR_OK;
}

/* Factor that converts energies and virials, in units of force times sigma, to integers: fine enough to lose no bit
 * that a floating-point sum would keep, coarse enough that all terms of a row fit 51 bits (neighbour_range.c). */
static double force_grid(const myr_neighbour *list)
{
    const int bits = list->unit[0]->real_bytes == 4 ? 18 : 0;
    return ldexp(1, bits - (int)ceil(log2(list->cutoff / list->sigma)));
}

static void force_job(const myr_neighbour *list, int t, const myr_short_range_list *windows, int32_t last,
                      myr_short_range_job *job)
{
    const neighbour_share *s = list->share + t;
    const int64_t bytes = list->unit[0]->real_bytes;
    job->particles = myr_neighbour_particles(list, last);
    job->table = list->table;
    job->types = list->set.types;
    job->stride = list->stride;
    job->list = windows;
    for (int k = 0; k < 3; k++) { /* pointers are offset so that particle i is entry i */
        job->own[k] = (char *)s->sum[0][k] - s->first * bytes;
        job->other[k] = windows == s->list + 1 ? (char *)s->sum[1][k] - s->far * bytes : job->own[k];
    }
}

/* Loop for the current list; null for the halo in an undivided box, which has no rows. */
static myr_short_range_fn force_loop(const myr_neighbour *list, int halo)
{
    const myr_short_range_unit *unit = list->unit[halo];
    const int typed = list->set.types > 1, root = myr_cut_needs_root(list->set.cut);
    return unit ? unit->loop[halo][list->set.fixed != 0][typed][root][list->summing] : NULL;
}

/* Evaluates the rows of a job, in parts if messages have to be progressed. */
static void force_rows(myr_neighbour *list, myr_short_range_fn loop, int looks, myr_short_range_job *job)
{
    const int64_t rows = job->list->rows, part = looks ? FORCE_PART : rows;
    for (job->first = 0; job->first < rows; job->first = job->last) {
        job->last = rows - job->first < part ? rows : job->first + part;
        loop(job);
        if (!looks)
            continue;
        const double began = myr_timer_now();
        list->set.poll(list->set.user);
        list->progress.waited += myr_timer_now() - began;
    }
}

/* Pairs of own particles. Only the first thread, which is the calling one, may communicate. */
static void force_run(myr_neighbour *list)
{
    const myr_short_range_fn loop = force_loop(list, 0);
    const double grid = force_grid(list);
#pragma omp parallel for num_threads(list->team) schedule(static, 1)
    for (int t = 0; t < list->threads; t++) {
        myr_short_range_job job = {.grid = grid};
        for (int half = 0; half < 2; half++) {
            force_job(list, t, list->share[t].list + half, list->n, &job);
            force_rows(list, loop, t == 0 && list->set.poll, &job);
        }
        list->job[t] = job;
    }
}

/* Pairs of own particles with the halo. */
static void force_run_halo(myr_neighbour *list)
{
    const myr_short_range_fn loop = force_loop(list, 1);
    const double grid = force_grid(list);
#pragma omp parallel for num_threads(list->team) schedule(static, 1)
    for (int t = 0; t < list->threads; t++) {
        myr_short_range_job job = {.grid = grid};
        force_job(list, t, list->share[t].halo, list->n + list->halo, &job);
        force_rows(list, loop, 0, &job);
        list->job[list->threads + t] = job;
    }
}

static int force_strips(const myr_neighbour *list)
{
    int strips = 0;
    for (int t = 0; t < list->threads; t++) {
        const neighbour_share *s = list->share + t;
        const int64_t past = (int64_t)s->near + list->unit[0]->lanes; /* the last window may extend past the range */
        myr_short_range_strip *strip = list->strip + strips++;
        memcpy(strip->sum, s->sum[0], sizeof strip->sum);
        strip->first = s->first;
        strip->last = past < list->n ? (int32_t)past : list->n;
        if (s->far == list->n)
            continue;
        strip = list->strip + strips++;
        memcpy(strip->sum, s->sum[1], sizeof strip->sum);
        strip->first = s->far;
        strip->last = list->n;
    }
    return strips;
}

static void force_gather(const myr_neighbour *list, double *const force[3])
{
    const int strips = force_strips(list);
    const double factor = list->set.fixed ? ldexp(1, list->exponent) : 1;
#pragma omp parallel for num_threads(list->team) schedule(static)
    for (int32_t b = 0; b < list->n; b += BLOCK)
        for (int k = 0; k < 3; k++)
            list->unit[0]->gather(list->strip, strips, k, list->set.fixed != 0, b,
                                  list->n - b < BLOCK ? list->n : b + BLOCK, factor, force[k]);
}

/* Own pairs are counted twice and pairs with the halo, which another domain has too, once; the result is halved. */
static myr_status force_sums(myr_neighbour *list, myr_neighbour_sums *sums)
{
    double value[MYR_SHORT_RANGE_SUMS];
    myr_wide total[MYR_SHORT_RANGE_SUMS] = {0};
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++)
        for (int t = 0; t < list->threads; t++)
            total[k] += 2 * list->job[t].total[k] + list->job[list->threads + t].total[k];
    const myr_status status = myr_neighbour_add(list, total, MYR_SHORT_RANGE_SUMS);
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++) {
        double sum = 0;
        for (int t = 0; t < list->threads; t++)
            sum += list->job[t].sum[k];
        value[k] =
            list->sigma * (list->set.fixed ? ldexp((double)total[k] / force_grid(list), list->exponent - 1) : sum);
    }
    sums->energy = value[0];
    memcpy(sums->virial, value + 1, sizeof sums->virial);
    return status;
}

static double force_most(const myr_neighbour *list)
{
    double most = 0;
    for (int t = 0; t < 2 * list->threads; t++)
        most = fmax(most, list->job[t].most);
    return most;
}

/* (sigma/r)^2 beyond which products of the pair formula may overflow a float: r below 3e-5 sigma. */
#define CLOSEST 1e9

static myr_status force_overlap(myr_neighbour *list)
{
    int64_t pair[2];
    const double r = myr_neighbour_closest(list, pair);
    return myr_context_fail(list->context, MYR_ERROR_NONFINITE,
                            "two particles are at the same place (distance %g, places %lld and %lld in memory): the "
                            "force between them is no number; move one of them",
                            r, (long long)pair[0], (long long)pair[1]);
}

/* Pairs of own particles, in the current unit. */
static myr_status force_own(myr_neighbour *list)
{
    if (list->table_exponent != list->exponent || !list->table) {
        const myr_status status = myr_neighbour_make_table(list);
        if (status)
            return status;
    }
    force_run(list);
    return MYR_OK;
}

/* While an agreement is in flight, the current unit is used; if the agreement changes the unit, the evaluation is
 * repeated. */
myr_status myr_neighbour_forces_begin(myr_neighbour *list, int want_sums)
{
    if (!list->valid)
        return myr_context_fail(list->context, MYR_ERROR_ARGUMENT, "forces were asked for before the list was updated");
    list->team = myr_waiting_threads(list->context, list->threads, WORK * list->n);
    myr_status status = list->agreeing ? MYR_OK : myr_neighbour_settle(list);
    const double began = myr_neighbour_now(list), worked = myr_neighbour_processor(list);
    myr_neighbour_pack(list);
    list->summing = want_sums != 0;
    if (!status)
        status = force_own(list);
    list->begun = !status;
    list->progress.worked += myr_neighbour_processor(list) - worked;
    list->progress.force_seconds += myr_neighbour_now(list) - began;
    return status;
}

void myr_neighbour_drop(myr_neighbour *list)
{
    for (int t = 0; list->begun && t < list->threads; t++)
        if (list->share[t].room.block)
            memset(list->share[t].room.block, 0, (size_t)list->share[t].room.size);
    list->begun = 0;
}

/* Pairs with the halo, and the forces if their unit is valid. If that is not proven, all domains first agree on their
 * closest pair. */
static myr_status force_others(myr_neighbour *list, double *const force[3], int *done)
{
    const int is_safe = list->set.agreement && myr_neighbour_unit_safe(list);
    force_run_halo(list);
    double most = force_most(list);
    const int bad = !(most < CLOSEST);
    list->closest = most;
    list->is_own = is_safe;
    *done = 1;
    myr_status status = bad ? force_overlap(list) : is_safe ? MYR_OK : myr_neighbour_largest(list, &most);
    if (!status && !is_safe) {
        list->closest = most;
        status = myr_neighbour_unit_fits(list, most, done);
    }
    force_gather(list, force); /* resets all sums to zero */
    return status;
}

static myr_status force_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums)
{
    const double worked = myr_neighbour_processor(list);
    int done = list->table_exponent == list->exponent;
    myr_status status = MYR_OK;
    myr_neighbour_pack_halo(list);
    if (!done) { /* the unit changed since myr_neighbour_forces_begin */
        force_gather(list, force);
        status = force_own(list);
    }
    for (done = 0; !status && !done;) {
        status = force_others(list, force, &done);
        if (!status && !done)
            status = force_own(list);
    }
    list->since = 0;
    list->progress.worked += myr_neighbour_processor(list) - worked;
    if (!status && sums)
        status = force_sums(list, sums);
    return status || list->is_own ? status : myr_neighbour_unit_choose(list, list->closest);
}

myr_status myr_neighbour_forces_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums)
{
    if (!list->begun || list->summing != (sums != NULL))
        return myr_context_fail(list->context, MYR_ERROR_ARGUMENT, "forces were ended that had not been begun so");
    const double began = myr_neighbour_now(list);
    list->begun = 0;
    list->stale = 0;
    const myr_status status = force_end(list, force, sums);
    list->progress.force_seconds += myr_neighbour_now(list) - began;
    /* the positions of the halo are known only now */
    return !status && list->set.check && list->set.agreement ? myr_neighbour_check(list) : status;
}
