/* molecule.h - parts of `myriad molecule`. */
#ifndef MYR_CLI_MOLECULE_H
#define MYR_CLI_MOLECULE_H

#include <myriad/topology.h>

/* Prints what is in a topology, as text or JSON; gives the exit code. */
int molecule_tell(myr_context *context, const char *path, int json);

#endif
