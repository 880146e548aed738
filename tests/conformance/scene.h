/* scene.h - particles, parameters and tables that make sense for each kernel, for tests that walk the catalogue.
 *
 * A kernel that is not in scene_rows gets random points in a unit cube and its default parameters, so that a new one is
 * tested the moment it is listed. Include after cmocka.h. */
#ifndef MYR_TEST_SCENE_H
#define MYR_TEST_SCENE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

#include "core/random.h"
#include "gpu/needs_gpu.h"
#include "isas.h"
#include "turns.h"

enum { SCENE_TYPES = 5, SCENE_OUTPUTS = 8 };

/* Where particles are: anywhere in a cube; on a lattice of unit spacing, each a little off its place, with a separate
 * set of targets in the middle between the sources; in a cube of a centimetre, with the targets half a metre away. */
typedef enum { SCENE_CUBE, SCENE_LATTICE, SCENE_OPTICS } scene_place;

/* What a suite was asked for: `PROGRAM [cuda] [KERNEL...]`. Everything by default, on the processor. */
static struct {
    int cuda;
    int kernels; /* how many are listed; 0 = all */
    char **kernel;
} scene_asked;

/* Reads the arguments; TEST_SKIPPED where a GPU was asked for and there is none. */
static inline int scene_begin(int argc, char **argv)
{
    scene_asked.cuda = argc > 1 && strcmp(argv[1], "cuda") == 0;
    scene_asked.kernels = argc - 1 - scene_asked.cuda;
    scene_asked.kernel = argv + 1 + scene_asked.cuda;
    for (int k = 0; k < scene_asked.kernels; k++)
        if (!myr_kernel_find(scene_asked.kernel[k])) {
            printf("there is no kernel '%s'\n", scene_asked.kernel[k]);
            return 1;
        }
    return scene_asked.cuda ? needs_gpu() : 0;
}

/* Kernel k of those that were asked for, or of those whose turn it is; null past the last. */
static inline const myr_kernel_info *scene_kernel(int k)
{
    for (int n = 0; !scene_asked.kernels && myr_kernel(n); n++)
        if (turns_takes(n) && k-- == 0)
            return myr_kernel(n);
    if (!scene_asked.kernels)
        return NULL;
    return k < scene_asked.kernels ? myr_kernel_find(scene_asked.kernel[k]) : NULL;
}

/* Where loops run, one after the other: the instruction sets that this machine has, or "cuda". Null past the last. */
static inline const char *scene_isa(int k)
{
    if (scene_asked.cuda)
        return k == 0 ? "cuda" : NULL;
    for (int i = 0; myr_isa(i); i++)
        if (isas_tested(myr_backend_isa(i)) && k-- == 0)
            return myr_isa(i)->name;
    return NULL;
}

/* Chooses one of those. */
static inline void scene_choose_isa(myr_interaction *f, const char *isa)
{
    const int cuda = strcmp(isa, "cuda") == 0;
    assert_int_equal(myr_interaction_choose(f, "isa", cuda ? "auto" : isa), MYR_OK);
    assert_int_equal(myr_interaction_choose(f, "backend", cuda ? "cuda" : "auto"), MYR_OK);
}

typedef struct {
    const char *kernel;
    scene_place place;
    const char *parameter; /* one that is not at its default, or null */
    double value;
} scene_row;

static const scene_row scene_rows[] = {
    {"gravity", SCENE_CUBE, "eps", 0.05},
    {"gravity_potential", SCENE_CUBE, "eps", 0.05},
    {"gravity_jerk", SCENE_CUBE, "eps", 0.05},
    {"gravity_spline", SCENE_CUBE, "h", 0.5},
    {"gravity_potential_spline", SCENE_CUBE, "h", 0.5},
    {"gravity_jerk_spline", SCENE_CUBE, "h", 0.5},
    {"lennard_jones", SCENE_LATTICE, "cutoff", 2.5},
    {"lennard_jones_potential", SCENE_LATTICE, "cutoff", 2.5},
    {"ljc_constant", SCENE_LATTICE, "coulomb", 2.0},
    {"ljc_constant_potential", SCENE_LATTICE, "coulomb", 2.0},
    {"ljc_linear", SCENE_LATTICE, "cutoff", 3.0},
    {"ljc_linear_potential", SCENE_LATTICE, "cutoff", 3.0},
    {"ljc_sigmoidal", SCENE_LATTICE, "coulomb", 20.0},
    {"ljc_sigmoidal_potential", SCENE_LATTICE, "coulomb", 20.0},
    {"sph_density", SCENE_LATTICE, NULL, 0},
    {"sph_force", SCENE_LATTICE, NULL, 0},
    {"hologram", SCENE_OPTICS, NULL, 0},
};

