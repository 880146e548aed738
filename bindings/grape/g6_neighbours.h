/* g6_neighbours.h - who is near a target: the nearest j-particle, and all within a radius. */
#ifndef G6_NEIGHBOURS_H
#define G6_NEIGHBOURS_H

#include "g6_memory.h"

typedef struct {
    double x[3], v[3], eps2, h2;
    int index;
} g6_target;

typedef struct {
    int known;       /* whether the lists belong to the last evaluation */
    int64_t *offset; /* [targets + 1] */
    int *index;      /* of the neighbours of target i: offset[i] to offset[i + 1] */
    int64_t room;    /* of `index` */
} g6_neighbours;

/* The index of the nearest of the first nj predicted particles whose index is another; -1 where there is none. */
int g6_nearest(const g6_memory *memory, int nj, const g6_target *target);

/* Lists the particles within each target's radius; 0 where there is no memory. */
int g6_neighbours_find(g6_neighbours *list, const g6_memory *memory, int nj, int ni, const g6_target *target);

/* Frees the lists. */
void g6_neighbours_free(g6_neighbours *list);

#endif
