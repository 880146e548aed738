/* ranks.c - connection of the ranks that an MPI launcher started, and communication between ranks. */
#define _GNU_SOURCE /* for RTLD_DEFAULT */
#include "domain/ranks.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plugin.h"
#include "domain/local_ranks.h"

/* RANKS_PIECE: largest number of bytes per broadcast; RANKS_TAG: message tag of a gather */
enum { RANKS_PIECE = 1 << 30, RANKS_TAG = 1 };

typedef struct {
    const myr_ranks_plugin *mpi; /* null = the plug-in could not be opened */
    myr_ranks_session *session;
    int rank, count, local;
    int machine_rank, machine_ranks; /* of a group: index on this machine among all ranks, and their number; 0 = none */
    myr_status failed;               /* first failure of any rank; all later communication fails with this status */
    int lost; /* 1 = this rank failed while other ranks may wait for its messages, and cannot notify them */
    int reduction_in_flight; /* 1 = a non-blocking reduction is in flight */
    double values[MYR_RANKS_AHEAD + 2];
    int requested; /* largest request of any rank in the reductions so far */
    void *request;
    int64_t reductions;
    char library[MYR_RANKS_TEXT];
} ranks_state;

/* --- launchers ---------------------------------------------------------------------------------------------------- */

/* Environment variables that a launcher sets; count is null if the launcher does not set the number of ranks. */
typedef struct {
    const char *count, *rank, *plugin, *name;
} ranks_launcher;

static const ranks_launcher launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "libmyriad_openmpi.so", "mpirun of Open MPI"},
    {"PMI_SIZE", "PMI_RANK", "libmyriad_mpich.so", "mpirun of MPICH, or srun --mpi=pmi2"},
    {NULL, "PMIX_RANK", "libmyriad_openmpi.so", "srun --mpi=pmix, or prun"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "libmyriad_openmpi.so", "srun"},
};

static int ranks_number(const char *variable)
{
    const char *text = variable ? getenv(variable) : NULL;
    return text ? atoi(text) : 0;
}

/* Launcher that started this process together with others, or null. */
static const ranks_launcher *ranks_find_launcher(ranks_state *r)
{
    r->count = 1;
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++) {
        const ranks_launcher *l = launchers + k;
        if (!getenv(l->rank) || (l->count && !getenv(l->count)))
            continue;
        r->rank = ranks_number(l->rank);
        r->count = l->count ? ranks_number(l->count) : 1;
        return !l->count || r->count > 1 ? l : NULL;
    }
    return NULL;
}

int myr_ranks_told(int *count)
{
    ranks_state r = {0};
    const ranks_launcher *launcher = ranks_find_launcher(&r);
    if (count)
        *count = launcher && !launcher->count ? 0 : r.count;
    return r.rank;
}

const char *myr_ranks_launcher(void)
{
    ranks_state r = {0};
    const ranks_launcher *launcher = ranks_find_launcher(&r);
    return launcher ? launcher->name : NULL;
}

static myr_status ranks_plugin(myr_context *context, const char *name, ranks_state *r)
{
    const myr_plugin file = {
        .file = name,
        .variable = "MYRIAD_MPI_PLUGIN",
        .what = "MPI",
        .advice = "build Myriad where this MPI is (Debian: libopenmpi-dev or libmpich-dev), or start one process",
        .global = 1, /* MPI libraries open components that need their symbols */
    };
    void *library = myr_plugin_open(context, &file);
    if (!library)
        return MYR_ERROR_UNAVAILABLE;
    myr_ranks_plugin_fn get;
    *(void **)&get = dlsym(library, MYR_RANKS_PLUGIN_SYMBOL);
    r->mpi = get ? get() : NULL;
    if (!r->mpi || r->mpi->abi != MYR_RANKS_ABI) {
        r->mpi = NULL;
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                                "MPI: the plug-in found is of another version of Myriad; install both from one build");
    }
    return MYR_OK;
}

static void ranks_close(void *memory)
{
    ranks_state *r = memory;
    if (r->mpi)
        r->mpi->close(r->session);
    free(r);
}

static ranks_state *ranks_of(const myr_context *context)
{
    ranks_state *r = context ? context->ranks : NULL;
    return r && r->session && r->count > 1 ? r : NULL;
}

