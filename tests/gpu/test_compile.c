/* test_compile.c - the device code compiles, through the plug-in, for the oldest GPUs that are served and for young
 * ones, without any of them here: every kernel, every accumulator, every arithmetic, both shapes of the loop, with
 * masks and without, and particles in a box. $MYR_GPU_COMPILE_ALL asks for every combination instead of a rotation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/gpu.h"
#include "conformance/scene.h"
#include "interaction/interaction.h"
#include "physics/formulas.h"

static const char *const loops[] = {
#define MYR_ACC_LOOP(name, arithmetics) #name,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
};

static const char *const loop_arithmetics[] = {
#define MYR_ACC_LOOP(name, arithmetics) #arithmetics,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
};

/* One program. */
typedef struct {
    int arithmetic, loop, fold;
    int careful, many; /* masks; targets enough for each thread to have its own */
    myr_cuda_device on;
} program;

enum { PROGRAMS_MAX = 128, FEW = 97, MANY = 9000 };

/* Every loop in every arithmetic in which it exists; `single` folded per bag as well. */
static int programs_list(program *list)
{
    static const char classes[] = "FFPD"; /* single, mixed, portable, double */
    int n = 0;
    for (int loop = 0; loop < MYR_ACC_COUNT; loop++)
        for (int a = 0; a < MYR_ARITH_COUNT; a++)
            for (int fold = 0; fold < (loop == MYR_ACC_single ? 2 : 1); fold++)
                if (strchr(loop_arithmetics[loop], classes[a]))
                    list[n++] = (program){.arithmetic = a, .loop = loop, .fold = fold};
    return n;
}

static void compile(myr_context *context, const char *kernel, const program *p, myr_particles *few, myr_particles *many)
{
    myr_problem problem;
    myr_cuda_code code;
    static const myr_grid none[MYR_KERNEL_OUTPUT_FIELDS];
    myr_particles *particles = p->many ? many : few;
    myr_interaction *f = scene_interaction(context, kernel);
    assert_int_equal(myr_interaction_choose(f, "isa", "scalar"), MYR_OK);
    assert_int_equal(myr_interaction_tune(f, "careful", p->careful), MYR_OK);
    assert_int_equal(myr_problem_make(f, p->arithmetic, myr_backend_isa(0), particles, myr_particles_count(particles),
                                      NULL, few, &problem),
                     MYR_OK);
    myr_problem_use(&problem, (myr_acc_loop)p->loop, MYR_ACCUMULATOR_single, none);
    problem.direct.scale[0].fold = p->fold;
    if (myr_gpu_code(&problem.direct, &p->on, 0, &code))
        fail_msg("%s %s %s, sm_%d%d: %s", kernel, loops[p->loop], myr_catalogue_arithmetic_name(p->arithmetic),
                 p->on.major, p->on.minor, myr_context_message(context));
    assert_true(code.size > 1000 && code.pairs >= 2);
    assert_memory_equal(code.bytes, "\177ELF", 4);
    free(code.bytes);
    myr_problem_free(&problem);
    myr_interaction_destroy(&f);
}

static void test_every_kernel(void **state)
{
    (void)state;
    static const myr_cuda_device kinds[] = {{"oldest", 7, 5, 68, 8e9}, {"Hopper", 9, 0, 132, 8e9}};
    program list[PROGRAMS_MAX];
    const int programs = programs_list(list), all = getenv("MYR_GPU_COMPILE_ALL") != NULL;
    const int each =
        all ? 2 * programs : (programs + MYR_KERNEL_COUNT - 1) / MYR_KERNEL_COUNT; /* per kernel: all in turn */
    myr_context *context;
    int count = 0;
    assert_true(programs >= 20 && programs <= PROGRAMS_MAX);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int k = 0; scene_kernel(k); k++) {
        const char *kernel = scene_kernel(k)->name;
        myr_particles *few = scene_particles(context, kernel, FEW, 1, 0, 0);
        myr_particles *many = scene_particles(context, kernel, MANY, 2, 1, 0);
        for (int n = 0; n < each; n++, count++) {
            program p = list[(each * k + n) % programs];
            p.on = kinds[(all ? n / programs : n) % 2];
            p.many = (k + n) % 3 == 0;
            p.careful = (k + n) % 2;
            compile(context, kernel, &p, few, many);
        }
        myr_particles_destroy(&many);
        myr_particles_destroy(&few);
    }
    print_message("%d programs compiled\n", count);
    myr_context_destroy(&context);
}

/* The steps that stay on a GPU. */
static void test_motion(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *arithmetic;
        int motion, major, minor;
    } steps[] = {
        {"gravity", "mixed", 1, 7, 5},       {"lennard_jones", "portable", 1, 9, 0},
        {"gravity_jerk", "mixed", 2, 9, 0},  {"gravity_jerk", "portable", 2, 7, 5},
        {"gravity_jerk", "double", 2, 9, 0},
    };
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        static const myr_grid none[MYR_KERNEL_OUTPUT_FIELDS];
        const myr_cuda_device on = {"steps", steps[k].major, steps[k].minor, 100, 8e9};
        myr_problem problem;
        myr_cuda_code code;
        myr_particles *p = scene_particles(context, steps[k].kernel, FEW, 1, 0, 0);
        myr_interaction *f = scene_interaction(context, steps[k].kernel);
        assert_int_equal(myr_problem_make(f, myr_catalogue_arithmetic(steps[k].arithmetic), myr_backend_isa(0), p, FEW,
                                          NULL, p, &problem),
                         MYR_OK);
        myr_problem_use(&problem, MYR_ACC_fixed, MYR_ACCUMULATOR_single, none);
        if (myr_gpu_code(&problem.direct, &on, steps[k].motion, &code))
            fail_msg("%s %s, steps %d: %s", steps[k].kernel, steps[k].arithmetic, steps[k].motion,
                     myr_context_message(context));
        free(code.bytes);
        myr_problem_free(&problem);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

