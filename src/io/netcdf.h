/* netcdf.h - NetCDF files in AMBER's conventions, read and written by the code here: the classic format (CDF-1, CDF-2)
 * of numbers in big-endian order, without libnetcdf.
 *
 *   'CDF' 2, number of records, dimensions, attributes, variables with their offsets
 *   then the variables without a time, then per frame those with one
 *
 * A trajectory has a dimension of frames, a restart file none (http://ambermd.org/netcdf/nctraj.xhtml). Positions are
 * in Angstrom, velocities in Angstrom/ps divided by their attribute scale_factor, times in ps. */
#ifndef MYR_IO_NETCDF_H
#define MYR_IO_NETCDF_H

#include "io/format.h"

/* Types of numbers, and tags of lists. */
enum {
    MYR_NC_CHAR = 2,
    MYR_NC_FLOAT = 5,
    MYR_NC_DOUBLE = 6,
    MYR_NC_DIMENSIONS = 10,
    MYR_NC_VARIABLES,
    MYR_NC_ATTRIBUTES
};

#define MYR_NC_VELOCITY 20.455 /* Angstrom/ps of a stored velocity of 1 */
#define MYR_NC_TIME 4.888821290839616e-14
#define MYR_NC_PS (1e-12 / MYR_NC_TIME) /* 1 ps in the unit of time, Angstrom sqrt(g/kcal) */

myr_status myr_netcdf_read(myr_context *context, const char *path, int64_t frame, myr_particles **particles,
                           myr_snapshot_header *header);

#endif
