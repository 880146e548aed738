/* spectral.c - right-hand side of the Navier-Stokes equations in Fourier space. */
#include "method/spectral/spectral.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/sum.h"
#include "core/waiting.h"
#include "domain/ranks.h"
#include "method/spectral/fourier.h"
#include "method/spectral/slabs.h"
#include "method/spectral/wave.h"

/* The fourth-order Runge-Kutta method is stable on the imaginary axis up to 2.83 and on the negative real axis up to
 * 2.79. */
#define SPECTRAL_STABLE 2.78

/* Largest exponent of the integrating factor of the smallest waves in a step. A larger factor would cancel the digits
 * of the other waves; such a step is too long for the motion of the smallest waves anyway. */
#define SPECTRAL_FACTOR 24.0

/* Energy of a wave relative to the largest that is rounding only. */
#define SPECTRAL_NOISE 1e-24

struct myr_spectral {
    myr_context *context;
    const int64_t *order;
    int threads;
    int64_t side, fine_side; /* points per axis of the velocities and of the products */
    double wave;             /* wave number of the longest wave */
    double viscosity;
    int exact;      /* 1 = viscous term by an integrating factor */
    double power;   /* energy per mass and time given to long waves */
    double shell;   /* largest wave number of these, in units of `wave` */
    double gain;    /* growth rate that gives it to them now */
    double *factor; /* [side/2]: exp(-viscosity k^2 time) for wave number k along one axis */
    myr_fourier *plain, *fine;
    myr_slabs *plain_slabs, *fine_slabs; /* distribution of both meshes over ranks */
    double *hat[3];                      /* coefficients of the velocities, then of their rates of change */
    double *fine_u[3];                   /* velocities on the fine mesh, then the products u x w */
    double *fine_w[3];                   /* vorticities on the fine mesh */
};

/* Allocates all arrays. */
static int spectral_allocate(myr_spectral *s)
{
    int whole = (s->factor = myr_memory_zeros(s->side / 2, sizeof(double))) != NULL;
    for (int c = 0; c < 3; c++) {
        s->hat[c] = myr_memory_zeros(myr_fourier_numbers(s->side), sizeof(double));
        s->fine_u[c] = myr_memory_zeros(myr_fourier_numbers(s->fine_side), sizeof(double));
        s->fine_w[c] = myr_memory_zeros(myr_fourier_numbers(s->fine_side), sizeof(double));
        whole = whole && s->hat[c] && s->fine_u[c] && s->fine_w[c];
    }
    return whole;
}

myr_status myr_spectral_create(myr_context *context, const myr_mesh *mesh, double viscosity, int exact,
                               myr_spectral **spectral)
{
    *spectral = NULL;
    if (mesh->side % 2 != 0 || mesh->side < 4)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "the spectral method needs an even number of points per axis, 4 or more, so that "
                                "every wave has its opposite; this mesh has %lld",
                                (long long)mesh->side);
    if (!(viscosity >= 0) || !isfinite(viscosity))
        return myr_context_fail(context, MYR_ERROR_VALUE, "the viscosity cannot be %g; it is 0 or more", viscosity);
    myr_spectral *s = calloc(1, sizeof *s);
    if (!s)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the spectral method");
    *s = (myr_spectral){.context = context,
                        .order = mesh->order,
                        .threads = myr_context_threads(context),
                        .side = mesh->side,
                        .fine_side = mesh->side / 2 * 3,
                        .wave = 2 * acos(-1.0) / (mesh->spacing * (double)mesh->side),
                        .viscosity = viscosity,
                        .exact = exact};
    myr_status status = myr_fourier_create(context, s->side, s->side, &s->plain);
    if (!status)
        status = myr_fourier_create(context, s->fine_side, s->side, &s->fine);
    if (!status)
        status = myr_slabs_create(context, s->plain, &s->plain_slabs);
    if (!status)
        status = myr_slabs_create(context, s->fine, &s->fine_slabs);
    if (!status && !spectral_allocate(s))
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the spectral method with %lld^3 points",
                                  (long long)s->side);
    if (status)
        myr_spectral_destroy(&s);
    *spectral = s;
    return status;
}

void myr_spectral_destroy(myr_spectral **spectral)
{
    if (!spectral || !*spectral)
        return;
    myr_spectral *s = *spectral;
    myr_slabs_destroy(&s->plain_slabs);
    myr_slabs_destroy(&s->fine_slabs);
    myr_fourier_destroy(&s->plain);
    myr_fourier_destroy(&s->fine);
    for (int c = 0; c < 3; c++) {
        free(s->hat[c]);
        free(s->fine_u[c]);
        free(s->fine_w[c]);
    }
    free(s->factor);
    free(s);
    *spectral = NULL;
}

