/* fmm_cells.c - passes of the fast multipole method between cells. The series of a cell is written by one thread only,
 * in a fixed order of additions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/fmm/fmm_inside.h"
#include "method/tree/essential.h"

enum {
    BLOCK = 128 /* number of cells translated together, so that their series stay in the cache */
};

int myr_fmm_batch_make(const fmm_run *run, fmm_batch *batch)
{
    const size_t bytes = (size_t)run->ops->real_bytes, one = (FMM_BATCH + MYR_EXPANSION_PAD) * bytes;
    const size_t series = (size_t)myr_expansion_size(run->e->order + 2) * bytes;
    const int vectors = 3 + MYR_FAR_FIELD_STRENGTHS + MYR_FAR_FIELD_SUMS;
    char *at = myr_memory_zeros(1, (size_t)vectors * one + MYR_FAR_FIELD_SERIES * series);
    memset(batch, 0, sizeof *batch);
    batch->memory = at;
    if (!at)
        return 0;
    for (int k = 0; k < 3; k++, at += one)
        batch->x[k] = at;
    for (int k = 0; k < MYR_FAR_FIELD_STRENGTHS; k++, at += one)
        batch->q[k] = at;
    for (int k = 0; k < MYR_FAR_FIELD_SUMS; k++, at += one)
        batch->out[k] = at;
    for (int k = 0; k < MYR_FAR_FIELD_SERIES; k++, at += series)
        batch->series[k] = at;
    return 1;
}

void myr_fmm_batch_free(fmm_batch *batch)
{
    free(batch->memory);
    batch->memory = NULL;
}

static inline void put(void *reals, int64_t at, double value, int floats)
{
    if (floats)
        ((float *)reals)[at] = (float)value;
    else
        ((double *)reals)[at] = value;
}

void myr_fmm_batch_sources(const fmm_run *run, const myr_cell *cell, int64_t first, int64_t n, myr_image image,
                           fmm_batch *batch)
{
    const double per_side = 1 / myr_octree_side(run->tree, cell);
    const int floats = run->ops->real_bytes == (int)sizeof(float);
    const int lanes = run->problem->unit->source_lanes;
    double centre[3], field[MYR_KERNEL_COMPONENTS], q[MYR_FAR_FIELD_STRENGTHS];
    for (int axis = 0; axis < 3; axis++)
        centre[axis] = myr_octree_centre(run->tree, cell, axis) - image.by[axis] * run->tree->side;
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (first + i) * lanes;
        for (int axis = 0; axis < 3; axis++)
            put(batch->x[axis], i, (fmm_coordinate(run, run->source, at, axis) - centre[axis]) * per_side, floats);
        fmm_fields(run, run->source, at, lanes, field);
        myr_far_field_strengths(run->far, field, q);
        for (int s = 0; s < run->far->strengths; s++)
            put(batch->q[s], i, q[s], floats);
    }
}

/* Adds the expansion of the sources that stay in cell `from` (P2M or P2L) to a series about the centre of `cell`. */
static void collect(const fmm_run *run, const myr_cell *from, myr_image image, const myr_cell *cell, int irregular,
                    char *series, fmm_batch *batch)
{
    const int64_t all = myr_octree_group(from);
    for (int64_t done = 0; done < all; done += FMM_BATCH) {
        const int64_t left = all - done, n = left < FMM_BATCH ? left : FMM_BATCH;
        myr_fmm_batch_sources(run, cell, from->source + done, n, image, batch);
        for (int s = 0; s < run->far->strengths; s++)
            run->ops->collect(&run->e->harmonics, run->e->order, irregular, n, (const void *const *)batch->x,
                              batch->q[s], series + (size_t)s * (size_t)run->e->size * (size_t)run->ops->real_bytes);
    }
}

void myr_fmm_collect(fmm_run *run)
{
    const myr_octree *t = run->tree;
    const myr_image here = {{0, 0, 0}};
#pragma omp parallel num_threads(run->threads)
    {
        fmm_batch batch;
        const int ready = myr_fmm_batch_make(run, &batch);
#pragma omp for schedule(dynamic, 64)
        for (int32_t c = t->levels > run->first ? t->level[run->first] : t->cells; c < t->cells; c++)
            if (ready && myr_octree_group(&t->cell[c]))
                collect(run, &t->cell[c], here, &t->cell[c], 0, fmm_multipole(run, c, 0), &batch);
        if (!ready)
            run->no_memory = 1;
        myr_fmm_batch_free(&batch);
    }
}

/* Pointers to the series of a block of cells and of their parents, by octant. */
typedef struct {
    const void *from[8 * BLOCK];
    void *to[8 * BLOCK];
} shift_list;

/* Translates between parents begin .. end and all their children: multipoles upward (M2M) or local series downward
 * (L2L). */
