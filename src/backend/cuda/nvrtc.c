/* nvrtc.c - programs for a GPU: the texts of the loops embedded in the library, compiled by NVRTC for the present GPU
 * at the first use of a combination, and kept on disk (core/cache.h). The instructions of a GPU are known only at run
 * time: each GPU from compute capability 7.5 on gets its own code, and the build needs no compiler for GPUs. */
#include <nvrtc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"

/* Stand-ins for the C library headers that the texts include. */
static const char stdint_text[] = "#pragma once\n"
                                  "typedef signed char int8_t;\n"
                                  "typedef unsigned char uint8_t;\n"
                                  "typedef int int32_t;\n"
                                  "typedef unsigned int uint32_t;\n"
                                  "typedef long long int64_t;\n"
                                  "typedef unsigned long long uint64_t;\n"
                                  "typedef unsigned long size_t;\n"
                                  "#define INT64_MAX 0x7fffffffffffffffll\n";
static const char math_text[] = "#pragma once\n"
                                "#define INFINITY __int_as_float(0x7f800000)\n"
                                "#define NAN __int_as_float(0x7fffffff)\n";
static const char empty_text[] = "";

enum { STANDARD = 4, USER_HEADER = 1 };
static const char *const standard_name[STANDARD] = {"stdint.h", "math.h", "string.h", "stddef.h"};
static const char *const standard_text[STANDARD] = {stdint_text, math_text, empty_text, empty_text};

/* Text that includes all others. */
static char *variant_text(const cuda_variant *v)
{
    enum { ROOM = 1024 };
    char *text = malloc(ROOM);
    if (text)
        snprintf(text, ROOM,
                 "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"%s%s\"\n#define MYR_ARITH %d\n"
                 "#define MYR_LANE_BYTES 0\n#define MYR_ACC_NAME %s\n#define MYR_ACC_FILE \"accumulator/%s.h\"\n"
                 "#define CUDA_FOLD %d\n#define CUDA_SLICES %d\n#define CUDA_TARGETS %d\n#define CUDA_STEPS %d\n"
                 "#define CUDA_CAREFUL %d\n#define CUDA_CARRY %d\n#define CUDA_TABLE %d\n#define CUDA_TYPES %d\n"
                 "#define CUDA_THREADS %d\n"
                 "#define CUDA_BLOCKS %d\n#define CUDA_RESIDENT %d\n#define CUDA_OUTPUTS %d\n#define "
                 "MYR_KERNEL_UNLIMITED %d\n#define MYR_KERNEL_EQUAL %d\n"
                 "#include \"backend/cuda/%s.cuh\"\n",
                 v->kernel, v->kernel_text ? "" : "kernel/", v->kernel_text ? "user_kernel.h" : v->kernel_file,
                 v->arithmetic, v->loop, v->loop, v->fold, v->slices, v->targets, v->steps, v->careful, v->carry,
                 v->table, v->types, v->threads, v->blocks, v->resident, v->outputs, v->unlimited, v->equal,
                 v->motion ? "motion" : "sweep");
    return text;
}

/* Input of NVRTC: the library's texts, the stand-ins for the C library, and a user's kernel. */
typedef struct {
    int count;
    const char **name, **text;
    char architecture[40];
    const char *option[8];
    int options;
} compile_input;

static int compile_prepare(const myr_cuda *cuda, const cuda_device *d, const char *user_kernel, compile_input *in)
{
    int sources;
    const myr_source *source = cuda->host->sources(&sources);
    memset(in, 0, sizeof *in);
    const size_t most = (size_t)sources + STANDARD + USER_HEADER;
    in->name = calloc(most, sizeof *in->name);
    in->text = calloc(most, sizeof *in->text);
    if (!in->name || !in->text)
        return 0;
    for (int k = 0; k < sources; k++, in->count++) {
        in->name[in->count] = source[k].name;
        in->text[in->count] = source[k].text;
    }
    for (int k = 0; k < STANDARD; k++, in->count++) {
        in->name[in->count] = standard_name[k];
        in->text[in->count] = standard_text[k];
    }
    if (user_kernel) {
        in->name[in->count] = "user_kernel.h";
        in->text[in->count++] = user_kernel;
    }
    snprintf(in->architecture, sizeof in->architecture, "--gpu-architecture=sm_%d%d", d->properties.major,
             d->properties.minor);
    in->option[in->options++] = in->architecture;
    in->option[in->options++] = "-std=c++20";
    in->option[in->options++] = "--fmad=false"; /* multiply-adds are fused only where a formula says so */
    in->option[in->options++] = "-default-device";
    in->option[in->options++] = "--device-int128";
    return 1;
}