/* --- between particles and coefficients --------------------------------------------------------------------------- */

/* Copies the particles' values in this rank's planes into the rows of a field, and back. */
static void spectral_gather(const myr_spectral *s, const double *from, double *field)
{
    const int64_t side = s->side, row = 2 * myr_fourier_half(side);
    const myr_slabs_part own = myr_slabs_own(s->plain_slabs);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = own.plane * side; r < own.planes_end * side; r++)
        for (int64_t x = 0; x < side; x++)
            field[r * row + x] = from[s->order[r * side + x]];
}

static void spectral_scatter(const myr_spectral *s, const double *field, double *to)
{
    const int64_t side = s->side, row = 2 * myr_fourier_half(side);
    const myr_slabs_part own = myr_slabs_own(s->plain_slabs);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = own.plane * side; r < own.planes_end * side; r++)
        for (int64_t x = 0; x < side; x++)
            to[s->order[r * side + x]] = field[r * row + x];
}

/* Row of kept modes: its wave numbers along y and z, the viscous factor, and its index in the plain and the fine
 * array. */
typedef struct {
    double y, z, factor;
    int64_t plain, fine;
} spectral_row;

/* Number of this rank's rows among all (side - 1)^2 rows, and row r of them. */
static int64_t spectral_rows(const myr_spectral *s)
{
    const myr_slabs_part own = myr_slabs_own(s->plain_slabs);
    return (own.rows_end - own.row) * (s->side - 1);
}

static spectral_row spectral_row_at(const myr_spectral *s, int64_t r)
{
    const myr_slabs_part own = myr_slabs_own(s->plain_slabs);
    const int64_t rows = own.rows_end - own.row;
    const int64_t y = own.row + r % rows - s->side / 2 + 1, z = r / rows - s->side / 2 + 1;
    const int64_t plain = myr_fourier_place(s->side, z) * s->side + myr_fourier_place(s->side, y);
    const int64_t fine = myr_fourier_place(s->fine_side, z) * s->fine_side + myr_fourier_place(s->fine_side, y);
    return (spectral_row){s->wave * (double)y, s->wave * (double)z, s->factor[llabs(y)] * s->factor[llabs(z)],
                          plain * myr_fourier_half(s->side), fine * myr_fourier_half(s->fine_side)};
}

/* --- viscous term ------------------------------------------------------------------------------------------------- */

/* Computes the viscous factors for a time. */
static void spectral_set_factors(const myr_spectral *s, double elapsed)
{
    for (int64_t k = 0; k < s->side / 2; k++)
        s->factor[k] = exp(-s->viscosity * pow(s->wave * (double)k, 2) * elapsed);
}

/* Coefficients of velocities from those of the integrated variable exp(nu k^2 t) u. */
static void spectral_decay(const myr_spectral *s)
{
    const int64_t rows = spectral_rows(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        const spectral_row at = spectral_row_at(s, r);
        for (int64_t x = 0; x < s->side / 2; x++)
            for (int c = 0; c < 3; c++)
                ((double complex *)s->hat[c])[at.plain + x] *= at.factor * s->factor[x];
    }
}

/* --- forcing ------------------------------------------------------------------------------------------------------ */

void myr_spectral_force(myr_spectral *spectral, double power, double shell)
{
    spectral->power = power;
    spectral->shell = shell * spectral->wave;
}

/* Returns 1 if a wave is forced. */
static inline int spectral_is_forced(const myr_spectral *s, double k2)
{
    return s->power > 0 && k2 > 0 && k2 <= s->shell * s->shell * (1 + 1e-12);
}

/* Visits this rank's waves, one after the other, with their energies: those with kx > 0 stand for their opposites
 * too. */
typedef void spectral_visit(void *user, int forced, double energy);
static void spectral_each_wave(const myr_spectral *s, spectral_visit *visit, void *user)
{
    for (int64_t r = 0; r < spectral_rows(s); r++) {
        const spectral_row at = spectral_row_at(s, r);
        for (int64_t x = 0; x < s->side / 2; x++) {
            const double kx = s->wave * (double)x;
            double energy = 0;
            for (int c = 0; c < 3; c++) {
                const double *hat = s->hat[c] + 2 * (at.plain + x);
                energy += (x > 0 ? 1 : 0.5) * (hat[0] * hat[0] + hat[1] * hat[1]);
            }
            visit(user, spectral_is_forced(s, kx * kx + at.y * at.y + at.z * at.z), energy);
        }
    }
}

/* Keeps the largest energy of a forced wave, and of another one: user is double[2]. */
static void spectral_largest(void *user, int forced, double energy)
{
    double *largest = (double *)user + !forced;
    *largest = fmax(*largest, energy);
}

