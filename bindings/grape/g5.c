/* g5.c - the GRAPE-5 library on top of the public interface of Myriad. */
#include "g5_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

typedef struct {
    grape_engine engine;
    double range[3];

    /* the memory: what was written, and how much of it counts */
    double (*x)[3];
    double *m;
    int size, n;
    myr_particles *sources; /* a copy of the first n; what has changed since lies in [low, high) */
    int low, high;

    /* targets 0 to ni-1, their softening where it is their own (the first `own` of them), and their results */
    double (*xi)[3], *eps2, (*a)[3], *p;
    int ni, own;
    double eps2_of_all;
    int cutoff;      /* something was asked for that is not computed */
    int out_of_room; /* a call could not be carried out for lack of memory, or had arguments without sense */
} g5_board;

enum { JMEMSIZE = 1 << 20 };

/* Of boards that are opened later, and of all. Programs set these once, then work on boards by number. */
static double g5_eps2;
static int g5_cutoff;

static void grape_board_start(g5_board *b)
{
    b->eps2_of_all = g5_eps2;
}

static void grape_board_free(g5_board *b)
{
    free(b->x);
    free(b->m);
    free(b->xi);
    free(b->eps2);
    free(b->a);
    free(b->p);
    myr_particles_destroy(&b->sources);
}

#define GRAPE_BOARD g5_board
#include "boards.h"

/* Forgets everything but the engine, whose start may cost time, and the softening. */
void g5_openMC(int devid)
{
    g5_board *b = board_at(devid);
    if (!b)
        return;
    grape_board_free(b);
    *b = (g5_board){.engine = b->engine, .eps2_of_all = b->eps2_of_all};
}

void g5_closeMC(int devid)
{
    g5_openMC(devid);
}

void g5_set_rangeMC(int devid, double xmin, double xmax, double mmin)
{
    g5_board *b = board_at(devid);
    if (b)
        memcpy(b->range, (const double[3]){xmin, xmax, mmin}, sizeof b->range);
}

void g5_get_rangeMC(int devid, double *xmin, double *xmax, double *mmin)
{
    const g5_board *b = board_at(devid);
    *xmin = b ? b->range[0] : 0;
    *xmax = b ? b->range[1] : 0;
    *mmin = b ? b->range[2] : 0;
}

/* --- sources ------------------------------------------------------------------------------------------------------ */

/* Makes room for the addresses below `size`, with masses of zero; 0 where there is none. */
static int g5_grow(g5_board *b, int size)
{
    if (size <= b->size)
        return 1;
    const int room = size < b->size + b->size / 2 ? b->size + b->size / 2 : size;
    int ok = 1;
    b->x = grape_resize(b->x, (size_t)room, sizeof *b->x, &ok);
    b->m = grape_resize(b->m, (size_t)room, sizeof *b->m, &ok);
    if (!ok)
        return 0;
    memset(b->x + b->size, 0, (size_t)(room - b->size) * sizeof *b->x);
    memset(b->m + b->size, 0, (size_t)(room - b->size) * sizeof *b->m);
    b->size = room;
    return 1;
}

static void g5_write(int devid, int adr, int nj, double (*xj)[3], const double *mj)
{
    g5_board *b = board_at(devid);
    if (!b)
        return;
    if (adr < 0 || nj < 0 || adr > INT32_MAX - nj || !g5_grow(b, adr + nj)) {
        b->out_of_room = 1;
        return;
    }
    if (nj == 0)
        return;
    if (xj)
        memcpy(b->x + adr, xj, (size_t)nj * sizeof *xj);
    if (mj)
        memcpy(b->m + adr, mj, (size_t)nj * sizeof *mj);
    const int none = b->low >= b->high;
    b->low = none || adr < b->low ? adr : b->low;
    b->high = none || adr + nj > b->high ? adr + nj : b->high;
}

void g5_set_xmjMC(int devid, int adr, int nj, double (*xj)[3], double *mj)
{
    g5_write(devid, adr, nj, xj, mj);
}

