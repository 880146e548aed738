/* test_lane_math.c - the lane functions against MPFR, for every instruction set and arithmetic: the errors promised in
 * backend/lane/functions.def, special values, and the same bits everywhere in portable arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "unit/lane_math.h"
#include "unit/lane_math_reference.h"

/* Arguments per function. MYRIAD_TEST_LONG takes all of them, 13 s of a processor; else a fourth as many. */
enum { FLOATS = 1050000, DOUBLES = 130000, SHARE = 4 };

#define MYR_ISA(name)                                                                                                  \
    extern const lane_math_unit lane_math_single_##name, lane_math_mixed_##name, lane_math_portable_##name,            \
        lane_math_double_##name;
#include "backend/isas_built.def"
#undef MYR_ISA

static const lane_math_unit *const units[][MYR_ARITH_COUNT] = {
#define MYR_ISA(name)                                                                                                  \
    {&lane_math_single_##name, &lane_math_mixed_##name, &lane_math_portable_##name, &lane_math_double_##name},
#include "backend/isas_built.def"
#undef MYR_ISA
};

enum { ISAS = sizeof units / sizeof *units };
static const char *const arithmetic[MYR_ARITH_COUNT] = {"single", "mixed", "portable", "double"};

static const char *const function_name[LANE_MATH_FUNCTIONS] = {
#define LANE_FUNCTION(name, ...) #name,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
};

static double measured[ISAS][MYR_ARITH_COUNT][LANE_MATH_FUNCTIONS];
static uint64_t portable_bits; /* over all functions: other machines print the same */

static int usable(int isa)
{
    return myr_backend_isa_usable(myr_backend_isa(isa));
}

static double real_at(const void *y, size_t i, int real_bytes)
{
    return real_bytes == 4 ? (double)((const float *)y)[i] : ((const double *)y)[i];
}

/* f(x) of one unit */
static double value(const lane_math_unit *unit, int f, double x)
{
    float narrow[LANE_MATH_BLOCK], narrow_y[LANE_MATH_BLOCK];
    double wide[LANE_MATH_BLOCK], wide_y[LANE_MATH_BLOCK];
    for (int l = 0; l < LANE_MATH_BLOCK; l++) {
        narrow[l] = (float)x;
        wide[l] = x;
    }
    if (unit->real_bytes == 4)
        unit->run[f](narrow, narrow_y, LANE_MATH_BLOCK);
    else
        unit->run[f](wide, wide_y, LANE_MATH_BLOCK);
    return unit->real_bytes == 4 ? (double)narrow_y[LANE_MATH_BLOCK - 1] : wide_y[LANE_MATH_BLOCK - 1];
}

/* FNV-1a over the bits of floats; all NaNs are one */
static uint64_t hash(const float *y, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &y[i], sizeof bits);
        h = (h ^ (isnan(y[i]) ? 0x7fc00000u : bits)) * 0x100000001b3u;
    }
    return h;
}

/* the largest error of y; says where it is if that is too much */
static double largest_error(const lane_math_sample *s, const void *y, double bound, const char *what)
{
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double e = lane_math_error(&s->answer[i], real_at(y, i, s->real_bytes), s->real_bytes);
        if (e > worst) {
            worst = e;
            at = i;
        }
    }
    if (worst > bound)
        print_error("%s(%a) = %a is wrong by %g ulp, allowed are %g\n", what, lane_math_sample_at(s, at),
                    real_at(y, at, s->real_bytes), worst, bound);
    return worst;
}

/* One function, all units of one size of reals, on the same sample. Returns how many failed. */
static int check_units(int f, const lane_math_sample *s)
{
    int failed = 0;
    uint64_t first = 0;
    void *y = malloc(s->n * (size_t)s->real_bytes);
    for (int isa = 0; isa < ISAS; isa++) {
        for (int arith = 0; arith < MYR_ARITH_COUNT && usable(isa); arith++) {
            const lane_math_unit *unit = units[isa][arith];
            char what[80];
            if (unit->real_bytes != s->real_bytes)
                continue;
            snprintf(what, sizeof what, "%s %s lane_%s", myr_backend_isa(isa)->name, arithmetic[arith],
                     function_name[f]);
            unit->run[f](s->x, y, s->n);
            const double worst = largest_error(s, y, unit->bound[f], what);
            measured[isa][arith][f] = worst;
            failed += worst > unit->bound[f];
            if (unit->bound[f] > 5 * worst) {
                print_error("%s: the promise %g is no promise, measured is %g\n", what, unit->bound[f], worst);
                failed++;
            }
            if (!unit->portable)
                continue;
            const uint64_t h = hash(y, s->n);
            if (first && h != first) {
                print_error("%s: other bits than the first portable unit\n", what);
                failed++;
            }
            first = first ? first : h;
        }
    }
    free(y);
    portable_bits = (portable_bits ^ first) * 0x100000001b3u;
    return failed;
}

