/* run_verify.h - a stretch of a run repeated from its checkpoint, and its hashes compared with those in hashes.csv. The
 * directory of the run is only read, and may be a stranger's. */
#ifndef MYR_RUNS_RUN_VERIFY_H
#define MYR_RUNS_RUN_VERIFY_H

#include "run/run.h"

enum { VERIFY_NOTE = 320 };

typedef struct {
    int64_t from, to;                           /* steps: of the checkpoint, and of the last hash that was compared */
    int64_t compared;                           /* hashes */
    int64_t agreed;                             /* step of the last hash that agreed before one differed; -1 = none */
    int64_t differs;                            /* step of the first that differed; -1 = none */
    int again;                                  /* 1 = the hash after that agreed */
    char here[REPEAT_HASH], there[REPEAT_HASH]; /* the hashes that differed */
    char note[VERIFY_NOTE];                     /* why equal bits are not promised; "" = they are */
} run_verified;

/* Repeats the run in options->restart from its oldest checkpoint that is whole, for at most `steps` steps, on all ranks
 * together; only on rank 0 there is a result. Gives an exit code: RUN_DIFFERS where the bits differ. */
int run_verify(run *r, int64_t steps, run_verified *verified);

#endif
