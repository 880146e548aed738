/* tipsy_ids.c - ids beside a Tipsy file: PATH.iord, the number of particles and then one id per line. Files of other
 * programs may be binary: a 32-bit number of particles and ids of 32 or 64 bits. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/tipsy.h"

#define TIPSY_IDS ".iord"

enum { TIPSY_LINE = 24 };

/* 1 if the ids are 0, 1, 2, ... in file order. */
static int tipsy_is_plain(const int64_t *ids, const int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (ids[order[i]] != i)
            return 0;
    return 1;
}

myr_status myr_tipsy_write_ids(const myr_format_job *job, const int64_t *order)
{
    myr_context *context = myr_particles_context(job->particles);
    const int64_t n = myr_particles_count(job->particles), *ids = myr_particles_ids(job->particles);
    char *path = myr_file_name(job->path, TIPSY_IDS), line[TIPSY_LINE + 8];
    myr_binary_out out;
    if (!path)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for the name '%s'", job->path);
    /* an existing .iord file must be replaced, since readers would use it */
    const int needed = !tipsy_is_plain(ids, order, n) || access(path, F_OK) == 0;
    myr_status status = needed ? myr_binary_create(context, path, (uint64_t)n * 8, &out) : MYR_OK;
    if (!status && needed) {
        myr_binary_put(&out, line, (size_t)snprintf(line, sizeof line, "%lld\n", (long long)n));
        for (int64_t i = 0; i < n; i++)
            myr_binary_put(&out, line, (size_t)snprintf(line, sizeof line, "%lld\n", (long long)ids[order[i]]));
        status = myr_binary_publish(&out);
    }
    free(path);
    return status;
}

/* Reads binary ids: the number of particles, then the ids, and nothing else. 0 if the file does not have that form. */
static int tipsy_binary_ids(const myr_binary *in, int64_t n, int64_t *ids, myr_status *status)
{
    unsigned char count[4];
    const uint64_t rest = in->size - 4;
    if (in->size < 4 || (rest != (uint64_t)n * 4 && rest != (uint64_t)n * 8))
        return 0;
    *status = myr_binary_read(in, 0, "the number of ids", count, sizeof count);
    if (*status || (int64_t)myr_binary_u32(in, count) != n)
        return *status != MYR_OK;
    *status =
        myr_binary_get_integers(in, 4, n, rest == (uint64_t)n * 8 ? MYR_BINARY_INT64 : MYR_BINARY_INT32, NULL, ids);
    return 1;
}

/* Parses an integer in null-terminated text; null if there is none. */
static const char *tipsy_number(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return end == text || errno ? NULL : end;
}

/* Reads ids as text, after their number; *found = 0 if that number is not n. */
static myr_status tipsy_text_ids(const myr_binary *in, const char *text, int64_t n, int64_t *ids, int *found)
{
    int64_t count = -1;
    const char *at = tipsy_number(text, &count);
    *found = at && count == n;
    if (!*found) {
        myr_context_warn(in->context, "'%s' is not used: it does not begin with the number %lld of particles", in->path,
                         (long long)n);
        return MYR_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        const char *next = tipsy_number(at, &ids[i]);
        if (!next)
            return myr_binary_fail(in, (uint64_t)(at - text), "id %lld of %lld was expected", (long long)i + 1,
                                   (long long)n);
        at = next;
    }
    return *at ? myr_binary_fail(in, (uint64_t)(at - text), "there is more than %lld ids", (long long)n) : MYR_OK;
}

static myr_status tipsy_parse_ids(const myr_binary *in, int64_t n, int64_t *ids, int *found)
{
    myr_status status = MYR_OK;
    if (tipsy_binary_ids(in, n, ids, &status)) {
        *found = 1;
        return status;
    }
    char *text = in->size < SIZE_MAX - 1 ? malloc((size_t)in->size + 1) : NULL;
    if (!text)
        return myr_context_fail(in->context, MYR_ERROR_MEMORY, "no memory for the %llu bytes of '%s'",
                                (unsigned long long)in->size, in->path);
    text[in->size] = 0;
    status = myr_binary_read(in, 0, "the ids", text, (size_t)in->size);
    if (!status)
        status = tipsy_text_ids(in, text, n, ids, found);
    free(text);
    return status;
}

myr_status myr_tipsy_read_ids(const myr_binary *tipsy, int64_t n, int64_t *ids, int *found)
{
    char *path = myr_file_name(tipsy->path, TIPSY_IDS);
    myr_binary in = {.descriptor = -1};
    *found = 0;
    if (!path)
        return myr_context_fail(tipsy->context, MYR_ERROR_MEMORY, "no memory for the name '%s'", tipsy->path);
    myr_status status = MYR_OK;
    if (access(path, F_OK) == 0) {
        status = myr_binary_open(tipsy->context, path, &in);
        in.swapped = tipsy->swapped;
        if (!status)
            status = tipsy_parse_ids(&in, n, ids, found);
        myr_binary_close(&in);
    }
    free(path);
    return status;
}
