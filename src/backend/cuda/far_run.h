/* far_run.h - one evaluation of a far field on one device, between its parts: far_run.c and far_share.c. */
#ifndef MYR_BACKEND_CUDA_FAR_RUN_H
#define MYR_BACKEND_CUDA_FAR_RUN_H

#include "backend/cuda/far_inside.h"

/* One evaluation. */
typedef struct {
    myr_cuda_far *far;
    const myr_direct *job;
    const myr_cuda_far_options *options;
    double *const *value; /* [outputs]: device memory, or null */
    int levels, from;     /* of the tree; which of the two orders holds the particles */
    int is_shared;        /* 1 = some targets are evaluated by another device */
    myr_far_series series;
} far_run;

/* Builds the tree and enqueues everything else; the particles are on the device (cuda_far_send). */
myr_status cuda_far_begin(far_run *r);

/* Waits for the end; repeats the passes with larger pools where they had too little room. */
myr_status cuda_far_end(far_run *r, myr_cuda_report *found);

/* Enqueues a copy to the host. */
myr_status cuda_far_copy(const far_run *r, void *to, const void *from, size_t size);

#endif
