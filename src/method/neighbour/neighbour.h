/* neighbour.h - short-range forces: particles sorted by a grid, a list of near pairs, and the proof that the list is
 * complete (paper 003, sections 2 and 3).
 *
 * The caller owns the particle arrays and registers them with myr_neighbour_track. A rebuild sorts all of them into
 * grid order, so that the index of a particle in memory changes and its id does not. Forces are returned in the current
 * order.
 *
 *   myr_neighbour_create(context, &set, &nb);
 *   myr_neighbour_track(nb, v[0], sizeof *v[0]);                  and all other arrays of the particles
 *   for each step: move the particles; myr_neighbour_update(nb, largest displacement);
 *                  myr_neighbour_forces_begin; myr_neighbour_forces_end
 *
 * A domain of a divided box has, after its own particles [0, n), a halo [n, n + h): copies of particles owned by other
 * domains that are within myr_neighbour_width of one of its own. Its list holds each pair of own particles once, and
 * pairs with the halo for the own particle only; the other domain has these pairs too, and their energy and virial
 * count half. Since differences of box coordinates are integers, and every term is rounded by itself, forces, energy
 * and virial have the bits of an undivided box. Forces require `fixed` and an agreement with the other domains. A step
 * is
 *   myr_neighbour_prove_begin(nb, largest displacement of own particles, value); maximum of `value` over all domains;
 *   myr_neighbour_decide(nb, value, &holds);
 *   if (holds) update the coordinates of the halo, in the order in which it was received
 *   else       exchange particles that left the domain; myr_neighbour_resize; myr_neighbour_sort;
 *              receive a new halo; myr_neighbour_search
 *   myr_neighbour_forces_begin, which does not read the halo; myr_neighbour_forces_end, which does
 * Own pairs may be evaluated while the maxima and the halo coordinates are in flight: myr_neighbour_forces_begin then
 * follows myr_neighbour_prove_begin, and its results are discarded if the list does not hold. */
#ifndef MYR_METHOD_NEIGHBOUR_H
#define MYR_METHOD_NEIGHBOUR_H

#include <stddef.h>

#include "backend/backend.h"
#include "core/context.h"
#include "domain/agreement.h"
#include "domain/box.h"
#include "kernel/cut.h"

/* Pair formula of a kernel written by a user (kernel/box_formula.h). */
typedef struct {
    const char *name;
    const double *parameter; /* of the kernel, in the order of its descriptor */
    /* Loops of the kernel; null with a message if not available. */
    const myr_short_range_unit *(*unit)(void *user, const myr_isa_table *isa, int arithmetic, int fixed, int halo);
    void *user;
} myr_neighbour_formula;

enum { MYR_NEIGHBOUR_CONSTANTS = 16 }; /* most constants of a pair of types */

typedef struct {
    myr_box box;
    int64_t n;
    uint64_t *q[3]; /* coordinates; tracked by the list itself */
    int32_t *type;  /* type of each particle, tracked by the list itself; null = all 0 */
    int types;
    const myr_pair_potential *pair; /* [types][types], symmetric */
    myr_cut cut;
    /* null = Lennard-Jones; otherwise must outlive the list. Of `pair` only the cutoff counts, and sigma is the unit of
     * length, which must be 1 */
    const myr_neighbour_formula *formula;
    int arithmetic;                 /* MYR_ARITH_single, portable or double */
    int fixed;                      /* 1 = fixed-point sums: the same bits in any order */
    double reach;                   /* lists hold all pairs up to this distance at least; 0 = those within cutoffs */
    double skin;                    /* search length - cutoff; 0 = chosen from measured times */
    int threads;                    /* number of threads; 0 = that of the context */
    int check;                      /* 1 = compare every list with all pairs: slow, for debugging */
    const myr_isa_table *isa;       /* instruction set; null = the best this machine can run */
    const myr_agreement *agreement; /* agreement with the other domains, must outlive the list; null = undivided box */
    /* Called from time to time by the calling thread while own pairs are evaluated, to progress messages; null =
     * never. */
    void (*poll)(void *user);
    void *user;
    int64_t all; /* number of particles of all domains; 0 = n */
} myr_neighbour_set;

