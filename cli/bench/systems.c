/* systems.c - the two test systems of paper 000 in kind. */
#include "bench/systems.h"

#include <math.h>
#include <stdlib.h>

#include "cli.h"
#include "scene.h"

enum { ROW_STEPS = 42, TURN_STEPS = 3, ROWS_PER_LAYER = 9, NEAR_BONDS = 3, WATER_ROW = 9 };
#define BOND 1.5         /* angstrom */
#define WATER_GAP 4.5    /* between oxygens */
#define CHAIN_SHAKE 0.05 /* angstrom: how far atoms are moved at random, along each axis */
#define FLUID_SHAKE 0.1  /* in units of the spacing */

/* sigma (angstrom) and epsilon (kcal/mol): aliphatic and carbonyl carbon, nitrogen, oxygen, two hydrogens, and the two
 * atoms of a water molecule */
static const double atom_types[][2] = {{3.400, 0.1094}, {3.400, 0.0860}, {3.250, 0.1700}, {2.960, 0.2100},
                                       {2.650, 0.0157}, {1.069, 0.0157}, {3.151, 0.1520}, {0.400, 0.0460}};
enum { ATOM_TYPES = sizeof atom_types / sizeof atom_types[0], TYPE_OXYGEN = 6, TYPE_HYDROGEN = 7 };

/* Atom k of a chain that goes back and forth along x, turns by three bonds along y, and after nine rows along z. */
static void molecule_chain_place(int k, double at[3])
{
    int x = 0, y = 0, z = 0, ahead = 1, row = 0;
    while (k > 0) {
        const int along = k < ROW_STEPS ? k : ROW_STEPS;
        x += ahead * along;
        k -= along;
        const int turn = k < TURN_STEPS ? k : TURN_STEPS;
        if (++row % ROWS_PER_LAYER == 0)
            z += turn;
        else
            y += row / ROWS_PER_LAYER % 2 ? -turn : turn;
        k -= turn;
        ahead = -ahead;
    }
    at[0] = BOND * x;
    at[1] = BOND * y;
    at[2] = BOND * z;
}

/* Atom k of the waters: oxygen, then two hydrogens at 0.96 and 104.5 degrees; below the chain in z. */
static void molecule_water_place(int k, double at[3])
{
    const int which = k % 3, molecule = k / 3;
    const double angle = (which == 1 ? 0.5 : -0.5) * 104.5 * acos(-1.0) / 180;
    at[0] = WATER_GAP * (molecule % WATER_ROW) + (which ? 0.96 * cos(angle) : 0);
    at[1] = WATER_GAP * (molecule / WATER_ROW % WATER_ROW) + (which ? 0.96 * sin(angle) : 0);
    at[2] = -WATER_GAP * (1 + molecule / (WATER_ROW * WATER_ROW));
}

/* Which other atoms are up to three bonds away from atom i: a run of indices. */
static void molecule_near(int i, int chain, int *first, int *last)
{
    if (i < chain) {
        *first = i - NEAR_BONDS < 0 ? 0 : i - NEAR_BONDS;
        *last = i + NEAR_BONDS >= chain ? chain - 1 : i + NEAR_BONDS;
    } else {
        *first = i - (i - chain) % 3;
        *last = *first + 2;
    }
}

static void molecule_exclude(int n, int chain, int64_t *offset, int64_t *partner)
{
    int64_t at = 0;
    for (int i = 0; i < n; i++) {
        int first, last;
        molecule_near(i, chain, &first, &last);
        offset[i] = at;
        for (int j = first; j <= last; j++)
            if (j != i)
                partner[at++] = j;
    }
    offset[n] = at;
}

