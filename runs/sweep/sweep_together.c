/* sweep_together.c - replicas, and runs of a sweep with stars on a GPU: runs of one input whose simulations move
 * together, in one process and on a GPU in the same launches, while each writes its own results. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/ensemble.h>

#include "sweep/sweep_exchange.h"

/* All replicas. Those that have finished before, or have failed, have no run. */
typedef struct {
    sweep *s;
    const sweep_together_options *o;
    myr_context *context; /* of the ensemble */
    myr_run **run;        /* [runs]; null = not moved */
    int64_t *which;       /* [moved]: number of the replica of each system of the ensemble */
    int64_t moved;
    myr_ensemble *ensemble;
    int on_gpu;   /* 1 = stars that evaluate on the GPU from the start, as alone */
    int64_t made; /* steps of all */
    double began; /* cli_seconds() */
} together;

static void show(const together *t, const char *what, double fraction)
{
    const double passed = cli_seconds() - t->began;
    if (!t->o->quiet && !t->o->json)
        messages_work(what, fraction, fraction > 0 ? passed * (1 - fraction) / fraction : 0);
}

/* What one of them is called. */
static const char *noun(const together *t)
{
    return t->s->in->sweep->together ? "replica" : "run";
}

/* --- which runs ----------------------------------------------------------------------------------------------------
 */

/* 1 if the runs move bodies by block steps, which may be at different steps at the same time. */
static int is_of_stars(const input *in)
{
    return strcmp(in->integrator.name, "hermite4") == 0;
}

/* 1 if runs that differ in a key can move together: bodies, and parameters of kernel and integrator. */
static int key_fits(const char *key)
{
    static const char *const not_these[] = {
        "interaction.kernel", "interaction.method",  "interaction.arithmetic", "interaction.accumulator",
        "interaction.source", "interaction.exclude", "integrator.name",        NULL};
    for (int k = 0; not_these[k]; k++)
        if (strcmp(key, not_these[k]) == 0)
            return 0;
    return strncmp(key, "particles.", 10) == 0 || strncmp(key, "interaction.", 12) == 0 ||
           strncmp(key, "integrator.", 11) == 0;
}

