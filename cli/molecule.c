/* molecule.c - `myriad molecule TOPOLOGY COORDINATES`: energies by term and forces of one configuration. */
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "molecule.h"
#include "json.h"
#include "scene.h"

typedef struct {
    const char *topology, *coordinates;
    const char *dielectric, *solvent, *exclude, *accumulator, *arithmetic, *isa;
    int64_t threads;
    double salt;
    args_list params;
    int surface, json, quiet;
} molecule_options;

static const char *molecule_dielectric(int k)
{
    static const char *const names[] = {"constant", "linear", "sigmoidal"};
    return k >= 0 && k < 3 ? names[k] : NULL;
}

static const char *molecule_exclude(int k)
{
    static const char *const names[] = {"on_the_fly", "afterwards"};
    return k >= 0 && k < 2 ? names[k] : NULL;
}

static const char *molecule_solvent(int k)
{
    return k == 0 ? "none" : myr_solvent_model(k - 1);
}

#define AT(field) offsetof(molecule_options, field)
static const args_option molecule_table[] = {
    {"dielectric", ARGS_WORD, AT(dielectric), "NAME", "how charges are screened (constant)", molecule_dielectric, 0, 0},
    {"param", ARGS_LIST, AT(params), "NAME=X",
     "sets a parameter of the pairs (dielectric=4, cutoff=12, ...); may be repeated", NULL, 0, 0},
    {"solvent", ARGS_WORD, AT(solvent), "NAME", "generalised Born solvent, with --dielectric constant (none)",
     molecule_solvent, 0, 0},
    {"salt", ARGS_NUMBER, AT(salt), "C", "salt in the solvent, in mol/l (0)", NULL, 0, 100},
    {"surface", ARGS_FLAG, AT(surface), NULL, "with the energy of the surface area in the solvent", NULL, 0, 0},
    {"exclude", ARGS_WORD, AT(exclude), "NAME", "how bonded pairs are left out of the forces (on_the_fly)",
     molecule_exclude, 0, 0},
    {"accumulator", ARGS_WORD, AT(accumulator), "NAME", "how forces are summed (fixed)", cli_accumulator_name, 0, 0},
    {"arithmetic", ARGS_WORD, AT(arithmetic), "NAME", "what forces are computed in (double)", cli_arithmetic_name, 0,
     0},
    {"isa", ARGS_WORD, AT(isa), "NAME", "instruction set (auto)", cli_isa_name, 0, 0},
    {"threads", ARGS_INTEGER, AT(threads), "T", "threads; 0 = as many as there are (0)", NULL, 0, 4096},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "no notes", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table molecule_args = {
    .command = "molecule",
    .text =
        "Reads a molecule from AMBER files and prints its energies by term, in kcal/mol, evaluated in double\n"
        "arithmetic over all pairs, and its forces as chosen, in kcal/mol/Angstrom. Coulomb's constant is AMBER's,\n"
        "18.2223^2 kcal Angstrom/(mol e^2). Without coordinates tells what is in the topology, and what can be done "
        "with it.",
    .operand = "FILE",
    .operand_text = "the topology (prmtop)",
    .operand_offset = offsetof(molecule_options, topology),
    .second = "FILE",
    .second_text = "the coordinates (inpcrd, rst7, or a snapshot in Angstrom); without them the topology is described",
    .second_offset = offsetof(molecule_options, coordinates),
    .second_optional = 1,
    .options = molecule_table,
};

/* Pairs that are named; terms of the energy that are not of the solvent. */
enum { MOLECULE_NAMED = 16, MOLECULE_VACUUM = 7 };

/* Everything about one molecule. */
typedef struct {
    myr_context *context;
    progress shown;
    myr_topology *topology;
    myr_particles *atoms;
    myr_interaction *pairs;
    myr_molecule *molecule;
    myr_topology_info info;
    double energy[MYR_MOLECULE_TERMS], total;
    double net, rms, largest; /* of the forces */
    int64_t largest_atom;
    double *born;                                 /* [atoms], radii in the solvent, in Angstrom; null = no solvent */
    int64_t coincident, same[2 * MOLECULE_NAMED]; /* pairs of atoms at the same place, and the first of them */
} molecule_state;

static int molecule_read(const molecule_options *o, molecule_state *m)
{
    int code = cli_check(m->context, myr_topology_read(m->context, o->topology, &m->topology));
    if (!code)
        code = cli_check(m->context, myr_snapshot_read(m->context, o->coordinates, NULL, &m->atoms, NULL));
    if (!code)
        code = cli_check(m->context, myr_topology_apply(m->topology, m->atoms));
    if (!code)
        code = cli_check(m->context, myr_topology_describe(m->topology, &m->info));
    return code;
}

static int molecule_bind(const molecule_options *o, molecule_state *m)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "ljc_%s", o->dielectric);
    int code = cli_check(m->context, myr_interaction_create(m->context, kernel, &m->pairs));
    const struct {
        const char *key, *value;
    } choice[] = {{"accumulator", o->accumulator}, {"arithmetic", o->arithmetic}, {"isa", o->isa}};
    for (size_t k = 0; k < sizeof choice / sizeof choice[0] && !code; k++)
        if (choice[k].value)
            code = cli_check(m->context, myr_interaction_choose(m->pairs, choice[k].key, choice[k].value));
    for (int k = 0; k < o->params.count && !code; k++)
        code = scene_set_param(m->context, m->pairs, o->params.item[k]);
    const myr_exclusion_mode mode =
        strcmp(o->exclude, "afterwards") == 0 ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY;
    if (!code)
        code = cli_check(m->context, myr_molecule_create(m->topology, m->pairs, mode, &m->molecule));
    const myr_solvent solvent = {o->solvent, o->salt, o->surface};
    if (!code && strcmp(o->solvent, "none") != 0)
        code = cli_check(m->context, myr_molecule_set_solvent(m->molecule, &solvent));
    return code;
}

