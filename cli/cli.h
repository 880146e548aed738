/* cli.h - what the files of the program share: commands, exit codes, messages. Public API of libmyriad only, and the
 * library of runs. */
#ifndef MYR_CLI_H
#define MYR_CLI_H

#include "common.h"

/* One command per file; argv[0] is the command's name. */
#define COMMAND(name, function, text) int function(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
