/* ranks.h - what ranks say to each other. Every function is called by all ranks at the same place, with the same
 * number of elements; with one rank alone each does what it would with others and no more.
 *
 * A rank that fails by itself calls myr_ranks_agree, and all others learn of it in whatever they do together next, be
 * it another function of this file: after that all of these functions fail at once, on all ranks, with the same
 * message. Only between myr_ranks_start and myr_ranks_finish, where others wait for a message of this rank, there is no
 * way to tell them: then it is lost (myr_ranks_lost), and has to end them all (myr_ranks_abort).
 *
 * All MPI calls of the library are in the plug-in (domain/mpi/): what a rank needs that is not here goes into its table
 * (domain/ranks_plugin.h). */
#ifndef MYR_DOMAIN_RANKS_H
#define MYR_DOMAIN_RANKS_H

#include <stdint.h>

#include <myriad/ranks.h>

#include "core/context.h"
#include "core/wide.h"
#include "domain/ranks_plugin.h"

/* Whether a rank has failed by itself, without an end to what ranks do together: all get the status and the message of
 * the lowest one that did, and go on as they like. */
myr_status myr_ranks_settle(myr_context *context, myr_status status);

/* The largest of all ranks' values, element by element. A value that is not a number is larger than all. */
myr_status myr_ranks_max(myr_context *context, double *values, int n);

/* The same in two parts, of up to MYR_RANKS_AHEAD values: between them this rank computes, and sends and receives
 * messages; whatever else it does with all ranks waits for the end of this first, and its result is lost. End gives the
 * values where *done; without `wait` it only looks. */
enum { MYR_RANKS_AHEAD = 7 };
myr_status myr_ranks_max_begin(myr_context *context, const double *values, int n);
myr_status myr_ranks_max_end(myr_context *context, int wait, double *values, int n, int *done);

/* How often all ranks have met: reductions, and broadcasts, which begin with one. */
int64_t myr_ranks_meetings(const myr_context *context);

/* Bits that any rank has set. */
myr_status myr_ranks_any(myr_context *context, uint64_t *flags, int n);

/* Exact sums over the ranks. */
myr_status myr_ranks_sum(myr_context *context, int64_t *values, int n);
myr_status myr_ranks_sum_wide(myr_context *context, myr_wide *values, int n);

/* The values of all ranks in their order, one each. */
myr_status myr_ranks_all(myr_context *context, int64_t value, int64_t *values);

/* A value from every rank for every other: out[k] goes to rank k, in[k] has come from it. */
myr_status myr_ranks_swap(myr_context *context, const int64_t *out, int64_t *in);

/* Copies bytes of one rank to all. */
myr_status myr_ranks_broadcast(myr_context *context, void *bytes, size_t size, int from);

/* Brings `size` bytes of every rank, which may differ, to rank 0 in the order of the ranks; `all` has room for them
 * there, and is not looked at elsewhere. */
myr_status myr_ranks_gather(myr_context *context, const void *bytes, size_t size, void *all);

/* A turn of the ring: a message to the rank `step` places on and one from that so many back, each where it has any
 * bytes, and waits for both. */
myr_status myr_ranks_turn(myr_context *context, int step, int tag, void *out, size_t sent, void *in, size_t received);

/* This rank has failed where others wait for its messages. */
void myr_ranks_lose(myr_context *context);

/* Starts messages, which may go both ways, and waits until all have come and gone. Their bytes must stay where they
 * are in between. A receiver knows the size; of messages between two ranks with one tag the order is kept. */
myr_status myr_ranks_start(myr_context *context, myr_rank_message *message, int n);
myr_status myr_ranks_finish(myr_context *context, myr_rank_message *message, int n);

/* Whether they have; finish need not be called then. */
myr_status myr_ranks_test(myr_context *context, myr_rank_message *message, int n, int *done);

#endif
