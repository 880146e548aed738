/* lattice_sums.h - sums of irregular harmonics over the images of a periodic box. */
#ifndef MYR_METHOD_FMM_LATTICE_SUMS_H
#define MYR_METHOD_FMM_LATTICE_SUMS_H

/* value[order^2]: the sum of I_nm(d) over the points d of whole numbers on the periodic axes with max |d| > near.
 *
 * images: 0 = over all of them, in the sense of an Ewald sum where the order of the terms matters: with three periodic
 * axes degree 0 is that of a charge in a background of the opposite charge whose potential has the mean 0; with two,
 * the same in the plane; with one it is 0. Else over max |d| <= images, as the terms are. */
void myr_lattice_sum(int order, const int periodic[3], int near, int images, double *value);

#endif
