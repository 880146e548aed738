/* test_pipelines.c - kernels that users write, on a GPU: their device code compiles without one; where there is one,
 * the results are those of the processor, and to the bit in portable arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <myriad/model.h>

#include "backend/gpu.h"
#include "interaction/interaction.h"

static const char *const examples[] = {"gravity", "yukawa", "morse", "sph", "point_vortex", "gauss"};

static void expect_ok(myr_context *context, myr_status status)
{
    if (status)
        fail_msg("%s", myr_context_message(context));
}

static myr_interaction *made(myr_context *context, const char *example, myr_particles **particles, int64_t n)
{
    char path[512];
    const myr_kernel_info *kernel;
    myr_interaction *f;
    snprintf(path, sizeof path, PIPELINES "/%s.pipe", example);
    expect_ok(context, myr_kernel_from_file(context, path, &kernel));
    expect_ok(context, myr_interaction_create(context, kernel->name, &f));
    expect_ok(context, myr_model_create(context, "plummer", n, 1, particles));
    expect_ok(context, myr_model_fill(*particles, kernel->name, 1, 1));
    return f;
}

static void test_compile(void **state)
{
    (void)state;
    static const myr_cuda_device kinds[] = {{"oldest", 7, 5, 68, 8e9}, {"Hopper", 9, 0, 132, 8e9}};
    static const myr_grid none[MYR_KERNEL_OUTPUT_FIELDS];
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int k = 0; k < (int)(sizeof examples / sizeof *examples); k++) {
        myr_particles *p;
        myr_problem problem;
        myr_cuda_code code;
        myr_interaction *f = made(context, examples[k], &p, 100);
        const int arithmetic = k % MYR_ARITH_COUNT;
        expect_ok(context, myr_problem_make(f, arithmetic, myr_backend_isa(0), p, 100, NULL, p, &problem));
        problem.direct.kernel_text = myr_kernel_registry_header(context, f->kernel);
        myr_problem_use(&problem, MYR_ACC_fixed, MYR_ACCUMULATOR_fixed, none);
        if (myr_gpu_code(&problem.direct, &kinds[k % 2], 0, &code))
            fail_msg("%s: %s", examples[k], myr_context_message(context));
        assert_memory_equal(code.bytes, "\177ELF", 4);
        free(code.bytes);
        myr_problem_free(&problem);
        myr_particles_destroy(&p);
        myr_interaction_destroy(&f);
    }
    myr_context_destroy(&context);
}

static void test_results(void **state)
{
    (void)state;
    enum { N = 2000 };
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    if (!myr_gpu_open(context)) {
        print_message("no GPU: %s\n", myr_context_message(context));
        myr_context_destroy(&context);
        skip();
    }
    for (int k = 0; k < (int)(sizeof examples / sizeof *examples); k++) {
        myr_particles *p;
        uint64_t hash[2];
        myr_interaction *f = made(context, examples[k], &p, N);
        const char *output = myr_kernel_known(context, myr_interaction_choice(f, "kernel"))->output[0].name;
        static const char *const backends[] = {"cuda", "simd"};
        expect_ok(context, myr_interaction_choose(f, "arithmetic", "portable"));
        for (int b = 0; b < 2; b++) {
            expect_ok(context, myr_interaction_choose(f, "backend", backends[b]));
            expect_ok(context, myr_interaction_evaluate(f, p, p));
            assert_string_equal(myr_interaction_choice(f, "backend"), backends[b]);
            expect_ok(context, myr_particles_hash(p, output, &hash[b]));
        }
        if (hash[0] != hash[1])
            fail_msg("%s: a GPU and the processor differ in portable arithmetic", examples[k]);
        myr_particles_destroy(&p);
        myr_interaction_destroy(&f);
    }
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compile), cmocka_unit_test(test_results)};
    if (system("${CC:-cc} --version >/dev/null 2>&1") != 0) {
        printf("no C compiler\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
