/* host.cpp - a program in C++ with an MPI_Init of its own, whose processes use Myriad on its communicator.
 * usage: mpirun -np RANKS host */
#include <cstdio>
#include <mpi.h>

#include <myriad/myriad.hpp>

/* A liquid in a box, which the ranks share; rank 0 moves it and the others follow. Returns 1 if rank 0 has reached the
 * end. */
static int moves(const myriad::Context &context)
{
    const int n = 500;
    const double one = 1;
    myriad::Interaction pairs(context, "lennard_jones");
    pairs.choose("method", "neighbour").choose("accumulator", "fixed").set("cutoff", 2.5);
    context.check(myr_interaction_set_pair(pairs, "epsilon", 1, &one));
    context.check(myr_interaction_set_pair(pairs, "sigma", 1, &one));
    myriad::Simulation motion(context, myriad::model(context, "fcc", n), std::move(pairs));
    myr_molecular_options options = myr_molecular_defaults();
    for (double &edge : options.box)
        edge = 10;
    motion.choose("verlet").set("dt", 1 / 256.);
    context.check(myr_simulation_set_molecular(motion, &options));
    if (context.rank() > 0)
        return motion.follow(), 1;
    return motion.run(0.0625).time() == 0.0625 && motion.size() == n;
}

int main(int argc, char **argv)
{
    int provided, ranks, rank, good = 0, all = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        myriad::Context context;
        context.join(MPI_COMM_WORLD);
        good = context.ranks() == ranks && context.rank() == rank && moves(context);
    } catch (const myriad::Error &error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
    }
    MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Finalize();
    return !all;
}
