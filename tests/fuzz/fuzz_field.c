/* fuzz_field.c - the reader of flows on meshes against any HDF5 file that is whole (hdf5_script.h). */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/hdf5_script.h"

enum { BYTES_MAX = 1 << 12, MOST = SCRIPT_EXTENT_MAX * SCRIPT_EXTENT_MAX * SCRIPT_EXTENT_MAX };

static const char *const objects[] = {"VTKHDF", "VTKHDF/PointData", ".", "VTKHDF/PointData/u", "u", NULL};
static const char *const attributes[] = {"Type", "WholeExtent", "Origin", "Spacing", "Version", NULL};
static const char *const tables[] = {"u", "v", "w", "velocity", "vorticity", "OMEGA", "wx", "wy", "wz", NULL};
static const script_names names = {.objects = objects,
                                   .groups = 2,
                                   .parents = 1,
                                   .parents_count = 2,
                                   .attributes = attributes,
                                   .tables = tables,
                                   .most = MOST};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= BYTES_MAX)
        script_try(&names, "field", data, size);
    return 0;
}

/* Seed k: three arrays [4][4][4], plain, compressed, or as floats; the last has a group for VTK as well. */
size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    /* a table: its parent, name, type, rank, three extents, whether it is huge, layout and chunk, whether it is filled
     * and how */
    static const uint8_t table[] = {4, 1, 0, 0, 3, 4, 4, 4, 0, 0, 0, 0, 0};
    static const uint8_t image[] = {0, 0, 0, 1}; /* the groups */
    size_t size = 0;
    if (k > 3 || room < 1024)
        return 0;
    if (k == 3) {
        memcpy(to, image, sizeof image);
        size += sizeof image;
    }
    for (int c = 0; c < 3; c++) {
        memcpy(to + size, table, sizeof table);
        to[size + 2] = (uint8_t)c;
        to[size + 3] = k == 2 ? 3 : 0;
        to[size + 9] = k == 1 ? 3 : 0;
        size += sizeof table;
    }
    fuzz_expect(script_try(&names, "field", to, size), "a good file is accepted");
    return size;
}
