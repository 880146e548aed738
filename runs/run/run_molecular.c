/* run_molecular.c - particles in a box: species, the box, thermostat, barostat, restraints, minimisation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rank_roles.h"
#include "run/run.h"
#include "input/shuffle.h"

#define MOLAR 6.02214076e-4 /* 1 mol/l in Angstrom^-3 */

/* --- species ------------------------------------------------------------------------------------------------------ */

/* The species with that name; -1 and an error at the node if there is none. */
static int find_species(input *in, const input_value *name)
{
    for (int k = 0; k < in->species.count; k++)
        if (strcmp(input_entry_of(&in->species.entry[k], KEY_species_name)->text, name->text) == 0)
            return k;
    tree_fail_value(in->tree, name->node, "there is no species '%.60s'; expected the name of an entry of 'species'",
                    name->text);
    tree_report(in->tree);
    return -1;
}

/* Types that a file has names for become those of the species of that name. */
static int match_types(input *in, const myr_snapshot_header *header, int64_t n, int32_t *type)
{
    int32_t to[MYR_SNAPSHOT_SPECIES];
    for (int t = 0; t < MYR_SNAPSHOT_SPECIES; t++) {
        int k = 0;
        while (k < in->species.count &&
               strcmp(input_entry_of(&in->species.entry[k], KEY_species_name)->text, header->species[t]) != 0)
            k++;
        to[t] = *header->species[t] ? k : t;
        if (*header->species[t] && k == in->species.count) {
            tree_fail_value(in->tree, in->species.entry[0].node,
                            "the particles have a species '%s', which 'species' does not have; expected an entry of "
                            "that name",
                            header->species[t]);
            tree_report(in->tree);
            return CLI_USAGE;
        }
    }
    for (int64_t i = 0; i < n; i++)
        if (type[i] >= 0 && type[i] < MYR_SNAPSHOT_SPECIES)
            type[i] = to[type[i]];
    return CLI_OK;
}

/* How many of n particles each species has; 0 where fractions do not say so. */
static int count_fractions(input *in, int64_t n, int64_t *count)
{
    double sum = 0;
    int given = 0;
    for (int k = 0; k < in->species.count; k++) {
        const input_value *f = input_entry_of(&in->species.entry[k], KEY_species_fraction);
        given += !f->word;
        const double before = sum;
        sum += f->word ? 0 : f->number;
        count[k] = llround(sum * (double)n) - llround(before * (double)n);
    }
    if (given && fabs(sum - 1) > 1e-9) {
        tree_fail_value(in->tree, in->species.entry[0].node, "the fractions of the species add up to %.10g; expected 1",
                        sum);
        tree_report(in->tree);
    }
    return given;
}

/* Species at random places, in exact numbers. */
static int draw_types(input *in, const run_rows *rows, int64_t n, int32_t *type)
{
    int64_t count[INPUT_ENTRIES];
    const uint64_t seed = (uint64_t)input_of(in, KEY_particles_seed)->integer;
    if (!count_fractions(in, rows->all, count))
        return CLI_OK;
    if (in->tree->errors)
        return CLI_USAGE;
    for (int64_t i = 0; i < n; i++) {
        int64_t left = shuffle_place(seed, rows->all, rows->first + i);
        for (type[i] = 0; type[i] < in->species.count - 1 && left >= count[type[i]]; type[i]++)
            left -= count[type[i]];
    }
    return CLI_OK;
}

/* Masses of the species. Velocities of a model go with the temperature: they change with the square root. */
static void set_masses(input *in, myr_particles *p, const int32_t *type, double *mass)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const input_value *v = input_entry_of(&in->species.entry[type[i]], KEY_species_mass);
        const double before = mass[i] > 0 ? mass[i] : 1, after = v->word ? before : v->number;
        mass[i] = after;
        for (int c = 0; c < 3 && in->model.name; c++) {
            double *velocity = myr_particles_component(p, "velocity", c);
            if (velocity)
                velocity[i] *= sqrt(before / after);
        }
    }
}

/* Charges of the species; others stay as they are. */
static void set_charges(const input *in, const myr_particles *p, const int32_t *type, double *charge)
{
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        const input_value *v = input_entry_of(&in->species.entry[type[i]], KEY_species_charge);
        charge[i] = v->word ? charge[i] : v->number;
    }
}

