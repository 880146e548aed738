/* declare.c - declarations before the body of a pipeline: fields of targets, sources and results, parameters, and
 * properties of the kernel. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "backend/pipeline/inside.h"

static int at_declaration(const pipe_reader *r)
{
    return r->now.kind == PIPE_IDENTIFIER && r->next.kind == PIPE_SIGN && strcmp(r->next.text, ":") == 0;
}

static void copy_word(char *to, const char *from)
{
    snprintf(to, PIPE_WORD, "%.*s", PIPE_WORD - 1, from);
}

static const char *field_name(const char *local)
{
#define PIPE_ALIAS(word, field)                                                                                        \
    if (strcmp(local, #word) == 0)                                                                                     \
        return #field;
#include "backend/pipeline/aliases.def"
#undef PIPE_ALIAS
    return local;
}

/* Reads one field: x[3], m, gamma=circulation */
static void declare_field(pipe_reader *r, pipe_side *side, int most)
{
    const pipe_token name = r->now;
    if (name.kind != PIPE_IDENTIFIER) {
        myr_pipe_fail_at_token(r, "expected the name of a field, not '%s'", name.text);
        return;
    }
    myr_pipe_advance(r);
    for (int k = 0; k < side->fields; k++)
        if (strcmp(side->field[k].local, name.text) == 0)
            myr_pipe_fail(r, name.line, name.column, "'%s' is declared twice", name.text);
    if (side->fields == MYR_KERNEL_FIELDS - 1)
        myr_pipe_fail(r, name.line, name.column, "too many fields; at most %d", MYR_KERNEL_FIELDS - 1);
    if (r->failed)
        return;
    pipe_field *f = &side->field[side->fields++];
    *f = (pipe_field){.components = 1, .first = side->components, .line = name.line, .column = name.column};
    copy_word(f->local, name.text);
    copy_word(f->field, field_name(name.text));
    if (myr_pipe_accept(r, "[")) {
        f->components = myr_pipe_size(r, most);
        myr_pipe_expect(r, "]", "after the size of a field");
    }
    if (myr_pipe_accept(r, "=")) {
        if (r->now.kind != PIPE_IDENTIFIER)
            myr_pipe_fail_at_token(r, "expected the name of a particle field after '%s='", name.text);
        copy_word(f->field, r->now.text);
        myr_pipe_advance(r);
    }
    side->components += f->components;
    if (!r->failed && side->components > most)
        myr_pipe_fail(r, name.line, name.column, "too many components; at most %d", most);
}

static double signed_number(pipe_reader *r)
{
    const double sign = myr_pipe_accept(r, "-") ? -1 : 1;
    const double value = r->now.number;
    if (r->now.kind != PIPE_NUMBER)
        myr_pipe_fail_at_token(r, "expected a number, not '%s'", r->now.text);
    myr_pipe_advance(r);
    return sign * value;
}

/* Reads one parameter: eps = 0.01 [0, 1e10] "softening length" */
static void declare_parameter(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    const pipe_token name = r->now;
    const int k = p->parameters;
    if (name.kind != PIPE_IDENTIFIER)
        myr_pipe_fail_at_token(r, "expected the name of a parameter, not '%s'", name.text);
    else if (k == MYR_KERNEL_PARAMETERS - 1)
        myr_pipe_fail_at_token(r, "too many parameters; at most %d", MYR_KERNEL_PARAMETERS - 1);
    for (int n = 0; n < k; n++)
        if (strcmp(p->parameter_name[n], name.text) == 0)
            myr_pipe_fail_at_token(r, "'%s' is declared twice", name.text);
    myr_pipe_advance(r);
    myr_pipe_expect(r, "=", "and a default after the name of a parameter");
    myr_kernel_parameter *q = &p->parameter[k];
    q->value = signed_number(r);
    q->lower = -1e300;
    q->upper = 1e300;
    if (myr_pipe_accept(r, "[")) {
        q->lower = signed_number(r);
        myr_pipe_expect(r, ",", "between the bounds of a parameter");
        q->upper = signed_number(r);
        myr_pipe_expect(r, "]", "after the bounds of a parameter");
    }
    if (!r->failed && !(q->lower <= q->value && q->value <= q->upper))
        myr_pipe_fail(r, name.line, name.column, "the default of '%s' is not within its bounds", name.text);
    if (r->failed)
        return;
    copy_word(p->parameter_name[k], name.text);
    snprintf(p->parameter_text[k], PIPE_LINE, "%s", r->now.kind == PIPE_STRING ? r->now.text : name.text);
    if (r->now.kind == PIPE_STRING)
        myr_pipe_advance(r);
    q->name = p->parameter_name[k];
    q->text = p->parameter_text[k];
    p->parameters++;
}

