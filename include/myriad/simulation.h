/* simulation.h - time integration of particles: an interaction, external fields and an integrator, advanced step by
 * step.
 *
 *   myr_simulation *s;
 *   myr_simulation_create(context, stars, f, &s);          takes ownership of both
 *   myr_simulation_choose(s, "hermite4");
 *   myr_simulation_set(s, "eta", 0.01);
 *   myr_status status = MYR_OK;
 *   while (!status && myr_simulation_time(s) < 10)
 *       status = myr_simulation_step(s, 10);               one step, never past t = 10; a failed one leaves the time
 *
 * The simulation and its checkpoint contain everything that the motion depends on: a run that is saved, loaded and
 * continued has the same bits as an uninterrupted run. */
#ifndef MYRIAD_SIMULATION_H
#define MYRIAD_SIMULATION_H

#include <stddef.h>

#include <myriad/external.h>
#include <myriad/interaction.h>
#include <myriad/observable.h>
#include <myriad/ranks.h>
#include <myriad/snapshot.h>

MYR_BEGIN_DECLS

typedef struct myr_simulation myr_simulation;

/* Description of an integrator. */
typedef struct {
    const char *name;
    const char *text;
    int order;
    int symplectic, reversible;
    int needs_jerk; /* 1 = the kernel must compute "jerk" (gravity_jerk) */
    int needs_box;  /* 1 = for particles in a box: method "neighbour" (molecular.h) */
    /* parameters, ended by a null name; "dt" for fixed steps, "eta" for adaptive ones, ... */
    myr_parameter_info param[8];
} myr_integrator_info;

/* Description of integrator k; null past the last. */
MYR_API const myr_integrator_info *myr_integrator(int k);

/* Description of the integrator with that name, or null. */
MYR_API const myr_integrator_info *myr_integrator_find(const char *name);

/* Creates a simulation at time 0 with the integrator "leapfrog". On success the simulation owns the particles and the
 * interaction (may be null: only external fields act). Particles need position, velocity and mass. */
MYR_API myr_status myr_simulation_create(myr_context *context, myr_particles *particles, myr_interaction *interaction,
                                         myr_simulation **simulation);

/* Frees the simulation with everything it owns, and sets *simulation to null. A null simulation is allowed. */
MYR_API void myr_simulation_destroy(myr_simulation **simulation);

/* Chooses the integrator, before the first step, and resets its parameters to their defaults. */
MYR_API myr_status myr_simulation_choose(myr_simulation *simulation, const char *integrator);

/* Name of the integrator. */
MYR_API const char *myr_simulation_integrator(const myr_simulation *simulation);

/* Sets a parameter of the integrator, before the first step. */
MYR_API myr_status myr_simulation_set(myr_simulation *simulation, const char *parameter, double value);

/* Value of a parameter; NaN if the name is unknown. */
MYR_API double myr_simulation_get(const myr_simulation *simulation, const char *parameter);

/* Adds an external field, before the first step; the simulation owns the field afterwards. */
MYR_API myr_status myr_simulation_add_external(myr_simulation *simulation, myr_external *external);

/* Number of external fields, and field k (null past the last). */
MYR_API int myr_simulation_externals(const myr_simulation *simulation);
MYR_API const myr_external *myr_simulation_external(const myr_simulation *simulation, int k);

/* Makes the particles the points of a periodic cubic mesh with the velocity of an incompressible fluid, before the
 * first step; there must be neither an interaction nor an external field. Positions must be such a mesh with an even
 * number of points per axis. The Navier-Stokes equations are solved by a spectral Galerkin method (3/2 rule) and an
 * integrator for first-order equations: rk4, ab2. The part of the initial field that the mesh cannot represent
 * (divergence, the highest mode of each axis) is removed in the first step, with a warning. Needs a build with FFTW. */
MYR_API myr_status myr_simulation_set_spectral(myr_simulation *simulation, double viscosity);

/* Treatment of the viscous term in the spectral method, before the first step: "explicit" (default), or "exact" by an
 * integrating factor, for Runge-Kutta integrators; viscosity then does not limit the step. */
MYR_API myr_status myr_simulation_choose_viscous(myr_simulation *simulation, const char *treatment);

