/* shared_run.c - one evaluation by several ranks; see shared_run.h.
 *
 * One collective operation exchanges everything. If the targets are divided, the ranks collect words: a head of each
 * rank (what the evaluation tells beside the values) followed by its values, [outputs][targets of the rank]. If the
 * sources are divided, integers of 256 bits are added over the ranks: a head, then the sums, [targets][outputs]. */
#include "interaction/shared_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "accumulator/integer256.h"
#include "core/memory.h"
#include "core/timer.h"
#include "domain/ranks.h"
#include "method/fmm/fmm_inside.h"

enum {
    HEAD_CHECK, /* hash of what must be the same on all ranks */
    HEAD_FLAG,
    HEAD_SKIPPED,
    HEAD_PAIRS,     /* of a method with a far field */
    HEAD_FIRST_BAD, /* 1 + index of a target, 0 = none */
    HEAD_BEYOND,    /* [MYR_KERNEL_OUTPUTS_MAX] */
    HEAD = HEAD_BEYOND + MYR_KERNEL_OUTPUTS_MAX,
    /* the head of integers that are added */
    SUM_CHECK = 0,
    SUM_FAILED,
    SUM_SKIPPED,
    SUM_FLAGS, /* [2]: a field of 16 bits for each bit of the flag */
    SUM_BEYOND = SUM_FLAGS + 2,
    SUM_HEAD = SUM_BEYOND + MYR_KERNEL_OUTPUTS_MAX,
    SUM_RANKS = 65535, /* that a field counts */
    WIDER = MYR_RANKS_WIDER,
    FEW = 4,     /* with fewer targets per rank the sources are shared */
    NEAR = 1000, /* pairs that take the time of a target of a far field */
    CHECKED = 8  /* targets whose positions are compared */
};

/* One shared evaluation. */
typedef struct {
    myr_interaction *f;
    const myr_direct *problem;
    myr_direct_result *result;
    int rank, ranks, outputs;
    int by_sources;  /* 1 = every rank has some of the sources, and all targets */
    int64_t *first;  /* [ranks + 1]: targets of each rank, or its sources */
    int64_t *order;  /* [targets]: targets in the order in which they are divided; null = their own order */
    int64_t *at;     /* [ranks + 1]: first word of each rank */
    uint64_t *words; /* words of all ranks; if the sources are divided: sums of this rank, then the integers */
    int64_t sums;    /* targets times outputs */
} shared_work;

int myr_shared_run_wanted(const myr_interaction *f, const myr_direct *problem, int by_pairs)
{
    const double sources = (double)(by_pairs || problem->source.n < NEAR ? problem->source.n : NEAR);
    /* measurements of contributions are made by every rank: they need what is not exchanged */
    const int exact = f->accumulator == MYR_ACCUMULATOR_fixed; /* its targets are divided by lists */
    const int is_sum = problem->loops == &problem->unit->loops[myr_catalogue_loop(f->accumulator)];
    /* on GPUs only targets are shared out, and only sums that do not depend on how a GPU divides its work */
    const int fits_gpu = exact && (by_pairs ? problem->targets >= (int64_t)FEW * myr_ranks_count(f->context)
                                            : myr_fmm_tree_is_same(problem));
    return f->shared_from > 0 && is_sum && myr_ranks_count(f->context) > 1 && (problem->at || !exact) &&
           (double)problem->targets * sources >= f->shared_from && (!problem->gpu || fits_gpu);
}

void myr_shared_run_free(myr_interaction *f)
{
    free(f->shared_words);
    f->shared_words = NULL;
    f->shared_room = 0;
    free(f->shared_rows);
    free(f->shared_next);
    f->shared_rows = f->shared_next = NULL;
}

static uint64_t shared_mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* Hash of what decides about the bits of an evaluation: grids, parameters of the method, targets, and the positions of
 * some of them. */
