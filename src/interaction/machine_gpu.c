/* machine_gpu.c - properties and measured abilities of the GPUs. */
#include <myriad/machine.h>

#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "domain/local_ranks.h"
#include "domain/ranks.h"
#include "interaction/evaluate.h"

myr_status myr_machine_gpu(myr_context *context, int k, myr_gpu_info *gpu)
{
    myr_cuda_device device;
    if (!context || !gpu || k < 0)
        return MYR_ERROR_ARGUMENT;
    const myr_gpu *all = myr_gpu_open(context);
    if (!all)
        return MYR_ERROR_UNAVAILABLE;
    if (!all->plugin->device(all->cuda, k, &device))
        return myr_context_fail(context, MYR_ERROR_VALUE, "there is no GPU %d", k);
    memcpy(gpu->name, device.name, sizeof gpu->name);
    gpu->major = device.major;
    gpu->minor = device.minor;
    gpu->multiprocessors = device.multiprocessors;
    gpu->memory = device.memory;
    return MYR_OK;
}

myr_status myr_machine_gpu_of_ranks(myr_context *context, int *gpu)
{
    if (!context || !gpu)
        return MYR_ERROR_ARGUMENT;
    const int ranks = myr_ranks_count(context);
    const myr_gpu *all = myr_gpu_open(context);
    myr_cuda_device device;
    int local, locals, count = 0;
    while (all && all->plugin->device(all->cuda, count, &device))
        count++;
    int64_t *number = calloc((size_t)ranks, sizeof *number);
    myr_status status = number ? MYR_OK : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", ranks);
    status = myr_ranks_agree(context, status);
    if (!status)
        status = myr_local_ranks_find(context, &local, &locals);
    if (!status)
        status = myr_ranks_all(context, count ? local % count : -1, number);
    for (int k = 0; k < ranks && !status; k++)
        gpu[k] = (int)number[k];
    free(number);
    return status;
}

myr_status myr_machine_gpu_issue_rate(myr_context *context, const char *arithmetic, double *rate)
{
    if (!context || !rate)
        return MYR_ERROR_ARGUMENT;
    const myr_gpu *gpu = myr_gpu_open(context);
    if (!gpu)
        return MYR_ERROR_UNAVAILABLE;
    return gpu->plugin->issue(gpu->cuda, context, arithmetic && strcmp(arithmetic, "double") == 0, rate);
}

/* The evaluation in the format of the plug-in. */
static myr_status gpu_problem(myr_interaction *f, const myr_particles *particles, int64_t n, const int64_t *index,
                              myr_problem *problem)
{
    const myr_isa_table *isa;
    const myr_kernel_desc *d = myr_interaction_desc(f);
    const int64_t all = myr_particles_count(particles), targets = index ? n : all;
    memset(problem, 0, sizeof *problem);
    myr_status status = myr_evaluate_check(f, (double)targets * (double)all, &isa);
    if (status)
        return status;
    if (!isa->gpu)
        return myr_context_fail(f->context, MYR_ERROR_UNAVAILABLE,
                                "this evaluation would run on the processor; choose backend cuda");
    for (int k = 0; myr_scale_needed(f->accumulator) && k < MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; k++)
        if (!f->grid[k].known)
            return myr_context_fail(f->context, MYR_ERROR_VALUE, "accumulator %s has no scale yet; evaluate once first",
                                    myr_catalogue_accumulator_name(f->accumulator));
    status = myr_problem_make(f, f->arithmetic, isa, particles, targets, index, particles, problem);
    if (!status)
        myr_problem_use(problem, myr_catalogue_loop(f->accumulator), f->accumulator, f->grid);
    return status;
}

myr_status myr_machine_gpu_time(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                const int64_t *index, int samples, double *seconds)
{
    myr_problem problem;
    if (!interaction || !particles || samples < 1 || !seconds)
        return MYR_ERROR_ARGUMENT;
    myr_status status = gpu_problem(interaction, particles, n, index, &problem);
    if (status)
        return status;
    const myr_gpu *gpu = problem.direct.gpu;
    status = gpu->plugin->time(gpu->cuda, &problem.direct, samples, seconds);
    myr_problem_free(&problem);
    return status;
}

myr_status myr_machine_gpu_code(myr_interaction *interaction, const myr_particles *particles, int64_t n,
                                const int64_t *index, const char *path, int *pairs)
{
    myr_problem problem;
    myr_cuda_device device;
    myr_cuda_code code = {NULL, 0, 0};
    if (!interaction || !particles || !path || !pairs)
        return MYR_ERROR_ARGUMENT;
    myr_status status = gpu_problem(interaction, particles, n, index, &problem);
    if (status)
        return status;
    const myr_gpu *gpu = problem.direct.gpu;
    (void)gpu->plugin->device(gpu->cuda, 0, &device);
    status = myr_gpu_code(&problem.direct, &device, 0, &code);
    if (!status)
        status = myr_gpu_code_write(interaction->context, &code, path);
    *pairs = code.pairs;
    free(code.bytes);
    myr_problem_free(&problem);
    return status;
}
