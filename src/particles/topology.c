/* topology.c - memory of a topology, exclusion lists, and queries. */
#include "particles/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"

myr_topology *myr_topology_make(myr_context *context, int64_t atoms, int64_t residues, int types)
{
    myr_topology *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    *t = (myr_topology){.context = context, .atoms = atoms, .residues = residues, .types = types};
    t->mass = myr_memory_zeros(atoms, sizeof *t->mass);
    t->charge = myr_memory_zeros(atoms, sizeof *t->charge);
    t->type = myr_memory_zeros(atoms, sizeof *t->type);
    t->residue = myr_memory_zeros(atoms, sizeof *t->residue);
    t->name = myr_memory_zeros(atoms, sizeof *t->name);
    t->residue_name = myr_memory_zeros(residues, sizeof *t->residue_name);
    t->epsilon = myr_memory_zeros((int64_t)types * types, sizeof *t->epsilon);
    t->sigma = myr_memory_zeros((int64_t)types * types, sizeof *t->sigma);
    t->offset = myr_memory_zeros(atoms + 1, sizeof *t->offset);
    if (!t->mass || !t->charge || !t->type || !t->residue || !t->name || !t->residue_name || !t->epsilon || !t->sigma ||
        !t->offset)
        myr_topology_destroy(&t);
    return t;
}

void myr_topology_destroy(myr_topology **topology)
{
    if (!topology || !*topology)
        return;
    myr_topology *t = *topology;
    void *const parts[] = {t->mass,     t->charge, t->type,   t->residue, t->name, t->residue_name,
                           t->epsilon,  t->sigma,  t->offset, t->partner, t->bond, t->angle,
                           t->dihedral, t->pair14, t->radius, t->screen};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        free(parts[k]);
    free(t);
    *topology = NULL;
}

static int topology_compare(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the exclusion partners of every atom and removes duplicates. */
static void topology_sort_exclusions(myr_topology *t)
{
    int64_t used = 0, first = 0;
    for (int64_t i = 0; i < t->atoms; i++) {
        const int64_t end = t->offset[i + 1], start = used;
        if (end > first)
            qsort(t->partner + first, (size_t)(end - first), sizeof *t->partner, topology_compare);
        for (int64_t k = first; k < end; k++)
            if (used == start || t->partner[used - 1] != t->partner[k])
                t->partner[used++] = t->partner[k];
        first = end;
        t->offset[i + 1] = used;
    }
}

myr_status myr_topology_exclude(myr_topology *t, int64_t n, int32_t (*pair)[2])
{
    free(t->partner);
    t->partner = myr_memory_zeros(2 * n + 1, sizeof *t->partner);
    int64_t *place = myr_memory_zeros(t->atoms + 1, sizeof *place);
    if (!t->partner || !place) {
        free(place);
        return myr_context_fail(t->context, MYR_ERROR_MEMORY, "no memory for %lld excluded pairs", (long long)n);
    }
    memset(t->offset, 0, (size_t)(t->atoms + 1) * sizeof *t->offset);
    for (int64_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            t->offset[pair[k][side] + 1]++;
    for (int64_t i = 0; i < t->atoms; i++) {
        t->offset[i + 1] += t->offset[i];
        place[i] = t->offset[i];
    }
    for (int64_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            t->partner[place[pair[k][side]]++] = pair[k][1 - side];
    free(place);
    topology_sort_exclusions(t);
    return MYR_OK;
}

void myr_topology_count_solvent(const myr_topology *t, int64_t *waters, int64_t *ions)
{
    static const char *const names[] = {"WAT", "HOH", "TP3", "TP4", "TP5", "TIP3",
                                        "T3P", "T4P", "SPC", "SOL", "H2O", "OPC"};
    *waters = *ions = 0;
    for (int64_t i = 0; i < t->atoms; i++) {
        const int starts = i == 0 || t->residue[i] != t->residue[i - 1];
        const int ends = i == t->atoms - 1 || t->residue[i] != t->residue[i + 1];
        *ions += starts && ends;
        for (size_t k = 0; starts && !ends && k < sizeof names / sizeof names[0]; k++)
            *waters += strcmp(t->residue_name[t->residue[i]], names[k]) == 0;
    }
}

myr_status myr_topology_describe(const myr_topology *t, myr_topology_info *info)
{
    if (!t || !info)
        return MYR_ERROR_ARGUMENT;
    *info = (myr_topology_info){.title = t->title,
                                .atoms = t->atoms,
                                .residues = t->residues,
                                .bonds = t->bonds,
                                .angles = t->angles,
                                .dihedrals = t->dihedrals,
                                .pairs14 = t->pairs14,
                                .excluded_pairs = t->offset[t->atoms] / 2,
                                .types = t->types,
                                .radius_set = t->radius ? t->radius_set : NULL};
    myr_topology_count_solvent(t, &info->waters, &info->ions);
    for (int64_t k = 0; k < t->bonds; k++)
        info->hydrogen_bonds += t->bond[k].hydrogen;
    for (int64_t i = 0; i < t->atoms; i++) {
        info->mass += t->mass[i];
        info->charge += t->charge[i];
    }
    return MYR_OK;
}

const char *myr_topology_atom(const myr_topology *t, int64_t atom)
{
    return t && atom >= 0 && atom < t->atoms ? t->name[atom] : NULL;
}

const char *myr_topology_residue(const myr_topology *t, int64_t atom, int64_t *number)
{
    const int there = t && atom >= 0 && atom < t->atoms;
    if (number)
        *number = there ? t->residue[atom] + 1 : 0;
    return there ? t->residue_name[t->residue[atom]] : NULL;
}

double myr_topology_radius(const myr_topology *t, int64_t atom, double *screen)
{
    const int there = t && t->radius && atom >= 0 && atom < t->atoms;
    if (screen)
        *screen = there ? t->screen[atom] : 0;
    return there ? t->radius[atom] : 0;
}

myr_status myr_topology_apply(const myr_topology *t, myr_particles *particles)
{
    if (!t || !particles)
        return MYR_ERROR_ARGUMENT;
    const int64_t n = myr_particles_count(particles);
    if (n != t->atoms)
        return myr_context_fail(myr_particles_context(particles), MYR_ERROR_VALUE,
                                "the topology has %lld atom%s, the coordinates are of %lld: they belong to different "
                                "molecules",
                                (long long)t->atoms, myr_plural(t->atoms), (long long)n);
    myr_status status = myr_particles_set(particles, "mass", 1, t->mass);
    if (!status)
        status = myr_particles_set(particles, "charge", 1, t->charge);
    if (!status)
        status = myr_particles_set_types(particles, t->type);
    return status;
}
