/* field.c - reader of a flow on a periodic cubic mesh from an HDF5 file: VTK image data (VTKHDF), or plain arrays.
 *
 * Arrays have the shape [z][y][x][3], [3][z][y][x], or are three arrays [z][y][x]. The arrays of the velocity, or else
 * of the vorticity, are found by their usual names or by names that the caller gives. The position of the mesh is known
 * for image data; plain arrays are assumed to fill [-edge/2, edge/2)^3. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <myriad/flow.h>

#include "core/context.h"
#include "io/format.h"
#include "io/hdf5.h"

enum { FIELD_NAME = MYR_HDF5_NAME_MAX + 32, FIELD_SIDE_MOST = 65536 };

/* Usual names of one array with three components, and of three arrays. */
static const struct {
    const char *field, *whole[4], *part[3][3];
} field_names[] = {
    {"velocity",
     {"velocity", "velocities", "u", NULL},
     {{"velocity_x", "velocity_y", "velocity_z"}, {"u", "v", "w"}, {"vx", "vy", "vz"}}},
    {"vorticity",
     {"vorticity", "vorticities", "omega", NULL},
     {{"vorticity_x", "vorticity_y", "vorticity_z"}, {"omega_x", "omega_y", "omega_z"}, {"wx", "wy", "wz"}}},
};

typedef struct {
    myr_context *context;
    const char *path;
    myr_hdf5 *h;
    char name[3][FIELD_NAME]; /* names of the arrays; with one array only the first is used */
    int arrays;               /* number of arrays, 1 or 3 */
    const char *field;        /* field that the arrays hold: velocity or vorticity */
    myr_hdf5_shape shape;
    double origin[3], spacing;
} field_reader;

static myr_status field_fail(const field_reader *r, const char *what)
{
    return myr_context_fail(r->context, MYR_ERROR_FORMAT, "'%s' %s", r->path, what);
}

/* --- names of the arrays ------------------------------------------------------------------------------------------ */

/* Finds a member of a group by name, ignoring case. */
static int field_member(field_reader *r, const char *group, const char *wanted, char name[FIELD_NAME])
{
    char member[MYR_HDF5_NAME_MAX + 1];
    int is_table;
    const int64_t count = myr_hdf5_members(r->h, group);
    for (int64_t k = 0; k < count && k < 1024; k++)
        if (myr_hdf5_member(r->h, group, k, member, &is_table) == MYR_OK && is_table &&
            strcasecmp(member, wanted) == 0) {
            snprintf(name, FIELD_NAME, "%s/%s", group, member);
            return 1;
        }
    return 0;
}

/* Finds arrays by their usual names; returns 0 if there are none. */
static int field_find(field_reader *r, const char *group)
{
    for (size_t f = 0; f < sizeof field_names / sizeof *field_names; f++) {
        r->field = field_names[f].field;
        for (int k = 0; k < 3; k++) {
            int found = 0;
            for (int c = 0; c < 3; c++)
                found += field_member(r, group, field_names[f].part[k][c], r->name[c]);
            r->arrays = 3;
            if (found == 3)
                return 1;
        }
        r->arrays = 1;
        for (int k = 0; field_names[f].whole[k]; k++)
            if (field_member(r, group, field_names[f].whole[k], r->name[0]))
                return 1;
    }
    return 0;
}

/* Uses the arrays that the caller names: one name, or three separated by spaces. */
static myr_status field_choose(field_reader *r, const char *field, const char *names)
{
    r->field = field;
    r->arrays = 0;
    while (*(names += strspn(names, " ")) && r->arrays < 4) {
        const size_t length = strcspn(names, " ");
        if (r->arrays == 3 || length >= FIELD_NAME)
            return field_fail(r, "was asked for more than three arrays, or for one with too long a name");
        snprintf(r->name[r->arrays++], FIELD_NAME, "%.*s", (int)length, names);
        names += length;
    }
    if (r->arrays != 1 && r->arrays != 3)
        return field_fail(r, "needs the name of one array with three components, or of three arrays");
    for (int k = 0; k < r->arrays; k++)
        if (!myr_hdf5_has(r->h, r->name[k]))
            return myr_context_fail(r->context, MYR_ERROR_NAME, "'%s' has no array '%s'", r->path, r->name[k]);
    return MYR_OK;
}

