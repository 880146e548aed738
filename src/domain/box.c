/* box.c - conversion between positions and integer box coordinates. */
#include "domain/box.h"

#include <math.h>

#include "domain/box_inside.h"

uint64_t myr_box_coordinate(const myr_box *box, int axis, double position, int32_t *image)
{
    const double boxes = (position - box->origin[axis]) / box->length[axis];
    double whole = floor(boxes), part = (boxes - whole) * 0x1p64;
    if (!(part < 0x1p64)) { /* a position just below the origin is rounded up to the next periodic image */
        part = 0;
        whole += 1;
    }
    if (image)
        *image = (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, whole));
    return (uint64_t)part;
}

double myr_box_position(const myr_box *box, int axis, uint64_t coordinate, int32_t image)
{
    return box_position(box->origin[axis], box->length[axis], coordinate, image);
}

int64_t myr_box_displacement(const myr_box *box, int axis, double displacement)
{
    return box_displacement(box->length[axis], displacement);
}
