/* sapporo.c - uses libsapporo as AMUSE's ph4 and PhiGRAPE do: it asks for devices, sends bodies under arbitrary
 * numbers, evaluates in pieces of g6_npipes_() targets and reads neighbours, by the names for Fortran alone. Among the
 * bodies are massless ones, which feel the others and are felt by nobody. Sums are compared with plain ones in double.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sapporo.h>

enum { N = 700, MASSLESS = 90, PIPES = 512 };

static double x[N][3], v[N][3], m[N], acc[N][3], jerk[N][3], pot[N], h2[N];
static int id[N], nearest[N], failures;

static void expect(const char *what, double found, double wanted, double bar)
{
    if (fabs(found - wanted) <= bar)
        return;
    printf("%s: %.9g instead of %.9g\n", what, found, wanted);
    failures++;
}

/* Uniform numbers in (-1, 1). */
static double uniform(void)
{
    static unsigned long long state = 12345;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

/* Bodies in a cube; the last MASSLESS of them have no mass. Numbers are not addresses. */
static void make_bodies(void)
{
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++) {
            x[i][c] = uniform();
            v[i][c] = 0.1 * uniform();
        }
        m[i] = i < N - MASSLESS ? 1.0 / N : 0;
        id[i] = 5000 - 3 * i;
        h2[i] = 0.02;
    }
}

/* Sends the first nj bodies and evaluates all N. */
static void evaluate(int cluster, int nj, double eps2)
{
    static double old[PIPES][3], phi[PIPES];
    double zero[3] = {0}, t = 0, dt = 0.125;
    const int pipes = g6_npipes_();
    if (pipes < 1 || pipes > PIPES) {
        printf("%d pipes\n", pipes);
        exit(1);
    }
    expect("g6_open_", g6_open_(&cluster), 0, 0);
    for (int j = 0; j < nj; j++)
        expect("g6_set_j_particle_",
               g6_set_j_particle_(&cluster, &j, &id[j], &t, &dt, &m[j], zero, zero, zero, v[j], x[j]), 0, 0);
    g6_set_ti_(&cluster, &t);
    for (int i = 0; i < N; i += pipes) {
        const int ni = N - i < pipes ? N - i : pipes;
        g6calc_firsthalf_(&cluster, &nj, &ni, id + i, x + i, v + i, old, old, phi, &eps2, h2 + i);
        expect("g6calc_lasthalf2_",
               g6calc_lasthalf2_(&cluster, &nj, &ni, id + i, x + i, v + i, &eps2, h2 + i, acc + i, jerk + i, pot + i,
                                 nearest + i),
               0, 0);
    }
}

static double distance2(int i, int j)
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (x[j][c] - x[i][c]) * (x[j][c] - x[i][c]);
    return r2;
}

/* Worst error of acceleration, jerk and potential of target i, in units of the sum of the sizes of their terms. */
static double error_of(int i, double eps2)
{
    double sum[7] = {0}, size[3] = {0}, worst = 0;
    for (int j = 0; j < N; j++) {
        if (j == i)
            continue;
        const double s = distance2(i, j) + eps2, w = m[j] / (s * sqrt(s));
        double ru = 0, a2 = 0, j2 = 0;
        for (int c = 0; c < 3; c++)
            ru += (x[j][c] - x[i][c]) * (v[j][c] - v[i][c]);
        for (int c = 0; c < 3; c++) {
            const double r = x[j][c] - x[i][c], a = w * r, k = w * (v[j][c] - v[i][c] - 3 * ru / s * r);
            sum[c] += a;
            sum[3 + c] += k;
            a2 += a * a;
            j2 += k * k;
        }
        sum[6] -= m[j] / sqrt(s);
        size[0] += sqrt(a2);
        size[1] += sqrt(j2);
        size[2] += m[j] / sqrt(s);
    }
    for (int c = 0; c < 3; c++) {
        worst = fmax(worst, fabs(acc[i][c] - sum[c]) / size[0]);
        worst = fmax(worst, fabs(jerk[i][c] - sum[3 + c]) / size[1]);
    }
    return fmax(worst, fabs(pot[i] - sum[6]) / size[2]);
}

static void try_forces(void)
{
    const double eps2 = 1e-4;
    double worst = 0;
    evaluate(0, N, eps2);
    for (int i = 0; i < N; i++)
        worst = fmax(worst, error_of(i, eps2));
    printf("forces: %.2e\n", worst);
    expect("forces", worst, 0, 1e-6); /* seen 2.4e-7 in mixed arithmetic */
}

/* Without the massless bodies among the sources all get the same sums, but for the grid onto which `fixed` rounds their
 * terms, which depends on the number of sources. */
static void try_massless(void)
{
    static double acc_all[N][3], jerk_all[N][3], pot_all[N];
    const double eps2 = 1e-4;
    double worst = 0, size = 0;
    evaluate(1, N, eps2);
    memcpy(acc_all, acc, sizeof acc);
    memcpy(jerk_all, jerk, sizeof jerk);
    memcpy(pot_all, pot, sizeof pot);
    evaluate(2, N - MASSLESS, eps2);
    for (int i = 0; i < N; i++) {
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(acc_all[i][c] - acc[i][c]));
            worst = fmax(worst, fabs(jerk_all[i][c] - jerk[i][c]));
        }
        worst = fmax(worst, fabs(pot_all[i] - pot[i]));
        size += fabs(pot[i]) / N;
    }
    printf("massless: %.2e of %.2g\n", worst, size);
    expect("felt by nobody", worst, 0, 8e-12); /* seen 1.7e-12; the mean potential is 1 */
    expect("massless ones feel", pot[N - 1] < -0.1, 1, 0);
}

/* Nearest bodies and neighbours within h, by their numbers; massless ones count. */
static void try_neighbours(void)
{
    static int list[N];
    const int cluster = 3, pipes = g6_npipes_(), nb_max = N;
    const int last = N - (N - 1) / pipes * pipes, first = N - last; /* those of the last evaluation */
    evaluate(cluster, N, 0);
    expect("g6_read_neighbour_list_", g6_read_neighbour_list_(&cluster), 0, 0);
    for (int i = 0; i < last; i++) {
        int n = 0, found = 0, best = -1;
        for (int j = 0; j < N; j++)
            if (j != first + i) {
                found += distance2(first + i, j) <= h2[first + i];
                best = best < 0 || distance2(first + i, j) < distance2(first + i, best) ? j : best;
            }
        expect("g6_get_neighbour_list_", g6_get_neighbour_list_(&cluster, &i, &nb_max, &n, list), 0, 0);
        expect("neighbours", n, found, 0);
        expect("nearest", nearest[first + i], id[best], 0);
        for (int k = 1; k < n; k++)
            expect("ascending", list[k] > list[k - 1], 1, 0);
    }
}

int main(void)
{
    expect("devices", get_device_count() >= 1, 1, 0);
    make_bodies();
    try_forces();
    force_j_particle_send();
    try_massless();
    try_neighbours();
    for (int cluster = 0; cluster < 4; cluster++)
        g6_close_(&cluster);
    printf("%d failures\n", failures);
    return failures != 0;
}
