/* input_sweep.c - the section sweep: keys with the values that they have in many runs of one file. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "whole_number.h"

#define RUNS_MOST 1000000000000000.0 /* 1e15: products of axes stay whole numbers */

static const char range_dots[] = "..", range_step[] = " step ";

/* Whether a text is FIRST..LAST or FIRST..LAST step STEP; `wrong` becomes what is wrong with one. */
static int read_range(const char *text, int64_t *first, int64_t *step, int64_t *count, const char **wrong)
{
    char part[3][32] = {"", "", "1"};
    const char *dots = strstr(text, range_dots), *by = strstr(text, range_step);
    *wrong = NULL;
    if (!dots || strlen(text) > 90)
        return 0;
    const char *end = by ? by : text + strlen(text);
    if (dots - text > 30 || end - dots > 30 || end < dots + 2)
        return 0;
    snprintf(part[0], sizeof part[0], "%.*s", (int)(dots - text), text);
    snprintf(part[1], sizeof part[1], "%.*s", (int)(end - dots - 2), dots + 2);
    if (by)
        snprintf(part[2], sizeof part[2], "%.30s", by + sizeof range_step - 1);
    int64_t last;
    if (whole_number_read(part[0], first) || whole_number_read(part[1], &last) || whole_number_read(part[2], step)) {
        /* a path such as ../file is a value, and 0.1..0.5 a range that was meant */
        if (part[0][0] && strspn(text, "0123456789.+-eE") == strlen(text))
            *wrong = "is a range of numbers that are not whole; expected a list of them";
        return *wrong != NULL;
    }
    if (*step < 1)
        *wrong = "has a step below 1";
    else if (last < *first)
        *wrong = "is a range that ends before it begins; expected the smaller number first";
    else if ((double)last - (double)*first > RUNS_MOST)
        *wrong = "is a range of too many numbers";
    else
        *count = (last - *first) / *step + 1;
    return 1;
}

/* The values of a key from its node. */
static void take_values(input *in, input_swept *s)
{
    const tree_node *node = s->node;
    const char *wrong = NULL;
    s->first_of = node;
    s->count = 1;
    if (node->kind == TREE_SCALAR && read_range(node->text, &s->first, &s->step, &s->count, &wrong)) {
        s->first_of = NULL;
        if (wrong)
            tree_fail_value(in->tree, node, "sweep: %.60s %s", s->key, wrong);
        return;
    }
    if (node->kind == TREE_SCALAR && *node->text)
        return;
    if (node->kind != TREE_LIST || !node->first) {
        tree_fail_value(in->tree, node,
                        "sweep: %.60s has no values; expected a list as in [0.01, 0.02] or a range 1..64", s->key);
        return;
    }
    s->first_of = node->first;
    s->count = 0;
    for (const tree_node *n = node->first; n; n = n->next)
        s->count++;
}

static int is_swept_already(const input_sweep *sweep, const char *key)
{
    for (int k = 0; k < sweep->keys; k++)
        if (strcmp(sweep->key[k].key, key) == 0)
            return 1;
    return 0;
}

/* Adds a key; null with an error where that cannot be. */
static input_swept *add_key(input *in, const char *key, const tree_node *node, int axis)
{
    input_sweep *sweep = in->sweep;
    if (strcmp(key, "output.directory") == 0)
        tree_fail_key(in->tree, node, "sweep: output.directory cannot be swept: each run has its own directory in it");
    else if (strlen(key) > 120)
        tree_fail_key(in->tree, node, "sweep: the name of a key is too long");
    else if (sweep->keys == INPUT_SWEPT)
        tree_fail_key(in->tree, node, "sweep: too many keys; expected at most %d", INPUT_SWEPT);
    else if (is_swept_already(sweep, key))
        tree_fail_key(in->tree, node, "sweep: %.60s is swept twice, by its own list and by replicas", key);
    else {
        sweep->key[sweep->keys] = (input_swept){.key = key, .node = node, .axis = axis, .count = 1};
        return &sweep->key[sweep->keys++];
    }
    return NULL;
}

