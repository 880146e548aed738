/* forces.c - the list kept valid, forces and what is added to them, and what lies beyond the cutoff. */
#include <math.h>

#include "core/timer.h"
#include "molecular/molecular.h"

#define OVERLAP_FORCE 1e6 /* epsilon/sigma: a distance of 0.46 sigma */

/* A particle near the end of an open axis doubles the axis: positions stay, coordinates move towards the middle. */
static myr_status forces_widen(myr_molecular *m)
{
    const uint64_t middle = UINT64_C(1) << 63, near = UINT64_C(1) << 61;
    int widened = 0;
    for (int c = 0; c < 3; c++) {
        int wide = 0;
        if (m->box.periodic[c])
            continue;
        for (int64_t i = 0; i < m->n && !wide; i++)
            wide = m->q[c][i] < near || m->q[c][i] > UINT64_MAX - near;
        if (!wide)
            continue;
        for (int64_t i = 0; i < m->n; i++) {
            m->q[c][i] = middle + (uint64_t)((int64_t)(m->q[c][i] - middle) / 2);
            if (m->anchor[c])
                m->anchor[c][i] = middle + (uint64_t)((int64_t)(m->anchor[c][i] - middle) / 2);
        }
        m->box.origin[c] -= 0.5 * m->box.length[c];
        m->box.length[c] *= 2;
        widened = 1;
    }
    if (!widened || !m->list)
        return MYR_OK;
    const myr_status status = myr_neighbour_set_box(m->list, &m->box);
    myr_neighbour_invalidate(m->list);
    return status ? status : myr_neighbour_update(m->list, 0, NULL);
}

myr_status myr_molecular_update(myr_molecular *m, double furthest)
{
    const double start = myr_timer_now();
    int rebuilt = 1;
    myr_status status = m->list ? myr_neighbour_update(m->list, furthest, &rebuilt) : MYR_OK;
    if (!status && rebuilt)
        status = forces_widen(m);
    m->force_seconds += myr_timer_now() - start;
    return status;
}

int64_t myr_molecular_nearest(const myr_molecular *m, int64_t i, double *distance)
{
    int64_t nearest = -1;
    double least = INFINITY;
    for (int64_t j = 0; j < m->n; j++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d = (double)(int64_t)(m->q[c][j] - m->q[c][i]) * (m->box.length[c] * 0x1p-64);
            r2 += d * d;
        }
        if (j != i && r2 < least) {
            least = r2;
            nearest = j;
        }
    }
    *distance = sqrt(least);
    return nearest;
}

/* The particle with the largest force, or the first one without a number. */
static int64_t forces_largest(const myr_molecular *m, double *largest)
{
    int64_t at = 0;
    *largest = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double f2 = m->f[0][i] * m->f[0][i] + m->f[1][i] * m->f[1][i] + m->f[2][i] * m->f[2][i];
        if (!(f2 <= *largest)) {
            at = i;
            *largest = f2;
        }
        if (!isfinite(f2))
            break;
    }
    *largest = sqrt(*largest);
    return at;
}

myr_status myr_molecular_check_overlap(myr_molecular *m)
{
    double largest, distance;
    const int64_t i = forces_largest(m, &largest);
    if (largest < OVERLAP_FORCE * m->epsilon / m->sigma)
        return MYR_OK;
    const int64_t j = myr_molecular_nearest(m, i, &distance);
    if (j < 0)
        return MYR_OK;
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "particles %lld and %lld overlap: they are %.4g apart, %.3g of the smallest sigma; move "
                            "one of them, or minimise the energy first",
                            (long long)m->ids[m->index[i]], (long long)m->ids[m->index[j]], distance,
                            distance / m->sigma);
}

myr_status myr_molecular_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    const double start = myr_timer_now();
    myr_status status =
        m->molecule ? myr_molecular_molecule_forces(m, force, sums) : myr_neighbour_forces(m->list, force, sums);
    for (int k = 0; !status && k < m->terms; k++)
        status = m->term[k].add(m, force, sums);
    m->force_seconds += myr_timer_now() - start;
    return status;
}

void myr_molecular_tail(const myr_molecular *m, double *energy, double *pressure)
{
    *energy = *pressure = 0;
    if (!m->options.tail)
        return;
    const double volume = m->box.length[0] * m->box.length[1] * m->box.length[2];
    for (int k = 0; k < m->types * m->types; k++) {
        const double density = (double)m->count[k % m->types] / volume;
        const double half = 0.5 * (double)m->count[k / m->types] * density;
        double beyond, virial;
        myr_cut_tail(&m->pair[k], &beyond, &virial);
        *energy += half * beyond;
        *pressure += half * virial / (3 * volume);
    }
}

/* --- restraints: springs of one stiffness to where the particles were at the start ----------------------------------
 */

static myr_status forces_restrain(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    const double k = m->options.restraint;
    const int type = m->options.restraint_type;
    const double unit[3] = {m->box.length[0] * 0x1p-64, m->box.length[1] * 0x1p-64, m->box.length[2] * 0x1p-64};
#pragma omp parallel for num_threads(m->threads) if (m->n > 4096)
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3 && (type < 0 || m->type[i] == type); c++)
            force[c][i] -= k * ((double)(int64_t)(m->q[c][i] - m->anchor[c][i]) * unit[c]);
    (void)sums; /* its energy is told apart from that of pairs, and held particles are not a pressure */
    return MYR_OK;
}

myr_status myr_molecular_restrain(myr_molecular *m)
{
    if (m->terms == MYR_MOLECULAR_TERMS)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "at most %d kinds of forces", MYR_MOLECULAR_TERMS);
    m->term[m->terms++] = (myr_force_term){forces_restrain};
    return MYR_OK;
}
