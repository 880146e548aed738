/* ranks.h - communication between ranks. Every function is collective unless stated otherwise: all ranks make the same
 * calls in the same order with the same number of elements. With a single rank each function returns at once.
 *
 * A rank that fails locally calls myr_ranks_agree. The other ranks learn of the failure in their next collective call,
 * whichever function that is; from then on all functions fail on all ranks with the same message. Between
 * myr_ranks_start and myr_ranks_finish, while other ranks wait for messages of this rank, notification is impossible:
 * the rank is then lost (myr_ranks_lost) and must abort all ranks (myr_ranks_abort).
 *
 * All MPI calls of the library are in the plug-in (domain/mpi/); a new kind of communication gets an entry in the table
 * of domain/ranks_plugin.h. */
#ifndef MYR_DOMAIN_RANKS_H
#define MYR_DOMAIN_RANKS_H

#include <stdint.h>

#include <myriad/ranks.h>

#include "core/context.h"
#include "core/wide.h"
#include "domain/ranks_plugin.h"

/* Combines the statuses of all ranks without ending communication: every rank gets the status and the message of the
 * lowest rank that failed, and may continue. */
myr_status myr_ranks_settle(myr_context *context, myr_status status);

/* Element-wise maximum over all ranks. NaN counts as infinity. */
myr_status myr_ranks_max(myr_context *context, double *values, int n);

/* Non-blocking maximum of up to MYR_RANKS_AHEAD values. Between begin and end a rank may compute and exchange messages;
 * another collective call first completes this reduction and discards its result. End sets *done, and the values if
 * done; with wait = 0 it only tests for completion. */
enum { MYR_RANKS_AHEAD = 7 };
myr_status myr_ranks_max_begin(myr_context *context, const double *values, int n);
myr_status myr_ranks_max_end(myr_context *context, int wait, double *values, int n, int *done);

/* Number of collective operations so far: reductions, and broadcasts, which include a reduction. */
int64_t myr_ranks_reductions(const myr_context *context);

/* Bitwise or over all ranks. */
myr_status myr_ranks_any(myr_context *context, uint64_t *flags, int n);

/* Exact integer sums over all ranks. */
myr_status myr_ranks_sum(myr_context *context, int64_t *values, int n);
myr_status myr_ranks_sum_wide(myr_context *context, myr_wide *values, int n);

/* Sums of n integers of 256 bits, lowest word first: words[n][MYR_RANKS_WIDER]. One reduction and no other: a rank that
 * has failed must take part and say so in a number of its own. */
enum { MYR_RANKS_WIDER = 4 };
myr_status myr_ranks_sum_wider(myr_context *context, uint64_t *words, int64_t n);

/* Index of this rank on its machine among all ranks that a group was taken from, and their number; returns 0, and
 * changes nothing, if the ranks are no group. */
int myr_ranks_machine(const myr_context *context, int *rank, int *ranks);

/* Collects one value of each rank on all ranks, in rank order. */
myr_status myr_ranks_all(myr_context *context, int64_t value, int64_t *values);

/* Collects words of all ranks on all ranks: rank k has filled words[first[k]] to words[first[k + 1] - 1]. first:
 * [number of ranks + 1], the same on all ranks, and first[0] = 0. */
myr_status myr_ranks_collect(myr_context *context, const int64_t *first, uint64_t *words);

/* All-to-all exchange of one value: out[k] goes to rank k, in[k] comes from rank k. */
myr_status myr_ranks_swap(myr_context *context, const int64_t *out, int64_t *in);

/* Copies bytes of rank `from` to all ranks. */
myr_status myr_ranks_broadcast(myr_context *context, void *bytes, size_t size, int from);

/* Concatenates `size` bytes of each rank on rank 0 in rank order; sizes may differ between ranks. `all` is unused on
 * other ranks. */
myr_status myr_ranks_gather(myr_context *context, const void *bytes, size_t size, void *all);

/* Sends a message to the rank `step` places further around the ring and receives one from `step` places back, and waits
 * for both; empty messages are not sent. Not collective. */
myr_status myr_ranks_turn(myr_context *context, int step, int tag, void *out, size_t sent, void *in, size_t received);

/* Marks this rank as lost: it failed while other ranks wait for its messages. */
void myr_ranks_lose(myr_context *context);

/* Starts messages in both directions, and waits for their completion. The buffers must not move in between. The
 * receiver knows the size; messages between two ranks with equal tags arrive in order. Not collective. */
myr_status myr_ranks_start(myr_context *context, myr_rank_message *message, int n);
myr_status myr_ranks_finish(myr_context *context, myr_rank_message *message, int n);

/* Tests whether all messages are complete; myr_ranks_finish need not be called if *done is 1. */
myr_status myr_ranks_test(myr_context *context, myr_rank_message *message, int n, int *done);

#endif
