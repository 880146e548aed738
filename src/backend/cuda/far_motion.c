/* far_motion.c - particles integrated on a device with a far field: one kernel computes the sums of the integrator and
 * updates what the evaluation reads of the particles. */
#include <stdlib.h>

#include "backend/cuda/far_inside.h"
#include "backend/cuda/motion_inside.h"

struct far_motion {
    myr_cuda_far *far;
    myr_cuda_far_options options; /* its matrix is on the device */
    int has_targets, target_velocity;
};

static myr_status far_motion_move(myr_cuda_motion *m, int records)
{
    const myr_cuda_far *far = m->far->far;
    if (!m->waiting.sums && !records)
        return MYR_OK;
    myr_far_move a = {.move = m->waiting,
                      .target = records && m->far->has_targets ? far_at(far, FAR_TARGET_COMPONENTS) : NULL,
                      .target_velocity = m->far->target_velocity,
                      .real_bytes = far->real_bytes,
                      .coord_lanes = far->coord_lanes};
    a.move.bodies.n = m->n;
    a.move.bodies.record = records ? far_at(far, FAR_COMPONENTS) : NULL;
    a.move.bodies.velocity = m->velocity;
    m->waiting.sums = 0;
    return cuda_far_launch(far, far->kernel[FAR_STEP], "moving", m->n, MYR_FAR_THREADS, &a, sizeof a);
}

static myr_status far_motion_rates(myr_cuda_motion *m, const myr_direct *job, double *const *value)
{
    myr_cuda_report found = {.flag = 0};
    myr_status status = far_motion_move(m, 1);
    if (!status)
        status = cuda_far_evaluate(m->far->far, job, &m->far->options, value, &found);
    if (!status)
        m->trouble |= found.flag || found.bad;
    return status;
}

void cuda_far_motion_close(struct far_motion *far)
{
    cuda_far_close(far->far);
    free(far);
}

myr_status cuda_far_motion_open(myr_cuda_far *far, const myr_direct *job, const myr_cuda_far_options *options,
                                const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    myr_cuda_motion *m;
    *motion = NULL;
    myr_status status = cuda_motion_make(far->cuda, job, set, &m);
    if (status)
        return status;
    m->device = &far->device;
    m->move = far_motion_move;
    m->rates = far_motion_rates;
    m->far = calloc(1, sizeof *m->far);
    if (!m->far)
        status = far->cuda->host->fail(job->context, MYR_ERROR_MEMORY, "no memory for a motion");
    else {
        *m->far = (struct far_motion){far, *options, far_has_targets(job), set->target_velocity};
        m->far->options.matrix = m->far->options.cells.design = NULL;
    }
    if (!status)
        status = cuda_far_send(far, job, options);
    if (!status)
        status = cuda_motion_rooms(m);
    if (status) { /* the far field is still the caller's */
        free(m->far);
        free(m);
        return status;
    }
    *motion = m;
    return MYR_OK;
}

myr_status cuda_far_motion_report(const myr_cuda_motion *motion, myr_cuda_far_report *report)
{
    return cuda_far_report(motion->far->far, report);
}
