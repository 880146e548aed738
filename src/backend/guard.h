/* guard.h - what a formula is given, and how it says that it has no value. See kernel/kernel.h. */
#ifndef MYR_BACKEND_GUARD_H
#define MYR_BACKEND_GUARD_H

typedef struct {
    const coord *xi, *xj; /* position components of target and source */
    const lane *fi, *fj;  /* their other fields */
    const lane *pp;       /* parameters of this pair of types */
    const lane *c;        /* constants */
} myr_pair;

/* In the careful loop: which lanes count, and how many were left out for being at the same place. In the others
 * `careful` is 0 at compile time and nothing remains of it; a singular pair then gives a NaN, which the method
 * notices in the sums and answers by going through the careful loop. */
typedef struct {
    int careful;
    lmask ok;
    ilane skipped;
} myr_guard;

/* Leaves out the lanes in which r2 is 0, and counts them. */
MYR_FN void guard_singular(myr_guard *g, lane r2)
{
    if (!g->careful)
        return;
    lmask same = mask_and(g->ok, lane_eq(r2, lane_set(K(0))));
    g->skipped = g->skipped + mask_count(same);
    g->ok = mask_andnot(g->ok, same);
}

#endif
