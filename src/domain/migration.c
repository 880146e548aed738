/* migration.c - transfer of particles to the domains that own them. */
#include "domain/migration.h"

#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

/* SPREAD_ONCE: largest number of particles per message */
enum { MIGRATION_TAG = 64, SPREAD_TAG = 66, SPREAD_ONCE = 1 << 13 };

typedef struct {
    myr_context *context;
    const myr_decomposition *d;
    const myr_migrants *m;
    int64_t n, came;
    size_t bytes;         /* bytes per particle, all arrays together */
    char *out[2], *in[2]; /* buffers: [0] towards higher coordinates, [1] towards lower */
    size_t out_room[2], in_room[2];
} migration;

static uint64_t migration_coordinate(const migration *w, int axis, int64_t i)
{
    return (*(uint64_t *const *)w->m->part[axis].array)[i];
}

/* Number of slabs between a particle and its owner along an axis, the shorter way around the box; positive towards
 * higher coordinates. */
static int migration_steps(const migration *w, int axis, int64_t i)
{
    const int count = w->d->count[axis], at = w->d->at[axis];
    const uint64_t q = migration_coordinate(w, axis, i), lower = w->d->plane[axis][at];
    /* nearly always true: the particle is still in its slab */
    if (count == 1 || q - lower < w->d->plane[axis][at + 1] - lower)
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

/* Removes the particles that must move along an axis from the arrays and packs them by direction. */
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
        migration_copy(w, --w->n, i); /* the last particle fills the gap, and is examined next */
    }
    return MYR_OK;
}

/* Exchanges one message with each neighbour along an axis. */
static myr_status migration_exchange(migration *w, int axis, void *const out[2], const size_t sent[2],
                                     void *const in[2], const size_t received[2])
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

/* Moves all leaving particles one slab along an axis. */
static myr_status migration_hop(migration *w, int axis)
{
    int64_t leaving[2], arriving[2];
    size_t sent[2], received[2];
    const size_t count[2] = {sizeof *leaving, sizeof *leaving};
    myr_status status = migration_leave(w, axis, leaving);
    if (!status)
        status = migration_exchange(w, axis, (void *[2]){leaving, leaving + 1}, count,
                                    (void *[2]){arriving, arriving + 1}, count);
    for (int k = 0; k < 2 && !status; k++) {
        sent[k] = (size_t)leaving[k] * w->bytes;
        received[k] = (size_t)arriving[k] * w->bytes;
        status = migration_reserve(w, &w->in[k], &w->in_room[k], received[k]);
    }
    if (!status)
        status = migration_exchange(w, axis, (void *[2]){w->out[0], w->out[1]}, sent, (void *[2]){w->in[0], w->in[1]},
                                    received);
    return status ? status : migration_arrive(w, arriving);
}

/* Largest number of hops along each axis over all ranks. */
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
        myr_ranks_lose(context); /* other ranks wait for messages that this rank cannot send any more */
    for (int k = 0; k < 2; k++) {
        free(w.out[k]);
        free(w.in[k]);
    }
    *n = w.n;
    *moved = w.came;
    return status;
}

/* --- initial distribution ----------------------------------------------------------------------------------------- */

/* Particles in the order of departure: those for the next rank of the ring first, then for the one after, and so on;
 * then those that stay. Arriving particles fill the places of departed ones. */
typedef struct {
    int64_t *sent, *received; /* [ranks], number of particles to and from each rank */
    int64_t *order;
    /* left: number of departed particles, the first entries of `order`; filled: number of their places filled again */
    int64_t left, filled;
    int64_t end; /* length of the arrays in use */
} spread_state;

static void spread_free(migration *w, spread_state *s)
{
    free(s->sent);
    free(s->received);
    free(s->order);
    free(w->out[0]);
    free(w->in[0]);
}

/* Rank `step` places further around the ring; a negative step goes back. */
static int spread_rank(const migration *w, int step)
{
    const int ranks = myr_ranks_count(w->context);
    return (myr_ranks_me(w->context) + ranks + step) % ranks;
}

