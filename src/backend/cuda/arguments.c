/* arguments.c - names and numbers of a job in the form that its program on a GPU wants. */
#include <string.h>

#include "backend/cuda/cuda.h"

static const char *const loop_name[] = {
#define MYR_ACC_LOOP(name, arithmetics) #name,
#include "accumulator/loops.def"
#undef MYR_ACC_LOOP
};

static const struct {
    const char *name, *file;
} kernel_file[] = {
#define MYR_KERNEL(name, file) {#name, #file},
#include "kernel/kernels.def"
#undef MYR_KERNEL
};

const char *cuda_kernel_file(const char *kernel)
{
    for (size_t k = 0; k < sizeof kernel_file / sizeof *kernel_file; k++)
        if (strcmp(kernel_file[k].name, kernel) == 0)
            return kernel_file[k].file;
    return NULL;
}

const char *cuda_loop_name(const myr_direct *job)
{
    return loop_name[job->loops - job->unit->loops];
}

static myr_cuda_real real_of(const myr_unit *u, double x)
{
    myr_cuda_real r = {.wide = 0};
    if (u->real_bytes == sizeof(float))
        r.single = (float)x;
    else
        r.wide = x;
    return r;
}

void cuda_arguments_numbers(const myr_direct *job, myr_cuda_sweep *a)
{
    const myr_unit *u = job->unit;
    for (int k = 0; k < u->constants; k++)
        a->constant[k] = real_of(u, job->constant[k]);
    for (int k = 0; k < u->outputs; k++) {
        a->scale[k] = job->scale[k];
        a->grid[k].large = real_of(u, job->scale[k].large);
        a->grid[k].both = real_of(u, job->scale[k].both);
        a->grid[k].coarse = real_of(u, job->scale[k].coarse);
        a->grid[k].middle = real_of(u, job->scale[k].middle);
    }
}
