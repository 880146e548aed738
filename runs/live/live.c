/* live.c - the state between the thread that produces and the server that sends. */
#include "live/live.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define FRAME_SHARE 100.0  /* times what a frame took pass until the next one */
#define FRAME_LEAST 0.04   /* seconds between frames at least */
#define LINGER_SECONDS 4.0 /* for those who look at the end */
#define REPORT_MOST (1L << 28)
enum { WANTED_WATCHED = 1, WANTED_ASKED = 2, FRAME_HEAD = 48, POINT = 3 };

/* A frame as the producer leaves it. */
typedef struct {
    double *place; /* [drawn][3]; NaN = the particle is gone */
    int64_t number, scene;
    double time;
} frame;

struct live {
    atomic_int wanted; /* what the producer reads in every step */
    char directory[REPORT_PATH];
    int control, framed, port;
    char token[LIVE_TOKEN], address[LIVE_ADDRESS];
    const live_server_table *table;
    void *server;
    myr_context *context;
    /* of the producer: */
    int64_t drawn, *id, *row; /* ids that are drawn, sorted, and where they were last */
    int64_t frames, scenes;
    double next_frame, cost;
    pthread_mutex_t lock; /* of all below; held for copies of pointers and of one event */
    int streams, commands, frame_wanted;
    uint64_t newest;
    char event[LIVE_EVENT_BYTES];
    int64_t page;
    report_state state;
    frame fresh;          /* place null = the server has it already */
    myr_particles *first; /* of a new choice of particles, until the server takes them */
    int64_t first_of;
    char *report;
    size_t report_size;
    int report_sent;
    /* of the server's thread: */
    live_view view;
    char *frame_bytes, *page_text;
    size_t frame_size, page_size;
    int64_t page_made; /* the number of the page that page_text shows */
    double page_next;
};

/* --- the producer ------------------------------------------------------------------------------------------------- */

int live_is_wanted(const live *l)
{
    return atomic_load_explicit(&((live *)l)->wanted, memory_order_relaxed);
}

int live_wants_frame(const live *l, double now)
{
    live *own = (live *)l;
    pthread_mutex_lock(&own->lock);
    const int wanted = own->frame_wanted;
    pthread_mutex_unlock(&own->lock);
    return wanted && now >= own->next_frame;
}

int live_commands(live *l)
{
    pthread_mutex_lock(&l->lock);
    const int commands = l->commands;
    l->commands = 0;
    atomic_store(&l->wanted, l->streams > 0 ? WANTED_WATCHED : 0);
    pthread_mutex_unlock(&l->lock);
    return commands;
}

void live_publish(live *l, const char *json, int64_t page, report_state state)
{
    pthread_mutex_lock(&l->lock);
    l->newest++;
    l->page = page;
    l->state = state;
    const int head = snprintf(l->event, sizeof l->event, "id: %llu\ndata: ", (unsigned long long)l->newest);
    snprintf(l->event + head, sizeof l->event - (size_t)head, "%.*s\n\n", LIVE_EVENT_BYTES - 64, json);
    for (char *c = l->event + head; c[0] && c[1] && c[2]; c++) /* one line of the event stream */
        if (*c == '\n')
            *c = ' ';
    pthread_mutex_unlock(&l->lock);
}

int64_t live_frame_number(const live *l)
{
    return l->frames;
}

double live_cost(const live *l)
{
    return l->cost;
}

int live_may_control(const live *l)
{
    return l->control;
}

