/* common.h - what the files of the library of runs share: codes, messages, names of choices. Public API of libmyriad
 * only.
 *
 * Messages go to the listener of the run whose public function is executing on this thread (messages_enter); there is
 * no other state. The program makes one such listener for all of its commands. */
#ifndef MYR_RUNS_COMMON_H
#define MYR_RUNS_COMMON_H

#include <stdint.h>

#include <myriad/myriad.h>
#include <myriad/run.h>

enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the work could not be done */
    CLI_USAGE = 2   /* the command line or the input does not make sense */
};

/* Who hears messages, and what has been said. */
typedef struct {
    myr_run_listener listener;
    int is_muted;
    char said[1024];   /* the first error */
    char all[8192];    /* all errors, one per line, as far as there is room */
    myr_status status; /* of the first error; MYR_OK = none */
} messages;

/* Makes `m` hear the messages of this thread and gives the one before; null = nobody. */
messages *messages_enter(messages *m);

/* Forgets what has been said. */
void messages_clear(messages *m);

/* Says a sentence. */
void messages_say(myr_run_message_kind kind, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says how far long work is; a null name ends it. */
void messages_work(const char *what, double fraction, double seconds_left);

/* Whether somebody wants the work to stop, as myr_run_listener.stop says. */
int messages_stop(int signal, const char **by);

/* Replaces control characters by '?', in place, and gives the text: what a file says must not reach a terminal as a
 * command to it. */
char *cli_plain(char *text);

/* Says a note; or a notice of the library about what it is doing. */
void cli_note(const char *text);
void cli_notice(const char *text);

/* Says one line and returns the exit code; with CLI_OK the line is a remark and no error. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the first error said; empty where there was none. Errors that are said in another way are remembered here. */
const char *cli_said(void);
void cli_remember(const char *text);

/* Whether errors are said and remembered; for work whose failure changes nothing. */
void cli_mute(int muted);

/* The exit code for a status, having said the context's message if it is not MYR_OK. */
int cli_check(const myr_context *context, myr_status status);

/* Seconds from a clock that never jumps. */
double cli_seconds(void);

/* Whether a file is one of a numbered series, as snapshot_00012.hdf5 is of "snapshot_", and not what stands beside one:
 * a second ending is that of a file half written, of ids, or of what a reader has left there. */
int cli_is_of_series(const char *name, const char *begins);

/* Whether a word is the path of a pipeline, a kernel that a user wrote: it ends with .pipe. */
int cli_is_pipeline(const char *word);

/* Names of everything that can be chosen, for options and "did you mean"; null past the end. */
const char *cli_kernel_name(int k);
const char *cli_accumulator_name(int k);
const char *cli_arithmetic_name(int k);
const char *cli_method_name(int k);
const char *cli_backend_name(int k);
const char *cli_isa_name(int k);
const char *cli_model_name(int k);
const char *cli_softening_name(int k);

#endif
