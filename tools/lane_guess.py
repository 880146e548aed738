#!/usr/bin/env python3
"""Finds the numbers of the bit-pattern guesses in lane/approx.h (portable arithmetic), and their errors.

    rsqrt:  y = bits(M - (bits(x) >> 1)),  y <- y (a - x y^2)
    recip:  y = bits(M - bits(x)),         y <- y (a - x y)

With g = y sqrt(x) (or x y) of the guess, the step makes g a - g^3 (or g a - g^2) of it: the error depends on the range
of g alone, and that on M alone. For each M the best a follows; the program scans M.
"""
import math
import struct


def bits(x):
    return struct.unpack('i', struct.pack('f', x))[0]


def from_bits(i):
    return struct.unpack('f', struct.pack('i', i))[0]


def best_factor(low, high, power):
    """a that makes a g - g^power closest to 1 on [low, high], and how close"""
    def worst(a):
        top = (a / power) ** (1 / (power - 1))  # where the derivative vanishes
        at = [low, high] + ([top] if low < top < high else [])
        return max(abs(a * g - g ** power - 1) for g in at)

    left, right = 1.5, 2.5  # worst is convex in a
    for _ in range(60):
        a, b = left + (right - left) / 3, right - (right - left) / 3
        left, right = (left, b) if worst(a) < worst(b) else (a, right)
    return worst(left), left


def scan(name, first, last, step, points, shift, scale, power):
    x = [from_bits(bits(p)) for p in points]
    best = None
    for magic in range(first, last, step):
        g = [from_bits(magic - (bits(v) >> shift)) * scale(v) for v in x]
        error, a = best_factor(min(g), max(g), power)
        if best is None or error < best[0]:
            best = error, magic, a
    print('%s: M = 0x%08x, a = %.6f, relative error %.2e' % (name, best[1], best[2], best[0]))


scan('rsqrt', 0x5ec00000, 0x5f400000, 0x1000, [1 + 3 * i / 1000 for i in range(1000)], 1, math.sqrt, 3)
scan('recip', 0x7ee00000, 0x7f000000, 0x800, [1 + i / 1000 for i in range(1000)], 0, lambda v: v, 2)
