/* test_neighbour_bits.c - with fixed sums a trajectory has the same bits whatever the order of particles: on any number
 * of threads, with lists that live shorter or longer, and in portable arithmetic on every instruction set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isas.h"
#include "unit/neighbour_scene.h"

enum { SINGLE = 0, PORTABLE = 2, DOUBLE = 3, STEPS = 80 };

static scene s;
static double v[3][SCENE_MOST], f[3][SCENE_MOST];

/* A long box, so that threads have strips of their own at both ends. */
static void begin(int arithmetic, int types)
{
    static const double side[3] = {63, 6.1, 6.3};
    static const int periodic[3] = {1, 1, 1};
    scene_make(&s, side, periodic, 1, 0.1, types);
    s.set.arithmetic = arithmetic;
    s.set.fixed = 1;
    s.set.cut = MYR_CUT_SMOOTH;
    for (int64_t i = 0; i < s.set.n; i++)
        for (int k = 0; k < 3; k++)
            v[k][i] = 4 * scene_random((uint64_t)i, 10 + k) - 2;
}

typedef struct {
    uint64_t hash; /* of positions and velocities by id, and of energies and virials */
    int64_t builds, prunes;
    int exponent;
} outcome;

static uint64_t mix(uint64_t h, const void *data, size_t bytes)
{
    uint64_t word = 0;
    memcpy(&word, data, bytes);
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* Kick and drift; the furthest move. */
static double move(double dt)
{
    double most = 0;
    for (int64_t i = 0; i < s.set.n; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            v[k][i] += dt * f[k][i];
            square += dt * v[k][i] * dt * v[k][i];
            s.q[k][i] += (uint64_t)myr_box_displacement(&s.set.box, k, dt * v[k][i]);
        }
        most = fmax(most, square);
    }
    return sqrt(most);
}