static void compile_release(compile_input *in)
{
    free(in->name);
    free(in->text);
}

static myr_status compile_check(const myr_cuda *cuda, myr_context *context, nvrtcResult result, const char *what)
{
    if (result == NVRTC_SUCCESS)
        return MYR_OK;
    return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE, "GPU: %s: %s", what, nvrtcGetErrorString(result));
}

/* Fails with the first lines of the compiler's log. */
static myr_status compile_complain(const myr_cuda *cuda, myr_context *context, const char *what, nvrtcProgram program)
{
    size_t size = 0;
    char *log = NULL;
    if (nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && (log = calloc(1, size + 1)))
        (void)nvrtcGetProgramLog(program, log);
    const myr_status status =
        cuda->host->fail(context, MYR_ERROR_COMBINATION, "GPU: %s does not compile:\n%.700s", what, log ? log : "");
    free(log);
    return status;
}

/* Compiles to machine code; the caller frees it. A GPU newer than the compiler gets intermediate code. */
static myr_status compile_now(const myr_cuda *cuda, myr_context *context, const char *what, const char *text,
                              compile_input *in, void **code, size_t *size)
{
    nvrtcProgram program;
    myr_status status =
        compile_check(cuda, context, nvrtcCreateProgram(&program, text, "tile.cu", in->count, in->text, in->name),
                      "starting the compiler");
    if (status)
        return status;
    nvrtcResult result = nvrtcCompileProgram(program, in->options, in->option);
    int machine_code = 1;
    if (result == NVRTC_ERROR_INVALID_OPTION) {
        in->option[0] = "--gpu-architecture=compute_90";
        machine_code = 0;
        result = nvrtcCompileProgram(program, in->options, in->option);
    }
    if (result == NVRTC_ERROR_COMPILATION)
        status = compile_complain(cuda, context, what, program);
    else
        status = compile_check(cuda, context, result, "compiling");
    if (!status)
        status = compile_check(cuda, context,
                               machine_code ? nvrtcGetCUBINSize(program, size) : nvrtcGetPTXSize(program, size),
                               "compiling");
    if (!status && !(*code = malloc(*size)))
        status = cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory for a program of %zu bytes", *size);
    if (!status)
        status = compile_check(cuda, context,
                               machine_code ? nvrtcGetCUBIN(program, *code) : nvrtcGetPTX(program, *code), "compiling");
    (void)nvrtcDestroyProgram(&program);
    return status;
}

/* Cache key: a hash of everything the program depends on. */
static int compile_key(const myr_cuda *cuda, const compile_input *in, const char *text, char *key)
{
    char version[32];
    int major = 0, minor = 0, n = 0;
    const char **all = calloc((size_t)in->count + (size_t)in->options + 2, sizeof *all);
    if (!all)
        return 0;
    (void)nvrtcVersion(&major, &minor);
    snprintf(version, sizeof version, "nvrtc %d.%d", major, minor);
    all[n++] = version;
    all[n++] = text;
    for (int k = 0; k < in->options; k++)
        all[n++] = in->option[k];
    for (int k = 0; k < in->count; k++)
        all[n++] = in->text[k];
    cuda->host->cache_key(all, n, key);
    free(all);
    return 1;
}

