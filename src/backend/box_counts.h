/* box_counts.h - counts of pairs by distance and of particles by slice, for observables of particles in a box: shared
 * by processor and GPU and evaluated in the same order on both, so that a pair at the edge of a bin falls on the same
 * side. */
#ifndef MYR_BACKEND_BOX_COUNTS_H
#define MYR_BACKEND_BOX_COUNTS_H

#include <math.h>

#include "backend/box_fields.h"

/* What is counted. */
typedef struct {
    int32_t is_pairs;    /* 1 = pairs by distance, 0 = particles by slice */
    int32_t types;       /* 1 = all particles are of one type */
    int32_t axis;        /* slices: axis */
    int32_t is_periodic; /* slices: 1 = the axis is periodic */
    int64_t rows;        /* bins or slices */
    int64_t columns;     /* pairs of types in triangular order, or types */
    double box[3];       /* pairs: edges */
    double reach;        /* pairs: end of the last bin */
    double low, edge;    /* slices: lowest position and extent */
} box_counting;

/* Index of a pair of types in triangular order: (0, 0), (0, 1), (1, 1), (0, 2), ... */
MYR_BOX_FN int32_t box_counting_pair(int32_t a, int32_t b)
{
    return a < b ? b * (b + 1) / 2 + a : a * (a + 1) / 2 + b;
}

/* Bin of a pair at a distance vector d, in a periodic box with edges whose inverses are given; -1 beyond the reach. */
MYR_BOX_FN int64_t box_counting_bin(const box_counting *b, const double inverse[3], double per_length,
                                    const double away[3])
{
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = away[c] - b->box[c] * rint(away[c] * inverse[c]);
    const double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    if (r2 >= b->reach * b->reach)
        return -1;
    const int64_t bin = (int64_t)(sqrt(r2) * per_length);
    return bin < b->rows ? bin : b->rows - 1;
}

/* Slice of a position along the axis; -1 outside of the slices. */
MYR_BOX_FN int64_t box_counting_slice(const box_counting *b, double position)
{
    const double part = (position - b->low) / b->edge;
    if (!b->is_periodic && !(part >= 0 && part < 1))
        return -1;
    const int64_t slice = (int64_t)((part - floor(part)) * (double)b->rows);
    return slice < b->rows ? slice : b->rows - 1;
}

#endif
