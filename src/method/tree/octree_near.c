/* octree_near.c - lists of near cells of an octree. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/tree/octree.h"

/* Near cells of a cell's own level: they are children of the parent's near cells. */
static void near_colleagues(const myr_octree *t, const myr_octree_near *n, int32_t number)
{
    const myr_cell *c = &t->cell[number], *parent = &t->cell[c->parent];
    const int32_t *of_parent = n->colleague + (int64_t)c->parent * n->count;
    int32_t *mine = n->colleague + (int64_t)number * n->count;
    for (int k = 0; k < n->count; k++) {
        const int step[3] = {k / (n->width * n->width), k / n->width % n->width, k % n->width};
        int slot = 0, octant = 0;
        for (int axis = 0; axis < 3; axis++) {
            const int64_t at = c->at[axis] + step[axis] - n->reach;
            slot = slot * n->width + (int)((at >> 1) - parent->at[axis]) + n->reach;
            octant = octant << 1 | (int)(at & 1);
        }
        mine[k] = of_parent[slot] < 0 ? -1 : myr_octree_child(&t->cell[of_parent[slot]], octant);
    }
}

typedef struct {
    int32_t *leaf;
    myr_image *image; /* null without periodic axes */
    int64_t n, room;
    int images;
} near_list;

/* Grows an array; the old array is kept if memory is short. */
static int near_room(void **array, int64_t room, size_t bytes)
{
    void *more = realloc(*array, (size_t)room * bytes);
    if (more)
        *array = more;
    return more != NULL;
}

static int near_grow(near_list *l)
{
    const int64_t room = 2 * l->room + 1024;
    void *leaf = l->leaf, *image = l->image;
    int grown = near_room(&leaf, room, sizeof *l->leaf);
    if (grown && l->images)
        grown = near_room(&image, room, sizeof *l->image);
    l->leaf = leaf;
    l->image = image;
    l->room = grown ? room : l->room;
    return grown;
}

static int near_push(near_list *l, int32_t cell, myr_image image)
{
    if (l->n == l->room && !near_grow(l))
        return 0;
    if (l->images)
        l->image[l->n] = image;
    l->leaf[l->n++] = cell;
    return 1;
}

/* Cells of the cell's own level that are not colleagues but nearer than the common reach: they are children of the
 * parent's near cells. */
static int near_felt(const myr_octree *t, const myr_octree_near *n, int32_t number, near_list *list)
{
    const myr_cell *c = &t->cell[number];
    const int32_t *of_parent = n->colleague + (int64_t)c->parent * n->count;
    if (t->wide <= n->reach * myr_octree_side(t, c))
        return 1;
    for (int k = 0; k < n->count; k++) {
        if (of_parent[k] < 0)
            continue;
        const myr_image image = myr_octree_image(n, &t->cell[c->parent], k);
        const myr_cell *from = &t->cell[of_parent[k]];
        for (int32_t s = from->child, end = s + myr_octree_children(from); s < end; s++)
            if (!myr_octree_is_near_image(&t->cell[s], image, c, n->reach) &&
                myr_octree_is_near_group(t, &t->cell[s], image, c, n->reach) && !near_push(list, s, image))
                return 0;
    }
    return 1;
}

/* Groups of coarser cells near a cell: they are near the parent too, and so among the parent's near cells or on the
 * parent's list. */
static int near_coarse(const myr_octree *t, const myr_octree_near *n, int32_t number, near_list *list)
{
    const myr_cell *c = &t->cell[number];
    const int32_t *of_parent = n->colleague + (int64_t)c->parent * n->count;
    const myr_image here = {{0, 0, 0}};
    for (int k = 0; k < n->count; k++) {
        if (of_parent[k] < 0 || (t->cell[of_parent[k]].mask && !t->cell[of_parent[k]].resting))
            continue;
        const myr_image image = n->images ? myr_octree_image(n, &t->cell[c->parent], k) : here;
        if (myr_octree_is_near_group(t, &t->cell[of_parent[k]], image, c, n->reach) &&
            !near_push(list, of_parent[k], image))
            return 0;
    }
    for (int64_t k = n->coarse[c->parent]; k < n->coarse[c->parent + 1]; k++) {
        const int32_t leaf = list->leaf[k];
        const myr_image image = n->images ? list->image[k] : here;
        if (myr_octree_is_near_group(t, &t->cell[leaf], image, c, n->reach) && !near_push(list, leaf, image))
            return 0;
    }
    return near_felt(t, n, number, list);
}

static int near_fill(const myr_octree *tree, myr_octree_near *near)
{
    near_list list = {.images = near->images};
    int ready = 1;
    for (int k = 0; k < near->count; k++) { /* images of the root are near the root */
        const myr_image image = myr_octree_image(near, &tree->cell[0], k);
        near->colleague[k] = 0;
        for (int axis = 0; axis < 3; axis++)
            if (image.by[axis] && !near->periodic[axis])
                near->colleague[k] = -1;
    }
    for (int32_t c = 1; ready && c < tree->cells; c++) {
        if (tree->mine && !tree->mine[c]) { /* nobody asks for the lists of cells of other ranks */
            near->coarse[c] = near->coarse[c + 1] = list.n;
            continue;
        }
        near_colleagues(tree, near, c);
        near->coarse[c] = list.n;
        ready = near_coarse(tree, near, c, &list);
        near->coarse[c + 1] = list.n;
    }
    near->leaf = list.leaf;
    near->image = list.image;
    return ready;
}

myr_status myr_octree_near_make(myr_context *context, const myr_octree *tree, int reach, const int periodic[3],
                                myr_octree_near *near)
{
    const int width = 2 * reach + 1;
    memset(near, 0, sizeof *near);
    near->reach = reach;
    near->width = width;
    near->count = width * width * width;
    for (int axis = 0; periodic && axis < 3; axis++)
        near->images |= near->periodic[axis] = periodic[axis] != 0;
    near->colleague = myr_memory_some((int64_t)tree->cells * near->count, sizeof *near->colleague);
    near->coarse = myr_memory_zeros((int64_t)tree->cells + 1, sizeof *near->coarse);
    if (near->colleague && near->coarse && near_fill(tree, near))
        return MYR_OK;
    myr_octree_near_free(near);
    return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the near cells of %d cells", (int)tree->cells);
}

void myr_octree_near_free(myr_octree_near *near)
{
    free(near->colleague);
    free(near->coarse);
    free(near->leaf);
    free(near->image);
    memset(near, 0, sizeof *near);
}
