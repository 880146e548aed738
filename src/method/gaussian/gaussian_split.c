/* gaussian_split.c - Gaussian sums by way of a mesh; see gaussian_split.h. */
#include "method/gaussian/gaussian_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

enum {
    SPLIT_MOST = 16, /* largest number of points along an axis */
    SPLIT_LANES = 8, /* numbers per vector */
    SPLIT_RUN = 64   /* positions that share the cache */
};

/* Points per width, f, at which both errors are equal: aliasing of the mesh, 2 exp(-(pi f)^2/2), and truncation of the
 * narrow Gaussian after `points`/2, exp(-(points/2/f)^2). */
static double split_fineness(int points)
{
    return sqrt(points / (sqrt(2.0) * acos(-1.0)));
}

/* Location of a position on the mesh, and the narrow Gaussian at the points along each axis. */
typedef struct {
    int32_t base[3];
    double beyond[3];          /* distance of the position from its base point */
    float near[3][SPLIT_MOST]; /* values of the Gaussian; 0 beyond the last point */
} split_place;

struct myr_gaussian_split {
    int threads, points;
    int64_t n, side[3], row; /* points along the axes; points of a row, including periodic copies before and after it */
    double width, spacing[3], factor;
    /* along y and z: 1, or an even number of blocks, each at least as wide as the points touched by one position */
    int64_t blocks[2];
    int64_t *first, *order;
    split_place *place;
    int32_t *wrap[3]; /* index of the points around a base, wrapped periodically; planes in units of rows */
    float *weight[3]; /* weights of the sources, in units of the largest */
    float *mesh[3];
};

typedef float split_vector __attribute__((vector_size(32)));
typedef float split_loose __attribute__((vector_size(32), aligned(4), may_alias));
#define INSIDE __attribute__((always_inline)) static inline

/* Number of points before the base point that a position touches. */
static int split_before(const myr_gaussian_split *s)
{
    return s->points / 2 - 1;
}

/* --- positions ---------------------------------------------------------------------------------------------------- */

static void split_find(const myr_gaussian_split *s, const double x[3], split_place *p)
{
    const double steep = -1 / (s->width * s->width); /* exponent of the narrow Gaussian: -1/(2 (width/sqrt 2)^2) */
    for (int c = 0; c < 3; c++) {
        const double side = (double)s->side[c];
        double u = x[c] / s->spacing[c];
        u -= side * floor(u / side);
        if (!(u < side))
            u = 0;
        p->base[c] = (int32_t)u;
        p->beyond[c] = (u - p->base[c]) * s->spacing[c];
        for (int k = 0; k < SPLIT_MOST; k++) {
            const double d = p->beyond[c] - (k - split_before(s)) * s->spacing[c];
            p->near[c][k] = k < s->points ? (float)exp(steep * d * d) : 0;
        }
    }
}

/* Second derivatives of the narrow Gaussian at the points. */
static void split_bend(const myr_gaussian_split *s, const split_place *p, float bend[3][SPLIT_MOST])
{
    const double sharp = 2 / (s->width * s->width);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < SPLIT_MOST; k++) {
            const double d = p->beyond[c] - (k - split_before(s)) * s->spacing[c];
            bend[c][k] = (float)(s->width * s->width * sharp * (sharp * d * d - 1)) * p->near[c][k];
        }
}

/* --- loops, for the instruction sets of x86 that differ in speed; nothing is fused, so that the bits are the same - */

/* Spreads one component c at a time, so that the rows shared by neighbours stay in the first-level cache. points: a
 * compile-time constant. */
INSIDE void spread_body(const myr_gaussian_split *s, int points, int c, int64_t begin, int64_t end)
{
    const int parts = (points + SPLIT_LANES - 1) / SPLIT_LANES;
    for (int64_t j = begin; j < end; j++) {
        const int64_t i = s->order[j];
        const split_place *p = s->place + i;
        const int32_t *row = s->wrap[1] + p->base[1], *plane = s->wrap[2] + p->base[2];
        float *mesh = s->mesh[c] + p->base[0];
        split_vector part[SPLIT_MOST / SPLIT_LANES];
        for (int k = 0; k < parts; k++)
            part[k] = *(const split_loose *)(p->near[0] + k * SPLIT_LANES) * s->weight[c][i];
        for (int z = 0; z < points; z++)
            for (int y = 0; y < points; y++) {
                const float yz = p->near[1][y] * p->near[2][z];
                float *at = mesh + (int64_t)(plane[z] + row[y]) * s->row;
                for (int k = 0; k < parts; k++) {
                    split_loose *to = (split_loose *)(at + k * SPLIT_LANES);
                    *to = *to + part[k] * yz;
                }
            }
    }
}

