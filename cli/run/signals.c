/* signals.c - counts requests to stop; whoever runs a loop asks for the count. */
#include "run/signals.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

enum { SIGNALS_PATIENCE = 2 };

static const struct {
    int number;
    const char *name;
} signals_table[] = {{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGUSR1, "SIGUSR1"}};

enum { SIGNALS = sizeof signals_table / sizeof signals_table[0] };

static volatile sig_atomic_t signals_seen, signals_last;

static void signals_handle(int number)
{
    signals_last = number;
    if (++signals_seen < SIGNALS_PATIENCE)
        return;
    for (int k = 0; k < SIGNALS; k++)
        signal(signals_table[k].number, SIG_DFL);
}

void signals_listen(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = signals_handle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < SIGNALS; k++)
        sigaction(signals_table[k].number, &action, NULL);
}

int signals_count(void)
{
    return signals_seen;
}

const char *signals_name(void)
{
    for (int k = 0; k < SIGNALS; k++)
        if (signals_table[k].number == signals_last)
            return signals_table[k].name;
    return "a signal";
}
