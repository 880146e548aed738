/* device.h - the part of CUDA C++ that box.cuh uses, for programs that an emulated GPU executes on the processor.
 *
 * Threads of a block are fibers with stacks of their own. One runs until it needs the others: until an exchange between
 * the threads of its warp, or a barrier. Blocks are executed one after another; the order of blocks and threads changes
 * from launch to launch, since results must not depend on it. An exchange or a barrier that some threads do not reach,
 * which is undefined on a GPU, ends the program with a message. */
#ifndef MYR_TESTS_EMULATED_DEVICE_H
#define MYR_TESTS_EMULATED_DEVICE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

#define __device__
#define __global__ __attribute__((used)) /* the mark by which program.c finds kernels */
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ thread_local /* inside a function it means static, too */

struct emulated_index {
    unsigned x;
};

static emulated_index threadIdx, blockIdx, blockDim, gridDim;

struct __align__(16) int4
{
    int x, y, z, w;
};

struct __align__(16) float4
{
    float x, y, z, w;
};

/* --- fibers ------------------------------------------------------------------------------------------------------- */

namespace emulated
{

enum { THREADS = 1024, WARP = 32, STACK = 256 << 10, SHARED = 227 << 10, GARBAGE = 0xa5, VALUE = 24 };
enum thread_state { RUNS, AT_EXCHANGE, AT_BARRIER, ENDED };

struct fiber {
    ucontext_t context;
    void *registers[5]; /* of __builtin_setjmp */
    int begun;          /* 1 = `registers` are valid */
    char *stack;
    thread_state state;
    unsigned turn;        /* number of exchanges so far */
    char value[2][VALUE]; /* what the thread gives to its warp, in alternate exchanges */
};

static struct fibers {
    fiber at[THREADS];
    fiber &operator[](unsigned k)
    {
        return at[k];
    }
    ~fibers()
    {
        for (fiber &f : at)
            free(f.stack);
    }
} thread;
static void *scheduler_registers[5];
static void (*body)(const void *arguments);
static const void *body_arguments;
static unsigned launch_number;

[[noreturn]] static void complain(const char *what)
{
    fprintf(stderr, "emulated GPU: block %u, thread %u: %s\n", blockIdx.x, threadIdx.x, what);
    abort();
}

/* The address sanitizer need not know of jumps: no frame is left without its end. */
[[gnu::noipa, gnu::no_sanitize_address]] static void jump(void **to)
{
    __builtin_longjmp(to, 1);
}

[[gnu::noipa, gnu::no_sanitize_address]] static void to_scheduler(fiber *from)
{
    if (!__builtin_setjmp(from->registers))
        jump(scheduler_registers);
}

[[gnu::noipa, gnu::no_sanitize_address]] static void to_fiber(fiber *to)
{
    if (__builtin_setjmp(scheduler_registers))
        return;
    if (to->begun)
        jump(to->registers);
    to->begun = 1;
    setcontext(&to->context);
}

/* A fiber is used again by every block. */
static void fiber_main()
{
    for (;;) {
        fiber *f = &thread[threadIdx.x];
        body(body_arguments);
        f->state = ENDED;
        to_scheduler(f);
    }
}

static void begin(fiber *f)
{
    f->state = RUNS;
    f->turn = 0;
    if (f->stack)
        return;
    f->stack = (char *)malloc(STACK);
    if (!f->stack || getcontext(&f->context))
        complain("no memory for a stack");
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = STACK;
    f->context.uc_link = nullptr;
    makecontext(&f->context, fiber_main, 0);
}

static void pause(thread_state state)
{
    fiber *f = &thread[threadIdx.x];
    f->state = state;
    to_scheduler(f);
}

/* Runs the threads of a warp until each of them has ended or waits. */
static void run_threads(unsigned first)
{
    for (unsigned k = 0; k < WARP; k++) {
        threadIdx.x = first + (launch_number & 1 ? WARP - 1 - k : k);
        if (thread[threadIdx.x].state == RUNS)
            to_fiber(&thread[threadIdx.x]);
    }
}

static unsigned threads_in(unsigned first, unsigned count, thread_state state)
{
    unsigned n = 0;
    for (unsigned k = first; k < first + count; k++)
        n += thread[k].state == state;
    return n;
}

static void release(unsigned first, unsigned count)
{
    for (unsigned k = first; k < first + count; k++)
        thread[k].state = RUNS;
}

static void run_warp(unsigned first)
{
    for (;;) {
        run_threads(first);
        const unsigned waiting = threads_in(first, WARP, AT_EXCHANGE);
        if (waiting == 0)
            return;
        if (waiting < WARP)
            complain("not all threads of the warp take part in an exchange");
        release(first, WARP);
    }
}

static void run_block()
{
    for (unsigned k = 0; k < blockDim.x; k++)
        begin(&thread[k]);
    for (;;) {
        for (unsigned first = 0; first < blockDim.x; first += WARP)
            run_warp(first);
        const unsigned waiting = threads_in(0, blockDim.x, AT_BARRIER);
        if (waiting == 0)
            return;
        if (waiting < blockDim.x)
            complain("not all threads of the block reach a barrier");
        release(0, blockDim.x);
    }
}

static unsigned common_divisor(unsigned a, unsigned b)
{
    return b ? common_divisor(b, a % b) : a;
}

static void run_grid(unsigned grid, unsigned block, size_t shared, char *shared_at)
{
    unsigned stride = 1 + launch_number * 7 % grid;
    while (common_divisor(stride, grid) != 1)
        stride++;
    gridDim.x = grid;
    blockDim.x = block;
    for (unsigned k = 0; k < grid; k++) {
        blockIdx.x = (unsigned)((uint64_t)k * stride % grid);
        ASAN_UNPOISON_MEMORY_REGION(shared_at, SHARED);
        memset(shared_at, GARBAGE, shared);
        ASAN_POISON_MEMORY_REGION(shared_at + shared, SHARED - shared);
        run_block();
    }
    launch_number++;
}

template <class type> void run_thread(void (*kernel)(type), const void *arguments)
{
    kernel(*(const type *)arguments);
}

template <class type> size_t size_of_arguments(void (*)(type))
{
    return sizeof(type);
}

/* Gives a value to the warp; returns the place of the exchanged values. */
template <class type> unsigned give(unsigned mask, type value)
{
    static_assert(sizeof(type) <= VALUE, "an exchanged value fits its place");
    fiber *f = &thread[threadIdx.x];
    const unsigned turn = f->turn++ % 2;
    if (mask != ~0u)
        complain("an exchange with a part of the warp");
    memcpy(f->value[turn], &value, sizeof value);
    pause(AT_EXCHANGE);
    return turn;
}

/* Value of a thread of the warp. */
template <class type> type value_of(unsigned turn, unsigned from)
{
    type value;
    const fiber *other = &thread[threadIdx.x / WARP * WARP + from % WARP];
    if (other->turn - thread[threadIdx.x].turn > 1) /* it may be one exchange ahead */
        complain("threads of a warp disagree about the number of exchanges");
    memcpy(&value, other->value[turn], sizeof value);
    return value;
}

template <class type> type exchange(unsigned mask, type value, unsigned from)
{
    return value_of<type>(give(mask, value), from);
}

static unsigned lane()
{
    return threadIdx.x % WARP;
}

/* Rounds to the nearest integer, or to the nearest that exists. */
template <class integer, class number> integer nearest(number x, number limit, integer least, integer most, integer nan)
{
    return x != x ? nan : x >= limit ? most : x < -limit ? least : (integer)__builtin_rint(x);
}

} // namespace emulated

