/* forces.c - validity of the pair list, forces, restraints, and the energy and pressure beyond the cutoff. */
#include <math.h>
#include <string.h>

#include "core/timer.h"
#include "molecular/molecular.h"

#define OVERLAP_FORCE 1e6 /* in epsilon/sigma; reached at a distance of 0.46 sigma */

#define SAME_PLACE 1e-3 /* in sigma; far above the distance that the pair list reports as zero */

#define COARSE_UNIT 1e-6 /* in sigma; the resolution of an open system 100 sigma wide in single arithmetic */
#define MIDDLE (UINT64_C(1) << 63)

/* Largest distance of any particle of any domain from the middle of each open axis, in coordinate units; 0 for periodic
 * axes. Rounded to double, because the reduction over domains is in double. */
static myr_status forces_extent(const myr_molecular *m, double off[3])
{
    for (int c = 0; c < 3; c++) {
        uint64_t most = 0;
        for (int64_t i = 0; i < m->n && !m->box.periodic[c]; i++) {
            const uint64_t q = m->q[c][i], away = q < MIDDLE ? MIDDLE - q : q - MIDDLE;
            most = away > most ? away : most;
        }
        off[c] = (double)most;
    }
    return myr_agreement_largest(myr_molecular_agreement(m), off, 3);
}

/* Single arithmetic uses the upper 32 bits of coordinates; on an open axis a single distant particle makes their unit
 * coarse. */
void myr_molecular_warn_unit(myr_molecular *m)
{
    if (m->warned_unit || !m->list || strcmp(myr_catalogue_arithmetic_name(m->interaction->arithmetic), "double") == 0)
        return;
    for (int c = 0; c < 3; c++) {
        const double unit = m->box.length[c] * 0x1p-32;
        if (m->box.periodic[c] || unit <= COARSE_UNIT * m->sigma)
            continue;
        m->warned_unit = 1;
        myr_context_warn(
            m->context,
            "particles are so far apart along %c, which is open, that pairs see their coordinates in steps "
            "of %.2g (the smallest sigma is %.3g); use double arithmetic, or remove distant particles",
            "xyz"[c], unit, m -> sigma);
        return;
    }
}

/* Doubles the length of an open axis: positions are unchanged, coordinates move towards the middle. */
static void forces_widen_axis(myr_molecular *m, int c)
{
    for (int64_t i = 0; i < m->n; i++) {
        m->q[c][i] = MIDDLE + (uint64_t)((int64_t)(m->q[c][i] - MIDDLE) / 2);
        if (m->anchor[c])
            m->anchor[c][i] = MIDDLE + (uint64_t)((int64_t)(m->anchor[c][i] - MIDDLE) / 2);
    }
    m->box.origin[c] -= 0.5 * m->box.length[c];
    m->box.length[c] *= 2;
    myr_molecular_map_fields(m);
}

/* Keeps all particles in the inner half of open axes, where differences of coordinates are distances. The remaining
 * slack is part of the checkpoint, so that a restarted run checks at the same step. */
static myr_status forces_widen(myr_molecular *m, double furthest)
{
    const double near = 0x1p61, most = 0x1p62;
    double off[3];
    int widened = 0;
    m->memory.slack -= furthest;
    if (m->memory.slack > 0 || (m->box.periodic[0] && m->box.periodic[1] && m->box.periodic[2]))
        return MYR_OK;
    m->memory.slack = INFINITY;
    myr_status status = forces_extent(m, off);
    for (int c = 0; c < 3 && !status; c++) {
        if (off[c] > near && m->options.exact_reverse)
            return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                    "particles leave the room along %c, which is open: with exact_reverse the axis "
                                    "keeps its length; use a periodic box or walls",
                                    "xyz"[c]);
        if (off[c] > near) {
            forces_widen_axis(m, c);
            off[c] *= 0.5;
            widened = 1;
        }
        if (!m->box.periodic[c])
            m->memory.slack = fmin(m->memory.slack, (most - off[c]) * (m->box.length[c] * 0x1p-64));
    }
    if (status || !widened || !m->list)
        return status;
    myr_molecular_warn_unit(m);
    status = myr_neighbour_set_box(m->list, &m->box);
    myr_neighbour_invalidate(m->list);
    return status;
}

/* Counts crossings of periodic boundaries from differences of coordinates, which are displacements as long as a
 * particle moves less than half a box between two calls. */
void myr_molecular_count(myr_molecular *m)
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n && m->box.periodic[c]; i++) {
            const uint64_t before = m->counted[c][i], after = m->q[c][i];
            const int64_t way = (int64_t)(after - before);
            m->image[c][i] += (way > 0 && after < before) - (way < 0 && after > before);
            m->counted[c][i] = after;
        }
    m->uncounted = 0;
}

static void forces_count(myr_molecular *m, double furthest)
{
    double least = INFINITY;
    for (int c = 0; c < 3; c++)
        least = m->box.periodic[c] ? fmin(least, m->box.length[c]) : least;
    m->uncounted += furthest;
    if (m->uncounted > 0.25 * least)
        myr_molecular_count(m);
}

myr_status myr_molecular_moved(myr_molecular *m, double furthest)
{
    forces_count(m, furthest);
    return forces_widen(m, furthest);
}

static myr_status forces_update(myr_molecular *m, double furthest, int ahead)
{
    if (m->gpu) /* the device proves and builds its own list */
        return MYR_OK;
    const double start = myr_timer_now();
    myr_status status = m->divided ? myr_molecular_check_list(m, furthest, ahead) : myr_molecular_moved(m, furthest);
    if (!status && m->list && !m->divided)
        status = myr_neighbour_update(m->list, furthest, NULL);
    m->force_seconds += myr_timer_now() - start;
    return status;
}

