/* server.c - the plug-in: HTTP on 127.0.0.1 by libmicrohttpd. One thread of the library answers all connections; a
 * second one wakes the event streams that have something to send. Nothing here waits for a browser: what one does not
 * read stays in its socket, and a connection without progress is closed. */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "live/live_server.h"

#define VISIBLE __attribute__((visibility("default")))

enum {
    CONNECTIONS = 300,    /* at once; more are closed when they come */
    IDLE_SECONDS = 10,    /* without a byte in either direction */
    REQUEST_BYTES = 8192, /* of a request with its headers */
    BODY_BYTES = 1024,    /* of a request's body, which is not looked at */
    TICK_MILLISECONDS = 30,
    LAST_TICKS = 30, /* that event streams have to end in when the server stops */
    BEAT_TICKS = 150 /* after so many an idle stream sends a comment, which shows whether somebody is there */
};

typedef struct server server;

/* An event stream. */
typedef struct stream {
    server *of;
    struct MHD_Connection *connection;
    uint64_t seen; /* number of the last event that was sent */
    int sleeps;    /* suspended: the second thread wakes it */
    int ticks;     /* since it fell asleep */
    int beats;     /* woken to send a comment */
    struct stream *next;
} stream;

struct server {
    live_host host;
    struct MHD_Daemon *daemon;
    pthread_t waker;
    pthread_mutex_t lock; /* of what follows */
    stream *streams;
    int ends;
};

/* --- event streams ------------------------------------------------------------------------------------------------ */

static ssize_t stream_read(void *user, uint64_t at, char *to, size_t room)
{
    stream *s = user;
    server *own = s->of;
    (void)at;
    pthread_mutex_lock(&own->lock);
    const int ends = own->ends, beats = s->beats;
    s->beats = 0;
    pthread_mutex_unlock(&own->lock);
    const size_t size = own->host.event(own->host.user, &s->seen, to, room);
    if (size > 0)
        return (ssize_t)size;
    if (ends)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (beats && room >= 3) {
        static const char comment[3] = {':', '\n', '\n'};
        memcpy(to, comment, sizeof comment);
        return sizeof comment;
    }
    pthread_mutex_lock(&own->lock);
    if (!own->ends) {
        s->sleeps = 1;
        s->ticks = 0;
        MHD_suspend_connection(s->connection);
    }
    pthread_mutex_unlock(&own->lock);
    return 0;
}

