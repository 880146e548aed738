/* mesh_loops.c - spreading and gathering loops, for the instruction sets of x86 that differ in speed. Multiplications
 * and additions are not fused, so that all of them give the same bits. */
#include "method/mesh/mesh_inside.h"

#define INSIDE __attribute__((always_inline)) static inline

/* Adding 1.5 2^52 to a double below 2^51 in size rounds it to an integer, which the lowest bits of the sum hold. */
#define MESH_ROUND 6755399441055744.0
#define MESH_ROUND_BITS 0x4338000000000000

#define REAL double
#define INTEGER int64_t
#define LANES MYR_MESH_LANES
#define LOOP(name) double_##name
#define COEFFICIENT(m, power) (m)->window.coefficient[power]
#define ROUND *to = (double_integers)(x + MESH_ROUND) - MESH_ROUND_BITS;
#include "method/mesh/mesh_loops_body.h"
#undef REAL
#undef INTEGER
#undef LANES
#undef LOOP
#undef COEFFICIENT
#undef ROUND

/* Floats are converted, which drops the fraction: a half with the sign of the number is added first. */
#define REAL float
#define INTEGER int32_t
#define LANES MYR_MESH_SINGLE_LANES
#define LOOP(name) single_##name
#define COEFFICIENT(m, power) (m)->coefficient[power]
#define ROUND                                                                                                          \
    const single_integers half = ((single_integers)x & INT32_MIN) | 0x3f000000;                                        \
    *to = __builtin_convertvector(x + (single_vector)half, single_integers);
#include "method/mesh/mesh_loops_body.h"

#define LOOPS(name, precision, vectors, attribute)                                                                     \
    attribute static void spread_##name(const myr_mesh *m, const myr_mesh_places *p, int64_t begin, int64_t end,       \
                                        const double *const weight[3], double scale)                                   \
    {                                                                                                                  \
        precision##_spread_body(m, vectors, p, begin, end, weight, scale);                                             \
    }                                                                                                                  \
    attribute static void gather_##name(const myr_mesh *m, const myr_mesh_place *p, int gradient, double sum[12])      \
    {                                                                                                                  \
        if (gradient)                                                                                                  \
            precision##_gather_body(m, vectors, p, 1, sum);                                                            \
        else                                                                                                           \
            precision##_gather_body(m, vectors, p, 0, sum);                                                            \
    }

/* 3 width numbers fill 2 to 6 vectors of doubles, 1 to 3 of floats. */
#define EVERY(name, attribute)                                                                                         \
    LOOPS(name##2, double, 2, attribute)                                                                               \
    LOOPS(name##3, double, 3, attribute)                                                                               \
    LOOPS(name##4, double, 4, attribute)                                                                               \
    LOOPS(name##5, double, 5, attribute)                                                                               \
    LOOPS(name##6, double, 6, attribute)                                                                               \
    LOOPS(name##_single1, single, 1, attribute)                                                                        \
    LOOPS(name##_single2, single, 2, attribute)                                                                        \
    LOOPS(name##_single3, single, 3, attribute)                                                                        \
    static myr_mesh_spread_loop *const spread_all_##name[] = {                                                         \
        spread_##name##2, spread_##name##3,        spread_##name##4,        spread_##name##5,                          \
        spread_##name##6, spread_##name##_single1, spread_##name##_single2, spread_##name##_single3};                  \
    static myr_mesh_gather_loop *const gather_all_##name[] = {                                                         \
        gather_##name##2, gather_##name##3,        gather_##name##4,        gather_##name##5,                          \
        gather_##name##6, gather_##name##_single1, gather_##name##_single2, gather_##name##_single3};

EVERY(plain, )
#if defined(__x86_64__)
EVERY(avx2, __attribute__((target("avx2"))))
EVERY(avx512, __attribute__((target("avx512f"))))
#endif

static int loops_index(const myr_mesh *m)
{
    const int lanes = m->choice.single ? MYR_MESH_SINGLE_LANES : MYR_MESH_LANES;
    const int vectors = (3 * m->choice.width + lanes - 1) / lanes;
    return m->choice.single ? 4 + vectors : vectors - 2;
}

myr_mesh_spread_loop *myr_mesh_spread_best(const myr_mesh *m)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return spread_all_avx512[loops_index(m)];
    if (__builtin_cpu_supports("avx2"))
        return spread_all_avx2[loops_index(m)];
#endif
    return spread_all_plain[loops_index(m)];
}

myr_mesh_gather_loop *myr_mesh_gather_best(const myr_mesh *m)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return gather_all_avx512[loops_index(m)];
    if (__builtin_cpu_supports("avx2"))
        return gather_all_avx2[loops_index(m)];
#endif
    return gather_all_plain[loops_index(m)];
}
