/* keys_print.c - keys in words: for error messages, `myriad explain`, and the reference page docs/input.md. */
#include <stdio.h>
#include <string.h>

#include "input/keys.h"

enum { LINE_WIDTH = 100 };

/* Appends to a text of KEYS_EXPECTED bytes; what does not fit is cut off. */
static void append(char *text, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, KEYS_EXPECTED - used, "%s", more);
}

static void append_names(char *text, const char *(*names)(int k), const char *between)
{
    for (int k = 0; names && names(k); k++) {
        if (strlen(text) + strlen(names(k)) + 8 > KEYS_EXPECTED) {
            append(text, ", ...");
            return;
        }
        append(text, k ? between : "");
        append(text, names(k));
    }
}

/* " from 1 to 4096", " of at least 0", or nothing. */
static void append_bounds(char *text, double lower, double upper)
{
    char bounds[80] = "";
    if (lower > -1e299 && upper < 1e17)
        snprintf(bounds, sizeof bounds, " from %.10g to %.10g", lower, upper);
    else if (lower > 0 && lower < 1e-299)
        snprintf(bounds, sizeof bounds, " above 0");
    else if (lower > -1e299)
        snprintf(bounds, sizeof bounds, " of at least %.10g", lower);
    append(text, bounds);
}

/* "a number", "a length" or "an energy". */
static void append_quantity(char *text, units_dimension dimension)
{
    const char *name = dimension == UNITS_NUMBER ? "number" : units_dimension_at(dimension)->name;
    append(text, units_article(name));
    append(text, " ");
    append(text, name);
}

const char *keys_expected(const key_info *key, char text[KEYS_EXPECTED])
{
    const units_dimension_info *dimension = units_dimension_at(key->dimension);
    text[0] = 0;
    switch (key->kind) {
    case KEYS_WORD:
        append(text, "one of: ");
        append_names(text, key->names, ", ");
        return text;
    case KEYS_TEXT:
        append(text, "a text");
        break;
    case KEYS_FILE:
        append(text, "the path of a file");
        break;
    case KEYS_INTEGER:
        append(text, "a whole number");
        append_bounds(text, key->lower, key->upper);
        break;
    case KEYS_NUMBER:
        append_quantity(text, key->dimension);
        append_bounds(text, key->lower, key->upper);
        append(text, key->dimension == UNITS_NUMBER ? "" : ", for example ");
        append(text, key->dimension == UNITS_NUMBER ? "" : dimension->example);
        break;
    case KEYS_UNIT:
        append(text, "a unit of ");
        append(text, dimension->name);
        append(text, ", for example ");
        append(text, dimension->example);
        break;
    case KEYS_WORDS:
        append(text, "a list of words, [a, b]");
        break;
    case KEYS_VECTOR:
        append(text, "a list of three values, for example [");
        append(text, key->dimension == UNITS_NUMBER ? "0, 30 deg, 0" : dimension->example);
        append(text, key->dimension == UNITS_NUMBER ? "]" : ", 0, 0]");
        break;
    case KEYS_MAP:
        append(text, key->names == keys_all ? "a list of texts, [a, b]" : "a map, {a: b}");
        break;
    }
    if (key->names) {
        append(text, ", or ");
        append_names(text, key->names, " or ");
    }
    return text;
}

