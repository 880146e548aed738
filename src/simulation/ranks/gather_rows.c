/* gather_rows.c - sends particles from their domains to the ranks that own their rows, one column at a time: the memory
 * in flight is never more than one field of a rank's particles. */
#include "simulation/ranks/gather_rows.h"

#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "molecular/molecular.h"
#include "simulation/box_motion.h"
#include "simulation/ranks/commands.h"
#include "simulation/ranks/row_names.h"

enum { ROWS_TAG = 40, ROWS_BYTES = 8 }; /* ROWS_BYTES: bytes of a number */

/* Rank that owns a row. */
static int rows_rank(const myr_gather_rows *r, int64_t row)
{
    int low = 0, high = myr_ranks_count(r->context);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(row < myr_ranks_first(r->context, r->all, middle) ? &high : &low) = middle;
    }
    return low;
}

static myr_status rows_no_memory(const myr_gather_rows *r)
{
    return myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for %lld particles in the order of the set",
                            (long long)(r->last - r->first));
}

/* --- messages -------------------------------------------------------------------------------------------------------
 */

/* Stores the data received from one rank at their rows, or in the order received if the rows are not known yet. */
static void rows_place(const myr_gather_rows *r, const char *from, int64_t before, int64_t count, size_t width,
                       char *values)
{
    for (int64_t i = 0; i < count; i++)
        memcpy(values + (size_t)(r->row ? r->row[before + i] : before + i) * width, from + (size_t)i * width, width);
}

/* Sends `out`, ordered by rank, to the ranks; `width` bytes per particle. */
static myr_status rows_pass(const myr_gather_rows *r, char *out, size_t width, char *in, char *values)
{
    const int ranks = myr_ranks_count(r->context), rank = myr_ranks_me(r->context);
    int64_t came = 0;
    myr_status status = MYR_OK;
    for (int step = 0; step < ranks && !status; step++) {
        const int to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
        char *mine = out + (size_t)r->begin[to] * width;
        if (step > 0)
            status = myr_ranks_turn(r->context, step, ROWS_TAG, mine, (size_t)r->sent[to] * width, in,
                                    (size_t)r->received[from] * width);
        if (!status)
            rows_place(r, step > 0 ? in : mine, came, r->received[from], width, values);
        came += r->received[from];
    }
    return status;
}

/* --- distribution ------------------------------------------------------------------------------------------------- */

/* Counts the particles per rank, and assigns their places in the send buffer. */
static myr_status rows_sort(myr_gather_rows *r)
{
    const int ranks = myr_ranks_count(r->context);
    int64_t sum = 0, came = 0;
    for (int64_t i = 0; i < r->n; i++)
        r->sent[rows_rank(r, r->index[i])]++;
    const myr_status status = myr_ranks_swap(r->context, r->sent, r->received);
    for (int k = 0; k < ranks; k++) {
        r->begin[k] = sum;
        sum += r->sent[k];
        came += r->received[k];
        r->most = r->received[k] > r->most ? r->received[k] : r->most;
    }
    for (int64_t i = 0; i < r->n; i++)
        r->slot[i] = r->begin[rows_rank(r, r->index[i])]++;
    for (int k = 0; k < ranks; k++)
        r->begin[k] -= r->sent[k];
    if (!status && came != r->last - r->first)
        return myr_context_fail(r->context, MYR_ERROR_VALUE, "%lld particles have come for %lld rows", (long long)came,
                                (long long)(r->last - r->first));
    return status;
}

static myr_status rows_learn(myr_gather_rows *r)
{
    const int64_t rows = r->last - r->first;
    int64_t *out = malloc(((size_t)r->n + 1) * sizeof *out), *in = malloc(((size_t)r->most + 1) * sizeof *in);
    int64_t *row = calloc((size_t)rows + 1, sizeof *row);
    myr_status status = myr_ranks_agree(r->context, out && in && row ? MYR_OK : rows_no_memory(r));
    if (!status) {
        for (int64_t i = 0; i < r->n; i++)
            out[r->slot[i]] = r->index[i];
        status = rows_pass(r, (char *)out, sizeof *out, (char *)in, (char *)row);
    }
    for (int64_t i = 0; i < rows && !status; i++)
        row[i] -= r->first;
    r->row = row;
    free(out);
    free(in);
    return status;
}

myr_status myr_gather_rows_open(myr_simulation *s, const myr_kept *kept, myr_gather_rows *rows)
{
    myr_gather_rows *r = rows;
    myr_molecular *m = s->box->engine;
    const size_t ranks = (size_t)myr_ranks_count(s->context);
    *r = (myr_gather_rows){.context = s->context, .molecular = m, .kept = kept, .all = m->all};
    r->set = kept ? kept->set : s->particles;
    r->n = kept ? kept->n : m->n;
    r->index = kept ? kept->index : m->index;
    r->id = kept ? kept->id : m->id;
    r->type = kept ? kept->type : m->type;
    r->first = myr_ranks_first(r->context, r->all, myr_ranks_me(s->context));
    r->last = myr_ranks_first(r->context, r->all, myr_ranks_me(s->context) + 1);
    r->sent = calloc(ranks, sizeof *r->sent);
    r->received = calloc(ranks, sizeof *r->received);
    r->begin = calloc(ranks, sizeof *r->begin);
    r->slot = malloc(((size_t)r->n + 1) * sizeof *r->slot);
    const int have = r->sent && r->received && r->begin && r->slot;
    myr_status status = myr_ranks_agree(s->context, have ? MYR_OK : rows_no_memory(r));
    if (!status)
        status = rows_sort(r);
    return status ? status : rows_learn(r);
}

