/* cli.h - what the files of the program share: commands, exit codes, messages. Public API of libmyriad only. */
#ifndef MYR_CLI_H
#define MYR_CLI_H

#include <stdint.h>

#include <myriad/myriad.h>

enum {
    CLI_OK = 0,
    CLI_FAILED = 1, /* the work could not be done */
    CLI_USAGE = 2   /* the command line does not make sense */
};

/* One command per file; argv[0] is the command's name. */
#define COMMAND(name, function, text) int function(int argc, char **argv);
#include "commands.def"
#undef COMMAND

/* Replaces control characters by '?', in place, and gives the text: what a file says must not reach a terminal as a
 * command to it. */
char *cli_plain(char *text);

/* Prints one line, "myriad: note: ...", to stderr. */
void cli_note(const char *text);

/* Prints one line, "myriad: ...", to stderr and returns the exit code; with CLI_OK the line is a remark and no error.
 */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What the first error said; empty where there was none. Errors that are printed in another way are remembered here. */
const char *cli_said(void);
void cli_remember(const char *text);

/* Whether errors are printed and remembered; for work whose failure changes nothing. */
void cli_mute(int muted);

/* The exit code for a status, having printed the context's message if it is not MYR_OK. */
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