/* --- position of the mesh ----------------------------------------------------------------------------------------- */

static int field_is_image(field_reader *r)
{
    char type[32];
    if (!myr_hdf5_has(r->h, "VTKHDF"))
        return 0;
    myr_hdf5_get_text(r->h, "VTKHDF", "Type", 0, type, sizeof type);
    return strcmp(type, "ImageData") == 0;
}

/* Reads origin and spacing of image data, whose number of points must be that of the arrays. */
static myr_status field_place_image(field_reader *r)
{
    int64_t extent[6];
    double spacing[3] = {0};
    int extents = 0, spacings = 0, origins = 0;
    myr_status status = myr_hdf5_get_integers(r->h, "VTKHDF", "WholeExtent", 6, extent, &extents);
    if (!status)
        status = myr_hdf5_get_doubles(r->h, "VTKHDF", "Spacing", 3, spacing, &spacings);
    if (!status)
        status = myr_hdf5_get_doubles(r->h, "VTKHDF", "Origin", 3, r->origin, &origins);
    if (status)
        return status;
    if (extents != 6 || spacings != 3 || origins != 3)
        return field_fail(r, "is not whole image data: VTKHDF has no WholeExtent, Spacing or Origin");
    for (int c = 0; c < 3; c++)
        if (extent[2 * c + 1] - extent[2 * c] + 1 != (int64_t)r->shape.mesh || !(spacing[c] > 0) ||
            fabs(spacing[c] - spacing[0]) > 1e-9 * spacing[0])
            return field_fail(r,
                              "is no image of a cube: its extents, its spacings and its arrays must be those of one");
    r->spacing = spacing[0];
    return MYR_OK;
}

static myr_status field_place(field_reader *r, double edge)
{
    if (edge <= 0 && field_is_image(r))
        return field_place_image(r);
    const double whole = edge > 0 ? edge : 2 * acos(-1.0);
    r->spacing = whole / (double)r->shape.mesh;
    for (int c = 0; c < 3; c++)
        r->origin[c] = -0.5 * whole;
    return MYR_OK;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static myr_status field_shape(field_reader *r)
{
    for (int k = 0; k < r->arrays; k++) {
        myr_hdf5_shape shape;
        const myr_status status = myr_hdf5_cube(r->h, r->name[k], &shape);
        if (status)
            return status;
        const int columns = r->arrays == 3 ? 1 : 3;
        const int right = shape.mesh > 0 && (shape.frames ? (int)shape.frames : shape.columns) == columns &&
                          (!shape.frames || shape.columns == 1) && shape.mesh <= FIELD_SIDE_MOST;
        if (!right || (k > 0 && shape.mesh != r->shape.mesh))
            return myr_context_fail(r->context, MYR_ERROR_FORMAT,
                                    "'%s' has an array %s that is not on a cubic mesh: expected [n][n][n]%s of "
                                    "numbers%s",
                                    r->path, r->name[k], columns == 3 ? "[3] or [3][n][n][n]" : "",
                                    k > 0 ? ", as the first" : "");
        r->shape = shape;
    }
    return MYR_OK;
}

typedef struct {
    double *component[3];
    int columns;
} field_sink;

static int field_take(void *user, uint64_t first, uint64_t count, void *values)
{
    const field_sink *s = user;
    const double *from = values;
    for (uint64_t i = first; i < first + count; i++)
        for (int c = 0; c < s->columns; c++)
            s->component[c][i] = *from++;
    return 0;
}

static myr_status field_fill(field_reader *r, myr_particles *p)
{
    const int64_t side = (int64_t)r->shape.mesh;
    myr_hdf5_shape shape = r->shape;
    double *x[3], *value[3];
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component(p, "position", c);
        value[c] = myr_particles_component(p, r->field, c);
    }
    for (int64_t i = 0; i < side * side * side; i++) {
        const int64_t at[3] = {i % side, i / side % side, i / side / side};
        for (int c = 0; c < 3; c++)
            x[c][i] = r->origin[c] + (double)at[c] * r->spacing;
    }
    const int passes = shape.columns == 3 ? 1 : 3;
    myr_status status = MYR_OK;
    for (int k = 0; k < passes && !status; k++) {
        field_sink s = {.columns = shape.columns};
        for (int c = 0; c < s.columns && k + c < 3; c++)
            s.component[c] = value[k + c];
        shape.frame = shape.frames ? (uint64_t)k : 0;
        status = myr_hdf5_get_table(r->h, r->name[r->arrays == 3 ? k : 0], &shape, MYR_HDF5_DOUBLE, field_take, &s);
    }
    return status;
}

