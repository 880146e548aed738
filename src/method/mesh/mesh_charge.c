/* mesh_charge.c - charges in a periodic box; see mesh_charge.h. */
#include "method/mesh/mesh_charge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/mesh/mesh_vortex.h"

#define PI 3.14159265358979323846
#define CHARGE_STEP 1.25   /* factor between two cutoffs that are tried */
#define CHARGE_PAIR 12.0   /* cost of a pair in the units of mesh_choice.c */
#define CHARGE_SKIN 1.4    /* pairs in the windows of a list for one within the cutoff */
#define CHARGE_LEAST 1e-14 /* smallest tolerance that a mesh is asked for */

/* --- choice ------------------------------------------------------------------------------------------------------- */

/* Pairs and mesh get half of the tolerance each. */
static double charge_part(const myr_mesh_charge_question *q)
{
    return 0.5 * q->tolerance;
}

static double charge_density(const myr_mesh_charge_question *q)
{
    return (double)q->n / (q->edge[0] * q->edge[1] * q->edge[2]);
}

/* Pairs beyond the cutoff r: 2 q^2 sqrt(density/r) exp(-(a r)^2) (Kolafa and Perram 1992, eq. 18). */
double myr_mesh_charge_splitting(const myr_mesh_charge_question *question, double cutoff)
{
    const double density = charge_density(question);
    const double part = charge_part(question) * pow(density, 2.0 / 3) / (2 * sqrt(density / cutoff));
    return sqrt(fmax(-log(part), 1)) / cutoff;
}

/* The waves of charges at random have a field of 4 pi q sqrt(density a sqrt(pi/2)/(2 pi^2)), to which the mesh's error
 * is relative. */
int myr_mesh_charge_fit(const myr_mesh_charge_question *question, double splitting, myr_mesh_choice *mesh)
{
    const myr_mesh_charge_question *q = question;
    const double density = charge_density(q);
    const double field = 4 * PI * sqrt(density * splitting * sqrt(PI / 2) / (2 * PI * PI));
    const double tolerance = charge_part(q) * pow(density, 2.0 / 3) / field;
    const myr_mesh_question ask = {.tolerance = fmin(fmax(tolerance, CHARGE_LEAST), 0.1),
                                   .core = myr_mesh_charge_core(splitting),
                                   .edge = {q->edge[0], q->edge[1], q->edge[2]},
                                   .power = -1,
                                   .n = q->n};
    return myr_mesh_choose(&ask, mesh);
}

int myr_mesh_charge_choose(const myr_mesh_charge_question *question, myr_mesh_charge_choice *choice)
{
    const myr_mesh_charge_question *q = question;
    const double pairs = CHARGE_PAIR * CHARGE_SKIN * (double)q->n * charge_density(q) * 2 * PI / 3;
    double best = INFINITY;
    for (double reach = fmin(q->least, q->most);; reach = fmin(reach * CHARGE_STEP, q->most)) {
        myr_mesh_charge_choice c = {.splitting = myr_mesh_charge_splitting(q, reach), .cutoff = reach};
        if (myr_mesh_charge_fit(q, c.splitting, &c.mesh)) {
            const double cost = c.mesh.cost + pairs * pow(reach, 3);
            if (cost >= best)
                break;
            best = cost;
            *choice = c;
        }
        if (reach >= q->most)
            break;
    }
    return !isinf(best);
}

/* --- waves -------------------------------------------------------------------------------------------------------- */

double myr_mesh_charge_core(double splitting)
{
    return 1 / (sqrt(2.0) * splitting);
}

/* Virial of a wave of energy e. */
static void charge_add(const double k[3], double k2, double splitting, double e, double sum[7])
{
    static const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    const double turn = 2 * (1 / k2 + 0.25 / (splitting * splitting));
    sum[0] += e;
    for (int c = 0; c < 6; c++)
        sum[1 + c] += e * ((c < 3) - turn * k[first[c]] * k[second[c]]);
}

