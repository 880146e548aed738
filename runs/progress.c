/* progress.c - progress with an estimate of the time left. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "common.h"

#define PROGRESS_AFTER 2.0 /* seconds before anything is said */
#define PROGRESS_EACH 0.2  /* between two times */

void progress_show(progress *p, double fraction)
{
    const double now = cli_seconds();
    if (fraction < p->fraction) /* another pass */
        p->start = now;
    p->fraction = fraction;
    if (p->quiet || now - p->start < PROGRESS_AFTER || (p->shown && now - p->last < PROGRESS_EACH))
        return;
    p->shown = 1;
    p->last = now;
    const double left = fraction > 0 ? (now - p->start) * (1 - fraction) / fraction : 0;
    messages_work(p->label, fraction, left);
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

static void progress_notice(void *user, const char *text)
{
    progress *p = user;
    progress_end(p);
    if (!p->quiet)
        cli_notice(text);
}

void progress_attach(progress *p, myr_context *context, int quiet)
{
    *p = (progress){.quiet = quiet, .start = cli_seconds()};
    myr_context_set_progress(context, progress_step, p);
    myr_context_set_warning(context, progress_warn, p);
    myr_context_set_notice(context, progress_notice, p);
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
    if (p->shown)
        messages_work(NULL, 1, 0);
    p->shown = 0;
}
