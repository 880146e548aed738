/* fuzz_gadget.c - the reader of the GADGET layout against any HDF5 file that is whole: the bytes are instructions for
 * making groups, attributes, tables and links of the names that the reader looks for, with any type, shape and content.
 * (Bytes that are no whole file go to the HDF5 library itself; for those there is fuzz_snapshot.c.) */
#include "fuzz/fuzz.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/snapshot.h>

enum { BYTES_MAX = 1 << 12, STEPS_MAX = 60, EXTENT_MAX = 18 };

static const char *const objects[] = {"Header",
                                      "Units",
                                      "PartType0",
                                      "PartType1",
                                      "PartType2",
                                      "PartType5",
                                      "PartType1/Sub",
                                      "PartType0/Coordinates",
                                      "PartType1/Coordinates"};
static const char *const attributes[] = {
    "NumPart_ThisFile", "NumFilesPerSnapshot", "MassTable",        "Time",          "BoxSize", "Redshift",
    "PeriodicBox",      "UnitsInSI",           "UnitLength_in_cm", "UnitTime_in_s", "field",   "unit"};
static const char *const tables[] = {
    "Coordinates",    "Velocities",      "Masses",
    "ParticleIDs",    "OriginalIndex",   "Foo",
    "InternalEnergy", "internal_energy", "_odd%20name",
    "Mass",           "GFM_Metals",      "a_name_of_many_characters_that_does_not_fit_into_a_field_of_ours_at_all"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* The instructions, read from the front; zeros after their end. */
typedef struct {
    const uint8_t *at, *end;
} script;

static unsigned next(script *s, size_t below)
{
    return s->at < s->end ? (unsigned)(*s->at++ % below) : 0;
}

static hid_t next_type(script *s)
{
    const hid_t type[] = {H5T_IEEE_F64LE, H5T_STD_I64LE, H5T_STD_U64LE,   H5T_IEEE_F32BE,    H5T_STD_I32LE,
                          H5T_STD_U8BE,   H5T_C_S1,      H5T_STD_REF_OBJ, H5T_NATIVE_LDOUBLE};
    return type[next(s, COUNT(type))];
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
    uint8_t values[EXTENT_MAX * 16] = {0};
    const char *object = objects[next(s, COUNT(objects))], *name = attributes[next(s, COUNT(attributes))];
    const hid_t type = next_type(s);
    const hsize_t extent = next(s, EXTENT_MAX + 1);
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
    strcpy(name, objects[2 + next(s, 5)]);
    strcat(name, "/");
    strcat(name, tables[next(s, COUNT(tables))]);
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
    static uint8_t values[EXTENT_MAX * EXTENT_MAX * EXTENT_MAX * 16];
    char name[256];
    hsize_t extent[3];
    table_name(s, name);
    const hid_t type = next_type(s);
    const int rank = (int)next(s, 4);
    for (int k = 0; k < 3; k++)
        extent[k] = next(s, EXTENT_MAX + 1);
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

/* Makes the file that the instructions describe; the path where it can be read, or null. */
static const char *make_file(script *s)
{
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
            const hid_t g = H5Gcreate2(file, objects[next(s, 7)], H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
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
    const ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size > 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) >= 0)
        path = fuzz_file(*image, (size_t)size);
    H5Fclose(file);
    return path;
}

/* 1 where a set of particles comes out. */
static int try_script(const uint8_t *data, size_t size)
{
    static myr_context *context;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    script s = {data, data + size};
    if (!context && myr_context_create(&context) != MYR_OK)
        return 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const char *path = make_file(&s);
    if (!path)
        return 0;
    const myr_status status = myr_snapshot_read(context, path, NULL, &p, &header);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(status == MYR_OK || status == MYR_ERROR_FORMAT, "what is wrong is the file");
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const double *mass = myr_particles_component_const(p, "mass", 0);
        fuzz_expect(!mass || isfinite(mass[i]), "masses are finite");
        fuzz_expect(myr_particles_types(p)[i] >= 0 && myr_particles_types(p)[i] < 16, "types are those of groups");
    }
    fuzz_expect(myr_particles_count(p) <= 16 * EXTENT_MAX, "no more particles than tables have rows");
    myr_particles_destroy(&p);
    return status == MYR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= BYTES_MAX)
        try_script(data, size);
    return 0;
}

/* Seed k: Header with 4 particles of type 1, positions and ids, and the first k of the other tables. */
size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    /* what to make, then the choices in the order in which the functions above ask for them */
    static const uint8_t header[] = {0, 0, 2, 0, 0, 5, 6, 2, 0, 4}; /* 4 is NumPart_ThisFile[1]; zeros follow */
    static const uint8_t type[] = {0, 3, 4, 1, 0, 0, 2, 4, 3, 0, 0, 0, 0, 0, 1,   /* PartType1, Coordinates */
                                   4, 1, 3, 2, 1, 4, 0, 0, 0, 0, 0, 0, 1};        /* ParticleIDs */
    static const uint8_t more[][13] = {{4, 1, 4, 2, 1, 4, 0, 0, 0, 0, 0, 0, 1},   /* OriginalIndex */
                                       {4, 1, 1, 3, 2, 4, 3, 0, 0, 3, 1, 0, 0},   /* Velocities, compressed floats */
                                       {4, 1, 2, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0},   /* Masses, compact */
                                       {4, 1, 10, 4, 2, 4, 17, 0, 0, 0, 0, 0, 0}, /* GFM_Metals, too many columns */
                                       {4, 1, 8, 1, 1, 4, 0, 0, 0, 2, 3, 0, 1}};  /* a name to be decoded, integers */
    if (k > (int)COUNT(more) || room < 1024)
        return 0;
    size_t size = sizeof header + EXTENT_MAX * 16 - 2;
    memset(to, 0, size);
    memcpy(to, header, sizeof header);
    memcpy(to + size, type, sizeof type);
    size += sizeof type;
    memcpy(to + size, more, (size_t)k * sizeof more[0]);
    size += (size_t)k * sizeof more[0];
    fuzz_expect(try_script(to, size), "a good file is accepted");
    return size;
}
