/* main.c - the program `myriad`: finds the command and runs it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "rank_process.h"
#include "terminal.h"

static int main_help(FILE *out)
{
    fprintf(out, "Myriad %s: how many bodies move when each acts on every other.\n\n", myr_version());
    fprintf(out, "Usage: myriad COMMAND [OPTIONS]\n\nCommands:\n");
    for (int k = 0; commands_at(k); k++)
        fprintf(out, "  %-10s %s\n", commands_at(k)->name, commands_at(k)->text);
    fprintf(out, "\n  myriad COMMAND --help lists the options of a command; myriad --version prints the version.\n");
    return CLI_OK;
}

static int main_unknown(const char *word)
{
    const char *near = myr_nearest(word, commands_name);
    if (near)
        return cli_fail(CLI_USAGE, "there is no command '%s'; did you mean '%s'?", word, near);
    return cli_fail(CLI_USAGE, "there is no command '%s'; see myriad --help", word);
}

/* Output that could not be written (a full disk) is an error, not a success; an error before that has its own code. */
static int main_flush(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_fail(code ? code : CLI_FAILED, "the output could not be written");
    return code;
}

static int main_command(int argc, char **argv)
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
    for (int k = 0; commands_at(k); k++)
        if (strcmp(commands_at(k)->name, word) == 0)
            return main_flush(commands_at(k)->run(argc - 1, argv + 1));
    return main_unknown(word);
}

/* Several ranks run these together; all else the first one does alone. */
static int is_for_ranks(const char *word)
{
    return strcmp(word, "run") == 0 || strcmp(word, "verify") == 0 || strcmp(word, "info") == 0 ||
           strcmp(word, "bench") == 0 || strcmp(word, "sweep") == 0 || strcmp(word, "check") == 0;
}

/* A standard stream that is closed would be the first file that is opened, and what is printed would be in it. Opened
 * the wrong way round, it stays a stream that cannot be used. */
static void fill_streams(void)
{
    for (int d = STDIN_FILENO; d <= STDERR_FILENO; d++)
        if (fcntl(d, F_GETFD) < 0 && open("/dev/null", d == STDIN_FILENO ? O_WRONLY : O_RDONLY) != d)
            return;
}

int main(int argc, char **argv)
{
    fill_streams();
    terminal_listen();
    if (ranks_begin() > 0)
        return argc > 1 && is_for_ranks(argv[1]) ? ranks_leave(main_command(argc, argv)) : CLI_OK;
    return main_command(argc, argv);
}
