/* gpunb.c - regular forces and neighbours for NBODY6++GPU: sums by Myriad, from which the neighbours are excluded. A
 * GPU compares all pairs to find these, the threads of the processor search a tree. */
#include "gpunb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "near_tree.h"

static struct {
    grape_engine engine, potential;          /* of gpunb_regf_ and of gpupot_ */
    myr_particles *sources, *bodies, *block; /* block: targets whose neighbours a GPU finds */
    near_tree tree;
    int sent;       /* sources are there */
    int is_planted; /* the tree has them */
    int is_told;    /* the GPU that finds neighbours has them */
    char message[GRAPE_MESSAGE];
} gpunb;

void gpunb_devinit_(const int *rank)
{
    (void)rank;
}

void gpunb_open_(const int *nbmax, const int *rank)
{
    (void)nbmax, (void)rank;
}

void gpunb_profile_(const int *rank)
{
    (void)rank;
}

void gpunb_close_(void)
{
    myr_particles_destroy(&gpunb.sources);
    myr_particles_destroy(&gpunb.bodies);
    myr_particles_destroy(&gpunb.block);
    grape_engine_free(&gpunb.engine);
    grape_engine_free(&gpunb.potential);
    grape_near_free(&gpunb.tree);
    gpunb.engine = gpunb.potential = (grape_engine){0};
    gpunb.sent = gpunb.is_planted = gpunb.is_told = 0;
}

const char *gpunb_message(void)
{
    return gpunb.message;
}

/* Keeps the message of a failure, and gives 1 where there was one. */
static int gpunb_failed(grape_engine *e, myr_status status)
{
    const int failed = grape_engine_failed(e, status);
    memcpy(gpunb.message, e->message, sizeof gpunb.message);
    return failed;
}

/* A set of n bodies; v may be null. */
static myr_status gpunb_fill(grape_engine *e, myr_particles **set, int n, const double m[], const double (*x)[3],
                             const double (*v)[3])
{
    myr_status status = grape_engine_size(e, set, n);
    if (!status)
        status = myr_particles_set(*set, "mass", 1, m);
    if (!status)
        status = myr_particles_set(*set, "position", 3, x[0]);
    if (!status && v)
        status = myr_particles_set(*set, "velocity", 3, v[0]);
    return status;
}

/* Returns 1 if a GPU finds the neighbours: it was chosen, or it is there. */
static int gpunb_has_gpu(void)
{
    myr_gpu_info gpu;
    const char *backend = myr_interaction_choice(gpunb.engine.interaction, "backend");
    return strcmp(backend, "cuda") == 0 ||
           (strcmp(backend, "auto") == 0 && myr_machine_gpu(gpunb.engine.context, 0, &gpu) == MYR_OK);
}

void gpunb_send_(const int *nj, const double m[], const double x[][3], const double v[][3])
{
    myr_status status = *nj < 0 ? MYR_ERROR_ARGUMENT : grape_engine_ready(&gpunb.engine, "gravity_jerk");
    if (!status)
        status = gpunb_fill(&gpunb.engine, &gpunb.sources, *nj, m, x, v);
    gpunb.is_planted = gpunb.is_told = 0;
    if (!status && !gpunb_has_gpu()) {
        gpunb.is_planted = grape_near_fill(&gpunb.tree, *nj, m, x, v);
        status = gpunb.is_planted ? MYR_OK : MYR_ERROR_MEMORY;
    }
    gpunb.sent = !gpunb_failed(&gpunb.engine, status);
}

/* --- regular forces ----------------------------------------------------------------------------------------------- */

/* Neighbours of all targets, one list behind the other. */
typedef struct {
    int64_t *offset, *partner;
    double *eps2; /* no softening, [ni] */
} gpunb_lists;

static void lists_free(gpunb_lists *l)
{
    free(l->offset);
    free(l->partner);
    free(l->eps2);
}

/* Neighbours of one target: *found has their number and then their places. Null if there is no memory. */
static int *list_find(const near_query *query, int *room)
{
    const int count = grape_near_find(&gpunb.tree, query, gpunb.tree.n, room);
    int *found = malloc(((size_t)count + 1) * sizeof *found);
    if (!found)
        return NULL;
    found[0] = count;
    memcpy(found + 1, room, (size_t)count * sizeof *found);
    return found;
}

