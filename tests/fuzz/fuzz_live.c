/* fuzz_live.c - any request to the live page of a run: nothing but / is given to somebody without the token, commands
 * are taken only where the page may steer, and no request harms the host. The lines of an input are method, path, Host,
 * Origin and token of a request as the server hands it over; its HTTP is read by libmicrohttpd, and
 * tests/watch/watch.py sends broken requests to the whole. `T` as a token stands for the right one, `H` as Host or the
 * end of Origin for the right name. */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "live/live.h"

static void fuzz_promise(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

enum { PORT = 40000, FIELDS = 5, MANNERS = 2 };

static live_host host;
static live *page[MANNERS]; /* one that only looks, one that may steer */
static live_host of[MANNERS];

/* A plug-in without a server. */
static int start(const live_host *given, void **server, int *port, char why[LIVE_WHY])
{
    (void)why;
    host = *given;
    *server = &host;
    *port = PORT;
    return 0;
}

static void stop(void **server)
{
    *server = NULL;
}

/* The linker puts it in the place of live_plugin_open (--wrap). */
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the linker's name */
const live_server_table *__wrap_live_plugin_open(void);
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
const live_server_table *__wrap_live_plugin_open(void)
{
    static const live_server_table table = {LIVE_SERVER_VERSION, start, stop};
    return &table;
}

static void open_pages(void)
{
    for (int k = 0; k < MANNERS && !page[k]; k++) {
        fuzz_promise(live_open("/nonexistent", k ? LIVE_CONTROL : 0, &page[k]) == CLI_OK, "a page opens");
        of[k] = host;
    }
}

/* The text behind # of the address. */
static const char *token_of(const live *l)
{
    return strchr(live_address(l), '#') + 1;
}

static void ask(int manner, char *field[FIELDS])
{
    char name[64], origin[80], event[LIVE_EVENT_BYTES];
    const char *right = token_of(page[manner]);
    uint64_t seen = 0;
    snprintf(name, sizeof name, "127.0.0.1:%d", PORT);
    snprintf(origin, sizeof origin, "http://%s", name);
    live_request q = {field[0] ? field[0] : "", field[1] ? field[1] : "", field[2], field[3], field[4]};
    if (q.host && strcmp(q.host, "H") == 0)
        q.host = name;
    if (q.origin && strcmp(q.origin, "H") == 0)
        q.origin = origin;
    if (q.origin && !*q.origin)
        q.origin = NULL;
    if (q.token && strcmp(q.token, "T") == 0)
        q.token = right;
    live_reply reply = {0};
    of[manner].answer(of[manner].user, &q, &reply);
    const int knows = q.token && strcmp(q.token, right) == 0;
    fuzz_promise(reply.status == 403 || (strcmp(q.path, "/") == 0 && strcmp(q.method, "GET") == 0) || knows,
                 "who has no token gets 403");
    fuzz_promise(reply.status != 202 || manner == 1, "a page that only looks takes no command");
    fuzz_promise(reply.status == 403 ||
                     (q.host && (strstr(q.host, "127.0.0.1:40000") || strstr(q.host, "localhost:40000"))),
                 "another Host gets 403");
    fuzz_promise(!live_commands(page[manner]) || (manner == 1 && knows), "commands come with the token");
    fuzz_promise(!reply.bytes || !memmem(reply.bytes, reply.size, right, strlen(right)), "no answer has the token");
    if (reply.is_stream) {
        of[manner].event(of[manner].user, &seen, event, sizeof event);
        of[manner].stream_ended(of[manner].user);
    }
    free(reply.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *field[FIELDS] = {0}, *at = text;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (int k = 0; k < FIELDS && at; k++) {
        field[k] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = 0;
    }
    open_pages();
    live_publish(page[1], text, (int64_t)size, REPORT_RUNNING); /* a state may hold any text */
    for (int k = 0; k < MANNERS; k++)
        ask(k, field);
    free(text);
    return 0;
}

static const char *const seeds[] = {
    "GET\n/\nH\n\n",
    "GET\n/page\nH\nH\nT",
    "GET\n/events\nH\n\nT",
    "GET\n/frame\nH\n\nT",
    "GET\n/report\nH\n\nT",
    "POST\n/control/stop\nH\nH\nT",
    "POST\n/control/pause\nH\n\nT",
    "GET\n/page\nlocalhost:40000\nhttp://localhost:40000\nT",
    "GET\n/page\nevil.example\n\nT",
    "GET\n/page\nH\n\n00000000000000000000000000000000",
    "PUT\n/../etc/passwd\nH\nnull\nT",
};

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    if (k < 0 || k >= (int)(sizeof seeds / sizeof seeds[0]) || strlen(seeds[k]) > room)
        return 0;
    memcpy(to, seeds[k], strlen(seeds[k]));
    return strlen(seeds[k]);
}