/* Index of a wave number along an axis. */
static int64_t charge_place(const myr_mesh_charge_waves *w, int axis, double k)
{
    const int64_t mode = llround(k * w->edge[axis] / (2 * PI));
    return mode < 0 ? mode + myr_mesh_choice_of(w->mesh)->side[axis] : mode;
}

/* A coefficient h of the mesh, the window's transform W and the number of points N give S = h N/W, and row->g is
 * N exp(-k^2/(4 a^2))/(V W^2). Waves at half the side along z, which have no partner, are left out. */
void myr_mesh_charge_kernel(void *user, const myr_mesh_row *row)
{
    const myr_mesh_charge_waves *w = user;
    const int64_t *side = myr_mesh_choice_of(w->mesh)->side;
    const int64_t y = charge_place(w, 1, row->ky), z = charge_place(w, 2, row->kz);
    const double points = (double)side[0] * (double)side[1] * (double)side[2];
    double sum[7] = {0};
    for (int64_t x = 0; x < row->count; x++) {
        const double k[3] = {row->kx[x], row->ky, row->kz}, k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
        const double factor = k2 > 0 && 2 * z != side[2] ? 4 * PI * row->g[x] / k2 : 0;
        const double re = factor * row->hat[0][2 * x], im = factor * row->hat[0][2 * x + 1];
        if (w->row && factor > 0)
            charge_add(k, k2, w->splitting,
                       (x ? 1 : 0.5) * points * (re * row->hat[0][2 * x] + im * row->hat[0][2 * x + 1]), sum);
        for (int c = 0; c < 3; c++) { /* -i k phi */
            row->hat[c][2 * x] = k[c] * im;
            row->hat[c][2 * x + 1] = -k[c] * re;
        }
    }
    if (w->row)
        memcpy(w->row[z * side[1] + y], sum, sizeof sum);
}

void myr_mesh_charge_sums(const myr_mesh_charge_waves *waves, double sum[7])
{
    const int64_t *side = myr_mesh_choice_of(waves->mesh)->side;
    memset(sum, 0, 7 * sizeof *sum);
    for (int64_t r = 0; r < side[1] * side[2]; r++)
        for (int c = 0; c < 7 && 2 * (r % side[1]) != side[1]; c++)
            sum[c] += waves->row[r][c];
}

/* --- without a mesh ----------------------------------------------------------------------------------------------- */

/* Thin vortex elements of the strength a q move fluid with the velocity u = grad(phi) x a/(4 pi), with the potential
 * phi of the charges: two directions a give its gradient. */
myr_status myr_mesh_charge_ewald(myr_context *context, const myr_mesh_charge_problem *problem, double (*field)[3])
{
    const myr_mesh_charge_problem *p = problem;
    double *none = myr_memory_zeros(p->n + 1, sizeof *none);
    double(*sum)[12] = myr_memory_zeros(2 * p->m + 1, sizeof *sum);
    myr_status status =
        none && sum ? MYR_OK
                    : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for %lld charges", (long long)p->n);
    for (int k = 0; k < 2 && !status; k++) { /* a along z, then along x */
        const myr_mesh_vortex_problem q = {.n = p->n,
                                           .m = p->m,
                                           .x = {p->x[0], p->x[1], p->x[2]},
                                           .strength = {k ? p->charge : none, none, k ? none : p->charge},
                                           .at = {p->at[0], p->at[1], p->at[2]},
                                           .core = 1e-7 * fmin(p->edge[0], fmin(p->edge[1], p->edge[2])),
                                           .edge = {p->edge[0], p->edge[1], p->edge[2]},
                                           .error = p->error};
        status = myr_mesh_vortex_ewald(context, &q, sum + k * p->m);
    }
    for (int64_t i = 0; i < p->m && !status; i++) {
        field[i][0] = 4 * PI * sum[i][1];
        field[i][1] = -4 * PI * sum[i][0];
        field[i][2] = -4 * PI * sum[p->m + i][1];
    }
    free(none);
    free(sum);
    return status;
}
