/* ranks_plugin.h - function table of the MPI plug-in. The plug-in is compiled once for each MPI library that the build
 * finds (libmyriad_openmpi.so, libmyriad_mpich.so); the launcher determines which one is opened. Functions return 0 or
 * an MPI error code, which `text` translates. */
#ifndef MYR_DOMAIN_RANKS_PLUGIN_H
#define MYR_DOMAIN_RANKS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

enum { MYR_RANKS_ABI = 8, MYR_RANKS_TEXT = 512 };
#define MYR_RANKS_PLUGIN_SYMBOL "myr_ranks_plugin_get"

/* Message to or from another rank. */
typedef struct {
    void *bytes;
    size_t size;
    int peer, tag;
    int sending; /* 1 = send, 0 = receive */
    void *request;
} myr_rank_message;

/* Communication of one context: a duplicate of a communicator, on which no other message can be mistaken for one of
 * Myriad. */
typedef struct myr_ranks_session myr_ranks_session;

typedef struct {
    int abi;
    const char
        *compiled; /* MPI library whose header the plug-in was compiled with: "Open MPI", "MPICH"; "" = another */
    /* Duplicates a communicator (pointer to an MPI_Comm; null = MPI_COMM_WORLD) and initialises MPI unless it is
     * initialised. rank: index of this rank; count: number of ranks; local: number of ranks on this machine. *session
     * is null on failure. */
    int (*open)(const void *communicator, myr_ranks_session **session, int *rank, int *count, int *local);
    /* Opens a session of those ranks of a session that give the same number `group`, in their order; collective. */
    int (*split)(myr_ranks_session *session, int group, myr_ranks_session **part, int *rank, int *count, int *local);
    /* Frees the duplicate. The last close finalises MPI if open initialised it. Null is allowed. */
    void (*close)(myr_ranks_session *session);
    void (*abort)(myr_ranks_session *session, int code);
    void (*text)(int error, char text[MYR_RANKS_TEXT]);
    void (*library)(char text[MYR_RANKS_TEXT]);
    int (*takes_device)(void); /* 1 = messages may be in the memory of a GPU; 0 = not; -1 = the library cannot tell */
    /* Non-blocking maximum: started on all ranks in the same order, one at a time; the values must not move until
     * completion. */
    int (*max_start)(myr_ranks_session *session, double *values, int n, void **request);
    int (*max_finish)(void **request, int wait, int *done);
    int (*any)(myr_ranks_session *session, uint64_t *values, int n);
    int (*sum)(myr_ranks_session *session, int64_t *values, int n);
    /* Sums of n integers of 128 bits (unsigned __int128), or of 256 bits ([n][4] words, lowest first), modulo 2^128 or
     * 2^256. */
    int (*sum_wide)(myr_ranks_session *session, void *values, int n);
    int (*sum_wider)(myr_ranks_session *session, uint64_t *words, int n);
    int (*all)(myr_ranks_session *session, int64_t value, int64_t *values);
    /* Collects counts[k] words of each rank k, at words + offsets[k], on all ranks; the rank's own are there. */
    int (*collect)(myr_ranks_session *session, uint64_t *words, const int *counts, const int *offsets);
    int (*swap)(myr_ranks_session *session, const int64_t *out, int64_t *in);
    int (*broadcast)(myr_ranks_session *session, void *bytes, int size, int from);
    int (*start)(myr_ranks_session *session, myr_rank_message *message, int n);
    int (*finish)(myr_rank_message *message, int n);
    int (*test)(myr_rank_message *message, int n, int *done); /* *done = 1 if all messages are complete */
} myr_ranks_plugin;

typedef const myr_ranks_plugin *(*myr_ranks_plugin_fn)(void);

#endif
