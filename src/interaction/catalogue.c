/* catalogue.c - lists of choices, made once from the .def tables and the kernels' descriptors. */
#include "interaction/catalogue.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "interaction/method.h"

/* Names in operation_counts.def of the instructions of functions. */
enum {
    RSQRT = MYR_ISSUE_RSQRT,
    RECIP = MYR_ISSUE_RECIP,
    EXP = MYR_ISSUE_EXP,
    LOG = MYR_ISSUE_LOG,
    SIN = MYR_ISSUE_SIN
};

static const myr_operation_counts operation_counts[MYR_KERNEL_COUNT] = {
#define MYR_OPERATIONS(name, flops, flops_gpu, issue) [MYR_KERNEL_##name] = {flops, flops_gpu, issue},
#include "interaction/operation_counts.def"
#undef MYR_OPERATIONS
};

static const struct {
    const char *name, *letter, *arithmetics, *text;
    myr_acc_loop loop;
} accumulators[] = {
#define MYR_ACCUMULATOR(name, loop, letter, arithmetics, text) {#name, letter, #arithmetics, text, MYR_ACC_##loop},
#include "accumulator/accumulators.def"
#undef MYR_ACCUMULATOR
};

static const myr_choice_info arithmetics[] = {
    {"single", "float positions, float pairs", 1},
    {"mixed", "positions as hi + lo floats, float pairs", 1},
    {"portable", "as mixed, IEEE add, multiply and integers only: the same bits on every backend", 1},
    {"double", "double positions and pairs", 1},
};

static const myr_choice_info backends[] = {
    {"auto", "the fastest that this machine has", 1},
    {"ref", "plain C, readable: what the others are compared with", 1},
    {"simd", "vectors, instruction set chosen at run time", 1},
    {"cuda", "NVIDIA GPUs, through the plug-in libmyriad_cuda.so", 1},
};

enum { ISAS_MAX = 8 };

/* Filled once, constant afterwards. */
static struct {
    pthread_once_t once;
    myr_kernel_info kernel[MYR_KERNEL_COUNT];
    myr_accumulator_info accumulator[MYR_ACCUMULATOR_COUNT];
    myr_choice_info isa[ISAS_MAX];
    int isas;
} catalogue = {.once = PTHREAD_ONCE_INIT};

const myr_kernel_desc *myr_catalogue_desc(int kernel)
{
    return myr_backend_isa(0)->units[kernel][0]->desc;
}

myr_acc_loop myr_catalogue_loop(int accumulator)
{
    return accumulators[accumulator].loop;
}

static void catalogue_fields(const myr_kernel_field *from, myr_field_info *to)
{
    for (int k = 0; k < MYR_KERNEL_FIELDS && from[k].name; k++)
        to[k] = (myr_field_info){from[k].name, from[k].components, 0};
}

void myr_catalogue_info(const myr_kernel_desc *desc, const myr_operation_counts *counts, myr_kernel_info *info)
{
    static const char *const self[] = {"vanishes", "skipped", "counted"};
    const myr_kernel_desc *d = desc;
    memset(info, 0, sizeof *info);
    info->name = d->name;
    info->text = d->text;
    info->formula = d->formula;
    info->position = d->coords == 1 ? "value" : "position";
    info->position_components = d->coords;
    catalogue_fields(d->target, info->target);
    catalogue_fields(d->source, info->source);
    for (int n = 0; n < MYR_KERNEL_PAIR_MAX && d->pair[n]; n++)
        info->pair[n] = d->pair[n];
    for (int n = 0; n < MYR_KERNEL_PARAMETERS && d->parameter[n].name; n++) {
        const myr_kernel_parameter *p = &d->parameter[n];
        info->param[n] = (myr_parameter_info){p->name, p->text, p->value, p->lower, p->upper};
    }
    for (int n = 0; n < MYR_KERNEL_OUTPUT_FIELDS && d->output[n].name; n++)
        info->output[n] = (myr_field_info){d->output[n].name, d->output[n].components, (int)d->output[n].symmetry};
    info->self = self[d->self];
    info->flops = counts->flops;
    info->flops_gpu = counts->flops_gpu;
    info->issue = counts->issue;
    info->has_expansion = d->has_expansion;
    info->has_cutoff = myr_kernel_cutoff(d) >= 0 || d->reach_field;
}

