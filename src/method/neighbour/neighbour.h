/* neighbour.h - short-range forces: particles kept in the order of a grid, a list of who is near whom, and the proof
 * that it holds (paper 003, sections 2 and 3).
 *
 * The caller owns the particles' arrays and tracks them here; a rebuild sorts all of them into grid order, so the place
 * of a particle in memory changes and its id does not. Forces come back in the order of the moment.
 *
 *   myr_neighbour_create(context, &set, &nb);
 *   myr_neighbour_track(nb, v[0], sizeof *v[0]);                  and whatever else belongs to a particle
 *   for each step: move the particles; myr_neighbour_update(nb, furthest move of any); myr_neighbour_forces_begin and
 * _end
 *
 * One domain of a divided box has, behind its own particles [0, n), a halo [n, n + h): copies of those that others own
 * and that are within myr_neighbour_width of one of its own. Its list holds pairs of its own once, and those with the
 * halo for its own particle only; the other domain has them too. Energy and virial of the latter count half. Since
 * differences of box coordinates are integers, and every term is rounded by itself, forces, energy and virial have the
 * bits of a box that is not divided. Forces need `fixed`, and an agreement with the other domains. A step is
 *   myr_neighbour_ask(nb, furthest move of own particles, word); the largest of all domains' words;
 *   myr_neighbour_decide(nb, word, &holds);
 *   if (holds) bring the coordinates of the halo up to date, in the order in which it came
 *   else       exchange particles that have left; myr_neighbour_resize; myr_neighbour_sort;
 *              get a new halo; myr_neighbour_search
 *   myr_neighbour_forces_begin, which does not look at the halo; myr_neighbour_forces_end, which does
 * Own pairs may be evaluated while words and coordinates are under way: forces_begin comes after ask then, and what it
 * did is forgotten where the list does not hold. */
#ifndef MYR_METHOD_NEIGHBOUR_H
#define MYR_METHOD_NEIGHBOUR_H

#include <stddef.h>

#include "backend/backend.h"
#include "core/context.h"
#include "domain/agreement.h"
#include "domain/box.h"
#include "kernel/cut.h"

typedef struct {
    myr_box box;
    int64_t n;
    uint64_t *q[3]; /* coordinates, tracked by the list itself */
    int32_t *type;  /* tracked too; null = all 0 */
    int types;
    const myr_pair_potential *pair; /* [types][types], symmetric */
    myr_cut cut;
    int arithmetic;                 /* MYR_ARITH: single, portable or double */
    int fixed;                      /* sums without rounding: the same bits in any order */
    double skin;                    /* search length - cutoff; 0 = chosen from measured times */
    int threads;                    /* 0 = those of the context */
    int check;                      /* compares every list with all pairs: slow, for doubts */
    const myr_isa_table *isa;       /* instruction set; null = the best that this machine runs */
    const myr_agreement *agreement; /* with the other domains, and kept; null = the box is not divided */
    /* Called now and then while own pairs are evaluated, by the thread that asked for them; null = never. */
    void (*meanwhile)(void *user);
    void *user;
    int64_t all; /* particles of all domains; 0 = n */
} myr_neighbour_set;

typedef struct myr_neighbour myr_neighbour;

typedef struct {
    double energy;
    double virial[6]; /* sum over pairs of x_a F_b: xx, yy, zz, yz, xz, xy; the virial is its trace */
} myr_neighbour_sums;

/* What has happened so far. */
typedef struct {
    int64_t builds, steps;      /* lists built; updates asked for */
    int64_t pairs;              /* within the search length, in the present list */
    int64_t displacement_tests; /* times that speeds alone did not prove the list (LDC) */
    double skin, margin;
    double list_seconds, proof_seconds, force_seconds; /* without what other domains are waited for */
    double waited;                                     /* for them */
    double worked;                                     /* processor seconds of lists and forces, in a divided box */
    int64_t agreed_again;                              /* steps that domains agreed upon more than once */
} myr_neighbour_progress;

myr_status myr_neighbour_create(myr_context *context, const myr_neighbour_set *set, myr_neighbour **list);
void myr_neighbour_destroy(myr_neighbour **list);

/* The name of the instruction set that the loops are compiled for. */
const char *myr_neighbour_isa(const myr_neighbour *list);

