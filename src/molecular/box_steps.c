/* box_steps.c - integration steps: kicks change velocities, drifts change box coordinates. */
#include <math.h>

#include "backend/box_motion.h"
#include "core/elementary.h"
#include "core/waiting.h"
#include "molecular/molecule_gpu.h"

enum { UNIT_INTERVAL = 1024 };

/* Particles per block: a compile-time constant, so that the compiler vectorises loops over a block. Arrays are padded
 * to whole blocks with particles of zero mass and velocity. */
enum { BLOCK = MYR_MOLECULAR_BLOCK };

/* Processor seconds per particle of a kick and a drift. */
#define WORK 4e-9

void myr_molecular_units(const myr_molecular *m, double dt, double unit[3])
{
    for (int c = 0; c < 3; c++)
        unit[c] = dt * (0x1p64 / m->box.length[c]);
}

/* Kick and drift of one axis of a block: v += w f, q += v unit; adds v^2 to `square`. */
static inline void motion_axis(int64_t at, const double *restrict w, const double *restrict f, double *restrict v,
                               uint64_t *restrict q, double unit, double *restrict square)
{
    for (int k = 0; k < BLOCK; k++) {
        const double now = v[at + k] + w[k] * f[at + k];
        v[at + k] = now;
        square[k] += now * now;
        q[at + k] += (uint64_t)box_motion_round(now * unit);
    }
}

/* Kick of one axis of a block: v += w f; adds the square of the velocity after another such kick to `square`. */
static inline void motion_kick_axis(int64_t at, const double *restrict w, const double *restrict f, double *restrict v,
                                    double *restrict square)
{
    for (int k = 0; k < BLOCK; k++) {
        const double kick = w[k] * f[at + k], now = v[at + k] + kick, next = now + kick;
        v[at + k] = now;
        square[k] += next * next;
    }
}

/* Maximum of `largest` and the entries of a block; infinite if an entry is NaN. */
static inline double motion_largest(double largest, const double *square)
{
    for (int k = 0; k < BLOCK; k++)
        largest = square[k] <= largest ? largest : square[k] <= INFINITY ? square[k] : INFINITY;
    return largest;
}

static int64_t motion_blocks(const myr_molecular *m)
{
    return (m->n + BLOCK - 1) / BLOCK;
}

/* Kick and drift: v += a h, x += v dt. Returns the largest displacement of any particle. */
static double motion_kick_drift(myr_molecular *m, double h, double dt)
{
    double unit[3], furthest = 0;
    myr_molecular_units(m, dt, unit);
#pragma omp parallel for num_threads(m->team) reduction(max : furthest) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t b = 0; b < motion_blocks(m); b++) {
        double w[BLOCK], square[BLOCK] = {0};
        for (int k = 0; k < BLOCK; k++)
            w[k] = h * m->inverse[b * BLOCK + k];
        for (int c = 0; c < 3; c++)
            motion_axis(b * BLOCK, w, m->f[c], m->v[c], m->q[c], unit[c], square);
        furthest = motion_largest(furthest, square);
    }
    return sqrt(furthest) * fabs(dt);
}

/* Reverts the last kick and drift: coordinates exactly, velocities up to rounding. */
static void motion_undo(myr_molecular *m, double h, double dt)
{
    double unit[3];
    myr_molecular_units(m, dt, unit);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++) {
            m->q[c][i] -= (uint64_t)box_motion_round(m->v[c][i] * unit[c]);
            m->v[c][i] -= h * m->inverse[i] * m->f[c][i];
        }
}

/* Kick v += a h; sets reach2 from the displacement that the next step would have. */
static void motion_kick(myr_molecular *m, double h)
{
    double reach2 = 0;
#pragma omp parallel for num_threads(m->team) reduction(max : reach2) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t b = 0; b < motion_blocks(m); b++) {
        double w[BLOCK], square[BLOCK] = {0};
        for (int k = 0; k < BLOCK; k++)
            w[k] = h * m->inverse[b * BLOCK + k];
        for (int c = 0; c < 3; c++)
            motion_kick_axis(b * BLOCK, w, m->f[c], m->v[c], square);
        reach2 = motion_largest(reach2, square);
    }
    m->reach2 = reach2;
}

