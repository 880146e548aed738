/* mesh.c - vortex elements on a mesh on a device: program, tables and memory. Conventions: mesh.cuh. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/mesh_inside.h"

static const char *const kernel_name[MESH_KERNELS] = {"mesh_count",  "mesh_scan",   "mesh_place", "mesh_weigh",
                                                      "mesh_bound",  "mesh_spread", "mesh_real",  "mesh_velocity",
                                                      "mesh_gather", "mesh_move"};

static myr_status mesh_check(const myr_cuda_mesh *mesh, cudaError_t error, const char *what)
{
    return cuda_check(mesh->cuda, mesh->context, error, what);
}

/* Shared memory of a block that spreads or gathers: three components of 32 bits, or one of 64, of a tile's span. */
static size_t mesh_shared(const myr_cuda_mesh *mesh)
{
    const size_t more = (size_t)mesh->width - 1;
    const size_t span = (MYR_CUDA_MESH_TILE_X + more) * (MYR_CUDA_MESH_TILE_Y + more) * (MYR_CUDA_MESH_TILE_Z + more);
    return span * (mesh->in_double ? 8 : 12);
}

myr_status cuda_mesh_launch(const myr_cuda_mesh *mesh, mesh_kernel kernel, int64_t blocks, void *arguments, size_t size)
{
    const int tiled = kernel == MESH_SPREAD || (kernel == MESH_GATHER && !mesh->in_double);
    const unsigned threads = kernel == MESH_SCAN ? MYR_CUDA_MESH_SCAN : MYR_CUDA_MESH_THREADS;
    if (blocks == 0)
        return MYR_OK; /* an empty grid is an invalid launch */
    const cuda_call call = {.kernel = mesh->kernel[kernel],
                            .grid = {(unsigned)blocks, 1, 1},
                            .threads = threads,
                            .shared = tiled ? mesh_shared(mesh) : 0,
                            .arguments = arguments,
                            .size = size,
                            .what = kernel_name[kernel]};
    return cuda_launch(mesh->cuda, mesh->context, &mesh->device, &call);
}

static myr_status mesh_program(myr_cuda_mesh *mesh, int degree)
{
    char text[256], what[80];
    void *code = NULL;
    size_t size = 0;
    snprintf(
        text, sizeof text,
        "#define MESH_DOUBLE %d\n#define MESH_WIDTH %d\n#define MESH_DEGREE %d\n#include \"backend/cuda/mesh.cuh\"\n",
        mesh->in_double, mesh->width, degree);
    snprintf(what, sizeof what, "the program of a mesh with a window of %d points", mesh->width);
    myr_status status = cuda_compile(mesh->cuda, mesh->context, &mesh->device, what, text, NULL, &code, &size);
    if (!status)
        status = mesh_check(mesh, cudaLibraryLoadData(&mesh->library, code, NULL, NULL, 0, NULL, NULL, 0),
                            "loading a program");
    free(code);
    for (int k = 0; k < MESH_KERNELS && !status; k++)
        status =
            mesh_check(mesh, cudaLibraryGetKernel(&mesh->kernel[k], mesh->library, kernel_name[k]), kernel_name[k]);
    return status;
}

/* Sides of the mesh and of its tiles, and the window. */
static void mesh_describe(myr_cuda_mesh *mesh, const myr_cuda_mesh_set *set)
{
    static const int32_t tile[3] = {MYR_CUDA_MESH_TILE_X, MYR_CUDA_MESH_TILE_Y, MYR_CUDA_MESH_TILE_Z};
    myr_cuda_mesh_pass *p = &mesh->pass;
    for (int c = 0; c < 3; c++) {
        p->side[c] = set->side[c];
        p->edge[c] = set->edge[c];
        p->slope[c] = set->side[c] / set->edge[c];
        p->tiles[c] = (set->side[c] + tile[c] - 1) / tile[c];
        p->reach[c] = (set->width - 1 + tile[c] - 1) / tile[c] + (set->side[c] % tile[c] != 0);
        p->reach[c] = p->reach[c] < p->tiles[c] ? p->reach[c] : p->tiles[c] - 1;
    }
    p->row = 2 * (set->side[0] / 2 + 1);
    for (int k = 0; k < 2 * (set->degree + 1) * set->width; k++) {
        const int which = k / ((set->degree + 1) * set->width), power = k / set->width % (set->degree + 1);
        const int to = power * MYR_CUDA_MESH_WIDEST + k % set->width;
        if (set->in_double)
            p->window.wide[which][to] = set->coefficient[k];
        else
            p->window.single[which][to] = (float)set->coefficient[k];
    }
}

