/* accuracy.c - error of a result: compares it with the same targets evaluated in double arithmetic with exact sums, and
 * with the same contributions summed exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/interaction.h"

typedef struct {
    myr_interaction *f;
    myr_particles *targets;
    const myr_particles *sources;
    int64_t n;
    int64_t *pick;
} accuracy_sample;

/* Evaluates the sampled targets with one of the library's own loops; values[outputs][n]. rounded: 1 = exact sum of the
 * contributions as rounded to the arithmetic. */
static myr_status accuracy_run(const accuracy_sample *s, int arithmetic, const myr_isa_table *isa, myr_acc_loop loop,
                               int rounded, double *values)
{
    myr_problem p;
    myr_direct_result result = {0};
    myr_status status = myr_problem_make(s->f, arithmetic, isa, s->targets, s->n, s->pick, s->sources, &p);
    if (status)
        return status;
    myr_problem_use(&p, loop, MYR_ACCUMULATOR_single, s->f->grid);
    for (int k = 0; k < p.direct.unit->outputs; k++) {
        result.value[k] = values + k * s->n;
        p.direct.scale[k].fold = rounded;
    }
    status = myr_direct_run(&p.direct, &result);
    myr_problem_free(&p);
    return status;
}

/* Returns 1 for accumulators that add products by fused operations: their error is relative to the sum of exact
 * products. */
static int accuracy_fused(const myr_interaction *f, const myr_isa_table *isa)
{
    const myr_acc_loop loop = myr_catalogue_loop(f->accumulator);
    return (loop == MYR_ACC_single || loop == MYR_ACC_fixed || loop == MYR_ACC_narumi) && isa->has_fma &&
           f->arithmetic != myr_catalogue_arithmetic("portable");
}

typedef struct {
    int first, components; /* first component and number of components of the output field */
    int64_t n;
    const double *got, *right, *exact, *size; /* [outputs][n] */
    double unit;                              /* unit roundoff: 2^-24 or 2^-53 */
} accuracy_arrays;

static void accuracy_compare(const accuracy_arrays *a, myr_accuracy *accuracy)
{
    double sum_square = 0, sum_exact = 0, all_errors = 0, all_lengths = 0;
    for (int64_t i = 0; i < a->n; i++) {
        double error = 0, length = 0, off = 0, exact_length = 0, size = 0;
        for (int c = 0; c < a->components; c++) {
            const int64_t at = (a->first + c) * a->n + i;
            error += pow(a->got[at] - a->right[at], 2);
            length += pow(a->right[at], 2);
            off += pow(a->got[at] - a->exact[at], 2);
            exact_length += pow(a->exact[at], 2);
            size += pow(a->size[at], 2);
            if (a->size[at] > 0)
                accuracy->sum_bound_used =
                    fmax(accuracy->sum_bound_used, fabs(a->got[at] - a->exact[at]) / (a->unit * fabs(a->size[at])));
        }
        const double relative = length > 0 ? error / length : error;
        if (size > 0)
            accuracy->rounding_used = fmax(accuracy->rounding_used, sqrt(error / size) / a->unit);
        accuracy->max_error = fmax(accuracy->max_error, sqrt(relative));
        sum_square += relative;
        all_errors += error;
        all_lengths += length;
        sum_exact += exact_length > 0 ? off / exact_length : off;
    }
    accuracy->rms_error = a->n ? sqrt(sum_square / (double)a->n) : 0;
    accuracy->norm_error = sqrt(all_lengths > 0 ? all_errors / all_lengths : all_errors);
    accuracy->sum_error = a->n ? sqrt(sum_exact / (double)a->n) : 0;
    accuracy->samples = a->n;
}

static myr_status accuracy_measure(const accuracy_sample *s, const char *output, int first, int components,
                                   double *memory, myr_accuracy *accuracy)
{
    const myr_isa_table *isa = myr_interaction_isa(s->f, (double)s->f->last.targets * (double)s->f->last.sources);
    const int double_arithmetic = myr_catalogue_arithmetic("double");
    const int64_t block = s->n * MYR_KERNEL_OUTPUTS_MAX;
    double *got = memory, *right = memory + block, *exact = memory + 2 * block, *size = memory + 3 * block;
    myr_status status = isa ? MYR_OK : MYR_ERROR_UNAVAILABLE;
    if (!status)
        status = accuracy_run(s, double_arithmetic, isa->gpu ? myr_backend_best() : isa, MYR_ACC_exact, 0, right);
    if (!status)
        status = accuracy_run(s, s->f->arithmetic, isa, MYR_ACC_exact, !accuracy_fused(s->f, isa), exact);
    if (!status)
        status = accuracy_run(s, s->f->arithmetic, isa, MYR_ACC_range, 0, size);
    if (status)
        return status;
    for (int c = 0; c < components; c++) {
        const double *from = myr_particles_component(s->targets, output, c);
        for (int64_t i = 0; i < s->n; i++)
            got[(first + c) * s->n + i] = from[s->pick[i]];
    }
    const double unit = s->f->arithmetic == double_arithmetic ? 0x1p-53 : 0x1p-24;
    const accuracy_arrays arrays = {first, components, s->n, got, right, exact, size, unit};
    accuracy_compare(&arrays, accuracy);
    return MYR_OK;
}

myr_status myr_interaction_accuracy(myr_interaction *interaction, myr_particles *targets, const myr_particles *sources,
                                    const char *output, int64_t samples, myr_accuracy *accuracy)
{
    myr_interaction *f = interaction;
    if (!f || !targets || !sources || !output || !accuracy || samples < 1)
        return MYR_ERROR_ARGUMENT;
    memset(accuracy, 0, sizeof *accuracy);
    if (myr_method_has_box(f))
        return myr_context_fail(
            f->context, MYR_ERROR_COMBINATION,
            "direct sums have no images of a periodic box: there is nothing to measure the error by");
    if (!f->evaluated)
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "nothing was evaluated yet");
    const myr_kernel_desc *d = myr_interaction_desc(f);
    int field = 0, first = 0;
    while (field < MYR_KERNEL_OUTPUT_FIELDS && d->output[field].name && strcmp(d->output[field].name, output) != 0)
        first += d->output[field++].components;
    if (field == MYR_KERNEL_OUTPUT_FIELDS || !d->output[field].name)
        return myr_context_fail(f->context, MYR_ERROR_NAME, "kernel %s has no output '%s'", d->name, output);
    const int64_t all = f->last.targets, n = all < samples ? all : samples;
    const int64_t there = myr_particles_component_const(targets, output, d->output[field].components - 1)
                              ? myr_particles_count(targets)
                              : 0;
    for (int64_t i = 0; i < all; i++)
        if ((f->subset ? f->subset[i] : i) >= there)
            return myr_context_fail(f->context, MYR_ERROR_FIELD, "these are not the targets of the last evaluation");
    accuracy_sample s = {f, targets, sources, n, myr_memory_zeros(n, sizeof *s.pick)};
    double *memory = myr_memory_zeros(4 * n * MYR_KERNEL_OUTPUTS_MAX, sizeof *memory);
    myr_status status = MYR_ERROR_MEMORY;
    if (!s.pick || !memory) {
        myr_context_fail(f->context, status, "no memory for %lld samples", (long long)n);
    } else {
        for (int64_t i = 0; i < n; i++) {
            const int64_t k = (int64_t)((double)i * (double)all / (double)n);
            s.pick[i] = f->subset ? f->subset[k] : k;
        }
        status = accuracy_measure(&s, output, first, d->output[field].components, memory, accuracy);
    }
    free(s.pick);
    free(memory);
    return status;
}
