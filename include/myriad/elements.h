/* elements.h - what a simulation of vortex elements can do besides moving them: diffusion by exchange of strength, a
 * free stream, tracers, probes, and what keeps elements fit (relaxation of the divergence, weak elements). All of it is
 * for kernels that give velocities. */
#ifndef MYRIAD_ELEMENTS_H
#define MYRIAD_ELEMENTS_H

#include <myriad/simulation.h>

MYR_BEGIN_DECLS

/* How viscosity acts on vortex elements: scheme k, or null past the end.
 *   core_spreading     cores grow, d(core^2)/dt = 2 viscosity (paper 004 eq. 11), until elements are replaced
 *   strength_exchange  neighbours exchange strength, d a_p/dt = 2 viscosity/s^2 sum_q (V_p a_q - V_q a_p) G(x_p - x_q)
 *                      with a Gaussian of width s, the core; cores stay, and so does the total vorticity. Vorticity
 *                      spreads only to where there are elements */
MYR_API const myr_choice_info *myr_diffusion(int k);

/* Chooses the scheme, before the first step. Exchange reads the field "volume". */
MYR_API myr_status myr_simulation_choose_diffusion(myr_simulation *simulation, const char *scheme);

/* Adds a constant velocity to that of all elements and tracers, before the first step: the fluid's far away. Energy,
 * helicity and impulse are those of a fluid at rest there. */
MYR_API myr_status myr_simulation_set_stream(myr_simulation *simulation, const double velocity[3]);

/* Turns strengths towards the vorticity at their elements after every step (Pedrizzetti 1992), before the first step:
 * a becomes (1 - rate dt) a + rate dt |a| w/|w|. The vorticity of elements has a divergence as soon as strengths do not
 * follow vortex lines; this keeps it down. Total vorticity and impulse change a little. 0 = off. */
MYR_API myr_status myr_simulation_set_relaxation(myr_simulation *simulation, double rate);

/* Limits how far elements may turn about each other in a step, before the first (a Lagrangian CFL number): dt is halved
 * until dt times the largest |w| is at most this; 0 = no limit. Beside myr_simulation_limit_strain, which limits what
 * stretching does. */
MYR_API myr_status myr_simulation_limit_turning(myr_simulation *simulation, double turning);

/* Sets down to which part of the largest vorticity myr_simulation_reinitialise makes elements, before the first step;
 * 1e-4 where nothing is said. Less of it loses less, with more elements. */
MYR_API myr_status myr_simulation_set_floor(myr_simulation *simulation, double part);

/* Adds n tracers at x[3][n], before the first step: particles of type MYR_TRACER without strength and volume that move
 * with the fluid. Their ids follow the largest one. They stay when elements are replaced. */
enum { MYR_TRACER = 1 };
MYR_API myr_status myr_simulation_add_tracers(myr_simulation *simulation, int64_t n, const double *const x[3]);

/* How many of a set of elements are tracers: of that type, with a strength of exactly 0. */
MYR_API int64_t myr_flow_tracers(const myr_particles *elements);

/* Gives every particle of a set the velocity of the fluid where it is, at the simulation's time, in double arithmetic,
 * as its field "velocity"; and its "vorticity" where elements have cores. */
MYR_API myr_status myr_simulation_probe(myr_simulation *simulation, myr_particles *probes);

/* How fit elements are to carry a flow, from their exact Gaussian sums. */
typedef struct {
    double divergence; /* of the vorticity: its rms over that of the gradient of the vorticity; 0 is right */
    double overlap;    /* core over distance of neighbours, mean weighted by strength; 1 or more is right. The distance
                        * is that of a lattice with the number of elements per volume that there is */
    double vorticity;  /* largest |w| */
} myr_fitness;

/* Measures that at the elements: at all, or at `sample` of them, spread over the set; 0 = all. Along axes whose edge is
 * not 0 they have images; null = alone in space. NaN where elements have no cores. The second does it at the
 * simulation's time, with the edges of its box. */
MYR_API myr_status myr_flow_fitness(const myr_particles *elements, const double edge[3], int64_t sample,
                                    myr_fitness *fitness);
MYR_API myr_status myr_simulation_fitness(myr_simulation *simulation, int64_t sample, myr_fitness *fitness);

/* What became of weak elements. */
typedef struct {
    int64_t gone, kept;  /* weak elements that are no longer there; those that could not be merged */
    double strength;     /* sum of the sizes of the strengths of those that are gone */
    double vorticity[3]; /* changes of the total vorticity, */
    double impulse[3];   /* of the linear */
    double angular[3];   /* and of the angular impulse */
} myr_pruning;

/* Removes elements whose strength is below `threshold` of the largest. With `merge` their strengths are shared among
 * stronger neighbours so that total vorticity and linear impulse stay as they are; a weak element without such
 * neighbours on all sides stays. Else they are dropped, and what they take with them is told. Where any are gone, the
 * motion starts again at this time from a smaller set. */
MYR_API myr_status myr_simulation_prune(myr_simulation *simulation, double threshold, int merge, myr_pruning *info);

MYR_END_DECLS

#endif
