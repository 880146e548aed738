/* box_steps.c - steps: kicks change velocities, drifts move box coordinates. */
#include <math.h>

#include "core/elementary.h"
#include "core/random.h"
#include "molecular/molecular.h"

enum { STREAM_LANGEVIN = 32 };

/* Particles in a block: a constant count, so that plain loops over it become vectors. Arrays are padded to whole
 * blocks with particles of no mass and no speed. */
enum { BLOCK = MYR_MOLECULAR_BLOCK };

/* Coordinates per velocity in a drift of length dt. */
static void motion_units(const myr_molecular *m, double dt, double unit[3])
{
    for (int c = 0; c < 3; c++)
        unit[c] = dt * (0x1p64 / m->box.length[c]);
}

/* x rounded to the nearest whole number, |x| < 2^62, by additions alone: conversions of vectors of doubles to 64-bit
 * integers are not to be had everywhere. The high part is a multiple of 2^26, what is left is exact. */
static inline int64_t motion_round(double x)
{
    const double magic = 0x1.8p52;
    union {
        double number;
        int64_t bits;
    } high = {x * 0x1p-26 + magic}, low;
    low.number = (x - (high.number - magic) * 0x1p26) + magic;
    const int64_t zero = INT64_C(0x4338000000000000); /* the bits of magic */
    return (int64_t)((uint64_t)(high.bits - zero) << 26) + (low.bits - zero);
}

/* One axis of a block: v += w f, q += v unit; the squares of v are added up. */
static inline void motion_axis(int64_t at, const double *restrict w, const double *restrict f, double *restrict v,
                               uint64_t *restrict q, double unit, double *restrict square)
{
    for (int k = 0; k < BLOCK; k++) {
        const double now = v[at + k] + w[k] * f[at + k];
        v[at + k] = now;
        square[k] += now * now;
        q[at + k] += (uint64_t)motion_round(now * unit);
    }
}

/* One axis of a block: v += w f; the squares of what another such kick would give are added up. */
static inline void motion_kick_axis(int64_t at, const double *restrict w, const double *restrict f, double *restrict v,
                                    double *restrict square)
{
    for (int k = 0; k < BLOCK; k++) {
        const double kick = w[k] * f[at + k], now = v[at + k] + kick, next = now + kick;
        v[at + k] = now;
        square[k] += next * next;
    }
}

/* The largest of a block; infinite where one is not a number. */
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

/* v += a h, x += v dt; gives the furthest way that any particle went. */
static double motion_kick_drift(myr_molecular *m, double h, double dt)
{
    double unit[3], furthest = 0;
    motion_units(m, dt, unit);
#pragma omp parallel for num_threads(m->threads) reduction(max : furthest) if (m->n > MYR_MOLECULAR_ALONE)
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

/* Takes the last kick and drift back: coordinates exactly, velocities but for rounding. */
static void motion_undo(myr_molecular *m, double h, double dt)
{
    double unit[3];
    motion_units(m, dt, unit);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++) {
            m->q[c][i] -= (uint64_t)motion_round(m->v[c][i] * unit[c]);
            m->v[c][i] -= h * m->inverse[i] * m->f[c][i];
        }
}

/* v += a h, and how far a step from here would go. */
static void motion_kick(myr_molecular *m, double h)
{
    double reach2 = 0;
#pragma omp parallel for num_threads(m->threads) reduction(max : reach2) if (m->n > MYR_MOLECULAR_ALONE)
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

/* How far a particle may go in one step: beyond half the cutoff nobody knows any more whom it met. */
static double motion_limit(const myr_molecular *m)
{
    double limit = 0.5 * m->pair[0].cutoff;
    for (int c = 0; c < 3; c++)
        limit = fmin(limit, 0.25 * m->box.length[c]);
    return limit;
}

/* Names the particle for which the step is too long. */
static myr_status motion_refuse(const myr_molecular *m, double dt)
{
    int64_t worst = 0;
    double most = 0, distance = INFINITY;
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
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "particle %lld would move by %.3g in one step of %g; its nearest neighbour, particle %lld, "
                            "is %.4g away: the time step is too long, or they started too close",
                            (long long)myr_molecular_id(m, worst), sqrt(most) * fabs(dt), dt,
                            (long long)myr_molecular_id(m, near), distance);
}

/* Friction and noise on one particle: v = keep v + noise. */
static inline void motion_bath(const myr_molecular *m, int64_t i, int64_t step, double keep, double heat,
                               double after[3])
{
    double z[4];
    const uint64_t id = (uint64_t)m->id[i];
    myr_random_normal(m->options.seed, STREAM_LANGEVIN + (uint32_t)(step >> 32), id, (uint32_t)step, z);
    const double noise = sqrt(heat * m->inverse[i]);
    for (int c = 0; c < 3; c++)
        after[c] = keep * m->v[c][i] + noise * z[c];
}

/* The middle of BAOAB for one particle: half a drift, friction and noise, half a drift. Gives the square of its way. */
static double motion_bath_drift(myr_molecular *m, int64_t i, int64_t step, double keep, double heat,
                                const double unit[3], double half)
{
    double after[3], way2 = 0;
    motion_bath(m, i, step, keep, heat, after);
    for (int c = 0; c < 3; c++) {
        const double before = m->v[c][i];
        m->v[c][i] = after[c];
        m->q[c][i] += (uint64_t)(motion_round(before * unit[c]) + motion_round(after[c] * unit[c]));
        way2 += (before + after[c]) * (before + after[c]);
    }
    return way2 * half * half;
}

