/* box_paths.c - time correlations of particles in a box on a device (box_paths.cuh). The vectors of all origins of time
 * are with the observable on the host; the device keeps copies, which it takes from there where it has not seen the
 * sample before. */
#include <string.h>

#include "backend/cuda/box_inside.h"

static void paths_free(myr_cuda_box *b, cuda_box_paths *p)
{
    cuda_box_free(b, p->now);
    cuda_box_free(b, p->slot);
    cuda_box_free(b, p->path);
    cuda_box_free(b, p->part);
    cuda_box_free(b, p->type);
    cuda_box_free(b, p->compare);
    *p = (cuda_box_paths){0};
}

static size_t paths_chunks(const myr_cuda_box *b)
{
    return ((size_t)b->set.n + BOX_PATHS_CHUNK - 1) / BOX_PATHS_CHUNK;
}

/* Memory for an observable; MYR_ERROR_MEMORY if there is not enough. */
static myr_status paths_room(myr_cuda_box *b, cuda_box_paths *p, const box_correlation *c)
{
    const size_t n = (size_t)b->set.n, slots = (size_t)c->slots;
    *p = (cuda_box_paths){.key = c->key, .slots = c->slots, .samples = -1};
    myr_status status = cuda_box_room(b, &p->now, 3 * n * sizeof *p->now);
    if (!status)
        status = cuda_box_room(b, &p->slot, slots * 3 * n * sizeof *p->slot);
    if (!status && c->path)
        status = cuda_box_room(b, &p->path, 6 * n * sizeof *p->path);
    if (!status)
        status = cuda_box_room(b, &p->part, slots * (size_t)c->set.types * paths_chunks(b) * sizeof *p->part);
    if (!status)
        status = cuda_box_room(b, &p->type, n * sizeof *p->type);
    if (!status)
        status = cuda_box_room(b, &p->compare, slots * sizeof *p->compare);
    return status;
}

/* The room of an observable; the one that was used first makes way for a new one. Null = there is not enough memory. */
static cuda_box_paths *paths_find(myr_cuda_box *b, const box_correlation *c)
{
    for (int k = 0; k < BOX_PATHS; k++)
        if (b->paths[k].key == c->key && b->paths[k].slots == c->slots)
            return &b->paths[k];
    cuda_box_paths *p = &b->paths[b->paths_next++ % BOX_PATHS];
    paths_free(b, p);
    if (!paths_room(b, p, c))
        return p;
    paths_free(b, p);
    return NULL;
}

/* Sends the origins and the paths that the device has not made itself. */
static myr_status paths_send(myr_cuda_box *b, cuda_box_paths *p, const box_correlation *c)
{
    const size_t vector = 3 * (size_t)b->set.n;
    myr_status status = c->path ? cuda_box_upload(b, p->path, c->path, 2 * vector * sizeof *p->path) : MYR_OK;
    for (int64_t k = 0; k < c->slots && !status; k++)
        status = cuda_box_upload(b, p->slot + (size_t)k * vector, c->slot + k * c->stride, vector * sizeof *p->slot);
    return status;
}

/* Keeps the present vectors as those of a new origin, here and on the host. */
static myr_status paths_open(myr_cuda_box *b, cuda_box_paths *p, const box_correlation *c)
{
    const size_t vector = 3 * (size_t)b->set.n, bytes = vector * sizeof *p->now;
    const myr_status status = cuda_box_check(
        b,
        cudaMemcpyAsync(p->slot + (size_t)c->open * vector, p->now, bytes, cudaMemcpyDeviceToDevice, b->device.stream),
        "copying on the device");
    return status ? status
                  : cuda_box_check(b,
                                   cudaMemcpyAsync(c->slot + c->open * c->stride, p->now, bytes, cudaMemcpyDeviceToHost,
                                                   b->device.stream),
                                   "copying from the device");
}

myr_status cuda_box_correlate(myr_cuda_box *box, const box_correlation *c, int *refused)
{
    myr_cuda_box *b = box;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = cuda_box_send_index(b, c->index);
    cuda_box_paths *p = status ? NULL : paths_find(b, c);
    *refused = !status && !p;
    if (!p)
        return status;
    if (p->samples != c->samples)
        status = paths_send(b, p, c);
    p->samples = -1;
    myr_box_paths a = {.sums = cuda_box_sums(b),
                       .set = c->set,
                       .index = b->good.index,
                       .path = p->path,
                       .now = p->now,
                       .slot = p->slot,
                       .type = p->type,
                       .compare = p->compare,
                       .part = p->part,
                       .chunks = (int64_t)paths_chunks(b)};
    a.sums.h = c->h;
    memcpy(a.origin, c->origin, sizeof a.origin);
    memcpy(a.length, b->length, sizeof a.length);
    if (!status)
        status = cuda_box_launch(b, KERNEL_PATHS_NOW, b->set.n, 256, &a, sizeof a);
    if (!status && c->open >= 0)
        status = paths_open(b, p, c);
    if (!status && c->compares > 0)
        status = cuda_box_upload(b, p->compare, c->compare, (size_t)c->compares * sizeof *c->compare);
    if (!status && c->compares > 0)
        status = cuda_box_launch(b, KERNEL_PATHS_SUMS, c->compares * a.chunks * BOX_PATHS_CHUNK, BOX_PATHS_CHUNK, &a,
                                 sizeof a);
    const size_t parts = (size_t)(c->compares * c->set.types * a.chunks);
    if (!status)
        status = cuda_box_check(
            b, cudaMemcpyAsync(c->part, p->part, parts * sizeof *c->part, cudaMemcpyDeviceToHost, b->device.stream),
            "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "correlating");
    p->samples = status ? -1 : c->samples + 1;
    return status;
}
