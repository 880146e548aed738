/* box.c - particles in a box on a device: memory, and the launches of box.cuh.
 *
 * Steps are enqueued without waiting. Every launch reads the state that the one before it left (myr_box_slot) and does
 * nothing if the list has expired, all steps are made, or something needs the processor. Lists are built after as many
 * steps as the shortest recent list lasted: that no step uses an expired list is proven on the device, and the guess
 * has an influence on time only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cuda/box_args.h"
#include "backend/cuda/cuda.h"

/* BOX_BLOCKS, BOX_AHEAD: measured on an H200, 5 to 8 blocks and 1 or 2 points ahead differ by less than 6 %. */
enum {
    BOX_BLOCKS = 6, /* blocks per multiprocessor */
    BOX_AHEAD = 1,  /* sources loaded ahead */
    BOX_ROOMS = 96,
    BOX_SLOTS = 1024,  /* launches between two looks at the state */
    BOX_LIFE_MOST = 64 /* steps between two lists */
};

typedef enum {
    KERNEL_STEP,
    KERNEL_STEP_CUBE,
    KERNEL_COUNT,
    KERNEL_SCAN,
    KERNEL_SCAN_PARTS,
    KERNEL_PLACE,
    KERNEL_SORT,
    KERNEL_SEARCH,
    KERNEL_SUMS,
    KERNEL_MEASURE,
    KERNEL_LARGEST,
    KERNEL_KINETIC,
    KERNEL_CHANGE,
    KERNEL_FETCH,
    KERNELS
} box_kernel;

static const char *const kernel_name[KERNELS] = {
    "box_step",   "box_step_cube", "box_count",   "box_scan",    "box_scan_parts", "box_place",  "box_sort",
    "box_search", "box_sums",      "box_measure", "box_largest", "box_kinetic",    "box_change", "box_fetch"};

struct myr_cuda_box {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* device with its own stream */
    myr_cuda_box_set set;
    cudaLibrary_t library;
    cudaKernel_t kernel[KERNELS];
    int lanes;
    void *room[BOX_ROOMS]; /* device memory, freed at the end */
    size_t size[BOX_ROOMS];
    int rooms;
    size_t bytes;
    myr_box_common all;
    myr_box_list list;
    myr_box_slot *slot; /* [BOX_SLOTS], pinned host copy; the device's is all.slot */
    int at;             /* slot of the next launch */
    /* state at the start of a call, to which a step that needs the processor returns */
    myr_box_side kept;
    double *kept_f[3];
    uint32_t *kept_old[3];
    int32_t *kept_image[3];
    double *copy;    /* [3 n], for copies to the host */
    int32_t *images; /* [3 n] */
    double *heat;
    int64_t heats;
    double *plain; /* sums of warps */
    unsigned long long *total;
    void *table, *table_cube; /* constants in units of sigma; in units of the coordinates */
    double scale_cube;
    double ratio, near; /* smallest sigma^2 / largest 48 epsilon; distance within which pairs repel, in sigma */
    int is_cube;        /* 1 = steps are made with the latter */
    double length[3], search, grid;
    int is_listed; /* 1 = the list is that of the present order and box */
    int64_t life;  /* steps until the next list is built */
    int64_t builds;
    /* time of one list and of the steps with it in a batch of launches, for which all others are taken */
    cudaEvent_t mark[3]; /* before the list, before the steps, after the steps */
    double list_seconds, step_seconds;
    double seconds[2]; /* time in steps, in lists */
};

/* --- memory ------------------------------------------------------------------------------------------------------- */

static myr_status box_check(const myr_cuda_box *b, cudaError_t error, const char *what)
{
    return cuda_check(b->cuda, b->context, error, what);
}

static myr_status box_room(myr_cuda_box *b, void *pointer, size_t bytes)
{
    void *at = NULL;
    char what[64];
    if (b->cuda->limit && b->bytes + bytes > b->cuda->limit)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY,
                                   "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it",
                                   bytes, b->cuda->limit);
    snprintf(what, sizeof what, "allocating %.3g GB", 1e-9 * (double)bytes);
    const myr_status status = box_check(b, cudaMallocAsync(&at, bytes ? bytes : 1, b->device.stream), what);
    if (status)
        return status;
    b->size[b->rooms] = bytes;
    b->room[b->rooms++] = at;
    b->bytes += bytes;
    memcpy(pointer, &at, sizeof at);
    return box_check(b, cudaMemsetAsync(at, 0, bytes, b->device.stream), "clearing memory");
}

static void box_free(myr_cuda_box *b, void *at)
{
    for (int k = 0; k < b->rooms; k++)
        if (b->room[k] == at) {
            (void)cudaFreeAsync(at, b->device.stream);
            b->bytes -= b->size[k];
            b->size[k] = b->size[--b->rooms];
            b->room[k] = b->room[b->rooms];
            return;
        }
}

/* Arrays of one number per particle. */
static myr_status box_arrays(myr_cuda_box *b)
{
    const size_t n = (size_t)b->set.n + MYR_BOX_PAD, point = b->set.arithmetic == MYR_ARITHMETIC_DOUBLE ? 32 : 16;
    myr_status status = MYR_OK;
    for (int s = 0; s < 3 && !status; s++) {
        myr_box_side *side = s < 2 ? &b->all.side[s] : &b->kept;
        for (int c = 0; c < 3 && !status; c++) {
            status = box_room(b, &side->q[c], n * sizeof **side->q);
            if (!status)
                status = box_room(b, &side->v[c], n * sizeof **side->v);
        }
        if (!status)
            status = box_room(b, &side->inverse, n * sizeof *side->inverse);
        if (!status)
            status = box_room(b, &side->row, n * sizeof *side->row);
        if (!status && s < 2)
            status = box_room(b, &b->all.point[s], n * point);
    }
    for (int c = 0; c < 3 && !status; c++) {
        status = box_room(b, &b->all.f[c], n * sizeof(double));
        if (!status)
            status = box_room(b, &b->kept_f[c], n * sizeof(double));
        if (!status)
            status = box_room(b, &b->all.old[c], n * sizeof(uint32_t));
        if (!status)
            status = box_room(b, &b->kept_old[c], n * sizeof(uint32_t));
        if (!status)
            status = box_room(b, &b->all.image[c], n * sizeof(int32_t));
        if (!status)
            status = box_room(b, &b->kept_image[c], n * sizeof(int32_t));
    }
    return status;
}

