/* test_born.c - generalised Born: the Born ion and a pair of ions in closed form, the integral over a sphere against
 * quadrature, energies of a peptide against AMBER's, forces against differences of energies, and the bits of the sums.
 */
#include <inttypes.h>

#include "physics/physics.h"
#include "source_file.h"

#define COULOMB (18.2223 * 18.2223)
#define WATER 78.5
#define OFFSET 0.09

static const char *const models[] = {"hct", "obc1", "obc2"};
enum { MODELS = 3, ATOMS_MOST = 32 };

/* A molecule without bonds and without Lennard-Jones, made atom by atom. */
typedef struct {
    myr_context *context;
    myr_topology *t;
    myr_particles *p;
    myr_interaction *f;
    myr_molecule *m;
    int n;
} bench;

typedef struct {
    double charge, radius, screen, x[3];
} atom;

static void begin(bench *b, const atom *atoms, int n, const char *accumulator, const char *arithmetic)
{
    double x[3 * ATOMS_MOST];
    b->n = n;
    b->context = new_context();
    expect_ok(b->context,
              myr_context_set_threads(b->context, 1)); /* threads would wait for each other most of the time */
    expect_ok(b->context, myr_topology_create(b->context, n, 1, &b->t));
    for (int i = 0; i < n; i++) {
        const myr_topology_atom_info info = {"X", "MOL", 1, 0, 12, atoms[i].charge};
        expect_ok(b->context, myr_topology_set_atom(b->t, i, &info));
        expect_ok(b->context, myr_topology_set_radius(b->t, i, atoms[i].radius, atoms[i].screen));
        memcpy(x + 3 * i, atoms[i].x, sizeof atoms[i].x);
    }
    expect_ok(b->context, myr_topology_finish(b->t, 2, 1.2));
    b->p = new_particles(b->context, n);
    set_field(b->p, "position", 3, x);
    expect_ok(b->context, myr_topology_apply(b->t, b->p));
    b->f = new_interaction(b->context, "ljc_constant", arithmetic);
    expect_ok(b->context, myr_interaction_choose(b->f, "accumulator", accumulator));
    expect_ok(b->context, myr_molecule_create(b->t, b->f, MYR_EXCLUDE_ON_THE_FLY, &b->m));
}

static void end(bench *b)
{
    myr_molecule_destroy(&b->m);
    myr_interaction_destroy(&b->f);
    myr_particles_destroy(&b->p);
    myr_topology_destroy(&b->t);
    myr_context_destroy(&b->context);
}

static void solvate(bench *b, const char *model, double salt, int surface)
{
    const myr_solvent solvent = {model, salt, surface};
    expect_ok(b->context, myr_molecule_set_solvent(b->m, &solvent));
}

static int term(const char *name)
{
    int k = 0;
    while (strcmp(myr_molecule_term(k), name) != 0)
        k++;
    return k;
}

static double energy(bench *b, const char *name)
{
    double e[MYR_MOLECULE_TERMS];
    expect_ok(b->context, myr_molecule_energies(b->m, b->p, e));
    return e[term(name)];
}

/* --- closed forms ------------------------------------------------------------------------------------------------- */

/* One ion: the Born radius is the reduced radius, and the energy Born's; with salt, screened at that distance. */
static void born_ion(void **state)
{
    (void)state;
    const atom ion = {2, 1.7, 0.8, {0.3, -0.4, 5}};
    const double radius = 1.7 - OFFSET;
    for (int k = 0; k < MODELS; k++)
        for (int salt = 0; salt < 2; salt++) {
            bench b;
            double found;
            const double kappa = 0.73 * sqrt(0.10806 * 0.15 * salt);
            begin(&b, &ion, 1, "fixed", "double");
            solvate(&b, models[k], 0.15 * salt, 1);
            const double born = -0.5 * COULOMB * 4 * (1 - exp(-kappa * radius) / WATER) / radius;
            expect_near(models[k], energy(&b, "gb"), born, 1e-12 * fabs(born)); /* seen 1.4e-16 */
            const double area = 4 * PI * 0.0054 * 3.1 * 3.1 * pow(1.7 / radius, 6);
            expect_near("surface", energy(&b, "surface"), area, 1e-12 * area);
            expect_ok(b.context, myr_molecule_born_radii(b.m, b.p, &found));
            expect_near("radius", found, radius, 1e-15);
            end(&b);
        }
}

