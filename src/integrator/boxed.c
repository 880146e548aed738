/* boxed.c - tables of the integrators for particles in a box; src/molecular makes the steps.
 *
 *   verlet        velocity Verlet: constant energy, symplectic
 *   langevin      friction and noise, BAOAB splitting (Leimkuhler and Matthews 2013)
 *   nose_hoover   chain of thermostats (Martyna, Klein and Tuckerman 1992)
 *   berendsen     velocity scaling towards the temperature: samples no ensemble, for equilibration only */
#include "integrator/integrator.h"

#define HUGE_NUMBER 1e300
#define PARAMETER_STEP [MYR_MOLECULAR_STEP] = {"dt", "time step", 0.001, 1e-300, HUGE_NUMBER}
#define PARAMETERS_HEAT                                                                                                \
    [MYR_MOLECULAR_TEMPERATURE] = {"temperature", "k T of the heat bath", 1, 0, HUGE_NUMBER},                          \
    [MYR_MOLECULAR_TEMPERATURE_END] = {"temperature_end", "k T at the end of the ramp", 1, 0, HUGE_NUMBER},            \
    [MYR_MOLECULAR_RAMP] = {"ramp", "time in which the temperature goes to temperature_end; 0 = it stays", 0, 0,       \
                            HUGE_NUMBER}

const myr_integrator_table myr_integrator_verlet = {
    .info = {.name = "verlet",
             .text = "velocity Verlet in a box: constant energy, fixed step",
             .order = 2,
             .symplectic = 1,
             .reversible = 1,
             .needs_box = 1,
             .param = {PARAMETER_STEP}},
    .molecular = MYR_MOLECULAR_VERLET,
};

const myr_integrator_table myr_integrator_langevin = {
    .info = {.name = "langevin",
             .text = "Langevin dynamics in a box (BAOAB): constant temperature by friction and noise, fixed step",
             .order = 2,
             .needs_box = 1,
             .param = {PARAMETER_STEP, PARAMETERS_HEAT,
                       [MYR_MOLECULAR_COUPLING] = {"friction", "rate at which velocities are forgotten", 1, 0,
                                                   HUGE_NUMBER}}},
    .molecular = MYR_MOLECULAR_LANGEVIN,
};

const myr_integrator_table myr_integrator_nose_hoover = {
    .info = {.name = "nose_hoover",
             .text = "Nose-Hoover chain in a box: constant temperature, fixed step",
             .order = 2,
             .reversible = 1,
             .needs_box = 1,
             .param = {PARAMETER_STEP, PARAMETERS_HEAT,
                       [MYR_MOLECULAR_COUPLING] = {"period", "period of the oscillations of the temperature", 1, 1e-300,
                                                   HUGE_NUMBER},
                       [MYR_MOLECULAR_CHAIN] = {"chain", "number of thermostats in the chain", 3, 1, 8}}},
    .molecular = MYR_MOLECULAR_NOSE_HOOVER,
};

const myr_integrator_table myr_integrator_berendsen = {
    .info = {.name = "berendsen",
             .text = "velocities scaled towards a temperature in a box; for equilibration only: fluctuations are wrong",
             .order = 2,
             .needs_box = 1,
             .param = {PARAMETER_STEP, PARAMETERS_HEAT,
                       [MYR_MOLECULAR_COUPLING] = {"period", "time in which the temperature error falls by 1/e", 1,
                                                   1e-300, HUGE_NUMBER}}},
    .molecular = MYR_MOLECULAR_BERENDSEN,
};
