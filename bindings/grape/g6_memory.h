/* g6_memory.h - the j-particles of a cluster: what was written, where it is predicted to be, who has which index. */
#ifndef G6_MEMORY_H
#define G6_MEMORY_H

#include "engine.h"

/* A j-particle as it was written. Addresses that nobody wrote have no mass. */
typedef struct {
    double t, mass;
    double x[3], v[3], aby2[3], a1by6[3], a2by18[3];
    int index;
    int written; /* and therefore in the chain of its index */
    int next;    /* address of the next particle whose index has the same hash; -1 ends the chain */
    int stale;   /* changed since it was predicted; listed once */
} g6_particle;

typedef struct {
    g6_particle *particle;
    int size;
    int *chain; /* first addresses by hash of the index; `chains` of them, a power of two */
    int chains;

    myr_particles *sources; /* the first `count` addresses, predicted to `time` */
    double time;
    int predicted; /* whether they are, but for the stale ones */
    int *stale;    /* addresses that have changed since, `stales` of them, room for `size` */
    int stales;
} g6_memory;

/* Writes a particle; 0 where there is no memory. */
int grape_memory_write(g6_memory *m, int address, const g6_particle *particle);

/* Frees everything. */
void grape_memory_free(g6_memory *m);

/* Predicts the first nj addresses to a time: all of them, or those that have changed where the rest is there already.
 */
myr_status grape_memory_predict(g6_memory *m, grape_engine *e, int nj, double time);

/* Address of the first particle with that index from `from` on (-1: the first) and below nj, in no order; -1 ends. */
int grape_memory_find(const g6_memory *m, int index, int from, int nj);

#endif
