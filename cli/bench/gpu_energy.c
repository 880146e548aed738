/* gpu_energy.c - NVML, opened at run time: two of its functions, by the types of its published interface. */
#include "bench/gpu_energy.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>

typedef struct nvml_device *nvml_device;

/* What is needed of it; all 0 until it was looked for. */
typedef struct {
    int looked;
    nvml_device device;
    int (*energy)(nvml_device device, unsigned long long *millijoules);
} nvml;

static void nvml_open(nvml *n)
{
    int (*init)(void);
    int (*handle)(unsigned index, nvml_device *device);
    n->looked = 1;
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL); /* stays open: it has threads of its own */
    if (!library)
        return;
    *(void **)&init = dlsym(library, "nvmlInit_v2");
    *(void **)&handle = dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&n->energy = dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    if (!init || !handle || init() != 0 || handle(0, &n->device) != 0)
        n->energy = NULL;
}

double energy_used(void)
{
    static nvml library;
    unsigned long long millijoules;
    if (!library.looked)
        nvml_open(&library);
    if (!library.energy || library.energy(library.device, &millijoules) != 0)
        return NAN;
    return 1e-3 * (double)millijoules;
}
