/* box_fields.c - restraints, external fields, walls and open axes of particles in a box on a device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

/* --- restraints, fields and walls --------------------------------------------------------------------------------- */

myr_status cuda_box_external_room(myr_cuda_box *b)
{
    const size_t n = (size_t)b->set.n + MYR_BOX_PAD;
    myr_status status = cuda_box_room(b, &b->all.external, sizeof b->external);
    for (int c = 0; c < 3 && !status; c++)
        status = cuda_box_room(b, &b->external.anchor[c], n * sizeof **b->external.anchor);
    return status ? status : cuda_box_room(b, &b->external.push, 2 * MYR_BOX_WALLS * sizeof *b->external.push);
}

myr_status cuda_box_set_external(myr_cuda_box *b, const myr_cuda_box_potential *p)
{
    myr_box_external *e = &b->external;
    memset(&e->fields, 0, sizeof e->fields);
    e->has_fields = p->fields != NULL;
    if (p->fields)
        e->fields = *p->fields;
    e->has_mirrors = 0;
    for (int c = 0; c < 3; c++) {
        e->unit[c] = p->length[c] * 0x1p-64;
        e->origin[c] = p->origin[c];
        e->length[c] = p->length[c];
        e->has_mirrors |= e->fields.wall[c].kind == BOX_WALL_REFLECTING;
    }
    e->stiffness = p->stiffness;
    e->restrained_type = p->restrained_type;
    const myr_status status = cuda_box_upload(b, (void *)(uintptr_t)b->all.external, e, sizeof *e);
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
}

myr_status cuda_box_clear_push(myr_cuda_box *b)
{
    if (!b->set.external)
        return MYR_OK;
    return cuda_box_check(
        b, cudaMemsetAsync(b->external.push, 0, 2 * MYR_BOX_WALLS * sizeof *b->external.push, b->device.stream),
        "clearing sums");
}

myr_status cuda_box_fetch_push(myr_cuda_box *b, myr_cuda_box_done *done)
{
    if (!b->set.external)
        return MYR_OK;
    myr_status status = cuda_box_check(
        b, cudaMemcpyAsync(done->push, b->external.push, sizeof done->push, cudaMemcpyDeviceToHost, b->device.stream),
        "copying from the device");
    return status ? status : cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
}

myr_status cuda_box_external(myr_cuda_box *box, myr_cuda_box_quantity quantity, double scale, double *largest,
                             unsigned long long total[2])
{
    myr_cuda_box *b = box;
    myr_box_sums a = cuda_box_sums(b);
    unsigned long long sum[2];
    a.power = (int32_t)quantity;
    a.scale = scale;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = cuda_box_check(b, cudaMemsetAsync(b->total, 0, sizeof sum, b->device.stream), "clearing sums");
    if (!status)
        status = cuda_box_launch(b, KERNEL_EXTERNAL, b->set.n, 256, &a, sizeof a);
    if (!status)
        status = cuda_box_check(b, cudaMemcpyAsync(sum, b->total, sizeof sum, cudaMemcpyDeviceToHost, b->device.stream),
                                "copying from the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "summing energies of fields");
    if (!status && scale == 0)
        memcpy(largest, sum, sizeof *largest);
    else if (!status)
        memcpy(total, sum, sizeof sum);
    return status;
}

/* --- open axes ------------------------------------------------------------------------------------------------------
 * The processor looks at the particles whenever their largest displacements add up to the slack of the open axes, and
 * lengthens an axis if they are far out. The device reports the largest velocity of every step, from which the same sum
 * is made here. */

myr_status cuda_box_bounds(myr_cuda_box *b, const myr_cuda_box_arrays *from)
{
    const double more = b->search; /* particles beyond are in the outer cells */
    for (int c = 0; c < 3; c++) {
        uint64_t least = UINT64_MAX, most = 0;
        if (b->set.periodic[c])
            continue;
        for (int64_t i = 0; i < b->set.n; i++) {
            least = from->q[c][i] < least ? from->q[c][i] : least;
            most = from->q[c][i] > most ? from->q[c][i] : most;
        }
        const double part = more / b->length[c];
        const double low = fmax(0, (double)least * 0x1p-64 - part), high = fmin(1, (double)most * 0x1p-64 + part);
        b->low[c] = (uint32_t)(low * 0x1p32);
        b->part[c] = fmin(1 - low, fmax(high - low, 0x1p-10)); /* list_cell multiplies 64-bit integers */
    }
    return cuda_box_grid(b);
}

myr_status cuda_box_begin_fastest(myr_cuda_box *b, int64_t steps)
{
    if (!b->is_open || steps <= b->fastest)
        return MYR_OK;
    double *room = realloc(b->fastest2, (size_t)steps * sizeof *room);
    if (!room)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory for %lld steps", (long long)steps);
    b->fastest2 = room;
    b->fastest = steps;
    return MYR_OK;
}

void cuda_box_note_fastest(myr_cuda_box *b)
{
    for (int k = 0; k < b->at; k++)
        if (b->slot[k + 1].made > b->slot[k].made && b->slot[k].made < b->fastest)
            memcpy(&b->fastest2[b->slot[k].made], &b->slot[k + 1].fastest2, sizeof *b->fastest2);
}

int64_t cuda_box_lasting(const myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_cuda_box_done *done)
{
    const double half = 0.5 * s->dt;
    done->slack = s->slack;
    done->furthest = 0;
    for (int64_t k = 0; k < most && b->is_open; k++) { /* as myr_molecular_step_here */
        const double v2 = b->fastest2[k], way = b->set.langevin ? sqrt(v2 * half * half) : sqrt(v2) * fabs(s->dt);
        done->furthest = fmax(done->furthest, way);
        done->slack -= way;
        if (!(done->slack > 0))
            return k;
    }
    return most;
}