static outcome run(int every)
{
    myr_neighbour *list;
    myr_neighbour_progress progress;
    outcome out = {0};
    double *const force[3] = {f[0], f[1], f[2]}, furthest = 0;
    assert_int_equal(scene_list(&s, context, &list), MYR_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(myr_neighbour_track(list, v[k], sizeof *v[k]), MYR_OK);
    for (int n = 0; n < STEPS; n++) {
        myr_neighbour_sums sums;
        double net[3] = {0};
        if (every && n % every == 0)
            myr_neighbour_invalidate(list);
        if (n % 16 == 0)
            myr_neighbour_choose_unit(list);
        assert_int_equal(myr_neighbour_update(list, furthest, NULL), MYR_OK);
        assert_int_equal(neighbour_forces(list, force, n % 10 ? NULL : &sums), MYR_OK);
        for (int k = 0; k < 3; k++)
            for (int64_t i = 0; i < s.set.n; i++)
                net[k] += f[k][i];
        assert_true(!s.set.fixed || (net[0] == 0 && net[1] == 0 && net[2] == 0));
        furthest = move(0.004);
        if (n % 10 == 0) {
            out.hash = mix(out.hash, &sums.energy, sizeof sums.energy);
            for (int k = 0; k < 6; k++)
                out.hash = mix(out.hash, sums.virial + k, sizeof sums.virial[k]);
        }
    }
    for (int64_t i = 0; i < s.set.n; i++) {
        uint64_t one = mix(1, s.id + i, sizeof s.id[i]);
        for (int k = 0; k < 3; k++)
            one = mix(mix(one, s.q[k] + i, sizeof s.q[k][i]), v[k] + i, sizeof v[k][i]);
        out.hash += one;
    }
    myr_neighbour_progress_of(list, &progress);
    out.builds = progress.builds;
    out.prunes = progress.prunes;
    out.exponent = myr_neighbour_exponent(list);
    myr_neighbour_destroy(&list);
    return out;
}

static void test_threads(void **state)
{
    (void)state;
    static const int threads[] = {2, 3, 8};
    for (int arithmetic = SINGLE; arithmetic <= DOUBLE; arithmetic += DOUBLE - SINGLE)
        for (int types = 1; types <= 3; types += 2) {
            begin(arithmetic, types);
            s.set.threads = 1;
            const outcome one = run(0);
            assert_true(one.builds > 2);
            for (int k = 0; k < 3; k++) {
                begin(arithmetic, types);
                s.set.threads = threads[k];
                const outcome other = run(0);
                assert_true(other.hash == one.hash);
            }
        }
}

/* Lists of other skins, which are pruned while they are used if the skin is long, one that looks for its own, and one
 * that is built at every second step. */
static void test_lists(void **state)
{
    (void)state;
    static const double skins[] = {0.15, 0.45, 0, 0.3, 0.9, 1.4};
    begin(SINGLE, 1);
    const outcome first = run(0);
    for (int k = 0; k < 6; k++) {
        begin(SINGLE, 1);
        s.set.skin = skins[k];
        s.set.threads = k == 5 ? 3 : 1;
        const outcome other = run(k == 3 ? 2 : 0);
        assert_true(skins[k] == 0 || other.builds != first.builds);
        assert_true(skins[k] < 0.9 || other.prunes > 2 * other.builds);
        assert_true(other.hash == first.hash);
    }
}

static void test_instruction_sets(void **state)
{
    (void)state;
    const myr_isa_table *isa;
    for (int types = 1; types <= 3; types += 2) {
        outcome first = {0};
        int sets = 0;
        for (int k = 0; (isa = myr_backend_isa(k)); k++) {
            if (!isas_tested(isa))
                continue;
            begin(PORTABLE, types);
            s.set.isa = isa;
            const outcome now = run(0);
            if (sets++ == 0)
                first = now;
            assert_true(now.hash == first.hash && now.exponent == first.exponent);
        }
        assert_true(sets > 1);
    }
}

/* Two come closer and closer, and part: the unit of the sums stays, forces stay right and their sum 0, as long as
 * doubles can hold it. Then many push one particle the same way: the worst for the range. */
static void test_range(void **state)
{
    (void)state;
    static scene_answer answer, reference;
    static const double distances[] = {0.9, 0.7, 0.5, 0.3, 0.05, 0.002, 0.9};
    for (int arithmetic = SINGLE; arithmetic <= DOUBLE; arithmetic += DOUBLE - SINGLE) {
        int unit = 0;
        myr_neighbour *list;
        begin(arithmetic, 1);
        assert_int_equal(scene_list(&s, context, &list), MYR_OK);
        for (int n = 0; n < 7; n++) {
            int64_t at[2] = {0, 0};
            for (int64_t i = 0; i < s.set.n; i++)
                at[s.id[i] == 1] = s.id[i] < 2 ? i : at[s.id[i] == 1];
            for (int k = 0; k < 3; k++)
                s.q[k][at[1]] =
                    s.q[k][at[0]] + (uint64_t)myr_box_displacement(&s.set.box, k, k == 2 ? distances[n] : 0);
            assert_int_equal(myr_neighbour_update(list, 1, NULL), MYR_OK);
            myr_neighbour_choose_unit(list);
            assert_int_equal(scene_forces(&s, list, 1, &answer), MYR_OK);
            scene_reference(&s, &reference);
            /* coordinates have 2^-32 of 63 here: 1.5e-8 of a distance of 0.002, fourteen times, in float arithmetic */
            assert_true(scene_error(&s, &answer, &reference) < (arithmetic == DOUBLE ? 1e-10 : 5e-4));
            assert_true(scene_sums_error(&answer, &reference) < (arithmetic == DOUBLE ? 1e-10 : 5e-4));
            /* beyond 2^53 units forces are rounded to doubles */
            const int is_exact = distances[n] > (arithmetic == DOUBLE ? 0.8 : 0.2);
            for (int k = 0; k < 3; k++)
                assert_true(fabs(answer.net[k]) <= (is_exact ? 0 : 0x1p-52 * fabs(answer.force[0][k])));
            unit = n == 0 ? myr_neighbour_exponent(list) : unit;
            assert_int_equal(myr_neighbour_exponent(list), unit);
        }
        myr_neighbour_destroy(&list);
    }
    static const double spread[3] = {30, 30, 30};
    static const int periodic[3] = {1, 1, 1};
    scene_make(&s, spread, periodic, 0.01, 0, 1);
    s.set.n = 8;
    s.set.fixed = 1;
    for (int i = 0; i < 8; i++) { /* seven on one side of the first, 0.7 away from it and no nearer to each other */
        const double a = i * 3.14159265358979 / 3, tilt = i == 0 || i == 7 ? 0 : 0.7 * 0.98;
        const double x[3] = {tilt * cos(a), tilt * sin(a), i == 0 ? 0 : i == 7 ? 0.7 : sqrt(0.49 - tilt * tilt)};
        s.id[i] = i;
        for (int k = 0; k < 3; k++)
            s.q[k][i] = myr_box_coordinate(&s.set.box, k, x[k], NULL);
    }
    scene_reference(&s, &reference);
    myr_neighbour *list;
    assert_int_equal(scene_list(&s, context, &list), MYR_OK);
    assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
    assert_int_equal(scene_forces(&s, list, 0, &answer), MYR_OK);
    assert_true(scene_error(&s, &answer, &reference) < 2e-6); /* measured: 4e-7 */
    myr_neighbour_destroy(&list);
}

/* The comparison can fail: plain sums depend on the order. */
static void test_plain_differs(void **state)
{
    (void)state;
    outcome at[2];
    for (int k = 0; k < 2; k++) {
        begin(SINGLE, 1);
        s.set.fixed = 0;
        s.set.skin = k ? 0.2 : 0.3;
        at[k] = run(0);
    }
    assert_true(at[0].hash != at[1].hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads), cmocka_unit_test(test_lists),         cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_range),   cmocka_unit_test(test_plain_differs),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
