/* subtract.c - exclusions as in paper 000, section 5: a GPU sums all pairs while the processor sums the excluded pairs;
 * then the second sum is subtracted from the first, accumulator by accumulator, before conversion to numbers. If both
 * compute the same bits for a contribution (portable arithmetic) and sums do not depend on order (`fixed`), excluded
 * pairs cancel exactly. */
#include "method/subtract.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "backend/gpu.h"
#include "core/memory.h"

enum { SUBTRACT_BAG = 128 };

/* Work of the processor, with the unit's loops of one lane. */
typedef struct {
    const myr_direct *problem;
    myr_word *taken; /* [targets][outputs][words]: excluded contributions with opposite sign */
    int64_t skipped; /* number of coincident pairs among the excluded pairs */
    int64_t beyond[MYR_KERNEL_OUTPUTS_MAX];
    uint32_t flag;
    int no_memory;
} subtraction;

/* Working memory for one target. */
typedef struct {
    void *target, *bag, *constant, *pairs; /* reals */
    int32_t offset[SUBTRACT_BAG];
    uint32_t mask[SUBTRACT_BAG];
    int64_t index[SUBTRACT_BAG];
} subtract_room;

static void subtract_put(const myr_unit *u, void *reals, int64_t at, double value)
{
    if (u->real_bytes == (int)sizeof(float))
        ((float *)reals)[at] = (float)value;
    else
        ((double *)reals)[at] = value;
}

static void subtract_room_free(subtract_room *r)
{
    free(r->target);
    free(r->bag);
    free(r->constant);
    free(r->pairs);
}

static int subtract_room_make(const myr_direct *p, subtract_room *r)
{
    const myr_unit *u = p->unit;
    const size_t real = (size_t)u->real_bytes;
    memset(r, 0, sizeof *r);
    r->target = myr_memory_zeros(u->target_lanes + 1, real);
    r->bag = myr_memory_zeros((int64_t)SUBTRACT_BAG * u->source_lanes + 1, real);
    r->constant = myr_memory_zeros(u->constants + 1, real);
    r->pairs = myr_memory_zeros((int64_t)SUBTRACT_BAG * u->pair + 1, real);
    if (!r->target || !r->bag || !r->constant || !r->pairs) {
        subtract_room_free(r);
        return 0;
    }
    for (int k = 0; k < u->constants; k++)
        subtract_put(u, r->constant, k, p->constant[k]);
    for (int n = 0; n < SUBTRACT_BAG; n++) {
        r->offset[n] = n * u->pair;
        r->mask[n] = 1;
    }
    return 1;
}

static int64_t subtract_row(const myr_direct *p, int64_t target)
{
    return p->original ? p->original[target] : target;
}

/* Packs up to a bag of a target's partners, starting at list entry *at. */
static int64_t subtract_fill(const myr_direct *p, subtract_room *r, int64_t target, int64_t *at, int64_t end)
{
    const myr_unit *u = p->unit;
    const int64_t place = p->at ? p->at[target] : target;
    const int64_t self = p->self && u->desc->self != MYR_SELF_COUNTED ? p->self[target] : -1;
    const int64_t most = p->loops->max_steps < SUBTRACT_BAG ? p->loops->max_steps : SUBTRACT_BAG;
    int64_t steps = 0;
    for (; *at < end && steps < most; ++*at)
        if (p->subtracted.partner[*at] != self)
            r->index[steps++] = p->subtracted.partner[*at];
    u->gather(r->bag, (const void *const *)p->source.component, u->source_lanes, r->index, steps);
    for (int64_t n = 0; u->pair && n < steps; n++) {
        const int64_t row = (int64_t)p->target.type[place] * p->types + p->source.type[r->index[n]];
        for (int k = 0; k < u->pair; k++)
            subtract_put(u, r->pairs, n * u->pair + k, p->pair_table[row * u->pair + k]);
    }
    return steps;
}