/* Sum of a component at one position; bend = null: the value, else the Laplacian. */
INSIDE double gather_body(const myr_gaussian_split *s, int points, int c, const split_place *p,
                          float (*bend)[SPLIT_MOST])
{
    const int parts = (points + SPLIT_LANES - 1) / SPLIT_LANES;
    const int32_t *row = s->wrap[1] + p->base[1], *plane = s->wrap[2] + p->base[2];
    const float *mesh = s->mesh[c] + p->base[0];
    split_vector plain[SPLIT_MOST / SPLIT_LANES] = {{0}, {0}}, bent[SPLIT_MOST / SPLIT_LANES] = {{0}, {0}};
    double sum = 0;
    for (int z = 0; z < points; z++)
        for (int y = 0; y < points; y++) {
            const float yz = p->near[1][y] * p->near[2][z];
            const float other = bend ? bend[1][y] * p->near[2][z] + p->near[1][y] * bend[2][z] : 0;
            const float *at = mesh + (int64_t)(plane[z] + row[y]) * s->row;
            for (int k = 0; k < parts; k++) {
                const split_vector here = *(const split_loose *)(at + k * SPLIT_LANES);
                plain[k] = plain[k] + here * yz;
                if (bend)
                    bent[k] = bent[k] + here * other;
            }
        }
    for (int k = 0; k < parts; k++) {
        const split_vector x = *(const split_loose *)(p->near[0] + k * SPLIT_LANES);
        split_vector all = plain[k] * x;
        if (bend)
            all = plain[k] * *(const split_loose *)(bend[0] + k * SPLIT_LANES) + bent[k] * x;
        for (int l = 0; l < SPLIT_LANES; l++)
            sum += (double)all[l];
    }
    return sum;
}

typedef void split_spread(const myr_gaussian_split *s, int c, int64_t begin, int64_t end);
typedef double split_gather(const myr_gaussian_split *s, int c, const split_place *p, float (*bend)[SPLIT_MOST]);

#define LOOPS(name, points, attribute)                                                                                 \
    attribute static void spread_##name(const myr_gaussian_split *s, int c, int64_t begin, int64_t end)                \
    {                                                                                                                  \
        spread_body(s, points, c, begin, end);                                                                         \
    }                                                                                                                  \
    attribute static double gather_##name(const myr_gaussian_split *s, int c, const split_place *p,                    \
                                          float(*bend)[SPLIT_MOST])                                                    \
    {                                                                                                                  \
        return bend ? gather_body(s, points, c, p, bend) : gather_body(s, points, c, p, NULL);                         \
    }

LOOPS(fine_plain, MYR_GAUSSIAN_SPLIT_FINE, )
LOOPS(coarse_plain, MYR_GAUSSIAN_SPLIT_COARSE, )
#if defined(__x86_64__)
LOOPS(fine_avx2, MYR_GAUSSIAN_SPLIT_FINE, __attribute__((target("avx2"))))
LOOPS(coarse_avx2, MYR_GAUSSIAN_SPLIT_COARSE, __attribute__((target("avx2"))))
#endif

static void split_choose(const myr_gaussian_split *s, split_spread **spread, split_gather **gather)
{
    const int fine = s->points == MYR_GAUSSIAN_SPLIT_FINE;
    *spread = fine ? spread_fine_plain : spread_coarse_plain;
    *gather = fine ? gather_fine_plain : gather_coarse_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        *spread = fine ? spread_fine_avx2 : spread_coarse_avx2;
        *gather = fine ? gather_fine_avx2 : gather_coarse_avx2;
    }
#endif
}

