/* test_g6.c - the GRAPE-6 calls: forces, prediction, indices, neighbours, clusters; and a Hermite code that knows
 * nothing else moves stars as Myriad does. */
#include <g6.h>
#include <g6_fortran.h>

#include "hermite.h"
#include "physics/motion.h"

enum { N = 300 };

typedef double vector[3];

static myr_context *context;
static vector x[N], v[N], a[N], jerk[N], zero[N];
static double m[N], pot[N], h2[N];
static int index_of[N], nearest[N];

static void load(const char *model, int n, uint64_t seed)
{
    myr_particles *p = make_model(context, model, n, seed, NULL);
    const bodies b = bodies_of(p);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) {
            x[i][c] = b.x[c][i];
            v[i][c] = b.v[c][i];
        }
        m[i] = b.m[i];
        index_of[i] = i;
        h2[i] = 0;
    }
    myr_particles_destroy(&p);
}

static void send_all(int cluster, int n)
{
    assert_int_equal(g6_open(cluster), 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(g6_set_j_particle(cluster, i, index_of[i], 0, 0, m[i], zero[0], zero[0], zero[0], v[i], x[i]),
                         0);
    g6_set_ti(cluster, 0);
}

static void sum_all(int cluster, int nj, int ni, double eps2)
{
    g6calc_firsthalf(cluster, nj, ni, index_of, x, v, zero, zero, pot, eps2, h2);
    if (g6calc_lasthalf2(cluster, nj, ni, index_of, x, v, eps2, h2, a, jerk, pot, nearest))
        fail_msg("%s", g6_message(cluster));
}

static double distance2(const double p[3], const double q[3])
{
    return (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
}

/* The sums of g6.h, term by term: acceleration, jerk, potential; and the sums of the sizes of their terms. */
static void reference(int i, int n, double eps2, double sum[7], double sizes[3])
{
    memset(sum, 0, 7 * sizeof *sum);
    memset(sizes, 0, 3 * sizeof *sizes);
    for (int k = 0; k < n; k++) {
        if (index_of[k] == index_of[i])
            continue;
        const double s = distance2(x[k], x[i]) + eps2, weight = m[k] / (s * sqrt(s));
        double rv = 0, term[6];
        for (int c = 0; c < 3; c++)
            rv += (x[k][c] - x[i][c]) * (v[k][c] - v[i][c]);
        for (int c = 0; c < 3; c++) {
            sum[c] += term[c] = weight * (x[k][c] - x[i][c]);
            sum[3 + c] += term[3 + c] = weight * (v[k][c] - v[i][c] - 3 * rv / s * (x[k][c] - x[i][c]));
        }
        sum[6] -= m[k] / sqrt(s);
        sizes[0] += sqrt(distance2(term, zero[0]));
        sizes[1] += sqrt(distance2(term + 3, zero[0]));
        sizes[2] += m[k] / sqrt(s);
    }
}

/* Largest errors over the targets, in units of the sizes of what was summed. The grid of the sums is that of the
 * closest pair, which far stars with their small jerks notice: these count in units of the mean. */
static void expect_reference(int ni, int nj, double eps2)
{
    double worst = 0, mean = 0, sum[7], sizes[3];
    for (int i = 0; i < ni; i++) {
        reference(i, nj, eps2, sum, sizes);
        mean += sizes[1] / ni;
    }
    for (int i = 0; i < ni; i++) {
        reference(i, nj, eps2, sum, sizes);
        keep_largest(&worst, sqrt(distance2(a[i], sum)) / sizes[0]);
        keep_largest(&worst, sqrt(distance2(jerk[i], sum + 3)) / fmax(mean, sizes[1]));
        keep_largest(&worst, fabs(pot[i] - sum[6]) / sizes[2]);
    }
    expect_below("forces against double sums", worst, 1.5e-6); /* seen 3.8e-7 */
}

static void test_forces(void **state)
{
    (void)state;
    load("plummer", N, 1);
    send_all(0, N);
    for (int k = 0; k < 2; k++) {
        const double eps2 = k ? 1e-4 : 0;
        sum_all(0, N, N, eps2);
        expect_reference(N, N, eps2);
    }
    sum_all(0, N / 2, N, 1e-4); /* fewer sources than are in the memory */
    expect_reference(N / 2, N / 2, 1e-4);
}

/* x, v, a/2, jerk/6 and snap/18 of a polynomial of fourth degree give the polynomial itself. */
static void test_prediction(void **state)
{
    (void)state;
    const double t0 = 3, ti = 3.375, dt = ti - t0;
    double half[3], sixth[3], eighteenth[3], px[2][3], pv[2][3];
    const double start[3] = {1, -2, 3}, speed[3] = {0.5, 0.25, -1}, acc[3] = {2, -1, 0.5}, jrk[3] = {3, 1, -6};
    const double snap[3] = {9, -18, 4.5};
    double sx[3], sv[3];
    for (int c = 0; c < 3; c++) {
        half[c] = acc[c] / 2;
        sixth[c] = jrk[c] / 6;
        eighteenth[c] = snap[c] / 18;
        sx[c] = start[c];
        sv[c] = speed[c];
    }
    g6_open(0);
    g6_set_j_particle(0, 1, 7, t0, 0.5, 1, eighteenth, sixth, half, sv, sx);
    g6_set_j_particle_mxonly(0, 0, 8, 1, sx);
    g6_set_ti(0, ti);
    g6_get_predicted_j_particles(0, 2, px, pv);
    for (int c = 0; c < 3; c++) {
        const double place =
            start[c] + speed[c] * dt + acc[c] * pow(dt, 2) / 2 + jrk[c] * pow(dt, 3) / 6 + snap[c] * pow(dt, 4) / 24;
        const double motion = speed[c] + acc[c] * dt + jrk[c] * pow(dt, 2) / 2 + snap[c] * pow(dt, 3) / 6;
        assert_true(fabs(px[1][c] - place) < 1e-14); /* seen 0 */
        assert_true(fabs(pv[1][c] - motion) < 1e-14);
        assert_true(px[0][c] == start[c] && pv[0][c] == 0);
    }
}

/* Evaluations see what was written before them: one star at another place, at the same time as before. */
static void test_update(void **state)
{
    (void)state;
    vector kept_a[N];
    load("plummer", N, 2);
    send_all(0, N);
    sum_all(0, N, N, 1e-4);
    for (int k = 0; k < 3; k++) {
        x[5 + k][0] += 0.25;
        g6_set_j_particle(0, 5 + k, 5 + k, 0, 0, m[5 + k], zero[0], zero[0], zero[0], v[5 + k], x[5 + k]);
    }
    sum_all(0, N, N, 1e-4);
    memcpy(kept_a, a, sizeof kept_a);
    send_all(0, N);
    sum_all(0, N, N, 1e-4);
    assert_memory_equal(a, kept_a, sizeof a);
}

/* Stars of one index do not see each other, wherever they are in the memory; addresses in any order. */
static void test_indices(void **state)
{
    (void)state;
    load("plummer", N, 3);
    for (int i = 0; i < N; i++)
        index_of[i] = 100000 - 7 * (i / 2) - (i / 2 % 3) * 65536; /* pairs of stars, indices far apart and negative */
    send_all(0, N);
    sum_all(0, N, N, 1e-4);
    expect_reference(N, N, 1e-4);
    for (int i = 0; i < N; i++) {
        int best = -1;
        for (int k = 0; k < N; k++)
            if (index_of[k] != index_of[i] && (best < 0 || distance2(x[k], x[i]) < distance2(x[best], x[i])))
                best = k;
        assert_int_equal(nearest[i], index_of[best]);
    }
    /* a new index at an old address */
    index_of[4] = 12;
    g6_set_j_particle(0, 4, 12, 0, 0, m[4], zero[0], zero[0], zero[0], v[4], x[4]);
    sum_all(0, N, N, 1e-4);
    expect_reference(N, N, 1e-4);
}

/* How many targets are sent at once does not change a bit. */
static void test_pieces(void **state)
{
    (void)state;
    vector whole_a[N], whole_j[N];
    double whole_p[N];
    load("plummer", N, 4);
    send_all(0, N);
    sum_all(0, N, N, 1e-4);
    memcpy(whole_a, a, sizeof a);
    memcpy(whole_j, jerk, sizeof jerk);
    memcpy(whole_p, pot, sizeof pot);
    for (int i = 0; i < N; i += 7) {
        const int ni = N - i < 7 ? N - i : 7;
        g6_set_nip(0, ni);
        g6_set_njp(0, N);
        for (int k = 0; k < ni; k++)
            g6_set_i_particle(0, k, index_of[i + k], x[i + k], v[i + k], 1e-4, 0);
        int flag[7];
        assert_int_equal(g6_get_force(0, a + i, jerk + i, pot + i, flag), 0);
    }
    assert_memory_equal(a, whole_a, sizeof a);
    assert_memory_equal(jerk, whole_j, sizeof jerk);
    assert_memory_equal(pot, whole_p, sizeof pot);
}

static void test_neighbours(void **state)
{
    (void)state;
    int list[N], length;
    load("plummer", N, 5);
    send_all(0, N);
    for (int i = 0; i < N; i++)
        h2[i] = i % 3 ? 0.5 : i % 2 ? 1e9 : 0; /* some, all, none */
    sum_all(0, N, N, 0.01);
    assert_int_equal(g6_get_neighbour_list(0, 0, N, &length, list), -1); /* not read yet */
    assert_int_equal(g6_read_neighbour_list(0), 0);
    for (int i = 0; i < N; i++) {
        int found = 0;
        assert_int_equal(g6_get_neighbour_list(0, i, N, &length, list), 0);
        for (int k = 0; k < N; k++)
            if (k != i && distance2(x[k], x[i]) <= h2[i])
                assert_int_equal(list[found++], k);
        assert_int_equal(length, found);
    }
    /* all 299 others, more than hardware could hold; and too many for the caller */
    assert_int_equal(g6_get_neighbour_list(0, 3, N, &length, list), 0);
    assert_int_equal(length, N - 1);
    list[10] = -5;
    assert_int_equal(g6_get_neighbour_list(0, 3, 10, &length, list), 1);
    assert_int_equal(length, 10);
    assert_int_equal(list[10], -5);
    assert_non_null(strstr(g6_message(0), "299 neighbours"));
    assert_int_equal(g6_get_neighbour_list(0, N, N, &length, list), -1);
}

static void test_clusters(void **state)
{
    (void)state;
    vector first[N];
    load("plummer", N, 6);
    send_all(0, N);
    sum_all(0, N, N, 1e-4);
    memcpy(first, a, sizeof a);
    load("plummer", N, 7);
    send_all(1023, N);
    sum_all(1023, N, N, 1e-4);
    assert_true(a[0][0] != first[0][0]);
    load("plummer", N, 6);
    sum_all(0, N, N, 1e-4);
    assert_memory_equal(a, first, sizeof a);
    assert_int_equal(g6_open(1024), -1);
    assert_int_equal(g6_open(-1), -1);
    g6_close(1023);
}

/* What does not make sense gives NaN and a sentence, and the next evaluation works. */
static void test_failures(void **state)
{
    (void)state;
    load("plummer", 10, 8);
    send_all(0, 10);
    const double kept = x[3][1];
    x[3][1] = NAN;
    g6_set_j_particle(0, 3, 3, 0, 0, m[3], zero[0], zero[0], zero[0], v[3], x[3]);
    g6calc_firsthalf(0, 10, 10, index_of, x, v, zero, zero, pot, 0, h2);
    assert_int_equal(g6calc_lasthalf(0, 10, 10, index_of, x, v, 0, h2, a, jerk, pot), -1);
    assert_true(isnan(a[0][0]) && isnan(jerk[9][2]) && isnan(pot[5]));
    assert_true(*g6_message(0));
    x[3][1] = kept;
    g6_set_j_particle(0, 3, 3, 0, 0, m[3], zero[0], zero[0], zero[0], v[3], x[3]);
    sum_all(0, 10, 10, 0);
    assert_string_equal(g6_message(0), "");
    assert_int_equal(g6_set_j_particle(0, -1, 3, 0, 0, 1, zero[0], zero[0], zero[0], v[3], x[3]), -1);
    g6calc_firsthalf(0, 10, 10, index_of, x, v, zero, zero, pot, 0, h2);
    assert_int_equal(g6calc_lasthalf(0, 10, 10, index_of, x, v, 0, h2, a, jerk, pot), -1);
    g6calc_firsthalf(0, 10, 10, index_of, x, v, zero, zero, pot, -1, h2);
    assert_int_equal(g6calc_lasthalf(0, 10, 10, index_of, x, v, -1, h2, a, jerk, pot), -1);
    /* no sources, no force */
    g6_open(0);
    sum_all(0, 0, 10, 0);
    assert_true(a[0][0] == 0 && pot[9] == 0 && nearest[0] == -1);
}

/* C programs of some versions call the Fortran names. */
static void test_references(void **state)
{
    (void)state;
    const int cluster = 2, n = 50;
    const double ti = 0, eps2 = 1e-4;
    load("plummer", n, 9);
    g6_open_(&cluster);
    for (int i = 0; i < n; i++)
        g6_set_j_particle_(&cluster, &i, &i, &ti, &ti, &m[i], zero[0], zero[0], zero[0], v[i], x[i]);
    g6_set_ti_(&cluster, &ti);
    g6calc_firsthalf_(&cluster, &n, &n, index_of, x, v, zero, zero, pot, &eps2, h2);
    assert_int_equal(g6calc_lasthalf_(&cluster, &n, &n, index_of, x, v, &eps2, h2, a, jerk, pot), 0);
    expect_reference(n, n, eps2);
    assert_true(g6_npipes_() == g6_npipes() && g6_npipes() > 0);
}

/* The code of hermite.c and Myriad's own block steps follow the same rules. They round differently where they predict,
 * which close encounters make larger; in double arithmetic there is little to make larger. */
static void compare_orbits(int cluster, const char *arithmetic, double bar, int same_steps)
{
    enum { STARS = 128 };
    const double eps = 1.0 / 64, end = 1;
    setenv("MYRIAD_GRAPE_ARITHMETIC", arithmetic, 1); /* read when a cluster is first used */
    load("plummer", STARS, 10);
    myr_simulation *s = new_motion(make_model(context, "plummer", STARS, 10, NULL), arithmetic, eps, "hermite4",
                                   SETTINGS({"eta", 0.01, NULL}));
    run_to(context, s, end);
    const bodies b = bodies_now(context, s);
    hermite_cluster c = {STARS, eps * eps, 0.01, 0.125, x, v, m, cluster, 0, 0};
    if (hermite_move(&c, end))
        fail_msg("%s", g6_message(cluster));
    double worst = 0;
    for (int i = 0; i < STARS; i++)
        for (int k = 0; k < 3; k++) {
            keep_largest(&worst, fabs(x[i][k] - b.x[k][i]));
            keep_largest(&worst, fabs(v[i][k] - b.v[k][i]));
        }
    printf("orbits, %s: %.2e\n", arithmetic, worst);
    expect_below(arithmetic, worst, bar);
    if (same_steps) {
        assert_int_equal(c.blocks, progress_of(context, s).steps);
        assert_int_equal(c.steps, progress_of(context, s).particle_steps);
    }
    myr_simulation_destroy(&s);
    unsetenv("MYRIAD_GRAPE_ARITHMETIC");
}

static void test_orbits(void **state)
{
    (void)state;
    const char *backend = getenv("MYRIAD_GRAPE_BACKEND");
    if (backend &&
        strcmp(backend, "cuda") == 0) {         /* a GPU rounds as it likes; Myriad's own orbits are the processor's */
        compare_orbits(0, "mixed", 5e-7, 0);    /* seen 1.4e-7 */
        compare_orbits(10, "mixed", 5e-7, 0);   /* seen 1.4e-7 */
        compare_orbits(11, "double", 2e-14, 0); /* seen 5.1e-15 */
        return;
    }
    compare_orbits(0, "mixed", 1.2e-7, 0);  /* seen 3.1e-8: its grids are those that the tests before needed */
    compare_orbits(10, "mixed", 1e-12, 1);  /* seen 0 */
    compare_orbits(11, "double", 1e-12, 1); /* seen 0 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forces),   cmocka_unit_test(test_prediction), cmocka_unit_test(test_update),
        cmocka_unit_test(test_indices),  cmocka_unit_test(test_pieces),     cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_clusters), cmocka_unit_test(test_failures),   cmocka_unit_test(test_references),
        cmocka_unit_test(test_orbits),
    };
    context = new_context();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    myr_context_destroy(&context);
    return failed;
}