static inline scene_row scene_of(const char *kernel)
{
    for (size_t k = 0; k < sizeof scene_rows / sizeof *scene_rows; k++)
        if (strcmp(scene_rows[k].kernel, kernel) == 0)
            return scene_rows[k];
    return (scene_row){kernel, SCENE_CUBE, NULL, 0};
}

/* A uniform number in (0, 1) that belongs to (seed, what, i). */
static inline double scene_uniform(uint64_t seed, uint32_t what, int64_t i)
{
    double u[2];
    myr_random_uniform(seed, 1000 + what, (uint64_t)i, 0, u);
    return u[0];
}

static inline void scene_position(scene_place place, uint64_t seed, int64_t i, int64_t n, int apart, double *x)
{
    int64_t side = 1;
    while (side * side * side < n)
        side++;
    const int64_t cell[3] = {i / (side * side), i / side % side, i % side};
    for (int c = 0; c < 3; c++) {
        const double u = scene_uniform(seed, (uint32_t)c, i);
        x[c] = place == SCENE_LATTICE ? (double)cell[c] + 0.2 * (u - 0.5) : u - 0.5;
        if (place == SCENE_OPTICS)
            x[c] *= 0.01;
        if (apart && place == SCENE_LATTICE)
            x[c] += 0.5;
    }
    if (apart && place == SCENE_OPTICS)
        x[2] += 0.5;
}

/* Rounds every component of a field to what a float holds. */
static inline void scene_to_float(myr_particles *p, const char *name)
{
    double *x;
    for (int c = 0; (x = myr_particles_component(p, name, c)); c++)
        for (int64_t i = 0; i < myr_particles_count(p); i++)
            x[i] = (double)(float)x[i];
}

/* n particles with all that the kernel reads. Every field but the position holds floats, so that rounding the input is
 * no part of the error; positions too where `floats` asks for it. `apart` makes a separate set of targets. */
static inline myr_particles *scene_particles(myr_context *context, const char *kernel, int64_t n, uint64_t seed,
                                             int apart, int floats)
{
    const myr_kernel_info *k = myr_kernel_find(kernel);
    myr_particles *p;
    double *values = calloc((size_t)n * 3 + 1, sizeof *values);
    assert_non_null(values);
    assert_int_equal(myr_particles_create(context, n, &p), MYR_OK);
    for (int64_t i = 0; i < n; i++) {
        if (k->position_components == 3) {
            scene_position(scene_of(kernel).place, seed, i, n, apart, values + 3 * i);
        } else {
            values[i] = (double)(int)(100 * scene_uniform(seed, 0, i)) / 64; /* many are equal */
        }
    }
    assert_int_equal(myr_particles_set(p, k->position, k->position_components, values), MYR_OK);
    static const char *const unequal[] = {"mass", "weight_a",
                                          "weight_b"}; /* myr_model_fill would make them all alike */
    for (uint32_t u = 0; u < 3; u++) {
        for (int64_t i = 0; i < n; i++)
            values[i] = (0.5 + scene_uniform(seed, 3 + u, i)) / (double)n;
        assert_int_equal(myr_particles_set(p, unequal[u], 1, values), MYR_OK);
    }
    free(values);
    assert_int_equal(myr_model_fill(p, kernel, SCENE_TYPES, seed), MYR_OK);
    for (int f = 0; f < myr_particles_fields(p); f++)
        if (floats || strcmp(myr_particles_field_name(p, f), k->position) != 0)
            scene_to_float(p, myr_particles_field_name(p, f));
    return p;
}

