/* merge.c - merging of bodies that touch. The particle set is rebuilt without the bodies that were merged, and the
 * motion starts again: an integrator's history of a body is not valid for the merged body. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/diagnostic.h>

#include "core/memory.h"
#include "particles/particles.h"
#include "simulation/merge.h"
#include "simulation/ranks/commands.h"
#include "simulation/replace.h"

/* A shrinking set: remaining bodies and their current values. */
typedef struct {
    myr_particles *p;
    double *x[3], *v[3], *mass, *radius; /* radius = null: the distance criterion applies */
    double distance;
    int64_t merged;
} merge_state;

static void merge_arrays(merge_state *m, const char *radius_field)
{
    for (int c = 0; c < 3; c++) {
        m->x[c] = myr_particles_component(m->p, "position", c);
        m->v[c] = myr_particles_component(m->p, "velocity", c);
    }
    m->mass = myr_particles_component(m->p, "mass", 0);
    m->radius = radius_field ? myr_particles_component(m->p, radius_field, 0) : NULL;
}

static myr_status merge_check(myr_simulation *s, const char *radius_field, double distance)
{
    const myr_particles *p = s->particles;
    if (!myr_particles_component_const(p, "velocity", 2) || !myr_particles_component_const(p, "mass", 0))
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "merging needs particles with velocity and mass");
    if (s->interaction && s->interaction->offset)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "merging renumbers the particles; it does not go together with excluded pairs");
    if (!radius_field && !(distance >= 0))
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "bodies cannot touch at distance %g", distance);
    const double *radius = radius_field ? myr_particles_component_const(p, radius_field, 0) : NULL;
    if (radius_field && !radius)
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "there is no field '%s' of radii", radius_field);
    for (int64_t i = 0; radius && i < myr_particles_count(p); i++)
        if (!(radius[i] >= 0 && isfinite(radius[i])))
            return myr_context_fail(s->context, MYR_ERROR_VALUE, "the radius of particle %lld (id %lld) is %g",
                                    (long long)i, (long long)myr_particles_ids(p)[i], radius[i]);
    return MYR_OK;
}

/* Gives body i the mass, momentum and centre of mass of both bodies; of two radii, the volumes are added. */
static void merge_pair(const merge_state *m, int64_t i, int64_t j)
{
    const double mass = m->mass[i] + m->mass[j];
    for (int c = 0; c < 3; c++) {
        double *const both[2] = {m->x[c], m->v[c]};
        for (int k = 0; k < 2; k++)
            both[k][i] = mass > 0 ? (m->mass[i] * both[k][i] + m->mass[j] * both[k][j]) / mass : both[k][i];
    }
    m->mass[i] = mass;
    if (m->radius) {
        const double a = m->radius[i], b = m->radius[j];
        m->radius[i] = cbrt(a * a * a + b * b * b);
    }
}

static int touch(const merge_state *m, const myr_close_pair *pair)
{
    return pair->distance < (m->radius ? m->radius[pair->first] + m->radius[pair->second] : m->distance);
}

static int nearer(const void *a, const void *b)
{
    const myr_close_pair *p = a, *q = b;
    if (p->distance != q->distance)
        return p->distance < q->distance ? -1 : 1;
    if (p->first != q->first)
        return p->first < q->first ? -1 : 1;
    return (p->second > q->second) - (p->second < q->second);
}

static myr_status merge_touching(const merge_state *m, myr_close_pair **pair, int64_t *pairs)
{
    double reach = m->distance;
    for (int64_t i = 0; m->radius && i < myr_particles_count(m->p); i++)
        reach = i == 0 || 2 * m->radius[i] > reach ? 2 * m->radius[i] : reach;
    int64_t found, kept = 0;
    *pair = NULL;
    *pairs = 0;
    myr_status status = myr_diagnostic_pairs_within(m->p, reach, 0, NULL, &found);
    if (status || found == 0)
        return status;
    *pair = myr_memory_zeros(found, sizeof **pair);
    if (!*pair)
        return myr_context_fail(myr_particles_context(m->p), MYR_ERROR_MEMORY, "no memory for %lld bodies that touch",
                                (long long)found);
    status = myr_diagnostic_pairs_within(m->p, reach, found, *pair, &found);
    for (int64_t k = 0; !status && k < found; k++)
        if (touch(m, &(*pair)[k]))
            (*pair)[kept++] = (*pair)[k];
    qsort(*pair, (size_t)kept, sizeof **pair, nearer);
    *pairs = kept;
    return status;
}