static uint64_t shared_check(const myr_interaction *f, const myr_direct *p)
{
    uint64_t hash = shared_mix((uint64_t)p->targets, (uint64_t)p->source.n);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        hash = shared_mix(hash, (uint64_t)(int64_t)f->grid[k].exponent);
    hash = shared_mix(hash, (uint64_t)p->careful);
    for (int k = 0; k < MYR_METHOD_PARAMETERS; k++) {
        uint64_t bits;
        memcpy(&bits, &f->method_state.used[k], sizeof bits);
        hash = shared_mix(hash, bits);
    }
    for (int64_t n = 0; n < CHECKED; n++) {
        const int64_t place = (p->targets - 1) * n / CHECKED, i = p->at ? p->at[place] : place;
        hash = shared_mix(hash, (uint64_t)i);
        for (int c = 0; c < p->unit->desc->coords * p->unit->coord_lanes; c++) {
            uint64_t bits = 0;
            memcpy(&bits, (const char *)p->target.component[c] + i * p->unit->real_bytes, (size_t)p->unit->real_bytes);
            hash = shared_mix(hash, bits);
        }
    }
    return hash;
}

/* Divides the targets or the sources. Blocks of the plan of all targets stay whole where sums depend on the order. */
static void shared_divide(shared_work *w)
{
    const myr_direct *p = w->problem;
    const int exact = w->f->accumulator == MYR_ACCUMULATOR_fixed;
    w->by_sources = exact && !p->gpu && p->targets < (int64_t)FEW * w->ranks && w->ranks <= SUM_RANKS;
    const int64_t n = w->by_sources ? p->source.n : p->targets;
    const int64_t block = exact ? 1 : myr_direct_block(p), blocks = (n + block - 1) / block;
    w->at[0] = 0;
    for (int k = 0; k <= w->ranks; k++) {
        const int64_t end = myr_ranks_first(w->f->context, blocks, k) * block;
        w->first[k] = end < n ? end : n;
        if (k > 0)
            w->at[k] = w->at[k - 1] + HEAD + w->outputs * (w->first[k] - w->first[k - 1]);
    }
    w->sums = p->targets * w->outputs;
    if (w->by_sources)
        w->at[w->ranks] = w->sums * MYR_ACC_WORDS + (SUM_HEAD + w->sums) * WIDER;
}

/* Buffer for the words of all ranks, kept for the next evaluation. */
static myr_status shared_room(shared_work *w)
{
    myr_interaction *f = w->f;
    const int64_t words = w->at[w->ranks];
    if (words > f->shared_room) {
        free(f->shared_words);
        f->shared_room = 0;
        f->shared_words = myr_memory_some(words, sizeof *f->shared_words);
        if (!f->shared_words)
            return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory to exchange the results of %lld targets",
                                    (long long)w->problem->targets);
        f->shared_room = words;
    }
    w->words = f->shared_words;
    return MYR_OK;
}

/* Sums of this rank's sources at all targets: [targets][outputs][MYR_ACC_WORDS]. */
static myr_status shared_run_sources(const shared_work *w, myr_direct_result *mine)
{
    myr_direct part = *w->problem;
    part.part.source_first = w->first[w->rank];
    part.part.source_last = w->first[w->rank + 1];
    mine->sum = (myr_word *)w->words;
    memset(mine->sum, 0, (size_t)(w->sums * MYR_ACC_WORDS) * sizeof *mine->sum);
    const int has_sources = part.part.source_last > part.part.source_first;
    const myr_status status = has_sources ? myr_direct_run(&part, mine) : MYR_OK;
    mine->first_bad = -1; /* told by the whole sums */
    return status;
}

/* Values of this rank's targets, in place. Sums that depend on the order keep the blocks of the plan of all targets. */
static myr_status shared_sum_targets(const shared_work *w, int64_t first, int64_t count, myr_direct_result *mine)
{
    const myr_direct *p = w->problem;
    const int exact = w->f->accumulator == MYR_ACCUMULATOR_fixed;
    myr_direct part = *p;
    for (int k = 0; k < w->outputs; k++)
        mine->value[k] = w->result->value[k] && exact ? w->result->value[k] + first : w->result->value[k];
    if (!exact) {
        part.part.first = first;
        part.part.last = first + count;
        return myr_direct_run(&part, mine);
    }
    part.targets = count;
    part.at += first;
    part.self = p->self ? p->self + first : NULL;
    part.original = p->original ? p->original + first : NULL;
    const myr_status status = myr_direct_run(&part, mine);
    if (mine->first_bad >= 0)
        mine->first_bad += first;
    return status;
}

