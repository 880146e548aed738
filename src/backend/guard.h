/* guard.h - arguments of a formula, and its report of a singular pair. See kernel/kernel.h. */
#ifndef MYR_BACKEND_GUARD_H
#define MYR_BACKEND_GUARD_H

typedef struct {
    const coord *xi, *xj; /* position components of target and source */
    const lane *fi, *fj;  /* other fields of target and source */
    const lane *pp;       /* parameters of this pair of types */
    const lane *c;        /* constants of the formula */
} myr_pair;

/* In the careful loop: lanes that count, and number of skipped coincident pairs. In other loops `careful` is 0 at
 * compile time and the guard is optimised away; a singular pair then gives a NaN, which the method detects in the sums
 * and handles by repeating the evaluation with the careful loop. */
typedef struct {
    int careful;
    lmask ok;
    ilane skipped;
    lane r2; /* squared distance of the pair, as the formula reported it */
} myr_guard;

/* Skips and counts the lanes in which r2 is 0. */
MYR_FN void guard_singular(myr_guard *g, lane r2)
{
    g->r2 = r2;
    if (!g->careful)
        return;
    lmask same = mask_and(g->ok, lane_eq(r2, lane_set(K(0))));
    g->skipped = g->skipped + mask_count(same);
    g->ok = mask_andnot(g->ok, same);
}

/* Limits for the proofs NAME_inside (kernel/kernel.h). A few products of numbers up to BOUND_MOST, or their squares,
 * are finite. Rounding changes the results of a formula by much less than the relative BOUND_MARGIN, and denormal
 * results by less than BOUND_TINY, the smallest normal number. */
#if MYR_ARITH == MYR_ARITH_DOUBLE
#define BOUND_MOST K(0x1p500)
#define BOUND_TINY K(0x1p-1022)
#define BOUND_FINITE K(0x1p1020)
#else
#define BOUND_MOST K(0x1p60)
#define BOUND_TINY K(0x1p-126)
#define BOUND_FINITE K(0x1p125)
#endif
#define BOUND_MARGIN K(1.015625)

/* Largest distance along an axis: the sum of the sizes of n coordinates of target and sources. */
MYR_FN lane bound_distance(const myr_pair *most, int n)
{
    lane sum = lane_set(K(0));
    for (int k = 0; k < n; k++)
        sum = sum + coord_size(most->xi[k]) + coord_size(most->xj[k]);
    return sum;
}

#endif
