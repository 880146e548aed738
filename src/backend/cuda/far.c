/* far.c - far fields on a device: programs, operators and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/far_cells_inside.h"

static const char *const kernel_name[FAR_KERNELS] = {
    "far_bounds", "far_root",   "far_keys",       "far_segments",  "far_rekey",   "far_count",      "far_places",
    "far_move",   "far_split",  "far_level",      "far_children",  "far_records", "far_near_cells", "far_leaf_lists",
    "far_step",   "far_acting", "far_p2m",        "far_m2m",       "far_m2l",     "far_p2l",        "far_l2l",
    "far_l2p",    "far_images", "far_background", "far_quadratics"};

/* --- memory and launches ------------------------------------------------------------------------------------------ */

myr_status cuda_far_check(const myr_cuda_far *far, cudaError_t error, const char *what)
{
    return cuda_check(far->cuda, far->context, error, what);
}

myr_status cuda_far_room(myr_cuda_far *far, far_buffer id, size_t size, int zeros)
{
    cuda_buffer *b = &far->buffer[id];
    char what[64];
    if (b->at && b->size >= size)
        return MYR_OK;
    if (b->at) {
        const myr_status status = cuda_far_check(far, cudaFreeAsync(b->at, far->device.stream), "freeing memory");
        far->bytes -= b->size;
        *b = (cuda_buffer){NULL, 0};
        if (status)
            return status;
    }
    size = (size + size / 8 + 255) / 256 * 256 + 256; /* with a margin, for slow growth */
    if (far->cuda->limit && far->bytes + size > far->cuda->limit)
        return far->cuda->host->fail(far->context, MYR_ERROR_MEMORY,
                                     "GPU: %zu bytes more would pass MYRIAD_CUDA_MEMORY = %zu; raise it or unset it",
                                     size, far->cuda->limit);
    snprintf(what, sizeof what, "allocating %.3g GB beside %.3g", 1e-9 * (double)size, 1e-9 * (double)far->bytes);
    myr_status status = cuda_far_check(far, cudaMallocAsync(&b->at, size, far->device.stream), what);
    if (status) {
        b->at = NULL;
        return status;
    }
    b->size = size;
    far->bytes += size;
    if (zeros)
        status = cuda_far_check(far, cudaMemsetAsync(b->at, 0, size, far->device.stream), "clearing memory");
    return status;
}

myr_status cuda_far_launch(const myr_cuda_far *far, cudaKernel_t kernel, const char *what, int64_t threads,
                           unsigned block, void *arguments, size_t size)
{
    const int64_t blocks = (threads + block - 1) / block;
    if (blocks == 0)
        return MYR_OK; /* an empty grid is an invalid launch */
    const cuda_call call = {kernel, {(unsigned)blocks, 1, 1}, block, 0, arguments, size, what, 0};
    return cuda_launch(far->cuda, far->context, &far->device, &call);
}

/* --- constants of the order --------------------------------------------------------------------------------------- */

/* Text that grows. */
typedef struct {
    char *at;
    size_t length, room;
    int failed;
} far_text;

static void text_add(far_text *t, const char *piece)
{
    const size_t more = strlen(piece);
    if (t->length + more + 1 > t->room) {
        const size_t room = 2 * (t->room + more) + 4096;
        char *at = realloc(t->at, room);
        if (!at) {
            t->failed = 1;
            return;
        }
        t->at = at;
        t->room = room;
    }
    memcpy(t->at + t->length, piece, more + 1);
    t->length += more;
}

static void text_numbers(far_text *t, const char *name, const int8_t *value, int rows, int columns)
{
    char piece[64];
    snprintf(piece, sizeof piece, "constexpr int %s[%d][%d] = {", name, rows, columns);
    text_add(t, piece);
    for (int k = 0; k < rows * columns && !t->failed; k++) {
        snprintf(piece, sizeof piece, "%d,", value[k]);
        text_add(t, piece);
    }
    text_add(t, "};\n");
}

static void text_table(far_text *t, const char *name, const double *value, int64_t n)
{
    char piece[64];
    snprintf(piece, sizeof piece, "constexpr real %s[] = {", name);
    text_add(t, piece);
    for (int64_t k = 0; k < n && !t->failed; k++) {
        snprintf(piece, sizeof piece, "(real)%a,", value[k]);
        text_add(t, piece);
    }
    text_add(t, "};\n");
}

