/* signals.c - counts requests to stop; whoever runs a loop asks for the count. */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { SIGNALS_PATIENCE = 2 };

static const struct {
    int number;
    const char *name;
    int insists; /* a second one is more than the first */
} signals_table[] = {
    {SIGINT, "SIGINT", 1}, {SIGTERM, "SIGTERM", 1}, {SIGUSR1, "SIGUSR1", 1}, {SIGUSR2, "SIGUSR2", 1},
    {SIGHUP, "SIGHUP", 0}, {SIGXCPU, "SIGXCPU", 0}, {SIGXFSZ, "SIGXFSZ", 0}, {SIGPIPE, "SIGPIPE", 0},
};

enum { SIGNALS = sizeof signals_table / sizeof signals_table[0] };

static volatile sig_atomic_t signals_seen, signals_number;

static int signals_find(int number)
{
    for (int k = 0; k < SIGNALS; k++)
        if (signals_table[k].number == number)
            return k;
    return -1;
}

static void signals_handle(int number, siginfo_t *info, void *context)
{
    const int k = signals_find(number);
    (void)context;
    /* a write into a pipe without a reader sends the signal in the name of the writer */
    if (number == SIGPIPE && (info->si_code != SI_USER || info->si_pid == getpid()))
        return;
    signals_number = number;
    if (k >= 0 && !signals_table[k].insists) {
        signals_seen = signals_seen > 0 ? signals_seen : 1;
        return;
    }
    if (++signals_seen < SIGNALS_PATIENCE)
        return;
    const int error = errno;
    for (int s = 0; s < SIGNALS; s++)
        if (signals_table[s].insists)
            signal(signals_table[s].number, SIG_DFL);
    errno = error;
}

void signals_listen(void)
{
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = signals_handle;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < SIGNALS; k++) {
        const int number = signals_table[k].number;
        if (number == SIGHUP && sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
            continue;
        sigaction(number, &action, NULL);
    }
}

int signals_count(void)
{
    return signals_seen;
}

const volatile sig_atomic_t *signals_last(void)
{
    return &signals_number;
}

const char *signals_name(int number)
{
    const int k = signals_find(number);
    return k >= 0 ? signals_table[k].name : "a signal";
}

int signals_unheard(int descriptor)
{
    struct pollfd look = {.fd = descriptor, .events = POLLOUT};
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLERR | POLLHUP)) != 0;
}
