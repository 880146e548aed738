/* halo_build.c - selection of the particles that each halo message carries, repeated with every new pair list. */
#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "domain/halo_inside.h"

/* Direction of travel of copies along an axis. */
typedef enum {
    ROUTE_NONE, /* one slab: no exchange */
    ROUTE_TWO,  /* two slabs: the left and the right neighbour are the same rank */
    ROUTE_BOTH, /* both directions, with as many hops as the halo width needs */
    ROUTE_RING  /* one direction around the ring, to all slabs */
} halo_route;

typedef struct {
    myr_halo *halo;
    uint64_t *const *q; /* coordinates of the own particles, [3][n] */
    const int32_t *type;
    const int64_t *id;
    const myr_box *box;
    halo_route route;
    int hops[2];
    int64_t start; /* number of copies received before this axis */
} halo_work;

static const uint64_t *build_planes(const myr_halo *halo, int axis)
{
    return halo->d->plane[axis];
}

static uint64_t build_lower(const myr_halo *halo, int axis, int slab)
{
    const int count = halo->d->count[axis];
    return build_planes(halo, axis)[(slab % count + count) % count];
}

static uint64_t build_upper(const myr_halo *halo, int axis, int slab)
{
    const int count = halo->d->count[axis];
    return build_planes(halo, axis)[(slab % count + count) % count + 1];
}

/* Largest number of slabs below (direction 0) or above (direction 1) any slab that lie within the halo width. */
static int build_hops(const myr_halo *halo, int axis, int direction)
{
    const int count = halo->d->count[axis];
    int most = 1;
    for (int slab = 0; slab < count; slab++)
        for (int k = most + 1; k < count; k++) {
            const uint64_t gap = direction == 0 ? build_lower(halo, axis, slab) - build_upper(halo, axis, slab - k)
                                                : build_lower(halo, axis, slab + k) - build_upper(halo, axis, slab);
            if (gap >= halo->width[axis])
                break;
            most = k;
        }
    return most;
}

static myr_status build_route(halo_work *w, int axis)
{
    myr_halo *halo = w->halo;
    const int count = halo->d->count[axis];
    /* open axis: no particle is near enough to an end to be visible from the other end */
    const int ends = !w->box->periodic[axis];
    w->route = count == 1 ? ROUTE_NONE : count == 2 && !ends ? ROUTE_TWO : ROUTE_BOTH;
    w->hops[0] = w->hops[1] = count == 1 ? 0 : 1;
    for (int direction = 0; w->route == ROUTE_BOTH && direction < 2; direction++)
        w->hops[direction] = build_hops(halo, axis, direction);
    if (w->route == ROUTE_BOTH && !ends && w->hops[0] + w->hops[1] > count - 1) {
        w->route = ROUTE_RING;
        w->hops[0] = count - 1;
        w->hops[1] = 0;
    }
    /* the same condition on all ranks, so that all ranks fail together */
    if (w->hops[0] > HALO_HOPS || w->hops[1] > HALO_HOPS)
        return myr_context_fail(halo->context, MYR_ERROR_VALUE,
                                "%d slabs along %c, some so thin that copies would go %d hops: use fewer ranks", count,
                                "xyz"[axis], w -> hops[0] > w -> hops[1] ? w -> hops[0] : w -> hops[1]);
    return MYR_OK;
}

/* --- selection of particles --------------------------------------------------------------------------------------- */

/* Distance of a coordinate from a slab, in coordinate units, along the shorter way around the box; 0 inside the
 * slab. */
static uint64_t build_distance(const myr_halo *halo, int axis, int slab, uint64_t q)
{
    const uint64_t lower = build_lower(halo, axis, slab), upper = build_upper(halo, axis, slab);
    if (q - lower < upper - lower)
        return 0;
    return lower - q < q - upper ? lower - q : q - upper;
}

/* 1 if a particle at coordinate q must be forwarded to the next slab in this phase. */
static int build_is_sent(const halo_work *w, const halo_phase *phase, uint64_t q)
{
    const myr_halo *halo = w->halo;
    const int axis = phase->axis, at = halo->d->at[axis], count = halo->d->count[axis];
    const uint64_t width = halo->width[axis];
    if (w->route == ROUTE_RING) { /* forward if any slab further along the ring is within the halo width */
        for (int k = 1; k <= count - phase->hop; k++)
            if (build_distance(halo, axis, at + k, q) <= width)
                return 1;
        return 0;
    }
    const uint64_t above = build_lower(halo, axis, at + 1) - q; /* distance to the next slab */
    const uint64_t below = q - build_upper(halo, axis, at - 1);
    if (phase->direction == 0)
        return above <= width;
    return below <= width && !(w->route == ROUTE_TWO && above <= width);
}

