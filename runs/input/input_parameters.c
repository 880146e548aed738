/* input_parameters.c - parameters and options of models, kernels, integrators and external fields, by the library's own
 * lists; and what only several keys together can get wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/input.h"

input_parameter *input_parameter_find(input_member *member, const char *name)
{
    for (int k = 0; k < member->count; k++)
        if (strcmp(member->parameter[k].name, name) == 0)
            return &member->parameter[k];
    return NULL;
}

int input_is_parameter(const input *in, key_id id)
{
    if (strcmp(keys_at(id)->section, "interaction") != 0)
        return 0;
    for (int k = 0; k < in->kernel.count; k++)
        if (strcmp(in->kernel.parameter[k].name, keys_at(id)->name) == 0)
            return 1;
    return 0;
}

static void take_number(input *in, const myr_parameter_info *info, const char *section, input_parameter *p)
{
    units_quantity q;
    char message[UNITS_MESSAGE];
    if (units_read(p->text, &q, message) || units_convert(&in->units, &q, p->dimension, &p->value, message)) {
        tree_fail_value(in->tree, p->node, "%s.%s: %s%s%s", section, p->name, message,
                        strstr(message, "expected") ? "" : "; expected a ",
                        strstr(message, "expected") ? "" : units_dimension_at(p->dimension)->name);
    } else if (!(p->value >= info->lower && p->value <= info->upper)) {
        tree_fail_value(in->tree, p->node, "%s.%s is out of range; expected %.10g to %.10g", section, p->name,
                        info->lower, info->upper);
    }
}

/* myr_nearest takes names from a function without an argument: the option in use is kept here. */
static const myr_option_info *option_now;

static const char *option_word(int k)
{
    return option_now->word[k];
}

