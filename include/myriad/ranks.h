/* ranks.h - several processes that compute one thing together (MPI).
 *
 * A context that has joined the ranks of a launcher (mpirun, srun) is one of them: what is computed with it is computed
 * by all, and every rank makes the same calls in the same order. A program without a launcher is one rank alone, and
 * nothing here costs it anything: MPI is a plug-in that is opened by myr_ranks_open and not before. */
#ifndef MYRIAD_RANKS_H
#define MYRIAD_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

/* What the launcher told this process before any rank is joined: its number, from 0, and how many there are (1 where
 * there is no launcher; 0 where it does not say). */
MYR_API int myr_ranks_told(int *count);

/* Joins the ranks that a launcher started; does nothing where there is no launcher. Once in the life of a process; the
 * ranks part when the context is destroyed. Fails where this build has no plug-in for the launcher's MPI. */
MYR_API myr_status myr_ranks_open(myr_context *context);

/* The number of this rank, from 0. After a failed myr_ranks_open it is what the launcher said, so that one of the
 * processes can be the one to speak. */
MYR_API int myr_ranks_me(const myr_context *context);

/* How many ranks there are: 1 where myr_ranks_open has not been called. */
MYR_API int myr_ranks_count(const myr_context *context);

/* How many of them are on the machine of this one. */
MYR_API int myr_ranks_here(const myr_context *context);

/* The first of n things that a rank takes where they are dealt out evenly, in the order of the ranks; n for the rank
 * past the last. */
MYR_API int64_t myr_ranks_first(const myr_context *context, int64_t n, int rank);

/* The MPI library in its own words; null where there is none at work. */
MYR_API const char *myr_ranks_library(const myr_context *context);

/* Whether any rank has failed: all learn the status and the message of the lowest one that did. A rank that fails may
 * call it anywhere; those that are well learn of it in whatever all ranks do together next. The message of another rank
 * than the first begins with its number. */
MYR_API myr_status myr_ranks_agree(myr_context *context, myr_status status);

/* The same with another message than the context's last one: that of the program around the library. */
MYR_API myr_status myr_ranks_tell(myr_context *context, myr_status status, const char *message);

/* Whether this rank has failed where it could not tell the others: it should say why, and end them all. */
MYR_API int myr_ranks_lost(const myr_context *context);

/* In which order a rank speaks to its neighbours about particles in a box (paper 003, section 5.3). Results do not
 * depend on it. */
typedef enum {
    MYR_EXCHANGE_TOGETHER, /* both directions of an axis at once */
    MYR_EXCHANGE_ONEWAY,   /* all send one way and receive from the other side, then the other way */
    MYR_EXCHANGE_TWO_STEP, /* the same, and even domains send first, odd ones receive first */
    MYR_EXCHANGE_PAIRWISE, /* even domains exchange with the one on their right, then all with the other one */
    MYR_EXCHANGES
} myr_exchange;

/* The name of one of them; null past the end. */
MYR_API const char *myr_exchange_name(int k);

/* What the domains of ranks change by, so that all have as much to do. Results do not depend on it. */
typedef enum {
    MYR_BALANCE_TIME,  /* the time that their processors need */
    MYR_BALANCE_PAIRS, /* the pairs that they have */
    MYR_BALANCE_NO,    /* they keep the places that they were given */
    MYR_BALANCES
} myr_balance_by;

/* The name of one of them; null past the end. */
MYR_API const char *myr_balance_name(int k);

/* How ranks work together; results do not depend on it. */
typedef struct {
    myr_exchange exchange;
    myr_balance_by balance;
} myr_rank_options;

/* How particles in a box are divided among ranks, and what it costs. */
typedef struct {
    int ranks;
    int domains[3];           /* along the axes of the box */
    int64_t rebuilds;         /* of neighbour lists, at which particles change their rank */
    int64_t migrated;         /* particles that did, times that they did */
    int64_t plane_moves;      /* times that the planes between domains were moved */
    int64_t pairs;            /* in the lists of all ranks; those between two ranks are in both */
    double imbalance;         /* the most pairs of a rank over the mean */
    double imbalance_before;  /* the same before planes were first moved */
    int64_t particles_most;   /* of the rank that has most */
    int64_t halo, halo_most;  /* copies of others' particles, all of them and those of the rank that has most */
    int messages;             /* that rank 0 sends in a step to its neighbours */
    int64_t bytes[3];         /* in them, along each axis, in both directions */
    double force_seconds;     /* of rank 0: forces */
    double list_seconds;      /* lists and their proof */
    double exchange_seconds;  /* halos and migration */
    double agreement_seconds; /* reductions, waiting for the others included */
} myr_rank_report;

/* Copies bytes of rank 0 to all. */
MYR_API myr_status myr_ranks_share(myr_context *context, void *bytes, size_t size);

enum { MYR_RANK_TIMES_SHOWN = 100, MYR_RANK_TIMES_EACH = 64 };

/* Where the time of steps went, in seconds: means over the ranks (paper 003, Tables IV and V), and of the rank that
 * took most. */
typedef struct {
    int ranks;
    int64_t steps;
    double seconds; /* on the clock */
    double force, force_most;
    double list, list_most; /* of neighbours: building and proving */
    double communication;   /* what the last rank to come to a meeting needs for it */
    double idle, idle_most; /* waiting for the others */
    double rest;            /* motion, and all else */
    /* t_diff of section 5.4: the longest time that a rank took for the forces of a step less the shortest, over the
     * mean; the mean and the largest over the last 1024 steps, and that of the last ones, oldest first. */
    double difference, difference_most;
    /* Meetings of all ranks (reductions) per step: all that there were, orders of rank 0 and new lists included; and in
     * a step that kept its lists. */
    double meetings, meetings_kept;
    double memory_most; /* bytes, resident: the most that a rank has had since it began */
    int shown;
    double last[MYR_RANK_TIMES_SHOWN];
    /* The first ranks by themselves, on rank 0 only: forces, lists, and in what ranks say to each other with the
     * waiting for it; and the memory. */
    struct {
        double force, list, spoken, memory;
    } each[MYR_RANK_TIMES_EACH];
} myr_rank_times;

/* Ends all ranks now, with that exit code: for a failure of one while others may be waiting for it. Returns only where
 * there is one rank. */
MYR_API void myr_ranks_abort(myr_context *context, int code);

MYR_END_DECLS

#endif