static myr_status box_rooms(myr_cuda_box *b)
{
    const size_t n = (size_t)b->set.n + MYR_BOX_PAD;
    const size_t warps = ((size_t)b->all.clusters * (size_t)b->lanes + MYR_BOX_THREADS) / 32 + 8;
    const size_t table = (size_t)b->set.types * (size_t)b->set.types * MYR_CUDA_BOX_CONSTANTS * sizeof(double);
    myr_status status = box_arrays(b);
    if (!status)
        status = box_room(b, &b->all.mass, n * sizeof(double));
    if (!status)
        status = box_room(b, &b->all.type, n * sizeof(int32_t));
    if (!status)
        status = box_room(b, &b->all.id, n * sizeof(int64_t));
    if (!status)
        status = box_room(b, &b->all.entries, ((size_t)b->all.clusters + 1) * sizeof(int32_t));
    if (!status)
        status = box_room(b, &b->list.bin, n * sizeof(int32_t));
    if (!status)
        status = box_room(b, &b->list.order, n * sizeof(int32_t));
    if (!status)
        status = box_room(b, &b->copy, 3 * n * sizeof(double));
    if (!status)
        status = box_room(b, &b->images, 3 * n * sizeof(int32_t));
    if (!status)
        status = box_room(b, &b->plain, warps * MYR_BOX_TERMS * sizeof(double));
    if (!status)
        status = box_room(b, &b->total, MYR_BOX_SIZES * sizeof *b->total);
    if (!status)
        status = box_room(b, &b->table, table);
    if (!status)
        status = box_room(b, &b->table_cube, table);
    return status ? status : box_room(b, &b->all.slot, BOX_SLOTS * sizeof *b->slot);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

/* 1 if the program has a faster loop for boxes with equal edges. */
static int box_has_cube(const myr_cuda_box *b)
{
    return b->set.arithmetic == MYR_ARITHMETIC_SINGLE && !b->set.root;
}

/* Threads per cluster: enough for the whole device. */
static int box_lanes(int64_t n)
{
    const char *given = getenv("MYRIAD_BOX_LANES"); /* for tests, in which few particles use all variants */
    if (given && (atoi(given) == 4 || atoi(given) == 8 || atoi(given) == 16))
        return atoi(given);
    return n >= 400000 ? 4 : n >= 100000 ? 8 : 16;
}

static myr_status box_compile(const myr_cuda *cuda, const cuda_device *device, const myr_cuda_box_set *set, void **code,
                              size_t *size)
{
    char text[512];
    snprintf(text, sizeof text,
             "#define MYR_ARITH %d\n#define MYR_LANE_BYTES 0\n#define BOX_SUMS %d\n#define BOX_TYPED %d\n"
             "#define BOX_ROOT %d\n#define BOX_LANES %d\n#define BOX_LANGEVIN %d\n#define BOX_BLOCKS %d\n#define "
             "BOX_AHEAD %d\n"
             "#include \"backend/cuda/box.cuh\"\n",
             set->arithmetic, (int)set->sums, set->types > 1, set->root, box_lanes(set->n), set->langevin, BOX_BLOCKS,
             BOX_AHEAD);
    return cuda_compile(cuda, set->context, device, "the program of particles in a box", text, NULL, code, size);
}

static myr_status box_program(myr_cuda_box *b)
{
    void *code = NULL;
    size_t size = 0;
    myr_status status = box_compile(b->cuda, &b->device, &b->set, &code, &size);
    if (!status)
        status =
            box_check(b, cudaLibraryLoadData(&b->library, code, NULL, NULL, 0, NULL, NULL, 0), "loading a program");
    free(code);
    for (int k = 0; k < KERNELS && !status; k++)
        if (k != KERNEL_STEP_CUBE || box_has_cube(b))
            status = box_check(b, cudaLibraryGetKernel(&b->kernel[k], b->library, kernel_name[k]), kernel_name[k]);
    return status;
}

myr_status cuda_box_code(const myr_cuda_host *host, const myr_cuda_box_set *set, const myr_cuda_device *on,
                         myr_cuda_code *code)
{
    myr_cuda *cuda = calloc(1, sizeof *cuda);
    *code = (myr_cuda_code){NULL, 0, 0};
    if (!cuda)
        return host->fail(set->context, MYR_ERROR_MEMORY, "no memory for the GPU backend");
    cuda->host = host;
    cuda->device[0].properties.major = on->major;
    cuda->device[0].properties.minor = on->minor;
    const myr_status status = box_compile(cuda, &cuda->device[0], set, &code->bytes, &code->size);
    code->pairs = MYR_BOX_CLUSTER;
    free(cuda);
    return status;
}

myr_status cuda_box_open(myr_cuda *cuda, const myr_cuda_box_set *set, myr_cuda_box **box)
{
    *box = NULL;
    myr_cuda_box *b = calloc(1, sizeof *b);
    if (!b)
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for particles in a box");
    b->cuda = cuda;
    b->context = set->context;
    b->set = *set;
    b->lanes = box_lanes(set->n);
    b->life = 4;
    b->all.n = (int32_t)set->n;
    b->all.clusters = (int32_t)((set->n + MYR_BOX_CLUSTER - 1) / MYR_BOX_CLUSTER);
    b->all.types = set->types;
    memcpy(b->all.periodic, set->periodic, sizeof b->all.periodic);
    if (b->set.skin <= 0)
        b->set.skin = 0.12 * set->cutoff;
    b->search = set->cutoff + b->set.skin;
    myr_status status = cuda_device_copy(cuda, b->context, &cuda->device[0], &b->device);
    if (!status)
        status =
            box_check(b, cudaMallocHost((void **)&b->slot, BOX_SLOTS * sizeof *b->slot), "allocating pinned memory");
    for (int k = 0; k < 3 && !status; k++)
        status = box_check(b, cudaEventCreate(&b->mark[k]), "making an event");
    if (!status)
        status = box_program(b);
    if (!status)
        status = box_rooms(b);
    if (status) {
        cuda_box_close(b);
        return status;
    }
    *box = b;
    return MYR_OK;
}

void cuda_box_close(myr_cuda_box *box)
{
    if (!box)
        return;
    while (box->rooms > 0)
        (void)cudaFreeAsync(box->room[--box->rooms], box->device.stream);
    if (box->library)
        (void)cudaLibraryUnload(box->library);
    for (int k = 0; k < 3; k++)
        if (box->mark[k])
            (void)cudaEventDestroy(box->mark[k]);
    if (box->slot)
        (void)cudaFreeHost(box->slot);
    cuda_device_release(&box->device);
    free(box);
}

/* --- the grid of the list ----------------------------------------------------------------------------------------- */

/* Columns in which four consecutive particles fill about a cube, and bins of about one particle. */
static myr_status box_grid(myr_cuda_box *b)
{
    myr_box_list *l = &b->list;
    const double volume = b->length[0] * b->length[1] * b->length[2], n = (double)b->set.n;
    const double side = fmax(cbrt(MYR_BOX_CLUSTER * volume / n), 0.25 * b->search);
    const double want[3] = {side, side, fmin(b->search, fmax(0.1 * b->search, volume / n / (side * side)))};
    double grow = 1, bins = 0;
    const int32_t before = l->bins;
    do {
        bins = 1;
        for (int c = 0; c < 3; c++) {
            const double most = fmin(1 << 20, b->length[c] / (grow * want[c]));
            l->cells[c] = most > 1 ? (int32_t)most : 1;
            bins *= l->cells[c];
        }
        grow *= 1.25;
    } while (bins > 8.0 * n + 4096);
    l->bins = (int32_t)bins;
    for (int c = 0; c < 3; c++) {
        l->low[c] = 0;
        l->factor[c] = (uint64_t)l->cells[c];
        l->slack[c] = (float)(b->length[c] / b->set.sigma * 0x1p-20);
        if (c < 2)
            l->width[c] = (float)(b->length[c] / l->cells[c] / b->set.sigma);
    }
    const double search = b->search / b->set.sigma;
    l->search2 = (float)(search * search * (1 + 1e-5));
    if (l->count && l->bins <= before)
        return MYR_OK;
    box_free(b, l->count);
    box_free(b, l->fill);
    box_free(b, l->part);
    myr_status status = box_room(b, &l->count, ((size_t)l->bins + MYR_BOX_SCAN + 1) * sizeof(int32_t));
    if (!status)
        status = box_room(b, &l->fill, ((size_t)l->bins + 1) * sizeof(int32_t));
    return status ? status : box_room(b, &l->part, ((size_t)l->bins / MYR_BOX_SCAN + 2) * sizeof(int32_t));
}

/* Pairs whose integers fit (myr_box_common): the factor of a pair is at most 48 epsilon (sigma/r)^14 / sigma^2 where it
 * repels, within 2^(1/6) sigma, and a tenth of 48 epsilon / sigma^2 where it attracts. In single arithmetic factors are
 * multiplied by coordinates, and the sum over a row must be less than 2^63; in other arithmetics 2^31 or 2^51 is the
 * most that one pair may have. */
static void box_fit(myr_cuda_box *b)
{
    double edge = (double)INFINITY;
    for (int c = 0; c < 3; c++)
        edge = fmin(edge, b->length[c] / b->set.sigma);
    const double search = b->search / b->set.sigma, skin = b->set.skin / b->set.sigma;
    const double pull = 0.1 / b->ratio * (search / edge * 0x1p32) * (b->all.room + MYR_BOX_CLUSTER);
    b->list.near2 = (float)((b->near + skin) * (b->near + skin) * (1 + 1e-5));
    b->all.fit_one = (float)((b->set.arithmetic == MYR_ARITHMETIC_DOUBLE ? 0x1p50 : 0x1p30) * b->ratio);
    b->all.fit_all = b->set.arithmetic == MYR_ARITHMETIC_SINGLE
                         ? (float)((0.9 * 0x1p63 - pull) / (b->near / edge * 0x1p32) * b->ratio)
                         : (float)INFINITY;
}

/* Rows with room for `entries`. */
static myr_status box_list_room(myr_cuda_box *b, double entries)
{
    const int32_t room = (int32_t)(fmin(entries, (double)b->set.n) / 32 + 1) * 32;
    if (b->all.entry && room <= b->all.room)
        return MYR_OK;
    box_free(b, b->all.entry);
    b->all.entry = NULL;
    b->all.room = room;
    box_fit(b);
    return box_room(b, &b->all.entry, ((size_t)room * (size_t)b->all.clusters + MYR_BOX_PAD) * sizeof(int32_t));
}

static myr_status box_first_room(myr_cuda_box *b)
{
    const double density = (double)b->set.n / (b->length[0] * b->length[1] * b->length[2]);
    const double reach = b->search + 0.62 * cbrt(MYR_BOX_CLUSTER / density);
    return box_list_room(b, 1.3 * density * 4.19 * reach * reach * reach + 32);
}

/* --- box and potential -------------------------------------------------------------------------------------------- */

/* Strongest and smallest pair of types. */
static void box_strength(myr_cuda_box *b, const double *table)
{
    double strongest = 0, smallest = (double)INFINITY, largest = 0;
    for (int k = 0; k < b->set.types * b->set.types; k++, table += MYR_CUDA_BOX_CONSTANTS)
        if (table[1] > 0) { /* CUT_SIGMA2, CUT_EPSILON_48 */
            strongest = fmax(strongest, table[1]);
            smallest = fmin(smallest, table[0]);
            largest = fmax(largest, table[0]);
        }
    b->ratio = strongest > 0 ? smallest / strongest : 1;
    b->near = 1.1225 * sqrt(largest); /* 2^(1/6) */
}

/* Copies constants to the device in the arithmetic of the loops. */
static myr_status box_send_table(myr_cuda_box *b, const double *from, void *to)
{
    const int64_t constants = (int64_t)b->set.types * b->set.types * MYR_CUDA_BOX_CONSTANTS;
    const int in_double = b->set.arithmetic == MYR_ARITHMETIC_DOUBLE;
    void *table = malloc((size_t)constants * sizeof(double));
    if (!table)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory for the potentials");
    for (int64_t k = 0; k < constants; k++)
        if (in_double)
            ((double *)table)[k] = from[k];
        else
            ((float *)table)[k] = (float)from[k];
    myr_status status =
        box_check(b,
                  cudaMemcpyAsync(to, table, (size_t)constants * (in_double ? sizeof(double) : sizeof(float)),
                                  cudaMemcpyHostToDevice, b->device.stream),
                  "copying to the device");
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    free(table);
    return status;
}

myr_status cuda_box_set(myr_cuda_box *box, const myr_cuda_box_potential *p)
{
    myr_cuda_box *b = box;
    const int64_t constants = (int64_t)b->set.types * b->set.types * MYR_CUDA_BOX_CONSTANTS;
    const int in_double = b->set.arithmetic == MYR_ARITHMETIC_DOUBLE;
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (memcmp(b->length, p->length, sizeof b->length) != 0) {
        memcpy(b->length, p->length, sizeof b->length);
        b->is_listed = 0;
        if (!status)
            status = box_grid(b);
        if (!status && !b->all.entry)
            status = box_first_room(b);
    }
    if (status)
        return status;
    b->grid = p->grid;
    for (int c = 0; c < 3; c++) {
        const double unit = p->length[c] / b->set.sigma;
        b->all.unit[c] = in_double ? unit * 0x1p-64 : (double)(float)(unit * 0x1p-32);
        b->all.scale[c] = b->set.sums != MYR_CUDA_BOX_FIXED            ? 1
                          : b->set.arithmetic == MYR_ARITHMETIC_SINGLE ? ldexp(unit * 0x1p-32, p->exponent)
                                                                       : ldexp(1, p->exponent);
    }
    b->all.table = b->table;
    box_strength(b, p->table);
    box_fit(b);
    status = box_send_table(b, p->table, b->table);
    b->is_cube = box_has_cube(b) && p->length[0] == p->length[1] && p->length[0] == p->length[2];
    if (status || !b->is_cube)
        return status;
    double *cube = malloc((size_t)constants * sizeof *cube);
    if (!cube)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory for the potentials");
    const double units = b->set.sigma / p->length[0] * 0x1p32; /* of the coordinates in sigma */
    for (int64_t k = 0; k < constants; k++) /* squares of lengths, and the force per squared length */
        cube[k] = p->table[k] * (k % MYR_CUDA_BOX_CONSTANTS < 4 ? units * units : 1); /* up to CUT_RADIUS2 */
    b->scale_cube = b->set.sums == MYR_CUDA_BOX_FIXED ? b->all.scale[0] : 1 / units;
    status = box_send_table(b, cube, b->table_cube);
    free(cube);
    return status;
}

/* --- the state ---------------------------------------------------------------------------------------------------- */

/* Clears the slots, and writes the first one. */
static myr_status box_begin(myr_cuda_box *b, const myr_box_slot *first)
{
    b->at = 0;
    b->slot[0] = *first;
    myr_status status = box_check(b, cudaMemsetAsync(b->all.slot, 0, BOX_SLOTS * sizeof *b->slot, b->device.stream),
                                  "clearing the state");
    return status
               ? status
               : box_check(
                     b, cudaMemcpyAsync(b->all.slot, b->slot, sizeof *first, cudaMemcpyHostToDevice, b->device.stream),
                     "copying to the device");
}

/* Waits, and reads the slots up to the present one. */
static myr_status box_look(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = box_check(b,
                                  cudaMemcpyAsync(b->slot, b->all.slot, (size_t)(b->at + 1) * sizeof *b->slot,
                                                  cudaMemcpyDeviceToHost, b->device.stream),
                                  "copying from the device");
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "moving particles in a box");
    *now = b->slot[b->at];
    return status;
}

