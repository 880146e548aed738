/* model.c - table of initial conditions, and random draws that models share. */
#include "model/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <myriad/kernel.h>

#include "core/context.h"
#include "core/random.h"
#include "model/fields.h"

static const myr_model_kind *const kinds[] = {
#define MYR_MODEL(name) &myr_##name##_model,
#include "model/models.def"
#undef MYR_MODEL
};

enum { MODELS = sizeof kinds / sizeof kinds[0] };

const myr_model_kind *myr_model_kind_at(int k)
{
    return k >= 0 && k < MODELS ? kinds[k] : NULL;
}

const myr_choice_info *myr_model(int k)
{
    return k >= 0 && k < MODELS ? &kinds[k]->info : NULL;
}

int64_t myr_model_bodies(int k)
{
    return k >= 0 && k < MODELS ? kinds[k]->usual : 0;
}

int myr_model_find(const char *name)
{
    for (int k = 0; name && k < MODELS; k++)
        if (strcmp(kinds[k]->info.name, name) == 0)
            return k;
    return -1;
}

void myr_model_direction(uint64_t seed, uint32_t stream, uint64_t id, double unit[3])
{
    double u[2];
    myr_random_uniform(seed, stream, id, 0, u);
    const double z = 2 * u[0] - 1, angle = 2 * MYR_PI * u[1], across = sqrt(1 - z * z);
    unit[0] = across * cos(angle);
    unit[1] = across * sin(angle);
    unit[2] = z;
}

/* Box and Muller 1958. */
void myr_model_normal(uint64_t seed, uint32_t stream, uint64_t id, double value[3])
{
    double u[4];
    myr_random_uniform(seed, stream, id, 0, u);
    myr_random_uniform(seed, stream, id, 1, u + 2);
    const double r = sqrt(-2 * log(u[0])), angle = 2 * MYR_PI * u[1];
    value[0] = r * cos(angle);
    value[1] = r * sin(angle);
    value[2] = sqrt(-2 * log(u[2])) * cos(2 * MYR_PI * u[3]);
}

myr_status myr_model_create(myr_context *context, const char *model, int64_t n, uint64_t seed,
                            myr_particles **particles)
{
    if (!context || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    myr_model_spec *spec = NULL;
    myr_status status = myr_model_spec_create(context, model, &spec);
    if (!status)
        status = myr_model_spec_make(spec, n, seed, particles);
    myr_model_spec_destroy(&spec);
    return status;
}

myr_status myr_model_fill(myr_particles *particles, const char *kernel, int types, uint64_t seed)
{
    if (!particles)
        return MYR_ERROR_ARGUMENT;
    myr_context *context = myr_particles_context(particles);
    const myr_kernel_info *k = myr_kernel_known(context, kernel);
    if (!k)
        return myr_context_fail(context, MYR_ERROR_NAME, "there is no kernel '%s'", kernel ? kernel : "(null)");
    if (types < 1)
        return myr_context_fail(context, MYR_ERROR_VALUE, "%d types asked for; give 1 or more", types);
    myr_status status = myr_fields_fill(particles, k->position, k->position_components, seed);
    for (const myr_field_info *f = k->target; !status && f->name; f++)
        status = myr_fields_fill(particles, f->name, f->components, seed);
    for (const myr_field_info *f = k->source; !status && f->name; f++)
        status = myr_fields_fill(particles, f->name, f->components, seed);
    if (!status && k->pair[0])
        status = myr_fields_deal_types(particles, types, seed);
    return status;
}
