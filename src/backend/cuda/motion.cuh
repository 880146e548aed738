/* motion.cuh - integrators on the device. Compiled like sweep.cuh, for CUDA_RESIDENT. The formulas are those of the
 * processor (backend/motion.h), in the same order: with `fixed` sums in portable arithmetic a trajectory has the same
 * bits on both. */
#include "backend/cuda/sweep.cuh"
#include "backend/motion.h"

/* --- fixed steps -------------------------------------------------------------------------------------------------- */
/* Stores a coordinate in the format of the records. */
MYR_FN void put_coordinate(real *lane, double x)
{
#if COORD_LANES == 2
    const float hi = (float)x;
    lane[0] = hi;
    lane[1] = (float)(x - (double)hi);
#else
    lane[0] = (real)x;
#endif
}

/* Stores the position of particle i after dt in its record. */
MYR_FN void put_body(const myr_cuda_bodies &b, int64_t i, double dt)
{
    real *lane = (real *)((source_record *)b.record + i);
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const double v = b.v[c] ? b.v[c][i] : 0, a = b.a[c] ? b.a[c][i] : 0, j = b.j[c] ? b.j[c][i] : 0;
        put_coordinate(lane + c * COORD_LANES, motion_position(b.x[c][i], v, a, j, dt));
        if (b.velocity >= 0)
            lane[b.velocity + c] = (real)motion_velocity(v, a, j, dt);
    }
}

#if CUDA_OUTPUTS == 0
extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) move(const __grid_constant__ myr_cuda_move m)
{
    const int64_t i = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x;
    if (i >= m.bodies.n)
        return;
    for (int k = 0; k < m.sums; k++)
        motion_sum_at(&m.sum[k], i);
    if (m.bodies.record)
        put_body(m.bodies, i, 0);
}
#endif

#if CUDA_OUTPUTS == 6
/* --- Hermite scheme with block steps ------------------------------------------------------------------------------ */
/* Barrier over all blocks of the launch, which are resident at the same time (cooperative launch). */
MYR_FN void wait_for_all(myr_cuda_progress *p, unsigned *round)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned wanted = ++*round * gridDim.x;
        unsigned arrived;
        __threadfence();
        atomicAdd(&p->barrier, 1u);
        do
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(arrived) : "l"(&p->barrier) : "memory");
        while (arrived < wanted);
    }
    __syncthreads();
}

/* Finds the earliest end of a step. Ends are not negative, so that their bits have the order of their values. */
MYR_FN void find_next(const myr_cuda_hermite &h, unsigned long long *next)
{
    unsigned long long least = ~0ull;
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < h.bodies.n; i += gridDim.x * (int64_t)blockDim.x) {
        const unsigned long long end = (unsigned long long)__double_as_longlong(h.bodies.end[i]);
        least = end < least ? end : least;
    }
    MYR_UNROLL
    for (int half = 16; half > 0; half /= 2) {
        const unsigned long long other = __shfl_down_sync(~0u, least, half);
        least = other < least ? other : least;
    }
    __shared__ unsigned long long of_warp[CUDA_THREADS / 32];
    if (threadIdx.x % 32 == 0)
        of_warp[threadIdx.x / 32] = least;
    __syncthreads();
    for (int k = 1; threadIdx.x == 0 && k < CUDA_THREADS / 32; k++)
        least = of_warp[k] < least ? of_warp[k] : least;
    if (threadIdx.x == 0 && least != ~0ull)
        atomicMin(next, least);
}

/* Predicts all particles, and lists those whose step ends. */
MYR_FN void predict_and_list(const myr_cuda_hermite &h, unsigned long long next, double time, int32_t *active)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < h.bodies.n; i += gridDim.x * (int64_t)blockDim.x) {
        put_body(h.bodies, i, time - h.bodies.own[i]);
        if ((unsigned long long)__double_as_longlong(h.bodies.end[i]) == next)
            h.active[atomicAdd(active, 1)] = (int32_t)i;
    }
}

/* Number of source splits for the active particles: enough that every block has work. */
MYR_FN int64_t hermite_splits(int64_t groups, int64_t sources)
{
    const int64_t most = sources / (8 * CUDA_SLICES) > 0 ? sources / (8 * CUDA_SLICES) : 1;
    const int64_t wanted = gridDim.x / groups > 0 ? gridDim.x / groups : 1;
    return wanted < most ? wanted : most;
}

