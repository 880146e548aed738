/* run_elements.c - what only a run of vortex elements has: the scheme of diffusion, the free stream, tracers, and weak
 * elements that are merged or dropped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { SAMPLE = 4096 }; /* elements that are looked at for a line of diagnostics */

/* --- tracers ------------------------------------------------------------------------------------------------------ */

static int make_tracers(input *in, myr_context *context, myr_particles **made)
{
    const input_value *model = input_of(in, KEY_tracers_model);
    const int64_t n = input_of(in, KEY_tracers_n)->integer;
    const uint64_t seed = (uint64_t)input_of(in, KEY_tracers_seed)->integer;
    return run_build_check(in, model->node, context, myr_model_create(context, model->word, n, seed, made));
}

/* Scales and moves positions. */
static void place_tracers(const input *in, myr_particles *made, double factor, const double *x[3])
{
    static const key_id origin[3] = {KEY_tracers_x, KEY_tracers_y, KEY_tracers_z};
    for (int c = 0; c < 3; c++) {
        double *to = myr_particles_component(made, "position", c);
        x[c] = to;
        for (int64_t i = 0; i < myr_particles_count(made); i++)
            to[i] = factor * to[i] + input_of(in, origin[c])->number;
    }
}

static int build_tracers(input *in, myr_context *context, myr_simulation *simulation)
{
    const input_value *file = input_of(in, KEY_tracers_file), *model = input_of(in, KEY_tracers_model);
    const tree_node *node = file->text ? file->node : model->node;
    myr_particles *made = NULL;
    if (!file->text && input_is(in, KEY_tracers_model, "none"))
        return CLI_OK;
    int code = file->text ? run_read_points(in, context, KEY_tracers_file, KEY_tracers_format, &made)
                          : make_tracers(in, context, &made);
    if (!code) {
        const double *x[3];
        place_tracers(in, made, file->text ? 1 : input_of(in, KEY_tracers_scale)->number, x);
        code = run_build_check(in, node, context, myr_simulation_add_tracers(simulation, myr_particles_count(made), x));
    }
    myr_particles_destroy(&made);
    return code;
}

int run_build_elements(input *in, myr_context *context, myr_simulation *simulation)
{
    static const key_id axis[3] = {KEY_elements_stream_x, KEY_elements_stream_y, KEY_elements_stream_z};
    const input_value *diffusion = input_of(in, KEY_elements_diffusion),
                      *relaxation = input_of(in, KEY_elements_relaxation), *cfl = input_of(in, KEY_integrator_cfl),
                      *lowest = input_of(in, KEY_elements_new_floor);
    double stream[3];
    if (!input_is_elements(in))
        return CLI_OK;
    for (int c = 0; c < 3; c++)
        stream[c] = input_of(in, axis[c])->number;
    int code =
        run_build_check(in, diffusion->node, context, myr_simulation_choose_diffusion(simulation, diffusion->word));
    if (!code)
        code = run_build_check(in, input_of(in, axis[0])->node, context, myr_simulation_set_stream(simulation, stream));
    if (!code && !relaxation->word)
        code = run_build_check(in, relaxation->node, context,
                               myr_simulation_set_relaxation(simulation, relaxation->number));
    if (!code)
        code = run_build_check(in, lowest->node, context, myr_simulation_set_floor(simulation, lowest->number));
    if (!code && !cfl->word)
        code = run_build_check(in, cfl->node, context, myr_simulation_limit_turning(simulation, cfl->number));
    return code ? code : build_tracers(in, context, simulation);
}

/* --- while it runs ------------------------------------------------------------------------------------------------ */

int run_measure_elements(run *r, const myr_particles *now)
{
    run_sample *s = &r->sample;
    s->tracers = myr_flow_tracers(now);
    s->elements = myr_particles_count(now) - s->tracers;
    s->pruned = r->counters.upkeep.pruned;
    s->pruned_strength = r->counters.upkeep.pruned_strength;
    return cli_check(r->context, myr_simulation_fitness(r->simulation, SAMPLE, &s->fitness));
}

/* A number of the input; 0 where it is a word. */
static double number_of(const input *in, key_id id)
{
    const input_value *v = input_of(in, id);
    return v->word ? 0 : v->number;
}

int run_set_upkeep(run *r, const myr_upkeep_state *state)
{
    const input *in = r->in;
    const input_value *steps = input_of(in, KEY_interaction_reinitialise_steps);
    if (!(run_kind_of(r) & (RUN_OF_ELEMENTS | RUN_OF_CUBE)))
        return CLI_OK;
    const myr_upkeep rules = {
        .core_growth = number_of(in, KEY_interaction_reinitialise),
        .steps = steps->word ? 0 : steps->integer,
        .least_overlap = number_of(in, KEY_elements_least_overlap),
        .spacing = number_of(in, KEY_elements_new_spacing),
        .weak_below = input_is(in, KEY_elements_weak, "keep") ? 0 : number_of(in, KEY_elements_weak_below),
        .weak_interval = number_of(in, KEY_elements_weak_interval),
        .weak_merge = input_is(in, KEY_elements_weak, "merge"),
    };
    const int code = cli_check(r->context, myr_simulation_set_upkeep(r->simulation, &rules, state));
    return code ? code : cli_check(r->context, myr_simulation_upkeep_state(r->simulation, &r->counters.upkeep));
}

static void show_replaced(const run *r, const myr_reinitialisation *info)
{
    messages_say(MYR_RUN_EVENT_TEXT,
                 "t %.6g: %lld element%s replaced by %lld; %d iteration%s, residual %.1e; changes of vorticity %.1e, "
                 "impulse %.1e, angular impulse %.1e",
                 units_shown(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation)), (long long)info->before,
                 myr_plural(info->before), (long long)info->after, info->iterations, myr_plural(info->iterations),
                 info->residual, info->vorticity, info->impulse, info->angular);
}

static void show_pruned(const run *r, const myr_pruning *info)
{
    messages_say(MYR_RUN_EVENT_TEXT,
                 "t %.6g: %lld weak element%s %s, strengths of %.1e in all; changes of vorticity %.1e, impulse %.1e",
                 units_shown(&r->in->units, UNITS_TIME, myr_simulation_time(r->simulation)), (long long)info->gone,
                 myr_plural(info->gone), input_is(r->in, KEY_elements_weak, "merge") ? "merged" : "dropped",
                 info->strength, hypot(hypot(info->vorticity[0], info->vorticity[1]), info->vorticity[2]),
                 hypot(hypot(info->impulse[0], info->impulse[1]), info->impulse[2]));
}

int run_keep_fit(run *r)
{
    myr_upkeep_report report;
    const int code = cli_check(r->context, myr_simulation_keep_fit(r->simulation, &report));
    const int quiet = r->options->quiet || r->options->json;
    myr_simulation_upkeep_state(r->simulation, &r->counters.upkeep);
    const int usual =
        run_kind_of(r) == RUN_OF_CUBE && r->counters.upkeep.replaced > 1; /* too often to be of interest */
    if (!quiet && report.replaced && !usual)
        show_replaced(r, &report.reinitialisation);
    if (!quiet && report.pruning.gone > 0)
        show_pruned(r, &report.pruning);
    return code;
}
