/* test_shuffle.c - the permutation that deals out species: every place once, none near where it was, and other seeds
 * give others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "input/shuffle.h"

static void test_every_place_once(void **state)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 65536, 65537};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint64_t seed = 0; seed < 4; seed++) {
            char *seen = calloc((size_t)sizes[k], 1);
            for (int64_t i = 0; i < sizes[k]; i++) {
                const int64_t place = shuffle_place(seed, sizes[k], i);
                assert_true(place >= 0 && place < sizes[k]);
                assert_int_equal(seen[place]++, 0);
            }
            free(seen);
        }
}

/* Of a random permutation of n, places of neighbours are uncorrelated within 1/sqrt(n); 100 seeds: 4.5 of these. */
static void test_random(void **state)
{
    enum { N = 4000, SEEDS = 100 };
    (void)state;
    double worst = 0, fixed = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double self = 0, next = 0, last = (double)shuffle_place(seed, N, N - 1);
        for (int64_t i = 0; i < N; i++) {
            const double place = (double)shuffle_place(seed, N, i);
            self += (place / N - 0.5) * ((double)i / N - 0.5) * 12 / N;
            next += (place / N - 0.5) * (last / N - 0.5) * 12 / N;
            fixed += place == (double)i;
            last = place;
        }
        worst = fmax(worst, fmax(fabs(self), fabs(next)) * sqrt(N));
    }
    print_message("largest correlation %.2f/sqrt(n); %.2f places in a permutation stay\n", worst, fixed / SEEDS);
    assert_true(worst < 4.5);                   /* 3.73 */
    assert_true(fabs(fixed / SEEDS - 1) < 0.5); /* 0.97 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_place_once), cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
