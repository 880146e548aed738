/* flow_from_elements.c - velocity field of vortex elements in a periodic cube, on a mesh.
 *
 * The vorticity, a sum of Gaussians with all periodic images, is evaluated on a mesh so fine that aliased wave numbers
 * are negligible, because the spectrum of a Gaussian decays as a Gaussian; then u(k) = i k x w(k) / k^2. */
#include <math.h>
#include <stdlib.h>

#include <myriad/flow.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/spectral/fourier.h"
#include "method/gaussian/gaussian.h"
#include "method/spectral/wave.h"

#define ELEMENTS_CUTOFF 6.0 /* cutoff in core radii; a Gaussian is there 1.5e-8 of its peak */
#define ELEMENTS_ALIAS 1e-7 /* largest allowed aliasing error, relative to the amplitude of a mode */

/* ELEMENTS_FINEST: largest ratio of fine to result mesh points per axis; ELEMENTS_SLAB: mesh points evaluated at
 * once */
enum { ELEMENTS_FINEST = 8, ELEMENTS_SLAB = 1 << 20 };

typedef struct {
    myr_context *context;
    int64_t side, fine; /* points per axis of the result mesh, and of the mesh where the vorticity is evaluated */
    double edge;
    const double *corner;
    double *hat[3]; /* Fourier coefficients on the fine mesh: vorticity, then velocity */
    myr_gaussian *gaussian;
    myr_fourier *fourier, *plain;
} elements_flow;

static void elements_close(elements_flow *f)
{
    for (int c = 0; c < 3; c++)
        free(f->hat[c]);
    myr_gaussian_destroy(&f->gaussian);
    myr_fourier_destroy(&f->fourier);
    myr_fourier_destroy(&f->plain);
}

/* 1 if n is even and a product of 2, 3 and 5, for which Fourier transforms are fast. */
static int elements_is_smooth(int64_t n)
{
    static const int factor[] = {2, 3, 5};
    if (n % 2 != 0)
        return 0;
    for (int k = 0; k < 3; k++)
        while (n % factor[k] == 0)
            n /= factor[k];
    return n == 1;
}

/* Chooses the size of the fine mesh: wave number fine - k aliases to k, and its amplitude is smaller by the factor
 * exp(-core^2 ((fine - k)^2 - k^2)/2). */
static myr_status elements_choose(elements_flow *f, int64_t n, const double *core)
{
    double least = INFINITY;
    for (int64_t i = 0; i < n; i++)
        least = fmin(least, core[i]);
    const double most = (double)f->side / 2 - 1, per_wave = 2 * acos(-1.0) / f->edge * least;
    const double wanted = most + sqrt(most * most - 2 * log(ELEMENTS_ALIAS) / (per_wave * per_wave));
    if (!(wanted <= (double)(ELEMENTS_FINEST * f->side)))
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "the smallest core, %g, is too small for a mesh of %lld points per axis, %g apart: "
                                "the vorticity has waves up to about %.3g of them; take more points",
                                least, (long long)f->side, f->edge / (double)f->side, wanted);
    f->fine = (int64_t)ceil(fmax(wanted, (double)f->side));
    while (!elements_is_smooth(f->fine))
        f->fine++;
    return MYR_OK;
}

/* Evaluates the vorticity at the points of the fine mesh, some planes at a time. */
static myr_status elements_sum(const elements_flow *f, const double *const strength[3])
{
    const int64_t plane = f->fine * f->fine, row = 2 * myr_fourier_half(f->fine);
    const int64_t planes = ELEMENTS_SLAB / plane > 0 ? ELEMENTS_SLAB / plane : 1;
    const double spacing = f->edge / (double)f->fine;
    double *room = myr_memory_zeros(6 * planes * plane, sizeof *room), *at[3], *sum[3];
    myr_status status = room ? MYR_OK : myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a mesh");
    for (int c = 0; c < 3 && room; c++) {
        at[c] = room + c * planes * plane;
        sum[c] = room + (3 + c) * planes * plane;
    }
    for (int64_t z = 0; z < f->fine && !status; z += planes) {
        const int64_t here = (z + planes < f->fine ? planes : f->fine - z) * plane;
        for (int64_t i = 0; i < here; i++) {
            at[0][i] = f->corner[0] + spacing * (double)(i % f->fine);
            at[1][i] = f->corner[1] + spacing * (double)(i / f->fine % f->fine);
            at[2][i] = f->corner[2] + spacing * (double)(z + i / plane);
        }
        status = myr_gaussian_sum(f->gaussian, strength, here, (const double *const *)at, sum);
        for (int c = 0; c < 3 && !status; c++)
            for (int64_t i = 0; i < here; i++)
                f->hat[c][(z * f->fine + i / f->fine) * row + i % f->fine] = sum[c][i];
    }
    free(room);
    return status;
}

