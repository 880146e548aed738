/* ranks_mpi.c - MPI plug-in: implements the functions of domain/ranks_plugin.h with MPI calls. */
#include <limits.h>
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "domain/ranks_plugin.h"

const myr_ranks_plugin *myr_ranks_plugin_get(void);

_Static_assert(sizeof(MPI_Request) <= sizeof(void *), "a message keeps its request in the room of a pointer");

struct myr_ranks_session {
    MPI_Comm comm; /* duplicate of the caller's communicator */
};

/* An MPI operation of our own: sums of integers that are wider than those of MPI. */
typedef struct {
    MPI_Datatype type; /* one integer */
    MPI_Op sum;
    int is_made;
} wide_kind;

enum { WIDE_WORDS = 2, WIDER_WORDS = 4 };

static wide_kind wide, wider; /* made at their first use */
static int sessions;          /* open sessions of this process */
static int finalise_last;     /* 1 = this plug-in initialised MPI, and the last session to close finalises it */

/* Number of ranks that share the memory of this machine. */
static int mpi_count_local(MPI_Comm comm, int *local)
{
    MPI_Comm machine;
    int error = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (error)
        return error;
    error = MPI_Comm_size(machine, local);
    MPI_Comm_free(&machine);
    return error;
}

/* Only the thread that called open calls MPI (MPI_THREAD_FUNNELED). */
static int mpi_initialise(void)
{
    int provided, began;
    MPI_Initialized(&began);
    if (began)
        return MPI_SUCCESS;
    finalise_last = 1;
    return MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
}

static void wide_free(wide_kind *kind)
{
    if (kind->is_made) {
        MPI_Op_free(&kind->sum);
        MPI_Type_free(&kind->type);
    }
    kind->is_made = 0;
}

static void mpi_close(myr_ranks_session *session)
{
    int ended;
    if (!session)
        return;
    sessions--;
    MPI_Finalized(&ended);
    if (!ended)
        MPI_Comm_free(&session->comm);
    free(session);
    if (!ended && sessions == 0) {
        wide_free(&wide);
        wide_free(&wider);
    }
    if (!ended && finalise_last && sessions == 0)
        MPI_Finalize();
}

/* What a session with a communicator tells. MPI errors on the duplicate are returned instead of aborting, because a
 * library must not end the program; the error handlers of the program's own communicators stay as they are. */
static int mpi_describe(myr_ranks_session *made, int *rank, int *count, int *local)
{
    int error = MPI_Comm_set_errhandler(made->comm, MPI_ERRORS_RETURN);
    if (!error)
        error = MPI_Comm_rank(made->comm, rank);
    if (!error)
        error = MPI_Comm_size(made->comm, count);
    return error ? error : mpi_count_local(made->comm, local);
}

static int mpi_open(const void *communicator, myr_ranks_session **session, int *rank, int *count, int *local)
{
    MPI_Comm from = MPI_COMM_WORLD;
    *session = NULL;
    int error = mpi_initialise();
    if (error)
        return error;
    myr_ranks_session *made = malloc(sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    if (communicator)
        memcpy(&from, communicator, sizeof from);
    error = MPI_Comm_dup(from, &made->comm);
    if (error) {
        free(made);
        return error;
    }
    sessions++;
    *session = made;
    return mpi_describe(made, rank, count, local);
}

static int mpi_split(myr_ranks_session *session, int group, myr_ranks_session **part, int *rank, int *count, int *local)
{
    *part = NULL;
    myr_ranks_session *made = malloc(sizeof *made);
    if (!made)
        return MPI_ERR_NO_MEM;
    const int error = MPI_Comm_split(session->comm, group, 0, &made->comm);
    if (error) {
        free(made);
        return error;
    }
    sessions++;
    *part = made;
    return mpi_describe(made, rank, count, local);
}

static void mpi_abort(myr_ranks_session *session, int code)
{
    MPI_Abort(session->comm, code);
}

static void mpi_text(int error, char text[MYR_RANKS_TEXT])
{
    char words[MPI_MAX_ERROR_STRING] = "unknown error";
    int length;
    MPI_Error_string(error, words, &length);
    strncpy(text, words, MYR_RANKS_TEXT - 1);
    text[MYR_RANKS_TEXT - 1] = 0;
}

#if defined OMPI_MAJOR_VERSION
static const char compiled[] = "Open MPI";
#elif defined MPICH_VERSION
static const char compiled[] = "MPICH";
#else
static const char compiled[] = "";
#endif

static int mpi_takes_device(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() != 0;
#else
    return -1;
#endif
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
static int mpi_max_start(myr_ranks_session *session, double *values, int n, void **request)
{
    MPI_Request started = MPI_REQUEST_NULL;
    const int error = MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, session->comm, &started);
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

static int mpi_any(myr_ranks_session *session, uint64_t *values, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_UINT64_T, MPI_BOR, session->comm);
}

static int mpi_sum(myr_ranks_session *session, int64_t *values, int n)
{
    return MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, MPI_SUM, session->comm);
}

