/* test_functions.c - the lane functions on a GPU against MPFR, and in portable arithmetic against the processor's bits.
 *
 * The test holds the plug-in's sources and compiles a program of its own with them: y[i] = lane_F(x[i]). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cuda.h"
#include "core/cache.h"
#include "core/context.h"
#include "unit/lane_math.h"
#include "unit/lane_math_reference.h"

enum { FLOATS = 200000, DOUBLES = 50000, ARITHMETICS = 4, PORTABLE = 2, DOUBLE = 3 };

const myr_cuda_plugin *myr_cuda_plugin_get(void);
extern const lane_math_unit lane_math_portable_scalar;

static const char *const arithmetic_name[ARITHMETICS] = {"single", "mixed", "portable", "double"};
static const char *const function_name[LANE_MATH_FUNCTIONS] = {
#define LANE_FUNCTION(name, ...) #name,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
};

/* What functions.def promises of portable arithmetic, and of the device's own in the others. */
static const double bound[3][LANE_MATH_FUNCTIONS] = {
    {
#define LANE_FUNCTION(name, instructions, scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide)   \
    cuda,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
    },
    {
#define LANE_FUNCTION(name, instructions, scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide)   \
    portable,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
    },
    {
#define LANE_FUNCTION(name, instructions, scalar, avx512, avx2, sse2, neon, portable, fused, plain, cuda, cuda_wide)   \
    cuda_wide,
#include "backend/lane/functions.def"
#undef LANE_FUNCTION
    },
};

static double measured[ARITHMETICS][LANE_MATH_FUNCTIONS];

static struct {
    myr_context *context;
    myr_cuda *cuda;
} gpu;

static const myr_cuda_host host = {
    .sources = myr_sources,
    .cache_key = myr_cache_key,
    .cache_read = myr_cache_read,
    .cache_write = myr_cache_write,
    .fail = myr_context_fail,
    .warn = myr_context_warn,
};

#define CUDA(call) assert_int_equal(cuda_check(gpu.cuda, gpu.context, (call), #call), MYR_OK)

static const char program_text[] = "struct arguments { const real *x; real *y; long long n; int f; };\n"
                                   "extern \"C\" __global__ void functions(const __grid_constant__ arguments p)\n"
                                   "{\n"
                                   "    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i >= p.n)\n"
                                   "        return;\n"
                                   "    const real x = p.x[i];\n"
                                   "    real y = x;\n"
                                   "    switch (p.f) {\n";

