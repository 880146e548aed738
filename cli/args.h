/* args.h - command lines from a table of options: parsing, "did you mean", and --help. */
#ifndef MYR_CLI_ARGS_H
#define MYR_CLI_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "args_list.h"

typedef enum {
    ARGS_FLAG,     /* int, set to 1 */
    ARGS_WORD,     /* const char *, one of `names` where that is given */
    ARGS_KERNEL,   /* const char *, one of `names`, or a file that ends with .pipe */
    ARGS_INTEGER,  /* int64_t between lower and upper */
    ARGS_NUMBER,   /* double between lower and upper; never NaN or infinite */
    ARGS_OPTIONAL, /* const char *: "" for --name alone, the value of --name=VALUE otherwise */
    ARGS_LIST      /* args_list; may be given more than once */
} args_kind;

typedef struct {
    const char *name; /* without the dashes */
    args_kind kind;
    size_t offset;     /* of the variable in the command's structure of options */
    const char *value; /* what stands for the value in --help; null for a flag */
    const char *text;  /* for --help */
    const char *(*names)(int k);
    double lower, upper; /* both 0: no bounds */
} args_option;

typedef struct {
    const char *command;
    const char *text;    /* what the command does, for --help */
    const char *operand; /* what stands for the operand, or null where there is none; FILE or DIR for paths */
    const char *operand_text;
    const char *(*operands)(int k);      /* what it can be; null = anything */
    const char *(*operand_hints)(int k); /* what the shell completes it with, where it can be anything; may be null */
    int operand_optional;
    size_t operand_offset; /* const char * */
    const char *second;    /* a second operand, or null; it may be left out where the first may */
    const char *second_text;
    size_t second_offset;       /* const char * */
    int second_optional;        /* it may be left out where the first may not */
    const char *(*keys)(int k); /* what the shell completes KEY=VALUE of an option with; may be null */
    const args_option *options; /* ends with a null name */
} args_table;

/* What the caller does next. */
typedef enum { ARGS_GO, ARGS_HELPED, ARGS_WRONG } args_result;

/* Fills the structure `into` from the command line; prints help or one line of error. */
args_result args_parse(const args_table *table, int argc, char **argv, void *into);

/* Whether the word after an option is its value. */
int args_takes_word(const args_option *option);

/* The letter that stands for an option ("-n"): the first of its name, where no other option of the table begins with it
 * or the name is that letter; 0 if none does. */
char args_letter(const args_table *table, const args_option *option);

/* While this is set, args_parse gives the table to it instead of printing help; null ends that. */
void args_capture(const args_table **table);

#endif
