/* test_halo.c - domains, migration and halos against what every rank can work out by itself: all particles are made
 * from their numbers, so each rank knows where all of them are. */
#include <math.h>

#include "domain/halo.h"
#include "domain/migration.h"

#include "ranks.h"

/* A box with particles; this rank has some of them. */
typedef struct {
    myr_box box;
    int64_t all, n, room;
    uint64_t *q[3];
    int32_t *type;
    int64_t *id; /* the number of the particle; its type is that modulo 7 */
} crowd;

static int open_axis = -1; /* where particles are in the inner half only */

/* Where particle i is, `step` steps after the start: evenly spread (multiples of irrational numbers), moving. */
static uint64_t place(int64_t i, int axis, int step)
{
    static const uint64_t part[3] = {UINT64_C(0xD1B54A32D192ED03), UINT64_C(0xABC98388FB8FAC03),
                                     UINT64_C(0x8CB92BA72F3D8DD7)};
    const uint64_t speed = (uint64_t)(i * 2654435761 % 2001 - 1000) * UINT64_C(2000000000000) * (uint64_t)(axis + 1);
    const uint64_t at = (uint64_t)(i + 1) * part[axis] + speed * (uint64_t)step;
    return axis == open_axis ? (UINT64_C(1) << 62) + at / 2 : at;
}

static myr_status reserve(void *user, int64_t kept, int64_t count)
{
    crowd *c = user;
    (void)kept;
    if (count <= c->room)
        return MYR_OK;
    c->room = count + 100;
    for (int k = 0; k < 3; k++)
        c->q[k] = realloc(c->q[k], (size_t)c->room * sizeof *c->q[k]);
    c->type = realloc(c->type, (size_t)c->room * sizeof *c->type);
    c->id = realloc(c->id, (size_t)c->room * sizeof *c->id);
    return MYR_OK;
}

/* Rank k begins with every `ranks`-th particle, wherever it is. */
static void make(crowd *c, const double length[3], int64_t all)
{
    *c = (crowd){.box = {.length = {length[0], length[1], length[2]}, .periodic = {1, 1, 1}}, .all = all};
    if (open_axis >= 0)
        c->box.periodic[open_axis] = 0;
    check(reserve(c, 0, all / ranks + 1));
    for (int64_t i = me; i < all; i += ranks, c->n++) {
        for (int k = 0; k < 3; k++)
            c->q[k][c->n] = place(i, k, 0);
        c->type[c->n] = (int32_t)(i % 7);
        c->id[c->n] = i;
    }
}

static void drop(crowd *c)
{
    for (int k = 0; k < 3; k++)
        free(c->q[k]);
    free(c->type);
    free(c->id);
}

static int64_t migrate(crowd *c, const myr_decomposition *d)
{
    int64_t moved;
    const myr_migrant part[] = {{(void **)&c->q[0], 8},
                                {(void **)&c->q[1], 8},
                                {(void **)&c->q[2], 8},
                                {(void **)&c->type, 4},
                                {(void **)&c->id, 8}};
    const myr_migrants migrants = {part, 5, reserve, c};
    check(myr_migration_run(context, d, &migrants, &c->n, &moved));
    return moved;
}

/* Everyone has those that are in the domain, and all are somewhere. */
static void check_owners(const crowd *c, const myr_decomposition *d, int step)
{
    int64_t sum[2] = {c->n, 0};
    for (int64_t i = 0; i < c->n; i++) {
        const uint64_t q[3] = {c->q[0][i], c->q[1][i], c->q[2][i]};
        assert_int_equal(myr_decomposition_owner(d, q), me);
        for (int k = 0; k < 3; k++)
            assert_true(q[k] == place(c->id[i], k, step));
        sum[1] += c->id[i];
    }
    check(myr_ranks_sum(context, sum, 2));
    assert_int_equal(sum[0], c->all);
    assert_int_equal(sum[1], c->all * (c->all - 1) / 2);
}

