/* neighbour_unit.c - unit of the fixed-point sums, 2^exponent: fine enough for typical pairs.
 *
 * Pairs are counted by the exponent of their repulsion 48 epsilon (sigma/r)^12 / sigma. The errors of the forces that
 * floating-point pairs have are about 2^-21 of their root mean square per particle. The unit is 2^-UNIT_BITS of that,
 * with which rounding adds less than a tenth to the errors. So that a few close pairs have no influence, the strongest
 * pairs are left out of the mean, and the mean is at most twice the typical repulsion: half as many pairs as there are
 * particles, one for each, are stronger than that.
 *
 * With a formula of a user, the size of the force takes the place of the repulsion. All pairs within the cutoff may be
 * strong then, so that the unit is coarser where there are many of them: rounding would otherwise be finer than needed,
 * and sums would not fit.
 *
 * The unit is chosen with the first evaluation, and again when the caller asks for it: at steps that depend on the
 * number of the step only. It depends on the positions only, so that it is the same on any number of threads and
 * domains and after a restart. */
#include <math.h>

#include "method/neighbour/neighbour_inside.h"

/* UNIT_WEAKEST: repulsion below which pairs do not count, in units of the largest epsilon/sigma; UNIT_WEAKEST_FORMULA:
 * of a user's formula, binary orders below the typical force. UNIT_TAIL, UNIT_FEW:
 * one for so many particles, and so many in any case, are left out of the mean. UNIT_LOWEST: lowest class of the mean.
 */
enum {
    UNIT_BITS_FLOAT = 24,
    UNIT_BITS_DOUBLE = 46,
    UNIT_WEAKEST = 8,
    UNIT_WEAKEST_FORMULA = 10,
    UNIT_TAIL = 1024,
    UNIT_FEW = 16,
    UNIT_LOWEST = -1,
    UNIT_NEIGHBOURS = 64, /* mean number of neighbours from which on the unit of a user's formula is coarser */
    UNIT_COARSER = 6
};
#define UNIT_ROUND 1.4 /* a mean square of 4^k/UNIT_ROUND is of class k */

static int unit_bits(const myr_neighbour *list)
{
    const int bits = list->unit[0]->real_bytes == 4 ? UNIT_BITS_FLOAT : UNIT_BITS_DOUBLE;
    if (!list->set.formula)
        return bits;
    const double *length = list->set.box.length, rc = list->set.pair->cutoff;
    const double mean = (double)list->set.all / (length[0] * length[1] * length[2]) * (4.19 * rc * rc * rc);
    return bits - (mean > UNIT_NEIGHBOURS ? (int)fmin(1 + ilogb(mean / UNIT_NEIGHBOURS), UNIT_COARSER) : 0);
}

/* Exponent of the weakest repulsion that counts; of a user's formula, of the weakest force. */
static int unit_weakest(const myr_neighbour *list)
{
    return list->set.formula ? ilogb(myr_neighbour_strength(list)) - UNIT_WEAKEST_FORMULA
                             : ilogb(UNIT_WEAKEST * myr_neighbour_strength(list));
}

void myr_neighbour_unit_first(myr_neighbour *list)
{
    list->exponent = unit_weakest(list) - unit_bits(list);
}

/* Numbers of pairs by exponent, own pairs counted twice and pairs with the halo, which another domain has too, once. */
static myr_status unit_count(myr_neighbour *list, myr_wide sum[MYR_SHORT_RANGE_SIZES])
{
    const int lowest = unit_weakest(list) - list->table_exponent;
    int64_t all[MYR_SHORT_RANGE_SIZES] = {0};
#pragma omp parallel for num_threads(list->team) schedule(static, 1) reduction(+ : all[:MYR_SHORT_RANGE_SIZES])
    for (int t = 0; t < list->threads; t++)
        for (int which = 0; which < NEIGHBOUR_LISTS; which++) {
            int64_t count[MYR_SHORT_RANGE_SIZES] = {0};
            myr_short_range_job job = {0};
            myr_neighbour_job(list, t, which, &job);
            list->unit[0]->measure(&job, list->set.types > 1, lowest, count);
            for (int k = 0; k < MYR_SHORT_RANGE_SIZES; k++)
                all[k] += which == NEIGHBOUR_HALO ? count[k] : 2 * count[k];
        }
    for (int k = 0; k < MYR_SHORT_RANGE_SIZES; k++)
        sum[k] = all[k];
    return myr_neighbour_add(list, sum, MYR_SHORT_RANGE_SIZES);
}

/* Class of the pair that is stronger than all but `rank` of the counts. */
static int unit_class(const myr_wide sum[MYR_SHORT_RANGE_SIZES], myr_wide rank)
{
    int class = MYR_SHORT_RANGE_SIZES - 1;
    for (myr_wide above = sum[class]; above<rank &&class> 0; above += sum[class])
        class --;
    return class;
}

/* Class of the root mean square per particle, without the strongest pairs. */
static int unit_mean(const myr_wide sum[MYR_SHORT_RANGE_SIZES], int64_t n)
{
    myr_wide left_out = n / UNIT_TAIL + UNIT_FEW;
    double square = 0;
    for (int k = MYR_SHORT_RANGE_SIZES - 1; k >= 0; k--) {
        const myr_wide out = sum[k] < left_out ? sum[k] : left_out;
        left_out -= out;
        square += ldexp((double)(sum[k] - out), 2 * k - 1);
    }
    const double mean = UNIT_ROUND * square / (double)n;
    for (int class = MYR_SHORT_RANGE_SIZES; class > UNIT_LOWEST; class --)
        if (mean >= ldexp(1, 2 * class))
            return class;
    return UNIT_LOWEST;
}

void myr_neighbour_unit_from(myr_neighbour *list, const myr_wide *sum)
{
    const int mean = unit_mean(sum, list->set.all), most = unit_class(sum, list->set.all) + 1;
    list->exponent = unit_weakest(list) + (mean < most ? mean : most) - unit_bits(list);
}

int myr_neighbour_unit_lowest(const myr_neighbour *list)
{
    return unit_weakest(list) - list->exponent;
}

myr_status myr_neighbour_unit_choose(myr_neighbour *list)
{
    myr_wide sum[MYR_SHORT_RANGE_SIZES];
    const myr_status status = unit_count(list, sum);
    if (!status)
        myr_neighbour_unit_from(list, sum);
    return status;
}

void myr_neighbour_choose_unit(myr_neighbour *list)
{
    list->choosing = list->set.fixed;
}

int myr_neighbour_exponent(const myr_neighbour *list)
{
    return list->exponent;
}

void myr_neighbour_set_exponent(myr_neighbour *list, int exponent)
{
    list->exponent = exponent;
}
