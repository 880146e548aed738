/* gpunb_time.c - times libgpunb as NBODY6++GPU uses it: blocks of 1024 targets among N uniform bodies, with regular
 * forces and lists of so many neighbours on average; then the lists alone, and forces without lists.
 * MYRIAD_GRAPE_BACKEND=cuda is a GPU, ref or simd the processor.
 *
 * usage: gpunb_time [N [neighbours]]   100000 and 150 if not given */
#define _POSIX_C_SOURCE 200809L
#include <gpunb.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <myriad/myriad.h>

enum { BLOCK = 1024, LIST = 1000, REPEATS = 15 };

typedef struct {
    int n;
    double (*x)[3], (*v)[3], *m, *h2, *dtr;
    double acc[BLOCK][3], jrk[BLOCK][3], pot[BLOCK];
    int *list;
} bodies;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Uniform numbers in (0, 1). */
static double uniform(void)
{
    static unsigned long long state = 99;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Bodies in a cube; radii in which there are so many neighbours on average, and times in which bodies move a tenth of
 * them. */
static int make(bodies *b, int n, double neighbours)
{
    const double h = cbrt(neighbours / (4.0 / 3 * 3.14159265358979 * n));
    b->n = n;
    b->x = calloc((size_t)n, sizeof *b->x);
    b->v = calloc((size_t)n, sizeof *b->v);
    b->m = calloc(3 * (size_t)n, sizeof *b->m);
    b->list = calloc((size_t)BLOCK * LIST, sizeof *b->list);
    if (!b->x || !b->v || !b->m || !b->list)
        return 0;
    b->h2 = b->m + n;
    b->dtr = b->m + 2 * (size_t)n;
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) {
            b->x[i][c] = uniform();
            b->v[i][c] = uniform() - 0.5;
        }
        b->m[i] = 1.0 / n;
        b->h2[i] = h * h;
        b->dtr[i] = 0.1 * h;
    }
    return 1;
}

static void block(bodies *b, int first)
{
    const int ni = b->n - first < BLOCK ? b->n - first : BLOCK, lmax = LIST, nbmax = LIST - 1, by_mass = 0;
    gpunb_regf_(&ni, b->h2 + first, b->dtr + first, b->x + first, b->v + first, b->acc, b->jrk, b->pot, &lmax, &nbmax,
                b->list, &by_mass);
}

/* Median time of a block; *mean: mean number of neighbours. */
static double time_blocks(bodies *b, double *mean)
{
    double time[REPEATS], sum = 0, targets = 0;
    block(b, 0); /* compiles, and allocates */
    for (int k = 0; k < REPEATS; k++) {
        const int first = b->n > BLOCK ? (int)((long long)k * (b->n - BLOCK) / REPEATS) : 0;
        const double start = seconds();
        block(b, first);
        time[k] = seconds() - start;
        for (int i = 0; i < BLOCK && first + i < b->n; i++, targets++)
            sum += abs(b->list[i * LIST]);
    }
    qsort(time, REPEATS, sizeof *time, compare);
    *mean = sum / targets;
    return time[REPEATS / 2];
}

static double time_send(const bodies *b)
{
    double time[REPEATS];
    for (int k = 0; k < REPEATS; k++) {
        const double start = seconds();
        gpunb_send_(&b->n, b->m, b->x, b->v);
        time[k] = seconds() - start;
    }
    qsort(time, REPEATS, sizeof *time, compare);
    return time[REPEATS / 2];
}

static myr_status particles(myr_context *context, const bodies *b, int n, myr_particles **p)
{
    myr_status status = myr_particles_create(context, n, p);
    if (!status)
        status = myr_particles_add_field(*p, "mass", 1);
    if (!status)
        status = myr_particles_add_field(*p, "velocity", 3);
    if (!status)
        status = myr_particles_set(*p, "mass", 1, b->m);
    if (!status)
        status = myr_particles_set(*p, "position", 3, b->x[0]);
    return status ? status : myr_particles_set(*p, "velocity", 3, b->v[0]);
}

/* Median time of the lists of a block by comparing all pairs, where the sources are already; negative if it failed. */
static double time_lists(const bodies *b, const char *backend)
{
    double time[REPEATS];
    myr_context *context = NULL;
    myr_interaction *f = NULL;
    myr_particles *sources = NULL, *targets = NULL;
    myr_near_query query = {.radius2 = b->h2, .ahead = b->dtr};
    myr_near_lists lists;
    myr_status status = myr_context_create(&context);
    if (!status)
        status = myr_interaction_create(context, "gravity_jerk", &f);
    if (!status)
        status = myr_interaction_choose(f, "backend", backend);
    if (!status)
        status = particles(context, b, b->n, &sources);
    if (!status)
        status = particles(context, b, b->n < BLOCK ? b->n : BLOCK, &targets);
    if (!status)
        status = myr_interaction_near(f, targets, sources, &query, &lists);
    query.same_sources = 1;
    for (int k = 0; k < REPEATS && !status; k++) {
        const double start = seconds();
        status = myr_interaction_near(f, targets, sources, &query, &lists);
        time[k] = seconds() - start;
    }
    if (status)
        printf("lists: %s\n", context ? myr_context_message(context) : "no context");
    else
        qsort(time, REPEATS, sizeof *time, compare);
    myr_particles_destroy(&sources);
    myr_particles_destroy(&targets);
    myr_interaction_destroy(&f);
    myr_context_destroy(&context);
    return status ? -1 : time[REPEATS / 2];
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;
    const double wanted = argc > 2 ? strtod(argv[2], NULL) : 150, pairs = (double)n * (n < BLOCK ? n : BLOCK);
    const char *chosen = getenv("MYRIAD_GRAPE_BACKEND"), *backend = chosen ? chosen : "auto";
    static bodies b;
    double mean, none;
    if (n < 2 || !make(&b, n, wanted)) {
        printf("no memory for %d bodies\n", n);
        return 1;
    }
    const double send = time_send(&b), both = time_blocks(&b, &mean), lists = time_lists(&b, backend);
    memset(b.h2, 0, (size_t)n * sizeof *b.h2);
    memset(b.dtr, 0, (size_t)n * sizeof *b.dtr);
    gpunb_send_(&b.n, b.m, b.x, b.v);
    const double alone = time_blocks(&b, &none);
    printf("%s: %d bodies, blocks of %d, %.1f neighbours\n", backend, n, n < BLOCK ? n : BLOCK, mean);
    printf("  bodies sent                     %9.3f ms\n", 1e3 * send);
    printf("  forces and lists                %9.3f ms, %.3g pairs/s\n", 1e3 * both, pairs / both);
    printf("  the same without neighbours     %9.3f ms\n", 1e3 * alone);
    printf("  lists alone, by all pairs       %9.3f ms, %.3g pairs/s\n", 1e3 * lists, pairs / lists);
    const int right = isfinite(b.acc[0][0]) && mean > 0.5 * wanted && mean < 1.5 * wanted && none == 0 && lists >= 0;
    gpunb_close_();
    return !right;
}
