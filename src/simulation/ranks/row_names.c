/* row_names.c - text of names by rows; see row_names.h. */
#include "simulation/ranks/row_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/ranks.h"

enum { LINE = MYR_PARTICLES_NAME_MAX + 24 }; /* bytes of a line, with the digits of a row */

char *myr_row_names_text(const myr_particles *set, int64_t first, size_t *size)
{
    size_t named = 0, at = 0;
    for (int64_t i = 0; i < myr_particles_count(set); i++)
        named += myr_particles_name(set, i) != NULL;
    char *text = malloc(named * LINE + 1);
    *size = 0;
    if (!text)
        return NULL;
    text[0] = '\0';
    for (int64_t i = 0; named && i < myr_particles_count(set); i++)
        if (myr_particles_name(set, i))
            at += (size_t)snprintf(text + at, LINE, "%" PRId64 " %s\n", first + i, myr_particles_name(set, i));
    *size = at;
    return text;
}

myr_status myr_row_names_apply(const char *text, myr_particles *set, int *fits)
{
    myr_status status = MYR_OK;
    *fits = 1;
    for (const char *line = text, *end; !status && *line; line = end + 1) {
        char name[MYR_PARTICLES_NAME_MAX + 1], *after;
        const int64_t row = strtoll(line, &after, 10);
        end = strchr(line, '\n');
        const size_t length = end && *after == ' ' && after < end ? (size_t)(end - after) - 1 : sizeof name;
        *fits = length < sizeof name && row >= 0 && row < myr_particles_count(set);
        if (!*fits)
            return MYR_OK;
        memcpy(name, after + 1, length);
        name[length] = '\0';
        status = myr_particles_set_name(set, row, name);
    }
    return status;
}

myr_status myr_row_names_gather(myr_simulation *s)
{
    const int leads = myr_ranks_me(s->context) == 0, mine = leads || !s->ranks.part.same;
    size_t size = 0;
    char *text = mine ? myr_row_names_text(s->particles, s->ranks.part.rows.first, &size) : calloc(1, 1), *all = NULL;
    int64_t total = (int64_t)size;
    myr_status status = myr_ranks_sum(s->context, &total, 1);
    if (!status && leads)
        all = calloc(1, (size_t)total + 1);
    if (!status && (!text || (leads && !all)))
        status = myr_context_fail(s->context, MYR_ERROR_MEMORY, "no memory for the names of particles");
    status = myr_ranks_agree(s->context, status);
    if (!status && total > 0)
        status = myr_ranks_gather(s->context, text, size, all);
    free(text);
    if (!status && total > 0) {
        free(s->ranks.names);
        s->ranks.names = all;
        all = NULL;
    }
    free(all);
    return status;
}
