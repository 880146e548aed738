/* g6_neighbours.h - who is near a target: the nearest j-particle, and all within a radius. */
#ifndef G6_NEIGHBOURS_H
#define G6_NEIGHBOURS_H

#include "g6_memory.h"

typedef struct {
    double x[3], v[3], eps2, h2;
    int index;
} g6_target;

/* A neighbour of a target of a block. */
typedef struct {
    int target, index;
} g6_hit;

typedef struct {
    int known;       /* whether the lists belong to the last evaluation */
    int64_t *offset; /* [targets + 1] */
    int *index;      /* of the neighbours of target i: offset[i] to offset[i + 1] */
    g6_hit *hit;     /* for a block of targets, before they are sorted by target */
    int64_t hit_room;
} g6_neighbours;

/* The indices of the nearest of the first nj predicted particles, another than the target; -1 where there is none. */
void grape_neighbours_nearest(const g6_memory *memory, int nj, int ni, const g6_target *target, int *nearest);

/* Lists the particles within each target's radius; 0 where there is no memory. */
int grape_neighbours_find(g6_neighbours *list, const g6_memory *memory, int nj, int ni, const g6_target *target);

/* Frees the lists. */
void grape_neighbours_free(g6_neighbours *list);

#endif
