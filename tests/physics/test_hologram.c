/* test_hologram.c - light at 633 nm from half a metre: the fringe of one source, and Young's fringes of two. Positions
 * are numbers that a float holds, so that every arithmetic is judged by the same answer. */
#include "physics/physics.h"

enum { SCREEN = 1001 };

/* A line of points on the screen, 20 mm wide. */
static void screen(myr_particles *p, double *x)
{
    for (int i = 0; i < SCREEN; i++) {
        x[3 * i] = (double)(float)(2e-5 * (i - SCREEN / 2));
        x[3 * i + 1] = (double)(float)1e-3;
        x[3 * i + 2] = 0.0;
    }
    set_field(p, "position", 3, x);
}

/* exp(2 pi i (r/lambda + phase)) a/r in long double: 64 bits leave 1e-13 turns of 790,000. */
static void wave(const double *from, const double *to, double amplitude, double phase, double *re, double *im)
{
    long double r2 = 0.0L;
    for (int k = 0; k < 3; k++)
        r2 += ((long double)to[k] - from[k]) * ((long double)to[k] - from[k]);
    const long double r = sqrtl(r2), turns = r / (long double)633e-9 + phase;
    const long double angle = 2.0L * 3.14159265358979323846264L * (turns - roundl(turns));
    *re = (double)(amplitude / r * cosl(angle));
    *im = (double)(amplitude / r * sinl(angle));
}

/* Amplitude and phase of one source, in turns. */
static void fringe_of_one_source(void **state)
{
    static double x[3 * SCREEN];
    const double lamp[3] = {(double)(float)0.0123, (double)(float)-0.0042, 0.5};
    /* measured 2.9e-7, 2.9e-7, 2.9e-7, 5.2e-13 of the amplitude; 1e-4 turns would be 6.3e-4 */
    const double bound[ARITHMETICS] = {1.4e-6, 1.4e-6, 1.4e-6, 2.5e-12};
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, SCREEN), *source = new_particles(context, 1);
    (void)state;
    screen(p, x);
    set_field(source, "position", 3, lamp);
    set_field(source, "amplitude", 1, (const double[]){1.5});
    set_field(source, "phase", 1, (const double[]){0.25});
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "hologram", arithmetics[a], NULL, 0.0, p, source);
        for (int i = 0; i < SCREEN; i++) {
            double re, im;
            wave(lamp, x + 3 * i, 1.5, 0.25, &re, &im);
            const double size = hypot(re, im);
            keep_largest(&worst, fabs(result(p, "real", 0)[i] - re) / size);
            keep_largest(&worst, fabs(result(p, "imaginary", 0)[i] - im) / size);
        }
        expect_below("fringe of one source", worst, bound[a]);
    }
    myr_particles_destroy(&source);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

/* Two sources d apart at the distance D: dark where their phases differ by half a turn, bright in the middle. Which
 * points of the screen are dark follows from the path difference alone, d x/sqrt(D^2 + x^2) to first order in d. */
static void fringes_of_two_sources(void **state)
{
    static double x[3 * SCREEN];
    const double lamps[6] = {0x1p-13, 0.0, 0.5, -0x1p-13, 0.0, 0.5}; /* d = 0.244 mm: fringes of 1.3 mm */
    myr_context *context = new_context();
    myr_particles *p = new_particles(context, SCREEN), *sources = new_particles(context, 2);
    (void)state;
    screen(p, x);
    set_field(sources, "position", 3, lamps);
    fill_field(sources, "amplitude", 1.0);
    fill_field(sources, "phase", 0.0);
    for (int a = 0; a < ARITHMETICS; a++) {
        double worst = 0.0;
        evaluate(context, "hologram", arithmetics[a], NULL, 0.0, p, sources);
        for (int i = 0; i < SCREEN; i++) {
            const double re = result(p, "real", 0)[i], im = result(p, "imaginary", 0)[i];
            const double r2 = x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + 0.25;
            const double path = 0x1p-12 * x[3 * i] / sqrt(r2), half = cos(PI * path / 633e-9);
            keep_largest(&worst, fabs((re * re + im * im) * r2 / 4.0 - half * half));
        }
        expect_below("Young's fringes", worst, 3e-6); /* measured 7.7e-7, from the first order in d */
    }
    myr_particles_destroy(&sources);
    myr_particles_destroy(&p);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fringe_of_one_source),
        cmocka_unit_test(fringes_of_two_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
