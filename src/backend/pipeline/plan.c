/* plan.c - decides where each node of a pipeline's graph is computed: once, in the loop, or as part of a
 * multiply-add. */
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/inside.h"

void myr_pipe_plan_free(pipe_plan *plan)
{
    free(plan->live);
    free(plan->uses);
    free(plan->hoisted);
    free(plan->fused);
    free(plan->absorbed);
    memset(plan, 0, sizeof *plan);
}

/* Marks nodes that depend on parameters only, through operations available in plain C. */
static void plan_hoist(const myr_pipeline *p, int parameters_only, char *hoisted)
{
    const pipe_graph *g = &p->graph;
    for (int k = 0; k < g->count; k++) {
        const pipe_node *n = &g->node[k];
        const pipe_op_info *op = &myr_pipe_ops[n->op];
        hoisted[k] = n->op == PIPE_PARAM;
        if (parameters_only || n->depends != PIPE_ON_PARAMETERS || !op->doubles[0])
            continue;
        hoisted[k] = 1;
        for (int o = 0; o < op->operands; o++)
            hoisted[k] &= hoisted[n->operand[o]] || g->node[n->operand[o]].op == PIPE_CONST;
    }
}

static void plan_use(pipe_plan *plan, int node)
{
    plan->live[node] = 1;
    plan->uses[node]++;
}

/* Marks the nodes needed by the outputs; operands of hoisted nodes are not needed in the loop. */
static void plan_mark(const myr_pipeline *p, int outputs, pipe_plan *plan)
{
    const pipe_graph *g = &p->graph;
    for (int k = 0; k < outputs; k++)
        for (int f = 0; f < 2; f++)
            if (p->factor[k][f] >= 0)
                plan_use(plan, p->factor[k][f]);
    for (int k = g->count - 1; k >= 0; k--)
        if (plan->live[k] && !plan->hoisted[k])
            for (int o = 0; o < myr_pipe_ops[g->node[k].op].operands; o++)
                plan_use(plan, g->node[k].operand[o]);
}

/* Fuses a sum with a product that has no other use into one operation; the choice is deterministic. */
static void plan_fuse(const myr_pipeline *p, pipe_plan *plan)
{
    const pipe_graph *g = &p->graph;
    for (int k = 0; k < g->count; k++) {
        const pipe_node *n = &g->node[k];
        if (!plan->live[k] || plan->hoisted[k] || (n->op != PIPE_ADD && n->op != PIPE_SUB))
            continue;
        for (int o = 0; o < 2 && !plan->fused[k]; o++) {
            const int product = n->operand[o];
            if (g->node[product].op == PIPE_MUL && plan->uses[product] == 1 && !plan->hoisted[product]) {
                plan->fused[k] = (char)(1 + o);
                plan->absorbed[product] = 1;
            }
        }
    }
}

static int plan_constants(const myr_pipeline *p, const pipe_plan *plan, int *constant)
{
    int count = 0;
    for (int k = 0; k < p->graph.count; k++)
        if (plan->live[k] && plan->hoisted[k]) {
            if (constant && count < MYR_KERNEL_CONSTANTS_MAX)
                constant[count] = k;
            count++;
        }
    return count;
}

/* If hoisting everything would need more constants than a kernel may have, only the parameters are hoisted. */
int myr_pipe_plan_make(const myr_pipeline *p, int outputs, pipe_plan *plan)
{
    const size_t n = (size_t)p->graph.count + 1;
    memset(plan, 0, sizeof *plan);
    plan->live = calloc(n, 1);
    plan->uses = calloc(n, sizeof *plan->uses);
    plan->hoisted = calloc(n, 1);
    plan->fused = calloc(n, 1);
    plan->absorbed = calloc(n, 1);
    if (!plan->live || !plan->uses || !plan->hoisted || !plan->fused || !plan->absorbed)
        return 0;
    for (int parameters_only = 0; parameters_only < 2; parameters_only++) {
        memset(plan->live, 0, n);
        memset(plan->uses, 0, n * sizeof *plan->uses);
        plan_hoist(p, parameters_only, plan->hoisted);
        plan_mark(p, p->out.components, plan);
        if (plan_constants(p, plan, NULL) <= MYR_KERNEL_CONSTANTS_MAX)
            break;
    }
    plan_fuse(p, plan); /* fused for all outputs, so that a subset of the outputs has the same bits */
    memset(plan->live, 0, n);
    plan_mark(p, outputs, plan);
    return 1;
}

/* Returns nonzero for a node that is finite for all values of the others, so that a factor made of it needs no mask: 1,
 * or 2 for a difference of inputs, which is best kept as a factor because it may be 0. */
static int plan_finite(const pipe_graph *g, int node)
{
    const pipe_node *n = &g->node[node];
    if (n->op == PIPE_SUB)
        return g->node[n->operand[0]].op == PIPE_INPUT && g->node[n->operand[1]].op == PIPE_INPUT ? 2 : 0;
    return n->op == PIPE_INPUT || n->op == PIPE_CONST || n->op == PIPE_PARAM;
}

/* Writes a contribution as s * d; d is finite if one of the factors is. */
static void plan_split(pipe_graph *g, int node, int factor[2])
{
    const pipe_node n = g->node[node];
    if (n.op == PIPE_MUL) {
        const int swap = plan_finite(g, n.operand[0]) > plan_finite(g, n.operand[1]);
        factor[0] = n.operand[swap];
        factor[1] = n.operand[!swap];
    } else if (n.op == PIPE_NEG) {
        plan_split(g, n.operand[0], factor);
        factor[0] = myr_pipe_make(g, PIPE_NEG, factor[0], 0, 0);
    } else if (n.op == PIPE_KEEP) {
        plan_split(g, n.operand[1], factor);
        factor[0] = myr_pipe_make(g, PIPE_KEEP, n.operand[0], factor[0], 0);
        if (factor[1] >= 0 && !plan_finite(g, factor[1]))
            factor[1] = myr_pipe_make(g, PIPE_KEEP, n.operand[0], factor[1], 0);
    } else {
        factor[0] = node;
        factor[1] = -1;
    }
}

int myr_pipe_plan_formula(myr_pipeline *p)
{
    pipe_plan plan;
    for (int k = 0; k < p->out.components; k++)
        plan_split(&p->graph, p->sum[k], p->factor[k]);
    const int made = !p->graph.full && myr_pipe_plan_make(p, p->out.components, &plan);
    if (made)
        p->constants = plan_constants(p, &plan, p->constant);
    if (!p->graph.full)
        myr_pipe_plan_free(&plan);
    return made;
}
