/* live_server.h - the C interface of the plug-in that serves a live page (libmyriad_watch.so). The plug-in speaks HTTP
 * on the loopback interface and knows nothing of runs; the host, which is the program or libmyriad_run, decides about
 * every request, and so about tokens. */
#ifndef MYR_RUNS_LIVE_SERVER_H
#define MYR_RUNS_LIVE_SERVER_H

#include <stddef.h>
#include <stdint.h>

enum {
    LIVE_SERVER_VERSION = 2,
    LIVE_EVENT_BYTES = 4096, /* of one event of the stream at most */
    LIVE_WHY = 256           /* of a sentence about what went wrong */
};

/* A request as it came; null = that header is missing. */
typedef struct {
    const char *method, *path;
    const char *host, *origin, *token;
} live_request;

/* The answer. A stream has no bytes: they come from live_host.event. */
typedef struct {
    int status;
    const char *type; /* of the content */
    char *bytes;      /* of malloc; the server frees them */
    size_t size;
    int is_stream;
} live_reply;

/* What the server asks its host, from threads of the server. */
typedef struct {
    void *user;
    void (*answer)(void *user, const live_request *request, live_reply *reply);
    /* number of the newest event, from 1 on */
    uint64_t (*newest)(void *user);
    /* copies the newest event, if its number is not *seen, which becomes that number; gives its bytes, 0 = none */
    size_t (*event)(void *user, uint64_t *seen, char *to, size_t room);
    /* a stream that was answered has ended */
    void (*stream_ended)(void *user);
    int framed; /* 1 = pages of this machine, a notebook, may show the page inside; 0 = none may */
} live_host;

typedef struct {
    unsigned version; /* LIVE_SERVER_VERSION */
    /* starts a server on a free port of 127.0.0.1; 0, or not with a sentence in `why` */
    int (*start)(const live_host *host, void **server, int *port, char why[LIVE_WHY]);
    /* ends all connections and frees the server */
    void (*stop)(void **server);
} live_server_table;

/* The only symbol of the plug-in. */
#define LIVE_SERVER_SYMBOL "myr_watch_plugin_get"
const live_server_table *myr_watch_plugin_get(void);

#endif
