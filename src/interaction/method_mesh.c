/* method_mesh.c - mesh of a periodic box as a method of an interaction: vortex elements with equal Gaussian cores,
 * whose fields are smooth on a mesh, without a near field (method/mesh/mesh.h). Sums are in floats where the tolerance
 * and the arithmetic allow it, and in double otherwise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "interaction/method_far.h"
#include "interaction/method_mesh.h"
#include "method/spectral/fourier.h"

enum { MESH_SAMPLES = 32 }; /* targets on which the error is measured */

#define MESH_LEAST 1e-11  /* smallest tolerance: rounding of transforms is 1e-14 of the largest waves */
#define MESH_FINEST 1e-12 /* of the formula, where a mesh is refined */
#define MESH_AIM 0.7      /* of the tolerance: what a refined mesh aims at */
#define MESH_STEP                                                                                                      \
    0.02 /* cores are rounded down by up to this part, so that spreading cores keep a mesh for a while                 \
          */

static const myr_mesh_form forms[] = {{"biot_savart", 1, 0, 0},
                                      {"stretching", 0, 1, 0},
                                      {"velocity_stretching", 1, 1, 0},
                                      {"velocity_stretching_transposed", 1, 0, 1},
                                      {"velocity_stretching_mixed", 1, 0.5, 0.5}};

static const myr_mesh_form *mesh_find(const char *kernel)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (strcmp(forms[k].name, kernel) == 0)
            return &forms[k];
    return NULL;
}

int myr_mesh_form_stretches(const myr_mesh_form *form)
{
    return form->classical + form->transposed > 0;
}

/* --- state -------------------------------------------------------------------------------------------------------- */

void myr_method_mesh_destroy(struct myr_method_mesh **mesh)
{
    if (*mesh) {
        myr_mesh_destroy(&(*mesh)->mesh);
        myr_method_mesh_gpu_close(*mesh);
    }
    free(*mesh);
    *mesh = NULL;
}

static double number_at(const myr_unit *u, const void *reals, int64_t i)
{
    return u->real_bytes == (int)sizeof(float) ? (double)((const float *)reals)[i] : ((const double *)reals)[i];
}

static double coordinate(const myr_unit *u, const myr_side *s, int axis, int64_t i)
{
    double x = s->rest[axis] ? (double)s->rest[axis][i] : 0;
    for (int l = u->coord_lanes - 1; l >= 0; l--)
        x += number_at(u, s->component[axis * u->coord_lanes + l], i);
    return x;
}

static double field(const myr_unit *u, const myr_side *s, int component, int64_t i)
{
    return number_at(u, s->component[u->desc->coords * u->coord_lanes + component], i);
}

/* The core that all sources with a strength have. */
static myr_status mesh_core(const myr_mesh_problem *p, double *core)
{
    const myr_direct *d = p->problem;
    int64_t first = -1;
    *core = 0;
    for (int64_t j = 0; j < p->n; j++) {
        const double here = field(d->unit, &d->source, 3, j);
        if (p->strength[0][j] == 0 && p->strength[1][j] == 0 && p->strength[2][j] == 0)
            continue;
        if (first < 0) {
            first = j;
            *core = here;
        }
        if (!(here > 0) || fabs(here - *core) > 1e-6 * *core)
            return myr_context_fail(
                d->context, MYR_ERROR_COMBINATION,
                "method mesh needs elements with one core, above 0: element %lld has a core of %g and "
                "element %lld one of %g; use method fmm, or re-initialise the elements",
                (long long)first, *core, (long long)j, here);
    }
    return MYR_OK;
}

