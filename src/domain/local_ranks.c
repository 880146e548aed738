/* local_ranks.c - finds the ranks of one machine by the name of the host. */
#include "domain/local_ranks.h"

#include <stdlib.h>
#include <unistd.h>

#include "domain/ranks.h"

myr_status myr_local_ranks_find(myr_context *context, int *local, int *locals)
{
    char name[256] = "";
    const int ranks = myr_ranks_count(context), me = myr_ranks_me(context);
    if (myr_ranks_machine(context, local, locals)) /* groups share the GPUs of their machine */
        return MYR_OK;
    int64_t *machine = malloc((size_t)ranks * sizeof *machine);
    uint64_t mine = 0;
    (void)gethostname(name, sizeof name - 1);
    for (const char *at = name; *at; at++) /* FNV-1a */
        mine = (mine ^ (uint64_t)(unsigned char)*at) * UINT64_C(0x100000001b3);
    myr_status status = machine ? MYR_OK : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", ranks);
    status = myr_ranks_agree(context, status);
    if (!status)
        status = myr_ranks_all(context, (int64_t)mine, machine);
    *local = *locals = 0;
    for (int k = 0; k < ranks && !status; k++) {
        *local += k < me && machine[k] == machine[me];
        *locals += machine[k] == machine[me];
    }
    free(machine);
    return status;
}
