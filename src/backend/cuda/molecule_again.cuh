/* molecule_again.cuh - records, sums and loops over pairs for another kernel, in a namespace of molecule_born.cuh. */
#undef MYR_BACKEND_CUDA_SUMS_CUH
#undef MYR_BACKEND_UNIT_KERNEL_H
#undef CUDA_OUTPUTS
#define CUDA_OUTPUTS 0
#undef ACC_
#undef ACC_WIDE
#undef ACC_HOLDS
#undef SUM_
#include "backend/cuda/sums.cuh"

#include "backend/cuda/molecule_pairs.cuh"
