/* forcing.c - energy given to the long waves of a fluid in a periodic cube at a constant rate; see forcing.h.
 *
 * A wave k of up to `shell` times the lowest wave number grows at the rate g = power/(2 E), where E is the energy per
 * mass of all these waves: the force g u has the power 2 g E. The spectral method does that to its coefficients
 * (method/spectral). Vortex elements are a sum of Gaussians, whose coefficients are sums over elements,
 *
 *   w(k) = 1/V sum_j a_j exp(-(core_j k)^2/2) exp(-i k.x_j),    u(k) = i k x w(k)/k^2,
 *
 * and the vorticity at an element changes by g sum_k w(k) exp(i k.x), with the divergence of w removed. Elements that
 * carry strengths get their volume times this, with the waves of a point element instead of those of its Gaussian. */
#include "simulation/forcing.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "simulation/vortex/collocation.h"
#include "simulation/vortex/remesh_periodic.h"

enum {
    FORCING_WAVES = 8, /* largest wave number, in units of the lowest */
    FORCING_PARTS = 64 /* partial sums over elements, the same for any number of threads */
};

/* Coefficient of a wave, relative to the sum of all strengths, that is rounding only. */
#define FORCING_NOISE 1e-12

typedef double complex wave_number;

/* Forced waves of elements: one of k and -k each. */
typedef struct {
    const myr_simulation *s;
    int64_t n;
    int most, waves; /* largest wave number along an axis, and number of waves */
    int (*k)[3];     /* [waves] */
    double lowest, volume, gain;
    const double *x[3], *core, *strength[3];
    wave_number *sum; /* [FORCING_PARTS][waves][3], the total first */
} forcing_work;

myr_status myr_simulation_set_forcing(myr_simulation *simulation, double power, double shell)
{
    myr_simulation *s = simulation;
    if (!s)
        return MYR_ERROR_ARGUMENT;
    if (s->motion.started)
        return myr_context_fail(s->context, MYR_ERROR_VALUE, "the forcing cannot change after the first step");
    if (!(power >= 0) || !isfinite(power))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "the power of the forcing cannot be %g; it is 0 (no forcing) or more", power);
    if (!(shell >= 1 && shell <= FORCING_WAVES))
        return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                "waves of up to %g times the lowest wave number cannot be forced; 1 to %d are possible",
                                shell, FORCING_WAVES);
    if (power > 0 && myr_simulation_kind(s) == MYR_MOTION_OF_BODIES)
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "a fluid is forced: points of a mesh by the spectral method, or vortex elements; these "
                                "particles are bodies");
    s->forcing = (myr_forcing){power, shell};
    return MYR_OK;
}

myr_status myr_forcing_check_elements(const myr_simulation *s)
{
    if (!(s->forcing.power > 0))
        return MYR_OK;
    if (!myr_remesh_periodic_in_cube(s))
        return myr_context_fail(s->context, MYR_ERROR_COMBINATION,
                                "vortex elements are forced in a cube that is periodic along all axes: give 'box' "
                                "three equal edges, or leave out the forcing");
    if (!myr_collocation_on(s) && !myr_particles_component_const(s->particles, "volume", 0))
        return myr_context_fail(s->context, MYR_ERROR_FIELD,
                                "forced elements that carry strengths need a volume each: use a model of a flow, or "
                                "strengths that are solved for");
    return MYR_OK;
}

/* --- waves -------------------------------------------------------------------------------------------------------- */

/* Lists one of k and -k of the forced waves: the first component that is not 0 is positive. Returns their number; k
 * may be null. */
static int waves_list(double shell, int (*k)[3])
{
    const int most = (int)floor(shell);
    int waves = 0;
    for (int z = -most; z <= most; z++)
        for (int y = -most; y <= most; y++)
            for (int x = -most; x <= most; x++) {
                const int first = x ? x : y ? y : z;
                if (first <= 0 || x * x + y * y + z * z > shell * shell * (1 + 1e-12))
                    continue;
                if (k) {
                    k[waves][0] = x;
                    k[waves][1] = y;
                    k[waves][2] = z;
                }
                waves++;
            }
    return waves;
}

static double waves_square(const int k[3])
{
    return k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
}

/* Exponentials of an element: exp(i lowest m x) along each axis for m = -most .. most, around [axis][FORCING_WAVES]. */
static void waves_turn(const forcing_work *w, int64_t i, wave_number turn[3][2 * FORCING_WAVES + 1])
{
    for (int c = 0; c < 3; c++) {
        const double phase = w->lowest * w->x[c][i];
        const wave_number one = cos(phase) + I * sin(phase);
        turn[c][FORCING_WAVES] = 1;
        for (int m = 1; m <= w->most; m++) {
            turn[c][FORCING_WAVES + m] = turn[c][FORCING_WAVES + m - 1] * one;
            turn[c][FORCING_WAVES - m] = conj(turn[c][FORCING_WAVES + m]);
        }
    }
}

static wave_number waves_at(const int k[3], wave_number turn[3][2 * FORCING_WAVES + 1])
{
    return turn[0][FORCING_WAVES + k[0]] * turn[1][FORCING_WAVES + k[1]] * turn[2][FORCING_WAVES + k[2]];
}

/* Transform of the element's Gaussian. */
static double waves_damping(const forcing_work *w, int64_t i, const int k[3])
{
    const double phase = w->lowest * w->core[i];
    return exp(-0.5 * waves_square(k) * phase * phase);
}

