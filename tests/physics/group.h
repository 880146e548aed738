/* group.h - one context for all tests of a program. */
#ifndef MYR_TESTS_GROUP_H
#define MYR_TESTS_GROUP_H

#include "physics/models.h"
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
