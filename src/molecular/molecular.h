/* molecular.h - engine for particles in a box. The engine has its own arrays: box coordinates and velocities in the
 * order of the cell grid of the pair list. Every quantity that enters the motion (kinetic energy, virial, momentum,
 * barostat decisions) is summed in integers, and random numbers are keyed by (seed, id, step); with fixed sums the
 * motion is independent of threads, particle order and the times of list builds.
 *
 * A box may be divided into domains (myr_molecular_divide). Each domain has an engine with own particles [0, n),
 * followed by a halo [n, n + halo): copies of nearby particles of other domains, with q, type and id only. All domains
 * call the same functions in the same order and agree on every quantity that depends on all particles (kinetic energy,
 * virial, list builds, the unit of sums); with fixed sums the motion has the bits of an undivided box. */
#ifndef MYR_MOLECULAR_H
#define MYR_MOLECULAR_H

#include <myriad/external.h>
#include <myriad/molecular.h>

#include "backend/box_bath.h"
#include "backend/box_counts.h"
#include "backend/box_paths.h"
#include "backend/exact_motion.h"
#include "core/memory.h"
#include "domain/agreement.h"
#include "integrator/integrator.h"
#include "interaction/interaction.h"
#include "method/neighbour/neighbour.h"
#include "molecular/molecule.h"

enum {
    MYR_MOLECULAR_TERMS = 8,
    MYR_MOLECULAR_FIELDS = 32, /* largest number of arrays per particle */
    MYR_MOLECULAR_BLOCK = 64,  /* arrays are padded by this number of particles */
    MYR_MOLECULAR_ALONE = 2048 /* up to this number of particles one thread is faster than several */
};

/* State besides the particle arrays; stored in checkpoints byte by byte. */
typedef struct {
    double length[3], origin[3];
    /* time at which the temperature and pressure ramps began */
    double begin;
    box_chain chain; /* Nose-Hoover chain */
    /* largest trial change of log V of the barostat */
    double volume_step;
    int64_t volume_trials, volume_moves;
    int64_t recent_trials, recent_moves; /* since volume_step was last adapted */
    int64_t degrees;                     /* degrees of freedom */
    int64_t exponent;                    /* exponent of the unit of fixed sums */
    double skin;
    double pending; /* time by which velocities lag behind: a deferred kick that is merged with that of the next step */
    double slack;   /* distance that particles may move before open axes are checked again */
    /* from here on: not in earlier checkpoints */
    int64_t push_exponent; /* exponent of the largest impulse of a particle on a wall */
    /* impulses on the walls by the particles of all domains, in units of 2^(push_exponent - BOX_PUSH_BITS) */
    myr_wide wall_push[3][BOX_SIDES];
    int64_t velocity_exponent; /* exact_reverse: velocities are multiples of 2^velocity_exponent */
    double splitting, reach;   /* Ewald sums of charges: splitting and cutoff of the pairs; 0 = no charges act */
} myr_molecular_memory;

/* External fields of particles in a box, in the units of the user. */
typedef struct {
    double acceleration[3], offset[3]; /* sum of the uniform fields: potential offset - acceleration x */
    int traps;
    double rate2[BOX_TRAPS][3], centre[BOX_TRAPS][3]; /* squared angular frequencies and centres of harmonic traps */
} myr_molecular_external;

/* Sum of the external fields that functions of the user compute: adds to the accelerations of the points, and to their
 * potentials unless these are null. */
typedef struct {
    myr_status (*call)(void *user, const myr_field_points *points);
    void *user;
} myr_molecular_function;

typedef struct myr_molecular myr_molecular;
typedef struct myr_molecular_before myr_molecular_before;

/* Force besides the pair forces: adds to the forces and, unless sums is null, to energy and virial. For measured errors
 * `exact` adds the force on the n listed particles; null = `add` is exact. */
typedef struct {
    myr_status (*add)(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);
    myr_status (*exact)(myr_molecular *m, int64_t n, const int64_t *pick, double *const force[3]);
} myr_force_term;

