/* near_args.h - arguments of the kernels of near.cuh. Compiled by the host's compiler and by NVRTC, which must agree on
 * every offset. */
#ifndef MYR_BACKEND_CUDA_NEAR_ARGS_H
#define MYR_BACKEND_CUDA_NEAR_ARGS_H

#include <stdint.h>

enum {
    MYR_NEAR_THREADS = 128, /* threads of a block */
    MYR_NEAR_TARGETS = 8,   /* targets that a warp compares with each source that it has read */
    MYR_NEAR_SOURCE = 7,    /* columns of sources: position, velocity, factor of the squared radius */
    MYR_NEAR_TARGET = 8     /* columns of targets: position, velocity, squared radius, time ahead */
};

typedef struct {
    const double *source;  /* [MYR_NEAR_SOURCE][sources] */
    const double *target;  /* [MYR_NEAR_TARGET][targets] */
    uint32_t *mask;        /* [targets][words]: bit k of word w is 1 if source 32 w + k is near */
    int32_t *count;        /* [targets], 0 before near_mask: numbers of sources that are near */
    const int64_t *offset; /* [targets]: place of the first entry of a list in `list` */
    int32_t *list;
    int64_t sources, targets, words; /* words = sources / 32, rounded up */
    int64_t parts;                   /* warps that share the sources of a group of targets */
} myr_cuda_near;

#endif
