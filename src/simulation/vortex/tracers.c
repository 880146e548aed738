/* tracers.c - tracers: vortex elements of strength 0, which move like elements, with any method and integrator, in
 * checkpoints and snapshots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>

#include "core/memory.h"
#include "simulation/merge.h"
#include "simulation/replace.h"
#include "simulation/vortex/tracers.h"

static int64_t tracers_largest_id(const myr_particles *p)
{
    const int64_t *id = myr_particles_ids(p);
    int64_t most = -1;
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        most = id[i] > most ? id[i] : most;
    return most;
}

static int tracers_is(const myr_particles *p, int64_t i)
{
    double size = 0;
    for (int c = 0; c < 3; c++)
        size += fabs(myr_particles_component_const(p, "strength", c)[i]);
    return myr_particles_types(p)[i] == MYR_TRACER && size == 0;
}

/* Sets ids and types of elements and tracers; ids = null: ids after the largest. */
static myr_status tracers_name(const myr_particles *p, const int64_t *ids, myr_particles *all)
{
    const int64_t n = myr_particles_count(p), m = myr_particles_count(all), first = tracers_largest_id(p) + 1;
    int64_t *id = myr_memory_zeros(m, sizeof *id);
    int32_t *type = myr_memory_zeros(m, sizeof *type);
    myr_status status = id && type ? MYR_OK
                                   : myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY,
                                                      "no memory for %lld particles", (long long)m);
    for (int64_t i = 0; !status && i < m; i++) {
        id[i] = i < n ? myr_particles_ids(p)[i] : ids ? ids[i - n] : first + i - n;
        type[i] = i < n ? myr_particles_types(p)[i] : MYR_TRACER;
    }
    if (!status)
        status = myr_particles_set_ids(all, id);
    if (!status)
        status = myr_particles_set_types(all, type);
    free(id);
    free(type);
    return status;
}

/* Fills the fields of elements and tracers: tracers have positions and a core without effect, and zeros otherwise. */
static myr_status tracers_fill(const myr_particles *p, const int64_t *ids, const double *const x[3], myr_particles *all)
{
    const int64_t n = myr_particles_count(p), m = myr_particles_count(all);
    myr_status status = tracers_name(p, ids, all);
    for (int f = 0; !status && f < myr_particles_fields(p); f++) {
        const char *name = myr_particles_field_name(p, f);
        const int components = myr_particles_field_components(p, f);
        const int place = strcmp(name, "position") == 0, core = strcmp(name, "core") == 0;
        status = myr_particles_add_field(all, name, components);
        for (int c = 0; !status && c < components; c++) {
            const double *from = myr_particles_component_const(p, name, c);
            double *to = myr_particles_component(all, name, c);
            memcpy(to, from, (size_t)n * sizeof *to);
            for (int64_t i = n; i < m; i++)
                to[i] = place ? x[c][i - n] : core && n ? from[0] : 0;
        }
    }
    return status;
}

/* Makes a set with tracers after its particles. */
static myr_status tracers_add(const myr_particles *p, int64_t n, const int64_t *ids, const double *const x[3],
                              myr_particles **all)
{
    myr_status status = myr_particles_create(myr_particles_context(p), myr_particles_count(p) + n, all);
    if (!status)
        status = tracers_fill(p, ids, x, *all);
    if (status)
        myr_particles_destroy(all);
    return status;
}

myr_status myr_simulation_add_tracers(myr_simulation *simulation, int64_t n, const double *const x[3])
{
    myr_simulation *s = simulation;
    myr_particles *all = NULL;
    if (!s || !x || n < 0)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "tracers cannot be added after the first step");
    if (myr_simulation_kind(s) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "tracers move with vortex elements, whose kernel gives velocities");
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(x[0][i] + x[1][i] + x[2][i]))
            return myr_context_fail(s->context, MYR_ERROR_NONFINITE, "tracer %lld has no finite position",
                                    (long long)i);
    const myr_status status = tracers_add(s->particles, n, NULL, x, &all);
    return status ? status : myr_replace_particles(s, all);
}

myr_status myr_tracers_leave(const myr_particles *p, myr_particles **elements)
{
    const int64_t n = myr_particles_count(p), tracers = myr_flow_tracers(p);
    unsigned char *gone = myr_memory_zeros(n, 1);
    *elements = NULL;
    if (!gone)
        return myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY, "no memory for %lld particles",
                                (long long)n);
    for (int64_t i = 0; tracers && i < n; i++)
        gone[i] = (unsigned char)tracers_is(p, i);
    const myr_status status = myr_merge_remaining(p, gone, n - tracers, elements);
    free(gone);
    return status;
}

/* Renumbers n particles with ids that no particle of a set has. */
static myr_status tracers_renumber(const myr_particles *p, myr_particles *others)
{
    const int64_t n = myr_particles_count(others), first = tracers_largest_id(p) + 1;
    int64_t *id = myr_memory_zeros(n, sizeof *id);
    for (int64_t i = 0; id && i < n; i++)
        id[i] = first + i;
    const myr_status status =
        id ? myr_particles_set_ids(others, id)
           : myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY, "no memory for %lld ids", (long long)n);
    free(id);
    return status;
}

myr_status myr_tracers_join(const myr_particles *from, myr_particles **to)
{
    const int64_t n = myr_particles_count(from), tracers = myr_flow_tracers(from);
    double *room = myr_memory_zeros(3 * tracers, sizeof *room);
    int64_t *id = myr_memory_zeros(tracers, sizeof *id), k = 0;
    myr_particles *all = NULL;
    myr_status status = room && id ? tracers_renumber(from, *to)
                                   : myr_context_fail(myr_particles_context(from), MYR_ERROR_MEMORY,
                                                      "no memory for %lld tracers", (long long)tracers);
    for (int64_t i = 0; !status && tracers && i < n; i++) {
        if (!tracers_is(from, i))
            continue;
        for (int c = 0; c < 3; c++)
            room[c * tracers + k] = myr_particles_component_const(from, "position", c)[i];
        id[k++] = myr_particles_ids(from)[i];
    }
    const double *const x[3] = {room, room + tracers, room + 2 * tracers};
    if (!status && tracers)
        status = tracers_add(*to, tracers, id, x, &all);
    free(room);
    free(id);
    if (status || !tracers)
        return status;
    myr_particles_destroy(to);
    *to = all;
    return MYR_OK;
}
