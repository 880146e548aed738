/* bench_shared.c - direct sums, Hermite blocks, fast multipoles and vortex elements on the ranks of a launcher, each of
 * which has all particles (docs/ranks.md): the time of a step, what of it went into the exchange of results, and the
 * memory of a rank. With --per-rank N there are N particles for each rank, with --particles N so many in all. */
#include "bench/bench_shared.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/bench_far.h"
#include "rank_roles.h"

enum { SEGMENTS = 3, WARM = 2 };

typedef struct {
    const char *name, *kernel, *method, *integrator;
    double dt; /* 0 = the integrator chooses its steps */
    int64_t per_rank, steps;
    const char *softening; /* parameter of the kernel; null = vortex elements */
    double length;
} shared_case;

/* Plummer softening would be felt so far at a tolerance of 1e-4 that nearly all pairs were summed one by one. */
static const shared_case cases[] = {
    {"direct", "gravity", "direct", "leapfrog", 0x1p-12, 16384, 8, "eps", 0x1p-6},
    {"hermite", "gravity_jerk", "direct", "hermite4", 0, 16384, 300, "eps", 0x1p-8},
    {"fmm", "gravity_spline", "fmm", "leapfrog", 0x1p-12, 62500, 4, "h", 0x1p-8},
    {"vortex", "velocity_stretching", "fmm", "ab2", 0x1p-12, 32768, 2, NULL, 0},
};

/* One stretch of steps, by rank 0. */
typedef struct {
    double seconds, exchange;
    int64_t shared, evaluations;
    double pairs; /* pairs, or those that direct sums of the same targets would have */
} shared_stretch;

static const shared_case *find_case(const char *suite)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (strcmp(cases[k].name, suite) == 0)
            return cases + k;
    return NULL;
}

int bench_shared_has(const char *suite)
{
    return find_case(suite) != NULL;
}

static int make_simulation(bench *b, const shared_case *c, int64_t n, myr_simulation **s)
{
    myr_particles *p = NULL;
    int code = !c->softening ? bench_vortex_elements(b, n, &p)
                             : cli_check(b->context, myr_model_create(b->context, "plummer", n, 1, &p));
    myr_interaction *f = code ? NULL : bench_interaction(b, c->kernel, "fixed", "mixed");
    if (!code)
        code = f ? cli_check(b->context, myr_interaction_choose(f, "method", c->method)) : CLI_FAILED;
    if (!code && strcmp(c->method, "fmm") == 0)
        code = cli_check(b->context, myr_interaction_set(f, "tolerance", 1e-4));
    if (!code && c->softening)
        code = cli_check(b->context, myr_interaction_set(f, c->softening, c->length));
    if (!code)
        code = cli_check(b->context, myr_simulation_create(b->context, p, f, s));
    if (code) {
        myr_particles_destroy(&p);
        myr_interaction_destroy(&f);
        return code;
    }
    code = cli_check(b->context, myr_simulation_choose(*s, c->integrator));
    if (!code && c->dt > 0)
        code = cli_check(b->context, myr_simulation_set(*s, "dt", c->dt));
    return code;
}

static int make_steps(bench *b, myr_simulation *s, int64_t steps)
{
    const int64_t end = myr_simulation_steps(s) + steps;
    int code = CLI_OK;
    while (!code && myr_simulation_steps(s) < end)
        code = cli_check(b->context, myr_simulation_advance(s, 1e9, 1e9, end - myr_simulation_steps(s)));
    return code;
}

static int time_stretch(bench *b, myr_simulation *s, int64_t steps, shared_stretch *stretch)
{
    myr_shared_report before, after;
    myr_progress first, last;
    int code = cli_check(b->context, myr_simulation_shared(s, &before));
    if (!code)
        code = cli_check(b->context, myr_simulation_progress(s, &first));
    const double start = cli_seconds();
    if (!code)
        code = make_steps(b, s, steps);
    stretch->seconds = cli_seconds() - start;
    if (!code)
        code = cli_check(b->context, myr_simulation_shared(s, &after));
    if (!code)
        code = cli_check(b->context, myr_simulation_progress(s, &last));
    if (code)
        return code;
    stretch->exchange = after.exchange_seconds - before.exchange_seconds;
    stretch->shared = after.shared - before.shared;
    stretch->evaluations = after.evaluations - before.evaluations;
    stretch->pairs = (double)(last.pairs - first.pairs);
    return CLI_OK;
}