/* --- functions of CUDA -------------------------------------------------------------------------------------------- */

static inline void __syncthreads()
{
    emulated::pause(emulated::AT_BARRIER);
}

/* A barrier, and whether the predicate of any thread of the block is true. */
static inline int __syncthreads_or(int predicate)
{
    static int any;
    __syncthreads();
    any = 0;
    __syncthreads();
    any |= predicate != 0;
    __syncthreads();
    return any;
}

static inline void __syncwarp()
{
    (void)emulated::give(~0u, 0);
}

template <class type> type __shfl_sync(unsigned mask, type value, int from)
{
    return emulated::exchange(mask, value, (unsigned)from);
}

template <class type> type __shfl_xor_sync(unsigned mask, type value, int far)
{
    return emulated::exchange(mask, value, emulated::lane() ^ (unsigned)far);
}

template <class type> type __shfl_up_sync(unsigned mask, type value, unsigned far)
{
    const unsigned me = emulated::lane();
    return emulated::exchange(mask, value, me >= far ? me - far : me);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned all = 0;
    const unsigned turn = emulated::give(mask, predicate != 0);
    for (unsigned k = 0; k < emulated::WARP; k++)
        all |= (unsigned)emulated::value_of<bool>(turn, k) << k;
    return all;
}

template <class type> unsigned __match_any_sync(unsigned mask, type value)
{
    unsigned all = 0;
    const unsigned turn = emulated::give(mask, value);
    for (unsigned k = 0; k < emulated::WARP; k++)
        all |= (unsigned)(emulated::value_of<type>(turn, k) == value) << k;
    return all;
}

