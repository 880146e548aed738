/* manual.c - `myriad manual`: the man page, from the tables that --help and `myriad explain` are made of. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "commands.h"
#include "input/keys.h"

static const args_option manual_table[] = {{0}};

static const args_table manual_args = {
    .command = "manual",
    .text = "Prints the man page of the program in roff. It is installed with the program; without that:\n"
            "myriad manual | man -l -",
    .options = manual_table,
};

/* Writes text so that roff shows it as it is. A line must not begin with a control character; an empty line begins a
 * paragraph. */
static void roff_text(FILE *out, const char *text)
{
    static const struct {
        char plain;
        const char *roff;
    } escapes[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    enum { ESCAPES = sizeof escapes / sizeof escapes[0] };
    for (const char *c = text; *c; c++) {
        if (c[0] == '\n' && c[1] == '\n') {
            fputs("\n.PP", out);
            continue;
        }
        const int first = c == text || c[-1] == '\n';
        if (first && *c == '.')
            fputs("\\&", out);
        int k = 0;
        while (k < ESCAPES && escapes[k].plain != *c)
            k++;
        if (k < ESCAPES)
            fputs(escapes[k].roff, out);
        else
            fputc(*c, out);
    }
}

static void roff_line(FILE *out, const char *text)
{
    roff_text(out, text);
    fputc('\n', out);
}

/* "One of: a, b, c." */
static void roff_names(FILE *out, const char *(*names)(int k))
{
    if (!names || !names(0))
        return;
    fputs("One of:", out);
    for (int k = 0; names(k); k++) {
        fputs(k ? ", " : " ", out);
        roff_text(out, names(k));
    }
    fputs(".\n", out);
}

static void manual_operand(FILE *out, const char *name, const char *text, const char *(*names)(int k))
{
    if (!name)
        return;
    fprintf(out, ".TP\n.I %s\n", name);
    roff_line(out, text);
    roff_names(out, names);
}

static void manual_option(FILE *out, const args_table *table, const args_option *o)
{
    const char letter = args_letter(table, o);
    fputs(".TP\n", out);
    if (letter)
        fprintf(out, "\\fB\\-%c\\fR, ", letter);
    fputs("\\fB\\-\\-", out);
    roff_text(out, o->name);
    fputs("\\fR", out);
    if (o->value) {
        fputs(args_takes_word(o) ? " \\fI" : "\\fI", out);
        roff_text(out, o->value);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    roff_line(out, o->text);
    roff_names(out, o->names);
}

static void manual_command(FILE *out, const args_table *table)
{
    fprintf(out, ".SS \"myriad %s", table->command);
    for (int at = 0; at < 2; at++) {
        const char *name = at ? table->second : table->operand;
        if (name)
            fprintf(out, table->operand_optional || (at && table->second_optional) ? " [%s]" : " %s", name);
    }
    fputs(" [\\fIOPTIONS\\fP]\"\n", out);
    roff_line(out, table->text);
    manual_operand(out, table->operand, table->operand_text, table->operands);
    manual_operand(out, table->second, table->second_text, NULL);
    for (const args_option *o = table->options; o->name; o++)
        manual_option(out, table, o);
    fputs(".TP\n.B \\-\\-help\nprint the options\n", out);
}

static void manual_section(FILE *out, const keys_section_info *section)
{
    fprintf(out, ".SS %s\n", section->name);
    roff_line(out, section->text);
    for (int id = 0; id < KEYS; id++) {
        const key_info *key = keys_at((key_id)id);
        char expected[KEYS_EXPECTED];
        if (strcmp(key->section, section->name) != 0)
            continue;
        fprintf(out, ".TP\n.B %s.%s\n", key->section, key->name);
        roff_line(out, key->text);
        fputs("Expected: ", out);
        roff_text(out, keys_expected(key, expected));
        if (key->fallback) {
            fputs("; default: ", out);
            roff_text(out, key->fallback);
        }
        fputs(".\n", out);
    }
}

static void manual_begin(FILE *out)
{
    fprintf(out, ".\\\" written by: myriad manual\n.TH MYRIAD 1 \"\" \"Myriad %s\" \"User Commands\"\n", myr_version());
    fputs(".SH NAME\nmyriad \\- how many bodies move when each acts on every other\n"
          ".SH SYNOPSIS\n.B myriad\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.br\n.B myriad \\-\\-help\n.br\n.B myriad "
          "\\-\\-version\n"
          ".SH DESCRIPTION\nMyriad computes the motion of stars, atoms or vortex elements of which each acts on every\n"
          "other, and single sums over all pairs. An option and its value may be two words or joined by \\(lq=\\(rq.\n"
          "\\fBmyriad\\fR \\fICOMMAND\\fR \\fB\\-\\-help\\fR prints what stands here about a command.\n",
          out);
    for (int k = 0; commands_at(k); k++) {
        fprintf(out, ".TP\n.B %s\n", commands_name(k));
        roff_line(out, commands_at(k)->text);
    }
}

static void manual_end(FILE *out)
{
    fputs(".SH EXIT STATUS\n.TP\n.B 0\nThe work is done.\n.TP\n.B 1\nThe work could not be done.\n"
          ".TP\n.B 2\nThe command line or the input file is wrong.\n.PP\n"
          ".B myriad run\nhas 3 (the motion went wrong) and 75 (stopped, can be continued) besides, which are "
          "explained there.\n"
          ".SH ENVIRONMENT\n.TP\n.B OMP_NUM_THREADS\nThe number of threads, where neither an option nor the input says "
          "one.\n"
          ".SH EXAMPLES\n.nf\nmyriad init king \\-n 10000 \\-o cluster.hdf5\nmyriad check galaxy.yaml\n"
          "myriad run galaxy.yaml \\-\\-set run.end=10\nmyriad explain run.end\n.fi\n",
          out);
}

static void manual_write(FILE *out)
{
    manual_begin(out);
    fputs(".SH COMMANDS\n", out);
    for (int k = 0; commands_at(k); k++)
        if (commands_table(k))
            manual_command(out, commands_table(k));
    fputs(".SH INPUT FILES\nAn input file is YAML with the sections and keys below. A model, kernel, integrator or\n"
          "external field brings parameters of its own, which are keys of its section:\n"
          ".B myriad explain\nlists them.\n",
          out);
    for (int k = 0; keys_section(k); k++)
        manual_section(out, keys_section(k));
    manual_end(out);
}

int cli_manual(int argc, char **argv)
{
    int unused = 0;
    switch (args_parse(&manual_args, argc, argv, &unused)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    manual_write(stdout);
    return CLI_OK;
}
