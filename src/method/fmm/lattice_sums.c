/* lattice_sums.c - sums of harmonics over lattices. Low degrees: the sum is split between the lattice and its dual,
 * where both halves converge like exp(-pi d^2) (Epstein; Nijboer and de Wette 1957). High degrees: term by term.
 *
 * In D dimensions, for a polynomial P of degree m that is harmonic in D dimensions, and s' = m + D/2 - s:
 *
 *   sum P(d) |d|^(-2s) = 1/Gamma(s) [ sum Gamma(s, pi d^2) P(d) |d|^(-2s)
 *                                     + i^m pi^(s-s') sum Gamma(s', pi k^2) P(k) |k|^(-2s') ]
 *                        - [m = 0] pi^s/Gamma(s) (1/s + 1/s')
 *
 * With three periodic axes P = H_nm. With two, H_nm on the circle is a sum of cos(m phi), of which a square lattice
 * keeps m = 0, 4, 8, ...; with one, H_nm is a number. Odd degrees cancel. */
#include "method/fmm/lattice_sums.h"

#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "method/fmm/expansion_operators.h"

enum {
    SPLIT = 16,  /* lower degrees use split sums; from this degree on terms beyond TERMS are negligible (13^-17) */
    TERMS = 12,  /* terms of the plain sums on each side of an axis */
    SHELLS = 6,  /* shells of the split sums: the last contributes exp(-36 pi) */
    ANGLES = 64, /* quadrature points on the circle */
    VALUES = (2 * MYR_EXPANSION_ORDER) * (2 * MYR_EXPANSION_ORDER)
};

#define PI 3.14159265358979323846

/* All functions are elementary ones (core/elementary.h), so that the sums have the same bits on every machine. */

/* x^(twice/2) */
static double half_power(double x, int twice)
{
    const int odd = twice & 1;
    return myr_elementary_whole_power(x, (twice - odd) / 2) * (odd ? sqrt(x) : 1);
}

/* Gamma(a) for a = 1/2, 3/2, 5/2, .. */
static double gamma_half(double a)
{
    double product = sqrt(PI);
    for (int k = 0; k < (int)a; k++)
        product *= k + 0.5;
    return product;
}

/* Incomplete gamma function Gamma(a, x) by its continued fraction, for x > a + 1. */
static double gamma_fraction(double a, double x)
{
    enum { ROUNDS = 500 };
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < ROUNDS; i++) {
        const double n = -i * (i - a);
        b += 2;
        d = 1 / (n * d + b);
        c = b + n / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16)
            break;
    }
    return myr_elementary_exp(-x + a * myr_elementary_log(x)) * h;
}

/* Regularised incomplete gamma function Gamma(a, x)/Gamma(a), a = 1/2, 3/2, .. */
static double gamma_share(double a, double x)
{
    if (x > a + 1)
        return gamma_fraction(a, x) / gamma_half(a);
    double term = 1 / a, sum = term;
    for (int k = 1; term > 1e-17 * sum; k++)
        sum += term *= x / (a + k);
    return 1 - sum * myr_elementary_exp(-x + a * myr_elementary_log(x)) / gamma_half(a);
}

typedef struct {
    const int *periodic;
    int order;
    double *value;
} lattice;

/* Factors of the recursion H_{n+1,m} = z up H_nm - r^2 down H_{n-1,m}. */
typedef struct {
    double up[2 * MYR_EXPANSION_ORDER][2 * MYR_EXPANSION_ORDER], down[2 * MYR_EXPANSION_ORDER][2 * MYR_EXPANSION_ORDER];
} recursion;

static void recursion_make(int order, int step, recursion *r)
{
    for (int m = 0; m < order; m += step)
        for (int n = m; n < order; n++) {
            const double root = sqrt((n + 1.0) * (n + 1) - m * m);
            r->up[m][n] = (2 * n + 1) / root;
            r->down[m][n] = sqrt((double)(n * n - m * m)) / root;
        }
}

