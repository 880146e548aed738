/* stage.c - particles kept in the layout of the loops; see stage.h. */
#include "interaction/stage.h"

#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "backend/motion.h"
#include "interaction/evaluate.h"
#include "interaction/shared_run.h"

struct myr_stage {
    myr_interaction *f;
    const myr_isa_table *isa;
    myr_problem problem;
    int velocity;                   /* first lane component of the source's velocity, or -1 */
    int64_t n;                      /* particles; the first source.n of them are the sources */
    int64_t *all;                   /* 0 .. n-1 */
    int64_t *self;                  /* [n]: index of each target among the sources, or -1 */
    double shared_from;             /* pairs from which ranks share an evaluation; 0 = they do not */
    int64_t skipped;                /* number of coincident pairs skipped by all evaluations */
    void *own[MYR_SIDE_COMPONENTS]; /* arrays of the targets that differ from the sources' */
};

/* First lane component of a field of sources or targets, or -1. */
static int stage_component(const myr_unit *u, const myr_kernel_field *fields, const char *name)
{
    int at = u->desc->coords * u->coord_lanes;
    for (const myr_kernel_field *field = fields; field < fields + MYR_KERNEL_FIELDS && field->name;
         at += field->components, field++)
        if (strcmp(field->name, name) == 0)
            return at;
    return -1;
}

/* Lets targets read the source arrays. Target fields that sources do not have keep their own, with the values at the
 * creation of the stage. */
static void stage_share(myr_stage *s)
{
    myr_direct *d = &s->problem.direct;
    const myr_unit *u = d->unit;
    int at = u->desc->coords * u->coord_lanes;
    memcpy(s->own, d->target.component, sizeof s->own);
    for (int k = 0; k < at; k++)
        d->target.component[k] = d->source.component[k];
    memcpy(d->target.rest, d->source.rest, sizeof d->target.rest);
    for (const myr_kernel_field *field = u->desc->target; field < u->desc->target + MYR_KERNEL_FIELDS && field->name;
         at += field->components, field++) {
        const int from = stage_component(u, u->desc->source, field->name);
        for (int c = 0; from >= 0 && c < field->components; c++)
            d->target.component[at + c] = d->source.component[from + c];
    }
    d->target.type = d->source.type;
    d->target.n = d->source.n;
}

/* Finds the sources: without test particles, those at the end of the set whose strength is 0, which feel the others and
 * act on none. Methods with cells have other cells for targets that are no sources, which pays if these are many; the
 * far field of a GPU has one tree of all particles, and leaves out the others as sources itself, except in portable
 * arithmetic, where the tree is that of the processor. */
static void stage_find_sources(myr_stage *s)
{
    myr_direct *d = &s->problem.direct;
    const int strength = stage_component(d->unit, d->unit->desc->source, "mass");
    d->source.n = s->n;
    const int every_pair = myr_method_of(s->f)->every_pair;
    const int one_set = d->gpu && !every_pair && d->unit->arithmetic != MYR_ARITHMETIC_PORTABLE;
    if (!d->unit->desc->proportional || strength < 0 || one_set || s->f->offset)
        return;
    const void *value = d->source.component[strength];
    const int is_double = d->unit->real_bytes == (int)sizeof(double);
    int64_t sources = s->n;
    while (sources > 0 && (is_double ? ((const double *)value)[sources - 1] : ((const float *)value)[sources - 1]) == 0)
        sources--;
    if (sources > 0 && (every_pair || sources <= s->n / 2))
        d->source.n = sources;
}

myr_status myr_stage_create(myr_interaction *f, const myr_particles *particles, myr_stage **stage)
{
    *stage = NULL;
    const myr_isa_table *isa;
    const double count = (double)myr_particles_count(particles);
    myr_status status = myr_evaluate_check(f, count * count, &isa);
    if (status)
        return status;
    myr_stage *s = calloc(1, sizeof *s);
    const int64_t n = myr_particles_count(particles);
    if (s) {
        s->all = malloc(((size_t)n + 1) * sizeof *s->all);
        s->self = malloc(((size_t)n + 1) * sizeof *s->self);
    }
    if (!s || !s->all || !s->self) {
        myr_stage_destroy(&s);
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)n);
    }
    for (int64_t i = 0; i < n; i++)
        s->all[i] = i;
    s->f = f;
    s->n = n;
    s->isa = isa;
    status = myr_problem_make(f, f->arithmetic, isa, particles, n, NULL, particles, &s->problem);
    if (status) {
        myr_stage_destroy(&s);
        return status;
    }
    stage_share(s);
    stage_find_sources(s);
    s->velocity = stage_component(s->problem.direct.unit, s->problem.direct.unit->desc->source, "velocity");
    *stage = s;
    return MYR_OK;
}

