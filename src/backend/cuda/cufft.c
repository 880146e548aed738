/* cufft.c - cuFFT, opened at run time; see cufft.h. Its interface is declared here, so that no header is needed. */
#include "backend/cuda/cufft.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define CUFFT_FILE "libcufft.so.12"

/* Kinds of transforms and results of cufft.h of CUDA. */
enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c, SUCCESS = 0, NO_MEMORY = 2 };

typedef struct {
    int (*create)(int *plan);
    int (*destroy)(int plan);
    int (*allocate)(int plan, int yes);
    int (*make)(int plan, int rank, int *n, int *in, int in_stride, int in_distance, int *out, int out_stride,
                int out_distance, int kind, int batch, size_t *bytes);
    int (*memory)(int plan, void *memory);
    int (*stream)(int plan, cudaStream_t stream);
    int (*run[4])(int plan, void *from, void *to); /* floats forward and back, doubles forward and back */
} cufft_library;

static const struct {
    const char *name;
    size_t at; /* in cufft_library */
} cufft_names[] = {{"cufftCreate", offsetof(cufft_library, create)},
                   {"cufftDestroy", offsetof(cufft_library, destroy)},
                   {"cufftSetAutoAllocation", offsetof(cufft_library, allocate)},
                   {"cufftMakePlanMany", offsetof(cufft_library, make)},
                   {"cufftSetWorkArea", offsetof(cufft_library, memory)},
                   {"cufftSetStream", offsetof(cufft_library, stream)},
                   {"cufftExecR2C", offsetof(cufft_library, run[0])},
                   {"cufftExecC2R", offsetof(cufft_library, run[1])},
                   {"cufftExecD2Z", offsetof(cufft_library, run[2])},
                   {"cufftExecZ2D", offsetof(cufft_library, run[3])}};

static cufft_library cufft;
static void *cufft_handle; /* kept until the end of the process */

/* Opens the library once. */
static myr_status cufft_open(const myr_cuda *cuda, myr_context *context)
{
    const char *given = getenv("MYRIAD_CUFFT"), *file = given && *given ? given : CUFFT_FILE;
    if (cufft_handle)
        return MYR_OK;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE,
                                "GPU: method mesh needs cuFFT of CUDA 13, and %s cannot be opened: %s; install it "
                                "(libcufft), name it in MYRIAD_CUFFT, or use backend simd",
                                file, dlerror());
    for (size_t k = 0; k < sizeof cufft_names / sizeof *cufft_names; k++) {
        void *symbol = dlsym(handle, cufft_names[k].name);
        if (!symbol) {
            dlclose(handle);
            return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE,
                                    "GPU: %s has no %s: it is not the cuFFT of CUDA 13; use backend simd", file,
                                    cufft_names[k].name);
        }
        memcpy((char *)&cufft + cufft_names[k].at, &symbol, sizeof symbol);
    }
    cufft_handle = handle;
    return MYR_OK;
}

static myr_status cufft_check(const myr_cuda *cuda, myr_context *context, int result, const char *what)
{
    if (result == SUCCESS)
        return MYR_OK;
    return cuda->host->fail(context, result == NO_MEMORY ? MYR_ERROR_MEMORY : MYR_ERROR_UNAVAILABLE,
                            "GPU: %s: cuFFT returned %d%s", what, result,
                            result == NO_MEMORY ? " (no memory); use a larger tolerance, or backend simd" : "");
}

myr_status cuda_fourier_make(const myr_cuda *cuda, myr_context *context, const int32_t side[3], int in_double,
                             cuda_fourier *fourier)
{
    int row = side[0] / 2 + 1, n[3] = {side[2], side[1], side[0]};
    int reals[3] = {side[2], side[1], 2 * row}, waves[3] = {side[2], side[1], row};
    const int distance = side[2] * side[1] * row;
    *fourier = (cuda_fourier){.in_double = in_double};
    myr_status status = cufft_open(cuda, context);
    for (int k = 0; k < 2 && !status; k++) {
        const int kind = in_double ? (k ? Z2D : D2Z) : (k ? C2R : R2C);
        size_t bytes = 0;
        int result = cufft.create(&fourier->plan[k]);
        if (result == SUCCESS) {
            fourier->made++;
            result = cufft.allocate(fourier->plan[k], 0);
        }
        if (result == SUCCESS)
            result = cufft.make(fourier->plan[k], 3, n, k ? waves : reals, 1, k ? distance : 2 * distance,
                                k ? reals : waves, 1, k ? 2 * distance : distance, kind, 3, &bytes);
        fourier->bytes = bytes > fourier->bytes ? bytes : fourier->bytes;
        status = cufft_check(cuda, context, result, "planning transforms");
    }
    return status;
}

myr_status cuda_fourier_use(const myr_cuda *cuda, myr_context *context, const cuda_fourier *fourier, void *memory,
                            cudaStream_t stream)
{
    int result = SUCCESS;
    for (int k = 0; k < 2 && result == SUCCESS; k++) {
        result = cufft.stream(fourier->plan[k], stream);
        if (result == SUCCESS)
            result = cufft.memory(fourier->plan[k], memory);
    }
    return cufft_check(cuda, context, result, "planning transforms");
}

void cuda_fourier_destroy(cuda_fourier *fourier)
{
    for (int k = 0; k < fourier->made; k++)
        (void)cufft.destroy(fourier->plan[k]);
    fourier->made = 0;
}

myr_status cuda_fourier_run(const myr_cuda *cuda, myr_context *context, const cuda_fourier *fourier, int back,
                            void *grid)
{
    const int result = cufft.run[2 * fourier->in_double + back](fourier->plan[back], grid, grid);
    return cufft_check(cuda, context, result, back ? "transforming back" : "transforming");
}
