/* netcdf.c - AMBER's NetCDF trajectories and restart files: their formats, and the writer. See netcdf.h. */
#include "io/netcdf.h"

#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/binary.h"

enum { NC_HEAD = 4096 };

static const myr_format_field netcdf_fields[] = {
    {"position", "coordinates", 3, 0}, {"velocity", "velocities", 3, 0}, {0, 0, 0, 0}};

static int netcdf_probe(const myr_format_file *file)
{
    const int classic = file->head_size >= 4 && memcmp(file->head, "CDF", 3) == 0;
    return classic && file->head[3] >= 1 && file->head[3] <= 5 ? MYR_FORMAT_SURELY : MYR_FORMAT_NO;
}

/* Files of both kinds are read as netcdf. */
static int netcdf_restart_probe(const myr_format_file *file)
{
    (void)file;
    return MYR_FORMAT_NO;
}

static myr_status netcdf_write(const myr_format_job *job);
static myr_status netcdf_restart_write(const myr_format_job *job);

const myr_format myr_netcdf_format = {
    .info = {"netcdf", "AMBER NetCDF trajectory, positions and velocities as floats; reads restart files too", 1},
    .endings = {".nc"},
    .fields = netcdf_fields,
    .bits = 32,
    .keeps = MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX | MYR_SNAPSHOT_FRAMES,
    .many_frames = 1,
    .probe = netcdf_probe,
    .write = netcdf_write,
    .read = myr_netcdf_read,
};

const myr_format myr_netcdf_restart_format = {
    .info = {"netcdf_restart", "AMBER NetCDF restart file, positions and velocities as doubles", 1},
    .endings = {".ncrst"},
    .fields = netcdf_fields,
    .bits = 64,
    .keeps = MYR_SNAPSHOT_TIME | MYR_SNAPSHOT_BOX,
    .probe = netcdf_restart_probe,
    .write = netcdf_restart_write,
    .read = myr_netcdf_read,
};

/* --- the head ----------------------------------------------------------------------------------------------------- */

/* A head that grows; written twice, the second time with the offsets of the variables. */
typedef struct {
    unsigned char bytes[NC_HEAD];
    size_t used;
} nc_head;

static void head_number(nc_head *h, uint64_t value, int width)
{
    for (int k = width - 1; k >= 0 && h->used < NC_HEAD; k--)
        h->bytes[h->used++] = (unsigned char)(value >> (8 * k));
}

static void head_text(nc_head *h, const char *text)
{
    const size_t length = strlen(text);
    head_number(h, length, 4);
    for (size_t k = 0; k < (length + 3) / 4 * 4; k++)
        head_number(h, k < length ? (unsigned char)text[k] : 0, 1);
}

static void head_attribute(nc_head *h, const char *name, const char *text)
{
    head_text(h, name);
    head_number(h, MYR_NC_CHAR, 4);
    head_text(h, text);
}

static void head_scale(nc_head *h, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    head_text(h, "scale_factor");
    head_number(h, MYR_NC_DOUBLE, 4);
    head_number(h, 1, 4);
    head_number(h, bits, 8);
}

/* Dimensions by number: those of a restart file lack the first. */
enum { NC_FRAME, NC_SPATIAL, NC_ATOM, NC_CELL_SPATIAL, NC_CELL_ANGULAR, NC_LABEL, NC_DIMS };
enum { NC_VARIABLES = 8, NC_INDICES = 3 };

typedef struct {
    const char *name, *unit;
    int kind, indices, index[NC_INDICES];
    const char *text;  /* contents of a variable of characters */
    const char *field; /* of the particles; null = time, lengths or angles of the cell */
    int is_cell;       /* 1 = lengths, 2 = angles */
    uint64_t size;     /* bytes, of one frame */
    uint64_t begin;
} nc_variable;

typedef struct {
    const myr_format_job *job;
    int restart, variables;
    nc_variable variable[NC_VARIABLES];
    uint64_t length[NC_DIMS];
    double unit[2]; /* factors of positions and velocities */
    double time;    /* factor of times */
} nc_file;

static int has_field(const myr_format_job *job, const char *name)
{
    for (int k = 0; k < job->fields; k++)
        if (strcmp(job->field[k], name) == 0)
            return 1;
    return 0;
}

static int has_box(const myr_format_job *job)
{
    int any = 0;
    for (int64_t f = 0; f < job->frames; f++)
        for (int c = 0; c < 3; c++)
            any |= job->frame_header[f].box[c] > 0;
    return any;
}

static void file_variable(nc_file *f, nc_variable v)
{
    const int width = v.kind == MYR_NC_CHAR ? 1 : v.kind == MYR_NC_FLOAT ? 4 : 8;
    v.size = (uint64_t)width;
    for (int k = 0; k < v.indices; k++)
        v.size *= v.index[k] == NC_FRAME ? 1 : f->length[v.index[k]];
    v.size = (v.size + 3) / 4 * 4;
    f->variable[f->variables++] = v;
}

