/* flow_statistics.c - energy, enstrophy, length scales and spectrum of a velocity field on a mesh, from its Fourier
 * coefficients.
 *
 * Sums over modes run in a fixed order on one thread; a mode with kx > 0 also represents its complex conjugate at
 * -k. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/mesh.h"
#include "method/spectral/fourier.h"
#include "method/spectral/wave.h"

int myr_flow_available(void)
{
    return myr_fourier_available();
}

/* Velocity field in Fourier space. */
typedef struct {
    myr_context *context;
    myr_mesh mesh;
    myr_fourier *fourier;
    double wave;     /* smallest wave number, 2 pi / edge */
    double *hat[3];  /* Fourier coefficients of the velocity components */
    double *room[2]; /* scratch arrays for derived fields */
} flow_modes;

static void flow_close(flow_modes *f)
{
    myr_mesh_free(&f->mesh);
    myr_fourier_destroy(&f->fourier);
    for (int c = 0; c < 3; c++)
        free(f->hat[c]);
    for (int k = 0; k < 2; k++)
        free(f->room[k]);
}

static myr_status flow_transform(const myr_particles *p, flow_modes *f)
{
    const int64_t side = f->mesh.side, row = 2 * myr_fourier_half(side), numbers = myr_fourier_numbers(side);
    f->wave = 2 * acos(-1.0) / (f->mesh.spacing * (double)side);
    for (int k = 0; k < 2; k++)
        f->room[k] = myr_memory_zeros(numbers, sizeof(double));
    for (int c = 0; c < 3; c++) {
        const double *u = myr_particles_component_const(p, "velocity", c);
        f->hat[c] = myr_memory_zeros(numbers, sizeof(double));
        if (!u)
            return myr_context_fail(f->context, MYR_ERROR_FIELD, "particles need a velocity with 3 components");
        if (!f->hat[c] || !f->room[0] || !f->room[1])
            return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory to measure a flow of %lld^3 points",
                                    (long long)side);
        for (int64_t i = 0; i < side * side * side; i++)
            f->hat[c][i / side * row + i % side] = u[f->mesh.order[i]];
        myr_fourier_forward(f->fourier, f->hat[c]);
    }
    return MYR_OK;
}

static myr_status flow_open(const myr_particles *p, flow_modes *f)
{
    *f = (flow_modes){.context = myr_particles_context(p)};
    myr_status status = myr_mesh_find(p, &f->mesh);
    if (!status && (f->mesh.side % 2 != 0 || f->mesh.side < 4))
        status =
            myr_context_fail(f->context, MYR_ERROR_VALUE,
                             "a flow is measured on a mesh with an even number of points per axis, 4 or more; this "
                             "one has %lld",
                             (long long)f->mesh.side);
    if (!status)
        status = myr_fourier_create(f->context, f->mesh.side, f->mesh.side, &f->fourier);
    if (!status)
        status = flow_transform(p, f);
    if (status)
        flow_close(f);
    return status;
}

/* Mode: wave vector in units of the smallest wave number, coefficients, and number of modes represented (1 or 2). */
typedef struct {
    double k[3];
    double complex u[3];
    double weight;
    int64_t at; /* index in the coefficient arrays */
} flow_mode;

/* Reads mode m of the retained modes; returns 0 past the last. */
static int flow_mode_at(const flow_modes *f, int64_t m, flow_mode *mode)
{
    const int64_t side = f->mesh.side, across = side / 2, rows = side - 1;
    if (m >= across * rows * rows)
        return 0;
    const int64_t x = m % across, y = m / across % rows - side / 2 + 1, z = m / across / rows - side / 2 + 1;
    mode->at = (myr_fourier_place(side, z) * side + myr_fourier_place(side, y)) * myr_fourier_half(side) + x;
    mode->k[0] = (double)x;
    mode->k[1] = (double)y;
    mode->k[2] = (double)z;
    for (int c = 0; c < 3; c++)
        mode->u[c] = ((const double complex *)f->hat[c])[mode->at];
    mode->weight = x > 0 ? 2 : 1;
    return 1;
}

static double flow_square(double complex v)
{
    return creal(v) * creal(v) + cimag(v) * cimag(v);
}

