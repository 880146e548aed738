/* spherical_design.h - spherical designs: points on the unit sphere over which the mean of every polynomial of degree
 * up to 2p equals its mean over the sphere. Pseudo-particles of order p sit on such points (paper 004, section 3.3 and
 * Table 1). */
#ifndef MYR_METHOD_TREE_SPHERICAL_DESIGN_H
#define MYR_METHOD_TREE_SPHERICAL_DESIGN_H

enum {
    MYR_SPHERICAL_DESIGN_ORDER = 10,
    MYR_SPHERICAL_DESIGN_POINTS = 216
}; /* highest order, and its number of points */

/* Number of points of order p: 1 (order 0), 4, 14, 26, 36, 60, 84, 108, 144, 180, 216. */
int myr_spherical_design_points(int order);

/* Fills point[0 .. points - 1]. Order 0 is one point at the centre. */
void myr_spherical_design_fill(int order, double (*point)[3]);

#endif