static myr_status shared_run_targets(const shared_work *w, myr_direct_result *mine)
{
    const int64_t first = w->first[w->rank], count = w->first[w->rank + 1] - first;
    uint64_t *words = w->words + w->at[w->rank] + HEAD;
    const myr_status status = count > 0 ? shared_sum_targets(w, first, count, mine) : MYR_OK;
    for (int k = 0; !status && count > 0 && k < w->outputs; k++, words += count)
        if (w->result->value[k])
            memcpy(words, w->result->value[k] + first, (size_t)count * sizeof *words);
    return status;
}

static void shared_write_head(const shared_work *w, const myr_direct_result *mine)
{
    uint64_t *head = w->words + w->at[w->rank];
    head[HEAD_CHECK] = shared_check(w->f, w->problem);
    head[HEAD_FLAG] = mine->flag;
    head[HEAD_SKIPPED] = (uint64_t)mine->skipped;
    head[HEAD_PAIRS] = (uint64_t)(w->order ? w->f->method_state.report.near_pairs : 0);
    head[HEAD_FIRST_BAD] = (uint64_t)(mine->first_bad + 1);
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++)
        head[HEAD_BEYOND + k] = (uint64_t)mine->beyond[k];
}

static myr_status shared_differs(const shared_work *w, int rank)
{
    return myr_context_fail(w->f->context, MYR_ERROR_VALUE,
                            "the particles of rank %d are not those of rank 0 any more: the ranks have another "
                            "program, other files, or defective memory",
                            rank);
}

/* Combines the heads of all ranks. */
static myr_status shared_read_heads(const shared_work *w)
{
    myr_direct_result *r = w->result;
    int64_t pairs = 0;
    for (int k = 0; k < w->ranks; k++) {
        const uint64_t *head = w->words + w->at[k];
        const int64_t bad = (int64_t)head[HEAD_FIRST_BAD] - 1;
        if (head[HEAD_CHECK] != w->words[HEAD_CHECK])
            return shared_differs(w, k);
        r->flag |= (uint32_t)head[HEAD_FLAG];
        r->skipped += (int64_t)head[HEAD_SKIPPED];
        pairs += (int64_t)head[HEAD_PAIRS];
        if (bad >= 0 && (r->first_bad < 0 || bad < r->first_bad))
            r->first_bad = bad;
        for (int n = 0; n < MYR_KERNEL_OUTPUTS_MAX; n++)
            r->beyond[n] += (int64_t)head[HEAD_BEYOND + n];
    }
    if (w->order)
        w->f->method_state.report.near_pairs = pairs;
    return MYR_OK;
}

static void shared_read_targets(const shared_work *w)
{
    for (int k = 0; k < w->ranks; k++) {
        const int64_t count = w->first[k + 1] - w->first[k];
        const uint64_t *words = w->words + w->at[k] + HEAD;
        for (int n = 0; k != w->rank && count > 0 && n < w->outputs; n++, words += count)
            if (w->result->value[n])
                memcpy(w->result->value[n] + w->first[k], words, (size_t)count * sizeof *words);
    }
}

/* --- sources that are divided ------------------------------------------------------------------------------------- */

/* A sum of this rank as one integer of fine units (accumulator/fixed.h): its words are the low and high halves of
 * coarse and fine units, then a wide integer. In single arithmetic the high halves are not kept. */
static myr_integer256 shared_integer(const myr_word *w, int is_double)
{
    myr_integer128 units[2];
    for (int k = 0; k < 2; k++)
        units[k] =
            is_double ? (myr_integer128)((myr_integer256_high)(uint64_t)w[k + 2].i << 64 | (uint64_t)w[k].i) : w[k].i;
    myr_integer256 sum;
    for (int k = 0; k < WIDER; k++)
        sum.word[k] = (uint64_t)w[MYR_ACC_LOOP_WORDS + k].i;
    const int shift = is_double ? 51 : 22; /* fine units in a coarse one */
    return myr_integer256_add(
        sum, myr_integer256_add(myr_integer256_from(units[0], shift), myr_integer256_from(units[1], 0)));
}