static myr_status mesh_read(const myr_direct *d, myr_mesh_problem *p)
{
    const myr_unit *u = d->unit;
    *p = (myr_mesh_problem){.problem = d, .form = mesh_find(u->desc->name), .n = d->source.n, .m = d->targets};
    p->same = p->m == p->n;
    for (int64_t i = 0; i < p->m && p->same && d->at; i++)
        p->same = d->at[i] == i;
    for (int c = 0; c < 3 * u->coord_lanes && p->same; c++)
        p->same = d->source.component[c] == d->target.component[c];
    p->memory = myr_memory_some(6 * p->n + 3 * p->m + 1, sizeof(double));
    if (!p->memory)
        return myr_context_fail(d->context, MYR_ERROR_MEMORY, "no memory for %lld elements", (long long)p->n);
    for (int c = 0; c < 3; c++) {
        p->x[c] = p->memory + c * p->n;
        p->strength[c] = p->memory + (3 + c) * p->n;
        p->at[c] = p->same ? p->x[c] : p->memory + 6 * p->n + c * p->m;
        for (int64_t j = 0; j < p->n; j++) {
            p->x[c][j] = coordinate(u, &d->source, c, j);
            p->strength[c][j] = field(u, &d->source, c, j);
        }
        for (int64_t i = 0; i < p->m && !p->same; i++)
            p->at[c][i] = coordinate(u, &d->target, c, d->at ? d->at[i] : i);
    }
    const myr_status status = mesh_core(p, &p->core);
    p->own = p->core > 0 ? pow(2 * acos(-1.0), -1.5) / (3 * pow(p->core, 3)) : 0;
    return status;
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

void myr_mesh_problem_strength(const myr_mesh_problem *p, int64_t target, double strength[3])
{
    const myr_direct *d = p->problem;
    for (int c = 0; c < 3; c++)
        strength[c] = field(d->unit, &d->target, c, d->at ? d->at[target] : target);
}

/* The gathered gradient includes that of the target's own Gaussian, -K(0) x strength. */
void myr_mesh_problem_turn(const myr_mesh_problem *p, int64_t target, double turn[3])
{
    const int64_t self = p->problem->self ? p->problem->self[target] : -1;
    double a[3];
    myr_mesh_problem_strength(p, target, a);
    for (int c = 0; c < 3; c++) {
        const int e = (c + 1) % 3, f = (c + 2) % 3;
        turn[c] = self < 0 ? 0 : p->own * (a[e] * p->strength[f][self] - a[f] * p->strength[e][self]);
    }
}

/* Outputs of a target from the velocity and its gradient. */
static void mesh_output(const myr_mesh_problem *p, int64_t i, const double sum[12], double out[6])
{
    const double *g = sum + 3;
    double a[3], turn[3];
    int k = 0;
    for (int c = 0; c < 3 && p->form->velocity; c++)
        out[k++] = sum[c];
    if (!myr_mesh_form_stretches(p->form))
        return;
    myr_mesh_problem_strength(p, i, a);
    myr_mesh_problem_turn(p, i, turn);
    for (int c = 0; c < 3; c++) {
        double classical = turn[c], transposed = -turn[c];
        for (int b = 0; b < 3; b++) {
            classical += a[b] * g[3 * c + b];
            transposed += a[b] * g[3 * b + c];
        }
        out[k++] = p->form->classical * classical + p->form->transposed * transposed;
    }
}

static void mesh_take(void *user, int64_t i, const double sum[12])
{
    const myr_mesh_problem *p = user;
    double out[6] = {0};
    mesh_output(p, i, sum, out);
    for (int k = 0; k < p->problem->unit->outputs; k++)
        p->value[k][i] = out[k];
}

/* --- method ------------------------------------------------------------------------------------------------------- */

static myr_status mesh_check(const myr_interaction *f, const myr_unit *unit)
{
    const double *box = f->method_state.box, tolerance = f->method_state.requested[MYR_METHOD_tolerance];
    if (!myr_fourier_available())
        return myr_context_fail(f->context, MYR_ERROR_UNAVAILABLE,
                                "method mesh needs Fourier transforms, and this build was made without FFTW; install "
                                "libfftw3-dev and build again, or use method fmm");
    if (!mesh_find(unit->desc->name))
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "kernel %s has no form on a mesh: method mesh is for vortex elements (biot_savart, "
                                "stretching, velocity_stretching...); use method fmm, tree or direct",
                                unit->desc->name);
    if (!(box[0] > 0 && box[1] > 0 && box[2] > 0))
        return myr_context_fail(
            f->context, MYR_ERROR_COMBINATION,
            "method mesh needs a box that is periodic along x, y and z; with open axes use method fmm");
    if (unit->arithmetic == MYR_ARITHMETIC_PORTABLE)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "portable arithmetic promises the same bits everywhere, which the transforms of method "
                                "mesh do not have; use another arithmetic, or method fmm");
    if (f->offset || f->unroll)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "method mesh looks at no pairs: exclusions and unroll are for method direct");
    if (tolerance > 0 && tolerance < MESH_LEAST)
        return myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                                "tolerance = %g is below what method mesh can reach, %g", tolerance, MESH_LEAST);
    return MYR_OK;
}

