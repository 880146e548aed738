/* far_parity.c - M2L by products of matrices on a device (far_parity.cuh): matrices, memory and launches. */
#include <stdlib.h>

#include "backend/cuda/far_inside.h"

enum {
    PARITY_ORDER_LEAST = 3,    /* below, a rotated translation costs less */
    PARITY_ORDER_MOST = 16,    /* matrices of 55 MB */
    PARITY_CELLS_LEAST = 1000, /* cells with children from which on the products fill a device */
    PARITY_OFFSETS = 343,
    PARITY_BLOCKS = 26,
    PARITY_NEAR = 27,
    PARITY_STAGES = 4,
    PARITY_TENSORS = 8, /* compute capability from which on there are tensor cores for TF32 */
    PARITY_DENSE_THREADS = 128
};

#define PARITY_MIXED_BYTES 2e9 /* of the sums over neighbours; larger sets are treated in parts */

static const char *const kernel_name[FAR_PARITY_KERNELS] = {
    "far_parity_dense", "far_parity_matrix",  "far_parity_rows",   "far_parity_spread", "far_parity_near",
    "far_parity_mix",   "far_parity_product", "far_parity_gather", "far_parity_up",     "far_parity_down"};

/* Sizes of far_parity.cuh, which follow from the order. */
typedef struct {
    int terms, size, deep, wide;
    int fours, steps, tiles; /* of a product */
    int rows;                /* cells per block of the sums over neighbours */
    int threads, stages;     /* of a block of a product: threads, bytes of shared memory */
} parity_sizes;

static parity_sizes sizes_of(int order)
{
    const int terms = order * order, size = (terms + 3) / 4 * 4, fours = size / 4, tiles = (terms + 7) / 8;
    return (parity_sizes){.terms = terms,
                          .size = size,
                          .deep = (terms + 7) / 8 * 8,
                          .wide = 8 * tiles,
                          .fours = fours,
                          .steps = (PARITY_BLOCKS * fours + 3) / 4,
                          .tiles = tiles,
                          .rows = MYR_FAR_THREADS / fours,
                          .threads = tiles > 11 ? 256 : 128,
                          .stages = PARITY_STAGES * (MYR_FAR_PARITY_ROWS / 16 * 64 + tiles * 32) * 16};
}

/* Bytes of the sums over neighbours of MYR_FAR_PARITY_ROWS cells. */
static size_t mixed_tile(parity_sizes s)
{
    return (size_t)8 * (size_t)s.steps * (MYR_FAR_PARITY_ROWS / 16 * 64) * 16;
}

/* Cells whose sums over neighbours are in memory at a time. */
static int64_t mixed_rows(parity_sizes s, int64_t rows)
{
    const int64_t all = (rows + MYR_FAR_PARITY_ROWS - 1) / MYR_FAR_PARITY_ROWS,
                  most = (int64_t)(PARITY_MIXED_BYTES / (double)mixed_tile(s)),
                  parts = (all + most - 1) / (most > 0 ? most : 1);
    return MYR_FAR_PARITY_ROWS * ((all + parts - 1) / (parts > 0 ? parts : 1));
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
    return far->has_parity && far->device.properties.major >= PARITY_TENSORS &&
           parity_rows(far) >= (given ? atoi(given) : PARITY_CELLS_LEAST);
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
    const size_t matrices = (size_t)8 * (size_t)s.steps * (size_t)s.tiles * 128;
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
        status = cuda_far_check(
            far, cudaMemsetAsync(far_at(far, FAR_PARITY_MATRIX), 0, matrices * sizeof *one, far->device.stream),
            "clearing matrices");
    if (!status)
        status = parity_launch(far, FAR_PARITY_MATRICES, (int64_t)7 * s.terms * s.terms, PARITY_DENSE_THREADS, &a);
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
                 {FAR_PARITY_LISTS, (2 * rows + 2) * sizeof *a->target},
                 {FAR_PARITY_MIXING, rows * PARITY_NEAR * sizeof *a->mixing},
                 {FAR_PARITY_MIXED, (size_t)mixed_rows(s, (int64_t)rows) / MYR_FAR_PARITY_ROWS * mixed_tile(s)}};
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
    a->mixing = far_at(far, FAR_PARITY_MIXING);
    a->mixed = far_at(far, FAR_PARITY_MIXED);
    return MYR_OK;
}

/* Sums over neighbours and their products with the matrices, for parts of the listed cells. */
static myr_status parity_products(myr_cuda_far *far, parity_sizes s, int64_t rows, myr_far_series *a)
{
    const int64_t part = mixed_rows(s, rows);
    myr_status status = MYR_OK;
    a->end = (int32_t)part;
    for (int64_t first = 0; first < rows && !status; first += part) {
        a->begin = (int32_t)first;
        status =
            parity_launch(far, FAR_PARITY_MIX, (part + s.rows - 1) / s.rows * 8 * MYR_FAR_THREADS, MYR_FAR_THREADS, a);
        const cuda_call call = {.kernel = far->parity_kernel[FAR_PARITY_PRODUCT],
                                .grid = {(unsigned)(part / MYR_FAR_PARITY_ROWS * 8), 1, 1},
                                .threads = (unsigned)s.threads,
                                .shared = (size_t)s.stages,
                                .arguments = a,
                                .size = sizeof *a,
                                .what = "translating multipoles"};
        if (!status)
            status = cuda_launch(far->cuda, far->context, &far->device, &call);
    }
    return status;
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
    if (!status)
        status = parity_launch(far, FAR_PARITY_NEAR, rows * PARITY_NEAR, MYR_FAR_THREADS, a);
    for (int k = 0; k < far->strengths && !status; k++) {
        a->number = k;
        status = parity_launch(far, FAR_PARITY_SPREADING, rows * s.deep, MYR_FAR_THREADS, a);
        if (!status)
            status = parity_products(far, s, rows, a);
        if (!status)
            status = parity_launch(far, FAR_PARITY_GATHER, rows * s.terms, MYR_FAR_THREADS, a);
    }
    return status;
}
