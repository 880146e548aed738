/* coulomb.c - charges of particles in a periodic box by Ewald's method: checks, choice of the splitting, waves on a
 * mesh (method/mesh/mesh_charge.h) and measured errors. Pairs are in coulomb_pairs.c. */
#include "molecular/coulomb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/sum.h"
#include "core/timer.h"
#include "domain/ranks.h"
#include "method/spectral/fourier.h"

#define PI 3.14159265358979323846
#define COULOMB_LEAST 1e-10 /* smallest tolerance; rounding in double is 1e-11 */
/* Binary orders of the unit of forces below the force of the two largest charges at a quarter of the cutoff. */
#define COULOMB_BITS 44
/* Edges that a barostat changes are rounded up by up to this part, so that a mesh is kept for a while. */
#define COULOMB_STEP 0.02
#define COULOMB_NEUTRAL 1e-10 /* net charge that counts, of the sum of all charges in size */

/* --- checks ------------------------------------------------------------------------------------------------------- */

static myr_status coulomb_check(const myr_molecular *m)
{
    const myr_molecular_options *o = &m->options;
    const char *reason =
        m->molecule
            ? "charges of a molecule act by the kernels ljc_..., not by Ewald sums; leave coulomb_tolerance at 0"
        : !myr_fourier_available() ? "charges in a box need Fourier transforms, and this build was made without FFTW; "
                                     "install libfftw3-dev and build again"
        : !(o->box[0] > 0 && o->box[1] > 0 && o->box[2] > 0)
            ? "charges need a box that is periodic along x, y and z; Ewald sums with open axes are not there yet"
        : myr_ranks_count(m->context) > 1 ? "charges in a box act on one rank only so far; run with one rank"
        : strcmp(myr_catalogue_arithmetic_name(m->interaction->arithmetic), "portable") == 0
            ? "portable arithmetic promises the same bits everywhere, which the transforms of Ewald sums do not have; "
              "use another arithmetic"
            : NULL;
    if (reason)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION, "%s", reason);
    if (!(o->coulomb_tolerance >= COULOMB_LEAST && o->coulomb_tolerance <= 0.1))
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "the tolerance of the charges is %g; expected %g to 0.1",
                                o->coulomb_tolerance, COULOMB_LEAST);
    if (!(o->coulomb_constant >= 0 && o->coulomb_cutoff >= 0 && o->coulomb_splitting >= 0) ||
        !isfinite(o->coulomb_constant + o->coulomb_cutoff + o->coulomb_splitting))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "Coulomb's constant, the cutoff of charges and the splitting are %g, %g and %g; they "
                                "must be positive, or 0 to be chosen",
                                o->coulomb_constant, o->coulomb_cutoff, o->coulomb_splitting);
    return MYR_OK;
}

/* Opposite charges without repulsion fall into each other. Signs of the charges of each type: bit 0 negative, 1
 * positive. */
static myr_status coulomb_check_cores(const myr_molecular *m)
{
    unsigned char *sign = myr_memory_zeros(m->types, 1);
    int a = 0, b = 0, bare = 0;
    if (!sign)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for %d types", m->types);
    for (int64_t i = 0; i < m->n; i++)
        sign[m->type[i]] |= (unsigned char)((m->charge[i] < 0) | (m->charge[i] > 0) << 1);
    for (int k = 0; k < m->types * m->types && !bare && !m->formula.name; k++) {
        a = k / m->types;
        b = k % m->types;
        bare = (sign[a] & 1) && (sign[b] & 2) && !myr_cut_interacts(&m->pair[k]);
    }
    free(sign);
    return bare ? myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                   "particles of types %d and %d have opposite charges and no repulsion: they would "
                                   "fall into each other; give the pair epsilon and sigma above 0",
                                   a, b)
                : MYR_OK;
}

/* Sums over charges, as integers of 2^-62 of the bound: the order of the particles does not matter. */
static double coulomb_add(const myr_molecular *m, int power, double largest)
{
    const int exponent = myr_sum_exponent(pow(largest, power));
    myr_wide sum = 0;
    for (int64_t i = 0; i < m->n; i++)
        sum += myr_sum_round(power == 2 ? m->charge[i] * m->charge[i] : m->charge[i], myr_sum_scale(exponent));
    return myr_sum_value(sum, exponent);
}

