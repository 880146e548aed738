/* model.c - initial conditions by name. */
#include "model/model.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/random.h"
#include "model/fields.h"

static const struct {
    myr_choice_info info;
    void (*place)(const myr_model_arrays *to);
} models[] = {
#define MYR_MODEL(name, text) {{#name, text, 1}, myr_##name##_place},
#include "model/models.def"
#undef MYR_MODEL
};

enum { MODELS = sizeof models / sizeof models[0] };

const myr_choice_info *myr_model(int k)
{
    return k >= 0 && k < MODELS ? &models[k].info : NULL;
}

static const char *model_name(int k)
{
    return k < MODELS ? models[k].info.name : NULL;
}

void myr_model_direction(uint64_t seed, uint32_t stream, uint64_t id, double unit[3])
{
    double u[2];
    myr_random_uniform(seed, stream, id, 0, u);
    const double z = 2 * u[0] - 1, angle = 2 * acos(-1.0) * u[1], across = sqrt(1 - z * z);
    unit[0] = across * cos(angle);
    unit[1] = across * sin(angle);
    unit[2] = z;
}

/* Adds the fields that every model has and points at them. */
static myr_status model_arrays(myr_particles *p, myr_model_arrays *to)
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

myr_status myr_model_create(myr_context *context, const char *model, int64_t n, uint64_t seed,
                            myr_particles **particles)
{
    if (!context || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    int k = 0;
    while (k < MODELS && model && strcmp(models[k].info.name, model) != 0)
        k++;
    if (!model || k == MODELS) {
        const char *near = myr_nearest(model, model_name);
        return myr_context_fail(context, MYR_ERROR_NAME, "there is no model '%s'%s%s%s", model ? model : "(null)",
                                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    myr_particles *made = NULL;
    myr_model_arrays to = {.n = n, .seed = seed};
    myr_status status = myr_particles_create(context, n, &made);
    if (!status)
        status = model_arrays(made, &to);
    if (status) {
        myr_particles_destroy(&made);
        return status;
    }
    for (int64_t i = 0; i < n; i++)
        to.mass[i] = 1 / (double)n;
    models[k].place(&to);
    *particles = made;
    return MYR_OK;
}

myr_status myr_model_fill(myr_particles *particles, const char *kernel, int types, uint64_t seed)
{
    if (!particles)
        return MYR_ERROR_ARGUMENT;
    myr_context *context = myr_particles_context(particles);
    const myr_kernel_info *k = kernel ? myr_kernel_find(kernel) : NULL;
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
