/* fuzz.h - what a harness of this folder provides, for libFuzzer or for replay.c. */
#ifndef MYR_FUZZ_H
#define MYR_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds any bytes to a reader; aborts where the reader breaks a promise. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Seed k, a good input: its bytes to `to`, at most `room`, and its size; 0 past the end. */
size_t fuzz_seed(int k, uint8_t *to, size_t room);

/* Makes bytes readable at a path, in memory where there is such a folder; the same path each time. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* Ends the program where a promise is broken. */
void fuzz_expect(int condition, const char *promise);

/* What a writer made, in a folder that goes away: `write` is called with a path. */
size_t fuzz_written(void (*write)(const char *path), const char *ending, uint8_t *to, size_t room);

#endif
