/* fmm_gpu_order.h - translations between cells for a GPU in portable arithmetic. */
#ifndef MYR_METHOD_FMM_FMM_GPU_ORDER_H
#define MYR_METHOD_FMM_FMM_GPU_ORDER_H

#include "method/fmm/expansion_operators.h"

/* The matrices of all offsets in one table, and where those of an offset are; see backend/cuda/far_args.h. */
typedef struct {
    double *reals;
    int64_t count, room;
    int32_t (*place)[6]; /* [width^3] */
} myr_fmm_gpu_order;

/* Packs the translations of operators in double; returns 0 if memory is short. */
int myr_fmm_gpu_order_make(const myr_expansion *e, myr_fmm_gpu_order *order);
void myr_fmm_gpu_order_free(myr_fmm_gpu_order *order);

#endif