/* Whether a place is within `width` of the domain, in every axis: what halos must hold at least. */
static int is_near(const crowd *c, const myr_decomposition *d, double width, int64_t i, int step)
{
    for (int k = 0; k < 3; k++) {
        const uint64_t lower = d->plane[k][d->at[k]], upper = d->plane[k][d->at[k] + 1], q = place(i, k, step);
        const uint64_t off = lower - q < q - upper ? lower - q : q - upper;
        if (d->count[k] > 1 && q - lower >= upper - lower && (double)off * 0x1p-64 * c->box.length[k] > width)
            return 0;
    }
    return 1;
}

/* All that are near are here, as own ones or as copies, none twice, at their places. Gives how many copies are not
 * needed: those that only came by. */
static int64_t check_halo(const crowd *c, const myr_decomposition *d, double width, int64_t count, int step, int built)
{
    char *seen = calloc((size_t)c->all, 1);
    int64_t spare = 0;
    for (int64_t i = 0; i < c->n + count; i++) {
        const int64_t id = c->id[i];
        assert_int_equal(c->type[i], id % 7);
        assert_int_equal(seen[id]++, 0);
        for (int k = 0; k < 3; k++)
            assert_true(c->q[k][i] == place(id, k, step));
        spare += i >= c->n && !is_near(c, d, width, id, built);
    }
    for (int64_t i = 0; i < c->all; i++)
        assert_true(seen[i] || !is_near(c, d, width, i, built));
    free(seen);
    return spare;
}

static void move(crowd *c, int step)
{
    for (int64_t i = 0; i < c->n; i++)
        for (int k = 0; k < 3; k++)
            c->q[k][i] = place(c->id[i], k, step);
}

static int64_t build(crowd *c, myr_halo *halo, double width)
{
    int64_t count;
    check(myr_halo_build(halo, &c->box, width, c->n, c->q, c->type, c->id, &count));
    check(reserve(c, c->n, c->n + count));
    myr_halo_fill(halo, c->q, c->type, c->id);
    return count;
}

/* Planes where a slab next to another is a tenth of it, so that copies go several hops. */
static void squeeze(myr_decomposition *d)
{
    for (int k = 0; k < 3; k++)
        for (int p = 1; p < d->count[k]; p++)
            d->plane[k][p] = UINT64_C(0x4000000000000000) + (uint64_t)p * UINT64_C(0x0800000000000000);
}

/* At once, or looked after now and then; where nobody waits, it comes to its end by itself. */
static void update(crowd *c, myr_halo *halo, int step)
{
    if (step % 2 == 0) {
        check(myr_halo_begin(halo, c->q));
        check(myr_halo_end(halo, c->q));
        return;
    }
    check(myr_halo_begin(halo, c->q));
    for (int k = 0; k < 100 * step; k++)
        check(myr_halo_poll(halo, c->q));
    check(myr_halo_end(halo, c->q));
}

/* Several steps of motion with migrations, in each scheme. */
static void walk(const double length[3], double width, int squeezed, int ring)
{
    double low[3], extent[3];
    crowd c;
    myr_decomposition *d;
    myr_halo *halo;
    int64_t total[3] = {0, 0, 0}; /* migrants, copies, spare ones */
    make(&c, length, 4000);
    check(myr_decomposition_extent(context, &c.box, c.n, c.q, low, extent));
    check(myr_decomposition_create(context, &c.box, low, extent, width, &d));
    check(myr_halo_create(context, d, &halo));
    if (squeezed)
        squeeze(d);
    (void)migrate(&c, d);
    for (int step = 0; step < 4 * MYR_EXCHANGES; step++) {
        myr_halo_choose(halo, (myr_exchange)(step / 4));
        move(&c, step);
        total[0] += migrate(&c, d);
        check_owners(&c, d, step);
        const int64_t count = build(&c, halo, width);
        total[1] += count;
        total[2] += check_halo(&c, d, width, count, step, step);
        for (int k = 0; k < 3; k++) /* wrong until the update */
            memset(c.q[k] + c.n, 0, (size_t)count * sizeof *c.q[k]);
        move(&c, step + 1);
        update(&c, halo, step);
        (void)check_halo(&c, d, width, count, step + 1, step);
    }
    check(myr_ranks_sum(context, total, 3));
    if (me == 0)
        print_message("%d x %d x %d ranks: %lld migrants, %lld copies, %lld of them only passed on\n", d->count[0],
                      d->count[1], d->count[2], (long long)total[0], (long long)total[1], (long long)total[2]);
    assert_true(ranks == 1 || (total[0] > 0 && total[1] > 0));
    assert_true(ring || total[2] == 0);
    myr_halo_destroy(&halo);
    myr_decomposition_destroy(&d);
    drop(&c);
}

