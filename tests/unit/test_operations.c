/* test_operations.c - the fewest instructions of interaction/operation_counts.def against the instructions that the
 * compiler made: those of the hot loop in single arithmetic with a plain sum, without loads, stores, copies and
 * broadcasts, for each kernel on the best instruction set of this machine and for some on AVX2. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/operation_counts.h"
#include "bench/instruction_count.h"
#include "turns.h"

/* In the bound of benchmarks the hardware's guess of a reciprocal or of its root counts as three instructions, because
 * it keeps the core busy as long; here it is one. */
enum {
    RSQRT = MYR_ISSUE_RSQRT - 2,
    RECIP = MYR_ISSUE_RECIP - 2,
    EXP = MYR_ISSUE_EXP,
    LOG = MYR_ISSUE_LOG,
    SIN = MYR_ISSUE_SIN
};

static const struct {
    const char *kernel;
    int issue;
} counts[] = {
#define MYR_OPERATIONS(name, flops, flops_gpu, issue) {#name, issue},
#include "interaction/operation_counts.def"
#undef MYR_OPERATIONS
};
enum { COUNTS = sizeof counts / sizeof *counts };

/* Emitted instructions over declared ones, with one instruction of grace, for the blend or the masked move that a short
 * formula cannot hide. Measured with gcc 12 and clang 14. */
static const struct {
    const char *isa;
    double least, most;
} bars[] = {
    {"avx512", 0.95, 1.15}, /* 0.968 (hologram) to 1.108, with clang 1.125 (gravity_*_spline); ks makes 4 of 3 */
    {"avx2", 0.95, 1.25},   /* 0.979 (hologram) to 1.198 (ljc_sigmoidal_potential), for want of masks */
};
static const char *const also_on_avx2[] = {"gravity", "lennard_jones_potential", "ljc_sigmoidal", "stretching"};
enum { ALSO = sizeof also_on_avx2 / sizeof *also_on_avx2 };

static int usable(const char *isa)
{
    for (int k = 0; myr_isa(k); k++)
        if (strcmp(myr_isa(k)->name, isa) == 0)
            return myr_isa(k)->available;
    return 0;
}

static void compare(myr_context *context, int which, const char *kernel)
{
    double arithmetic;
    int issue = 0;
    for (int k = 0; k < COUNTS; k++)
        if (strcmp(counts[k].kernel, kernel) == 0)
            issue = counts[k].issue;
    const double all = instruction_count_of_loop(context, kernel, "single", "single", bars[which].isa, &arithmetic);
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "%-6s %-32s declared %3d emitted %5.1f (%5.1f with moves), ratio %.3f\n", bars[which].isa,
                kernel, issue, arithmetic, all, arithmetic / issue);
    if (!(arithmetic >= bars[which].least * issue && arithmetic <= bars[which].most * issue + 1))
        fail_msg("%s on %s: declared %d instructions, the compiler makes %.1f (%s)", kernel, bars[which].isa, issue,
                 arithmetic, myr_context_message(context));
}

static void counted_instructions(void **state)
{
    (void)state;
    const int best = usable("avx512") ? 0 : 1;
    if (!usable(bars[best].isa) || system("objdump --version > /dev/null 2>&1") != 0)
        skip(); /* other instruction sets and machines without objdump */
    myr_context *context = NULL;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int k = 0; k < COUNTS; k++)
        if (turns_takes(k))
            compare(context, best, counts[k].kernel);
    for (int k = 0; best == 0 && usable("avx2") && k < ALSO; k++)
        if (turns_takes(k))
            compare(context, 1, also_on_avx2[k]);
    myr_context_destroy(&context);
}

/* Each kernel has its line, and no line is without a kernel (that would not compile). */
static void every_kernel(void **state)
{
    (void)state;
    for (int k = 0; myr_kernel(k); k++) {
        const myr_kernel_info *info = myr_kernel(k);
        if (!(info->flops > 0 && info->flops_gpu >= info->flops && info->issue > 0))
            fail_msg("kernel %s has no line in operation_counts.def", info->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(counted_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