void live_report(live *l, const char *path)
{
    struct stat s;
    FILE *file = fopen(path, "r");
    char *text = file && fstat(fileno(file), &s) == 0 && s.st_size > 0 && s.st_size < REPORT_MOST
                     ? malloc((size_t)s.st_size)
                     : NULL;
    const size_t size = text ? fread(text, 1, (size_t)s.st_size, file) : 0;
    if (file)
        fclose(file);
    pthread_mutex_lock(&l->lock);
    free(l->report);
    l->report = text;
    l->report_size = size;
    l->report_sent = 0;
    pthread_mutex_unlock(&l->lock);
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

/* A hash of an id: particles are chosen by it, so that none is preferred. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

typedef struct {
    int64_t id, row;
} candidate;

static int compare_ids(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static int64_t find_id(const live *l, int64_t id)
{
    int64_t low = 0, high = l->drawn;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (l->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->drawn && l->id[low] == id ? low : -1;
}

/* A copy of the chosen particles, for the colours and the centre of the view. */
static myr_particles *copy_chosen(live *l, const myr_particles *from)
{
    myr_particles *to = NULL;
    int32_t *type = malloc((size_t)l->drawn * sizeof *type);
    int failed = !type || myr_particles_create(l->context, l->drawn, &to) || myr_particles_set_ids(to, l->id);
    for (int64_t k = 0; k < l->drawn && !failed; k++)
        type[k] = myr_particles_types(from)[l->row[k]];
    failed = failed || myr_particles_set_types(to, type);
    for (int f = 0; f < myr_particles_fields(from) && !failed; f++) {
        const char *name = myr_particles_field_name(from, f);
        const int components = myr_particles_field_components(from, f);
        if (components != 1 && strcmp(name, "position") != 0)
            continue;
        failed = myr_particles_add_field(to, name, components);
        for (int c = 0; c < components && !failed; c++)
            for (int64_t k = 0; k < l->drawn; k++)
                myr_particles_component(to, name, c)[k] = myr_particles_component_const(from, name, c)[l->row[k]];
    }
    free(type);
    if (failed)
        myr_particles_destroy(&to);
    return to;
}

static int choose(live *l, const myr_particles *now, int64_t of)
{
    const int64_t n = myr_particles_count(now), *id = myr_particles_ids(now);
    const int64_t most = n < LIVE_DRAWN ? n : LIVE_DRAWN;
    const double part = n <= LIVE_DRAWN ? 1 : (LIVE_DRAWN - 4 * sqrt((double)LIVE_DRAWN)) / (double)n;
    candidate *chosen = malloc((size_t)(most + 1) * sizeof *chosen);
    int64_t *ids = malloc((size_t)(most + 1) * sizeof *ids), *rows = malloc((size_t)(most + 1) * sizeof *rows);
    if (!chosen || !ids || !rows) {
        free(chosen);
        free(ids);
        free(rows);
        return -1;
    }
    int64_t drawn = 0;
    for (int64_t k = 0; k < n && drawn < most; k++)
        if (part == 1 || (double)(mix((uint64_t)id[k]) >> 11) * 0x1p-53 < part)
            chosen[drawn++] = (candidate){id[k], k};
    qsort(chosen, (size_t)drawn, sizeof *chosen, compare_ids);
    for (int64_t k = 0; k < drawn; k++) {
        ids[k] = chosen[k].id;
        rows[k] = chosen[k].row;
    }
    free(chosen);
    free(l->id);
    free(l->row);
    l->id = ids;
    l->row = rows;
    l->drawn = drawn;
    myr_particles *first = drawn > 0 ? copy_chosen(l, now) : NULL;
    if (!first)
        return -1;
    pthread_mutex_lock(&l->lock);
    myr_particles_destroy(&l->first);
    l->first = first;
    l->first_of = of;
    l->scenes++;
    pthread_mutex_unlock(&l->lock);
    return 0;
}

/* Finds the rows of the chosen particles; gives how many are there. */
static int64_t find_rows(live *l, const myr_particles *now)
{
    const int64_t n = myr_particles_count(now), *id = myr_particles_ids(now);
    int64_t found = 0;
    for (int64_t k = 0; k < l->drawn; k++)
        found += l->row[k] >= 0 && l->row[k] < n && id[l->row[k]] == l->id[k];
    if (found == l->drawn)
        return found;
    for (int64_t k = 0; k < l->drawn; k++)
        l->row[k] = -1;
    found = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = find_id(l, id[i]);
        if (k >= 0) {
            l->row[k] = i;
            found++;
        }
    }
    return found;
}

