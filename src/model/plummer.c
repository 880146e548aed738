/* plummer.c - Plummer (1911) sphere in N-body units, after Aarseth, Henon and Wielen (1974).
 *
 * In units of the Plummer radius a the mass inside r is M(r) = r^3 (1 + r^2)^(-3/2), the escape speed v_e = sqrt(2) (1
 * + r^2)^(-1/4), and q = v/v_e has the density q^2 (1 - q^2)^(7/2). E = -3 pi/(64 a) with G = M = 1, so that a = 3
 * pi/16 gives E = -1/4. Paper 002 takes the same initial conditions from NEMO's mkplummer, with the same cut: the mass
 * fraction is drawn from (0, 0.999), which keeps all particles within 38.7 a. */
#include <math.h>

#include "core/random.h"
#include "model/sphere.h"

#define PLUMMER_PEAK 0.1 /* upper bound of q^2 (1 - q^2)^(7/2), whose maximum is 0.0922 */

enum { MASS_FRACTION };

/* Speed in units of the escape speed, by rejection; each attempt has its own random index. */
static double plummer_part(uint64_t seed, uint64_t id)
{
    for (uint32_t attempt = 0;; attempt++) {
        double u[2];
        myr_random_uniform(seed, MYR_STREAM_SPEED, id, attempt, u);
        const double q2 = u[0] * u[0], w = 1 - q2;
        if (PLUMMER_PEAK * u[1] < q2 * w * w * w * sqrt(w))
            return u[0];
    }
}

static double plummer_radius(double inside)
{
    return 1 / sqrt(pow(inside, -2.0 / 3) - 1);
}

static double plummer_speed(uint64_t seed, uint64_t id, double r)
{
    return plummer_part(seed, id) * sqrt(2) * pow(1 + r * r, -0.25);
}

static myr_status plummer_place(const myr_model_arrays *to)
{
    static const myr_sphere_profile profile = {3 * MYR_PI / 16, plummer_radius, plummer_speed};
    myr_sphere_draw(to, &profile, to->value[MASS_FRACTION]);
    return MYR_OK;
}

const myr_model_kind myr_plummer_model = {
    .info = {"plummer", "Plummer sphere in virial equilibrium, N-body units (G = M = 1, E = -1/4)", 1},
    .place = plummer_place,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES | MYR_WITH_MOTION | MYR_WITH_BINARIES,
    .param = {[MASS_FRACTION] = {{"mass_fraction", "the inner fraction of the mass that particles are drawn from",
                                  0.999, 0.01, 1},
                                 MYR_NUMBER}},
};
