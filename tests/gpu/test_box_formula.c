/* test_box_formula.c - particles in a box on a GPU with pair formulas that users write: in portable arithmetic the bits
 * of the processor, as in test_box.c; in others its energies up to rounding. */
#include "gpu/box_runs.h"

#include "core/hash.h"
#include "physics/formulas.h"

static void test_formulas(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"Lennard-Jones", 864, {9, 12, 8}, {9.9, 13.2, 8.8}, .formula = formula_lj, .steps = 45},
        {"Morse", 343, {7, 7, 7}, {8, 8, 8}, .formula = formula_morse, .lanes = 4, .steps = 99},
        {"Morse, langevin",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .formula = formula_morse,
         .integrator = "langevin",
         .lanes = 8,
         .steps = 51},
        {"soft", 512, {8, 8, 8}, {5.2, 6.2, 5.9}, .formula = formula_soft, .dt = 0.02, .lanes = 8, .steps = 99},
        {"one", 1, {1, 1, 1}, {5.5, 6, 7}, .formula = formula_morse, .steps = 30},
        {"two", 2, {2, 1, 1}, {5.5, 6, 7}, .formula = formula_morse, .steps = 60},
        {"gas", 216, {6, 6, 6}, {60, 60, 60}, .formula = formula_lj, .off = 0.9, .steps = 36},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

static void test_baths(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"chain", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .integrator = "nose_hoover", .steps = 30},
        {"barostat",
         216,
         {6, 6, 6},
         {6.9, 7, 6.8},
         .formula = formula_morse,
         .integrator = "berendsen",
         .centre = 7,
         .pressure = 3,
         .anisotropic = 1,
         .steps = 36},
        {"springs", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .restraint = 80, .steps = 30},
        {"reversed", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .exact = 1, .steps = 27},
        {"checked", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .check = 1, .steps = 27},
        {"droplet", 125, {5, 5, 5}, {6, 6, 6}, .formula = formula_morse, .open = {1, 1, 1}, .steps = 36},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* Forces that do not fit the integers of the loops; particles at one place. */
static void test_close(void **state)
{
    (void)state;
    static const box near[] = {
        {"0.5", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_lj, .close = 0.5, .dt = 1e-5, .steps = 30},
        {"0.1", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_lj, .close = 0.1, .dt = 1e-10, .steps = 30},
        {"0.01", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_lj, .close = 0.01, .dt = 1e-18, .steps = 9},
        {"violent collision",
         2,
         {2, 1, 1},
         {5.7, 5.7, 5.7},
         .formula = formula_lj,
         .close = 1.2,
         .speed = 3e7,
         .dt = 1e-10,
         .steps = 600},
        {"soft, one place", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_soft, .close = -1, .steps = 30},
        {.name = NULL},
    };
    static const box coincident[] = {
        {"one place", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_lj, .close = -1, .steps = 30},
        {.name = NULL},
    };
    static const box exploding[] = {
        {"long steps",
         216,
         {6, 6, 6},
         {6.9, 6.9, 6.9},
         .formula = formula_lj,
         .temperature = 9,
         .dt = 0.03,
         .steps = 600},
        {.name = NULL},
    };
    compare(near, NULL);
    compare(coincident, "same place");
    compare(exploding, "would move by");
}

/* Other arithmetics and sums: runs repeat, integer sums do not depend on the number of threads per cluster, and
 * energies are those of the processor up to rounding. */
static void test_arithmetics(void **state)
{
    (void)state;
    static const struct {
        const char *arithmetic, *accumulator;
        double bound; /* five times what was measured */
        /* measured: 4.2e-7 of the pressure, in double 4.9e-15 */
    } cases[] = {{"single", "fixed", 2e-6},  {"mixed", "fixed", 2e-6},     {"single", "single", 2e-6},
                 {"single", "double", 2e-6}, {"double", "fixed", 2.4e-14}, {"double", "double", 2.4e-14}};
    static outcome right, first, again;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *arithmetic = cases[k].arithmetic;
        const int fixed = strcmp(cases[k].accumulator, "fixed") == 0;
        box b = {cases[k].accumulator, 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .accumulator = cases[k].accumulator};
        b.formula = formula_morse;
        b.steps = 27;
        box_run(&b, arithmetic, processor, &right);
        box_run(&b, arithmetic, gpu, &first);
        b.lanes = fixed ? 4 : 0;
        box_run(&b, arithmetic, gpu, &again);
        assert_string_equal(first.message, "");
        same(&b, arithmetic, &first, &again);
        const myr_thermodynamics *r = &right.state[LOOKS - 1], *g = &first.state[LOOKS - 1];
        near_number(arithmetic, r->potential, g->potential, cases[k].bound);
        near_number(arithmetic, r->kinetic, g->kinetic, cases[k].bound);
        near_number(arithmetic, r->pressure, g->pressure, cases[k].bound);
    }
}

/* Processor, GPU, processor; and the other way round. */
static void test_checkpoints(void **state)
{
    (void)state;
    static const char *const there[LOOKS] = {"auto", "cuda", "auto"}, *const back[LOOKS] = {"cuda", "auto", "cuda"};
    static outcome right, got;
    const box b = {"verlet", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .steps = 51};
    if (!myr_hash_available())
        skip();
    box_run(&b, "portable", processor, &right);
    box_run(&b, "portable", there, &got);
    same(&b, "portable", &right, &got);
    box_run(&b, "portable", back, &got);
    same(&b, "portable", &right, &got);
}

static void minimise(const box *given, const char *isa, myr_minimum *minimum, uint64_t *hash)
{
    const box all = box_complete(given);
    myr_context *context = liquid_context();
    myr_simulation *simulation = box_make(context, &all, "portable", isa);
    expect_ok(context, myr_simulation_minimise(simulation, 1e-4, all.steps, minimum));
    *hash = box_hash(context, simulation);
    myr_simulation_destroy(&simulation);
    myr_context_destroy(&context);
}

static void test_minima(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"solid", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .formula = formula_morse, .off = 0.6, .steps = 60},
        {"overlapping", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .formula = formula_lj, .close = 0.1, .steps = 40},
    };
    for (int k = 0; k < 2; k++) {
        myr_minimum right, got;
        uint64_t hash[2];
        minimise(&boxes[k], "auto", &right, &hash[0]);
        minimise(&boxes[k], "cuda", &got, &hash[1]);
        assert_int_equal(right.steps, got.steps);
        assert_true(hash[0] == hash[1] && right.energy == got.energy && right.largest_force == got.largest_force);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas), cmocka_unit_test(test_baths),       cmocka_unit_test(test_close),
        cmocka_unit_test(test_minima),   cmocka_unit_test(test_checkpoints), cmocka_unit_test(test_arithmetics),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
