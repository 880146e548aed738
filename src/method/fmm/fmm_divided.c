/* fmm_divided.c - particles of an evaluation divided among ranks: each has the leaves of a part of the Morton curve,
 * and gets the series and the near sources of others that its cells need (tree/essential.h). Every sum is made by one
 * rank, of the same terms in the same order as on one rank, so that all values have the bits of one rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/timer.h"
#include "domain/blocks.h"
#include "domain/ranks.h"
#include "method/fmm/fmm_inside.h"
#include "method/tree/essential.h"

enum { PAD = 64 }; /* readable reals behind an array */

typedef struct {
    myr_fmm *fmm;
    fmm_run *run;              /* the evaluation; with the essential tree in the end */
    const myr_direct *problem; /* all particles; `particles` are those of this rank */
    myr_context *context;
    int ranks, me;
    uint64_t *cut; /* [ranks + 1] */
    myr_direct particles;
    void *reals;                 /* arrays of `particles` */
    int64_t all;                 /* number of particles of all ranks */
    int64_t *row;                /* [particles]: index among all particles */
    int64_t *arrival;            /* [particles]: place in the blocks received */
    int64_t *departure;          /* [rows]: rows of this rank, in the order of the blocks sent */
    int64_t *sent_to, *got_from; /* [ranks + 1]: first of `departure` for each rank, and first arrival from it */
    fmm_run own; /* with the tree of this rank's particles: their series, and the particles in its order */
    myr_essential e;
    int32_t *translations; /* [cells] */
    int64_t *pairs;        /* [cells] */
    double seconds, cost;  /* spent in exchanges; measured cost of this rank's leaves in seconds */
    int64_t sent;
    int moved; /* 1 = the cuts are not those of the last evaluation */
} divided;

int myr_fmm_is_divided(const fmm_run *run)
{
    const myr_direct *p = run->problem;
    double most;
    if (!p->share || !p->share->seconds || run->sizes || run->fmm->lattice)
        return 0;
    return p->share->row ||
           (p->source.n < INT32_MAX && myr_fmm_tree_is_same(p) && !myr_fmm_tree_reaches_differ(p, run->far, &most));
}

static myr_status divided_no_memory(const divided *d)
{
    return myr_context_fail(d->context, MYR_ERROR_MEMORY,
                            "no memory for this rank's share of %lld particles of the fast multipole method",
                            (long long)d->all);
}

/* --- who has which particles -------------------------------------------------------------------------------------- */

/* Particles that this rank begins with: first .. first + n - 1 of the problem. */
typedef struct {
    int64_t first, n;
    myr_morton_entry *entry, *sorted; /* [n]: keys by row; sorted by key */
} divided_rows;

/* Root around the particles of all ranks. */
static myr_status rows_root(const divided *d, const divided_rows *rows, const myr_points *points,
                            myr_octree_options *options)
{
    double most[6], low[3], high[3]; /* maxima of -x and of x */
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, largest = -INFINITY;
        for (int64_t i = rows->first; i < rows->first + rows->n; i++) {
            const double x = myr_points_get(points, axis, i);
            least = x < least ? x : least;
            largest = x > largest ? x : largest;
        }
        most[axis] = -least;
        most[3 + axis] = largest;
    }
    const myr_status status = myr_ranks_max(d->context, most, 6);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = -most[axis];
        high[axis] = most[3 + axis];
    }
    return status ? status : myr_octree_root(d->context, low, high, d->all, options, options->origin, &options->root);
}

static int rows_sort(const divided *d, const myr_points *points, const myr_octree_options *options, divided_rows *rows)
{
    const int threads = d->run->threads;
    myr_morton_entry *scratch = myr_memory_some(rows->n + 1, sizeof *scratch);
    rows->entry = myr_memory_some(rows->n + 1, sizeof *rows->entry);
    rows->sorted = myr_memory_some(rows->n + 1, sizeof *rows->sorted);
    int ready = scratch && rows->entry && rows->sorted;
    for (int64_t i = 0; ready && i < rows->n; i++)
        rows->entry[i].number = rows->first + i;
    if (ready) {
        myr_morton_make(points, options->origin, options->root, rows->n, rows->entry, threads);
        memcpy(rows->sorted, rows->entry, (size_t)rows->n * sizeof *rows->sorted);
        ready = myr_morton_sort(rows->sorted, scratch, rows->n, 0, threads) &&
                myr_morton_sort(rows->sorted, scratch, rows->n, MYR_MORTON_BITS - MYR_MORTON_HALF, threads);
    }
    free(scratch);
    return ready;
}

