/* test_neighbour_proof.c - a list is proven at every step: by speeds, by displacements, by the pairs that went far; and
 * with boxes that are scaled. Every update is compared with all pairs (set.check). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "method/neighbour/neighbour_inside.h"
#include "unit/neighbour_scene.h"

enum { SINGLE = 0, DOUBLE = 3 };

static scene s;

/* A thin gas on a lattice of spacing 3 at rest: 343 particles in a box of 21. */
static void begin(void)
{
    static const double side[3] = {21, 21, 21};
    static const int periodic[3] = {1, 1, 1};
    int64_t n = 0;
    scene_make(&s, side, periodic, 0.05, 0, 1);
    for (int a = 0; a < 343; a++, n++) {
        const int cell[3] = {a / 49, a / 7 % 7, a % 7};
        for (int k = 0; k < 3; k++)
            s.q[k][n] = myr_box_coordinate(&s.set.box, k, s.set.box.origin[k] + 3 * cell[k] + 1, NULL);
        s.id[n] = (int32_t)n;
    }
    s.set.n = n;
    s.set.check = 1;
}

static int64_t place(int32_t id)
{
    for (int64_t i = 0; i < s.set.n; i++)
        if (s.id[i] == id)
            return i;
    fail();
    return -1;
}

static void shift(int32_t id, int axis, double by)
{
    s.q[axis][place(id)] += (uint64_t)myr_box_displacement(&s.set.box, axis, by);
}

static myr_neighbour_progress progress_of(const myr_neighbour *list)
{
    myr_neighbour_progress p;
    myr_neighbour_progress_of(list, &p);
    return p;
}

static myr_neighbour *make(void)
{
    myr_neighbour *list;
    assert_int_equal(scene_list(&s, context, &list), MYR_OK);
    assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
    return list;
}

/* One particle flies through all others at half the skin per step, and then at twice the cutoff. */
static void test_fast(void **state)
{
    (void)state;
    static const double speeds[] = {0.15, 5.3};
    for (int k = 0; k < 2; k++) {
        begin();
        myr_neighbour *list = make();
        for (int n = 0; n < 60; n++) {
            for (int axis = 0; axis < 3; axis++)
                shift(17, axis, speeds[k] * (axis == 0 ? 0.8 : axis == 1 ? 0.36 : 0.48));
            assert_int_equal(myr_neighbour_update(list, speeds[k], NULL), MYR_OK);
        }
        const myr_neighbour_progress p = progress_of(list);
        assert_true(p.builds > 10 && p.steps == 61);
        myr_neighbour_destroy(&list);
    }
}

/* The comparison can fail: the same flight, kept secret. */
static void test_secret(void **state)
{
    (void)state;
    begin();
    myr_neighbour *list = make();
    int status = MYR_OK;
    for (int n = 0; n < 60 && !status; n++) {
        shift(17, 0, 0.15);
        shift(17, 1, 0.1);
        status = myr_neighbour_update(list, 0, NULL);
    }
    assert_int_equal(status, MYR_ERROR_RANGE);
    assert_non_null(strstr(myr_context_message(context), "pairs within the cutoff"));
    myr_neighbour_destroy(&list);
}

/* Two that go far, far from each other: speeds give no proof, displacements do, without a new list. The same two
 * towards each other from outside the search length end it. */
static void test_far_pairs(void **state)
{
    (void)state;
    int rebuilt;
    begin();
    myr_neighbour *list = make();
    for (int n = 0; n < 10; n++) {
        shift(0, 0, 0.02);
        shift(200, 0, -0.02);
        assert_int_equal(myr_neighbour_update(list, 0.02, &rebuilt), MYR_OK);
        assert_int_equal(rebuilt, 0);
    }
    myr_neighbour_progress p = progress_of(list);
    assert_int_equal(p.builds, 1);
    assert_true(p.displacement_tests > 0 && p.displacement_tests < 6);
    assert_true(p.margin < 0); /* only the pairs prove it: 0.3 - 2 * 0.2 */
    myr_neighbour_destroy(&list);

    begin();
    list = make();
    for (int n = 0; n < 10; n++) { /* neighbours along z, 3 apart */
        shift(0, 2, 0.026);
        shift(1, 2, -0.026);
        assert_int_equal(myr_neighbour_update(list, 0.026, NULL), MYR_OK);
    }
    assert_int_equal(progress_of(list).builds, 2);
    myr_neighbour_destroy(&list);
}

/* All of them go far together: more than fit the list of those that went far. */
static void test_all_far(void **state)
{
    (void)state;
    begin();
    myr_neighbour *list = make();
    for (int n = 0; n < 4; n++) {
        for (int32_t i = 0; i < s.set.n; i++)
            shift(i, 1, 0.05);
        assert_int_equal(myr_neighbour_update(list, 0.05, NULL), MYR_OK);
    }
    assert_int_equal(progress_of(list).builds, 2);
    myr_neighbour_destroy(&list);
}

