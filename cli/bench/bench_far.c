/* bench_far.c - what the suites of methods with a far field share. */
#include "bench/bench_far.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "force_errors.h"

enum { REPEATS = 3, SAMPLES = 2000 };
#define LONG_SECONDS 5.0 /* evaluations that take longer are timed once */

double bench_far_processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_of(const bench *b)
{
    return b->threads == 1 ? bench_far_processor() : cli_seconds();
}

/* Eight Plummer spheres far apart, radii over a factor of 100: densities over a factor of 10^6. */
static void make_clustered(myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    for (int c = 0; c < 3; c++) {
        double *x = myr_particles_component(p, "position", c);
        for (int64_t i = 0; i < n; i++)
            x[i] = x[i] * pow(10, -(double)(i % 8) / 3.5) + 20.0 * (double)(i >> c & 1);
    }
}

/* Nine bodies of ten feel the others and act on none. */
static void make_test_particles(myr_particles *p)
{
    const int64_t n = myr_particles_count(p);
    for (int64_t i = n / 10; i < n; i++)
        myr_particles_component(p, "mass", 0)[i] = 0;
}

int bench_far_set(bench *b, const char *set, int64_t n, myr_particles **p)
{
    static const struct {
        const char *set, *model;
        void (*change)(myr_particles *p);
    } changed[] = {{"clustered", "plummer", make_clustered}, {"test particles", "uniform", make_test_particles}};
    const char *model = set;
    void (*change)(myr_particles * p) = NULL;
    for (size_t k = 0; k < sizeof changed / sizeof *changed; k++)
        if (strcmp(changed[k].set, set) == 0) {
            model = changed[k].model;
            change = changed[k].change;
        }
    const int code = cli_check(b->context, myr_model_create(b->context, model, n, 1, p));
    if (!code && change)
        change(*p);
    return code;
}

static int time_once(bench *b, myr_interaction *f, myr_particles *p, bench_far_row *row)
{
    const double start = clock_of(b);
    int code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    const double seconds = clock_of(b) - start;
    myr_far_report far;
    if (!code)
        code = cli_check(b->context, myr_interaction_far(f, &far));
    if (code || seconds >= row->seconds)
        return code;
    double wall = 0;
    for (int k = 0; k < BENCH_FAR_PARTS && far.part[k]; k++)
        wall += far.seconds[k];
    for (int k = 0; k < BENCH_FAR_PARTS; k++)
        row->part[k] = far.part[k] && wall > 0 ? far.seconds[k] / wall * seconds : 0;
    row->seconds = seconds;
    row->far = far;
    return code;
}

int bench_far_measure(bench *b, const char *kernel, const char *method, const char *arithmetic,
                      const bench_far_setting *setting, myr_particles *p, bench_far_row *row)
{
    const char *accumulator = strcmp(arithmetic, "double") ? "single" : "double";
    return bench_far_measure_sums(b, kernel, method, accumulator, arithmetic, setting, p, row);
}

int bench_far_measure_sums(bench *b, const char *kernel, const char *method, const char *accumulator,
                           const char *arithmetic, const bench_far_setting *setting, myr_particles *p,
                           bench_far_row *row)
{
    myr_interaction *f = bench_interaction(b, kernel, accumulator, arithmetic);
    if (!f)
        return CLI_FAILED;
    progress_begin(&b->progress, "%s, %s, %s %g, %lld particles", method, arithmetic, setting[0].name, setting[0].value,
                   (long long)myr_particles_count(p));
    *row = (bench_far_row){.seconds = INFINITY, .momentum = NAN};
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = cli_check(b->context, myr_interaction_choose(f, "method", method));
    for (const bench_far_setting *s = setting; s->name && !code; s++)
        code = cli_check(b->context, myr_interaction_set(f, s->name, s->value));
    if (!code)
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
    for (int k = 0; k < (b->quick ? 1 : REPEATS) && !code; k++)
        if (k == 0 || row->seconds < LONG_SECONDS)
            code = time_once(b, f, p, row);
    if (!code)
        code = measure_net_force(b->context, f, p, myr_kernel_find(kernel), &row->momentum);
    progress_end(&b->progress);
    myr_interaction_destroy(&f);
    return code;
}

