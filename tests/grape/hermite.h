/* hermite.h - a star cluster code of the GRAPE-6 kind: Hermite scheme, block time steps, forces from g6 calls only. */
#ifndef TEST_GRAPE_HERMITE_H
#define TEST_GRAPE_HERMITE_H

typedef struct {
    int n;
    double eps2, eta, dt_max;
    double (*x)[3], (*v)[3], *m;
    int cluster;
    long blocks, steps; /* block steps, and steps of single stars */
} hermite_cluster;

/* Moves the stars from time 0 to `end`, a multiple of dt_max. Gives the return code of the first call that failed, or
 * 0. */
int hermite_move(hermite_cluster *c, double end);

#endif
