/* model.h - the inside of the models: what one file of this folder provides. */
#ifndef MYR_MODEL_INSIDE_H
#define MYR_MODEL_INSIDE_H

#include <stdint.h>

#include <myriad/model.h>

/* Where a model writes: n particles, components as separate arrays. All are zero on entry but mass, which is 1/n. */
typedef struct {
    int64_t n;
    uint64_t seed;
    double *position[3], *velocity[3], *mass;
} myr_model_arrays;

/* Places the particles of each model. */
#define MYR_MODEL(name, text) void myr_##name##_place(const myr_model_arrays *to);
#include "model/models.def"
#undef MYR_MODEL

/* Streams of random numbers; each purpose has its own (core/random.h). Fields use a hash of their name. */
enum { MYR_STREAM_RADIUS = 1, MYR_STREAM_DIRECTION = 2, MYR_STREAM_SPEED = 3, MYR_STREAM_HEADING = 4 };

/* A direction drawn evenly over the sphere. */
void myr_model_direction(uint64_t seed, uint32_t stream, uint64_t id, double unit[3]);

#endif
