/* scale.c - fixed-point grids of `fixed`, `narumi` and `nitadori_large`: one power of two per output field, found by
 * measuring contributions with the `range` accumulator. The choice depends on the particles only, not on their order,
 * on threads or on tiling.
 *
 * Grids of `narumi` and `nitadori_large` must hold the largest contribution or sum, and are raised by it. `fixed` adds
 * contributions of any size (fixed.h), so that its grid follows typical targets of a sample and is not raised by a
 * close pair. With N sources, M_i the largest contribution to target i, |f_i| its sum, and m bits of a real's
 * significand, the exponent is the lowest for which few contributions to the sample are beyond the grid, but no more
 * than e(median |f_i|) + m - 9 - log2(N/12)/2: rounding of N contributions is then below 2^-(m+8) of a typical sum; and
 *   no less than e(median M_i) + 4: contributions to typical targets stay in the fast loop, even if their sums cancel.
 * A contribution beyond the grid takes the time of hundreds, so that one target in SCALE_SOURCES/N may have one. With a
 * far field the sums have about SCALE_NEAR contributions instead of N: one target in 10 SCALE_SOURCES/SCALE_NEAR.
 * Sums that ask for spare bits (grid_is_spare) have the exponent e(max M_i) + 4 within these limits: the atoms of a
 * molecule meet as closely again and again, and a GPU that moves them waits for every contribution beyond the grid.
 * Where cells are sources (method tree), the largest contributions to a target are those of large cells, which no
 * sample of pairs shows. They are about as large as the whole sum: the exponent is no less than e(median |f_i|) + 4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/interaction.h"

enum {
    SCALE_LOWEST = -80, /* exponents for which every constant of a float grid is normal */
    SCALE_HIGHEST = 126,
    SCALE_LOWEST_DOUBLE = -800,
    SCALE_HIGHEST_DOUBLE = 1020,
    NARUMI_SUMS = 4,       /* log2 of the number of sums between folds */
    NARUMI_LOW_BITS = 23,  /* see narumi.h */
    FIXED_SPARE = 2,       /* bits by which contributions may grow until the next choice */
    SCALE_SOURCES = 20000, /* a contribution beyond the grid takes the time of at most so many others */
    SCALE_NEAR = 1000,     /* near sources of a target if there is a far field */
    SCALE_SLACK = 3,       /* a grid that is wrong by no more bits is kept */
    FIXED_GUARD = 9        /* bits of a grid below those of a typical sum, less one; see above */
};

int myr_scale_needed(int accumulator)
{
    return accumulator == MYR_ACCUMULATOR_fixed || accumulator == MYR_ACCUMULATOR_narumi ||
           accumulator == MYR_ACCUMULATOR_nitadori_large;
}

static myr_acc_scale scale_grid(int accumulator, int exponent, int mantissa)
{
    if (!myr_scale_needed(accumulator))
        return (myr_acc_scale){.exponent = exponent, .fold = accumulator == MYR_ACCUMULATOR_chamomile};
    myr_acc_scale s = myr_acc_grid(exponent, mantissa);
    if (accumulator == MYR_ACCUMULATOR_narumi)
        s.fine = ldexp(s.coarse, -NARUMI_LOW_BITS);
    return s;
}

int myr_interaction_output_field(const myr_kernel_desc *desc, int component)
{
    int field = 0;
    while (component >= desc->output[field].components)
        component -= desc->output[field++].components;
    return field;
}

void myr_problem_use(myr_problem *problem, myr_acc_loop loop, int accumulator, const myr_grid *grid)
{
    const myr_unit *u = problem->direct.unit;
    problem->direct.loops = &u->loops[loop];
    for (int k = 0; k < u->outputs; k++)
        problem->direct.scale[k] =
            scale_grid(accumulator, grid[myr_interaction_output_field(u->desc, k)].exponent, u->mantissa);
}