/* Adds an array of the caller's, of `bytes` per particle, that is sorted with the particles. */
myr_status myr_neighbour_track(myr_neighbour *list, void *array, size_t bytes);

/* Tells that no particle has moved further than `furthest` since the last call. Proves that the list still holds, or
 * builds a new one: then everything tracked is in another order, and *rebuilt is 1 (rebuilt may be null). */
myr_status myr_neighbour_update(myr_neighbour *list, double furthest, int *rebuilt);

/* The same in parts, for a domain; all domains call them together. What a domain has to say, of which all need the
 * largest: how far its own particles have moved, its closest pair when forces were last evaluated, and where the list
 * is about to end, how far they are from where they were. */
enum { MYR_NEIGHBOUR_WORDS = 4 };
void myr_neighbour_ask(myr_neighbour *list, double furthest, double word[MYR_NEIGHBOUR_WORDS]);

/* Whether that proves that the list still holds, and the unit of sums is to stay, so that nothing more has to be said:
 * then it is done. If not, nothing is. */
int myr_neighbour_accept(myr_neighbour *list, const double word[MYR_NEIGHBOUR_WORDS]);

/* Whether the list still holds; domains may have to agree once more. */
myr_status myr_neighbour_decide(myr_neighbour *list, const double word[MYR_NEIGHBOUR_WORDS], int *holds);

/* Whether the list will hold after the next step, from all that has been said so far: a guess, the same in all domains.
 */
int myr_neighbour_expects(const myr_neighbour *list);

/* All of it at once. `furthest` is that of all domains. */
myr_status myr_neighbour_prove(myr_neighbour *list, double furthest, int *holds);

/* Own particles have come or gone: there are n now. What has been tracked holds them. */
myr_status myr_neighbour_resize(myr_neighbour *list, int64_t n);

/* An array that is tracked, q or type among them, has moved. */
void myr_neighbour_moved(myr_neighbour *list, const void *from, void *to);

/* Begins a new list: sorts all that is tracked of own particles [0, n). */
myr_status myr_neighbour_sort(myr_neighbour *list);

/* How far from own particles the halo must reach, after a sort. */
double myr_neighbour_width(const myr_neighbour *list);

/* Ends it, with a halo of h particles in [n, n + h) of q and type, in any order, none of them twice. They stay in that
 * order. */
myr_status myr_neighbour_search(myr_neighbour *list, int64_t h);

/* Builds a new list with the next update, whatever the proof says. */
void myr_neighbour_invalidate(myr_neighbour *list);

/* The box has been scaled: coordinates are as they were, lengths are not. Counts as a displacement in the proof. */
myr_status myr_neighbour_set_box(myr_neighbour *list, const myr_box *box);

/* Forces on all particles; sums where not null. With `fixed`, sums and forces do not depend on order or threads, and
 * the forces add up to exactly 0. Two particles so close that the sums could leave their range raise the unit for all,
 * and it is done again; with less haste it is raised before that, and lowered when they have parted.
 * Two halves: the first needs the coordinates of own particles only, those of the halo may still be in flight.
 * want_sums: 1 = the second half will ask for sums, which are those of all domains. */
myr_status myr_neighbour_forces_begin(myr_neighbour *list, int want_sums);
myr_status myr_neighbour_forces_end(myr_neighbour *list, double *const force[3], myr_neighbour_sums *sums);

/* The two closest particles of the list (their places in memory at the moment, those of a halo as it came; -1 where
 * there is no pair) and their distance, as of the last update or forces. */
double myr_neighbour_closest(const myr_neighbour *list, int64_t pair[2]);

/* Whether a box will do for a cutoff; the error says why not. */
myr_status myr_neighbour_check_box(myr_context *context, const myr_box *box, double cutoff);

/* The unit of the fixed sums, as a power of two: part of a checkpoint. Domains may first have to agree on it. */
myr_status myr_neighbour_settle(myr_neighbour *list);
int myr_neighbour_exponent(const myr_neighbour *list);
void myr_neighbour_set_exponent(myr_neighbour *list, int exponent);

void myr_neighbour_progress_of(const myr_neighbour *list, myr_neighbour_progress *progress);

#endif
