/* box_gpu_ranks.c - domains of a divided box, each on the GPU of its rank. The device makes steps as long as its list
 * and the halo hold. Then particles change their domain on the processor, and the device receives own particles and the
 * new halo. */
#include <stdlib.h>

#include "molecular/box_gpu_inside.h"

#define HALO_MORE (1 + 1e-6) /* the lists of the device have a rounding error */

static const myr_cuda_plugin *plugin(const myr_molecular *m)
{
    return m->gpu->gpu->plugin;
}

myr_status myr_molecular_gpu_check_named(const myr_molecular *m, const myr_gpu *gpu)
{
    const char *named = getenv("MYRIAD_CUDA_DEVICES");
    const int ranks = m->divided ? m->links.locals : 1;
    myr_cuda_device device;
    int count = 0;
    while (gpu->plugin->device(gpu->cuda, count, &device))
        count++;
    if (!named || !*named || count <= ranks)
        return MYR_OK;
    return myr_context_fail(
        m->context, MYR_ERROR_COMBINATION,
        "MYRIAD_CUDA_DEVICES names %d GPUs for %d rank%s of this machine, and the particles of a box "
        "need one for each rank; name fewer, or start %d ranks (mpirun -n %d)",
        count, ranks, myr_plural(ranks), count, count);
}

/* --- exchange of particles ---------------------------------------------------------------------------------------- */

static myr_status ranks_largest(void *user, double *value, int count)
{
    return myr_agreement_largest(myr_molecular_agreement(user), value, count);
}

static myr_status ranks_add(void *user, int64_t *sum, int count)
{
    enum { MOST = 8 };
    myr_wide all[MOST];
    for (int k = 0; k < count; k++)
        all[k] = sum[k];
    const myr_status status = myr_agreement_add(myr_molecular_agreement(user), all, count);
    for (int k = 0; k < count; k++)
        sum[k] = (int64_t)all[k];
    return status;
}

static myr_status ranks_swap(void *user, uint64_t *out, uint64_t *in)
{
    const myr_molecular *m = user;
    return m->links.swap(m->links.user, out, in);
}

/* Opens the device with room for the present particles and halo, and some more. */
static myr_status ranks_open(myr_molecular *m)
{
    struct myr_molecular_gpu *g = m->gpu;
    const int64_t count = m->n + m->halo;
    if (g->box && count <= g->room)
        return MYR_OK;
    myr_cuda_box_set set = myr_molecular_gpu_set(m);
    if (g->box) {
        myr_box_device past;
        (void)myr_molecular_gpu_report(m, 0, &past);
        g->past = past;
        plugin(m)->box_close(g->box);
    }
    g->box = NULL;
    g->exponent = MYR_NEIGHBOUR_UNIT_UNSET; /* the new device has no constants yet */
    g->room = set.n = count + count / 4 + MYR_MOLECULAR_BLOCK;
    set.device = m->links.local;
    set.skin = MYR_NEIGHBOUR_SKIN_DIVIDED * m->cutoff[1];
    set.is_divided = 1;
    set.links = (myr_cuda_box_links){m, ranks_largest, ranks_add, ranks_swap};
    return plugin(m)->box_open(g->gpu->cuda, &set, &g->box);
}

static myr_status ranks_send(myr_molecular *m)
{
    myr_cuda_box_share share = {.own = m->n, .halo = m->halo};
    share.entry = m->links.places(m->links.user, &share.entries);
    myr_status status = plugin(m)->box_share(m->gpu->box, &share);
    if (!status)
        status = myr_molecular_gpu_potential(m);
    const myr_cuda_box_arrays arrays = myr_molecular_gpu_arrays(m);
    return status ? status : plugin(m)->box_send(m->gpu->box, &arrays);
}

myr_status myr_molecular_gpu_renew(myr_molecular *m)
{
    struct myr_molecular_gpu *g = m->gpu;
    const double width = (1 + MYR_NEIGHBOUR_SKIN_DIVIDED) * m->cutoff[1];
    myr_status status = myr_molecular_gpu_fetch(m);
    if (status)
        return status;
    myr_molecular_count(m); /* the images are those of the coordinates that are sent */
    status = myr_molecular_regroup(m, width * HALO_MORE);
    if (!status)
        status = ranks_open(m);
    if (!status)
        status = ranks_send(m);
    g->sent = !status;
    g->ahead = 0;
    return status;
}

myr_status myr_molecular_gpu_regroup(myr_molecular *m)
{
    const struct myr_molecular_gpu *g = m->gpu;
    const double *old = g->length, *now = m->box.length;
    const int is_box_same = old[0] == now[0] && old[1] == now[1] && old[2] == now[2];
    return g->sent && is_box_same ? myr_molecular_gpu_potential(m) : myr_molecular_gpu_renew(m);
}

/* --- a step that leaves the list ---------------------------------------------------------------------------------- */

/* End of a step whose forces were evaluated by the processor. */
static myr_status ranks_end_here(myr_molecular *m, double time, double dt)
{
    const double none[3] = {0, 0, 0};
    if (m->scheme == MYR_MOLECULAR_VERLET && m->options.centre_interval == 0)
        return MYR_OK; /* the kick is deferred */
    m->gpu->ahead = 1;
    const myr_status status = plugin(m)->box_change(m->gpu->box, 0.5 * dt, 1, none);
    if (!status && m->scheme == MYR_MOLECULAR_NOSE_HOOVER)
        return myr_molecular_chain(m, time + dt, 0.5 * dt);
    return !status && m->scheme == MYR_MOLECULAR_BERENDSEN ? myr_molecular_berendsen(m, time + dt, dt) : status;
}

myr_status myr_molecular_gpu_finish(myr_molecular *m, double time, const myr_cuda_box_steps *steps)
{
    myr_cuda_box_done done = {0};
    myr_status status = myr_molecular_gpu_renew(m);
    if (!status)
        status = plugin(m)->box_finish(m->gpu->box, steps, &done);
    m->gpu->ahead = 1;
    if (status || !done.stopped) {
        for (int k = 0; k < 3 * BOX_SIDES && !status; k++)
            m->own_push[k] += myr_molecular_gpu_total(done.push[k]);
        m->memory.chain = !status && steps->bath ? done.chain : m->memory.chain;
        return status;
    }
    status = myr_molecular_gpu_forces_here(m, 1, NULL);
    if (!status)
        myr_molecular_add_push(m, m->push);
    if (!status)
        status = myr_molecular_gpu_renew(m);
    return status ? status : ranks_end_here(m, time, steps->dt);
}
