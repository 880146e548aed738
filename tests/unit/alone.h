/* alone.h - a context with one thread, as the state of a group of tests. */
#ifndef MYR_TESTS_ALONE_H
#define MYR_TESTS_ALONE_H

#include <myriad/myriad.h>

static inline int alone_setup(void **state)
{
    myr_context *context;
    if (myr_context_create(&context) || myr_context_set_threads(context, 1))
        return -1;
    *state = context;
    return 0;
}

static inline int alone_teardown(void **state)
{
    myr_context *context = *state;
    myr_context_destroy(&context);
    return 0;
}

#endif