static void shift_block(const fmm_run *run, int32_t begin, int32_t end, int up, shift_list *list)
{
    const myr_octree *t = run->tree;
    const myr_direct_share *share = run->problem->share;
    for (int s = 0; s < run->far->strengths; s++)
        for (int o = 0; o < 8; o++) {
            int64_t n = 0;
            for (int32_t parent = begin; parent < end; parent++) {
                const int32_t child = myr_octree_child(&t->cell[parent], o);
                if (child < 0 || (up ? !t->cell[child].sources : !myr_target_share_has(share, t, &t->cell[child])))
                    continue;
                list->from[n] = up ? fmm_multipole(run, child, s) : fmm_local(run, parent, s);
                list->to[n++] = up ? fmm_multipole(run, parent, s) : fmm_local(run, child, s);
            }
            if (n)
                run->ops->dense(up ? &run->e->up[o] : &run->e->down[o], n, list->from, list->to);
        }
}

static void shift_level(fmm_run *run, int level, int up)
{
    const int32_t begin = run->tree->level[level], end = run->tree->level[level + 1];
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 1) if (end - begin > BLOCK)
    for (int32_t first = begin; first < end; first += BLOCK) {
        shift_list list;
        shift_block(run, first, end - first < BLOCK ? end : first + BLOCK, up, &list);
    }
}

void myr_fmm_up(fmm_run *run)
{
    for (int level = run->tree->levels - 2; level >= run->first; level--)
        shift_level(run, level, 1);
}

void myr_fmm_up_one(const fmm_run *run, int32_t cell)
{
    shift_list list;
    shift_block(run, cell, cell + 1, 1, &list);
}

void myr_fmm_down(fmm_run *run)
{
    for (int level = run->first; level < run->tree->levels - 1; level++)
        shift_level(run, level, 0);
}

/* Pairs of source and target series of a block of target cells, by offset. */
typedef struct {
    const void **from; /* [offsets][BLOCK]: source series */
    void **to;
    int32_t *count; /* [offsets]: number of pairs */
    int offsets;
    int64_t translations;
    double operations;
} translate_list;

static int translate_list_make(const fmm_run *run, translate_list *l)
{
    const int width = run->e->width;
    memset(l, 0, sizeof *l);
    l->offsets = width * width * width;
    l->from = malloc(sizeof *l->from * BLOCK * (size_t)l->offsets);
    l->to = malloc(sizeof *l->to * BLOCK * (size_t)l->offsets);
    l->count = malloc(sizeof *l->count * (size_t)l->offsets);
    return l->from && l->to && l->count;
}

static void translate_list_free(translate_list *l)
{
    free(l->from);
    free(l->to);
    free(l->count);
}

/* Square of the gap between two cells of one level, in cell sides, from their offset. */
static int translate_gap(int x, int y, int z)
{
    const int gap[3] = {abs(x) > 1 ? abs(x) - 1 : 0, abs(y) > 1 ? abs(y) - 1 : 0, abs(z) > 1 ? abs(z) - 1 : 0};
    return gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2];
}

/* Adds the interaction list of a cell to a list, or to the series that are needed (l = null): the children of the
 * parent's near cells that are not near the cell. Returns their number. */
static int32_t translate_gather(const fmm_run *run, int32_t number, translate_list *l, uint8_t *need)
{
    const myr_octree *t = run->tree;
    myr_cell c = t->cell[number];
    int32_t n = 0;
    if (c.parent < 0)
        return 0;
    const int reach = run->near.reach, width = run->e->width, half = width / 2;
    /* pairs of cells with a smaller gap are summed directly, see octree.h */
    const double felt = t->wide / myr_octree_side(t, &c);
    const int32_t *near = run->near.colleague + (int64_t)c.parent * run->near.count;
    char *to = l ? fmm_local(run, number, 0) : NULL;
    for (int k = 0; k < run->near.count; k++) {
        if (near[k] < 0)
            continue;
        const myr_cell *parent = &t->cell[near[k]];
        if (run->near.images) { /* translates the offset into the image's frame */
            const myr_image image = myr_octree_image(&run->near, &t->cell[c.parent], k);
            for (int axis = 0; axis < 3; axis++)
                c.at[axis] = t->cell[number].at[axis] - ((int64_t)image.by[axis] * ((int64_t)1 << c.level));
        }
        for (int32_t s = parent->child, end = s + myr_octree_children(parent); s < end; s++) {
            const myr_cell *from = &t->cell[s];
            const int x = (int)(c.at[0] - from->at[0]), y = (int)(c.at[1] - from->at[1]);
            const int z = (int)(c.at[2] - from->at[2]);
            if ((abs(x) <= reach && abs(y) <= reach && abs(z) <= reach) || !from->sources ||
                (felt > reach && translate_gap(x, y, z) < felt * felt))
                continue;
            n++;
            if (!l) {
                __atomic_fetch_or(&need[s], MYR_ESSENTIAL_SERIES, __ATOMIC_RELAXED);
                continue;
            }
            const int offset = ((x + half) * width + y + half) * width + z + half;
            const int64_t at = (int64_t)offset * BLOCK + l->count[offset]++;
            l->from[at] = fmm_multipole(run, s, 0);
            l->to[at] = to;
        }
    }
    return n;
}

