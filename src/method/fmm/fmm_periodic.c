/* fmm_periodic.c - periodic boxes in the fast multipole method: the root repeats along the periodic axes with the
 * root's side as the period (paper 004, section 5.1).
 *
 * Cells of near images of the root are handled like other near cells. All other images act through one matrix on the
 * root's multipoles, which sums the harmonics over the whole lattice (lattice_sums.h). With three periodic axes the
 * lattice sum is that of Ewald (surrounded by a conductor: no dipole term) with a background charge that makes the box
 * neutral; relative to the sum over shells this adds 2 pi/(3 V) |x - y|^2 for each pair. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "method/fmm/fmm_inside.h"
#include "method/fmm/lattice_sums.h"

#define TWO_PI_THIRDS 2.09439510239319549231

myr_status myr_fmm_lattice_make(myr_fmm *fmm)
{
    const myr_fmm_settings *s = &fmm->settings;
    const int order = s->order, terms = order * order;
    if (!myr_images_any(&s->box))
        return MYR_OK;
    double *sum = malloc(sizeof *sum * 4 * (size_t)terms);
    fmm->lattice = malloc(sizeof *fmm->lattice * (size_t)terms * (size_t)terms);
    if (sum && fmm->lattice) {
        myr_lattice_sum(2 * order - 1, s->box.periodic, s->separation, s->images, sum);
        myr_expansion_matrix_of(order, sum, fmm->lattice);
    }
    free(sum);
    if (!sum || !fmm->lattice)
        return myr_context_fail(fmm->context, MYR_ERROR_MEMORY, "no memory for the images of a periodic box");
    return MYR_OK;
}

static double series_get(const fmm_run *run, const void *series, int k)
{
    return run->ops->real_bytes == (int)sizeof(float) ? (double)((const float *)series)[k]
                                                      : ((const double *)series)[k];
}

/* Adds source i of the tree order to the quadratics of the strengths. */
static void quadratic_source(const fmm_run *run, int64_t i, const double *centre, fmm_quadratic *to)
{
    const int lanes = run->problem->unit->source_lanes;
    const double per_side = 1 / run->tree->side;
    double field[MYR_KERNEL_COMPONENTS], q[MYR_FAR_FIELD_STRENGTHS], y[3], y2 = 0;
    fmm_fields(run, run->source, i * lanes, lanes, field);
    myr_far_field_strengths(run->far, field, q);
    for (int axis = 0; axis < 3; axis++) {
        y[axis] = (fmm_coordinate(run, run->source, i * lanes, axis) - centre[axis]) * per_side;
        y2 += y[axis] * y[axis];
    }
    for (int k = 0; k < run->far->strengths; k++) {
        to[k].c += TWO_PI_THIRDS * q[k] * y2;
        to[k].q += TWO_PI_THIRDS * q[k];
        for (int axis = 0; axis < 3; axis++)
            to[k].l[axis] -= 2 * TWO_PI_THIRDS * q[k] * y[axis];
    }
}

static void quadratic_add(fmm_quadratic *to, const fmm_quadratic *from)
{
    to->c += from->c;
    to->q += from->q;
    for (int axis = 0; axis < 3; axis++)
        to->l[axis] += from->l[axis];
}

/* Quadratics of the strengths: 2 pi/3 sum q |x - y|^2, in units of the root's side. Partial sums in the order of
 * backend/expansion_order.h, which does not depend on the number of threads and is that of a GPU. */
static int quadratic_strengths(fmm_run *run)
{
    const int strengths = run->far->strengths;
    fmm_quadratic *part = myr_memory_zeros(MYR_EXPANSION_SHARES * strengths, sizeof *part);
    double centre[3];
    if (!part)
        return 0;
    for (int axis = 0; axis < 3; axis++)
        centre[axis] = myr_octree_centre(run->tree, &run->tree->cell[0], axis);
#pragma omp parallel for num_threads(run->threads) schedule(static)
    for (int64_t share = 0; share < MYR_EXPANSION_SHARES; share++)
        for (int64_t i = share; i < run->tree->sources; i += MYR_EXPANSION_SHARES)
            quadratic_source(run, i, centre, part + share * strengths);
    for (int half = MYR_EXPANSION_SHARES / 2; half > 0; half /= 2)
        for (int k = 0; k < half * strengths; k++)
            quadratic_add(&part[k], &part[half * strengths + k]);
    memcpy(run->quadratic, part, (size_t)strengths * sizeof *part);
    free(part);
    return 1;
}

/* Quadratics of the derived series. */
static void quadratic_derive(fmm_run *run)
{
    const myr_far_field *far = run->far;
    for (int k = 0; k < far->strengths && far->negated; k++) {
        const fmm_quadratic *p = &run->quadratic[k];
        run->quadratic[far->strengths + k] = (fmm_quadratic){-p->c, {-p->l[0], -p->l[1], -p->l[2]}, -p->q};
    }
    for (int k = 0; k < far->steps; k++) {
        const fmm_quadratic *from = &run->quadratic[far->step[k].from];
        fmm_quadratic *to = &run->quadratic[far->step[k].to];
        to->c += from->l[far->step[k].axis];
        to->l[far->step[k].axis] += 2 * from->q;
    }
}

void myr_fmm_images(fmm_run *run)
{
    const myr_fmm_settings *s = &run->fmm->settings;
    const int terms = run->e->order * run->e->order;
    if (!run->fmm->lattice)
        return;
    for (int k = 0; k < run->far->strengths; k++) {
        const void *from = fmm_multipole(run, 0, k);
        void *to = fmm_local(run, 0, k);
        for (int row = 0; row < terms; row++) {
            double sum = series_get(run, to, row);
            for (int column = 0; column < terms; column++)
                sum += run->fmm->lattice[(int64_t)row * terms + column] * series_get(run, from, column);
            if (run->ops->real_bytes == (int)sizeof(float))
                ((float *)to)[row] = (float)sum;
            else
                ((double *)to)[row] = sum;
        }
    }
    run->background = s->box.periodic[0] && s->box.periodic[1] && s->box.periodic[2] && !s->images;
    if (run->background && quadratic_strengths(run))
        quadratic_derive(run);
    else if (run->background)
        run->no_memory = 1;
}

void myr_fmm_background(const fmm_run *run, int64_t first, int64_t n, double *far)
{
    const double per_side = 1 / run->tree->side;
    for (int64_t i = 0; i < n; i++) {
        double x[3], x2 = 0;
        for (int axis = 0; axis < 3; axis++) {
            const double centre = myr_octree_centre(run->tree, &run->tree->cell[0], axis);
            x[axis] = (fmm_coordinate(run, run->target, (first + i) * run->target_stride, axis) - centre) * per_side;
            x2 += x[axis] * x[axis];
        }
        for (int k = 0; k < run->far->sums; k++) {
            const fmm_quadratic *p = &run->quadratic[run->far->sum[k].series];
            double scale = per_side;
            for (int d = 0; d < run->far->sum[k].depth; d++)
                scale *= per_side;
            far[k * FMM_BATCH + i] += scale * (p->c + p->l[0] * x[0] + p->l[1] * x[1] + p->l[2] * x[2] + p->q * x2);
        }
    }
}