/* Description of a particle array; memory, sorting, checkpoints and exchange between domains use a list of these. */
typedef struct {
    const char *name; /* name of the array in a checkpoint; null = not stored */
    void **array;
    size_t bytes; /* bytes per particle */
    int sorted;   /* 1 = sorted as a tracked array of the pair list; the list sorts coordinates and types itself */
    int stays;    /* 1 = moves with the particle to another domain */
    int halo;     /* 1 = present in the halo */
} myr_molecular_field;

/* Communication of a domain with the others. All domains call each function at the same points. Box lengths are those
 * of m->box; the coordinates of a halo particle are those of its owner, without a periodic shift. */
typedef struct {
    void *user;
    myr_agreement agreement;
    /* At the start of a list build: sends own particles outside the domain to their owners and receives others, with
     * all arrays marked `stays`. Afterwards own particles are [0, n) in any order, and m->n is their number
     * (myr_molecular_reserve makes room). There is no halo at that time. */
    myr_status (*migrate)(void *user, myr_molecular *m);
    /* Creates the halo: all particles of other domains closer than `width` to the domain along every axis, each once,
     * in any order, in [n, n + halo); sets m->halo. Own particles keep their indices until the next migrate. */
    myr_status (*surround)(void *user, myr_molecular *m, double width);
    /* Starts to send halo coordinates after own particles have moved, without waiting. A receive follows before any
     * other call. */
    myr_status (*send)(void *user, myr_molecular *m);
    /* Waits for the halo coordinates and writes them to q [n, n + halo), in the order of `surround`. */
    myr_status (*receive)(void *user, myr_molecular *m);
    /* Progresses messages between send and receive, without waiting. Null = not needed. */
    myr_status (*poll)(void *user, myr_molecular *m);
    /* For particles on a GPU, which packs halo coordinates itself: rows of the entries of all messages, and their
     * exchange (myr_halo_places, myr_halo_swap). Null = the domains cannot be on GPUs. */
    const int32_t *(*places)(void *user, int64_t *count);
    myr_status (*swap)(void *user, uint64_t *out, uint64_t *in);
    int local, locals; /* number of this domain among those of the same machine; number of these */
} myr_molecular_links;

