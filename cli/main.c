/* main.c - the program `myriad`: finds the command and runs it. */
#include <stdio.h>
#include <string.h>

#include "cli.h"

static const cli_command commands[] = {
    {"run", "a simulation from an input file, or on from a checkpoint", cli_run},
    {"check", "is an input file right, and what will the run need", cli_check_input},
    {"explain", "what a key of an input file means", cli_explain},
    {"init", "the particles of a model, as a file", cli_init},
    {"info", "what this build and this machine offer", cli_info},
    {"eval", "one evaluation of all pairs, with its measured error", cli_eval},
    {"bench", "speed and accuracy beside the published figures", cli_bench},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *command_name(int k)
{
    return k < COMMANDS ? commands[k].name : NULL;
}

static int main_help(FILE *out)
{
    fprintf(out, "Myriad %s: how many bodies move when each acts on every other.\n\n", myr_version());
    fprintf(out, "Usage: myriad COMMAND [OPTIONS]\n\nCommands:\n");
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].name, commands[k].text);
    fprintf(out, "\n  myriad COMMAND --help lists the options of a command; myriad --version prints the version.\n");
    return CLI_OK;
}

static int main_unknown(const char *word)
{
    const char *near = myr_nearest(word, command_name);
    if (near)
        return cli_fail(CLI_USAGE, "there is no command '%s'; did you mean '%s'?", word, near);
    return cli_fail(CLI_USAGE, "there is no command '%s'; see myriad --help", word);
}

/* Output that could not be written (a full disk) is an error, not a success. */
static int main_flush(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_fail(CLI_FAILED, "the output could not be written");
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        main_help(stderr);
        return CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return main_flush(main_help(stdout));
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        printf("myriad %s\n", myr_version());
        return main_flush(CLI_OK);
    }
    for (int k = 0; k < COMMANDS; k++)
        if (strcmp(commands[k].name, word) == 0)
            return main_flush(commands[k].run(argc - 1, argv + 1));
    return main_unknown(word);
}
