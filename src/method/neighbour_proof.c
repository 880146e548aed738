/* neighbour_proof.c - the proof that a list still holds every pair within the cutoff (paper 003, Algorithm 2).
 *
 * Let all lengths along the box's axes have been multiplied by at least `shrink` since the list was built with search
 * length rs. A pair that is not in it was at least rs apart, so it is now at least shrink rs - (the sum of their two
 * displacements in present lengths) apart. While that is more than the cutoff, the list is proven.
 *   DUTC  displacements are at most the sum of the furthest moves of all steps: free of charge
 *   LDC   displacements are measured. The largest goes back to DUTC as the new start of its sum. Where that does not
 *         do, only pairs of particles that are both far from where they were can be missing: those are looked at, if
 *         they are few. (The paper's Algorithm 2 would go through LDC at every step once DUTC has failed; its last
 *         line should read "valid"; and where rs - rc - the largest displacement is negative the list has expired.)
 * In a divided box a domain knows its own particles, and those of the halo as they were one step ago. Of a pair that is
 * in no list either both were known to one domain, which looks at it; or they were `extra` further apart than the
 * search length, which is how far halos reach beyond it. Distances of the list and of the loops are those of rounded
 * coordinates: `resolution` stands for all of it. */
#include <math.h>

#include "core/timer.h"
#include "method/neighbour_inside.h"

enum { PROOF_FAR_MOST = 200 }; /* N_l of the paper: few enough to try all pairs */
#define HALO_EXTRA 0.25        /* of the skin: lists live as long as those of a box that is not divided */

static double proof_diagonal(const myr_box *box)
{
    return sqrt(box->length[0] * box->length[0] + box->length[1] * box->length[1] + box->length[2] * box->length[2]);
}

/* Either of two coordinates is cut off at 2^-32 of the box, both when the list is built and when it is used, and so is
 * the one that displacements are measured from; and distances are computed in reals. */
double myr_neighbour_resolution(const myr_neighbour *list)
{
    const double rounding = list->unit->real_bytes == 4 ? 0x1p-20 : 0x1p-48;
    return 4 * 0x1p-32 * proof_diagonal(&list->set.box) + rounding * list->search;
}

static double proof_shrink(const myr_neighbour *list)
{
    double shrink = (double)INFINITY;
    for (int k = 0; k < 3; k++)
        shrink = fmin(shrink, list->set.box.length[k] / list->built_length[k]);
    return shrink;
}

/* How far two particles may come closer. */
static double proof_room(const myr_neighbour *list)
{
    return proof_shrink(list) * list->search - list->cutoff - list->resolution;
}

/* Squares of the displacements of all, and the largest displacement of own particles. */
static double proof_measure(myr_neighbour *list)
{
    float unit[3], most = 0;
    for (int k = 0; k < 3; k++)
        unit[k] = (float)(list->set.box.length[k] * 0x1p-32);
#pragma omp parallel for num_threads(list->threads) schedule(static) reduction(max : most)
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

/* Adds those of [first, last) that may have gone further than `limit` to the `count` that are there; -1 = too many. */
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

/* Whether no pair of those that went further than `limit` is missing; at least one of the two is our own. */
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

/* The last look, at pairs, which every domain does for its own. */
static myr_status proof_pairs(myr_neighbour *list, double room, int *holds)
{
    const double beyond = list->set.agreement ? proof_shrink(list) * list->extra : (double)INFINITY;
    *holds = 0;
    if (!(room > list->travel && room + beyond > 2 * list->travel))
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

myr_status myr_neighbour_prove(myr_neighbour *list, double furthest, int *holds)
{
    myr_status status = MYR_OK;
    *holds = 0;
    if (!(furthest >= 0 && furthest < (double)INFINITY))
        return myr_context_fail(list->context, MYR_ERROR_VALUE,
                                "a particle moved by %g in one step: the time step is too long for these forces",
                                furthest);
    const double began = myr_neighbour_now(list);
    /* a move is rounded to the coordinates' unit, 2^-64 of the box, along each axis */
    const double most = furthest * (1 + 0x1p-40) + 0x1p-63 * proof_diagonal(&list->set.box);
    list->progress.steps++;
    list->travel += most;
    list->stale += most;
    if (list->valid)
        status = proof_holds(list, holds);
    list->progress.proof_seconds += myr_neighbour_now(list) - began;
    return status;
}

myr_status myr_neighbour_resize(myr_neighbour *list, int64_t n)
{
    list->valid = list->sorted = 0;
    list->halo = 0;
    list->n = 0;
    const myr_status status = myr_neighbour_reserve(list, n);
    if (!status)
        list->set.n = list->n = (int32_t)n;
    return status;
}

myr_status myr_neighbour_sort(myr_neighbour *list)
{
    const double began = myr_neighbour_now(list);
    list->valid = list->begun = 0;
    list->halo = 0;
    myr_status status = myr_neighbour_tune(list);
    list->extra = list->set.agreement ? HALO_EXTRA * list->set.skin : 0;
    list->resolution = myr_neighbour_resolution(list);
    if (!status)
        status = myr_neighbour_order(list);
    list->sorted = !status;
    list->progress.list_seconds += myr_neighbour_now(list) - began;
    return status;
}

/* Coordinates in the list are rounded. */
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
    if (!status)
        status = myr_neighbour_build(list);
    list->progress.list_seconds += myr_neighbour_now(list) - began;
    list->progress.margin = proof_room(list);
    return status || !list->set.check || list->set.agreement ? status : myr_neighbour_check(list);
}

myr_status myr_neighbour_update(myr_neighbour *list, double furthest, int *rebuilt)
{
    int holds = 0;
    myr_status status = myr_neighbour_prove(list, furthest, &holds);
    if (status)
        return status;
    if (rebuilt)
        *rebuilt = !holds;
    if (holds)
        return list->set.check ? myr_neighbour_check(list) : MYR_OK;
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
    list->travel *= grow; /* displacements so far are scaled with everything else */
    list->stale *= grow;
    list->set.box = *box;
    list->resolution = myr_neighbour_resolution(list);
    return MYR_OK;
}
