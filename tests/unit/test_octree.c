/* test_octree.c - the octree: every particle in one leaf and in its cube, cells in order, bounded for degenerate sets,
 * the same for any number of threads; lists of near cells against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/context.h>

#include "method/tree/octree.h"
#include "unit/clouds.h"

typedef struct {
    double *x[3];
    myr_points points;
} cloud_set;

static cloud_set make_set(int cloud, uint32_t stream, int64_t n)
{
    cloud_set s;
    for (int c = 0; c < 3; c++)
        s.x[c] = malloc(((size_t)n + 1) * sizeof(double));
    for (int64_t i = 0; i < n; i++) {
        double x[3];
        cloud_point(cloud, stream, i, x);
        for (int c = 0; c < 3; c++)
            s.x[c][i] = x[c];
    }
    s.points = (myr_points){.n = n, .high = {s.x[0], s.x[1], s.x[2]}, .real_bytes = (int)sizeof(double)};
    return s;
}

static void free_set(cloud_set *s)
{
    for (int c = 0; c < 3; c++)
        free(s->x[c]);
}

static myr_octree *build(int threads, const cloud_set *sources, const cloud_set *targets,
                         const myr_octree_options *options)
{
    myr_context *context;
    myr_octree *tree;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_threads(context, threads), MYR_OK);
    assert_int_equal(myr_octree_build(context, &sources->points, targets ? &targets->points : NULL, options, &tree),
                     MYR_OK);
    myr_context_destroy(&context);
    return tree;
}

/* Particles first .. first + count of the order are in the cell's cube, but for rounding. */
static void check_inside(const myr_octree *t, const myr_cell *c, const cloud_set *set, const int64_t *order,
                         int64_t first, int64_t count)
{
    const double half = 0.5 * myr_octree_side(t, c) * (1 + 1e-9);
    for (int64_t i = first; i < first + count; i++)
        for (int axis = 0; axis < 3; axis++) {
            const double x = set->x[axis][order[i]], rounding = 4e-16 * (fabs(x) + fabs(t->origin[axis]));
            assert_true(fabs(x - myr_octree_centre(t, c, axis)) <= half + rounding);
        }
}

static void check_order(const int64_t *order, int64_t n)
{
    char *seen = calloc((size_t)n + 1, 1);
    for (int64_t i = 0; i < n; i++) {
        assert_in_range(order[i], 0, n - 1);
        assert_false(seen[order[i]]++);
    }
    free(seen);
}

static int at_one_place(const cloud_set *set, const int64_t *order, int64_t first, int64_t count)
{
    for (int64_t i = first + 1; i < first + count; i++)
        for (int axis = 0; axis < 3; axis++)
            if (set->x[axis][order[i]] != set->x[axis][order[first]])
                return 0;
    return 1;
}

static void check_cell(const myr_octree *t, int32_t number)
{
    const myr_cell *c = &t->cell[number];
    int64_t source = c->source, target = c->target;
    assert_in_range(number, t->level[c->level], t->level[c->level + 1] - 1);
    for (int o = 0, k = 0; o < 8; o++) {
        const int32_t child = myr_octree_child(c, o);
        if (child < 0)
            continue;
        const myr_cell *d = &t->cell[child];
        assert_int_equal(child, c->child + k++);
        assert_int_equal(d->parent, number);
        assert_int_equal(d->octant, o);
        for (int axis = 0; axis < 3; axis++)
            assert_int_equal(d->at[axis], 2 * c->at[axis] + (o >> (2 - axis) & 1));
        assert_int_equal(d->source, source);
        assert_int_equal(d->target, target);
        assert_true(d->sources + d->targets > 0);
        source += d->sources;
        target += d->targets;
    }
    if (c->mask) { /* the children have everything */
        assert_int_equal(source, c->source + c->sources);
        assert_int_equal(target, c->target + c->targets);
    }
}

static void check_tree(const myr_octree *t, const cloud_set *sources, const cloud_set *targets, int64_t leaf)
{
    check_order(t->source, t->sources);
    check_order(t->target, t->targets);
    assert_int_equal(t->level[t->levels], t->cells);
    for (int32_t k = 0; k < t->cells; k++) {
        const myr_cell *c = &t->cell[k];
        check_cell(t, k);
        check_inside(t, c, sources, t->source, c->source, c->sources);
        check_inside(t, c, targets, t->target, c->target, c->targets);
        if (!c->mask && c->level < MYR_OCTREE_DEPTH && targets == sources && c->sources > leaf)
            assert_true(at_one_place(sources, t->source, c->source, c->sources));
    }
}

