/* motion_inside.h - particles integrated on a device, shared by motion.c, motion_direct.c, far_motion.c and
 * mesh_motion.c. */
#ifndef MYR_BACKEND_CUDA_MOTION_INSIDE_H
#define MYR_BACKEND_CUDA_MOTION_INSIDE_H

#include "backend/cuda/cuda.h"

enum { MOTION_ARRAYS = 64 };

struct myr_cuda_motion {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device own;     /* device with its own stream and buffers; unused by far fields and meshes, which have one */
    cuda_device *device; /* the device of this motion */
    int64_t n;           /* number of particles; the first source.n of a job are its sources */
    int velocity;        /* as in myr_cuda_motion_set */
    int arrays, scratch; /* numbers of arrays, and of those at the end that nobody else reads */
    double *array[MOTION_ARRAYS]; /* host addresses, which identify the arrays */
    myr_cuda_move waiting;        /* sums executed by the next launch */
    /* Launches the waiting sums and, if `records` is 1, updates what the evaluation reads of the particles. */
    myr_status (*move)(myr_cuda_motion *m, int records);
    /* Evaluates; value[outputs]: arrays in device memory, or null. */
    myr_status (*rates)(myr_cuda_motion *m, const myr_direct *job, double *const *value);
    const cuda_program *program; /* direct sums: program with the kernel `move` */
    struct far_motion *far;      /* far field; null = none */
    struct mesh_motion *mesh;    /* mesh; null = none */
    /* far field or mesh: 1 = a sum exceeded its range or was not finite since the last motion_settle */
    int trouble;
};

/* Copies a description; the caller allocates arrays by cuda_motion_rooms. */
myr_status cuda_motion_make(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                            myr_cuda_motion **motion);
myr_status cuda_motion_rooms(myr_cuda_motion *m);

/* Device copy of an array, by host address; null for null. */
double *cuda_motion_array(const myr_cuda_motion *m, const double *host);

myr_status cuda_motion_check(const myr_cuda_motion *m, cudaError_t error, const char *what);
myr_status cuda_motion_clear_report(const myr_cuda_motion *m);

/* Frees a far field, or a mesh, and its part of a motion: far_motion.c, mesh_motion.c. */
void cuda_far_motion_close(struct far_motion *far);
void cuda_mesh_motion_close(struct mesh_motion *own);

#endif
