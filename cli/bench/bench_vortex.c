/* bench_vortex.c - vortex elements as in paper 004: direct sums (Figs 2 and 3), time and error of the fast multipole
 * and the pseudo-particle method against N for p = 6, 8, 10 (Figs 5, 6 and 10), and images of a periodic box
 * (section 5.1). Elements are at random in [-pi, pi]^3 with strengths of random directions, sigma = 2 pi N^(-1/3). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench_far.h"

enum { DIRECT_MOST = 30000, LEAST = 10000 };

#define PI 3.14159265358979323846
#define BOTH "velocity_stretching"
#define TOLERANCE 1e-4 /* what p = 10 is to keep: cores need not be better in the far field */

/* Strengths are positions of another random set, so that they have no common direction; they add up to 0. */
int bench_vortex_elements(bench *b, int64_t n, myr_particles **p)
{
    myr_particles *other = NULL;
    int code = cli_check(b->context, myr_model_create(b->context, "uniform", n, 1, p));
    if (!code)
        code = cli_check(b->context, myr_model_create(b->context, "uniform", n, 2, &other));
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(*p, "strength", 3));
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(*p, "core", 1));
    for (int c = 0; c < 3 && !code; c++) {
        double *x = myr_particles_component(*p, "position", c), *to = myr_particles_component(*p, "strength", c);
        const double *from = myr_particles_component(other, "position", c);
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += from[i] / (double)n;
        for (int64_t i = 0; i < n; i++) {
            x[i] *= 2 * PI;
            to[i] = (from[i] - mean) / (double)n;
            myr_particles_component(*p, "core", 0)[i] = 2 * PI / cbrt((double)n);
        }
    }
    if (!code)
        code = cli_check(b->context, myr_particles_add_field(*p, "charge", 1));
    for (int64_t i = 0; i < n && !code; i++)
        myr_particles_component(*p, "charge", 0)[i] = myr_particles_component(*p, "strength", 0)[i];
    myr_particles_destroy(&other);
    return code;
}

/* --- direct sums -------------------------------------------------------------------------------------------------- */

static int direct_row(bench *b, int64_t n)
{
    static const char *const kernels[] = {"biot_savart", "stretching", BOTH, "laplace"};
    myr_particles *p = NULL;
    int code = bench_vortex_elements(b, n, &p);
    if (!code)
        tables_number(&b->tables, (double)n);
    for (int k = 0; k < 4 && !code; k++) {
        double seconds = INFINITY;
        progress_begin(&b->progress, "direct, %s, %lld elements", kernels[k], (long long)n);
        code = bench_far_time_direct(b, kernels[k], p, &seconds);
        progress_end(&b->progress);
        tables_number(&b->tables, seconds);
        tables_number(&b->tables, (double)n * (double)n / seconds);
    }
    myr_particles_destroy(&p);
    return code;
}

static int direct_table(bench *b)
{
    static const tables_column columns[] = {{"n", "N", 8, "%.0f"},
                                            {"velocity", "velocity s", 11, "%.3g"},
                                            {"velocity_rate", "pairs/s", 9, "%.2e"},
                                            {"stretching", "stretching s", 13, "%.3g"},
                                            {"stretching_rate", "pairs/s", 9, "%.2e"},
                                            {"both", "both s", 9, "%.3g"},
                                            {"both_rate", "pairs/s", 9, "%.2e"},
                                            {"potential_force", "pot.+force s", 13, "%.3g"},
                                            {"potential_force_rate", "pairs/s", 9, "%.2e"},
                                            {0}};
    static const double sizes[] = {1e3, 3e3, 1e4, 3e4};
    int code = CLI_OK;
    tables_open(&b->tables, "004_fig_2_3", "Paper 004, Figs 2 and 3: direct sums of vortex elements and of charges",
                columns);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !code; k++)
        if (sizes[k] <= (double)b->max && sizes[k] <= DIRECT_MOST)
            code = direct_row(b, (int64_t)sizes[k]);
    tables_close(&b->tables);
    return code;
}

