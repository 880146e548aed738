/* method.c - methods of an interaction: parameters, and parts common to all methods. */
#include "interaction/method.h"

#include <math.h>
#include <string.h>

#include "interaction/interaction.h"
#include "interaction/shared_run.h"
#include "method/direct.h"
#include "method/pseudo/cells_gpu.h"

enum {
    REPORT_EVERY = 32, /* evaluations between two measurements of the error */
    RAISES = 3,        /* repetitions of an evaluation with a higher order */
    /* number of targets whose direct sum costs about as much as an evaluation by the fmm, or as building a tree */
    FEW_TARGETS = 1024
};

static const myr_method_table *const methods[] = {
#define MYR_METHOD(name) &myr_method_##name,
#include "interaction/methods.def"
#undef MYR_METHOD
};

enum { METHODS = sizeof methods / sizeof *methods };

static const myr_parameter_info parameters[] = {
#define MYR_METHOD_PARAMETER(name, value, lower, upper, text) {#name, text, value, lower, upper},
#include "interaction/method_parameters.def"
#undef MYR_METHOD_PARAMETER
};

const myr_method_table *myr_method_at(int k)
{
    return k >= 0 && k < METHODS ? methods[k] : NULL;
}

const myr_method_table *myr_method_of(const myr_interaction *f)
{
    return methods[f->method];
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

int myr_method_parameter(const char *name)
{
    for (int k = 0; name && k < MYR_METHOD_PARAMETERS; k++)
        if (strcmp(parameters[k].name, name) == 0)
            return k;
    return -1;
}

const myr_parameter_info *myr_method_parameter_info(int k)
{
    return k >= 0 && k < MYR_METHOD_PARAMETERS ? &parameters[k] : NULL;
}

myr_status myr_method_set(myr_interaction *f, int k, double value)
{
    const myr_parameter_info *p = &parameters[k];
    const int whole = k != MYR_METHOD_tolerance && k != MYR_METHOD_theta && k != MYR_METHOD_part;
    if (k == MYR_METHOD_tolerance && !(value > 0))
        return myr_context_fail(f->context, MYR_ERROR_VALUE,
                                "tolerance = %g cannot be met: it is a relative error, larger than 0; method direct "
                                "sums every pair",
                                value);
    if (!(value >= p->lower && value <= p->upper) || (whole && value != floor(value)))
        return myr_context_fail(f->context, MYR_ERROR_VALUE, "%s = %g is out of range; %s must be %s%g to %g", p->name,
                                value, p->text, whole ? "a whole number, " : "", p->lower, p->upper);
    f->method_state.requested[k] = value;
    f->method_state.given |= 1u << k;
    myr_method_forget(f);
    return MYR_OK;
}

double myr_method_get(const myr_interaction *f, int k)
{
    const myr_method_state *m = &f->method_state;
    return m->known ? m->used[k] : m->requested[k] > 0 ? m->requested[k] : parameters[k].value;
}

void myr_method_chosen(myr_interaction *f)
{
    f->method_state.given &= (unsigned)myr_method_of(f)->takes;
}

void myr_method_forget(myr_interaction *f)
{
    f->method_state.known = f->method_state.resumed = f->method_state.is_due = 0;
    f->method_state.runs = f->method_state.unjudged = 0;
    f->method_state.warned = f->method_state.warned_near = 0;
}

void myr_method_free(myr_interaction *f)
{
    myr_fmm_destroy(&f->method_state.fmm);
    myr_cells_gpu_destroy(&f->method_state.cells_gpu);
    myr_method_mesh_destroy(&f->method_state.mesh);
}

/* --- compatibility ------------------------------------------------------------------------------------------------ */

static myr_status check_parameters(const myr_interaction *f)
{
    const myr_method_table *method = myr_method_of(f);
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++) {
        if (!(f->method_state.requested[k] > 0) || !(f->method_state.given >> k & 1) || method->takes >> k & 1)
            continue;
        char list[128] = "";
        for (int m = 0; m < METHODS; m++)
            if (methods[m]->takes >> k & 1) {
                strncat(list, *list ? ", " : "", sizeof list - strlen(list) - 1);
                strncat(list, methods[m]->info.name, sizeof list - strlen(list) - 1);
            }
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION, "method %s has no %s; methods that have it: %s",
                                method->info.name, parameters[k].name, list);
    }
    return MYR_OK;
}