/* Sum of the energies of forced waves, in units of 1/scale. */
typedef struct {
    double scale;
    myr_wide sum;
} spectral_sum;

static void spectral_add_forced(void *user, int forced, double energy)
{
    spectral_sum *to = user;
    if (forced)
        to->sum += myr_sum_round(energy, to->scale);
}

/* Sets the growth rate of the forced waves from the coefficients of the velocities. */
static myr_status spectral_set_gain(myr_spectral *s)
{
    double most[2] = {0};
    s->gain = 0;
    if (!(s->power > 0))
        return MYR_OK;
    spectral_each_wave(s, spectral_largest, most);
    myr_status status = myr_ranks_max(s->context, most, 2);
    if (!status && !(most[0] > SPECTRAL_NOISE * most[1]))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the forcing multiplies waves of up to %g times the lowest wave number, and the flow "
                                "has none of these: begin with a flow that has, such as isotropic_turbulence",
                                s->shell / s->wave);
    const int exponent = myr_sum_exponent(most[0]);
    spectral_sum forced = {.scale = myr_sum_scale(exponent)};
    spectral_each_wave(s, spectral_add_forced, &forced);
    if (!status)
        status = myr_ranks_sum_wide(s->context, &forced.sum, 1);
    s->gain = s->power / (2 * myr_sum_value(forced.sum, exponent));
    return status;
}

/* --- rates -------------------------------------------------------------------------------------------------------- */

/* Coefficients of velocity and vorticity, i k x u, on the fine mesh. */
static void spectral_refine(const myr_spectral *s)
{
    const int64_t rows = spectral_rows(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        const spectral_row k = spectral_row_at(s, r);
        for (int64_t x = 0; x < s->side / 2; x++) {
            const double kx = s->wave * (double)x;
            double complex u[3], *w[3];
            for (int c = 0; c < 3; c++) {
                u[c] = ((const double complex *)s->hat[c])[k.plain + x];
                ((double complex *)s->fine_u[c])[k.fine + x] = u[c];
                w[c] = (double complex *)s->fine_w[c] + k.fine + x;
            }
            *w[0] = myr_wave_times_i(k.y * u[2] - k.z * u[1]);
            *w[1] = myr_wave_times_i(k.z * u[0] - kx * u[2]);
            *w[2] = myr_wave_times_i(kx * u[1] - k.y * u[0]);
        }
    }
}

/* Replaces u by u x w at every point of the fine mesh. */
static void spectral_multiply(const myr_spectral *s)
{
    const int64_t plane = myr_fourier_numbers(s->fine_side) / s->fine_side;
    const myr_slabs_part own = myr_slabs_own(s->fine_slabs);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t z = own.plane; z < own.planes_end; z++)
        for (int64_t i = z * plane; i < (z + 1) * plane; i++) {
            const double u[3] = {s->fine_u[0][i], s->fine_u[1][i], s->fine_u[2][i]};
            const double w[3] = {s->fine_w[0][i], s->fine_w[1][i], s->fine_w[2][i]};
            s->fine_u[0][i] = u[1] * w[2] - u[2] * w[1];
            s->fine_u[1][i] = u[2] * w[0] - u[0] * w[2];
            s->fine_u[2][i] = u[0] * w[1] - u[1] * w[0];
        }
}

/* Removes the component of a coefficient along k. */
static inline void spectral_solenoidal(const double k[3], double complex v[3])
{
    const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const double complex along = k2 > 0 ? (k[0] * v[0] + k[1] * v[1] + k[2] * v[2]) / k2 : 0;
    for (int c = 0; c < 3; c++)
        v[c] -= k[c] * along;
}

/* Replaces the coefficients of the velocities by those of their rates of change. The mean velocity is constant: no net
 * force acts. */
static void spectral_collect(const myr_spectral *s)
{
    const int64_t rows = spectral_rows(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        const spectral_row at = spectral_row_at(s, r);
        for (int64_t x = 0; x < s->side / 2; x++) {
            const double k[3] = {s->wave * (double)x, at.y, at.z};
            const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
            double complex v[3];
            for (int c = 0; c < 3; c++)
                v[c] = ((const double complex *)s->fine_u[c])[at.fine + x];
            spectral_solenoidal(k, v);
            const double gain = spectral_is_forced(s, k2) ? s->gain : 0;
            for (int c = 0; c < 3; c++) {
                double complex *hat = (double complex *)s->hat[c] + at.plain + x;
                v[c] += gain * *hat;
                const double complex rate =
                    s->exact ? v[c] / (at.factor * s->factor[x]) : v[c] - s->viscosity * k2 * *hat;
                *hat = k2 > 0 ? rate : 0;
            }
        }
    }
}

