/* diagnostic.h - what a set of particles looks like: radii, centres, close pairs, binaries, escapers.
 *
 * All functions read "position" (3 components) and, where they say so, "velocity" (3) and "mass"; nothing is changed.
 * Sums run over the particles in a fixed order on one thread: the same set gives the same bits on any number of
 * threads. Positions that are not finite are an error that names the particle. No boundary is periodic. The time is O(n
 * log n), besides what is found. */
#ifndef MYRIAD_DIAGNOSTIC_H
#define MYRIAD_DIAGNOSTIC_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Where a set has its centre, and how it moves. */
typedef struct {
    double position[3];
    double velocity[3]; /* zeros where there are no velocities */
    double mass;
    double dispersion[3]; /* of the velocities along each axis, about `velocity`, weighted by mass */
} myr_centre;

/* The centre of mass. Reads mass, and velocity where there is one. */
MYR_API myr_status myr_diagnostic_centre(const myr_particles *particles, myr_centre *centre);

/* Where a set is densest. */
typedef struct {
    double position[3];
    double density;     /* mean of the particles' densities, weighted by them */
    double core_radius; /* mean distance from `position`, weighted by density */
} myr_density_centre;

enum { MYR_DENSITY_NEIGHBOUR = 6, MYR_DENSITY_NEIGHBOUR_MAX = 64 };

/* The density centre and the core radius of Casertano and Hut (1985, ApJ 298, 80): the density at a particle is the
 * mass of its neighbours nearer than neighbour k (k = MYR_DENSITY_NEIGHBOUR there; at least 2) in the sphere through
 * that one, which has no bias; centre and radius are means weighted by it. Needs more than k particles. Reads mass. */
MYR_API myr_status myr_diagnostic_density_centre(const myr_particles *particles, int k, myr_density_centre *centre);

/* Lagrangian radii: radius[f] is the distance from `centre` (null = the centre of mass) of the particle with which the
 * mass, counted outwards, reaches fraction[f] (0 to 1) of all; 1e-12 of all mass is forgiven for rounding. Reads mass,
 * which must not be negative. */
MYR_API myr_status myr_diagnostic_lagrangian(const myr_particles *particles, const double centre[3], int fractions,
                                             const double *fraction, double *radius);

/* Two particles, first < second, as positions in the set (not ids). */
typedef struct {
    int64_t first, second;
    double distance;
} myr_close_pair;

/* The closest pair; of equally close ones that with the lowest first, then second. Needs two particles. */
MYR_API myr_status myr_diagnostic_closest_pair(const myr_particles *particles, myr_close_pair *pair);

/* All pairs nearer than `radius`, by first, then second. *found is how many there are; the first `room` of them are
 * stored (room 0 and a null pointer: count only). */
MYR_API myr_status myr_diagnostic_pairs_within(const myr_particles *particles, double radius, int64_t room,
                                               myr_close_pair *pair, int64_t *found);

/* Two particles that orbit each other, as if they were alone. */
typedef struct {
    int64_t first, second; /* positions in the set, first < second */
    double distance;
    double semi_major_axis;
    double eccentricity;
    double binding_energy; /* G m1 m2 / (2 a), positive */
} myr_binary;

/* The binaries: particles that are each other's nearest neighbour and whose attraction by `gravity` (the constant G,
 * without softening) binds them with a semi-major axis up to `largest` (INFINITY = any). Ordered and stored like pairs.
 * By chance some neighbours in a cluster are weakly bound; `largest`, or the binding energy, tells them from others.
 * Reads velocity and mass. */
MYR_API myr_status myr_diagnostic_binaries(const myr_particles *particles, double gravity, double largest, int64_t room,
                                           myr_binary *binary, int64_t *found);

/* Who leaves. */
typedef struct {
    int64_t count;
    double mass;
    double energy; /* of motion and potential, together */
} myr_escapers;

/* Particles farther than `radius` from the centre whose specific energy v^2/2 + potential is above 0; v is counted from
 * the centre's velocity. Reads velocity, mass and "potential" (per unit mass, as gravity_potential gives it). */
MYR_API myr_status myr_diagnostic_escapers(const myr_particles *particles, const double centre[3],
                                           const double velocity[3], double radius, myr_escapers *escapers);

/* The half-mass relaxation time 0.138 n r^(3/2) / (sqrt(G mass) ln(gamma n)) of Spitzer (1987, eq. 2-63) of n equal
 * bodies; gamma = 0.11 is that of Giersz and Heggie (1994). NaN where gamma n <= 1. */
MYR_API double myr_diagnostic_relaxation_time(int64_t n, double mass, double half_mass_radius, double gravity,
                                              double gamma);

MYR_END_DECLS

#endif
