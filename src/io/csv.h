/* csv.h - what the writer and the reader of comma-separated text share. */
#ifndef MYR_IO_CSV_H
#define MYR_IO_CSV_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_CSV_COMPONENTS_MAX = 16 };

/* A column with a name of its own. */
typedef struct {
    const char *column, *field;
    int component;
} myr_csv_short;

/* x, y, z, vx, vy, vz; ends with a null name. */
extern const myr_csv_short myr_csv_shorts[];

/* Header lines "# key = value" besides myr_text_keys. */
extern const myr_text_key myr_csv_boxes[];

/* As in format.h. */
myr_status myr_csv_write(const myr_format_job *job);
myr_status myr_csv_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header);

#endif