/* Cuts the curve by the measured cost, or by the number of particles if there is no measurement for such a root. */
static myr_status rows_cut(divided *d, const divided_rows *rows, const myr_octree_options *options)
{
    myr_curve_profile *measured = &d->fmm->profile, count = {0};
    const int known = measured->n > 0 && options->root > 0.9 * measured->side && options->root < 1.1 * measured->side;
    myr_status status = known ? MYR_OK : myr_curve_profile_count(d->context, rows->sorted, rows->n, &count);
    if (!status)
        status =
            myr_curve_cut(d->context, known ? measured : &count, rows->sorted, rows->n, options, options->root, d->cut);
    myr_curve_profile_free(&count);
    if (!status && !d->fmm->cut)
        d->fmm->cut = calloc((size_t)d->ranks + 1, sizeof *d->cut);
    d->moved = d->fmm->cut && memcmp(d->fmm->cut, d->cut, ((size_t)d->ranks + 1) * sizeof *d->cut) != 0;
    if (d->fmm->cut)
        memcpy(d->fmm->cut, d->cut, ((size_t)d->ranks + 1) * sizeof *d->cut);
    return status;
}

/* Reals of a particle in a message: those of a source, then fields of a target. */
static int64_t row_reals(const myr_unit *u)
{
    return u->source_lanes + u->target_lanes - u->desc->coords * u->coord_lanes;
}

static const void *row_array(const myr_direct *p, int64_t k)
{
    const int coords = p->unit->desc->coords * p->unit->coord_lanes;
    return k < p->unit->source_lanes ? p->source.component[k] : p->target.component[k - p->unit->source_lanes + coords];
}

/* Number among all particles of a particle of the problem. */
static int64_t row_number(const myr_direct *p, int64_t i)
{
    return p->share->row ? p->share->row[i] : i;
}

/* Blocks of particles for their owners, in the order of their numbers: the numbers, then the reals. */
static int rows_pack(divided *d, const divided_rows *rows, myr_blocks *out)
{
    const myr_direct *p = d->problem;
    const size_t bytes = (size_t)p->unit->real_bytes;
    const int64_t reals = row_reals(p->unit), each = (int64_t)sizeof(int64_t) + reals * (int64_t)bytes;
    int32_t *owner = malloc(((size_t)rows->n + 1) * sizeof *owner);
    int64_t *done = calloc((size_t)d->ranks + 1, sizeof *done);
    d->departure = malloc(((size_t)rows->n + 1) * sizeof *d->departure);
    int ready = owner && done && d->departure && myr_blocks_open(out, d->ranks);
    for (int64_t i = 0; ready && i < rows->n; i++)
        d->sent_to[1 + (owner[i] = myr_curve_owner(d->cut, d->ranks, rows->entry[i].key))]++;
    for (int k = 0; ready && k < d->ranks; k++) {
        out->at[k + 1] = d->sent_to[k + 1] * each;
        d->sent_to[k + 1] += d->sent_to[k];
    }
    ready = ready && myr_blocks_room(out, d->ranks);
    for (int64_t i = 0; ready && i < rows->n; i++) {
        const int k = owner[i];
        const int64_t at = rows->first + i, number = row_number(p, at), count = d->sent_to[k + 1] - d->sent_to[k];
        char *numbers = out->bytes + out->at[k] + done[k] * (int64_t)sizeof number;
        char *to = out->bytes + out->at[k] + count * (int64_t)sizeof number + done[k] * reals * (int64_t)bytes;
        memcpy(numbers, &number, sizeof number);
        for (int64_t c = 0; c < reals; c++)
            memcpy(to + (size_t)c * bytes, (const char *)row_array(p, c) + (size_t)at * bytes, bytes);
        d->departure[d->sent_to[k] + done[k]++] = at;
    }
    free(owner);
    free(done);
    return ready;
}

