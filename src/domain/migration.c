/* migration.c - particles on their way to another domain. */
#include "domain/migration.h"

#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

enum { MIGRATION_TAG = 64, DEAL_TAG = 66, DEAL_ONCE = 1 << 16 }; /* particles of one message */

typedef struct {
    myr_context *context;
    const myr_decomposition *d;
    const myr_migrants *m;
    int64_t n, came;
    size_t bytes;         /* of one particle */
    char *out[2], *in[2]; /* towards higher coordinates, towards lower ones */
    size_t out_room[2], in_room[2];
} migration;

static uint64_t migration_coordinate(const migration *w, int axis, int64_t i)
{
    return (*(uint64_t *const *)w->m->part[axis].array)[i];
}

/* How many slabs a particle has to go along an axis, the shorter way round: > 0 towards higher coordinates. */
static int migration_steps(const migration *w, int axis, int64_t i)
{
    const int count = w->d->count[axis], at = w->d->at[axis];
    const uint64_t q = migration_coordinate(w, axis, i), lower = w->d->plane[axis][at];
    if (count == 1 || q - lower < w->d->plane[axis][at + 1] - lower) /* nearly always */
        return 0;
    const int slab = myr_decomposition_slab(w->d, axis, q);
    const int up = (slab - at + count) % count;
    return 2 * up <= count ? up : up - count;
}

static myr_status migration_reserve(migration *w, char **room, size_t *size, size_t wanted)
{
    if (wanted <= *size)
        return MYR_OK;
    free(*room);
    *size = wanted + wanted / 4;
    *room = malloc(*size);
    if (*room)
        return MYR_OK;
    *size = 0;
    return myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory for particles that change their rank");
}

static void migration_pack(const migration *w, int64_t i, char *to)
{
    for (int k = 0; k < w->m->parts; to += w->m->part[k++].bytes)
        memcpy(to, (char *)*w->m->part[k].array + (size_t)i * w->m->part[k].bytes, w->m->part[k].bytes);
}

static void migration_unpack(const migration *w, const char *from, int64_t i)
{
    for (int k = 0; k < w->m->parts; from += w->m->part[k++].bytes)
        memcpy((char *)*w->m->part[k].array + (size_t)i * w->m->part[k].bytes, from, w->m->part[k].bytes);
}

static void migration_copy(const migration *w, int64_t from, int64_t to)
{
    for (int k = 0; k < w->m->parts && from != to; k++) {
        char *array = *w->m->part[k].array;
        const size_t bytes = w->m->part[k].bytes;
        memcpy(array + (size_t)to * bytes, array + (size_t)from * bytes, bytes);
    }
}

/* Takes those that must go out of the arrays, into the buffers of their directions. */
static myr_status migration_leave(migration *w, int axis, int64_t leaving[2])
{
    leaving[0] = leaving[1] = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const int steps = migration_steps(w, axis, i);
        leaving[0] += steps > 0;
        leaving[1] += steps < 0;
    }
    for (int k = 0; k < 2; k++) {
        const myr_status status =
            migration_reserve(w, &w->out[k], &w->out_room[k], (size_t)leaving[k] * w->bytes + sizeof(int64_t));
        if (status)
            return status;
    }
    char *to[2] = {w->out[0], w->out[1]};
    for (int64_t i = 0; i < w->n;) {
        const int steps = migration_steps(w, axis, i), k = steps < 0;
        if (steps == 0) {
            i++;
            continue;
        }
        migration_pack(w, i, to[k]);
        to[k] += w->bytes;
        migration_copy(w, --w->n, i); /* and look at that one next */
    }
    return MYR_OK;
}

