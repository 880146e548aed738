/* test_neighbour_halo.c - the domains of a divided box, one after another in one process: with copies of the others'
 * particles around its own, each has forces with the bits of the whole, and so do energy and virial, which add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "method/neighbour/neighbour_inside.h"
#include "unit/neighbour_scene.h"

enum { SINGLE = 0, PORTABLE = 2, DOUBLE = 3 };

/* Domains take turns: the numbers of pairs by size, from which they choose a unit, are known from the whole, and sums
 * are those of the domains so far. */
enum { SIZES = MYR_SHORT_RANGE_SIZES, WORDS = MYR_SHORT_RANGE_SUMS * MYR_INTEGER256_WORDS };
typedef struct {
    int whole; /* being evaluated: what it finds is noted */
    myr_wide sum[WORDS];
    myr_wide size[SIZES], found[SIZES]; /* of the whole; of the domains so far */
} turns;

static myr_status turns_largest(void *user, double *value, int count)
{
    (void)user;
    (void)value; /* all domains are in this process and have one instruction set */
    assert_int_equal(count, 1);
    return MYR_OK;
}

static myr_status turns_add(void *user, myr_wide *sum, int count)
{
    turns *t = user;
    assert_true(count == WORDS || count == SIZES);
    for (int k = 0; k < count; k++)
        if (count == WORDS) {
            sum[k] = t->sum[k] += sum[k];
        } else {
            t->found[k] += sum[k];
            sum[k] = t->size[k] = t->whole ? sum[k] : t->size[k];
        }
    return MYR_OK;
}

/* Domain `at` of parts[0] parts[1] parts[2]: [low, high) of the upper halves of coordinates. Planes are not equally far
 * from each other; the first is anywhere. */
typedef struct {
    uint32_t low[3], size[3];
    int whole[3];
} cuboid;

static uint32_t plane(int k, int parts, int part)
{
    const double bend = part % parts == 0 ? 0 : 0.06 * (part % 2 ? 1 : -1) / parts;
    return (uint32_t)(0x1p32 * (0.1 + 0.07 * k + 0.8 * ((double)part / parts + bend)));
}

static cuboid domain(const scene *s, const int parts[3], int at)
{
    cuboid c;
    for (int k = 0; k < 3; k++) {
        const int part = at % parts[k], open = !s->set.box.periodic[k];
        const uint32_t low = open ? (uint32_t)(0x1p32 * (0.39 + 0.01 * part)) : plane(k, parts[k], part);
        at /= parts[k];
        c.low[k] = part == 0 && open ? 0 : low;
        c.size[k] = (open ? (uint32_t)(0x1p32 * (0.39 + 0.01 * (part + 1))) : plane(k, parts[k], part + 1)) - c.low[k];
        if (part + 1 == parts[k]) /* up to the first plane, or to the end */
            c.size[k] = (open ? 0 : plane(k, parts[k], 0)) - c.low[k];
        c.whole[k] = parts[k] == 1;
    }
    return c;
}

/* How far a particle is from the cuboid along an axis, at most. */
static double apart(const scene *s, const cuboid *c, int k, int64_t i)
{
    const uint32_t above = (uint32_t)(s->q[k][i] >> 32) - c->low[k];
    if (c->whole[k] || above < c->size[k])
        return 0;
    const uint32_t up = above - c->size[k] + 1, down = 0u - above;
    return (up < down ? up : down) * 0x1p-32 * s->set.box.length[k];
}

static int inside(const scene *s, const cuboid *c, int64_t i)
{
    return apart(s, c, 0, i) == 0 && apart(s, c, 1, i) == 0 && apart(s, c, 2, i) == 0;
}

static void copy(const scene *from, int64_t i, scene *to, int64_t at)
{
    for (int k = 0; k < 3; k++)
        to->q[k][at] = from->q[k][i];
    to->type[at] = from->type[i];
    to->id[at] = from->id[i];
}

