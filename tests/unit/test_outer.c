/* test_outer.c - cells as pseudo-particles: they have the moments of the cell's sources that their form promises, and
 * the moments' rates of change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/myriad.h>

#include "interaction/interaction.h"
#include "backend/cell_axes.h"
#include "method/tree/cell_moments.h"

enum { BODIES = 400 };

static const int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};

/* Moments of some of a problem's sources about a place. */
typedef struct {
    double mass, first[3], second[6], rate[3], change[6];
} moments;

static moments moments_of(const myr_ordered_problem *s, int64_t first, int64_t count, const double *about)
{
    const myr_unit *u = s->problem.unit;
    const int velocity = myr_ordered_problem_field(u, "velocity");
    const myr_points points = myr_points_make(u, &s->problem.source, s->problem.source.n, NULL);
    moments m = {0};
    for (int64_t i = first; i < first + count; i++) {
        const double mass = myr_ordered_problem_real(u, s->problem.source.component[s->strength], i);
        double x[3], v[3] = {0};
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = myr_points_get(&points, axis, i) - about[axis];
            if (velocity >= 0)
                v[axis] = myr_ordered_problem_real(u, s->problem.source.component[velocity + axis], i);
            m.first[axis] += mass * x[axis];
            m.rate[axis] += mass * v[axis];
        }
        m.mass += mass;
        for (int n = 0; n < 6; n++) {
            m.second[n] += mass * x[row[n]] * x[column[n]];
            m.change[n] += mass * (x[row[n]] * v[column[n]] + v[row[n]] * x[column[n]]);
        }
    }
    return m;
}

/* Takes the trace away, which 1/r does not know. */
static void traceless(double *second)
{
    const double third = (second[0] + second[1] + second[2]) / 3;
    for (int n = 0; n < 3; n++)
        second[n] -= third;
}

static void compare(const char *what, const double *got, const double *want, int n, double size)
{
    for (int k = 0; k < n; k++)
        if (!(fabs(got[k] - want[k]) <= 4e-14 * size)) /* measured: 1.0e-14 */
            fail_msg("%s %d is %.17g, not %.17g", what, k, got[k], want[k]);
}

static void check_cell(const myr_cell_moments *o, const myr_ordered_problem *s, int32_t cell)
{
    const myr_cell *c = &o->tree->cell[cell];
    const double *about = o->cell[cell].mean, reach = o->cell[cell].furthest;
    moments want = moments_of(s, c->source, c->sources, about), got = moments_of(s, o->first[cell], o->points, about);
    const double speed = 3;
    compare("mass", &got.mass, &want.mass, 1, want.mass);
    compare("dipole", got.first, want.first, 3, want.mass * reach);
    compare("momentum", got.rate, want.rate, 3, want.mass * speed);
    if (o->form == MYR_CELL_MOMENTS_THREE) {
        traceless(got.second);
        traceless(want.second);
    }
    if (o->points > 1)
        compare("second moment", got.second, want.second, 6, want.mass * reach * reach);
    if (o->form == MYR_CELL_MOMENTS_FOUR)
        compare("change of the second moment", got.change, want.change, 6, want.mass * reach * speed);
    for (int64_t i = c->source; i < c->source + c->sources; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++)
            square += pow(s->place[3 * i + axis] - o->cell[cell].centre[axis], 2);
        assert_true(sqrt(square) <= reach * (1 + 1e-14));
    }
}

static void check_form(myr_context *context, const char *kernel, myr_cell_moments_form form)
{
    myr_particles *stars;
    myr_interaction *f;
    myr_problem problem;
    myr_octree *tree;
    myr_cell_moments outer;
    myr_ordered_problem sorted;
    const myr_images open = {.period = 0};
    int checked = 0;
    assert_int_equal(myr_model_create(context, "plummer", BODIES, 1, &stars), MYR_OK);
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    assert_int_equal(myr_problem_make(f, myr_catalogue_arithmetic("double"), myr_backend_best(), stars, BODIES, NULL,
                                      stars, &problem),
                     MYR_OK);
    assert_true(myr_cell_moments_one_sign(&problem.direct));
    const myr_octree_options options = {.leaf = 6};
    assert_int_equal(myr_ordered_problem_tree(&problem.direct, &open, &options, &tree), MYR_OK);
    assert_true(tree->same);
    assert_int_equal(myr_cell_moments_make(context, tree, form, 2, 0, &outer), MYR_OK);
    assert_int_equal(myr_ordered_problem_make(&problem.direct, tree, &open, outer.all, 0, &sorted), MYR_OK);
    assert_int_equal(myr_cell_moments_fill(&outer, &sorted), MYR_OK);
    for (int32_t c = 0; c < tree->cells; c++)
        if (outer.first[c] >= 0) {
            check_cell(&outer, &sorted, c);
            checked++;
        } else {
            assert_true(tree->cell[c].sources <= outer.points);
        }
    assert_true(checked > 50);
    myr_ordered_problem_free(&sorted);
    myr_cell_moments_free(&outer);
    myr_octree_destroy(&tree);
    myr_problem_free(&problem);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&stars);
}

static void test_moments(void **state)
{
    myr_context *context;
    (void)state;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    check_form(context, "gravity", MYR_CELL_MOMENTS_ONE);
    check_form(context, "gravity", MYR_CELL_MOMENTS_THREE);
    check_form(context, "gravity", MYR_CELL_MOMENTS_FOUR);
    check_form(context, "gravity_jerk", MYR_CELL_MOMENTS_ONE);
    check_form(context, "gravity_jerk", MYR_CELL_MOMENTS_FOUR);
    myr_context_destroy(&context);
}

/* Axes of a matrix that has equal values, none, or one direction only. */
static void test_axes(void **state)
{
    static const double matrix[][6] = {
        {2, 2, 2, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, {1, 4, 9, 6, 3, 2}, {5, 3, 1, 0, 0, 0}, {2, 1, 3, 0.5, -0.25, 0.75}};
    (void)state;
    for (size_t n = 0; n < sizeof matrix / sizeof *matrix; n++) {
        cell_axes axes;
        double back[6] = {0};
        cell_axes_find(matrix[n], 2, &axes);
        assert_true(axes.value[0] >= axes.value[1] && axes.value[1] >= axes.value[2]);
        for (int k = 0; k < 6; k++) {
            for (int a = 0; a < 3; a++)
                back[k] += 2 * axes.value[a] * axes.vector[a][row[k]] * axes.vector[a][column[k]];
            assert_true(fabs(back[k] - matrix[n][k]) <= 1e-14); /* measured: 3.6e-15 */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moments), cmocka_unit_test(test_axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
