/* fmm_tree.c - octree of the fast multipole method: choice of the root's side, and of the cells in which sources of
 * long reach stay. */
#include <math.h>
#include <stdlib.h>

#include "core/elementary.h"
#include "method/fmm/fmm_inside.h"

/* A cell is split if it holds this many times the wanted mean. With a factor near 1, half of the leaves of a uniform
 * distribution would be split and half not, which costs most. */
enum { SPLIT_FACTOR = 3 };

/* Cores whose widths vary by less than this factor are all treated as the widest, so that sources and targets share one
 * order. */
#define ALIKE 1.2

int myr_fmm_tree_is_same(const myr_direct *p)
{
    if (!p->self || p->targets != p->source.n)
        return 0;
    for (int64_t i = 0; i < p->targets; i++)
        if (p->self[i] != i || (p->at && p->at[i] != i))
            return 0;
    return 1;
}

myr_octree_options myr_fmm_tree_options(const myr_fmm_settings *s, int64_t sources)
{
    return (myr_octree_options){.leaf = SPLIT_FACTOR * s->leaf,
                                .least = s->reach / s->separation,
                                .full = (double)s->leaf,
                                .enlarge = myr_octree_enlarge(sources, s->leaf)};
}

/* --- sources of different reaches --------------------------------------------------------------------------------- */

static double core_of(const myr_direct *p, const myr_far_field *far, int64_t i)
{
    const void *core = p->source.component[p->unit->desc->coords * p->unit->coord_lanes + far->core];
    return fabs(p->unit->real_bytes == (int)sizeof(float) ? (double)((const float *)core)[i]
                                                          : ((const double *)core)[i]);
}

int myr_fmm_tree_reaches_differ(const myr_direct *p, const myr_far_field *far, double *most)
{
    double least = INFINITY;
    *most = 0;
    for (int64_t i = 0; far->core && i < p->source.n; i++) {
        least = fmin(least, core_of(p, far, i));
        *most = fmax(*most, core_of(p, far, i));
    }
    return *most > ALIKE * least;
}

/* Reach of each source; null if all reaches are equal or memory is short. */
static double *tree_reaches(const fmm_run *run, int *no_memory)
{
    const myr_direct *p = run->problem;
    double most;
    *no_memory = 0;
    if (!myr_fmm_tree_reaches_differ(p, run->far, &most))
        return NULL;
    double *reach = malloc((size_t)p->source.n * sizeof *reach);
    *no_memory = !reach;
    for (int64_t i = 0; reach && i < p->source.n; i++)
        reach[i] = run->fmm->settings.reach * core_of(p, run->far, i) / most;
    return reach;
}

static double cube(double x)
{
    return x * x * x;
}

/* Estimated cost per target, in pairs, of a uniform distribution with leaves of `population` particles and `near` near
 * cells. A translation of 13 degrees takes as long as 107 pairs (measured, vortex elements in float), growing with the
 * third power of the degrees. */
static double tree_cost(const fmm_run *run, double population, double near)
{
    enum { MET = 216 }; /* number of children of the parent's near cells */
    return near * population + run->far->strengths * (MET - near) * 0.05 * cube(run->fmm->settings.order) / population;
}

/* Histogram of the sources over the logarithm of reach/extent: bin k holds (2^(-k-1), 2^-k]^(1/BINS). */
enum { BINS = 16, OCTAVES = 40 };

#define LN_2 0.69314718055994530942

/* 2^(k/BINS) */
static double bin_edge(int k)
{
    return myr_elementary_exp(k * (LN_2 / BINS));
}

static double tree_histogram(const fmm_run *run, const double *reach, const myr_points *sources, double *count)
{
    double extent = 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < sources->n; i++) {
            const double x = myr_points_get(sources, axis, i);
            low = fmin(low, x);
            high = fmax(high, x);
        }
        extent = fmax(extent, high - low);
    }
    for (int64_t i = 0; i < sources->n; i++) {
        const double least = fmax(reach[i] / run->fmm->settings.separation, 1e-300);
        const double bin = floor(BINS / LN_2 * myr_elementary_log(extent / least));
        count[(int)fmin(fmax(bin, 0), BINS * OCTAVES - 1)]++;
    }
    return extent;
}

/* Estimated cost, in pairs, of sources that stay in cells according to their reach. A source costs what it would cost
 * in a uniform distribution of cells as wide as its own cell. */
