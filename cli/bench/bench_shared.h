/* bench_shared.h - `myriad bench SUITE` under mpirun, for methods that ranks share. */
#ifndef MYR_CLI_BENCH_SHARED_H
#define MYR_CLI_BENCH_SHARED_H

#include "bench/bench.h"

/* Whether a suite has a measurement on ranks of this kind. */
int bench_shared_has(const char *suite);

/* Measures it; collective. */
int bench_shared(bench *b, const char *suite);

/* Direct sums with block steps on a rank alone, as one of several. */
int bench_hermite(bench *b);

#endif