myr_status cuda_compile(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const char *what,
                        const char *text, const char *user_kernel, void **code, size_t *size)
{
    char key[64], message[256];
    compile_input in;
    *code = NULL;
    if (!compile_prepare(cuda, device, user_kernel, &in) || !compile_key(cuda, &in, text, key)) {
        compile_release(&in);
        return cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory to compile %s", what);
    }
    myr_status status = MYR_OK;
    if (!cuda->host->cache_read(key, "cubin", code, size)) {
        status = compile_now(cuda, context, what, text, &in, code, size);
        if (!status)
            /* on failure it is compiled again next time */
            (void)cuda->host->cache_write(key, "cubin", *code, *size, message, sizeof message);
    }
    compile_release(&in);
    return status;
}

myr_status cuda_compile_variant(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                                const cuda_variant *variant, void **code, size_t *size)
{
    char what[160], *text = variant_text(variant);
    snprintf(what, sizeof what, "kernel %s with accumulator %s", variant->kernel, variant->loop);
    const myr_status status = text ? cuda_compile(cuda, context, device, what, text, variant->kernel_text, code, size)
                                   : cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory to compile %s", what);
    free(text);
    return status;
}

static myr_status program_load(const myr_cuda *cuda, myr_context *context, cuda_program *p, const void *code,
                               int motion)
{
    myr_status status = cuda_check(cuda, context, cudaLibraryLoadData(&p->library, code, NULL, NULL, 0, NULL, NULL, 0),
                                   "loading a program");
    if (!status && motion < 2)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->sweep, p->library, "sweep"), "loading sweep");
    if (!status && motion < 2)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->finish, p->library, "finish"), "loading finish");
    if (!status && motion < 2)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->pack, p->library, "pack"), "loading pack");
    if (!status && motion == 1)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->move, p->library, "move"), "loading move");
    if (!status && motion == 2)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->hermite, p->library, "hermite"), "loading hermite");
    if (!status && motion == 2)
        status = cuda_check(cuda, context, cudaLibraryGetKernel(&p->undo, p->library, "undo"), "loading undo");
    return status;
}

static void program_free(cuda_program *p)
{
    if (p->library)
        (void)cudaLibraryUnload(p->library);
    free(p->names);
    free(p);
}

/* Returns 1 if two variants are the same program; within a context a kernel's name identifies its text. */
static int variant_equal(const cuda_variant *a, const cuda_variant *b)
{
    const size_t first = offsetof(cuda_variant, arithmetic), end = offsetof(cuda_variant, motion) + sizeof a->motion;
    return memcmp((const char *)a + first, (const char *)b + first, end - first) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && strcmp(a->loop, b->loop) == 0;
}

/* Copies a variant into its program, because the creator may be gone before the program. */
static int variant_keep(cuda_program *p, const cuda_variant *v)
{
    const size_t kernel = strlen(v->kernel) + 1, loop = strlen(v->loop) + 1;
    p->names = malloc(kernel + loop);
    if (!p->names)
        return 0;
    p->variant = *v;
    p->variant.kernel = memcpy(p->names, v->kernel, kernel);
    p->variant.loop = memcpy(p->names + kernel, v->loop, loop);
    p->variant.kernel_text = p->variant.kernel_file = NULL;
    return 1;
}

myr_status cuda_program_get(myr_cuda *cuda, myr_context *context, cuda_device *device, const cuda_variant *variant,
                            const cuda_program **program)
{
    void *code = NULL;
    size_t size = 0;
    for (cuda_program *p = device->programs; p; p = p->next)
        if (variant_equal(&p->variant, variant)) {
            *program = p;
            return MYR_OK;
        }
    cuda_program *p = calloc(1, sizeof *p);
    if (!p || !variant_keep(p, variant)) {
        free(p);
        return cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory for a program");
    }
    myr_status status = cuda_compile_variant(cuda, context, device, variant, &code, &size);
    if (!status)
        status = program_load(cuda, context, p, code, variant->motion);
    free(code);
    if (status) {
        program_free(p);
        return status;
    }
    p->next = device->programs;
    device->programs = p;
    *program = p;
    return MYR_OK;
}

void cuda_programs_free(cuda_device *device)
{
    while (device->programs) {
        cuda_program *next = device->programs->next;
        program_free(device->programs);
        device->programs = next;
    }
}
