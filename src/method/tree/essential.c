/* essential.c - local essential tree; see essential.h. */
#include "method/tree/essential.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/ranks.h"
#include "method/tree/curve_cut.h"

static myr_status essential_no_memory(const myr_essential *e)
{
    return myr_context_fail(e->context, MYR_ERROR_MEMORY, "no memory for what the tree of a rank needs of %d others",
                            e->ranks - 1);
}

/* --- roots -------------------------------------------------------------------------------------------------------- */

/* First key of a cell, that of its ancestor below the last level of keys, and behind the last. */
static void cell_range(const int64_t at[3], int level, uint64_t *begin, uint64_t *end)
{
    const int shift = level > MYR_OCTREE_KEY_LEVELS ? level - MYR_OCTREE_KEY_LEVELS : 0;
    const int64_t place[3] = {at[0] >> shift, at[1] >> shift, at[2] >> shift};
    *begin = myr_morton_cell(place, level - shift);
    *end = *begin + ((uint64_t)1 << (MYR_MORTON_BITS - 3 * (level - shift)));
}

static int is_divided(const myr_essential *e, const myr_cell *c)
{
    uint64_t begin, end;
    cell_range(c->at, c->level, &begin, &end);
    return begin < e->cut[e->me] || end > e->cut[e->me + 1];
}

static myr_essential_node essential_describe(const myr_octree *tree, int32_t number)
{
    const myr_cell *c = &tree->cell[number];
    return (myr_essential_node){number, (int32_t)c->sources, (int32_t)c->source, 0};
}

/* Roots of this rank among a cell and its descendants, in the order of the curve; root = null: counts them. */
static int64_t find_roots(const myr_essential *e, int32_t number, myr_essential_root *root)
{
    const myr_cell *c = &e->own->cell[number];
    int64_t n = 0;
    if (!c->sources)
        return 0;
    if (!is_divided(e, c)) {
        if (root)
            *root =
                (myr_essential_root){myr_morton_cell(c->at, c->level), c->level, essential_describe(e->own, number)};
        return 1;
    }
    for (int32_t child = c->child, end = child + myr_octree_children(c); child < end; child++)
        n += find_roots(e, child, root ? root + n : NULL);
    return n;
}

myr_status myr_essential_open(myr_context *context, const myr_octree *own, const uint64_t *cut, myr_essential *e)
{
    enum { WORDS = sizeof(myr_essential_root) / sizeof(uint64_t) };
    *e = (myr_essential){.context = context, .own = own, .cut = cut};
    e->ranks = myr_ranks_count(context);
    e->me = myr_ranks_me(context);
    const size_t ranks = (size_t)e->ranks;
    e->root_at = calloc(ranks + 1, sizeof *e->root_at);
    e->base = calloc(ranks + 1, sizeof *e->base);
    e->child = calloc(ranks, sizeof *e->child);
    int64_t *word_at = calloc(ranks + 1, sizeof *word_at);
    myr_status status = e->root_at && e->base && e->child && word_at ? MYR_OK : essential_no_memory(e);
    status = myr_ranks_agree(context, status);
    if (!status)
        status = myr_ranks_all(context, find_roots(e, 0, NULL), e->root_at + 1);
    for (int k = 0; !status && k < e->ranks; k++) {
        e->root_at[k + 1] += e->root_at[k];
        word_at[k + 1] = WORDS * e->root_at[k + 1];
    }
    if (!status) {
        e->root = malloc(((size_t)e->root_at[e->ranks] + 1) * sizeof *e->root);
        status = e->root ? MYR_OK : essential_no_memory(e);
    }
    status = myr_ranks_agree(context, status);
    if (!status) {
        find_roots(e, 0, e->root + e->root_at[e->me]);
        status = myr_ranks_collect(context, word_at, (uint64_t *)e->root);
    }
    for (int k = 0; !status && k < e->ranks; k++) {
        e->base[k + 1] = e->base[k];
        for (int64_t i = e->root_at[k]; i < e->root_at[k + 1]; i++)
            e->base[k + 1] += e->root[i].node.sources;
    }
    free(word_at);
    return status;
}

void myr_essential_close(myr_essential *e)
{
    for (int k = 0; e->child && k < e->ranks; k++)
        free(e->child[k]);
    free(e->child);
    free(e->root_at);
    free(e->root);
    free(e->base);
    free(e->rank);
    free(e->from);
    free(e->need);
    free(e->range);
    myr_blocks_free(&e->nodes);
    myr_blocks_free(&e->asked);
    myr_blocks_free(&e->wanted);
    myr_octree_destroy(&e->tree);
}

