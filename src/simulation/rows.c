/* rows.c - snapshots of particles in a box that several ranks write together: every rank gets the particles of a part
 * of the rows, in the order of the user's set, and writes them into the one file. The file is that of one rank. */
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"
#include "io/file.h"
#include "io/format.h"
#include "molecular/molecular.h"
#include "simulation/shared.h"
#include "simulation/simulation.h"

enum { ROWS_TAG = 40, ROWS_PATH = 4096 };

/* What a rank has of its rows. */
typedef struct {
    myr_context *context;
    int64_t all, first, last; /* rows of the file; mine are [first, last) */
    myr_particles *own;       /* the particles of this rank's domain */
    const int64_t *place;     /* their rows */
    int fields;               /* that change: of the engine */
    double *value;            /* [fields][last - first][3] */
} rows_part;

/* A hole as it is told. */
typedef struct {
    int64_t field; /* of own */
    uint64_t offset;
} rows_hole;

enum { ROWS_COMPONENTS = 3 }; /* that all of these fields have */

static int64_t rows_begin(const rows_part *r, int rank)
{
    __extension__ typedef __int128 wide;
    return (int64_t)((wide)r->all * rank / myr_ranks_count(r->context));
}

/* The rank that writes a row. */
static int rows_writer(const rows_part *r, int64_t row)
{
    int low = 0, high = myr_ranks_count(r->context);
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(row < rows_begin(r, middle) ? &high : &low) = middle;
    }
    return low;
}

/* --- from domains to rows -------------------------------------------------------------------------------------------
 */

/* A message is a number of records: the row, then the components of all fields. */
typedef struct {
    size_t doubles;           /* of a record */
    int64_t *sent, *received; /* [ranks] records */
    int64_t *begin;           /* [ranks] of what is sent */
    double *out, *in;         /* records by rank; those of one */
} rows_post;

static void rows_free(rows_post *p)
{
    free(p->sent);
    free(p->received);
    free(p->begin);
    free(p->out);
    free(p->in);
}

static double *rows_record(double *to, const rows_part *r, int64_t i)
{
    memcpy(to++, &r->place[i], sizeof *to);
    for (int k = 0; k < r->fields; k++)
        for (int c = 0; c < ROWS_COMPONENTS; c++)
            *to++ = myr_particles_component_const(r->own, myr_particles_field_name(r->own, k), c)[i];
    return to;
}

static void rows_take(rows_part *r, const double *from, int64_t records)
{
    int64_t row;
    for (int64_t i = 0; i < records; i++) {
        memcpy(&row, from++, sizeof row);
        for (int k = 0; k < r->fields; k++) {
            double *to = r->value + ((int64_t)k * (r->last - r->first) + row - r->first) * ROWS_COMPONENTS;
            for (int c = 0; c < ROWS_COMPONENTS; c++)
                *to++ = *from++;
        }
    }
}

/* One message each way with the ranks so many places on and back. */
static myr_status rows_swap(const rows_part *r, int step, void *out, size_t sent, void *in, size_t received)
{
    const int ranks = myr_ranks_count(r->context), me = myr_ranks_me(r->context);
    myr_rank_message m[2] = {{in, received, (me + ranks - step) % ranks, ROWS_TAG, 0, NULL},
                             {out, sent, (me + step) % ranks, ROWS_TAG, 1, NULL}};
    const myr_status status = myr_ranks_start(r->context, m, 2);
    return status ? status : myr_ranks_finish(r->context, m, 2);
}

