/* fmm.c - fast multipole method: creation of the operators, and the sequence of passes of an evaluation. */
#include "method/fmm/fmm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/units.h"
#include "core/memory.h"
#include "core/timer.h"
#include "method/fmm/fmm_inside.h"

myr_status myr_fmm_create(myr_context *context, const myr_isa_table *isa, const myr_fmm_settings *settings,
                          myr_fmm **fmm)
{
    const myr_expansion_options options = {settings->order, settings->separation, settings->relax};
    *fmm = NULL;
    myr_fmm *m = calloc(1, sizeof *m);
    if (!m)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the fast multipole method");
    m->context = context;
    m->isa = isa;
    m->settings = *settings;
    myr_status status = MYR_OK;
    if (!isa->gpu) { /* on a GPU operators are made at the first evaluation, for the layout of its particles */
        const int form = settings->portable
                             ? settings->in_double ? MYR_EXPANSION_PORTABLE_DOUBLE : MYR_EXPANSION_PORTABLE_FLOAT
                         : settings->in_double ? MYR_EXPANSION_DOUBLE
                                               : MYR_EXPANSION_FLOAT;
        const myr_expansion_ops *ops = myr_units_expansion(context, isa, form, settings->order);
        status = ops ? myr_expansion_create(context, ops, &options, &m->expansion) : MYR_ERROR_UNAVAILABLE;
    }
    if (!status)
        status = myr_fmm_lattice_make(m);
    if (status)
        myr_fmm_destroy(&m);
    *fmm = m;
    return status;
}

void myr_fmm_destroy(myr_fmm **fmm)
{
    if (!fmm || !*fmm)
        return;
    myr_fmm_gpu_close(*fmm);
    myr_expansion_destroy(&(*fmm)->expansion);
    myr_curve_profile_free(&(*fmm)->profile);
    free((*fmm)->cut);
    free((*fmm)->lattice);
    free(*fmm);
    *fmm = NULL;
}

int myr_fmm_matches(const myr_fmm *fmm, const myr_isa_table *isa, const myr_fmm_settings *settings)
{
    const myr_fmm_settings *s = fmm ? &fmm->settings : NULL;
    return s && fmm->isa == isa && s->order == settings->order && s->separation == settings->separation &&
           s->in_double == settings->in_double && s->portable == settings->portable && s->relax == settings->relax &&
           s->images == settings->images &&
           memcmp(s->box.periodic, settings->box.periodic, sizeof s->box.periodic) == 0;
}

void myr_fmm_set(myr_fmm *fmm, const myr_fmm_settings *settings)
{
    fmm->settings = *settings;
}

/* Wraps the coordinates of one particle, stored in tree order, into the periodic box. */
static void run_wrap(const fmm_run *run, void *particles, int64_t first)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    const int lanes = run->problem->unit->coord_lanes;
    for (int axis = 0; axis < 3; axis++) {
        const double x = fmm_coordinate(run, particles, first, axis);
        const double inside = s->box.periodic[axis] ? myr_points_wrap(x, s->box.origin[axis], s->box.period) : x;
        if (inside == x)
            continue;
        if (run->problem->unit->real_bytes == (int)sizeof(double)) {
            ((double *)particles)[first + axis] = inside;
            continue;
        }
        const float high = (float)inside;
        ((float *)particles)[first + axis * lanes] = high;
        if (lanes == 2)
            ((float *)particles)[first + axis * lanes + 1] = (float)(inside - (double)high);
    }
}

/* Interleaves the components of each particle: to[n][lanes]. `at` lists the particles; null = all, in order. */
static void run_interleave(const fmm_run *run, const myr_side *side, int lanes, int64_t n, const int64_t *at, void *to)
{
    const int bytes = run->problem->unit->real_bytes;
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < lanes; c++)
            if (bytes == (int)sizeof(float))
                ((float *)to)[i * lanes + c] = ((const float *)side->component[c])[at ? at[i] : i];
            else
                ((double *)to)[i * lanes + c] = ((const double *)side->component[c])[at ? at[i] : i];
}