/* Reads the optional potential: an output of its own, after all others. */
static void declare_potential(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    if (p->has_potential)
        myr_pipe_fail_at_token(r, "there is one potential at most");
    declare_field(r, &p->out, MYR_KERNEL_OUTPUTS_MAX);
    if (r->failed)
        return;
    pipe_field *f = &p->out.field[p->out.fields - 1];
    if (f->components != 1)
        myr_pipe_fail(r, f->line, f->column, "a potential has one component");
    copy_word(f->field, "potential");
    p->has_potential = 1;
}

static void declare_cutoff(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    for (int k = 0; k < p->parameters; k++)
        if (myr_pipe_is(r, p->parameter_name[k]))
            p->reach = k;
    if (p->reach < 0)
        myr_pipe_fail_at_token(r, "the cutoff must be a parameter that was declared before, with 'param:'");
    myr_pipe_advance(r);
}

static void declare_self(pipe_reader *r)
{
    if (myr_pipe_is(r, "count"))
        r->pipeline->self = MYR_SELF_COUNTED;
    else if (myr_pipe_is(r, "skip"))
        r->pipeline->self = MYR_SELF_SKIPPED;
    else
        myr_pipe_fail_at_token(r, "expected skip or count: is the pair of a particle with itself part of the sum?");
    myr_pipe_advance(r);
}

/* Reads one item of `antisymmetric: f, a=equal` */
static void declare_symmetry(pipe_reader *r)
{
    pipe_field *found = NULL;
    for (int k = 0; k < r->pipeline->out.fields; k++)
        if (myr_pipe_is(r, r->pipeline->out.field[k].local))
            found = &r->pipeline->out.field[k];
    if (!found) {
        myr_pipe_fail_at_token(r, "'%s' is not an output that was declared before, with 'out:'", r->now.text);
        return;
    }
    myr_pipe_advance(r);
    found->symmetry = MYR_SYMMETRY_ANTI;
    if (myr_pipe_accept(r, "=")) {
        myr_pipe_expect(r, "equal", "(antisymmetric where the strengths are equal)");
        found->symmetry = MYR_SYMMETRY_ANTI_EQUAL;
    }
}

static void declare_name(pipe_reader *r)
{
    if (r->now.kind != PIPE_IDENTIFIER)
        myr_pipe_fail_at_token(r, "expected a name for the kernel");
    copy_word(r->pipeline->name, r->now.text);
    myr_pipe_advance(r);
}

static void declare_text(pipe_reader *r, char *to)
{
    if (r->now.kind != PIPE_STRING)
        myr_pipe_fail_at_token(r, "expected a text in double quotes");
    snprintf(to, PIPE_LINE, "%s", r->now.text);
    myr_pipe_advance(r);
}

static void declare_i(pipe_reader *r)
{
    declare_field(r, &r->pipeline->side[0], MYR_KERNEL_COMPONENTS + MYR_KERNEL_COORDS_MAX);
}

static void declare_j(pipe_reader *r)
{
    declare_field(r, &r->pipeline->side[1], MYR_KERNEL_COMPONENTS + MYR_KERNEL_COORDS_MAX);
}

static void declare_out(pipe_reader *r)
{
    if (r->pipeline->has_potential)
        myr_pipe_fail_at_token(r, "'potential:' comes after 'out:'");
    declare_field(r, &r->pipeline->out, MYR_KERNEL_OUTPUTS_MAX);
}

static void declare_about(pipe_reader *r)
{
    declare_text(r, r->pipeline->about);
}

static void declare_formula(pipe_reader *r)
{
    declare_text(r, r->pipeline->formula);
}

