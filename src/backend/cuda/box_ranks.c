/* box_ranks.c - particles in a box on a device, as one rank of several (box_ranks.cuh).
 *
 * After every move own coordinates near other ranks are packed on the device, sent through pinned memory, and those of
 * the copies unpacked; at the same time the ranks agree on the state, so that all of them stop or go on. The list is
 * used until the largest displacement of all particles comes near its limit. Then the ranks end the present step and
 * return: the library sends particles to other ranks, and the next call begins with new copies and a new list. A step
 * after which the list does not hold, or which needs the processor, is undone by all ranks: they repeat the steps
 * before it. */
#include <math.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

#define SOON 1.25 /* the next displacement is at most so many times the largest one so far, or the step is undone */

/* --- the share of a rank ------------------------------------------------------------------------------------------ */

/* Room for `words` in the messages of a direction. */
static myr_status ranks_room(myr_cuda_box *b, int direction, size_t words)
{
    void *at = direction ? (void *)(uintptr_t)b->ranks.in : b->ranks.out;
    if (words <= b->pinned_size[direction] && b->pinned[direction])
        return MYR_OK;
    words += words / 4 + 1;
    cuda_box_free(b, at);
    if (b->pinned[direction])
        (void)cudaFreeHost(b->pinned[direction]);
    b->pinned[direction] = NULL;
    b->pinned_size[direction] = words;
    const myr_status status = cuda_box_check(
        b, cudaMallocHost((void **)&b->pinned[direction], words * sizeof(uint64_t)), "allocating pinned memory");
    if (status)
        return status;
    return direction ? cuda_box_room(b, &b->ranks.in, words * sizeof(uint64_t))
                     : cuda_box_room(b, &b->ranks.out, words * sizeof(uint64_t));
}

void cuda_box_ranks_close(myr_cuda_box *b)
{
    for (int k = 0; k < 2; k++)
        if (b->pinned[k])
            (void)cudaFreeHost(b->pinned[k]);
}

myr_status cuda_box_share(myr_cuda_box *box, const myr_cuda_box_share *share)
{
    myr_cuda_box *b = box;
    const int64_t n = share->own + share->halo;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (n > b->capacity)
        return b->cuda->host->fail(b->context, MYR_ERROR_ARGUMENT, "GPU: %lld particles and room for %lld",
                                   (long long)n, (long long)b->capacity);
    b->set.n = n > 0 ? n : 1; /* a rank without particles has a copy that nothing is near to */
    b->all.n = (int32_t)b->set.n;
    b->all.own = (int32_t)share->own;
    b->all.clusters = (int32_t)((b->set.n + MYR_BOX_CLUSTER - 1) / MYR_BOX_CLUSTER);
    b->is_listed = 0;
    if (!status && (share->entries > b->ranks.entries || !b->entry)) {
        cuda_box_free(b, b->entry);
        status = cuda_box_room(b, &b->entry, ((size_t)share->entries + 1) * sizeof *b->entry);
    }
    b->ranks.entry = b->entry;
    b->ranks.entries = (int32_t)share->entries;
    b->ranks.halo = (int32_t)share->halo;
    if (!status)
        status = ranks_room(b, 0, 3 * (size_t)share->entries);
    if (!status)
        status = ranks_room(b, 1, 3 * (size_t)share->halo);
    if (!status)
        status = cuda_box_upload(b, b->entry, share->entry, (size_t)share->entries * sizeof *b->entry);
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
}

static myr_status ranks_launch(myr_cuda_box *b, box_kernel kernel, int64_t threads)
{
    myr_box_ranks a = b->ranks;
    a.all = cuda_box_common(b, 0);
    return threads > 0 ? cuda_box_launch(b, kernel, threads, 256, &a, sizeof a) : MYR_OK;
}

myr_status cuda_box_ranks_sorted(myr_cuda_box *b)
{
    return ranks_launch(b, KERNEL_WHERE, b->set.n);
}

