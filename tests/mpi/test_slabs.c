/* test_slabs.c - a mesh that several ranks share: transforms and whole runs of the spectral method have the bits of one
 * rank alone. */
#include <math.h>

#include <myriad/myriad.h>

#include "method/spectral/fourier.h"
#include "method/spectral/slabs.h"
#include "ranks.h"

/* There and back again, with all modes and with some of them, against transforms of the whole. */
static void test_transforms(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{8, 8}, {12, 8}, {10, 10}};
    for (int k = 0; k < 3 && myr_fourier_available(); k++) {
        const int64_t side = shape[k][0], numbers = myr_fourier_numbers(side), row = 2 * myr_fourier_half(side);
        double *whole = calloc((size_t)numbers, sizeof *whole), *part = calloc((size_t)numbers, sizeof *part);
        myr_fourier *fourier = NULL;
        myr_slabs *slabs = NULL;
        check(myr_fourier_create(context, side, shape[k][1], &fourier));
        check(myr_slabs_create(context, fourier, &slabs));
        const myr_slabs_part mine = myr_slabs_own(slabs);
        for (int64_t i = 0; i < side * side * side; i++) {
            const int64_t at = i / side * row + i % side;
            whole[at] = sin(1.3 * (double)i);
            if (i / side / side >= mine.plane && i / side / side < mine.planes_end)
                part[at] = whole[at];
        }
        for (int way = 0; way < 2; way++) {
            if (way == 0)
                myr_fourier_forward(fourier, whole);
            else
                myr_fourier_inverse(fourier, whole);
            check(way == 0 ? myr_slabs_forward(slabs, part) : myr_slabs_inverse(slabs, part));
            for (int64_t z = way ? mine.plane : 0; z < (way ? mine.planes_end : side); z++)
                for (int64_t r = way ? 0 : mine.row; r < (way ? side : mine.rows_end); r++) {
                    const int64_t y = way ? r : myr_fourier_place(side, r - myr_fourier_kept(fourier) + 1);
                    const int64_t from = (z * side + y) * row, most = way ? side : 2 * myr_fourier_kept(fourier);
                    assert_memory_equal(whole + from, part + from, (size_t)most * sizeof(double));
                }
        }
        myr_slabs_destroy(&slabs);
        myr_fourier_destroy(&fourier);
        free(whole);
        free(part);
    }
}

/* A run on the ranks of a context: what its velocities are. */
static uint64_t run_on(myr_context *of, const char *viscous)
{
    myr_particles *points = NULL;
    myr_simulation *s = NULL;
    const myr_particles *now;
    uint64_t hash = 0;
    myr_flow flow;
    const myr_status status[] = {
        myr_model_create(of, "isotropic_turbulence", 12 * 12 * 12, 3, &points),
        myr_simulation_create(of, points, NULL, &s),
        myr_simulation_choose(s, "rk4"),
        myr_simulation_set(s, "dt", 0.02),
        myr_simulation_set_spectral(s, 0.01),
        myr_simulation_choose_viscous(s, viscous),
    };
    for (size_t k = 0; k < sizeof status / sizeof *status; k++)
        assert_int_equal(status[k], MYR_OK);
    const int follows = of == context && me > 0;
    for (int k = 0; k < 5 && !follows; k++)
        if (myr_simulation_step(s, 1))
            fail_msg("rank %d: %s", me, myr_context_message(of));
    if (follows) /* until rank 0 destroys its own */
        check(myr_simulation_follow(s));
    assert_int_equal(myr_simulation_particles(s, &now), MYR_OK);
    assert_int_equal(myr_particles_hash(now, "velocity", &hash), MYR_OK);
    assert_int_equal(myr_flow_measure(now, 0.01, &flow), MYR_OK);
    assert_true(flow.kinetic > 1.2 && flow.kinetic < 1.5);
    myr_simulation_destroy(&s);
    return hash;
}

static void test_runs(void **state)
{
    (void)state;
    static const char *const viscous[] = {"explicit", "exact"};
    myr_context *alone = NULL; /* has joined nobody */
    if (!myr_flow_available())
        skip();
    assert_int_equal(myr_context_create(&alone), MYR_OK);
    for (int k = 0; k < 2; k++)
        assert_true(run_on(context, viscous[k]) == run_on(alone, viscous[k]));
    myr_context_destroy(&alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_transforms), cmocka_unit_test(test_runs)};
    return RANKS_MAIN(tests);
}
