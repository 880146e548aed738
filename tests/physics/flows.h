/* flows.h - one context for all tests of a file on flows. */
#ifndef MYR_TEST_FLOWS_H
#define MYR_TEST_FLOWS_H

#include "physics/motion.h"

static myr_context *context;

static inline int set_up(void **state)
{
    (void)state;
    context = new_context();
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    myr_context_destroy(&context);
    return 0;
}

#endif
