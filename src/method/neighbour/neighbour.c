/* neighbour.c - creation and destruction of a neighbour list. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/units.h"
#include "method/neighbour/neighbour_inside.h"

enum { NEIGHBOUR_MIXED = 1 };

myr_status myr_neighbour_check_box(myr_context *context, const myr_box *box, double cutoff)
{
    for (int k = 0; k < 3; k++) {
        if (!(box->length[k] > 0 && box->length[k] < (double)INFINITY))
            return myr_context_fail(context, MYR_ERROR_VALUE, "the box is %g long along %c: give a positive length",
                                    box->length[k], "xyz"[k]);
        if (box->periodic[k] && box->length[k] < 2 * cutoff)
            return myr_context_fail(context, MYR_ERROR_VALUE,
                                    "the box is %g long along %c, less than twice the cutoff %g: a particle would meet "
                                    "another one and its image; take a larger box or a shorter cutoff",
                                    box->length[k], "xyz"[k], cutoff);
    }
    return MYR_OK;
}

static myr_status create_check_pair(myr_context *context, const myr_neighbour_set *set, int a, int b)
{
    const myr_pair_potential *p = set->pair + a * set->types + b, *q = set->pair + b * set->types + a;
    if (!(p->epsilon >= 0 && p->sigma >= 0 && p->cutoff >= 0) || !(p->epsilon < (double)INFINITY) ||
        !(p->sigma < (double)INFINITY) || !(p->cutoff < (double)INFINITY))
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "types %d and %d: epsilon %g, sigma %g, cutoff %g; none may be negative or infinite", a,
                                b, p->epsilon, p->sigma, p->cutoff);
    if (p->epsilon != q->epsilon || p->sigma != q->sigma || p->cutoff != q->cutoff || p->inner != q->inner)
        return myr_context_fail(context, MYR_ERROR_VALUE, "types %d and %d have two different potentials", a, b);
    if (set->cut == MYR_CUT_SPLINE && myr_cut_interacts(p) && !(p->inner > 0 && p->inner < p->cutoff))
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "types %d and %d: the inner radius of the spline is %g; it must lie between 0 and the "
                                "cutoff %g",
                                a, b, p->inner, p->cutoff);
    return MYR_OK;
}

static myr_status create_check(myr_context *context, const myr_neighbour_set *set)
{
    const int may_be_empty = set->agreement || set->all > 0; /* a domain of a divided box may have no particles */
    if (set->n < (may_be_empty ? 0 : 1) || set->n > INT32_MAX - 2 * MYR_SHORT_RANGE_PAD)
        return myr_context_fail(context, MYR_ERROR_VALUE, "%lld particles: a list takes 1 to 2^31 - 129",
                                (long long)set->n);
    if (set->types < 1 || set->types > 4096 || (set->types > 1 && !set->type) || !set->pair)
        return myr_context_fail(context, MYR_ERROR_VALUE, "%d types of particles, or no potentials or types given",
                                set->types);
    if (set->arithmetic < 0 || set->arithmetic >= MYR_ARITH_COUNT || set->arithmetic == NEIGHBOUR_MIXED)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "neighbour lists work in single, portable or double arithmetic, not in mixed");
    if (set->agreement && !set->fixed)
        return myr_context_fail(context, MYR_ERROR_COMBINATION,
                                "a box that is divided into domains has fixed sums: use accumulator fixed");
    if (!(set->skin >= 0 && set->skin < (double)INFINITY))
        return myr_context_fail(context, MYR_ERROR_VALUE, "a skin of %g: give a length, or 0 to have it chosen",
                                set->skin);
    for (int64_t i = 0; set->types > 1 && i < set->n; i++)
        if (set->type[i] < 0 || set->type[i] >= set->types)
            return myr_context_fail(context, MYR_ERROR_VALUE, "particle %lld is of type %d: there are %d", (long long)i,
                                    set->type[i], set->types);
    for (int a = 0; a < set->types; a++)
        for (int b = 0; b <= a; b++) {
            myr_status status = create_check_pair(context, set, a, b);
            if (status)
                return status;
        }
    return MYR_OK;
}

