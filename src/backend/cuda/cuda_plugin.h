/* cuda_plugin.h - interface between the library and libmyriad_cuda.so. The plug-in is opened at run time and receives
 * pointers to the library's functions, so that neither is linked with the other. */
#ifndef MYR_BACKEND_CUDA_CUDA_PLUGIN_H
#define MYR_BACKEND_CUDA_CUDA_PLUGIN_H

#include "backend/box_bath.h"
#include "backend/box_fields.h"
#include "backend/cuda/box_args.h"
#include "backend/job.h"
#include "backend/born_atom.h"
#include "backend/molecule_terms.h"
#include "backend/motion.h"
#include "backend/rigid_bonds.h"
#include "backend/source.h"

typedef struct myr_cuda myr_cuda;

/* Functions provided by the library. */
typedef struct {
    const myr_source *(*sources)(int *count);
    void (*cache_key)(const char *const *text, int n, char *key);
    int (*cache_read)(const char *key, const char *suffix, void **bytes, size_t *size);
    int (*cache_write)(const char *key, const char *suffix, const void *bytes, size_t size, char *message, size_t room);
    myr_status (*fail)(myr_context *context, myr_status status, const char *format, ...);
    void (*warn)(myr_context *context, const char *format, ...);
} myr_cuda_host;

/* Description of a GPU. */
typedef struct {
    char name[128];
    int major, minor; /* compute capability */
    int multiprocessors;
    double memory; /* bytes */
} myr_cuda_device;

/* Machine code of an evaluation, with the data needed to count its instructions. */
typedef struct {
    void *bytes; /* allocated; the caller frees it */
    size_t size;
    int pairs; /* pairs per iteration of the hot loop */
} myr_cuda_code;

/* Particles integrated on a device. */
typedef struct myr_cuda_motion myr_cuda_motion;

typedef struct myr_cuda_motion_set {
    /* first lane component, of sources and of targets, of the vector that changes besides the position (velocity,
     * strength); -1 = none */
    int velocity, target_velocity;
    int arrays, scratch; /* numbers of arrays, and of those at the end whose contents matter within a step only */
    double *const *array;
} myr_cuda_motion_set;

/* Block steps of the Hermite scheme. Arrays are identified by the pointers given to motion_open. */
typedef struct {
    double *x[3], *v[3], *a[3], *j[3], *own, *step, *end;
    double time, origin, unit, eta, dt_min, stop;
    double until; /* no step starts at or after this time, or ends after it */
    int64_t most; /* largest number of steps */
    /* number of particle steps after which a step of all particles is left to the processor, to choose grids */
    int64_t renew_after;
} myr_cuda_blocks;

typedef struct {
    double time;
    int64_t steps, particle_steps, active;
    int at_end;  /* 1 = the next step passes `stop` */
    int stopped; /* 1 = the next step needs the processor: a grid must be raised, or an error reported */
} myr_cuda_blocks_done;

/* --- particles in a box ------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_box myr_cuda_box;

typedef enum { MYR_CUDA_BOX_FIXED, MYR_CUDA_BOX_SINGLE, MYR_CUDA_BOX_DOUBLE } myr_cuda_box_accumulator;

/* One rank of several that share a box. All ranks call the functions of a box at the same points; the device calls
 * these, in which the ranks meet. */
typedef struct {
    void *user;
    /* Replaces each value by the maximum over all ranks. */
    myr_status (*largest)(void *user, double *value, int count);
    /* Replaces each sum by that over all ranks; at most 8. */
    myr_status (*add)(void *user, int64_t *sum, int count);
    /* Sends the messages of `out` and receives those of `in`, in pinned memory (myr_cuda_box_share). */
    myr_status (*swap)(void *user, uint64_t *out, uint64_t *in);
} myr_cuda_box_links;

/* Share of a rank: rows [0, own) of the host are its particles, rows [own, own + halo) copies of particles of other
 * ranks near these. Entry k of the messages for other ranks has the coordinates of row entry[k], three words; entries
 * of copies are written by `swap`. Messages from other ranks have the coordinates of all copies, in the order of rows.
 */
typedef struct {
    int64_t own, halo, entries;
    const int32_t *entry;
} myr_cuda_box_share;

