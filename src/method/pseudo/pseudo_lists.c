/* pseudo_lists.c - interaction lists of the pseudo-particle method; see pseudo.c. */
#include "method/pseudo/pseudo_inside.h"

static const myr_image here = {{0, 0, 0}};

static int pseudo_add_particles(const myr_pseudo_work *w, myr_ranges *list, int32_t cell, myr_image image)
{
    const myr_cell *c = &w->tree->cell[cell];
    return myr_ranges_add(&list[myr_images_number(image)], c->source, c->sources);
}

/* Appends a cell's far field: its outer sphere, or its sources if it has no sphere. */
static int pseudo_add_far(const myr_pseudo_work *w, myr_ranges *list, int32_t cell, myr_image image)
{
    const int64_t first = w->outer.first[cell];
    return first >= 0 ? myr_ranges_add(&list[myr_images_number(image)], first, w->outer.points)
                      : pseudo_add_particles(w, list, cell, image);
}

int myr_pseudo_list_far(const myr_pseudo_work *w, int32_t number, myr_ranges *list)
{
    const myr_cell *cell = w->tree->cell, *t = &cell[number];
    const myr_octree_near *near = &w->near;
    int ready = 1;
    if (t->parent < 0)
        return 1;
    const int32_t *colleague = near->colleague + (int64_t)t->parent * near->count;
    for (int k = 0; k < near->count; k++) {
        if (colleague[k] < 0)
            continue;
        const myr_cell *s = &cell[colleague[k]];
        const myr_image image = near->images ? myr_octree_image(near, &cell[t->parent], k) : here;
        if (!s->mask && !myr_octree_is_near_image(s, image, t, near->reach))
            ready &= pseudo_add_particles(w, list, colleague[k], image);
        for (int32_t child = s->child; s->mask && child < s->child + myr_octree_children(s); child++)
            if (!myr_octree_is_near_image(&cell[child], image, t, near->reach))
                ready &= pseudo_add_far(w, list, child, image);
    }
    for (int64_t k = near->coarse[t->parent]; k < near->coarse[t->parent + 1]; k++) {
        const myr_image image = near->images ? near->image[k] : here;
        if (!myr_octree_is_near_image(&cell[near->leaf[k]], image, t, near->reach))
            ready &= pseudo_add_particles(w, list, near->leaf[k], image);
    }
    return ready;
}

/* Lists U and W of a leaf within a near cell of the leaf's size or smaller. */
static int pseudo_descend(const myr_pseudo_work *w, const myr_cell *t, int32_t number, myr_image image,
                          myr_ranges *list)
{
    const myr_cell *s = &w->tree->cell[number];
    int ready = 1;
    if (!s->mask)
        return pseudo_add_particles(w, list, number, image);
    for (int32_t child = s->child; child < s->child + myr_octree_children(s); child++)
        ready &= myr_octree_is_near_moved(t, &w->tree->cell[child], w->near.reach, image.by)
                     ? pseudo_descend(w, t, child, image, list)
                     : pseudo_add_far(w, list, child, image);
    return ready;
}

int myr_pseudo_list_near(const myr_pseudo_work *w, int32_t number, myr_ranges *list)
{
    const myr_octree_near *near = &w->near;
    const myr_cell *t = &w->tree->cell[number];
    const int32_t *colleague = near->colleague + (int64_t)number * near->count;
    int ready = 1;
    for (int k = 0; k < near->count; k++)
        if (colleague[k] >= 0)
            ready &= pseudo_descend(w, t, colleague[k], near->images ? myr_octree_image(near, t, k) : here, list);
    for (int64_t k = near->coarse[number]; k < near->coarse[number + 1]; k++)
        ready &= pseudo_add_particles(w, list, near->leaf[k], near->images ? near->image[k] : here);
    for (int32_t c = number; c >= 0 && w->inner[c] < 0; c = w->tree->cell[c].parent)
        ready &= myr_pseudo_list_far(w, c, list);
    return ready;
}
