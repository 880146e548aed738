#!/usr/bin/env python3
"""Writes src/method/tree/spherical_design_table.h: spherical designs for pseudo-particles (src/method/tree/spherical_design.h).

A spherical design of degree t is a set of K points on the unit sphere over which the mean of every polynomial of degree
up to t is its mean over the sphere. Pseudo-particles of order p need t = 2p. The points are orbits of a group of
rotations, so that only the polynomials that the group leaves alone give equations:

    p = 1            the tetrahedron: one point and the half turns about x, y, z
    p = 2, 3         7 and 13 points and the half turn about z: one unknown more than equations
    p = 4 .. 10      m points and the 12 rotations of a tetrahedron: 2 m unknowns for as many equations (Hardin and
                     Sloane 1996 found that this has solutions)

Levenberg and Marquardt's method goes from random starts to rounding, then Newton's with 40 digits. Of several
solutions the one whose nearest points are furthest apart is kept.

    tools/spherical_designs.py > src/method/tree/spherical_design_table.h       some minutes
"""
import math
import random
import sys
from decimal import Decimal, getcontext

getcontext().prec = 40
SEED = 2004
FOUND = 6  # solutions to choose from
STARTS = 400
STEPS = 300

HALF_Z = [lambda x, y, z: (x, y, z), lambda x, y, z: (-x, -y, z)]
HALF = HALF_Z + [lambda x, y, z: (x, -y, -z), lambda x, y, z: (-x, y, -z)]
TURNS = [lambda x, y, z: (x, y, z), lambda x, y, z: (y, z, x), lambda x, y, z: (z, x, y)]
TETRAHEDRAL = [lambda x, y, z, s=s, c=c: s(*c(x, y, z)) for c in TURNS for s in HALF]
GROUPS = {2: HALF_Z, 4: HALF, 12: TETRAHEDRAL}

# order: (representatives, rotations)
DESIGNS = {1: (1, 4), 2: (7, 2), 3: (13, 2), 4: (3, 12), 5: (5, 12), 6: (7, 12), 7: (9, 12), 8: (12, 12), 9: (15, 12),
           10: (18, 12)}


def root(kind, n):
    return kind(n).sqrt() if kind is Decimal else math.sqrt(n)


class Harmonics:
    """Schmidt's real harmonics of degrees 1 to t on the sphere, in floats or decimals"""

    def __init__(self, kind, degree):
        self.kind, self.degree = kind, degree
        self.sector = [kind(1), kind(1)] + [root(kind, kind(2 * m - 1) / kind(2 * m)) for m in range(2, degree + 1)]
        self.root = [[root(kind, n * n - m * m) for m in range(n + 1)] for n in range(degree + 2)]

    def at(self, x, y, z):
        """h[n][m + n]"""
        kind = self.kind
        h = [[kind(0)] * (2 * n + 1) for n in range(self.degree + 1)]
        h[0][0] = kind(1)
        c, s = kind(1), kind(0)
        for m in range(self.degree + 1):
            if m:
                c, s = self.sector[m] * (x * c - y * s), self.sector[m] * (x * s + y * c)
                h[m][2 * m], h[m][0] = c, s
            for n in range(m, self.degree):
                for sign in (1, -1) if m else (1,):
                    at = sign * m
                    value = (2 * n + 1) * z * h[n][n + at]
                    if n > m:
                        value -= self.root[n][m] * h[n - 1][n - 1 + at]
                    h[n + 1][n + 1 + at] = value / self.root[n + 1][m]
        return h


def image_harmonics(harmonics, point, group):
    """sums over the images of a point; those that the group makes vanish are left out"""
    sums = None
    for rotation in group:
        row = [v for h in harmonics.at(*rotation(*point))[1:] for v in h]
        sums = row if sums is None else [a + b for a, b in zip(sums, row)]
    return sums


def tangents(point):
    x, y, z = (float(v) for v in point)
    least = min(range(3), key=lambda k: abs((x, y, z)[k]))
    e = [0.0, 0.0, 0.0]
    e[least] = 1.0
    a = (y * e[2] - z * e[1], z * e[0] - x * e[2], x * e[1] - y * e[0])
    size = math.sqrt(sum(v * v for v in a))
    a = tuple(v / size for v in a)
    b = (y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0])
    return a, b


def move(point, direction, along):
    kind = type(point[0])
    moved = [p + kind(along) * kind(d) for p, d in zip(point, direction)]
    size = root(kind, sum(v * v for v in moved))
    return tuple(v / size for v in moved)


def solve(matrix, right):
    """a symmetric positive system, by Cholesky's method"""
    n = len(right)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            s = matrix[i][j] - sum(low[i][k] * low[j][k] for k in range(j))
            if i == j:
                if s <= 0:
                    return None
                low[i][i] = math.sqrt(s)
            else:
                low[i][j] = s / low[j][j]
    y = []
    for i in range(n):
        y.append((right[i] - sum(low[i][k] * y[k] for k in range(i))) / low[i][i])
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (y[i] - sum(low[k][i] * x[k] for k in range(i + 1, n))) / low[i][i]
    return x


