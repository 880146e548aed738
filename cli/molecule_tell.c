/* molecule_tell.c - what is in a topology, and what can be done with it: `myriad molecule TOPOLOGY`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common.h"
#include "json.h"
#include "molecule.h"

enum { TELL_NAMES = 32, TELL_SEQUENCE = 60 };

/* Residues of one name. */
typedef struct {
    const char *name;
    int64_t count;
} tell_residue;

typedef struct {
    const myr_topology *t;
    const char *path;
    myr_topology_info info;
    int64_t names, others; /* names that are listed; residues with other names */
    tell_residue residue[TELL_NAMES];
    myr_particles *atoms;                   /* with masses, charges and types */
    double charge[2], radius[2], screen[2]; /* smallest and largest */
    int64_t hydrogens;
} tell;

/* Residue of atom i if that is its first atom, else null. */
static const char *tell_first(const tell *s, int64_t i)
{
    int64_t own, before = 0;
    const char *name = myr_topology_residue(s->t, i, &own);
    (void)myr_topology_residue(s->t, i - 1, &before);
    return own != before ? name : NULL;
}

static void tell_count(tell *s)
{
    for (int64_t i = 0; i < s->info.atoms; i++) {
        const char *name = tell_first(s, i);
        int64_t k = 0;
        while (name && k < s->names && strcmp(s->residue[k].name, name) != 0)
            k++;
        if (!name)
            continue;
        if (k == TELL_NAMES) {
            s->others++;
            continue;
        }
        s->residue[k].name = name;
        s->residue[k].count++;
        s->names = k == s->names ? k + 1 : s->names;
    }
}

static void tell_widen(double range[2], double x)
{
    range[0] = fmin(range[0], x);
    range[1] = fmax(range[1], x);
}

