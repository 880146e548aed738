/* simulation.h - particles in motion: an interaction, external fields and an integrator, advanced step by step.
 *
 *   myr_simulation *s;
 *   myr_simulation_create(context, stars, f, &s);          takes both over
 *   myr_simulation_choose(s, "hermite4");
 *   myr_simulation_set(s, "eta", 0.01);
 *   while (myr_simulation_time(s) < 10)
 *       myr_simulation_step(s, 10);                        one step, never past t = 10
 *
 * Everything that the motion depends on is in the simulation and in its checkpoint: a run that is saved, loaded and
 * continued has the same bits as one that was never interrupted. */
#ifndef MYRIAD_SIMULATION_H
#define MYRIAD_SIMULATION_H

#include <stddef.h>

#include <myriad/external.h>
#include <myriad/interaction.h>
#include <myriad/ranks.h>
#include <myriad/snapshot.h>

MYR_BEGIN_DECLS

typedef struct myr_simulation myr_simulation;

/* What an integrator is. */
typedef struct {
    const char *name;
    const char *text;
    int order;
    int symplectic, reversible;
    int needs_jerk;              /* kernel must give "jerk" (gravity_jerk) */
    int needs_box;               /* moves particles in a box: method "neighbour" (molecular.h) */
    myr_parameter_info param[8]; /* ends with a null name; "dt" for fixed steps, "eta" for adaptive ones, ... */
} myr_integrator_info;

/* Description of integrator k; null past the end. */
MYR_API const myr_integrator_info *myr_integrator(int k);

/* The integrator with that name, or null. */
MYR_API const myr_integrator_info *myr_integrator_find(const char *name);

/* Makes a simulation at time 0 with the integrator "leapfrog". On success it owns the particles and the interaction
 * (which may be null: only external fields act). Particles need position, velocity and mass. */
MYR_API myr_status myr_simulation_create(myr_context *context, myr_particles *particles, myr_interaction *interaction,
                                         myr_simulation **simulation);

/* Frees it with what it owns, and clears the pointer. Null is allowed. */
MYR_API void myr_simulation_destroy(myr_simulation **simulation);

/* Chooses the integrator, before the first step. Parameters go to their defaults. */
MYR_API myr_status myr_simulation_choose(myr_simulation *simulation, const char *integrator);

/* The name of the integrator. */
MYR_API const char *myr_simulation_integrator(const myr_simulation *simulation);

/* Sets a parameter of the integrator, before the first step. */
MYR_API myr_status myr_simulation_set(myr_simulation *simulation, const char *parameter, double value);

/* The value of a parameter; NaN for an unknown one. */
MYR_API double myr_simulation_get(const myr_simulation *simulation, const char *parameter);

/* Adds an external field, before the first step; the simulation owns it then. */
MYR_API myr_status myr_simulation_add_external(myr_simulation *simulation, myr_external *external);

/* The number of external fields, and field k (null past the end). */
MYR_API int myr_simulation_externals(const myr_simulation *simulation);
MYR_API const myr_external *myr_simulation_external(const myr_simulation *simulation, int k);

/* Makes the particles the points of a periodic cubic mesh that carry the velocity of an incompressible fluid, before
 * the first step; there must be no interaction and no external field. Positions must be such a mesh, with an even
 * number of points per axis. The Navier-Stokes equations are solved by a spectral Galerkin method (3/2 rule) and an
 * integrator without accelerations: rk4, ab2. What the mesh cannot carry of the initial field (divergence, the highest
 * mode of each axis) is taken out with the first step, and so is told. Needs a build with FFTW. */
MYR_API myr_status myr_simulation_set_spectral(myr_simulation *simulation, double viscosity);

/* How the spectral method treats the viscous term, before the first step: "explicit" like the others (the default), or
 * "exact", by an integrating factor, for Runge-Kutta integrators: then viscosity does not limit the step. */
