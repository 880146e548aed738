/* commands.c - the list of commands. */
#include "commands.h"

#include <stdio.h>

#include "cli.h"

static const cli_command commands[] = {
#define COMMAND(name, function, text) {#name, text, function},
#include "commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const cli_command *commands_at(int k)
{
    return k >= 0 && k < COMMANDS ? &commands[k] : NULL;
}

const char *commands_name(int k)
{
    return commands_at(k) ? commands[k].name : NULL;
}

const args_table *commands_table(int k)
{
    char name[64], help[] = "--help";
    char *argv[] = {name, help, NULL};
    const args_table *table = NULL;
    snprintf(name, sizeof name, "%s", commands[k].name);
    args_capture(&table);
    commands[k].run(2, argv);
    args_capture(NULL);
    return table;
}
