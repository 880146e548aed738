/* collocation.c - vortex elements that carry vorticity, with strengths computed from it (Beale 1988, Math. Comput. 51,
 * 433): at every evaluation the strengths are those whose Gaussians add up to the vorticity of each element at its
 * position (paper 004 eq. 3).
 *
 * Strengths carried by elements move with the right velocity, but the strengths and not the smooth vorticity are
 * transported: the resulting error is of order (core k)^2 for a wave k. The vorticity at an element changes as
 *
 *   dw/dt = (w.grad) u + viscosity Laplacian w,
 *
 * both of them derivatives of sums of Gaussians, which are exact. The Laplacian is the rate at which spreading cores,
 * d(core^2)/dt = 2 viscosity, would change the vorticity; the cores stay constant. */
#include "simulation/vortex/collocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/elements.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/mesh.h"
#include "method/spectral/fourier.h"
#include "method/gaussian/gaussian.h"
#include "method/gaussian/gaussian_mesh.h"
#include "simulation/rates.h"
#include "simulation/vortex/element_motion.h"
#include "simulation/vortex/kept_mesh.h"
#include "simulation/vortex/remesh_periodic.h"

/* smallest divisor relative to the largest: waves with smaller divisors are left to the iterations */
#define COLLOCATION_LEAST 1e-2
/* the third-order Runge-Kutta method is stable up to 2.5; waves in corners decay faster */
#define COLLOCATION_STABLE 1.5
#define COLLOCATION_LOOSE 10.0 /* factor of the tolerance, for velocities */
#define COLLOCATION_CUTOFF 4.5 /* in cores, for velocities: there a Gaussian is 4e-5 of its peak */
#define COLLOCATION_SUMS 0.1   /* error of sums on a mesh, in tolerances */
/* part of a loose tolerance below which strengths are taken as they are */
#define COLLOCATION_CLOSE 0.1
/* residual in tolerances above which the solution has failed; smaller residuals are accepted */
#define COLLOCATION_FAR 10.0
enum { COLLOCATION_ITERATIONS = 100 };

int myr_collocation_on(const myr_simulation *s)
{
    return s->elements->collocation.tolerance > 0;
}

myr_status myr_simulation_solve_strengths(myr_simulation *simulation, double tolerance)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "what vortex elements carry cannot change after the first step");
    if (!(tolerance >= 0) || tolerance >= 0.1)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "strengths cannot be solved for to %g of the vorticity; 0 to 0.1 (0 = carried along)",
                                tolerance);
    if (tolerance > 0 && (myr_rates_output(s, "velocity") < 0 || myr_rates_output(s, "stretching") < 0))
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "strengths are solved for where a kernel gives velocities and stretching, such as "
                                "velocity_stretching");
    s->elements->collocation.tolerance = tolerance;
    return MYR_OK;
}

myr_status myr_simulation_solved(const myr_simulation *simulation, myr_solved *solved)
{
    if (!simulation || !solved)
        return MYR_ERROR_ARGUMENT;
    *solved = simulation->elements->collocation.solved;
    return MYR_OK;
}

/* Component arrays of a field; returns 1 if all exist. */
static int collocation_field(myr_particles *p, const char *name, int components, double **to)
{
    for (int c = 0; c < components; c++)
        if (!(to[c] = myr_particles_component(p, name, c)))
            return 0;
    return 1;
}

static myr_status collocation_cells(const myr_simulation *s, myr_particles *p, double cutoff, myr_gaussian **gaussian)
{
    double *x[3], *core, edge[3], corner[3];
    if (!collocation_field(p, "position", 3, x) || !collocation_field(p, "core", 1, &core))
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "vortex elements need a position and a core");
    myr_interaction_box(s->interaction, edge, corner);
    return myr_gaussian_create_in(s->context, myr_particles_count(p), (const double *const *)x, core, cutoff, edge,
                                  gaussian);
}

/* Elements that fill a cube are assumed to come from a mesh, in its order, as made by flow models and
 * re-initialisation: Fourier transforms then precondition the solution. If the assumption is wrong, more iterations are
 * needed. */
