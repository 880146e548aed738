/* local_ranks.h - the ranks of one machine, which share its GPUs. */
#ifndef MYR_DOMAIN_LOCAL_RANKS_H
#define MYR_DOMAIN_LOCAL_RANKS_H

#include "core/context.h"

/* Number of this rank among those of the same machine, from 0, and number of these; collective. */
myr_status myr_local_ranks_find(myr_context *context, int *local, int *locals);

#endif
