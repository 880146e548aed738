/* particle_file.h - particles from a file of the user's: what it lacks, and the units of its numbers. */
#ifndef MYR_CLI_PARTICLE_FILE_H
#define MYR_CLI_PARTICLE_FILE_H

#include "common.h"
#include "input/physical_units.h"

enum { PARTICLE_FILE_MESSAGE = 400 };

/* Whether the particles lack the position or a field that the kernel reads, besides the velocity; the message then
 * names it and lists what the file has, or what the columns that the user has chosen hold. A null kernel reads
 * nothing. */
int particle_file_lacks(const myr_particles *particles, const myr_kernel_info *kernel, const char *path, int is_chosen,
                        char message[PARTICLE_FILE_MESSAGE]);

/* Converts particles and header from the units of the file to those of a run. `units` gives units as "field=unit", or
 * for length, mass, time or charge, which replace those of the header; null = those of the header only. Nonzero with a
 * message where that does not make sense. */
int particle_file_convert(myr_particles *particles, myr_snapshot_header *header, const units_system *system,
                          const char *const *units, char message[PARTICLE_FILE_MESSAGE]);

#endif
