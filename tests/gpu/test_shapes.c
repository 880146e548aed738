/* test_shapes.c - how an evaluation is cut on a GPU does not change it: numbers of targets and sources about every
 * boundary of backend/cuda/shape.c, lists of targets, several devices, memory that holds a part at a time. `fixed` in
 * portable arithmetic has the bits of the processor throughout. And what happens to backend auto where a GPU fails. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "conformance/scene.h"

static myr_interaction *chosen(myr_context *context, const char *kernel, const char *arithmetic, const char *isa)
{
    myr_interaction *f = scene_interaction(context, kernel);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "arithmetic", arithmetic), MYR_OK);
    scene_choose_isa(f, isa);
    return f;
}

/* All outputs; the caller frees them. */
static double *outputs_of(const char *kernel, myr_particles *p, size_t *bytes)
{
    const int64_t n = myr_particles_count(p);
    double *values = calloc((size_t)n * SCENE_OUTPUTS + 1, sizeof *values);
    assert_non_null(values);
    *bytes = (size_t)(scene_copy(kernel, p, values) * n) * sizeof *values;
    return values;
}

static void same(const double *a, const double *b, size_t bytes, const char *kernel, const char *what, int64_t targets,
                 int64_t sources)
{
    for (size_t k = 0; k < bytes / sizeof *a; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0)
            fail_msg("%s, %s, %lld x %lld: value %zu is %a, was %a", kernel, what, (long long)targets,
                     (long long)sources, k, b[k], a[k]);
}

/* The processor, then the GPU as it likes, then in 3 splits with bags of 7. targets 0: the sources themselves. */
static void sizes_check(myr_context *context, const char *kernel, int64_t targets, int64_t sources)
{
    myr_particles *from = scene_particles(context, kernel, sources, 1, 0, 0);
    myr_particles *to = targets ? scene_particles(context, kernel, targets, 2, 1, 0) : from;
    myr_interaction *cpu = chosen(context, kernel, "portable", "scalar");
    myr_interaction *gpu = chosen(context, kernel, "portable", "cuda");
    size_t bytes;
    scene_evaluate(context, cpu, to, from);
    double *right = outputs_of(kernel, to, &bytes);
    for (int way = 0; way < 2; way++) {
        assert_int_equal(myr_interaction_tune(gpu, "splits", way ? 3 : 0), MYR_OK);
        assert_int_equal(myr_interaction_tune(gpu, "bag", way ? 7 : 0), MYR_OK);
        scene_evaluate(context, gpu, to, from);
        double *got = outputs_of(kernel, to, &bytes);
        same(right, got, bytes, kernel, way ? "3 splits" : "automatic", myr_particles_count(to), sources);
        free(got);
    }
    free(right);
    myr_interaction_destroy(&cpu);
    myr_interaction_destroy(&gpu);
    if (targets)
        myr_particles_destroy(&to);
    myr_particles_destroy(&from);
}

/* Where shape.c decides anew: 64 targets per multiprocessor; slices of 256 threads that fill them but for 4. */
static int boundaries(int multiprocessors, int64_t *targets)
{
    static const int64_t always[] = {1, 2, 3, 31, 255, 257};
    int n = 0;
    for (size_t k = 0; k < sizeof always / sizeof *always; k++)
        targets[n++] = always[k];
    for (int off = -1; off <= 1; off++) {
        targets[n++] = 64 * multiprocessors + off;
        for (int slices = 2; slices <= 8; slices *= 2)
            targets[n++] = (int64_t)(multiprocessors - 5) * 256 / slices + off;
    }
    return n;
}

static void test_sizes(void **state)
{
    (void)state;
    static const int64_t sources[] = {0, 1, 2, 256, 257, 1023, 5003};
    static const int64_t alone[] = {1, 2, 3, 300, 9001};
    int64_t targets[64];
    myr_context *context;
    myr_gpu_info gpu;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_machine_gpu(context, 0, &gpu), MYR_OK);
    const int n = boundaries(gpu.multiprocessors, targets);
    for (int t = 0; t < n; t++)
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
            if (targets[t] < 64 || s % 2 == (size_t)t % 2) /* every second of the large ones */
                sizes_check(context, "gravity", targets[t], sources[s]);
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) {
        sizes_check(context, "gravity_jerk", 0, alone[k]); /* a particle among its own sources */
        sizes_check(context, "lennard_jones", 0, alone[k]);
    }
    sizes_check(context, "lennard_jones", 3, 0);
    sizes_check(context, "sph_density", 3, 70001); /* few targets, many sources */
    sizes_check(context, "gravity", 1, 200003);
    myr_context_destroy(&context);
}

/* Equal masses leave the loop of plain sums: the same result but for rounding. Largest error of a component, relative
 * to the largest component, as measured: 3.5e-7. */
