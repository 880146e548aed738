/* fmm_gpu.h - the far field on a GPU: its part of outputs, and targets that are not all of the sources. */
#ifndef MYR_METHOD_FMM_FMM_GPU_H
#define MYR_METHOD_FMM_FMM_GPU_H

#include "method/fmm/far_field.h"

enum {
    MYR_FMM_GPU_FIELDS = 3, /* largest number of fields of a target in a far field */
    MYR_FMM_GPU_MATRIX = MYR_KERNEL_OUTPUTS_MAX * MYR_FAR_FIELD_SUMS * (1 + MYR_FMM_GPU_FIELDS)
};

/* Factors of the far field's sums in the outputs: outputs are sums of products of a sum with a field of the target, or
 * with 1. matrix[outputs][sums][1 + MYR_FMM_GPU_FIELDS]. */
void myr_fmm_gpu_matrix(const myr_far_field *far, int outputs, double *matrix);

/* Returns 1 if some source has no strength, as test particles and targets that are no sources. strength: [strengths]
 * lane components whose product is the strength; the second one may be -1. */
int myr_fmm_gpu_has_idle(const myr_direct *problem, int strength[][2], int strengths);

/* A problem whose targets are all of its sources, made from another one. */
typedef struct {
    myr_direct problem;
    void *reals;     /* arrays of its particles */
    int64_t *self;   /* [sources]: identity */
    uint8_t *role;   /* [sources]: as in myr_cuda_far_options */
    int64_t *target; /* [targets of the other problem]: targets here */
    double *value;   /* [outputs][sources] */
} myr_fmm_gpu_targets;

/* Makes the problem. */
myr_status myr_fmm_gpu_targets_make(const myr_direct *problem, const myr_far_field *far, myr_fmm_gpu_targets *targets);

/* Picks the results of the other problem; skipped pairs of targets at one place are counted as well. */
void myr_fmm_gpu_targets_results(const myr_fmm_gpu_targets *targets, const myr_direct *problem,
                                 const myr_direct_result *all, myr_direct_result *result);

void myr_fmm_gpu_targets_free(myr_fmm_gpu_targets *targets);

#endif
