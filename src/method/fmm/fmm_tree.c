/* fmm_tree.c - the tree of the fast multipole method: how large its root is, and in which cells sources stay that reach
 * farther than the others. */
#include <math.h>
#include <stdlib.h>

#include "method/fmm/fmm_inside.h"

/* A cell is split where it has this many times the wanted mean: near the mean itself half of the leaves of a uniform
 * set would be split and half not, which is the worst. */
enum { SPLIT_FACTOR = 3 };

/* Cores that vary by less are all taken for the widest: particles and targets then share one order. */
#define ALIKE 1.2

/* Whether targets and sources are the same particles in the same order. */
static int tree_is_same(const myr_direct *p)
{
    if (!p->self || p->targets != p->source.n)
        return 0;
    for (int64_t i = 0; i < p->targets; i++)
        if (p->self[i] != i || (p->at && p->at[i] != i))
            return 0;
    return 1;
}

/* --- sources that reach differently far --------------------------------------------------------------------------- */

/* How far each source reaches, where that varies; null where it does not, or memory is short. */
static double *tree_reaches(const fmm_run *run, int *no_memory)
{
    const myr_direct *p = run->problem;
    const myr_unit *u = p->unit;
    const void *core = p->source.component[u->desc->coords * u->coord_lanes + run->far->core];
    double least = INFINITY, most = 0;
    *no_memory = 0;
    if (!run->far->core)
        return NULL;
    for (int64_t i = 0; i < p->source.n; i++) {
        const double c = fabs(fmm_real(run, core, i));
        least = fmin(least, c);
        most = fmax(most, c);
    }
    if (!(most > ALIKE * least))
        return NULL;
    double *reach = malloc((size_t)p->source.n * sizeof *reach);
    *no_memory = !reach;
    for (int64_t i = 0; reach && i < p->source.n; i++)
        reach[i] = run->fmm->settings.reach * fabs(fmm_real(run, core, i)) / most;
    return reach;
}

/* Pairs that a target of a uniform set costs in leaves of so many particles, where it is near so many cells;
 * translations are counted as so many pairs: with 13 degrees one took as long as 107 (vortex elements in floats), and
 * it grows like the third power. */
static double tree_cost(const fmm_run *run, double population, double near)
{
    enum { MET = 216 }; /* children of a parent's near cells */
    return near * population +
           run->far->strengths * (MET - near) * 0.05 * pow(run->fmm->settings.order, 3) / population;
}

/* Sources by the logarithm of their reach in units of the extent: bin k is for (2^(-k-1), 2^-k]^(1/BINS). */
enum { BINS = 16, OCTAVES = 40 };

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
        const double bin = floor(BINS * log2(extent / fmax(reach[i] / run->fmm->settings.separation, 1e-300)));
        count[(int)fmin(fmax(bin, 0), BINS * OCTAVES - 1)]++;
    }
    return extent;
}

/* The same, for sources that stay where their reach wants them. A source costs what it would in a uniform set of cells
 * that are as wide as the one in which it is. */
static double tree_root_cost(const fmm_run *run, const double *count, double root)
{
    enum { TOUCHING = 27 };
    const double n = (double)run->problem->source.n, smallest = 0.4 * (double)run->fmm->settings.leaf;
    double cost = 0;
    for (int k = 0; k < BINS * OCTAVES; k++) {
        double side = root;
        if (!(count[k] > 0))
            continue;
        while (0.5 * side >= exp2(-(double)k / BINS) && n * pow(0.5 * side, 3) > smallest)
            side *= 0.5;
        cost += count[k] * tree_cost(run, n * pow(fmin(side, 1), 3), TOUCHING);
    }
    return cost;
}

/* The root's side in units of the extent for which sources of different reaches cost least. */
static int tree_enlarge_reaches(const fmm_run *run, const double *reach, const myr_points *sources, double *enlarge)
{
    double *count = calloc(BINS * OCTAVES, sizeof *count), best = INFINITY;
    if (!count)
        return 0;
    if (tree_histogram(run, reach, sources, count) > 0)
        for (int k = 0; k < BINS; k++) {
            const double root = exp2((double)k / BINS), cost = tree_root_cost(run, count, root);
            if (cost < best) {
                best = cost;
                *enlarge = root;
            }
        }
    free(count);
    return 1;
}

/* --- leaves narrower than all sources reach ----------------------------------------------------------------------- */

/* Cells of one level whose gap is below the reach: those that touch, and more where cells are narrower. */
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

/* In a box sides are what they are: where the reach just misses one, leaves of twice that side have eight times the
 * particles. Half as wide they meet a few more neighbours one by one, and the rest by translation. */
static void tree_halve(const fmm_run *run, myr_octree_options *options)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    double side = s->box.period;
    while (0.5 * side >= s->reach)
        side *= 0.5;
    const double population = (double)run->problem->source.n * pow(side / s->box.period, 3);
    if (s->separation > 1 || side < s->reach || population < (double)options->leaf ||
        tree_cost(run, population / 8, tree_near_cells(0.5 * side, s->reach)) >=
            tree_cost(run, population, tree_near_cells(side, s->reach)))
        return;
    options->least = 0.5 * s->reach;
    options->wide = s->reach;
}

/* The root is the box, and particles are wrapped into it. */
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
    const int same = !reach && tree_is_same(p); /* sources that stay behind are not in the order of the targets */
    myr_octree_options options = {.leaf = SPLIT_FACTOR * s->leaf,
                                  .least = reach ? 0 : s->reach / s->separation,
                                  .full = reach ? 0 : (double)s->leaf,
                                  .reach = reach,
                                  .sides = s->separation,
                                  .enlarge = myr_octree_enlarge(p->source.n, s->leaf)};
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