/* Both directions: bytes out, bytes in. */
static myr_status migration_pass(migration *w, int axis, void *const out[2], const size_t sent[2], void *const in[2],
                                 const size_t received[2])
{
    myr_rank_message m[4];
    for (int k = 0; k < 2; k++) {
        const int step = k ? -1 : 1;
        m[k] = (myr_rank_message){in[k], received[k], myr_decomposition_neighbour(w->d, axis, -step), MIGRATION_TAG + k,
                                  0,     NULL};
        m[2 + k] = (myr_rank_message){out[k], sent[k], myr_decomposition_neighbour(w->d, axis, step), MIGRATION_TAG + k,
                                      1,      NULL};
    }
    const myr_status status = myr_ranks_start(w->context, m, 4);
    return status ? status : myr_ranks_finish(w->context, m, 4);
}

static myr_status migration_arrive(migration *w, const int64_t arriving[2])
{
    const myr_status status = w->m->reserve(w->m->user, w->n, w->n + arriving[0] + arriving[1]);
    if (status)
        return status;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < arriving[k]; i++)
            migration_unpack(w, w->in[k] + (size_t)i * w->bytes, w->n++);
    w->came += arriving[0] + arriving[1];
    return MYR_OK;
}

/* One slab further for all that must go along an axis. */
static myr_status migration_hop(migration *w, int axis)
{
    int64_t leaving[2], arriving[2];
    size_t sent[2], received[2];
    const size_t count[2] = {sizeof *leaving, sizeof *leaving};
    myr_status status = migration_leave(w, axis, leaving);
    if (!status)
        status = migration_pass(w, axis, (void *[2]){leaving, leaving + 1}, count, (void *[2]){arriving, arriving + 1},
                                count);
    for (int k = 0; k < 2 && !status; k++) {
        sent[k] = (size_t)leaving[k] * w->bytes;
        received[k] = (size_t)arriving[k] * w->bytes;
        status = migration_reserve(w, &w->in[k], &w->in_room[k], received[k]);
    }
    if (!status)
        status =
            migration_pass(w, axis, (void *[2]){w->out[0], w->out[1]}, sent, (void *[2]){w->in[0], w->in[1]}, received);
    return status ? status : migration_arrive(w, arriving);
}

/* The longest way along each axis, of all ranks. */
static myr_status migration_measure(migration *w, double hops[3])
{
    for (int axis = 0; axis < 3; axis++) {
        int most = 0;
        for (int64_t i = 0; i < w->n && w->d->count[axis] > 1; i++) {
            const int steps = abs(migration_steps(w, axis, i));
            most = steps > most ? steps : most;
        }
        hops[axis] = most;
    }
    return myr_ranks_max(w->context, hops, 3);
}

myr_status myr_migration_run(myr_context *context, const myr_decomposition *d, const myr_migrants *migrants, int64_t *n,
                             int64_t *moved)
{
    migration w = {.context = context, .d = d, .m = migrants, .n = *n};
    double hops[3];
    for (int k = 0; k < migrants->parts; k++)
        w.bytes += migrants->part[k].bytes;
    myr_status status = migration_measure(&w, hops);
    const int met = !status;
    for (int axis = 0; axis < 3 && !status; axis++)
        for (int hop = 0; hop < (int)hops[axis] && !status; hop++)
            status = migration_hop(&w, axis);
    if (status && met)
        myr_ranks_lose(context); /* others wait for what does not come any more */
    for (int k = 0; k < 2; k++) {
        free(w.out[k]);
        free(w.in[k]);
    }
    *n = w.n;
    *moved = w.came;
    return status;
}

/* --- dealing --------------------------------------------------------------------------------------------------------
 */

/* Who owns whom: particles in the order of their ranks, and where those of each begin. */
typedef struct {
    int64_t *begin, *order; /* [ranks + 1], [n] */
    int32_t *owner;
} deal_order;

static void deal_free(deal_order *o)
{
    free(o->begin);
    free(o->order);
    free(o->owner);
}

