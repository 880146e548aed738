/* coincident.c - search for coincident particles; see coincident.h. */
#include "interaction/coincident.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double x[3]; /* coordinates as the arithmetic stores them */
    int64_t i;
} coincident_point;

static int coincident_place(const coincident_point *a, const coincident_point *b)
{
    for (int c = 0; c < 3; c++)
        if (a->x[c] != b->x[c])
            return a->x[c] < b->x[c] ? -1 : 1;
    return 0;
}

static int coincident_order(const void *a, const void *b)
{
    const coincident_point *p = a, *q = b;
    const int place = coincident_place(p, q);
    return place ? place : (p->i > q->i) - (p->i < q->i);
}

static int coincident_pair_order(const void *a, const void *b)
{
    const int64_t *p = a, *q = b;
    const int k = p[0] == q[0];
    return (p[k] > q[k]) - (p[k] < q[k]);
}

static double coincident_stored(double x, int float_lanes)
{
    const float high = (float)x, low = (float)(x - (double)high);
    return float_lanes == 0 ? x : (double)high + (float_lanes == 2 ? (double)low : 0);
}

/* Appends the pairs among `size` points at one position to the list, up to its capacity. */
static void coincident_add(const coincident_point *point, int64_t size, int64_t most, int64_t *pair, int64_t *listed)
{
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = a + 1; b < size && *listed < most; b++, ++*listed) {
            pair[2 * *listed] = point[a].i;
            pair[2 * *listed + 1] = point[b].i;
        }
}

myr_status myr_coincident_find(myr_context *context, int64_t n, const double *const x[3], int float_lanes, int64_t most,
                               int64_t *pair, int64_t *count)
{
    int64_t listed = 0;
    *count = 0;
    coincident_point *point = malloc(((size_t)n + 1) * sizeof *point);
    if (!point)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to compare the places of %lld particles",
                                (long long)n);
    for (int64_t i = 0; i < n; i++) {
        point[i].i = i;
        for (int c = 0; c < 3; c++)
            point[i].x[c] = x[c] ? coincident_stored(x[c][i], float_lanes) : 0;
    }
    qsort(point, (size_t)n, sizeof *point, coincident_order);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && coincident_place(&point[i], &point[end]) == 0;)
            end++;
        *count += (end - i) * (end - i - 1) / 2;
        coincident_add(point + i, end - i, most, pair, &listed);
    }
    free(point);
    qsort(pair, (size_t)listed, 2 * sizeof *pair, coincident_pair_order);
    return MYR_OK;
}

myr_status myr_interaction_coincident(const myr_interaction *interaction, const myr_particles *particles, int64_t most,
                                      int64_t *pair, int64_t *count)
{
    const myr_interaction *f = interaction;
    const double *x[3];
    if (!f || !particles || !count || most < 0 || (most && !pair))
        return MYR_ERROR_ARGUMENT;
    const int coords = myr_interaction_desc(f)->coords;
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(particles, coords == 1 ? "value" : "position", c);
    if (!x[0])
        return myr_context_fail(f->context, MYR_ERROR_FIELD, "the particles have no positions to compare");
    const int lanes = f->arithmetic == myr_catalogue_arithmetic("double")   ? 0
                      : f->arithmetic == myr_catalogue_arithmetic("single") ? 1
                                                                            : 2;
    return myr_coincident_find(f->context, myr_particles_count(particles), x, lanes, most, pair, count);
}

/* Appends text such as "0 and 98, 1 and 99 and 3 more pairs". */
static void coincident_list(const int64_t *id, const int64_t *pair, int64_t count, char *text, size_t size)
{
    const int64_t named = count < MYR_COINCIDENT_NAMED ? count : MYR_COINCIDENT_NAMED;
    size_t used = 0;
    for (int64_t k = 0; k < named && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld and %lld", k ? ", " : "", (long long)id[pair[2 * k]],
                                 (long long)id[pair[2 * k + 1]]);
    if (count > named && used < size)
        snprintf(text + used, size - used, ", and %lld more pair%s", (long long)(count - named),
                 myr_plural(count - named));
}

myr_status myr_coincident_fail(const myr_interaction *f, const myr_particles *particles)
{
    int64_t pair[2 * MYR_COINCIDENT_NAMED], count;
    char list[256] = "images of a particle, or a pair nearer than the arithmetic resolves";
    const myr_status status = myr_interaction_coincident(f, particles, MYR_COINCIDENT_NAMED, pair, &count);
    if (status)
        return status;
    coincident_list(myr_particles_ids(particles), pair, count, list, sizeof list);
    int softens = 0;
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (int k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name; k++)
        softens |= strcmp(d->parameter[k].name, "eps") == 0;
    return myr_context_fail(f->context, MYR_ERROR_NONFINITE,
                            "particles at the same place: %s; the force between them is no number: move one of each "
                            "pair%s",
                            list, softens ? ", or use a softening length eps" : "");
}
