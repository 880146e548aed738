/* ensemble_stars.c - systems of bodies that move together on a GPU; see ensemble_stars.h.
 *
 * The device makes block steps of all systems, launch after launch. What it leaves to the processor is done between two
 * launches: grids of the sums are chosen again, by threads, for the step that the next launch begins with; steps to the
 * end of a run, and those that fail, are made here one by one. */
#include "simulation/ensemble_stars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "integrator/clock.h"
#include "simulation/gpu_steps.h"
#include "simulation/motions.h"
#include "simulation/rates.h"
#include "simulation/steps.h"

enum {
    STARS_BODIES_MOST = 4096, /* of a system: a block of threads holds it, and its grids are chosen by the processor */
    STARS_STEPS_MOST = 1 << 20
};
#define STARS_LAUNCH_SECONDS 0.04 /* aimed at, so that no launch lasts longer than 50 ms */
#define STARS_HERE_SECONDS 0.02   /* of steps of a system that needs the processor always, between two launches */
#define STARS_FIRST_WORK 1e6      /* pairs of each system in the first launch, which measures the speed */
#define STARS_STEP_WORK 2e4       /* what a step costs besides its pairs, in pairs */

/* A simulation at the moment at which its arrays hold its particles. */
typedef struct {
    myr_integration motion;
    myr_steps_grids grids;
    int64_t pairs;
} stars_moment;

struct myr_ensemble_stars {
    myr_context *context;
    const myr_gpu *gpu;
    myr_cuda_stars *device;
    int64_t n;
    myr_simulation **simulation; /* [n] */
    int64_t *number;             /* [n]: place of each among the simulations of the ensemble */
    myr_status *status;          /* [n]: why a system does not move any more */
    int64_t *first;              /* [n + 1]: first body of each system among all */
    double *column;            /* [MYR_CUDA_STAR_COLUMNS][bodies], system after system: copy of the device's columns */
    const myr_direct **job;    /* [n] */
    myr_cuda_stars_one *one;   /* [n] */
    myr_cuda_stars_done *done; /* [n] */
    stars_moment *moment;      /* [n]: of the arrays of each simulation */
    int64_t *begun;            /* [n]: steps that each had made at the start of the call */
    int *here;                 /* [n]: 1 = its next step is the processor's; 2 = its grids are */
    double work;               /* pairs of a system in the next launch */
    double device_seconds;
};

static const myr_cuda_plugin *plugin(const myr_ensemble_stars *e)
{
    return e->gpu->plugin;
}

/* --- choice ------------------------------------------------------------------------------------------------------- */

int myr_ensemble_stars_are(const myr_simulation *s)
{
    return s->table && s->table->resident == MYR_RESIDENT_BLOCKS && s->interaction &&
           myr_motion_of(s)->kind == MYR_MOTION_OF_BODIES;
}

void myr_ensemble_stars_prepare(myr_simulation *s, const myr_gpu *gpu, int required)
{
    myr_interaction *f = s->interaction;
    if (!s->context->gpu && !s->context->gpu_absent)
        myr_gpu_share(s->context, gpu);
    if (required && f->backend == myr_catalogue_backend("auto") && f->isa < 0) {
        f->backend = myr_catalogue_backend("cuda");
        f->on_host = 0;
    }
}

/* Returns 1 if every field of a target is the source's of the same particle. */
static int stars_are_targets(const myr_kernel_desc *d)
{
    for (int k = 0; k < MYR_KERNEL_FIELDS && d->target[k].name; k++)
        if (!d->source[k].name || strcmp(d->target[k].name, d->source[k].name) != 0)
            return 0;
    return d->coords == 3;
}

