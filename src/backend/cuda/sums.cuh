/* sums.cuh - records, grids and sums of the loops on a GPU: what sweep.cuh and far_near.cuh share. Compiled for one
 * kernel, accumulator and arithmetic; the macros are those of sweep.cuh, and
 *   SWEEP_BOUNDED   1 (default) = callers know the sizes of the sources of a bag (backend/sweep.h) */
#ifndef MYR_BACKEND_CUDA_SUMS_CUH
#define MYR_BACKEND_CUDA_SUMS_CUH

#include "backend/unit_prologue.h"

#include "backend/cuda/copy.cuh"
#include "backend/cuda/launch_args.h"

#define UNIT_OUTPUTS (CUDA_OUTPUTS ? CUDA_OUTPUTS : KERNEL_(_OUTPUTS))
#include "backend/unit_kernel.h"
#include MYR_ACC_FILE

enum {
    CONSTANTS = KERNEL_(_CONSTANTS),
    /* records are padded to load in pieces of 16 bytes; a source's type is stored after its fields */
    RECORD = MYR_CUDA_BAG_ALIGN / (int)sizeof(real),
    TARGET_STRIDE = (TARGET_LANES + RECORD - 1) / RECORD * RECORD,
    SOURCE_STRIDE = (SOURCE_LANES + (PAIR ? 1 : 0) + RECORD - 1) / RECORD * RECORD,
    PAIR_ROW = PAIR * CUDA_TYPES /* reals of the table for one source type: [PAIR][target types] */
};

#define LOOP_PREFIX gpu_
#define MYR_ACC MYR_ACC_NAME
#ifndef SWEEP_BOUNDED
#define SWEEP_BOUNDED 1
#endif
#include "backend/sweep.h"
#define ACC_(f) MYR_CAT(MYR_ACC_NAME, f)
#define ACC_WIDE MYR_CAT(MYR_ACC_NAME, _WIDE)
#define ACC_HOLDS MYR_CAT(MYR_ACC_NAME, _HOLDS)
#define SUM_(f) MYR_CAT(MYR_CAT(gpu_, MYR_ACC_NAME), f)
#define SUM_PROVES (ACC_WIDE && KERNEL_BOUNDED && SWEEP_BOUNDED) /* SWEEP_PROVES of backend/sweep.h */
typedef ACC_(_state) sum_state;
typedef SUM_(_reach) sum_reach;

struct __align__(MYR_CUDA_BAG_ALIGN) target_record
{
    real lane[TARGET_STRIDE];
};
struct __align__(MYR_CUDA_BAG_ALIGN) source_record
{
    real lane[SOURCE_STRIDE];
};
struct pair_record {
    real lane[PAIR ? PAIR : 1];
};

/* A sum of a loop. Where the processor emulates a GPU, the functions of accumulators read wide integers behind it. */
typedef struct {
#if defined(__CUDACC__)
    myr_word word[MYR_ACC_LOOP_WORDS];
#else
    myr_word word[MYR_ACC_WORDS];
#endif
} sum_words;

#if MYR_ARITH == MYR_ARITH_DOUBLE
#define REAL_OF(x) ((x).wide)
#else
#define REAL_OF(x) ((x).single)
#endif

/* Fixed-point grids in the arithmetic of the loop: converting a double made from a float back to float costs
 * nothing. */
struct sum_scales {
    myr_acc_scale output[OUTPUTS];
    __device__ __forceinline__ explicit sum_scales(const myr_cuda_sweep &a)
    {
        MYR_UNROLL
        for (int k = 0; k < OUTPUTS; k++) {
            output[k].fold = CUDA_FOLD;
            output[k].exponent = a.scale[k].exponent;
            output[k].large = REAL_OF(a.grid[k].large);
            output[k].both = REAL_OF(a.grid[k].both);
            output[k].coarse = REAL_OF(a.grid[k].coarse);
            output[k].middle = REAL_OF(a.grid[k].middle);
        }
    }
};

/* --- contributions beyond the range ------------------------------------------------------------------------------- */
#if ACC_WIDE
/* Adds the digits of a wide integer to those in memory. */
MYR_FN void over_add(myr_cuda_digits *to, myr_integer256 x)
{
    const int negative = myr_integer256_is_negative(x);
    if (negative)
        x = myr_integer256_negate(x);
    MYR_UNROLL
    for (int k = 0; k < MYR_CUDA_DIGITS; k++) {
        const long long digit = (long long)(x.word[k / 2] >> (k % 2 * 32) & 0xffffffffu);
        if (digit)
            atomicAdd((unsigned long long *)&to->digit[k], (unsigned long long)(negative ? -digit : digit));
    }
}

/* Adds (or subtracts) s*d to the wide integer of output k of target i; returns 1 if it is not finite or too large. Not
 * inlined, because it is long and seldom called. */
static __device__ __noinline__ uint32_t over_product(const myr_cuda_sweep &a, int64_t i, int k, real s, real d,
                                                     int subtract)
{
    myr_integer256 product;
    if (!wide_product(s, d, fixed_unit(&a.scale[k]), &product))
        return 1;
    over_add(&a.over[i * OUTPUTS + k], subtract ? myr_integer256_negate(product) : product);
    a.over_used[i] = 1;
    atomicAdd(&a.report->beyond[k], 1ull);
    return 0;
}

/* Wide integer of output k of target i. The digits come from atomic operations of other threads, past this
 * multiprocessor's cache. */
