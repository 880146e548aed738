/* topology_terms.c - reads bonds, angles, dihedrals and 1-4 pairs of a prmtop file. */
#include "io/topology_read.h"

#include <math.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"

#define SCEE_DEFAULT 1.2 /* divisors of 1-4 interactions if the file has none */
#define SCNB_DEFAULT 2.0

/* Lists of terms with and without hydrogen: `atoms` atoms and a type per entry. */
typedef struct {
    const char *section[2];
    int64_t count[2];
    int atoms;
    int64_t types;
    int64_t *entry[2];
} term_list;

static myr_status reader_terms(const myr_topology_reader *r, term_list *list)
{
    const int64_t limit = 3 * (r->t->atoms - 1) > list->types ? 3 * (r->t->atoms - 1) : list->types;
    myr_status status = MYR_OK;
    for (int h = 0; h < 2 && !status; h++)
        status = myr_prmtop_integers(&r->file, list->section[h], (list->atoms + 1) * list->count[h], -limit, limit,
                                     &list->entry[h]);
    return status;
}

static void term_list_free(term_list *list)
{
    free(list->entry[0]);
    free(list->entry[1]);
}

/* Atoms of entry k, which must differ, and its type, both from 0. The caller interprets signs. */
static myr_status reader_entry(const myr_topology_reader *r, const term_list *list, int h, int64_t k, int32_t *atom,
                               int64_t *type)
{
    const int64_t *e = list->entry[h] + k * (list->atoms + 1);
    const myr_prmtop_section *s = myr_prmtop_find(&r->file, list->section[h]);
    *type = e[list->atoms] - 1;
    if (*type < 0 || *type >= list->types)
        return myr_prmtop_fail(&r->file, s, "entry %lld has type %lld, expected 1 to %lld", (long long)k + 1,
                               (long long)*type + 1, (long long)list->types);
    for (int a = 0; a < list->atoms; a++) {
        const int64_t place = e[a] < 0 && list->atoms == 4 && a >= 2 ? -e[a] : e[a];
        if (place < 0 || place % 3 || place / 3 >= r->t->atoms)
            return myr_prmtop_fail(&r->file, s, "entry %lld has %lld for an atom, expected 3 (atom - 1)",
                                   (long long)k + 1, (long long)e[a]);
        atom[a] = (int32_t)(place / 3);
        for (int b = 0; b < a; b++)
            if (atom[b] == atom[a])
                return myr_prmtop_fail(&r->file, s, "entry %lld has atom %d twice", (long long)k + 1, atom[a] + 1);
    }
    return MYR_OK;
}

static myr_status reader_lengths(const myr_topology_reader *r, int64_t types, double **length)
{
    myr_status status = myr_prmtop_reals(&r->file, "BOND_EQUIL_VALUE", types, length);
    for (int64_t k = 0; k < types && !status; k++)
        if ((*length)[k] < 0)
            status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "BOND_EQUIL_VALUE"),
                                     "bonds of type %lld have a length of %g; it cannot be negative", (long long)k + 1,
                                     (*length)[k]);
    return status;
}

static myr_status reader_bonds(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    term_list list = {.section = {"BONDS_INC_HYDROGEN", "BONDS_WITHOUT_HYDROGEN"},
                      .count = {r->pointer[MYR_NBONH], r->pointer[MYR_MBONA]},
                      .atoms = 2,
                      .types = r->pointer[MYR_NUMBND]};
    double *k = NULL, *length = NULL;
    myr_status status = reader_terms(r, &list);
    if (!status)
        status = myr_prmtop_reals(&r->file, "BOND_FORCE_CONSTANT", list.types, &k);
    if (!status)
        status = reader_lengths(r, list.types, &length);
    if (!status && !(t->bond = myr_memory_zeros(list.count[0] + list.count[1] + 1, sizeof *t->bond)))
        status = myr_topology_read_memory(r, "bonds");
    for (int h = 0; h < 2; h++)
        for (int64_t e = 0; e < list.count[h] && !status; e++) {
            int64_t type;
            myr_bond *b = &t->bond[t->bonds];
            status = reader_entry(r, &list, h, e, b->atom, &type);
            if (status)
                break;
            b->hydrogen = h == 0;
            b->k = k[type];
            b->length = length[type];
            t->bonds++;
        }
    term_list_free(&list);
    free(k);
    free(length);
    return status;
}

static myr_status reader_angles(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    term_list list = {.section = {"ANGLES_INC_HYDROGEN", "ANGLES_WITHOUT_HYDROGEN"},
                      .count = {r->pointer[MYR_NTHETH], r->pointer[MYR_MTHETA]},
                      .atoms = 3,
                      .types = r->pointer[MYR_NUMANG]};
    double *k = NULL, *theta = NULL;
    myr_status status = reader_terms(r, &list);
    if (!status)
        status = myr_prmtop_reals(&r->file, "ANGLE_FORCE_CONSTANT", list.types, &k);
    if (!status)
        status = myr_prmtop_reals(&r->file, "ANGLE_EQUIL_VALUE", list.types, &theta);
    if (!status && !(t->angle = myr_memory_zeros(list.count[0] + list.count[1] + 1, sizeof *t->angle)))
        status = myr_topology_read_memory(r, "angles");
    for (int h = 0; h < 2; h++)
        for (int64_t e = 0; e < list.count[h] && !status; e++) {
            int64_t type;
            myr_angle *a = &t->angle[t->angles];
            status = reader_entry(r, &list, h, e, a->atom, &type);
            if (status)
                break;
            a->k = k[type];
            a->theta = theta[type];
            t->angles++;
        }
    term_list_free(&list);
    free(k);
    free(theta);
    return status;
}