static void test_function(void **state)
{
    const int f = *(const int *)*state;
    const int share = getenv("MYRIAD_TEST_LONG") ? 1 : SHARE;
    lane_math_sample *floats = lane_math_sample_create(f, 4, FLOATS / share, units[0][0]->sin_max);
    lane_math_sample *doubles = lane_math_sample_create(f, 8, DOUBLES / share, units[0][3]->sin_max);
    const int failed = check_units(f, floats) + check_units(f, doubles);
    lane_math_sample_destroy(&floats);
    lane_math_sample_destroy(&doubles);
    assert_int_equal(failed, 0);
}

/* What a comparison of numbers does not see, or the samples do not ask. */
static void check_special(const lane_math_unit *u)
{
    const double inf = (double)INFINITY;
    assert_true(signbit(value(u, LANE_MATH_erf, -0.0)));
    assert_true(signbit(value(u, LANE_MATH_round, -0.25)));
    assert_true(signbit(value(u, LANE_MATH_round, -0.0)));
    assert_true(signbit(value(u, LANE_MATH_sqrt, -0.0)) && value(u, LANE_MATH_sqrt, -0.0) == 0);
    assert_true(value(u, LANE_MATH_rsqrt, -0.0) == -inf);
    assert_true(isnan(value(u, LANE_MATH_sqrt, -1e-40)) && isnan(value(u, LANE_MATH_sqrt, -inf)));
    assert_true(isnan(value(u, LANE_MATH_rsqrt, -1e-40)) && isnan(value(u, LANE_MATH_rsqrt, -inf)));
    assert_true(value(u, LANE_MATH_exp, -0.0) == 1);
    assert_true(value(u, LANE_MATH_exp2, -0.0) == 1);
    assert_true(value(u, LANE_MATH_erf, u->real_bytes == 4 ? 4 : 6) == 1 && value(u, LANE_MATH_erf, -1e30) == -1);
    assert_true(value(u, LANE_MATH_sin, 0.0) == 0 && value(u, LANE_MATH_cos, 0.0) == 1);
    /* a pair at the same place must not go unnoticed; see backend/lane/approx.h */
    assert_false(isfinite(value(u, LANE_MATH_rsqrt_pos, 0.0)));
    assert_false(isfinite(value(u, LANE_MATH_recip_pos, 0.0)));
}

/* Turns: exact at multiples of 1/4, for small and for large numbers. */
static void check_quarters(const lane_math_unit *u)
{
    const double sine[4] = {0, 1, 0, -1};
    for (int k = -4000; k <= 4000; k++) {
        const int q = k & 3;
        assert_true(value(u, LANE_MATH_sin_turns, 0.25 * k) == sine[q]);
        assert_true(value(u, LANE_MATH_cos_turns, 0.25 * k) == sine[(q + 1) & 3]);
    }
    for (int e = 60; e < 128; e++) {
        assert_true(value(u, LANE_MATH_sin_turns, ldexp(-1.5, e)) == 0);
        assert_true(value(u, LANE_MATH_cos_turns, ldexp(-1.5, e)) == 1);
    }
}

static void test_special_values(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISAS; isa++)
        for (int arith = 0; arith < MYR_ARITH_COUNT && usable(isa); arith++) {
            check_special(units[isa][arith]);
            check_quarters(units[isa][arith]);
        }
}

static int print_measured(void **state)
{
    (void)state;
    printf("largest error in units in the last place:\n%-20s", "");
    for (int f = 0; f < LANE_MATH_FUNCTIONS; f++)
        printf("%10s", function_name[f]);
    printf("\n");
    for (int isa = 0; isa < ISAS; isa++) {
        if (!usable(isa))
            printf("%-10s was not tested: this machine does not have it\n", myr_backend_isa(isa)->name);
        for (int arith = 0; arith < MYR_ARITH_COUNT && usable(isa); arith++) {
            printf("%-10s %-9s", myr_backend_isa(isa)->name, arithmetic[arith]);
            for (int f = 0; f < LANE_MATH_FUNCTIONS; f++)
                printf("%10.4f", measured[isa][arith][f]);
            printf("\n");
        }
    }
    printf("bits of all functions in portable arithmetic: %016llx\n", (unsigned long long)portable_bits);
    return 0;
}

int main(void)
{
    static int numbers[LANE_MATH_FUNCTIONS];
    struct CMUnitTest tests[LANE_MATH_FUNCTIONS + 1] = {cmocka_unit_test(test_special_values)};
    for (int f = 0; f < LANE_MATH_FUNCTIONS; f++) {
        numbers[f] = f;
        tests[f + 1] = (struct CMUnitTest){function_name[f], test_function, NULL, NULL, &numbers[f]};
    }
    return cmocka_run_group_tests(tests, NULL, print_measured);
}
