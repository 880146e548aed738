/* scene.h - particles and an interaction from the words of a command line. */
#ifndef MYR_CLI_SCENE_H
#define MYR_CLI_SCENE_H

#include "args.h"
#include "cli.h"
#include "progress.h"

/* What is asked for. A null word or a NaN leaves the library's default. A file replaces the model. */
typedef struct {
    const char *model, *file, *kernel, *accumulator, *arithmetic, *method, *backend, *isa, *softening;
    int64_t n, seed, threads, types, splits, coincident;
    double eps, G, tolerance, order, separation, theta, part, group, leaf;
    args_list params;  /* "name=value" */
    args_list columns; /* of the file, as in particles.columns */
    int quiet;
} scene_options;

typedef struct {
    myr_context *context;
    myr_particles *particles;
    myr_interaction *interaction;
    const myr_kernel_info *kernel;
    int from_source, compiled; /* a kernel that a user wrote; whether its loops had to be compiled */
    double compile_seconds;
    progress progress;
} scene;

/* Makes everything; prints the error and gives the exit code where that fails. scene_destroy in any case. */
int scene_create(const scene_options *options, scene *s);

/* Frees everything. */
void scene_destroy(scene *s);

/* Sets a parameter of an interaction from "name=value". */
int scene_set_param(myr_context *context, myr_interaction *interaction, const char *text);

/* Sets the tables per pair of types of an interaction: epsilon at random in [0.5, 1.5), sigma in [0.8, 1) of
 * `length`, both symmetric. Does nothing for a kernel without tables. */
int scene_fill_tables(myr_context *context, myr_interaction *interaction, const myr_kernel_info *kernel, int types,
                      double length, uint64_t seed);

/* Numbers in [0, 1), one after another from a state (splitmix64), which each adds SCENE_STRIDE to. */
#define SCENE_STRIDE UINT64_C(0x9e3779b97f4a7c15)
double scene_random(uint64_t *state);

#endif