/* Skin with which the search for the best one begins, in cutoffs; with plain sums it stays. In a divided box it is part
 * of the width of the halo, which limits the number of domains. */
#define MYR_NEIGHBOUR_SKIN 0.36
#define MYR_NEIGHBOUR_SKIN_DIVIDED 0.12

typedef struct myr_neighbour myr_neighbour;

typedef struct {
    double energy;
    double virial[6]; /* sum over pairs of x_a F_b: xx, yy, zz, yz, xz, xy; the virial is the trace */
} myr_neighbour_sums;

/* Statistics since creation. */
typedef struct {
    int64_t builds, steps; /* number of lists built; number of updates */
    int64_t prunes;        /* number of times a list was pruned to the pairs of the next few steps */
    int64_t pairs;         /* number of pairs in the list as last pruned */
    /* number of updates in which the sum of largest displacements did not prove the list (LDC tests) */
    int64_t displacement_tests;
    double skin, margin;
    double list_seconds, proof_seconds, force_seconds; /* wall-clock times, without waiting for other domains */
    double waited;                                     /* wall-clock time spent waiting for other domains */
    double worked;                                     /* processor time of lists and forces, in a divided box */
    int64_t agreed_again;                              /* number of steps that needed a second agreement */
} myr_neighbour_progress;

myr_status myr_neighbour_create(myr_context *context, const myr_neighbour_set *set, myr_neighbour **list);
void myr_neighbour_destroy(myr_neighbour **list);

/* Name of the instruction set of the loops. */
const char *myr_neighbour_isa(const myr_neighbour *list);

/* Registers an array of the caller, of `bytes` per particle, to be sorted with the particles. */
myr_status myr_neighbour_track(myr_neighbour *list, void *array, size_t bytes);

/* Proves that the list still holds, given that no particle has moved further than `furthest` since the last call, or
 * builds a new list: then all tracked arrays are in a new order and *rebuilt is 1 (rebuilt may be null). */
myr_status myr_neighbour_update(myr_neighbour *list, double furthest, int *rebuilt);

/* myr_neighbour_update in parts, for a domain of a divided box; collective. Fills the values of this domain whose
 * maxima over all domains the proof needs: largest displacement of own particles in this step and, shortly before the
 * list expires, the largest displacement since the list was built, and whether a pair may be missing. */
enum { MYR_NEIGHBOUR_PROOF_VALUES = 3 };
void myr_neighbour_prove_begin(myr_neighbour *list, double furthest, double value[MYR_NEIGHBOUR_PROOF_VALUES]);

/* Returns 1 if the maxima prove that the list holds: the step is then decided without further communication. Returns 0,
 * without any change, otherwise. */
int myr_neighbour_accept(myr_neighbour *list, const double value[MYR_NEIGHBOUR_PROOF_VALUES]);

/* Determines whether the list still holds; may need a second agreement of all domains. */
myr_status myr_neighbour_decide(myr_neighbour *list, const double value[MYR_NEIGHBOUR_PROOF_VALUES], int *holds);

/* Returns 1 if the list is expected to hold after the next step: an estimate, the same in all domains. */
int myr_neighbour_expects(const myr_neighbour *list);

/* myr_neighbour_prove_begin and myr_neighbour_decide in one call. `furthest` is the maximum over all domains. */
myr_status myr_neighbour_prove(myr_neighbour *list, double furthest, int *holds);

/* Sets the number of own particles to n, after particles entered or left the domain. The tracked arrays hold n
 * particles. */
myr_status myr_neighbour_resize(myr_neighbour *list, int64_t n);

/* Informs the list that a tracked array (q and type included) was reallocated. */
void myr_neighbour_moved(myr_neighbour *list, const void *from, void *to);

/* First half of a rebuild: sorts all tracked arrays of own particles [0, n). */
myr_status myr_neighbour_sort(myr_neighbour *list);

