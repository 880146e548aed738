/* lane_across.h - what the units of test_lane_across.c export. */
#ifndef MYR_LANE_ACROSS_TEST_H
#define MYR_LANE_ACROSS_TEST_H

#include <stdint.h>

/* One lane at a time. */
typedef struct {
    int lanes, real_bytes, coord_bits;
    void (*to_int)(const double *x, int64_t *y);
    void (*from_coord)(const int64_t *x, double *y);
    void (*sum3)(const double *x, double *sum, int64_t *isum); /* x: three lanes of whole numbers */
    uint32_t (*mask)(const double *x, double limit, double *most);
    void (*lookup)(const double *table, int count, const int64_t *index, double *y); /* table: 64 entries */
} lane_across_unit;

#endif
