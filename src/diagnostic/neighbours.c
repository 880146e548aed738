/* neighbours.c - balanced k-d tree: every node splits its particles in two halves across its widest side, down to LEAF
 * particles. The children of node m are 2m and 2m + 1. The range of particles of a node follows from the halving, so
 * that only the planes are stored. */
#include "diagnostic/neighbours.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"

enum {
    LEAF = 8,
    TASK = 16384, /* particles of a node whose halves are built side by side */
    CHUNK = 1024  /* particles whose neighbours a thread searches at a time */
};

typedef struct {
    double x[3];
    int64_t j; /* index of the particle in the set */
} tree_point;

typedef struct {
    double at; /* coordinate of the splitting plane */
    int axis;
} tree_plane;

struct myr_neighbours {
    int64_t n;
    int threads;
    tree_point *point; /* [n], particles in tree order */
    tree_plane *plane; /* [nodes], splitting planes; the root is node 1 */
};

/* Strict order along an axis; ties are broken by the particle index. */
static int tree_before(const tree_point *a, const tree_point *b, int axis)
{
    return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->j < b->j);
}

static void swap(tree_point *a, tree_point *b)
{
    const tree_point t = *a;
    *a = *b;
    *b = t;
}

/* Hoare's selection: afterwards the points before `middle` are smaller and the points after `middle` are larger. */
static void tree_select(tree_point *p, int64_t low, int64_t high, int64_t middle, int axis)
{
    high--;
    while (low < high) {
        const int64_t centre = low + (high - low) / 2;
        if (tree_before(&p[centre], &p[low], axis))
            swap(&p[centre], &p[low]);
        if (tree_before(&p[high], &p[low], axis))
            swap(&p[high], &p[low]);
        if (tree_before(&p[high], &p[centre], axis))
            swap(&p[high], &p[centre]);
        const tree_point pivot = p[centre];
        int64_t i = low, j = high;
        while (i <= j) {
            while (tree_before(&p[i], &pivot, axis))
                i++;
            while (tree_before(&pivot, &p[j], axis))
                j--;
            if (i <= j)
                swap(&p[i++], &p[j--]);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static int tree_widest(const tree_point *p, int64_t low, int64_t high)
{
    int widest = 0;
    double width = -1;
    for (int c = 0; c < 3; c++) {
        double least = p[low].x[c], most = least;
        for (int64_t i = low + 1; i < high; i++) {
            least = p[i].x[c] < least ? p[i].x[c] : least;
            most = p[i].x[c] > most ? p[i].x[c] : most;
        }
        if (most - least > width) {
            width = most - least;
            widest = c;
        }
    }
    return widest;
}

static void tree_build(myr_neighbours *t, int64_t node, int64_t low, int64_t high)
{
    if (high - low <= LEAF)
        return;
    const int axis = tree_widest(t->point, low, high);
    const int64_t middle = low + (high - low) / 2;
    tree_select(t->point, low, high, middle, axis);
    t->plane[node] = (tree_plane){t->point[middle].x[axis], axis};
#pragma omp task if (high - low > TASK)
    tree_build(t, 2 * node, low, middle);
    tree_build(t, 2 * node + 1, middle, high);
#pragma omp taskwait
}

static void tree_points(const myr_particles *particles, myr_neighbours *t)
{
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(particles, "position", c);
        for (int64_t i = 0; i < t->n; i++)
            t->point[i].x[c] = x[i];
    }
    for (int64_t i = 0; i < t->n; i++)
        t->point[i].j = i;
}

myr_status myr_neighbours_create(const myr_particles *particles, myr_neighbours **neighbours)
{
    const int64_t n = myr_particles_count(particles);
    int64_t nodes = 2;
    for (int64_t most = n; most > LEAF; most = (most + 1) / 2)
        nodes *= 2;
    myr_neighbours *t = calloc(1, sizeof *t);
    *neighbours = t;
    if (t) {
        t->n = n;
        t->point = myr_memory_zeros(n, sizeof *t->point);
        t->plane = myr_memory_zeros(nodes, sizeof *t->plane);
    }
    if (!t || !t->point || !t->plane) {
        myr_neighbours_destroy(neighbours);
        return myr_context_fail(myr_particles_context(particles), MYR_ERROR_MEMORY,
                                "no memory to search the neighbours of %lld particles", (long long)n);
    }
    t->threads = myr_context_threads(myr_particles_context(particles));
    tree_points(particles, t);
#pragma omp parallel num_threads(t->threads) if (n > TASK)
#pragma omp single
    tree_build(t, 1, 0, n);
    return MYR_OK;
}

void myr_neighbours_destroy(myr_neighbours **neighbours)
{
    if (!neighbours || !*neighbours)
        return;
    free((*neighbours)->point);
    free((*neighbours)->plane);
    free(*neighbours);
    *neighbours = NULL;
}

static double distance_square(const tree_point *a, const tree_point *b)
{
    const double x = a->x[0] - b->x[0], y = a->x[1] - b->x[1], z = a->x[2] - b->x[2];
    return x * x + y * y + z * z;
}

/* One query: fills a list of the nearest particles. */
typedef struct {
    const myr_neighbours *tree;
    const tree_point *target;
    double square; /* squared search radius, which shrinks as the list fills */
    int room, count;
    myr_neighbour *list;
} tree_query;

static void query_keep(tree_query *q, const myr_neighbour *found)
{
    int at = q->count;
    while (at > 0 && (found->square < q->list[at - 1].square ||
                      (found->square == q->list[at - 1].square && found->j < q->list[at - 1].j)))
        at--;
    if (at == q->room)
        return;
    for (int k = q->count < q->room ? q->count : q->room - 1; k > at; k--)
        q->list[k] = q->list[k - 1];
    q->list[at] = *found;
    q->count += q->count < q->room;
    if (q->count == q->room)
        q->square = q->list[q->room - 1].square;
}

static void query_leaf(tree_query *q, int64_t low, int64_t high)
{
    for (int64_t i = low; i < high; i++) {
        const tree_point *p = &q->tree->point[i];
        const myr_neighbour found = {distance_square(q->target, p), p->j};
        if (found.square <= q->square && p != q->target)
            query_keep(q, &found);
    }
}

/* Descends into the nearer half first, and into the other only if the plane is within the search radius. */
static void query_node(tree_query *q, int64_t node, int64_t low, int64_t high)
{
    if (high - low <= LEAF) {
        query_leaf(q, low, high);
        return;
    }
    const tree_plane *plane = &q->tree->plane[node];
    const int64_t middle = low + (high - low) / 2;
    const double off = q->target->x[plane->axis] - plane->at;
    if (off < 0)
        query_node(q, 2 * node, low, middle);
    else
        query_node(q, 2 * node + 1, middle, high);
    if (off * off > q->square)
        return;
    if (off < 0)
        query_node(q, 2 * node + 1, middle, high);
    else
        query_node(q, 2 * node, low, middle);
}

/* Query of the particle at a place of the tree. */
static int query_place(const myr_neighbours *t, int64_t place, int k, myr_neighbour *list)
{
    tree_query q = {.tree = t, .target = &t->point[place], .square = INFINITY, .room = k, .list = list};
    query_node(&q, 1, 0, t->n);
    return q.count;
}

void myr_neighbours_each(const myr_neighbours *neighbours, int k,
                         void (*use)(void *user, int64_t i, const myr_neighbour *list, int count), void *user)
{
    const myr_neighbours *t = neighbours;
/* in the order of the tree, so that what one search has read serves the next */
#pragma omp parallel for num_threads(t->threads) schedule(dynamic, CHUNK) if (t->n > CHUNK)
    for (int64_t place = 0; place < t->n; place++) {
        myr_neighbour list[MYR_NEIGHBOURS_EACH];
        use(user, t->point[place].j, list, query_place(t, place, k, list));
    }
}

static void keep_nearest(void *user, int64_t i, const myr_neighbour *list, int count)
{
    myr_neighbour *nearest = user;
    nearest[i] = count ? list[0] : (myr_neighbour){INFINITY, -1};
}

void myr_neighbours_nearest_each(const myr_neighbours *neighbours, myr_neighbour *nearest)
{
    myr_neighbours_each(neighbours, 1, keep_nearest, nearest);
}
