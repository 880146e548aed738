/* balance.h - planes move so that every rank has as much to do (the point that paper 003 leaves open in section 6).
 * What a rank has to do is counted: the pairs of its list; how long that takes it is measured, by the clock of its
 * processor, which stands still while somebody else has the core. Where in its domain the pairs are is estimated from
 * how many particles are in a cell, an edge of how far particles see. */
#ifndef MYR_DOMAIN_BALANCE_H
#define MYR_DOMAIN_BALANCE_H

#include <myriad/ranks.h>

#include "domain/decomposition.h"

typedef struct {
    myr_balance_by by;
    double width;  /* how far particles see */
    double before; /* most pairs over the mean, when it was first looked at; and the largest cost over the mean, last */
    double last;
    int64_t looks, moves;
    int wait;             /* looks until the next that counts */
    int fine;             /* pairs are shared out; since then: */
    double seconds, work; /* of this rank's processor, and what it has done meanwhile */
} myr_balance;

/* What a rank had to do in the life of the list that has come to its end. */
typedef struct {
    int64_t pairs; /* of its list; 0 = there was none */
    int64_t n;
    uint64_t *const *q;
    int64_t steps;
    double seconds; /* of its processors, in forces and lists */
} myr_balance_load;

/* Looks at the costs of all ranks, and moves the planes where one has more than it should. To be followed by a
 * migration. */
myr_status myr_balance_run(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                           const myr_balance_load *load);

/* Widths of slabs with which the slowest domain is faster, a bounded step from the present ones; none becomes thinner
 * than least[axis]. cost[(k count[1] + j) count[0] + i] is that of domain (i, j, k). Gives the largest cost that is
 * expected then over the present one. */
double myr_balance_refine(const int count[3], const double *cost, const double least[3], double *const width[3]);

#endif
