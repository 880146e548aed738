/* observe_box.c - samples of the particles of a box for observables: counted on the GPU that has the particles, or from
 * a copy of all of them. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/observable.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"

/* 1 if a GPU counts: it has all particles, and the observable knows their types from the first sample. */
static int observe_is_there(const myr_simulation *s, const myr_observable *o)
{
    const myr_molecular *m = s->box->engine;
    return m && m->gpu && !m->divided && o->samples > 0 && o->n == m->n;
}

/* Correlates a sample on the GPU. *is_done = 0 if the particles must come here. */
static myr_status observe_paths(myr_simulation *s, myr_observable *o, const myr_observable_sample *sample, int *is_done)
{
    const int64_t chunks = (o->n + BOX_PATHS_CHUNK - 1) / BOX_PATHS_CHUNK;
    const int64_t slots = (o->options.rows + o->options.spacing - 1) / o->options.spacing;
    box_correlation correlation = {.compare = myr_memory_zeros(slots, sizeof *correlation.compare)};
    correlation.part = myr_memory_zeros(slots * o->types * chunks, sizeof *correlation.part);
    myr_status status = MYR_OK;
    *is_done = 0;
    if (!correlation.part || !correlation.compare)
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the sums of the observable %s",
                                  o->kind->info.name);
    if (!status && o->kind->ask_paths(o, sample, &correlation))
        status = myr_molecular_gpu_correlate(s->box->engine, &correlation, is_done);
    if (*is_done) {
        o->kind->take_paths(o, sample, &correlation);
        o->samples++;
    }
    free(correlation.part);
    free(correlation.compare);
    return status;
}

static myr_status observe_there(myr_simulation *s, myr_observable *o, const myr_observable_sample *sample)
{
    box_counting counting;
    myr_status status = o->kind->ask(o, sample, &counting);
    if (status)
        return status;
    int64_t *count = myr_memory_zeros(counting.rows * counting.columns, sizeof *count);
    if (!count)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the counts of the observable %s",
                                o->kind->info.name);
    status = myr_molecular_gpu_count(s->box->engine, &counting, count);
    if (!status) {
        o->kind->take(o, sample, count);
        o->samples++;
    }
    free(count);
    return status;
}

myr_status myr_simulation_observe(myr_simulation *simulation, myr_observable *observable)
{
    myr_simulation *s = simulation;
    const myr_particles *now;
    myr_observable_sample sample = {.particles = NULL};
    if (!s || !observable)
        return MYR_ERROR_ARGUMENT;
    sample.time = myr_simulation_time(s);
    myr_status status = myr_simulation_box(s, sample.box, sample.origin);
    if (!status && observe_is_there(s, observable) && observable->kind->ask)
        return observe_there(s, observable, &sample);
    int is_done = 0;
    if (!status && observe_is_there(s, observable) && observable->kind->ask_paths)
        status = observe_paths(s, observable, &sample, &is_done);
    if (status || is_done)
        return status;
    if (!status)
        status = myr_simulation_particles(s, &now);
    return status ? status : myr_observable_add(observable, now, sample.time, sample.box, sample.origin);
}
