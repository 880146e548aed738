/* test_molecule.c - the force field of alanine dipeptide: energies by term against a plain evaluation written here from
 * the file's own numbers, forces against differences of energies, net force, threads, exclusion algorithms. */
#include "unit/scratch.h"

#include <math.h>

#include <myriad/snapshot.h>

#include "molecular/bonded.h"
#include "molecular/constraint.h"
#include "source_file.h"

/* TERMS: those without a solvent */
enum { ATOMS = 22, TERMS = 7, LAWS = 3 };

static const char *const laws[LAWS] = {"ljc_constant", "ljc_linear", "ljc_sigmoidal"};

typedef struct {
    scratch s;
    myr_topology *t;
    myr_particles *p;
    myr_interaction *f;
    myr_molecule *m;
} bench;

static void begin(bench *b, const char *law, const char *accumulator, const char *arithmetic, myr_exclusion_mode mode)
{
    scratch_begin(&b->s);
    myr_context *c = b->s.context;
    b->t = NULL;
    b->p = NULL;
    b->f = NULL;
    b->m = NULL;
    assert_int_equal(myr_topology_read(c, source_file("examples/alanine.prmtop"), &b->t), MYR_OK);
    assert_int_equal(myr_snapshot_read(c, source_file("examples/alanine.inpcrd"), NULL, &b->p, NULL), MYR_OK);
    assert_int_equal(myr_topology_apply(b->t, b->p), MYR_OK);
    assert_int_equal(myr_interaction_create(c, law, &b->f), MYR_OK);
    assert_int_equal(myr_interaction_choose(b->f, "accumulator", accumulator), MYR_OK);
    assert_int_equal(myr_interaction_choose(b->f, "arithmetic", arithmetic), MYR_OK);
    assert_int_equal(myr_molecule_create(b->t, b->f, mode, &b->m), MYR_OK);
    /* away from the start, in which no bond is stretched */
    for (int k = 0; k < 3; k++) {
        double *x = myr_particles_component(b->p, "position", k);
        for (int i = 0; i < ATOMS; i++)
            x[i] += 0.06 * sin(7.3 * i + 2.1 * k);
    }
}

static void end(bench *b)
{
    myr_molecule_destroy(&b->m);
    myr_interaction_destroy(&b->f);
    myr_particles_destroy(&b->p);
    myr_topology_destroy(&b->t);
    scratch_end(&b->s);
}

/* --- a plain evaluation ------------------------------------------------------------------------------------------- */

static long double dielectric(int law, long double r)
{
    return law == 0   ? 1
           : law == 1 ? 4 * r
                      : expl(1.13613e-3L * r * r * r - 4.49226e-2L * r * r + 0.639672L * r + 0.995210L);
}

typedef struct {
    long double x, y, z;
} vector;

static vector between(const myr_particles *p, int from, int to)
{
    long double d[3];
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, "position", c);
        d[c] = (long double)x[to] - x[from];
    }
    return (vector){d[0], d[1], d[2]};
}

