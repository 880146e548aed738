/* run_build.c - from an input to a simulation. What the library refuses is reported at the key that asked for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank_roles.h"
#include "run/run.h"

enum { TIME_NAME = 32 }; /* of the unit of time in messages */

int run_build_check(input *in, const tree_node *node, const myr_context *context, myr_status status)
{
    if (status == MYR_OK)
        return CLI_OK;
    const char *message = myr_context_message(context);
    tree_fail_value(in->tree, node, "%s", *message ? message : myr_status_text(status));
    tree_report(in->tree);
    return status == MYR_ERROR_MEMORY ? CLI_FAILED : CLI_USAGE;
}

/* --- interaction -------------------------------------------------------------------------------------------------- */

static int choose(input *in, myr_context *context, myr_interaction *f, const char *key, key_id id)
{
    const input_value *v = input_of(in, id);
    return v->word ? run_build_check(in, v->node, context, myr_interaction_choose(f, key, v->word)) : CLI_OK;
}

/* Parameters of a method that are keys of the input. */
static const struct {
    key_id id;
    const char *name;
} method_keys[] = {{KEY_interaction_tolerance, "tolerance"},   {KEY_interaction_order, "order"},
                   {KEY_interaction_separation, "separation"}, {KEY_interaction_images, "images"},
                   {KEY_interaction_theta, "theta"},           {KEY_interaction_part, "part"},
                   {KEY_interaction_group, "group"},           {KEY_interaction_leaf, "leaf"}};
enum { METHOD_KEYS = (int)(sizeof method_keys / sizeof method_keys[0]) };

static int build_method(input *in, myr_context *context, myr_interaction *f)
{
    int code = choose(in, context, f, "method", KEY_interaction_method);
    for (int k = 0; k < METHOD_KEYS && !code; k++) {
        const input_value *v = input_of(in, method_keys[k].id);
        const double value = keys_at(method_keys[k].id)->kind == KEYS_INTEGER ? (double)v->integer : v->number;
        if (!v->word && !(method_keys[k].id == KEY_interaction_tolerance && input_has_charges(in)))
            code = run_build_check(in, v->node, context, myr_interaction_set(f, method_keys[k].name, value));
    }
    return code;
}

/* The box that an interaction sums images of: edges that are given. */
static int build_images(input *in, myr_context *context, const myr_snapshot_header *header, myr_interaction *f)
{
    static const key_id edge[3] = {KEY_box_x, KEY_box_y, KEY_box_z};
    double edges[3] = {0, 0, 0}, origin[3] = {0, 0, 0};
    const tree_node *node = NULL;
    if (!f || !input_is_periodic(in))
        return CLI_OK;
    for (int c = 0; c < 3; c++) {
        const input_value *v = input_of(in, edge[c]);
        edges[c] = v->word ? 0 : v->number;
        origin[c] = header->box[c] > 0 ? header->origin[c] : in->model.name || in->sets ? -0.5 * edges[c] : 0;
        node = v->word ? node : v->node;
    }
    return run_build_check(in, node, context, myr_interaction_set_box(f, edges, origin));
}

/* Whether a method other than direct goes with the rest, told at the key that asked for it. Particles in a box have
 * checks of their own. */
static int check_method(input *in, myr_context *context, const myr_interaction *f)
{
    if (!f || input_is_molecular(in) || input_is(in, KEY_interaction_method, "direct"))
        return CLI_OK;
    return run_build_check(in, input_of(in, KEY_interaction_method)->node, context, myr_interaction_check(f));
}

int run_settle_method(input *in, const myr_interaction *f)
{
    int code = CLI_OK;
    for (int k = 0; f && k < METHOD_KEYS && !code; k++) {
        const double value = myr_interaction_get(f, method_keys[k].name);
        if (input_is(in, method_keys[k].id, "auto") && strcmp(myr_interaction_choice(f, "method"), "direct") != 0 &&
            value > 0)
            code = input_settle(in, method_keys[k].id, "%.17g", value);
    }
    return code;
}