/* --- mesh --------------------------------------------------------------------------------------------------------- */

static void split_side(int points, double width, const double edge[3], int64_t side[3])
{
    for (int c = 0; c < 3; c++)
        side[c] = (int64_t)fmax(points, fmin(1e6, nearbyint(split_fineness(points) * edge[c] / width)));
}

int myr_gaussian_split_pays(int64_t n, double width, const double edge[3])
{
    int64_t side[3];
    if (!(edge[0] > 0 && edge[1] > 0 && edge[2] > 0))
        return 0;
    const int points = MYR_GAUSSIAN_SPLIT_FINE;
    split_side(points, width, edge, side);
    for (int c = 0; c < 3; c++) /* an axis too short for this number of points is left to plain sums */
        if (split_fineness(points) * edge[c] < (points - 0.5) * width)
            return 0;
    return (double)side[0] * (double)side[1] * (double)side[2] <= 16.0 * (double)n;
}

/* Block of a base point. */
static int64_t split_block(const myr_gaussian_split *s, const split_place *p)
{
    return p->base[2] * s->blocks[1] / s->side[2] * s->blocks[0] + p->base[1] * s->blocks[0] / s->side[1];
}

/* Sorts sources by block, stable within a block. */
static void split_sort(const myr_gaussian_split *s)
{
    const int64_t blocks = s->blocks[0] * s->blocks[1];
    for (int64_t i = 0; i < s->n; i++)
        s->first[split_block(s, s->place + i) + 1]++;
    for (int64_t b = 0; b < blocks; b++)
        s->first[b + 1] += s->first[b];
    for (int64_t i = 0; i < s->n; i++)
        s->order[s->first[split_block(s, s->place + i)]++] = i;
    memmove(s->first + 1, s->first, (size_t)blocks * sizeof *s->first);
    s->first[0] = 0;
}

static int split_allocate(myr_gaussian_split *s)
{
    s->first = myr_memory_zeros(s->blocks[0] * s->blocks[1] + 2, sizeof *s->first);
    s->order = myr_memory_zeros(s->n, sizeof *s->order);
    s->place = myr_memory_some(s->n, sizeof *s->place);
    int whole = s->first && s->order && s->place;
    for (int c = 0; c < 3; c++) {
        s->wrap[c] = myr_memory_zeros(s->side[c] + s->points, sizeof *s->wrap[c]);
        s->mesh[c] = myr_memory_zeros(s->row * s->side[1] * s->side[2], sizeof(float));
        s->weight[c] = myr_memory_some(s->n, sizeof(float));
        whole = whole && s->wrap[c] && s->mesh[c] && s->weight[c];
        for (int64_t k = 0; k < s->side[c] + s->points && whole; k++)
            s->wrap[c][k] = (int32_t)((k - split_before(s) + s->side[c]) % s->side[c] * (c == 2 ? s->side[1] : 1));
    }
    return whole;
}

myr_status myr_gaussian_split_create(myr_context *context, int points, int64_t n, const double *const x[3],
                                     double width, const double edge[3], myr_gaussian_split **split)
{
    myr_gaussian_split *s = *split = calloc(1, sizeof *s);
    if (s) {
        *s = (myr_gaussian_split){.threads = myr_context_threads(context), .points = points, .n = n, .width = width};
        split_side(points, width, edge, s->side);
        s->row = s->side[0] + SPLIT_MOST;
        /* normalisation of two narrow Gaussians: (2 pi width^2/2)^(-3/2) each */
        s->factor = 1 / pow(acos(-1.0) * width * width, 3);
        for (int c = 0; c < 3; c++) {
            s->spacing[c] = edge[c] / (double)s->side[c];
            s->factor *= s->spacing[c];
        }
        for (int c = 0; c < 2; c++) {
            const int64_t blocks = s->side[c + 1] / points;
            s->blocks[c] = blocks < 2 ? 1 : blocks - blocks % 2;
        }
    }
    if (!s || !split_allocate(s)) {
        myr_gaussian_split_destroy(split);
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the mesh of Gaussian sums");
    }
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t i = 0; i < n; i++)
        split_find(s, (const double[3]){x[0][i], x[1][i], x[2][i]}, s->place + i);
    split_sort(s);
    return MYR_OK;
}