/* The same where bonds are rigid: each part by itself (Leimkuhler and Matthews 2016, g-BAOAB). What the noise has along
 * a bond need not be taken off: the drift that follows pulls the atoms back to the same places and takes it off with
 * that. */
static myr_status motion_rigid_langevin(myr_molecular *m, double dt, int64_t step, double keep, double heat)
{
    myr_status status = myr_molecular_rigid_drift(m, 0.5 * dt);
    for (int64_t i = 0; !status && i < m->n; i++) {
        double after[3];
        motion_bath(m, i, step, keep, heat, after);
        for (int c = 0; c < 3; c++)
            m->v[c][i] = after[c];
    }
    if (!status)
        status = myr_molecular_rigid_drift(m, 0.5 * dt);
    return status ? status : myr_molecular_update(m, 0);
}

/* The random force may throw a particle further than its speed says: never so far that a list would lose it. */
static myr_status motion_langevin(myr_molecular *m, double time, double dt, int64_t step)
{
    const double keep = myr_elementary_exp(-m->parameter[MYR_MOLECULAR_COUPLING] * fabs(dt));
    const double heat = (1 - keep * keep) * myr_molecular_temperature(m, time + 0.5 * dt);
    double unit[3], furthest = 0;
    motion_units(m, 0.5 * dt, unit);
    motion_kick(m, 0.5 * dt);
    if (m->rigid)
        return motion_rigid_langevin(m, dt, step, keep, heat);
#pragma omp parallel for num_threads(m->threads) reduction(max : furthest) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t i = 0; i < m->n; i++)
        furthest = fmax(furthest, motion_bath_drift(m, i, step, keep, heat, unit, 0.5 * dt));
    return myr_molecular_update_ahead(m, sqrt(furthest));
}

static myr_status motion_drift(myr_molecular *m, double time, double dt, int64_t step)
{
    if (m->scheme == MYR_MOLECULAR_LANGEVIN)
        return motion_langevin(m, time, dt, step);
    myr_status status = m->scheme == MYR_MOLECULAR_NOSE_HOOVER ? myr_molecular_chain(m, time, 0.5 * dt) : MYR_OK;
    if (status)
        return status;
    if (!m->rigid)
        return myr_molecular_update_ahead(m, motion_kick_drift(m, 0.5 * dt, dt));
    motion_kick(m, 0.5 * dt);
    status = myr_molecular_rigid_drift(m, dt);
    return status ? status : myr_molecular_update(m, 0);
}

/* What comes after the forces. */
static myr_status motion_finish(myr_molecular *m, double time, double dt, int64_t step)
{
    const myr_molecular_options *o = &m->options;
    motion_kick(m, 0.5 * dt);
    myr_status status = m->rigid ? myr_molecular_rigid_speed(m) : MYR_OK;
    if (!status && m->scheme == MYR_MOLECULAR_NOSE_HOOVER)
        status = myr_molecular_chain(m, time + dt, 0.5 * dt);
    if (!status && m->scheme == MYR_MOLECULAR_BERENDSEN)
        status = myr_molecular_berendsen(m, time + dt, dt);
    if (!status && o->centre_interval > 0 && (step + 1) % o->centre_interval == 0)
        status = myr_molecular_rest(m);
    if (!status && o->pressure_interval > 0 && (step + 1) % o->pressure_interval == 0)
        status = myr_molecular_try_volume(m, time + dt, step);
    return status;
}

/* Plain Verlet in one pass over the particles: the second kick of a step waits and goes with the first of the next. */
static myr_status motion_verlet(myr_molecular *m, double dt)
{
    const double h = m->memory.pending + 0.5 * dt;
    const double furthest = motion_kick_drift(m, h, dt);
    if (!(furthest < motion_limit(m))) {
        motion_undo(m, h, dt);
        return motion_refuse(m, dt);
    }
    myr_status status = myr_molecular_update_ahead(m, furthest);
    if (!status)
        status = myr_molecular_forces(m, m->f, NULL);
    m->memory.pending = 0.5 * dt;
    return status;
}

/* Counts steps, and the lists that a minimiser used up before the first. */
static void motion_count(myr_molecular *m)
{
    myr_neighbour_progress p = {0};
    if (m->list && m->steps_made == 0) {
        myr_neighbour_progress_of(m->list, &p);
        m->builds_before = p.builds;
    }
    m->steps_made++;
}

myr_status myr_molecular_step(myr_molecular *m, double time, double dt, int64_t step)
{
    const double limit = motion_limit(m);
    motion_count(m);
    if (m->scheme == MYR_MOLECULAR_VERLET && !m->molecule && m->options.centre_interval == 0)
        return motion_verlet(m, dt);
    if (!(m->reach2 * dt * dt < limit * limit))
        return motion_refuse(m, dt);
    myr_status status = motion_drift(m, time, dt, step);
    if (!status)
        status = myr_molecular_forces(m, m->f, NULL);
    return status ? status : motion_finish(m, time, dt, step);
}
