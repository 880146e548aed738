/* far.h - settings and sums of a far-field method, where failing ends a test. */
#ifndef MYR_TEST_FAR_H
#define MYR_TEST_FAR_H

#include <myriad/myriad.h>

static inline void set(myr_interaction *f, const char *name, double value)
{
    assert_int_equal(myr_interaction_set(f, name, value), MYR_OK);
}

static inline void evaluate(myr_context *context, myr_interaction *f, myr_particles *p)
{
    if (myr_interaction_evaluate(f, p, p))
        fail_msg("%s", myr_context_message(context));
}

#endif
