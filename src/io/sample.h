/* sample.h - selects a subset of the particles of a file, the same subset in every file with these particles: those
 * whose ids have the smallest hashes. */
#ifndef MYR_IO_SAMPLE_H
#define MYR_IO_SAMPLE_H

#include <myriad/particles.h>

typedef struct {
    uint64_t key;
    int64_t id, row;
} myr_sample_entry;

typedef struct {
    int64_t most, count;
    myr_sample_entry *entry; /* heap with the largest key first; after sorting, in file order */
} myr_sample;

/* Allocates the selection of at most `most` particles; 0 if memory is short. */
int myr_sample_open(myr_sample *sample, int64_t most);
void myr_sample_close(myr_sample *sample);

/* Offers a particle of the file; the result does not depend on the order. */
void myr_sample_add(myr_sample *sample, int64_t id, int64_t row);

/* Sorts the selection in file order, after all particles were offered. */
void myr_sample_sort(myr_sample *sample);

/* Reduces a set to `most` of its particles. */
myr_status myr_sample_thin(myr_particles **particles, int64_t most);

#endif