/* Parameters of the dihedral types. */
typedef struct {
    double *k, *n, *phase, *scee, *scnb;
} dihedral_types;

static void dihedral_types_free(dihedral_types *d)
{
    double *const parts[] = {d->k, d->n, d->phase, d->scee, d->scnb};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        free(parts[k]);
}

static myr_status reader_dihedral_types(const myr_topology_reader *r, int64_t types, dihedral_types *d)
{
    const struct {
        const char *section;
        double **to;
        int optional;
    } part[] = {{"DIHEDRAL_FORCE_CONSTANT", &d->k, 0},
                {"DIHEDRAL_PERIODICITY", &d->n, 0},
                {"DIHEDRAL_PHASE", &d->phase, 0},
                {"SCEE_SCALE_FACTOR", &d->scee, 1},
                {"SCNB_SCALE_FACTOR", &d->scnb, 1}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof part / sizeof part[0] && !status; k++)
        if (!part[k].optional || myr_prmtop_find(&r->file, part[k].section))
            status = myr_prmtop_reals(&r->file, part[k].section, types, part[k].to);
    for (int64_t k = 0; k < types && !status; k++)
        if (!(fabs(d->n[k]) <= 64) || d->n[k] != rint(d->n[k]))
            status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "DIHEDRAL_PERIODICITY"),
                                     "dihedral type %lld has periodicity %g, expected an integer of at most 64",
                                     (long long)k + 1, d->n[k]);
    return status;
}

/* Adds the ends of a dihedral as a 1-4 pair. */
static myr_status reader_pair14(myr_topology_reader *r, const myr_dihedral *d, const dihedral_types *types,
                                int64_t type)
{
    const double scee = types->scee ? types->scee[type] : SCEE_DEFAULT;
    const double scnb = types->scnb ? types->scnb[type] : SCNB_DEFAULT;
    if (!(scee > 0) || !(scnb > 0))
        return myr_prmtop_fail(&r->file,
                               myr_prmtop_find(&r->file, types->scee ? "SCEE_SCALE_FACTOR" : "SCNB_SCALE_FACTOR"),
                               "dihedral type %lld divides the 1-4 pair of atoms %d and %d by %g and %g; both must be "
                               "positive",
                               (long long)type + 1, d->atom[0] + 1, d->atom[3] + 1, scee, scnb);
    r->t->pair14[r->t->pairs14++] =
        (myr_pair14){.atom = {d->atom[0], d->atom[3]}, .lj = 1.0 / scnb, .coulomb = 1.0 / scee};
    return MYR_OK;
}

static myr_status reader_dihedral(myr_topology_reader *r, const term_list *list, const dihedral_types *types, int h,
                                  int64_t e)
{
    myr_topology *t = r->t;
    myr_dihedral *d = &t->dihedral[t->dihedrals];
    const int64_t *entry = list->entry[h] + 5 * e;
    int64_t type;
    const myr_status status = reader_entry(r, list, h, e, d->atom, &type);
    if (status)
        return status;
    d->k = types->k[type];
    d->n = (int)fabs(types->n[type]);
    d->phase = types->phase[type];
    d->improper = entry[3] < 0;
    t->dihedrals++;
    return entry[2] >= 0 && entry[3] >= 0 ? reader_pair14(r, d, types, type) : MYR_OK;
}

static myr_status reader_dihedrals(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    term_list list = {.section = {"DIHEDRALS_INC_HYDROGEN", "DIHEDRALS_WITHOUT_HYDROGEN"},
                      .count = {r->pointer[MYR_NPHIH], r->pointer[MYR_MPHIA]},
                      .atoms = 4,
                      .types = r->pointer[MYR_NPTRA]};
    const int64_t most = list.count[0] + list.count[1] + 1;
    dihedral_types types = {0};
    myr_status status = reader_terms(r, &list);
    if (!status)
        status = reader_dihedral_types(r, list.types, &types);
    if (!status) {
        t->dihedral = myr_memory_zeros(most, sizeof *t->dihedral);
        t->pair14 = myr_memory_zeros(most, sizeof *t->pair14);
        if (!t->dihedral || !t->pair14)
            status = myr_topology_read_memory(r, "dihedrals");
    }
    for (int h = 0; h < 2; h++)
        for (int64_t e = 0; e < list.count[h] && !status; e++)
            status = reader_dihedral(r, &list, &types, h, e);
    term_list_free(&list);
    dihedral_types_free(&types);
    return status;
}

myr_status myr_topology_read_terms(myr_topology_reader *r)
{
    myr_status status = reader_bonds(r);
    if (!status)
        status = reader_angles(r);
    return status ? status : reader_dihedrals(r);
}
