/* box_gpu_inside.h - definitions shared by the files of particles in a box on a GPU; see box_gpu.c. */
#ifndef MYR_MOLECULAR_BOX_GPU_INSIDE_H
#define MYR_MOLECULAR_BOX_GPU_INSIDE_H

#include "backend/gpu.h"
#include "molecular/molecular.h"

enum { GPU_BATCH = 4096 }; /* steps between two returns of the device */

struct myr_molecular_gpu {
    const myr_gpu *gpu;
    myr_cuda_box *box;
    double *table;
    int sent;  /* 1 = the device has the particles; in a divided box with a halo that holds */
    int ahead; /* 1 = the device's particles are ahead of the engine's arrays */
    int exponent;
    int exponents[2]; /* of the last sums of momentum and of kinetic energy */
    double length[3];
    int indexed;                /* 1 = the device has the rows of the user for box_keep_good */
    myr_box good_box;           /* box at the copy that box_keep_good made */
    double furthest;            /* open axes: largest displacement in a step of the last steps; 0 = not known yet */
    double seconds;             /* spent in steps */
    myr_box_device past;        /* divided box: lists and times of devices that were closed for more room */
    int64_t room;               /* divided box: own particles and halo for which the device has room */
    double heat[2 * GPU_BATCH]; /* temperatures of the bath, see myr_cuda_box_steps */
};

/* Integer sum of the device from its halves. */
static inline myr_wide myr_molecular_gpu_total(const unsigned long long half[2])
{
    return (myr_wide)(long long)half[1] * ((myr_wide)1 << 32) + (myr_wide)half[0];
}

/* Sends what the device lacks. */
myr_status myr_molecular_gpu_send(myr_molecular *m);

/* Chooses the unit of the sums from the present positions. */
myr_status myr_molecular_gpu_choose_unit(myr_molecular *m);

/* 1 if an axis is open. */
int myr_molecular_gpu_is_open(const myr_molecular *m);

myr_cuda_box_set myr_molecular_gpu_set(const myr_molecular *m);
myr_cuda_box_arrays myr_molecular_gpu_arrays(const myr_molecular *m);

/* Sends box, constants of the pair formula and unit of the sums, if they have changed. */
myr_status myr_molecular_gpu_potential(myr_molecular *m);

/* Forces on the processor, for pairs that do not fit the integers of the device. */
myr_status myr_molecular_gpu_forces_here(myr_molecular *m, int store, myr_neighbour_sums *sums);

/* --- box_gpu_ranks.c: domains of a divided box, each on the GPU of its rank --- */

/* Fails if $MYRIAD_CUDA_DEVICES names more GPUs than there are ranks on this machine. */
myr_status myr_molecular_gpu_check_named(const myr_molecular *m, const myr_gpu *gpu);

/* Exchanges particles between domains, and sends own particles and halo to the device. */
myr_status myr_molecular_gpu_renew(myr_molecular *m);

/* Prepares the device for steps or forces: myr_molecular_gpu_renew if that is due. */
myr_status myr_molecular_gpu_regroup(myr_molecular *m);

/* Ends a step, which starts at a time, and whose particles may have left the list. */
myr_status myr_molecular_gpu_finish(myr_molecular *m, double time, const myr_cuda_box_steps *steps);

#endif