struct myr_molecular {
    myr_context *context;
    const myr_interaction *interaction;
    myr_molecular_options options;
    int64_t n, halo;   /* numbers of own particles and of halo copies */
    int64_t all;       /* number of particles in all domains */
    double total_mass; /* mass of these; 0 = not computed yet */
    int64_t before;    /* row of the first particle of the user's set among all particles */
    int64_t domains;   /* number of domains of the box */
    int64_t capacity;
    myr_molecular_links links; /* valid if links.agreement is set */
    int divided;
    int halo_in_flight;                       /* halo coordinates were sent and not yet received */
    int check_in_flight;                      /* the reduction that checks the list over all domains is in flight */
    int check_answered;                       /* all domains have answered, and the list must be proven again */
    int renewed;                              /* the list was rebuilt since the force evaluation began */
    double check[MYR_NEIGHBOUR_PROOF_VALUES]; /* values whose maxima over all domains decide whether the list holds */
    myr_status poll_status; /* failure during overlapped communication, reported by myr_molecular_settle */
    int threads;            /* number of threads that the user granted */
    int team;               /* number of threads that move particles, by the work (core/waiting.h) */
    int fixed;
    int scheme; /* MYR_MOLECULAR_VERLET, ... */
    double parameter[MYR_INTEGRATOR_PARAMETERS];
    myr_box box;
    myr_pair_potential *pair;      /* [types][types] */
    myr_neighbour_formula formula; /* pair formula of a user's kernel; name null = Lennard-Jones */
    int types;
    int64_t *count;                    /* [types], number of particles of each type in all domains */
    myr_neighbour *list;               /* pair list; null for a molecule, whose atoms all interact */
    myr_molecule *molecule;            /* owned by the caller; null = particles without bonds */
    myr_constraints *rigid;            /* bonds of fixed length; null = none */
    double *x[3];                      /* [3][n], present positions of the atoms of a molecule, in Angstrom */
    double energy[MYR_MOLECULE_TERMS]; /* energies of a molecule by term, from the last evaluation with energies */
    /* particle arrays [n + halo], in the order of the list: box coordinates */
    uint64_t *q[3];
    uint64_t *counted[3]; /* coordinates at the last count of boundary crossings */
    int32_t *image[3];    /* periodic image of each particle at that count */
    double *v[3], *f[3];
    double *mass, *inverse; /* mass and 1/mass */
    double *charge;         /* null = charges do not act */
    int32_t *type;
    int64_t *index; /* row of the particle among all particles of the user */
    int64_t *id;
    double *carried;                       /* [n][columns], other fields of the user's set; null = none */
    struct myr_molecular_coulomb *coulomb; /* Ewald sums of the charges; null = none */
    myr_molecular_external external;
    box_fields fields;                 /* external fields and walls in the present box (box_fields.c) */
    myr_molecular_function function;   /* call null = none (function_field.c) */
    myr_molecular_before *before_step; /* state before the present step, if there are functions */
    double now;                        /* time of the next evaluation of forces */
    int fielded, reflecting;           /* 1 = there are fields or walls; 1 = there are reflecting walls */
    int64_t push[3 * BOX_SIDES];       /* impulses on walls 9-3 by the forces of the last evaluation */
    myr_wide own_push[3 * BOX_SIDES];  /* impulses by own particles that memory.wall_push does not contain yet */
    double step;                       /* length of the present step */
    uint64_t *anchor[3];               /* coordinates to which restraints hold the particles; null = no restraints */
    double *g[3];                      /* scratch space for three components */
    const myr_particles *set;          /* names and components of the carried fields; null = none */
    int columns;
    myr_memory_room room; /* memory of all particle arrays */
    myr_force_term term[MYR_MOLECULAR_TERMS];
    int terms;
    double uncounted;      /* upper bound of displacements since the last count of boundary crossings */
    double reach2;         /* largest |v + a dt/2|^2: bounds the displacement in the next step */
    double epsilon, sigma; /* largest epsilon and smallest sigma of all pairs: scales of energy and length */
    double cutoff[2];      /* shortest and longest cutoff of the pairs that interact */
    myr_molecular_memory memory;
    struct myr_molecular_gpu *gpu; /* particles on a GPU; null = on the processor */
    struct myr_molecule_gpu *seat; /* molecule that moves on a GPU alone; null = on the processor, or in an ensemble */
    double force_seconds;
    int warned_unit;                   /* the warning about coarse coordinates was given */
    int warned_smallest;               /* the warning about the smallest box of the barostat was given */
    int64_t steps_made, builds_before; /* steps since the particles were loaded; list builds before the first step */
};

/* --- box_state.c --- */

/* Part of all particles that a set holds: rows [first, first + count of the set) of `all`; low and high bound the
 * positions of all particles. The set may be empty. */
typedef struct {
    int64_t first, all;
    double low[3], high[3];
} myr_molecular_part;

/* Bounds of the positions of a set along each axis; low > high if the set is empty. */
void myr_molecular_extent(const myr_particles *particles, double low[3], double high[3]);

/* Creates the engine from a particle set. Positions outside the box are folded into it. part: null = the set holds all
 * particles; otherwise the box must be divided before any other call. `table` and `parameter` describe the integrator.
 * With a molecule all pairs interact, there is neither box nor list, and bonds to hydrogen may be rigid. */
myr_status myr_molecular_create(myr_context *context, const myr_particles *particles, const myr_molecular_part *part,
                                const myr_interaction *f, const myr_molecular_options *options,
                                const myr_integrator_table *table, const double *parameter, myr_molecule *molecule,
                                int rigid, myr_molecular **molecular);
void myr_molecular_destroy(myr_molecular **molecular);

/* Evaluates the forces at the initial positions, for the first step. */
myr_status myr_molecular_start(myr_molecular *m, double time);

/* Brings the state for a checkpoint up to date and returns its address: the bytes that a checkpoint stores besides the
 * named arrays. */
void *myr_molecular_remember(myr_molecular *m, size_t *bytes);

/* Called after a checkpoint was written, or its bytes and arrays were read. If sums depend on the order, both rebuild
 * the list, so that a restarted run has the same bits. is_part = 1: the engine holds a part of the particles, and the
 * box is divided later. */
myr_status myr_molecular_saved(myr_molecular *m);
myr_status myr_molecular_loaded(myr_molecular *m, int is_part);