MYR_FN hermite_body load_body(const myr_cuda_bodies &b, int64_t i)
{
    hermite_body body;
    for (int c = 0; c < 3; c++) {
        body.x[c] = b.x[c][i];
        body.v[c] = b.v[c][i];
        body.a[c] = b.a[c][i];
        body.j[c] = b.j[c][i];
    }
    return body;
}

MYR_FN void store_body(const myr_cuda_bodies &b, int64_t i, const hermite_body &body)
{
    for (int c = 0; c < 3; c++) {
        b.x[c][i] = body.x[c];
        b.v[c][i] = body.v[c];
        b.a[c][i] = body.a[c];
        b.j[c][i] = body.j[c];
    }
}

/* Saves the state before the step of entry k of the list, in columns of `room`. */
MYR_FN void keep_body(const myr_cuda_hermite &h, int64_t k, int64_t i, const hermite_body &b)
{
    const int64_t n = h.bodies.n;
    for (int c = 0; c < 3; c++) {
        h.room[c * n + k] = b.x[c];
        h.room[(3 + c) * n + k] = b.v[c];
        h.room[(6 + c) * n + k] = b.a[c];
        h.room[(9 + c) * n + k] = b.j[c];
    }
    h.room[12 * n + k] = h.bodies.own[i];
    h.room[13 * n + k] = h.bodies.step[i];
    h.room[14 * n + k] = h.bodies.end[i];
}

/* Sums of entry k over all splits as numbers, by one warp: lane o + 6 s sums output o of every fifth split. Lane 0
 * receives them in order; `room` holds the words of a warp. */
MYR_FN void merge_splits(const myr_cuda_sweep &a, int64_t targets, int64_t splits, int64_t k, sum_words *room,
                         double *value)
{
    enum { STRIPES = 5 };
    const int lane_number = threadIdx.x % 32, o = lane_number % OUTPUTS, stripe = lane_number / OUTPUTS;
    sum_words sum = {};
    const sum_words *from = (const sum_words *)a.part + k * OUTPUTS + o;
    for (int64_t s = stripe; stripe < STRIPES && s < splits; s += STRIPES)
        ACC_(_merge)(sum.word, from[s * targets * OUTPUTS].word);
    room[lane_number] = sum;
    __syncwarp();
    if (lane_number < OUTPUTS) {
        for (int s = 1; s < STRIPES; s++)
            ACC_(_merge)(sum.word, room[lane_number + s * OUTPUTS].word);
        room[lane_number].word[0].f = sum_value(a, k, lane_number, sum.word);
    }
    __syncwarp();
    for (int n = 0; n < OUTPUTS; n++)
        value[n] = room[n].word[0].f;
    __syncwarp();
    if (lane_number == 0)
        sums_clear(a, k);
}

/* Completes the step of entry k of the list, particle i: the time is `now` units from the origin, or `time`. */
MYR_FN void correct_body(const myr_cuda_hermite &h, hermite_body &b, const double *value, int64_t k, int64_t i, double now,
                         double time)
{
    keep_body(h, k, i, b);
    for (int c = 0; c < 3; c++) {
        b.a1[c] = value[c];
        b.j1[c] = value[3 + c];
    }
    const double dt = time - h.bodies.own[i], step = h.bodies.step[i] * h.unit;
    const double wanted = hermite_wanted(hermite_correct(&b, dt, h.eta), dt, step);
    if (!(wanted >= h.dt_min) || !(dt > 0) || !isfinite(b.x[0] + b.x[1] + b.x[2] + b.a[0] + b.a[1] + b.a[2]))
        h.progress->undo = 1;
    store_body(h.bodies, i, b);
    h.bodies.own[i] = time;
    h.bodies.step[i] = hermite_block(now, h.bodies.step[i], wanted / h.unit, h.unit, h.dt_min);
    h.bodies.end[i] = now + h.bodies.step[i];
}

