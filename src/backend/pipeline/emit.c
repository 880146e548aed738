/* emit.c - writes a pipeline as the header of a kernel (kernel.h), over lanes. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/inside.h"

/* Growing text; `text` is null after memory was short. */
typedef struct {
    char *text;
    size_t length, room;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (!t->text || need < 0)
        return;
    if (t->length + (size_t)need + 1 > t->room) {
        const size_t room = 2 * (t->room + (size_t)need + 1);
        char *more = realloc(t->text, room);
        if (!more) {
            free(t->text);
            t->text = NULL;
            return;
        }
        t->text = more;
        t->room = room;
    }
    va_start(args, format);
    vsnprintf(t->text + t->length, t->room - t->length, format, args);
    va_end(args);
    t->length += (size_t)need;
}

static void put_number(page *t, double x)
{
    if (isnan(x))
        put(t, "NAN");
    else if (isinf(x))
        put(t, "%sINFINITY", x < 0 ? "-" : "");
    else
        put(t, "%.17g%s", x, x == floor(x) && fabs(x) < 1e15 ? ".0" : "");
}

/* Index of an input: component of the position, or -1 - index among the components of the other fields. */
static int input_place(const myr_pipeline *p, int index)
{
    const int k = index % PIPE_J;
    return k < p->coords ? k : -1 - (k - p->coords);
}

static void put_operand(page *t, const myr_pipeline *p, const pipe_plan *plan, int node)
{
    const pipe_node *n = &p->graph.node[node];
    if (plan->hoisted[node]) {
        int slot = 0;
        while (slot < p->constants - 1 && p->constant[slot] != node)
            slot++;
        put(t, "in->c[%d]", slot);
    } else if (n->op == PIPE_CONST && n->is_mask) {
        put(t, "mask_from_bits(%s)", n->value != 0 ? "0xffffffffu" : "0u");
    } else if (n->op == PIPE_CONST) {
        put(t, "lane_set(K(");
        put_number(t, n->value);
        put(t, "))");
    } else if (n->op == PIPE_INPUT) {
        const int place = input_place(p, n->index);
        const char side = n->index >= PIPE_J ? 'j' : 'i';
        if (place >= 0)
            put(t, "PIPE_VALUE(in->x%c[%d])", side, place);
        else
            put(t, "in->f%c[%d]", side, -1 - place);
    } else {
        put(t, "v%d", node);
    }
}

static int is_coordinate(const myr_pipeline *p, int node)
{
    return p->graph.node[node].op == PIPE_INPUT && input_place(p, p->graph.node[node].index) >= 0;
}

static void put_coordinate(page *t, const myr_pipeline *p, int node)
{
    const int index = p->graph.node[node].index;
    put(t, "in->x%c[%d]", index >= PIPE_J ? 'j' : 'i', input_place(p, index));
}

/* Writes a sum or difference whose operand `which` is a product as one multiply-add. */
static void put_fused(page *t, const myr_pipeline *p, const pipe_plan *plan, const pipe_node *n, int which)
{
    const pipe_node *product = &p->graph.node[n->operand[which]];
    const int minus = n->op == PIPE_SUB;
    put(t, "lane_madd(%s", minus && which == 1 ? "-" : "");
    put_operand(t, p, plan, product->operand[0]);
    put(t, ", ");
    put_operand(t, p, plan, product->operand[1]);
    put(t, ", %s", minus && which == 0 ? "-" : "");
    put_operand(t, p, plan, n->operand[!which]);
    put(t, ")");
}

static void put_operation(page *t, const myr_pipeline *p, const pipe_plan *plan, const pipe_node *n)
{
    for (const char *c = myr_pipe_ops[n->op].lanes; *c; c++)
        if (*c == '$')
            put_operand(t, p, plan, n->operand[*++c - '1']);
        else
            put(t, "%c", *c);
}

static void put_node(page *t, const myr_pipeline *p, const pipe_plan *plan, int node)
{
    const pipe_node *n = &p->graph.node[node];
    put(t, "    const %s v%d = ", n->is_mask ? "lmask" : "lane", node);
    if (n->op == PIPE_SUB && is_coordinate(p, n->operand[0]) && is_coordinate(p, n->operand[1])) {
        put(t, "lane_delta(");
        put_coordinate(t, p, n->operand[0]);
        put(t, ", ");
        put_coordinate(t, p, n->operand[1]);
        put(t, ")");
    } else if (plan->fused[node]) {
        put_fused(t, p, plan, n, plan->fused[node] - 1);
    } else {
        put_operation(t, p, plan, n);
    }
    put(t, ";\n");
}