/* Prints text in lines of LINE_WIDTH columns, each after an indent. */
static void wrap(FILE *out, const char *indent, const char *text)
{
    while (*text) {
        size_t length = strlen(text);
        if (length > LINE_WIDTH) {
            length = LINE_WIDTH;
            while (length > 0 && text[length] != ' ')
                length--;
            if (length == 0)
                length = LINE_WIDTH;
        }
        fprintf(out, "%s%.*s\n", indent, (int)length, text);
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* --- `myriad explain` --------------------------------------------------------------------------------------------- */

static void print_members(FILE *out, const char *(*member)(int k))
{
    for (int k = 0; member && member(k); k++)
        fprintf(out, "%s%s", k ? ", " : "    ", member(k));
    fprintf(out, "\n");
}

void keys_print(FILE *out, const key_info *key)
{
    char expected[KEYS_EXPECTED];
    fprintf(out, "%s.%s\n", key->section, key->name);
    wrap(out, "    ", key->text);
    fprintf(out, "    Expected: %s.\n", keys_expected(key, expected));
    if (key->fallback)
        fprintf(out, "    Default: %s.\n", key->fallback);
    if (key->kind == KEYS_WORD && key->names && strstr(expected, "...")) {
        fprintf(out, "    All of them:\n");
        print_members(out, key->names);
    }
}

static void parameter_text(keys_owner owner, const char *member, int n, char text[KEYS_EXPECTED])
{
    const myr_parameter_info *p = keys_parameter(owner, member, n);
    const units_dimension dimension = keys_parameter_dimension(owner, member, n);
    char more[80];
    text[0] = 0;
    append_quantity(text, dimension);
    append_bounds(text, p->lower, p->upper);
    if (dimension == UNITS_GRAVITY && strcmp(p->name, "G") == 0)
        snprintf(more, sizeof more, "; default: that of the units");
    else
        snprintf(more, sizeof more, "; default: %.10g", p->value);
    append(text, more);
}

int keys_print_member(FILE *out, keys_owner owner, const char *member, const char *only)
{
    const char *section = keys_owner_at(owner)->section;
    char text[KEYS_EXPECTED];
    int printed = 0;
    for (int n = 0; keys_parameter(owner, member, n); n++) {
        const myr_parameter_info *p = keys_parameter(owner, member, n);
        if (only && strcmp(only, p->name) != 0)
            continue;
        parameter_text(owner, member, n, text);
        fprintf(out, "%s.%s (of the %s '%s')\n", section, p->name, keys_owner_at(owner)->what, member);
        wrap(out, "    ", p->text);
        fprintf(out, "    Expected: %s.\n", text);
        printed++;
    }
    for (int n = 0; keys_option(owner, member, n); n++) {
        const myr_option_info *o = keys_option(owner, member, n);
        if (only && strcmp(only, o->name) != 0)
            continue;
        fprintf(out, "%s.%s (of the %s '%s')\n", section, o->name, keys_owner_at(owner)->what, member);
        wrap(out, "    ", o->text);
        fprintf(out, "    Expected: one of:");
        for (int k = 0; o->word[k]; k++)
            fprintf(out, "%s %s", k ? "," : "", o->word[k]);
        fprintf(out, "; default: %s.\n", o->word[0]);
        printed++;
    }
    return printed;
}

static void print_units(FILE *out)
{
    fprintf(out, "\nSystems of units (units.system):\n");
    for (int k = 0; units_system_at(k); k++) {
        fprintf(out, "  %s\n", units_system_at(k)->name);
        wrap(out, "    ", units_system_at(k)->text);
    }
    fprintf(out, "\nUnits, which can be multiplied, divided and raised to powers (220 km/s, 0.1 Msun/pc^3):\n");
    for (int k = 0; units_unit_at(k); k++)
        fprintf(out, "  %-10s %s\n", units_unit_at(k)->name, units_unit_at(k)->text);
}

void keys_print_section(FILE *out, const keys_section_info *section)
{
    fprintf(out, "%s\n", section->name);
    wrap(out, "    ", section->text);
    for (int id = 0; id < KEYS; id++)
        if (strcmp(keys_at((key_id)id)->section, section->name) == 0) {
            fprintf(out, "\n");
            keys_print(out, keys_at((key_id)id));
        }
    const keys_owner owner = keys_owner_of(section->name);
    if (owner != KEYS_OWNERS)
        fprintf(out, "\nThe %ss have parameters of their own: 'myriad explain %s.NAME' lists those of one.\n",
                keys_owner_at(owner)->what, section->name);
    if (strcmp(section->name, "units") == 0)
        print_units(out);
}

const char *keys_member_text(keys_owner owner, int k)
{
    switch (owner) {
    case KEYS_OF_MODEL:
        return myr_model(k)->text;
    case KEYS_OF_KERNEL:
        return myr_kernel(k)->text;
    case KEYS_OF_INTEGRATOR:
        return myr_integrator(k)->text;
    case KEYS_OF_EXTERNAL:
        return myr_external_kind(k)->text;
    case KEYS_OWNERS:
        break;
    }
    return "";
}

/* --- the reference page ------------------------------------------------------------------------------------------- */

/* A cell of a table: no bar, no line end. */
static void cell(FILE *out, const char *text)
{
    for (; *text; text++)
        fputs(*text == '|' ? "\\|" : *text == '\n' ? " " : (const char[]){*text, 0}, out);
}

static void markdown_keys(FILE *out, const char *section)
{
    char expected[KEYS_EXPECTED];
    fprintf(out, "| key | expected | default | |\n|---|---|---|---|\n");
    for (int id = 0; id < KEYS; id++) {
        const key_info *key = keys_at((key_id)id);
        if (strcmp(key->section, section) != 0)
            continue;
        fprintf(out, "| `%s` | ", key->name);
        cell(out, keys_expected(key, expected));
        fprintf(out, " | %s%s%s | ", key->fallback ? "`" : "", key->fallback ? key->fallback : "",
                key->fallback ? "`" : "");
        cell(out, key->text);
        fprintf(out, " |\n");
    }
    fprintf(out, "\n");
}

static void markdown_member(FILE *out, keys_owner owner, const char *member)
{
    char text[KEYS_EXPECTED];
    for (int n = 0; keys_parameter(owner, member, n); n++) {
        parameter_text(owner, member, n, text);
        fprintf(out, "  - `%s`: ", keys_parameter(owner, member, n)->name);
        fprintf(out, "%s (%s)\n", keys_parameter(owner, member, n)->text, text);
    }
    for (int n = 0; keys_option(owner, member, n); n++) {
        const myr_option_info *o = keys_option(owner, member, n);
        fprintf(out, "  - `%s`: %s (", o->name, o->text);
        for (int k = 0; o->word[k]; k++)
            fprintf(out, "%s`%s`", k ? ", " : "", o->word[k]);
        fprintf(out, "; the first is the default)\n");
    }
}

static void markdown_owner(FILE *out, keys_owner owner)
{
    const keys_owner_info *o = keys_owner_at(owner);
    fprintf(out, "Parameters of the %ss:\n\n", o->what);
    for (int k = 0; o->member(k); k++) {
        fprintf(out, "- **`%s`**: %s\n", o->member(k), keys_member_text(owner, k));
        markdown_member(out, owner, o->member(k));
    }
    fprintf(out, "\n");
}

static void markdown_units(FILE *out)
{
    fprintf(out, "Systems:\n\n");
    for (int k = 0; units_system_at(k); k++)
        fprintf(out, "- **`%s`**: %s\n", units_system_at(k)->name, units_system_at(k)->text);
    fprintf(out, "\nUnits, which can be multiplied, divided and raised to powers (`220 km/s`, `0.1 Msun/pc^3`):\n\n");
    fprintf(out, "| unit | | in SI |\n|---|---|---|\n");
    for (int k = 0; units_unit_at(k); k++)
        fprintf(out, "| `%s` | %s | %.10g |\n", units_unit_at(k)->name, units_unit_at(k)->text, units_unit_at(k)->si);
    fprintf(out, "\n");
}

void keys_print_markdown(FILE *out)
{
    fprintf(out,
            "# The input file\n\n"
            "This page is made by `myriad explain --markdown` from the table that the parser uses.\n\n"
            "An input file is YAML: sections, and keys with values in them. Numbers may have units (`10 kpc`); a bare "
            "number\nis in the run's own units. `--set section.key=value` on the command line overrides the file. "
            "`myriad check FILE`\nsays what is wrong with a file and what the run will need; `myriad explain KEY` "
            "prints what stands here.\n\n");
    for (int s = 0; keys_section(s); s++) {
        fprintf(out, "## %s\n\n%s\n\n", keys_section(s)->name, keys_section(s)->text);
        markdown_keys(out, keys_section(s)->name);
        const keys_owner owner = keys_owner_of(keys_section(s)->name);
        if (owner != KEYS_OWNERS)
            markdown_owner(out, owner);
        if (strcmp(keys_section(s)->name, "units") == 0)
            markdown_units(out);
    }
}
