/* run_display.c - what a run says while it goes: a line on the terminal, plain lines, or JSON events. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run_display.h"
#include "signals.h"
#include "terminal.h"

#define DISPLAY_REWRITE 0.2 /* seconds between updates of the terminal's line */
#define DISPLAY_LINES 10.0  /* between plain lines */
#define DISPLAY_EVENTS 1.0  /* between events that bring no new measurement */

enum { SHORT_TEXT = 32 };

/* "1:02:03", "45 s" */
static const char *duration(double seconds, char text[SHORT_TEXT])
{
    if (!(seconds >= 0 && seconds < 1e9))
        return "-";
    const int64_t s = (int64_t)(seconds + 0.5);
    if (s < 100)
        snprintf(text, SHORT_TEXT, "%" PRId64 " s", s);
    else
        snprintf(text, SHORT_TEXT, "%" PRId64 ":%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
    return text;
}

static json_writer event_open(const char *event)
{
    json_writer w = {.out = stdout, .compact = 1};
    json_open(&w, NULL, '{');
    json_text(&w, "event", event);
    return w;
}

static void event_close(json_writer *w)
{
    json_finish(w);
    fflush(stdout);
}

static void show_start(const run *r)
{
    const int restarted = r->options->restart != NULL;
    const double time = units_shown(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation));
    const int64_t n = myr_simulation_count(r->simulation);
    if (r->options->json) {
        json_writer w = event_open(restarted ? "restart" : "start");
        json_text(&w, "directory", r->directory);
        json_integer(&w, "particles", n);
        json_text(&w, "integrator", myr_simulation_integrator(r->simulation));
        json_text(&w, "kernel", r->in->kernel.name);
        json_integer(&w, "threads", myr_context_threads(r->context));
        json_number(&w, "time", time);
        event_close(&w);
    } else if (!r->options->quiet) {
        char text[UNITS_MESSAGE];
        fprintf(stderr, "%" PRId64 " particle%s, %s, %s, %d thread%s; %s at time %s; results in %s\n", n, myr_plural(n),
                r->in->kernel.name              ? r->in->kernel.name
                : run_kind_of(r) == RUN_OF_MESH ? "spectral method"
                                                : "no kernel",
                myr_simulation_integrator(r->simulation), myr_context_threads(r->context),
                myr_plural(myr_context_threads(r->context)), restarted ? "continuing" : "starting",
                units_print(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation), 6, text), r->directory);
    }
}

static void show_event(const run *r, const myr_progress *p, double rate, double left)
{
    json_writer w = event_open("progress");
    json_integer(&w, "step", p->steps);
    json_number(&w, "time", units_shown(&r->in->units, UNITS_TIME, p->time));
    json_integer(&w, "active", p->active);
    json_number(&w, "energy_error", r->sample.energy_error);
    json_number(&w, "momentum_error", r->sample.momentum_error);
    json_number(&w, "angular_momentum_error", r->sample.angular_error);
    if (input_is_molecular(r->in)) {
        json_number(&w, "temperature", r->sample.box.temperature / units_bare(&r->in->units, UNITS_TEMPERATURE));
        json_number(&w, "pressure", r->sample.box.pressure / units_bare(&r->in->units, UNITS_PRESSURE));
        json_number(&w, "energy_drift", run_drift(r));
    }
    json_number(&w, "particles_per_s", rate);
    json_number(&w, "seconds_left", left);
    json_number(&w, "seconds", run_seconds(r));
    event_close(&w);
}

/* A box or a molecule: the energy says something only where the integrator keeps it, and a box that is open has no
 * pressure. */
static void show_box(const run *r)
{
    const run_sample *s = &r->sample;
    fprintf(stderr, "T %.5g", s->box.temperature / units_bare(&r->in->units, UNITS_TEMPERATURE));
    if (!isnan(s->box.pressure))
        fprintf(stderr, "  P %.5g", s->box.pressure / units_bare(&r->in->units, UNITS_PRESSURE));
    if (!isnan(s->energy_error))
        fprintf(stderr, "  dE/E0 %.2e", s->energy_error);
    if (!isnan(run_drift(r)))
        fprintf(stderr, "  drift %.2e", run_drift(r));
}

/* What a line says about the energy of bodies: its error, where fields turn that of the Jacobi integral, and where they
 * change in another way, so that nothing is conserved, the energy. */
static const char *bodies_what(const run *r)
{
    const myr_conserved *now = &r->sample.now;
    return isnan(now->jacobi) && !isnan(now->energy) ? "E" : now->jacobi == now->energy ? "dE/E0" : "dJ/J0";
}

static double bodies_number(const run *r)
{
    const myr_conserved *now = &r->sample.now;
    return isnan(now->jacobi) ? now->energy / units_bare(&r->in->units, UNITS_ENERGY) : r->sample.energy_error;
}

