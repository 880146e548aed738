/* slabs.c - transposition between planes and rows: block (z, ky) is sent from the rank with its row to the rank with
 * its plane, or back. */
#include "method/spectral/slabs.h"

#include <complex.h>
#include <limits.h>
#include <stdlib.h>

#include "core/context.h"
#include "core/memory.h"
#include "domain/ranks.h"

enum { SLABS_TAG = 71 };

struct myr_slabs {
    myr_context *context;
    const myr_fourier *fourier;
    int rank, ranks;
    int64_t side, kept;
    double *out, *in; /* messages sent and received, rank by rank */
    myr_rank_message *message;
};

/* Index of the first of n planes or rows that belong to a rank. */
static int64_t slabs_first(const myr_slabs *s, int64_t n, int rank)
{
    return n * rank / s->ranks;
}

static myr_slabs_part slabs_part(const myr_slabs *s, int rank)
{
    const int64_t rows = 2 * s->kept - 1;
    return (myr_slabs_part){slabs_first(s, rows, rank), slabs_first(s, rows, rank + 1), slabs_first(s, s->side, rank),
                            slabs_first(s, s->side, rank + 1)};
}

myr_slabs_part myr_slabs_own(const myr_slabs *slabs)
{
    return slabs_part(slabs, slabs->rank);
}

/* Number of doubles in the largest set of blocks or points a rank exchanges with all ranks. */
static int64_t slabs_room(const myr_slabs *s)
{
    const myr_slabs_part own = slabs_part(s, s->rank);
    const int64_t planes = own.planes_end - own.plane, rows = own.rows_end - own.row;
    const int64_t by_planes = 2 * planes * (2 * s->kept - 1) * s->kept, by_rows = 2 * rows * s->side * s->kept;
    const int64_t points = 3 * s->side * s->side * s->side;
    const int64_t blocks = by_planes > by_rows ? by_planes : by_rows;
    return blocks > points ? blocks : points;
}

myr_status myr_slabs_create(myr_context *context, const myr_fourier *fourier, myr_slabs **slabs)
{
    *slabs = NULL;
    myr_slabs *s = calloc(1, sizeof *s);
    if (!s)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for slabs of a mesh");
    *s = (myr_slabs){.context = context,
                     .fourier = fourier,
                     .rank = myr_ranks_me(context),
                     .ranks = myr_ranks_count(context),
                     .side = myr_fourier_side(fourier),
                     .kept = myr_fourier_kept(fourier)};
    if (s->ranks > 1) {
        s->out = myr_memory_zeros(slabs_room(s), sizeof *s->out);
        s->in = myr_memory_zeros(slabs_room(s), sizeof *s->in);
        s->message = calloc(2 * (size_t)s->ranks, sizeof *s->message);
    }
    *slabs = s;
    if (s->ranks == 1 || (s->out && s->in && s->message))
        return MYR_OK;
    myr_slabs_destroy(slabs);
    return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for slabs of a mesh of %lld^3 points",
                            (long long)myr_fourier_side(fourier));
}

