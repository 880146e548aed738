/* signals.h - requests to stop from outside: SIGINT, SIGTERM, SIGUSR1. */
#ifndef MYR_CLI_RUN_SIGNALS_H
#define MYR_CLI_RUN_SIGNALS_H

/* Begins to listen. The first signal asks for a stop after the step, the second for a stop within it, the third ends
 * the program as if nobody listened. */
void signals_listen(void);

/* How often a stop was asked for. */
int signals_count(void);

/* The name of the last signal, "SIGTERM". */
const char *signals_name(void);

#endif