/* What does not change while the particles are on the device. */
typedef struct {
    myr_context *context;
    int64_t n;      /* number of particles; on several ranks the largest number of own particles and copies */
    int64_t all;    /* number of particles of all ranks */
    int device;     /* index of the GPU */
    int is_divided; /* 1 = one rank of several, with these links */
    myr_cuda_box_links links;
    int types, root; /* root: 1 = treatments of the cutoff with square roots */
    /* kernel written by a user that takes the place of Lennard-Jones (kernel/box_formula.h), and its header; null =
     * none. Then there is one type, and sigma is 1 */
    const char *kernel, *kernel_text;
    int arithmetic; /* MYR_ARITHMETIC_SINGLE, _PORTABLE or _DOUBLE */
    myr_cuda_box_accumulator sums;
    int periodic[3];
    double sigma;        /* unit of length of the loops */
    double cutoff, skin; /* skin: 0 = chosen by the device */
    int external;        /* 1 = there are restraints, external fields or walls */
    double magic;        /* above 0: grid of velocities of steps that are reversed exactly (exact_motion.h) */
    int check;           /* 1 = every list is compared with all pairs whenever it is used */
    int langevin;        /* 1 = BAOAB steps, 0 = Verlet steps with the last kick deferred */
    int whole;           /* 1 = Verlet steps with a last kick of their own, with a thermostat that scales velocities */
    uint64_t seed;
} myr_cuda_box_set;

/* Arrays of the host, [n]; a null one is not copied. */
typedef struct {
    uint64_t *q[3], *anchor[3]; /* anchor: positions of restraints */
    double *v[3], *f[3], *mass, *inverse;
    int32_t *type, *image[3];
    int64_t *id;
} myr_cuda_box_arrays;

/* Box and pair formula, which change between steps. */
typedef struct {
    double origin[3], length[3];
    const double *table;      /* [types][types][MYR_BOX_CONSTANTS], in units of sigma and of the sums */
    int exponent;             /* binary exponent of the unit of integer sums */
    double grid;              /* factor that converts energies and virials to integers */
    const box_fields *fields; /* null = none */
    double stiffness;         /* of restraints; 0 = none */
    int restrained_type;      /* -1 = all types */
} myr_cuda_box_potential;

/* Steps of equal length. */
typedef struct {
    double dt, kick;         /* kick: length of time of the first kick */
    double furthest;         /* distance that a particle may move in one step */
    double keep;             /* Langevin dynamics: factor of velocities */
    const double *heat;      /* [most]: variance of the noise of unit mass */
    const box_bath *bath;    /* whole steps: thermostat; null otherwise */
    box_chain chain;         /* its state */
    const double *bath_heat; /* [most][2]: its temperatures at the start and at the end of each step */
    int64_t number, most;    /* number of the first step; number of steps */
    double slack;            /* boxes with open axes: distance after which the processor must look at the axes */
} myr_cuda_box_steps;

typedef struct {
    int64_t made, builds; /* numbers of steps made and of lists built */
    int stopped;          /* 1 = the next step must be made by the processor */
    int renew;            /* several ranks: 1 = box_share and box_send are due before the next step */
    int unfinished;       /* several ranks: 1 = the last step lacks its end, box_finish, after box_send */
    double slack;         /* what is left of it */
    box_chain chain;      /* state of the thermostat */
    double furthest;      /* largest displacement in a step, in boxes with open axes */
    /* impulses on walls: integers as low and high halves */
    unsigned long long push[3 * BOX_SIDES][2];
} myr_cuda_box_done;

/* Sums over particles in fields. */
typedef enum {
    MYR_CUDA_BOX_RESTRAINTS, /* squared distance from the anchor */
    MYR_CUDA_BOX_FIELDS      /* energy in external fields and of walls */
} myr_cuda_box_quantity;

/* Energy and virial: integers as low and high halves, or plain sums. */
typedef struct {
    unsigned long long total[MYR_BOX_TERMS][2];
    double plain[MYR_BOX_TERMS];
    int stopped; /* 1 = a pair is too close: the processor must evaluate the forces */
} myr_cuda_box_sums;

typedef struct {
    int64_t builds;     /* lists built */
    double skin, bytes; /* bytes of device memory */
    /* time in forces and steps, and in lists, by the device's clock: from the time of one list and of the steps with it
     * in every batch of launches */
    double step_seconds, list_seconds;
} myr_cuda_box_report;

