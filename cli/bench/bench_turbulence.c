/* bench_turbulence.c - isotropic turbulence in a periodic box as in paper 004, section 5: the time of a step of vortex
 * elements by what it goes into, operations in both conventions of the paper's Table 2, and the spectral method for the
 * same simulated time from the same field. */
#include <math.h>
#include <string.h>

#include <myriad/elements.h>

#include "bench/bench_far.h"

#define PI 3.14159265358979323846
#define CYCLES 133 /* operations of a pair for velocity and stretching, Table 3: by clock cycles, */
#define PLAIN 88   /* and with every function as one */
#define TURNING 0.7

enum { STEPS = 2, PAPER_SIDE = 256 };

typedef struct {
    double seconds;                     /* of a step */
    double near, far, solving, renewal; /* shares of it */
    double pairs;                       /* near ones of an evaluation */
    double evaluations;                 /* per step */
    double iterations;                  /* per evaluation */
    double span;                        /* simulated time of a step */
} turbulence_row;

static double now(const bench *b)
{
    return b->threads == 1 ? bench_far_processor() : cli_seconds();
}

static int make_field(bench *b, int64_t side, myr_particles **p, double *viscosity)
{
    myr_model_spec *spec = NULL;
    myr_flow flow;
    int code = cli_check(b->context, myr_model_spec_create(b->context, "isotropic_turbulence", &spec));
    const double peak = 4 * fmax(1, (double)side / 64);
    if (!code)
        code = cli_check(b->context, myr_model_spec_set(spec, "peak", side < 64 ? (double)side / 16 : peak));
    if (!code)
        code = cli_check(b->context, myr_model_spec_make(spec, side * side * side, 1, p));
    if (!code)
        code = cli_check(b->context, myr_flow_measure(*p, 0, &flow));
    if (!code) /* waves as short as the mesh has them decay as at Re_lambda = 40 on 64^3 */
        *viscosity = flow.speed * flow.taylor_scale / 40;
    myr_model_spec_destroy(&spec);
    return code;
}

/* Elements in the box, summed by a method. */
static int make_elements(bench *b, const char *method, myr_particles *p, double viscosity, myr_simulation **s)
{
    const double edges[3] = {2 * PI, 2 * PI, 2 * PI}, corner[3] = {-PI, -PI, -PI};
    myr_interaction *f = bench_interaction(b, "velocity_stretching", "single", "single");
    int code = f ? cli_check(b->context, myr_interaction_choose(f, "method", method)) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", 1e-3));
    if (!code)
        code = cli_check(b->context, myr_interaction_set_box(f, edges, corner));
    if (!code)
        code = cli_check(b->context, myr_simulation_create(b->context, p, f, s));
    if (code) {
        myr_particles_destroy(&p);
        myr_interaction_destroy(&f);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(*s, "rk3"));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(*s, "dt", 0.2));
    if (!code)
        code = cli_check(b->context, myr_simulation_set_viscosity(*s, viscosity));
    if (!code)
        code = cli_check(b->context, myr_simulation_limit_turning(*s, TURNING));
    return code ? code : cli_check(b->context, myr_simulation_solve_strengths(*s, 3e-4));
}

/* The share of near pairs in the last evaluation. */
static double near_share(const myr_far_report *far)
{
    double all = 0, near = 0;
    for (int k = 0; k < BENCH_FAR_PARTS && far->part[k]; k++) {
        all += far->seconds[k];
        near += strcmp(far->part[k], "p2p") == 0 ? far->seconds[k] : 0;
    }
    return all > 0 ? near / all : NAN;
}

static int time_elements(bench *b, int64_t side, myr_simulation *s, turbulence_row *row)
{
    const double spacing = 2 * PI / (double)side;
    double renewal = 0, begin = 0, clock = 0;
    myr_progress before, after;
    myr_solved solved_before, solved;
    myr_far_report far;
    myr_reinitialisation info;
    int code = CLI_OK;
    for (int k = 0; k < STEPS + 1 && !code; k++) { /* the first makes what later ones keep */
        if (k == 1) {
            begin = now(b);
            clock = cli_seconds();
            myr_simulation_progress(s, &before);
            myr_simulation_solved(s, &solved_before);
        }
        code = cli_check(b->context, myr_simulation_step(s, 1e300));
        const double start = cli_seconds();
        if (!code)
            code = cli_check(b->context, myr_simulation_reinitialise(s, spacing, spacing, &info));
        renewal += k ? cli_seconds() - start : 0;
    }
    if (!code)
        code = cli_check(b->context, myr_interaction_far(myr_simulation_interaction(s), &far));
    if (code)
        return code;
    const double wall = cli_seconds() - clock;
    myr_simulation_progress(s, &after);
    myr_simulation_solved(s, &solved);
    const double sums = (after.force_seconds - before.force_seconds) / wall;
    const double evaluations = (double)(solved.evaluations - solved_before.evaluations);
    *row = (turbulence_row){.seconds = (now(b) - begin) / STEPS,
                            .near = sums * near_share(&far),
                            .far = sums * (1 - near_share(&far)),
                            .solving = (solved.seconds - solved_before.seconds) / wall,
                            .renewal = renewal / wall,
                            .pairs = (double)far.near_pairs,
                            .evaluations = evaluations / STEPS,
                            .iterations = (double)(solved.iterations - solved_before.iterations) / evaluations,
                            .span = (after.time - before.time) / STEPS};
    return CLI_OK;
}