/* --- box_formula.c: kernels written by users ---------------------------------------------------------------------- */

/* has_formula: 1 if the kernel of an interaction was written by a user. check_formula: fails with a message if it
 * cannot act between particles in a box. set_formula: takes it as the pair formula of an engine; scale_formula: scale
 * of energies, after the pair list was created. formula_in_double: loops in double arithmetic; null with a message if
 * not available. */
int myr_molecular_has_formula(const myr_interaction *f);
myr_status myr_molecular_check_formula(myr_context *context, const myr_interaction *f);
myr_status myr_molecular_set_formula(myr_molecular *m);
void myr_molecular_scale_formula(myr_molecular *m);
const myr_short_range_unit *myr_molecular_formula_in_double(myr_molecular *m);

/* Name of the kernel with the potential, in the header of the pipeline. */
const char *myr_molecular_formula_kernel(const myr_molecular *m);

/* --- arrays.c --- */

/* Descriptions of all particle arrays, at most MYR_MOLECULAR_FIELDS; returns their number. */
int myr_molecular_fields(myr_molecular *m, myr_molecular_field *field);

/* Makes room for `count` particles, own and halo. Arrays may move in memory; the entries [0, n + halo) are kept. */
myr_status myr_molecular_reserve(myr_molecular *m, int64_t count);

/* Creates the pair list, which sorts the particle arrays. */
myr_status myr_molecular_list(myr_molecular *m);

/* --- particle_fields.c: engine arrays as fields of the user's particle set ---------------------------------------- */

/* Adds the fields that the engine provides to a set: position (inside the box), velocity, force, and image in a
 * periodic box. */
myr_status myr_molecular_add_fields(const myr_molecular *m, myr_particles *set);

/* Copies these fields of the engine to the set that the particles came from. */
myr_status myr_molecular_fetch(myr_molecular *m, myr_particles *particles);

/* Makes all other fields of the user's set move with the particles. `set` names the fields; the caller keeps it alive.
 * `from` holds the present values, and its first row is row `first` of the user's set; a field missing in `from` is 0.
 * Called before the box is divided. */
myr_status myr_molecular_carry(myr_molecular *m, const myr_particles *set, const myr_particles *from, int64_t first);

/* myr_molecular_carries: 1 if a field is carried and not one of the engine. myr_molecular_carried: first column of
 * field k of the set among all carried columns; for k past the last field, the number of columns. */
int myr_molecular_carries(const char *field);
int myr_molecular_carried(const myr_particles *set, int k);

/* Copies a field of the engine or a carried field of own particles: component c of particle i goes to to[place[i] *
 * components + c]; place null = i. */
void myr_molecular_column(myr_molecular *m, const char *field, const int64_t *place, int components, double *to);

/* --- domain_exchange.c: domains of a divided box ------------------------------------------------------------------ */

/* Makes the engine one domain of several. All engines were created with the same options, and each particle is in
 * exactly one of them, not necessarily the right one. Builds the first list, which calls migrate and surround. The
 * links are copied. */
myr_status myr_molecular_divide(myr_molecular *m, const myr_molecular_links *links);

/* Drops all particles except those of rows [first, last): the start of domains that were all created with all
 * particles. */
void myr_molecular_keep(myr_molecular *m, int64_t first, int64_t last);

/* Sets the reductions over all domains, before or without division of the box. */
void myr_molecular_agree(myr_molecular *m, const myr_agreement *agreement);

/* Number of degrees of freedom of all particles. */
int64_t myr_molecular_degrees(const myr_molecular *m);

/* Reductions over all domains; null for a single domain. */
const myr_agreement *myr_molecular_agreement(const myr_molecular *m);

/* renew: exchanges particles and builds a new list. refresh: keeps the list and starts to send halo coordinates.
 * settle: completes the list check and waits for the halo coordinates. */
myr_status myr_molecular_renew(myr_molecular *m);
myr_status myr_molecular_refresh(myr_molecular *m);
myr_status myr_molecular_settle(myr_molecular *m);

/* For lists on a GPU: exchanges particles, and creates a halo of a width; the pair list of the processor becomes
 * invalid. */
myr_status myr_molecular_regroup(myr_molecular *m, double width);