static myr_status box_launch(myr_cuda_box *b, box_kernel k, int64_t threads, int block, void *arguments, size_t size)
{
    const size_t table = (size_t)b->set.types * (size_t)b->set.types * MYR_CUDA_BOX_CONSTANTS *
                         (b->set.arithmetic == MYR_ARITHMETIC_DOUBLE ? sizeof(double) : sizeof(float));
    const int has_pairs = k == KERNEL_STEP || k == KERNEL_STEP_CUBE || k == KERNEL_SUMS || k == KERNEL_MEASURE;
    const size_t room = k == KERNEL_MEASURE ? 40 << 10 : 48 << 10;
    const size_t shared = has_pairs && b->set.types > 1 && table <= room ? table : 0;
    const dim3 grid = {(unsigned)((threads + block - 1) / block), 1, 1};
    const cuda_call call = {b->kernel[k], grid, (unsigned)block, shared, arguments, size, kernel_name[k]};
    return cuda_launch_now(b->cuda, b->context, &b->device, &call);
}

/* Number of threads of the loops over pairs. */
static int64_t box_pair_threads(const myr_cuda_box *b)
{
    return ((int64_t)b->all.clusters * b->lanes + 31) / 32 * 32;
}

static myr_box_common box_common(const myr_cuda_box *b, int64_t most)
{
    myr_box_common all = b->all;
    all.slot = b->all.slot + b->at;
    all.most = most;
    return all;
}