/* Two ions, far apart: two Born ions in a continuum; the error is that of the radii, s^3/(3 r^4) of 1/B. */
static void far_pair(void **state)
{
    (void)state;
    const double r = 2000;
    const atom ions[2] = {{1, 1.5, 0.8, {0, 0, 0}}, {-2, 2.0, 0.7, {0, 0, r}}};
    for (int k = 0; k < MODELS; k++) {
        bench b;
        begin(&b, ions, 2, "fixed", "double");
        solvate(&b, models[k], 0, 0);
        const double self = 1 / (1.5 - OFFSET) + 4 / (2.0 - OFFSET);
        const double born = -0.5 * COULOMB * (1 - 1 / WATER) * (self + 2 * -2 / r);
        expect_near(models[k], energy(&b, "gb"), born, 1e-9); /* seen 1e-11 */
        end(&b);
    }
}

/* Two charges of given radii, ever nearer: at contact they are one Born ion with the sum of the charges. */
static void contact_pair(void **state)
{
    (void)state;
    static const double charge[2] = {1.5, -0.5}, radius[2] = {2, 2};
    for (int k = 1; k <= 3; k++) {
        const double r = pow(10, -2 * k), x[6] = {1, 1, 1, 1, 1, 1 + r};
        myr_context *context = new_context();
        myr_particles *p = new_particles(context, 2);
        set_field(p, "position", 3, x);
        set_field(p, "charge", 1, charge);
        set_field(p, "born_radius", 1, radius);
        evaluate(context, "gb_force_potential", "double", NULL, 0, p, p);
        const double sum = 0.5 * (result(p, "potential", 0)[0] + result(p, "potential", 0)[1]);
        const double one = -0.5 * 1 * (1 - 1 / WATER) / 2;
        expect_near("contact", sum, one, 0.2 * r * r); /* seen 0.07 r^2 */
        myr_particles_destroy(&p);
        myr_context_destroy(&context);
    }
}

/* --- the integral ------------------------------------------------------------------------------------------------- */

/* The part of the sphere of radius x around the origin that is inside the sphere of radius s at distance r. */
static double part_inside(double x, double r, double s)
{
    if (x < s - r)
        return 1;
    if (x < fabs(r - s) || x > r + s)
        return 0;
    return 0.5 * (1 - (x * x + r * r - s * s) / (2 * r * x));
}

static double integrate(double from, double to, double r, double s)
{
    enum { NODES = 40 };
    double sum = 0;
    for (int k = 0; k < NODES && to > from; k++) {
        double weight;
        const double x = 0.5 * (from + to) + 0.5 * (to - from) * gauss_node(NODES, k, &weight);
        sum += 0.5 * (to - from) * weight * part_inside(x, r, s) / (x * x);
    }
    return sum;
}

/* The integral of 1/(4 pi x^4) over the part of the sphere outside rho, in shells around the origin. */
static double two_spheres(double r, double rho, double s)
{
    const double kink = fabs(s - r), top = r + s;
    return integrate(rho, fmin(kink, top), r, s) * (s > r) + integrate(fmax(rho, kink), top, r, s);
}

/* Apart, touching, overlapping, one inside the other, either way, and nothing outside. */
static void integral_against_quadrature(void **state)
{
    (void)state;
    static const double cases[][3] = {{9, 1.2, 1.1},   {3, 1.2, 1.1},   {2.3, 1.2, 1.1}, {1.1, 1.5, 1.2},
                                      {0.4, 0.8, 1.5}, {0.9, 0.6, 2.0}, {0.2, 2.0, 1.0}, {0.5, 1.2, 1.5}};
    double worst[ARITHMETICS] = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int a = 0; a < ARITHMETICS; a++) {
            const double r = cases[k][0], x[6] = {0, 0, 0, 0, r, 0}, rho[2] = {cases[k][1], 1},
                         s[2] = {0.5, cases[k][2]};
            const double right = two_spheres(r, rho[0], s[1]);
            myr_context *context = new_context();
            myr_particles *p = new_particles(context, 2);
            set_field(p, "position", 3, x);
            set_field(p, "gb_radius", 1, rho);
            set_field(p, "gb_screened", 1, s);
            evaluate(context, "gb_integral", arithmetics[a], NULL, 0, p, p);
            keep_largest(&worst[a], fabs(result(p, "gb_integral", 0)[0] - right));
            myr_particles_destroy(&p);
            myr_context_destroy(&context);
        }
    for (int a = 0; a < ARITHMETICS; a++)
        expect_below(arithmetics[a], worst[a], a < 3 ? 2e-7 : 1e-14); /* seen 6e-8, 3e-15 */
}