/* A model has no momentum; where its masses have changed it has some. Of a box it is taken off later, with the
 * particles of all ranks. */
static void rest(myr_particles *p, const double *mass)
{
    const int64_t n = myr_particles_count(p);
    for (int c = 0; c < 3 && n > 1; c++) {
        double *velocity = myr_particles_component(p, "velocity", c), momentum = 0, total = 0;
        for (int64_t i = 0; velocity && i < n; i++) {
            momentum += mass[i] * velocity[i];
            total += mass[i];
        }
        for (int64_t i = 0; velocity && i < n; i++)
            velocity[i] -= momentum / total;
    }
}

int run_build_species(input *in, myr_context *context, myr_particles *particles, const myr_snapshot_header *header,
                      const run_rows *rows)
{
    const int64_t n = myr_particles_count(particles);
    int32_t *type = calloc((size_t)n + 1, sizeof *type);
    int64_t bad = -1;
    if (!type)
        return cli_fail(CLI_FAILED, "no memory for the types of the particles");
    memcpy(type, myr_particles_types(particles), (size_t)n * sizeof *type);
    int code = match_types(in, header, n, type);
    if (!code)
        code = draw_types(in, rows, n, type);
    for (int64_t i = 0; i < n && bad < 0; i++)
        bad = type[i] >= in->species.count ? i : -1;
    if (!code && bad >= 0) {
        tree_fail_value(in->tree, in->species.entry[0].node,
                        "particle %lld is of type %d, and there %s %d species (types from 0); expected an entry for it",
                        (long long)myr_particles_ids(particles)[bad], type[bad], in->species.count == 1 ? "is" : "are",
                        in->species.count);
        tree_report(in->tree);
        code = CLI_USAGE;
    }
    if (!code)
        code = cli_check(context, myr_particles_set_types(particles, type));
    if (!code)
        code = cli_check(context, myr_particles_add_field(particles, "mass", 1));
    if (!code)
        set_masses(in, particles, type, myr_particles_component(particles, "mass", 0));
    if (!code && input_has_charges(in))
        code = cli_check(context, myr_particles_add_field(particles, "charge", 1));
    if (!code && input_has_charges(in))
        set_charges(in, particles, type, myr_particles_component(particles, "charge", 0));
    if (!code && in->model.name && !input_is_molecular(in))
        rest(particles, myr_particles_component_const(particles, "mass", 0));
    free(type);
    return code;
}

/* --- pairs of species --------------------------------------------------------------------------------------------- */

static void mix(const input *in, double *epsilon, double *sigma)
{
    const int n = in->species.count, geometric = input_is(in, KEY_interaction_mixing, "geometric");
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            const input_entry *one = &in->species.entry[a], *two = &in->species.entry[b];
            const double e1 = input_entry_of(one, KEY_species_epsilon)->number;
            const double e2 = input_entry_of(two, KEY_species_epsilon)->number;
            const double s1 = input_entry_of(one, KEY_species_sigma)->number;
            const double s2 = input_entry_of(two, KEY_species_sigma)->number;
            epsilon[a * n + b] = a == b ? e1 : sqrt(e1 * e2);
            sigma[a * n + b] = a == b ? s1 : geometric ? sqrt(s1 * s2) : 0.5 * (s1 + s2);
        }
}

/* A length per pair of types in place of one for all pairs. */
typedef struct {
    const char *name;
    key_id species, pairs;
    double all; /* length of all pairs that have no other */
} own_length;

static double mean_length(const input *in, double one, double two)
{
    const int geometric = input_is(in, KEY_interaction_mixing, "geometric");
    return one == two ? one : geometric ? sqrt(one * two) : 0.5 * (one + two);
}

/* Fills the table of a length; returns 0 if no species and no pair has its own. */
static int fill_lengths(input *in, const own_length *l, double *table)
{
    const int n = in->species.count;
    int own = 0;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            const input_value *one = input_entry_of(&in->species.entry[a], l->species);
            const input_value *two = input_entry_of(&in->species.entry[b], l->species);
            own |= !one->word;
            table[a * n + b] = mean_length(in, one->word ? l->all : one->number, two->word ? l->all : two->number);
        }
    for (int k = 0; k < in->pairs.count; k++) {
        const input_entry *pair = &in->pairs.entry[k];
        const input_value *v = input_entry_of(pair, l->pairs);
        if (v->word)
            continue;
        const int a = find_species(in, input_entry_of(pair, KEY_pairs_first));
        const int b = find_species(in, input_entry_of(pair, KEY_pairs_second));
        table[a * n + b] = table[b * n + a] = v->number;
        own = 1;
    }
    return own;
}