/* Lists the variables. Those of a frame have the dimension of frames first, which a restart file leaves out. */
static void file_variables(nc_file *f)
{
    const int real = f->restart ? MYR_NC_DOUBLE : MYR_NC_FLOAT, box = has_box(f->job), more = !f->restart;
    file_variable(
        f, (nc_variable){.name = "spatial", .kind = MYR_NC_CHAR, .indices = 1, .index = {NC_SPATIAL}, .text = "xyz"});
    if (box) {
        file_variable(
            f,
            (nc_variable){
                .name = "cell_spatial", .kind = MYR_NC_CHAR, .indices = 1, .index = {NC_CELL_SPATIAL}, .text = "abc"});
        file_variable(f, (nc_variable){.name = "cell_angular",
                                       .kind = MYR_NC_CHAR,
                                       .indices = 2,
                                       .index = {NC_CELL_ANGULAR, NC_LABEL},
                                       .text = "alphabeta gamma"});
    }
    nc_variable v[] = {
        {.name = "time", .unit = "picosecond", .kind = real, .indices = 1},
        {.name = "coordinates",
         .unit = "angstrom",
         .kind = real,
         .indices = 3,
         .index = {0, NC_ATOM, NC_SPATIAL},
         .field = "position"},
        {.name = "velocities",
         .unit = "angstrom/picosecond",
         .kind = real,
         .indices = 3,
         .index = {0, NC_ATOM, NC_SPATIAL},
         .field = "velocity"},
        {.name = "cell_lengths",
         .unit = "angstrom",
         .kind = MYR_NC_DOUBLE,
         .indices = 2,
         .index = {0, NC_CELL_SPATIAL},
         .is_cell = 1},
        {.name = "cell_angles",
         .unit = "degree",
         .kind = MYR_NC_DOUBLE,
         .indices = 2,
         .index = {0, NC_CELL_ANGULAR},
         .is_cell = 2},
    };
    for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
        if ((v[k].is_cell && !box) || (v[k].field && !has_field(f->job, v[k].field)))
            continue;
        if (!more) {
            v[k].indices--;
            memmove(v[k].index, v[k].index + 1, sizeof v[k].index - sizeof v[k].index[0]);
        }
        file_variable(f, v[k]);
    }
}

static int of_frame(const nc_file *f, const nc_variable *v)
{
    return !f->restart && !v->text;
}

static void head_variable(nc_head *h, const nc_file *f, const nc_variable *v)
{
    const int scaled = v->field && strcmp(v->field, "velocity") == 0;
    head_text(h, v->name);
    head_number(h, (uint64_t)v->indices, 4);
    for (int k = 0; k < v->indices; k++)
        head_number(h, (uint64_t)(v->index[k] - f->restart), 4);
    head_number(h, v->unit ? MYR_NC_ATTRIBUTES : 0, 4);
    head_number(h, v->unit ? 1 + (uint64_t)scaled : 0, 4);
    if (v->unit)
        head_attribute(h, "units", v->unit);
    if (scaled)
        head_scale(h, MYR_NC_VELOCITY);
    head_number(h, (uint64_t)v->kind, 4);
    head_number(h, v->size, 4);
    head_number(h, v->begin, 8);
}

static void head_make(nc_head *h, const nc_file *f)
{
    static const char *const dimension[NC_DIMS] = {"frame", "spatial", "atom", "cell_spatial", "cell_angular", "label"};
    static const char *const attribute[][2] = {{"title", "Written by Myriad"},
                                               {"application", "Myriad"},
                                               {"program", "Myriad"},
                                               {"programVersion", "1"},
                                               {"ConventionVersion", "1.0"}};
    const int attributes = (int)(sizeof attribute / sizeof attribute[0]);
    h->used = 0;
    head_number(h, 0x43444602, 4); /* 'CDF' 2 */
    head_number(h, f->restart ? 0 : (uint64_t)f->job->frames, 4);
    head_number(h, MYR_NC_DIMENSIONS, 4);
    head_number(h, (uint64_t)(NC_DIMS - f->restart), 4);
    for (int k = f->restart; k < NC_DIMS; k++) {
        head_text(h, dimension[k]);
        head_number(h, k == NC_FRAME ? 0 : f->length[k], 4);
    }
    head_number(h, MYR_NC_ATTRIBUTES, 4);
    head_number(h, (uint64_t)attributes + 1, 4);
    for (int k = 0; k < attributes; k++)
        head_attribute(h, attribute[k][0], attribute[k][1]);
    head_attribute(h, "Conventions", f->restart ? "AMBERRESTART" : "AMBER");
    head_number(h, MYR_NC_VARIABLES, 4);
    head_number(h, (uint64_t)f->variables, 4);
    for (int k = 0; k < f->variables; k++)
        head_variable(h, f, &f->variable[k]);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

typedef struct {
    int64_t id, place;
} nc_place;

static int nc_compare(const void *a, const void *b)
{
    const int64_t x = ((const nc_place *)a)->id, y = ((const nc_place *)b)->id;
    return (x > y) - (x < y);
}

/* Copies three components of a frame, in the order of the ids, times a factor. */
static void frame_copy(const myr_particles *p, const char *field, double factor, nc_place *room, double *to)
{
    const int64_t n = myr_particles_count(p);
    for (int64_t i = 0; i < n; i++)
        room[i] = (nc_place){myr_particles_ids(p)[i], i};
    qsort(room, (size_t)n, sizeof *room, nc_compare);
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, field, c);
        for (int64_t i = 0; i < n; i++)
            to[c * n + i] = factor * x[room[i].place];
    }
}