static void test_walk(void **state)
{
    static const double cube[3] = {10, 11, 12}, stick[3] = {3, 3, 40};
    (void)state;
    walk(cube, 1, 0, 0);
    walk(stick, 1.3, 0, 0);
}

/* Slabs thinner than the halo, and boxes so small that the ways round meet. */
static void test_hops(void **state)
{
    static const double stick[3] = {3, 3, 40}, small[3] = {4, 4, 6};
    (void)state;
    walk(stick, 3, 1, 1);
    walk(small, 2.5, 0, 1);
}

/* An axis with two ends: slabs wide and thin, none of which sees another across the ends; and one that is doubled. */
static void test_open(void **state)
{
    static const double stick[3] = {3, 3, 80}, whole[3] = {0, 0, 0};
    myr_box box = {.origin = {0, 0, -40}, .length = {3, 3, 80}, .periodic = {1, 1, 0}};
    double low[3], extent[3];
    uint64_t z[2] = {UINT64_C(3) << 61, UINT64_C(9) << 60}; /* at -10 and 5 */
    uint64_t *const q[3] = {z, z, z};
    myr_decomposition *d;
    (void)state;
    open_axis = 2;
    walk(stick, 1.3, 0, 0);
    walk(stick, 3, 1, 0);
    open_axis = -1;
    check(myr_decomposition_extent(context, &box, me == 0 ? 2 : 0, q, low, extent));
    assert_true(low[0] == 0 && extent[0] == 3 && low[2] == 30 && extent[2] == 15);
    check(myr_decomposition_create(context, &box, whole, stick, 1, &d));
    const uint64_t least = UINT64_C(1) << 56;
    const int64_t cost[2] = {1, 3};
    myr_decomposition_balance(d, 2, low[2] / 80, extent[2] / 80, cost, 2, least, 1);
    myr_decomposition_widen(d, 2, 2);
    box.length[2] = 160;
    box.origin[2] = -80;
    for (int k = 1; k < d->count[2]; k++) { /* from -10: the first half of the way costs a quarter of all */
        const double part = (double)k / d->count[2], at = part < 0.25 ? 30 * part : 7.5 + 10 * (part - 0.25);
        assert_true(fabs(myr_box_position(&box, 2, d->plane[2][k], 0) - (at - 10)) < 1e-9);
    }
    myr_decomposition_destroy(&d);
}

/* The system of paper 003, section 5.1: cubes of edge 100 for each of 8 ranks, number density 0.5, search length 2.8.
 * 336 KB go each way along x, 355 along y, 375 along z, in numbers of 24 bytes per particle. */