static void take_word(input *in, const myr_option_info *option, const char *section, input_parameter *p)
{
    char list[KEYS_EXPECTED] = "";
    size_t used = 0;
    for (int k = 0; option->word[k]; k++) {
        if (strcmp(option->word[k], p->text) == 0) {
            p->word = option->word[k];
            return;
        }
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", option->word[k]);
    }
    option_now = option;
    const char *near = myr_nearest(p->text, option_word);
    tree_fail_value(in->tree, p->node, "%s.%s cannot be '%.60s'; expected one of: %s%s%s%s", section, p->name, p->text,
                    list, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* Finds the parameter's node and its text; 0 where it is given and is a scalar. */
static int find_text(input *in, const tree_node *section, const char *name, input_parameter *p)
{
    p->node = section ? tree_find(section, name) : NULL;
    if (!p->node)
        return 1;
    if (p->node->kind != TREE_SCALAR || !*p->node->text) {
        tree_fail_value(in->tree, p->node, "'%s' %s; expected %s", name,
                        p->node->kind == TREE_MAP    ? "is a map"
                        : p->node->kind == TREE_LIST ? "is a list"
                                                     : "has no value",
                        p->dimension == UNITS_NUMBER ? "a number or a word"
                                                     : units_dimension_at(p->dimension)->example);
        return 1;
    }
    p->text = p->node->text;
    return 0;
}

/* Parameters per pair of types: one number for all pairs, and no default; or those of the species. */
static void take_pairs(input *in, input_member *member, const tree_node *section)
{
    static const myr_parameter_info any = {"", "", NAN, -1e300, 1e300};
    const myr_kernel_info *kernel = input_kernel(in);
    const int elsewhere = in->species.count || input_is_molecule(in);
    for (int k = 0; k < 8 && kernel->pair[k] && member->count < INPUT_PARAMETERS; k++) {
        const tree_node *given = section ? tree_find(section, kernel->pair[k]) : NULL;
        if (elsewhere && given)
            tree_fail_key(in->tree, given, "interaction.%s is given beside %s, which has it too; expected one",
                          kernel->pair[k], in->species.count ? "'species'" : "particles.topology");
        if (elsewhere)
            continue;
        input_parameter *p = &member->parameter[member->count++];
        *p = (input_parameter){.name = kernel->pair[k], .about = "for every pair", .value = NAN};
        p->dimension = strcmp(p->name, "sigma") == 0     ? UNITS_LENGTH
                       : strcmp(p->name, "epsilon") == 0 ? UNITS_ENERGY
                                                         : UNITS_NUMBER;
        if (!find_text(in, section, p->name, p))
            take_number(in, &any, "interaction", p);
        else if (!p->node)
            tree_fail_value(in->tree, member->node, "interaction.%s is missing; the kernel '%s' needs it%s", p->name,
                            member->name, input_is_molecular(in) ? ", here or in 'species'" : "");
    }
}

/* What is neither a key of the section nor a parameter of its member. */
static void refuse_unknown(input *in, keys_owner owner, input_member *member, const tree_node *section)
{
    const keys_owner_info *o = keys_owner_at(owner);
    for (const tree_node *n = section ? section->first : NULL; n; n = n->next) {
        if (keys_find(o->section, n->key) || input_parameter_find(member, n->key))
            continue;
        const char *near = keys_nearest(o->section, member->name, n->key);
        char of[96] = "";
        if (member->name)
            snprintf(of, sizeof of, ", nor has the %s '%s'", o->what, member->name);
        tree_fail_key(in->tree, n, "'%s' has no key '%.60s'%s; 'myriad explain %s' lists the keys%s%s%s", o->section,
                      n->key, of, o->section, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

/* Parameters of a kernel that the user wrote are plain numbers: nobody knows their dimensions. */
static const myr_parameter_info *own_parameter(const myr_kernel_info *kernel, int n)
{
    const int most = (int)(sizeof kernel->param / sizeof *kernel->param);
    return n < most && kernel->param[n].name ? &kernel->param[n] : NULL;
}

void input_take_parameters(input *in, keys_owner owner, input_member *member, const tree_node *section)
{
    const char *where = keys_owner_at(owner)->section;
    const myr_parameter_info *info;
    const myr_kernel_info *own = owner == KEYS_OF_KERNEL && in->kernels ? input_kernel(in) : NULL;
    for (int n = 0; member->count < INPUT_PARAMETERS &&
                    (info = own ? own_parameter(own, n) : keys_parameter(owner, member->name, n));
         n++) {
        input_parameter *p = &member->parameter[member->count++];
        *p = (input_parameter){.name = info->name, .about = info->text, .value = info->value};
        p->dimension = own ? UNITS_NUMBER : keys_parameter_dimension(owner, member->name, n);
        if (p->dimension == UNITS_GRAVITY && strcmp(p->name, "G") == 0)
            p->value = in->units.gravity;
        if (input_is_molecule(in) && owner == KEYS_OF_KERNEL && strcmp(p->name, "coulomb") == 0)
            p->value = MYR_TOPOLOGY_COULOMB;
        if (!find_text(in, section, p->name, p))
            take_number(in, info, where, p);
    }
    const myr_option_info *option;
    for (int n = 0; member->count < INPUT_PARAMETERS && (option = keys_option(owner, member->name, n)); n++) {
        input_parameter *p = &member->parameter[member->count++];
        *p = (input_parameter){.name = option->name, .about = option->text, .word = option->word[0]};
        if (!find_text(in, section, p->name, p))
            take_word(in, option, where, p);
    }
    if (owner == KEYS_OF_KERNEL && member->name)
        take_pairs(in, member, section);
    /* Without a member nobody knows what its parameters would be; the missing choice is an error of its own. */
    const key_id chooser = keys_owner_at(owner)->chooser;
    const int undecided =
        !member->name && (in->value[chooser].text || owner == KEYS_OF_EXTERNAL) && !input_is(in, chooser, "none");
    if (!undecided)
        refuse_unknown(in, owner, member, section);
}

/* --- several keys together ---------------------------------------------------------------------------------------- */

void input_check_set(input *in, const tree_node *node)
{
    const input_value *model = input_of(in, KEY_particles_model), *file = input_of(in, KEY_particles_file);
    if (model->text && file->text) {
        tree_fail_key(in->tree, file->node, "both particles.model and particles.file are given; expected one of them");
    } else if (!model->text && !file->text && !model->node && !file->node) {
        if (node && !node->key)
            tree_fail_value(in->tree, node,
                            "an entry of 'particles' says neither 'model' nor 'file'; expected one of them");
        else if (node)
            tree_fail_key(in->tree, node, "'particles' says neither 'model' nor 'file'; expected one of them");
        else
            tree_fail(in->tree, 0, 0, "there is no section 'particles'; expected it with 'model' or 'file'");
    }
    if (!in->model.name || !input_is(in, KEY_particles_n, "auto"))
        return;
    for (int k = 0; myr_model(k); k++)
        if (strcmp(myr_model(k)->name, in->model.name) == 0 && myr_model_bodies(k) == 0)
            tree_fail_value(in->tree, in->model.node,
                            "particles.n is missing; expected the number of particles of '%s'", in->model.name);
}

/* A set is placed in open space: not in a box, nor on the mesh of a flow. */
static void check_places(input *in)
{
    static const key_id place[] = {KEY_particles_position, KEY_particles_rotation, KEY_particles_velocity};
    const tree_node *node = in->sets ? in->set[0].node : NULL;
    for (size_t k = 0; k < sizeof place / sizeof place[0] && !node; k++)
        node = input_of(in, place[k])->is_vector ? input_of(in, place[k])->node : NULL;
    if (node && (input_is_molecular(in) || input_is(in, KEY_interaction_method, KEYS_SPECTRAL)))
        tree_fail_value(in->tree, node, "%s; expected %s for particles in a box, molecules and the method spectral",
                        in->sets ? "'particles' is a list" : "particles are moved or rotated",
                        in->sets ? "one model or file" : "no position, velocity and rotation");
}

static void check_particles(input *in)
{
    if (!in->sets)
        input_check_set(in, tree_find(in->tree->root, "particles"));
    check_places(in);
}

static void check_run(input *in)
{
    const input_value *end = input_of(in, KEY_run_end), *start = input_of(in, KEY_run_start);
    const tree_node *section = tree_find(in->tree->root, "run");
    if (input_is(in, KEY_run_end, "none") && input_is(in, KEY_run_steps, "none")) {
        if (section)
            tree_fail_key(in->tree, section, "'run' says neither 'end' nor 'steps'; expected one of them");
        else
            tree_fail(in->tree, 0, 0, "there is no section 'run'; expected it with 'end' or 'steps'");
    }
    const double from = start->word ? 0 : start->number;
    char text[UNITS_MESSAGE];
    if (end->node && !end->word && !(end->number > from) && !isnan(end->number) &&
        !(start->word && (in->sets || in->model.name == NULL)))
        tree_fail_value(in->tree, end->node, "run.end is not after the start of the run; expected more than %s",
                        units_print(&in->units, UNITS_TIME, from, 10, text));
}

/* Where a key of a box is given; null = it is not. */
static const tree_node *given_node(const input *in, key_id id)
{
    const input_list *list = input_list_of(in, keys_at(id)->section);
    return list ? (list->count ? list->entry[0].node : NULL) : in->value[id].node;
}

/* What is asked of vortex elements where there are none, or by halves. */
static void check_elements(input *in)
{
    for (int id = 0; id < KEYS && !input_is_elements(in); id++)
        if (keys_is_of_elements((key_id)id) && in->value[id].node) {
            tree_fail_value(in->tree, in->value[id].node,
                            "%s.%s is for vortex elements; expected a kernel that gives velocities in 'interaction', "
                            "such as velocity_stretching",
                            keys_at((key_id)id)->section, keys_at((key_id)id)->name);
            return;
        }
    const input_value *weak = input_of(in, KEY_elements_weak), *when = input_of(in, KEY_elements_weak_interval);
    if (!input_is(in, KEY_elements_weak, "keep") && weak->word && when->word)
        tree_fail_value(in->tree, weak->node,
                        "elements.weak is given without elements.weak_interval; expected the time between two looks");
    const input_value *file = input_of(in, KEY_tracers_file), *model = input_of(in, KEY_tracers_model);
    if (file->text && model->node && !input_is(in, KEY_tracers_model, "none"))
        tree_fail_value(in->tree, model->node, "both tracers.file and tracers.model are given; expected one of them");
    const input_value *points = input_of(in, KEY_probes_points), *from = input_of(in, KEY_probes_from),
                      *to = input_of(in, KEY_probes_to);
    if (!points->word && input_of(in, KEY_probes_file)->text)
        tree_fail_value(in->tree, points->node, "both probes.file and probes.points are given; expected one of them");
    if ((!points->word || !from->word || !to->word) && (points->word || from->word || to->word))
        tree_fail_value(in->tree,
                        points->node ? points->node
                        : from->node ? from->node
                                     : to->node,
                        "a grid of probes needs probes.points, probes.from and probes.to; expected all of them");
}

static void check_reverse(input *in)
{
    const input_value *reverse = input_of(in, KEY_run_reverse), *exact = input_of(in, KEY_integrator_exact_reverse);
    const char *name = in->integrator.name ? in->integrator.name : "";
    if (!reverse->word && reverse->node &&
        (!input_is_molecular(in) || (strcmp(name, "verlet") != 0 && strcmp(name, "nose_hoover") != 0)))
        tree_fail_value(in->tree, reverse->node,
                        "run.reverse turns velocities of particles in a box; expected 'method: neighbour' in "
                        "'interaction' and the integrator verlet or nose_hoover with it");
    if (input_is(in, KEY_integrator_exact_reverse, "true") && strcmp(name, "verlet") != 0)
        tree_fail_value(in->tree, exact->node, "integrator.exact_reverse is for verlet; '%.60s' does not go back",
                        name);
}

/* What a kernel that the user wrote does not have in a box. */
static void check_formula(input *in)
{
    if (!input_has_formula(in))
        return;
    if (!input_is(in, KEY_interaction_cut, "truncated"))
        tree_fail_value(
            in->tree, given_node(in, KEY_interaction_cut),
            "interaction.cut is for Lennard-Jones potentials; expected none, or truncated: a kernel of your "
            "own ends at its cutoff as its text says");
    if (in->species.count)
        tree_fail_value(in->tree, in->species.entry[0].node,
                        "'species' have parameters of Lennard-Jones potentials; expected none with a kernel of your "
                        "own, which acts between particles of one kind");
}

static void check_molecular(input *in)
{
    check_formula(in);
    const myr_integrator_info *integrator = in->integrator.name ? myr_integrator_find(in->integrator.name) : NULL;
    const int far = !input_is(in, KEY_interaction_method, "direct") &&
                    !input_is(in, KEY_interaction_method, "neighbour") &&
                    !input_is(in, KEY_interaction_method, KEYS_SPECTRAL); /* other methods sum images of the box */
    for (int id = 0; id < KEYS && !input_is_molecular(in); id++)
        if (keys_is_molecular((key_id)id) && given_node(in, (key_id)id) && !input_is_parameter(in, (key_id)id) &&
            !(far && id >= KEY_box_x && id <= KEY_box_z)) {
            tree_fail_value(
                in->tree, given_node(in, (key_id)id),
                "%s.%s is for particles in a box or molecules; expected 'method: neighbour' in 'interaction' or "
                "particles.topology with it",
                keys_at((key_id)id)->section, keys_at((key_id)id)->name);
            return;
        }
    if (integrator && integrator->needs_box != input_is_molecular(in))
        tree_fail_value(in->tree, in->integrator.node,
                        integrator->needs_box
                            ? "the integrator '%s' moves particles in a box; expected 'method: neighbour' in "
                              "'interaction', or particles.topology, with it"
                            : "the integrator '%s' does not move particles in a box; expected verlet, langevin, "
                              "nose_hoover or berendsen with interaction.method neighbour",
                        integrator->name);
}

/* Charges, and what is given for them where they do not act. */
static void check_charges(input *in)
{
    static const key_id with[] = {KEY_interaction_coulomb_cutoff, KEY_interaction_coulomb_splitting};
    const input_value *coulomb = input_of(in, KEY_interaction_coulomb);
    if (!input_is_molecular(in) || input_is_parameter(in, KEY_interaction_coulomb))
        return;
    if (!coulomb->word) {
        tree_fail_value(in->tree, coulomb->node, "interaction.coulomb cannot be '%.60s'%s; expected none or mesh",
                        coulomb->text,
                        strcmp(coulomb->text, "fmm") == 0 ? ": charges in a box act by Ewald sums on a mesh" : "");
        return;
    }
    for (size_t k = 0; k < sizeof with / sizeof *with && !input_has_charges(in); k++)
        if (!input_of(in, with[k])->word)
            tree_fail_value(in->tree, input_of(in, with[k])->node,
                            "interaction.%s is for charges; expected 'coulomb: mesh' with it", keys_at(with[k])->name);
    for (int k = 0; k < in->species.count && !input_has_charges(in); k++) {
        const input_value *charge = input_entry_of(&in->species.entry[k], KEY_species_charge);
        if (!charge->word && charge->number != 0)
            tree_fail_value(in->tree, charge->node,
                            "a species has a charge, and charges do not act; expected 'coulomb: mesh' in 'interaction' "
                            "with it");
    }
}

/* A ramp has a length and an end; one without the other would change nothing, or go nobody knows where. */
static void check_ramp(input *in)
{
    const input_parameter *ramp = input_parameter_find(&in->integrator, "ramp");
    const input_parameter *heat = input_parameter_find(&in->integrator, "temperature");
    input_parameter *end = input_parameter_find(&in->integrator, "temperature_end");
    if (!ramp || !heat || !end)
        return;
    if (end->node && !ramp->node)
        tree_fail_value(in->tree, end->node,
                        "integrator.temperature_end is given without integrator.ramp; expected the time in which the "
                        "temperature goes there");
    if (!end->node && ramp->value > 0)
        tree_fail_value(in->tree, ramp->node,
                        "integrator.ramp is given without integrator.temperature_end; expected the temperature at its "
                        "end");
    if (!end->node)
        end->value = heat->value;
}

static void check_barostat(input *in)
{
    const input_value *ramp = input_of(in, KEY_barostat_ramp), *end = input_of(in, KEY_barostat_pressure_end);
    const input_value *one = end->word ? ramp : end;
    if (one->word)
        return;
    if (input_of(in, KEY_barostat_pressure)->word)
        tree_fail_value(in->tree, one->node,
                        "barostat.%s is given without barostat.pressure; expected the pressure at the start",
                        end->word ? "ramp" : "pressure_end");
    if (end->word || ramp->word)
        tree_fail_value(in->tree, one->node, "barostat.%s is given without barostat.%s; expected both, or none",
                        end->word ? "ramp" : "pressure_end", end->word ? "pressure_end" : "ramp");
}

/* In a box a particle of the lattice has the mass 1, as those of the other crystals have. */
static void check_lattice(input *in)
{
    input_parameter *mass = input_parameter_find(&in->model, "mass_scale");
    const input_parameter *function = input_parameter_find(&in->model, "mass_function");
    const input_value *n = input_of(in, KEY_particles_n);
    if (input_is_molecular(in) && mass && !mass->node && function && !function->node && !n->word && n->integer > 0 &&
        strcmp(in->model.name, "lattice") == 0)
        mass->value = (double)n->integer;
}

static const char *entry_text(const input_entry *entry, key_id id)
{
    const char *text = input_entry_of(entry, id)->text;
    return text ? text : "";
}

static int is_same_pair(const input_entry *one, const input_entry *two)
{
    const char *a = entry_text(one, KEY_pairs_first), *b = entry_text(one, KEY_pairs_second);
    const char *c = entry_text(two, KEY_pairs_first), *d = entry_text(two, KEY_pairs_second);
    return (strcmp(a, c) == 0 && strcmp(b, d) == 0) || (strcmp(a, d) == 0 && strcmp(b, c) == 0);
}

/* What is said twice, or about nobody. */
static void check_species(input *in)
{
    for (int k = 1; k < in->species.count; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(entry_text(&in->species.entry[j], KEY_species_name),
                       entry_text(&in->species.entry[k], KEY_species_name)) == 0) {
                tree_fail_value(in->tree, in->species.entry[k].node,
                                "the species '%.60s' is there already; expected another name",
                                entry_text(&in->species.entry[k], KEY_species_name));
                break;
            }
    for (int k = 1; k < in->pairs.count; k++)
        for (int j = 0; j < k; j++)
            if (is_same_pair(&in->pairs.entry[j], &in->pairs.entry[k])) {
                tree_fail_value(in->tree, in->pairs.entry[k].node,
                                "the pair of '%.60s' and '%.60s' is there already; expected it once",
                                entry_text(&in->pairs.entry[k], KEY_pairs_first),
                                entry_text(&in->pairs.entry[k], KEY_pairs_second));
                break;
            }
    if (in->pairs.count && !in->species.count)
        tree_fail_value(in->tree, in->pairs.entry[0].node,
                        "'pairs' is given without 'species'; expected the species that the pairs are of");
}

/* One wall: open axis, a place, and the numbers of its kind. */
static void check_wall(input *in, const input_entry *wall)
{
    const input_value *axis = input_entry_of(wall, KEY_walls_axis), *kind = input_entry_of(wall, KEY_walls_kind);
    const input_value *low = input_entry_of(wall, KEY_walls_low), *high = input_entry_of(wall, KEY_walls_high);
    const input_value *epsilon = input_entry_of(wall, KEY_walls_epsilon),
                      *sigma = input_entry_of(wall, KEY_walls_sigma);
    const input_value *cutoff = input_entry_of(wall, KEY_walls_cutoff);
    if (!axis->word || !kind->word)
        return; /* told already */
    const key_id edge = (key_id)(KEY_box_x + (*axis->word - 'x'));
    if (!input_is(in, edge, "open"))
        tree_fail_value(in->tree, axis->node,
                        "there is a wall along %s, and box.%s is not open; expected 'box: {%s: open}'", axis->word,
                        axis->word, axis->word);
    if (low->word && high->word)
        tree_fail_value(in->tree, wall->node, "the wall has no place; expected 'low', 'high', or both");
    else if (!low->word && !high->word && !(low->number < high->number))
        tree_fail_value(in->tree, low->node, "walls.low is not below walls.high; expected the lower place there");
    if (strcmp(kind->word, "lj93") == 0 && (epsilon->word || sigma->word))
        tree_fail_value(in->tree, wall->node, "a wall lj93 has an 'epsilon' and a 'sigma'; expected both");
    const input_value *odd = !epsilon->word ? epsilon : !sigma->word ? sigma : !cutoff->word ? cutoff : NULL;
    if (strcmp(kind->word, "reflecting") == 0 && odd)
        tree_fail_value(in->tree, odd->node,
                        "a reflecting wall has no epsilon, sigma or cutoff; expected 'kind: lj93' "
                        "with them");
}

static void check_walls(input *in)
{
    for (int k = 0; k < in->walls.count; k++) {
        check_wall(in, &in->walls.entry[k]);
        for (int j = 0; j < k; j++)
            if (strcmp(entry_text(&in->walls.entry[j], KEY_walls_axis),
                       entry_text(&in->walls.entry[k], KEY_walls_axis)) == 0)
                tree_fail_value(in->tree, in->walls.entry[k].node,
                                "there are walls along %.20s already; expected 'low' and 'high' in one entry",
                                entry_text(&in->walls.entry[k], KEY_walls_axis));
    }
}

static void check_solvent(input *in)
{
    const input_value *model = input_of(in, KEY_solvent_model);
    if (!model->word || input_is(in, KEY_solvent_model, "none"))
        return;
    if (!input_is_molecule(in))
        tree_fail_value(in->tree, model->node, "solvent.model is for molecules; expected particles.topology with it");
    else if (in->kernel.name && strcmp(in->kernel.name, "ljc_constant") != 0)
        tree_fail_value(in->tree, model->node,
                        "the dielectric of kernel %s stands for a solvent already; expected kernel ljc_constant with "
                        "solvent.model",
                        in->kernel.name);
}

/* A molecule's numbers are in the units of its topology. */
static void check_molecule(input *in)
{
    const input_value *topology = input_of(in, KEY_particles_topology);
    const input_parameter *coulomb = input_parameter_find(&in->kernel, "coulomb");
    if (!input_is_molecule(in))
        return;
    if (!input_is(in, KEY_units_system, "amber"))
        tree_fail_value(in->tree, topology->node,
                        "particles.topology is in the units of AMBER; expected 'system: amber' "
                        "in 'units' with it");
    if (!coulomb)
        tree_fail_value(in->tree, in->kernel.node ? in->kernel.node : topology->node,
                        "a molecule has charges; expected kernel ljc_constant, ljc_linear or ljc_sigmoidal with "
                        "particles.topology");
    else if (coulomb->node && fabs(coulomb->value / MYR_TOPOLOGY_COULOMB - 1) > 1e-12)
        tree_fail_value(in->tree, coulomb->node,
                        "interaction.coulomb is given beside particles.topology, whose units "
                        "fix it; expected none");
    for (int c = 0; c < 3; c++) {
        const input_value *edge = input_of(in, KEY_box_x + c);
        if (edge->node && !edge->word)
            tree_fail_value(
                in->tree, edge->node,
                "charges in a periodic box need Ewald sums, which molecules do not have yet; expected no box, or "
                "open, beside particles.topology");
    }
    if (in->species.count)
        tree_fail_value(in->tree, in->species.entry[0].node,
                        "'species' is given beside particles.topology, which has the types of the atoms; expected one");
}

/* Words of a list that are no observables. */
static void check_observables(input *in)
{
    const input_value *list = input_of(in, KEY_observables_measure);
    char text[256], *rest = NULL;
    if (list->word || !list->text)
        return;
    snprintf(text, sizeof text, "%s", list->text);
    for (const char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int k = 0;
        while (keys_observable(k) && strcmp(keys_observable(k), word) != 0)
            k++;
        if (keys_observable(k))
            continue;
        const char *near = myr_nearest(word, keys_observable);
        tree_fail_value(in->tree, list->node,
                        "observables.measure cannot have '%.60s'; expected rdf, msd, vacf or profile%s%s%s", word,
                        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

/* Time series are of bodies; other particles have snapshots in formats with many frames. */
static void check_trajectory(input *in)
{
    const input_value *trajectory = input_of(in, KEY_output_trajectory), *bodies = input_of(in, KEY_output_bodies);
    if (!trajectory->word && trajectory->node &&
        (input_is_molecular(in) || input_is_elements(in) || input_is(in, KEY_interaction_method, KEYS_SPECTRAL)))
        tree_fail_value(in->tree, trajectory->node,
                        "output.trajectory is for bodies; expected output.snapshots for particles in a box, molecules "
                        "and fluids");
    if (!trajectory->node && !bodies->word && bodies->node)
        tree_fail_value(in->tree, bodies->node,
                        "output.bodies is given without output.trajectory; expected the time between frames there");
}

void input_check(input *in)
{
    check_observables(in);
    check_trajectory(in);
    check_molecular(in);
    check_charges(in);
    check_reverse(in);
    check_elements(in);
    check_ramp(in);
    check_barostat(in);
    check_lattice(in);
    check_species(in);
    check_walls(in);
    check_molecule(in);
    check_solvent(in);
    check_particles(in);
    check_run(in);
    input_check_kernel(in);
}