static myr_status mesh_choose(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem)
{
    (void)isa, (void)problem;
    f->method_state.used[MYR_METHOD_tolerance] = myr_method_get(f, MYR_METHOD_tolerance);
    f->method_state.relax = 1;
    return MYR_OK;
}

static int mesh_asked(const myr_mesh_question *a, const myr_mesh_question *b)
{
    return a->tolerance == b->tolerance && a->core == b->core && a->edge[0] == b->edge[0] && a->edge[1] == b->edge[1] &&
           a->edge[2] == b->edge[2] && a->power == b->power && a->gradient == b->gradient && a->on_gpu == b->on_gpu &&
           a->single == b->single && a->n == b->n;
}

/* Tolerance that the formula gets: smaller than the one asked for where that did not suffice. */
static double mesh_aim(const myr_method_state *s)
{
    return s->used[MYR_METHOD_tolerance] * (s->relax > 0 && s->relax < 1 ? s->relax : 1);
}

/* The choice is a function of the tolerance and the present core, so that a restart has the same. */
myr_status myr_method_mesh_choose(myr_interaction *f, const myr_mesh_problem *p, int on_gpu)
{
    myr_method_state *s = &f->method_state;
    if (!s->mesh && !(s->mesh = calloc(1, sizeof *s->mesh)))
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for a mesh");
    struct myr_method_mesh *m = s->mesh;
    const myr_mesh_question q = {.tolerance = mesh_aim(s),
                                 .core = exp(MESH_STEP * floor(log(p->core * (1 + 1e-9)) / MESH_STEP)),
                                 .edge = {s->box[0], s->box[1], s->box[2]},
                                 .power = -1,
                                 .gradient = myr_mesh_form_stretches(p->form),
                                 .on_gpu = on_gpu,
                                 .single = !on_gpu && p->problem->unit->arithmetic != MYR_ARITHMETIC_DOUBLE &&
                                           mesh_aim(s) >= MYR_MESH_SINGLE && myr_fourier_single_available(),
                                 .fitted = on_gpu && mesh_aim(s) >= MYR_MESH_GPU_FLOATS,
                                 .n = p->n};
    if (!mesh_asked(&q, &m->question)) {
        m->question = q;
        m->in_double = 0;
        if (!myr_mesh_choose(&q, &m->choice)) {
            m->question = (myr_mesh_question){0};
            return myr_context_fail(f->context, MYR_ERROR_RANGE,
                                    "cores of %g are too narrow for a mesh: a tolerance of %g needs %lld x %lld x %lld "
                                    "points, and at most %g are possible; use method fmm, or a larger tolerance",
                                    p->core, q.tolerance, (long long)m->choice.side[0], (long long)m->choice.side[1],
                                    (long long)m->choice.side[2], MYR_MESH_POINTS);
        }
    }
    return MYR_OK;
}

static myr_status mesh_prepare(myr_interaction *f, const myr_mesh_problem *p)
{
    const myr_status status = myr_method_mesh_choose(f, p, 0);
    if (status)
        return status;
    struct myr_method_mesh *m = f->method_state.mesh;
    if (myr_mesh_matches(m->mesh, &m->choice, f->method_state.box))
        return MYR_OK;
    myr_mesh_destroy(&m->mesh);
    return myr_mesh_create(f->context, &m->choice, f->method_state.box, &m->mesh);
}

