/* netcdf_read.c - reads one frame of a NetCDF file of AMBER: trajectories and restart files, classic formats. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/binary.h"
#include "io/netcdf.h"

enum { NC_NAME = 64, NC_DIMS = 32, NC_INDICES = 8, NC_KEPT = 5, NC_LISTED = 4096 };
enum { NC_TIME, NC_POSITION, NC_VELOCITY, NC_LENGTHS, NC_ANGLES };
#define NC_STREAMING 0xffffffffu /* number of frames of a file that was not closed */
#define NC_MASS (1e-3 / 6.02214076e23)
#define NC_CHARGE 1.602176634e-19

static const char *const kept_name[NC_KEPT] = {"time", "coordinates", "velocities", "cell_lengths", "cell_angles"};

typedef struct {
    int there, kind, by_frame, indices;
    uint32_t index[NC_INDICES];
    uint64_t begin;
    double scale;
} nc_variable;

typedef struct {
    myr_binary in;
    uint64_t at; /* offset of the next number of the head */
    int wide;    /* bytes of an offset */
    uint64_t records, frame_bytes, frame_begin;
    uint32_t dims;
    char dim_name[NC_DIMS][NC_NAME];
    uint64_t dim[NC_DIMS];
    int frame_dim; /* number of the dimension without a length, or -1 */
    int frame_variables;
    uint64_t frame_last; /* bytes of the last variable of a frame, not padded */
    nc_variable kept[NC_KEPT];
    int64_t n, frames;
} nc_reader;

/* --- numbers of the head ------------------------------------------------------------------------------------------ */

static myr_status head_number(nc_reader *r, int width, uint64_t *value)
{
    unsigned char bytes[8];
    const myr_status status = myr_binary_read(&r->in, r->at, "head", bytes, (size_t)width);
    *value = 0;
    for (int k = 0; !status && k < width; k++)
        *value = *value << 8 | bytes[k];
    r->at += (uint64_t)width;
    return status;
}

/* Moves past bytes that are padded to a multiple of four. */
static myr_status head_skip(nc_reader *r, uint64_t bytes)
{
    if (bytes > r->in.size - r->at)
        return myr_binary_fail(&r->in, r->at, "the head has a part of %llu bytes, more than the file",
                               (unsigned long long)bytes);
    r->at += (bytes + 3) / 4 * 4;
    return r->at <= r->in.size ? MYR_OK : myr_binary_fail(&r->in, r->in.size, "the file is cut short within its head");
}

static myr_status head_name(nc_reader *r, char name[NC_NAME])
{
    uint64_t length;
    myr_status status = head_number(r, 4, &length);
    const uint64_t from = r->at;
    if (!status)
        status = head_skip(r, length);
    memset(name, 0, NC_NAME);
    if (!status && length < NC_NAME)
        status = myr_binary_read(&r->in, from, "head", name, (size_t)length);
    return status;
}

/* A list begins with its tag and the number of entries, or is empty. */
static myr_status head_list(nc_reader *r, uint64_t tag, uint64_t *count)
{
    uint64_t found;
    const uint64_t from = r->at;
    myr_status status = head_number(r, 4, &found);
    if (!status)
        status = head_number(r, 4, count);
    if (!status && ((found != tag && (found || *count)) || *count > NC_LISTED))
        status = myr_binary_fail(&r->in, from, "this is no head of a NetCDF file");
    return status;
}

/* Bytes of a number; 0 = no such type. */
static int type_width(uint64_t kind)
{
    static const int width[] = {0, 1, 1, 2, 4, 4, 8};
    return kind < sizeof width / sizeof width[0] ? width[kind] : 0;
}

