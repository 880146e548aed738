/* device.c - opening and closing of GPUs, device memory, launches. */
#include "backend/cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/abi.h"

myr_status cuda_check(const myr_cuda *cuda, myr_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return MYR_OK;
    (void)cudaGetLastError(); /* clears errors that are not sticky */
    const char *advice = "";
    myr_status status = MYR_ERROR_UNAVAILABLE;
    if (error == cudaErrorMemoryAllocation) {
        status = MYR_ERROR_MEMORY;
        advice = "; another program may hold the memory, or use backend simd";
    } else if (error == cudaErrorNoDevice) {
        advice = "; use backend simd or auto";
    } else if (error == cudaErrorInsufficientDriver) {
        int has = 0;
        (void)cudaDriverGetVersion(&has);
        advice = has ? "; install a newer driver, or use backend simd"
                     : "; there is no NVIDIA driver here; use backend simd or auto";
    }
    return cuda->host->fail(context, status, "GPU: %s: %s (%s)%s", what, cudaGetErrorString(error),
                            cudaGetErrorName(error), advice);
}

static int cuda_device_is_old(const struct cudaDeviceProp *p)
{
    return p->major * 10 + p->minor < 75;
}

static myr_status cuda_device_open(myr_cuda *cuda, myr_context *context, int id)
{
    cuda_device *d = &cuda->device[cuda->devices];
    d->id = id;
    myr_status status = cuda_check(cuda, context, cudaSetDevice(id), "choosing a device");
    if (!status)
        status = cuda_check(cuda, context, cudaGetDeviceProperties(&d->properties, id), "asking about a device");
    if (!status && cuda_device_is_old(&d->properties))
        return cuda->host->fail(context, MYR_ERROR_UNAVAILABLE,
                                "GPU %d (%s) has compute capability %d.%d; 7.5 or more is needed; use backend simd", id,
                                d->properties.name, d->properties.major, d->properties.minor);
    if (!status)
        status =
            cuda_check(cuda, context, cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "making a stream");
    if (!status)
        cuda->devices++;
    return status;
}

/* Opens all devices of sufficient compute capability; fails with the message about an old device if there is no
 * other. */
static myr_status cuda_open_all(myr_cuda *cuda, myr_context *context, int count)
{
    myr_status status = MYR_OK;
    for (int id = 0; id < count && id < CUDA_DEVICES_MAX; id++) {
        status = cuda_device_open(cuda, context, id);
        if (status && !cuda_device_is_old(&cuda->device[cuda->devices].properties))
            return status;
    }
    return cuda->devices ? MYR_OK : status;
}

/* Opens devices 0 .. count - 1, or those listed in $MYRIAD_CUDA_DEVICES ("0,1"), where an index may occur twice. */
static myr_status cuda_open_listed(myr_cuda *cuda, myr_context *context, int count)
{
    const char *list = getenv("MYRIAD_CUDA_DEVICES");
    if (!list || !*list)
        return cuda_open_all(cuda, context, count);
    while (*list) {
        char *end;
        const long id = strtol(list, &end, 10);
        if (end == list || id < 0 || id >= count || (*end && *end != ',') || cuda->devices == CUDA_DEVICES_MAX)
            return cuda->host->fail(context, MYR_ERROR_VALUE,
                                    "MYRIAD_CUDA_DEVICES is '%s'; expected numbers of devices, 0 to %d, with commas "
                                    "between",
                                    getenv("MYRIAD_CUDA_DEVICES"), count - 1);
        const myr_status status = cuda_device_open(cuda, context, (int)id);
        if (status)
            return status;
        list = *end ? end + 1 : end;
    }
    return MYR_OK;
}

void cuda_device_release(cuda_device *d)
{
    (void)cudaSetDevice(d->id); /* fails for a lost device, which cannot be cleaned up */
    (void)cudaStreamSynchronize(d->stream);
    cuda_batch_free(d);
    cuda_programs_free(d);
    for (int b = 0; b < BUFFER_COUNT; b++)
        (void)cudaFree(d->buffer[b].at);
    (void)cudaStreamDestroy(d->stream);
}

myr_status cuda_device_copy(myr_cuda *cuda, myr_context *context, const cuda_device *from, cuda_device *to)
{
    memset(to, 0, sizeof *to);
    to->id = from->id;
    to->properties = from->properties;
    const myr_status status = cuda_check(cuda, context, cudaSetDevice(to->id), "choosing a device");
    if (status)
        return status;
    return cuda_check(cuda, context, cudaStreamCreateWithFlags(&to->stream, cudaStreamNonBlocking), "making a stream");
}

static void cuda_close(myr_cuda *cuda)
{
    if (!cuda)
        return;
    for (int k = 0; k < cuda->devices; k++)
        cuda_device_release(&cuda->device[k]);
    free(cuda);
}

