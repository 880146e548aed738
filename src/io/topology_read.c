/* topology_read.c - reads a topology from the sections of an AMBER prmtop file.
 *
 * Atoms are numbered from 1, and in the lists of terms as 3 (atom - 1); charges are stored as 18.2223 e; Lennard-Jones
 * as A/r^12 - B/r^6. A negative third atom of a dihedral means that its ends are not a 1-4 pair (already counted, or
 * part of a ring); a negative fourth atom means an improper dihedral. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "io/topology_read.h"

/* POINTERS has 30 values in old files, 32 (MYR_POINTERS_MAX) in AMBER's, and a 33rd without meaning in those of Sire,
 * by which BioSimSpace writes. */
enum { TYPES_MAX = 4096, POINTERS_MIN = 30, POINTERS_WRITTEN = 33 };

#define CHARGE_UNIT 18.2223 /* stored value of the charge e */

/* Sections of force fields that are not supported: a name, or the beginning of names. */
static const struct {
    const char *start, *what;
} refused_sections[] = {
    {"CMAP", "dihedral correction maps (CMAP)"},
    {"CHARMM", "the CHARMM force field"},
    {"AMOEBA", "the AMOEBA force field"},
    {"LENNARD_JONES_CCOEF", "Lennard-Jones 12-6-4"},
    {"LENNARD_JONES_14", "Lennard-Jones tables of their own for 1-4 pairs (CHARMM)"},
    {"LENNARD_JONES_DCOEF", "Lennard-Jones with more than two terms"},
    {"POLARIZABILITY", "polarisable atoms"},
    {"DIPOLE_DAMP", "polarisable atoms"},
};

static const struct {
    myr_pointer pointer;
    int64_t most;
    const char *what;
} refused_pointers[] = {
    {MYR_IFPERT, 0, "a perturbed topology (free energies)"},
    {MYR_IFCAP, 0, "a cap of water"},
    {MYR_NUMEXTRA, 0, "extra points (sites without mass)"},
    {MYR_NCOPY, 1, "several copies (path integrals)"},
};

static myr_status reader_refuse(const myr_topology_reader *r, const myr_prmtop_section *section, const char *what)
{
    return myr_context_fail(
        r->file.text.context, MYR_ERROR_COMBINATION,
        "%s:%ld:1: section %s: the topology has %s, for which there is no method yet; make it without",
        r->file.text.path, section->line, section->name, what);
}

myr_status myr_topology_read_memory(const myr_topology_reader *r, const char *what)
{
    return myr_context_fail(r->file.text.context, MYR_ERROR_MEMORY, "no memory for the %s of '%s'", what,
                            r->file.text.path);
}

static myr_status reader_pointers(myr_topology_reader *r)
{
    const myr_prmtop_section *s = myr_prmtop_find(&r->file, "POINTERS");
    int64_t *v = NULL;
    if (!s)
        return myr_prmtop_fail(&r->file, NULL, "section POINTERS is missing; this is no complete AMBER topology");
    int64_t n = myr_prmtop_count(&r->file, s);
    if (s->kind == 'I' && (n < POINTERS_MIN || n > POINTERS_WRITTEN))
        return myr_prmtop_fail(&r->file, s, "it has %lld value%s, expected %d to %d", (long long)n, myr_plural(n),
                               POINTERS_MIN, POINTERS_WRITTEN);
    const myr_status status = myr_prmtop_integers(&r->file, "POINTERS", n, 0, INT32_MAX / 4, &v);
    if (!status)
        memcpy(r->pointer, v, (size_t)(n < MYR_POINTERS_MAX ? n : MYR_POINTERS_MAX) * sizeof *v);
    free(v);
    if (status)
        return status;
    if (r->pointer[MYR_NATOM] < 1 || r->pointer[MYR_NTYPES] < 1 || r->pointer[MYR_NRES] < 1)
        return myr_prmtop_fail(&r->file, s, "a topology needs at least one atom, one type and one residue");
    if (r->pointer[MYR_NTYPES] > TYPES_MAX)
        return myr_prmtop_fail(&r->file, s, "it has %lld types of atoms, at most %d are possible",
                               (long long)r->pointer[MYR_NTYPES], TYPES_MAX);
    for (size_t k = 0; k < sizeof refused_pointers / sizeof refused_pointers[0]; k++)
        if (r->pointer[refused_pointers[k].pointer] > refused_pointers[k].most)
            return reader_refuse(r, s, refused_pointers[k].what);
    return MYR_OK;
}

