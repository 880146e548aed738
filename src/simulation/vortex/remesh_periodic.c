/* remesh_periodic.c - re-initialisation of vortex elements in a periodic cube: from the waves of the vorticity at the
 * points of a mesh, Fourier transforms remove the divergence and solve for the strengths, both exactly. Elements with
 * one core have their waves on the mesh of their sums already (kept_mesh.h); where they carry vorticity, the waves
 * follow from it by least squares, and no strengths need to be solved for. */
#include "simulation/vortex/remesh_periodic.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/spectral/fourier.h"
#include "method/gaussian/gaussian.h"
#include "method/gaussian/gaussian_mesh.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/element_motion.h"
#include "simulation/vortex/kept_mesh.h"

#define RENEWAL_FIT 0.3 /* error of the waves of new elements, in tolerances of the strengths */
enum { RENEWAL_ITERATIONS = 30 };

int myr_remesh_periodic_in_cube(const myr_simulation *s)
{
    double edge[3], corner[3];
    return s->interaction && !myr_interaction_box(s->interaction, edge, corner) && edge[0] > 0 && edge[1] == edge[0] &&
           edge[2] == edge[0];
}

typedef struct {
    myr_context *context;
    int64_t side, n;
    double edge, corner[3], spacing, core;
    double *hat[3];
    myr_fourier *fourier;
    double *x[3], *vorticity[3], *strength[3]; /* fields of the new set; vorticity is null if the set has none */
} renewal;

static myr_status renewal_fields(renewal *r, int with_vorticity, myr_particles **made)
{
    static const char *const field[] = {"position", "strength", "velocity", "vorticity"};
    myr_status status = myr_particles_create(r->context, r->n, made);
    for (int k = 0; k < (with_vorticity ? 4 : 3) && !status; k++)
        status = myr_particles_add_field(*made, field[k], 3);
    if (!status)
        status = myr_particles_add_field(*made, "core", 1);
    if (!status)
        status = myr_particles_add_field(*made, "volume", 1);
    for (int c = 0; c < 3 && !status; c++) {
        r->x[c] = myr_particles_component(*made, "position", c);
        r->strength[c] = myr_particles_component(*made, "strength", c);
        r->vorticity[c] = myr_particles_component(*made, "vorticity", c);
    }
    for (int64_t i = 0; i < r->n && !status; i++) {
        const int64_t at[3] = {i % r->side, i / r->side % r->side, i / r->side / r->side};
        for (int c = 0; c < 3; c++)
            r->x[c][i] = r->corner[c] + r->spacing * (double)at[c];
        myr_particles_component(*made, "core", 0)[i] = r->core;
        myr_particles_component(*made, "volume", 0)[i] = r->spacing * r->spacing * r->spacing;
    }
    return status;
}

/* Coefficients of the vorticity at the new elements, where it is summed in place of their strengths. */
static myr_status renewal_by_sums(const renewal *r, const myr_particles *old, const double *const strength[3])
{
    const double *x[3], *core = myr_particles_component_const(old, "core", 0);
    const double edge[3] = {r->edge, r->edge, r->edge};
    const int64_t row = 2 * myr_fourier_half(r->side);
    myr_gaussian *gaussian = NULL;
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(old, "position", c);
    myr_status status = myr_gaussian_create_in(r->context, myr_particles_count(old), x, core,
                                               MYR_REMESH_PERIODIC_CUTOFF, edge, &gaussian);
    if (!status)
        status = myr_gaussian_sum(gaussian, strength, r->n, (const double *const *)r->x, r->strength);
    myr_gaussian_destroy(&gaussian);
    for (int c = 0; c < 3 && !status; c++) {
        for (int64_t i = 0; i < r->n; i++)
            r->hat[c][i / r->side * row + i % r->side] = r->strength[c][i];
        myr_fourier_forward(r->fourier, r->hat[c]);
    }
    return status;
}

/* Coefficients nearest to the vorticity that the old elements carry, without their strengths; *fits = 0 if the elements
 * are too few for the waves, or too far from a lattice. */
static myr_status renewal_fit(const renewal *r, const myr_simulation *s, const myr_particles *old,
                              myr_gaussian_spread *spread, int *fits, myr_reinitialisation *info)
{
    const double *vorticity[3];
    myr_mesh_waves_fit fit = {
        .modes = r->side, .tolerance = RENEWAL_FIT * s->elements->collocation.tolerance, .most = RENEWAL_ITERATIONS};
    *fits = myr_collocation_on(s) && r->n <= myr_particles_count(old);
    for (int c = 0; c < 3 && *fits; c++)
        *fits = (vorticity[c] = myr_particles_component_const(old, "vorticity", c)) != NULL;
    if (!*fits)
        return MYR_OK;
    const myr_status status = myr_gaussian_spread_fit(spread, vorticity, &fit, r->hat);
    *fits = !status && fit.error <= fit.tolerance;
    info->iterations = fit.iterations;
    info->residual = fit.residual;
    return status;
}

