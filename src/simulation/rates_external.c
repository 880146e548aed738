/* rates_external.c - accelerations, jerks and potentials of particles by the external fields of a simulation. Fields of
 * the library are evaluated particle by particle, functions of the user for all particles at once. */
#include "simulation/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/motion.h"
#include "core/memory.h"
#include "model/external_function.h"

/* Position and velocity of particle i, predicted from its own time to `time`. */
static void external_predict(const myr_prediction *p, double time, int64_t i, double x[3], double v[3])
{
    const double dt = p->own ? time - p->own[i] : 0;
    for (int c = 0; c < 3; c++) {
        const double a0 = dt != 0 ? p->acceleration[c][i] : 0, j0 = dt != 0 ? p->jerk[c][i] : 0;
        x[c] = motion_position(p->position[c][i], p->velocity[c][i], a0, j0, dt);
        v[c] = motion_velocity(p->velocity[c][i], a0, j0, dt);
    }
}

static myr_status external_not_finite(const myr_simulation *s, const char *fields, double time, int64_t i,
                                      const double x[3], const char *what)
{
    return myr_context_fail(s->context, MYR_ERROR_NONFINITE,
                            "at time %g%s %s particle %lld (id %lld) at (%g, %g, %g) %s that is not a finite number",
                            myr_context_time(s->context, time), myr_context_time_name(s->context), fields, (long long)i,
                            (long long)s->motion.ids[i], x[0], x[1], x[2], what);
}

/* --- functions of the user ---------------------------------------------------------------------------------------- */

/* Arrays of all points: position, velocity, acceleration, jerk, and ids. */
typedef struct {
    myr_field_points points;
    double *x[3], *v[3];
    double *values;
    int64_t *ids;
} external_batch;

static myr_status batch_create(const myr_simulation *s, double time, int64_t n, int with_jerk, external_batch *b)
{
    *b = (external_batch){.points = {.time = time, .n = n}};
    b->values = myr_memory_zeros(12 * n, sizeof(double));
    b->ids = myr_memory_zeros(n, sizeof *b->ids);
    if (!b->values || !b->ids)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for an external field of %lld particles",
                                (long long)n);
    b->points.ids = b->ids;
    for (int c = 0; c < 3; c++) {
        b->points.position[c] = b->x[c] = b->values + c * n;
        b->points.velocity[c] = b->v[c] = b->values + (3 + c) * n;
        b->points.acceleration[c] = b->values + (6 + c) * n;
        b->points.jerk[c] = with_jerk ? b->values + (9 + c) * n : NULL;
    }
    return MYR_OK;
}

static void batch_free(external_batch *b)
{
    free(b->values);
    free(b->ids);
}

static void batch_set(external_batch *b, int64_t k, int64_t id, const double x[3], const double v[3],
                      const double centre[3])
{
    b->ids[k] = id;
    for (int c = 0; c < 3; c++) {
        b->x[c][k] = x[c] - centre[c];
        b->v[c][k] = v[c];
    }
}

/* Adds the results of a function to the rates. */
static myr_status batch_add(const myr_simulation *s, const external_batch *b, const char *name, const int64_t *index,
                            double *const *a, double *const *j)
{
    const myr_field_points *p = &b->points;
    char fields[100];
    snprintf(fields, sizeof fields, "the external field '%s' gives", name);
    for (int64_t k = 0; k < p->n; k++) {
        const double x[3] = {b->x[0][k], b->x[1][k], b->x[2][k]};
        double sum = 0, jerks = 0;
        for (int c = 0; c < 3; c++) {
            a[c][k] += p->acceleration[c][k];
            sum += p->acceleration[c][k];
            if (j) {
                j[c][k] += p->jerk[c][k];
                jerks += p->jerk[c][k];
            }
        }
        if (!isfinite(sum))
            return external_not_finite(s, fields, p->time, index ? index[k] : k, x, "an acceleration");
        if (!isfinite(jerks))
            return external_not_finite(s, fields, p->time, index ? index[k] : k, x,
                                       "a jerk, which the integrator needs,");
    }
    return MYR_OK;
}

