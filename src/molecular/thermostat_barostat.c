/* thermostat_barostat.c - thermostats that scale velocities, the Monte Carlo barostat, and temperature and pressure
 * ramps. All quantities that decide are summed in integers. */
#include <math.h>
#include <string.h>

#include "core/elementary.h"
#include "core/random.h"
#include "molecular/molecular.h"

enum { STREAM_VOLUME = 1 << 20, VOLUME_ADAPT = 20 };
#define TWO_PI 6.28318530717958647692

static double bath_ramp(double from, double to, double ramp, double passed)
{
    if (!(ramp > 0))
        return from;
    const double part = passed >= ramp ? 1 : passed > 0 ? passed / ramp : 0;
    return from + part * (to - from);
}

double myr_molecular_temperature(const myr_molecular *m, double time)
{
    return bath_ramp(m->parameter[MYR_MOLECULAR_TEMPERATURE], m->parameter[MYR_MOLECULAR_TEMPERATURE_END],
                     m->parameter[MYR_MOLECULAR_RAMP], time - m->memory.begin);
}

double myr_molecular_pressure(const myr_molecular *m, double time)
{
    const myr_molecular_options *o = &m->options;
    return bath_ramp(o->pressure, o->pressure_end, o->pressure_ramp, time - m->memory.begin);
}

static myr_status bath_twice_kinetic(const myr_molecular *m, double *twice)
{
    double tensor[6];
    const myr_status status = myr_molecular_kinetic(m, tensor);
    *twice = tensor[0] + tensor[1] + tensor[2];
    return status;
}

/* --- thermostats that scale velocities (backend/box_bath.h) ------------------------------------------------------- */

box_bath myr_molecular_bath_set(const myr_molecular *m, double dt)
{
    return (box_bath){.kind = m->scheme == MYR_MOLECULAR_NOSE_HOOVER ? BOX_BATH_CHAIN
                              : m->scheme == MYR_MOLECULAR_BERENDSEN ? BOX_BATH_BERENDSEN
                                                                     : BOX_BATH_NONE,
                      .links = (int)m->parameter[MYR_MOLECULAR_CHAIN],
                      .degrees = (double)m->memory.degrees,
                      .tau = m->parameter[MYR_MOLECULAR_COUPLING] / TWO_PI,
                      .part = fmin(fabs(dt) / m->parameter[MYR_MOLECULAR_COUPLING], 1)};
}

myr_status myr_molecular_chain(myr_molecular *m, double time, double dt)
{
    const box_bath bath = myr_molecular_bath_set(m, dt);
    double twice;
    const myr_status status = bath_twice_kinetic(m, &twice);
    if (status)
        return status;
    return myr_molecular_scale(
        m, box_chain_advance(&bath, &m->memory.chain, twice, myr_molecular_temperature(m, time), dt));
}

double myr_molecular_bath(const myr_molecular *m, double time)
{
    const double heat = m->scheme == MYR_MOLECULAR_NOSE_HOOVER ? myr_molecular_temperature(m, time) : 0;
    const box_bath bath = myr_molecular_bath_set(m, 0);
    double energy = 0;
    for (int k = 0; heat > 0 && k < bath.links; k++) {
        const double v = m->memory.chain.velocity[k];
        energy += 0.5 * box_chain_mass(&bath, k, heat) * v * v;
        energy += heat * m->memory.chain.position[k] * (k == 0 ? bath.degrees : 1);
    }
    return energy;
}

myr_status myr_molecular_berendsen(myr_molecular *m, double time, double dt)
{
    const box_bath bath = myr_molecular_bath_set(m, dt);
    double twice;
    const myr_status status = bath_twice_kinetic(m, &twice);
    return status ? status
                  : myr_molecular_scale(m, box_berendsen_factor(&bath, twice, myr_molecular_temperature(m, time)));
}

myr_status myr_molecular_check_bath(const myr_molecular *m)
{
    const double *p = m->parameter;
    if (m->scheme == MYR_MOLECULAR_NOSE_HOOVER &&
        !(p[MYR_MOLECULAR_TEMPERATURE] > 0 && (p[MYR_MOLECULAR_TEMPERATURE_END] > 0 || !(p[MYR_MOLECULAR_RAMP] > 0))))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "nose_hoover needs a temperature above 0, also at the end of a ramp; use langevin or "
                                "berendsen to cool down to 0");
    return MYR_OK;
}

myr_status myr_molecular_check_motion(const myr_molecular *m, double time)
{
    double twice;
    if (m->scheme != MYR_MOLECULAR_BERENDSEN || m->all == 0 || !(myr_molecular_temperature(m, time) > 0))
        return MYR_OK;
    const myr_status status = bath_twice_kinetic(m, &twice);
    if (status || twice > 0)
        return status;
    return myr_context_fail(m->context, MYR_ERROR_VALUE,
                            "berendsen scales velocities, and all of them are 0; give the particles a temperature "
                            "first, or use langevin");
}