static myr_status mesh_keep_tables(myr_cuda_mesh *mesh, const myr_cuda_mesh_set *set)
{
    for (int c = 0; c < 3; c++) {
        const size_t bytes = (size_t)set->side[c] * sizeof(double);
        mesh->wave[c] = malloc(bytes);
        mesh->unwound[c] = malloc(bytes);
        if (!mesh->wave[c] || !mesh->unwound[c])
            return mesh->cuda->host->fail(mesh->context, MYR_ERROR_MEMORY, "no memory for %d waves", set->side[c]);
        memcpy(mesh->wave[c], set->wave[c], bytes);
        memcpy(mesh->unwound[c], set->unwound[c], bytes);
    }
    return MYR_OK;
}

static myr_status mesh_rooms(myr_cuda_mesh *mesh)
{
    const int32_t *side = mesh->pass.side;
    const size_t real = mesh_real_bytes(mesh), tiles = (size_t)mesh_tiles(mesh);
    const struct {
        cuda_buffer_id id;
        size_t bytes;
    } rooms[] = {{BUFFER_MESH_GRID, 3 * (size_t)mesh_points(mesh) * real},
                 {BUFFER_MESH_TABLES, 2 * (size_t)(side[0] + side[1] + side[2]) * real},
                 {BUFFER_MESH_STATE, sizeof(myr_cuda_mesh_state)},
                 {BUFFER_MESH_FIRST, (tiles + 1) * sizeof(uint32_t)},
                 {BUFFER_MESH_SUM, tiles * sizeof(unsigned long long)}};
    myr_status status = MYR_OK;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms && !status; k++)
        status = cuda_room(mesh->cuda, mesh->context, &mesh->device, rooms[k].id, rooms[k].bytes);
    return status;
}

static myr_status mesh_fourier(myr_cuda_mesh *mesh)
{
    cuda_fourier *f = &mesh->fourier;
    myr_status status = cuda_fourier_make(mesh->cuda, mesh->context, mesh->pass.side, mesh->in_double, f);
    if (!status)
        status = cuda_room(mesh->cuda, mesh->context, &mesh->device, BUFFER_MESH_FOURIER, f->bytes);
    return status ? status
                  : cuda_fourier_use(mesh->cuda, mesh->context, f, mesh->device.buffer[BUFFER_MESH_FOURIER].at,
                                     mesh->device.stream);
}

myr_status cuda_mesh_open(myr_cuda *cuda, const myr_cuda_mesh_set *set, myr_cuda_mesh **mesh)
{
    myr_cuda_mesh *m = *mesh = calloc(1, sizeof *m);
    if (!m)
        return cuda->host->fail(set->context, MYR_ERROR_MEMORY, "no memory for a mesh");
    m->cuda = cuda;
    m->context = set->context;
    m->in_double = set->in_double;
    m->width = set->width;
    mesh_describe(m, set);
    myr_status status = cuda_device_copy(cuda, m->context, &cuda->device[0], &m->device);
    if (!status)
        status = mesh_check(m, cudaMallocHost((void **)&m->state, sizeof *m->state), "allocating pinned memory");
    for (int k = 0; k <= MYR_CUDA_MESH_PHASES && !status; k++)
        status = mesh_check(m, cudaEventCreate(&m->mark[k]), "making an event");
    if (!status)
        status = mesh_keep_tables(m, set);
    if (!status)
        status = mesh_fourier(m);
    if (!status)
        status = mesh_rooms(m);
    if (!status)
        status = mesh_program(m, set->degree);
    if (status) {
        cuda_mesh_close(m);
        *mesh = NULL;
    }
    return status;
}

void cuda_mesh_close(myr_cuda_mesh *mesh)
{
    if (!mesh)
        return;
    if (mesh->device.stream)
        (void)cudaStreamSynchronize(mesh->device.stream);
    cuda_fourier_destroy(&mesh->fourier);
    if (mesh->library)
        (void)cudaLibraryUnload(mesh->library);
    for (int k = 0; k <= MYR_CUDA_MESH_PHASES; k++)
        if (mesh->mark[k])
            (void)cudaEventDestroy(mesh->mark[k]);
    if (mesh->state)
        (void)cudaFreeHost(mesh->state);
    for (int c = 0; c < 3; c++) {
        free(mesh->wave[c]);
        free(mesh->unwound[c]);
    }
    if (mesh->device.stream)
        cuda_device_release(&mesh->device);
    free(mesh);
}
