/* completion.h - what the writers of shell completions share: what can stand at a place of the command line. */
#ifndef MYR_CLI_COMPLETE_COMPLETION_H
#define MYR_CLI_COMPLETE_COMPLETION_H

#include <stdio.h>

#include "args.h"

typedef enum {
    COMPLETE_ANYTHING, /* a number, a text: nothing to offer */
    COMPLETE_WORDS,
    COMPLETE_FILES,
    COMPLETE_DIRECTORIES,
    COMPLETE_KEYS /* KEY=VALUE */
} completion_kind;

typedef struct {
    completion_kind kind;
    const char *(*names)(int k); /* of words, and of keys */
} completion_value;

/* What the value of an option can be. */
completion_value completion_of_option(const args_table *table, const args_option *option);

/* What operand 0 or 1 of a command can be. */
completion_value completion_of_operand(const args_table *table, int at);

/* Writes all names of a list with a text before each. */
void completion_names(FILE *out, const char *(*names)(int k), const char *before);

/* Writes what stands between single quotes, with a backslash before every character of `special`. The shells differ in
 * how a quote is written there: `quote` is that. */
void completion_quoted(FILE *out, const char *text, const char *special, const char *quote);

/* One script each. */
void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
