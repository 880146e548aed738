/* test_box.c - particles in a box on a GPU have the bits of the processor: positions, velocities and images after many
 * lists, energies, pressure and momentum on the way, in portable and in double arithmetic; errors have its sentences.
 * Where there is no GPU an emulated one executes the same kernels (emulated/device.h). */
#include "gpu/box_runs.h"

#include "core/hash.h"
#include "gpu/lose.h"

static void test_liquids(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"melt", 864, {9, 12, 8}, {9.9, 13.2, 8.8}, .steps = 45},
        {"smooth", 343, {7, 7, 7}, {8, 8, 8}, .cut = "smooth", .steps = 51},
        {"spline",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .cut = "spline",
         .inner = 1.7,
         .integrator = "langevin",
         .lanes = 4,
         .steps = 45},
        {"force", 216, {6, 6, 6}, {6.6, 6.6, 6.6}, .cut = "force", .integrator = "langevin", .lanes = 4, .steps = 45},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_mixtures(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"two types", 343, {7, 7, 7}, {8, 8, 8}, .types = 2, .integrator = "langevin", .steps = 51},
        {"three types", 343, {7, 7, 7}, {8, 8, 8}, .types = 3, .cut = "spline", .inner = 1.7, .lanes = 4, .steps = 45},
        /* more constants than shared memory holds */
        {"24 types", 343, {7, 7, 7}, {8, 8, 8}, .types = 24, .ratio = 1.5, .steps = 36},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_few(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"one", 1, {1, 1, 1}, {5.5, 6, 7}, .steps = 60},
        {"two", 2, {2, 1, 1}, {5.5, 6, 7}, .steps = 60},
        {"thirty-one", 31, {4, 4, 2}, {5.5, 6, 7}, .steps = 27},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_shapes(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"two cutoffs", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .steps = 45},
        {"rod along z", 200, {2, 2, 50}, {5.7, 5.7, 285}, .steps = 36},
        {"rod along x", 400, {100, 2, 2}, {285, 5.7, 5.7}, .steps = 36},
        {"a thousand to one", 60, {1, 60, 1}, {5.7, 5700, 5.7}, .steps = 36},
        {"plate", 200, {10, 1, 20}, {57, 5.7, 114}, .steps = 36},
        {"gas", 216, {6, 6, 6}, {60, 60, 60}, .off = 0.9, .steps = 36},
        /* rows that are found in pairs */
        {"rod in pairs", 400, {100, 2, 2}, {285, 5.7, 5.7}, .lanes = 4, .steps = 36},
        {"gas in pairs", 216, {6, 6, 6}, {60, 60, 60}, .off = 0.9, .lanes = 4, .steps = 36},
        /* more candidates than a search takes at once */
        {"long cutoff", 2744, {14, 14, 14}, {14, 14, 14}, .cutoff = 5, .lanes = 4, .steps = 9},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_baths(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"chain", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "nose_hoover", .steps = 30},
        {"scaling", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "berendsen", .centre = 7, .steps = 30},
        {"barostat", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "nose_hoover", .pressure = 4, .steps = 36},
        {"three barostats",
         216,
         {6, 6, 6},
         {6.9, 7, 6.8},
         .integrator = "berendsen",
         .pressure = 3,
         .anisotropic = 1,
         .steps = 36},
        {"drift", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .centre = 10, .steps = 30},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* Every list, whenever it is used, is compared with all pairs. */
static void test_checked(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"melt", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .check = 1, .steps = 27},
        {"two types", 125, {5, 5, 5}, {5.7, 6.3, 5.9}, .types = 2, .integrator = "langevin", .check = 1, .steps = 27},
        {"rod along x", 100, {25, 2, 2}, {70, 5.7, 5.7}, .temperature = 9, .dt = 0.002, .check = 1, .steps = 27},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* Forces that do not fit the integers of the loops; particles at one place; particles that fly apart. */
static void test_close(void **state)
{
    (void)state;
    static const box near[] = {
        {"collision", 2, {2, 1, 1}, {5.7, 5.7, 5.7}, .close = 1.2, .speed = 400, .dt = 2e-5, .steps = 90},
        {"violent collision", 2, {2, 1, 1}, {5.7, 5.7, 5.7}, .close = 1.2, .speed = 3e9, .dt = 1e-12, .steps = 300},
        {"0.5 sigma", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = 0.5, .dt = 1e-5, .steps = 30},
        {.name = NULL},
    };
    static const box overlapping[] = {
        {"0.3 sigma", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = 0.3, .dt = 1e-7, .steps = 30},
        {"0.1 sigma", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = 0.1, .dt = 1e-9, .steps = 30},
        {.name = NULL},
    };
    static const box coincident[] = {
        {"one place", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = -1, .steps = 30},
        {.name = NULL},
    };
    static const box exploding[] = {
        {"long steps", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .temperature = 9, .dt = 0.03, .steps = 600},
        {"hot bath",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .temperature = 2000,
         .dt = 0.004,
         .integrator = "langevin",
         .cut = "spline",
         .inner = 1.7,
         .lanes = 4,
         .steps = 600},
        {.name = NULL},
    };
    compare(near, NULL);
    compare(overlapping, "overlap");
    compare(coincident, "same place");
    compare(exploding, "would move by");
}

