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

double myr_neighbour_sigma(const myr_neighbour *list)
{
    return list->sigma;
}

void myr_neighbour_constants(const myr_neighbour *list, int a, int b, double c[MYR_NEIGHBOUR_CONSTANTS])
{
    if (list->set.formula) {
        myr_neighbour_formula_constants(list, c);
        return;
    }
    const double unit = list->set.fixed ? ldexp(1, list->exponent) : 1;
    myr_pair_potential p = list->set.pair[a * list->set.types + b];
    p.epsilon /= list->sigma * unit;
    p.sigma /= list->sigma;
    p.cutoff /= list->sigma;
    p.inner /= list->sigma;
    myr_cut_prepare(list->set.cut, &p, c);
}

/* Constants of all pairs of types in units of list->sigma and, for fixed-point sums, of 2^exponent. */
myr_status myr_neighbour_make_table(myr_neighbour *list)
{
    const int types = list->set.types, constants = list->unit[0]->constants;
    if (!list->table) {
        list->table = myr_memory_zeros((int64_t)types * constants * list->stride, (size_t)list->unit[0]->real_bytes);
        if (!list->table)
            return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for the potentials of %d types", types);
    }
    for (int a = 0; a < types; a++)
        for (int b = 0; b < types; b++) {
            double c[MYR_NEIGHBOUR_CONSTANTS];
            myr_neighbour_constants(list, a, b, c);
            for (int k = 0; k < constants; k++) {
                const int64_t at = ((int64_t)a * constants + k) * list->stride + b;
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
double myr_neighbour_energy_factor(const myr_neighbour *list)
{
    const int bits = list->unit[0]->real_bytes == 4 ? 18 : 0;
    return ldexp(1, bits - (int)ceil(log2(list->cutoff / list->sigma)));
}

void myr_neighbour_job(const myr_neighbour *list, int t, int which, myr_short_range_job *job)
{
    neighbour_share *s = list->share + t;
    const int64_t bytes = list->unit[0]->real_bytes;
    const int is_halo = which == NEIGHBOUR_HALO;
    myr_short_range_list *windows = is_halo ? s->halo : s->list + which;
    job->particles = myr_neighbour_particles(list, is_halo ? list->n + list->halo : list->n);
    job->grid = myr_neighbour_energy_factor(list);
    job->limit = list->limit;
    job->table = list->table;
    job->types = list->set.types;
    job->stride = list->stride;
    job->list = windows;
    for (int k = 0; k < 3; k++) { /* pointers are offset so that particle i is entry i */
        job->own[k] = (char *)s->sum[0][k] - s->first * bytes;
        job->other[k] = which == 1 ? (char *)s->sum[1][k] - s->far * bytes : job->own[k];
    }
}

/* Loop for the current list; null for the halo in an undivided box, which has no rows. */
static myr_short_range_fn force_loop(const myr_neighbour *list, int halo)
{
    const myr_short_range_unit *unit = list->unit[halo];
    const int typed = list->set.types > 1, root = !list->set.formula && myr_cut_needs_root(list->set.cut);
    return unit ? unit->loop[halo][list->set.fixed != 0][typed][root][list->summing] : NULL;
}

/* Evaluates the rows of a job, in parts if messages have to be progressed. */
static void force_rows(myr_neighbour *list, myr_short_range_fn loop, int looks, myr_short_range_job *job)
{
    const int64_t rows = job->list->rows, part = looks ? FORCE_PART : rows;
    job->list->closes = 0;
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
#pragma omp parallel for num_threads(list->team) schedule(static, 1)
    for (int t = 0; t < list->threads; t++) {
        myr_short_range_job job = {0};
        for (int half = 0; half < 2; half++) {
            myr_neighbour_job(list, t, half, &job);
            force_rows(list, loop, t == 0 && list->set.poll, &job);
        }
        list->job[t] = job;
    }
}

/* Pairs of own particles with the halo. */
static void force_run_halo(myr_neighbour *list)
{
    const myr_short_range_fn loop = force_loop(list, 1);
#pragma omp parallel for num_threads(list->team) schedule(static, 1)
    for (int t = 0; t < list->threads; t++) {
        myr_short_range_job job = {0};
        myr_neighbour_job(list, t, NEIGHBOUR_HALO, &job);
        force_rows(list, loop, 0, &job);
        list->job[list->threads + t] = job;
    }
}

int myr_neighbour_strips(const myr_neighbour *list)
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
    const int strips = myr_neighbour_strips(list);
    const double factor = list->set.fixed ? ldexp(1, list->exponent) : 1;
#pragma omp parallel for num_threads(list->team) schedule(static)
    for (int32_t b = 0; b < list->n; b += BLOCK)
        for (int k = 0; k < 3; k++)
            list->unit[0]->gather(list->strip, strips, k, list->set.fixed != 0, b,
                                  list->n - b < BLOCK ? list->n : b + BLOCK, factor, force[k]);
}

/* Sums in 256 bits over all domains. Own pairs are counted twice and pairs with the halo, which another domain has too,
 * once. Words are added without carries. */
static myr_status force_totals(myr_neighbour *list, myr_integer256 total[MYR_SHORT_RANGE_SUMS])
{
    enum { WORDS = MYR_INTEGER256_WORDS };
    myr_wide word[MYR_SHORT_RANGE_SUMS * WORDS];
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++) {
        myr_wide sum = 0;
        for (int t = 0; t < list->threads; t++)
            sum += 2 * list->job[t].total[k] + list->job[list->threads + t].total[k];
        total[k] = myr_integer256_add(list->close_sum[k], myr_integer256_from(sum, 0));
        for (int w = 0; w < WORDS; w++)
            word[k * WORDS + w] = (myr_wide)total[k].word[w];
    }
    if (!list->set.agreement)
        return MYR_OK;
    const myr_status status = myr_neighbour_add(list, word, MYR_SHORT_RANGE_SUMS * WORDS);
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++) {
        total[k] = (myr_integer256){{0}};
        for (int w = 0; w < WORDS; w++)
            total[k] = myr_integer256_add(total[k], myr_integer256_from(word[k * WORDS + w], 64 * w));
    }
    return status;
}

