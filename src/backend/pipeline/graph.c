/* graph.c - construction of the graph of a pipeline. */
#include "backend/pipeline/graph.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const pipe_op_info myr_pipe_ops[PIPE_OPS] = {
#define PIPE_OP(name, operands, lanes, doubles, flops, flops_gpu, issue)                                               \
    {operands, lanes, doubles, flops, flops_gpu, issue},
#define PIPE_FUNCTION(word, name)
#include "backend/pipeline/operations.def"
#undef PIPE_OP
#undef PIPE_FUNCTION
};

void myr_pipe_graph_init(pipe_graph *g)
{
    memset(g, 0, sizeof *g);
    for (int k = 0; k < PIPE_BUCKETS; k++)
        g->bucket[k] = -1;
}

void myr_pipe_graph_free(pipe_graph *g)
{
    free(g->node);
    myr_pipe_graph_init(g);
}

/* Bits of a number: 0 and -0 differ, and all NaNs are equal. */
static uint64_t graph_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static unsigned graph_bucket(const pipe_node *n)
{
    uint64_t h = graph_bits(n->value) ^ (uint64_t)n->op * 0x9e3779b97f4a7c15u ^ (uint64_t)n->index << 40;
    for (int k = 0; k < 3; k++)
        h = (h ^ (uint64_t)n->operand[k]) * 0xbf58476d1ce4e5b9u;
    return (unsigned)(h >> 40) % PIPE_BUCKETS;
}

static int graph_equal(const pipe_node *a, const pipe_node *b)
{
    return a->op == b->op && a->index == b->index && a->is_mask == b->is_mask &&
           graph_bits(a->value) == graph_bits(b->value) && memcmp(a->operand, b->operand, sizeof a->operand) == 0;
}

/* Index of a node, which may exist already. */
static int graph_add(pipe_graph *g, pipe_node n)
{
    const unsigned bucket = graph_bucket(&n);
    for (int k = g->bucket[bucket]; k >= 0; k = g->node[k].next)
        if (graph_equal(&g->node[k], &n))
            return k;
    if (g->count == g->room) {
        const int room = g->room ? 2 * g->room : 256;
        pipe_node *more = room <= PIPE_NODES ? realloc(g->node, (size_t)room * sizeof *more) : NULL;
        if (!more) {
            g->full = 1;
            return 0;
        }
        g->node = more;
        g->room = room;
    }
    n.next = g->bucket[bucket];
    g->bucket[bucket] = g->count;
    g->node[g->count] = n;
    return g->count++;
}

int myr_pipe_constant(pipe_graph *g, double value)
{
    return graph_add(g, (pipe_node){.op = PIPE_CONST, .value = value});
}

int myr_pipe_truth(pipe_graph *g, int value)
{
    return graph_add(g, (pipe_node){.op = PIPE_CONST, .value = value != 0, .is_mask = 1});
}

int myr_pipe_parameter(pipe_graph *g, int index)
{
    return graph_add(g, (pipe_node){.op = PIPE_PARAM, .index = index, .depends = PIPE_ON_PARAMETERS});
}

int myr_pipe_input(pipe_graph *g, int index)
{
    return graph_add(g,
                     (pipe_node){.op = PIPE_INPUT, .index = index, .depends = index < PIPE_J ? PIPE_ON_I : PIPE_ON_J});
}

int myr_pipe_known(const pipe_graph *g, int node, double *value)
{
    if (g->full || g->node[node].op != PIPE_CONST)
        return 0;
    *value = g->node[node].value;
    return 1;
}

static double graph_apply(pipe_op op, double a, double b, double c)
{
    switch (op) {
    case PIPE_NEG:
        return -a;
    case PIPE_ADD:
        return a + b;
    case PIPE_SUB:
        return a - b;
    case PIPE_MUL:
        return a * b;
    case PIPE_DIV:
        return a / b;
    case PIPE_SQRT:
        return sqrt(a);
    case PIPE_RSQRT:
        return 1 / sqrt(a);
    case PIPE_EXP:
        return exp(a);
    case PIPE_ERF:
        return erf(a);
    case PIPE_SIN:
        return sin(a);
    case PIPE_COS:
        return cos(a);
    case PIPE_ABS:
        return fabs(a);
    case PIPE_ROUND:
        return rint(a);
    case PIPE_MIN:
        return a < b ? a : b;
    case PIPE_MAX:
        return a > b ? a : b;
    case PIPE_SELECT:
        return a != 0 ? b : c;
    case PIPE_KEEP:
        return a != 0 ? b : 0;
    case PIPE_LT:
        return a < b;
    case PIPE_LE:
        return a <= b;
    case PIPE_EQ:
        return a == b;
    case PIPE_AND:
        return a != 0 && b != 0;
    case PIPE_OR:
        return a != 0 || b != 0;
    case PIPE_NOT:
        return a == 0;
    case PIPE_CONST:
    case PIPE_PARAM:
    case PIPE_INPUT:
    case PIPE_OPS:
        break;
    }
    return NAN;
}