/* Coefficients of the velocities at a time `elapsed` after the start of the step. */
static myr_status spectral_transform(const myr_spectral *s, double elapsed, const double *const velocity[3])
{
    myr_status status = MYR_OK;
    for (int c = 0; c < 3 && !status; c++) {
        spectral_gather(s, velocity[c], s->hat[c]);
        status = myr_slabs_forward(s->plain_slabs, s->hat[c]);
    }
    spectral_set_factors(s, s->exact ? elapsed : 0);
    if (s->exact && !status)
        spectral_decay(s);
    return status;
}

/* Transforms coefficients to values at the particles, on all ranks. */
static myr_status spectral_return(const myr_spectral *s, double *const value[3])
{
    myr_status status = MYR_OK;
    for (int c = 0; c < 3 && !status; c++) {
        status = myr_slabs_inverse(s->plain_slabs, s->hat[c]);
        if (!status)
            spectral_scatter(s, s->hat[c], value[c]);
    }
    return status ? status : myr_slabs_share(s->plain_slabs, s->order, value);
}

myr_status myr_spectral_rates(myr_spectral *spectral, double elapsed, const double *const velocity[3],
                              double *const rate[3])
{
    myr_waiting_look(spectral->context);
    myr_spectral *s = spectral;
    myr_status status = spectral_transform(s, elapsed, velocity);
    if (!status)
        status = spectral_set_gain(s);
    if (!status)
        spectral_refine(s);
    for (int c = 0; c < 3 && !status; c++) {
        status = myr_slabs_inverse(s->fine_slabs, s->fine_u[c]);
        if (!status)
            status = myr_slabs_inverse(s->fine_slabs, s->fine_w[c]);
    }
    if (!status)
        spectral_multiply(s);
    for (int c = 0; c < 3 && !status; c++)
        status = myr_slabs_forward(s->fine_slabs, s->fine_u[c]);
    if (status)
        return status;
    spectral_collect(s);
    return spectral_return(s, rate);
}

myr_status myr_spectral_finish(myr_spectral *spectral, double elapsed, double *const velocity[3])
{
    myr_spectral *s = spectral;
    if (!s->exact || s->viscosity == 0)
        return MYR_OK;
    const myr_status status = spectral_transform(s, elapsed, (const double *const *)velocity);
    return status ? status : spectral_return(s, velocity);
}

myr_status myr_spectral_project(myr_spectral *spectral, double *const velocity[3], double *removed)
{
    myr_spectral *s = spectral;
    const int64_t n = s->side * s->side * s->side;
    double sum = 0, *before[3] = {NULL, NULL, NULL};
    myr_status status = spectral_transform(s, 0, (const double *const *)velocity);
    for (int64_t r = 0; r < spectral_rows(s); r++) {
        const spectral_row at = spectral_row_at(s, r);
        for (int64_t x = 0; x < s->side / 2; x++) {
            double complex v[3];
            for (int c = 0; c < 3; c++)
                v[c] = ((const double complex *)s->hat[c])[at.plain + x];
            spectral_solenoidal((const double[3]){s->wave * (double)x, at.y, at.z}, v);
            for (int c = 0; c < 3; c++)
                ((double complex *)s->hat[c])[at.plain + x] = v[c];
        }
    }
    for (int c = 0; c < 3 && !status; c++) {
        before[c] = myr_memory_zeros(n, sizeof *before[c]);
        if (!before[c])
            status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory to project a flow of %lld points",
                                      (long long)n);
        else
            memcpy(before[c], velocity[c], (size_t)n * sizeof *before[c]);
    }
    if (!status)
        status = spectral_return(s, velocity);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < n && !status; i++) {
            const double change = velocity[c][s->order[i]] - before[c][s->order[i]];
            sum += change * change;
        }
        free(before[c]);
    }
    *removed = sqrt(sum / (double)n);
    return status;
}

double myr_spectral_longest_step(const myr_spectral *spectral, const double *const velocity[3])
{
    const myr_spectral *s = spectral;
    const double most = s->wave * (double)(s->side / 2 - 1);
    double fastest = 0;
    for (int64_t i = 0; i < s->side * s->side * s->side; i++)
        fastest = fmax(fastest, fabs(velocity[0][i]) + fabs(velocity[1][i]) + fabs(velocity[2][i]));
    const double viscous = 3 * most * most * s->viscosity;
    return s->exact ? fmin(SPECTRAL_STABLE / (most * fastest), SPECTRAL_FACTOR / viscous)
                    : SPECTRAL_STABLE / fmax(most * fastest, viscous);
}
