/* halo.c - creation of a halo, and the halo exchange of every step. */
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

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* Buffer of a message. */
static void *halo_buffer(const myr_halo *halo, const halo_phase *phase, int k, int sending)
{
    if (halo->packed[0])
        return sending ? halo->packed[0] + 3 * phase->first : halo->packed[1] + 3 * phase->begin;
    return sending ? halo->out[k].bytes : halo->in[k].bytes;
}

static myr_rank_message halo_message(myr_halo *halo, const halo_phase *phase, int k, size_t size, int sending)
{
    return (myr_rank_message){.bytes = halo_buffer(halo, phase, k, sending),
                              .size = size,
                              .peer = sending ? phase->to : phase->from,
                              .tag = HALO_TAG + k,
                              .sending = sending};
}

/* Scheme `together`: both directions in one stage. */
static int stage_together(myr_halo *halo, const halo_hop *hop, myr_rank_message *message)
{
    int count = 0;
    for (int k = 0; k < 2; k++)
        if (hop->phase[k])
            message[count++] = halo_message(halo, hop->phase[k], k, hop->received[k], 0);
    for (int k = 0; k < 2; k++)
        if (hop->phase[k])
            message[count++] = halo_message(halo, hop->phase[k], k, hop->sent[k], 1);
    return count;
}

/* Schemes `oneway` and `two_step`: one direction after the other. In `two_step`, even slabs send while odd slabs
 * receive, then the reverse. With an odd number of slabs two even slabs are neighbours: one of the two waits until the
 * other has sent, which cannot deadlock. */
static int stage_oneway(myr_halo *halo, const halo_hop *hop, int stage, myr_rank_message *message)
{
    const int two_step = halo->exchange == MYR_EXCHANGE_TWO_STEP, k = two_step ? stage / 2 : stage;
    if (!hop->phase[k])
        return 0;
    const int even = halo->d->at[hop->phase[k]->axis] % 2 == 0;
    const myr_rank_message m[2] = {halo_message(halo, hop->phase[k], k, even ? hop->sent[k] : hop->received[k], even),
                                   halo_message(halo, hop->phase[k], k, even ? hop->received[k] : hop->sent[k], !even)};
    if (!two_step)
        memcpy(message, m, sizeof m);
    else
        message[0] = m[stage % 2];
    return two_step ? 1 : 2;
}

/* Scheme `pairwise`: both directions with one neighbour, then both with the other. */
static int stage_pairwise(myr_halo *halo, const halo_hop *hop, int turn, myr_rank_message *message)
{
    const int axis = hop->phase[0] ? hop->phase[0]->axis : hop->phase[1]->axis;
    const int right = (halo->d->at[axis] + turn) % 2 == 0;
    int count = 0;
    if (hop->phase[0])
        message[count++] = halo_message(halo, hop->phase[0], 0, right ? hop->sent[0] : hop->received[0], right);
    if (hop->phase[1])
        message[count++] = halo_message(halo, hop->phase[1], 1, right ? hop->received[1] : hop->sent[1], !right);
    return count;
}

/* Number of stages per hop, one after the other; the messages of a stage are sent and received concurrently. */
static int halo_stages(const myr_halo *halo)
{
    static const int stages[MYR_EXCHANGES] = {[MYR_EXCHANGE_TOGETHER] = 1,
                                              [MYR_EXCHANGE_ONEWAY] = 2,
                                              [MYR_EXCHANGE_TWO_STEP] = 4,
                                              [MYR_EXCHANGE_PAIRWISE] = 2};
    return stages[halo->exchange];
}

static int halo_stage(myr_halo *halo, const halo_hop *hop, int stage, myr_rank_message *message)
{
    switch (halo->exchange) {
    case MYR_EXCHANGE_ONEWAY:
    case MYR_EXCHANGE_TWO_STEP:
        return stage_oneway(halo, hop, stage, message);
    case MYR_EXCHANGE_PAIRWISE:
        return stage_pairwise(halo, hop, stage, message);
    default:
        return stage_together(halo, hop, message);
    }
}

myr_status myr_halo_exchange(myr_halo *halo, const halo_hop *hop)
{
    myr_rank_message message[HALO_MESSAGES];
    myr_status status = MYR_OK;
    for (int stage = 0; stage < halo_stages(halo) && !status; stage++) {
        const int count = halo_stage(halo, hop, stage, message);
        status = myr_ranks_start(halo->context, message, count);
        if (!status)
            status = myr_ranks_finish(halo->context, message, count);
    }
    return status;
}

/* --- updates ------------------------------------------------------------------------------------------------------ */

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
        /* the buffer comes from malloc and is aligned for 8-byte words */
        uint64_t *out = (uint64_t *)(void *)to + c * phase->sent;
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