/* Neighbours of each target, by all threads. */
static void lists_find(int ni, const near_query *query, int **found)
{
#pragma omp parallel
    {
        int *room = malloc(((size_t)gpunb.tree.n + 1) * sizeof *room);
#pragma omp for schedule(dynamic, 16)
        for (int i = 0; i < ni; i++)
            found[i] = room ? list_find(&query[i], room) : NULL;
        free(room);
    }
}

/* Puts the lists of the targets one behind the other, and writes them for NBODY6; 0 if there is no memory. */
static int lists_join(gpunb_lists *l, int ni, int *const *found, int lmax, int nbmax, int *list)
{
    const int most = nbmax < lmax - 1 ? nbmax : lmax - 1;
    for (int i = 0; i < ni; i++) {
        if (!found[i])
            return 0;
        l->offset[i + 1] = l->offset[i] + found[i][0];
    }
    l->partner = malloc(((size_t)l->offset[ni] + 1) * sizeof *l->partner);
    for (int i = 0; i < ni && l->partner; i++) {
        const int count = found[i][0];
        int *to = list + (ptrdiff_t)i * lmax;
        for (int k = 0; k < count; k++)
            l->partner[l->offset[i] + k] = found[i][1 + k];
        to[0] = count <= most ? count : -count;
        if (count <= most)
            memcpy(to + 1, found[i] + 1, (size_t)count * sizeof *to);
    }
    return l->partner != NULL;
}

static int lists_make(gpunb_lists *l, int ni, const near_query *query, int lmax, int nbmax, int *list)
{
    int **found = calloc((size_t)ni, sizeof *found), ok = 0;
    l->offset = calloc((size_t)ni + 1, sizeof *l->offset);
    l->eps2 = calloc((size_t)ni + 1, sizeof *l->eps2);
    if (found && l->offset && l->eps2) {
        lists_find(ni, query, found);
        ok = lists_join(l, ni, found, lmax, nbmax, list);
    }
    for (int i = 0; i < ni && found; i++)
        free(found[i]);
    free(found);
    return ok;
}

/* The same with lists that a GPU made. */
static int lists_take(gpunb_lists *l, const myr_near_lists *near, int lmax, int nbmax, int *list)
{
    const int ni = (int)near->targets, most = nbmax < lmax - 1 ? nbmax : lmax - 1;
    const size_t entries = (size_t)near->offset[ni];
    l->offset = malloc(((size_t)ni + 1) * sizeof *l->offset);
    l->partner = malloc((entries + 1) * sizeof *l->partner);
    l->eps2 = calloc((size_t)ni + 1, sizeof *l->eps2);
    if (!l->offset || !l->partner || !l->eps2)
        return 0;
    memcpy(l->offset, near->offset, ((size_t)ni + 1) * sizeof *l->offset);
    for (size_t k = 0; k < entries; k++)
        l->partner[k] = near->source[k];
    for (int i = 0; i < ni; i++) {
        const int count = (int)(near->offset[i + 1] - near->offset[i]);
        int *to = list + (ptrdiff_t)i * lmax;
        to[0] = count <= most ? count : -count;
        if (count <= most)
            memcpy(to + 1, near->source + near->offset[i], (size_t)count * sizeof *to);
    }
    return 1;
}

/* Neighbours by a GPU. */
static myr_status lists_ask(gpunb_lists *l, int ni, const near_query *query, const double (*x)[3], const double (*v)[3],
                            int lmax, int nbmax, int *list)
{
    double *number = calloc(3 * (size_t)ni, sizeof *number), *radius2 = number, *ahead = number + ni;
    myr_near_lists near;
    myr_status status = number ? MYR_OK : MYR_ERROR_MEMORY;
    for (int i = 0; i < ni && !status; i++) {
        radius2[i] = query[i].h2;
        ahead[i] = query[i].dt;
    }
    if (!status)
        status = gpunb_fill(&gpunb.engine, &gpunb.block, ni, number + 2 * (size_t)ni, x, v);
    const myr_near_query asked = {radius2, ahead, query[0].by_mass, gpunb.is_told};
    if (!status)
        status = myr_interaction_near(gpunb.engine.interaction, gpunb.block, gpunb.sources, &asked, &near);
    gpunb.is_told = !status;
    if (!status && !lists_take(l, &near, lmax, nbmax, list))
        status = MYR_ERROR_MEMORY;
    free(number);
    return status;
}