static long double dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vector cross(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double angle(const myr_particles *p, const int32_t *a)
{
    const vector u = between(p, a[1], a[0]), v = between(p, a[1], a[2]);
    return acosl(dot(u, v) / sqrtl(dot(u, u) * dot(v, v)));
}

/* By the sign convention of IUPAC: 0 where the ends eclipse each other. */
static long double torsion(const myr_particles *p, const int32_t *a)
{
    const vector b1 = between(p, a[0], a[1]), b2 = between(p, a[1], a[2]), b3 = between(p, a[2], a[3]);
    const vector n1 = cross(b1, b2), n2 = cross(b2, b3);
    return atan2l(dot(cross(n1, n2), b2) / sqrtl(dot(b2, b2)), dot(n1, n2));
}

static void pair_energy(const bench *b, int law, int i, int j, long double *lj, long double *coulomb)
{
    const vector d = between(b->p, i, j);
    const long double r = sqrtl(dot(d, d));
    const int types = b->t->type[i] * b->t->types + b->t->type[j];
    const long double s6 = powl(b->t->sigma[types] / r, 6);
    *lj = 4 * b->t->epsilon[types] * (s6 * s6 - s6);
    *coulomb = 18.2223L * 18.2223L * b->t->charge[i] * b->t->charge[j] / (dielectric(law, r) * r);
}

static void plain(const bench *b, int law, long double e[TERMS])
{
    const myr_topology *t = b->t;
    long double lj, coulomb;
    for (int k = 0; k < TERMS; k++)
        e[k] = 0;
    for (int k = 0; k < t->bonds; k++) {
        const vector d = between(b->p, t->bond[k].atom[0], t->bond[k].atom[1]);
        e[0] += t->bond[k].k * powl(sqrtl(dot(d, d)) - t->bond[k].length, 2);
    }
    for (int k = 0; k < t->angles; k++)
        e[1] += t->angle[k].k * powl(angle(b->p, t->angle[k].atom) - t->angle[k].theta, 2);
    for (int k = 0; k < t->dihedrals; k++)
        e[2] +=
            t->dihedral[k].k * (1 + cosl(t->dihedral[k].n * torsion(b->p, t->dihedral[k].atom) - t->dihedral[k].phase));
    for (int k = 0; k < t->pairs14; k++) {
        pair_energy(b, law, t->pair14[k].atom[0], t->pair14[k].atom[1], &lj, &coulomb);
        e[3] += lj / 2;
        e[4] += coulomb / 1.2L;
    }
    for (int i = 0; i < ATOMS; i++)
        for (int j = i + 1; j < ATOMS; j++) {
            int excluded = 0;
            for (int64_t k = t->offset[i]; k < t->offset[i + 1]; k++)
                excluded |= t->partner[k] == j;
            pair_energy(b, law, i, j, &lj, &coulomb);
            e[5] += excluded ? 0 : lj;
            e[6] += excluded ? 0 : coulomb;
        }
}

/* Energies by term; measured: 1.6e-15 at most. */
static void test_energies(void **state)
{
    (void)state;
    for (int law = 0; law < LAWS; law++) {
        bench b;
        double got[MYR_MOLECULE_TERMS];
        long double right[TERMS], worst = 0;
        begin(&b, laws[law], "fixed", "single", MYR_EXCLUDE_ON_THE_FLY);
        assert_int_equal(myr_molecule_energies(b.m, b.p, got), MYR_OK);
        plain(&b, law, right);
        for (int k = 0; k < TERMS; k++) {
            const long double off = fabsl(got[k] - right[k]) / fabsl(right[k]);
            worst = off > worst ? off : worst;
            if (off > 3e-15L)
                fail_msg("%s: %s is %.15g, expected %.15Lg", laws[law], myr_molecule_term(k), got[k], right[k]);
        }
        print_message("    %s: largest relative difference of a term %.2Lg\n", laws[law], worst);
        end(&b);
    }
}

/* --- forces ------------------------------------------------------------------------------------------------------- */

/* Only some kinds of terms. */
static void keep_only(myr_topology *t, int term)
{
    t->bonds = term == 0 ? t->bonds : 0;
    t->angles = term == 1 ? t->angles : 0;
    t->dihedrals = term == 2 ? t->dihedrals : 0;
    t->pairs14 = term == 3 || term == 4 ? t->pairs14 : 0;
    for (int k = 0; term != 3 && term != 5 && k < t->types * t->types; k++)
        t->epsilon[k] = 0;
    for (int i = 0; term != 4 && term != 6 && i < t->atoms; i++)
        t->charge[i] = 0;
    if (term == 3 || term == 4) { /* nobody but the 1-4 pairs */
        int32_t all[ATOMS * ATOMS][2];
        int64_t n = 0;
        for (int i = 0; i < ATOMS; i++)
            for (int j = 0; j < i; j++, n++) {
                all[n][0] = i;
                all[n][1] = j;
            }
        assert_int_equal(myr_topology_exclude(t, n, all), MYR_OK);
    }
}

static double total_energy(bench *b)
{
    double e[MYR_MOLECULE_TERMS], sum = 0;
    assert_int_equal(myr_molecule_energies(b->m, b->p, e), MYR_OK);
    for (int k = 0; k < TERMS; k++)
        sum += e[k];
    return sum;
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
        sum += weight[k] * total_energy(b);
    }
    *x = here;
    return sum / (12 * h);
}