/* Collects the phases of one hop, starting with phase `at`; returns the number of phases. */
static int halo_group(const myr_halo *halo, int at, halo_hop *hop)
{
    int count = 0;
    *hop = (halo_hop){0};
    for (; at + count < halo->phases; count++) {
        const halo_phase *p = halo->phase + at + count, *first = halo->phase + at;
        if (p->axis != first->axis || p->hop != first->hop)
            break;
        hop->phase[p->direction] = p;
        hop->sent[p->direction] = (size_t)p->sent * HALO_COORDINATES;
        hop->received[p->direction] = (size_t)p->received * HALO_COORDINATES;
    }
    return count;
}

/* Copies that arrived along an earlier axis or hop to the messages that forward them. */
static void halo_forward(const myr_halo *halo, const halo_phase *phase)
{
    for (int64_t e = phase->first; e < phase->first + phase->sent; e++)
        if (halo->place[e] >= halo->n)
            memcpy(halo->packed[0] + 3 * e, halo->packed[1] + 3 * (halo->place[e] - halo->n), HALO_COORDINATES);
}

/* Allocates the buffers of a hop and packs the coordinates to be sent. */
static myr_status halo_prepare(myr_halo *halo, const halo_hop *hop, uint64_t *const q[3])
{
    for (int k = 0; k < 2; k++) {
        if (!hop->phase[k])
            continue;
        if (halo->packed[0]) {
            halo_forward(halo, hop->phase[k]);
            continue;
        }
        myr_status status = myr_halo_reserve(halo, &halo->out[k], hop->sent[k]);
        if (!status)
            status = myr_halo_reserve(halo, &halo->in[k], hop->received[k]);
        if (status) {
            myr_ranks_lose(halo->context);
            return status;
        }
        halo_pack(halo, hop->phase[k], q, halo->out[k].bytes);
    }
    return MYR_OK;
}

/* Starts the messages of the next stage, or unpacks a finished hop and starts the next hop. After the last hop the
 * update is complete. */
static myr_status halo_advance(myr_halo *halo, uint64_t *const q[3])
{
    myr_status status = MYR_OK;
    if (halo->stage == halo_stages(halo)) {
        for (int k = 0; k < 2; k++)
            if (halo->hop.phase[k] && !halo->packed[0])
                halo_unpack(halo, halo->hop.phase[k], halo->in[k].bytes, q);
        halo->stage = 0;
    }
    if (halo->stage == 0) {
        halo->in_flight = halo->next < halo->phases;
        if (!halo->in_flight)
            return MYR_OK;
        halo->next += halo_group(halo, halo->next, &halo->hop);
        status = halo_prepare(halo, &halo->hop, q);
    }
    if (status)
        return status;
    halo->pendings = halo_stage(halo, &halo->hop, halo->stage++, halo->pending);
    return myr_ranks_start(halo->context, halo->pending, halo->pendings);
}

/* Adds the elapsed time; a failure ends the update. */
static myr_status halo_account(myr_halo *halo, double began, myr_status status)
{
    halo->in_flight &= !status;
    halo->progress.seconds += myr_timer_now() - began;
    return status;
}

myr_status myr_halo_begin(myr_halo *halo, uint64_t *const q[3])
{
    const double began = myr_timer_now();
    halo->next = halo->stage = 0;
    return halo_account(halo, began, halo_advance(halo, q));
}

myr_status myr_halo_poll(myr_halo *halo, uint64_t *const q[3])
{
    const double began = myr_timer_now();
    myr_status status = MYR_OK;
    int done = 1;
    while (halo->in_flight && !status && done) {
        status = myr_ranks_test(halo->context, halo->pending, halo->pendings, &done);
        if (!status && done)
            status = halo_advance(halo, q);
    }
    return halo_account(halo, began, status);
}

myr_status myr_halo_end(myr_halo *halo, uint64_t *const q[3])
{
    const double began = myr_timer_now();
    myr_status status = MYR_OK;
    while (halo->in_flight && !status) {
        status = myr_ranks_finish(halo->context, halo->pending, halo->pendings);
        if (!status)
            status = halo_advance(halo, q);
    }
    halo->progress.updates++;
    return halo_account(halo, began, status);
}

const int32_t *myr_halo_places(const myr_halo *halo, int64_t *count)
{
    *count = halo->places;
    return halo->place;
}

myr_status myr_halo_swap(myr_halo *halo, uint64_t *out, uint64_t *in)
{
    halo->packed[0] = out;
    halo->packed[1] = in;
    myr_status status = myr_halo_begin(halo, NULL);
    if (!status)
        status = myr_halo_end(halo, NULL);
    halo->packed[0] = halo->packed[1] = NULL;
    return status;
}