static myr_status coulomb_count(myr_molecular *m, const myr_particles *particles)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    const double *charge = myr_particles_component_const(particles, "charge", 0);
    for (int64_t i = 0; i < m->n; i++) {
        m->charge[i] = charge ? charge[i] : 0;
        if (!isfinite(m->charge[i]))
            return myr_context_fail(m->context, MYR_ERROR_NONFINITE, "the charge of particle %lld is no finite number",
                                    (long long)m->id[i]);
        k->largest = fmax(k->largest, fabs(m->charge[i]));
        k->charges += m->charge[i] != 0;
    }
    if (k->charges == 0)
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "charges are to act, and no particle has one; give species a 'charge', or particles "
                                "the field 'charge'");
    k->net = coulomb_add(m, 1, k->largest);
    k->square = coulomb_add(m, 2, k->largest);
    if (fabs(k->net) > COULOMB_NEUTRAL * k->largest * (double)k->charges)
        myr_context_warn(m->context,
                         "the charges in the box add up to %g; an even background of the opposite charge is added, as "
                         "a periodic box must be neutral",
                         k->net);
    else
        k->net = 0;
    return coulomb_check_cores(m);
}

/* --- choice ------------------------------------------------------------------------------------------------------- */

/* A box that a barostat compresses keeps some room above twice the cutoff. */
static myr_mesh_charge_question coulomb_question(const myr_molecular *m)
{
    const int moves = m->options.pressure_interval > 0;
    myr_mesh_charge_question q = {.tolerance = m->coulomb->tolerance, .n = m->coulomb->charges, .most = INFINITY};
    for (int c = 0; c < 3; c++) {
        const double edge = m->box.length[c];
        q.edge[c] = moves ? exp(COULOMB_STEP * ceil(log(edge * (1 - 1e-9)) / COULOMB_STEP)) : edge;
        q.most = fmin(q.most, (moves ? 0.4 : 0.5) * edge);
    }
    q.most = fmax(q.most, fmin(m->cutoff[1], 1.25 * q.most));
    q.least = fmin(m->cutoff[1], q.most);
    return q;
}

static myr_status coulomb_too_fine(const myr_molecular *m)
{
    return myr_context_fail(
        m->context, MYR_ERROR_RANGE,
        "no mesh of up to %g points keeps the tolerance %g of the charges in a box of %g x %g x %g; "
        "use a larger tolerance or a longer coulomb_cutoff",
        MYR_MESH_POINTS, m->coulomb->tolerance, m->box.length[0], m->box.length[1], m->box.length[2]);
}

static myr_status coulomb_choose(myr_molecular *m)
{
    const myr_molecular_options *o = &m->options;
    myr_mesh_charge_question q = coulomb_question(m);
    myr_mesh_charge_choice choice = {.cutoff = o->coulomb_cutoff};
    const myr_status status =
        o->coulomb_cutoff > 0 ? myr_neighbour_check_box(m->context, &m->box, o->coulomb_cutoff) : MYR_OK;
    if (status)
        return status;
    if (o->coulomb_cutoff > 0)
        q.least = q.most = o->coulomb_cutoff;
    if (o->coulomb_splitting > 0 && o->coulomb_cutoff > 0)
        choice.splitting = o->coulomb_splitting;
    else if (!myr_mesh_charge_choose(&q, &choice))
        return coulomb_too_fine(m);
    m->memory.reach = choice.cutoff;
    m->memory.splitting = o->coulomb_splitting > 0 ? o->coulomb_splitting : choice.splitting;
    return MYR_OK;
}

static myr_status coulomb_no_memory(const myr_molecular *m)
{
    return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld charges", (long long)m->coulomb->charges);
}

/* Everything that follows from splitting and cutoff. */
myr_status myr_molecular_coulomb_take(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    if (!k)
        return MYR_OK;
    const double near = 0.25 * m->memory.reach;
    k->unit = ldexp(1, ilogb(k->constant * k->largest * k->largest / (near * near)) - COULOMB_BITS);
    m->cutoff[1] = fmax(m->cutoff[1], m->memory.reach);
    myr_mesh_screen_destroy(&k->screen);
    return myr_mesh_screen_create(m->memory.splitting, m->memory.reach, &k->screen) ? MYR_OK : coulomb_no_memory(m);
}

/* Mesh for the present box: a function of its edges, so that a restart has the same. */
static myr_status coulomb_mesh(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    const myr_mesh_charge_question q = coulomb_question(m);
    myr_mesh_choice choice;
    if (k->mesh && memcmp(q.edge, k->question.edge, sizeof q.edge) == 0) {
        myr_mesh_set_box(k->mesh, m->box.length);
        choice = *myr_mesh_choice_of(k->mesh);
    } else if (!myr_mesh_charge_fit(&q, m->memory.splitting, &choice))
        return coulomb_too_fine(m);
    k->question = q;
    if (myr_mesh_matches(k->mesh, &choice, m->box.length))
        return MYR_OK;
    myr_mesh_destroy(&k->mesh);
    return myr_mesh_create(m->context, &choice, m->box.length, &k->mesh);
}

