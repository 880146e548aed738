/* method_mesh_reference.c - sums of method mesh at a few targets by which its error is measured: Ewald sums, or for
 * many elements another mesh. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "interaction/method_mesh.h"

#define REFERENCE_EWALD 0.1 /* error of the Ewald sums, in tolerances */
#define REFERENCE_MESH 0.02 /* tolerance of the other mesh: its formula takes strengths for random ones */
#define REFERENCE_LEAST 1e-12

static myr_status reference_ewald(const myr_interaction *f, const myr_mesh_problem *p, int64_t samples,
                                  double *const at[3], double (*sum)[12])
{
    const myr_method_state *m = &f->method_state;
    myr_mesh_vortex_problem q = {
        .n = p->n, .m = samples, .core = p->core, .error = REFERENCE_EWALD * m->report.tolerance};
    for (int c = 0; c < 3; c++) {
        q.x[c] = p->x[c];
        q.strength[c] = p->strength[c];
        q.at[c] = at[c];
        q.edge[c] = m->box[c];
    }
    return myr_mesh_vortex_ewald(f->context, &q, sum);
}

static void reference_take(void *user, int64_t target, const double sum[12])
{
    memcpy(((double(*)[12])user)[target], sum, 12 * sizeof *sum);
}

/* On a mesh in double; *possible = 0 if there is none. */
static myr_status reference_mesh(const myr_interaction *f, const myr_mesh_problem *p, int64_t samples,
                                 double *const at[3], int *possible, double (*sum)[12])
{
    const myr_method_state *m = &f->method_state;
    const myr_mesh_question q = {.tolerance = fmax(REFERENCE_MESH * m->report.tolerance, REFERENCE_LEAST),
                                 .core = p->core,
                                 .edge = {m->box[0], m->box[1], m->box[2]},
                                 .power = -1,
                                 .gradient = 1,
                                 .n = p->n};
    myr_mesh_choice choice;
    myr_mesh *mesh = NULL;
    myr_mesh_places *sources = NULL, *targets = NULL;
    *possible = myr_mesh_choose(&q, &choice);
    if (!*possible)
        return MYR_OK;
    myr_status status = myr_mesh_create(f->context, &choice, m->box, &mesh);
    if (!status)
        status = myr_mesh_places_create(mesh, p->n, (const double *const *)p->x, &sources);
    if (!status)
        status = myr_mesh_places_create(mesh, samples, (const double *const *)at, &targets);
    if (!status) {
        myr_mesh_spread(mesh, sources, (const double *const *)p->strength);
        myr_mesh_apply(mesh, p->core, myr_mesh_vortex_velocity, NULL);
        myr_mesh_gather(mesh, targets, 1, reference_take, sum);
    }
    myr_mesh_places_destroy(&targets);
    myr_mesh_places_destroy(&sources);
    myr_mesh_destroy(&mesh);
    return status;
}

myr_status myr_method_mesh_reference(const myr_interaction *f, const myr_mesh_problem *p, int64_t samples,
                                     const int64_t *pick, double (*sum)[12])
{
    double *memory = myr_memory_some(3 * samples + 1, sizeof *memory);
    int possible = 0;
    if (!memory)
        return myr_context_fail(f->context, MYR_ERROR_MEMORY, "no memory for %lld targets", (long long)samples);
    double *const at[3] = {memory, memory + samples, memory + 2 * samples};
    for (int c = 0; c < 3; c++)
        for (int64_t s = 0; s < samples; s++)
            at[c][s] = p->at[c][pick[s]];
    myr_status status = p->n > MYR_MESH_PAIRS ? reference_mesh(f, p, samples, at, &possible, sum) : MYR_OK;
    if (!status && !possible)
        status = reference_ewald(f, p, samples, at, sum);
    free(memory);
    return status;
}