static myr_status cuda_open(const myr_cuda_host *host, myr_context *context, myr_cuda **cuda)
{
    int count = 0;
    *cuda = calloc(1, sizeof **cuda);
    if (!*cuda)
        return host->fail(context, MYR_ERROR_MEMORY, "no memory for the GPU backend");
    (*cuda)->host = host;
    const char *limit = getenv("MYRIAD_CUDA_MEMORY");
    (*cuda)->limit = limit ? (size_t)strtoull(limit, NULL, 10) : 0;
    myr_status status = cuda_check(*cuda, context, cudaGetDeviceCount(&count), "looking for devices");
    if (!status)
        status = count ? cuda_open_listed(*cuda, context, count)
                       : cuda_check(*cuda, context, cudaErrorNoDevice, "looking for devices");
    if (status) {
        int driver = 0;
        (void)cudaDriverGetVersion(&driver);
        /* backend auto stays silent otherwise */
        if (driver && (count || !strstr(context->message, "cudaErrorNoDevice")))
            host->warn(context, "%s", context->message);
        cuda_close(*cuda);
        *cuda = NULL;
    }
    return status;
}

static int cuda_describe(const myr_cuda *cuda, int k, myr_cuda_device *device)
{
    if (k < 0 || k >= cuda->devices)
        return 0;
    const struct cudaDeviceProp *p = &cuda->device[k].properties;
    snprintf(device->name, sizeof device->name, "%.*s", (int)sizeof device->name - 1, p->name);
    device->major = p->major;
    device->minor = p->minor;
    device->multiprocessors = p->multiProcessorCount;
    device->memory = (double)p->totalGlobalMem;
    return 1;
}

static void cuda_use(myr_cuda *cuda, int k)
{
    cuda->alone = 1 + k % cuda->devices;
}

/* Memory held by all buffers of a device except one. */
static size_t cuda_held(const cuda_device *device, cuda_buffer_id but)
{
    size_t sum = 0;
    for (int b = 0; b < BUFFER_COUNT; b++)
        sum += b == (int)but ? 0 : device->buffer[b].size;
    return sum;
}

myr_status cuda_room(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, size_t size)
{
    cuda_buffer *b = &device->buffer[id];
    if (b->size >= size && b->at)
        return MYR_OK;
    if (b->at) {
        const myr_status status = cuda_check(cuda, context, cudaFreeAsync(b->at, device->stream), "freeing memory");
        *b = (cuda_buffer){NULL, 0};
        if (status)
            return status;
    }
    size =
        /* with a margin, so that slow growth does not reallocate each time */
        (size + size / 4 + 255) / 256 * 256 + 256;
    if (cuda->limit && cuda_held(device, id) + size > cuda->limit)
        return cuda->host->fail(context, MYR_ERROR_MEMORY,
                                "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it", size,
                                cuda->limit);
    char what[64];
    snprintf(what, sizeof what, "allocating %.3g GB", 1e-9 * (double)size);
    const myr_status status = cuda_check(cuda, context, cudaMallocAsync(&b->at, size, device->stream), what);
    if (!status)
        b->size = size;
    else
        b->at = NULL;
    return status;
}

/* Room whose contents are 0 when it is made. */
static myr_status cuda_room_zeros(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id,
                                  size_t size)
{
    const cuda_buffer *b = &device->buffer[id];
    const int is_there = b->at && b->size >= size;
    const myr_status status = cuda_room(cuda, context, device, id, size);
    if (status || is_there)
        return status;
    return cuda_check(cuda, context, cudaMemsetAsync(b->at, 0, b->size, device->stream), "clearing wide integers");
}

myr_status cuda_room_over(myr_cuda *cuda, myr_context *context, cuda_device *device, int64_t n, int outputs)
{
    const myr_status status =
        cuda_room_zeros(cuda, context, device, BUFFER_OVER, (size_t)n * (size_t)outputs * sizeof(myr_cuda_digits));
    return status ? status : cuda_room_zeros(cuda, context, device, BUFFER_OVER_USED, (size_t)n * sizeof(uint32_t));
}

myr_status cuda_upload(myr_cuda *cuda, myr_context *context, cuda_device *device, cuda_buffer_id id, const void *from,
                       size_t size)
{
    const myr_status status = cuda_room(cuda, context, device, id, size);
    if (status || size == 0)
        return status;
    return cuda_check(cuda, context,
                      cudaMemcpyAsync(device->buffer[id].at, from, size, cudaMemcpyHostToDevice, device->stream),
                      "copying to the device");
}