static myr_status field_make(field_reader *r, double edge, myr_particles **particles)
{
    myr_status status = field_shape(r);
    if (!status)
        status = field_place(r, edge);
    const int64_t side = (int64_t)r->shape.mesh;
    if (!status)
        status = myr_particles_create(r->context, side * side * side, particles);
    if (!status)
        status = myr_particles_add_field(*particles, "position", 3);
    if (!status)
        status = myr_particles_add_field(*particles, r->field, 3);
    if (!status)
        status = field_fill(r, *particles);
    if (status)
        myr_particles_destroy(particles);
    return status;
}

/* --- format table ------------------------------------------------------------------------------------------------- */

static int field_has(field_reader *r)
{
    return field_is_image(r) ? field_find(r, "VTKHDF/PointData") : field_find(r, "/");
}

myr_status myr_flow_read(myr_context *context, const char *path, const char *velocity, const char *vorticity,
                         double edge, myr_particles **points)
{
    if (!context || !path || !points)
        return MYR_ERROR_ARGUMENT;
    field_reader r = {.context = context, .path = path};
    *points = NULL;
    myr_status status = myr_hdf5_open(context, path, &r.h);
    if (status)
        return status;
    if (velocity || vorticity)
        status = field_choose(&r, velocity ? "velocity" : "vorticity", velocity ? velocity : vorticity);
    else if (!field_has(&r))
        status = field_fail(&r, "has no flow on a mesh: no array called velocity or vorticity, or u, v and w");
    if (!status)
        status = field_make(&r, edge, points);
    myr_hdf5_close(&r.h);
    return status;
}

static myr_status field_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                             myr_snapshot_header *header)
{
    (void)frame, (void)header;
    return myr_flow_read(context, path, NULL, NULL, 0, particles);
}

static int field_probe(const myr_format_file *file)
{
    field_reader r = {.context = file->context, .path = file->path};
    if (!myr_hdf5_is(file->head, file->head_size))
        return MYR_FORMAT_NO;
    if (myr_hdf5_open(file->context, file->path, &r.h) != MYR_OK)
        return MYR_FORMAT_PERHAPS;
    const int found = !myr_hdf5_has(r.h, "Header") && !myr_hdf5_has(r.h, "h5md") && field_has(&r);
    myr_hdf5_close(&r.h);
    return found ? MYR_FORMAT_SURELY : MYR_FORMAT_PERHAPS;
}

static const myr_format_field field_fields[] = {
    {"position", "Points", 3, 0}, {"velocity", "velocity", 3, 0}, {"vorticity", "vorticity", 3, 0}, {0, 0, 0, 0}};

const myr_format myr_field_format = {
    .info = {"field",
             "a velocity or vorticity on a periodic mesh in HDF5, plain arrays or image data of VTK; read only",
             MYR_HAVE_HDF5},
    .endings = {".field"},
    .fields = field_fields,
    .bits = 64,
    .probe = field_probe,
    .write = NULL,
    .read = field_read,
};
