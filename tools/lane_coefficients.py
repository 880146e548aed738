#!/usr/bin/env python3
"""Writes src/backend/lane/coefficients.h: the polynomials of lane/math.h, in float and in double.

Each polynomial minimises the largest weighted error over its interval (Remez exchange on a fine grid, in decimal
arithmetic). Its coefficients are then rounded one after the other, the lowest power first, and after each rounding
the free ones are fitted again, so that the rounding of one is repaired by the others.

    tools/lane_coefficients.py > src/backend/lane/coefficients.h
    tools/lane_coefficients.py --survey     error against number of coefficients, to choose the degrees
"""
import math
import struct
import sys
from decimal import Decimal, getcontext

getcontext().prec = 70
D = Decimal
ONE = D(1)


# ---- functions, to the working precision ---------------------------------------------------------------------------

def series(first, ratio):
    """first * (1 + ratio(1) + ratio(1) ratio(2) + ...), until the terms vanish"""
    total, term, k = first, first, 1
    while term != 0 and abs(term) > abs(total) * D(10) ** -75:
        term = term * ratio(k)
        total += term
        k += 1
    return total


def arctan_inverse(n):
    return series(ONE / n, lambda k: -D(2 * k - 1) / D(2 * k + 1) / (n * n))


PI = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))  # Machin
LN2 = D(2).ln()


def sin_over_x(s):
    """sin(x) / x for x^2 = s"""
    return series(ONE, lambda k: -s / (2 * k * (2 * k + 1)))


def erf_over_x(s):
    """erf(x) / x for x^2 = s; all terms positive"""
    return 2 / PI.sqrt() * (-s).exp() * series(ONE, lambda k: 2 * s / (2 * k + 1))


def erfc(x):
    context = getcontext()
    context.prec += 30  # 1 - erf loses as many digits as erfc has zeros
    value = 1 - x * erf_over_x(x * x)
    context.prec -= 30
    return +value


# ---- the fit -------------------------------------------------------------------------------------------------------

def grid(lower, upper, n):
    """points of [lower, upper], denser near the ends"""
    points = []
    for i in range(n + 1):
        t = D(i) / n
        points.append(lower + (upper - lower) * t * t * (3 - 2 * t))
    return points


def solve(matrix, right):
    n = len(right)
    rows = [row[:] + [r] for row, r in zip(matrix, right)]
    for c in range(n):
        pivot = max(range(c, n), key=lambda r: abs(rows[r][c]))
        rows[c], rows[pivot] = rows[pivot], rows[c]
        for r in range(c + 1, n):
            factor = rows[r][c] / rows[c][c]
            for k in range(c, n + 1):
                rows[r][k] -= factor * rows[c][k]
    x = [D(0)] * n
    for r in reversed(range(n)):
        x[r] = (rows[r][n] - sum(rows[r][k] * x[k] for k in range(r + 1, n))) / rows[r][r]
    return x


