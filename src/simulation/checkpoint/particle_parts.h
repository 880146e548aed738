/* particle_parts.h - the particles of an engine in a checkpoint: parts of at most MYR_STORE_PARTICLES of them with all
 * that is theirs, which every rank writes for its own. A part is
 *
 *   a head      the number of particles, and of columns
 *   columns     name and bytes of a particle of each
 *   values      one column after the other
 *
 * with the arrays of the engine (molecular/arrays.c) and what the user's set has besides ("field NAME", all components
 * of a particle together). "place" is the row of a particle in the user's set: the order within parts is that of the
 * engine's memory, and depends on the ranks. A section "fields" has the names of the fields of that set. */
#ifndef MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_H
#define MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_H

#include "io/checkpoint.h"
#include "simulation/simulation.h"

enum { MYR_STORE_PARTICLES = 65536 };

/* Writes the parts of all ranks; w: null on ranks that help. The writer has no section yet. */
myr_status myr_store_save(myr_simulation *s, myr_checkpoint_writer *w);

/* The names of the fields of the user's set. */
myr_status myr_store_save_fields(const myr_simulation *s, myr_checkpoint_writer *w);

/* The user's set from all parts, without what the engine knows better: positions and velocities are 0. `count`
 * particles, as many as there must be. */
myr_status myr_store_load_set(myr_context *context, const myr_checkpoint *file, int64_t count, myr_particles **set);

/* The same without particles: the fields that they have. */
myr_status myr_store_load_fields(myr_context *context, const myr_checkpoint *file, myr_particles **set);

/* The arrays of the engine, which has been made from that set; one made from no particles takes those of the parts that
 * are here. */
myr_status myr_store_load_engine(myr_simulation *s, const myr_checkpoint *file);

/* The particles that the engine has read and not moved yet as a set of the user's fields, in the order of memory. */
myr_status myr_store_set(myr_simulation *s, myr_particles **set);

#endif
