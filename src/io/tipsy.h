/* tipsy.h - declarations shared by the writer and the reader of Tipsy files.
 *
 * A file is a header (time, number of bodies, dimensions, numbers of gas, dark and star particles; 28 bytes, or 32 with
 * padding), then one record of floats per particle: first gas, then dark matter, then stars. There are no ids: programs
 * of the Tipsy family store them in a second file PATH.iord, and so does Myriad. */
#ifndef MYR_IO_TIPSY_H
#define MYR_IO_TIPSY_H

#include "io/binary.h"
#include "io/format.h"

enum {
    MYR_TIPSY_KINDS = 3,
    MYR_TIPSY_COLUMNS = 12, /* largest number of columns of a record */
    MYR_TIPSY_HEADER = 28,
    MYR_TIPSY_PADDED = 32
};

/* Number of a record: component of a field. */
typedef struct {
    const char *field;
    int component;
} myr_tipsy_column;

/* Kind of particle. */
typedef struct {
    const char *name;
    int32_t type; /* particle type, as in GADGET */
    int columns;
    myr_tipsy_column column[MYR_TIPSY_COLUMNS];
} myr_tipsy_kind;

extern const myr_tipsy_kind myr_tipsy_kinds[MYR_TIPSY_KINDS];

/* Fields of the format; ended by a null name. */
extern const myr_format_field myr_tipsy_fields[];

/* Size of a record in bytes; wide = 1: positions are doubles, a rare variant. */
uint64_t myr_tipsy_record(int kind, int wide);

/* Writes and reads ids in PATH.iord. Reading sets *found = 0, with a warning if needed, if there is no matching
 * file. */
myr_status myr_tipsy_write_ids(const myr_format_job *job, const int64_t *order);
myr_status myr_tipsy_read_ids(const myr_binary *tipsy, int64_t n, int64_t *ids, int *found);

/* Functions of the format table (format.h). */
myr_status myr_tipsy_write(const myr_format_job *job);
myr_status myr_tipsy_write_native(const myr_format_job *job);
myr_status myr_tipsy_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                          myr_snapshot_header *header);

#endif
