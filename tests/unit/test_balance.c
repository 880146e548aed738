/* test_balance.c - slabs of ranks that are not equally fast: the slowest becomes faster, step by step, and nothing
 * moves for noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "domain/balance.h"

enum { SLABS_MOST = 8, DOMAINS_MOST = 64 };

/* Ranks that need so long for a volume, and the widths of their slabs. */
typedef struct {
    int count[3];
    double rate[DOMAINS_MOST], w[3][SLABS_MOST];
} machine;

static machine make(int x, int y, int z)
{
    machine m = {.count = {x, y, z}};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < m.count[c]; i++)
            m.w[c][i] = 1.0 / m.count[c];
    for (int r = 0; r < x * y * z; r++)
        m.rate[r] = 1;
    return m;
}

/* What domains cost; gives the largest over what all would cost if they were equal. */
static double costs(const machine *m, double *cost)
{
    double most = 0, speed = 0;
    for (int k = 0; k < m->count[2]; k++)
        for (int j = 0; j < m->count[1]; j++)
            for (int i = 0; i < m->count[0]; i++) {
                const int r = (k * m->count[1] + j) * m->count[0] + i;
                cost[r] = m->rate[r] * m->w[0][i] * m->w[1][j] * m->w[2][k];
                most = fmax(most, cost[r]);
                speed += 1 / m->rate[r];
            }
    return most * speed;
}

static double refine(machine *m, const double least[3])
{
    double cost[DOMAINS_MOST], *const width[3] = {m->w[0], m->w[1], m->w[2]};
    (void)costs(m, cost);
    return myr_balance_refine(m->count, cost, least, width);
}

/* As often as it is worth it; what is left. */
static double settle(machine *m)
{
    static const double least[3] = {0.01, 0.01, 0.01};
    double cost[DOMAINS_MOST];
    machine next = *m;
    for (int k = 0; k < 30 && refine(&next, least) < 0.98; k++) {
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < m->count[c]; i++)
                assert_true(fabs(next.w[c][i] / m->w[c][i] - 1) < 0.2); /* bounded */
        *m = next;
    }
    for (int c = 0; c < 3; c++) {
        double all = 0;
        for (int i = 0; i < m->count[c]; i++)
            all += m->w[c][i];
        assert_true(fabs(all - 1) < 1e-12);
    }
    return costs(m, cost);
}

static void test_one_slow(void **state)
{
    (void)state;
    double cost[DOMAINS_MOST];
    machine m = make(4, 2, 2), two = make(2, 1, 1);
    m.rate[5] = 1.25;
    two.rate[1] = 1.5;
    assert_true(costs(&m, cost) > 1.23);
    const double after[2] = {settle(&m), settle(&two)};
    print_message("one of 16 slower by 25 %%: largest over best %.3f; one of 2 by 50 %%: %.3f\n", after[0], after[1]);
    assert_true(after[0] < 1.06 && after[1] < 1.03);
}

/* Cores that differ by up to 20 %, as on a machine that others use too. Planes through all of the box cannot do
 * everyone justice. */
static void test_many(void **state)
{
    (void)state;
    double cost[DOMAINS_MOST], before = 0, after = 0;
    for (int set = 0; set < 20; set++) {
        machine m = make(4, 2, 2);
        for (int r = 0; r < 16; r++)
            m.rate[r] = 1 + 0.2 * fmod(0.618034 * (16 * set + r + 1), 1);
        before += costs(&m, cost) / 20;
        after += settle(&m) / 20;
    }
    print_message("cores that differ by up to 20 %%: largest over best %.3f, %.3f after\n", before, after);
    assert_true(before > 1.08 && after < before - 0.02);
}

static void test_noise(void **state)
{
    (void)state;
    static const double none[3] = {0, 0, 0}, thick[3] = {0.24, 0.4, 0.4};
    machine m = make(4, 2, 2), even = m;
    for (int r = 0; r < 16; r++)
        m.rate[r] = 1 + 0.01 * fmod(0.618034 * (r + 1), 1);
    assert_true(refine(&m, none) > 0.98);
    assert_true(refine(&even, none) == 1);
    even.rate[0] = 3; /* no thinner than that */
    for (int k = 0; k < 10; k++)
        (void)refine(&even, thick);
    assert_true(even.w[0][0] > 0.235 && even.w[1][0] > 0.39 && even.w[2][0] > 0.39);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_slow), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
