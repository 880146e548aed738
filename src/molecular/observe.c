/* observe.c - sums over the motion of the particles, and thermodynamic quantities. */
#include <math.h>
#include <string.h>

#include "core/random.h"
#include "core/sum.h"
#include "molecular/molecular.h"

enum { STREAM_HEAT = 31 };

double *const *myr_molecular_velocities(myr_molecular *m)
{
    const double h = m->memory.pending, grid = m->options.exact_reverse ? myr_molecular_grid(m) : 0;
    if (h == 0)
        return m->v;
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->g[c][i] = grid > 0 ? exact_kick(m->v[c][i], h * m->inverse[i], m->f[c][i], 1, grid)
                                  : m->v[c][i] + h * m->inverse[i] * m->f[c][i];
    return m->g;
}

/* Largest m v^2 (power 2) or largest (m |v|)^2 (power 1) over all domains. */
static myr_status observe_largest(const myr_molecular *m, double *const v[3], int power, double *most)
{
    double largest = 0;
#pragma omp parallel for num_threads(m->team) reduction(max : largest) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t i = 0; i < m->n; i++) {
        const double v2 = v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i];
        largest = fmax(largest, m->mass[i] * v2 * (power == 2 ? 1 : m->mass[i]));
    }
    *most = largest;
    return myr_agreement_largest(myr_molecular_agreement(m), most, 1);
}

static myr_status observe_kinetic(const myr_molecular *m, double *const v[3], double tensor[6])
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    double largest;
    myr_status status = observe_largest(m, v, 2, &largest);
    const int exponent = myr_sum_exponent(largest);
    const double scale = myr_sum_scale(exponent);
    myr_wide sum[6] = {0};
#pragma omp parallel num_threads(m->team) if (m->n > MYR_MOLECULAR_ALONE)
    {
        myr_wide part[6] = {0};
#pragma omp for nowait
        for (int64_t i = 0; i < m->n; i++)
            for (int k = 0; k < 6; k++)
                part[k] += myr_sum_round(m->mass[i] * (v[first[k]][i] * v[second[k]][i]), scale);
#pragma omp critical(myr_molecular_kinetic)
        for (int k = 0; k < 6; k++)
            sum[k] += part[k];
    }
    if (!status)
        status = myr_agreement_add(myr_molecular_agreement(m), sum, 6);
    for (int k = 0; k < 6; k++)
        tensor[k] = myr_sum_value(sum[k], exponent);
    return status;
}

myr_status myr_molecular_kinetic(const myr_molecular *m, double tensor[6])
{
    return m->gpu ? myr_molecular_gpu_kinetic(m, 0, tensor) : observe_kinetic(m, m->v, tensor);
}

/* Kinetic tensor at the present time. */
static myr_status observe_present(myr_molecular *m, double tensor[6])
{
    return m->gpu ? myr_molecular_gpu_kinetic(m, m->memory.pending, tensor)
                  : observe_kinetic(m, myr_molecular_velocities(m), tensor);
}

/* Twice the kinetic energy from which the temperature follows. For Langevin dynamics the velocities are taken half a
 * kick later: for a harmonic oscillator these have the bath temperature exactly, while those at whole steps lack the
 * fraction (omega dt)^2/4 (hydrogens at 2 fs: 4 K of 100 K). Overwrites g, which holds the forces. */
static myr_status observe_heat(myr_molecular *m, double kinetic, double *twice)
{
    double tensor[6] = {0};
    *twice = 2 * kinetic;
    if (m->scheme != MYR_MOLECULAR_LANGEVIN)
        return MYR_OK;
    const double h = 0.5 * m->parameter[MYR_MOLECULAR_STEP];
    if (m->gpu) {
        const myr_status summed = myr_molecular_gpu_kinetic(m, h, tensor);
        *twice = tensor[0] + tensor[1] + tensor[2];
        return summed;
    }
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->g[c][i] = m->v[c][i] + h * m->inverse[i] * m->g[c][i];
    myr_status status =
        m->rigid ? myr_constraints_velocities(m->rigid, m->inverse, (const double *const *)m->x, m->g) : MYR_OK;
    if (!status)
        status = observe_kinetic(m, m->g, tensor);
    *twice = tensor[0] + tensor[1] + tensor[2];
    return status;
}

