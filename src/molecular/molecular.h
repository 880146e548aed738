/* molecular.h - particles in a box, in their own layout: box coordinates and velocities in the order of the list's
 * grid. Everything that feeds back into the motion (kinetic energy, virial, momentum, decisions of the barostat) is
 * summed in integers, and random numbers are keyed by (seed, id, step), so that with fixed sums the motion does not
 * depend on threads, order or the time at which lists are built.
 *
 * A box may be divided into domains (myr_molecular_divide). Each has an engine with its own particles [0, n) and,
 * behind them, a halo [n, n + halo): copies of those of other domains that are near. Of the halo, only q, type and id
 * are there. All domains call the same functions in the same order, and what follows from all particles (kinetic
 * energy, virial, when a list is built, the unit of sums) is agreed upon: with fixed sums the motion has the bits of a
 * box that is not divided. */
#ifndef MYR_MOLECULAR_H
#define MYR_MOLECULAR_H

#include <myriad/molecular.h>

#include "core/memory.h"
#include "domain/agreement.h"
#include "integrator/integrator.h"
#include "interaction/interaction.h"
#include "method/neighbour/neighbour.h"
#include "molecular/molecule.h"

enum {
    MYR_MOLECULAR_TERMS = 8,
    MYR_MOLECULAR_FIELDS = 32, /* arrays of a particle, at most */
    MYR_CHAIN_MAX = 8,
    MYR_MOLECULAR_BLOCK = 64,  /* arrays are padded to a multiple of it */
    MYR_MOLECULAR_ALONE = 2048 /* so few particles are moved faster by one thread */
};

/* What is remembered besides the particles' arrays; goes into checkpoints as it is. */
typedef struct {
    double length[3], origin[3];
    double begin;                                                        /* time at which ramps began */
    double chain_position[MYR_CHAIN_MAX], chain_velocity[MYR_CHAIN_MAX]; /* Nose-Hoover */
    double volume_step;                                                  /* largest change of log V that is tried */
    int64_t volume_trials, volume_moves;
    int64_t recent_trials, recent_moves; /* since volume_step was last changed */
    int64_t degrees;                     /* of freedom */
    int64_t exponent;                    /* of the fixed sums */
    double skin;
    double pending; /* time by which velocities lag behind: a kick that goes with that of the next step */
    double slack;   /* how far particles may go before open axes are looked at */
} myr_molecular_memory;

typedef struct myr_molecular myr_molecular;

/* A force besides that of the pairs: adds to the forces, and to the energy and virial where sums is not null. */
typedef struct {
    myr_status (*add)(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);
} myr_force_term;

/* An array of the particles: memory, sorting, checkpoints and exchange between domains go through a list of them. */
typedef struct {
    const char *name; /* of its column in a checkpoint; null = made anew */
    void **array;
    size_t bytes; /* of a particle */
    int sorted;   /* by the list, which does it to coordinates and types by itself */
    int stays;    /* with the particle: goes along when it changes its domain */
    int halo;     /* a halo has it, too */
} myr_molecular_field;

/* How a domain gets at the others. Every function is called by all domains at the same points. The box's lengths are
 * those of m->box; coordinates of a halo particle are those of its owner, without a shift. */
typedef struct {
    void *user;
    myr_agreement agreement;
    /* A new list begins: sends own particles that have left the domain to those they are in, and takes in others'. All
     * fields that stay with a particle move; own ones are [0, n) of them afterwards, in any order, and m->n says how
     * many (myr_molecular_reserve makes room). There is no halo at the time. */
    myr_status (*migrate)(void *user, myr_molecular *m);
    /* Gets a new halo: all particles of other domains that are closer than `width` to the domain along every axis, each
     * of them once, in any order, none of its own: the fields of a halo in [n, n + halo), and m->halo. Own particles
     * keep their places from now until the next migrate. */
    myr_status (*surround)(void *user, myr_molecular *m, double width);
    /* Own particles have moved: starts to send coordinates for the halos, and need not wait. A receive follows before
     * anything else of these. */
    myr_status (*send)(void *user, myr_molecular *m);
    /* Waits until those of the halo have come, and puts them into q [n, n + halo), where they were. */
    myr_status (*receive)(void *user, myr_molecular *m);
    /* Between them, now and then: looks after them, and waits for nothing. Null where there is no need. */
    myr_status (*poll)(void *user, myr_molecular *m);
} myr_molecular_links;