/* Refuses unsupported force fields. IPOL 0 means that atoms are not polarisable, whatever other sections exist. */
static myr_status reader_refusals(const myr_topology_reader *r)
{
    const myr_prmtop_section *ipol = myr_prmtop_find(&r->file, "IPOL");
    int64_t *v = NULL, polarisable = -1;
    if (ipol) {
        const myr_status status = myr_prmtop_integers(&r->file, "IPOL", 1, 0, 100, &v);
        if (!status)
            polarisable = v[0];
        free(v);
        if (status)
            return status;
    }
    if (polarisable > 0)
        return reader_refuse(r, ipol, "polarisable atoms");
    for (int k = 0; k < r->file.sections; k++)
        for (size_t j = 0; j < sizeof refused_sections / sizeof refused_sections[0]; j++) {
            const char *start = refused_sections[j].start;
            if (strncmp(r->file.section[k].name, start, strlen(start)) != 0)
                continue;
            if (polarisable == 0 && strcmp(refused_sections[j].what, "polarisable atoms") == 0)
                continue;
            return reader_refuse(r, &r->file.section[k], refused_sections[j].what);
        }
    return MYR_OK;
}

/* --- atoms -------------------------------------------------------------------------------------------------------- */

static myr_status reader_residues(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    int64_t *first = NULL;
    myr_status status =
        myr_prmtop_words(&r->file, "RESIDUE_LABEL", t->residues, t->residue_name[0], sizeof *t->residue_name);
    if (!status)
        status = myr_prmtop_integers(&r->file, "RESIDUE_POINTER", t->residues, 1, t->atoms, &first);
    for (int64_t k = 0; !status && k < t->residues; k++) {
        const int64_t end = k + 1 < t->residues ? first[k + 1] : t->atoms + 1;
        if ((k == 0 && first[k] != 1) || end < first[k])
            status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "RESIDUE_POINTER"),
                                     "residue %lld starts with atom %lld; residues must start with atom 1 and follow "
                                     "each other",
                                     (long long)k + 1, (long long)first[k]);
        for (int64_t i = first[k] - 1; !status && i < end - 1; i++)
            t->residue[i] = (int32_t)k;
    }
    free(first);
    return status;
}

/* Refuses a solvated box with what is in it, and what is missing for it. */
static myr_status reader_refuse_solvated(const myr_topology_reader *r, int64_t waters, int64_t ions)
{
    const myr_prmtop_section *section = myr_prmtop_find(&r->file, "POINTERS");
    return myr_context_fail(
        r->file.text.context, MYR_ERROR_COMBINATION,
        "%s:%ld:1: section %s: the topology is solvated: %lld molecule%s of water, %lld ion%s and %lld other residue%s "
        "in "
        "a periodic box (IFBOX > 0); Ewald sums for molecules are missing: make it without water and ions, for solvent "
        "by generalised Born or a dielectric",
        r->file.text.path, section->line, section->name, (long long)waters, myr_plural(waters), (long long)ions,
        myr_plural(ions), (long long)(r->t->residues - waters - ions), myr_plural(r->t->residues - waters - ions));
}

static myr_status reader_charged_box(const myr_topology_reader *r)
{
    const myr_topology *t = r->t;
    int64_t waters, ions;
    myr_topology_count_solvent(t, &waters, &ions);
    if (t->periodic && waters)
        return reader_refuse_solvated(r, waters, ions);
    for (int64_t i = 0; t->periodic && i < t->atoms; i++)
        if (t->charge[i] != 0)
            return reader_refuse(r, myr_prmtop_find(&r->file, "POINTERS"), "charges in a periodic box (IFBOX > 0)");
    return MYR_OK;
}

static myr_status reader_atoms(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    double *mass = NULL, *charge = NULL;
    int64_t *type = NULL;
    myr_status status = myr_prmtop_words(&r->file, "ATOM_NAME", t->atoms, t->name[0], sizeof *t->name);
    if (!status)
        status = myr_prmtop_reals(&r->file, "MASS", t->atoms, &mass);
    if (!status)
        status = myr_prmtop_reals(&r->file, "CHARGE", t->atoms, &charge);
    if (!status)
        status = myr_prmtop_integers(&r->file, "ATOM_TYPE_INDEX", t->atoms, 1, t->types, &type);
    for (int64_t i = 0; !status && i < t->atoms; i++) {
        t->mass[i] = mass[i];
        t->charge[i] = charge[i] / CHARGE_UNIT;
        t->type[i] = (int32_t)type[i] - 1;
        if (!(mass[i] > 0))
            status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "MASS"),
                                     "atom %lld (%s) has mass %g; every atom needs one", (long long)i + 1, t->name[i],
                                     mass[i]);
    }
    free(mass);
    free(charge);
    free(type);
    if (!status)
        status = reader_residues(r);
    if (!status)
        status = reader_charged_box(r);
    return status;
}