/* Cutoffs and inner radii of pairs of species; the names of the species are known to exist. */
static int build_lengths(input *in, myr_context *context, myr_interaction *interaction)
{
    const input_parameter *cutoff = input_parameter_find(&in->kernel, "cutoff");
    const input_value *inner = input_of(in, KEY_interaction_inner);
    const own_length length[] = {{"cutoff", KEY_species_cutoff, KEY_pairs_cutoff, cutoff ? cutoff->value : 0},
                                 {"inner", KEY_species_inner, KEY_pairs_inner, inner->word ? 0 : inner->number}};
    double table[INPUT_ENTRIES * INPUT_ENTRIES];
    int code = CLI_OK;
    for (size_t k = 0; k < sizeof length / sizeof length[0] && !code; k++)
        if (fill_lengths(in, &length[k], table))
            code = run_build_check(in, in->species.entry[0].node, context,
                                   myr_interaction_set_pair(interaction, length[k].name, in->species.count, table));
    return code;
}

int run_build_pairs(input *in, myr_context *context, myr_interaction *interaction)
{
    const int n = in->species.count;
    double epsilon[INPUT_ENTRIES * INPUT_ENTRIES], sigma[INPUT_ENTRIES * INPUT_ENTRIES];
    mix(in, epsilon, sigma);
    for (int k = 0; k < in->pairs.count; k++) {
        const input_entry *pair = &in->pairs.entry[k];
        const int a = find_species(in, input_entry_of(pair, KEY_pairs_first));
        const int b = a < 0 ? -1 : find_species(in, input_entry_of(pair, KEY_pairs_second));
        if (b < 0)
            return CLI_USAGE;
        epsilon[a * n + b] = epsilon[b * n + a] = input_entry_of(pair, KEY_pairs_epsilon)->number;
        sigma[a * n + b] = sigma[b * n + a] = input_entry_of(pair, KEY_pairs_sigma)->number;
    }
    int code = run_build_check(in, in->species.entry[0].node, context,
                               myr_interaction_set_pair(interaction, "epsilon", n, epsilon));
    if (!code)
        code = run_build_check(in, in->species.entry[0].node, context,
                               myr_interaction_set_pair(interaction, "sigma", n, sigma));
    return code ? code : build_lengths(in, context, interaction);
}

/* --- the box ------------------------------------------------------------------------------------------------------ */

/* The edge of the cube that a model's lattice fills, or whose density it has; 0 = not known. */
static double model_edge(input *in, int64_t n)
{
    static const struct {
        const char *model, *parameter;
        int sites; /* particles of a cell; 0 = no lattice */
    } table[] = {{"fcc", "density", 4}, {"lattice", "spacing", 1}, {"random", "density", 0}};
    for (size_t k = 0; in->model.name && k < sizeof table / sizeof table[0]; k++) {
        const input_parameter *p = input_parameter_find(&in->model, table[k].parameter);
        if (strcmp(table[k].model, in->model.name) != 0 || !p)
            continue;
        const int by_density = strcmp(table[k].parameter, "density") == 0;
        if (table[k].sites == 0)
            return cbrt((double)n / p->value);
        const double side = ceil(cbrt((double)n / table[k].sites) - 1e-9);
        return side * (by_density ? cbrt(table[k].sites / p->value) : p->value);
    }
    return 0;
}

/* The edge that `auto` stands for along an axis; 0 = nobody knows. */
static double automatic_edge(input *in, int64_t n, const myr_snapshot_header *header, int axis)
{
    const input_value *density = input_of(in, KEY_box_density);
    if (!density->word)
        return cbrt((double)n / density->number);
    return header->box[axis] > 0 ? header->box[axis] : model_edge(in, n);
}

