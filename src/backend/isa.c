/* isa.c - the table of one instruction set: its units, and a loop that shows how fast it issues multiply-adds.
 * Compiled once per instruction set with MYR_ISA (its name), MYR_LANE_BYTES, MYR_UNITS_BUILT (the header with the tables
 * of its units) and the compiler's flags for it. */
#define MYR_ARITH MYR_ARITH_SINGLE
#include "backend/unit_prologue.h"

#include "backend/backend.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Tables of the units that this build holds, written by the build: units, internal, nears, windows, expansion. */
#include MYR_UNITS_BUILT

/* As many independent chains as hide the latency of the operation; lane_madd where it is fused, else a multiply and an
 * add. The empty assembly keeps the values in registers and the compiler from knowing them. */
#if MYR_LANE_BYTES == 0
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+v"(x))
#endif
#if !defined(__x86_64__)
#undef OPAQUE
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#endif

static double issue_single(int64_t rounds)
{
    lane x[MYR_ISSUE_CHAIN], a = lane_set(1.0f), b = lane_set(0x1p-30f), sum = lane_set(0.0f);
    MYR_UNROLL
    for (int k = 0; k < MYR_ISSUE_CHAIN; k++)
        x[k] = lane_set((float)k);
    OPAQUE(a);
    OPAQUE(b);
    for (int64_t n = 0; n < rounds; n++) {
        MYR_UNROLL
        for (int k = 0; k < MYR_ISSUE_CHAIN; k++) {
            x[k] = lane_madd(x[k], a, b);
            OPAQUE(x[k]);
        }
    }
    MYR_UNROLL
    for (int k = 0; k < MYR_ISSUE_CHAIN; k++)
        sum = sum + x[k];
    return (double)LANE_AT(sum, 0);
}

#if MYR_LANE_BYTES == 0
typedef double dlane;
#else
typedef double dlane __attribute__((vector_size(MYR_LANE_BYTES)));
#endif

/* The loop bodies below are one multiply and one add, or one fused operation: double lanes have no header here, so the
 * fused form is spelled with the compiler's builtin element by element only in scalar code. */
MYR_FN dlane issue_madd(dlane x, dlane a, dlane b)
{
#if MYR_LANE_BYTES == 64
    return (dlane)_mm512_fmadd_pd((__m512d)x, (__m512d)a, (__m512d)b);
#elif MYR_LANE_BYTES == 32
    return (dlane)_mm256_fmadd_pd((__m256d)x, (__m256d)a, (__m256d)b);
#elif MYR_LANE_BYTES == 0 && (defined(__FMA__) || defined(__aarch64__))
    return __builtin_fma(x, a, b);
#elif defined(__aarch64__)
    return (dlane)vfmaq_f64((float64x2_t)b, (float64x2_t)x, (float64x2_t)a);
#else
    return x * a + b;
#endif
}

static double issue_double(int64_t rounds)
{
    dlane x[MYR_ISSUE_CHAIN], a = 1.0 - (dlane){0}, b = 0x1p-60 - (dlane){0};
    double sum = 0;
    MYR_UNROLL
    for (int k = 0; k < MYR_ISSUE_CHAIN; k++)
        x[k] = (double)k - (dlane){0};
    OPAQUE(a);
    OPAQUE(b);
    for (int64_t n = 0; n < rounds; n++) {
        MYR_UNROLL
        for (int k = 0; k < MYR_ISSUE_CHAIN; k++) {
            x[k] = issue_madd(x[k], a, b);
            OPAQUE(x[k]);
        }
    }
    MYR_UNROLL
    for (int k = 0; k < MYR_ISSUE_CHAIN; k++)
        sum += LANE_AT(x[k], 0);
    return sum;
}

static double issue(int in_double, int64_t rounds)
{
    return in_double ? issue_double(rounds) : issue_single(rounds);
}

#if MYR_LANE_BYTES > 0
#include "backend/unroll.h"
#define UNROLLED unrolled
#else
#define UNROLLED NULL
#endif

extern const myr_isa_table CAT(myr_isa_, MYR_ISA, , );
const myr_isa_table CAT(myr_isa_, MYR_ISA, , ) = {
    .name = TEXT(MYR_ISA),
    .backend = MYR_LANE_BYTES == 0 ? "ref" : "simd",
    .has_fma = LANE_HAS_FMA,
    .units = units,
    .internal = internal,
    .windows = windows,
    .nears = nears,
    .expansion = expansion,
    .issue = issue,
    .lanes_single = LANES,
    .lanes_double = LANES == 1 ? 1 : LANES / 2,
    .unrolled = UNROLLED,
};