/* The halo of a domain, last ones first. */
static int64_t surround(const scene *whole, const cuboid *c, double width, scene *to)
{
    int64_t h = 0;
    for (int64_t i = whole->set.n - 1; i >= 0; i--) {
        int near = !inside(whole, c, i);
        for (int k = 0; k < 3; k++)
            near &= apart(whole, c, k, i) < width;
        if (near)
            copy(whole, i, to, to->set.n + h++);
    }
    return h;
}

/* Own particles that are further from all faces than they see, and those whose neighbours are looked for in the halo.
 */
typedef struct {
    int64_t interior, lookers;
} census;

static census count(const scene *s, const cuboid *c, const myr_neighbour *list)
{
    census sum = {0, 0};
    const double width = myr_neighbour_width(list);
    for (int64_t i = 0; i < s->set.n; i++) {
        int deep = 1;
        for (int k = 0; k < 3; k++) {
            const uint32_t above = (uint32_t)(s->q[k][i] >> 32) - c->low[k], below = c->size[k] - above;
            deep &= c->whole[k] || (above < below ? above : below) * 0x1p-32 * s->set.box.length[k] > width;
        }
        sum.interior += deep;
    }
    for (int t = 0; t < list->threads; t++)
        sum.lookers += list->share[t].halo[0].rows;
    return sum;
}

/* The domain's part of the answer; the number of its particles. The list is compared with all pairs as it is used. */
static census met;
static int64_t evaluate(const scene *whole, const cuboid *c, const myr_agreement *agreement, scene_answer *to)
{
    static scene part;
    static double f[3][SCENE_MOST];
    double *const force[3] = {f[0], f[1], f[2]};
    int64_t n = 0;
    myr_neighbour *list;
    part = *whole;
    part.set.agreement = agreement;
    part.set.all = whole->set.n;
    assert_int_equal(scene_list(&part, context, &list), MYR_OK);
    for (int64_t i = 0; i < whole->set.n; i++)
        if (inside(whole, c, i))
            copy(whole, i, &part, n++);
    part.set.n = n;
    assert_int_equal(myr_neighbour_resize(list, n), MYR_OK);
    assert_int_equal(myr_neighbour_sort(list), MYR_OK);
    const int64_t h = surround(whole, c, myr_neighbour_width(list), &part);
    assert_int_equal(myr_neighbour_search(list, h), MYR_OK);
    met = count(&part, c, list);
    assert_int_equal(myr_neighbour_forces_begin(list, 1), MYR_OK);
    assert_int_equal(myr_neighbour_forces_end(list, force, &to->sums), MYR_OK);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            to->force[part.id[i]][k] = f[k][i];
    myr_neighbour_destroy(&list);
    return n;
}

/* All domains against the whole; of a thick one some particles see no halo. */
static void compare_domains(scene *s, const int parts[3], int thick)
{
    static scene_answer one, all;
    static const cuboid everything = {{0}, {0}, {1, 1, 1}};
    turns t = {.whole = 1};
    const myr_agreement agreement = {.user = &t, .largest = turns_largest, .add = turns_add};
    int64_t n = 0;
    s->set.fixed = s->set.check = 1;
    memset(&one, 0, sizeof one);
    memset(&all, 0xff, sizeof all);
    assert_int_equal(evaluate(s, &everything, &agreement, &one), s->set.n);
    myr_neighbour *list;
    static scene again;
    again = *s;
    assert_int_equal(scene_list(&again, context, &list), MYR_OK);
    assert_int_equal(myr_neighbour_update(list, 0, NULL), MYR_OK);
    assert_int_equal(scene_forces(&again, list, 1, &all), MYR_OK);
    myr_neighbour_destroy(&list);
    assert_memory_equal(all.force, one.force, sizeof *one.force * (size_t)s->set.n);
    assert_memory_equal(&all.sums, &one.sums, sizeof one.sums);
    t.whole = 0;
    memset(t.sum, 0, sizeof t.sum);
    memset(t.found, 0, sizeof t.found);
    memset(&all, 0xff, sizeof all);
    for (int at = 0; at < parts[0] * parts[1] * parts[2]; at++) {
        const cuboid c = domain(s, parts, at);
        const int64_t own = evaluate(s, &c, &agreement, &all);
        n += own;
        if (thick)
            assert_true(met.interior > 0 && met.lookers > 0 && met.lookers <= own - met.interior);
    }
    assert_int_equal(n, s->set.n);
    assert_memory_equal(t.found, t.size, sizeof t.size);
    assert_memory_equal(all.force, one.force, sizeof *one.force * (size_t)n);
    assert_memory_equal(&all.sums, &one.sums, sizeof one.sums);
}