static int take_box(input *in, int64_t n, const myr_snapshot_header *header, myr_molecular_options *o)
{
    static const key_id edge[3] = {KEY_box_x, KEY_box_y, KEY_box_z};
    for (int c = 0; c < 3; c++) {
        const input_value *v = input_of(in, edge[c]);
        if (input_is(in, edge[c], "open"))
            continue;
        o->box[c] = v->word ? automatic_edge(in, n, header, c) : v->number;
        if (!(o->box[c] > 0)) {
            tree_fail_value(in->tree, v->node ? v->node : in->value[KEY_interaction_method].node,
                            in->model.name
                                ? "box.%s is not known from the particles; expected a length, 'open', or box.density"
                                : "box.%s is not known: the file has no periodic edge along %s (pbc F, edges that are "
                                  "not along the axes, or no box); expected a length, 'open', or box.density",
                            keys_at(edge[c])->name, keys_at(edge[c])->name);
            tree_report(in->tree);
            return CLI_USAGE;
        }
        o->origin[c] = header->box[c] > 0 ? header->origin[c] : in->model.name ? -0.5 * o->box[c] : 0;
        if (v->word) {
            const int code = input_settle(in, edge[c], "%.17g", o->box[c]);
            if (code)
                return code;
        }
    }
    return CLI_OK;
}

/* A number, or what stands for a word. */
static double number_or(const input *in, key_id id, double otherwise)
{
    return input_of(in, id)->word ? otherwise : input_of(in, id)->number;
}

static int64_t integer_or(const input *in, key_id id, int64_t otherwise)
{
    return input_of(in, id)->word ? otherwise : input_of(in, id)->integer;
}

static void take_walls(const input *in, myr_molecular_options *o)
{
    for (int k = 0; k < in->walls.count; k++) {
        const input_entry *entry = &in->walls.entry[k];
        const input_value *low = input_entry_of(entry, KEY_walls_low), *high = input_entry_of(entry, KEY_walls_high);
        const input_value *epsilon = input_entry_of(entry, KEY_walls_epsilon);
        const input_value *sigma = input_entry_of(entry, KEY_walls_sigma);
        const input_value *cutoff = input_entry_of(entry, KEY_walls_cutoff);
        const int soft = strcmp(input_entry_of(entry, KEY_walls_kind)->word, "lj93") == 0;
        o->wall[*input_entry_of(entry, KEY_walls_axis)->word - 'x'] =
            (myr_wall){.kind = soft ? MYR_WALL_LJ93 : MYR_WALL_REFLECTING,
                       .low = low->word ? -INFINITY : low->number,
                       .high = high->word ? INFINITY : high->number,
                       .epsilon = epsilon->word ? 0 : epsilon->number,
                       .sigma = sigma->word ? 0 : sigma->number,
                       .cutoff = cutoff->word ? 0 : cutoff->number};
    }
}

#define COULOMB_TOLERANCE 1e-5 /* what auto stands for */

static void take_charges(const input *in, myr_molecular_options *o)
{
    if (!input_has_charges(in))
        return;
    o->coulomb_tolerance = number_or(in, KEY_interaction_tolerance, COULOMB_TOLERANCE);
    o->coulomb_constant = units_coulomb_constant(&in->units);
    o->coulomb_cutoff = number_or(in, KEY_interaction_coulomb_cutoff, 0);
    o->coulomb_splitting = number_or(in, KEY_interaction_coulomb_splitting, 0);
}

int run_settle_charges(input *in, const myr_simulation *simulation)
{
    myr_coulomb c;
    const myr_status status = myr_simulation_coulomb(simulation, &c);
    const struct {
        key_id id;
        double value;
    } chosen[] = {{KEY_interaction_tolerance, c.tolerance},
                  {KEY_interaction_coulomb_cutoff, c.cutoff},
                  {KEY_interaction_coulomb_splitting, c.splitting}};
    int code = status ? CLI_FAILED : CLI_OK;
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen && c.charges > 0 && !code; k++)
        if (input_of(in, chosen[k].id)->word)
            code = input_settle(in, chosen[k].id, "%.17g",
                                chosen[k].value / units_bare(&in->units, keys_at(chosen[k].id)->dimension));
    return code;
}

void run_write_charges(const run *r, json_writer *w)
{
    const double length = units_bare(&r->in->units, UNITS_LENGTH);
    myr_coulomb c;
    if (myr_simulation_coulomb(r->simulation, &c) || c.charges == 0)
        return;
    json_open(w, "coulomb", '{');
    json_number(w, "tolerance", c.tolerance);
    json_number(w, "splitting", c.splitting * length);
    json_number(w, "cutoff", c.cutoff / length);
    json_open(w, "mesh", '[');
    for (int k = 0; k < 3; k++)
        json_integer(w, NULL, c.mesh[k]);
    json_close(w);
    json_integer(w, "window", c.width);
    json_integer(w, "charges", c.charges);
    json_number(w, "net_charge", c.net_charge / units_bare(&r->in->units, UNITS_CHARGE));
    json_number(w, "pair_seconds", c.pair_seconds);
    json_number(w, "mesh_seconds", c.mesh_seconds);
    json_close(w);
}

