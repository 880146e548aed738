/* terminal.h - messages of the library of runs, as the program prints them: lines on stderr, and one line of progress
 * that is rewritten where stderr is a terminal. */
#ifndef MYR_CLI_TERMINAL_H
#define MYR_CLI_TERMINAL_H

#include "common.h"

/* Prints messages of this thread from now on. */
void terminal_listen(void);

/* The same for the listener of a run; it has no events. */
myr_run_listener terminal_listener(void);

/* Whether stderr is a terminal. */
int terminal_is_interactive(void);

/* Says that a line without an end was printed; ends it. */
void terminal_has_line(void);
void terminal_clear(void);

#endif
