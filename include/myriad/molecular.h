/* molecular.h - particles in a box that act on their neighbours only: molecular dynamics.
 *
 * Where the interaction's method is "neighbour", a simulation keeps its particles as 64-bit box coordinates in the
 * order of a grid, with a list of neighbours that is proven to hold at every step. The integrators "verlet",
 * "langevin", "nose_hoover" and "berendsen" move them. Temperatures are energies here, k T.
 *
 *   myr_molecular_options o = myr_molecular_defaults();
 *   o.box[0] = o.box[1] = o.box[2] = 10;
 *   myr_simulation_set_molecular(s, &o);
 *   myr_simulation_choose(s, "verlet");
 */
#ifndef MYRIAD_MOLECULAR_H
#define MYRIAD_MOLECULAR_H

#include <myriad/simulation.h>

MYR_BEGIN_DECLS

/* What belongs to particles in a box besides the interaction and the integrator. */
typedef struct {
    double box[3];             /* edges; 0 = not periodic that way */
    double origin[3];          /* the lowest corner of the box */
    int cut;                   /* how the potential ends at the cutoff: index of myr_potential_cut */
    double inner;              /* cut "spline": where the cubic begins */
    double skin;               /* how far beyond the cutoff the list reaches; 0 = chosen */
    int tail;                  /* adds what lies beyond the cutoff to energy and pressure; cut "truncated" only */
    int check;                 /* compares every list with all pairs: slow */
    uint64_t seed;             /* of thermostat and barostat */
    int64_t centre_interval;   /* steps between removals of the motion of the centre of mass; 0 = none */
    int64_t pressure_interval; /* steps between trial moves of the box; 0 = the box stays */
    double pressure, pressure_end;
    double pressure_ramp; /* time in which the pressure goes to pressure_end; 0 = it stays */
    int anisotropic;      /* axes change by themselves */
    double restraint;     /* stiffness that holds particles where they were at the start; 0 = none */
    int restraint_type;   /* particles of this type only; -1 = all */
} myr_molecular_options;

/* Ways in which a potential ends at its cutoff: "truncated", "shifted", ...; null past the end. */
MYR_API const myr_choice_info *myr_potential_cut(int k);

/* Options as they are when nothing is said: no box, cut "truncated". */
MYR_API myr_molecular_options myr_molecular_defaults(void);

/* Sets them, before the first step. Needed where the interaction's method is "neighbour". */
MYR_API myr_status myr_simulation_set_molecular(myr_simulation *simulation, const myr_molecular_options *options);

/* Edges and lowest corner of the box now; edges of 0 where it is open, or where there is none. */
MYR_API myr_status myr_simulation_box(const myr_simulation *simulation, double box[3], double origin[3]);

/* What particles in a box are like at the simulation's time. */
typedef struct {
    double temperature;                   /* k T, from the kinetic energy (langevin: half a kick later) */
    double pressure, pressure_tensor[6];  /* xx, yy, zz, yz, xz, xy; NaN where the box is open */
    double box[3], origin[3];             /* edges now; 0 = open */
    double volume, density;               /* number density; NaN where the box is open */
    double kinetic, potential, tail;      /* tail: part of the potential */
    double restraint;                     /* energy of the restraints */
    double bath;                          /* energy of a Nose-Hoover chain */
    double conserved;                     /* what the equations of motion conserve; NaN where nothing is */
    double set_temperature, set_pressure; /* asked for at this time; NaN = not */
    double skin;                          /* how far the list reaches beyond the cutoff */
    double list_margin;                   /* what is left of the skin after twice the longest way of a particle */
    double list_lifetime;                 /* steps per list so far; NaN = there is none */
    int64_t rebuilds, reorders;           /* lists built; times that particles were put into the order of the grid */
    int64_t displacement_tests;           /* times that speeds alone did not prove the list */
    int64_t list_pairs;                   /* in the present list */
    double list_seconds, proof_seconds;   /* on the clock, spent on building lists and on proving that they hold */
    int64_t volume_trials, volume_moves;  /* of the barostat */
} myr_thermodynamics;

/* Measures it; an error where the particles are not in a box. */
MYR_API myr_status myr_simulation_thermodynamics(myr_simulation *simulation, myr_thermodynamics *thermodynamics);

/* Gives the particles velocities of Maxwell's distribution, before the first step: without total momentum, and scaled
 * so that their temperature is exactly k T = temperature. They depend on the seed and the ids alone. */
MYR_API myr_status myr_simulation_heat(myr_simulation *simulation, double temperature, uint64_t seed);

/* Takes the total momentum off the velocities, before the first step. */
MYR_API myr_status myr_simulation_rest(myr_simulation *simulation);

/* How a minimisation went. */
typedef struct {
    int64_t steps;
    double energy, largest_force;
    int converged;
} myr_minimum;

/* Moves the particles of a box downhill (FIRE), before the first step, until no force is larger than `tolerance` (in
 * units of the deepest epsilon / sigma), `steps` at most. Velocities are not changed. */
MYR_API myr_status myr_simulation_minimise(myr_simulation *simulation, double tolerance, int64_t steps,
                                           myr_minimum *minimum);

MYR_END_DECLS

#endif