/* Stretches in the order of how long they took; on ranks other than 0 nothing. */
static int time_all(bench *b, const shared_case *c, int64_t n, shared_stretch stretch[SEGMENTS])
{
    myr_simulation *s = NULL;
    const int64_t steps = b->given_steps ? b->given_steps : b->quick ? 2 : c->steps;
    progress_begin(&b->progress, "%s, %lld particles", c->name, (long long)n);
    int code = cli_check(b->context, myr_context_set_threads(b->context, b->threads));
    if (!code)
        code = make_simulation(b, c, n, &s);
    if (!code && ranks_follows(b->context))
        code = cli_check(b->context, myr_simulation_follow(s));
    else if (!code)
        code = make_steps(b, s, WARM);
    for (int k = 0; k < SEGMENTS && !code && !ranks_follows(b->context); k++) {
        shared_stretch now;
        int at = k;
        code = time_stretch(b, s, steps, &now);
        for (; at > 0 && stretch[at - 1].seconds > now.seconds; at--)
            stretch[at] = stretch[at - 1];
        stretch[at] = now;
    }
    progress_end(&b->progress);
    myr_simulation_destroy(&s);
    return code;
}

static void write_row(bench *b, const shared_case *c, int64_t n, const shared_stretch *all)
{
    const shared_stretch *middle = &all[SEGMENTS / 2];
    const double steps = (double)(b->given_steps ? b->given_steps : b->quick ? 2 : c->steps);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    tables_text(&b->tables, c->name);
    tables_number(&b->tables, myr_ranks_count(b->context));
    tables_number(&b->tables, b->threads);
    tables_number(&b->tables, (double)n);
    tables_number(&b->tables, 1e3 * middle->seconds / steps);
    tables_number(&b->tables, 1e3 * all[0].seconds / steps);
    tables_number(&b->tables, 1e3 * middle->exchange / steps);
    tables_number(&b->tables, (double)middle->shared);
    tables_number(&b->tables, (double)middle->evaluations);
    tables_number(&b->tables, middle->pairs / middle->seconds);
    tables_number(&b->tables, 1024e-6 * (double)use.ru_maxrss);
}

int bench_shared(bench *b, const char *suite)
{
    static const tables_column columns[] = {
        {"method", "method", 8, NULL},           {"ranks", "ranks", 6, "%.0f"},
        {"threads", "threads", 8, "%.0f"},       {"n", "N", 9, "%.0f"},
        {"step_ms", "ms/step", 10, "%.4g"},      {"fastest_ms", "fastest", 10, "%.4g"},
        {"exchange_ms", "exchange", 10, "%.4g"}, {"shared", "shared", 8, "%.0f"},
        {"evaluations", "of", 8, "%.0f"},        {"pairs_per_s", "pairs/s", 10, "%.3g"},
        {"memory_mb", "MB", 8, "%.0f"},          {0}};
    const shared_case *c = find_case(suite);
    shared_stretch stretch[SEGMENTS] = {{0}};
    const int64_t each = b->per_rank > 0 ? b->per_rank : b->quick ? 1024 : c->per_rank;
    const int64_t n = b->particles > 0 ? b->particles : each * myr_ranks_count(b->context);
    const int code = time_all(b, c, n, stretch);
    if (code)
        return code;
    tables_open(
        &b->tables, "shared_ranks",
        "Ranks that each have all particles: the middle one of three stretches of steps (of blocks, for hermite) and "
        "the\nfastest; exchange: what rank 0 spends in exchanging results, waiting included; evaluations of which the "
        "ranks shared\nthe sums; pairs of direct sums, near ones of fmm; largest memory of rank 0",
        columns);
    if (!ranks_follows(b->context))
        write_row(b, c, n, stretch);
    tables_close(&b->tables);
    return CLI_OK;
}

int bench_hermite(bench *b)
{
    return b->gpu ? bench_stars_gpu(b) : bench_shared(b, "hermite"); /* ranks have come here otherwise */
}
