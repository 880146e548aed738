/* test_structure.c - shape of a molecule: against closed forms, against turned and moved copies, and against what
 * mkdssp finds in the same helix and strand. */
#include "physics/physics.h"
#include "source_file.h"

typedef struct {
    myr_context *context;
    myr_topology *t;
    myr_particles *p;
} bench;

static void begin(bench *b, const char *name)
{
    char path[64];
    b->context = new_context();
    snprintf(path, sizeof path, "examples/%s.prmtop", name);
    expect_ok(b->context, myr_topology_read(b->context, source_file(path), &b->t));
    snprintf(path, sizeof path, "examples/%s.inpcrd", name);
    expect_ok(b->context, myr_snapshot_read(b->context, source_file(path), NULL, &b->p, NULL));
}

static void end(bench *b)
{
    myr_particles_destroy(&b->p);
    myr_topology_destroy(&b->t);
    myr_context_destroy(&b->context);
}

static myr_structure measure(bench *b, const myr_particles *p, const myr_particles *reference)
{
    myr_structure s;
    expect_ok(b->context, myr_topology_measure(b->t, p, reference, &s));
    return s;
}

static int64_t find(const bench *b, int64_t residue, const char *name)
{
    for (int64_t i = 0; myr_topology_atom(b->t, i); i++) {
        int64_t of;
        (void)myr_topology_residue(b->t, i, &of);
        if (of == residue && strcmp(myr_topology_atom(b->t, i), name) == 0)
            return i;
    }
    fail_msg("no atom %s in residue %lld", name, (long long)residue);
    return -1;
}

/* Turns the atoms from number `from` on by an angle about the axis from atom a to atom b. */
static void turn(myr_particles *p, int64_t a, int64_t b, int64_t from, double angle)
{
    double *x[3], axis[3], length = 0;
    for (int c = 0; c < 3; c++) {
        x[c] = myr_particles_component(p, "position", c);
        axis[c] = x[c][b] - x[c][a];
        length += axis[c] * axis[c];
    }
    for (int c = 0; c < 3; c++)
        axis[c] /= sqrt(length);
    const double origin[3] = {x[0][a], x[1][a], x[2][a]};
    for (int64_t i = from; i < myr_particles_count(p); i++) {
        double d[3], along = 0, turned[3];
        for (int c = 0; c < 3; c++) {
            d[c] = x[c][i] - origin[c];
            along += d[c] * axis[c];
        }
        for (int c = 0; c < 3; c++) {
            const double across = axis[(c + 1) % 3] * d[(c + 2) % 3] - axis[(c + 2) % 3] * d[(c + 1) % 3];
            turned[c] = d[c] * cos(angle) + across * sin(angle) + axis[c] * along * (1 - cos(angle));
        }
        for (int c = 0; c < 3; c++)
            x[c][i] = origin[c] + turned[c];
    }
}

/* Makes the strand of ten alanines, phi -139 and psi 135 degrees, a helix of -57 and -47. */
static void fold(const bench *b, myr_particles *p)
{
    for (int64_t r = 2; r <= 11; r++) {
        const int64_t n = find(b, r, "N"), ca = find(b, r, "CA"), c = find(b, r, "C"), o = find(b, r, "O");
        turn(p, n, ca, find(b, r, "HA"), (-57 + 139) * PI / 180);
        turn(p, ca, c, o, (-47 - 135) * PI / 180);
    }
}

static myr_particles *copy(const bench *b)
{
    myr_particles *p = NULL;
    expect_ok(b->context, myr_snapshot_read(b->context, source_file("examples/helix.inpcrd"), NULL, &p, NULL));
    return p;
}

/* Writes the atoms as a PDB file into the folder MYRIAD_STRUCTURE, for other programs. */
static void write_pdb(const bench *b, const myr_particles *p, const char *name)
{
    char path[512];
    const char *folder = getenv("MYRIAD_STRUCTURE");
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.pdb", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(
        out,
        "HEADER    PEPTIDE                                 01-JAN-00   0XXX\nCRYST1    1.000    1.000    1.000  90.00  "
        "90.00  90.00 P 1           1\n");
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        int64_t residue;
        const char *of = myr_topology_residue(b->t, i, &residue), *atom = myr_topology_atom(b->t, i);
        fprintf(out, "ATOM  %5lld %s%-*s %3s A%4lld    %8.3f%8.3f%8.3f  1.00  0.00           %c\n", (long long)i + 1,
                strlen(atom) < 4 ? " " : "", strlen(atom) < 4 ? 3 : 4, atom, of, (long long)residue,
                myr_particles_component_const(p, "position", 0)[i], myr_particles_component_const(p, "position", 1)[i],
                myr_particles_component_const(p, "position", 2)[i], atom[0]);
    }
    fprintf(out, "END\n");
    fclose(out);
}