/* Forces a fluid in a periodic cube, before the first step: the waves of up to `shell` times the lowest wave number get
 * energy at a constant rate, `power` per mass and time, in proportion to their velocity (Carati, Ghosal and Moin 1995,
 * Phys. Fluids 7, 606); 0 = no forcing. For the spectral method, and for vortex elements in a cube periodic along all
 * axes, where the rate of the vorticity is that of the same waves. `shell` is 1 to 8. */
MYR_API myr_status myr_simulation_set_forcing(myr_simulation *simulation, double power, double shell);

/* Sets the viscosity of vortex elements, before the first step: cores spread as d(core^2)/dt = 2 viscosity (paper 004
 * eq. 11). For kernels that read "core" and compute velocities. */
MYR_API myr_status myr_simulation_set_viscosity(myr_simulation *simulation, double viscosity);

/* Limits the stretching of vortex elements per step, before the first step: dt is halved until dt times the largest |d
 * strength/dt| / |strength| is at most `strain`; 0 = no limit. Elements with less than a thousandth of the largest
 * strength do not count. For integrators with a fixed step, whose dt is then the longest step. */
MYR_API myr_status myr_simulation_limit_strain(myr_simulation *simulation, double strain);

/* Makes vortex elements carry vorticity instead of strength, before the first step (Beale 1988): at every evaluation
 * the strengths are solved for, such that their Gaussians sum to the vorticity of all elements (paper 004 eq. 3) up to
 * a relative rms error of `tolerance`, or ten times that if only velocities are needed; 0 = strengths are carried (eq.
 * 9). Modes k are then advected correctly also if core times k is not small, for which carried strengths have errors of
 * (core k)^2. The field "vorticity" is computed from the strengths if it is missing; viscosity acts on it as spreading
 * cores would, and the cores stay constant. Cores must be equal. */
MYR_API myr_status myr_simulation_solve_strengths(myr_simulation *simulation, double tolerance);

/* Cost of solving for strengths so far. */
typedef struct {
    int64_t evaluations, iterations; /* number of solutions, and total number of conjugate gradient iterations */
    double residual;                 /* relative rms residual of the vorticity at the elements, of the last solution */
    double seconds;                  /* wall-clock seconds */
} myr_solved;
MYR_API myr_status myr_simulation_solved(const myr_simulation *simulation, myr_solved *solved);

/* Result of the replacement of vortex elements. */
typedef struct {
    int64_t before, after; /* numbers of elements before and after */
    int iterations;        /* conjugate gradient iterations */
    double residual;       /* relative rms residual of the vorticity at the new elements */
    /* rms fraction of the vorticity removed as divergence; in periodic cubes only */
    double divergence;
    double vorticity, impulse, angular; /* absolute changes of the integrals (myriad/flow.h) */
} myr_reinitialisation;

/* Replaces vortex elements by elements on a lattice with distance `spacing` and cores of `core`, where the vorticity
 * exceeds 1e-4 of its maximum. Their strengths reproduce the vorticity of the old elements at the new positions (paper
 * 004 eq. 3, by conjugate gradients). Needed when cores have grown so large, or elements have moved so far apart, that
 * they no longer resolve the flow; `core` should be about one spacing, and smaller than the scales of the flow. In a
 * box periodic along all axes the lattice fills the box, and Fourier transforms give the strengths. The integration
 * restarts at the present time. Fields that elements do not need are removed, and ids are new. */
MYR_API myr_status myr_simulation_reinitialise(myr_simulation *simulation, double spacing, double core,
                                               myr_reinitialisation *info);

/* Kind of the particles of a simulation: bodies that are accelerated, elements that move with the fluid velocity, or
 * the points of a mesh. */
typedef enum { MYR_MOTION_OF_BODIES, MYR_MOTION_OF_ELEMENTS, MYR_MOTION_OF_MESH } myr_motion_kind;
MYR_API myr_motion_kind myr_simulation_kind(const myr_simulation *simulation);

/* Viscosity of the fluid; NaN if the particles are bodies. */
MYR_API double myr_simulation_viscosity(const myr_simulation *simulation);

/* Present time of the simulation; and setting of the start time, before the first step. */
MYR_API double myr_simulation_time(const myr_simulation *simulation);
MYR_API myr_status myr_simulation_set_time(myr_simulation *simulation, double time);

/* Makes one step (with block steps: of one block), shortened so as not to pass `end`; the last one ends at `end`
 * exactly. With block steps `end` should be a multiple of the smallest step; other times are approached by smaller
 * steps. A value that is not finite or a vanishing step is an error that names the particle; the state is then that
 * before the step. */
