/* agreement.h - what the domains of a divided box decide together. Who divides it fills in the functions (ranks do it
 * by MPI, tests by threads); code that decides calls the two below, which are free of charge where nothing is divided.
 * Every domain calls them at the same points and in the same order, and goes on with the same values.
 *
 * A domain that fails by itself returns its error and calls nothing any more: whoever joins the domains sees to it that
 * the others do not wait for it for ever. */
#ifndef MYR_DOMAIN_AGREEMENT_H
#define MYR_DOMAIN_AGREEMENT_H

#include <myriad/status.h>

#include "core/wide.h"

typedef struct {
    void *user;
    /* Each value becomes the largest over all domains. None is NaN. */
    myr_status (*largest)(void *user, double *value, int count);
    /* Each becomes the sum over all domains, exactly. */
    myr_status (*add)(void *user, myr_wide *sum, int count);
    /* The largest in two parts, between which a domain goes on with something else, but agrees on nothing; without
     * `wait`, end only looks whether it is done. Null = not to be had. */
    myr_status (*largest_begin)(void *user, const double *value, int count);
    myr_status (*largest_end)(void *user, int wait, double *value, int count, int *done);
} myr_agreement;

/* agreement: null = one domain alone. */
static inline myr_status myr_agreement_largest(const myr_agreement *agreement, double *value, int count)
{
    return agreement ? agreement->largest(agreement->user, value, count) : MYR_OK;
}

static inline myr_status myr_agreement_add(const myr_agreement *agreement, myr_wide *sum, int count)
{
    return agreement ? agreement->add(agreement->user, sum, count) : MYR_OK;
}

#endif