MYR_API myr_status myr_simulation_choose_viscous(myr_simulation *simulation, const char *treatment);

/* Lets the cores of vortex elements spread as viscosity makes vorticity spread, d(core^2)/dt = 2 viscosity (paper 004
 * eq. 11), before the first step. For kernels that read "core" and give velocities. */
MYR_API myr_status myr_simulation_set_viscosity(myr_simulation *simulation, double viscosity);

/* Limits what stretching may do to the strength of vortex elements in a step, before the first: dt is halved until dt
 * times the largest |d strength/dt| / |strength| is at most this; 0 = no limit. Elements with less than a thousandth of
 * the largest strength do not count. For integrators with a fixed step, which take dt for the longest. */
MYR_API myr_status myr_simulation_limit_strain(myr_simulation *simulation, double strain);

/* Lets vortex elements carry vorticity instead of strength, before the first step (Beale 1988): at every evaluation the
 * strengths are solved for whose Gaussians add up to the vorticity of all elements (paper 004 eq. 3) but for this part,
 * root mean square, or ten times as much where only velocities are wanted; 0 = strengths are carried along (eq. 9).
 * Waves k are then moved right where core times k is not small, to which strengths that are carried give errors of
 * (core k)^2. The field "vorticity" is that of the strengths where there is none; viscosity acts on it as spreading
 * cores would, and cores stay. Cores must be equal. */
MYR_API myr_status myr_simulation_solve_strengths(myr_simulation *simulation, double tolerance);

/* What that took so far. */
typedef struct {
    int64_t evaluations, iterations; /* of the strengths, and of conjugate gradients in all */
    double residual;                 /* of the last: vorticity that is missing at the elements, relative, rms */
    double seconds;                  /* on the clock */
} myr_solved;
MYR_API myr_status myr_simulation_solved(const myr_simulation *simulation, myr_solved *solved);

/* How a set of vortex elements was replaced by another. */
typedef struct {
    int64_t before, after;              /* elements */
    int iterations;                     /* of conjugate gradients */
    double residual;                    /* of the vorticity at the new elements, relative, rms */
    double divergence;                  /* part of the vorticity that was taken out as divergence, rms: in cubes only */
    double vorticity, impulse, angular; /* sizes of the changes of the integrals (myriad/flow.h) */
} myr_reinitialisation;

/* Replaces vortex elements by others that are `spacing` apart on a lattice and have cores of `core`, where there is
 * vorticity to speak of (1e-4 of the largest). Their strengths give the vorticity of the old elements at each of the
 * new ones (paper 004 eq. 3, by conjugate gradients). For when cores have grown so large, or elements so far apart,
 * that they no longer follow the flow; `core` should be about one spacing, and smaller than the scales of the flow. In
 * a box that repeats along all axes the lattice fills it, and Fourier transforms find the strengths. The motion starts
 * again at the time of now. Fields that elements do not need are gone, and ids are new. */
MYR_API myr_status myr_simulation_reinitialise(myr_simulation *simulation, double spacing, double core,
                                               myr_reinitialisation *info);

/* What the particles of a simulation are: bodies that are accelerated, elements that are carried along with velocities,
 * or the points of a mesh. */
typedef enum { MYR_MOTION_OF_BODIES, MYR_MOTION_OF_ELEMENTS, MYR_MOTION_OF_MESH } myr_motion_kind;
MYR_API myr_motion_kind myr_simulation_kind(const myr_simulation *simulation);

/* The viscosity of a fluid; NaN where the particles are none. */
MYR_API double myr_simulation_viscosity(const myr_simulation *simulation);

/* The time that the simulation has reached. Sets the starting time before the first step. */
MYR_API double myr_simulation_time(const myr_simulation *simulation);
MYR_API myr_status myr_simulation_set_time(myr_simulation *simulation, double time);