static int is_number(const pipe_graph *g, int node, double value)
{
    double x;
    return myr_pipe_known(g, node, &x) && x == value;
}

/* Node that is equal to an operation and already exists or is a constant; -1 if there is none. */
static int graph_shortcut(pipe_graph *g, pipe_op op, int a, int b, int c)
{
    double x;
    if (op == PIPE_ADD && (is_number(g, a, 0) || is_number(g, b, 0)))
        return is_number(g, a, 0) ? b : a;
    if (op == PIPE_SUB && is_number(g, b, 0))
        return a;
    if (op == PIPE_SUB && is_number(g, a, 0))
        return myr_pipe_make(g, PIPE_NEG, b, 0, 0);
    if (op == PIPE_MUL && (is_number(g, a, 1) || is_number(g, b, 1)))
        return is_number(g, a, 1) ? b : a;
    if (op == PIPE_DIV && is_number(g, b, 1))
        return a;
    if (op == PIPE_DIV && myr_pipe_known(g, b, &x) && fabs(frexp(x, &(int){0})) == 0.5) /* exact */
        return myr_pipe_make(g, PIPE_MUL, a, myr_pipe_constant(g, 1 / x), 0);
    if (op == PIPE_DIV && g->node[b].op == PIPE_SQRT)
        return myr_pipe_make(g, PIPE_MUL, a, myr_pipe_make(g, PIPE_RSQRT, g->node[b].operand[0], 0, 0), 0);
    if (op == PIPE_DIV && g->node[b].depends == PIPE_ON_PARAMETERS && g->node[a].depends != PIPE_ON_PARAMETERS &&
        !is_number(g, a, 1)) /* computes the reciprocal only once */
        return myr_pipe_make(g, PIPE_MUL, a, myr_pipe_make(g, PIPE_DIV, myr_pipe_constant(g, 1), b, 0), 0);
    if (op == PIPE_NEG && g->node[a].op == PIPE_NEG)
        return g->node[a].operand[0];
    if (op == PIPE_NEG && g->node[a].op == PIPE_SUB)
        return myr_pipe_make(g, PIPE_SUB, g->node[a].operand[1], g->node[a].operand[0], 0);
    if (op == PIPE_SELECT && b == c)
        return b;
    if (op == PIPE_SELECT && myr_pipe_known(g, a, &x))
        return x != 0 ? b : c;
    if (op == PIPE_SELECT && is_number(g, c, 0))
        return myr_pipe_make(g, PIPE_KEEP, a, b, 0);
    if (op == PIPE_KEEP && (myr_pipe_known(g, a, &x) || is_number(g, b, 0)))
        return !is_number(g, b, 0) && x != 0 ? b : myr_pipe_constant(g, 0);
    return -1;
}

int myr_pipe_make(pipe_graph *g, pipe_op op, int a, int b, int c)
{
    const int operand[3] = {a, b, c}, operands = myr_pipe_ops[op].operands;
    pipe_node n = {.op = op, .operand = {a, b, c}};
    double x[3] = {0};
    int known = 0;
    if (g->full)
        return 0;
    for (int k = 0; k < operands && k < 3; k++) {
        n.depends |= g->node[operand[k]].depends;
        known += myr_pipe_known(g, operand[k], &x[k]);
    }
    n.is_mask = op >= PIPE_LT;
    if (known == operands) {
        const double value = graph_apply(op, x[0], x[1], x[2]);
        return n.is_mask ? myr_pipe_truth(g, value != 0) : myr_pipe_constant(g, value);
    }
    const int shorter = graph_shortcut(g, op, a, b, c);
    if (shorter >= 0)
        return shorter;
    if ((op == PIPE_ADD || op == PIPE_MUL) && a > b) { /* a + b and b + a are one node */
        n.operand[0] = b;
        n.operand[1] = a;
    }
    return graph_add(g, n);
}

int myr_pipe_power(pipe_graph *g, int x, int n)
{
    int result = myr_pipe_constant(g, 1);
    if (n < 0)
        return myr_pipe_make(g, PIPE_DIV, result, myr_pipe_power(g, x, -n), 0);
    for (; n > 0; n >>= 1, x = n ? myr_pipe_make(g, PIPE_MUL, x, x, 0) : x)
        if (n & 1)
            result = myr_pipe_make(g, PIPE_MUL, result, x, 0);
    return result;
}
