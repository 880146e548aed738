/* device_array.c - a consumer of the arrays of bodies that move on a GPU: address, stride, stream and lifetime, with
 * the driver of the GPU alone. With a plug-in that pretends to have a GPU ($PRETENDED_MOTION) device memory is the
 * processor's. Exit code 77: no GPU. */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/myriad.h>

enum { N = 600, SKIPPED = 77, MEMORY_TYPE = 2, DEVICE_ORDINAL = 9, ON_DEVICE = 2, NON_BLOCKING = 1 };

static int failures;

static void expect(const char *what, int is_so)
{
    if (!is_so && failures++ < 20)
        printf("not so: %s\n", what);
}

static void fine(myr_context *context, myr_status status)
{
    if (!status)
        return;
    printf("%s\n", myr_context_message(context));
    exit(1);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

/* Functions of libcuda.so.1; null where the GPU is pretended. */
static struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*current)(void *context);
    int (*attribute)(void *value, int which, uint64_t address);
    int (*stream)(void **stream, unsigned flags);
    int (*copy)(void *to, uint64_t from, size_t bytes, void *stream);
    int (*wait)(void *stream);
    int (*memory)(size_t *available, size_t *all);
} driver;

static void driver_symbol(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);
    if (!found) {
        printf("libcuda.so.1 has no %s\n", name);
        exit(1);
    }
    memcpy(function, &found, sizeof found);
}

static void driver_open(void **stream)
{
    void *primary = NULL, *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        printf("skipped: %s\n", dlerror());
        exit(SKIPPED);
    }
    driver_symbol(library, "cuInit", &driver.init);
    driver_symbol(library, "cuDevicePrimaryCtxRetain", &driver.retain);
    driver_symbol(library, "cuCtxSetCurrent", &driver.current);
    driver_symbol(library, "cuPointerGetAttribute", &driver.attribute);
    driver_symbol(library, "cuStreamCreate", &driver.stream);
    driver_symbol(library, "cuMemcpyDtoHAsync_v2", &driver.copy);
    driver_symbol(library, "cuStreamSynchronize", &driver.wait);
    driver_symbol(library, "cuMemGetInfo_v2", &driver.memory);
    expect("the driver starts", driver.init(0) == 0 && driver.retain(&primary, 0) == 0 && driver.current(primary) == 0);
    expect("a stream of the reader's own", driver.stream(stream, NON_BLOCKING) == 0);
}

/* Copies n doubles on the reader's stream, which waits for no other. */
static void copy_back(const double *from, int64_t n, double *to, void *stream)
{
    if (driver.copy)
        expect("copying from the GPU",
               driver.copy(to, (uint64_t)(uintptr_t)from, (size_t)n * sizeof *to, stream) == 0 &&
                   driver.wait(stream) == 0);
    else
        memcpy(to, from, (size_t)n * sizeof *to);
}

static size_t memory_left(void)
{
    size_t available = 0, all = 0;
    if (driver.memory)
        (void)driver.memory(&available, &all);
    return available;
}

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static myr_simulation *cluster(myr_context *context, int64_t n, const char *kernel, const char *integrator)
{
    myr_particles *stars;
    myr_interaction *f;
    myr_simulation *s;
    fine(context, myr_model_create(context, "plummer", n, 1, &stars));
    fine(context, myr_interaction_create(context, kernel, &f));
    fine(context, myr_interaction_set(f, "eps", 0.1));
    fine(context, myr_interaction_choose(f, "backend", "cuda"));
    fine(context, myr_simulation_create(context, stars, f, &s));
    fine(context, myr_simulation_choose(s, integrator));
    if (strcmp(integrator, "leapfrog") == 0)
        fine(context, myr_simulation_set(s, "dt", 1 / 64.));
    return s;
}

static void run_to(myr_context *context, myr_simulation *s, double end)
{
    while (myr_simulation_time(s) < end)
        fine(context, myr_simulation_advance(s, end, end, INT64_MAX));
}

static myr_device_array array_of(myr_context *context, myr_simulation *s, const char *field)
{
    myr_device_array array;
    fine(context, myr_simulation_device_array(s, field, &array));
    return array;
}

/* The address is memory of the GPU that the array names. */
static void check_address(const myr_device_array *a)
{
    int kind = 0, device = -1;
    if (!driver.attribute)
        return;
    const uint64_t last = (uint64_t)(uintptr_t)(a->pointer + (a->components - 1) * a->stride + a->n - 1);
    for (int end = 0; end < 2; end++) {
        const uint64_t at = end ? last : (uint64_t)(uintptr_t)a->pointer;
        expect("it is device memory", driver.attribute(&kind, MEMORY_TYPE, at) == 0 && kind == ON_DEVICE);
        expect("it is of that device", driver.attribute(&device, DEVICE_ORDINAL, at) == 0 && device == a->device);
    }
}

