/* statement.c - body of a pipeline: variables, assignments, conditions and loops. Loops are executed while the text is
 * read; both branches of a condition are computed, and values changed by it become selections. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/inside.h"

static void statement(pipe_reader *r);

static int is_type(const pipe_reader *r)
{
    return myr_pipe_is(r, "float") || myr_pipe_is(r, "double") || myr_pipe_is(r, "real") || myr_pipe_is(r, "const");
}

/* Creates a variable without a value; names of the language and of parameters are reserved. */
static pipe_variable *new_variable(pipe_reader *r, const pipe_token *name, int components)
{
    static const char *const taken[] = {"i",    "j",   "out", "INPUT_I", "INPUT_J", "OUTPUT", "float", "double",
                                        "real", "int", "if",  "else",    "for",     "while",  "const"};
    const int slots = components ? components : 1;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (strcmp(name->text, taken[k]) == 0)
            myr_pipe_fail(r, name->line, name->column, "'%s' cannot be the name of a variable", name->text);
    for (int k = 0; k < r->pipeline->parameters; k++)
        if (strcmp(name->text, r->pipeline->parameter_name[k]) == 0)
            myr_pipe_fail(r, name->line, name->column, "'%s' is a parameter already", name->text);
    if (r->variables == PIPE_VARIABLES || r->slots + slots > PIPE_SLOTS)
        myr_pipe_fail(r, name->line, name->column, "too many variables; at most %d", PIPE_VARIABLES);
    if (r->failed)
        return NULL;
    pipe_variable *v = &r->variable[r->variables++];
    snprintf(v->name, sizeof v->name, "%.*s", PIPE_WORD - 1, name->text);
    v->components = components;
    v->counts = 0;
    v->slot = r->slots;
    for (int k = 0; k < slots; k++)
        r->value[r->slots++] = -1;
    return v;
}

static int number(pipe_reader *r)
{
    const pipe_token at = r->now;
    const int node = myr_pipe_expression(r);
    if (!r->failed && !r->pipeline->graph.full && r->pipeline->graph.node[node].is_mask)
        myr_pipe_fail(r, at.line, at.column, "a comparison is not a number; write comparison ? 1 : 0");
    return node;
}

/* Reads `float a, b = 1, c[3];` */
static void declare_variables(pipe_reader *r)
{
    while (is_type(r))
        myr_pipe_advance(r);
    do {
        const pipe_token name = r->now;
        int components = 0;
        if (name.kind != PIPE_IDENTIFIER) {
            myr_pipe_fail_at_token(r, "expected the name of a variable");
            return;
        }
        myr_pipe_advance(r);
        if (myr_pipe_accept(r, "[")) {
            components = myr_pipe_size(r, PIPE_SLOTS);
            myr_pipe_expect(r, "]", "after the size of an array");
        }
        int first = -1; /* a variable is not visible in its own initialiser */
        if (!components && myr_pipe_accept(r, "="))
            first = number(r);
        const pipe_variable *v = new_variable(r, &name, components);
        if (v)
            r->value[v->slot] = first;
    } while (myr_pipe_accept(r, ","));
    myr_pipe_expect(r, ";", "after a declaration");
}

/* Target of an assignment. */
typedef struct {
    int slot;
    int is_output;
    pipe_token at;
} place;

static place output_place(pipe_reader *r)
{
    const pipe_side *out = &r->pipeline->out;
    place p = {.is_output = 1, .at = r->now};
    if (myr_pipe_accept(r, "OUTPUT")) {
        myr_pipe_expect(r, "[", "after OUTPUT");
        p.slot = myr_pipe_index(r, "OUTPUT", out->declared ? out->components : MYR_KERNEL_OUTPUTS_MAX);
        myr_pipe_expect(r, "]", "after an index");
        if (!r->failed && !out->declared && p.slot >= out->components)
            r->pipeline->out.components = p.slot + 1;
        return p;
    }
    myr_pipe_advance(r);
    myr_pipe_expect(r, ".", "after 'out'");
    const pipe_token name = r->now;
    myr_pipe_advance(r);
    for (int k = 0; k < out->fields; k++)
        if (strcmp(out->field[k].local, name.text) == 0) {
            p.slot = out->field[k].first + myr_pipe_component(r, name.text, out->field[k].components);
            return p;
        }
    myr_pipe_fail(r, name.line, name.column, "there is no output '%s'; declare it with 'out: %s'", name.text,
                  name.text);
    return p;
}

