#!/usr/bin/env python3
"""Writes src/kernel/vortex_core.h: the two polynomials of the Gaussian core in kernel/vortex.h, for float arithmetic.

With x = r^2/(2 sigma^2) and G(x) = g/x^(3/2), which is positive and smooth, g/r^3 is (r^2 + sigma^2 C)^(-3/2) with
C = 2 (G^(-2/3) - x), which vanishes like exp(-x). C and the derivative of G^(-2/3) less 1 are fitted as
2^-y times a polynomial in y = r^2/sigma^2 = 2 x: the power of two falls off a little faster than they do, which costs
fewest coefficients of all bases tried.

    tools/vortex_coefficients.py > src/kernel/vortex_core.h
    tools/vortex_coefficients.py --survey     error against number of coefficients
"""
import sys

from lane_coefficients import D, LN2, PI, Fit, erf_over_x, log2, to_float, write_polynomial

TOP = D(48)  # of y; beyond, 2^-y C is nothing beside y
COEFFICIENTS = {'CORE': 11, 'CORE_SLOPE': 11}


def profile(x):
    """G and -G' at x, by parts"""
    decay = 2 / PI.sqrt() * (-x).exp()
    g = (erf_over_x(x) - decay) / x
    return g, (3 * g - 2 * decay) / (2 * x)


def near_zero(y):
    return y / 2 if y > 0 else D(10) ** -12


def power(value, exponent):
    return (value.ln() * exponent).exp()


def core(y):
    """C"""
    x = near_zero(y)
    return 2 * (power(profile(x)[0], -D(2) / 3) - x)


def slope(y):
    """3 (d G^(-2/3) / dx - 1)"""
    g, fall = profile(near_zero(y))
    return 2 * fall * power(g, -D(5) / 3) - 3


def fits():
    def rise(y):
        return (y * LN2).exp()

    return {
        'CORE': (Fit(lambda y: core(y) * rise(y), lambda y: D('1.5') / (rise(y) * (y + core(y))), 0, TOP,
                     COEFFICIENTS['CORE']),
                 'C(x) 2^x, x = (r/sigma)^2 <= %s; relative in (x + C)^(-3/2),' % TOP),
        'CORE_SLOPE': (Fit(lambda y: slope(y) * rise(y), lambda y: 1 / (rise(y) * (3 + slope(y))), 0, TOP,
                           COEFFICIENTS['CORE_SLOPE']),
                       '3 C\'(x) 2^x, likewise; relative in 3 (1 + C\'),'),
    }


def survey():
    for name, (fit, _) in fits().items():
        best = fit.n
        for n in range(best - 2, best + 2):
            fit.n = n
            print('%-10s n=%2d exact 2^%.2f rounded 2^%.2f' %
                  (name, n, log2(fit.error(fit.minimax([]))), log2(fit.error(fit.rounded(to_float)))), flush=True)


def main():
    if '--survey' in sys.argv:
        return survey()
    print('/* vortex_core.h - polynomials of vortex.h; written by tools/vortex_coefficients.py. */')
    print('#ifndef MYR_KERNEL_VORTEX_CORE_H')
    print('#define MYR_KERNEL_VORTEX_CORE_H')
    print()
    for name, (fit, comment) in fits().items():
        c = fit.rounded(to_float)
        write_polynomial(name, c, '%s error 2^%.1f' % (comment, log2(fit.error(c))))
    print('#endif')


if __name__ == '__main__':
    main()
