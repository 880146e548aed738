/* explain.c - `myriad explain KEY`: what a key, a section, a model or a parameter of the input file means. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli.h"
#include "input/keys.h"

typedef struct {
    const char *word;
    int markdown;
} explain_options;

static const args_option explain_table[] = {
    {"markdown", ARGS_FLAG, offsetof(explain_options, markdown), NULL, "print the reference page of all keys", NULL, 0,
     0},
    {0},
};

/* Every word that can be explained, for "did you mean" and the shell completions. */
static const char *explain_name(int k)
{
    int seen = 0;
    for (int s = 0; keys_section(s); s++)
        if (seen++ == k)
            return keys_section(s)->name;
    for (int id = 0; id < KEYS; id++)
        if (seen++ == k)
            return keys_at((key_id)id)->name;
    for (int o = 0; o < KEYS_OWNERS; o++)
        for (int m = 0; keys_owner_at((keys_owner)o)->member(m); m++)
            if (seen++ == k)
                return keys_owner_at((keys_owner)o)->member(m);
    return NULL;
}

static const args_table explain_args = {
    .command = "explain",
    .text =
        "Describes a key of the input file (run.end), a section (run), a model, kernel, integrator or external field\n"
        "(particles.king) or one of their parameters (eta, integrator.eta). Without a word: lists the sections.",
    .operand = "KEY",
    .operand_text = "what to explain",
    .operand_hints = explain_name,
    .operand_offset = offsetof(explain_options, word),
    .options = explain_table,
};

static int explain_sections(void)
{
    printf("Sections of an input file; 'myriad explain SECTION' lists the keys of one:\n\n");
    for (int k = 0; keys_section(k); k++)
        printf("  %-12s %s\n", keys_section(k)->name, keys_section(k)->text);
    return CLI_OK;
}

/* Keys with that name in all sections, or in one. */
static int explain_keys(const char *section, const char *name)
{
    int printed = 0;
    for (int id = 0; id < KEYS; id++) {
        const key_info *key = keys_at((key_id)id);
        if ((section && strcmp(section, key->section) != 0) || strcmp(name, key->name) != 0)
            continue;
        keys_print(stdout, key);
        printed++;
    }
    return printed;
}

/* Members with that name, and parameters with that name (of the first member that has it). */
static int explain_members(const char *section, const char *name)
{
    int printed = 0;
    for (int o = 0; o < KEYS_OWNERS; o++) {
        const keys_owner_info *owner = keys_owner_at((keys_owner)o);
        if (section && strcmp(section, owner->section) != 0)
            continue;
        int found = 0;
        for (int k = 0; owner->member(k); k++)
            if (strcmp(owner->member(k), name) == 0) {
                printf("The %s '%s': %s. Its parameters:\n\n", owner->what, name, keys_member_text((keys_owner)o, k));
                if (!keys_print_member(stdout, (keys_owner)o, name, NULL))
                    printf("    none\n");
                printed++;
            }
        for (int k = 0; owner->member(k) && !found; k++)
            found = keys_print_member(stdout, (keys_owner)o, owner->member(k), name);
        printed += found;
    }
    return printed;
}

static int explain_word(const char *word)
{
    for (int s = 0; keys_section(s); s++)
        if (strcmp(keys_section(s)->name, word) == 0) {
            keys_print_section(stdout, keys_section(s));
            return CLI_OK;
        }
    char section[64] = "";
    const char *dot = strchr(word, '.'), *name = dot ? dot + 1 : word;
    if (dot)
        snprintf(section, sizeof section, "%.*s", (int)(dot - word), word);
    const char *where = dot ? section : NULL;
    if (explain_keys(where, name) + explain_members(where, name) > 0)
        return CLI_OK;
    const char *near = myr_nearest(name, explain_name);
    return cli_fail(CLI_USAGE, "there is no key '%s'%s%s%s", word, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "; 'myriad explain' lists the sections");
}

int cli_explain(int argc, char **argv)
{
    explain_options options = {0};
    if (argc == 1)
        return explain_sections();
    if (argc == 2 && strcmp(argv[1], "--markdown") == 0) {
        keys_print_markdown(stdout);
        return CLI_OK;
    }
    switch (args_parse(&explain_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    return explain_word(options.word);
}
