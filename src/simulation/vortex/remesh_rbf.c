/* remesh_rbf.c - re-initialisation of vortex elements: small cores on a regular lattice with the vorticity of large and
 * scattered ones (paper 004, section 2: radial basis functions). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>
#include <myriad/flow.h>

#include "core/memory.h"
#include "method/gaussian/gaussian.h"
#include "simulation/ranks/replicas.h"
#include "simulation/replace.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/element_motion.h"
#include "simulation/vortex/remesh_periodic.h"
#include "simulation/vortex/tracers.h"

#define RENEW_CUTOFF 5.0     /* in cores: there a Gaussian is 4e-6 of its peak */
#define RENEW_WEAK 1e-4      /* default of the weakest vorticity that gets an element, relative to the largest */
#define RENEW_OVERLAP 0.95   /* smallest core/distance without a warning */
#define RENEW_TOLERANCE 1e-4 /* rms error relative to the vorticity */
#define RENEW_POINTS 4e8     /* largest number of lattice points around all elements */

enum { RENEW_ITERATIONS = 300 };

/* Lattice with the origin among its points, and its used points. */
typedef struct {
    myr_simulation *s;
    double spacing, reach;
    int64_t low[3], size[3];
    unsigned char *used; /* [z][y][x] */
    int64_t n;
    double *x[3], *vorticity[3], *strength[3];
} renewal;

static void renew_free(renewal *r)
{
    free(r->used);
    for (int c = 0; c < 3; c++) {
        free(r->x[c]);
        free(r->vorticity[c]);
        free(r->strength[c]);
    }
}

static double renew_weak(const myr_simulation *s)
{
    return s->elements->floor > 0 ? s->elements->floor : RENEW_WEAK;
}

/* Chooses the lattice around the old elements. */
static myr_status renew_lattice(renewal *r, int64_t n, const double *const x[3])
{
    double points = 1;
    for (int c = 0; c < 3; c++) {
        double low = x[c][0], high = x[c][0];
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[c][i]);
            high = fmax(high, x[c][i]);
        }
        const double first = floor((low - r->reach) / r->spacing), last = ceil((high + r->reach) / r->spacing);
        points *= last - first + 1;
        r->low[c] = (int64_t)first;
        r->size[c] = (int64_t)(last - first) + 1;
    }
    if (!(points <= RENEW_POINTS))
        return myr_context_fail(r->s->context, MYR_ERROR_VALUE,
                                "a lattice of spacing %g about all vortex elements has %.3g points, more than %.0g; a "
                                "wider spacing has fewer",
                                r->spacing, points, RENEW_POINTS);
    r->used = myr_memory_zeros((int64_t)points, 1);
    return r->used ? MYR_OK : myr_context_fail(r->s->context, MYR_ERROR_MEMORY, "no memory for a lattice");
}

static int64_t renew_place(const renewal *r, const int64_t at[3])
{
    return ((at[2] - r->low[2]) * r->size[1] + at[1] - r->low[1]) * r->size[0] + at[0] - r->low[0];
}

/* Marks the points that an element may reach. */
static void renew_mark(renewal *r, const double x[3])
{
    int64_t first[3], last[3], at[3];
    for (int c = 0; c < 3; c++) {
        first[c] = (int64_t)ceil((x[c] - r->reach) / r->spacing);
        last[c] = (int64_t)floor((x[c] + r->reach) / r->spacing);
    }
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
            for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
                double square = 0;
                for (int c = 0; c < 3; c++)
                    square += pow((double)at[c] * r->spacing - x[c], 2);
                if (square <= r->reach * r->reach)
                    r->used[renew_place(r, at)] = 1;
            }
}

