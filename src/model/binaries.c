/* binaries.c - primordial binaries: a given fraction of the systems are pairs of stars.
 *
 * The fraction is pairs / (pairs + single stars). Companions have the masses drawn from the mass function; the
 * semi-major axis is uniform in its logarithm, the eccentricity is thermal (probability density 2 e) or given,
 * orientation and phase are random. Random numbers are keyed by the pair. */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "model/model.h"
#include "model/orbit.h"

const myr_model_group myr_binaries_group = {
    .param = {{{"binary_fraction", "pairs / (pairs + single stars)", 0, 0, 1}, MYR_NUMBER},
              {{"binary_smallest", "smallest semi-major axis of a pair", 1e-4, 1e-300, MYR_HUGE}, MYR_LENGTH},
              {{"binary_largest", "largest semi-major axis of a pair", 1e-2, 1e-300, MYR_HUGE}, MYR_LENGTH},
              {{"binary_eccentricity", "eccentricity of the pairs where binary_orbits is fixed", 0, 0, 0.999999},
               MYR_NUMBER}},
    .option = {{"binary_orbits", "eccentricities of pairs: probability 2 e, or all as given", {"thermal", "fixed"}}},
};

int64_t myr_binaries_count(const myr_model_spec *spec, int64_t n)
{
    const double fraction = myr_model_spec_get(spec, "binary_fraction");
    const int64_t pairs = llround(fraction * (double)n / (1 + fraction));
    return pairs > n / 2 ? n / 2 : pairs;
}

static myr_orbit binaries_orbit(const myr_model_spec *spec, uint64_t seed, uint64_t pair)
{
    const double a = myr_model_spec_get(spec, "binary_smallest"), b = myr_model_spec_get(spec, "binary_largest");
    double u[6];
    for (uint32_t k = 0; k < 3; k++)
        myr_random_uniform(seed, MYR_STREAM_ORBIT, pair, k, u + 2 * k);
    const int thermal = strcmp(myr_model_spec_chosen(spec, "binary_orbits"), "thermal") == 0;
    return (myr_orbit){.a = a * pow(b / a, u[0]),
                       .e = thermal ? sqrt(u[1]) : myr_model_spec_get(spec, "binary_eccentricity"),
                       .inclination = acos(1 - 2 * u[2]),
                       .node = 2 * MYR_PI * u[3],
                       .pericentre = 2 * MYR_PI * u[4],
                       .anomaly = 2 * MYR_PI * u[5]};
}

/* Proceeds from the last system to the first, so that no star overwrites a system that is still to be split. */
void myr_binaries_split(const myr_model_spec *spec, const myr_model_arrays *stars, int64_t pairs)
{
    const double gravity = myr_model_spec_get(spec, "G");
    for (int64_t s = stars->n - pairs - 1; s >= pairs; s--)
        for (int c = 0; c < 3; c++) {
            stars->position[c][s + pairs] = stars->position[c][s];
            stars->velocity[c][s + pairs] = stars->velocity[c][s];
        }
    for (int64_t s = pairs - 1; s >= 0; s--) {
        const double m1 = stars->mass[2 * s], m2 = stars->mass[2 * s + 1];
        const myr_orbit orbit = binaries_orbit(spec, stars->seed, (uint64_t)s);
        double x[3], v[3], x1[3], x2[3], v1[3], v2[3];
        myr_orbit_place(&orbit, gravity * (m1 + m2), x, v);
        myr_orbit_share(m1, m2, x, x1, x2);
        myr_orbit_share(m1, m2, v, v1, v2);
        for (int c = 0; c < 3; c++) {
            const double at = stars->position[c][s], along = stars->velocity[c][s];
            stars->position[c][2 * s] = at + x1[c];
            stars->position[c][2 * s + 1] = at + x2[c];
            stars->velocity[c][2 * s] = along + v1[c];
            stars->velocity[c][2 * s + 1] = along + v2[c];
        }
    }
}
