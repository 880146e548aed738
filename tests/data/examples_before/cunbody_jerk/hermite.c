/* hermite.c - a user of the call of paper 002, Fig. A.2: 256 stars of a Plummer sphere, integrated with the Hermite
 * scheme of fourth order (Makino and Aarseth 1992) from acceleration and jerk. Prints the largest errors of the first
 * call against sums in double, and how well the energy is conserved; fails if either is worse than it should be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cunbody_jerk.h>

#define N 256
#define STEPS 512
#define EPS2 (1.0 / (256.0 * 256.0))

static double x[N][3], v[N][3], m[N], p[N], a[N][3], jk[N][3];

static double uniform(void)
{
    return (rand() + 0.5) / (RAND_MAX + 1.0);
}

static void direction(double size, double to[3])
{
    const double z = 2 * uniform() - 1, angle = 2 * acos(-1.0) * uniform();
    to[0] = size * sqrt(1 - z * z) * cos(angle);
    to[1] = size * sqrt(1 - z * z) * sin(angle);
    to[2] = size * z;
}

/* A Plummer sphere in N-body units. */
static void initial_condition(void)
{
    const double scale = 3 * acos(-1.0) / 16;
    srand(1);
    for (int i = 0; i < N; i++) {
        const double r = 1 / sqrt(pow(0.999 * uniform(), -2.0 / 3) - 1);
        double q, g;
        do {
            q = uniform();
            g = 0.1 * uniform();
        } while (g > q * q * pow(1 - q * q, 3.5));
        direction(scale * r, x[i]);
        direction(q * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(scale), v[i]);
        m[i] = 1.0 / N;
    }
}

/* The self potential -256 m that the call includes is taken off. */
static double energy(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += 0.5 * m[i] * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2] + p[i] + 256 * m[i]);
    return sum;
}

/* Largest error of a result with `dims` components against the reference, relative to the largest value. */
static double largest_error(const double *got, const double *want, int dims)
{
    double error = 0, size = 0;
    for (int k = 0; k < N * dims; k++) {
        error = fmax(error, fabs(got[k] - want[k]));
        size = fmax(size, fabs(want[k]));
    }
    return error / size;
}

/* The same sums in double, as Fig. A.4 prints them. */
static int check(void)
{
    static double hp[N], ha[N][3], hj[N][3];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double r2 = EPS2, rv = 0;
            for (int d = 0; d < 3; d++) {
                r2 += (x[j][d] - x[i][d]) * (x[j][d] - x[i][d]);
                rv += (x[j][d] - x[i][d]) * (v[j][d] - v[i][d]);
            }
            const double mf = m[j] / (r2 * sqrt(r2));
            hp[i] -= m[j] / sqrt(r2);
            for (int d = 0; d < 3; d++) {
                ha[i][d] += mf * (x[j][d] - x[i][d]);
                hj[i][d] += mf * ((v[j][d] - v[i][d]) - 3 * rv / r2 * (x[j][d] - x[i][d]));
            }
        }
    const double ea = largest_error(a[0], ha[0], 3), ej = largest_error(jk[0], hj[0], 3), ep = largest_error(p, hp, 1);
    printf("largest error of acceleration %.1e, jerk %.1e, potential %.1e\n", ea, ej, ep);
    return !(ea < 3e-6 && ej < 5e-6 && ep < 1e-6); /* 6.6e-7, 9.6e-7, 3.2e-7 in plain C */
}

/* Predict, evaluate, correct. */
static void step(double dt)
{
    static double x0[N][3], v0[N][3], a0[N][3], j0[N][3];
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++) {
            x0[i][d] = x[i][d];
            v0[i][d] = v[i][d];
            a0[i][d] = a[i][d];
            j0[i][d] = jk[i][d];
            x[i][d] += dt * (v[i][d] + dt / 2 * (a[i][d] + dt / 3 * jk[i][d]));
            v[i][d] += dt * (a[i][d] + dt / 2 * jk[i][d]);
        }
    force(x, v, m, p, a, jk, N);
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++) {
            v[i][d] = v0[i][d] + dt / 2 * (a0[i][d] + a[i][d]) + dt * dt / 12 * (j0[i][d] - jk[i][d]);
            x[i][d] = x0[i][d] + dt / 2 * (v0[i][d] + v[i][d]) + dt * dt / 12 * (a0[i][d] - a[i][d]);
        }
}

int main(void)
{
    cunbody_threads(1); /* 256 bodies are few */
    initial_condition();
    force(x, v, m, p, a, jk, N);
    const int wrong = check();
    const double before = energy();
    for (int k = 0; k < STEPS; k++)
        step(0.25 / STEPS);
    force(x, v, m, p, a, jk, N);
    const double change = fabs(energy() / before - 1);
    printf("energy %.6f at t = 0; relative change at t = 0.25: %.1e\n", before, change);
    return wrong || !(change < 1e-7); /* 2.6e-8 in plain C */
}
