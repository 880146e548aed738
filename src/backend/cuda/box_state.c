/* box_state.c - particles in a box on a device: the state between launches, a new list, and copies. See box.c. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

/* Skin of a particle: a part of the largest one, and multiples of the ways that its velocity and its acceleration take
 * it until the list is halfway through its life; at least all of that way and a part of the largest skin. In a melt (16
 * times 16,384 particles) 0.45, 0.5 and 2.25 were the least with which no particle left its skin in 12 steps. */
static const float BOX_SKIN_LEAST = 0.5f, BOX_SKIN_STRAIGHT = 0.5f, BOX_SKIN_BENT = 2.0f, BOX_SKIN_BEYOND = 0.05f;

/* --- the state ---------------------------------------------------------------------------------------------------- */

/* Clears the slots, and writes the first one. */
myr_status cuda_box_begin(myr_cuda_box *b, const myr_box_slot *first)
{
    b->at = 0;
    b->is_known = 0;
    b->slot[0] = *first;
    myr_status status = cuda_box_check(
        b, cudaMemsetAsync(b->all.slot, 0, BOX_SLOTS * sizeof *b->slot, b->device.stream), "clearing the state");
    return status
               ? status
               : cuda_box_check(
                     b, cudaMemcpyAsync(b->all.slot, b->slot, sizeof *first, cudaMemcpyHostToDevice, b->device.stream),
                     "copying to the device");
}

