/* nist_states.h - means of a run and their standard errors, and the points of the Lennard-Jones fluid's equation of
 * state that NIST publishes (Standard Reference Simulation Website, SRD 173; Monte Carlo, cutoff 3 with tails). */
#ifndef MYR_TEST_NIST_STATES_H
#define MYR_TEST_NIST_STATES_H

#include "physics/liquid.h"

enum { BLOCKS = 20 };

/* The mean of a series and its standard error from blocks much longer than its memory. */
typedef struct {
    double mean, error;
} estimate;

static inline estimate estimate_of(int64_t n, const double *value)
{
    const int64_t length = n / BLOCKS;
    double block[BLOCKS] = {0}, square = 0;
    estimate e = {0, 0};
    for (int64_t k = 0; k < length * BLOCKS; k++)
        block[k / length] += value[k] / (double)length;
    for (int b = 0; b < BLOCKS; b++)
        e.mean += block[b] / BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        square += (block[b] - e.mean) * (block[b] - e.mean);
    e.error = sqrt(square / (BLOCKS * (BLOCKS - 1)));
    return e;
}

/* 2e5 steps of 864 particles at every point, on a backend. */
static inline void nist_states(const char *backend)
{
    static const struct {
        double temperature, density, energy, energy_error, pressure;
    } table[] = {{0.85, 0.776, -5.5121, 4e-4, 6.7714e-3}, {0.85, 0.86, -6.0305, 2e-4, NAN}};
    enum { SAMPLES = 8000 };
    static double energy[SAMPLES], pressure[SAMPLES];
    myr_context *context = liquid_context();
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        liquid l = {.n = 864, .density = table[k].density, .temperature = 2, .cutoff = 3, .cut = "truncated"};
        l.arithmetic = "single";
        l.backend = backend;
        l.integrator = "langevin";
        l.settings = SETTINGS({"dt", 0.004, NULL}, {"temperature", table[k].temperature, NULL}, {"friction", 1, NULL});
        l.box.tail = 1;
        myr_simulation *s = new_liquid(context, &l);
        liquid_steps(context, s, 20000);
        for (int i = 0; i < SAMPLES; i++) {
            liquid_steps(context, s, 25);
            const myr_thermodynamics t = liquid_state(context, s);
            energy[i] = t.potential / (double)l.n;
            /* the kinetic part is known */
            pressure[i] = t.pressure - 2 * t.kinetic / (3 * t.volume) + l.density * table[k].temperature;
        }
        const estimate u = estimate_of(SAMPLES, energy), p = estimate_of(SAMPLES, pressure);
        print_message("T %g rho %g: U %.5f +- %.5f (NIST %.4f), P %.5f +- %.5f (NIST %.5f)\n", table[k].temperature,
                      l.density, u.mean, u.error, table[k].energy, p.mean, p.error, table[k].pressure);
        expect_below("standard error of U", u.error, 0.002);
        expect_below("standard error of P", p.error, 0.01);
        expect_below("U", fabs(u.mean - table[k].energy), 3 * hypot(u.error, table[k].energy_error));
        if (!isnan(table[k].pressure))
            expect_below("P", fabs(p.mean - table[k].pressure), 3 * p.error);
        myr_simulation_destroy(&s);
    }
    myr_context_destroy(&context);
}

#endif
