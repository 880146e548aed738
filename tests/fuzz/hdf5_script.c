/* hdf5_script.c - HDF5 files from instructions. */
#include "fuzz/hdf5_script.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/snapshot.h>

#include "fuzz/fuzz.h"

enum { STEPS_MAX = 60 };

/* The instructions, read from the front; zeros after their end. */
typedef struct {
    const uint8_t *at, *end;
    const script_names *names;
} script;

static unsigned next(script *s, size_t below)
{
    return s->at < s->end ? (unsigned)(*s->at++ % below) : 0;
}

static const char *next_name(script *s, const char *const *list)
{
    size_t count = 0;
    while (list[count])
        count++;
    return list[next(s, count)];
}

static hid_t next_type(script *s)
{
    const hid_t type[] = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_U64LE,   H5T_IEEE_F32BE,    H5T_STD_I32LE,
                          H5T_STD_U8BE,   H5T_C_S1,      H5T_STD_REF_OBJ, H5T_NATIVE_LDOUBLE};
    return type[next(s, sizeof type / sizeof type[0])];
}

/* Values for a type, from the instructions. */
static void next_values(script *s, uint8_t *values, size_t size)
{
    const unsigned kind = next(s, 4);
    for (size_t k = 0; k < size; k++)
        values[k] = kind == 0 ? 0 : kind == 1 ? (uint8_t)(k % 8 == 0 ? k / 8 : 0) : (uint8_t)next(s, 256);
}

static void make_attribute(hid_t file, script *s)
{
    uint8_t values[SCRIPT_EXTENT_MAX * 16] = {0};
    const char *object = next_name(s, s->names->objects), *name = next_name(s, s->names->attributes);
    const hid_t type = next_type(s);
    const hsize_t extent = next(s, SCRIPT_EXTENT_MAX + 1);
    const hid_t space = extent ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    next_values(s, values, sizeof values);
    if (a >= 0) {
        H5Awrite(a, type, values);
        H5Aclose(a);
    }
    H5Sclose(space);
}

static void table_name(script *s, char name[256])
{
    strcpy(name, s->names->objects[s->names->parents + (int)next(s, (size_t)s->names->parents_count)]);
    strcat(name, "/");
    strcat(name, next_name(s, s->names->tables));
}

static hid_t next_layout(script *s, int rank, const hsize_t *extent)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const unsigned kind = next(s, 4);
    hsize_t chunk[3] = {1 + next(s, 8), 1, 1};
    for (int k = 1; k < rank; k++)
        chunk[k] = extent[k] ? extent[k] : 1;
    if (kind == 1)
        H5Pset_layout(creation, H5D_COMPACT);
    if (kind >= 2)
        H5Pset_chunk(creation, rank ? rank : 1, chunk);
    if (kind == 3)
        H5Pset_deflate(creation, 1);
    return creation;
}

static void make_table(hid_t file, script *s)
{
    static uint8_t values[SCRIPT_EXTENT_MAX * SCRIPT_EXTENT_MAX * SCRIPT_EXTENT_MAX * 16];
    char name[256];
    hsize_t extent[3];
    table_name(s, name);
    const hid_t type = next_type(s);
    const int rank = (int)next(s, 4);
    for (int k = 0; k < 3; k++)
        extent[k] = next(s, SCRIPT_EXTENT_MAX + 1);
    const int huge = next(s, 8) == 7;
    if (huge)
        extent[0] = (hsize_t)1 << (20 + next(s, 30));
    const hid_t creation = next_layout(s, rank, extent);
    const hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t table = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (table >= 0 && !huge && next(s, 8) != 7) {
        next_values(s, values, 512);
        H5Dwrite(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    if (table >= 0)
        H5Dclose(table);
    H5Sclose(space);
    H5Pclose(creation);
}

static void make_link(hid_t file, script *s)
{
    char from[256], to[256];
    table_name(s, from);
    table_name(s, to);
    switch (next(s, 3)) {
    case 0:
        H5Lcreate_soft(from, file, to, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 1:
        H5Lcreate_hard(file, from, file, to, H5P_DEFAULT, H5P_DEFAULT);
        break;
    default:
        H5Lcreate_external("/nowhere.hdf5", from, file, to, H5P_DEFAULT, H5P_DEFAULT);
    }
}

const char *script_make_file(const script_names *names, const uint8_t *data, size_t size)
{
    script instructions = {data, data + size, names}, *s = &instructions;
    const char *path = NULL;
    void **image = NULL;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 1 << 16, 0);
    const hid_t file = H5Fcreate("fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (file < 0)
        return NULL;
    for (int step = 0; step < STEPS_MAX && s->at < s->end; step++) {
        const unsigned what = next(s, 8);
        if (what < 2) {
            const hid_t g = H5Gcreate2(file, s->names->objects[next(s, (size_t)s->names->groups)], H5P_DEFAULT,
                                       H5P_DEFAULT, H5P_DEFAULT);
            if (g >= 0)
                H5Gclose(g);
        } else if (what < 4) {
            make_attribute(file, s);
        } else if (what < 7) {
            make_table(file, s);
        } else {
            make_link(file, s);
        }
    }
    H5Fflush(file, H5F_SCOPE_LOCAL);
    const ssize_t bytes = H5Fget_file_image(file, NULL, 0);
    if (bytes > 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) >= 0)
        path = fuzz_file(*image, (size_t)bytes);
    H5Fclose(file);
    return path;
}

int script_try(const script_names *names, const char *format, const uint8_t *data, size_t size)
{
    static myr_context *context;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    if (!context && myr_context_create(&context) != MYR_OK)
        return 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const char *path = script_make_file(names, data, size);
    if (!path)
        return 0;
    const myr_status status = myr_snapshot_read(context, path, format, &p, &header);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(status == MYR_OK || status == MYR_ERROR_FORMAT, "what is wrong is the file");
    const double *mass = myr_particles_component_const(p, "mass", 0);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        fuzz_expect(!mass || isfinite(mass[i]), "masses are finite");
        fuzz_expect(myr_particles_types(p)[i] >= 0, "types are not negative");
    }
    fuzz_expect(myr_particles_count(p) <= (names->most ? names->most : 16 * SCRIPT_EXTENT_MAX),
                "no more particles than tables have rows");
    myr_particles_destroy(&p);
    return status == MYR_OK;
}
