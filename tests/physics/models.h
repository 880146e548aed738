/* models.h - what the tests of models share: a model in one line, energies, sorted radii, Keplerian elements. */
#ifndef MYR_TEST_MODELS_H
#define MYR_TEST_MODELS_H

#include "physics/physics.h"

/* A name with a number, or with a word. Lists end with a null name. */
typedef struct {
    const char *name;
    double value;
    const char *word;
} setting;

#define SETTINGS(...)                                                                                                  \
    (const setting[])                                                                                                  \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

static inline myr_particles *make_model(myr_context *context, const char *model, int64_t n, uint64_t seed,
                                        const setting *settings)
{
    myr_model_spec *spec = NULL;
    myr_particles *particles = NULL;
    expect_ok(context, myr_model_spec_create(context, model, &spec));
    for (; settings && settings->name; settings++)
        expect_ok(context, settings->word ? myr_model_spec_choose(spec, settings->name, settings->word)
                                          : myr_model_spec_set(spec, settings->name, settings->value));
    expect_ok(context, myr_model_spec_make(spec, n, seed, &particles));
    myr_model_spec_destroy(&spec);
    return particles;
}

/* x[0..2], v[0..2], mass */
typedef struct {
    int64_t n;
    const double *x[3], *v[3], *m;
} bodies;

static inline bodies bodies_of(const myr_particles *particles)
{
    bodies b = {.n = myr_particles_count(particles), .m = result(particles, "mass", 0)};
    for (int c = 0; c < 3; c++) {
        b.x[c] = result(particles, "position", c);
        b.v[c] = result(particles, "velocity", c);
    }
    return b;
}

static inline double kinetic_energy(const bodies *b)
{
    double sum = 0;
    for (int64_t i = 0; i < b->n; i++)
        for (int c = 0; c < 3; c++)
            sum += 0.5 * b->m[i] * b->v[c][i] * b->v[c][i];
    return sum;
}

/* Of all pairs, G = 1. */
static inline double potential_energy(myr_particles *particles)
{
    evaluate(myr_particles_context(particles), "gravity_potential", "double", NULL, 0, particles, particles);
    const double *potential = result(particles, "potential", 0), *m = result(particles, "mass", 0);
    double sum = 0;
    for (int64_t i = 0; i < myr_particles_count(particles); i++)
        sum += 0.5 * m[i] * potential[i];
    return sum;
}

static inline double radius(const bodies *b, int64_t i)
{
    return sqrt(b->x[0][i] * b->x[0][i] + b->x[1][i] * b->x[1][i] + b->x[2][i] * b->x[2][i]);
}

static inline int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All radii from the origin in ascending order; free() it. */
static inline double *sorted_radii(const bodies *b)
{
    double *r = malloc((size_t)b->n * sizeof *r);
    assert_non_null(r);
    for (int64_t i = 0; i < b->n; i++)
        r[i] = radius(b, i);
    qsort(r, (size_t)b->n, sizeof *r, ascending);
    return r;
}

/* Kolmogorov and Smirnov's largest distance between a sorted sample and its distribution, times sqrt(n): beyond 1.63 in
 * one case of a hundred. */
static inline double smirnov(int64_t n, const double *sorted, double (*cumulative)(double x))
{
    double worst = 0;
    for (int64_t i = 0; i < n; i++) {
        const double f = cumulative(sorted[i]);
        worst = fmax(worst, fmax(f - (double)i / (double)n, (double)(i + 1) / (double)n - f));
    }
    return worst * sqrt((double)n);
}

/* Elements of the orbit of body j about body i. */
typedef struct {
    double a, e, energy; /* energy: of the two, -G m1 m2/(2 a) */
    double distance;
} elements;

static inline elements elements_of(const bodies *b, int64_t i, int64_t j, double gravity)
{
    double x[3], v[3], r2 = 0, v2 = 0, xv = 0, e2 = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = b->x[c][j] - b->x[c][i];
        v[c] = b->v[c][j] - b->v[c][i];
        r2 += x[c] * x[c];
        v2 += v[c] * v[c];
        xv += x[c] * v[c];
    }
    const double mu = gravity * (b->m[i] + b->m[j]), r = sqrt(r2);
    for (int c = 0; c < 3; c++) { /* Laplace's vector */
        const double e = ((v2 - mu / r) * x[c] - xv * v[c]) / mu;
        e2 += e * e;
    }
    const double energy = 0.5 * v2 - mu / r;
    return (elements){.a = -mu / (2 * energy),
                      .e = sqrt(e2),
                      .energy = energy * b->m[i] * b->m[j] / (b->m[i] + b->m[j]),
                      .distance = r};
}

/* The same as expect_near; MYRIAD_SHOW_ERRORS prints what is seen. */
static inline void expect_about(const char *what, double got, double want, double bound)
{
    if (getenv("MYRIAD_SHOW_ERRORS"))
        fprintf(stderr, "%-40s %14.8g  wanted %14.8g  off %9.2e  bound %9.2e\n", what, got, want, got - want, bound);
    expect_near(what, got, want, bound);
}

#endif