static myr_status force_sums(myr_neighbour *list, myr_neighbour_sums *sums)
{
    double value[MYR_SHORT_RANGE_SUMS];
    myr_integer256 total[MYR_SHORT_RANGE_SUMS];
    const myr_status status = list->set.fixed ? force_totals(list, total) : MYR_OK;
    for (int k = 0; k < MYR_SHORT_RANGE_SUMS; k++) {
        double sum = 0;
        for (int t = 0; t < list->threads; t++)
            sum += list->job[t].sum[k];
        if (list->set.fixed)
            sum = myr_integer256_value(total[k], list->exponent - 1) / myr_neighbour_energy_factor(list);
        value[k] = list->sigma * sum;
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

/* (sigma/r)^2 beyond which sums of close pairs might not fit 256 bits: r below 3e-5 sigma; the same for the size of a
 * pair with a user's formula. */
#define CLOSEST 1e9
#define LARGEST 0x1p170

static myr_status force_overlap(myr_neighbour *list)
{
    int64_t pair[2];
    const double r = myr_neighbour_closest(list, pair);
    return myr_context_fail(list->context, MYR_ERROR_NONFINITE,
                            "two particles are at the same place (distance %g, places %lld and %lld in memory): the "
                            "force between them is no number; move one of them",
                            r, (long long)pair[0], (long long)pair[1]);
}

/* Constants of the pair formula in the current unit. */
static myr_status force_table(myr_neighbour *list)
{
    myr_status status = MYR_OK;
    if (list->table_exponent != list->exponent || !list->table) {
        status = myr_neighbour_make_table(list);
        list->limited = 0;
    }
    if (list->set.fixed && !list->limited)
        list->limit = myr_neighbour_limit(list);
    list->limited = 1;
    return status;
}

static int force_has_unit(const myr_neighbour *list)
{
    return !list->set.fixed || list->exponent != MYR_NEIGHBOUR_UNIT_UNSET;
}

/* Prunes the list, for which the coordinates of the halo are needed. */
static myr_status force_prune(myr_neighbour *list)
{
    const double began = myr_neighbour_now(list);
    const myr_status status = myr_neighbour_prune(list, 0);
    const double seconds = myr_neighbour_now(list) - began;
    list->progress.list_seconds += seconds;
    list->progress.force_seconds -= seconds; /* of the evaluation in which the list is pruned */
    return status;
}

static myr_status force_own(myr_neighbour *list)
{
    const myr_status status = force_table(list);
    if (!status)
        force_run(list);
    return status;
}

/* The first evaluation needs the halo before it can choose a unit, and so does pruning. */
myr_status myr_neighbour_forces_begin(myr_neighbour *list, int want_sums)
{
    if (!list->valid)
        return myr_context_fail(list->context, MYR_ERROR_ARGUMENT, "forces were asked for before the list was updated");
    list->team = myr_waiting_threads(list->context, list->threads, WORK * list->n);
    myr_status status = MYR_OK;
    const double began = myr_neighbour_now(list), worked = myr_neighbour_processor(list);
    myr_neighbour_pack(list);
    list->summing = want_sums != 0;
    int is_pruned = myr_neighbour_pruned(list, list->agreeing ? myr_neighbour_move(list, list->ahead) : 0);
    if (!is_pruned && !list->set.agreement) {
        status = force_prune(list);
        is_pruned = !status;
    }
    list->postponed = !is_pruned || !force_has_unit(list);
    if (!status && !list->postponed)
        status = force_own(list);
    list->begun = !status;
    list->progress.worked += myr_neighbour_processor(list) - worked;
    list->progress.force_seconds += myr_neighbour_now(list) - began;
    return status;
}

static void force_clear(myr_neighbour *list)
{
    for (int t = 0; t < list->threads; t++)
        if (list->share[t].room.block)
            memset(list->share[t].room.block, 0, (size_t)list->share[t].room.size);
}

void myr_neighbour_drop(myr_neighbour *list)
{
    if (list->begun)
        force_clear(list);
    list->begun = 0;
}

/* Chooses the first unit, and evaluates pairs of own particles. */
static myr_status force_first(myr_neighbour *list)
{
    myr_neighbour_unit_first(list);
    myr_status status = force_table(list);
    if (!status)
        status = myr_neighbour_unit_choose(list);
    return status ? status : force_own(list);
}

/* Evaluates pairs of own particles if forces_begin did not, or did it with a pruned list that no longer holds for pairs
 * with the halo: the limit of the sums is then not proven either. */
static myr_status force_again(myr_neighbour *list)
{
    myr_status status = MYR_OK;
    if (!myr_neighbour_pruned(list, 0)) {
        force_clear(list);
        status = force_prune(list);
        list->postponed = 1;
    }
    if (status || !list->postponed)
        return status;
    return force_has_unit(list) ? force_own(list) : force_first(list);
}

static myr_status force_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums)
{
    const double worked = myr_neighbour_processor(list);
    myr_neighbour_pack_halo(list);
    myr_status status = force_again(list);
    if (!status)
        force_run_halo(list);
    if (!status && list->set.fixed)
        status = myr_neighbour_close_find(list);
    if (!status && !(force_most(list) < (list->set.formula ? LARGEST : CLOSEST)))
        status = force_overlap(list);
    if (!status && list->set.fixed)
        status = myr_neighbour_close_sum(list);
    force_gather(list, force); /* resets all sums to zero */
    if (!status && list->set.fixed)
        myr_neighbour_close_put(list, force);
    list->progress.worked += myr_neighbour_processor(list) - worked;
    if (!status && sums)
        status = force_sums(list, sums);
    if (!status && list->choosing)
        status = myr_neighbour_unit_choose(list);
    list->choosing = 0;
    return status;
}

myr_status myr_neighbour_forces_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums)
{
    if (!list->begun || list->summing != (sums != NULL))
        return myr_context_fail(list->context, MYR_ERROR_ARGUMENT, "forces were ended that had not been begun so");
    const double began = myr_neighbour_now(list);
    list->begun = 0;
    list->stale = 0;
    myr_status status = force_end(list, force, sums);
    /* the positions of the halo are known only now */
    if (!status && list->set.check && list->set.agreement)
        status = myr_neighbour_check(list);
    /* they will not be when the next evaluation begins */
    if (!status && list->set.agreement && !myr_neighbour_pruned(list, myr_neighbour_foresee(list)))
        status = force_prune(list);
    list->progress.force_seconds += myr_neighbour_now(list) - began;
    return status;
}