/* Longest cutoff, and the unit of length: sigma of the first pair of types that interacts. */
static myr_status create_lengths(myr_neighbour *list)
{
    const myr_neighbour_set *set = &list->set;
    for (int k = 0; k < set->types * set->types; k++) {
        if (!myr_cut_interacts(set->pair + k))
            continue;
        list->cutoff = fmax(list->cutoff, set->pair[k].cutoff);
        list->sigma = list->sigma > 0 ? list->sigma : set->pair[k].sigma;
    }
    if (!(list->cutoff > 0 || set->reach > 0))
        return myr_context_fail(list->context, MYR_ERROR_VALUE,
                                "no two types interact: a cutoff, epsilon and sigma above 0 are needed");
    list->cutoff = fmax(list->cutoff, set->reach);
    list->sigma = list->sigma > 0 ? list->sigma : 1;
    list->tuner = (neighbour_tuner){.on = set->skin == 0, .factor = 1.25};
    if (list->tuner.on)
        list->set.skin = (set->agreement ? MYR_NEIGHBOUR_SKIN_DIVIDED : MYR_NEIGHBOUR_SKIN) * list->cutoff;
    list->search = list->cutoff + list->set.skin;
    list->progress.skin = list->set.skin;
    return myr_neighbour_check_box(list->context, &set->box, list->cutoff);
}

myr_status myr_neighbour_reserve(myr_neighbour *list, int64_t count)
{
    const int64_t real = list->unit[0]->real_bytes, typed = list->set.types > 1;
    if (count <= list->capacity)
        return MYR_OK;
    if (count > INT32_MAX - 2 * MYR_SHORT_RANGE_PAD)
        return myr_context_fail(list->context, MYR_ERROR_VALUE, "%lld particles and copies: a list takes 2^31 - 129",
                                (long long)count);
    if (list->capacity > 0) /* spare capacity, because the number of particles changes a little with every list */
        count = count < (INT32_MAX - 2 * MYR_SHORT_RANGE_PAD) / 9 * 8 ? count + count / 8 : count;
    const int64_t padded = count + MYR_SHORT_RANGE_PAD;
    list->capacity = 0;
    myr_memory_room_destroy(&list->room);
    list->room = myr_memory_room_create(padded * ((3 + typed) * real + 3 * 4 + 4 + 4 + 4), 10);
    for (int k = 0; k < 3; k++)
        list->coordinate[k] = myr_memory_room_take(&list->room, padded * real);
    for (int k = 0; k < 3; k++)
        list->old[k] = myr_memory_room_take(&list->room, padded * 4);
    list->cell = myr_memory_room_take(&list->room, padded * 4);
    list->place = myr_memory_room_take(&list->room, padded * 4);
    list->moved = myr_memory_room_take(&list->room, padded * 4);
    list->type = typed ? myr_memory_room_take(&list->room, padded * real) : NULL;
    if (!list->room.block)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for %lld particles", (long long)count);
    list->capacity = count;
    return MYR_OK;
}

static myr_status create_arrays(myr_neighbour *list)
{
    list->share = calloc((size_t)list->threads, sizeof *list->share);
    list->strip = calloc(2 * (size_t)list->threads, sizeof *list->strip);
    list->job = calloc(2 * (size_t)list->threads, sizeof *list->job);
    if (!list->share || !list->strip || !list->job)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for %d threads", list->threads);
    return myr_neighbour_reserve(list, list->n);
}

static myr_status create_track(myr_neighbour *list)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < 3 && !status; k++)
        status = myr_neighbour_track(list, list->set.q[k], sizeof *list->set.q[k]);
    if (!status && list->set.type)
        status = myr_neighbour_track(list, list->set.type, sizeof *list->set.type);
    return status;
}

/* Loops of one instruction set for own pairs and, in a divided box, for pairs with the halo. */
static int create_loops(myr_neighbour *list, const myr_isa_table *isa)
{
    const myr_neighbour_set *set = &list->set;
    const int kinds = set->agreement || set->all > 0 ? 2 : 1;
    list->isa = isa;
    for (int halo = 0; halo < kinds; halo++) {
        list->unit[halo] = set->formula ? set->formula->unit(set->formula->user, isa, set->arithmetic, set->fixed, halo)
                                        : myr_units_short_range(list->context, isa, set->arithmetic, set->fixed, halo);
        if (!list->unit[halo])
            return 0;
    }
    return 1;
}

/* Selects the requested instruction set, or the best one that every domain of a divided box can run. */
static myr_status create_unit(myr_neighbour *list)
{
    const myr_neighbour_set *set = &list->set;
    const myr_isa_table *isa = set->isa ? set->isa : myr_backend_best();
    int found = create_loops(list, isa);
    if (!found && !set->isa)
        found = create_loops(list, myr_units_fall_back(list->context, isa));
    if (!found)
        return MYR_ERROR_UNAVAILABLE;
    double slowest = -myr_backend_isa_number(list->isa->name);
    const myr_status status = myr_agreement_largest(set->agreement, &slowest, 1);
    isa = myr_backend_isa((int)-slowest);
    return status || isa == list->isa || create_loops(list, isa) ? status : MYR_ERROR_UNAVAILABLE;
}

