/* fmm_leaves.c - leaf pass of the fast multipole method: at the targets of each leaf, evaluates local expansions (L2P),
 * multipoles of finer cells (M2P) and near sources pair by pair (P2P). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "method/fmm/fmm_inside.h"
#include "method/target_block.h"
#include "method/tree/essential.h"

/* Near sources that are copied beside each other: more than most leaves have, and multiple of the steps of `fixed`. */
enum { GATHERED = 1024 };

/* Sources first .. end-1, in tree order, of an image of the box. */
typedef struct {
    int64_t first, end;
    myr_image image;
} leaf_range;

/* A cell of an image of the box. */
typedef struct {
    int32_t cell;
    myr_image image;
} leaf_finer;

/* Working memory of a thread. */
typedef struct {
    fmm_batch batch;
    leaf_range *range; /* near sources of the leaf */
    int64_t ranges, room;
    leaf_finer *finer; /* finer cells whose multipoles act on the leaf (W list) */
    int64_t finers, finer_room;
    uint8_t *need; /* [cells]: if set, takes what the leaf needs of each cell instead of the two lists */
    int64_t near;  /* number of near sources then */
    myr_target_block block;
    char *gathered; /* real [GATHERED][source_lanes]: near sources beside each other */
    double *far;    /* [sums][FMM_BATCH]: far field at the targets of a batch */
    int64_t pairs, far_targets;
    int failed;
    double seconds[2]; /* seconds spent on expansions and on pairs */
    /* accumulators merged over the targets, used if only sizes are computed */
    myr_word net[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_WORDS];
} leaf_scratch;

static int64_t at_most(int64_t a, int64_t most)
{
    return a < most ? a : most;
}

static int leaf_scratch_make(const fmm_run *run, leaf_scratch *s)
{
    memset(s, 0, sizeof *s);
    s->far = myr_memory_zeros(MYR_FAR_FIELD_SUMS * FMM_BATCH, sizeof *s->far);
    s->gathered = myr_memory_zeros(GATHERED * run->problem->unit->source_lanes, (size_t)run->problem->unit->real_bytes);
    return myr_target_block_make(run->problem, FMM_BATCH, run->problem->loops->max_steps, &s->block) &&
           myr_fmm_batch_make(run, &s->batch) && s->far && s->gathered;
}

static void leaf_scratch_free(leaf_scratch *s)
{
    void *all[] = {s->range, s->finer, s->far, s->gathered};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    myr_target_block_free(&s->block);
    myr_fmm_batch_free(&s->batch);
}

/* --- interaction lists of a leaf ---------------------------------------------------------------------------------- */

/* Adds the first n sources of a cell to the near sources. */
static void add_range(const fmm_run *run, leaf_scratch *s, const myr_cell *cell, int64_t n, myr_image image)
{
    if (n && s->need) {
        __atomic_fetch_or(&s->need[cell - run->tree->cell], MYR_ESSENTIAL_SOURCES, __ATOMIC_RELAXED);
        s->near += n;
        return;
    }
    if (!n)
        return;
    if (s->ranges == s->room) {
        const int64_t room = 2 * s->room + 64;
        leaf_range *range = realloc(s->range, (size_t)room * sizeof *range);
        if (!range) {
            s->failed = 1;
            return;
        }
        s->range = range;
        s->room = room;
    }
    s->range[s->ranges++] = (leaf_range){cell->source, cell->source + n, image};
}

static void add_finer(leaf_scratch *s, int32_t cell, myr_image image)
{
    if (s->need) {
        __atomic_fetch_or(&s->need[cell], MYR_ESSENTIAL_SERIES, __ATOMIC_RELAXED);
        return;
    }
    if (s->finers == s->finer_room) {
        const int64_t room = 2 * s->finer_room + 64;
        leaf_finer *finer = realloc(s->finer, (size_t)room * sizeof *finer);
        if (!finer) {
            s->failed = 1;
            return;
        }
        s->finer = finer;
        s->finer_room = room;
    }
    s->finer[s->finers++] = (leaf_finer){cell, image};
}