myr_status myr_molecular_update(myr_molecular *m, double furthest)
{
    return forces_update(m, furthest, 0);
}

myr_status myr_molecular_update_ahead(myr_molecular *m, double furthest)
{
    return forces_update(m, furthest, 1);
}

int64_t myr_molecular_nearest(const myr_molecular *m, int64_t i, double *distance)
{
    int64_t nearest = -1;
    double least = INFINITY;
    for (int64_t j = 0; j < m->n + m->halo; j++) {
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

int64_t myr_molecular_id(const myr_molecular *m, int64_t i)
{
    return i >= 0 && i < m->n + m->halo ? m->id[i] : -1;
}

/* Index of the particle with the largest force without external fields, or of the first one whose force is not
 * finite. */
static int64_t forces_largest(const myr_molecular *m, double *largest)
{
    int64_t at = 0;
    *largest = 0;
    for (int64_t i = 0; i < m->n; i++) {
        double f2 = 0, push[BOX_SIDES] = {0};
        for (int c = 0; c < 3; c++) {
            const double field = m->fielded ? box_field_force(&m->fields, c, m->q[c][i], m->mass[i], push) : 0;
            f2 += (m->f[c][i] - field) * (m->f[c][i] - field);
        }
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
    if (m->formula.name) /* a force that is large for one formula is not for another */
        return MYR_OK;
    const int64_t i = forces_largest(m, &largest);
    if (largest < OVERLAP_FORCE * fmax(m->epsilon / m->sigma, myr_molecular_coulomb_strength(m)))
        return MYR_OK;
    const int64_t j = myr_molecular_nearest(m, i, &distance);
    if (j < 0)
        return MYR_OK;
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "particles %lld and %lld overlap: they are %.4g apart, %.3g of the smallest sigma; move "
                            "one of them, or minimise the energy first",
                            (long long)myr_molecular_id(m, i), (long long)myr_molecular_id(m, j), distance,
                            distance / m->sigma);
}

/* Error message for a pair at the same position; the pair list reports indices, and this function translates them to
 * ids. */
static myr_status forces_fail_coincident(const myr_molecular *m)
{
    int64_t pair[2];
    const double r = myr_neighbour_closest(m->list, pair);
    if (m->formula.name && pair[0] >= 0 && r > 0)
        return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                                "the force or the energy of a pair is no finite number in this arithmetic "
                                "with kernel %s; the closest particles, %lld and %lld, are %g apart",
                                m->formula.name, (long long)myr_molecular_id(m, pair[0]),
                                (long long)myr_molecular_id(m, pair[1]), r);
    if (pair[0] < 0 || r > SAME_PLACE * m->sigma) /* the pair is in another domain, which reports it */
        return MYR_ERROR_NONFINITE;
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "particles %lld and %lld are at the same place (distance %g): the force between them is no "
                            "number; move one of them",
                            (long long)myr_molecular_id(m, pair[0]), (long long)myr_molecular_id(m, pair[1]), r);
}

/* Forces of all pairs: own pairs are evaluated while halo coordinates are in flight, then pairs with the halo. */
static myr_status forces_pairs(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    m->renewed = 0;
    myr_status status = myr_neighbour_forces_begin(m->list, sums != NULL);
    const myr_status settled = myr_molecular_settle(m); /* always called, because the other domains wait for this one */
    if (!status)
        status = settled;
    if (!status && m->renewed)
        status = myr_neighbour_forces_begin(m->list, sums != NULL);
    return status ? status : myr_neighbour_forces_end(m->list, force, sums);
}

myr_status myr_molecular_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    if (m->gpu)
        return myr_molecular_gpu_forces(m, force == m->f, sums);
    const double start = myr_timer_now();
    myr_status status = m->molecule ? myr_molecular_molecule_forces(m, force, sums) : forces_pairs(m, force, sums);
    if (status == MYR_ERROR_NONFINITE && m->list)
        status = forces_fail_coincident(m);
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

/* --- restraints: harmonic springs of equal stiffness to the initial positions ------------------------------------- */

static myr_status forces_restrain(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    const double k = m->options.restraint;
    const int type = m->options.restraint_type;
    const double unit[3] = {m->box.length[0] * 0x1p-64, m->box.length[1] * 0x1p-64, m->box.length[2] * 0x1p-64};
#pragma omp parallel for num_threads(m->team) if (m->n > 4096)
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3 && (type < 0 || m->type[i] == type); c++)
            force[c][i] -= k * ((double)(int64_t)(m->q[c][i] - m->anchor[c][i]) * unit[c]);
    /* the energy of the restraints is reported separately, and restraints do not contribute to the pressure */
    (void)sums;
    return MYR_OK;
}

myr_status myr_molecular_restrain(myr_molecular *m)
{
    if (m->terms == MYR_MOLECULAR_TERMS)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "at most %d kinds of forces", MYR_MOLECULAR_TERMS);
    m->term[m->terms++] = (myr_force_term){forces_restrain, NULL};
    return MYR_OK;
}

void myr_molecular_anchor(myr_molecular *m, const myr_particles *at)
{
    for (int c = 0; c < 3 && m->anchor[c]; c++) {
        const double *x = myr_particles_component_const(at, "position", c);
        for (int64_t i = 0; i < m->n; i++)
            m->anchor[c][i] = myr_box_coordinate(&m->box, c, x[m->index[i] - m->before], NULL);
    }
}
