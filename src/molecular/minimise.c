/* minimise.c - energy minimisation by FIRE (Bitzek et al. 2006) with unit masses. The power F.v, |F| and |v| are summed
 * in integers, so that the path is independent of the number of threads. */
#include <math.h>
#include <string.h>

#include "core/sum.h"
#include "molecular/molecular.h"

enum { FIRE_WAIT = 5, FIRE_OFTEN = 16 };
#define FIRE_MORE 1.1
#define FIRE_LESS 0.5
#define FIRE_MIX 0.1
#define FIRE_MIX_LESS 0.99
#define FIRE_STEP 0.005 /* initial time step, in sigma / sqrt(epsilon) for unit masses */
#define FIRE_STEP_MOST 0.05
#define FIRE_MOVE 0.1 /* largest displacement of a particle per step, in sigma */

typedef struct {
    double power, force2, speed2; /* sums over all particles of F.v, F.F and v.v */
    double largest;               /* largest force on a particle */
    double fastest;
} fire_sums;

static double fire_square(double *const a[3], int64_t i)
{
    return a[0][i] * a[0][i] + a[1][i] * a[1][i] + a[2][i] * a[2][i];
}

static double fire_largest(const myr_molecular *m, double *const a[3])
{
    double largest = 0;
    for (int64_t i = 0; i < m->n; i++)
        largest = fmax(largest, fire_square(a, i));
    return sqrt(largest);
}

/* Sum of a.b over own particles, in integer units of 2^(*exponent - 62), for |a.b| <= bound. */
static myr_wide fire_dot(const myr_molecular *m, double *const a[3], double *const b[3], double bound, int *exponent)
{
    *exponent = myr_sum_exponent(bound * 1.0000001);
    const double scale = myr_sum_scale(*exponent);
    myr_wide sum = 0;
    for (int64_t i = 0; i < m->n; i++)
        sum += myr_sum_round(a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i], scale);
    return sum;
}

static myr_status fire_measure(const myr_molecular *m, fire_sums *s)
{
    const myr_agreement *agreement = myr_molecular_agreement(m);
    double most[2] = {fire_largest(m, m->f), fire_largest(m, m->v)};
    int exponent[3];
    myr_status status = myr_agreement_largest(agreement, most, 2);
    myr_wide sum[3] = {fire_dot(m, m->f, m->v, most[0] * most[1], exponent),
                       fire_dot(m, m->f, m->f, most[0] * most[0], exponent + 1),
                       fire_dot(m, m->v, m->v, most[1] * most[1], exponent + 2)};
    if (!status)
        status = myr_agreement_add(agreement, sum, 3);
    *s = (fire_sums){.power = myr_sum_value(sum[0], exponent[0]),
                     .force2 = myr_sum_value(sum[1], exponent[1]),
                     .speed2 = myr_sum_value(sum[2], exponent[2]),
                     .largest = most[0],
                     .fastest = most[1]};
    return status;
}

/* FIRE step: v = (1 - mix) v + mix |v| F/|F| + F dt, then x += v dt, limited to FIRE_MOVE per particle. Returns the
 * largest displacement. */
static double fire_move(myr_molecular *m, const fire_sums *s, double mix, double dt)
{
    const double turn = s->force2 > 0 ? mix * sqrt(s->speed2 / s->force2) : 0, most = FIRE_MOVE * m->sigma;
    double furthest = 0;
    for (int64_t i = 0; i < m->n; i++) {
        for (int c = 0; c < 3; c++)
            m->v[c][i] = (1 - mix) * m->v[c][i] + (turn + dt) * m->f[c][i];
        const double way = sqrt(fire_square(m->v, i)) * dt;
        const double less = way > most ? most / way : 1;
        for (int c = 0; c < 3; c++) {
            m->v[c][i] *= less;
            m->q[c][i] += (uint64_t)myr_box_displacement(&m->box, c, m->v[c][i] * dt);
        }
        furthest = fmax(furthest, way * less);
    }
    myr_molecular_hold(m);
    return furthest;
}

/* Forces. The unit of fixed-point sums follows the particles as they separate. */
static myr_status fire_forces(myr_molecular *m, int64_t step)
{
    if (m->list && (step < FIRE_OFTEN || step % FIRE_OFTEN == 0))
        myr_neighbour_choose_unit(m->list);
    const myr_status status = myr_molecular_forces(m, m->f, NULL);
    myr_molecular_hold(m);
    return status;
}

/* Chooses the unit of the sums from the present positions. *finer: 1 = the unit became finer, so that forces may no
 * longer vanish. */
static myr_status fire_refine(myr_molecular *m, int *finer)
{
    *finer = 0;
    if (!m->list || !m->fixed)
        return MYR_OK;
    const int before = myr_neighbour_exponent(m->list);
    myr_neighbour_choose_unit(m->list);
    const myr_status status = myr_molecular_forces(m, m->g, NULL);
    *finer = myr_neighbour_exponent(m->list) < before;
    return status;
}

static void fire_stop(myr_molecular *m)
{
    for (int c = 0; c < 3; c++)
        memset(m->v[c], 0, (size_t)m->n * sizeof *m->v[c]);
}

static myr_status fire_finish(myr_molecular *m, double largest, myr_minimum *minimum)
{
    myr_neighbour_sums sums;
    double tail, pressure, restraint = 0, external = 0;
    myr_status status = myr_molecular_forces(m, m->g, &sums);
    if (!status)
        status = myr_molecular_restraint(m, &restraint);
    if (!status)
        status = myr_molecular_field_energy(m, &external);
    if (status)
        return status;
    myr_molecular_tail(m, &tail, &pressure);
    minimum->energy = sums.energy + tail + restraint + external;
    minimum->largest_force = largest;
    return MYR_OK;
}

myr_status myr_molecular_minimise(myr_molecular *m, double tolerance, int64_t steps, myr_minimum *minimum)
{
    const double unit = m->sigma / sqrt(m->epsilon), enough = tolerance * m->epsilon / m->sigma;
    double dt = FIRE_STEP * unit, mix = FIRE_MIX;
    int64_t downhill = 0;
    int finer;
    fire_sums s = {0};
    memset(minimum, 0, sizeof *minimum);
    fire_stop(m);
    if (m->molecule) /* rigid bonds are treated as springs during minimisation */
        myr_bonded_constrain(m->molecule->bonded, 0);
    myr_status status = myr_molecular_update(m, 0);
    while (!status) {
        status = fire_forces(m, minimum->steps);
        if (!status)
            status = fire_measure(m, &s);
        minimum->converged = !status && s.largest <= enough;
        if (minimum->converged)
            status = fire_refine(m, &finer);
        if (!status && minimum->converged && finer)
            continue;
        if (status || minimum->converged || minimum->steps == steps)
            break;
        if (s.power > 0 && ++downhill > FIRE_WAIT) {
            dt = fmin(dt * FIRE_MORE, FIRE_STEP_MOST * unit);
            mix *= FIRE_MIX_LESS;
        } else if (s.power < 0) {
            dt *= FIRE_LESS;
            mix = FIRE_MIX;
            downhill = 0;
            fire_stop(m);
            s.speed2 = 0;
        }
        minimum->steps++;
        status = myr_molecular_update(m, fire_move(m, &s, mix, dt));
    }
    return status ? status : fire_finish(m, s.largest, minimum);
}
