/* far_parity.c - M2L by products of matrices on a device (far_parity.cuh): matrices, memory and launches. */
#include <stdlib.h>

#include "backend/cuda/far_inside.h"

enum {
    PARITY_ORDER_LEAST = 3,    /* below, a rotated translation costs less */
    PARITY_ORDER_MOST = 16,    /* matrices of 55 MB */
    PARITY_CELLS_LEAST = 1000, /* cells with children from which on the products fill a device */
    PARITY_OFFSETS = 343,
    PARITY_BLOCKS = 26,
    PARITY_DENSE_THREADS = 128
};

/* Largest sums by class, in bytes. Products read each of them 26 times: those of 77 MB (1e7 bodies, 7 degrees) ran at
 * 19 % of the issue rate on an H200, those of 172 MB (256^3 elements, 12 degrees) at 9 %, and rotations at 25 %. */
#define PARITY_BYTES_MOST 1e8

static const char *const kernel_name[FAR_PARITY_KERNELS] = {
    "far_parity_dense", "far_parity_matrix", "far_parity_rows", "far_parity_spread",
    "far_parity_sum",   "far_parity_gather", "far_parity_up",   "far_parity_down"};

/* Sizes of far_parity.cuh, which follow from the order. */
typedef struct {
    int terms, size, deep, wide, threads, tile;
} parity_sizes;

static parity_sizes sizes_of(int order)
{
    const int terms = order * order, columns = terms <= 88 ? 8 : 16, each = (terms + columns - 1) / columns;
    const int threads = columns == 8 ? 128 : 256, cells = each <= 11 ? 8 : 4;
    return (parity_sizes){.terms = terms,
                          .size = (terms + 3) / 4 * 4,
                          .deep = (terms + 7) / 8 * 8,
                          .wide = each * columns,
                          .threads = threads,
                          .tile = threads / columns * cells};
}

int cuda_far_parity_fits(const myr_cuda_far_set *set)
{
    return !set->portable && !set->in_double && set->separation == 1 && set->order >= PARITY_ORDER_LEAST &&
           set->order <= PARITY_ORDER_MOST;
}

myr_status cuda_far_parity_kernels(myr_cuda_far *far)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < FAR_PARITY_KERNELS && !status; k++)
        status = cuda_far_check(far, cudaLibraryGetKernel(&far->parity_kernel[k], far->library[1], kernel_name[k]),
                                kernel_name[k]);
    return status;
}

/* Cells with children. */
static int64_t parity_rows(const myr_cuda_far *far)
{
    return (int64_t)far->state->level[far->levels] - far->state->leaves;
}

int cuda_far_parity_wanted(const myr_cuda_far *far)
{
    const char *given = getenv("MYRIAD_FAR_PARITY"); /* smallest number of cells with children: for tests */
    const double bytes = 8.0 * (double)parity_rows(far) * sizes_of(far->order).deep * sizeof(float);
    return far->has_parity && parity_rows(far) >= (given ? atoi(given) : PARITY_CELLS_LEAST) &&
           bytes <= PARITY_BYTES_MOST;
}

static myr_status parity_launch(myr_cuda_far *far, far_parity_kernel kernel, int64_t threads, unsigned block,
                                myr_far_series *a)
{
    return cuda_far_launch(far, far->parity_kernel[kernel], "translating multipoles", threads, block, a, sizeof *a);
}