/* One step (of a block, with block steps), shortened so as not to pass `end`. With block steps `end` must be a time
 * that the blocks can reach: a multiple of the smallest step; other ends are approached by smaller steps. A value that
 * is not finite or a step that vanishes stops the simulation: status and a message that names the particle; the state
 * stays as it was before the step. */
MYR_API myr_status myr_simulation_step(myr_simulation *simulation, double end);

/* Steps as myr_simulation_step, several of them where that is faster: on a GPU the particles stay there between steps,
 * and nobody waits for each. No step begins at or after `until`; `most` of them, and no more than take some tens of
 * milliseconds. On the processor it is one step. */
MYR_API myr_status myr_simulation_advance(myr_simulation *simulation, double end, double until, int64_t most);

/* Steps made so far. */
MYR_API int64_t myr_simulation_steps(const myr_simulation *simulation);

/* The number of particles, of all ranks. */
MYR_API int64_t myr_simulation_count(const myr_simulation *simulation);

/* Brings every particle to the simulation's time. With block steps particles are at times of their own between blocks;
 * the motion is not changed by asking. The set is the simulation's, valid until the next call; its fields are position,
 * velocity, mass, and what the interaction gives. Of particles in a box on several ranks, rank 0 gets those of all: it
 * needs the memory for them, until the next step. */
MYR_API myr_status myr_simulation_particles(myr_simulation *simulation, const myr_particles **particles);

/* The interaction; null if there is none. */
MYR_API myr_interaction *myr_simulation_interaction(const myr_simulation *simulation);

enum { MYR_STEP_BINS = 64 };

/* What has happened so far. */
typedef struct {
    double time;
    int64_t steps;          /* steps, or block steps */
    int64_t particle_steps; /* steps of single particles */
    int64_t pairs;          /* pair evaluations */
    int64_t active;         /* particles in the last step */
    double force_seconds;   /* in the interaction */
    double step_seconds;    /* in all of the steps */
    double smallest_step;   /* of any particle, now */
    double largest_step;
    int64_t bin[MYR_STEP_BINS]; /* particles whose step is 2^-k, now (block steps only) */
} myr_progress;

/* Describes what has happened so far. */
MYR_API myr_status myr_simulation_progress(const myr_simulation *simulation, myr_progress *progress);

/* Everything that is conserved, or is of interest, at the simulation's time; evaluated in double arithmetic. */
typedef struct {
    double time;
    double kinetic, potential, external; /* energies: of motion, of pairs, in external fields */
    double energy;                       /* their sum */
    double virial_ratio;                 /* 2 kinetic / |potential| */
    double momentum[3], angular[3];
    double centre[3], centre_velocity[3];
    double mass;
} myr_conserved;

/* Sums the conserved quantities. Of vortex elements `kinetic` and `energy` are the kinetic energy of the fluid around
 * them, `momentum` and `angular` its linear and angular impulse and `centre` the centroid of the impulse, all per
 * density (myriad/flow.h), and `mass` is the sum of the strengths' sizes. Where the kernel has no potential, the
 * potential energy is NaN and so is `energy`. A set that myr_simulation_particles gave stays valid, and has the
 * potentials of the particles afterwards. */
MYR_API myr_status myr_simulation_conserved(myr_simulation *simulation, myr_conserved *conserved);

/* Merges bodies that touch: whose distance at the simulation's time is below `distance`, or, where `radius_field` names
 * a field of radii (else null), below the sum of their radii. Of two bodies the one with the lower position in the set
 * stays, with its id and the mass, momentum and centre of mass of both (with radii: their volume); closest pairs go
 * first, and what has become of them may merge again. *merged is how many bodies are gone, *energy the change of the
 * energy (NaN where the kernel has no potential): an energy account adds it up. Where anything merged, the motion
 * starts again at this time from a smaller set; with block steps, from positions as predicted, so ask at the ends of
 * long steps or often enough. Where nothing touches, nothing changes. Other fields keep the value of the body that
 * stays. */
