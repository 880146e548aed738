/* test_store.c - checkpoints that ranks write and read together: saved before the first step, asked for particles right
 * after reading, damaged where one rank reads, and one that only some can find. */
#include <math.h>
#include <unistd.h>

#include <myriad/myriad.h>

#include "ranks.h"

enum { N = 256, STEPS = 30, PATH = 256 };

static char folder[PATH];

static const char *file(const char *name)
{
    static char path[PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Rows [first, last) of a liquid whose particles have a field of two components besides. */
static myr_particles *rows(myr_context *of, int64_t first, int64_t last)
{
    static const char *const fields[] = {"position", "velocity"};
    myr_particles *all = NULL, *part = NULL;
    myr_model_spec *spec;
    assert_int_equal(myr_model_spec_create(of, "fcc", &spec), MYR_OK);
    assert_int_equal(myr_model_spec_set(spec, "density", 0.7), MYR_OK);
    assert_int_equal(myr_model_spec_set(spec, "temperature", 2), MYR_OK);
    assert_int_equal(myr_model_spec_make(spec, N, 5, &all), MYR_OK);
    myr_model_spec_destroy(&spec);
    const int64_t n = last - first;
    int64_t id[N];
    assert_int_equal(myr_particles_create(of, n, &part), MYR_OK);
    for (int f = 0; f < 2; f++) {
        assert_int_equal(myr_particles_add_field(part, fields[f], 3), MYR_OK);
        for (int c = 0; c < 3; c++)
            memcpy(myr_particles_component(part, fields[f], c), myr_particles_component(all, fields[f], c) + first,
                   (size_t)n * sizeof(double));
    }
    assert_int_equal(myr_particles_add_field(part, "tag", 2), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        id[i] = 7 * (first + i) + 2;
        myr_particles_component(part, "tag", 0)[i] = (double)(first + i) / 3;
        myr_particles_component(part, "tag", 1)[i] = -(double)(first + i);
    }
    assert_int_equal(myr_particles_set_ids(part, id), MYR_OK);
    myr_particles_destroy(&all);
    return part;
}

static myr_simulation *liquid(myr_context *of, myr_particles *particles)
{
    const double one = 1;
    myr_interaction *f;
    myr_simulation *s;
    myr_molecular_options o = myr_molecular_defaults();
    for (int c = 0; c < 3; c++) {
        o.box[c] = cbrt(N / 0.7);
        o.origin[c] = -0.5 * o.box[c];
    }
    assert_int_equal(myr_interaction_create(of, "lennard_jones", &f), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "method", "neighbour"), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "accumulator", "fixed"), MYR_OK);
    assert_int_equal(myr_interaction_set(f, "cutoff", 2.5), MYR_OK);
    assert_int_equal(myr_interaction_set_pair(f, "epsilon", 1, &one), MYR_OK);
    assert_int_equal(myr_interaction_set_pair(f, "sigma", 1, &one), MYR_OK);
    assert_int_equal(myr_simulation_create(of, particles, f, &s), MYR_OK);
    assert_int_equal(myr_simulation_choose(s, "verlet"), MYR_OK);
    assert_int_equal(myr_simulation_set(s, "dt", 0.005), MYR_OK);
    assert_int_equal(myr_simulation_set_molecular(s, &o), MYR_OK);
    return s;
}

/* All that particles have. */
static uint64_t look(myr_context *of, myr_simulation *s)
{
    static const char *const fields[] = {"position", "velocity", "force", "image", "tag"};
    const myr_particles *p;
    uint64_t all = 0, hash;
    if (myr_simulation_particles(s, &p))
        fail_msg("rank %d: %s", me, myr_context_message(of));
    assert_int_equal(myr_particles_count(p), N);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(myr_particles_hash(p, fields[k], &hash), MYR_OK);
        all = all * 31 + hash;
    }
    for (int64_t i = 0; i < N; i++)
        assert_int_equal(myr_particles_ids(p)[i], 7 * i + 2);
    return all;
}

static void go(myr_context *of, myr_simulation *s)
{
    for (int k = 0; k < STEPS; k++)
        if (myr_simulation_step(s, 1))
            fail_msg("rank %d: %s", me, myr_context_message(of));
}

