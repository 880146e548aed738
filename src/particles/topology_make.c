/* topology_make.c - topologies built through the C API, atom by atom and term by term. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "particles/topology.h"

myr_status myr_topology_create(myr_context *context, int64_t atoms, int types, myr_topology **topology)
{
    if (!context || !topology)
        return MYR_ERROR_ARGUMENT;
    *topology = NULL;
    if (atoms < 1 || atoms > INT32_MAX / 4 || types < 1 || types > 4096)
        return myr_context_fail(context, MYR_ERROR_VALUE,
                                "a topology cannot have %lld atoms of %d types; give at least one of both, and at most "
                                "4096 types",
                                (long long)atoms, types);
    *topology = myr_topology_make(context, atoms, atoms, types);
    return *topology ? MYR_OK
                     : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a topology of %lld atoms",
                                        (long long)atoms);
}

myr_status myr_topology_set_atom(myr_topology *t, int64_t atom, const myr_topology_atom_info *info)
{
    if (!t || !info)
        return MYR_ERROR_ARGUMENT;
    if (atom < 0 || atom >= t->atoms || info->type < 0 || info->type >= t->types || !(info->mass > 0) ||
        !isfinite(info->mass + info->charge) || info->residue_number < 1 || info->residue_number > t->atoms)
        return myr_context_fail(t->context, MYR_ERROR_VALUE,
                                "atom %lld of type %d, mass %g, charge %g, residue %lld cannot be; the topology has "
                                "%lld atoms of %d types, counted from 0, and masses must be positive",
                                (long long)atom, info->type, info->mass, info->charge, (long long)info->residue_number,
                                (long long)t->atoms, t->types);
    t->type[atom] = info->type;
    t->mass[atom] = info->mass;
    t->charge[atom] = info->charge;
    t->residue[atom] = (int32_t)info->residue_number - 1;
    snprintf(t->name[atom], sizeof t->name[atom], "%s", info->name ? info->name : "");
    snprintf(t->residue_name[t->residue[atom]], sizeof *t->residue_name, "%s", info->residue ? info->residue : "");
    return MYR_OK;
}

myr_status myr_topology_set_radius(myr_topology *t, int64_t atom, double radius, double screen)
{
    if (!t)
        return MYR_ERROR_ARGUMENT;
    if (atom < 0 || atom >= t->atoms || !myr_topology_radius_valid(radius, screen))
        return myr_context_fail(t->context, MYR_ERROR_VALUE,
                                "atom %lld of %lld cannot have the radius %g and the screening factor %g; a radius is "
                                "above %g Angstrom, a factor from 0 to %g",
                                (long long)atom, (long long)t->atoms, radius, screen, MYR_TOPOLOGY_BORN_OFFSET,
                                MYR_TOPOLOGY_SCREEN_MOST);
    if (!t->radius)
        t->radius = myr_memory_zeros(t->atoms, sizeof *t->radius);
    if (!t->screen)
        t->screen = myr_memory_zeros(t->atoms, sizeof *t->screen);
    if (!t->radius || !t->screen)
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for the radii of %lld atoms",
                                (long long)t->atoms);
    t->radius[atom] = radius;
    t->screen[atom] = screen;
    return MYR_OK;
}

int myr_topology_radius_valid(double radius, double screen)
{
    return radius > MYR_TOPOLOGY_BORN_OFFSET && radius < MYR_TOPOLOGY_RADIUS_MOST && screen >= 0 &&
           screen <= MYR_TOPOLOGY_SCREEN_MOST;
}

myr_status myr_topology_set_pair(myr_topology *t, int type, int other, double epsilon, double sigma)
{
    if (!t)
        return MYR_ERROR_ARGUMENT;
    if (type < 0 || other < 0 || type >= t->types || other >= t->types || !(epsilon >= 0) || !(sigma >= 0) ||
        !isfinite(epsilon + sigma))
        return myr_context_fail(t->context, MYR_ERROR_VALUE,
                                "types %d and %d cannot have epsilon %g and sigma %g; there are %d types, from 0", type,
                                other, epsilon, sigma, t->types);
    t->epsilon[type * t->types + other] = t->epsilon[other * t->types + type] = epsilon;
    t->sigma[type * t->types + other] = t->sigma[other * t->types + type] = sigma;
    return MYR_OK;
}

/* --- bonded terms ------------------------------------------------------------------------------------------------- */

