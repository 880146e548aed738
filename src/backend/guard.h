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
} myr_guard;

/* Skips and counts the lanes in which r2 is 0. */
MYR_FN void guard_singular(myr_guard *g, lane r2)
{
    if (!g->careful)
        return;
    lmask same = mask_and(g->ok, lane_eq(r2, lane_set(K(0))));
    g->skipped = g->skipped + mask_count(same);
    g->ok = mask_andnot(g->ok, same);
}

#endif
