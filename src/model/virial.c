/* virial.c - rotation, virial ratio, and exact standard units.
 *
 * The order is: reverse velocities, scale to the virial ratio, add spin, scale to the energy. Energies are those of the
 * actual particles, summed over all pairs: n^2 evaluations for a virial ratio above 0 or for exact units. */
#include <math.h>
#include <string.h>

#include <myriad/interaction.h>

#include "core/context.h"
#include "core/random.h"
#include "model/model.h"

const myr_model_group myr_motion_group = {
    .param = {{{"virial_ratio", "2 T/|W| that velocities are scaled to: 1 = equilibrium, 0 = at rest; -1 = as drawn",
                -1, -1, 100},
               MYR_NUMBER},
              {{"spin", "angular velocity of a solid-body rotation about z, added to the velocities", 0, -MYR_HUGE,
                MYR_HUGE},
               MYR_RATE},
              {{"reverse",
                "fraction of the particles that go backwards about z whose velocity is reversed: rotation that "
                "keeps an equilibrium",
                0, 0, 1},
               MYR_NUMBER}},
    .option = {{"standard_units",
                "energy of the particles: as drawn, or scaled so that E = -G M^2/(4 length_scale)",
                {"mean", "exact"}}},
};

/* Reverses the velocities of a fraction of the particles with negative angular momentum (Lynden-Bell 1960): the density
 * of a spherical model does not depend on the sign of a velocity. */
static void motion_reverse(const myr_model_arrays *to, double fraction)
{
    double *const *x = to->position, *const *v = to->velocity;
    for (int64_t i = 0; i < to->n; i++) {
        double u[2];
        myr_random_uniform(to->seed, MYR_STREAM_REVERSE, (uint64_t)i, 0, u);
        if (x[0][i] * v[1][i] - x[1][i] * v[0][i] < 0 && u[0] < fraction)
            for (int c = 0; c < 3; c++)
                v[c][i] = -v[c][i];
    }
}

static void motion_spin(const myr_model_arrays *to, double rate)
{
    for (int64_t i = 0; i < to->n; i++) {
        to->velocity[0][i] -= rate * to->position[1][i];
        to->velocity[1][i] += rate * to->position[0][i];
    }
}

static void motion_scale(int64_t n, double *const values[3], double factor)
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < n; i++)
            values[c][i] *= factor;
}

static double motion_kinetic(const myr_model_arrays *to)
{
    double sum = 0;
    for (int64_t i = 0; i < to->n; i++)
        for (int c = 0; c < 3; c++)
            sum += 0.5 * to->mass[i] * to->velocity[c][i] * to->velocity[c][i];
    return sum;
}

/* Copies the fields that the potential needs to a set of its own. */
static myr_status motion_copy(const myr_model_arrays *to, myr_particles **copy)
{
    myr_status status = myr_particles_create(to->context, to->n, copy);
    if (!status)
        status = myr_particles_add_field(*copy, "position", 3);
    if (!status)
        status = myr_particles_add_field(*copy, "mass", 1);
    if (status)
        return status;
    const size_t bytes = (size_t)to->n * sizeof(double);
    for (int c = 0; c < 3; c++)
        memcpy(myr_particles_component(*copy, "position", c), to->position[c], bytes);
    memcpy(myr_particles_component(*copy, "mass", 0), to->mass, bytes);
    return MYR_OK;
}

/* Potential energy. The sums over sources do not depend on the number of threads, and the sum over targets is in
 * order. */
static myr_status motion_potential(const myr_model_arrays *to, double gravity, double *energy)
{
    myr_particles *copy = NULL;
    myr_interaction *f = NULL;
    myr_status status = motion_copy(to, &copy);
    if (!status)
        status = myr_interaction_create(to->context, "gravity_potential", &f);
    if (!status)
        status = myr_interaction_choose(f, "arithmetic", "double");
    if (!status)
        status = myr_interaction_set(f, "G", gravity);
    if (!status)
        status = myr_interaction_evaluate(f, copy, copy);
    const double *potential = status ? NULL : myr_particles_component_const(copy, "potential", 0);
    *energy = 0;
    for (int64_t i = 0; potential && i < to->n; i++)
        *energy += 0.5 * to->mass[i] * potential[i];
    myr_interaction_destroy(&f);
    myr_particles_destroy(&copy);
    return status;
}

static myr_status motion_virial(const myr_model_arrays *to, double ratio, double potential)
{
    const double kinetic = motion_kinetic(to);
    if (ratio > 0 && !(kinetic > 0))
        return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                "the virial ratio cannot be %g: all velocities are zero, and scaling keeps them so",
                                ratio);
    if (ratio > 0)
        motion_scale(to->n, to->velocity, sqrt(0.5 * ratio * -potential / kinetic));
    else
        motion_scale(to->n, to->velocity, 0);
    return MYR_OK;
}

static myr_status motion_standard(const myr_model_spec *spec, const myr_model_arrays *to, double gravity,
                                  double potential)
{
    double mass = 0;
    for (int64_t i = 0; i < to->n; i++)
        mass += to->mass[i];
    const double wanted = -gravity * mass * mass / (4 * myr_model_spec_get(spec, "length_scale"));
    const double factor = (motion_kinetic(to) + potential) / wanted;
    if (!(factor > 0))
        return myr_context_fail(to->context, MYR_ERROR_VALUE,
                                "units cannot be exact: the energy is not negative, so no scale makes it %g", wanted);
    motion_scale(to->n, to->position, factor);
    motion_scale(to->n, to->velocity, 1 / sqrt(factor));
    return MYR_OK;
}

myr_status myr_motion_apply(const myr_model_spec *spec, const myr_model_arrays *to)
{
    const double ratio = myr_model_spec_get(spec, "virial_ratio"), gravity = myr_model_spec_get(spec, "G");
    const double reverse = myr_model_spec_get(spec, "reverse"), spin = myr_model_spec_get(spec, "spin");
    const int exact = strcmp(myr_model_spec_chosen(spec, "standard_units"), "exact") == 0;
    double potential = 0;
    myr_status status = MYR_OK;
    if (reverse > 0)
        motion_reverse(to, reverse);
    if (to->n > 1 && (ratio > 0 || exact))
        status = motion_potential(to, gravity, &potential);
    if (!status && ratio >= 0)
        status = motion_virial(to, ratio, potential);
    if (!status && spin != 0)
        motion_spin(to, spin);
    if (!status && exact)
        status = motion_standard(spec, to, gravity, potential);
    return status;
}