/* --- descriptions ------------------------------------------------------------------------------------------------- */

/* Returns 1 if cells of a rank may be near a cell: if the rank has keys within the reach of cells around it. Such cells
 * are of the same level or coarser, because a coarser cell has all keys of the places that it covers. */
static int is_near_rank(const myr_essential *e, const myr_cell *c, int rank)
{
    const double sides = e->own->wide / myr_octree_side(e->own, c);
    const int64_t reach = sides > e->reach ? (int64_t)ceil(sides) : e->reach, grid = (int64_t)1 << c->level;
    for (int64_t x = c->at[0] - reach; x <= c->at[0] + reach; x++)
        for (int64_t y = c->at[1] - reach; y <= c->at[1] + reach; y++)
            for (int64_t z = c->at[2] - reach; z <= c->at[2] + reach; z++) {
                const int64_t at[3] = {x, y, z};
                uint64_t begin, end;
                if (x < 0 || y < 0 || z < 0 || x >= grid || y >= grid || z >= grid)
                    continue;
                cell_range(at, c->level, &begin, &end);
                if (begin < e->cut[rank + 1] && end > e->cut[rank])
                    return 1;
            }
    return 0;
}

/* Nodes for another rank: the roots, and the children of all cells near its keys. Returns 0 if memory is short. */
static int describe_to(const myr_essential *e, int rank, myr_essential_node **nodes, int64_t *count)
{
    const int64_t roots = e->root_at[e->me + 1] - e->root_at[e->me];
    int64_t room = roots + 256, n = roots;
    myr_essential_node *node = malloc((size_t)room * sizeof *node);
    for (int64_t k = 0; node && k < roots; k++)
        node[k] = e->root[e->root_at[e->me] + k].node;
    for (int64_t k = 0; node && k < n; k++) {
        const myr_cell *c = &e->own->cell[node[k].index];
        if (!c->mask || !is_near_rank(e, c, rank))
            continue;
        node[k].mask = c->mask;
        if (n + 8 > room) {
            room = 2 * room + 8;
            myr_essential_node *more = realloc(node, (size_t)room * sizeof *node);
            if (!more) {
                free(node);
                return 0;
            }
            node = more;
        }
        for (int32_t child = c->child, end = child + myr_octree_children(c); child < end; child++)
            node[n++] = essential_describe(e->own, child);
    }
    *nodes = node;
    *count = n;
    return node != NULL;
}

/* Nodes for all other ranks that have particles. */
static int describe_all(const myr_essential *e, myr_blocks *out)
{
    myr_essential_node **node = calloc((size_t)e->ranks, sizeof *node);
    int ready = node && myr_blocks_open(out, e->ranks);
    for (int k = 0; ready && k < e->ranks; k++) {
        int64_t n = 0;
        if (k != e->me && e->base[k + 1] > e->base[k] && e->base[e->me + 1] > e->base[e->me])
            ready = describe_to(e, k, &node[k], &n);
        out->at[k + 1] = n * (int64_t)sizeof **node;
    }
    ready = ready && myr_blocks_room(out, e->ranks);
    for (int k = 0; ready && k < e->ranks; k++)
        if (node[k])
            memcpy(out->bytes + out->at[k], node[k], (size_t)(out->at[k + 1] - out->at[k]));
    for (int k = 0; node && k < e->ranks; k++)
        free(node[k]);
    free(node);
    return ready;
}

static const myr_essential_node *nodes_of(const myr_essential *e, int rank)
{
    return (const myr_essential_node *)(const void *)(e->nodes.bytes + e->nodes.at[rank]);
}

/* A described node; the roots are known without a description. */
static const myr_essential_node *node_at(const myr_essential *e, int rank, int32_t from)
{
    return from < e->root_at[rank + 1] - e->root_at[rank] && e->nodes.at[rank + 1] == e->nodes.at[rank]
               ? &e->root[e->root_at[rank] + from].node
               : nodes_of(e, rank) + from;
}

/* Finds the first child of each described node. */
static int describe_children(myr_essential *e)
{
    for (int k = 0; k < e->ranks; k++) {
        const int64_t n = (e->nodes.at[k + 1] - e->nodes.at[k]) / (int64_t)sizeof(myr_essential_node);
        const myr_essential_node *node = nodes_of(e, k);
        int64_t next = e->root_at[k + 1] - e->root_at[k];
        e->child[k] = malloc(((size_t)n + 1) * sizeof *e->child[k]);
        if (!e->child[k])
            return 0;
        for (int64_t i = 0; i < n; i++) {
            e->child[k][i] = (int32_t)next;
            next += __builtin_popcount((unsigned)node[i].mask & 0xff);
        }
    }
    return 1;
}

