/* charges.h - what the tests of charges in a box share: ions in one line, and Ewald's sums written out: all waves and
 * all images, with a splitting of their own, in double. */
#ifndef MYR_TEST_CHARGES_H
#define MYR_TEST_CHARGES_H

#include "physics/liquid.h"
#include "unit/clouds.h"

enum { IONS = 1024, ION_TYPES = 3 };

/* Ions in a box whose lower corner is not the origin. Each type has its own charge. */
typedef struct {
    int64_t n;
    double edge[3], x[3][IONS], charge[IONS], mass;
    int32_t type[IONS];
    int types;
    double epsilon, sigma, cutoff, tolerance; /* epsilon and sigma of all pairs */
    double coulomb_cutoff, splitting;
    const char *accumulator, *arithmetic, *integrator, *backend;
    const setting *settings;
    myr_molecular_options box;
    int reverse; /* 1 = particles in the reverse order */
} ions;

static const double ions_corner[3] = {-1.1, 0.4, 3.0};

static inline myr_particles *ions_particles(myr_context *context, const ions *l)
{
    myr_particles *p = new_particles(context, l->n);
    int32_t type[IONS];
    int64_t id[IONS];
    expect_ok(context, myr_particles_add_field(p, "position", 3));
    fill_field(p, "mass", l->mass > 0 ? l->mass : 1);
    fill_field(p, "charge", 0);
    for (int64_t k = 0; k < l->n; k++) {
        const int64_t i = l->reverse ? l->n - 1 - k : k;
        for (int c = 0; c < 3; c++)
            myr_particles_component(p, "position", c)[i] = ions_corner[c] + l->x[c][k];
        myr_particles_component(p, "charge", 0)[i] = l->charge[k];
        type[i] = l->type[k];
        id[i] = k;
    }
    expect_ok(context, myr_particles_set_types(p, type));
    expect_ok(context, myr_particles_set_ids(p, id));
    return p;
}

static inline myr_simulation *new_ions(myr_context *context, const ions *l)
{
    double epsilon[ION_TYPES * ION_TYPES], sigma[ION_TYPES * ION_TYPES];
    myr_interaction *f = NULL;
    myr_simulation *s = NULL;
    myr_molecular_options o = l->box;
    expect_ok(context, myr_interaction_create(context, "lennard_jones", &f));
    expect_ok(context, myr_interaction_choose(f, "method", "neighbour"));
    expect_ok(context, myr_interaction_choose(f, "arithmetic", l->arithmetic ? l->arithmetic : "double"));
    expect_ok(context, myr_interaction_choose(f, "accumulator", l->accumulator ? l->accumulator : "fixed"));
    if (l->backend)
        expect_ok(context, myr_interaction_choose(f, "backend", l->backend));
    expect_ok(context, myr_interaction_set(f, "cutoff", l->cutoff));
    for (int k = 0; k < l->types * l->types; k++) {
        epsilon[k] = l->epsilon;
        sigma[k] = l->sigma;
    }
    expect_ok(context, myr_interaction_set_pair(f, "epsilon", l->types, epsilon));
    expect_ok(context, myr_interaction_set_pair(f, "sigma", l->types, sigma));
    expect_ok(context, myr_simulation_create(context, ions_particles(context, l), f, &s));
    expect_ok(context, myr_simulation_choose(s, l->integrator ? l->integrator : "verlet"));
    for (const setting *k = l->settings; k && k->name; k++)
        expect_ok(context, myr_simulation_set(s, k->name, k->value));
    for (int c = 0; c < 3; c++) {
        o.box[c] = l->edge[c];
        o.origin[c] = ions_corner[c];
    }
    o.cut = liquid_cut("smooth");
    o.seed = 1;
    if (!(o.restraint > 0))
        o.restraint_type = -1;
    o.coulomb_tolerance = l->tolerance;
    o.coulomb_cutoff = l->coulomb_cutoff;
    o.coulomb_splitting = l->splitting;
    expect_ok(context, myr_simulation_set_molecular(s, &o));
    return s;
}

/* --- reference ---------------------------------------------------------------------------------------------------- */

/* Energy, virial x_a F_b (xx, yy, zz, yz, xz, xy) and forces. */
typedef struct {
    double energy, virial[6], force[3][IONS];
} ewald_sums;

static const int ewald_first[6] = {0, 1, 2, 1, 0, 0}, ewald_second[6] = {0, 1, 2, 2, 2, 1};

