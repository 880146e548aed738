/* topology_pack.c - serialisation of a topology: a header with the counts, then the arrays in a fixed order, then the
 * radii if there are any. */
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "particles/topology.h"

/* Header of a serialised topology. */
typedef struct {
    int64_t atoms, residues, types, partners, bonds, angles, dihedrals, pairs14, periodic;
    char title[MYR_TOPOLOGY_TITLE + 7]; /* padded to a multiple of 8 bytes */
} pack_head;

enum { PACK_ARRAYS = 14, PACK_SET = MYR_TOPOLOGY_TITLE + 7 };

typedef struct {
    void **array;
    int64_t count;
    size_t bytes;
} pack_array;

static void pack_list(myr_topology *t, const pack_head *h, pack_array list[PACK_ARRAYS])
{
    const pack_array all[PACK_ARRAYS] = {
        {(void **)&t->mass, h->atoms, sizeof *t->mass},
        {(void **)&t->charge, h->atoms, sizeof *t->charge},
        {(void **)&t->type, h->atoms, sizeof *t->type},
        {(void **)&t->residue, h->atoms, sizeof *t->residue},
        {(void **)&t->name, h->atoms, sizeof *t->name},
        {(void **)&t->residue_name, h->residues, sizeof *t->residue_name},
        {(void **)&t->epsilon, h->types * h->types, sizeof *t->epsilon},
        {(void **)&t->sigma, h->types * h->types, sizeof *t->sigma},
        {(void **)&t->offset, h->atoms + 1, sizeof *t->offset},
        {(void **)&t->partner, h->partners, sizeof *t->partner},
        {(void **)&t->bond, h->bonds, sizeof *t->bond},
        {(void **)&t->angle, h->angles, sizeof *t->angle},
        {(void **)&t->dihedral, h->dihedrals, sizeof *t->dihedral},
        {(void **)&t->pair14, h->pairs14, sizeof *t->pair14},
    };
    memcpy(list, all, sizeof all);
}

/* Bytes of the radii, which follow the arrays if there are any: the name of the set, radii, screening factors. */
static size_t pack_radii_bytes(const myr_topology *t)
{
    return t->radius ? PACK_SET + 2 * (size_t)t->atoms * sizeof *t->radius : 0;
}

myr_status myr_topology_pack(const myr_topology *topology, void **bytes, size_t *size)
{
    myr_topology t = *topology; /* shallow copy, so that pack_list can take addresses of the array pointers; the arrays
                                   are only read */
    pack_array list[PACK_ARRAYS];
    pack_head h = {.atoms = t.atoms,
                   .residues = t.residues,
                   .types = t.types,
                   .partners = t.offset[t.atoms],
                   .bonds = t.bonds,
                   .angles = t.angles,
                   .dihedrals = t.dihedrals,
                   .pairs14 = t.pairs14,
                   .periodic = t.periodic};
    memcpy(h.title, t.title, sizeof t.title);
    pack_list(&t, &h, list);
    *size = sizeof h;
    for (int k = 0; k < PACK_ARRAYS; k++)
        *size += (size_t)list[k].count * list[k].bytes;
    *size += pack_radii_bytes(&t);
    char *to = *bytes = malloc(*size);
    if (!to)
        return myr_context_fail(t.context, MYR_ERROR_MEMORY, "no memory for a copy of the topology");
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    for (int k = 0; k < PACK_ARRAYS; k++) {
        const size_t part = (size_t)list[k].count * list[k].bytes;
        if (part)
            memcpy(to, *list[k].array, part);
        to += part;
    }
    if (t.radius) {
        const size_t part = (size_t)t.atoms * sizeof *t.radius;
        memcpy(to, t.radius_set, sizeof t.radius_set);
        memcpy(to + PACK_SET, t.radius, part);
        memcpy(to + PACK_SET + part, t.screen, part);
    }
    return MYR_OK;
}

static int pack_head_valid(const pack_head *h, size_t size)
{
    const int64_t counts[] = {h->atoms, h->residues, h->types,     h->partners,
                              h->bonds, h->angles,   h->dihedrals, h->pairs14};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        if (counts[k] < 0 || (uint64_t)counts[k] > size)
            return 0;
    return h->atoms > 0 && h->atoms < INT32_MAX && h->types > 0 && h->types <= 4096;
}

