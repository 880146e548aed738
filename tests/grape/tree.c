/* tree.c - an octree with masses at centres of mass. A group of neighbouring bodies shares a list: cells that are far
 * from the whole group, bodies of those that are not. The list is loaded as sources, the group are the targets. */
#include "tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <g5.h>

enum { LEAF = 8, DEPTH_MOST = 40 };

typedef struct {
    double centre[3], half; /* the cube */
    double mass, at[3];     /* all of its bodies, and their centre of mass */
    int first, count;       /* its bodies in `order` */
    int child, children;    /* its cells, one after the other; 0 of them in a leaf */
} cell;

typedef struct {
    tree_bodies *b;
    int *order;
    cell *cells;
    int used, room;
    double (*lx)[3], *lm; /* the list */
    int length;
    double (*gx)[3], (*ga)[3], *gp; /* a group */
} tree;

static int octant(const cell *c, const double x[3])
{
    return (x[0] > c->centre[0]) | (x[1] > c->centre[1]) << 1 | (x[2] > c->centre[2]) << 2;
}

static void weigh(const tree *t, cell *c)
{
    for (int k = c->first; k < c->first + c->count; k++) {
        const int i = t->order[k];
        c->mass += t->b->m[i];
        for (int d = 0; d < 3; d++)
            c->at[d] += t->b->m[i] * t->b->x[i][d];
    }
    for (int d = 0; d < 3; d++)
        c->at[d] /= c->mass;
}

/* Sorts the bodies of a cell by octant; start[o] is where octant o begins. */
static void sort_octants(tree *t, const cell *c, int start[9])
{
    int *sorted = malloc((size_t)c->count * sizeof *sorted), n = 0;
    for (int o = 0; sorted && o < 8; o++) {
        start[o] = c->first + n;
        for (int k = c->first; k < c->first + c->count; k++)
            if (octant(c, t->b->x[t->order[k]]) == o)
                sorted[n++] = t->order[k];
    }
    start[8] = c->first + n;
    if (sorted)
        memcpy(t->order + c->first, sorted, (size_t)n * sizeof *sorted);
    free(sorted);
}

static int split(tree *t, int at, int depth)
{
    int start[9];
    weigh(t, &t->cells[at]);
    if (t->cells[at].count <= LEAF || depth == DEPTH_MOST)
        return 0;
    if (t->used + 8 > t->room) {
        cell *cells = realloc(t->cells, (size_t)(2 * t->room) * sizeof *cells);
        if (!cells)
            return -1;
        t->cells = cells;
        t->room *= 2;
    }
    sort_octants(t, &t->cells[at], start);
    const cell parent = t->cells[at];
    t->cells[at].child = t->used;
    for (int o = 0; o < 8; o++) {
        if (start[o + 1] == start[o])
            continue;
        cell *c = &t->cells[t->used++];
        *c = (cell){.half = parent.half / 2, .first = start[o], .count = start[o + 1] - start[o]};
        for (int d = 0; d < 3; d++)
            c->centre[d] = parent.centre[d] + ((o >> d & 1) ? c->half : -c->half);
        t->cells[at].children++;
    }
    int code = 0;
    for (int k = 0; k < t->cells[at].children && !code; k++)
        code = split(t, t->cells[at].child + k, depth + 1);
    return code;
}

static void list_add(tree *t, const double x[3], double m)
{
    memcpy(t->lx[t->length], x, sizeof t->lx[0]);
    t->lm[t->length++] = m;
}

/* Whether a cell is far from every place of the group's cube. */
static int is_far(const tree *t, const cell *c, const cell *group)
{
    double distance2 = 0;
    for (int d = 0; d < 3; d++) {
        const double gap = fabs(c->at[d] - group->centre[d]) - group->half;
        distance2 += gap > 0 ? gap * gap : 0;
    }
    return 4 * c->half * c->half < t->b->theta * t->b->theta * distance2;
}

static void collect(tree *t, int at, const cell *group)
{
    const cell *c = &t->cells[at];
    if (is_far(t, c, group)) {
        list_add(t, c->at, c->mass);
        return;
    }
    for (int k = 0; k < c->children; k++)
        collect(t, c->child + k, group);
    for (int k = c->first; !c->children && k < c->first + c->count; k++)
        list_add(t, t->b->x[t->order[k]], t->b->m[t->order[k]]);
}

/* The body itself is in the list, and counts as m/eps in what GRAPE-5 calls the potential. */
static void sum_group(tree *t, const cell *group)
{
    tree_bodies *b = t->b;
    t->length = 0;
    collect(t, 0, group);
    g5_set_xmj(0, t->length, t->lx, t->lm);
    g5_set_n(t->length);
    for (int k = 0; k < group->count; k++)
        memcpy(t->gx[k], b->x[t->order[group->first + k]], sizeof t->gx[0]);
    g5_calculate_force_on_x(t->gx, t->ga, t->gp, group->count);
    for (int k = 0; k < group->count; k++) {
        const int i = t->order[group->first + k];
        memcpy(b->a[i], t->ga[k], sizeof b->a[i]);
        b->potential[i] = -(t->gp[k] - (b->eps > 0 ? b->m[i] / b->eps : 0));
    }
    b->pairs += (long)t->length * group->count;
}

static void groups(tree *t, int at)
{
    const cell c = t->cells[at];
    if (c.count <= t->b->group || c.children == 0) {
        sum_group(t, &c);
        return;
    }
    for (int k = 0; k < c.children; k++)
        groups(t, c.child + k);
}

static int plant(tree *t)
{
    const int n = t->b->n;
    t->cells[0] = (cell){.count = n};
    t->used = 1;
    for (int i = 0; i < n; i++) {
        t->order[i] = i;
        for (int d = 0; d < 3; d++)
            t->cells[0].half = fmax(t->cells[0].half, fabs(t->b->x[i][d]));
    }
    return split(t, 0, 0);
}

int tree_forces(tree_bodies *b)
{
    const size_t n = (size_t)b->n;
    tree t = {.b = b, .room = 64 + b->n};
    t.order = malloc(n * sizeof *t.order);
    t.cells = malloc((size_t)t.room * sizeof *t.cells);
    t.lx = malloc(n * sizeof *t.lx);
    t.lm = malloc(n * sizeof *t.lm);
    t.gx = malloc(n * sizeof *t.gx);
    t.ga = malloc(n * sizeof *t.ga);
    t.gp = malloc(n * sizeof *t.gp);
    int code = t.order && t.cells && t.lx && t.lm && t.gx && t.ga && t.gp ? 0 : -1;
    b->pairs = 0;
    if (!code)
        code = plant(&t);
    if (!code) {
        g5_open();
        g5_set_range(-t.cells[0].half, t.cells[0].half, b->m[0]);
        g5_set_eps_to_all(b->eps);
        groups(&t, 0);
        g5_close();
    }
    free(t.order);
    free(t.cells);
    free(t.lx);
    free(t.lm);
    free(t.gx);
    free(t.ga);
    free(t.gp);
    return code;
}