/* Places of received particles in the order of their numbers, which breaks ties of keys. */
static int rows_arrivals(divided *d, const myr_blocks *in, int64_t n)
{
    myr_morton_entry *entry = myr_memory_some(n + 1, sizeof *entry), *scratch = myr_memory_some(n + 1, sizeof *entry);
    int ready = entry && scratch, sorted = 1;
    for (int k = 0; ready && k < d->ranks; k++)
        for (int64_t i = d->got_from[k]; i < d->got_from[k + 1]; i++) {
            uint64_t number;
            memcpy(&number, in->bytes + in->at[k] + (i - d->got_from[k]) * (int64_t)sizeof number, sizeof number);
            entry[i] = (myr_morton_entry){number, i};
            sorted &= !i || number > entry[i - 1].key;
        }
    if (ready && !sorted)
        ready = myr_morton_sort(entry, scratch, n, 0, d->run->threads);
    for (int64_t i = 0; ready && i < n; i++) {
        d->row[i] = (int64_t)entry[i].key;
        d->arrival[i] = entry[i].number;
    }
    free(entry);
    free(scratch);
    return ready;
}

/* Arrays of `particles`, zeroed, for n of them; the stride between arrays is returned, or 0 if memory is short. */
static int64_t rows_arrays(divided *d, int64_t n)
{
    const myr_unit *u = d->problem->unit;
    const size_t bytes = (size_t)u->real_bytes;
    const int64_t stride = n + PAD, reals = row_reals(u);
    const int coords = u->desc->coords * u->coord_lanes;
    d->reals = myr_memory_zeros(stride * reals, bytes);
    d->row = myr_memory_some(n + 1, sizeof *d->row);
    d->arrival = myr_memory_some(n + 1, sizeof *d->arrival);
    if (!d->reals || !d->row || !d->arrival)
        return 0;
    d->particles = *d->problem;
    d->particles.source.n = d->particles.target.n = d->particles.targets = n;
    d->particles.at = d->particles.original = NULL;
    memset(d->particles.source.rest, 0, sizeof d->particles.source.rest);
    for (int64_t c = 0; c < reals; c++) {
        void *array = (char *)d->reals + (size_t)(c * stride) * bytes;
        if (c < u->source_lanes)
            d->particles.source.component[c] = array;
        if (c < coords)
            d->particles.target.component[c] = array;
        if (c >= u->source_lanes)
            d->particles.target.component[c - u->source_lanes + coords] = array;
    }
    return stride;
}

/* Arrays of this rank's particles from the blocks of all ranks. */
static int rows_unpack(divided *d, const myr_blocks *in)
{
    const size_t bytes = (size_t)d->problem->unit->real_bytes;
    const int64_t reals = row_reals(d->problem->unit), each = (int64_t)sizeof(int64_t) + reals * (int64_t)bytes;
    for (int k = 0; k < d->ranks; k++)
        d->got_from[k + 1] = d->got_from[k] + (in->at[k + 1] - in->at[k]) / each;
    const int64_t n = d->got_from[d->ranks], stride = rows_arrays(d, n);
    const char **from = malloc(((size_t)n + 1) * sizeof *from);
    const int ready = stride && from && rows_arrivals(d, in, n);
    for (int k = 0; ready && k < d->ranks; k++) {
        const int64_t count = d->got_from[k + 1] - d->got_from[k];
        for (int64_t i = 0; i < count; i++)
            from[d->got_from[k] + i] =
                in->bytes + in->at[k] + count * (int64_t)sizeof(int64_t) + i * reals * (int64_t)bytes;
    }
    for (int64_t i = 0; ready && i < n; i++)
        for (int64_t c = 0; c < reals; c++)
            memcpy((char *)d->reals + (size_t)(c * stride + i) * bytes, from[d->arrival[i]] + (size_t)c * bytes, bytes);
    free(from);
    return ready;
}

/* Gives this rank the particles of its part of the curve. */
static myr_status divided_take(divided *d, myr_octree_options *options)
{
    const myr_points points = myr_points_make(d->problem->unit, &d->problem->source, d->problem->source.n, NULL);
    divided_rows rows = {.n = d->problem->source.n};
    myr_blocks out = {0}, in = {0};
    if (!d->problem->share->row) { /* all particles are here: an even part of them */
        rows.first = myr_ranks_first(d->context, d->all, d->me);
        rows.n = myr_ranks_first(d->context, d->all, d->me + 1) - rows.first;
    }
    myr_status status = rows_root(d, &rows, &points, options);
    if (!status)
        status = myr_ranks_agree(d->context, rows_sort(d, &points, options, &rows) ? MYR_OK : divided_no_memory(d));
    if (!status)
        status = rows_cut(d, &rows, options);
    if (!status) {
        status = rows_pack(d, &rows, &out) && myr_blocks_open(&in, d->ranks) ? MYR_OK : divided_no_memory(d);
        status = myr_blocks_swap(d->context, status, &out, &in, 0, &d->seconds, &d->sent);
    }
    free(rows.entry);
    free(rows.sorted);
    myr_blocks_free(&out);
    if (!status && !rows_unpack(d, &in))
        status = divided_no_memory(d);
    myr_blocks_free(&in);
    return status;
}

