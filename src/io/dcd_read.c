/* dcd_read.c - reads one frame of a DCD file of CHARMM, X-PLOR, NAMD or LAMMPS, in either byte order. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/binary.h"
#include "io/dcd.h"

typedef struct {
    myr_binary in;
    uint32_t number[20];
    double delta;
    int cell, fourth;
    int64_t n, frames;
    uint64_t first, bytes; /* offset of the first frame, and bytes per frame */
} dcd_reader;

/* Checks the block at *at and advances *at to its end; expected = 0 accepts any length. */
static myr_status dcd_block(const dcd_reader *r, uint64_t *at, const char *what, uint64_t expected, uint64_t *length)
{
    unsigned char before[4], behind[4];
    myr_status status = myr_binary_read(&r->in, *at, what, before, sizeof before);
    if (status)
        return status;
    *length = myr_binary_u32(&r->in, before);
    if (expected && *length != expected)
        return myr_binary_fail(&r->in, *at, "the block of the %s has %llu bytes, not %llu", what,
                               (unsigned long long)*length, (unsigned long long)expected);
    if (*at + 8 + *length > r->in.size)
        return myr_binary_fail(&r->in, *at, "the file is cut short within the %s", what);
    status = myr_binary_read(&r->in, *at + 4 + *length, what, behind, sizeof behind);
    if (!status && myr_binary_u32(&r->in, behind) != *length)
        status = myr_binary_fail(&r->in, *at + 4 + *length, "the block of the %s does not end as it began", what);
    *at += 8 + *length;
    return status;
}

static myr_status dcd_head(dcd_reader *r)
{
    unsigned char head[4 + MYR_DCD_HEAD], count[4];
    uint64_t at = 0, length = 0;
    float delta;
    myr_status status = myr_binary_read(&r->in, 0, "head", head, sizeof head);
    if (status)
        return status;
    r->in.swapped = myr_binary_u32(&r->in, head) != MYR_DCD_HEAD;
    if (myr_binary_u32(&r->in, head) != MYR_DCD_HEAD || memcmp(head + 4, "CORD", 4) != 0)
        return myr_binary_fail(&r->in, 0, "this is not the head of a DCD file: a block of 84 bytes with 'CORD'");
    status = dcd_block(r, &at, "head", MYR_DCD_HEAD, &length);
    if (!status)
        status = dcd_block(r, &at, "title", 0, &length);
    if (!status)
        status = dcd_block(r, &at, "number of atoms", 4, &length);
    if (!status)
        status = myr_binary_read(&r->in, at - 8, "number of atoms", count, sizeof count);
    if (status)
        return status;
    for (int k = 0; k < 20; k++)
        r->number[k] = myr_binary_u32(&r->in, head + 8 + 4 * k);
    memcpy(&delta, &r->number[MYR_DCD_DELTA], sizeof delta);
    const int charmm = r->number[MYR_DCD_VERSION] != 0;
    r->delta = charmm ? delta : myr_binary_f64(&r->in, head + 8 + 4 * MYR_DCD_DELTA);
    r->cell = charmm && r->number[MYR_DCD_CELL] == 1;
    r->fourth = charmm && r->number[MYR_DCD_FOURTH] == 1;
    r->n = myr_binary_u32(&r->in, count);
    r->first = at;
    if (r->number[MYR_DCD_FIXED] != 0)
        return myr_binary_fail(&r->in, 8 + 4 * MYR_DCD_FIXED, "files with fixed atoms (%u) cannot be read",
                               r->number[MYR_DCD_FIXED]);
    if (r->n < 1 || r->n > INT32_MAX / 4)
        return myr_binary_fail(&r->in, at - 8, "the number of atoms cannot be %lld", (long long)r->n);
    return MYR_OK;
}

/* Number of complete frames in the file; the header of a file that is still being written may give another number. */
static void dcd_count(dcd_reader *r)
{
    r->bytes = (uint64_t)(r->cell ? 56 : 0) + (uint64_t)(r->fourth ? 4 : 3) * (uint64_t)(4 * r->n + 8);
    r->frames = (int64_t)((r->in.size - r->first) / r->bytes);
    if ((uint64_t)r->frames * r->bytes != r->in.size - r->first)
        myr_context_warn(r->in.context, "'%s' ends within a frame: %lld whole ones can be read", r->in.path,
                         (long long)r->frames);
    else if (r->number[MYR_DCD_FRAMES] != (uint32_t)r->frames && r->number[MYR_DCD_FRAMES] != 0)
        myr_context_warn(r->in.context, "'%s' says that it has %u frames, and has %lld", r->in.path,
                         r->number[MYR_DCD_FRAMES], (long long)r->frames);
}

/* Reads the cell. Angles are stored in degrees or as cosines: a right angle is 90 or 0. */
static myr_status dcd_cell(const dcd_reader *r, uint64_t *at, double box[3])
{
    static const int edge[3] = {0, 2, 5}, angle[3] = {4, 3, 1};
    unsigned char bytes[48];
    uint64_t length = 0;
    const uint64_t start = *at + 4;
    int tilted = 0;
    myr_status status = dcd_block(r, at, "cell", sizeof bytes, &length);
    if (!status)
        status = myr_binary_read(&r->in, start, "cell", bytes, sizeof bytes);
    for (int c = 0; !status && c < 3; c++) {
        const double turn = myr_binary_f64(&r->in, bytes + 8 * angle[c]);
        box[c] = myr_binary_f64(&r->in, bytes + 8 * edge[c]);
        tilted |= box[c] != 0 && fabs(turn - 90) > 1e-9 && fabs(turn) > 1e-9;
    }
    if (!status && tilted) {
        myr_context_warn(r->in.context, "'%s' has a box with edges that are not along the axes; it is left out",
                         r->in.path);
        box[0] = box[1] = box[2] = 0;
    }
    return status;
}

static myr_status dcd_frame(const dcd_reader *r, int64_t frame, myr_particles *into, double box[3])
{
    uint64_t at = r->first + (uint64_t)frame * r->bytes, length = 0;
    myr_status status = r->cell ? dcd_cell(r, &at, box) : MYR_OK;
    for (int c = 0; !status && c < 3; c++) {
        const uint64_t start = at + 4;
        const myr_binary_column column = {.kind = MYR_BINARY_FLOAT, .to = myr_particles_component(into, "position", c)};
        status = dcd_block(r, &at, "positions", (uint64_t)(4 * r->n), &length);
        if (!status)
            status = myr_binary_get_columns(&r->in, start, r->n, 1, &column, NULL);
    }
    return status;
}

myr_status myr_dcd_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                        myr_snapshot_header *header)
{
    dcd_reader r = {0};
    myr_status status = myr_binary_open(context, path, &r.in);
    if (!status)
        status = dcd_head(&r);
    if (!status) {
        dcd_count(&r);
        status = r.frames ? myr_format_frame(context, path, r.frames, &frame)
                          : myr_binary_fail(&r.in, r.first, "the file is cut short: it has no whole frame");
    }
    if (!status)
        status = myr_particles_create(context, r.n, particles);
    if (!status)
        status = myr_particles_add_field(*particles, "position", 3);
    if (!status)
        status = dcd_frame(&r, frame, *particles, header->box);
    header->frame = frame;
    header->frames = r.frames;
    header->time = ((double)r.number[MYR_DCD_START] + (double)frame * r.number[MYR_DCD_EVERY]) * r.delta;
    myr_binary_close(&r.in);
    if (status)
        myr_particles_destroy(particles);
    return status;
}
