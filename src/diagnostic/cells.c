/* cells.c - a grid of cells no smaller than the search radius: partners of a particle are in its own cell or in one of
 * the 26 around it. Cells are kept in a hash table, so that empty space takes no memory. */
#include "diagnostic/cells.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

typedef struct {
    int64_t cell[3];
    double x[3];
    int64_t j; /* index of the particle in the set */
} cells_point;

typedef struct {
    int64_t n, mask;
    int64_t *head;      /* [mask + 2], first point of each bucket */
    cells_point *point; /* [n], points in the order of their buckets */
} cells;

/* Cells that follow each other along x are in buckets that follow each other. */
static int64_t cells_bucket(const cells *c, const int64_t cell[3])
{
    uint64_t hash = (uint64_t)cell[1] * 0x9e3779b97f4a7c15u ^ (uint64_t)cell[2] * 0xc2b2ae3d27d4eb4fu;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    return (int64_t)(((hash ^ hash >> 32) + (uint64_t)cell[0]) & (uint64_t)c->mask);
}

/* Edge of a cell. The margin covers the rounding of coordinates in units of the edge, of which there are 1e12 at most
 * on either side of the origin. */
static double cells_edge(const myr_bodies *b, double radius)
{
    double most = 0;
    for (int k = 0; k < 3; k++)
        for (int64_t i = 0; i < b->n; i++)
            most = fmax(most, fabs(b->x[k][i]));
    return fmax(1.001 * radius, 1e-12 * most);
}

/* Sorts the particles by bucket; particles of a bucket stay in the order of the set. */
static void cells_sort(const myr_bodies *b, double edge, cells *c, int64_t *bucket)
{
    cells_point p;
    for (int64_t i = 0; i < b->n; i++) {
        for (int k = 0; k < 3; k++)
            p.cell[k] = (int64_t)floor(b->x[k][i] / edge);
        bucket[i] = cells_bucket(c, p.cell);
        c->head[bucket[i] + 1]++;
    }
    for (int64_t k = 0; k <= c->mask; k++)
        c->head[k + 1] += c->head[k];
    for (int64_t i = b->n - 1; i >= 0; i--) {
        for (int k = 0; k < 3; k++) {
            p.x[k] = b->x[k][i];
            p.cell[k] = (int64_t)floor(p.x[k] / edge);
        }
        p.j = i;
        c->point[--c->head[bucket[i] + 1]] = p; /* head[k + 1] becomes the first point of bucket k */
    }
    for (int64_t k = 0; k <= c->mask; k++)
        c->head[k] = c->head[k + 1];
    c->head[c->mask + 1] = b->n;
}

typedef struct {
    double square;
    void (*visit)(void *user, int64_t i, int64_t j, double square);
    void *user;
} cells_search;

/* Pairs of a point with the points from `first` on that are in a cell. */
static void cells_look(const cells *c, const cells_search *s, const cells_point *p, const int64_t cell[3],
                       int64_t bucket, int64_t first)
{
    for (int64_t k = first; k < c->head[bucket + 1]; k++) {
        const cells_point *q = &c->point[k];
        if (q->cell[0] != cell[0] || q->cell[1] != cell[1] || q->cell[2] != cell[2])
            continue;
        const double x = p->x[0] - q->x[0], y = p->x[1] - q->x[1], z = p->x[2] - q->x[2];
        const double square = x * x + y * y + z * z;
        if (square < s->square)
            s->visit(s->user, p->j < q->j ? p->j : q->j, p->j < q->j ? q->j : p->j, square);
    }
}

/* Of two cells that touch, one has the other in its half of the 26 around it. */
static void cells_walk(const cells *c, const cells_search *s)
{
    static const int half[13][3] = {{1, 0, 0},  {-1, 1, 0}, {0, 1, 0}, {1, 1, 0},  {-1, -1, 1}, {0, -1, 1}, {1, -1, 1},
                                    {-1, 0, 1}, {0, 0, 1},  {1, 0, 1}, {-1, 1, 1}, {0, 1, 1},   {1, 1, 1}};
    for (int64_t k = 0; k < c->n; k++) {
        const cells_point *p = &c->point[k];
        cells_look(c, s, p, p->cell, cells_bucket(c, p->cell), k + 1);
        for (int h = 0; h < 13; h++) {
            const int64_t cell[3] = {p->cell[0] + half[h][0], p->cell[1] + half[h][1], p->cell[2] + half[h][2]};
            const int64_t bucket = cells_bucket(c, cell);
            cells_look(c, s, p, cell, bucket, c->head[bucket]);
        }
    }
}

myr_status myr_cells_pairs(const myr_bodies *bodies, double radius,
                           void (*visit)(void *user, int64_t i, int64_t j, double square), void *user)
{
    const double edge = cells_edge(bodies, radius);
    cells c = {.n = bodies->n, .mask = 1};
    if (!(radius > 0) || bodies->n < 2)
        return MYR_OK;
    while (c.mask < bodies->n)
        c.mask = 2 * c.mask + 1;
    int64_t *bucket = myr_memory_zeros(bodies->n, sizeof *bucket);
    c.head = myr_memory_zeros(c.mask + 2, sizeof *c.head);
    c.point = myr_memory_zeros(bodies->n, sizeof *c.point);
    const int ready = bucket && c.head && c.point;
    if (ready) {
        const cells_search search = {radius * radius, visit, user};
        cells_sort(bodies, edge, &c, bucket);
        cells_walk(&c, &search);
    }
    free(bucket);
    free(c.head);
    free(c.point);
    return ready ? MYR_OK
                 : myr_context_fail(bodies->context, MYR_ERROR_MEMORY, "no memory for the cells of %lld particles",
                                    (long long)bodies->n);
}
