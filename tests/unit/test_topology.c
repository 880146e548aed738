/* test_topology.c - AMBER files: what alanine dipeptide's hold, and what is said of files that are wrong or ask for
 * more than there is. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/snapshot.h>

#include "particles/topology.h"
#include "source_file.h"

enum { WIDTH = 80 }; /* of the lines that AMBER writes */

static char *prmtop; /* the text of the reference file */
static size_t prmtop_size;

static myr_status read_text(scratch *s, const char *text, size_t size, myr_topology **t)
{
    scratch_store(scratch_path(s, "a.prmtop"), text, size);
    return myr_topology_read(s->context, s->path, t);
}

/* The reference file with `from` (the first time it occurs) replaced. */
static myr_status read_changed(scratch *s, const char *from, const char *to, myr_topology **t)
{
    char *at = strstr(prmtop, from);
    assert_non_null(at);
    const size_t before = (size_t)(at - prmtop), size = prmtop_size - strlen(from) + strlen(to);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memcpy(text, prmtop, before);
    memcpy(text + before, to, strlen(to));
    strcpy(text + before + strlen(to), at + strlen(from));
    const myr_status status = read_text(s, text, size, t);
    free(text);
    return status;
}

static void test_contents(void **state)
{
    (void)state;
    scratch s;
    myr_topology *t = NULL;
    myr_topology_info info;
    int64_t residue = 0;
    scratch_begin(&s);
    assert_int_equal(myr_topology_read(s.context, source_file("examples/alanine.prmtop"), &t), MYR_OK);
    assert_int_equal(myr_topology_describe(t, &info), MYR_OK);
    assert_string_equal(info.title, "alanine dipeptide");
    assert_int_equal(info.atoms, 22);
    assert_int_equal(info.residues, 3);
    assert_int_equal(info.bonds, 21);
    assert_int_equal(info.hydrogen_bonds, 12);
    assert_int_equal(info.angles, 36);
    assert_int_equal(info.dihedrals, 52);
    assert_int_equal(info.pairs14, 41);
    assert_int_equal(info.excluded_pairs, 98);
    assert_int_equal(info.types, 7);
    assert_true(fabs(info.mass - 144.17) < 0.02 && fabs(info.charge) < 1e-6);
    assert_string_equal(myr_topology_atom(t, 0), "HH31");
    assert_string_equal(myr_topology_atom(t, 8), "CA");
    assert_string_equal(myr_topology_residue(t, 8, &residue), "ALA");
    assert_int_equal(residue, 2);
    assert_null(myr_topology_atom(t, 22));
    assert_null(myr_topology_residue(t, -1, NULL));
    assert_true(fabs(t->charge[0] - 0.1123) < 1e-9); /* the force field's own number */
    assert_true(fabs(t->bond[0].k - 340) < 1e-12 && fabs(t->bond[0].length - 1.09) < 1e-12);
    /* type 1 is HC: epsilon 0.0157 kcal/mol, radius 1.487 Angstrom */
    assert_true(fabs(t->epsilon[0] - 0.0157) < 1e-6 && fabs(t->sigma[0] - 2 * 1.487 / pow(2, 1.0 / 6)) < 1e-5);
    assert_true(t->pair14[0].coulomb == 1 / 1.2 && t->pair14[0].lj == 0.5);
    for (int64_t i = 0; i < t->atoms; i++)
        for (int64_t k = t->offset[i]; k < t->offset[i + 1]; k++)
            assert_true(t->partner[k] != i && (k == t->offset[i] || t->partner[k] > t->partner[k - 1]));
    myr_topology_destroy(&t);
    assert_null(t);
    scratch_end(&s);
}

/* The text of the file with its lines filled with blanks up to `width`, and with the line ends of another system. */
static size_t respaced(char *text, size_t width, int carriage_return)
{
    size_t size = 0, start = 0;
    for (const char *at = prmtop; *at; at++) {
        while (*at == '\n' && size - start < width)
            text[size++] = ' ';
        if (*at == '\n' && carriage_return)
            text[size++] = '\r';
        text[size++] = *at;
        start = *at == '\n' ? size : start;
    }
    return size;
}

