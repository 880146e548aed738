/* particle_parts.h - particles of an engine in a checkpoint: parts of at most MYR_PARTICLE_PARTS_PARTICLES particles
 * with all their data, written by each rank for its own particles. A part is
 *
 *   a head      number of particles, and of columns
 *   columns     name and bytes per particle of each
 *   values      one column after the other
 *
 * with the arrays of the engine (molecular/arrays.c) and the other fields of the user's set ("field NAME", all
 * components of a particle together). "place" is the row of a particle in the user's set: the order within parts is
 * that of the engine's memory, and depends on the number of ranks. A section "fields" has the names of the fields of
 * that set. */
#ifndef MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_H
#define MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_H

#include "io/checkpoint.h"
#include "simulation/simulation.h"

enum { MYR_PARTICLE_PARTS_PARTICLES = 65536 };

/* Writes the parts of all ranks; w: null on ranks other than 0. The writer must have no section yet. */
myr_status myr_particle_parts_save(myr_simulation *s, myr_checkpoint_writer *w);

/* Writes the names of the fields of the user's set. */
myr_status myr_particle_parts_save_fields(const myr_simulation *s, myr_checkpoint_writer *w);

/* Reads the user's set of `count` particles from all parts, except data held by the engine: positions and velocities
 * are 0. */
myr_status myr_particle_parts_load_set(myr_context *context, const myr_checkpoint *file, int64_t count,
                                       myr_particles **set);

/* Reads the fields of the user's set, without particles. */
myr_status myr_particle_parts_load_fields(myr_context *context, const myr_checkpoint *file, myr_particles **set);

/* Reads the arrays of the engine, which was made from that set; an engine made from no particles takes those of the
 * parts on this rank. */
myr_status myr_particle_parts_load_engine(myr_simulation *s, const myr_checkpoint *file);

/* Makes a set of the user's fields from the particles that the engine has read and not moved yet, in memory order. */
myr_status myr_particle_parts_set(myr_simulation *s, myr_particles **set);

#endif