static myr_status external_add_function(const myr_simulation *s, const myr_external *e, double time, int64_t n,
                                        const int64_t *index, const myr_prediction *p, double *const *a,
                                        double *const *j)
{
    external_batch b;
    double centre[3];
    myr_external_centre(e, centre);
    myr_status status = batch_create(s, time, n, j != NULL, &b);
    for (int64_t k = 0; !status && k < n; k++) {
        double x[3], v[3];
        external_predict(p, time, index ? index[k] : k, x, v);
        batch_set(&b, k, s->motion.ids[index ? index[k] : k], x, v, centre);
    }
    if (!status)
        status = myr_external_function_call(e, &b.points);
    if (!status)
        status = batch_add(s, &b, myr_external_name(e), index, a, j);
    batch_free(&b);
    return status;
}

/* Energy of all particles of a set in the field of a function. */
static myr_status external_function_energy(const myr_simulation *s, const myr_external *e, const myr_particles *now,
                                           double *energy)
{
    const int64_t n = myr_particles_count(now);
    const double *mass = myr_particles_component_const(now, "mass", 0);
    external_batch b;
    double centre[3];
    myr_external_centre(e, centre);
    myr_status status = batch_create(s, s->motion.shown, n, 0, &b);
    for (int64_t i = 0; !status && i < n; i++) {
        double x[3], v[3];
        for (int c = 0; c < 3; c++) {
            const double *u = myr_particles_component_const(now, "velocity", c);
            x[c] = myr_particles_component_const(now, "position", c)[i];
            v[c] = u ? u[i] : 0;
        }
        batch_set(&b, i, myr_particles_ids(now)[i], x, v, centre);
    }
    if (!status) {
        b.points.potential = b.values + 9 * n;
        status = myr_external_function_call(e, &b.points);
    }
    for (int64_t i = 0; !status && i < n; i++)
        *energy += (mass ? mass[i] : 1) * b.points.potential[i];
    batch_free(&b);
    return status;
}

myr_status myr_rates_function_energy(const myr_simulation *s, const myr_particles *now, double *energy)
{
    myr_status status = MYR_OK;
    for (int e = 0; !status && e < s->externals; e++)
        if (myr_external_function_of(s->external[e]))
            status = external_function_energy(s, s->external[e], now, energy);
    return status;
}

myr_status myr_rates_function_points(void *user, const myr_field_points *points)
{
    const myr_simulation *s = user;
    const int64_t n = points->n;
    myr_status status = MYR_OK;
    for (int e = 0; !status && e < s->externals; e++) {
        external_batch b;
        double centre[3];
        if (!myr_external_function_of(s->external[e]))
            continue;
        myr_external_centre(s->external[e], centre);
        status = batch_create(s, points->time, n, 0, &b);
        for (int64_t k = 0; !status && k < n; k++) {
            const double x[3] = {points->position[0][k], points->position[1][k], points->position[2][k]};
            const double v[3] = {points->velocity[0][k], points->velocity[1][k], points->velocity[2][k]};
            batch_set(&b, k, points->ids[k], x, v, centre);
        }
        if (!status) {
            b.points.potential = points->potential ? b.values + 9 * n : NULL;
            status = myr_external_function_call(s->external[e], &b.points);
        }
        if (!status)
            status = batch_add(s, &b, myr_external_name(s->external[e]), NULL, points->acceleration, NULL);
        for (int64_t k = 0; !status && points->potential && k < n; k++)
            points->potential[k] += b.points.potential[k];
        batch_free(&b);
    }
    return status;
}

/* --- all fields --------------------------------------------------------------------------------------------------- */

myr_status myr_rates_add_external(const myr_simulation *s, double time, int64_t n, const int64_t *index,
                                  const myr_prediction *p, double *const *a, double *const *j)
{
    for (int64_t k = 0; s->externals && k < n; k++) {
        const int64_t i = index ? index[k] : k;
        double x[3], v[3], acceleration[3], jerk[3];
        external_predict(p, time, i, x, v);
        for (int e = 0; e < s->externals; e++) {
            if (myr_external_function_of(s->external[e]))
                continue;
            myr_external_at(s->external[e], x, v, time, acceleration, jerk, NULL);
            for (int c = 0; c < 3; c++) {
                a[c][k] += acceleration[c];
                if (j)
                    j[c][k] += jerk[c];
            }
        }
        if (!isfinite(a[0][k] + a[1][k] + a[2][k] + x[0] + x[1] + x[2]) ||
            (j && !isfinite(j[0][k] + j[1][k] + j[2][k])))
            return external_not_finite(s, "the external fields give", time, i, x, "a rate");
    }
    myr_status status = MYR_OK;
    for (int e = 0; !status && e < s->externals; e++)
        if (myr_external_function_of(s->external[e]))
            status = external_add_function(s, s->external[e], time, n, index, p, a, j);
    return status;
}