/* --- tree --------------------------------------------------------------------------------------------------------- */

/* A cell of the essential tree before it has a number. */
typedef struct {
    int32_t rank, from;  /* as in myr_essential */
    int64_t first, last; /* divided cells: their roots first .. last - 1 */
} tree_source;

typedef struct {
    myr_essential *e;
    tree_source *source; /* [room] */
    int32_t room;
} tree_maker;

static int maker_room(tree_maker *m, int32_t more)
{
    myr_octree *t = m->e->tree;
    if (t->cells + more <= m->room)
        return 1;
    const int64_t room = 2 * (int64_t)m->room + more + 1024;
    myr_cell *cell = room < INT32_MAX ? realloc(t->cell, (size_t)room * sizeof *cell) : NULL;
    if (cell)
        t->cell = cell;
    tree_source *source = cell ? realloc(m->source, (size_t)room * sizeof *source) : NULL;
    if (!source)
        return 0;
    m->source = source;
    m->room = (int32_t)room;
    return 1;
}

/* Fills a cell from its roots: one root that is the cell, or roots below it. */
static void maker_roots(tree_maker *m, int32_t number, int64_t first, int64_t last)
{
    myr_essential *e = m->e;
    myr_cell *c = &e->tree->cell[number];
    int rank = 0;
    while (e->root_at[rank + 1] <= first)
        rank++;
    c->sources = 0;
    for (int64_t k = first; k < last; k++)
        c->sources += e->root[k].node.sources;
    c->targets = c->sources;
    m->source[number] = (tree_source){-1, -1, first, last};
    if (last - first == 1 && e->root[first].level == c->level)
        m->source[number] = (tree_source){
            rank, rank == e->me ? e->root[first].node.index : (int32_t)(first - e->root_at[rank]), first, last};
}

/* Fills a child of an undivided cell. */
static void maker_below(tree_maker *m, int32_t number, int32_t rank, int32_t from)
{
    myr_essential *e = m->e;
    myr_cell *c = &e->tree->cell[number];
    c->sources = rank == e->me ? e->own->cell[from].sources : node_at(e, rank, from)->sources;
    c->targets = c->sources;
    m->source[number] = (tree_source){rank, from, 0, 0};
}

/* Appends a child in an octant. */
static int32_t maker_child(tree_maker *m, int32_t parent, unsigned octant)
{
    myr_octree *t = m->e->tree;
    myr_cell child = {.parent = parent, .level = (int16_t)(t->cell[parent].level + 1), .octant = (uint8_t)octant};
    for (int axis = 0; axis < 3; axis++)
        child.at[axis] = 2 * t->cell[parent].at[axis] + (octant >> (2 - axis) & 1);
    t->cell[parent].mask |= (uint8_t)(1u << octant);
    t->cell[t->cells] = child;
    return t->cells++;
}

/* Appends the children of a cell. */
static void maker_split(tree_maker *m, int32_t number)
{
    myr_essential *e = m->e;
    const tree_source s = m->source[number];
    const int level = e->tree->cell[number].level;
    e->tree->cell[number].child = e->tree->cells;
    if (s.rank >= 0) {
        const int mine = s.rank == e->me;
        const unsigned mask = mine ? e->own->cell[s.from].mask : (unsigned)node_at(e, s.rank, s.from)->mask & 0xff;
        int32_t next = mine ? e->own->cell[s.from].child : mask ? e->child[s.rank][s.from] : 0;
        for (unsigned o = 0; o < 8; o++)
            if (mask >> o & 1)
                maker_below(m, maker_child(m, number, o), s.rank, next++);
        return;
    }
    const int shift = MYR_MORTON_BITS - 3 * (level + 1);
    for (int64_t k = s.first, end; k < s.last; k = end) {
        const unsigned octant = e->root[k].key >> shift & 7;
        for (end = k + 1; end < s.last && (e->root[end].key >> shift & 7) == octant; end++)
            ;
        maker_roots(m, maker_child(m, number, octant), k, end);
    }
}