/* --- Monte Carlo barostat --------------------------------------------------------------------------------------------
 * Box and positions change by a random factor, accepted with the weight of the ensemble (Frenkel and Smit, section
 * 5.4.2, random walk in log V). */

static myr_status volume_energy(myr_molecular *m, const myr_box *box, double *energy)
{
    myr_neighbour_sums sums;
    double tail, pressure, restraint = 0;
    m->box = *box;
    myr_status status = myr_neighbour_set_box(m->list, box);
    if (!status)
        status = myr_molecular_update(m, 0);
    if (!status)
        status = myr_molecular_forces(m, m->f, &sums);
    if (!status)
        status = myr_molecular_restraint(m, &restraint);
    if (status)
        return status;
    myr_molecular_tail(m, &tail, &pressure);
    *energy = sums.energy + tail + restraint;
    return MYR_OK;
}

/* Box after a change of log V along one axis (axis < 0: along all axes equally); the middle of the box stays. */
static myr_box volume_scaled(const myr_molecular *m, double change, int axis)
{
    myr_box box = m->box;
    const double factor = myr_elementary_exp(axis < 0 ? change / 3 : change);
    for (int c = 0; c < 3; c++)
        if (axis < 0 || c == axis) {
            box.origin[c] -= 0.5 * (factor - 1) * box.length[c];
            box.length[c] *= factor;
        }
    return box;
}

/* Adapts volume_step so that between a third and two thirds of the trials are accepted. */
static void volume_adapt(myr_molecular_memory *k)
{
    if (k->recent_trials < VOLUME_ADAPT)
        return;
    if (3 * k->recent_moves < k->recent_trials)
        k->volume_step *= 0.8;
    else if (3 * k->recent_moves > 2 * k->recent_trials)
        k->volume_step = fmin(1.25 * k->volume_step, 0.3);
    k->recent_trials = k->recent_moves = 0;
}

static int volume_fits(const myr_molecular *m, const myr_box *box)
{
    for (int c = 0; c < 3; c++)
        if (box->length[c] < 2 * m->cutoff[1])
            return 0;
    return 1;
}

/* Warns once that the barostat has reached the smallest box that the cutoff allows; the pressure is then not the
 * requested one. */
static void volume_warn_smallest(myr_molecular *m)
{
    if (m->warned_smallest)
        return;
    m->warned_smallest = 1;
    myr_context_warn(m->context,
                     "the barostat tries a box with an edge below twice the cutoff %g, and all such moves are refused: "
                     "the pressure may not be reached; use more particles or a shorter cutoff",
                     m->cutoff[1]);
}

static double volume_of(const myr_box *box)
{
    return box->length[0] * box->length[1] * box->length[2];
}

/* Cost of a trial in units of k T; the trial is accepted if a uniform random number is below exp(-cost). */
static double volume_cost(const myr_molecular *m, double time, double work, const myr_box *from, const myr_box *to)
{
    const double heat = myr_molecular_temperature(m, time);
    const double pushed = myr_molecular_pressure(m, time) * (volume_of(to) - volume_of(from));
    return (work + pushed) / heat - ((double)m->all + 1) * myr_elementary_log(volume_of(to) / volume_of(from));
}

myr_status myr_molecular_try_volume(myr_molecular *m, double time, int64_t step)
{
    myr_molecular_memory *k = &m->memory;
    const myr_box old = m->box;
    double u[2], choice[2], before = 0, after = 0;
    const uint32_t stream = STREAM_VOLUME + (uint32_t)(step >> 32);
    myr_random_uniform(m->options.seed, stream, 0, (uint32_t)step, u);
    myr_random_uniform(m->options.seed, stream, 1, (uint32_t)step, choice);
    const int axis = m->options.anisotropic ? (int)(3 * choice[0]) : -1;
    const myr_box trial = volume_scaled(m, (2 * u[0] - 1) * k->volume_step, axis);
    k->volume_trials++;
    k->recent_trials++;
    myr_status status = volume_energy(m, &old, &before);
    const int fits = volume_fits(m, &trial);
    if (!fits)
        volume_warn_smallest(m);
    if (!status && fits)
        status = volume_energy(m, &trial, &after);
    const double cost = status || !fits ? 1e300 : volume_cost(m, time, after - before, &old, &trial);
    const int taken = !status && (cost <= 0 || (cost < 700 && u[1] < myr_elementary_exp(-cost)));
    if (taken) {
        k->volume_moves++;
        k->recent_moves++;
    } else if (!status && fits)
        status = volume_energy(m, &old, &before);
    volume_adapt(k);
    if (!status)
        myr_molecular_measure_reach(m);
    return status;
}