myr_status myr_method_check(const myr_interaction *f, const myr_unit *unit)
{
    const myr_method_table *method = myr_method_of(f);
    myr_status status = check_parameters(f);
    if (!status)
        status = myr_method_check_box(f);
    return status || !method->check ? status : method->check(f, unit);
}

int myr_method_keeps_lists(const myr_interaction *f, int moves_in_box)
{
    int with_potential;
    return myr_method_of(f) == &myr_method_neighbour &&
           (myr_interaction_desc(f)->pair[0] ||
            (moves_in_box && myr_kernel_registry_pipeline(f->context, f->kernel, &with_potential)));
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* Returns 1 if a few targets of many particles (block steps) are summed directly instead of building a tree. */
static int few_targets(const myr_interaction *f, const myr_direct *problem)
{
    return !myr_method_of(f)->every_pair && !myr_method_has_box(f) && problem->targets <= FEW_TARGETS &&
           problem->targets < problem->source.n / 2;
}

myr_status myr_method_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    const myr_method_table *method = myr_method_of(f);
    if (f->method_state.known || !method->choose || few_targets(f, problem))
        return MYR_OK;
    memset(f->method_state.used, 0, sizeof f->method_state.used);
    const myr_status status = method->choose(f, isa, problem);
    f->method_state.known = !status;
    return status;
}

myr_status myr_method_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                          myr_direct_result *result)
{
    f->method_state.raised = 0;
    const int few = few_targets(f, problem), by_pairs = few || myr_method_of(f) == &myr_method_direct;
    if ((few || myr_method_of(f)->shares) && myr_shared_run_wanted(f, problem, by_pairs))
        return by_pairs ? myr_shared_run_direct(f, problem, result) : myr_shared_run_far(f, isa, problem, result);
    return few ? myr_direct_run(problem, result) : myr_method_of(f)->run(f, isa, problem, result);
}

int64_t myr_method_pairs(const myr_interaction *f, const myr_direct *problem)
{
    const myr_method_table *method = myr_method_of(f);
    if (!method->report || few_targets(f, problem))
        return problem->targets * problem->source.n;
    return method == &myr_method_neighbour ? f->method_state.looked : f->method_state.report.near_pairs;
}

myr_status myr_method_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             const myr_direct_result *result)
{
    const myr_method_table *method = myr_method_of(f);
    myr_method_state *m = &f->method_state;
    if (!method->report || few_targets(f, problem) || problem->targets == 0)
        return MYR_OK;
    m->judges = m->is_due || (m->runs == 0 && !m->resumed) || !m->in_motion;
    if (!m->raised_from) /* else the present evaluation is a repetition */
        m->raises = m->judges ? RAISES : 0;
    const myr_status status =
        m->is_due || m->runs % REPORT_EVERY == 0 ? method->report(f, isa, problem, result) : MYR_OK;
    if (m->raised)
        return status;
    m->unjudged = m->is_due ? 0 : m->unjudged + 1;
    m->is_due = 0;
    m->runs++;
    return status;
}

int myr_method_is_due(const myr_interaction *f)
{
    return f->method_state.unjudged >= MYR_GRID_EVALUATIONS;
}

void myr_method_begin_step(myr_interaction *f)
{
    f->method_state.in_motion = 1;
    f->method_state.is_due = myr_method_is_due(f);
}

myr_status myr_interaction_far(const myr_interaction *interaction, myr_far_report *report)
{
    if (!interaction || !report)
        return MYR_ERROR_ARGUMENT;
    if (!myr_method_of(interaction)->report || !interaction->method_state.runs)
        return myr_context_fail(interaction->context, MYR_ERROR_VALUE,
                                "no method other than direct has evaluated anything yet");
    *report = interaction->method_state.report;
    return MYR_OK;
}
