/* lane.h - number type of formulas.
 *
 * A translation unit chooses its lane type with two macros before including this file:
 *   MYR_ARITH       one of MYR_ARITH_SINGLE, _MIXED, _PORTABLE, _DOUBLE
 *   MYR_LANE_BYTES  0 for one number at a time (ref, CUDA), or 16, 32, 64 for GNU vectors
 * and then writes `lane` where a formula would use float or double:
 *
 *   real      scalar type (float, or double in double arithmetic)
 *   lane      vector of LANES reals; + - * and unary minus work as on scalars
 *   ilane     vector of as many signed integers of the same size; ulane: unsigned integers
 *   lmask     one truth value per lane
 *   coord     position component: a lane, or a hi+lo pair of lanes in mixed and portable arithmetic
 *
 * K(x) is a literal of type real. MYR_FN marks every function of a formula. Multiply-add is written lane_madd: fused if
 * the instruction set has it, two roundings in portable arithmetic, never left to the compiler (the build turns
 * contraction off). With MYR_SEPARATE defined other arithmetics have two roundings as well, and roots and quotients are
 * those of IEEE: the same bits on every machine. */
#ifndef MYR_BACKEND_LANE_H
#define MYR_BACKEND_LANE_H

#include <stdint.h>

#define MYR_ARITH_SINGLE 0
#define MYR_ARITH_MIXED 1
#define MYR_ARITH_PORTABLE 2
#define MYR_ARITH_DOUBLE 3

#if !defined(MYR_ARITH) || !defined(MYR_LANE_BYTES)
#error "define MYR_ARITH and MYR_LANE_BYTES before including lane.h"
#endif

#if MYR_ARITH == MYR_ARITH_PORTABLE && !defined(MYR_SEPARATE)
#define MYR_SEPARATE
#endif

#if defined(__CUDACC__)
#define MYR_FN static __device__ __forceinline__
#else
#define MYR_FN static inline __attribute__((always_inline, unused))
#endif

/* Unrolls the following loop completely; the bounds of such loops are compile-time constants. */
#if defined(__clang__) || defined(__CUDACC__)
#define MYR_UNROLL _Pragma("unroll")
#else
#define MYR_UNROLL _Pragma("GCC unroll 32")
#endif

/* Requests n copies of the body of the following loop. */
#define MYR_PRAGMA(text) _Pragma(#text)
#if defined(__clang__) || defined(__CUDACC__)
#define MYR_UNROLL_BY(n) MYR_PRAGMA(unroll n)
#else
#define MYR_UNROLL_BY(n) MYR_PRAGMA(GCC unroll n)
#endif

#if MYR_ARITH == MYR_ARITH_DOUBLE
typedef double real;
typedef int64_t real_int;
typedef uint64_t real_uint;
#define REAL_MANTISSA 52 /* stored bits of the significand */
#else
typedef float real;
typedef int32_t real_int;
typedef uint32_t real_uint;
#define REAL_MANTISSA 23
#endif
#define K(x) ((real)(x))

#if MYR_LANE_BYTES == 0
#include "backend/lane/scalar.h"
#else
#include "backend/lane/vector.h"
#endif

#include "backend/lane/pair.h"
#include "backend/lane/approx.h"
#include "backend/lane/math.h"

/* Positions. In mixed and portable arithmetic a component is hi + lo, hi being the nearest real, so that the difference
 * of two close positions keeps the bits that a single real would lose. */
#if MYR_ARITH == MYR_ARITH_MIXED || MYR_ARITH == MYR_ARITH_PORTABLE
#define COORD_LANES 2
typedef struct {
    lane hi, lo;
} coord;

/* a - b; antisymmetric to the bit. */
MYR_FN lane lane_delta(coord a, coord b)
{
    return (a.hi - b.hi) + (a.lo - b.lo);
}

/* Size of a coordinate; NaN or infinite if a part is. */
MYR_FN lane coord_size(coord a)
{
    return lane_abs(a.hi) + lane_abs(a.lo);
}

/* a <= b exactly: hi decides, being the nearest real, and lo if the hi parts are equal. */
MYR_FN lmask coord_le(coord a, coord b)
{
    return mask_or(lane_lt(a.hi, b.hi), mask_and(lane_eq(a.hi, b.hi), lane_le(a.lo, b.lo)));
}

/* a - b as an unevaluated sum of two lanes, for formulas that need more bits than one lane (holograms). */
MYR_FN lane_pair lane_delta_pair(coord a, coord b)
{
    lane_pair d = pair_two_sum(a.hi, -b.hi);
    return pair_fast_two_sum(d.hi, d.lo + (a.lo - b.lo));
}
#else
#define COORD_LANES 1
typedef lane coord;

MYR_FN lane lane_delta(coord a, coord b)
{
    return a - b;
}

MYR_FN lane coord_size(coord a)
{
    return lane_abs(a);
}

MYR_FN lmask coord_le(coord a, coord b)
{
    return lane_le(a, b);
}

MYR_FN lane_pair lane_delta_pair(coord a, coord b)
{
    return pair_two_sum(a, -b);
}
#endif

#endif