void myr_method_mesh_keep(myr_interaction *f, const myr_mesh_choice *choice, int in_double, int64_t bytes,
                          const double *seconds)
{
    static const char *const phases[] = {"place", "spread", "transform", "gather", NULL};
    myr_far_report report = {.order = choice->width,
                             .in_double = in_double,
                             .cells = choice->side[0] * choice->side[1] * choice->side[2],
                             .bytes = bytes};
    memcpy(report.mesh, choice->side, sizeof report.mesh);
    myr_method_far_keep(f, &report, phases, seconds);
}

static myr_status mesh_sums(myr_interaction *f, myr_mesh_problem *p)
{
    double t[MYR_MESH_PHASES + 1] = {myr_timer_now()}, seconds[MYR_MESH_PHASES];
    myr_mesh_places *sources = NULL, *targets = NULL;
    myr_status status = mesh_prepare(f, p);
    if (status)
        return status;
    myr_mesh *mesh = f->method_state.mesh->mesh;
    status = myr_mesh_places_create(mesh, p->n, (const double *const *)p->x, &sources);
    if (!status && !p->same)
        status = myr_mesh_places_create(mesh, p->m, (const double *const *)p->at, &targets);
    if (!status) {
        t[1] = myr_timer_now();
        myr_mesh_spread(mesh, sources, (const double *const *)p->strength);
        t[2] = myr_timer_now();
        myr_mesh_apply(mesh, p->core, myr_mesh_vortex_velocity, NULL);
        t[3] = myr_timer_now();
        myr_mesh_gather(mesh, p->same ? sources : targets, myr_mesh_form_stretches(p->form), mesh_take, p);
        t[4] = myr_timer_now();
        for (int k = 0; k < MYR_MESH_PHASES; k++)
            seconds[k] = t[k + 1] - t[k];
        myr_method_mesh_keep(f, myr_mesh_choice_of(mesh), !myr_mesh_choice_of(mesh)->single, myr_mesh_bytes(mesh),
                             seconds);
    }
    myr_mesh_places_destroy(&sources);
    myr_mesh_places_destroy(&targets);
    return status;
}

static myr_status mesh_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                           myr_direct_result *result)
{
    myr_mesh_problem p;
    myr_direct_result_clear(result);
    myr_status status = mesh_read(problem, &p);
    p.value = result->value;
    if (!status && p.core > 0 && p.m > 0)
        status = isa->gpu ? myr_method_mesh_gpu_sums(f, isa->gpu, &p) : mesh_sums(f, &p);
    else
        for (int k = 0; k < problem->unit->outputs && !status; k++)
            memset(result->value[k], 0, (size_t)p.m * sizeof(double));
    for (int k = 0; k < problem->unit->outputs && !status; k++)
        for (int64_t i = 0; i < p.m && result->first_bad < 0; i++)
            if (!isfinite(result->value[k][i]))
                result->first_bad = i;
    free(p.memory);
    return status;
}

/* --- measured error ----------------------------------------------------------------------------------------------- */

/* Compares sampled targets, of these numbers, with their right outputs. */
static void mesh_compare(const myr_mesh_problem *p, const myr_direct_result *result, int64_t samples,
                         const int64_t *pick, double (*right)[6], myr_far_report *report)
{
    const myr_kernel_output *output = p->problem->unit->desc->output;
    double off[MYR_KERNEL_OUTPUT_FIELDS] = {0}, all[MYR_KERNEL_OUTPUT_FIELDS] = {0};
    for (int64_t s = 0; s < samples; s++)
        for (int k = 0; k < p->problem->unit->outputs; k++) {
            off[k / 3] += pow(result->value[k][pick[s]] - right[s][k], 2);
            all[k / 3] += right[s][k] * right[s][k];
        }
    report->samples = samples;
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && output[k].name; k++) {
        report->output[k] = output[k].name;
        report->error[k] = all[k] > 0 ? sqrt(off[k] / all[k]) : sqrt(off[k]);
    }
}

/* Field with the largest error beyond the tolerance; -1 = all keep it. */
static int mesh_exceeds(const myr_far_report *r)
{
    int worst = -1;
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS && r->output[k]; k++)
        if (!(r->error[k] <= r->tolerance) && (worst < 0 || r->error[k] > r->error[worst]))
            worst = k;
    return worst;
}