static int system_allocate(myr_context *context, int64_t n, int types, int bonded, system_lj *s)
{
    *s = (system_lj){.types = types};
    const size_t entries = (size_t)types * (size_t)types;
    s->epsilon = calloc(entries, sizeof *s->epsilon);
    s->sigma = calloc(entries, sizeof *s->sigma);
    if (bonded) {
        s->offset = calloc((size_t)n + 1, sizeof *s->offset);
        s->partner = calloc((size_t)n * 2 * NEAR_BONDS, sizeof *s->partner);
    }
    if (!s->epsilon || !s->sigma || (bonded && (!s->offset || !s->partner)))
        return cli_fail(CLI_FAILED, "no memory for %lld atoms", (long long)n);
    return cli_check(context, myr_particles_create(context, n, &s->particles));
}

int system_create_molecule(myr_context *context, int chain, int waters, system_lj *s)
{
    const int n = chain + 3 * waters;
    uint64_t state = 1;
    int32_t *type = calloc((size_t)n, sizeof *type);
    double(*at)[3] = calloc((size_t)n, sizeof *at);
    int code = system_allocate(context, n, ATOM_TYPES, 1, s);
    if (!type || !at)
        code = cli_fail(CLI_FAILED, "no memory for %d atoms", n);
    for (int i = 0; i < n && type && at && !code; i++) {
        if (i < chain) {
            type[i] = (int32_t)(scene_random(&state) * TYPE_OXYGEN);
            molecule_chain_place(i, at[i]);
        } else {
            type[i] = (i - chain) % 3 ? TYPE_HYDROGEN : TYPE_OXYGEN;
            molecule_water_place(i - chain, at[i]);
        }
        for (int c = 0; c < 3; c++)
            at[i][c] += CHAIN_SHAKE * (2 * scene_random(&state) - 1);
    }
    if (!code && at) {
        molecule_exclude(n, chain, s->offset, s->partner);
        for (int a = 0; a < ATOM_TYPES; a++)
            for (int b = 0; b < ATOM_TYPES; b++) {
                s->sigma[a * ATOM_TYPES + b] = 0.5 * (atom_types[a][0] + atom_types[b][0]);
                s->epsilon[a * ATOM_TYPES + b] = sqrt(atom_types[a][1] * atom_types[b][1]);
            }
        code = cli_check(context, myr_particles_set(s->particles, "position", 3, at[0]));
    }
    if (!code)
        code = cli_check(context, myr_particles_set_types(s->particles, type));
    free(type);
    free(at);
    return code;
}

int system_create_fluid(myr_context *context, int64_t n, system_lj *s)
{
    uint64_t state = 2;
    int code = system_allocate(context, 0, SYSTEM2_TYPES, 0, s);
    myr_particles_destroy(&s->particles);
    if (!code)
        code = cli_check(context, myr_model_create(context, "lattice", n, 1, &s->particles));
    if (!code)
        code = cli_check(context, myr_model_fill(s->particles, "lennard_jones", SYSTEM2_TYPES, 1));
    for (int c = 0; c < 3 && !code; c++) {
        double *x = myr_particles_component(s->particles, "position", c);
        for (int64_t i = 0; i < n; i++)
            x[i] += FLUID_SHAKE * (2 * scene_random(&state) - 1);
    }
    for (int a = 0; a < SYSTEM2_TYPES && !code; a++)
        for (int b = 0; b <= a; b++) {
            const int ab = a * SYSTEM2_TYPES + b, ba = b * SYSTEM2_TYPES + a;
            s->sigma[ab] = s->sigma[ba] = 0.7 + 0.2 * scene_random(&state);
            s->epsilon[ab] = s->epsilon[ba] = 0.5 + scene_random(&state);
        }
    return code;
}

int system_apply(myr_context *context, myr_interaction *interaction, const system_lj *s)
{
    const int code = cli_check(context, myr_interaction_set_pair(interaction, "epsilon", s->types, s->epsilon));
    return code ? code : cli_check(context, myr_interaction_set_pair(interaction, "sigma", s->types, s->sigma));
}

void system_destroy(system_lj *s)
{
    myr_particles_destroy(&s->particles);
    free(s->epsilon);
    free(s->sigma);
    free(s->offset);
    free(s->partner);
    *s = (system_lj){0};
}
