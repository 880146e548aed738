/* domains.h - the domains of a divided box as threads of one process: they meet at a barrier, and look into each
 * other's memory. Who is where is found by trying everyone. */
#ifndef MYR_TEST_DOMAINS_H
#define MYR_TEST_DOMAINS_H

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

enum { TEAM_MOST = 8, TEAM_VALUES = MYR_SHORT_RANGE_SIZES };

typedef struct {
    int count, parts[3];
    int drifting; /* planes move a little with every list */
    pthread_barrier_t barrier;
    struct domain *member[TEAM_MOST];
    double value[TEAM_MOST][TEAM_VALUES];
    myr_wide sum[TEAM_MOST][TEAM_VALUES];
    /* largest values in two parts, of two rounds in turn: nobody is two ahead of another */
    pthread_mutex_t lock;
    double most[2][TEAM_VALUES];
    int64_t said[2];
} team;

/* A particle of the halo: whose it is, and where there. */
typedef struct {
    int owner;
    int64_t at;
} original;

typedef struct domain {
    team *team;
    int rank;
    myr_molecular *m;
    uint64_t *sent[3]; /* own coordinates as they were sent */
    original *halo;
    int64_t came; /* particles that came from others */
    int64_t rounds, patience;
    int64_t lists;
} domain;

/* Nobody goes on without the others. */
static inline void domain_meet(const domain *d)
{
    pthread_barrier_wait(&d->team->barrier);
}

static inline void *domain_memory(void *old, size_t bytes)
{
    void *made = realloc(old, bytes + 1);
    if (!made)
        abort();
    return made;
}

static inline myr_status domain_largest(void *user, double *value, int count)
{
    const domain *d = user;
    memcpy(d->team->value[d->rank], value, (size_t)count * sizeof *value);
    domain_meet(d);
    for (int r = 0; r < d->team->count; r++)
        for (int k = 0; k < count; k++)
            value[k] = d->team->value[r][k] > value[k] ? d->team->value[r][k] : value[k];
    domain_meet(d);
    return MYR_OK;
}

static inline myr_status domain_largest_begin(void *user, const double *value, int count)
{
    domain *d = user;
    team *t = d->team;
    const int64_t round = d->rounds++;
    double *most = t->most[round % 2];
    pthread_mutex_lock(&t->lock);
    const int is_first = t->said[round % 2] == round / 2 * t->count;
    for (int k = 0; k < count; k++)
        most[k] = is_first || value[k] > most[k] ? value[k] : most[k];
    t->said[round % 2]++;
    pthread_mutex_unlock(&t->lock);
    d->patience = round % 3; /* looks until the answer comes, if it is there */
    return MYR_OK;
}

static inline myr_status domain_largest_end(void *user, int wait, double *value, int count, int *done)
{
    domain *d = user;
    team *t = d->team;
    const int64_t round = d->rounds - 1;
    *done = 0;
    if (!wait && d->patience-- > 0)
        return MYR_OK;
    do {
        pthread_mutex_lock(&t->lock);
        *done = t->said[round % 2] == (round / 2 + 1) * t->count;
        for (int k = 0; k < count && *done; k++)
            value[k] = t->most[round % 2][k];
        pthread_mutex_unlock(&t->lock);
        if (wait && !*done)
            sched_yield();
    } while (wait && !*done);
    return MYR_OK;
}

static inline myr_status domain_add(void *user, myr_wide *sum, int count)
{
    if (count > TEAM_VALUES)
        return MYR_ERROR_ARGUMENT;
    const domain *d = user;
    memcpy(d->team->sum[d->rank], sum, (size_t)count * sizeof *sum);
    domain_meet(d);
    for (int r = 0; r < d->team->count; r++)
        for (int k = 0; k < count; k++)
            sum[k] += r == d->rank ? 0 : d->team->sum[r][k];
    domain_meet(d);
    return MYR_OK;
}

/* Where along an axis slab `part` begins: planes are not equally far from each other, and the first is not at 0. */
static inline uint64_t domain_plane(const domain *d, int axis, int part)
{
    const int parts = d->team->parts[axis];
    const double moved = d->team->drifting ? 0.01 * (double)(d->lists % 7) : 0;
    const double bend = part % parts == 0 ? 0 : 0.1 / parts;
    return (uint64_t)(0x1p64 * (0.02 + 0.9 * ((double)(part % parts) / parts + bend) + moved));
}

/* How far a coordinate is from a domain along an axis; 0 = inside. */
static inline double domain_apart(const domain *d, int rank, int axis, uint64_t q)
{
    const int *parts = d->team->parts;
    const int part = axis == 0   ? rank % parts[0]
                     : axis == 1 ? rank / parts[0] % parts[1]
                                 : rank / (parts[0] * parts[1]);
    if (parts[axis] == 1)
        return 0;
    const uint64_t low = domain_plane(d, axis, part), size = domain_plane(d, axis, part + 1) - low, above = q - low;
    if (above < size)
        return 0;
    const uint64_t up = above - size + 1, down = 0 - above;
    return (double)(up < down ? up : down) * (d->m->box.length[axis] * 0x1p-64);
}