/* Checks over all domains whether the list is still valid after displacements of up to `furthest`. With ahead = 1 the
 * reduction may complete during the force evaluation, which calls the second function to progress all communication in
 * flight. */
myr_status myr_molecular_check_list(myr_molecular *m, double furthest, int ahead);
void myr_molecular_poll(void *molecular);

/* --- forces.c --- */

/* Updates the engine after a change of the box or displacements of own particles of up to `furthest`: proves the list
 * valid or rebuilds it. */
myr_status myr_molecular_update(myr_molecular *m, double furthest);

/* As myr_molecular_update, if a force evaluation follows at once: the list may be proven or rebuilt during that
 * evaluation. */
myr_status myr_molecular_update_ahead(myr_molecular *m, double furthest);

/* Accounts for displacements of up to `furthest` in all domains: counts boundary crossings, lengthens open axes. */
myr_status myr_molecular_moved(myr_molecular *m, double furthest);

/* Warns once if an open axis is so long that single arithmetic resolves positions too coarsely. */
void myr_molecular_warn_unit(myr_molecular *m);

/* Counts crossings of periodic boundaries since the last call. */
void myr_molecular_count(myr_molecular *m);

/* Error of the present forces of own particles, measured on `samples` of them (force_accuracy.c). The error of the sum
 * alone is not measured: NaN. */
myr_status myr_molecular_accuracy(myr_molecular *m, int64_t samples, myr_accuracy *accuracy);

/* Evaluates the forces; energy and virial of pairs and terms unless sums is null. */
myr_status myr_molecular_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);

/* Tail correction at the present volume: energy beyond the cutoff, and its contribution to the pressure. */
void myr_molecular_tail(const myr_molecular *m, double *energy, double *pressure);

/* Fails with a message that names two particles if the largest force is too large for any time step. */
myr_status myr_molecular_check_overlap(myr_molecular *m);

/* Index of the particle nearest to particle i, or -1 if there is no other. */
int64_t myr_molecular_nearest(const myr_molecular *m, int64_t i, double *distance);

/* Id of the particle at an index, own or halo; -1 if the index is out of range. */
int64_t myr_molecular_id(const myr_molecular *m, int64_t i);

/* Adds the restraint force to the table of terms. */
myr_status myr_molecular_restrain(myr_molecular *m);

/* Sets the restraint positions from another set in the user's order. */
void myr_molecular_anchor(myr_molecular *m, const myr_particles *at);

/* --- fields.c: external fields and walls -------------------------------------------------------------------------- */

/* Checks the walls of the options, before positions are known. */
myr_status myr_molecular_check_walls(const myr_molecular *m);

/* Makes the walls of the options act, after positions are known; fails with a message if a particle is outside. */
myr_status myr_molecular_set_walls(myr_molecular *m);

/* Sets the external fields, before the first step. */
myr_status myr_molecular_set_external(myr_molecular *m, const myr_molecular_external *external);

/* Computes the table of the fields from the present box; called after every change of the box. */
void myr_molecular_map_fields(myr_molecular *m);

/* Chooses the unit of impulses on walls, over all domains. */
myr_status myr_molecular_choose_push(myr_molecular *m);

/* Reflects particles that have passed a wall in a drift, and adds up their impulses. */
void myr_molecular_reflect(myr_molecular *m);

/* Reflects particle i; adds its impulses on the walls, in units of the integer sums, to push[3][BOX_SIDES]. */
static inline void myr_molecular_reflect_one(myr_molecular *m, int64_t i, int64_t *push)
{
    for (int c = 0; c < 3; c++) {
        double turned[BOX_SIDES] = {0, 0};
        if (m->fields.wall[c].kind != BOX_WALL_REFLECTING)
            continue;
        box_wall_reflect(&m->fields.wall[c], &m->q[c][i], &m->v[c][i], turned);
        for (int side = 0; side < BOX_SIDES; side++)
            push[BOX_SIDES * c + side] += box_push_round(m->mass[i] * turned[side], m->fields.push_scale);
    }
}

/* Adds impulses on the walls, in units of the integer sums, to those of the run. */
void myr_molecular_add_push(myr_molecular *m, const int64_t *push);

