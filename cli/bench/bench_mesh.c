/* bench_mesh.c - velocity and stretching of vortex elements in a periodic box by method mesh: time by phase and
 * measured errors. Elements are those of a lattice with cores of one spacing, displaced by up to half a spacing along
 * each axis; strengths are those of isotropic turbulence, or at random. On a GPU times are the device's, of particles
 * that are there, beside the bytes that a phase must move at least. */
#include <math.h>
#include <string.h>

#include "bench/bench_far.h"

#define PI 3.14159265358979323846
#define COPY 4.3e12 /* bytes per second that an H200 copies */

enum { REPEATS = 4, PHASES = 4 }; /* place, spread, transform, gather */

typedef struct {
    const char *strengths; /* "turbulent" or "noise" */
    int64_t side;
    double tolerance;
    int on_processor; /* 1 = the processor, on all its threads */
} mesh_row;

/* Replaces strengths by numbers at random, and displaces the elements. */
static int mesh_displace(bench *b, const mesh_row *row, myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    const double spacing = 2 * PI / (double)row->side;
    myr_particles *random[2] = {NULL, NULL};
    int code = CLI_OK;
    for (int k = 0; k < 2 && !code; k++)
        code = cli_check(b->context, myr_model_create(b->context, "uniform", n, (uint64_t)k + 1, &random[k]));
    for (int c = 0; c < 3 && !code; c++) {
        double *x = myr_particles_component(p, "position", c), *strength = myr_particles_component(p, "strength", c);
        const double *by = myr_particles_component(random[0], "position", c);
        const double *noise = myr_particles_component(random[1], "position", c);
        for (int64_t i = 0; i < n; i++) {
            x[i] += spacing * by[i]; /* a cube of edge 1 about the origin */
            if (strcmp(row->strengths, "noise") == 0)
                strength[i] = noise[i];
        }
    }
    for (int k = 0; k < 2; k++)
        myr_particles_destroy(&random[k]);
    return code;
}

static int mesh_elements(bench *b, const mesh_row *row, myr_particles **p)
{
    myr_model_spec *spec = NULL;
    int code = cli_check(b->context, myr_model_spec_create(b->context, "isotropic_turbulence", &spec));
    if (!code) /* the energy of Re_lambda = 100 on 256^3: a peak at k = 4 */
        code = cli_check(b->context, myr_model_spec_set(spec, "peak", fmin(4, (double)row->side / 16)));
    if (!code)
        code = cli_check(b->context, myr_model_spec_make(spec, row->side * row->side * row->side, 1, p));
    myr_model_spec_destroy(&spec);
    return code ? code : mesh_displace(b, row, *p);
}

/* The best of some evaluations after the first, which measures the error. */
static int mesh_time(bench *b, myr_interaction *f, myr_particles *p, myr_far_report *best, double *wall)
{
    double least = INFINITY;
    int code = CLI_OK;
    for (int k = 0; k < (b->quick ? 2 : REPEATS + 1) && !code; k++) {
        myr_far_report far;
        double seconds = 0;
        const double start = cli_seconds();
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
        const double took = cli_seconds() - start;
        if (!code)
            code = cli_check(b->context, myr_interaction_far(f, &far));
        for (int i = 0; i < PHASES && !code; i++)
            seconds += far.seconds[i];
        if (code || k == 0 || seconds >= least)
            continue;
        least = seconds;
        *wall = took;
        *best = far;
    }
    return code;
}

/* Bytes that a phase must move at least, of records of 8 reals and fields of 3: sources in and records out; these in
 * and sums out; five passes of transforms in and out; sums and records in, results out. */
static double mesh_bytes(int phase, double n, double points, double real)
{
    const double element = 48, record = 8 * real, field = 3 * real * points;
    const double bytes[PHASES] = {n * (element + record), n * record + field, 10 * field,
                                  field + n * (record + element)};
    return bytes[phase];
}

static void mesh_write(bench *b, const mesh_row *row, const myr_far_report *far, double wall)
{
    const double n = pow((double)row->side, 3);
    const double real = far->in_double ? sizeof(double) : sizeof(float);
    double all = 0;
    tables_text(&b->tables, row->on_processor ? "processor" : "GPU");
    tables_text(&b->tables, row->strengths);
    tables_number(&b->tables, (double)row->side);
    tables_number(&b->tables, row->tolerance);
    tables_number(&b->tables, (double)far->mesh[0]);
    tables_number(&b->tables, far->order);
    tables_text(&b->tables, far->in_double ? "double" : "float");
    for (int k = 0; k < PHASES; k++) {
        const double bound = mesh_bytes(k, n, (double)far->cells, real) / COPY;
        all += far->seconds[k];
        tables_number(&b->tables, 1e3 * far->seconds[k]);
        tables_number(&b->tables, row->on_processor ? NAN : bound / far->seconds[k]);
    }
    tables_number(&b->tables, 1e3 * all);
    tables_number(&b->tables, 1e3 * wall);
    tables_number(&b->tables, far->error[0]);
    tables_number(&b->tables, far->error[1]);
    tables_number(&b->tables, (double)far->bytes / n);
}