void myr_stage_destroy(myr_stage **stage)
{
    if (!stage || !*stage)
        return;
    myr_problem_free(&(*stage)->problem);
    free((*stage)->all);
    free((*stage)->self);
    free(*stage);
    *stage = NULL;
}

/* Destination of a predicted coordinate, by arithmetic. */
typedef struct {
    double *real;   /* destination in double arithmetic */
    float *hi, *lo; /* destinations in float arithmetic; lo is null for anything but a coordinate */
} stage_place;

/* Destination in an array. low: array for what a float leaves of the value, or null. */
static stage_place stage_at(const myr_stage *s, void *array, float *low)
{
    const myr_unit *u = s->problem.direct.unit;
    if (u->real_bytes == (int)sizeof(double))
        return (stage_place){array, NULL, NULL};
    return (stage_place){NULL, array, low};
}

static inline void stage_store(const stage_place *to, int64_t i, double x)
{
    if (to->real) {
        to->real[i] = x;
        return;
    }
    const float hi = (float)x;
    to->hi[i] = hi;
    if (to->lo)
        to->lo[i] = (float)(x - (double)hi);
}

/* Predicts one component of position, and of velocity if `v` is not null. */
static void stage_predict_component(const myr_prediction *p, int c, int64_t n, const stage_place *x,
                                    const stage_place *v, int threads)
{
    const double *own = p->own, *position = p->position[c], *velocity = p->velocity[c];
    const double *acceleration = p->acceleration[c], *jerk = p->jerk[c];
    const int moves = own && velocity;
    (void)threads;
#pragma omp parallel for num_threads(threads) if (n > 4096)
    for (int64_t i = 0; i < n; i++) {
        const double dt = moves ? p->time - own[i] : 0;
        const double a = acceleration ? acceleration[i] : 0, j = jerk ? jerk[i] : 0;
        const double v0 = velocity ? velocity[i] : 0;
        stage_store(x, i, motion_position(position[i], v0, a, j, dt));
        if (v)
            stage_store(v, i, motion_velocity(v0, a, j, dt));
    }
}

void myr_stage_predict(myr_stage *stage, const myr_prediction *prediction)
{
    const myr_unit *u = stage->problem.direct.unit;
    const myr_side *source = &stage->problem.direct.source;
    const int threads = myr_context_threads(stage->f->context);
    for (int c = 0; c < u->desc->coords; c++) {
        float *low = u->coord_lanes == 2 ? source->component[2 * c + 1] : source->rest[c];
        const stage_place x = stage_at(stage, source->component[c * u->coord_lanes], low);
        stage_place v = {NULL, NULL, NULL};
        if (stage->velocity >= 0)
            v = stage_at(stage, source->component[stage->velocity + c], NULL);
        stage_predict_component(prediction, c, stage->n, &x, stage->velocity >= 0 ? &v : NULL, threads);
    }
}

/* Copies the values of a field into arrays of sources or targets. */
static void stage_take(const myr_stage *s, void *const *array, int components, double *const *value)
{
    for (int c = 0; c < components; c++) {
        const stage_place to = stage_at(s, array[c], NULL);
        for (int64_t i = 0; i < s->n; i++)
            stage_store(&to, i, value[c][i]);
    }
}

void myr_stage_refresh(myr_stage *stage, const char *field, int components, double *const *value)
{
    const myr_unit *u = stage->problem.direct.unit;
    const int first = stage_component(u, u->desc->source, field);
    if (first < 0)
        return;
    stage_take(stage, stage->problem.direct.source.component + first, components, value);
    stage_find_sources(stage);
}

myr_status myr_stage_refresh_targets(myr_stage *stage, const char *field, int components, double *const *value)
{
    myr_direct *d = &stage->problem.direct;
    const int first = stage_component(d->unit, d->unit->desc->target, field);
    if (first < 0 || (d->gpu && !myr_method_of(stage->f)->gpu_targets))
        return myr_context_fail(stage->f->context, MYR_ERROR_COMBINATION,
                                "kernel %s on this machine has no '%s' of targets that is not that of sources",
                                d->unit->desc->name, field);
    for (int c = 0; c < components; c++)
        d->target.component[first + c] = stage->own[first + c];
    stage_take(stage, d->target.component + first, components, value);
    return MYR_OK;
}

