/* test_box_limits.c - boxes on a GPU at the limits of what is allowed: sizes that differ by ten, a barostat at the
 * smallest box, a device without memory. The bits of the processor, as in test_box.c, or a sentence. */
#include "gpu/box_runs.h"

static void test_sizes(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"ten to one", 343, {7, 7, 7}, {6.3, 6.3, 6.3}, .types = 2, .ratio = 10, .dt = 1e-3, .steps = 51},
        {"ten to one, three types, open",
         216,
         {6, 6, 6},
         {5.7, 5.7, 5.7},
         .types = 3,
         .ratio = 10,
         .dt = 1e-3,
         .open = {0, 0, 1},
         .integrator = "langevin",
         .check = 1,
         .steps = 45},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* A pressure that pushes the edges to twice the cutoff, where further changes are refused. */
static void test_smallest(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"smallest",
         64,
         {4, 4, 4},
         {5.04, 5.04, 5.04},
         .integrator = "langevin",
         .push = 50,
         .pressure = 1,
         .steps = 90},
        {"smallest along axes",
         64,
         {4, 4, 4},
         {5.04, 5.02, 5.06},
         .integrator = "nose_hoover",
         .push = 50,
         .pressure = 1,
         .anisotropic = 1,
         .steps = 90},
        {.name = NULL},
    };
    static outcome got;
    compare(boxes, NULL);
    for (const box *b = boxes; b->name; b++) {
        box_run(b, "portable", gpu, &got);
        const myr_thermodynamics *t = &got.state[LOOKS - 1];
        print_message("%s: edges %.5f %.5f %.5f, %lld of %lld changes\n", b->name, t->box[0], t->box[1], t->box[2],
                      (long long)t->volume_moves, (long long)t->volume_trials);
        for (int c = 0; c < 3; c++)
            assert_true(t->box[c] >= 5 && t->box[c] < 5.01);
        assert_true(t->volume_moves < t->volume_trials);
    }
}

/* Less and less memory is missing: a sentence, and the particles where they were, until the run is that of a GPU with
 * memory for all. */
static void test_memory(void **state)
{
    (void)state;
    const box given = {"memory", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .steps = 27}, all = box_complete(&given);
    uint64_t right = 0;
    int refused = 0;
    for (long limit = 0;; limit = limit ? limit * 5 / 4 : 1000) {
        char text[32];
        snprintf(text, sizeof text, "%ld", limit);
        setenv("MYRIAD_CUDA_MEMORY", text, 1);
        myr_context *context = liquid_context();
        myr_simulation *s = box_make(context, &all, "portable", "cuda");
        myr_status status = MYR_OK;
        while (!status && myr_simulation_steps(s) < all.steps)
            status = myr_simulation_advance(s, 1e9, 1e9, all.steps - myr_simulation_steps(s));
        const uint64_t hash = status ? 0 : box_hash(context, s);
        if (status) {
            assert_int_equal(status, MYR_ERROR_MEMORY);
            assert_non_null(strstr(myr_context_message(context), "would pass MYRIAD_CUDA_MEMORY"));
            const myr_particles *now, *start = box_particles(context, &all);
            expect_ok(context, myr_simulation_particles(s, &now));
            assert_int_equal(myr_simulation_steps(s), 0);
            uint64_t there, first;
            expect_ok(context, myr_particles_hash(now, "velocity", &there));
            expect_ok(context, myr_particles_hash(start, "velocity", &first));
            assert_true(there == first);
            myr_particles_destroy((myr_particles **)&start);
            refused++;
        }
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
        if (limit == 0)
            right = hash;
        else if (!status) {
            print_message("%ld bytes suffice, %d times less did not\n", limit, refused);
            assert_true(hash == right);
            break;
        }
    }
    assert_true(refused > 10);
    unsetenv("MYRIAD_CUDA_MEMORY");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_smallest),
        cmocka_unit_test(test_memory),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