/* Minimisation: moves particles beyond reflecting walls to these, and removes forces and velocities into the wall of
 * particles that are at it. */
void myr_molecular_hold(myr_molecular *m);

/* Fails with a message that names a particle which has passed a wall 9-3; succeeds if there is none. */
myr_status myr_molecular_check_passed(const myr_molecular *m);

/* Energy of all particles in the fields and of the walls. */
myr_status myr_molecular_field_energy(myr_molecular *m, double *energy);

/* Length of an axis that particles have: the edge of the box, or the distance of the two walls; NaN if it is open. */
double myr_molecular_edge(const myr_molecular *m, int axis);

/* agree_push: brings memory.wall_push up to date, over all domains. wall_impulse: impulses on the walls, and their
 * areas; NaN = no wall, or no area. Both are collective. */
myr_status myr_molecular_agree_push(myr_molecular *m);
myr_status myr_molecular_wall_impulse(myr_molecular *m, double impulse[3][2], double area[3]);

/* --- coulomb.c: charges in a periodic box ------------------------------------------------------------------------- */

/* open: takes the charges of a set, chooses splitting and cutoff, which may lengthen m->cutoff[1], and adds the force
 * to the table of terms; nothing if charges do not act. take: follows memory.splitting and memory.reach of a
 * checkpoint. energy: that of the last evaluation with energies. strength: force of two charges of the
 * mean square at their mean distance, to which the tolerance is relative; 0 = none. */
myr_status myr_molecular_coulomb_open(myr_molecular *m, const myr_particles *particles);
myr_status myr_molecular_coulomb_take(myr_molecular *m);
void myr_molecular_coulomb_close(myr_molecular *m);
double myr_molecular_coulomb_energy(const myr_molecular *m);
double myr_molecular_coulomb_strength(const myr_molecular *m);

/* Chosen and measured values; all 0 if charges do not act. */
void myr_molecular_coulomb_report(const myr_molecular *m, myr_coulomb *report);

/* --- function_field.c: fields that functions of the user compute -------------------------------------------------- */

/* Makes functions act, before the first step. Not on several ranks, and not on a GPU. */
myr_status myr_molecular_set_function(myr_molecular *m, const myr_molecular_function *function);

/* Energy in these fields; NaN if a function gives no potential. */
myr_status myr_molecular_function_energy(const myr_molecular *m, double *energy);

/* keep_before: keeps the state before a step if there are functions, which may fail. take_back: returns to it, with the
 * message of the failure. forget_before: frees it. */
myr_status myr_molecular_keep_before(myr_molecular *m);
void myr_molecular_take_back(myr_molecular *m);
void myr_molecular_forget_before(myr_molecular *m);

/* --- box_steps.c --- */

/* Makes up to `most` steps of length dt that start at time[0], time[1], ...; the first is number `step`. *made receives
 * their number: 1 on the processor. */
myr_status myr_molecular_step(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                              int64_t *made);

/* Step on the processor. */
myr_status myr_molecular_step_here(myr_molecular *m, double time, double dt, int64_t step);

/* Removal of the drift and barostat, if they are due after a step. */
myr_status myr_molecular_after_step(myr_molecular *m, double time, double dt, int64_t step);

/* Returns 1 if the unit of fixed-point sums is chosen again after a step. */
int myr_molecular_unit_is_due(const myr_molecular *m, int64_t step);

/* Largest displacement allowed in one step. */
double myr_molecular_limit(const myr_molecular *m);

/* Box coordinate units per unit of velocity in a drift of length dt. */
void myr_molecular_units(const myr_molecular *m, double dt, double unit[3]);

/* Computes reach2, the largest |v + a dt/2|^2, from which the next step is checked. */
void myr_molecular_measure_reach(myr_molecular *m);

/* --- exact_steps.c: Verlet that is reversible bit for bit --------------------------------------------------------- */

/* Fails with a message if the choices do not allow exact_reverse. */
myr_status myr_molecular_check_exact(const myr_molecular *m);

/* Chooses the grid of velocities from time step and box, and rounds the velocities to it. */
void myr_molecular_choose_grid(myr_molecular *m);