/* Enqueues a new list. always: 1 = also if the present one holds. */
static myr_status box_build(myr_cuda_box *b, int64_t most, int always)
{
    myr_box_list a = b->list;
    const int64_t n = b->set.n;
    a.all = box_common(b, most);
    a.always = always;
    myr_status status = box_check(
        b, cudaMemsetAsync(a.count, 0, ((size_t)a.bins + 1) * sizeof(int32_t), b->device.stream), "clearing the grid");
    if (!status)
        status = box_check(b, cudaMemsetAsync(a.fill, 0, ((size_t)a.bins + 1) * sizeof(int32_t), b->device.stream),
                           "clearing the grid");
    if (!status)
        status = box_launch(b, KERNEL_COUNT, n, 256, &a, sizeof a);
    if (!status)
        status = box_launch(b, KERNEL_SCAN, ((int64_t)a.bins / MYR_BOX_SCAN + 1) * 256, 256, &a, sizeof a);
    if (!status)
        status = box_launch(b, KERNEL_SCAN_PARTS, 256, 256, &a, sizeof a);
    if (!status)
        status = box_launch(b, KERNEL_PLACE, n, 256, &a, sizeof a);
    if (!status)
        status = box_launch(b, KERNEL_SORT, n, 256, &a, sizeof a);
    if (!status)
        status = box_launch(b, KERNEL_SEARCH, (int64_t)a.all.clusters * 32, MYR_BOX_THREADS, &a, sizeof a);
    b->at++;
    return status;
}

