/* input.c - from the tree of a file to checked values: sections, keys, words, numbers. */
#include "input/input.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "whole_number.h"

/* --- one value ---------------------------------------------------------------------------------------------------- */

static const char *find_word(const key_info *key, const char *text)
{
    for (int k = 0; key->names && key->names(k); k++)
        if (strcmp(key->names(k), text) == 0)
            return key->names(k);
    return NULL;
}

static void fail_expected(input *in, const key_info *key, const tree_node *node, const char *what)
{
    char expected[KEYS_EXPECTED];
    tree_fail_value(in->tree, node, "%s.%s %s; expected %s", key->section, key->name, what,
                    keys_expected(key, expected));
}

static void fail_word(input *in, const key_info *key, const char *text, const tree_node *node)
{
    char expected[KEYS_EXPECTED];
    const char *near = myr_nearest(text, key->names);
    tree_fail_value(in->tree, node, "%s.%s cannot be '%.60s'; expected %s%s%s%s", key->section, key->name, text,
                    keys_expected(key, expected), near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A whole number, also with a decimal point or an exponent as any quantity without a unit has. */
static int read_integer(const char *text, int64_t *value)
{
    if (!whole_number_read(text, value))
        return 0;
    units_quantity q;
    char message[UNITS_MESSAGE];
    if (units_read(text, &q, message) || q.has_unit || q.number != floor(q.number) || fabs(q.number) > 9.2e18)
        return 1;
    *value = (int64_t)q.number;
    return 0;
}

static void take_integer(input *in, const key_info *key, input_value *v, const tree_node *node)
{
    if (read_integer(v->text, &v->integer))
        fail_expected(in, key, node, "is not a whole number");
    else if ((double)v->integer < key->lower || (double)v->integer > key->upper)
        fail_expected(in, key, node, "is out of range");
}

static void take_number(input *in, const key_info *key, input_value *v, const tree_node *node)
{
    units_quantity q;
    char message[UNITS_MESSAGE], what[UNITS_MESSAGE + 16];
    if (units_read(v->text, &q, message)) {
        snprintf(what, sizeof what, "is wrong: %s", message);
        fail_expected(in, key, node, what);
    } else if (units_convert(&in->units, &q, key->dimension, &v->number, message)) {
        tree_fail_value(in->tree, node, "%s.%s: %s", key->section, key->name, message);
    } else if (!(v->number >= key->lower && v->number <= key->upper)) {
        fail_expected(in, key, node, "is out of range");
    }
}

static void take_unit(input *in, const key_info *key, const input_value *v, const tree_node *node)
{
    double si;
    units_powers powers;
    char message[UNITS_MESSAGE];
    if (units_read_unit(v->text, &si, &powers, message))
        tree_fail_value(in->tree, node, "%s.%s: %s", key->section, key->name, message);
}

/* Room for the text made from the entries of a list or map, which becomes the value; null with an error if there are no
 * entries or no room. */
static char *take_room(input *in, const key_info *key, input_value *v, const tree_node *node, size_t length)
{
    char *text = tree_allocate(in->tree, length);
    if (!text || !node->first) {
        fail_expected(in, key, node, text ? "is empty" : "is too long");
        return NULL;
    }
    v->text = text;
    return text;
}

/* A list of words becomes one text with spaces between. */
static void take_words(input *in, const key_info *key, input_value *v, const tree_node *node)
{
    size_t length = 1;
    for (const tree_node *n = node->first; n; n = n->next) {
        if (n->kind != TREE_SCALAR || !*n->text || strpbrk(n->text, " \t\n")) {
            fail_expected(in, key, n, "has an entry that is not a word");
            return;
        }
        length += strlen(n->text) + 1;
    }
    char *text = take_room(in, key, v, node, length);
    if (!text)
        return;
    for (const tree_node *n = node->first; n; n = n->next)
        text += sprintf(text, "%s%s", n == node->first ? "" : " ", n->text);
}

/* Length of "key=value", or of an entry of a list. */
static size_t entry_length(const tree_node *n)
{
    return strlen(n->text) + (n->key ? strlen(n->key) + 1 : 0);
}

/* A map of texts, or a list, becomes one text: lines "key=value", or the entries of the list. The effective input has
 * these lines as a list, so that both are as long at most. */
static void take_map(input *in, const key_info *key, input_value *v, const tree_node *node)
{
    size_t length = 1;
    for (const tree_node *n = node->first; n; n = n->next) {
        if (n->kind != TREE_SCALAR || !*n->text || entry_length(n) > INPUT_ENTRY_TEXT || strpbrk(n->text, "\n\r") ||
            (n->key && (!*n->key || strpbrk(n->key, "=\n\r")))) {
            fail_expected(in, key, n, "has an entry that is not a text");
            return;
        }
        length += entry_length(n) + 1;
    }
    char *text = take_room(in, key, v, node, length);
    if (!text)
        return;
    for (const tree_node *n = node->first; n; n = n->next)
        text +=
            sprintf(text, "%s%s%s%s", n == node->first ? "" : "\n", n->key ? n->key : "", n->key ? "=" : "", n->text);
}

/* Three quantities become numbers, and one text of three lines; 0 where they are not quantities. */
static int take_vector(input *in, const key_info *key, input_value *v, const tree_node *node)
{
    char *text = NULL, message[UNITS_MESSAGE];
    units_quantity q[3];
    size_t length = 4;
    int count = 0;
    for (const tree_node *n = node->first; n; n = n->next, count++) {
        if (count == 3 || n->kind != TREE_SCALAR || strlen(n->text) > INPUT_ENTRY_TEXT || strpbrk(n->text, "\n\r") ||
            units_read(n->text, &q[count], message))
            return 0;
        length += strlen(n->text);
    }
    if (count != 3 || !(v->text = text = tree_allocate(in->tree, length)))
        return 0;
    v->is_vector = 1;
    const tree_node *n = node->first;
    for (int c = 0; c < 3; c++, n = n->next) {
        text += sprintf(text, "%s%s", c ? "\n" : "", n->text);
        if (units_convert(&in->units, &q[c], key->dimension, &v->vector[c], message))
            tree_fail_value(in->tree, n, "%s.%s: %s", key->section, key->name, message);
        else if (!isfinite(v->vector[c]))
            fail_expected(in, key, n, "is out of range");
    }
    return 1;
}

const char *const *input_entries(const input *in, const input_value *v)
{
    size_t count = 2;
    for (const char *c = v->text; c && *c; c++)
        count += *c == '\n';
    const char **entry = v->text && !v->word ? tree_allocate(in->tree, count * sizeof *entry) : NULL;
    const char *at = v->text;
    for (size_t k = 0; entry && *at; k++) {
        const size_t length = strcspn(at, "\n");
        entry[k] = tree_copy(in->tree, at, length);
        at += length + (at[length] == '\n');
    }
    return entry;
}

static int is_empty(const tree_node *node)
{
    return node->kind == TREE_SCALAR && !node->quoted &&
           (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

void input_take(input *in, key_id id, const tree_node *node)
{
    const key_info *key = keys_at(id);
    input_value *v = &in->value[id];
    *v = (input_value){.text = node ? NULL : key->fallback, .number = NAN, .node = node};
    if (node && node->kind == TREE_LIST && key->kind == KEYS_WORDS) {
        take_words(in, key, v, node);
        return;
    }
    if (node && node->kind != TREE_SCALAR && key->kind == KEYS_MAP) {
        take_map(in, key, v, node);
        return;
    }
    if (node && node->kind == TREE_LIST && key->kind == KEYS_VECTOR) {
        if (take_vector(in, key, v, node))
            return;
        if (id == KEY_particles_velocity) /* names of arrays */
            take_words(in, key, v, node);
        else
            fail_expected(in, key, node, "is not a list of three values");
        return;
    }
    if (node && (node->kind != TREE_SCALAR || is_empty(node))) {
        fail_expected(in, key, node,
                      node->kind == TREE_MAP    ? "is a map"
                      : node->kind == TREE_LIST ? "is a list"
                                                : "has no value");
        return;
    }
    if (node)
        v->text = node->text;
    if (!v->text)
        return;
    v->word = find_word(key, v->text);
    if (v->word)
        return;
    if (id == KEY_interaction_kernel && cli_is_pipeline(v->text))
        return;
    if (id == KEY_external_kind && keys_is_plugin(v->text))
        return;
    if (key->kind == KEYS_WORD)
        fail_word(in, key, v->text, node);
    else if (key->kind == KEYS_INTEGER)
        take_integer(in, key, v, node);
    else if (key->kind == KEYS_NUMBER)
        take_number(in, key, v, node);
    else if (key->kind == KEYS_UNIT)
        take_unit(in, key, v, node);
    else if (key->kind == KEYS_VECTOR && id != KEY_particles_velocity)
        fail_expected(in, key, node, "is not a list of three values");
    else if (!*v->text || ((key->kind == KEYS_WORDS || key->kind == KEYS_VECTOR) && strpbrk(v->text, " \t\n")))
        fail_expected(in, key, node, *v->text ? "is not a list" : "is empty");
    else if (key->kind == KEYS_FILE)
        v->text = input_find_file(in, v);
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

void input_take_section(input *in, const char *section, const tree_node *node)
{
    for (int id = 0; id < KEYS; id++)
        if (strcmp(keys_at((key_id)id)->section, section) == 0)
            input_take(in, (key_id)id, node ? tree_find(node, keys_at((key_id)id)->name) : NULL);
}

const tree_node *input_find_section(input *in, const char *name, tree_kind kind)
{
    const tree_node *node = tree_find(in->tree->root, name);
    if (!node || (node->kind == TREE_SCALAR && is_empty(node)))
        return NULL;
    if (node->kind == kind)
        return node;
    if (kind == TREE_LIST)
        tree_fail_value(in->tree, node, "'%s' is not a list; expected entries such as '- %s'", name,
                        strcmp(name, "external") == 0  ? "kind: point_mass"
                        : strcmp(name, "species") == 0 ? "name: Ar"
                                                       : "first: Ar");
    else
        tree_fail_value(in->tree, node, "'%s' is not a section; expected a map of keys and values", name);
    return NULL;
}

/* Keys of a section without parameters that are not in the table. */
static void refuse_unknown(input *in, const char *section, const tree_node *node)
{
    for (const tree_node *n = node ? node->first : NULL; n; n = n->next) {
        if (keys_find(section, n->key))
            continue;
        const char *near = keys_nearest(section, NULL, n->key);
        tree_fail_key(in->tree, n, "'%s' has no key '%.60s'; 'myriad explain %s' lists the keys%s%s%s", section, n->key,
                      section, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

static void refuse_unknown_sections(input *in)
{
    for (const tree_node *n = in->tree->root->first; n; n = n->next) {
        int k = 0;
        while (keys_section_name(k) && strcmp(keys_section_name(k), n->key) != 0)
            k++;
        if (keys_section_name(k))
            continue;
        const char *near = myr_nearest(n->key, keys_section_name);
        tree_fail_key(in->tree, n,
                      "there is no section '%.60s'; expected units, particles, box, species, pairs, interaction, "
                      "integrator, barostat, restraint, minimise, elements, tracers, probes, external, run, output, "
                      "observables, backend, replicas or sweep%s%s%s",
                      n->key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
}

/* What all other numbers depend on. */
static void take_units(input *in)
{
    const tree_node *node = input_find_section(in, "units", TREE_MAP);
    char message[UNITS_MESSAGE];
    const int errors = in->tree->errors;
    input_take_section(in, "units", node);
    refuse_unknown(in, "units", node);
    const units_choice choice = {
        .length = in->value[KEY_units_length].text,
        .mass = in->value[KEY_units_mass].text,
        .time = in->value[KEY_units_time].text,
        .velocity = in->value[KEY_units_velocity].text,
        .energy = in->value[KEY_units_energy].text,
    };
    const char *name = in->value[KEY_units_system].word;
    if (in->tree->errors != errors || units_system_make(name ? name : "nbody", &choice, &in->units, message)) {
        if (in->tree->errors == errors)
            tree_fail_value(in->tree, node, "%s", message);
        const units_choice none = {0};
        units_system_make("si", &none, &in->units, message); /* so that the rest can still be checked */
    }
}

/* The kernel that 'auto' and the softening come to; null = none. */
static const char *resolve_kernel(input *in)
{
    const char *word = in->value[KEY_interaction_kernel].word;
    const char *own = input_take_pipeline(in);
    if (own)
        return own;
    if (!word || strcmp(word, "none") == 0 ||
        (strcmp(word, "auto") == 0 && input_is(in, KEY_interaction_method, KEYS_SPECTRAL)))
        return NULL;
    const myr_integrator_info *integrator = in->integrator.name ? myr_integrator_find(in->integrator.name) : NULL;
    if (strcmp(word, "auto") == 0 && input_is_molecular(in))
        word = input_is_molecule(in) ? "ljc_constant" : "lennard_jones";
    else if (strcmp(word, "auto") == 0)
        word = integrator && integrator->needs_jerk ? "gravity_jerk" : "gravity";
    const char *softening = in->value[KEY_interaction_softening].word;
    char spline[64];
    snprintf(spline, sizeof spline, "%s_spline", word);
    const myr_kernel_info *kernel = softening && strcmp(softening, "spline") == 0 ? myr_kernel_find(spline) : NULL;
    if (!kernel)
        kernel = myr_kernel_find(word);
    return kernel ? kernel->name : NULL;
}

static void take_externals(input *in)
{
    const tree_node *list = input_find_section(in, "external", TREE_LIST);
    for (const tree_node *n = list ? list->first : NULL; n; n = n->next) {
        if (n->kind != TREE_MAP) {
            tree_fail_value(in->tree, n,
                            "an entry of 'external' is not a map; expected for example 'kind: point_mass'");
            continue;
        }
        if (in->externals == INPUT_EXTERNALS) {
            tree_fail_value(in->tree, n, "too many external fields; expected at most %d", INPUT_EXTERNALS);
            return;
        }
        input_take_section(in, "external", n);
        input_member *member = &in->external[in->externals++];
        const input_value *kind = &in->value[KEY_external_kind];
        member->name = kind->word || !kind->text || !keys_is_plugin(kind->text) ? kind->word : kind->text;
        member->node = n;
        if (!in->value[KEY_external_kind].node)
            tree_fail_value(in->tree, n, "the field has no 'kind'; 'myriad explain external.kind' lists them");
        input_take_parameters(in, KEYS_OF_EXTERNAL, member, n);
    }
    in->value[KEY_external_kind] = (input_value){0}; /* each entry has its own */
}

/* The first key of a section. */
static key_id first_key(const char *section)
{
    int id = 0;
    while (id < KEYS && strcmp(keys_at((key_id)id)->section, section) != 0)
        id++;
    return (key_id)id;
}

/* A section that is a list of maps of keys. */
static void take_list(input *in, const char *section, input_list *list)
{
    const tree_node *node = input_find_section(in, section, TREE_LIST);
    const key_id first = first_key(section);
    for (const tree_node *n = node ? node->first : NULL; n; n = n->next) {
        if (n->kind != TREE_MAP) {
            tree_fail_value(in->tree, n, "an entry of '%s' is not a map; 'myriad explain %s' lists its keys", section,
                            section);
            continue;
        }
        if (list->count == INPUT_ENTRIES) {
            tree_fail_value(in->tree, n, "too many entries of '%s'; expected at most %d", section, INPUT_ENTRIES);
            return;
        }
        input_take_section(in, section, n);
        refuse_unknown(in, section, n);
        input_entry *entry = &list->entry[list->count++];
        entry->node = n;
        for (int k = 0; k < INPUT_ENTRY_KEYS && strcmp(keys_at((key_id)(first + k))->section, section) == 0; k++) {
            entry->value[k] = in->value[first + k];
            in->value[first + k] = (input_value){0}; /* each entry has its own */
            if (!entry->value[k].text && !entry->value[k].node)
                tree_fail_value(in->tree, n, "an entry of '%s' has no '%s'; expected it", section,
                                keys_at((key_id)(first + k))->name);
        }
    }
}

const input_list *input_list_of(const input *in, const char *section)
{
    return strcmp(section, "species") == 0 ? &in->species
           : strcmp(section, "pairs") == 0 ? &in->pairs
           : strcmp(section, "walls") == 0 ? &in->walls
                                           : NULL;
}

const input_value *input_entry_of(const input_entry *entry, key_id id)
{
    return &entry->value[id - first_key(keys_at(id)->section)];
}

/* Whether the kernel that an input names acts between particles in a box, by parameters per pair of types; 'auto' is
 * Lennard-Jones there. Other kernels act within their cutoff in open space, and those of users in a box if there is
 * one. */
static int kernel_is_molecular(const input *in)
{
    const char *name = in->value[KEY_interaction_kernel].text;
    const myr_kernel_info *kernel = name ? myr_kernel_find(name) : NULL;
    if (!kernel && name && cli_is_pipeline(name))
        return in->value[KEY_box_x].node || in->value[KEY_box_y].node || in->value[KEY_box_z].node;
    return !kernel || kernel->pair[0];
}

int input_is_molecular(const input *in)
{
    return (input_is(in, KEY_interaction_method, "neighbour") && kernel_is_molecular(in)) || input_is_molecule(in);
}

int input_has_formula(const input *in)
{
    const char *name = in->value[KEY_interaction_kernel].text;
    return input_is_molecular(in) && !input_is_molecule(in) && name && cli_is_pipeline(name);
}

int input_has_charges(const input *in)
{
    return input_is_molecular(in) && !input_is_molecule(in) && input_is(in, KEY_interaction_coulomb, "mesh");
}

int input_is_periodic(const input *in)
{
    int edges = 0;
    for (int id = KEY_box_x; id <= KEY_box_z; id++)
        edges |= in->value[id].node && !in->value[id].word;
    return edges && !input_is_molecular(in);
}

int input_is_molecule(const input *in)
{
    return in->value[KEY_particles_topology].text != NULL;
}

int input_is_divided(const input *in)
{
    return input_is_molecular(in) && !input_is_molecule(in);
}

int input_is_elements(const input *in)
{
    const myr_kernel_info *kernel = input_kernel(in);
    for (int k = 0; kernel && k < 8 && kernel->output[k].name; k++)
        if (strcmp(kernel->output[k].name, "velocity") == 0)
            return 1;
    return 0;
}

static void take_integrator(input *in)
{
    const tree_node *node = input_find_section(in, "integrator", TREE_MAP);
    input_take_section(in, "integrator", node);
    if (input_is_molecular(in) && !in->value[KEY_integrator_name].node)
        input_settle(in, KEY_integrator_name, "verlet");
    in->integrator.name = in->value[KEY_integrator_name].word;
    in->integrator.node = in->value[KEY_integrator_name].node;
    input_take_parameters(in, KEYS_OF_INTEGRATOR, &in->integrator, node);
}

static void take_all(input *in)
{
    refuse_unknown_sections(in);
    take_units(in);
    static const char *const plain[] = {"box",     "barostat", "restraint", "solvent", "minimise",    "elements",
                                        "tracers", "probes",   "run",       "output",  "observables", "backend"};
    for (size_t k = 0; k < sizeof plain / sizeof plain[0]; k++) {
        const tree_node *node = input_find_section(in, plain[k], TREE_MAP);
        input_take_section(in, plain[k], node);
        refuse_unknown(in, plain[k], node);
    }
    input_take_sets(in);
    take_list(in, "species", &in->species);
    take_list(in, "pairs", &in->pairs);
    take_list(in, "walls", &in->walls);
    const tree_node *node = input_find_section(in, "interaction", TREE_MAP);
    input_take_section(in, "interaction", node);
    take_integrator(in); /* which one it is may depend on the method, and the kernel on it */
    if (input_has_formula(in) && !in->value[KEY_interaction_cut].node)
        input_settle(in, KEY_interaction_cut, "truncated");
    in->kernel.name = resolve_kernel(in);
    in->kernel.node = in->value[KEY_interaction_kernel].node;
    input_take_parameters(in, KEYS_OF_KERNEL, &in->kernel, node);

    take_externals(in);
    input_check(in);
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static input *input_create(const char *name)
{
    input *in = calloc(1, sizeof *in);
    if (in && !(in->tree = tree_create(name))) {
        free(in);
        in = NULL;
    }
    return in;
}

static void input_finish(input *in, const args_list *set, int64_t number)
{
    for (int k = 0; set && k < set->count; k++)
        tree_set(in->tree, set->item[k]);
    input_take_sweep(in, number);
    take_all(in);
}

input *input_from_bytes(const char *name, const char *bytes, size_t size, const args_list *set)
{
    return input_from_checkpoint(name, bytes, size, set, NULL);
}

input *input_from_checkpoint(const char *name, const char *bytes, size_t size, const args_list *set,
                             const char *kernel_text)
{
    input *in = input_create(name);
    if (in)
        in->kernel_text = kernel_text;
    if (in && !tree_parse(in->tree, bytes, size))
        input_finish(in, set, 0);
    return in;
}

input *input_from_nothing(const char *name, const args_list *set)
{
    input *in = input_create(name);
    if (in)
        input_finish(in, set, 0);
    return in;
}

int input_load(const char *path, const args_list *set, input **result)
{
    return input_load_run(path, set, 0, result);
}

int input_load_run(const char *path, const args_list *set, int64_t number, input **result)
{
    input *in = input_create(path);
    if (!in)
        return cli_fail(CLI_FAILED, "no memory");
    if (!tree_can_parse()) {
        input_destroy(&in);
        return cli_fail(CLI_FAILED, "this build of myriad cannot read input files: it was made without libfyaml");
    }
    if (!tree_load(in->tree, path))
        input_finish(in, set, number);
    if (in->tree->errors == 0) {
        *result = in;
        return CLI_OK;
    }
    tree_report(in->tree);
    input_destroy(&in);
    return CLI_USAGE;
}

void input_destroy(input **in)
{
    if (!*in)
        return;
    tree_destroy(&(*in)->tree);
    myr_context_destroy(&(*in)->kernels);
    free(*in);
    *in = NULL;
}

const input_value *input_of(const input *in, key_id id)
{
    return &in->value[id];
}

int input_is(const input *in, key_id id, const char *word)
{
    return in->value[id].word && strcmp(in->value[id].word, word) == 0;
}

int input_settle(input *in, key_id id, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text)
        return cli_fail(CLI_FAILED, "the value of %s.%s is too long", keys_at(id)->section, keys_at(id)->name);
    tree_node *node = tree_new(in->tree, TREE_SCALAR, 0, 0);
    if (!node || !(node->text = tree_copy(in->tree, text, (size_t)length)))
        return cli_fail(CLI_FAILED, "no memory");
    node->origin = "automatic choice";
    input_take(in, id, node);
    return CLI_OK;
}
