/* trajectory.h - time series of chosen bodies in one file: HDF5 in the layout of H5MD, with the names of the bodies.
 *
 * The file has position [frames][bodies][3], velocity, time [frames], step [frames], id [bodies] and name [bodies] at
 * its root, and the same data where readers of H5MD look for them (group particles/trajectory). The attribute "state"
 * of the root says whether more is to come. The file is written completely or not at all. */
#ifndef MYRIAD_TRAJECTORY_H
#define MYRIAD_TRAJECTORY_H

#include <stdint.h>

#include <myriad/context.h>
#include <myriad/snapshot.h>

MYR_BEGIN_DECLS

typedef struct {
    int64_t frames, bodies;
    const int64_t *ids;              /* [bodies] */
    const char *const *names;        /* [bodies]; null or "" where a body has no name */
    const int64_t *steps;            /* [frames] */
    const double *times;             /* [frames] */
    const double *masses;            /* [bodies] */
    const double *positions;         /* [frames][bodies][3] */
    const double *velocities;        /* the same */
    const char *state;               /* "running", "stopped", "finished", ... */
    const char *units[4];            /* texts of the units of time, position, velocity and mass; "" = none */
    myr_snapshot_header units_in_si; /* its units only */
} myr_trajectory;

/* Writes the file; MYR_ERROR_UNAVAILABLE without HDF5. */
MYR_API myr_status myr_trajectory_write(myr_context *context, const char *path, const myr_trajectory *trajectory);

MYR_END_DECLS

#endif
