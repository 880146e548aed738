/* ranks.h - a test program that several ranks run together: each joins, runs all tests, and says what it found. */
#ifndef TESTS_MPI_RANKS_H
#define TESTS_MPI_RANKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "domain/ranks.h"

static myr_context *context;
static int me, ranks;

static inline void check(myr_status status)
{
    if (status)
        fail_msg("rank %d: %s", me, myr_context_message(context));
}

/* The last test to fail on one rank must not leave the others waiting. */
static inline int ranks_main(const struct CMUnitTest *tests, size_t count)
{
    if (myr_context_create(&context) || myr_ranks_open(context)) {
        fprintf(stderr, "%s\n", context ? myr_context_message(context) : "no memory");
        return 1;
    }
    me = myr_ranks_me(context);
    ranks = myr_ranks_count(context);
    if (me > 0)
        cmocka_set_message_output(CM_OUTPUT_SUBUNIT); /* the summary of one is enough to read */
    int failed = 0;
    for (size_t k = 0; k < count && !failed; k++)
        failed = _cmocka_run_group_tests(tests[k].name, tests + k, 1, NULL, NULL);
    if (failed)
        myr_ranks_abort(context, 1);
    myr_context_destroy(&context);
    return failed ? 1 : 0;
}

#define RANKS_MAIN(tests) ranks_main(tests, sizeof(tests) / sizeof *(tests))

#endif