void g5_set_jpMC(int devid, int adr, int nj, double *mj, double (*xj)[3])
{
    g5_write(devid, adr, nj, xj, mj);
}

void g5_set_xjMC(int devid, int adr, int nj, double (*xj)[3])
{
    g5_write(devid, adr, nj, xj, NULL);
}

void g5_set_mjMC(int devid, int adr, int nj, double *mj)
{
    g5_write(devid, adr, nj, NULL, mj);
}

void g5_set_nMC(int devid, int n)
{
    g5_board *b = board_at(devid);
    if (b && (n < 0 || !g5_grow(b, n)))
        b->out_of_room = 1;
    else if (b)
        b->n = n;
}

/* Brings the copy of the sources up to date: all of them where their number has changed, else what was written. */
static myr_status g5_load(g5_board *b)
{
    const int whole = !b->sources || myr_particles_count(b->sources) != b->n;
    const int low = whole ? 0 : b->low, high = whole || b->high > b->n ? b->n : b->high;
    myr_status status = grape_engine_size(&b->engine, &b->sources, b->n);
    if (!status)
        status = myr_particles_add_field(b->sources, "position", 3);
    if (!status)
        status = myr_particles_add_field(b->sources, "mass", 1);
    for (int c = 0; c < 3 && !status; c++) {
        double *x = myr_particles_component(b->sources, "position", c);
        for (int j = low; j < high; j++)
            x[j] = b->x[j][c];
    }
    if (!status && low < high)
        memcpy(myr_particles_component(b->sources, "mass", 0) + low, b->m + low, (size_t)(high - low) * sizeof(double));
    if (!status)
        b->low = b->high = 0;
    return status;
}

/* --- targets ------------------------------------------------------------------------------------------------------ */

/* Room for n targets and their results; 0 where there is none. */
static int g5_room(g5_board *b, int n)
{
    int ok = n >= 0;
    if (!ok)
        return 0;
    b->xi = grape_resize(b->xi, (size_t)n, sizeof *b->xi, &ok);
    b->eps2 = grape_resize(b->eps2, (size_t)n, sizeof *b->eps2, &ok);
    b->a = grape_resize(b->a, (size_t)n, sizeof *b->a, &ok);
    b->p = grape_resize(b->p, (size_t)n, sizeof *b->p, &ok);
    return ok;
}

/* Softening goes with targets that may be sent later: `ni` grows to hold it. */
static void g5_own_eps2(int devid, int ni, const double *eps, int squared)
{
    g5_board *b = board_at(devid);
    if (!b)
        return;
    if (ni < 0 || !g5_room(b, ni > b->ni ? ni : b->ni)) {
        b->out_of_room = 1;
        return;
    }
    for (int i = 0; i < ni; i++)
        b->eps2[i] = squared ? eps[i] : eps[i] * eps[i];
    b->own = ni;
}

void g5_set_epsMC(int devid, int ni, double *eps)
{
    g5_own_eps2(devid, ni, eps, 0);
}

void g5_set_eps2MC(int devid, int ni, double *eps2)
{
    g5_own_eps2(devid, ni, eps2, 1);
}

void g5_set_eps2_to_allMC(int devid, double eps2)
{
    g5_board *b = board_at(devid);
    if (b) {
        b->eps2_of_all = eps2;
        b->own = 0;
    }
}

void g5_set_eps_to_allMC(int devid, double eps)
{
    g5_set_eps2_to_allMC(devid, eps * eps);
}

void g5_set_xiMC(int devid, int ni, double (*xi)[3])
{
    g5_board *b = board_at(devid);
    if (!b)
        return;
    if (ni < 0 || !g5_room(b, ni > b->own ? ni : b->own)) {
        b->out_of_room = 1;
        b->ni = 0;
        return;
    }
    if (ni)
        memcpy(b->xi, xi, (size_t)ni * sizeof *xi);
    b->ni = ni;
}

void g5_set_ipMC(int devid, int ni, double (*xi)[3], double *eps, double *h)
{
    (void)h;
    g5_set_xiMC(devid, ni, xi);
    g5_set_epsMC(devid, ni, eps);
}