static const char *catalogue_arithmetic_list(const char *classes)
{
    if (strcmp(classes, "F") == 0)
        return "single mixed";
    return strcmp(classes, "FD") == 0 ? "single mixed double" : "single mixed double portable";
}

static void catalogue_fill(void)
{
    for (int k = 0; k < MYR_KERNEL_COUNT; k++)
        myr_catalogue_info(myr_catalogue_desc(k), &operation_counts[k], &catalogue.kernel[k]);
    for (int k = 0; k < MYR_ACCUMULATOR_COUNT; k++)
        catalogue.accumulator[k] =
            (myr_accumulator_info){accumulators[k].name, accumulators[k].letter, accumulators[k].text,
                                   catalogue_arithmetic_list(accumulators[k].arithmetics),
                                   accumulators[k].loop == MYR_ACC_fixed || accumulators[k].loop == MYR_ACC_narumi};
    for (int k = 0; k < ISAS_MAX && myr_backend_isa(k); k++, catalogue.isas++)
        catalogue.isa[k] = (myr_choice_info){myr_backend_isa(k)->name, myr_backend_isa_text(myr_backend_isa(k)),
                                             myr_backend_isa_usable(myr_backend_isa(k))};
}

static void catalogue_ready(void)
{
    pthread_once(&catalogue.once, catalogue_fill);
}

const myr_kernel_info *myr_kernel(int k)
{
    catalogue_ready();
    return k >= 0 && k < MYR_KERNEL_COUNT ? &catalogue.kernel[k] : NULL;
}

const myr_kernel_info *myr_kernel_find(const char *name)
{
    return myr_kernel(myr_catalogue_kernel(name));
}

const myr_accumulator_info *myr_accumulator(int k)
{
    catalogue_ready();
    return k >= 0 && k < MYR_ACCUMULATOR_COUNT ? &catalogue.accumulator[k] : NULL;
}

const myr_choice_info *myr_isa(int k)
{
    catalogue_ready();
    return k >= 0 && k < catalogue.isas ? &catalogue.isa[k] : NULL;
}

#define AT(list, k) ((k) >= 0 && (k) < (int)(sizeof(list) / sizeof *(list)) ? &(list)[k] : NULL)

const myr_choice_info *myr_arithmetic(int k)
{
    return AT(arithmetics, k);
}

const myr_choice_info *myr_method(int k)
{
    return myr_method_at(k) ? &myr_method_at(k)->info : NULL;
}

const myr_choice_info *myr_backend(int k)
{
    return AT(backends, k);
}

const char *myr_catalogue_kernel_name(int k)
{
    return myr_kernel(k) ? myr_kernel(k)->name : NULL;
}

const char *myr_catalogue_accumulator_name(int k)
{
    return myr_accumulator(k) ? myr_accumulator(k)->name : NULL;
}

const char *myr_catalogue_arithmetic_name(int k)
{
    return myr_arithmetic(k) ? myr_arithmetic(k)->name : NULL;
}

const char *myr_catalogue_isa_name(int k)
{
    return myr_isa(k) ? myr_isa(k)->name : NULL;
}

const char *myr_catalogue_method_name(int k)
{
    return myr_method(k) ? myr_method(k)->name : NULL;
}

const char *myr_catalogue_backend_name(int k)
{
    return myr_backend(k) ? myr_backend(k)->name : NULL;
}

static int catalogue_find(const char *name, const char *(*next)(int k))
{
    const char *at;
    if (name)
        for (int k = 0; (at = next(k)); k++)
            if (strcmp(at, name) == 0)
                return k;
    return -1;
}

int myr_catalogue_kernel(const char *name)
{
    return catalogue_find(name, myr_catalogue_kernel_name);
}

int myr_catalogue_accumulator(const char *name)
{
    return catalogue_find(name, myr_catalogue_accumulator_name);
}

int myr_catalogue_arithmetic(const char *name)
{
    return catalogue_find(name, myr_catalogue_arithmetic_name);
}

int myr_catalogue_isa(const char *name)
{
    return catalogue_find(name, myr_catalogue_isa_name);
}

int myr_catalogue_method(const char *name)
{
    return catalogue_find(name, myr_catalogue_method_name);
}

int myr_catalogue_backend(const char *name)
{
    return catalogue_find(name, myr_catalogue_backend_name);
}