static void compare(scene *s, const int parts[3])
{
    compare_domains(s, parts, 0);
}

static const int closed[3] = {1, 1, 1}, open_axes[3] = {1, 0, 1};
static const int divisions[][3] = {{2, 1, 1}, {1, 3, 1}, {1, 2, 2}, {2, 2, 2}, {1, 1, 5}};

static void test_divisions(void **state)
{
    (void)state;
    static scene s;
    static const double wide[3] = {13, 11, 14}, narrow[3] = {5.3, 8, 6.1};
    for (int d = 0; d < 5; d++)
        for (int types = 1; types <= 3; types += 2) {
            scene_make(&s, wide, closed, 1, 0.1, types);
            s.set.cut = types == 1 ? MYR_CUT_SMOOTH : MYR_CUT_SPLINE;
            s.set.threads = 1 + d % 3;
            compare(&s, divisions[d]);
            scene_make(&s, narrow, closed, 1, 0.1, types); /* halos that go all round, and meet */
            compare(&s, divisions[d]);
        }
}

static void test_arithmetics(void **state)
{
    (void)state;
    static scene s;
    static const double side[3] = {11, 9, 10};
    for (int arithmetic = SINGLE; arithmetic <= DOUBLE; arithmetic++)
        for (int d = 2; arithmetic != 1 && d < 4; d++) {
            scene_make(&s, side, closed, 1, 0.1, d - 1);
            s.set.arithmetic = arithmetic;
            compare(&s, divisions[d]);
        }
}

/* Pairs, and a clump, that are too close for the unit of the sums, on both sides of planes between domains. */
static void test_clashes(void **state)
{
    (void)state;
    static scene s;
    static const double side[3] = {11, 9, 10};
    for (int arithmetic = SINGLE; arithmetic <= DOUBLE; arithmetic += DOUBLE - SINGLE)
        for (int d = 2; d < 4; d++) {
            scene_make(&s, side, closed, 1, 0.1, 2 * d - 3);
            s.set.arithmetic = arithmetic;
            s.set.threads = d;
            for (int64_t i = 0; i + 1 < s.set.n; i += 20)
                for (int k = 0; k < 3; k++)
                    s.q[k][i + 1] = s.q[k][i] + (uint64_t)myr_box_displacement(&s.set.box, k, i % 40 ? 0.3 : 0.004);
            compare(&s, divisions[d]);
            scene_clump(&s, 100, 1.5);
            compare(&s, divisions[d]);
        }
}

/* Particles in one corner, so that domains are empty; and an axis that is open. */
static void test_places(void **state)
{
    (void)state;
    static scene s;
    static const double side[3] = {22, 12, 13};
    for (int d = 0; d < 5; d++) {
        scene_make(&s, side, closed, 0.6, 0.1, 1);
        compare(&s, divisions[d]);
        scene_make(&s, side, open_axes, 0.7, 0.1, 3);
        compare(&s, divisions[d]);
    }
}

