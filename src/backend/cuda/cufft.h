/* cufft.h - Fourier transforms on a device by cuFFT, which is opened when it is first needed: neither building nor
 * opening the plug-in needs it. */
#ifndef MYR_BACKEND_CUDA_CUFFT_H
#define MYR_BACKEND_CUDA_CUFFT_H

#include "backend/cuda/cuda.h"

/* Plans of transforms in place: three real fields [side z][side y][row], row = 2 (side x/2 + 1). */
typedef struct {
    int plan[2], made; /* forward and back; made: how many there are */
    int in_double;
    size_t bytes; /* memory of a transform beside the fields */
} cuda_fourier;

/* Makes plans; the caller gives the memory of `bytes` bytes afterwards by cuda_fourier_use. */
myr_status cuda_fourier_make(const myr_cuda *cuda, myr_context *context, const int32_t side[3], int in_double,
                             cuda_fourier *fourier);
myr_status cuda_fourier_use(const myr_cuda *cuda, myr_context *context, const cuda_fourier *fourier, void *memory,
                            cudaStream_t stream);
void cuda_fourier_destroy(cuda_fourier *fourier);

/* Enqueues a transform, forward (0) or back (1), without factors: both multiply by the number of points. */
myr_status cuda_fourier_run(const myr_cuda *cuda, myr_context *context, const cuda_fourier *fourier, int back,
                            void *grid);

#endif