struct myr_molecular {
    myr_context *context;
    const myr_interaction *interaction;
    myr_molecular_options options;
    int64_t n, halo; /* own particles, and copies of others' behind them */
    int64_t all;     /* particles of all domains */
    int64_t before;  /* rows before those of the set that the particles came from */
    int64_t domains; /* that the box is divided into */
    int64_t capacity;
    myr_molecular_links links; /* where there is an agreement */
    int divided;
    int under_way; /* coordinates of the halo are */
    int asking;    /* the other domains, whether the list holds */
    int answered;  /* they have, and it takes more than a word */
    int renewed;   /* the list is another one since forces began */
    double word[MYR_NEIGHBOUR_WORDS];
    myr_status trouble; /* that came up meanwhile */
    int threads, fixed;
    int scheme; /* MYR_MOLECULAR_VERLET, ... */
    double parameter[MYR_INTEGRATOR_PARAMETERS];
    myr_box box;
    myr_pair_potential *pair; /* [types][types] */
    int types;
    int64_t *count;                    /* particles of a type, in all domains */
    myr_neighbour *list;               /* null where the atoms of a molecule all act on each other */
    myr_molecule *molecule;            /* the caller's; null = free particles */
    myr_constraints *rigid;            /* bonds of fixed length; null = none */
    double *x[3];                      /* of a molecule: positions of the moment */
    double energy[MYR_MOLECULE_TERMS]; /* of a molecule: when energies were last looked at */
    /* per particle, sorted by the list */
    uint64_t *q[3];
    uint64_t *counted[3]; /* coordinates when boxes were last counted */
    int32_t *image[3];    /* boxes crossed until then */
    double *v[3], *f[3];
    double *mass, *inverse; /* m, 1/m */
    int32_t *type;
    int64_t *index; /* its row: where it is in the set of all particles */
    int64_t *id;
    double *carried;     /* [columns] of other fields of the user's set, one particle after the other; null = none */
    uint64_t *anchor[3]; /* restraints: where they are held; null = none */
    double *g[3];        /* room for forces that are only looked at */
    const myr_particles *set; /* the fields of the user's set; null = none are carried */
    int columns;
    myr_memory_room room; /* all of these arrays */
    myr_force_term term[MYR_MOLECULAR_TERMS];
    int terms;
    double uncounted;      /* how far particles may have gone since then */
    double reach2;         /* largest |v + a dt/2|^2 of the moment: how far the next step would go */
    double epsilon, sigma; /* deepest, smallest: what is large is told from them */
    myr_molecular_memory memory;
    double force_seconds;
    int told_unit;                     /* that coordinates are coarse */
    int told_smallest;                 /* that the barostat has come to the smallest box */
    int64_t steps_made, builds_before; /* since the particles were taken; lists built before the first step */
};

/* --- box_state.c --- */

/* What a set is of all particles: rows [first, first + its number) of `all`, which are from low to high; it may be
 * empty. */
typedef struct {
    int64_t first, all;
    double low[3], high[3];
} myr_molecular_part;

/* From where to where the particles of a set are, along the axes; low above high where there are none. */
void myr_molecular_extent(const myr_particles *particles, double low[3], double high[3]);

/* Takes particles into a box. Positions outside of it are folded in. part: null = the set is all that there is; of a
 * part, the box is to be divided before anything else is done. `table` and `parameter` are the integrator's. With a
 * molecule all pairs count, there is no box and no list, and bonds to hydrogen may be rigid. */
myr_status myr_molecular_create(myr_context *context, const myr_particles *particles, const myr_molecular_part *part,
                                const myr_interaction *f, const myr_molecular_options *options,
                                const myr_integrator_table *table, const double *parameter, myr_molecule *molecule,
                                int rigid, myr_molecular **molecular);
void myr_molecular_destroy(myr_molecular **molecular);

/* Evaluates the forces where the particles are: what the first step needs. */
myr_status myr_molecular_start(myr_molecular *m, double time);

/* What a checkpoint must hold besides the arrays that have a name: brings it and them up to date. */
void *myr_molecular_remember(myr_molecular *m, size_t *bytes);

