/* formulas.h - pair formulas as users write them, for the tests of particles in a box. */
#ifndef MYR_TESTS_FORMULAS_H
#define MYR_TESTS_FORMULAS_H

#define FORMULA_BEGIN(name, parameters)                                                                                \
    "name: " name "\ni: x[3]\nj: x[3]\nout: f[3]\npotential: phi\nparam: rc = 2.5\n" parameters                        \
    "cutoff: rc\nantisymmetric: f\n"                                                                                   \
    "float d[3], r2 = 0;\nfor (int k = 0; k < 3; k++) { d[k] = i.x[k] - j.x[k]; r2 += d[k] * d[k]; }\n"
#define FORMULA_END "for (int k = 0; k < 3; k++) out.f[k] += s * d[k];\n"

/* Lennard-Jones in units of epsilon and sigma, truncated. */
static const char __attribute__((unused)) formula_lj[] = FORMULA_BEGIN(
    "own_lj",
    "") "float y = 1 / r2, y3 = y * y * y, s = 48 * y * y3 * (y3 - 0.5);\nout.phi += 4 * y3 * (y3 - 1);\n" FORMULA_END;

/* A Morse potential: an exponential and a square root. */
static const char __attribute__((unused)) formula_morse[] =
    FORMULA_BEGIN("own_morse", "param: a = 5\nparam: r0 = 1.1\n") "float rinv = rsqrt(r2), e = exp(-a * (r2 * rinv - "
                                                                  "r0)), s = -2 * a * (1 - e) * e * rinv;\n"
                                                                  "out.phi += e * e - 2 * e;\n" FORMULA_END;

/* Soft spheres, whose force and its slope vanish at the cutoff; finite at distance 0. */
static const char __attribute__((unused)) formula_soft[] =
    FORMULA_BEGIN("own_soft", "param: strength = 25\n") "float w = 1 - r2 / (rc * rc), s = strength * w * w;\n"
                                                        "out.phi += strength * rc * rc / 6 * w * w * w;\n" FORMULA_END;

#endif
