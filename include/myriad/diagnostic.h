/* diagnostic.h - diagnostics of a particle set: radii, centres, close pairs, binaries, escapers.
 *
 * All functions read "position" (3 components) and, where stated, "velocity" (3) and "mass"; they change nothing. Sums
 * run over the particles in a fixed order on one thread, so that results have the same bits with any number of threads.
 * Positions that are not finite are an error that names the particle. Boundaries are not periodic. The run time is O(n
 * log n), plus the size of the result. */
#ifndef MYRIAD_DIAGNOSTIC_H
#define MYRIAD_DIAGNOSTIC_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Centre of a particle set, and its motion. */
typedef struct {
    double position[3];
    double velocity[3]; /* zero if the set has no velocities */
    double mass;
    double dispersion[3]; /* velocity dispersion along each axis about `velocity`, weighted by mass */
} myr_centre;

/* Centre of mass. Reads mass, and velocity if the set has it. */
MYR_API myr_status myr_diagnostic_centre(const myr_particles *particles, myr_centre *centre);

/* Density centre of a particle set. */
typedef struct {
    double position[3];
    double density;     /* mean of the local densities, weighted by density */
    double core_radius; /* mean distance from `position`, weighted by density */
} myr_density_centre;

enum { MYR_DENSITY_NEIGHBOUR = 6, MYR_DENSITY_NEIGHBOUR_MAX = 64 };

/* Density centre and core radius of Casertano and Hut (1985, ApJ 298, 80). The local density of a particle is the mass
 * of its neighbours nearer than neighbour k (the paper's choice is k = MYR_DENSITY_NEIGHBOUR; at least 2) divided by
 * the volume of the sphere through neighbour k, which is unbiased; centre and radius are means weighted by that
 * density. Needs more than k particles. Reads mass. */
MYR_API myr_status myr_diagnostic_density_centre(const myr_particles *particles, int k, myr_density_centre *centre);

/* Lagrangian radii: radius[f] is the distance from `centre` (null = the centre of mass) of the particle at which the
 * mass, summed outwards, reaches fraction[f] (0 to 1) of the total; a relative tolerance of 1e-12 allows for rounding.
 * Reads mass, which must not be negative. */
MYR_API myr_status myr_diagnostic_lagrangian(const myr_particles *particles, const double centre[3], int fractions,
                                             const double *fraction, double *radius);

/* Pair of particles, first < second, as indices in the set (not ids). */
typedef struct {
    int64_t first, second;
    double distance;
} myr_close_pair;

/* Closest pair; among equally close pairs the one with the lowest first, then second. Needs two particles. */
MYR_API myr_status myr_diagnostic_closest_pair(const myr_particles *particles, myr_close_pair *pair);

/* All pairs nearer than `radius`, sorted by first, then second. *found receives their number; the first `room` pairs
 * are stored (room 0 and a null pointer: count only). */
MYR_API myr_status myr_diagnostic_pairs_within(const myr_particles *particles, double radius, int64_t room,
                                               myr_close_pair *pair, int64_t *found);

/* Two particles bound to each other, as an isolated two-body system. */
typedef struct {
    int64_t first, second; /* indices in the set, first < second */
    double distance;
    double semi_major_axis;
    double eccentricity;
    double binding_energy; /* G m1 m2 / (2 a), positive */
} myr_binary;

/* Binaries: particles that are mutual nearest neighbours and are bound by `gravity` (the constant G, without softening)
 * with a semi-major axis up to `largest` (INFINITY = any). Sorted and stored as in myr_diagnostic_pairs_within. Some
 * neighbours in a cluster are weakly bound by chance; `largest` or the binding energy separates these from true
 * binaries. Reads velocity and mass. */
MYR_API myr_status myr_diagnostic_binaries(const myr_particles *particles, double gravity, double largest, int64_t room,
                                           myr_binary *binary, int64_t *found);

/* Escaping particles. */
typedef struct {
    int64_t count;
    double mass;
    double energy; /* kinetic plus potential energy */
} myr_escapers;

/* Particles farther than `radius` from the centre with specific energy v^2/2 + potential above 0; v is relative to the
 * velocity of the centre. Reads velocity, mass and "potential" (per unit mass, as gravity_potential computes it). */
MYR_API myr_status myr_diagnostic_escapers(const myr_particles *particles, const double centre[3],
                                           const double velocity[3], double radius, myr_escapers *escapers);

/* Particles farther than `radius` from the centre, bound or not: in external fields those beyond the tidal radius
 * (myr_simulation_tidal_radius). Reads mass; the energy of the result is NaN. */
MYR_API myr_status myr_diagnostic_beyond(const myr_particles *particles, const double centre[3], double radius,
                                         myr_escapers *escapers);

/* Half-mass relaxation time 0.138 n r^(3/2) / (sqrt(G mass) ln(gamma n)) of n equal bodies (Spitzer 1987, eq. 2-63);
 * gamma = 0.11 is the value of Giersz and Heggie (1994). NaN if gamma n <= 1. */
MYR_API double myr_diagnostic_relaxation_time(int64_t n, double mass, double half_mass_radius, double gravity,
                                              double gamma);

MYR_END_DECLS

#endif
