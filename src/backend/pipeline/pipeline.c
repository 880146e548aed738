/* pipeline.c - makes a pipeline from its text. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/inside.h"

enum { PIPE_TEXT_MAX = 1 << 20 };

pipe_language myr_pipe_language_begin(void)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (pipe_language){(void *)plain, plain ? (void *)uselocale(plain) : NULL};
}

void myr_pipe_language_end(pipe_language language)
{
    if (!language.plain)
        return;
    uselocale((locale_t)language.before);
    freelocale((locale_t)language.plain);
}

/* Default name of the kernel: the file name without folders and extension, with characters that an identifier may
 * have. */
static void name_from_file(myr_pipeline *p)
{
    const char *slash = strrchr(p->file, '/'), *base = slash ? slash + 1 : p->file;
    size_t length = strcspn(base, ".");
    if (length >= PIPE_WORD)
        length = PIPE_WORD - 1;
    for (size_t k = 0; k < length; k++)
        p->name[k] = (char)(isalnum((unsigned char)base[k]) ? tolower((unsigned char)base[k]) : '_');
    p->name[length] = '\0';
    if (!length || isdigit((unsigned char)p->name[0]))
        snprintf(p->name, sizeof p->name, "pipeline");
}

/* Text without declarations: the first components of both sides are the position, the rest is one field. */
static void undeclared(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    for (int s = 0; s < 2; s++)
        if (p->side[s].components == 0)
            myr_pipe_fail(r, 1, 1, "the text never uses %s", s ? "INPUT_J" : "INPUT_I");
    if (p->out.components == 0)
        myr_pipe_fail(r, 1, 1, "the text never adds to OUTPUT");
    if (r->failed)
        return;
    p->coords = MYR_KERNEL_COORDS_MAX;
    for (int s = 0; s < 2; s++)
        if (p->side[s].components < p->coords)
            p->coords = p->side[s].components;
    for (int s = 0; s < 2; s++) {
        pipe_side *side = &p->side[s];
        pipe_field *f = side->field;
        *f = (pipe_field){.components = p->coords};
        snprintf(f->field, sizeof f->field, "%s", p->coords == 1 ? "value" : "position");
        side->fields = 1;
        if (side->components == p->coords)
            continue;
        f = &side->field[side->fields++];
        *f = (pipe_field){.components = side->components - p->coords, .first = p->coords};
        snprintf(f->field, sizeof f->field, "%s", s ? "input_j" : "input_i");
    }
    p->out.fields = 1;
    p->out.field[0] = (pipe_field){.components = p->out.components};
    snprintf(p->out.field[0].field, sizeof p->out.field[0].field, "output");
}

/* Removes contributions beyond a declared cutoff. */
static void apply_cutoff(myr_pipeline *p)
{
    pipe_graph *g = &p->graph;
    int r2 = myr_pipe_constant(g, 0);
    if (p->reach < 0)
        return;
    for (int k = 0; k < p->coords; k++) {
        const int d = myr_pipe_make(g, PIPE_SUB, myr_pipe_input(g, k + PIPE_J), myr_pipe_input(g, k), 0);
        r2 = myr_pipe_make(g, PIPE_ADD, r2, myr_pipe_make(g, PIPE_MUL, d, d, 0), 0);
    }
    const int reach = myr_pipe_parameter(g, p->reach);
    const int near = myr_pipe_make(g, PIPE_LT, r2, myr_pipe_make(g, PIPE_MUL, reach, reach, 0), 0);
    for (int k = 0; k < p->out.components; k++)
        p->sum[k] = myr_pipe_make(g, PIPE_KEEP, near, p->sum[k], 0);
}

static void read_text(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    myr_pipe_start(r);
    while (!r->failed && myr_pipe_declaration(r))
        continue;
    myr_pipe_declared(r);
    myr_pipe_body(r);
    if (!r->failed && !p->side[0].declared)
        undeclared(r);
    if (r->failed)
        return;
    for (int k = 0; k < p->out.fields; k++) {
        int used = 0;
        double zero;
        const pipe_field *f = &p->out.field[k];
        for (int c = 0; c < f->components; c++)
            used |= !myr_pipe_known(&p->graph, p->sum[f->first + c], &zero) || zero != 0;
        if (!used)
            myr_pipe_fail(r, f->line ? f->line : 1, f->line ? f->column : 1, "nothing is ever added to the output '%s'",
                          f->local[0] ? f->local : "OUTPUT");
    }
    apply_cutoff(p);
    if (p->graph.full)
        myr_pipe_fail(r, 1, 1, "this text computes too much: more than %d operations", PIPE_NODES);
}

myr_pipeline *myr_pipeline_create(const char *file, const char *text, char *message, size_t room)
{
    myr_pipeline *p = calloc(1, sizeof *p);
    pipe_reader *r = calloc(1, sizeof *r);
    message[0] = '\0';
    if (strlen(text) > PIPE_TEXT_MAX)
        snprintf(message, room, "%s: this text is longer than %d bytes", file, PIPE_TEXT_MAX);
    else if (p && r && (p->file = strdup(file)) && (p->text = strdup(text))) {
        p->reach = -1;
        p->self = MYR_SELF_SKIPPED;
        myr_pipe_graph_init(&p->graph);
        name_from_file(p);
        *r = (pipe_reader){.pipeline = p, .message = message, .room = room};
        const pipe_language language = myr_pipe_language_begin();
        read_text(r);
        myr_pipe_language_end(language);
        if (!r->failed && myr_pipe_plan_formula(p) && myr_pipe_describe(p)) {
            free(r);
            return p;
        }
        if (!r->failed)
            snprintf(message, room, "%s: no memory, or more than %d operations", file, PIPE_NODES);
    } else
        snprintf(message, room, "%s: no memory", file);
    free(r);
    myr_pipeline_destroy(&p);
    return NULL;
}

void myr_pipeline_destroy(myr_pipeline **pipeline)
{
    if (!pipeline || !*pipeline)
        return;
    myr_pipe_graph_free(&(*pipeline)->graph);
    free((*pipeline)->file);
    free((*pipeline)->text);
    free(*pipeline);
    *pipeline = NULL;
}

const char *myr_pipeline_text(const myr_pipeline *pipeline)
{
    return pipeline->text;
}

const char *myr_pipeline_file(const myr_pipeline *pipeline)
{
    return pipeline->file;
}

const myr_kernel_desc *myr_pipeline_desc(const myr_pipeline *pipeline, int with_potential)
{
    return with_potential && !pipeline->has_potential ? NULL : &pipeline->desc[with_potential != 0];
}

const myr_operation_counts *myr_pipeline_counts(const myr_pipeline *pipeline, int with_potential)
{
    return with_potential && !pipeline->has_potential ? NULL : &pipeline->counts[with_potential != 0];
}