myr_status myr_molecular_momentum(myr_molecular *m, double momentum[3])
{
    if (m->gpu)
        return myr_molecular_gpu_momentum(m, m->memory.pending, momentum);
    double *const *v = myr_molecular_velocities(m), largest;
    myr_status status = observe_largest(m, v, 1, &largest);
    const int exponent = myr_sum_exponent(sqrt(largest) * 1.0000001);
    const double scale = myr_sum_scale(exponent);
    myr_wide sum[3] = {0};
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            sum[c] += myr_sum_round(m->mass[i] * v[c][i], scale);
    if (!status)
        status = myr_agreement_add(myr_molecular_agreement(m), sum, 3);
    for (int c = 0; c < 3; c++)
        momentum[c] = myr_sum_value(sum[c], exponent);
    return status;
}

myr_status myr_molecular_mass(myr_molecular *m, double *mass)
{
    double largest = 0;
    myr_wide sum = 0;
    *mass = m->total_mass;
    if (m->total_mass > 0) /* in all domains at the same call */
        return MYR_OK;
    for (int64_t i = 0; i < m->n; i++)
        largest = fmax(largest, m->mass[i]);
    myr_status status = myr_agreement_largest(myr_molecular_agreement(m), &largest, 1);
    const int exponent = myr_sum_exponent(largest);
    for (int64_t i = 0; i < m->n; i++)
        sum += myr_sum_round(m->mass[i], myr_sum_scale(exponent));
    if (!status)
        status = myr_agreement_add(myr_molecular_agreement(m), &sum, 1);
    *mass = m->total_mass = status ? 0 : myr_sum_value(sum, exponent);
    return status;
}

myr_status myr_molecular_remove_momentum(myr_molecular *m)
{
    double momentum[3], mass;
    myr_status status = myr_molecular_mass(m, &mass);
    if (!status)
        status = myr_molecular_momentum(m, momentum);
    if (status)
        return status;
    const double shift[3] = {momentum[0] / mass, momentum[1] / mass, momentum[2] / mass};
    if (m->gpu)
        return mass > 0 ? myr_molecular_gpu_change(m, 1, shift) : MYR_OK;
    for (int c = 0; c < 3 && mass > 0; c++) {
        const double v = shift[c];
        for (int64_t i = 0; i < m->n; i++)
            m->v[c][i] -= v;
    }
    return MYR_OK;
}

myr_status myr_molecular_scale(myr_molecular *m, double factor)
{
    if (m->gpu) {
        const double shift[3] = {0, 0, 0};
        return myr_molecular_gpu_change(m, factor, shift);
    }
#pragma omp parallel for num_threads(m->team) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3; c++)
            m->v[c][i] *= factor;
    m->reach2 *= factor * factor > 1 ? factor * factor : 1;
    return MYR_OK;
}

/* Energy of the restraints. The squared displacement is below (L/2)^2 per axis, which bounds the terms of the integer
 * sum. */
myr_status myr_molecular_restraint(const myr_molecular *m, double *energy)
{
    const int type = m->options.restraint_type;
    double bound = 0;
    myr_wide sum = 0;
    *energy = 0;
    if (!m->anchor[0])
        return MYR_OK;
    for (int c = 0; c < 3; c++)
        bound += m->box.length[c] * m->box.length[c];
    const int exponent = myr_sum_exponent(bound);
    if (m->gpu) {
        const myr_status summed = myr_molecular_gpu_restraint(m, myr_sum_scale(exponent), &sum);
        *energy = 0.5 * m->options.restraint * myr_sum_value(sum, exponent);
        return summed;
    }
    for (int64_t i = 0; i < m->n; i++) {
        double r2 = 0;
        for (int c = 0; c < 3 && (type < 0 || m->type[i] == type); c++) {
            const double d = (double)(int64_t)(m->q[c][i] - m->anchor[c][i]) * (m->box.length[c] * 0x1p-64);
            r2 += d * d;
        }
        sum += myr_sum_round(r2, myr_sum_scale(exponent));
    }
    const myr_status status = myr_agreement_add(myr_molecular_agreement(m), &sum, 1);
    *energy = 0.5 * m->options.restraint * myr_sum_value(sum, exponent);
    return status;
}

/* Pressure from kinetic tensor, virial and tail correction, if the box has a volume. */
static void observe_pressure(const myr_molecular *m, const double kinetic[6], const double virial[6], double tail,
                             myr_thermodynamics *t)
{
    t->volume = myr_molecular_edge(m, 0) * myr_molecular_edge(m, 1) * myr_molecular_edge(m, 2);
    t->density = (double)m->all / t->volume;
    for (int k = 0; k < 6; k++)
        t->pressure_tensor[k] = (kinetic[k] + virial[k]) / t->volume + (k < 3 ? tail : 0);
    t->pressure = (t->pressure_tensor[0] + t->pressure_tensor[1] + t->pressure_tensor[2]) / 3;
}

