/* expression.c - values: C expressions over numbers and truth values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/context.h>

#include "backend/pipeline/inside.h"

/* Names of the functions, from operations.def. */
static const struct {
    const char *word;
    pipe_op op;
} functions[] = {
#define PIPE_OP(name, operands, lanes, doubles, flops, flops_gpu, issue)
#define PIPE_FUNCTION(word, name) {#word, PIPE_##name},
#include "backend/pipeline/operations.def"
#undef PIPE_OP
#undef PIPE_FUNCTION
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static int is_mask(const pipe_reader *r, int node)
{
    return !r->failed && !r->pipeline->graph.full && r->pipeline->graph.node[node].is_mask;
}

/* Makes an operation; the operands must be numbers, or truth values as given by `masks`. */
static int make(pipe_reader *r, const pipe_token *at, pipe_op op, int masks, int a, int b)
{
    const int operands = myr_pipe_ops[op].operands;
    if (r->failed)
        return 0;
    if (is_mask(r, a) != masks || (operands > 1 && is_mask(r, b) != masks)) {
        myr_pipe_fail(r, at->line, at->column,
                      masks ? "'%s' needs comparisons on both sides" : "'%s' needs numbers, not comparisons", at->text);
        return 0;
    }
    return myr_pipe_make(&r->pipeline->graph, op, a, b, 0);
}

pipe_variable *myr_pipe_find_variable(pipe_reader *r, const char *name)
{
    for (int k = r->variables - 1; k >= 0; k--)
        if (strcmp(r->variable[k].name, name) == 0)
            return &r->variable[k];
    return NULL;
}

int myr_pipe_index(pipe_reader *r, const char *of, int components)
{
    const pipe_token at = r->now;
    double value = 0;
    const int node = myr_pipe_expression(r);
    if (r->failed)
        return 0;
    if (!myr_pipe_known(&r->pipeline->graph, node, &value) || value != floor(value))
        myr_pipe_fail(r, at.line, at.column,
                      "the index of '%s' must be a whole number that is known when the text is read", of);
    else if (value < 0 || value >= components)
        myr_pipe_fail(r, at.line, at.column, "index %g of '%s' is out of range: it has %d component%s, 0 to %d", value,
                      of, components, myr_plural(components), components - 1);
    return r->failed ? 0 : (int)value;
}

int myr_pipe_size(pipe_reader *r, int most)
{
    const pipe_token at = r->now;
    double value = 0;
    const int node = myr_pipe_expression(r);
    if (r->failed)
        return 0;
    if (!myr_pipe_known(&r->pipeline->graph, node, &value) || value != floor(value) || value < 1 || value > most) {
        myr_pipe_fail(r, at.line, at.column, "the number of components must be a whole number, 1 to %d", most);
        return 0;
    }
    return (int)value;
}

int myr_pipe_component(pipe_reader *r, const char *name, int components)
{
    if (!myr_pipe_accept(r, "[")) {
        if (components != 1)
            myr_pipe_fail_at_token(r, "'%s' has %d components: write %s[0]", name, components, name);
        return 0;
    }
    const int k = myr_pipe_index(r, name, components);
    myr_pipe_expect(r, "]", "after an index");
    return k;
}

static const pipe_field *find_field(const pipe_side *side, const char *name)
{
    for (int k = 0; k < side->fields; k++)
        if (strcmp(side->field[k].local, name) == 0)
            return &side->field[k];
    return NULL;
}

/* Reads i.x[0] or j.m; the current token is the letter of the side. */
static int dotted(pipe_reader *r, int which)
{
    const pipe_side *side = &r->pipeline->side[which];
    const char letter[2] = {which ? 'j' : 'i', '\0'};
    myr_pipe_advance(r);
    myr_pipe_expect(r, ".", "after the side");
    const pipe_token at = r->now;
    if (at.kind != PIPE_IDENTIFIER)
        myr_pipe_fail_at_token(r, "expected the name of a field after '%s.'", letter);
    myr_pipe_advance(r);
    const pipe_field *field = find_field(side, at.text);
    if (!field) {
        myr_pipe_fail(r, at.line, at.column, "%s has no field '%s'; declare it with '%s: %s'",
                      which ? "source j" : "target i", at.text, letter, at.text);
        return 0;
    }
    const int component = field->first + myr_pipe_component(r, at.text, field->components);
    return r->failed ? 0 : myr_pipe_input(&r->pipeline->graph, component + which * PIPE_J);
}

/* Reads INPUT_I[2] or INPUT_J[3]: the components of all fields in order. If nothing is declared, there are as many as
 * are used. */
static int numbered(pipe_reader *r, int which)
{
    pipe_side *side = &r->pipeline->side[which];
    const char *name = which ? "INPUT_J" : "INPUT_I";
    myr_pipe_advance(r);
    myr_pipe_expect(r, "[", "after the name of an input");
    const int k =
        myr_pipe_index(r, name, side->declared ? side->components : MYR_KERNEL_COMPONENTS + MYR_KERNEL_COORDS_MAX);
    myr_pipe_expect(r, "]", "after an index");
    if (r->failed)
        return 0;
    if (!side->declared && k >= side->components)
        side->components = k + 1;
    return myr_pipe_input(&r->pipeline->graph, k + which * PIPE_J);
}

/* pow(x, n) for integers and half-integers n. */
static int power(pipe_reader *r, const pipe_token *at, int x, int n)
{
    pipe_graph *g = &r->pipeline->graph;
    double exponent = 0;
    if (r->failed)
        return 0;
    if (!myr_pipe_known(g, n, &exponent) || 2 * exponent != rint(2 * exponent) || fabs(exponent) > 64) {
        myr_pipe_fail(r, at->line, at->column, "%s takes exponents that are whole or half numbers known now, up to 64",
                      at->text);
        return 0;
    }
    if (exponent == floor(exponent))
        return myr_pipe_power(g, x, (int)exponent);
    const int root = myr_pipe_make(g, exponent < 0 ? PIPE_RSQRT : PIPE_SQRT, x, 0, 0);
    return myr_pipe_power(g, root, (int)fabs(2 * exponent));
}

static void unknown_function(pipe_reader *r, const pipe_token *at)
{
    char list[PIPE_LINE] = "pow";
    for (int k = 0; k < FUNCTIONS; k++) {
        strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, functions[k].word, sizeof list - strlen(list) - 1);
    }
    myr_pipe_fail(r, at->line, at->column, "there is no function '%s'; there are: %s", at->text, list);
}