/* --- series of this rank's cells ---------------------------------------------------------------------------------- */

/* Tree of this rank's particles, and the series of its cells; those of divided cells are wrong yet. */
static myr_status divided_own(divided *d, myr_octree_options *options)
{
    fmm_run *own = &d->own;
    const myr_unit *u = d->problem->unit;
    options->cut[0] = d->cut[d->me];
    options->cut[1] = d->cut[d->me + 1];
    *own = *d->run;
    own->problem = &d->particles;
    double last = myr_timer_now();
    const myr_points sources = myr_points_make(u, &d->particles.source, d->particles.source.n, NULL);
    myr_status status = myr_octree_build(d->context, &sources, NULL, options, &own->tree);
    own->report->seconds[MYR_FMM_tree] += myr_timer_now() - last;
    if (status)
        return status;
    last = myr_timer_now();
    own->stride = (size_t)own->far->strengths * (size_t)own->e->size * (size_t)own->ops->real_bytes;
    own->multipole = myr_memory_zeros(own->tree->cells, own->stride);
    own->source =
        myr_fmm_particles(own, &d->particles.source, u->source_lanes, own->tree->sources, own->tree->source, NULL);
    if (!own->multipole || !own->source)
        return divided_no_memory(d);
    own->report->seconds[MYR_FMM_lists] += myr_timer_now() - last;
    last = myr_timer_now();
    myr_fmm_collect(own);
    own->report->seconds[MYR_FMM_p2m] += myr_timer_now() - last;
    last = myr_timer_now();
    myr_fmm_up(own);
    own->report->seconds[MYR_FMM_m2m] += myr_timer_now() - last;
    return own->no_memory ? divided_no_memory(d) : MYR_OK;
}

/* Collects the series of all roots, and makes those of the divided cells from them. */
static myr_status divided_top(divided *d)
{
    fmm_run *run = d->run;
    const myr_essential *e = &d->e;
    const int64_t words = (int64_t)(run->stride + 7) / 8;
    int64_t *at = calloc((size_t)d->ranks + 1, sizeof *at);
    uint64_t *all = myr_memory_some(words * e->root_at[d->ranks] + 1, sizeof *all);
    myr_status status = myr_ranks_agree(d->context, at && all ? MYR_OK : divided_no_memory(d));
    for (int k = 0; !status && k <= d->ranks; k++)
        at[k] = words * e->root_at[k];
    for (int64_t k = e->root_at[d->me]; !status && k < e->root_at[d->me + 1]; k++)
        memcpy(all + words * k, d->own.multipole + (size_t)e->root[k].node.index * run->stride, run->stride);
    if (!status)
        status = myr_ranks_collect(d->context, at, all);
    /* roots are met in the order of the cells' numbers only within a level */
    for (int32_t c = run->tree->cells - 1; !status && c >= 0; c--) {
        char *series = run->multipole + (size_t)c * run->stride;
        const int32_t parent = run->tree->cell[c].parent;
        if (e->rank[c] < 0 && run->tree->cell[c].level >= run->first)
            myr_fmm_up_one(run, c);
        else if (e->rank[c] == d->me)
            memcpy(series, d->own.multipole + (size_t)e->from[c] * run->stride, run->stride);
        else if (e->rank[c] >= 0 && (parent < 0 || e->rank[parent] < 0))
            memcpy(series, all + words * (e->root_at[e->rank[c]] + e->from[c]), run->stride);
    }
    free(at);
    free(all);
    return status;
}

/* --- what this rank needs of others ------------------------------------------------------------------------------- */

static size_t source_bytes(const divided *d)
{
    return (size_t)d->problem->unit->source_lanes * (size_t)d->problem->unit->real_bytes;
}

static int64_t answer_size(const divided *d, const myr_essential_request *request)
{
    int64_t sources = 0;
    for (int64_t k = 0; k < request->ranges; k++)
        sources += request->range[2 * k + 1] - request->range[2 * k];
    return request->cells * (int64_t)d->run->stride + sources * (int64_t)source_bytes(d);
}