/* Adds `weight` times the irregular harmonics of a point, for even degrees >= `least` and m = 0, step, ..: the regular
 * harmonics at d/r^2, divided by r. */
static void add_point(const lattice *l, const recursion *r, const double d[3], int least, int step, double weight)
{
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], x = d[0] / r2, y = d[1] / r2, z = d[2] / r2;
    double c = weight / sqrt(r2), s = 0; /* H_mm and H_m,-m */
    for (int m = 0; m < l->order; m++) {
        if (m) {
            const double f = m < 2 ? 1 : sqrt((2.0 * m - 1) / (2.0 * m)), t = f * (c * x - s * y);
            s = f * (c * y + s * x);
            c = t;
        }
        if (m % step)
            continue;
        double before = 0, now = c;
        for (int n = m; n < l->order; n++) {
            if (n >= least && n % 2 == 0)
                l->value[myr_expansion_at(n, m)] += now;
            const double next = z * r->up[m][n] * now - r->down[m][n] / r2 * before;
            before = now;
            now = next;
        }
    }
}

/* Adds the degrees >= `least` of all lattice points with near < max |d| <= most. Mirror symmetry cancels odd degrees,
 * odd m and sines, so that only points without negative coordinates are visited; if x and y can be exchanged, every
 * other even m cancels and half of these points suffice. */
static void add_plain(const lattice *l, int near, int most, int least)
{
    const int *on = l->periodic, square = !on[0] == !on[1];
    const int reach[3] = {on[0] ? most : 0, on[1] ? most : 0, on[2] ? most : 0};
    recursion r;
    recursion_make(l->order, square ? 4 : 2, &r);
    for (int x = 0; x <= reach[0]; x++)
        for (int y = 0; y <= (square ? x : reach[1]); y++)
            for (int z = 0; z <= reach[2]; z++) {
                const int images = (x ? 2 : 1) * (y ? 2 : 1) * (z ? 2 : 1) * (square && x != y ? 2 : 1);
                if (x > near || y > near || z > near)
                    add_point(l, &r, (const double[3]){x, y, z}, least, square ? 4 : 2, images);
            }
}

/* Real part of (x + iy)^m. */
static double real_power(int x, int y, int m)
{
    double c = 1, s = 0;
    for (int k = 0; k < m; k++) {
        const double next = c * x - s * y;
        s = c * y + s * x;
        c = next;
    }
    return c;
}

/* Split sum of cos(m phi)/d^(n+1) over a square lattice, for m = 0, 4, .. */
static double sum_plane(int n, int m)
{
    const int twice = n + 1 + m, twice_dual = 2 * m + 2 - twice; /* 2 s and 2 s' */
    const double s = 0.5 * twice, dual = 0.5 * twice_dual;
    double sum = m ? 0 : -half_power(PI, twice) / gamma_half(s) * (1 / s + 1 / dual);
    for (int x = -SHELLS; x <= SHELLS; x++)
        for (int y = -SHELLS; y <= SHELLS; y++)
            if (x || y) {
                const double r2 = (double)(x * x + y * y);
                const double own = gamma_share(s, PI * r2) * half_power(r2, -twice);
                const double other = gamma_fraction(dual, PI * r2) * half_power(r2, -twice_dual);
                sum += real_power(x, y, m) * (own + half_power(PI, twice - twice_dual) / gamma_half(s) * other);
            }
    return sum;
}