/* Seconds of the spectral method for a unit of simulated time. */
static int time_spectral(bench *b, int64_t side, double *seconds)
{
    const double dt = 0.6 / (double)side;
    myr_particles *p = NULL;
    myr_simulation *s = NULL;
    double viscosity, start = 0;
    int code = make_field(b, side, &p, &viscosity);
    if (!code)
        code = cli_check(b->context, myr_simulation_create(b->context, p, NULL, &s));
    if (code) {
        myr_particles_destroy(&p);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(s, "rk4"));
    if (!code)
        code = cli_check(b->context, myr_simulation_set(s, "dt", dt));
    if (!code)
        code = cli_check(b->context, myr_simulation_set_spectral(s, viscosity));
    for (int k = 0; k < STEPS + 1 && !code; k++) {
        start = k == 1 ? now(b) : start;
        code = cli_check(b->context, myr_simulation_step(s, 1e300));
    }
    *seconds = (now(b) - start) / STEPS / dt;
    myr_simulation_destroy(&s);
    return code;
}

static void write_row(bench *b, const char *method, int64_t side, const turbulence_row *r, double spectral)
{
    const double n = (double)(side * side * side), pairs = r->pairs * r->evaluations / r->seconds;
    const double cells[] = {(double)side,
                            r->seconds,
                            r->near,
                            r->far,
                            r->solving,
                            r->renewal,
                            1 - r->near - r->far - r->solving - r->renewal,
                            r->evaluations,
                            r->iterations,
                            n / r->seconds,
                            r->pairs / n,
                            1e-9 * CYCLES * pairs,
                            1e-9 * PLAIN * pairs,
                            r->seconds / r->span,
                            spectral};
    tables_text(&b->tables, method);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
        tables_number(&b->tables, cells[k]);
}

static int measure(bench *b, const char *method, int64_t side, turbulence_row *row, double *spectral)
{
    myr_particles *p = NULL;
    myr_simulation *s = NULL;
    double viscosity;
    progress_begin(&b->progress, "turbulence, %lld^3 elements, %s", (long long)side, method);
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = make_field(b, side, &p, &viscosity);
    if (!code)
        code = make_elements(b, method, p, viscosity, &s);
    if (!code)
        code = time_elements(b, side, s, row);
    myr_simulation_destroy(&s);
    if (!code)
        code = time_spectral(b, side, spectral);
    progress_end(&b->progress);
    return code;
}

/* The paper's size from the largest that was measured: a step costs as much per element. */
static void predict(bench *b, int64_t side, const turbulence_row *r)
{
    static const tables_column columns[] = {{"n", "N", 10, "%.0f"},
                                            {"step", "s per step", 12, "%.3g"},
                                            {"evaluation", "s per evaluation", 17, "%.3g"},
                                            {"paper", "paper: s per step", 18, "%.2f"},
                                            {0}};
    const double more = pow((double)PAPER_SIDE / (double)side, 3);
    tables_open(
        &b->tables, "004_prediction",
        "PREDICTION, not measured: 256^3 elements on these cores, from the row above; beside the paper's 64 GPUs, one "
        "evaluation per step",
        columns);
    tables_number(&b->tables, pow(PAPER_SIDE, 3));
    tables_number(&b->tables, r->seconds * more);
    tables_number(&b->tables, r->seconds * more / r->evaluations);
    tables_number(&b->tables, 4.12);
    tables_close(&b->tables);
}

int bench_turbulence(bench *b)
{
    static const tables_column columns[] = {{"method", "method", 7, NULL},
                                            {"side", "side", 5, "%.0f"},
                                            {"seconds", "s/step", 9, "%.3g"},
                                            {"near", "near", 6, "%.2f"},
                                            {"far", "far", 6, "%.2f"},
                                            {"strengths", "strengths", 10, "%.2f"},
                                            {"renewal", "renewal", 8, "%.2f"},
                                            {"rest", "rest", 6, "%.2f"},
                                            {"evaluations", "evaluations", 12, "%.0f"},
                                            {"iterations", "iterations", 11, "%.1f"},
                                            {"rate", "elements/s", 11, "%.3g"},
                                            {"pairs", "near pairs", 11, "%.0f"},
                                            {"gflops_cycles", "Gflops", 8, "%.3g"},
                                            {"gflops_plain", "(plain)", 8, "%.3g"},
                                            {"vortex", "s/time", 9, "%.3g"},
                                            {"spectral", "spectral", 9, "%.3g"},
                                            {0}};
    static const int64_t sides[] = {16, 32, 64, 128, 256};
    static const char *const methods[] = {"fmm", "mesh"};
    turbulence_row row = {0};
    int64_t last = 0;
    double spectral;
    int code = CLI_OK;
    if (!myr_flow_available())
        return CLI_OK; /* a build without FFTW has neither method */
    tables_open(
        &b->tables, "004_table_3_5",
        "Paper 004, section 5: a step of vortex elements (rk3, strengths solved for, replaced after every step) by "
        "shares "
        "of its time, near pairs per element, operations of near pairs in both conventions of Table 2, and seconds "
        "per unit of simulated time beside the spectral method",
        columns);
    for (size_t k = 0; k < sizeof sides / sizeof *sides && !code; k++) {
        if (sides[k] * sides[k] * sides[k] > b->max)
            break;
        if (sides[k] * sides[k] * sides[k] < b->min)
            continue;
        for (size_t m = b->quick ? 1 : 0; m < sizeof methods / sizeof *methods && !code; m++) {
            code = measure(b, methods[m], sides[k], &row, &spectral);
            if (!code)
                write_row(b, methods[m], sides[k], &row, spectral);
        }
        last = sides[k];
    }
    tables_close(&b->tables);
    if (!code && last)
        predict(b, last, &row);
    return code;
}