/* Particles in a box: every arithmetic with every kind of sums, and in turn what else a program depends on. */
static void test_boxes(void **state)
{
    (void)state;
    static const int capability[][2] = {{7, 5}, {8, 0}, {9, 0}};
    static const int arithmetics[] = {MYR_ARITHMETIC_SINGLE, MYR_ARITHMETIC_PORTABLE, MYR_ARITHMETIC_DOUBLE};
    static const int64_t sizes[] = {1000, 200000, 1000000};
    const int rounds = getenv("MYR_GPU_COMPILE_ALL") ? 3 : 1;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int k = 0; k < 9 * rounds; k++) {
        const int sums = k % 3, arithmetic = k / 3 % 3, turn = (sums + arithmetic + k / 9) % 3;
        const myr_cuda_device on = {"box", capability[turn][0], capability[turn][1], 100, 8e9};
        const myr_cuda_box_set set = {.context = context,
                                      .n = sizes[(turn + arithmetic) % 3],
                                      .types = 1 + k % 2,
                                      .root = k / 2 % 2,
                                      .arithmetic = arithmetics[arithmetic],
                                      .sums = (myr_cuda_box_accumulator)sums,
                                      .periodic = {1, 1, k % 3 != 1},
                                      .external = k / 3 % 2,
                                      .magic = k / 4 % 2 ? 0 : k % 2,
                                      .langevin = k / 4 % 2,
                                      .whole = k / 4 % 2 == 0 && k % 2 == 0};
        myr_cuda_code code;
        if (myr_gpu_box_code(&set, &on, &code))
            fail_msg("box, arithmetic %d, sums %d, sm_%d%d: %s", set.arithmetic, sums, on.major, on.minor,
                     myr_context_message(context));
        assert_true(code.size > 1000 && code.pairs == 4);
        assert_memory_equal(code.bytes, "\177ELF", 4);
        free(code.bytes);
    }
    myr_context_destroy(&context);
}

/* The same with a pair formula that a user wrote. */
static void test_formulas(void **state)
{
    (void)state;
    static const int arithmetics[] = {MYR_ARITHMETIC_SINGLE, MYR_ARITHMETIC_PORTABLE, MYR_ARITHMETIC_DOUBLE};
    const myr_cuda_device on = {"box", 9, 0, 100, 8e9};
    const myr_kernel_info *own;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_kernel_from_source(context, "own.pipe", formula_morse, &own), MYR_OK);
    for (int k = 0; k < 3; k++) {
        const myr_cuda_box_set set = {
            .context = context,
            .n = 1000,
            .types = 1,
            .kernel = "own_morse_potential",
            .kernel_text = myr_kernel_registry_header(context, myr_kernel_registry_find(context, own->name)),
            .arithmetic = arithmetics[k],
            .sums = (myr_cuda_box_accumulator)k,
            .periodic = {1, 1, 1}};
        myr_cuda_code code;
        if (myr_gpu_box_code(&set, &on, &code))
            fail_msg("formula, arithmetic %d: %s", set.arithmetic, myr_context_message(context));
        assert_memory_equal(code.bytes, "\177ELF", 4);
        free(code.bytes);
    }
    myr_context_destroy(&context);
}

/* What does not compile is told by the compiler's words, and nothing is left behind. */
static void test_complaint(void **state)
{
    (void)state;
    myr_context *context;
    myr_cuda_device none = {"none", 1, 0, 1, 1};
    myr_problem problem;
    myr_cuda_code code;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = scene_particles(context, "gravity", FEW, 1, 0, 0);
    myr_interaction *f = scene_interaction(context, "gravity");
    assert_int_equal(myr_problem_make(f, 0, myr_backend_isa(0), p, FEW, NULL, p, &problem), MYR_OK);
    myr_kernel_desc unknown = *problem.direct.unit->desc;
    myr_unit unit = *problem.direct.unit;
    unknown.name = "no_such_kernel";
    unit.desc = &unknown;
    problem.direct.unit = &unit;
    problem.direct.loops = &unit.loops[MYR_ACC_single];
    none.major = 9;
    assert_int_equal(myr_gpu_code(&problem.direct, &none, 0, &code), MYR_ERROR_COMBINATION);
    assert_non_null(strstr(myr_context_message(context), "no_such_kernel"));
    assert_null(code.bytes);
    myr_problem_free(&problem);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel), cmocka_unit_test(test_motion),    cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_formulas),     cmocka_unit_test(test_complaint),
    };
    (void)scene_begin(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