/* Width of the halo around own particles, valid after myr_neighbour_sort. */
double myr_neighbour_width(const myr_neighbour *list);

/* Second half of a rebuild, with a halo of h particles in [n, n + h) of q and type, in any order, without duplicates.
 * The halo is not reordered. */
myr_status myr_neighbour_search(myr_neighbour *list, int64_t h);

/* Forces a rebuild with the next update, regardless of the proof. */
void myr_neighbour_invalidate(myr_neighbour *list);

/* Changes the box after scaling: coordinates keep their values, lengths change. The proof counts this as a
 * displacement. */
myr_status myr_neighbour_set_box(myr_neighbour *list, const myr_box *box);

/* Forces on all particles, and sums unless null. With `fixed`, sums and forces do not depend on order or threads, and
 * the forces add up to exactly 0 (before they are rounded to double, if one exceeds 2^53 units). Pairs that are too
 * close for the unit are summed in wider integers of the same unit. The first half needs the coordinates of own
 * particles only, so that the halo may be in flight. want_sums: 1 if the second half will request sums, which are those
 * of all domains. */
myr_status myr_neighbour_forces_begin(myr_neighbour *list, int want_sums);
myr_status myr_neighbour_forces_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums);

/* Pairs of the list for sums of the caller, after myr_neighbour_forces_end: every pair within the longest cutoff and
 * the reach is there once, beside pairs further away. Pairs of rows row[r].target are with particles start[w] ..
 * start[w] + lanes - 1 below n, for w from row[r - 1].end, 0 with r = 0, to row[r].end - 1. A list is in shares, with
 * two sets of windows (`which` 0 and 1) each. */
typedef struct {
    int64_t rows, n;
    int lanes;
    const myr_short_range_row *row;
    const int32_t *start;
} myr_neighbour_windows;
int myr_neighbour_shares(const myr_neighbour *list);
myr_neighbour_windows myr_neighbour_windows_of(const myr_neighbour *list, int share, int which);

/* Distance of the closest pair of the list as of the last update or force evaluation. pair: current indices in memory,
 * halo particles in the order received; -1 if there is no pair. */
double myr_neighbour_closest(const myr_neighbour *list, int64_t pair[2]);

/* Checks that a box is large enough for a cutoff; fails with a message otherwise. */
myr_status myr_neighbour_check_box(myr_context *context, const myr_box *box, double cutoff);

/* Asks for a new choice of the unit of the fixed-point sums, from the positions of the next force evaluation and for
 * the evaluations after it; collective. The unit follows typical pairs, so that a choice every few hundred steps
 * suffices. */
void myr_neighbour_choose_unit(myr_neighbour *list);

/* Binary exponent of that unit: part of a checkpoint. MYR_NEIGHBOUR_UNIT_UNSET: the next force evaluation chooses the
 * unit first. */
enum { MYR_NEIGHBOUR_UNIT_UNSET = -100000 };
int myr_neighbour_exponent(const myr_neighbour *list);
void myr_neighbour_set_exponent(myr_neighbour *list, int exponent);

/* --- for particles that are on a GPU and use a list there ---
 * Constants of the pair formula of types a and b, in units of `sigma` and of 2^exponent; factor that converts energies
 * and virials in these units to integers; strength: largest epsilon/sigma of all pairs of types, or the typical force
 * of a user's formula; exponent of the weakest repulsion that counts for the unit, in these units; choice of the unit
 * from the numbers of pairs by exponent, both particles of a pair counted. */
double myr_neighbour_sigma(const myr_neighbour *list);
void myr_neighbour_constants(const myr_neighbour *list, int a, int b, double c[MYR_NEIGHBOUR_CONSTANTS]);
double myr_neighbour_energy_factor(const myr_neighbour *list);
double myr_neighbour_strength(const myr_neighbour *list);
int myr_neighbour_unit_lowest(const myr_neighbour *list);
void myr_neighbour_unit_from(myr_neighbour *list, const myr_wide *sum);

void myr_neighbour_progress_of(const myr_neighbour *list, myr_neighbour_progress *progress);

#endif
