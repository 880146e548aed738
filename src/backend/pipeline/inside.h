/* inside.h - a pipeline while its text is read, and after. */
#ifndef MYR_BACKEND_PIPELINE_INSIDE_H
#define MYR_BACKEND_PIPELINE_INSIDE_H

#include <stddef.h>

#include "backend/pipeline/graph.h"
#include "backend/pipeline/pipeline.h"

enum {
    PIPE_WORD = 64,
    PIPE_LINE = 256,
    PIPE_VARIABLES = 256,
    PIPE_SLOTS = 1024,  /* components of all variables and outputs */
    PIPE_ROUNDS = 4096, /* of all loops together */
    PIPE_DEPTH = 128    /* of brackets and braces */
};

/* A field: how the text calls it, and its name in a particle set. */
typedef struct {
    char local[PIPE_WORD], field[PIPE_WORD];
    int components;
    int first; /* its first component among those of all fields of its side */
    int line, column;
    myr_symmetry symmetry;
} pipe_field;

/* The fields of targets, of sources, or of the result. */
typedef struct {
    pipe_field field[MYR_KERNEL_FIELDS]; /* of targets and sources: the position first */
    int fields, components;
    int declared;
} pipe_side;

struct myr_pipeline {
    char *file, *text;
    char name[PIPE_WORD], name_potential[PIPE_WORD + 16], about[PIPE_LINE], formula[PIPE_LINE];
    pipe_side side[2], out; /* of i, of j */
    int coords;             /* components of the position */
    int has_potential;      /* the last output is the optional potential */
    char parameter_text[MYR_KERNEL_PARAMETERS][PIPE_LINE], parameter_name[MYR_KERNEL_PARAMETERS][PIPE_WORD];
    myr_kernel_parameter parameter[MYR_KERNEL_PARAMETERS];
    int parameters;
    int reach; /* the parameter that is the cutoff, or -1 */
    myr_self self;
    pipe_graph graph;
    int sum[MYR_KERNEL_OUTPUTS_MAX];       /* the node of each contribution */
    int factor[MYR_KERNEL_OUTPUTS_MAX][2]; /* and of two factors of it; the second may be -1, for 1 */
    myr_kernel_desc desc[2];               /* without and with the optional potential */
    myr_operation_counts counts[2];        /* of the formulas of the two */
    int constants;
    int constant[MYR_KERNEL_CONSTANTS_MAX]; /* the nodes that are computed once, in double */
};

typedef enum { PIPE_END, PIPE_IDENTIFIER, PIPE_NUMBER, PIPE_STRING, PIPE_SIGN } pipe_token_kind;

typedef struct {
    pipe_token_kind kind;
    char text[PIPE_LINE]; /* of a string without its quotes */
    double number;
    int line, column;
    const char *at; /* where it starts */
} pipe_token;

typedef struct {
    char name[PIPE_WORD];
    int components; /* 0: one number, without an index */
    int slot;
    int counts; /* the variable of a loop */
} pipe_variable;

/* The state of the reader. After the first error every token is the end. */
typedef struct {
    myr_pipeline *pipeline;
    const char *at, *line_start;
    int line;
    pipe_token now, next;
    pipe_variable variable[PIPE_VARIABLES];
    int variables;
    int value[PIPE_SLOTS]; /* the node in each slot; -1 = none yet. The outputs' slots come first */
    int slots;
    int rounds, depth;
    int failed;
    char *message;
    size_t room;
} pipe_reader;

/* Stores file:line:column and a sentence, once, and ends the text. */
void myr_pipe_fail(pipe_reader *r, int line, int column, const char *format, ...) __attribute__((format(printf, 4, 5)));
void myr_pipe_fail_here(pipe_reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Numbers are read and written as in C, whatever language the program speaks; what begin gives goes to end. */
typedef struct {
    void *plain, *before;
} pipe_language;

pipe_language myr_pipe_language_begin(void);
void myr_pipe_language_end(pipe_language language);

/* --- tokens: lexer.c --- */

/* Starts at the beginning of the text, or again at a token that was seen. */
void myr_pipe_start(pipe_reader *r);
void myr_pipe_rewind(pipe_reader *r, const pipe_token *token);

/* The next token becomes the present one. */
void myr_pipe_advance(pipe_reader *r);

/* Whether the present token is that sign or word. */
int myr_pipe_is(const pipe_reader *r, const char *text);

/* Takes it if it is there; myr_pipe_expect fails where it is not. */
int myr_pipe_accept(pipe_reader *r, const char *text);
void myr_pipe_expect(pipe_reader *r, const char *text, const char *why);

/* --- declarations: declare.c --- */

/* Reads one declaration ("i: x[3] m") if one starts here. */
int myr_pipe_declaration(pipe_reader *r);

/* What only all declarations together show; called before the body is used. */
void myr_pipe_declared(pipe_reader *r);

/* --- the body: expression.c, statement.c --- */

/* A value: its node. */
int myr_pipe_expression(pipe_reader *r);

/* A whole number that is known now: an index. */
int myr_pipe_index(pipe_reader *r, const char *of, int components);

/* A whole number from 1 to `most` that is known now: of how many components something is. */
int myr_pipe_size(pipe_reader *r, int most);

/* The variable of that name, or null. */
pipe_variable *myr_pipe_find_variable(pipe_reader *r, const char *name);

/* A component of a declared field, after its name: [k], or nothing where it has but one. */
int myr_pipe_component(pipe_reader *r, const char *name, int components);

/* Reads all statements. */
void myr_pipe_body(pipe_reader *r);

/* --- from the graph to loops: plan.c --- */

/* What of a graph is computed, and how. Arrays of one entry per node. */
typedef struct {
    char *live;     /* something needs it */
    int *uses;      /* how often */
    char *hoisted;  /* it depends on parameters alone, and is computed once, in double */
    char *fused;    /* 1 + the operand, a product that nobody else needs, with which it is one multiply-add */
    char *absorbed; /* it is such a product */
} pipe_plan;

/* Plans the first `outputs` outputs; 0 where memory is short. myr_pipe_plan_free in any case. */
int myr_pipe_plan_make(const myr_pipeline *p, int outputs, pipe_plan *plan);
void myr_pipe_plan_free(pipe_plan *plan);

/* Splits each contribution into two factors and chooses the constants of the formula. */
int myr_pipe_plan_formula(myr_pipeline *p);

/* --- from the graph to C: emit.c --- */

/* Fills the descriptors; 0 where memory is short. */
int myr_pipe_describe(myr_pipeline *p);

#endif
