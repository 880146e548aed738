/* fields.c - plausible values for fields that kernels read, one table line per field.
 *
 * Lengths scale with the mean spacing of the particles, so that smoothing lengths and core radii cover a few neighbours
 * in any unit system. A value depends on the seed, the field name and the particle id alone. */
#include "model/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "core/random.h"
#include "model/model.h"

enum { FIELD_COMPONENTS_MAX = 16 };

/* Input of a random draw. */
typedef struct {
    uint64_t seed, id;
    uint32_t stream;
    double n;
    double spacing; /* mean distance of neighbours in the inner half of the set */
} fields_draw;

/* Uniform random number in (0, 1) for component c. */
static double fields_uniform(const fields_draw *d, int c)
{
    double u[2];
    myr_random_uniform(d->seed, d->stream, d->id, (uint32_t)(c / 2), u);
    return u[c % 2];
}

static double fields_value(const fields_draw *d, int c)
{
    return fields_uniform(d, c);
}

static double fields_positive(const fields_draw *d, int c)
{
    return 0.5 + fields_uniform(d, c);
}

static double fields_signed(const fields_draw *d, int c)
{
    return 2 * fields_uniform(d, c) - 1;
}

static double fields_mass(const fields_draw *d, int c)
{
    (void)c;
    return 1 / d->n;
}

/* Charges +1 and -1: ids 2 k and 2 k + 1 share a random number and have opposite signs, so that an even number of
 * particles is neutral. */
static double fields_charge(const fields_draw *d, int c)
{
    fields_draw pair = *d;
    pair.id = d->id / 2;
    return (fields_uniform(&pair, c) < 0.5) == (d->id % 2 == 0) ? 1 : -1;
}

static double fields_strength(const fields_draw *d, int c)
{
    return fields_signed(d, c) / d->n;
}

static double fields_near(const fields_draw *d, int c)
{
    return 0.9 + 0.2 * fields_uniform(d, c);
}

static double fields_core(const fields_draw *d, int c)
{
    return 2 * d->spacing * fields_near(d, c);
}

static double fields_smoothing(const fields_draw *d, int c)
{
    return 1.3 * d->spacing * fields_near(d, c);
}

/* Radii of atoms for generalised Born: spheres of neighbours overlap. */
static double fields_radius(const fields_draw *d, int c)
{
    return 0.6 * d->spacing * fields_near(d, c);
}

static double fields_screened(const fields_draw *d, int c)
{
    return 0.5 * d->spacing * fields_near(d, c);
}

static double fields_density(const fields_draw *d, int c)
{
    return fields_near(d, c) / (d->n * d->spacing * d->spacing * d->spacing);
}

static double fields_area(const fields_draw *d, int c)
{
    return d->spacing * d->spacing * fields_near(d, c);
}

static double fields_normal(const fields_draw *d, int c)
{
    double unit[3];
    myr_model_direction(d->seed, d->stream, d->id, unit);
    return c < 3 ? unit[c] : 0;
}

/* 1 if a particle belongs to sample a, 0 if to sample b. */
static double fields_in_a(const fields_draw *d, int c)
{
    fields_draw both = *d;
    both.stream = 0;
    return fields_uniform(&both, c) < 0.5;
}

static double fields_in_b(const fields_draw *d, int c)
{
    return 1 - fields_in_a(d, c);
}

static const struct {
    const char *name;
    double (*draw)(const fields_draw *d, int c);
} fields_table[] = {
    {"position", fields_signed},
    {"value", fields_value},
    {"velocity", fields_signed},
    {"mass", fields_mass},
    {"charge", fields_charge},
    {"strength", fields_strength},
    {"core", fields_core},
    {"smoothing_length", fields_smoothing},
    {"density", fields_density},
    {"pressure", fields_positive},
    {"sound_speed", fields_positive},
    {"amplitude", fields_positive},
    {"phase", fields_value}, /* in turns (units of 2 pi) */
    {"area", fields_area},
    {"normal", fields_normal},
    {"gb_radius", fields_radius},
    {"gb_screened", fields_screened},
    {"gb_weight", fields_signed},
    {"born_radius", fields_core},
    {"weight_a", fields_in_a},
    {"weight_b", fields_in_b},
};