static int is_computed(const myr_pipeline *p, const pipe_plan *plan, int node)
{
    return plan->live[node] && !plan->hoisted[node] && !plan->absorbed[node] &&
           myr_pipe_ops[p->graph.node[node].op].operands > 0;
}

/* The careful loop skips coincident particles if a contribution has no value. */
static void put_guard(page *t, const myr_pipeline *p)
{
    put(t, "    if (guard->careful) {\n        lmask same = mask_from_bits(0xffffffffu), fine = same;\n");
    for (int k = 0; k < p->coords; k++)
        put(t, "        same = mask_and(same, lane_eq(lane_delta(in->xj[%d], in->xi[%d]), lane_set(K(0))));\n", k, k);
    for (int k = 0; k < p->out.components; k++)
        put(t, "        fine = mask_and(fine, lane_eq((s[%d] * d[%d]) * lane_set(K(0)), lane_set(K(0))));\n", k, k);
    put(t, "        guard_singular(guard, lane_select(mask_andnot(same, fine), lane_set(K(0)), lane_set(K(1))));\n");
    put(t, "    }\n");
}

static void put_pair(page *t, const myr_pipeline *p, const pipe_plan *plan)
{
    put(t,
        "#if COORD_LANES == 2\n#define PIPE_VALUE(c) ((c).hi)\n#else\n#define PIPE_VALUE(c) (c)\n#endif\n\n"
        "MYR_FN void %s_pair(const myr_pair *in, myr_guard *guard, lane *s, lane *d)\n{\n",
        p->name);
    for (int k = 0; k < p->graph.count; k++)
        if (is_computed(p, plan, k))
            put_node(t, p, plan, k);
    for (int k = 0; k < p->out.components; k++) {
        put(t, "    s[%d] = ", k);
        put_operand(t, p, plan, p->factor[k][0]);
        put(t, ";\n    d[%d] = ", k);
        if (p->factor[k][1] < 0)
            put(t, "lane_set(K(1))");
        else
            put_operand(t, p, plan, p->factor[k][1]);
        put(t, ";\n");
    }
    put_guard(t, p);
    put(t, "}\n\n#undef PIPE_VALUE\n");
}

/* --- constants that depend on the parameters alone, in double ----------------------------------------------------- */

static void put_double(page *t, const pipe_graph *g, int node)
{
    if (g->node[node].op == PIPE_CONST)
        put_number(t, g->node[node].value);
    else if (g->node[node].op == PIPE_PARAM)
        put(t, "parameter[%d]", g->node[node].index);
    else
        put(t, "u%d", node);
}

static void put_prepare(page *t, const myr_pipeline *p, const pipe_plan *plan)
{
    const pipe_graph *g = &p->graph;
    put(t, "static inline double %s_prepare(const double *parameter, double *constant)\n{\n", p->name);
    for (int k = 0; k < g->count; k++) {
        if (!plan->hoisted[k] || g->node[k].op == PIPE_PARAM)
            continue;
        put(t, "    const double u%d = ", k);
        for (const char *c = myr_pipe_ops[g->node[k].op].doubles; *c; c++)
            if (*c == '$')
                put_double(t, g, g->node[k].operand[*++c - '1']);
            else
                put(t, "%c", *c);
        put(t, ";\n    (void)u%d;\n", k);
    }
    for (int k = 0; k < p->constants; k++) {
        put(t, "    constant[%d] = ", k);
        put_double(t, g, p->constant[k]);
        put(t, ";\n");
    }
    put(t, "    (void)parameter;\n    (void)constant;\n    return 1.0;\n}\n\n");
}

/* --- the descriptor as data, and the record as C ------------------------------------------------------------------ */

static void fields_without_position(const myr_pipeline *p, int side, myr_kernel_field *to)
{
    int fields = 0;
    for (int k = 1; k < p->side[side].fields; k++) {
        const pipe_field *f = &p->side[side].field[k];
        to[fields++] = (myr_kernel_field){f->field, f->components, 0};
    }
}