static myr_status spread_sort(migration *w, spread_state *s, const int32_t *owner)
{
    const int ranks = myr_ranks_count(w->context);
    int64_t *at = malloc((size_t)ranks * sizeof *at), sum = 0;
    s->sent = calloc((size_t)ranks, sizeof *s->sent);
    s->received = calloc((size_t)ranks, sizeof *s->received);
    s->order = malloc((size_t)(w->n + 1) * sizeof *s->order);
    w->out[0] = malloc(SPREAD_ONCE * w->bytes + 1);
    w->in[0] = malloc(SPREAD_ONCE * w->bytes + 1);
    const int good = at && s->sent && s->received && s->order && w->out[0] && w->in[0];
    for (int64_t i = 0; good && i < w->n; i++)
        s->sent[owner[i]]++;
    for (int step = 1; good && step < ranks; step++) {
        at[spread_rank(w, step)] = sum;
        sum += s->sent[spread_rank(w, step)];
    }
    for (int64_t i = 0; good && i < w->n; i++)
        if (owner[i] != myr_ranks_me(w->context))
            s->order[at[owner[i]]++] = i;
    free(at);
    return good ? MYR_OK
                : myr_context_fail(w->context, MYR_ERROR_MEMORY, "no memory to divide %lld particles", (long long)w->n);
}

static int64_t spread_piece(int64_t count, int64_t done)
{
    return done >= count ? 0 : count - done < SPREAD_ONCE ? count - done : SPREAD_ONCE;
}

/* Largest number of additional array elements needed during the exchange. */
static int64_t spread_longest(const migration *w, const spread_state *s)
{
    int64_t come = 0, longest = 0;
    for (int step = 1; step < myr_ranks_count(w->context); step++) {
        const int64_t sent = s->sent[spread_rank(w, step)], received = s->received[spread_rank(w, -step)];
        for (int64_t done = 0; done < sent || done < received; done += SPREAD_ONCE) {
            come += spread_piece(received, done) - spread_piece(sent, done);
            longest = come > longest ? come : longest;
        }
    }
    return longest;
}

static myr_status spread_exchange(migration *w, spread_state *s, int step)
{
    myr_status status = MYR_OK;
    const int64_t sent = s->sent[spread_rank(w, step)], received = s->received[spread_rank(w, -step)];
    for (int64_t done = 0; !status && (done < sent || done < received); done += SPREAD_ONCE) {
        const int64_t go = spread_piece(sent, done), come = spread_piece(received, done);
        for (int64_t i = 0; i < go; i++)
            migration_pack(w, s->order[s->left++], w->out[0] + (size_t)i * w->bytes);
        status = myr_ranks_turn(w->context, step, SPREAD_TAG, w->out[0], (size_t)go * w->bytes, w->in[0],
                                (size_t)come * w->bytes);
        for (int64_t i = 0; i < come && !status; i++)
            migration_unpack(w, w->in[0] + (size_t)i * w->bytes,
                             s->filled < s->left ? s->order[s->filled++] : s->end++);
        w->came += come;
    }
    return status;
}

/* Moves the last particles into the places that remain empty. */
static void spread_compact(migration *w, spread_state *s, int32_t *owner)
{
    const int64_t before = w->n;
    for (int64_t k = s->filled; k < s->left; k++)
        owner[s->order[k]] = -1;
    for (int64_t k = s->filled; k < s->left; k++) {
        while (s->end > 0 && s->end <= before && owner[s->end - 1] < 0)
            s->end--;
        if (s->order[k] >= s->end)
            continue;
        migration_copy(w, --s->end, s->order[k]);
        owner[s->order[k]] = 0;
    }
}

myr_status myr_migration_spread(myr_context *context, const myr_migrants *migrants, int32_t *owner, int64_t *n)
{
    migration w = {.context = context, .m = migrants, .n = *n};
    spread_state s = {.end = *n};
    for (int k = 0; k < migrants->parts; k++)
        w.bytes += migrants->part[k].bytes;
    myr_status status = myr_ranks_agree(context, spread_sort(&w, &s, owner));
    if (!status)
        status = myr_ranks_swap(context, s.sent, s.received);
    const int ranks = myr_ranks_count(context), met = !status;
    if (!status)
        status = migrants->reserve(migrants->user, w.n, w.n + spread_longest(&w, &s));
    for (int step = 1; step < ranks && !status; step++)
        status = spread_exchange(&w, &s, step);
    if (!status)
        spread_compact(&w, &s, owner);
    else if (met)
        myr_ranks_lose(context); /* other ranks wait for messages that this rank cannot send any more */
    spread_free(&w, &s);
    *n = s.end;
    return status;
}
