/* ensemble.c - many independent simulations that move together. See ensemble.h. */
#include "simulation/ensemble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "core/memory.h"
#include "core/timer.h"
#include "interaction/catalogue.h"
#include "simulation/box_motion.h"
#include "simulation/gpu_steps.h"

enum { ENSEMBLE_STEPS = 4096 }; /* steps of molecules between two looks at the clock */

static myr_status ensemble_check(myr_context *context, int64_t n, myr_simulation *const *simulation)
{
    for (int64_t k = 0; k < n; k++) {
        int shared = !simulation[k] || simulation[k]->context == context;
        for (int64_t j = 0; j < k && !shared; j++)
            shared = simulation[k]->context == simulation[j]->context;
        if (shared)
            return myr_context_fail(context, MYR_ERROR_ARGUMENT,
                                    "simulation %lld of an ensemble needs a context of its own", (long long)k);
        const myr_interaction *f = simulation[k]->interaction;
        if (f && f->backend == myr_catalogue_backend("cuda") && !myr_ensemble_stars_are(simulation[k]))
            return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                    "simulation %lld of an ensemble has backend cuda of its own, which bodies with "
                                    "integrator hermite4 may have; choose that of the ensemble instead",
                                    (long long)k);
    }
    return MYR_OK;
}

/* A system of an ensemble takes no GPU for itself. Stars with backend cuda evaluate there what the processor asks for,
 * as they do alone. */
static myr_status ensemble_take(myr_simulation *s)
{
    if (s->interaction && s->interaction->backend == myr_catalogue_backend("auto"))
        s->interaction->on_host = s->interaction->in_ensemble = 1;
    if (s->box->engine)
        myr_molecule_gpu_destroy(&s->box->engine->seat);
    if (!myr_ensemble_stars_are(s))
        return MYR_OK;
    s->interaction->in_ensemble = 1;
    return myr_gpu_steps_leave(s);
}

myr_status myr_ensemble_create(myr_context *context, int64_t n, myr_simulation *const *simulation,
                               myr_ensemble **ensemble)
{
    if (!context || !simulation || !ensemble)
        return MYR_ERROR_ARGUMENT;
    *ensemble = NULL;
    if (n < 1)
        return myr_context_fail(context, MYR_ERROR_VALUE, "an ensemble needs at least one simulation");
    const myr_status status = ensemble_check(context, n, simulation);
    if (status)
        return status;
    myr_ensemble *e = calloc(1, sizeof *e);
    if (e) {
        e->simulation = myr_memory_zeros(n, sizeof *e->simulation);
        e->status = myr_memory_zeros(n, sizeof *e->status);
        e->energy = myr_memory_zeros(n, sizeof *e->energy);
    }
    if (!e || !e->simulation || !e->status || !e->energy) {
        myr_ensemble_destroy(&e);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an ensemble of %lld", (long long)n);
    }
    e->context = context;
    e->n = n;
    e->backend = myr_catalogue_backend("auto");
    memcpy(e->simulation, simulation, (size_t)n * sizeof *simulation);
    for (int64_t k = 0; k < n; k++) {
        const myr_status taken = ensemble_take(simulation[k]);
        if (taken) {
            myr_ensemble_destroy(&e);
            return myr_context_fail(context, taken, "%s", simulation[k]->context->message);
        }
    }
    *ensemble = e;
    return MYR_OK;
}

void myr_ensemble_destroy(myr_ensemble **ensemble)
{
    myr_ensemble *e = ensemble ? *ensemble : NULL;
    if (!e)
        return;
    myr_molecule_gpu_destroy(&e->molecules);
    myr_ensemble_stars_destroy(&e->stars);
    myr_ensemble_free_exchange(e);
    free(e->simulation);
    free(e->status);
    free(e->energy);
    free(e);
    *ensemble = NULL;
}

myr_status myr_ensemble_choose(myr_ensemble *ensemble, const char *backend)
{
    if (!ensemble || !backend)
        return MYR_ERROR_ARGUMENT;
    const int known = myr_catalogue_backend(backend);
    if (known < 0 || ensemble->decided)
        return myr_context_fail(
            ensemble->context, MYR_ERROR_VALUE,
            known < 0 ? "there is no backend '%s'" : "the backend '%s' is chosen after the first step", backend);
    ensemble->backend = known;
    return MYR_OK;
}

int64_t myr_ensemble_count(const myr_ensemble *ensemble)
{
    return ensemble ? ensemble->n : 0;
}