int live_take(live *l, const myr_particles *now, int64_t of, double time, double start)
{
    const double *x[POINT];
    for (int c = 0; c < POINT; c++)
        if (!(x[c] = myr_particles_component_const(now, "position", c)))
            return -1;
    if (2 * find_rows(l, now) <= l->drawn && choose(l, now, of))
        return -1;
    double *place = malloc((size_t)l->drawn * POINT * sizeof *place);
    if (!place)
        return -1;
    for (int64_t k = 0; k < l->drawn; k++)
        for (int c = 0; c < POINT; c++)
            place[POINT * k + c] = l->row[k] < 0 ? NAN : x[c][l->row[k]];
    l->frames++;
    pthread_mutex_lock(&l->lock);
    free(l->fresh.place);
    l->fresh = (frame){place, l->frames, l->scenes, time};
    l->frame_wanted = 0;
    pthread_mutex_unlock(&l->lock);
    const double end = cli_seconds();
    l->cost += end - start;
    l->next_frame = end + fmax(FRAME_LEAST, FRAME_SHARE * (end - start));
    return 0;
}

/* --- the server's questions --------------------------------------------------------------------------------------- */

static uint64_t newest(void *user)
{
    live *l = user;
    pthread_mutex_lock(&l->lock);
    const uint64_t number = l->newest;
    pthread_mutex_unlock(&l->lock);
    return number;
}

static size_t next_event(void *user, uint64_t *seen, char *to, size_t room)
{
    live *l = user;
    size_t size = 0;
    pthread_mutex_lock(&l->lock);
    if (*seen != l->newest && strlen(l->event) <= room) {
        size = strlen(l->event);
        memcpy(to, l->event, size);
        *seen = l->newest;
    }
    pthread_mutex_unlock(&l->lock);
    return size;
}

static void stream_ended(void *user)
{
    live *l = user;
    pthread_mutex_lock(&l->lock);
    l->streams--;
    if (l->streams == 0 && !l->commands)
        atomic_store(&l->wanted, 0);
    pthread_mutex_unlock(&l->lock);
}

static void say(live_reply *reply, int status, const char *type, const char *text)
{
    const size_t size = strlen(text);
    char *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, text, size + 1);
    *reply = (live_reply){.status = status, .type = type, .bytes = copy, .size = copy ? size : 0};
}

static void say_plain(live_reply *reply, int status, const char *text)
{
    say(reply, status, "text/plain; charset=utf-8", text);
}

/* A copy of bytes that stay with the host. */
static void say_bytes(live_reply *reply, const char *type, const char *bytes, size_t size)
{
    char *copy = bytes ? malloc(size + 1) : NULL;
    if (!copy) {
        say_plain(reply, 503, "not there yet\n");
        return;
    }
    memcpy(copy, bytes, size);
    *reply = (live_reply){.status = 200, .type = type, .bytes = copy, .size = size};
}

/* Makes the report of now; not more often than every hundred times what that takes. */
static void make_page(live *l)
{
    static messages nobody;
    const double start = cli_seconds();
    pthread_mutex_lock(&l->lock);
    const int64_t page = l->page, of = l->first_of;
    const report_state state = l->state;
    myr_particles *first = l->first;
    const int is_due = first || !l->page_text || (page != l->page_made && start >= l->page_next);
    if (is_due) {
        l->first = NULL;
        if (first)
            l->view.scene_number = l->scenes;
    }
    pthread_mutex_unlock(&l->lock);
    if (!is_due)
        return;
    char *text = NULL;
    size_t size = 0;
    messages *before = messages_enter(&nobody);
    messages_clear(&nobody);
    const int code = live_page_now(l->directory, state, first, of, &l->view, &text, &size);
    messages_enter(before);
    myr_particles_destroy(&first);
    if (!code) {
        free(l->page_text);
        l->page_text = text;
        l->page_size = size;
        l->page_made = page;
    } else {
        free(text);
    }
    const double end = cli_seconds();
    l->page_next = end + FRAME_SHARE * (end - start);
}

/* Head of a frame, in the order of bytes of this machine, which is little-endian where browsers are. */
static void encode_frame(live *l, const frame *f)
{
    const int64_t drawn = report_replay_drawn(l->view.scene);
    char *bytes = malloc(FRAME_HEAD + 6 * (size_t)drawn);
    if (!bytes)
        return;
    static const char mark[8] = {'M', 'Y', 'R', 'F', 'R', 'A', 'M', 'E'};
    double limit;
    report_replay_encode(l->view.scene, f->place, (unsigned char *)bytes + FRAME_HEAD, &limit);
    const int64_t whole[3] = {f->scene, f->number, drawn};
    const double real[2] = {f->time, limit};
    memcpy(bytes, mark, sizeof mark);
    memcpy(bytes + 8, whole, sizeof whole);
    memcpy(bytes + 32, real, sizeof real);
    free(l->frame_bytes);
    l->frame_bytes = bytes;
    l->frame_size = FRAME_HEAD + 6 * (size_t)drawn;
}

