/* tree_choose.c - options of the tree code for a tolerance. The tables are measured: see docs/decisions/tree.md. */
#include <math.h>

#include "backend/backend.h"
#include "core/elementary.h"
#include "method/tree/cell_moments.h"
#include "method/tree/tree.h"

/* The rms error of accelerations is below size * error^power, and about two thirds of that, for all distributions tried
 * (Plummer, Hernquist, uniform; 10^4 to 10^6 particles). Rows are sorted by the smallest tolerance for which they are
 * fastest. */
static const struct {
    double least;
    int order;
    double size, power;
} tree_rows[] = {
    {5e-4, 1, 0.055, 0.5}, {5e-6, 2, 0.085, 0.63}, {5e-7, 4, 0.06, 0.79}, {1e-8, 6, 0.13, 0.97}, {0, 10, 0.02, 1},
};

/* Targets per group by number of lanes of the unit. */
static const struct {
    int lanes;
    int64_t group;
} tree_groups[] = {{16, 256}, {8, 128}, {0, 64}};

/* Portable arithmetic has one rule for all machines, that of AVX-512. */
enum { TREE_LEAF = 32, PORTABLE_LANES = 16 };
#define TREE_ERROR 0.02 /* largest useful error: above, the estimate loses its meaning */

/* Row of the table for an order or for a tolerance. Strengths of both signs use spheres at every order, with many
 * points at low orders, so that higher orders are worthwhile at larger tolerances. */
static int tree_row(double tolerance, int order, int highest, int one_sign)
{
    enum { SOONER = 50 };
    const int last = (int)(sizeof tree_rows / sizeof *tree_rows) - 1;
    int row = one_sign ? 0 : 1;
    if (order > 0)
        while (row < last && tree_rows[row].order < order)
            row++;
    else
        while (row < last && tolerance < tree_rows[row].least * (one_sign ? 1 : SOONER) &&
               tree_rows[row + 1].order <= highest)
            row++;
    return row;
}

/* Error of cells with which a row keeps a tolerance. */
static double row_error(int row, double tolerance)
{
    return fmin(myr_elementary_power(tolerance / tree_rows[row].size, 1 / tree_rows[row].power), TREE_ERROR);
}

static int tree_highest(const myr_tree_options *options)
{
    return options->moving ? MYR_TREE_MOVING_ORDER : MYR_SPHERICAL_DESIGN_ORDER;
}

double myr_tree_keeps(const myr_direct *problem, const myr_tree_options *options)
{
    const int row = tree_row(0, options->order, tree_highest(options), myr_cell_moments_one_sign(problem));
    return options->theta > 0 ? INFINITY
                              : tree_rows[row].size * myr_elementary_power(options->error, tree_rows[row].power);
}

void myr_tree_tighten(double excess, int keep_order, const myr_direct *problem, myr_tree_options *options)
{
    const int highest = tree_highest(options), one_sign = myr_cell_moments_one_sign(problem);
    const int before = tree_row(0, options->order, highest, one_sign);
    const double tolerance = myr_tree_keeps(problem, options) / (1.3 * excess);
    int row = keep_order ? before : tree_row(tolerance, 0, highest, one_sign);
    row = row > before ? row : before;
    if (row > before)
        options->order = tree_rows[row].order;
    options->error = fmin(row_error(row, tolerance), options->error);
}

void myr_tree_choose(double tolerance, const myr_direct *problem, myr_tree_options *options)
{
    const int one_sign = myr_cell_moments_one_sign(problem);
    const int row = tree_row(tolerance, options->order, tree_highest(options), one_sign);
    int group = 0;
    if (options->order == 0)
        options->order = tree_rows[row].order;
    if (!(options->error > 0))
        options->error = row_error(row, tolerance);
    const int points = myr_cell_moments_points(
        myr_cell_moments_choose(options->order, one_sign, options->eps > 0 || options->moving), options->order);
    if (options->leaf == 0)
        options->leaf = points > TREE_LEAF ? points : TREE_LEAF;
    const int lanes = problem->unit->arithmetic == MYR_ARITHMETIC_PORTABLE ? PORTABLE_LANES : problem->unit->lanes;
    while (tree_groups[group].lanes > lanes)
        group++;
    if (options->group == 0)
        options->group = tree_groups[group].group;
}
