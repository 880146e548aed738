/* inside.h - a pipeline during and after reading. */
#ifndef MYR_BACKEND_PIPELINE_INSIDE_H
#define MYR_BACKEND_PIPELINE_INSIDE_H

#include <stddef.h>

#include "backend/pipeline/graph.h"
#include "backend/pipeline/pipeline.h"

enum {
    PIPE_WORD = 64,
    PIPE_LINE = 256,
    PIPE_VARIABLES = 256,
    PIPE_SLOTS = 1024,  /* largest number of components of all variables and outputs */
    PIPE_ROUNDS = 4096, /* largest number of iterations of all loops together */
    PIPE_DEPTH = 128    /* largest nesting depth of brackets and braces */
};

/* Field: its name in the text, and its name in a particle set. */
typedef struct {
    char local[PIPE_WORD], field[PIPE_WORD];
    int components;
    int first; /* index of its first component among those of all fields of its side */
    int line, column;
    myr_symmetry symmetry;
} pipe_field;

/* Fields of targets, of sources, or of the result. */
typedef struct {
    pipe_field field[MYR_KERNEL_FIELDS]; /* fields; for targets and sources the position comes first */
    int fields, components;
    int declared;
} pipe_side;

struct myr_pipeline {
    char *file, *text;
    char name[PIPE_WORD], name_potential[PIPE_WORD + 16], about[PIPE_LINE], formula[PIPE_LINE];
    pipe_side side[2], out; /* fields of i and of j; fields of the result */
    int coords;             /* components of the position */
    int has_potential;      /* 1 = the last output is the optional potential */
    char parameter_text[MYR_KERNEL_PARAMETERS][PIPE_LINE], parameter_name[MYR_KERNEL_PARAMETERS][PIPE_WORD];
    myr_kernel_parameter parameter[MYR_KERNEL_PARAMETERS];
    int parameters;
    int reach; /* index of the cutoff parameter, or -1 */
    myr_self self;
    pipe_graph graph;
    int sum[MYR_KERNEL_OUTPUTS_MAX];       /* node of each contribution */
    int factor[MYR_KERNEL_OUTPUTS_MAX][2]; /* nodes of two factors of each contribution; the second may be -1, for 1 */
    myr_kernel_desc desc[2];               /* descriptors without and with the optional potential */
    myr_operation_counts counts[2];        /* operation counts without and with the optional potential */
    int constants;
    int constant[MYR_KERNEL_CONSTANTS_MAX]; /* nodes computed once, in double */
};

typedef enum { PIPE_END, PIPE_IDENTIFIER, PIPE_NUMBER, PIPE_STRING, PIPE_SIGN } pipe_token_kind;

typedef struct {
    pipe_token_kind kind;
    char text[PIPE_LINE]; /* text of a token; of a string, without quotes */
    double number;
    int line, column;
    const char *at; /* start of the token in the text */
} pipe_token;

typedef struct {
    char name[PIPE_WORD];
    int components; /* 0: scalar, without an index */
    int slot;
    int counts; /* 1 = variable of a loop */
} pipe_variable;

/* State of the reader. After the first error every token is the end of the text. */
typedef struct {
    myr_pipeline *pipeline;
    const char *at, *line_start;
    int line;
    pipe_token now, next;
    pipe_variable variable[PIPE_VARIABLES];
    int variables;
    int value[PIPE_SLOTS]; /* node in each slot; -1 = undefined. The outputs' slots come first */
    int slots;
    int rounds, depth;
    int failed;
    char *message;
    size_t room;
} pipe_reader;

/* Stores file:line:column and a message, once, and ends the text. myr_pipe_fail_at_token: at the current token. */
void myr_pipe_fail(pipe_reader *r, int line, int column, const char *format, ...) __attribute__((format(printf, 4, 5)));
void myr_pipe_fail_at_token(pipe_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers are read and written as in C, independent of the program's locale. Pass the result of begin to end. */
typedef struct {
    void *plain, *before;
} pipe_language;

pipe_language myr_pipe_language_begin(void);
void myr_pipe_language_end(pipe_language language);

/* --- tokens: lexer.c --- */

/* Starts at the beginning of the text, or again at an earlier token. */
void myr_pipe_start(pipe_reader *r);
void myr_pipe_rewind(pipe_reader *r, const pipe_token *token);

/* Makes the next token the current one. */
void myr_pipe_advance(pipe_reader *r);

/* Returns 1 if the current token is this sign or word. */
int myr_pipe_is(const pipe_reader *r, const char *text);

/* Skips the current token if it is this sign or word; myr_pipe_expect fails otherwise. */
int myr_pipe_accept(pipe_reader *r, const char *text);
void myr_pipe_expect(pipe_reader *r, const char *text, const char *why);

/* --- declarations: declare.c --- */

/* Reads one declaration ("i: x[3] m") if one starts at the current token. */
int myr_pipe_declaration(pipe_reader *r);

/* Checks that need all declarations; called before the body is used. */
void myr_pipe_declared(pipe_reader *r);

/* --- the body: expression.c, statement.c --- */

/* Reads an expression; returns its node. */
int myr_pipe_expression(pipe_reader *r);

/* Reads a constant integer used as an index. */
int myr_pipe_index(pipe_reader *r, const char *of, int components);

/* Reads a constant integer from 1 to `most`: a number of components. */
int myr_pipe_size(pipe_reader *r, int most);

/* Variable of that name, or null. */
pipe_variable *myr_pipe_find_variable(pipe_reader *r, const char *name);

/* Reads the component of a declared field after its name: [k], or nothing if it has only one. */
int myr_pipe_component(pipe_reader *r, const char *name, int components);

/* Reads all statements. */
void myr_pipe_body(pipe_reader *r);

/* --- from the graph to loops: plan.c ------------------------------------------------------------------------------ */

/* Plan of the computation of a graph. Arrays of one entry per node. */
typedef struct {
    char *live;    /* 1 = the node is needed */
    int *uses;     /* number of uses */
    char *hoisted; /* 1 = depends on parameters alone, and is computed once, in double */
    /* 1 + index of the operand, a product used nowhere else, that is fused with this node into one multiply-add; 0 =
     * none */
    char *fused;
    char *absorbed; /* 1 = a product fused into another node */
} pipe_plan;

/* Plans the first `outputs` outputs; returns 0 if memory is short. Call myr_pipe_plan_free in any case. */
int myr_pipe_plan_make(const myr_pipeline *p, int outputs, pipe_plan *plan);
void myr_pipe_plan_free(pipe_plan *plan);

/* Splits each contribution into two factors and chooses the constants of the formula. */
int myr_pipe_plan_formula(myr_pipeline *p);

/* --- from the graph to C: emit.c ---------------------------------------------------------------------------------- */

/* Fills the descriptors; returns 0 if memory is short. */
int myr_pipe_describe(myr_pipeline *p);

#endif