static place variable_place(pipe_reader *r)
{
    place p = {.at = r->now};
    const pipe_variable *v = myr_pipe_find_variable(r, p.at.text);
    myr_pipe_advance(r);
    if (!v) {
        myr_pipe_fail(r, p.at.line, p.at.column, "'%s' is not declared; declare it as a variable: float %s", p.at.text,
                      p.at.text);
        return p;
    }
    if (v->counts)
        myr_pipe_fail(r, p.at.line, p.at.column, "'%s' counts a loop and cannot be changed in it", p.at.text);
    p.slot = v->slot + (v->components ? myr_pipe_component(r, v->name, v->components) : 0);
    return p;
}

static void assign(pipe_reader *r, const place *to)
{
    static const struct {
        const char *sign;
        pipe_op op;
    } how[] = {{"+=", PIPE_ADD}, {"-=", PIPE_SUB}, {"*=", PIPE_MUL}, {"/=", PIPE_DIV}};
    const pipe_token at = r->now;
    if (myr_pipe_accept(r, "=")) {
        if (to->is_output)
            myr_pipe_fail(r, at.line, at.column, "outputs are sums over all sources: write += or -=");
        r->value[to->slot] = number(r);
        return;
    }
    for (size_t k = 0; k < sizeof how / sizeof *how; k++)
        if (myr_pipe_accept(r, how[k].sign)) {
            if (to->is_output && how[k].op != PIPE_ADD && how[k].op != PIPE_SUB)
                myr_pipe_fail(r, at.line, at.column, "outputs are sums over all sources: write += or -=");
            if (!r->failed && r->value[to->slot] < 0)
                myr_pipe_fail(r, to->at.line, to->at.column, "'%s' is used before it has a value", to->at.text);
            const int with = number(r);
            if (!r->failed)
                r->value[to->slot] = myr_pipe_make(&r->pipeline->graph, how[k].op, r->value[to->slot], with, 0);
            return;
        }
    myr_pipe_fail_at_token(r, "expected '=', '+=', '-=', '*=' or '/=', not '%s'", r->now.text);
}

/* Reads the step of a loop: d++, ++d, d--, --d, d += n, d -= n; *step is the increment. */
static void loop_step(pipe_reader *r, const char *name, double *step)
{
    const int before = myr_pipe_is(r, "++") || myr_pipe_is(r, "--");
    int up = myr_pipe_is(r, "++");
    if (before)
        myr_pipe_advance(r);
    if (!myr_pipe_accept(r, name))
        myr_pipe_fail_at_token(r, "a loop over '%s' must step '%s'", name, name);
    *step = 1;
    if (!before && (myr_pipe_is(r, "++") || myr_pipe_is(r, "--"))) {
        up = myr_pipe_is(r, "++");
        myr_pipe_advance(r);
    } else if (!before) {
        up = myr_pipe_is(r, "+=");
        if (!myr_pipe_accept(r, "+="))
            myr_pipe_expect(r, "-=", "in the step of a loop (or ++, --, +=)");
        const int node = myr_pipe_expression(r);
        if (!r->failed && !myr_pipe_known(&r->pipeline->graph, node, step))
            myr_pipe_fail_at_token(r, "the step of a loop must be known when the text is read");
    }
    if (!up)
        *step = -*step;
}

