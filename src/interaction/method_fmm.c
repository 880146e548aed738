/* method_fmm.c - fast multipole method as a method of an interaction. */
#include <math.h>

#include "backend/gpu.h"
#include "interaction/method_far.h"
#include "method/fmm/far_field.h"
#include "method/fmm/fmm_choose.h"

enum { MANY_PAIRS = 100000000 }; /* smallest number of pairs worth a warning */

/* Fields of a source other than its position. */
static void source_fields(const myr_direct *problem, int64_t i, double *field)
{
    const myr_unit *u = problem->unit;
    const int coords = u->desc->coords * u->coord_lanes;
    for (int c = coords; c < u->source_lanes; c++)
        field[c - coords] = u->real_bytes == (int)sizeof(float)
                                ? (double)((const float *)problem->source.component[c])[i]
                                : ((const double *)problem->source.component[c])[i];
}

static int mixed_signs(const myr_far_field *far, const myr_direct *problem)
{
    int signs = 0;
    for (int64_t i = 0; i < problem->source.n && signs != 3; i++) {
        double q[MYR_FAR_FIELD_STRENGTHS] = {0}, field[MYR_KERNEL_COMPONENTS];
        source_fields(problem, i, field);
        myr_far_field_strengths(far, field, q);
        signs |= q[0] > 0 ? 1 : q[0] < 0 ? 2 : 0;
    }
    return signs == 3 || far->strengths > 1;
}

static myr_status fmm_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    (void)isa;
    myr_method_state *m = &f->method_state;
    const myr_far_field *far = myr_far_field_find(problem->unit->desc->name);
    const int order = (int)m->requested[MYR_METHOD_order];
    const double tolerance = myr_method_get(f, MYR_METHOD_tolerance);
    const double margin = fmax(far->margin, myr_method_box_margin(f));
    const int signs = mixed_signs(far, problem);
    const myr_status status = myr_method_far_check_least(f, margin * myr_fmm_least(signs));
    if (status)
        return status;
    myr_fmm_settings s = {.order = order ? order + far->more : 0,
                          .separation = (int)m->requested[MYR_METHOD_separation],
                          .leaf = (int64_t)m->requested[MYR_METHOD_leaf]};
    myr_fmm_choose(tolerance / margin, signs, problem->unit->real_bytes == (int)sizeof(float), &s);
    m->used[MYR_METHOD_tolerance] = tolerance;
    m->used[MYR_METHOD_order] = s.order - far->more;
    m->used[MYR_METHOD_separation] = s.separation;
    m->used[MYR_METHOD_leaf] = (double)s.leaf;
    m->used[MYR_METHOD_images] = m->requested[MYR_METHOD_images];
    m->relax = s.relax;
    m->in_double = s.in_double;
    return MYR_OK;
}

static myr_fmm_settings fmm_settings(const myr_interaction *f, const myr_direct *problem)
{
    const myr_method_state *m = &f->method_state;
    const myr_far_field *far = myr_far_field_find(problem->unit->desc->name);
    myr_fmm_settings s = {.order = (int)m->used[MYR_METHOD_order] + far->more,
                          .separation = (int)m->used[MYR_METHOD_separation],
                          .leaf = (int64_t)m->used[MYR_METHOD_leaf],
                          .in_double = m->in_double,
                          .portable = problem->unit->arithmetic == MYR_ARITHMETIC_PORTABLE,
                          .relax = m->relax,
                          .reach = far->reach(problem, m->used[MYR_METHOD_tolerance])};
    myr_method_choose_box(f, problem, &s);
    return s;
}

static void keep_report(myr_interaction *f, const myr_fmm_settings *s, const myr_fmm_report *from)
{
    static const char *const part[] = {
#define MYR_FMM_PART(name, text) #name,
#include "method/fmm/fmm_parts.def"
#undef MYR_FMM_PART
        NULL};
    const myr_far_report report = {.order = (int)f->method_state.used[MYR_METHOD_order],
                                   .separation = s->separation,
                                   .leaf = s->leaf,
                                   .in_double = s->in_double,
                                   .cells = from->cells,
                                   .leaves = from->leaves,
                                   .levels = from->levels,
                                   .largest = from->largest,
                                   .near_pairs = from->pairs,
                                   .translations = from->translations,
                                   .operations = from->operations,
                                   .bytes = from->bytes};
    myr_method_far_keep(f, &report, part, from->seconds);
    if (from->divided.evaluations) {
        const myr_divided_report before = f->divided;
        f->divided = from->divided;
        f->divided.evaluations += before.evaluations;
        f->divided.steps = before.steps;
        f->divided.migrated += before.migrated;
        f->divided.cuts += before.cuts;
    }
}

/* Warns, once, if most of the work is done by direct pairs: if they are many of all pairs, or if the softening keeps
 * leaves so large that they are many times those of leaves of the wanted size. */
static void warn_near(myr_interaction *f, const myr_direct *problem, double reach)
{
    enum { TOUCHING = 27, FULL = 3, TIMES = 10 }; /* leaves hold up to three times the wanted number */
    const myr_far_report *r = &f->method_state.report;
    const int64_t sources = problem->share && problem->share->row ? problem->share->all : problem->source.n;
    const double all = (double)problem->targets * (double)sources, share = (double)r->near_pairs / all;
    const double wanted = (double)problem->targets * TOUCHING * FULL * (double)r->leaf;
    const int is_held = reach > 0 && (double)r->near_pairs > TIMES * wanted;
    if (f->method_state.warned_near || all < MANY_PAIRS || (share < 0.5 && !is_held))
        return;
    f->method_state.warned_near = 1;
    if (reach > 0)
        myr_context_warn(
            f->context,
            "%.0f %% of all pairs are summed one by one: at distances below %.3g the softening is felt more "
            "than the tolerance allows; method tree knows Plummer softening at any distance, spline softening ends "
            "at h, and a larger tolerance reaches less far",
            100 * share, reach);
    else
        myr_context_warn(
            f->context,
            "%.0f %% of all pairs are summed one by one: %lld particles are in one leaf of the tree, at one "
            "place or nearly so",
            100 * share, (long long)r->largest);
}

static myr_status fmm_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    const myr_fmm_settings settings = fmm_settings(f, problem);
    myr_fmm_report report;
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

/* Settings change between evaluations only where a measured error raises the order: on the processor. */
static myr_status fmm_open_motion(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                  const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    const myr_fmm_settings settings = fmm_settings(f, problem);
    return myr_fmm_gpu_motion(f->context, isa, &settings, problem, set, motion);
}

static myr_status fmm_check_gpu(const myr_interaction *f, const myr_unit *unit)
{
    return myr_fmm_gpu_check(f->context, unit->desc->name);
}

const myr_method_table myr_method_fmm = {
    .info = {"fmm", "fast multipole method: near pairs one by one, far ones through expansions", 1},
    .takes = MYR_METHOD_FAR_TAKES | 1u << MYR_METHOD_separation,
    .images = 1,
    .shares = 1,
    .on_gpu = 2,
    .orders = MYR_METHOD_ORDERS,
    .near_units = 1,
    .check = myr_method_far_check,
    .check_gpu = fmm_check_gpu,
    .choose = fmm_choose,
    .run = fmm_run,
    .open_motion = fmm_open_motion,
    .tighten = myr_method_far_raise,
    .report = myr_method_far_report,
};
