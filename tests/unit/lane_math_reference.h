/* lane_math_reference.h - arguments for the lane functions, and what MPFR says about them. */
#ifndef MYR_LANE_MATH_REFERENCE_H
#define MYR_LANE_MATH_REFERENCE_H

#include <stddef.h>

/* The exact result: value, the nearest real, plus rest units in the last place, each 2^ulp. */
typedef struct {
    double value;
    float rest;
    int ulp;
} lane_math_answer;

typedef struct {
    int real_bytes;
    size_t n; /* a multiple of LANE_MATH_BLOCK */
    void *x;  /* reals */
    lane_math_answer *answer;
} lane_math_sample;

/* Arguments of function f all over its domain and beyond; about `count` of them. */
lane_math_sample *lane_math_sample_create(int f, int real_bytes, size_t count, double sin_max);
void lane_math_sample_destroy(lane_math_sample **sample);

/* x[i] of a sample */
double lane_math_sample_at(const lane_math_sample *sample, size_t i);

/* how far y is from the answer, in units in the last place; infinite where only one is NaN */
double lane_math_error(const lane_math_answer *answer, double y, int real_bytes);

#endif