static void translate_offset(const fmm_run *run, int offset, translate_list *l)
{
    const myr_translate *t = &run->e->translate[offset];
    const void **from = l->from + (int64_t)offset * BLOCK;
    void **to = l->to + (int64_t)offset * BLOCK;
    const int32_t n = l->count[offset];
    const size_t next = (size_t)run->e->size * (size_t)run->ops->real_bytes;
    for (int s = 0; s < run->far->strengths; s++) {
        if (t->form == MYR_TRANSLATE_DENSE)
            run->ops->dense(&t->dense, n, from, to);
        else
            run->ops->turned(&t->turned, n, from, to);
        for (int32_t k = 0; k < n; k++) {
            from[k] = (const char *)from[k] + next;
            to[k] = (char *)to[k] + next;
        }
    }
}

/* Multiply-adds of one M2L translation. */
static double translate_cost(const myr_translate *t)
{
    if (t->form == MYR_TRANSLATE_DENSE)
        return (double)t->dense.columns * t->dense.columns;
    const double p = t->turned.order;
    return 2 * p * (2 * p * p + 1) / 3 + (p * (p + 1) * (2 * p + 1) + p * (p - 1) * (2 * p - 1)) / 6 + 4 * p * (p - 1);
}

static void translate_block(const fmm_run *run, int32_t begin, int32_t end, translate_list *l)
{
    memset(l->count, 0, sizeof *l->count * (size_t)l->offsets);
    for (int32_t c = begin; c < end; c++)
        if (myr_target_share_has(run->problem->share, run->tree, &run->tree->cell[c]))
            translate_gather(run, c, l, NULL);
    for (int k = 0; k < l->offsets; k++)
        if (l->count[k]) {
            translate_offset(run, k, l);
            l->translations += (int64_t)l->count[k] * run->far->strengths;
            l->operations += (double)l->count[k] * run->far->strengths * translate_cost(&run->e->translate[k]);
        }
}

void myr_fmm_translate(fmm_run *run)
{
    const myr_octree *t = run->tree;
    if (t->levels <= run->first)
        return;
#pragma omp parallel num_threads(run->threads)
    {
        translate_list list;
        const int ready = translate_list_make(run, &list);
        /* blocks do not span levels, because offsets are in cell sides */
        for (int level = run->first; level < t->levels; level++) {
#pragma omp for schedule(dynamic, 1) nowait
            for (int32_t first = t->level[level]; first < t->level[level + 1]; first += BLOCK)
                if (ready)
                    translate_block(run, first,
                                    t->level[level + 1] - first < BLOCK ? t->level[level + 1] : first + BLOCK, &list);
        }
#pragma omp critical(myr_fmm)
        {
            run->no_memory |= !ready;
            run->report->translations += list.translations;
            run->report->operations += list.operations;
        }
        translate_list_free(&list);
    }
}

/* P2L pass: particles of coarse leaves that are near the parent and not near the cell act on the cell's local series,
 * if the cell has enough targets to make the expansion worthwhile. myr_fmm_leaves handles the other leaves. */
void myr_fmm_coarse(fmm_run *run)
{
    const myr_octree *t = run->tree;
    int64_t sources = 0;
    if (t->levels <= run->first)
        return;
#pragma omp parallel num_threads(run->threads) reduction(+ : sources)
    {
        fmm_batch batch;
        const int ready = myr_fmm_batch_make(run, &batch);
#pragma omp for schedule(dynamic, 64)
        for (int32_t c = t->level[run->first]; c < t->cells; c++) {
            const myr_cell *cell = &t->cell[c];
            if (!ready || cell->targets <= FMM_FEW || !myr_target_share_has(run->problem->share, t, cell))
                continue;
            int32_t leaf;
            myr_image image;
            for (int64_t k = 0; (leaf = fmm_coarse(run, cell, k, &image)) != -1; k++)
                if (leaf >= 0) {
                    collect(run, &t->cell[leaf], image, cell, 1, fmm_local(run, c, 0), &batch);
                    sources += myr_octree_group(&t->cell[leaf]);
                }
        }
        if (!ready)
            run->no_memory = 1;
        myr_fmm_batch_free(&batch);
    }
    run->report->far_sources = sources;
}

void myr_fmm_cells_need(const fmm_run *run, uint8_t *need, int32_t *translations)
{
    const myr_octree *t = run->tree;
    if (t->levels <= run->first)
        return;
#pragma omp parallel for num_threads(run->threads) schedule(dynamic, 64)
    for (int32_t c = t->level[run->first]; c < t->cells; c++) {
        const myr_cell *cell = &t->cell[c];
        int32_t coarse;
        myr_image image;
        if (!t->mine[c])
            continue;
        translations[c] = translate_gather(run, c, NULL, need);
        for (int64_t k = 0; cell->targets > FMM_FEW && (coarse = fmm_coarse(run, cell, k, &image)) != -1; k++)
            if (coarse >= 0)
                __atomic_fetch_or(&need[coarse], MYR_ESSENTIAL_SOURCES, __ATOMIC_RELAXED);
    }
}