/* To be called when all of it has been read from, or written to, a checkpoint: where sums depend on the order, both go
 * on with a new list. is_part: of a part of the particles the box is yet to be divided, and has no list before. */
myr_status myr_molecular_saved(myr_molecular *m);
myr_status myr_molecular_loaded(myr_molecular *m, int is_part);

/* --- arrays.c --- */

/* The arrays of a particle, at most MYR_MOLECULAR_FIELDS; returns how many. */
int myr_molecular_fields(myr_molecular *m, myr_molecular_field *field);

/* Room for so many particles, own and copies. Arrays may move, and keep [0, n + halo). */
myr_status myr_molecular_reserve(myr_molecular *m, int64_t count);

/* Makes the list that sorts them. */
myr_status myr_molecular_list(myr_molecular *m);

/* --- particle_fields.c: the engine's arrays as fields of the user's set --- */

/* Adds the fields to a set that the engine has by itself: positions (inside the box), velocities, forces, images. */
myr_status myr_molecular_add_fields(const myr_molecular *m, myr_particles *set);

/* Puts them into the set that the particles came from. */
myr_status myr_molecular_fetch(myr_molecular *m, myr_particles *particles);

/* From now on all other fields of the user's set stay with the particles, too. `set` says which they are: it is the
 * caller's, and has to stay. `from` has them now, its first row is row `first` of the user's set; a field that it lacks
 * is 0. To be called before the box is divided. */
myr_status myr_molecular_carry(myr_molecular *m, const myr_particles *set, const myr_particles *from, int64_t first);

/* Whether a field is one that particles carry, and none of the engine; and the first column of field k of the set among
 * all that are carried, of the one past the last their number. */
int myr_molecular_carries(const char *field);
int myr_molecular_carried(const myr_particles *set, int k);

/* A field of own particles, one that the engine has or carries: component c of particle i goes to
 * to[place[i] * components + c]; place null = i. */
void myr_molecular_column(myr_molecular *m, const char *field, const int64_t *place, int components, double *to);

/* --- domain_exchange.c: the domains of a divided box --- */

/* Goes on as one domain of several. All have been made with the same options, and each particle is in one of them,
 * wherever it belongs. Builds the first list, and so calls migrate and surround. The links are copied. */
myr_status myr_molecular_divide(myr_molecular *m, const myr_molecular_links *links);

/* Forgets all particles but those of rows [first, last): what domains that all have been made with all particles begin
 * with. */
void myr_molecular_keep(myr_molecular *m, int64_t first, int64_t last);

/* What follows from all particles is agreed upon, before the box is divided or without that. */
void myr_molecular_agree(myr_molecular *m, const myr_agreement *agreement);

/* Degrees of freedom of all particles. */
int64_t myr_molecular_degrees(const myr_molecular *m);

/* With the other domains; null where there are none. */
const myr_agreement *myr_molecular_agreement(const myr_molecular *m);

/* A new list, with particles exchanged; or the same one, with the halo's coordinates under way; and waiting for them.
 */
myr_status myr_molecular_renew(myr_molecular *m);
myr_status myr_molecular_refresh(myr_molecular *m);
myr_status myr_molecular_settle(myr_molecular *m);

/* Asks the other domains whether the list holds after a move. ahead: their answer may come during forces, which look
 * after all that is under way meanwhile. */
myr_status myr_molecular_ask(myr_molecular *m, double furthest, int ahead);
void myr_molecular_meanwhile(void *molecular);

/* --- forces.c --- */

/* The box has changed or own particles have moved by up to `furthest`: proves or rebuilds the list. */
myr_status myr_molecular_update(myr_molecular *m, double furthest);

/* The same where forces follow before anything else: the list may be proven, or rebuilt, during those. */
myr_status myr_molecular_update_ahead(myr_molecular *m, double furthest);

/* All particles of all domains have moved by up to `furthest`: counts boxes, widens open axes. */
myr_status myr_molecular_moved(myr_molecular *m, double furthest);

/* Warns, once, where an open axis is so long that pairs see coarse coordinates. */
void myr_molecular_tell_unit(myr_molecular *m);

/* Counts the boxes that particles have crossed. */
void myr_molecular_count(myr_molecular *m);

/* Forces into `force`; energy and virial of pairs and terms where sums is not null. */
myr_status myr_molecular_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);

