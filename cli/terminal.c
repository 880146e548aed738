/* terminal.c - prints messages and progress; stops on signals. */
#include "terminal.h"

#include <stdio.h>
#include <unistd.h>

#include "signals.h"

#define LINES 10.0 /* seconds between lines of progress where stderr is a file */

static int line_is_there;
static double last_line;

int terminal_is_interactive(void)
{
    return isatty(STDERR_FILENO);
}

void terminal_has_line(void)
{
    line_is_there = terminal_is_interactive();
}

void terminal_clear(void)
{
    if (line_is_there)
        fprintf(stderr, "\r\033[K");
    line_is_there = 0;
}

static void say(void *user, myr_run_message_kind kind, const char *text)
{
    static const char *const begins[] = {
        [MYR_RUN_ERROR] = "myriad: ",      [MYR_RUN_INPUT_ERROR] = "", [MYR_RUN_REMARK] = "myriad: ",
        [MYR_RUN_NOTE] = "myriad: note: ", [MYR_RUN_EVENT_TEXT] = "",  [MYR_RUN_NOTICE] = "myriad: note: "};
    (void)user;
    terminal_clear();
    fflush(stdout);
    fprintf(stderr, "%s%s\n", begins[kind], text);
}

static void work(void *user, const char *what, double fraction, double seconds_left)
{
    const int rewrites = terminal_is_interactive();
    const double now = cli_seconds();
    (void)user;
    if (!what) {
        terminal_clear();
        last_line = 0;
        return;
    }
    if (!rewrites && last_line > 0 && now - last_line < LINES)
        return;
    last_line = now;
    fprintf(stderr, "%s%s: %3.0f %%, %.0f s left%s", rewrites ? "\r\033[K" : "", what, 100 * fraction, seconds_left,
            rewrites ? "" : "\n");
    fflush(stderr);
    terminal_has_line();
}

static int stop(void *user, int signal, const char **by)
{
    const int count = signals_count();
    (void)user;
    *by = signals_name(count > 0 ? *signals_last() : signal);
    return count > 0 ? count : signal > 0;
}

myr_run_listener terminal_listener(void)
{
    return (myr_run_listener){.say = say, .work = work, .stop = stop};
}

void terminal_listen(void)
{
    static messages program;
    program.listener = terminal_listener();
    messages_enter(&program);
}