int sweep_can_move_together(const sweep *s)
{
    const input *in = s->in;
    int fits = input_is(in, KEY_backend_name, "cuda") && is_of_stars(in) && in->externals == 0 && !in->kernel_text &&
               strncmp(in->kernel.name, "gravity", 7) == 0 && input_is(in, KEY_interaction_method, "direct") &&
               input_is(in, KEY_interaction_accumulator, "fixed") && input_is(in, KEY_run_merge_distance, "none") &&
               input_is(in, KEY_output_encounter_radius, "none");
    for (int k = 0; k < in->sweep->keys && fits; k++)
        fits = key_fits(in->sweep->key[k].key);
    return fits;
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

/* Opens and starts one replica, or continues it. The ensemble has the GPU, and molecules evaluate what they need by
 * themselves on the processor. */
static int start_one(together *t, int64_t k)
{
    char directory[RUN_PATH];
    const myr_run_listener listener = {.user = t->o->user, .stop = t->o->stop};
    myr_run *r = NULL;
    if (myr_run_create(&listener, &r))
        return cli_fail(CLI_FAILED, "no memory for %" PRId64 " %ss", t->s->runs, noun(t));
    t->run[k] = r;
    if (t->on_gpu && myr_context_share_gpu(r->context, t->context))
        return cli_fail(CLI_FAILED, "%s", myr_context_message(r->context));
    r->own.quiet = 1;
    r->own.force = 1;
    r->own.sweep_run = k + 1;
    sweep_path(t->s, k, NULL, directory);
    const int continues = sweep_has_checkpoint(t->s, k) && !t->o->force;
    myr_status status = MYR_OK;
    for (int i = 0; i < t->s->set->count && !status && !continues; i++)
        status = myr_run_override(r, t->s->set->item[i]);
    if (!status)
        status = continues ? myr_run_restart(r, directory) : myr_run_open(r, t->s->file);
    if (!status && !continues && !t->on_gpu && input_settle(r->in, KEY_backend_name, "simd"))
        status = MYR_ERROR_MEMORY;
    if (!status && !continues)
        status = myr_run_start(r);
    return status ? cli_fail(r->code ? r->code : CLI_FAILED, "%s %" PRId64 ": %s", noun(t), k + 1, myr_run_message(r))
                  : CLI_OK;
}

/* A run that cannot begin is listed as failed, and the others go on. */
static int give_up(together *t, int64_t k)
{
    sweep_item *item = &t->s->item[k];
    item->state = SWEEP_FAILED;
    free(item->reason);
    item->reason = t->run[k] ? strndup(myr_run_message(t->run[k]), SWEEP_REASON) : NULL;
    myr_run_destroy(&t->run[k]);
    return CLI_OK;
}

static int start_all(together *t)
{
    int code = CLI_OK;
    const char *by;
    for (int64_t k = 0; k < t->s->runs && !code; k++) {
        if (t->s->item[k].state == SWEEP_FINISHED)
            continue;
        if (messages_stop(0, &by) > 0)
            return cli_fail(RUN_STOPPED, "stopped by %s before all %ss had started", by, noun(t));
        show(t, t->s->in->sweep->together ? "starting replicas" : "starting runs", (double)k / (double)t->s->runs);
        code = start_one(t, k);
        t->which[t->moved] = k;
        t->moved += !code;
        if (code && t->on_gpu && t->s->in->sweep->exchange == 0)
            code = give_up(t, k);
    }
    messages_work(NULL, 1, 0);
    return code;
}

/* Moves replicas that are behind, after the end of a process, up to the others, each alone on the processor. */
static int catch_up(together *t)
{
    int64_t most = 0;
    int code = CLI_OK;
    if (is_of_stars(t->s->in)) /* each goes on from its own time */
        return CLI_OK;
    for (int64_t i = 0; i < t->moved; i++)
        most = t->run[t->which[i]]->made > most ? t->run[t->which[i]]->made : most;
    for (int64_t i = 0; i < t->moved && !code; i++) {
        myr_run *r = t->run[t->which[i]];
        if (r->made < most && t->s->in->sweep->exchange > 0)
            return cli_fail(CLI_FAILED,
                            "replica %" PRId64 " has a checkpoint of step %" PRId64 " and others of step %" PRId64
                            ": replicas that exchange temperatures go on from one step only; start again with --force",
                            t->which[i] + 1, r->made, most);
        while (r->made < most && !r->reason[0] && !code) {
            double until;
            int64_t steps;
            run_plan(r, &until, &steps);
            steps = steps < most - r->made ? steps : most - r->made;
            const int64_t before = myr_simulation_steps(r->simulation);
            const myr_status status = myr_simulation_advance(r->simulation, r->end, until, steps);
            code = run_moved(r, myr_simulation_steps(r->simulation) - before, status);
        }
    }
    t->made = most;
    return code;
}

/* --- exchange ----------------------------------------------------------------------------------------------------- */

static int fail_ensemble(const together *t, myr_status status)
{
    return status ? cli_fail(status == MYR_ERROR_VALUE || status == MYR_ERROR_COMBINATION ? CLI_USAGE : CLI_FAILED,
                             "%s", myr_context_message(t->context))
                  : CLI_OK;
}

static int begin_exchange(together *t)
{
    const input_value *seed = input_of(t->s->in, KEY_integrator_seed);
    for (int64_t i = 1; i < t->moved && t->made == 0; i++)
        if (!(myr_simulation_get(t->run[t->which[i]]->simulation, "temperature") >
              myr_simulation_get(t->run[t->which[i - 1]]->simulation, "temperature")))
            return cli_fail(CLI_USAGE,
                            "replicas.temperatures do not increase from replica %" PRId64 " to %" PRId64
                            "; expected this where replicas exchange them",
                            t->which[i - 1] + 1, t->which[i] + 1);
    if (t->moved < t->s->runs)
        return cli_fail(CLI_FAILED,
                        "some of the replicas that exchange temperatures have ended before; start again with "
                        "--force");
    const int code = fail_ensemble(t, myr_ensemble_prepare_exchange(t->ensemble, (uint64_t)seed->integer));
    return code || t->made == 0 ? code : sweep_exchange_take(t->s, t->context, t->ensemble, t->made);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static int is_going(const together *t, int64_t i)
{
    const myr_run *r = t->run[t->which[i]];
    return r->phase == RUN_GOING && !r->reason[0] && !run_is_finished(r);
}

/* What follows the steps of one replica: its outputs. The failure of one is no failure of all. */
static void follow(together *t, int64_t i, int64_t before)
{
    myr_run *r = t->run[t->which[i]];
    messages *heard = run_enter(r);
    int code = run_moved(r, myr_simulation_steps(r->simulation) - before, myr_ensemble_status(t->ensemble, i));
    if (code)
        code = run_fail(r, code);
    if (code)
        r->phase = RUN_OVER;
    (void)run_leave(r, heard, code);
    if (r->reason[0] && r->code != RUN_STOPPED)
        messages_say(MYR_RUN_REMARK, "%s %" PRId64 " has failed, the others go on: %s", noun(t), t->which[i] + 1,
                     r->reason);
}

/* Steps of all replicas to the next look of any of them, and what is due then. */
static int move_once(together *t)
{
    const int64_t every = t->s->in->sweep->exchange;
    int64_t most = every > 0 ? every - t->made % every : INT64_MAX;
    double until = INFINITY, end = INFINITY;
    for (int64_t i = 0; i < t->moved; i++)
        if (is_going(t, i)) {
            double own;
            int64_t steps;
            run_plan(t->run[t->which[i]], &own, &steps);
            until = fmin(until, own);
            end = fmin(end, t->run[t->which[i]]->end);
            most = steps < most ? steps : most;
        }
    int64_t *before = calloc((size_t)t->moved, sizeof *before), made = 0;
    if (!before)
        return cli_fail(CLI_FAILED, "no memory");
    for (int64_t i = 0; i < t->moved; i++)
        before[i] = myr_simulation_steps(t->run[t->which[i]]->simulation);
    const myr_status status = myr_ensemble_advance(t->ensemble, end, until, most);
    /* not the systems have failed, but the GPU */
    const int lost = status && status != MYR_ERROR_CANCELLED && myr_ensemble_alive(t->ensemble) > 0;
    for (int64_t i = 0; i < t->moved; i++) {
        const int64_t steps = myr_simulation_steps(t->run[t->which[i]]->simulation) - before[i];
        made = steps > made ? steps : made;
        if (is_going(t, i))
            follow(t, i, before[i]);
    }
    free(before);
    t->made += made;
    if (lost)
        return fail_ensemble(t, status);
    if (every == 0 || t->made % every || made == 0)
        return CLI_OK;
    return fail_ensemble(t, myr_ensemble_exchange(t->ensemble, t->made / every));
}

static int64_t count_going(const together *t)
{
    int64_t going = 0;
    for (int64_t i = 0; i < t->moved; i++)
        going += is_going(t, i);
    return going;
}

static int move_all(together *t)
{
    const myr_run *first = t->run[t->which[0]];
    int code = CLI_OK;
    while (!code && count_going(t) > 0) {
        myr_progress p = {0};
        code = move_once(t);
        myr_simulation_progress(first->simulation, &p);
        show(t, t->s->in->sweep->together ? "replicas" : "runs", run_fraction(first, &p));
    }
    messages_work(NULL, 1, 0);
    return code;
}

/* --- all together ------------------------------------------------------------------------------------------------- */

static int open_ensemble(together *t)
{
    const char *backend = input_of(t->s->in, KEY_backend_name)->word;
    const input_value *threads = input_of(t->s->in, KEY_run_threads);
    myr_simulation **simulation = calloc((size_t)t->moved, sizeof *simulation);
    if (!simulation)
        return cli_fail(CLI_FAILED, "no memory");
    for (int64_t i = 0; i < t->moved; i++)
        simulation[i] = t->run[t->which[i]]->simulation;
    myr_status status = myr_context_set_threads(t->context, threads->word ? 0 : (int)threads->integer);
    if (!status)
        status = myr_ensemble_create(t->context, t->moved, simulation, &t->ensemble);
    free(simulation);
    if (!status)
        status = myr_ensemble_choose(t->ensemble, backend);
    int code = fail_ensemble(t, status);
    if (!code && t->s->in->sweep->exchange > 0)
        code = begin_exchange(t);
    return code;
}

/* Ends every replica, with its last outputs or a checkpoint. */
static int end_all(together *t)
{
    int code = CLI_OK;
    for (int64_t i = 0; i < t->moved; i++) {
        myr_run *r = t->run[t->which[i]];
        if (r->phase == RUN_GOING)
            (void)myr_run_finish(r);
    }
    if (t->ensemble && t->s->in->sweep->exchange > 0) {
        code = sweep_exchange_keep(t->s, t->ensemble, t->made);
        if (!code)
            code = sweep_exchange_write(t->s, t->ensemble, t->which, t->moved);
    }
    return code;
}

/* Asked after every launch: whether to stop. */
static int is_asked_to_stop(void *user, double fraction)
{
    const together *t = user;
    const char *by;
    (void)fraction;
    return t->o->stop && t->o->stop(t->o->user, 0, &by) > 0;
}

static void tell_place(const together *t)
{
    myr_ensemble_report report;
    if (t->o->quiet || t->o->json || myr_ensemble_describe(t->ensemble, &report))
        return;
    if (report.on_gpu)
        messages_say(MYR_RUN_EVENT_TEXT, "%" PRId64 " %s%s on a GPU, %d block%s of %d threads each, %.3g MB", t->moved,
                     noun(t), myr_plural(t->moved), report.blocks, myr_plural(report.blocks), report.threads,
                     1e-6 * report.bytes);
    else
        messages_say(MYR_RUN_EVENT_TEXT, "%" PRId64 " %s%s on the processor, %d thread%s", t->moved, noun(t),
                     myr_plural(t->moved), report.threads, myr_plural(report.threads));
}

int sweep_together(sweep *s, const sweep_together_options *o)
{
    together t = {.s = s, .o = o, .began = cli_seconds()};
    t.run = calloc((size_t)s->runs, sizeof *t.run);
    t.which = calloc((size_t)s->runs, sizeof *t.which);
    int code = !t.run || !t.which || myr_context_create(&t.context) ? cli_fail(CLI_FAILED, "no memory") : CLI_OK;
    t.on_gpu = is_of_stars(s->in) && input_is(s->in, KEY_backend_name, "cuda");
    if (!code)
        code = cli_check(t.context, myr_context_set_progress(t.context, is_asked_to_stop, &t));
    if (!code)
        code = start_all(&t);
    if (!code && t.moved > 0)
        code = catch_up(&t);
    if (!code && t.moved > 0)
        code = open_ensemble(&t);
    if (!code && t.moved > 0) {
        code = move_all(&t);
        tell_place(&t);
    }
    const int ended = end_all(&t);
    myr_ensemble_destroy(&t.ensemble);
    for (int64_t k = 0; k < s->runs && t.run; k++) {
        myr_run_destroy(&t.run[k]);
        (void)sweep_look(s, k);
    }
    myr_context_destroy(&t.context);
    free(t.run);
    free(t.which);
    const int table = sweep_write_table(s);
    return code ? code : ended ? ended : table;
}
