/* g6_neighbours.c - neighbours by a pass over all j-particles, in double. A strip of a few hundred of them is compared
 * with a block of targets while it is in the cache. Squared distances come first, as vectors, with the least of them;
 * most strips then need no closer look. */
#include "g6_neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g6_names.h"

enum { STRIP = 256, BLOCK = 64 };

/* Whether lists are in the order of indices; of all clusters, as in the GRAPE-6 library. */
static int sort_mode = 1;

void g6_set_neighbour_list_sort_mode(int mode)
{
    sort_mode = mode;
}

int g6_get_neighbour_list_sort_mode(void)
{
    return sort_mode;
}

typedef struct {
    const double *x[3];
    int n;
} positions;

static positions positions_of(const g6_memory *memory, int nj)
{
    positions p = {.n = nj};
    for (int c = 0; c < 3 && memory->sources; c++)
        p.x[c] = myr_particles_component_const(memory->sources, "position", c);
    if (!p.x[0] || myr_particles_count(memory->sources) < nj)
        p.n = 0;
    return p;
}

/* Two doubles from anywhere in memory: what every machine has instructions for. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t pair_mask __attribute__((vector_size(16)));

static inline pair lesser(pair a, pair b)
{
    const pair_mask less = a < b;
    return (pair)((less & (pair_mask)a) | (~less & (pair_mask)b));
}

/* Squared distances of STRIP particles; gives the least, without those that are not numbers. Four running minima, since
 * each step of one waits for the step before. */
static double full_distances(const double *px, const double *py, const double *pz, const double x[3], double r2[STRIP])
{
    const pair cx = {x[0], x[0]}, cy = {x[1], x[1]}, cz = {x[2], x[2]};
    pair least[4];
    for (int l = 0; l < 4; l++)
        least[l] = (pair){INFINITY, INFINITY};
    for (int k = 0; k < STRIP; k += 8)
#pragma GCC unroll 4
        for (int l = 0; l < 4; l++) {
            const int at = k + 2 * l;
            const pair dx = *(const pair *)(px + at) - cx;
            const pair dy = *(const pair *)(py + at) - cy;
            const pair dz = *(const pair *)(pz + at) - cz;
            const pair r = dx * dx + dy * dy + dz * dz;
            *(pair *)(r2 + at) = r;
            least[l] = lesser(r, least[l]);
        }
    const pair all = lesser(lesser(least[0], least[1]), lesser(least[2], least[3]));
    return fmin(all[0], all[1]);
}

/* Squared distances of STRIP particles from `from` on, or fewer at the end: *n of them. Gives the least. */
static double strip_distances(const positions *p, int from, const double x[3], double r2[STRIP], int *n)
{
    const double *px = p->x[0] + from, *py = p->x[1] + from, *pz = p->x[2] + from;
    double least = INFINITY;
    *n = p->n - from < STRIP ? p->n - from : STRIP;
    if (*n == STRIP)
        return full_distances(px, py, pz, x, r2);
    for (int k = 0; k < *n; k++) {
        const double dx = px[k] - x[0], dy = py[k] - x[1], dz = pz[k] - x[2];
        r2[k] = dx * dx + dy * dy + dz * dz;
        least = fmin(least, r2[k]);
    }
    return least;
}

/* Whether there is a particle at that address, and not the target itself. */
static int is_another(const g6_memory *memory, int address, const g6_target *target)
{
    return memory->particle[address].written && memory->particle[address].index != target->index;
}

/* The nearest addresses of up to BLOCK targets; -1 where there is none. */
static void block_nearest(const g6_memory *memory, const positions *p, int ni, const g6_target *target, int *nearest)
{
    double r2[STRIP], least[BLOCK];
    int n;
    for (int i = 0; i < ni; i++) {
        least[i] = INFINITY;
        nearest[i] = -1;
    }
    for (int j = 0; j < p->n; j += STRIP)
        for (int i = 0; i < ni; i++) {
            if (!(strip_distances(p, j, target[i].x, r2, &n) < least[i]))
                continue;
            for (int k = 0; k < n; k++)
                if (r2[k] < least[i] && is_another(memory, j + k, &target[i])) {
                    least[i] = r2[k];
                    nearest[i] = j + k;
                }
        }
}

