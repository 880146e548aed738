/* sample.c - selection of the particles with the smallest hashes, in one pass and with memory for the selection
 * only. */
#include "io/sample.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/random.h"

/* Mixes the bits of an id, so that the selection does not depend on the numbering. */
static uint64_t sample_mix(uint64_t x)
{
    return myr_random_spread(x + 0x9e3779b97f4a7c15u);
}

static int sample_below(const myr_sample_entry *a, const myr_sample_entry *b)
{
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

int myr_sample_open(myr_sample *sample, int64_t most)
{
    *sample = (myr_sample){.most = most};
    sample->entry = malloc(((size_t)most + 1) * sizeof *sample->entry);
    return sample->entry != NULL;
}

void myr_sample_close(myr_sample *sample)
{
    free(sample->entry);
    *sample = (myr_sample){0};
}

/* Restores the heap after a change of its root; entry k has the children 2 k + 1 and 2 k + 2. */
static void sample_sink(myr_sample *s)
{
    const myr_sample_entry moved = s->entry[0];
    int64_t k = 0;
    for (int64_t child; (child = 2 * k + 1) < s->count; k = child) {
        if (child + 1 < s->count && sample_below(&s->entry[child], &s->entry[child + 1]))
            child++;
        if (!sample_below(&moved, &s->entry[child]))
            break;
        s->entry[k] = s->entry[child];
    }
    s->entry[k] = moved;
}

void myr_sample_add(myr_sample *sample, int64_t id, int64_t row)
{
    myr_sample *s = sample;
    const myr_sample_entry added = {sample_mix((uint64_t)id), id, row};
    if (s->count == s->most) {
        if (s->most == 0 || !sample_below(&added, &s->entry[0]))
            return;
        s->entry[0] = added;
        sample_sink(s);
        return;
    }
    int64_t k = s->count++;
    for (; k > 0 && sample_below(&s->entry[(k - 1) / 2], &added); k = (k - 1) / 2)
        s->entry[k] = s->entry[(k - 1) / 2];
    s->entry[k] = added;
}

static int sample_compare_rows(const void *a, const void *b)
{
    const myr_sample_entry *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

void myr_sample_sort(myr_sample *sample)
{
    qsort(sample->entry, (size_t)sample->count, sizeof *sample->entry, sample_compare_rows);
}

/* Copies the selected rows of a set. */
static myr_status sample_copy(const myr_particles *from, const myr_sample *s, int64_t *ids, int32_t *types,
                              myr_particles *to)
{
    for (int64_t i = 0; i < s->count; i++) {
        ids[i] = s->entry[i].id;
        types[i] = myr_particles_types(from)[s->entry[i].row];
    }
    myr_status status = myr_particles_set_ids(to, ids);
    if (!status)
        status = myr_particles_set_types(to, types);
    for (int k = 0; k < myr_particles_fields(from) && !status; k++) {
        const char *name = myr_particles_field_name(from, k);
        const int components = myr_particles_field_components(from, k);
        status = myr_particles_add_field(to, name, components);
        for (int c = 0; c < components && !status; c++)
            for (int64_t i = 0; i < s->count; i++)
                myr_particles_component(to, name, c)[i] = myr_particles_component_const(from, name, c)[s->entry[i].row];
    }
    return status;
}

myr_status myr_sample_thin(myr_particles **particles, int64_t most)
{
    const int64_t n = myr_particles_count(*particles);
    myr_context *context = myr_particles_context(*particles);
    myr_particles *few = NULL;
    myr_sample s;
    if (n <= most)
        return MYR_OK;
    const int has_room = myr_sample_open(&s, most);
    int64_t *ids = malloc(((size_t)most + 1) * sizeof *ids);
    int32_t *types = malloc(((size_t)most + 1) * sizeof *types);
    myr_status status = has_room && ids && types
                            ? myr_particles_create(context, most, &few)
                            : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld particles of %lld",
                                               (long long)most, (long long)n);
    for (int64_t i = 0; i < n && !status; i++)
        myr_sample_add(&s, myr_particles_ids(*particles)[i], i);
    if (!status) {
        myr_sample_sort(&s);
        status = sample_copy(*particles, &s, ids, types, few);
    }
    free(types);
    free(ids);
    myr_sample_close(&s);
    myr_particles_destroy(status ? &few : particles);
    if (!status)
        *particles = few;
    return status;
}