static inline int domain_has(const domain *d, int rank, uint64_t *const q[3], int64_t i, double width)
{
    for (int c = 0; c < 3; c++) {
        const double apart = domain_apart(d, rank, c, q[c][i]);
        if (apart > 0 && apart >= width)
            return 0;
    }
    return 1;
}

/* Looks for everyone in the memory of all. */
static inline myr_status domain_migrate(void *user, myr_molecular *m)
{
    domain *d = user;
    myr_molecular_field field[MYR_MOLECULAR_FIELDS], theirs[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    char *found[MYR_MOLECULAR_FIELDS] = {0};
    int64_t n = 0;
    d->lists++;
    domain_meet(d);
    for (int k = 0; k < fields; k++)
        found[k] = domain_memory(NULL, (size_t)m->all * field[k].bytes);
    for (int r = 0; r < d->team->count; r++) {
        myr_molecular *other = d->team->member[r]->m;
        myr_molecular_fields(other, theirs);
        for (int64_t i = 0; i < other->n; i++) {
            if (!domain_has(d, d->rank, other->q, i, 0))
                continue;
            for (int k = 0; k < fields; k++)
                memcpy(found[k] + (size_t)n * field[k].bytes, (char *)*theirs[k].array + (size_t)i * field[k].bytes,
                       field[k].bytes);
            d->came += r != d->rank;
            n++;
        }
    }
    domain_meet(d);
    const myr_status status = myr_molecular_reserve(m, n);
    for (int k = 0; k < fields; k++) {
        if (!status && field[k].stays)
            memcpy(*field[k].array, found[k], (size_t)n * field[k].bytes);
        else if (!status) /* what does not stay must not be missed */
            memset(*field[k].array, 0xa5, (size_t)n * field[k].bytes);
        free(found[k]);
    }
    m->n = n;
    return status;
}

static inline myr_status domain_surround(void *user, myr_molecular *m, double width)
{
    domain *d = user;
    int64_t h = 0;
    domain_meet(d);
    d->halo = domain_memory(d->halo, (size_t)m->all * sizeof *d->halo);
    for (int r = d->team->count - 1; r >= 0; r--) {
        const myr_molecular *other = d->team->member[r]->m;
        for (int64_t i = 0; r != d->rank && i < other->n; i++)
            if (domain_has(d, d->rank, other->q, i, width))
                d->halo[h++] = (original){r, i};
    }
    domain_meet(d);
    const myr_status status = myr_molecular_reserve(m, m->n + h);
    domain_meet(d);
    for (int64_t i = 0; !status && i < h; i++) {
        const myr_molecular *other = d->team->member[d->halo[i].owner]->m;
        for (int c = 0; c < 3; c++)
            m->q[c][m->n + i] = other->q[c][d->halo[i].at];
        m->type[m->n + i] = other->type[d->halo[i].at];
        m->id[m->n + i] = other->id[d->halo[i].at];
    }
    domain_meet(d);
    m->halo = h;
    return status;
}

static inline myr_status domain_send(void *user, myr_molecular *m)
{
    domain *d = user;
    for (int c = 0; c < 3; c++) {
        d->sent[c] = domain_memory(d->sent[c], (size_t)m->n * sizeof *d->sent[c]);
        memcpy(d->sent[c], m->q[c], (size_t)m->n * sizeof *d->sent[c]);
        memset(m->q[c] + m->n, 0, (size_t)m->halo * sizeof *m->q[c]); /* nobody may look until they have come */
    }
    return MYR_OK;
}

static inline myr_status domain_receive(void *user, myr_molecular *m)
{
    const domain *d = user;
    domain_meet(d);
    for (int64_t i = 0; i < m->halo; i++)
        for (int c = 0; c < 3; c++)
            m->q[c][m->n + i] = d->team->member[d->halo[i].owner]->sent[c][d->halo[i].at];
    domain_meet(d);
    return MYR_OK;
}

/* Becomes one of the team: with a part of the rows, wherever they are. */
static inline myr_status domain_join(domain *d)
{
    const myr_molecular_links links = {
        .user = d,
        .agreement = {d, domain_largest, domain_add, domain_largest_begin, domain_largest_end},
        .migrate = domain_migrate,
        .surround = domain_surround,
        .send = domain_send,
        .receive = domain_receive,
    };
    myr_molecular_keep(d->m, d->m->all * d->rank / d->team->count, d->m->all * (d->rank + 1) / d->team->count);
    d->team->member[d->rank] = d;
    domain_meet(d);
    return myr_molecular_divide(d->m, &links);
}

static inline void domain_leave(domain *d)
{
    for (int c = 0; c < 3; c++)
        free(d->sent[c]);
    free(d->halo);
}

#endif
