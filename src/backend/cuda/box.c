/* box.c - particles in a box on a device: memory, and the launches of box.cuh.
 *
 * Steps are enqueued without waiting. Every launch reads the state that the one before it left (myr_box_slot) and does
 * nothing if all steps are made, or something needs the processor. Where the list has expired launches make a new one
 * (box_turns.c). With thermostats and on several ranks a list has launches of its own, enqueued after as many steps as
 * recent lists lasted: that no step uses an expired list is proven on the device, and the guess has an influence on
 * time only. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/box_inside.h"

const char *const cuda_box_kernel_name[KERNELS] = {
    "box_step",         "box_step_cube",   "box_first_step",   "box_count",     "box_scan",       "box_place",
    "box_sort",         "box_search",      "box_sums",         "box_measure",   "box_largest",    "box_kinetic",
    "box_change",       "box_fetch",       "box_external",     "box_good",      "box_keep",       "box_count_pairs",
    "box_count_slices", "box_plain",       "box_fire_largest", "box_fire_sums", "box_fire_move",  "box_bath_kick",
    "box_bath_sum",     "box_bath_factor", "box_bath_move",    "box_paths_now", "box_paths_sums", "box_check",
    "box_where",        "box_pack",        "box_unpack"};

/* --- memory ------------------------------------------------------------------------------------------------------- */

myr_status cuda_box_check(const myr_cuda_box *b, cudaError_t error, const char *what)
{
    return cuda_check(b->cuda, b->context, error, what);
}

myr_status cuda_box_room(myr_cuda_box *b, void *pointer, size_t bytes)
{
    void *at = NULL;
    char what[64];
    if (b->cuda->limit && b->bytes + bytes > b->cuda->limit)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY,
                                   "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it",
                                   bytes, b->cuda->limit);
    snprintf(what, sizeof what, "allocating %.3g GB", 1e-9 * (double)bytes);
    const myr_status status = cuda_box_check(b, cudaMallocAsync(&at, bytes ? bytes : 1, b->device.stream), what);
    if (status)
        return status;
    b->size[b->rooms] = bytes;
    b->room[b->rooms++] = at;
    b->bytes += bytes;
    memcpy(pointer, &at, sizeof at);
    return cuda_box_check(b, cudaMemsetAsync(at, 0, bytes, b->device.stream), "clearing memory");
}

void cuda_box_free(myr_cuda_box *b, void *at)
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
            status = cuda_box_room(b, &side->q[c], n * sizeof **side->q);
            if (!status)
                status = cuda_box_room(b, &side->v[c], n * sizeof **side->v);
        }
        if (!status)
            status = cuda_box_room(b, &side->inverse, n * sizeof *side->inverse);
        if (!status)
            status = cuda_box_room(b, &side->row, n * sizeof *side->row);
        if (!status && s < 2)
            status = cuda_box_room(b, &b->all.point[s], n * point);
    }
    for (int c = 0; c < 3 && !status; c++) {
        status = cuda_box_room(b, &b->all.f[c], n * sizeof(double));
        if (!status)
            status = cuda_box_room(b, &b->kept_f[c], n * sizeof(double));
        if (!status)
            status = cuda_box_room(b, &b->all.pull[c], n * sizeof(float));
        if (!status)
            status = cuda_box_room(b, &b->all.old[c], n * sizeof(uint32_t));
        if (!status)
            status = cuda_box_room(b, &b->kept_old[c], n * sizeof(uint32_t));
        if (!status)
            status = cuda_box_room(b, &b->all.image[c], n * sizeof(int32_t));
        if (!status)
            status = cuda_box_room(b, &b->kept_image[c], n * sizeof(int32_t));
    }
    if (!status)
        status = cuda_box_room(b, &b->all.spare, n * sizeof(float));
    return status;
}