/* Header with the constants of an order; the caller frees it, null if memory is short. */
static char *constants_text(const myr_cuda_far_set *set)
{
    far_text t = {NULL, 0, 0, 0};
    const int64_t p = set->order, degrees = p + set->depth + 1;
    text_table(&t, "far_first", set->first, degrees);
    text_table(&t, "far_up", set->up, degrees * degrees);
    text_table(&t, "far_down", set->down, degrees * degrees);
    if (!set->portable) {
        text_table(&t, "far_swap", set->swap, p * (2 * p * p + 1) / 3);
        text_table(&t, "far_axial", set->axial, p * (p + 1) * (2 * p + 1) / 6);
    }
    text_numbers(&t, "far_step", &set->step[0][0], set->steps, 3);
    text_numbers(&t, "far_sum", &set->sum[0][0], set->sums, 2);
    if (t.failed) {
        free(t.at);
        return NULL;
    }
    return t.at;
}

/* --- programs ----------------------------------------------------------------------------------------------------- */

static myr_status program_load(const myr_cuda_far *far, const char *what, const char *text, const char *header,
                               cudaLibrary_t *library)
{
    void *code = NULL;
    size_t size = 0;
    myr_status status = cuda_compile(far->cuda, far->context, &far->device, what, text, header, &code, &size);
    if (!status)
        status =
            cuda_far_check(far, cudaLibraryLoadData(library, code, NULL, NULL, 0, NULL, NULL, 0), "loading a program");
    free(code);
    return status;
}

static myr_status far_kernels(myr_cuda_far *far, int kernels)
{
    myr_status status = MYR_OK;
    for (int k = 0; k < kernels && !status; k++)
        status = cuda_far_check(
            far, cudaLibraryGetKernel(&far->kernel[k], far->library[k >= FAR_TREE_KERNELS], kernel_name[k]),
            kernel_name[k]);
    return status;
}

static myr_status far_programs(myr_cuda_far *far, const myr_cuda_far_set *set)
{
    char text[1024];
    snprintf(text, sizeof text, "#define FAR_REACH %d\n#include \"backend/cuda/far_tree.cuh\"\n%s", set->separation,
             set->has_cells ? "#include \"backend/cuda/far_cells.cuh\"\n" : "");
    myr_status status = program_load(far, "the program of an octree", text, NULL, &far->library[0]);
    if (!status && set->has_cells)
        status = cuda_far_cells_kernels(far);
    if (status || set->has_cells)
        return status ? status : far_kernels(far, FAR_TREE_KERNELS);
    char *header = status ? NULL : constants_text(set);
    if (!status && !header)
        status =
            far->cuda->host->fail(far->context, MYR_ERROR_MEMORY, "no memory for expansions of order %d", set->order);
    snprintf(text, sizeof text,
             "#define FAR_ORDER %d\n#define FAR_DOUBLE %d\n#define FAR_WIDE_RECORD %d\n#define FAR_COORD_LANES %d\n"
             "#define FAR_REACH %d\n#define FAR_STRENGTHS %d\n#define FAR_NEGATED %d\n#define FAR_LISTED %d\n"
             "#define FAR_STEPS %d\n#define FAR_SUMS %d\n#define FAR_DEPTH %d\n#define FAR_PORTABLE %d\n"
             "#define FAR_RELAXED %d\n#define FAR_PARITY %d\n"
             "#include \"backend/cuda/far_series.cuh\"\n",
             set->order, set->in_double, set->real_bytes == 8, set->coord_lanes, set->separation, set->strengths,
             set->negated, set->series, set->steps, set->sums, set->depth, set->portable, set->relaxed,
             far->has_parity);
    if (!status)
        status = program_load(far, "the program of expansions", text, header, &far->library[1]);
    free(header);
    if (!status)
        status = far_kernels(far, FAR_KERNELS);
    return status || !far->has_parity ? status : cuda_far_parity_kernels(far);
}

/* Kernels whose near pairs have other sums, in floats: these have names of their own in the kernel's header, and a
 * function makes the outputs of them. */
static const struct {
    const char *kernel, *sums;
    int count;
} near_sums[] = {{"velocity_stretching", "velocity_stretching_sums", 9}};

/* Place in near_sums; -1 = sums are the outputs. */
static int near_sums_of(const myr_direct *job)
{
    const int plain = job->loops - job->unit->loops == MYR_ACC_single && job->unit->real_bytes == (int)sizeof(float);
    for (int k = 0; plain && k < (int)(sizeof near_sums / sizeof *near_sums); k++)
        if (strcmp(job->unit->desc->name, near_sums[k].kernel) == 0)
            return k;
    return -1;
}

