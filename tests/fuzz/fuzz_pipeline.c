/* fuzz_pipeline.c - the reader of pipelines against any text: it refuses with file, line and column, or makes a kernel
 * whose numbers are within the bounds of kernel.h and whose header is whole. FUZZ_PIPELINES: the folder of examples. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pipeline/pipeline.h"

enum { FUZZ_BYTES_MAX = 1 << 14 };

static void check_kernel(const myr_pipeline *p)
{
    for (int with = 0; with < 2 && myr_pipeline_desc(p, with); with++) {
        const myr_kernel_desc *d = myr_pipeline_desc(p, with);
        int outputs = 0, k = 0;
        for (; k <= MYR_KERNEL_OUTPUT_FIELDS && d->output[k].name; k++)
            outputs += d->output[k].components;
        fuzz_expect(k >= 1 && k <= MYR_KERNEL_OUTPUT_FIELDS && outputs <= MYR_KERNEL_OUTPUTS_MAX, "outputs in bounds");
        fuzz_expect(d->coords >= 1 && d->coords <= MYR_KERNEL_COORDS_MAX, "a position in bounds");
        for (k = 0; k < MYR_KERNEL_PARAMETERS && d->parameter[k].name;)
            k++;
        fuzz_expect(k < MYR_KERNEL_PARAMETERS, "the list of parameters ends");
    }
    char *header = myr_pipeline_header(p);
    fuzz_expect(header && strstr(header, "#undef PIPE_VALUE"), "a whole header");
    free(header);
}

/* 1 where the bytes are accepted. */
static int try_bytes(const uint8_t *data, size_t size)
{
    char message[512], *text = malloc(size + 1);
    if (!text || size > FUZZ_BYTES_MAX) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    myr_pipeline *p = myr_pipeline_create("f.pipe", text, message, sizeof message);
    int line, column;
    fuzz_expect(p || sscanf(message, "f.pipe:%d:%d: ", &line, &column) == 2, "an error says where");
    if (p)
        check_kernel(p);
    const int accepted = p != NULL;
    myr_pipeline_destroy(&p);
    free(text);
    return accepted;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    return 0;
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    static const char *const names[] = {"gravity", "yukawa", "morse", "sph", "point_vortex", "gauss"};
    char path[512];
    if (k >= (int)(sizeof names / sizeof *names))
        return 0;
    snprintf(path, sizeof path, FUZZ_PIPELINES "/%s.pipe", names[k]);
    FILE *f = fopen(path, "rb");
    fuzz_expect(f != NULL, "the examples are there");
    const size_t size = fread(to, 1, room, f);
    fclose(f);
    fuzz_expect(try_bytes(to, size), "an example is accepted");
    return size;
}
