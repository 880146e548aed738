/* test_particle_names.c - names of particles stay with them in a simulation: through steps, merging, checkpoints, a
 * box, and the particles that are kept for a failure. */
#include "physics/liquid.h"
#include "physics/motion.h"
#include "unit/scratch.h"

static scratch files;

/* The particle with that id has that name; null = it has none. */
static void expect_name(myr_simulation *s, int64_t id, const char *name)
{
    const myr_particles *now;
    expect_ok(files.context, myr_simulation_particles(s, &now));
    for (int64_t i = 0; i < myr_particles_count(now); i++)
        if (myr_particles_ids(now)[i] == id) {
            const char *has = myr_particles_name(now, i);
            assert_int_equal(!has, !name);
            if (name)
                assert_string_equal(has, name);
            return;
        }
    fail_msg("there is no particle %lld", (long long)id);
}

static void save_and_load(myr_simulation **s)
{
    expect_ok(files.context, myr_simulation_save(*s, scratch_path(&files, "checkpoint")));
    myr_simulation_destroy(s);
    expect_ok(files.context, myr_simulation_load(files.context, scratch_path(&files, "checkpoint"), s));
}

/* Bodies 4 and 5 touch; 5, "five", goes. */
static void test_bodies(void **state)
{
    (void)state;
    static const char *const integrators[] = {"leapfrog", "hermite4"};
    for (int k = 0; k < 2; k++) {
        myr_particles *p = make_model(files.context, "plummer", 32, 7, NULL), *read = NULL;
        for (int c = 0; c < 3; c++)
            myr_particles_component(p, "position", c)[5] = myr_particles_component(p, "position", c)[4] + 1e-6;
        expect_ok(files.context, myr_particles_set_name(p, 5, "five"));
        expect_ok(files.context, myr_particles_set_name(p, 9, "Old Moon"));
        expect_ok(files.context, myr_particles_set_name(p, 31, "31 last"));
        myr_simulation *s =
            new_motion(p, "portable", 0.01, integrators[k], k == 0 ? SETTINGS({"dt", 0.01, NULL}) : NULL);
        expect_name(s, 9, "Old Moon");
        int64_t merged;
        double energy;
        expect_ok(files.context, myr_simulation_merge(s, NULL, 1e-4, &merged, &energy));
        assert_int_equal(merged, 1);
        for (int n = 0; n < 3; n++)
            expect_ok(files.context, myr_simulation_step(s, 1));
        save_and_load(&s);
        expect_ok(files.context, myr_simulation_step(s, 1));
        expect_name(s, 4, NULL);
        expect_name(s, 9, "Old Moon");
        expect_name(s, 31, "31 last");
        expect_ok(files.context, myr_simulation_keep(s));
        myr_snapshot_header header = {0};
        const char *path = scratch_path(&files, "kept.csv");
        expect_ok(files.context, myr_simulation_write_kept(s, path, NULL, NULL, &header));
        expect_ok(files.context, myr_snapshot_read(files.context, path, NULL, &read, &header));
        assert_int_equal(myr_particles_count(read), 31);
        assert_string_equal(myr_particles_name(read, 30), "31 last");
        myr_particles_destroy(&read);
        myr_simulation_destroy(&s);
    }
    assert_int_equal(files.warnings, 0);
}

/* A checkpoint of a box has its particles in other sections, in the order of the space. */
static void test_box(void **state)
{
    (void)state;
    const liquid l = {.n = 500, .seed = 3, .density = 0.8, .temperature = 1, .settings = SETTINGS({"dt", 0.004, NULL})};
    myr_particles *p = liquid_particles(files.context, &l);
    const int64_t last = myr_particles_count(p) - 1, id = myr_particles_ids(p)[last];
    expect_ok(files.context, myr_particles_set_name(p, last, "last"));
    myr_simulation *s = new_liquid_of(files.context, &l, p);
    liquid_steps(files.context, s, 5);
    expect_name(s, id, "last");
    save_and_load(&s);
    liquid_steps(files.context, s, 5);
    expect_name(s, id, "last");
    expect_name(s, id - 1, NULL);
    myr_simulation_destroy(&s);
}

static int setup(void **state)
{
    (void)state;
    scratch_begin(&files);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_end(&files);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bodies), cmocka_unit_test(test_box)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