/* --- far fields --------------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_far myr_cuda_far;

typedef enum { MYR_CUDA_FAR_EXPANSIONS, MYR_CUDA_FAR_GROUPS, MYR_CUDA_FAR_SPHERES } myr_cuda_far_kind;

/* Operators of the fast multipole method, or none, and the layout of particles. Conventions of series:
 * backend/expansion.h. Tables are in double; the device keeps its own in the reals of the expansions. terms = order^2.
 */
typedef struct {
    myr_context *context;
    /* far cells are expansions; or pseudo-particles (myr_cuda_far_cells), by the tree code or by the pseudo-particle
     * method: there are no operators, strengths and series, and sums are those of the latter */
    myr_cuda_far_kind has_cells;
    int order, separation;
    int in_double;               /* 1 = expansions in double */
    int portable;                /* 1 = the order of operations of backend/expansion_order.h */
    int relaxed;                 /* portable: 1 = far offsets have fewer degrees */
    int real_bytes, coord_lanes; /* of the particles */
    /* far field of the kernel, as in myr_far_field: strengths, series with those that are derived, steps of the
     * derivation {to, from, axis}, sums {series, derivatives}, of which none has more than `depth` derivatives */
    int strengths, negated, series, steps, sums, depth;
    const int8_t (*step)[3], (*sum)[2];
    /* recurrence of harmonics, [degrees], [degrees][degrees], [degrees][degrees], degrees = order + depth + 1 */
    const double *first, *up, *down;
    const double *swap;     /* rotation by 90 degrees about y: the matrices of myr_expansion_rotation */
    const double *axial;    /* translation along z over a distance of 1: the matrices of myr_expansion_axial */
    const double *parent;   /* [8][terms][terms], by columns: child's to parent's multipoles */
    const double *children; /* [8][terms][terms], by columns: parent's to child's local series */
    /* [width^3][5 order], width = 4 separation + 3: for each offset of cells (target's minus source's grid position, x
     * slowest) cos m f and sin m f, f = azimuth - 90 degrees, cos and sin of multiples of the polar angle, and
     * distance^-(n + 1/2) */
    const double *offset;
    /* portable, in the place of swap, axial and offset: [width^3] where the matrices of an offset are in the table
     * `translate` of all, see far_args.h */
    const int32_t (*place)[6];
    const double *translate;
    int64_t translate_reals;
    /* derivatives along x, y, z of local (0) and multipole series (1): coefficient k of a derivative is the sum of
     * factor[axis][k][e] times coefficient from[axis][k][e], e = 0, 1; shape [3][terms][2], terms of multipole series
     * (order + depth)^2 */
    const double *factor[2];
    const int32_t *from[2];
    int has_box; /* 1 = options have a periodic box; with has_cells only its near images are summed */
    /* [terms][terms]: matrix from the multipoles of a periodic box to the local series of its far images; null = none
     */
    const double *lattice;
} myr_cuda_far_set;

/* Cells as pseudo-particles (method/tree/cell_moments.h), and the rule of the tree code (backend/cell_rule.h). */
typedef struct {
    int order, points, is_sphere; /* is_sphere 0: one, three or four points in the principal axes */
    /* lane components of the sources: first one of the strength, which has `strengths`; velocity and core, -1 = none */
    int strength, strengths, velocity, core;
    double lattice, fitted; /* radius of spheres in cells' sides, or (lattice 0) in distances of the furthest source */
    const double *design;   /* spheres: [3][points] points, [order] and [order] recurrence of backend/cell_weights.h */
    double theta, error, eps, reach; /* as in myr_tree_options */
    int64_t group;
    int with_potential; /* 1 = the kernel has a potential */
    /* Pseudo-particle method: kernel whose outputs are the fields on inner spheres, null = the job's. Sum q at a target
     * is number sum_first + q of the fields, followed by their gradients [fields][3] if slopes is 1. */
    const myr_unit *field;
    int slopes, sum_first;
} myr_cuda_far_cells;

