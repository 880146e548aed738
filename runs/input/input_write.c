/* input_write.c - the effective input: every key with its value, given or default, as a file that can be run again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "input/input.h"

enum { VALUE_WIDTH = 30 };

/* Whether YAML reads the text as a scalar without quotes. */
static int is_plain(const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/^ ";
    const size_t length = strlen(text);
    return length > 0 && strspn(text, safe) == length && text[0] != ' ' && text[length - 1] != ' ' &&
           !(text[0] == '-' && (text[1] == ' ' || text[1] == '-' || !text[1])) && strcmp(text, "null") != 0;
}

/* Gives the number of characters. */
static int write_scalar(FILE *out, const char *text)
{
    if (is_plain(text))
        return fprintf(out, "%s", text);
    int length = fprintf(out, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            length += fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            length += fprintf(out, "\\x%02x", c);
        else
            length += fprintf(out, "%c", c);
    }
    return length + fprintf(out, "\"");
}

/* The shortest text that reads back as the same number. */
static void number_text(double value, char text[40])
{
    for (int digits = 6; digits <= 17; digits++) {
        double back = 0;
        snprintf(text, 40, "%.*g", digits, value);
        if (sscanf(text, "%lf", &back) == 1 && back == value)
            return;
    }
}

static void write_comment(FILE *out, int used, const char *comment)
{
    if (comment && *comment)
        fprintf(out, "%*s # %s", used < VALUE_WIDTH ? VALUE_WIDTH - used : 0, "", comment);
    fprintf(out, "\n");
}

/* "pc/Myr" where a bare number of the dimension has a unit; "" otherwise, and for text that says its own. */
static const char *unit_comment(const input *in, units_dimension dimension, const char *text, char label[UNITS_MESSAGE])
{
    label[0] = 0;
    units_quantity q;
    if (text && (units_read(text, &q, label) || q.has_unit))
        return "";
    return units_label(&in->units, dimension, label);
}

/* A list of words that `between` separates in the text. */
static void write_words(FILE *out, const char *words, const char *between)
{
    fprintf(out, "[");
    for (const char *begin = words; *begin;) {
        char word[256];
        const size_t length = strcspn(begin, between);
        snprintf(word, sizeof word, "%.*s", (int)length, begin);
        write_scalar(out, word);
        begin += length;
        if (*begin) {
            fprintf(out, ", ");
            begin++;
        }
    }
    fprintf(out, "]");
}

/* Keys of vortex elements or of particles in a box say nothing elsewhere, but for the edges of a box whose images act.
 */
static int is_told(const input *in, key_id id)
{
    if (id >= KEY_replicas_n) /* a run is one of a sweep */
        return 0;
    if (keys_is_of_elements(id))
        return input_is_elements(in);
    if (id >= KEY_solvent_model && id <= KEY_solvent_surface)
        return input_is_molecule(in);
    return !keys_is_molecular(id) || input_is_molecular(in) ||
           (input_is_periodic(in) && id >= KEY_box_x && id <= KEY_box_z);
}

/* One key with its value, after `lead`; 0 where it has nothing to say. */
static int write_key(const input *in, key_id id, const input_value *v, const char *lead, FILE *out)
{
    const key_info *key = keys_at(id);
    char label[UNITS_MESSAGE];
    if (!v->text || !is_told(in, id) || input_is_parameter(in, id))
        return 0;
    int used = fprintf(out, "%s%s: ", lead, key->name);
    const int is_list = key->kind == KEYS_WORDS || key->kind == KEYS_MAP || key->kind == KEYS_VECTOR;
    if (is_list && !v->word)
        write_words(out, v->text, key->kind == KEYS_MAP || v->is_vector ? "\n" : " ");
    else
        used += write_scalar(out, v->text);
    write_comment(out, used, key->kind == KEYS_NUMBER ? unit_comment(in, key->dimension, v->text, label) : "");
    return 1;
}

