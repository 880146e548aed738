/* box_turns.c - steps and lists of particles in a box on a device by launches of one kernel, each of which reads in the
 * state what it has to do (myr_box_task). A list that has expired is found by the next launch, which begins a new one:
 * the host enqueues as many launches as steps and lists will take, and waits once. Where too few were enqueued it
 * enqueues more; where too many, the last ones do nothing. See box.c and box.cuh. */
#include <math.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

/* Expected way of a particle in half the life of a list, per unit of velocity and of acceleration. Friction of Langevin
 * dynamics makes it shorter. */
void cuda_box_expect(myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    const double h = 0.5 * (double)b->life * s->dt;
    const double friction = b->set.langevin ? -log(s->keep) / fabs(s->dt) : 0;
    const double way = friction * fabs(h) > 1e-4 ? -expm1(-friction * fabs(h)) / friction : fabs(h);
    b->lead[0] = copysign(way, h);
    b->lead[1] = friction * fabs(h) > 1e-4 ? (fabs(h) - way) / friction : 0.5 * h * h;
}

/* Number of launches for the rest of the steps, the evaluation after the last one, and the lists in between: one more
 * than these steps ask for by the life of the last lists. */
static int64_t turns_wanted(const myr_cuda_box *b, const myr_box_slot *now, int64_t most)
{
    const int64_t rest = most - now->made + 1, room = BOX_SLOTS - 1;
    const int64_t lists = rest > 1 ? (b->used + rest) / b->life + 1 : (now->state & MYR_BOX_EXPIRED) != 0;
    const int64_t wanted = rest + lists * MYR_BOX_PARTS;
    return wanted < room ? wanted : room;
}

/* Enqueues `count` launches. s: null = forces only. */
static myr_status turns_enqueue(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, int64_t count)
{
    const box_kernel kernel = b->is_cube ? KERNEL_STEP_CUBE : KERNEL_STEP;
    myr_box_turn a = {.step = cuda_box_step_arguments(b, s), .list = cuda_box_list_arguments(b, most)};
    myr_status status = MYR_OK;
    a.step.all = cuda_box_step_common(b, most);
    for (int64_t k = 0; k < count && !status; k++, b->at++) {
        a.step.all.slot = a.list.all.slot = b->all.slot + b->at;
        status = cuda_box_check_list(b);
        if (!status)
            status = cuda_box_launch(b, kernel, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    }
    return status;
}

/* Adds the time of every launch, up to the beginning of the next one, to steps or lists. */
static void turns_add_time(myr_cuda_box *b)
{
    for (int k = 0; k + 2 <= b->at; k++) {
        const int32_t task = myr_box_task(&b->slot[k]);
        const uint64_t begin = b->slot[k + 1].time, end = b->slot[k + 2].time;
        const double seconds = end > begin ? 1e-9 * (double)(end - begin) : 0;
        if (task == MYR_BOX_STEP || task == MYR_BOX_FIRST)
            b->seconds[0] += seconds;
        else if (task != MYR_BOX_DONE)
            b->seconds[1] += seconds;
    }
}

/* Counts lists, and learns from those that have expired how many steps a list lasts. */
static void turns_learn(myr_cuda_box *b)
{
    int64_t sum = 0, expired = 0;
    for (int k = 0; k < b->at; k++) {
        b->used += b->slot[k + 1].made - b->slot[k].made;
        if (myr_box_task(&b->slot[k]) != MYR_BOX_SEARCH)
            continue;
        b->builds++;
        sum += b->used;
        expired += b->used > 0;
        b->used = 0;
    }
    const int64_t life = expired ? (sum + expired / 2) / expired : b->used > b->life ? b->used : b->life;
    b->life = life < BOX_LIFE_MOST ? life : BOX_LIFE_MOST;
}

/* A batch of launches from a state, and what is left of it. */
static myr_status turns_batch(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    if (s && (now->task == MYR_BOX_STEP || now->task == MYR_BOX_FIRST)) /* all parts of a list expect the same places */
        cuda_box_expect(b, s);
    myr_status status = cuda_box_begin(b, now);
    if (!status)
        status = turns_enqueue(b, s, most, turns_wanted(b, now, most));
    if (!status)
        status = cuda_box_look(b, now);
    if (status)
        return status;
    turns_add_time(b);
    turns_learn(b);
    return now->state & MYR_BOX_FULL ? cuda_box_more_room(b, now) : MYR_OK;
}

myr_status cuda_box_turns(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    const uint32_t reasons = ~(uint32_t)MYR_BOX_EXPIRED;
    myr_status status = MYR_OK;
    if (now->task == MYR_BOX_DONE)
        now->task = MYR_BOX_STEP;
    if (!b->is_listed) {
        now->state |= MYR_BOX_EXPIRED;
        b->used = 0;
    }
    do
        status = turns_batch(b, s, most, now);
    while (!status && now->task != MYR_BOX_DONE && !(now->state & reasons));
    b->is_listed = !status && !now->state;
    now->task = MYR_BOX_STEP;
    return status;
}

myr_status cuda_box_turns_list(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = MYR_OK;
    myr_box_turn a = {.step = cuda_box_step_arguments(b, NULL), .list = cuda_box_list_arguments(b, INT64_MAX)};
    a.step.all = cuda_box_step_common(b, INT64_MAX);
    for (int k = 0; k < MYR_BOX_PARTS && now->task == MYR_BOX_COUNT && !status; k++, b->at++) {
        a.step.all.slot = a.list.all.slot = b->all.slot + b->at;
        status = cuda_box_launch(b, KERNEL_STEP, cuda_box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    }
    return status;
}