int run_settle_raised(input *in, const myr_interaction *f)
{
    static const key_id raised[] = {KEY_interaction_order, KEY_interaction_part};
    int changed = 0;
    for (int k = 0; f && k < METHOD_KEYS; k++)
        for (size_t n = 0; n < sizeof raised / sizeof *raised; n++) {
            const input_value *v = input_of(in, raised[n]);
            const double before = keys_at(raised[n])->kind == KEYS_INTEGER ? (double)v->integer : v->number;
            const double value = method_keys[k].id == raised[n] ? myr_interaction_get(f, method_keys[k].name) : 0;
            if (v->word || !(value > 0) || value == before)
                continue;
            if (input_settle(in, raised[n], "%.17g", value))
                return 0;
            changed = 1;
        }
    return changed;
}

/* A parameter per pair of types is one number for all pairs here. */
static myr_status set_parameter(myr_interaction *f, const myr_kernel_info *kernel, const input_parameter *p)
{
    for (int k = 0; k < 8 && kernel->pair[k]; k++)
        if (strcmp(kernel->pair[k], p->name) == 0)
            return myr_interaction_set_pair(f, p->name, 1, &p->value);
    return myr_interaction_set(f, p->name, p->value);
}

static int build_interaction(input *in, myr_context *context, myr_interaction **interaction)
{
    *interaction = NULL;
    if (!in->kernel.name)
        return CLI_OK;
    const myr_kernel_info *kernel = input_kernel(in);
    const char *file, *text = input_kernel_source(in, &file);
    int code = CLI_OK;
    if (text)
        code = run_build_check(in, in->kernel.node, context, myr_kernel_from_source(context, file, text, NULL));
    if (!code)
        code = run_build_check(in, in->kernel.node, context,
                               myr_interaction_create(context, in->kernel.name, interaction));
    if (!code && input_is(in, KEY_particles_negative_masses, "true"))
        code = cli_check(context, myr_interaction_allow_negative_masses(*interaction, 1));
    if (!code)
        code = choose(in, context, *interaction, "arithmetic", KEY_interaction_arithmetic);
    if (!code)
        code = choose(in, context, *interaction, "accumulator", KEY_interaction_accumulator);
    if (!code)
        code = build_method(in, context, *interaction);
    if (!code)
        code = choose(in, context, *interaction, "backend", KEY_backend_name);
    if (!code)
        code = choose(in, context, *interaction, "isa", KEY_backend_isa);
    /* at the key that asked for it, where there is no compiler; particles in a box have loops of their own */
    if (!code && !input_is_molecular(in))
        code = run_build_check(in, in->kernel.node, context, myr_kernel_compile(*interaction, NULL, NULL));
    for (int k = 0; k < in->kernel.count && !code; k++) {
        const input_parameter *p = &in->kernel.parameter[k];
        code =
            run_build_check(in, p->node ? p->node : in->kernel.node, context, set_parameter(*interaction, kernel, p));
    }
    if (!code && in->species.count)
        code = run_build_pairs(in, context, *interaction);
    return code;
}

/* --- the simulation ----------------------------------------------------------------------------------------------- */

static int build_externals(input *in, myr_context *context, myr_simulation *simulation)
{
    int code = CLI_OK;
    for (int e = 0; e < in->externals && !code; e++) {
        const input_member *member = &in->external[e];
        myr_external *field = NULL;
        code = run_build_check(in, member->node, context, myr_external_create(context, member->name, &field));
        for (int k = 0; k < member->count && !code; k++) {
            const input_parameter *p = &member->parameter[k];
            code = run_build_check(in, p->node ? p->node : member->node, context,
                                   myr_external_set(field, p->name, p->value));
        }
        if (!code) {
            code = run_build_check(in, member->node, context, myr_simulation_add_external(simulation, field));
            if (!code)
                field = NULL; /* the simulation's now */
        }
        myr_external_destroy(&field);
    }
    return code;
}