/* What an evaluation needs beside its job: the tree as in myr_octree_options, and the use of the far field. */
typedef struct {
    int64_t leaf;
    double least, full, enlarge;
    /* [strengths]: lane components of the sources whose product is the strength; the second one may be -1 */
    int strength[4][2];
    int idle; /* 1 = some particles may have no strength: they are targets only, and cost no pairs as sources */
    /* portable arithmetic: what each particle is to the processor, whose tree has cells for sources and for targets: 1
     * = source, 2 = target, 3 = both; null = all are both. Sources, of this number, come first. */
    const uint8_t *role;
    int64_t sources;
    /* [outputs][sums][4]: factor of a sum in an output, and factors of its products with up to three fields of the
     * target */
    const double *matrix;
    /* periodic box, with the lattice of myr_cuda_far_set: lower corner, period, periodic axes; background: 1 = as in
     * fmm_periodic.c */
    double origin[3], period;
    int periodic[3], background;
    myr_cuda_far_cells cells; /* with has_cells of myr_cuda_far_set */
    /* Several ranks, each with all particles: number of this rank and of the ranks, which is the number of parts of the
     * targets in tree order; ranks 0 = all targets. The targets of this part are written to order[*own], which has room
     * for all; values of others are not. */
    int rank, ranks;
    int64_t *order, *own;
} myr_cuda_far_options;

/* Parts of an evaluation, timed by the device's clock. With cells as pseudo-particles LISTS are these, and P2M are
 * lists; with spheres M2L are the sums at inner spheres, L2L the way down, L2P the fields at particles. */
typedef enum {
    MYR_CUDA_FAR_TREE,
    MYR_CUDA_FAR_LISTS,
    MYR_CUDA_FAR_P2M,
    MYR_CUDA_FAR_M2M,
    MYR_CUDA_FAR_IMAGES,
    MYR_CUDA_FAR_M2L,
    MYR_CUDA_FAR_P2L,
    MYR_CUDA_FAR_L2L,
    MYR_CUDA_FAR_L2P,
    MYR_CUDA_FAR_P2P,
    MYR_CUDA_FAR_PARTS
} myr_cuda_far_part;

typedef struct {
    double seconds[MYR_CUDA_FAR_PARTS];
    int64_t cells, leaves, levels, largest, pairs, translations, far_targets, far_sources;
    /* M2L by matrices: cells whose children got their series so, and translations this replaced */
    int64_t products, replaced;
    int64_t bytes; /* device memory of the method */
} myr_cuda_far_report;

/* --- elements on a mesh ------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_mesh myr_cuda_mesh;

/* Window and mesh of method/mesh. */
typedef struct {
    myr_context *context;
    int in_double; /* 1 = doubles and 64-bit integers, 0 = floats and 32-bit integers */
    int width, degree;
    /* [2][degree + 1][width]: polynomials of weights, as in mesh_window.h, and of weights of derivatives by position */
    const double *coefficient;
    int32_t side[3];
    double edge[3];
    /* [side]: wave numbers along each axis, and 1/(transform of the window)^2/edge, 0 for waves that are left out */
    const double *wave[3], *unwound[3];
} myr_cuda_mesh_set;

/* Outputs of a kernel: velocity first, then parts of the velocity gradient and its transpose in the stretching. */
typedef struct {
    double core;
    int velocity, stretching; /* 1 = an output */
    double classical, transposed;
} myr_cuda_mesh_form;

/* Elements in memory of the host; the lower corner of the box is at the origin. */
typedef struct {
    int64_t n, m;
    const double *x[3], *strength[3]; /* [n]: sources */
    const double *at[3], *turned[3];  /* [m]: targets and their strengths; at[0] = null: the sources */
    myr_cuda_mesh_form form;
} myr_cuda_mesh_job;

/* Parts of an evaluation, timed by the device's clock. */
typedef enum {
    MYR_CUDA_MESH_SORT,
    MYR_CUDA_MESH_SPREADING,
    MYR_CUDA_MESH_TRANSFORM,
    MYR_CUDA_MESH_GATHERING,
    MYR_CUDA_MESH_PHASES
} myr_cuda_mesh_phase;

typedef struct {
    double seconds[MYR_CUDA_MESH_PHASES];
    int64_t bytes; /* device memory of the method */
    /* rounding of the strengths to integers, relative to their mean size: sources that crowd in a few tiles leave few
     * bits */
    double rounding;
} myr_cuda_mesh_report;

