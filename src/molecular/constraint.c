/* constraint.c - SHAKE and RATTLE, cluster by cluster. See constraint.h. */
#include "molecular/constraint.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"

enum { CONSTRAINT_PER_THREAD = 128 };

struct myr_constraints {
    const myr_topology *t;
    int64_t bonds, clusters;
    rigid_bond *bond; /* [bonds], sorted by cluster */
    int64_t *first;   /* [clusters + 1], index of the first bond of each cluster */
    int threads;
};

/* --- clusters ----------------------------------------------------------------------------------------------------- */

static int32_t constraint_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Union-find: the atom with the lowest index represents its cluster. */
static void constraint_clusters(const myr_topology *t, int32_t *parent)
{
    for (int64_t i = 0; i < t->atoms; i++)
        parent[i] = (int32_t)i;
    for (int64_t k = 0; k < t->bonds; k++) {
        if (!t->bond[k].hydrogen)
            continue;
        const int32_t a = constraint_root(parent, t->bond[k].atom[0]), b = constraint_root(parent, t->bond[k].atom[1]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
}

/* Sorts the bonds by cluster. place[atoms] must be zero; it counts the bonds of each representative, then holds the
 * next free place of its cluster. */
static void constraint_sort(myr_constraints *c, int32_t *parent, int64_t *place)
{
    const myr_topology *t = c->t;
    for (int64_t k = 0; k < t->bonds; k++)
        if (t->bond[k].hydrogen)
            place[constraint_root(parent, t->bond[k].atom[0])]++;
    int64_t at = 0;
    for (int64_t i = 0; i < t->atoms; i++) {
        const int64_t count = place[i];
        if (count)
            c->first[c->clusters++] = at;
        place[i] = at;
        at += count;
    }
    c->first[c->clusters] = at;
    for (int64_t k = 0; k < t->bonds; k++) {
        const myr_bond *b = &t->bond[k];
        if (b->hydrogen)
            c->bond[place[constraint_root(parent, b->atom[0])]++] =
                (rigid_bond){b->atom[0], b->atom[1], b->length * b->length};
    }
}

myr_status myr_constraints_create(const myr_topology *topology, myr_constraints **constraints)
{
    const myr_topology *t = topology;
    myr_constraints *c = *constraints = calloc(1, sizeof *c);
    int32_t *parent = myr_memory_zeros(t->atoms, sizeof *parent);
    int64_t *place = myr_memory_zeros(t->atoms, sizeof *place);
    if (c) {
        c->t = t;
        for (int64_t k = 0; k < t->bonds; k++)
            c->bonds += t->bond[k].hydrogen;
        c->bond = myr_memory_zeros(c->bonds + 1, sizeof *c->bond);
        c->first = myr_memory_zeros(c->bonds + 2, sizeof *c->first);
    }
    const int made = c && parent && place && c->bond && c->first;
    if (made) {
        constraint_clusters(t, parent);
        constraint_sort(c, parent, place);
        c->threads = myr_context_threads(t->context);
        if (c->threads > 1 + c->clusters / CONSTRAINT_PER_THREAD)
            c->threads = (int)(1 + c->clusters / CONSTRAINT_PER_THREAD);
    }
    free(parent);
    free(place);
    if (made)
        return MYR_OK;
    myr_constraints_destroy(constraints);
    return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for the bonds of %lld atoms", (long long)t->atoms);
}

void myr_constraints_destroy(myr_constraints **constraints)
{
    if (!constraints || !*constraints)
        return;
    free((*constraints)->bond);
    free((*constraints)->first);
    free(*constraints);
    *constraints = NULL;
}

int64_t myr_constraints_clusters(const myr_constraints *constraints, const rigid_bond **bond, const int64_t **first)
{
    *bond = constraints->bond;
    *first = constraints->first;
    return constraints->clusters;
}

int64_t myr_constraints_count(const myr_constraints *constraints)
{
    return constraints ? constraints->bonds : 0;
}

/* --- solution ----------------------------------------------------------------------------------------------------- */

/* Solves all clusters. Returns the lowest index of a cluster that did not converge, or -1. */
static int64_t constraint_solve(const myr_constraints *k, int velocities, const double *inverse,
                                const double *const before[3], double *const x[3])
{
    double *const from[3] = {(double *)before[0], (double *)before[1], (double *)before[2]}; /* which is only read */
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(k->threads) reduction(min : bad) if (k->threads > 1)
    for (int64_t cluster = 0; cluster < k->clusters; cluster++) {
        const int64_t first = k->first[cluster];
        const int bonds = (int)(k->first[cluster + 1] - first);
        if (!rigid_solve(&k->bond[first], bonds, inverse, from, x, velocities) && cluster < bad)
            bad = cluster;
    }
    return bad == INT64_MAX ? -1 : bad;
}

static myr_status constraint_status(const myr_constraints *k, int64_t bad)
{
    if (bad < 0)
        return MYR_OK;
    const rigid_bond *b = &k->bond[k->first[bad]];
    return myr_context_fail(k->t->context, MYR_ERROR_NONFINITE,
                            "the bonds of atom %d (%s) to hydrogen cannot be kept at their lengths: the time step is "
                            "too long, or the atoms started too close",
                            b->i + 1, k->t->name[b->i]);
}

myr_status myr_constraints_positions(const myr_constraints *constraints, const double *inverse,
                                     const double *const before[3], double *const x[3])
{
    return constraint_status(constraints, constraint_solve(constraints, 0, inverse, before, x));
}

myr_status myr_constraints_velocities(const myr_constraints *constraints, const double *inverse,
                                      const double *const x[3], double *const v[3])
{
    return constraint_status(constraints, constraint_solve(constraints, 1, inverse, x, v));
}