/* The condition of a loop must be a constant, so that every loop terminates. */
static int loop_goes_on(pipe_reader *r)
{
    const pipe_token at = r->now;
    double truth = 0;
    const int node = myr_pipe_expression(r);
    if (r->failed)
        return 0;
    if (!myr_pipe_known(&r->pipeline->graph, node, &truth) || !r->pipeline->graph.node[node].is_mask) {
        myr_pipe_fail(r, at.line, at.column, "the bounds of a loop must be known when the text is read");
        return 0;
    }
    if (truth != 0 && ++r->rounds > PIPE_ROUNDS) {
        myr_pipe_fail(r, at.line, at.column, "the loops of this text run more than %d times, or never end",
                      PIPE_ROUNDS);
        return 0;
    }
    return truth != 0;
}

/* Skips everything up to the bracket that closes the current one. */
static void skip_brackets(pipe_reader *r, const char *open, const char *close)
{
    int depth = 0;
    do {
        depth += myr_pipe_is(r, open) - myr_pipe_is(r, close);
        myr_pipe_advance(r);
    } while (depth > 0 && !r->failed && r->now.kind != PIPE_END);
}

/* Reads a statement without executing it. */
static void skip_statement(pipe_reader *r)
{
    const int is_condition = myr_pipe_is(r, "if");
    if (++r->depth > PIPE_DEPTH)
        myr_pipe_fail_at_token(r, "this is nested too deeply");
    if (is_condition || myr_pipe_is(r, "for")) {
        myr_pipe_advance(r);
        skip_brackets(r, "(", ")");
        skip_statement(r);
        if (is_condition && myr_pipe_accept(r, "else"))
            skip_statement(r);
    } else if (myr_pipe_is(r, "{")) {
        skip_brackets(r, "{", "}");
    } else {
        while (!r->failed && r->now.kind != PIPE_END && !myr_pipe_is(r, ";"))
            myr_pipe_advance(r);
        myr_pipe_expect(r, ";", "after a statement");
    }
    r->depth--;
}

/* Reads `for (int d = 0; d < 3; d++) statement` */
static void loop(pipe_reader *r)
{
    const int variables = r->variables, slots = r->slots;
    double step = 0, at_now = 0;
    myr_pipe_advance(r);
    myr_pipe_expect(r, "(", "after for");
    if (!myr_pipe_accept(r, "int"))
        myr_pipe_fail_at_token(r, "a loop is written for (int d = 0; d < 3; d++)");
    const pipe_token name = r->now;
    myr_pipe_advance(r);
    pipe_variable *v = new_variable(r, &name, 0);
    if (v)
        v->counts = 1;
    myr_pipe_expect(r, "=", "after the variable of a loop");
    const int first = myr_pipe_expression(r);
    if (!r->failed && !myr_pipe_known(&r->pipeline->graph, first, &at_now))
        myr_pipe_fail_at_token(r, "the bounds of a loop must be known when the text is read");
    myr_pipe_expect(r, ";", "in a loop");
    const pipe_token condition = r->now;
    const int slot = v ? v->slot : 0;
    while (!r->failed) {
        r->value[slot] = myr_pipe_constant(&r->pipeline->graph, at_now);
        const int on = loop_goes_on(r);
        myr_pipe_expect(r, ";", "after the condition of a loop");
        loop_step(r, name.text, &step);
        myr_pipe_expect(r, ")", "after the step of a loop");
        if (!on)
            break;
        statement(r);
        at_now += step;
        myr_pipe_rewind(r, &condition);
    }
    if (!r->failed)
        skip_statement(r);
    r->variables = variables;
    r->slots = slots;
}

/* Executes a statement, or skips it if the condition is known to be false; the resulting values go to `after`. */
static void branch(pipe_reader *r, const int *before, int *after, int taken)
{
    const size_t bytes = (size_t)r->slots * sizeof *before;
    memcpy(r->value, before, bytes);
    if (taken)
        statement(r);
    else
        skip_statement(r);
    memcpy(after, r->value, bytes);
}

static void merge(pipe_reader *r, int condition, const int *yes, const int *no)
{
    for (int k = 0; k < r->slots && !r->failed; k++)
        r->value[k] = yes[k] == no[k] ? yes[k]
                      : yes[k] < 0 || no[k] < 0
                          ? -1
                          : myr_pipe_make(&r->pipeline->graph, PIPE_SELECT, condition, yes[k], no[k]);
}

