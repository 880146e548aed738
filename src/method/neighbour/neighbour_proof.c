/* neighbour_proof.c - proof that a list still holds every pair within the cutoff (paper 003, Algorithm 2).
 *
 * Let all lengths along the box's axes have been multiplied by at least `shrink` since the list was built with search
 * length rs. The distance of a pair that is not in the list was at least rs, so that it is now at least shrink rs -
 * (the sum of the two displacements in current lengths). While that exceeds the cutoff, the list is proven.
 *   DUTC  displacements are bounded by the sum of the largest displacements of all steps: no cost
 *   LDC   displacements are measured. The largest becomes the new start of the DUTC sum. If that is not enough, only
 *   pairs
 *         of two particles with large displacements can be missing: these pairs are tested, if they are few. (The
 *         paper's
 *         Algorithm 2 would go through LDC at every step once DUTC has failed; its last line should read "valid"; and
 *         if
 *         rs - rc - the largest displacement is negative the list has expired.)
 * In a divided box a domain knows its own particles, and the halo as it was one step ago. A pair that is in no list was
 * either known to one domain, which tests it, or was further apart than the search length by `extra`, the width of the
 * halo beyond the search length. Distances of the list and of the loops are those of rounded coordinates: `resolution`
 * bounds all rounding errors. */
#include <math.h>

#include "core/timer.h"
#include "method/neighbour/neighbour_inside.h"

enum {
    PROOF_FAR_MOST = 200, /* N_l of the paper: largest number of particles of which all pairs are tested */
    RESIZE_LEAST = 4      /* arrays shrink if less than 1/RESIZE_LEAST of their capacity is used */
};
/* halo width beyond the search length, in skins: enough for lists to last as long as in an undivided box */
#define HALO_EXTRA 0.25

static double proof_diagonal(const myr_box *box)
{
    return sqrt(box->length[0] * box->length[0] + box->length[1] * box->length[1] + box->length[2] * box->length[2]);
}

/* Two coordinates are truncated at 2^-32 of the box when the list is built and when it is used, and so is the reference
 * of displacements; distances are computed in reals. */
double myr_neighbour_resolution(const myr_neighbour *list)
{
    const double rounding = list->unit[0]->real_bytes == 4 ? 0x1p-20 : 0x1p-48;
    return 4 * 0x1p-32 * proof_diagonal(&list->set.box) + rounding * list->search;
}

double myr_neighbour_shrink(const myr_neighbour *list)
{
    double shrink = (double)INFINITY;
    for (int k = 0; k < 3; k++)
        shrink = fmin(shrink, list->set.box.length[k] / list->built_length[k]);
    return shrink;
}

/* Distance by which two particles may approach each other before the list fails. */
static double proof_room(const myr_neighbour *list)
{
    return myr_neighbour_shrink(list) * list->search - list->cutoff - list->resolution;
}

/* Measures the squared displacements of all particles; returns the largest displacement of own particles. */
static double proof_measure(myr_neighbour *list)
{
    float unit[3], most = 0;
    for (int k = 0; k < 3; k++)
        unit[k] = (float)(list->set.box.length[k] * 0x1p-32);
#pragma omp parallel for num_threads(list->team) schedule(static) reduction(max : most)
    for (int32_t i = 0; i < list->n + list->halo; i++) {
        float square = 0;
        for (int k = 0; k < 3; k++) {
            const float d = (float)(int32_t)((uint32_t)(list->set.q[k][i] >> 32) - list->old[k][i]) * unit[k];
            square += d * d;
        }
        list->moved[i] = square;
        most = i < list->n && square > most ? square : most;
    }
    return (double)sqrtf(most);
}

static double proof_distance(const myr_neighbour *list, int32_t i, int32_t j, int before)
{
    double square = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t a = before ? list->old[k][i] : (uint32_t)(list->set.q[k][i] >> 32);
        const uint32_t b = before ? list->old[k][j] : (uint32_t)(list->set.q[k][j] >> 32);
        const double length = before ? list->built_length[k] : list->set.box.length[k];
        const double d = (double)(int32_t)(a - b) * length * 0x1p-32;
        square += d * d;
    }
    return sqrt(square);
}

