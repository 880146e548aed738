/* test_box_stalls.c - what a run of particles in a box on a GPU costs beside its steps: lines of diagnostics copy no
 * particles, the last good state stays on the GPU, and thermostats do not make the host wait. Waits and copies are
 * counted by the emulated GPU. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/box_runs.h"

#include "core/hash.h"
#include "gpu/lose.h"

/* Counters of the emulated GPU; null on a real one. */
static long long *counter(const char *name)
{
    const char *path = getenv("MYRIAD_CUDA_PLUGIN");
    void *plugin = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return plugin ? dlsym(plugin, name) : NULL;
}

static void advance(myr_context *context, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    while (myr_simulation_steps(s) < end)
        expect_ok(context, myr_simulation_advance(s, 1e9, 1e9, end - myr_simulation_steps(s)));
}

/* Everything that a line of diagnostics asks for. */
static void line(myr_context *context, myr_simulation *s)
{
    myr_thermodynamics t;
    myr_conserved c;
    myr_progress p;
    expect_ok(context, myr_simulation_conserved(s, &c));
    expect_ok(context, myr_simulation_thermodynamics(s, &t));
    expect_ok(context, myr_simulation_progress(s, &p));
    expect_ok(context, myr_simulation_keep(s));
}

static void test_line(void **state)
{
    (void)state;
    const box given = {"line", 1000, {10, 10, 10}, {11.5, 11.5, 11.5}, .steps = 9}, all = box_complete(&given);
    setenv("MYRIAD_KEEP_REST", "1e9", 1); /* a slow machine too keeps later copies on the GPU */
    myr_context *context = liquid_context();
    myr_simulation *s = box_make(context, &all, "portable", "cuda");
    advance(context, s, 3);
    const long long *bytes = counter("emulated_bytes");
    if (!bytes)
        skip();
    line(context, s); /* the first copy is made on the host */
    advance(context, s, 3);
    line(context, s);
    const long long before = *bytes;
    line(context, s);
    if (*bytes - before > 2000) /* measured: 1136; an array of the particles has 8000 */
        fail_msg("a line of diagnostics copies %lld bytes to the host", *bytes - before);
    unsetenv("MYRIAD_KEEP_REST");
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
}

typedef struct {
    uint64_t position, velocity;
    double edge;
    int64_t step;
} moment;

static moment moment_of(const myr_particles *p, int64_t step, double edge)
{
    moment m = {.step = step, .edge = edge};
    assert_int_equal(myr_particles_hash(p, "position", &m.position), MYR_OK);
    assert_int_equal(myr_particles_hash(p, "velocity", &m.velocity), MYR_OK);
    return m;
}

static moment moment_now(myr_context *context, myr_simulation *s)
{
    const myr_particles *now;
    double edge[3], origin[3];
    expect_ok(context, myr_simulation_particles(s, &now));
    expect_ok(context, myr_simulation_box(s, edge, origin));
    return moment_of(now, myr_simulation_steps(s), edge[0]);
}

/* The copy that was kept, by way of a file. */
static moment moment_kept(myr_context *context, myr_simulation *s)
{
    char path[] = "/tmp/myriad-kept-XXXXXX";
    const int file = mkstemp(path);
    const myr_snapshot_header any = {.time = -1, .step = -1, .program = "test"};
    myr_snapshot_header header;
    myr_particles *kept = NULL;
    assert_true(file >= 0);
    close(file);
    expect_ok(context, myr_simulation_write_kept(s, path, "lammps_dump", NULL, &any));
    expect_ok(context, myr_snapshot_read(context, path, "lammps_dump", &kept, &header));
    unlink(path);
    const moment m = moment_of(kept, header.step, header.box[0]);
    myr_particles_destroy(&kept);
    return m;
}

static void same_moment(const char *name, const moment *right, const moment *got)
{
    if (right->step != got->step)
        fail_msg("%s: kept at step %lld, written with step %lld", name, (long long)right->step, (long long)got->step);
    if (right->position != got->position || right->velocity != got->velocity ||
        fabs(right->edge - got->edge) > 1e-14 * right->edge)
        fail_msg("%s: other positions, velocities or box than those kept at step %lld", name, (long long)right->step);
}