static int near_outputs(const myr_direct *job)
{
    const int k = near_sums_of(job);
    return k < 0 ? job->unit->outputs : near_sums[k].count;
}

enum { NEAR_LEAF = 32 }; /* targets of a leaf that one pass over the sources should suffice for */

/* Shape of the near field: targets per thread and blocks per multiprocessor, by the registers of the sums; words that
 * the sums of a loop use; threads of a warp with different targets, so that one pass over the sources suffices for a
 * typical leaf. */
typedef struct {
    int targets, blocks, words, wide;
} near_shape;

/* 1 if the block's shared memory suffices for a shape. */
static int near_fits(const myr_direct *job, near_shape s)
{
    const myr_unit *u = job->unit;
    const int bags = MYR_FAR_BAGS(far_stride(job) * u->real_bytes), outputs = near_outputs(job),
              sums = MYR_FAR_MERGED(outputs, s.words);
    const int held = MYR_FAR_HELD(u->source_lanes), folded = MYR_FAR_FOLDED(s.targets, outputs, s.words);
    return (bags > sums ? bags : sums) + held + folded <= MYR_FAR_SHARED;
}

static near_shape near_shape_of(const myr_direct *job)
{
    const char *given = getenv("MYRIAD_FAR_SHAPE"); /* "targets,blocks,wide": for tests and measurements */
    const myr_acc_loop loop = (myr_acc_loop)(job->loops - job->unit->loops);
    const int in_double = job->unit->real_bytes == 8, many = job->unit->outputs > 4;
    const int one = loop == MYR_ACC_single || loop == MYR_ACC_double;
    near_shape s = {8, 8, one ? 1 + (job->scale[0].fold != 0) : MYR_ACC_LOOP_WORDS, 8}, asked = s;
    if (!one && !in_double)
        s.words = 2; /* only fixed sums in double need more */
    if (in_double)
        s.targets = loop == MYR_ACC_double ? 4 : 2;
    else if (loop == MYR_ACC_fixed)
        s.targets = 2; /* more do not fit the registers: 3 and 4 take 1.6 and 1.9 times as long on an H200 */
    else if (loop != MYR_ACC_single) {
        s.targets = 4;
        s.blocks = 7;
    }
    if (many) /* sums of six or seven components take as many more registers */
        s.targets = s.targets > 2 ? s.targets / 2 : 1;
    if (near_sums_of(job) >=
        0) { /* 2e6 elements on an H200: 8.8 ms; 4, 8 and 16 8.9; 3, 10 and 16 9.7; 4, 8 and 8 11.2 */
        s.blocks = 6;
        s.wide = 16;
    } else if (loop == MYR_ACC_single && !in_double) {
        s.targets = 3; /* 1e7 bodies on an H200: 7.7 ms; 8 targets, 8 blocks and 8 threads 10.8; 2, 16 and 16 9.2 */
        s.blocks = 14;
        s.wide = 16;
    }
    while (s.wide < 32 && (s.targets * s.wide < NEAR_LEAF || loop == MYR_ACC_fixed))
        s.wide *= 2; /* fixed sums of 1e6 bodies on an H200: 8, 16, 32 threads 3.1, 2.25, 1.99 ms */
    if (given && sscanf(given, "%d,%d,%d", &asked.targets, &asked.blocks, &asked.wide) >= 2 && asked.targets >= 1 &&
        asked.blocks >= 1 && asked.blocks <= 16 && (asked.wide == 8 || asked.wide == 16 || asked.wide == 32) &&
        asked.targets * asked.wide <= MYR_FAR_TARGETS) {
        s.targets = asked.targets;
        s.blocks = asked.blocks;
        s.wide = asked.wide;
    }
    while (s.targets > 1 && !near_fits(job, s))
        s.targets--;
    return s;
}

static myr_status near_text(const myr_cuda_far *far, const myr_direct *job, int sums, near_shape s, char *text,
                            size_t size)
{
    const char *kernel = job->unit->desc->name, *file = cuda_kernel_file(kernel);
    if (!file)
        return far->cuda->host->fail(far->context, MYR_ERROR_COMBINATION, "GPU: kernel %s has no far field", kernel);
    const int other = near_sums_of(job);
    snprintf(
        text, size,
        "#define MYR_KERNEL %s\n#define CUDA_FINISH %d\n#define MYR_KERNEL_FILE \"kernel/%s\"\n#define MYR_ARITH %d\n"
        "#define MYR_LANE_BYTES 0\n#define MYR_ACC_NAME %s\n#define MYR_ACC_FILE \"accumulator/%s.h\"\n"
        "#define CUDA_FOLD %d\n#define CUDA_TARGETS %d\n#define CUDA_WORDS %d\n#define CUDA_BLOCKS %d\n"
        "#define CUDA_SUMS %d\n#define CUDA_WIDE %d\n"
        "#define MYR_KERNEL_UNLIMITED 0\n#define MYR_KERNEL_EQUAL 0\n#include \"backend/cuda/far_near.cuh\"\n",
        other < 0 ? kernel : near_sums[other].sums, other < 0 ? 0 : job->unit->outputs, file, job->unit->arithmetic,
        cuda_loop_name(job), cuda_loop_name(job), job->scale[0].fold, s.targets, s.words, s.blocks, sums, s.wide);
    return MYR_OK;
}

