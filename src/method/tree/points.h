/* points.h - the positions of an evaluation's targets or sources as doubles, whatever the arithmetic keeps them in. */
#ifndef MYR_METHOD_TREE_POINTS_H
#define MYR_METHOD_TREE_POINTS_H

#include <math.h>
#include <stddef.h>

#include "backend/job.h"

typedef struct {
    int64_t n;
    const void *high[3], *low[3]; /* arrays of reals; low is null where a coordinate is one real */
    const int64_t *at;            /* [n]: where in the arrays; null = its own number */
    int real_bytes;
    double origin[3], period[3]; /* of a periodic box, in which they are seen; 0 = they are where they are */
} myr_points;

/* Where a coordinate is in a periodic box. */
static inline double myr_points_wrap(double x, double origin, double period)
{
    if (x >= origin && x < origin + period)
        return x;
    const double inside = x - period * floor((x - origin) / period);
    return inside < origin + period ? inside : origin; /* a little below the origin rounds to the upper end */
}

static inline double myr_points_place(const myr_points *p, int axis, int64_t k)
{
    if (p->real_bytes == (int)sizeof(double))
        return ((const double *)p->high[axis])[k];
    const double high = (double)((const float *)p->high[axis])[k];
    return p->low[axis] ? high + (double)((const float *)p->low[axis])[k] : high;
}

static inline double myr_points_get(const myr_points *p, int axis, int64_t i)
{
    const double x = myr_points_place(p, axis, p->at ? p->at[i] : i);
    return p->period[axis] > 0 ? myr_points_wrap(x, p->origin[axis], p->period[axis]) : x;
}

static inline myr_points myr_points_make(const myr_unit *unit, const myr_side *side, int64_t n, const int64_t *at)
{
    myr_points p = {.n = n, .at = at, .real_bytes = unit->real_bytes};
    for (int axis = 0; axis < 3; axis++) {
        p.high[axis] = side->component[axis * unit->coord_lanes];
        p.low[axis] = unit->coord_lanes == 2 ? side->component[axis * unit->coord_lanes + 1] : NULL;
    }
    return p;
}

#endif
