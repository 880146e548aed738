/* short_range.c - loops over windows in one arithmetic for one instruction set. Compiled many times with the macros of
 * unit_prologue.h. */
#include "backend/unit_prologue.h"

#include <float.h>

#include "backend/lane/across.h"
#include "backend/guard.h"
#include "backend/short_range.h"

#include "backend/short_range_loop.h"
#include "backend/short_range_second.h"
#include "backend/short_range_sift.h"
#include "backend/short_range_search.h"

/* A unit of a kernel written by a user has the name of the kernel. */
#ifdef MYR_KERNEL
#define UNIT_NAME MYR_CAT(CAT(myr_short_range_, MYR_KERNEL, _, MYR_ARITH_NAME), MYR_CAT(_, MYR_ISA))
#else
#define UNIT_NAME CAT(myr_short_range_, MYR_ARITH_NAME, _, MYR_ISA)
#endif

/* Arguments: halo, fixed-point sums, several types, square roots, energy and virial. */
#define WINDOW_LOOP(h, f, t, r, s)                                                                                     \
    static void window_loop_##h##f##t##r##s(myr_short_range_job *job)                                                  \
    {                                                                                                                  \
        window_rows(job, (window_kind){h, f, t, r, s});                                                                \
    }
#ifdef MYR_KERNEL /* no other treatment of the cutoff */
#define WINDOW_ROOTS(h, f, t)
#else
#define WINDOW_ROOTS(h, f, t) WINDOW_LOOP(h, f, t, 1, 0) WINDOW_LOOP(h, f, t, 1, 1)
#endif
#define WINDOW_ENDS(h, f, t) WINDOW_LOOP(h, f, t, 0, 0) WINDOW_LOOP(h, f, t, 0, 1) WINDOW_ROOTS(h, f, t)
#define WINDOW_TYPES(h, f) WINDOW_ENDS(h, f, 0) WINDOW_ENDS(h, f, 1)
/* A unit compiled on demand contains the loops of one kind of sums, with or without halo. */
#ifdef MYR_ONLY_HALO
#define WINDOW_HAS(h, f) (MYR_ONLY_HALO == (h) && MYR_ONLY_FIXED == (f))
#else
#define WINDOW_HAS(h, f) 1
#endif
#if WINDOW_HAS(0, 0)
WINDOW_TYPES(0, 0)
#endif
#if WINDOW_HAS(0, 1)
WINDOW_TYPES(0, 1)
#endif
#if WINDOW_HAS(1, 0)
WINDOW_TYPES(1, 0)
#endif
#if WINDOW_HAS(1, 1)
WINDOW_TYPES(1, 1)
#endif

MYR_FN real_uint window_upper(uint64_t q)
{
    return (real_uint)(sizeof(real) == 4 ? q >> 32 : q >> MYR_SHORT_RANGE_MISSING_BITS << MYR_SHORT_RANGE_MISSING_BITS);
}

static void window_pack(const uint64_t *coordinate, int64_t first, int64_t last, const int32_t *place, void *to)
{
    real_uint *x = (real_uint *)to;
    if (place) {
        for (int64_t k = first; k < last; k++)
            x[place[k]] = window_upper(coordinate[k]);
        return;
    }
#pragma omp simd
    for (int64_t k = first; k < last; k++)
        x[k] = window_upper(coordinate[k]);
}

/* Adds part [first, last) of a strip to a block of sums, and clears it. */
MYR_FN void window_take(void *strip, int64_t offset, int64_t count, const int fixed, void *block)
{
    real *r = (real *)strip + offset, *sum = (real *)block;
    real_uint *u = (real_uint *)strip + offset, *usum = (real_uint *)block;
#pragma omp simd
    for (int64_t k = 0; k < count; k++)
        if (fixed) {
            usum[k] += u[k];
            u[k] = 0;
        } else {
            sum[k] += r[k];
            r[k] = 0;
        }
}

enum { WINDOW_BLOCK = 512 };

static void window_gather_block(const myr_short_range_strip *strip, int strips, int axis, int fixed, int64_t first,
                                int64_t last, double factor, double *value)
{
    _Alignas(64) real_int block[WINDOW_BLOCK];
    memset(block, 0, sizeof block);
    for (int t = 0; t < strips; t++) {
        const int64_t from = strip[t].first > first ? strip[t].first : first;
        const int64_t to = strip[t].last < last ? strip[t].last : last;
        if (from >= to)
            continue;
        if (fixed)
            window_take(strip[t].sum[axis], from - strip[t].first, to - from, 1, block + (from - first));
        else
            window_take(strip[t].sum[axis], from - strip[t].first, to - from, 0, block + (from - first));
    }
    const real *sum = (const real *)(const void *)block;
    if (fixed) {
#pragma omp simd
        for (int64_t k = 0; k < last - first; k++)
            value[k] = (double)block[k] * factor;
    } else {
#pragma omp simd
        for (int64_t k = 0; k < last - first; k++)
            value[k] = (double)sum[k] * factor;
    }
}

static void window_gather(const myr_short_range_strip *strip, int strips, int axis, int fixed, int64_t first,
                          int64_t last, double factor, double *value)
{
    for (int64_t k = first; k < last; k += WINDOW_BLOCK) {
        const int64_t end = last - k < WINDOW_BLOCK ? last : k + WINDOW_BLOCK;
        window_gather_block(strip, strips, axis, fixed, k, end, factor, value + k);
    }
}

#ifdef MYR_KERNEL
#define ENDS(h, f, t)                                                                                                  \
    {                                                                                                                  \
        {                                                                                                              \
            window_loop_##h##f##t##00, window_loop_##h##f##t##01                                                       \
        }                                                                                                              \
    }
#else
#define ENDS(h, f, t)                                                                                                  \
    {                                                                                                                  \
        {window_loop_##h##f##t##00, window_loop_##h##f##t##01},                                                        \
        {                                                                                                              \
            window_loop_##h##f##t##10, window_loop_##h##f##t##11                                                       \
        }                                                                                                              \
    }
#endif
#define TYPES(h, f)                                                                                                    \
    {                                                                                                                  \
        ENDS(h, f, 0), ENDS(h, f, 1)                                                                                   \
    }

extern const myr_short_range_unit UNIT_NAME;
const myr_short_range_unit UNIT_NAME = {
    .arithmetic = MYR_ARITH,
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .search = window_search,
    .prune = window_prune,
    .loop =
        {
#if WINDOW_HAS(0, 0)
            [0][0] = TYPES(0, 0),
#endif
#if WINDOW_HAS(0, 1)
            [0][1] = TYPES(0, 1),
#endif
#if WINDOW_HAS(1, 0)
            [1][0] = TYPES(1, 0),
#endif
#if WINDOW_HAS(1, 1)
            [1][1] = TYPES(1, 1),
#endif
        },
    .second = window_second,
    .measure = window_measure,
    .pack = window_pack,
    .gather = window_gather,
    .constants = PAIR_CONSTANTS,
#ifdef MYR_KERNEL
    .prepare = formula_prepare,
    .one = formula_one,
#endif
};
