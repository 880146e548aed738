/* far_build.c - octree and lists of a far field on a device. The host enqueues as many levels as the last tree had and
 * looks once; a deeper tree, or one with more cells than there is room for, costs another look. */
#include <string.h>

#include "backend/cuda/far_cells_inside.h"

enum {
    SORT_BITS = 8,      /* of a digit */
    REST_PASSES = 5,    /* passes that order the lower half of the keys */
    SEGMENT_PASSES = 4, /* passes that order segments */
    GRID_MOST = 1056    /* blocks of kernels that loop over what they have to do */
};

/* The first sort of keys: passes, first bit, and levels that are ordered by it; the others are sorted where needed. In
 * portable arithmetic the particles of a leaf have the order of method/tree/octree.c, which sorts 33 bits first. */
typedef struct {
    int passes, shift, levels;
} tree_half;

static const tree_half tree_halves[2] = {{4, 31, 10}, {5, 30, 11}};

/* Construction of a tree. */
typedef struct {
    myr_cuda_far *far;
    const myr_direct *job;
    myr_far_build a;
    int64_t per_level; /* bound of the number of cells of a level: split cells have disjoint sets of particles */
    const tree_half *half;
} far_tree;

static myr_status tree_launch(far_tree *t, far_kernel kernel, const char *what, int64_t threads)
{
    return cuda_far_launch(t->far, t->far->kernel[kernel], what, threads, MYR_FAR_THREADS, &t->a, sizeof t->a);
}

/* A grid of at most GRID_MOST blocks. */
static myr_status tree_launch_some(far_tree *t, far_kernel kernel, const char *what, int64_t blocks)
{
    const int64_t most = blocks < GRID_MOST ? blocks : GRID_MOST;
    return tree_launch(t, kernel, what, most * MYR_FAR_THREADS);
}

static myr_status tree_rooms(far_tree *t, const myr_cuda_far_options *options)
{
    myr_cuda_far *far = t->far;
    myr_far_build *a = &t->a;
    const size_t n = (size_t)t->job->source.n, reals = (size_t)t->job->unit->real_bytes;
    a->tiles = (int32_t)((t->job->source.n + MYR_FAR_TILE - 1) / MYR_FAR_TILE);
    const size_t level = (size_t)(t->per_level + MYR_FAR_CELLS);
    const struct {
        far_buffer id;
        size_t size;
    } rooms[] = {{FAR_STATE, sizeof *a->state},
                 {FAR_KEY_0, n * sizeof(uint64_t)},
                 {FAR_KEY_1, n * sizeof(uint64_t)},
                 {FAR_ORDER_0, n * sizeof(int32_t)},
                 {FAR_ORDER_1, n * sizeof(int32_t)},
                 {FAR_DIGITS, (size_t)a->tiles * MYR_FAR_DIGITS * sizeof(uint32_t)},
                 {FAR_TOTALS, MYR_FAR_DIGITS * sizeof(uint32_t)},
                 {FAR_CELLS, (size_t)(t->per_level + 8) * sizeof(myr_far_cell)},
                 {FAR_ENDS, 8 * level * sizeof(int32_t)},
                 {FAR_BLOCK_SUMS, level * sizeof(int32_t)},
                 {FAR_RECORD, n * (size_t)far_stride(t->job) * reals}};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        const myr_status status = cuda_far_room(far, rooms[k].id, rooms[k].size, 0);
        if (status)
            return status;
    }
    a->points = (myr_far_points){.component = far_at(far, FAR_COMPONENTS),
                                 .n = t->job->source.n,
                                 .real_bytes = t->job->unit->real_bytes,
                                 .coord_lanes = t->job->unit->coord_lanes};
    a->state = far_at(far, FAR_STATE);
    for (int k = 0; k < 2; k++) {
        a->key[k] = far_at(far, FAR_KEY_0 + k);
        a->order[k] = far_at(far, FAR_ORDER_0 + k);
    }
    a->count = far_at(far, FAR_DIGITS);
    a->total = far_at(far, FAR_TOTALS);
    a->cell = far_at(far, FAR_CELLS);
    a->end = far_at(far, FAR_ENDS);
    a->sums = far_at(far, FAR_BLOCK_SUMS);
    a->record = far_at(far, FAR_RECORD);
    a->room = (int32_t)(far->buffer[FAR_CELLS].size / sizeof(myr_far_cell));
    a->leaf = (int32_t)options->leaf;
    a->depth = MYR_FAR_DEPTH;
    a->components = t->job->unit->source_lanes;
    a->stride = far_stride(t->job);
    a->role = far->has_roles ? far_at(far, FAR_ROLES) : NULL;
    a->sources = far->has_roles ? options->sources : t->job->source.n;
    a->least = options->least;
    a->full = options->full;
    a->enlarge = options->enlarge;
    a->box = (myr_far_box){.period = t->far->has_box ? options->period : 0, .background = options->background};
    memcpy(a->box.origin, options->origin, sizeof a->box.origin);
    for (int axis = 0; axis < 3; axis++) {
        a->box.periodic[axis] = options->periodic[axis];
        a->points.origin[axis] = options->origin[axis];
        a->points.period[axis] = options->periodic[axis] ? a->box.period : 0;
    }
    return MYR_OK;
}

