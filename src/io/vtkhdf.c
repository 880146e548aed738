/* vtkhdf.c - VTKHDF 1.0 as VTK 9.1 and ParaView 5.11 read it: an UnstructuredGrid whose cells are vertices, one per
 * particle; or ImageData, if the particles are the points of a mesh.
 *
 * Requirements of the VTK reader: Type is fixed-length ASCII text (in VTK's own files without a terminating zero);
 * Offsets has one entry more than there are cells; the numbers of points, cells and connections are arrays with one
 * number per piece. A table of a single group is a second name of the same object; tables of several groups are joined
 * by a virtual dataset; both need no copy. The cells are 17 redundant bytes per particle and are compressed. */
#include "io/vtkhdf.h"

#include <stdio.h>

enum { VTKHDF_VERTEX = 1 };

static uint64_t vtkhdf_points(const myr_vtkhdf *v)
{
    uint64_t n = 0;
    for (int k = 0; k < v->groups; k++)
        n += v->rows[k];
    return n;
}

static int vtkhdf_give_count(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)first, (void)count;
    *(uint64_t *)values = *(const uint64_t *)user;
    return 0;
}

static int vtkhdf_give_index(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)user;
    for (uint64_t r = 0; r < count; r++)
        ((uint64_t *)values)[r] = first + r;
    return 0;
}

static int vtkhdf_give_vertex(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)user, (void)first;
    for (uint64_t r = 0; r < count; r++)
        ((uint64_t *)values)[r] = VTKHDF_VERTEX;
    return 0;
}

static int vtkhdf_give_type(void *user, uint64_t first, uint64_t count, void *values)
{
    const myr_vtkhdf *v = user;
    uint64_t end = 0;
    int k = -1;
    for (uint64_t r = first; r < first + count; r++) {
        while (r >= end)
            end += v->rows[++k];
        ((uint64_t *)values)[r - first] = (uint64_t)v->type[k];
    }
    return 0;
}

static int vtkhdf_give_time(void *user, uint64_t first, uint64_t count, void *values)
{
    (void)first, (void)count;
    *(double *)values = *(const double *)user;
    return 0;
}

static void vtkhdf_put_cells(myr_vtkhdf *v)
{
    static const char *const counts[] = {"VTKHDF/NumberOfPoints", "VTKHDF/NumberOfCells",
                                         "VTKHDF/NumberOfConnectivityIds"};
    uint64_t n = vtkhdf_points(v);
    const myr_hdf5_shape one = {.kind = MYR_HDF5_SIGNED, .rows = 1, .columns = 1};
    const myr_hdf5_shape index = {.kind = MYR_HDF5_SIGNED, .rows = n, .columns = 1, .packed = 1};
    const myr_hdf5_shape offset = {.kind = MYR_HDF5_SIGNED, .rows = n + 1, .columns = 1, .packed = 1};
    const myr_hdf5_shape kind = {.kind = MYR_HDF5_UNSIGNED, .bytes = 1, .rows = n, .columns = 1, .packed = 1};
    for (int k = 0; k < 3; k++)
        myr_hdf5_put_table(v->file, counts[k], &one, vtkhdf_give_count, &n);
    myr_hdf5_put_table(v->file, "VTKHDF/Connectivity", &index, vtkhdf_give_index, NULL);
    myr_hdf5_put_table(v->file, "VTKHDF/Offsets", &offset, vtkhdf_give_index, NULL);
    myr_hdf5_put_table(v->file, "VTKHDF/Types", &kind, vtkhdf_give_vertex, NULL);
}

/* Creates a name in the view for the tables of one name in all groups. */
static void vtkhdf_put_table(myr_vtkhdf *v, const char *table, const char *name, myr_hdf5_kind kind, int columns)
{
    char part[MYR_VTKHDF_GROUPS_MAX][MYR_HDF5_NAME_MAX + 32];
    const char *parts[MYR_VTKHDF_GROUPS_MAX];
    const myr_hdf5_shape shape = {
        .kind = kind, .rows = vtkhdf_points(v), .columns = columns, .mesh = v->mesh ? (uint64_t)v->mesh->side : 0};
    for (int k = 0; k < v->groups; k++) {
        snprintf(part[k], sizeof part[k], "/%s/%s", v->group[k], table);
        parts[k] = part[k];
    }
    if (v->groups == 1 && !v->mesh)
        myr_hdf5_put_link(v->file, part[0], name);
    else
        myr_hdf5_put_joined(v->file, name, &shape, v->groups, parts);
}

/* Writes origin, spacing and extent of a mesh. */
static void vtkhdf_put_mesh(const myr_vtkhdf *v)
{
    const uint64_t last = (uint64_t)v->mesh->side - 1, extent[6] = {0, last, 0, last, 0, last};
    const double spacing[3] = {v->mesh->spacing, v->mesh->spacing, v->mesh->spacing};
    static const double axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    myr_hdf5_put_ascii(v->file, "VTKHDF", "Type", "ImageData");
    myr_hdf5_put_integers(v->file, "VTKHDF", "WholeExtent", 6, 8, extent);
    myr_hdf5_put_doubles(v->file, "VTKHDF", "Origin", 3, v->mesh->origin);
    myr_hdf5_put_doubles(v->file, "VTKHDF", "Spacing", 3, spacing);
    myr_hdf5_put_doubles(v->file, "VTKHDF", "Direction", 9, axes);
}

void myr_vtkhdf_put(myr_vtkhdf *view, const char *positions)
{
    static const uint64_t version[2] = {1, 0};
    const myr_hdf5_shape types = {
        .kind = MYR_HDF5_UNSIGNED, .bytes = 1, .rows = vtkhdf_points(view), .columns = 1, .packed = 1};
    const myr_hdf5_shape one = {.kind = MYR_HDF5_DOUBLE, .rows = 1, .columns = 1};
    myr_hdf5_put_group(view->file, "VTKHDF");
    myr_hdf5_put_integers(view->file, "VTKHDF", "Version", 2, 8, version);
    if (view->mesh) {
        vtkhdf_put_mesh(view);
    } else {
        myr_hdf5_put_ascii(view->file, "VTKHDF", "Type", "UnstructuredGrid");
        vtkhdf_put_table(view, positions, "VTKHDF/Points", MYR_HDF5_DOUBLE, 3);
        vtkhdf_put_cells(view);
    }
    if (!view->mesh) { /* VTK 9.1 treats all data of an image as point values */
        myr_hdf5_put_group(view->file, "VTKHDF/FieldData");
        myr_hdf5_put_table(view->file, "VTKHDF/FieldData/TimeValue", &one, vtkhdf_give_time, &view->time);
    }
    myr_hdf5_put_group(view->file, "VTKHDF/PointData");
    if (view->groups > 1)
        myr_hdf5_put_table(view->file, "VTKHDF/PointData/type", &types, vtkhdf_give_type, view);
}

void myr_vtkhdf_put_data(myr_vtkhdf *view, const char *table, myr_hdf5_kind kind, int columns)
{
    char name[MYR_HDF5_NAME_MAX + 32];
    snprintf(name, sizeof name, "VTKHDF/PointData/%s", table);
    vtkhdf_put_table(view, table, name, kind, columns);
}
