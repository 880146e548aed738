/* rdf.c - radial distribution function: density of neighbours at distance r relative to a uniform distribution,
 *
 *   g_ab(r) = V / (N_a N_b) < sum_i^a sum_{j != i}^b delta(r - r_ij) > / (4 pi r^2)
 *
 * with N_b - 1 instead of N_b if a = b, so that g = 1 for an ideal gas. Pairs are found with a cell grid of the reach;
 * the pairs of each sample are counted in integers. The coordination number counts all neighbours up to the end of a
 * bin. The bins are fixed by the first box. If a barostat shrinks the box, a sample contributes only to bins that end
 * within half of its shortest edge, and each bin is averaged over the samples that contributed to it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "diagnostic/observable.h"

enum { RDF_CELLS_MAX = 512 }; /* largest number of cells per axis */

static int rdf_pairs(const myr_observable *o)
{
    return o->types * (o->types + 1) / 2;
}

/* Particles sorted by cell. */
typedef struct {
    const myr_observable *o;
    const myr_observable_sample *s;
    int cells[3];
    int64_t *start; /* [cells + 1], index of the first particle of each cell */
    double *x[3];
    uint8_t *type;
    int64_t *count; /* [pairs][rows], number of pairs per bin */
    box_counting counting;
} rdf_grid;

static void rdf_free(rdf_grid *g)
{
    free(g->start);
    for (int c = 0; c < 3; c++)
        free(g->x[c]);
    free(g->type);
    free(g->count);
}

/* Chooses the number of cells: each cell at least as large as the reach, and not more cells than particles. */
static void rdf_shape(rdf_grid *g)
{
    const double most = cbrt((double)g->o->n) + 1;
    for (int c = 0; c < 3; c++) {
        const double fit = floor(g->s->box[c] / g->o->options.reach);
        const double cells = fmin(fmin(fit, most), RDF_CELLS_MAX);
        g->cells[c] = cells > 1 ? (int)cells : 1;
    }
}

/* Cell index of a position along an axis. */
static int rdf_cell(const rdf_grid *g, int axis, double position)
{
    const double part = (position - g->s->origin[axis]) / g->s->box[axis];
    const double inside = part - floor(part);
    const int cell = (int)(inside * g->cells[axis]);
    return cell < g->cells[axis] ? cell : g->cells[axis] - 1;
}

static myr_status rdf_sort(rdf_grid *g)
{
    const int64_t n = g->o->n, cells = (int64_t)g->cells[0] * g->cells[1] * g->cells[2];
    int64_t *cell = myr_memory_zeros(n, sizeof *cell);
    g->start = myr_memory_zeros(cells + 2, sizeof *g->start);
    g->type = myr_memory_zeros(n, sizeof *g->type);
    g->count = myr_memory_zeros(rdf_pairs(g->o) * g->o->options.rows, sizeof *g->count);
    for (int c = 0; c < 3; c++)
        g->x[c] = myr_memory_zeros(n, sizeof *g->x[c]);
    if (!cell || !g->start || !g->type || !g->count || !g->x[0] || !g->x[1] || !g->x[2]) {
        free(cell);
        return myr_context_fail(g->o->context, MYR_ERROR_MEMORY, "no memory for the cells of the observable rdf");
    }
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++)
            cell[i] = cell[i] * g->cells[c] + rdf_cell(g, c, g->s->x[c][i]);
        g->start[cell[i] + 2]++;
    }
    for (int64_t k = 1; k <= cells; k++)
        g->start[k + 1] += g->start[k];
    for (int64_t i = 0; i < n; i++) {
        const int64_t to = g->start[cell[i] + 1]++;
        g->type[to] = (uint8_t)(g->o->types > 1 ? g->s->type[i] : 0);
        for (int c = 0; c < 3; c++)
            g->x[c][to] = g->s->x[c][i];
    }
    free(cell);
    return MYR_OK;
}

/* Counts the pairs of particle i with the particles of a cell that have a higher index. */
static void rdf_count(const rdf_grid *g, int64_t i, int64_t cell, const double inverse[3], double per_length,
                      int64_t *count)
{
    const int64_t rows = g->counting.rows;
    const int64_t first = g->start[cell] > i ? g->start[cell] : i + 1;
    for (int64_t j = first; j < g->start[cell + 1]; j++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = g->x[c][i] - g->x[c][j];
        const int64_t bin = box_counting_bin(&g->counting, inverse, per_length, d);
        if (bin >= 0)
            count[box_counting_pair(g->type[i], g->type[j]) * rows + bin]++;
    }
}

