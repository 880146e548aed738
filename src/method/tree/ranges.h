/* ranges.h - growing list of ranges; adjacent ranges are joined. */
#ifndef MYR_METHOD_TREE_RANGES_H
#define MYR_METHOD_TREE_RANGES_H

#include <stdlib.h>

#include "method/tree/tiles.h"

typedef struct {
    myr_range *range; /* owned by the list; free() it */
    int64_t n, room;
    int64_t length; /* total length of all ranges */
} myr_ranges;

/* Appends a range; returns 0 if memory is short. */
static inline int myr_ranges_add(myr_ranges *list, int64_t first, int64_t count)
{
    if (count == 0)
        return 1;
    list->length += count;
    if (list->n && list->range[list->n - 1].first + list->range[list->n - 1].count == first) {
        list->range[list->n - 1].count += count;
        return 1;
    }
    if (list->n == list->room) {
        const int64_t room = 2 * list->room + 256;
        myr_range *range = realloc(list->range, (size_t)room * sizeof *range);
        if (!range)
            return 0;
        list->range = range;
        list->room = room;
    }
    list->range[list->n++] = (myr_range){first, count};
    return 1;
}

#endif
