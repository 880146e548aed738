/* g6.c - the GRAPE-6 library on top of the public interface of Myriad: clusters and evaluations. */
#include "g6_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "g6_memory.h"
#include "g6_neighbours.h"

enum { NJ_MOST = 1 << 24 };

typedef struct {
    grape_engine engine;
    g6_memory memory;
    double ti;
    int nj, ni, room;
    g6_target *target; /* `ni` of them, room for `room` */
    g6_neighbours neighbours;
    int out_of_room; /* a call could not be carried out: no memory, or arguments without sense */
} g6_cluster;

static void grape_board_start(g6_cluster *c)
{
    (void)c;
}

static void grape_board_free(g6_cluster *c)
{
    grape_memory_free(&c->memory);
    grape_neighbours_free(&c->neighbours);
    free(c->target);
}

#define GRAPE_BOARD g6_cluster
#include "boards.h"

/* Forgets everything but the engine, whose start may cost time. */
int g6_open(int clusterid)
{
    g6_cluster *c = board_at(clusterid);
    if (!c)
        return -1;
    grape_board_free(c);
    *c = (g6_cluster){.engine = c->engine};
    return 0;
}

int g6_set_j_particle(int clusterid, int address, int index, double tj, double dtj, double mass, double a2by18[3],
                      double a1by6[3], double aby2[3], double v[3], double x[3])
{
    g6_cluster *c = board_at(clusterid);
    g6_particle p = {.t = tj, .mass = mass, .index = index};
    const size_t vector = sizeof p.x;
    (void)dtj;
    memcpy(p.a2by18, a2by18, vector);
    memcpy(p.a1by6, a1by6, vector);
    memcpy(p.aby2, aby2, vector);
    memcpy(p.v, v, vector);
    memcpy(p.x, x, vector);
    if (c && address >= 0 && address < INT32_MAX && grape_memory_write(&c->memory, address, &p))
        return 0;
    if (c)
        c->out_of_room = 1;
    return -1;
}

int g6_set_j_particle_mxonly(int clusterid, int address, int index, double mass, double x[3])
{
    double zero[3] = {0};
    return g6_set_j_particle(clusterid, address, index, 0, 0, mass, zero, zero, zero, zero, x);
}

int g6_set_ti(int clusterid, double ti)
{
    g6_cluster *c = board_at(clusterid);
    if (c)
        c->ti = ti;
    return c ? 0 : -1;
}

void g6_set_njp(int clusterid, int njp)
{
    g6_cluster *c = board_at(clusterid);
    if (c && njp >= 0)
        c->nj = njp;
    else if (c)
        c->out_of_room = 1;
}

void g6_set_nip(int clusterid, int nip)
{
    g6_cluster *c = board_at(clusterid);
    if (!c)
        return;
    int ok = nip >= 0;
    if (nip > c->room) {
        c->target = grape_resize(c->target, (size_t)nip, sizeof *c->target, &ok);
        if (ok)
            memset(c->target + c->room, 0, (size_t)(nip - c->room) * sizeof *c->target);
        c->room = ok ? nip : c->room;
    }
    if (!ok)
        c->out_of_room = 1;
    c->ni = ok ? nip : 0;
    c->neighbours.known = 0;
}

void g6_set_i_particle(int clusterid, int address, int index, double x[3], double v[3], double eps2, double h2)
{
    g6_cluster *c = board_at(clusterid);
    if (!c || address < 0 || address >= c->ni)
        return;
    g6_target *t = &c->target[address];
    t->index = index;
    t->eps2 = eps2;
    t->h2 = h2;
    memcpy(t->x, x, sizeof t->x);
    memcpy(t->v, v, sizeof t->v);
}