/* What a line says about the state: of bodies what should not change, of a fluid what does, of a box both. */
static void show_state(const run *r, const myr_progress *p)
{
    const run_sample *s = &r->sample;
    if (run_kind_of(r) & (RUN_OF_MESH | RUN_OF_CUBE))
        fprintf(stderr, "K %.5g  dissipation %.3g  Re_lambda %.3g  k_max eta %.2g", s->flow.kinetic,
                s->flow.dissipation, s->flow.reynolds, s->flow.resolution);
    else if (run_kind_of(r) & (RUN_OF_BOX | RUN_OF_MOLECULE))
        show_box(r);
    else if (run_kind_of(r) == RUN_OF_ELEMENTS)
        fprintf(stderr, "E %.5g  |d vorticity| %.1e  |d impulse| %.1e", s->now.kinetic, s->vorticity_error,
                s->momentum_error);
    else
        fprintf(stderr, "block %" PRId64 "  %s %.2e  |dP| %.1e  |dL| %.1e", p->active, bodies_what(r), bodies_number(r),
                s->momentum_error, s->angular_error);
}

static void show_line(const run *r, const myr_progress *p, double rate, double left)
{
    char text[SHORT_TEXT], time[UNITS_MESSAGE];
    fprintf(stderr, "%sstep %" PRId64 "  t %s  ", terminal_is_interactive() ? "\r\033[K" : "", p->steps,
            units_print(&r->in->units, UNITS_TIME, p->time, 6, time));
    show_state(r, p);
    fprintf(stderr, "  %.3g particles/s  left %s%s", rate, duration(left, text), terminal_is_interactive() ? "" : "\n");
    fflush(stderr);
    terminal_has_line();
}

static void show_progress(run_display *d, const run *r, int measured)
{
    const double now = cli_seconds();
    const double interval = r->options->json            ? (measured ? 0 : DISPLAY_EVENTS)
                            : terminal_is_interactive() ? DISPLAY_REWRITE
                                                        : DISPLAY_LINES;
    if ((!r->options->json && r->options->quiet) || now - d->last_shown < interval)
        return;
    myr_progress p;
    if (myr_simulation_progress(r->simulation, &p))
        return;
    d->last_shown = now;
    const double seconds = now - r->began, f = run_fraction(r, &p);
    const double rate = seconds > 0 ? (double)(p.particle_steps - r->began_particle_steps) / seconds : 0;
    const double left = f > 0 ? seconds * (1 - f) / f : NAN;
    if (r->options->json)
        show_event(r, &p, rate, left);
    else
        show_line(r, &p, rate, left);
}

static void show_file(const run *r, const char *event, const char *path)
{
    if (!r->options->json)
        return;
    json_writer w = event_open(event);
    json_text(&w, "path", path);
    json_number(&w, "time", units_shown(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation)));
    event_close(&w);
}

static void show_end_event(const run *r, const myr_progress *p)
{
    json_writer w = event_open(r->code == CLI_OK ? "end" : "stop");
    json_number(&w, "time", units_shown(&r->in->units, UNITS_TIME, p->time));
    json_integer(&w, "step", p->steps);
    json_integer(&w, "particle_steps", p->particle_steps);
    json_integer(&w, "pairs", p->pairs);
    json_number(&w, "seconds", run_seconds(r));
    json_number(&w, "energy_error", r->sample.energy_error);
    run_write_lists(r, &w);
    json_integer(&w, "code", r->code);
    if (r->repeat.input && r->code == CLI_OK)
        json_boolean(&w, "repeats", strcmp(r->hash, r->repeat.hash) == 0);
    if (r->code != CLI_OK)
        json_text(&w, "reason", r->reason);
    event_close(&w);
}

/* How lists of neighbours fared, as of the last line of diagnostics. */
static void show_lists(const run *r)
{
    const myr_thermodynamics *t = &r->sample.box;
    const double length = units_bare(&r->in->units, UNITS_LENGTH);
    if (!input_is_molecular(r->in) || t->rebuilds == 0)
        return;
    printf("lists: %" PRId64 " built, one in %.3g steps; particles reordered %" PRId64 " time%s; skin %.3g",
           t->rebuilds, t->list_lifetime, t->reorders, myr_plural(t->reorders), t->skin / length);
    if (!isnan(t->list_margin)) /* on a GPU nobody has it */
        printf(", margin %.3g at the end", t->list_margin / length);
    printf("\n");
}

/* The one number of a run that its last line tells. */
static double last_number(const run *r, const char **what)
{
    const run_kind kind = run_kind_of(r);
    if (kind & (RUN_OF_MESH | RUN_OF_ELEMENTS | RUN_OF_CUBE)) {
        *what = "kinetic energy";
        return kind != RUN_OF_ELEMENTS ? r->sample.flow.kinetic : r->sample.now.kinetic;
    }
    if (kind & (RUN_OF_BOX | RUN_OF_MOLECULE) && isnan(r->sample.energy_error)) { /* a heat bath */
        *what = "temperature";
        return r->sample.box.temperature / units_bare(&r->in->units, UNITS_TEMPERATURE);
    }
    *what = kind & RUN_OF_BODIES ? bodies_what(r) : "dE/E0";
    return kind & RUN_OF_BODIES ? bodies_number(r) : r->sample.energy_error;
}