static myr_status gpunb_run(int ni, const near_query *query, const double (*x)[3], const double (*v)[3],
                            const grape_forces *forces, int lmax, int nbmax, int *list)
{
    gpunb_lists l = {0};
    myr_status status = MYR_OK;
    if (!gpunb.is_planted)
        status = lists_ask(&l, ni, query, x, v, lmax, nbmax, list);
    else if (!lists_make(&l, ni, query, lmax, nbmax, list))
        status = MYR_ERROR_MEMORY;
    if (!status) {
        const grape_targets targets = {ni, x, v, l.eps2, l.offset, l.partner};
        status = grape_engine_run(&gpunb.engine, &targets, gpunb.sources, forces);
    }
    lists_free(&l);
    return status;
}

static void spoil(const grape_forces *forces, int ni, int lmax, int *list)
{
    grape_forces_spoil(forces, ni);
    for (int i = 0; i < ni; i++)
        list[(ptrdiff_t)i * lmax] = 0;
}

void gpunb_regf_(const int *ni, const double h2[], const double dtr[], const double x[][3], const double v[][3],
                 double acc[][3], double jrk[][3], double pot[], const int *lmax, const int *nbmax, int list[],
                 const int *m_flag)
{
    const grape_forces forces = {acc, jrk, pot};
    near_query *query = *ni > 0 && *lmax > 0 ? calloc((size_t)*ni, sizeof *query) : NULL;
    if (!gpunb.sent || !query) {
        if (gpunb.sent)
            snprintf(gpunb.message, sizeof gpunb.message, "%d targets with lists of %d: no memory, or no sense", *ni,
                     *lmax);
        else if (!gpunb.message[0])
            snprintf(gpunb.message, sizeof gpunb.message, "there are no sources: gpunb_send_ comes first");
        spoil(&forces, *ni, *lmax, list);
        free(query);
        return;
    }
    for (int i = 0; i < *ni; i++) {
        query[i] = (near_query){.h2 = h2[i], .dt = dtr[i], .by_mass = *m_flag != 0};
        memcpy(query[i].x, x[i], sizeof query[i].x);
        memcpy(query[i].v, v[i], sizeof query[i].v);
    }
    if (gpunb_failed(&gpunb.engine, gpunb_run(*ni, query, x, v, &forces, *lmax, *nbmax, list)))
        spoil(&forces, *ni, *lmax, list);
    for (int i = 0; i < *ni; i++)
        pot[i] = -pot[i]; /* NBODY6's are positive */
    free(query);
}

/* --- potentials --------------------------------------------------------------------------------------------------- */

void gpupot_(const int *rank, const int *istart, const int *ni, const int *n, const double m[], const double x[][3],
             double pot[])
{
    (void)rank;
    grape_engine *e = &gpunb.potential;
    double(*acc)[3] = NULL, *eps2 = NULL;
    myr_status status = *istart < 1 || *ni < 0 || *istart - 1 > *n - *ni ? MYR_ERROR_ARGUMENT : MYR_OK;
    if (!status) {
        acc = malloc(((size_t)*ni + 1) * sizeof *acc);
        eps2 = calloc((size_t)*ni + 1, sizeof *eps2);
        status = acc && eps2 ? grape_engine_ready(e, "gravity_potential") : MYR_ERROR_MEMORY;
    }
    if (!status)
        status = gpunb_fill(e, &gpunb.bodies, *n, m, x, NULL);
    if (!status) { /* a body at the place of another does not see it, nor itself */
        const grape_targets targets = {*ni, x + *istart - 1, NULL, eps2, NULL, NULL};
        status = grape_engine_run(e, &targets, gpunb.bodies, &(grape_forces){acc, NULL, pot});
    }
    const int failed = gpunb_failed(e, status);
    for (int i = 0; i < *ni; i++)
        pot[i] = failed ? NAN : -pot[i];
    free(acc);
    free(eps2);
}
