/* instruction_set.c - choice of the device: a GPU, the requested instruction set, or the best one of the backend whose
 * loops are available. */
#include <string.h>

#include "backend/gpu.h"
#include "backend/units.h"
#include "interaction/interaction.h"

enum { AUTO_GPU_PAIRS = 1 << 20 }; /* smallest number of pairs worth copying to a GPU */

/* Returns 1 if all loops of the interaction are available for an instruction set; missing loops are compiled here.
 * Kernels made from source always need the compiler and report errors themselves. */
static int has_loops(const myr_interaction *f, const myr_isa_table *isa)
{
    if (f->kernel >= MYR_KERNEL_COUNT)
        return 1;
    const char *kernel = myr_interaction_desc(f)->name;
    const int near = myr_backend_find_near(kernel);
    const int expands = myr_method_of(f)->near_units || myr_method_has_box(f);
    if (!myr_units_kernel(f->context, isa, f->kernel, f->arithmetic))
        return 0;
    return !expands || near < 0 || myr_units_near(f->context, isa, near, f->arithmetic);
}

static const myr_isa_table *chosen_isa(const myr_interaction *f, const char *backend, int any)
{
    const myr_isa_table *isa = myr_backend_isa(f->isa);
    if (!any && strcmp(isa->backend, backend) != 0) {
        myr_context_fail(f->context, MYR_ERROR_COMBINATION, "instruction set %s belongs to backend %s, not %s",
                         isa->name, isa->backend, backend);
        return NULL;
    }
    if (!myr_backend_isa_usable(isa)) {
        myr_context_fail(f->context, MYR_ERROR_UNAVAILABLE,
                         "this machine has no %s; leave isa out to use the best that it has", isa->name);
        return NULL;
    }
    return isa;
}

const myr_isa_table *myr_interaction_isa(const myr_interaction *f, double pairs)
{
    const char *backend = myr_catalogue_backend_name(f->backend);
    const int any = strcmp(backend, "auto") == 0 || f->on_host, cuda = strcmp(backend, "cuda") == 0 && !f->on_host;
    const myr_isa_table *best = NULL, *isa;
    if (cuda && !myr_method_of(f)->on_gpu) {
        myr_context_fail(f->context, MYR_ERROR_COMBINATION,
                         "method %s runs on the processor: use backend auto, simd or ref, or method direct",
                         myr_method_of(f)->info.name);
        return NULL;
    }
    if (cuda && f->without_gpu) {
        myr_context_fail(
            f->context, MYR_ERROR_COMBINATION,
            "several ranks share method %s on their processors: use backend auto, simd or ref, one rank, or "
            "method direct",
            myr_method_of(f)->info.name);
        return NULL;
    }
    if (f->isa < 0 && myr_method_of(f)->on_gpu && !f->without_gpu && !f->on_host &&
        (cuda || (any && myr_method_of(f)->on_gpu == 1 && pairs >= AUTO_GPU_PAIRS))) {
        const myr_gpu *gpu = myr_gpu_open(f->context);
        if (gpu || cuda)
            return gpu ? &gpu->isa : NULL;
    }
    if (f->isa >= 0)
        return chosen_isa(f, backend, any);
    for (int k = 0; (isa = myr_backend_isa(k)); k++)
        if (myr_backend_isa_usable(isa) && (any || strcmp(isa->backend, backend) == 0))
            best = isa;
    if (!best)
        myr_context_fail(f->context, MYR_ERROR_UNAVAILABLE, "backend %s is not in this build; use ref", backend);
    else if (any && !has_loops(f, best))
        best = myr_units_fall_back(f->context, best);
    return best;
}
