/* method_far.c - common parts of the methods with a far field; see method_far.h. */
#include "interaction/method_far.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/memory.h"
#include "interaction/kernel_registry.h"
#include "method/direct.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm_choose.h"
#include "method/tree/cell_moments.h"
#include "method/tree/tree.h"

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
    if (order > myr_method_of(f)->orders)
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "order = %g: method %s goes up to %d; method fmm goes further", order, method,
                                myr_method_of(f)->orders);
    return MYR_OK;
}

myr_status myr_method_far_check_least(const myr_interaction *f, double least)
{
    const double tolerance = f->method_state.requested[MYR_METHOD_tolerance];
    if (f->method_state.best_effort || !(tolerance > 0) || f->method_state.requested[MYR_METHOD_order] > 0 ||
        tolerance >= least * (1 - 1e-12))
        return MYR_OK;
    return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                            "tolerance = %g is below what method %s can reach with kernel %s, %.2g; use method %s",
                            tolerance, myr_method_of(f)->info.name, myr_interaction_desc(f)->name, least,
                            myr_method_of(f) == &myr_method_fmm ? "direct" : "fmm or direct");
}

myr_status myr_method_far_check_cells(const myr_interaction *f, const myr_unit *unit)
{
    return myr_fmm_gpu_check(f->context, unit->desc->name);
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

static myr_status measure_choose(const myr_interaction *f, const myr_direct *problem, measure_sample *s)
{
    const int64_t step = problem->targets / (myr_method_has_box(f) ? MEASURE_BOX : MEASURE_SAMPLES) + 1;
    for (int64_t i = step / 2; i < problem->targets; i += step, s->n++) {
        s->pick[s->n] = i;
        s->at[s->n] = problem->at ? problem->at[i] : i;
        s->self[s->n] = problem->self ? problem->self[i] : -1;
    }
    s->value = myr_memory_zeros(s->n * problem->unit->outputs, sizeof *s->value);
    return s->value ? MYR_OK
                    : myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for %lld sampled targets",
                                       (long long)s->n);
}

/* Direct sum of a problem whose targets are the sample. */
static myr_status measure_sum(const myr_interaction *f, const myr_isa_table *isa, myr_direct *p, measure_sample *s)
{
    myr_direct_result r = {.first_bad = -1};
    p->targets = s->n;
    p->self = s->self;
    p->loops = &p->unit->loops[MYR_ACC_double];
    p->splits = p->bag = 0;
    p->careful = 1; /* particles at the same place do not act on each other; whether there are some is not known yet */
    for (int k = 0; k < p->unit->outputs; k++)
        r.value[k] = s->value + k * s->n;
    return myr_method_has_box(f) ? myr_method_sum_box(f, isa, p, &r) : myr_direct_run(p, &r);
}

/* Instruction set of the direct sum. Its last bits may raise the order, so that portable arithmetic has plain code. */
static const myr_isa_table *measure_isa(const myr_interaction *f, const myr_isa_table *isa)
{
    if (f->arithmetic == MYR_ARITHMETIC_PORTABLE)
        return myr_backend_isa(0);
    return isa->gpu ? myr_backend_best() : isa;
}

/* Direct sum of the sample over the positions that the user gave, in double arithmetic. */
static myr_status measure_direct(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 measure_sample *s)
{
    myr_problem wide;
    const myr_isa_table *processor = measure_isa(f, isa);
    myr_status status = myr_problem_widen(f, processor, problem, s->n, s->at, &wide);
    if (status)
        return status;
    status = measure_sum(f, processor, &wide.direct, s);
    myr_problem_free(&wide);
    return status;
}

/* Direct sum of the sample over the positions as the arithmetic of the interaction has them. */
static myr_status measure_rounded(const myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                  measure_sample *s)
{
    const myr_isa_table *processor = isa->gpu && myr_method_has_box(f) ? myr_backend_best() : isa;
    myr_direct p = *problem;
    if (processor != isa) { /* images are summed by the processor, whose loops read the same arrays */
        p.unit = myr_kernel_registry_unit(f->context, f->kernel, processor, p.unit->arithmetic);
        p.gpu = NULL;
    }
    if (!p.unit)
        return MYR_ERROR_UNAVAILABLE;
    p.at = s->at;
    return measure_sum(f, processor, &p, s);
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
                const double wrong = result->value[k][s->pick[i]] - right;
                off += wrong * wrong;
                all += right * right;
            }
        report->output[field] = output[field].name;
        report->error[field] = all > 0 ? sqrt(off / all) : sqrt(off);
    }
    report->samples = s->n;
}

/* Output with the largest error if that exceeds the tolerance, or -1. */
static int measure_exceeds(const myr_far_report *report, double tolerance)
{
    int worst = 0;
    for (int k = 1; k < MYR_KERNEL_OUTPUT_FIELDS && report->output[k]; k++)
        if (!(report->error[k] <= report->error[worst]))
            worst = k;
    return report->error[worst] <= tolerance ? -1 : worst;
}

/* What a user can do about an error that exceeds the tolerance: if the sum over rounded positions is within it, their
 * rounding is the cause. */
static void measure_advise(const myr_interaction *f, const myr_unit *unit, int rounding, char *text, size_t size)
{
    const myr_method_table *method = myr_method_of(f);
    const int opens = method == &myr_method_tree; /* a smaller tolerance opens more cells at any order */
    const int moving = opens && myr_ordered_problem_field(unit, "velocity") >= 0;
    const int order = f->method_state.report.order, orders = moving ? MYR_TREE_MOVING_ORDER : method->orders;
    if (rounding)
        snprintf(text, size, "positions are rounded to floats; use arithmetic mixed or double");
    else if (order < orders)
        snprintf(text, size, "raise order (it is %d), or ask for a smaller tolerance", order);
    else
        snprintf(text, size, "order %d is the highest of method %s; %suse method %s", order, method->info.name,
                 opens ? "ask for a smaller tolerance, or " : "",
                 method == &myr_method_fmm ? "direct" : "fmm or direct");
}

