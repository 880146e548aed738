/* king.h - structure of King's models, in units with core radius r0 = 1, velocity parameter sigma = 1, G = 1. */
#ifndef MYR_MODEL_KING_H
#define MYR_MODEL_KING_H

enum { MYR_KING_STEPS = 4096 };

/* Profile from the centre (index 0, W = W0) to the edge (W = 0) in equal steps of the potential W. */
typedef struct {
    double W0;
    double r2[MYR_KING_STEPS + 1];   /* squared radius */
    double mass[MYR_KING_STEPS + 1]; /* mass inside that radius */
    double virial_radius;            /* G M^2 / (2 |potential energy|) */
} myr_king_profile;

/* Integrates the model from the centre to the edge. */
void myr_king_solve(double W0, myr_king_profile *king);

#endif
