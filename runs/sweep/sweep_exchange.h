/* sweep_exchange.h - files of replicas that exchange temperatures: exchange.state, beside their checkpoints, and
 * exchange.json, what has been exchanged. */
#ifndef MYR_RUNS_SWEEP_EXCHANGE_H
#define MYR_RUNS_SWEEP_EXCHANGE_H

#include <myriad/ensemble.h>

#include "sweep/sweep.h"

/* Writes exchange.state after `made` steps, and takes it back where the replicas go on from that step. Exit codes. */
int sweep_exchange_keep(const sweep *s, const myr_ensemble *ensemble, int64_t made);
int sweep_exchange_take(const sweep *s, myr_context *context, myr_ensemble *ensemble, int64_t made);

/* Reads the bytes of exchange.state: the step, and exactly `count` numbers. Returns 0 if they are anything else. */
int sweep_exchange_parse(const char *bytes, size_t size, int64_t *made, int64_t *state, int64_t count);

/* Writes exchange.json: what neighbouring temperatures have exchanged, and how often replicas went up and down.
 * which[moved]: number of the replica of each system. */
int sweep_exchange_write(const sweep *s, const myr_ensemble *ensemble, const int64_t *which, int64_t moved);

#endif