static void write_parameters(const input *in, const input_member *member, FILE *out, const char *indent)
{
    for (int k = 0; k < member->count; k++) {
        const input_parameter *p = &member->parameter[k];
        char text[40], label[UNITS_MESSAGE];
        int used = fprintf(out, "%s%s: ", indent, p->name);
        if (p->text || p->word) {
            used += write_scalar(out, p->text ? p->text : p->word);
        } else {
            number_text(p->value / units_bare(&in->units, p->dimension), text);
            used += fprintf(out, "%s", text);
        }
        write_comment(out, used, p->word ? "" : unit_comment(in, p->dimension, p->text, label));
    }
}

/* A list of maps of keys. */
static void write_list(const input *in, const char *section, const input_list *list, FILE *out)
{
    if (!input_is_molecular(in))
        return;
    fprintf(out, list->count ? "%s:\n" : "%s: []\n", section);
    for (int e = 0; e < list->count; e++) {
        const char *lead = "  - ";
        for (int id = 0; id < KEYS; id++) {
            if (strcmp(keys_at((key_id)id)->section, section) != 0)
                continue;
            const input_value *v = input_entry_of(&list->entry[e], (key_id)id);
            char label[UNITS_MESSAGE];
            int used = fprintf(out, "%s%s: ", lead, keys_at((key_id)id)->name);
            used += write_scalar(out, v->text);
            write_comment(out, used,
                          keys_at((key_id)id)->kind == KEYS_NUMBER
                              ? unit_comment(in, keys_at((key_id)id)->dimension, v->text, label)
                              : "");
            lead = "    ";
        }
    }
}

/* Whether a section has nothing to say here. */
static int is_silent(const input *in, const char *section)
{
    for (int id = 0; id < KEYS; id++)
        if (strcmp(keys_at((key_id)id)->section, section) == 0 && is_told(in, (key_id)id))
            return 0;
    return 1;
}

static const input_member *member_of(const input *in, keys_owner owner)
{
    return owner == KEYS_OF_MODEL        ? &in->model
           : owner == KEYS_OF_KERNEL     ? &in->kernel
           : owner == KEYS_OF_INTEGRATOR ? &in->integrator
                                         : NULL;
}

static void write_externals(const input *in, FILE *out)
{
    if (in->externals == 0)
        fprintf(out, "external: []\n");
    else
        fprintf(out, "external:\n");
    for (int k = 0; k < in->externals; k++) {
        fprintf(out, "  - kind: ");
        write_scalar(out, in->external[k].name);
        fprintf(out, "\n");
        write_parameters(in, &in->external[k], out, "    ");
    }
}

/* The section particles where it is a list. */
static void write_sets(const input *in, FILE *out)
{
    fprintf(out, "particles:\n");
    for (int k = 0; k < in->sets; k++) {
        const input_set *set = &in->set[k];
        const char *lead = "  - ";
        for (int id = KEY_particles_model; id <= KEY_particles_field_overlap; id++)
            if (write_key(in, (key_id)id, &set->value[id - KEY_particles_model], lead, out))
                lead = "    ";
        write_parameters(in, &set->model, out, "    ");
    }
}

void input_write(const input *in, FILE *out)
{
    for (int s = 0; keys_section_name(s); s++) {
        const char *section = keys_section_name(s);
        const keys_owner owner = keys_owner_of(section);
        if (owner == KEYS_OF_EXTERNAL) {
            write_externals(in, out);
            continue;
        }
        if (input_list_of(in, section)) {
            write_list(in, section, input_list_of(in, section), out);
            continue;
        }
        if (owner == KEYS_OF_MODEL && in->sets) {
            write_sets(in, out);
            continue;
        }
        if (is_silent(in, section))
            continue;
        fprintf(out, "%s:\n", section);
        for (int id = 0; id < KEYS; id++)
            if (strcmp(keys_at((key_id)id)->section, section) == 0)
                write_key(in, (key_id)id, input_of(in, (key_id)id), "  ", out);
        if (owner != KEYS_OWNERS && member_of(in, owner))
            write_parameters(in, member_of(in, owner), out, "  ");
    }
}
