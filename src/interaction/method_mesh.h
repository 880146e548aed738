/* method_mesh.h - method mesh of an interaction: what processor and GPU share. */
#ifndef MYR_INTERACTION_METHOD_MESH_H
#define MYR_INTERACTION_METHOD_MESH_H

#include "interaction/interaction.h"
#include "method/mesh/mesh_gpu.h"
#include "method/mesh/mesh_vortex.h"

/* A kernel with a mesh: parts of velocity gradient g_ab = d u_a/d x_b and its transpose in the stretching. */
typedef struct {
    const char *name;
    int velocity; /* 1 = the first three outputs are the velocity */
    double classical, transposed;
} myr_mesh_form;

/* Particles of a problem in double: sources with strengths, and targets. */
typedef struct {
    const myr_direct *problem;
    const myr_mesh_form *form;
    int64_t n, m;
    double *memory, *x[3], *strength[3], *at[3], core;
    double own; /* K(0) of the core: the gradient of an element's own velocity is own times its strength */
    int same;   /* 1 = targets are the sources, in their order */
    double *const *value;
} myr_mesh_problem;

/* State of the method. */
struct myr_method_mesh {
    myr_mesh_question question; /* of the choice below */
    myr_mesh_choice choice;
    myr_mesh *mesh;
    const myr_gpu *gpu;    /* of `device` */
    myr_cuda_mesh *device; /* mesh on a GPU; null = none */
    myr_mesh_choice device_choice;
    double device_edge[3];
    int device_in_double;
    int in_double; /* 1 = floats of a GPU were too coarse for the particles of `question` */
};

/* Phases of an evaluation; their names. */
enum { MYR_MESH_PLACE, MYR_MESH_SPREAD, MYR_MESH_TRANSFORM, MYR_MESH_GATHER, MYR_MESH_PHASES };

/* Returns 1 if the form stretches. */
int myr_mesh_form_stretches(const myr_mesh_form *form);

/* Chooses a mesh for the tolerance and the present core into method_state.mesh, or refuses. */
myr_status myr_method_mesh_choose(myr_interaction *f, const myr_mesh_problem *p, int on_gpu);

/* Stretching of a target by its own Gaussian in the gathered gradient, a rotation, which kernels leave out: to be added
 * to the classical form, and subtracted from the transposed one. */
void myr_mesh_problem_turn(const myr_mesh_problem *p, int64_t target, double turn[3]);

/* Strength of a target. */
void myr_mesh_problem_strength(const myr_mesh_problem *p, int64_t target, double strength[3]);

/* Stores times and sizes of an evaluation. */
void myr_method_mesh_keep(myr_interaction *f, const myr_mesh_choice *choice, int in_double, int64_t bytes,
                          const double *seconds);

/* Most sources of a measurement by Ewald sums, which take seconds for more; a finer mesh in double is used beyond. */
enum { MYR_MESH_PAIRS = 20000 };

/* Velocities and gradients of picked targets, much more exact than the tolerance. */
myr_status myr_method_mesh_reference(const myr_interaction *f, const myr_mesh_problem *p, int64_t samples,
                                     const int64_t *pick, double (*sum)[12]);

/* On a GPU: all sums of a problem into p->value; those of a sample of targets to a hundredth of the tolerance, in
 * double; particles of a motion. */
myr_status myr_method_mesh_gpu_sums(myr_interaction *f, const myr_gpu *gpu, myr_mesh_problem *p);
myr_status myr_method_mesh_gpu_reference(myr_interaction *f, const myr_gpu *gpu, const myr_mesh_problem *p,
                                         int64_t samples, const int64_t *pick, double (*right)[6]);
myr_status myr_method_mesh_gpu_motion(myr_interaction *f, const myr_gpu *gpu, const myr_mesh_problem *p,
                                      const myr_cuda_motion_set *set, myr_cuda_motion **motion);
void myr_method_mesh_gpu_close(struct myr_method_mesh *mesh);

#endif