/* The components are interleaved first, so that the random access by `order` costs one cache miss per particle instead
 * of one per component. */
void *myr_fmm_particles(const fmm_run *run, const myr_side *side, int lanes, int64_t n, const int64_t *order,
                        const int64_t *at)
{
    const size_t bytes = (size_t)lanes * (size_t)run->problem->unit->real_bytes;
    char *all = myr_memory_some(n + 1, bytes), *beside = myr_memory_some(n + 1, bytes);
    if (all && beside) {
        run_interleave(run, side, lanes, n, at, beside);
#pragma omp parallel for num_threads(run->threads) schedule(static)
        for (int64_t i = 0; i < n; i++) {
            memcpy(all + (size_t)i * bytes, beside + (size_t)order[i] * bytes, bytes);
            if (run->fmm->lattice)
                run_wrap(run, all, i * lanes);
        }
    } else {
        free(all);
        all = NULL;
    }
    free(beside);
    return all;
}

int myr_fmm_sizes(fmm_run *run)
{
    const myr_unit *u = run->problem->unit;
    const int64_t n = run->tree->sources, blocks = n / FMM_SIZES + 1;
    const int lanes = u->source_lanes, floats = u->real_bytes == (int)sizeof(float);
    if (!u->enlarge)
        return 1;
    run->sizes_of = myr_memory_zeros(blocks * lanes, (size_t)u->real_bytes);
    if (!run->sizes_of)
        return 0;
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t i = b * FMM_SIZES; i < (b + 1) * FMM_SIZES && i < n; i++)
            for (int c = 0; c < lanes; c++)
                if (floats)
                    myr_fmm_raise_float((float *)run->sizes_of + b * lanes + c,
                                        ((const float *)run->source)[i * lanes + c]);
                else
                    myr_fmm_raise_double((double *)run->sizes_of + b * lanes + c,
                                         ((const double *)run->source)[i * lanes + c]);
    return 1;
}

static int run_sources(fmm_run *run)
{
    const myr_direct *p = run->problem;
    const myr_unit *u = p->unit;
    const myr_octree *t = run->tree;
    run->source = myr_fmm_particles(run, &p->source, u->source_lanes, t->sources, t->source, NULL);
    run->target = run->source; /* valid if targets are the sources and targets need only their position */
    run->target_stride = u->source_lanes;
    if (!t->same || u->target_lanes > u->desc->coords * u->coord_lanes) {
        run->target = myr_fmm_particles(run, &p->target, u->target_lanes, t->targets, t->target, p->at);
        run->target_stride = u->target_lanes;
    }
    run->value = myr_memory_some((t->targets + 1) * u->outputs, sizeof *run->value);
    return run->source && run->target && run->value && myr_fmm_sizes(run);
}

/* Index of each target among the sources, in tree order. */
static int run_self(fmm_run *run)
{
    const myr_octree *t = run->tree;
    const int64_t *self = run->problem->unit->desc->self == MYR_SELF_COUNTED ? NULL : run->problem->self;
    run->has_self = self != NULL;
    if (!self || t->same)
        return 1;
    int64_t *place = myr_memory_some(t->sources + 1, sizeof *place);
    run->self = myr_memory_some(t->targets + 1, sizeof *run->self);
    for (int64_t i = 0; place && i < t->sources; i++)
        place[t->source[i]] = i;
    for (int64_t i = 0; place && run->self && i < t->targets; i++) {
        const int64_t own = self[t->target[i]];
        run->self[i] = own >= 0 ? place[own] : -1;
    }
    free(place);
    return run->self != NULL;
}

myr_status myr_fmm_no_memory(const fmm_run *run)
{
    return myr_context_fail(run->fmm->context, MYR_ERROR_MEMORY,
                            "no memory for the fast multipole method: %lld sources, %lld targets, order %d",
                            (long long)run->problem->source.n, (long long)run->problem->targets, run->e->order);
}