static myr_status ranks_check(myr_context *context, int error)
{
    ranks_state *r = context->ranks;
    char text[MYR_RANKS_TEXT];
    if (!error)
        return MYR_OK;
    r->lost = 1;
    r->mpi->text(error, text);
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "MPI: %s", text);
}

/* Gives the context the state of a single rank. */
static myr_status ranks_begin(myr_context *context, ranks_state **state)
{
    if (context->ranks)
        return myr_context_fail(context, MYR_ERROR_VALUE, "the context has joined the ranks already");
    *state = calloc(1, sizeof **state);
    if (!*state)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory");
    (*state)->count = 1;
    context->ranks = *state;
    context->ranks_close = ranks_close;
    return MYR_OK;
}

static myr_status ranks_of_another(myr_context *context, int length, const char *library, const char *own)
{
    ranks_state *r = context->ranks;
    r->mpi = NULL;
    return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                            "this program uses the MPI library '%.*s', and Myriad's plug-in was built for '%s'; build "
                            "Myriad with the library of the program",
                            length, library, own);
}

/* Refuses a plug-in whose calls reach the MPI library of another family, because the program has loaded that one: the
 * handles of Open MPI are pointers, those of MPICH and its relatives integers. */
static myr_status ranks_check_family(myr_context *context)
{
    static const char open[] = "Open MPI";
    ranks_state *r = context->ranks;
    char library[MYR_RANKS_TEXT];
    r->mpi->library(library);
    const int differ = (strncmp(library, open, strlen(open)) == 0) != (strcmp(r->mpi->compiled, open) == 0);
    return differ ? ranks_of_another(context, (int)strlen(library), library, r->mpi->compiled) : MYR_OK;
}

static myr_status ranks_join(myr_context *context, const char *plugin, const void *communicator)
{
    ranks_state *r = context->ranks;
    myr_status status = ranks_plugin(context, plugin, r);
    if (!status)
        status = ranks_check_family(context);
    if (!status)
        status = ranks_check(context, r->mpi->open(communicator, &r->session, &r->rank, &r->count, &r->local));
    if (!status)
        r->mpi->library(r->library);
    return status;
}

myr_status myr_ranks_open(myr_context *context)
{
    ranks_state *r;
    if (!context)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = ranks_begin(context, &r);
    const ranks_launcher *launcher = status ? NULL : ranks_find_launcher(r);
    return launcher ? ranks_join(context, launcher->plugin, NULL) : status;
}

myr_status myr_ranks_open_group(myr_context *context, myr_context *all, int group)
{
    ranks_state *r, *from = ranks_of(all);
    if (!context || !all || context == all)
        return MYR_ERROR_ARGUMENT;
    if (group < 0)
        return myr_context_fail(context, MYR_ERROR_ARGUMENT, "a group of ranks is a number from 0 on, not %d", group);
    myr_status status = ranks_begin(context, &r);
    if (status || !from)
        return status;
    status = myr_local_ranks_find(all, &r->machine_rank, &r->machine_ranks);
    if (status)
        return myr_context_fail(context, status, "%s", all->message);
    r->mpi = from->mpi;
    memcpy(r->library, from->library, sizeof r->library);
    return ranks_check(context, r->mpi->split(from->session, group, &r->session, &r->rank, &r->count, &r->local));
}

int myr_ranks_machine(const myr_context *context, int *rank, int *ranks)
{
    const ranks_state *r = context ? context->ranks : NULL;
    if (!r || r->machine_ranks == 0)
        return 0;
    *rank = r->machine_rank;
    *ranks = r->machine_ranks;
    return 1;
}

/* Plug-in for the MPI library that the program uses: the library in this process, or, if its symbols are hidden, the
 * library of the launcher. */
static const char *ranks_program_plugin(void)
{
    ranks_state r;
    if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
        return "libmyriad_openmpi.so";
    if (dlsym(RTLD_DEFAULT, "MPI_Init"))
        return "libmyriad_mpich.so";
    const ranks_launcher *launcher = ranks_find_launcher(&r);
    return launcher ? launcher->plugin : NULL;
}

myr_status myr_ranks_open_communicator(myr_context *context, const void *communicator)
{
    ranks_state *r;
    if (!context || !communicator)
        return MYR_ERROR_ARGUMENT;
    const myr_status status = ranks_begin(context, &r);
    if (status)
        return status;
    const char *plugin = ranks_program_plugin();
    if (!plugin)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE,
                                "the MPI library of this program was not found; link it, or start with mpirun");
    return ranks_join(context, plugin, communicator);
}

