#!/usr/bin/env python3
"""Fits zeta(r) = exp(alpha r^3 + beta r^2 + gamma r + delta) to a published sigmoidal dielectric.

The result is the default of the kernels ljc_sigmoidal and ljc_sigmoidal_potential (src/kernel/ljc.h); paper 001 gives
the form of zeta and not its coefficients. Fitted is the dielectric of E. L. Mehler and T. Solmajer, Protein
Engineering 4 (1991) 903, as used for the solvent in docking programs:

    D(r) = A + B / (1 + k exp(-lambda B r)), r in angstrom

by least squares of the relative error zeta/D - 1 at equally spaced r from 1 to 15 angstrom (Gauss-Newton, started from
the linear fit of log D). Needs nothing but Python. Prints the coefficients and the error of the fit.
"""

import math

A, B, K, LAMBDA = -8.5525, 86.9525, 7.7839, 0.003627
NEAREST, FARTHEST, POINTS = 1.0, 15.0, 1401


def dielectric(r):
    return A + B / (1.0 + K * math.exp(-LAMBDA * B * r))


def powers(r):
    return [r**3, r**2, r, 1.0]


def zeta(c, r):
    return math.exp(sum(a * p for a, p in zip(c, powers(r))))


def solve(matrix, right):
    """Gauss-Jordan elimination with row exchange."""
    n = len(right)
    m = [row[:] + [x] for row, x in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda row: abs(m[row][i]))
        m[i], m[pivot] = m[pivot], m[i]
        for row in range(n):
            if row != i:
                f = m[row][i] / m[i][i]
                m[row] = [x - f * y for x, y in zip(m[row], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def step(radii, slope_and_residual):
    """One least-squares step: slopes of the residuals are slope * powers(r)."""
    normal = [[0.0] * 4 for _ in range(4)]
    right = [0.0] * 4
    for r in radii:
        slope, residual = slope_and_residual(r)
        p = [slope * x for x in powers(r)]
        for i in range(4):
            right[i] += p[i] * residual
            for j in range(4):
                normal[i][j] += p[i] * p[j]
    return solve(normal, right)


def fit(radii):
    c = step(radii, lambda r: (1.0, math.log(dielectric(r))))
    for _ in range(20):
        def relative(r, c=c):
            ratio = zeta(c, r) / dielectric(r)
            return ratio, 1.0 - ratio
        c = [a + b for a, b in zip(c, step(radii, relative))]
    return c


def main():
    radii = [NEAREST + (FARTHEST - NEAREST) * i / (POINTS - 1) for i in range(POINTS)]
    c = fit(radii)
    errors = [abs(zeta(c, r) / dielectric(r) - 1.0) for r in radii]
    for name, value, unit in zip(("alpha", "beta", "gamma", "delta"), c, ("/A^3", "/A^2", "/A", "")):
        print(f"{name} = {value:.6g} {unit}")
    rms = math.sqrt(sum(e * e for e in errors) / len(errors))
    print(f"relative error: rms {rms:.3g}, largest {max(errors):.3g} at r = {radii[errors.index(max(errors))]:.3g} A")


if __name__ == "__main__":
    main()