/* --- far fields --------------------------------------------------------------------------------------------------- */

/* Times at p = 10, for the exponent; and at p = 6. */
typedef struct {
    double n[16], seconds[16], six;
    int count;
} far_times;

static double near_share(const bench_far_row *row)
{
    const double fmm = bench_far_part(row, "p2p");
    return (isnan(fmm) ? bench_far_part(row, "near") : fmm) / row->seconds;
}

static void far_write(bench *b, const char *method, int p, int64_t n, const bench_far_row *row, far_times *t)
{
    if (p == 6)
        t->six = row->seconds;
    if (p == 10 && n >= LEAST) {
        t->n[t->count] = (double)n;
        t->seconds[t->count++] = row->seconds;
    }
    tables_text(&b->tables, method);
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, p);
    tables_number(&b->tables, row->far.error[0]);
    tables_number(&b->tables, row->far.error[1]);
    tables_number(&b->tables, row->seconds);
    tables_number(&b->tables, row->seconds / t->six);
    tables_number(&b->tables, (double)row->far.near_pairs / ((double)n * (double)n));
    tables_number(&b->tables, (double)row->far.near_pairs / (double)n);
    tables_number(&b->tables, near_share(row));
    tables_number(&b->tables, (double)row->far.bytes / (double)n);
    tables_number(&b->tables, p == 10 ? bench_far_exponent(t->n, t->seconds, t->count) : NAN);
}

/* The paper's p is the highest degree (eq. 18): one less than how many there are, which is the order of method fmm. It
 * counts the degrees of the velocity's gradient there; the vector potential has two more. */
static int far_rows(bench *b, const char *method, int64_t n, far_times *t)
{
    const int more = strcmp(method, "fmm") == 0;
    myr_particles *elements = NULL;
    int code = bench_vortex_elements(b, n, &elements);
    for (int p = 6; p <= 10 && !code; p += 2) {
        const bench_far_setting settings[] = {{"order", p + more}, {"tolerance", TOLERANCE}, {0}};
        bench_far_row row;
        code = bench_far_measure(b, BOTH, method, "single", settings, elements, &row);
        if (!code)
            far_write(b, method, p, n, &row, t);
    }
    myr_particles_destroy(&elements);
    return code;
}

static int far_table(bench *b)
{
    static const tables_column columns[] = {{"method", "method", 8, NULL},
                                            {"n", "N", 9, "%.0f"},
                                            {"p", "p", 4, "%.0f"},
                                            {"velocity_error", "velocity err", 13, "%.1e"},
                                            {"stretching_error", "stretching err", 15, "%.1e"},
                                            {"seconds", "seconds", 9, "%.4f"},
                                            {"to_six", "to p = 6", 9, "%.2f"},
                                            {"near_pairs", "near pairs", 11, "%.4f"},
                                            {"near_per_particle", "per element", 12, "%.0f"},
                                            {"near_time", "near time", 10, "%.2f"},
                                            {"bytes", "bytes/element", 14, "%.0f"},
                                            {"exponent", "exponent", 9, "%.3f"},
                                            {0}};
    static const double sizes[] = {1e3, 3e3, 1e4, 2e4, 4e4, 1e5, 2e5, 4e5, 1e6};
    static const char *const methods[] = {"fmm", "pseudo"};
    int code = CLI_OK;
    tables_open(&b->tables, "004_fig_5_6_10",
                "Paper 004, Figs 5, 6 and 10: velocity and stretching, single arithmetic; p: the highest degree "
                "(fmm: of the velocity's gradient, the vector potential has two more); near: shares of all pairs and "
                "of the time; exponent from N = 10^4 on",
                columns);
    for (int m = 0; m < 2; m++) {
        far_times times = {.count = 0};
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !code; k++)
            if (sizes[k] <= (double)b->max)
                code = far_rows(b, methods[m], (int64_t)sizes[k], &times);
    }
    tables_close(&b->tables);
    return code;
}