static myr_status collocation_mesh(myr_simulation *s)
{
    const int64_t side = myr_mesh_side(myr_particles_count(s->particles));
    const double *core = myr_particles_component_const(s->particles, "core", 0);
    double edge[3], corner[3];
    if (!core || side < 4 || side % 2 != 0 || !myr_fourier_available() || !myr_remesh_periodic_in_cube(s))
        return MYR_OK;
    myr_interaction_box(s->interaction, edge, corner);
    const double spacing = edge[0] / (double)side;
    return myr_gaussian_mesh_create(s->context, side, spacing, core[0] / spacing, COLLOCATION_LEAST,
                                    &s->elements->collocation.mesh);
}

double myr_collocation_longest_step(const myr_simulation *s)
{
    const double *volume = myr_particles_component_const(s->particles, "volume", 0);
    const double *core = myr_particles_component_const(s->particles, "core", 0);
    if (!myr_collocation_on(s) || !(s->elements->viscosity > 0) || !core)
        return 0;
    const double spacing = volume && volume[0] > 0 ? cbrt(volume[0]) : core[0];
    return COLLOCATION_STABLE * spacing * spacing / (acos(-1.0) * acos(-1.0) * s->elements->viscosity);
}

myr_status myr_collocation_prepare(myr_simulation *s)
{
    const int64_t n = myr_particles_count(s->particles);
    double *vorticity[3], *strength[3];
    if (!myr_collocation_on(s))
        return MYR_OK;
    if (s->elements->exchanges || s->elements->relaxation > 0 || myr_flow_tracers(s->particles) > 0)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "strengths that are solved for follow from the vorticity, on which viscosity acts: "
                                "strength exchange, relaxation and tracers are for strengths that are carried");
    const double longest = myr_collocation_longest_step(s), dt = s->motion.parameter[0];
    if (!(s->elements->turning > 0) && longest > 0 && dt > longest)
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the time step %g%s is too long for this viscosity: elements as close as these allow "
                                "%.3g%s (what has the length of two of them must not decay at once)",
                                myr_context_time(s->context, dt), myr_context_time_name(s->context),
                                myr_context_time(s->context, longest), myr_context_time_name(s->context));
    if (!(s->elements->collocation.room = myr_memory_zeros(3 * n, sizeof(double))))
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the vorticity of %lld elements",
                                (long long)n);
    myr_status status = collocation_mesh(s);
    if (status || collocation_field(s->particles, "vorticity", 3, vorticity))
        return status;
    myr_gaussian *gaussian = NULL;
    status = myr_particles_add_field(s->particles, "vorticity", 3);
    if (!status && !collocation_field(s->particles, "strength", 3, strength))
        status = myr_context_fail(s->context, MYR_ERROR_FIELD, "vortex elements need a strength");
    if (!status)
        status = collocation_cells(s, s->particles, MYR_REMESH_PERIODIC_CUTOFF, &gaussian);
    if (!status && collocation_field(s->particles, "vorticity", 3, vorticity))
        status = myr_gaussian_sum(gaussian, (const double *const *)strength, n, NULL, vorticity);
    myr_gaussian_destroy(&gaussian);
    return status;
}

void myr_collocation_release(myr_simulation *s)
{
    free(s->elements->collocation.room);
    free(s->elements->collocation.work);
    s->elements->collocation.room = s->elements->collocation.work = NULL;
    myr_strength_guess_release(s);
    myr_gaussian_mesh_destroy(&s->elements->collocation.mesh);
}

/* --- sums over Gaussians ------------------------------------------------------------------------------------------ */

double myr_collocation_error(const myr_simulation *s)
{
    return COLLOCATION_SUMS * s->elements->collocation.tolerance;
}

/* Accuracy of a solution: for velocities, whose errors do not accumulate, or for the vorticity from now on. */
typedef struct {
    int purpose; /* of kept_mesh.h */
    double tolerance, close, cutoff;
} collocation_care;

static collocation_care collocation_for(const myr_simulation *s, int purpose)
{
    const double tolerance = s->elements->collocation.tolerance, loose = COLLOCATION_LOOSE * tolerance;
    return purpose == MYR_KEPT_LOOSE ? (collocation_care){purpose, loose, COLLOCATION_CLOSE * loose, COLLOCATION_CUTOFF}
                                     : (collocation_care){purpose, tolerance, 0, MYR_REMESH_PERIODIC_CUTOFF};
}

