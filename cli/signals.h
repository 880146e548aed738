/* signals.h - requests to stop from outside: SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU, SIGXFSZ, and SIGPIPE
 * where another process sends it. */
#ifndef MYR_CLI_RUN_SIGNALS_H
#define MYR_CLI_RUN_SIGNALS_H

#include <signal.h>

/* Begins to listen. The first signal asks for a stop after the step. A second SIGINT, SIGTERM, SIGUSR1 or SIGUSR2 asks
 * for a stop within the step, and a third ends the program as if nobody listened; the others may come any number of
 * times, as the system sends SIGXCPU every second. SIGPIPE of a write into a pipe that nobody reads is no request. A
 * SIGHUP that the program was started to ignore (nohup) stays ignored. */
void signals_listen(void);

/* How often a stop was asked for. */
int signals_count(void);

/* The number of the last signal that asked for a stop; 0 = none. */
const volatile sig_atomic_t *signals_last(void);

/* The name of a signal, "SIGTERM". */
const char *signals_name(int number);

/* Whether nobody reads what is written to a descriptor: a pipe without a reader, a terminal that was closed. */
int signals_unheard(int descriptor);

#endif
