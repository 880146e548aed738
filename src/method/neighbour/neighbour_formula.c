/* neighbour_formula.c - pair formula of a kernel written by a user: its constants, its strength, and its symmetry,
 * which the sums rely on. */
#include <math.h>
#include <stdlib.h>

#include "kernel/formula_constants.h"
#include "method/neighbour/neighbour_inside.h"

enum { PROBES = 64 }; /* distances at which a formula is looked at, equally spaced within the cutoff */

/* An energy with this weight is less than 2^44 integers (2^50 in double arithmetic) if its pair is within the limit of
 * the sums. */
static double formula_weight(const myr_neighbour *list)
{
    return myr_neighbour_energy_factor(list) * (list->unit[0]->real_bytes == 4 ? 0x1p-13 : 1);
}

void myr_neighbour_formula_constants(const myr_neighbour *list, double *c)
{
    const double unit = list->set.fixed ? ldexp(1, list->exponent) : 1;
    list->unit[0]->prepare(list->set.formula->parameter, c);
    c[FORMULA_SCALE] = 1 / unit;
    c[FORMULA_WEIGHT] = formula_weight(list);
}

static int formula_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Size of the force at probe k; -1 if there is none; NaN if force or energy do not obey f_ij = -f_ji. */
static double formula_probe(const myr_neighbour *list, const double *c, int k)
{
    static const double way[3] = {0.48, 0.64, 0.6};
    const double r = list->set.pair->cutoff * (k + 0.5) / PROBES;
    double force[3], back[3], energy, same, f2 = 0, d[3], other[3];
    for (int a = 0; a < 3; a++) {
        d[a] = way[a] * r;
        other[a] = -d[a];
    }
    list->unit[0]->one(c, d, force, &energy);
    list->unit[0]->one(c, other, back, &same);
    for (int a = 0; a < 3; a++)
        f2 += force[a] * force[a];
    if (!isfinite(f2) || !isfinite(energy))
        return -1;
    if (force[0] != -back[0] || force[1] != -back[1] || force[2] != -back[2] || energy != same)
        return NAN;
    return f2 > 0 ? sqrt(f2) : -1;
}

/* The strength is the median of the forces at equally spaced distances, so that neither a steep core nor a long tail
 * decides. */
myr_status myr_neighbour_formula_begin(myr_neighbour *list)
{
    double c[MYR_NEIGHBOUR_CONSTANTS] = {0}, size[PROBES];
    int probes = 0;
    list->unit[0]->prepare(list->set.formula->parameter, c);
    for (int k = 0; k < PROBES; k++) {
        const double found = formula_probe(list, c, k);
        if (isnan(found))
            return myr_context_fail(
                list->context, MYR_ERROR_COMBINATION,
                "kernel %s: the force on i is not opposite to the force on j, or their potentials "
                "differ, at a distance of %g; particles in a box need a force that is antisymmetric",
                list->set.formula->name, list->set.pair->cutoff * (k + 0.5) / PROBES);
        if (found > 0)
            size[probes++] = found;
    }
    if (!probes)
        return myr_context_fail(list->context, MYR_ERROR_VALUE,
                                "kernel %s has no finite force anywhere within its cutoff %g", list->set.formula->name,
                                list->set.pair->cutoff);
    qsort(size, (size_t)probes, sizeof *size, formula_compare);
    list->strength = size[probes / 2];
    return MYR_OK;
}

/* No pair within the limit exceeds 1/n of the sums, where n is the largest number of neighbours within the cutoff. */
double myr_neighbour_formula_limit(const myr_neighbour *list)
{
    const int is_float = list->unit[0]->real_bytes == 4;
    const double range = 0.98 * ldexp(1, is_float ? 31 : 61), one = ldexp(1, is_float ? 30 : 50);
    return list->near_most < (double)INFINITY ? fmin(range / fmax(list->near_most, 1), one) : -1;
}
