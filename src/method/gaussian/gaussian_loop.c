/* gaussian_loop.c - the loop of gaussian_loop.h, compiled for the instruction sets of x86 that make a difference. */
#include "method/gaussian/gaussian_loop.h"

#include <string.h>

typedef float vector __attribute__((vector_size(64)));
typedef int32_t ivector __attribute__((vector_size(64)));

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif
#define INSIDE __attribute__((always_inline)) static inline

/* One constant in all lanes. */
#define ALL(c) ((vector){0} + (c))

/* Bits of one kind of lane as the other; by pointer, since a caller may have other registers for vectors. */
INSIDE void loop_bits(const void *from, void *to)
{
    memcpy(to, from, sizeof(vector));
}

/* 2^y for y <= 0, at least 2^-120: a whole number goes to the exponent, and the rest is at most a half, where seven
 * terms of the series leave 1e-7. */
INSIDE void loop_exp2(const vector *y, vector *power)
{
    const float half[] = {1.0f,         0.69314718f, 0.24022651f,  0.055504109f,
                          0.009618129f, 0.00133336f, 0.000154035f, 0.0000152527f};
    const vector magic = ALL(12582912.0f); /* 1.5 2^23: what is added to it loses its fraction */
    const vector least = ALL(-120.0f);
    const ivector small = *y < least;
    ivector bits, clamped, floor_bits;
    vector x, p = ALL(half[7]);
    loop_bits(&least, &floor_bits);
    loop_bits(y, &bits);
    clamped = (small & floor_bits) | (~small & bits);
    loop_bits(&clamped, &x);
    const vector shifted = x + magic, rest = x - (shifted - magic);
    UNROLL
    for (int k = 6; k >= 0; k--)
        p = p * rest + half[k];
    ivector whole, value;
    loop_bits(&shifted, &whole);
    loop_bits(&p, &value);
    value += whole << 23;
    loop_bits(&value, power);
}

INSIDE void loop_body(const myr_gaussian_bag *bag, float cutoff2, const float at[3], int laplacian, double sum[3])
{
    vector all[3] = {{0}, {0}, {0}};
    for (int64_t k = 0; k < bag->n; k += MYR_GAUSSIAN_LANES) {
        vector r2 = {0}, gaussian, exponent;
        const vector decay = *(const vector *)(bag->decay + k);
        UNROLL
        for (int c = 0; c < 3; c++) {
            const vector d = *(const vector *)(bag->x[c] + k) - at[c];
            r2 = r2 + d * d;
        }
        exponent = decay * r2;
        loop_exp2(&exponent, &gaussian);
        if (laplacian) { /* with 1/width^2 = -2 ln 2 decay */
            const vector sharp = -1.38629436f * decay;
            gaussian = gaussian * (sharp * (sharp * r2 - 3.0f));
        }
        ivector bits;
        loop_bits(&gaussian, &bits);
        bits &= r2 <= cutoff2;
        loop_bits(&bits, &gaussian);
        UNROLL
        for (int c = 0; c < 3; c++)
            all[c] = all[c] + gaussian * *(const vector *)(bag->weight[c] + k);
    }
    UNROLL
    for (int c = 0; c < 3; c++) {
        float lane[MYR_GAUSSIAN_LANES];
        memcpy(lane, &all[c], sizeof lane);
        sum[c] = 0;
        for (int l = 0; l < MYR_GAUSSIAN_LANES; l++)
            sum[c] += (double)lane[l];
    }
}

#define LOOP(name, laplacian, attribute)                                                                               \
    attribute static void name(const myr_gaussian_bag *bag, float cutoff2, const float at[3], double sum[3])           \
    {                                                                                                                  \
        loop_body(bag, cutoff2, at, laplacian, sum);                                                                   \
    }

LOOP(loop_plain, 0, )
LOOP(loop_laplacian, 1, )

#if defined(__x86_64__)
LOOP(loop_plain_avx2, 0, __attribute__((target("avx2"))))
LOOP(loop_laplacian_avx2, 1, __attribute__((target("avx2"))))
LOOP(loop_plain_avx512, 0, __attribute__((target("avx512f"))))
LOOP(loop_laplacian_avx512, 1, __attribute__((target("avx512f"))))
#endif

myr_gaussian_loop myr_gaussian_loop_choose(int laplacian)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return laplacian ? loop_laplacian_avx512 : loop_plain_avx512;
    if (__builtin_cpu_supports("avx2"))
        return laplacian ? loop_laplacian_avx2 : loop_plain_avx2;
#endif
    return laplacian ? loop_laplacian : loop_plain;
}
