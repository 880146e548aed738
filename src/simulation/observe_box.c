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
    return m && m->gpu && !m->divided && o->kind->ask && o->samples > 0 && o->n == m->n;
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
    if (!status && observe_is_there(s, observable))
        return observe_there(s, observable, &sample);
    if (!status)
        status = myr_simulation_particles(s, &now);
    return status ? status : myr_observable_add(observable, now, sample.time, sample.box, sample.origin);
}