double bench_far_part(const bench_far_row *row, const char *name)
{
    for (int k = 0; k < BENCH_FAR_PARTS && row->far.part[k]; k++)
        if (strcmp(row->far.part[k], name) == 0)
            return row->part[k];
    return NAN;
}

double bench_far_seconds(const myr_far_report *far, const char *name)
{
    for (int k = 0; k < BENCH_FAR_PARTS && far->part[k]; k++)
        if (strcmp(far->part[k], name) == 0)
            return far->seconds[k];
    return 0;
}

int bench_far_errors(bench *b, const char *kernel, myr_particles *p, double error[2])
{
    const int vortex = strcmp(kernel, "velocity_stretching") == 0, outputs = vortex ? 6 : 4;
    const char *const field[2] = {vortex ? "velocity" : "acceleration", vortex ? "stretching" : "potential"};
    const int64_t n = myr_particles_count(p), most = b->quick ? SAMPLES / 10 : SAMPLES, step = n / most + 1;
    int64_t index[SAMPLES], count = 0;
    double got[SAMPLES][6];
    myr_interaction *f = bench_interaction(b, kernel, "double", "double");
    if (!f)
        return CLI_FAILED;
    for (int64_t i = step / 2; i < n && count < SAMPLES; i += step, count++) {
        index[count] = i;
        for (int c = 0; c < outputs; c++)
            got[count][c] = myr_particles_component(p, field[c / 3], c % 3)[i];
    }
    const int code = cli_check(b->context, myr_interaction_evaluate_subset(f, p, count, index));
    for (int k = 0; k < 2 && !code; k++) {
        double off = 0, all = 0;
        for (int c = 3 * k; c < (k ? outputs : 3); c++)
            for (int64_t i = 0; i < count; i++) {
                const double right = myr_particles_component(p, field[k], c % 3)[index[i]];
                off += pow(got[i][c] - right, 2);
                all += right * right;
            }
        error[k] = sqrt(off / all);
    }
    myr_interaction_destroy(&f);
    return code;
}

static int time_direct(bench *b, const char *kernel, const char *accumulator, const char *arithmetic, myr_particles *p,
                       double *seconds)
{
    enum { TIMES = 6 };
    myr_interaction *f = bench_interaction(b, kernel, accumulator, arithmetic);
    int code = f ? cli_check(b->context, myr_context_set_threads(b->context, b->threads)) : CLI_FAILED;
    *seconds = INFINITY;
    for (int k = 0; k < TIMES && !code; k++) {
        const double start = clock_of(b);
        code = cli_check(b->context, myr_interaction_evaluate(f, p, p));
        *seconds = fmin(*seconds, clock_of(b) - start);
    }
    myr_interaction_destroy(&f);
    return code;
}

int bench_far_time_direct(bench *b, const char *kernel, myr_particles *p, double *seconds)
{
    return time_direct(b, kernel, "single", "single", p, seconds);
}

int bench_far_direct(bench *b, const char *kernel, double *pairs_per_s)
{
    return bench_far_direct_sums(b, kernel, "single", "single", pairs_per_s);
}

int bench_far_direct_sums(bench *b, const char *kernel, const char *accumulator, const char *arithmetic,
                          double *pairs_per_s)
{
    enum { SIZE = 16384 };
    myr_particles *p = NULL;
    double seconds = INFINITY;
    int code = bench_far_set(b, "uniform", SIZE, &p);
    if (!code)
        code = time_direct(b, kernel, accumulator, arithmetic, p, &seconds);
    *pairs_per_s = (double)SIZE * SIZE / seconds;
    myr_particles_destroy(&p);
    return code;
}

double bench_far_exponent(const double *n, const double *seconds, int count)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int k = 0; k < count; k++) {
        const double x = log(n[k]), y = log(seconds[k]);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    return count > 1 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}