/* Every copy is made once as the second, on the GPU; later the box and the order of the particles change. */
static void test_good(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"deferred kicks", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .types = 2, .dt = 0.01},
        {"a box that changes", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "langevin", .pressure = 3},
        {"an axis that is lengthened",
         125,
         {5, 5, 5},
         {5.7, 5.7, 5.7},
         .temperature = 900,
         .dt = 1e-3,
         .open = {0, 0, 1}},
    };
    if (!myr_hash_available())
        skip();
    setenv("MYRIAD_KEEP_REST", "1e9", 1);
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; k++) {
        const box all = box_complete(&boxes[k]);
        myr_context *context = liquid_context();
        myr_simulation *s = box_make(context, &all, "portable", "cuda");
        advance(context, s, 5);
        expect_ok(context, myr_simulation_keep(s));
        const moment first = moment_now(context, s);
        advance(context, s, 7);
        expect_ok(context, myr_simulation_keep(s));
        const moment second = moment_now(context, s);
        assert_true(first.position != second.position);
        advance(context, s, 60);
        const moment got = moment_kept(context, s);
        same_moment(all.name, &second, &got);
        advance(context, s, 1); /* the simulation is where it was */
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
    unsetenv("MYRIAD_KEEP_REST");
}

/* The host waits as often for many steps as for few. */
static void test_waits(void **state)
{
    (void)state;
    static const char *const integrators[] = {"verlet", "langevin", "nose_hoover", "berendsen"};
    const long long *waits = counter("emulated_waits");
    if (!waits)
        skip();
    for (int k = 0; k < 4; k++) {
        const box given = {"waits", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .integrator = integrators[k], .steps = 9};
        const box all = box_complete(&given);
        myr_context *context = liquid_context();
        myr_simulation *s = box_make(context, &all, "portable", "cuda");
        advance(context, s, 66); /* the next new unit of sums is due after step 129 */
        const long long before = *waits;
        advance(context, s, 60);
        if (*waits - before > 20) /* measured: 5 or 6 */
            fail_msg("%s: the host waits %lld times in 60 steps", integrators[k], *waits - before);
        if (getenv("MYRIAD_SHOW_ERRORS"))
            fprintf(stderr, "%s: %lld waits in 60 steps\n", integrators[k], *waits - before);
        myr_simulation_destroy(&s);
        myr_context_destroy(&context);
    }
}

/* Thermostats that scale velocities, with everything that stops a batch of steps: new units of the sums, removal of the
 * drift, the barostat, open axes. */
static void test_baths(void **state)
{
    (void)state;
    static const box boxes[] = {
        {"long batches", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .types = 2, .integrator = "nose_hoover", .steps = 120},
        {"drift", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "nose_hoover", .centre = 10, .steps = 45},
        {"barostat", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .integrator = "berendsen", .pressure = 7, .steps = 45},
        {"open", 125, {5, 5, 5}, {5.7, 5.7, 5.7}, .integrator = "nose_hoover", .open = {0, 0, 1}, .steps = 45},
        {.name = NULL},
    };
    compare(boxes, NULL);
}

/* A GPU that is lost: the last copy on the host is written, with its time. The last test: the GPU stays lost. */
static void test_lost(void **state)
{
    (void)state;
    const box given = {"lost", 216, {6, 6, 6}, {6.9, 6.9, 6.9}, .steps = 9}, all = box_complete(&given);
    if (!myr_hash_available())
        skip();
    myr_context *context = liquid_context();
    setenv("MYRIAD_KEEP_REST", "1e9", 1);
    myr_simulation *s = box_make(context, &all, "portable", "cuda");
    advance(context, s, 5);
    expect_ok(context, myr_simulation_keep(s));
    const moment first = moment_now(context, s);
    advance(context, s, 7);
    expect_ok(context, myr_simulation_keep(s));
    lose_gpu(context);
    assert_int_equal(myr_simulation_advance(s, 1e9, 1e9, 9), MYR_ERROR_UNAVAILABLE);
    assert_int_equal(myr_simulation_keep(s), MYR_ERROR_UNAVAILABLE);
    assert_int_equal(myr_simulation_save(s, "/tmp/myriad-never"), MYR_ERROR_UNAVAILABLE);
    const moment got = moment_kept(context, s);
    same_moment(all.name, &first, &got);
    myr_simulation_destroy(&s);
    myr_context_destroy(&context);
    unsetenv("MYRIAD_KEEP_REST");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),  cmocka_unit_test(test_good), cmocka_unit_test(test_waits),
        cmocka_unit_test(test_baths), cmocka_unit_test(test_lost),
    };
    char *cuda[] = {argv[0], "cuda", NULL};
    (void)argc;
    const int skipped = scene_begin(2, cuda);
    return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