/* Completes all entries of the list; a warp sums the splits of each. */
MYR_FN void correct_all(const myr_cuda_hermite &h, int64_t targets, int64_t splits, double now, double time,
                        char *shared)
{
    const int64_t warp = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) / 32;
    for (int64_t k = warp; k < targets; k += gridDim.x * (int64_t)blockDim.x / 32) {
        double value[OUTPUTS];
        const int64_t i = h.active[k];
        hermite_body b = load_body(h.bodies, i); /* loaded while the splits are merged */
        merge_splits(h.sweep, targets, splits, k, (sum_words *)shared + threadIdx.x / 32 * 32, value);
        if (threadIdx.x % 32 == 0)
            correct_body(h, b, value, k, i, now, time);
    }
}

extern "C" __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS) hermite(const __grid_constant__ myr_cuda_hermite h)
{
    extern __shared__ __align__(16) char shared[];
    const int64_t wide = blockDim.x / CUDA_SLICES;
    const int first = blockIdx.x == 0 && threadIdx.x == 0;
    myr_cuda_progress *const p = h.progress;
    myr_cuda_sweep a = h.sweep;
    double time = h.time;
    unsigned round = 0;
    int32_t last = 0;
    long long steps = 0, particle_steps = 0;
    int state = MYR_CUDA_GOING;
    while (steps < h.most && time < h.until) {
        const int turn = (int)(steps % 3), other = (int)((steps + 1) % 3);
        find_next(h, &p->next[turn]);
        wait_for_all(p, &round);
        const unsigned long long next = *(volatile unsigned long long *)&p->next[turn];
        const double now = __longlong_as_double((long long)next), to = h.origin + h.unit * now;
        if (to > h.stop || (to < h.stop && h.stop - to < 1e-9 * (to - time))) {
            state = MYR_CUDA_AT_END; /* all particles go to the end together: work of the processor */
            break;
        }
        if (to > h.until)
            break;
        if (first) {
            p->next[other] = ~0ull;
            p->active[other] = 0;
        }
        predict_and_list(h, next, to, &p->active[turn]);
        wait_for_all(p, &round);
        a.targets = *(volatile int32_t *)&p->active[turn];
        if (particle_steps >= h.renew_after && a.targets == h.bodies.n) {
            state = MYR_CUDA_STOPPED; /* the processor makes this step and chooses grids again */
            break;
        }
        const int64_t groups = (a.targets + wide - 1) / wide, splits = hermite_splits(groups, a.sources);
        a.per_split = (a.sources + splits - 1) / splits;
        for (int64_t item = blockIdx.x; item < groups * splits; item += gridDim.x) {
            thread_work w;
            sweep_block(a, item / splits, item % splits, shared, w);
            work_end(w, a, item % splits);
            __syncthreads();
        }
        wait_for_all(p, &round);
        if (*(volatile uint32_t *)&a.report->flag) {
            state = MYR_CUDA_STOPPED; /* nothing has changed yet */
            for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < a.targets;
                 k += gridDim.x * (int64_t)blockDim.x)
                sums_clear(a, k);
            break;
        }
        correct_all(h, a.targets, splits, now, to, shared);
        wait_for_all(p, &round);
        steps++;
        last = (int32_t)a.targets;
        if (*(volatile int32_t *)&p->undo) {
            state = MYR_CUDA_STOPPED;
            break;
        }
        particle_steps += a.targets;
        time = to;
    }
    if (first) {
        p->time = time;
        p->steps = p->undo ? steps - 1 : steps;
        p->particle_steps = particle_steps;
        p->last = last;
        p->state = state;
    }
}

/* Undoes the last step. */
extern "C" __global__ void __launch_bounds__(MYR_CUDA_BLOCK) undo(const __grid_constant__ myr_cuda_hermite h)
{
    const int64_t k = (int64_t)blockIdx.x * MYR_CUDA_BLOCK + threadIdx.x, n = h.bodies.n;
    if (k >= h.progress->last)
        return;
    const int64_t i = h.active[k];
    for (int c = 0; c < 3; c++) {
        h.bodies.x[c][i] = h.room[c * n + k];
        h.bodies.v[c][i] = h.room[(3 + c) * n + k];
        h.bodies.a[c][i] = h.room[(6 + c) * n + k];
        h.bodies.j[c][i] = h.room[(9 + c) * n + k];
    }
    h.bodies.own[i] = h.room[12 * n + k];
    h.bodies.step[i] = h.room[13 * n + k];
    h.bodies.end[i] = h.room[14 * n + k];
}
#endif