/* Plug-in for an MPI library by the text of MPI_Get_library_version; null if there is none. */
static const char *ranks_library_plugin(const char *library)
{
    static const struct {
        const char *word, *plugin;
    } known[] = {
        {"Open MPI", "libmyriad_openmpi.so"}, {"MPICH", "libmyriad_mpich.so"}, {"MVAPICH", "libmyriad_mpich.so"}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strncmp(library, known[k].word, strlen(known[k].word)) == 0)
            return known[k].plugin;
    return NULL;
}

myr_status myr_ranks_open_communicator_of(myr_context *context, const void *communicator, const char *library)
{
    ranks_state *r;
    char own[MYR_RANKS_TEXT];
    if (!context || !communicator || !library)
        return MYR_ERROR_ARGUMENT;
    const int length = (int)strcspn(library, "\n,"); /* name and version */
    const char *plugin = ranks_library_plugin(library);
    if (!plugin)
        return myr_context_fail(context, MYR_ERROR_UNAVAILABLE, "there is no plug-in for the MPI library '%.*s'",
                                length, library);
    myr_status status = ranks_begin(context, &r);
    if (!status)
        status = ranks_plugin(context, plugin, r);
    if (status)
        return status;
    r->mpi->library(own);
    if (strlen(own) != (size_t)length || strncmp(own, library, (size_t)length) != 0)
        return ranks_of_another(context, length, library, own);
    return ranks_join(context, plugin, communicator);
}

int myr_ranks_me(const myr_context *context)
{
    const ranks_state *r = context ? context->ranks : NULL;
    return r ? r->rank : 0;
}

int myr_ranks_here(const myr_context *context)
{
    const ranks_state *r = ranks_of(context);
    return r ? r->local : 1;
}

int myr_ranks_count(const myr_context *context)
{
    const ranks_state *r = ranks_of(context);
    return r ? r->count : 1;
}

int64_t myr_ranks_first(const myr_context *context, int64_t n, int rank)
{
    return (int64_t)((myr_wide)n * rank / myr_ranks_count(context));
}

int myr_ranks_take_device(const myr_context *context)
{
    const ranks_state *r = context ? context->ranks : NULL;
    return r && r->session ? r->mpi->takes_device() : -1;
}

const char *myr_ranks_library(const myr_context *context)
{
    return ranks_of(context) ? ranks_of(context)->library : NULL;
}

void myr_ranks_abort(myr_context *context, int code)
{
    ranks_state *r = ranks_of(context);
    if (r)
        r->mpi->abort(r->session, code);
}

/* --- failures --------------------------------------------------------------------------------------------------------
 * Every collective operation starts with a reduction of the same shape, which carries the failure flag and the request
 * of each rank: a failed rank can thus notify the others whichever collective operation they are in. */

enum { REDUCE_FAILED, REDUCE_REQUEST, REDUCE_VALUES, REDUCE_SIZE = REDUCE_VALUES + MYR_RANKS_AHEAD };

/* Broadcasts the status and the message of the lowest failed rank. */
static myr_status ranks_share_failure(myr_context *context, ranks_state *r, myr_status status, int from)
{
    int64_t code = (int64_t)status;
    char said[MYR_MESSAGE_MAX];
    snprintf(said, sizeof said, "%s", context->message);
    if (from > 0 && from == r->rank)
        (void)myr_context_fail(context, status, "rank %d: %s", from, said);
    int error = r->mpi->broadcast(r->session, &code, (int)sizeof code, from);
    if (!error)
        error = r->mpi->broadcast(r->session, context->message, (int)sizeof context->message, from);
    r->failed = error ? ranks_check(context, error) : (myr_status)code;
    return r->failed;
}

/* Starts the reduction: maximum of up to MYR_RANKS_AHEAD values. MPI does not match blocking with non-blocking
 * collectives, so every reduction is non-blocking. */
