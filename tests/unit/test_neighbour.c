/* test_neighbour.c - the neighbour method against plain double sums over all pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isas.h"
#include "unit/neighbour_scene.h"

enum { SINGLE = 0, PORTABLE = 2, DOUBLE = 3 };

static scene s;
static scene_answer reference, answer;

/* Root mean square error of forces, and of energy and virials: float arithmetic (worst measured 1.5e-6 and 8.1e-7 with
 * plain sums, 2.7e-6 with fixed ones, of a few particles in a long box), then double (4.4e-13 of two particles near the
 * minimum, where the force is a difference, and 9.2e-14). */
static const struct {
    double force, sums;
} bar[2] = {{1e-5, 3e-6}, {2e-12, 4e-13}};

/* Every arithmetic, kind of sum and instruction set, against the reference. */
static void compare(void)
{
    static const int arithmetics[] = {SINGLE, PORTABLE, DOUBLE};
    const myr_isa_table *isa;
    const scene begin = s;
    scene_reference(&s, &reference);
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        for (int v = 0; v < 6 && isas_tested(isa); v++) {
            myr_neighbour *list;
            s = begin;
            s.set.isa = isa;
            s.set.arithmetic = arithmetics[v / 2];
            s.set.fixed = v % 2;
            s.set.check = 1;
            assert_int_equal(scene_list(&s, context, &list), MYR_OK);
            const int status = myr_neighbour_update(list, 0, NULL);
            if (status)
                print_error("%s\n", myr_context_message(context));
            assert_int_equal(status, MYR_OK);
            for (int sums = 0; sums < 2; sums++) {
                assert_int_equal(scene_forces(&s, list, sums, &answer), MYR_OK);
                const double force = scene_error(&s, &answer, &reference);
                const double total = sums ? scene_sums_error(&answer, &reference) : 0;
                const int wide = s.set.arithmetic == DOUBLE;
                if (!(force <= bar[wide].force && total <= bar[wide].sums))
                    print_message("%s arithmetic %d fixed %d n %d: force %.2e sums %.2e\n", isa->name, s.set.arithmetic,
                                  s.set.fixed, (int)s.set.n, force, total);
                assert_true(force <= bar[wide].force && total <= bar[wide].sums);
                for (int c = 0; c < 3 && s.set.fixed; c++)
                    assert_true(answer.net[c] == 0);
            }
            myr_neighbour_destroy(&list);
        }
}

static const double cube[3] = {9.5, 9.5, 9.5}, brick[3] = {7.9, 6.1, 14.2}, tiny[3] = {5.1, 5.3, 5.2};
static const int all[3] = {1, 1, 1}, none[3] = {0, 0, 0};

static void test_cuts(void **state)
{
    (void)state;
    for (int cut = MYR_CUT_TRUNCATED; cut <= MYR_CUT_FORCE; cut++) {
        scene_make(&s, cube, all, 1, 0.12, 1);
        s.set.cut = (myr_cut)cut;
        compare();
    }
}

static void test_types(void **state)
{
    (void)state;
    for (int cut = MYR_CUT_TRUNCATED; cut <= MYR_CUT_FORCE; cut++) {
        scene_make(&s, brick, all, 1, 0.1, 3);
        s.set.cut = (myr_cut)cut;
        s.pair[5].epsilon = s.pair[7].epsilon = 0; /* 1 and 2 do not interact */
        compare();
    }
}

/* Every subset of periodic axes. */
static void test_axes(void **state)
{
    (void)state;
    for (int set = 0; set < 8; set++) {
        const int periodic[3] = {set & 1, set >> 1 & 1, set >> 2 & 1};
        scene_make(&s, brick, periodic, 1, 0.1, 1);
        s.set.cut = MYR_CUT_SMOOTH;
        compare();
    }
}

/* Boxes in which all cells are neighbours; few particles; a droplet in a large box. */
static void test_shapes(void **state)
{
    (void)state;
    static const double wide[3] = {60, 60, 60}, flat[3] = {5.1, 30, 5.3};
    scene_make(&s, tiny, all, 1, 0.1, 1);
    compare();
    scene_make(&s, flat, all, 1, 0.1, 2);
    compare();
    scene_make(&s, wide, all, 0.16, 0.1, 1);
    compare();
    scene_make(&s, wide, none, 0.16, 0.1, 1);
    compare();
}

static void test_few(void **state)
{
    (void)state;
    for (int n = 1; n <= 3; n++) {
        scene_make(&s, cube, all, 1, 0.1, 1);
        s.set.n = n;
        compare();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),   cmocka_unit_test(test_types), cmocka_unit_test(test_axes),
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