/* Words before a colon, and the functions that read one item after it. */
static const struct {
    const char *word;
    void (*item)(pipe_reader *r);
} declarations[] = {
    {"i", declare_i},
    {"j", declare_j},
    {"out", declare_out},
    {"potential", declare_potential},
    {"param", declare_parameter},
    {"cutoff", declare_cutoff},
    {"self", declare_self},
    {"antisymmetric", declare_symmetry},
    {"name", declare_name},
    {"text", declare_about},
    {"formula", declare_formula},
};

enum { DECLARATIONS = sizeof declarations / sizeof *declarations };

/* Items follow each other on one line, with or without commas; after a comma also on the next line. */
static void declare_items(pipe_reader *r, void (*item)(pipe_reader *r), int line)
{
    item(r);
    while (!r->failed && r->now.kind != PIPE_END && !at_declaration(r)) {
        if (myr_pipe_accept(r, ";"))
            return;
        if (myr_pipe_accept(r, ",")) {
            if (at_declaration(r))
                return;
            line = r->now.line;
        } else if (r->now.line != line) {
            return;
        }
        item(r);
    }
}

int myr_pipe_declaration(pipe_reader *r)
{
    if (!at_declaration(r))
        return 0;
    for (int k = 0; k < DECLARATIONS; k++)
        if (myr_pipe_is(r, declarations[k].word)) {
            const int line = r->now.line;
            myr_pipe_advance(r);
            myr_pipe_advance(r);
            declare_items(r, declarations[k].item, line);
            return 1;
        }
    char list[PIPE_LINE] = "";
    for (int k = 0; k < DECLARATIONS; k++) {
        strncat(list, k ? ", " : "", sizeof list - strlen(list) - 1);
        strncat(list, declarations[k].word, sizeof list - strlen(list) - 1);
    }
    myr_pipe_fail_at_token(r, "'%s:' declares nothing; there are: %s", r->now.text, list);
    return 1;
}

static const pipe_field *position_of(const pipe_side *side)
{
    for (int k = 0; k < side->fields; k++)
        if (strcmp(side->field[k].field, "position") == 0 || strcmp(side->field[k].field, "value") == 0)
            return &side->field[k];
    return NULL;
}

/* Checks that targets and sources have positions of the same kind. */
static void check_position(pipe_reader *r)
{
    const pipe_field *i = position_of(&r->pipeline->side[0]), *j = position_of(&r->pipeline->side[1]);
    if (!i || !j) {
        myr_pipe_fail(r, 1, 1, "%s has no position; declare it with '%s: x[3]'", i ? "source j" : "target i",
                      i ? "j" : "i");
    } else if (i->components != j->components || strcmp(i->field, j->field) != 0) {
        myr_pipe_fail(r, j->line, j->column, "targets and sources need positions with the same number of components");
    } else if ((strcmp(i->field, "value") == 0) != (i->components == 1) || i->components > MYR_KERNEL_COORDS_MAX) {
        myr_pipe_fail(r, i->line, i->column, "a position has 2 or 3 components; one alone is a 'value'");
    } else if (i->first || j->first) {
        const pipe_field *late = i->first ? i : j;
        myr_pipe_fail(r, late->line, late->column, "the position comes before the other fields");
    } else {
        r->pipeline->coords = i->components;
    }
}

void myr_pipe_declared(pipe_reader *r)
{
    myr_pipeline *p = r->pipeline;
    const int i = p->side[0].fields > 0, j = p->side[1].fields > 0, out = p->out.fields - p->has_potential > 0;
    if (!r->failed && (i || j || p->out.fields) && !(i && j && out))
        myr_pipe_fail_at_token(r, "'%s:' is missing; i, j and out are declared together, or none of them",
                               !i   ? "i"
                               : !j ? "j"
                                    : "out");
    p->side[0].declared = p->side[1].declared = p->out.declared = i;
    if (i && p->out.fields > MYR_KERNEL_OUTPUT_FIELDS)
        myr_pipe_fail_at_token(r, "too many outputs; at most %d fields", MYR_KERNEL_OUTPUT_FIELDS);
    if (i && !r->failed)
        check_position(r);
}