/* 1.5 2^52 units of the grid (backend/exact_motion.h). */
double myr_molecular_grid(const myr_molecular *m);

/* Kick and drift of a step; returns the largest displacement. undo: reverts both exactly. */
double myr_molecular_exact_drift(myr_molecular *m, double dt);
void myr_molecular_exact_undo(myr_molecular *m, double dt);

/* Fails with a message if a step is not a whole step. */
myr_status myr_molecular_check_whole(const myr_molecular *m, double dt);

/* Turns all velocities at the present time. */
myr_status myr_molecular_reverse(myr_molecular *m);

/* --- box_gpu.c: particles on a GPU ---------------------------------------------------------------------------------
 * The arrays of the engine are copies then, up to date after myr_molecular_gpu_fetch. Forces, sums over velocities and
 * steps are made on the device; a step that needs wider integers or ends with an error is made by the processor. */

/* Moves the particles to a GPU if the interaction asks for one and the GPU can move them; fails only if a GPU was
 * required. Called after the first forces. */
myr_status myr_molecular_gpu_open(myr_molecular *m);
void myr_molecular_gpu_close(myr_molecular *m);

/* fetch: brings the arrays up to date. changed: the processor has changed arrays, the device receives them again. */
myr_status myr_molecular_gpu_fetch(myr_molecular *m);
void myr_molecular_gpu_changed(myr_molecular *m);

/* keep: copies the particles on the device, in place of the copy before. kept: copies their positions and velocities at
 * that time to a set with all particles in the order of the user, which has these fields. */
myr_status myr_molecular_gpu_keep(myr_molecular *m);
myr_status myr_molecular_gpu_kept(const myr_molecular *m, myr_particles *set);

/* See myr_molecular_step. */
myr_status myr_molecular_gpu_steps(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                                   int64_t *made);

/* Forces, which stay on the device and replace those of the motion if `store` is 1; energy and virial unless sums is
 * null. */
myr_status myr_molecular_gpu_forces(myr_molecular *m, int store, myr_neighbour_sums *sums);

/* Kinetic tensor and momentum of velocities after a further kick by h; v = v * factor - shift. */
myr_status myr_molecular_gpu_kinetic(const myr_molecular *m, double h, double tensor[6]);
myr_status myr_molecular_gpu_momentum(const myr_molecular *m, double h, double momentum[3]);
myr_status myr_molecular_gpu_change(myr_molecular *m, double factor, const double shift[3]);

/* Sum of the squared distances of restrained particles from their places, in units of 1/scale; energy in external
 * fields. */
myr_status myr_molecular_gpu_restraint(const myr_molecular *m, double scale, myr_wide *sum);
myr_status myr_molecular_gpu_field_energy(const myr_molecular *m, double *energy);

/* Counts of an observable at the present positions, [columns][rows]. */
myr_status myr_molecular_gpu_count(myr_molecular *m, const box_counting *counting, int64_t *count);

/* Correlates the particles on the GPU with earlier samples of an observable; sets what it knows of `correlation`.
 * *is_done = 0 if the GPU has too little memory. */
myr_status myr_molecular_gpu_correlate(myr_molecular *m, box_correlation *correlation, int *is_done);

/* Minimisation on the GPU (minimise.c). forces: as on the processor, with a new choice of the unit of sums after it if
 * that is due; unit: that choice. largest: largest force and velocity. sums: F.v, F.F and v.v, rounded to integers with
 * a factor each. move: a step, after which open axes are looked at. */
struct box_fire; /* backend/box_motion.h */
myr_status myr_molecular_gpu_fire_forces(myr_molecular *m, int is_unit_due);
myr_status myr_molecular_gpu_fire_unit(myr_molecular *m);
myr_status myr_molecular_gpu_fire_largest(myr_molecular *m, double largest[2]);
myr_status myr_molecular_gpu_fire_sums(const myr_molecular *m, const double scale[3], myr_wide sum[3]);
myr_status myr_molecular_gpu_fire_move(myr_molecular *m, const struct box_fire *step);

/* Takes the particles of a divided box back to the processors, which prepare the first step, and closes the GPU. */
myr_status myr_molecular_gpu_return(myr_molecular *m);