/* Answers to the requests of all ranks: series, then sources. */
static int answer_write(const divided *d, myr_blocks *out)
{
    if (!myr_blocks_open(out, d->ranks))
        return 0;
    for (int k = 0; k < d->ranks; k++) {
        const myr_essential_request request = myr_essential_request_of(&d->e.asked, k);
        out->at[k + 1] = answer_size(d, &request);
    }
    if (!myr_blocks_room(out, d->ranks))
        return 0;
    for (int k = 0; k < d->ranks; k++) {
        const myr_essential_request request = myr_essential_request_of(&d->e.asked, k);
        char *to = out->bytes + out->at[k];
        for (int64_t i = 0; i < request.cells; i++, to += d->run->stride)
            memcpy(to, d->own.multipole + (size_t)request.cell[i] * d->run->stride, d->run->stride);
        for (int64_t i = 0; i < request.ranges; i++) {
            const size_t bytes = (size_t)(request.range[2 * i + 1] - request.range[2 * i]) * source_bytes(d);
            memcpy(to, (char *)d->own.source + (size_t)request.range[2 * i] * source_bytes(d), bytes);
            to += bytes;
        }
    }
    return 1;
}

static int answer_expect(const divided *d, myr_blocks *in)
{
    if (!myr_blocks_open(in, d->ranks))
        return 0;
    for (int k = 0; k < d->ranks; k++) {
        const myr_essential_request request = myr_essential_request_of(&d->e.wanted, k);
        in->at[k + 1] = answer_size(d, &request);
    }
    return myr_blocks_room(in, d->ranks);
}

/* Puts the answers to their places. Series come in the order of the cells. */
static int answer_read(divided *d, const myr_blocks *in)
{
    const myr_essential *e = &d->e;
    const size_t bytes = source_bytes(d);
    int64_t *at = malloc(((size_t)d->ranks + 1) * sizeof *at);
    if (!at)
        return 0;
    memcpy(at, in->at, (size_t)d->ranks * sizeof *at);
    for (int32_t c = 0; c < e->tree->cells; c++)
        if (e->rank[c] >= 0 && e->rank[c] != d->me && (e->need[c] & MYR_ESSENTIAL_SERIES)) {
            memcpy(d->run->multipole + (size_t)c * d->run->stride, in->bytes + at[e->rank[c]], d->run->stride);
            at[e->rank[c]] += (int64_t)d->run->stride;
        }
    for (int64_t k = 0; k < e->ranges; k++) {
        const myr_essential_range *r = &e->range[k];
        const int64_t size = (r->end - r->first) * (int64_t)bytes;
        memcpy((char *)d->run->source + (size_t)r->place * bytes, in->bytes + at[r->rank], (size_t)size);
        at[r->rank] += size;
        d->run->report->divided.received += r->end - r->first;
    }
    free(at);
    return 1;
}

/* Marks what the cells of this rank need. */
static int divided_mark(divided *d)
{
    const int32_t cells = d->run->tree->cells;
    d->translations = myr_memory_zeros(cells, sizeof *d->translations);
    d->pairs = myr_memory_zeros(cells, sizeof *d->pairs);
    if (!d->translations || !d->pairs)
        return 0;
    myr_fmm_cells_need(d->run, d->e.need, d->translations);
    myr_fmm_leaves_need(d->run, d->e.need, d->pairs);
    return 1;
}

/* Arrays of the essential tree, with this rank's particles. */
static int divided_arrays(divided *d)
{
    fmm_run *run = d->run;
    const myr_unit *u = d->problem->unit;
    const myr_octree *t = run->tree, *own = d->own.tree;
    const int coords = u->desc->coords * u->coord_lanes;
    run->source = myr_memory_zeros(t->sources + 1, source_bytes(d));
    run->value = myr_memory_some((t->sources + 1) * u->outputs, sizeof *run->value);
    if (!run->source || !run->value)
        return 0;
    memcpy((char *)run->source + (size_t)d->e.first * source_bytes(d), d->own.source,
           (size_t)own->sources * source_bytes(d));
    run->target = run->source;
    run->target_stride = u->source_lanes;
    if (u->target_lanes > coords) {
        const size_t bytes = (size_t)u->target_lanes * (size_t)u->real_bytes;
        char *mine = myr_fmm_particles(&d->own, &d->particles.target, u->target_lanes, own->sources, own->source, NULL);
        run->target = myr_memory_zeros(t->sources + 1, bytes);
        run->target_stride = u->target_lanes;
        if (mine && run->target)
            memcpy((char *)run->target + (size_t)d->e.first * bytes, mine, (size_t)own->sources * bytes);
        free(mine);
        if (!mine || !run->target)
            return 0;
    }
    return 1;
}

