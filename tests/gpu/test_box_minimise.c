/* test_box_minimise.c - minimisation of the energy of particles in a box on a GPU: the bits of the processor, as in
 * test_box.c. */
#include "gpu/box_runs.h"

/* What is compared: the end of a minimisation, and of a few steps after it. */
typedef struct {
    myr_minimum minimum;
    uint64_t hash[2];
    char message[400];
} ending;

static void minimise(const box *given, const char *arithmetic, const char *isa, ending *e)
{
    const box all = box_complete(given), *const s = &all;
    myr_context *context = liquid_context();
    myr_simulation *simulation = box_make(context, s, arithmetic, isa);
    memset(e, 0, sizeof *e);
    const myr_status status = myr_simulation_minimise(simulation, 1e-4, s->steps, &e->minimum);
    if (status)
        snprintf(e->message, sizeof e->message, "%s", myr_context_message(context));
    else {
        e->hash[0] = box_hash(context, simulation);
        liquid_steps(context, simulation, 3);
        e->hash[1] = box_hash(context, simulation);
    }
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
}

static void same_ending(const box *s, const char *arithmetic, const ending *right, const ending *got)
{
    if (strcmp(right->message, got->message) != 0)
        fail_msg("%s, %s: the processor says '%s', the GPU '%s'", s->name, arithmetic, right->message, got->message);
    if (right->minimum.steps != got->minimum.steps || right->minimum.converged != got->minimum.converged)
        fail_msg("%s, %s: %lld steps on the processor, %lld on the GPU", s->name, arithmetic,
                 (long long)right->minimum.steps, (long long)got->minimum.steps);
    same_numbers(s, arithmetic, "energy", &right->minimum.energy, &got->minimum.energy, 1);
    same_numbers(s, arithmetic, "largest force", &right->minimum.largest_force, &got->minimum.largest_force, 1);
    for (int k = 0; k < 2; k++)
        if (right->hash[k] != got->hash[k])
            fail_msg("%s, %s: other positions %s", s->name, arithmetic, k ? "after steps" : "of the minimum");
}

/* Minimises boxes, the list of which ends with a null name, on processor and GPU; `steps` is the largest number. */
static void compare_minima(const box *s, const char *expected)
{
    for (; s->name; s++)
        for (int k = 0; k < 2; k++) {
            ending right, got;
            minimise(s, same_bits[k], "auto", &right);
            minimise(s, same_bits[k], "cuda", &got);
            if (expected ? !strstr(right.message, expected) : *right.message)
                fail_msg("%s, %s: the processor says '%s'", s->name, same_bits[k], right.message);
            if (getenv("MYRIAD_SHOW_ERRORS"))
                fprintf(stderr, "%s, %s: %lld steps, converged %d, energy %.10g\n", s->name, same_bits[k],
                        (long long)right.minimum.steps, right.minimum.converged, right.minimum.energy);
            same_ending(s, same_bits[k], &right, &got);
        }
}

static void test_minima(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"melt", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .cut = "smooth", .off = 0.6, .check = 1, .steps = 60},
        {"cluster", 4, {2, 2, 1}, {5.7, 5.7, 5.7}, .cut = "smooth", .off = 0.3, .steps = 2000},
        {"three types", 343, {7, 7, 7}, {8, 8, 8}, .types = 3, .cut = "spline", .inner = 1.7, .lanes = 4, .steps = 40},
        {"overlapping", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = 0.1, .steps = 40},
        {"springs", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .off = 0.5, .restraint = 80, .steps = 40},
        {.name = NULL},
    };
    static const box coincident[] = {
        {"one place", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .close = -1, .steps = 30},
        {.name = NULL},
    };
    compare_minima(boxes, NULL);
    compare_minima(coincident, "same place");
}

/* Open axes are lengthened as particles move apart, and reflecting walls hold them. */
static void test_open(void **state)
{
    (void)state;
    static const liquid_field falling[] = {
        {"uniform_field", {{"acceleration_y", -1.25, NULL}, {"acceleration_z", 6, NULL}}}, {.kind = NULL}};
    static const box boxes[] = {
        {"burst", 64, {4, 4, 4}, {3.4, 3.4, 3.4}, .open = {1, 1, 1}, .steps = 150},
        {"thrown", 27, {3, 3, 3}, {3.4, 3.4, 3.4}, .open = {1, 1, 1}, .fields = falling, .steps = 150},
        {"mirrors",
         125,
         {5, 5, 5},
         {5.7, 5.7, 5.7},
         .open = {0, 0, 1},
         .wall = {[2] = {MYR_WALL_REFLECTING, 0.2, 5.6, 0, 0, 0}},
         .fields = falling,
         .steps = 60},
        {.name = NULL},
    };
    compare_minima(boxes, NULL);
}

/* Single arithmetic: the minimum is that of the processor up to rounding. */
static void test_single(void **state)
{
    (void)state;
    static const char *const accumulators[] = {"fixed", "single"};
    for (int k = 0; k < 2; k++) {
        box b = {"single", 4, {2, 2, 1}, {5.7, 5.7, 5.7}, .cut = "smooth", .off = 0.3, .steps = 2000};
        ending right, got;
        b.accumulator = accumulators[k];
        minimise(&b, "single", "auto", &right);
        minimise(&b, "single", "cuda", &got);
        assert_string_equal(got.message, "");
        assert_true(right.minimum.converged && got.minimum.converged);
        const double error = fabs(got.minimum.energy / right.minimum.energy - 1);
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "energy of the minimum, sums %s: %.3g\n", accumulators[k], error);
        assert_true(error <= 3e-7); /* measured 6.3e-8 and 0 */
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_minima), cmocka_unit_test(test_open),
                                       cmocka_unit_test(test_single)};
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