static void condition(pipe_reader *r)
{
    double truth = 0;
    myr_pipe_advance(r);
    myr_pipe_expect(r, "(", "after if");
    const pipe_token at = r->now;
    const int node = myr_pipe_expression(r);
    myr_pipe_expect(r, ")", "after the condition");
    if (!r->failed && !r->pipeline->graph.full && !r->pipeline->graph.node[node].is_mask)
        myr_pipe_fail(r, at.line, at.column, "the condition of if must be a comparison");
    const int known = !r->failed && myr_pipe_known(&r->pipeline->graph, node, &truth);
    int *values = malloc(3 * (size_t)PIPE_SLOTS * sizeof *values);
    if (!values)
        myr_pipe_fail_at_token(r, "no memory");
    if (r->failed) {
        free(values);
        return;
    }
    int *before = values, *yes = values + PIPE_SLOTS, *no = values + 2 * (size_t)PIPE_SLOTS;
    memcpy(before, r->value, sizeof r->value);
    branch(r, before, yes, !known || truth != 0);
    memcpy(no, before, sizeof r->value);
    if (myr_pipe_accept(r, "else"))
        branch(r, before, no, !known || truth == 0);
    merge(r, node, yes, no);
    free(values);
}

static void block(pipe_reader *r)
{
    const int variables = r->variables, slots = r->slots;
    myr_pipe_advance(r);
    while (!r->failed && r->now.kind != PIPE_END && !myr_pipe_is(r, "}"))
        statement(r);
    myr_pipe_expect(r, "}", "to close a block");
    r->variables = variables;
    r->slots = slots;
}

static void refuse_word(pipe_reader *r)
{
    static const struct {
        const char *word, *why;
    } refused[] = {
        {"while", "only loops with known bounds are allowed, so that every text ends: for (int d = 0; d < 3; d++)"},
        {"do", "only loops with known bounds are allowed, so that every text ends: for (int d = 0; d < 3; d++)"},
        {"goto", "only loops with known bounds are allowed, so that every text ends: for (int d = 0; d < 3; d++)"},
        {"int", "all numbers are real: write float; whole numbers count loops only"},
        {"return", "a pipeline adds to its outputs and returns nothing; use if"},
    };
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++)
        if (myr_pipe_is(r, refused[k].word))
            myr_pipe_fail_at_token(r, "'%s': %s", refused[k].word, refused[k].why);
}

static void statement(pipe_reader *r)
{
    if (++r->depth > PIPE_DEPTH)
        myr_pipe_fail_at_token(r, "this is nested too deeply");
    refuse_word(r);
    if (r->failed || myr_pipe_accept(r, ";")) {
        r->depth--;
        return;
    }
    if (myr_pipe_is(r, "{")) {
        block(r);
    } else if (is_type(r)) {
        declare_variables(r);
    } else if (myr_pipe_is(r, "for")) {
        loop(r);
    } else if (myr_pipe_is(r, "if")) {
        condition(r);
    } else if (r->now.kind == PIPE_IDENTIFIER) {
        const place to = myr_pipe_is(r, "OUTPUT") || myr_pipe_is(r, "out") ? output_place(r) : variable_place(r);
        if (!r->failed)
            assign(r, &to);
        myr_pipe_expect(r, ";", "after an assignment");
    } else {
        myr_pipe_fail_at_token(r, "expected a statement, not '%s'", r->now.text);
    }
    if (r->pipeline->graph.full)
        myr_pipe_fail_at_token(r, "this text computes too much: more than %d operations", PIPE_NODES);
    r->depth--;
}

void myr_pipe_body(pipe_reader *r)
{
    const int zero = myr_pipe_constant(&r->pipeline->graph, 0);
    for (r->slots = 0; r->slots < MYR_KERNEL_OUTPUTS_MAX; r->slots++)
        r->value[r->slots] = zero;
    while (!r->failed && r->now.kind != PIPE_END)
        statement(r);
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++)
        r->pipeline->sum[k] = r->value[k];
}
