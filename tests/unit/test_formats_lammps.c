/* test_formats_lammps.c - data files and dumps of LAMMPS: every bit comes back, files of others, and what is said of
 * bad ones. */
#include "unit/formats.h"

static const formats_field atomic[] = {{"position", 3, 0}, {"velocity", 3, 0}, {0, 0, 0}};
static const formats_field full[] = {{"position", 3, 0}, {"velocity", 3, 0}, {"charge", 1, 0}, {0, 0, 0}};
static const formats_field everything[] = {{"position", 3, 0}, {"velocity", 3, 0}, {"force", 3, 0}, {"mass", 1, 0},
                                           {"charge", 1, 0},   {"radius", 1, 0},   {0, 0, 0}};
static const int32_t types[] = {0, 2, 1};

/* Numbers that must be whole, and those that all particles of a type share. */
static void add_whole(myr_particles *p, const char *name, int components)
{
    assert_int_equal(myr_particles_add_field(p, name, components), MYR_OK);
    for (int c = 0; c < components; c++)
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            myr_particles_component(p, name, c)[i] = (double)((i * 7 + c) % 11 - 5);
}

static void add_of_type(myr_particles *p, const char *name, double first)
{
    assert_int_equal(myr_particles_add_field(p, name, 1), MYR_OK);
    for (int64_t i = 0; i < myr_particles_count(p); i++)
        myr_particles_component(p, name, 0)[i] = first + 1 / (3.0 + myr_particles_types(p)[i]);
}

static void there_and_back(scratch *s, const myr_particles *p, const char *name, const myr_snapshot_header *header)
{
    myr_particles *q = NULL;
    myr_snapshot_header back;
    if (myr_snapshot_write(p, scratch_path(s, name), NULL, NULL, header) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    if (myr_snapshot_read(s->context, s->path, NULL, &q, &back) != MYR_OK)
        fail_msg("%s", myr_context_message(s->context));
    formats_same(p, q, 1);
    assert_true(back.time == header->time);
    for (int c = 0; c < 3; c++) {
        assert_true(back.origin[c] == header->origin[c]);
        assert_true(fabs(back.box[c] - header->box[c]) <= 2e-16 * (fabs(header->box[c]) + fabs(header->origin[c])));
    }
    myr_particles_destroy(&q);
}

static void test_data_round_trip(void **state)
{
    (void)state;
    static const myr_snapshot_header headers[] = {
        {.time = 0.1, .box = {1, 2.5, 1e300}}, {.box = {3, 0, 5}, .origin = {-1, 0, 1.0 / 3}}, {.time = -3}};
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 12; k++) {
        myr_particles *p = formats_make(&s, k == 11 ? 5000 : k, types, 3, k % 2 ? atomic : full, 64, 0);
        for (int64_t i = 0; i < myr_particles_count(p);
             i++) /* bounds of an axis that is not periodic must be numbers */
            for (int c = 0; c < 3; c++)
                myr_particles_component(p, "position", c)[i] = fmod((double)i * 0.37 + c, 1);
        if (k % 3)
            add_whole(p, "image", 3);
        if (k % 4 > 1)
            add_whole(p, "molecule", 1);
        if (k % 5 > 1) {
            add_of_type(p, "mass", 1);
            add_of_type(p, "epsilon", -1);
            add_of_type(p, "sigma", 0);
        }
        there_and_back(&s, p, "a.data", &headers[k % 3]);
        myr_particles_destroy(&p);
    }
    assert_int_equal(s.warnings, 0);
    scratch_end(&s);
}

static void test_dump_round_trip(void **state)
{
    (void)state;
    static const myr_snapshot_header headers[] = {{.box = {1, 2.5, 1e300}}, {.box = {3, 0, 5}, .origin = {-1, 0, 0.3}}};
    scratch s;
    scratch_begin(&s);
    for (int k = 0; k < 8; k++) {
        myr_particles *p = formats_make(&s, k == 7 ? 5000 : k, types, 3, k % 2 ? atomic : everything, 64, 0);
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            myr_particles_component(p, "position", 1)[i] = (double)i;
        add_whole(p, "image", 3);
        add_whole(p, "molecule", 1);
        there_and_back(&s, p, "a.lammpstrj", &headers[k % 2]);
        myr_particles_destroy(&p);
    }
    assert_int_equal(s.warnings, 0);
    scratch_end(&s);
}

