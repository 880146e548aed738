/* near_tree.c - building, bounds and search of a tree of bodies. */
#include "near_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

enum { LEAF = 32, DIVIDED_FOR = 32 }; /* bodies in a leaf; sends for which a division is kept */

/* Not fmin() and fmax(), which are calls. */
static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Part of a node: bodies first to first + count - 1 in the order of the leaves. */
typedef struct {
    int node, level, first, count;
} near_part;

static near_part part_child(const near_part *p, int right)
{
    const int left = p->count / 2;
    return (near_part){2 * p->node + 1 + right, p->level + 1, p->first + (right ? left : 0),
                       right ? p->count - left : left};
}

/* --- building ----------------------------------------------------------------------------------------------------- */

/* Moves the `rank` bodies with the least coordinates of an axis to the front. */
static void near_select(int *body, int n, int rank, const double (*x)[3], int axis)
{
    int low = 0, high = n - 1;
    while (low < high) {
        const double pivot = x[body[low + (high - low) / 2]][axis];
        int i = low, j = high;
        while (i <= j) {
            while (x[body[i]][axis] < pivot)
                i++;
            while (x[body[j]][axis] > pivot)
                j--;
            if (i <= j) {
                const int swap = body[i];
                body[i++] = body[j];
                body[j--] = swap;
            }
        }
        if (rank <= j)
            high = j;
        else if (rank >= i)
            low = i;
        else
            return;
    }
}

static int near_longest_axis(const int *body, int n, const double (*x)[3])
{
    double low[3], high[3];
    for (int c = 0; c < 3; c++)
        low[c] = high[c] = x[body[0]][c];
    for (int i = 1; i < n; i++)
        for (int c = 0; c < 3; c++) {
            low[c] = lesser(low[c], x[body[i]][c]);
            high[c] = greater(high[c], x[body[i]][c]);
        }
    int axis = 0;
    for (int c = 1; c < 3; c++)
        if (high[c] - low[c] > high[axis] - low[axis])
            axis = c;
    return axis;
}

static void near_divide(near_tree *t, const near_part *p, const double (*x)[3])
{
    if (p->level == t->levels || p->count < 2)
        return;
    int *body = t->body + p->first;
    near_select(body, p->count, p->count / 2, x, near_longest_axis(body, p->count, x));
    for (int right = 0; right < 2; right++) {
        const near_part child = part_child(p, right);
        near_divide(t, &child, x);
    }
}

/* Nothing is inside these bounds. */
static near_node node_empty(void)
{
    near_node node = {.mass = 0};
    for (int c = 0; c < 3; c++) {
        node.low[c] = node.slow[c] = INFINITY;
        node.high[c] = node.fast[c] = -INFINITY;
    }
    return node;
}

static void node_add(near_node *node, const near_node *other)
{
    for (int c = 0; c < 3; c++) {
        node->low[c] = lesser(node->low[c], other->low[c]);
        node->high[c] = greater(node->high[c], other->high[c]);
        node->slow[c] = lesser(node->slow[c], other->slow[c]);
        node->fast[c] = greater(node->fast[c], other->fast[c]);
    }
    node->mass = greater(node->mass, other->mass);
}

static void near_bound(near_tree *t, const near_part *p)
{
    near_node node = node_empty();
    if (p->level < t->levels) {
        for (int right = 0; right < 2; right++) {
            const near_part child = part_child(p, right);
            near_bound(t, &child);
            node_add(&node, &t->node[child.node]);
        }
    } else {
        for (int i = p->first; i < p->first + p->count; i++) {
            near_node one = {.mass = t->m[i]};
            memcpy(one.low, t->x[i], sizeof one.low);
            memcpy(one.high, t->x[i], sizeof one.high);
            memcpy(one.slow, t->v[i], sizeof one.slow);
            memcpy(one.fast, t->v[i], sizeof one.fast);
            node_add(&node, &one);
        }
    }
    t->node[p->node] = node;
}

