/* commands.h - the list of commands (commands.def), and what each of them understands. */
#ifndef MYR_CLI_COMMANDS_H
#define MYR_CLI_COMMANDS_H

#include "args.h"

typedef struct {
    const char *name;
    const char *text; /* one line for --help */
    int (*run)(int argc, char **argv);
} cli_command;

/* Command k, and its name; null past the end. */
const cli_command *commands_at(int k);
const char *commands_name(int k);

/* The table of options of command k, which is the one that its --help is printed from; null if it prints none. */
const args_table *commands_table(int k);

#endif