/* Single arithmetic: runs repeat, integer sums do not depend on the number of threads per cluster, and energies are
 * those of the processor up to rounding. Boxes with equal edges have a loop of their own (box_cube.cuh): most clusters
 * of the first box and of the gas are too wide for it, and none of the others is. */
static void test_single(void **state)
{
    (void)state;
    static const char *const accumulators[] = {"fixed", "single"};
    static const struct {
        box box;
        double potential, kinetic; /* bounds of relative errors */
    } rows[] = {
        /* measured: 6.0e-8 and 5.8e-8; 1.0e-7 and 2.2e-8; 3.3e-8 and 3.3e-9; 2.9e-9 and 2.2e-10 (on an H200, whose
         * reciprocals round otherwise, 1.5e-8 and less than 1.1e-9) */
        {{"small", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .steps = 27}, 3e-7, 1e-7},
        {{"melt", 729, {9, 9, 9}, {10.4, 10.4, 10.4}, .steps = 27}, 5e-7, 1e-7},
        {{"mixture", 2197, {13, 13, 13}, {15, 15, 15}, .types = 2, .cut = "smooth", .steps = 27}, 1.6e-7, 1.6e-8},
        {{"gas", 512, {8, 8, 8}, {20, 20, 20}, .off = 0.2, .steps = 27}, 5e-8, 1.1e-9},
    };
    static outcome right, first, again;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (int k = 0; k < 2; k++) {
            box b = rows[row].box;
            b.accumulator = accumulators[k];
            box_run(&b, "single", processor, &right);
            box_run(&b, "single", gpu, &first);
            b.lanes = k == 0 ? 4 : 0;
            box_run(&b, "single", gpu, &again);
            assert_string_equal(first.message, "");
            same(&b, "single", &first, &again);
            near_number("potential energy", right.state[LOOKS - 1].potential, first.state[LOOKS - 1].potential,
                        rows[row].potential);
            near_number("kinetic energy", right.state[LOOKS - 1].kinetic, first.state[LOOKS - 1].kinetic,
                        rows[row].kinetic);
        }
}

/* Processor, GPU, processor; and the other way round. */
static void test_checkpoints(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"verlet", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .steps = 51},
        {"langevin", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .types = 2, .integrator = "langevin", .steps = 51},
    };
    static const char *const there[LOOKS] = {"auto", "cuda", "auto"}, *const back[LOOKS] = {"cuda", "auto", "cuda"};
    static outcome right, got;
    if (!myr_hash_available())
        skip();
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 2; k++) {
            box_run(&boxes[b], same_bits[k], processor, &right);
            box_run(&boxes[b], same_bits[k], there, &got);
            same(&boxes[b], same_bits[k], &right, &got);
            box_run(&boxes[b], same_bits[k], back, &got);
            same(&boxes[b], same_bits[k], &right, &got);
        }
}

/* A GPU that is lost: a sentence, and the state that was looked at last. The last test: the GPU stays lost. */
static void test_lost(void **state)
{
    (void)state;
    const box given = {"lost", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .steps = 9}, all = box_complete(&given);
    myr_context *context = liquid_context();
    myr_simulation *simulation = box_make(context, &all, "portable", "cuda");
    expect_ok(context, myr_simulation_advance(simulation, 1e9, 1e9, all.steps));
    const int64_t steps = myr_simulation_steps(simulation);
    const uint64_t before = box_hash(context, simulation);
    lose_gpu(context);
    assert_int_equal(myr_simulation_advance(simulation, 1e9, 1e9, all.steps), MYR_ERROR_UNAVAILABLE);
    print_message("%s\n", myr_context_message(context));
    assert_non_null(strstr(myr_context_message(context), "GPU: "));
    assert_int_equal(myr_simulation_steps(simulation), steps);
    assert_true(box_hash(context, simulation) == before);
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_liquids), cmocka_unit_test(test_mixtures),    cmocka_unit_test(test_few),
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_baths),       cmocka_unit_test(test_checked),
        cmocka_unit_test(test_close),   cmocka_unit_test(test_checkpoints), cmocka_unit_test(test_single),
        cmocka_unit_test(test_lost),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    if (argc > 1) /* the name of a test */
        cmocka_set_test_filter(argv[1]);
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