static myr_status run_lists(fmm_run *run)
{
    const myr_status status = myr_octree_near_make(run->fmm->context, run->tree, run->e->separation,
                                                   run->fmm->settings.box.periodic, &run->near);
    if (status)
        return status;
    if (!myr_target_share_cut(run->problem->share, run->tree, &run->near))
        return myr_fmm_no_memory(run);
    run->stride = (size_t)run->far->strengths * (size_t)run->e->size * (size_t)run->ops->real_bytes;
    run->multipole = myr_memory_zeros(run->tree->cells, run->stride);
    run->local = myr_memory_zeros(run->tree->cells, run->stride);
    if (!run->multipole || !run->local || !run_sources(run) || !run_self(run))
        return myr_fmm_no_memory(run);
    return MYR_OK;
}

static void run_describe(fmm_run *run)
{
    const myr_octree *t = run->tree;
    myr_fmm_report *r = run->report;
    r->cells = t->cells;
    r->levels = t->levels;
    r->largest = t->largest;
    for (int32_t c = 0; c < t->cells; c++)
        r->leaves += !t->cell[c].mask;
    const int64_t reals = run->problem->unit->real_bytes, outputs = run->problem->unit->outputs;
    r->bytes =
        (int64_t)(2 * run->stride + sizeof(myr_cell) + (size_t)run->near.count * sizeof(int32_t) + 8) * t->cells +
        run->near.coarse[t->cells] * (int64_t)sizeof(int32_t) +
        t->sources * (8 + run->problem->unit->source_lanes * reals) + t->targets * (8 + 8 * outputs);
    r->bytes += t->same ? 0 : t->targets * 8;
    r->bytes += run->self ? t->targets * 8 : 0;
    r->bytes += run->target == run->source ? 0 : t->targets * run->target_stride * reals;
}

/* Seconds since the previous call. */
static double lap(double *last)
{
    const double now = myr_timer_now(), passed = now - *last;
    *last = now;
    return passed;
}

/* Reports progress to the user's callback; returns 1 if the callback asks to stop. */
static int stopped(const fmm_run *run, double part)
{
    const myr_context *c = run->fmm->context;
    return c->progress && c->progress(c->progress_user, part) != 0;
}

myr_status myr_fmm_passes(fmm_run *run)
{
    enum { UPWARD = 2 }; /* passes that make multipoles */
    static const struct {
        void (*pass)(fmm_run *run);
        myr_fmm_part part;
        /* 1 = the pass handles interactions between cells of the box and its near images; skipped with only_images */
        int within;
    } passes[] = {{myr_fmm_collect, MYR_FMM_p2m, 0},   {myr_fmm_up, MYR_FMM_m2m, 0},
                  {myr_fmm_images, MYR_FMM_images, 0}, {myr_fmm_translate, MYR_FMM_m2l, 1},
                  {myr_fmm_coarse, MYR_FMM_p2l, 1},    {myr_fmm_down, MYR_FMM_l2l, 0},
                  {myr_fmm_leaves, MYR_FMM_PARTS, 0}};
    const int count = (int)(sizeof passes / sizeof *passes);
    run->first = run->fmm->lattice ? 0 : MYR_FMM_WELL_SEPARATED;
    double last = myr_timer_now();
    for (int k = run->sizes ? count - 1 : run->has_series ? UPWARD : 0; k < count; k++) {
        if (!passes[k].within || !run->fmm->settings.only_images)
            passes[k].pass(run);
        if (passes[k].part < MYR_FMM_PARTS) /* the leaf pass records L2P and P2P times itself */
            run->report->seconds[passes[k].part] = lap(&last);
        if (run->no_memory)
            return myr_fmm_no_memory(run);
        if (stopped(run, (k + 1.0) / count))
            return myr_context_fail(run->fmm->context, MYR_ERROR_CANCELLED, "stopped on request during the evaluation");
    }
    return MYR_OK;
}

/* Writes the values of this rank's targets. */
static int run_share(fmm_run *run)
{
    const myr_direct *p = run->problem;
    const int outputs = p->unit->outputs;
    for (int64_t n = p->share->first[p->share->rank]; n < p->share->first[p->share->rank + 1]; n++) {
        const int64_t i = run->tree->target[n];
        for (int k = 0; k < outputs; k++) {
            const double value = run->value[n * outputs + k] * p->factor;
            if (run->result->value[k])
                run->result->value[k][i] = value;
            if (!isfinite(value) && (run->result->first_bad < 0 || i < run->result->first_bad))
                run->result->first_bad = i;
        }
    }
    return 1;
}