/* A symmetric table around `middle`; the types 1 and 2 get `special`. */
static inline void scene_pair(myr_interaction *f, const char *name, double middle, double special)
{
    double table[SCENE_TYPES][SCENE_TYPES];
    for (int a = 0; a < SCENE_TYPES; a++)
        for (int b = 0; b < SCENE_TYPES; b++)
            table[a][b] = middle * (0.9 + 0.02 * (a + b) + 0.01 * (a == b));
    table[1][2] = table[2][1] = special;
    assert_int_equal(myr_interaction_set_pair(f, name, SCENE_TYPES, table[0]), MYR_OK);
}

/* The interaction that goes with the particles. Types 1 and 2 do not attract or repel. */
static inline myr_interaction *scene_interaction(myr_context *context, const char *kernel)
{
    const scene_row row = scene_of(kernel);
    const myr_kernel_info *k = myr_kernel_find(kernel);
    myr_interaction *f;
    assert_int_equal(myr_interaction_create(context, kernel, &f), MYR_OK);
    if (row.parameter)
        assert_int_equal(myr_interaction_set(f, row.parameter, row.value), MYR_OK);
    for (int n = 0; n < 8 && k->pair[n]; n++)
        scene_pair(f, k->pair[n], strcmp(k->pair[n], "sigma") == 0 ? 1.1 : 1.0,
                   strcmp(k->pair[n], "epsilon") == 0 ? 0.0 : 1.0);
    return f;
}

/* Each target leaves out up to four sources near it in the list, itself sometimes among them. */
static inline void scene_exclude(myr_interaction *f, int64_t targets, int64_t sources, myr_exclusion_mode mode)
{
    int64_t *offset = calloc((size_t)targets + 1, sizeof *offset);
    int64_t *partner = calloc((size_t)targets * 5 + 1, sizeof *partner);
    assert_non_null(offset);
    assert_non_null(partner);
    for (int64_t i = 0; i < targets; i++) {
        offset[i + 1] = offset[i];
        for (int64_t j = i - 2; j <= i + 2; j++)
            if (j >= 0 && j < sources && (j != i || i % 3 == 0) && i % 7 != 0)
                partner[offset[i + 1]++] = j;
    }
    assert_int_equal(myr_interaction_set_exclusions(f, targets, offset, partner, mode), MYR_OK);
    free(offset);
    free(partner);
}

/* All output components of a kernel, one after the other; returns how many. */
static inline int scene_outputs(const char *kernel, myr_particles *targets, const double **out)
{
    const myr_kernel_info *k = myr_kernel_find(kernel);
    int n = 0;
    for (int f = 0; f < 8 && k->output[f].name; f++)
        for (int c = 0; c < k->output[f].components; c++, n++) {
            out[n] = myr_particles_component(targets, k->output[f].name, c);
            assert_non_null(out[n]);
        }
    return n;
}

/* Copies all outputs to values[component * n + i]. */
static inline int scene_copy(const char *kernel, myr_particles *targets, double *values)
{
    const double *out[SCENE_OUTPUTS];
    const int64_t n = myr_particles_count(targets);
    const int outputs = scene_outputs(kernel, targets, out);
    for (int k = 0; k < outputs; k++)
        if (n)
            memcpy(values + k * n, out[k], (size_t)n * sizeof *values);
    return outputs;
}

/* Evaluates and says what went wrong, if anything did. */
static inline void scene_evaluate(myr_context *context, myr_interaction *f, myr_particles *targets,
                                  const myr_particles *sources)
{
    const myr_status status = myr_interaction_evaluate(f, targets, sources);
    if (status)
        fail_msg("%s %s %s %s: %s", myr_interaction_choice(f, "kernel"), myr_interaction_choice(f, "accumulator"),
                 myr_interaction_choice(f, "arithmetic"), myr_interaction_choice(f, "isa"),
                 myr_context_message(context));
}

#endif