/* Returns 1 if a cell of the leaf's level or a deeper level is near the leaf. No source in the children of a split cell
 * has a reach longer than the cell's side. */
static int is_near_leaf(const fmm_run *run, const myr_cell *leaf, const myr_cell *cell, myr_image image)
{
    return myr_octree_is_near_moved(leaf, cell, run->near.reach, image.by) ||
           (cell->reach > 0 && !cell->mask &&
            myr_octree_gap(leaf, cell, image.by) * myr_octree_side(run->tree, cell) < cell->reach);
}

/* Handles a cell near the leaf: near parts of the cell are added source by source; other parts through their
 * multipoles, or source by source if they hold few sources. */
static void add_near(const fmm_run *run, const myr_cell *leaf, int32_t number, myr_image image, leaf_scratch *s)
{
    const myr_octree *t = run->tree;
    const myr_cell *c = &t->cell[number];
    add_range(run, s, c, myr_octree_group(c), image);
    for (int32_t child = c->child, end = child + myr_octree_children(c); child < end; child++)
        if (is_near_leaf(run, leaf, &t->cell[child], image))
            add_near(run, leaf, child, image, s);
        else if (t->cell[child].sources <= FMM_FEW)
            add_range(run, s, &t->cell[child], t->cell[child].sources, image);
        else
            add_finer(s, child, image);
}

static int by_first(const void *a, const void *b)
{
    const leaf_range *x = a, *y = b;
    const int image = memcmp(&x->image, &y->image, sizeof x->image);
    return image ? image : (x->first > y->first) - (x->first < y->first);
}

/* Sorts the ranges by image and joins adjacent ranges. Ranges come from different cells and do not overlap. */
static void join_ranges(leaf_scratch *s)
{
    int64_t n = 0;
    if (s->ranges)
        qsort(s->range, (size_t)s->ranges, sizeof *s->range, by_first);
    for (int64_t k = 0; k < s->ranges; k++)
        if (n && s->range[n - 1].end == s->range[k].first &&
            memcmp(&s->range[n - 1].image, &s->range[k].image, sizeof s->range[k].image) == 0)
            s->range[n - 1].end = s->range[k].end;
        else
            s->range[n++] = s->range[k];
    s->ranges = n;
}

/* Returns 1 if a cell contains the leaf. */
static int is_around(const myr_cell *cell, const myr_cell *leaf)
{
    const int shift = leaf->level - cell->level;
    return leaf->at[0] >> shift == cell->at[0] && leaf->at[1] >> shift == cell->at[1] &&
           leaf->at[2] >> shift == cell->at[2];
}

/* Collects everything that acts on a leaf, except the sources that stay in the cells around the leaf where these need
 * masks. */
static void leaf_lists(const fmm_run *run, int32_t number, int own, leaf_scratch *s)
{
    const myr_octree *t = run->tree;
    const myr_cell *leaf = &t->cell[number];
    myr_image image = {{0, 0, 0}};
    s->ranges = s->finers = 0;
    for (int k = 0; k < run->near.count; k++) {
        const int32_t c = run->near.colleague[(int64_t)number * run->near.count + k];
        if (run->near.images)
            image = myr_octree_image(&run->near, leaf, k);
        if (c >= 0 && (c != number || own || !fmm_image_is_zero(image)))
            add_near(run, leaf, c, image, s);
    }
    for (int64_t k = run->near.coarse[number]; k < run->near.coarse[number + 1]; k++) {
        const myr_cell *from = &t->cell[run->near.leaf[k]];
        if (run->near.images)
            image = run->near.image[k];
        if (own || !fmm_image_is_zero(image) || !is_around(from, leaf))
            add_range(run, s, from, myr_octree_group(from), image);
    }
    for (int32_t a = number; a >= 0 && t->cell[a].targets <= FMM_FEW; a = t->cell[a].parent) {
        int32_t coarse;
        for (int64_t k = 0; (coarse = fmm_coarse(run, &t->cell[a], k, &image)) != -1; k++)
            if (coarse >= 0)
                add_range(run, s, &t->cell[coarse], myr_octree_group(&t->cell[coarse]), image);
    }
    join_ranges(s);
}