static myr_status box_rooms(myr_cuda_box *b)
{
    const size_t n = (size_t)b->set.n + MYR_BOX_PAD;
    const size_t warps = ((size_t)b->all.clusters * (size_t)b->lanes + MYR_BOX_THREADS) / 32 + 8;
    const size_t table = (size_t)b->set.types * (size_t)b->set.types * MYR_BOX_CONSTANTS * sizeof(double);
    myr_status status = box_arrays(b);
    if (!status)
        status = cuda_box_room(b, &b->all.mass, n * sizeof(double));
    if (!status)
        status = cuda_box_room(b, &b->all.type, n * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->all.id, n * sizeof(int64_t));
    if (!status)
        status = cuda_box_room(b, &b->all.entries, ((size_t)b->all.clusters + 1) * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->list.bin, n * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->list.rank, n * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->list.order, n * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->copy, 3 * n * sizeof(double));
    if (!status)
        status = cuda_box_room(b, &b->images, 3 * n * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &b->plain, warps * MYR_BOX_TERMS * sizeof(double));
    if (!status)
        status = cuda_box_room(b, &b->total, MYR_BOX_SIZES * sizeof *b->total);
    if (!status)
        status = cuda_box_room(b, &b->table, table);
    if (!status)
        status = cuda_box_room(b, &b->table_cube, table);
    if (!status && b->set.external)
        status = cuda_box_external_room(b);
    if (!status && b->set.whole)
        status = cuda_box_room(b, &b->bath.bath, sizeof *b->bath.bath);
    if (!status && b->set.check)
        status = cuda_box_room(b, &b->wrong, 3 * sizeof *b->wrong);
    if (!status && b->set.is_divided)
        status = cuda_box_room(b, &b->ranks.where, n * sizeof *b->ranks.where);
    return status ? status : cuda_box_room(b, &b->all.slot, BOX_SLOTS * sizeof *b->slot);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

/* 1 if the program has a faster loop for boxes with equal edges. */
static int box_has_cube(const myr_cuda_box *b)
{
    return b->set.arithmetic == MYR_ARITHMETIC_SINGLE && !b->set.root && !b->set.kernel;
}

/* clang-format off */
/* Shape of the loops over pairs and of the search. Measured on an H200 with a Lennard-Jones melt, microseconds per step:
 *   1e6 particles   fixed    4 threads per cluster   4 blocks 192    5 to 7 blocks 181   8 blocks 198
 *                   single   4                       6 blocks 148    7 blocks 145        8 blocks 142   10 blocks 144
 *   62,500          fixed    8                       5, 6 blocks 17.2   7 blocks 18.8    8 blocks 19.5
 *                   single   8                       6 to 8 blocks 13.9                  10 blocks 15.9
 *   256,000 of two types   fixed   4 threads 104.9, 8 threads 111.3, with lists; single 95.2 and 98.3
 * and per list, rows found one by one or in pairs: 581 and 548 (1e6), 51 and 70 (62,500). */
/* clang-format on */
typedef struct {
    int lanes;  /* threads per cluster: enough for the whole device */
    int blocks; /* blocks of 128 threads per multiprocessor for which registers must suffice */
    int group;  /* clusters whose rows a warp finds at once */
} box_shape;

static box_shape find_shape(const myr_cuda_box_set *set)
{
    const char *given = getenv("MYRIAD_BOX_LANES"); /* for tests, in which few particles use all variants */
    const int is_large = set->n >= 200000;
    box_shape shape = {is_large ? 4 : 8, set->sums == MYR_CUDA_BOX_SINGLE ? 8 : is_large ? 7 : 6, is_large ? 2 : 1};
    if (set->types > 1 && set->sums != MYR_CUDA_BOX_SINGLE) /* as many as were measured */
        shape.blocks = 6;
    if (set->arithmetic == MYR_ARITHMETIC_DOUBLE || set->kernel) /* nothing is known of a formula */
        shape.blocks = 5;
    if (given && (atoi(given) == 4 || atoi(given) == 8)) {
        shape.lanes = atoi(given);
        shape.group = shape.lanes == 4 ? 2 : 1;
    }
    return shape;
}

int cuda_box_typed(const myr_cuda_box_set *set)
{
    return set->types < 2 ? 0 : cuda_box_table_size(set) <= MYR_BOX_SHARED ? 1 : 2;
}

/* 1 if one kernel makes steps and lists (box_turns.c). Thermostats and exchanges with other ranks are launches of their
 * own between two evaluations. */
static int box_has_tasks(const myr_cuda_box_set *set)
{
    return !set->whole && !set->is_divided;
}

static myr_status box_compile(const myr_cuda *cuda, const cuda_device *device, const myr_cuda_box_set *set, void **code,
                              size_t *size)
{
    char text[1024], kernel[256] = "";
    const int is_open = !set->periodic[0] || !set->periodic[1] || !set->periodic[2];
    const box_shape shape = find_shape(set);
    if (set->kernel)
        snprintf(kernel, sizeof kernel, "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"user_kernel.h\"\n",
                 set->kernel);
    snprintf(text, sizeof text,
             "%s#define MYR_ARITH %d\n#define MYR_LANE_BYTES 0\n#define BOX_SUMS %d\n#define BOX_TYPED %d\n"
             "#define BOX_ROOT %d\n#define BOX_LANES %d\n#define BOX_GROUP %d\n#define BOX_LANGEVIN %d\n"
             "#define BOX_BLOCKS %d\n#define BOX_EXTERNAL %d\n#define BOX_OPEN %d\n#define BOX_EXACT %d\n"
             "#define BOX_WHOLE %d\n#define BOX_DIVIDED %d\n#define BOX_TASKS %d\n"
             "#include \"backend/cuda/box.cuh\"\n",
             kernel, set->arithmetic, (int)set->sums, cuda_box_typed(set), set->root, shape.lanes, shape.group,
             set->langevin, shape.blocks * 128 / MYR_BOX_THREADS, set->external, is_open, set->magic > 0, set->whole,
             set->is_divided, box_has_tasks(set));
    return cuda_compile(cuda, set->context, device, "the program of particles in a box", text, set->kernel_text, code,
                        size);
}

static int box_has_kernel(const myr_cuda_box *b, int k)
{
    return (k != KERNEL_STEP_CUBE || box_has_cube(b)) && (k != KERNEL_EXTERNAL || b->set.external) &&
           (k < KERNEL_FIRST_STEP || k > KERNEL_SEARCH || !b->has_tasks) &&
           (k < KERNEL_BATH_KICK || k > KERNEL_BATH_MOVE || b->set.whole) && (k < KERNEL_WHERE || b->set.is_divided);
}

static myr_status box_program(myr_cuda_box *b)
{
    void *code = NULL;
    size_t size = 0;
    myr_status status = box_compile(b->cuda, &b->device, &b->set, &code, &size);
    if (!status)
        status = cuda_box_check(b, cudaLibraryLoadData(&b->library, code, NULL, NULL, 0, NULL, NULL, 0),
                                "loading a program");
    free(code);
    for (int k = 0; k < KERNELS && !status; k++)
        if (box_has_kernel(b, k))
            status = cuda_box_check(b, cudaLibraryGetKernel(&b->kernel[k], b->library, cuda_box_kernel_name[k]),
                                    cuda_box_kernel_name[k]);
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
    b->lanes = find_shape(set).lanes;
    b->has_tasks = box_has_tasks(set);
    b->life = 4;
    b->capacity = set->n;
    b->all.n = b->all.own = (int32_t)set->n;
    b->all.clusters = (int32_t)((set->n + MYR_BOX_CLUSTER - 1) / MYR_BOX_CLUSTER);
    b->all.types = set->types;
    b->list.sections = 1;
    b->all.magic = set->magic;
    memcpy(b->all.periodic, set->periodic, sizeof b->all.periodic);
    for (int c = 0; c < 3; c++) {
        b->is_open |= !set->periodic[c];
        b->part[c] = 1;
    }
    if (b->set.skin <= 0)
        b->set.skin = 0.12 * set->cutoff;
    b->search = set->cutoff + b->set.skin;
    myr_status status = cuda_device_copy(cuda, b->context, &cuda->device[set->device % cuda->devices], &b->device);
    if (!status)
        status = cuda_box_check(b, cudaMallocHost((void **)&b->slot, BOX_SLOTS * sizeof *b->slot),
                                "allocating pinned memory");
    for (int k = 0; k < 3 && !status; k++)
        status = cuda_box_check(b, cudaEventCreate(&b->mark[k]), "making an event");
    if (!status)
        status = box_program(b);
    if (!status)
        status = box_rooms(b);
    b->resident = b->device.properties.multiProcessorCount * find_shape(set).blocks * (128 / MYR_BOX_THREADS);
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
    cuda_box_ranks_close(box);
    cuda_device_release(&box->device);
    free(box->fastest2);
    free(box);
}

/* --- the grid of the list ----------------------------------------------------------------------------------------- */

/* Lengths of the search in the units of its kernel. Distances from a cluster are computed from those from its first
 * particle, with errors of 2e-7 of the square of the sum of distance and extent: less than 7e-5 of the search length's
 * square where the extent along each axis is at most 5 search lengths. Differences must not pass half the box. */
static const double BOX_SLACK = 2e-4; /* of squares of lengths of the search */

static void box_reach(myr_cuda_box *b)
{
    myr_box_list *l = &b->list;
    const double search = b->search / b->set.sigma;
    const double resolution = cuda_box_resolution(b);
    l->slack2 = (float)(search * search * BOX_SLACK);
    l->cutoff = (float)((b->set.cutoff + resolution) / b->set.sigma * (1 + 1e-6));
    l->round = (float)(resolution / b->set.sigma);
    l->per_sigma = (float)((1 + 1e-6) / b->set.sigma);
    l->listed = b->set.types <= MYR_BOX_LISTED ? b->set.types : 1;
    for (int c = 0; c < 3; c++) {
        const double unit = b->length[c] / b->set.sigma * 0x1p-32, reach = search / unit;
        l->unit[c] = (float)unit;
        l->per_unit[c] = (float)(1 / unit * (1 + 1e-5));
        l->margin[c] = (float)(l->slack[c] / unit + 2);
        l->widest[c] = (float)fmin(5 * reach, 0.999 * 0x1p31 - reach);
    }
}

/* Columns in which four consecutive particles of a section, which is `share` of all, fill about a cube, and bins of
 * about one particle; `grow` times larger. Returns the number of bins. */
static double box_grid_of(const myr_cuda_box *b, double share, double grow, myr_box_grid *g)
{
    const double length[3] = {b->part[0] * b->length[0], b->part[1] * b->length[1], b->part[2] * b->length[2]};
    const double each = length[0] * length[1] * length[2] / (share * (double)b->set.all);
    const double side = fmax(cbrt(MYR_BOX_CLUSTER * each), 0.25 * b->search);
    const double want[3] = {side, side, fmin(b->search, fmax(0.1 * b->search, each / (side * side)))};
    double bins = 1;
    for (int c = 0; c < 3; c++) {
        const double most = fmin(1 << 20, length[c] / (grow * want[c]));
        g->cells[c] = most > 1 ? (int32_t)most : 1;
        g->factor[c] = b->part[c] < 1 ? (uint64_t)(g->cells[c] / b->part[c]) : (uint64_t)g->cells[c];
        g->per_cell[c] = (float)((double)g->factor[c] * 0x1p-32);
        bins *= g->cells[c];
        if (c < 2)
            g->width[c] = (float)(b->length[c] / (double)g->factor[c] / b->set.sigma);
    }
    return bins;
}

/* Grids of all sections. */
myr_status cuda_box_grid(myr_cuda_box *b)
{
    myr_box_list *l = &b->list;
    double grow = 1, bins;
    const int32_t before = l->bins;
    do {
        bins = 0;
        for (int k = 0; k < l->sections; k++) {
            l->grid[k].first = (int32_t)fmin(bins, INT32_MAX);
            bins += box_grid_of(b, l->sections > 1 ? b->share[k] : 1, grow, &l->grid[k]);
        }
        grow *= 1.25;
    } while (bins > 8.0 * (double)b->set.all + 4096);
    l->bins = (int32_t)bins;
    for (int c = 0; c < 3; c++) {
        l->low[c] = b->low[c];
        l->slack[c] = (float)(b->length[c] / b->set.sigma * 0x1p-20);
    }
    box_reach(b);
    if (l->count && l->bins <= before)
        return MYR_OK;
    cuda_box_free(b, l->count);
    cuda_box_free(b, l->start);
    cuda_box_free(b, l->part);
    myr_status status = cuda_box_room(b, &l->count, ((size_t)l->bins + 2) * sizeof(int32_t));
    if (!status)
        status = cuda_box_room(b, &l->start, ((size_t)l->bins + 1) * sizeof(int32_t));
    return status ? status : cuda_box_room(b, &l->part, ((size_t)l->bins / MYR_BOX_SCAN + 2) * sizeof(int32_t));
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
    b->list.near2 = (float)((b->near + skin) * (b->near + skin) + BOX_SLACK * search * search);
    b->all.fit_one = (float)((b->set.arithmetic == MYR_ARITHMETIC_DOUBLE ? 0x1p50 : 0x1p30) * b->ratio);
    b->all.fit_all = b->set.arithmetic == MYR_ARITHMETIC_SINGLE && !b->set.kernel
                         ? (float)((0.9 * 0x1p63 - pull) / (b->near / edge * 0x1p32) * b->ratio)
                         : (float)INFINITY;
}

/* Rows with room for `entries`. */
myr_status cuda_box_list_room(myr_cuda_box *b, double entries)
{
    const int32_t room = (int32_t)(fmin(entries, (double)b->capacity) / MYR_BOX_ROW + 1) * MYR_BOX_ROW;
    const size_t clusters = (size_t)((b->capacity + MYR_BOX_CLUSTER - 1) / MYR_BOX_CLUSTER);
    if (b->all.entry && room <= b->all.room)
        return MYR_OK;
    cuda_box_free(b, b->all.entry);
    b->all.entry = NULL;
    b->all.room = room;
    box_fit(b);
    return cuda_box_room(b, &b->all.entry, ((size_t)room * clusters + MYR_BOX_ROW_PAD) * sizeof(int32_t));
}

static myr_status box_first_room(myr_cuda_box *b)
{
    const double part = b->part[0] * b->part[1] * b->part[2];
    const double density = (double)b->set.all / (part * b->length[0] * b->length[1] * b->length[2]);
    const double reach = b->search + 0.62 * cbrt(MYR_BOX_CLUSTER / density);
    return cuda_box_list_room(b, 1.3 * density * 4.19 * reach * reach * reach + 32);
}

/* --- box and potential -------------------------------------------------------------------------------------------- */

/* Strongest and smallest pair of types. */
static void box_strength(myr_cuda_box *b, const double *table)
{
    double strongest = 0, smallest = (double)INFINITY, largest = 0;
    b->ratio = 1;
    b->near = 0;
    if (b->set.kernel) /* its integers are rounded component by component (box_formula.cuh) */
        return;
    for (int k = 0; k < b->set.types * b->set.types; k++, table += MYR_BOX_CONSTANTS)
        if (table[1] > 0) { /* CUT_SIGMA2, CUT_EPSILON_48 */
            strongest = fmax(strongest, table[1]);
            smallest = fmin(smallest, table[0]);
            largest = fmax(largest, table[0]);
        }
    b->ratio = strongest > 0 ? smallest / strongest : 1;
    b->near = 1.1225 * sqrt(largest); /* 2^(1/6) */
}

/* Copies constants to the device in the arithmetic of the loops. */
static myr_status box_send_table(myr_cuda_box *b, const double *from, int64_t constants, void *to)
{
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
        cuda_box_check(b,
                       cudaMemcpyAsync(to, table, (size_t)constants * (in_double ? sizeof(double) : sizeof(float)),
                                       cudaMemcpyHostToDevice, b->device.stream),
                       "copying to the device");
    if (!status)
        status = cuda_box_check(b, cudaStreamSynchronize(b->device.stream), "copying to the device");
    free(table);
    return status;
}

/* Constants of boxes with equal edges (cube_factor), for factors in units of `scale`: 48 epsilon sigma^12 / r^14 = y^7
 * scale. */
static void box_cube_pair(const double *table, double units, double scale, double *cube)
{
    const double sigma2 = table[0] * units * units, ratio = table[0] > 0 ? table[1] / table[0] / scale : 0;
    const double strength = pow(ratio, 1.0 / 7); /* y r^2 / sigma^2 */
    cube[CUBE_STRENGTH] = sigma2 * strength;
    cube[CUBE_PULL] = ratio > 0 ? table[2] / table[0] / scale / pow(strength, 4) : 0;
    cube[CUBE_RADIUS2] = table[3] * units * units;
    cube[CUBE_PUSH] = table[4] / scale; /* CUT_SIGMA2, CUT_EPSILON_48, CUT_EPSILON_24, CUT_RADIUS2, CUT_PUSH */
}

/* Unit of the factors, close to 1, in which the strength of pairs of the first type is not rounded: an error of a float
 * would be seven times as large in the forces. */
static double box_cube_scale(const double *table, double units)
{
    double cube[CUBE_CONSTANTS];
    box_cube_pair(table, units, 1, cube);
    const double rounded = (double)(float)cube[CUBE_STRENGTH];
    return rounded > 0 ? pow(cube[CUBE_STRENGTH] / rounded, 7) : 1;
}

/* For mixtures a type more, with which nothing interacts: that of entries that fill rows. */
static myr_status box_set_cube(myr_cuda_box *b, const double *table)
{
    const int types = b->set.types, columns = types + 1;
    const double units = b->set.sigma / b->length[0] * 0x1p32; /* of the coordinates in sigma */
    const double scale = box_cube_scale(table, units);
    double *cube = calloc((size_t)types * (size_t)columns * CUBE_CONSTANTS, sizeof *cube), largest = 0;
    if (!cube)
        return b->cuda->host->fail(b->context, MYR_ERROR_MEMORY, "no memory for the potentials");
    for (int i = 0; i < types; i++)
        for (int j = 0; j < types; j++) {
            const double *pair = table + (size_t)(i * types + j) * MYR_BOX_CONSTANTS;
            box_cube_pair(pair, units, scale, cube + (size_t)(i * columns + j) * CUBE_CONSTANTS);
            largest = fmax(largest, pair[0]);
        }
    b->all.widest = (float)(0.99 * (0x1p31 - b->set.cutoff / b->length[0] * 0x1p32));
    b->all.closest2 = (float)(largest * units * units / 1024); /* CLOSE_LEAST */
    b->scale_cube = scale * (b->set.sums == MYR_CUDA_BOX_FIXED ? b->all.scale[0] : 1 / units);
    const myr_status status = box_send_table(b, cube, (int64_t)types * columns * CUBE_CONSTANTS, b->table_cube);
    free(cube);
    return status;
}

myr_status cuda_box_set(myr_cuda_box *box, const myr_cuda_box_potential *p)
{
    myr_cuda_box *b = box;
    const int in_double = b->set.arithmetic == MYR_ARITHMETIC_DOUBLE;
    myr_status status = cuda_box_check(b, cudaSetDevice(b->device.id), "choosing a device");
    if (b->length[0] != p->length[0] || b->length[1] != p->length[1] || b->length[2] != p->length[2]) {
        memcpy(b->length, p->length, sizeof b->length);
        b->is_listed = 0;
        if (!status)
            status = cuda_box_grid(b);
        if (!status && !b->all.entry)
            status = box_first_room(b);
    }
    if (!status && b->set.external)
        status = cuda_box_set_external(b, p);
    if (status)
        return status;
    b->grid = p->grid;
    for (int c = 0; c < 3; c++) {
        const double unit = p->length[c] / b->set.sigma;
        b->all.unit[c] = in_double ? unit * 0x1p-64 : (double)(float)(unit * 0x1p-32);
        const int by_factor = b->set.arithmetic == MYR_ARITHMETIC_SINGLE && !b->set.kernel;
        b->all.scale[c] = b->set.sums != MYR_CUDA_BOX_FIXED ? 1
                          : by_factor                       ? ldexp(unit * 0x1p-32, p->exponent)
                                                            : ldexp(1, p->exponent);
    }
    b->all.table = b->table;
    box_strength(b, p->table);
    box_fit(b);
    status = box_send_table(b, p->table, (int64_t)b->set.types * b->set.types * MYR_BOX_CONSTANTS, b->table);
    b->is_cube = box_has_cube(b) && p->length[0] == p->length[1] && p->length[0] == p->length[2];
    return status || !b->is_cube ? status : box_set_cube(b, p->table);
}
