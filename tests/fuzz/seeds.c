/* seeds.c - for libFuzzer: with MYRIAD_FUZZ_SEEDS=FOLDER a harness writes its seeds there and ends. */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/fuzz.h"

enum { ROOM = 1 << 18 };

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static uint8_t buffer[ROOM];
    const char *folder = getenv("MYRIAD_FUZZ_SEEDS");
    char path[4096];
    size_t size;
    (void)argc;
    (void)argv;
    if (!folder)
        return 0;
    for (int k = 0; (size = fuzz_seed(k, buffer, sizeof buffer)) > 0; k++) {
        snprintf(path, sizeof path, "%s/seed%d", folder, k);
        FILE *f = fopen(path, "wb");
        const int failed = !f || fwrite(buffer, 1, size, f) != size;
        if ((f && fclose(f) != 0) || failed) {
            fprintf(stderr, "%s cannot be written\n", path);
            exit(1);
        }
    }
    exit(0);
}
