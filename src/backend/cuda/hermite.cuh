/* hermite.cuh - the Hermite scheme with block steps, by a team of blocks of threads that hold one system. Included by
 * motion.cuh (one system, whose team is the launch) and stars.cuh (many systems, each with a team) after sweep.cuh,
 * compiled for CUDA_OUTPUTS 6, CUDA_TARGETS 1. The formulas are those of the processor (backend/motion.h).
 *
 * A step finds the earliest end of a particle's step, predicts all particles to it, lists those that end there, sums
 * their accelerations and jerks, and corrects them. The team waits for all its threads between these. What a device
 * cannot decide stops the team between two steps, or takes the last one back. */
#ifndef MYR_BACKEND_CUDA_HERMITE_CUH
#define MYR_BACKEND_CUDA_HERMITE_CUH

#include "backend/cuda/bodies.cuh"

/* A thread's place in its team, and where the team meets. */
struct hermite_team {
    int64_t thread, threads; /* number of the thread among those of the team */
    int64_t rank, size;      /* of the block among those of the team */
    myr_cuda_progress *p;    /* shared memory for a team of one block, else global memory */
    unsigned round;          /* barriers so far */
};

MYR_FN hermite_team team_of(int64_t rank, int64_t size, myr_cuda_progress *p)
{
    hermite_team t;
    t.rank = rank;
    t.size = size;
    t.thread = rank * blockDim.x + threadIdx.x;
    t.threads = size * blockDim.x;
    t.p = p;
    t.round = 0;
    return t;
}

MYR_FN unsigned load_acquire(const unsigned *at)
{
#if defined(__CUDACC__)
    unsigned value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
#else
    return *(const volatile unsigned *)at;
#endif
}

/* Barrier over all blocks of the team, which are resident at the same time. */
MYR_FN void team_wait(hermite_team &t)
{
    __syncthreads();
    if (t.size == 1)
        return;
    if (threadIdx.x == 0) {
        const unsigned wanted = ++t.round * (unsigned)t.size;
        __threadfence();
        atomicAdd(&t.p->barrier, 1u);
        while (load_acquire(&t.p->barrier) < wanted)
            ;
    }
    __syncthreads();
}