/* Sums at the elements of a set: on the mesh that the simulation keeps, or over cells where that has none. */
typedef struct {
    int64_t n;
    myr_gaussian_spread *spread;
    myr_gaussian *cells;
} collocation_sums;

static myr_status sums_begin(const myr_simulation *s, myr_particles *p, collocation_care care, collocation_sums *sums)
{
    *sums = (collocation_sums){.n = myr_particles_count(p)};
    myr_status status = myr_kept_mesh_place(s, p, care.purpose, COLLOCATION_SUMS * care.tolerance, &sums->spread);
    if (!status)
        status =
            sums->spread ? myr_gaussian_spread_keep(sums->spread) : collocation_cells(s, p, care.cutoff, &sums->cells);
    return status;
}

static myr_status sums_value(void *user, const double *const strength[3], double *const sum[3])
{
    const collocation_sums *sums = user;
    return sums->spread ? myr_gaussian_spread_sum(sums->spread, 0, strength, sums->n, NULL, sum)
                        : myr_gaussian_sum(sums->cells, strength, sums->n, NULL, sum);
}

/* again: 1 = the strengths are those of the last sums. */
static myr_status sums_laplacian(const collocation_sums *sums, int again, const double *const strength[3],
                                 double *const sum[3])
{
    if (!sums->spread)
        return myr_gaussian_laplacian(sums->cells, strength, sums->n, NULL, sum);
    if (!again)
        return myr_gaussian_spread_sum(sums->spread, 1, strength, sums->n, NULL, sum);
    myr_gaussian_spread_laplacian_again(sums->spread, sum);
    return MYR_OK;
}

/* --- solution ----------------------------------------------------------------------------------------------------- */

static myr_status collocation_judge(const myr_simulation *s, collocation_care care, int iterations, double residual)
{
    if (residual <= COLLOCATION_FAR * care.tolerance)
        return MYR_OK;
    return myr_context_fail(s->context, MYR_ERROR_VALUE,
                            "no strengths were found whose vorticity is that of the elements: after %d iterations "
                            "%.2g of it is missing; elements have come too far apart or too close together: "
                            "re-initialise them more often, or take shorter steps",
                            iterations, residual);
}

/* Computes the strengths of a set from its vorticity, and the Laplacian of the vorticity unless null. */
static myr_status collocation_find(const myr_simulation *s, collocation_care care, myr_particles *p,
                                   double *const vorticity[3], double *const laplacian[3], double *strength[3],
                                   int *iterations, double *residual)
{
    myr_collocation *c = &s->elements->collocation;
    const myr_gaussian_guess guess = {myr_gaussian_mesh_guess, c->mesh};
    collocation_sums sums;
    if (!collocation_field(p, "strength", 3, strength))
        return myr_context_fail(s->context, MYR_ERROR_FIELD, "vortex elements need a strength");
    if (!c->work && !(c->work = myr_memory_some(12 * myr_particles_count(p), sizeof *c->work)))
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory to solve for strengths");
    myr_status status = sums_begin(s, p, care, &sums);
    const myr_gaussian_system system = {.context = s->context,
                                        .n = sums.n,
                                        .sum = sums_value,
                                        .user = &sums,
                                        .guess = c->mesh ? &guess : NULL,
                                        .room = c->work,
                                        .tolerance = care.tolerance,
                                        .close = care.close,
                                        .most = COLLOCATION_ITERATIONS};
    if (!status)
        status = myr_gaussian_system_solve(&system, (const double *const *)vorticity, strength, iterations, residual);
    if (!status && laplacian)
        status = sums_laplacian(&sums, *iterations == 0 && *residual <= care.close, (const double *const *)strength,
                                laplacian);
    myr_gaussian_destroy(&sums.cells);
    return status ? status : collocation_judge(s, care, *iterations, *residual);
}

