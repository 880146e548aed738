/* flow.h - incompressible flow: statistics of a velocity field on a periodic mesh.
 *
 * All functions read "position", which must be the points of a cubic mesh (as made by the models taylor_green and
 * isotropic_turbulence), and "velocity". The mesh is periodic with a period of points per axis times spacing. The
 * functions need a build with FFTW and otherwise return MYR_ERROR_UNAVAILABLE. Mean values are per unit mass. */
#ifndef MYRIAD_FLOW_H
#define MYRIAD_FLOW_H

#include <stdint.h>

#include <myriad/particles.h>

MYR_BEGIN_DECLS

/* Statistics of a flow. Values that depend on the viscosity are NaN without one. */
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
    double resolution;     /* largest wave number times kolmogorov; at least 1 if the mesh resolves the flow */
    double skewness;       /* skewness of the longitudinal velocity derivatives, mean of the three components */
    double divergence;     /* root mean square of the divergence */
} myr_flow;

/* 1 if the build has FFTW. */
MYR_API int myr_flow_available(void);

/* Measures a flow; viscosity 0 = inviscid. */
MYR_API myr_status myr_flow_measure(const myr_particles *particles, double viscosity, myr_flow *flow);

/* Integral quantities of vortex elements: integrals over all space, per density, with w the vorticity of the Gaussian
 * elements. Reads position, strength and core, and velocity, without which `kinetic` and `helicity` are NaN. */
typedef struct {
    double vorticity[3]; /* integral of w, the sum of the strengths; 0 for closed vortex lines */
    double impulse[3];   /* linear impulse: integral of x x w / 2 */
    double angular[3];   /* angular impulse: integral of x x (x x w) / 3 */
    double centroid[3];  /* centroid of the impulse along its direction, for a ring its centre; NaN without impulse */
    /* sum of u.(x x strength): the kinetic energy of a fluid at rest at infinity, if cores are thin;
     * myr_simulation_conserved has it for any cores */
    double kinetic;
    double helicity; /* integral of u.w */
    double strength; /* sum of |strength| */
} myr_vortices;
MYR_API myr_status myr_flow_vortices(const myr_particles *particles, myr_vortices *vortices);

/* Reads a velocity or a vorticity on a periodic cubic mesh from an HDF5 file: particles with "position", x fastest, and
 * "velocity" or "vorticity". Arrays are [z][y][x][3], [3][z][y][x], or three arrays [z][y][x]. `velocity` or
 * `vorticity` names the arrays, one name or three separated by spaces; if both are null, the arrays are found by their
 * usual names, at the top of the file or as point data of VTK image data (VTKHDF). edge: edge of the mesh, centred on
 * the origin; 0 = from the image data, or 2 pi. */
MYR_API myr_status myr_flow_read(myr_context *context, const char *path, const char *velocity, const char *vorticity,
                                 double edge, myr_particles **points);

/* Initial conditions of a flow from points of a periodic mesh, in any order, with "velocity" or "vorticity". The result
 * has the same points, x fastest, with "velocity" (zero mean if derived from a vorticity), "mass" (total 1), and the
 * fields of vortex elements ("strength", "core" = overlap times the spacing, "volume"). */
MYR_API myr_status myr_flow_start(const myr_particles *points, double overlap, myr_particles **started);

/* Velocity field of vortex elements in a periodic cube, on a mesh that all functions of this header accept, from the
 * exact Fourier transform of the sum of Gaussians. corner: lowest corner of the cube; side: even number of mesh points
 * per axis, or 0 for about as many points as elements. Modes with |k| < side/2 along each axis are kept. The caller
 * owns the mesh. */
MYR_API myr_status myr_flow_of_elements(const myr_particles *elements, double edge, const double corner[3],
                                        int64_t side, myr_particles **mesh);

/* Computes the fields "vorticity" (3 components) and "second_invariant", II = sum over i, j of du_i/dx_j du_j/dx_i,
 * from the velocities. */
MYR_API myr_status myr_flow_derive(myr_particles *particles);

/* Energy spectrum: shell s contains the modes whose wave number, in units of the smallest, rounds to s + 1; wave[s] is
 * that wave number and energy[s] is E(k), so that the sum over the shells times the smallest wave number is K without
 * the energy of the mean velocity. *shells receives their number; the first `room` are stored. */
MYR_API myr_status myr_flow_spectrum(const myr_particles *particles, int64_t room, double *wave, double *energy,
                                     int64_t *shells);

MYR_END_DECLS

#endif