/* Writes the integers of this rank behind its sums. */
static uint64_t *shared_write_sums(const shared_work *w, const myr_direct_result *mine, int failed)
{
    const int is_double = w->problem->unit->real_bytes == (int)sizeof(double);
    const myr_word *sum = (const myr_word *)w->words;
    uint64_t *to = w->words + w->sums * MYR_ACC_WORDS;
    memset(to, 0, SUM_HEAD * WIDER * sizeof *to);
    to[SUM_CHECK * WIDER] = shared_check(w->f, w->problem);
    to[SUM_FAILED * WIDER] = failed != 0;
    to[SUM_SKIPPED * WIDER] = (uint64_t)mine->skipped;
    for (int k = 0; k < 32; k++)
        to[SUM_FLAGS * WIDER + k / 4] |= (uint64_t)(mine->flag >> k & 1) << k % 4 * 16;
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++)
        to[(SUM_BEYOND + k) * WIDER] = (uint64_t)mine->beyond[k];
    for (int64_t k = 0; k < w->sums; k++) {
        const myr_integer256 one = shared_integer(sum + k * MYR_ACC_WORDS, is_double);
        memcpy(to + (SUM_HEAD + k) * WIDER, one.word, sizeof one.word);
    }
    return to;
}

/* Finds the rank whose particles are others; collective. */
static myr_status shared_name_other(const shared_work *w)
{
    myr_context *context = w->f->context;
    int64_t *check = calloc((size_t)w->ranks, sizeof *check);
    myr_status status =
        check ? MYR_OK : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", w->ranks);
    status = myr_ranks_agree(context, status);
    if (!status)
        status = myr_ranks_all(context, (int64_t)shared_check(w->f, w->problem), check);
    for (int k = 1; !status && k < w->ranks; k++)
        if (check[k] != check[0])
            status = shared_differs(w, k);
    free(check);
    return status;
}

/* Reads the head of the sum over all ranks. The hashes agree if their sum is the number of ranks times that of this
 * rank, which then holds on all ranks or on none. */
static myr_status shared_read_head(const shared_work *w, const uint64_t *sum, myr_status status)
{
    myr_direct_result *r = w->result;
    const myr_integer256_high all = (myr_integer256_high)sum[1] << 64 | sum[0];
    if (sum[SUM_FAILED * WIDER])
        return myr_ranks_agree(w->f->context, status);
    if (all != (myr_integer256_high)shared_check(w->f, w->problem) * (unsigned)w->ranks)
        return shared_name_other(w);
    for (int k = 0; k < 32; k++)
        r->flag |= (uint32_t)((sum[SUM_FLAGS * WIDER + k / 4] >> k % 4 * 16 & 0xffff) != 0) << k;
    r->skipped += (int64_t)sum[SUM_SKIPPED * WIDER];
    for (int k = 0; k < MYR_KERNEL_OUTPUTS_MAX; k++)
        r->beyond[k] += (int64_t)sum[(SUM_BEYOND + k) * WIDER];
    return MYR_OK;
}

/* Converts the sums of all ranks to numbers as myr_direct_run does. */
static void shared_read_sums(const shared_work *w, const uint64_t *total)
{
    const myr_direct *p = w->problem;
    for (int64_t i = 0; i < p->targets; i++)
        for (int n = 0; n < w->outputs; n++) {
            myr_word sum[MYR_ACC_WORDS] = {{0}};
            for (int k = 0; k < WIDER; k++)
                sum[MYR_ACC_LOOP_WORDS + k].i = (int64_t)total[(SUM_HEAD + i * w->outputs + n) * WIDER + k];
            const double value = p->loops->value(sum, &p->scale[n]) * p->factor;
            if (w->result->value[n])
                w->result->value[n][i] = value;
            if (!isfinite(value) && w->result->first_bad < 0)
                w->result->first_bad = i;
        }
}

/* Sums of sources that are divided; collective. Before a collective operation all ranks agree that none has failed:
 * that goes on while the sums are made. A rank that fails then takes part in the addition and says so. */
