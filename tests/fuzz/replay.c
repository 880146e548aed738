/* replay.c - a harness without a fuzzer: replays files, then changes the seeds at random for a while.
 *
 *   fuzz_NAME [-seconds S] [FILE...]      for make test, and to look at what a fuzzer found
 *   fuzz_NAME -write FOLDER               the seeds as files, for a fuzzer to start from
 *
 * The changes are the same in every run, but for how many there is time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/fuzz.h"

enum { ROOM = 1 << 18, SEEDS_MAX = 512, EDITS_MAX = 6 };

static struct {
    uint8_t *bytes;
    size_t size;
} seed[SEEDS_MAX];
static int seeds;
static uint64_t random_state = 1;

static size_t random_below(size_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return n ? (size_t)((z ^ z >> 31) % n) : 0;
}

/* A number that readers stumble over, in 1, 2, 4 or 8 bytes. */
static void put_number(uint8_t *bytes, size_t size)
{
    static const uint64_t numbers[] = {0,          1,          63,          64,          65,         255,   256,
                                       0x7fffffff, 0x80000000, 0xffffffff,  0x100000000, 1ull << 60, -1ull, -64ull,
                                       INT64_MAX,  1ull << 63, 0x01020304u, 2,           4096};
    const size_t width = (size_t)1 << random_below(4);
    uint64_t x = numbers[random_below(sizeof numbers / sizeof numbers[0])];
    if (random_below(4) == 0)
        x = random_below(size * 2);
    if (size >= width)
        memcpy(bytes + random_below((size - width) / width + 1) * width, &x, width);
}

static void edit(uint8_t *bytes, size_t *size)
{
    const size_t at = random_below(*size), length = 1 + random_below(random_below(2) ? 8 : 200);
    const size_t from = random_below(*size);
    if (*size == 0)
        return;
    switch (random_below(7)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 1:
        bytes[at] = (uint8_t)random_below(256);
        break;
    case 2: /* cut out */
        if (at + length <= *size) {
            memmove(bytes + at, bytes + at + length, *size - at - length);
            *size -= length;
        }
        break;
    case 3: /* doubled */
        if (at + length <= *size && *size + length <= ROOM) {
            memmove(bytes + at + length, bytes + at, *size - at);
            *size += length;
        }
        break;
    case 4: /* copied to another place */
        if (at + length <= *size && from + length <= *size)
            memmove(bytes + at, bytes + from, length);
        break;
    case 5: /* cut short */
        if (random_below(4) == 0)
            *size = at;
        break;
    default:
        put_number(bytes, *size);
    }
}

static int add_seed(const uint8_t *bytes, size_t size)
{
    if (seeds == SEEDS_MAX || !(seed[seeds].bytes = malloc(size + 1)))
        return 1;
    memcpy(seed[seeds].bytes, bytes, size);
    seed[seeds++].size = size;
    return 0;
}

static int write_seeds(const char *folder)
{
    char path[4096];
    for (int k = 0; k < seeds; k++) {
        snprintf(path, sizeof path, "%s/seed%d", folder, k);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(seed[k].bytes, 1, seed[k].size, f) != seed[k].size || fclose(f) != 0)
            return fprintf(stderr, "%s cannot be written\n", path), 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static uint8_t buffer[ROOM];
    double seconds = 0;
    long tried = 0;
    size_t size;
    for (int k = 0; (size = fuzz_seed(k, buffer, sizeof buffer)) > 0; k++)
        if (add_seed(buffer, size))
            return 1;
    if (argc == 3 && strcmp(argv[1], "-write") == 0)
        return write_seeds(argv[2]);
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-seconds") == 0 && k + 1 < argc) {
            seconds = atof(argv[++k]);
            continue;
        }
        FILE *f = fopen(argv[k], "rb");
        if (!f)
            return fprintf(stderr, "%s cannot be read\n", argv[k]), 1;
        size = fread(buffer, 1, sizeof buffer, f);
        fclose(f);
        if (add_seed(buffer, size))
            return 1;
    }
    for (int k = 0; k < seeds; k++)
        LLVMFuzzerTestOneInput(seed[k].bytes, seed[k].size);
    for (const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); seeds > 0 && clock() < end; tried++) {
        const size_t k = random_below((size_t)seeds);
        size = seed[k].size;
        memcpy(buffer, seed[k].bytes, size);
        for (size_t e = 1 + random_below(EDITS_MAX); e > 0; e--)
            edit(buffer, &size);
        LLVMFuzzerTestOneInput(buffer, size);
    }
    printf("%d seeds, %ld changed ones\n", seeds, tried);
    for (int k = 0; k < seeds; k++)
        free(seed[k].bytes);
    if (seeds == 0)
        printf("skipped: this build has nothing to read here\n");
    return seeds > 0 ? 0 : 77;
}
