/* hernquist.c - Hernquist's (1990, ApJ 356, 359) sphere: rho ~ 1/(r (r + a)^3), isotropic, in N-body units.
 *
 * Speeds follow the exact distribution function, his eq. (17), with q^2 the binding energy in units of G M/a:
 *   f ~ (1 - q^2)^(-5/2) [3 asin q + q sqrt(1 - q^2) (1 - 2 q^2)(8 q^4 - 8 q^2 - 3)].
 * The potential energy is -G M^2/(6 a): a = 1/3 gives -1/2. The density decreases only as r^-4; the cut at a fraction
 * 0.999 of the mass keeps particles within 2000 a. */
#include "model/hernquist.h"

#include <math.h>

#include "core/random.h"
#include "model/sphere.h"

enum { MASS_FRACTION };

double myr_hernquist_radius(double fraction)
{
    const double s = sqrt(fraction);
    return s / (1 - s);
}

static double hernquist_distribution(double q2)
{
    const double q = sqrt(q2), p2 = 1 - q2;
    return (3 * asin(q) + q * sqrt(p2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3)) / (p2 * p2 * sqrt(p2));
}

/* Distribution of s = v/v_e at the potential -psi; the binding energy is psi (1 - s^2). */
static double hernquist_density(double psi, double s)
{
    return s * s * hernquist_distribution(psi * (1 - s * s));
}

/* Maximum of the unimodal distribution, by golden section search. */
static double hernquist_peak(double psi)
{
    const double golden = 0.6180339887498949;
    double low = 0, high = 1;
    double a = high - golden, b = low + golden, fa = hernquist_density(psi, a), fb = hernquist_density(psi, b);
    for (int k = 0; k < 30; k++) {
        if (fa < fb) {
            low = a;
            a = b;
            fa = fb;
            b = low + golden * (high - low);
            fb = hernquist_density(psi, b);
        } else {
            high = b;
            b = a;
            fb = fa;
            a = high - golden * (high - low);
            fa = hernquist_density(psi, a);
        }
    }
    return fmax(fa, fb);
}

double myr_hernquist_speed(uint64_t seed, uint64_t id, double r)
{
    const double psi = 1 / (1 + r), bound = 1.001 * hernquist_peak(psi);
    for (uint32_t attempt = 0;; attempt++) {
        double u[2];
        myr_random_uniform(seed, MYR_STREAM_SPEED, id, attempt, u);
        if (bound * u[1] < hernquist_density(psi, u[0]))
            return u[0] * sqrt(2 * psi);
    }
}

static myr_status hernquist_place(const myr_model_arrays *to)
{
    static const myr_sphere_profile profile = {1.0 / 3, myr_hernquist_radius, myr_hernquist_speed};
    myr_sphere_draw(to, &profile, to->value[MASS_FRACTION]);
    return MYR_OK;
}

const myr_model_kind myr_hernquist_model = {
    .info = {"hernquist", "Hernquist sphere in equilibrium, N-body units (G = M = 1, E = -1/4, scale radius 1/3)", 1},
    .place = hernquist_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION | MYR_WITH_BINARIES,
    .param = {[MASS_FRACTION] = {{"mass_fraction", "the inner fraction of the mass that particles are drawn from",
                                  0.999, 0.01, 1},
                                 MYR_NUMBER}},
};