/* Finds the earliest end of a step. Ends are not negative, so that their bits have the order of their values. */
MYR_FN void find_next(const myr_cuda_hermite &h, const hermite_team &t, unsigned long long *next)
{
    unsigned long long least = ~0ull;
    for (int64_t i = t.thread; i < h.bodies.n; i += t.threads) {
        const unsigned long long end = (unsigned long long)__double_as_longlong(h.bodies.end[i]);
        least = end < least ? end : least;
    }
    MYR_UNROLL
    for (int half = 16; half > 0; half /= 2) {
        const unsigned long long other = __shfl_xor_sync(~0u, least, half);
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

/* Predicts all particles, and lists those whose step ends; all of them if `all` is 1. */
MYR_FN void predict_and_list(const myr_cuda_hermite &h, const hermite_team &t, unsigned long long next, double time,
                             int all, int32_t *active)
{
    for (int64_t i = t.thread; i < h.bodies.n; i += t.threads) {
        put_body(h.bodies, i, time - h.bodies.own[i]);
        if (all || (unsigned long long)__double_as_longlong(h.bodies.end[i]) == next)
            h.active[atomicAdd(active, 1)] = (int32_t)i;
    }
}

/* Number of source splits for the active particles: enough that every block has work. */
MYR_FN int64_t hermite_splits(const hermite_team &t, int64_t groups, int64_t sources)
{
    const int64_t most = sources / (8 * CUDA_SLICES) > 0 ? sources / (8 * CUDA_SLICES) : 1;
    const int64_t wanted = t.size / groups > 0 ? t.size / groups : 1;
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

/* Takes entry k of the last step's list back. */
MYR_FN void undo_body(const myr_cuda_hermite &h, int64_t k)
{
    const int64_t i = h.active[k], n = h.bodies.n;
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
MYR_FN void correct_body(const myr_cuda_hermite &h, myr_cuda_progress *p, hermite_body &b, const double *value,
                         int64_t k, int64_t i, double now, double time)
{
    keep_body(h, k, i, b);
    for (int c = 0; c < 3; c++) {
        b.a1[c] = value[c];
        b.j1[c] = value[3 + c];
    }
    const double dt = time - h.bodies.own[i], step = h.bodies.step[i] * h.unit;
    const double wanted = hermite_wanted(hermite_correct(&b, dt, h.eta), dt, step);
    if (!(wanted >= h.dt_min) || !(dt > 0) || !isfinite(b.x[0] + b.x[1] + b.x[2] + b.a[0] + b.a[1] + b.a[2]))
        p->undo = 1;
    store_body(h.bodies, i, b);
    h.bodies.own[i] = time;
    h.bodies.step[i] = hermite_block(now, h.bodies.step[i], wanted / h.unit, h.unit, h.dt_min);
    h.bodies.end[i] = now + h.bodies.step[i];
}

/* Completes all entries of the list; a warp sums the splits of each. */
MYR_FN void correct_all(const myr_cuda_hermite &h, const myr_cuda_sweep &a, const hermite_team &t, int64_t splits,
                        double now, double time, char *shared)
{
    for (int64_t k = t.thread / 32; k < a.targets; k += t.threads / 32) {
        double value[OUTPUTS];
        const int64_t i = h.active[k];
        hermite_body b = load_body(h.bodies, i); /* loaded while the splits are merged */
        merge_splits(a, a.targets, splits, k, (sum_words *)shared + threadIdx.x / 32 * 32, value);
        if (threadIdx.x % 32 == 0)
            correct_body(h, t.p, b, value, k, i, now, time);
    }
}

/* The same where one block has summed all sources: each thread completes an entry. */
MYR_FN void correct_alone(const myr_cuda_hermite &h, const myr_cuda_sweep &a, const hermite_team &t, double now,
                          double time)
{
    for (int64_t k = t.thread; k < a.targets; k += t.threads) {
        double value[OUTPUTS];
        const int64_t i = h.active[k];
        hermite_body b = load_body(h.bodies, i);
        const sum_words *sum = (const sum_words *)a.part + k * OUTPUTS;
        for (int o = 0; o < OUTPUTS; o++)
            value[o] = sum_value(a, k, o, sum[o].word);
        sums_clear(a, k);
        correct_body(h, t.p, b, value, k, i, now, time);
    }
}

/* What a team has done in a launch. */
struct hermite_done {
    double time;
    long long steps, particle_steps;
    int32_t last; /* active particles of the last step */
    int state;
};

/* Sums accelerations and jerks of the listed particles; returns the number of splits. `a` is this thread's own, or
 * shared by the block (is_shared). */
MYR_FN int64_t hermite_sums(myr_cuda_sweep &a, const hermite_team &t, int32_t targets, int is_shared, char *shared)
{
    const int64_t wide = blockDim.x / CUDA_SLICES;
    const int64_t groups = (targets + wide - 1) / wide, splits = hermite_splits(t, groups, a.sources);
    if (!is_shared || threadIdx.x == 0) {
        a.targets = targets;
        a.per_split = (a.sources + splits - 1) / splits;
    }
    if (is_shared)
        __syncthreads();
    for (int64_t item = t.rank; item < groups * splits; item += t.size) {
        thread_work w;
        sweep_block(a, item / splits, item % splits, shared, w);
        work_end(w, a, item % splits);
        __syncthreads();
    }
    return splits;
}

/* Makes block steps until a limit of h is reached, or the processor is needed. `a`: the arguments of the sums, which are
 * changed. */
MYR_FN hermite_done hermite_steps(const myr_cuda_hermite &h, myr_cuda_sweep &a, hermite_team &t, int is_shared,
                                  char *shared)
{
    myr_cuda_progress *const p = t.p;
    hermite_done d = {h.time, 0, 0, 0, MYR_CUDA_GOING};
    double work = 0;
    while (d.steps < h.most && d.time < h.until && work < h.work) {
        const int turn = (int)(d.steps % 3), other = (int)((d.steps + 1) % 3);
        find_next(h, t, &p->next[turn]);
        team_wait(t);
        const unsigned long long next = *(volatile unsigned long long *)&p->next[turn];
        const double now = __longlong_as_double((long long)next), to = h.origin + h.unit * now;
        if (to > h.stop || (to < h.stop && h.stop - to < 1e-9 * (to - d.time))) {
            d.state = MYR_CUDA_AT_END; /* all particles go to the end together: work of the processor */
            break;
        }
        if (to > h.until)
            break;
        if (t.thread == 0) {
            p->next[other] = ~0ull;
            p->active[other] = 0;
        }
        predict_and_list(h, t, next, to, 0, &p->active[turn]);
        team_wait(t);
        const int32_t targets = *(volatile int32_t *)&p->active[turn];
        if (d.particle_steps >= h.renew_after && targets == h.bodies.n) {
            d.state = MYR_CUDA_RENEW; /* the processor chooses grids again, at the places of this step's end */
            break;
        }
        const int64_t splits = hermite_sums(a, t, targets, is_shared, shared);
        team_wait(t);
        if (*(volatile uint32_t *)&a.report->flag) {
            d.state = MYR_CUDA_STOPPED; /* nothing has changed yet */
            for (int64_t k = t.thread; k < targets; k += t.threads)
                sums_clear(a, k);
            break;
        }
        if (t.size == 1)
            correct_alone(h, a, t, now, to);
        else
            correct_all(h, a, t, splits, now, to, shared);
        team_wait(t);
        d.steps++;
        d.last = targets;
        work += (double)targets * (double)a.sources + h.step_work;
        if (*(volatile int32_t *)&p->undo) {
            d.state = MYR_CUDA_STOPPED;
            break;
        }
        d.particle_steps += targets;
        d.time = to;
    }
    return d;
}

/* Tells the host; by one thread of the team. */
MYR_FN void hermite_tell(myr_cuda_progress *p, const hermite_done &d, int undone)
{
    p->time = d.time;
    p->steps = undone ? d.steps - 1 : d.steps;
    p->particle_steps = d.particle_steps;
    p->last = d.last;
    p->state = d.state;
}

#endif
