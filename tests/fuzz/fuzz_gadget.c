/* fuzz_gadget.c - the reader of the GADGET layout against any HDF5 file that is whole (hdf5_script.h). Bytes that are
 * no whole file go to the HDF5 library itself; for those there is fuzz_snapshot.c. */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/hdf5_script.h"

enum { BYTES_MAX = 1 << 12 };

static const char *const objects[] = {"Header",
                                      "Units",
                                      "PartType0",
                                      "PartType1",
                                      "PartType2",
                                      "PartType5",
                                      "PartType1/Sub",
                                      "PartType0/Coordinates",
                                      "PartType1/Coordinates",
                                      NULL};
static const char *const attributes[] = {
    "NumPart_ThisFile", "NumFilesPerSnapshot", "MassTable",     "Time",  "BoxSize", "Redshift", "PeriodicBox",
    "UnitsInSI",        "UnitLength_in_cm",    "UnitTime_in_s", "field", "unit",    NULL};
static const char *const tables[] = {"Coordinates",
                                     "Velocities",
                                     "Masses",
                                     "ParticleIDs",
                                     "OriginalIndex",
                                     "Foo",
                                     "InternalEnergy",
                                     "internal_energy",
                                     "_odd%20name",
                                     "Mass",
                                     "GFM_Metals",
                                     "a_name_of_many_characters_that_does_not_fit_into_a_field_of_ours_at_all",
                                     NULL};
static const script_names names = {
    .objects = objects, .groups = 7, .parents = 2, .parents_count = 5, .attributes = attributes, .tables = tables};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= BYTES_MAX)
        script_try(&names, NULL, data, size);
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
    if (k > (int)(sizeof more / sizeof more[0]) || room < 1024)
        return 0;
    size_t size = sizeof header + SCRIPT_EXTENT_MAX * 16 - 2;
    memset(to, 0, size);
    memcpy(to, header, sizeof header);
    memcpy(to + size, type, sizeof type);
    size += sizeof type;
    memcpy(to + size, more, (size_t)k * sizeof more[0]);
    size += (size_t)k * sizeof more[0];
    fuzz_expect(script_try(&names, NULL, to, size), "a good file is accepted");
    return size;
}
