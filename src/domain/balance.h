/* balance.h - dynamic load balance: planes between domains move so that all ranks have equal cost (left open in section
 * 6 of paper 003). The work of a rank is counted as the pairs of its list. The time of that work is measured in
 * processor time, which excludes time when the core runs another process. The distribution of pairs within a domain is
 * estimated from the number of particles per cell; a cell has the size of the interaction range. */
#ifndef MYR_DOMAIN_BALANCE_H
#define MYR_DOMAIN_BALANCE_H

#include <myriad/ranks.h>

#include "domain/decomposition.h"

typedef struct {
    myr_balance_by by;
    double width; /* interaction range: cutoff plus list margin */
    /* before: imbalance of pairs (largest over mean) at the first measurement; last: imbalance of costs at the latest
     * one */
    double before;
    double last;
    int64_t looks, moves;
    int wait; /* list rebuilds to skip until the next measurement */
    int fine; /* 1 = pairs are balanced, and measured times are used */
    /* processor seconds of this rank since `fine` was set, and the work done in them (pairs times steps); both decay */
    double seconds, work;
} myr_balance;

/* Work of a rank during the lifetime of the last pair list. */
typedef struct {
    int64_t pairs; /* pairs in the list; 0 = no list was built yet */
    int64_t n;
    uint64_t *const *q;
    int64_t steps;
    double seconds; /* processor seconds in force evaluations and list builds */
} myr_balance_load;

/* Measures the imbalance of the ranks and moves planes if needed. A migration must follow. Called by all ranks. */
myr_status myr_balance_run(myr_balance *b, myr_context *context, myr_decomposition *d, const myr_box *box,
                           const myr_balance_load *load);

/* Slab widths that reduce the cost of the slowest domain, a bounded step from the present widths; no slab becomes
 * thinner than least[axis]. cost[(k count[1] + j) count[0] + i] is the cost of domain (i, j, k). Returns the expected
 * largest cost divided by the present one. */
double myr_balance_refine(const int count[3], const double *cost, const double least[3], double *const width[3]);

#endif