/* Velocities on the result mesh from the Fourier coefficients of the vorticity. */
static myr_status elements_velocities(const elements_flow *f, double *const velocity[3])
{
    const int64_t side = f->side, half = myr_fourier_half(side), rows = side - 1, row = 2 * half;
    const double length = f->edge / (2 * acos(-1.0));
    double *plain = myr_memory_zeros(3 * myr_fourier_numbers(side), sizeof *plain);
    if (!plain)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a mesh");
    for (int64_t m = 0; m < rows * rows * (side / 2); m++) {
        const int64_t x = m % (side / 2), y = m / (side / 2) % rows - side / 2 + 1;
        const int64_t z = m / (side / 2) / rows - side / 2 + 1;
        const int64_t from =
            (myr_fourier_place(f->fine, z) * f->fine + myr_fourier_place(f->fine, y)) * myr_fourier_half(f->fine) + x;
        const int64_t to = (myr_fourier_place(side, z) * side + myr_fourier_place(side, y)) * half + x;
        const double k[3] = {(double)x, (double)y, (double)z}, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        for (int c = 0; c < 3 && k2 > 0; c++) {
            const int d = (c + 1) % 3, e = (c + 2) % 3;
            const double complex w =
                k[d] * ((const double complex *)f->hat[e])[from] - k[e] * ((const double complex *)f->hat[d])[from];
            ((double complex *)(plain + c * myr_fourier_numbers(side)))[to] = myr_wave_times_i(w) * (length / k2);
        }
    }
    for (int c = 0; c < 3; c++) {
        double *field = plain + c * myr_fourier_numbers(side);
        myr_fourier_inverse(f->plain, field);
        for (int64_t i = 0; i < side * side * side; i++)
            velocity[c][i] = field[i / side * row + i % side];
    }
    free(plain);
    return MYR_OK;
}

static myr_status elements_transform(elements_flow *f, const double *const strength[3], myr_particles *mesh)
{
    double *velocity[3];
    int whole = 1;
    for (int c = 0; c < 3; c++)
        whole = (f->hat[c] = myr_memory_zeros(myr_fourier_numbers(f->fine), sizeof(double))) && whole;
    if (!whole)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld^3 points",
                                (long long)f->fine);
    myr_status status = myr_fourier_create(f->context, f->fine, f->side, &f->fourier);
    if (!status)
        status = myr_fourier_create(f->context, f->side, f->side, &f->plain);
    if (!status)
        status = elements_sum(f, strength);
    for (int c = 0; c < 3 && !status; c++) {
        myr_fourier_forward(f->fourier, f->hat[c]);
        velocity[c] = myr_particles_component(mesh, "velocity", c);
    }
    return status ? status : elements_velocities(f, velocity);
}

/* Creates the particle set of the mesh points, without velocities. */
static myr_status elements_mesh(const elements_flow *f, myr_particles **mesh)
{
    const int64_t side = f->side;
    myr_status status = myr_particles_create(f->context, side * side * side, mesh);
    if (!status)
        status = myr_particles_add_field(*mesh, "position", 3);
    if (!status)
        status = myr_particles_add_field(*mesh, "velocity", 3);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < side * side * side; i++) {
            const int64_t at[3] = {i % side, i / side % side, i / side / side};
            myr_particles_component(*mesh, "position", c)[i] = f->corner[c] + f->edge / (double)side * (double)at[c];
        }
    return status;
}

myr_status myr_flow_of_elements(const myr_particles *elements, double edge, const double corner[3], int64_t side,
                                myr_particles **mesh)
{
    const double *x[3], *strength[3];
    if (!elements || !corner || !mesh)
        return MYR_ERROR_ARGUMENT;
    *mesh = NULL;
    elements_flow f = {.context = myr_particles_context(elements), .edge = edge, .corner = corner};
    const double *core = myr_particles_component_const(elements, "core", 0);
    const int64_t n = myr_particles_count(elements);
    f.side = side ? side : (int64_t)fmax(4, 2 * nearbyint(0.5 * cbrt((double)n)));
    if (!(edge > 0) || f.side < 4 || f.side % 2 != 0)
        return myr_context_fail(f.context, MYR_ERROR_VALUE,
                                "the velocities of elements are wanted on %lld points per axis of a cube with edge %g; "
                                "the edge must be positive and the number even, 4 or more",
                                (long long)f.side, edge);
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component_const(elements, "position", c);
        strength[c] = myr_particles_component_const(elements, "strength", c);
        if (!x[c] || !strength[c] || !core)
            return myr_context_fail(f.context, MYR_ERROR_FIELD,
                                    "vortex elements need a position, a strength and a core");
    }
    myr_status status = elements_choose(&f, n, core);
    if (!status)
        status = myr_gaussian_create_in(f.context, n, x, core, ELEMENTS_CUTOFF, (const double[3]){edge, edge, edge},
                                        &f.gaussian);
    if (!status)
        status = elements_mesh(&f, mesh);
    if (!status)
        status = elements_transform(&f, strength, *mesh);
    elements_close(&f);
    if (status)
        myr_particles_destroy(mesh);
    return status;
}
