/* args.c - command lines from a table of options. */
#include "args.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "whole_number.h"

enum { HELP_WIDTH = 24, OPTION_NAME_MAX = 64, LIST_MAX = 4096 };

/* myr_nearest takes names from a function without an argument: the table in use is kept here. */
static const args_option *args_now;

/* Where the table goes instead of its help. */
static const args_table **args_captured;

void args_capture(const args_table **table)
{
    args_captured = table;
}

static const char *args_name(int k)
{
    for (int n = 0; n <= k; n++)
        if (!args_now[n].name)
            return k == n ? "help" : NULL;
    return args_now[k].name;
}

static void args_help_names(const char *(*names)(int k))
{
    printf("%*s  one of:", HELP_WIDTH, "");
    for (int k = 0, column = HELP_WIDTH + 9; names(k); k++) {
        if (column + (int)strlen(names(k)) > 118) {
            printf("\n%*s        ", HELP_WIDTH, "");
            column = HELP_WIDTH + 8;
        }
        column += printf(" %s", names(k));
    }
    printf("\n");
}

static void args_help_operand(const char *name, const char *text, const char *(*names)(int k))
{
    if (!name)
        return;
    printf("%-*s  %s\n", HELP_WIDTH, name, text);
    if (names)
        args_help_names(names);
}

static args_result args_help(const args_table *table)
{
    if (args_captured) {
        *args_captured = table;
        return ARGS_HELPED;
    }
    const char *second = table->second ? table->second : "";
    printf("Usage: myriad %s%s%s", table->command, table->operand ? " " : "", table->operand ? table->operand : "");
    printf(table->second_optional ? " [%s]" : *second ? " %s" : "%s", second);
    printf(" [OPTIONS]\n\n%s\n\n", table->text);
    args_help_operand(table->operand, table->operand_text, table->operands);
    args_help_operand(table->second, table->second_text, NULL);
    if (table->operand)
        printf("\n");
    printf("Options:\n");
    for (const args_option *o = table->options; o->name; o++) {
        char left[OPTION_NAME_MAX];
        snprintf(left, sizeof left, "  --%s%s%s", o->name, o->value && args_takes_word(o) ? " " : "",
                 o->value ? o->value : "");
        printf("%-*s  %s\n", HELP_WIDTH, left, o->text);
        if (o->names)
            args_help_names(o->names);
    }
    printf("%-*s  %s\n", HELP_WIDTH, "  --help", "print this");
    return ARGS_HELPED;
}

static args_result args_unknown_option(const args_table *table, const char *name)
{
    args_now = table->options;
    const char *near = myr_nearest(name, args_name);
    if (near)
        cli_fail(CLI_USAGE, "%s: there is no option --%s; did you mean --%s?", table->command, name, near);
    else
        cli_fail(CLI_USAGE, "%s: there is no option --%s; see myriad %s --help", table->command, name, table->command);
    return ARGS_WRONG;
}

/* Whether a word is one of a list; prints the error if not. */
static args_result args_check_word(const char *what, const char *word, const char *(*names)(int k))
{
    for (int k = 0; names && names(k); k++)
        if (strcmp(names(k), word) == 0)
            return ARGS_GO;
    if (!names)
        return ARGS_GO;
    const char *near = myr_nearest(word, names);
    char list[LIST_MAX] = "";
    for (int k = 0; names(k); k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", k ? ", " : "", names(k));
    if (near)
        cli_fail(CLI_USAGE, "there is no %s '%s'; did you mean '%s'?", what, word, near);
    else
        cli_fail(CLI_USAGE, "there is no %s '%s'; there are: %s", what, word, list);
    return ARGS_WRONG;
}

static args_result args_outside(const args_option *o, const char *text)
{
    if (o->upper >= 1e18)
        cli_fail(CLI_USAGE, "--%s cannot be %s; give %.10g or more", o->name, text, o->lower);
    else
        cli_fail(CLI_USAGE, "--%s cannot be %s; give %.10g to %.10g", o->name, text, o->lower, o->upper);
    return ARGS_WRONG;
}

static args_result args_integer(const args_option *o, const char *text, int64_t *to)
{
    int64_t value;
    if (whole_number_read(text, &value)) {
        cli_fail(CLI_USAGE, "--%s needs a whole number, not '%s'", o->name, text);
        return ARGS_WRONG;
    }
    if (o->lower < o->upper && ((double)value < o->lower || (double)value > o->upper))
        return args_outside(o, text);
    *to = value;
    return ARGS_GO;
}

static args_result args_number(const args_option *o, const char *text, double *to)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_fail(CLI_USAGE, "--%s needs a finite number, not '%s'", o->name, text);
        return ARGS_WRONG;
    }
    if (o->lower < o->upper && !(value >= o->lower && value <= o->upper))
        return args_outside(o, text);
    *to = value;
    return ARGS_GO;
}

