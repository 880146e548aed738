/* model_make.c - from the description of a model to its particles.
 *
 * The model places systems: stars, or pairs of stars seen as one. Scales, centring and motion act on systems, so that a
 * hard pair does not count in the virial ratio; the pairs are split last. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "model/model.h"

/* Adds the fields that every model has and points at them. */
static myr_status make_arrays(myr_particles *p, myr_model_arrays *to)
{
    myr_status status = myr_particles_add_field(p, "position", 3);
    if (!status)
        status = myr_particles_add_field(p, "velocity", 3);
    if (!status)
        status = myr_particles_add_field(p, "mass", 1);
    if (status)
        return status;
    for (int c = 0; c < 3; c++) {
        to->position[c] = myr_particles_component(p, "position", c);
        to->velocity[c] = myr_particles_component(p, "velocity", c);
    }
    to->mass = myr_particles_component(p, "mass", 0);
    return MYR_OK;
}

/* Places n systems and brings them to the units and the motion asked for. */
static myr_status make_systems(const myr_model_spec *spec, double drawn, const myr_model_arrays *to)
{
    myr_status status = spec->kind->place(to);
    if (status)
        return status;
    if (spec->kind->with & MYR_WITH_SCALES) {
        myr_scales_weigh(spec, drawn, to->n, to->mass);
        myr_scales_stretch(spec, drawn, to);
    }
    if (myr_model_spec_get(spec, "centre") > 0)
        myr_centre_apply(to);
    return spec->kind->with & MYR_WITH_MOTION ? myr_motion_apply(spec, to) : MYR_OK;
}

/* The same with pairs among the systems. */
static myr_status make_pairs(const myr_model_spec *spec, double drawn, int64_t pairs, const myr_model_arrays *stars)
{
    myr_model_arrays to = *stars;
    to.n = stars->n - pairs;
    to.mass = myr_memory_zeros(to.n, sizeof *to.mass);
    if (!to.mass)
        return myr_context_fail(spec->context, MYR_ERROR_MEMORY, "no memory for pairs of stars");
    for (int64_t s = 0; s < to.n; s++)
        to.mass[s] = s < pairs ? stars->mass[2 * s] + stars->mass[2 * s + 1] : stars->mass[s + pairs];
    const myr_status status = make_systems(spec, drawn, &to);
    free(to.mass);
    if (status)
        return status;
    myr_scales_weigh(spec, drawn, stars->n, stars->mass);
    myr_binaries_split(spec, stars, pairs);
    return MYR_OK;
}

static myr_status make_all(const myr_model_spec *spec, uint64_t seed, myr_particles *particles)
{
    const int64_t n = myr_particles_count(particles);
    myr_model_arrays to = {
        .n = n, .seed = seed, .value = spec->value, .particles = particles, .spec = spec, .context = spec->context};
    myr_status status = make_arrays(particles, &to);
    if (!status && spec->kind->typed && !(to.type = myr_memory_zeros(n, sizeof *to.type)))
        status = myr_context_fail(spec->context, MYR_ERROR_MEMORY, "no memory for %lld types", (long long)n);
    if (status)
        return status;
    const double drawn = spec->kind->with & MYR_WITH_MASSES ? myr_masses_draw(spec, seed, n, to.mass) : 1;
    const int64_t pairs = spec->kind->with & MYR_WITH_BINARIES ? myr_binaries_count(spec, n) : 0;
    status = pairs ? make_pairs(spec, drawn, pairs, &to) : make_systems(spec, drawn, &to);
    if (!status && to.type)
        status = myr_particles_set_types(particles, to.type);
    free(to.type);
    return status;
}

/* Values so large or small that the formulas have no result are found here, whatever the model. */
static myr_status make_check(const myr_model_spec *spec, const myr_particles *particles)
{
    static const char *const field[] = {"position", "velocity", "mass"};
    for (int f = 0; f < 3; f++)
        for (int c = 0; c < (f < 2 ? 3 : 1); c++) {
            const double *x = myr_particles_component_const(particles, field[f], c);
            for (int64_t i = 0; i < myr_particles_count(particles); i++)
                if (!isfinite(x[i]))
                    return myr_context_fail(spec->context, MYR_ERROR_NONFINITE,
                                            "%s of particle %lld is not finite: parameters of model '%s' are too large "
                                            "or too small",
                                            field[f], (long long)i, spec->kind->info.name);
        }
    return MYR_OK;
}

myr_status myr_model_spec_make(const myr_model_spec *spec, int64_t n, uint64_t seed, myr_particles **particles)
{
    if (!spec || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    const myr_model_kind *kind = spec->kind;
    if (n == 0)
        n = kind->usual;
    if (kind->most && (n < kind->least || n > kind->most))
        return myr_context_fail(spec->context, MYR_ERROR_VALUE, "model '%s' has %s%lld bodies, not %lld",
                                kind->info.name, kind->least < kind->most ? "up to " : "", (long long)kind->most,
                                (long long)n);
    myr_particles *made = NULL;
    myr_status status = myr_particles_create(spec->context, n, &made);
    if (!status)
        status = make_all(spec, seed, made);
    if (!status)
        status = make_check(spec, made);
    if (status) {
        myr_particles_destroy(&made);
        return status;
    }
    *particles = made;
    return MYR_OK;
}