/* --- waves -------------------------------------------------------------------------------------------------------- */

/* Destination of gathered fields. */
typedef struct {
    const struct myr_molecular_coulomb *k;
    double *const *force;
} coulomb_forces;

static void coulomb_take_field(void *user, int64_t target, const double sum[12])
{
    const coulomb_forces *to = user;
    const double charge = to->k->constant * to->k->charge[target];
    for (int c = 0; c < 3; c++)
        to->force[c][to->k->at[target]] += charge * sum[c];
}

/* The charged particles, in the order of the list. */
static void coulomb_collect(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    int64_t n = 0;
    for (int64_t i = 0; i < m->n; i++) {
        if (m->charge[i] == 0)
            continue;
        k->at[n] = i;
        k->charge[n] = m->charge[i];
        for (int c = 0; c < 3; c++)
            k->x[c][n] = (double)m->q[c][i] * 0x1p-64 * m->box.length[c];
        n++;
    }
}

static myr_status coulomb_waves(myr_molecular *m, double *const force[3], double sum[MYR_COULOMB_SUMS])
{
    struct myr_molecular_coulomb *k = m->coulomb;
    const double *const weight[3] = {k->charge, k->none, k->none};
    myr_mesh_places *places = NULL;
    myr_status status = coulomb_mesh(m);
    if (status)
        return status;
    const int64_t *side = myr_mesh_choice_of(k->mesh)->side;
    myr_mesh_charge_waves waves = {.mesh = k->mesh, .splitting = m->memory.splitting};
    memcpy(waves.edge, m->box.length, sizeof waves.edge);
    if (sum && !(waves.row = myr_memory_zeros(side[1] * side[2], sizeof *waves.row)))
        return coulomb_no_memory(m);
    coulomb_collect(m);
    status = myr_mesh_places_create(k->mesh, k->charges, (const double *const *)k->x, &places);
    if (!status) {
        coulomb_forces to = {k, force};
        myr_mesh_spread(k->mesh, places, weight);
        myr_mesh_apply(k->mesh, myr_mesh_charge_core(m->memory.splitting), myr_mesh_charge_kernel, &waves);
        myr_mesh_gather(k->mesh, places, 0, coulomb_take_field, &to);
    }
    if (sum && !status)
        myr_mesh_charge_sums(&waves, sum);
    for (int c = 0; c < MYR_COULOMB_SUMS && sum; c++)
        sum[c] *= k->constant;
    myr_mesh_places_destroy(&places);
    free(waves.row);
    return status;
}

/* Own energies of the Gaussians, and the background; the latter pushes on all walls alike. */
static void coulomb_constants(const myr_molecular *m, double sum[MYR_COULOMB_SUMS])
{
    const struct myr_molecular_coulomb *k = m->coulomb;
    const double volume = m->box.length[0] * m->box.length[1] * m->box.length[2], a = m->memory.splitting;
    const double background = -k->constant * PI / (2 * a * a * volume) * k->net * k->net;
    sum[0] += background - k->constant * a / sqrt(PI) * k->square;
    for (int c = 1; c <= 3; c++)
        sum[c] += background;
}

/* Forces of waves first: the sum of a particle then does not depend on the number of threads. */
static myr_status coulomb_force(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    double near[MYR_COULOMB_SUMS], far[MYR_COULOMB_SUMS], t[3] = {myr_timer_now()};
    myr_status status = coulomb_waves(m, force, sums ? far : NULL);
    t[1] = myr_timer_now();
    if (!status)
        status = myr_molecular_coulomb_pairs(m, force, sums ? near : NULL);
    t[2] = myr_timer_now();
    k->mesh_seconds += t[1] - t[0];
    k->pair_seconds += t[2] - t[1];
    if (status || !sums)
        return status;
    for (int c = 0; c < MYR_COULOMB_SUMS; c++)
        far[c] += near[c];
    coulomb_constants(m, far);
    k->energy = far[0];
    sums->energy += far[0];
    for (int c = 0; c < 6; c++)
        sums->virial[c] += far[1 + c];
    return MYR_OK;
}

/* --- measured errors ---------------------------------------------------------------------------------------------- */