static uint64_t build_coordinate(const halo_work *w, int axis, int64_t place)
{
    return place < w->halo->n ? w->q[axis][place] : w->halo->q[axis][place - w->halo->n];
}

/* Lists the particles and copies with indices [first, last) that the phase sends. */
static myr_status build_choose(const halo_work *w, halo_phase *phase, int64_t first, int64_t last)
{
    myr_halo *halo = w->halo;
    for (int64_t i = first; i < last; i++) {
        if (!build_is_sent(w, phase, build_coordinate(w, phase->axis, i)))
            continue;
        if (halo->places == halo->places_room) {
            const int64_t more = 2 * halo->places_room + 1024;
            int32_t *place = realloc(halo->place, (size_t)more * sizeof *place);
            if (!place)
                return myr_context_fail(halo->context, MYR_ERROR_MEMORY, "no memory for a halo");
            halo->place = place;
            halo->places_room = more;
        }
        halo->place[halo->places++] = (int32_t)i;
        phase->sent++;
    }
    return MYR_OK;
}

/* Fills in one phase. Hop 1 sends everything present before this axis; a later hop forwards the copies of the previous
 * hop. */
static myr_status build_phase(halo_work *w, int axis, int direction, int hop, const halo_phase *before,
                              halo_phase *phase)
{
    myr_halo *halo = w->halo;
    const int step = direction == 0 ? 1 : -1;
    *phase = (halo_phase){.axis = axis,
                          .direction = direction,
                          .hop = hop,
                          .to = myr_decomposition_neighbour(halo->d, axis, step),
                          .from = myr_decomposition_neighbour(halo->d, axis, -step),
                          .first = halo->places};
    const int64_t first = hop == 1 ? 0 : halo->n + before->begin;
    return build_choose(w, phase, first, hop == 1 ? halo->n + w->start : first + before->received);
}

/* --- exchange ----------------------------------------------------------------------------------------------------- */

static myr_status build_grow(myr_halo *halo, int64_t count)
{
    if (count > INT32_MAX - halo->n)
        return myr_context_fail(halo->context, MYR_ERROR_VALUE, "%lld particles and copies on one rank: use more ranks",
                                (long long)halo->n + (long long)count);
    if (count <= halo->room)
        return MYR_OK;
    const int64_t more = count + count / 4;
    int good = 1;
    for (int c = 0; c < 3; c++) {
        uint64_t *q = realloc(halo->q[c], (size_t)more * sizeof *q);
        halo->q[c] = q ? q : halo->q[c];
        good = good && q;
    }
    int32_t *type = realloc(halo->type, (size_t)more * sizeof *type);
    halo->type = type ? type : halo->type;
    int64_t *id = realloc(halo->id, (size_t)more * sizeof *id);
    halo->id = id ? id : halo->id;
    if (!good || !type || !id)
        return myr_context_fail(halo->context, MYR_ERROR_MEMORY, "no memory for a halo of %lld particles",
                                (long long)count);
    halo->room = more;
    return MYR_OK;
}

enum { BUILD_BYTES = HALO_COORDINATES + 8 + 4 }; /* bytes of a particle in a build: coordinates, id and type */

/* Packs the arrays one after the other: three coordinates, id, type. */
static void build_pack(const halo_work *w, const halo_phase *phase, char *to)
{
    const myr_halo *halo = w->halo;
    const int32_t *place = halo->place + phase->first;
    for (int c = 0; c < 3; c++)
        for (int64_t k = 0; k < phase->sent; k++, to += 8) {
            const uint64_t q = build_coordinate(w, c, place[k]);
            memcpy(to, &q, sizeof q);
        }
    for (int64_t k = 0; k < phase->sent; k++, to += 8) {
        const int64_t id = place[k] < halo->n ? w->id[place[k]] : halo->id[place[k] - halo->n];
        memcpy(to, &id, sizeof id);
    }
    for (int64_t k = 0; k < phase->sent; k++, to += 4) {
        const int32_t type = place[k] < halo->n ? w->type[place[k]] : halo->type[place[k] - halo->n];
        memcpy(to, &type, sizeof type);
    }
}