static void test_volume(void **state)
{
    static const double length[3] = {200, 200, 200}, low[3] = {0, 0, 0}, paper[3] = {336, 355, 375};
    crowd c;
    myr_decomposition *d;
    myr_halo *halo;
    myr_halo_progress p;
    (void)state;
    if (ranks != 8)
        return;
    c = (crowd){.box = {.length = {200, 200, 200}, .periodic = {1, 1, 1}}, .all = 4000000};
    check(myr_decomposition_create(context, &c.box, low, length, 2.8, &d));
    check(reserve(&c, 0, 510000));
    for (int64_t i = 0; i < c.all; i++) {
        const uint64_t q[3] = {place(i, 0, 0), place(i, 1, 0), place(i, 2, 0)};
        if (myr_decomposition_owner(d, q) != me)
            continue;
        check(reserve(&c, c.n, c.n + 1));
        for (int k = 0; k < 3; k++)
            c.q[k][c.n] = q[k];
        c.type[c.n] = (int32_t)(i % 7);
        c.id[c.n++] = i;
    }
    check(myr_halo_create(context, d, &halo));
    (void)build(&c, halo, 2.8);
    myr_halo_progress_of(halo, &p);
    if (me == 0)
        print_message("%lld particles, %lld copies; each way %.1f, %.1f, %.1f KB in %d messages (paper 003: 336, 355, "
                      "375)\n",
                      (long long)c.n, (long long)p.particles, (double)p.bytes[0] / 2000, (double)p.bytes[1] / 2000,
                      (double)p.bytes[2] / 2000, p.messages);
    for (int k = 0; k < 3; k++)
        assert_true(fabs((double)p.bytes[k] / 2000 / paper[k] - 1) < 0.005);
    assert_int_equal(p.messages, 6);
    myr_halo_destroy(&halo);
    myr_decomposition_destroy(&d);
    drop(&c);
}

/* Too many ranks for a box; and the number that would do. */
static void test_refused(void **state)
{
    static const double length[3] = {2, 2, 2}, low[3] = {0, 0, 0};
    const myr_box box = {.length = {2, 2, 2}, .periodic = {1, 1, 1}};
    myr_decomposition *d;
    (void)state;
    if (ranks < 2)
        return;
    assert_int_equal(myr_decomposition_create(context, &box, low, length, 9, &d), MYR_ERROR_VALUE);
    assert_null(d);
    assert_non_null(strstr(myr_context_message(context), "use up to 1 rank"));
}

/* A droplet at a quarter of the box, 4 % of its volume, in vapour 25 times thinner, which has 600 times fewer pairs:
 * planes move until everyone has as much. */
static void test_balance(void **state)
{
    enum { BINS = 512 };
    static const double length[3] = {40, 40, 40}, low[3] = {0, 0, 0};
    const myr_box box = {.length = {40, 40, 40}, .periodic = {1, 1, 1}};
    myr_decomposition *d;
    int64_t cost[3][BINS] = {{0}};
    double imbalance[2];
    (void)state;
    if (ranks != 8)
        return;
    check(myr_decomposition_create(context, &box, low, length, 2.8, &d));
    for (int time = 0; time < 2; time++) {
        double mine = 0;
        int64_t sum = 0;
        memset(cost, 0, sizeof cost);
        for (int64_t i = 0; i < 60000; i++) {
            const uint64_t q[3] = {place(i, 0, 0), place(i, 1, 0), place(i, 2, 0)};
            double r2 = 0;
            for (int k = 0; k < 3; k++) {
                const double x = (double)(int64_t)(q[k] - (UINT64_C(1) << 62)) * 0x1p-64 * 40;
                r2 += x * x;
            }
            const int64_t pairs = r2 < 8.5 * 8.5 ? 600 : 1;
            if (myr_decomposition_owner(d, q) != me)
                continue;
            mine += (double)pairs;
            sum += pairs;
            for (int k = 0; k < 3; k++)
                cost[k][q[k] >> 55] += pairs;
        }
        check(myr_ranks_sum(context, &sum, 1));
        check(myr_ranks_max(context, &mine, 1));
        imbalance[time] = mine * ranks / (double)sum;
        check(myr_ranks_sum(context, cost[0], 3 * BINS));
        for (int k = 0; k < 3; k++)
            myr_decomposition_balance(d, k, 0, 1, cost[k], BINS, UINT64_C(1) << 58, 1);
    }
    if (me == 0)
        print_message("cost, largest over mean: %.3f, and %.3f with planes moved\n", imbalance[0], imbalance[1]);
    assert_true(imbalance[0] > 3 && imbalance[1] < 1.15);
    myr_decomposition_destroy(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),   cmocka_unit_test(test_hops),    cmocka_unit_test(test_open),
        cmocka_unit_test(test_volume), cmocka_unit_test(test_refused), cmocka_unit_test(test_balance),
    };
    return RANKS_MAIN(tests);
}