static myr_status ranks_reduce_begin(myr_context *context, ranks_state *r, myr_status status, const double *values,
                                     int n)
{
    memset(r->values, 0, sizeof r->values);
    r->values[REDUCE_FAILED] = status ? r->count - r->rank : 0; /* the lowest failed rank has the largest value */
    r->values[REDUCE_REQUEST] = context->request ? (double)*context->request : 0;
    for (int k = 0; k < n; k++) /* the result of MPI_MAX with NaN is unspecified */
        r->values[REDUCE_VALUES + k] = isnan(values[k]) ? (double)INFINITY : values[k];
    r->reductions++;
    r->reduction_in_flight = 1;
    return ranks_check(context, r->mpi->max_start(r->session, r->values, REDUCE_SIZE, &r->request));
}

static myr_status ranks_reduce_end(myr_context *context, ranks_state *r, myr_status status, int wait, int *done)
{
    const myr_status lost = ranks_check(context, r->mpi->max_finish(&r->request, wait, done));
    r->reduction_in_flight = !lost && !*done;
    if (lost || !*done)
        return lost;
    if (r->values[REDUCE_REQUEST] > r->requested)
        r->requested = (int)r->values[REDUCE_REQUEST];
    return r->values[REDUCE_FAILED] > 0
               ? ranks_share_failure(context, r, status, r->count - (int)r->values[REDUCE_FAILED])
               : MYR_OK;
}

static myr_status ranks_reduce(myr_context *context, ranks_state *r, myr_status status, double *values, int n)
{
    int done;
    if (!r->failed && r->reduction_in_flight) {
        const myr_status before = ranks_reduce_end(context, r, status, 1, &done);
        if (before)
            return before;
    }
    if (r->failed)
        return r->failed;
    myr_status reduced = ranks_reduce_begin(context, r, status, values, n);
    if (!reduced)
        reduced = ranks_reduce_end(context, r, status, 1, &done);
    for (int k = 0; !reduced && k < n; k++)
        values[k] = r->values[REDUCE_VALUES + k];
    return reduced;
}

myr_status myr_ranks_agree(myr_context *context, myr_status status)
{
    ranks_state *r = ranks_of(context);
    return r && !r->lost ? ranks_reduce(context, r, status, NULL, 0) : status;
}

myr_status myr_ranks_tell(myr_context *context, myr_status status, const char *message)
{
    if (!context)
        return MYR_ERROR_ARGUMENT;
    if (status && message && *message)
        (void)myr_context_fail(context, status, "%s", message);
    return myr_ranks_agree(context, status);
}

void myr_ranks_set_request(myr_context *context, const volatile sig_atomic_t *request)
{
    if (context)
        context->request = request;
}

int myr_ranks_requested(const myr_context *context)
{
    const ranks_state *r = ranks_of(context);
    if (r)
        return r->requested;
    return context && context->request ? (int)*context->request : 0;
}

int myr_ranks_lost(const myr_context *context)
{
    return ranks_of(context) && ranks_of(context)->lost;
}

