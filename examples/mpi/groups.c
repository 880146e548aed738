/* groups.c - a program with an MPI of its own: its processes form groups, and each group makes one simulation of an
 * ensemble on a communicator of the program.
 *
 *   mpicc groups.c -o groups $(pkg-config --cflags --libs myriad) -lm
 *   mpirun -np 4 ./groups 2        two groups of two processes: a star cluster with the seed 1, one with the seed 2
 *
 * Rank 0 of a group leads its simulation and the others follow. The results have the same bits for any number of
 * processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <myriad/myriad.h>

enum { STARS = 256, STEPS = 16 };

static void check(myr_context *context, myr_status status)
{
    if (status == MYR_OK)
        return;
    fprintf(stderr, "%s\n", myr_context_message(context));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static myr_simulation *cluster(myr_context *context, uint64_t seed)
{
    myr_model_spec *spec;
    myr_particles *stars;
    myr_interaction *gravity;
    myr_simulation *s;
    check(context, myr_model_spec_create(context, "plummer", &spec));
    check(context, myr_model_spec_make(spec, STARS, seed, &stars));
    myr_model_spec_destroy(&spec);
    check(context, myr_interaction_create(context, "gravity", &gravity));
    check(context, myr_interaction_choose(gravity, "accumulator", "fixed"));
    check(context, myr_interaction_set(gravity, "eps", 1.0 / 64));
    check(context, myr_simulation_create(context, stars, gravity, &s));
    check(context, myr_simulation_choose(s, "leapfrog"));
    check(context, myr_simulation_set(s, "dt", 1.0 / 128));
    return s;
}

/* One member of the ensemble, on the ranks of a group; the hash of its last positions, on rank 0. */
static uint64_t run(MPI_Comm group, uint64_t seed)
{
    myr_context *context;
    const myr_particles *now;
    uint64_t hash = 0;
    if (myr_context_create(&context) != MYR_OK)
        MPI_Abort(MPI_COMM_WORLD, 1);
    check(context, myr_ranks_open_communicator(context, &group));
    myr_simulation *s = cluster(context, seed);
    if (myr_ranks_me(context) > 0) {
        check(context, myr_simulation_follow(s)); /* until rank 0 destroys its simulation */
    } else {
        for (int k = 0; k < STEPS; k++)
            check(context, myr_simulation_step(s, 1));
        check(context, myr_simulation_particles(s, &now));
        check(context, myr_particles_hash(now, "position", &hash));
    }
    myr_simulation_destroy(&s);
    myr_context_destroy(&context); /* before MPI_Finalize */
    return hash;
}

int main(int argc, char **argv)
{
    int rank, ranks, provided, member;
    MPI_Comm group;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided); /* threads of Myriad need FUNNELED or more */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int groups = argc > 1 ? atoi(argv[1]) : 1;
    if (groups < 1 || groups > ranks) {
        if (rank == 0)
            fprintf(stderr, "usage: mpirun -np P groups G, with G from 1 to P\n");
        MPI_Finalize();
        return 2;
    }
    const int mine = (int)((long)rank * groups / ranks);
    MPI_Comm_split(MPI_COMM_WORLD, mine, rank, &group);
    const uint64_t hash = run(group, (uint64_t)mine + 1);

    /* the leaders' hashes, in the order of their groups */
    MPI_Comm leaders;
    MPI_Comm_rank(group, &member);
    MPI_Comm_split(MPI_COMM_WORLD, member == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
    if (leaders != MPI_COMM_NULL) {
        uint64_t *all = malloc((size_t)groups * sizeof *all);
        MPI_Gather(&hash, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, leaders);
        for (int k = 0; all && rank == 0 && k < groups; k++)
            printf("seed %d: %016llx\n", k + 1, (unsigned long long)all[k]);
        free(all);
        MPI_Comm_free(&leaders);
    }
    MPI_Comm_free(&group);
    MPI_Finalize();
    return 0;
}
