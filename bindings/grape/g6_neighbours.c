/* g6_neighbours.c - neighbours by a pass over all j-particles, in double. Squared distances of a few hundred are
 * computed first, in a loop that compilers vectorise, and looked at then. */
#include "g6_neighbours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "g6.h"

enum { STRIP = 256 };

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

/* Squared distances of STRIP particles from `from` on, or fewer at the end; gives how many. */
static int strip_distances(const positions *p, int from, const double x[3], double r2[STRIP])
{
    const double *px = p->x[0] + from, *py = p->x[1] + from, *pz = p->x[2] + from;
    const int n = p->n - from < STRIP ? p->n - from : STRIP;
    for (int k = 0; k < n; k++) {
        const double dx = px[k] - x[0], dy = py[k] - x[1], dz = pz[k] - x[2];
        r2[k] = dx * dx + dy * dy + dz * dz;
    }
    return n;
}

/* Whether there is a particle at that address, and not the target itself. */
static int is_another(const g6_memory *memory, int address, const g6_target *target)
{
    return memory->particle[address].written && memory->particle[address].index != target->index;
}

int g6_nearest(const g6_memory *memory, int nj, const g6_target *target)
{
    const positions p = positions_of(memory, nj);
    double r2[STRIP], least = INFINITY;
    int nearest = -1;
    for (int j = 0; j < p.n; j += STRIP) {
        const int n = strip_distances(&p, j, target->x, r2);
        for (int k = 0; k < n; k++)
            if (r2[k] < least && is_another(memory, j + k, target)) {
                least = r2[k];
                nearest = j + k;
            }
    }
    return nearest < 0 ? -1 : memory->particle[nearest].index;
}

static int ascending(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Room for one strip more; 0 where there is none. */
static int neighbours_room(g6_neighbours *list, int64_t used)
{
    if (used + STRIP <= list->room)
        return 1;
    const int64_t room = 2 * list->room + 4 * STRIP;
    int ok = 1;
    list->index = grape_resize(list->index, (size_t)room, sizeof *list->index, &ok);
    list->room = ok ? room : list->room;
    return ok;
}

/* Adds the neighbours of one target at `used`; gives where they end, -1 where there is no memory. */
static int64_t neighbours_of(g6_neighbours *list, const g6_memory *memory, const positions *p, const g6_target *t,
                             int64_t used)
{
    const int64_t first = used;
    double r2[STRIP];
    for (int j = 0; t->h2 > 0 && j < p->n; j += STRIP) {
        const int n = strip_distances(p, j, t->x, r2);
        if (!neighbours_room(list, used))
            return -1;
        for (int k = 0; k < n; k++)
            if (r2[k] <= t->h2 && is_another(memory, j + k, t))
                list->index[used++] = memory->particle[j + k].index;
    }
    if (sort_mode && used > first)
        qsort(list->index + first, (size_t)(used - first), sizeof *list->index, ascending);
    return used;
}

int g6_neighbours_find(g6_neighbours *list, const g6_memory *memory, int nj, int ni, const g6_target *target)
{
    const positions p = positions_of(memory, nj);
    int ok = 1;
    list->known = 0;
    list->offset = grape_resize(list->offset, (size_t)ni + 1, sizeof *list->offset, &ok);
    if (!ok)
        return 0;
    int64_t *offset = list->offset;
    offset[0] = 0;
    for (int i = 0; i < ni; i++) {
        offset[i + 1] = neighbours_of(list, memory, &p, &target[i], offset[i]);
        if (offset[i + 1] < 0)
            return 0;
    }
    list->known = 1;
    return 1;
}

void g6_neighbours_free(g6_neighbours *list)
{
    free(list->offset);
    free(list->index);
    *list = (g6_neighbours){0};
}