/* Attributes: scale_factor counts, others are skipped. */
static myr_status head_attributes(nc_reader *r, double *scale)
{
    uint64_t count, kind, length;
    char name[NC_NAME];
    myr_status status = head_list(r, MYR_NC_ATTRIBUTES, &count);
    for (uint64_t k = 0; !status && k < count; k++) {
        status = head_name(r, name);
        if (!status)
            status = head_number(r, 4, &kind);
        if (!status)
            status = head_number(r, 4, &length);
        if (!status && !type_width(kind))
            status = myr_binary_fail(&r->in, r->at, "the attribute '%s' has the unknown type %llu", name,
                                     (unsigned long long)kind);
        unsigned char bytes[8];
        if (!status && scale && length == 1 && strcmp(name, "scale_factor") == 0 && kind >= MYR_NC_FLOAT &&
            !(status = myr_binary_read(&r->in, r->at, "scale_factor", bytes, kind == MYR_NC_FLOAT ? 4 : 8))) {
            const uint32_t bits = myr_binary_u32(&r->in, bytes);
            float narrow;
            memcpy(&narrow, &bits, sizeof narrow);
            *scale = kind == MYR_NC_FLOAT ? (double)narrow : myr_binary_f64(&r->in, bytes);
        }
        if (!status)
            status = head_skip(r, length * (uint64_t)type_width(kind));
    }
    return status;
}

static myr_status head_dimensions(nc_reader *r)
{
    uint64_t count;
    const uint64_t from = r->at;
    myr_status status = head_list(r, MYR_NC_DIMENSIONS, &count);
    if (!status && count > NC_DIMS)
        return myr_binary_fail(&r->in, from, "%llu dimensions are not those of AMBER", (unsigned long long)count);
    r->dims = status ? 0 : (uint32_t)count;
    r->frame_dim = -1;
    for (uint32_t k = 0; !status && k < r->dims; k++) {
        status = head_name(r, r->dim_name[k]);
        if (!status)
            status = head_number(r, 4, &r->dim[k]);
        if (!status && r->dim[k] == 0)
            r->frame_dim = (int)k;
    }
    return status;
}

/* One variable: its place if it is needed, its bytes in a frame if it has some. */
static myr_status head_variable(nc_reader *r)
{
    char name[NC_NAME];
    uint64_t count, index, kind, bytes = 1, declared;
    nc_variable v = {.there = 1, .scale = 1};
    myr_status status = head_name(r, name);
    if (!status)
        status = head_number(r, 4, &count);
    if (!status && count > NC_INDICES)
        return myr_binary_fail(&r->in, r->at, "the variable '%s' has %llu dimensions", name, (unsigned long long)count);
    for (uint64_t k = 0; !status && k < count; k++) {
        status = head_number(r, 4, &index);
        if (!status && index >= r->dims)
            return myr_binary_fail(&r->in, r->at, "the variable '%s' has a dimension that is not there", name);
        v.index[v.indices++] = (uint32_t)index;
        v.by_frame |= k == 0 && !status && (int)index == r->frame_dim;
        bytes *= status || (k == 0 && v.by_frame) ? 1 : r->dim[index];
        if (bytes > r->in.size)
            return myr_binary_fail(&r->in, r->at,
                                   "the variable '%s' is larger than the file, which is cut short or damaged", name);
    }
    if (!status)
        status = head_attributes(r, &v.scale);
    if (!status)
        status = head_number(r, 4, &kind);
    if (!status)
        status = head_number(r, 4, &declared);
    if (!status)
        status = head_number(r, r->wide, &v.begin);
    if (status)
        return status;
    if (!type_width(kind))
        return myr_binary_fail(&r->in, r->at, "the variable '%s' has the unknown type %llu", name,
                               (unsigned long long)kind);
    v.kind = (int)kind;
    bytes *= (uint64_t)type_width(kind);
    if (v.by_frame) {
        r->frame_begin = r->frame_variables++ && r->frame_begin < v.begin ? r->frame_begin : v.begin;
        r->frame_bytes += (bytes + 3) / 4 * 4;
        r->frame_last = bytes;
    }
    for (int k = 0; k < NC_KEPT; k++)
        if (strcmp(name, kept_name[k]) == 0)
            r->kept[k] = v;
    return MYR_OK;
}

