/* exact_steps.c - velocity Verlet that is reversible bit for bit: velocities and kicks are multiples of a power of two
 * (backend/exact_motion.h). */
#include <math.h>

#include "backend/box_motion.h"
#include "molecular/molecular.h"

enum { BLOCK = MYR_MOLECULAR_BLOCK };

myr_status myr_molecular_check_exact(const myr_molecular *m)
{
    const char *reason = m->molecule                         ? "molecules have bonds, whose forces it does not round"
                         : m->scheme != MYR_MOLECULAR_VERLET ? "the integrator must be verlet"
                         : !m->fixed                      ? "sums must not depend on the order: use accumulator fixed"
                         : m->options.centre_interval > 0 ? "the motion of the centre must not be removed"
                                                          : NULL;
    return reason
               ? myr_context_fail(m->context, MYR_ERROR_COMBINATION, "exact_reverse is not possible here: %s", reason)
               : MYR_OK;
}

double myr_molecular_grid(const myr_molecular *m)
{
    return ldexp(1.5, 52 + (int)m->memory.velocity_exponent);
}

/* No velocity exceeds the largest displacement of a step over dt, and no half kick more than that. */
void myr_molecular_choose_grid(myr_molecular *m)
{
    const double most = myr_molecular_limit(m) / m->parameter[MYR_MOLECULAR_STEP];
    m->memory.velocity_exponent = ilogb(most) + 2 - EXACT_BITS;
    const double grid = myr_molecular_grid(m);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->v[c][i] = exact_round(m->v[c][i], grid);
}

myr_status myr_molecular_check_whole(const myr_molecular *m, double dt)
{
    const double whole = m->parameter[MYR_MOLECULAR_STEP], h = m->memory.pending;
    if (fabs(dt) == whole && (h == 0 || fabs(h) == 0.5 * whole))
        return MYR_OK;
    return myr_context_fail(
        m->context, MYR_ERROR_VALUE,
        "exact_reverse makes whole steps of %g%s only; end at a multiple of dt, and do not change dt",
        myr_context_time(m->context, whole), myr_context_time_name(m->context));
}

/* Number of half kicks due: 1 at first, 2 if one was deferred, 0 if the motion turns back and undoes the deferred one.
 */
static double exact_halves(const myr_molecular *m, double dt)
{
    return rint((m->memory.pending + 0.5 * dt) / (0.5 * dt));
}

/* Kick and drift of one axis of a block; adds v^2 to `square`. */
static inline void exact_axis(int64_t at, const double *restrict w, const double *restrict f, double *restrict v,
                              uint64_t *restrict q, double unit, double halves, double grid, double *restrict square)
{
    for (int k = 0; k < BLOCK; k++) {
        const double now = exact_kick(v[at + k], w[k], f[at + k], halves, grid);
        v[at + k] = now;
        square[k] += now * now;
        q[at + k] += (uint64_t)box_motion_round(now * unit);
    }
}

double myr_molecular_exact_drift(myr_molecular *m, double dt)
{
    const double grid = myr_molecular_grid(m), halves = exact_halves(m, dt);
    double unit[3], furthest = 0;
    myr_molecular_units(m, dt, unit);
#pragma omp parallel for num_threads(m->team) reduction(max : furthest) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t b = 0; b < (m->n + BLOCK - 1) / BLOCK; b++) {
        double w[BLOCK], square[BLOCK] = {0};
        for (int k = 0; k < BLOCK; k++)
            w[k] = 0.5 * dt * m->inverse[b * BLOCK + k];
        for (int c = 0; c < 3; c++)
            exact_axis(b * BLOCK, w, m->f[c], m->v[c], m->q[c], unit[c], halves, grid, square);
        for (int k = 0; k < BLOCK; k++)
            furthest = square[k] <= furthest ? furthest : square[k] <= INFINITY ? square[k] : INFINITY;
    }
    return sqrt(furthest) * fabs(dt);
}

void myr_molecular_exact_undo(myr_molecular *m, double dt)
{
    const double grid = myr_molecular_grid(m), halves = exact_halves(m, dt);
    double unit[3];
    myr_molecular_units(m, dt, unit);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++) {
            m->q[c][i] -= (uint64_t)box_motion_round(m->v[c][i] * unit[c]);
            m->v[c][i] = exact_kick(m->v[c][i], 0.5 * dt * m->inverse[i], m->f[c][i], -halves, grid);
        }
}

myr_status myr_molecular_reverse(myr_molecular *m)
{
    const myr_status copied = myr_molecular_gpu_fetch(m);
    if (copied)
        return copied;
    double *const *v = myr_molecular_velocities(m);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->v[c][i] = -v[c][i];
    for (int k = 0; k < BOX_LINKS; k++)
        m->memory.chain.velocity[k] = -m->memory.chain.velocity[k];
    m->memory.pending = 0;
    myr_molecular_measure_reach(m);
    myr_molecular_gpu_changed(m);
    return MYR_OK;
}
