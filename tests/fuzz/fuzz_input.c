/* fuzz_input.c - the reader of input files against any bytes: no crash, no unbounded memory.
 *
 *   clang -fsanitize=fuzzer,address ... -DMYR_FUZZER   a libFuzzer target
 *   fuzz_input [-seconds S] FILE...                    replays files, then changes them at random for S seconds
 *
 * What is accepted must also survive being written as an effective input and read again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes an accepted input and reads it back: that must be accepted, too. */
static void fuzz_again(const input *in)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&bytes, &size);
    if (!memory)
        return;
    input_write(in, memory);
    fclose(memory);
    input *again = input_from_bytes("again", bytes, size, NULL);
    if (!again || again->tree->errors > 0) {
        fprintf(stderr, "an effective input is refused:\n%s\n", bytes);
        if (again)
            tree_report(again->tree);
        abort();
    }
    input_destroy(&again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input *in = input_from_bytes("fuzz", (const char *)data, size, NULL);
    if (in && in->tree->errors == 0)
        fuzz_again(in);
    input_destroy(&in);
    return 0;
}

#ifndef MYR_FUZZER

enum { FILES_MAX = 64, EDITS_MAX = 8 };

typedef struct {
    uint8_t *bytes;
    size_t size;
} sample;

static uint64_t random_state = 1;

static size_t random_below(size_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return n ? (size_t)((z ^ z >> 31) % n) : 0;
}

static int read_sample(const char *path, sample *s)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 1;
    s->bytes = malloc(TREE_BYTES_MAX + 1);
    s->size = s->bytes ? fread(s->bytes, 1, TREE_BYTES_MAX + 1, file) : 0;
    fclose(file);
    return !s->bytes;
}

/* Changes a byte, cuts a piece out, doubles a piece, or puts in a word that means something here. */
static void edit(uint8_t *bytes, size_t *size, size_t room)
{
    static const char *const words[] = {"- ", ": ", "[", "]", "{", "}", "&a ", "*a", "!!str ", "\"", "'", "|\n", ">\n", "\n",
                                        "  ", "#", "? ", "---\n", "...\n", "%YAML 1.2\n", "<<: ", "1e999", "10 kpc", "km/s^",
                                        "auto", "none", "-0", "0x1", "nan", "~", "\xc3\xa9", "\xff", "\\x00", "=", ","};
    const size_t at = random_below(*size + 1), length = random_below(16);
    switch (random_below(5)) {
    case 0:
        if (at < *size)
            bytes[at] = (uint8_t)random_below(256);
        break;
    case 1:
        if (at + length < *size) {
            memmove(bytes + at, bytes + at + length, *size - at - length);
            *size -= length;
        }
        break;
    case 2:
        if (at + length < *size && *size + length < room) {
            memmove(bytes + at + length, bytes + at, *size - at);
            *size += length;
        }
        break;
    default: {
        const char *word = words[random_below(sizeof words / sizeof words[0])];
        const size_t extra = strlen(word);
        if (*size + extra < room) {
            memmove(bytes + at + extra, bytes + at, *size - at);
            memcpy(bytes + at, word, extra);
            *size += extra;
        }
    }
    }
}

int main(int argc, char **argv)
{
    static uint8_t buffer[1 << 16];
    sample samples[FILES_MAX] = {{0}};
    double seconds = 0;
    int count = 0;
    long tried = 0;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-seconds") == 0 && k + 1 < argc)
            seconds = atof(argv[++k]);
        else if (count < FILES_MAX && read_sample(argv[k], &samples[count]) == 0)
            count++;
        else
            return fprintf(stderr, "%s cannot be read\n", argv[k]), 1;
    }
    for (int k = 0; k < count; k++)
        LLVMFuzzerTestOneInput(samples[k].bytes, samples[k].size);
    for (const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC); count > 0 && clock() < end; tried++) {
        const sample *s = &samples[random_below((size_t)count)];
        size_t size = s->size < sizeof buffer / 2 ? s->size : sizeof buffer / 2;
        memcpy(buffer, s->bytes, size);
        for (size_t e = 1 + random_below(EDITS_MAX); e > 0; e--)
            edit(buffer, &size, sizeof buffer);
        LLVMFuzzerTestOneInput(buffer, size);
    }
    for (int k = 0; k < count; k++)
        free(samples[k].bytes);
    printf("%d files, %ld changed ones\n", count, tried);
    return count > 0 ? 0 : 1;
}

#endif
