/* molecular.h - molecular dynamics: particles in a box with short-range interactions.
 *
 * With the interaction method "neighbour", a simulation keeps its particles as 64-bit box coordinates in the order of a
 * cell grid, with a neighbour list whose validity is proven at every step. The integrators are "verlet", "langevin",
 * "nose_hoover" and "berendsen". Temperatures are energies, k T.
 *
 *   myr_molecular_options o = myr_molecular_defaults();
 *   o.box[0] = o.box[1] = o.box[2] = 10;
 *   myr_simulation_set_molecular(s, &o);
 *   myr_simulation_choose(s, "verlet"); */
#ifndef MYRIAD_MOLECULAR_H
#define MYRIAD_MOLECULAR_H

#include <myriad/simulation.h>

MYR_BEGIN_DECLS

/* Walls of one axis that is not periodic; the particles are between them. */
typedef enum {
    MYR_WALL_NONE,
    MYR_WALL_REFLECTING, /* velocities are turned at the wall */
    MYR_WALL_LJ93        /* epsilon (2/15 (sigma/r)^9 - (sigma/r)^3) at distance r, shifted to vanish at the cutoff */
} myr_wall_kind;

typedef struct {
    myr_wall_kind kind;
    double low, high;      /* positions of the two walls; -infinity, infinity = no wall on that side */
    double epsilon, sigma; /* of lj93 */
    double cutoff;         /* of lj93: distance beyond which the wall does not act; 0 = none */
} myr_wall;

/* Options of particles in a box, besides interaction and integrator. */
typedef struct {
    double box[3];             /* edges of the box; 0 = axis not periodic */
    double origin[3];          /* lowest corner of the box */
    int cut;                   /* treatment of the potential at the cutoff: index of myr_potential_cut */
    double inner;              /* cut "spline": distance at which the cubic begins */
    double skin;               /* distance by which the list exceeds the cutoff; 0 = automatic */
    int tail;                  /* 1 = add the tail correction to energy and pressure; cut "truncated" only */
    int check;                 /* 1 = compare every list with all pairs: slow */
    uint64_t seed;             /* random seed of thermostat and barostat */
    int64_t centre_interval;   /* steps between removals of the centre-of-mass motion; 0 = never */
    int64_t pressure_interval; /* steps between volume trials of the barostat; 0 = constant box */
    double pressure, pressure_end;
    double pressure_ramp; /* time over which the pressure changes to pressure_end; 0 = constant pressure */
    int anisotropic;      /* 1 = the barostat changes each axis by itself */
    double restraint;     /* stiffness of springs to the initial positions; 0 = none */
    int restraint_type;   /* type of the restrained particles; -1 = all */
    myr_wall wall[3];     /* walls of each axis, which is open then */
    int exact_reverse;    /* 1 = velocities on a grid: "verlet" is reversible bit for bit (myr_simulation_reverse) */
    /* Charges, the field "charge" of the particles, by Ewald sums on a mesh; the box must be periodic along all axes.
     * Tolerance: rms error of the forces, relative to constant q^2/d^2 with the mean square charge q^2 and the mean
     * distance d of the charges; 0 = charges do not act. */
    double coulomb_tolerance;
    double coulomb_constant;  /* energy of two charges of 1 at a distance of 1; 0 = 1 */
    double coulomb_cutoff;    /* distance up to which pairs are summed; 0 = chosen from the tolerance */
    double coulomb_splitting; /* a in erfc(a r)/r, an inverse length; 0 = chosen from the tolerance and the cutoff */
} myr_molecular_options;

/* Treatment k of a potential at its cutoff: "truncated", "shifted", ...; null past the last. */
MYR_API const myr_choice_info *myr_potential_cut(int k);

/* Default options: no box, cut "truncated". */
MYR_API myr_molecular_options myr_molecular_defaults(void);

/* Sets the options, before the first step. Required with the method "neighbour". */
MYR_API myr_status myr_simulation_set_molecular(myr_simulation *simulation, const myr_molecular_options *options);

/* Present edges and lowest corner of the box; edges are 0 along open axes, or if there is no box. */
MYR_API myr_status myr_simulation_box(const myr_simulation *simulation, double box[3], double origin[3]);