/* Stable sort by digits from bit `shift` on, of the keys or of the segments. */
static myr_status tree_sort(far_tree *t, int shift, int passes, int by_segment)
{
    myr_status status = MYR_OK;
    t->a.by_segment = by_segment;
    for (int k = 0; k < passes && !status; k++) {
        t->a.shift = shift + k * SORT_BITS;
        status = tree_launch(t, FAR_COUNT, "counting keys", (int64_t)t->a.tiles * MYR_FAR_THREADS);
        if (!status)
            status = tree_launch(t, FAR_PLACES, "placing keys", (int64_t)MYR_FAR_DIGITS * MYR_FAR_THREADS);
        if (!status)
            status = tree_launch(t, FAR_MOVE, "moving keys", (int64_t)t->a.tiles * MYR_FAR_THREADS);
        t->a.from = !t->a.from;
    }
    return status;
}

/* Sorts the particles of the cells of a level by the next part of their keys, or by new keys. */
static myr_status tree_sort_cells(far_tree *t, int level)
{
    const size_t bytes = (size_t)t->job->source.n * sizeof(int32_t);
    const int is_new = level % MYR_FAR_KEY_LEVELS == 0;
    myr_status status = MYR_OK;
    for (int k = 0; k < 2 && !status; k++) {
        status = cuda_far_room(t->far, FAR_SEGMENT_0 + k, bytes, 0);
        t->a.segment[k] = far_at(t->far, FAR_SEGMENT_0 + k);
    }
    t->a.level = level;
    if (!status)
        status = tree_launch(t, FAR_SEGMENTS, "numbering segments", t->job->source.n);
    if (!status)
        status =
            tree_launch_some(t, FAR_REKEY, "making keys", (t->per_level * 32 + MYR_FAR_THREADS - 1) / MYR_FAR_THREADS);
    if (!status)
        status = tree_sort(t, is_new ? t->half->shift : 0, is_new ? t->half->passes : REST_PASSES, 0);
    if (!status)
        status = tree_sort(t, 0, SEGMENT_PASSES, 1);
    t->a.segment[0] = t->a.segment[1] = NULL;
    return status;
}

static int level_is_sorted_first(const far_tree *t, int level)
{
    return level > 0 && (level % MYR_FAR_KEY_LEVELS == 0 || level % MYR_FAR_KEY_LEVELS == t->half->levels);
}

static myr_status tree_split(far_tree *t, int level)
{
    const int64_t cells =
        level < 7 && (int64_t)1 << (3 * level) < t->per_level ? (int64_t)1 << (3 * level) : t->per_level;
    const int64_t blocks = (cells + MYR_FAR_CELLS - 1) / MYR_FAR_CELLS;
    t->a.level = level;
    myr_status status = tree_launch_some(t, FAR_SPLIT, "splitting cells", blocks);
    if (!status)
        status = tree_launch_some(t, FAR_LEVEL, "numbering cells", 1);
    return status ? status : tree_launch_some(t, FAR_CHILDREN, "making cells", blocks);
}

/* Waits for the state of the device. */
static myr_status tree_look(const far_tree *t)
{
    myr_cuda_far *far = t->far;
    const myr_status status = cuda_far_check(
        far, cudaMemcpyAsync(far->state, t->a.state, sizeof *far->state, cudaMemcpyDeviceToHost, far->device.stream),
        "copying from the device");
    return status ? status : cuda_far_check(far, cudaStreamSynchronize(far->device.stream), "building an octree");
}