static int pack_atoms_valid(const myr_topology *t, const int32_t *atom, int n)
{
    for (int k = 0; k < n; k++)
        if (atom[k] < 0 || atom[k] >= t->atoms)
            return 0;
    return 1;
}

/* 1 if every index in the arrays is within its range. */
static int pack_indices_valid(const myr_topology *t, const pack_head *h)
{
    int good = t->offset[0] == 0 && t->offset[t->atoms] == h->partners;
    for (int64_t i = 0; i < t->atoms && good; i++)
        good = t->type[i] >= 0 && t->type[i] < t->types && t->residue[i] >= 0 && t->residue[i] < t->residues &&
               t->offset[i + 1] >= t->offset[i] && t->name[i][MYR_TOPOLOGY_NAME - 1] == 0;
    for (int64_t k = 0; k < h->partners && good; k++)
        good = t->partner[k] >= 0 && t->partner[k] < t->atoms;
    for (int64_t k = 0; k < t->bonds && good; k++)
        good = pack_atoms_valid(t, t->bond[k].atom, 2);
    for (int64_t k = 0; k < t->angles && good; k++)
        good = pack_atoms_valid(t, t->angle[k].atom, 3);
    for (int64_t k = 0; k < t->dihedrals && good; k++)
        good = pack_atoms_valid(t, t->dihedral[k].atom, 4);
    for (int64_t k = 0; k < t->pairs14 && good; k++)
        good = pack_atoms_valid(t, t->pair14[k].atom, 2);
    return good;
}

/* Reads the radii from the `left` bytes after the arrays; none is valid, too. */
static int pack_read_radii(myr_topology *t, const char *from, size_t left)
{
    const size_t part = (size_t)t->atoms * sizeof *t->radius;
    if (left == 0)
        return 1;
    if (left != PACK_SET + 2 * part)
        return 0;
    t->radius = myr_memory_zeros(t->atoms, sizeof *t->radius);
    t->screen = myr_memory_zeros(t->atoms, sizeof *t->screen);
    if (!t->radius || !t->screen)
        return 0;
    memcpy(t->radius_set, from, sizeof t->radius_set - 1);
    memcpy(t->radius, from + PACK_SET, part);
    memcpy(t->screen, from + PACK_SET + part, part);
    for (int64_t i = 0; i < t->atoms; i++)
        if (!myr_topology_radius_valid(t->radius[i], t->screen[i]))
            return 0;
    return 1;
}

myr_status myr_topology_unpack(myr_context *context, const void *bytes, size_t size, myr_topology **topology)
{
    static const char bad[] = "the topology of the molecule in the checkpoint does not make sense";
    pack_head h;
    pack_array list[PACK_ARRAYS];
    *topology = NULL;
    if (size < sizeof h)
        return myr_context_fail(context, MYR_ERROR_FORMAT, "%s", bad);
    memcpy(&h, bytes, sizeof h);
    if (!pack_head_valid(&h, size))
        return myr_context_fail(context, MYR_ERROR_FORMAT, "%s", bad);
    myr_topology *t = calloc(1, sizeof *t);
    if (!t)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a topology");
    *t = (myr_topology){.context = context, .atoms = h.atoms, .residues = h.residues, .types = (int)h.types};
    memcpy(t->title, h.title, sizeof t->title - 1);
    pack_list(t, &h, list);
    const char *from = (const char *)bytes + sizeof h, *end = (const char *)bytes + size;
    int whole = 1;
    for (int k = 0; k < PACK_ARRAYS && whole; k++) {
        const size_t part = (size_t)list[k].count * list[k].bytes;
        whole = part <= (size_t)(end - from) && (*list[k].array = myr_memory_zeros(list[k].count + 1, list[k].bytes));
        if (whole && part)
            memcpy(*list[k].array, from, part);
        from += whole ? part : 0;
    }
    t->bonds = h.bonds;
    t->angles = h.angles;
    t->dihedrals = h.dihedrals;
    t->pairs14 = h.pairs14;
    t->periodic = h.periodic != 0;
    whole = whole && pack_read_radii(t, from, (size_t)(end - from));
    if (!whole || !pack_indices_valid(t, &h)) {
        myr_topology_destroy(&t);
        return myr_context_fail(context, MYR_ERROR_FORMAT, "%s", bad);
    }
    *topology = t;
    return MYR_OK;
}
