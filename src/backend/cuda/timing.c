/* timing.c - benchmarks: evaluations timed by the GPU's clock, issue rate of multiply-adds, and machine code of a
 * loop. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/cuda/cuda.h"

/* Events before and after a section of work. */
typedef struct {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device *device;
    cudaEvent_t event[2];
} stopwatch;

static myr_status stopwatch_make(stopwatch *w)
{
    myr_status status = cuda_check(w->cuda, w->context, cudaSetDevice(w->device->id), "choosing a device");
    for (int k = 0; !status && k < 2; k++)
        status = cuda_check(w->cuda, w->context, cudaEventCreate(&w->event[k]), "making an event");
    return status;
}

static void stopwatch_free(stopwatch *w)
{
    for (int k = 0; k < 2; k++)
        if (w->event[k])
            (void)cudaEventDestroy(w->event[k]);
}

static myr_status stopwatch_mark(const stopwatch *w, int k)
{
    return cuda_check(w->cuda, w->context, cudaEventRecord(w->event[k], w->device->stream), "timing");
}

/* Waits for the second event. */
static myr_status stopwatch_read(const stopwatch *w, double *seconds)
{
    float milliseconds = 0;
    myr_status status = cuda_check(w->cuda, w->context, cudaEventSynchronize(w->event[1]), "timing");
    if (!status)
        status =
            cuda_check(w->cuda, w->context, cudaEventElapsedTime(&milliseconds, w->event[0], w->event[1]), "timing");
    *seconds = 1e-3 * (double)milliseconds;
    return status;
}

/* --- evaluations -------------------------------------------------------------------------------------------------- */
enum { TIME_BATCH_MAX = 1000, TIME_WARM = 3 };
#define TIME_SAMPLE 2e-3 /* smallest duration of a sample in seconds */

/* Runs `batch` consecutive evaluations; *seconds: time of one. */
static myr_status time_batch(const stopwatch *w, const cuda_evaluation *e, const cuda_program *program,
                             myr_cuda_sweep *a, int batch, double *seconds)
{
    myr_status status = stopwatch_mark(w, 0);
    for (int n = 0; !status && n < batch; n++) {
        status = cuda_evaluation_sweep(e, program, a, e->shape.splits);
        if (!status && a->part)
            status = cuda_evaluation_finish(e, program, a, e->shape.splits);
    }
    if (!status)
        status = stopwatch_mark(w, 1);
    if (!status)
        status = stopwatch_read(w, seconds);
    *seconds /= batch;
    return status;
}

static myr_status time_samples(const stopwatch *w, const cuda_evaluation *e, const cuda_program *program, int samples,
                               double *seconds)
{
    myr_cuda_sweep a;
    double one = 0;
    myr_status status = MYR_OK;
    cuda_evaluation_arguments(e, e->count, &a);
    a.sources = e->job->source.n;
    if (e->shape.splits == 1 && !e->job->subtracted.offset)
        a.part = NULL;                             /* the sweep converts its sums itself */
    for (int k = 0; !status && k < TIME_WARM; k++) /* warm-up: clocks rise, caches fill */
        status = time_batch(w, e, program, &a, 1, &one);
    const double wanted = one > 0 ? TIME_SAMPLE / one + 1 : 1;
    const int batch = wanted < TIME_BATCH_MAX ? (int)wanted : TIME_BATCH_MAX;
    for (int k = 0; !status && k < samples; k++)
        status = time_batch(w, e, program, &a, batch, &seconds[k]);
    return status;
}

myr_status cuda_time(myr_cuda *cuda, const myr_direct *job, int samples, double *seconds)
{
    myr_direct_result nothing = {.first_bad = -1};
    cuda_evaluation e = {
        .cuda = cuda, .device = &cuda->device[0], .job = job, .count = job->targets, .result = &nothing};
    stopwatch w = {.cuda = cuda, .context = job->context, .device = e.device};
    const cuda_program *program = NULL;
    myr_status status = stopwatch_make(&w);
    if (!status)
        status = cuda_evaluation_run(&e);
    if (!status && (e.target_part < e.count || e.source_part < job->source.n))
        status = cuda->host->fail(job->context, MYR_ERROR_MEMORY, "GPU: the particles do not fit its memory at once");
    if (!status)
        status = cuda_program_get(cuda, job->context, e.device, &e.variant, &program);
    if (!status)
        status = time_samples(&w, &e, program, samples, seconds);
    stopwatch_free(&w);
    free(e.staging);
    return status;
}

/* --- issue rate --------------------------------------------------------------------------------------------------- */
enum {
    ISSUE_CHAINS = 16, /* number of independent multiply-adds */
    ISSUE_STEPS = 64,  /* multiply-adds of all chains per round */
    ISSUE_THREADS = 256,
    ISSUE_BLOCKS = 8, /* blocks per multiprocessor: as many threads as it can hold */
    ISSUE_SAMPLES = 12
};
#define ISSUE_SECONDS 1e-3

/* Arguments of the program below. */
typedef struct {
    double *out;
    int rounds;
} issue_arguments;

