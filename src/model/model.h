/* model.h - the inside of the models: what one file of this folder provides, and what they share. */
#ifndef MYR_MODEL_H
#define MYR_MODEL_H

#include <stdint.h>

#include <myriad/model.h>

#include "model/table.h"

#define MYR_PI 3.14159265358979323846
#define MYR_HUGE 1e300 /* bound of a parameter that has none */

enum { MYR_MODEL_OWN = 20, MYR_MODEL_PARAMETERS = 40, MYR_MODEL_OPTIONS = 8 };

/* A parameter with its dimension, one of the names of public model.h. */
typedef struct {
    myr_parameter_info info;
    const char *dimension;
} myr_model_parameter_entry;

#define MYR_NUMBER "plain number"
#define MYR_LENGTH "length"
#define MYR_MASS "mass"
#define MYR_VELOCITY "velocity"
#define MYR_RATE "rate"
#define MYR_TEMPERATURE "temperature"         /* k T */
#define MYR_CIRCULATION "kinematic viscosity" /* has the same dimension */
#define MYR_WAVE_NUMBER "inverse length"
#define MYR_PER_VOLUME "number density"
#define MYR_GRAVITY "constant of gravity"

/* Where a model writes: rows [first, first + n) of `all` particles, components as separate arrays. All are zero on
 * entry but mass, which is the mass of the particle in units of the total: 1/all, or drawn from a mass function. Models
 * that are not made in rows have all of them. */
typedef struct {
    int64_t n, first, all;
    int shared; /* all ranks of the context make rows of the same model */
    uint64_t seed;
    const double *value; /* the model's own parameters, in the order of its table */
    double *position[3], *velocity[3], *mass;
    int32_t *type;                     /* null unless the model is typed */
    myr_particles *particles;          /* for fields that only some models have */
    const struct myr_model_spec *spec; /* for options */
    myr_context *context;
} myr_model_arrays;

/* What models can share. A parameter of the model's own hides a shared one of the same name: another default. */
enum {
    MYR_WITH_MASSES = 1,  /* masses.c: mass functions */
    MYR_WITH_SCALES = 2,  /* scales.c: G and units of length and mass */
    MYR_WITH_MOTION = 4,  /* virial.c: virial ratio, rotation, standard units */
    MYR_WITH_BINARIES = 8 /* binaries.c: pairs in place of single stars */
};

/* A model: one file and one line in models.def. */
typedef struct {
    myr_choice_info info;
    myr_status (*place)(const myr_model_arrays *to);
    int (*in_rows)(const myr_model_spec *spec);     /* a row can be made without the others; null = it cannot */
    unsigned with;                                  /* MYR_WITH_... */
    int typed;                                      /* particles have types */
    int takes_table;                                /* a file of numbers belongs to it */
    int64_t least, usual, most;                     /* bodies; most 0 = any number */
    myr_model_parameter_entry param[MYR_MODEL_OWN]; /* ends with a null name */
    myr_option_info option[2];                      /* of its own; ends with a null name */
} myr_model_kind;

#define MYR_MODEL(name) extern const myr_model_kind myr_##name##_model;
#include "model/models.def"
#undef MYR_MODEL

/* Parameters and options that models share. */
typedef struct {
    myr_model_parameter_entry param[8];
    myr_option_info option[4];
} myr_model_group;

extern const myr_model_group myr_masses_group, myr_scales_group, myr_centre_group, myr_motion_group, myr_binaries_group;

struct myr_model_spec {
    myr_context *context;
    const myr_model_kind *kind;
    double value[MYR_MODEL_PARAMETERS]; /* in the order of myr_model_parameter: the model's own first */
    const char *word[MYR_MODEL_OPTIONS];
    myr_table table; /* without rows where none was read */
};

/* Its table. */
const myr_table *myr_model_spec_table(const myr_model_spec *spec);

/* Model k: null past the end; and the index of a name, or -1. */
const myr_model_kind *myr_model_kind_at(int k);
int myr_model_find(const char *name);

/* Draws the masses, in units of their sum; returns that sum. */
double myr_masses_draw(const myr_model_spec *spec, const myr_model_arrays *to);

/* From the model's units to those of the particles: masses, then positions and velocities. `drawn` is the sum of the
 * masses as drawn. */
void myr_scales_weigh(const myr_model_spec *spec, double drawn, int64_t n, double *mass);
void myr_scales_stretch(const myr_model_spec *spec, double drawn, const myr_model_arrays *to);

/* Brings the centre of mass to rest at the origin; one particle alone stays where it was drawn. */
void myr_centre_apply(const myr_model_arrays *to);

/* Reversed velocities, virial ratio, spin, standard units. */
myr_status myr_motion_apply(const myr_model_spec *spec, const myr_model_arrays *to);

/* How many of n stars' systems are pairs. */
int64_t myr_binaries_count(const myr_model_spec *spec, int64_t n);

/* Turns the first `pairs` of the systems whose positions and velocities are at the beginning of the arrays into pairs:
 * stars 2 s and 2 s + 1; the single ones come after. `stars` has all stars, with their masses. */
void myr_binaries_split(const myr_model_spec *spec, const myr_model_arrays *stars, int64_t pairs);

/* Streams of random numbers; each purpose has its own (core/random.h). Fields use a hash of their name. */
enum {
    MYR_STREAM_RADIUS = 1,
    MYR_STREAM_DIRECTION = 2,
    MYR_STREAM_SPEED = 3,
    MYR_STREAM_HEADING = 4,
    MYR_STREAM_MASS = 5,
    MYR_STREAM_REVERSE = 6,
    MYR_STREAM_ORBIT = 7,
    MYR_STREAM_WAVE = 8
};

/* A direction drawn evenly over the sphere. */
void myr_model_direction(uint64_t seed, uint32_t stream, uint64_t id, double unit[3]);

/* Three numbers of the normal distribution with mean 0 and variance 1. */
void myr_model_normal(uint64_t seed, uint32_t stream, uint64_t id, double value[3]);

#endif
