/* ranks_mpi.c - MPI plug-in: implements the functions of domain/ranks_plugin.h with MPI calls. */
#include <limits.h>
#include <mpi.h>
#include <string.h>

#include "domain/ranks_plugin.h"

const myr_ranks_plugin *myr_ranks_plugin_get(void);

_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "a message keeps its request in the room of a pointer");

/* Number of ranks that share the memory of this machine. */
static int mpi_count_local(int *local)
{
    MPI_Comm machine;
    int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (error)
        return error;
    error = MPI_Comm_size(machine, local);
    MPI_Comm_free(&machine);
    return error;
}

/* Joins MPI. Only the thread that called open calls MPI (MPI_THREAD_FUNNELED). MPI errors are returned instead of
 * aborting, because a library must not end the program. */
static int mpi_open(int *rank, int *count, int *local)
{
    int provided, began;
    MPI_Initialized(&began);
    int error = began ? MPI_SUCCESS : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (!error)
        error = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!error)
        error = MPI_Comm_rank(MPI_COMM_WORLD, rank);
    if (!error)
        error = MPI_Comm_size(MPI_COMM_WORLD, count);
    return error ? error : mpi_count_local(local);
}

static void mpi_close(void)
{
    int ended;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Finalize();
}

static void mpi_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void mpi_text(int error, char text[MYR_RANKS_TEXT])
{
    char words[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;
    MPI_Error_string(error, words, &length);
    strncpy(text, words, MYR_RANKS_TEXT - 1);
    text[MYR_RANKS_TEXT - 1] = 0;
}

static void mpi_library(char text[MYR_RANKS_TEXT])
{
    char words[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(words, &length);
    words[strcspn(words, "\n,")] = 0;
    strncpy(text, words, MYR_RANKS_TEXT - 1);
    text[MYR_RANKS_TEXT - 1] = 0;
}

/* Describes `size` bytes as a count of an MPI type, because MPI counts are ints. The caller frees a type other than
 * MPI_BYTE. */
static int mpi_large(size_t size, MPI_Datatype *type, int *count)
{
    const int piece = 1 << 30;
    *type = MPI_BYTE;
    *count = (int)size;
    if (size <= INT_MAX)
        return MPI_SUCCESS;
    const int length[2] = {(int)(size / (size_t)piece), (int)(size % (size_t)piece)};
    const MPI_Aint at[2] = {0, (MPI_Aint)(size - (size_t)length[1])};
    MPI_Datatype part[2] = {MPI_BYTE, MPI_BYTE};
    int error = MPI_Type_contiguous(piece, MPI_BYTE, &part[0]);
    if (error)
        return error;
    error = MPI_Type_create_struct(2, length, at, part, type);
    if (!error)
        error = MPI_Type_commit(type);
    MPI_Type_free(&part[0]);
    *count = 1;
    return error;
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): mpi_max_finish waits for the request, which the checker cannot
 * see. */
static int mpi_max_start(double *values, int n, void **request)
{
    MPI_Request started = MPI_REQUEST_NULL;
    const int error = MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &started);
    memcpy(request, &started, sizeof started);
    return error;
}

static int mpi_max_finish(void **request, int wait, int *done)
{
    MPI_Request started;
    memcpy(&started, request, sizeof started);
    *done = 1;
    const int error = wait ? MPI_Wait(&started, MPI_STATUS_IGNORE) : MPI_Test(&started, done, MPI_STATUS_IGNORE);
    memcpy(request, &started, sizeof started);
    return error;
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

static int mpi_any(uint64_t *values, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_UINT64_T, MPI_BOR, MPI_COMM_WORLD);
}

static int mpi_sum(int64_t *values, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static int mpi_all(int64_t value, int64_t *values)
{
    return MPI_Allgather(&value, 1, MPI_INT64_T, values, 1, MPI_INT64_T, MPI_COMM_WORLD);
}

static int mpi_swap(const int64_t *out, int64_t *in)
{
    return MPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, MPI_COMM_WORLD);
}

static int mpi_broadcast(void *bytes, int size, int from)
{
    return MPI_Bcast(bytes, size, MPI_BYTE, from, MPI_COMM_WORLD);
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): mpi_finish waits for the requests, which the checker cannot
 * see. */
static int mpi_start(myr_rank_message *message, int n)
{
    int error = MPI_SUCCESS;
    for (int k = 0; k < n; k++) {
        myr_rank_message *m = message + k;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Datatype type = MPI_BYTE;
        int count = 0;
        if (!error)
            error = mpi_large(m->size, &type, &count);
        if (!error && m->sending)
            error = MPI_Isend(m->bytes, count, type, m->peer, m->tag, MPI_COMM_WORLD, &request);
        else if (!error)
            error = MPI_Irecv(m->bytes, count, type, m->peer, m->tag, MPI_COMM_WORLD, &request);
        if (type != MPI_BYTE)
            MPI_Type_free(&type);
        memcpy(&m->request, &request, sizeof request);
    }
    return error;
}

static int mpi_finish(myr_rank_message *message, int n)
{
    int error = MPI_SUCCESS;
    for (int k = 0; k < n; k++) {
        MPI_Request request;
        memcpy(&request, &message[k].request, sizeof request);
        const int one = MPI_Wait(&request, MPI_STATUS_IGNORE);
        memcpy(&message[k].request, &request, sizeof request);
        error = error ? error : one;
    }
    return error;
}

static int mpi_test(myr_rank_message *message, int n, int *done)
{
    int error = MPI_SUCCESS;
    *done = 1;
    for (int k = 0; k < n; k++) {
        MPI_Request request;
        int one_done = 0;
        memcpy(&request, &message[k].request, sizeof request);
        const int one = MPI_Test(&request, &one_done, MPI_STATUS_IGNORE);
        memcpy(&message[k].request, &request, sizeof request);
        *done &= one_done;
        error = error ? error : one;
    }
    return error;
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

static const myr_ranks_plugin plugin = {
    .abi = MYR_RANKS_ABI,
    .open = mpi_open,
    .close = mpi_close,
    .abort = mpi_abort,
    .text = mpi_text,
    .library = mpi_library,
    .max_start = mpi_max_start,
    .max_finish = mpi_max_finish,
    .any = mpi_any,
    .sum = mpi_sum,
    .all = mpi_all,
    .swap = mpi_swap,
    .broadcast = mpi_broadcast,
    .start = mpi_start,
    .finish = mpi_finish,
    .test = mpi_test,
};

__attribute__((visibility("default"))) const myr_ranks_plugin *myr_ranks_plugin_get(void)
{
    return &plugin;
}
