/* near_tree.h - a binary tree of bodies that finds those near a place now or after a time.
 *
 * Nodes halve the bodies at the median of the longest axis, down to a few in a leaf. A node knows the bounds of
 * positions and velocities of its bodies, and thereby those of x + dt v for any dt. */
#ifndef GRAPE_NEAR_TREE_H
#define GRAPE_NEAR_TREE_H

typedef struct {
    double low[3], high[3];  /* bounds of positions */
    double slow[3], fast[3]; /* bounds of velocities */
    double mass;             /* the largest */
} near_node;

typedef struct {
    int n, levels, room, node_room;
    int sends;      /* since the bodies were divided; only bounds change between */
    int *body;      /* [n], numbers of bodies in the order of the leaves */
    double (*x)[3]; /* [n], in that order; v and m likewise */
    double (*v)[3];
    double *m;
    near_node *node; /* children of node k: 2k + 1, 2k + 2 */
} near_tree;

/* Takes n bodies. 0 if there is no memory. */
int grape_near_fill(near_tree *t, int n, const double m[], const double (*x)[3], const double (*v)[3]);

/* What is looked for: bodies with |r|^2 < h2 or |r + dt u|^2 < h2; h2 times the mass of the body if `by_mass`. */
typedef struct {
    double x[3], v[3], h2, dt;
    int by_mass;
} near_query;

/* Numbers of the bodies found, ascending, at most `most` of them; gives how many there are. */
int grape_near_find(const near_tree *t, const near_query *query, int most, int *found);

void grape_near_free(near_tree *t);

#endif