/* Appends particles of [first, last) that may have moved further than `limit` to far[count]; returns the new count, or
 * -1 if too many. */
static int proof_far(const myr_neighbour *list, int32_t first, int32_t last, double limit, int count, int32_t *far)
{
    const float least = limit > 0 ? (float)(limit * limit * (1 - 0x1p-20)) : 0;
    for (int32_t i = first; count >= 0 && i < last; i++)
        if (list->moved[i] >= least) {
            if (count == PROOF_FAR_MOST)
                return -1;
            far[count++] = i;
        }
    return count;
}

/* Returns 1 if no pair of particles that moved further than `limit` is missing; at least one of the two is an own
 * particle. */
static int proof_far_pairs(const myr_neighbour *list, double limit)
{
    int32_t far[PROOF_FAR_MOST];
    const int own = proof_far(list, 0, list->n, limit, 0, far);
    const int all = proof_far(list, list->n, list->n + list->halo, limit - list->stale, own, far);
    if (all < 0)
        return 0;
    for (int a = 0; a < all; a++)
        for (int b = 0; b < a && b < own; b++)
            if (proof_distance(list, far[a], far[b], 0) < list->cutoff + list->resolution + list->stale &&
                proof_distance(list, far[a], far[b], 1) > list->search - list->resolution)
                return 0;
    return 1;
}

/* Returns 1 if only pairs of two particles with large displacements can be missing, given that no displacement exceeds
 * `travel`. */
static int proof_is_near(const myr_neighbour *list, double room, double travel)
{
    const double beyond = list->set.agreement ? myr_neighbour_shrink(list) * list->extra : (double)INFINITY;
    return room > travel && room + beyond > 2 * travel;
}

/* Last test: pairs of particles with large displacements; every domain tests its own pairs. */
static myr_status proof_pairs(myr_neighbour *list, double room, int *holds)
{
    *holds = 0;
    if (!proof_is_near(list, room, list->travel))
        return MYR_OK;
    double missing = !proof_far_pairs(list, room - list->travel);
    const myr_status status = myr_neighbour_largest(list, &missing);
    *holds = missing == 0;
    return status;
}

static myr_status proof_holds(myr_neighbour *list, int *holds)
{
    const double room = proof_room(list);
    list->progress.margin = room - 2 * list->travel;
    *holds = list->progress.margin > 0;
    if (*holds)
        return MYR_OK;
    list->progress.displacement_tests++;
    double travel = proof_measure(list) * (1 + 0x1p-20);
    const myr_status status = myr_neighbour_largest(list, &travel);
    list->travel = travel;
    list->progress.margin = room - 2 * travel;
    *holds = list->progress.margin > 0;
    return status || *holds ? status : proof_pairs(list, room, holds);
}

/* --- one agreement per step ------------------------------------------------------------------------------------------
 * Shortly before DUTC fails, displacements are measured and pairs with large displacements are tested before the
 * domains agree, with a limit for the largest displacement of this step, which is not known yet. If the agreement shows
 * a larger displacement, the domains agree a second time. */

enum { PROOF_FURTHEST, PROOF_TRAVEL, PROOF_MISSING };
#define FORESEEN 1.1 /* assumed largest displacement, in units of that of the previous step */

/* Largest displacement including the rounding to the unit of coordinates, 2^-64 of the box along each axis. */
double myr_neighbour_move(const myr_neighbour *list, double furthest)
{
    return furthest * (1 + 0x1p-40) + 0x1p-63 * proof_diagonal(&list->set.box);
}

double myr_neighbour_foresee(const myr_neighbour *list)
{
    return FORESEEN * list->step;
}