static myr_status reader_head(nc_reader *r)
{
    unsigned char magic[4];
    uint64_t count = 0;
    myr_status status = myr_binary_read(&r->in, 0, "head", magic, sizeof magic);
    if (status)
        return status;
    if (memcmp(magic, "CDF", 3) != 0 || (magic[3] != 1 && magic[3] != 2))
        return myr_binary_fail(&r->in, 0,
                               "this is no NetCDF file of the classic formats CDF-1 and CDF-2, which AMBER writes by "
                               "default (nccopy -k cdf2 converts others)");
    const uint16_t one = 1;
    r->in.swapped = *(const unsigned char *)&one; /* files are big-endian */
    r->wide = magic[3] == 1 ? 4 : 8;
    r->at = sizeof magic;
    status = head_number(r, 4, &r->records);
    if (!status)
        status = head_dimensions(r);
    if (!status)
        status = head_attributes(r, NULL);
    if (!status)
        status = head_list(r, MYR_NC_VARIABLES, &count);
    for (uint64_t k = 0; !status && k < count; k++)
        status = head_variable(r);
    if (r->frame_variables == 1)
        r->frame_bytes = r->frame_last; /* frames of a single variable are not padded */
    return status;
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

/* Checks type and dimensions of a variable: `rows` of so many numbers each in every frame. */
static myr_status variable_check(const nc_reader *r, int which, uint64_t rows, uint64_t columns)
{
    const nc_variable *v = &r->kept[which];
    uint64_t size = 1;
    for (int k = v->by_frame; v->there && k < v->indices; k++)
        size *= r->dim[v->index[k]];
    if (!v->there || ((v->kind == MYR_NC_FLOAT || v->kind == MYR_NC_DOUBLE) && size == rows * columns &&
                      v->by_frame == (r->frame_dim >= 0 && r->kept[NC_POSITION].by_frame)))
        return MYR_OK;
    return myr_binary_fail(&r->in, v->begin, "the variable '%s' does not have the type or the dimensions of AMBER",
                           kept_name[which]);
}

/* Finds the numbers of atoms and frames. */
static myr_status reader_sizes(nc_reader *r)
{
    const nc_variable *x = &r->kept[NC_POSITION];
    if (!x->there || x->indices != 2 + x->by_frame || r->dim[x->index[x->indices - 1]] != 3)
        return myr_binary_fail(
            &r->in, 0,
            "this NetCDF file has no positions as AMBER writes them, a variable 'coordinates' of atoms "
            "and three components");
    r->n = (int64_t)r->dim[x->index[x->indices - 2]];
    if (r->n < 1 || r->n > INT32_MAX / 8)
        return myr_binary_fail(&r->in, 0, "the number of atoms cannot be %lld", (long long)r->n);
    const uint64_t rows[NC_KEPT] = {1, (uint64_t)r->n, (uint64_t)r->n, 1, 1};
    myr_status status = MYR_OK;
    for (int k = 0; k < NC_KEPT && !status; k++)
        status = variable_check(r, k, rows[k], k == NC_TIME ? 1 : 3);
    r->frames = 1;
    if (status || !x->by_frame)
        return status;
    const uint64_t whole = r->in.size > r->frame_begin ? (r->in.size - r->frame_begin) / r->frame_bytes : 0;
    r->frames = (int64_t)(r->records == NC_STREAMING || r->records > whole ? whole : r->records);
    if (r->frames < 1)
        return myr_binary_fail(&r->in, r->frame_begin, "the file is cut short: it has no whole frame");
    if (r->records != NC_STREAMING && r->records > whole)
        myr_context_warn(r->in.context,
                         "'%s' is cut short: it says that it has %llu frames, %lld whole ones can be read", r->in.path,
                         (unsigned long long)r->records, (long long)r->frames);
    return MYR_OK;
}

/* Reads rows of a variable, components after each other in to[components][rows]. */
static myr_status variable_read(const nc_reader *r, int which, int64_t frame, int64_t rows, int columns, double *to)
{
    const nc_variable *v = &r->kept[which];
    myr_binary_column column[3];
    const uint64_t bytes = (uint64_t)rows * (uint64_t)columns * (v->kind == MYR_NC_FLOAT ? 4 : 8);
    const uint64_t from = v->begin + (v->by_frame ? (uint64_t)frame * r->frame_bytes : 0);
    if (v->begin > r->in.size || from > r->in.size || bytes > r->in.size - from)
        return myr_binary_fail(&r->in, from, "the file is cut short within the %s", kept_name[which]);
    for (int c = 0; c < columns; c++)
        column[c] = (myr_binary_column){.kind = v->kind == MYR_NC_FLOAT ? MYR_BINARY_FLOAT : MYR_BINARY_DOUBLE,
                                        .to = to + c * rows};
    return myr_binary_get_columns(&r->in, from, rows, columns, column, NULL);
}

static myr_status reader_field(const nc_reader *r, int which, const char *field, int64_t frame, double factor,
                               myr_particles *p)
{
    double *x[3];
    myr_status status = myr_particles_add_field(p, field, 3);
    const nc_variable *v = &r->kept[which];
    const myr_binary_kind kind = v->kind == MYR_NC_FLOAT ? MYR_BINARY_FLOAT : MYR_BINARY_DOUBLE;
    const uint64_t from = v->begin + (v->by_frame ? (uint64_t)frame * r->frame_bytes : 0);
    const uint64_t bytes = 3 * (uint64_t)r->n * (v->kind == MYR_NC_FLOAT ? 4 : 8);
    if (!status && (v->begin > r->in.size || from > r->in.size || bytes > r->in.size - from))
        status = myr_binary_fail(&r->in, from, "the file is cut short within the %s", kept_name[which]);
    if (status)
        return status;
    myr_binary_column column[3];
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component(p, field, c);
        column[c] = (myr_binary_column){.kind = kind, .to = x[c]};
    }
    status = myr_binary_get_columns(&r->in, from, r->n, 3, column, NULL);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < r->n; i++)
            x[c][i] *= factor;
    return status;
}

