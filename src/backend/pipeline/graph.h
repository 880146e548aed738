/* graph.h - a pipeline as a graph of operations: every value that the text computes is a node, known by its number.
 *
 * Loops are unrolled and conditions have become selections, so that a graph has no order but that of its operands, and
 * the same text serves one number at a time, vectors and a GPU. Equal values are one node. */
#ifndef MYR_BACKEND_PIPELINE_GRAPH_H
#define MYR_BACKEND_PIPELINE_GRAPH_H

typedef enum {
#define PIPE_OP(name, operands, lanes, doubles, flops, flops_gpu, issue) PIPE_##name,
#define PIPE_FUNCTION(word, name)
#include "backend/pipeline/operations.def"
#undef PIPE_OP
#undef PIPE_FUNCTION
    PIPE_OPS
} pipe_op;

/* What an operation is, from operations.def. */
typedef struct {
    int operands;
    const char *lanes, *doubles;
    int flops, flops_gpu, issue;
} pipe_op_info;

extern const pipe_op_info myr_pipe_ops[PIPE_OPS];

/* What a node depends on. */
enum { PIPE_ON_I = 1, PIPE_ON_J = 2, PIPE_ON_PARAMETERS = 4 };

typedef struct {
    pipe_op op;
    int operand[3];
    double value; /* of a constant; truth values are 0 and 1 */
    int index;    /* of a parameter, or of an input's component; inputs of j follow those of i, see PIPE_J */
    int depends;
    int is_mask; /* a truth value, not a number */
    int next;    /* in its bucket */
} pipe_node;

enum {
    PIPE_J = 1024, /* index of the first component of a source */
    PIPE_NODES = 16384,
    PIPE_BUCKETS = 1024
};

typedef struct {
    pipe_node *node;
    int count, room;
    int bucket[PIPE_BUCKETS];
    int full; /* more than PIPE_NODES, or no memory: the numbers given out since mean nothing */
} pipe_graph;

/* An empty graph; myr_pipe_graph_free empties it again. */
void myr_pipe_graph_init(pipe_graph *g);
void myr_pipe_graph_free(pipe_graph *g);

/* The nodes of a number, a parameter, an input. */
int myr_pipe_constant(pipe_graph *g, double value);
int myr_pipe_truth(pipe_graph *g, int value);
int myr_pipe_parameter(pipe_graph *g, int index);
int myr_pipe_input(pipe_graph *g, int index);

/* The node of an operation, simplified: constants are folded, 0 + x is x, 1 / sqrt(x) is rsqrt(x). Operands that are
 * not there are 0. */
int myr_pipe_make(pipe_graph *g, pipe_op op, int a, int b, int c);

/* x^n for a whole number n, by multiplication. */
int myr_pipe_power(pipe_graph *g, int x, int n);

/* Whether a node is a number that is known, and which. */
int myr_pipe_known(const pipe_graph *g, int node, double *value);

#endif
