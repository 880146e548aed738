/* test_proofs.c - the proofs NAME_inside of kernel headers: no contribution of a bag for which they hold reaches the
 * range, for masses, distances and speeds of any size, infinities and NaN. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifndef MYR_ARITH
#define MYR_ARITH 1 /* mixed: coordinates are pairs */
#endif
#define MYR_LANE_BYTES 0
#include "backend/lane/lane.h"

#include "backend/guard.h"
#include "kernel/gravity_jerk.h"

enum { BAG = 4, TRIES = 200000, OUTPUTS = gravity_jerk_OUTPUTS, FIELDS = gravity_jerk_SOURCE };

/* Coordinates, then fields of a gravity_jerk particle: velocity and mass. */
typedef struct {
    coord x[3];
    real f[FIELDS];
} body;

static double uniform(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* A number of either sign within a factor of 4 of 2^exponent. */
static double about(double exponent)
{
    return (uniform() < 0.5 ? -1 : 1) * exp2(exponent + 4 * uniform() - 2);
}

static coord coord_of(double x)
{
#if COORD_LANES == 2
    return (coord){(real)x, (real)(x - (double)(real)x)};
#else
    return (real)x;
#endif
}

/* Turns a bag into the worst case: one source on an axis of a target at rest, moving along the axis. */
static void align(body *own, body *bag)
{
    for (int k = 0; k < 3; k++) {
        own->f[k] = 0;
        if (k > 0) {
            bag[0].x[k] = own->x[k];
            bag[0].f[k] = 0;
        }
    }
    for (int j = 1; j < BAG; j++)
        bag[j] = bag[0];
}

/* A bag whose sizes are all near one power of two each, now and then with something that is not finite. */
static void draw(body *own, body *bag)
{
    const double most = MYR_ARITH == MYR_ARITH_DOUBLE ? 540 : 70;
    const double where = most * (2 * uniform() - 1), apart = uniform() < 0.5 ? where : where - 20 * uniform();
    const double speed = most * (2 * uniform() - 1), mass = 2 * most * (2 * uniform() - 1);
    double at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = about(where);
        own->x[k] = coord_of(at[k]);
        own->f[k] = (real)about(speed);
    }
    for (int j = 0; j < BAG; j++) {
        for (int k = 0; k < 3; k++) {
            bag[j].x[k] = coord_of(at[k] + about(apart));
            bag[j].f[k] = (real)about(speed);
        }
        bag[j].f[3] = (real)about(mass);
    }
    if (uniform() < 0.5)
        align(own, bag);
    if (uniform() < 0.05)
        bag[(int)(BAG * uniform())].f[(int)(FIELDS * uniform())] = uniform() < 0.5 ? K(NAN) : K(INFINITY);
    if (uniform() < 0.02)
        bag[(int)(BAG * uniform())].x[(int)(3 * uniform())] = coord_of(uniform() < 0.5 ? NAN : INFINITY);
}

static real larger(real a, real b)
{
    return a > b || isnan(a) ? a : b;
}

/* The larger sizes of two coordinates. */
static coord larger_coord(coord a, coord b)
{
#if COORD_LANES == 2
    return (coord){larger(lane_abs(a.hi), b.hi), larger(lane_abs(a.lo), b.lo)};
#else
    return larger(lane_abs(a), b);
#endif
}

/* Sizes of the contributions of a bag. */
typedef struct {
    body most;
    real least;
    double largest[OUTPUTS]; /* infinite if a contribution is not finite */
} bag_sizes;

static bag_sizes measure(const body *own, const body *bag, real eps2)
{
    bag_sizes sizes = {.least = K(INFINITY)};
    for (int j = 0; j < BAG; j++) {
        const myr_pair in = {own->x, bag[j].x, own->f, bag[j].f, NULL, &eps2};
        myr_guard guard = {0, 1, 0, 0};
        real s[MYR_KERNEL_OUTPUTS_MAX], d[MYR_KERNEL_OUTPUTS_MAX];
        gravity_jerk_pair(&in, &guard, s, d);
        sizes.least = guard.r2 < sizes.least ? guard.r2 : sizes.least;
        for (int k = 0; k < OUTPUTS; k++) {
            const double size = isfinite(s[k]) && isfinite(d[k]) ? fabs((double)s[k] * (double)d[k]) : INFINITY;
            sizes.largest[k] = fmax(sizes.largest[k], size);
        }
        for (int k = 0; k < 3; k++)
            sizes.most.x[k] = larger_coord(bag[j].x[k], sizes.most.x[k]);
        for (int k = 0; k < FIELDS; k++)
            sizes.most.f[k] = larger(lane_abs(bag[j].f[k]), sizes.most.f[k]);
    }
    return sizes;
}

/* Sets the ranges of the three fields: one near its largest contribution, so that a proof that is off by a few per cent
 * is wrong now and then, the others far above. Returns 1 if all contributions are within their ranges. */
static int set_ranges(const bag_sizes *sizes, real *range)
{
    const int near = (int)(3 * uniform());
    int fits = 1;
    for (int k = 0, field; k < OUTPUTS; k++) {
        double top = 0;
        field = k / 3;
        for (int c = 3 * field; c < 3 * field + 3 && c < OUTPUTS; c++)
            top = fmax(top, sizes->largest[c]);
        const double slack = field == near ? exp2(0.4 * uniform() - 0.2) : 64;
        range[k] = k == 3 * field ? (real)(isfinite(top) ? top * slack : 1) : range[k - 1];
        fits &= sizes->largest[k] < (double)range[k];
    }
    return fits;
}

static void test_bounds(void **state)
{
    (void)state;
    int64_t held = 0, small = 0;
    for (int n = 0; n < TRIES; n++) {
        body own, bag[BAG];
        real range[OUTPUTS];
        draw(&own, bag);
        const bag_sizes sizes = measure(&own, bag, uniform() < 0.5 ? K(0) : (real)exp2(40 * uniform() - 20));
        const int fits = set_ranges(&sizes, range);
        const myr_pair most = {own.x, sizes.most.x, own.f, sizes.most.f, NULL, NULL};
        const int proven = gravity_jerk_inside(&most, sizes.least, range);
        if (proven && !fits)
            fail_msg("try %d: proven, but acceleration %g of %g, jerk %g of %g, potential %g of %g", n,
                     sizes.largest[0], (double)range[0], sizes.largest[3], (double)range[3], sizes.largest[6],
                     (double)range[6]);
        held += proven;
        small += fits;
    }
    assert_true(held > small / 10); /* 0.18: half of the ranges leave no room for a proof */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
