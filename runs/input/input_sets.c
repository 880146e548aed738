/* input_sets.c - the section particles: one set of particles, or a list of sets. A set is a model or a file, with its
 * place, motion and type. Code that makes one set sees its keys as those of the section (input_use_set). */
#include <stdio.h>
#include <string.h>

#include "input/input.h"

/* Keys of the section, which are consecutive in keys.def. */
enum { FIRST = KEY_particles_model, LAST = KEY_particles_field_overlap, COUNT = LAST - FIRST + 1 };
_Static_assert((int)COUNT <= (int)INPUT_SET_KEYS, "a set has room for all keys of the section");

static void take_set(input *in, const tree_node *node)
{
    input_take_section(in, "particles", node);
    in->model =
        (input_member){.name = in->value[KEY_particles_model].word, .node = in->value[KEY_particles_model].node};
    input_take_parameters(in, KEYS_OF_MODEL, &in->model, node);
}

/* Keys that say something about all particles. */
static void refuse_alone(input *in)
{
    static const key_id alone[] = {KEY_particles_thermal,   KEY_particles_topology,   KEY_particles_table,
                                   KEY_particles_vorticity, KEY_particles_field_edge, KEY_particles_field_overlap};
    for (size_t k = 0; k < sizeof alone / sizeof alone[0]; k++) {
        const input_value *v = input_of(in, alone[k]);
        const char *usual = keys_at(alone[k])->fallback;
        if (v->node && v->text && !(usual && strcmp(v->text, usual) == 0))
            tree_fail_value(in->tree, v->node, "particles.%s does not go with a list of particles; leave it out",
                            keys_at(alone[k])->name);
    }
    const input_value *velocity = input_of(in, KEY_particles_velocity);
    if (velocity->text && !velocity->word && !velocity->is_vector)
        tree_fail_value(in->tree, velocity->node, "particles.velocity is not a list of three velocities; expected it");
}

static void keep_set(input *in, const tree_node *node)
{
    input_set *set = &in->set[in->sets++];
    if (!in->value[KEY_particles_seed].node)
        input_settle(in, KEY_particles_seed, "%d", in->sets);
    set->node = node;
    memcpy(set->value, &in->value[FIRST], sizeof in->value[0] * COUNT);
    set->model = in->model;
}

/* The defaults; negative masses of one set must be allowed by the interaction. */
static void use_no_set(input *in)
{
    int negative = 0;
    for (int k = 0; k < in->sets; k++) {
        const char *word = in->set[k].value[KEY_particles_negative_masses - FIRST].word;
        negative |= word && strcmp(word, "true") == 0;
    }
    take_set(in, NULL);
    if (negative)
        input_settle(in, KEY_particles_negative_masses, "true");
}

void input_use_set(input *in, int k)
{
    if (k < 0) {
        use_no_set(in);
        return;
    }
    memcpy(&in->value[FIRST], in->set[k].value, sizeof in->value[0] * COUNT);
    in->model = in->set[k].model;
}

void input_take_sets(input *in)
{
    const tree_node *section = tree_find(in->tree->root, "particles");
    if (!section || section->kind != TREE_LIST) {
        section = input_find_section(in, "particles", TREE_MAP);
        take_set(in, section);
        return;
    }
    for (const tree_node *n = section->first; n; n = n->next) {
        if (n->kind != TREE_MAP) {
            tree_fail_value(in->tree, n,
                            "an entry of 'particles' is not a map; expected 'model' or 'file' with its keys");
            continue;
        }
        if (in->sets == INPUT_SETS) {
            tree_fail_value(in->tree, n, "too many entries of 'particles'; expected at most %d", INPUT_SETS);
            break;
        }
        take_set(in, n);
        refuse_alone(in);
        input_check_set(in, n);
        keep_set(in, n);
    }
    if (!section->first)
        tree_fail_value(in->tree, section, "'particles' is an empty list; expected entries such as '- model: plummer'");
    use_no_set(in);
}

const char *input_source(const input *in, char text[INPUT_SOURCE])
{
    size_t used = 0;
    *text = 0;
    for (int k = 0; k < (in->sets ? in->sets : 1) && used < INPUT_SOURCE; k++) {
        const char *model = in->sets ? in->set[k].model.name : in->model.name;
        const char *file =
            in->sets ? in->set[k].value[KEY_particles_file - FIRST].text : input_of(in, KEY_particles_file)->text;
        used += (size_t)snprintf(text + used, INPUT_SOURCE - used, "%s%s", k ? " + " : "",
                                 model  ? model
                                 : file ? file
                                        : "none");
    }
    return text;
}