/* The ten alanines have six bonds from NH of residue i + 4 to CO of residue i, so that all but the first and the last
 * are in a helix: mkdssp 4.2.2 finds the same six bonds and the same eight residues in the files that write_pdb
 * writes, and neither in the strand. */
static void helix_and_strand(void **state)
{
    (void)state;
    bench b;
    begin(&b, "helix");
    const myr_structure strand = measure(&b, b.p, NULL);
    assert_true(strand.hydrogen_bonds == 0 && strand.helix == 0 && isnan(strand.rmsd));
    myr_particles *folded = copy(&b);
    fold(&b, folded);
    const myr_structure helix = measure(&b, folded, b.p);
    print_message("helix: %g bonds, %g of the residues, %g A from the strand, gyration %g and %g\n",
                  helix.hydrogen_bonds, helix.helix, helix.rmsd, helix.gyration, strand.gyration);
    write_pdb(&b, folded, "helix");
    write_pdb(&b, b.p, "strand");
    assert_true(helix.hydrogen_bonds == 6 && fabs(helix.helix - 0.8) < 1e-15);
    assert_true(helix.gyration < 0.6 * strand.gyration && helix.rmsd > 5);
    assert_true(measure(&b, folded, folded).native_contacts == 1 && measure(&b, b.p, folded).native_contacts == 0);
    myr_particles_destroy(&folded);
    end(&b);
}

/* A copy that is turned and moved is at no distance; one that is stretched along an axis as well, at the distance that
 * the stretch alone has if it does not turn. */
static void best_fit(void **state)
{
    (void)state;
    bench b;
    begin(&b, "helix");
    myr_particles *moved = copy(&b);
    turn(moved, 3, 40, 0, 2.3);
    turn(moved, 60, 11, 0, -1.1);
    for (int64_t i = 0; i < myr_particles_count(moved); i++)
        myr_particles_component(moved, "position", 1)[i] += 17;
    expect_below("a moved copy", measure(&b, moved, b.p).rmsd, 2e-6); /* seen 2e-7: a difference of 1e5 A^2 */
    /* a mirror image cannot be turned into the original */
    for (int64_t i = 0; i < myr_particles_count(moved); i++)
        myr_particles_component(moved, "position", 0)[i] *= -1;
    assert_true(measure(&b, moved, b.p).rmsd > 0.3);
    myr_particles_destroy(&moved);
    end(&b);
}

/* Two atoms of masses 1 and 3 at distance 4: gyration 4 (3/16)^(1/2); apart by 5 in the reference: half a unit each. */
static void two_atoms(void **state)
{
    (void)state;
    const double x[6] = {0, 0, 0, 0, 4, 0}, y[6] = {7, 0, 0, 7, 0, 5};
    myr_context *context = new_context();
    myr_topology *t = NULL;
    myr_structure s;
    expect_ok(context, myr_topology_create(context, 2, 1, &t));
    for (int i = 0; i < 2; i++) {
        const myr_topology_atom_info info = {"X", "MOL", 1, 0, i ? 3 : 1, 0};
        expect_ok(context, myr_topology_set_atom(t, i, &info));
    }
    expect_ok(context, myr_topology_finish(t, 2, 1.2));
    myr_particles *p = new_particles(context, 2), *q = new_particles(context, 2);
    set_field(p, "position", 3, x);
    set_field(q, "position", 3, y);
    expect_ok(context, myr_topology_measure(t, p, q, &s));
    expect_near("gyration", s.gyration, sqrt(3), 1e-15);
    expect_near("deviation", s.rmsd, 0.5, 1e-14);
    assert_true(isnan(s.helix) && s.hydrogen_bonds == 0);
    myr_particles *three = new_particles(context, 3);
    assert_int_equal(myr_topology_measure(t, three, NULL, &s), MYR_ERROR_VALUE);
    myr_particles_destroy(&three);
    myr_particles_destroy(&p);
    myr_particles_destroy(&q);
    myr_topology_destroy(&t);
    myr_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helix_and_strand),
        cmocka_unit_test(best_fit),
        cmocka_unit_test(two_atoms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
