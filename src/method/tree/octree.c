/* octree.c - construction of the octree: keys, sorting, splitting level by level.
 *
 * A key holds 21 levels. The first sort orders 11 levels, which is enough for nearly all cells; the other ten are
 * sorted inside the cells that are split further. A cell that is split at level 21 or 42 gets new keys. */
#include "method/tree/octree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "core/memory.h"
#include "core/timer.h"
#include "method/tree/morton.h"

enum { TOP_LEVELS = MYR_MORTON_HALF / 3 };

/* Sources or targets during construction. */
typedef struct {
    const myr_points *points;
    myr_morton_entry *entry, *scratch; /* [n] each, in tree order */
} tree_set;

typedef struct {
    myr_context *context;
    myr_octree *tree;
    tree_set set[2]; /* sources, targets; the second set is empty if targets are the sources */
    int sets;
    myr_octree_options rule; /* with a leaf of at least 1 */
    int threads;
    double wide, sides;
    const double *reach;
    int32_t room; /* capacity of the cell array */
} tree_build;

static int64_t *range_first(myr_cell *c, int set)
{
    return set ? &c->target : &c->source;
}

static int64_t *range_count(myr_cell *c, int set)
{
    return set ? &c->targets : &c->sources;
}

int64_t myr_octree_leaves(const myr_octree *tree)
{
    int64_t leaves = 0;
    for (int32_t c = 0; c < tree->cells; c++)
        leaves += !tree->cell[c].mask;
    return leaves;
}

double myr_octree_side(const myr_octree *tree, const myr_cell *cell)
{
    return ldexp(tree->side, -cell->level);
}

double myr_octree_centre(const myr_octree *tree, const myr_cell *cell, int axis)
{
    return tree->origin[axis] + tree->side * ldexp((double)cell->at[axis] + 0.5, -cell->level);
}

double myr_octree_enlarge(int64_t sources, int64_t leaf)
{
    /* leaves in a row: the whole number nearest to the cube root of sources/leaf, without rounding errors */
    int64_t row = 1;
    while ((double)(2 * row + 1) * (double)(2 * row + 1) * (double)(2 * row + 1) * (double)leaf <= 8 * (double)sources)
        row++;
    return myr_elementary_power_of_two((double)row) / (double)row;
}

void myr_octree_destroy(myr_octree **tree)
{
    if (!tree || !*tree)
        return;
    free((*tree)->cell);
    free((*tree)->mine);
    if (!(*tree)->same)
        free((*tree)->target);
    free((*tree)->source);
    free(*tree);
    *tree = NULL;
}

static myr_status build_no_memory(const tree_build *b)
{
    const int64_t particles = b->tree->sources + (b->tree->same ? 0 : b->tree->targets);
    return myr_context_fail(b->context, MYR_ERROR_MEMORY, "no memory for an octree of %lld particles",
                            (long long)particles);
}

/* Side of the root for which the smallest cells have side `least`, or slightly more so that whole cells fill the
 * extent: a nearly empty last row would not be split, and leaves of two sizes cost more. */
static double cube_of_least(double extent, double least)
{
    const double cells = extent / least, whole = floor(cells);
    const int fits = cells - whole < 0.5;
    return (fits ? fmax(extent / whole, least) : least) * myr_elementary_power_of_two(fits ? whole : whole + 1);
}

myr_status myr_octree_root(myr_context *context, const double low[3], const double high[3], int64_t sources,
                           const myr_octree_options *o, double origin[3], double *side)
{
    double extent = 0;
    for (int axis = 0; axis < 3; axis++)
        extent = fmax(extent, high[axis] - low[axis]);
    memcpy(origin, low, 3 * sizeof *origin);
    *side = extent * fmax(o->enlarge, 1) * (1 + 1e-12);
    if (o->full > 0 && o->least < extent &&
        (double)sources * myr_elementary_whole_power(o->least / extent, 3) > o->full)
        *side = cube_of_least(extent * (1 + 1e-12), o->least);
    if (!(*side > 0)) /* all particles at one position, or no particles */
        *side = fmax(fmax(fabs(high[0]), fabs(high[1])), fabs(high[2])) * 0x1p-40 + 0x1p-900;
    if (!isfinite(*side))
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "the particles lie up to %g apart: too far for a cube around them; choose other units",
                                extent);
    return MYR_OK;
}

