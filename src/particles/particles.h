/* particles.h - names of particles that go with copies of a set. */
#ifndef MYR_PARTICLES_PARTICLES_H
#define MYR_PARTICLES_PARTICLES_H

#include <myriad/particles.h>

/* Gives the particles of `to` the names of those of `from`, in the same order without the particles with gone[i] != 0;
 * gone null = all are there. */
myr_status myr_particles_copy_names(const myr_particles *from, const unsigned char *gone, myr_particles *to);

#endif
