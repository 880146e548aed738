/* test_box_fields.c - restraints, external fields, walls and open axes of particles in a box on a GPU: the bits of the
 * processor, as in test_box.c. */
#include "gpu/box_runs.h"

static const liquid_field falling[] = {
    {"uniform_field", {{"acceleration_x", 0.3, NULL}, {"acceleration_y", -1.25, NULL}, {"acceleration_z", 2, NULL}}},
    {.kind = NULL}};
static const liquid_field thrown[] = {
    {"uniform_field", {{"acceleration_x", 60, NULL}, {"acceleration_y", -40, NULL}, {"acceleration_z", 50, NULL}}},
    {.kind = NULL}};
static const liquid_field traps[] = {
    {"harmonic", {{"omega_x", 1, NULL}, {"omega_y", 1.5, NULL}, {"omega_z", 0.5, NULL}}},
    {"harmonic", {{"omega_x", 0.7, NULL}}},
    {"uniform_field", {{"acceleration_y", -0.7, NULL}}},
    {.kind = NULL}};

static void test_restraints(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"springs", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .restraint = 80, .steps = 45},
        {"springs of a type",
         216,
         {6, 6, 6},
         {6.9, 7, 6.8},
         .types = 2,
         .integrator = "langevin",
         .restraint = 200,
         .steps = 45},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_fields(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"falling", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .fields = falling, .steps = 45},
        {"falling, fast",
         27,
         {3, 3, 3},
         {5.7, 5.7, 5.7},
         .temperature = 400,
         .dt = 0.002,
         .fields = falling,
         .steps = 90},
        {"traps and springs",
         216,
         {6, 6, 6},
         {6.9, 7, 6.8},
         .types = 2,
         .integrator = "langevin",
         .restraint = 20,
         .fields = traps,
         .steps = 45},
        {"traps, chain", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "nose_hoover", .fields = traps, .steps = 21},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* Axes are lengthened on the way: the processor looks at them when the largest displacements add up to what is left. */
static void test_open(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"droplet", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .open = {1, 1, 1}, .check = 1, .steps = 90},
        {"burst", 64, {4, 4, 4}, {4, 4, 4}, .temperature = 40, .dt = 0.002, .open = {1, 1, 1}, .steps = 300},
        {"slab", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .open = {0, 1, 0}, .integrator = "langevin", .types = 2, .steps = 45},
        {"chain", 64, {4, 4, 4}, {5.7, 4.4, 4.4}, .open = {0, 1, 1}, .integrator = "nose_hoover", .steps = 21},
        {"one far out", 32, {4, 4, 2}, {5.7, 5.7, 2.5}, .open = {0, 0, 1}, .far = 3000, .steps = 27},
        {"one", 1, {1, 1, 1}, {1, 1, 1}, .open = {1, 1, 1}, .steps = 90},
        /* leave the grid of the list between two looks of the processor, and then the axes, which are lengthened */
        {"thrown", 64, {4, 4, 4}, {4.6, 4.6, 4.6}, .open = {1, 1, 1}, .fields = thrown, .steps = 270},
        {"thrown, langevin",
         64,
         {4, 4, 4},
         {4.6, 4.6, 4.6},
         .open = {1, 1, 1},
         .types = 2,
         .integrator = "langevin",
         .fields = thrown,
         .steps = 270},
        {"trapped",
         64,
         {4, 4, 4},
         {5, 5, 5},
         .open = {1, 1, 1},
         .fields = traps,
         .temperature = 9,
         .types = 2,
         .integrator = "langevin",
         .restraint = 2,
         .steps = 300},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_walls(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"mirrors",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .open = {0, 0, 1},
         .wall = {[2] = {MYR_WALL_REFLECTING, 0.3, 6.7, 0, 0, 0}},
         .temperature = 6,
         .fields = falling,
         .steps = 60},
        {"mirrors, langevin",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .open = {1, 0, 1},
         .wall = {[0] = {MYR_WALL_REFLECTING, 0.2, 6.8, 0, 0, 0}, [2] = {MYR_WALL_LJ93, -1, 8, 1, 1, 2.5}},
         .integrator = "langevin",
         .temperature = 4,
         .types = 2,
         .steps = 60},
        {"floor",
         125,
         {5, 5, 5},
         {5.7, 5.7, 5.7},
         .open = {0, 1, 0},
         .wall = {[1] = {MYR_WALL_LJ93, -0.8, (double)INFINITY, 2, 1, 0}},
         .fields = falling,
         .steps = 60},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* Steps that are reversed exactly: the bits of the processor, and the first positions after the way back. */
static void test_exact(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"exact", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .exact = 1, .steps = 45},
        {"exact, mirrors",
         125,
         {5, 5, 5},
         {5.7, 5.7, 5.7},
         .open = {0, 0, 1},
         .wall = {[2] = {MYR_WALL_REFLECTING, 0.2, 5.6, 0, 0, 0}},
         .temperature = 6,
         .fields = falling,
         .exact = 1,
         .steps = 60},
        {.name = NULL},
    };
    compare(boxes, NULL);
    for (const box *s = boxes; s->name; s++) {
        const box all = box_complete(s);
        uint64_t before, after;
        myr_context *context = liquid_context();
        myr_simulation *simulation = box_make(context, &all, "portable", "cuda");
        liquid_steps(context, simulation, 3);
        before = box_hash(context, simulation);
        liquid_steps(context, simulation, 40);
        assert_true(box_hash(context, simulation) != before);
        expect_ok(context, myr_simulation_reverse(simulation));
        liquid_steps(context, simulation, 40);
        expect_ok(context, myr_simulation_reverse(simulation));
        after = box_hash(context, simulation);
        assert_true(after == before);
        myr_simulation_destroy(&simulation);
        myr_context_destroy(&context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restraints), cmocka_unit_test(test_fields), cmocka_unit_test(test_open),
        cmocka_unit_test(test_walls),      cmocka_unit_test(test_exact),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