#define EQUAL_BAR 1.5e-6

static void equal_check(myr_context *context, const char *kernel, const char *arithmetic)
{
    enum { N = 9000 }; /* every thread has targets of its own */
    myr_particles *p = scene_particles(context, kernel, N, 1, 0, 0);
    myr_interaction *right = chosen(context, kernel, "double", "scalar");
    myr_interaction *f = chosen(context, kernel, arithmetic, "cuda");
    size_t bytes;
    double largest = 0, worst = 0;
    assert_int_equal(myr_interaction_choose(f, "accumulator", "chamomile"), MYR_OK);
    for (int64_t i = 0; i < N; i++)
        myr_particles_component(p, "mass", 0)[i] = 0.7 / N;
    scene_evaluate(context, right, p, p);
    double *exact = outputs_of(kernel, p, &bytes);
    scene_evaluate(context, f, p, p);
    double *got = outputs_of(kernel, p, &bytes);
    for (size_t k = 0; k < bytes / sizeof *got; k++) {
        largest = fabs(exact[k]) > largest ? fabs(exact[k]) : largest;
        worst = fabs(got[k] - exact[k]) > worst ? fabs(got[k] - exact[k]) : worst;
    }
    printf("%s, %s, equal masses: error %.2e (measured on the GPU)\n", kernel, arithmetic, worst / largest);
    assert_true(worst / largest < EQUAL_BAR);
    assert_true(worst > 0);
    double net, sum = 0;
    for (int64_t i = 0; i < N; i++)
        sum += myr_particles_component(p, "acceleration", 0)[i];
    assert_int_equal(myr_interaction_net(f, "acceleration", 0, &net), MYR_OK);
    assert_true(fabs(net - sum) < 1e-12); /* they are added up in another order */
    free(exact);
    free(got);
    myr_interaction_destroy(&right);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
}

static void test_equal(void **state)
{
    (void)state;
    static const char *const kernel[] = {"gravity", "gravity_potential", "gravity_jerk"};
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (size_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
        equal_check(context, kernel[k], "single");
        equal_check(context, kernel[k], "mixed");
    }
    myr_context_destroy(&context);
}

/* Lists of targets, any order, one twice. */
static void test_lists(void **state)
{
    (void)state;
    enum { ALL = 3000 };
    static const int64_t counts[] = {0, 1, 2, 3, 64, 999};
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = scene_particles(context, "gravity_jerk", ALL, 1, 0, 0);
    myr_interaction *f = chosen(context, "gravity_jerk", "mixed", "cuda");
    size_t bytes;
    scene_evaluate(context, f, p, p);
    double *whole = outputs_of("gravity_jerk", p, &bytes);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        int64_t index[1000];
        for (int64_t i = 0; i < counts[k]; i++)
            index[i] = i == 5 ? 7 : (i * 1009 + 7) % ALL;
        for (int64_t i = 0; i < counts[k]; i++)
            myr_particles_component(p, "acceleration", 0)[index[i]] = 12345;
        assert_int_equal(myr_interaction_evaluate_subset(f, p, counts[k], index), MYR_OK);
        double *now = outputs_of("gravity_jerk", p, &bytes);
        same(whole, now, bytes, "gravity_jerk", "a list", counts[k], ALL);
        free(now);
    }
    free(whole);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* One evaluation under a setting of the environment, which a context reads when it opens the GPUs. */
static double *under(const char *variable, const char *value, const char *kernel, const char *arithmetic, int64_t n,
                     myr_exclusion_mode mode, int excludes, size_t *bytes)
{
    myr_context *context;
    if (variable)
        assert_int_equal(setenv(variable, value, 1), 0);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    myr_particles *p = scene_particles(context, kernel, n, 1, 0, 0);
    myr_interaction *f = chosen(context, kernel, arithmetic, "cuda");
    if (excludes)
        scene_exclude(f, n, n, mode);
    scene_evaluate(context, f, p, p);
    double *values = outputs_of(kernel, p, bytes);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
    if (variable)
        assert_int_equal(unsetenv(variable), 0);
    return values;
}

static void setting_check(const char *variable, const char *value, const char *kernel, const char *arithmetic,
                          int64_t n, myr_exclusion_mode mode, int excludes)
{
    size_t bytes;
    double *plain = under(NULL, NULL, kernel, arithmetic, n, mode, excludes, &bytes);
    double *other = under(variable, value, kernel, arithmetic, n, mode, excludes, &bytes);
    same(plain, other, bytes, kernel, value, n, n);
    free(plain);
    free(other);
}

/* The same device twice stands for two. Each has its own part of the targets, of their exclusions and of the net sum.
 */