static int function_issue(pipe_op op)
{
    switch (op) {
    case PIPE_RSQRT:
        return MYR_ISSUE_RSQRT;
    case PIPE_EXP:
        return MYR_ISSUE_EXP;
    case PIPE_ERF:
        return MYR_ISSUE_ERF;
    case PIPE_SIN:
    case PIPE_COS:
        return MYR_ISSUE_SIN;
    default:
        return 0;
    }
}

/* Counts the operations that depend on target and source, and determines whether the formula is short. */
static void count_operations(const myr_pipeline *p, const pipe_plan *plan, int outputs, myr_operation_counts *counts,
                             int *is_short)
{
    int functions = 0;
    *counts = (myr_operation_counts){0, 0, 0};
    for (int k = 0; k < p->graph.count; k++) {
        const pipe_node *n = &p->graph.node[k];
        if (!plan->live[k] || plan->hoisted[k] || (n->depends & (PIPE_ON_I | PIPE_ON_J)) != (PIPE_ON_I | PIPE_ON_J))
            continue;
        counts->flops += myr_pipe_ops[n->op].flops;
        counts->flops_gpu += myr_pipe_ops[n->op].flops_gpu;
        counts->issue += plan->absorbed[k] ? 0 : myr_pipe_ops[n->op].issue;
        functions += function_issue(n->op);
    }
    for (int k = 0; k < outputs; k++) {
        counts->flops += p->factor[k][1] < 0 ? 1 : 2;
        counts->flops_gpu += p->factor[k][1] < 0 ? 1 : 2;
        counts->issue++;
    }
    *is_short = counts->issue <= MYR_KERNEL_SHORT;
    counts->issue += functions;
}

/* Returns 1 if all contributions of a particle to itself are exactly 0: each has a factor that is a coordinate
 * difference, or is 0. Nothing is masked then; if the other factor has no value, the sum is not finite and the careful
 * loop finds the pair. */
static int vanishes_on_itself(const myr_pipeline *p, int outputs)
{
    for (int k = 0; k < outputs; k++) {
        int vanishes = 0;
        for (int f = 0; f < 2; f++) {
            const pipe_node *n = p->factor[k][f] < 0 ? NULL : &p->graph.node[p->factor[k][f]];
            if (n && n->op == PIPE_CONST)
                vanishes |= n->value == 0;
            if (n && n->op == PIPE_SUB && is_coordinate(p, n->operand[0]) && is_coordinate(p, n->operand[1]))
                vanishes |= abs(p->graph.node[n->operand[0]].index - p->graph.node[n->operand[1]].index) == PIPE_J;
        }
        if (!vanishes)
            return 0;
    }
    return 1;
}

int myr_pipe_describe(myr_pipeline *p)
{
    if (!p->about[0])
        snprintf(p->about, sizeof p->about, "a kernel of the user's");
    if (!p->formula[0])
        snprintf(p->formula, sizeof p->formula, "see its text");
    snprintf(p->name_potential, sizeof p->name_potential, "%s_potential", p->name);
    for (int with = 0; with <= p->has_potential; with++) {
        myr_kernel_desc *d = &p->desc[with];
        const int outputs = p->out.components - (p->has_potential && !with);
        pipe_plan plan;
        memset(d, 0, sizeof *d);
        d->name = with ? p->name_potential : p->name;
        d->text = p->about;
        d->formula = p->formula;
        d->coords = p->coords;
        fields_without_position(p, 0, d->target);
        fields_without_position(p, 1, d->source);
        for (int k = 0; k < p->parameters; k++) {
            d->parameter[k] = p->parameter[k];
            d->parameter[k].is_cutoff = k == p->reach;
        }
        for (int k = 0; k < p->out.fields - (p->has_potential && !with); k++)
            d->output[k] =
                (myr_kernel_output){p->out.field[k].field, p->out.field[k].components, p->out.field[k].symmetry};
        d->self = p->self == MYR_SELF_SKIPPED && vanishes_on_itself(p, outputs) ? MYR_SELF_VANISHES : p->self;
        if (!myr_pipe_plan_make(p, outputs, &plan)) {
            myr_pipe_plan_free(&plan);
            return 0;
        }
        count_operations(p, &plan, outputs, &p->counts[with], &d->is_short);
        myr_pipe_plan_free(&plan);
    }
    return 1;
}

