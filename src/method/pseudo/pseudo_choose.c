/* pseudo_choose.c - options of the pseudo-particle method for a tolerance. The table is measured: see
 * docs/decisions/tree.md. */
#include <math.h>

#include "method/tree/cell_moments.h"
#include "method/pseudo/pseudo.h"

/* Relative L2 error of the worst output by order: for masses (Plummer, uniform), and for charges of both signs
 * (uniform). */
static const double pseudo_rows[MYR_SPHERICAL_DESIGN_ORDER][2] = {
    {3e-2, 6e-2},   {6e-3, 1e-2},     {1.6e-3, 3.2e-3}, {4e-4, 1.1e-3},   {1.1e-4, 3e-4},
    {4.3e-5, 9e-5}, {1.5e-5, 4.6e-5}, {4.5e-6, 1.5e-5}, {1.6e-6, 5.7e-6}, {6.5e-7, 2.6e-6},
};
static const double PSEUDO_MARGIN = 1.5;
enum { PSEUDO_LEAF = 6 };

void myr_pseudo_choose(double tolerance, int one_sign, myr_pseudo_options *options)
{
    int order = 1;
    while (order < MYR_SPHERICAL_DESIGN_ORDER && PSEUDO_MARGIN * pseudo_rows[order - 1][!one_sign] > tolerance)
        order++;
    if (options->order == 0)
        options->order = order;
    /* 189 K^2 pairs between spheres balance 27 n^2 pairs between particles at n = 2.6 K; leaves hold between 1/8 of the
     * largest number and the largest number. */
    if (options->leaf == 0)
        options->leaf = PSEUDO_LEAF * (int64_t)myr_spherical_design_points(options->order);
}

double myr_pseudo_keeps(int order, int one_sign)
{
    return PSEUDO_MARGIN * pseudo_rows[order - 1][!one_sign];
}

double myr_pseudo_least(int one_sign)
{
    return myr_pseudo_keeps(MYR_SPHERICAL_DESIGN_ORDER, one_sign);
}

double myr_pseudo_soft_reach(double eps, double tolerance)
{
    const double a = MYR_CELL_MOMENTS_LATTICE;
    return eps * a * sqrt(1.0 / (16 * tolerance));
}