/* Makes room for one more entry in a list whose capacity is a power of two. Returns the list, or null with a message in
 * the context if memory is short. */
static void *topology_room(myr_topology *t, void *list, int64_t count, size_t bytes)
{
    if (count & (count - 1))
        return list;
    void *grown = realloc(list, (size_t)(count ? 2 * count : 1) * bytes);
    if (!grown)
        myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for %lld terms", (long long)count + 1);
    return grown;
}

/* Checks that the atoms of a term exist and differ from each other, and stores their indices in `to`. */
static myr_status topology_atoms(const myr_topology *t, const int64_t *from, int n, double k, int32_t *to)
{
    if (!isfinite(k))
        return myr_context_fail(t->context, MYR_ERROR_VALUE, "a term cannot have the force constant %g", k);
    for (int a = 0; a < n; a++) {
        if (from[a] < 0 || from[a] >= t->atoms)
            return myr_context_fail(t->context, MYR_ERROR_VALUE, "there is no atom %lld; there are %lld, from 0",
                                    (long long)from[a], (long long)t->atoms);
        for (int b = 0; b < a; b++)
            if (from[a] == from[b])
                return myr_context_fail(t->context, MYR_ERROR_VALUE, "a term has atom %lld twice", (long long)from[a]);
        to[a] = (int32_t)from[a];
    }
    return MYR_OK;
}

myr_status myr_topology_add_bond(myr_topology *t, const int64_t atom[2], int hydrogen, double k, double length)
{
    myr_bond b = {.hydrogen = hydrogen != 0, .k = k, .length = length};
    if (!t || !atom)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = topology_atoms(t, atom, 2, k, b.atom);
    if (status)
        return status;
    if (!(length > 0) || !isfinite(length))
        return myr_context_fail(t->context, MYR_ERROR_VALUE, "a bond cannot have the length %g", length);
    myr_bond *list = topology_room(t, t->bond, t->bonds, sizeof b);
    if (!list)
        return MYR_ERROR_MEMORY;
    t->bond = list;
    t->bond[t->bonds++] = b;
    return MYR_OK;
}

myr_status myr_topology_add_angle(myr_topology *t, const int64_t atom[3], double k, double theta0)
{
    myr_angle a = {.k = k, .theta = theta0};
    if (!t || !atom)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = topology_atoms(t, atom, 3, k + theta0, a.atom);
    if (status)
        return status;
    myr_angle *list = topology_room(t, t->angle, t->angles, sizeof a);
    if (!list)
        return MYR_ERROR_MEMORY;
    t->angle = list;
    t->angle[t->angles++] = a;
    return MYR_OK;
}

myr_status myr_topology_add_dihedral(myr_topology *t, const int64_t atom[4], double k, int n, double phase)
{
    myr_dihedral d = {.n = n, .k = k, .phase = phase};
    if (!t || !atom)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = topology_atoms(t, atom, 4, k + phase, d.atom);
    if (status)
        return status;
    if (n < 0 || n > 64)
        return myr_context_fail(t->context, MYR_ERROR_VALUE, "a dihedral cannot have the periodicity %d", n);
    myr_dihedral *list = topology_room(t, t->dihedral, t->dihedrals, sizeof d);
    if (!list)
        return MYR_ERROR_MEMORY;
    t->dihedral = list;
    t->dihedral[t->dihedrals++] = d;
    return MYR_OK;
}

/* --- exclusions and 1-4 pairs from bonds -------------------------------------------------------------------------- */

/* Adjacency lists of the bonds: the atoms bonded to atom i are partner[offset[i]] to partner[offset[i + 1] - 1]. */
typedef struct {
    int64_t *offset;
    int32_t *partner;
} topology_graph;

static myr_status topology_connect(const myr_topology *t, topology_graph *g)
{
    g->offset = myr_memory_zeros(t->atoms + 2, sizeof *g->offset);
    g->partner = myr_memory_zeros(2 * t->bonds + 1, sizeof *g->partner);
    if (!g->offset || !g->partner)
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for the bonds of %lld atoms",
                                (long long)t->atoms);
    for (int64_t k = 0; k < t->bonds; k++)
        for (int side = 0; side < 2; side++)
            g->offset[t->bond[k].atom[side] + 2]++;
    for (int64_t i = 0; i < t->atoms; i++)
        g->offset[i + 2] += g->offset[i + 1];
    for (int64_t k = 0; k < t->bonds; k++)
        for (int side = 0; side < 2; side++)
            g->partner[g->offset[t->bond[k].atom[side] + 1]++] = t->bond[k].atom[1 - side];
    return MYR_OK;
}

