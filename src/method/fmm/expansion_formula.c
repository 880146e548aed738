/* expansion_formula.c - harmonics, translation matrices and rotation matrices, computed in double from their
 * formulas. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/elementary.h"
#include "method/fmm/expansion_operators.h"

#define AT(n, m) myr_expansion_at(n, m)

enum { ORDER = MYR_EXPANSION_ORDER + 2 };

void myr_expansion_regular(int order, const double x[3], double *value)
{
    const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    double c = 1, s = 0; /* H_mm and H_m,-m */
    for (int m = 0; m < order; m++) {
        if (m) {
            const double f = m < 2 ? 1 : sqrt((2.0 * m - 1) / (2.0 * m)), t = f * (c * x[0] - s * x[1]);
            s = f * (c * x[1] + s * x[0]);
            c = t;
        }
        for (int k = 0; k < (m ? 2 : 1); k++) {
            double before = 0, now = k ? s : c;
            for (int n = m; n < order; n++) {
                value[AT(n, k ? -m : m)] = now;
                const double next = ((2 * n + 1) * x[2] * now - sqrt((double)(n * n - m * m)) * r2 * before) /
                                    sqrt((n + 1.0) * (n + 1) - m * m);
                before = now;
                now = next;
            }
        }
    }
}

void myr_expansion_irregular(int order, const double x[3], double *value)
{
    const double r2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], r = sqrt(r2);
    const double y[3] = {x[0] / r2, x[1] / r2, x[2] / r2};
    myr_expansion_regular(order, y, value);
    for (int k = 0; k < order * order; k++)
        value[k] /= r;
}

/* root[n] = sqrt(n!) */
typedef struct {
    double root[4 * ORDER];
} factorials;

static factorials factorials_make(void)
{
    factorials f;
    double product = 1;
    for (int n = 0; n < 4 * ORDER; n++) {
        product *= n ? n : 1;
        f.root[n] = sqrt(product);
    }
    return f;
}

/* sqrt((n-m)! (n+m)!) */
static double norm(const factorials *f, int n, int m)
{
    return f->root[n - m] * f->root[n + m];
}

/* Complex harmonics of any sign of m from the real ones: R_n^m = r^n P_n^m e^(im phi)/(n+m)! from the regular
 * harmonics, S_n^m = (n-m)! P_n^m e^(im phi)/r^(n+1) from the irregular ones. */
static double complex signed_m(double complex value, int m)
{
    return m >= 0 ? value : m % 2 ? -conj(value) : conj(value);
}

static double complex regular_complex(const factorials *f, const double *h, int n, int m)
{
    const int a = abs(m);
    if (n < 0 || a > n)
        return 0;
    return signed_m(a ? (h[AT(n, a)] + I * h[AT(n, -a)]) / (sqrt(2.0) * norm(f, n, a)) : h[AT(n, 0)] / norm(f, n, 0),
                    m);
}

static double complex irregular_complex(const factorials *f, const double *h, int n, int m)
{
    const int a = abs(m);
    if (a > n)
        return 0;
    return signed_m(a ? (h[AT(n, a)] + I * h[AT(n, -a)]) * norm(f, n, a) / sqrt(2.0) : h[AT(n, 0)] * norm(f, n, 0), m);
}

/* Complex moment M_n^m of a series whose real moment (n, k), |k| = |m|, is 1 and whose other moments are 0. */
static double complex unit_moment(const factorials *f, int n, int k, int m)
{
    const int a = abs(k);
    return a ? signed_m((k > 0 ? 1 : -I) / (sqrt(2.0) * norm(f, n, a)), m) : 1 / norm(f, n, 0);
}

void myr_expansion_matrix(int order, const double d[3], double *matrix)
{
    double far[4 * ORDER * ORDER];
    myr_expansion_irregular(2 * order - 1, d, far);
    myr_expansion_matrix_of(order, far, matrix);
}

void myr_expansion_matrix_of(int order, const double *irregular, double *matrix)
{
    const factorials f = factorials_make();
    for (int j = 0; j < order; j++)
        for (int k = -j; k <= j; k++)
            for (int n = 0; n < order; n++)
                for (int m = -n; m <= n; m++) { /* L_j^k = (-1)^j sum M_n^m S_{n+j}^{m+k}(d) */
                    const int a = abs(m), b = abs(k);
                    double complex l = unit_moment(&f, n, m, a) * irregular_complex(&f, irregular, n + j, a + b);
                    if (a)
                        l += unit_moment(&f, n, m, -a) * irregular_complex(&f, irregular, n + j, b - a);
                    const double real =
                        k ? sqrt(2.0) / norm(&f, j, b) * (k > 0 ? creal(l) : cimag(l)) : creal(l) / norm(&f, j, 0);
                    matrix[(int64_t)AT(j, k) * order * order + AT(n, m)] = j % 2 ? -real : real;
                }
}

