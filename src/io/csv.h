/* csv.h - declarations shared by the writer and the reader of comma-separated text. */
#ifndef MYR_IO_CSV_H
#define MYR_IO_CSV_H

#include "io/format.h"
#include "io/text.h"

enum { MYR_CSV_COMPONENTS_MAX = 16 };

/* Column name that stands for a component of a field. */
typedef struct {
    const char *column, *field;
    int component;
} myr_csv_short;

/* Column names x, y, z, vx, vy, vz; ended by a null name. */
extern const myr_csv_short myr_csv_shorts[];

/* Keys of comment lines "# key = value" besides myr_text_keys. */
extern const myr_text_key myr_csv_boxes[];

/* Functions of the format table (format.h). */
myr_status myr_csv_write(const myr_format_job *job);
myr_status myr_csv_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header);

#endif