void myr_molecular_measure_reach(myr_molecular *m)
{
    if (m->gpu) /* the device checks every step */
        return;
    const double h = 0.5 * m->parameter[MYR_MOLECULAR_STEP];
    m->reach2 = 0;
    for (int64_t i = 0; i < m->n; i++) {
        double next2 = 0;
        for (int c = 0; c < 3; c++) {
            const double v = m->v[c][i] + h * m->inverse[i] * m->f[c][i];
            next2 += v * v;
        }
        m->reach2 = next2 <= INFINITY ? fmax(m->reach2, next2) : INFINITY;
        if (m->reach2 == INFINITY)
            return;
    }
}

/* Largest displacement allowed in one step: half the shortest cutoff, since beyond that a pair could pass each other
 * unseen, a quarter of the box, and half the distance of two walls. */
double myr_molecular_limit(const myr_molecular *m)
{
    double limit = 0.5 * m->cutoff[0];
    for (int c = 0; c < 3; c++)
        limit = fmin(limit, 0.25 * m->box.length[c]);
    for (int c = 0; c < 3; c++)
        if (m->options.wall[c].kind != MYR_WALL_NONE)
            limit = fmin(limit, 0.5 * (m->options.wall[c].high - m->options.wall[c].low));
    return limit;
}

/* Fails with a message that names the particle with the largest displacement. */
static myr_status motion_refuse(const myr_molecular *m, double dt)
{
    int64_t worst = 0;
    double most = 0, distance = INFINITY;
    const myr_status passed = myr_molecular_check_passed(m);
    if (passed)
        return passed;
    for (int64_t i = 0; i < m->n; i++) {
        double next2 = 0;
        for (int c = 0; c < 3; c++) {
            const double v = m->v[c][i] + (m->memory.pending + 0.5 * dt) * m->inverse[i] * m->f[c][i];
            next2 += v * v;
        }
        if (!(next2 <= most)) {
            most = next2;
            worst = i;
        }
        if (!isfinite(next2))
            break;
    }
    const int64_t near = myr_molecular_nearest(m, worst, &distance);
    return myr_context_fail(
        m->context, MYR_ERROR_NONFINITE,
        "particle %lld would move by %.3g in one step of %g%s; its nearest neighbour, particle %lld, "
        "is %.4g away: the time step is too long, or they started too close",
        (long long)myr_molecular_id(m, worst), sqrt(most) * fabs(dt), myr_context_time(m->context, dt),
        myr_context_time_name(m->context), (long long)myr_molecular_id(m, near), distance);
}

/* Ornstein-Uhlenbeck step of one particle: v = keep v + noise. */
static inline void motion_ornstein_uhlenbeck(const myr_molecular *m, int64_t i, int64_t step, double keep, double heat,
                                             double after[3])
{
    for (int c = 0; c < 3; c++)
        after[c] = m->v[c][i];
    box_motion_shake(after, m->options.seed, (uint64_t)m->id[i], step, keep, sqrt(heat * m->inverse[i]));
}

/* Half a drift of one particle, reflected at walls. */
static inline void motion_half_drift(myr_molecular *m, int64_t i, const double unit[3], int64_t *push)
{
    for (int c = 0; c < 3; c++)
        m->q[c][i] += (uint64_t)box_motion_round(m->v[c][i] * unit[c]);
    if (m->reflecting)
        myr_molecular_reflect_one(m, i, push);
}

/* Middle part of BAOAB for one particle: half a drift, Ornstein-Uhlenbeck step, half a drift. Returns the square of its
 * displacement, or with reflecting walls of an upper bound. */
static double motion_langevin_drift(myr_molecular *m, int64_t i, int64_t step, double keep, double heat,
                                    const double unit[3], double half, int64_t *push)
{
    const double before[3] = {m->v[0][i], m->v[1][i], m->v[2][i]};
    double after[3];
    motion_half_drift(m, i, unit, push);
    motion_ornstein_uhlenbeck(m, i, step, keep, heat, after);
    for (int c = 0; c < 3; c++)
        m->v[c][i] = after[c];
    motion_half_drift(m, i, unit, push);
    return box_motion_way2(before, after, m->reflecting) * half * half;
}