static void box_copy_side(const myr_cuda_box *b, const myr_box_side *to, const myr_box_side *from, cudaError_t *error)
{
    const size_t n = (size_t)b->set.n;
    const cudaStream_t stream = b->device.stream;
    for (int c = 0; c < 3; c++) {
        *error = *error ? *error : cudaMemcpyAsync(to->q[c], from->q[c], n * 8, cudaMemcpyDeviceToDevice, stream);
        *error = *error ? *error : cudaMemcpyAsync(to->v[c], from->v[c], n * 8, cudaMemcpyDeviceToDevice, stream);
    }
    *error = *error ? *error : cudaMemcpyAsync(to->inverse, from->inverse, n * 8, cudaMemcpyDeviceToDevice, stream);
    *error = *error ? *error : cudaMemcpyAsync(to->row, from->row, n * 4, cudaMemcpyDeviceToDevice, stream);
}

/* Saves (0) or restores (1) the particles. */
static myr_status box_keep(myr_cuda_box *b, const myr_box_slot *now, int back)
{
    const size_t n = (size_t)b->set.n;
    const cudaStream_t stream = b->device.stream;
    const myr_box_side *side = &b->all.side[now->side];
    cudaError_t error = cudaSuccess;
    box_copy_side(b, back ? side : &b->kept, back ? &b->kept : side, &error);
    for (int c = 0; c < 3; c++) {
        double *const f[2] = {b->all.f[c], b->kept_f[c]};
        uint32_t *const old[2] = {b->all.old[c], b->kept_old[c]};
        int32_t *const image[2] = {b->all.image[c], b->kept_image[c]};
        error = error ? error : cudaMemcpyAsync(f[!back], f[back], n * 8, cudaMemcpyDeviceToDevice, stream);
        error = error ? error : cudaMemcpyAsync(old[!back], old[back], n * 4, cudaMemcpyDeviceToDevice, stream);
        error = error ? error : cudaMemcpyAsync(image[!back], image[back], n * 4, cudaMemcpyDeviceToDevice, stream);
    }
    if (back)
        b->is_listed = 0;
    return box_check(b, error, "copying on the device");
}

/* --- copies ------------------------------------------------------------------------------------------------------- */

static myr_status box_upload(myr_cuda_box *b, void *to, const void *from, size_t bytes)
{
    if (!from)
        return MYR_OK;
    return box_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, b->device.stream),
                     "copying to the device");
}

myr_status cuda_box_send(myr_cuda_box *box, const myr_cuda_box_arrays *from)
{
    myr_cuda_box *b = box;
    const size_t n = (size_t)b->set.n;
    const myr_box_slot first = {.side = 0};
    int32_t *row = malloc((n + 1) * sizeof *row);
    uint32_t *upper = malloc((n + 1) * sizeof *upper);
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!row || !upper)
        status = b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory to copy %zu particles", n);
    for (size_t i = 0; i < n && !status; i++)
        row[i] = (int32_t)i;
    if (!status)
        status = box_upload(b, b->all.side[0].row, row, n * sizeof *row);
    for (int c = 0; c < 3 && !status; c++) {
        for (size_t i = 0; i < n; i++)
            upper[i] = (uint32_t)(from->q[c][i] >> 32);
        status = box_upload(b, b->all.old[c], upper, n * sizeof *upper);
        if (!status)
            status = box_upload(b, b->all.side[0].q[c], from->q[c], n * 8);
        if (!status)
            status = box_upload(b, b->all.side[0].v[c], from->v[c], n * 8);
        if (!status)
            status = box_upload(b, b->all.f[c], from->f[c], n * 8);
        if (!status)
            status = box_upload(b, b->all.image[c], from->image[c], n * 4);
        if (!status) /* `upper` is used again */
            status = box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    }
    if (!status)
        status = box_upload(b, b->all.side[0].inverse, from->inverse, n * 8);
    if (!status)
        status = box_upload(b, (void *)(uintptr_t)b->all.mass, from->mass, n * 8);
    if (!status)
        status = box_upload(b, (void *)(uintptr_t)b->all.type, from->type, n * 4);
    if (!status)
        status = box_upload(b, (void *)(uintptr_t)b->all.id, from->id, n * 8);
    b->is_listed = 0;
    if (!status)
        status = box_begin(b, &first);
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    free(row);
    free(upper);
    return status;
}