myr_status myr_stage_evaluate(myr_stage *stage, int64_t n, const int64_t *index, double *const *value)
{
    myr_direct *d = &stage->problem.direct;
    myr_direct_result result = {.first_bad = -1};
    if (!index) {
        index = stage->all;
        n = stage->n;
    }
    d->targets = n;
    d->at = d->self = d->original = index;
    if (d->source.n < stage->n) {
        for (int64_t k = 0; k < n; k++)
            stage->self[k] = index[k] < d->source.n ? index[k] : -1;
        d->self = stage->self;
    }
    for (int k = 0; k < d->unit->outputs; k++)
        result.value[k] = value[k];
    stage->f->shared_from = stage->shared_from;
    const myr_status status = myr_evaluate_problem(stage->f, stage->isa, &stage->problem, index, &result);
    stage->f->shared_from = 0;
    stage->f->last.targets = n;
    stage->f->last.sources = d->source.n;
    stage->f->last.pairs = myr_method_pairs(stage->f, d);
    stage->f->last.skipped = result.skipped;
    stage->skipped += result.skipped;
    stage->f->last.splits = result.splits;
    return status;
}

void myr_stage_share(myr_stage *stage, double pairs)
{
    stage->shared_from = pairs;
}

const char *myr_stage_isa(const myr_stage *stage)
{
    return stage->isa->name;
}

int64_t myr_stage_pairs(const myr_stage *stage)
{
    return stage->f->last.pairs;
}

const struct myr_gpu *myr_stage_gpu(const myr_stage *stage)
{
    return myr_method_of(stage->f)->open_motion ? stage->isa->gpu : NULL;
}

const myr_direct *myr_stage_job(myr_stage *stage)
{
    const myr_interaction *f = stage->f;
    myr_direct *d = &stage->problem.direct;
    myr_problem_use(&stage->problem, myr_catalogue_loop(f->accumulator), f->accumulator, f->grid);
    d->careful = f->careful;
    d->targets = stage->n;
    d->at = d->self = d->original = stage->all;
    return d;
}

myr_status myr_stage_open_motion(myr_stage *stage, const char *vector, int arrays, int scratch, double *const *array,
                                 struct myr_cuda_motion **motion)
{
    const myr_direct *job = myr_stage_job(stage);
    const myr_cuda_motion_set set = {.velocity = stage_component(job->unit, job->unit->desc->source, vector),
                                     .target_velocity = stage_component(job->unit, job->unit->desc->target, vector),
                                     .arrays = arrays,
                                     .scratch = scratch,
                                     .array = array};
    return myr_method_of(stage->f)->open_motion(stage->f, stage->isa, job, &set, motion);
}

/* Makes all particles the targets. */
static void stage_target_all(myr_stage *s)
{
    myr_direct *d = &s->problem.direct;
    d->targets = s->n;
    d->at = d->self = d->original = s->all;
    if (d->source.n == s->n)
        return;
    for (int64_t k = 0; k < s->n; k++)
        s->self[k] = k < d->source.n ? k : -1;
    d->self = s->self;
}

myr_status myr_stage_choose_grids(myr_stage *stage)
{
    stage_target_all(stage);
    return myr_evaluate_choose_grids(stage->f, &stage->problem, stage->all);
}

int myr_stage_velocity(const myr_stage *stage)
{
    return stage->velocity;
}

int64_t myr_stage_sources(const myr_stage *stage)
{
    return stage->problem.direct.source.n;
}

int64_t myr_stage_skipped(const myr_stage *stage)
{
    return stage->skipped;
}

myr_status myr_stage_evaluate_divided(myr_stage *stage, const int64_t *row, int64_t all, double *const *value,
                                      int *refused)
{
    const myr_direct *job = myr_stage_job(stage);
    myr_direct_result result = {.first_bad = -1};
    stage->problem.direct.source.n = stage->n; /* as in the whole set, which is divided only if all are sources */
    for (int k = 0; k < job->unit->outputs; k++)
        result.value[k] = value[k];
    const myr_status status = myr_shared_run_divided(stage->f, stage->isa, job, row, all, &result, refused);
    stage->f->last.targets = stage->f->last.sources = all;
    stage->f->last.pairs = stage->f->method_state.report.near_pairs;
    stage->f->last.skipped = result.skipped;
    stage->skipped += result.skipped;
    return status;
}
