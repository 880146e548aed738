/* neighbour_check.c - comparison of the list with all pairs, for debugging and tests; closest pair of the list. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

double myr_neighbour_distance2(const myr_neighbour *list, int64_t i, int64_t j)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double d;
        if (list->unit[0]->real_bytes == 4) {
            const uint32_t *x = list->coordinate[k];
            d = (double)(int32_t)(x[i] - x[j]) * 0x1p-32;
        } else {
            const uint64_t *x = list->coordinate[k];
            d = (double)(int64_t)(x[i] - x[j]) * 0x1p-64;
        }
        square += d * d * list->set.box.length[k] * list->set.box.length[k];
    }
    return square;
}

/* Called with every pair of the list. */
typedef void (*check_visit)(const myr_neighbour *list, int64_t i, int64_t j, void *user);

static void check_list(const myr_neighbour *list, const myr_short_range_list *w, int64_t last, check_visit visit,
                       void *user)
{
    int64_t s = 0;
    for (int64_t r = 0; r < w->rows; r++)
        for (; s < w->row[r].end; s++)
            for (int64_t j = w->start[s]; j < w->start[s] + list->unit[0]->lanes && j < last; j++)
                visit(list, w->row[r].target, j, user);
}

static void check_walk(const myr_neighbour *list, check_visit visit, void *user)
{
    for (int t = 0; t < list->threads; t++) {
        check_list(list, list->share[t].list, list->n, visit, user);
        check_list(list, list->share[t].list + 1, list->n, visit, user);
        check_list(list, list->share[t].halo, list->n + list->halo, visit, user);
    }
}

/* Number of pairs within the cutoff, and the sum of their hashes, which identifies the set. */
typedef struct {
    int64_t count;
    uint64_t hash;
} check_pairs;

static void check_count(const myr_neighbour *list, int64_t i, int64_t j, void *user)
{
    check_pairs *found = user;
    if (!(myr_neighbour_distance2(list, i, j) < list->cutoff * list->cutoff))
        return;
    uint64_t h = (uint64_t)i * 0x9E3779B97F4A7C15u + (uint64_t)j;
    h = (h ^ h >> 31) * 0xBF58476D1CE4E5B9u;
    found->count++;
    found->hash += h ^ h >> 29;
}

myr_status myr_neighbour_check(myr_neighbour *list)
{
    check_pairs all = {0, 0}, listed = {0, 0};
    myr_neighbour_pack(list);
    myr_neighbour_pack_halo(list);
    for (int64_t i = 0; i < list->n; i++)
        for (int64_t j = i + 1; j < list->n + list->halo; j++)
            check_count(list, i, j, &all);
    check_walk(list, check_count, &listed);
    if (all.count == listed.count && all.hash == listed.hash)
        return MYR_OK;
    return myr_context_fail(
        list->context, MYR_ERROR_RANGE,
        "the neighbour list holds %lld pairs within the cutoff, and there are %lld (step %lld, list "
        "%lld, margin %g): please report this",
        (long long)listed.count, (long long)all.count, (long long)list->progress.steps,
        (long long)list->progress.builds, list->progress.margin);
}

typedef struct {
    double square;
    int64_t pair[2];
} check_nearest;

static void check_closer(const myr_neighbour *list, int64_t i, int64_t j, void *user)
{
    check_nearest *best = user;
    const double square = myr_neighbour_distance2(list, i, j);
    if (!(square < best->square))
        return;
    best->square = square;
    best->pair[0] = i;
    best->pair[1] = j;
}

double myr_neighbour_closest(const myr_neighbour *list, int64_t pair[2])
{
    check_nearest best = {(double)INFINITY, {-1, -1}};
    check_walk(list, check_closer, &best);
    pair[0] = best.pair[0];
    pair[1] = best.pair[1];
    for (int32_t i = list->n; pair[1] >= list->n && i < list->n + list->halo; i++)
        if (list->place[i] == best.pair[1]) {
            pair[1] = i;
            break;
        }
    return sqrt(best.square);
}
