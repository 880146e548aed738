/* completion.c - `myriad completion SHELL`: the completion script of a shell, from the tables that --help is made of.
 */
#include "complete/completion.h"

#include <stddef.h>
#include <string.h>

#include "cli.h"

typedef struct {
    const char *shell;
} completion_options;

static const struct {
    const char *name;
    void (*write)(FILE *out);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

enum { SHELLS = sizeof shells / sizeof shells[0] };

static const char *shell_name(int k)
{
    return k >= 0 && k < SHELLS ? shells[k].name : NULL;
}

static const args_option completion_table[] = {{0}};

static const args_table completion_args = {
    .command = "completion",
    .text = "Prints the script that makes a shell complete the words of the command line. It is installed with the\n"
            "program; without that, for bash: source <(myriad completion bash)",
    .operand = "SHELL",
    .operand_text = "the shell",
    .operands = shell_name,
    .operand_offset = offsetof(completion_options, shell),
    .options = completion_table,
};

completion_value completion_of_option(const args_table *table, const args_option *option)
{
    if (option->names)
        return (completion_value){COMPLETE_WORDS, option->names};
    if (table->keys && option->value && strcmp(option->value, "KEY=VALUE") == 0)
        return (completion_value){COMPLETE_KEYS, table->keys};
    if (option->value && strcmp(option->value, "FILE") == 0)
        return (completion_value){COMPLETE_FILES, NULL};
    if (option->value && strcmp(option->value, "DIR") == 0)
        return (completion_value){COMPLETE_DIRECTORIES, NULL};
    return (completion_value){COMPLETE_ANYTHING, NULL};
}

completion_value completion_of_operand(const args_table *table, int at)
{
    const char *name = at ? table->second : table->operand;
    if (!at && (table->operands || table->operand_hints))
        return (completion_value){COMPLETE_WORDS, table->operands ? table->operands : table->operand_hints};
    if (name && strcmp(name, "DIR") == 0)
        return (completion_value){COMPLETE_DIRECTORIES, NULL};
    return (completion_value){name ? COMPLETE_FILES : COMPLETE_ANYTHING, NULL};
}

void completion_names(FILE *out, const char *(*names)(int k), const char *before)
{
    for (int k = 0; names(k); k++)
        fprintf(out, "%s%s", before, names(k));
}

void completion_quoted(FILE *out, const char *text, const char *special, const char *quote)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs(quote, out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

int cli_completion(int argc, char **argv)
{
    completion_options options = {0};
    switch (args_parse(&completion_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    for (int k = 0; k < SHELLS; k++)
        if (strcmp(shells[k].name, options.shell) == 0)
            shells[k].write(stdout);
    return CLI_OK;
}