static myr_status shared_run_by_sources(shared_work *w)
{
    myr_context *context = w->f->context;
    myr_direct_result mine = {.first_bad = -1};
    int done;
    myr_status agreed = myr_ranks_max_begin(context, NULL, 0);
    if (agreed)
        return agreed;
    const myr_status status = shared_run_sources(w, &mine);
    const double start = myr_timer_now();
    agreed = myr_ranks_max_end(context, 1, NULL, 0, &done);
    if (agreed)
        return agreed;
    uint64_t *sum = shared_write_sums(w, &mine, status != MYR_OK);
    agreed = myr_ranks_sum_wider(context, sum, SUM_HEAD + w->sums);
    w->f->shared_seconds += myr_timer_now() - start;
    w->f->shared_runs++;
    if (agreed)
        return agreed;
    myr_direct_result_clear(w->result);
    w->result->splits = mine.splits;
    agreed = shared_read_head(w, sum, status);
    if (!agreed)
        shared_read_sums(w, sum);
    return agreed;
}

/* --- targets that are divided ------------------------------------------------------------------------------------- */

/* Exchanges the words of all ranks; collective. */
static myr_status shared_exchange(shared_work *w, const myr_direct_result *mine)
{
    shared_write_head(w, mine);
    const double start = myr_timer_now();
    const myr_status status = myr_ranks_collect(w->f->context, w->at, w->words);
    w->f->shared_seconds += myr_timer_now() - start;
    w->f->shared_runs++;
    if (status)
        return status;
    myr_direct_result_clear(w->result);
    w->result->splits = mine->splits;
    return shared_read_heads(w);
}

/* A rank that fails returns: the end of the command tells the other ranks, which wait in the exchange. */
static myr_status shared_run_pairs(shared_work *w)
{
    myr_direct_result mine = {.first_bad = -1};
    shared_divide(w);
    myr_status status = shared_room(w);
    if (!status && w->by_sources)
        return shared_run_by_sources(w);
    if (!status)
        status = shared_run_targets(w, &mine);
    if (!status)
        status = shared_exchange(w, &mine);
    if (!status)
        shared_read_targets(w);
    return status;
}

/* Copies the values of a rank's targets, in the order of the division, to its words or back. */
static void shared_copy_far(const shared_work *w, int rank, int back)
{
    uint64_t *words = w->words + w->at[rank] + HEAD;
    for (int k = 0; k < w->outputs; k++)
        for (int64_t n = w->first[rank]; w->result->value[k] && n < w->first[rank + 1]; n++, words++) {
            double *value = &w->result->value[k][w->order[n]];
            memcpy(back ? (void *)value : words, back ? (void *)words : value, sizeof *words);
        }
}

/* Completes the order of the targets where each rank knows its own: a word of each target. */
static myr_status shared_orders(const shared_work *w)
{
    const double start = myr_timer_now();
    const myr_status status = myr_ranks_collect(w->f->context, w->first, (uint64_t *)w->order);
    w->f->shared_seconds += myr_timer_now() - start;
    return status;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Remembers whose leaves this rank had. */
static myr_status shared_keep_rows(const shared_work *w)
{
    myr_interaction *f = w->f;
    int is_empty = 0;
    for (int k = 0; k < w->ranks; k++)
        is_empty |= w->first[k + 1] == w->first[k];
    free(f->shared_rows);
    f->shared_rows = NULL;
    f->shared_own = w->first[w->rank + 1] - w->first[w->rank];
    f->shared_all = w->problem->targets;
    if (is_empty)
        return MYR_OK;
    f->shared_rows = malloc((size_t)f->shared_own * sizeof *f->shared_rows);
    if (!f->shared_rows)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for the numbers of %lld particles",
                                (long long)f->shared_own);
    memcpy(f->shared_rows, w->order + w->first[w->rank], (size_t)f->shared_own * sizeof *f->shared_rows);
    qsort(f->shared_rows, (size_t)f->shared_own, sizeof *f->shared_rows, by_number);
    return MYR_OK;
}