/* Waits, and reads the slots up to the present one. */
myr_status cuda_box_look(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = cuda_box_check(b,
                                       cudaMemcpyAsync(b->slot, b->all.slot, (size_t)(b->at + 1) * sizeof *b->slot,
                                                       cudaMemcpyDeviceToHost, b->device.stream),
                                       "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "moving particles in a box");
    *now = b->known = b->slot[b->at];
    b->is_known = !status;
    if (!status && b->is_open)
        cuda_box_note_fastest(b);
    return status ? status : cuda_box_checked(b, now);
}

size_t cuda_box_table_size(const myr_cuda_box_set *set)
{
    return (size_t)set->types * (size_t)set->types * MYR_BOX_CONSTANTS *
           (set->arithmetic == MYR_ARITHMETIC_DOUBLE ? sizeof(double) : sizeof(float));
}

myr_status cuda_box_launch(myr_cuda_box *b, box_kernel k, int64_t threads, int block, void *arguments, size_t size)
{
    const size_t table = cuda_box_table_size(&b->set);
    const int has_pairs = k == KERNEL_STEP || k == KERNEL_STEP_CUBE || k == KERNEL_SUMS || k == KERNEL_MEASURE;
    const size_t shared = has_pairs && cuda_box_typed(&b->set) == 1 ? table : 0;
    const int reads_state =
        k == KERNEL_MEASURE || (k >= KERNEL_LARGEST && k <= KERNEL_PLAIN); /* and does not write it */
    b->is_known &= reads_state;
    const dim3 grid = {(unsigned)((threads + block - 1) / block), 1, 1};
    const cuda_call call = {b->kernel[k], grid, (unsigned)block,         shared,
                            arguments,    size, cuda_box_kernel_name[k], k <= KERNEL_SEARCH};
    return cuda_launch_now(b->cuda, b->context, &b->device, &call);
}

/* Number of threads of the loops over pairs. */
int64_t cuda_box_pair_threads(const myr_cuda_box *b)
{
    return ((int64_t)b->all.clusters * b->lanes + 31) / 32 * 32;
}

myr_box_common cuda_box_common(const myr_cuda_box *b, int64_t most)
{
    myr_box_common all = b->all;
    all.slot = b->all.slot + b->at;
    all.most = most;
    return all;
}

/* Places for which the list is built: expected halfway through its life, at most nearly as far as it allows; and the
 * skins of the particles. Copies of particles of other ranks have no velocity: there all skins are the same, as where
 * nothing is expected. */
static void box_lead(const myr_cuda_box *b, myr_box_list *a)
{
    const int is_expected = !b->set.is_divided && b->lead[0] != 0;
    a->most = cuda_box_allowed(b);
    a->beyond = BOX_SKIN_BEYOND * a->most;
    a->least = is_expected ? BOX_SKIN_LEAST * a->most : a->most;
    a->straight = BOX_SKIN_STRAIGHT;
    a->bent = BOX_SKIN_BENT;
    a->lead2 = 0.9f * a->most * a->most;
    cuda_box_displace(b, a->displace);
    for (int c = 0; c < 3 && is_expected; c++) {
        a->lead[c] = (float)(b->lead[0] * (0x1p32 / b->length[c]));
        a->bend[c] = (float)(b->lead[1] * (0x1p32 / b->length[c]));
    }
}

myr_box_list cuda_box_list_arguments(const myr_cuda_box *b, int64_t most)
{
    myr_box_list a = b->list;
    a.all = cuda_box_common(b, most);
    a.searches = b->has_tasks ? b->resident : INT32_MAX;
    box_lead(b, &a);
    return a;
}

myr_status cuda_box_build(myr_cuda_box *b, int64_t most, int always)
{
    enum { THREADS = MYR_BOX_THREADS };
    myr_box_list a = cuda_box_list_arguments(b, most);
    const int64_t n = b->set.n, warps = b->all.clusters < BOX_SEARCHES ? b->all.clusters : BOX_SEARCHES;
    a.always = always;
    myr_status status = cuda_box_launch(b, KERNEL_COUNT, n, THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_launch(b, KERNEL_SCAN, ((int64_t)a.bins / MYR_BOX_SCAN + 1) * THREADS, THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_launch(b, KERNEL_PLACE, n, THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_launch(b, KERNEL_SORT, n, THREADS, &a, sizeof a);
    if (!status)
        status = cuda_box_launch(b, KERNEL_SEARCH, warps * 32, THREADS, &a, sizeof a);
    b->at++;
    return status || !b->set.is_divided ? status : cuda_box_ranks_sorted(b);
}

/* Saves (0) or restores (1) the particles. */
myr_status cuda_box_keep(myr_cuda_box *b, const myr_box_slot *now, int back)
{
    myr_box_keep a = {.all = cuda_box_common(b, 0), .kept = b->kept, .back = back};
    a.side = now->side;
    for (int c = 0; c < 3; c++) {
        a.f[c] = b->kept_f[c];
        a.old[c] = b->kept_old[c];
        a.image[c] = b->kept_image[c];
    }
    if (back)
        b->is_listed = 0;
    return cuda_box_launch(b, KERNEL_KEEP, b->set.n, 256, &a, sizeof a);
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

myr_status cuda_box_upload(myr_cuda_box *b, void *to, const void *from, size_t bytes)
{
    if (!from)
        return MYR_OK;
    return cuda_box_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, b->device.stream),
                          "copying to the device");
}

/* Number of types that are sorted apart: all, if there are few, none of which is rare. Clusters of a rare type would
 * span so much of the box that their rows were long. */
static int32_t box_sections(myr_cuda_box *b, const myr_cuda_box_arrays *from)
{
    int64_t count[MYR_BOX_SECTIONS] = {0};
    if (b->set.types < 2 || b->set.types > MYR_BOX_SECTIONS || b->set.is_divided)
        return 1;
    for (int64_t i = 0; i < b->set.n; i++)
        count[from->type[i]]++;
    for (int t = 0; t < b->set.types; t++)
        if (count[t] < BOX_SECTION_LEAST * b->set.n / 100)
            return 1;
    for (int t = 0; t < b->set.types; t++)
        b->share[t] = (double)count[t] / (double)b->set.n;
    return b->set.types;
}

/* Sorts particles into the grid that suits their types. */
static myr_status box_fit_sections(myr_cuda_box *b, const myr_cuda_box_arrays *from)
{
    const int32_t before = b->list.sections;
    b->list.sections = box_sections(b, from);
    return b->length[0] > 0 && (before > 1 || b->list.sections > 1) ? cuda_box_grid(b) : MYR_OK;
}

myr_status cuda_box_send(myr_cuda_box *box, const myr_cuda_box_arrays *from)
{
    myr_cuda_box *b = box;
    const size_t n = (size_t)b->set.n, own = (size_t)b->all.own; /* copies have coordinates, type and id only */
    const myr_box_slot first = {.side = 0};
    int32_t *row = malloc((n + 1) * sizeof *row);
    uint32_t *upper = malloc((n + 1) * sizeof *upper);
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!row || !upper)
        status = b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory to copy %zu particles", n);
    for (size_t i = 0; i < n && !status; i++)
        row[i] = (int32_t)i;
    if (!status)
        status = cuda_box_upload(b, b->all.side[0].row, row, n * sizeof *row);
    for (int c = 0; c < 3 && !status; c++) {
        for (size_t i = 0; i < n; i++)
            upper[i] = (uint32_t)(from->q[c][i] >> 32);
        status = cuda_box_upload(b, b->all.old[c], upper, n * sizeof *upper);
        if (!status)
            status = cuda_box_upload(b, b->all.side[0].q[c], from->q[c], n * 8);
        if (!status)
            status = cuda_box_upload(b, b->all.side[0].v[c], from->v[c], own * 8);
        if (!status)
            status = cuda_box_upload(b, b->all.f[c], from->f[c], own * 8);
        if (!status)
            status = cuda_box_upload(b, b->all.image[c], from->image[c], own * 4);
        if (!status && b->set.external)
            status = cuda_box_upload(b, b->external.anchor[c], from->anchor[c], own * 8);
        if (!status) /* `upper` is used again */
            status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    }
    if (!status)
        status = cuda_box_upload(b, b->all.side[0].inverse, from->inverse, own * 8);
    if (!status)
        status = cuda_box_upload(b, (void *)(uintptr_t)b->all.mass, from->mass, own * 8);
    if (!status)
        status = cuda_box_upload(b, (void *)(uintptr_t)b->all.type, from->type, n * 4);
    if (!status)
        status = cuda_box_upload(b, (void *)(uintptr_t)b->all.id, from->id, n * 8);
    b->is_listed = 0;
    if (!status)
        status = box_fit_sections(b, from);
    if (!status && b->is_open)
        status = cuda_box_bounds(b, from);
    if (!status)
        status = cuda_box_begin(b, &first);
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    free(row);
    free(upper);
    return status;
}

myr_box_sums cuda_box_sums(const myr_cuda_box *b)
{
    return (myr_box_sums){.all = cuda_box_common(b, 0), .total = b->total, .grid = b->grid, .factor = 1};
}

myr_status cuda_box_fetch(myr_cuda_box *box, const myr_cuda_box_arrays *to)
{
    myr_cuda_box *b = box;
    const size_t n = (size_t)b->set.n, own = (size_t)b->all.own;
    const size_t coordinates = own + (size_t)b->ranks.halo; /* copies have coordinates only */
    myr_box_sums a = cuda_box_sums(b);
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    a.to[0] = b->copy;
    for (int c = 0; c < 3; c++)
        a.image[c] = b->images + (size_t)c * n;
    for (int what = 0; what < 3 && !status; what++) {
        a.power = what;
        status = cuda_box_launch(b, KERNEL_FETCH, b->set.n, 256, &a, sizeof a);
        for (int c = 0; c < 3 && !status; c++) {
            void *host = what == 0 ? (void *)to->q[c] : what == 1 ? (void *)to->v[c] : (void *)to->f[c];
            const size_t bytes = 8 * (what == 0 ? coordinates : own);
            if (host)
                status = cuda_box_check(
                    b, cudaMemcpyAsync(host, b->copy + (size_t)c * n, bytes, cudaMemcpyDeviceToHost, b->device.stream),
                    "copying from the device");
            if (!status && what == 0 && to->image[c])
                status = cuda_box_check(
                    b, cudaMemcpyAsync(to->image[c], a.image[c], own * 4, cudaMemcpyDeviceToHost, b->device.stream),
                    "copying from the device");
        }
    }
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
}

/* Copies the forces to b->copy in the order of the host (power 2) or from there (power 3). */
myr_status cuda_box_carry_forces(myr_cuda_box *b, int power)
{
    myr_box_sums a = cuda_box_sums(b);
    a.to[0] = b->copy;
    a.power = power;
    return cuda_box_launch(b, KERNEL_FETCH, b->set.n, 256, &a, sizeof a);
}