static double tree_root_cost(const fmm_run *run, const double *count, double root)
{
    enum { TOUCHING = 27 };
    const double n = (double)run->problem->source.n, smallest = 0.4 * (double)run->fmm->settings.leaf;
    double cost = 0;
    for (int k = 0; k < BINS * OCTAVES; k++) {
        double side = root;
        if (!(count[k] > 0))
            continue;
        while (0.5 * side >= bin_edge(-k) && n * cube(0.5 * side) > smallest)
            side *= 0.5;
        cost += count[k] * tree_cost(run, n * cube(fmin(side, 1)), TOUCHING);
    }
    return cost;
}

/* Root side, in units of the extent, that minimises the estimated cost for sources of different reaches. */
static int tree_enlarge_reaches(const fmm_run *run, const double *reach, const myr_points *sources, double *enlarge)
{
    double *count = calloc(BINS * OCTAVES, sizeof *count), best = INFINITY;
    if (!count)
        return 0;
    if (tree_histogram(run, reach, sources, count) > 0)
        for (int k = 0; k < BINS; k++) {
            const double root = bin_edge(k), cost = tree_root_cost(run, count, root);
            if (cost < best) {
                best = cost;
                *enlarge = root;
            }
        }
    free(count);
    return 1;
}

/* --- leaves narrower than the common reach ------------------------------------------------------------------------ */

/* Number of cells of one level whose gap is below the reach: touching cells, and more if cells are narrower than the
 * reach. */
static double tree_near_cells(double side, double reach)
{
    double cells = 0;
    for (int k = 0; k < 125; k++) {
        const int step[3] = {abs(k / 25 - 2), abs(k / 5 % 5 - 2), abs(k % 5 - 2)};
        int gap = 0;
        for (int axis = 0; axis < 3; axis++)
            gap += step[axis] > 1;
        cells += gap == 0 || gap * side * side < reach * reach;
    }
    return cells;
}

/* In a periodic box the cell sides are fixed. If the reach is slightly longer than a side, leaves of twice the side
 * hold eight times the particles; leaves of half that side have a few more near neighbours, and the rest interact by
 * translation. */
static void tree_halve(const fmm_run *run, myr_octree_options *options)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    double side = s->box.period;
    while (0.5 * side >= s->reach)
        side *= 0.5;
    const double population = (double)run->problem->source.n * cube(side / s->box.period);
    if (s->separation > 1 || side < s->reach || population < (double)options->leaf ||
        tree_cost(run, population / 8, tree_near_cells(0.5 * side, s->reach)) >=
            tree_cost(run, population, tree_near_cells(side, s->reach)))
        return;
    options->least = 0.5 * s->reach;
    options->wide = s->reach;
}

int myr_fmm_tree_is_halved(const myr_fmm *fmm, const myr_direct *problem, const myr_far_field *far)
{
    const fmm_run run = {.fmm = fmm, .problem = problem, .far = far};
    myr_octree_options options = myr_fmm_tree_options(&fmm->settings, problem->source.n);
    if (options.least > 0)
        tree_halve(&run, &options);
    return options.wide > 0;
}

/* Makes the box the root and wraps particles into the box. */
static myr_status tree_box(fmm_run *run, myr_points *sources, myr_points *targets, myr_octree_options *options)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    const myr_status status = myr_images_root(run->problem->context, &s->box, sources, targets, options->origin);
    if (status)
        return status;
    options->root = s->box.period;
    myr_images_wrap(&s->box, sources);
    myr_images_wrap(&s->box, targets);
    if (options->least > 0)
        tree_halve(run, options);
    return MYR_OK;
}

myr_status myr_fmm_tree(fmm_run *run)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    const myr_direct *p = run->problem;
    myr_points targets = myr_points_make(p->unit, &p->target, p->targets, p->at);
    myr_points sources = myr_points_make(p->unit, &p->source, p->source.n, NULL);
    int no_memory;
    double *reach = tree_reaches(run, &no_memory);
    /* sources that stay in split cells are not in the order of the targets */
    const int same = !reach && myr_fmm_tree_is_same(p);
    myr_octree_options options = myr_fmm_tree_options(s, p->source.n);
    options.sides = s->separation;
    options.reach = reach;
    if (reach)
        options.least = options.full = 0;
    if (reach && !tree_enlarge_reaches(run, reach, &sources, &options.enlarge))
        no_memory = 1;
    myr_status status = no_memory
                            ? myr_context_fail(p->context, MYR_ERROR_MEMORY,
                                               "no memory for the reaches of %lld sources", (long long)p->source.n)
                            : MYR_OK;
    if (!status && run->fmm->lattice)
        status = tree_box(run, &sources, &targets, &options);
    if (!status)
        status = myr_octree_build(p->context, &sources, same ? NULL : &targets, &options, &run->tree);
    free(reach);
    return status;
}