static void test_dump_frames(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p[3];
    myr_snapshot_header header[3];
    scratch_begin(&s);
    for (int k = 0; k < 3; k++) {
        p[k] = formats_make(&s, 5 + k, types, 3, atomic, 64, 0);
        header[k] = (myr_snapshot_header){.box = {1 + k, 2, 3}};
    }
    assert_int_equal(
        myr_snapshot_write_frames(3, (const myr_particles *const *)p, scratch_path(&s, "a.dump"), NULL, NULL, header),
        MYR_OK);
    for (int k = -3; k < 3; k++) {
        myr_particles *q = NULL;
        myr_snapshot_header back;
        assert_int_equal(myr_snapshot_read_frame(s.context, s.path, NULL, k, &q, &back), MYR_OK);
        assert_int_equal(back.frames, 3);
        assert_int_equal(back.frame, (k + 3) % 3);
        assert_true(back.box[0] == 1 + (k + 3) % 3);
        formats_same(p[(k + 3) % 3], q, 1);
        myr_particles_destroy(&q);
    }
    for (int k = 0; k < 3; k++)
        myr_particles_destroy(&p[k]);
    scratch_end(&s);
}

static myr_status read_text(scratch *s, const char *format, const char *text, myr_particles **p,
                            myr_snapshot_header *header)
{
    scratch_store(scratch_path(s, "file"), text, strlen(text));
    s->warnings = 0;
    return myr_snapshot_read(s->context, s->path, format, p, header);
}

/* As LAMMPS writes it: velocities in another order, comments, bonds, coefficients, units in the title. */
static void test_data_of_others(void **state)
{
    (void)state;
    static const char text[] =
        "LAMMPS data file via write_data, version 2 Aug 2023, timestep = 100, units = metal\r\n\r\n"
        "3 atoms\n2 atom types # two\n1 bonds\n1 bond types\n\n-1.5 1.5 xlo xhi\n0 4.0 ylo yhi\n0 5 zlo zhi\n"
        "0 0 0 xy xz yz\n\nMasses\n\n1 15.9994 # O\n2 1.008 # H\n\n"
        "Pair Coeffs # lj/cut/coul/long\n\n1 2 3.5 10\n2 1 2.5\n\nBond Coeffs # harmonic\n\n1 450 1\n\n"
        "Atoms # full\n\n7 1 1 -0.8 0.5 1 2 0 0 -1\n3 1 2 0.4 1 1 2 0 0 0\n5 2 2 0.4 -1 1 2 1 0 0\n\n"
        "Velocities\n\n3 1 2 3\n5 4 5 6\n7 7 8 9\n\nBonds\n\n1 1 7 3\n";
    scratch s;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    if (read_text(&s, NULL, text, &p, &header) != MYR_OK)
        fail_msg("%s", myr_context_message(s.context));
    assert_int_equal(s.warnings, 2); /* Bond Coeffs and Bonds */
    assert_non_null(strstr(s.warning, "the section Bonds is left out"));
    const int64_t ids[] = {6, 2, 4};
    assert_memory_equal(myr_particles_ids(p), ids, sizeof ids);
    assert_true(header.box[0] == 3 && header.origin[0] == -1.5 && header.box[2] == 5 && header.unit_time == 1e-12);
    assert_true(myr_particles_types(p)[0] == 0 && myr_particles_types(p)[1] == 1);
    assert_true(myr_particles_component(p, "mass", 0)[0] == 15.9994);
    assert_true(myr_particles_component(p, "charge", 0)[0] == -0.8);
    assert_true(myr_particles_component(p, "molecule", 0)[2] == 2);
    assert_true(myr_particles_component(p, "image", 2)[0] == -1 && myr_particles_component(p, "image", 0)[2] == 1);
    assert_true(myr_particles_component(p, "velocity", 0)[0] == 7 && myr_particles_component(p, "velocity", 0)[1] == 1);
    assert_true(myr_particles_component(p, "sigma", 0)[0] == 3.5);
    /* 2 eV in u A^2 / ps^2 */
    assert_true(fabs(myr_particles_component(p, "epsilon", 0)[0] - 2 * 9648.5332) < 1e-3);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

#define BOX "0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n"
#define ONE "t\n\n1 atoms\n1 atom types\n" BOX

static void test_data_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"t\n\n1 atom types\n" BOX, "the header ends without the number of atoms"},
        {"t\n\n1 atoms\n" BOX, "the header ends without the number of atom types"},
        {"t\n\n1 atoms\n1 atom types\n0 1 xlo xhi\n", "without the bounds of the box: ylo yhi"},
        {"t\n\n9000 atoms\n", ":3:1: the file says that it has 9000 atoms, but only"},
        {"t\n\n1 atoms\n99999999 atom types\n", ":4:1: there can be 1 to 65536 atom types"},
        {"t\n\n0.5 apples\n", ":3:1: this line of the header is not known"},
        {"t\n\n1 1 xlo xhi\n", ":3:1: the box needs xlo < xhi"},
        {ONE "0 0.1 0 xy xz yz\n", ":8:1: the box is triclinic (xy xz yz)"},
        {ONE "Atoms # sphere\n\n1 1 0.5 1 0 0 0\n", "the atom style 'sphere' cannot be read; those are atomic, charge"},
        {ONE "\nAtoms\n\n1 1 0.5 0 0 0\n", ":11:1: the atom style can be charge or molecular: write 'Atoms # charge'"},
        {ONE "\nAtoms\n\n1 1 0.5\n", "or 7 (full) columns, or 3 more with images, not 3"},
        {ONE "\nAtoms # atomic\n\n1 1 0 0\n", ":11:8: this line ends too early: a number was expected"},
        {ONE "\nAtoms # atomic\n\n1 1 0 0 x\n", ":11:9: a number was expected"},
        {ONE "\nAtoms # atomic\n\n1 1 0 0 0 0\n", ":11:11: the line should end here"},
        {ONE "\nAtoms # atomic\n\n1 2 0 0 0\n", ":11:3: atom type out of range"},
        {ONE "\nAtoms # atomic\n\n0 1 0 0 0\n", ":11:1: id out of range"},
        {ONE "\nAtoms # atomic\n\n1 1.5 0 0 0\n", ":11:4: a blank was expected: the atom type is a whole number"},
        {ONE "\nAtoms # atomic\n\n\nVelocities\n\n1 0 0 0\n", ":12:1: the section Atoms ends after 0 of 1 lines"},
        {ONE "\nMasses\n\n1 -5\n", ":11:5: a mass cannot be negative"},
        {ONE "\nMasses\n\n1 5 5\n", ":11:5: the line should end here"},
        {ONE "\nVelocities\n\n1 0 0 0\n", "the section Velocities must come after Atoms"},
        {ONE "\nAtoms\n\n1 1 0 0 0\n\nVelocities\n\n2 0 0 0\n", ":15:1: there is no atom 2 in the section Atoms"},
        {ONE "\nAtoms\n\n1 1 0 0 0\n\nAtoms\n\n1 1 0 0 0\n", "the section Atoms is there already"},
        {ONE "\nAtoms\n\n1 1 0 0 0\n7 7\n", ":12:1: the name of a section was expected"},
        {ONE "\nMasses\n\n1 5\n", "the file ends without a section Atoms"},
        {ONE "\nAtoms\n\n1 1 0 nan 0\n", "1 value that is not finite in 'position'"},
        {"t\n\n2 atoms\n1 atom types\n" BOX "\nAtoms\n\n1 1 0 0 0\n1 1 0 0 0\n", "id 0"},
        {"t\n\n2 atoms\n2 atom types\n" BOX "\nMasses\n\n1 1\n1 1\n\nAtoms\n\n1 1 0 0 0\n2 2 0 0 0\n",
         "has no mass for atom type 2"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        myr_particles *p = NULL;
        assert_int_equal(read_text(&s, "lammps_data", bad[k].text, &p, NULL), MYR_ERROR_FORMAT);
        assert_null(p);
        scratch_says(&s, bad[k].says);
    }
    scratch_end(&s);
}

