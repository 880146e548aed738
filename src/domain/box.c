/* box.c - conversion between positions and integer box coordinates. */
#include "domain/box.h"

#include <math.h>

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
    return box->origin[axis] + box->length[axis] * ((double)image + (double)coordinate * 0x1p-64);
}

int64_t myr_box_displacement(const myr_box *box, int axis, double displacement)
{
    const double units = rint(displacement / box->length[axis] * 0x1p64);
    if (!(units < 0x1p63))
        return INT64_MAX;
    return units < -0x1p63 ? INT64_MIN : (int64_t)units;
}