/* Ranks of which each has all particles between commands. */
static void show_shared(const run *r)
{
    myr_shared_report s = {0};
    if (myr_simulation_shared(r->simulation, &s) || s.ranks < 2)
        return;
    printf("ranks: %d, each with all particles; %" PRId64 " of %" PRId64
           " evaluations were shared, with %.3g s in the exchange of results\n",
           s.ranks, s.shared, s.evaluations, s.exchange_seconds);
    myr_divided_report d;
    if (myr_simulation_divided(r->simulation, &d) || !d.evaluations)
        return;
    printf("tree: divided in %" PRId64 " evaluation%s, of which %" PRId64 " in steps of each rank's particles alone; "
           "cuts moved %" PRId64 " time%s, %" PRId64 " particle%s changed their rank\n",
           d.evaluations, myr_plural(d.evaluations), d.steps, d.cuts, myr_plural(d.cuts), d.migrated,
           myr_plural(d.migrated));
    printf("      of the rank with most: %" PRId64 " particles, %" PRId64 " of others near them, %.3g MB sent, %.3g MB "
           "of arrays; cost over the mean %.3f\n",
           d.particles, d.received, 1e-6 * (double)d.bytes, 1e-6 * (double)d.memory, d.imbalance);
}

static void show_ranks(const run *r)
{
    const myr_rank_report *d = &r->sample.ranks;
    const myr_rank_times *t = &r->times;
    show_shared(r);
    if (!run_is_divided(r))
        return;
    printf("ranks: %d x %d x %d; %" PRId64 " particle%s changed their rank at %" PRId64
           " rebuild%s; pairs, most over mean %.3f (%.3f before), planes moved %" PRId64 " time%s\n",
           d->domains[0], d->domains[1], d->domains[2], d->migrated, myr_plural(d->migrated), d->rebuilds,
           myr_plural(d->rebuilds), d->imbalance, d->imbalance_before, d->plane_moves, myr_plural(d->plane_moves));
    printf("halo: up to %" PRId64 " copies on a rank with %" PRId64
           " of its own; rank 0 sends %d messages with %" PRId64 " bytes in a step\n",
           d->halo_most, d->particles_most, d->messages, d->bytes[0] + d->bytes[1] + d->bytes[2]);
    if (t->steps == 0)
        return;
    const double ms = 1e3 / (double)t->steps;
    printf("milliseconds of a step, means over the ranks: force %.3g, list %.3g, communication %.3g, idle %.3g, rest "
           "%.3g; t_diff %.3g, at most %.3g\n",
           ms * t->force, ms * t->list, ms * t->communication, ms * t->idle, ms * t->rest, t->difference,
           t->difference_most);
    printf("memory: at most %.0f MB on a rank, %.0f MB on the first\n", 1e-6 * t->memory_most,
           1e-6 * t->each[0].memory);
}

static void show_end(const run *r)
{
    const char *what;
    const double value = last_number(r, &what);
    myr_progress p = {0};
    char text[SHORT_TEXT], time[UNITS_MESSAGE];
    myr_simulation_progress(r->simulation, &p);
    terminal_clear();
    if (r->options->json) {
        show_end_event(r, &p);
        return;
    }
    if (!r->options->quiet)
        printf("%s at time %s after %" PRId64 " step%s (%" PRId64 " of single particles, %.3g pairs) in %s; "
               "%s = %.6g; results in %s\n",
               r->code == CLI_OK ? "finished" : "stopped", units_print(&r->in->units, UNITS_TIME, p.time, 10, time),
               p.steps, myr_plural(p.steps), p.particle_steps, (double)p.pairs, duration(run_seconds(r), text), what,
               value, r->directory);
    if (!r->options->quiet) {
        show_lists(r);
        show_ranks(r);
    }
    if (!r->options->quiet && isfinite(run_pace(r)))
        printf("pace: %.4g ns/day\n", run_pace(r));
    if (!r->options->quiet && r->report[0])
        printf("report: %s\n", r->report);
    if (r->code != CLI_OK)
        cli_fail(r->code, "%s", r->reason);
    if (r->code == RUN_STOPPED)
        cli_fail(r->code, "continue with: myriad run --restart %s", r->directory);
}

static void display_event(void *user, const myr_run *r, myr_run_event event, const char *what, const char *path)
{
    run_display *d = user;
    switch (event) {
    case MYR_RUN_STARTED:
        show_start(r);
        break;
    case MYR_RUN_STEPPED:
    case MYR_RUN_MEASURED:
        show_progress(d, r, event == MYR_RUN_MEASURED);
        break;
    case MYR_RUN_FILE:
        show_file(r, what, path);
        break;
    case MYR_RUN_ENDED:
        show_end(r);
        break;
    }
}

myr_run_listener run_display_listener(run_display *display)
{
    myr_run_listener listener = terminal_listener();
    listener.user = display;
    listener.event = display_event;
    return listener;
}