/* Every term alone, then all: |F + dE/dx| relative to the largest force. Measured: 1e-10 at most. */
static void test_gradient(void **state)
{
    (void)state;
    for (int law = 0; law < LAWS; law++)
        for (int term = 0; term <= TERMS; term++) {
            bench b;
            double worst = 0, largest = 0;
            if (law > 0 && term < 3)
                continue;
            begin(&b, laws[law], "double", "double", MYR_EXCLUDE_ON_THE_FLY);
            myr_molecule_destroy(&b.m);
            if (term < TERMS)
                keep_only(b.t, term);
            assert_int_equal(myr_topology_apply(b.t, b.p), MYR_OK);
            assert_int_equal(myr_molecule_create(b.t, b.f, MYR_EXCLUDE_ON_THE_FLY, &b.m), MYR_OK);
            assert_int_equal(myr_molecule_evaluate(b.m, b.p), MYR_OK);
            for (int c = 0; c < 3; c++)
                for (int i = 0; i < ATOMS; i++) {
                    const double f = myr_particles_component(b.p, "force", c)[i];
                    worst = fmax(worst, fabs(f + slope(&b, c, i)));
                    largest = fmax(largest, fabs(f));
                }
            print_message("    %-13s %-10s largest force %8.3g, off by %.2g of it\n", laws[law],
                          term < TERMS ? myr_molecule_term(term) : "all", largest, worst / largest);
            assert_true(largest > 0.1 && worst / largest < 6e-10);
            end(&b);
        }
}

/* The bonded forces add up to exactly 0, and so do all of them with fixed and narumi sums; both exclusion algorithms
 * and any number of threads give the same bits. */
static void test_bits(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * LAWS; k++) {
        const int law = k % LAWS, narumi = k / LAWS;
        uint64_t hash[2][2];
        for (int mode = 0; mode < 2; mode++)
            for (int threads = 1; threads <= 2; threads++) {
                bench b;
                begin(&b, laws[law], narumi ? "narumi" : "fixed", "single",
                      mode ? MYR_EXCLUDE_AFTERWARDS : MYR_EXCLUDE_ON_THE_FLY);
                assert_int_equal(myr_context_set_threads(b.s.context, threads), MYR_OK);
                assert_int_equal(myr_interaction_set_scale(b.f, "force", 36), MYR_OK);
                assert_int_equal(myr_molecule_evaluate(b.m, b.p), MYR_OK);
                assert_int_equal(myr_particles_hash(b.p, "force", &hash[mode][threads - 1]), MYR_OK);
                for (int c = 0; c < 3; c++) {
                    double net = 1;
                    assert_int_equal(myr_interaction_net(b.f, "force", c, &net), MYR_OK);
                    assert_true(net == 0);
                }
                end(&b);
            }
        assert_true(hash[0][0] == hash[0][1] && hash[0][0] == hash[1][0] && hash[0][0] == hash[1][1]);
    }
}

static void test_bonded_net(void **state)
{
    (void)state;
    bench b;
    double force[3][ATOMS] = {{0}};
    const double *x[3];
    myr_bonded *bonded = NULL;
    begin(&b, "ljc_linear", "fixed", "single", MYR_EXCLUDE_ON_THE_FLY);
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component(b.p, "position", c);
    assert_int_equal(myr_bonded_create(b.t, b.f, &bonded), MYR_OK);
    assert_int_equal(myr_bonded_evaluate(bonded, 0, x, (double *const[]){force[0], force[1], force[2]}, NULL), MYR_OK);
    for (int c = 0; c < 3; c++) {
        double net = 0, size = 0;
        for (int i = 0; i < ATOMS; i++) { /* multiples of 2^-36 below 2^16: exact */
            net += force[c][i];
            size += fabs(force[c][i]);
        }
        assert_true(net == 0 && size > 10);
    }
    myr_bonded_destroy(&bonded);
    end(&b);
}

/* Bonds to hydrogen keep their lengths, velocities have nothing along them, momentum is kept. Measured: lengths
 * to 1.7e-13, momentum to 1.3e-14. */
