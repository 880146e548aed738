/* motion.h - the bodies of the worker moved by Myriad, and their field at points. */
#ifndef AMUSE_MOTION_H
#define AMUSE_MOTION_H

#include "bodies.h"

enum { AMUSE_WORD = 64 };

/* Parameters of the code, as AMUSE's users set them. */
typedef struct {
    double eps2, begin_time;
    double eta;       /* of adaptive steps */
    double time_step; /* of fixed steps */
    double tolerance; /* of far fields */
    char integrator[AMUSE_WORD], method[AMUSE_WORD], accumulator[AMUSE_WORD], arithmetic[AMUSE_WORD],
        backend[AMUSE_WORD];
} amuse_parameters;

amuse_parameters amuse_parameters_default(void);

/* Energies of the bodies, in double. */
typedef struct {
    double kinetic, potential;
} amuse_energies;

/* Time of the bodies. */
double amuse_motion_time(void);

/* Starts anew at a time: what was computed is forgotten. */
void amuse_motion_reset(double time);

/* The functions below give 0, or -1 and print why. */

/* Makes the motion of the bodies as they are now. Without a change since the last time it goes on. */
int amuse_motion_commit(const amuse_parameters *p, amuse_bodies *bodies);

/* Moves the bodies to a time, or to the first step after which a stopping condition is met. */
int amuse_motion_evolve(const amuse_parameters *p, amuse_bodies *bodies, double end);

int amuse_motion_energies(const amuse_parameters *p, amuse_bodies *bodies, amuse_energies *energies);

/* Sees that all bodies have accelerations and potentials. */
int amuse_motion_fields(const amuse_parameters *p, amuse_bodies *bodies);

/* Points at which a field is wanted, each with its own softening eps (AMUSE's bridge gives that of the code). */
typedef struct {
    int n;
    const double *eps, *x, *y, *z; /* [n] each */
    double *acceleration[3];       /* [n] each; null = not needed */
    double *potential;
} amuse_points;
int amuse_motion_at(const amuse_parameters *p, const amuse_bodies *bodies, const amuse_points *points);

#endif