void myr_slabs_destroy(myr_slabs **slabs)
{
    if (!slabs || !*slabs)
        return;
    free((*slabs)->out);
    free((*slabs)->in);
    free((*slabs)->message);
    free(*slabs);
    *slabs = NULL;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* Sends out[] and receives in[], rank by rank; sent[k] and got[k] are the numbers of doubles to and from rank k. The
 * parts of `out` are contiguous in rank order; same = 1: every rank gets the same part. */
static myr_status slabs_exchange(myr_slabs *s, const int64_t *sent, const int64_t *got, int same)
{
    int64_t from = 0, to = 0;
    int n = 0;
    for (int q = 0; q < s->ranks; q++) {
        if (sent[q] > INT_MAX / (int64_t)sizeof(double) || got[q] > INT_MAX / (int64_t)sizeof(double))
            return myr_context_fail(s->context, MYR_ERROR_VALUE,
                                    "a mesh of %lld^3 points is too large for %d ranks: take more", (long long)s->side,
                                    s->ranks);
        if (q != s->rank && got[q] > 0)
            s->message[n++] = (myr_rank_message){
                .bytes = s->in + to, .size = (size_t)got[q] * sizeof(double), .peer = q, .tag = SLABS_TAG};
        if (q != s->rank && sent[q] > 0)
            s->message[n++] = (myr_rank_message){.bytes = s->out + from,
                                                 .size = (size_t)sent[q] * sizeof(double),
                                                 .peer = q,
                                                 .tag = SLABS_TAG,
                                                 .sending = 1};
        to += got[q];
        from += same ? 0 : sent[q];
    }
    const myr_status status = myr_ranks_start(s->context, s->message, n);
    return status ? status : myr_ranks_finish(s->context, s->message, n);
}

/* Copies the blocks of some rows in some planes to `place`, or back; returns the address after the copied blocks. */
static double *slabs_blocks(const myr_slabs *s, const myr_slabs_part *rows, const myr_slabs_part *planes, double *field,
                            double *place, int back)
{
    const int64_t half = myr_fourier_half(s->side);
    for (int64_t z = planes->plane; z < planes->planes_end; z++)
        for (int64_t r = rows->row; r < rows->rows_end; r++) {
            double *at = field + 2 * (z * s->side + myr_fourier_place(s->side, r - s->kept + 1)) * half;
            for (int64_t k = 0; k < 2 * s->kept; k++)
                *(back ? at + k : place + k) = *(back ? place + k : at + k);
            place += 2 * s->kept;
        }
    return place;
}

/* Transposes from rows to planes, or from planes to rows. */
static myr_status slabs_transpose(myr_slabs *s, double *field, int to_planes)
{
    const myr_slabs_part own = slabs_part(s, s->rank);
    int64_t *count = s->ranks > 1 ? calloc(2 * (size_t)s->ranks, sizeof *count) : NULL;
    double *out = s->out, *in = s->in;
    if (s->ranks == 1)
        return MYR_OK;
    if (!count)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for messages");
    for (int q = 0; q < s->ranks; q++) {
        const myr_slabs_part other = slabs_part(s, q);
        double *end =
            q == s->rank ? out : slabs_blocks(s, to_planes ? &own : &other, to_planes ? &other : &own, field, out, 0);
        const int64_t across = (own.planes_end - own.plane) * (other.rows_end - other.row);
        const int64_t along = (other.planes_end - other.plane) * (own.rows_end - own.row);
        count[q] = end - out;
        count[s->ranks + q] = q == s->rank ? 0 : 2 * s->kept * (to_planes ? across : along);
        out = end;
    }
    const myr_status status = slabs_exchange(s, count, count + s->ranks, 0);
    for (int q = 0; q < s->ranks && !status; q++) {
        const myr_slabs_part other = slabs_part(s, q);
        if (q != s->rank)
            in = slabs_blocks(s, to_planes ? &other : &own, to_planes ? &own : &other, field, in, 1);
    }
    free(count);
    return status;
}

/* --- transforms --------------------------------------------------------------------------------------------------- */

myr_status myr_slabs_inverse(myr_slabs *slabs, double *field)
{
    const myr_slabs_part own = slabs_part(slabs, slabs->rank);
    myr_fourier_rows_inverse(slabs->fourier, field, own.row, own.rows_end);
    const myr_status status = slabs_transpose(slabs, field, 1);
    if (!status)
        myr_fourier_planes_inverse(slabs->fourier, field, own.plane, own.planes_end);
    return status;
}

myr_status myr_slabs_forward(myr_slabs *slabs, double *field)
{
    const myr_slabs_part own = slabs_part(slabs, slabs->rank);
    myr_fourier_planes_forward(slabs->fourier, field, own.plane, own.planes_end);
    const myr_status status = slabs_transpose(slabs, field, 0);
    if (!status)
        myr_fourier_rows_forward(slabs->fourier, field, own.row, own.rows_end);
    return status;
}

/* Copies the values at the points of a rank's planes to `place`, or back; returns the number of doubles. */
static int64_t slabs_points(const myr_slabs *s, int rank, const int64_t *order, double *const value[3], double *place,
                            int back)
{
    const int64_t plane = s->side * s->side;
    const myr_slabs_part part = slabs_part(s, rank);
    int64_t n = 0;
    for (int c = 0; c < 3; c++)
        for (int64_t i = part.plane * plane; i < part.planes_end * plane; i++, n++)
            *(back ? &value[c][order[i]] : &place[n]) = *(back ? &place[n] : &value[c][order[i]]);
    return n;
}

myr_status myr_slabs_share(myr_slabs *slabs, const int64_t *order, double *const value[3])
{
    myr_slabs *s = slabs;
    int64_t *count = s->ranks > 1 ? calloc(2 * (size_t)s->ranks, sizeof *count) : NULL;
    double *in = s->in;
    if (s->ranks == 1)
        return MYR_OK;
    if (!count)
        return myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for messages");
    const int64_t own = slabs_points(s, s->rank, order, value, s->out, 0);
    for (int q = 0; q < s->ranks; q++) {
        const myr_slabs_part part = slabs_part(s, q);
        count[q] = q == s->rank ? 0 : own;
        count[s->ranks + q] = q == s->rank ? 0 : 3 * (part.planes_end - part.plane) * s->side * s->side;
    }
    const myr_status status = slabs_exchange(s, count, count + s->ranks, 1);
    for (int q = 0; q < s->ranks && !status; q++)
        if (q != s->rank)
            in += slabs_points(s, q, order, value, in, 1);
    free(count);
    return status;
}