#define FRAME "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp ff\n-1 1\n0 4\n0 1\n"

/* Scaled and unfolded positions, columns that we do not know, units and time as newer LAMMPS writes them. */
static void test_dump_of_others(void **state)
{
    (void)state;
    scratch s;
    myr_particles *p = NULL;
    myr_snapshot_header header;
    scratch_begin(&s);
    assert_int_equal(read_text(&s, NULL,
                               "ITEM: UNITS\nlj\nITEM: TIME\n0.25\n" FRAME
                               "ITEM: ATOMS id type xs ys zs element c_1[2]\n4 2 0.75 0.5 1 Ar 7.5\n",
                               &p, &header),
                     MYR_OK);
    assert_int_equal(header.step, 5);
    assert_true(header.time == 0.25 && header.box[0] == 2 && header.box[2] == 0 && header.origin[0] == -1);
    assert_int_equal(s.warnings, 1);
    assert_non_null(strstr(s.warning, "columns that are left out: element, c_1[2]"));
    assert_true(myr_particles_ids(p)[0] == 3 && myr_particles_types(p)[0] == 1);
    assert_true(myr_particles_component(p, "position", 0)[0] == 0.5 &&
                myr_particles_component(p, "position", 1)[0] == 2);
    myr_particles_destroy(&p);
    assert_int_equal(read_text(&s, NULL, FRAME "ITEM: ATOMS xu yu zu\n9 8 7\n", &p, &header), MYR_OK);
    assert_true(myr_particles_component(p, "position", 0)[0] == 9 && myr_particles_fields(p) == 1);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

static void test_dump_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"ITEM: TIMESTEP\nx\n", ":2:1: an integer was expected"},
        {"ITEM: TIMESTEP\n5\nfoo\n", ":3:1: a line that starts with 'ITEM: ' was expected"},
        {"ITEM: TIMESTEP\n5\nITEM: NUMBER OF GRID CELLS\n", "'NUMBER OF GRID CELLS' is not an item of a dump of atoms"},
        {"ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n99\n", ":4:1: this frame says that it has 99 atoms, but only 1"},
        {"ITEM: TIMESTEP\n5\nITEM: ATOMS id\n", "the frame has no NUMBER OF ATOMS before its atoms"},
        {"ITEM: TIMESTEP\n5\n", "the file is cut short: a frame ends before its atoms"},
        {"ITEM: TIMESTEP\n5\nITEM: BOX BOUNDS xy xz yz pp pp pp\n0 1 0.5\n", "the box is triclinic"},
        {"ITEM: TIMESTEP\n5\nITEM: BOX BOUNDS abc origin pp pp pp\n", "the box is triclinic"},
        {"ITEM: TIMESTEP\n5\nITEM: BOX BOUNDS pp pp pp\n1 0\n", ":4:1: the box needs xlo < xhi"},
        {FRAME "ITEM: ATOMS id x y\n1 0 0\n", "have 2 of the 3 components of the position"},
        {FRAME "ITEM: ATOMS id x y z xs\n1 0 0 0 0\n", "have position twice: the second is 'xs'"},
        {FRAME "ITEM: ATOMS id q\n1\n", ":10:2: this line ends after 1 of 2 values"},
        {FRAME "ITEM: ATOMS id q\n1 2 3\n", ":10:5: the line should end here"},
        {FRAME "ITEM: ATOMS id q\n0 2\n", ":10:1: id out of range"},
        {FRAME "ITEM: ATOMS id q\n-55555555555555555555 2\n", ":10:1: id out of range"},
        {FRAME "ITEM: ATOMS id q\n", "the file is cut short: this frame has 0 of 1 atom"},
        {FRAME "ITEM: ATOMS id q\n1 1e\n", ":10:4: a blank was expected"},
    };
    scratch s;
    scratch_begin(&s);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        myr_particles *p = NULL;
        const myr_status status = read_text(&s, "lammps_dump", bad[k].text, &p, NULL);
        scratch_says(&s, bad[k].says);
        assert_int_equal(status, MYR_ERROR_FORMAT);
        assert_null(p);
    }
    scratch_end(&s);
}