myr_status cuda_box_ranks_list(myr_cuda_box *b, myr_box_slot *now)
{
    float seconds = 0;
    if (b->is_listed)
        return MYR_OK;
    myr_status status = cuda_box_mark(b, 0);
    if (!status)
        status = cuda_box_renew_list(b, now);
    if (!status)
        status = cuda_box_mark(b, 1);
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "making a list");
    if (!status)
        status = cuda_box_check(b, cudaEventElapsedTime(&seconds, b->mark[0], b->mark[1]), "timing");
    b->seconds[1] += 1e-3 * (double)seconds;
    b->builds++;
    b->is_fresh = 1;
    b->furthest[0] = b->furthest[1] = 0;
    return status;
}

/* --- agreement and exchange --------------------------------------------------------------------------------------- */

static double ranks_number(unsigned long long bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x >= 0 ? x : (double)INFINITY;
}

/* Waits for the last launch, and agrees on its state with the other ranks. */
static myr_status ranks_agree(myr_cuda_box *b, myr_box_slot *now)
{
    enum { REASONS = 4, FURTHEST = REASONS, FASTEST, MADE, VALUES };
    static const uint32_t reason[REASONS] = {MYR_BOX_EXPIRED, MYR_BOX_REFUSED, MYR_BOX_CLOSE, MYR_BOX_WRONG};
    double value[VALUES] = {0};
    myr_status status = cuda_box_check(b,
                                       cudaMemcpyAsync(b->slot + b->at, b->all.slot + b->at, sizeof *b->slot,
                                                       cudaMemcpyDeviceToHost, b->device.stream),
                                       "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "moving particles in a box");
    if (status)
        return status;
    *now = b->slot[b->at];
    for (int k = 0; k < REASONS; k++)
        value[k] = (now->state & reason[k]) != 0;
    value[FURTHEST] = ranks_number(now->furthest2);
    value[FASTEST] = ranks_number(now->fastest2);
    value[MADE] =
        -(double)now->made; /* a rank whose forces failed has not moved in this step, if it has a thermostat */
    status = b->set.links.largest(b->set.links.user, value, VALUES);
    now->made = (int64_t)-value[MADE];
    now->state = 0;
    for (int k = 0; k < REASONS; k++)
        now->state |= value[k] > 0 ? reason[k] : 0;
    memcpy(&now->furthest2, &value[FURTHEST], sizeof now->furthest2);
    if (b->is_open && !now->state && now->made > 0 && now->made <= b->fastest)
        b->fastest2[now->made - 1] = value[FASTEST];
    return status ? status : cuda_box_checked(b, now);
}

myr_status cuda_box_ranks_bath(myr_cuda_box *b, int sums)
{
    enum { SUMS = 6 };
    myr_box_bath_state *on_device = b->bath.bath, here;
    int64_t sum[SUMS];
    myr_status status =
        cuda_box_check(b, cudaMemcpyAsync(&here, on_device, sizeof here, cudaMemcpyDeviceToHost, b->device.stream),
                       "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "summing velocities");
    if (status)
        return status;
    if (!sums) {
        double largest = ranks_number(here.largest);
        status = b->set.links.largest(b->set.links.user, &largest, 1);
        memcpy(&here.largest, &largest, sizeof here.largest);
        return status ? status : cuda_box_upload(b, &on_device->largest, &here.largest, sizeof here.largest);
    }
    memcpy(sum, here.total, sizeof sum);
    status = b->set.links.add(b->set.links.user, sum, SUMS);
    return status ? status : cuda_box_upload(b, on_device->total, sum, sizeof sum);
}

/* After a move: agrees with the other ranks, and brings the copies up to date unless something stops the steps. */
static myr_status ranks_exchange(myr_cuda_box *b, myr_box_slot *now)
{
    const size_t entry = 3 * sizeof(uint64_t);
    cudaStream_t stream = b->device.stream;
    myr_status status = ranks_launch(b, KERNEL_PACK, b->ranks.entries);
    if (!status)
        status = cuda_box_check(b,
                                cudaMemcpyAsync(b->pinned[0], b->ranks.out, (size_t)b->ranks.entries * entry,
                                                cudaMemcpyDeviceToHost, stream),
                                "copying from the device");
    if (!status)
        status = ranks_agree(b, now);
    if (status || now->state)
        return status;
    status = b->set.links.swap(b->set.links.user, b->pinned[0], b->pinned[1]);
    if (!status)
        status = cuda_box_upload(b, (void *)(uintptr_t)b->ranks.in, b->pinned[1], (size_t)b->ranks.halo * entry);
    return status ? status : ranks_launch(b, KERNEL_UNPACK, b->ranks.halo);
}

/* 1 if the list may not hold after the next step. */
static int ranks_soon(myr_cuda_box *b, const myr_box_slot *now)
{
    const double way = sqrt(ranks_number(now->furthest2));
    b->furthest[1] = fmax(b->furthest[1], way - b->furthest[0]);
    b->furthest[0] = way;
    return !(way + SOON * b->furthest[1] < (double)cuda_box_allowed(b));
}

myr_status cuda_box_ranks_moved(myr_cuda_box *b, int *renew)
{
    myr_box_slot now = {0};
    const myr_status status = ranks_exchange(b, &now);
    b->is_fresh = 0;
    *renew = status || now.state || ranks_soon(b, &now);
    return status;
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* How the steps of a call ended. */
typedef struct {
    int renew;   /* 1 = the list may not hold after another step */
    int is_last; /* 1 = the last launch was the end of the last step, without a move */
} ranks_end;

/* An evaluation, with a move unless it is the last; the first one of a call is timed. */
static myr_status ranks_step(myr_cuda_box *b, const myr_cuda_box_steps *s, int is_last, int is_timed)
{
    myr_box_step a = cuda_box_step_arguments(b, s);
    myr_status status = is_timed ? cuda_box_mark(b, 1) : MYR_OK;
    a.move = !is_last;
    if (!status && s->bath && !is_last)
        status = cuda_box_bath_next(b, s, INT64_MAX);
    else if (!status)
        status = cuda_box_step(b, &a, INT64_MAX);
    if (!status && s->bath && is_last)
        status = cuda_box_bath_last(b, s);
    return !status && is_timed ? cuda_box_mark(b, 2) : status;
}

/* Steps of a call with the present list, up to `most`, or until the list may not hold after another one. */
static myr_status ranks_all(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now,
                            ranks_end *end)
{
    myr_box_step first = cuda_box_first_arguments(b, s);
    float seconds = 0;
    *end = (ranks_end){0, 0};
    now->made = 0;
    myr_status status = cuda_box_begin(b, now);
    if (!status)
        status = s->bath ? cuda_box_bath_first(b, s, most) : cuda_box_step(b, &first, most);
    for (int64_t k = 1; !status && !end->is_last; k++) {
        status = ranks_exchange(b, now);
        if (status || now->state)
            break;
        end->renew = ranks_soon(b, now);
        end->is_last = end->renew || k == most;
        if (b->at + 2 * BOX_BATH_SLOTS >= BOX_SLOTS)
            status = cuda_box_begin(b, now);
        if (!status)
            status = ranks_step(b, s, end->is_last, k == 1);
    }
    if (!status && end->is_last) {
        status = ranks_agree(b, now);
        if (!status)
            status = cuda_box_check(b, cudaEventElapsedTime(&seconds, b->mark[1], b->mark[2]), "timing");
        b->seconds[0] += 1e-3 * (double)seconds * (double)now->made;
    }
    return status;
}

/* Number of steps before the one that cannot be made. A launch that evaluates forces and moves fails by the move, which
 * is too long for the particles or the list, or by the forces, which are those at the end of the step before. With a
 * thermostat these are two launches. */
static int64_t ranks_before(const myr_cuda_box_steps *s, const myr_box_slot *now, const ranks_end *end)
{
    const int is_fused = !s->bath && !end->is_last;
    const int64_t before = now->made - (is_fused && (now->state & MYR_BOX_CLOSE) ? 2 : 1);
    return before > 0 ? before : 0;
}

/* Tries `*most` steps. Returns with *is_done = 0 if fewer must be tried, from the first state. */
static myr_status ranks_try(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t *most, int was_fresh,
                            myr_box_slot *now, myr_cuda_box_done *done, int *is_done)
{
    ranks_end end = {0, 0};
    *is_done = 1;
    myr_status status = cuda_box_clear_push(b);
    if (!status && s->bath)
        status = cuda_box_bath_begin(b, s);
    if (!status)
        status = *most > 0 ? ranks_all(b, s, *most, now, &end) : cuda_box_begin(b, now);
    if (status || *most <= 0)
        return status;
    const int expired = now->state == MYR_BOX_EXPIRED;
    const int64_t moved = !now->state || expired ? now->made : 0;
    const int64_t lasting = cuda_box_lasting(b, s, moved, done);
    if (lasting < moved) { /* the processor must look at open axes */
        done->stopped = 1;
        *most = lasting;
        *is_done = 0;
    } else if (expired && now->made == 1 && was_fresh) {
        done->renew = done->unfinished = 1;
        now->state = 0;
        status = cuda_box_begin(b, now);
    } else if (now->state) {
        done->renew |= expired;
        done->stopped |= !expired;
        *most = ranks_before(s, now, &end);
        *is_done = 0;
    } else
        done->renew |= end.renew;
    return status;
}

myr_status cuda_box_ranks_steps(myr_cuda_box *b, const myr_cuda_box_steps *steps, myr_cuda_box_done *done)
{
    myr_box_slot start = {0}, now = {0};
    int64_t most = steps->most;
    const int64_t builds = b->builds;
    int is_done = 0;
    memset(done, 0, sizeof *done);
    myr_status status = cuda_box_now(b, &start);
    start.made = 0;
    start.state = 0;
    if (!status && b->set.langevin)
        status = cuda_box_send_heat(b, steps->heat, most);
    if (!status)
        status = cuda_box_begin_fastest(b, most);
    if (!status)
        status = cuda_box_keep(b, &start, 0);
    const int was_fresh = b->is_fresh;
    const double furthest[2] = {b->furthest[0], b->furthest[1]};
    while (!status && !is_done) {
        now = start;
        memcpy(b->furthest, furthest, sizeof furthest);
        status = ranks_try(b, steps, &most, was_fresh, &now, done, &is_done);
        if (!status && !is_done) {
            status = cuda_box_keep(b, &start, 1);
            b->is_listed = 1; /* nothing was sorted meanwhile */
        }
    }
    if (now.state & MYR_BOX_WRONG) { /* back to the last good state */
        (void)cuda_box_keep(b, &start, 1);
        (void)cuda_box_begin(b, &start);
    }
    if (!status)
        status = cuda_box_fetch_push(b, done);
    if (!status && steps->bath)
        status = cuda_box_bath_fetch(b, &done->chain);
    done->made = most > 0 ? now.made : 0;
    done->builds = b->builds - builds;
    b->is_fresh = was_fresh && done->made == 0;
    return status;
}

myr_status cuda_box_finish(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done)
{
    myr_cuda_box *b = box;
    myr_box_slot now = {0};
    memset(done, 0, sizeof *done);
    myr_status status = cuda_box_now(b, &now);
    if (!status)
        status = cuda_box_keep(b, &now, 0);
    if (!status)
        status = cuda_box_clear_push(b);
    if (!status && steps->bath)
        status = cuda_box_bath_begin(b, steps);
    now.made = 1; /* the step that is ended */
    if (!status)
        status = cuda_box_end(b, steps, &now);
    if (!status)
        status = ranks_agree(b, &now);
    if (!status && !now.state && steps->bath)
        status = cuda_box_bath_fetch(b, &done->chain);
    if (status || !now.state)
        return status ? status : cuda_box_fetch_push(b, done);
    done->stopped = 1;
    now.state = 0;
    status = cuda_box_keep(b, &now, 1);
    b->is_listed = 1;
    return status ? status : cuda_box_begin(b, &now);
}
