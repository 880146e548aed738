/* orbit.h - two-body problem: position and velocity from Keplerian elements. */
#ifndef MYR_MODEL_ORBIT_H
#define MYR_MODEL_ORBIT_H

/* Elements of an elliptic orbit; angles in radians. */
typedef struct {
    double a, e;
    double inclination, node, pericentre; /* pericentre: angle from the ascending node */
    double anomaly;                       /* mean anomaly */
} myr_orbit;

/* Rotates a vector by pericentre about z, inclination about x, node about z. */
void myr_orbit_turn(double inclination, double node, double pericentre, double vector[3]);

/* Position and velocity of the second body relative to the first; mu = G (m1 + m2), 0 <= e < 1. */
void myr_orbit_place(const myr_orbit *orbit, double mu, double position[3], double velocity[3]);

/* Splits a relative vector into displacements of two bodies from their centre of mass. */
void myr_orbit_share(double m1, double m2, const double relative[3], double first[3], double second[3]);

#endif