/* Writes the values in the order of the caller's targets and finds the first value that is not finite. Gathering costs
 * one cache line per target; scattering from the leaf pass would cost as many and stall the leaf pass. */
static int run_results(fmm_run *run)
{
    const myr_direct *p = run->problem;
    const int outputs = p->unit->outputs;
    if (p->share)
        return run_share(run);
    int64_t *place = myr_memory_some(p->targets + 1, sizeof *place), first_bad = p->targets;
    if (!place)
        return 0;
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t i = 0; i < p->targets; i++)
        place[run->tree->target[i]] = i;
#pragma omp parallel for num_threads(run->threads) schedule(static) reduction(min : first_bad)
    for (int64_t i = 0; i < p->targets; i++)
        for (int k = 0; k < outputs; k++) {
            const double value = run->value[place[i] * outputs + k] * p->factor;
            if (run->result->value[k])
                run->result->value[k][i] = value;
            if (!isfinite(value) && i < first_bad)
                first_bad = i;
        }
    free(place);
    run->result->first_bad = first_bad < p->targets ? first_bad : -1;
    return 1;
}

static myr_status run_all(fmm_run *run)
{
    double last = myr_timer_now();
    myr_status status = myr_fmm_tree(run);
    run->report->seconds[MYR_FMM_tree] = lap(&last);
    if (!status)
        status = run_lists(run);
    run->report->seconds[MYR_FMM_lists] = lap(&last);
    if (!status)
        status = myr_fmm_passes(run);
    if (status)
        return status;
    last = myr_timer_now();
    if (!run_results(run))
        return myr_fmm_no_memory(run);
    run->report->seconds[MYR_FMM_results] = lap(&last);
    for (int k = 0; k < run->problem->unit->outputs; k++)
        run->result->most[k] = run->result->net[k][0].f;
    run_describe(run);
    return MYR_OK;
}

void myr_fmm_free_run(fmm_run *run)
{
    myr_octree_near_free(&run->near);
    myr_octree_destroy(&run->tree);
    free(run->multipole);
    free(run->local);
    if (run->target != run->source)
        free(run->target);
    free(run->source);
    free(run->value);
    free(run->sizes_of);
    free(run->self);
}

myr_status myr_fmm_run(myr_fmm *fmm, const myr_direct *problem, myr_direct_result *result, myr_fmm_report *report)
{
    if (fmm->isa->gpu)
        return myr_fmm_gpu_run(fmm, problem, result, report);
    const char *kernel = problem->unit->desc->name;
    const int number = myr_backend_find_near(kernel);
    const myr_near_unit *near =
        number >= 0 ? myr_units_near(fmm->context, fmm->isa, number, problem->unit->arithmetic) : NULL;
    fmm_run run = {.fmm = fmm,
                   .problem = problem,
                   .far = myr_far_field_find(kernel),
                   .e = fmm->expansion,
                   .ops = fmm->expansion->ops,
                   .threads = myr_context_threads(fmm->context),
                   .result = result,
                   .report = report};
    memset(report, 0, sizeof *report);
    myr_direct_result_clear(result);
    if (run.far && number >= 0 && !near)
        return MYR_ERROR_UNAVAILABLE;
    if (!run.far || !near)
        return myr_context_fail(fmm->context, MYR_ERROR_COMBINATION, "kernel %s has no far field", kernel);
    run.loops = &near->loops[problem->loops - problem->unit->loops];
    run.sizes = problem->loops == &problem->unit->loops[MYR_ACC_range];
    if (problem->targets == 0 && !(problem->share && problem->share->row)) /* other ranks may have targets */
        return MYR_OK;
    const myr_status status = myr_fmm_is_divided(&run) ? myr_fmm_divided(fmm, &run) : run_all(&run);
    myr_fmm_free_run(&run);
    return status;
}