/* --- molecules ---------------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_molecule myr_cuda_molecule;

/* Replicas of one molecule that make whole steps on the first device; nothing of it changes. */
typedef struct {
    myr_context *context;
    int64_t replicas, n;             /* numbers of replicas and of atoms of each */
    const myr_direct *const *job;    /* [replicas]: pairs of each, with its grids; all with the same kernel and atoms */
    const int64_t *offset, *partner; /* excluded partners, as in myr_exclusions */
    const molecule_term *term[MYR_BONDED_KINDS];
    int64_t terms[MYR_BONDED_KINDS];
    const molecule_law *law;
    /* units: clusters of rigid bonds, and atoms without. Atoms unit_atom[unit_atoms[k]] to unit_atom[unit_atoms[k + 1]
     * - 1] belong to unit k, and likewise its bonds */
    int64_t units, bonds;
    const int32_t *unit_atoms, *unit_bonds, *unit_atom;
    const int32_t *unit_star; /* [units + 1]: 1 = bond n of the unit is between its atom 0 and its atom n + 1 */
    const rigid_bond *bond;
    const double *inverse; /* [n]: 1/mass */
    const int64_t *id;     /* [n] */
    const double *mass;    /* [n] */
    /* generalised Born solvent: its sums (integrals, forces, forces by the change of radii; null = none), [n] radii,
     * screening factors, and radii less the offset */
    const myr_direct *born[3];
    const double *born_radius, *born_screen, *born_reduced;
    born_law born_law;
    int langevin; /* 1 = BAOAB steps, 0 = Verlet steps */
    int whole;    /* 1 = Verlet steps with a thermostat that scales velocities */
} myr_cuda_molecule_set;

/* Arrays of one replica on the host, [n]. */
typedef struct {
    uint64_t *q[3];
    double *v[3], *f[3];
} myr_cuda_molecule_arrays;

/* Steps of one replica. */
typedef struct {
    const myr_direct *job; /* its present grids */
    double origin[3], length[3];
    double keep; /* Langevin dynamics: factor of velocities */
    uint64_t seed;
    box_bath bath; /* thermostat that scales velocities, and its state */
    box_chain chain;
    int64_t number, steps; /* number of the first step; steps to make, at most `most` */
} myr_cuda_molecule_one;

typedef struct {
    int64_t most;
    double dt, limit2; /* limit2: square of the longest way of an atom in a step */
    /* [replicas][heats][2]: variance of the noise of unit mass; or temperatures at the start and end of each step */
    const double *heat;
    int64_t heats;     /* 1 = the same for all steps, else `most` */
    double *furthest2; /* [replicas][most]: receives the largest square of a way in each step, of atoms without rigid
                          bonds; null = not wanted */
} myr_cuda_molecule_steps;

/* --- systems of stars --------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_stars myr_cuda_stars;

/* Columns of a system on the device and of its copy on the host, one number per body each: positions, velocities,
 * accelerations, jerks; own times, steps and their ends (see myr_cuda_blocks). */
enum {
    MYR_CUDA_STAR_X,
    MYR_CUDA_STAR_V = 3,
    MYR_CUDA_STAR_A = 6,
    MYR_CUDA_STAR_J = 9,
    MYR_CUDA_STAR_OWN = 12,
    MYR_CUDA_STAR_STEP,
    MYR_CUDA_STAR_END,
    MYR_CUDA_STAR_COLUMNS
};

/* Systems of bodies that make block steps of the Hermite scheme on the first device. */
typedef struct {
    myr_context *context;
    int64_t systems;
    const int64_t *n;             /* [systems]: numbers of bodies */
    const myr_direct *const *job; /* [systems]: with one kernel, arithmetic and accumulator */
    int velocity;                 /* first lane component of the velocity of sources */
} myr_cuda_stars_set;

/* Steps of one system. */
typedef struct {
    const myr_direct *job; /* its present grids */
    double time, origin, unit, eta, dt_min, stop, until;
    int64_t most; /* largest number of steps; 0 = it takes no part */
    int64_t renew_after;
} myr_cuda_stars_one;

typedef struct {
    double time;
    int64_t steps, particle_steps, active;
    int at_end;  /* 1 = the next step passes `stop` */
    int stopped; /* 1 = the next step needs the processor */
    int renew;   /* 1 = grids are to be chosen again at the places at which the next step ends */
} myr_cuda_stars_done;

/* --- near sources ------------------------------------------------------------------------------------------------- */

typedef struct myr_cuda_near_finder myr_cuda_near_finder;

