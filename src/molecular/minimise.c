/* minimise.c - energy minimisation by FIRE (Bitzek et al. 2006) with unit masses. The power F.v, |F| and |v| are summed
 * in integers, so that the path is independent of the number of threads. */
#include <math.h>
#include <string.h>

#include "backend/box_motion.h"
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

/* Sum of a.b over own particles, rounded to integers with a factor. */
static myr_wide fire_dot(const myr_molecular *m, double *const a[3], double *const b[3], double scale)
{
    myr_wide sum = 0;
    for (int64_t i = 0; i < m->n; i++)
        sum += myr_sum_round(a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i], scale);
    return sum;
}

/* Sums of F.v, F.F and v.v. */
static myr_status fire_dots(const myr_molecular *m, const double scale[3], myr_wide sum[3])
{
    myr_status status = MYR_OK;
    if (m->gpu)
        status = myr_molecular_gpu_fire_sums(m, scale, sum);
    for (int k = 0; k < 3 && !m->gpu; k++)
        sum[k] = fire_dot(m, k < 2 ? m->f : m->v, k == 1 ? m->f : m->v, scale[k]);
    return status ? status : myr_agreement_add(myr_molecular_agreement(m), sum, 3);
}

/* Largest force and velocity. */
static myr_status fire_most(myr_molecular *m, double most[2])
{
    myr_status status = MYR_OK;
    if (m->gpu)
        status = myr_molecular_gpu_fire_largest(m, most);
    else {
        most[0] = fire_largest(m, m->f);
        most[1] = fire_largest(m, m->v);
    }
    return status ? status : myr_agreement_largest(myr_molecular_agreement(m), most, 2);
}

static myr_status fire_measure(myr_molecular *m, fire_sums *s)
{
    double most[2] = {0, 0}, scale[3];
    int exponent[3];
    myr_wide sum[3] = {0};
    myr_status status = fire_most(m, most);
    const double bound[3] = {most[0] * most[1], most[0] * most[0], most[1] * most[1]};
    for (int k = 0; k < 3; k++) {
        exponent[k] = myr_sum_exponent(bound[k] * 1.0000001);
        scale[k] = myr_sum_scale(exponent[k]);
    }
    if (!status)
        status = fire_dots(m, scale, sum);
    *s = (fire_sums){.power = myr_sum_value(sum[0], exponent[0]),
                     .force2 = myr_sum_value(sum[1], exponent[1]),
                     .speed2 = myr_sum_value(sum[2], exponent[2]),
                     .largest = most[0]};
    return status;
}

/* FIRE step: v = (1 - mix) v + mix |v| F/|F| + F dt, then x += v dt, limited to FIRE_MOVE per particle. is_still: 1 =
 * the particles start from rest. */
static myr_status fire_move(myr_molecular *m, const fire_sums *s, double mix, double dt, int is_still)
{
    const double turn = s->force2 > 0 && !is_still ? mix * sqrt(s->speed2 / s->force2) : 0;
    const box_fire step = {.keep = is_still ? 0 : 1 - mix,
                           .push = turn + dt,
                           .dt = dt,
                           .most = FIRE_MOVE * m->sigma,
                           .length = {m->box.length[0], m->box.length[1], m->box.length[2]}};
    double furthest = 0;
    if (m->gpu)
        return myr_molecular_gpu_fire_move(m, &step);
    for (int64_t i = 0; i < m->n; i++) {
        const double f[3] = {m->f[0][i], m->f[1][i], m->f[2][i]};
        box_motion b = {{m->q[0][i], m->q[1][i], m->q[2][i]}, {m->v[0][i], m->v[1][i], m->v[2][i]}};
        furthest = fmax(furthest, box_motion_fire(&b, f, &step));
        for (int c = 0; c < 3; c++) {
            m->q[c][i] = b.q[c];
            m->v[c][i] = b.v[c];
        }
    }
    myr_molecular_hold(m);
    return myr_molecular_update(m, furthest);
}

/* Forces. The unit of fixed-point sums follows the particles as they separate. */
static myr_status fire_forces(myr_molecular *m, int64_t step)
{
    const int is_unit_due = step < FIRE_OFTEN || step % FIRE_OFTEN == 0;
    if (m->gpu)
        return myr_molecular_gpu_fire_forces(m, is_unit_due);
    if (m->molecule && is_unit_due)
        myr_interaction_renew_grid(m->molecule->pairs);
    if (m->list && is_unit_due)
        myr_neighbour_choose_unit(m->list);
    const myr_status status = myr_molecular_forces(m, m->f, NULL);
    myr_molecular_hold(m);
    /* the first forces are those of the processor, which words messages about particles at one place */
    return status ? status : myr_molecular_gpu_open(m);
}

/* Forces of a molecule's pairs on a grid chosen from the present positions. */
static myr_status fire_refine_molecule(myr_molecular *m, int *finer)
{
    myr_grid before[MYR_KERNEL_OUTPUT_FIELDS];
    memcpy(before, m->interaction->grid, sizeof before);
    myr_interaction_renew_grid(m->molecule->pairs);
    const myr_status status = myr_molecular_forces(m, m->g, NULL);
    for (int k = 0; k < MYR_KERNEL_OUTPUT_FIELDS; k++)
        *finer |= m->interaction->grid[k].exponent < before[k].exponent;
    return status;
}

/* Chooses the unit of the sums from the present positions. *finer: 1 = the unit became finer, so that forces may no
 * longer vanish. */
static myr_status fire_refine(myr_molecular *m, int *finer)
{
    myr_status status;
    *finer = 0;
    if (m->molecule)
        return fire_refine_molecule(m, finer);
    if (!m->list || !m->fixed)
        return MYR_OK;
    const int before = myr_neighbour_exponent(m->list);
    if (m->gpu)
        status = myr_molecular_gpu_fire_unit(m);
    else {
        myr_neighbour_choose_unit(m->list);
        status = myr_molecular_forces(m, m->g, NULL);
    }
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
    return m->divided && m->gpu ? myr_molecular_gpu_return(m) : MYR_OK;
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
        const int is_uphill = s.power < 0;
        if (s.power > 0 && ++downhill > FIRE_WAIT) {
            dt = fmin(dt * FIRE_MORE, FIRE_STEP_MOST * unit);
            mix *= FIRE_MIX_LESS;
        } else if (is_uphill) {
            dt *= FIRE_LESS;
            mix = FIRE_MIX;
            downhill = 0;
        }
        minimum->steps++;
        status = fire_move(m, &s, mix, dt, is_uphill);
    }
    return status ? status : fire_finish(m, s.largest, minimum);
}
