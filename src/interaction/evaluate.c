/* evaluate.c - one evaluation: chooses fixed-point grids if the accumulator has them, runs, and repeats the run if a
 * contribution exceeded its grid or if particles without softening coincided. */
#include "interaction/evaluate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "core/memory.h"
#include "core/timer.h"
#include "core/waiting.h"

enum { EVALUATE_ATTEMPTS = 6 };

myr_status myr_evaluate_check(const myr_interaction *f, double pairs, const myr_isa_table **isa)
{
    *isa = myr_interaction_isa(f, pairs);
    if (!*isa)
        return f->isa >= 0 && myr_backend_isa_usable(myr_backend_isa(f->isa)) ? MYR_ERROR_COMBINATION
                                                                              : MYR_ERROR_UNAVAILABLE;
    const myr_unit *u = myr_kernel_registry_unit(f->context, f->kernel, *isa, f->arithmetic);
    if (!u)
        return MYR_ERROR_UNAVAILABLE;
    if (u->loops[myr_catalogue_loop(f->accumulator)].many) {
        const myr_status status = myr_method_check(f, u);
        const myr_method_table *method = myr_method_of(f);
        return status || !(*isa)->gpu || !method->check_gpu ? status : method->check_gpu(f, u);
    }
    const char *accumulator = myr_catalogue_accumulator_name(f->accumulator);
    if (f->arithmetic == myr_catalogue_arithmetic("portable"))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "portable arithmetic promises the same bits everywhere, which only the accumulator "
                                "fixed can keep; %s depends on the order of its sums",
                                accumulator);
    return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                            "accumulator %s makes a pair of floats out of float sums; in double arithmetic use double "
                            "or fixed",
                            accumulator);
}

myr_status myr_interaction_check(const myr_interaction *interaction)
{
    const myr_isa_table *isa;
    return interaction ? myr_evaluate_check(interaction, 0, &isa) : MYR_ERROR_ARGUMENT;
}

/* Largest coordinate of any source by magnitude, and the source. */
static double evaluate_farthest(const myr_direct *d, int64_t *who)
{
    double most = 0;
    *who = 0;
    for (int k = 0; k < d->unit->desc->coords; k++) {
        const void *x = d->source.component[k * d->unit->coord_lanes];
        for (int64_t i = 0; i < d->source.n; i++) {
            const double at = fabs(d->unit->real_bytes == (int)sizeof(float) ? (double)((const float *)x)[i]
                                                                             : ((const double *)x)[i]);
            if (at > most) {
                most = at;
                *who = i;
            }
        }
    }
    return most;
}

static myr_status evaluate_nonfinite(const myr_interaction *f, const myr_direct *d, const int64_t *label,
                                     int64_t target)
{
    const int single = d->unit->real_bytes == (int)sizeof(float);
    int64_t who;
    const double farthest = evaluate_farthest(d, &who);
    if (farthest > 0.25 * sqrt(single ? (double)FLT_MAX : DBL_MAX))
        return myr_context_fail(
            f->context, MYR_ERROR_NONFINITE,
            "source %lld has a coordinate of %g, and squares of distances to it are too large for %s "
            "arithmetic; choose %sother units, or leave it out",
            (long long)who, farthest, single ? "float" : "double", single ? "arithmetic double or " : "");
    return myr_context_fail(f->context, MYR_ERROR_NONFINITE,
                            "the result for target %lld is not a finite number: particles too close, or numbers too "
                            "large, for this arithmetic",
                            (long long)(label ? label[target] : target));
}

static myr_status evaluate_sample(myr_interaction *f, const myr_problem *sample, int64_t *first_bad)
{
    int lacking;
    if (f->accumulator == MYR_ACCUMULATOR_fixed)
        return myr_scale_choose_fixed(f, sample, first_bad);
    return myr_scale_choose(f, NULL, sample, 1, first_bad, &lacking);
}

/* Most sources for which a sample is summed by the processor even if the evaluation is a GPU's: a few launches would
 * take longer, systems of an ensemble choose grids in threads, and both machines find the same ones. */
enum { EVALUATE_SAMPLE_HERE = 4096 };

