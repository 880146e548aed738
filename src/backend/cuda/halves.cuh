/* halves.cuh - sums of integers that several threads add to, as low halves of 32 bits and the rest. */
#ifndef MYR_BACKEND_CUDA_HALVES_CUH
#define MYR_BACKEND_CUDA_HALVES_CUH

/* Sum of integers, as low and high halves, times 2^(exponent - 62), rounded once (core/sum.h). */
MYR_FN double halves_value(const unsigned long long half[2], int exponent)
{
    const __int128 sum = ((__int128)(long long)half[1] << 32) + (__int128)half[0];
    const int negative = sum < 0;
    unsigned __int128 size = negative ? -(unsigned __int128)sum : (unsigned __int128)sum;
    int shift = 0;
    uint64_t rest = 0; /* bits that were shifted out */
    while (size >> 64) {
        rest |= (uint64_t)size & 1;
        size >>= 1;
        shift++;
    }
    const double value = __ull2double_rn((uint64_t)size | rest); /* `rest` is below the last bit that is kept */
    return ldexp(negative ? -value : value, exponent - 62 + shift);
}

#endif