/* Adds a mode to the sums; lengths are in units of the inverse smallest wave number. */
static void flow_add(const flow_mode *m, myr_flow *sum)
{
    const double *k = m->k, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const double energy = 0.5 * m->weight * (flow_square(m->u[0]) + flow_square(m->u[1]) + flow_square(m->u[2]));
    double complex divergence = 0;
    sum->kinetic += energy;
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        const double complex w = k[d] * m->u[e] - k[e] * m->u[d]; /* vorticity without the factor i */
        sum->enstrophy += 0.5 * m->weight * flow_square(w);
        sum->helicity += m->weight * (creal(m->u[c]) * -cimag(w) + cimag(m->u[c]) * creal(w));
        divergence += k[c] * m->u[c];
    }
    sum->divergence += m->weight * flow_square(divergence);
    if (k2 > 0)
        sum->integral_scale += energy / sqrt(k2);
}

/* Derivative of velocity component c along an axis at every mesh point, in units of the smallest wave number. */
static void flow_gradient(const flow_modes *f, int c, int axis, double *to)
{
    flow_mode mode;
    memset(to, 0, (size_t)myr_fourier_numbers(f->mesh.side) * sizeof *to);
    for (int64_t m = 0; flow_mode_at(f, m, &mode); m++)
        ((double complex *)to)[mode.at] = mode.k[axis] * myr_wave_times_i(mode.u[c]);
    myr_fourier_inverse(f->fourier, to);
}

/* Finer mesh on which the mean of a cube of the flow's modes is exact: three wave numbers below side/2 must not sum to
 * a multiple of the number of points, so that this is 3/2 side (Orszag's rule for one product more), and even. */
typedef struct {
    int64_t side;
    myr_fourier *fourier;
    double *field; /* coefficients, then values; zero beyond the modes of the flow */
} flow_fine;

static myr_status flow_fine_open(const flow_modes *f, flow_fine *fine)
{
    *fine = (flow_fine){.side = (3 * f->mesh.side / 2 + 1) / 2 * 2};
    const myr_status status = myr_fourier_create(f->context, fine->side, f->mesh.side, &fine->fourier);
    fine->field = myr_memory_zeros(myr_fourier_numbers(fine->side), sizeof *fine->field);
    if (!status && !fine->field)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for derivatives of a flow on %lld^3 points",
                                (long long)fine->side);
    return status;
}

static void flow_fine_close(flow_fine *fine)
{
    myr_fourier_destroy(&fine->fourier);
    free(fine->field);
}

/* Skewness of the derivative of component c along axis c. */
static double flow_skewness(const flow_modes *f, int c, const flow_fine *fine)
{
    const int64_t side = fine->side, half = myr_fourier_half(side), row = 2 * half;
    double square = 0, cube = 0;
    flow_mode mode;
    memset(fine->field, 0, (size_t)myr_fourier_numbers(side) * sizeof *fine->field);
    for (int64_t m = 0; flow_mode_at(f, m, &mode); m++) {
        const int64_t z = myr_fourier_place(side, (int64_t)mode.k[2]), y = myr_fourier_place(side, (int64_t)mode.k[1]);
        ((double complex *)fine->field)[(z * side + y) * half + (int64_t)mode.k[0]] =
            mode.k[c] * myr_wave_times_i(mode.u[c]);
    }
    myr_fourier_inverse(fine->fourier, fine->field);
    for (int64_t r = 0; r < side * side; r++)
        for (int64_t x = 0; x < side; x++) {
            const double slope = fine->field[r * row + x];
            square += slope * slope;
            cube += slope * slope * slope;
        }
    const double n = (double)side * (double)side * (double)side;
    return square > 0 ? cube / n / pow(square / n, 1.5) : NAN;
}

/* Derives scales and dissipation from the sums over modes. */
static void flow_derive(const flow_modes *f, double viscosity, myr_flow *flow)
{
    const double wave = f->wave;
    flow->enstrophy *= wave * wave;
    flow->helicity *= wave;
    flow->divergence = wave * sqrt(flow->divergence);
    flow->dissipation = 2 * viscosity * flow->enstrophy;
    flow->speed = sqrt(2 * flow->kinetic / 3);
    flow->integral_scale *= acos(-1.0) / (2 * flow->speed * flow->speed * wave);
    flow->turnover_time = flow->integral_scale / flow->speed;
    flow->taylor_scale = flow->speed * sqrt(15 / (2 * flow->enstrophy)); /* the viscosity cancels */
    flow->reynolds = flow->kolmogorov = flow->resolution = NAN;
    if (viscosity > 0) {
        flow->reynolds = flow->speed * flow->taylor_scale / viscosity;
        flow->kolmogorov = pow(viscosity * viscosity * viscosity / flow->dissipation, 0.25);
        flow->resolution = wave * (double)(f->mesh.side / 2 - 1) * flow->kolmogorov;
    }
}

