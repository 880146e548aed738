/* box_terms.h - what a pair of particles in a box adds to the sums over all pairs. */
#ifndef MYR_KERNEL_BOX_TERMS_H
#define MYR_KERNEL_BOX_TERMS_H

/* Sums over pairs: energy, then the virial x_a F_b: xx, yy, zz, yz, xz, xy. */
MYR_FN void box_terms(lane energy, const lane *d, const lane *force, lane *term)
{
    term[0] = energy;
    term[1] = d[0] * force[0];
    term[2] = d[1] * force[1];
    term[3] = d[2] * force[2];
    term[4] = d[1] * force[2];
    term[5] = d[0] * force[2];
    term[6] = d[0] * force[1];
}

#endif
