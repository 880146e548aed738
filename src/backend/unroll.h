/* unroll.h - loop of gravity with a plain sum, unrolled i x j ways as in paper 001, Fig. 1; part of isa.c. The
 * library's loops use the best of these (TILE_VECTORS in unit.c). */
#include "accumulator/single.h"

#define MYR_KERNEL gravity
#define MYR_KERNEL_FILE "kernel/gravity.h"
#include "backend/unit_kernel.h"

#undef TILE_VECTORS
#define TILE_VECTORS 1
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 1
#define LOOP_PREFIX myr_loop_unroll_1x1_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 2
#define LOOP_PREFIX myr_loop_unroll_1x2_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 4
#define LOOP_PREFIX myr_loop_unroll_1x4_
#define MYR_ACC single
#include "backend/sweep.h"

#undef TILE_VECTORS
#define TILE_VECTORS 2
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 1
#define LOOP_PREFIX myr_loop_unroll_2x1_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 2
#define LOOP_PREFIX myr_loop_unroll_2x2_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 4
#define LOOP_PREFIX myr_loop_unroll_2x4_
#define MYR_ACC single
#include "backend/sweep.h"

#undef TILE_VECTORS
#define TILE_VECTORS 4
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 1
#define LOOP_PREFIX myr_loop_unroll_4x1_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 2
#define LOOP_PREFIX myr_loop_unroll_4x2_
#define MYR_ACC single
#include "backend/sweep.h"
#undef TILE_STEPS
#undef LOOP_PREFIX
#define TILE_STEPS 4
#define LOOP_PREFIX myr_loop_unroll_4x4_
#define MYR_ACC single
#include "backend/sweep.h"

static const myr_unrolled unrolled[] = {
    {1, 1, myr_loop_unroll_1x1_single_many}, {1, 2, myr_loop_unroll_1x2_single_many},
    {1, 4, myr_loop_unroll_1x4_single_many}, {2, 1, myr_loop_unroll_2x1_single_many},
    {2, 2, myr_loop_unroll_2x2_single_many}, {2, 4, myr_loop_unroll_2x4_single_many},
    {4, 1, myr_loop_unroll_4x1_single_many}, {4, 2, myr_loop_unroll_4x2_single_many},
    {4, 4, myr_loop_unroll_4x4_single_many}, {0, 0, NULL},
};