/* Energy beyond the cutoff per the present volume, and its part of the pressure. */
void myr_molecular_tail(const myr_molecular *m, double *energy, double *pressure);

/* An error that names two particles where the largest force is one that no step could follow. */
myr_status myr_molecular_check_overlap(myr_molecular *m);

/* The nearest to particle i (places in memory), -1 where it is alone. */
int64_t myr_molecular_nearest(const myr_molecular *m, int64_t i, double *distance);

/* The id of a place in memory, also one of the halo; -1 where it is of nobody. */
int64_t myr_molecular_id(const myr_molecular *m, int64_t i);

/* Adds the restraints to the table of terms. */
myr_status myr_molecular_restrain(myr_molecular *m);

/* Restraints hold the particles at the positions of another set, in the user's order. */
void myr_molecular_anchor(myr_molecular *m, const myr_particles *at);

/* --- box_steps.c --- */

/* One step of length dt at `time`, the `step`-th. */
myr_status myr_molecular_step(myr_molecular *m, double time, double dt, int64_t step);

/* The largest |v + a dt/2|^2, which tells whether the next step is safe. */
void myr_molecular_measure_reach(myr_molecular *m);

/* --- molecule_engine.c: the atoms of a molecule --- */

/* Whether choices, box and options go with a molecule. */
myr_status myr_molecular_check_molecule(const myr_molecular *m);

/* Puts the atoms onto the lengths of the rigid bonds, and takes velocities along them off. */
myr_status myr_molecular_bind(myr_molecular *m);

/* Forces; energies by term where sums is not null. */
myr_status myr_molecular_molecule_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);

/* A drift by dt on which rigid bonds keep their lengths; and what velocities have along them taken off. */
myr_status myr_molecular_rigid_drift(myr_molecular *m, double dt);
myr_status myr_molecular_rigid_speed(myr_molecular *m);

/* --- thermostat_barostat.c: thermostats and barostat --- */

/* Temperature and pressure asked for at a time. */
double myr_molecular_temperature(const myr_molecular *m, double time);
double myr_molecular_pressure(const myr_molecular *m, double time);

/* Refuses a bath that could not change any velocity: a chain at temperature 0; and scaling where all are at rest. */
myr_status myr_molecular_check_bath(const myr_molecular *m);
myr_status myr_molecular_check_motion(const myr_molecular *m, double time);

/* Half a step of the Nose-Hoover chain; one step of Berendsen's. Both scale the velocities. */
myr_status myr_molecular_chain(myr_molecular *m, double time, double dt);
myr_status myr_molecular_berendsen(myr_molecular *m, double time, double dt);

/* The energy of the chain. */
double myr_molecular_bath(const myr_molecular *m, double time);

/* A trial move of the box. */
myr_status myr_molecular_try_volume(myr_molecular *m, double time, int64_t step);

/* --- observe.c: sums are those of all domains --- */

/* The velocities of the moment: those that are kept, or, where a kick is pending, what they would be with it, in the
 * room of g. */
double *const *myr_molecular_velocities(myr_molecular *m);

/* Sum of m v_a v_b: xx, yy, zz, yz, xz, xy. */
myr_status myr_molecular_kinetic(const myr_molecular *m, double tensor[6]);

/* Total mass. */
myr_status myr_molecular_mass(const myr_molecular *m, double *mass);

/* Total momentum; and its removal. */
myr_status myr_molecular_momentum(myr_molecular *m, double momentum[3]);
myr_status myr_molecular_rest(myr_molecular *m);

/* The energy of the restraints. */
myr_status myr_molecular_restraint(const myr_molecular *m, double *energy);

/* v *= factor */
void myr_molecular_scale(myr_molecular *m, double factor);

/* Velocities of Maxwell's distribution. */
myr_status myr_molecular_heat(myr_molecular *m, double temperature, uint64_t seed);

/* Everything there is to know. */
myr_status myr_molecular_observe(myr_molecular *m, double time, myr_thermodynamics *t);

/* --- minimise.c --- */

/* Goes downhill from a place without velocities (they are changed) until the largest force is below the tolerance. */
myr_status myr_molecular_minimise(myr_molecular *m, double tolerance, int64_t steps, myr_minimum *minimum);

#endif