static void test_clouds(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 9, 1000, 40000};
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const myr_octree_options options = {.leaf = 20};
            cloud_set set = make_set(cloud, 0, sizes[k]);
            myr_octree *t = build(1, &set, NULL, &options);
            check_tree(t, &set, &set, 20);
            assert_true(t->same && t->source == t->target);
            /* bounded: at most a chain of every level for each leaf's worth of particles */
            assert_true(t->cells <= 8 * MYR_OCTREE_DEPTH * (sizes[k] / 20 + 1));
            myr_octree_destroy(&t);
            assert_null(t);
            free_set(&set);
        }
}

/* Everybody at one place is one leaf at once; beyond 21 levels the tree still separates. */
static void test_degenerate(void **state)
{
    (void)state;
    const myr_octree_options options = {.leaf = 20};
    cloud_set same = make_set(5, 0, 5000), far = make_set(8, 0, 5000);
    myr_octree *t = build(1, &same, NULL, &options);
    assert_int_equal(t->cells, 1);
    assert_int_equal(t->largest, 5000);
    myr_octree_destroy(&t);
    t = build(1, &far, NULL, &options);
    assert_true(t->largest <= 20);
    assert_true(t->levels > MYR_OCTREE_KEY_LEVELS);
    myr_octree_destroy(&t);
    const myr_octree_options shallow = {.leaf = 20, .depth = 5};
    t = build(1, &far, NULL, &shallow);
    assert_int_equal(t->levels, 6);
    myr_octree_destroy(&t);
    free_set(&same);
    free_set(&far);
}

static void test_two_sets(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        const myr_octree_options options = {.leaf = 30, .enlarge = 1.3};
        cloud_set sources = make_set(cloud, 0, 3000), targets = make_set((cloud + 1) % CLOUDS, 1, 700);
        myr_octree *t = build(1, &sources, &targets, &options);
        assert_false(t->same);
        check_tree(t, &sources, &targets, 30);
        myr_octree_destroy(&t);
        free_set(&sources);
        free_set(&targets);
    }
}

static void test_threads(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++) {
        const myr_octree_options options = {.leaf = 20};
        cloud_set set = make_set(cloud, 0, 100000);
        myr_octree *one = build(1, &set, NULL, &options), *three = build(3, &set, NULL, &options);
        assert_int_equal(one->cells, three->cells);
        assert_memory_equal(one->source, three->source, 100000 * sizeof *one->source);
        for (int32_t k = 0; k < one->cells; k++)
            assert_memory_equal(one->cell[k].at, three->cell[k].at, sizeof one->cell[k].at);
        myr_octree_destroy(&one);
        myr_octree_destroy(&three);
        free_set(&set);
    }
}

/* The lists against all pairs of cells. */
static void check_near(const myr_octree *t, const myr_octree_near *n)
{
    const myr_image here = {{0, 0, 0}};
    for (int32_t a = 0; a < t->cells; a++) {
        int64_t coarse = 0, colleagues = 0, listed = 0;
        for (int32_t b = 0; b < t->cells; b++) {
            const myr_cell *x = &t->cell[a], *y = &t->cell[b];
            if (y->level > x->level)
                break;
            const int near = myr_octree_is_near(y, x, n->reach);
            coarse += (y->level < x->level || !near) && (!y->mask || y->resting) &&
                      myr_octree_is_near_group(t, y, here, x, n->reach);
            colleagues += y->level == x->level && near;
        }
        for (int k = 0; k < n->count; k++) {
            const int32_t b = n->colleague[(int64_t)a * n->count + k];
            if (b < 0)
                continue;
            const int64_t step[3] = {k / (n->width * n->width), k / n->width % n->width, k % n->width};
            for (int axis = 0; axis < 3; axis++)
                assert_int_equal(t->cell[b].at[axis], t->cell[a].at[axis] + step[axis] - n->reach);
            assert_int_equal(t->cell[b].level, t->cell[a].level);
            listed++;
        }
        assert_int_equal(listed, colleagues);
        for (int64_t k = n->coarse[a]; k < n->coarse[a + 1]; k++) {
            const myr_cell *y = &t->cell[n->leaf[k]];
            assert_true((!y->mask || y->resting) && y->level <= t->cell[a].level &&
                        myr_octree_is_near_group(t, y, here, &t->cell[a], n->reach));
        }
        assert_int_equal(n->coarse[a + 1] - n->coarse[a], coarse);
    }
}