static void test_devices(void **state)
{
    (void)state;
    for (int excludes = 0; excludes < 2; excludes++) {
        setting_check("MYRIAD_CUDA_DEVICES", "0,0", "lennard_jones", "mixed", 3001, MYR_EXCLUDE_ON_THE_FLY, excludes);
        setting_check("MYRIAD_CUDA_DEVICES", "0,0,0", "gravity_jerk", "single", 1, MYR_EXCLUDE_ON_THE_FLY, excludes);
        setting_check("MYRIAD_CUDA_DEVICES", "0,0", "ljc_constant", "portable", 9001, MYR_EXCLUDE_AFTERWARDS, excludes);
    }
    setting_check("MYRIAD_CUDA_DEVICES", "0,0", "lennard_jones", "portable", 3001, MYR_EXCLUDE_BY_PROCESSOR, 1);
    setting_check("MYRIAD_CUDA_DEVICES", "0,0", "gravity", "double", 3001, MYR_EXCLUDE_ON_THE_FLY, 0);
}

/* Memory for some of the targets at a time, then for some of the sources too. */
static void test_streaming(void **state)
{
    (void)state;
    setting_check("MYRIAD_CUDA_MEMORY", "4000000", "lennard_jones", "mixed", 20000, MYR_EXCLUDE_ON_THE_FLY, 1);
    setting_check("MYRIAD_CUDA_MEMORY", "6000000", "lennard_jones", "portable", 20000, MYR_EXCLUDE_AFTERWARDS, 1);
    setting_check("MYRIAD_CUDA_MEMORY", "200000", "gravity", "mixed", 5000, MYR_EXCLUDE_ON_THE_FLY, 0);
    setting_check("MYRIAD_CUDA_MEMORY", "200000", "lennard_jones", "single", 2000, MYR_EXCLUDE_ON_THE_FLY, 1);
    setting_check("MYRIAD_CUDA_MEMORY", "300000", "gravity", "double", 5000, MYR_EXCLUDE_ON_THE_FLY, 0);
}

typedef struct {
    int calls;
    char text[512];
} note;

static void note_warning(void *user, const char *text)
{
    note *n = user;
    n->calls++;
    strncpy(n->text, text, sizeof n->text - 1);
}

/* With too little memory the processor does it, says so once, and the bits are its own; asked for by name, the GPU's
 * failure is an error. */
static void test_memory_exhausted(void **state)
{
    (void)state;
    myr_context *context;
    note n = {0};
    size_t bytes;
    assert_int_equal(setenv("MYRIAD_CUDA_MEMORY", "1000", 1), 0);
    assert_int_equal(myr_context_create(&context), MYR_OK);
    assert_int_equal(myr_context_set_warning(context, note_warning, &n), MYR_OK);
    myr_particles *p = scene_particles(context, "gravity", 2000, 1, 0, 0);
    myr_interaction *f = chosen(context, "gravity", "portable", "cuda");
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_MEMORY);
    assert_non_null(strstr(myr_context_message(context), "memory"));
    assert_int_equal(n.calls, 0);
    scene_choose_isa(f, "auto");
    for (int k = 0; k < 3; k++)
        scene_evaluate(context, f, p, p);
    assert_int_equal(n.calls, 1);
    assert_non_null(strstr(n.text, "processor"));
    assert_string_not_equal(myr_interaction_choice(f, "backend"), "cuda");
    double *moved = outputs_of("gravity", p, &bytes);
    scene_choose_isa(f, "scalar");
    scene_evaluate(context, f, p, p);
    double *plain = outputs_of("gravity", p, &bytes);
    same(plain, moved, bytes, "gravity", "moved to the processor", 2000, 2000);
    free(plain);
    free(moved);
    scene_choose_isa(f, "cuda"); /* given up for good */
    assert_int_equal(myr_interaction_evaluate(f, p, p), MYR_ERROR_UNAVAILABLE);
    assert_non_null(strstr(myr_context_message(context), "memory"));
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
    assert_int_equal(unsetenv("MYRIAD_CUDA_MEMORY"), 0);
}

/* Backend auto: the processor for little, the GPU for much. */
static void test_auto(void **state)
{
    (void)state;
    myr_context *context;
    assert_int_equal(myr_context_create(&context), MYR_OK);
    for (int large = 0; large < 2; large++) {
        myr_particles *p = scene_particles(context, "gravity", large ? 2000 : 200, 1, 0, 0);
        myr_interaction *f = chosen(context, "gravity", "mixed", "auto");
        scene_evaluate(context, f, p, p);
        assert_int_equal(strcmp(myr_interaction_choice(f, "backend"), "cuda") == 0, large);
        myr_interaction_destroy(&f);
        myr_particles_destroy(&p);
    }
    myr_context_destroy(&context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),   cmocka_unit_test(test_equal),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_devices), cmocka_unit_test(test_streaming), cmocka_unit_test(test_memory_exhausted),
        cmocka_unit_test(test_auto),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