static int near_make_room(near_tree *t, int n)
{
    int ok = 1;
    if (n > t->room) {
        t->body = grape_resize(t->body, (size_t)n, sizeof *t->body, &ok);
        t->x = grape_resize(t->x, (size_t)n, sizeof *t->x, &ok);
        t->v = grape_resize(t->v, (size_t)n, sizeof *t->v, &ok);
        t->m = grape_resize(t->m, (size_t)n, sizeof *t->m, &ok);
        t->room = ok ? n : t->room;
    }
    t->levels = 0;
    while (n >> t->levels > LEAF)
        t->levels++;
    const int nodes = (2 << t->levels) - 1;
    if (nodes > t->node_room) {
        t->node = grape_resize(t->node, (size_t)nodes, sizeof *t->node, &ok);
        t->node_room = ok ? nodes : t->node_room;
    }
    return ok;
}

int grape_near_fill(near_tree *t, int n, const double m[], const double (*x)[3], const double (*v)[3])
{
    const near_part all = {0, 0, 0, n};
    if (!near_make_room(t, n))
        return 0;
    if (n != t->n || t->sends++ % DIVIDED_FOR == 0) {
        for (int i = 0; i < n; i++)
            t->body[i] = i;
        near_divide(t, &all, x);
        t->n = n;
        t->sends = 1;
    }
    for (int i = 0; i < n; i++) {
        memcpy(t->x[i], x[t->body[i]], sizeof t->x[i]);
        memcpy(t->v[i], v[t->body[i]], sizeof t->v[i]);
        t->m[i] = m[t->body[i]];
    }
    near_bound(t, &all);
    return 1;
}

/* --- search ------------------------------------------------------------------------------------------------------- */

/* Squared distance from a body to the place of the query, both moved on by dt. */
static double body_distance2(const double x[3], const double v[3], const near_query *q, double dt)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        const double d = x[c] - q->x[c] + dt * (v[c] - q->v[c]);
        sum += d * d;
    }
    return sum;
}

/* Lower bound of that for all bodies of a node, a little too small for rounding. */
static double node_distance2(const near_node *node, const near_query *q, double dt)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) {
        const double least = lesser(dt * node->slow[c], dt * node->fast[c]),
                     most = greater(dt * node->slow[c], dt * node->fast[c]), at = q->x[c] + dt * q->v[c];
        const double below = node->low[c] + least - at, above = at - node->high[c] - most;
        const double d = greater(0, greater(below, above));
        const double slack = 1e-14 * (fabs(at) + fabs(node->low[c]) + fabs(node->high[c]) + most - least);
        sum += d > slack ? (d - slack) * (d - slack) : 0;
    }
    return sum;
}

typedef struct {
    const near_query *query;
    int most, count;
    int *found;
} near_search;

static void search_part(const near_tree *t, const near_part *p, near_search *s)
{
    const near_query *q = s->query;
    const near_node *node = &t->node[p->node];
    const double h2 = q->by_mass ? q->h2 * node->mass : q->h2;
    if (!p->count || !(node_distance2(node, q, 0) < h2 || node_distance2(node, q, q->dt) < h2))
        return;
    if (p->level < t->levels) {
        for (int right = 0; right < 2; right++) {
            const near_part child = part_child(p, right);
            search_part(t, &child, s);
        }
        return;
    }
    for (int i = p->first; i < p->first + p->count; i++) {
        const double bound = q->by_mass ? q->h2 * t->m[i] : q->h2;
        if (!(body_distance2(t->x[i], t->v[i], q, 0) < bound || body_distance2(t->x[i], t->v[i], q, q->dt) < bound))
            continue;
        if (s->count < s->most)
            s->found[s->count] = t->body[i];
        s->count++;
    }
}

/* Shell sort: lists have some hundred entries. */
static void sort_ascending(int *value, int n)
{
    for (int gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
        for (int i = gap; i < n; i++) {
            const int one = value[i];
            int k = i;
            for (; k >= gap && value[k - gap] > one; k -= gap)
                value[k] = value[k - gap];
            value[k] = one;
        }
}

int grape_near_find(const near_tree *t, const near_query *query, int most, int *found)
{
    near_search s = {query, most, 0, found};
    if (t->n)
        search_part(t, &(near_part){0, 0, 0, t->n}, &s);
    sort_ascending(found, s.count < most ? s.count : most);
    return s.count;
}

void grape_near_free(near_tree *t)
{
    free(t->body);
    free(t->x);
    free(t->v);
    free(t->m);
    free(t->node);
    *t = (near_tree){0};
}
