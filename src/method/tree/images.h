/* images.h - periodic box of a tree method: position of the root, and the near images, which are summed by displacing
 * the targets. All other images act through one operator on the box's multipoles (fmm_periodic.c). */
#ifndef MYR_METHOD_TREE_IMAGES_H
#define MYR_METHOD_TREE_IMAGES_H

#include "method/tree/octree.h"

enum { MYR_IMAGES_NEAR = 27 }; /* largest number of near images: the box itself and the boxes around it */

typedef struct {
    int periodic[3];          /* 1 = periodic axis; all 0 = no box */
    double origin[3], period; /* lower corner and edge of the box */
    /* Contribution of the images that are not near to the outputs, [outputs][targets], without the problem's factor;
     * null = none. */
    const double *far;
} myr_images;

/* Returns 1 if at least one axis is periodic. */
static inline int myr_images_any(const myr_images *images)
{
    return images->periodic[0] || images->periodic[1] || images->periodic[2];
}

/* Lower corner of the root of a tree over the particles of a box. Fails if the particles extend over more than one
 * period along an axis that is not periodic. */
myr_status myr_images_root(myr_context *context, const myr_images *images, const myr_points *sources,
                           const myr_points *targets, double origin[3]);

/* Makes the coordinates of the points be read wrapped into the box. */
void myr_images_wrap(const myr_images *images, myr_points *points);

/* Index of a near image, 0 to MYR_IMAGES_NEAR - 1, and the image of an index. myr_images_get returns 0 if the image is
 * displaced along an axis that is not periodic. */
int myr_images_number(myr_image image);
int myr_images_get(const myr_images *images, int number, myr_image *image);

/* Displacement of the targets that is equivalent to displacing the sources to an image. */
static inline void myr_images_shift(const myr_images *images, myr_image image, double shift[3])
{
    for (int axis = 0; axis < 3; axis++)
        shift[axis] = -image.by[axis] * images->period;
}

#endif