int myr_neighbour_expects(const myr_neighbour *list)
{
    return list->valid && list->progress.margin > 0;
}

void myr_neighbour_prove_begin(myr_neighbour *list, double furthest, double value[MYR_NEIGHBOUR_PROOF_VALUES])
{
    const double began = myr_neighbour_now(list);
    value[PROOF_FURTHEST] = furthest;
    value[PROOF_TRAVEL] = value[PROOF_MISSING] = 0;
    list->agreeing = 1;
    list->foreseen = myr_neighbour_foresee(list);
    list->ahead = furthest;
    list->measured = list->valid && !(proof_room(list) > 2 * (list->travel + list->foreseen));
    if (!list->measured)
        return;
    const double room = proof_room(list), travel = list->travel + list->foreseen;
    list->progress.displacement_tests++;
    value[PROOF_TRAVEL] = proof_measure(list) * (1 + 0x1p-20);
    list->stale += list->foreseen;
    value[PROOF_MISSING] = !(proof_is_near(list, room, travel) && proof_far_pairs(list, room - travel));
    list->stale -= list->foreseen;
    list->progress.proof_seconds += myr_neighbour_now(list) - began;
}

/* Returns 1 if the maxima prove the list. *travel: upper bound of displacements from now on. */
static int proof_values(const myr_neighbour *list, const double *value, double *travel)
{
    const double most = myr_neighbour_move(list, value[PROOF_FURTHEST]), room = proof_room(list);
    *travel = list->measured ? fmin(list->travel + most, value[PROOF_TRAVEL]) : list->travel + most;
    if (!list->valid || !(value[PROOF_FURTHEST] >= 0 && value[PROOF_FURTHEST] < (double)INFINITY))
        return 0;
    return room > 2 * *travel || (list->measured && value[PROOF_MISSING] == 0 && most <= list->foreseen);
}

int myr_neighbour_accept(myr_neighbour *list, const double value[MYR_NEIGHBOUR_PROOF_VALUES])
{
    double travel;
    int holds;
    if (!proof_values(list, value, &travel))
        return 0;
    return myr_neighbour_decide(list, value, &holds) == MYR_OK && holds;
}

/* Second agreement: displacements were not measured beforehand, or were larger than assumed. */
static myr_status proof_again(myr_neighbour *list, int *holds)
{
    list->progress.agreed_again++;
    return list->measured ? proof_pairs(list, proof_room(list), holds) : proof_holds(list, holds);
}

myr_status myr_neighbour_decide(myr_neighbour *list, const double value[MYR_NEIGHBOUR_PROOF_VALUES], int *holds)
{
    const double furthest = value[PROOF_FURTHEST], most = myr_neighbour_move(list, furthest);
    double travel;
    *holds = 0;
    list->agreeing = 0;
    if (!(furthest >= 0 && furthest < (double)INFINITY))
        return myr_context_fail(list->context, MYR_ERROR_VALUE,
                                "a particle moved by %g in one step: the time step is too long for these forces",
                                furthest);
    const double began = myr_neighbour_now(list);
    myr_status status = MYR_OK;
    const int is_proven = proof_values(list, value, &travel);
    list->progress.steps++;
    list->step = most;
    list->stale += most;
    list->travel = travel;
    list->pruned.travel += most;
    list->pruned.room -= 2 * most;
    list->progress.margin = proof_room(list) - 2 * travel;
    if (is_proven)
        *holds = 1;
    else if (list->valid)
        status = proof_again(list, holds);
    list->progress.proof_seconds += myr_neighbour_now(list) - began;
    return status;
}

myr_status myr_neighbour_prove(myr_neighbour *list, double furthest, int *holds)
{
    const double value[MYR_NEIGHBOUR_PROOF_VALUES] = {furthest};
    list->measured = 0;
    return myr_neighbour_decide(list, value, holds);
}

