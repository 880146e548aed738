/* host.c - a program with an MPI_Init of its own: half of its processes use Myriad on a communicator of theirs, and all
 * go on afterwards. usage: mpirun -np 4 host */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include <myriad/myriad.h>

enum { N = 500, STEPS = 20, TAG = 7, HALVES = 2 };

static int world_rank;

static void expect(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "rank %d: %s\n", world_rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check(myr_context *context, myr_status status)
{
    expect(status == MYR_OK, myr_context_message(context));
}

static myr_simulation *liquid(myr_context *context)
{
    const double one = 1;
    myr_particles *particles;
    myr_model_spec *spec;
    myr_interaction *f;
    myr_simulation *s;
    myr_molecular_options o = myr_molecular_defaults();
    for (int c = 0; c < 3; c++) {
        o.box[c] = cbrt(N / 0.7);
        o.origin[c] = -0.5 * o.box[c];
    }
    check(context, myr_model_spec_create(context, "fcc", &spec));
    check(context, myr_model_spec_set(spec, "density", 0.7));
    check(context, myr_model_spec_set(spec, "temperature", 2));
    check(context, myr_model_spec_make(spec, N, 5, &particles));
    myr_model_spec_destroy(&spec);
    check(context, myr_interaction_create(context, "lennard_jones", &f));
    check(context, myr_interaction_choose(f, "method", "neighbour"));
    check(context, myr_interaction_choose(f, "accumulator", "fixed"));
    check(context, myr_interaction_set(f, "cutoff", 2.5));
    check(context, myr_interaction_set_pair(f, "epsilon", 1, &one));
    check(context, myr_interaction_set_pair(f, "sigma", 1, &one));
    check(context, myr_simulation_create(context, particles, f, &s));
    check(context, myr_simulation_choose(s, "verlet"));
    check(context, myr_simulation_set(s, "dt", 0.005));
    check(context, myr_simulation_set_molecular(s, &o));
    return s;
}

/* Hash of the positions after some steps; rank 0 gives the orders and the others follow. */
static uint64_t run(myr_context *context)
{
    const myr_particles *p;
    uint64_t hash = 0;
    myr_simulation *s = liquid(context);
    if (myr_ranks_me(context) > 0)
        check(context, myr_simulation_follow(s));
    for (int k = 0; myr_ranks_me(context) == 0 && k < STEPS; k++)
        check(context, myr_simulation_step(s, 1));
    if (myr_ranks_me(context) == 0) {
        check(context, myr_simulation_particles(s, &p));
        check(context, myr_particles_hash(p, "position", &hash));
    }
    myr_simulation_destroy(&s);
    return hash;
}

/* A receive that takes any message is waiting on the communicator while Myriad works on its duplicate. */
static void use(MPI_Comm half, uint64_t alone)
{
    int rank, size, got = -1, mine;
    MPI_Request request;
    myr_context *context;
    MPI_Comm_rank(half, &rank);
    MPI_Comm_size(half, &size);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &request);
    expect(myr_context_create(&context) == MYR_OK, "no memory");
    check(context, myr_ranks_open_communicator(context, &half));
    expect(myr_ranks_count(context) == size && myr_ranks_me(context) == rank, "not the ranks of the communicator");
    expect(myr_ranks_open(context) == MYR_ERROR_VALUE, "a context joined twice");
    const uint64_t hash = run(context);
    expect(rank > 0 || hash == alone, "not the bits of one process");
    myr_context_destroy(&context);
    mine = 100 + rank;
    MPI_Send(&mine, 1, MPI_INT, (rank + 1) % size, TAG, half);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got == 100 + (rank + size - 1) % size, "the program's message was not the first on its communicator");
}

/* The other processes sleep until the users are done: some MPI libraries keep a core busy while they wait. */
static void wait_for_all(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        nanosleep(&(const struct timespec){.tv_nsec = 2000000}, NULL);
}

static void expect_alive(int count, MPI_Errhandler before)
{
    MPI_Errhandler handler;
    int ended, sum = 0, one = 1;
    MPI_Finalized(&ended);
    expect(!ended, "Myriad has finalised the MPI of the program");
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    expect(handler == before, "Myriad has changed the error handler of MPI_COMM_WORLD");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum == count, "a sum over all processes is wrong");
}

int main(int argc, char **argv)
{
    MPI_Comm half;
    MPI_Errhandler before;
    myr_context *context;
    int count, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % HALVES, 0, &half);
    if (world_rank % HALVES) {
        expect(myr_context_create(&context) == MYR_OK, "no memory");
        const uint64_t alone = run(context); /* a context that has joined nobody */
        myr_context_destroy(&context);
        for (int k = 0; k < 2; k++) /* the communicator can be used again */
            use(half, alone);
    }
    wait_for_all();
    expect_alive(count, before);
    expect(myr_context_create(&context) == MYR_OK, "no memory"); /* all processes, on a duplicate of MPI_COMM_WORLD */
    check(context, myr_ranks_open(context));
    expect(myr_ranks_count(context) == count, "not all processes have joined");
    check(context, myr_ranks_agree(context, MYR_OK));
    myr_context_destroy(&context);
    expect_alive(count, before);
    MPI_Comm_free(&half);
    MPI_Finalize();
    if (world_rank == 0)
        printf("a program with an MPI of its own: all %d processes went on\n", count);
    return 0;
}
