/* molecule_args.h - arguments of molecule.cuh: many molecules with one topology that move on a device. Compiled by the
 * host's compiler and by NVRTC, which must agree on every offset: fixed sizes only, pointers to device memory. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_ARGS_H
#define MYR_BACKEND_CUDA_MOLECULE_ARGS_H

#include "backend/born_atom.h"
#include "backend/box_bath.h"
#include "backend/box_motion.h"
#include "backend/cuda/launch_args.h"
#include "backend/molecule_terms.h"
#include "backend/rigid_bonds.h"

enum {
    MYR_MOLECULE_WORD = 32,   /* sources per word of the mask of excluded pairs */
    MYR_MOLECULE_CHUNK = 256, /* most sources that a warp takes at a time: as many contributions fit the loop's sums */
    MYR_MOLECULE_LANES = 16,  /* threads of a unit where there are many */
    MYR_MOLECULE_WARPS = 32,  /* most warps of a block */
    MYR_MOLECULE_NEVER = 1 << 30,
    MYR_MOLECULE_OUTPUTS = 3 /* components of the force */
};

/* Integrators. */
enum { MYR_MOLECULE_VERLET, MYR_MOLECULE_LANGEVIN, MYR_MOLECULE_BATH };

/* Shapes of units; MYR_MOLECULE_ANY: the arrays of units tell. The others have at most 3 bonds, all at their first
 * atom, or are a triangle. */
enum {
    MYR_MOLECULE_ANY,
    MYR_MOLECULE_THREE,
    MYR_MOLECULE_TRIANGLE,
    MYR_MOLECULE_TWO,
    MYR_MOLECULE_BOND,
    MYR_MOLECULE_ATOM,
    MYR_MOLECULE_SHAPES
};
typedef struct {
    int32_t shape, number; /* number: in the arrays of units */
    int32_t at[4];         /* its atoms */
    double inverse[4];     /* their 1/mass */
    double square[3];      /* squares of its bond lengths */
} myr_molecule_unit;

/* Sets of sums over pairs: the pairs themselves, and those of a generalised Born solvent (molecular/born.c). */
enum {
    MYR_MOLECULE_PAIRS,
    MYR_MOLECULE_INTEGRALS,
    MYR_MOLECULE_BORN,
    MYR_MOLECULE_CHAIN,
    MYR_MOLECULE_SETS,
    MYR_MOLECULE_SUMS = 11 /* outputs of all sets: 3, 1, 4, 3 */
};

/* Solvent; real = in the arithmetic of the pairs. */
typedef struct {
    myr_cuda_sweep sweep[MYR_MOLECULE_SETS - 1]; /* numbers of its sums, and wide integers of all replicas */
    const void *reduced_real, *screened_real;    /* [padded]: radius less the offset, and that times the screening */
    void *radius_real, *weight_real;             /* [replicas][padded]: Born radii, derivatives by the integrals */
    const double *wide, *reduced;                /* [n]: radii, and less the offset */
    double *radius, *slope;                      /* [replicas][n]: Born radii, and their derivatives */
    born_law law;
} myr_molecule_born;

/* Phases of a step, of which cycles are counted: a wait is that for the other warps of the replica. */
enum {
    MYR_MOLECULE_CLOCK_MOTION,
    MYR_MOLECULE_CLOCK_WAIT_MOTION,
    MYR_MOLECULE_CLOCK_PAIRS,
    MYR_MOLECULE_CLOCK_BONDED,
    MYR_MOLECULE_CLOCK_NOISE,
    MYR_MOLECULE_CLOCK_BORN, /* solvent, after the integrals, with its waits */
    MYR_MOLECULE_CLOCK_WAIT_FORCES,
    MYR_MOLECULE_CLOCKS
};

/* Sums for the kinetic energy, used in turn. */
enum { MYR_MOLECULE_TURNS = 3 };
typedef struct {
    unsigned long long largest;     /* bits of the largest m v^2 */
    unsigned long long total[3][2]; /* sums of m v_c^2 as low and high halves */
} myr_molecule_kinetic;

