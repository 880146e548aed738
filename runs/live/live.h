/* live.h - what a run, or somebody who reads the files of one, shows on a live page. The producer (one thread)
 * publishes a state in words and numbers, and frames of particles; the server, a plug-in, asks for the newest of them
 * from threads of its own. Of each thing only the newest is kept, so that nobody who looks can make the producer wait.
 */
#ifndef MYR_RUNS_LIVE_H
#define MYR_RUNS_LIVE_H

#include <stdint.h>

#include "common.h"
#include "live/live_server.h"
#include "report/report.h"

enum { LIVE_DRAWN = 200000, LIVE_TOKEN = 33, LIVE_ADDRESS = 80, LIVE_STREAMS = 64 };

typedef struct live live;

/* What somebody on the page has asked for. */
typedef enum { LIVE_PAUSE = 1, LIVE_GO = 2, LIVE_STEP = 4, LIVE_CHECKPOINT = 8, LIVE_STOP = 16 } live_command;

/* What the page may do, as bits: steer the run; be shown inside another page of this machine. */
typedef enum { LIVE_CONTROL = 1, LIVE_FRAMED = 2 } live_manner;

/* Opens the plug-in, starts the server and says its address. `manner`: bits of live_manner. */
int live_open(const char *directory, int manner, live **made);

/* The address with the token; valid as long as the page. */
const char *live_address(const live *l);

/* Waits at most some seconds for those who look to receive what was published last; ends the server. */
void live_close(live **owner);

/* Whether anybody looks or asks for something: one atomic load. */
int live_is_wanted(const live *l);

/* Whether a frame is wanted: somebody has received the last one, and `now` is late enough that all frames together take
 * at most 1 % of the time. */
int live_wants_frame(const live *l, double now);

/* Takes what was asked for since the last call: bits of live_command. */
int live_commands(live *l);

/* Publishes the state, a JSON object; `page`: a number that changes with what the report of now would show; `state`:
 * how the report names it. */
void live_publish(live *l, const char *json, int64_t page, report_state state);

/* Publishes a frame of at most LIVE_DRAWN of the particles of `now`, with the time as it is shown; `start`:
 * cli_seconds() when the producer began to fetch them. */
int live_take(live *l, const myr_particles *now, int64_t of, double time, double start);

/* The page becomes this file. */
void live_report(live *l, const char *path);

/* Numbers of the newest frame and of the choice of particles that it shows; seconds that frames have taken. */
int64_t live_frame_number(const live *l);
double live_cost(const live *l);
int live_may_control(const live *l);

/* --- live_page.c: what the server sends --- */

typedef struct {
    report_replay *scene; /* null = none yet */
    int64_t scene_number;
} live_view;

/* The page without any data; the report of now, with the particles of `first` where that is not null. */
int live_page_shell(char **text, size_t *size);
int live_page_now(const char *directory, report_state state, const myr_particles *first, int64_t of, live_view *view,
                  char **text, size_t *size);

/* --- live_plugin.c --- */

/* Opens the plug-in; says what to install where there is none. */
const live_server_table *live_plugin_open(void);

#endif
