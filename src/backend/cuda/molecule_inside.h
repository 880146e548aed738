/* molecule_inside.h - molecules on a device, as the files that prepare and move them see them. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_INSIDE_H
#define MYR_BACKEND_CUDA_MOLECULE_INSIDE_H

#include "backend/backend.h"
#include "backend/cuda/cuda.h"
#include "backend/cuda/molecule_args.h"

enum { MOLECULE_ROOMS = 80 };

struct myr_cuda_molecule {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* device with its own stream */
    int64_t replicas, n, padded;
    cudaLibrary_t library;
    cudaKernel_t kernel;
    void *room[MOLECULE_ROOMS]; /* device memory, freed at the end */
    int rooms;
    size_t bytes;
    myr_molecule_steps all;  /* arguments of launches */
    myr_molecule_one *one;   /* [replicas], host copy */
    myr_molecule_one *first; /* [replicas]: what the first launch of a call was given */
    box_chain *chain;        /* [replicas]: states of the thermostats after the last steps */
    uint64_t *kept_q;        /* state at the start of a call, to which replicas return that need the processor */
    double *kept_v, *kept_f;
    char *stage; /* host's copies of box coordinates, velocities and forces, each [replicas][3][n], for copies */
    struct {
        myr_cuda_molecule_arrays to;
        int64_t replica;
    } * landing;      /* [replicas]: arrays that receive what is on its way to the host's copies */
    int64_t landings; /* their number */
    double *heat;
    unsigned long long *fastest;
    int64_t heats; /* steps for which there is room in these */
    int threads, targets, types;
    int resident;           /* blocks of a multiprocessor for which registers must suffice */
    int has_lanes;          /* 1 = a unit has several threads */
    int has_born;           /* 1 = there is a solvent, */
    myr_molecule_born born; /* which the device has, too */
    int clocks;             /* 1 = cycles of the phases are counted */
    size_t shared;
    cudaEvent_t mark[2];
};

myr_status cuda_molecule_check(const myr_cuda_molecule *m, cudaError_t error, const char *what);

/* Device memory, cleared; `pointer` is the address of the pointer that receives it. place: with a copy of an array of
 * the host, which must not change before the stream has done so. */
myr_status cuda_molecule_room(myr_cuda_molecule *m, void *pointer, size_t bytes);
myr_status cuda_molecule_place(myr_cuda_molecule *m, void *pointer, const void *from, size_t bytes);

/* Chooses how replicas are divided among blocks and threads, and compiles and copies everything that does not change
 * (molecule_set.c). */
myr_status cuda_molecule_prepare(myr_cuda_molecule *m, const myr_cuda_molecule_set *set);

#endif