static void molecule_forces(molecule_state *m)
{
    double net[3] = {0};
    for (int64_t i = 0; i < m->info.atoms; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const double f = myr_particles_component(m->atoms, "force", c)[i];
            net[c] += f;
            square += f * f;
        }
        m->rms += square;
        if (square > m->largest) {
            m->largest = square;
            m->largest_atom = i;
        }
    }
    m->rms = sqrt(m->rms / (double)m->info.atoms);
    m->largest = sqrt(m->largest);
    m->net = sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]);
}

static int molecule_evaluate(const molecule_options *o, molecule_state *m)
{
    int code =
        cli_check(m->context, myr_interaction_coincident(m->pairs, m->atoms, MOLECULE_NAMED, m->same, &m->coincident));
    if (!code)
        code = cli_check(m->context, myr_molecule_energies(m->molecule, m->atoms, m->energy));
    if (!code)
        code = cli_check(m->context, myr_molecule_evaluate(m->molecule, m->atoms));
    if (code)
        return code;
    for (int k = 0; k < MYR_MOLECULE_TERMS; k++)
        m->total += m->energy[k];
    molecule_forces(m);
    if (strcmp(o->solvent, "none") == 0)
        return CLI_OK;
    if (!(m->born = calloc((size_t)m->info.atoms, sizeof *m->born)))
        return cli_fail(CLI_FAILED, "no memory for %" PRId64 " Born radii", m->info.atoms);
    return cli_check(m->context, myr_molecule_born_radii(m->molecule, m->atoms, m->born));
}

static int64_t molecule_named(const molecule_state *m)
{
    return m->coincident < MOLECULE_NAMED ? m->coincident : MOLECULE_NAMED;
}

static void molecule_coincident_json(const molecule_state *m, json_writer *w)
{
    json_integer(w, "coincident_pairs", m->coincident);
    json_open(w, "coincident", '[');
    for (int64_t k = 0; k < molecule_named(m); k++) {
        json_open(w, NULL, '[');
        json_integer(w, NULL, m->same[2 * k] + 1);
        json_integer(w, NULL, m->same[2 * k + 1] + 1);
        json_close(w);
    }
    json_close(w);
}

static void molecule_print_atom(const molecule_state *m, int64_t atom)
{
    int64_t residue;
    const char *name = myr_topology_residue(m->topology, atom, &residue);
    printf("%" PRId64 " (%s of %s %" PRId64 ")", atom + 1, myr_topology_atom(m->topology, atom), name, residue);
}

static void molecule_coincident_plain(const molecule_state *m)
{
    if (!m->coincident)
        return;
    printf("%-28s %" PRId64 " pair%s of atoms, whose Lennard-Jones and Coulomb terms are left out:",
           "at the same place", m->coincident, myr_plural(m->coincident));
    for (int64_t k = 0; k < molecule_named(m); k++) {
        printf("%s ", k ? "," : "");
        molecule_print_atom(m, m->same[2 * k]);
        printf(" and ");
        molecule_print_atom(m, m->same[2 * k + 1]);
    }
    printf("%s\n", m->coincident > MOLECULE_NAMED ? ", ..." : "");
}

