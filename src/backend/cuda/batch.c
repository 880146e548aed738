/* batch.c - batches of launches. The kernels of a small system are shorter than the gaps between launches. The launches
 * of a batch of steps are therefore recorded; a batch that equals the previous one byte for byte becomes a CUDA graph,
 * and takes one launch from then on. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda.h"

/* List of launches, with their arguments stored contiguously. */
typedef struct {
    cuda_call *call; /* argument pointers are null until the list is complete and no longer moves */
    size_t calls, calls_room;
    char *bytes;
    size_t used, room;
} batch_list;

struct cuda_batch {
    int open;
    batch_list now, before;
    cudaGraphExec_t graph; /* graph of `before`; null = not created yet */
};

static int list_grow(batch_list *l, size_t bytes)
{
    if (l->calls == l->calls_room) {
        const size_t room = 2 * l->calls_room + 64;
        cuda_call *call = realloc(l->call, room * sizeof *call);
        if (!call)
            return 0;
        l->call = call;
        l->calls_room = room;
    }
    if (l->used + bytes > l->room) {
        const size_t room = 2 * (l->used + bytes);
        char *all = realloc(l->bytes, room);
        if (!all)
            return 0;
        l->bytes = all;
        l->room = room;
    }
    return 1;
}

static int same_call(const cuda_call *a, const cuda_call *b)
{
    return a->kernel == b->kernel && a->grid.x == b->grid.x && a->grid.y == b->grid.y && a->grid.z == b->grid.z &&
           a->threads == b->threads && a->shared == b->shared && a->size == b->size;
}

static int same_list(const batch_list *a, const batch_list *b)
{
    if (a->calls != b->calls || a->used != b->used || memcmp(a->bytes, b->bytes, a->used) != 0)
        return 0;
    for (size_t k = 0; k < a->calls; k++)
        if (!same_call(&a->call[k], &b->call[k]))
            return 0;
    return 1;
}

myr_status cuda_batch_begin(const myr_cuda *cuda, myr_context *context, cuda_device *device)
{
    if (!device->batch && !(device->batch = calloc(1, sizeof *device->batch)))
        return cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory for a batch of launches");
    device->batch->open = 1;
    device->batch->now.calls = device->batch->now.used = 0;
    return MYR_OK;
}

int cuda_batch_is_open(const cuda_device *device)
{
    return device->batch && device->batch->open;
}

myr_status cuda_batch_record(const myr_cuda *cuda, myr_context *context, const cuda_device *device,
                             const cuda_call *call)
{
    batch_list *l = &device->batch->now;
    const size_t bytes = (call->size + 15) / 16 * 16;
    if (!list_grow(l, bytes))
        return cuda->host->fail(context, MYR_ERROR_MEMORY, "no memory for a batch of %zu launches", l->calls);
    memset(l->bytes + l->used + call->size, 0, bytes - call->size);
    memcpy(l->bytes + l->used, call->arguments, call->size);
    l->call[l->calls] = *call;
    l->call[l->calls++].arguments = NULL;
    l->used += bytes;
    return MYR_OK;
}

/* Sets the argument pointer of every launch. */
static void list_settle(batch_list *l)
{
    size_t at = 0;
    for (size_t k = 0; k < l->calls; k++) {
        l->call[k].arguments = l->bytes + at;
        at += (l->call[k].size + 15) / 16 * 16;
    }
}

static myr_status batch_node(const myr_cuda *cuda, myr_context *context, cudaGraph_t graph, cudaGraphNode_t *last,
                             const cuda_call *call, size_t number)
{
    void *list[] = {call->arguments};
    struct cudaKernelNodeParams p;
    memset(&p, 0, sizeof p);
    p.func = (void *)call->kernel;
    p.gridDim = call->grid;
    p.blockDim = (dim3){call->threads, 1, 1};
    p.sharedMemBytes = (unsigned)call->shared;
    p.kernelParams = list;
    cudaGraphNode_t node;
    const myr_status status =
        cuda_check(cuda, context, cudaGraphAddKernelNode(&node, graph, number > 0 ? last : NULL, number > 0, &p),
                   "making a graph");
    *last = node;
    return status;
}

static myr_status batch_make_graph(const myr_cuda *cuda, myr_context *context, struct cuda_batch *b)
{
    cudaGraph_t graph = NULL;
    cudaGraphNode_t last = NULL;
    myr_status status = cuda_check(cuda, context, cudaGraphCreate(&graph, 0), "making a graph");
    for (size_t k = 0; !status && k < b->before.calls; k++)
        status = batch_node(cuda, context, graph, &last, &b->before.call[k], k);
    if (!status)
        status = cuda_check(cuda, context, cudaGraphInstantiate(&b->graph, graph, 0), "making a graph");
    if (graph)
        (void)cudaGraphDestroy(graph);
    return status;
}

static void batch_forget_graph(struct cuda_batch *b)
{
    if (b->graph)
        (void)cudaGraphExecDestroy(b->graph);
    b->graph = NULL;
}

myr_status cuda_batch_end(const myr_cuda *cuda, myr_context *context, const cuda_device *device)
{
    struct cuda_batch *b = device->batch;
    myr_status status = MYR_OK;
    if (!cuda_batch_is_open(device))
        return MYR_OK;
    b->open = 0;
    if (b->now.calls > 0 && same_list(&b->now, &b->before)) {
        if (!b->graph)
            status = batch_make_graph(cuda, context, b);
        return status ? status : cuda_check(cuda, context, cudaGraphLaunch(b->graph, device->stream), "integrating");
    }
    const batch_list other = b->before;
    b->before = b->now;
    b->now = other;
    batch_forget_graph(b);
    list_settle(&b->before);
    for (size_t k = 0; !status && k < b->before.calls; k++)
        status = cuda_launch_now(cuda, context, device, &b->before.call[k]);
    return status;
}

void cuda_batch_drop(const cuda_device *device)
{
    if (device->batch)
        device->batch->open = 0;
}

void cuda_batch_free(cuda_device *device)
{
    struct cuda_batch *b = device->batch;
    if (!b)
        return;
    batch_forget_graph(b);
    free(b->now.call);
    free(b->now.bytes);
    free(b->before.call);
    free(b->before.bytes);
    free(b);
    device->batch = NULL;
}