/* Operation of a function's name, with or without C's suffix f for float; PIPE_OPS for pow, -1 for none. */
static int find_function(const char *name)
{
    char word[PIPE_LINE];
    const size_t length = strlen(name);
    for (int shorter = 0; shorter < 2; shorter++) {
        if (shorter && (length < 2 || name[length - 1] != 'f'))
            break;
        snprintf(word, sizeof word, "%.*s", (int)length - shorter, name);
        if (strcmp(word, "pow") == 0)
            return PIPE_OPS;
        for (int k = 0; k < FUNCTIONS; k++)
            if (strcmp(word, functions[k].word) == 0)
                return (int)functions[k].op;
    }
    return -1;
}

static int call(pipe_reader *r, const pipe_token *name)
{
    int operand[3] = {0}, count = 0;
    const int op = find_function(name->text);
    myr_pipe_advance(r); /* skips the bracket */
    if (op < 0)
        unknown_function(r, name);
    if (!myr_pipe_is(r, ")"))
        do {
            if (count == 3)
                myr_pipe_fail_at_token(r, "'%s' has too many arguments", name->text);
            else
                operand[count++] = myr_pipe_expression(r);
        } while (!r->failed && myr_pipe_accept(r, ","));
    myr_pipe_expect(r, ")", "after the arguments of a function");
    const int wanted = op < 0 ? 0 : op == PIPE_OPS ? 2 : myr_pipe_ops[op].operands;
    if (!r->failed && count != wanted)
        myr_pipe_fail(r, name->line, name->column, "'%s' takes %d argument%s, not %d", name->text, wanted,
                      myr_plural(wanted), count);
    for (int k = 0; k < count; k++)
        if (!r->failed && is_mask(r, operand[k]) != (op == PIPE_SELECT && k == 0))
            myr_pipe_fail(r, name->line, name->column, "argument %d of '%s' must be a %s", k + 1, name->text,
                          op == PIPE_SELECT && k == 0 ? "comparison" : "number");
    if (r->failed)
        return 0;
    return op == PIPE_OPS ? power(r, name, operand[0], operand[1])
                          : myr_pipe_make(&r->pipeline->graph, (pipe_op)op, operand[0], operand[1], operand[2]);
}

