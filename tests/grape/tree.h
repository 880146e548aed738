/* tree.h - a tree code of the GRAPE-5 kind: one list of interactions per group of bodies (Barnes 1990), summed by g5
 * calls only. */
#ifndef TEST_GRAPE_TREE_H
#define TEST_GRAPE_TREE_H

typedef struct {
    int n;
    double (*x)[3], *m;
    double eps, theta;
    int group;         /* bodies of a group at most */
    double (*a)[3];    /* results */
    double *potential; /* negative, of the other bodies */
    long pairs;        /* length of lists, over all targets */
} tree_bodies;

/* Accelerations and potentials of all bodies; 0, or -1 where there is no memory. */
int tree_forces(tree_bodies *b);

#endif
