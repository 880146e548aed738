/* box.h - the volume that particles live in, and where they are in it.
 *
 * A coordinate is an unsigned 64-bit number q: the position along an axis is origin + length (q / 2^64). On a periodic
 * axis wrap-around is the box's own, and the difference of two coordinates, taken as a signed number, is the minimum
 * image. An axis that is not periodic has a length of its own choosing, a power of two so large that nothing comes near
 * its ends; it grows by doubling, which moves no particle. */
#ifndef MYR_DOMAIN_BOX_H
#define MYR_DOMAIN_BOX_H

#include <stdint.h>

typedef struct {
    double origin[3];
    double length[3];
    int periodic[3];
} myr_box;

/* Where a position is along an axis; *image (where not null) counts how many boxes it was away. */
uint64_t myr_box_coordinate(const myr_box *box, int axis, double position, int32_t *image);

/* The position of a coordinate, `image` boxes away. */
double myr_box_position(const myr_box *box, int axis, uint64_t coordinate, int32_t image);

/* A displacement along an axis as a difference of coordinates, rounded to nearest. */
int64_t myr_box_displacement(const myr_box *box, int axis, double displacement);

#endif