/* --- expansions --------------------------------------------------------------------------------------------------- */

/* Fills the batch with the positions of n targets relative to the centre of a cell in an image of the box. */
static void batch_targets(const fmm_run *run, leaf_finer from, int64_t first, int64_t n, leaf_scratch *s)
{
    const myr_cell *cell = &run->tree->cell[from.cell];
    const double per_side = 1 / myr_octree_side(run->tree, cell);
    for (int axis = 0; axis < 3; axis++) {
        const double centre = myr_octree_centre(run->tree, cell, axis) + from.image.by[axis] * run->tree->side;
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = (first + i) * run->target_stride;
            const double x = (fmm_coordinate(run, run->target, at, axis) - centre) * per_side;
            if (run->ops->real_bytes == (int)sizeof(float))
                ((float *)s->batch.x[axis])[i] = (float)x;
            else
                ((double *)s->batch.x[axis])[i] = x;
        }
    }
}

static void negate(const fmm_run *run, const void *from, void *to)
{
    for (int k = 0; k < run->e->size; k++)
        if (run->ops->real_bytes == (int)sizeof(float))
            ((float *)to)[k] = -((const float *)from)[k];
        else
            ((double *)to)[k] = -((const double *)from)[k];
}

/* Copies the series of a cell and computes the derived series. Derivatives of a multipole series are one or two degrees
 * longer. */
static void derive_series(const fmm_run *run, const char *series, int irregular, int order, leaf_scratch *s)
{
    const myr_far_field *far = run->far;
    const size_t bytes = (size_t)run->ops->real_bytes, size = (size_t)run->e->size * bytes;
    const size_t whole = (size_t)myr_expansion_size(run->e->order + 2) * bytes;
    for (int k = 0; k < far->series; k++) {
        memset(s->batch.series[k], 0, whole);
        if (k < far->strengths)
            memcpy(s->batch.series[k], series + (size_t)k * size, size);
    }
    for (int k = 0; k < far->strengths && far->negated; k++)
        negate(run, s->batch.series[k], s->batch.series[far->strengths + k]);
    for (int k = 0; k < far->steps; k++)
        run->ops->derive(&run->e->harmonics, order, irregular, far->step[k].axis, s->batch.series[far->step[k].from],
                         s->batch.series[far->step[k].to]);
}

/* Adds a cell's expansion, evaluated at the n targets of the batch, to the far field. */
static void add_expansion(const fmm_run *run, leaf_finer from, int irregular, int64_t first, int64_t n, leaf_scratch *s)
{
    const myr_cell *cell = &run->tree->cell[from.cell];
    const myr_far_field *far = run->far;
    const double per_side = 1 / myr_octree_side(run->tree, cell);
    const int order = run->e->order + (irregular ? far->sum[far->sums - 1].depth : 0);
    const void *series[MYR_FAR_FIELD_SUMS];
    batch_targets(run, from, first, n, s);
    for (int k = 0; k < far->sums; k++)
        series[k] = s->batch.series[far->sum[k].series];
    for (int k = 0; k < far->sums; k += MYR_EXPANSION_SUMS)
        run->ops->field(&run->e->harmonics, order, irregular, n, (const void *const *)s->batch.x,
                        (int)at_most(far->sums - k, MYR_EXPANSION_SUMS), series + k, s->batch.out + k);
    for (int k = 0; k < far->sums; k++) {
        double scale = per_side;
        for (int d = 0; d < far->sum[k].depth; d++)
            scale *= per_side;
        for (int64_t i = 0; i < n; i++)
            s->far[k * FMM_BATCH + i] +=
                scale * (run->ops->real_bytes == (int)sizeof(float) ? (double)((float *)s->batch.out[k])[i]
                                                                    : ((double *)s->batch.out[k])[i]);
    }
}

/* --- pairs -------------------------------------------------------------------------------------------------------- */