static void molecule_json(const molecule_options *o, const molecule_state *m)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_text(&w, "topology", o->topology);
    json_text(&w, "coordinates", o->coordinates);
    json_text(&w, "title", m->info.title);
    json_integer(&w, "atoms", m->info.atoms);
    json_integer(&w, "residues", m->info.residues);
    json_integer(&w, "bonds", m->info.bonds);
    json_integer(&w, "hydrogen_bonds", m->info.hydrogen_bonds);
    json_integer(&w, "angles", m->info.angles);
    json_integer(&w, "dihedrals", m->info.dihedrals);
    json_integer(&w, "pairs14", m->info.pairs14);
    json_integer(&w, "excluded_pairs", m->info.excluded_pairs);
    json_number(&w, "mass", m->info.mass);
    json_number(&w, "charge", m->info.charge);
    json_text(&w, "dielectric", o->dielectric);
    json_text(&w, "solvent", o->solvent);
    molecule_coincident_json(m, &w);
    json_open(&w, "energy", '{');
    for (int k = 0; k < MYR_MOLECULE_TERMS; k++)
        json_number(&w, myr_molecule_term(k), m->energy[k]);
    json_number(&w, "total", m->total);
    json_close(&w);
    json_number(&w, "rms_force", m->rms);
    json_number(&w, "largest_force", m->largest);
    json_integer(&w, "largest_force_atom", m->largest_atom + 1);
    json_number(&w, "net_force", m->net);
    if (m->born) {
        json_open(&w, "born_radii", '[');
        for (int64_t i = 0; i < m->info.atoms; i++)
            json_number(&w, NULL, m->born[i]);
        json_close(&w);
    }
    json_close(&w);
}

static void molecule_plain_solvent(const molecule_options *o, const molecule_state *m)
{
    double least = m->born[0], most = m->born[0];
    for (int64_t i = 1; i < m->info.atoms; i++) {
        least = fmin(least, m->born[i]);
        most = fmax(most, m->born[i]);
    }
    printf("%-28s %s, %g mol/l of salt, %s surface area; Born radii from %.4f to %.4f Angstrom (%s)\n", "solvent",
           o->solvent, o->salt, o->surface ? "with" : "without", least, most,
           m->info.radius_set && *m->info.radius_set ? m->info.radius_set : "radii without a name");
}

static void molecule_plain(const molecule_options *o, const molecule_state *m)
{
    printf("%-28s %s: %" PRId64 " atoms, %" PRId64 " residues, %.4g g/mol, charge %.3g e\n", "molecule", m->info.title,
           m->info.atoms, m->info.residues, m->info.mass, fabs(m->info.charge) < 1e-4 ? 0.0 : m->info.charge);
    printf("%-28s %" PRId64 " bonds (%" PRId64 " to hydrogen), %" PRId64 " angles, %" PRId64 " dihedrals, %" PRId64
           " 1-4 pairs, %" PRId64 " excluded pairs\n",
           "terms", m->info.bonds, m->info.hydrogen_bonds, m->info.angles, m->info.dihedrals, m->info.pairs14,
           m->info.excluded_pairs);
    printf("%-28s %s\n", "dielectric", o->dielectric);
    if (m->born)
        molecule_plain_solvent(o, m);
    molecule_coincident_plain(m);
    for (int k = 0; k < MYR_MOLECULE_TERMS; k++)
        if (m->born || k < MOLECULE_VACUUM)
            printf("%-28s %18.10f kcal/mol\n", myr_molecule_term_text(k), m->energy[k]);
    printf("%-28s %18.10f kcal/mol\n", "total", m->total);
    printf("%-28s %.6g kcal/mol/Angstrom (rms), %.6g of atom ", "forces", m->rms, m->largest);
    molecule_print_atom(m, m->largest_atom);
    printf("\n");
    printf("%-28s %.3g kcal/mol/Angstrom\n", "net force", m->net);
}

static int molecule_run(const molecule_options *o)
{
    molecule_state m = {0};
    if (myr_context_create(&m.context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&m.shown, m.context, o->quiet);
    progress_begin(&m.shown, "forces");
    int code = cli_check(m.context, myr_context_set_threads(m.context, (int)o->threads));
    if (!o->coordinates) {
        code = code ? code : molecule_tell(m.context, o->topology, o->json);
        progress_end(&m.shown);
        myr_context_destroy(&m.context);
        return code;
    }
    if (!code)
        code = molecule_read(o, &m);
    if (!code)
        code = molecule_bind(o, &m);
    if (!code)
        code = molecule_evaluate(o, &m);
    progress_end(&m.shown);
    if (!code && o->json)
        molecule_json(o, &m);
    else if (!code)
        molecule_plain(o, &m);
    free(m.born);
    myr_molecule_destroy(&m.molecule);
    myr_interaction_destroy(&m.pairs);
    myr_particles_destroy(&m.atoms);
    myr_topology_destroy(&m.topology);
    myr_context_destroy(&m.context);
    return code;
}

int cli_molecule(int argc, char **argv)
{
    molecule_options options = {.dielectric = "constant",
                                .solvent = "none",
                                .exclude = "on_the_fly",
                                .accumulator = "fixed",
                                .arithmetic = "double"};
    switch (args_parse(&molecule_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    return molecule_run(&options);
}
