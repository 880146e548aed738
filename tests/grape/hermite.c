/* hermite.c - forces from the GRAPE-6 library and nothing else: stars are sent to the memory when they have moved, the
 * library predicts them, and the ones whose step ends are targets, as many at once as there are pipelines. */
#include "hermite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <g6.h>

typedef double vector[3];

typedef struct {
    hermite_cluster *c;
    double *t, *dt;
    vector *a, *j;             /* at the star's own time */
    vector *xp, *vp, *an, *jn; /* of the stars of a block */
    double *pot, *h2;
    int *list;
} state;

static double size(const double u[3])
{
    return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static int send(const state *s, int i)
{
    double snap[3] = {0}, jerk[3], a[3];
    for (int k = 0; k < 3; k++) {
        a[k] = 0.5 * s->a[i][k];
        jerk[k] = s->j[i][k] / 6;
    }
    return g6_set_j_particle(s->c->cluster, i, i, s->t[i], s->dt[i], s->c->m[i], snap, jerk, a, s->c->v[i], s->c->x[i]);
}

static void predict(const state *s, int i, double time, double x[3], double v[3])
{
    const double dt = time - s->t[i];
    for (int k = 0; k < 3; k++) {
        const double a = s->a[i][k], j = s->j[i][k];
        x[k] = s->c->x[i][k] + dt * (s->c->v[i][k] + dt * (0.5 * a + dt * (j / 6)));
        v[k] = s->c->v[i][k] + dt * (a + dt * (0.5 * j));
    }
}

/* Accelerations and jerks of the first n stars of the list at a time, into an, jn. */
static int forces(const state *s, int n, double time)
{
    const int pipes = g6_npipes(), id = s->c->cluster, nj = s->c->n;
    int code = g6_set_ti(id, time);
    for (int k = 0; k < n; k++)
        predict(s, s->list[k], time, s->xp[k], s->vp[k]);
    for (int k = 0; k < n && !code; k += pipes) {
        const int ni = n - k < pipes ? n - k : pipes;
        g6calc_firsthalf(id, nj, ni, s->list + k, s->xp + k, s->vp + k, s->an + k, s->jn + k, s->pot + k, s->c->eps2,
                         s->h2);
        code = g6calc_lasthalf(id, nj, ni, s->list + k, s->xp + k, s->vp + k, s->c->eps2, s->h2, s->an + k, s->jn + k,
                               s->pot + k);
    }
    return code;
}

static double power_of_two(double wanted, double most)
{
    while (most > wanted)
        most *= 0.5;
    return most;
}

/* eta / (|j|/|a| + sqrt(|a2|/|a|)), with the second derivative from an evaluation a little later. */
static int first_steps(state *s)
{
    hermite_cluster *c = s->c;
    double later = c->dt_max * 0x1p-20;
    for (int i = 0; i < c->n; i++)
        later = fmin(later, c->eta * size(s->a[i]) / size(s->j[i]));
    const int code = forces(s, c->n, later);
    for (int i = 0; i < c->n; i++) {
        double a2[3];
        for (int k = 0; k < 3; k++)
            a2[k] = (s->jn[i][k] - s->j[i][k]) / later;
        const double a = size(s->a[i]);
        s->dt[i] = power_of_two(c->eta / (size(s->j[i]) / a + sqrt(size(a2) / a)), c->dt_max);
    }
    return code;
}

static int start(state *s)
{
    int code = g6_open(s->c->cluster);
    for (int i = 0; i < s->c->n; i++) {
        s->list[i] = i;
        code |= send(s, i);
    }
    if (!code)
        code = forces(s, s->c->n, 0);
    memcpy(s->a, s->an, (size_t)s->c->n * sizeof *s->a);
    memcpy(s->j, s->jn, (size_t)s->c->n * sizeof *s->j);
    for (int i = 0; i < s->c->n; i++)
        code |= send(s, i);
    return code ? code : first_steps(s);
}

/* The corrector, and the next step by Aarseth's criterion. */
static void correct(state *s, int i, const double a1[3], const double j1[3])
{
    hermite_cluster *c = s->c;
    const double dt = s->dt[i];
    double a2[3], a3[3];
    for (int k = 0; k < 3; k++) {
        const double a0 = s->a[i][k], j0 = s->j[i][k], v0 = c->v[i][k];
        c->v[i][k] = v0 + dt * (0.5 * (a0 + a1[k]) + dt * ((j0 - j1[k]) / 12));
        c->x[i][k] += dt * (0.5 * (v0 + c->v[i][k]) + dt * ((a0 - a1[k]) / 12));
        a3[k] = (12 * (a0 - a1[k]) / dt + 6 * (j0 + j1[k])) / (dt * dt);
        a2[k] = (-6 * (a0 - a1[k]) / dt - (4 * j0 + 2 * j1[k])) / dt + dt * a3[k];
    }
    const double wanted =
        sqrt(c->eta * (size(a1) * size(a2) + size(j1) * size(j1)) / (size(j1) * size(a3) + size(a2) * size(a2)));
    memcpy(s->a[i], a1, sizeof s->a[i]);
    memcpy(s->j[i], j1, sizeof s->j[i]);
    s->t[i] += dt;
    if (wanted < dt)
        s->dt[i] = power_of_two(wanted, c->dt_max);
    else if (wanted >= 2 * dt && 2 * dt <= c->dt_max && fmod(s->t[i], 2 * dt) == 0)
        s->dt[i] = 2 * dt;
}

/* One block: the stars whose step ends first. */
static int block(state *s)
{
    hermite_cluster *c = s->c;
    double next = INFINITY;
    int n = 0;
    for (int i = 0; i < c->n; i++)
        next = fmin(next, s->t[i] + s->dt[i]);
    for (int i = 0; i < c->n; i++)
        if (s->t[i] + s->dt[i] == next)
            s->list[n++] = i;
    int code = forces(s, n, next);
    for (int k = 0; k < n && !code; k++) {
        correct(s, s->list[k], s->an[k], s->jn[k]);
        code = send(s, s->list[k]);
    }
    c->blocks++;
    c->steps += n;
    return code;
}

int hermite_move(hermite_cluster *c, double end)
{
    const size_t n = (size_t)c->n;
    state s = {.c = c};
    double *scalars = calloc(4 * n, sizeof *scalars);
    vector *vectors = calloc(6 * n, sizeof *vectors);
    s.list = calloc(n, sizeof *s.list);
    int code = scalars && vectors && s.list ? 0 : -1;
    if (!code) {
        s.t = scalars;
        s.dt = s.t + n;
        s.pot = s.dt + n;
        s.h2 = s.pot + n;
        s.a = vectors;
        s.j = s.a + n;
        s.xp = s.j + n;
        s.vp = s.xp + n;
        s.an = s.vp + n;
        s.jn = s.an + n;
        code = start(&s);
    }
    for (int all = 0; !code && !all;) {
        code = block(&s);
        all = 1;
        for (int i = 0; i < c->n; i++)
            all &= s.t[i] == end;
    }
    free(scalars);
    free(vectors);
    free(s.list);
    return code;
}
