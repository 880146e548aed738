/* particle_parts_layout.h - byte layout of a part, shared by writer and reader. */
#ifndef MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_LAYOUT_H
#define MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_LAYOUT_H

#include "molecular/molecular.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/simulation.h"

#define MYR_PARTICLE_PARTS_FIELDS "fields" /* section with the names of the user's fields */
#define MYR_PARTICLE_PARTS_PREFIX "field " /* prefix of a column that is a field of the user's set */
enum {
    MYR_PARTICLE_PARTS_NAME = 88,
    MYR_PARTICLE_PARTS_COLUMNS = 4096
}; /* characters of a name; largest number of columns */

typedef struct {
    int64_t particles, columns;
} myr_particle_parts_head;

typedef struct {
    char name[MYR_PARTICLE_PARTS_NAME];
    int64_t bytes; /* bytes per particle */
} myr_particle_parts_column_head;

/* Start of section "field K" for particles that are not in an engine; followed by the values, [component][particle]. */
typedef struct {
    char name[64];
    int64_t components;
} myr_particle_parts_field_head;

/* A column and its location in memory: an array of the engine, or a field of the user's set, which particles of a
 * divided box carry with them. */
typedef struct {
    myr_particle_parts_column_head head;
    void **array;
    const char *field;
    int carried; /* divided box: index of its first component among all carried components */
} myr_particle_parts_column;

/* Columns of a simulation whose particles are in the engine; the caller frees them. */
myr_status myr_particle_parts_columns(myr_simulation *s, myr_particle_parts_column **column, int64_t *columns);

#endif