static void put_variable(myr_binary_out *out, const nc_file *f, const nc_variable *v, int64_t frame, nc_place *room,
                         double *values)
{
    const int64_t n = (int64_t)f->length[NC_ATOM];
    const myr_binary_kind kind = v->kind == MYR_NC_FLOAT ? MYR_BINARY_FLOAT : MYR_BINARY_DOUBLE;
    double one[3];
    for (int c = 0; c < 3; c++)
        one[c] = v->is_cell == 2 ? 90 : f->unit[0] * f->job->frame_header[frame].box[c];
    if (!v->is_cell)
        one[0] = f->time * f->job->frame_header[frame].time;
    const int wide = v->field || v->is_cell ? 3 : 1;
    myr_binary_column column[3];
    if (v->field)
        frame_copy(f->job->frame[frame], v->field, f->unit[strcmp(v->field, "velocity") == 0], room, values);
    for (int c = 0; c < wide; c++)
        column[c] = (myr_binary_column){.kind = kind, .from = v->field ? values + c * n : &one[c]};
    if (v->text) {
        static const char zero[4] = {0};
        const size_t length = strlen(v->text);
        myr_binary_put(out, v->text, length);
        myr_binary_put(out, zero, (size_t)v->size - length);
        return;
    }
    myr_binary_put_columns(out, v->field ? n : 1, wide, column, NULL);
}

static myr_status file_check(const nc_file *f)
{
    const myr_format_job *job = f->job;
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles);
    if (n < 1 || n > INT32_MAX / 32 || job->frames > INT32_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "the format netcdf holds 1 to %d atoms, not %lld",
                                INT32_MAX / 32, (long long)n);
    if (!has_field(job, "position"))
        return myr_context_fail(context, MYR_ERROR_FIELD, "the format netcdf needs the field 'position'");
    for (int64_t k = 1; k < job->frames; k++)
        if (myr_particles_count(job->frame[k]) != n)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the format netcdf needs as many atoms in all frames: frame 0 has %lld, frame %lld "
                                    "has %lld",
                                    (long long)n, (long long)k, (long long)myr_particles_count(job->frame[k]));
    return MYR_OK;
}

/* Units of the header; without them numbers are written as they are, as if in AMBER's units. */
static void file_units(nc_file *f)
{
    const myr_snapshot_header *h = &f->job->header;
    const double length = h->unit_length > 0 ? h->unit_length / 1e-10 : 1;
    const double time = h->unit_time > 0 ? h->unit_time / 1e-12 : 1 / MYR_NC_PS;
    f->unit[0] = length;
    f->unit[1] = length / time / MYR_NC_VELOCITY;
    f->time = time;
}

static myr_status netcdf_write_as(const myr_format_job *job, int restart)
{
    myr_binary_out out;
    nc_head head;
    const int64_t n = myr_particles_count(job->particles);
    const uint16_t one = 1;
    nc_file f = {.job = job, .restart = restart, .length = {0, 3, (uint64_t)n, 3, 3, 5}};
    myr_context *context = myr_particles_context(job->particles);
    myr_status status = file_check(&f);
    if (status)
        return status;
    file_units(&f);
    file_variables(&f);
    head_make(&head, &f);
    uint64_t at = head.used, frame = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < f.variables; k++)
            if (of_frame(&f, &f.variable[k]) == pass) {
                f.variable[k].begin = at;
                at += f.variable[k].size;
                frame += pass ? f.variable[k].size : 0;
            }
    head_make(&head, &f);
    nc_place *room = myr_memory_zeros(n, sizeof *room);
    double *values = myr_memory_zeros(3 * n, sizeof *values);
    if (!room || !values)
        status = myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to write '%s'", job->path);
    if (!status)
        status = myr_binary_create(context, job->path, at + frame * (uint64_t)job->frames, &out);
    if (!status) {
        out.swapped = *(const unsigned char *)&one; /* files are big-endian */
        myr_binary_put(&out, head.bytes, head.used);
        for (int k = 0; k < f.variables; k++)
            if (!of_frame(&f, &f.variable[k]))
                put_variable(&out, &f, &f.variable[k], 0, room, values);
        for (int64_t r = 0; r < job->frames && !restart; r++)
            for (int k = 0; k < f.variables; k++)
                if (of_frame(&f, &f.variable[k]))
                    put_variable(&out, &f, &f.variable[k], r, room, values);
        status = myr_binary_publish(&out);
    }
    free(room);
    free(values);
    return status;
}

static myr_status netcdf_write(const myr_format_job *job)
{
    return netcdf_write_as(job, 0);
}

static myr_status netcdf_restart_write(const myr_format_job *job)
{
    return netcdf_write_as(job, 1);
}