/* What differs between replicas. */
typedef struct {
    myr_cuda_grid grid[MYR_MOLECULE_OUTPUTS];
    myr_acc_scale scale[MYR_MOLECULE_OUTPUTS];
    double origin[3], length[3]; /* of the box of integer coordinates */
    double unit[3];              /* integer coordinates per length */
    double keep;                 /* Langevin dynamics: factor of velocities */
    box_bath bath;               /* thermostat that scales velocities */
    box_chain chain;             /* its state, brought up to date by the launch */
    myr_molecule_kinetic kinetic[MYR_MOLECULE_TURNS];
    uint64_t seed;
    int64_t number;   /* of the first step */
    int32_t steps;    /* to be made */
    int32_t failed;   /* MYR_MOLECULE_NEVER - first step that needs the processor; 0 = none */
    unsigned barrier; /* blocks that have arrived; read together with `stop` as 64 bits */
    int32_t stop; /* MYR_MOLECULE_NEVER - evaluation of the forces after which the replica stopped; 0 = it did not */
} myr_molecule_one;

/* What a block keeps in shared memory, before its bags and the pair table. */
typedef struct {
    myr_molecule_one one;
    myr_cuda_sweep sweep[MYR_MOLECULE_SETS]; /* arguments of the sums of the replica */
    long long clock[MYR_MOLECULE_CLOCKS][MYR_MOLECULE_WARPS];
    double exchange[2 * MYR_MOLECULE_WARPS][2 * MYR_MOLECULE_LANES]; /* between the threads of a unit */
    int32_t stop;                                                    /* as the last wait has seen it */
} myr_molecule_room;

/* Steps of all replicas. Arrays of replicas follow each other. */
typedef struct {
    myr_cuda_sweep sweep; /* constants, factor, pair table, wide integers, report */
    myr_molecule_one *one;
    uint64_t *q; /* [replicas][3][n]: box coordinates */
    double *v, *f, *x, *g,
        *z;                  /* [replicas][3][n]: velocities, forces, positions, those before a drift, random forces */
    const double *inverse;   /* [n]: 1/mass */
    const int64_t *id;       /* [n] */
    const int32_t *type;     /* [n] */
    const void *charge;      /* [n]: in the arithmetic of the pairs */
    void *record;            /* [replicas][padded]: sources */
    unsigned long long *sum; /* [replicas][sums][sum words][padded]: sums over pairs */
    unsigned long long *bonded; /* [replicas][3][n]: sums of bonded terms */
    const uint32_t *mask;       /* [padded / 32][n]: bit k of word w = atom n does not interact with source 32 w + k */
    const uint32_t *busy;       /* [groups][busy_words]: bit w = word w of the mask of a target of the group is not 0 */
    const myr_molecule_born *born; /* null = no solvent */
    double *clock;                 /* [phases][2]: cycles per step, of the slowest warp and of the mean */
    const molecule_term *term[MYR_BONDED_KINDS];
    int64_t terms[MYR_BONDED_KINDS];
    molecule_law law;
    const myr_molecule_unit *unit; /* [units]: clusters of rigid bonds and atoms without, by shape */
    /* the same as they came; [units + 1] each, and their atoms [n] and bonds */
    const int32_t *unit_atoms, *unit_bonds, *unit_atom;
    const rigid_bond *bond;
    const double *mass; /* [n] */
    /* [replicas][heats][2]: variance of the noise of unit mass in each step; or temperatures of the thermostat at its
     * start and end */
    const double *heat;
    unsigned long long
        *fastest;      /* [replicas][most]: bits of the largest square of a way in each step; null = not wanted */
    double dt, limit2; /* limit2: square of the longest way of an atom in a step */
    int32_t n, padded, units;
    int32_t blocks;  /* per replica */
    int32_t sources; /* n, made even */
    int32_t chunk;   /* sources that a warp takes at a time, an even number */
    int32_t groups;  /* of 32 targets per target of a thread */
    int32_t busy_words;
    /* pieces of work of a step: pairs, then the kinds of bonded terms, whose pieces end before item_end, then noise */
    int32_t pair_items, item_end[MYR_BONDED_KINDS], items;
    int32_t is_rigid; /* 1 = there are rigid bonds */
    int32_t scheme, most;
    int32_t heats;     /* 1 = the same numbers for all steps, else `most` */
    int32_t row;       /* bytes of a row of the pair table */
    int32_t sum_words; /* words of a sum over pairs */
} myr_molecule_steps;

#endif