/* The program of an arithmetic. */
static cudaLibrary_t program_load(int arithmetic, cudaKernel_t *kernel)
{
    enum { ROOM = 8192 };
    char *text = calloc(1, ROOM);
    void *code;
    size_t size;
    cudaLibrary_t library;
    int at =
        snprintf(text, ROOM, "#define MYR_ARITH %d\n#define MYR_LANE_BYTES 0\n#include \"backend/lane/lane.h\"\n%s",
                 arithmetic, program_text);
    for (int f = 0; f < LANE_MATH_FUNCTIONS; f++)
        at += snprintf(text + at, (size_t)(ROOM - at), "    case %d: y = lane_%s(x); break;\n", f, function_name[f]);
    snprintf(text + at, (size_t)(ROOM - at), "    }\n    p.y[i] = y;\n}\n");
    if (cuda_compile(gpu.cuda, gpu.context, &gpu.cuda->device[0], "the lane functions", text, NULL, &code, &size))
        fail_msg("%s", myr_context_message(gpu.context));
    CUDA(cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
    CUDA(cudaLibraryGetKernel(kernel, library, "functions"));
    free(code);
    free(text);
    return library;
}

static void run(cudaKernel_t kernel, int f, const lane_math_sample *s, void *y)
{
    struct {
        void *x, *y;
        int64_t n;
        int32_t f;
    } arguments = {NULL, NULL, (int64_t)s->n, f};
    const size_t bytes = s->n * (size_t)s->real_bytes;
    const dim3 grid = {(unsigned)((s->n + 255) / 256), 1, 1};
    CUDA(cudaMalloc(&arguments.x, bytes));
    CUDA(cudaMalloc(&arguments.y, bytes));
    CUDA(cudaMemcpy(arguments.x, s->x, bytes, cudaMemcpyHostToDevice));
    const cuda_call call = {kernel, grid, 256, 0, &arguments, sizeof arguments, "test", 0};
    assert_int_equal(cuda_launch(gpu.cuda, gpu.context, &gpu.cuda->device[0], &call), MYR_OK);
    CUDA(cudaStreamSynchronize(gpu.cuda->device[0].stream));
    CUDA(cudaMemcpy(y, arguments.y, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(arguments.x));
    CUDA(cudaFree(arguments.y));
}

static double at(const void *y, size_t i, int real_bytes)
{
    return real_bytes == 4 ? (double)((const float *)y)[i] : ((const double *)y)[i];
}

static double bound_of(int arithmetic, int f)
{
    return bound[arithmetic == PORTABLE ? 1 : arithmetic == DOUBLE ? 2 : 0][f];
}

/* Whether an argument or its result is denormal, and the device may take it for 0. */
static int is_tiny(const lane_math_sample *s, size_t i)
{
    const double least = 0x1p-126, x = fabs(lane_math_sample_at(s, i)), y = fabs(s->answer[i].value);
    return (x > 0 && x < least) || (y > 0 && y < least);
}

static int check(int arithmetic, int f, const lane_math_sample *s, const void *y)
{
    const int tiny = arithmetic != PORTABLE && arithmetic != DOUBLE;
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double error = lane_math_error(&s->answer[i], at(y, i, s->real_bytes), s->real_bytes);
        if (error > worst && !(tiny && is_tiny(s, i))) {
            worst = error;
            where = i;
        }
    }
    measured[arithmetic][f] = worst;
    if (worst <= bound_of(arithmetic, f))
        return 0;
    print_error("%s lane_%s(%a) = %a is wrong by %g ulp, allowed are %g\n", arithmetic_name[arithmetic],
                function_name[f], lane_math_sample_at(s, where), at(y, where, s->real_bytes), worst,
                bound_of(arithmetic, f));
    return 1;
}

/* All NaNs are one. */
static int other_bits(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            return 1;
    return 0;
}

static void test_arithmetic(void **state)
{
    const int arithmetic = *(const int *)*state, bytes = arithmetic == DOUBLE ? 8 : 4;
    cudaKernel_t kernel;
    cudaLibrary_t library = program_load(arithmetic, &kernel);
    int failed = 0;
    for (int f = 0; f < LANE_MATH_FUNCTIONS; f++) {
        lane_math_sample *s = lane_math_sample_create(f, bytes, bytes == 8 ? DOUBLES : FLOATS,
                                                      bytes == 8 ? 1e6 : lane_math_portable_scalar.sin_max);
        void *y = calloc(s->n, (size_t)bytes), *right = calloc(s->n, (size_t)bytes);
        assert_true(y && right);
        run(kernel, f, s, y);
        failed += check(arithmetic, f, s, y);
        if (arithmetic == PORTABLE) {
            lane_math_portable_scalar.run[f](s->x, right, s->n);
            if (other_bits(y, right, s->n)) {
                print_error("portable lane_%s: other bits than the processor's\n", function_name[f]);
                failed++;
            }
        }
        free(y);
        free(right);
        lane_math_sample_destroy(&s);
    }
    CUDA(cudaLibraryUnload(library));
    assert_int_equal(failed, 0);
}

static int print_measured(void **state)
{
    (void)state;
    printf("largest error on the GPU, in units in the last place:\n");
    for (int f = 0; f < LANE_MATH_FUNCTIONS; f++) {
        printf("%-14s", function_name[f]);
        for (int a = 0; a < ARITHMETICS; a++)
            printf("  %s %.3g of %g", arithmetic_name[a], measured[a][f], bound_of(a, f));
        printf("\n");
    }
    return 0;
}

int main(void)
{
    static int number[ARITHMETICS] = {0, 1, 2, 3};
    struct CMUnitTest tests[ARITHMETICS];
    for (int a = 0; a < ARITHMETICS; a++)
        tests[a] = (struct CMUnitTest){arithmetic_name[a], test_arithmetic, NULL, NULL, &number[a]};
    if (myr_context_create(&gpu.context))
        return 1;
    if (myr_cuda_plugin_get()->open(&host, gpu.context, &gpu.cuda)) {
        printf("skipped: %s\n", myr_context_message(gpu.context));
        myr_context_destroy(&gpu.context);
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, print_measured);
    myr_cuda_plugin_get()->close(gpu.cuda);
    myr_context_destroy(&gpu.context);
    return failed;
}