/* Scale factors of 1-4 pairs by type of dihedral, what other programs write, lines with and without blanks at their
 * ends, line ends of another system. */
static void test_variants(void **state)
{
    (void)state;
    static const char factors[] = "%FLAG SCEE_SCALE_FACTOR\n%FORMAT(5E16.8)\n"
                                  "  1.00000000E+00  1.25000000E+00  1.00000000E+00  1.00000000E+00  1.00000000E+00\n"
                                  "  1.00000000E+00  1.00000000E+00  1.00000000E+00  1.00000000E+00  1.00000000E+00\n"
                                  "  1.00000000E+00  0.00000000E+00  0.00000000E+00\n%FLAG SOLTY";
    scratch s;
    myr_topology *t = NULL;
    scratch_begin(&s);
    assert_int_equal(read_changed(&s, "%FLAG SOLTY", factors, &t), MYR_OK);
    int64_t scaled = 0;
    for (int64_t k = 0; k < t->pairs14; k++)
        scaled += t->pair14[k].coulomb == 0.8;
    assert_in_range(scaled, 1, t->pairs14 - 1);
    myr_topology_destroy(&t);
    /* a 33rd value of POINTERS; a section that is not read, in a format of its own (tleap's) */
    assert_int_equal(read_changed(&s, "      10       0\n       0", "      10       0\n       0       1       7", &t),
                     MYR_OK);
    assert_int_equal(t->atoms, 22);
    myr_topology_destroy(&t);
    assert_int_equal(read_changed(&s, "%FLAG SOLTY", "%FLAG FORCE_FIELD_TYPE\n%FORMAT(A)\nff14SB\n%FLAG SOLTY", &t),
                     MYR_OK);
    myr_topology_destroy(&t);
    for (int ends = 0; ends < 2; ends++)
        for (int width = 0; width <= WIDTH; width += WIDTH) {
            char *text = malloc((WIDTH + 2) * prmtop_size);
            const size_t size = respaced(text, (size_t)width, ends);
            assert_int_equal(read_text(&s, text, size, &t), MYR_OK);
            assert_string_equal(t->title, "alanine dipeptide");
            assert_string_equal(t->name[21], "HH33");
            assert_string_equal(t->residue_name[2], "NME");
            free(text);
            myr_topology_destroy(&t);
        }
    scratch_end(&s);
}