void myr_gaussian_split_destroy(myr_gaussian_split **split)
{
    if (!split || !*split)
        return;
    myr_gaussian_split *s = *split;
    free(s->first);
    free(s->order);
    free(s->place);
    for (int c = 0; c < 3; c++) {
        free(s->wrap[c]);
        free(s->mesh[c]);
        free(s->weight[c]);
    }
    free(s);
    *split = NULL;
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Adds the periodic copies before and after a row to the row, and writes the sums to the copies. */
static void split_close(const myr_gaussian_split *s)
{
    const int64_t side = s->side[0], before = split_before(s), behind = s->points - 1 - before;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = 0; r < 3 * s->side[1] * s->side[2]; r++) {
        float *row = s->mesh[r % 3] + r / 3 * s->row;
        for (int64_t k = 0; k < before; k++)
            row[k] = row[k + side] += row[k];
        for (int64_t k = before; k < before + behind; k++)
            row[k + side] = row[k] += row[k + side];
    }
}

/* Spreads all blocks; blocks processed at the same time touch no common points: four colours, one after the other. */
static void split_spread_all(const myr_gaussian_split *s, split_spread *spread)
{
    const int64_t blocks = s->blocks[0] * s->blocks[1];
#pragma omp parallel num_threads(s->threads)
    {
        for (int c = 0; c < 3; c++) {
#pragma omp for schedule(static)
            for (int64_t r = 0; r < s->side[1] * s->side[2]; r++)
                memset(s->mesh[c] + r * s->row, 0, (size_t)s->row * sizeof(float));
        }
        for (int kind = 0; kind < 4; kind++) {
#pragma omp for schedule(dynamic, 1)
            for (int64_t b = 0; b < blocks; b++)
                if ((b % s->blocks[0]) % 2 == kind % 2 && (b / s->blocks[0]) % 2 == kind / 2)
                    for (int c = 0; c < 3; c++)
                        spread(s, c, s->first[b], s->first[b + 1]);
        }
    }
}

/* Scales the weights by the largest, which is returned. */
static double split_weigh(const myr_gaussian_split *s, const double *const weight[3])
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < s->n; i++)
            most = fmax(most, fabs(weight[c][i]));
    if (!(most > 0) || !isfinite(most))
        most = 1;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < 3; c++)
            s->weight[c][i] = (float)(weight[c][i] / most);
    return most;
}

/* Sums at positions begin .. end - 1, one component after the other. */
static void split_run(const myr_gaussian_split *s, split_gather *gather, int laplacian, int64_t begin, int64_t end,
                      const double *const at[3], double factor, double *const sum[3])
{
    split_place found[SPLIT_RUN];
    float bend[SPLIT_RUN][3][SPLIT_MOST];
    for (int64_t i = begin; i < end; i++) {
        if (at)
            split_find(s, (const double[3]){at[0][i], at[1][i], at[2][i]}, &found[i - begin]);
        if (laplacian)
            split_bend(s, at ? &found[i - begin] : s->place + i, bend[i - begin]);
    }
    for (int c = 0; c < 3; c++)
        for (int64_t i = begin; i < end; i++)
            sum[c][i] =
                factor * gather(s, c, at ? &found[i - begin] : s->place + i, laplacian ? bend[i - begin] : NULL);
}

void myr_gaussian_split_sum(const myr_gaussian_split *split, int laplacian, const double *const weight[3], int64_t m,
                            const double *const at[3], double *const sum[3])
{
    const myr_gaussian_split *s = split;
    const double factor = split_weigh(s, weight) * s->factor / (laplacian ? s->width * s->width : 1);
    split_spread *spread;
    split_gather *gather;
    split_choose(s, &spread, &gather);
    split_spread_all(s, spread);
    split_close(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t k = 0; k < (m + SPLIT_RUN - 1) / SPLIT_RUN; k++)
        split_run(s, gather, laplacian, k * SPLIT_RUN, k * SPLIT_RUN + SPLIT_RUN < m ? (k + 1) * SPLIT_RUN : m, at,
                  factor, sum);
}