int myr_problem_unroll(myr_problem *problem, const myr_isa_table *isa, const myr_interaction *f)
{
    const int fits = f->kernel == MYR_KERNEL_gravity && f->accumulator == MYR_ACCUMULATOR_single &&
                     f->arithmetic == myr_catalogue_arithmetic("single");
    for (const myr_unrolled *u = fits ? isa->unrolled : NULL; u && u->loop; u++)
        if (10 * u->vectors + u->steps == f->unroll) {
            problem->unrolled = *problem->direct.loops;
            problem->unrolled.many = u->loop;
            problem->unrolled.unroll = u->vectors;
            problem->direct.loops = &problem->unrolled;
            return 1;
        }
    myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                     "unroll %d: only gravity with accumulator single in single arithmetic on a vector backend is "
                     "compiled unrolled 11, 12, 14, 21, 22, 24, 41, 42 and 44 ways",
                     f->unroll);
    return 0;
}

/* A target and the hash of its position. */
typedef struct {
    uint64_t hash;
    int64_t target;
} hashed_target;

static int compare_hashes(const void *a, const void *b)
{
    const hashed_target *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash) - (x->hash < y->hash)
                              : (x->target > y->target) - (x->target < y->target);
}

/* Hash of the position of entry i of a side's arrays. */
static uint64_t position_hash(const myr_direct *d, int64_t i)
{
    uint64_t hash = 0;
    for (int k = 0; k < d->unit->desc->coords * d->unit->coord_lanes; k++) {
        const char *at = (const char *)d->target.component[k] + i * d->unit->real_bytes;
        uint64_t bits = 0;
        memcpy(&bits, at, (size_t)d->unit->real_bytes);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
}

int64_t myr_scale_pick(const myr_direct *d, int64_t picked[SCALE_SAMPLE])
{
    hashed_target some[4 * SCALE_SAMPLE];
    const int64_t all = d->targets;
    int64_t n = 0;
    /* hashes below the limit are expected for half of the room; if there are more, the lowest are kept */
    const double share = 2.0 * SCALE_SAMPLE / (double)all;
    const uint64_t limit = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
    for (int64_t i = 0; i < all; i++) {
        const uint64_t hash = position_hash(d, d->at ? d->at[i] : i);
        if (hash > limit)
            continue;
        if (n == 4 * SCALE_SAMPLE) {
            qsort(some, (size_t)n, sizeof *some, compare_hashes);
            n = SCALE_SAMPLE;
        }
        some[n++] = (hashed_target){hash, i};
    }
    if (n == 0) /* no hash is low: all positions are alike */
        some[n++] = (hashed_target){0, 0};
    qsort(some, (size_t)n, sizeof *some, compare_hashes);
    n = n < SCALE_SAMPLE ? n : SCALE_SAMPLE;
    for (int64_t i = 0; i < n; i++)
        picked[i] = some[i].target;
    return n;
}

/* Runs a loop over a sample of targets: result->value[k] = values + k * targets. fold: see the loop's header. */
static myr_status scale_run(const myr_problem *sample, myr_acc_loop loop, int accumulator, const myr_grid *grid,
                            int fold, double *values, myr_direct_result *result)
{
    myr_problem p = *sample;
    myr_problem_use(&p, loop, accumulator, grid);
    p.direct.factor = 1;
    for (int k = 0; k < p.direct.unit->outputs; k++) {
        p.direct.scale[k].fold = fold;
        result->value[k] = values + k * p.direct.targets;
    }
    return myr_direct_run(&p.direct, result);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void myr_scale_sort(double *size, int64_t n)
{
    qsort(size, (size_t)n, sizeof *size, compare_doubles);
}

/* Exponent of entry `rank` from the top of the n numbers, or `none` if it is 0. Sorts the numbers. */
static int scale_ranked(double *size, int64_t n, int64_t rank, int none)
{
    myr_scale_sort(size, n);
    const double at = size[n - 1 - rank];
    return at > 0 ? ilogb(at) : none;
}

/* Limits of the exponent of one field of `fixed`, for a sample of n targets. */
typedef struct {
    int least, most;
} scale_limits;

/* Limits from the largest contributions M_i and the sums |f_i|. */
static scale_limits scale_find_limits(int mantissa, int64_t sources, int cells, int spare, int64_t n, double *largest,
                                      double *length)
{
    int low, high;
    int64_t nonzero = 0;
    myr_scale_limits(MYR_ACCUMULATOR_fixed, mantissa, &low, &high);
    for (int64_t i = 0; i < n; i++)
        nonzero += length[i] > 0;
    const int noise = sources > 12 ? (int)ceil(0.5 * log2((double)sources / 12)) : 0;
    const int middle = nonzero ? scale_ranked(length, n, nonzero / 2, low) : high;
    const int typical = nonzero ? middle + mantissa - FIXED_GUARD - noise : high;
    const int whole = nonzero && cells ? middle + 2 + FIXED_SPARE : low;
    const int all = scale_ranked(largest, n, 0, low) + 2 + spare, half = scale_ranked(largest, n, n / 2, low) + 2;
    scale_limits e = {half + FIXED_SPARE > whole ? half + FIXED_SPARE : whole, all < typical ? all : typical};
    e.least = e.least < low ? low : e.least > high ? high : e.least;
    e.most = e.most < e.least ? e.least : e.most > high ? high : e.most;
    e.least = spare ? e.most : e.least;
    return e;
}

/* Limits of every field; most and sum are [outputs][targets]. */
static void scale_field_limits(const myr_problem *sample, const myr_interaction *f, const double *most,
                               const double *sum, scale_limits *limits)
{
    const myr_method_table *method = myr_method_of(f);
    const int spare = f->grid_is_spare ? FIXED_SPARE : 0;
    const myr_unit *u = sample->direct.unit;
    const int64_t n = sample->direct.targets, all = sample->direct.source.n;
    const int64_t sources = !method->exact && all > SCALE_NEAR ? SCALE_NEAR : all;
    for (int field = 0, at = 0; field < MYR_KERNEL_OUTPUT_FIELDS && u->desc->output[field].name; field++) {
        double largest[SCALE_SAMPLE] = {0}, length[SCALE_SAMPLE] = {0};
        for (int c = 0; c < u->desc->output[field].components; c++, at++)
            for (int64_t i = 0; i < n; i++) {
                largest[i] = fmax(largest[i], most[at * n + i]);
                length[i] = hypot(length[i], sum[at * n + i]);
            }
        limits[field] = scale_find_limits(u->mantissa, sources, method->cells, spare, n, largest, length);
    }
}

/* Lowest exponents within the limits with which few contributions to the sample are beyond the grid. */
static myr_status scale_search(const myr_problem *sample, int far, const scale_limits *limits, double *values,
                               myr_grid *grid)
{
    const myr_unit *u = sample->direct.unit;
    const double most = far ? 0.1 * SCALE_NEAR / SCALE_SOURCES : 0.2;
    const double allowed =
        1 + (double)sample->direct.targets * fmin(most, (double)sample->direct.source.n / SCALE_SOURCES);
    for (int field = 0; field < MYR_KERNEL_OUTPUT_FIELDS && u->desc->output[field].name; field++)
        grid[field] = (myr_grid){limits[field].least, 1, 0};
    for (int raised = 1; raised;) {
        myr_direct_result result = {0};
        int64_t beyond[MYR_KERNEL_OUTPUT_FIELDS] = {0};
        const myr_status status = scale_run(sample, MYR_ACC_fixed, MYR_ACCUMULATOR_fixed, grid, 0, values, &result);
        if (status)
            return status;
        for (int k = 0; k < u->outputs; k++)
            beyond[myr_interaction_output_field(u->desc, k)] += result.beyond[k];
        raised = 0;
        for (int field = 0; field < MYR_KERNEL_OUTPUT_FIELDS && u->desc->output[field].name; field++)
            if ((double)beyond[field] > allowed * u->desc->output[field].components &&
                grid[field].exponent < limits[field].most) {
                grid[field].exponent++;
                raised = 1;
            }
    }
    return MYR_OK;
}

/* Measures the sample and searches the grids; values has room for two numbers per target and output. */
static myr_status scale_find_fixed(const myr_problem *sample, const myr_interaction *f, double *values, myr_grid *grid,
                                   int64_t *first_bad)
{
    static const myr_grid none[MYR_KERNEL_OUTPUT_FIELDS];
    myr_direct_result result = {0};
    scale_limits limits[MYR_KERNEL_OUTPUT_FIELDS];
    double *sum = values + sample->direct.targets * sample->direct.unit->outputs;
    myr_status status = scale_run(sample, MYR_ACC_range, MYR_ACCUMULATOR_single, none, 1, values, &result);
    if (!status && result.first_bad < 0)
        status = scale_run(sample, MYR_ACC_exact, MYR_ACCUMULATOR_single, none, 0, sum, &result);
    *first_bad = status ? -1 : result.first_bad;
    if (status || result.first_bad >= 0)
        return status;
    scale_field_limits(sample, f, values, sum, limits);
    return scale_search(sample, !myr_method_of(f)->exact, limits, values, grid);
}

/* 1 if a grid stays although another exponent is wanted. Grids with spare bits do not stay where these are used up. */
static int scale_is_kept(const myr_interaction *f, const myr_grid *grid, int wanted)
{
    const int lacking = wanted - grid->exponent;
    return grid->known && abs(lacking) <= SCALE_SLACK && !(f->grid_is_spare && lacking > 0);
}

myr_status myr_scale_choose_fixed(myr_interaction *f, const myr_problem *sample, int64_t *first_bad)
{
    myr_grid grid[MYR_KERNEL_OUTPUT_FIELDS] = {{0, 0, 0}};
    const myr_unit *u = sample->direct.unit;
    double *values = myr_memory_zeros(2 * sample->direct.targets * u->outputs, sizeof *values);
    if (!values)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for the range of %lld targets",
                                (long long)sample->direct.targets);
    const myr_status status = scale_find_fixed(sample, f, values, grid, first_bad);
    for (int k = 0; !status && *first_bad < 0 && k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        if (grid[k].known && !f->grid[k].by_user && !scale_is_kept(f, &f->grid[k], grid[k].exponent))
            f->grid[k] = grid[k];
    free(values);
    return status;
}

/* Runs the interaction's method over a problem. Loops over near pairs on a GPU do not measure sizes: the processor does
 * that, with the lists of the same settings. */
static myr_status scale_run_method(myr_interaction *f, const myr_isa_table *isa, myr_problem *p,
                                   myr_direct_result *result)
{
    const myr_isa_table *processor = isa->gpu && !myr_method_of(f)->every_pair ? myr_backend_best() : isa;
    myr_fmm *const kept = f->method_state.fmm;
    if (processor == isa)
        return myr_method_run(f, isa, &p->direct, result);
    p->direct.unit = myr_kernel_registry_unit(f->context, f->kernel, processor, p->direct.unit->arithmetic);
    p->direct.gpu = NULL;
    if (!p->direct.unit)
        return MYR_ERROR_UNAVAILABLE;
    p->direct.loops = &p->direct.unit->loops[MYR_ACC_range];
    f->method_state.fmm = NULL; /* operators on the GPU are used again afterwards */
    const myr_status status = myr_method_run(f, processor, &p->direct, result);
    myr_fmm_destroy(&f->method_state.fmm);
    f->method_state.fmm = kept;
    return status;
}

/* Runs `range` over all targets, by the interaction's method or (isa null) directly: largest contribution and largest
 * sum of |contributions| per component. */
static myr_status scale_measure(myr_interaction *f, const myr_isa_table *isa, const myr_problem *problem, double *most,
                                double *sum, int64_t *first_bad)
{
    static const myr_grid none[MYR_KERNEL_OUTPUT_FIELDS];
    myr_problem p = *problem;
    myr_direct_result result = {0};
    const int outputs = p.direct.unit->outputs;
    double *values = myr_memory_zeros(p.direct.targets * outputs, sizeof *values);
    if (!values)
        return myr_context_fail(p.direct.context, MYR_ERROR_MEMORY, "no memory for the range of %lld targets",
                                (long long)p.direct.targets);
    myr_problem_use(&p, MYR_ACC_range, MYR_ACCUMULATOR_single, none);
    p.direct.factor = 1;
    p.direct.subtracted = (myr_exclusions){0};
    for (int k = 0; k < outputs; k++)
        result.value[k] = values + k * p.direct.targets;
    const myr_status status = isa ? scale_run_method(f, isa, &p, &result) : myr_direct_run(&p.direct, &result);
    for (int k = 0; !status && k < outputs; k++) {
        most[k] = result.most[k];
        sum[k] = 0;
        for (int64_t i = 0; i < p.direct.targets; i++)
            sum[k] = fmax(sum[k], result.value[k][i]);
    }
    *first_bad = result.first_bad;
    free(values);
    return status;
}

/* Spare bits above the measured values. */
static int scale_margin(int accumulator, int is_sample)
{
    return accumulator == MYR_ACCUMULATOR_narumi && is_sample ? 3 : 1;
}

void myr_scale_limits(int accumulator, int mantissa, int *low, int *high)
{
    *low = mantissa > 23 ? SCALE_LOWEST_DOUBLE : SCALE_LOWEST;
    *high = mantissa > 23 ? SCALE_HIGHEST_DOUBLE : SCALE_HIGHEST;
    if (accumulator == MYR_ACCUMULATOR_narumi)
        *low += NARUMI_SUMS;
}

static int scale_exponent(const myr_interaction *f, int mantissa, double most, double sum, int margin)
{
    const double largest = f->accumulator == MYR_ACCUMULATOR_nitadori_large ? sum : most;
    const int sums = f->accumulator == MYR_ACCUMULATOR_narumi ? NARUMI_SUMS : 0;
    int low, high;
    myr_scale_limits(f->accumulator, mantissa, &low, &high);
    const int exponent = largest > 0 ? ilogb(largest) + 2 + margin + sums : low;
    return exponent < low ? low : exponent > high ? high : exponent;
}

myr_status myr_scale_choose(myr_interaction *f, const myr_isa_table *isa, const myr_problem *problem, int is_sample,
                            int64_t *first_bad, int *lacking)
{
    const myr_unit *u = problem->direct.unit;
    double most[MYR_KERNEL_OUTPUTS_MAX], sum[MYR_KERNEL_OUTPUTS_MAX];
    const int margin = scale_margin(f->accumulator, is_sample);
    const myr_status status = scale_measure(f, is_sample ? NULL : isa, problem, most, sum, first_bad);
    *lacking = -1;
    if (status || *first_bad >= 0)
        return status;
    for (int field = 0; field < MYR_KERNEL_OUTPUT_FIELDS && u->desc->output[field].name; field++) {
        double field_most = 0, field_sum = 0;
        for (int k = 0; k < u->outputs; k++)
            if (myr_interaction_output_field(u->desc, k) == field) {
                field_most = fmax(field_most, most[k]);
                field_sum = fmax(field_sum, sum[k]);
            }
        myr_grid *grid = &f->grid[field];
        const int least = scale_exponent(f, u->mantissa, field_most, field_sum, 0);
        const int wanted = scale_exponent(f, u->mantissa, field_most, field_sum, margin);
        if (grid->by_user && grid->exponent < least)
            *lacking = field;
        if (!grid->by_user && (!grid->known || grid->exponent < wanted))
            *grid = (myr_grid){wanted, 1, 0};
    }
    return MYR_OK;
}
