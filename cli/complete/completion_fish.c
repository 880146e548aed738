/* completion_fish.c - the completion script of fish: one line per command, option and operand. */
#include <string.h>

#include "commands.h"
#include "complete/completion.h"
#include "input/keys.h"

static const char fish_begin[] =
    "# fish completion of myriad; written by: myriad completion fish\n"
    "\n"
    "# __myriad_in COMMAND: whether the command line has that command (none: no command yet)\n"
    "function __myriad_in\n"
    "    set -l words (commandline -opc)\n"
    "    test \"$words[2]\" = \"$argv[1]\"\n"
    "end\n"
    "\n"
    "complete -c myriad -f\n"
    "complete -c myriad -n '__myriad_in \"\"' -l help -d 'print the commands'\n"
    "complete -c myriad -n '__myriad_in \"\"' -l version -d 'print the version'\n";

/* Ends a line with its description. */
static void fish_end_line(FILE *out, const char *text)
{
    fprintf(out, " -d '");
    completion_quoted(out, text, "\\", "\\'");
    fprintf(out, "'\n");
}

static void fish_begin_line(FILE *out, const char *command)
{
    fprintf(out, "complete -c myriad -n '__myriad_in %s'", command);
}

/* KEY= and KEY=WORD: fish shows those that begin like what is typed. Keys that are written without their section are
 * those of `particles`. */
static void fish_keys(FILE *out, const char *(*names)(int k))
{
    static const char section[] = "particles.";
    const size_t skip = names == keys_particles_name ? strlen(section) : 0;
    for (int k = 0; names(k); k++)
        fprintf(out, "%s%s=", k ? " " : "", names(k));
    for (int k = 0; keys_full_name(k); k++)
        for (int n = 0; keys_full_word(k, n) && (!skip || strncmp(keys_full_name(k), section, skip) == 0); n++)
            fprintf(out, " %s=%s", keys_full_name(k) + skip, keys_full_word(k, n));
}

static void fish_value(FILE *out, completion_value value)
{
    switch (value.kind) {
    case COMPLETE_ANYTHING:
        return;
    case COMPLETE_FILES:
        fprintf(out, " -F");
        return;
    case COMPLETE_DIRECTORIES:
        fprintf(out, " -a '(__fish_complete_directories)'");
        return;
    case COMPLETE_WORDS:
        fprintf(out, " -a '");
        completion_names(out, value.names, " ");
        break;
    case COMPLETE_KEYS:
        fprintf(out, " -a '");
        fish_keys(out, value.names);
        break;
    }
    fprintf(out, "'");
}

static void fish_option(FILE *out, const args_table *table, const args_option *o)
{
    fish_begin_line(out, table->command);
    fprintf(out, " -l %s", o->name);
    if (args_letter(table, o))
        fprintf(out, " -s %c", args_letter(table, o));
    if (args_takes_word(o)) {
        const completion_value value = completion_of_option(table, o);
        fprintf(out, value.kind == COMPLETE_FILES ? " -r" : " -x");
        fish_value(out, value);
    }
    fish_end_line(out, o->text);
}

static void fish_operand(FILE *out, const args_table *table, int at)
{
    fish_begin_line(out, table->command);
    fish_value(out, completion_of_operand(table, at));
    fish_end_line(out, at ? table->second_text : table->operand_text);
}

static void fish_command(FILE *out, const args_table *table)
{
    for (const args_option *o = table->options; o->name; o++)
        fish_option(out, table, o);
    fish_begin_line(out, table->command);
    fprintf(out, " -l help");
    fish_end_line(out, "print the options");
    if (table->operand)
        fish_operand(out, table, 0);
    if (table->second)
        fish_operand(out, table, 1);
}

void completion_fish(FILE *out)
{
    fputs(fish_begin, out);
    for (int k = 0; commands_at(k); k++) {
        fprintf(out, "complete -c myriad -n '__myriad_in \"\"' -a %s", commands_name(k));
        fish_end_line(out, commands_at(k)->text);
    }
    for (int k = 0; commands_at(k); k++)
        if (commands_table(k))
            fish_command(out, commands_table(k));
}