MYR_FN myr_integer256 over_load(const myr_cuda_sweep &a, int64_t i, int k)
{
    myr_integer256 sum = {{0, 0, 0, 0}};
    for (int n = 0; n < MYR_CUDA_DIGITS; n++)
        sum = myr_integer256_add(sum, myr_integer256_from((__int128)__ldcg(&a.over[i * OUTPUTS + k].digit[n]), 32 * n));
    return sum;
}

MYR_FN void over_clear(const myr_cuda_sweep &a, int64_t i, int k)
{
    for (int n = 0; n < MYR_CUDA_DIGITS; n++)
        a.over[i * OUTPUTS + k].digit[n] = 0;
}

/* A contribution beyond the range as the loop added it, to be taken out of the loop's sums. */
struct beyond_words {
    ulane coarse[OUTPUTS], fine[OUTPUTS];
};

/* Adds the contributions of one pair that are beyond the range to the wide integers of target i, and notes their words;
 * returns 1 if one is not finite. */
MYR_FN uint32_t pair_beyond(const myr_cuda_sweep &a, const sum_scales &scale, const myr_pair *in, int careful,
                            int counts, int64_t i, int subtract, beyond_words &out)
{
    myr_guard guard = {1, counts, 0, 0};
    lane s[MYR_KERNEL_OUTPUTS_MAX], d[MYR_KERNEL_OUTPUTS_MAX];
    KERNEL_(_pair)(in, &guard, s, d);
    uint32_t flag = !careful && guard.skipped; /* coincident particles, which the loop did not skip */
    MYR_UNROLL
    for (int k = 0; k < OUTPUTS; k++) {
        ulane coarse, fine;
        s[k] = lane_keep(guard.ok, s[k]);
        d[k] = lane_keep(guard.ok, d[k]);
        ACC_(_round)(&scale.output[k], s[k], d[k], &coarse, &fine);
        if (!((coarse ^ ACC_(_large)(&scale.output[k])) >> REAL_MANTISSA))
            continue;
        out.coarse[k] += coarse - ACC_(_large)(&scale.output[k]);
        out.fine[k] += fine - ACC_(_three)(&scale.output[k]);
        flag |= over_product(a, i, k, s[k], d[k], subtract);
    }
    return flag;
}

MYR_FN ulane warp_sum(ulane x)
{
    MYR_UNROLL
    for (int half = 16; half > 0; half /= 2)
        x += __shfl_xor_sync(~0u, x, half);
    return x;
}
#endif

/* --- sizes of the sources of a bag ---------------------------------------------------------------------------------
 */
#if SUM_PROVES
/* Bits of the size of a real, which order sizes as the sizes themselves, and NaN above them. */
#if MYR_ARITH == MYR_ARITH_DOUBLE
typedef unsigned long long size_bits;
#else
typedef unsigned size_bits;
#endif

MYR_FN size_bits warp_max(size_bits x)
{
#if __CUDA_ARCH__ >= 800 && MYR_ARITH != MYR_ARITH_DOUBLE
    return __reduce_max_sync(~0u, x);
#else
    MYR_UNROLL
    for (int half = 16; half > 0; half /= 2) {
        const size_bits other = __shfl_xor_sync(~0u, x, half);
        x = other > x ? other : x;
    }
    return x;
#endif
}

/* Raises most[c] to the largest |component c| of the sources in the bag; all threads of the block take part. */
MYR_FN void bag_measure(const source_record *bag, int count, size_bits *most)
{
    size_bits size[SOURCE_LANES] = {};
    for (int n = threadIdx.x; n < count; n += blockDim.x)
        MYR_UNROLL
    for (int c = 0; c < SOURCE_LANES; c++) {
        const size_bits bits = (size_bits)lane_bits(bag[n].lane[c]) & ~(size_bits)0 >> 1;
        size[c] = bits > size[c] ? bits : size[c];
    }
    MYR_UNROLL
    for (int c = 0; c < SOURCE_LANES; c++) {
        const size_bits all = warp_max(size[c]);
        if (threadIdx.x % 32 == 0)
            atomicMax(&most[c], all);
    }
}
#endif

/* --- finished sums ------------------------------------------------------------------------------------------------ */
/* Value of a sum of target i, with its wide integer, before it is multiplied by the factor of all sums. */
MYR_FN double sum_total(const myr_cuda_sweep &a, int64_t i, int k, const myr_word *sum)
{
#if ACC_WIDE
    if (__ldcg(&a.over_used[i]))
        return fixed_total(sum, over_load(a, i, k), &a.scale[k]);
#endif
    return ACC_(_value)(sum, &a.scale[k]);
}

MYR_FN double sum_value(const myr_cuda_sweep &a, int64_t i, int k, const myr_word *sum)
{
    return sum_total(a, i, k, sum) * a.factor;
}

/* Clears the wide integers of target i after their last use. */
MYR_FN void sums_clear(const myr_cuda_sweep &a, int64_t i)
{
#if ACC_WIDE
    if (!__ldcg(&a.over_used[i]))
        return;
    for (int k = 0; k < OUTPUTS; k++)
        over_clear(a, i, k);
    a.over_used[i] = 0;
#endif
}

/* Converts a sum to a number and stores it in the values. */
MYR_FN void sum_finish(const myr_cuda_sweep &a, int64_t i, int k, const myr_word *sum)
{
    const double value = sum_value(a, i, k, sum);
    if (a.value[k])
        a.value[k][i] = value;
    if (!isfinite(value))
        atomicMax(&a.report->bad, (int32_t)(0x7fffffff - i));
}

#endif