static myr_box_sums box_sums(const myr_cuda_box *b)
{
    return (myr_box_sums){.all = box_common(b, 0), .total = b->total, .grid = b->grid, .factor = 1};
}

myr_status cuda_box_fetch(myr_cuda_box *box, const myr_cuda_box_arrays *to)
{
    myr_cuda_box *b = box;
    const size_t n = (size_t)b->set.n;
    myr_box_sums a = box_sums(b);
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    a.to[0] = b->copy;
    for (int c = 0; c < 3; c++)
        a.image[c] = b->images + (size_t)c * n;
    for (int what = 0; what < 3 && !status; what++) {
        a.power = what;
        status = box_launch(b, KERNEL_FETCH, b->set.n, 256, &a, sizeof a);
        for (int c = 0; c < 3 && !status; c++) {
            void *host = what == 0 ? (void *)to->q[c] : what == 1 ? (void *)to->v[c] : (void *)to->f[c];
            if (host)
                status = box_check(
                    b, cudaMemcpyAsync(host, b->copy + (size_t)c * n, n * 8, cudaMemcpyDeviceToHost, b->device.stream),
                    "copying from the device");
            if (!status && what == 0 && to->image[c])
                status = box_check(
                    b, cudaMemcpyAsync(to->image[c], a.image[c], n * 4, cudaMemcpyDeviceToHost, b->device.stream),
                    "copying from the device");
        }
    }
    return status ? status : box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
}

/* Copies the forces to b->copy in the order of the host (power 2) or from there (power 3). */
static myr_status box_carry_forces(myr_cuda_box *b, int power)
{
    myr_box_sums a = box_sums(b);
    a.to[0] = b->copy;
    a.power = power;
    return box_launch(b, KERNEL_FETCH, b->set.n, 256, &a, sizeof a);
}

/* --- forces and steps --------------------------------------------------------------------------------------------- */

static myr_box_step box_step_arguments(const myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    myr_box_step a = {.evaluate = 1, .factor = 1};
    double diagonal = 0;
    for (int c = 0; c < 3; c++) {
        const double dt = s ? (b->set.langevin ? 0.5 : 1) * s->dt : 0;
        a.drift[c] = dt * (0x1p64 / b->length[c]);
        a.displace[c] = (float)(b->length[c] * 0x1p-32);
        diagonal += b->length[c] * b->length[c];
    }
    /* coordinates are truncated at 2^-32 of the box, and distances are computed in floats */
    const double resolution = 4 * 0x1p-32 * sqrt(diagonal) + 0x1p-20 * b->search;
    const double allowed = 0.5 * (b->search - b->set.cutoff - resolution) * (1 - 0x1p-20);
    a.allowed2 = (float)(allowed > 0 ? allowed * allowed * (1 - 0x1p-20) : 0);
    if (!s)
        return a;
    a.ends = b->set.langevin;
    a.kick = b->set.langevin ? 0.5 * s->dt : s->dt;
    a.fastest2 = s->furthest / fabs(s->dt) * (s->furthest / fabs(s->dt));
    a.keep = s->keep;
    a.heat = b->heat;
    a.seed = b->set.seed;
    a.number = s->number;
    return a;
}

static myr_status box_step(myr_cuda_box *b, myr_box_step *a, int64_t most)
{
    a->all = box_common(b, most);
    const int64_t threads = a->evaluate ? box_pair_threads(b) : (int64_t)b->all.clusters * MYR_BOX_CLUSTER;
    if (b->is_cube) {
        a->all.table = b->table_cube;
        for (int c = 0; c < 3; c++)
            a->all.scale[c] = b->scale_cube;
    }
    const myr_status status =
        box_launch(b, b->is_cube ? KERNEL_STEP_CUBE : KERNEL_STEP, threads, MYR_BOX_THREADS, a, sizeof *a);
    b->at++;
    return status;
}

/* Makes room for rows as long as the longest, and asks for a new list. */
static myr_status box_more_room(myr_cuda_box *b, myr_box_slot *now)
{
    now->state = (now->state & ~(uint32_t)MYR_BOX_FULL) | MYR_BOX_EXPIRED;
    const myr_status status = box_list_room(b, 1.2 * now->longest + 16);
    now->longest = 0;
    return status;
}

/* Sets the number of steps until the next list from those that the last lists were used for: the mean of those that
 * expired, or more if none has. */
static void box_learn(myr_cuda_box *b, int64_t planned, const int64_t *lasted, int lists)
{
    int64_t sum = 0, expired = 0;
    for (int k = 0; k < lists; k++)
        if (lasted[k] < planned) {
            sum += lasted[k];
            expired++;
        }
    if (2 * expired > lists)
        b->life = sum / expired > 1 ? sum / expired : 1;
    else if (expired == 0 && lists > 0 && b->life < BOX_LIFE_MOST)
        b->life = planned + (planned < 4 ? planned : 1);
}

static myr_status box_mark(const myr_cuda_box *b, int k)
{
    return box_check(b, cudaEventRecord(b->mark[k], b->device.stream), "timing");
}

/* Adds the time of a batch of `steps` and `lists`, after a wait. `marked`: number of steps between the last two marks,
 * or -1 if nothing was marked. */
static myr_status box_add_time(myr_cuda_box *b, int64_t steps, int lists, int64_t marked)
{
    float list = 0, step = 0;
    myr_status status = MYR_OK;
    if (marked > 0) {
        status = box_check(b, cudaEventElapsedTime(&list, b->mark[0], b->mark[1]), "timing");
        if (!status)
            status = box_check(b, cudaEventElapsedTime(&step, b->mark[1], b->mark[2]), "timing");
        b->list_seconds = 1e-3 * (double)list;
        b->step_seconds = 1e-3 * (double)step / (double)marked;
    }
    b->seconds[0] += (double)steps * b->step_seconds;
    b->seconds[1] += (double)lists * b->list_seconds;
    return status;
}

