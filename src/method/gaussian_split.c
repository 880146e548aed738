/* gaussian_split.c - see gaussian_split.h. */
#include "method/gaussian_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

enum {
    SPLIT_POINTS = 12, /* along an axis that a place touches: 5 before the one at or below it, and 6 behind */
    SPLIT_BEFORE = 5,
    SPLIT_LANES = 16 /* the rest are 0 */
};

/* Points per width, f: the mesh adds waves of 2 exp(-(pi f)^2/2), and 6 points end the narrow Gaussian at
 * exp(-(6/f)^2); they are alike, exp(-13), for f^2 = 6 sqrt 2/pi. */
#define SPLIT_FINE 1.6434

/* Where a place is on the mesh, and the narrow Gaussian at the points along each axis. */
typedef struct {
    int32_t base[3];
    double beyond[3]; /* how far behind its base the place is */
    float near[3][SPLIT_LANES];
} split_place;

struct myr_gaussian_split {
    int threads;
    int64_t n, side[3], row; /* points along the axes; of a row, with those before and behind it again */
    double width, spacing[3], factor;
    int64_t blocks[2]; /* along y and z: 1, or an even number of blocks, each as wide as what a place touches */
    int64_t *first, *order;
    split_place *place;
    int32_t *wrap[3]; /* where the points about a base lie, through the ends of an axis */
    float *weight[3]; /* of the sources, as parts of the largest */
    float *mesh[3];
};

typedef float split_vector __attribute__((vector_size(64)));
typedef float split_loose __attribute__((vector_size(64), aligned(4), may_alias));
#define INSIDE __attribute__((always_inline)) static inline

/* --- places ---------------------------------------------------------------------------------------------------------
 */

static void split_find(const myr_gaussian_split *s, const double x[3], split_place *p)
{
    const double steep = -1 / (s->width * s->width); /* of the narrow Gaussian: -1/(2 (width/sqrt 2)^2) */
    for (int c = 0; c < 3; c++) {
        const double side = (double)s->side[c];
        double u = x[c] / s->spacing[c];
        u -= side * floor(u / side);
        if (!(u < side))
            u = 0;
        p->base[c] = (int32_t)u;
        p->beyond[c] = (u - p->base[c]) * s->spacing[c];
        for (int k = 0; k < SPLIT_POINTS; k++) {
            const double d = p->beyond[c] - (k - SPLIT_BEFORE) * s->spacing[c];
            p->near[c][k] = (float)exp(steep * d * d);
        }
        for (int k = SPLIT_POINTS; k < SPLIT_LANES; k++)
            p->near[c][k] = 0;
    }
}

/* The second derivatives of the narrow Gaussian at the points. */
static void split_bend(const myr_gaussian_split *s, const split_place *p, float bend[3][SPLIT_LANES])
{
    const double sharp = 2 / (s->width * s->width);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < SPLIT_LANES; k++) {
            const double d = p->beyond[c] - (k - SPLIT_BEFORE) * s->spacing[c];
            bend[c][k] = (float)(s->width * s->width * sharp * (sharp * d * d - 1)) * p->near[c][k];
        }
}

/* --- loops, for the instruction sets of x86 that make a difference; nothing is fused, so bits are the same ----------
 */

INSIDE void spread_body(const myr_gaussian_split *s, int64_t begin, int64_t end)
{
    for (int64_t j = begin; j < end; j++) {
        const int64_t i = s->order[j];
        const split_place *p = s->place + i;
        const split_vector x = *(const split_loose *)p->near[0];
        const split_vector part[3] = {x * s->weight[0][i], x * s->weight[1][i], x * s->weight[2][i]};
        for (int k = 0; k < SPLIT_POINTS * SPLIT_POINTS; k++) {
            const int32_t y = s->wrap[1][p->base[1] + k % SPLIT_POINTS], z = s->wrap[2][p->base[2] + k / SPLIT_POINTS];
            const float yz = p->near[1][k % SPLIT_POINTS] * p->near[2][k / SPLIT_POINTS];
            const int64_t at = (z * s->side[1] + y) * s->row + p->base[0];
            for (int c = 0; c < 3; c++) {
                split_loose *to = (split_loose *)(s->mesh[c] + at);
                *to = *to + part[c] * yz;
            }
        }
    }
}

