#!/usr/bin/env python3
"""Writes src/kernel/vortex_core.h: the polynomial of the Gaussian core in kernel/vortex.h, for float arithmetic.

With x = r^2/(2 sigma^2) and G(x) = g/x^(3/2), which is positive and smooth, g/r^3 is (r^2 + sigma^2 C)^(-3/2) with
C = 2 (G^(-2/3) - x), which vanishes like exp(-x). C is fitted as exp(-x) times a polynomial in t = x log2(e), so that the
exponential is 2^-t, of which the formula has another use.

    tools/vortex_coefficients.py > src/kernel/vortex_core.h
    tools/vortex_coefficients.py --survey     error against number of coefficients
"""
import sys

from lane_coefficients import D, LN2, PI, Fit, erf_over_x, log2, to_float, write_polynomial

TOP = D(35)  # of t; beyond, 2^-t C is nothing beside r^2
COEFFICIENTS = {'CORE': 11}


def profile(x):
    """G and -G' at x, by parts"""
    decay = 2 / PI.sqrt() * (-x).exp()
    g = (erf_over_x(x) - decay) / x
    return g, (3 * g - 2 * decay) / (2 * x)


def power(value, exponent):
    return (value.ln() * exponent).exp()


def argument(t):
    """x"""
    return t * LN2 if t > 0 else D(10) ** -12


def core(t):
    """C"""
    x = argument(t)
    return 2 * (power(profile(x)[0], -D(2) / 3) - x)


def fits():
    def rise(t):
        return (t * LN2).exp()

    return {
        'CORE': (Fit(lambda t: core(t) * rise(t), lambda t: D('1.5') / (rise(t) * (2 * argument(t) + core(t))), 0, TOP,
                     COEFFICIENTS['CORE']),
                 'C 2^t, t = log2(e) (r/sigma)^2/2 <= %s; relative in (r^2/sigma^2 + C)^(-3/2),' % TOP),
    }


def survey():
    for name, (fit, _) in fits().items():
        best = fit.n
        for n in range(best - 5, best + 2):
            fit.n = n
            print('%-10s n=%2d exact 2^%.2f rounded 2^%.2f' %
                  (name, n, log2(fit.error(fit.minimax([]))), log2(fit.error(fit.rounded(to_float)))), flush=True)


def main():
    if '--survey' in sys.argv:
        return survey()
    print('/* vortex_core.h - polynomial of vortex.h; written by tools/vortex_coefficients.py. */')
    print('#ifndef MYR_KERNEL_VORTEX_CORE_H')
    print('#define MYR_KERNEL_VORTEX_CORE_H')
    print()
    for name, (fit, comment) in fits().items():
        c = fit.rounded(to_float)
        write_polynomial(name, c, '%s error 2^%.1f' % (comment, log2(fit.error(c))))
    print('#endif')


if __name__ == '__main__':
    main()
