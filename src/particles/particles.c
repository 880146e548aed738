/* particles.c - particle set: named fields of doubles, ids and types. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "particles/particles.h"

enum { MYR_FIELDS_MAX = 64, MYR_FIELD_COMPONENTS_MAX = 16, MYR_FIELD_NAME_MAX = 63 };

typedef struct {
    char name[MYR_FIELD_NAME_MAX + 1];
    int components;
    double *values; /* [components][stride], see myr_particles.stride */
} particles_field;

struct myr_particles {
    myr_context *context;
    int64_t n;
    int64_t stride; /* doubles from one component to the next: n rounded up to the alignment */
    int fields;
    particles_field field[MYR_FIELDS_MAX];
    int64_t *ids;
    int32_t *types;
    char **names; /* [n], null where a particle has no name; null = no particle has one */
};

myr_status myr_particles_create(myr_context *context, int64_t n, myr_particles **particles)
{
    if (!context || !particles)
        return MYR_ERROR_ARGUMENT;
    *particles = NULL;
    if (n < 0)
        return myr_context_fail(context, MYR_ERROR_VALUE, "a set cannot have %lld particles; give 0 or more",
                                (long long)n);
    myr_particles *p = calloc(1, sizeof *p);
    if (p) {
        p->context = context;
        p->n = n;
        p->ids = myr_memory_zeros(n, sizeof *p->ids);
        p->types = myr_memory_zeros(n, sizeof *p->types);
    }
    if (!p || !p->ids || !p->types) {
        myr_particles_destroy(&p);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)n);
    }
    p->stride = (n + 7) / 8 * 8;
    for (int64_t i = 0; i < n; i++)
        p->ids[i] = i;
    *particles = p;
    return MYR_OK;
}

void myr_particles_destroy(myr_particles **particles)
{
    if (!particles || !*particles)
        return;
    for (int k = 0; k < (*particles)->fields; k++)
        free((*particles)->field[k].values);
    free((*particles)->ids);
    free((*particles)->types);
    for (int64_t i = 0; (*particles)->names && i < (*particles)->n; i++)
        free((*particles)->names[i]);
    free((*particles)->names);
    free(*particles);
    *particles = NULL;
}

int64_t myr_particles_count(const myr_particles *particles)
{
    return particles ? particles->n : 0;
}

myr_context *myr_particles_context(const myr_particles *particles)
{
    return particles ? particles->context : NULL;
}

static const particles_field *particles_find(const myr_particles *p, const char *name)
{
    if (p && name)
        for (int k = 0; k < p->fields; k++)
            if (strcmp(p->field[k].name, name) == 0)
                return &p->field[k];
    return NULL;
}

myr_status myr_particles_add_field(myr_particles *particles, const char *name, int components)
{
    if (!particles)
        return MYR_ERROR_ARGUMENT;
    myr_particles *p = particles;
    if (!name || !*name || strlen(name) > MYR_FIELD_NAME_MAX)
        return myr_context_fail(p->context, MYR_ERROR_ARGUMENT, "a field needs a name of 1 to %d characters",
                                MYR_FIELD_NAME_MAX);
    if (components < 1 || components > MYR_FIELD_COMPONENTS_MAX)
        return myr_context_fail(p->context, MYR_ERROR_VALUE, "field '%s' cannot have %d components; give 1 to %d", name,
                                components, MYR_FIELD_COMPONENTS_MAX);
    const particles_field *there = particles_find(p, name);
    if (there && there->components == components)
        return MYR_OK;
    if (there)
        return myr_context_fail(p->context, MYR_ERROR_FIELD, "field '%s' is there already with %d component%s, not %d",
                                name, there->components, myr_plural(there->components), components);
    if (p->fields == MYR_FIELDS_MAX)
        return myr_context_fail(p->context, MYR_ERROR_VALUE, "no room for field '%s': a set has at most %d fields",
                                name, MYR_FIELDS_MAX);
    particles_field *f = &p->field[p->fields];
    f->values = myr_memory_zeros(p->stride * components, sizeof *f->values);
    if (!f->values)
        return myr_context_fail(p->context, MYR_ERROR_MEMORY, "no memory for field '%s' of %lld particles", name,
                                (long long)p->n);
    strcpy(f->name, name);
    f->components = components;
    p->fields++;
    return MYR_OK;
}

int myr_particles_fields(const myr_particles *particles)
{
    return particles ? particles->fields : 0;
}

const char *myr_particles_field_name(const myr_particles *particles, int k)
{
    return particles && k >= 0 && k < particles->fields ? particles->field[k].name : NULL;
}

int myr_particles_field_components(const myr_particles *particles, int k)
{
    return particles && k >= 0 && k < particles->fields ? particles->field[k].components : 0;
}

const double *myr_particles_component_const(const myr_particles *particles, const char *name, int component)
{
    const particles_field *f = particles_find(particles, name);
    return f && component >= 0 && component < f->components ? f->values + component * particles->stride : NULL;
}

double *myr_particles_component(myr_particles *particles, const char *name, int component)
{
    const particles_field *f = particles_find(particles, name);
    return f && component >= 0 && component < f->components ? f->values + component * particles->stride : NULL;
}

myr_status myr_particles_set(myr_particles *particles, const char *name, int components, const double *values)
{
    if (!particles || (!values && particles->n > 0))
        return MYR_ERROR_ARGUMENT;
    const myr_status status = myr_particles_add_field(particles, name, components);
    if (status)
        return status;
    for (int c = 0; c < components; c++) {
        double *to = myr_particles_component(particles, name, c);
        for (int64_t i = 0; i < particles->n; i++)
            memcpy(&to[i], (const char *)values + (size_t)(i * components + c) * sizeof *to, sizeof *to);
    }
    return MYR_OK;
}

