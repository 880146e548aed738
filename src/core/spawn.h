/* spawn.h - running another program, without a shell. */
#ifndef MYR_CORE_SPAWN_H
#define MYR_CORE_SPAWN_H

#include <stddef.h>

/* Runs a program and waits for it. argv[0] is looked for in PATH; argv ends with null. Its input is empty; what it
 * prints goes to the file `log`. Returns its exit code, 127 where it cannot be started, 128 + n where signal n killed
 * it, and -1 where that cannot be told. */
int myr_spawn(char *const *argv, const char *log);

#endif
