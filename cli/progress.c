/* progress.c - progress with an estimate of the time left. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli.h"

#define PROGRESS_AFTER 2.0   /* seconds before anything is shown */
#define PROGRESS_REWRITE 0.2 /* between updates of a terminal line */
#define PROGRESS_LINES 10.0  /* between lines where stderr is a file */

void progress_show(progress *p, double fraction)
{
    const double now = cli_seconds();
    if (fraction < p->fraction) /* another pass */
        p->start = now;
    p->fraction = fraction;
    if (p->quiet || now - p->start < PROGRESS_AFTER ||
        (p->shown && now - p->last < (p->terminal ? PROGRESS_REWRITE : PROGRESS_LINES)))
        return;
    p->shown = 1;
    p->last = now;
    const double left = fraction > 0 ? (now - p->start) * (1 - fraction) / fraction : 0;
    fprintf(stderr, "%s%s: %3.0f %%, %.0f s left%s", p->terminal ? "\r\033[K" : "", p->label, 100 * fraction, left,
            p->terminal ? "" : "\n");
    fflush(stderr);
}

static int progress_step(void *user, double fraction)
{
    progress_show(user, fraction);
    return 0;
}

static void progress_warn(void *user, const char *text)
{
    progress *p = user;
    progress_end(p);
    if (!p->quiet)
        cli_note(text);
}

void progress_attach(progress *p, myr_context *context, int quiet)
{
    *p = (progress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .start = cli_seconds()};
    myr_context_set_progress(context, progress_step, p);
    myr_context_set_warning(context, progress_warn, p);
    myr_context_set_notice(context, progress_warn, p);
}

void progress_begin(progress *p, const char *format, ...)
{
    va_list args;
    progress_end(p);
    va_start(args, format);
    vsnprintf(p->label, sizeof p->label, format, args);
    va_end(args);
    p->start = cli_seconds();
    p->fraction = 0;
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal)
        fprintf(stderr, "\r\033[K");
    p->shown = 0;
}