/* Lists the cell indices along an axis that neighbour cell k, each once; returns their number. */
static int rdf_near(int cells, int k, int near[3])
{
    if (cells < 3) {
        for (int c = 0; c < cells; c++)
            near[c] = c;
        return cells;
    }
    near[0] = k > 0 ? k - 1 : cells - 1;
    near[1] = k;
    near[2] = k + 1 < cells ? k + 1 : 0;
    return 3;
}

/* Counts all pairs of the particles of a cell. */
static void rdf_count_cell(const rdf_grid *g, int64_t cell, int64_t *count)
{
    const double inverse[3] = {1 / g->s->box[0], 1 / g->s->box[1], 1 / g->s->box[2]};
    const double per_length = (double)g->o->options.rows / g->o->options.reach;
    int near[3][3], n[3];
    int64_t rest = cell;
    for (int c = 2; c >= 0; c--) {
        n[c] = rdf_near(g->cells[c], (int)(rest % g->cells[c]), near[c]);
        rest /= g->cells[c];
    }
    for (int64_t i = g->start[cell]; i < g->start[cell + 1]; i++)
        for (int a = 0; a < n[0]; a++)
            for (int b = 0; b < n[1]; b++)
                for (int c = 0; c < n[2]; c++)
                    rdf_count(g, i, ((int64_t)near[0][a] * g->cells[1] + near[1][b]) * g->cells[2] + near[2][c],
                              inverse, per_length, count);
}

/* Counts all pairs, with one histogram per thread. Returns 0 if memory is short. */
static int rdf_count_all(rdf_grid *g)
{
    const int64_t cells = (int64_t)g->cells[0] * g->cells[1] * g->cells[2];
    const int64_t size = rdf_pairs(g->o) * g->o->options.rows;
    int whole = 1;
#pragma omp parallel num_threads(myr_context_threads(g->o->context)) reduction(& : whole)
    {
        int64_t *mine = calloc((size_t)size, sizeof *mine);
        whole = mine != NULL;
#pragma omp for schedule(dynamic, 16)
        for (int64_t cell = 0; cell < cells; cell++)
            if (mine)
                rdf_count_cell(g, cell, mine);
#pragma omp critical(myr_rdf)
        for (int64_t k = 0; mine && k < size; k++)
            g->count[k] += mine[k];
        free(mine);
    }
    return whole;
}

static double rdf_shortest(const myr_observable_sample *s)
{
    return fmin(s->box[0], fmin(s->box[1], s->box[2]));
}

static myr_status rdf_begin(myr_observable *o, const myr_observable_sample *s)
{
    const double half = rdf_shortest(s) / 2;
    if (!(half > 0))
        return myr_context_fail(o->context, MYR_ERROR_VALUE,
                                "the observable rdf needs a box that is periodic along all axes");
    if (o->options.reach == 0)
        o->options.reach = half;
    return MYR_OK;
}

/* Layout of the state: per pair of types and bin, counted pairs times V / (possible pairs); then the same for all
 * types, the pairs alone, and the number of samples of each bin. */
static int64_t rdf_size(const myr_observable *o)
{
    return (rdf_pairs(o) + 3) * o->options.rows;
}

/* Number of bins that end within half of the shortest edge of the box of a sample. */
static int64_t rdf_bins(const myr_observable *o, const myr_observable_sample *s)
{
    const double bins = floor((double)o->options.rows * (rdf_shortest(s) / 2 / o->options.reach) * (1 + 1e-9));
    return bins < (double)o->options.rows ? (int64_t)bins : o->options.rows;
}