/* The Reynolds number, in place of the viscosity. */
static int settle_viscosity(input *in, myr_context *context, const myr_particles *particles)
{
    const input_value *reynolds = input_of(in, KEY_interaction_reynolds);
    myr_flow flow;
    if (reynolds->word)
        return CLI_OK;
    const int code = run_build_check(in, reynolds->node, context, myr_flow_measure(particles, 0, &flow));
    return code ? code
                : input_settle(in, KEY_interaction_viscosity, "%.17g",
                               flow.speed * flow.taylor_scale / reynolds->number /
                                   units_bare(&in->units, UNITS_VISCOSITY));
}

static int build_forcing(input *in, myr_context *context, myr_simulation *simulation)
{
    const input_value *power = input_of(in, KEY_interaction_forcing);
    return power->number > 0
               ? run_build_check(in, power->node, context,
                                 myr_simulation_set_forcing(simulation, power->number,
                                                            input_of(in, KEY_interaction_forced_waves)->number))
               : CLI_OK;
}

static int build_fluid(input *in, myr_context *context, myr_simulation *simulation)
{
    const input_value *viscosity = input_of(in, KEY_interaction_viscosity),
                      *strain = input_of(in, KEY_integrator_strain);
    const tree_node *node = viscosity->node ? viscosity->node : input_of(in, KEY_interaction_method)->node;
    if (input_is(in, KEY_interaction_method, KEYS_SPECTRAL)) {
        const input_value *viscous = input_of(in, KEY_interaction_viscous);
        const int wrong =
            run_build_check(in, node, context, myr_simulation_set_spectral(simulation, viscosity->number));
        return wrong ? wrong
                     : run_build_check(in, viscous->node, context,
                                       myr_simulation_choose_viscous(simulation, viscous->word));
    }
    int code = run_build_check(in, node, context, myr_simulation_set_viscosity(simulation, viscosity->number));
    if (!code && input_is(in, KEY_interaction_strengths, "solved"))
        code =
            run_build_check(in, input_of(in, KEY_interaction_strengths)->node, context,
                            myr_simulation_solve_strengths(simulation, input_of(in, KEY_interaction_residual)->number));
    if (!code && !strain->word)
        code = run_build_check(in, strain->node, context, myr_simulation_limit_strain(simulation, strain->number));
    return code;
}

static int build_motion(input *in, myr_context *context, myr_simulation *simulation, double start)
{
    int code =
        run_build_check(in, in->integrator.node, context, myr_simulation_choose(simulation, in->integrator.name));
    for (int k = 0; k < in->integrator.count && !code; k++) {
        const input_parameter *p = &in->integrator.parameter[k];
        code = run_build_check(in, p->node ? p->node : in->integrator.node, context,
                               myr_simulation_set(simulation, p->name, p->value));
    }
    if (!code)
        code =
            run_build_check(in, input_of(in, KEY_run_start)->node, context, myr_simulation_set_time(simulation, start));
    return code;
}

/* A simulation that is being built. */
typedef struct {
    input *in;
    myr_context *context;
    myr_particles *particles;     /* null once the simulation owns them */
    myr_interaction *interaction; /* the same */
    myr_simulation *simulation;
    myr_snapshot_header header; /* what the particles' file says; zeros = they come from a model */
    run_rows rows;
    run_names *names;
    int follows; /* 1 if the particles are in a box and rank 0 leads */
    int empty;   /* 1 if rank 0 has read all particles, and this rank has none */
    double time; /* at which the motion starts */
} build;

static int make_particles(build *b)
{
    const input_value *start = input_of(b->in, KEY_run_start);
    b->follows = input_is_divided(b->in) && ranks_follows(b->context);
    const int code = run_build_particles(b->in, b->context, &b->rows, &b->particles, &b->header);
    b->empty = b->follows && !b->in->model.name && !b->rows.is_part;
    b->time = start->word ? b->header.time : start->number;
    return code;
}

static int take_names(build *b)
{
    const int code = run_take_names(b->particles, b->names);
    return code ? code : run_check_bodies(b->in, b->particles, b->names);
}