/* Reads the first line of a section regardless of its format, without blanks at its end. */
static void reader_line(const myr_topology_reader *r, const char *name, char to[MYR_TOPOLOGY_TITLE])
{
    const myr_prmtop_section *s = myr_prmtop_find(&r->file, name);
    size_t length = s ? strcspn(s->at, "\r\n") : 0;
    if (s && length > (size_t)(s->end - s->at))
        length = (size_t)(s->end - s->at);
    if (length >= MYR_TOPOLOGY_TITLE)
        length = MYR_TOPOLOGY_TITLE - 1;
    while (length > 0 && s && s->at[length - 1] == ' ')
        length--;
    if (s)
        memcpy(to, s->at, length);
}

/* Reads the radii for generalised Born. A file may have none; those of one without screening factors, or of an atom
 * without a radius, are of no use. */
static myr_status reader_radii(myr_topology_reader *r)
{
    const int64_t n = r->t->atoms;
    double *radius = NULL, *screen = NULL;
    if (!myr_prmtop_find(&r->file, "RADII") || !myr_prmtop_find(&r->file, "SCREEN"))
        return MYR_OK;
    myr_status status = myr_prmtop_reals(&r->file, "RADII", n, &radius);
    if (!status)
        status = myr_prmtop_reals(&r->file, "SCREEN", n, &screen);
    int64_t good = 0;
    while (!status && good < n && myr_topology_radius_valid(radius[good], screen[good]))
        good++;
    if (!status && good == n) {
        reader_line(r, "RADIUS_SET", r->t->radius_set);
        r->t->radius = radius;
        r->t->screen = screen;
        return MYR_OK;
    }
    free(radius);
    free(screen);
    return status;
}

/* --- Lennard-Jones ------------------------------------------------------------------------------------------------ */

/* Epsilon and sigma from A/r^12 - B/r^6. */
static myr_status reader_pair(myr_topology_reader *r, int i, int j, double a, double b)
{
    const int types = r->t->types;
    if (a < 0 || b < 0 || (b == 0) != (a == 0))
        return myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "LENNARD_JONES_ACOEF"),
                               "the types %d and %d have A = %g and B = %g; both must be positive, or both 0", i + 1,
                               j + 1, a, b);
    r->t->epsilon[i * types + j] = a > 0 ? b * b / (4.0 * a) : 0.0;
    r->t->sigma[i * types + j] = a > 0 ? cbrt(sqrt(a / b)) : 0.0;
    if (!isfinite(r->t->epsilon[i * types + j]) || !isfinite(r->t->sigma[i * types + j]))
        return myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "LENNARD_JONES_ACOEF"),
                               "the types %d and %d have A = %g and B = %g, which is no Lennard-Jones potential", i + 1,
                               j + 1, a, b);
    return MYR_OK;
}

/* Checks a pair with a negative index, which means the 10-12 hydrogen bond potential; its coefficients must be 0, as in
 * files of old force fields. */
static myr_status reader_hydrogen_bond(const myr_topology_reader *r, int64_t index)
{
    double *a = NULL, *b = NULL;
    const int64_t n = r->pointer[MYR_NPHB];
    myr_status status = myr_prmtop_reals(&r->file, "HBOND_ACOEF", n, &a);
    if (!status)
        status = myr_prmtop_reals(&r->file, "HBOND_BCOEF", n, &b);
    if (!status && index > n)
        status =
            myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "NONBONDED_PARM_INDEX"),
                            "-%lld was found where there are only %lld hydrogen bonds", (long long)index, (long long)n);
    if (!status && (a[index - 1] != 0 || b[index - 1] != 0))
        status = reader_refuse(r, myr_prmtop_find(&r->file, "HBOND_ACOEF"), "hydrogen bonds of 10-12 potentials");
    free(a);
    free(b);
    return status;
}

static myr_status reader_table(myr_topology_reader *r, const int64_t *index, const double *a, const double *b)
{
    const int types = r->t->types;
    myr_status status = MYR_OK;
    for (int i = 0; i < types; i++)
        for (int j = 0; j < types && !status; j++) {
            const int64_t k = index[i * types + j];
            if (k != index[j * types + i])
                status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "NONBONDED_PARM_INDEX"),
                                         "the types %d and %d do not act alike on each other", i + 1, j + 1);
            else if (k > 0)
                status = reader_pair(r, i, j, a[k - 1], b[k - 1]);
            else if (k < 0)
                status = reader_hydrogen_bond(r, -k);
        }
    return status;
}