myr_status cuda_far_near_program(myr_cuda_far *far, const myr_direct *job, int sums, const far_near_program **program)
{
    char text[1024], what[160];
    const near_shape shape = near_shape_of(job);
    myr_status status = near_text(far, job, sums, shape, text, sizeof text);
    if (status)
        return status;
    for (*program = far->programs; *program; *program = (*program)->next)
        if (strcmp((*program)->text, text) == 0)
            return MYR_OK;
    far_near_program *p = calloc(1, sizeof *p);
    if (!p || !(p->text = strdup(text))) {
        free(p);
        return far->cuda->host->fail(far->context, MYR_ERROR_MEMORY, "no memory for a program");
    }
    p->next = far->programs; /* from here on it is freed with the far field */
    far->programs = p;
    snprintf(what, sizeof what, "the near field of kernel %s with accumulator %s", job->unit->desc->name,
             cuda_loop_name(job));
    status = program_load(far, what, text, NULL, &p->library);
    if (!status)
        status = cuda_far_check(far, cudaLibraryGetKernel(&p->near, p->library, "far_near"), "loading far_near");
    if (!status && job->loops - job->unit->loops == MYR_ACC_fixed)
        status = cuda_far_check(far, cudaLibraryGetKernel(&p->finish, p->library, "far_finish"), "loading far_finish");
    p->words = shape.words;
    *program = p;
    if (status)
        p->text[0] = 0; /* matches nothing */
    return status;
}

/* --- operators ---------------------------------------------------------------------------------------------------- */

/* Copies a table to the device in the reals of the expansions. */
static myr_status send_table(myr_cuda_far *far, far_buffer id, const double *value, size_t n)
{
    const size_t real = far->in_double ? sizeof(double) : sizeof(float);
    void *reals = malloc(n * real + 1);
    if (!reals)
        return far->cuda->host->fail(far->context, MYR_ERROR_MEMORY, "no memory for expansions of order %d",
                                     far->order);
    for (size_t k = 0; k < n; k++)
        if (far->in_double)
            ((double *)reals)[k] = value[k];
        else
            ((float *)reals)[k] = (float)value[k];
    myr_status status = cuda_far_room(far, id, n * real, 0);
    if (!status)
        status = cuda_far_check(
            far, cudaMemcpyAsync(far_at(far, id), reals, n * real, cudaMemcpyHostToDevice, far->device.stream),
            "copying operators to the device");
    free(reals);
    return status;
}

static myr_status send_doubles(myr_cuda_far *far, far_buffer id, const double *value, size_t n)
{
    const myr_status status = cuda_far_room(far, id, n * sizeof *value, 0);
    return status ? status
                  : cuda_far_check(far,
                                   cudaMemcpyAsync(far_at(far, id), value, n * sizeof *value, cudaMemcpyHostToDevice,
                                                   far->device.stream),
                                   "copying operators to the device");
}

/* Translations in portable arithmetic. */
static myr_status send_places(myr_cuda_far *far, const myr_cuda_far_set *set, size_t offsets)
{
    const size_t bytes = offsets * sizeof *set->place;
    myr_status status = send_table(far, FAR_TRANSLATE, set->translate, (size_t)set->translate_reals);
    if (!status)
        status = cuda_far_room(far, FAR_PLACE, bytes, 0);
    return status ? status
                  : cuda_far_check(far,
                                   cudaMemcpyAsync(far_at(far, FAR_PLACE), set->place, bytes, cudaMemcpyHostToDevice,
                                                   far->device.stream),
                                   "copying operators to the device");
}