/* Middle part of g-BAOAB with rigid bonds (Leimkuhler and Matthews 2016). The noise along a bond need not be projected
 * out: the constraint forces of the following drift remove that component. */
static myr_status motion_rigid_langevin(myr_molecular *m, double dt, int64_t step, double keep, double heat)
{
    myr_status status = myr_molecular_rigid_drift(m, 0.5 * dt);
    for (int64_t i = 0; !status && i < m->n; i++) {
        double after[3];
        motion_ornstein_uhlenbeck(m, i, step, keep, heat, after);
        for (int c = 0; c < 3; c++)
            m->v[c][i] = after[c];
    }
    if (!status)
        status = myr_molecular_rigid_drift(m, 0.5 * dt);
    return status ? status : myr_molecular_update(m, 0);
}

/* Langevin step (BAOAB). Random forces may move a particle further than its velocity suggests: the displacement is
 * checked, so that the pair list never misses a pair. */
static myr_status motion_langevin(myr_molecular *m, double time, double dt, int64_t step)
{
    const double keep = myr_elementary_exp(-m->parameter[MYR_MOLECULAR_COUPLING] * fabs(dt));
    const double heat = (1 - keep * keep) * myr_molecular_temperature(m, time + 0.5 * dt);
    double unit[3], furthest = 0;
    int64_t push[3 * BOX_SIDES] = {0};
    myr_molecular_units(m, 0.5 * dt, unit);
    motion_kick(m, 0.5 * dt);
    if (m->rigid)
        return motion_rigid_langevin(m, dt, step, keep, heat);
#pragma omp parallel for num_threads(m->team) reduction(max : furthest)                                               \
    reduction(+ : push[: 3 * BOX_SIDES]) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t i = 0; i < m->n; i++)
        furthest = fmax(furthest, motion_langevin_drift(m, i, step, keep, heat, unit, 0.5 * dt, push));
    myr_molecular_add_push(m, push);
    return myr_molecular_update_ahead(m, sqrt(furthest));
}

static myr_status motion_drift(myr_molecular *m, double time, double dt, int64_t step)
{
    if (m->scheme == MYR_MOLECULAR_LANGEVIN)
        return motion_langevin(m, time, dt, step);
    myr_status status = m->scheme == MYR_MOLECULAR_NOSE_HOOVER ? myr_molecular_chain(m, time, 0.5 * dt) : MYR_OK;
    if (status)
        return status;
    if (!m->rigid) {
        const double furthest = motion_kick_drift(m, 0.5 * dt, dt);
        myr_molecular_reflect(m);
        return myr_molecular_update_ahead(m, furthest);
    }
    motion_kick(m, 0.5 * dt);
    status = myr_molecular_rigid_drift(m, dt);
    return status ? status : myr_molecular_update(m, 0);
}

myr_status myr_molecular_after_step(myr_molecular *m, double time, double dt, int64_t step)
{
    const myr_molecular_options *o = &m->options;
    myr_status status = MYR_OK;
    if (o->centre_interval > 0 && (step + 1) % o->centre_interval == 0)
        status = myr_molecular_remove_momentum(m);
    if (!status && o->pressure_interval > 0 && (step + 1) % o->pressure_interval == 0)
        status = myr_molecular_try_volume(m, time + dt, step);
    return status;
}

/* Second half of a step, after the force evaluation. */
static myr_status motion_finish(myr_molecular *m, double time, double dt, int64_t step)
{
    motion_kick(m, 0.5 * dt);
    myr_status status = m->rigid ? myr_molecular_rigid_speed(m) : MYR_OK;
    if (!status && m->scheme == MYR_MOLECULAR_NOSE_HOOVER)
        status = myr_molecular_chain(m, time + dt, 0.5 * dt);
    if (!status && m->scheme == MYR_MOLECULAR_BERENDSEN)
        status = myr_molecular_berendsen(m, time + dt, dt);
    return status ? status : myr_molecular_after_step(m, time, dt, step);
}