static int mesh_measure(bench *b, const mesh_row *row)
{
    const double edges[3] = {2 * PI, 2 * PI, 2 * PI}, corner[3] = {-PI, -PI, -PI};
    myr_interaction *f = bench_interaction(b, "velocity_stretching", "double", "double");
    myr_particles *p = NULL;
    myr_far_report far = {.order = 0};
    double wall = NAN;
    int code = f ? CLI_OK : CLI_FAILED;
    progress_begin(&b->progress, "mesh, %s strengths, %lld^3 elements, tolerance %g", row->strengths,
                   (long long)row->side, row->tolerance);
    if (!code) /* strengths of a model are made on all threads */
        code = cli_check(b->context, myr_context_set_threads(b->context, b->gpu ? 0 : b->threads));
    if (!code)
        code = mesh_elements(b, row, &p);
    if (!code && row->on_processor)
        code = cli_check(b->context, myr_interaction_choose(f, "backend", "simd"));
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", "mesh"));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", row->tolerance));
    if (!code)
        code = cli_check(b->context, myr_interaction_set_box(f, edges, corner));
    if (!code)
        code = mesh_time(b, f, p, &far, &wall);
    if (!code)
        mesh_write(b, row, &far, wall);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    myr_particles_destroy(&p);
    return code;
}

int bench_mesh(bench *b)
{
    static const tables_column columns[] = {{"where", "where", 9, NULL},
                                            {"strengths", "strengths", 10, NULL},
                                            {"side", "side", 5, "%.0f"},
                                            {"tolerance", "tolerance", 10, "%.0e"},
                                            {"mesh", "mesh", 5, "%.0f"},
                                            {"width", "width", 6, "%.0f"},
                                            {"reals", "reals", 7, NULL},
                                            {"place", "place ms", 9, "%.3g"},
                                            {"place_bound", "of bytes", 9, "%.2f"},
                                            {"spread", "spread", 7, "%.3g"},
                                            {"spread_bound", "of bytes", 9, "%.2f"},
                                            {"transform", "transform", 10, "%.3g"},
                                            {"transform_bound", "of bytes", 9, "%.2f"},
                                            {"gather", "gather", 7, "%.3g"},
                                            {"gather_bound", "of bytes", 9, "%.2f"},
                                            {"all", "all ms", 8, "%.3g"},
                                            {"wall", "wall ms", 8, "%.4g"},
                                            {"velocity_error", "velocity", 9, "%.1e"},
                                            {"stretching_error", "stretching", 11, "%.1e"},
                                            {"bytes", "bytes/element", 14, "%.0f"},
                                            {0}};
    static const mesh_row here[] = {{"turbulent", 16, 1e-3, 1}, {"turbulent", 32, 1e-4, 1}, {"turbulent", 64, 1e-4, 1}};
    static const mesh_row there[] = {
        {"turbulent", 16, 1e-3, 0},  {"turbulent", 128, 1e-4, 1}, {"turbulent", 128, 1e-4, 0},
        {"noise", 128, 1e-4, 0},     {"turbulent", 256, 1e-3, 0}, {"turbulent", 256, 5e-4, 0},
        {"turbulent", 256, 1e-4, 0}, {"noise", 256, 1e-4, 0},     {"turbulent", 256, 1e-6, 0}};
    const mesh_row *rows = b->gpu ? there : here;
    const size_t count = b->gpu ? sizeof there / sizeof *there : sizeof here / sizeof *here;
    int code = CLI_OK;
    if (!myr_flow_available())
        return CLI_OK; /* a build without FFTW has no turbulence */
    tables_open(&b->tables, "mesh",
                "Vortex elements in a periodic box by method mesh, cores of one spacing, displaced from a lattice: "
                "milliseconds by phase, on a GPU by its clock beside the bytes that must be moved at 4.3e12 per "
                "second, and errors (relative rms) measured on 32 elements",
                columns);
    for (size_t k = 0; k < count && !code; k++)
        if (rows[k].side * rows[k].side * rows[k].side <= b->max)
            code = mesh_measure(b, &rows[k]);
    tables_close(&b->tables);
    return code;
}
