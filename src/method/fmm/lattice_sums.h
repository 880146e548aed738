/* lattice_sums.h - sums of irregular harmonics over the images of a periodic box. */
#ifndef MYR_METHOD_FMM_LATTICE_SUMS_H
#define MYR_METHOD_FMM_LATTICE_SUMS_H

/* value[order^2]: sum of I_nm(d) over integer lattice points d on the periodic axes with max |d| > near.
 *
 * images = 0: over the infinite lattice. Where the order of the terms matters, the sum is that of Ewald: with three
 * periodic axes degree 0 is the potential of a charge in a neutralising background with mean potential 0; with two, the
 * same in the plane; with one, degree 0 is 0. images > 0: plain sum over max |d| <= images. */
void myr_lattice_sum(int order, const int periodic[3], int near, int images, double *value);

#endif