void myr_ranks_lose(myr_context *context)
{
    if (ranks_of(context))
        ranks_of(context)->lost = 1;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

myr_status myr_ranks_max(myr_context *context, double *values, int n)
{
    enum { ONCE = MYR_RANKS_AHEAD };
    ranks_state *r = ranks_of(context);
    myr_status status = MYR_OK;
    for (int k = 0; k < n; k++)
        values[k] = isnan(values[k]) ? (double)INFINITY : values[k];
    for (int k = 0; r && !status && k < n; k += ONCE)
        status = ranks_reduce(context, r, MYR_OK, values + k, n - k < ONCE ? n - k : ONCE);
    return status;
}

myr_status myr_ranks_largest(myr_context *context, double *values, int n)
{
    if (!context || !values || n < 0)
        return MYR_ERROR_ARGUMENT;
    return myr_ranks_max(context, values, n);
}

myr_status myr_ranks_max_begin(myr_context *context, const double *values, int n)
{
    ranks_state *r = ranks_of(context);
    if (!r)
        return myr_context_fail(context, MYR_ERROR_ARGUMENT, "a collective operation cannot begin on a single rank");
    int done;
    const myr_status before =
        r->reduction_in_flight && !r->failed ? ranks_reduce_end(context, r, MYR_OK, 1, &done) : r->failed;
    return before ? before : ranks_reduce_begin(context, r, MYR_OK, values, n);
}

myr_status myr_ranks_max_end(myr_context *context, int wait, double *values, int n, int *done)
{
    ranks_state *r = ranks_of(context);
    *done = 1;
    if (!r || r->failed || !r->reduction_in_flight)
        return r && r->failed
                   ? r->failed
                   : myr_context_fail(context, MYR_ERROR_ARGUMENT, "a collective operation ended that had not begun");
    const myr_status status = ranks_reduce_end(context, r, MYR_OK, wait, done);
    for (int k = 0; !status && *done && k < n; k++)
        values[k] = r->values[REDUCE_VALUES + k];
    return status;
}

int64_t myr_ranks_reductions(const myr_context *context)
{
    return ranks_of(context) ? ranks_of(context)->reductions : 0;
}

myr_status myr_ranks_any(myr_context *context, uint64_t *flags, int n)
{
    ranks_state *r = ranks_of(context);
    const myr_status status = myr_ranks_agree(context, MYR_OK);
    return r && !status ? ranks_check(context, r->mpi->any(r->session, flags, n)) : status;
}

myr_status myr_ranks_sum(myr_context *context, int64_t *values, int n)
{
    ranks_state *r = ranks_of(context);
    const myr_status status = myr_ranks_agree(context, MYR_OK);
    return r && !status ? ranks_check(context, r->mpi->sum(r->session, values, n)) : status;
}

/* Integers of an all-reduce at once: counts of MPI are ints. */
enum { RANKS_INTEGERS = 1 << 26 };

myr_status myr_ranks_sum_wide(myr_context *context, myr_wide *values, int n)
{
    ranks_state *r = ranks_of(context);
    const myr_status status = myr_ranks_agree(context, MYR_OK);
    return r && !status ? ranks_check(context, r->mpi->sum_wide(r->session, values, n)) : status;
}

myr_status myr_ranks_sum_wider(myr_context *context, uint64_t *words, int64_t n)
{
    ranks_state *r = ranks_of(context);
    myr_status status = r ? r->failed : MYR_OK;
    for (int64_t first = 0; r && !status && first < n; first += RANKS_INTEGERS) {
        const int count = n - first < RANKS_INTEGERS ? (int)(n - first) : RANKS_INTEGERS;
        status = ranks_check(context, r->mpi->sum_wider(r->session, words + MYR_RANKS_WIDER * first, count));
    }
    return status;
}

myr_status myr_ranks_all(myr_context *context, int64_t value, int64_t *values)
{
    ranks_state *r = ranks_of(context);
    const myr_status status = myr_ranks_agree(context, MYR_OK);
    values[0] = value;
    return r && !status ? ranks_check(context, r->mpi->all(r->session, value, values)) : status;
}

/* Numbers of words and offsets as MPI takes them: ints. */
static myr_status ranks_collect_counts(myr_context *context, const ranks_state *r, const int64_t *first, int *counts)
{
    if (first[r->count] > INT_MAX)
        return myr_context_fail(context, MYR_ERROR_VALUE, "%lld numbers are too many to exchange at once: use one rank",
                                (long long)first[r->count]);
    for (int k = 0; k < r->count; k++) {
        counts[k] = (int)(first[k + 1] - first[k]);
        counts[r->count + k] = (int)first[k];
    }
    return MYR_OK;
}

myr_status myr_ranks_collect(myr_context *context, const int64_t *first, uint64_t *words)
{
    ranks_state *r = ranks_of(context);
    if (!r)
        return MYR_OK;
    int *counts = malloc(2 * (size_t)r->count * sizeof *counts);
    myr_status status = counts ? ranks_collect_counts(context, r, first, counts)
                               : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", r->count);
    status = myr_ranks_agree(context, status);
    if (!status)
        status = ranks_check(context, r->mpi->collect(r->session, words, counts, counts + r->count));
    free(counts);
    return status;
}

myr_status myr_ranks_swap(myr_context *context, const int64_t *out, int64_t *in)
{
    ranks_state *r = ranks_of(context);
    const myr_status status = myr_ranks_agree(context, MYR_OK);
    in[0] = out[0];
    return r && !status ? ranks_check(context, r->mpi->swap(r->session, out, in)) : status;
}

/* --- broadcast, gather and point-to-point messages ---------------------------------------------------------------- */

static size_t ranks_piece(size_t left)
{
    return left < RANKS_PIECE ? left : RANKS_PIECE;
}

myr_status myr_ranks_broadcast(myr_context *context, void *bytes, size_t size, int from)
{
    ranks_state *r = ranks_of(context);
    myr_status status = myr_ranks_agree(context, MYR_OK);
    for (size_t done = 0; r && !status && done < size; done += RANKS_PIECE)
        status = ranks_check(context,
                             r->mpi->broadcast(r->session, (char *)bytes + done, (int)ranks_piece(size - done), from));
    return status;
}

myr_status myr_ranks_share(myr_context *context, void *bytes, size_t size)
{
    return myr_ranks_broadcast(context, bytes, size, 0);
}

myr_status myr_ranks_start(myr_context *context, myr_rank_message *message, int n)
{
    ranks_state *r = ranks_of(context);
    if (!r && n > 0)
        return myr_context_fail(context, MYR_ERROR_ARGUMENT, "one rank alone has nobody to send a message to");
    return r ? ranks_check(context, r->mpi->start(r->session, message, n)) : MYR_OK;
}

myr_status myr_ranks_finish(myr_context *context, myr_rank_message *message, int n)
{
    ranks_state *r = ranks_of(context);
    return r ? ranks_check(context, r->mpi->finish(message, n)) : MYR_OK;
}

myr_status myr_ranks_test(myr_context *context, myr_rank_message *message, int n, int *done)
{
    ranks_state *r = ranks_of(context);
    *done = 1;
    return r ? ranks_check(context, r->mpi->test(message, n, done)) : MYR_OK;
}

myr_status myr_ranks_settle(myr_context *context, myr_status status)
{
    const int rank = myr_ranks_me(context), count = myr_ranks_count(context);
    if (count == 1)
        return status;
    double worst = status ? count - rank : 0; /* the lowest failed rank has the largest value */
    int64_t code = (int64_t)status;
    char said[MYR_MESSAGE_MAX] = "";
    const myr_status lost = myr_ranks_max(context, &worst, 1);
    const int from = count - (int)worst;
    if (lost || from == count)
        return lost;
    if (from == rank)
        snprintf(said, sizeof said, "%s", context->message);
    myr_status told = myr_ranks_broadcast(context, &code, sizeof code, from);
    if (!told)
        told = myr_ranks_broadcast(context, said, sizeof said, from);
    if (told)
        return told;
    return from > 0 ? myr_context_fail(context, (myr_status)code, "rank %d: %s", from, said)
                    : myr_context_fail(context, (myr_status)code, "%s", said);
}

myr_status myr_ranks_turn(myr_context *context, int step, int tag, void *out, size_t sent, void *in, size_t received)
{
    const int ranks = myr_ranks_count(context), rank = myr_ranks_me(context);
    myr_rank_message m[2];
    int count = 0;
    if (received > 0)
        m[count++] = (myr_rank_message){in, received, (rank + ranks - step) % ranks, tag, 0, NULL};
    if (sent > 0)
        m[count++] = (myr_rank_message){out, sent, (rank + step) % ranks, tag, 1, NULL};
    const myr_status status = myr_ranks_start(context, m, count);
    return status ? status : myr_ranks_finish(context, m, count);
}

static myr_status ranks_move(myr_context *context, void *bytes, size_t size, int peer, int sending)
{
    myr_rank_message m = {bytes, size, peer, RANKS_TAG, sending, NULL};
    const myr_status status = size ? myr_ranks_start(context, &m, 1) : MYR_OK;
    return status || !size ? status : myr_ranks_finish(context, &m, 1);
}

myr_status myr_ranks_gather(myr_context *context, const void *bytes, size_t size, void *all)
{
    const int count = myr_ranks_count(context), rank = myr_ranks_me(context);
    int64_t *sizes = malloc((size_t)count * sizeof *sizes);
    if (!sizes)
        return myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %d ranks", count);
    myr_status status = myr_ranks_all(context, (int64_t)size, sizes);
    if (!status && rank != 0)
        status = ranks_move(context, (void *)bytes, size, 0, 1);
    for (int k = 0; !status && rank == 0 && k < count; k++) {
        if (k > 0)
            status = ranks_move(context, all, (size_t)sizes[k], k, 0);
        else if (size)
            memcpy(all, bytes, size);
        all = (char *)all + sizes[k];
    }
    free(sizes);
    return status;
}