/* Coefficients of the vorticity of the old elements. */
static myr_status renewal_vorticity(renewal *r, const myr_simulation *s, myr_particles *old, myr_reinitialisation *info)
{
    const double error =
        myr_collocation_on(s) ? myr_collocation_error(s) : myr_gaussian_spread_tolerance(MYR_REMESH_PERIODIC_CUTOFF);
    const double *strength[3];
    int fits = 0;
    myr_gaussian_spread *spread = NULL;
    myr_status status = myr_fourier_create(r->context, r->side, r->side, &r->fourier);
    for (int c = 0; c < 3 && !status; c++) {
        strength[c] = myr_particles_component_const(old, "strength", c);
        r->hat[c] = myr_memory_zeros(myr_fourier_numbers(r->side), sizeof(double));
        if (!r->hat[c])
            status =
                myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld points", (long long)r->n);
    }
    if (!status)
        status = myr_kept_mesh_place(s, old, MYR_KEPT_CAREFUL, error, &spread);
    if (!status && spread)
        status = renewal_fit(r, s, old, spread, &fits, info);
    if (!status && !fits && myr_collocation_on(s))
        status = myr_collocation_strengths(s, old);
    if (status || fits)
        return status;
    if (!spread)
        return renewal_by_sums(r, old, strength);
    myr_gaussian_spread_modes(spread, strength, r->side, r->hat);
    return MYR_OK;
}

/* Removes the part of the coefficients along k, the mean, and waves shorter than two spacings in any direction: in the
 * corners of the cube of wave vectors the transform of a Gaussian one spacing wide is 3e-6 of its maximum, so that such
 * waves would dominate the strengths. Returns the removed part (rms, relative to all). */
static double renewal_project(const renewal *r)
{
    const int64_t side = r->side, half = myr_fourier_half(side);
    double all = 0, off = 0;
    for (int64_t i = 0; i < side * side * half; i++) {
        const int64_t mode[3] = {i % half, myr_fourier_mode(side, i / half % side),
                                 myr_fourier_mode(side, i / half / side)};
        const double k[3] = {(double)mode[0], (double)mode[1], (double)mode[2]};
        const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        double complex along = 0;
        const int kept = k2 > 0 && 4 * k2 < (double)(side * side);
        const int known = 2 * mode[0] < side && 2 * llabs(mode[1]) < side && 2 * llabs(mode[2]) < side;
        for (int c = 0; c < 3 && kept; c++)
            along += k[c] * ((const double complex *)r->hat[c])[i] / k2;
        for (int c = 0; c < 3; c++) {
            double complex *hat = (double complex *)r->hat[c] + i;
            const double complex left = kept ? *hat - k[c] * along : 0, gone = *hat - left;
            const double twice = mode[0] > 0 ? 2 : 1; /* for the opposite wave */
            if (known) {
                all += twice * (creal(*hat) * creal(*hat) + cimag(*hat) * cimag(*hat));
                off += twice * (creal(gone) * creal(gone) + cimag(gone) * cimag(gone));
            }
            *hat = left;
        }
    }
    return all > 0 ? sqrt(off / all) : 0;
}

/* Transforms coefficients to values; the coefficients are kept. */
static myr_status renewal_values(const renewal *r, double *const to[3])
{
    const int64_t row = 2 * myr_fourier_half(r->side), numbers = myr_fourier_numbers(r->side);
    double *field = myr_memory_zeros(numbers, sizeof *field);
    if (!field)
        return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld points", (long long)r->n);
    for (int c = 0; c < 3; c++) {
        memcpy(field, r->hat[c], (size_t)numbers * sizeof *field);
        myr_fourier_inverse(r->fourier, field);
        for (int64_t i = 0; i < r->n; i++)
            to[c][i] = field[i / r->side * row + i % r->side];
    }
    free(field);
    return MYR_OK;
}

/* Computes the divergence-free vorticity and the strengths from the coefficients. */
static myr_status renewal_solve(renewal *r, myr_reinitialisation *info)
{
    info->divergence = renewal_project(r);
    myr_status status = r->vorticity[0] ? renewal_values(r, r->vorticity) : MYR_OK;
    if (!status)
        status = myr_gaussian_mesh_divide(r->context, r->side, r->spacing, r->core / r->spacing, 0, r->hat);
    return status ? status : renewal_values(r, r->strength);
}

myr_status myr_remesh_periodic_cube(const myr_simulation *s, myr_particles *old, double spacing, double core,
                                    myr_reinitialisation *info, myr_particles **made)
{
    double edge[3];
    renewal r = {.context = s->context, .core = core};
    myr_interaction_box(s->interaction, edge, r.corner);
    r.edge = edge[0];
    r.side = 2 * (int64_t)fmax(2, nearbyint(0.5 * r.edge / spacing));
    r.n = r.side * r.side * r.side;
    r.spacing = r.edge / (double)r.side;
    myr_status status = renewal_fields(&r, myr_collocation_on(s), made);
    if (!status)
        status = renewal_vorticity(&r, s, old, info);
    if (!status)
        status = renewal_solve(&r, info);
    for (int c = 0; c < 3; c++)
        free(r.hat[c]);
    myr_fourier_destroy(&r.fourier);
    return status;
}