/* Positions of the marked points. */
static myr_status renew_points(renewal *r)
{
    const int64_t all = r->size[0] * r->size[1] * r->size[2];
    for (int64_t k = 0; k < all; k++)
        r->n += r->used[k];
    for (int c = 0; c < 3; c++) {
        r->x[c] = myr_memory_zeros(r->n, sizeof(double));
        r->vorticity[c] = myr_memory_zeros(r->n, sizeof(double));
        r->strength[c] = myr_memory_zeros(r->n, sizeof(double));
        if (!r->x[c] || !r->vorticity[c] || !r->strength[c])
            return myr_context_fail(r->s->context, MYR_ERROR_MEMORY, "no memory for %lld elements", (long long)r->n);
    }
    for (int64_t k = 0, i = 0; k < all; k++)
        if (r->used[k]) {
            const int64_t at[3] = {k % r->size[0], k / r->size[0] % r->size[1], k / r->size[0] / r->size[1]};
            for (int c = 0; c < 3; c++)
                r->x[c][i] = (double)(r->low[c] + at[c]) * r->spacing;
            i++;
        }
    return MYR_OK;
}

/* Computes the vorticity at the points; points with negligible vorticity are removed. */
static myr_status renew_vorticity(renewal *r, int64_t n, const double *const x[3], const double *const strength[3],
                                  const double *core)
{
    myr_gaussian *old = NULL;
    myr_status status = myr_gaussian_create(r->s->context, n, x, core, RENEW_CUTOFF, &old);
    if (!status)
        status = myr_gaussian_sum(old, strength, r->n, (const double *const *)r->x, r->vorticity);
    myr_gaussian_destroy(&old);
    if (status)
        return status;
    double most = 0;
    for (int64_t i = 0; i < r->n; i++)
        most = fmax(most, hypot(hypot(r->vorticity[0][i], r->vorticity[1][i]), r->vorticity[2][i]));
    int64_t kept = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (hypot(hypot(r->vorticity[0][i], r->vorticity[1][i]), r->vorticity[2][i]) < renew_weak(r->s) * most)
            continue;
        for (int c = 0; c < 3; c++) {
            r->x[c][kept] = r->x[c][i];
            r->vorticity[c][kept] = r->vorticity[c][i];
            r->strength[c][kept] = r->vorticity[c][i] * pow(r->spacing, 3);
        }
        kept++;
    }
    r->n = kept;
    return kept
               ? MYR_OK
               : myr_context_fail(r->s->context, MYR_ERROR_VALUE, "the elements have no vorticity to start again from");
}

static myr_status renew_solve(renewal *r, double core, myr_reinitialisation *info)
{
    myr_gaussian *g = NULL;
    double *width = myr_memory_zeros(r->n, sizeof *width);
    myr_status status = width ? MYR_OK : myr_context_fail(r->s->context, MYR_ERROR_MEMORY, "no memory for cores");
    for (int64_t i = 0; i < r->n && !status; i++)
        width[i] = core;
    if (!status)
        status = myr_gaussian_create(r->s->context, r->n, (const double *const *)r->x, width, RENEW_CUTOFF, &g);
    if (!status)
        status = myr_gaussian_solve(g, (const double *const *)r->vorticity, RENEW_TOLERANCE, RENEW_ITERATIONS,
                                    r->strength, &info->iterations, &info->residual);
    myr_gaussian_destroy(&g);
    free(width);
    return status;
}

/* Makes the new set. */
static myr_status renew_particles(const renewal *r, double core, myr_particles **made)
{
    static const char *const field[] = {"position", "strength", "velocity"};
    myr_status status = myr_particles_create(r->s->context, r->n, made);
    for (int f = 0; f < 3 && !status; f++)
        status = myr_particles_add_field(*made, field[f], 3);
    if (!status)
        status = myr_particles_add_field(*made, "core", 1);
    if (!status)
        status = myr_particles_add_field(*made, "volume", 1);
    if (status) {
        myr_particles_destroy(made);
        return status;
    }
    for (int c = 0; c < 3; c++) {
        memcpy(myr_particles_component(*made, "position", c), r->x[c], (size_t)r->n * sizeof(double));
        memcpy(myr_particles_component(*made, "strength", c), r->strength[c], (size_t)r->n * sizeof(double));
    }
    for (int64_t i = 0; i < r->n; i++) {
        myr_particles_component(*made, "core", 0)[i] = core;
        myr_particles_component(*made, "volume", 0)[i] = pow(r->spacing, 3);
    }
    return MYR_OK;
}