/* --- a peptide ---------------------------------------------------------------------------------------------------- */

/* The 25 atoms of ACE-ASH-NME. */
static void read_peptide(atom atoms[25])
{
    char line[200];
    FILE *f = fopen(source_file("tests/data/born_ash.csv"), "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_non_null(fgets(line, sizeof line, f));
    for (int i = 0; i < 25; i++) {
        atom *a = &atoms[i];
        assert_int_equal(
            fscanf(f, "%lf,%lf,%lf,%lf,%lf,%lf", &a->charge, &a->radius, &a->screen, &a->x[0], &a->x[1], &a->x[2]), 6);
        a->charge /= 18.2223;
    }
    fclose(f);
}

/* EGB of AMBER's sander in kcal/mol, with four decimals: test/test_openmm_amber.py of ParmEd, in the comments and sums
 * of test_gb1_energy, test_gb2_energy and test_gb5_energy, without salt and with 1 mol/l. */
static void peptide_against_amber(void **state)
{
    (void)state;
    static const double amber[MODELS][2] = {{-26.4850, -26.5051}, {-28.1689, -28.1895}, {-25.4639, -25.4835}};
    atom atoms[25];
    read_peptide(atoms);
    for (int k = 0; k < MODELS; k++)
        for (int salt = 0; salt < 2; salt++) {
            bench b;
            begin(&b, atoms, 25, "fixed", "double");
            solvate(&b, models[k], salt, 0);
            expect_near(models[k], energy(&b, "gb"), amber[k][salt],
                        6e-5); /* half a unit of the last digit, and 1e-5 */
            end(&b);
        }
}

static double total(bench *b)
{
    double e[MYR_MOLECULE_TERMS];
    expect_ok(b->context, myr_molecule_energies(b->m, b->p, e));
    return e[term("gb")] + e[term("surface")];
}

/* The derivative by differences of fourth order. */
static double slope(bench *b, int c, int i)
{
    static const double weight[4] = {1, -8, 8, -1}, place[4] = {-2, -1, 1, 2};
    const double h = 1e-3;
    double *x = &myr_particles_component(b->p, "position", c)[i], sum = 0;
    const double here = *x;
    for (int k = 0; k < 4; k++) {
        *x = here + place[k] * h;
        sum += weight[k] * total(b);
    }
    *x = here;
    return sum / (12 * h);
}

/* Copies the forces of the solvent: those with it less those without it. */
static void solvent_forces(bench *b, const char *model, double salt, int surface, double *force)
{
    double *f[3];
    expect_ok(b->context, myr_molecule_set_solvent(b->m, NULL));
    expect_ok(b->context, myr_molecule_evaluate(b->m, b->p));
    for (int c = 0; c < 3; c++) {
        f[c] = myr_particles_component(b->p, "force", c);
        for (int i = 0; i < b->n; i++)
            force[3 * i + c] = -f[c][i];
    }
    solvate(b, model, salt, surface);
    expect_ok(b->context, myr_molecule_evaluate(b->m, b->p));
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < b->n; i++)
            force[3 * i + c] += f[c][i];
}

static void forces_against_energies(void **state)
{
    (void)state;
    atom atoms[25];
    read_peptide(atoms);
    for (int k = 0; k < MODELS; k++) {
        bench b;
        double force[75], worst = 0, largest = 0;
        begin(&b, atoms, 25, "fixed", "double");
        solvent_forces(&b, models[k], 0.15, 1, force);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 25; i++) {
                worst = fmax(worst, fabs(force[3 * i + c] + slope(&b, c, i)));
                largest = fmax(largest, fabs(force[3 * i + c]));
            }
        assert_true(largest > 1);
        expect_below(models[k], worst / largest, 1e-9); /* seen 3e-10 */
        end(&b);
    }
}