static myr_status far_operators(myr_cuda_far *far, const myr_cuda_far_set *set)
{
    const size_t p = (size_t)set->order, depth = (size_t)set->depth, terms = p * p, more = (p + depth) * (p + depth);
    const size_t width = 4 * (size_t)set->separation + 3;
    myr_status status = send_table(far, FAR_UP, set->parent, 8 * terms * terms);
    if (!status)
        status = send_table(far, FAR_DOWN, set->children, 8 * terms * terms);
    if (!status && set->portable)
        status = send_places(far, set, width * width * width);
    else if (!status)
        status = send_table(far, FAR_OFFSET, set->offset, width * width * width * 5 * p);
    if (!status && set->lattice)
        status = send_doubles(far, FAR_LATTICE, set->lattice, terms * terms);
    for (int k = 0; k < 2 && !status; k++) {
        const size_t n = 6 * (k ? more : terms);
        status = send_table(far, FAR_FACTOR_0 + k, set->factor[k], n);
        if (!status)
            status = cuda_far_room(far, FAR_FROM_0 + k, n * sizeof(int32_t), 0);
        if (!status)
            status = cuda_far_check(far,
                                    cudaMemcpyAsync(far_at(far, FAR_FROM_0 + k), set->from[k], n * sizeof(int32_t),
                                                    cudaMemcpyHostToDevice, far->device.stream),
                                    "copying operators to the device");
    }
    return status;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

/* Opens a far field on a device. */
static myr_status far_open_on(myr_cuda *cuda, const cuda_device *device, const myr_cuda_far_set *set,
                              myr_cuda_far **far)
{
    *far = NULL;
    myr_cuda_far *f = calloc(1, sizeof *f);
    if (!f)
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for a far field");
    f->cuda = cuda;
    f->context = set->context;
    f->order = set->order;
    f->separation = set->separation;
    f->in_double = set->in_double;
    f->portable = set->portable;
    f->real_bytes = set->real_bytes;
    f->coord_lanes = set->coord_lanes;
    f->strengths = set->strengths;
    f->series = set->series;
    f->sums = set->sums;
    f->depth = set->depth;
    f->has_lattice = set->lattice != NULL;
    f->has_box = set->has_box;
    f->has_cells = set->has_cells;
    f->has_parity = !set->has_cells && cuda_far_parity_fits(set);
    myr_status status = cuda_device_copy(cuda, f->context, device, &f->device);
    if (!status)
        status = cuda_far_check(f, cudaMallocHost((void **)&f->state, sizeof *f->state), "allocating pinned memory");
    for (int k = 0; k <= MYR_CUDA_FAR_PARTS && !status; k++)
        status = cuda_far_check(f, cudaEventCreate(&f->mark[k]), "making an event");
    if (!status)
        status = far_programs(f, set);
    if (!status && !f->has_cells)
        status = far_operators(f, set);
    if (status) {
        cuda_far_close(f);
        return status;
    }
    *far = f;
    return MYR_OK;
}

myr_status cuda_far_open(myr_cuda *cuda, const myr_cuda_far_set *set, myr_cuda_far **far)
{
    const int devices = cuda->alone ? 1 : cuda->devices;
    const cuda_device *device = &cuda->device[cuda->alone ? cuda->alone - 1 : 0];
    myr_cuda_far **next = far;
    myr_status status = MYR_OK;
    *far = NULL;
    for (int k = 0; k < devices && !status; k++) {
        status = far_open_on(cuda, device + k, set, next);
        if (!status)
            next = &(*next)->peer;
    }
    if (status)
        cuda_far_close(*far);
    if (status)
        *far = NULL;
    return status;
}

void cuda_far_close(myr_cuda_far *far)
{
    if (!far)
        return;
    cuda_far_close(far->peer);
    (void)cudaSetDevice(far->device.id);
    if (far->device.stream)
        (void)cudaStreamSynchronize(far->device.stream);
    for (int k = 0; k < FAR_BUFFERS; k++)
        if (far->buffer[k].at)
            (void)cudaFreeAsync(far->buffer[k].at, far->device.stream);
    while (far->programs) {
        far_near_program *next = far->programs->next;
        if (far->programs->library)
            (void)cudaLibraryUnload(far->programs->library);
        free(far->programs->text);
        free(far->programs);
        far->programs = next;
    }
    for (int k = 0; k < 2; k++)
        if (far->library[k])
            (void)cudaLibraryUnload(far->library[k]);
    for (int k = 0; k <= MYR_CUDA_FAR_PARTS; k++)
        if (far->mark[k])
            (void)cudaEventDestroy(far->mark[k]);
    if (far->state)
        (void)cudaFreeHost(far->state);
    if (far->device.stream)
        cuda_device_release(&far->device);
    free(far);
}