static int take_options(input *in, myr_molecular_options *o)
{
    take_walls(in, o);
    take_charges(in, o);
    const char *cut = input_of(in, KEY_interaction_cut)->word;
    while (strcmp(myr_potential_cut(o->cut)->name, cut) != 0)
        o->cut++;
    o->inner = number_or(in, KEY_interaction_inner, 0);
    o->skin = number_or(in, KEY_interaction_skin, 0);
    o->tail = input_is(in, KEY_interaction_tail, "true");
    o->check = input_is(in, KEY_interaction_check, "true");
    o->seed = (uint64_t)input_of(in, KEY_integrator_seed)->integer;
    o->exact_reverse = input_is(in, KEY_integrator_exact_reverse, "true");
    o->centre_interval = integer_or(in, KEY_integrator_remove_drift, 0);
    o->pressure = number_or(in, KEY_barostat_pressure, 0);
    o->pressure_interval = input_of(in, KEY_barostat_pressure)->word ? 0 : input_of(in, KEY_barostat_interval)->integer;
    o->pressure_end = number_or(in, KEY_barostat_pressure_end, o->pressure);
    o->pressure_ramp = number_or(in, KEY_barostat_ramp, 0);
    o->anisotropic = input_is(in, KEY_barostat_coupling, "anisotropic");
    o->restraint = number_or(in, KEY_restraint_stiffness, 0);
    o->restraint_type = -1;
    if (!input_is(in, KEY_restraint_species, "all") &&
        (o->restraint_type = find_species(in, input_of(in, KEY_restraint_species))) < 0)
        return CLI_USAGE;
    return CLI_OK;
}

static int build_molecule(input *in, myr_context *context, myr_simulation *simulation)
{
    const input_value *file = input_of(in, KEY_particles_topology);
    const myr_exclusion_mode mode =
        input_is(in, KEY_interaction_exclude, "afterwards") ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY;
    myr_topology *topology = NULL;
    int code = run_build_check(in, file->node, context, myr_topology_read(context, file->text, &topology));
    if (!code)
        code = run_build_check(
            in, file->node, context,
            myr_simulation_set_molecule(simulation, topology, mode, input_is(in, KEY_integrator_rigid, "hydrogen")));
    const input_value *model = input_of(in, KEY_solvent_model);
    const myr_solvent solvent = {model->word, input_of(in, KEY_solvent_salt)->number / MOLAR,
                                 input_is(in, KEY_solvent_surface, "true")};
    if (!code && !input_is(in, KEY_solvent_model, "none"))
        code = run_build_check(in, model->node, context, myr_simulation_set_solvent(simulation, &solvent));
    return code;
}

int run_build_box(input *in, myr_context *context, myr_simulation *simulation, const myr_snapshot_header *header)
{
    myr_molecular_options o = myr_molecular_defaults();
    int code = input_is_molecule(in) ? CLI_OK : take_box(in, myr_simulation_count(simulation), header, &o);
    if (!code)
        code = take_options(in, &o);
    if (!code)
        code = cli_check(context, myr_simulation_set_molecular(simulation, &o));
    return code || !input_is_molecule(in) ? code : build_molecule(in, context, simulation);
}

/* --- before the run ----------------------------------------------------------------------------------------------- */

/* The edge of the box that the user gave as too short; null where it is the cutoff that is too long. */
static const tree_node *short_edge(const input *in, const tree_node *cutoff)
{
    for (int id = KEY_box_x; id <= KEY_box_z; id++) {
        const tree_node *edge = in->value[id].node;
        if (edge && edge->text && (!edge->origin || strncmp(edge->origin, "--set", 5) == 0) &&
            !(cutoff && cutoff->origin && !edge->origin) && !in->value[id].word)
            return edge;
    }
    return NULL;
}