static void observe_device_list(const myr_molecular *m, myr_thermodynamics *t)
{
    myr_box_device device;
    (void)myr_molecular_gpu_report(m, 0, &device);
    t->rebuilds = t->reorders = device.lists;
    t->list_lifetime = device.lists > 0 ? (double)m->steps_made / (double)device.lists : (double)NAN;
    t->list_seconds = device.list_seconds;
    t->skin = device.skin;
    t->list_margin = (double)NAN;
    t->list_pairs = 0;
}

static void observe_list(const myr_molecular *m, myr_thermodynamics *t)
{
    myr_neighbour_progress p = {0};
    if (m->list)
        myr_neighbour_progress_of(m->list, &p);
    t->rebuilds = p.builds;
    t->reorders = p.builds; /* every list build sorts the particles */
    /* + 1: the list of the first step was built before that step */
    t->list_lifetime = p.builds > 0 ? (double)m->steps_made / (double)(p.builds - m->builds_before + 1) : (double)NAN;
    t->displacement_tests = p.displacement_tests;
    t->list_pairs = p.pairs;
    t->list_seconds = p.list_seconds;
    t->proof_seconds = p.proof_seconds;
    t->skin = p.skin;
    t->list_margin = p.margin;
    if (m->gpu) /* lists of the device, whose margin and pairs stay there */
        observe_device_list(m, t);
    t->volume_trials = m->memory.volume_trials;
    t->volume_moves = m->memory.volume_moves;
}

myr_status myr_molecular_observe(myr_molecular *m, double time, myr_thermodynamics *t)
{
    myr_neighbour_sums sums;
    double kinetic[6], tail;
    memset(t, 0, sizeof *t);
    m->now = time;
    myr_status status = myr_molecular_forces(m, m->g, &sums);
    if (status)
        return status;
    /* may overwrite the forces in g: only langevin needs these below, and langevin has no deferred kick */
    status = observe_present(m, kinetic);
    if (!status)
        status = myr_molecular_restraint(m, &t->restraint);
    if (!status)
        status = myr_molecular_field_energy(m, &t->external);
    if (!status)
        status = myr_molecular_wall_impulse(m, t->wall_impulse, t->wall_area);
    if (status)
        return status;
    myr_molecular_tail(m, &t->tail, &tail);
    t->kinetic = 0.5 * (kinetic[0] + kinetic[1] + kinetic[2]);
    t->potential = sums.energy + t->tail;
    t->coulomb = myr_molecular_coulomb_energy(m);
    status = observe_heat(m, t->kinetic, &t->temperature);
    t->temperature /= (double)m->memory.degrees;
    t->set_temperature = m->scheme == MYR_MOLECULAR_VERLET ? NAN : myr_molecular_temperature(m, time);
    t->set_pressure = m->options.pressure_interval > 0 ? myr_molecular_pressure(m, time) : NAN;
    t->bath = myr_molecular_bath(m, time);
    const int kept = (m->scheme == MYR_MOLECULAR_VERLET || m->scheme == MYR_MOLECULAR_NOSE_HOOVER) &&
                     m->options.pressure_interval == 0 && !(m->parameter[MYR_MOLECULAR_RAMP] > 0);
    t->conserved = kept ? t->kinetic + t->potential + t->restraint + t->external + t->bath : NAN;
    for (int c = 0; c < 3; c++) {
        t->box[c] = m->box.periodic[c] ? m->box.length[c] : 0;
        t->origin[c] = m->box.periodic[c] ? m->box.origin[c] : 0;
    }
    observe_pressure(m, kinetic, sums.virial, tail, t);
    observe_list(m, t);
    return status;
}

/* Draws velocities from the Maxwell distribution, keyed by particle id. Velocities along rigid bonds are removed before
 * the scaling, which therefore gives the remaining motion the temperature. */
myr_status myr_molecular_heat(myr_molecular *m, double temperature, uint64_t seed)
{
    double tensor[6];
    for (int64_t i = 0; i < m->n; i++) {
        double z[4];
        myr_random_normal(seed, STREAM_HEAT, (uint64_t)m->id[i], 0, z);
        for (int c = 0; c < 3; c++)
            m->v[c][i] = sqrt(temperature * m->inverse[i]) * z[c];
    }
    myr_status status = m->all > 1 ? myr_molecular_remove_momentum(m) : MYR_OK;
    if (!status && m->rigid)
        status = myr_molecular_bind(m);
    if (!status)
        status = myr_molecular_kinetic(m, tensor);
    if (status)
        return status;
    const double now = (tensor[0] + tensor[1] + tensor[2]) / (double)m->memory.degrees;
    return now > 0 ? myr_molecular_scale(m, sqrt(temperature / now)) : MYR_OK;
}