static myr_status tree_levels(far_tree *t, int *levels)
{
    const myr_far_state *s = t->far->state;
    int level = 0, batch = t->far->levels + 1;
    for (;;) {
        const int end = level + batch <= MYR_FAR_DEPTH + 1 ? level + batch : MYR_FAR_DEPTH + 1;
        myr_status status = level_is_sorted_first(t, level) ? tree_sort_cells(t, level) : MYR_OK;
        do
            status = status ? status : tree_split(t, level++);
        while (!status && level < end && !level_is_sorted_first(t, level));
        if (!status)
            status = tree_look(t);
        if (status || s->needed)
            return status;
        if (level > MYR_FAR_DEPTH || s->level[level + 1] == s->level[level])
            break;
        batch = 2;
    }
    *levels = 0;
    while (*levels <= MYR_FAR_DEPTH && s->level[*levels + 1] > s->level[*levels])
        ++*levels;
    t->far->levels = *levels;
    return MYR_OK;
}

static myr_status tree_once(far_tree *t, int *levels)
{
    const int64_t n = t->job->source.n;
    myr_cuda_far *far = t->far;
    myr_status status = cuda_far_check(far, cudaMemsetAsync(t->a.state, 0, sizeof *t->a.state, far->device.stream),
                                       "clearing the state");
    t->a.from = 0;
    if (!status)
        status = tree_launch_some(t, FAR_BOUNDS, "finding the corners",
                                  (n + 8 * MYR_FAR_THREADS - 1) / (8 * MYR_FAR_THREADS));
    if (!status)
        status = tree_launch(t, FAR_ROOT, "making the root", MYR_FAR_THREADS);
    if (!status)
        status = tree_launch(t, FAR_KEYS, "making keys", n);
    if (!status)
        status = tree_sort(t, t->half->shift, t->half->passes, 0);
    return status ? status : tree_levels(t, levels);
}

/* Lets the particles of each group of targets that act on others be first. */
static myr_status tree_put_acting(far_tree *t, const myr_cuda_far_options *options, int levels)
{
    const int64_t cells = t->far->state->level[levels];
    t->a.level = levels;
    t->a.strengths = t->far->has_cells ? options->cells.strengths : t->far->strengths;
    t->a.group = (int32_t)options->cells.group;
    for (int s = 0; s < t->a.strengths; s++)
        for (int k = 0; k < 2; k++)
            t->a.strength[s][k] = options->strength[s][k];
    const myr_status status =
        tree_launch_some(t, FAR_ACTING, "ordering groups", (cells * 32 + MYR_FAR_THREADS - 1) / MYR_FAR_THREADS);
    t->a.from = !t->a.from;
    return status;
}

/* Records of targets in tree order. */
static myr_status tree_targets(far_tree *t)
{
    const int lanes = t->job->unit->target_lanes, stride = far_record(t->job, lanes);
    const size_t bytes = (size_t)t->job->source.n * (size_t)stride * (size_t)t->job->unit->real_bytes;
    const myr_status status = cuda_far_room(t->far, FAR_TARGET_RECORD, bytes, 0);
    if (status)
        return status;
    t->a.points.component = far_at(t->far, FAR_TARGET_COMPONENTS);
    t->a.record = far_at(t->far, FAR_TARGET_RECORD);
    t->a.components = lanes;
    t->a.stride = stride;
    return tree_launch(t, FAR_RECORDS, "ordering targets", t->job->source.n);
}

