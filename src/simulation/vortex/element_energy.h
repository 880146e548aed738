/* element_energy.h - kinetic energy of vortex elements in open space. */
#ifndef MYR_SIMULATION_ELEMENT_ENERGY_H
#define MYR_SIMULATION_ELEMENT_ENERGY_H

#include "interaction/interaction.h"

/* Kinetic energy over all space per density, half the integral of vorticity times vector potential, of elements with
 * position, strength and core: a sum over pairs, each with its combined core. All pairs are summed one by one if the
 * method of `motion` does so; otherwise far pairs go through its far field, with its tolerance. */
myr_status myr_element_energy(const myr_interaction *motion, const myr_particles *elements, double *energy);

#endif