MYR_API myr_status myr_simulation_merge(myr_simulation *simulation, const char *radius_field, double distance,
                                        int64_t *merged, double *energy);

/* Writes a checkpoint: to a temporary name, flushed to the disk, then renamed. The one before stays as PATH.previous.
 */
MYR_API myr_status myr_simulation_save(myr_simulation *simulation, const char *path);

/* Makes a simulation from a checkpoint. Where it is damaged anywhere, PATH.previous is used, with a warning that names
 * what is wrong; where that does not help, it is an error. On several ranks all call it, and each reads a part of the
 * particles of a box, whose number does not depend on how many ranks have written them. */
MYR_API myr_status myr_simulation_load(myr_context *context, const char *path, myr_simulation **simulation);

/* Looks at what a checkpoint holds without having all of it in memory: `look` gets one lot of the particles after the
 * other, those in a box in any order, and a simulation that tells everything else. Both are gone afterwards. Where it
 * returns an error, that ends it. */
typedef myr_status (*myr_look_fn)(void *user, const myr_simulation *simulation, const myr_particles *particles);
MYR_API myr_status myr_simulation_look(myr_context *context, const char *path, myr_look_fn look, void *user);

/* On several ranks (ranks.h): the particles that this rank has made its simulation from are rows of a set of `all`,
 * from row `first` on. Each row is in the part of one rank, and parts may be empty. To be called by all ranks before
 * the first step; ids are those of all particles. */
MYR_API myr_status myr_simulation_set_part(myr_simulation *simulation, int64_t first, int64_t all);

/* On ranks other than 0 (ranks.h): does what rank 0 does with its simulation until that is destroyed. The ranks have
 * made the same simulation from the same particles, or, where these are in a box, each from a part of them
 * (myr_simulation_set_part), or from none while rank 0 has all: every rank gets those of its domain then. Rank 0 calls
 * functions of this interface as if it were alone, and the particles, checkpoints and measurements that it gets are
 * those of all ranks. Fails on all ranks where one fails. */
MYR_API myr_status myr_simulation_follow(myr_simulation *simulation);

/* Writes a snapshot of the particles (snapshot.h). On several ranks all write a part of a file where the format can
 * (h5md), and for any other format rank 0 gathers all particles; the file is that of one rank. */
MYR_API myr_status myr_simulation_write(myr_simulation *simulation, const char *path, const char *format,
                                        const char *const *fields, const myr_snapshot_header *header);

/* Keeps a copy of positions, velocities and masses as they are, every rank that of its particles, instead of the one
 * kept before; and writes it, whenever a look at the particles says that this was the last state to be trusted. */
MYR_API myr_status myr_simulation_keep(myr_simulation *simulation);
MYR_API myr_status myr_simulation_write_kept(myr_simulation *simulation, const char *path, const char *format,
                                             const char *const *fields, const myr_snapshot_header *header);

/* How ranks work together: to be called by all of them before the first step, or later by rank 0. */
MYR_API myr_status myr_simulation_set_ranks(myr_simulation *simulation, const myr_rank_options *options);

/* How the particles are divided among the ranks. */
MYR_API myr_status myr_simulation_ranks(myr_simulation *simulation, myr_rank_report *report);

/* Where the time of the steps went that were made since this was last called; the first call begins to count. Also on
 * one rank; after the first step only. */
MYR_API myr_status myr_simulation_rank_times(myr_simulation *simulation, myr_rank_times *times);

/* Attaches a named block of bytes to the simulation, kept in its checkpoint (the input of a run, counters of a writer).
 * Replaces one of that name. The library does not look inside. */
MYR_API myr_status myr_simulation_attach(myr_simulation *simulation, const char *name, const void *bytes, size_t size);

/* A block that was attached, or null; its size goes to *size. */
MYR_API const void *myr_simulation_attached(const myr_simulation *simulation, const char *name, size_t *size);

MYR_END_DECLS

#endif
