/* box_common.cuh - types, coordinates, the state between launches and wide sums of boxes, included by box.cuh. */

/* 1/r^2: in single arithmetic the reciprocal of the device, whose error is one unit in the last place. */
MYR_FN lane box_reciprocal(lane r2)
{
#if MYR_ARITH == MYR_ARITH_SINGLE && defined(__CUDACC__)
    asm("rcp.approx.ftz.f32 %0, %0;" : "+f"(r2));
    return r2;
#else
    return K(1) / r2;
#endif
}

#ifdef MYR_KERNEL
enum { PAIR_CONSTANTS = FORMULA_CONSTANTS };
#else
enum { PAIR_CONSTANTS = CUT_CONSTANTS };
#endif
enum { CLUSTER = MYR_BOX_CLUSTER, CLOSE_LEAST = 1024 };
/* A step is to be made again with care; no state of a slot. */
enum { MYR_BOX_AGAIN = 1 << 30 };
static_assert(PAIR_CONSTANTS <= MYR_BOX_CONSTANTS, "a row of the table holds all constants of a pair of types");
/* 1 = there is a faster loop for boxes with equal edges (box_cube.cuh). */
#if MYR_ARITH == MYR_ARITH_SINGLE && !BOX_ROOT && !defined(MYR_KERNEL)
#define BOX_CUBE 1
#else
#define BOX_CUBE 0
#endif
#define BOX_PORTABLE (MYR_ARITH == MYR_ARITH_PORTABLE || MYR_ARITH == MYR_ARITH_DOUBLE)

struct __align__(4 * sizeof(real)) box_point
{
    real_int x[3];
    real_int type;
};

/* Constants of a pair of types that are loaded at once. */
struct __align__(16) box_quad
{
    real c[4];
};

#if BOX_SUMS == 0
typedef uint64_t box_sum; /* modulo 2^64: pairs that do not fit are corrected afterwards */
typedef int64_t box_value;
#elif BOX_SUMS == 1
typedef float box_sum, box_value;
#else
typedef double box_sum, box_value;
#endif

MYR_FN real_int point_coordinate(uint64_t q)
{
#if MYR_ARITH == MYR_ARITH_DOUBLE
    return (real_int)(q >> 12 << 12);
#else
    return (real_int)(q >> 32);
#endif
}

MYR_FN real_int coordinate_difference(real_int a, real_int b)
{
    return (real_int)((real_uint)a - (real_uint)b);
}

/* Loads a point in pieces of 16 bytes. Not by __ldg: the launch before this one may still write points. */
MYR_FN box_point load_point(const void *point, int32_t i)
{
    box_point p;
    int4 piece[sizeof p / sizeof(int4)];
    const int4 *from = (const int4 *)((const box_point *)point + i);
    MYR_UNROLL
    for (int k = 0; k < (int)(sizeof p / sizeof(int4)); k++)
        piece[k] = from[k];
    memcpy(&p, piece, sizeof p);
    return p;
}

/* Kernels of steps and lists are launched while the one before them ends. Each waits here before it reads anything that
 * another may write, and lets the next one be launched. */
MYR_FN void wait_for_last(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* --- the state between launches ----------------------------------------------------------------------------------- */

MYR_FN int is_first_thread(void)
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* Clock of the device in ns. */
MYR_FN uint64_t device_time(void)
{
#ifdef __CUDA_ARCH__
    uint64_t time;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
    return time;
#else
    return myr_device_clock();
#endif
}

/* Copies the slot of a launch that has changed nothing of it, and names the next task. */
MYR_FN void pass_on(myr_box_slot *slot, const myr_box_slot &now, int32_t task)
{
    if (!is_first_thread())
        return;
    slot[1].task = task;
    slot[1].made = now.made;
    slot[1].side = now.side;
    slot[1].face = now.face;
    slot[1].longest = now.longest;
    slot[1].crowd = now.crowd;
    atomicOr(&slot[1].state, now.state);
}

/* Crossings of the boundary of a periodic axis between two upper halves of a coordinate. */
MYR_FN int32_t crossings_between(const myr_box_common &a, int c, uint32_t before, uint32_t now)
{
    const int32_t way = (int32_t)(now - before);
    return a.periodic[c] ? (way > 0 && now < before) - (way < 0 && now > before) : 0;
}

/* Crossings since the place for which the list was built, whose image is in a.image. */
MYR_FN int32_t crossings(const myr_box_common &a, int c, int32_t i, uint64_t q)
{
    return crossings_between(a, c, a.old[c][i], (uint32_t)(q >> 32));
}

/* --- sums --------------------------------------------------------------------------------------------------------- */

/* Sum of 64-bit integers, low and high halves apart so that it does not overflow. */
struct wide_sum {
    uint64_t low;
    int64_t high;
};

MYR_FN void add_wide(wide_sum &sum, int64_t x)
{
    sum.low += (uint32_t)x;
    sum.high += x >> 32;
}

/* Adds the sums of the threads of a warp to a total. */
MYR_FN void store_wide(unsigned long long *total, wide_sum sum)
{
    MYR_UNROLL
    for (int far = 16; far > 0; far /= 2) {
        sum.low += __shfl_xor_sync(~0u, (unsigned long long)sum.low, far);
        sum.high += __shfl_xor_sync(~0u, (long long)sum.high, far);
    }
    if (threadIdx.x % 32 != 0)
        return;
    atomicAdd(total, (unsigned long long)sum.low);
    atomicAdd(total + 1, (unsigned long long)sum.high);
}

MYR_FN void add_total(unsigned long long *total, int64_t x)
{
    wide_sum sum = {0, 0};
    add_wide(sum, x);
    store_wide(total, sum);
}

/* Raises a total to the largest number of the threads of a warp, none of which is negative: as bits, which have the
 * order of the numbers. */
MYR_FN void raise_total(unsigned long long *total, double x)
{
    unsigned long long bits = (unsigned long long)__double_as_longlong(x);
    for (int far = 16; far > 0; far /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, bits, far);
        bits = other > bits ? other : bits;
    }
    if (threadIdx.x % 32 == 0 && bits > __ldcg(total)) /* most warps do not raise it */
        atomicMax(total, bits);
}