static int maker_cells(tree_maker *m)
{
    myr_essential *e = m->e;
    myr_octree *t = e->tree;
    if (!maker_room(m, 8))
        return 0;
    t->cell[0] = (myr_cell){.parent = -1};
    t->cells = 1;
    maker_roots(m, 0, 0, e->root_at[e->ranks]);
    for (int level = 0; t->level[level] < t->cells; level++) {
        const int32_t end = t->cells;
        for (int32_t c = t->level[level]; c < end; c++) {
            if (!maker_room(m, 8))
                return 0;
            maker_split(m, c);
        }
        t->levels = level + 1;
        t->level[level + 1] = end;
    }
    return 1;
}

/* A cell is mine if it has particles of this rank. */
static int tree_finish(const tree_maker *m)
{
    myr_essential *e = m->e;
    myr_octree *t = e->tree;
    t->mine = calloc((size_t)t->cells, 1);
    e->need = calloc((size_t)t->cells, 1);
    e->rank = malloc((size_t)t->cells * sizeof *e->rank);
    e->from = malloc((size_t)t->cells * sizeof *e->from);
    if (!t->mine || !e->need || !e->rank || !e->from)
        return 0;
    for (int32_t c = t->cells - 1; c >= 0; c--) {
        e->rank[c] = m->source[c].rank;
        e->from[c] = m->source[c].from;
        t->mine[c] |= e->rank[c] == e->me;
        t->cell[c].reach = t->cell[c].mask ? 0 : t->wide;
        if (t->mine[c] && t->cell[c].parent >= 0)
            t->mine[t->cell[c].parent] = 1;
    }
    return 1;
}

myr_status myr_essential_tree(myr_essential *e, int reach)
{
    myr_blocks out = {0};
    e->reach = reach;
    myr_status status = describe_all(e, &out) && myr_blocks_open(&e->nodes, e->ranks) ? MYR_OK : essential_no_memory(e);
    status = myr_blocks_swap(e->context, status, &out, &e->nodes, 0, &e->seconds, &e->sent);
    myr_blocks_free(&out);
    if (status)
        return status;
    tree_maker maker = {.e = e};
    e->tree = calloc(1, sizeof *e->tree);
    int ready = e->tree && describe_children(e);
    if (ready) {
        memcpy(e->tree->origin, e->own->origin, sizeof e->tree->origin);
        e->tree->side = e->own->side;
        e->tree->wide = e->own->wide;
        e->tree->same = 1;
        ready = maker_cells(&maker) && tree_finish(&maker);
    }
    free(maker.source);
    return ready ? MYR_OK : essential_no_memory(e);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
    const myr_essential_range *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static const myr_essential_node *node_of(const myr_essential *e, int32_t cell)
{
    return node_at(e, e->rank[cell], e->from[cell]);
}

static int is_others(const myr_essential *e, int32_t cell)
{
    return e->rank[cell] >= 0 && e->rank[cell] != e->me;
}

/* Ranges of needed sources, joined and sorted by rank and number. */
static int ask_ranges(myr_essential *e)
{
    int64_t n = 0, joined = 0;
    for (int32_t c = 0; c < e->tree->cells; c++)
        n += is_others(e, c) && (e->need[c] & MYR_ESSENTIAL_SOURCES);
    e->range = malloc(((size_t)n + 1) * sizeof *e->range);
    if (!e->range)
        return 0;
    n = 0;
    for (int32_t c = 0; c < e->tree->cells; c++)
        if (is_others(e, c) && (e->need[c] & MYR_ESSENTIAL_SOURCES)) {
            const myr_essential_node *node = node_of(e, c);
            e->range[n++] = (myr_essential_range){e->rank[c], node->first, node->first + node->sources, 0};
        }
    qsort(e->range, (size_t)n, sizeof *e->range, by_first);
    for (int64_t k = 0; k < n; k++) {
        myr_essential_range *last = joined ? &e->range[joined - 1] : NULL;
        if (last && last->rank == e->range[k].rank && e->range[k].first <= last->end)
            last->end = e->range[k].end > last->end ? e->range[k].end : last->end;
        else
            e->range[joined++] = e->range[k];
    }
    e->ranges = joined;
    return 1;
}

/* Places of the ranges and of this rank's sources. */
static void ask_places(myr_essential *e)
{
    int64_t place = 0, before = 0,
            own = e->base[e->me + 1] - e->base[e->me]; /* before: end of the last range among all sources */
    int placed = 0;
    for (int64_t k = 0; k <= e->ranges; k++) {
        if (!placed && (k == e->ranges || e->range[k].rank > e->me)) {
            place += e->base[e->me] != before;
            e->first = place;
            place += own;
            before = e->base[e->me + 1];
            placed = 1;
        }
        if (k == e->ranges)
            break;
        myr_essential_range *r = &e->range[k];
        place += e->base[r->rank] + r->first != before;
        r->place = place;
        place += r->end - r->first;
        before = e->base[r->rank] + r->end;
    }
    e->tree->sources = e->tree->targets = place;
}

/* Place of a source of another rank. */
static int64_t ask_place_of(const myr_essential *e, int32_t rank, int64_t source)
{
    int64_t low = 0, high = e->ranges - 1; /* the last range that does not begin behind the source */
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        const myr_essential_range *r = &e->range[middle];
        if (r->rank < rank || (r->rank == rank && r->first <= source))
            low = middle;
        else
            high = middle - 1;
    }
    return e->range[low].place + source - e->range[low].first;
}