/* Points a sample to the processor's loops, which read the same arrays. */
static void evaluate_sample_here(const myr_interaction *f, myr_direct *d)
{
    if (!d->gpu || !myr_method_of(f)->every_pair || d->source.n > EVALUATE_SAMPLE_HERE ||
        f->accumulator != MYR_ACCUMULATOR_fixed || f->kernel >= MYR_KERNEL_COUNT)
        return;
    const myr_isa_table *best = myr_backend_best();
    const myr_unit *unit = myr_kernel_registry_unit(f->context, f->kernel, best, d->unit->arithmetic);
    if (!unit || !unit->loops[MYR_ACC_fixed].many || !unit->loops[MYR_ACC_range].many ||
        !unit->loops[MYR_ACC_exact].many)
        return;
    d->unit = unit;
    d->gpu = NULL;
}

/* Choice of the grids from a sample of the targets. Coincident particles turn on the careful loop. */
static myr_status evaluate_choose_grid(myr_interaction *f, myr_problem *problem, const int64_t *label)
{
    int64_t number[SCALE_SAMPLE], pick[SCALE_SAMPLE], self[SCALE_SAMPLE], row[SCALE_SAMPLE], first_bad;
    myr_problem sample = *problem;
    myr_direct *d = &sample.direct;
    const int64_t n = myr_scale_pick(d, number);
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = number[k];
        pick[k] = d->at ? d->at[i] : i;
        self[k] = d->self ? d->self[i] : -1;
        row[k] = d->original ? d->original[i] : i;
    }
    d->targets = n;
    d->at = pick;
    d->self = d->self ? self : NULL;
    d->original = row;
    d->subtracted = (myr_exclusions){0};
    evaluate_sample_here(f, d);
    for (;;) {
        const myr_status status = evaluate_sample(f, &sample, &first_bad);
        if (!status && first_bad < 0)
            f->grid_age = f->grid_is_due = 0;
        if (status || first_bad < 0)
            return status;
        if (f->careful)
            return evaluate_nonfinite(f, d, label, number[first_bad]);
        f->careful = d->careful = problem->direct.careful = 1;
    }
}

myr_status myr_evaluate_choose_grids(myr_interaction *f, myr_problem *problem, const int64_t *label)
{
    problem->direct.careful = f->careful;
    return evaluate_choose_grid(f, problem, label);
}

int myr_interaction_grid_is_old(const myr_interaction *f, int64_t n)
{
    return f->accumulator == MYR_ACCUMULATOR_fixed && f->grid_age >= MYR_GRID_EVALUATIONS * n;
}

void myr_interaction_renew_grid(myr_interaction *f)
{
    f->grid_is_due = f->accumulator == MYR_ACCUMULATOR_fixed;
}

static int grids_known(const myr_interaction *f)
{
    const myr_kernel_desc *d = myr_interaction_desc(f);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; k++)
        if (!f->grid[k].known)
            return 0;
    return 1;
}

int myr_interaction_is_ready(const myr_interaction *f)
{
    return (!myr_scale_needed(f->accumulator) || grids_known(f)) &&
           (!myr_method_of(f)->choose || f->method_state.known);
}

/* Handles a value outside its grid: for a value that is not finite turns on the careful loop, for a value that is too
 * large raises the grid, unless the user set it. Sums of `fixed` hold values far beyond their grid, so that coincident
 * particles are looked for first, by the careful loop: they never raise a grid. */
