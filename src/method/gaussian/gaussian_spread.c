/* gaussian_spread.c - Gaussian sums by way of a mesh; see gaussian_spread.h. */
#include "method/gaussian/gaussian_spread.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "method/mesh/mesh_fit_waves.h"
#include "method/mesh/mesh_vortex.h"
#include "method/spectral/fourier.h"

struct myr_gaussian_spread {
    myr_context *context;
    int threads;
    myr_gaussian_spread_case made_for;
    myr_mesh *mesh;
    myr_mesh_places *sources;
};

double myr_gaussian_spread_tolerance(double cutoff)
{
    return 2 * exp(-0.5 * cutoff * cutoff);
}

int myr_gaussian_spread_pays(int64_t n, double width, const double edge[3])
{
    /* a mesh of two points per width costs as much as plain sums with 16 points per source */
    const double points = 8 * (edge[0] / width) * (edge[1] / width) * (edge[2] / width);
    return myr_fourier_available() && edge[0] > 0 && edge[1] > 0 && edge[2] > 0 && points <= 16.0 * (double)n;
}

myr_status myr_gaussian_spread_create(myr_context *context, const myr_gaussian_spread_case *wanted,
                                      myr_gaussian_spread **spread)
{
    const double *edge = wanted->edge;
    const myr_mesh_question question = {.tolerance = wanted->tolerance,
                                        .core = wanted->width,
                                        .edge = {edge[0], edge[1], edge[2]},
                                        .power = 0,
                                        .single = wanted->single && wanted->tolerance >= MYR_MESH_SINGLE &&
                                                  myr_fourier_single_available(),
                                        .n = wanted->n};
    myr_mesh_choice choice;
    myr_gaussian_spread *s = *spread = calloc(1, sizeof *s);
    if (!s)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the mesh of Gaussian sums");
    *s = (myr_gaussian_spread){.context = context, .threads = myr_context_threads(context), .made_for = *wanted};
    const myr_status status =
        myr_mesh_choose(&question, &choice)
            ? myr_mesh_create(context, &choice, edge, &s->mesh)
            : myr_context_fail(context, MYR_ERROR_RANGE, "Gaussians of width %g are too narrow for a mesh in this box",
                               wanted->width);
    if (status)
        myr_gaussian_spread_destroy(spread);
    else
        myr_mesh_set_origin(s->mesh, wanted->corner);
    return status;
}

void myr_gaussian_spread_destroy(myr_gaussian_spread **spread)
{
    if (!spread || !*spread)
        return;
    myr_mesh_places_destroy(&(*spread)->sources);
    myr_mesh_destroy(&(*spread)->mesh);
    free(*spread);
    *spread = NULL;
}

int myr_gaussian_spread_matches(const myr_gaussian_spread *spread, const myr_gaussian_spread_case *wanted)
{
    const myr_gaussian_spread_case *a = spread ? &spread->made_for : NULL, *b = wanted;
    int same = a && a->tolerance == b->tolerance && a->width == b->width && a->n == b->n && a->single == b->single &&
               spread->threads == myr_context_threads(spread->context);
    for (int c = 0; c < 3 && same; c++)
        same = a->edge[c] == b->edge[c] && a->corner[c] == b->corner[c];
    return same;
}

myr_status myr_gaussian_spread_place(myr_gaussian_spread *spread, const double *const x[3])
{
    myr_mesh_places_destroy(&spread->sources);
    return myr_mesh_places_create(spread->mesh, spread->made_for.n, x, &spread->sources);
}

/* Stores the sums of a target; user: their arrays. */
static void spread_take(void *user, int64_t i, const double sum[12])
{
    double *const *to = user;
    for (int c = 0; c < 3; c++)
        to[c][i] = sum[c];
}

myr_status myr_gaussian_spread_sum(myr_gaussian_spread *spread, int laplacian, const double *const weight[3], int64_t m,
                                   const double *const at[3], double *const sum[3])
{
    myr_mesh_places *targets = NULL;
    double *to[3] = {sum[0], sum[1], sum[2]};
    const myr_status status = at ? myr_mesh_places_create(spread->mesh, m, at, &targets) : MYR_OK;
    if (status)
        return status;
    myr_mesh_spread(spread->mesh, spread->sources, weight);
    myr_mesh_apply(spread->mesh, spread->made_for.width,
                   laplacian ? myr_mesh_vortex_laplacian : myr_mesh_vortex_gaussian, NULL);
    myr_mesh_gather(spread->mesh, at ? targets : spread->sources, 0, spread_take, to);
    myr_mesh_places_destroy(&targets);
    return MYR_OK;
}

myr_status myr_gaussian_spread_keep(myr_gaussian_spread *spread)
{
    return myr_mesh_keep(spread->mesh);
}

void myr_gaussian_spread_laplacian_again(myr_gaussian_spread *spread, double *const sum[3])
{
    double *to[3] = {sum[0], sum[1], sum[2]};
    myr_mesh_apply_again(spread->mesh, spread->made_for.width, myr_mesh_vortex_laplacian, NULL);
    myr_mesh_gather(spread->mesh, spread->sources, 0, spread_take, to);
}

void myr_gaussian_spread_modes(myr_gaussian_spread *spread, const double *const weight[3], int64_t modes,
                               double *const hat[3])
{
    myr_mesh_spread(spread->mesh, spread->sources, weight);
    myr_mesh_modes(spread->mesh, spread->made_for.width, modes, 1, hat);
}

myr_status myr_gaussian_spread_fit(myr_gaussian_spread *spread, const double *const value[3], myr_mesh_waves_fit *fit,
                                   double *const hat[3])
{
    fit->n = spread->made_for.n;
    return myr_mesh_fit_waves(spread->context, spread->mesh, spread->sources, value, fit, hat);
}