/* Has the formula aim at less, as it takes strengths for random ones: smooth fields have larger errors. Only the first
 * evaluation is repeated, with a mesh that a later one, or a restart, has as well. */
static int mesh_refine(myr_method_state *m, double error)
{
    const double relax = m->relax * MESH_AIM * m->report.tolerance / error;
    if (m->raises <= 0 || !(error > 0) || m->used[MYR_METHOD_tolerance] * relax < MESH_FINEST)
        return 0;
    m->raised_from = 1;
    m->relax = relax;
    m->raised = 1;
    m->raises--;
    return 1;
}

/* If the error exceeds the tolerance, refines the mesh, or warns, once. */
static void mesh_judge(myr_interaction *f)
{
    myr_method_state *m = &f->method_state;
    const int k = mesh_exceeds(&m->report);
    if (k >= 0 && !m->best_effort && mesh_refine(m, m->report.error[k]))
        return;
    if (k >= 0 && !m->best_effort && !m->warned) {
        m->warned = 1;
        myr_context_warn(f->context,
                         "%s is off by %.2g (relative rms, measured on %lld targets), more than the tolerance %g: ask "
                         "for a smaller tolerance",
                         m->report.output[k], m->report.error[k], (long long)m->report.samples, m->report.tolerance);
    }
    if (m->raised_from) {
        double worst = 0;
        for (int o = 0; o < MYR_KERNEL_OUTPUT_FIELDS && m->report.output[o]; o++)
            worst = fmax(worst, m->report.error[o]);
        myr_context_notify(f->context,
                           "mesh chosen again for the tolerance %g, %lld points along x and a window of %d: the "
                           "measured error is %.2g now",
                           m->report.tolerance, (long long)m->report.mesh[0], m->report.order, worst);
    }
    m->raises = m->raised_from = 0;
}

/* Right outputs of sampled targets. */
static myr_status mesh_right(myr_interaction *f, const myr_isa_table *isa, const myr_mesh_problem *p, int64_t samples,
                             const int64_t *pick, double (*right)[6])
{
    double sum[MESH_SAMPLES + 1][12];
    if (isa->gpu && p->n > MYR_MESH_PAIRS)
        return myr_method_mesh_gpu_reference(f, isa->gpu, p, samples, pick, right);
    const myr_status status = myr_method_mesh_reference(f, p, samples, pick, sum);
    for (int64_t s = 0; s < samples && !status; s++)
        mesh_output(p, pick[s], sum[s], right[s]);
    return status;
}

static myr_status mesh_report(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              const myr_direct_result *result)
{
    myr_method_state *m = &f->method_state;
    const int64_t step = problem->targets / MESH_SAMPLES + 1;
    int64_t pick[MESH_SAMPLES + 1], samples = 0;
    double right[MESH_SAMPLES + 1][6];
    myr_mesh_problem p;
    m->report.tolerance = m->used[MYR_METHOD_tolerance];
    m->report.within_pairs = -1;
    myr_status status = mesh_read(problem, &p);
    for (int64_t i = step / 2; i < p.m && !status; i += step)
        pick[samples++] = i;
    if (!status && p.core > 0) {
        status = mesh_right(f, isa, &p, samples, pick, right);
        if (!status) {
            mesh_compare(&p, result, samples, pick, right, &m->report);
            mesh_judge(f);
        }
    }
    free(p.memory);
    return status;
}

static myr_status mesh_open_motion(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                   const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    myr_mesh_problem p;
    myr_status status = mesh_read(problem, &p);
    if (!status)
        status = myr_method_mesh_gpu_motion(f, isa->gpu, &p, set, motion);
    free(p.memory);
    return status;
}

const myr_method_table myr_method_mesh = {
    .info = {"mesh", "vortex elements with equal cores in a periodic box: by Fourier transforms, no pairs", 1},
    .takes = 1u << MYR_METHOD_tolerance,
    .images = 1,
    .any_edges = 1,
    .on_gpu = 2,
    .gpu_targets = 1,
    .check = mesh_check,
    .choose = mesh_choose,
    .run = mesh_run,
    .open_motion = mesh_open_motion,
    .report = mesh_report,
};