/* What the library cannot compute is named. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } wrong[] = {
        {"%FLAG SOLTY", "%FLAG CMAP_COUNT\n%FORMAT(2I8)\n       1       1\n%FLAG SOLTY", "CMAP"},
        {"%FLAG SOLTY", "%FLAG CHARMM_CMAP_COUNT\n%FORMAT(2I8)\n       1       1\n%FLAG SOLTY", "CHARMM"},
        {"%FLAG SOLTY", "%FLAG POLARIZABILITY\n%FORMAT(5E16.8)\n\n%FLAG SOLTY", "polarisable atoms"},
        {"%FLAG SOLTY", "%FLAG IPOL\n%FORMAT(1I8)\n       1\n%FLAG SOLTY", "polarisable atoms"},
        {"%FLAG SOLTY", "%FLAG LENNARD_JONES_CCOEF\n%FORMAT(5E16.8)\n\n%FLAG SOLTY", "Lennard-Jones 12-6-4"},
        {"%FLAG SOLTY", "%FLAG AMOEBA_FORCEFIELD\n%COMMENT This indicates\n%FORMAT(i5)\n    1\n%FLAG SOLTY",
         "the AMOEBA force field, for which there is no method yet"},
        {"%FLAG SOLTY",
         "%FLAG FORCE_FIELD_TYPE\n%FORMAT(i2,a78)\n 1 CHARMM  31       *>>>>CHARMM22 <<\n"
         "%FLAG CHARMM_UREY_BRADLEY_COUNT\n%COMMENT V(ub)\n%FORMAT(2i8)\n       1       1\n%FLAG SOLTY",
         "the CHARMM force field, for which there is no method yet"},
        {"       0       0       0       0       0       0       0       0      10       0\n       0",
         "       0       0       0       0       0       0       0       1      10       0\n       0",
         "charges in a periodic box (IFBOX > 0), for which there is no method yet"},
        {"       0       0       0       0       0       0       0       0      10       0\n       0",
         "       1       0       0       0       0       0       0       0      10       0\n       0", "perturbed"},
        {"       0       0       0       0       0       0       0       0      10       0\n       0",
         "       0       0       0       0       0       0       0       0      10       0\n       3", "extra points"},
        {"%FLAG SOLTY",
         "%FLAG SCEE_SCALE_FACTOR\n%FORMAT(1E16.8)\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n0.\n"
         "%FLAG SOLTY",
         "divides the 1-4 pair of atoms"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        myr_topology *t = NULL;
        const myr_status status = read_changed(&s, wrong[k].from, wrong[k].to, &t);
        assert_true(status == MYR_ERROR_COMBINATION || status == MYR_ERROR_FORMAT);
        assert_null(t);
        scratch_says(&s, wrong[k].says);
        scratch_says(&s, "a.prmtop:");
    }
    scratch_end(&s);
}

/* Damaged files: file, line and section are told. */
static void test_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *says;
    } wrong[] = {
        {"%VERSION", "VERSION", "starts with neither %VERSION nor %FLAG"},
        {"%FLAG MASS", "%FLAG MESS", "section MASS is missing"},
        {"%FLAG CHARGE", "%FLAG MASS", "section MASS is there already"},
        {"  2.04636429E+00 -6.6730", "  2.0463x429E+00 -6.6730",
         "a.prmtop:17:1: section CHARGE: a finite number was expected"},
        {"  2.04636429E+00 -6.6730", "             nan -6.6730", "section CHARGE: a finite number"},
        {"      22       7", "      23       7", "ends after 22 of 23 values"},
        {"      22       7", "      -1       7", "section POINTERS: an integer from 0"},
        {"      22       7", "99999999       7", "do not fit into a file of"},
        {"      22       7", "      21       7", "the end of the section was expected, not"},
        {"%FORMAT(5E16.8)", "%FORMAT(5X16.8)", "section CHARGE: its format is not understood"},
        {"%FORMAT(10I8)", "%FORMAT(I8)", "section POINTERS: its format is not understood"},
        {"      10       0\n       0", "      10       0\n       0       0       0       0", "it has 34 values"},
        {"%FORMAT(5E16.8)", "FORMAT(5E16.8)", "%FORMAT(...) was expected after %FLAG CHARGE"},
        {"%FORMAT(5E16.8)", "%FORMAT(5I16)", "its format is one of integers, expected numbers"},
        {"       1       7      17", "       2       7      17", "residue 1 starts with atom 2"},
        {"       3       0       1       3       6", "       4       0       1       3       6",
         "has 4 for an atom, expected 3 (atom - 1)"},
        {"       3       0       1       3       6", "       3       0       9       3       6",
         "entry 1 has type 9, expected 1 to 7"},
        {"       3       0       1       3       6", "       3       3       1       3       6", "has atom 2 twice"},
        {"       2       3       4       5       6       7       3",
         "       1       3       4       5       6       7       3", "names an atom before it"},
        {"       1       2       4       7", "      99       2       4       7", "section NONBONDED_PARM_INDEX"},
        {"       1       2       4       7", "       1       3       4       7", "do not act alike"},
        {"  7.51607703E+03", "  0.00000000E+00", "the types 1 and 1 have A = 0"},
        {"%FLAG BOND_EQUIL_VALUE\n%FORMAT(5E16.8)\n  ", "%FLAG BOND_EQUIL_VALUE\n%FORMAT(5E16.8)\n -",
         "section BOND_EQUIL_VALUE: bonds of type 1 have a length of -"},
        {"  1.00800000E+00  1.2010", "  0.00000000E+00  1.2010", "atom 1 (HH31) has mass 0"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        myr_topology *t = NULL;
        assert_int_equal(read_changed(&s, wrong[k].from, wrong[k].to, &t), MYR_ERROR_FORMAT);
        assert_null(t);
        scratch_says(&s, wrong[k].says);
        scratch_says(&s, "a.prmtop:");
    }
    scratch_end(&s);
}

