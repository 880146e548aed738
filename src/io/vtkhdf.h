/* vtkhdf.h - a view of a snapshot for VTK and ParaView, in the same file and without a second copy of its numbers. */
#ifndef MYR_IO_VTKHDF_H
#define MYR_IO_VTKHDF_H

#include "domain/mesh.h"
#include "io/format.h"
#include "io/hdf5.h"

enum { MYR_VTKHDF_GROUPS_MAX = 6 };

/* Tables of the same names in one or more groups, which follow each other. */
typedef struct {
    int groups;
    const char *group[MYR_VTKHDF_GROUPS_MAX];
    int type[MYR_VTKHDF_GROUPS_MAX]; /* of all particles of a group */
    uint64_t rows[MYR_VTKHDF_GROUPS_MAX];
    double time;
    const myr_mesh *mesh; /* the particles are its points in order, and become image data; null = points */
    myr_hdf5 *file;
} myr_vtkhdf;

/* Begins the view: the table of positions, and one cell per particle. */
void myr_vtkhdf_put(myr_vtkhdf *view, const char *positions);

/* Adds a table of numbers per particle. Its name must not be "type", which the view has for itself. */
void myr_vtkhdf_put_data(myr_vtkhdf *view, const char *table, myr_hdf5_kind kind, int columns);

#endif