/* Why a simulation cannot move with others on a GPU; null if it can. */
static const char *stars_refusal(const myr_simulation *s)
{
    const myr_interaction *f = s->interaction;
    if (!myr_ensemble_stars_are(s))
        return "an ensemble moves on a GPU if all its systems are molecules, or bodies with integrator hermite4";
    const int portable = f->arithmetic == myr_catalogue_arithmetic("portable");
    return s->externals ? "bodies in external fields move on the processor in an ensemble"
           : f->accumulator != myr_catalogue_accumulator("fixed")
               ? "systems of an ensemble on a GPU have sums in integers: use accumulator fixed"
           : !myr_method_of(f)->every_pair || f->offset || f->kernel >= MYR_KERNEL_COUNT ||
                   !stars_are_targets(myr_interaction_desc(f)) || myr_interaction_desc(f)->pair[0] ||
                   myr_rates_output(s, "acceleration") != 0 || myr_rates_output(s, "jerk") != 3
               ? "bodies of an ensemble on a GPU have method direct, all pairs, and a kernel of the library with jerk"
           : s->motion.n < 1 || s->motion.n > STARS_BODIES_MOST
               ? "systems of an ensemble on a GPU have 1 to 4096 bodies; larger ones fill a GPU alone"
           : !myr_stage_gpu(s->stage) && !portable
               ? "this system evaluates on the processor, whose bits a GPU has in portable arithmetic only: use "
                 "backend cuda or auto for the system, or arithmetic portable"
               : NULL;
}

/* Returns 1 if one program serves two systems. */
static int stars_alike(const myr_simulation *s, const myr_simulation *other)
{
    const myr_direct *a = myr_stage_job(s->stage), *b = myr_stage_job(other->stage);
    return s->interaction->kernel == other->interaction->kernel &&
           s->interaction->arithmetic == other->interaction->arithmetic && a->unlimited == b->unlimited &&
           a->scale[0].fold == b->scale[0].fold;
}

static myr_status stars_check(const myr_ensemble_stars *e)
{
    for (int64_t k = 0; k < e->n; k++) {
        const char *refusal = stars_refusal(e->simulation[k]);
        if (refusal)
            return myr_context_fail(e->context, MYR_ERROR_COMBINATION, "%s (system %lld)", refusal,
                                    (long long)e->number[k]);
        if (!stars_alike(e->simulation[0], e->simulation[k]))
            return myr_context_fail(e->context, MYR_ERROR_COMBINATION,
                                    "system %lld has another kernel, arithmetic or cutoff than system %lld: systems of "
                                    "an ensemble on a GPU differ in bodies and parameters only",
                                    (long long)e->number[k], (long long)e->number[0]);
    }
    return MYR_OK;
}

/* --- creation ----------------------------------------------------------------------------------------------------- */

static int stars_rooms(myr_ensemble_stars *e, int64_t n)
{
    e->simulation = myr_memory_zeros(n, sizeof *e->simulation);
    e->number = myr_memory_zeros(n, sizeof *e->number);
    e->status = myr_memory_zeros(n, sizeof *e->status);
    e->first = myr_memory_zeros(n + 1, sizeof *e->first);
    e->job = myr_memory_zeros(n, sizeof *e->job);
    e->one = myr_memory_zeros(n, sizeof *e->one);
    e->done = myr_memory_zeros(n, sizeof *e->done);
    e->moment = myr_memory_zeros(n, sizeof *e->moment);
    e->begun = myr_memory_zeros(n, sizeof *e->begun);
    e->here = myr_memory_zeros(n, sizeof *e->here);
    return e->simulation && e->number && e->status && e->first && e->job && e->one && e->done && e->moment &&
           e->begun && e->here;
}

/* Opens the device for the present bodies of all systems. */
static myr_status stars_open(myr_ensemble_stars *e)
{
    if (e->device)
        plugin(e)->stars_close(e->device);
    e->device = NULL;
    free(e->column);
    e->column = NULL;
    int64_t *bodies = myr_memory_zeros(e->n, sizeof *bodies);
    if (!bodies) {
        myr_context_fail(e->context, MYR_ERROR_MEMORY, "no memory for %lld systems", (long long)e->n);
        return MYR_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < e->n; k++) {
        bodies[k] = e->simulation[k]->motion.n;
        e->first[k + 1] = e->first[k] + bodies[k];
        e->job[k] = myr_stage_job(e->simulation[k]->stage);
    }
    const myr_cuda_stars_set set = {.context = e->context,
                                    .systems = e->n,
                                    .n = bodies,
                                    .job = e->job,
                                    .velocity = myr_stage_velocity(e->simulation[0]->stage)};
    myr_status status = plugin(e)->stars_open
                            ? plugin(e)->stars_open(e->gpu->cuda, &set, &e->device)
                            : myr_context_fail(e->context, MYR_ERROR_UNAVAILABLE, "this plug-in does not move stars");
    free(bodies);
    e->column = status ? NULL : myr_memory_some(MYR_CUDA_STAR_COLUMNS * e->first[e->n], sizeof *e->column);
    if (!status && !e->column)
        status = myr_context_fail(e->context, MYR_ERROR_MEMORY, "no memory for %lld bodies", (long long)e->first[e->n]);
    return status;
}

