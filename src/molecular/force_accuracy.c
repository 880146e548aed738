/* force_accuracy.c - measured error of the forces of particles in a box and of the atoms of a molecule: sampled
 * particles are summed directly over all others in double arithmetic, at the positions that the engine has. In a box
 * neither the list nor the loops of the pair forces take part; the formula is written here once more, in plain C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "molecular/molecular.h"

/* Force on i per unit of x_i - x_j at a squared distance, from the potential and its treatment at the cutoff. */
static double accuracy_pair(const myr_pair_potential *p, const double *c, double r2)
{
    if (!myr_cut_interacts(p) || !(r2 < p->cutoff * p->cutoff))
        return 0;
    double slope;
    const double r = sqrt(r2), t = r - c[CUT_INNER];
    myr_cut_whole(p, r, &slope);
    if (t >= 0)
        slope = c[CUT_P1] + t * (2 * c[CUT_P2] + t * 3 * c[CUT_P3]);
    return -(slope + c[CUT_C1] + 2 * c[CUT_C2] * r) / r;
}

/* Adds the force of a user's formula in double arithmetic. */
static void accuracy_add(const myr_short_range_unit *exact, const double *c, const double d[3], double sum[3],
                         double size[3])
{
    double force[3], energy;
    exact->one(c, d, force, &energy);
    for (int k = 0; k < 3; k++) {
        sum[k] += force[k];
        size[k] += fabs(force[k]);
    }
}

/* Adds the pair forces on own particle i, and their sizes: differences of box coordinates are minimum images. */
static void accuracy_box_row(const myr_molecular *m, const myr_short_range_unit *exact,
                             const double (*constant)[MYR_NEIGHBOUR_CONSTANTS], int64_t i, double sum[3],
                             double size[3])
{
    for (int64_t j = 0; j < m->n + m->halo; j++) {
        double d[3], r2 = 0;
        for (int c = 0; c < 3; c++) {
            d[c] = (double)(int64_t)(m->q[c][i] - m->q[c][j]) * 0x1p-64 * m->box.length[c];
            r2 += d[c] * d[c];
        }
        if (j == i)
            continue;
        if (exact) {
            accuracy_add(exact, constant[0], d, sum, size);
            continue;
        }
        const int64_t k = (int64_t)m->type[i] * m->types + m->type[j];
        const double factor = accuracy_pair(&m->pair[k], constant[k], r2);
        for (int c = 0; c < 3; c++) {
            sum[c] += factor * d[c];
            size[c] += fabs(factor * d[c]);
        }
    }
}

/* Adds the pair forces on the n listed particles to force; size: sums of their sizes. */
static myr_status accuracy_box(myr_molecular *m, int64_t n, const int64_t *pick, double *const force[3],
                               double (*size)[3])
{
    const int64_t entries = (int64_t)m->types * m->types;
    const myr_short_range_unit *exact = m->formula.name ? myr_molecular_formula_in_double(m) : NULL;
    double(*constant)[MYR_NEIGHBOUR_CONSTANTS] = myr_memory_zeros(entries, sizeof *constant);
    if (!constant || (m->formula.name && !exact)) {
        free(constant);
        return constant ? MYR_ERROR_UNAVAILABLE : MYR_ERROR_MEMORY;
    }
    for (int64_t k = 0; k < entries; k++)
        if (exact)
            exact->prepare(m->formula.parameter, constant[k]);
        else
            myr_cut_prepare((myr_cut)m->options.cut, &m->pair[k], constant[k]);
    for (int64_t s = 0; s < n; s++) {
        double sum[3] = {0};
        accuracy_box_row(m, exact, (const double(*)[MYR_NEIGHBOUR_CONSTANTS])constant, pick[s], sum, size[s]);
        for (int c = 0; c < 3; c++)
            force[c][pick[s]] += sum[c];
    }
    free(constant);
    return MYR_OK;
}

/* Relative error of the engine's forces on the listed particles, each relative to the size of its own force. pairs:
 * sums of sizes of the pair forces on each. */
static void accuracy_compare(const myr_molecular *m, int64_t n, const int64_t *pick, double *const right[3],
                             const double (*pairs)[3], myr_accuracy *accuracy)
{
    const double unit = m->interaction->arithmetic == myr_catalogue_arithmetic("double") ? 0x1p-53 : 0x1p-24;
    double sum = 0, errors = 0, sizes = 0;
    for (int64_t s = 0; s < n; s++) {
        double off = 0, size = 0, all = 0;
        for (int c = 0; c < 3; c++) {
            off += pow(m->f[c][pick[s]] - right[c][pick[s]], 2);
            size += pow(right[c][pick[s]], 2);
            all += pow(pairs[s][c], 2);
        }
        const double relative = size > 0 ? off / size : off;
        if (all > 0)
            accuracy->rounding_used = fmax(accuracy->rounding_used, sqrt(off / all) / unit);
        accuracy->max_error = fmax(accuracy->max_error, sqrt(relative));
        sum += relative;
        errors += off;
        sizes += size;
    }
    accuracy->rms_error = n ? sqrt(sum / (double)n) : 0;
    accuracy->norm_error = sqrt(sizes > 0 ? errors / sizes : errors);
    accuracy->sum_error = accuracy->sum_bound_used = NAN;
    if (m->molecule || m->coulomb) /* errors are not those of rounded pairs alone */
        accuracy->rounding_used = NAN;
    accuracy->samples = n;
}

static myr_status accuracy_measure(myr_molecular *m, int64_t n, int64_t *pick, double *const right[3],
                                   double (*pairs)[3], myr_accuracy *accuracy)
{
    myr_status status = MYR_OK;
    for (int64_t s = 0; s < n; s++)
        pick[s] = (int64_t)((double)s * (double)m->n / (double)n);
    if (m->molecule)
        status = myr_molecule_forces_in_double(m->molecule, (const double *const *)m->x, n, pick, right);
    else
        status = accuracy_box(m, n, pick, right, pairs);
    for (int k = 0; !status && k < m->terms; k++)
        status = m->term[k].exact ? m->term[k].exact(m, n, pick, right) : m->term[k].add(m, right, NULL);
    if (!status)
        accuracy_compare(m, n, pick, right, (const double(*)[3])pairs, accuracy);
    return status;
}

myr_status myr_molecular_accuracy(myr_molecular *m, int64_t samples, myr_accuracy *accuracy)
{
    const myr_status copied = myr_molecular_gpu_fetch(m);
    if (copied)
        return copied;
    const int64_t n = m->n < samples ? m->n : samples;
    int64_t *pick = myr_memory_zeros(n + 1, sizeof *pick);
    double *memory = myr_memory_zeros(3 * (m->n + m->halo + 1), sizeof *memory);
    double(*pairs)[3] = myr_memory_zeros(n + 1, sizeof *pairs);
    double *const right[3] = {memory, memory + (m->n + m->halo), memory + 2 * (m->n + m->halo)};
    memset(accuracy, 0, sizeof *accuracy);
    const myr_status status =
        pick && memory && pairs ? accuracy_measure(m, n, pick, right, pairs, accuracy) : MYR_ERROR_MEMORY;
    free(pick);
    free(pairs);
    free(memory);
    return status == MYR_ERROR_MEMORY
               ? myr_context_fail(m->context, status, "no memory to measure the error of %lld forces", (long long)n)
               : status;
}
