/* box_gpu_fire.c - minimisation of the energy of particles in a box on a GPU; see minimise.c. Particles and forces stay
 * on the device; the processor reads a few sums per step. */
#include <math.h>

#include "molecular/box_gpu_inside.h"

myr_status myr_molecular_gpu_fire_forces(myr_molecular *m, int is_unit_due)
{
    const myr_status status = myr_molecular_gpu_forces(m, 1, NULL);
    return status || !is_unit_due || !m->fixed ? status : myr_molecular_gpu_fire_unit(m);
}

myr_status myr_molecular_gpu_fire_unit(myr_molecular *m)
{
    const myr_status status = myr_molecular_gpu_send(m);
    return status ? status : myr_molecular_gpu_choose_unit(m);
}

myr_status myr_molecular_gpu_fire_largest(myr_molecular *m, double largest[2])
{
    const myr_cuda_plugin *p = m->gpu->gpu->plugin;
    myr_status status = myr_molecular_gpu_send(m);
    if (!status)
        status = p->box_fire_sums(m->gpu->box, NULL, largest, NULL);
    m->gpu->ahead = 1;
    for (int k = 0; k < 2; k++)
        largest[k] = status ? 0 : sqrt(largest[k]);
    return status;
}

myr_status myr_molecular_gpu_fire_sums(const myr_molecular *m, const double scale[3], myr_wide sum[3])
{
    unsigned long long total[3][2] = {{0, 0}};
    const myr_status status = m->gpu->gpu->plugin->box_fire_sums(m->gpu->box, scale, NULL, total);
    for (int k = 0; k < 3; k++)
        sum[k] = myr_molecular_gpu_total(total[k]);
    return status;
}

/* Looks at the open axes on the processor, after displacements of up to `furthest`. */
static myr_status fire_look(myr_molecular *m, double furthest)
{
    struct myr_molecular_gpu *g = m->gpu;
    myr_status status = myr_molecular_gpu_fetch(m);
    if (status)
        return status;
    m->gpu = NULL;
    status = myr_molecular_update(m, furthest);
    m->gpu = g;
    g->sent = 0;
    return status;
}

myr_status myr_molecular_gpu_fire_move(myr_molecular *m, const box_fire *step)
{
    double furthest = 0;
    int renew = 0;
    const int is_open = myr_molecular_gpu_is_open(m);
    myr_status status = myr_molecular_gpu_send(m);
    if (!status)
        status = m->gpu->gpu->plugin->box_fire_move(m->gpu->box, step, is_open ? &furthest : NULL, &renew);
    m->gpu->ahead = 1;
    m->gpu->sent &= !renew; /* the next forces divide the particles among the ranks again */
    if (!status && is_open)
        status = myr_agreement_largest(myr_molecular_agreement(m), &furthest, 1);
    if (status || !is_open)
        return status;
    if (!(m->memory.slack - furthest > 0))
        return fire_look(m, furthest);
    m->memory.slack -= furthest;
    return MYR_OK;
}

myr_status myr_molecular_gpu_return(myr_molecular *m)
{
    const myr_status status = myr_molecular_gpu_fetch(m);
    myr_molecular_gpu_close(m);
    return status ? status : myr_molecular_update(m, 0);
}