MYR_API myr_status myr_simulation_step(myr_simulation *simulation, double end);

/* Makes several steps as myr_simulation_step if that is faster: on a GPU the particles stay in GPU memory between
 * steps. No step begins at or after `until`; at most `most` steps, and at most some tens of milliseconds. On the
 * processor this is one step.
 *
 * Steps of a fixed length are counted from the start, so that `until` is met exactly if it is a multiple of the step;
 * the time is then `until` to the last bit. Steps that vary (hermite4_shared; fixed ones with a limit of strain or
 * turning) are shortened to end at `until`. With block steps the time becomes `until` without a step if no block ends
 * there: particles are predicted to that time, and the motion stays the same. */
MYR_API myr_status myr_simulation_advance(myr_simulation *simulation, double end, double until, int64_t most);

/* Function that is called at the times start, start + interval, start + 2 interval, ...; it returns 0, or another
 * number to stop. `calls` is the number of calls so far: 0 at first, counted by myr_simulation_run. */
typedef struct {
    double start, interval;
    int (*call)(void *user, myr_simulation *simulation);
    void *user;
    int64_t calls;
} myr_timed_call;

/* Moves on to the time `end` and makes `count` kinds of calls when their times have come, those of the present time
 * first; steps of fixed length meet times that are multiples of the step, and pass others by less than a step. A call
 * that stops the motion is MYR_ERROR_CANCELLED: the state is that of the call, which the next myr_simulation_run
 * repeats. */
MYR_API myr_status myr_simulation_run(myr_simulation *simulation, double end, myr_timed_call *call, int count);

/* Number of steps so far. */
MYR_API int64_t myr_simulation_steps(const myr_simulation *simulation);

/* Number of particles on all ranks. */
MYR_API int64_t myr_simulation_count(const myr_simulation *simulation);

/* Returns the particles synchronised to the time of the simulation. Between blocks, particles with block steps have
 * times of their own; this function does not change the motion. The simulation owns the set, which is valid until the
 * next call; its fields are position, velocity, mass, and the outputs of the interaction. For particles in a box on
 * several ranks, rank 0 gets the particles of all ranks, and needs the memory for them until the next step. */
MYR_API myr_status myr_simulation_particles(myr_simulation *simulation, const myr_particles **particles);

/* Hash of the ids and of the bits of position, velocity, strength and mass of all particles, as
 * myr_simulation_particles gives them, in any order: equal bits have equal hashes, on any number of ranks. No rank
 * collects the particles of others for it. */
MYR_API myr_status myr_simulation_hash(myr_simulation *simulation, uint64_t *hash);

/* Adds the present particles of a box to an observable (myriad/observable.h). Where the particles are on a GPU, what is
 * counted (rdf, profile) is counted there from the second sample on, with the numbers of the processor. */
MYR_API myr_status myr_simulation_observe(myr_simulation *simulation, myr_observable *observable);

/* Array of a field in the memory of a GPU: component c of particle i is pointer[c * stride + i]. */
typedef struct {
    const double *pointer; /* device address */
    int64_t n, stride;
    int components;
    int device; /* number of the GPU, as CUDA counts */
} myr_device_array;

/* Array of a field of bodies that move on a GPU: position, velocity or acceleration, without a copy. With a fixed step
 * it is at the time of the simulation. With block steps (hermite4) each particle has a time of its own, the field
 * "own_time" of one component, at which its position, velocity, acceleration and jerk are; x + v d + a d^2/2 + j d^3/6
 * predicts its position after d. No work of Myriad on an array is left to wait for; a reader finishes before the next
 * call that changes the simulation, and the address is valid until the simulation is destroyed, its particles are
 * replaced or the GPU is lost (myr_simulation_device_array then fails). MYR_ERROR_UNAVAILABLE, with the reason, if
 * there are no such arrays: before the first step, with external fields, and in a box, whose coordinates
 * are integers in an order of the GPU's own: positions there would be a copy, as myr_simulation_particles gives. */
MYR_API myr_status myr_simulation_device_array(myr_simulation *simulation, const char *field, myr_device_array *array);

/* Interaction of the simulation; null if there is none. */
MYR_API myr_interaction *myr_simulation_interaction(const myr_simulation *simulation);

enum { MYR_STEP_BINS = 64 };

