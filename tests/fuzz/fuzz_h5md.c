/* fuzz_h5md.c - the reader of H5MD against any HDF5 file that is whole (hdf5_script.h). */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/hdf5_script.h"

enum { BYTES_MAX = 1 << 12 };

static const char *const objects[] = {"h5md",
                                      "particles",
                                      "particles/a",
                                      "particles/a/position",
                                      "particles/a/velocity",
                                      "particles/a/id",
                                      "particles/a/box",
                                      "particles/a/box/edges",
                                      "parameters",
                                      "particles/b",
                                      "particles/a/position/value",
                                      "particles/a/position/time",
                                      NULL};
static const char *const attributes[] = {"unit", "boundary", "dimension", "units_in_si", "offset", "version", NULL};
static const char *const tables[] = {
    "value",       "time",    "step",  "position",
    "id",          "species", "mass",  "edges",
    "_odd%20name", "_mass",   "image", "a_name_of_many_characters_that_does_not_fit_into_a_field_of_ours_at_all",
    NULL};
static const script_names names = {
    .objects = objects, .groups = 10, .parents = 2, .parents_count = 6, .attributes = attributes, .tables = tables};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= BYTES_MAX)
        script_try(&names, "h5md", data, size);
    return 0;
}

/* Seed k: three frames of four particles, and the first k of the other elements. */
size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    /* what to make, then the choices in the order in which the functions of hdf5_script.c ask for them: a table is its
     * parent, name, type, rank, three extents, whether it is huge, layout and chunk, whether it is filled and how */
    static const uint8_t head[] = {0, 0, 0, 1, 0, 2, 0, 3}; /* h5md, particles, particles/a and its position */
    static const uint8_t positions[] = {4, 1, 0, 0, 3, 3, 4, 3, 0, 0, 0, 0, 0};       /* position/value [3][4][3] */
    static const uint8_t more[][15] = {{4, 1, 1, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0},       /* position/time [3] */
                                       {4, 0, 4, 1, 1, 4, 0, 0, 0, 0, 0, 0, 1},       /* id [4] */
                                       {4, 0, 5, 4, 1, 4, 0, 0, 0, 0, 0, 0, 0},       /* species [4] */
                                       {0, 6, 4, 4, 7, 0, 2, 3, 3, 0, 0, 0, 0, 0, 0}, /* box, box/edges [3][3] */
                                       {4, 0, 8, 3, 2, 4, 5, 0, 0, 3, 2, 0, 0},  /* an odd name, compressed floats */
                                       {4, 0, 6, 0, 1, 4, 0, 0, 0, 1, 0, 0, 0}}; /* mass, compact */
    static const uint8_t length[] = {13, 13, 13, 15, 13, 13};
    if (k > (int)sizeof length || room < 1024)
        return 0;
    size_t size = 0;
    memcpy(to, head, sizeof head);
    size += sizeof head;
    memcpy(to + size, positions, sizeof positions);
    size += sizeof positions;
    for (int m = 0; m < k; m++) {
        memcpy(to + size, more[m], length[m]);
        size += length[m];
    }
    fuzz_expect(script_try(&names, "h5md", to, size), "a good file is accepted");
    return size;
}