myr_status myr_neighbour_resize(myr_neighbour *list, int64_t n)
{
    myr_neighbour_drop(list);
    list->valid = list->sorted = 0;
    list->halo = 0;
    list->n = 0;
    /* returns memory if the domain was created with the particles of all domains */
    if (list->capacity / RESIZE_LEAST > n)
        list->capacity = 1;
    const myr_status status = myr_neighbour_reserve(list, n);
    if (!status)
        list->set.n = list->n = (int32_t)n;
    return status;
}

myr_status myr_neighbour_sort(myr_neighbour *list)
{
    const double began = myr_neighbour_now(list);
    myr_neighbour_drop(list);
    list->valid = 0;
    list->halo = 0;
    list->pruned = (neighbour_pruned){0};
    myr_status status = myr_neighbour_tune(list);
    list->extra = list->set.agreement ? HALO_EXTRA * list->set.skin : 0;
    list->resolution = myr_neighbour_resolution(list);
    const double worked = myr_neighbour_processor(list);
    if (!status)
        status = myr_neighbour_order(list);
    list->sorted = !status;
    list->progress.worked += myr_neighbour_processor(list) - worked;
    list->progress.list_seconds += myr_neighbour_now(list) - began;
    return status;
}

/* Includes the rounding of the list's coordinates. */
double myr_neighbour_width(const myr_neighbour *list)
{
    return list->search + list->extra + list->resolution;
}

myr_status myr_neighbour_search(myr_neighbour *list, int64_t h)
{
    const double began = myr_neighbour_now(list);
    if (!list->sorted || h < 0 || (h > 0 && !list->set.agreement))
        return myr_context_fail(list->context, MYR_ERROR_ARGUMENT,
                                list->sorted ? "a halo of %lld particles, of a box that is not divided"
                                             : "a list with a halo of %lld particles is ended that was not begun",
                                (long long)h);
    list->sorted = 0;
    myr_status status = myr_neighbour_reserve(list, list->n + h);
    list->halo = status ? 0 : (int32_t)h;
    const double worked = myr_neighbour_processor(list);
    if (!status)
        status = myr_neighbour_build(list);
    list->progress.worked += myr_neighbour_processor(list) - worked;
    list->progress.list_seconds += myr_neighbour_now(list) - began;
    list->progress.margin = proof_room(list);
    return status || !list->set.check || list->set.agreement ? status : myr_neighbour_check(list);
}

/* Prunes the list of an undivided box. */
static myr_status proof_prune(myr_neighbour *list)
{
    const double began = myr_neighbour_now(list);
    myr_neighbour_pack(list);
    const myr_status status = myr_neighbour_prune(list, 0);
    list->progress.list_seconds += myr_neighbour_now(list) - began;
    return status;
}

myr_status myr_neighbour_update(myr_neighbour *list, double furthest, int *rebuilt)
{
    int holds = 0;
    myr_status status = myr_neighbour_prove(list, furthest, &holds);
    if (status)
        return status;
    if (rebuilt)
        *rebuilt = !holds;
    if (holds) {
        status = myr_neighbour_pruned(list, 0) ? MYR_OK : proof_prune(list);
        return status || !list->set.check ? status : myr_neighbour_check(list);
    }
    status = myr_neighbour_sort(list);
    return status ? status : myr_neighbour_search(list, 0);
}

void myr_neighbour_invalidate(myr_neighbour *list)
{
    list->valid = 0;
}

myr_status myr_neighbour_set_box(myr_neighbour *list, const myr_box *box)
{
    double grow = 0;
    myr_status status = myr_neighbour_check_box(list->context, box, list->cutoff);
    if (status)
        return status;
    for (int k = 0; k < 3; k++)
        grow = fmax(grow, box->length[k] / list->set.box.length[k]);
    list->travel *= grow; /* displacements scale with the box */
    list->stale *= grow;
    list->set.box = *box;
    list->resolution = myr_neighbour_resolution(list);
    list->pruned = (neighbour_pruned){0}; /* its lengths are those of the box before */
    return MYR_OK;
}
