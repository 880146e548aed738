/* test_parts.c - ranks that begin with any part of the particles of a box end with the bits of one rank that had all.
 */
#include <math.h>

#include <myriad/myriad.h>

#include "domain/decomposition.h"
#include "domain/migration.h"
#include "ranks.h"

enum { N = 500 };

/* --- particles from any rank to any other ---------------------------------------------------------------------------
 */

typedef struct {
    uint64_t *q[3];
    int64_t *id;
    int64_t room;
} crowd;

static myr_status reserve(void *user, int64_t kept, int64_t count)
{
    crowd *c = user;
    (void)kept;
    for (int k = 0; k < 3 && count > c->room; k++)
        c->q[k] = realloc(c->q[k], (size_t)count * sizeof *c->q[k]);
    if (count > c->room)
        c->id = realloc(c->id, (size_t)count * sizeof *c->id);
    c->room = count > c->room ? count : c->room;
    return MYR_OK;
}

/* Rank `from` has those of numbers begin(from) to begin(from + 1), of which i goes to rank i * i modulo some number. */
static void spread(int64_t all, int (*owner_of)(int64_t), const int64_t *begin)
{
    crowd c = {.room = 0};
    int64_t n = begin[me + 1] - begin[me], sum[2] = {0, 0};
    const myr_migrant part[] = {
        {(void **)&c.q[0], 8}, {(void **)&c.q[1], 8}, {(void **)&c.q[2], 8}, {(void **)&c.id, 8}};
    const myr_migrants migrants = {part, 4, reserve, &c};
    int32_t *owner = malloc((size_t)(n + 1) * sizeof *owner);
    check(reserve(&c, 0, n + 1));
    for (int64_t i = 0; i < n; i++) {
        c.id[i] = begin[me] + i;
        owner[i] = owner_of(c.id[i]);
        for (int k = 0; k < 3; k++)
            c.q[k][i] = (uint64_t)(c.id[i] * (k + 2));
    }
    check(myr_migration_spread(context, &migrants, owner, &n));
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(owner_of(c.id[i]), me);
        for (int k = 0; k < 3; k++)
            assert_true(c.q[k][i] == (uint64_t)(c.id[i] * (k + 2)));
        sum[0] += 1;
        sum[1] += c.id[i] * c.id[i];
    }
    check(myr_ranks_sum(context, sum, 2));
    assert_int_equal(sum[0], all);
    assert_int_equal(sum[1], (all - 1) * all * (2 * all - 1) / 6);
    for (int k = 0; k < 3; k++)
        free(c.q[k]);
    free(c.id);
    free(owner);
}

static int to_any(int64_t i)
{
    return (int)(i * i % 7919 % ranks);
}

static int to_last(int64_t i)
{
    (void)i;
    return ranks - 1;
}

static int to_first_half(int64_t i)
{
    return (int)(i % ((ranks + 1) / 2));
}

static void test_spread(void **state)
{
    (void)state;
    static int (*const owner[])(int64_t) = {to_any, to_last, to_first_half};
    const int64_t all = 30000; /* several messages */
    int64_t *begin = malloc((size_t)(ranks + 1) * sizeof *begin);
    for (int way = 0; way < 3; way++)
        for (int k = 0; k < 3; k++) {
            for (int r = 0; r <= ranks; r++) /* even; all on the first; one on the first and the others on the last */
                begin[r] = way == 0 ? all * r / ranks : r == 0 ? 0 : way == 1 ? all : 1;
            begin[ranks] = all;
            spread(all, owner[k], begin);
        }
    free(begin);
}

/* --- runs -----------------------------------------------------------------------------------------------------------
 */

/* Rows [first, last) of a liquid of two kinds of particles; all ranks of a context make theirs together. */
static myr_particles *rows(myr_context *of, int64_t first, int64_t last)
{
    const int64_t n = last - first;
    myr_particles *part = NULL;
    int64_t *id = malloc((size_t)(n + 1) * sizeof *id);
    int32_t *type = malloc((size_t)(n + 1) * sizeof *type);
    myr_model_spec *spec;
    assert_int_equal(myr_model_spec_create(of, "fcc", &spec), MYR_OK);
    assert_int_equal(myr_model_spec_set(spec, "density", 0.7), MYR_OK);
    assert_int_equal(myr_model_spec_set(spec, "temperature", 2), MYR_OK);
    assert_int_equal(myr_model_spec_make_rows(spec, N, 5, first, last, &part), MYR_OK);
    myr_model_spec_destroy(&spec);
    for (int64_t i = 0; i < n; i++) {
        id[i] = 3 * (first + i) + 1;
        type[i] = (first + i) % 5 == 0;
        myr_particles_component(part, "mass", 0)[i] = type[i] ? 3 : 1;
    }
    assert_int_equal(myr_particles_set_ids(part, id), MYR_OK);
    assert_int_equal(myr_particles_set_types(part, type), MYR_OK);
    free(id);
    free(type);
    return part;
}