/* The other settings stay, so that a run with the order of the effective input has the same settings. */
int myr_method_far_raise(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, double excess)
{
    myr_method_state *m = &f->method_state;
    const myr_method_table *method = myr_method_of(f);
    double requested[MYR_METHOD_PARAMETERS];
    /* one degree more leaves 0.76 of the error of sources in the corners of cells at a separation of 1 */
    const double order =
        fmin(m->used[MYR_METHOD_order] + ceil(myr_elementary_log(1.3 * excess) / myr_elementary_log(1 / 0.76)),
             method->orders);
    if (m->requested[MYR_METHOD_order] > 0 || !(order > m->used[MYR_METHOD_order]))
        return 0;
    memcpy(requested, m->requested, sizeof requested);
    memcpy(m->requested, m->used, sizeof m->requested);
    m->requested[MYR_METHOD_order] = order;
    const int raised = !method->choose(f, isa, problem);
    memcpy(m->requested, requested, sizeof requested);
    return raised;
}

/* Lets the method be exacter, if the present evaluation may be repeated; returns 1 if it must be. */
static int measure_raise(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem, double excess)
{
    myr_method_state *m = &f->method_state;
    const myr_method_table *method = myr_method_of(f);
    const int before = (int)m->used[MYR_METHOD_order];
    const double part = m->used[MYR_METHOD_part];
    if (m->raises <= 0 || !method->tighten || !method->tighten(f, isa, problem, excess))
        return 0;
    if (!m->raised_from) {
        m->raised_from = before;
        m->part_from = part;
    }
    m->raises--;
    m->raised = 1;
    return 1;
}

/* An error of which no order of expansions is the cause: a fault of the program or the device. */
#define USELESS 0.1

/* If the error exceeds the tolerance that was asked for, or that the settings were chosen for, raises the order, or
 * warns, once. */
static myr_status measure_judge(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                const myr_direct_result *result, measure_sample *s)
{
    myr_method_state *m = &f->method_state;
    const double tolerance = m->used[MYR_METHOD_tolerance];
    const int asked = m->requested[MYR_METHOD_tolerance] > 0 ||
                      !(m->requested[MYR_METHOD_order] > 0 || m->requested[MYR_METHOD_theta] > 0);
    const int k = measure_exceeds(&m->report, tolerance);
    myr_far_report rounded = m->report;
    char advice[160];
    if (!asked || m->best_effort || !m->judges || k < 0)
        return MYR_OK;
    if (problem->target.rest[0]) {
        const myr_status status = measure_rounded(f, isa, problem, s);
        if (status)
            return status;
        measure_compare(problem, result, s, &rounded);
    }
    const int worst = measure_exceeds(&rounded, tolerance);
    if (worst >= 0 && measure_raise(f, isa, problem, rounded.error[worst] / tolerance))
        return MYR_OK;
    if (worst >= 0 && rounded.error[worst] > USELESS && f->backend == myr_catalogue_backend("cuda"))
        return myr_context_fail(
            f->context, MYR_ERROR_RANGE,
            "%s of the GPU is off by %.2g (relative rms, measured on %lld targets) where the tolerance "
            "is %g: use backend simd, and please report this",
            rounded.output[worst], rounded.error[worst], (long long)rounded.samples, tolerance);
    if (m->warned)
        return MYR_OK;
    measure_advise(f, problem->unit, worst < 0, advice, sizeof advice);
    m->warned = 1;
    myr_context_warn(f->context,
                     "%s is off by %.2g (relative rms, measured on %lld target%s), more than the tolerance %g: %s",
                     m->report.output[k], m->report.error[k], (long long)m->report.samples,
                     myr_plural(m->report.samples), tolerance, advice);
    return MYR_OK;
}

/* Tells that the settings of the table were not enough. */
static void measure_tell_raise(const myr_interaction *f)
{
    const myr_method_state *m = &f->method_state;
    double worst = 0;
    char part[80] = "", order[80] = "";
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && m->report.output[k]; k++)
        worst = fmax(worst, m->report.error[k]);
    if (m->part_from != m->used[MYR_METHOD_part])
        snprintf(part, sizeof part, "part lowered from %.2g to %.2g", m->part_from, m->used[MYR_METHOD_part]);
    if (m->raised_from != (int)m->used[MYR_METHOD_order])
        snprintf(order, sizeof order, "order raised from %d to %d%s", m->raised_from, (int)m->used[MYR_METHOD_order],
                 *part ? ", " : "");
    myr_context_notify(f->context, "%s%s for the tolerance %g: the measured error is %.2g now", order, part,
                       m->used[MYR_METHOD_tolerance], worst);
}

myr_status myr_method_far_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                 const myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    m->report.tolerance = m->used[MYR_METHOD_tolerance];
    measure_sample sample = {0};
    myr_status status = measure_choose(f, problem, &sample);
    if (!status)
        status = measure_direct(f, isa, problem, &sample);
    if (!status) {
        measure_compare(problem, result, &sample, &m->report);
        status = measure_judge(f, isa, problem, result, &sample);
    }
    if (!status && !m->raised && m->raised_from)
        measure_tell_raise(f);
    if (!m->raised)
        m->raises = m->raised_from = 0;
    free(sample.value);
    return status;
}