/* Component c of particle i is pointer[c * stride + i]: the values of the set on the processor. */
static void check_field(myr_context *context, myr_simulation *s, const char *field, void *stream)
{
    double values[N];
    const myr_particles *now;
    const myr_device_array a = array_of(context, s, field);
    expect("the shape", a.n == myr_simulation_count(s) && a.components == 3 && a.stride >= a.n && a.n <= N);
    check_address(&a);
    double device[3][N];
    for (int c = 0; c < 3; c++) /* before the set is fetched, so that nothing has waited for the GPU since the call */
        copy_back(a.pointer + c * a.stride, a.n, device[c], stream);
    fine(context, myr_simulation_particles(s, &now));
    for (int c = 0; c < 3; c++) {
        memcpy(values, myr_particles_component_const(now, field, c), (size_t)a.n * sizeof *values);
        expect(field, memcmp(device[c], values, (size_t)a.n * sizeof *values) == 0);
    }
}

static void try_fixed(myr_context *context, void *stream)
{
    static const char *const fields[] = {"position", "velocity", "acceleration"};
    myr_device_array array;
    myr_simulation *s = cluster(context, N, "gravity", "leapfrog");
    expect("none before a step", myr_simulation_device_array(s, "position", &array) == MYR_ERROR_UNAVAILABLE);
    const double *address = NULL;
    for (int step = 1; step <= 3; step++) {
        run_to(context, s, 0.25 * step);
        for (int k = 0; k < 3; k++)
            check_field(context, s, fields[k], stream);
        const double *now = array_of(context, s, "position").pointer;
        expect("no copy: the same memory after steps", !address || address == now);
        address = now;
    }
    expect("no mass", myr_simulation_device_array(s, "mass", &array) == MYR_ERROR_FIELD);
    myr_particles *fewer;
    fine(context, myr_model_create(context, "plummer", N / 2, 2, &fewer));
    fine(context, myr_simulation_replace(s, fewer));
    run_to(context, s, 1);
    check_field(context, s, "position", stream); /* of the new set */
    myr_simulation_destroy(&s);
}

/* With block steps arrays are at the particles' own times, from which the set is predicted. */
static void try_blocks(myr_context *context, void *stream)
{
    static const char *const fields[] = {"position", "velocity", "acceleration", "jerk"};
    static double value[4][3][N], own[N];
    double worst = 0, furthest = 0;
    const myr_particles *now;
    myr_simulation *s = cluster(context, N, "gravity_jerk", "hermite4");
    for (int step = 0; step < 40; step++) /* most particles are not in the last block */
        fine(context, myr_simulation_step(s, 1));
    for (int k = 0; k < 4; k++) {
        const myr_device_array a = array_of(context, s, fields[k]);
        check_address(&a);
        for (int c = 0; c < 3; c++)
            copy_back(a.pointer + c * a.stride, a.n, value[k][c], stream);
    }
    const myr_device_array times = array_of(context, s, "own_time");
    expect("one component", times.components == 1 && times.n == N);
    copy_back(times.pointer, N, own, stream);
    fine(context, myr_simulation_particles(s, &now));
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < N; i++) {
            const double d = myr_simulation_time(s) - own[i];
            const double x = value[0][c][i] + d * (value[1][c][i] + d * (value[2][c][i] / 2 + d * value[3][c][i] / 6));
            worst = fmax(worst, fabs(x - myr_particles_component_const(now, "position", c)[i]));
            furthest = fmax(furthest, d);
        }
    printf("block steps: %.1e apart, predicted over up to %.2g\n", worst, furthest);
    expect("predicted positions", worst < 1e-15 && furthest > 0);
    myr_simulation_destroy(&s);
}

/* Memory is freed with the simulation: many of them, one after the other, leave as much as a few. */
static void try_lifetime(myr_context *context)
{
    size_t left = 0;
    for (int k = 0; k < 12; k++) {
        myr_simulation *s = cluster(context, 20000, "gravity", "leapfrog");
        run_to(context, s, 1 / 64.);
        (void)array_of(context, s, "position");
        myr_simulation_destroy(&s);
        if (k == 3)
            left = memory_left();
    }
    printf("memory left: %zu and %zu bytes\n", left, memory_left());
    expect("memory comes back", memory_left() + (1 << 20) >= left);
}

int main(void)
{
    void *stream = NULL;
    myr_gpu_info gpu;
    myr_context *context;
    if (myr_context_create(&context))
        return 1;
    if (myr_machine_gpu(context, 0, &gpu)) {
        printf("skipped: %s\n", myr_context_message(context));
        myr_context_destroy(&context);
        return SKIPPED;
    }
    const int pretended = getenv("PRETENDED_MOTION") != NULL;
    if (!pretended)
        driver_open(&stream);
    try_fixed(context, stream);
    try_blocks(context, stream);
    if (!pretended)
        try_lifetime(context);
    myr_context_destroy(&context);
    printf("%s: %d failures\n", gpu.name, failures);
    return failures != 0;
}