/* early: they are held by springs, and it begins with heat and a minimisation, which leaves velocities alone. */
static myr_simulation *liquid(myr_context *of, myr_particles *particles, int early)
{
    static const double epsilon[4] = {1, 1, 1, 1.5}, sigma[4] = {1, 1, 1, 1};
    myr_interaction *f;
    myr_simulation *s;
    myr_molecular_options o = myr_molecular_defaults();
    o.restraint = early ? 30 : 0;
    for (int c = 0; c < 3; c++) {
        o.box[c] = cbrt(N / 0.7);
        o.origin[c] = -0.5 * o.box[c];
    }
    assert_int_equal(myr_interaction_create(of, "lennard_jones", &f), MYR_OK);
    const myr_status status[] = {myr_interaction_choose(f, "method", "neighbour"),
                                 myr_interaction_choose(f, "accumulator", "fixed"),
                                 myr_interaction_set(f, "cutoff", 2.5),
                                 myr_interaction_set_pair(f, "epsilon", 2, epsilon),
                                 myr_interaction_set_pair(f, "sigma", 2, sigma),
                                 myr_simulation_create(of, particles, f, &s),
                                 myr_simulation_choose(s, "nose_hoover"),
                                 myr_simulation_set(s, "dt", 0.005),
                                 myr_simulation_set(s, "temperature", 1),
                                 myr_simulation_set(s, "period", 0.5),
                                 myr_simulation_set_molecular(s, &o)};
    for (size_t k = 0; k < sizeof status / sizeof *status; k++)
        if (status[k])
            fail_msg("%zu: %s", k, myr_context_message(of));
    return s;
}

/* What there is to compare after some steps. */
static uint64_t end_of(myr_context *of, myr_simulation *s, int early)
{
    static const char *const fields[] = {"position", "velocity", "force", "image", "mass"};
    const myr_particles *p;
    uint64_t all = 0, hash;
    myr_minimum minimum = {0};
    if (early &&
        (myr_simulation_heat(s, 1.2, 11) || myr_simulation_minimise(s, 1e-3, 60, &minimum) || myr_simulation_rest(s)))
        fail_msg("rank %d: %s", me, myr_context_message(of));
    if (!early) { /* before the first step, too */
        assert_int_equal(myr_simulation_particles(s, &p), MYR_OK);
        assert_int_equal(myr_particles_count(p), N);
    }
    all = (uint64_t)minimum.steps + (uint64_t)(int64_t)(minimum.energy * 0x1p32);
    for (int k = 0; k < 40; k++)
        if (myr_simulation_step(s, 1))
            fail_msg("rank %d: %s", me, myr_context_message(of));
    assert_int_equal(myr_simulation_particles(s, &p), MYR_OK);
    assert_int_equal(myr_particles_count(p), N);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(myr_particles_hash(p, fields[k], &hash), MYR_OK);
        all = all * 31 + hash;
    }
    for (int64_t i = 0; i < N; i++) {
        assert_int_equal(myr_particles_ids(p)[i], 3 * i + 1);
        assert_int_equal(myr_particles_types(p)[i], i % 5 == 0);
    }
    return all;
}

static uint64_t alone(int early)
{
    myr_context *of = NULL; /* has joined nobody */
    assert_int_equal(myr_context_create(&of), MYR_OK);
    myr_simulation *s = liquid(of, rows(of, 0, N), early);
    const uint64_t end = end_of(of, s, early);
    myr_simulation_destroy(&s);
    myr_context_destroy(&of);
    return end;
}

/* This rank has rows [first, last), or where they are not told it has none while rank 0 has all, or all have all. */
static void compare(int64_t first, int64_t last, int told, int early, uint64_t expected)
{
    myr_simulation *s = liquid(context, rows(context, first, last), early);
    if (told)
        check(myr_simulation_set_part(s, first, N));
    if (me > 0)
        check(myr_simulation_follow(s));
    else
        assert_true(end_of(context, s, early) == expected);
    myr_simulation_destroy(&s);
}

static void test_parts(void **state)
{
    (void)state;
    const int64_t back = ranks - 1 - me;
    for (int early = 0; early < 2; early++) {
        const uint64_t expected = alone(early);
        compare(N * me / ranks, N * (me + 1) / ranks, 1, early, expected);
        compare(N * back / ranks, N * (back + 1) / ranks, 1, early, expected); /* the last rows first */
        compare(me == ranks - 1 ? 0 : N, N, 1, early, expected);               /* all on the last rank */
        compare(0, me == 0 ? N : 0, 0, early, expected);
        compare(0, N, 0, early, expected);
    }
}

/* The last rank has its fields in another order. */
static void refuse_order(void)
{
    static const char *const names[2] = {"alpha", "beta"};
    const int64_t first = N * me / ranks;
    myr_particles *part = rows(context, first, N * (me + 1) / ranks);
    for (int k = 0; k < 2; k++)
        check(myr_particles_add_field(part, names[me == ranks - 1 ? 1 - k : k], 1));
    myr_simulation *s = liquid(context, part, 0);
    check(myr_simulation_set_part(s, first, N));
    assert_int_equal(me > 0 ? myr_simulation_follow(s) : myr_simulation_step(s, 1), MYR_ERROR_FIELD);
    assert_non_null(strstr(myr_context_message(context), "field 'alpha' in another place"));
    myr_simulation_destroy(&s);
}

/* Parts that do not fit. This comes last, and one case on so many ranks: those that have failed stay so. */
static void test_refused(void **state)
{
    (void)state;
    if (ranks == 1)
        return;
    if (ranks % 2) {
        refuse_order();
        return;
    }
    myr_simulation *s = liquid(context, rows(context, me == 0 ? 0 : 10, N), 0);
    assert_int_equal(myr_simulation_set_part(s, -1, N), MYR_ERROR_VALUE);
    assert_int_equal(myr_simulation_set_part(s, 11, N), MYR_ERROR_VALUE);
    check(myr_simulation_set_part(s, me == 0 ? 0 : 10, N));
    assert_int_equal(me > 0 ? myr_simulation_follow(s) : myr_simulation_step(s, 1), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_context_message(context), "row 10 is in two of them"));
    myr_simulation_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spread), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_refused)};
    return RANKS_MAIN(tests);
}