static myr_status reader_box(const nc_reader *r, int64_t frame, double box[3])
{
    double edge[3] = {0}, angle[3] = {90, 90, 90};
    int tilted = 0;
    myr_status status = r->kept[NC_LENGTHS].there ? variable_read(r, NC_LENGTHS, frame, 1, 3, edge) : MYR_OK;
    if (!status && r->kept[NC_ANGLES].there)
        status = variable_read(r, NC_ANGLES, frame, 1, 3, angle);
    for (int c = 0; c < 3 && !status; c++)
        tilted |= edge[c] != 0 && !(fabs(angle[c] - 90) < 1e-6);
    if (!status && tilted)
        myr_context_warn(r->in.context, "'%s' has a box with edges that are not along the axes; it is left out",
                         r->in.path);
    for (int c = 0; c < 3 && !status && !tilted; c++)
        box[c] = edge[c];
    return status;
}

myr_status myr_netcdf_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                           myr_snapshot_header *header)
{
    nc_reader r = {0};
    double time = 0;
    myr_status status = myr_binary_open(context, path, &r.in);
    if (!status)
        status = reader_head(&r);
    if (!status)
        status = reader_sizes(&r);
    if (!status)
        status = myr_format_frame(context, path, r.frames, &frame);
    if (!status)
        status = myr_particles_create(context, r.n, particles);
    if (!status)
        status = reader_field(&r, NC_POSITION, "position", frame, r.kept[NC_POSITION].scale, *particles);
    if (!status && r.kept[NC_VELOCITY].there)
        status = reader_field(&r, NC_VELOCITY, "velocity", frame, r.kept[NC_VELOCITY].scale / MYR_NC_PS, *particles);
    if (!status && r.kept[NC_TIME].there)
        status = variable_read(&r, NC_TIME, frame, 1, 1, &time);
    if (!status)
        status = reader_box(&r, frame, header->box);
    header->frame = frame;
    header->frames = r.frames;
    header->time = time * MYR_NC_PS;
    header->unit_length = 1e-10;
    header->unit_mass = NC_MASS;
    header->unit_time = MYR_NC_TIME;
    header->unit_charge = NC_CHARGE;
    myr_binary_close(&r.in);
    if (status)
        myr_particles_destroy(particles);
    return status;
}