/* Makes the matrices from the columns of all translations, once. */
static myr_status parity_matrices(myr_cuda_far *far, myr_far_series a)
{
    const parity_sizes s = sizes_of(far->order);
    const size_t unit = (size_t)s.terms * (size_t)s.size, dense = PARITY_OFFSETS * unit;
    const size_t matrices = (size_t)8 * PARITY_BLOCKS * (size_t)s.deep * (size_t)s.wide;
    if (far->has_matrices)
        return MYR_OK;
    float *one = calloc(unit, sizeof *one);
    if (!one)
        return far->cuda->host->fail(far->context, MYR_ERROR_MEMORY, "no memory for expansions of order %d",
                                     far->order);
    for (int k = 0; k < s.terms; k++)
        one[k * s.size + k] = 1;
    myr_status status = cuda_far_room(far, FAR_PARITY_MATRIX, matrices * sizeof *one, 0);
    if (!status)
        status = cuda_far_room(far, FAR_PARITY_SPREAD, (dense + unit) * sizeof *one, 0);
    a.local = far_at(far, FAR_PARITY_SPREAD);
    a.multipole = (float *)a.local + dense;
    a.matrix = far_at(far, FAR_PARITY_MATRIX);
    if (!status)
        status = cuda_far_check(
            far, cudaMemcpyAsync(a.multipole, one, unit * sizeof *one, cudaMemcpyHostToDevice, far->device.stream),
            "copying operators to the device");
    free(one); /* pageable memory: the copy has read it */
    if (!status)
        status = parity_launch(far, FAR_PARITY_DENSE, (int64_t)PARITY_OFFSETS * s.terms, PARITY_DENSE_THREADS, &a);
    if (!status)
        status = parity_launch(far, FAR_PARITY_MATRICES, (int64_t)7 * s.deep * s.wide, PARITY_DENSE_THREADS, &a);
    far->has_matrices = !status;
    return status;
}

static myr_status parity_rooms(myr_cuda_far *far, myr_far_series *a)
{
    const parity_sizes s = sizes_of(far->order);
    const size_t rows = (size_t)parity_rows(far), cells = (size_t)far->state->level[far->levels];
    const struct {
        far_buffer id;
        size_t size;
    } rooms[] = {{FAR_PARITY_SPREAD, (rows + 1) * 8 * (size_t)s.deep * sizeof(float)},
                 {FAR_PARITY_GATHERED, rows * 8 * (size_t)s.wide * sizeof(float)},
                 {FAR_PARITY_ROWS, cells * sizeof *a->row},
                 {FAR_PARITY_LISTS, (2 * rows + 2) * sizeof *a->target}};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        const myr_status status = cuda_far_room(far, rooms[k].id, rooms[k].size, 0);
        if (status)
            return status;
    }
    a->matrix = far_at(far, FAR_PARITY_MATRIX);
    a->spread = far_at(far, FAR_PARITY_SPREAD);
    a->gathered = far_at(far, FAR_PARITY_GATHERED);
    a->row = far_at(far, FAR_PARITY_ROWS);
    a->used = far_at(far, FAR_PARITY_LISTS);
    a->parent = a->used + 2;
    a->target = a->parent + rows;
    return MYR_OK;
}

myr_status cuda_far_parity(myr_cuda_far *far, int met, myr_far_series *a)
{
    const parity_sizes s = sizes_of(far->order);
    const int64_t rows = parity_rows(far);
    myr_status status = parity_matrices(far, *a);
    if (!status)
        status = parity_rooms(far, a);
    if (!status)
        status = cuda_far_check(far, cudaMemsetAsync(a->used, 0, 2 * sizeof *a->used, far->device.stream),
                                "clearing the lists");
    if (!status)
        status = cuda_far_check(far,
                                cudaMemsetAsync((float *)a->spread + rows * 8 * s.deep, 0,
                                                (size_t)(8 * s.deep) * sizeof(float), far->device.stream),
                                "clearing a row");
    a->met = met;
    a->zeros = (int32_t)rows;
    a->begin = 0;
    a->end = far->state->level[far->levels];
    if (!status)
        status = parity_launch(far, FAR_PARITY_ROWS_OF, a->end, MYR_FAR_THREADS, a);
    for (int k = 0; k < far->strengths && !status; k++) {
        a->number = k;
        status = parity_launch(far, FAR_PARITY_SPREADING, rows * s.deep, MYR_FAR_THREADS, a);
        if (!status)
            status = parity_launch(far, FAR_PARITY_SUM, (rows + s.tile - 1) / s.tile * 8 * s.threads,
                                   (unsigned)s.threads, a);
        if (!status)
            status = parity_launch(far, FAR_PARITY_GATHER, rows * s.terms, MYR_FAR_THREADS, a);
    }
    return status;
}