/* Translates packed targets into the image's frame, so that the near loops need no displaced sources. */
static void move_targets(const fmm_run *run, int64_t first, myr_image image, leaf_scratch *s)
{
    const int lanes = run->problem->unit->lanes;
    for (int v = 0; v < s->block.vectors; v++)
        for (int l = 0; l < lanes; l++)
            for (int axis = 0; axis < 3; axis++) {
                const int64_t from = (first + myr_target_block_target(&s->block, v, l)) * run->target_stride;
                const double x = fmm_coordinate(run, run->target, from, axis) - image.by[axis] * run->tree->side;
                myr_target_block_move(&s->block, v * lanes + l, axis, x);
            }
}

static void pack_targets(const fmm_run *run, int64_t first, int64_t n, leaf_scratch *s)
{
    const myr_unit *u = run->problem->unit;
    const void *component[MYR_SIDE_COMPONENTS];
    for (int c = 0; c < u->target_lanes; c++)
        component[c] = (const char *)run->target + (size_t)c * (size_t)u->real_bytes;
    myr_target_block_begin(&s->block, n, 1);
    myr_target_block_pack(&s->block, component, NULL, first, run->target_stride);
    for (int64_t i = 0; run->has_self && i < n; i++)
        myr_target_block_set_self(&s->block, i, run->self ? run->self[first + i] : first + i);
    for (int k = 0; k < run->far->sums; k++)
        memset(s->far + k * FMM_BATCH, 0, (size_t)n * sizeof *s->far);
}

/* Raises the block's bounds to the sizes of `count` sources from `first` on. */
static void gather_sizes(const fmm_run *run, int64_t first, int64_t count, leaf_scratch *s)
{
    const int lanes = run->problem->unit->source_lanes;
    const int floats = run->problem->unit->real_bytes == (int)sizeof(float);
    if (!run->sizes_of)
        return;
    for (int64_t at = first / FMM_SIZES * lanes; at < ((first + count - 1) / FMM_SIZES + 1) * lanes; at += lanes)
        for (int c = 0; c < lanes; c++)
            if (floats)
                myr_fmm_raise_float((float *)s->block.most + c, ((const float *)run->sizes_of)[at + c]);
            else
                myr_fmm_raise_double((double *)s->block.most + c, ((const double *)run->sizes_of)[at + c]);
}

static const char *source_at(const fmm_run *run, int64_t i)
{
    const myr_unit *u = run->problem->unit;
    return (const char *)run->source + (size_t)(i * u->source_lanes) * (size_t)u->real_bytes;
}

static void sweep(myr_sweep_fn loop, int v, const char *bag, int64_t steps, leaf_scratch *s)
{
    const myr_sweep t = myr_target_block_sweep(&s->block, v, bag, steps);
    loop(&t);
}

/* Sums vector v of the batch against a range of sources, with the self pairs masked. */
static void sweep_careful(const fmm_run *run, int v, leaf_range range, leaf_scratch *s)
{
    const int64_t most = run->problem->loops->max_steps;
    for (int64_t j = range.first; j < range.end; j += most) {
        const int64_t steps = at_most(range.end - j, most);
        myr_target_block_mask(&s->block, v, steps, steps);
        if (fmm_image_is_zero(range.image))
            myr_target_block_mask_selves(&s->block, v, j, steps, 0);
        sweep(run->loops->careful, v, source_at(run, j), steps, s);
    }
}

/* Sums the batch against n sources beside each other, whose sizes the block has, and forgets the sizes. */
static void sweep_bag(const fmm_run *run, const char *bag, int64_t n, leaf_scratch *s)
{
    const myr_unit *u = run->problem->unit;
    const int64_t most = run->problem->loops->max_steps;
    const size_t bytes = (size_t)u->source_lanes * (size_t)u->real_bytes;
    for (int v = 0, some; v < s->block.vectors; v += some) {
        some = s->block.vectors - v >= run->loops->unroll ? run->loops->unroll : 1;
        for (int64_t j = 0; j < n; j += most)
            sweep(some > 1 ? run->loops->many : run->loops->one, v, bag + (size_t)j * bytes, at_most(n - j, most), s);
    }
    myr_target_block_empty_bag(&s->block);
}

/* Sums the batch against ranges begin .. end-1, all of one image. Sources of short ranges are copied beside each other,
 * because every sweep loads, folds and stores the sums of its targets. */
