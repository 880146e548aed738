/* pseudo_lists.c - which spheres and particles act on which, by the pseudo-particle method; see pseudo.c. */
#include "method/pseudo_inside.h"

/* What a cell's sources look like from far away. */
static int pseudo_add_far(const myr_pseudo_work *w, myr_ranges *list, int32_t cell)
{
    const myr_cell *c = &w->tree->cell[cell];
    return w->outer.first[cell] >= 0 ? myr_ranges_add(list, w->outer.first[cell], w->outer.points)
                                     : myr_ranges_add(list, c->source, c->sources);
}

static int pseudo_add_particles(const myr_pseudo_work *w, myr_ranges *list, int32_t cell)
{
    const myr_cell *c = &w->tree->cell[cell];
    return myr_ranges_add(list, c->source, c->sources);
}

int myr_pseudo_list_far(const myr_pseudo_work *w, int32_t number, myr_ranges *list)
{
    const myr_cell *cell = w->tree->cell, *t = &cell[number];
    int ready = 1;
    if (t->parent < 0)
        return 1;
    const int32_t *colleague = w->near.colleague + (int64_t)t->parent * w->near.count;
    for (int k = 0; k < w->near.count; k++) {
        if (colleague[k] < 0)
            continue;
        const myr_cell *s = &cell[colleague[k]];
        if (!s->mask && !myr_octree_is_near(s, t, w->near.reach))
            ready &= pseudo_add_particles(w, list, colleague[k]);
        for (int32_t child = s->child; s->mask && child < s->child + myr_octree_children(s); child++)
            if (!myr_octree_is_near(&cell[child], t, w->near.reach))
                ready &= pseudo_add_far(w, list, child);
    }
    for (int64_t k = w->near.coarse[t->parent]; k < w->near.coarse[t->parent + 1]; k++)
        if (!myr_octree_is_near(&cell[w->near.leaf[k]], t, w->near.reach))
            ready &= pseudo_add_particles(w, list, w->near.leaf[k]);
    return ready;
}

/* U and W of a leaf within a cell of its own size or smaller that is near it. */
static int pseudo_descend(const myr_pseudo_work *w, const myr_cell *t, int32_t number, myr_ranges *list)
{
    const myr_cell *s = &w->tree->cell[number];
    int ready = 1;
    if (!s->mask)
        return pseudo_add_particles(w, list, number);
    for (int32_t child = s->child; child < s->child + myr_octree_children(s); child++)
        ready &= myr_octree_is_near(t, &w->tree->cell[child], w->near.reach) ? pseudo_descend(w, t, child, list)
                                                                             : pseudo_add_far(w, list, child);
    return ready;
}

int myr_pseudo_list_near(const myr_pseudo_work *w, int32_t number, myr_ranges *list)
{
    const int32_t *colleague = w->near.colleague + (int64_t)number * w->near.count;
    int ready = 1;
    for (int k = 0; k < w->near.count; k++)
        if (colleague[k] >= 0)
            ready &= pseudo_descend(w, &w->tree->cell[number], colleague[k], list);
    for (int64_t k = w->near.coarse[number]; k < w->near.coarse[number + 1]; k++)
        ready &= pseudo_add_particles(w, list, w->near.leaf[k]);
    for (int32_t c = number; c >= 0 && w->inner[c] < 0; c = w->tree->cell[c].parent)
        ready &= myr_pseudo_list_far(w, c, list);
    return ready;
}