myr_status myr_ensemble_stars_create(myr_context *context, const myr_gpu *gpu, int64_t n,
                                     myr_simulation *const *simulation, const myr_status *status,
                                     myr_ensemble_stars **stars)
{
    *stars = NULL;
    myr_ensemble_stars *e = calloc(1, sizeof *e);
    if (!e || !stars_rooms(e, n)) {
        myr_ensemble_stars_destroy(&e);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld systems", (long long)n);
    }
    e->context = context;
    e->gpu = gpu;
    e->work = STARS_FIRST_WORK;
    for (int64_t k = 0; k < n; k++)
        if (!status[k]) {
            e->number[e->n] = k;
            e->simulation[e->n++] = simulation[k];
        }
    myr_status failed = stars_check(e);
    if (!failed)
        failed = stars_open(e);
    if (failed)
        myr_ensemble_stars_destroy(&e);
    *stars = e;
    return failed;
}

void myr_ensemble_stars_destroy(myr_ensemble_stars **stars)
{
    myr_ensemble_stars *e = *stars;
    if (!e)
        return;
    if (e->device)
        plugin(e)->stars_close(e->device);
    free(e->simulation);
    free(e->number);
    free(e->status);
    free(e->first);
    free(e->column);
    free(e->job);
    free(e->one);
    free(e->done);
    free(e->moment);
    free(e->begun);
    free(e->here);
    free(e);
    *stars = NULL;
}