myr_simulation *myr_ensemble_simulation(const myr_ensemble *ensemble, int64_t k)
{
    return ensemble && k >= 0 && k < ensemble->n ? ensemble->simulation[k] : NULL;
}

myr_status myr_ensemble_status(const myr_ensemble *ensemble, int64_t k)
{
    return ensemble && k >= 0 && k < ensemble->n ? ensemble->status[k] : MYR_ERROR_ARGUMENT;
}

int64_t myr_ensemble_alive(const myr_ensemble *ensemble)
{
    int64_t alive = 0;
    for (int64_t k = 0; ensemble && k < ensemble->n; k++)
        alive += ensemble->status[k] == MYR_OK;
    return alive;
}

/* --- the processor ------------------------------------------------------------------------------------------------ */

/* Moves one system alone. */
static myr_status ensemble_move(myr_simulation *s, double end, double until, int64_t most)
{
    const int64_t first = s->motion.steps;
    const double forward = end > s->motion.shown ? 1 : -1;
    myr_status status = s->motion.started ? MYR_OK : myr_simulation_advance(s, s->motion.shown, s->motion.shown, 1);
    while (!status && s->motion.steps - first < most && forward * (until - s->motion.shown) > 0 &&
           forward * (end - s->motion.shown) > 0)
        status = myr_simulation_advance(s, end, until, most - (s->motion.steps - first));
    return status;
}

static void ensemble_move_all(myr_ensemble *e, double end, double until, int64_t most)
{
    const int threads = myr_context_threads(e->context);
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
    for (int64_t k = 0; k < e->n; k++)
        if (!e->status[k]) {
            (void)myr_context_set_threads(e->simulation[k]->context, e->n > 1 ? 1 : threads);
            e->status[k] = ensemble_move(e->simulation[k], end, until, most);
        }
}

/* --- where they move ------------------------------------------------------------------------------------------- */

/* Engines of all systems; null if a system is no molecule. */
static myr_molecular **ensemble_engines(const myr_ensemble *e)
{
    myr_molecular **engine = myr_memory_zeros(e->n, sizeof *engine);
    for (int64_t k = 0; engine && k < e->n; k++) {
        engine[k] = e->simulation[k]->box->engine;
        if (!engine[k] || !engine[k]->molecule || e->status[k]) {
            free(engine);
            return NULL;
        }
    }
    return engine;
}

/* Before the systems start: stars share the GPU of the ensemble, where it may be used. */
static void ensemble_share_gpu(const myr_ensemble *e)
{
    const int required = e->backend == myr_catalogue_backend("cuda");
    int64_t stars = 0;
    for (int64_t k = 0; k < e->n; k++)
        stars += myr_ensemble_stars_are(e->simulation[k]);
    const myr_gpu *gpu =
        stars > 0 && (required || e->backend == myr_catalogue_backend("auto")) ? myr_gpu_open(e->context) : NULL;
    for (int64_t k = 0; k < e->n && gpu; k++)
        if (myr_ensemble_stars_are(e->simulation[k]))
            myr_ensemble_stars_prepare(e->simulation[k], gpu, required);
}

/* Decides where the systems move; they have started. */
static myr_status ensemble_decide(myr_ensemble *e)
{
    const int required = e->backend == myr_catalogue_backend("cuda");
    e->decided = 1;
    if (!required && e->backend != myr_catalogue_backend("auto"))
        return MYR_OK;
    const myr_gpu *gpu = myr_gpu_open(e->context);
    if (!gpu)
        return required ? MYR_ERROR_UNAVAILABLE : MYR_OK;
    myr_molecular **engine = ensemble_engines(e);
    const myr_status status =
        engine ? myr_molecule_gpu_create(e->context, gpu, e->n, engine, &e->molecules)
               : myr_ensemble_stars_create(e->context, gpu, e->n, e->simulation, e->status, &e->stars);
    free(engine);
    return required ? status : MYR_OK;
}

/* --- molecules on a GPU ------------------------------------------------------------------------------------------- */

/* Fails unless all systems that go on have the time and the steps of the first. */
static myr_status ensemble_check_together(const myr_ensemble *e, int64_t first)
{
    const myr_integration *m = &e->simulation[first]->motion;
    for (int64_t k = first; k < e->n; k++) {
        const myr_integration *other = &e->simulation[k]->motion;
        if (!e->status[k] && (other->time != m->time || other->steps != m->steps || other->shown != m->shown ||
                              other->parameter[0] != m->parameter[0]))
            return myr_context_fail(e->context, MYR_ERROR_VALUE,
                                    "systems %lld and %lld of an ensemble on a GPU differ in time, steps or dt",
                                    (long long)first, (long long)k);
    }
    return MYR_OK;
}

