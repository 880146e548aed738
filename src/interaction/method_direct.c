/* method_direct.c - direct summation as a method of an interaction: every pair, with any kernel. */
#include "backend/gpu.h"
#include "interaction/method.h"
#include "method/direct.h"

static myr_status direct_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             myr_direct_result *result)
{
    (void)f;
    (void)isa;
    return myr_direct_run(problem, result);
}

static myr_status direct_open_motion(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                     const myr_cuda_motion_set *set, myr_cuda_motion **motion)
{
    (void)f;
    return isa->gpu->plugin->motion_open(isa->gpu->cuda, problem, set, motion);
}

const myr_method_table myr_method_direct = {
    .info = {"direct", "every pair", 1},
    .every_pair = 1,
    .exact = 1,
    .on_gpu = 1,
    .shares = 1,
    .run = direct_run,
    .open_motion = direct_open_motion,
};
