/* sample.h - some of the particles of a file, the same ones of every file that has them: those whose ids have the
 * smallest hashes. */
#ifndef MYR_IO_SAMPLE_H
#define MYR_IO_SAMPLE_H

#include <myriad/particles.h>

typedef struct {
    uint64_t key;
    int64_t id, row;
} myr_sample_entry;

typedef struct {
    int64_t most, count;
    myr_sample_entry *entry; /* a heap, the largest key first; when it has been sorted, in the order of the file */
} myr_sample;

/* 0 where memory is short. */
int myr_sample_open(myr_sample *sample, int64_t most);
void myr_sample_close(myr_sample *sample);

/* A particle of the file, whoever comes first. */
void myr_sample_add(myr_sample *sample, int64_t id, int64_t row);

/* When all have been added. */
void myr_sample_sort(myr_sample *sample);

/* Leaves only `most` of the particles of a set. */
myr_status myr_sample_thin(myr_particles **particles, int64_t most);

#endif