class Search:
    def __init__(self, order, representatives, rotations):
        self.order, self.count, self.rotations = order, representatives, rotations
        self.group = GROUPS[rotations]
        self.fast = Harmonics(float, 2 * order)
        rng = random.Random(1)
        probe = [self.row(self.random_point(rng)) for _ in range(3)]
        self.keep = [k for k in range(len(probe[0])) if any(abs(row[k]) > 1e-9 for row in probe)]

    @staticmethod
    def random_point(rng):
        while True:
            p = [rng.gauss(0, 1) for _ in range(3)]
            size = math.sqrt(sum(v * v for v in p))
            if size > 1e-3:
                return tuple(v / size for v in p)

    def row(self, point):
        return image_harmonics(self.fast, point, self.group)

    def sums(self, rows):
        return [math.fsum(row[k] for row in rows) for k in self.keep]

    def normal(self, points):
        """A^T A and A, by central differences, which are exact to 1e-10: the residual decides what is reached"""
        step = 1e-5
        columns = []
        for p in points:
            for direction in tangents(p):
                up, down = self.row(move(p, direction, step)), self.row(move(p, direction, -step))
                columns.append([(up[k] - down[k]) / (2 * step) for k in self.keep])
        size = len(columns)
        matrix = [[0.0] * size for _ in range(size)]
        for i in range(size):
            for j in range(i + 1):
                matrix[i][j] = matrix[j][i] = sum(a * b for a, b in zip(columns[i], columns[j]))
        return matrix, columns

    def step(self, points, residual, matrix, columns, damping):
        damped = [row[:] for row in matrix]
        for i, row in enumerate(damped):
            row[i] += damping * max(matrix[i][i], 1e-6)
        x = solve(damped, [-sum(a * float(b) for a, b in zip(column, residual)) for column in columns])
        if x is None:
            return None
        moved = []
        for k, p in enumerate(points):
            a, b = tangents(p)
            direction = [x[2 * k] * u + x[2 * k + 1] * v for u, v in zip(a, b)]
            moved.append(move(p, direction, 1))
        return moved

    def descend(self, rng):
        points = [self.random_point(rng) for _ in range(self.count)]
        residual = self.sums([self.row(p) for p in points])
        value, damping = sum(r * r for r in residual), 1e-2
        for n in range(STEPS):
            if value < 1e-22:
                return points
            if n == 60 and value > 0.1:
                return None
            matrix, columns = self.normal(points)
            for _ in range(12):
                moved = self.step(points, residual, matrix, columns, damping)
                if moved:
                    new = self.sums([self.row(p) for p in moved])
                    new_value = sum(r * r for r in new)
                    if new_value < value:
                        break
                damping *= 4
            else:
                return None
            slow = new_value > 0.999 * value
            points, residual, value = moved, new, new_value
            damping = max(damping / 5, 1e-12)
            if slow and n > 40:
                return None
        return None

    def polish(self, points):
        """Newton's steps with residuals of 40 digits"""
        exact = Harmonics(Decimal, 2 * self.order)
        points = [move(tuple(Decimal(v) for v in p), (0, 0, 0), 0) for p in points]
        matrix, columns = self.normal([tuple(float(v) for v in p) for p in points])
        for _ in range(12):
            rows = [image_harmonics(exact, p, self.group) for p in points]
            residual = [sum(row[k] for row in rows) for k in self.keep]
            if max(abs(r) for r in residual) < Decimal(10) ** -24:
                return points
            points = self.step(points, residual, matrix, columns, 1e-13)
        return None

    def spread(self, points):
        """distance of the nearest two points of the whole design"""
        every = [r(*p) for p in points for r in self.group]
        return min(math.dist(a, b) for i, a in enumerate(every) for b in every[:i])

    def best(self):
        rng = random.Random(SEED + self.order)
        found, best, least = 0, None, 0.0
        for _ in range(STARTS):
            points = self.descend(rng)
            if not points:
                continue
            found += 1
            apart = self.spread(points)
            if apart > least:
                polished = self.polish(points)
                if polished:
                    best, least = polished, apart
            if found >= FOUND:
                break
        print(f'order {self.order}: {found} found, nearest points {least:.3f} apart', file=sys.stderr)
        return best, least


def tetrahedron():
    third = (Decimal(1) / Decimal(3)).sqrt()
    return [(third, third, third)]


def main():
    only = [int(a) for a in sys.argv[1:]] or sorted(DESIGNS)
    rows, table = [], []
    for order in only:
        count, rotations = DESIGNS[order]
        points = tetrahedron() if order == 1 else Search(order, count, rotations).best()[0]
        if not points:
            sys.exit(f'no design of degree {2 * order} found')
        table.append(f'    {{{count}, {rotations}}},')
        rows += [f'    /* order {order}: degree {2 * order}, {count * rotations} points */']
        rows += ['    {' + ', '.join(repr(float(v)) for v in p) + '},' for p in points]
    print('/* spherical_design_table.h - spherical designs, written by tools/spherical_designs.py; see spherical_design.c. */')
    print('/* clang-format off */')
    print('/* {representatives, rotations} of order 1, 2, ... */')
    print('static const int design_size[][2] = {', *table, '};', sep='\n')
    print('/* the representatives, one order after the other */')
    print('static const double design_point[][3] = {', *rows, '};', sep='\n')
    print('/* clang-format on */')


if __name__ == '__main__':
    main()