__extension__ typedef unsigned __int128 wide_integer;

static void add_wide(void *from, void *to, int *n, MPI_Datatype *type)
{
    const wide_integer *term = from;
    wide_integer *sum = to;
    (void)type;
    for (int k = 0; k < *n; k++)
        sum[k] += term[k];
}

static void add_wider(void *from, void *to, int *n, MPI_Datatype *type)
{
    const uint64_t *term = from;
    uint64_t *sum = to;
    (void)type;
    for (int k = 0; k < *n; k++, term += WIDER_WORDS, sum += WIDER_WORDS) {
        wide_integer carry = 0;
        for (int w = 0; w < WIDER_WORDS; w++) {
            carry += (wide_integer)sum[w] + term[w];
            sum[w] = (uint64_t)carry;
            carry >>= 64;
        }
    }
}

static int wide_make(wide_kind *kind, int words, MPI_User_function *add)
{
    if (kind->is_made)
        return MPI_SUCCESS;
    int error = MPI_Type_contiguous(words, MPI_UINT64_T, &kind->type);
    if (!error)
        error = MPI_Type_commit(&kind->type);
    if (!error)
        error = MPI_Op_create(add, 1, &kind->sum);
    kind->is_made = !error;
    return error;
}

static int mpi_sum_wide(myr_ranks_session *session, void *values, int n)
{
    const int error = wide_make(&wide, WIDE_WORDS, add_wide);
    return error ? error : MPI_Allreduce(MPI_IN_PLACE, values, n, wide.type, wide.sum, session->comm);
}

static int mpi_sum_wider(myr_ranks_session *session, uint64_t *words, int n)
{
    const int error = wide_make(&wider, WIDER_WORDS, add_wider);
    return error ? error : MPI_Allreduce(MPI_IN_PLACE, words, n, wider.type, wider.sum, session->comm);
}

static int mpi_all(myr_ranks_session *session, int64_t value, int64_t *values)
{
    return MPI_Allgather(&value, 1, MPI_INT64_T, values, 1, MPI_INT64_T, session->comm);
}

static int mpi_collect(myr_ranks_session *session, uint64_t *words, const int *counts, const int *offsets)
{
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, words, counts, offsets, MPI_UINT64_T, session->comm);
}

static int mpi_swap(myr_ranks_session *session, const int64_t *out, int64_t *in)
{
    return MPI_Alltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, session->comm);
}

static int mpi_broadcast(myr_ranks_session *session, void *bytes, int size, int from)
{
    return MPI_Bcast(bytes, size, MPI_BYTE, from, session->comm);
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): mpi_finish waits for the requests, which the checker cannot
 * see. */
static int mpi_start(myr_ranks_session *session, myr_rank_message *message, int n)
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
            error = MPI_Isend(m->bytes, count, type, m->peer, m->tag, session->comm, &request);
        else if (!error)
            error = MPI_Irecv(m->bytes, count, type, m->peer, m->tag, session->comm, &request);
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
    .compiled = compiled,
    .open = mpi_open,
    .split = mpi_split,
    .close = mpi_close,
    .abort = mpi_abort,
    .text = mpi_text,
    .library = mpi_library,
    .takes_device = mpi_takes_device,
    .max_start = mpi_max_start,
    .max_finish = mpi_max_finish,
    .any = mpi_any,
    .sum = mpi_sum,
    .sum_wide = mpi_sum_wide,
    .sum_wider = mpi_sum_wider,
    .all = mpi_all,
    .collect = mpi_collect,
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
