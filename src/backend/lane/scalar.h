/* scalar.h - lane of one number: the `ref` backend, and one CUDA thread. See lane.h for the contract. */
#ifndef MYR_BACKEND_LANE_SCALAR_H
#define MYR_BACKEND_LANE_SCALAR_H

#include <math.h>
#include <string.h>

#define LANES 1
typedef real lane;
typedef real_int ilane;
typedef real_uint ulane;
typedef int lmask;

/* A lane widened to double. */
typedef double wlane;

MYR_FN lane lane_set(real x)
{
    return x;
}

MYR_FN ilane lane_bits(lane x)
{
    ilane i;
    memcpy(&i, &x, sizeof i);
    return i;
}

MYR_FN lane lane_from_bits(ilane i)
{
    lane x;
    memcpy(&x, &i, sizeof x);
    return x;
}

MYR_FN lmask lane_lt(lane a, lane b)
{
    return a < b;
}

MYR_FN lmask lane_le(lane a, lane b)
{
    return a <= b;
}

MYR_FN lmask lane_eq(lane a, lane b)
{
    return a == b;
}

MYR_FN lmask mask_and(lmask a, lmask b)
{
    return a & b;
}

MYR_FN lmask mask_or(lmask a, lmask b)
{
    return a | b;
}

MYR_FN lmask mask_andnot(lmask a, lmask b) /* a and not b */
{
    return a & !b;
}

/* 1 if the mask holds, 0 elsewhere. */
MYR_FN ilane mask_count(lmask m)
{
    return m;
}

/* Bit l of `bits` is the truth value of lane l. */
MYR_FN lmask mask_from_bits(uint32_t bits)
{
    return (int)(bits & 1u);
}

MYR_FN lane lane_select(lmask m, lane a, lane b)
{
    return m ? a : b;
}

/* a if the mask holds, +0 elsewhere. */
MYR_FN lane lane_keep(lmask m, lane a)
{
    return m ? a : K(0);
}

MYR_FN lane lane_abs(lane a)
{
#if defined(__CUDACC__)
    /* becomes part of the operation that uses it */
    return sizeof(real) == sizeof(float) ? (lane)fabsf((float)a) : (lane)fabs((double)a);
#else
    return lane_from_bits((ilane)((ulane)lane_bits(a) & ((~(ulane)0) >> 1)));
#endif
}

#if defined(__CUDACC__) && __CUDA_ARCH__ >= 800 && MYR_ARITH != MYR_ARITH_PORTABLE && MYR_ARITH != MYR_ARITH_DOUBLE
/* One instruction instead of two; NaN if either operand is NaN. In every formula an operand that may be NaN is the
 * second, for which the other implementations give NaN as well. */
MYR_FN lane lane_min(lane a, lane b)
{
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}

MYR_FN lane lane_max(lane a, lane b)
{
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}
#else
/* Semantics of the x86 instructions: the second operand if either is NaN. */
MYR_FN lane lane_min(lane a, lane b)
{
    return a < b ? a : b;
}

MYR_FN lane lane_max(lane a, lane b)
{
    return a > b ? a : b;
}
#endif

MYR_FN ilane ilane_set(real_int i)
{
    return i;
}

MYR_FN ulane ulane_set(real_uint i)
{
    return i;
}

MYR_FN ilane ilane_shift_left(ilane a, int n)
{
    return (ilane)((ulane)a << n);
}

MYR_FN ilane ilane_shift_right(ilane a, int n) /* arithmetic */
{
    return a >> n;
}

MYR_FN ilane ilane_add(ilane a, ilane b) /* modulo 2^32 or 2^64 */
{
    return (ilane)((ulane)a + (ulane)b);
}

/* The integer of a real that is integral and fits, and back. */
MYR_FN ilane ilane_mark(ilane marks, ilane a, ilane b)
{
    return marks | (a ^ b);
}

MYR_FN lane lane_from_int(ilane a)
{
    return (lane)a;
}

#ifndef MYR_SEPARATE
/* a*b + c rounded once. */
MYR_FN lane lane_fma_exact(lane a, lane b, lane c)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return fma(a, b, c);
#else
    return fmaf(a, b, c);
#endif
}

MYR_FN lane lane_madd(lane a, lane b, lane c)
{
    return lane_fma_exact(a, b, c);
}
#define LANE_HAS_FMA 1
#else
MYR_FN lane lane_madd(lane a, lane b, lane c)
{
    return a * b + c;
}
#define LANE_HAS_FMA 0
#endif

MYR_FN int lane_all(lmask m)
{
    return m;
}

MYR_FN uint32_t ilane_any(ilane a)
{
    return a != 0;
}

#define LANE_AT(v, l) (v)

/* Wide lanes: double in every arithmetic. */
MYR_FN wlane wlane_from(lane a)
{
    return (double)a;
}

MYR_FN lane lane_from_wide(wlane a)
{
    return (lane)a;
}

MYR_FN wlane wlane_zero(void)
{
    return 0.0;
}

MYR_FN wlane wlane_load(const double *p)
{
    return *p;
}

MYR_FN void wlane_store(double *p, wlane a)
{
    *p = a;
}

MYR_FN wlane wlane_add(wlane a, wlane b)
{
    return a + b;
}

MYR_FN wlane wlane_sub(wlane a, wlane b)
{
    return a - b;
}

MYR_FN wlane wlane_mul(wlane a, wlane b)
{
    return a * b;
}

/* p[l] += a[l] for integers widened to 64 bits. */
MYR_FN void ilane_add_to(int64_t *p, ilane a)
{
    *p += (int64_t)a;
}

#endif
