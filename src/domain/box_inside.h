/* box_inside.h - conversions between integer box coordinates and lengths (box.h). Compiled for the processor by box.c,
 * and for GPUs: the results have the same bits. */
#ifndef MYR_DOMAIN_BOX_INSIDE_H
#define MYR_DOMAIN_BOX_INSIDE_H

#include "core/elementary_inside.h"

MYR_ELEMENTARY double box_position(double origin, double length, uint64_t coordinate, int32_t image)
{
    return origin + length * ((double)image + (double)coordinate * 0x1p-64);
}

MYR_ELEMENTARY int64_t box_displacement(double length, double displacement)
{
    const double units = rint(displacement / length * 0x1p64);
    if (!(units < 0x1p63))
        return 0x7fffffffffffffff;
    return units < -0x1p63 ? -0x7fffffffffffffff - 1 : (int64_t)units;
}

#endif
