/* mesh_choice.c - choice of window and mesh; see mesh_choice.h. */
#include "method/mesh/mesh_choice.h"

#include <math.h>
#include <stdlib.h>

#include "method/mesh/mesh_fit.h"
#include "method/mesh/mesh_window.h"

enum {
    CHOICE_WAVES = 16,  /* waves along an axis at which the formula is evaluated */
    CHOICE_ALIASES = 4, /* aliases on either side */
    CHOICE_STEPS = 64   /* steps of the fineness, core over spacing */
};
#define CHOICE_COARSEST 0.6
#define CHOICE_FINEST 3.0
#define CHOICE_MOST 8.0 /* beyond this fineness the formula does not change */

/* Costs: of `lanes` numbers of a row of the window, of other work per source, and of a point of the mesh with six
 * transforms. Processor: in units of 8 multiply-adds, measured with 64^3 sources on one core. GPU: in units of 2e-12 s
 * on an H200, where three numbers go through shared memory one by one. Processor in floats: as in doubles, with half
 * of the time per point. */
typedef struct {
    double lanes, row, source, point;
} choice_cost;
static const choice_cost costs[3] = {{8, 2.2, 60, 32}, {1, 1.0 / 3, 20, 40}, {16, 2.2, 60, 16}};

#define CHOICE_MARGIN                                                                                                  \
    0.5 /* of the tolerance: few sources, which see themselves in the mesh, have errors up to twice the formula */

/* Sums over two axes of K^2 and of K^2 k^2 by the wave along the third, and sums over all waves: of those on the mesh
 * and of all. They depend on the kernel and the fineness alone. */
typedef struct {
    int known;
    double fineness;
    double part[CHOICE_WAVES], part2[CHOICE_WAVES], beyond, beyond2, all, all2;
} choice_waves;

static double choice_theta(int i)
{
    return acos(-1.0) * (i + 0.5) / CHOICE_WAVES;
}

static void choice_add(choice_waves *w, const int at[3], double equal, double size, double k2)
{
    w->all += equal * size;
    w->all2 += equal * size * k2;
    if (at[0] >= CHOICE_WAVES) {
        w->beyond += equal * size;
        w->beyond2 += equal * size * k2;
        return;
    }
    for (int c = 0; c < 3; c++) { /* a third of the permutations has this wave along a given axis */
        w->part[at[c]] += equal / 3 * size;
        w->part2[at[c]] += equal / 3 * size * k2;
    }
}

static void choice_sum(int power, double fineness, choice_waves *w)
{
    double fall[2 * CHOICE_WAVES], square[2 * CHOICE_WAVES];
    *w = (choice_waves){.known = 1, .fineness = fineness};
    for (int i = 0; i < 2 * CHOICE_WAVES; i++) {
        square[i] = choice_theta(i) * choice_theta(i);
        fall[i] = exp(-fineness * fineness * square[i]);
    }
    for (int x = 0; x < 2 * CHOICE_WAVES; x++)
        for (int y = 0; y <= x; y++)
            for (int z = 0; z <= y; z++) {
                const double equal = x == y && y == z ? 1 : x == y || y == z ? 3 : 6;
                const double k2 = square[x] + square[y] + square[z];
                double size = fall[x] * fall[y] * fall[z];
                for (int p = 0; p < abs(power); p++)
                    size *= power > 0 ? k2 : 1 / k2;
                choice_add(w, (const int[3]){x, y, z}, equal, size, k2);
            }
}

/* a(theta) and d(theta) of the window. */
static void choice_aliases(int width, double beta, const double *theta, double *a, double *d)
{
    for (int i = 0; i < CHOICE_WAVES; i++) {
        const double own = myr_mesh_window_transform(width, beta, theta[i]);
        a[i] = d[i] = 0;
        for (int m = -CHOICE_ALIASES; m <= CHOICE_ALIASES; m++) {
            const double alias = fabs(theta[i] + 2 * acos(-1.0) * m);
            const double part = m ? myr_mesh_window_transform(width, beta, alias) / own : 0;
            a[i] += part * part;
            d[i] += part * part * alias * alias;
        }
    }
}

/* The larger error of the formula. */
static double choice_error(const myr_mesh_question *q, const choice_waves *w, int width, double beta)
{
    double off = w->beyond, off2 = w->beyond2, theta[CHOICE_WAVES], a[CHOICE_WAVES], d[CHOICE_WAVES];
    for (int i = 0; i < CHOICE_WAVES; i++)
        theta[i] = choice_theta(i);
    if (q->fitted)
        myr_mesh_fit_errors(width, beta, w->fineness, CHOICE_WAVES, theta, a, d);
    else
        choice_aliases(width, beta, theta, a, d);
    for (int i = 0; i < CHOICE_WAVES; i++) {
        off += 3 * 2 * w->part[i] * a[i];
        off2 += 3 * ((2 * w->part2[i] - theta[i] * theta[i] * w->part[i]) * a[i] + w->part[i] * d[i]);
    }
    return sqrt(fmax(off / w->all, q->gradient ? off2 / w->all2 : 0));
}

