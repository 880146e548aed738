/* images.h - a periodic box: where its root is, and the images of it that are near, for methods that sum those by
 * moving their targets. All others act through one operator on the multipoles of the box (fmm_periodic.c). */
#ifndef MYR_METHOD_TREE_IMAGES_H
#define MYR_METHOD_TREE_IMAGES_H

#include "method/tree/octree.h"

enum { MYR_IMAGES_NEAR = 27 }; /* at most: the box itself and those around it */

typedef struct {
    int periodic[3];          /* none = there is no box */
    double origin[3], period; /* its lower corner, and its edge */
    /* What the images that are not near add to the outputs, [outputs][targets], without the problem's factor. Null =
     * nothing. */
    const double *far;
} myr_images;

/* Whether some axis is periodic. */
static inline int myr_images_any(const myr_images *images)
{
    return images->periodic[0] || images->periodic[1] || images->periodic[2];
}

/* The root of a tree over the particles of a box: its lower corner. Fails where they are not within one period along an
 * axis that is not periodic. */
myr_status myr_images_root(myr_context *context, const myr_images *images, const myr_points *sources,
                           const myr_points *targets, double origin[3]);

/* Makes points be seen at their places in the box. */
void myr_images_wrap(const myr_images *images, myr_points *points);

/* The number of an image that is near, 0 to MYR_IMAGES_NEAR - 1, and back: 0 where it is along an axis that is not
 * periodic. */
int myr_images_number(myr_image image);
int myr_images_get(const myr_images *images, int number, myr_image *image);

/* How targets are moved that see an image of the sources, instead of the sources. */
static inline void myr_images_shift(const myr_images *images, myr_image image, double shift[3])
{
    for (int axis = 0; axis < 3; axis++)
        shift[axis] = -image.by[axis] * images->period;
}

#endif