/* A long skin, of which the list that forces are evaluated from has a part. Two particles 3 apart, in the list and not
 * in that part, approach each other until they are within the cutoff; and a box shrinks until all of them are. */
static void test_pruned(void **state)
{
    (void)state;
    for (int told = 1; told >= 0; told--) {
        int status = MYR_OK;
        begin();
        s.set.skin = 1.2;
        myr_neighbour *list = make();
        for (int n = 0; n < 10 && !status; n++) {
            shift(0, 2, 0.027);
            shift(1, 2, -0.027);
            status = myr_neighbour_update(list, told ? 0.027 : 0, NULL);
        }
        assert_int_equal(status, told ? MYR_OK : MYR_ERROR_RANGE);
        assert_int_equal(progress_of(list).builds, 1);
        assert_in_range(progress_of(list).prunes, told ? 2 : 1, told ? 6 : 1);
        /* before neighbours are counted again all six at a distance of 3 may come within the cutoff, one within 2 */
        assert_true(!told || list->pull_most >= 13 + 6);
        myr_neighbour_destroy(&list);
    }
    begin();
    s.set.skin = 1.2;
    myr_neighbour *list = make();
    for (int n = 1; n <= 12; n++) { /* 3 becomes 2.35 */
        for (int k = 0; k < 3; k++)
            s.set.box.length[k] *= 0.98;
        assert_int_equal(myr_neighbour_set_box(list, &s.set.box), MYR_OK);
        assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
        assert_int_equal(progress_of(list).prunes, 1 + n);
    }
    assert_int_equal(progress_of(list).builds, 1);
    assert_int_equal(progress_of(list).pairs, 3 * s.set.n);
    myr_neighbour_destroy(&list);
}

/* A box that shrinks by 2 % per step, along all axes or one: 2.8 s < 2.5 + rounding after five steps. One that grows
 * never ends a list, but it makes displacements longer. */
static void test_scaling(void **state)
{
    (void)state;
    for (int axes = 1; axes <= 3; axes += 2)
        for (int arithmetic = SINGLE; arithmetic <= DOUBLE; arithmetic += DOUBLE - SINGLE) {
            begin();
            s.set.arithmetic = arithmetic;
            myr_neighbour *list = make();
            for (int n = 1; n <= 12; n++) {
                for (int k = 0; k < axes; k++)
                    s.set.box.length[k] *= 0.98;
                assert_int_equal(myr_neighbour_set_box(list, &s.set.box), MYR_OK);
                assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
                assert_int_equal(progress_of(list).builds, n < 6 ? 1 : n < 12 ? 2 : 3);
            }
            myr_neighbour_destroy(&list);
        }
    begin();
    myr_neighbour *list = make();
    assert_int_equal(myr_neighbour_update(list, 0.1, NULL), MYR_OK);
    for (int k = 0; k < 3; k++)
        s.set.box.length[k] *= 1.5;
    assert_int_equal(myr_neighbour_set_box(list, &s.set.box), MYR_OK);
    assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
    assert_int_equal(progress_of(list).builds, 1);
    assert_true(fabs(progress_of(list).margin - (1.5 * 2.8 - 2.5 - 2 * 0.15)) < 1e-4); /* rounding: 1e-5 */
    for (int k = 0; k < 3; k++)
        s.set.box.length[k] = 4.9;
    assert_int_equal(myr_neighbour_set_box(list, &s.set.box), MYR_ERROR_VALUE);
    myr_neighbour_destroy(&list);
}

static void test_refusals(void **state)
{
    (void)state;
    myr_neighbour *list;
    begin();
    s.set.arithmetic = 1;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_VALUE);
    begin();
    s.pair[0].cutoff = 0;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_VALUE);
    begin();
    s.pair[0].cutoff = 11;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "twice the cutoff"));
    begin();
    s.set.cut = MYR_CUT_SPLINE;
    s.pair[0].inner = 3;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_VALUE);
    begin();
    s.set.types = 2;
    s.type[5] = 2;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_VALUE);
    begin();
    list = make();
    assert_int_equal(myr_neighbour_update(list, (double)NAN, NULL), MYR_ERROR_VALUE);
    shift(3, 2, 3); /* onto the next one */
    scene_answer answer;
    assert_int_equal(myr_neighbour_update(list, 3, NULL), MYR_OK);
    assert_int_equal(scene_forces(&s, list, 0, &answer), MYR_ERROR_NONFINITE);
    int64_t pair[2];
    assert_true(myr_neighbour_closest(list, pair) == 0);
    assert_int_equal(s.id[pair[0]] + s.id[pair[1]], 7);
    myr_neighbour_destroy(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast),     cmocka_unit_test(test_secret), cmocka_unit_test(test_far_pairs),
        cmocka_unit_test(test_all_far),  cmocka_unit_test(test_pruned), cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
