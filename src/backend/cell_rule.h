/* cell_rule.h - rule by which the tree code opens cells. Compiled for the processor and for GPUs, so that both open the
 * same cells. */
#ifndef MYR_BACKEND_CELL_RULE_H
#define MYR_BACKEND_CELL_RULE_H

#include "backend/cell_axes.h"
#include "core/elementary_inside.h"

enum {
    CELL_STRENGTHS = 3, /* largest number of strength components */
    CELL_CROWD = 8      /* smallest group whose mean distance of neighbours is estimated */
};

typedef struct {
    int32_t order, is_sphere; /* is_sphere: cells are spheres of pseudo-particles, which are exact for 1/r only */
    double theta, error, eps, reach; /* as in myr_tree_options */
} cell_rule;

/* Squared distance below which a cell is opened, independent of its error. offset: squared distance of the centre of
 * its pseudo-particles from its own; core: its widest core, most: that of all cells. */
MYR_CELL_FN double cell_rule_open(const cell_rule *r, double side, double offset, double furthest, double core,
                                  double most)
{
    double open = furthest;
    if (r->theta > 0)
        open = fmax(open, side / r->theta + sqrt(offset));
    if (r->reach > 0) /* reach of the widest core of all sources; narrower cores reach less far */
        open = fmax(open, furthest + r->reach * (most > 0 ? core / most : 1));
    if (r->is_sphere && r->eps > 0 && !(r->theta > 0)) /* see cell_moments.h: trace of second moments */
        open = fmax(open, sqrt(r->eps * furthest / sqrt(2 * r->error)));
    return open * open;
}

/* Error estimate of a cell's acceleration at distance d: M s furthest^(p-1) / d^(p+3), with s = mean squared distance
 * of the sources from the centre; a bound of the first neglected degree. The error of the potential is d times that.
 * Stored is the squared distance at which the estimate is 1. M is the sum of |strength|: random elements need less (the
 * resulting error is a tenth of the requested error), but in a smooth flow the elements of a cell are alike although
 * their sum may vanish. */
MYR_CELL_FN void cell_rule_error(int order, double size, double spread, double furthest, double error[2])
{
    const double first = size * spread * elementary_whole_power(furthest, order - 1);
    error[0] = elementary_power(first, 2.0 / (order + 3));
    error[1] = elementary_power(first, 2.0 / (order + 2));
}

/* Rough acceleration and potential at the centre of a group of targets, by component of the strength: cells count as
 * one particle each and are opened within their side. */
typedef struct {
    double pull[CELL_STRENGTHS][3], potential[CELL_STRENGTHS];
} cell_pull;

/* Adds a cell whose sources' mean is at d from the group's centre; returns 0 if it must be opened instead. half: half
 * the longest edge of the group. */
MYR_CELL_FN int cell_pull_add(cell_pull *sum, int strengths, const double *net, const double d[3], double side,
                              int has_children, double half)
{
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], soft = half * half;
    const int far = square > side * side;
    if (!far && has_children && !(side < half))
        return 0;
    /* softened by half the side if the group may lie inside the cell */
    const double r2 = square + (far ? soft : soft + side * side / 4);
    for (int k = 0; k < CELL_STRENGTHS; k++) {
        if (k >= strengths)
            break;
        const double s = net[k] / (r2 * sqrt(r2));
        sum->potential[k] += s * r2;
        for (int axis = 0; axis < 3; axis++)
            sum->pull[k][axis] += s * d[axis];
    }
    return 1;
}

/* Factors of a cell's `error` beyond which the errors of acceleration and potential are small enough for a group. The
 * acceleration due to one neighbour at the mean distance is included, so that the estimate stays positive where all
 * others cancel. mean: mean of |strength| of all sources. */
MYR_CELL_FN void cell_rule_demand(const cell_rule *r, const cell_pull *sum, double half, int64_t targets, double mean,
                                  int with_potential, double factor[2])
{
    double size[2] = {0, 0};
    for (int k = 0; k < CELL_STRENGTHS; k++) {
        const double *pull = sum->pull[k];
        size[0] += pull[0] * pull[0] + pull[1] * pull[1] + pull[2] * pull[2];
        size[1] += sum->potential[k] * sum->potential[k];
    }
    size[0] = sqrt(size[0]);
    size[1] = sqrt(size[1]);
    if (targets >= CELL_CROWD && half > 0) {
        const double apart = 8 * half * half * half / (double)targets; /* cube of the mean distance of targets */
        size[0] = fmax(size[0], mean / elementary_power(apart, 2.0 / 3));
    }
    factor[0] = elementary_power(1 / (r->error * size[0]), 2.0 / (r->order + 3));
    factor[1] = with_potential ? elementary_power(1 / (r->error * size[1]), 2.0 / (r->order + 2)) : 0;
}

/* Squared distance of a place from a cuboid. */
MYR_CELL_FN double cell_box_distance(const double middle[3], const double half[3], const double *place)
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double off = fabs(place[axis] - middle[axis]) - half[axis];
        square += off > 0 ? off * off : 0;
    }
    return square;
}

#endif