/* Progress of a simulation. */
typedef struct {
    double time;
    int64_t steps;          /* steps, or block steps */
    int64_t particle_steps; /* steps of individual particles */
    int64_t pairs;          /* pairs evaluated one by one */
    int64_t active;         /* particles in the last step */
    double force_seconds;   /* seconds in the interaction */
    double step_seconds;    /* seconds in steps, forces included */
    double smallest_step;   /* present smallest step of any particle */
    double largest_step;
    int64_t bin[MYR_STEP_BINS]; /* number of particles with present step 2^-k (block steps only) */
} myr_progress;

/* Describes the progress of a simulation. */
MYR_API myr_status myr_simulation_progress(const myr_simulation *simulation, myr_progress *progress);

/* Conserved and related quantities at the time of the simulation, evaluated in double arithmetic. */
typedef struct {
    double time;
    double kinetic, potential, external; /* kinetic energy, pair energy, energy in external fields */
    double energy;                       /* sum of these energies */
    double virial_ratio;                 /* 2 kinetic / |potential| */
    double momentum[3], angular[3];
    double centre[3], centre_velocity[3];
    double mass;
    /* Energy in the frame that turns with the external fields: energy - rate x angular momentum about their axis. It is
     * conserved if the fields turn uniformly; equal to `energy` if all are static; NaN if they change in other ways. */
    double jacobi;
} myr_conserved;

/* Sums the conserved quantities. For vortex elements `kinetic` and `energy` are the kinetic energy of the fluid,
 * `momentum` and `angular` its linear and angular impulse, `centre` the centroid of the impulse, all per density
 * (myriad/flow.h), and `mass` is the sum of |strength|. If the kernel has no potential, potential and total energy are
 * NaN. A set that myr_simulation_particles returned stays valid and receives the potentials of the particles. */
MYR_API myr_status myr_simulation_conserved(myr_simulation *simulation, myr_conserved *conserved);

/* Tidal radius of a system of bodies in external fields, with its centre at `centre`, moving with `velocity` (King
 * 1962): r^3 = G m(r) / (angular velocity^2 + largest eigenvalue of the tidal tensor), with the mass m(r) inside. The
 * angular velocity is that of a turning field, or that of the orbit of the centre in a static one. NaN if there is no
 * external field, if the bodies do not attract each other by gravity, or if the fields press the system together. */
MYR_API myr_status myr_simulation_tidal_radius(myr_simulation *simulation, const double centre[3],
                                               const double velocity[3], double *radius);

/* Merges touching bodies: those whose distance at the time of the simulation is below `distance`, or, if `radius_field`
 * names a field of radii (else null), below the sum of their radii. Of two bodies the one with the lower index stays,
 * with its id and the total mass, momentum and centre of mass of both (with radii: the total volume); closest pairs are
 * merged first, and merged bodies may merge again. *merged receives the number of removed bodies, *energy the change of
 * the energy, or of the Jacobi integral where external fields turn uniformly, for an energy balance (NaN if the kernel
 * has no potential). If bodies merged, the integration restarts at
 * the present time with the smaller set; with block steps it restarts from predicted positions, so that this function
 * should be called at the ends of long steps or often enough. Otherwise nothing changes. Other fields keep the values
 * of the remaining body. */
MYR_API myr_status myr_simulation_merge(myr_simulation *simulation, const char *radius_field, double distance,
                                        int64_t *merged, double *energy);

/* Replaces the particles between two steps: some are added, some removed, fields changed. The caller makes a set of
 * them, with the fields of myr_simulation_particles, at the time of the simulation; on success the simulation owns the
 * set. A motion that has started starts again from the new set at the present time, with its count of steps; the box,
 * the thermostat and the barostat of particles in a box go on. If the set cannot move (a field is missing or not
 * finite, two bodies coincide, ...), the function fails, the motion is as it was, and the caller keeps the set. The
 * number of particles stays the same where something refers to them by number: excluded pairs, a molecule, a mesh,
 * restraints. On a single rank only. */
MYR_API myr_status myr_simulation_replace(myr_simulation *simulation, myr_particles *particles);

/* Writes a checkpoint atomically: to a temporary file, flushed to disk, then renamed. The previous checkpoint stays as
 * PATH.previous. */
MYR_API myr_status myr_simulation_save(myr_simulation *simulation, const char *path);

/* Creates a simulation from a checkpoint. If the file is damaged, PATH.previous is used with a warning that names the
 * damage; if that fails too, the function fails. With several ranks all ranks call this function, and each reads a part
 * of the particles of a box; the number of ranks may differ from that at the time of writing. */