static void send_frame(live *l, live_reply *reply)
{
    make_page(l); /* takes particles that were chosen anew */
    pthread_mutex_lock(&l->lock);
    frame f = l->fresh;
    l->fresh.place = NULL;
    l->frame_wanted = 1;
    pthread_mutex_unlock(&l->lock);
    if (f.place && l->view.scene && f.scene == l->view.scene_number)
        encode_frame(l, &f);
    free(f.place);
    say_bytes(reply, "application/octet-stream", l->frame_bytes, l->frame_size);
}

static void send_report(live *l, live_reply *reply)
{
    pthread_mutex_lock(&l->lock);
    say_bytes(reply, "text/html; charset=utf-8", l->report, l->report_size);
    l->report_sent += l->report != NULL;
    pthread_mutex_unlock(&l->lock);
}

static void open_stream(live *l, live_reply *reply)
{
    pthread_mutex_lock(&l->lock);
    const int full = l->streams >= LIVE_STREAMS;
    if (!full) {
        l->streams++;
        l->frame_wanted = 1;
        atomic_fetch_or(&l->wanted, WANTED_WATCHED);
    }
    pthread_mutex_unlock(&l->lock);
    if (full)
        say_plain(reply, 503, "too many are looking\n");
    else
        *reply = (live_reply){.status = 200, .type = "text/event-stream", .is_stream = 1};
}

static void take_command(live *l, const char *word, live_reply *reply)
{
    static const struct {
        const char *word;
        live_command is;
    } known[] = {{"pause", LIVE_PAUSE},
                 {"go", LIVE_GO},
                 {"step", LIVE_STEP},
                 {"checkpoint", LIVE_CHECKPOINT},
                 {"stop", LIVE_STOP}};
    int is = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].word, word) == 0)
            is = known[k].is;
    if (!l->control || !is) {
        say_plain(reply, l->control ? 404 : 403, l->control ? "no such command\n" : "this page only looks\n");
        return;
    }
    pthread_mutex_lock(&l->lock);
    l->commands |= is;
    atomic_fetch_or(&l->wanted, WANTED_ASKED);
    pthread_mutex_unlock(&l->lock);
    say_plain(reply, 202, "asked\n");
}

/* --- who may ask -------------------------------------------------------------------------------------------------- */

/* In the same time for every text of that length. */
static int is_token(const live *l, const char *text)
{
    unsigned differ = 0;
    if (!text || strlen(text) != LIVE_TOKEN - 1)
        return 0;
    for (int k = 0; k < LIVE_TOKEN - 1; k++)
        differ |= (unsigned)(text[k] ^ l->token[k]);
    return differ == 0;
}

/* Whether a name is that of this server, so that no other name that leads to 127.0.0.1 is believed. */
static int is_own_name(const live *l, const char *text, const char *scheme)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char own[LIVE_ADDRESS];
    for (int k = 0; k < 2; k++) {
        snprintf(own, sizeof own, "%s%s:%d", scheme, names[k], l->port);
        if (strcmp(own, text) == 0)
            return 1;
    }
    return 0;
}

