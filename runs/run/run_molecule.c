/* run_molecule.c - what is looked at in a molecule: its energies by term, and two torsions of its backbone. */
#include <math.h>
#include <string.h>

#include "run/run.h"

#define DEGREES (180 / 3.14159265358979323846)

/* The atom of that name in a residue (from 1); -1 where there is none. */
static int64_t find_atom(const myr_topology *t, int64_t atoms, int64_t residue, const char *name)
{
    for (int64_t i = 0; i < atoms; i++) {
        int64_t of;
        (void)myr_topology_residue(t, i, &of);
        if (of == residue && strcmp(myr_topology_atom(t, i), name) == 0)
            return i;
    }
    return -1;
}

/* The torsion about the bond of the two in the middle, in degrees from -180 to 180. */
static double torsion(const myr_particles *p, const int64_t atom[4])
{
    double b[3][3], n[2][3], m[3], cosine = 0, sine = 0, length = 0;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            const double *x = myr_particles_component_const(p, "position", c);
            b[k][c] = x[atom[k + 1]] - x[atom[k]];
        }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        n[0][c] = b[0][d] * b[1][e] - b[0][e] * b[1][d];
        n[1][c] = b[1][d] * b[2][e] - b[1][e] * b[2][d];
    }
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        m[c] = n[0][d] * n[1][e] - n[0][e] * n[1][d];
        cosine += n[0][c] * n[1][c];
        sine += m[c] * b[1][c];
        length += b[1][c] * b[1][c];
    }
    return DEGREES * atan2(sine / sqrt(length), cosine);
}

/* phi is C-N-CA-C, psi N-CA-C-N, with the first C and the last N of the residues beside. */
static void measure_torsions(const myr_topology *t, const myr_particles *p, double *phi, double *psi)
{
    myr_topology_info info;
    *phi = *psi = NAN;
    if (myr_topology_describe(t, &info))
        return;
    for (int64_t r = 2; r < info.residues; r++) {
        const int64_t atom[5] = {find_atom(t, info.atoms, r - 1, "C"), find_atom(t, info.atoms, r, "N"),
                                 find_atom(t, info.atoms, r, "CA"), find_atom(t, info.atoms, r, "C"),
                                 find_atom(t, info.atoms, r + 1, "N")};
        if (atom[0] < 0 || atom[1] < 0 || atom[2] < 0 || atom[3] < 0 || atom[4] < 0)
            continue;
        *phi = torsion(p, atom);
        *psi = torsion(p, atom + 1);
        return;
    }
}

/* Reads the reference, in Angstrom. A file of another molecule is an error. */
static int read_reference(run *r)
{
    const input_value *file = input_of(r->in, KEY_observables_reference);
    myr_snapshot_header header;
    if (!file->text || r->reference)
        return CLI_OK;
    int code = run_build_check(r->in, file->node, r->context,
                               myr_snapshot_read(r->context, file->text, NULL, &r->reference, &header));
    const double scale = !code && header.unit_length > 0 ? header.unit_length / 1e-10 : 1;
    for (int c = 0; !code && c < 3; c++) {
        double *x = myr_particles_component(r->reference, "position", c);
        for (int64_t i = 0; x && scale != 1 && i < myr_particles_count(r->reference); i++)
            x[i] *= scale;
    }
    return code;
}

int run_measure_molecule(run *r)
{
    const myr_particles *now;
    int code = cli_check(r->context, myr_simulation_energies(r->simulation, r->sample.term));
    if (!code)
        code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    if (!code)
        code = read_reference(r);
    if (!code)
        code = cli_check(r->context, myr_topology_measure(myr_simulation_topology(r->simulation), now, r->reference,
                                                          &r->sample.shape));
    if (!code)
        measure_torsions(myr_simulation_topology(r->simulation), now, &r->sample.phi, &r->sample.psi);
    return code;
}

double run_pace(const run *r)
{
    myr_progress p = {0};
    myr_simulation_progress(r->simulation, &p);
    const double ns = (p.time - r->counters.start) * r->in->units.si[2] * 1e9;
    const int moves = (run_kind_of(r) & (RUN_OF_BOX | RUN_OF_MOLECULE)) && ns > 0 && p.step_seconds > 0;
    return moves ? ns / (p.step_seconds / 86400) : NAN;
}
