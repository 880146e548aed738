/* box_paths.h - time correlations of particles in a box: what is correlated, and the order in which it is summed,
 * shared by processor and GPU so that both have the same bits. */
#ifndef MYR_BACKEND_BOX_PATHS_H
#define MYR_BACKEND_BOX_PATHS_H

#include "backend/box_fields.h"

enum { BOX_PATHS_CHUNK = 256 }; /* particles whose terms are added in pairs; the sums of chunks are added one by one */

/* What is correlated in a sample. */
typedef struct {
    int32_t velocities; /* 1 = velocities, 0 = unfolded paths */
    int32_t types;      /* 1 = all particles are of one type */
    double edge[3];     /* of the box; 0 = the axis is open */
    double origin[3];
} box_paths;

/* Unfolded position along axis c: in fractions of the edge of a periodic axis. */
MYR_BOX_FN double box_paths_place(const box_paths *p, int c, double x, double image)
{
    return p->edge[c] > 0 ? (x - p->origin[c]) / p->edge[c] + image : x;
}

/* Path at a place, from the path at an earlier one; the box was the same since then. */
MYR_BOX_FN double box_paths_path(const box_paths *p, int c, double path, double before, double place)
{
    return path + (place - before) * (p->edge[c] > 0 ? p->edge[c] : 1);
}

MYR_BOX_FN double box_paths_term(const box_paths *p, const double now[3], const double then[3])
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += p->velocities ? now[c] * then[c] : (now[c] - then[c]) * (now[c] - then[c]);
    return sum;
}

/* Time correlations of a sample of an observable on a GPU. */
typedef struct {
    const void *key; /* of the observable */
    int64_t samples; /* that it has had before */
    box_paths set;
    double origin[3];     /* of the box */
    double h;             /* time by which velocities lag behind */
    const int64_t *index; /* place of each particle in the order of the user; null = the device has it */
    const double *path;   /* [6][n]: paths and unfolded positions of an earlier sample; null = velocities */
    double *slot; /* vectors of the first origin of time, [3][n]; those of the next follow after `stride` numbers */
    int64_t stride, slots;
    int64_t open;     /* origin that begins with this sample, whose vectors are written; -1 = none */
    int32_t *compare; /* [compares, at most slots]: origins with which the sample is compared */
    int64_t compares;
    double *part; /* [compares][types][chunks]: sums of terms */
} box_correlation;

#endif
