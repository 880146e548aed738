/* test_ks.c - the two-sample Kolmogorov-Smirnov statistic by pair counts against the one by sorting. */
#include "physics/physics.h"

enum { FIRST = 700, SECOND = 431, BOTH = FIRST + SECOND };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest difference of the two distribution functions, from sorted samples. */
static double sorted_statistic(const double *values)
{
    double a[FIRST], b[SECOND], largest = 0.0;
    int i = 0, j = 0;
    memcpy(a, values, sizeof a);
    memcpy(b, values + FIRST, sizeof b);
    qsort(a, FIRST, sizeof *a, by_value);
    qsort(b, SECOND, sizeof *b, by_value);
    while (i < FIRST && j < SECOND) {
        const double x = a[i] < b[j] ? a[i] : b[j];
        while (i < FIRST && a[i] <= x)
            i++;
        while (j < SECOND && b[j] <= x)
            j++;
        largest = fmax(largest, fabs((double)i / FIRST - (double)j / SECOND));
    }
    return largest;
}

static void counts_against_sorting(void **state)
{
    double values[BOTH], weight_a[BOTH], weight_b[BOTH];
    uint64_t seed = 2;
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, BOTH);
    (void)state;
    /* some values are equal; others differ by less than a float can tell, which only `single` takes for equal */
    for (int i = 0; i < BOTH; i++) {
        values[i] = uniform(&seed) + (i < FIRST ? 0.0 : 0.3 * uniform(&seed));
        if (i % 5 == 0)
            values[i] = floor(values[i] * 64.0) / 64.0;
        if (i % 7 == 3)
            values[i] = values[i - 1] + 0x1p-40;
        weight_a[i] = i < FIRST;
        weight_b[i] = i >= FIRST;
    }
    for (int a = 0; a < ARITHMETICS; a++) {
        double largest = 0.0, used[BOTH];
        for (int i = 0; i < BOTH; i++)
            used[i] = a == 0 ? (double)(float)values[i] : values[i];
        set_field(p, "value", 1, used);
        set_field(p, "weight_a", 1, weight_a);
        set_field(p, "weight_b", 1, weight_b);
        evaluate(context, "ks", arithmetics[a], NULL, 0.0, p, p);
        for (int i = 0; i < BOTH; i++) {
            const double count_a = result(p, "count_a", 0)[i], count_b = result(p, "count_b", 0)[i];
            double here_a = 0.0, here_b = 0.0;
            for (int j = 0; j < BOTH; j++) {
                here_a += used[j] <= used[i] ? weight_a[j] : 0.0;
                here_b += used[j] <= used[i] ? weight_b[j] : 0.0;
            }
            assert_true(count_a == here_a && count_b == here_b);
            largest = fmax(largest, fabs(count_a / FIRST - count_b / SECOND));
        }
        expect_near("statistic", largest, sorted_statistic(used), 0.0);
    }
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_against_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