/* Memory, times and lists of the GPU; all 0 if the particles are not on a GPU. with_pairs: 0 = list_pairs is not
 * counted, which takes a copy. */
myr_status myr_molecular_gpu_report(const myr_molecular *m, int with_pairs, myr_box_device *device);

/* Writes the machine code of the GPU's program to a file; see myr_simulation_box_code. */
myr_status myr_molecular_gpu_code(const myr_molecular *m, const char *path);

/* --- molecule_engine.c: atoms of a molecule ----------------------------------------------------------------------- */

/* Fails if the choices, the box or the options do not suit a molecule. */
myr_status myr_molecular_check_molecule(const myr_molecular *m);

/* Moves the atoms to the lengths of the rigid bonds and removes velocities along these bonds. */
myr_status myr_molecular_bind(myr_molecular *m);

/* Fails with a message that names atoms at the same place, between which forces have no value. */
myr_status myr_molecular_check_places(myr_molecular *m);

/* Forces of a molecule; energies by term unless sums is null. */
myr_status myr_molecular_molecule_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums);

/* rigid_drift: drift by dt that keeps the lengths of rigid bonds. rigid_speed: removes velocities along rigid bonds. */
myr_status myr_molecular_rigid_drift(myr_molecular *m, double dt);
myr_status myr_molecular_rigid_speed(myr_molecular *m);

/* --- thermostat_barostat.c: thermostats and barostat --- */

/* Target temperature and pressure at a time, along their ramps. */
double myr_molecular_temperature(const myr_molecular *m, double time);
double myr_molecular_pressure(const myr_molecular *m, double time);

/* check_bath: refuses a Nose-Hoover chain at temperature 0. check_motion: refuses a thermostat that scales velocities
 * if all particles are at rest. */
myr_status myr_molecular_check_bath(const myr_molecular *m);
myr_status myr_molecular_check_motion(const myr_molecular *m, double time);

/* Half a step of the Nose-Hoover chain, and one step of the Berendsen thermostat; both scale the velocities.
 * bath_set: the thermostat for steps of length dt. */
box_bath myr_molecular_bath_set(const myr_molecular *m, double dt);
myr_status myr_molecular_chain(myr_molecular *m, double time, double dt);
myr_status myr_molecular_berendsen(myr_molecular *m, double time, double dt);

/* Energy of the Nose-Hoover chain. */
double myr_molecular_bath(const myr_molecular *m, double time);

/* Monte Carlo trial of a volume change. */
myr_status myr_molecular_try_volume(myr_molecular *m, double time, int64_t step);

/* --- observe.c: sums over all domains ----------------------------------------------------------------------------- */

/* Velocities at the present time: v, or, if a kick is deferred, v after that kick, stored in g. */
double *const *myr_molecular_velocities(myr_molecular *m);

/* Kinetic tensor, sum of m v_a v_b: xx, yy, zz, yz, xz, xy. */
myr_status myr_molecular_kinetic(const myr_molecular *m, double tensor[6]);

/* Total mass of all particles, which is computed once. */
myr_status myr_molecular_mass(myr_molecular *m, double *mass);

/* Total momentum; and removal of the velocity of the centre of mass. */
myr_status myr_molecular_momentum(myr_molecular *m, double momentum[3]);
myr_status myr_molecular_remove_momentum(myr_molecular *m);

/* Energy of the restraints. */
myr_status myr_molecular_restraint(const myr_molecular *m, double *energy);

/* Multiplies all velocities by a factor. */
myr_status myr_molecular_scale(myr_molecular *m, double factor);

/* Draws velocities from the Maxwell distribution and scales them to exactly the temperature; rigid bonds are bound
 * first, so that atoms move to the lengths of these bonds. */
myr_status myr_molecular_heat(myr_molecular *m, double temperature, uint64_t seed);

/* Computes all thermodynamic quantities. */
myr_status myr_molecular_observe(myr_molecular *m, double time, myr_thermodynamics *t);

/* --- minimise.c --- */

/* Minimises the energy until the largest force is below `tolerance` epsilon/sigma, at most `steps` steps. Overwrites
 * the velocities. */
myr_status myr_molecular_minimise(myr_molecular *m, double tolerance, int64_t steps, myr_minimum *minimum);

#endif