static void build_unpack(myr_halo *halo, const halo_phase *phase, const char *from)
{
    const size_t count = (size_t)phase->received;
    if (!count)
        return;
    for (int c = 0; c < 3; c++, from += 8 * count)
        memcpy(halo->q[c] + phase->begin, from, 8 * count);
    memcpy(halo->id + phase->begin, from, 8 * count);
    memcpy(halo->type + phase->begin, from + 8 * count, 4 * count);
}

/* Exchanges the numbers of particles that the messages of a hop will carry. */
static myr_status build_counts(myr_halo *halo, halo_phase *const phase[2])
{
    const size_t size = sizeof(int64_t);
    const halo_hop hop = {{phase[0], phase[1]}, {size, size}, {size, size}};
    myr_status status = MYR_OK;
    for (int k = 0; k < 2 && !status; k++) {
        status = myr_halo_reserve(halo, &halo->out[k], sizeof(int64_t));
        if (!status)
            status = myr_halo_reserve(halo, &halo->in[k], sizeof(int64_t));
        if (!status && phase[k])
            memcpy(halo->out[k].bytes, &phase[k]->sent, sizeof(int64_t));
    }
    if (!status)
        status = myr_halo_exchange(halo, &hop);
    for (int k = 0; k < 2 && !status; k++)
        if (phase[k])
            memcpy(&phase[k]->received, halo->in[k].bytes, sizeof(int64_t));
    return status;
}

static myr_status build_send(halo_work *w, halo_phase *const phase[2])
{
    myr_halo *halo = w->halo;
    halo_hop hop = {.phase = {phase[0], phase[1]}};
    myr_status status = build_counts(halo, phase);
    for (int k = 0; k < 2 && !status; k++) {
        if (!phase[k])
            continue;
        phase[k]->begin = halo->count;
        halo->count += phase[k]->received;
        hop.sent[k] = (size_t)phase[k]->sent * BUILD_BYTES;
        hop.received[k] = (size_t)phase[k]->received * BUILD_BYTES;
        status = build_grow(halo, halo->count);
        if (!status)
            status = myr_halo_reserve(halo, &halo->out[k], hop.sent[k]);
        if (!status)
            status = myr_halo_reserve(halo, &halo->in[k], hop.received[k]);
        if (!status)
            build_pack(w, phase[k], halo->out[k].bytes);
    }
    if (!status)
        status = myr_halo_exchange(halo, &hop);
    for (int k = 0; k < 2 && !status; k++)
        if (phase[k])
            build_unpack(halo, phase[k], halo->in[k].bytes);
    return status;
}

/* Builds all hops along an axis. */
static myr_status build_axis(halo_work *w, int axis)
{
    myr_halo *halo = w->halo;
    halo_phase *before[2] = {NULL, NULL};
    w->start = halo->count;
    myr_status status = build_route(w, axis);
    for (int hop = 1; !status && (hop <= w->hops[0] || hop <= w->hops[1]); hop++) {
        halo_phase *now[2] = {NULL, NULL};
        for (int direction = 0; direction < 2 && !status; direction++)
            if (hop <= w->hops[direction]) {
                now[direction] = halo->phase + halo->phases++;
                status = build_phase(w, axis, direction, hop, before[direction], now[direction]);
            }
        if (!status)
            status = build_send(w, now);
        before[0] = now[0];
        before[1] = now[1];
    }
    return status;
}

static void build_account(myr_halo *halo)
{
    myr_halo_progress *p = &halo->progress;
    p->particles = halo->count;
    p->messages = halo->phases;
    p->builds++;
    memset(p->bytes, 0, sizeof p->bytes);
    for (int k = 0; k < halo->phases; k++)
        p->bytes[halo->phase[k].axis] += halo->phase[k].sent * HALO_COORDINATES;
}

myr_status myr_halo_build(myr_halo *halo, const myr_box *box, double width, int64_t n, uint64_t *const q[3],
                          const int32_t *type, const int64_t *id, int64_t *count)
{
    const double began = myr_timer_now();
    halo_work w = {.halo = halo, .box = box, .q = q, .type = type, .id = id};
    myr_status status = MYR_OK;
    halo->n = n;
    halo->count = halo->places = 0;
    halo->phases = 0;
    for (int c = 0; c < 3; c++)
        halo->width[c] = myr_decomposition_length(box, c, width);
    for (int axis = 0; axis < 3 && !status; axis++)
        status = build_axis(&w, axis);
    if (status)
        myr_ranks_lose(halo->context); /* neighbours wait for messages that this rank cannot send any more */
    build_account(halo);
    *count = halo->count;
    halo->progress.seconds += myr_timer_now() - began;
    return status;
}
