/* lane_math_reference.c - see lane_math_reference.h. */
#include "unit/lane_math_reference.h"

#include "unit/lane_math.h"

#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ODD, EVEN, NEITHER, POSITIVE } symmetry; /* POSITIVE: only asked about numbers above 0 */

/* Where a function is interesting: magnitudes, in float and in double. */
static const struct {
    symmetry symmetry;
    double range[2][3][2];
} domain[LANE_MATH_FUNCTIONS] = {
    [LANE_MATH_exp] = {NEITHER, {{{0, 1}, {0, 90}, {86, 105}}, {{0, 1}, {0, 712}, {700, 750}}}},
    [LANE_MATH_exp2] = {NEITHER, {{{0, 1}, {0, 130}, {124, 152}}, {{0, 1}, {0, 1030}, {1015, 1080}}}},
    [LANE_MATH_exp2_normal] = {NEITHER, {{{0, 1}, {0, 48}, {100, 125}}, {{0, 1}, {0, 48}, {1000, 1021}}}},
    [LANE_MATH_log_pos] = {POSITIVE, {{{0.5, 2}, {0, 10}, {0, 1e6}}, {{0.5, 2}, {0, 10}, {0, 1e6}}}},
    [LANE_MATH_erf] = {ODD, {{{0, 1.2}, {0, 4.2}, {0.8, 2}}, {{0, 1.2}, {0, 6.2}, {0.8, 2}}}},
    [LANE_MATH_sin] = {ODD, {{{0, 2}, {0, 20}, {0, 13000}}, {{0, 2}, {0, 20}, {0, 1.01e6}}}},
    [LANE_MATH_cos] = {EVEN, {{{0, 2}, {0, 20}, {0, 13000}}, {{0, 2}, {0, 20}, {0, 1.01e6}}}},
    [LANE_MATH_sin_turns] = {ODD, {{{0, 0.5}, {0, 0.25}, {0, 1e5}}, {{0, 0.5}, {0, 0.25}, {0, 1e9}}}},
    [LANE_MATH_cos_turns] = {EVEN, {{{0, 0.5}, {0, 0.25}, {0, 1e5}}, {{0, 0.5}, {0, 0.25}, {0, 1e9}}}},
    [LANE_MATH_sqrt] = {POSITIVE, {{{0, 1e-37}, {1, 4}, {0, 1e6}}, {{0, 1e-307}, {1, 4}, {0, 1e6}}}},
    [LANE_MATH_rsqrt] = {POSITIVE, {{{0, 1e-37}, {1, 4}, {0, 1e6}}, {{0, 1e-307}, {1, 4}, {0, 1e6}}}},
    [LANE_MATH_round] = {ODD, {{{0, 10}, {0, 5e6}, {4e6, 2e7}}, {{0, 10}, {0, 3e15}, {2e15, 1e16}}}},
    [LANE_MATH_rsqrt_pos] = {POSITIVE, {{{1, 4}, {1, 1.2}, {1e-37, 10}}, {{1, 4}, {1, 1.2}, {1e-307, 10}}}},
    [LANE_MATH_recip_pos] = {POSITIVE, {{{1, 2}, {1, 1.2}, {1e-37, 10}}, {{1, 2}, {1, 1.2}, {1e-307, 10}}}},
};

/* ---- reals of either size -------------------------------------------------------------------------------------- */

static void put(lane_math_sample *s, size_t i, double x)
{
    if (s->real_bytes == 4)
        ((float *)s->x)[i] = (float)x;
    else
        ((double *)s->x)[i] = x;
}

double lane_math_sample_at(const lane_math_sample *s, size_t i)
{
    return s->real_bytes == 4 ? (double)((const float *)s->x)[i] : ((const double *)s->x)[i];
}

static uint64_t pattern(double x, int real_bytes)
{
    const float f = (float)x;
    uint64_t wide;
    uint32_t narrow;
    memcpy(&wide, &x, sizeof wide);
    memcpy(&narrow, &f, sizeof narrow);
    return real_bytes == 4 ? narrow : wide;
}

