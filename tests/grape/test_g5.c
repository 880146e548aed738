/* test_g5.c - the GRAPE-5 calls: memory, softening, boards, what is refused; and a tree code that knows nothing else
 * gets the forces of Myriad's own sums. */
#include <pthread.h>

#include <g5.h>
#include <g5_fortran.h>

#include "physics/models.h"
#include "tree.h"

enum { N = 2000 };

typedef double vector[3];

static myr_context *context;
static vector x[N], a[N], want[N];
static double m[N], p[N], want_p[N], size_of[N];

static void load(int n, uint64_t seed)
{
    myr_particles *set = make_model(context, "plummer", n, seed, NULL);
    const bodies b = bodies_of(set);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++)
            x[i][c] = b.x[c][i];
        m[i] = b.m[i];
    }
    myr_particles_destroy(&set);
}

static double length(const double u[3])
{
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* The sums of g5.h for target i over sources [0, n), the one at its own place too. */
static void reference(int i, int n, double eps2)
{
    memset(want[i], 0, sizeof want[i]);
    want_p[i] = size_of[i] = 0;
    for (int k = 0; k < n; k++) {
        vector r;
        for (int c = 0; c < 3; c++)
            r[c] = x[k][c] - x[i][c];
        const double s = length(r) * length(r) + eps2;
        if (s == 0)
            continue;
        for (int c = 0; c < 3; c++)
            want[i][c] += m[k] * r[c] / (s * sqrt(s));
        want_p[i] += m[k] / sqrt(s);
        size_of[i] += m[k] * length(r) / (s * sqrt(s));
    }
}

static void expect_reference(int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        const vector d = {a[i][0] - want[i][0], a[i][1] - want[i][1], a[i][2] - want[i][2]};
        keep_largest(&worst, length(d) / size_of[i]);
        keep_largest(&worst, fabs(p[i] / want_p[i] - 1));
    }
    expect_below("forces against double sums", worst, 8e-7); /* seen 1.7e-7 */
}

/* Sources written in pieces at addresses that are not where they come from. */
static void test_memory(void **state)
{
    (void)state;
    const int n = 300;
    load(n, 1);
    g5_open();
    g5_set_eps_to_all(0.01);
    g5_set_xmj(100, 150, x + 100, m + 100);
    g5_set_jp(250, 50, m + 250, x + 250);
    g5_set_xj(0, 100, x);
    g5_set_mj(0, 100, m);
    g5_set_n(n);
    g5_calculate_force_on_x(x, a, p, n);
    for (int i = 0; i < n; i++)
        reference(i, n, 1e-4);
    expect_reference(n);
    /* fewer of them, then another one at an address that has been read already */
    g5_set_n(120);
    g5_calculate_force_on_x(x, a, p, n);
    for (int i = 0; i < n; i++)
        reference(i, 120, 1e-4);
    expect_reference(n);
    m[7] *= 50;
    x[7][1] += 1;
    g5_set_xmj(7, 1, x + 7, m + 7);
    g5_calculate_force_on_x(x, a, p, n);
    for (int i = 0; i < n; i++)
        reference(i, 120, 1e-4);
    expect_reference(n);
    g5_close();
}

/* In pieces, by set_xi, run and get_force: the same bits. More targets than pipelines are no error. */
static void test_pieces(void **state)
{
    (void)state;
    const int n = 1000, pipes = 32;
    vector piece[N];
    double piece_p[N];
    load(n, 2);
    g5_open();
    g5_set_eps2_to_all(1e-4);
    g5_set_xmj(0, n, x, m);
    g5_set_n(n);
    g5_calculate_force_on_x(x, a, p, n);
    for (int i = 0; i < n; i += pipes) {
        const int ni = n - i < pipes ? n - i : pipes;
        g5_set_xi(ni, x + i);
        g5_run();
        g5_get_force(ni, piece + i, piece_p + i);
    }
    assert_memory_equal(a, piece, (size_t)n * sizeof *a);
    assert_memory_equal(p, piece_p, (size_t)n * sizeof *p);
    assert_true(g5_get_number_of_pipelines() > 0 && g5_get_jmemsize() > n);
}

/* Softening of each target; none at all, where a body does not see itself. */
static void test_softening(void **state)
{
    (void)state;
    const int n = 200;
    double eps[N], eps2[N];
    load(n, 3);
    g5_open();
    g5_set_xmj(0, n, x, m);
    g5_set_n(n);
    for (int i = 0; i < n; i++) {
        eps[i] = 0.01 * (1 + i % 3);
        eps2[i] = eps[i] * eps[i];
        reference(i, n, eps2[i]);
    }
    g5_set_ip(n, x, eps, eps);
    g5_run();
    g5_get_force(n, a, p);
    expect_reference(n);
    g5_set_eps2(n, eps2);
    g5_calculate_force_on_x(x, a, p, n);
    expect_reference(n);
    g5_set_eps_to_all(0);
    g5_calculate_force_on_x(x, a, p, n);
    for (int i = 0; i < n; i++)
        reference(i, n, 0);
    expect_reference(n);
}

typedef struct {
    int board, n;
    vector *a;
    double *p;
} errand;

