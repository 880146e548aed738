/* elements.h - simulations of vortex elements: diffusion by exchange of strength, free stream, tracers, probes, and
 * upkeep of the elements (relaxation of the divergence, removal of weak elements). For kernels that compute
 * velocities. */
#ifndef MYRIAD_ELEMENTS_H
#define MYRIAD_ELEMENTS_H

#include <myriad/simulation.h>

MYR_BEGIN_DECLS

/* Viscous scheme k for vortex elements; null past the last.
 *   core_spreading     cores grow, d(core^2)/dt = 2 viscosity (paper 004 eq. 11), until elements are replaced
 *   strength_exchange  neighbours exchange strength, d a_p/dt = 2 viscosity/s^2 sum_q (V_p a_q - V_q a_p) G(x_p - x_q)
 *                      with a Gaussian of width s, the core; cores and total vorticity are constant. Vorticity
 *                      spreads only to positions of existing elements */
MYR_API const myr_choice_info *myr_diffusion(int k);

/* Chooses the viscous scheme, before the first step. strength_exchange reads the field "volume". */
MYR_API myr_status myr_simulation_choose_diffusion(myr_simulation *simulation, const char *scheme);

/* Adds a constant velocity, that of the fluid at infinity, to all elements and tracers, before the first step. Energy,
 * helicity and impulse are those in the frame where the fluid at infinity is at rest. */
MYR_API myr_status myr_simulation_set_stream(myr_simulation *simulation, const double velocity[3]);

/* Sets the rate of Pedrizzetti relaxation (Pedrizzetti 1992), before the first step: after every step strengths are
 * turned towards the local vorticity, a becomes (1 - rate dt) a + rate dt |a| w/|w|. This limits the divergence of the
 * vorticity, which appears when strengths do not follow vortex lines. Total vorticity and impulse change slightly. 0 =
 * off. */
MYR_API myr_status myr_simulation_set_relaxation(myr_simulation *simulation, double rate);

/* Limits the rotation of elements about each other per step (a Lagrangian CFL number), before the first step: dt is
 * halved until dt times the largest |w| is at most `turning`; 0 = no limit. myr_simulation_limit_strain limits
 * stretching. */
MYR_API myr_status myr_simulation_limit_turning(myr_simulation *simulation, double turning);

/* Sets the vorticity, as a fraction of the largest, down to which myr_simulation_reinitialise places elements, before
 * the first step; default 1e-4. A smaller value loses less vorticity and makes more elements. */
MYR_API myr_status myr_simulation_set_floor(myr_simulation *simulation, double part);

/* Adds n tracers at x[3][n], before the first step: particles of type MYR_TRACER without strength and volume that move
 * with the fluid. Their ids follow the largest id. Tracers are kept when elements are replaced. */
enum { MYR_TRACER = 1 };
MYR_API myr_status myr_simulation_add_tracers(myr_simulation *simulation, int64_t n, const double *const x[3]);

/* Number of tracers in a set of elements: particles of type MYR_TRACER with a strength of exactly 0. */
MYR_API int64_t myr_flow_tracers(const myr_particles *elements);

/* Evaluates the fluid velocity at every particle of a set, at the time of the simulation and in double arithmetic, into
 * the field "velocity"; and into "vorticity" if the elements have cores. */
MYR_API myr_status myr_simulation_probe(myr_simulation *simulation, myr_particles *probes);

/* Quality of a set of vortex elements, from their exact Gaussian sums. */
typedef struct {
    double divergence; /* rms divergence of the vorticity divided by the rms gradient of the vorticity; ideally 0 */
    /* core radius divided by the neighbour distance, mean weighted by strength; should be 1 or more. The distance is
     * that of a lattice with the local number density */
    double overlap;
    double vorticity; /* largest |w| */
} myr_fitness;

/* Measures the quality at all elements, or at `sample` of them spread over the set; 0 = all. Axes with a nonzero edge
 * are periodic; edge null = no periodic axis. NaN if the elements have no cores. The second function uses the present
 * time and the box of a simulation. */
MYR_API myr_status myr_flow_fitness(const myr_particles *elements, const double edge[3], int64_t sample,
                                    myr_fitness *fitness);
MYR_API myr_status myr_simulation_fitness(myr_simulation *simulation, int64_t sample, myr_fitness *fitness);

/* Result of the removal of weak elements. */
typedef struct {
    /* number of weak elements removed, and of weak elements kept because they could not be merged */
    int64_t gone, kept;
    double strength;     /* sum of |strength| of the removed elements */
    double vorticity[3]; /* change of the total vorticity */
    double impulse[3];   /* change of the linear impulse */
    double angular[3];   /* change of the angular impulse */
} myr_pruning;

/* Removes elements whose strength is below `threshold` times the largest. With merge = 1 their strengths are
 * distributed over stronger neighbours so that total vorticity and linear impulse are conserved, and a weak element
 * that is not surrounded by such neighbours is kept. With merge = 0 they are dropped, and `info` reports the changes.
 * If elements were removed, the integration restarts at the present time with the smaller set. */
MYR_API myr_status myr_simulation_prune(myr_simulation *simulation, double threshold, int merge, myr_pruning *info);

/* Rules by which a simulation keeps its vortex elements fit: when they are replaced by new ones
 * (myr_simulation_reinitialise), and when weak ones are removed (myr_simulation_prune). 0 turns a rule off. */
typedef struct {
    double core_growth;   /* replace when the largest core has grown to this multiple of the core of new elements */
    int64_t steps;        /* replace after every so many steps */
    double least_overlap; /* replace when the mean overlap of neighbours (myr_fitness) is below this */
    double spacing;       /* distance of new elements; 0 = that of the old ones in a periodic cube, else their core */
    double weak_below;    /* remove elements with less than this part of the largest strength */
    double weak_interval; /* time between two looks for weak elements; needed with weak_below */
    int weak_merge;       /* 1 = weak elements are merged into neighbours, 0 = dropped */
} myr_upkeep;

/* State of these rules. */
typedef struct {
    double core;            /* core of new elements: the largest one when the rules were set */
    double start;           /* time from which intervals count: when the rules were set */
    double last_look;       /* time of the last look for weak elements */
    int64_t replaced;       /* how often elements were replaced */
    int64_t pruned;         /* weak elements removed so far */
    double pruned_strength; /* sum of |strength| of the removed elements */
} myr_upkeep_state;

/* What one call of myr_simulation_keep_fit did. */
typedef struct {
    int replaced;                          /* 1 if elements were replaced */
    myr_reinitialisation reinitialisation; /* of that replacement; zeros if there was none */
    myr_pruning pruning;                   /* gone = 0 if no weak elements were removed */
} myr_upkeep_report;

/* Sets the rules; a later call replaces them. `state` continues an earlier run; null = the rules begin now. Rules and
 * state are part of checkpoints. */
MYR_API myr_status myr_simulation_set_upkeep(myr_simulation *simulation, const myr_upkeep *rules,
                                             const myr_upkeep_state *state);

/* Applies the rules: replaces elements and removes weak ones where that is due at the present time. To be called after
 * every step. Without rules nothing happens. */
MYR_API myr_status myr_simulation_keep_fit(myr_simulation *simulation, myr_upkeep_report *report);

/* State of the rules; zeros if none were set. */
MYR_API myr_status myr_simulation_upkeep_state(const myr_simulation *simulation, myr_upkeep_state *state);

MYR_END_DECLS

#endif
