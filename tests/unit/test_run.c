/* test_run.c - <myriad/run.h>: runs of input files from a program, without a word on stdout or stderr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <myriad/run.h>

static char work[256];

/* What a listener has heard. */
typedef struct {
    int errors, notes, started, stepped, measured, files, ended;
    int stop_after; /* steps; 0 = never */
    char last[512];
} heard;

static void say(void *user, myr_run_message_kind kind, const char *text)
{
    heard *h = user;
    if (kind == MYR_RUN_ERROR || kind == MYR_RUN_INPUT_ERROR)
        h->errors++;
    if (kind == MYR_RUN_NOTE)
        h->notes++;
    snprintf(h->last, sizeof h->last, "%s", text);
}

static int stop(void *user, int signal, const char **by)
{
    const heard *h = user;
    (void)signal;
    *by = "the test";
    return h->stop_after > 0 && h->stepped >= h->stop_after;
}

static void event(void *user, const myr_run *run, myr_run_event what, const char *kind, const char *path)
{
    heard *h = user;
    assert_non_null(myr_run_simulation(run));
    h->started += what == MYR_RUN_STARTED;
    h->stepped += what == MYR_RUN_STEPPED;
    h->measured += what == MYR_RUN_MEASURED;
    h->files += what == MYR_RUN_FILE && kind && path;
    h->ended += what == MYR_RUN_ENDED;
}

static myr_run *make(heard *h, const char *name)
{
    myr_run *run = NULL;
    char directory[600];
    *h = (heard){0};
    const myr_run_listener listener = {.user = h, .say = say, .stop = stop, .event = event};
    assert_int_equal(myr_run_create(&listener, &run), MYR_OK);
    snprintf(directory, sizeof directory, "output.directory=%s/%s", work, name);
    assert_int_equal(myr_run_override(run, directory), MYR_OK);
    return run;
}

static const char *write_input(const char *name, const char *text)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", work, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static int is_there(const char *directory, const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, R_OK) == 0;
}

static const char small[] = "particles: {model: plummer, n: 32}\n"
                            "interaction: {kernel: gravity, eps: 0.1}\n"
                            "integrator: {name: leapfrog, dt: 0.0625}\n"
                            "run: {end: 2}\n"
                            "output: {diagnostics: 0.5, snapshots: none}\n";

static void to_the_end(myr_run *run)
{
    for (int more = 1; more;)
        assert_int_equal(myr_run_step(run, &more), MYR_OK);
    assert_int_equal(myr_run_finish(run), MYR_OK);
}