static void tell_ranges(tell *s)
{
    const double *charge = myr_particles_component_const(s->atoms, "charge", 0);
    const double *mass = myr_particles_component_const(s->atoms, "mass", 0);
    s->charge[0] = s->radius[0] = s->screen[0] = (double)INFINITY;
    s->charge[1] = s->radius[1] = s->screen[1] = -(double)INFINITY;
    for (int64_t i = 0; i < s->info.atoms; i++) {
        double screen;
        tell_widen(s->radius, myr_topology_radius(s->t, i, &screen));
        tell_widen(s->screen, screen);
        tell_widen(s->charge, charge[i]);
        s->hydrogens += mass[i] < 3.5; /* deuterium, and hydrogen whose mass was repartitioned */
    }
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static void tell_residues(const tell *s)
{
    printf("%-28s ", "residues");
    for (int64_t k = 0; k < s->names; k++)
        printf("%s%" PRId64 " %s", k ? ", " : "", s->residue[k].count, s->residue[k].name);
    if (s->others)
        printf(", %" PRId64 " with other names", s->others);
    printf("\n%-28s ", "sequence");
    int64_t shown = 0;
    for (int64_t i = 0; i < s->info.atoms && shown <= TELL_SEQUENCE; i++) {
        const char *name = tell_first(s, i);
        if (!name)
            continue;
        if (shown++ < TELL_SEQUENCE)
            printf("%s%s", shown > 1 ? " " : "", name);
        else
            printf(" ...");
    }
    printf("\n");
    if (s->info.waters || s->info.ions)
        printf("%-28s %" PRId64 " molecule%s of water, %" PRId64 " ion%s\n", "solvent in it", s->info.waters,
               myr_plural(s->info.waters), s->info.ions, myr_plural(s->info.ions));
}

static void tell_uses(const tell *s)
{
    printf("%-28s energies and forces with its coordinates: myriad molecule %s COORDINATES\n", "can be done", s->path);
    printf("%-28s motion, all pairs, kernels ljc_constant, ljc_linear, ljc_sigmoidal; %" PRId64
           " rigid bonds to hydrogen if asked for\n",
           "", s->info.hydrogen_bonds);
    if (s->info.radius_set)
        printf("%-28s generalised Born solvent: hct, obc1, obc2\n", "");
    else
        printf(
            "%-28s no generalised Born solvent: sections RADII and SCREEN are missing, or have no radius for an atom\n",
            "");
}

static void tell_plain(const tell *s)
{
    const myr_topology_info *m = &s->info;
    printf("%-28s %s: %" PRId64 " atoms (%" PRId64 " hydrogens), %" PRId64 " residues, %.4g g/mol, charge %.3g e\n",
           "molecule", m->title, m->atoms, s->hydrogens, m->residues, m->mass,
           fabs(m->charge) < 1e-4 ? 0.0 : m->charge);
    tell_residues(s);
    printf("%-28s %" PRId64 " bonds (%" PRId64 " to hydrogen), %" PRId64 " angles, %" PRId64 " dihedrals, %" PRId64
           " 1-4 pairs, %" PRId64 " excluded pairs\n",
           "terms", m->bonds, m->hydrogen_bonds, m->angles, m->dihedrals, m->pairs14, m->excluded_pairs);
    printf("%-28s %d types of Lennard-Jones\n", "types", m->types);
    printf("%-28s from %.4f to %.4f e\n", "charges", s->charge[0], s->charge[1]);
    if (m->radius_set)
        printf("%-28s %s: from %.3g to %.3g Angstrom, screening factors from %.3g to %.3g\n", "radii",
               *m->radius_set ? m->radius_set : "a set without a name", s->radius[0], s->radius[1], s->screen[0],
               s->screen[1]);
    else
        printf("%-28s none\n", "radii");
    tell_uses(s);
}

static void tell_json(const tell *s)
{
    json_writer w = {.out = stdout};
    const myr_topology_info *m = &s->info;
    json_open(&w, NULL, '{');
    json_text(&w, "topology", s->path);
    json_text(&w, "title", m->title);
    const struct {
        const char *key;
        int64_t value;
    } integer[] = {{"atoms", m->atoms},
                   {"hydrogens", s->hydrogens},
                   {"residues", m->residues},
                   {"waters", m->waters},
                   {"ions", m->ions},
                   {"bonds", m->bonds},
                   {"hydrogen_bonds", m->hydrogen_bonds},
                   {"angles", m->angles},
                   {"dihedrals", m->dihedrals},
                   {"pairs14", m->pairs14},
                   {"excluded_pairs", m->excluded_pairs},
                   {"types", m->types}};
    for (size_t k = 0; k < sizeof integer / sizeof integer[0]; k++)
        json_integer(&w, integer[k].key, integer[k].value);
    json_number(&w, "mass", m->mass);
    json_number(&w, "charge", m->charge);
    json_number(&w, "smallest_charge", s->charge[0]);
    json_number(&w, "largest_charge", s->charge[1]);
    json_open(&w, "residue_names", '{');
    for (int64_t k = 0; k < s->names; k++)
        json_integer(&w, s->residue[k].name, s->residue[k].count);
    json_close(&w);
    json_integer(&w, "has_radii", m->radius_set != NULL);
    if (m->radius_set) {
        json_text(&w, "radius_set", m->radius_set);
        json_number(&w, "smallest_radius", s->radius[0]);
        json_number(&w, "largest_radius", s->radius[1]);
    }
    json_close(&w);
}

int molecule_tell(myr_context *context, const char *path, int json)
{
    tell s = {.path = path};
    myr_topology *t = NULL;
    int code = cli_check(context, myr_topology_read(context, path, &t));
    s.t = t;
    if (!code)
        code = cli_check(context, myr_topology_describe(t, &s.info));
    if (!code)
        code = cli_check(context, myr_particles_create(context, s.info.atoms, &s.atoms));
    if (!code)
        code = cli_check(context, myr_topology_apply(t, s.atoms));
    if (!code) {
        tell_count(&s);
        tell_ranges(&s);
        if (json)
            tell_json(&s);
        else
            tell_plain(&s);
    }
    myr_particles_destroy(&s.atoms);
    myr_topology_destroy(&t);
    return code;
}