static void test_constraints(void **state)
{
    (void)state;
    bench b;
    double x[3][ATOMS], before[3][ATOMS], v[3][ATOMS], inverse[ATOMS], worst = 0, along = 0;
    myr_constraints *k = NULL;
    begin(&b, "ljc_linear", "fixed", "single", MYR_EXCLUDE_ON_THE_FLY);
    assert_int_equal(myr_constraints_create(b.t, &k), MYR_OK);
    assert_int_equal(myr_constraints_count(k), 12);
    for (int i = 0; i < ATOMS; i++)
        inverse[i] = 1 / b.t->mass[i];
    for (int c = 0; c < 3; c++)
        memcpy(x[c], myr_particles_component(b.p, "position", c), sizeof x[c]);
    double *const to[3] = {x[0], x[1], x[2]}, *const speed[3] = {v[0], v[1], v[2]};
    const double *const from[3] = {before[0], before[1], before[2]};
    memcpy(before, x, sizeof x);
    assert_int_equal(myr_constraints_positions(k, inverse, from, to), MYR_OK); /* first onto the lengths */
    memcpy(before, x, sizeof x);
    double momentum[3] = {0}, size = 0;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < ATOMS; i++) {
            v[c][i] = sin(3.1 * i + c);
            x[c][i] += 0.1 * v[c][i];
        }
    assert_int_equal(myr_constraints_positions(k, inverse, from, to), MYR_OK);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < ATOMS; i++)
            momentum[c] += b.t->mass[i] * (x[c][i] - before[c][i] - 0.1 * v[c][i]);
    assert_int_equal(myr_constraints_velocities(k, inverse, (const double *const *)to, speed), MYR_OK);
    for (int n = 0; n < b.t->bonds; n++) {
        const myr_bond *bond = &b.t->bond[n];
        double r2 = 0, vr = 0;
        for (int c = 0; c < 3 && bond->hydrogen; c++) {
            const double d = x[c][bond->atom[0]] - x[c][bond->atom[1]];
            r2 += d * d;
            vr += d * (v[c][bond->atom[0]] - v[c][bond->atom[1]]);
        }
        worst = bond->hydrogen ? fmax(worst, fabs(sqrt(r2) / bond->length - 1)) : worst;
        along = fmax(along, fabs(vr));
    }
    for (int c = 0; c < 3; c++)
        size = fmax(size, fabs(momentum[c]));
    print_message("    lengths off by %.2g, velocities along bonds %.2g, momentum %.2g\n", worst, along, size);
    assert_true(worst < 1e-12 && along < 2e-13 && size < 1e-13);
    /* an atom thrown over its partner cannot be brought back */
    x[0][0] = 3 * x[0][1] - 2 * x[0][0];
    x[1][0] = 3 * x[1][1] - 2 * x[1][0];
    x[2][0] = 3 * x[2][1] - 2 * x[2][0];
    assert_int_equal(myr_constraints_positions(k, inverse, from, to), MYR_ERROR_NONFINITE);
    scratch_says(&b.s, "(CH3) to hydrogen cannot be kept at their lengths");
    myr_constraints_destroy(&k);
    end(&b);
}

/* What cannot be is told. */
static void test_refused(void **state)
{
    (void)state;
    bench b;
    myr_interaction *f = NULL;
    begin(&b, "ljc_linear", "fixed", "single", MYR_EXCLUDE_ON_THE_FLY);
    myr_molecule_destroy(&b.m);
    assert_int_equal(myr_interaction_create(b.s.context, "lennard_jones", &f), MYR_OK);
    assert_int_not_equal(myr_molecule_create(b.t, f, MYR_EXCLUDE_ON_THE_FLY, &b.m), MYR_OK);
    assert_null(b.m);
    myr_interaction_destroy(&f);
    b.t->periodic = 1;
    assert_int_equal(myr_molecule_create(b.t, b.f, MYR_EXCLUDE_ON_THE_FLY, &b.m), MYR_ERROR_COMBINATION);
    scratch_says(&b.s, "periodic box");
    b.t->periodic = 0;
    assert_int_equal(myr_molecule_create(b.t, b.f, MYR_EXCLUDE_ON_THE_FLY, &b.m), MYR_OK);
    for (int c = 0; c < 3; c++)
        myr_particles_component(b.p, "position", c)[1] = myr_particles_component(b.p, "position", c)[0];
    assert_int_equal(myr_molecule_evaluate(b.m, b.p), MYR_ERROR_NONFINITE);
    scratch_says(&b.s, "a bond with the atoms 2 (CH3) and 1 (HH31)");
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energies),   cmocka_unit_test(test_gradient),    cmocka_unit_test(test_bits),
        cmocka_unit_test(test_bonded_net), cmocka_unit_test(test_constraints), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