/* Every source stays in one cell, which it does not reach beyond, and none stays where a child would do. */
static void check_groups(const myr_octree *t, const double *reach, double sides, int64_t *resting)
{
    int64_t all = 0;
    *resting = 0;
    for (int32_t c = 0; c < t->cells; c++) {
        const myr_cell *cell = &t->cell[c];
        double widest = 0;
        for (int64_t i = 0; i < myr_octree_group(cell); i++) {
            const double r = reach[t->source[cell->source + i]];
            assert_true(c == 0 || r <= sides * myr_octree_side(t, cell) * (1 + 1e-8));
            assert_true(!cell->mask || r > 0.5 * sides * myr_octree_side(t, cell));
            widest = fmax(widest, r);
        }
        assert_true(cell->reach == widest);
        all += myr_octree_group(cell);
        *resting += cell->resting;
        int64_t below = cell->resting;
        for (int32_t k = 0; k < myr_octree_children(cell); k++)
            below += t->cell[cell->child + k].sources;
        assert_true(!cell->mask || below == cell->sources);
    }
    assert_int_equal(all, t->sources);
}

/* Sources that reach differently far, by a factor of 20. */
static void test_reach(void **state)
{
    enum { N = 1500 };
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++)
        for (int sides = 1; sides <= 2; sides++) {
            cloud_set set = make_set(cloud, 0, N);
            double reach[N];
            myr_octree_near near;
            myr_context *context;
            int64_t resting;
            for (int i = 0; i < N; i++)
                reach[i] = (cloud ? 0.1 : 0.02) * exp2(4.3 * (i * 37 % 100) / 100.0);
            const myr_octree_options options = {.leaf = 10, .reach = reach, .sides = sides};
            myr_octree *t = build(1, &set, &set, &options);
            check_groups(t, reach, sides, &resting);
            assert_true(resting > 0 || cloud > 2); /* else nothing was tested */
            assert_int_equal(myr_context_create(&context), MYR_OK);
            assert_int_equal(myr_octree_near_make(context, t, sides, NULL, &near), MYR_OK);
            check_near(t, &near);
            myr_octree_near_free(&near);
            myr_octree_destroy(&t);
            myr_context_destroy(&context);
            free_set(&set);
        }
}

/* All reach as far, and cells may be half as wide. */
static void test_wide(void **state)
{
    (void)state;
    cloud_set set = make_set(0, 0, 1500);
    for (int k = 0; k < 3; k++) {
        const double wide = 0.13 + 0.04 * k; /* cells of 1/8: gaps of one cell, of its diagonals */
        const myr_octree_options options = {.leaf = 2, .root = 1, .least = 0.5 * wide, .wide = wide};
        myr_octree *t = build(1, &set, NULL, &options);
        myr_octree_near near;
        myr_context *context;
        int64_t felt = 0;
        assert_int_equal(t->levels, 4);
        assert_int_equal(myr_context_create(&context), MYR_OK);
        assert_int_equal(myr_octree_near_make(context, t, 1, NULL, &near), MYR_OK);
        check_near(t, &near);
        for (int32_t c = 0; c < t->cells; c++)
            for (int64_t i = near.coarse[c]; i < near.coarse[c + 1]; i++)
                felt += t->cell[near.leaf[i]].level == t->cell[c].level;
        assert_true(felt > 0);
        myr_octree_near_free(&near);
        myr_octree_destroy(&t);
        myr_context_destroy(&context);
    }
    free_set(&set);
}

static void test_near(void **state)
{
    (void)state;
    for (int cloud = 0; cloud < CLOUDS; cloud++)
        for (int reach = 1; reach <= 2; reach++) {
            const myr_octree_options options = {.leaf = 10};
            cloud_set set = make_set(cloud, 0, 1500);
            myr_octree *t = build(1, &set, NULL, &options);
            myr_octree_near near;
            myr_context *context;
            assert_int_equal(myr_context_create(&context), MYR_OK);
            assert_int_equal(myr_octree_near_make(context, t, reach, NULL, &near), MYR_OK);
            check_near(t, &near);
            myr_octree_near_free(&near);
            myr_octree_destroy(&t);
            myr_context_destroy(&context);
            free_set(&set);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clouds),   cmocka_unit_test(test_degenerate),
                                       cmocka_unit_test(test_two_sets), cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_near),     cmocka_unit_test(test_reach),
                                       cmocka_unit_test(test_wide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