myr_status myr_particles_get(const myr_particles *particles, const char *name, double *values)
{
    if (!particles || (!values && particles->n > 0))
        return MYR_ERROR_ARGUMENT;
    const particles_field *f = particles_find(particles, name);
    if (!f)
        return myr_context_fail(particles->context, MYR_ERROR_FIELD, "there is no field '%s'", name ? name : "(null)");
    for (int c = 0; c < f->components; c++)
        for (int64_t i = 0; i < particles->n; i++)
            memcpy((char *)values + (size_t)(i * f->components + c) * sizeof *values,
                   &f->values[c * particles->stride + i], sizeof *values);
    return MYR_OK;
}

const int64_t *myr_particles_ids(const myr_particles *particles)
{
    return particles ? particles->ids : NULL;
}

const int32_t *myr_particles_types(const myr_particles *particles)
{
    return particles ? particles->types : NULL;
}

static int particles_compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

myr_status myr_particles_set_ids(myr_particles *particles, const int64_t *ids)
{
    if (!particles || (!ids && particles->n > 0))
        return MYR_ERROR_ARGUMENT;
    const size_t n = (size_t)particles->n;
    int64_t *sorted = myr_memory_zeros(particles->n, sizeof *sorted);
    if (!sorted)
        return myr_context_fail(particles->context, MYR_ERROR_MEMORY, "no memory to check %zu ids", n);
    if (n)
        memcpy(sorted, ids, n * sizeof *ids);
    qsort(sorted, n, sizeof *sorted, particles_compare_ids);
    for (size_t i = 1; i < n; i++) {
        if (sorted[i] != sorted[i - 1])
            continue;
        const long long id = (long long)sorted[i];
        free(sorted);
        return myr_context_fail(particles->context, MYR_ERROR_VALUE, "id %lld is given to more than one particle", id);
    }
    free(sorted);
    if (n)
        memcpy(particles->ids, ids, n * sizeof *ids);
    return MYR_OK;
}

myr_status myr_particles_set_types(myr_particles *particles, const int32_t *types)
{
    if (!particles || (!types && particles->n > 0))
        return MYR_ERROR_ARGUMENT;
    for (int64_t i = 0; i < particles->n; i++)
        if (types[i] < 0)
            return myr_context_fail(particles->context, MYR_ERROR_VALUE,
                                    "particle %lld has type %d; types count from 0", (long long)i, (int)types[i]);
    if (particles->n)
        memcpy(particles->types, types, (size_t)particles->n * sizeof *types);
    return MYR_OK;
}

const char *myr_particles_name(const myr_particles *particles, int64_t i)
{
    return particles && particles->names && i >= 0 && i < particles->n ? particles->names[i] : NULL;
}

myr_status myr_particles_set_name(myr_particles *particles, int64_t i, const char *name)
{
    if (!particles || i < 0 || i >= particles->n)
        return MYR_ERROR_ARGUMENT;
    const size_t length = name ? strlen(name) : 0;
    int wrong = name && (length == 0 || length > MYR_PARTICLES_NAME_MAX);
    for (size_t k = 0; k < length; k++)
        wrong |= (unsigned char)name[k] < ' ' || name[k] == '"' || name[k] == 0x7f;
    if (wrong)
        return myr_context_fail(particles->context, MYR_ERROR_VALUE,
                                "the name of particle %lld cannot be used; give 1 to %d characters without quotes and "
                                "control characters",
                                (long long)i, MYR_PARTICLES_NAME_MAX);
    if (name && !particles->names)
        particles->names = myr_memory_zeros(particles->n, sizeof *particles->names);
    char *copy = name ? strdup(name) : NULL;
    if (name && (!particles->names || !copy)) {
        free(copy);
        return myr_context_fail(particles->context, MYR_ERROR_MEMORY, "no memory for the name of particle %lld",
                                (long long)i);
    }
    if (particles->names) {
        free(particles->names[i]);
        particles->names[i] = copy;
    }
    return MYR_OK;
}

myr_status myr_particles_copy_names(const myr_particles *from, const unsigned char *gone, myr_particles *to)
{
    myr_status status = MYR_OK;
    int64_t k = 0;
    for (int64_t i = 0; i < from->n && !status && (from->names || to->names); i++)
        if (!gone || !gone[i])
            status = myr_particles_set_name(to, k++, myr_particles_name(from, i));
    return status;
}

/* FNV-1a hash over the bytes of each double, least significant byte first. */
myr_status myr_particles_hash(const myr_particles *particles, const char *name, uint64_t *hash)
{
    if (!particles || !hash)
        return MYR_ERROR_ARGUMENT;
    const particles_field *f = particles_find(particles, name);
    if (!f)
        return myr_context_fail(particles->context, MYR_ERROR_FIELD, "there is no field '%s'", name ? name : "(null)");
    uint64_t h = 0xcbf29ce484222325u;
    for (int c = 0; c < f->components; c++)
        for (int64_t i = 0; i < particles->n; i++) {
            uint64_t bits;
            memcpy(&bits, &f->values[c * particles->stride + i], sizeof bits);
            for (int b = 0; b < 64; b += 8)
                h = (h ^ (bits >> b & 0xff)) * 0x100000001b3u;
        }
    *hash = h;
    return MYR_OK;
}