static double from_pattern(uint64_t bits, int real_bytes)
{
    const uint32_t narrow = (uint32_t)bits;
    float f;
    double x;
    memcpy(&f, &narrow, sizeof f);
    memcpy(&x, &bits, sizeof x);
    return real_bytes == 4 ? (double)f : x;
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static uint64_t random_bits(void)
{
    static uint64_t state = 20240607;
    uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double random_unit(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}

/* x > 0, or one of the reals beside it */
static double beside(double x, int real_bytes)
{
    return from_pattern(pattern(x, real_bytes) + random_bits() % 3 - 1, real_bytes);
}

static double special(size_t i, int real_bytes)
{
    const double smallest = real_bytes == 4 ? 0x1p-149 : 0x1p-1074, normal = real_bytes == 4 ? 0x1p-126 : 0x1p-1022;
    const double largest = real_bytes == 4 ? (double)FLT_MAX : DBL_MAX;
    const double values[] = {0,
                             smallest,
                             2 * smallest,
                             normal - smallest,
                             normal,
                             normal + smallest,
                             largest,
                             (double)INFINITY,
                             (double)NAN,
                             1,
                             0.5,
                             0.25,
                             0.75,
                             1.5,
                             2.5,
                             3.5,
                             1e30};
    return i < sizeof values / sizeof *values ? values[i] : (double)(random_bits() >> 11) * 0x1p-53 * normal;
}

/* Argument i, not negative: hard cases, any bits at all, and the ranges of interest. */
static double magnitude(int f, size_t i, int real_bytes)
{
    const double *range = domain[f].range[real_bytes == 8][random_bits() % 3];
    if (i < 1000)
        return special(i, real_bytes);
    switch (i % 16) {
    case 0: /* multiples of pi/2, where the reduction loses most */
        return beside((double)(1 + random_bits() % (real_bytes == 4 ? 8300 : 640000)) * 1.5707963267948966, real_bytes);
    case 1: { /* multiples of 1/8 and other powers of two; one after the other, for the same sample everywhere */
        const int exponent = (int)(random_bits() % 40) - 36;
        return beside(ldexp((double)(1 + random_bits() % 64), exponent), real_bytes);
    }
    case 2:
    case 3:
    case 4:
    case 5: /* any bits but the sign */
        return from_pattern(random_bits() >> (real_bytes == 4 ? 33 : 1), real_bytes);
    default:
        return range[0] + (range[1] - range[0]) * random_unit();
    }
}

static int in_domain(int f, double x, int real_bytes)
{
    const double normal = real_bytes == 4 ? 0x1p-126 : 0x1p-1022, large = real_bytes == 4 ? 0x1p125 : 0x1p1021;
    if (f == LANE_MATH_exp2_normal)
        return fabs(x) <= (real_bytes == 4 ? 125 : 1021);
    if (f == LANE_MATH_rsqrt_pos || f == LANE_MATH_log_pos)
        return x >= normal && isfinite(x);
    return f != LANE_MATH_recip_pos || (x >= normal && x <= large);
}

/* ---- answers ------------------------------------------------------------------------------------------------------
 */

enum { FLOAT_BITS = 24 + 24, DOUBLE_BITS = 53 + 40 }; /* precision of the references */

/* sin(2 pi t) or cos(2 pi t): the turns are folded exactly, so that the sine is asked about at most a quarter */
static void turns(mpfr_t y, double t, int cosine, mpfr_t two_pi)
{
    const double r = remainder(t, 1.0), a = fabs(r);
    if (cosine && a < 0.125) {
        mpfr_mul_d(y, two_pi, a, MPFR_RNDN);
        mpfr_cos(y, y, MPFR_RNDN);
        return;
    }
    const double folded = cosine ? 0.25 - a : a > 0.25 ? 0.5 - a : a;
    mpfr_mul_d(y, two_pi, folded, MPFR_RNDN);
    mpfr_sin(y, y, MPFR_RNDN);
    if (!cosine && r < 0)
        mpfr_neg(y, y, MPFR_RNDN);
}

static void exact(int f, mpfr_t y, double x, double sin_max, mpfr_t two_pi)
{
    mpfr_t a;
    mpfr_init2(a, 53);
    mpfr_set_d(a, x, MPFR_RNDN);
    switch (f) {
    case LANE_MATH_exp:
        mpfr_exp(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_exp2:
    case LANE_MATH_exp2_normal:
        mpfr_exp2(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_log_pos:
        mpfr_log(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_erf:
        mpfr_erf(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_sin:
    case LANE_MATH_cos:
        if (!(fabs(x) <= sin_max))
            mpfr_set_nan(y);
        else if (f == LANE_MATH_sin)
            mpfr_sin(y, a, MPFR_RNDN);
        else
            mpfr_cos(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_sin_turns:
    case LANE_MATH_cos_turns:
        turns(y, x, f == LANE_MATH_cos_turns, two_pi);
        break;
    case LANE_MATH_sqrt:
        mpfr_sqrt(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_round:
        mpfr_rint(y, a, MPFR_RNDN);
        break;
    case LANE_MATH_recip_pos:
        mpfr_ui_div(y, 1, a, MPFR_RNDN);
        break;
    default:
        mpfr_rec_sqrt(y, a, MPFR_RNDN);
    }
    mpfr_clear(a);
}

static lane_math_answer answer(mpfr_t y, int real_bytes)
{
    lane_math_answer a = {.value = real_bytes == 4 ? (double)mpfr_get_flt(y, MPFR_RNDN) : mpfr_get_d(y, MPFR_RNDN)};
    if (!mpfr_regular_p(y))
        return a;
    const int bits = real_bytes == 4 ? 24 : 53, lowest = real_bytes == 4 ? -149 : -1074;
    const long top = mpfr_get_exp(y) - bits; /* |y| in [1/2, 1) 2^exp */
    a.ulp = top < lowest ? lowest : (int)top;
    if (isfinite(a.value)) {
        mpfr_sub_d(y, y, a.value, MPFR_RNDN);
        mpfr_mul_2si(y, y, -a.ulp, MPFR_RNDN);
        a.rest = mpfr_get_flt(y, MPFR_RNDN);
    }
    return a;
}

static lane_math_answer mirrored(lane_math_answer a, symmetry how)
{
    return how == ODD ? (lane_math_answer){-a.value, -a.rest, a.ulp} : a;
}

lane_math_sample *lane_math_sample_create(int f, int real_bytes, size_t count, double sin_max)
{
    const symmetry how = domain[f].symmetry;
    lane_math_sample *s = malloc(sizeof *s);
    s->real_bytes = real_bytes;
    s->n = (count + LANE_MATH_BLOCK - 1) / LANE_MATH_BLOCK * LANE_MATH_BLOCK;
    s->x = malloc(s->n * (size_t)real_bytes);
    s->answer = malloc(s->n * sizeof *s->answer);

    mpfr_t y, two_pi;
    mpfr_inits2(real_bytes == 4 ? FLOAT_BITS : DOUBLE_BITS, y, two_pi, (mpfr_ptr)0);
    mpfr_const_pi(two_pi, MPFR_RNDN);
    mpfr_mul_2ui(two_pi, two_pi, 1, MPFR_RNDN);
    for (size_t i = 0; i < s->n; i++) {
        /* every second argument is the one before with the other sign, and often so is its answer */
        const int negative = how != POSITIVE && i % 2;
        if (negative) {
            put(s, i, -lane_math_sample_at(s, i - 1));
        } else {
            put(s, i, magnitude(f, how == POSITIVE ? i : i / 2, real_bytes));
            if (!in_domain(f, lane_math_sample_at(s, i), real_bytes))
                put(s, i, 1 + random_unit());
        }
        if (negative && how != NEITHER) {
            s->answer[i] = mirrored(s->answer[i - 1], how);
        } else {
            exact(f, y, lane_math_sample_at(s, i), sin_max, two_pi);
            s->answer[i] = answer(y, real_bytes);
        }
    }
    mpfr_clears(y, two_pi, (mpfr_ptr)0);
    mpfr_free_cache();
    return s;
}

void lane_math_sample_destroy(lane_math_sample **sample)
{
    free((*sample)->x);
    free((*sample)->answer);
    free(*sample);
    *sample = NULL;
}

double lane_math_error(const lane_math_answer *a, double y, int real_bytes)
{
    const double largest = real_bytes == 4 ? (double)FLT_MAX : DBL_MAX;
    if (isnan(a->value) || isnan(y))
        return isnan(a->value) && isnan(y) ? 0 : (double)INFINITY;
    if (y == a->value)
        return isinf(y) ? 0 : fabs((double)a->rest);
    if (isinf(a->value) || (isinf(y) && (y > 0) != (a->value > 0)))
        return (double)INFINITY;
    /* infinity is the number after the largest */
    const double past = isinf(y) ? copysign(1, y) : 0, finite = isinf(y) ? copysign(largest, y) : y;
    return fabs(ldexp(finite - a->value, -a->ulp) + past - (double)a->rest);
}