static void test_whole_run(void **state)
{
    heard h;
    (void)state;
    myr_run *run = make(&h, "whole");
    myr_run_override(run, "run.end=1");
    assert_int_equal(myr_run_open(run, write_input("whole", small)), MYR_OK);
    assert_null(myr_run_simulation(run));
    assert_non_null(strstr(myr_run_input(run), "end: 1"));
    myr_run_estimate need;
    assert_int_equal(myr_run_check(run, &need), MYR_OK);
    assert_int_equal(need.particles, 32);
    assert_true(need.trial_steps > 0 && need.disk > 0);
    assert_false(is_there(work, "whole")); /* a check writes nothing */
    assert_int_equal(myr_run_start(run), MYR_OK);
    assert_int_equal(myr_simulation_count(myr_run_simulation(run)), 32);
    to_the_end(run);
    assert_true(myr_simulation_time(myr_run_simulation(run)) == 1);
    assert_int_equal(myr_simulation_steps(myr_run_simulation(run)), 16);
    assert_int_equal(myr_run_exit_code(run), 0);
    assert_string_equal(myr_run_reason(run), "");
    assert_int_equal(h.errors, 0);
    assert_int_equal(h.started, 1);
    assert_int_equal(h.stepped, 16); /* on the processor, one step at a time */
    assert_int_equal(h.measured, 3); /* lines at 0, 0.5 and 1 */
    assert_int_equal(h.ended, 1);
    assert_true(h.files >= 2); /* a checkpoint and a report */
    assert_true(is_there(myr_run_directory(run), "summary.json"));
    assert_true(access(myr_run_report_path(run), R_OK) == 0);
    myr_run_destroy(&run);
    assert_null(run);

    run = make(&h, "whole"); /* the results are in the way */
    assert_int_equal(myr_run_open(run, write_input("whole", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_ERROR_FILE);
    assert_non_null(strstr(myr_run_message(run), "holds a finished run"));
    assert_int_equal(h.errors, 1);
    myr_run_destroy(&run);
    run = make(&h, "whole");
    myr_run_set_replace(run, 1);
    assert_int_equal(myr_run_open(run, write_input("whole", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_OK);
    to_the_end(run);
    myr_run_destroy(&run);
}

static void test_wrong_input(void **state)
{
    heard h;
    (void)state;
    myr_run *run = make(&h, "wrong");
    assert_int_equal(myr_run_open(run, write_input("wrong", "particles: {model: plumer}\nrun: {ends: 1}\n")),
                     MYR_ERROR_VALUE);
    const char *message = myr_run_message(run);
    assert_non_null(strstr(message, "wrong.yaml:1:20:")); /* all errors, each with its place */
    assert_non_null(strstr(message, "wrong.yaml:2:7:"));
    assert_true(h.errors >= 2);
    assert_int_equal(myr_run_exit_code(run), 2);
    int more;
    assert_int_equal(myr_run_step(run, &more), MYR_ERROR_COMBINATION);
    assert_int_equal(more, 0);
    assert_string_equal(myr_run_message(run), "start the run first");
    myr_run_destroy(&run);
    run = make(&h, "wrong");
    assert_int_equal(myr_run_open(run, "/nonexistent/file.yaml"), MYR_ERROR_VALUE);
    assert_non_null(strstr(myr_run_message(run), "/nonexistent/file.yaml"));
    myr_run_destroy(&run);
    myr_run_destroy(&run);
}

/* Position of all particles of the run, for a comparison bit by bit. */
static uint64_t hash(const myr_run *run)
{
    const myr_particles *now;
    uint64_t bits;
    assert_int_equal(myr_simulation_particles(myr_run_simulation(run), &now), MYR_OK);
    assert_int_equal(myr_particles_hash(now, "position", &bits), MYR_OK);
    return bits;
}

static void test_stop_and_restart(void **state)
{
    heard h;
    char directory[600];
    (void)state;
    myr_run *run = make(&h, "through");
    assert_int_equal(myr_run_open(run, write_input("stop", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_OK);
    to_the_end(run);
    const uint64_t through = hash(run);
    myr_run_destroy(&run);

    run = make(&h, "stopped");
    h.stop_after = 5;
    assert_int_equal(myr_run_open(run, write_input("stop", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_OK);
    int more = 1;
    myr_status status = MYR_OK;
    while (more && !status)
        status = myr_run_step(run, &more);
    assert_int_equal(status, MYR_ERROR_CANCELLED);
    assert_string_equal(myr_run_message(run), "stopped by the test");
    assert_int_equal(myr_simulation_steps(myr_run_simulation(run)), 5);
    assert_int_equal(myr_run_finish(run), MYR_OK);
    assert_int_equal(myr_run_exit_code(run), 75);
    snprintf(directory, sizeof directory, "%s", myr_run_directory(run));
    myr_run_destroy(&run);

    assert_int_equal(myr_run_create(NULL, &run), MYR_OK); /* nobody listens */
    assert_int_equal(myr_run_restart(run, directory), MYR_OK);
    assert_int_equal(myr_simulation_steps(myr_run_simulation(run)), 5);
    to_the_end(run);
    assert_true(hash(run) == through);
    myr_run_destroy(&run);
}

static void test_caller_stops(void **state)
{
    heard h;
    int more;
    (void)state;
    myr_run *run = make(&h, "caller");
    assert_int_equal(myr_run_open(run, write_input("caller", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_OK);
    assert_int_equal(myr_run_step(run, &more), MYR_OK);
    assert_int_equal(more, 1);
    assert_int_equal(myr_run_finish(run), MYR_OK);
    assert_string_equal(myr_run_reason(run), "stopped by its caller");
    assert_int_equal(myr_run_exit_code(run), 75);
    assert_int_equal(myr_run_step(run, &more), MYR_ERROR_COMBINATION);
    myr_run_destroy(&run);
}

/* A limit that leapfrog cannot keep. */
static void test_broken_motion(void **state)
{
    heard h;
    int more = 1;
    (void)state;
    myr_run *run = make(&h, "broken");
    myr_run_override(run, "run.energy_limit=1e-12");
    assert_int_equal(myr_run_open(run, write_input("broken", small)), MYR_OK);
    assert_int_equal(myr_run_start(run), MYR_OK);
    myr_status status = MYR_OK;
    while (more && !status)
        status = myr_run_step(run, &more);
    assert_int_equal(status, MYR_ERROR_RANGE);
    assert_non_null(strstr(myr_run_message(run), "energy"));
    assert_int_equal(myr_run_finish(run), MYR_OK);
    assert_int_equal(myr_run_exit_code(run), 3);
    myr_run_destroy(&run);
}

static void test_report(void **state)
{
    heard h;
    char path[512], directory[512];
    (void)state;
    myr_run *run = make(&h, "unused");
    snprintf(path, sizeof path, "%s/page.html", work);
    snprintf(directory, sizeof directory, "%s/through", work);
    assert_int_equal(myr_run_report(run, directory, NULL, path, 0), MYR_OK);
    assert_string_equal(myr_run_report_path(run), path);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(myr_run_report(run, "/nonexistent/directory", NULL, NULL, -1), MYR_ERROR_FILE);
    assert_non_null(strstr(myr_run_message(run), "/nonexistent/directory"));
    myr_run_destroy(&run);
}

/* One whole run per thread: its messages are its own. */
static void *one_of_two(void *user)
{
    const int which = *(const int *)user;
    char name[32], directory[400], text[2000];
    char path[512];
    myr_run *run = NULL;
    int more = 1;
    heard h = {0};
    const myr_run_listener listener = {.user = &h, .say = say};
    snprintf(name, sizeof name, "thread%d", which);
    snprintf(path, sizeof path, "%s/%s.yaml", work, name);
    snprintf(text, sizeof text, "%s", which ? small : "particles: {model: nonsense}\n");
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    snprintf(directory, sizeof directory, "output.directory=%s/%s", work, name);
    myr_run_create(&listener, &run);
    myr_run_override(run, directory);
    myr_run_override(run, "run.threads=1");
    myr_status status = myr_run_open(run, path);
    if (!status)
        status = myr_run_start(run);
    while (!status && more)
        status = myr_run_step(run, &more);
    if (!status)
        status = myr_run_finish(run);
    const intptr_t good = which ? status == MYR_OK && h.errors == 0 : status == MYR_ERROR_VALUE && h.errors > 0;
    myr_run_destroy(&run);
    return (void *)good; /* NOLINT(performance-no-int-to-ptr): a truth value */
}

static void test_threads(void **state)
{
    pthread_t thread[2];
    int which[2] = {0, 1};
    (void)state;
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, one_of_two, &which[k]), 0);
    for (int k = 0; k < 2; k++) {
        void *good;
        assert_int_equal(pthread_join(thread[k], &good), 0);
        assert_non_null(good);
    }
}

static int set_up(void **state)
{
    (void)state;
    snprintf(work, sizeof work, "/tmp/myriad_test_run.XXXXXX");
    return mkdtemp(work) == NULL;
}

static int tear_down(void **state)
{
    char command[300];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", work);
    return system(command); /* NOLINT(cert-env33-c): a path that this test made */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_run),        cmocka_unit_test(test_wrong_input),
        cmocka_unit_test(test_stop_and_restart), cmocka_unit_test(test_caller_stops),
        cmocka_unit_test(test_broken_motion),    cmocka_unit_test(test_report),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
