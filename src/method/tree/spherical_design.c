/* spherical_design.c - spherical designs from their representatives; see spherical_design.h and
 * tools/spherical_designs.py. */
#include "method/tree/spherical_design.h"

#include "method/tree/spherical_design_table.h"

int myr_spherical_design_points(int order)
{
    return order > 0 ? design_size[order - 1][0] * design_size[order - 1][1] : 1;
}

/* Rotated image k of a point: 1 is a half turn about z, 2 and 3 are the other half turns, 4 to 11 are combined with
 * turns by one or two thirds. */
static void design_rotate(const double *from, int k, double *to)
{
    static const double sign[4][3] = {{1, 1, 1}, {-1, -1, 1}, {1, -1, -1}, {-1, 1, -1}};
    for (int axis = 0; axis < 3; axis++)
        to[axis] = sign[k % 4][axis] * from[(axis + k / 4) % 3];
}

void myr_spherical_design_fill(int order, double (*point)[3])
{
    const double(*from)[3] = design_point;
    if (order == 0) {
        point[0][0] = point[0][1] = point[0][2] = 0;
        return;
    }
    for (int p = 1; p < order; p++)
        from += design_size[p - 1][0];
    for (int r = 0; r < design_size[order - 1][0]; r++)
        for (int k = 0; k < design_size[order - 1][1]; k++, point++)
            design_rotate(from[r], k, *point);
}