myr_status myr_collocation_solve(myr_simulation *s, double time, double *const vorticity[3])
{
    const int64_t n = s->motion.n;
    const double begin = myr_timer_now();
    double *strength[3], *laplacian[3] = {s->elements->collocation.room, s->elements->collocation.room + n,
                                          s->elements->collocation.room + 2 * n};
    myr_solved *solved = &s->elements->collocation.solved;
    int iterations = 0;
    if (collocation_field(s->particles, "strength", 3, strength))
        myr_strength_guess_make(s, time, strength);
    myr_status status =
        collocation_find(s, collocation_for(s, MYR_KEPT_LOOSE), s->particles, vorticity,
                         s->elements->viscosity > 0 ? laplacian : NULL, strength, &iterations, &solved->residual);
    if (!status)
        status = myr_strength_guess_keep(s, time, strength);
    if (status)
        return status;
    solved->evaluations++;
    solved->iterations += iterations;
    solved->seconds += myr_timer_now() - begin;
    myr_stage_refresh(s->stage, "strength", 3, strength);
    return myr_stage_refresh_targets(s->stage, "strength", 3, vorticity);
}

void myr_collocation_finish(myr_simulation *s)
{
    double *strength[3];
    if (myr_collocation_on(s) && collocation_field(s->particles, "strength", 3, strength))
        myr_strength_guess_finish(s, strength);
}

int myr_collocation_synchronised(const myr_simulation *s)
{
    return myr_collocation_on(s) && s->motion.started && s->elements->collocation.synchronised == s->motion.steps;
}

myr_status myr_collocation_strengths(const myr_simulation *s, myr_particles *copy)
{
    double *vorticity[3], *strength[3], residual;
    int iterations;
    if (!collocation_field(copy, "vorticity", 3, vorticity))
        return MYR_OK;
    return collocation_find(s, collocation_for(s, MYR_KEPT_CAREFUL), copy, vorticity, NULL, strength, &iterations,
                            &residual);
}

myr_status myr_collocation_synchronise(myr_simulation *s, myr_particles *copy)
{
    s->elements->collocation.synchronised = -1;
    if (!myr_collocation_on(s) || !s->motion.started || s->elements->collocation.postponed)
        return MYR_OK;
    const myr_status status = myr_collocation_strengths(s, copy);
    s->elements->collocation.synchronised = status ? -1 : s->motion.steps;
    return status;
}

void myr_collocation_postpone(myr_simulation *s, int postponed)
{
    s->elements->collocation.postponed = postponed;
}

void myr_collocation_estimate(const myr_simulation *s, myr_particles *copy)
{
    double *vorticity[3], *strength[3], *volume;
    if (!myr_collocation_on(s) || !collocation_field(copy, "vorticity", 3, vorticity) ||
        !collocation_field(copy, "strength", 3, strength) || !collocation_field(copy, "volume", 1, &volume))
        return;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < myr_particles_count(copy); i++)
            strength[c][i] = volume[i] * vorticity[c][i];
}

/* Coefficient of K(0) w x strength, the contribution of an element's own Gaussian to the stretching of its vorticity:
 * the velocity around an element is a rigid rotation. */
static double collocation_own(const myr_simulation *s)
{
    const char *kernel = myr_interaction_desc(s->interaction)->name;
    return strcmp(kernel, "velocity_stretching_transposed") == 0 ? 1
           : strcmp(kernel, "velocity_stretching_mixed") == 0    ? 0
                                                                 : -1;
}

void myr_collocation_add(const myr_simulation *s, double *const vorticity[3], double *const rate[3])
{
    const int64_t n = s->motion.n;
    const double own = collocation_own(s) / pow(2 * acos(-1.0), 1.5) / 3; /* K(0)/(4 pi) = (2 pi)^(-3/2)/(3 core^3) */
    double *strength[3], *core;
    if (!collocation_field(s->particles, "strength", 3, strength) || !collocation_field(s->particles, "core", 1, &core))
        return;
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        const double *laplacian = s->elements->collocation.room + c * n;
        for (int64_t i = 0; i < n; i++) {
            const double turn = vorticity[d][i] * strength[e][i] - vorticity[e][i] * strength[d][i];
            rate[c][i] += own * turn / (core[i] * core[i] * core[i]);
            rate[c][i] += s->elements->viscosity > 0 ? s->elements->viscosity * laplacian[i] : 0;
        }
    }
}
