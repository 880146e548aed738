/* cuda_runtime_api.h - the calls of the CUDA runtime that device.c, box.c and far.c make, for an emulated GPU
 * (runtime.c). */
#ifndef MYR_TESTS_EMULATED_CUDA_RUNTIME_API_H
#define MYR_TESTS_EMULATED_CUDA_RUNTIME_API_H

#include <stddef.h>

typedef enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorSymbolNotFound = 500,
    cudaErrorIllegalAddress = 700
} cudaError_t;

typedef enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3
} cudaMemcpyKind;
typedef enum { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 } cudaFuncAttribute;

enum { cudaStreamNonBlocking = 1 };

typedef struct emulated_stream *cudaStream_t;
typedef struct emulated_event *cudaEvent_t;
typedef struct emulated_library *cudaLibrary_t;
typedef struct emulated_kernel *cudaKernel_t;

typedef struct {
    unsigned x, y, z;
} dim3;

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem;
    int major, minor, multiProcessorCount, cooperativeLaunch;
};

cudaError_t cudaGetLastError(void);
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
cudaError_t cudaSetDevice(int device);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);

cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaEventDestroy(cudaEvent_t event);

cudaError_t cudaMallocAsync(void **at, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);
cudaError_t cudaFree(void *at);
cudaError_t cudaMallocHost(void **at, size_t bytes);
cudaError_t cudaFreeHost(void *at);
cudaError_t cudaMemsetAsync(void *at, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind);

/* `code` is the path of a shared object (program.c), which is deleted. */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *a, void *b, unsigned c, void *d,
                                void *e, unsigned f);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name);
cudaError_t cudaLibraryUnload(cudaLibrary_t library);
cudaError_t cudaFuncSetAttribute(const void *kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads, size_t shared);

typedef enum {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6
} cudaLaunchAttributeID;

typedef struct {
    cudaLaunchAttributeID id;
    union {
        int cooperative;
        int programmaticStreamSerializationAllowed;
    } val;
} cudaLaunchAttribute;

typedef struct {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig_t;

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *set, const void *kernel, void **arguments);

/* Queues a call of a function with a copy of its arguments, for libraries that work on a stream (cufft.c). */
cudaError_t emulated_call(void (*call)(const void *arguments), const void *arguments, size_t bytes);

/* Functions of the plug-in that an emulated GPU lacks; their entries in the table of the plug-in are null. */
#pragma weak cuda_motion_hermite
#pragma weak cuda_time
#pragma weak cuda_code

#endif
