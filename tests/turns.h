/* turns.h - cases of which a run of the tests may take a part, by turns: with MYRIAD_TEST_TURN=K/N those with the
 * numbers K, K + N, K + 2 N, ..., without it all. Most of what such a case costs is a program that is compiled for it.
 * `.ci/run` sets it from the commit where cores are few. */
#ifndef MYR_TESTS_TURNS_H
#define MYR_TESTS_TURNS_H

#include <stdio.h>
#include <stdlib.h>

/* Returns 1 if case k is one of those that are taken. */
static inline int turns_takes(int k)
{
    const char *turn = getenv("MYRIAD_TEST_TURN");
    int which, of;
    if (!turn || sscanf(turn, "%d/%d", &which, &of) != 2 || which < 0 || of < 1)
        return 1;
    return k % of == which % of;
}

#endif
