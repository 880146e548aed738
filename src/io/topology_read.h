/* topology_read.h - declarations shared by the readers of the parts of a prmtop file. */
#ifndef MYR_IO_TOPOLOGY_READ_H
#define MYR_IO_TOPOLOGY_READ_H

#include "io/prmtop.h"
#include "particles/topology.h"

enum { MYR_POINTERS_MAX = 32 };

/* Entries of POINTERS in file order, with AMBER's names. */
/* clang-format off */
typedef enum {
    MYR_NATOM, MYR_NTYPES, MYR_NBONH, MYR_MBONA, MYR_NTHETH, MYR_MTHETA, MYR_NPHIH, MYR_MPHIA, MYR_NHPARM,
    MYR_NPARM, MYR_NNB, MYR_NRES, MYR_NBONA, MYR_NTHETA, MYR_NPHIA, MYR_NUMBND, MYR_NUMANG, MYR_NPTRA,
    MYR_NATYP, MYR_NPHB, MYR_IFPERT, MYR_NBPER, MYR_NGPER, MYR_NDPER, MYR_MBPER, MYR_MGPER, MYR_MDPER,
    MYR_IFBOX, MYR_NMXRS, MYR_IFCAP, MYR_NUMEXTRA, MYR_NCOPY
} myr_pointer;
/* clang-format on */

/* Topology being read. */
typedef struct {
    myr_prmtop file;
    int64_t pointer[MYR_POINTERS_MAX];
    myr_topology *t;
} myr_topology_reader;

/* Reads bonds, angles, dihedrals and 1-4 pairs. */
myr_status myr_topology_read_terms(myr_topology_reader *r);

/* Error: no memory for `what`. */
myr_status myr_topology_read_memory(const myr_topology_reader *r, const char *what);

#endif