/* Thermodynamic state of particles in a box at the time of the simulation. */
typedef struct {
    /* k T, from the kinetic energy (langevin: of the velocities half a kick later) */
    double temperature;
    /* tensor: xx, yy, zz, yz, xz, xy, from the motion and the pairs; NaN if the volume is */
    double pressure, pressure_tensor[6];
    double box[3], origin[3];        /* present edges, 0 = open axis, and lowest corner */
    double volume, density;          /* density: number density; NaN if an axis is open and not between two walls */
    double kinetic, potential, tail; /* energies; tail is included in potential */
    double restraint;                /* energy of the restraints */
    double bath;                     /* energy of the Nose-Hoover chain */
    double conserved;                /* conserved energy of the equations of motion; NaN if there is none */
    double set_temperature, set_pressure; /* target values at this time; NaN = none */
    double skin;                          /* distance by which the list exceeds the cutoff */
    double list_margin;                   /* remaining skin: skin minus twice the largest displacement */
    double list_lifetime;                 /* mean number of steps per list; NaN = no list */
    /* number of list builds; number of times particles were sorted by grid cell */
    int64_t rebuilds, reorders;
    int64_t displacement_tests;          /* number of times that speeds alone did not prove the list valid */
    int64_t list_pairs;                  /* pairs in the present list */
    double list_seconds, proof_seconds;  /* wall-clock seconds in list builds and in validity proofs */
    int64_t volume_trials, volume_moves; /* trials and accepted trials of the barostat */
    double external;                     /* energy in external fields and of walls */
    double wall_impulse[3][2];           /* momentum that the particles have given to the low and the high wall of each
                                          * axis since the first step, positive = outwards; NaN = no wall */
    double wall_area[3];                 /* area of the walls of each axis; NaN if another axis is open */
    double coulomb;                      /* energy of the charges, included in potential */
} myr_thermodynamics;

/* Measures the thermodynamic state; fails if the particles are not in a box. */
MYR_API myr_status myr_simulation_thermodynamics(myr_simulation *simulation, myr_thermodynamics *thermodynamics);

/* Ewald sums of charges in a box. */
typedef struct {
    double tolerance, splitting, cutoff; /* as in the options, with what was chosen */
    int64_t mesh[3];                     /* points of the mesh */
    int width;                           /* points along an axis that a charge touches */
    int64_t charges;                     /* number of particles with a charge */
    double net_charge;                   /* sum of the charges */
    double pair_seconds, mesh_seconds;   /* wall-clock seconds since the first step */
} myr_coulomb;

/* Describes the Ewald sums; all 0 before the first step, and if charges do not act. */
MYR_API myr_status myr_simulation_coulomb(const myr_simulation *simulation, myr_coulomb *coulomb);

/* Particles of a box on a GPU. */
typedef struct {
    double bytes;                      /* device memory */
    double step_seconds, list_seconds; /* seconds by the GPU's clock in forces and steps, and in list builds */
    int64_t lists;                     /* number of list builds */
    int64_t list_pairs; /* pairs that an evaluation of the forces looks at, both particles of a pair counted */
    double skin;        /* distance by which the list exceeds the cutoff */
    /* what else the steps took, by the processor's clock: launches, waits, steps and other work of the processor */
    double rest_seconds;
} myr_box_device;

/* Memory, times and list of the particles on a GPU; all 0 if they do not move there. Times are extrapolated from one
 * list and the steps with it in every batch of launches. */
MYR_API myr_status myr_simulation_box_device(const myr_simulation *simulation, myr_box_device *device);

/* Writes the machine code of particles that move on a GPU to a file, for a disassembler; the loop over pairs is that of
 * the function box_step_cube (boxes with equal edges) or box_step. Fails if the particles do not move on a GPU. */
MYR_API myr_status myr_simulation_box_code(const myr_simulation *simulation, const char *path);

/* Measures the error of the present forces on a sample of the particles: direct sums over all particles in double
 * arithmetic, without list, at the positions of the state. Errors of the sums are NaN, and so is rounding_used for the
 * atoms of a molecule. On several ranks the sample is from the domain of the calling rank. Fails before the motion has
 * begun, and if the particles are neither in a box nor the atoms of a molecule. */
MYR_API myr_status myr_simulation_force_accuracy(myr_simulation *simulation, int64_t samples, myr_accuracy *accuracy);

/* Draws velocities from the Maxwell distribution, before the first step, with zero total momentum and scaled to exactly
 * k T = temperature. The velocities depend on the seed and the ids alone. */
MYR_API myr_status myr_simulation_heat(myr_simulation *simulation, double temperature, uint64_t seed);

/* Removes the total momentum from the velocities, before the first step. */
MYR_API myr_status myr_simulation_rest(myr_simulation *simulation);

/* Turns all velocities, and those of a Nose-Hoover chain, at the present time: the motion then goes back along its
 * path, to the first state exactly if exact_reverse was set, otherwise up to rounding. Integrators "verlet" and
 * "nose_hoover" only. With negative steps (myr_simulation_advance to an earlier time) the motion goes back as well. */
MYR_API myr_status myr_simulation_reverse(myr_simulation *simulation);

/* Result of a minimisation. */
typedef struct {
    int64_t steps;
    double energy, largest_force;
    int converged;
} myr_minimum;

/* Minimises the energy of particles in a box (FIRE), before the first step, until no force exceeds `tolerance` (in
 * units of the largest epsilon / sigma), in at most `steps` steps. Velocities are not changed. */
MYR_API myr_status myr_simulation_minimise(myr_simulation *simulation, double tolerance, int64_t steps,
                                           myr_minimum *minimum);

MYR_END_DECLS

#endif