static myr_status reader_lennard_jones(myr_topology_reader *r)
{
    const int64_t types = r->t->types, pairs = types * (types + 1) / 2;
    int64_t *index = NULL;
    double *a = NULL, *b = NULL;
    myr_status status = myr_prmtop_integers(&r->file, "NONBONDED_PARM_INDEX", types * types, -INT32_MAX, pairs, &index);
    if (!status)
        status = myr_prmtop_reals(&r->file, "LENNARD_JONES_ACOEF", pairs, &a);
    if (!status)
        status = myr_prmtop_reals(&r->file, "LENNARD_JONES_BCOEF", pairs, &b);
    if (!status)
        status = reader_table(r, index, a, b);
    free(index);
    free(a);
    free(b);
    return status;
}

/* --- exclusions --------------------------------------------------------------------------------------------------- */

static myr_status reader_exclusions(myr_topology_reader *r)
{
    myr_topology *t = r->t;
    int64_t *number = NULL, *list = NULL, pairs = 0, at = 0;
    int32_t(*pair)[2] = NULL;
    myr_status status = myr_prmtop_integers(&r->file, "NUMBER_EXCLUDED_ATOMS", t->atoms, 0, t->atoms, &number);
    if (!status)
        status = myr_prmtop_integers(&r->file, "EXCLUDED_ATOMS_LIST", r->pointer[MYR_NNB], 0, t->atoms, &list);
    if (!status && !(pair = myr_memory_zeros(r->pointer[MYR_NNB] + 1, sizeof *pair)))
        status = myr_prmtop_fail(&r->file, NULL, "no memory for %lld excluded pairs", (long long)r->pointer[MYR_NNB]);
    for (int64_t i = 0; !status && i < t->atoms; i++)
        for (int64_t k = 0; k < number[i] && !status; k++, at++) {
            if (at >= r->pointer[MYR_NNB] || (list[at] && list[at] <= i + 1))
                status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "EXCLUDED_ATOMS_LIST"),
                                         "the list of atom %lld ends too late or names an atom before it; it does not "
                                         "belong to NUMBER_EXCLUDED_ATOMS",
                                         (long long)i + 1);
            else if (list[at]) { /* 0 marks an atom without exclusions */
                pair[pairs][0] = (int32_t)i;
                pair[pairs++][1] = (int32_t)list[at] - 1;
            }
        }
    if (!status)
        status = myr_topology_exclude(t, pairs, pair);
    free(number);
    free(list);
    free(pair);
    return status;
}

/* --- the whole file ----------------------------------------------------------------------------------------------- */

static myr_status reader_all(myr_topology_reader *r, myr_context *context, const char *path)
{
    myr_status status = myr_prmtop_open(context, path, &r->file);
    if (!status)
        status = reader_refusals(r);
    if (!status)
        status = reader_pointers(r);
    const int64_t size = r->file.text.end - r->file.text.text;
    const int64_t types = r->pointer[MYR_NTYPES];
    if (!status && (r->pointer[MYR_NATOM] > size || r->pointer[MYR_NRES] > size || types * types > size))
        status = myr_prmtop_fail(&r->file, myr_prmtop_find(&r->file, "POINTERS"),
                                 "%lld atoms, %lld residues and %lld types do not fit into a file of %lld bytes",
                                 (long long)r->pointer[MYR_NATOM], (long long)r->pointer[MYR_NRES], (long long)types,
                                 (long long)size);
    if (!status && !(r->t = myr_topology_make(context, r->pointer[MYR_NATOM], r->pointer[MYR_NRES], (int)types)))
        status = myr_topology_read_memory(r, "atoms");
    if (status)
        return status;
    r->t->periodic = r->pointer[MYR_IFBOX] > 0;
    reader_line(r, "TITLE", r->t->title);
    static myr_status (*const parts[])(myr_topology_reader *) = {reader_atoms, reader_lennard_jones, reader_exclusions,
                                                                 myr_topology_read_terms, reader_radii};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && !status; k++)
        status = parts[k](r);
    return status;
}

myr_status myr_topology_read(myr_context *context, const char *path, myr_topology **topology)
{
    myr_text_language language;
    if (!context || !path || !topology)
        return MYR_ERROR_ARGUMENT;
    *topology = NULL;
    myr_topology_reader *r = calloc(1, sizeof *r);
    if (!r)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory to read '%s'", path);
    myr_text_plain(&language);
    const myr_status status = reader_all(r, context, path);
    myr_text_restore(&language);
    if (status)
        myr_topology_destroy(&r->t);
    else
        *topology = r->t;
    myr_prmtop_close(&r->file);
    free(r);
    return status;
}
