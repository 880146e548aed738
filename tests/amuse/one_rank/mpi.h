/* mpi.h - as much of MPI as AMUSE's ph4 calls, for one rank: for machines with a GPU and without MPI. */
#ifndef MYR_TESTS_ONE_RANK_MPI_H
#define MYR_TESTS_ONE_RANK_MPI_H

#include <stdlib.h>
#include <string.h>

typedef struct one_rank_world *MPI_Comm; /* ph4 sets it to NULL at first */
typedef int MPI_Datatype, MPI_Op, MPI_Status;

static const MPI_Comm MPI_COMM_WORLD = NULL;
enum { MPI_SUM, MPI_MIN };
enum { MPI_INT = sizeof(int), MPI_DOUBLE = sizeof(double) };

static inline int MPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return 0;
}

static inline int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}

static inline int MPI_Barrier(MPI_Comm comm)
{
    (void)comm;
    return 0;
}

static inline int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)op;
    (void)comm;
    memcpy(to, from, (size_t)count * (size_t)type);
    return 0;
}

/* Messages between ranks, of which there is one. */
static inline int MPI_Send(const void *from, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    (void)from, (void)count, (void)type, (void)to, (void)tag, (void)comm;
    abort();
}

static inline int MPI_Recv(void *into, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                           MPI_Status *status)
{
    (void)into, (void)count, (void)type, (void)from, (void)tag, (void)comm, (void)status;
    abort();
}

#endif