static myr_status create_fill(myr_neighbour *list, const myr_neighbour_set *set)
{
    const size_t pairs = (size_t)set->types * (size_t)set->types;
    myr_pair_potential *pair = malloc(pairs * sizeof *pair);
    list->set.pair = pair;
    if (!pair)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory for %d types", set->types);
    memcpy(pair, set->pair, pairs * sizeof *pair);
    list->n = (int32_t)set->n;
    list->set.all = set->all > 0 ? set->all : set->n;
    list->threads = set->threads > 0 ? set->threads : myr_context_threads(list->context);
    list->team = list->threads;
    list->exponent = list->table_exponent = MYR_NEIGHBOUR_UNIT_UNSET;
    myr_status status = create_unit(list);
    if (!status)
        status = create_lengths(list);
    if (!status && set->formula)
        status = myr_neighbour_formula_begin(list);
    if (status)
        return status;
    list->stride = set->types > list->unit[0]->lanes ? set->types : list->unit[0]->lanes;
    status = create_arrays(list);
    return status ? status : create_track(list);
}

myr_status myr_neighbour_create(myr_context *context, const myr_neighbour_set *set, myr_neighbour **list)
{
    *list = NULL;
    myr_status status = create_check(context, set);
    if (status)
        return status;
    myr_neighbour *made = calloc(1, sizeof *made);
    if (!made)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a neighbour list");
    made->context = context;
    made->set = *set;
    status = create_fill(made, set);
    if (status)
        myr_neighbour_destroy(&made);
    *list = made;
    return status;
}

const char *myr_neighbour_isa(const myr_neighbour *list)
{
    return list->isa->name;
}

static void destroy_windows(myr_short_range_list *w)
{
    free(w->row);
    free(w->start);
    free(w->close);
}

void myr_neighbour_destroy(myr_neighbour **list)
{
    myr_neighbour *l = *list;
    if (!l)
        return;
    for (int t = 0; l->share && t < l->threads; t++) {
        for (int k = 0; k < 2; k++) {
            destroy_windows(l->share[t].wide + k);
            destroy_windows(l->share[t].wide_halo + k);
            destroy_windows(l->share[t].list + k);
            destroy_windows(l->share[t].halo + k);
        }
        free(l->share[t].close);
        myr_memory_room_destroy(&l->share[t].room);
    }
    myr_memory_room_destroy(&l->room);
    free((void *)l->set.pair);
    free(l->tracked);
    free(l->scratch);
    free(l->own.start);
    free(l->others.start);
    free(l->share);
    free(l->strip);
    free(l->job);
    free(l->table);
    free(l->radius2);
    free(l->exact);
    free(l);
    *list = NULL;
}

myr_status myr_neighbour_track(myr_neighbour *list, void *array, size_t bytes)
{
    neighbour_tracked *more = realloc(list->tracked, ((size_t)list->arrays + 1) * sizeof *more);
    if (!more)
        return myr_context_fail(list->context, MYR_ERROR_MEMORY, "no memory to sort %d arrays", list->arrays + 1);
    list->tracked = more;
    list->tracked[list->arrays++] = (neighbour_tracked){array, bytes};
    list->most_bytes = bytes > list->most_bytes ? bytes : list->most_bytes;
    return MYR_OK;
}

void myr_neighbour_moved(myr_neighbour *list, const void *from, void *to)
{
    for (int k = 0; k < list->arrays; k++)
        if (list->tracked[k].array == from)
            list->tracked[k].array = to;
    for (int k = 0; k < 3; k++)
        if (list->set.q[k] == from)
            list->set.q[k] = to;
    if (list->set.type == from)
        list->set.type = to;
}

int myr_neighbour_shares(const myr_neighbour *list)
{
    return list->threads;
}

myr_neighbour_windows myr_neighbour_windows_of(const myr_neighbour *list, int share, int which)
{
    const myr_short_range_list *w = list->share[share].list + which;
    return (myr_neighbour_windows){w->rows, list->n, list->unit[0]->lanes, w->row, w->start};
}

void myr_neighbour_progress_of(const myr_neighbour *list, myr_neighbour_progress *progress)
{
    *progress = list->progress;
}