/* The sums at one place; `bend` null: of values, else Laplacians. */
INSIDE void gather_body(const myr_gaussian_split *s, const split_place *p, float (*bend)[SPLIT_LANES], double sum[3])
{
    split_vector plain[3] = {{0}, {0}, {0}}, bent[3] = {{0}, {0}, {0}};
    for (int k = 0; k < SPLIT_POINTS * SPLIT_POINTS; k++) {
        const int b = k % SPLIT_POINTS, d = k / SPLIT_POINTS;
        const int32_t y = s->wrap[1][p->base[1] + b], z = s->wrap[2][p->base[2] + d];
        const float yz = p->near[1][b] * p->near[2][d];
        const float other = bend ? bend[1][b] * p->near[2][d] + p->near[1][b] * bend[2][d] : 0;
        const int64_t at = (z * s->side[1] + y) * s->row + p->base[0];
        for (int c = 0; c < 3; c++) {
            const split_vector row = *(const split_loose *)(s->mesh[c] + at);
            plain[c] = plain[c] + row * yz;
            if (bend)
                bent[c] = bent[c] + row * other;
        }
    }
    for (int c = 0; c < 3; c++) {
        const split_vector x = *(const split_loose *)p->near[0];
        const split_vector all = bend ? plain[c] * *(const split_loose *)bend[0] + bent[c] * x : plain[c] * x;
        sum[c] = 0;
        for (int k = 0; k < SPLIT_POINTS; k++)
            sum[c] += (double)all[k];
    }
}

typedef void split_spread(const myr_gaussian_split *s, int64_t begin, int64_t end);
typedef void split_gather(const myr_gaussian_split *s, const split_place *p, float (*bend)[SPLIT_LANES], double sum[3]);

#define LOOPS(name, attribute)                                                                                         \
    attribute static void spread_##name(const myr_gaussian_split *s, int64_t begin, int64_t end)                       \
    {                                                                                                                  \
        spread_body(s, begin, end);                                                                                    \
    }                                                                                                                  \
    attribute static void gather_##name(const myr_gaussian_split *s, const split_place *p, float(*bend)[SPLIT_LANES],  \
                                        double sum[3])                                                                 \
    {                                                                                                                  \
        if (bend)                                                                                                      \
            gather_body(s, p, bend, sum);                                                                              \
        else                                                                                                           \
            gather_body(s, p, NULL, sum);                                                                              \
    }

LOOPS(plain, )
#if defined(__x86_64__)
LOOPS(avx2, __attribute__((target("avx2"))))
LOOPS(avx512, __attribute__((target("avx512f"))))
#endif

static void split_choose(split_spread **spread, split_gather **gather)
{
    *spread = spread_plain;
    *gather = gather_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        *spread = spread_avx512;
        *gather = gather_avx512;
    } else if (__builtin_cpu_supports("avx2")) {
        *spread = spread_avx2;
        *gather = gather_avx2;
    }
#endif
}

/* --- the mesh -------------------------------------------------------------------------------------------------------
 */

static void split_side(double width, const double edge[3], int64_t side[3])
{
    for (int c = 0; c < 3; c++)
        side[c] = (int64_t)fmax(SPLIT_POINTS, fmin(1e6, nearbyint(SPLIT_FINE * edge[c] / width)));
}

int myr_gaussian_split_pays(int64_t n, double width, const double edge[3])
{
    int64_t side[3];
    if (!(edge[0] > 0 && edge[1] > 0 && edge[2] > 0))
        return 0;
    split_side(width, edge, side);
    for (int c = 0; c < 3; c++) /* one so short that 8 points would be too fine is left to plain sums */
        if (SPLIT_FINE * edge[c] < (SPLIT_POINTS - 0.5) * width)
            return 0;
    return (double)side[0] * (double)side[1] * (double)side[2] <= 16.0 * (double)n;
}