/* Error with the best shape of the window, found by golden sections between wide and narrow ones. */
static double choice_shape(const myr_mesh_question *q, const choice_waves *w, int width, double *beta)
{
    const double golden = 0.6180339887498949;
    double low = 1.2 * width, high = 3.2 * width, one = high - golden * (high - low), two = low + golden * (high - low);
    double at_one = choice_error(q, w, width, one), at_two = choice_error(q, w, width, two);
    for (int k = 0; k < 8; k++)
        if (at_one < at_two) {
            high = two;
            two = one;
            at_two = at_one;
            one = high - golden * (high - low);
            at_one = choice_error(q, w, width, one);
        } else {
            low = one;
            one = two;
            at_one = at_two;
            two = low + golden * (high - low);
            at_two = choice_error(q, w, width, two);
        }
    *beta = at_one < at_two ? one : two;
    return fmin(at_one, at_two);
}

int64_t myr_mesh_smooth(double x)
{
    for (int64_t n = (int64_t)fmax(2, 2 * ceil(0.5 * x)); x <= 1e9; n += 2) {
        int64_t rest = n;
        for (int f = 2; f <= 7; f += f == 2 ? 1 : 2)
            while (rest % f == 0)
                rest /= f;
        if (rest == 1)
            return n;
    }
    return (int64_t)1 << 30;
}

/* Sides of a mesh whose spacing is core/fineness or less along each axis; returns the number of points. */
static double choice_sides(const myr_mesh_question *q, int width, double fineness, int64_t side[3])
{
    double points = 1;
    for (int c = 0; c < 3; c++) {
        side[c] = myr_mesh_smooth(fmax(width, (1 - 1e-9) * fineness * q->edge[c] / q->core));
        points *= (double)side[c];
    }
    return points;
}

/* Waves by fineness, computed when they are needed first. */
typedef struct {
    choice_waves at[CHOICE_STEPS + 1];
} choice_table;

static double choice_step(int k)
{
    return CHOICE_COARSEST + (CHOICE_FINEST - CHOICE_COARSEST) * k / CHOICE_STEPS;
}

static double choice_at(const myr_mesh_question *q, choice_table *t, int k, int width)
{
    double beta;
    if (!t->at[k].known)
        choice_sum(q->power, choice_step(k), &t->at[k]);
    return choice_shape(q, &t->at[k], width, &beta);
}

/* Least fineness at which a width keeps the tolerance; 0 if there is none. */
static double choice_fineness(const myr_mesh_question *q, choice_table *t, int width)
{
    const double enough = CHOICE_MARGIN * q->tolerance;
    int low = 0, high = CHOICE_STEPS;
    if (choice_at(q, t, high, width) > enough)
        return 0;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        *(choice_at(q, t, middle, width) > enough ? &low : &high) = middle;
    }
    return choice_step(high);
}

int myr_mesh_choose(const myr_mesh_question *question, myr_mesh_choice *choice)
{
    const myr_mesh_question *q = question;
    const choice_cost *cost_of = &costs[q->on_gpu ? 1 : q->single ? 2 : 0];
    choice_table table = {0};
    choice_waves waves;
    double best = INFINITY, least = INFINITY;
    *choice = (myr_mesh_choice){0};
    for (int width = MYR_MESH_LEAST; width <= MYR_MESH_MOST; width++) {
        myr_mesh_choice c = {.single = q->single, .width = width};
        const double rows = width * width * ceil(3 * width / cost_of->lanes);
        const double spreading = cost_of->row * rows + cost_of->source;
        if ((double)q->n * spreading > best) /* wider windows cost more than the best mesh */
            break;
        const double fineness = choice_fineness(q, &table, width);
        if (!(fineness > 0))
            continue;
        const double points = choice_sides(q, width, fineness, c.side);
        const double cost = (double)q->n * spreading + points * cost_of->point;
        const int fits = points <= MYR_MESH_POINTS;
        if (fits ? cost < best : isinf(best) && points < least) {
            best = fits ? cost : best;
            least = points;
            *choice = c;
        }
    }
    double fineness = CHOICE_MOST; /* of the mesh as it became, after rounding the sides */
    for (int c = 0; c < 3; c++)
        fineness = fmin(fineness, q->core * (double)choice->side[c] / q->edge[c]);
    choice_sum(q->power, fineness, &waves);
    choice->cost = best;
    choice->fineness = fineness;
    choice->error = choice_shape(q, &waves, choice->width, &choice->beta);
    return !isinf(best);
}
