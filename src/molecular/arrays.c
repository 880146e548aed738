/* arrays.c - memory of the particle arrays of a box, and creation of the pair list that sorts these arrays. */
#include <string.h>

#include "molecular/molecular.h"

enum { PARTICLES_PER_THREAD = 2000 };

/* Scratch arrays: allocated with the others, but neither sorted nor sent to other domains. */
static int fields_scratch(myr_molecular *m, int c, myr_molecular_field *field)
{
    int count = 0;
    field[count++] = (myr_molecular_field){.array = (void **)&m->g[c], .bytes = sizeof *m->g[c]};
    if (m->molecule)
        field[count++] = (myr_molecular_field){.array = (void **)&m->x[c], .bytes = sizeof *m->x[c]};
    return count;
}

int myr_molecular_fields(myr_molecular *m, myr_molecular_field *field)
{
    static const char *const q[] = {"box x", "box y", "box z"}, *const image[] = {"image x", "image y", "image z"};
    static const char *const v[] = {"speed x", "speed y", "speed z"}, *const f[] = {"force x", "force y", "force z"};
    static const char *const anchor[] = {"anchor x", "anchor y", "anchor z"};
    int count = 0; /* initialisers: name, array, bytes, sorted, stays, halo */
    for (int c = 0; c < 3; c++) {
        field[count++] = (myr_molecular_field){q[c], (void **)&m->q[c], sizeof *m->q[c], 0, 1, 1};
        field[count++] = (myr_molecular_field){NULL, (void **)&m->counted[c], sizeof *m->counted[c], 1, 1, 0};
        field[count++] = (myr_molecular_field){image[c], (void **)&m->image[c], sizeof *m->image[c], 1, 1, 0};
        field[count++] = (myr_molecular_field){v[c], (void **)&m->v[c], sizeof *m->v[c], 1, 1, 0};
        field[count++] = (myr_molecular_field){f[c], (void **)&m->f[c], sizeof *m->f[c], 1, 1, 0};
        if (m->options.restraint > 0)
            field[count++] = (myr_molecular_field){anchor[c], (void **)&m->anchor[c], sizeof *m->anchor[c], 1, 1, 0};
        count += fields_scratch(m, c, field + count);
    }
    field[count++] = (myr_molecular_field){"mass", (void **)&m->mass, sizeof *m->mass, 1, 1, 0};
    field[count++] = (myr_molecular_field){"inverse mass", (void **)&m->inverse, sizeof *m->inverse, 1, 1, 0};
    if (m->options.coulomb_tolerance > 0)
        field[count++] = (myr_molecular_field){"charge", (void **)&m->charge, sizeof *m->charge, 1, 1, 0};
    field[count++] = (myr_molecular_field){"type", (void **)&m->type, sizeof *m->type, 0, 1, 1};
    field[count++] = (myr_molecular_field){"place", (void **)&m->index, sizeof *m->index, 1, 1, 0};
    field[count++] = (myr_molecular_field){"id", (void **)&m->id, sizeof *m->id, 1, 1, 1};
    if (m->columns > 0)
        field[count++] =
            (myr_molecular_field){NULL, (void **)&m->carried, (size_t)m->columns * sizeof *m->carried, 1, 1, 0};
    return count;
}

/* Arrays are padded by one block after the last particle, because the steps process whole blocks. */
myr_status myr_molecular_reserve(myr_molecular *m, int64_t count)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    if (m->room.block && count <= m->capacity)
        return MYR_OK;
    const int64_t kept = m->room.block ? m->n + m->halo : 0, spare = m->room.block ? count / 8 : 0;
    const int64_t padded = count + spare + MYR_MOLECULAR_BLOCK;
    int64_t bytes = 0;
    for (int k = 0; k < fields; k++)
        bytes += padded * (int64_t)field[k].bytes;
    myr_memory_room room = myr_memory_room_create(bytes, fields);
    if (!room.block)
        return myr_context_fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld particles in a box",
                                (long long)count);
    for (int k = 0; k < fields; k++) {
        void *from = *field[k].array, *to = myr_memory_room_take(&room, padded * (int64_t)field[k].bytes);
        if (kept > 0 && from) /* an array that is new, such as `carried`, has no old values */
            memcpy(to, from, (size_t)kept * field[k].bytes);
        if (m->list)
            myr_neighbour_moved(m->list, from, to);
        *field[k].array = to;
    }
    myr_memory_room_destroy(&m->room);
    m->room = room;
    m->capacity = count + spare;
    return MYR_OK;
}

/* Number of threads. Threads synchronise several times per step, so that without a request of the user each thread gets
 * at least PARTICLES_PER_THREAD particles. */
static int list_threads(const myr_context *context, int64_t n)
{
    const int64_t worth = 1 + n / PARTICLES_PER_THREAD;
    const int most = myr_context_threads(context);
    return context->threads || most < worth ? most : (int)worth;
}

myr_status myr_molecular_list(myr_molecular *m)
{
    myr_molecular_field field[MYR_MOLECULAR_FIELDS];
    const int fields = myr_molecular_fields(m, field);
    m->threads = list_threads(m->context, m->divided ? m->all / m->domains : m->n);
    m->team = m->threads;
    if (m->molecule)
        return MYR_OK;
    const char *arithmetic = myr_catalogue_arithmetic_name(m->interaction->arithmetic);
    myr_neighbour_set set = {.box = m->box,
                             .n = m->n,
                             .q = {m->q[0], m->q[1], m->q[2]},
                             .type = m->type,
                             .types = m->types,
                             .pair = m->pair,
                             .cut = (myr_cut)m->options.cut,
                             .formula = m->formula.name ? &m->formula : NULL,
                             .fixed = m->fixed,
                             .reach = m->memory.reach,
                             .skin = m->memory.skin,
                             .threads = m->threads,
                             .check = m->options.check,
                             .agreement = myr_molecular_agreement(m),
                             .poll = m->divided ? myr_molecular_poll : NULL,
                             .user = m,
                             .all = m->all};
    if (m->interaction->isa >= 0)
        set.isa = myr_backend_isa(m->interaction->isa);
    else if (m->interaction->backend == myr_catalogue_backend("ref"))
        set.isa = myr_backend_isa(myr_catalogue_isa("scalar"));
    /* Coordinates are integers, so that `mixed` (positions in double, pairs in single) and `single` are the same. */
    set.arithmetic = myr_catalogue_arithmetic(strcmp(arithmetic, "mixed") == 0 ? "single" : arithmetic);
    myr_status status = myr_neighbour_create(m->context, &set, &m->list);
    for (int k = 0; !status && k < fields; k++)
        if (field[k].sorted)
            status = myr_neighbour_track(m->list, *field[k].array, field[k].bytes);
    return status;
}