static void answer(void *user, const live_request *q, live_reply *reply)
{
    static const char control[] = "/control/";
    live *l = user;
    const int gets = strcmp(q->method, "GET") == 0;
    if (!q->host || !is_own_name(l, q->host, "") || (q->origin && !is_own_name(l, q->origin, "http://"))) {
        say_plain(reply, 403, "this server answers to its own name only\n");
    } else if (strcmp(q->path, "/") == 0 && gets) {
        char *text = NULL;
        size_t size = 0;
        if (live_page_shell(&text, &size))
            say_plain(reply, 503, "no memory\n");
        else
            *reply = (live_reply){200, "text/html; charset=utf-8", text, size, 0};
    } else if (!is_token(l, q->token)) {
        say_plain(reply, 403, "the token is missing or wrong\n");
    } else if (strncmp(q->path, control, sizeof control - 1) == 0 && strcmp(q->method, "POST") == 0) {
        take_command(l, q->path + sizeof control - 1, reply);
    } else if (!gets) {
        say_plain(reply, 405, "GET, and POST for /control\n");
    } else if (strcmp(q->path, "/events") == 0) {
        open_stream(l, reply);
    } else if (strcmp(q->path, "/page") == 0) {
        make_page(l);
        say_bytes(reply, "text/html; charset=utf-8", l->page_text, l->page_size);
    } else if (strcmp(q->path, "/frame") == 0) {
        send_frame(l, reply);
    } else if (strcmp(q->path, "/report") == 0) {
        send_report(l, reply);
    } else {
        say_plain(reply, 404, "no such page\n");
    }
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static int make_token(live *l)
{
    unsigned char byte[(LIVE_TOKEN - 1) / 2];
    if (getrandom(byte, sizeof byte, 0) != (ssize_t)sizeof byte)
        return cli_fail(CLI_FAILED, "the system gives no random numbers for a token");
    for (size_t k = 0; k < sizeof byte; k++)
        snprintf(l->token + 2 * k, 3, "%02x", byte[k]);
    return CLI_OK;
}

static int start(live *l)
{
    char why[LIVE_WHY] = "";
    l->table = live_plugin_open();
    int code = l->table ? make_token(l) : CLI_FAILED;
    if (code)
        return code;
    const live_host host = {l, answer, newest, next_event, stream_ended, l->framed};
    if (l->table->start(&host, &l->server, &l->port, why))
        return cli_fail(CLI_FAILED, "a run cannot be watched here: %s", why);
    snprintf(l->address, sizeof l->address, "http://127.0.0.1:%d/#%s", l->port, l->token);
    messages_say(MYR_RUN_EVENT_TEXT, "watch: %s", l->address);
    if (getenv("SSH_CONNECTION"))
        messages_say(MYR_RUN_EVENT_TEXT,
                     "watch: from the machine in front of you first: ssh -N -L %d:127.0.0.1:%d HOST", l->port, l->port);
    return CLI_OK;
}

const char *live_address(const live *l)
{
    return l->address;
}

int live_open(const char *directory, int manner, live **made)
{
    live *l = *made = calloc(1, sizeof *l);
    if (!l || myr_context_create(&l->context)) {
        free(l);
        *made = NULL;
        return cli_fail(CLI_FAILED, "no memory");
    }
    snprintf(l->directory, sizeof l->directory, "%s", directory);
    l->control = (manner & LIVE_CONTROL) != 0;
    l->framed = (manner & LIVE_FRAMED) != 0;
    l->page_made = -1;
    l->state = REPORT_RUNNING;
    pthread_mutex_init(&l->lock, NULL);
    const int code = start(l);
    if (code)
        live_close(made);
    return code;
}

/* Whether somebody who looks has not received the end. */
static int somebody_waits(live *l)
{
    pthread_mutex_lock(&l->lock);
    const int waits = l->streams > 0 && (!l->report || l->report_sent < l->streams);
    pthread_mutex_unlock(&l->lock);
    return waits;
}

void live_close(live **owner)
{
    live *l = *owner;
    if (!l)
        return;
    const struct timespec tick = {.tv_nsec = 20000000L};
    const double end = cli_seconds() + (l->report ? LINGER_SECONDS : LINGER_SECONDS / 10);
    const char *by;
    while (l->server && somebody_waits(l) && cli_seconds() < end && messages_stop(0, &by) < 2)
        nanosleep(&tick, NULL);
    if (l->server)
        l->table->stop(&l->server);
    pthread_mutex_destroy(&l->lock);
    report_replay_close(&l->view.scene);
    myr_particles_destroy(&l->first);
    free(l->fresh.place);
    free(l->id);
    free(l->row);
    free(l->report);
    free(l->frame_bytes);
    free(l->page_text);
    myr_context_destroy(&l->context);
    free(l);
    *owner = NULL;
}