void myr_expansion_shift(int order, const double c[3], double *matrix)
{
    const factorials f = factorials_make();
    double near[ORDER * ORDER];
    myr_expansion_regular(order, c, near);
    memset(matrix, 0, sizeof *matrix * (size_t)order * (size_t)order * (size_t)order * (size_t)order);
    for (int n = 0; n < order; n++)
        for (int m = -n; m <= n; m++)
            for (int k = 0; k <= n; k++)
                for (int l = -k; l <= k; l++) { /* moments are conj R: M_n^a = sum_l conj R_{n-k}^{a-l}(c) M_k^l */
                    const int a = abs(m), b = abs(l);
                    double complex v = conj(regular_complex(&f, near, n - k, a - b)) * unit_moment(&f, k, l, b);
                    if (b)
                        v += conj(regular_complex(&f, near, n - k, a + b)) * unit_moment(&f, k, l, -b);
                    matrix[(int64_t)AT(n, m) * order * order + AT(k, l)] =
                        a ? sqrt(2.0) * norm(&f, n, a) * (m > 0 ? creal(v) : -cimag(v)) : norm(&f, n, 0) * creal(v);
                }
}

void myr_expansion_axial(int order, double distance, double *matrix)
{
    const factorials f = factorials_make();
    double power[2 * ORDER] = {0};
    power[0] = 1 / distance;
    for (int k = 1; k < 2 * order; k++)
        power[k] = power[k - 1] / distance;
    for (int m = 0; m < order; m++)
        for (int n = m; n < order; n++)
            for (int j = m; j < order; j++) {
                const double size = f.root[n + j] / norm(&f, j, m) * (f.root[n + j] / norm(&f, n, m)) * power[n + j];
                *matrix++ = (j + m) % 2 ? -size : size;
            }
}

/* --- rotations ---------------------------------------------------------------------------------------------------- */

typedef struct {
    double cosine, cosine_half, sine_half;
} rotation_angle;

static rotation_angle angle_make(double cosine, double sine)
{
    rotation_angle a = {cosine, 0, 0};
    if (cosine > 0) { /* computes the smaller one of the half-angle sine and cosine without cancellation */
        a.cosine_half = sqrt((1 + cosine) / 2);
        a.sine_half = sine / (2 * a.cosine_half);
    } else {
        a.sine_half = sqrt((1 - cosine) / 2);
        a.cosine_half = sine / (2 * a.sine_half);
    }
    return a;
}

/* Wigner matrix element d^n_mk at the lowest degree n = max(|m|, |k|): a monomial in sine and cosine of the half
 * angle. */
static double wigner_first(const factorials *f, const rotation_angle *a, int m, int k)
{
    const int by_m = abs(m) >= abs(k), n = by_m ? abs(m) : abs(k);
    const int large = by_m ? m : k, small = by_m ? k : m;
    const int e1 = large >= 0 ? n + small : n - small, e2 = 2 * n - e1;
    const int negative = by_m ? m >= 0 && e2 % 2 : k < 0 && e2 % 2;
    const double size = f->root[2 * n] / (f->root[e1] * f->root[e2]);
    const double value =
        size * myr_elementary_whole_power(a->cosine_half, e1) * myr_elementary_whole_power(a->sine_half, e2);
    return negative ? -value : value;
}

/* Wigner matrix elements d^n_mk for all degrees n < order by the upward three-term recurrence in n, which is stable for
 * every angle (tests) and divides by nothing that vanishes. d[n] has shape [2n+1][2n+1] and starts at the sum of
 * (2i+1)^2 for i < n. */
static void wigner(int order, const rotation_angle *a, double *d)
{
    const factorials f = factorials_make();
    for (int m = 1 - order; m < order; m++)
        for (int k = 1 - order; k < order; k++) {
            const int first = abs(m) > abs(k) ? abs(m) : abs(k);
            double before = 0, now = wigner_first(&f, a, m, k);
            for (int n = first; n < order; n++) {
                const double next = n + 1, all = sqrt((next * next - m * m) * (next * next - k * k));
                const double tilt = n ? (double)m * k / (n * next) : 0;
                const double last = n ? sqrt(((double)n * n - m * m) * ((double)n * n - k * k)) * next / n : 0;
                d[(4 * n * n - 1) * n / 3 + (m + n) * (2 * n + 1) + k + n] = now;
                const double value = (next * (2 * n + 1) * (a->cosine - tilt) * now - last * before) / all;
                before = now;
                now = value;
            }
        }
}

int myr_expansion_rotation(int order, double cosine, double sine, double *matrix)
{
    const rotation_angle angle = angle_make(cosine, sine);
    double *all = calloc((size_t)(4 * order * order) * (size_t)order / 3 + 1, sizeof *all);
    if (!all)
        return 0;
    wigner(order, &angle, all);
    for (int n = 0; n < order; n++) {
        const double *d = all + (4 * n * n - 1) * n / 3;
        double *cosines = matrix + n * (2 * n * n + 1) / 3, *sines = cosines + (n + 1) * (n + 1);
        for (int m = 0; m <= n; m++)
            for (int k = 0; k <= n; k++) {
                const double plus = d[(m + n) * (2 * n + 1) + n + k];
                const double minus = (k % 2 ? -1 : 1) * d[(m + n) * (2 * n + 1) + n - k];
                cosines[m * (n + 1) + k] = (m ? 1 : sqrt(0.5)) * (k ? 1 : sqrt(0.5)) * (plus + minus);
                if (m && k)
                    sines[(m - 1) * n + k - 1] = plus - minus;
            }
    }
    free(all);
    return 1;
}
