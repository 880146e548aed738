/* spawn.h - runs a child process without a shell. */
#ifndef MYR_CORE_SPAWN_H
#define MYR_CORE_SPAWN_H

#include <stddef.h>

/* Runs a program and waits for its end. argv[0] is searched in PATH; argv ends with null. Standard input is empty;
 * standard output and standard error go to the file `log`. Returns the exit code, 127 if the program cannot be started,
 * 128 + n if signal n killed it, and -1 if the exit status cannot be read. */
int myr_spawn(char *const *argv, const char *log);

#endif