/* Enqueues steps and lists until `most` steps are made or something needs attention. */
static myr_status box_run(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    myr_box_step a = box_step_arguments(b, s);
    a.move = 1;
    int64_t lasted[BOX_SLOTS / 2];
    int begins[BOX_SLOTS / 2 + 1];
    myr_status status = MYR_OK;
    while (!status && now->made < most && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED)) {
        int lists = 0, built = 0, is_old = 0, marked = -1; /* marked: number of the list that is timed */
        const int64_t life = b->life, before = now->made;
        status = box_begin(b, now);
        for (int64_t planned = now->made; !status && planned < most && b->at + life + 2 < BOX_SLOTS && lists < 64;) {
            const int is_due = !b->is_listed || planned > now->made || (now->state & MYR_BOX_EXPIRED);
            /* the second list, whose launches do not wait for the host, or the only one */
            const int is_marked = is_due && marked < 0 && (lists > 0 || planned + life >= most);
            if (is_marked)
                status = box_mark(b, 0);
            if (!status && is_due)
                status = box_build(b, most, 1);
            if (!status && is_marked)
                status = box_mark(b, 1);
            b->is_listed = 1;
            built += is_due;
            is_old |= !is_due;
            marked = is_marked ? lists : marked;
            begins[lists++] = b->at;
            for (int64_t k = 0; k < life && planned < most && !status; k++, planned++)
                status = box_step(b, &a, most);
            if (!status && is_marked)
                status = box_mark(b, 2);
        }
        begins[lists] = b->at;
        if (!status)
            status = box_look(b, now);
        for (int k = 0; k < lists; k++)
            lasted[k] = b->slot[begins[k + 1]].made - b->slot[begins[k]].made;
        b->builds += built;
        if (!status)
            status = box_add_time(b, now->made - before, built, marked < 0 ? -1 : lasted[marked]);
        /* the first one may have been there before, and the last one is cut short */
        if (!status && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED) && lists > 1 + is_old)
            box_learn(b, life, lasted + is_old, lists - 1 - is_old);
        if (!status && (now->state & MYR_BOX_FULL))
            status = box_more_room(b, now);
    }
    return status;
}

/* Ends the steps: forces at the last positions. */
static myr_status box_end(myr_cuda_box *b, const myr_cuda_box_steps *s, myr_box_slot *now)
{
    myr_box_step a = box_step_arguments(b, s);
    a.move = 0;
    myr_status status = MYR_OK;
    do {
        const int always = !b->is_listed;
        status = box_begin(b, now);
        if (!status)
            status = box_build(b, INT64_MAX, always);
        if (!status)
            status = box_step(b, &a, INT64_MAX);
        if (!status)
            status = box_look(b, now);
        b->is_listed = 1;
        const int is_full = !status && (now->state & MYR_BOX_FULL);
        if (is_full)
            status = box_more_room(b, now);
        if (!is_full)
            break;
    } while (!status);
    return status;
}

static myr_status box_heat(myr_cuda_box *b, const myr_cuda_box_steps *s)
{
    if (!b->set.langevin)
        return MYR_OK;
    if (s->most > b->heats) {
        box_free(b, b->heat);
        b->heats = s->most;
        const myr_status status = box_room(b, &b->heat, (size_t)s->most * sizeof(double));
        if (status)
            return status;
    }
    return box_upload(b, b->heat, s->heat, (size_t)s->most * sizeof(double));
}

/* All steps of a call: the first move with the forces that are there, evaluations and moves, and a last evaluation. */
static myr_status box_all(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now)
{
    myr_box_step a = box_step_arguments(b, s);
    a.evaluate = 0;
    a.move = a.first = 1;
    a.kick = b->set.langevin ? 0.5 * s->dt : s->kick;
    a.factor = s->factor;
    now->made = 0;
    myr_status status = box_begin(b, now);
    if (!status)
        status = box_step(b, &a, most);
    if (!status)
        status = box_look(b, now);
    if (!status)
        status = box_run(b, s, most, now);
    if (!status && !(now->state & ~(uint32_t)MYR_BOX_EXPIRED))
        status = box_end(b, s, now);
    return status;
}

static myr_status box_now(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    return status ? status : box_look(b, now);
}

myr_status cuda_box_steps(myr_cuda_box *box, const myr_cuda_box_steps *steps, myr_cuda_box_done *done)
{
    myr_cuda_box *b = box;
    myr_box_slot start = {0}, now = {0};
    int64_t most = steps->most;
    const int64_t builds = b->builds;
    memset(done, 0, sizeof *done);
    myr_status status = box_now(b, &start);
    start.made = 0;
    if (start.state) { /* the forces are not those of the present positions: the processor must evaluate them */
        done->stopped = 1;
        return status;
    }
    if (!status)
        status = box_heat(b, steps);
    if (!status)
        status = box_keep(b, &start, 0);
    for (;;) {
        now = start;
        if (!status)
            status = most > 0 ? box_all(b, steps, most, &now) : box_begin(b, &now);
        if (status || !now.state)
            break;
        /* again, up to a step before the one that cannot be made here */
        done->stopped = 1;
        most = now.made - 2 < most ? now.made - 2 : most - 1;
        status = box_keep(b, &start, 1);
    }
    done->made = most > 0 ? now.made : 0;
    done->builds = b->builds - builds;
    return status;
}

/* Brings the list up to date. The particles may be sorted; the forces, which may be rounded to another unit than that
 * of the present sums, move along. */
static myr_status box_renew_list(myr_cuda_box *b, myr_box_slot *now)
{
    myr_status status = MYR_OK;
    int is_full = 0;
    do {
        const int always = !b->is_listed;
        status = box_begin(b, now);
        if (!status)
            status = box_carry_forces(b, 2);
        if (!status)
            status = box_build(b, INT64_MAX, always);
        if (!status)
            status = box_carry_forces(b, 3);
        if (!status)
            status = box_look(b, now);
        b->is_listed = 1;
        is_full = !status && (now->state & MYR_BOX_FULL);
        if (is_full)
            status = box_more_room(b, now);
    } while (!status && is_full);
    return status;
}

