/* mesh_passes.c - passes over a mesh between spreading and gathering, in doubles and in floats; see mesh_inside.h. */
#include <stdlib.h>
#include <string.h>

#include "method/mesh/mesh_inside.h"

static void double_row_transform(const myr_fourier *f, int forward, double *field, int64_t row)
{
    if (forward)
        myr_fourier_row_forward(f, field, row);
    else
        myr_fourier_row_inverse(f, field, row);
}

#define REAL double
#define INTEGER int64_t
#define PASS(name) double_##name
#define PASSES myr_mesh_passes_double
#define PLANE_FORWARD myr_fourier_plane_forward
#define PLANE_INVERSE myr_fourier_plane_inverse
#define ROW double_row_transform
#include "method/mesh/mesh_passes_body.h"
#undef REAL
#undef INTEGER
#undef PASS
#undef PASSES
#undef PLANE_FORWARD
#undef PLANE_INVERSE
#undef ROW

#define REAL float
#define INTEGER int32_t
#define PASS(name) single_##name
#define PASSES myr_mesh_passes_single
#define PLANE_FORWARD myr_fourier_single_plane_forward
#define PLANE_INVERSE myr_fourier_single_plane_inverse
#define ROW myr_fourier_single_row
#include "method/mesh/mesh_passes_body.h"