void g6calc_firsthalf(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double fold[][3],
                      double jold[][3], double phiold[], double eps2, double h2[])
{
    (void)fold, (void)jold, (void)phiold;
    g6_set_njp(clusterid, nj);
    g6_set_nip(clusterid, ni);
    for (int i = 0; i < ni; i++)
        g6_set_i_particle(clusterid, i, index[i], xi[i], vi[i], eps2, h2 ? h2[i] : 0);
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* Arrays of an evaluation, as the engine wants them. */
typedef struct {
    double (*x)[3], (*v)[3], *eps2;
    int64_t *offset, *partner;
} g6_arrays;

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Who a target does not see: the j-particles of its own index, usually one. Returns how many there are; lists them
 * where `to` is not null. */
static int64_t g6_same_index(const g6_cluster *c, int index, int64_t *to)
{
    int64_t n = 0;
    for (int a = grape_memory_find(&c->memory, index, -1, c->nj); a >= 0;
         a = grape_memory_find(&c->memory, index, a, c->nj)) {
        if (to)
            to[n] = a;
        n++;
    }
    if (to && n > 1)
        qsort(to, (size_t)n, sizeof *to, ascending);
    return n;
}

static void g6_arrays_free(g6_arrays *t)
{
    free(t->x);
    free(t->v);
    free(t->eps2);
    free(t->offset);
    free(t->partner);
}

/* Arrays from the targets; 0 where there is no memory. */
static int g6_arrays_make(const g6_cluster *c, g6_arrays *t)
{
    const size_t n = (size_t)c->ni;
    t->x = malloc(n * sizeof *t->x);
    t->v = malloc(n * sizeof *t->v);
    t->eps2 = malloc(n * sizeof *t->eps2);
    t->offset = malloc((n + 1) * sizeof *t->offset);
    if (!t->x || !t->v || !t->eps2 || !t->offset)
        return 0;
    t->offset[0] = 0;
    for (int i = 0; i < c->ni; i++) {
        memcpy(t->x[i], c->target[i].x, sizeof t->x[i]);
        memcpy(t->v[i], c->target[i].v, sizeof t->v[i]);
        t->eps2[i] = c->target[i].eps2;
        t->offset[i + 1] = t->offset[i] + g6_same_index(c, c->target[i].index, NULL);
    }
    t->partner = malloc((size_t)(t->offset[c->ni] + 1) * sizeof *t->partner);
    for (int i = 0; t->partner && i < c->ni; i++)
        g6_same_index(c, c->target[i].index, t->partner + t->offset[i]);
    return t->partner != NULL;
}

static myr_status g6_evaluate(g6_cluster *c, const grape_forces *forces)
{
    g6_arrays t = {0};
    if (c->ni == 0)
        return MYR_OK;
    myr_status status = grape_engine_ready(&c->engine, "gravity_jerk");
    if (!status)
        status = grape_memory_predict(&c->memory, &c->engine, c->nj, c->ti);
    if (!status)
        status = g6_arrays_make(c, &t) ? MYR_OK : MYR_ERROR_MEMORY;
    if (!status) {
        const grape_targets targets = {c->ni,    (const double(*)[3])t.x, (const double(*)[3])t.v, t.eps2, t.offset,
                                       t.partner};
        status = grape_engine_run(&c->engine, &targets, c->memory.sources, forces);
    }
    g6_arrays_free(&t);
    return status;
}

int g6_get_force_etc(int clusterid, double acc[][3], double jerk[][3], double phi[], int nnbindex[], int flag[])
{
    g6_cluster *c = board_at(clusterid);
    const grape_forces forces = {acc, jerk, phi};
    if (!c)
        return -1;
    c->neighbours.known = 0;
    for (int i = 0; flag && i < c->ni; i++)
        flag[i] = 0;
    if (c->out_of_room) {
        snprintf(c->engine.message, sizeof c->engine.message,
                 "a call before had a negative number or address, or found no memory; g6_open starts anew");
        grape_forces_spoil(&forces, c->ni);
        return -1;
    }
    if (grape_engine_failed(&c->engine, g6_evaluate(c, &forces))) {
        grape_forces_spoil(&forces, c->ni);
        return -1;
    }
    if (nnbindex)
        grape_neighbours_nearest(&c->memory, c->nj, c->ni, c->target, nnbindex);
    return 0;
}

/* As many results as the caller has room for: ni of a firsthalf that could not be carried out are more than there are
 * targets. */
static int g6_lasthalf(int clusterid, int ni, double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    const g6_cluster *c = board_at(clusterid);
    if (c && c->ni == ni)
        return g6_get_force_etc(clusterid, acc, jerk, pot, nnbindex, NULL);
    grape_forces_spoil(&(grape_forces){acc, jerk, pot}, ni);
    return -1;
}

int g6calc_lasthalf(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                    double h2[], double acc[][3], double jerk[][3], double pot[])
{
    (void)nj, (void)index, (void)xi, (void)vi, (void)eps2, (void)h2;
    return g6_lasthalf(clusterid, ni, acc, jerk, pot, NULL);
}

int g6calc_lasthalf2(int clusterid, int nj, int ni, int index[], double xi[][3], double vi[][3], double eps2,
                     double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[])
{
    (void)nj, (void)index, (void)xi, (void)vi, (void)eps2, (void)h2;
    return g6_lasthalf(clusterid, ni, acc, jerk, pot, nnbindex);
}

void g6_get_predicted_j_particles(int clusterid, int nj, double x[][3], double v[][3])
{
    g6_cluster *c = board_at(clusterid);
    myr_status status = c ? grape_engine_ready(&c->engine, "gravity_jerk") : MYR_ERROR_ARGUMENT;
    if (!status) /* no fewer than an evaluation had, so that its neighbours can still be found */
        status = grape_memory_predict(&c->memory, &c->engine, nj > c->nj ? nj : c->nj, c->ti);
    const int ready = c && !grape_engine_failed(&c->engine, status);
    for (int axis = 0; axis < 3; axis++) {
        const double *px = ready ? myr_particles_component_const(c->memory.sources, "position", axis) : NULL;
        const double *pv = ready ? myr_particles_component_const(c->memory.sources, "velocity", axis) : NULL;
        for (int j = 0; j < nj; j++) {
            x[j][axis] = px ? px[j] : NAN;
            v[j][axis] = pv ? pv[j] : NAN;
        }
    }
}

/* --- neighbours --------------------------------------------------------------------------------------------------- */

int g6_read_neighbour_list(int clusterid)
{
    g6_cluster *c = board_at(clusterid);
    if (!c)
        return -1;
    if (!c->memory.predicted) {
        snprintf(c->engine.message, sizeof c->engine.message, "there are no neighbours before the first evaluation");
        return -1;
    }
    /* Where the particles were at the last evaluation: what was written since counts from the next one on. */
    if (grape_neighbours_find(&c->neighbours, &c->memory, c->nj, c->ni, c->target))
        return 0;
    snprintf(c->engine.message, sizeof c->engine.message, "no memory for the neighbours of %d targets", c->ni);
    return -1;
}

int g6_get_neighbour_list(int clusterid, int ipipe, int maxlength, int *nblen, int nbl[])
{
    g6_cluster *c = board_at(clusterid);
    *nblen = 0;
    if (!c || !c->neighbours.known || ipipe < 0 || ipipe >= c->ni || maxlength < 0) {
        if (c)
            snprintf(c->engine.message, sizeof c->engine.message,
                     "there is no neighbour list of target %d: g6_read_neighbour_list comes first", ipipe);
        return -1;
    }
    const int64_t first = c->neighbours.offset[ipipe], found = c->neighbours.offset[ipipe + 1] - first;
    *nblen = found > maxlength ? maxlength : (int)found;
    if (*nblen)
        memcpy(nbl, c->neighbours.index + first, (size_t)*nblen * sizeof *nbl);
    if (found <= maxlength)
        return 0;
    snprintf(c->engine.message, sizeof c->engine.message, "target %d has %lld neighbours; there is room for %d", ipipe,
             (long long)found, maxlength);
    return 1;
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

int g6_npipes(void)
{
    return grape_pipes();
}

int g6_getnjmax(int clusterid)
{
    (void)clusterid;
    return NJ_MOST;
}

const char *g6_message(int clusterid)
{
    const g6_cluster *c = board_at(clusterid);
    return c ? c->engine.message : "there is no cluster of that number; they are 0 to 1023";
}

G6_CLUSTER_CALLS(GRAPE_PUBLIC)