static myr_status coulomb_exact(myr_molecular *m, int64_t n, const int64_t *pick, double *const force[3])
{
    const struct myr_molecular_coulomb *k = m->coulomb;
    double *memory = myr_memory_zeros(3 * n + 1, sizeof *memory), (*field)[3] = myr_memory_zeros(n + 1, sizeof *field);
    myr_status status = memory && field ? MYR_OK : coulomb_no_memory(m);
    myr_mesh_charge_problem p = {.n = k->charges, .m = n, .charge = k->charge, .error = 0.01 * k->tolerance};
    if (!status)
        coulomb_collect(m);
    for (int c = 0; c < 3 && !status; c++) {
        p.x[c] = k->x[c];
        p.at[c] = memory + c * n;
        p.edge[c] = m->box.length[c];
        for (int64_t s = 0; s < n; s++)
            memory[c * n + s] = (double)m->q[c][pick[s]] * 0x1p-64 * m->box.length[c];
    }
    if (!status)
        status = myr_mesh_charge_ewald(m->context, &p, field);
    for (int64_t s = 0; s < n && !status; s++)
        for (int c = 0; c < 3; c++)
            force[c][pick[s]] += k->constant * m->charge[pick[s]] * field[s][c];
    free(memory);
    free(field);
    return status;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int coulomb_allocate(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    for (int c = 0; c < 3; c++)
        k->x[c] = myr_memory_zeros(k->charges, sizeof *k->x[c]);
    k->charge = myr_memory_zeros(k->charges, sizeof *k->charge);
    k->none = myr_memory_zeros(k->charges, sizeof *k->none);
    k->at = myr_memory_zeros(k->charges, sizeof *k->at);
    k->high = myr_memory_zeros(3 * m->n, sizeof *k->high);
    return k->x[0] && k->x[1] && k->x[2] && k->charge && k->none && k->at && k->high;
}

myr_status myr_molecular_coulomb_open(myr_molecular *m, const myr_particles *particles)
{
    if (!(m->options.coulomb_tolerance != 0))
        return MYR_OK;
    myr_status status = coulomb_check(m);
    if (status)
        return status;
    if (m->terms == MYR_MOLECULAR_TERMS)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "at most %d kinds of forces", MYR_MOLECULAR_TERMS);
    m->coulomb = calloc(1, sizeof *m->coulomb);
    if (!m->coulomb)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for charges");
    m->coulomb->constant = m->options.coulomb_constant > 0 ? m->options.coulomb_constant : 1;
    m->coulomb->tolerance = m->options.coulomb_tolerance;
    status = coulomb_count(m, particles);
    if (!status && !coulomb_allocate(m))
        status = coulomb_no_memory(m);
    if (!status)
        status = coulomb_choose(m);
    if (!status)
        status = myr_molecular_coulomb_take(m);
    m->term[m->terms++] = (myr_force_term){coulomb_force, coulomb_exact};
    return status;
}

void myr_molecular_coulomb_close(myr_molecular *m)
{
    struct myr_molecular_coulomb *k = m->coulomb;
    if (!k)
        return;
    myr_mesh_screen_destroy(&k->screen);
    myr_mesh_destroy(&k->mesh);
    for (int c = 0; c < 3; c++)
        free(k->x[c]);
    free(k->charge);
    free(k->none);
    free(k->at);
    free(k->low);
    free(k->high);
    free(k);
    m->coulomb = NULL;
}

double myr_molecular_coulomb_energy(const myr_molecular *m)
{
    return m->coulomb ? m->coulomb->energy : 0;
}

double myr_molecular_coulomb_strength(const myr_molecular *m)
{
    const struct myr_molecular_coulomb *k = m->coulomb;
    const double volume = m->box.length[0] * m->box.length[1] * m->box.length[2];
    return k ? k->constant * k->largest * k->largest * pow((double)k->charges / volume, 2.0 / 3) : 0;
}

void myr_molecular_coulomb_report(const myr_molecular *m, myr_coulomb *report)
{
    const struct myr_molecular_coulomb *k = m->coulomb;
    *report = (myr_coulomb){0};
    if (!k)
        return;
    *report = (myr_coulomb){.tolerance = k->tolerance,
                            .splitting = m->memory.splitting,
                            .cutoff = m->memory.reach,
                            .charges = k->charges,
                            .net_charge = k->net,
                            .pair_seconds = k->pair_seconds,
                            .mesh_seconds = k->mesh_seconds};
    if (!k->mesh)
        return;
    report->width = myr_mesh_choice_of(k->mesh)->width;
    memcpy(report->mesh, myr_mesh_choice_of(k->mesh)->side, sizeof report->mesh);
}
