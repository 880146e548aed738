/* method.c - the methods of an interaction. */
#include "interaction/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/interaction.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm_choose.h"
#include "method/cutoff_tree.h"

enum {
    MEASURE_SAMPLES = 256, /* targets on which the error is measured */
    MEASURE_BOX = 32,      /* in a periodic box, where each has the pairs of 27 boxes */
    MEASURE_EVERY = 32,    /* evaluations */
    MANY_PAIRS = 100000000,
    FEW_TARGETS =
        1024 /* all pairs of so many are about the work of a whole evaluation by the fmm, or of building a tree */
};

static const struct {
    myr_parameter_info info;
    const char *methods;
} parameters[] = {
#define MYR_METHOD_PARAMETER(name, value, lower, upper, methods, text) {{#name, text, value, lower, upper}, methods},
#include "interaction/method_parameters.def"
#undef MYR_METHOD_PARAMETER
};

int myr_method_parameter(const char *name)
{
    for (int k = 0; name && k < MYR_METHOD_PARAMETERS; k++)
        if (strcmp(parameters[k].info.name, name) == 0)
            return k;
    return -1;
}

const myr_parameter_info *myr_method_parameter_info(int k)
{
    return k >= 0 && k < MYR_METHOD_PARAMETERS ? &parameters[k].info : NULL;
}

/* Whether a method is in a list of words. */
static int method_takes(int k, const char *method)
{
    const size_t length = strlen(method);
    for (const char *at = parameters[k].methods; (at = strstr(at, method)); at += length)
        if ((at == parameters[k].methods || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

myr_status myr_method_set(myr_interaction *f, int k, double value)
{
    const myr_parameter_info *p = &parameters[k].info;
    const int whole = k != MYR_METHOD_tolerance && k != MYR_METHOD_theta;
    if (k == MYR_METHOD_tolerance && !(value > 0))
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "tolerance = %g cannot be met: it is a relative error, larger than 0; method direct "
                                "sums every pair",
                                value);
    if (!(value >= p->lower && value <= p->upper) || (whole && value != floor(value)))
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "%s = %g is out of range; %s must be %s%g to %g", p->name,
                                value, p->text, whole ? "a whole number, " : "", p->lower, p->upper);
    f->method_state.asked[k] = value;
    myr_method_forget(f);
    return MYR_OK;
}

double myr_method_get(const myr_interaction *f, int k)
{
    const myr_method_state *m = &f->method_state;
    return m->known ? m->used[k] : m->asked[k] > 0 ? m->asked[k] : parameters[k].info.value;
}

void myr_method_forget(myr_interaction *f)
{
    f->method_state.known = 0;
    f->method_state.runs = 0;
    f->method_state.warned = f->method_state.warned_near = 0;
}

void myr_method_free(myr_interaction *f)
{
    myr_fmm_destroy(&f->method_state.fmm);
}

/* --- what does not go together ------------------------------------------------------------------------------------ */

static myr_status check_parameters(const myr_interaction *f, const char *method)
{
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++)
        if (f->method_state.asked[k] > 0 && !method_takes(k, method))
            return myr_context_fail(f->context, MYR_ERROR_COMBINATION, "method %s has no %s; that is for method %s",
                                    method, parameters[k].info.name, parameters[k].methods);
    return MYR_OK;
}

static myr_status check_far(const myr_interaction *f, const myr_unit *unit, const char *method)
{
    const char *kernel = unit->desc->name;
    const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    const double least = myr_fmm_floor(unit->real_bytes, unit->coord_lanes);
    if (!unit->desc->has_expansion)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has no multipole expansion, which method %s needs; use method direct",
                                kernel, method);
    if (!myr_far_find(kernel))
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
    if (f->method_state.asked[MYR_METHOD_tolerance] > 0 && tolerance < least)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "tolerance = %g is below what %s arithmetic can reach, %g; use double arithmetic%s",
                                tolerance, myr_catalogue_arithmetic_name(f->arithmetic), least,
                                unit->real_bytes == 8 ? " with a larger tolerance, or method direct" : "");
    return MYR_OK;
}