/* The first cutoff of a species or pair of its own; null = none. */
static const tree_node *own_cutoff(const input *in)
{
    for (int k = 0; k < in->species.count; k++)
        if (!input_entry_of(&in->species.entry[k], KEY_species_cutoff)->word)
            return input_entry_of(&in->species.entry[k], KEY_species_cutoff)->node;
    for (int k = 0; k < in->pairs.count; k++)
        if (!input_entry_of(&in->pairs.entry[k], KEY_pairs_cutoff)->word)
            return input_entry_of(&in->pairs.entry[k], KEY_pairs_cutoff)->node;
    return NULL;
}

/* The key that the library's sentence is about, where it is given; else the method, which all of them are about. */
static const tree_node *blamed(input *in, const char *sentence)
{
    static const struct {
        const char *begins;
        key_id id;
    } table[] = {{"the inner radius", KEY_interaction_inner},
                 {"tail corrections", KEY_interaction_tail},
                 {"exact_reverse", KEY_integrator_exact_reverse},
                 {"charges ", KEY_interaction_coulomb},
                 {"particles of types", KEY_interaction_coulomb},
                 {"portable arithmetic", KEY_interaction_arithmetic},
                 {"the tolerance of the charges", KEY_interaction_tolerance},
                 {"no mesh of", KEY_interaction_tolerance},
                 {"the barostat", KEY_barostat_pressure},
                 {"a barostat", KEY_barostat_pressure}};
    const tree_node *node = NULL;
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (strncmp(sentence, table[k].begins, strlen(table[k].begins)) == 0)
            node = in->value[table[k].id].node;
    if (strstr(sentence, "outside the walls") && in->walls.count)
        node = in->walls.entry[0].node;
    if (strncmp(sentence, "the external field", 18) == 0 && in->externals)
        node = in->external[0].node;
    if (strstr(sentence, "needs a cutoff") || strstr(sentence, "less than twice the cutoff")) {
        const input_parameter *cutoff = input_parameter_find(&in->kernel, "cutoff");
        node = own_cutoff(in) ? own_cutoff(in) : cutoff ? cutoff->node : NULL;
        if (strstr(sentence, "twice") && short_edge(in, node))
            node = short_edge(in, node);
    }
    return node ? node : input_of(in, KEY_interaction_method)->node;
}

/* Choices that do not go together are found by the library: an error of the input, told at its key. */
static int check_choices(input *in, myr_context *context, myr_status status)
{
    return run_build_check(in, status ? blamed(in, myr_context_message(context)) : NULL, context, status);
}

static int minimise(input *in, myr_context *context, myr_simulation *simulation, int quiet)
{
    const input_value *steps = input_of(in, KEY_minimise_steps);
    myr_minimum minimum;
    if (steps->word)
        return CLI_OK;
    const double tolerance = input_of(in, KEY_minimise_tolerance)->number;
    const int code = run_build_check(in, steps->node, context,
                                     myr_simulation_minimise(simulation, tolerance, steps->integer, &minimum));
    if (!code && !quiet)
        messages_say(MYR_RUN_EVENT_TEXT, "minimised: energy %.10g, largest force %.3g after %lld step%s%s",
                     minimum.energy, minimum.largest_force, (long long)minimum.steps, myr_plural(minimum.steps),
                     minimum.converged ? "" : ", not converged");
    return code;
}

int run_start_box(input *in, myr_context *context, myr_simulation *simulation, int quiet)
{
    if (!input_is_molecular(in) || ranks_follows(context))
        return CLI_OK;
    const input_value *heat = input_of(in, KEY_particles_thermal);
    int code = CLI_OK;
    if (in->model.name && in->species.count && myr_simulation_count(simulation) > 1)
        code = check_choices(in, context, myr_simulation_rest(simulation));
    if (!code)
        code = minimise(in, context, simulation, quiet);
    if (!code && !heat->word)
        code = run_build_check(
            in, heat->node, context,
            myr_simulation_heat(simulation, heat->number, (uint64_t)input_of(in, KEY_particles_seed)->integer));
    return code ? code : check_choices(in, context, myr_simulation_step(simulation, myr_simulation_time(simulation)));
}

int run_measure_box(run *r)
{
    int code = cli_check(r->context, myr_simulation_thermodynamics(r->simulation, &r->sample.box));
    if (!code)
        code = cli_check(r->context, myr_simulation_ranks(r->simulation, &r->sample.ranks));
    if (!code && input_is_molecule(r->in))
        code = run_measure_molecule(r);
    return code;
}
