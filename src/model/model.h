/* model.h - interface of a model, which one file of this folder implements, and functions that models share. */
#ifndef MYR_MODEL_H
#define MYR_MODEL_H

#include <stdint.h>

#include <myriad/model.h>

#include "model/table.h"

#define MYR_PI 3.14159265358979323846
#define MYR_HUGE 1e300 /* bound of an unbounded parameter */

enum { MYR_MODEL_OWN = 20, MYR_MODEL_PARAMETERS = 40, MYR_MODEL_OPTIONS = 8 };

/* Parameter with its dimension, one of the names in the public model.h. */
typedef struct {
    myr_parameter_info info;
    const char *dimension;
} myr_model_parameter_entry;

#define MYR_NUMBER "plain number"
#define MYR_LENGTH "length"
#define MYR_MASS "mass"
#define MYR_VELOCITY "velocity"
#define MYR_RATE "rate"
#define MYR_ACCELERATION "acceleration"
#define MYR_TEMPERATURE "temperature"         /* k T, an energy */
#define MYR_CIRCULATION "kinematic viscosity" /* circulation has the dimension of a kinematic viscosity */
#define MYR_WAVE_NUMBER "inverse length"
#define MYR_PER_VOLUME "number density"
#define MYR_GRAVITY "constant of gravity"

/* Arrays that a model fills: rows [first, first + n) of `all` particles, one array per component. All arrays are zero
 * on entry, except mass, which holds the mass of the particle in units of the total: 1/all, or drawn from a mass
 * function. A model that cannot be made in rows gets all particles. */
typedef struct {
    int64_t n, first, all;
    int shared; /* 1 = all ranks of the context make rows of the same model */
    uint64_t seed;
    const double *value; /* the model's own parameters, in the order of its table */
    double *position[3], *velocity[3], *mass;
    int32_t *type;                     /* null unless the model has types */
    myr_particles *particles;          /* for fields that only some models add */
    const struct myr_model_spec *spec; /* for the model's options */
    myr_context *context;
} myr_model_arrays;

/* Groups of parameters that models share. A parameter of the model hides a shared one of the same name, to change its
 * default. */
enum {
    MYR_WITH_MASSES = 1,  /* masses.c: mass functions */
    MYR_WITH_SCALES = 2,  /* scales.c: G and units of length and mass */
    MYR_WITH_MOTION = 4,  /* virial.c: virial ratio, rotation, standard units */
    MYR_WITH_BINARIES = 8 /* binaries.c: pairs in place of single stars */
};

/* Description of a model: one file and one line in models.def. */
typedef struct {
    myr_choice_info info;
    myr_status (*place)(const myr_model_arrays *to);
    int (*in_rows)(const myr_model_spec *spec); /* 1 if a row can be made without the others; null = never */
    unsigned with;                              /* MYR_WITH_... */
    int typed;                                  /* 1 = particles have types */
    int takes_table;                            /* 1 = the model reads a table of numbers from a file */
    /* smallest, default and largest number of bodies; largest 0 = unlimited */
    int64_t least, usual, most;
    const char *(*name)(int64_t i);                 /* name of body i; null = bodies have no names */
    myr_model_parameter_entry param[MYR_MODEL_OWN]; /* own parameters, ended by a null name */
    myr_option_info option[3];                      /* own options, ended by a null name */
} myr_model_kind;

#define MYR_MODEL(name) extern const myr_model_kind myr_##name##_model;
#include "model/models.def"
#undef MYR_MODEL

/* Parameters and options that several models share. */
typedef struct {
    myr_model_parameter_entry param[8];
    myr_option_info option[4];
} myr_model_group;

extern const myr_model_group myr_masses_group, myr_scales_group, myr_centre_group, myr_motion_group, myr_binaries_group;

struct myr_model_spec {
    myr_context *context;
    const myr_model_kind *kind;
    double value[MYR_MODEL_PARAMETERS]; /* in the order of myr_model_parameter: own parameters first */
    const char *word[MYR_MODEL_OPTIONS];
    myr_table table; /* 0 rows if no file was read */
};

/* Table of numbers of a model description. */
const myr_table *myr_model_spec_table(const myr_model_spec *spec);

/* Model k, null past the last; and the index of a name, or -1. */
const myr_model_kind *myr_model_kind_at(int k);
int myr_model_find(const char *name);

/* Draws the masses in units of their sum; returns the sum of the masses as drawn. */
double myr_masses_draw(const myr_model_spec *spec, const myr_model_arrays *to);

/* Conversion from model units to the units of the particles: masses, then positions and velocities. `drawn` is the sum
 * of the masses as drawn. */
void myr_scales_weigh(const myr_model_spec *spec, double drawn, int64_t n, double *mass);
void myr_scales_stretch(const myr_model_spec *spec, double drawn, const myr_model_arrays *to);

/* Moves the centre of mass to rest at the origin; a single particle is not moved. */
void myr_centre_apply(const myr_model_arrays *to);

/* Reverses velocities, applies the virial ratio, adds spin, scales to standard units. */
myr_status myr_motion_apply(const myr_model_spec *spec, const myr_model_arrays *to);

/* Number of pairs among the systems that n stars form. */
int64_t myr_binaries_count(const myr_model_spec *spec, int64_t n);

/* Splits the first `pairs` systems, whose positions and velocities are at the beginning of the arrays, into pairs:
 * stars 2 s and 2 s + 1; single stars follow. `stars` has all stars with their masses. */
void myr_binaries_split(const myr_model_spec *spec, const myr_model_arrays *stars, int64_t pairs);

/* Random streams, one per purpose (core/random.h). Fields use a hash of their name instead. */
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

/* Random direction, uniform on the unit sphere. */
void myr_model_direction(uint64_t seed, uint32_t stream, uint64_t id, double unit[3]);

/* Three normal random numbers with mean 0 and variance 1. */
void myr_model_normal(uint64_t seed, uint32_t stream, uint64_t id, double value[3]);

#endif