/* Pairs i < j and their images, and images of a particle itself, which count half. */
static inline void ewald_pairs(const ions *l, double a, double reach, ewald_sums *sums)
{
    int most[3];
    for (int c = 0; c < 3; c++)
        most[c] = (int)ceil(reach / l->edge[c]) + 1;
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t j = i; j < l->n; j++)
            for (int image = 0; image < (2 * most[0] + 1) * (2 * most[1] + 1) * (2 * most[2] + 1); image++) {
                const int at[3] = {image % (2 * most[0] + 1) - most[0],
                                   image / (2 * most[0] + 1) % (2 * most[1] + 1) - most[1],
                                   image / (2 * most[0] + 1) / (2 * most[1] + 1) - most[2]};
                double d[3], r2 = 0;
                for (int c = 0; c < 3; c++) {
                    d[c] = l->x[c][i] - l->x[c][j];
                    d[c] += l->edge[c] * (at[c] - nearbyint(d[c] / l->edge[c]));
                    r2 += d[c] * d[c];
                }
                if (!(r2 < reach * reach) || (i == j && !at[0] && !at[1] && !at[2]))
                    continue;
                const double r = sqrt(r2), charges = l->charge[i] * l->charge[j] * (i == j ? 0.5 : 1);
                const double factor = charges * (erfc(a * r) / r + 2 * a / sqrt(PI) * exp(-a * a * r2)) / r2;
                sums->energy += charges * erfc(a * r) / r;
                for (int k = 0; k < 6; k++)
                    sums->virial[k] += factor * d[ewald_first[k]] * d[ewald_second[k]];
                for (int c = 0; c < 3 && i != j; c++) {
                    sums->force[c][i] += factor * d[c];
                    sums->force[c][j] -= factor * d[c];
                }
            }
}

/* One wave and its opposite. */
static inline void ewald_wave(const ions *l, double a, const double k[3], ewald_sums *sums)
{
    static double cosine[IONS], sine[IONS];
    const double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    const double green = 4 * PI / k2 * exp(-k2 / (4 * a * a)) / (l->edge[0] * l->edge[1] * l->edge[2]);
    double re = 0, im = 0;
    for (int64_t i = 0; i < l->n; i++) {
        const double phase = k[0] * l->x[0][i] + k[1] * l->x[1][i] + k[2] * l->x[2][i];
        re += l->charge[i] * (cosine[i] = cos(phase));
        im += l->charge[i] * (sine[i] = sin(phase));
    }
    const double energy = green * (re * re + im * im);
    sums->energy += energy;
    for (int c = 0; c < 6; c++)
        sums->virial[c] += energy * ((c < 3) - 2 * (1 / k2 + 0.25 / (a * a)) * k[ewald_first[c]] * k[ewald_second[c]]);
    for (int64_t i = 0; i < l->n; i++)
        for (int c = 0; c < 3; c++)
            sums->force[c][i] += 2 * green * l->charge[i] * k[c] * (re * sine[i] - im * cosine[i]);
}

/* All waves and images that are larger than 1e-16 or so. */
static inline void ewald_all(const ions *l, ewald_sums *sums)
{
    const double volume = l->edge[0] * l->edge[1] * l->edge[2], a = 2.9 / cbrt(volume), reach = 6.3 / a;
    double net = 0, square = 0;
    int most[3];
    memset(sums, 0, sizeof *sums);
    for (int64_t i = 0; i < l->n; i++) {
        net += l->charge[i];
        square += l->charge[i] * l->charge[i];
    }
    ewald_pairs(l, a, reach, sums);
    for (int c = 0; c < 3; c++)
        most[c] = (int)ceil(12.6 * a * l->edge[c] / (2 * PI));
    for (int x = 0; x <= most[0]; x++)
        for (int y = -most[1]; y <= most[1]; y++)
            for (int z = -most[2]; z <= most[2]; z++) {
                const double k[3] = {2 * PI * x / l->edge[0], 2 * PI * y / l->edge[1], 2 * PI * z / l->edge[2]};
                const int half = x > 0 || y > 0 || (y == 0 && z > 0);
                if (half && k[0] * k[0] + k[1] * k[1] + k[2] * k[2] < 12.6 * 12.6 * a * a)
                    ewald_wave(l, a, k, sums);
            }
    const double background = -PI / (2 * a * a * volume) * net * net;
    sums->energy += background - a / sqrt(PI) * square;
    for (int c = 0; c < 3; c++)
        sums->virial[c] += background;
}

#endif