static void subtract_target(subtraction *s, subtract_room *r, int64_t target)
{
    const myr_direct *p = s->problem;
    const myr_unit *u = p->unit;
    const int64_t row = subtract_row(p, target), place = p->at ? p->at[target] : target;
    const int64_t end = p->subtracted.offset[row + 1];
    myr_word *taken = s->taken + target * u->outputs * MYR_ACC_WORDS;
    myr_word wide[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_LOOP_WORDS], over[MYR_KERNEL_OUTPUTS_MAX][MYR_ACC_WIDE_WORDS];
    memset(wide, 0, sizeof wide);
    memset(over, 0, sizeof over);
    u->gather(r->target, (const void *const *)p->target.component, u->target_lanes, &place, 1);
    for (int64_t at = p->subtracted.offset[row]; at < end;) {
        const myr_sweep sweep = {
            .target = r->target,
            .bag = r->bag,
            .constant = r->constant,
            .pair_table = r->pairs,
            .pair_offset = r->offset,
            .mask = r->mask,
            .steps = subtract_fill(p, r, target, &at, end),
            .scale = p->scale,
            .wide = wide[0],
            .over = over[0],
            .skipped = &s->skipped,
            .beyond = s->beyond,
            .flag = &s->flag,
        };
        p->loops->careful(&sweep);
    }
    for (int k = 0; k < u->outputs; k++, taken += MYR_ACC_WORDS) {
        memcpy(taken, wide[k], sizeof wide[k]);
        memcpy(taken + MYR_ACC_LOOP_WORDS, over[k], sizeof over[k]);
        p->loops->negate(taken);
    }
}

static void *subtract_all(void *user)
{
    subtraction *s = user;
    subtract_room room;
    if (!subtract_room_make(s->problem, &room)) {
        s->no_memory = 1;
        return NULL;
    }
    for (int64_t i = 0; i < s->problem->targets; i++)
        subtract_target(s, &room, i);
    subtract_room_free(&room);
    return NULL;
}

/* Subtracts the processor's sums from the GPU's sums. */
static void subtract_merge(const subtraction *s, myr_direct_result *result)
{
    const myr_direct *p = s->problem;
    const int outputs = p->unit->outputs;
    for (int64_t i = 0; i < p->targets; i++) {
        const int64_t row = subtract_row(p, i);
        if (p->subtracted.offset[row] == p->subtracted.offset[row + 1])
            continue;
        for (int k = 0; k < outputs; k++) {
            const int64_t at = (i * outputs + k) * MYR_ACC_WORDS;
            p->loops->merge(result->sum + at, s->taken + at);
            p->loops->merge(result->net[k], s->taken + at);
            const double value = p->loops->value(result->sum + at, &p->scale[k]) * p->factor;
            if (result->value[k])
                result->value[k][i] = value;
            if (!isfinite(value) && (result->first_bad < 0 || i < result->first_bad))
                result->first_bad = i;
        }
    }
    result->flag |= s->flag;
    result->skipped -= s->skipped;
}

myr_status myr_subtract_run(const myr_direct *problem, myr_direct_result *result)
{
    myr_direct all = *problem;
    subtraction s = {.problem = problem};
    const int64_t words = problem->targets * problem->unit->outputs * MYR_ACC_WORDS;
    pthread_t thread;
    all.subtracted = (myr_exclusions){0};
    s.taken = myr_memory_zeros(words, sizeof *s.taken);
    result->sum = myr_memory_zeros(words, sizeof *result->sum);
    myr_status status = MYR_ERROR_MEMORY;
    if (s.taken && result->sum) {
        const int beside = pthread_create(&thread, NULL, subtract_all, &s) == 0;
        if (!beside)
            subtract_all(&s);
        status = myr_gpu_run(problem->gpu, &all, result);
        if (beside)
            (void)pthread_join(thread, NULL);
    }
    if (!s.taken || !result->sum || s.no_memory)
        status = myr_context_fail(problem->context, MYR_ERROR_MEMORY, "no memory for the exclusions of %lld targets",
                                  (long long)problem->targets);
    if (!status)
        subtract_merge(&s, result);
    free(s.taken);
    free(result->sum);
    result->sum = NULL;
    return status;
}
