/* images.c - a periodic box and its images; see images.h. */
#include "method/tree/images.h"

#include <math.h>

myr_status myr_images_root(myr_context *context, const myr_images *images, const myr_points *sources,
                           const myr_points *targets, double origin[3])
{
    const myr_points *set[2] = {sources, targets};
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        origin[axis] = images->origin[axis];
        for (int k = 0; k < 2 && !images->periodic[axis]; k++)
            for (int64_t i = 0; i < set[k]->n; i++) {
                const double x = myr_points_get(set[k], axis, i);
                low = fmin(low, x);
                high = fmax(high, x);
            }
        if (high - low > images->period)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "particles extend over %g along %c, which is not periodic, and the box is %g long "
                                    "where it is: methods with images need them within one length",
                                    high - low, "xyz"[axis], images -> period);
        if (high >= low)
            origin[axis] = 0.5 * (low + high) - 0.5 * images->period;
    }
    return MYR_OK;
}

void myr_images_wrap(const myr_images *images, myr_points *points)
{
    for (int axis = 0; axis < 3; axis++) {
        points->origin[axis] = images->origin[axis];
        points->period[axis] = images->periodic[axis] ? images->period : 0;
    }
}

int myr_images_number(myr_image image)
{
    return (image.by[0] + 1) * 9 + (image.by[1] + 1) * 3 + image.by[2] + 1;
}

int myr_images_get(const myr_images *images, int number, myr_image *image)
{
    const int by[3] = {number / 9 - 1, number / 3 % 3 - 1, number % 3 - 1};
    for (int axis = 0; axis < 3; axis++) {
        image->by[axis] = (int8_t)by[axis];
        if (by[axis] && !images->periodic[axis])
            return 0;
    }
    return 1;
}