static void stream_free(void *user)
{
    stream *s = user;
    server *own = s->of;
    pthread_mutex_lock(&own->lock);
    for (stream **at = &own->streams; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    pthread_mutex_unlock(&own->lock);
    own->host.stream_ended(own->host.user);
    free(s);
}

/* Wakes streams with news, and now and then the others; all of them where the server ends. */
static void wake_streams(server *own)
{
    const uint64_t newest = own->host.newest(own->host.user);
    pthread_mutex_lock(&own->lock);
    for (stream *s = own->streams; s; s = s->next) {
        if (!s->sleeps)
            continue;
        const int beats = ++s->ticks >= BEAT_TICKS;
        if (!own->ends && !beats && s->seen == newest)
            continue;
        s->sleeps = 0;
        s->beats = beats;
        MHD_resume_connection(s->connection);
    }
    pthread_mutex_unlock(&own->lock);
}

static void wait_a_tick(void)
{
    const struct timespec tick = {.tv_nsec = TICK_MILLISECONDS * 1000000L};
    nanosleep(&tick, NULL);
}

/* Wakes the streams until they have ended: a browser takes one that is cut off for broken. Those whose browser does not
 * read are cut off after LAST_TICKS. */
static void end_streams(server *own)
{
    for (int tick = 0, left = 1; left && tick < LAST_TICKS; tick++) {
        wake_streams(own);
        pthread_mutex_lock(&own->lock);
        left = own->streams != NULL;
        pthread_mutex_unlock(&own->lock);
        if (left)
            wait_a_tick();
    }
}

static void *waker_run(void *user)
{
    server *own = user;
    for (int ends = 0; !ends;) {
        wait_a_tick();
        wake_streams(own);
        pthread_mutex_lock(&own->lock);
        ends = own->ends;
        pthread_mutex_unlock(&own->lock);
    }
    return NULL;
}

static struct MHD_Response *stream_response(server *own, struct MHD_Connection *connection)
{
    stream *s = calloc(1, sizeof *s);
    struct MHD_Response *response = NULL;
    if (s) {
        s->of = own;
        s->connection = connection;
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, LIVE_EVENT_BYTES, stream_read, s, stream_free);
    }
    if (!response) {
        free(s);
        own->host.stream_ended(own->host.user);
        return NULL;
    }
    pthread_mutex_lock(&own->lock);
    s->next = own->streams;
    own->streams = s;
    pthread_mutex_unlock(&own->lock);
    return response;
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static enum MHD_Result send_reply(server *own, struct MHD_Connection *connection, live_reply *reply)
{
    static const char *const header[][2] = {{"Cache-Control", "no-store"},
                                            {"Referrer-Policy", "no-referrer"},
                                            {"X-Content-Type-Options", "nosniff"},
                                            {"Cross-Origin-Resource-Policy", "same-origin"},
                                            {"Cross-Origin-Opener-Policy", "same-origin"}};
    struct MHD_Response *response;
    if (reply->is_stream)
        response = stream_response(own, connection);
    else
        response = MHD_create_response_from_buffer(reply->size, reply->bytes, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(reply->bytes);
        return MHD_NO;
    }
    for (size_t k = 0; k < sizeof header / sizeof *header; k++)
        MHD_add_response_header(response, header[k][0], header[k][1]);
    if (own->host.framed)
        MHD_add_response_header(response, "Content-Security-Policy",
                                "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*");
    else
        MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    const enum MHD_Result result = MHD_queue_response(connection, (unsigned)reply->status, response);
    MHD_destroy_response(response);
    return result;
}

static const char *header_of(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Called for the head of a request, for pieces of its body, and at its end. */
static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_size, void **state)
{
    server *own = user;
    live_reply reply = {0};
    (void)version;
    (void)upload;
    if (!*state) {
        *state = calloc(1, sizeof(size_t));
        return *state ? MHD_YES : MHD_NO;
    }
    size_t *body = *state;
    if (*upload_size > 0) {
        *body += *upload_size;
        *upload_size = 0;
        return *body <= BODY_BYTES ? MHD_YES : MHD_NO;
    }
    const live_request request = {.method = method,
                                  .path = path,
                                  .host = header_of(connection, "Host"),
                                  .origin = header_of(connection, "Origin"),
                                  .token = header_of(connection, "X-Myriad-Token")};
    own->host.answer(own->host.user, &request, &reply);
    return send_reply(own, connection, &reply);
}

static void request_ended(void *user, struct MHD_Connection *connection, void **state,
                          enum MHD_RequestTerminationCode why)
{
    (void)user;
    (void)connection;
    (void)why;
    free(*state);
    *state = NULL;
}

/* What the library says about requests that it refuses belongs on nobody's terminal. */
static void keep_silent(void *user, const char *format, va_list args)
{
    (void)user;
    (void)format;
    (void)args;
}

/* --- the server --------------------------------------------------------------------------------------------------- */

static struct MHD_Daemon *start_daemon(server *own)
{
    const struct sockaddr_in loopback = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return MHD_start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                                MHD_USE_ERROR_LOG,
                            0, NULL, NULL, handle, own, MHD_OPTION_EXTERNAL_LOGGER, keep_silent, NULL,
                            MHD_OPTION_SOCK_ADDR, (const struct sockaddr *)&loopback, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)2 * REQUEST_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
                            request_ended, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
}

static void server_stop(void **owner)
{
    server *own = *owner;
    if (!own)
        return;
    pthread_mutex_lock(&own->lock);
    own->ends = 1;
    pthread_mutex_unlock(&own->lock);
    pthread_join(own->waker, NULL);
    end_streams(own);
    MHD_stop_daemon(own->daemon);
    pthread_mutex_destroy(&own->lock);
    free(own);
    *owner = NULL;
}

/* Threads of the server; signals are the main thread's. */
static int start_threads(server *own)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    own->daemon = start_daemon(own);
    int failed = !own->daemon;
    if (own->daemon && pthread_create(&own->waker, NULL, waker_run, own)) {
        MHD_stop_daemon(own->daemon);
        failed = 1;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int server_start(const live_host *host, void **made, int *port, char why[LIVE_WHY])
{
    server *own = calloc(1, sizeof *own);
    *made = NULL;
    if (!own) {
        snprintf(why, LIVE_WHY, "no memory");
        return -1;
    }
    own->host = *host;
    pthread_mutex_init(&own->lock, NULL);
    if (start_threads(own)) {
        snprintf(why, LIVE_WHY, "no server can be started on 127.0.0.1");
        pthread_mutex_destroy(&own->lock);
        free(own);
        return -1;
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(own->daemon, MHD_DAEMON_INFO_BIND_PORT);
    *port = info ? info->port : 0;
    *made = own;
    return 0;
}

VISIBLE const live_server_table *myr_watch_plugin_get(void)
{
    static const live_server_table table = {LIVE_SERVER_VERSION, server_start, server_stop};
    return &table;
}