myr_status cuda_launch_now(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const cuda_call *call)
{
    void *list[] = {call->arguments};
    const int is_early = call->manner == CUDA_CALL_EARLY && device->properties.major >= 9;
    cudaLaunchAttribute how = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
    how.val.programmaticStreamSerializationAllowed = 1;
    if (call->manner == CUDA_CALL_COOPERATIVE) {
        how.id = cudaLaunchAttributeCooperative;
        how.val.cooperative = 1;
    }
    const cudaLaunchConfig_t set = {.gridDim = call->grid,
                                    .blockDim = {call->threads, 1, 1},
                                    .dynamicSmemBytes = call->shared,
                                    .stream = device->stream,
                                    .attrs = &how,
                                    .numAttrs = is_early || call->manner == CUDA_CALL_COOPERATIVE};
    return cuda_check(cuda, context, cudaLaunchKernelExC(&set, (const void *)call->kernel, list), call->what);
}

myr_status cuda_launch(const myr_cuda *cuda, myr_context *context, const cuda_device *device, const cuda_call *call)
{
    if (call->shared > 48 << 10) {
        const myr_status status =
            cuda_check(cuda, context,
                       cudaFuncSetAttribute((const void *)call->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            (int)call->shared),
                       call->what);
        if (status)
            return status;
    }
    return cuda_batch_is_open(device) ? cuda_batch_record(cuda, context, device, call)
                                      : cuda_launch_now(cuda, context, device, call);
}

static const myr_cuda_plugin plugin = {
    .abi = MYR_CUDA_ABI,
    .open = cuda_open,
    .close = cuda_close,
    .device = cuda_describe,
    .use = cuda_use,
    .run = cuda_run,
    .motion_open = cuda_motion_open,
    .motion_close = cuda_motion_close,
    .motion_send = cuda_motion_send,
    .motion_fetch = cuda_motion_fetch,
    .motion_keep = cuda_motion_keep,
    .motion_sum = cuda_motion_sum,
    .motion_rates = cuda_motion_rates,
    .motion_settle = cuda_motion_settle,
    .motion_address = cuda_motion_address,
    .motion_hermite = cuda_motion_hermite,
    .box_open = cuda_box_open,
    .box_close = cuda_box_close,
    .box_set = cuda_box_set,
    .box_send = cuda_box_send,
    .box_share = cuda_box_share,
    .box_finish = cuda_box_finish,
    .box_fetch = cuda_box_fetch,
    .box_keep_good = cuda_box_keep_good,
    .box_fetch_good = cuda_box_fetch_good,
    .box_forces = cuda_box_forces,
    .box_steps = cuda_box_steps,
    .box_measure = cuda_box_measure,
    .box_velocities = cuda_box_velocities,
    .box_change = cuda_box_change,
    .box_fire_sums = cuda_box_fire_sums,
    .box_fire_move = cuda_box_fire_move,
    .box_report = cuda_box_report,
    .box_external = cuda_box_external,
    .box_counts = cuda_box_counts,
    .box_correlate = cuda_box_correlate,
    .box_pairs = cuda_box_pairs,
    .box_code = cuda_box_code,
    .far_open = cuda_far_open,
    .far_close = cuda_far_close,
    .far_run = cuda_far_run,
    .far_motion_open = cuda_far_motion_open,
    .far_motion_report = cuda_far_motion_report,
    .mesh_open = cuda_mesh_open,
    .mesh_close = cuda_mesh_close,
    .mesh_run = cuda_mesh_run,
    .mesh_motion_open = cuda_mesh_motion_open,
    .molecule_open = cuda_molecule_open,
    .molecule_close = cuda_molecule_close,
    .molecule_send = cuda_molecule_send,
    .molecule_fetch = cuda_molecule_fetch,
    .molecule_wait = cuda_molecule_wait,
    .molecule_steps = cuda_molecule_steps,
    .molecule_back = cuda_molecule_back,
    .molecule_again = cuda_molecule_again,
    .molecule_chain = cuda_molecule_chain,
    .molecule_report = cuda_molecule_report,
    .stars_open = cuda_stars_open,
    .stars_close = cuda_stars_close,
    .stars_send = cuda_stars_send,
    .stars_fetch = cuda_stars_fetch,
    .stars_steps = cuda_stars_steps,
    .stars_report = cuda_stars_report,
    .near_open = cuda_near_open,
    .near_close = cuda_near_close,
    .near_sources = cuda_near_sources,
    .near_find = cuda_near_find,
    .time = cuda_time,
    .issue = cuda_issue,
    .code = cuda_code,
};

__attribute__((visibility("default"))) const myr_cuda_plugin *myr_cuda_plugin_get(void);

const myr_cuda_plugin *myr_cuda_plugin_get(void)
{
    return &plugin;
}