static double renew_distance(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Computes the differences between the old and the new elements. */
static myr_status renew_compare(const myr_particles *old, const myr_particles *made, myr_reinitialisation *info)
{
    myr_vortices before, after;
    myr_status status = myr_flow_vortices(old, &before);
    if (!status)
        status = myr_flow_vortices(made, &after);
    if (status)
        return status;
    info->before = myr_particles_count(old);
    info->after = myr_particles_count(made);
    info->vorticity = renew_distance(before.vorticity, after.vorticity);
    info->impulse = renew_distance(before.impulse, after.impulse);
    info->angular = renew_distance(before.angular, after.angular);
    return MYR_OK;
}

static myr_status renew_make(renewal *r, myr_particles *old, double core, myr_reinitialisation *info,
                             myr_particles **made)
{
    const int64_t n = myr_particles_count(old);
    const double *x[3], *strength[3], *width = myr_particles_component_const(old, "core", 0);
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component_const(old, "position", c);
        strength[c] = myr_particles_component_const(old, "strength", c);
        if (!x[c] || !strength[c] || !width || n == 0)
            return myr_context_fail(r->s->context, MYR_ERROR_FIELD,
                                    "elements to start again from need a position, a strength and a core");
    }
    if (myr_remesh_periodic_in_cube(r->s)) {
        const myr_status status = myr_remesh_periodic_cube(r->s, old, r->spacing, core, info, made);
        return status ? status : renew_compare(old, *made, info);
    }
    for (int64_t i = 0; i < n; i++) /* beyond about three of the largest cores the vorticity is below the kept part */
        r->reach = fmax(r->reach, width[i] * fmax(3.5, sqrt(-2 * log(renew_weak(r->s))) - 0.8));
    myr_status status = renew_lattice(r, n, x);
    for (int64_t i = 0; i < n && !status; i++)
        renew_mark(r, (const double[3]){x[0][i], x[1][i], x[2][i]});
    if (!status)
        status = renew_points(r);
    if (!status)
        status = renew_vorticity(r, n, x, strength, width);
    if (!status)
        status = renew_solve(r, core, info);
    if (!status)
        status = renew_particles(r, core, made);
    return status ? status : renew_compare(old, *made, info);
}

myr_status myr_simulation_reinitialise(myr_simulation *simulation, double spacing, double core,
                                       myr_reinitialisation *info)
{
    const myr_particles *now;
    myr_particles *elements = NULL, *made = NULL;
    if (!simulation || !info)
        return MYR_ERROR_ARGUMENT;
    *info = (myr_reinitialisation){0};
    if (myr_simulation_kind(simulation) != MYR_MOTION_OF_ELEMENTS)
        return myr_context_fail(simulation->context, MYR_ERROR_COMBINATION,
                                "only vortex elements can be replaced by others with the same vorticity");
    if (myr_replicas_check_change(simulation))
        return MYR_ERROR_COMBINATION;
    if (!(spacing > 0) || !(core >= 0.5 * spacing) || !isfinite(core))
        return myr_context_fail(simulation->context, MYR_ERROR_VALUE,
                                "new elements %g apart with cores of %g do not overlap; cores of one spacing do",
                                spacing, core);
    if (core < RENEW_OVERLAP * spacing)
        myr_context_warn(
            simulation->context,
            "new elements %g apart with cores of %g overlap too little: %.2g, and below 1 the vorticity has "
            "gaps",
            spacing, core, core / spacing);
    const int in_cube = myr_remesh_periodic_in_cube(simulation);
    myr_collocation_postpone(simulation, in_cube);
    myr_status status = myr_simulation_particles(simulation, &now);
    myr_collocation_postpone(simulation, 0);
    renewal r = {.s = simulation, .spacing = spacing};
    if (!status)
        status = myr_tracers_leave(now, &elements);
    if (!status && in_cube)
        myr_collocation_estimate(simulation, elements);
    if (!status)
        status = renew_make(&r, elements, core, info, &made);
    if (!status && myr_flow_tracers(now))
        status = myr_tracers_join(now, &made);
    myr_particles_destroy(&elements);
    renew_free(&r);
    if (status) {
        myr_particles_destroy(&made);
        return status;
    }
    return myr_replace_particles(simulation, made);
}
