/* flow.h - incompressible flow: what a velocity field on a periodic mesh looks like.
 *
 * All functions read "position", which must be the points of a cubic mesh (as the models taylor_green and
 * isotropic_turbulence make it), and "velocity". The mesh is periodic: its period is its number of
 * points per axis times their distance. The functions need a build with FFTW and give MYR_ERROR_UNAVAILABLE without it.
 * Mean values are per unit mass. */
#ifndef MYRIAD_FLOW_H
#define MYRIAD_FLOW_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* A flow in numbers. Those that need a viscosity are NaN without one. */
typedef struct {
    double kinetic;        /* K = mean of u^2/2 */
    double enstrophy;      /* mean of w^2/2, w the vorticity */
    double dissipation;    /* 2 viscosity enstrophy */
    double helicity;       /* mean of u.w */
    double speed;          /* u' = sqrt(2 K/3) */
    double integral_scale; /* L = pi/(2 u'^2) integral of E(k)/k (paper 004 eq. 40) */
    double taylor_scale;   /* sqrt(15 viscosity/dissipation) u' */
    double turnover_time;  /* T = L/u' (eq. 41) */
    double reynolds;       /* Re_lambda = u' taylor_scale/viscosity */
    double kolmogorov;     /* (viscosity^3/dissipation)^(1/4) */
    double resolution;     /* largest wave number times kolmogorov: 1 or more where the mesh resolves the flow */
    double skewness;       /* of the derivatives of a component along its own axis, mean of the three */
    double divergence;     /* root mean square */
} myr_flow;

/* 1 where the build has FFTW. */
MYR_API int myr_flow_available(void);

/* Measures a flow; viscosity 0 = none. */
MYR_API myr_status myr_flow_measure(const myr_particles *particles, double viscosity, myr_flow *flow);

/* Vortex elements in numbers: integrals over all space of the vorticity w of Gaussian elements, per density. Position,
 * strength and core are read, and velocity, without which `kinetic` and `helicity` are NaN. */
typedef struct {
    double vorticity[3]; /* of w: sum of the strengths; stays 0 for closed vortex lines */
    double impulse[3];   /* linear: half of x x w */
    double angular[3];   /* angular: a third of x x (x x w) */
    double centroid[3]; /* of the part of the impulse along its direction: of a ring, its middle; NaN without impulse */
    double kinetic;     /* u.(x x w): the kinetic energy, of a fluid at rest far away */
    double helicity;    /* u.w */
    double strength;    /* sum of the sizes of the strengths */
} myr_vortices;
MYR_API myr_status myr_flow_vortices(const myr_particles *particles, myr_vortices *vortices);

/* Reads a velocity or a vorticity on a periodic cubic mesh from an HDF5 file: points with "position", x fastest, and
 * "velocity" or "vorticity". Arrays are [z][y][x][3], [3][z][y][x], or three of [z][y][x]; velocity or vorticity names
 * them, one or three with spaces between, or both are null: then they are found by their usual names, at the top of the
 * file or as point data of VTK's image data (VTKHDF). edge: of the mesh, about the origin; 0 = as image data says, or
 * 2 pi. */
MYR_API myr_status myr_flow_read(myr_context *context, const char *path, const char *velocity, const char *vorticity,
                                 double edge, myr_particles **points);

/* The start of a flow from points of a periodic mesh, in any order, that have its "velocity", or else its "vorticity":
 * the same points, x fastest, with "velocity" (the mean is 0 where it comes from a vorticity), "mass" (1 in all), and
 * the vortex elements of the flow ("strength", "core" = overlap times the spacing, "volume"). */
MYR_API myr_status myr_flow_start(const myr_particles *points, double overlap, myr_particles **started);

/* The velocity field of vortex elements in a periodic cube, on a mesh that all functions of this header take: from the
 * Fourier transform of the sum of their Gaussians, which is exact. corner: the lowest one of the cube; side: points of
 * the mesh per axis, an even number, or 0 for about as many points as there are elements. Waves with |k| < side/2 along
 * each axis are kept. The mesh is the caller's. */
MYR_API myr_status myr_flow_of_elements(const myr_particles *elements, double edge, const double corner[3],
                                        int64_t side, myr_particles **mesh);

/* Adds the fields "vorticity" (3 components) and "second_invariant", II = sum over i, j of du_i/dx_j du_j/dx_i, or
 * brings them up to date with the velocities. */
MYR_API myr_status myr_flow_derive(myr_particles *particles);

/* The energy spectrum: shell s holds the waves whose number, in units of the longest wave's, rounds to s + 1; wave[s]
 * is that wave number and energy[s] is E(k), so that the sum over the shells times the longest wave's number is K less
 * that of the mean velocity. *shells is how many there are; the first `room` are stored. */
MYR_API myr_status myr_flow_spectrum(const myr_particles *particles, int64_t room, double *wave, double *energy,
                                     int64_t *shells);

MYR_END_DECLS

#endif