static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}

template <class type> type atomicAdd(type *at, type x)
{
    const type before = *at;
    *at = before + x;
    return before;
}

template <class type> type atomicOr(type *at, type x)
{
    const type before = *at;
    *at = before | x;
    return before;
}

template <class type> type atomicMax(type *at, type x)
{
    const type before = *at;
    *at = x > before ? x : before;
    return before;
}

template <class type> type atomicMin(type *at, type x)
{
    const type before = *at;
    *at = x < before ? x : before;
    return before;
}

template <class type> type __ldg(const type *at)
{
    return *at;
}

template <class type> type __ldcg(const type *at)
{
    return *at;
}

static inline void __threadfence()
{
}

/* As %globaltimer. */
static inline uint64_t myr_device_clock()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline long long clock64()
{
    return (long long)myr_device_clock();
}

static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

static inline int __float2int_rn(float x)
{
    return emulated::nearest<int>(x, 0x1p31f, INT32_MIN, INT32_MAX, 0);
}

static inline long long __float2ll_rn(float x)
{
    return emulated::nearest<long long>(x, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN);
}

static inline long long __double2ll_rn(double x)
{
    return emulated::nearest<long long>(x, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN);
}

static inline double __ull2double_rn(unsigned long long x)
{
    return (double)x;
}

static inline double __longlong_as_double(long long x)
{
    double number;
    memcpy(&number, &x, sizeof number);
    return number;
}

static inline long long __double_as_longlong(double x)
{
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline int __float_as_int(float x)
{
    int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float __int_as_float(int bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* mma.sync.m16n8k8 of TF32: d[16][8] += a[16][8] b[8][8]; the 13 lowest bits of factors are ignored. Thread 4 g + t has
 * a[g], a[g + 8] at columns t and t + 4, b at rows t and t + 4 of column g, d[g], d[g + 8] at columns 2 t and 2 t + 1.
 */
static inline void emulated_mma(float *d, const unsigned *a, const unsigned *b)
{
    struct factors {
        unsigned a[4], b[2];
    };
    const auto number = [](unsigned bits) { return __int_as_float((int)(bits & 0xffffe000u)); };
    const unsigned g = emulated::lane() / 4, t = emulated::lane() % 4;
    const unsigned turn = emulated::give(~0u, factors{{a[0], a[1], a[2], a[3]}, {b[0], b[1]}});
    for (unsigned k = 0; k < 8; k++) {
        const factors row = emulated::value_of<factors>(turn, 4 * g + k % 4);
        for (unsigned n = 0; n < 2; n++) {
            const factors column = emulated::value_of<factors>(turn, 4 * (2 * t + n) + k % 4);
            d[n] += number(row.a[k / 4 * 2]) * number(column.b[k / 4]);
            d[2 + n] += number(row.a[k / 4 * 2 + 1]) * number(column.b[k / 4]);
        }
    }
}

/* --- what the host calls ------------------------------------------------------------------------------------------ */

#define EMULATED_SHARED(name) alignas(16) thread_local char name[emulated::SHARED];

#define EMULATED_KERNEL(name, shared_at)                                                                               \
    extern "C" size_t emulated_size_##name()                                                                           \
    {                                                                                                                  \
        return emulated::size_of_arguments(name);                                                                      \
    }                                                                                                                  \
    extern "C" void emulated_run_##name(unsigned grid, unsigned block, size_t shared, const void *arguments)           \
    {                                                                                                                  \
        emulated::body = [](const void *a) { emulated::run_thread(name, a); };                                         \
        emulated::body_arguments = arguments;                                                                          \
        emulated::run_grid(grid, block, shared, shared_at);                                                            \
    }

#endif
