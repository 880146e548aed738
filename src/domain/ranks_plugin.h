/* ranks_plugin.h - function table of the MPI plug-in. The plug-in is compiled once for each MPI library that the build
 * finds (libmyriad_openmpi.so, libmyriad_mpich.so); the launcher determines which one is opened. Functions return 0 or
 * an MPI error code, which `text` translates. */
#ifndef MYR_DOMAIN_RANKS_PLUGIN_H
#define MYR_DOMAIN_RANKS_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

enum { MYR_RANKS_ABI = 3, MYR_RANKS_TEXT = 512 };
#define MYR_RANKS_PLUGIN_SYMBOL "myr_ranks_plugin_get"

/* Message to or from another rank. */
typedef struct {
    void *bytes;
    size_t size;
    int peer, tag;
    int sending; /* 1 = send, 0 = receive */
    void *request;
} myr_rank_message;

typedef struct {
    int abi;
    /* rank: index of this rank; count: number of ranks; local: number of ranks on this machine */
    int (*open)(int *rank, int *count, int *local);
    void (*close)(void);
    void (*abort)(int code);
    void (*text)(int error, char text[MYR_RANKS_TEXT]);
    void (*library)(char text[MYR_RANKS_TEXT]);
    /* Non-blocking maximum: started on all ranks in the same order, one at a time; the values must not move until
     * completion. */
    int (*max_start)(double *values, int n, void **request);
    int (*max_finish)(void **request, int wait, int *done);
    int (*any)(uint64_t *values, int n);
    int (*sum)(int64_t *values, int n);
    int (*all)(int64_t value, int64_t *values);
    int (*swap)(const int64_t *out, int64_t *in);
    int (*broadcast)(void *bytes, int size, int from);
    int (*start)(myr_rank_message *message, int n);
    int (*finish)(myr_rank_message *message, int n);
    int (*test)(myr_rank_message *message, int n, int *done); /* *done = 1 if all messages are complete */
} myr_ranks_plugin;

typedef const myr_ranks_plugin *(*myr_ranks_plugin_fn)(void);

#endif
