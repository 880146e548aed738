/* vtkhdf.h - view of a snapshot for VTK and ParaView, in the same file and without a second copy of the numbers. */
#ifndef MYR_IO_VTKHDF_H
#define MYR_IO_VTKHDF_H

#include "domain/mesh.h"
#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_VTKHDF_GROUPS_MAX = 6 };

/* Tables with the same names in one or more consecutive groups. */
typedef struct {
    int groups;
    const char *group[MYR_VTKHDF_GROUPS_MAX];
    int type[MYR_VTKHDF_GROUPS_MAX]; /* type of all particles of a group */
    uint64_t rows[MYR_VTKHDF_GROUPS_MAX];
    double time;
    /* mesh whose points are the particles in order, shown as image data; null = shown as points */
    const myr_mesh *mesh;
    myr_hdf5 *file;
} myr_vtkhdf;

/* Starts the view: the table of positions, and one cell per particle. */
void myr_vtkhdf_put(myr_vtkhdf *view, const char *positions);

/* Adds a table of numbers per particle. Its name must not be "type", which the view itself uses. */
void myr_vtkhdf_put_data(myr_vtkhdf *view, const char *table, myr_hdf5_kind kind, int columns);

#endif