myr_status myr_flow_measure(const myr_particles *particles, double viscosity, myr_flow *flow)
{
    flow_modes f;
    flow_mode mode;
    if (!particles || !flow)
        return MYR_ERROR_ARGUMENT;
    *flow = (myr_flow){0};
    myr_status status = flow_open(particles, &f);
    if (status)
        return status;
    for (int64_t m = 0; flow_mode_at(&f, m, &mode); m++)
        flow_add(&mode, flow);
    flow_derive(&f, viscosity, flow);
    flow_fine fine;
    status = flow_fine_open(&f, &fine);
    for (int c = 0; c < 3 && !status; c++)
        flow->skewness += flow_skewness(&f, c, &fine) / 3;
    flow_fine_close(&fine);
    flow_close(&f);
    return status;
}

myr_status myr_flow_spectrum(const myr_particles *particles, int64_t room, double *wave, double *energy,
                             int64_t *shells)
{
    flow_modes f;
    flow_mode mode;
    if (!particles || !shells || room < 0 || (room > 0 && (!wave || !energy)))
        return MYR_ERROR_ARGUMENT;
    const myr_status status = flow_open(particles, &f);
    if (status)
        return status;
    /* the corners of the cube of modes have wave numbers beyond the largest one of an axis, and are included */
    *shells = (int64_t)(sqrt(3) * (double)(f.mesh.side / 2 - 1) + 0.5);
    for (int64_t s = 0; s < *shells && s < room; s++) {
        wave[s] = f.wave * (double)(s + 1);
        energy[s] = 0;
    }
    for (int64_t m = 0; flow_mode_at(&f, m, &mode); m++) {
        const double k = sqrt(mode.k[0] * mode.k[0] + mode.k[1] * mode.k[1] + mode.k[2] * mode.k[2]);
        const int64_t shell = (int64_t)(k + 0.5) - 1;
        if (shell >= 0 && shell < room)
            energy[shell] +=
                0.5 * mode.weight / f.wave * (flow_square(mode.u[0]) + flow_square(mode.u[1]) + flow_square(mode.u[2]));
    }
    flow_close(&f);
    return MYR_OK;
}

/* Component c of the vorticity, and the contribution of its two velocity derivatives to the second invariant Q. */
static void flow_derive_component(const flow_modes *f, int c, double *vorticity, double *invariant)
{
    const int d = (c + 1) % 3, e = (c + 2) % 3;
    const int64_t side = f->mesh.side, row = 2 * myr_fourier_half(side);
    flow_gradient(f, e, d, f->room[0]);
    flow_gradient(f, d, e, f->room[1]);
    for (int64_t i = 0; i < side * side * side; i++) {
        const double first = f->wave * f->room[0][i / side * row + i % side];
        const double second = f->wave * f->room[1][i / side * row + i % side];
        vorticity[f->mesh.order[i]] = first - second;
        invariant[f->mesh.order[i]] += 2 * first * second;
    }
    flow_gradient(f, c, c, f->room[0]);
    for (int64_t i = 0; i < side * side * side; i++) {
        const double own = f->wave * f->room[0][i / side * row + i % side];
        invariant[f->mesh.order[i]] += own * own;
    }
}

myr_status myr_flow_derive(myr_particles *particles)
{
    flow_modes f;
    if (!particles)
        return MYR_ERROR_ARGUMENT;
    myr_status status = myr_particles_add_field(particles, "vorticity", 3);
    if (!status)
        status = myr_particles_add_field(particles, "second_invariant", 1);
    if (!status)
        status = flow_open(particles, &f);
    if (status)
        return status;
    double *invariant = myr_particles_component(particles, "second_invariant", 0);
    memset(invariant, 0, (size_t)myr_particles_count(particles) * sizeof *invariant);
    for (int c = 0; c < 3; c++)
        flow_derive_component(&f, c, myr_particles_component(particles, "vorticity", c), invariant);
    flow_close(&f);
    return MYR_OK;
}