/* Cut anywhere before the last section that is read, a file is never taken for a whole one. */
static void test_truncated(void **state)
{
    (void)state;
    scratch s;
    const char *last = strstr(prmtop, "%FLAG HBOND_ACOEF");
    assert_non_null(last);
    scratch_begin(&s);
    for (size_t size = 0; size < (size_t)(last - prmtop) - 24; size += 97) {
        myr_topology *t = NULL;
        assert_int_not_equal(read_text(&s, prmtop, size, &t), MYR_OK);
        assert_null(t);
    }
    scratch_end(&s);
}

static myr_status read_coordinates(scratch *s, const char *text, myr_particles **p, myr_snapshot_header *header)
{
    scratch_store(scratch_path(s, "a.inpcrd"), text, strlen(text));
    return myr_snapshot_read(s->context, s->path, NULL, p, header);
}

static void test_coordinates(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p = NULL;
    myr_topology *t = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    assert_int_equal(myr_snapshot_read(s.context, source_file("examples/alanine.inpcrd"), NULL, &p, &header), MYR_OK);
    assert_int_equal(myr_particles_count(p), 22);
    assert_true(myr_particles_component(p, "position", 0)[1] == 1.09);
    assert_true(myr_particles_component(p, "position", 1)[21] == -0.9475618);
    assert_true(header.unit_length == 1e-10 && header.time == 0 && !myr_particles_component(p, "velocity", 0));
    assert_int_equal(myr_topology_read(s.context, source_file("examples/alanine.prmtop"), &t), MYR_OK);
    assert_int_equal(myr_topology_apply(t, p), MYR_OK);
    assert_true(myr_particles_component(p, "mass", 0)[0] == 1.008 && myr_particles_types(p)[1] == 1);
    myr_particles_destroy(&p);
    /* three atoms with time, velocities and a box, lines without blanks between numbers */
    static const char full[] = "water, and more\n    3  0.1000000E+01\n"
                               " 100.0000000-200.0000000 300.0000000   4.0000000   5.0000000   6.0000000\n"
                               "   7.0000000   8.0000000   9.0000000\n"
                               "   1.0000000   0.0000000   0.0000000   0.0000000   0.0000000   0.0000000\n"
                               "   0.0000000   0.0000000  -2.0000000\n"
                               "  30.0000000  40.0000000  50.0000000  90.0000000  90.0000000  90.0000000\n";
    assert_int_equal(read_coordinates(&s, full, &p, &header), MYR_OK);
    assert_true(myr_particles_component(p, "position", 1)[0] == -200);
    assert_true(fabs(header.time * header.unit_time - 1e-12) < 1e-24 && header.box[2] == 50);
    /* 1 stored = 20.455 Angstrom/ps */
    assert_true(fabs(myr_particles_component(p, "velocity", 0)[0] / (header.unit_time * 1e12) - 20.455) < 1e-10);
    assert_int_equal(myr_topology_apply(t, p), MYR_ERROR_VALUE);
    scratch_says(&s, "the topology has 22 atoms, the coordinates are of 3");
    myr_particles_destroy(&p);
    myr_topology_destroy(&t);
    scratch_end(&s);
}

