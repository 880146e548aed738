/* model_make.c - creates the particles of a model from its description.
 *
 * The model places systems: single stars, or pairs represented by their centre of mass. Scales, centring and motion act
 * on systems, so that a hard binary does not affect the virial ratio; pairs are split last. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "model/model.h"

/* Adds the fields of every model and sets the array pointers. */
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

/* Places n systems, and applies units, centring and motion. */
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

/* As make_systems, for systems some of which are pairs, which are then split. */
static myr_status make_pairs(const myr_model_spec *spec, double drawn, int64_t pairs, const myr_model_arrays *stars)
{
    myr_model_arrays to = *stars;
    to.n = to.all = stars->n - pairs;
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

static myr_status make_all(const myr_model_spec *spec, myr_model_arrays *to)
{
    const int64_t n = to->n;
    myr_status status = make_arrays(to->particles, to);
    if (!status && spec->kind->typed && !(to->type = myr_memory_zeros(n, sizeof *to->type)))
        status = myr_context_fail(spec->context, MYR_ERROR_MEMORY, "no memory for %lld types", (long long)n);
    if (status)
        return status;
    const double drawn = spec->kind->with & MYR_WITH_MASSES ? myr_masses_draw(spec, to) : 1;
    const int64_t pairs = spec->kind->with & MYR_WITH_BINARIES ? myr_binaries_count(spec, n) : 0;
    status = pairs ? make_pairs(spec, drawn, pairs, to) : make_systems(spec, drawn, to);
    if (!status && to->type)
        status = myr_particles_set_types(to->particles, to->type);
    free(to->type);
    return status;
}

/* Fails if a value is not finite, because parameters were too large or too small for the formulas of the model. */
static myr_status make_check(const myr_model_spec *spec, const myr_model_arrays *to)
{
    static const char *const field[] = {"position", "velocity", "mass"};
    for (int f = 0; f < 3; f++)
        for (int c = 0; c < (f < 2 ? 3 : 1); c++) {
            const double *x = myr_particles_component_const(to->particles, field[f], c);
            for (int64_t i = 0; i < to->n; i++)
                if (!isfinite(x[i]))
                    return myr_context_fail(spec->context, MYR_ERROR_NONFINITE,
                                            "%s of particle %lld is not finite: parameters of model '%s' are too large "
                                            "or too small",
                                            field[f], (long long)to->first + i, spec->kind->info.name);
        }
    return MYR_OK;
}

/* Total number of particles; some models have a default or a fixed number. */
static myr_status make_count(const myr_model_spec *spec, int64_t n, int64_t *all)
{
    const myr_model_kind *kind = spec->kind;
    *all = n = n == 0 ? kind->usual : n;
    if (!kind->most || (n >= kind->least && n <= kind->most))
        return MYR_OK;
    return myr_context_fail(spec->context, MYR_ERROR_VALUE, "model '%s' has %s%lld bodies, not %lld", kind->info.name,
                            kind->least < kind->most ? "up to " : "", (long long)kind->most, (long long)n);
}

/* Makes the rows [first, first + n) that `to` asks for. */
static myr_status make_rows(const myr_model_spec *spec, myr_model_arrays *to, myr_particles **particles)
{
    to->value = spec->value;
    to->spec = spec;
    to->context = spec->context;
    myr_status status = myr_particles_create(spec->context, to->n, &to->particles);
    if (!status)
        status = make_all(spec, to);
    if (!status)
        status = make_check(spec, to);
    for (int64_t i = 0; spec->kind->name && i < to->n && !status; i++)
        status = myr_particles_set_name(to->particles, i, spec->kind->name(to->first + i));
    if (status)
        myr_particles_destroy(&to->particles);
    *particles = to->particles;
    return status;
}

myr_status myr_model_spec_make(const myr_model_spec *spec, int64_t n, uint64_t seed, myr_particles **particles)
{
    if (!spec || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    myr_model_arrays to = {.seed = seed};
    const myr_status status = make_count(spec, n, &to.all);
    to.n = to.all;
    return status ? status : make_rows(spec, &to, particles);
}

/* --- rows of a model, for ranks ----------------------------------------------------------------------------------- */

int myr_model_spec_in_rows(const myr_model_spec *spec)
{
    return spec && spec->kind->in_rows && !(myr_model_spec_get(spec, "centre") > 0) && spec->kind->in_rows(spec);
}

static myr_status rows_number(myr_particles *p, int64_t first)
{
    const int64_t n = myr_particles_count(p);
    int64_t *id = myr_memory_zeros(n, sizeof *id);
    if (!id)
        return myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY, "no memory for %lld ids", (long long)n);
    for (int64_t i = 0; i < n; i++)
        id[i] = first + i;
    const myr_status status = myr_particles_set_ids(p, id);
    free(id);
    return status;
}

/* Copies rows from `first` on of a set with all particles. */
static myr_status rows_copy(const myr_particles *all, int64_t first, myr_particles *to)
{
    const size_t bytes = (size_t)myr_particles_count(to) * sizeof(double);
    myr_status status = myr_particles_set_types(to, myr_particles_types(all) + first);
    for (int k = 0; k < myr_particles_fields(all) && !status; k++) {
        const char *name = myr_particles_field_name(all, k);
        const int components = myr_particles_field_components(all, k);
        status = myr_particles_add_field(to, name, components);
        for (int c = 0; c < components && !status && bytes; c++)
            memcpy(myr_particles_component(to, name, c), myr_particles_component_const(all, name, c) + first, bytes);
    }
    return status;
}

myr_status myr_model_spec_make_rows(const myr_model_spec *spec, int64_t n, uint64_t seed, int64_t first, int64_t last,
                                    myr_particles **particles)
{
    myr_particles *whole = NULL;
    if (!spec || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    int64_t all;
    myr_status status = make_count(spec, n, &all);
    if (status)
        return status;
    if (first < 0 || last < first || last > all)
        return myr_context_fail(spec->context, MYR_ERROR_VALUE, "rows %lld to %lld of %lld particles", (long long)first,
                                (long long)last, (long long)all);
    const int64_t count = last - first;
    myr_model_arrays to = {.n = count, .first = first, .all = all, .shared = 1, .seed = seed};
    if (myr_model_spec_in_rows(spec))
        status = make_rows(spec, &to, particles);
    else {
        status = myr_model_spec_make(spec, n, seed, &whole);
        if (!status)
            status = myr_particles_create(spec->context, count, particles);
        if (!status)
            status = rows_copy(whole, first, *particles);
        myr_particles_destroy(&whole);
    }
    if (!status)
        status = rows_number(*particles, first);
    if (status)
        myr_particles_destroy(particles);
    return status;
}