void myr_gather_rows_close(myr_gather_rows *rows)
{
    free(rows->sent);
    free(rows->received);
    free(rows->begin);
    free(rows->slot);
    free(rows->row);
    *rows = (myr_gather_rows){0};
}

/* --- columns --------------------------------------------------------------------------------------------------------
 */

static void rows_fill(const myr_gather_rows *r, myr_format_column column, const char *field, int components, void *out)
{
    int64_t *integers = out;
    double *numbers = out;
    if (column == MYR_COLUMN_FIELD && !r->kept)
        myr_molecular_column(r->molecular, field, r->slot, components, out);
    const double *from = column == MYR_COLUMN_FIELD && r->kept ? myr_kept_field(r->kept, field) : NULL;
    for (int64_t i = 0; i < r->n && from; i++)
        memcpy(numbers + r->slot[i] * components, from + i * components, (size_t)components * sizeof *from);
    for (int64_t i = 0; i < r->n && column != MYR_COLUMN_FIELD; i++)
        integers[r->slot[i]] = column == MYR_COLUMN_IDS ? r->id[i] : r->type[i];
}

myr_status myr_gather_rows_get(myr_gather_rows *rows, myr_format_column column, const char *field, int components,
                               void *values)
{
    const size_t width = (size_t)components * ROWS_BYTES;
    void *out = malloc(((size_t)rows->n + 1) * width), *in = malloc(((size_t)rows->most + 1) * width);
    myr_status status = myr_ranks_agree(rows->context, out && in ? MYR_OK : rows_no_memory(rows));
    if (!status) {
        rows_fill(rows, column, field, components, out);
        status = rows_pass(rows, out, width, in, values);
    }
    free(out);
    free(in);
    return status;
}

/* --- gathering at rank 0 ------------------------------------------------------------------------------------------ */

static myr_status gather_store(myr_particles *set, myr_format_column column, const char *field, int components,
                               void *all)
{
    const int64_t n = myr_particles_count(set), *integers = all;
    int32_t *types = all; /* in place, over the values already read */
    switch (column) {
    case MYR_COLUMN_IDS:
        return myr_particles_set_ids(set, all);
    case MYR_COLUMN_TYPES:
        for (int64_t i = 0; i < n; i++)
            memcpy(&types[i], &(int32_t){(int32_t)integers[i]}, sizeof *types);
        return myr_particles_set_types(set, types);
    case MYR_COLUMN_FIELD:
        break;
    }
    return myr_particles_set(set, field, components, all);
}

/* Gathers a column of all ranks; `set` is null on ranks other than 0. */
static myr_status gather_column(myr_gather_rows *r, myr_format_column column, const char *field, int components,
                                myr_particles *set)
{
    const size_t width = (size_t)components * ROWS_BYTES, size = (size_t)(r->last - r->first) * width;
    void *mine = malloc(size + 1), *all = set ? malloc((size_t)r->all * width + 1) : NULL;
    myr_status status = myr_ranks_agree(r->context, mine && (all || !set) ? MYR_OK : rows_no_memory(r));
    if (!status)
        status = myr_gather_rows_get(r, column, field, components, mine);
    if (!status)
        status = myr_ranks_gather(r->context, mine, size, all);
    free(mine);
    if (!status && set)
        status = gather_store(set, column, field, components, all);
    free(all);
    return status;
}

myr_status myr_gather_rows_all(myr_simulation *s, const myr_kept *kept, myr_particles **set)
{
    const int leads = myr_ranks_me(s->context) == 0;
    myr_gather_rows r;
    *set = NULL;
    myr_status status = myr_gather_rows_open(s, kept, &r);
    if (!status && leads)
        status = myr_particles_create(s->context, r.all, set);
    if (!status)
        status = gather_column(&r, MYR_COLUMN_IDS, NULL, 1, *set);
    if (!status)
        status = gather_column(&r, MYR_COLUMN_TYPES, NULL, 1, *set);
    for (int k = 0; k < myr_particles_fields(r.set) && !status; k++)
        status = gather_column(&r, MYR_COLUMN_FIELD, myr_particles_field_name(r.set, k),
                               myr_particles_field_components(r.set, k), *set);
    int fits;
    if (!status && leads && s->ranks.names)
        status = myr_row_names_apply(s->ranks.names, *set, &fits);
    myr_gather_rows_close(&r);
    return status;
}

myr_status myr_gather_rows_particles(myr_simulation *s, const myr_particles **particles)
{
    const myr_command order = {.kind = MYR_COMMAND_PARTICLES};
    myr_status status = myr_commands_begin(s, &order);
    if (!status && s->box->ahead) {
        myr_particles_destroy(&s->synchronous);
        status = myr_gather_rows_all(s, NULL, &s->synchronous);
    }
    status = myr_commands_end(s, status);
    s->box->ahead &= status != MYR_OK;
    *particles = s->synchronous;
    return status;
}
