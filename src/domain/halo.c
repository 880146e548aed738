/* halo.c - making a halo, and bringing it up to date in every step. */
#include "domain/halo.h"

#include <stdlib.h>
#include <string.h>

#include "core/timer.h"
#include "domain/halo_inside.h"

enum { HALO_TAG = 16 };

const char *myr_exchange_name(int k)
{
    static const char *const names[MYR_EXCHANGES] = {"together", "oneway", "two_step", "pairwise"};
    return k >= 0 && k < MYR_EXCHANGES ? names[k] : NULL;
}

myr_status myr_halo_create(myr_context *context, const myr_decomposition *decomposition, myr_halo **halo)
{
    *halo = calloc(1, sizeof **halo);
    if (!*halo)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a halo");
    (*halo)->context = context;
    (*halo)->d = decomposition;
    return MYR_OK;
}

void myr_halo_destroy(myr_halo **halo)
{
    if (!*halo)
        return;
    for (int k = 0; k < 2; k++) {
        free((*halo)->out[k].bytes);
        free((*halo)->in[k].bytes);
    }
    for (int c = 0; c < 3; c++)
        free((*halo)->q[c]);
    free((*halo)->type);
    free((*halo)->id);
    free((*halo)->place);
    free(*halo);
    *halo = NULL;
}

void myr_halo_choose(myr_halo *halo, myr_exchange exchange)
{
    halo->exchange = exchange;
}

myr_status myr_halo_reserve(myr_halo *halo, halo_room *room, size_t size)
{
    if (size <= room->size)
        return MYR_OK;
    free(room->bytes);
    room->size = size + size / 4;
    room->bytes = malloc(room->size);
    if (room->bytes)
        return MYR_OK;
    room->size = 0;
    return myr_context_fail(halo->context, MYR_ERROR_MEMORY, "no memory for %zu bytes of a halo", size);
}

void myr_halo_progress_of(const myr_halo *halo, myr_halo_progress *progress)
{
    *progress = halo->progress;
}

/* --- messages -------------------------------------------------------------------------------------------------------
 */

static myr_rank_message halo_message(myr_halo *halo, const halo_phase *phase, int k, size_t size, int sending)
{
    return (myr_rank_message){.bytes = sending ? halo->out[k].bytes : halo->in[k].bytes,
                              .size = size,
                              .peer = sending ? phase->to : phase->from,
                              .tag = HALO_TAG + k,
                              .sending = sending};
}

int myr_halo_messages(myr_halo *halo, const halo_phase *const phase[2], const size_t sent[2], const size_t received[2],
                      myr_rank_message *message)
{
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (phase[k])
            message[count++] = halo_message(halo, phase[k], k, received[k], 0);
    for (int k = 0; k < 2; k++)
        if (phase[k])
            message[count++] = halo_message(halo, phase[k], k, sent[k], 1);
    return count;
}

static myr_status halo_exchange(myr_halo *halo, myr_rank_message *message, int count)
{
    const myr_status status = myr_ranks_start(halo->context, message, count);
    return status ? status : myr_ranks_finish(halo->context, message, count);
}

/* One direction; in two steps where asked for. With an odd number of slabs two even ones are neighbours: one of them
 * waits until the other has sent, and nobody for ever. */
static myr_status halo_oneway(myr_halo *halo, const halo_phase *phase, int k, size_t sent, size_t received)
{
    const int even = halo->d->at[phase->axis] % 2 == 0;
    myr_rank_message m[2] = {halo_message(halo, phase, k, even ? sent : received, even),
                             halo_message(halo, phase, k, even ? received : sent, !even)};
    if (halo->exchange != MYR_EXCHANGE_TWO_STEP)
        return halo_exchange(halo, m, 2);
    const myr_status status = halo_exchange(halo, m, 1);
    return status ? status : halo_exchange(halo, m + 1, 1);
}

/* Both directions with one neighbour, then with the other. */
static myr_status halo_pairwise(myr_halo *halo, const halo_phase *const phase[2], const size_t sent[2],
                                const size_t received[2])
{
    myr_status status = MYR_OK;
    const int axis = phase[0] ? phase[0]->axis : phase[1]->axis;
    for (int turn = 0; turn < 2 && !status; turn++) {
        const int right = (halo->d->at[axis] + turn) % 2 == 0;
        myr_rank_message m[2];
        int count = 0;
        if (phase[0])
            m[count++] = halo_message(halo, phase[0], 0, right ? sent[0] : received[0], right);
        if (phase[1])
            m[count++] = halo_message(halo, phase[1], 1, right ? received[1] : sent[1], !right);
        status = halo_exchange(halo, m, count);
    }
    return status;
}

myr_status myr_halo_pass(myr_halo *halo, const halo_phase *const phase[2], const size_t sent[2],
                         const size_t received[2])
{
    myr_rank_message message[4];
    myr_status status = MYR_OK;
    if (halo->exchange == MYR_EXCHANGE_TOGETHER)
        return halo_exchange(halo, message, myr_halo_messages(halo, phase, sent, received, message));
    if (halo->exchange == MYR_EXCHANGE_PAIRWISE)
        return halo_pairwise(halo, phase, sent, received);
    for (int k = 0; k < 2 && !status; k++)
        if (phase[k])
            status = halo_oneway(halo, phase[k], k, sent[k], received[k]);
    return status;
}