/* FNV-1a hash of the name: each field has its own random stream. */
static uint32_t fields_stream(const char *name)
{
    uint32_t h = 0x811c9dc5u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x01000193u;
    return h | 0x80000000u; /* outside the range of the streams of model.h */
}

static int fields_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean spacing: the cube root of the volume per particle of a ball that contains the half of the particles nearest to
 * the mean position. Unlike a bounding box, the ball does not depend on the outermost particle. 1 if the particles have
 * no extent. */
static myr_status fields_spacing(const myr_particles *p, double *spacing)
{
    const int64_t n = myr_particles_count(p);
    const double *x[3];
    *spacing = 1;
    for (int c = 0; c < 3; c++)
        if (!(x[c] = myr_particles_component_const(p, "position", c)))
            return MYR_OK;
    if (n < 2)
        return MYR_OK;
    double *r2 = myr_memory_zeros(n, sizeof *r2);
    if (!r2)
        return myr_context_fail(myr_particles_context(p), MYR_ERROR_MEMORY, "no memory to find the mean spacing");
    for (int c = 0; c < 3; c++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += x[c][i] / (double)n;
        for (int64_t i = 0; i < n; i++)
            r2[i] += (x[c][i] - mean) * (x[c][i] - mean);
    }
    qsort(r2, (size_t)n, sizeof *r2, fields_compare);
    const double r = sqrt(r2[n / 2]);
    if (r > 0 && isfinite(r))
        *spacing = r * cbrt(4 * acos(-1.0) / 3 / (0.5 * (double)n));
    free(r2);
    return MYR_OK;
}

myr_status myr_fields_fill(myr_particles *particles, const char *name, int components, uint64_t seed)
{
    if (myr_particles_component_const(particles, name, 0))
        /* only checks the number of components of an existing field */
        return myr_particles_add_field(particles, name, components);
    fields_draw d = {.seed = seed, .stream = fields_stream(name), .n = (double)myr_particles_count(particles)};
    double (*draw)(const fields_draw *d, int c) = fields_positive;
    for (size_t k = 0; k < sizeof fields_table / sizeof fields_table[0]; k++)
        if (strcmp(fields_table[k].name, name) == 0)
            draw = fields_table[k].draw;
    myr_status status = fields_spacing(particles, &d.spacing);
    if (!status)
        status = myr_particles_add_field(particles, name, components);
    if (status)
        return status;
    for (int c = 0; c < components && c < FIELD_COMPONENTS_MAX; c++) {
        double *to = myr_particles_component(particles, name, c);
        for (int64_t i = 0; i < myr_particles_count(particles); i++) {
            d.id = (uint64_t)myr_particles_ids(particles)[i];
            to[i] = draw(&d, c);
        }
    }
    return MYR_OK;
}

myr_status myr_fields_deal_types(myr_particles *particles, int types, uint64_t seed)
{
    const int64_t n = myr_particles_count(particles);
    const int32_t *now = myr_particles_types(particles);
    for (int64_t i = 0; i < n; i++)
        if (now[i] != 0)
            return MYR_OK;
    int32_t *dealt = myr_memory_zeros(n, sizeof *dealt);
    if (!dealt)
        return myr_context_fail(myr_particles_context(particles), MYR_ERROR_MEMORY, "no memory to deal types");
    for (int64_t i = 0; i < n; i++) {
        uint32_t word[4];
        myr_random_words(seed, fields_stream("type"), (uint64_t)myr_particles_ids(particles)[i], 0, word);
        dealt[i] = (int32_t)((uint64_t)word[0] * (uint64_t)types >> 32);
    }
    const myr_status status = myr_particles_set_types(particles, dealt);
    free(dealt);
    return status;
}