static void put_fields(page *t, const char *kind, const myr_kernel_field *f)
{
    for (; f->name; f++)
        put(t, " \\\n    %s(%s, %d)", kind, f->name, f->components);
}

static void put_record(page *t, const myr_pipeline *p, const myr_kernel_desc *d)
{
    static const char *const symmetry[] = {"MYR_SYMMETRY_NONE", "MYR_SYMMETRY_ANTI", "MYR_SYMMETRY_ANTI_EQUAL"};
    static const char *const self[] = {"MYR_SELF_VANISHES", "MYR_SELF_SKIPPED", "MYR_SELF_COUNTED"};
    put(t, "#define %s_RECORD(MYR_TARGET, MYR_SOURCE, MYR_PARAMETER, MYR_OUTPUT, MYR_SIZE)", d->name);
    put_fields(t, "MYR_TARGET", d->target);
    put_fields(t, "MYR_SOURCE", d->source);
    for (int k = 0; k < p->parameters; k++) {
        const myr_kernel_parameter *q = &d->parameter[k];
        put(t, " \\\n    MYR_PARAMETER(%s, %.17g, %.17g, %.17g, \"%s\"%s)", q->name, q->value, q->lower, q->upper,
            q->text, q->is_cutoff ? ", MYR_CUTOFF" : "");
    }
    for (const myr_kernel_output *o = d->output; o->name; o++)
        put(t, " \\\n    MYR_OUTPUT(%s, %d, %s)", o->name, o->components, symmetry[o->symmetry]);
    put(t, " \\\n    MYR_SIZE(CONSTANTS, %d) MYR_SIZE(COORDS, %d)\n", p->constants, d->coords);
    put(t, "MYR_KERNEL_RECORD(%s, .text = \"%s\", .formula = \"%s\", .self = %s, .is_short = %d);\n\n", d->name,
        d->text, d->formula, self[d->self], d->is_short);
}

int myr_pipeline_is_relative(const myr_pipeline *pipeline)
{
    const myr_pipeline *p = pipeline;
    pipe_plan plan;
    int is_relative = myr_pipe_plan_make(p, p->out.components, &plan);
    for (int k = 0; is_relative && k < p->graph.count; k++) {
        const pipe_node *n = &p->graph.node[k];
        const int operands = myr_pipe_ops[n->op].operands;
        int coordinates = 0;
        for (int o = 0; plan.live[k] && o < operands; o++)
            coordinates += is_coordinate(p, n->operand[o]);
        is_relative = coordinates == 0 ||
                      (n->op == PIPE_SUB && coordinates == 2 &&
                       abs(p->graph.node[n->operand[0]].index - p->graph.node[n->operand[1]].index) == PIPE_J);
    }
    for (int k = 0; is_relative && k < p->out.components; k++) /* a contribution may be a coordinate itself */
        is_relative = !is_coordinate(p, p->factor[k][0]) && (p->factor[k][1] < 0 || !is_coordinate(p, p->factor[k][1]));
    myr_pipe_plan_free(&plan);
    return is_relative;
}

char *myr_pipeline_header(const myr_pipeline *pipeline)
{
    const myr_pipeline *p = pipeline;
    page t = {.text = malloc(4096), .room = 4096};
    pipe_plan plan;
    if (!myr_pipe_plan_make(p, p->out.components, &plan)) {
        myr_pipe_plan_free(&plan);
        free(t.text);
        return NULL;
    }
    const pipe_language language = myr_pipe_language_begin();
    put(&t, "/* Written by Myriad from the pipeline %s. */\n#include \"kernel/kernel.h\"\n\n", p->name);
    put_record(&t, p, &p->desc[0]);
    if (p->has_potential)
        put_record(&t, p, &p->desc[1]);
    put_prepare(&t, p, &plan);
    put_pair(&t, p, &plan);
    if (p->has_potential)
        put(&t, "#define %s_prepare %s_prepare\n#define %s_pair %s_pair\n", p->name_potential, p->name,
            p->name_potential, p->name);
    myr_pipe_language_end(language);
    myr_pipe_plan_free(&plan);
    return t.text;
}