/* Outside a box (molecular.h) method neighbour evaluates what near.h can. */
static myr_status check_near(const myr_interaction *f, const myr_unit *unit)
{
    const int reach = myr_kernel_cutoff(unit->desc);
    if (reach < 0)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has no cutoff, which method neighbour needs; use method direct",
                                unit->desc->name);
    if (unit->pair)
        return myr_context_fail(
            f->context, MYR_ERROR_COMBINATION,
            "kernel %s has parameters per pair of types: method neighbour takes it in simulations of "
            "particles in a box; evaluate by method direct",
            unit->desc->name);
    if (!(f->parameter[reach] > 0))
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "%s is 0, so that every pair counts: set it, or use method direct",
                                unit->desc->parameter[reach].name);
    if (f->offset)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "exclusions need every pair to be looked at: use method direct, not neighbour");
    return MYR_OK;
}

myr_status myr_method_check(const myr_interaction *f, const myr_unit *unit)
{
    const char *method = myr_catalogue_method_name(f->method);
    myr_status status = check_parameters(f, method);
    if (!status)
        status = myr_method_check_box(f);
    if (status || f->method == MYR_METHOD_IS_DIRECT)
        return status;
    if (f->method == MYR_METHOD_IS_NEIGHBOUR)
        return check_near(f, unit);
    const myr_status far = check_far(f, unit, method);
    return far || f->method == MYR_METHOD_IS_FMM ? far : myr_method_check_lists(f, unit);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* The fields of a source beside its position. */
static void source_fields(const myr_direct *problem, int64_t i, double *field)
{
    const myr_unit *u = problem->unit;
    const int coords = u->desc->coords * u->coord_lanes;
    for (int c = coords; c < u->source_lanes; c++)
        field[c - coords] = u->real_bytes == (int)sizeof(float)
                                ? (double)((const float *)problem->source.component[c])[i]
                                : ((const double *)problem->source.component[c])[i];
}

static int mixed_signs(const myr_far *far, const myr_direct *problem)
{
    int signs = 0;
    for (int64_t i = 0; i < problem->source.n && signs != 3; i++) {
        double q[MYR_FAR_STRENGTHS], field[MYR_KERNEL_COMPONENTS];
        source_fields(problem, i, field);
        far->strength(field, q);
        signs |= q[0] > 0 ? 1 : q[0] < 0 ? 2 : 0;
    }
    return signs == 3 || far->strengths > 1;
}

static void choose_settings(myr_interaction *f, const myr_direct *problem, myr_fmm_settings *s)
{
    myr_method_state *m = &f->method_state;
    const myr_far *far = myr_far_find(problem->unit->desc->name);
    if (!m->known) {
        const int order = (int)m->asked[MYR_METHOD_order];
        *s = (myr_fmm_settings){.order = order ? order + far->more : 0,
                                .separation = (int)m->asked[MYR_METHOD_separation],
                                .leaf = (int64_t)m->asked[MYR_METHOD_leaf]};
        const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
        myr_fmm_choose(tolerance / fmax(far->margin, myr_method_box_margin(f)), mixed_signs(far, problem),
                       problem->unit->real_bytes == (int)sizeof(float), s);
        m->used[MYR_METHOD_tolerance] = tolerance;
        m->used[MYR_METHOD_order] = s->order - far->more;
        m->used[MYR_METHOD_separation] = s->separation;
        m->used[MYR_METHOD_leaf] = (double)s->leaf;
        m->used[MYR_METHOD_images] = m->asked[MYR_METHOD_images];
        m->relax = s->relax;
        m->in_double = s->in_double;
        m->known = 1;
    }
    *s = (myr_fmm_settings){.order = (int)m->used[MYR_METHOD_order] + far->more,
                            .separation = (int)m->used[MYR_METHOD_separation],
                            .leaf = (int64_t)m->used[MYR_METHOD_leaf],
                            .in_double = m->in_double,
                            .relax = m->relax};
    myr_method_choose_box(f, s);
}

/* --- running ------------------------------------------------------------------------------------------------------ */

static void keep_report(myr_interaction *f, const myr_fmm_settings *s, const myr_fmm_report *from)
{
    static const char *const part[] = {
#define MYR_FMM_PART(name, text) #name,
#include "method/fmm/fmm_parts.def"
#undef MYR_FMM_PART
    };
    myr_far_report *to = &f->method_state.report;
    to->order = (int)f->method_state.used[MYR_METHOD_order];
    to->separation = s->separation;
    to->leaf = s->leaf;
    to->in_double = s->in_double;
    to->cells = from->cells;
    to->leaves = from->leaves;
    to->levels = from->levels;
    to->largest = from->largest;
    to->near_pairs = from->pairs;
    to->translations = from->translations;
    to->operations = from->operations;
    to->bytes = from->bytes;
    memset(to->part, 0, sizeof to->part);
    for (int k = 0; k < MYR_FMM_PARTS; k++) {
        to->part[k] = part[k];
        to->seconds[k] = from->seconds[k];
    }
}

/* A few targets of many particles (block steps) are summed directly before a tree is built. */
static int few_targets(const myr_interaction *f, const myr_direct *problem)
{
    return f->method != MYR_METHOD_IS_DIRECT && !myr_method_has_box(f) && problem->targets <= FEW_TARGETS &&
           problem->targets < problem->source.n / 2;
}

/* Says so, once, where most of the work is left to pairs. */
static void warn_near(myr_interaction *f, const myr_direct *problem, double reach)
{
    const myr_far_report *r = &f->method_state.report;
    const double all = (double)problem->targets * (double)problem->source.n, share = (double)r->near_pairs / all;
    if (f->method_state.warned_near || all < MANY_PAIRS || share < 0.5)
        return;
    f->method_state.warned_near = 1;
    if (reach > 0)
        myr_context_warn(
            f->context,
            "%.0f %% of all pairs are summed one by one: at distances below %.3g the softening is felt more "
            "than the tolerance allows; spline softening ends at h, and a larger tolerance reaches less far",
            100 * share, reach);
    else
        myr_context_warn(
            f->context,
            "%.0f %% of all pairs are summed one by one: %lld particles are in one leaf of the tree, at one "
            "place or nearly so",
            100 * share, (long long)r->largest);
}

static myr_status run_fmm(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    myr_fmm_settings settings;
    myr_fmm_report report;
    choose_settings(f, problem, &settings);
    const double tolerance = m->used[MYR_METHOD_tolerance];
    settings.reach = myr_far_find(problem->unit->desc->name)->reach(problem, tolerance);
    if (!myr_fmm_matches(m->fmm, isa, &settings)) {
        myr_fmm_destroy(&m->fmm);
        const myr_status status = myr_fmm_create(f->context, isa, &settings, &m->fmm);
        if (status)
            return status;
    }
    myr_fmm_set(m->fmm, &settings);
    const myr_status status = myr_fmm_run(m->fmm, problem, result, &report);
    if (!status && problem->loops != &problem->unit->loops[MYR_ACC_range])
        keep_report(f, &settings, &report);
    if (!status && !myr_method_has_box(f))
        warn_near(f, problem, settings.reach);
    else if (!status)
        myr_method_warn_box(f, settings.reach);
    return status;
}

myr_status myr_method_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result)
{
    if (few_targets(f, problem))
        return myr_direct_run(problem, result);
    switch (f->method) {
    case MYR_METHOD_IS_FMM:
        return run_fmm(f, isa, problem, result);
    case MYR_METHOD_IS_TREE:
    case MYR_METHOD_IS_PSEUDO:
        return myr_method_run_lists(f, isa, problem, result);
    default:
        return myr_direct_run(problem, result);
    }
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t n, pick[MEASURE_SAMPLES], at[MEASURE_SAMPLES], self[MEASURE_SAMPLES];
    double *value; /* [outputs][n] */
} measure_sample;

/* The same targets, all pairs, in the arithmetic of the interaction. */
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
    const int asked =
        m->asked[MYR_METHOD_tolerance] > 0 || !(m->asked[MYR_METHOD_order] > 0 || m->asked[MYR_METHOD_theta] > 0);
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

myr_status myr_method_measure(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              const myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    const int exact = f->method == MYR_METHOD_IS_DIRECT || f->method == MYR_METHOD_IS_NEIGHBOUR;
    if (exact || few_targets(f, problem) || problem->targets == 0 || m->runs++ % MEASURE_EVERY != 0)
        return MYR_OK;
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

myr_status myr_interaction_far(const myr_interaction *interaction, myr_far_report *report)
{
    if (!interaction || !report)
        return MYR_ERROR_ARGUMENT;
    if (interaction->method == MYR_METHOD_IS_DIRECT || !interaction->method_state.runs)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                "no method with a far field has evaluated anything yet");
    *report = interaction->method_state.report;
    return MYR_OK;
}
