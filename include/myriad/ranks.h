/* ranks.h - parallel computation with several processes, called ranks (MPI).
 *
 * A context that has joined the ranks of a launcher (mpirun, srun) is one of them: all ranks compute together, and
 * every rank makes the same calls in the same order. A program without a launcher is a single rank and has no overhead:
 * MPI is a plug-in that only myr_ranks_open and myr_ranks_open_communicator open. */
#ifndef MYRIAD_RANKS_H
#define MYRIAD_RANKS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include <myriad/context.h>

MYR_BEGIN_DECLS

/* Rank of this process, from 0, and number of ranks as set by the launcher, before the ranks are joined. The number is
 * 1 without a launcher, and 0 if the launcher does not set it. */
MYR_API int myr_ranks_told(int *count);

/* Launcher that started this process together with others, as "mpirun of Open MPI", from the variables that it sets;
 * null without a launcher. */
MYR_API const char *myr_ranks_launcher(void);

/* Joins the ranks that a launcher started; does nothing without a launcher. The ranks separate when the context is
 * destroyed. Fails if this build has no plug-in for the MPI library of the launcher. Myriad communicates on a duplicate
 * of MPI_COMM_WORLD and sets the error handler of the duplicate only. MPI is initialised if the program has not done
 * so, and only then finalised with the context: such a program may call this function once. */
MYR_API myr_status myr_ranks_open(myr_context *context);

/* As myr_ranks_open, for a program that has called MPI_Init: joins the ranks of a communicator of the program, which
 * may be some of its processes. `communicator` is a pointer to the MPI_Comm, and all its ranks call this function;
 * Myriad duplicates the communicator and never finalises MPI. The context is destroyed before MPI_Finalize. Threads of
 * Myriad need MPI_THREAD_FUNNELED or more of MPI_Init_thread. */
MYR_API myr_status myr_ranks_open_communicator(myr_context *context, const void *communicator);

/* As myr_ranks_open_communicator, for a program that has not linked its MPI library but loaded it (Python with mpi4py):
 * `library` is the text of MPI_Get_library_version. Fails if this build has no plug-in for that library, or if the
 * plug-in found uses another library or another version, whose communicators are not those of the program. */
MYR_API myr_status myr_ranks_open_communicator_of(myr_context *context, const void *communicator, const char *library);

/* Joins those ranks of `all`, a context that has joined ranks, that give the same number `group` (0, 1, ...), in their
 * order: groups compute independently, each as if it were alone, and share the GPUs of a machine. All ranks of `all`
 * call this function. The context of the group may be destroyed, and another one be made, as often as needed; `all`
 * stays until the last of them is destroyed. With a single rank a group is a single rank. */
MYR_API myr_status myr_ranks_open_group(myr_context *context, myr_context *all, int group);

/* Rank of this process, from 0. After a failed myr_ranks_open the value set by the launcher, so that one process can
 * report the error. */
MYR_API int myr_ranks_me(const myr_context *context);

/* Number of ranks; 1 before the ranks are joined. */
MYR_API int myr_ranks_count(const myr_context *context);

/* Number of ranks on the machine of this rank. */
MYR_API int myr_ranks_here(const myr_context *context);

/* Index of the first of n items of a rank, if the items are distributed evenly in rank order; n for the rank past the
 * last. */
MYR_API int64_t myr_ranks_first(const myr_context *context, int64_t n, int rank);

/* Name and version of the MPI library; null if MPI is not in use. */
MYR_API const char *myr_ranks_library(const myr_context *context);

/* 1 if the MPI library sends from and receives into the memory of GPUs, 0 if not, -1 if it does not tell or is not in
 * use. */
MYR_API int myr_ranks_take_device(const myr_context *context);

/* Combines the statuses of all ranks: every rank gets the status and the message of the lowest rank that failed. A
 * failed rank may call this function at any point; the other ranks learn of the failure in their next collective call.
 * A message of a rank other than 0 begins with the rank number. */
MYR_API myr_status myr_ranks_agree(myr_context *context, myr_status status);

/* As myr_ranks_agree, with a message of the calling program instead of the last message of the context. */
MYR_API myr_status myr_ranks_tell(myr_context *context, myr_status status, const char *message);

/* Lets every rank raise a request, for example to stop because of a signal: `request` is 0, or a positive number that a
 * signal handler of this rank may set at any time, and must stay valid as long as the context. Each collective call
 * carries the numbers of all ranks; null ends this. */
MYR_API void myr_ranks_set_request(myr_context *context, const volatile sig_atomic_t *request);

/* Largest request that any rank has raised so far, as of the last collective call; 0 = none. With a single rank the
 * request of this process. */
MYR_API int myr_ranks_requested(const myr_context *context);

/* 1 if this rank failed where it could not notify the others; the program should then report the error and call
 * myr_ranks_abort. */
MYR_API int myr_ranks_lost(const myr_context *context);

/* Order of the messages to neighbouring domains of particles in a box (paper 003, section 5.3). Results do not depend
 * on the order. */
typedef enum {
    MYR_EXCHANGE_TOGETHER, /* both directions of an axis at once */
    MYR_EXCHANGE_ONEWAY,   /* one direction after the other */
    MYR_EXCHANGE_TWO_STEP, /* as ONEWAY, with even domains sending first and odd domains receiving first */
    /* even domains exchange with the right neighbour, then all exchange with the other neighbour */
    MYR_EXCHANGE_PAIRWISE,
    MYR_EXCHANGES
} myr_exchange;