void grape_neighbours_nearest(const g6_memory *memory, int nj, int ni, const g6_target *target, int *nearest)
{
    const positions p = positions_of(memory, nj);
    for (int i = 0; i < ni; i += BLOCK)
        block_nearest(memory, &p, ni - i < BLOCK ? ni - i : BLOCK, target + i, nearest + i);
    for (int i = 0; i < ni; i++)
        nearest[i] = nearest[i] < 0 ? -1 : memory->particle[nearest[i]].index;
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Finds the pairs of neighbours of up to BLOCK targets; gives how many, -1 where there is no memory. */
static int64_t block_hits(g6_neighbours *list, const g6_memory *memory, const positions *p, int ni,
                          const g6_target *target)
{
    double r2[STRIP];
    int64_t hits = 0;
    int n, ok = 1;
    for (int j = 0; j < p->n; j += STRIP)
        for (int i = 0; i < ni; i++) {
            if (!(target[i].h2 > 0) || !(strip_distances(p, j, target[i].x, r2, &n) <= target[i].h2))
                continue;
            if (hits + STRIP > list->hit_room) {
                list->hit_room = 2 * list->hit_room + 4 * STRIP;
                list->hit = grape_resize(list->hit, (size_t)list->hit_room, sizeof *list->hit, &ok);
                if (!ok)
                    return list->hit_room = 0, -1;
            }
            for (int k = 0; k < n; k++)
                if (r2[k] <= target[i].h2 && is_another(memory, j + k, &target[i]))
                    list->hit[hits++] = (g6_hit){i, memory->particle[j + k].index};
        }
    return hits;
}

/* Puts the pairs of a block into the lists of its targets, whose first begins at offset[0]; 0 where there is no memory.
 */
static int block_sort(g6_neighbours *list, int64_t hits, int ni, int64_t *offset)
{
    int64_t at[BLOCK] = {0};
    int ok = 1;
    list->index = grape_resize(list->index, (size_t)(offset[0] + hits), sizeof *list->index, &ok);
    if (!ok)
        return 0;
    for (int64_t k = 0; k < hits; k++)
        at[list->hit[k].target]++;
    for (int i = 0; i < ni; i++) {
        offset[i + 1] = offset[i] + at[i];
        at[i] = offset[i];
    }
    for (int64_t k = 0; k < hits; k++)
        list->index[at[list->hit[k].target]++] = list->hit[k].index;
    for (int i = 0; sort_mode && i < ni; i++)
        qsort(list->index + offset[i], (size_t)(offset[i + 1] - offset[i]), sizeof *list->index, ascending);
    return 1;
}

int grape_neighbours_find(g6_neighbours *list, const g6_memory *memory, int nj, int ni, const g6_target *target)
{
    const positions p = positions_of(memory, nj);
    int ok = 1;
    list->known = 0;
    list->offset = grape_resize(list->offset, (size_t)ni + 1, sizeof *list->offset, &ok);
    if (!ok)
        return 0;
    list->offset[0] = 0;
    for (int i = 0; i < ni && ok; i += BLOCK) {
        const int block = ni - i < BLOCK ? ni - i : BLOCK;
        const int64_t hits = block_hits(list, memory, &p, block, target + i);
        ok = hits >= 0 && block_sort(list, hits, block, list->offset + i);
    }
    return list->known = ok;
}

void grape_neighbours_free(g6_neighbours *list)
{
    free(list->offset);
    free(list->index);
    free(list->hit);
    *list = (g6_neighbours){0};
}

G6_SORT_CALLS(GRAPE_PUBLIC)