myr_status myr_merge_remaining(const myr_particles *from, const unsigned char *gone, int64_t left, myr_particles **to)
{
    const int64_t n = myr_particles_count(from);
    int64_t *ids = myr_memory_zeros(left, sizeof *ids), k = 0;
    int32_t *types = myr_memory_zeros(left, sizeof *types);
    myr_status status = myr_particles_create(myr_particles_context(from), left, to);
    if (!status && (!ids || !types))
        status = myr_context_fail(myr_particles_context(from), MYR_ERROR_MEMORY, "no memory for %lld particles",
                                  (long long)left);
    for (int64_t i = 0; !status && i < n; i++)
        if (!gone[i]) {
            ids[k] = myr_particles_ids(from)[i];
            types[k++] = myr_particles_types(from)[i];
        }
    if (!status)
        status = myr_particles_set_ids(*to, ids);
    if (!status)
        status = myr_particles_set_types(*to, types);
    if (!status)
        status = myr_particles_copy_names(from, gone, *to);
    free(ids);
    free(types);
    for (int f = 0; !status && f < myr_particles_fields(from); f++) {
        const char *name = myr_particles_field_name(from, f);
        const int components = myr_particles_field_components(from, f);
        status = myr_particles_add_field(*to, name, components);
        for (int c = 0; !status && c < components; c++) {
            const double *old = myr_particles_component_const(from, name, c);
            double *next = myr_particles_component(*to, name, c);
            for (int64_t i = 0; i < n; i++)
                if (!gone[i])
                    *next++ = old[i];
        }
    }
    if (status)
        myr_particles_destroy(to);
    return status;
}

/* Merges pairs, the closest first; a body takes part once, and the merged body is examined again later. */
static myr_status merge_once(merge_state *m, const char *radius_field, int64_t *merged)
{
    myr_close_pair *pair;
    int64_t pairs, n = myr_particles_count(m->p);
    *merged = 0;
    myr_status status = merge_touching(m, &pair, &pairs);
    unsigned char *gone = status || pairs == 0 ? NULL : calloc((size_t)n, 2), *busy = gone ? gone + n : NULL;
    if (!status && pairs && !gone)
        status = myr_context_fail(myr_particles_context(m->p), MYR_ERROR_MEMORY, "no memory to merge bodies");
    for (int64_t k = 0; !status && k < pairs; k++) {
        const int64_t i = pair[k].first, j = pair[k].second;
        if (busy[i] || busy[j])
            continue;
        merge_pair(m, i, j);
        busy[i] = busy[j] = gone[j] = 1;
        ++*merged;
    }
    free(pair);
    myr_particles *left = NULL;
    if (!status && *merged)
        status = myr_merge_remaining(m->p, gone, n - *merged, &left);
    free(gone);
    if (status || !*merged)
        return status;
    myr_particles_destroy(&m->p);
    m->p = left;
    m->merged += *merged;
    merge_arrays(m, radius_field);
    return MYR_OK;
}

static myr_status merge_all(myr_simulation *s, const char *radius_field, double distance, int64_t *merged,
                            double *energy)
{
    myr_conserved before, after;
    const myr_particles *now;
    merge_state m = {.distance = distance};
    myr_close_pair *pair = NULL;
    int64_t pairs = 0, more = 0;
    myr_status status = merge_check(s, radius_field, distance);
    if (!status)
        status = myr_simulation_particles(s, &now);
    if (status)
        return status;
    m.p = s->synchronous;
    merge_arrays(&m, radius_field);
    status = merge_touching(&m, &pair, &pairs);
    free(pair);
    if (status || pairs == 0) /* the usual case: nothing has changed */
        return status;
    status = myr_simulation_conserved(s, &before);
    myr_particles_destroy(&s->synchronous); /* the copy now holds potentials, which the new set must not inherit */
    if (!status)
        status = myr_simulation_particles(s, &now);
    if (status)
        return status;
    m.p = s->synchronous; /* from here on m owns the set */
    s->synchronous = NULL;
    merge_arrays(&m, radius_field);
    do
        status = merge_once(&m, radius_field, &more);
    while (!status && more);
    if (status) {
        myr_particles_destroy(&m.p);
        return status;
    }
    status = myr_replace_particles(s, m.p);
    if (!status)
        status = myr_simulation_conserved(s, &after);
    *merged = m.merged;
    *energy = status ? NAN : isnan(after.jacobi) ? after.energy - before.energy : after.jacobi - before.jacobi;
    return status;
}

myr_status myr_simulation_merge(myr_simulation *simulation, const char *radius_field, double distance, int64_t *merged,
                                double *energy)
{
    myr_simulation *s = simulation;
    if (!s || !merged || !energy)
        return MYR_ERROR_ARGUMENT;
    *merged = 0;
    *energy = 0;
    myr_command order = {.kind = MYR_COMMAND_MERGE, .value = distance};
    if (radius_field)
        strncpy(order.name, radius_field, sizeof order.name - 1);
    myr_status status = myr_commands_begin(s, &order);
    if (!status)
        status = merge_all(s, radius_field, distance, merged, energy);
    return myr_commands_end(s, status);
}
