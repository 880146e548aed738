/* agreement.h - collective decisions of the domains of a divided box. The code that divides the box provides the
 * functions (MPI between ranks, threads in tests); code that decides calls the two wrappers below, which do nothing
 * when the box is not divided. Every domain makes the same calls in the same order and continues with the same values.
 *
 * A domain that fails locally returns its error and makes no further calls: the code that joins the domains must keep
 * the other domains from waiting forever. */
#ifndef MYR_DOMAIN_AGREEMENT_H
#define MYR_DOMAIN_AGREEMENT_H

#include <myriad/status.h>

#include "core/wide.h"

typedef struct {
    void *user;
    /* Replaces each value by the maximum over all domains. No value may be NaN. */
    myr_status (*largest)(void *user, double *value, int count);
    /* Replaces each sum by the exact sum over all domains. */
    myr_status (*add)(void *user, myr_wide *sum, int count);
    /* Non-blocking maximum in two parts. Between begin and end a domain may compute but may start no other collective
     * operation. With wait = 0, end only tests for completion and sets *done. Null = not supported. */
    myr_status (*largest_begin)(void *user, const double *value, int count);
    myr_status (*largest_end)(void *user, int wait, double *value, int count, int *done);
} myr_agreement;

/* Maximum over all domains; `agreement` is null if there is a single domain. */
static inline myr_status myr_agreement_largest(const myr_agreement *agreement, double *value, int count)
{
    return agreement ? agreement->largest(agreement->user, value, count) : MYR_OK;
}

static inline myr_status myr_agreement_add(const myr_agreement *agreement, myr_wide *sum, int count)
{
    return agreement ? agreement->add(agreement->user, sum, count) : MYR_OK;
}

#endif