static args_result args_store(const args_option *o, const char *text, void *into)
{
    void *to = (char *)into + o->offset;
    switch (o->kind) {
    case ARGS_FLAG:
        *(int *)to = 1;
        return ARGS_GO;
    case ARGS_KERNEL:
        *(const char **)to = text;
        return cli_is_pipeline(text) ? ARGS_GO : args_check_word(o->name, text, o->names);
    case ARGS_OPTIONAL:
        *(const char **)to = text ? text : "";
        return text ? args_check_word(o->name, text, o->names) : ARGS_GO;
    case ARGS_WORD:
        *(const char **)to = text;
        return args_check_word(o->name, text, o->names);
    case ARGS_INTEGER:
        return args_integer(o, text, to);
    case ARGS_NUMBER:
        return args_number(o, text, to);
    case ARGS_LIST:
        break;
    }
    args_list *list = to;
    if (list->count == ARGS_LIST_MAX) {
        cli_fail(CLI_USAGE, "--%s can be given at most %d times", o->name, ARGS_LIST_MAX);
        return ARGS_WRONG;
    }
    list->item[list->count++] = text;
    return ARGS_GO;
}

int args_takes_word(const args_option *option)
{
    return option->kind != ARGS_FLAG && option->kind != ARGS_OPTIONAL;
}

char args_letter(const args_table *table, const args_option *option)
{
    const char letter = option->name[0];
    if (!option->name[1])
        return letter;
    for (const args_option *o = table->options; o->name; o++)
        if (o != option && o->name[0] == letter)
            return 0;
    return letter;
}

/* The option that "-n" stands for, or null. */
static const char *args_by_letter(const args_table *table, const char *word)
{
    if (word[0] != '-' || !isalpha((unsigned char)word[1]) || word[2])
        return NULL;
    for (const args_option *o = table->options; o->name; o++)
        if (args_letter(table, o) == word[1])
            return o->name;
    return NULL;
}

/* One option at argv[*at], without its dashes: "name value" or "name=value". */
static args_result args_one(const args_table *table, int argc, char **argv, int *at, const char *word, void *into)
{
    const char *equals = strchr(word, '=');
    const size_t length = equals ? (size_t)(equals - word) : strlen(word);
    char name[OPTION_NAME_MAX];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    if (strcmp(name, "help") == 0)
        return args_help(table);
    const args_option *o = table->options;
    while (o->name && strcmp(o->name, name) != 0)
        o++;
    if (!o->name)
        return args_unknown_option(table, name);
    if (o->kind == ARGS_FLAG && equals) {
        cli_fail(CLI_USAGE, "--%s takes no value", o->name);
        return ARGS_WRONG;
    }
    if (!args_takes_word(o) && !equals)
        return args_store(o, NULL, into);
    if (!equals && *at + 1 >= argc) {
        cli_fail(CLI_USAGE, "--%s needs a value (%s)", o->name, o->value);
        return ARGS_WRONG;
    }
    return args_store(o, equals ? equals + 1 : argv[++*at], into);
}

/* Operand number `at` from 0; the table says where it goes. */
static args_result args_operand(const args_table *table, const char *word, int at, void *into)
{
    if (!table->operand || at > (table->second ? 1 : 0)) {
        cli_fail(CLI_USAGE, "%s: '%s' was not expected; see myriad %s --help", table->command, word, table->command);
        return ARGS_WRONG;
    }
    *(const char **)((char *)into + (at ? table->second_offset : table->operand_offset)) = word;
    return at ? ARGS_GO : args_check_word(table->operand, word, table->operands);
}

/* Whether all operands that must be there are. */
static args_result args_missing(const args_table *table, int operands)
{
    const char *missing = operands == 0 ? table->operand : operands == 1 ? table->second : NULL;
    if (!missing || table->operand_optional || (operands == 1 && table->second_optional))
        return ARGS_GO;
    cli_fail(CLI_USAGE, "%s: say which %s; see myriad %s --help", table->command, missing, table->command);
    return ARGS_WRONG;
}

args_result args_parse(const args_table *table, int argc, char **argv, void *into)
{
    int operands = 0;
    for (int at = 1; at < argc; at++) {
        args_result result;
        if (strcmp(argv[at], "-h") == 0)
            return args_help(table);
        if (strncmp(argv[at], "--", 2) == 0 && argv[at][2])
            result = args_one(table, argc, argv, &at, argv[at] + 2, into);
        else if (args_by_letter(table, argv[at]))
            result = args_one(table, argc, argv, &at, args_by_letter(table, argv[at]), into);
        else
            result = args_operand(table, argv[at], operands++, into);
        if (result != ARGS_GO)
            return result;
    }
    return args_missing(table, operands);
}
