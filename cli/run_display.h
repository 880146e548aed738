/* run_display.h - what `myriad run` prints while it goes. */
#ifndef MYR_CLI_RUN_DISPLAY_H
#define MYR_CLI_RUN_DISPLAY_H

#include "run/run.h"

typedef struct {
    const run_options *options;
    double last_shown; /* cli_seconds() of the last line */
} run_display;

/* Prints messages as the terminal does (terminal.h), and events of the run. */
myr_run_listener run_display_listener(run_display *display);

#endif