/* --- replicas ----------------------------------------------------------------------------------------------------- */

/* Where the input says how many replicas there are. */
static const tree_node *replicas_node(const input *in)
{
    const tree_node *own = tree_find(in->tree->root, "replicas");
    return own ? own : tree_find(tree_find(in->tree->root, "sweep"), "replicas");
}

/* Adds a seed that begins with the one that the map has; `fallback` where it has none. */
static int add_seed(input *in, const tree_node *map, const char *key, int64_t fallback, int64_t step, int64_t replicas,
                    int axis)
{
    const tree_node *given = tree_find(map, "seed"), *node = replicas_node(in);
    const char *copy = tree_copy(in->tree, key, strlen(key));
    input_swept *s = copy ? add_key(in, copy, node, axis) : NULL;
    if (!s)
        return 0;
    if (!given || given->kind != TREE_SCALAR || whole_number_read(given->text, &s->first))
        s->first = fallback;
    s->step = step;
    s->count = replicas;
    return 1;
}

static int has(const tree_node *map, const char *key)
{
    return tree_find(map, key) != NULL;
}

/* All seeds that the input uses change together. Sets of particles in a list never share one, in no two replicas. */
static void take_replicas(input *in, int64_t replicas, int axis)
{
    const tree_node *particles = tree_find(in->tree->root, "particles"),
                    *interaction = tree_find(in->tree->root, "interaction"), *method = tree_find(interaction, "method");
    int found = 0, entries = 0;
    if (particles && particles->kind == TREE_MAP && (has(particles, "model") || has(particles, "thermal")))
        found += add_seed(in, particles, "particles.seed", 1, 1, replicas, axis);
    for (const tree_node *n = particles && particles->kind == TREE_LIST ? particles->first : NULL; n; n = n->next)
        entries++;
    int e = 0;
    for (const tree_node *n = entries ? particles->first : NULL; n; n = n->next, e++) {
        char key[48];
        snprintf(key, sizeof key, "particles.%d.seed", e);
        if (has(n, "model"))
            found += add_seed(in, n, key, e + 1, entries, replicas, axis);
    }
    if (has(particles, "topology") || (method && method->kind == TREE_SCALAR && strcmp(method->text, "neighbour") == 0))
        found += add_seed(in, tree_find(in->tree->root, "integrator"), "integrator.seed", 1, 1, replicas, axis);
    if (!found && in->tree->errors == 0)
        tree_fail_value(in->tree, replicas_node(in),
                        "the input has no random numbers that replicas could differ in; expected a model, "
                        "velocities by particles.thermal, or a thermostat");
}

/* --- the section -------------------------------------------------------------------------------------------------- */

/* The key that a name without its section stands for, as it has to be written; null if there is none like it. */
static const char *full_name(const char *name)
{
    for (int k = 0; keys_full_name(k); k++)
        if (strcmp(strchr(keys_full_name(k), '.') + 1, name) == 0)
            return keys_full_name(k);
    return myr_nearest(name, keys_full_name);
}