/* Sorts what is to be sent by rank, and tells everybody how much comes. */
static myr_status rows_sort(const rows_part *r, rows_post *p)
{
    const int ranks = myr_ranks_count(r->context), me = myr_ranks_me(r->context);
    const int64_t n = myr_particles_count(r->own);
    int64_t sum = 0;
    myr_status status = MYR_OK;
    for (int64_t i = 0; i < n; i++)
        p->sent[rows_writer(r, r->place[i])]++;
    for (int k = 0; k < ranks; k++) {
        p->begin[k] = sum;
        sum += p->sent[k];
    }
    for (int64_t i = 0; i < n; i++)
        rows_record(p->out + (size_t)p->begin[rows_writer(r, r->place[i])]++ * p->doubles, r, i);
    for (int k = 0; k < ranks; k++)
        p->begin[k] -= p->sent[k];
    p->received[me] = p->sent[me];
    for (int step = 1; step < ranks && !status; step++)
        status = rows_swap(r, step, &p->sent[(me + step) % ranks], sizeof *p->sent,
                           &p->received[(me + ranks - step) % ranks], sizeof *p->received);
    return status;
}

static myr_status rows_send(rows_part *r, rows_post *p)
{
    const int ranks = myr_ranks_count(r->context), me = myr_ranks_me(r->context);
    const size_t bytes = p->doubles * sizeof(double);
    int64_t most = 0;
    for (int k = 0; k < ranks; k++)
        most = p->received[k] > most ? p->received[k] : most;
    p->in = malloc((size_t)(most + 1) * bytes);
    myr_status status =
        p->in ? MYR_OK : myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for rows of a snapshot");
    status = myr_ranks_agree(r->context, status);
    if (!status)
        rows_take(r, p->out + (size_t)p->begin[me] * p->doubles, p->sent[me]);
    for (int step = 1; step < ranks && !status; step++) {
        const int to = (me + step) % ranks, from = (me + ranks - step) % ranks;
        status = rows_swap(r, step, p->out + (size_t)p->begin[to] * p->doubles, (size_t)p->sent[to] * bytes, p->in,
                           (size_t)p->received[from] * bytes);
        if (!status)
            rows_take(r, p->in, p->received[from]);
    }
    return status;
}

static myr_status rows_exchange(rows_part *r)
{
    const size_t ranks = (size_t)myr_ranks_count(r->context);
    rows_post p = {.doubles = 1 + (size_t)r->fields * ROWS_COMPONENTS};
    p.sent = calloc(ranks, sizeof *p.sent);
    p.received = calloc(ranks, sizeof *p.received);
    p.begin = calloc(ranks, sizeof *p.begin);
    p.out = malloc(((size_t)myr_particles_count(r->own) + 1) * p.doubles * sizeof *p.out);
    r->value = malloc(((size_t)(r->last - r->first) + 1) * (size_t)r->fields * ROWS_COMPONENTS * sizeof *r->value);
    myr_status status = MYR_OK;
    if (!p.sent || !p.received || !p.begin || !p.out || !r->value)
        status = myr_context_fail(r->context, MYR_ERROR_MEMORY, "no memory for rows of a snapshot");
    status = myr_ranks_agree(r->context, status);
    if (!status)
        status = rows_sort(r, &p);
    if (!status)
        status = rows_send(r, &p);
    rows_free(&p);
    return status;
}

static myr_status rows_collect(myr_simulation *s, rows_part *r)
{
    myr_molecular *m = s->molecular;
    *r = (rows_part){.context = s->context, .all = m->all, .place = m->index};
    r->first = rows_begin(r, myr_ranks_me(s->context));
    r->last = rows_begin(r, myr_ranks_me(s->context) + 1);
    myr_status status = myr_particles_create(s->context, m->n, &r->own);
    if (!status)
        status = myr_molecular_fetch(m, 0, r->own);
    status = myr_ranks_agree(s->context, status);
    if (status)
        return status;
    r->fields = myr_particles_fields(r->own);
    return rows_exchange(r);
}

static void rows_end(rows_part *r)
{
    myr_particles_destroy(&r->own);
    free(r->value);
}

/* --- into the file --------------------------------------------------------------------------------------------------
 */

