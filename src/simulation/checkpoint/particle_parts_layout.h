/* particle_parts_layout.h - the bytes of a part: what those who write and those who read it agree on. */
#ifndef MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_LAYOUT_H
#define MYR_SIMULATION_CHECKPOINT_PARTICLE_PARTS_LAYOUT_H

#include "molecular/molecular.h"
#include "simulation/ranks/box_domains.h"
#include "simulation/simulation.h"

#define MYR_STORE_FIELDS "fields"                       /* section with the names of the user's fields */
#define MYR_STORE_PREFIX "field "                       /* column of a field of the user's set */
enum { MYR_STORE_NAME = 88, MYR_STORE_COLUMNS = 4096 }; /* characters; columns at most */

typedef struct {
    int64_t particles, columns;
} myr_store_head;

typedef struct {
    char name[MYR_STORE_NAME];
    int64_t bytes; /* of a particle */
} myr_store_column_head;

/* The beginning of section "field K" of particles that are in no engine; then the values, [component][particle]. */
typedef struct {
    char name[64];
    int64_t components;
} myr_store_field_head;

/* A column, and where it is here: an array of the engine, or a field of the user's set, which particles of a divided
 * box carry with them. */
typedef struct {
    myr_store_column_head head;
    void **array;
    const char *field;
    int carried; /* of a divided box: the first of its components among all that particles carry */
} myr_store_column;

/* The columns of a simulation whose particles are in the engine; free them. */
myr_status myr_store_columns(myr_simulation *s, myr_store_column **column, int64_t *columns);

#endif