myr_status cuda_box_forces(myr_cuda_box *box, int store, int *stopped, myr_cuda_box_sums *sums)
{
    myr_cuda_box *b = box;
    myr_box_slot now = {0};
    *stopped = 0;
    myr_status status = box_now(b, &now);
    if (!status)
        status = store ? box_end(b, NULL, &now) : box_renew_list(b, &now);
    *stopped = now.state != 0;
    if (status || *stopped || !sums)
        return status;
    myr_box_sums a = box_sums(b);
    const int64_t warps = (box_pair_threads(b) + MYR_BOX_THREADS - 1) / MYR_BOX_THREADS * (MYR_BOX_THREADS / 32);
    memset(sums, 0, sizeof *sums);
    a.to[0] = b->plain;
    status = box_check(b, cudaMemsetAsync(b->total, 0, sizeof sums->total, b->device.stream), "clearing sums");
    if (!status)
        status = box_launch(b, KERNEL_SUMS, box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    if (!status)
        status = box_check(
            b, cudaMemcpyAsync(sums->total, b->total, sizeof sums->total, cudaMemcpyDeviceToHost, b->device.stream),
            "copying from the device");
    if (!status)
        status = box_look(b, &now);
    *stopped = now.state != 0;
    if (status || b->set.sums == MYR_CUDA_BOX_FIXED)
        return status;
    double *part = malloc((size_t)warps * MYR_BOX_TERMS * sizeof *part);
    if (!part)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory for sums");
    status =
        box_check(b, cudaMemcpy(part, b->plain, (size_t)warps * MYR_BOX_TERMS * sizeof *part, cudaMemcpyDeviceToHost),
                  "copying from the device");
    for (int64_t k = 0; k < warps * MYR_BOX_TERMS && !status; k++)
        sums->plain[k % MYR_BOX_TERMS] += part[k];
    free(part);
    return status;
}

myr_status cuda_box_measure(myr_cuda_box *box, int lowest, int64_t count[MYR_CUDA_BOX_SIZES])
{
    myr_cuda_box *b = box;
    myr_box_slot now = {0};
    unsigned long long total[MYR_BOX_SIZES];
    myr_status status = box_now(b, &now);
    if (!status && (!b->is_listed || now.state))
        status = box_renew_list(b, &now);
    myr_box_sums a = box_sums(b);
    a.lowest = lowest;
    if (!status)
        status = box_check(b, cudaMemsetAsync(b->total, 0, sizeof total, b->device.stream), "clearing sums");
    if (!status)
        status = box_launch(b, KERNEL_MEASURE, box_pair_threads(b), MYR_BOX_THREADS, &a, sizeof a);
    if (!status)
        status = box_check(b, cudaMemcpyAsync(total, b->total, sizeof total, cudaMemcpyDeviceToHost, b->device.stream),
                           "copying from the device");
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "counting pairs");
    for (int k = 0; k < MYR_BOX_SIZES; k++)
        count[k] = status ? 0 : (int64_t)total[k];
    return status;
}

myr_status cuda_box_velocities(myr_cuda_box *box, double h, int power, double scale, double *largest,
                               unsigned long long total[6][2])
{
    myr_cuda_box *b = box;
    myr_box_sums a = box_sums(b);
    const size_t bytes = 12 * sizeof(unsigned long long);
    unsigned long long sum[12];
    a.h = h;
    a.power = power;
    a.scale = scale;
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = box_check(b, cudaMemsetAsync(b->total, 0, bytes, b->device.stream), "clearing sums");
    if (!status)
        status = box_launch(b, scale == 0 ? KERNEL_LARGEST : KERNEL_KINETIC, b->set.n, 256, &a, sizeof a);
    if (!status)
        status = box_check(b, cudaMemcpyAsync(sum, b->total, bytes, cudaMemcpyDeviceToHost, b->device.stream),
                           "copying from the device");
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "summing velocities");
    if (status)
        return status;
    if (scale == 0)
        memcpy(largest, sum, sizeof *largest);
    else
        memcpy(total, sum, bytes);
    return MYR_OK;
}

myr_status cuda_box_change(myr_cuda_box *box, double kick, double factor, const double shift[3])
{
    myr_box_sums a = box_sums(box);
    a.h = kick;
    a.factor = factor;
    memcpy(a.shift, shift, sizeof a.shift);
    const myr_status status = box_check(box, cudaSetDevice(box->device.id), "choosing a device");
    return status ? status : box_launch(box, KERNEL_CHANGE, box->set.n, 256, &a, sizeof a);
}

void cuda_box_report(const myr_cuda_box *box, myr_cuda_box_report *report)
{
    *report = (myr_cuda_box_report){.builds = box->builds,
                                    .skin = box->set.skin,
                                    .bytes = (double)box->bytes,
                                    .step_seconds = box->seconds[0],
                                    .list_seconds = box->seconds[1]};
}

myr_status cuda_box_pairs(myr_cuda_box *box, int64_t *pairs)
{
    myr_cuda_box *b = box;
    const size_t clusters = (size_t)b->all.clusters;
    int32_t *entries = malloc((clusters + 1) * sizeof *entries);
    *pairs = 0;
    if (!entries)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory to count pairs");
    myr_status status = box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (!status)
        status = box_check(b,
                           cudaMemcpyAsync(entries, b->all.entries, clusters * sizeof *entries, cudaMemcpyDeviceToHost,
                                           b->device.stream),
                           "copying from the device");
    if (!status)
        status = box_check(b, cudaStreamSynchronize(b->device.stream), "copying from the device");
    for (size_t k = 0; k < clusters && !status; k++)
        *pairs += MYR_BOX_CLUSTER * ((int64_t)entries[k] + MYR_BOX_CLUSTER); /* the cluster's own particles as well */
    free(entries);
    return status;
}