static void test_bad_coordinates(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"t\n  4\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n",
         "there are 6 numbers for 4 atoms"},
        {"t\n  2\n   1.0000000   2.0000000   3.0000000   4.0000000   5.00x0000   6.0000000\n",
         "a.inpcrd:3:49: a number was"},
        {"t\n  2\n   1.0000000   2.0000000   3.0000000************   5.0000000   6.0000000\n", "not '************'"},
        {"t\n  2\n************   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n",
         "a.inpcrd:3:1: a number was"},
        {"t\n  2\n         NaN         NaN         NaN   4.0000000   5.0000000   6.0000000\n",
         "a.inpcrd:3:1: a number was"},
        {"t\n  9999\n   1.0000000   2.0000000   3.0000000\n", "this says that there are 9999 atoms"},
        {"t\n  2 1.0 x\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n   1.0000000\n",
         "there are 7 numbers for 2 atoms"},
        {"t\n  3\n   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n   7.0000000   8.0000000   "
         "9.0000000\n  30.0000000  30.0000000  30.0000000  90.0000000 120.0000000  90.0000000\n",
         "right angles"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        myr_particles *p = NULL;
        assert_int_equal(read_coordinates(&s, wrong[k].text, &p, NULL), MYR_ERROR_FORMAT);
        assert_null(p);
        scratch_says(&s, wrong[k].says);
    }
    scratch_end(&s);
}

/* A ring of four atoms with a tail: who is excluded, who is a 1-4 pair, and what cannot be. */
static void test_made(void **state)
{
    (void)state;
    static const int64_t bond[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}, {4, 5}};
    scratch s;
    myr_topology *t = NULL;
    myr_topology_info info;
    scratch_begin(&s);
    assert_int_equal(myr_topology_create(s.context, 6, 2, &t), MYR_OK);
    for (int i = 0; i < 6; i++) {
        const myr_topology_atom_info atom = {"C", "RNG", 1 + i / 4, i / 4, 12, i % 2 ? 0.5 : -0.5};
        assert_int_equal(myr_topology_set_atom(t, i, &atom), MYR_OK);
    }
    assert_int_equal(myr_topology_set_pair(t, 0, 1, 0.1, 3), MYR_OK);
    for (int k = 0; k < 6; k++)
        assert_int_equal(myr_topology_add_bond(t, bond[k], k == 5, 300, 1.5), MYR_OK);
    assert_int_equal(myr_topology_finish(t, 2, 1.2), MYR_OK);
    assert_int_equal(myr_topology_describe(t, &info), MYR_OK);
    assert_true(info.residues == 2 && info.bonds == 6 && info.hydrogen_bonds == 1);
    assert_int_equal(info.pairs14, 3);         /* 4 and 1; 5 and 0; 5 and 2 */
    assert_int_equal(info.excluded_pairs, 14); /* all 15 but 5 and 1 */
    assert_true(t->epsilon[1] == 0.1 && t->epsilon[2] == 0.1 && t->epsilon[0] == 0);
    assert_int_equal(myr_topology_add_bond(t, (const int64_t[]){1, 6}, 0, 300, 1.5), MYR_ERROR_VALUE);
    scratch_says(&s, "there is no atom 6; there are 6, from 0");
    assert_int_equal(myr_topology_add_angle(t, (const int64_t[]){1, 2, 1}, 30, 2), MYR_ERROR_VALUE);
    scratch_says(&s, "a term has atom 1 twice");
    assert_int_equal(myr_topology_add_dihedral(t, (const int64_t[]){0, 1, 2, 3}, 1, 99, 0), MYR_ERROR_VALUE);
    assert_int_equal(myr_topology_set_pair(t, 0, 2, 1, 1), MYR_ERROR_VALUE);
    assert_int_equal(myr_topology_finish(t, 0, 1), MYR_ERROR_VALUE);
    myr_topology_destroy(&t);
    assert_int_equal(myr_topology_create(s.context, 0, 1, &t), MYR_ERROR_VALUE);
    scratch_end(&s);
}

int main(void)
{
    prmtop = (char *)scratch_load(source_file("examples/alanine.prmtop"), &prmtop_size);
    prmtop[prmtop_size] = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),        cmocka_unit_test(test_variants),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_malformed),       cmocka_unit_test(test_truncated), cmocka_unit_test(test_coordinates),
        cmocka_unit_test(test_bad_coordinates), cmocka_unit_test(test_made),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(prmtop);
    return failed;
}