/* Gets the essential tree with all that its cells need. */
static myr_status divided_need(divided *d)
{
    fmm_run *run = d->run;
    myr_blocks out = {0}, in = {0};
    run->tree = d->e.tree;
    run->stride = d->own.stride;
    run->has_series = 1;
    run->has_self = d->problem->self && d->problem->unit->desc->self != MYR_SELF_COUNTED;
    myr_status status =
        myr_octree_near_make(d->context, run->tree, run->e->separation, run->fmm->settings.box.periodic, &run->near);
    run->multipole = status ? NULL : myr_memory_zeros(run->tree->cells, run->stride);
    run->local = status ? NULL : myr_memory_zeros(run->tree->cells, run->stride);
    if (!status && (!run->multipole || !run->local || !divided_mark(d)))
        status = divided_no_memory(d);
    status = myr_ranks_agree(d->context, status);
    if (!status)
        status = myr_essential_ask(&d->e);
    if (!status) {
        status = answer_write(d, &out) && answer_expect(d, &in) ? MYR_OK : divided_no_memory(d);
        status = myr_blocks_swap(d->context, status, &out, &in, 1, &d->seconds, &d->sent);
    }
    myr_blocks_free(&out);
    if (!status)
        status = divided_top(d);
    if (!status && !(divided_arrays(d) && answer_read(d, &in) && myr_fmm_sizes(run)))
        status = divided_no_memory(d);
    myr_blocks_free(&in);
    return status;
}

/* --- cost and results --------------------------------------------------------------------------------------------- */

/* Seconds of a translation, a pair and a target, as the means over all ranks: what differs between equal cores comes
 * and goes, and would move cuts for nothing. */
static myr_status cost_units(const divided *d, double unit[3])
{
    const myr_fmm_report *r = d->run->report;
    int64_t sum[6] = {(int64_t)(1e9 * r->seconds[MYR_FMM_m2l]),
                      r->translations / d->run->far->strengths,
                      (int64_t)(1e9 * r->seconds[MYR_FMM_p2p]),
                      r->pairs,
                      (int64_t)(1e9 * (r->seconds[MYR_FMM_l2p] + r->seconds[MYR_FMM_p2m])),
                      d->particles.targets};
    const myr_status status = myr_ranks_sum(d->context, sum, 6);
    for (int k = 0; k < 3; k++)
        unit[k] = sum[2 * k + 1] > 0 ? (double)sum[2 * k] / (double)sum[2 * k + 1] : 0;
    return status;
}

static double cost_of(const divided *d, const double unit[3], int32_t c)
{
    const myr_cell *cell = &d->run->tree->cell[c];
    return unit[0] * d->translations[c] +
           (cell->mask ? 0 : unit[1] * (double)d->pairs[c] + unit[2] * (double)cell->targets);
}

/* Bins of this rank's cost along the curve. */
typedef struct {
    uint64_t key[MYR_CURVE_BINS + 1];
    double cost[MYR_CURVE_BINS + 1], each, open; /* cost of a bin; of the cells behind the last bin */
    int64_t n;
} cost_bins;

static void cost_walk(const divided *d, const double unit[3], int32_t c, cost_bins *bins)
{
    const myr_octree *t = d->run->tree;
    const myr_cell *cell = &t->cell[c];
    if (!t->mine[c])
        return;
    bins->open += cost_of(d, unit, c);
    for (int32_t child = cell->child, end = child + myr_octree_children(cell); child < end; child++)
        cost_walk(d, unit, child, bins);
    if (cell->mask || cell->level > MYR_OCTREE_KEY_LEVELS || bins->open < bins->each || bins->n == MYR_CURVE_BINS)
        return;
    bins->key[bins->n] = myr_morton_cell(cell->at, cell->level) + ((uint64_t)1 << (MYR_MORTON_BITS - 3 * cell->level));
    bins->cost[bins->n++] = bins->open;
    bins->open = 0;
}