static void batch_pairs(const fmm_run *run, int64_t begin, int64_t end, leaf_scratch *s)
{
    const size_t bytes = (size_t)run->problem->unit->source_lanes * (size_t)run->problem->unit->real_bytes;
    int64_t held = 0;
    for (int v = 0; run->problem->careful && v < s->block.vectors; v++)
        for (int64_t k = begin; k < end; k++)
            sweep_careful(run, v, s->range[k], s);
    if (run->problem->careful)
        return;
    myr_target_block_empty_bag(&s->block);
    for (int64_t k = begin; k < end; k++)
        for (int64_t j = s->range[k].first, n; j < s->range[k].end; j += n) {
            n = at_most(s->range[k].end - j, GATHERED - held);
            gather_sizes(run, j, n, s);
            if (n == GATHERED) { /* long enough to be read in place */
                sweep_bag(run, source_at(run, j), n, s);
                continue;
            }
            memcpy(s->gathered + (size_t)held * bytes, source_at(run, j), (size_t)n * bytes);
            held += n;
            if (held == GATHERED) {
                sweep_bag(run, s->gathered, held, s);
                held = 0;
            }
        }
    if (held)
        sweep_bag(run, s->gathered, held, s);
}

static void leaf_pairs(const fmm_run *run, const myr_cell *leaf, int own, int64_t first, int64_t n, leaf_scratch *s)
{
    for (const myr_cell *c = own ? NULL : leaf; c; c = c->parent < 0 ? NULL : &run->tree->cell[c->parent]) {
        const leaf_range mine = {c->source, c->source + myr_octree_group(c), {{0, 0, 0}}};
        for (int v = 0; v < s->block.vectors && mine.end > mine.first; v++)
            sweep_careful(run, v, mine, s);
        s->pairs += n * (mine.end - mine.first);
    }
    for (int64_t begin = 0, end; begin < s->ranges; begin = end) {
        for (end = begin + 1; end < s->ranges && run->near.images; end++)
            if (memcmp(&s->range[end].image, &s->range[begin].image, sizeof s->range[end].image) != 0)
                break;
        if (!run->near.images)
            end = s->ranges;
        else
            move_targets(run, first, s->range[begin].image, s);
        batch_pairs(run, begin, end, s);
    }
    for (int64_t k = 0; k < s->ranges; k++)
        s->pairs += n * (s->range[k].end - s->range[k].first);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static void leaf_results(const fmm_run *run, int64_t first, int64_t n, leaf_scratch *s)
{
    const myr_direct *p = run->problem;
    const int outputs = p->unit->outputs;
    for (int64_t i = 0; i < n; i++) {
        double *value = run->value + (first + i) * outputs, sum[MYR_FAR_FIELD_SUMS], field[MYR_KERNEL_COMPONENTS];
        for (int k = 0; k < outputs; k++) {
            myr_word words[MYR_ACC_WORDS];
            myr_target_block_sum(&s->block, i, k, words);
            value[k] = p->loops->value(words, &p->scale[k]);
            if (run->sizes)
                p->loops->merge(s->net[k], words);
        }
        for (int k = 0; k < run->far->sums; k++)
            sum[k] = s->far[k * FMM_BATCH + i];
        fmm_fields(run, run->target, (first + i) * run->target_stride, p->unit->target_lanes, field);
        if (!run->sizes)
            run->far->add(field, sum, value);
    }
}

/* Returns 1 if sources of a leaf itself need no mask. */
static int leaf_has_own(const fmm_run *run)
{
    return !run->has_self && !run->problem->careful;
}

/* Evaluates the targets of a leaf from number `from` to before `to`, counted within the leaf. */
static void run_leaf(const fmm_run *run, int32_t number, int64_t from, int64_t to, leaf_scratch *s)
{
    const myr_cell *leaf = &run->tree->cell[number];
    const int own = leaf_has_own(run);
    const int alone = run->fmm->settings.only_images; /* 1 = evaluate local expansions only */
    s->ranges = s->finers = 0;
    if (!alone)
        leaf_lists(run, number, own, s);
    for (int64_t done = from; done < to; done += FMM_BATCH) {
        const int64_t n = at_most(to - done, FMM_BATCH), first = leaf->target + done;
        const double start = myr_timer_now();
        pack_targets(run, first, n, s);
        if (leaf->level >= run->first && !run->sizes) {
            derive_series(run, fmm_local(run, number, 0), 0, run->e->order, s);
            add_expansion(run, (leaf_finer){number, {{0, 0, 0}}}, 0, first, n, s);
        }
        if (run->background && !run->sizes)
            myr_fmm_background(run, first, n, s->far);
        for (int64_t k = 0; !run->sizes && k < s->finers; k++) {
            derive_series(run, fmm_multipole(run, s->finer[k].cell, 0), 1,
                          run->e->order + run->far->sum[run->far->sums - 1].depth, s);
            add_expansion(run, s->finer[k], 1, first, n, s);
            s->far_targets += n;
        }
        const double middle = myr_timer_now();
        if (!alone)
            leaf_pairs(run, leaf, own, first, n, s);
        leaf_results(run, first, n, s);
        s->seconds[0] += middle - start;
        s->seconds[1] += myr_timer_now() - middle;
    }
}

static int is_own_leaf(const fmm_run *run, int32_t c)
{
    const myr_cell *cell = &run->tree->cell[c];
    return !cell->mask && myr_target_share_has(run->problem->share, run->tree, cell);
}

/* Shares out the leaves among the threads. Leaves that softening or cores keep large are few, and hold most of the
 * work: their targets are shared out. Every thread meets the same loops in the same order. */
static void share_leaves(const fmm_run *run, int ready, leaf_scratch *s)
{
    enum { PIECE = 16 * FMM_BATCH };
    const myr_octree *t = run->tree;
#pragma omp for schedule(dynamic, 16) nowait
    for (int32_t c = 0; c < t->cells; c++)
        if (ready && is_own_leaf(run, c) && t->cell[c].targets <= PIECE)
            run_leaf(run, c, 0, t->cell[c].targets, s);
    for (int32_t c = 0; c < t->cells; c++) {
        if (!is_own_leaf(run, c) || t->cell[c].targets <= PIECE)
            continue;
        const int64_t targets = t->cell[c].targets;
#pragma omp for schedule(dynamic, 1) nowait
        for (int64_t from = 0; from < targets; from += PIECE)
            if (ready)
                run_leaf(run, c, from, at_most(from + PIECE, targets), s);
    }
}

void myr_fmm_leaves(fmm_run *run)
{
    double seconds[2] = {0, 0};
#pragma omp parallel num_threads(run->threads)
    {
        leaf_scratch scratch;
        const int ready = leaf_scratch_make(run, &scratch);
        share_leaves(run, ready, &scratch);
#pragma omp critical(myr_fmm)
        {
            run->no_memory |= !ready || scratch.failed;
            run->report->pairs += scratch.pairs;
            run->report->far_targets += scratch.far_targets;
            run->result->skipped += scratch.block.skipped;
            run->result->flag |= scratch.block.flag;
            for (int k = 0; k < 2; k++)
                seconds[k] += scratch.seconds[k];
            for (int k = 0; run->sizes && k < run->problem->unit->outputs; k++)
                run->problem->loops->merge(run->result->net[k], scratch.net[k]);
        }
        leaf_scratch_free(&scratch);
    }
    run->report->seconds[MYR_FMM_l2p] = seconds[0] / run->threads;
    run->report->seconds[MYR_FMM_p2p] = seconds[1] / run->threads;
}

void myr_fmm_leaves_need(const fmm_run *run, uint8_t *need, int64_t *pairs)
{
    const myr_octree *t = run->tree;
#pragma omp parallel num_threads(run->threads)
    {
        leaf_scratch scratch = {.need = need};
#pragma omp for schedule(dynamic, 16)
        for (int32_t c = 0; c < t->cells; c++)
            if (!t->cell[c].mask && t->mine[c]) {
                scratch.near = 0;
                leaf_lists(run, c, leaf_has_own(run), &scratch);
                pairs[c] = scratch.near * t->cell[c].targets;
            }
    }
}