/* Adds the counts of a sample, so that g is averaged over samples, not computed from averaged counts and volumes. */
static void rdf_take(myr_observable *o, const myr_observable_sample *s, const int64_t *count)
{
    const int64_t rows = o->options.rows, bins = rdf_bins(o, s);
    const double volume = s->box[0] * s->box[1] * s->box[2];
    double *all = o->state + rdf_pairs(o) * rows, *neighbours = all + rows, *samples = neighbours + rows;
    for (int a = 0; a < o->types; a++)
        for (int b = a; b < o->types; b++) {
            const int pair = box_counting_pair(a, b);
            const double na = (double)o->of_type[a], nb = (double)o->of_type[b];
            const double could = a == b ? na * (na - 1) / 2 : na * nb;
            for (int64_t k = 0; could > 0 && k < bins; k++)
                o->state[pair * rows + k] += (double)count[pair * rows + k] * (volume / could);
        }
    const double could = (double)o->n * ((double)o->n - 1) / 2;
    for (int64_t k = 0; could > 0 && k < bins; k++) {
        int64_t sum = 0;
        for (int pair = 0; pair < rdf_pairs(o); pair++)
            sum += count[pair * rows + k];
        all[k] += (double)sum * (volume / could);
        neighbours[k] += 2 * (double)sum / (double)o->n;
    }
    for (int64_t k = 0; k < bins; k++)
        samples[k]++;
}

static myr_status rdf_ask(myr_observable *o, const myr_observable_sample *s, box_counting *counting)
{
    if (!(rdf_shortest(s) > 0))
        return myr_context_fail(o->context, MYR_ERROR_VALUE,
                                "the observable rdf needs a box that is periodic along all axes");
    if (rdf_bins(o, s) < o->options.rows && o->is_asked && !o->has_warned) {
        o->has_warned = 1;
        myr_context_warn(o->context,
                         "the box is too small for the reach %g of the observable rdf: beyond %g, g(r) is the mean of "
                         "samples with a larger box only",
                         o->options.reach, rdf_shortest(s) / 2);
    }
    *counting = (box_counting){
        .is_pairs = 1, .types = o->types, .rows = o->options.rows, .columns = rdf_pairs(o), .reach = o->options.reach};
    memcpy(counting->box, s->box, sizeof counting->box);
    return MYR_OK;
}

static myr_status rdf_add(myr_observable *o, const myr_observable_sample *s)
{
    rdf_grid g = {.o = o, .s = s};
    myr_status status = rdf_ask(o, s, &g.counting);
    if (status)
        return status;
    rdf_shape(&g);
    status = rdf_sort(&g);
    if (!status && !rdf_count_all(&g))
        status = myr_context_fail(o->context, MYR_ERROR_MEMORY, "no memory for the counts of the observable rdf");
    if (!status)
        rdf_take(o, s, g.count);
    rdf_free(&g);
    return status;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static int rdf_columns(const myr_observable *o)
{
    return 3 + (o->types > 1 ? rdf_pairs(o) : 0);
}

/* Columns r, g, coordination, then the pairs of types g_0_0, g_0_1, g_1_1, ... */
static const char *rdf_name(const myr_observable *o, int k, char name[MYR_OBSERVABLE_NAME_MAX + 1])
{
    static const char *const fixed[] = {"r", "g", "coordination"};
    if (k < 3)
        myr_observable_of_type(fixed[k], -1, name);
    for (int b = 0; k >= 3 && b < o->types; b++)
        for (int a = 0; a <= b; a++)
            if (box_counting_pair(a, b) == k - 3) {
                char first[MYR_OBSERVABLE_NAME_MAX + 1];
                myr_observable_of_type("g", a, first);
                myr_observable_of_type(first, b, name);
            }
    return k == 0 ? "length" : "plain number";
}

static double rdf_value(const myr_observable *o, int k, int64_t row)
{
    const int64_t rows = o->options.rows;
    const double width = o->options.reach / (double)rows, low = width * (double)row, high = width * (double)(row + 1);
    const double shell = 4.0 / 3.0 * acos(-1.0) * (high * high * high - low * low * low);
    const double *neighbours = o->state + (rdf_pairs(o) + 1) * rows, *samples = neighbours + rows;
    if (k == 0)
        return 0.5 * (low + high);
    if (samples[row] == 0)
        return (double)NAN;
    if (k == 1)
        return o->state[rdf_pairs(o) * rows + row] / (shell * samples[row]);
    if (k > 2)
        return o->state[(k - 3) * rows + row] / (shell * samples[row]);
    double sum = 0;
    for (int64_t j = 0; j <= row; j++)
        sum += neighbours[j] / samples[j];
    return sum;
}

const myr_observable_table myr_observe_rdf = {
    .info = {"rdf", "radial distribution function: neighbours at a distance, against an ideal gas", 1},
    .rows = 200,
    .begin = rdf_begin,
    .size = rdf_size,
    .add = rdf_add,
    .ask = rdf_ask,
    .take = rdf_take,
    .columns = rdf_columns,
    .name = rdf_name,
    .value = rdf_value,
};
