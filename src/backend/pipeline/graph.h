/* graph.h - a pipeline as a graph of operations: every value computed by the text is a node, identified by its index.
 *
 * Loops are unrolled and conditions are selections, so that the only order in a graph is that of operands, and the same
 * text serves scalar code, vectors and a GPU. Equal values share a node. */
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

/* Properties of an operation, from operations.def. */
typedef struct {
    int operands;
    const char *lanes, *doubles;
    int flops, flops_gpu, issue;
} pipe_op_info;

extern const pipe_op_info myr_pipe_ops[PIPE_OPS];

/* Dependencies of a node. */
enum { PIPE_ON_I = 1, PIPE_ON_J = 2, PIPE_ON_PARAMETERS = 4 };

typedef struct {
    pipe_op op;
    int operand[3];
    double value; /* value of a constant; truth values are 0 and 1 */
    int index;    /* index of a parameter or of an input component; inputs of j follow those of i, see PIPE_J */
    int depends;
    int is_mask; /* 1 = truth value, 0 = number */
    int next;    /* next node in the hash bucket */
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
    int full; /* 1 = more than PIPE_NODES nodes, or no memory: indices returned since are invalid */
} pipe_graph;

/* Initialises and frees a graph. */
void myr_pipe_graph_init(pipe_graph *g);
void myr_pipe_graph_free(pipe_graph *g);

/* Nodes of a number, a truth value, a parameter, an input. */
int myr_pipe_constant(pipe_graph *g, double value);
int myr_pipe_truth(pipe_graph *g, int value);
int myr_pipe_parameter(pipe_graph *g, int index);
int myr_pipe_input(pipe_graph *g, int index);

/* Node of an operation, simplified: constants are folded, 0 + x is x, 1 / sqrt(x) is rsqrt(x). Missing operands are
 * 0. */
int myr_pipe_make(pipe_graph *g, pipe_op op, int a, int b, int c);

/* x^n for an integer n, by multiplication. */
int myr_pipe_power(pipe_graph *g, int x, int n);

/* Returns 1 if a node is a known number, stored in *value. */
int myr_pipe_known(const pipe_graph *g, int node, double *value);

#endif