/* The block of a base. */
static int64_t split_block(const myr_gaussian_split *s, const split_place *p)
{
    return p->base[2] * s->blocks[1] / s->side[2] * s->blocks[0] + p->base[1] * s->blocks[0] / s->side[1];
}

/* Sources by block, in their own order within one. */
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
        s->wrap[c] = myr_memory_zeros(s->side[c] + SPLIT_POINTS, sizeof *s->wrap[c]);
        s->mesh[c] = myr_memory_zeros(s->row * s->side[1] * s->side[2], sizeof(float));
        s->weight[c] = myr_memory_some(s->n, sizeof(float));
        whole = whole && s->wrap[c] && s->mesh[c] && s->weight[c];
        for (int64_t k = 0; k < s->side[c] + SPLIT_POINTS && whole; k++)
            s->wrap[c][k] = (int32_t)((k - SPLIT_BEFORE + s->side[c]) % s->side[c]);
    }
    return whole;
}

myr_status myr_gaussian_split_create(myr_context *context, int64_t n, const double *const x[3], double width,
                                     const double edge[3], myr_gaussian_split **split)
{
    myr_gaussian_split *s = *split = calloc(1, sizeof *s);
    if (s) {
        *s = (myr_gaussian_split){.threads = myr_context_threads(context), .n = n, .width = width};
        split_side(width, edge, s->side);
        s->row = s->side[0] + SPLIT_LANES;
        s->factor = 1 / pow(acos(-1.0) * width * width, 3); /* two narrow Gaussians: (2 pi width^2/2)^(-3/2) each */
        for (int c = 0; c < 3; c++) {
            s->spacing[c] = edge[c] / (double)s->side[c];
            s->factor *= s->spacing[c];
        }
        for (int c = 0; c < 2; c++) {
            const int64_t blocks = s->side[c + 1] / SPLIT_POINTS;
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

/* --- sums -----------------------------------------------------------------------------------------------------------
 */

/* Adds what lies before and behind a row to where it belongs, and writes the sums to both places. */
static void split_close(const myr_gaussian_split *s)
{
    const int64_t side = s->side[0], behind = SPLIT_POINTS - 1 - SPLIT_BEFORE;
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t r = 0; r < 3 * s->side[1] * s->side[2]; r++) {
        float *row = s->mesh[r % 3] + r / 3 * s->row;
        for (int64_t k = 0; k < SPLIT_BEFORE; k++)
            row[k] = row[k + side] += row[k];
        for (int64_t k = SPLIT_BEFORE; k < SPLIT_BEFORE + behind; k++)
            row[k + side] = row[k] += row[k + side];
    }
}

/* Blocks that touch no common points at the same time: four kinds, one after the other. */
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
                    spread(s, s->first[b], s->first[b + 1]);
        }
    }
}

/* Takes the weights as parts of the largest, which is returned. */
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

void myr_gaussian_split_sum(const myr_gaussian_split *split, int laplacian, const double *const weight[3], int64_t m,
                            const double *const at[3], double *const sum[3])
{
    const myr_gaussian_split *s = split;
    const double factor = split_weigh(s, weight) * s->factor / (laplacian ? s->width * s->width : 1);
    split_spread *spread;
    split_gather *gather;
    split_choose(&spread, &gather);
    split_spread_all(s, spread);
    split_close(s);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (int64_t i = 0; i < m; i++) {
        float bend[3][SPLIT_LANES];
        double here[3];
        split_place found;
        const split_place *p = s->place + i;
        if (at) {
            split_find(s, (const double[3]){at[0][i], at[1][i], at[2][i]}, &found);
            p = &found;
        }
        if (laplacian)
            split_bend(s, p, bend);
        gather(s, p, laplacian ? bend : NULL, here);
        for (int c = 0; c < 3; c++)
            sum[c][i] = factor * here[c];
    }
}