/* --- images ------------------------------------------------------------------------------------------------------- */

/* Evaluates in a box with so many images, or all (0), or without a box (-1). */
static int images_run(bench *b, myr_particles *p, int images, double *seconds)
{
    const double edges[3] = {2 * PI, 2 * PI, 2 * PI}, corner[3] = {-PI, -PI, -PI};
    myr_interaction *f = bench_interaction(b, BOTH, "single", "single");
    int code = f ? cli_check(b->context, myr_interaction_choose(f, "method", "fmm")) : CLI_FAILED;
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "order", 11));
    if (!code && images >= 0)
        code = cli_check(b->context, myr_interaction_set_box(f, edges, corner));
    if (!code && images > 0)
        code = cli_check(b->context, myr_interaction_set(f, "images", images));
    if (!code)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", TOLERANCE));
    for (int k = 0; k < 2 && !code; k++) { /* the first makes the operators */
        const double start = bench_far_processor();
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
        *seconds = bench_far_processor() - start;
    }
    myr_interaction_destroy(&f);
    return code;
}

/* The relative difference of a field, less its mean where wanted: with a number of images the elements move together
 * at a velocity that depends on where the box begins. */
static double images_off(const myr_particles *a, const myr_particles *right, const char *field, int less_mean)
{
    const int64_t n = myr_particles_count(a);
    double off = 0, all = 0;
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(a, field, c);
        const double *y = myr_particles_component_const(right, field, c);
        double mean = 0;
        for (int64_t i = 0; i < n; i++)
            mean += less_mean ? (x[i] - y[i]) / (double)n : 0;
        for (int64_t i = 0; i < n; i++) {
            off += pow(x[i] - y[i] - mean, 2);
            all += y[i] * y[i];
        }
    }
    return sqrt(off / all);
}

static int images_table(bench *b, int64_t n)
{
    static const tables_column columns[] = {{"images", "images", 8, "%.0f"},
                                            {"velocity_error", "velocity off by", 16, "%.1e"},
                                            {"less_mean", "less its mean", 14, "%.1e"},
                                            {"stretching_error", "stretching off by", 18, "%.1e"},
                                            {"seconds", "seconds", 9, "%.4f"},
                                            {0}};
    static const int images[] = {-1, 2, 8, 32, 128, 0};
    char title[200];
    myr_particles *right = NULL, *p = NULL;
    double seconds;
    int code = bench_vortex_elements(b, n, &right);
    if (!code)
        code = bench_vortex_elements(b, n, &p);
    if (!code)
        code = images_run(b, right, 0, &seconds);
    snprintf(title, sizeof title,
             "Paper 004, section 5.1: images of a box of %lld elements along each axis (there 2^5), beside all of them "
             "(0); -1: no box; p = 10, fmm",
             (long long)n);
    tables_open(&b->tables, "004_images", title, columns);
    for (size_t k = 0; k < sizeof images / sizeof images[0] && !code; k++) {
        code = images_run(b, p, images[k], &seconds);
        if (code)
            break;
        tables_number(&b->tables, images[k]);
        tables_number(&b->tables, images_off(p, right, "velocity", 0));
        tables_number(&b->tables, images_off(p, right, "velocity", 1));
        tables_number(&b->tables, images_off(p, right, "stretching", 0));
        tables_number(&b->tables, seconds);
    }
    tables_close(&b->tables);
    myr_particles_destroy(&right);
    myr_particles_destroy(&p);
    return code;
}

int bench_vortex(bench *b)
{
    if (b->gpu) {
        const int code = bench_vortex_gpu(b);
        return code ? code : bench_vortex_paper_gpu(b);
    }
    int code = direct_table(b);
    if (!code)
        code = far_table(b);
    if (!code)
        code = images_table(b, b->max < 30000 ? b->max : 30000);
    return code;
}
