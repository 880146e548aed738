/* dcd.c - DCD, the binary trajectory format of CHARMM, NAMD and LAMMPS, which VMD and MDAnalysis read: positions as
 * floats and a cell per frame, in blocks with their length before and after.
 *
 *   84          "CORD", 20 numbers            (dcd.h)
 *   4 + 80 n    n lines of title
 *   4           number of atoms
 *   per frame:  48 bytes of cell: a, gamma, b, beta, alpha, c;  then the x of all atoms, the y, the z
 *
 * The format has no ids: atoms are written in the order of their ids, so that an atom has the same index in all frames.
 * It has a single time interval instead of times: that of the first two frames, in the unit of the format if the unit
 * of time is known. */
#include "io/dcd.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/binary.h"

static const double dcd_second = 1 / 4.888821e-14; /* one second in the CHARMM unit of time */

enum { DCD_TITLE = 80 };

static const myr_format_field dcd_fields[] = {{"position", "x y z", 3, 0}, {0, 0, 0, 0}};

static int dcd_probe(const myr_format_file *file)
{
    const unsigned char *head = file->head;
    return file->head_size >= 8 && memcmp(head + 4, "CORD", 4) == 0 &&
                   (memcmp(head, "T\0\0\0", 4) == 0 || memcmp(head, "\0\0\0T", 4) == 0)
               ? MYR_FORMAT_SURELY
               : MYR_FORMAT_NO;
}

const myr_format myr_dcd_format = {
    .info = {"dcd", "DCD, positions as floats, for VMD and MDAnalysis", 1},
    .endings = {".dcd"},
    .fields = dcd_fields,
    .bits = 32,
    .keeps = MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_FRAMES,
    .many_frames = 1,
    .probe = dcd_probe,
    .write = myr_dcd_write,
    .read = myr_dcd_read,
};

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int64_t id, place;
} dcd_place;

static int dcd_compare(const void *a, const void *b)
{
    const int64_t x = ((const dcd_place *)a)->id, y = ((const dcd_place *)b)->id;
    return (x > y) - (x < y);
}

/* Indices of the particles of a frame in the order of their ids. */
static void dcd_sort(const myr_particles *p, dcd_place *room, int64_t *place)
{
    const int64_t n = myr_particles_count(p);
    for (int64_t i = 0; i < n; i++)
        room[i] = (dcd_place){myr_particles_ids(p)[i], i};
    qsort(room, (size_t)n, sizeof *room, dcd_compare);
    for (int64_t i = 0; i < n; i++)
        place[i] = room[i].place;
}

static void dcd_put_head(myr_binary_out *out, const myr_format_job *job)
{
    static const char title[DCD_TITLE] = "Written by Myriad";
    uint32_t number[20] = {0};
    const double interval = job->frames > 1 ? job->frame_header[1].time - job->header.time : 0;
    const float delta = (float)(interval * (job->header.unit_time > 0 ? job->header.unit_time * dcd_second : 1));
    number[MYR_DCD_FRAMES] = (uint32_t)job->frames;
    number[MYR_DCD_EVERY] = 1;
    memcpy(&number[MYR_DCD_DELTA], &delta, sizeof delta);
    number[MYR_DCD_CELL] = 1;
    number[MYR_DCD_VERSION] = 24;
    myr_binary_put_u32(out, MYR_DCD_HEAD);
    myr_binary_put(out, "CORD", 4);
    for (int k = 0; k < 20; k++)
        myr_binary_put_u32(out, number[k]);
    myr_binary_put_u32(out, MYR_DCD_HEAD);
    myr_binary_put_u32(out, 4 + DCD_TITLE);
    myr_binary_put_u32(out, 1);
    myr_binary_put(out, title, sizeof title);
    myr_binary_put_u32(out, 4 + DCD_TITLE);
    myr_binary_put_u32(out, 4);
    myr_binary_put_u32(out, (uint32_t)myr_particles_count(job->particles));
    myr_binary_put_u32(out, 4);
}

/* Writes a frame; the edge of a non-periodic axis is 0. */
static void dcd_put_frame(myr_binary_out *out, const myr_particles *p, const double box[3], const int64_t *place)
{
    const double cell[6] = {box[0], 90, box[1], 90, 90, box[2]};
    const int64_t n = myr_particles_count(p);
    myr_binary_put_u32(out, sizeof cell);
    for (int k = 0; k < 6; k++)
        myr_binary_put_f64(out, cell[k]);
    myr_binary_put_u32(out, sizeof cell);
    for (int c = 0; c < 3; c++) {
        const myr_binary_column column = {.kind = MYR_BINARY_FLOAT,
                                          .from = myr_particles_component_const(p, "position", c)};
        myr_binary_put_u32(out, (uint32_t)(4 * n));
        myr_binary_put_columns(out, n, 1, &column, place);
        myr_binary_put_u32(out, (uint32_t)(4 * n));
    }
}

static myr_status dcd_check(const myr_format_job *job)
{
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    if (n < 1 || n > INT32_MAX / 4)
        return myr_context_fail(context, MYR_ERROR_VALUE, "the format dcd holds 1 to %d particles, not %lld",
                                INT32_MAX / 4, (long long)n);
    if (job->frames > INT32_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "the format dcd holds at most %d frames", INT32_MAX);
    if (job->fields != 1)
        return myr_context_fail(context, MYR_ERROR_FIELD, "the format dcd needs the field 'position'");
    for (int64_t f = 1; f < job->frames; f++)
        if (myr_particles_count(job->frame[f]) != n)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the format dcd needs as many particles in all frames: frame 0 has %lld, frame "
                                    "%lld has %lld",
                                    (long long)n, (long long)f, (long long)myr_particles_count(job->frame[f]));
    return MYR_OK;
}

myr_status myr_dcd_write(const myr_format_job *job)
{
    myr_binary_out out;
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    myr_status status = dcd_check(job);
    if (status)
        return status;
    dcd_place *room = myr_memory_zeros(n, sizeof *room);
    int64_t *place = myr_memory_zeros(n, sizeof *place);
    if (!room || !place)
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", job->path);
    if (!status)
        status = myr_binary_create(context, job->path, (uint64_t)job->frames * (uint64_t)(12 * n + 80), &out);
    if (!status) {
        dcd_put_head(&out, job);
        for (int64_t f = 0; f < job->frames; f++) {
            dcd_sort(job->frame[f], room, place);
            dcd_put_frame(&out, job->frame[f], job->frame_header[f].box, place);
        }
        status = myr_binary_publish(&out);
    }
    free(room);
    free(place);
    return status;
}
