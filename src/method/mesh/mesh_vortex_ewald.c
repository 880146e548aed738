/* mesh_vortex_ewald.c - sums of vortex elements without a mesh, for measured errors and tests; see mesh_vortex.h. */
#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/mesh/mesh_vortex.h"

enum { EWALD_PARTS = 32 }; /* parts of the sums over sources, independent of the number of threads */

typedef struct {
    const myr_mesh_vortex_problem *p;
    int threads;
    double wide;   /* core of the waves */
    double reach;  /* of the difference to it; 0 = there is none */
    int most[3];   /* highest mode along each axis */
    int64_t modes; /* (most[0] + 1)(2 most[1] + 1)(2 most[2] + 1) */
    double *waves; /* [parts][modes][6]: transform of the strengths, complex */
} ewald;

/* K and L of kernel/vortex.h, times 1/(4 pi). */
static void ewald_core(double r, double core, double *k, double *l)
{
    const double pi = acos(-1.0), s = r / (sqrt(2.0) * core), x = s * s, decay = exp(-x);
    if (s < 1) { /* the formulas below are differences of nearly equal numbers */
        double series = 0, term = 1;
        for (int m = 0; m < 24; term *= -x / ++m)
            series += term / (2 * m + 5);
        *k = 4 / (3 * sqrt(pi)) * (2 * x * series + decay) / pow(sqrt(2.0) * core, 3) / (4 * pi);
        *l = 8 / sqrt(pi) * series / pow(sqrt(2.0) * core, 5) / (4 * pi);
        return;
    }
    const double g = erf(s) - 2 / sqrt(pi) * s * decay;
    *k = g / (r * r * r) / (4 * pi);
    *l = (3 * g - 4 / sqrt(pi) * s * x * decay) / pow(r, 5) / (4 * pi);
}

/* Adds the difference of the two cores for a source at distance d = source - target. */
static void ewald_pair(const ewald *e, const double d[3], const double a[3], double sum[12])
{
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    double k, l, wide_k, wide_l;
    if (!(r < e->reach))
        return;
    ewald_core(r, e->p->core, &k, &l);
    ewald_core(r, e->wide, &wide_k, &wide_l);
    k -= wide_k;
    l -= wide_l;
    for (int c = 0; c < 3; c++) {
        const int f = (c + 1) % 3, g = (c + 2) % 3;
        const double cross = d[f] * a[g] - d[g] * a[f];
        sum[c] += k * cross;
        for (int axis = 0; axis < 3; axis++) /* d/dx of the target: d K = L d, d d = -1 */
            sum[3 + 3 * c + axis] += l * d[axis] * cross;
        sum[3 + 3 * c + f] -= k * a[g];
        sum[3 + 3 * c + g] += k * a[f];
    }
}

static void ewald_near(const ewald *e, const double at[3], double sum[12])
{
    const myr_mesh_vortex_problem *p = e->p;
    int images[3];
    for (int c = 0; c < 3; c++)
        images[c] = (int)ceil(e->reach / p->edge[c]);
    for (int64_t j = 0; j < p->n && e->reach > 0; j++) {
        double near[3], d[3];
        const double a[3] = {p->strength[0][j], p->strength[1][j], p->strength[2][j]};
        for (int c = 0; c < 3; c++) {
            near[c] = p->x[c][j] - at[c];
            near[c] -= p->edge[c] * nearbyint(near[c] / p->edge[c]);
        }
        for (int z = -images[2]; z <= images[2]; z++)
            for (int y = -images[1]; y <= images[1]; y++)
                for (int x = -images[0]; x <= images[0]; x++) {
                    const int image[3] = {x, y, z};
                    for (int c = 0; c < 3; c++)
                        d[c] = near[c] + image[c] * p->edge[c];
                    ewald_pair(e, d, a, sum);
                }
    }
}

/* exp(-i k x) of the modes -most .. most along an axis, as [mode + most][2]. */
static void ewald_turns(const ewald *e, int axis, double x, double (*turn)[2])
{
    const int most = e->most[axis];
    for (int m = 0; m <= most; m++) {
        const double angle = 2 * acos(-1.0) * m * (x / e->p->edge[axis] - floor(x / e->p->edge[axis]));
        turn[most + m][0] = turn[most - m][0] = cos(angle);
        turn[most + m][1] = -sin(angle);
        turn[most - m][1] = sin(angle);
    }
}

enum { EWALD_MODES = 64 }; /* most modes on either side of an axis */
typedef double ewald_axis[2 * EWALD_MODES + 1][2];

/* Calls f for every mode with exp(-i k x). */
#define EACH_MODE(e, turn, statement)                                                                                  \
    for (int z = -(e)->most[2]; z <= (e)->most[2]; z++)                                                                \
        for (int y = -(e)->most[1]; y <= (e)->most[1]; y++) {                                                          \
            const double *ty = (turn)[1][y + (e)->most[1]], *tz = (turn)[2][z + (e)->most[2]];                         \
            const double yz[2] = {ty[0] * tz[0] - ty[1] * tz[1], ty[0] * tz[1] + ty[1] * tz[0]};                       \
            for (int x = 0; x <= (e)->most[0]; x++) {                                                                  \
                const double *tx = (turn)[0][x + (e)->most[0]];                                                        \
                const double re = tx[0] * yz[0] - tx[1] * yz[1], im = tx[0] * yz[1] + tx[1] * yz[0];                   \
                statement                                                                                              \
            }                                                                                                          \
        }