/* Follows up to three bonds from an atom and sets distance[j] = 1, 2 or 3, the smallest number of bonds to atom j;
 * lists in `seen` every atom reached. */
static void topology_mark_near(const topology_graph *g, int32_t at, int depth, int32_t *distance, int32_t *seen,
                               int64_t *count)
{
    for (int64_t k = g->offset[at]; k < g->offset[at + 1]; k++) {
        const int32_t j = g->partner[k];
        if (!distance[j])
            seen[(*count)++] = j;
        if (!distance[j] || depth < distance[j])
            distance[j] = depth;
        if (depth < 3)
            topology_mark_near(g, j, depth + 1, distance, seen, count);
    }
}

/* Callback for one pair of atoms that `bonds` (1 to 3) bonds connect. */
typedef myr_status (*topology_pair)(myr_topology *t, int32_t i, int32_t j, int bonds, void *user);

static myr_status topology_pairs(myr_topology *t, const topology_graph *g, topology_pair pair, void *user)
{
    int32_t *distance = myr_memory_zeros(t->atoms, sizeof *distance), *seen = myr_memory_zeros(t->atoms, sizeof *seen);
    myr_status status = MYR_OK;
    if (!distance || !seen)
        status = myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for the pairs of %lld atoms",
                                  (long long)t->atoms);
    for (int32_t i = 0; !status && i < t->atoms; i++) {
        int64_t count = 0;
        topology_mark_near(g, i, 1, distance, seen, &count);
        for (int64_t k = 0; k < count; k++) {
            if (seen[k] > i && !status)
                status = pair(t, i, seen[k], distance[seen[k]], user);
            distance[seen[k]] = 0;
        }
    }
    free(distance);
    free(seen);
    return status;
}

typedef struct {
    double lj, coulomb;
    int64_t pairs;
    int32_t (*pair)[2];
} topology_finish;

static myr_status topology_add_pair(myr_topology *t, int32_t i, int32_t j, int bonds, void *user)
{
    topology_finish *f = user;
    void *grown = topology_room(t, f->pair, f->pairs, sizeof *f->pair);
    if (!grown)
        return MYR_ERROR_MEMORY;
    f->pair = grown;
    f->pair[f->pairs][0] = i;
    f->pair[f->pairs++][1] = j;
    if (bonds < 3)
        return MYR_OK;
    myr_pair14 *list = topology_room(t, t->pair14, t->pairs14, sizeof *list);
    if (!list)
        return MYR_ERROR_MEMORY;
    t->pair14 = list;
    t->pair14[t->pairs14++] = (myr_pair14){.atom = {i, j}, .lj = f->lj, .coulomb = f->coulomb};
    return MYR_OK;
}

myr_status myr_topology_finish(myr_topology *t, double scnb, double scee)
{
    if (!t)
        return MYR_ERROR_ARGUMENT;
    if (!(scnb > 0) || !(scee > 0))
        return myr_context_fail(t->context, MYR_ERROR_VALUE,
                                "1-4 pairs cannot be divided by %g and %g; both must be positive", scnb, scee);
    for (int64_t i = 0; i < t->atoms; i++)
        if (!(t->mass[i] > 0))
            return myr_context_fail(t->context, MYR_ERROR_VALUE, "atom %lld has not been set", (long long)i);
    t->residues = 0;
    for (int64_t i = 0; i < t->atoms; i++)
        t->residues = t->residue[i] >= t->residues ? t->residue[i] + 1 : t->residues;
    topology_graph g = {0};
    topology_finish f = {.lj = 1 / scnb, .coulomb = 1 / scee};
    t->pairs14 = 0;
    free(t->pair14);
    t->pair14 = NULL;
    myr_status status = topology_connect(t, &g);
    if (!status)
        status = topology_pairs(t, &g, topology_add_pair, &f);
    if (!status)
        status = myr_topology_exclude(t, f.pairs, f.pair);
    free(g.offset);
    free(g.partner);
    free(f.pair);
    return status;
}