static void add_plane(const lattice *l, int degrees)
{
    const int first = l->periodic[0] ? 0 : 1, second = l->periodic[2] ? 2 : 1;
    for (int n = 0; n < degrees; n += 2) {
        double harmonic[SPLIT * SPLIT];
        for (int m = 0; m <= n; m += 4) {
            const double whole = sum_plane(n, m);
            for (int a = 0; a < ANGLES; a++) {
                double d[3] = {0, 0, 0}, cosine, sine;
                myr_elementary_turn((double)a / ANGLES, &d[first], &d[second]);
                myr_elementary_turn((double)(m * a) / ANGLES, &cosine, &sine);
                myr_expansion_regular(n + 1, d, harmonic);
                for (int k = n * n; k < (n + 1) * (n + 1); k++)
                    l->value[k] += whole * harmonic[k] * cosine * (m ? 2 : 1) / ANGLES;
            }
        }
    }
}

static void add_space(const lattice *l, int degrees)
{
    double harmonic[SPLIT * SPLIT];
    for (int x = -SHELLS; x <= SHELLS; x++)
        for (int y = -SHELLS; y <= SHELLS; y++)
            for (int z = -SHELLS; z <= SHELLS; z++) {
                const double d[3] = {x, y, z}, r2 = (double)(x * x + y * y + z * z);
                if (r2 == 0 || r2 > SHELLS * SHELLS)
                    continue;
                myr_expansion_regular(degrees, d, harmonic);
                for (int n = 0; n < degrees; n += 2) {
                    const double s = n + 0.5, sign = n % 4 ? -1 : 1;
                    const double factor =
                        gamma_share(s, PI * r2) * half_power(r2, -2 * n - 1) +
                        sign * half_power(PI, 2 * n - 1) / gamma_half(s) * myr_elementary_exp(-PI * r2) / r2;
                    for (int k = n * n; k < (n + 1) * (n + 1); k++)
                        l->value[k] += factor * harmonic[k];
                }
            }
    l->value[0] -= 3; /* pi^s/Gamma(s) (1/s + 1/s') for s = 1/2, s' = 1 */
}

/* Sum over both sides of a line, 2 zeta(n + 1): the first terms, and an integral for the rest. */
static void add_line(const lattice *l, int degrees)
{
    enum { FIRST = 20 };
    double d[3] = {0, 0, 0}, harmonic[SPLIT * SPLIT];
    for (int axis = 0; axis < 3; axis++)
        d[axis] = l->periodic[axis] ? 1 : 0;
    myr_expansion_regular(degrees, d, harmonic);
    for (int n = 2; n < degrees; n += 2) {
        const double s = n + 1, e = FIRST, last = myr_elementary_whole_power(e, -n - 1);
        double zeta = last * (e / (s - 1) + 0.5 + s / (12 * e) - s * (s + 1) * (s + 2) / (720 * e * e * e) +
                              s * (s + 1) * (s + 2) * (s + 3) * (s + 4) / (30240 * e * e * e * e * e));
        for (int k = FIRST - 1; k > 0; k--)
            zeta += myr_elementary_whole_power(k, -n - 1);
        for (int k = n * n; k < (n + 1) * (n + 1); k++)
            l->value[k] += 2 * zeta * harmonic[k];
    }
}

void myr_lattice_sum(int order, const int periodic[3], int near, int images, double *value)
{
    const int axes = !!periodic[0] + !!periodic[1] + !!periodic[2], split = order < SPLIT ? order : SPLIT;
    const lattice l = {periodic, order, value};
    memset(value, 0, sizeof *value * (size_t)order * (size_t)order);
    if (images > 0 || axes == 0) {
        add_plain(&l, near, axes ? images : 0, 0);
        return;
    }
    double all[SPLIT * SPLIT] = {0}, close[SPLIT * SPLIT] = {0};
    const lattice low = {periodic, split, all}, inner = {periodic, split, close};
    if (axes == 3)
        add_space(&low, split);
    else if (axes == 2)
        add_plane(&low, split);
    else
        add_line(&low, split);
    add_plain(&inner, 0, near, 0);
    if (order > split)
        add_plain(&l, near, TERMS, split);
    for (int k = 0; k < split * split; k++)
        value[k] = all[k] - (axes == 1 && k == 0 ? 0 : close[k]);
}