static void ewald_transform(const ewald *e)
{
    const myr_mesh_vortex_problem *p = e->p;
#pragma omp parallel for num_threads(e->threads) schedule(dynamic, 1)
    for (int part = 0; part < EWALD_PARTS; part++)
        for (int64_t j = p->n * part / EWALD_PARTS; j < p->n * (part + 1) / EWALD_PARTS; j++) {
            ewald_axis turn[3];
            double *to = e->waves + 6 * e->modes * part;
            const double a[3] = {p->strength[0][j], p->strength[1][j], p->strength[2][j]};
            for (int c = 0; c < 3; c++)
                ewald_turns(e, c, p->x[c][j], turn[c]);
            EACH_MODE(
                e, turn, for (int c = 0; c < 3; c++) {
                    *to++ += a[c] * re;
                    *to++ += a[c] * im;
                })
        }
    for (int part = 1; part < EWALD_PARTS; part++)
        for (int64_t i = 0; i < 6 * e->modes; i++)
            e->waves[i] += e->waves[6 * e->modes * part + i];
}

/* Velocity and gradient of one mode: u = Re(i k x S/k^2 exp(i k x)), twice for kx > 0. */
static void ewald_wave(const ewald *e, const int mode[3], double re, double im, const double *hat, double sum[12])
{
    const double *edge = e->p->edge;
    double k[3], k2 = 0;
    for (int c = 0; c < 3; c++) {
        k[c] = 2 * acos(-1.0) * mode[c] / edge[c];
        k2 += k[c] * k[c];
    }
    if (!(k2 > 0))
        return;
    const double factor = (mode[0] ? 2 : 1) * exp(-0.5 * k2 * e->wide * e->wide) / (k2 * edge[0] * edge[1] * edge[2]);
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, f = (c + 2) % 3;
        const double w[2] = {k[d] * hat[2 * f] - k[f] * hat[2 * d], k[d] * hat[2 * f + 1] - k[f] * hat[2 * d + 1]};
        /* i w exp(i k x), with exp(-i k x) = re + i im */
        sum[c] += factor * (-w[1] * re + w[0] * im);
        for (int axis = 0; axis < 3; axis++)
            sum[3 + 3 * c + axis] -= factor * k[axis] * (w[0] * re + w[1] * im);
    }
}

static void ewald_far(const ewald *e, const double at[3], double sum[12])
{
    ewald_axis turn[3];
    const double *hat = e->waves;
    for (int c = 0; c < 3; c++)
        ewald_turns(e, c, at[c], turn[c]);
    EACH_MODE(e, turn, ewald_wave(e, (const int[3]){x, y, z}, re, im, hat, sum); hat += 6;)
}

/* Gaussian of the waves: with a reach of the longest edge, pairs and waves cost about the same. */
static myr_status ewald_choose(myr_context *context, ewald *e)
{
    const myr_mesh_vortex_problem *p = e->p;
    const double longest = fmax(p->edge[0], fmax(p->edge[1], p->edge[2]));
    const double widths =
        sqrt(-2 * log(0.1 * p->error)) + 1; /* where a Gaussian, and its derivatives, are that small */
    e->wide = fmax(p->core, longest / widths);
    e->reach = e->wide > p->core ? longest : 0;
    e->modes = 1;
    for (int c = 0; c < 3; c++) {
        const double most = widths / e->wide * p->edge[c] / (2 * acos(-1.0));
        if (most > EWALD_MODES)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "edges of the box differ too much to measure the error of a mesh: %g, %g, %g",
                                    p->edge[0], p->edge[1], p->edge[2]);
        e->most[c] = (int)ceil(most);
        e->modes *= c ? 2 * e->most[c] + 1 : e->most[c] + 1;
    }
    return MYR_OK;
}

myr_status myr_mesh_vortex_ewald(myr_context *context, const myr_mesh_vortex_problem *problem, double (*sum)[12])
{
    ewald e = {.p = problem, .threads = myr_context_threads(context)};
    const myr_status status = ewald_choose(context, &e);
    if (status)
        return status;
    e.waves = myr_memory_zeros(EWALD_PARTS * e.modes * 6, sizeof *e.waves);
    if (!e.waves)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld waves", (long long)e.modes);
    ewald_transform(&e);
#pragma omp parallel for num_threads(e.threads) schedule(dynamic, 1)
    for (int64_t i = 0; i < problem->m; i++) {
        const double at[3] = {problem->at[0][i], problem->at[1][i], problem->at[2][i]};
        for (int k = 0; k < 12; k++)
            sum[i][k] = 0;
        ewald_near(&e, at, sum[i]);
        ewald_far(&e, at, sum[i]);
    }
    free(e.waves);
    return MYR_OK;
}