/* Keys without a dot are those of the section itself. */
static void take_keys(input *in, const tree_node *section)
{
    const int zipped = input_is(in, KEY_sweep_combine, "zip");
    const input_swept *before = NULL;
    for (const tree_node *n = section->first; n; n = n->next) {
        if (keys_find("sweep", n->key))
            continue;
        if (!strchr(n->key, '.')) {
            const char *near = full_name(n->key);
            tree_fail_key(in->tree, n, "sweep: '%.60s' is not a key with its section, as in interaction.eps%s%s%s",
                          n->key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            continue;
        }
        input_swept *s = add_key(in, n->key, n, zipped ? 0 : in->sweep->axes);
        if (!s)
            continue;
        take_values(in, s);
        if (zipped && before && before->count != s->count)
            tree_fail_key(in->tree, n,
                          "sweep: %.60s has %" PRId64 " value%s, and %.60s has %" PRId64
                          "; lists that are zipped are equally long",
                          s->key, s->count, myr_plural(s->count), before->key, before->count);
        if (!zipped || !before)
            in->sweep->axis[in->sweep->axes++] = s->count;
        before = s;
    }
}

/* How many runs there are. */
static void count_runs(input *in, const tree_node *section)
{
    double runs = 1;
    in->sweep->runs = 1;
    for (int a = 0; a < in->sweep->axes && runs <= RUNS_MOST; a++) {
        runs *= (double)in->sweep->axis[a];
        in->sweep->runs = runs <= RUNS_MOST ? in->sweep->runs * in->sweep->axis[a] : 1;
    }
    if (runs > RUNS_MOST)
        tree_fail_value(in->tree, section, "sweep: %.3g runs are too many", runs);
}

/* Gives each key its value of a run, at the place of the value in the file. */
static void put_values(input *in, int64_t number)
{
    for (int k = 0; k < in->sweep->keys; k++) {
        const input_swept *s = &in->sweep->key[k];
        char text[INPUT_SWEPT_TEXT];
        const tree_node *value = s->first_of;
        int64_t at = number;
        for (int a = in->sweep->axes - 1; a > s->axis; a--)
            at /= in->sweep->axis[a];
        at %= in->sweep->axis[s->axis];
        tree_node whole = {.kind = TREE_SCALAR, .line = s->node->line, .column = s->node->column};
        for (; value && s->count > 1 && at > 0; at--)
            value = value->next;
        tree_node here = value ? *value : whole;
        if (!value) {
            input_swept_text(in->sweep, k, number, text);
            here.text = tree_copy(in->tree, text, strlen(text));
        }
        here.key_line = s->node->key_line;
        here.key_column = s->node->key_column;
        if (here.kind != TREE_SCALAR || here.text)
            tree_put(in->tree, s->key, &here);
    }
}

/* A key that the command line sets has one value. */
static void refuse_set(input *in)
{
    for (int k = 0; k < in->sweep->keys; k++) {
        const char *key = in->sweep->key[k].key, *dot = strchr(key, '.');
        char section[64];
        snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
        const tree_node *given = tree_find(tree_find(in->tree->root, section), dot + 1);
        if (given && given->origin && strncmp(given->origin, "--set", 5) == 0)
            tree_fail_key(in->tree, in->sweep->key[k].node, "sweep: %.60s is swept, and set on the command line", key);
    }
}

/* --- the section replicas ----------------------------------------------------------------------------------------- */

/* A key with a value for each replica; *n becomes their number, or is compared with it where it is known. */
static void take_each(input *in, const tree_node *section, const char *name, const char *key, int64_t *n)
{
    const tree_node *node = tree_find(section, name);
    if (!node || (node->kind == TREE_SCALAR && strcmp(node->text, "auto") == 0))
        return;
    input_swept *s = add_key(in, key, node, 0);
    if (!s)
        return;
    take_values(in, s);
    if (*n > 0 && s->count != *n)
        tree_fail_key(in->tree, node, "replicas: %s has %" PRId64 " value%s, for %" PRId64 " replica%s", name, s->count,
                      myr_plural(s->count), *n, myr_plural(*n));
    *n = s->count;
}

static void take_exchange(input *in, const tree_node *section)
{
    const tree_node *node = tree_find(section, "exchange"), *every = NULL;
    if (!node || (node->kind == TREE_SCALAR && strcmp(node->text, "none") == 0))
        return;
    if (node->kind == TREE_MAP)
        every = tree_find(node, "every");
    if (!every || node->first->next || every->kind != TREE_SCALAR ||
        whole_number_read(every->text, &in->sweep->exchange) || in->sweep->exchange < 1)
        tree_fail_value(in->tree, every ? every : node,
                        "replicas: exchange is not of the form {every: N}, N steps from 1 on");
}

/* The replicas are runs of a sweep whose keys take their values together. */
static void take_together(input *in, const tree_node *section)
{
    const input_value *count = input_of(in, KEY_replicas_n);
    int64_t n = count->word || !count->text ? 0 : count->integer;
    in->sweep->together = 1;
    in->sweep->axes = 1;
    for (const tree_node *k = section->first; k; k = k->next)
        if (!keys_find("replicas", k->key))
            tree_fail_key(in->tree, k, "'replicas' has no key '%.60s'; expected n, seeds, temperatures or exchange",
                          k->key);
    take_each(in, section, "temperatures", "integrator.temperature", &n);
    take_each(in, section, "seeds", "integrator.seed", &n);
    take_exchange(in, section);
    if (n == 0)
        tree_fail_value(in->tree, section, "replicas: their number is missing; expected n, temperatures or seeds");
    else if (!tree_find(section, "seeds") && in->tree->errors == 0)
        take_replicas(in, n, 0);
    in->sweep->axis[0] = n;
}

void input_take_sweep(input *in, int64_t number)
{
    const tree_node *together = input_find_section(in, "replicas", TREE_MAP);
    const tree_node *section = input_find_section(in, "sweep", TREE_MAP);
    input_take_section(in, "sweep", section);
    input_take_section(in, "replicas", together);
    if (section && together)
        tree_fail_key(in->tree, together, "an input has a section replicas or a section sweep, not both");
    section = section ? section : together;
    if (!section || in->tree->errors)
        return;
    in->sweep = tree_allocate(in->tree, sizeof *in->sweep);
    if (!in->sweep) {
        tree_fail_value(in->tree, section, "sweep: no memory");
        return;
    }
    if (together)
        take_together(in, together);
    else
        take_keys(in, section);
    const input_value *replicas = input_of(in, KEY_sweep_replicas);
    if (!replicas->word && replicas->text && !in->tree->errors) {
        take_replicas(in, replicas->integer, in->sweep->axes);
        in->sweep->axis[in->sweep->axes++] = replicas->integer;
    }
    if (!in->tree->errors && in->sweep->keys == 0)
        tree_fail_value(in->tree, section, "sweep names no key; expected for example particles.seed: 1..8");
    refuse_set(in);
    count_runs(in, section);
    if (!in->tree->errors)
        put_values(in, number);
}

/* A list as it is written, cut where it is too long. */
static void list_text(const tree_node *list, char text[INPUT_SWEPT_TEXT])
{
    size_t used = (size_t)snprintf(text, INPUT_SWEPT_TEXT, "[");
    for (const tree_node *n = list->first; n && used < INPUT_SWEPT_TEXT - 1; n = n->next)
        used += (size_t)snprintf(text + used, INPUT_SWEPT_TEXT - used, "%s%s%s", n == list->first ? "" : ", ",
                                 n->kind == TREE_SCALAR ? n->text : "...", n->next ? "" : "]");
}

const char *input_swept_text(const input_sweep *sweep, int k, int64_t number, char text[INPUT_SWEPT_TEXT])
{
    const input_swept *s = &sweep->key[k];
    for (int a = sweep->axes - 1; a > s->axis; a--)
        number /= sweep->axis[a];
    number %= sweep->axis[s->axis];
    const tree_node *value = s->first_of;
    if (!value) {
        snprintf(text, INPUT_SWEPT_TEXT, "%" PRId64, s->first + number * s->step);
        return text;
    }
    for (; value->next && s->count > 1 && number > 0; number--)
        value = value->next;
    if (value->kind == TREE_LIST)
        list_text(value, text);
    else
        snprintf(text, INPUT_SWEPT_TEXT, "%s", value->kind == TREE_SCALAR ? value->text : "...");
    return text;
}

int64_t input_swept_run(const input_sweep *sweep, int k, int64_t v)
{
    for (int a = sweep->axes - 1; a > sweep->key[k].axis; a--)
        v *= sweep->axis[a];
    return v;
}