static int variable_value(pipe_reader *r, const pipe_token *at, const pipe_variable *v)
{
    const int slot = v->slot + (v->components ? myr_pipe_component(r, v->name, v->components) : 0);
    if (r->failed)
        return 0;
    if (r->value[slot] < 0) {
        myr_pipe_fail(r, at->line, at->column, "'%s' is used before it has a value", at->text);
        return 0;
    }
    return r->value[slot];
}

static int name_value(pipe_reader *r)
{
    const pipe_token at = r->now;
    const int is_dotted = r->next.kind == PIPE_SIGN && strcmp(r->next.text, ".") == 0;
    if (is_dotted && (myr_pipe_is(r, "i") || myr_pipe_is(r, "j")))
        return dotted(r, myr_pipe_is(r, "j"));
    if (myr_pipe_is(r, "INPUT_I") || myr_pipe_is(r, "INPUT_J"))
        return numbered(r, myr_pipe_is(r, "INPUT_J"));
    if (myr_pipe_is(r, "OUTPUT") || myr_pipe_is(r, "out")) {
        myr_pipe_fail_at_token(r, "outputs cannot be read: they are sums over all sources");
        return 0;
    }
    myr_pipe_advance(r);
    if (myr_pipe_is(r, "("))
        return call(r, &at);
    const pipe_variable *v = myr_pipe_find_variable(r, at.text);
    if (v)
        return variable_value(r, &at, v);
    for (int k = 0; k < r->pipeline->parameters; k++)
        if (strcmp(r->pipeline->parameter_name[k], at.text) == 0)
            return myr_pipe_parameter(&r->pipeline->graph, k);
    myr_pipe_fail(r, at.line, at.column,
                  "'%s' is not declared; declare it as a variable (float %s) or with 'param: %s = ...'", at.text,
                  at.text, at.text);
    return 0;
}

static int primary(pipe_reader *r)
{
    if (r->now.kind == PIPE_NUMBER) {
        const double value = r->now.number;
        myr_pipe_advance(r);
        return myr_pipe_constant(&r->pipeline->graph, value);
    }
    if (r->now.kind == PIPE_IDENTIFIER)
        return name_value(r);
    if (myr_pipe_is(r, "(") && r->next.kind == PIPE_IDENTIFIER &&
        (strcmp(r->next.text, "float") == 0 || strcmp(r->next.text, "double") == 0)) { /* a cast without effect */
        myr_pipe_advance(r);
        myr_pipe_advance(r);
        myr_pipe_expect(r, ")", "after a type");
        return primary(r);
    }
    if (myr_pipe_accept(r, "(")) {
        const int node = myr_pipe_expression(r);
        myr_pipe_expect(r, ")", "to close a bracket");
        return node;
    }
    if (r->now.kind == PIPE_END)
        myr_pipe_fail_at_token(r, "the text ends where a value is expected");
    else
        myr_pipe_fail_at_token(r, "expected a value, not '%s'", r->now.text);
    return 0;
}