/* Keeps what cells have cost, for the cuts of the next evaluation. */
static myr_status divided_measure(divided *d)
{
    double unit[3], all = 0;
    cost_bins *bins = calloc(1, sizeof *bins);
    myr_status status = myr_ranks_agree(d->context, bins ? MYR_OK : divided_no_memory(d));
    if (!status)
        status = cost_units(d, unit);
    if (!status) {
        for (int32_t c = 0; c < d->run->tree->cells; c++)
            all += d->run->tree->mine[c] ? cost_of(d, unit, c) : 0;
        d->cost = all;
        bins->each = all / MYR_CURVE_BINS;
        if (d->particles.targets) {
            cost_walk(d, unit, 0, bins);
            bins->key[bins->n] = d->cut[d->me + 1];
            bins->cost[bins->n++] = bins->open;
        }
        status = myr_curve_profile_collect(d->context, bins->n, bins->key, bins->cost, &d->fmm->profile);
        d->fmm->profile.side = d->run->tree->side;
    }
    free(bins);
    return status;
}

/* Writes the values of this rank's particles, and the ranges of all ranks. */
static myr_status results_here(divided *d)
{
    const myr_direct *p = d->problem;
    const myr_direct_share *share = p->share;
    const int outputs = p->unit->outputs;
    const int64_t n = d->particles.targets;
    for (int64_t i = 0; i < n; i++) {
        const int64_t row = d->row[d->own.tree->source[i]];
        share->order[i] = row;
        for (int k = 0; k < outputs; k++) {
            const double value = d->run->value[(d->e.first + i) * outputs + k] * p->factor;
            if (d->run->result->value[k])
                d->run->result->value[k][row] = value;
            if (!isfinite(value) && (d->run->result->first_bad < 0 || row < d->run->result->first_bad))
                d->run->result->first_bad = row;
        }
    }
    return myr_target_share_own(d->context, share, n);
}

static int return_open(const divided *d, const int64_t *at, int outputs, myr_blocks *blocks)
{
    if (!myr_blocks_open(blocks, d->ranks))
        return 0;
    for (int k = 0; k < d->ranks; k++)
        blocks->at[k + 1] = (at[k + 1] - at[k]) * outputs * (int64_t)sizeof(double);
    return myr_blocks_room(blocks, d->ranks);
}

/* Sends the values of this rank's leaves to the ranks that have the particles. */
static myr_status results_return(divided *d)
{
    const myr_direct *p = d->problem;
    const int outputs = p->unit->outputs;
    myr_direct_result *result = d->run->result;
    myr_blocks out = {0}, in = {0};
    const int ready = return_open(d, d->got_from, outputs, &out) && return_open(d, d->sent_to, outputs, &in);
    /* blocks of whole doubles have no gaps between them */
    for (int64_t i = 0; ready && i < d->particles.targets; i++) {
        double *to = (double *)(void *)out.bytes + d->arrival[d->own.tree->source[i]] * outputs;
        for (int k = 0; k < outputs; k++)
            to[k] = d->run->value[(d->e.first + i) * outputs + k] * p->factor;
    }
    const myr_status status =
        myr_blocks_swap(d->context, ready ? MYR_OK : divided_no_memory(d), &out, &in, 1, &d->seconds, &d->sent);
    for (int64_t i = 0; !status && i < d->sent_to[d->ranks]; i++) {
        const double *from = (const double *)(const void *)in.bytes + i * outputs;
        const int64_t at = d->departure[i];
        for (int k = 0; k < outputs; k++) {
            if (result->value[k])
                result->value[k][at] = from[k];
            if (!isfinite(from[k]) && (result->first_bad < 0 || at < result->first_bad))
                result->first_bad = at;
        }
    }
    myr_blocks_free(&out);
    myr_blocks_free(&in);
    return status;
}

/* Bytes of the arrays that were there at once. */
static int64_t divided_bytes(const divided *d)
{
    const myr_octree *own = d->own.tree, *t = d->run->tree;
    const size_t cell = 2 * d->run->stride + 2 * sizeof(myr_cell) + (size_t)d->run->near.count * sizeof(int32_t) + 30;
    const size_t own_source =
        24 + (size_t)(row_reals(d->problem->unit) * d->problem->unit->real_bytes) + source_bytes(d);
    return (int64_t)cell * t->cells + (int64_t)(d->own.stride + sizeof(myr_cell)) * own->cells +
           t->sources * (int64_t)(source_bytes(d) + sizeof(double) * (size_t)d->problem->unit->outputs) +
           own->sources * (int64_t)own_source;
}