static int make_species(build *b)
{
    return b->empty || !b->in->species.count ? CLI_OK
                                             : run_build_species(b->in, b->context, b->particles, &b->header, &b->rows);
}

static int check_end(build *b)
{
    const input_value *end = input_of(b->in, KEY_run_end);
    if (b->empty || end->word || end->number > b->time)
        return CLI_OK;
    char text[UNITS_MESSAGE];
    tree_fail_value(b->in->tree, end->node, "run.end is not after the time of the particles, %s; expected more",
                    units_print(&b->in->units, UNITS_TIME, b->time, 10, text));
    tree_report(b->in->tree);
    return CLI_USAGE;
}

static int make_interaction(build *b)
{
    int code = settle_viscosity(b->in, b->context, b->particles);
    if (!code)
        code = build_interaction(b->in, b->context, &b->interaction);
    if (!code)
        code = build_images(b->in, b->context, &b->header, b->interaction);
    return code ? code : check_method(b->in, b->context, b->interaction);
}

static int make_simulation(build *b)
{
    const int code = run_build_check(b->in, NULL, b->context,
                                     myr_simulation_create(b->context, b->particles, b->interaction, &b->simulation));
    if (code)
        return code;
    b->particles = NULL;
    b->interaction = NULL;
    return CLI_OK;
}

static int add_externals(build *b)
{
    return build_externals(b->in, b->context, b->simulation);
}

static int set_part(build *b)
{
    return b->rows.is_part ? cli_check(b->context, myr_simulation_set_part(b->simulation, b->rows.first, b->rows.all))
                           : CLI_OK;
}

static int set_fluid(build *b)
{
    return build_fluid(b->in, b->context, b->simulation);
}

static int set_forcing(build *b)
{
    return build_forcing(b->in, b->context, b->simulation);
}

static int set_elements(build *b)
{
    return run_build_elements(b->in, b->context, b->simulation);
}

static int check_probes(build *b)
{
    return run_build_probes(b->in, b->context, b->simulation);
}

static int set_motion(build *b)
{
    return build_motion(b->in, b->context, b->simulation, b->time);
}

static int set_box(build *b)
{
    return b->follows || !input_is_molecular(b->in) ? CLI_OK
                                                    : run_build_box(b->in, b->context, b->simulation, &b->header);
}

/* In this order; the first that fails ends it. */
static int (*const build_steps[])(build *) = {
    make_particles, take_names, make_species, check_end,    make_interaction, make_simulation, add_externals,
    set_part,       set_fluid,  set_forcing,  set_elements, check_probes,     set_motion,      set_box,
};

int run_set_time_unit(const input *in, myr_context *context)
{
    char label[UNITS_MESSAGE], name[TIME_NAME];
    snprintf(name, sizeof name, "%s", units_label(&in->units, UNITS_TIME, label));
    return cli_check(context, myr_context_set_time_unit(context, units_bare(&in->units, UNITS_TIME), name));
}

int run_build(input *in, myr_context *context, run_names *names, myr_simulation **simulation)
{
    build b = {.in = in, .context = context, .names = names};
    int code = run_set_time_unit(in, context);
    for (size_t k = 0; k < sizeof build_steps / sizeof *build_steps && !code; k++)
        code = build_steps[k](&b);
    myr_particles_destroy(&b.particles);
    myr_interaction_destroy(&b.interaction);
    if (code)
        myr_simulation_destroy(&b.simulation);
    *simulation = b.simulation;
    return code;
}

/* --- automatic choices -------------------------------------------------------------------------------------------- */

/* The format for particles in a box, or else the first that this build can write; null = none. */
static const char *first_format(const input *in)
{
    const char *first = NULL;
    for (int k = 0; myr_snapshot_format(k); k++) {
        const myr_choice_info *format = myr_snapshot_format(k);
        if (format->available && input_is_molecular(in) && strcmp(format->name, "h5md") == 0)
            return format->name;
        if (format->available && !first)
            first = format->name;
    }
    return first;
}