/* All ranks write their rows; those of one that cannot are missed by all. */
static myr_status rows_fill(rows_part *r, const char *temporary, int holes, const rows_hole *hole)
{
    const int64_t rows = r->last - r->first;
    const size_t width = ROWS_COMPONENTS * sizeof(double);
    myr_file file;
    myr_status status = myr_file_join(r->context, temporary, &file);
    const int joined = !status;
    for (int k = 0; k < holes && !status; k++)
        status = myr_file_write(&file, hole[k].offset + (uint64_t)r->first * width,
                                r->value + hole[k].field * rows * ROWS_COMPONENTS, (size_t)rows * width);
    if (joined) {
        const myr_status left = myr_file_leave(&file);
        status = status ? status : left;
    }
    return myr_ranks_agree(r->context, status);
}

/* The file and its holes, from rank 0 to all. */
static myr_status rows_tell(rows_part *r, char temporary[ROWS_PATH], int64_t *holes, rows_hole hole[MYR_FORMAT_HOLES])
{
    myr_status status = myr_ranks_share(r->context, temporary, ROWS_PATH);
    if (!status)
        status = myr_ranks_share(r->context, holes, sizeof *holes);
    return status ? status : myr_ranks_share(r->context, hole, MYR_FORMAT_HOLES * sizeof *hole);
}

static int rows_have(void *user, const char *field)
{
    const rows_part *r = user;
    return myr_particles_component_const(r->own, field, 0) != NULL;
}

static myr_status rows_lead(void *user, const char *temporary, int holes, const myr_format_hole *from)
{
    rows_part *r = user;
    char path[ROWS_PATH] = "";
    rows_hole hole[MYR_FORMAT_HOLES] = {{0, 0}};
    int64_t count = holes;
    if (strlen(temporary) >= sizeof path)
        return myr_context_fail(r->context, MYR_ERROR_FILE, "the name '%s' is too long for several ranks", temporary);
    strcpy(path, temporary);
    for (int k = 0; k < holes; k++) {
        while (strcmp(myr_particles_field_name(r->own, (int)hole[k].field), from[k].field) != 0)
            hole[k].field++;
        hole[k].offset = from[k].offset;
    }
    const myr_status status = rows_tell(r, path, &count, hole);
    return status ? status : rows_fill(r, path, holes, hole);
}

static myr_status rows_follow(myr_simulation *s)
{
    char path[ROWS_PATH] = "";
    rows_hole hole[MYR_FORMAT_HOLES];
    int64_t holes = 0;
    rows_part r;
    myr_status status = rows_collect(s, &r);
    if (!status)
        status = rows_tell(&r, path, &holes, hole);
    if (!status)
        status = rows_fill(&r, path, (int)holes, hole);
    rows_end(&r);
    return status;
}

static myr_status rows_write(myr_simulation *s, const char *path, const char *format, const char *const *fields,
                             const myr_snapshot_header *header)
{
    rows_part r;
    const myr_format_others others = {&r, rows_have, rows_lead};
    myr_status status = rows_collect(s, &r);
    for (int k = 0; k < r.fields && !status; k++) /* their numbers are not looked at */
        status = myr_particles_add_field(s->particles, myr_particles_field_name(r.own, k), ROWS_COMPONENTS);
    if (!status)
        status = myr_format_write(s->particles, path, format, fields, header, &others);
    rows_end(&r);
    return status;
}

myr_status myr_simulation_write(myr_simulation *simulation, const char *path, const char *format,
                                const char *const *fields, const myr_snapshot_header *header)
{
    myr_simulation *s = simulation;
    const myr_snapshot_header nothing = {0};
    const myr_particles *particles;
    if (!s || (!path && !myr_shared_follows(s)))
        return MYR_ERROR_ARGUMENT;
    if (!s->domains || (path && !myr_format_with_others(format))) {
        const myr_status status = myr_simulation_particles(s, &particles);
        return status ? status : myr_snapshot_write(particles, path, format, fields, header);
    }
    const myr_order order = {.kind = MYR_ORDER_SNAPSHOT};
    myr_status status = myr_shared_begin(s, &order);
    if (!status)
        status = path ? rows_write(s, path, format, fields, header ? header : &nothing) : rows_follow(s);
    return myr_shared_end(s, status);
}
