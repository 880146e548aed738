/* copy.cuh - copies to shared memory that go on while the threads work (cp.async). */
#ifndef MYR_BACKEND_CUDA_COPY_CUH
#define MYR_BACKEND_CUDA_COPY_CUH

/* Copies 16 bytes. */
static __device__ __forceinline__ void copy_piece(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    *(float4 *)to = *(const float4 *)from;
#endif
}

/* copy_commit ends a group of copies; copy_wait waits for all groups but the last `behind`, then for the other
 * threads. */
static __device__ __forceinline__ void copy_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int behind> __device__ __forceinline__ void copy_wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(behind) : "memory");
#endif
    __syncthreads();
}

#endif