static myr_status shared_run_far(shared_work *w, const myr_isa_table *isa)
{
    int is_divided = 0;
    const myr_direct_share share = {.rank = w->rank,
                                    .ranks = w->ranks,
                                    .first = w->first,
                                    .order = w->order,
                                    .is_divided = &is_divided,
                                    .seconds = &w->f->shared_seconds};
    myr_direct part = *w->problem;
    part.share = &share;
    myr_status status = myr_method_of(w->f)->run(w->f, isa, &part, w->result);
    if (!status && is_divided && !w->problem->gpu) /* a GPU takes the set as it is */
        status = shared_keep_rows(w);
    if (!status && is_divided)
        status = shared_orders(w);
    if (status)
        return status;
    for (int k = 0; k < w->ranks; k++)
        w->at[k + 1] = w->at[k] + HEAD + w->outputs * (w->first[k + 1] - w->first[k]);
    status = shared_room(w);
    if (status)
        return status;
    const myr_direct_result mine = *w->result;
    shared_copy_far(w, w->rank, 0);
    status = shared_exchange(w, &mine);
    for (int k = 0; !status && k < w->ranks; k++)
        if (k != w->rank)
            shared_copy_far(w, k, 1);
    return status;
}

/* Evaluates a problem directly (isa = null), or with the far field of the method. */
static myr_status shared_run(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                             myr_direct_result *result)
{
    const int ranks = myr_ranks_count(f->context);
    shared_work w = {.f = f,
                     .problem = problem,
                     .result = result,
                     .rank = myr_ranks_me(f->context),
                     .ranks = ranks,
                     .outputs = problem->unit->outputs};
    w.first = calloc(2 * ((size_t)ranks + 1), sizeof *w.first);
    w.order = isa ? myr_memory_some(problem->targets, sizeof *w.order) : NULL;
    myr_status status = MYR_OK;
    if (!w.first || (isa && !w.order))
        status = myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for the shares of %d ranks", ranks);
    if (!status) {
        w.at = w.first + ranks + 1;
        status = isa ? shared_run_far(&w, isa) : shared_run_pairs(&w);
    }
    free(w.first);
    free(w.order);
    return status;
}

myr_status myr_shared_run_direct(myr_interaction *f, const myr_direct *problem, myr_direct_result *result)
{
    return shared_run(f, NULL, problem, result);
}

myr_status myr_shared_run_far(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                              myr_direct_result *result)
{
    return shared_run(f, isa, problem, result);
}

myr_status myr_shared_run_divided(myr_interaction *f, const myr_isa_table *isa, const myr_direct *problem,
                                  const int64_t *row, int64_t all, myr_direct_result *result, int *refused)
{
    int64_t *next = NULL, nexts = 0;
    const myr_direct_share share = {.rank = myr_ranks_me(f->context),
                                    .ranks = myr_ranks_count(f->context),
                                    .seconds = &f->shared_seconds,
                                    .row = row,
                                    .all = all,
                                    .next = &next,
                                    .nexts = &nexts};
    myr_direct mine = *problem;
    mine.share = &share;
    myr_status status = myr_method_of(f)->run(f, isa, &mine, result);
    int64_t sum[4] = {result->flag != 0 || result->first_bad >= 0, f->method_state.report.near_pairs, result->skipped,
                      nexts == 0};
    status = myr_ranks_agree(f->context, status);
    if (!status)
        status = myr_ranks_sum(f->context, sum, 4);
    free(f->shared_next);
    f->shared_next = next;
    f->shared_nexts = nexts;
    if (sum[3]) { /* a rank without particles does not take part in steps */
        free(f->shared_next);
        f->shared_next = NULL;
    }
    *refused = !status && sum[0] > 0;
    f->method_state.report.near_pairs = sum[1];
    result->skipped = sum[2];
    f->method_state.runs++;
    f->method_state.unjudged++;
    f->grid_age += all;
    f->shared_runs++;
    return status;
}

void myr_shared_run_settle(myr_interaction *f)
{
    if (!f->shared_next)
        return;
    free(f->shared_rows);
    f->shared_rows = f->shared_next;
    f->shared_own = f->shared_nexts;
    f->shared_next = NULL;
}