static void ask_cells(myr_essential *e)
{
    for (int32_t c = 0; c < e->tree->cells; c++) {
        myr_cell *cell = &e->tree->cell[c];
        if (e->rank[c] == e->me)
            cell->source = e->first + e->own->cell[e->from[c]].source;
        else if (is_others(e, c) && (e->need[c] & MYR_ESSENTIAL_SOURCES))
            cell->source = ask_place_of(e, e->rank[c], node_of(e, c)->first);
        cell->target = cell->source;
    }
}

/* Requests: number of cells, number of ranges, the cells, the ranges. */
static int ask_write(myr_essential *e)
{
    int64_t *count = calloc(2 * (size_t)e->ranks, sizeof *count);
    int ready = count && myr_blocks_open(&e->wanted, e->ranks);
    for (int32_t c = 0; ready && c < e->tree->cells; c++)
        if (is_others(e, c) && (e->need[c] & MYR_ESSENTIAL_SERIES))
            count[2 * e->rank[c]]++;
    for (int64_t k = 0; ready && k < e->ranges; k++)
        count[2 * e->range[k].rank + 1]++;
    for (int k = 0; ready && k < e->ranks; k++)
        e->wanted.at[k + 1] = count[2 * k] + count[2 * k + 1] > 0 ? 8 * (2 + count[2 * k] + 2 * count[2 * k + 1]) : 0;
    ready = ready && myr_blocks_room(&e->wanted, e->ranks);
    for (int k = 0; ready && k < e->ranks; k++) {
        int64_t *word = (int64_t *)(void *)(e->wanted.bytes + e->wanted.at[k]);
        if (e->wanted.at[k + 1] > e->wanted.at[k])
            memcpy(word, count + 2 * k, 2 * sizeof *word);
        count[2 * k + 1] = count[2 * k];
        count[2 * k] = 0; /* written so far; [1]: where ranges begin */
    }
    for (int32_t c = 0; ready && c < e->tree->cells; c++)
        if (is_others(e, c) && (e->need[c] & MYR_ESSENTIAL_SERIES)) {
            int64_t *word = (int64_t *)(void *)(e->wanted.bytes + e->wanted.at[e->rank[c]]);
            word[2 + count[2 * e->rank[c]]++] = node_of(e, c)->index;
        }
    for (int64_t k = 0; ready && k < e->ranges; k++) {
        const myr_essential_range *r = &e->range[k];
        int64_t *word = (int64_t *)(void *)(e->wanted.bytes + e->wanted.at[r->rank]) + 2 + count[2 * r->rank + 1];
        word[0] = r->first;
        word[1] = r->end;
        count[2 * r->rank + 1] += 2;
    }
    free(count);
    return ready;
}

myr_status myr_essential_ask(myr_essential *e)
{
    int ready = ask_ranges(e);
    if (ready) {
        ask_places(e);
        ask_cells(e);
        ready = ask_write(e) && myr_blocks_open(&e->asked, e->ranks);
    }
    return myr_blocks_swap(e->context, ready ? MYR_OK : essential_no_memory(e), &e->wanted, &e->asked, 0, &e->seconds,
                           &e->sent);
}

myr_essential_request myr_essential_request_of(const myr_blocks *blocks, int k)
{
    const int64_t *word = (const int64_t *)(const void *)(blocks->bytes + blocks->at[k]);
    if (blocks->at[k + 1] == blocks->at[k])
        return (myr_essential_request){0};
    return (myr_essential_request){word[0], word[1], word + 2, word + 2 + word[0]};
}
