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
    s->pruned = r->counters.pruned;
    s->pruned_strength = r->counters.pruned_strength;
    return cli_check(r->context, myr_simulation_fitness(r->simulation, SAMPLE, &s->fitness));
}

int run_is_thin(run *r)
{
    const input_value *least = input_of(r->in, KEY_elements_least_overlap);
    myr_fitness fit;
    return !least->word && myr_simulation_fitness(r->simulation, SAMPLE, &fit) == MYR_OK && fit.overlap < least->number;
}

int run_prune(run *r)
{
    myr_pruning info;
    const int merge = input_is(r->in, KEY_elements_weak, "merge");
    if (input_is(r->in, KEY_elements_weak, "keep") || !input_is_elements(r->in) ||
        !run_is_due(r, KEY_elements_weak_interval, r->counters.last_pruned))
        return CLI_OK;
    r->counters.last_pruned = myr_simulation_time(r->simulation);
    const int code =
        cli_check(r->context,
                  myr_simulation_prune(r->simulation, input_of(r->in, KEY_elements_weak_below)->number, merge, &info));
    if (code || info.gone == 0)
        return code;
    r->counters.pruned += info.gone;
    r->counters.pruned_strength += info.strength;
    if (!r->options->quiet && !r->options->json) {
        progress_end(&r->progress);
        fprintf(stderr,
                "t %.6g: %lld weak elements %s, strengths of %.1e in all; changes of vorticity %.1e, impulse %.1e\n",
                myr_simulation_time(r->simulation) / units_bare(&r->in->units, UNITS_TIME), (long long)info.gone,
                merge ? "merged" : "dropped", info.strength,
                hypot(hypot(info.vorticity[0], info.vorticity[1]), info.vorticity[2]),
                hypot(hypot(info.impulse[0], info.impulse[1]), info.impulse[2]));
    }
    return CLI_OK;
}