/* Lists of the library, which the device fills part by part. */
typedef struct {
    void *user;
    /* Takes the numbers of entries of the next n targets and makes room; 0 = no memory. */
    int (*take)(void *user, int64_t n, const int32_t *entries);
    /* Place of the entries of targets from `first` on. */
    int32_t *(*place)(void *user, int64_t first);
} myr_cuda_near_lists;

/* Functions provided by the plug-in. Every function that fails leaves a message in the context. */
typedef struct {
    int abi; /* MYR_CUDA_ABI of backend/cuda/abi.h, which the build writes: changes with this file and the kernels */
    /* Opens the GPUs of this machine, or those listed in $MYRIAD_CUDA_DEVICES. */
    myr_status (*open)(const myr_cuda_host *host, myr_context *context, myr_cuda **cuda);
    void (*close)(myr_cuda *cuda);
    /* Describes opened GPU k; returns 0 past the last. */
    int (*device)(const myr_cuda *cuda, int k, myr_cuda_device *device);
    /* Lets opened GPU k, modulo their number, make all evaluations; the others are not used. */
    void (*use)(myr_cuda *cuda, int k);
    /* Runs one evaluation with the targets distributed over the GPUs; see myr_direct_run. */
    myr_status (*run)(myr_cuda *cuda, const myr_direct *job, myr_direct_result *result);
    /* Keeps arrays of doubles of a set on the first device, target.n each, of which the first source.n are the sources;
     * the arrays are identified by their host addresses. Returns MYR_ERROR_COMBINATION without a message if the job
     * cannot stay on a device. */
    myr_status (*motion_open)(myr_cuda *cuda, const myr_direct *job, const myr_cuda_motion_set *set,
                              myr_cuda_motion **motion);
    void (*motion_close)(myr_cuda_motion *motion);
    myr_status (*motion_send)(myr_cuda_motion *motion);           /* copies all arrays to the device */
    myr_status (*motion_fetch)(myr_cuda_motion *motion);          /* copies all arrays to the host */
    myr_status (*motion_keep)(myr_cuda_motion *motion, int back); /* saves (0) or restores (1) the device arrays */
    /* A sum of arrays, given by their host addresses, enqueued without waiting; motion_rates of direct sums likewise.
     */
    myr_status (*motion_sum)(myr_cuda_motion *motion, const motion_sum *sum);
    /* Evaluates at the positions x with the vectors v (null = none) and writes output k of the job's kernel into the
     * array value[k]; null = not wanted. */
    myr_status (*motion_rates)(myr_cuda_motion *motion, const myr_direct *job, double *const x[3], double *const v[3],
                               double *const *value);
    /* Waits; *fine = 0 if a sum exceeded its range or was not finite since the last call. */
    myr_status (*motion_settle)(myr_cuda_motion *motion, int *fine);
    /* Address of an array in device memory, given its host address, once all work on it is done; *at is null if the
     * array is not there. Arrays that follow each other in motion_open do so on the device. *device: index of CUDA. */
    myr_status (*motion_address)(myr_cuda_motion *motion, const double *host, const double **at, int *device);
    myr_status (*motion_hermite)(myr_cuda_motion *motion, const myr_direct *job, const myr_cuda_blocks *blocks,
                                 myr_cuda_blocks_done *done);
    /* Keeps particles in a box on the first device. Arrays are in the host's order on every call. */
    myr_status (*box_open)(myr_cuda *cuda, const myr_cuda_box_set *set, myr_cuda_box **box);
    void (*box_close)(myr_cuda_box *box);
    myr_status (*box_set)(myr_cuda_box *box, const myr_cuda_box_potential *potential);
    myr_status (*box_send)(myr_cuda_box *box, const myr_cuda_box_arrays *from);
    myr_status (*box_fetch)(myr_cuda_box *box, const myr_cuda_box_arrays *to);
    /* keep_good: copies coordinates, and velocities that lag behind by h, on the device and in place of the copy
     * before; index: place of each particle in the copy, [n], null = as before. fetch_good: copies these to the host.
     */
    myr_status (*box_keep_good)(myr_cuda_box *box, double h, const int64_t *index);
    myr_status (*box_fetch_good)(myr_cuda_box *box, uint64_t *const q[3], double *const v[3]);
    /* Several ranks: the share of this rank, before box_send; room is for set.n particles and copies. */
    myr_status (*box_share)(myr_cuda_box *box, const myr_cuda_box_share *share);
    /* Ends an unfinished step; stopped: 1 = the processor must evaluate the forces. */
    myr_status (*box_finish)(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done);
    /* Evaluates the forces at the present positions and keeps them if `store` is 1; energy and virial unless sums is
     * null. */
    myr_status (*box_forces)(myr_cuda_box *box, int store, int *stopped, myr_cuda_box_sums *sums);
    /* Makes steps; the forces are those at the present positions before and after. */
    myr_status (*box_steps)(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done);
    /* Numbers of pairs by the exponent of their repulsion from `lowest` on, both particles of a pair counted. */
    myr_status (*box_measure)(myr_cuda_box *box, int lowest, int64_t count[MYR_BOX_SIZES]);
    /* Velocities lag behind by h. power 2: largest m v^2, or sums of m v_a v_b (6); power 1: largest (m v)^2, or sums
     * of m v (3). Sums are rounded to integers with the factor `scale`. Null pointers ask for nothing. */
    myr_status (*box_velocities)(myr_cuda_box *box, double h, int power, double scale, double *largest,
                                 unsigned long long total[6][2]);
    /* Largest magnitude (scale 0) or sum of a quantity of each particle, rounded to integers with a factor. */
    myr_status (*box_external)(myr_cuda_box *box, myr_cuda_box_quantity quantity, double scale, double *largest,
                               unsigned long long total[2]);
    /* Counts of an observable, [columns][rows]; origin: of the box. */
    myr_status (*box_counts)(myr_cuda_box *box, const box_counting *set, const double origin[3], int64_t *count);
    /* Time correlations of a sample; refused: 1 = they need more memory than the device has. */
    myr_status (*box_correlate)(myr_cuda_box *box, const box_correlation *correlation, int *refused);
    /* v = (v + kick f / m) * factor - shift */
    myr_status (*box_change)(myr_cuda_box *box, double kick, double factor, const double shift[3]);
    /* Minimisation: largest F.F and v.v of a particle (scale null), or sums of F.v, F.F and v.v, rounded to integers
     * with a factor each. The first holds particles at reflecting walls. */
    myr_status (*box_fire_sums)(myr_cuda_box *box, const double *scale, double largest2[2],
                                unsigned long long total[3][2]);
    /* Step of a minimisation with the forces that are there; the forces are not those of the new positions. *furthest
     * receives the longest way of a particle; null = not wanted, and the call does not wait, unless there are several
     * ranks: *renew = 1 if particles must then be divided among these again before the next forces. */
    myr_status (*box_fire_move)(myr_cuda_box *box, const box_fire *step, double *furthest, int *renew);
    void (*box_report)(const myr_cuda_box *box, myr_cuda_box_report *report);
    /* Pairs that an evaluation of the forces looks at, both particles of a pair counted. */
    myr_status (*box_pairs)(myr_cuda_box *box, int64_t *pairs);
    /* Compiles the program of a box for a GPU like `on`, which need not be present. */
    myr_status (*box_code)(const myr_cuda_host *host, const myr_cuda_box_set *set, const myr_cuda_device *on,
                           myr_cuda_code *code);
    /* Far fields on the first device. A job's targets must be its sources, in the same order. */
    myr_status (*far_open)(myr_cuda *cuda, const myr_cuda_far_set *set, myr_cuda_far **far);
    void (*far_close)(myr_cuda_far *far);
    myr_status (*far_run)(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                          myr_direct_result *result, myr_cuda_far_report *report);
    /* As motion_open, with a far field that belongs to the motion from then on, unless this fails. far_motion_report:
     * the last evaluation. */
    myr_status (*far_motion_open)(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                                  const myr_cuda_motion_set *set, myr_cuda_motion **motion);
    myr_status (*far_motion_report)(const myr_cuda_motion *motion, myr_cuda_far_report *report);
    /* Elements on a mesh, on the first device. value[outputs][m], null = not wanted. */
    myr_status (*mesh_open)(myr_cuda *cuda, const myr_cuda_mesh_set *set, myr_cuda_mesh **mesh);
    void (*mesh_close)(myr_cuda_mesh *mesh);
    myr_status (*mesh_run)(myr_cuda_mesh *mesh, const myr_cuda_mesh_job *job, double *const *value,
                           myr_cuda_mesh_report *report);
    /* As motion_open, with a mesh that belongs to the motion from then on, unless this fails; elements: form, and
     * strengths if they do not change (set->velocity is negative). */
    myr_status (*mesh_motion_open)(myr_cuda_mesh *mesh, const myr_direct *job, const myr_cuda_mesh_job *elements,
                                   const myr_cuda_motion_set *set, myr_cuda_motion **motion);
    /* Molecules on the first device. send: coordinates and velocities; fetch: these and forces; both without waiting.
     * steps: made[replicas] receives the number of steps of each; fewer than asked for = the next one needs the
     * processor. seconds: time of the launch by the device's clock. */
    myr_status (*molecule_open)(myr_cuda *cuda, const myr_cuda_molecule_set *set, myr_cuda_molecule **molecule);
    void (*molecule_close)(myr_cuda_molecule *molecule);
    myr_status (*molecule_send)(myr_cuda_molecule *molecule, int64_t replica, const myr_cuda_molecule_arrays *from);
    myr_status (*molecule_fetch)(myr_cuda_molecule *molecule, int64_t replica, const myr_cuda_molecule_arrays *to);
    myr_status (*molecule_wait)(myr_cuda_molecule *molecule);
    myr_status (*molecule_steps)(myr_cuda_molecule *molecule, const myr_cuda_molecule_one *one,
                                 const myr_cuda_molecule_steps *steps, int64_t *made, double *seconds);
    /* back: returns a replica to the start of the last call of `steps`; again: repeats the first one[r].steps steps of
     * that call for replicas that were taken back, and makes no steps of those with 0. */
    myr_status (*molecule_back)(myr_cuda_molecule *molecule, int64_t replica);
    myr_status (*molecule_again)(myr_cuda_molecule *molecule, const myr_cuda_molecule_one *one);
    /* State of the thermostat of a replica after the last steps that it made. */
    void (*molecule_chain)(const myr_cuda_molecule *molecule, int64_t replica, box_chain *chain);
    void (*molecule_report)(const myr_cuda_molecule *molecule, double *bytes, int *blocks, int *threads);
    /* Systems of stars on the first device. send and fetch: columns [MYR_CUDA_STAR_COLUMNS][n] of a system, or (system
     * -1) those of all systems after each other; fetch waits. steps: makes steps of all systems until each reaches a
     * limit of its own or has done `work`, in pairs, where each step counts `step_work` more; seconds: time of the
     * launch by the device's clock. */
    myr_status (*stars_open)(myr_cuda *cuda, const myr_cuda_stars_set *set, myr_cuda_stars **stars);
    void (*stars_close)(myr_cuda_stars *stars);
    myr_status (*stars_send)(myr_cuda_stars *stars, int64_t system, const double *from);
    myr_status (*stars_fetch)(myr_cuda_stars *stars, int64_t system, double *to);
    myr_status (*stars_steps)(myr_cuda_stars *stars, const myr_cuda_stars_one *one, double work, double step_work,
                              myr_cuda_stars_done *done, double *seconds);
    void (*stars_report)(const myr_cuda_stars *stars, double *bytes, int *blocks, int *threads);
    /* Sources near targets, on the first device. Columns of sources and targets as in near_args.h; sources stay there.
     */
    myr_status (*near_open)(myr_cuda *cuda, myr_context *context, myr_cuda_near_finder **finder);
    void (*near_close)(myr_cuda_near_finder *finder);
    myr_status (*near_sources)(myr_cuda_near_finder *finder, int64_t n, const double *source);
    myr_status (*near_find)(myr_cuda_near_finder *finder, int64_t n, const double *target,
                            const myr_cuda_near_lists *lists);
    /* Seconds per evaluation on the first GPU with particles already in device memory, by the GPU's clock: `samples`
     * samples, each the mean of enough consecutive evaluations to be timed. */
    myr_status (*time)(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds);
    /* Multiply-adds per second and thread issued by the first GPU. */
    myr_status (*issue)(myr_cuda *cuda, myr_context *context, int in_double, double *rate);
    /* Compiles the program of an evaluation for a GPU like `on`, which need not be present; motion: 1 = program of
     * fixed steps, 2 = of block steps. */
    myr_status (*code)(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on, int motion,
                       myr_cuda_code *code);
} myr_cuda_plugin;

/* The only symbol of the plug-in. */
typedef const myr_cuda_plugin *(*myr_cuda_plugin_fn)(void);
#define MYR_CUDA_PLUGIN_SYMBOL "myr_cuda_plugin_get"

#endif
