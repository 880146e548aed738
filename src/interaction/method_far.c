/* method_far.c - common parts of the methods with a far field; see method_far.h. */
#include "interaction/method_far.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/direct.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm_choose.h"
#include "method/tree/cell_moments.h"

enum {
    MEASURE_SAMPLES = 256, /* number of targets on which the error is measured */
    MEASURE_BOX = 32       /* number of targets in a periodic box, where each target has the pairs of 27 boxes */
};

/* --- compatibility ------------------------------------------------------------------------------------------------ */

myr_status myr_method_far_check(const myr_interaction *f, const myr_unit *unit)
{
    const char *method = myr_method_of(f)->info.name;
    const char *kernel = unit->desc->name;
    const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    const double least = myr_fmm_floor(unit->real_bytes, unit->coord_lanes);
    if (!unit->desc->has_expansion)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has no multipole expansion, which method %s needs; use method direct",
                                kernel, method);
    if (!myr_far_field_find(kernel))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method %s does not know the far field of kernel %s; use method direct", method,
                                kernel);
    if (f->arithmetic == myr_catalogue_arithmetic("portable"))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "portable arithmetic promises the same bits everywhere, and the far field of method %s "
                                "is summed as wide as the lanes are; use mixed or double, or method direct",
                                method);
    if (f->offset)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "exclusions need every pair to be looked at: use method direct, not %s", method);
    if (f->unroll)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION, "unroll is for method direct, not %s", method);
    if (f->method_state.requested[MYR_METHOD_tolerance] > 0 && tolerance < least)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "tolerance = %g is below what %s arithmetic can reach, %g; use double arithmetic%s",
                                tolerance, myr_catalogue_arithmetic_name(f->arithmetic), least,
                                unit->real_bytes == 8 ? " with a larger tolerance, or method direct" : "");
    return MYR_OK;
}

myr_status myr_method_far_check_points(const myr_interaction *f, const myr_unit *unit)
{
    const double order = f->method_state.requested[MYR_METHOD_order];
    const char *method = myr_method_of(f)->info.name;
    const myr_status status = myr_method_far_check(f, unit);
    if (status)
        return status;
    if (unit->desc->coords != 3 || unit->pair || myr_kernel_strength(unit->desc) < 0)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method %s needs sources with a strength at a place; kernel %s has none", method,
                                unit->desc->name);
    if (order > MYR_SPHERICAL_DESIGN_ORDER)
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "order = %g: method %s goes up to %d; method fmm goes further", order, method,
                                MYR_SPHERICAL_DESIGN_ORDER);
    return MYR_OK;
}

int myr_method_far_stretches(const myr_unit *unit)
{
    return unit->desc->target[0].name && strcmp(unit->desc->target[0].name, "strength") == 0;
}

/* --- softening ---------------------------------------------------------------------------------------------------- */

double myr_method_far_reach(const myr_interaction *f, const myr_direct *problem, double tolerance)
{
    const int plummer = !isnan(myr_interaction_get(f, "eps"));
    return plummer ? 0 : myr_far_field_find(problem->unit->desc->name)->reach(problem, tolerance);
}

double myr_method_far_softening(const myr_interaction *f)
{
    const double eps = myr_interaction_get(f, "eps");
    return isnan(eps) ? 0 : eps;
}

/* --- reports ------------------------------------------------------------------------------------------------------ */

void myr_method_far_keep(myr_interaction *f, const myr_far_report *report, const char *const *part,
                         const double *seconds)
{
    myr_far_report *to = &f->method_state.report;
    const myr_far_report measured = *to;
    *to = *report;
    to->within_pairs = -1;
    to->tolerance = measured.tolerance;
    to->samples = measured.samples;
    memcpy(to->output, measured.output, sizeof to->output);
    memcpy(to->error, measured.error, sizeof to->error);
    for (int k = 0; part[k]; k++) {
        to->part[k] = part[k];
        to->seconds[k] = seconds[k];
    }
}

typedef struct {
    int64_t n, pick[MEASURE_SAMPLES], at[MEASURE_SAMPLES], self[MEASURE_SAMPLES];
    double *value; /* [outputs][n] */
} measure_sample;

/* Direct sum of the same targets, in the arithmetic of the interaction. */
static myr_status measure_direct(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 measure_sample *s)
{
    myr_direct p = *problem;
    myr_direct_result r = {.first_bad = -1};
    const int64_t step = problem->targets / (myr_method_has_box(f) ? MEASURE_BOX : MEASURE_SAMPLES) + 1;
    for (int64_t i = step / 2; i < problem->targets; i += step, s->n++) {
        s->pick[s->n] = i;
        s->at[s->n] = p.at ? p.at[i] : i;
        s->self[s->n] = p.self ? p.self[i] : -1;
    }
    p.targets = s->n;
    p.at = s->at;
    p.self = s->self;
    p.loops = &p.unit->loops[MYR_ACC_double];
    p.splits = p.bag = 0;
    s->value = myr_memory_zeros(s->n * p.unit->outputs, sizeof *s->value);
    if (!s->value)
        return myr_context_fail(p.context, MYR_ERROR_MEMORY, "no memory for %lld sampled targets", (long long)s->n);
    for (int k = 0; k < p.unit->outputs; k++)
        r.value[k] = s->value + k * s->n;
    return myr_method_has_box(f) ? myr_method_sum_box(f, isa, &p, &r) : myr_direct_run(&p, &r);
}

static void measure_compare(const myr_direct *problem, const myr_direct_result *result, const measure_sample *s,
                            myr_far_report *report)
{
    const myr_kernel_output *output = problem->unit->desc->output;
    for (int field = 0, k = 0; field < MYR_KERNEL_OUTPUT_FIELDS && output[field].name; field++) {
        double off = 0, all = 0;
        for (int c = 0; c < output[field].components; c++, k++)
            for (int64_t i = 0; i < s->n; i++) {
                const double right = s->value[k * s->n + i];
                off += pow(result->value[k][s->pick[i]] - right, 2);
                all += right * right;
            }
        report->output[field] = output[field].name;
        report->error[field] = all > 0 ? sqrt(off / all) : sqrt(off);
    }
    report->samples = s->n;
}

static void measure_warn(myr_interaction *f)
{
    myr_method_state *m = &f->method_state;
    const double tolerance = m->used[MYR_METHOD_tolerance];
    const int asked = m->requested[MYR_METHOD_tolerance] > 0 ||
                      !(m->requested[MYR_METHOD_order] > 0 || m->requested[MYR_METHOD_theta] > 0);
    for (int k = 0; asked && !m->warned && k < MYR_KERNEL_OUTPUT_FIELDS && m->report.output[k]; k++)
        if (!(m->report.error[k] <= tolerance)) {
            m->warned = 1;
            myr_context_warn(f->context,
                             "%s is off by %.2g (relative rms, measured on %lld targets), more than the tolerance %g: "
                             "raise order (it is %d), or ask for a smaller tolerance",
                             m->report.output[k], m->report.error[k], (long long)m->report.samples, tolerance,
                             m->report.order);
        }
}

myr_status myr_method_far_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 const myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    m->report.tolerance = m->used[MYR_METHOD_tolerance];
    measure_sample sample = {0};
    const myr_status status = measure_direct(f, isa, problem, &sample);
    if (!status) {
        measure_compare(problem, result, &sample, &m->report);
        measure_warn(f);
    }
    free(sample.value);
    return status;
}
