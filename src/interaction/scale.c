/* scale.c - fixed-point grids of `fixed`, `narumi` and `nitadori_large`: one power of two per output field, found by
 * measuring contributions with the `range` accumulator. The choice depends on the particles only, not on threads or
 * tiling. */
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
    NARUMI_SUMS = 4,     /* log2 of the number of sums between folds */
    NARUMI_LOW_BITS = 23 /* see narumi.h */
};

int myr_scale_needed(int accumulator)
{
    return accumulator == MYR_ACCUMULATOR_fixed || accumulator == MYR_ACCUMULATOR_narumi ||
           accumulator == MYR_ACCUMULATOR_nitadori_large;
}

static myr_acc_scale scale_grid(int accumulator, int exponent, int mantissa)
{
    myr_acc_scale s = {.exponent = exponent};
    s.fold = accumulator == MYR_ACCUMULATOR_chamomile;
    if (!myr_scale_needed(accumulator))
        return s;
    s.large = ldexp(1.5, exponent);
    s.coarse = ldexp(1.0, exponent - mantissa);
    s.both = s.large + 3 * s.coarse;
    s.middle = 1.5 * s.coarse;
    s.fine = ldexp(s.coarse, 1 - mantissa);
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
    const myr_status status = isa ? myr_method_run(f, isa, &p.direct, &result) : myr_direct_run(&p.direct, &result);
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

/* Spare bits above the measured values. Without softening the largest contribution has a long tail (a sample of the
 * targets may miss it by a factor of tens), and `fixed` has bits to spare; sums of |f| have no such tail. */
static int scale_margin(int accumulator, int is_sample)
{
    if (accumulator == MYR_ACCUMULATOR_fixed)
        return is_sample ? 8 : 2;
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