static void *run_board(void *argument)
{
    const errand *e = argument;
    for (int k = 0; k < 20; k++) {
        const int from = e->board * 300;
        g5_set_xmjMC(e->board, 0, e->n, x + from, m + from);
        g5_set_nMC(e->board, e->n);
        g5_calculate_force_on_xMC(e->board, x + from, e->a, e->p, e->n);
    }
    return NULL;
}

/* Two threads, a board each, opened by use; the softening was set for all before. */
static void test_boards(void **state)
{
    (void)state;
    static vector result_a[2][300];
    static double result_p[2][300];
    const int n = 300;
    pthread_t thread[2];
    load(2 * n, 4);
    g5_set_eps_to_all(0.02);
    errand e[2] = {{0, n, result_a[0], result_p[0]}, {1, n, result_a[1], result_p[1]}};
    for (int k = 0; k < 2; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, run_board, &e[k]), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(thread[k], NULL);
    for (int k = 0; k < 2; k++) {
        memmove(x, x + k * n, (size_t)n * sizeof *x);
        memmove(m, m + k * n, (size_t)n * sizeof *m);
        memcpy(a, result_a[k], sizeof result_a[k]);
        memcpy(p, result_p[k], sizeof result_p[k]);
        for (int i = 0; i < n; i++)
            reference(i, n, 4e-4);
        expect_reference(n);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    double xmin, xmax, mmin;
    load(10, 5);
    g5_open();
    g5_set_range(-4, 4, 0.1);
    g5_get_range(&xmin, &xmax, &mmin);
    assert_true(xmin == -4 && xmax == 4 && mmin == 0.1);
    g5_set_xmj(0, 10, x, m);
    g5_set_n(10);
    g5_set_eta(0.1);
    g5_calculate_force_on_x(x, a, p, 10);
    assert_true(isnan(a[0][0]) && isnan(p[9]));
    assert_non_null(strstr(g5_message(), "cutoff"));
    g5_open();
    g5_set_xmj(0, 10, x, m);
    g5_set_n(10);
    g5_set_eps_to_all(0.1);
    g5_calculate_force_on_x(x, a, p, 10);
    assert_true(isfinite(a[0][0]));
    assert_string_equal(g5_message(), "");
    g5_set_xmj(-1, 1, x, m);
    g5_calculate_force_on_x(x, a, p, 10);
    assert_true(isnan(a[0][0]) && *g5_message());
    g5_open();
    x[3][0] = INFINITY;
    g5_set_xmj(0, 10, x, m);
    g5_set_n(10);
    g5_calculate_force_on_x(x + 4, a, p, 1);
    assert_true(isnan(a[0][0]) && *g5_message());
    g5_openMC(5000);
    assert_true(*g5_messageMC(5000));
    /* no sources */
    g5_open();
    g5_calculate_force_on_x(x, a, p, 1);
    assert_true(a[0][0] == 0 && p[0] == 0);
}

/* C programs of some versions call the Fortran names. */
static void test_references(void **state)
{
    (void)state;
    const int n = 100, zero = 0;
    const double eps = 0.01;
    load(n, 6);
    g5_open_();
    g5_set_eps_to_all_(&eps);
    g5_set_xmj_(&zero, &n, x, m);
    g5_set_n_(&n);
    g5_calculate_force_on_x_(x, a, p, &n);
    for (int i = 0; i < n; i++)
        reference(i, n, 1e-4);
    expect_reference(n);
}

/* Root of the mean square of the relative errors of the tree code's accelerations against Myriad's direct sum. */
static double tree_error(double theta, tree_bodies *b)
{
    double sum = 0;
    b->theta = theta;
    assert_int_equal(tree_forces(b), 0);
    for (int i = 0; i < b->n; i++) {
        const vector d = {a[i][0] - want[i][0], a[i][1] - want[i][1], a[i][2] - want[i][2]};
        sum += pow(length(d) / length(want[i]), 2) / b->n;
    }
    return sqrt(sum);
}

static void test_tree(void **state)
{
    (void)state;
    myr_particles *set = make_model(context, "plummer", N, 7, NULL);
    double worst = 0;
    load(N, 7);
    evaluate(context, "gravity_potential", "double", "eps", 0.01, set, set);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++)
            want[i][c] = result(set, "acceleration", c)[i];
        want_p[i] = result(set, "potential", 0)[i];
    }
    tree_bodies b = {.n = N, .x = x, .m = m, .eps = 0.01, .group = 64, .a = a, .potential = p};
    expect_below("tree, all cells opened", tree_error(0, &b), 3e-7); /* seen 6.1e-8 */
    assert_int_equal(b.pairs, (long)N * N);
    for (int i = 0; i < N; i++)
        keep_largest(&worst, fabs(p[i] / want_p[i] - 1));
    expect_below("tree, all cells opened: potentials", worst, 4e-7);  /* seen 8e-8 */
    expect_below("tree, theta = 0.75", tree_error(0.75, &b), 1.5e-2); /* seen 4.2e-3 */
    assert_true(b.pairs < (long)N * N / 2);
    expect_below("tree, theta = 0.5", tree_error(0.5, &b), 4e-3); /* seen 1.1e-3 */
    myr_particles_destroy(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), cmocka_unit_test(test_pieces),   cmocka_unit_test(test_softening),
        cmocka_unit_test(test_boards), cmocka_unit_test(test_refusals), cmocka_unit_test(test_references),
        cmocka_unit_test(test_tree),
    };
    context = new_context();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    myr_context_destroy(&context);
    return failed;
}