static myr_status evaluate_out_of_range(myr_interaction *f, const myr_isa_table *isa, myr_problem *problem,
                                        const int64_t *label)
{
    int64_t first_bad = -1;
    int lacking, raised = 0;
    myr_grid before[MYR_KERNEL_OUTPUT_FIELDS];
    if (f->accumulator == MYR_ACCUMULATOR_fixed && !f->careful) {
        f->careful = problem->direct.careful = 1;
        return MYR_OK;
    }
    memcpy(before, f->grid, sizeof before);
    const myr_status status = myr_scale_choose(f, isa, problem, 0, &first_bad, &lacking);
    if (status)
        return status;
    if (first_bad >= 0 && f->careful)
        return evaluate_nonfinite(f, &problem->direct, label, first_bad);
    if (first_bad >= 0) {
        f->careful = problem->direct.careful = 1;
        return MYR_OK;
    }
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        raised |= f->grid[k].exponent != before[k].exponent;
    if (!raised && lacking < 0 && !f->careful) {
        /* all measured values fit: the bags of the measuring loop differ, and masks of other pairs hid a coincident
         * pair */
        f->careful = problem->direct.careful = 1;
        return MYR_OK;
    }
    for (int k = 0; !raised && lacking < 0 && k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        if (f->grid[k].by_user)
            lacking = k;
    if (lacking < 0)
        return MYR_OK;
    return myr_context_fail(f->context, MYR_ERROR_RANGE,
                            "a contribution does not fit the scale that was set for output %s (exponent %d); set a "
                            "larger one, or none to have it chosen",
                            myr_interaction_desc(f)->output[lacking].name, f->grid[lacking].exponent);
}

static myr_status evaluate_attempts(myr_interaction *f, const myr_isa_table *isa, myr_problem *problem,
                                    const int64_t *label, myr_direct_result *result)
{
    myr_status status = myr_method_choose(f, isa, &problem->direct);
    problem->direct.careful = f->careful;
    const int is_due = f->grid_is_due && problem->direct.targets >= problem->direct.source.n &&
                       problem->direct.targets >= problem->direct.target.n;
    if (!status && myr_scale_needed(f->accumulator) && (is_due || !grids_known(f)) && problem->direct.targets > 0)
        status = evaluate_choose_grid(f, problem, label);
    f->grid_age += problem->direct.targets;
    for (int attempt = 0; !status && attempt < EVALUATE_ATTEMPTS; attempt += !f->method_state.raised) {
        const double start = myr_timer_now();
        myr_problem_use(problem, myr_catalogue_loop(f->accumulator), f->accumulator, f->grid);
        if (f->unroll && !myr_problem_unroll(problem, isa, f))
            return MYR_ERROR_COMBINATION;
        status = myr_method_run(f, isa, &problem->direct, result);
        f->last.seconds = myr_timer_now() - start;
        f->last.repeats = attempt;
        if (status)
            return status;
        if (result->flag) {
            status = evaluate_out_of_range(f, isa, problem, label);
            continue;
        }
        if (result->first_bad < 0) {
            status = myr_method_report(f, isa, &problem->direct, result);
            if (status || !f->method_state.raised)
                return status;
            continue;
        }
        if (problem->direct.careful)
            break;
        f->careful = problem->direct.careful = 1;
    }
    return status ? status
                  : evaluate_nonfinite(f, &problem->direct, label, result->first_bad < 0 ? 0 : result->first_bad);
}

/* Returns 1 if the failure is the GPU's and the GPU was chosen automatically. Ranks that share evaluations stay on
 * their GPUs: they must divide the work alike. */
static int evaluate_may_move(const myr_interaction *f, const myr_problem *problem, myr_status status)
{
    return status && status != MYR_ERROR_RANGE && status != MYR_ERROR_NONFINITE && status != MYR_ERROR_CANCELLED &&
           problem->direct.gpu && f->backend == myr_catalogue_backend("auto") && f->shared_from == 0;
}

/* Gives up the GPU with a warning, and points the problem to the processor's loops, which read the same arrays. */
static myr_status evaluate_move(myr_interaction *f, myr_problem *problem, const myr_isa_table **isa)
{
    char reason[MYR_MESSAGE_MAX];
    myr_direct *d = &problem->direct;
    const double pairs = (double)d->targets * (double)d->source.n;
    memcpy(reason, f->context->message, sizeof reason);
    myr_gpu_drop(f->context, reason);
    myr_context_warn(f->context, "%s; the processor goes on instead", reason);
    const myr_status status = myr_evaluate_check(f, pairs, isa);
    if (status)
        return status;
    d->unit = myr_kernel_registry_unit(f->context, f->kernel, *isa, d->unit->arithmetic);
    d->gpu = NULL;
    return d->unit ? MYR_OK : MYR_ERROR_UNAVAILABLE;
}

myr_status myr_evaluate_problem(myr_interaction *f, const myr_isa_table *isa, myr_problem *problem,
                                const int64_t *label, myr_direct_result *result)
{
    myr_waiting_look(f->context);
    myr_status status = evaluate_attempts(f, isa, problem, label, result);
    if (!evaluate_may_move(f, problem, status))
        return status;
    status = evaluate_move(f, problem, &isa);
    return status ? status : evaluate_attempts(f, isa, problem, label, result);
}

/* Particles of one evaluation. */
typedef struct {
    myr_interaction *f;
    myr_particles *targets;
    const myr_particles *sources;
    int64_t n;
    const int64_t *index; /* null = all targets */
    myr_problem problem;
    myr_direct_result result;
    double *values; /* [outputs][n] */
} evaluation;

enum { EVALUATE_MEDIAN = 1001 };

/* Returns 1 if the grid of a field was chosen from typical contributions: it is fine enough, even if sums cancel. */
static int evaluate_grid_is_typical(const evaluation *e, int field)
{
    int low, high;
    myr_scale_limits(e->f->accumulator, e->problem.direct.unit->mantissa, &low, &high);
    return e->f->accumulator == MYR_ACCUMULATOR_fixed && !e->f->grid[field].by_user && e->f->grid[field].exponent > low;
}

/* Median size of a field of up to EVALUATE_MEDIAN targets; `component`: its first one. */
static double evaluate_median(const evaluation *e, int field, int component)
{
    const myr_kernel_desc *d = e->problem.direct.unit->desc;
    double size[EVALUATE_MEDIAN] = {0};
    const int64_t step = e->n / EVALUATE_MEDIAN + 1;
    size_t count = 0;
    for (int64_t i = 0; i < e->n; i += step, count++) {
        double square = 0;
        for (int c = 0; c < d->output[field].components; c++)
            square += pow(e->result.value[component + c][i], 2);
        size[count] = sqrt(square);
    }
    myr_scale_sort(size, (int64_t)count);
    return size[count / 2];
}

/* Warns if a grid is coarse for most targets: one that a close pair has raised (not that of `fixed`), or that the user
 * has set. */
static void evaluate_warn_grid(const evaluation *e)
{
    const myr_kernel_desc *d = e->problem.direct.unit->desc;
    int component = 0;
    if (!myr_scale_needed(e->f->accumulator))
        return;
    for (int field = 0; field < MYR_KERNEL_OUTPUT_FIELDS && d->output[field].name; field++) {
        const double unit = e->problem.direct.scale[component].fine * fabs(e->problem.direct.factor);
        const double median = evaluate_grid_is_typical(e, field) ? 0 : evaluate_median(e, field, component);
        if (median > 0 && unit > 1e-7 * median)
            myr_context_warn(e->f->context,
                             "the grid of output %s has a unit of %.2g, more than 1e-7 of the median %.2g: a pair that "
                             "is much closer than the others, or you, set the scale for all; use accumulator fixed "
                             "without a scale, or double arithmetic",
                             d->output[field].name, unit, median);
        component += d->output[field].components;
    }
}

/* Stores the list of targets, so that their accuracy can be measured. */
static myr_status evaluate_remember(evaluation *e)
{
    myr_interaction *f = e->f;
    free(f->subset);
    f->subset = NULL;
    if (!e->index)
        return MYR_OK;
    f->subset = myr_memory_zeros(e->n, sizeof *f->subset);
    if (!f->subset)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a list of %lld targets", (long long)e->n);
    if (e->n)
        memcpy(f->subset, e->index, (size_t)e->n * sizeof *f->subset);
    return MYR_OK;
}

/* Sum over the targets: that of the accumulator, or of the results if these contain a far field. */
static double evaluate_net(const evaluation *e, int component)
{
    const myr_direct *d = &e->problem.direct;
    if (myr_method_of(e->f)->exact)
        return d->loops->value(e->result.net[component], &d->scale[component]) * d->factor;
    double sum = 0;
    for (int64_t i = 0; i < e->n; i++)
        sum += e->result.value[component][i];
    return sum;
}

/* Copies the values to the targets' fields, and stores the data of myr_interaction_last and myr_interaction_net. */
static myr_status evaluate_store(evaluation *e)
{
    myr_interaction *f = e->f;
    myr_status status = evaluate_remember(e);
    const myr_direct *d = &e->problem.direct;
    const myr_kernel_desc *desc = d->unit->desc;
    int component = 0;
    for (int field = 0; !status && field < MYR_KERNEL_OUTPUT_FIELDS && desc->output[field].name; field++)
        status = myr_particles_add_field(e->targets, desc->output[field].name, desc->output[field].components);
    if (status)
        return status;
    for (int field = 0; field < MYR_KERNEL_OUTPUT_FIELDS && desc->output[field].name; field++) {
        for (int c = 0; c < desc->output[field].components; c++, component++) {
            double *to = myr_particles_component(e->targets, desc->output[field].name, c);
            for (int64_t i = 0; i < e->n; i++)
                to[e->index ? e->index[i] : i] = e->result.value[component][i];
            f->net[component] = evaluate_net(e, component);
        }
    }
    f->last.targets = e->n;
    f->last.sources = d->source.n;
    f->last.pairs = myr_method_pairs(f, d);
    f->last.skipped = e->result.skipped;
    f->last.splits = e->result.splits;
    f->last.net_exact = myr_method_of(f)->exact &&
                        (f->accumulator == MYR_ACCUMULATOR_fixed || f->accumulator == MYR_ACCUMULATOR_narumi);
    f->evaluated = 1;
    return MYR_OK;
}

static myr_status evaluate_all(evaluation *e)
{
    myr_interaction *f = e->f;
    const double start = myr_timer_now();
    const myr_isa_table *isa;
    const double pairs = (double)e->n * (double)myr_particles_count(e->sources);
    myr_status status = myr_evaluate_check(f, pairs, &isa);
    if (!status)
        status = myr_problem_make(f, f->arithmetic, isa, e->targets, e->n, e->index, e->sources, &e->problem);
    if (status)
        return status;
    const int outputs = e->problem.direct.unit->outputs;
    e->values = myr_memory_zeros(e->n * outputs, sizeof *e->values);
    if (!e->values)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for the results of %lld targets",
                                (long long)e->n);
    for (int k = 0; k < outputs; k++)
        e->result.value[k] = e->values + k * e->n;
    status = myr_evaluate_problem(f, isa, &e->problem, e->index, &e->result);
    if (!status)
        status = evaluate_store(e);
    if (!status)
        evaluate_warn_grid(e);
    f->last.seconds_all = myr_timer_now() - start;
    return status;
}