/* Coefficients of the vorticity: sums over parts of the elements, which are then added in order. */
static void waves_sum(const forcing_work *w)
{
    const int waves = w->waves;
#pragma omp parallel for num_threads(myr_context_threads(w->s->context)) schedule(static)
    for (int part = 0; part < FORCING_PARTS; part++) {
        wave_number *sum = w->sum + (int64_t)part * waves * 3, turn[3][2 * FORCING_WAVES + 1];
        for (int64_t i = w->n * part / FORCING_PARTS; i < w->n * (part + 1) / FORCING_PARTS; i++) {
            waves_turn(w, i, turn);
            for (int k = 0; k < waves; k++) {
                const wave_number factor = conj(waves_at(w->k[k], turn)) * waves_damping(w, i, w->k[k]) / w->volume;
                for (int c = 0; c < 3; c++)
                    sum[3 * k + c] += factor * w->strength[c][i];
            }
        }
    }
    for (int part = 1; part < FORCING_PARTS; part++)
        for (int k = 0; k < 3 * waves; k++)
            w->sum[k] += w->sum[(int64_t)part * waves * 3 + k];
}

/* Removes the divergence of the coefficients, and returns the energy per mass of these waves. */
static double waves_energy(const forcing_work *w)
{
    double energy = 0;
    for (int k = 0; k < w->waves; k++) {
        wave_number *v = w->sum + 3 * k, along = 0;
        const double k2 = waves_square(w->k[k]);
        for (int c = 0; c < 3; c++)
            along += w->k[k][c] * v[c] / k2;
        for (int c = 0; c < 3; c++) {
            v[c] -= w->k[k][c] * along;
            energy += (creal(v[c]) * creal(v[c]) + cimag(v[c]) * cimag(v[c])) / (k2 * w->lowest * w->lowest);
        }
    }
    return energy; /* k and -k: twice a half */
}

/* Energy that rounding leaves in waves whose coefficients cancel. */
static double waves_noise(const forcing_work *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->n; i++)
        for (int c = 0; c < 3; c++)
            sum += fabs(w->strength[c][i]) / w->volume;
    return pow(FORCING_NOISE * sum / w->lowest, 2);
}

/* Adds the growth of the waves to the rates. */
static void waves_add(const forcing_work *w, const double *volume, double *const rate[3])
{
#pragma omp parallel for num_threads(myr_context_threads(w->s->context)) schedule(static)
    for (int64_t i = 0; i < w->n; i++) {
        wave_number turn[3][2 * FORCING_WAVES + 1];
        double grown[3] = {0};
        waves_turn(w, i, turn);
        for (int k = 0; k < w->waves; k++) {
            const wave_number factor = waves_at(w->k[k], turn) / (volume ? waves_damping(w, i, w->k[k]) : 1);
            for (int c = 0; c < 3; c++)
                grown[c] += 2 * creal(factor * w->sum[3 * k + c]);
        }
        for (int c = 0; c < 3; c++)
            rate[c][i] += w->gain * grown[c] * (volume ? volume[i] : 1);
    }
}

myr_status myr_forcing_add(const myr_simulation *s, double *const rate[3])
{
    forcing_work w = {.s = s, .n = s->motion.n};
    double edge[3], corner[3];
    if (!(s->forcing.power > 0))
        return MYR_OK;
    myr_interaction_box(s->interaction, edge, corner);
    w.most = (int)floor(s->forcing.shell);
    w.waves = waves_list(s->forcing.shell, NULL);
    w.lowest = 2 * acos(-1.0) / edge[0];
    w.volume = edge[0] * edge[0] * edge[0];
    w.k = calloc((size_t)w.waves + 1, sizeof *w.k);
    w.sum = myr_memory_zeros((int64_t)FORCING_PARTS * w.waves * 6, sizeof(double));
    w.core = myr_particles_component_const(s->particles, "core", 0);
    for (int c = 0; c < 3; c++) {
        w.x[c] = s->motion.variable[c];
        w.strength[c] = myr_collocation_on(s) ? myr_particles_component_const(s->particles, "strength", c)
                                              : s->motion.variable[s->motion.variables - 3 + c];
    }
    myr_status status = w.k && w.sum && w.core
                            ? MYR_OK
                            : myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for %d forced waves", w.waves);
    if (!status) {
        waves_list(s->forcing.shell, w.k);
        waves_sum(&w);
        const double energy = waves_energy(&w);
        if (!(energy > waves_noise(&w)))
            status = myr_context_fail(s->context, MYR_ERROR_VALUE,
                                      "the forcing multiplies waves of up to %g times the lowest wave number, and the "
                                      "vortex elements have none of these: begin with a flow that has, such as "
                                      "isotropic_turbulence",
                                      s->forcing.shell);
        w.gain = energy > 0 ? s->forcing.power / (2 * energy) : 0;
    }
    if (!status)
        waves_add(&w, myr_collocation_on(s) ? NULL : myr_particles_component_const(s->particles, "volume", 0), rate);
    free(w.k);
    free(w.sum);
    return status;
}

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

void myr_forcing_save(const myr_simulation *s, myr_lines *lines)
{
    if (s->forcing.power > 0)
        myr_lines_add(lines, "forcing %a %a\n", s->forcing.power, s->forcing.shell);
}

myr_status myr_forcing_load(myr_simulation *s, const char *power, const char *shell)
{
    return myr_simulation_set_forcing(s, strtod(power, NULL), strtod(shell, NULL));
}