/* Makes steps of all molecules; *made receives their number. */
static myr_status ensemble_launch(myr_ensemble *e, double end, double until, int64_t most, int64_t *made)
{
    double *time = myr_memory_zeros(ENSEMBLE_STEPS, sizeof *time), dt = 0;
    int64_t first = 0;
    *made = 0;
    if (!time)
        return myr_context_fail(e->context, MYR_ERROR_MEMORY, "no memory for the times of steps");
    while (e->status[first])
        first++;
    myr_simulation *s = e->simulation[first];
    myr_status status = ensemble_check_together(e, first);
    for (int64_t k = 0; k < e->n; k++)
        e->simulation[k]->motion.until = until;
    const int64_t count =
        status ? 0 : myr_box_motion_times(s, end, until, most < ENSEMBLE_STEPS ? most : ENSEMBLE_STEPS, time, &dt);
    const myr_molecule_gpu_span span = {time, dt, s->motion.steps, count};
    if (!status)
        status = myr_molecule_gpu_steps(e->molecules, &span, e->status, made);
    for (int64_t k = 0; k < e->n && !status; k++)
        if (!e->status[k])
            myr_box_motion_made(e->simulation[k], end, *made);
    free(time);
    return status;
}

static myr_status ensemble_launch_all(myr_ensemble *e, double end, double until, int64_t most)
{
    int64_t left = most, made = 1;
    myr_status status = MYR_OK;
    while (!status && left > 0 && made > 0 && myr_ensemble_alive(e) > 0) {
        status = ensemble_launch(e, end, until, left, &made);
        left -= made;
        if (!status && left > 0 && made > 0 && e->context->progress &&
            e->context->progress(e->context->progress_user, 0))
            return myr_context_fail(e->context, MYR_ERROR_CANCELLED, "stopped on request between two launches");
    }
    return status;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

myr_status myr_ensemble_advance(myr_ensemble *ensemble, double end, double until, int64_t most)
{
    myr_ensemble *e = ensemble;
    if (!e)
        return MYR_ERROR_ARGUMENT;
    const double start = myr_timer_now();
    myr_status status = MYR_OK;
    if (!e->decided) {
        ensemble_share_gpu(e);
        ensemble_move_all(e, end, until, 0); /* starts them */
        if (myr_ensemble_alive(e) == e->n || (myr_ensemble_alive(e) > 0 && myr_ensemble_stars_are(e->simulation[0])))
            status = ensemble_decide(e);
    }
    if (e->stars && !status)
        ensemble_move_all(e, end, until, 0); /* starts those whose bodies the caller has replaced */
    const myr_ensemble_span span = {end, until, most};
    if (!status && most > 0 && e->molecules)
        status = ensemble_launch_all(e, end, until, most);
    else if (!status && most > 0 && e->stars)
        status = myr_ensemble_stars_advance(e->stars, &span, e->status);
    else if (!status && most > 0)
        ensemble_move_all(e, end, until, most);
    e->seconds += myr_timer_now() - start;
    if (!status && myr_ensemble_alive(e) == 0)
        return myr_context_fail(e->context, e->status[0], "all %lld systems of the ensemble have failed; the first: %s",
                                (long long)e->n, myr_context_message(e->simulation[0]->context));
    return status;
}

myr_status myr_ensemble_describe(const myr_ensemble *ensemble, myr_ensemble_report *report)
{
    if (!ensemble || !report)
        return MYR_ERROR_ARGUMENT;
    *report = (myr_ensemble_report){.threads = myr_context_threads(ensemble->context), .seconds = ensemble->seconds};
    if (ensemble->stars)
        myr_ensemble_stars_report(ensemble->stars, &report->bytes, &report->blocks, &report->threads,
                                  &report->device_seconds);
    report->on_gpu = ensemble->stars || ensemble->molecules;
    if (!ensemble->molecules)
        return MYR_OK;
    myr_box_device device;
    myr_molecule_gpu_report(ensemble->molecules, &device, &report->blocks, &report->threads);
    report->bytes = device.bytes;
    report->device_seconds = device.step_seconds;
    return MYR_OK;
}
