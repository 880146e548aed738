/* mesh_window.c - window of Kaiser and Bessel; see mesh_window.h. */
#include "method/mesh/mesh_window.h"

#include <math.h>
#include <string.h>

/* I0(x) exp(-|x|), by the power series; terms fall quickly for the arguments of a window, at most 60. */
static double window_bessel(double x)
{
    double term = 1, sum = 1;
    for (int m = 1; m < 200 && term > 1e-18 * sum; m++) {
        term *= 0.25 * x * x / ((double)m * m);
        sum += term;
    }
    return sum * exp(-fabs(x));
}

double myr_mesh_window_value(int width, double beta, double x)
{
    const double z = 2 * x / width, inside = 1 - z * z;
    if (inside < 0)
        return 0;
    const double root = beta * sqrt(inside);
    return window_bessel(root) / window_bessel(beta) * exp(root - beta);
}

double myr_mesh_window_transform(int width, double beta, double theta)
{
    const double a = 0.5 * width * theta, q2 = beta * beta - a * a, q = sqrt(fabs(q2));
    const double unit = width / window_bessel(beta); /* of I0(beta) exp(-beta) */
    if (q < 1e-4)
        return unit * exp(-beta) * (1 + q2 / 6);
    return unit * (q2 > 0 ? 0.5 * (exp(q - beta) - exp(-q - beta)) / q : exp(-beta) * sin(q) / q);
}

double myr_mesh_window_node(int degree, int i)
{
    return cos(acos(-1.0) * (i + 0.5) / (degree + 1));
}

/* Sums of Chebyshev polynomials, written as powers. */
void myr_mesh_window_polynomial(int degree, const double *value, double *power)
{
    const int n = degree + 1;
    const double pi = acos(-1.0);
    double before[MYR_MESH_DEGREES] = {1}, now[MYR_MESH_DEGREES] = {0, 1};
    memset(power, 0, (size_t)n * sizeof *power);
    for (int j = 0; j < n; j++) {
        double sum = 0, next[MYR_MESH_DEGREES] = {0};
        for (int i = 0; i < n; i++)
            sum += value[i] * cos(pi * j * (i + 0.5) / n);
        sum *= (j ? 2.0 : 1.0) / n;
        for (int m = 0; m < n; m++) {
            power[m] += sum * before[m];
            next[m] = (m ? 2 * now[m - 1] : 0) - before[m];
        }
        memcpy(before, now, sizeof before);
        memcpy(now, next, sizeof now);
    }
}

void myr_mesh_window_make(int width, double beta, myr_mesh_window *window)
{
    const int degree = width + 5 < MYR_MESH_DEGREES ? width + 5 : MYR_MESH_DEGREES - 1;
    *window = (myr_mesh_window){.width = width, .degree = degree, .beta = beta};
    for (int k = 0; k < width; k++) {
        double value[MYR_MESH_DEGREES] = {0}, power[MYR_MESH_DEGREES];
        for (int i = 0; i <= degree; i++)
            value[i] =
                myr_mesh_window_value(width, beta, k + 0.5 * (1 + myr_mesh_window_node(degree, i)) - 0.5 * width);
        myr_mesh_window_polynomial(degree, value, power);
        for (int j = 0; j <= degree; j++)
            window->coefficient[j][k] = power[j];
    }
}