void g5_set_etaMC(int devid, double eta)
{
    g5_board *b = board_at(devid);
    (void)eta;
    if (b)
        b->cutoff = 1;
}

void g5_set_cutoff_tableMC(int devid, double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double),
                           double pcut, double pcor)
{
    (void)ffunc, (void)fcut, (void)fcor, (void)pfunc, (void)pcut, (void)pcor;
    g5_set_etaMC(devid, 0);
}

/* --- evaluation --------------------------------------------------------------------------------------------------- */

/* What stands in the way of an evaluation besides Myriad itself; null if nothing does. */
static const char *g5_obstacle(const g5_board *b)
{
    if (b->cutoff || g5_cutoff)
        return "forces with a cutoff (g5_set_eta, g5_set_cutoff_table) are not computed; g5_open starts anew";
    if (b->out_of_room)
        return "a call before had a negative number or address, or found no memory; g5_open starts anew";
    return NULL;
}

void g5_runMC(int devid)
{
    g5_board *b = board_at(devid);
    if (!b || !b->ni)
        return;
    const grape_forces forces = {b->a, NULL, b->p};
    const grape_targets targets = {.n = b->ni, .x = (const double(*)[3])b->xi, .eps2 = b->eps2};
    const char *obstacle = g5_obstacle(b);
    if (obstacle) {
        snprintf(b->engine.message, sizeof b->engine.message, "%s", obstacle);
        grape_forces_spoil(&forces, b->ni);
        return;
    }
    for (int i = b->own; i < b->ni; i++)
        b->eps2[i] = b->eps2_of_all;
    myr_status status = grape_engine_ready(&b->engine, "gravity_potential");
    if (!status)
        status = g5_load(b);
    if (!status)
        status = grape_engine_run(&b->engine, &targets, b->sources, &forces);
    if (grape_engine_failed(&b->engine, status))
        grape_forces_spoil(&forces, b->ni);
}

void g5_get_forceMC(int devid, int ni, double (*a)[3], double *p)
{
    const g5_board *b = board_at(devid);
    for (int i = 0; i < ni; i++) {
        const int known = b && i < b->ni;
        for (int c = 0; c < 3; c++)
            a[i][c] = known ? b->a[i][c] : NAN;
        p[i] = known ? -b->p[i] : NAN;
    }
}

void g5_calculate_force_on_xMC(int devid, double (*x)[3], double (*a)[3], double *p, int ni)
{
    g5_set_xiMC(devid, ni, x);
    g5_runMC(devid);
    g5_get_forceMC(devid, ni, a, p);
}

int g5_get_number_of_pipelinesMC(int devid)
{
    (void)devid;
    return grape_pipes();
}

int g5_get_jmemsizeMC(int devid)
{
    (void)devid;
    return JMEMSIZE;
}

const char *g5_messageMC(int devid)
{
    const g5_board *b = board_at(devid);
    return b ? b->engine.message : "there is no board of that number; they are 0 to 1023";
}

/* --- all boards --------------------------------------------------------------------------------------------------- */

void g5_open(void)
{
    g5_cutoff = 0;
    g5_openMC(0);
}

void g5_set_eps2_to_all(double eps2)
{
    g5_eps2 = eps2;
    for (int id = 0; id < GRAPE_BOARDS; id++)
        if (__atomic_load_n(&boards[id], __ATOMIC_ACQUIRE))
            g5_set_eps2_to_allMC(id, eps2);
}

void g5_set_eps_to_all(double eps)
{
    g5_set_eps2_to_all(eps * eps);
}

void g5_set_eta(double eta)
{
    (void)eta;
    g5_cutoff = 1;
}

void g5_set_cutoff_table(double (*ffunc)(double), double fcut, double fcor, double (*pfunc)(double), double pcut,
                         double pcor)
{
    (void)ffunc, (void)fcut, (void)fcor, (void)pfunc, (void)pcut, (void)pcor;
    g5_cutoff = 1;
}

G5_BOARD_CALLS(GRAPE_PUBLIC)
