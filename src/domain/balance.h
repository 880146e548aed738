/* balance.h - planes move so that every rank has as many pairs (the point that paper 003 leaves open in section 6). How
 * many a rank has is counted; where in its domain they are is estimated from how many particles are in a cell, an edge
 * of how far particles see. */
#ifndef MYR_DOMAIN_BALANCE_H
#define MYR_DOMAIN_BALANCE_H

#include "domain/decomposition.h"

typedef struct {
    int on;
    double width;  /* how far particles see */
    double before; /* largest cost over the mean, when it was first looked at; and last */
    double last;
    int64_t looks, moves;
    int wait; /* looks until the next that counts */
} myr_balance;

/* Looks at the costs of all ranks, and moves the planes where one has more than it should. To be followed by a
 * migration. pairs: those of this rank's list; 0 = there was none. */
myr_status myr_balance_run(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                           int64_t pairs, int64_t n, uint64_t *const q[3]);

#endif