static myr_status evaluate(evaluation *e)
{
    const myr_status status = evaluate_all(e);
    myr_problem_free(&e->problem);
    free(e->values);
    return status;
}

myr_status myr_interaction_evaluate(myr_interaction *interaction, myr_particles *targets, const myr_particles *sources)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    if (!targets || !sources)
        return myr_context_fail(interaction->context, MYR_ERROR_ARGUMENT, "targets and sources must not be null");
    evaluation e = {.f = interaction, .targets = targets, .sources = sources, .n = myr_particles_count(targets)};
    interaction->grid_is_due = myr_interaction_grid_is_old(interaction, e.n);
    return evaluate(&e);
}

myr_status myr_interaction_evaluate_subset(myr_interaction *interaction, myr_particles *particles, int64_t n,
                                           const int64_t *index)
{
    if (!interaction)
        return MYR_ERROR_ARGUMENT;
    if (!particles || n < 0 || (n > 0 && !index))
        return myr_context_fail(interaction->context, MYR_ERROR_ARGUMENT,
                                "a subset needs particles and a list of n >= 0 indices");
    const int64_t all = myr_particles_count(particles);
    for (int64_t i = 0; i < n; i++)
        if (index[i] < 0 || index[i] >= all)
            return myr_context_fail(interaction->context, MYR_ERROR_VALUE, "index %lld is out of range: 0 to %lld",
                                    (long long)index[i], (long long)all - 1);
    static const int64_t none;
    evaluation e = {.f = interaction, .targets = particles, .sources = particles, .n = n, .index = n ? index : &none};
    return evaluate(&e);
}