static myr_status deal_sort(const migration *w, deal_order *o)
{
    const int ranks = w->d->ranks;
    o->begin = calloc((size_t)ranks + 2, sizeof *o->begin);
    o->order = malloc((size_t)(w->n + 1) * sizeof *o->order);
    o->owner = malloc((size_t)(w->n + 1) * sizeof *o->owner);
    if (!o->begin || !o->order || !o->owner)
        return myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory to divide %lld particles", (long long)w->n);
    for (int64_t i = 0; i < w->n; i++) {
        const uint64_t q[3] = {migration_coordinate(w, 0, i), migration_coordinate(w, 1, i),
                               migration_coordinate(w, 2, i)};
        o->owner[i] = myr_decomposition_owner(w->d, q);
        o->begin[o->owner[i] + 2]++;
    }
    for (int r = 0; r < ranks; r++)
        o->begin[r + 2] += o->begin[r + 1];
    for (int64_t i = 0; i < w->n; i++)
        o->order[o->begin[o->owner[i] + 1]++] = i;
    return MYR_OK;
}

static myr_status deal_message(const migration *w, void *bytes, size_t size, int peer, int sending)
{
    myr_rank_message m = {bytes, size, peer, DEAL_TAG, sending, NULL};
    const myr_status status = myr_ranks_start(w->context, &m, 1);
    return status ? status : myr_ranks_finish(w->context, &m, 1);
}

static myr_status deal_give(migration *w, const deal_order *o, int rank)
{
    int64_t count = o->begin[rank + 1] - o->begin[rank];
    const int64_t *order = o->order + o->begin[rank];
    myr_status status = deal_message(w, &count, sizeof count, rank, 1);
    for (int64_t done = 0; done < count && !status; done += DEAL_ONCE) {
        const int64_t now = count - done < DEAL_ONCE ? count - done : DEAL_ONCE;
        for (int64_t i = 0; i < now; i++)
            migration_pack(w, order[done + i], w->out[0] + (size_t)i * w->bytes);
        status = deal_message(w, w->out[0], (size_t)now * w->bytes, rank, 1);
    }
    return status;
}

static myr_status deal_take(migration *w)
{
    int64_t count = 0;
    myr_status status = deal_message(w, &count, sizeof count, 0, 0);
    if (!status)
        status = w->m->reserve(w->m->user, w->n, w->n + count);
    for (int64_t done = 0; done < count && !status; done += DEAL_ONCE) {
        const int64_t now = count - done < DEAL_ONCE ? count - done : DEAL_ONCE;
        status = deal_message(w, w->out[0], (size_t)now * w->bytes, 0, 0);
        for (int64_t i = 0; i < now && !status; i++)
            migration_unpack(w, w->out[0] + (size_t)i * w->bytes, w->n++);
    }
    return status;
}

myr_status myr_migration_deal(myr_context *context, const myr_decomposition *d, const myr_migrants *migrants,
                              int64_t *n)
{
    migration w = {.context = context, .d = d, .m = migrants, .n = *n};
    deal_order order = {NULL, NULL, NULL};
    for (int k = 0; k < migrants->parts; k++)
        w.bytes += migrants->part[k].bytes;
    myr_status status = migration_reserve(&w, &w.out[0], &w.out_room[0], DEAL_ONCE * w.bytes);
    if (!status && d->rank == 0)
        status = deal_sort(&w, &order);
    status = myr_ranks_agree(context, status);
    const int met = !status;
    for (int rank = 1; rank < d->ranks && d->rank == 0 && !status; rank++)
        status = deal_give(&w, &order, rank);
    if (d->rank > 0 && !status)
        status = deal_take(&w);
    if (status && met)
        myr_ranks_lose(context);
    if (d->rank == 0 && !status) {
        w.n = order.begin[1];
        for (int64_t i = 0; i < w.n; i++) /* in the order that they had, so nothing is overwritten too early */
            migration_copy(&w, order.order[i], i);
    }
    deal_free(&order);
    free(w.out[0]);
    *n = w.n;
    return status;
}
