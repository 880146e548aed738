/* rank_roles.c - a run on several ranks: what must be the same on all, and how they work together. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "rank_roles.h"

#ifdef __linux__
#include <elf.h>
#include <link.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "common.h"

enum { BUILD_TEXT = 256, LINE_TEXT = 120, MARK_BYTES = 8 };

int ranks_follows(const myr_context *context)
{
    return myr_ranks_count(context) > 1 && myr_ranks_me(context) > 0;
}

/* --- what must be the same ---------------------------------------------------------------------------------------- */

/* A failure of any rank, on all. */
static int agree(myr_context *context, int failed, const char *message)
{
    return cli_check(context, myr_ranks_tell(context, failed ? MYR_ERROR_VALUE : MYR_OK, message));
}

#ifdef __linux__

/* Adds the linker's mark of an object of ours, which differs where anything in it does; the program itself comes
 * without a name. */
static int mark_object(struct dl_phdr_info *object, size_t size, void *user)
{
    char *text = user;
    (void)size;
    if (*object->dlpi_name && !strstr(object->dlpi_name, "libmyriad.so"))
        return 0;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *segment = object->dlpi_phdr + k;
        const char *at = (const char *)(object->dlpi_addr + segment->p_vaddr), *end = at + segment->p_memsz;
        while (segment->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) < end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const unsigned char *mark = (const unsigned char *)at + sizeof *note + (note->n_namesz + 3u) / 4 * 4;
            const size_t used = strlen(text);
            for (unsigned b = 0; note->n_type == NT_GNU_BUILD_ID && b < note->n_descsz && b < MARK_BYTES; b++)
                snprintf(text + used + 2 * (size_t)b, BUILD_TEXT - used - 2 * (size_t)b, "%02x", mark[b]);
            at = (const char *)mark + (note->n_descsz + 3u) / 4 * 4;
        }
    }
    return 0;
}

static void mark_build(char text[BUILD_TEXT])
{
    dl_iterate_phdr(mark_object, text);
}

#else

static void mark_build(char text[BUILD_TEXT])
{
    (void)text;
}

#endif

int ranks_compare_builds(myr_context *context)
{
    char mine[BUILD_TEXT] = "", first[BUILD_TEXT], message[2 * BUILD_TEXT + LINE_TEXT];
    if (myr_ranks_count(context) == 1)
        return CLI_OK;
    snprintf(mine, sizeof mine, "Myriad %s, %s, ", myr_version(), myr_version_build());
    mark_build(mine);
    memcpy(first, mine, sizeof first);
    const int code = cli_check(context, myr_ranks_share(context, first, sizeof first));
    first[sizeof first - 1] = 0;
    snprintf(message, sizeof message,
             "this is %s, but rank 0 runs %s; start the same program on all ranks, from one build", mine, first);
    return code ? code : agree(context, strcmp(mine, first) != 0, message);
}

/* The line of a text that a place is in, cut to a length that fits a message. */
static const char *line_at(const char *text, size_t at, char line[LINE_TEXT])
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    while (text[at] == ' ')
        at++;
    snprintf(line, LINE_TEXT, "%.*s", (int)strcspn(text + at, "\n"), text + at);
    return *line ? line : "nothing more";
}

static int compare_with(myr_context *context, const char *what, const char *text, const char *first)
{
    char message[3 * LINE_TEXT + BUILD_TEXT] = "", mine[LINE_TEXT], other[LINE_TEXT];
    size_t at = 0;
    while (text[at] && text[at] == first[at])
        at++;
    if (text[at] != first[at])
        snprintf(message, sizeof message,
                 "%s is not that of rank 0: '%s' here, '%s' there; give all ranks the same files and arguments", what,
                 line_at(text, at, mine), line_at(first, at, other));
    return agree(context, message[0] != 0, message);
}

int ranks_compare(myr_context *context, const char *what, const char *text)
{
    if (myr_ranks_count(context) == 1)
        return CLI_OK;
    int64_t size = (int64_t)strlen(text) + 1;
    int code = cli_check(context, myr_ranks_share(context, &size, sizeof size));
    char *first = code ? NULL : calloc((size_t)size, 1);
    if (!code)
        code = agree(context, !first, "no memory");
    if (!code && !ranks_follows(context))
        memcpy(first, text, (size_t)size);
    if (!code)
        code = cli_check(context, myr_ranks_share(context, first, (size_t)size));
    if (!code)
        code = compare_with(context, what, text, first);
    free(first);
    return code;
}

/* --- how they work together --------------------------------------------------------------------------------------- */

void ranks_note_crowd(const myr_context *context, int quiet)
{
    const int ranks = myr_ranks_here(context), threads = myr_context_threads(context);
    const char *policy = getenv("OMP_WAIT_POLICY");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (quiet || ranks == 1 || cores < 1 || (long)ranks * threads <= cores)
        return;
    const long fit = threads > 1 && cores >= ranks ? cores / ranks : 1;
    char advice[240];
    if (threads > 1)
        snprintf(advice, sizeof advice, "use --threads %ld%s", fit,
                 policy && strcasecmp(policy, "passive") == 0
                     ? ""
                     : ", or OMP_WAIT_POLICY=passive, so that threads that wait always leave their core to others");
    else
        snprintf(advice, sizeof advice, "start up to %ld rank%s here", cores, myr_plural(cores));
    messages_say(MYR_RUN_NOTE,
                 "%d ranks with %d thread%s each take turns on the %ld core%s of this machine, which is slow; %s",
                 ranks, threads, myr_plural(threads), cores, myr_plural(cores), advice);
}

int ranks_choose(const input *in, myr_context *context, myr_simulation *simulation)
{
    myr_rank_options options = {0};
    for (int k = 0; myr_balance_name(k); k++)
        if (input_is(in, KEY_run_balance, myr_balance_name(k)))
            options.balance = (myr_balance_by)k;
    for (int k = 0; myr_exchange_name(k); k++)
        if (input_is(in, KEY_run_exchange, myr_exchange_name(k)))
            options.exchange = (myr_exchange)k;
    return cli_check(context, myr_simulation_set_ranks(simulation, &options));
}
