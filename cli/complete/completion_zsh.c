/* completion_zsh.c - the completion script of zsh: one call of _arguments per command. */
#include <string.h>

#include "commands.h"
#include "complete/completion.h"
#include "input/keys.h"

/* Inside [...] and between colons of a specification. */
static const char zsh_special[] = "[]:\\";
static const char zsh_quote[] = "'\\''";

static const char zsh_begin[] = "#compdef myriad\n"
                                "# zsh completion of myriad; written by: myriad completion zsh\n"
                                "\n"
                                "# _myriad_keys KEYS...: KEY=, and after that the words that the key takes\n"
                                "_myriad_keys()\n"
                                "{\n"
                                "    local key=${PREFIX%%=*}\n"
                                "    if compset -P '*='; then\n"
                                "        case $key in\n";

static const char zsh_end[] = "if [[ $funcstack[1] == _myriad ]]; then\n"
                              "    _myriad \"$@\"\n"
                              "else\n"
                              "    compdef _myriad myriad\n"
                              "fi\n";

static void zsh_action(FILE *out, completion_value value)
{
    switch (value.kind) {
    case COMPLETE_ANYTHING:
        fprintf(out, " ");
        return;
    case COMPLETE_FILES:
        fprintf(out, "_files");
        return;
    case COMPLETE_DIRECTORIES:
        fprintf(out, "_files -/");
        return;
    case COMPLETE_WORDS:
        fprintf(out, "(");
        break;
    case COMPLETE_KEYS:
        fprintf(out, "{ _myriad_keys");
        break;
    }
    completion_names(out, value.names, " ");
    fprintf(out, value.kind == COMPLETE_WORDS ? ")" : " }");
}

static void zsh_option(FILE *out, const args_table *table, const args_option *o)
{
    fprintf(out, " \\\n            '%s--%s%s[", o->kind == ARGS_LIST ? "*" : "", o->name,
            args_takes_word(o) ? "=" : "");
    completion_quoted(out, o->text, zsh_special, zsh_quote);
    fprintf(out, "]");
    if (args_takes_word(o)) {
        fprintf(out, ":%s:", o->value ? o->value : "value");
        zsh_action(out, completion_of_option(table, o));
    }
    fprintf(out, "'");
}

static void zsh_operand(FILE *out, const args_table *table, int at)
{
    fprintf(out, " \\\n            '%d:%s:", at + 1, at ? table->second : table->operand);
    zsh_action(out, completion_of_operand(table, at));
    fprintf(out, "'");
}

static void zsh_command(FILE *out, const args_table *table)
{
    fprintf(out, "        %s)\n            _arguments", table->command);
    for (const args_option *o = table->options; o->name; o++)
        zsh_option(out, table, o);
    fprintf(out, " \\\n            '--help[print this]'");
    if (table->operand)
        zsh_operand(out, table, 0);
    if (table->second)
        zsh_operand(out, table, 1);
    fprintf(out, "\n            ;;\n");
}

/* What keys of input files take; init leaves out the section "particles". */
static void zsh_keys(FILE *out)
{
    for (int k = 0; keys_full_name(k); k++) {
        if (!keys_full_word(k, 0))
            continue;
        const char *name = keys_full_name(k);
        const int particles = strncmp(name, "particles.", 10) == 0;
        fprintf(out, "        %s%s%s) compadd --", name, particles ? "|" : "", particles ? name + 10 : "");
        for (int n = 0; keys_full_word(k, n); n++)
            fprintf(out, " %s", keys_full_word(k, n));
        fprintf(out, " ;;\n");
    }
    fprintf(out, "        esac\n    else\n        compadd -S = -- \"$@\"\n    fi\n}\n\n");
}

void completion_zsh(FILE *out)
{
    fputs(zsh_begin, out);
    zsh_keys(out);
    fputs("_myriad()\n{\n    local curcontext=$curcontext state line\n    local -a commands=(", out);
    for (int k = 0; commands_at(k); k++) {
        fprintf(out, "\n        '%s:", commands_name(k));
        completion_quoted(out, commands_at(k)->text, ":\\", zsh_quote);
        fputc('\'', out);
    }
    fputs("\n    )\n"
          "    _arguments -C '(- *)--help[print the commands]' '(- *)--version[print the version]' \\\n"
          "        '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    command) _describe command commands ;;\n"
          "    argument)\n"
          "        case $words[1] in\n",
          out);
    for (int k = 0; commands_at(k); k++)
        if (commands_table(k))
            zsh_command(out, commands_table(k));
    fputs("        esac\n        ;;\n    esac\n}\n\n", out);
    fputs(zsh_end, out);
}