def horner(coefficients, x):
    value = D(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def alternating(errors, count):
    """indices of `count` extrema of alternating sign, the largest there are"""
    runs = []
    for i, e in enumerate(errors):
        if runs and (errors[runs[-1]] > 0) == (e > 0):
            if abs(e) > abs(errors[runs[-1]]):
                runs[-1] = i
        else:
            runs.append(i)

    def size(j):
        return abs(errors[runs[j]])

    while len(runs) > count:
        j = min(range(len(runs)), key=size)
        if len(runs) == count + 1 or j in (0, len(runs) - 1):
            runs.pop(0 if size(0) < size(-1) else -1)
        else:  # two neighbours go together, so that the signs still alternate
            k = j + 1 if size(j + 1) < size(j - 1) else j - 1
            del runs[min(j, k):max(j, k) + 1]
    return runs


class Fit:
    """p(x) = sum c_k x^k with max |weight (p - f)| as small as can be"""

    def __init__(self, f, weight, lower, upper, n, points=500):
        self.x = grid(D(lower), D(upper), points)
        self.f = [f(x) for x in self.x]
        self.w = [weight(x) for x in self.x]
        self.n = n

    def minimax(self, fixed):
        """The remaining coefficients, given the lowest ones: p = fixed + x^m r, and r alone is fitted."""
        m, free = len(fixed), self.n - len(fixed)
        use = [i for i, x in enumerate(self.x) if m == 0 or x != 0]
        scale = [self.x[i] ** m if m else ONE for i in use]
        rest = [(self.f[i] - horner(fixed, self.x[i])) / s for i, s in zip(use, scale)]
        weight = [self.w[i] * abs(s) for i, s in zip(use, scale)]
        powers = [[self.x[i] ** k if k else ONE for k in range(free)] for i in use]
        last = len(use) - 1
        at = [int(last * (i + 0.5) / (free + 1)) for i in range(free + 1)]
        for _ in range(60):
            rows = [powers[i] + [(-ONE) ** j / weight[i]] for j, i in enumerate(at)]
            solution = solve(rows, [rest[i] for i in at])
            c, level = solution[:free], abs(solution[free])
            errors = [w * (sum(a * p for a, p in zip(c, row)) - r) for w, row, r in zip(weight, powers, rest)]
            found = alternating(errors, free + 1)
            if len(found) < free + 1 or max(map(abs, errors)) < level * D('1.001'):
                break
            at = found
        return c

    def error(self, c):
        return max(w * abs(horner(c, x) - f) for w, f, x in zip(self.w, self.f, self.x))

    def rounded(self, to_real, given=()):
        fixed = list(given)
        while len(fixed) < self.n:
            fixed.append(D(to_real(self.minimax(fixed)[0])))
        return fixed


# ---- rounding ------------------------------------------------------------------------------------------------------

def to_float(x):
    """nearest float of a decimal, by way of a double (twice rounded at worst by one part in 2^29)"""
    return struct.unpack('f', struct.pack('f', float(x)))[0]


def to_double(x):
    return float(x)


def parts(x, bits, to_real):
    """x as a sum of reals: the first ones cut to so many bits, the last one rounded"""
    out = []
    for b in bits:
        unit = D(2) ** (_exponent(x) - b + 1)
        part = (x / unit).to_integral_value(rounding='ROUND_HALF_EVEN') * unit
        out.append(part)
        x -= part
    out.append(D(to_real(x)))
    return out


def _exponent(x):
    e, x = 0, abs(x)
    while x >= 2:
        x, e = x / 2, e + 1
    while x < 1:
        x, e = x * 2, e - 1
    return e


# ---- what lane/math.h needs ----------------------------------------------------------------------------------------

QUARTER = ONE / 16          # the square of a quarter turn
HALF_PI = (PI / 2) * D('1.0006')  # the reduction of radians overshoots a little


def quarter_turn(v):
    """Q with sin(2 pi f) = f (4 + v Q(v)), v = 1/16 - f^2: exact at f = 0 and f = 1/4 whatever Q"""
    s = QUARTER - v
    value = 2 * PI * sin_over_x(4 * PI * PI * s)
    return (value - 4) / v


def turn_weight(v):
    return v / (2 * PI * sin_over_x(4 * PI * PI * (QUARTER - v)))


def near_zero(v):
    return v if v > 0 else D(10) ** -30


def log_rest(x):
    """(log(1 + x) - x + x^2/2) / x^3"""
    if abs(x) < D('0.01'):
        return sum((-x) ** (k - 3) / k for k in range(3, 40))
    return ((1 + x).ln() - x + x * x / 2) / x ** 3


def log_weight(x):
    return x * x / ((1 + x).ln() / x) if x else D(0)


def fits(real):
    """name -> (fit, coefficients given beforehand, comment)"""
    small = real == 'float'
    count = {'EXP': 7, 'EXP2': 7, 'TURN': 4, 'SIN': 5, 'ERF': 7, 'LOG2_ERFC': 7, 'LOG': 9} if small else \
            {'EXP': 12, 'EXP2': 12, 'TURN': 8, 'SIN': 8, 'ERF': 13, 'LOG2_ERFC': 19, 'LOG': 20}
    top = D(4) if small else D(6)
    half = LN2 / 2 * D('1.0001')
    return {
        'EXP': (Fit(lambda r: r.exp(), lambda r: (-r).exp(), -half, half, count['EXP']), [ONE, ONE],
                'exp(x), |x| <= ln(2)/2; relative'),
        'EXP2': (Fit(lambda r: (r * LN2).exp(), lambda r: (-r * LN2).exp(), -ONE / 2, ONE / 2, count['EXP2']), [ONE],
                 '2^x, |x| <= 1/2; relative'),
        'TURN': (Fit(lambda v: quarter_turn(near_zero(v)), lambda v: turn_weight(near_zero(v)), 0, QUARTER,
                     count['TURN']), [], 'Q in sin(2 pi f) = f (4 + x Q(x)), x = 1/16 - f^2, |f| <= 1/4; relative'),
        'SIN': (Fit(lambda s: (sin_over_x(near_zero(s)) - 1) / near_zero(s),
                    lambda s: near_zero(s) / sin_over_x(near_zero(s)), 0, HALF_PI * HALF_PI, count['SIN']), [],
                'Q in sin(r) = r + r x Q(x), x = r^2, |r| <= pi/2; relative'),
        'ERF': (Fit(lambda s: erf_over_x(s) - 1, lambda s: 1 / erf_over_x(s), 0, ONE, count['ERF']), [],
                'Q in erf(z) = z + z Q(x), x = z^2, |z| <= 1; relative'),
        'LOG2_ERFC': (Fit(lambda u: erfc(u + 1).ln() / LN2, lambda u: erfc(u + 1) * LN2, 0, top - 1,
                          count['LOG2_ERFC']), [], 'log2(erfc(1 + x)), 1 + x <= %s; absolute in erfc,' % top),
        'LOG': (Fit(log_rest, log_weight, (D('0.5').sqrt() - 1) * D('1.0001'), (D(2).sqrt() - 1) * D('1.0001'),
                    count['LOG']), [], 'Q in log(1 + x) = x - x^2/2 + x^3 Q(x), sqrt(1/2) <= 1 + x <= sqrt(2); relative'),
    }


def log2(x):
    return math.log2(float(x)) if x else -999.0


def hexadecimal(value):
    """exact, without idle zeros"""
    digits, exponent = float(value).hex().split('p')
    return 'K(%sp%s)' % (digits.rstrip('0').rstrip('.') if '.' in digits else digits, exponent)


def write_polynomial(name, coefficients, comment):
    print('/* %s */' % comment)
    print('MYR_FN lane poly_%s(lane x)' % name.lower())
    print('{')
    print('    lane p = lane_set(%s);' % hexadecimal(coefficients[-1]))
    for c in reversed(coefficients[:-1]):
        print('    p = lane_madd(p, x, lane_set(%s));' % hexadecimal(c))
    print('    return p;')
    print('}')
    print()


def write_parts(name, values, labels):
    for label, value in zip(labels, values):
        print('#define MINUS_%s_%s %s' % (name, label, hexadecimal(-value)))


def write(real, to_real):
    for name, (fit, given, comment) in fits(real).items():
        c = fit.rounded(to_real, given)
        write_polynomial(name, c, '%s error 2^%.1f' % (comment, log2(fit.error(c))))
    small = real == 'float'
    print('/* -ln(2); the multiples of the first part that exp needs are exact */')
    write_parts('LN2', parts(LN2, [14] if small else [40], to_real), 'AB')
    print()
    print('/* -pi; the multiples that sin and cos need are exact but for the last part, that of A under fma only */')
    print('#if LANE_HAS_FMA')
    write_parts('PI', parts(PI, [24, 11] if small else [53, 33], to_real), 'ACD')
    print('#else')
    write_parts('PI', parts(PI, [11, 11, 11] if small else [26, 26, 33], to_real), 'ABCD')
    print('#endif')
    print()


def survey():
    for real, to_real in (('float', to_float), ('double', to_double)):
        for name, (fit, given, comment) in fits(real).items():
            best = fit.n
            for n in range(max(best - 3, len(given) + 1), best + 3):
                fit.n = n
                c = list(given) + fit.minimax(given)
                print('%-7s %-5s n=%2d exact 2^%.2f rounded 2^%.2f' %
                      (real, name, n, log2(fit.error(c)), log2(fit.error(fit.rounded(to_real, given)))), flush=True)


def main():
    if '--survey' in sys.argv:
        return survey()
    print('/* coefficients.h - polynomials of math.h; written by tools/lane_coefficients.py. */')
    print('#ifndef MYR_BACKEND_LANE_COEFFICIENTS_H')
    print('#define MYR_BACKEND_LANE_COEFFICIENTS_H')
    print()
    print('#if MYR_ARITH == MYR_ARITH_DOUBLE')
    print()
    write('double', to_double)
    print('#else')
    print()
    write('float', to_float)
    print('#endif')
    print()
    print('#endif')


if __name__ == '__main__':
    main()