/* Returns 1 if bodies have come or gone since the device was opened. */
static int stars_have_changed(const myr_ensemble_stars *e)
{
    for (int64_t k = 0; k < e->n; k++)
        if (!e->status[k] && e->simulation[k]->motion.n != e->first[k + 1] - e->first[k])
            return 1;
    return 0;
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static double *stars_column(const myr_ensemble_stars *e, int64_t k)
{
    return e->column + MYR_CUDA_STAR_COLUMNS * e->first[k];
}

/* Copies the arrays of system k to its columns (back 0), or from there. */
static void stars_copy(const myr_ensemble_stars *e, int64_t k, int back)
{
    const myr_integration *m = &e->simulation[k]->motion;
    double *const *const vector[] = {m->x, m->v, m->a, m->j, m->state};
    double *column = stars_column(e, k);
    for (int c = 0; c < MYR_CUDA_STAR_COLUMNS; c++, column += m->n) {
        double *array = vector[c / 3][c % 3];
        memcpy(back ? array : column, back ? column : array, (size_t)m->n * sizeof *column);
    }
}

/* Notes that the arrays of system k hold its particles (back 0); or returns to that moment. */
static void stars_note(const myr_ensemble_stars *e, int64_t k, int back)
{
    myr_simulation *s = e->simulation[k];
    stars_moment *moment = &e->moment[k];
    myr_steps_copy_grids(s, back, &moment->grids);
    if (back) {
        s->motion = moment->motion;
        s->pairs = moment->pairs;
    } else {
        moment->motion = s->motion;
        moment->pairs = s->pairs;
    }
}

/* Sends all systems to the device (back 0); or brings the arrays of those that go on up to date. */
static myr_status stars_copy_all(myr_ensemble_stars *e, int back)
{
    const int threads = myr_context_threads(e->context);
    const myr_status failed = back ? plugin(e)->stars_fetch(e->device, -1, e->column) : MYR_OK;
    (void)threads;
    if (failed)
        return failed;
#pragma omp parallel for num_threads(threads) if (threads > 1 && e->n > 64)
    for (int64_t k = 0; k < e->n; k++)
        if (!back || !e->status[k])
            stars_copy(e, k, back);
    for (int64_t k = 0; k < e->n; k++)
        if (!e->status[k])
            stars_note(e, k, 0);
    return back ? MYR_OK : plugin(e)->stars_send(e->device, -1, e->column);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Returns 1 if a system has not reached its limit. */
static int stars_is_going(const myr_ensemble_stars *e, int64_t k, const myr_ensemble_span *span)
{
    const myr_integration *m = &e->simulation[k]->motion;
    return m->steps - e->begun[k] < span->most && m->shown < span->until && m->shown < span->end;
}

/* Describes the next steps of system k. */
static void stars_describe(myr_ensemble_stars *e, int64_t k, const myr_ensemble_span *span)
{
    myr_simulation *s = e->simulation[k];
    const myr_integration *m = &s->motion;
    const int64_t left = span->most - (m->steps - e->begun[k]);
    e->one[k] = (myr_cuda_stars_one){.job = myr_stage_job(s->stage),
                                     .time = m->time,
                                     .origin = m->number[0],
                                     .unit = m->number[1],
                                     .eta = m->parameter[0],
                                     .dt_min = m->parameter[3],
                                     .stop = span->end,
                                     .until = span->until + myr_clock_rounding(span->until),
                                     .most = left < STARS_STEPS_MOST ? left : STARS_STEPS_MOST,
                                     .renew_after = MYR_GRID_EVALUATIONS * m->n - s->interaction->grid_age};
}

/* Takes what the device has done of system k; marks what is left to the processor. */
static void stars_take(myr_ensemble_stars *e, int64_t k, const myr_ensemble_span *span)
{
    myr_simulation *s = e->simulation[k];
    myr_integration *m = &s->motion;
    const myr_cuda_stars_done *d = &e->done[k];
    if (d->steps > 0) {
        m->time = d->time;
        m->shown = myr_clock_shown(d->time, span->until);
        m->steps += d->steps;
        m->particle_steps += d->particle_steps;
        m->active = d->active;
        s->pairs += d->particle_steps * myr_stage_sources(s->stage);
        s->interaction->grid_age += d->particle_steps;
    }
    e->here[k] = d->renew ? 2 : d->at_end || d->stopped;
    if (d->steps == 0 && !e->here[k]) /* the next block ends after `until` */
        m->shown = span->until;
    else if (!stars_is_going(e, k, span))
        e->here[k] = 0; /* at the limit of this call */
}

/* The pairs of the next launch, from the seconds of this one. */
static void stars_pace(myr_ensemble_stars *e, double seconds)
{
    int limited = 0;
    for (int64_t k = 0; k < e->n; k++)
        limited |= e->one[k].most > 0 && e->done[k].steps > 0 && !e->here[k];
    const double factor = seconds > 0 ? STARS_LAUNCH_SECONDS / seconds : 2;
    if (limited || factor < 1)
        e->work = fmax(e->work * fmin(factor, 2), 1);
}

/* One launch of all systems that go on; *any = 0 if there is none. */
static myr_status stars_launch(myr_ensemble_stars *e, const myr_ensemble_span *span, int *any)
{
    double seconds = 0;
    *any = 0;
    for (int64_t k = 0; k < e->n; k++) {
        e->one[k].most = 0;
        e->here[k] = 0;
        if (e->status[k] || !stars_is_going(e, k, span))
            continue;
        *any = 1;
        if (e->simulation[k]->interaction->careful)
            e->here[k] = 1; /* coincident bodies: the loops of the device do not look for them */
        else
            stars_describe(e, k, span);
    }
    const myr_status failed =
        *any ? plugin(e)->stars_steps(e->device, e->one, e->work, STARS_STEP_WORK, e->done, &seconds) : MYR_OK;
    e->device_seconds += seconds;
    for (int64_t k = 0; k < e->n && !failed; k++)
        if (e->one[k].most > 0)
            stars_take(e, k, span);
    if (!failed && seconds > 0)
        stars_pace(e, seconds);
    return failed;
}

/* Chooses grids again, for the places of all bodies at the end of the next step; 0 if that fails. */
static int stars_renew(const myr_ensemble_stars *e, int64_t k)
{
    myr_simulation *s = e->simulation[k];
    const myr_integration *m = &s->motion;
    const double *end = m->state[2];
    double next = INFINITY;
    for (int64_t i = 0; i < m->n; i++)
        next = end[i] < next ? end[i] : next;
    return myr_rates_choose_grids(s, m->number[0] + m->number[1] * next, m->state[0]) == MYR_OK;
}

/* Steps of system k by the processor: one, or several if all of its steps are made here. */
static myr_status stars_step(const myr_ensemble_stars *e, int64_t k, const myr_ensemble_span *span)
{
    myr_simulation *s = e->simulation[k];
    const double start = myr_timer_now();
    myr_status status = MYR_OK;
    s->motion.until = span->until;
    do
        status = myr_steps_advance(s, span->end, span->until, 1);
    while (!status && s->interaction->careful && stars_is_going(e, k, span) &&
           myr_timer_now() - start < STARS_HERE_SECONDS);
    return status;
}

/* What the device has left to the processor, by threads. */
static myr_status stars_here(myr_ensemble_stars *e, const myr_ensemble_span *span)
{
    const int threads = myr_context_threads(e->context);
    int64_t count = 0;
    myr_status failed = MYR_OK;
    (void)threads;
    for (int64_t k = 0; k < e->n; k++)
        count += e->here[k] != 0;
    if (count > e->n / 16 + 1)
        failed = plugin(e)->stars_fetch(e->device, -1, e->column);
    for (int64_t k = 0; k < e->n && !failed && count <= e->n / 16 + 1; k++)
        failed = e->here[k] ? plugin(e)->stars_fetch(e->device, k, stars_column(e, k)) : MYR_OK;
    if (failed)
        return failed;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1 && count > 1)
    for (int64_t k = 0; k < e->n; k++) {
        if (!e->here[k])
            continue;
        stars_copy(e, k, 1);
        e->here[k] = e->here[k] == 2 && stars_renew(e, k) ? 2 : 1;
        if (e->here[k] == 1) {
            e->status[k] = stars_step(e, k, span);
            stars_copy(e, k, 0);
        }
    }
    for (int64_t k = 0; k < e->n && !failed; k++) {
        if (e->here[k])
            stars_note(e, k, 0);
        failed = e->here[k] == 1 ? plugin(e)->stars_send(e->device, k, stars_column(e, k)) : MYR_OK;
    }
    return failed;
}

static myr_status stars_ask(const myr_ensemble_stars *e)
{
    const myr_context *c = e->context;
    if (!c->progress || !c->progress(c->progress_user, 0))
        return MYR_OK;
    return myr_context_fail(e->context, MYR_ERROR_CANCELLED, "stopped on request between two launches");
}

myr_status myr_ensemble_stars_advance(myr_ensemble_stars *e, const myr_ensemble_span *span, myr_status *status)
{
    const double start = myr_timer_now();
    int any = 1;
    for (int64_t k = 0; k < e->n; k++) {
        e->begun[k] = e->simulation[k]->motion.steps;
        e->status[k] = status[e->number[k]];
    }
    myr_status failed = MYR_OK, asked = MYR_OK;
    if (stars_have_changed(e)) {
        failed = stars_check(e);
        if (!failed)
            failed = stars_open(e);
        if (failed)
            return failed;
    }
    failed = stars_copy_all(e, 0);
    while (!failed && !asked && any) {
        failed = stars_launch(e, span, &any);
        if (!failed && any)
            failed = stars_here(e, span);
        if (!failed && any)
            asked = stars_ask(e);
    }
    if (!failed)
        failed = stars_copy_all(e, 1);
    for (int64_t k = 0; k < e->n; k++) {
        if (failed)
            stars_note(e, k, 1);
        else
            e->simulation[k]->step_seconds += (myr_timer_now() - start) / (double)e->n;
        status[e->number[k]] = e->status[k];
    }
    return failed ? failed : asked;
}

void myr_ensemble_stars_report(const myr_ensemble_stars *e, double *bytes, int *blocks, int *threads, double *seconds)
{
    plugin(e)->stars_report(e->device, bytes, blocks, threads);
    *seconds = e->device_seconds;
}