/* Name of exchange order k; null past the last. */
MYR_API const char *myr_exchange_name(int k);

/* Criterion of the load balance between domains. Results do not depend on it. */
typedef enum {
    MYR_BALANCE_TIME,  /* measured processor time */
    MYR_BALANCE_PAIRS, /* number of pairs */
    MYR_BALANCE_NO,    /* no load balance */
    MYR_BALANCES
} myr_balance_by;

/* Name of criterion k; null past the last. */
MYR_API const char *myr_balance_name(int k);

/* Options of parallel runs; results do not depend on these. */
typedef struct {
    myr_exchange exchange;
    myr_balance_by balance;
} myr_rank_options;

/* Division of particles in a box among ranks, and its cost. */
typedef struct {
    int ranks;
    int domains[3];           /* number of domains along each axis of the box */
    int64_t rebuilds;         /* number of neighbour list builds, at which particles migrate */
    int64_t migrated;         /* number of migrations of particles to another rank */
    int64_t plane_moves;      /* number of times that planes between domains were moved */
    int64_t pairs;            /* pairs in the lists of all ranks; a pair of particles on two ranks is in both lists */
    double imbalance;         /* largest number of pairs of a rank divided by the mean */
    double imbalance_before;  /* the same before the first move of planes */
    int64_t particles_most;   /* largest number of particles of a rank */
    int64_t halo, halo_most;  /* number of halo copies, of all ranks and of the rank with most */
    int messages;             /* halo messages that rank 0 sends per step */
    int64_t bytes[3];         /* bytes in these messages along each axis, both directions */
    double force_seconds;     /* rank 0: seconds in forces */
    double list_seconds;      /* rank 0: seconds in list builds and proofs */
    double exchange_seconds;  /* rank 0: seconds in halo exchange and migration */
    double agreement_seconds; /* rank 0: seconds in reductions, waiting included */
} myr_rank_report;

/* Evaluations by ranks that each have all particles (bodies, vortex elements), of this process. */
typedef struct {
    int ranks;               /* ranks that share evaluations; 1 = there is one, or the particles are divided */
    int64_t evaluations;     /* evaluations of the interaction */
    int64_t shared;          /* those of which the ranks shared the sums; every rank made the others alone */
    double exchange_seconds; /* this rank: seconds in the exchange of results, waiting included */
} myr_shared_report;

/* Evaluations of bodies and vortex elements that a far field has divided among the ranks of this process, each of which
 * has whole leaves of the tree. Of the last evaluation: numbers of the rank that has most. */
typedef struct {
    int64_t evaluations; /* evaluations whose particles were divided; 0 = none */
    int64_t steps;       /* steps in which each rank moved its own particles alone */
    int64_t particles;   /* particles in leaves of a rank */
    int64_t received;    /* sources that a rank got from others */
    int64_t bytes;       /* bytes that a rank sent: particles, series, descriptions of cells, results */
    int64_t memory;      /* bytes of the method's arrays on a rank */
    int64_t migrated;    /* particles that came into leaves of another rank, in all evaluations of such steps */
    int64_t cuts;        /* evaluations in which the cuts between ranks moved */
    double imbalance;    /* measured cost of the leaves of a rank over the mean */
} myr_divided_report;

/* Copies bytes of rank 0 to all ranks. */
MYR_API myr_status myr_ranks_share(myr_context *context, void *bytes, size_t size);

enum { MYR_RANK_TIMES_SHOWN = 100, MYR_RANK_TIMES_EACH = 64 };

/* Times of steps in seconds: mean over the ranks (paper 003, Tables IV and V), and maximum over the ranks
 * (..._most). */
typedef struct {
    int ranks;
    int64_t steps;
    double seconds; /* wall-clock time */
    double force, force_most;
    double list, list_most; /* neighbour lists: builds and proofs */
    double communication;   /* communication without waiting: the time of the last rank to arrive */
    double idle, idle_most; /* waiting for other ranks */
    double rest;            /* integration and everything else */
    /* t_diff of section 5.4: the longest force time of a rank in a step minus the shortest, divided by the mean; mean
     * and maximum over the last 1024 steps; `last` holds the latest steps, oldest first. */
    double difference, difference_most;
    /* Collective operations (reductions) per step: all of them, commands of rank 0 and list builds included; and in
     * steps that kept the list. */
    double meetings, meetings_kept;
    double memory_most; /* largest peak resident memory of a rank, in bytes */
    int shown;
    double last[MYR_RANK_TIMES_SHOWN];
    /* The first ranks individually, on rank 0 only: seconds in forces, in lists, and in communication with waiting; and
     * peak memory in bytes. */
    struct {
        double force, list, spoken, memory;
    } each[MYR_RANK_TIMES_EACH];
} myr_rank_times;

/* Replaces each of n numbers by the largest of all ranks; NaN counts as infinity. */
MYR_API myr_status myr_ranks_largest(myr_context *context, double *values, int n);

/* Ends all ranks at once with an exit code: for a failure of one rank while others may be waiting for it. Returns only
 * if there is a single rank. */
MYR_API void myr_ranks_abort(myr_context *context, int code);

MYR_END_DECLS

#endif