/* One to two hundred lines in the run. The (longest) step times a power of two, so that steps, and the blocks of block
 * steps, end at the times of the lines. */
static double diagnostic_interval(input *in, double start, double end)
{
    int exponent;
    const input_parameter *fixed = input_parameter_find(&in->integrator, "dt");
    const input_parameter *step = fixed ? fixed : input_parameter_find(&in->integrator, "dt_max");
    const double unit = step ? step->value : 1;
    frexp((end - start) / 100 / unit, &exponent);
    return ldexp(unit, exponent - 1);
}

/* Steps of all integrators with a dt have that length, except where the strain of vortex elements shortens them. */
double run_time_of_end(input *in, double start)
{
    const input_value *end = input_of(in, KEY_run_end), *steps = input_of(in, KEY_run_steps);
    const input_parameter *dt = input_parameter_find(&in->integrator, "dt");
    if (!end->word)
        return end->number;
    return dt && !steps->word && steps->integer > 0 && input_is(in, KEY_integrator_strain, "none") &&
                   input_is(in, KEY_integrator_cfl, "none")
               ? start + (double)steps->integer * dt->value
               : NAN;
}

static int settle_outputs(input *in, double start)
{
    const double end = run_time_of_end(in, start);
    int code = CLI_OK;
    if (input_is(in, KEY_output_format, "auto") && first_format(in))
        code = input_settle(in, KEY_output_format, "%s", first_format(in));
    if (!code && input_is(in, KEY_output_diagnostics, "auto") && isnan(end))
        code = input_settle(in, KEY_output_diagnostics, "ends");
    else if (!code && input_is(in, KEY_output_diagnostics, "auto"))
        code = input_settle(in, KEY_output_diagnostics, "%.17g",
                            diagnostic_interval(in, start, end) / units_bare(&in->units, UNITS_TIME));
    if (!code && input_is(in, KEY_run_start, "auto"))
        code = input_settle(in, KEY_run_start, "%.17g", start / units_bare(&in->units, UNITS_TIME));
    return code;
}

/* Refuses a fixed step that is too short to change the time somewhere in the run, which would never end. */
static int check_step(input *in, double start)
{
    const input_parameter *dt = input_parameter_find(&in->integrator, "dt");
    const double end = run_time_of_end(in, start);
    const units_system *units = &in->units;
    char text[3][UNITS_MESSAGE];
    const double largest = isnan(end) ? fabs(start) : fmax(fabs(start), fabs(end));
    if (!dt || largest + fabs(dt->value) != largest)
        return CLI_OK;
    return cli_fail(CLI_USAGE,
                    "integrator.dt = %s is too short: it does not change a time of %s, where neighbouring numbers are "
                    "%s apart",
                    units_print(units, UNITS_TIME, dt->value, 6, text[0]),
                    units_print(units, UNITS_TIME, largest, 6, text[1]),
                    units_print(units, UNITS_TIME, nextafter(largest, INFINITY) - largest, 2, text[2]));
}

int run_settle(input *in, const myr_simulation *simulation)
{
    static const struct {
        key_id id;
        const char *key;
    } choice[] = {{KEY_interaction_kernel, "kernel"}, {KEY_backend_name, "backend"}, {KEY_backend_isa, "isa"}};
    const myr_interaction *f = myr_simulation_interaction(simulation);
    int code = CLI_OK;
    for (size_t k = 0; f && k < sizeof choice / sizeof choice[0] && !code; k++) {
        const char *value = myr_interaction_choice(f, choice[k].key);
        /* a GPU is no instruction set that a user can name */
        const int is_gpu = value && choice[k].id == KEY_backend_isa && strcmp(value, "cuda") == 0;
        if (value && !is_gpu && input_is(in, choice[k].id, "auto"))
            code = input_settle(in, choice[k].id, "%s", value);
    }
    if (!code)
        code = run_settle_charges(in, simulation);
    if (!code)
        code = check_step(in, myr_simulation_time(simulation));
    if (!code)
        code = settle_outputs(in, myr_simulation_time(simulation));
    return code;
}