myr_status cuda_far_tree(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options, int *levels,
                         int *from)
{
    far_tree t = {.far = far, .job = job, .half = &tree_halves[far->portable]};
    const int64_t split = job->source.n / (options->leaf + 1);
    t.per_level = split > 0 ? 8 * split : 1;
    if (!far->levels) {
        far->levels = 2;
        for (int64_t cells = 1; cells < split; cells *= 8)
            far->levels++;
    }
    myr_status status = tree_rooms(&t, options);
    if (!status)
        status = tree_once(&t, levels);
    while (!status && far->state->needed) {
        status = cuda_far_room(far, FAR_CELLS, (size_t)far->state->needed * 2 * sizeof(myr_far_cell), 0);
        t.a.cell = far_at(far, FAR_CELLS);
        t.a.room = (int32_t)(far->buffer[FAR_CELLS].size / sizeof(myr_far_cell));
        if (!status)
            status = tree_once(&t, levels);
    }
    if (!status && options->idle)
        status = tree_put_acting(&t, options, *levels);
    *from = t.a.from;
    if (!status && far->has_box && far->state->extent > options->period)
        status = far->cuda->host->fail(job->context, MYR_ERROR_VALUE,
                                       "particles extend over %g along an axis that is not periodic, and the box is %g "
                                       "long where it is: methods with images need them within one length",
                                       far->state->extent, options->period);
    if (!status && far->has_cells)
        status = cuda_far_cells_record(far, job, options);
    t.a.record = far_at(far, FAR_RECORD);
    if (!status)
        status = tree_launch(&t, FAR_RECORDS, "ordering particles", job->source.n);
    return status || !far_has_targets(job) ? status : tree_targets(&t);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

enum { RANGES_PER_LEAF = 32, FINER_PER_LEAF = 2, POOL_LEAST = 64 }; /* room of the pools at first */

myr_status cuda_far_pool(myr_cuda_far *far, myr_far_pool pool, int64_t entries)
{
    static const size_t entry[MYR_FAR_POOLS] = {sizeof(myr_far_range), sizeof(myr_far_finer), sizeof(myr_far_item)};
    /* a pool that overflowed has its wanted size in the state */
    const int64_t room = far->state->used[pool] > entries + POOL_LEAST ? far->state->used[pool] : entries + POOL_LEAST;
    const myr_status status = cuda_far_room(far, FAR_RANGE_POOL + pool, (size_t)room * entry[pool], 0);
    const size_t fits = far->buffer[FAR_RANGE_POOL + pool].size / entry[pool];
    far->room[pool] = fits < INT32_MAX ? (int32_t)fits : INT32_MAX;
    return status;
}

myr_status cuda_far_near_cells(const myr_cuda_far *far, myr_far_lists *a)
{
    const int near = 2 * far->separation + 1, offsets = near * near * near;
    myr_status status = MYR_OK;
    for (int l = 0; l < far->levels && !status; l++) {
        a->begin = far->state->level[l];
        a->end = far->state->level[l + 1];
        status = cuda_far_launch(far, far->kernel[FAR_NEAR_CELLS], "finding near cells",
                                 (int64_t)(a->end - a->begin) * offsets, MYR_FAR_THREADS, a, sizeof *a);
    }
    return status;
}

myr_status cuda_far_lists(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options)
{
    int32_t cells = 0;
    for (int l = 0; l <= MYR_FAR_DEPTH + 1; l++)
        cells = far->state->level[l] > cells ? far->state->level[l] : cells;
    const int near = 2 * far->separation + 1;
    const int64_t offsets = (int64_t)near * near * near, leaves = far->state->leaves;
    const int64_t wanted[MYR_FAR_POOLS] = {RANGES_PER_LEAF * leaves, FINER_PER_LEAF * leaves,
                                           leaves + job->source.n / MYR_FAR_TARGETS + 1};
    myr_status status = cuda_far_room(far, FAR_NEAR, (size_t)(cells * offsets) * sizeof(int32_t), 0);
    if (!status)
        status = cuda_far_room(far, FAR_LEAVES, (size_t)cells * sizeof(myr_far_leaf), 0);
    for (int k = 0; k < MYR_FAR_POOLS && !status; k++)
        status = cuda_far_pool(far, (myr_far_pool)k, wanted[k]);
    myr_far_lists a = {.cell = far_at(far, FAR_CELLS),
                       .near = far_at(far, FAR_NEAR),
                       .state = far_at(far, FAR_STATE),
                       .leaf = far_at(far, FAR_LEAVES),
                       .range = far_at(far, FAR_RANGE_POOL),
                       .finer = far_at(far, FAR_FINER_POOL),
                       .item = far_at(far, FAR_ITEM_POOL),
                       .cells = cells};
    memcpy(a.room, far->room, sizeof a.room);
    memcpy(a.share, far->share, sizeof a.share);
    for (int axis = 0; axis < 3; axis++)
        a.periodic[axis] = far->has_box && options->periodic[axis];
    if (!status)
        status = cuda_far_near_cells(far, &a);
    if (!status)
        status = cuda_far_launch(far, far->kernel[FAR_LEAF_LISTS], "listing near sources", (int64_t)cells * 32,
                                 MYR_FAR_THREADS, &a, sizeof a);
    return status;
}