/* The sums of the three kernels are exact: the same bits for any number of threads, and no net force. */
static void sums_are_exact(void **state)
{
    (void)state;
    atom atoms[25];
    read_peptide(atoms);
    for (int a = 1; a < ARITHMETICS; a++) {
        double force[2][75], largest = 0;
        for (int threads = 1; threads <= 2; threads++) {
            bench b;
            begin(&b, atoms, 25, "fixed", arithmetics[a]);
            expect_ok(b.context, myr_context_set_threads(b.context, threads));
            solvate(&b, "obc2", 0.15, 1);
            expect_ok(b.context, myr_molecule_evaluate(b.m, b.p));
            for (int c = 0; c < 3; c++) {
                double net = 0;
                for (int i = 0; i < 25; i++) {
                    force[threads - 1][3 * i + c] = myr_particles_component(b.p, "force", c)[i];
                    net += force[threads - 1][3 * i + c];
                    largest = fmax(largest, fabs(force[threads - 1][3 * i + c]));
                }
                expect_near("net force", net, 0, a < 3 ? 0 : 2e-13); /* in double sums have more digits than a double */
            }
            end(&b);
        }
        assert_true(largest > 1);
        assert_memory_equal(force[0], force[1], sizeof force[0]);
    }
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void expect_refused(bench *b, const char *model, double salt, const char *words)
{
    const myr_solvent solvent = {model, salt, 0};
    assert_int_not_equal(myr_molecule_set_solvent(b->m, &solvent), MYR_OK);
    if (!strstr(myr_context_message(b->context), words))
        fail_msg("'%s' does not say '%s'", myr_context_message(b->context), words);
}

static void refused(void **state)
{
    (void)state;
    const atom ion = {1, 1.7, 0.8, {0, 0, 0}};
    bench b;
    begin(&b, &ion, 1, "fixed", "double");
    expect_refused(&b, "gbn2", 0, "hct, obc1 and obc2");
    expect_refused(&b, "obc2", -1, "-1 mol/l");
    assert_int_equal(myr_topology_set_radius(b.t, 0, 0.05, 0.8), MYR_ERROR_VALUE);
    myr_topology_destroy(&b.t);
    myr_molecule_destroy(&b.m);
    myr_interaction_destroy(&b.f);
    const myr_topology_atom_info info = {"X", "MOL", 1, 0, 12, 1};
    expect_ok(b.context, myr_topology_create(b.context, 1, 1, &b.t));
    expect_ok(b.context, myr_topology_set_atom(b.t, 0, &info));
    expect_ok(b.context, myr_topology_finish(b.t, 2, 1.2));
    b.f = new_interaction(b.context, "ljc_constant", "double");
    expect_ok(b.context, myr_molecule_create(b.t, b.f, MYR_EXCLUDE_ON_THE_FLY, &b.m));
    expect_refused(&b, "obc2", 0, "RADII and SCREEN");
    end(&b);
}

static void needs_constant_dielectric(void **state)
{
    (void)state;
    const atom ion = {1, 1.7, 0.8, {0, 0, 0}};
    bench b;
    begin(&b, &ion, 1, "fixed", "double");
    myr_molecule_destroy(&b.m);
    myr_interaction_destroy(&b.f);
    b.f = new_interaction(b.context, "ljc_linear", "double");
    expect_ok(b.context, myr_molecule_create(b.t, b.f, MYR_EXCLUDE_ON_THE_FLY, &b.m));
    expect_refused(&b, "obc2", 0, "already stands for the solvent");
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(born_ion),
        cmocka_unit_test(far_pair),
        cmocka_unit_test(contact_pair),
        cmocka_unit_test(integral_against_quadrature),
        cmocka_unit_test(peptide_against_amber),
        cmocka_unit_test(forces_against_energies),
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(refused),
        cmocka_unit_test(needs_constant_dielectric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
