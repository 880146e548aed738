/* lane_math.h - what the units of test_lane_math.c export: lane_math_unit.c is compiled once per instruction set and
 * arithmetic, and each makes a table of the functions in backend/lane/functions.def. */
#ifndef MYR_LANE_MATH_TEST_H
#define MYR_LANE_MATH_TEST_H

#include <stddef.h>

enum {
#define LANE_FUNCTION(name, ...) LANE_MATH_##name,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
    LANE_MATH_FUNCTIONS
};

enum { LANE_MATH_BLOCK = 16 }; /* a multiple of every number of lanes */

typedef struct {
    int real_bytes;                    /* 4 or 8 */
    int portable;                      /* the same bits as the other portable ones */
    double sin_max;                    /* the domain of sin and cos */
    double bound[LANE_MATH_FUNCTIONS]; /* largest error in units in the last place */
    /* y[i] = function(x[i]), i < n; n a multiple of LANE_MATH_BLOCK; x and y are arrays of real_bytes */
    void (*run[LANE_MATH_FUNCTIONS])(const void *x, void *y, size_t n);
} lane_math_unit;

#endif