static int unary(pipe_reader *r)
{
    const pipe_token at = r->now;
    int node = 0;
    if (++r->depth > PIPE_DEPTH)
        myr_pipe_fail_at_token(r, "this is nested too deeply");
    if (myr_pipe_accept(r, "-"))
        node = make(r, &at, PIPE_NEG, 0, unary(r), 0);
    else if (myr_pipe_accept(r, "!"))
        node = make(r, &at, PIPE_NOT, 1, unary(r), 0);
    else if (myr_pipe_accept(r, "+"))
        node = unary(r);
    else if (!r->failed)
        node = primary(r);
    r->depth--;
    return node;
}

/* Binary operators by precedence, loosest first. `swap`: mirror image of the operation; `invert`: its negation. */
static const struct {
    const char *sign;
    int level;
    pipe_op op;
    int on_masks, swap, invert;
} operators[] = {
    {"||", 0, PIPE_OR, 1, 0, 0}, {"&&", 1, PIPE_AND, 1, 0, 0}, {"==", 2, PIPE_EQ, 0, 0, 0}, {"!=", 2, PIPE_EQ, 0, 0, 1},
    {"<", 3, PIPE_LT, 0, 0, 0},  {"<=", 3, PIPE_LE, 0, 0, 0},  {">", 3, PIPE_LT, 0, 1, 0},  {">=", 3, PIPE_LE, 0, 1, 0},
    {"+", 4, PIPE_ADD, 0, 0, 0}, {"-", 4, PIPE_SUB, 0, 0, 0},  {"*", 5, PIPE_MUL, 0, 0, 0}, {"/", 5, PIPE_DIV, 0, 0, 0},
};

enum { OPERATORS = sizeof operators / sizeof *operators, TIGHTEST = 5 };

static int find_operator(const pipe_reader *r, int level)
{
    for (int k = 0; k < OPERATORS; k++)
        if (operators[k].level == level && r->now.kind == PIPE_SIGN && myr_pipe_is(r, operators[k].sign))
            return k;
    return -1;
}

static int binary(pipe_reader *r, int level)
{
    if (level > TIGHTEST)
        return unary(r);
    int left = binary(r, level + 1), k;
    while (!r->failed && (k = find_operator(r, level)) >= 0) {
        const pipe_token at = r->now;
        myr_pipe_advance(r);
        const int right = binary(r, level + 1);
        left = make(r, &at, operators[k].op, operators[k].on_masks, operators[k].swap ? right : left,
                    operators[k].swap ? left : right);
        if (!r->failed && operators[k].invert)
            left = myr_pipe_make(&r->pipeline->graph, PIPE_NOT, left, 0, 0);
    }
    return left;
}

/* Reads the rest of `condition ? yes : no` from the question mark on. */
static int choice(pipe_reader *r, int condition)
{
    const pipe_token at = r->now;
    myr_pipe_advance(r);
    if (!is_mask(r, condition))
        myr_pipe_fail(r, at.line, at.column, "the left side of '?' must be a comparison");
    const int yes = myr_pipe_expression(r);
    myr_pipe_expect(r, ":", "between the two values of '?'");
    const int no = myr_pipe_expression(r);
    if (!r->failed && (is_mask(r, yes) || is_mask(r, no)))
        myr_pipe_fail(r, at.line, at.column, "the values of '?' must be numbers");
    return r->failed ? 0 : myr_pipe_make(&r->pipeline->graph, PIPE_SELECT, condition, yes, no);
}

int myr_pipe_expression(pipe_reader *r)
{
    if (++r->depth > PIPE_DEPTH)
        myr_pipe_fail_at_token(r, "this is nested too deeply");
    int node = binary(r, 0);
    if (myr_pipe_is(r, "?"))
        node = choice(r, node);
    r->depth--;
    return node;
}