/* Domains more than twice as thick as particles see, with two faces and with six: those within look at no halo. */
static void test_thick(void **state)
{
    (void)state;
    static scene s;
    static const double bar[3] = {16, 6, 6.5}, cube[3] = {16, 16, 16};
    for (int threads = 1; threads <= 3; threads += 2) {
        scene_make(&s, bar, closed, 1, 0.1, threads);
        s.set.threads = threads;
        compare_domains(&s, divisions[0], 1);
    }
    scene_make(&s, cube, closed, 1, 0.1, 1);
    s.set.threads = 2;
    compare_domains(&s, divisions[3], 1);
}

/* One particle of our own, at the face of the domain, and one that is `apart` from it and not ours; whether the list
 * holds when both have gone `way` towards each other. */
static int holds_after(double apart_at_first, double way)
{
    static scene s;
    static const double side[3] = {20, 20, 20};
    turns t = {.whole = 1};
    const myr_agreement agreement = {.user = &t, .largest = turns_largest, .add = turns_add};
    double f[3][1], *const force[3] = {f[0], f[1], f[2]};
    int holds;
    myr_neighbour *list;
    scene_make(&s, side, closed, 0.01, 0, 1);
    s.set.fixed = 1;
    s.set.n = 1;
    s.set.all = 2;
    s.set.agreement = &agreement;
    for (int k = 0; k < 3; k++)
        s.q[k][1] = s.q[k][0];
    s.q[0][1] += (uint64_t)myr_box_displacement(&s.set.box, 0, apart_at_first);
    assert_int_equal(scene_list(&s, context, &list), MYR_OK);
    assert_int_equal(myr_neighbour_sort(list), MYR_OK);
    const int64_t h = apart_at_first < myr_neighbour_width(list);
    assert_int_equal(myr_neighbour_search(list, h), MYR_OK);
    assert_int_equal(neighbour_forces(list, force, NULL), MYR_OK);
    s.q[0][0] += (uint64_t)myr_box_displacement(&s.set.box, 0, way);
    assert_int_equal(myr_neighbour_prove(list, way, &holds), MYR_OK);
    myr_neighbour_destroy(&list);
    return holds;
}

/* Cutoff 2.5, skin 0.3, so that halos reach to 2.875. */
static void test_proof(void **state)
{
    (void)state;
    assert_true(holds_after(2.86, 0.14));   /* nobody went far */
    assert_false(holds_after(2.86, 0.185)); /* seen in the halo */
    assert_true(holds_after(2.87, 0.16));   /* the same: still too far off, where it was at the last step */
    assert_false(holds_after(2.88, 0.195)); /* not seen, and near now */
    assert_true(holds_after(2.88, 0.18));   /* whoever is not seen is too far off */
    assert_false(holds_after(9, 0.31));
}

/* What is not so is refused. */
static void test_refused(void **state)
{
    (void)state;
    static scene s;
    static const double side[3] = {8, 8, 8};
    double *const force[3] = {NULL, NULL, NULL};
    myr_neighbour *list;
    turns t = {0};
    const myr_agreement agreement = {.user = &t, .largest = turns_largest, .add = turns_add};
    scene_make(&s, side, closed, 1, 0.1, 1);
    s.set.agreement = &agreement;
    assert_int_equal(scene_list(&s, context, &list), MYR_ERROR_COMBINATION); /* plain sums */
    s.set.agreement = NULL;
    assert_int_equal(scene_list(&s, context, &list), MYR_OK);
    assert_int_equal(myr_neighbour_search(list, 0), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_neighbour_sort(list), MYR_OK);
    assert_int_equal(myr_neighbour_search(list, 5), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_neighbour_forces_begin(list, 0), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_neighbour_forces_end(list, force, NULL), MYR_ERROR_ARGUMENT);
    myr_neighbour_destroy(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divisions), cmocka_unit_test(test_arithmetics), cmocka_unit_test(test_places),
        cmocka_unit_test(test_clashes),   cmocka_unit_test(test_thick),       cmocka_unit_test(test_proof),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
