/* lane_across_unit.c - the functions of lane/across.h over arrays, for one instruction set and one arithmetic; see
 * test_lane_across.c. Numbers come and go as doubles and 64-bit integers, which hold all of them. */
#include "backend/lane/lane.h"
#include "backend/lane/across.h"

#include "unit/lane_across.h"

static ilane from64(const int64_t *x)
{
    real_int a[LANES];
    for (int l = 0; l < LANES; l++)
        a[l] = (real_int)x[l];
    return ilane_load(a);
}

static void to64(ilane a, int64_t *y)
{
    real_int b[LANES];
    ilane_store(b, a);
    for (int l = 0; l < LANES; l++)
        y[l] = b[l];
}

static lane from_double(const double *x)
{
    real a[LANES];
    for (int l = 0; l < LANES; l++)
        a[l] = (real)x[l];
    return lane_load(a);
}

static void to_double(lane a, double *y)
{
    real b[LANES];
    lane_store(b, a);
    for (int l = 0; l < LANES; l++)
        y[l] = (double)b[l];
}

static void run_to_int(const double *x, int64_t *y)
{
    to64(lane_to_int(from_double(x)), y);
}

static void run_from_coord(const int64_t *x, double *y)
{
    to_double(lane_from_coord(from64(x)), y);
}

static void run_sum3(const double *x, double *sum, int64_t *isum)
{
    lane a[3];
    ilane i[3];
    real s[3];
    real_int t[3];
    for (int k = 0; k < 3; k++) {
        a[k] = from_double(x + k * LANES);
        i[k] = lane_to_int(a[k]);
    }
    lane_sum3(a, s);
    ilane_sum3(i, t);
    for (int k = 0; k < 3; k++) {
        sum[k] = (double)s[k];
        isum[k] = t[k];
    }
}

static uint32_t run_mask(const double *x, double limit, double *most)
{
    const lane a = from_double(x);
    *most = (double)lane_most(a);
    return mask_bits(lane_lt(a, lane_set((real)limit)));
}

static void run_lookup(const double *table, int count, const int64_t *index, double *y)
{
    real t[64];
    for (int k = 0; k < 64; k++)
        t[k] = (real)table[k];
    to_double(lane_lookup(t, from64(index), count), y);
}

extern const lane_across_unit LANE_ACROSS_UNIT;
const lane_across_unit LANE_ACROSS_UNIT = {
    .lanes = LANES,
    .real_bytes = (int)sizeof(real),
    .coord_bits = LANE_COORD_BITS,
    .to_int = run_to_int,
    .from_coord = run_from_coord,
    .sum3 = run_sum3,
    .mask = run_mask,
    .lookup = run_lookup,
};