/* --- updates --------------------------------------------------------------------------------------------------------
 */

void myr_halo_fill(const myr_halo *halo, uint64_t *const q[3], int32_t *type, int64_t *id)
{
    if (halo->count == 0)
        return;
    for (int c = 0; c < 3; c++)
        memcpy(q[c] + halo->n, halo->q[c], (size_t)halo->count * sizeof *q[c]);
    memcpy(type + halo->n, halo->type, (size_t)halo->count * sizeof *type);
    memcpy(id + halo->n, halo->id, (size_t)halo->count * sizeof *id);
}

static void halo_pack(const myr_halo *halo, const halo_phase *phase, uint64_t *const q[3], char *to)
{
    const int32_t *place = halo->place + phase->first;
    for (int c = 0; c < 3; c++) {
        uint64_t *out = (uint64_t *)(void *)to + c * phase->sent; /* malloc has aligned it */
        for (int64_t k = 0; k < phase->sent; k++)
            out[k] = q[c][place[k]];
    }
}

static void halo_unpack(const myr_halo *halo, const halo_phase *phase, const char *from, uint64_t *const q[3])
{
    const size_t bytes = (size_t)phase->received * sizeof(uint64_t);
    for (int c = 0; c < 3 && bytes; c++)
        memcpy(q[c] + halo->n + phase->begin, from + c * bytes, bytes);
}

/* The phases of a hop, from the `at`-th on; gives how many. */
static int halo_group(const myr_halo *halo, int at, const halo_phase *group[2], size_t sent[2], size_t received[2])
{
    int count = 0;
    group[0] = group[1] = NULL;
    for (; at + count < halo->phases; count++) {
        const halo_phase *p = halo->phase + at + count, *first = halo->phase + at;
        if (p->axis != first->axis || p->hop != first->hop)
            break;
        group[p->direction] = p;
        sent[p->direction] = (size_t)p->sent * HALO_COORDINATES;
        received[p->direction] = (size_t)p->received * HALO_COORDINATES;
    }
    return count;
}

/* Buffers for the hop, and what is sent in them. */
static myr_status halo_prepare(myr_halo *halo, const halo_phase *const group[2], const size_t sent[2],
                               const size_t received[2], uint64_t *const q[3])
{
    for (int k = 0; k < 2; k++) {
        if (!group[k])
            continue;
        myr_status status = myr_halo_reserve(halo, &halo->out[k], sent[k]);
        if (!status)
            status = myr_halo_reserve(halo, &halo->in[k], received[k]);
        if (status) {
            myr_ranks_lose(halo->context);
            return status;
        }
        halo_pack(halo, group[k], q, halo->out[k].bytes);
    }
    return MYR_OK;
}

static void halo_take(const myr_halo *halo, const halo_phase *const group[2], uint64_t *const q[3])
{
    for (int k = 0; k < 2; k++)
        if (group[k])
            halo_unpack(halo, group[k], halo->in[k].bytes, q);
}

myr_status myr_halo_begin(myr_halo *halo, uint64_t *const q[3])
{
    const double began = myr_timer_now();
    const halo_phase *group[2];
    size_t sent[2], received[2];
    halo->pendings = 0;
    if (halo->phases == 0 || halo->exchange != MYR_EXCHANGE_TOGETHER)
        return MYR_OK;
    (void)halo_group(halo, 0, group, sent, received);
    myr_status status = halo_prepare(halo, group, sent, received, q);
    if (!status) {
        halo->pendings = myr_halo_messages(halo, group, sent, received, halo->pending);
        status = myr_ranks_start(halo->context, halo->pending, halo->pendings);
    }
    halo->progress.seconds += myr_timer_now() - began;
    return status;
}

myr_status myr_halo_end(myr_halo *halo, uint64_t *const q[3])
{
    const double began = myr_timer_now();
    myr_status status = MYR_OK;
    for (int at = 0; at < halo->phases && !status;) {
        const halo_phase *group[2];
        size_t sent[2], received[2];
        const int count = halo_group(halo, at, group, sent, received);
        if (at == 0 && halo->pendings > 0)
            status = myr_ranks_finish(halo->context, halo->pending, halo->pendings);
        else {
            status = halo_prepare(halo, group, sent, received, q);
            if (!status)
                status = myr_halo_pass(halo, group, sent, received);
        }
        if (!status)
            halo_take(halo, group, q);
        at += count;
    }
    halo->pendings = 0;
    halo->progress.updates++;
    halo->progress.seconds += myr_timer_now() - began;
    return status;
}

myr_status myr_halo_update(myr_halo *halo, uint64_t *const q[3])
{
    const myr_status status = myr_halo_begin(halo, q);
    return status ? status : myr_halo_end(halo, q);
}