/* Velocity Verlet in one pass over the particles: the second kick of a step is deferred and merged with the first kick
 * of the next step. */
static myr_status motion_verlet(myr_molecular *m, double dt)
{
    const int exact = m->options.exact_reverse;
    const double h = m->memory.pending + 0.5 * dt;
    myr_status status = exact ? myr_molecular_check_whole(m, dt) : MYR_OK;
    if (status)
        return status;
    const double furthest = exact ? myr_molecular_exact_drift(m, dt) : motion_kick_drift(m, h, dt);
    if (!(furthest < myr_molecular_limit(m))) {
        if (exact)
            myr_molecular_exact_undo(m, dt);
        else
            motion_undo(m, h, dt);
        return motion_refuse(m, dt);
    }
    myr_molecular_reflect(m);
    status = myr_molecular_update_ahead(m, furthest);
    if (!status)
        status = myr_molecular_forces(m, m->f, NULL);
    m->memory.pending = 0.5 * dt;
    myr_molecular_add_push(m, m->push);
    return status;
}

/* Counts steps, and the list builds of a minimisation before the first step. */
static void motion_count(myr_molecular *m)
{
    myr_neighbour_progress p = {0};
    if (m->list && m->steps_made == 0) {
        myr_neighbour_progress_of(m->list, &p);
        m->builds_before = p.builds;
    }
    m->steps_made++;
}

/* The unit of fixed-point sums follows typical pairs: it is chosen again at steps 0, 1, 2, 4, 8 and so on, and then
 * every UNIT_INTERVAL steps, which takes a thousandth of the time of the steps. Steps that are reversed exactly keep
 * the first unit, with which the forces are a function of the positions. Numbers of steps decide, so that a restart
 * chooses when the uninterrupted run does. */
int myr_molecular_unit_is_due(const myr_molecular *m, int64_t step)
{
    return (m->list || m->molecule) && m->fixed && !m->options.exact_reverse &&
           ((step < UNIT_INTERVAL && (step & (step - 1)) == 0) || step % UNIT_INTERVAL == 0);
}

static myr_status motion_step(myr_molecular *m, double time, double dt, int64_t step)
{
    const double limit = myr_molecular_limit(m);
    m->step = dt;
    m->now = time + dt;
    myr_waiting_look(m->context);
    m->team = myr_waiting_threads(m->context, m->threads, WORK * (double)m->n);
    motion_count(m);
    const int is_unit_due = myr_molecular_unit_is_due(m, step);
    if (is_unit_due && m->molecule)
        myr_interaction_renew_grid(m->molecule->pairs);
    else if (is_unit_due)
        myr_neighbour_choose_unit(m->list);
    if (m->scheme == MYR_MOLECULAR_VERLET && !m->molecule && m->options.centre_interval == 0)
        return motion_verlet(m, dt);
    if (!(m->reach2 * dt * dt < limit * limit))
        return motion_refuse(m, dt);
    myr_status status = motion_drift(m, time, dt, step);
    if (!status)
        status = myr_molecular_forces(m, m->f, NULL);
    myr_molecular_add_push(m, m->push);
    return status ? status : motion_finish(m, time, dt, step);
}

myr_status myr_molecular_step_here(myr_molecular *m, double time, double dt, int64_t step)
{
    myr_status status = myr_molecular_keep_before(m);
    if (status)
        return status;
    status = motion_step(m, time, dt, step);
    if (status) {
        m->now = time;
        myr_molecular_take_back(m);
    }
    return status;
}

myr_status myr_molecular_step(myr_molecular *m, const double *time, double dt, int64_t step, int64_t most,
                              int64_t *made)
{
    if (m->gpu)
        return myr_molecular_gpu_steps(m, time, dt, step, most, made);
    if (m->seat)
        return myr_molecule_gpu_step_one(m, time, dt, step, most, made);
    const myr_status status = myr_molecular_step_here(m, time[0], dt, step);
    *made = !status;
    return status;
}
