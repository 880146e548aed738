/* g6_memory.c - the j-particles of a cluster. */
#include "g6_memory.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_FIRST = 1024 };

static int *memory_chain(const g6_memory *m, int index)
{
    const uint32_t hash = (uint32_t)index * 2654435761u;
    return &m->chain[(hash ^ hash >> 16) & (uint32_t)(m->chains - 1)];
}

static void memory_link(g6_memory *m, int address)
{
    int *chain = memory_chain(m, m->particle[address].index);
    m->particle[address].next = *chain;
    *chain = address;
}

static void memory_unlink(g6_memory *m, int address)
{
    int *at = memory_chain(m, m->particle[address].index);
    while (*at != address)
        at = &m->particle[*at].next;
    *at = m->particle[address].next;
}

/* Twice as many chains as addresses; all particles are linked anew. */
static int memory_rehash(g6_memory *m)
{
    int chains = 2;
    while (chains < m->size)
        chains *= 2;
    int *chain = malloc((size_t)chains * sizeof *chain);
    if (!chain)
        return 0;
    free(m->chain);
    m->chain = chain;
    m->chains = chains;
    memset(chain, -1, (size_t)chains * sizeof *chain);
    for (int a = 0; a < m->size; a++)
        if (m->particle[a].written)
            memory_link(m, a);
    return 1;
}

/* Room for the addresses below `size`; 0 where there is none. */
static int memory_grow(g6_memory *m, int size)
{
    if (size <= m->size)
        return 1;
    int room = m->size + m->size / 2 < SIZE_FIRST ? SIZE_FIRST : m->size + m->size / 2;
    room = room < size ? size : room;
    int ok = 1;
    m->particle = grape_resize(m->particle, (size_t)room, sizeof *m->particle, &ok);
    m->stale = grape_resize(m->stale, (size_t)room, sizeof *m->stale, &ok);
    if (!ok)
        return 0;
    memset(m->particle + m->size, 0, (size_t)(room - m->size) * sizeof *m->particle);
    m->size = room;
    return memory_rehash(m);
}

int grape_memory_write(g6_memory *m, int address, const g6_particle *particle)
{
    if (!memory_grow(m, address + 1))
        return 0;
    g6_particle *p = &m->particle[address];
    const int listed = p->stale;
    if (p->written)
        memory_unlink(m, address);
    *p = *particle;
    p->written = p->stale = 1;
    memory_link(m, address);
    if (!listed)
        m->stale[m->stales++] = address;
    return 1;
}

void grape_memory_free(g6_memory *m)
{
    free(m->particle);
    free(m->chain);
    free(m->stale);
    myr_particles_destroy(&m->sources);
    *m = (g6_memory){0};
}

/* Components of the sources, to write to. */
typedef struct {
    double *x[3], *v[3], *mass;
} memory_columns;

static myr_status memory_columns_of(myr_particles *set, memory_columns *to)
{
    myr_status status = myr_particles_add_field(set, "position", 3);
    if (!status)
        status = myr_particles_add_field(set, "velocity", 3);
    if (!status)
        status = myr_particles_add_field(set, "mass", 1);
    for (int c = 0; c < 3 && !status; c++) {
        to->x[c] = myr_particles_component(set, "position", c);
        to->v[c] = myr_particles_component(set, "velocity", c);
    }
    if (!status)
        to->mass = myr_particles_component(set, "mass", 0);
    return status;
}

/* The predictor of GRAPE-6: a2by18 is snap/18, so that snap/24 = 3/4 and snap/6 = 3 of it. */
static void memory_predict_one(const g6_particle *p, double time, const memory_columns *to, int at)
{
    const double dt = time - p->t;
    for (int c = 0; c < 3; c++) {
        to->x[c][at] = p->x[c] + dt * (p->v[c] + dt * (p->aby2[c] + dt * (p->a1by6[c] + dt * 0.75 * p->a2by18[c])));
        to->v[c][at] = p->v[c] + dt * (2 * p->aby2[c] + dt * (3 * p->a1by6[c] + dt * 3 * p->a2by18[c]));
    }
    to->mass[at] = p->mass;
}

myr_status grape_memory_predict(g6_memory *m, grape_engine *e, int nj, double time)
{
    memory_columns to = {0};
    if (nj > 0 && !memory_grow(m, nj))
        return MYR_ERROR_MEMORY;
    const int whole = !m->predicted || m->time != time || myr_particles_count(m->sources) != nj;
    m->predicted = 0;
    myr_status status = grape_engine_size(e, &m->sources, nj);
    if (!status)
        status = memory_columns_of(m->sources, &to);
    if (status)
        return status;
    for (int a = 0; whole && a < nj; a++)
        memory_predict_one(&m->particle[a], time, &to, a);
    for (int k = 0; k < m->stales; k++) {
        const int a = m->stale[k];
        if (!whole && a < nj)
            memory_predict_one(&m->particle[a], time, &to, a);
        m->particle[a].stale = 0;
    }
    m->stales = 0;
    m->time = time;
    m->predicted = 1;
    return MYR_OK;
}

int grape_memory_find(const g6_memory *m, int index, int from, int nj)
{
    if (!m->chains)
        return -1;
    int a = from < 0 ? *memory_chain(m, index) : m->particle[from].next;
    while (a >= 0 && (m->particle[a].index != index || a >= nj))
        a = m->particle[a].next;
    return a;
}
