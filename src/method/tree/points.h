/* points.h - positions of an evaluation's targets or sources as doubles, independent of the stored arithmetic. */
#ifndef MYR_METHOD_TREE_POINTS_H
#define MYR_METHOD_TREE_POINTS_H

#include <math.h>
#include <stddef.h>

#include "backend/job.h"

typedef struct {
    int64_t n;
    const void *high[3], *low[3]; /* arrays of reals; low is null if a coordinate is a single real */
    const int64_t *at;            /* [n]: index into the arrays; null = identity */
    int real_bytes;
    double origin[3], period[3]; /* periodic box into which positions are wrapped when read; period 0 = not periodic */
} myr_points;

/* Wraps a coordinate into a periodic box. */
static inline double myr_points_wrap(double x, double origin, double period)
{
    if (x >= origin && x < origin + period)
        return x;
    const double inside = x - period * floor((x - origin) / period);
    /* a coordinate slightly below the origin rounds to the upper end */
    return inside < origin + period ? inside : origin;
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
