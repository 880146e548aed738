/* lane_math_unit.c - the lane functions over arrays, for one instruction set and one arithmetic. See lane_math.h. */
#include "backend/lane/lane.h"

#include "unit/lane_math.h"

#include <string.h>

/* the column of functions.def that is promised here */
#if MYR_ARITH == MYR_ARITH_DOUBLE && LANE_HAS_FMA
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) fused
#elif MYR_ARITH == MYR_ARITH_DOUBLE
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) plain
#elif MYR_ARITH == MYR_ARITH_PORTABLE
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) portable
#elif MYR_LANE_BYTES == 0
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) scalar
#elif MYR_LANE_BYTES == 64
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) avx512
#elif defined(__aarch64__)
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) neon
#elif LANE_HAS_FMA
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) avx2
#else
#define BOUND(scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide) sse2
#endif

#define LANE_FUNCTION(name, ...)                                                                                       \
    static void run_##name(const void *x, void *y, size_t n)                                                           \
    {                                                                                                                  \
        for (size_t at = 0; at < n * sizeof(real); at += sizeof(lane)) {                                               \
            lane a;                                                                                                    \
            memcpy(&a, (const char *)x + at, sizeof a);                                                                \
            a = lane_##name(a);                                                                                        \
            memcpy((char *)y + at, &a, sizeof a);                                                                      \
        }                                                                                                              \
    }
#include "backend/lane/functions.def"
#undef LANE_FUNCTION

extern const lane_math_unit LANE_MATH_UNIT;
const lane_math_unit LANE_MATH_UNIT = {
    .real_bytes = (int)sizeof(real),
    .portable = MYR_ARITH == MYR_ARITH_PORTABLE,
    .sin_max = (double)LANE_SIN_MAX,
    .bound =
        {
#define LANE_FUNCTION(name, instructions, ...) BOUND(__VA_ARGS__),
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
        },
    .run =
        {
#define LANE_FUNCTION(name, ...) run_##name,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
        },
};
