/* box.h - the simulation box and integer coordinates in it.
 *
 * A coordinate is an unsigned 64-bit integer q: the position along an axis is origin + length (q / 2^64). On a periodic
 * axis integer overflow wraps around the box, and the difference of two coordinates, read as a signed integer, is the
 * minimum image. A non-periodic axis has a length that is a power of two, so large that no particle comes near its
 * ends; doubling that length moves no particle. */
#ifndef MYR_DOMAIN_BOX_H
#define MYR_DOMAIN_BOX_H

#include <stdint.h>

typedef struct {
    double origin[3];
    double length[3];
    int periodic[3];
} myr_box;

/* Coordinate of a position along an axis; *image (unless null) receives the index of the periodic image. */
uint64_t myr_box_coordinate(const myr_box *box, int axis, double position, int32_t *image);

/* Position of a coordinate in periodic image `image`. */
double myr_box_position(const myr_box *box, int axis, uint64_t coordinate, int32_t image);

/* Difference of coordinates for a displacement along an axis, rounded to nearest. */
int64_t myr_box_displacement(const myr_box *box, int axis, double displacement);

#endif