/* After so many steps, on one rank. */
static void alone(uint64_t expected[3])
{
    myr_context *of = NULL;
    assert_int_equal(myr_context_create(&of), MYR_OK);
    myr_simulation *s = liquid(of, rows(of, 0, N));
    assert_int_equal(myr_simulation_step(s, 0), MYR_OK);
    for (int k = 0; k < 3; k++) {
        expected[k] = look(of, s);
        go(of, s);
    }
    myr_simulation_destroy(&s);
    myr_context_destroy(&of);
}

static void begin(void)
{
    if (me == 0) {
        strcpy(folder, "/tmp/myriad_store_XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    check(myr_ranks_share(context, folder, sizeof folder));
}

static void test_round_trip(void **state)
{
    (void)state;
    uint64_t expected[3];
    begin();
    alone(expected);
    const int64_t first = N * me / ranks;
    myr_simulation *s = liquid(context, rows(context, first, (int64_t)N * (me + 1) / ranks));
    if (ranks > 1)
        check(myr_simulation_set_part(s, first, N));
    if (ranks == 1)
        check(myr_simulation_step(s, 0));
    if (me == 0) {
        check(myr_simulation_save(s, file("begun"))); /* of several, nobody has made a step */
        go(context, s);
        check(myr_simulation_save(s, file("made")));
        assert_true(look(context, s) == expected[1]);
    } else {
        check(myr_simulation_follow(s));
    }
    myr_simulation_destroy(&s);
    for (int k = 0; k < 2; k++) {
        check(myr_simulation_load(context, file(k ? "made" : "begun"), &s));
        assert_int_equal(myr_simulation_count(s), N);
        if (me == 0) {
            assert_true(look(context, s) == expected[k]);
            go(context, s);
            assert_true(look(context, s) == expected[k + 1]);
        } else {
            check(myr_simulation_follow(s));
        }
        myr_simulation_destroy(&s);
    }
}

/* One who reads in parts sees each particle once, in bits as they are. */
static myr_status count(void *user, const myr_simulation *s, const myr_particles *p)
{
    int64_t *sum = user;
    assert_int_equal(myr_simulation_count(s), N);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const int64_t row = (myr_particles_ids(p)[i] - 2) / 7;
        assert_true(myr_particles_component_const(p, "tag", 1)[i] == -(double)row);
        sum[0]++;
        sum[1] += row;
    }
    return MYR_OK;
}

static void test_look(void **state)
{
    (void)state;
    int64_t sum[2] = {0, 0};
    myr_context *of = NULL; /* has joined nobody */
    assert_int_equal(myr_context_create(&of), MYR_OK);
    assert_int_equal(myr_simulation_look(of, file("made"), count, sum), MYR_OK);
    assert_int_equal(sum[0], N);
    assert_int_equal(sum[1], (int64_t)N * (N - 1) / 2);
    myr_context_destroy(&of);
    check(myr_ranks_agree(context, MYR_OK));
}

/* Changes a byte of the last part, or puts it back. */
static void flip(const char *path)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, 64 + N * 135, SEEK_SET), 0);
    const int byte = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
    assert_int_equal(fputc(byte ^ 1, f), byte ^ 1);
    assert_int_equal(fclose(f), 0);
}

/* What one cannot use, nobody uses; and all go on after it. */
static void test_damaged(void **state)
{
    (void)state;
    char said[64];
    myr_simulation *s = NULL;
    if (me == 0)
        flip(file("made"));
    check(myr_ranks_agree(context, MYR_OK));
    assert_int_equal(myr_simulation_load(context, file("made"), &s), MYR_ERROR_FORMAT);
    assert_null(s);
    snprintf(said, sizeof said, "is damaged in section 'particles %d'", ranks - 1);
    assert_non_null(strstr(myr_context_message(context), said));
    assert_int_equal(myr_simulation_load(context, me == ranks - 1 ? file("nothing") : file("begun"), &s),
                     MYR_ERROR_FILE);
    assert_non_null(strstr(myr_context_message(context), "nothing"));
    if (me == 0)
        flip(file("made"));
    check(myr_ranks_agree(context, MYR_OK));
    check(myr_simulation_load(context, file("made"), &s));
    myr_simulation_destroy(&s);
    check(myr_ranks_agree(context, MYR_OK));
    if (me == 0) {
        unlink(file("made"));
        unlink(file("begun"));
        rmdir(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_look),
                                       cmocka_unit_test(test_damaged)};
    return RANKS_MAIN(tests);
}