/* What the formats cannot hold is refused by name. */
static void test_refusals(void **state)
{
    (void)state;
    static const char *const name[] = {"a.data", "a.dump"};
    scratch s;
    scratch_begin(&s);
    myr_particles *p = formats_make(&s, 5, types, 1, atomic, 64, 0);
    add_whole(p, "image", 3);
    myr_particles_component(p, "image", 2)[3] = 0.5;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, name[k]), NULL, NULL, NULL), MYR_ERROR_VALUE);
        scratch_says(&s, "needs whole numbers as 'image'");
    }
    myr_particles_component(p, "image", 2)[3] = 1;
    myr_particles_set_ids(p, (const int64_t[]){0, 1, 2, 3, -4});
    for (int k = 0; k < 2; k++) {
        assert_int_equal(myr_snapshot_write(p, scratch_path(&s, name[k]), NULL, NULL, NULL), MYR_ERROR_VALUE);
        scratch_says(&s, "cannot carry id -4");
    }
    myr_particles_set_ids(p, (const int64_t[]){0, 1, 2, 3, 4});
    myr_particles_set(p, "mass", 1, (const double[]){1, 1, 1, 2, 1});
    assert_int_equal(myr_snapshot_write(p, scratch_path(&s, "a.data"), NULL, NULL, NULL), MYR_ERROR_VALUE);
    scratch_says(&s, "one mass for all atoms of a type: ids 0 and 3 of type 0 have 1 and 2");
    assert_int_equal(scratch_entries(&s), 0);
    myr_particles_destroy(&p);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_round_trip), cmocka_unit_test(test_dump_round_trip),
        cmocka_unit_test(test_dump_frames),     cmocka_unit_test(test_data_of_others),
        cmocka_unit_test(test_data_messages),   cmocka_unit_test(test_dump_of_others),
        cmocka_unit_test(test_dump_messages),   cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("formats_lammps", tests, NULL, NULL);
}