/* Numbers of cells, leaves and levels of the tree of all particles, and what the rank has that has most. */
static myr_status divided_describe(const divided *d)
{
    myr_fmm_report *r = d->run->report;
    const myr_octree *own = d->own.tree, *t = d->run->tree;
    const int64_t stayed = d->got_from[d->me + 1] - d->got_from[d->me];
    r->bytes = divided_bytes(d);
    int64_t sum[4] = {0, 0, d->problem->share->row ? own->sources - stayed : 0, (int64_t)(1e9 * d->cost)};
    double most[7] = {(double)own->largest,
                      own->sources ? own->levels : 0,
                      (double)own->sources,
                      (double)r->divided.received,
                      (double)(d->sent + d->e.sent),
                      (double)r->bytes,
                      d->cost};
    for (int32_t c = 0; c < t->cells; c++) {
        const int counted = d->e.rank[c] == d->me || (d->e.rank[c] < 0 && d->me == 0);
        sum[0] += counted;
        sum[1] += counted && !t->cell[c].mask;
    }
    myr_status status = myr_ranks_sum(d->context, sum, 4);
    if (!status)
        status = myr_ranks_max(d->context, most, 7);
    r->cells = sum[0];
    r->leaves = sum[1];
    r->largest = (int64_t)most[0];
    r->levels = (int64_t)most[1];
    r->divided = (myr_divided_report){.evaluations = 1,
                                      .particles = (int64_t)most[2],
                                      .received = (int64_t)most[3],
                                      .bytes = (int64_t)most[4],
                                      .memory = (int64_t)most[5],
                                      .migrated = sum[2],
                                      .cuts = d->moved,
                                      .imbalance = sum[3] > 0 ? 1e9 * most[6] * d->ranks / (double)sum[3] : 1};
    return status;
}

static myr_status divided_all(divided *d)
{
    fmm_run *run = d->run;
    myr_octree_options options = myr_fmm_tree_options(&d->fmm->settings, d->all);
    options.sides = d->fmm->settings.separation;
    double last = myr_timer_now();
    myr_status status = divided_take(d, &options);
    run->report->seconds[MYR_FMM_tree] += myr_timer_now() - last;
    if (!status)
        status = divided_own(d, &options);
    status = myr_ranks_agree(d->context, status);
    last = myr_timer_now();
    if (!status)
        status = myr_essential_open(d->context, d->own.tree, d->cut, &d->e);
    if (!status)
        status = myr_essential_tree(&d->e, run->e->separation);
    status = myr_ranks_agree(d->context, status);
    if (!status)
        status = divided_need(d);
    run->report->seconds[MYR_FMM_lists] += myr_timer_now() - last;
    if (!status)
        status = myr_fmm_passes(run);
    last = myr_timer_now();
    if (!status)
        status = divided_measure(d);
    if (!status)
        status = d->problem->share->row ? results_return(d) : results_here(d);
    if (!status)
        status = divided_describe(d);
    run->report->seconds[MYR_FMM_results] = myr_timer_now() - last;
    return status;
}

myr_status myr_fmm_divided(myr_fmm *fmm, fmm_run *run)
{
    divided d = {.fmm = fmm, .run = run, .problem = run->problem, .context = fmm->context};
    d.ranks = myr_ranks_count(d.context);
    d.me = myr_ranks_me(d.context);
    d.all = run->problem->share->row ? run->problem->share->all : run->problem->source.n;
    d.cut = calloc((size_t)d.ranks + 1, sizeof *d.cut);
    d.sent_to = calloc((size_t)d.ranks + 1, sizeof *d.sent_to);
    d.got_from = calloc((size_t)d.ranks + 1, sizeof *d.got_from);
    run->first = MYR_FMM_WELL_SEPARATED;
    const myr_status status = d.cut && d.sent_to && d.got_from ? divided_all(&d) : divided_no_memory(&d);
    *run->problem->share->seconds += d.seconds + d.e.seconds;
    if (!status && run->problem->share->next) {
        *run->problem->share->next = d.row;
        *run->problem->share->nexts = d.particles.targets;
        d.row = NULL;
    }
    run->tree = NULL; /* owned by the essential tree */
    myr_essential_close(&d.e);
    myr_octree_destroy(&d.own.tree);
    free(d.own.multipole);
    free(d.own.source);
    free(d.reals);
    free(d.row);
    free(d.arrival);
    free(d.departure);
    free(d.sent_to);
    free(d.got_from);
    free(d.cut);
    free(d.translations);
    free(d.pairs);
    return status;
}