/* Computes the root cube around sources and targets. */
static myr_status build_cube(const tree_build *b, const myr_octree_options *o)
{
    double low[3], high[3];
    b->tree->side = o->root > 0 ? o->root : 1;
    memcpy(b->tree->origin, o->origin, sizeof o->origin);
    if (o->root > 0 || b->tree->sources + b->tree->targets == 0)
        return MYR_OK;
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (int s = 0; s < b->sets; s++) {
            const myr_points *p = b->set[s].points;
#pragma omp parallel for num_threads(b->threads) reduction(min : least) reduction(max : most) if (p->n > 65536)
            for (int64_t i = 0; i < p->n; i++) {
                const double x = myr_points_get(p, axis, i);
                least = x < least ? x : least;
                most = x > most ? x : most;
            }
        }
        low[axis] = least;
        high[axis] = most;
    }
    return myr_octree_root(b->context, low, high, b->tree->sources, o, b->tree->origin, &b->tree->side);
}

/* Index of the first entry of a range whose octant at this level is larger than `octant`. */
static int64_t range_beyond(const myr_morton_entry *entry, int64_t low, int64_t high, int shift, unsigned octant)
{
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if ((entry[middle].key >> shift & 7) > octant)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static int build_all_at_one_place(const tree_build *b, myr_cell *c)
{
    double first[3] = {NAN, NAN, NAN};
    for (int s = 0; s < b->sets; s++)
        for (int64_t i = 0; i < *range_count(c, s); i++) {
            const int64_t number = b->set[s].entry[*range_first(c, s) + i].number;
            for (int axis = 0; axis < 3; axis++) {
                const double x = myr_points_get(b->set[s].points, axis, number);
                if (isnan(first[axis]))
                    first[axis] = x;
                else if (x != first[axis])
                    return 0;
            }
        }
    return 1;
}

/* Returns 1 if a source stays in a cell because the children would be smaller than the source's reach. */
static int build_stays(const tree_build *b, const myr_cell *c, const myr_morton_entry *source)
{
    return b->reach && b->reach[source->number] > 0.5 * b->sides * myr_octree_side(b->tree, c) * (1 + 1e-9);
}

static int64_t build_resting(const tree_build *b, const myr_cell *c)
{
    int64_t n = 0;
    for (int64_t i = 0; b->reach && i < c->sources; i++)
        n += build_stays(b, c, &b->set[0].entry[c->source + i]);
    return n;
}

/* Returns 1 if a cut between ranks is inside the cell. */
static int build_is_cut(const tree_build *b, const myr_cell *c)
{
    const uint64_t *cut = b->rule.cut;
    if (!cut[1] || c->level >= MYR_OCTREE_KEY_LEVELS)
        return 0;
    const uint64_t begin = myr_morton_cell(c->at, c->level);
    const uint64_t end = begin + ((uint64_t)1 << (MYR_MORTON_BITS - 3 * c->level));
    return (cut[0] > begin && cut[0] < end) || (cut[1] > begin && cut[1] < end);
}

int myr_octree_splits(const myr_octree_options *options, double side, int level, int64_t particles)
{
    const int depth = options->depth > 0 && options->depth < MYR_OCTREE_DEPTH ? options->depth : MYR_OCTREE_DEPTH;
    return level < depth && 0.5 * ldexp(side, -level) >= options->least && particles > options->leaf;
}

/* A cell is not split for its targets alone if sources stay in it: the targets would be as near to these sources as
 * before. */
static int build_must_split(const tree_build *b, myr_cell *c)
{
    if (build_is_cut(b, c))
        return 1;
    const int64_t most = c->sources > c->targets ? c->sources : c->targets;
    if (!myr_octree_splits(&b->rule, b->tree->side, c->level, most))
        return 0;
    c->resting = build_resting(b, c);
    return (c->sources - c->resting > b->rule.leaf || (c->targets > b->rule.leaf && !c->resting)) &&
           !build_all_at_one_place(b, c);
}

/* Moves the sources that stay in a cell before the cell's other sources. */
static void build_settle(const tree_build *b, myr_cell *c)
{
    myr_morton_entry *entry = b->set[0].entry + c->source, *others = b->set[0].scratch + c->source;
    int64_t stay = 0, go = 0;
    for (int64_t i = 0; i < c->sources; i++)
        if (build_stays(b, c, &entry[i])) {
            c->reach = fmax(c->reach, b->reach[entry[i].number]);
            entry[stay++] = entry[i];
        } else {
            others[go++] = entry[i];
        }
    memcpy(entry + stay, others, (size_t)go * sizeof *entry);
}

/* Sorts the particles of a cell to be split, as far as its children require. */
static int build_order(const tree_build *b, myr_cell *c, int threads)
{
    const int within = c->level % MYR_OCTREE_KEY_LEVELS;
    int ready = 1;
    for (int s = 0; s < b->sets; s++) {
        myr_morton_entry *entry = b->set[s].entry + *range_first(c, s),
                         *scratch = b->set[s].scratch + *range_first(c, s);
        const int64_t n = *range_count(c, s);
        if (within == 0) {
            const double side = myr_octree_side(b->tree, c);
            double origin[3];
            for (int axis = 0; axis < 3; axis++)
                origin[axis] = b->tree->origin[axis] + side * (double)c->at[axis];
            myr_morton_make(b->set[s].points, origin, side, n, entry, threads);
        }
        ready &= myr_morton_sort(entry, scratch, n, within == 0 ? MYR_MORTON_BITS - MYR_MORTON_HALF : 0, threads);
    }
    return ready;
}

/* Sorts cells with many particles one after another with all threads, and small cells in parallel. */
static int build_order_level(const tree_build *b, const int32_t *list, int32_t n)
{
    enum { MANY = 1 << 16 };
    int ready = 1;
    for (int32_t k = 0; k < n; k++) {
        myr_cell *c = &b->tree->cell[list[k]];
        if (c->sources + c->targets >= MANY)
            ready &= build_order(b, c, b->threads);
    }
#pragma omp parallel for num_threads(b->threads) schedule(dynamic, 4) reduction(& : ready) if (n > 8)
    for (int32_t k = 0; k < n; k++) {
        myr_cell *c = &b->tree->cell[list[k]];
        if (c->sources + c->targets < MANY)
            ready &= build_order(b, c, 1);
    }
    return ready;
}

static int build_room(tree_build *b, int32_t more)
{
    if (b->tree->cells + more <= b->room)
        return 1;
    const int64_t room = 2 * (int64_t)b->room + more;
    myr_cell *cell = room < INT32_MAX ? realloc(b->tree->cell, (size_t)room * sizeof *cell) : NULL;
    if (!cell)
        return 0;
    b->tree->cell = cell;
    b->room = (int32_t)room;
    return 1;
}

/* Appends the children of a cell. The cell array must have room for eight. */
static void build_split(tree_build *b, int32_t number)
{
    myr_octree *t = b->tree;
    if (t->cell[number].resting)
        build_settle(b, &t->cell[number]);
    const myr_cell parent = t->cell[number];
    const int shift = MYR_MORTON_BITS - 3 - 3 * (parent.level % MYR_OCTREE_KEY_LEVELS);
    int64_t at[2] = {parent.source + parent.resting, parent.target};
    t->cell[number].child = t->cells;
    for (unsigned o = 0; o < 8; o++) {
        myr_cell child = {.parent = number, .level = (int16_t)(parent.level + 1), .octant = (uint8_t)o};
        int64_t all = 0;
        for (int s = 0; s < b->sets; s++) {
            const int64_t end = s ? parent.target + parent.targets : parent.source + parent.sources;
            const int64_t stop = range_beyond(b->set[s].entry, at[s], end, shift, o);
            *range_first(&child, s) = at[s];
            *range_count(&child, s) = stop - at[s];
            all += stop - at[s];
            at[s] = stop;
        }
        if (!all)
            continue;
        if (t->same) {
            child.target = child.source;
            child.targets = child.sources;
        }
        for (int axis = 0; axis < 3; axis++)
            child.at[axis] = 2 * parent.at[axis] + (o >> (2 - axis) & 1);
        t->cell[number].mask |= (uint8_t)(1u << o);
        t->cell[t->cells++] = child;
    }
}

/* Splits the cells of one level; *more is 1 if at least one cell was split. */
static myr_status build_level(tree_build *b, int level, int *more)
{
    myr_octree *t = b->tree;
    const int32_t first = t->level[level], end = t->cells;
    int32_t n = 0, *list = malloc(((size_t)(end - first) + 1) * sizeof *list);
    if (!list)
        return build_no_memory(b);
    for (int32_t c = first; c < end; c++)
        if (build_must_split(b, &t->cell[c]))
            list[n++] = c;
    const int within = level % MYR_OCTREE_KEY_LEVELS;
    int ready = (within != 0 && within != TOP_LEVELS) || build_order_level(b, list, n);
    for (int32_t k = 0; ready && k < n; k++) {
        ready = build_room(b, 8);
        if (ready)
            build_split(b, list[k]);
    }
    free(list);
    *more = n > 0;
    return ready ? MYR_OK : build_no_memory(b);
}

static myr_status build_cells(tree_build *b)
{
    myr_octree *t = b->tree;
    int more = 1;
    if (!build_room(b, 1024))
        return build_no_memory(b);
    t->cell[0] = (myr_cell){.parent = -1, .sources = t->sources, .targets = t->targets};
    t->cells = 1;
    for (int level = 0; more; level++) {
        const int32_t end = t->cells;
        const myr_status status = build_level(b, level, &more);
        if (status)
            return status;
        t->levels = level + 1;
        t->level[level + 1] = end;
    }
    return MYR_OK;
}

static myr_status build_sets(tree_build *b)
{
    for (int s = 0; s < b->sets; s++) {
        tree_set *set = &b->set[s];
        const int64_t n = set->points->n;
        set->entry = myr_memory_some(n + 1, sizeof *set->entry);
        set->scratch = myr_memory_some(n + 1, sizeof *set->scratch);
        if (!set->entry || !set->scratch)
            return build_no_memory(b);
        for (int64_t i = 0; i <= n; i++)
            set->entry[i] = (myr_morton_entry){.number = i};
    }
    return MYR_OK;
}

/* Stores the order of the particles and the statistics. */
static myr_status build_finish(tree_build *b)
{
    myr_octree *t = b->tree;
    for (int s = 0; s < b->sets; s++) {
        const int64_t n = b->set[s].points->n;
        int64_t *order = myr_memory_some(n + 1, sizeof *order);
        if (!order)
            return build_no_memory(b);
        for (int64_t i = 0; i < n; i++)
            order[i] = b->set[s].entry[i].number;
        if (s)
            t->target = order;
        else
            t->source = order;
    }
    if (t->same)
        t->target = t->source;
    for (int32_t c = 0; c < t->cells; c++) {
        myr_cell *cell = &t->cell[c];
        if (cell->mask)
            continue;
        t->largest = cell->sources > t->largest ? cell->sources : t->largest;
        cell->resting = 0;
        cell->reach = b->wide;
        for (int64_t i = 0; b->reach && i < cell->sources; i++)
            cell->reach = fmax(cell->reach, b->reach[t->source[cell->source + i]]);
    }
    return MYR_OK;
}

static myr_status build_all(tree_build *b, const myr_octree_options *options)
{
    const double start = myr_timer_now();
    myr_status status = build_cube(b, options);
    if (!status)
        status = build_sets(b);
    if (!status)
        status = build_cells(b);
    if (!status)
        status = build_finish(b);
    b->tree->seconds = myr_timer_now() - start;
    return status;
}

myr_status myr_octree_build(myr_context *context, const myr_points *sources, const myr_points *targets,
                            const myr_octree_options *options, myr_octree **tree)
{
    *tree = NULL;
    tree_build b = {.context = context,
                    .set = {{.points = sources}, {.points = targets}},
                    .sets = targets ? 2 : 1,
                    .rule = *options,
                    .wide = options->wide,
                    .reach = options->reach,
                    .sides = options->sides > 0 ? options->sides : 1,
                    .threads = myr_context_threads(context)};
    b.rule.leaf = options->leaf > 0 ? options->leaf : 1;
    b.tree = calloc(1, sizeof *b.tree);
    if (!b.tree)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for an octree");
    b.tree->same = !targets;
    b.tree->wide = options->wide;
    b.tree->sources = sources->n;
    b.tree->targets = targets ? targets->n : sources->n;
    const myr_status status = build_all(&b, options);
    for (int s = 0; s < 2; s++) {
        free(b.set[s].entry);
        free(b.set[s].scratch);
    }
    if (status)
        myr_octree_destroy(&b.tree);
    *tree = b.tree;
    return status;
}
