/* fuzz_amber.c - the readers of AMBER's files against any bytes: topologies, or with FUZZ_COORDINATES coordinates. What
 * is read must make sense: terms of atoms that are there, and forces that can be evaluated. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/snapshot.h>

#include "particles/topology.h"

enum { FUZZ_BYTES_MAX = 1 << 16 };

static void check_atoms(const myr_topology *t, const int32_t *atom, int n)
{
    for (int k = 0; k < n; k++)
        fuzz_expect(atom[k] >= 0 && atom[k] < t->atoms, "terms are of atoms that are there");
}

static void check_topology(const myr_topology *t)
{
    for (int64_t k = 0; k < t->bonds; k++)
        check_atoms(t, t->bond[k].atom, 2);
    for (int64_t k = 0; k < t->angles; k++)
        check_atoms(t, t->angle[k].atom, 3);
    for (int64_t k = 0; k < t->dihedrals; k++)
        check_atoms(t, t->dihedral[k].atom, 4);
    for (int64_t k = 0; k < t->pairs14; k++)
        check_atoms(t, t->pair14[k].atom, 2);
    for (int64_t i = 0; i < t->atoms; i++) {
        fuzz_expect(t->type[i] >= 0 && t->type[i] < t->types, "types are in the table");
        fuzz_expect(t->residue[i] >= 0 && t->residue[i] < t->residues, "residues are there");
        for (int64_t k = t->offset[i]; k < t->offset[i + 1]; k++)
            fuzz_expect(t->partner[k] >= 0 && t->partner[k] < t->atoms && t->partner[k] != i &&
                            (k == t->offset[i] || t->partner[k - 1] < t->partner[k]),
                        "excluded partners are sorted and there once");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static myr_context *context;
    if (size > FUZZ_BYTES_MAX)
        return 0;
    if (!context)
        fuzz_expect(myr_context_create(&context) == MYR_OK, "a context can be made");
    const char *path = fuzz_file(data, size);
#ifdef FUZZ_COORDINATES
    (void)check_topology;
    myr_particles *p = NULL;
    const myr_status status = myr_snapshot_read(context, path, "amber", &p, NULL);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(!p || myr_particles_count(p) > 0, "there are atoms");
    myr_particles_destroy(&p);
#else
    myr_topology *t = NULL;
    const myr_status status = myr_topology_read(context, path, &t);
    fuzz_expect((status == MYR_OK) == (t != NULL), "a topology is given exactly where there is no error");
    fuzz_expect(status == MYR_OK || *myr_context_message(context), "an error has a sentence");
    if (t)
        check_topology(t);
    myr_topology_destroy(&t);
#endif
    return 0;
}

#ifdef FUZZ_COORDINATES
static const char *const seeds[] = {
    "title\n    3  0.1000000E+01\n"
    "   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n"
    "   7.0000000   8.0000000   9.0000000\n"
    "   0.1000000   0.2000000   0.3000000   0.4000000   0.5000000   0.6000000\n"
    "   0.7000000   0.8000000   0.9000000\n"
    "  30.0000000  30.0000000  30.0000000  90.0000000  90.0000000  90.0000000\n",
    "title\n    2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n", "\n1\n"};
#else
#define ZEROS "       0       0       0       0       0       0       0       0       0       0\n"
static const char *const seeds[] = {
    "%VERSION  VERSION_STAMP = V0001.000\n%FLAG TITLE\n%FORMAT(20a4)\nfour atoms\n%FLAG POINTERS\n%FORMAT(10I8)\n"
    "       4       2       1       2       0       2       0       1       0       0\n"
    "       7       1       2       2       1       2       1       1       2       0\n" ZEROS "       0\n"
    "%FLAG ATOM_NAME\n%FORMAT(20a4)\nC1  C2  C3  H   \n"
    "%FLAG CHARGE\n%FORMAT(5E16.8)\n  1.00000000E+00 -1.00000000E+00  1.00000000E+00 -1.00000000E+00\n"
    "%FLAG MASS\n%FORMAT(5E16.8)\n  1.20000000E+01  1.20000000E+01  1.20000000E+01  1.00000000E+00\n"
    "%FLAG ATOM_TYPE_INDEX\n%FORMAT(10I8)\n       1       1       1       2\n"
    "%FLAG NUMBER_EXCLUDED_ATOMS\n%FORMAT(10I8)\n       3       2       1       1\n"
    "%FLAG NONBONDED_PARM_INDEX\n%FORMAT(10I8)\n       1       2       2       3\n"
    "%FLAG RESIDUE_LABEL\n%FORMAT(20a4)\nBUT \n%FLAG RESIDUE_POINTER\n%FORMAT(10I8)\n       1\n"
    "%FLAG BOND_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  3.10000000E+02  3.40000000E+02\n"
    "%FLAG BOND_EQUIL_VALUE\n%FORMAT(5E16.8)\n  1.52600000E+00  1.09000000E+00\n"
    "%FLAG ANGLE_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  4.00000000E+01\n"
    "%FLAG ANGLE_EQUIL_VALUE\n%FORMAT(5E16.8)\n  1.91000000E+00\n"
    "%FLAG DIHEDRAL_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  1.50000000E-01\n"
    "%FLAG DIHEDRAL_PERIODICITY\n%FORMAT(5E16.8)\n  3.00000000E+00\n"
    "%FLAG DIHEDRAL_PHASE\n%FORMAT(5E16.8)\n  0.00000000E+00\n"
    "%FLAG SCEE_SCALE_FACTOR\n%FORMAT(5E16.8)\n  1.20000000E+00\n"
    "%FLAG SCNB_SCALE_FACTOR\n%FORMAT(5E16.8)\n  2.00000000E+00\n"
    "%FLAG LENNARD_JONES_ACOEF\n%FORMAT(5E16.8)\n  1.00000000E+06  1.00000000E+05  7.50000000E+03\n"
    "%FLAG LENNARD_JONES_BCOEF\n%FORMAT(5E16.8)\n  6.70000000E+02  1.20000000E+02  2.10000000E+01\n"
    "%FLAG BONDS_INC_HYDROGEN\n%FORMAT(10I8)\n       6       9       2\n"
    "%FLAG BONDS_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n       0       3       1       3       6       1\n"
    "%FLAG ANGLES_INC_HYDROGEN\n%FORMAT(10I8)\n\n"
    "%FLAG ANGLES_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n       0       3       6       1       3       6       9       1\n"
    "%FLAG DIHEDRALS_INC_HYDROGEN\n%FORMAT(10I8)\n\n"
    "%FLAG DIHEDRALS_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n       0       3       6       9       1\n"
    "%FLAG EXCLUDED_ATOMS_LIST\n%FORMAT(10I8)\n       2       3       4       3       4       4       0\n",
    "%FLAG POINTERS\n%FORMAT(10I8)\n", "%VERSION"};
#endif

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    const int count = (int)(sizeof seeds / sizeof seeds[0]);
    const size_t size = k < count ? strlen(seeds[k]) : 0;
    if (size > room)
        return 0;
    memcpy(to, k < count ? seeds[k] : "", size);
    return size;
}