/* Program of multiply-adds only; the factors are unknown to the compiler, and every chain contributes to the result. */
static const char issue_text[] =
    "struct arguments { double *out; int rounds; };\n"
    "extern \"C\" __global__ void __launch_bounds__(THREADS) issue(const __grid_constant__ arguments p)\n"
    "{\n"
    "    REAL x[CHAINS], sum = 0;\n"
    "    const REAL m = (REAL)(1 - 1e-7 * threadIdx.x), c = (REAL)(1e-9 * p.rounds);\n"
    "    _Pragma(\"unroll\")\n"
    "    for (int k = 0; k < CHAINS; k++)\n"
    "        x[k] = (REAL)(k + threadIdx.x);\n"
    "    _Pragma(\"unroll 1\")\n"
    "    for (int r = 0; r < p.rounds; r++)\n"
    "        _Pragma(\"unroll\")\n"
    "        for (int s = 0; s < STEPS; s++)\n"
    "            _Pragma(\"unroll\")\n"
    "            for (int k = 0; k < CHAINS; k++)\n"
    "                x[k] = FMA(x[k], m, c);\n"
    "    for (int k = 0; k < CHAINS; k++)\n"
    "        sum += x[k];\n"
    "    if (sum == (REAL)12345.678)\n"
    "        *p.out = sum;\n"
    "}\n";

static myr_status issue_load(const stopwatch *w, int in_double, cudaLibrary_t *library, cudaKernel_t *kernel)
{
    char text[sizeof issue_text + 256];
    void *code = NULL;
    size_t size;
    snprintf(text, sizeof text,
             "#define REAL %s\n#define FMA %s\n#define CHAINS %d\n#define STEPS %d\n#define THREADS %d\n%s",
             in_double ? "double" : "float", in_double ? "__fma_rn" : "__fmaf_rn", ISSUE_CHAINS, ISSUE_STEPS,
             ISSUE_THREADS, issue_text);
    myr_status status =
        cuda_compile(w->cuda, w->context, w->device, "a loop of multiply-adds", text, NULL, &code, &size);
    if (!status)
        status = cuda_check(w->cuda, w->context, cudaLibraryLoadData(library, code, NULL, NULL, 0, NULL, NULL, 0),
                            "loading a program");
    free(code);
    if (!status)
        status = cuda_check(w->cuda, w->context, cudaLibraryGetKernel(kernel, *library, "issue"), "loading a program");
    return status ? status : cuda_room(w->cuda, w->context, w->device, BUFFER_VALUES, sizeof(double));
}

static myr_status issue_run(const stopwatch *w, cudaKernel_t kernel, int rounds, double *seconds)
{
    issue_arguments a = {w->device->buffer[BUFFER_VALUES].at, rounds};
    const dim3 grid = {(unsigned)(w->device->properties.multiProcessorCount * ISSUE_BLOCKS), 1, 1};
    myr_status status = stopwatch_mark(w, 0);
    if (!status)
        status = cuda_launch(w->cuda, w->context, w->device,
                             &(cuda_call){kernel, grid, ISSUE_THREADS, 0, &a, sizeof a, "timing", 0});
    if (!status)
        status = stopwatch_mark(w, 1);
    return status ? status : stopwatch_read(w, seconds);
}

/* Fastest of several short runs: an upper bound needs an undisturbed GPU. */
myr_status cuda_issue(myr_cuda *cuda, myr_context *context, int in_double, double *rate)
{
    stopwatch w = {.cuda = cuda, .context = context, .device = &cuda->device[0]};
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    double seconds = 0;
    int rounds = 2;
    *rate = 0;
    myr_status status = stopwatch_make(&w);
    if (!status)
        status = issue_load(&w, in_double, &library, &kernel);
    while (!status && seconds < ISSUE_SECONDS && rounds < 1 << 20) {
        rounds *= 2;
        status = issue_run(&w, kernel, rounds, &seconds);
    }
    for (int k = 0; !status && k < ISSUE_SAMPLES; k++) {
        status = issue_run(&w, kernel, rounds, &seconds);
        const double threads = (double)w.device->properties.multiProcessorCount * ISSUE_BLOCKS * ISSUE_THREADS;
        const double now = threads * rounds * ISSUE_STEPS * ISSUE_CHAINS / seconds;
        *rate = now > *rate ? now : *rate;
    }
    stopwatch_free(&w);
    if (library)
        (void)cudaLibraryUnload(library);
    return status;
}

/* --- machine code ------------------------------------------------------------------------------------------------- */
myr_status cuda_code(const myr_cuda_host *host, const myr_direct *job, const myr_cuda_device *on, int motion,
                     myr_cuda_code *code)
{
    myr_cuda *cuda = calloc(1, sizeof *cuda);
    *code = (myr_cuda_code){NULL, 0, 0};
    if (!cuda)
        return host->fail(job->context, MYR_ERROR_MEMORY, "no memory for the GPU backend");
    cuda->host = host;
    cuda_evaluation e = {.cuda = cuda, .device = &cuda->device[0], .job = job, .count = job->targets};
    e.device->properties.major = on->major;
    e.device->properties.minor = on->minor;
    e.device->properties.multiProcessorCount = on->multiprocessors;
    e.device->properties.sharedMemPerBlockOptin = 48
                                                  << 10; /* available on every GPU; the program does not depend on it */
    cuda_evaluation_shape(&e);
    if (motion)
        e.variant = cuda_motion_variant(cuda, e.device, job, motion == 2);
    const myr_status status = cuda_compile_variant(cuda, job->context, e.device, &e.variant, &code->bytes, &code->size);
    code->pairs = 2 * e.shape.steps * e.shape.targets;
    free(cuda);
    return status;
}