MYR_API myr_status myr_simulation_load(myr_context *context, const char *path, myr_simulation **simulation);

/* Creates a simulation from a checkpoint as myr_simulation_load does, with another instruction set or backend than that
 * of the run: its name, or "auto". Null keeps the instruction set of the run and fails if the machine lacks it. The
 * bits of the motion change with the instruction set and the backend, except in portable arithmetic. */
MYR_API myr_status myr_simulation_load_for(myr_context *context, const char *path, const char *isa,
                                           myr_simulation **simulation);

/* Passes the content of a checkpoint to a callback without loading all of it into memory: `look` is called with one
 * group of particles after the other, those in a box in any order, and with a simulation that has everything else. Both
 * are freed afterwards. An error returned by `look` ends the function. */
typedef myr_status (*myr_look_fn)(void *user, const myr_simulation *simulation, const myr_particles *particles);
MYR_API myr_status myr_simulation_look(myr_context *context, const char *path, myr_look_fn look, void *user);

/* With several ranks (ranks.h): declares that the particles from which this rank made its simulation are rows of a set
 * of `all`, from row `first` on. Each row belongs to one rank, and a rank may have no rows. Called by all ranks before
 * the first step; ids are those of all particles. */
MYR_API myr_status myr_simulation_set_part(myr_simulation *simulation, int64_t first, int64_t all);

/* On ranks other than 0 (ranks.h): executes the calls of rank 0 until rank 0 destroys its simulation. The ranks have
 * made the same simulation from the same particles or, for particles in a box, each from a part
 * (myr_simulation_set_part), or from none while rank 0 has all: every rank then receives the particles of its domain.
 * Rank 0 uses this interface as a single process would, and gets particles, checkpoints and measurements of all ranks.
 * Fails on all ranks if one rank fails; a call of another rank than 0 that needs all ranks, made outside of this
 * function, is such a failure. */
MYR_API myr_status myr_simulation_follow(myr_simulation *simulation);

/* Writes a snapshot of the particles (snapshot.h). With several ranks each rank writes its part of the file if the
 * format supports it (h5md); for other formats rank 0 gathers all particles. The file is the same as with one rank. */
MYR_API myr_status myr_simulation_write(myr_simulation *simulation, const char *path, const char *format,
                                        const char *const *fields, const myr_snapshot_header *header);

/* Keeps a copy of the present positions, velocities and masses on every rank, replacing the previous copy; and writes
 * the copy to a file, for a program that finds later states invalid. Time, step, box and origin in the file are those
 * of the copy. The copy of particles in a box on a GPU stays on the GPU; if that is lost, an older copy is written, of
 * which the simulation makes one from time to time. */
MYR_API myr_status myr_simulation_keep(myr_simulation *simulation);
MYR_API myr_status myr_simulation_write_kept(myr_simulation *simulation, const char *path, const char *format,
                                             const char *const *fields, const myr_snapshot_header *header);

/* Sets the options of parallel runs: called by all ranks before the first step, or later by rank 0. */
MYR_API myr_status myr_simulation_set_ranks(myr_simulation *simulation, const myr_rank_options *options);

/* Describes the division of the particles among the ranks. */
MYR_API myr_status myr_simulation_ranks(myr_simulation *simulation, myr_rank_report *report);

/* Describes how ranks that each have all particles have shared evaluations. */
MYR_API myr_status myr_simulation_shared(const myr_simulation *simulation, myr_shared_report *report);

/* The same of evaluations whose particles were divided among ranks. */
MYR_API myr_status myr_simulation_divided(const myr_simulation *simulation, myr_divided_report *report);

/* Times of the steps since the last call of this function; the first call starts the measurement. Also with one rank;
 * only after the first step. */
MYR_API myr_status myr_simulation_rank_times(myr_simulation *simulation, myr_rank_times *times);

/* Attaches a named block of bytes to the simulation, stored in its checkpoint (the input of a run, counters of a
 * writer). Replaces a block of the same name. The library does not interpret the bytes. */
MYR_API myr_status myr_simulation_attach(myr_simulation *simulation, const char *name, const void *bytes, size_t size);

/* Attached block of that name, or null; *size receives its size. */
MYR_API const void *myr_simulation_attached(const myr_simulation *simulation, const char *name, size_t *size);

MYR_END_DECLS

#endif
