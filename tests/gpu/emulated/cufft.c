/* cufft.c - the calls of cuFFT that the plug-in makes, by FFTW in double, for an emulated GPU: three-dimensional
 * transforms of several real fields in place. MYRIAD_CUFFT names the plug-in with the emulated GPU itself. Work is
 * queued like that of other calls, and uses the memory that the caller gives, whose absence is an error.
 * $EMULATED_CUFFT_MEMORY = k: plan k, from 0, finds no memory. */
#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#define CUFFT __attribute__((visibility("default")))

enum { PLANS_MOST = 64, SUCCESS = 0, INVALID_PLAN = 1, NO_MEMORY = 2, INVALID_VALUE = 4, EXECUTION_FAILED = 6 };
enum { R2C = 0x2a, C2R = 0x2c, D2Z = 0x6a, Z2D = 0x6c };

static struct {
    int used, n[3], kind, batch;
    size_t bytes;
    void *memory;
} plans[PLANS_MOST];
static int planned;

CUFFT int cufftCreate(int *plan);
CUFFT int cufftDestroy(int plan);
CUFFT int cufftSetAutoAllocation(int plan, int yes);
CUFFT int cufftMakePlanMany(int plan, int rank, int *n, int *in, int in_stride, int in_distance, int *out,
                            int out_stride, int out_distance, int kind, int batch, size_t *bytes);
CUFFT int cufftSetWorkArea(int plan, void *memory);
CUFFT int cufftSetStream(int plan, cudaStream_t stream);
CUFFT int cufftExecR2C(int plan, void *from, void *to);
CUFFT int cufftExecC2R(int plan, void *from, void *to);
CUFFT int cufftExecD2Z(int plan, void *from, void *to);
CUFFT int cufftExecZ2D(int plan, void *from, void *to);

int cufftCreate(int *plan)
{
    for (*plan = 0; *plan < PLANS_MOST && plans[*plan].used; ++*plan)
        ;
    if (*plan == PLANS_MOST)
        return NO_MEMORY;
    memset(&plans[*plan], 0, sizeof plans[*plan]);
    plans[*plan].used = 1;
    return SUCCESS;
}

int cufftDestroy(int plan)
{
    if (plan < 0 || plan >= PLANS_MOST || !plans[plan].used)
        return INVALID_PLAN;
    plans[plan].used = 0;
    return SUCCESS;
}

int cufftSetAutoAllocation(int plan, int yes)
{
    return plans[plan].used && !yes ? SUCCESS : INVALID_VALUE;
}

/* Fields in place: rows of 2 (n/2 + 1) reals, one field after the other. */
int cufftMakePlanMany(int plan, int rank, int *n, int *in, int in_stride, int in_distance, int *out, int out_stride,
                      int out_distance, int kind, int batch, size_t *bytes)
{
    const char *fails = getenv("EMULATED_CUFFT_MEMORY");
    const int back = kind == C2R || kind == Z2D, *real = back ? out : in, *wave = back ? in : out;
    const int reals = back ? out_distance : in_distance, waves = back ? in_distance : out_distance;
    if (fails && atoi(fails) == planned++)
        return NO_MEMORY;
    if (rank != 3 || in_stride != 1 || out_stride != 1 || wave[2] != n[2] / 2 + 1 || real[2] != 2 * wave[2] ||
        waves != n[0] * n[1] * wave[2] || reals != 2 * waves)
        return INVALID_VALUE;
    memcpy(plans[plan].n, n, sizeof plans[plan].n);
    plans[plan].kind = kind;
    plans[plan].batch = batch;
    plans[plan].bytes = *bytes = 4096;
    return SUCCESS;
}

int cufftSetWorkArea(int plan, void *memory)
{
    plans[plan].memory = memory;
    return memory ? SUCCESS : INVALID_VALUE;
}

int cufftSetStream(int plan, cudaStream_t stream)
{
    return plans[plan].used && stream ? SUCCESS : INVALID_PLAN;
}

typedef struct {
    int n[3], kind, batch;
    void *fields;
} job;

/* One field, in double: floats are converted. */
static void run_field(const job *j, void *field, double *room, size_t reals)
{
    const int back = j->kind == C2R || j->kind == Z2D, floats = j->kind == R2C || j->kind == C2R;
    double *at = floats ? room : field;
    for (size_t k = 0; floats && k < reals; k++)
        room[k] = (double)((const float *)field)[k];
    fftw_plan plan = back ? fftw_plan_dft_c2r_3d(j->n[0], j->n[1], j->n[2], (fftw_complex *)at, at, FFTW_ESTIMATE)
                          : fftw_plan_dft_r2c_3d(j->n[0], j->n[1], j->n[2], at, (fftw_complex *)at, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    for (size_t k = 0; floats && k < reals; k++)
        ((float *)field)[k] = (float)room[k];
}

static void run(const void *user)
{
    const job *j = user;
    const size_t reals = (size_t)j->n[0] * (size_t)j->n[1] * 2 * (size_t)(j->n[2] / 2 + 1);
    const size_t bytes = reals * (j->kind == R2C || j->kind == C2R ? sizeof(float) : sizeof(double));
    double *room = fftw_malloc(reals * sizeof *room);
    for (int b = 0; b < j->batch && room; b++)
        run_field(j, (char *)j->fields + (size_t)b * bytes, room, reals);
    fftw_free(room);
}

static int enqueue(int plan, int kind, void *from, void *to)
{
    if (plan < 0 || plan >= PLANS_MOST || !plans[plan].used || plans[plan].kind != kind)
        return INVALID_PLAN;
    if (from != to || !plans[plan].memory)
        return INVALID_VALUE;
    job j = {.kind = kind, .batch = plans[plan].batch, .fields = to};
    memcpy(j.n, plans[plan].n, sizeof j.n);
    return emulated_call(run, &j, sizeof j) == cudaSuccess ? SUCCESS : EXECUTION_FAILED;
}

int cufftExecR2C(int plan, void *from, void *to)
{
    return enqueue(plan, R2C, from, to);
}

int cufftExecC2R(int plan, void *from, void *to)
{
    return enqueue(plan, C2R, from, to);
}

int cufftExecD2Z(int plan, void *from, void *to)
{
    return enqueue(plan, D2Z, from, to);
}

int cufftExecZ2D(int plan, void *from, void *to)
{
    return enqueue(plan, Z2D, from, to);
}
