/* fields.c - external fields and walls of particles in a box; the formulas are in backend/box_fields.h. A field acts on
 * each particle by itself, so that forces do not depend on the order of particles or on domains. Energies and impulses
 * on walls are summed in integers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/sum.h"
#include "molecular/molecular.h"

/* --- walls -------------------------------------------------------------------------------------------------------- */

static int wall_has(const myr_wall *w, int side)
{
    return isfinite(side == BOX_LOW ? w->low : w->high);
}

static myr_status wall_check(const myr_molecular *m, int c)
{
    const myr_wall *w = &m->options.wall[c];
    if (w->kind == MYR_WALL_NONE)
        return MYR_OK;
    if (w->kind != MYR_WALL_REFLECTING && w->kind != MYR_WALL_LJ93)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "there is no kind of wall %d", (int)w->kind);
    if (m->options.box[c] > 0)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "there is a wall along %c, and the box is periodic along it; use an open axis",
                                "xyz"[c]);
    if (!(w->low < w->high) || !(wall_has(w, BOX_LOW) || wall_has(w, BOX_HIGH)))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "the walls along %c are at %g and %g; the first must be below the second, and one of "
                                "them finite",
                                "xyz"[c], w -> low, w -> high);
    if (w->kind == MYR_WALL_LJ93 &&
        (!(w->epsilon > 0) || !(w->sigma > 0) || !(w->cutoff >= 0) || !isfinite(w->epsilon + w->sigma + w->cutoff)))
        return myr_context_fail(m->context, MYR_ERROR_VALUE,
                                "the wall along %c has epsilon %g, sigma %g and cutoff %g; the first two must be "
                                "above 0, and the cutoff, too, or 0 for none",
                                "xyz"[c], w -> epsilon, w -> sigma, w -> cutoff);
    return MYR_OK;
}

myr_status myr_molecular_check_walls(const myr_molecular *m)
{
    for (int c = 0; c < 3; c++) {
        const myr_status status = wall_check(m, c);
        if (status)
            return status;
        if (m->molecule && m->options.wall[c].kind != MYR_WALL_NONE)
            return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                    "walls are for particles in a box, and there is a molecule");
    }
    return MYR_OK;
}

/* Whether particle i is outside the walls of an axis: beyond, or at one that repels. */
static int wall_is_outside(const myr_molecular *m, int c, int64_t i)
{
    const box_wall *w = &m->fields.wall[c];
    const int soft = w->kind == BOX_WALL_93;
    return (w->has[BOX_LOW] && (int64_t)(m->q[c][i] - w->at[BOX_LOW]) < soft) ||
           (w->has[BOX_HIGH] && (int64_t)(m->q[c][i] - w->at[BOX_HIGH]) >= 0);
}

/* Finds a particle outside the walls; returns 0 if there is none. */
static int wall_find_outside(const myr_molecular *m, int kind, int *axis, int64_t *particle)
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; (int)m->fields.wall[c].kind >= kind && i < m->n; i++)
            if (wall_is_outside(m, c, i)) {
                *axis = c;
                *particle = i;
                return 1;
            }
    return 0;
}

myr_status myr_molecular_check_passed(const myr_molecular *m)
{
    int c;
    int64_t i;
    if (!m->fielded || !wall_find_outside(m, BOX_WALL_93, &c, &i))
        return MYR_OK;
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "particle %lld has passed a wall: it is at %c = %.10g; the time step is too long",
                            (long long)myr_molecular_id(m, i), "xyz"[c], myr_box_position(&m->box, c, m->q[c][i], 0));
}

double myr_molecular_edge(const myr_molecular *m, int axis)
{
    const myr_wall *w = &m->options.wall[axis];
    if (m->box.periodic[axis])
        return m->box.length[axis];
    const double between = w->kind != MYR_WALL_NONE ? w->high - w->low : INFINITY;
    return isfinite(between) ? between : (double)NAN;
}

/* --- the table of the fields -------------------------------------------------------------------------------------- */

static void map_wall(const myr_molecular *m, int c, box_wall *to)
{
    const myr_wall *w = &m->options.wall[c];
    *to = (box_wall){.kind = (int)w->kind, .epsilon = w->epsilon, .sigma = w->sigma};
    if (w->kind == MYR_WALL_NONE)
        return;
    for (int side = 0; side < BOX_SIDES; side++) {
        to->has[side] = wall_has(w, side);
        if (to->has[side])
            to->at[side] = myr_box_coordinate(&m->box, c, side == BOX_LOW ? w->low : w->high, NULL);
    }
    to->cutoff = INFINITY;
    if (w->kind == MYR_WALL_LJ93 && w->cutoff > 0) {
        to->shift = box_wall_energy(to, w->cutoff);
        to->cutoff = w->cutoff;
    }
}

void myr_molecular_map_fields(myr_molecular *m)
{
    const myr_molecular_external *e = &m->external;
    box_fields *f = &m->fields;
    if (!m->fielded)
        return;
    memset(f, 0, sizeof *f);
    f->traps = e->traps;
    f->push_scale = ldexp(1, BOX_PUSH_BITS - (int)m->memory.push_exponent);
    for (int c = 0; c < 3; c++) {
        f->unit[c] = m->box.length[c] * 0x1p-64;
        f->acceleration[c] = e->acceleration[c];
        f->offset[c] = e->offset[c];
        for (int k = 0; k < e->traps; k++) {
            f->rate2[k][c] = e->rate2[k][c];
            f->centre[k][c] = myr_box_coordinate(&m->box, c, e->centre[k][c], NULL);
        }
        map_wall(m, c, &f->wall[c]);
    }
}

/* --- forces and energy -------------------------------------------------------------------------------------------- */

static myr_status fields_force(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    const box_fields *f = &m->fields;
    const double dt = fabs(m->step);
    int64_t push[3 * BOX_SIDES] = {0};
#pragma omp parallel for num_threads(m->team) reduction(+ : push[:3 * BOX_SIDES]) if (m->n > 4096)
    for (int64_t i = 0; i < m->n; i++)
        for (int c = 0; c < 3; c++) {
            double on_wall[BOX_SIDES] = {0, 0};
            force[c][i] += box_field_force(f, c, m->q[c][i], m->mass[i], on_wall);
            for (int side = 0; side < BOX_SIDES; side++)
                push[BOX_SIDES * c + side] += box_push_round(on_wall[side] * dt, f->push_scale);
        }
    memcpy(m->push, push, sizeof m->push);
    (void)sums; /* energy and pressure of the fields are reported separately */
    return MYR_OK;
}

/* Energy of particle i; in periodic directions of the image that it is in. */
static double fields_energy_of(const myr_molecular *m, int64_t i)
{
    double energy = 0;
    for (int c = 0; c < 3; c++) {
        const double x = myr_box_position(&m->box, c, m->q[c][i], m->image[c][i]);
        energy += box_field_energy(&m->fields, c, m->q[c][i], x, m->mass[i]);
    }
    return energy;
}

myr_status myr_molecular_field_energy(myr_molecular *m, double *energy)
{
    double largest = 0;
    myr_wide sum = 0;
    double functions;
    myr_status status = myr_molecular_function_energy(m, &functions);
    *energy = functions;
    if (status || !m->fielded)
        return status;
    if (m->gpu)
        return myr_molecular_gpu_field_energy(m, energy);
    myr_molecular_count(m);
    for (int64_t i = 0; i < m->n; i++)
        largest = fmax(largest, fabs(fields_energy_of(m, i)));
    status = myr_agreement_largest(myr_molecular_agreement(m), &largest, 1);
    const int exponent = myr_sum_exponent(largest);
    const double scale = myr_sum_scale(exponent);
    for (int64_t i = 0; i < m->n; i++)
        sum += myr_sum_round(fields_energy_of(m, i), scale);
    if (!status)
        status = myr_agreement_add(myr_molecular_agreement(m), &sum, 1);
    *energy = functions + myr_sum_value(sum, exponent);
    return status;
}

/* --- setting ------------------------------------------------------------------------------------------------------ */

static myr_status fields_act(myr_molecular *m)
{
    if (!m->fielded) {
        if (m->terms == MYR_MOLECULAR_TERMS)
            return myr_context_fail(m->context, MYR_ERROR_VALUE, "at most %d kinds of forces", MYR_MOLECULAR_TERMS);
        m->term[m->terms++] = (myr_force_term){fields_force, NULL};
    }
    m->fielded = 1;
    m->memory.degrees = myr_molecular_degrees(m);
    myr_molecular_map_fields(m);
    return MYR_OK;
}

/* Moves particles that are beyond a reflecting wall only because positions are rounded, as after a minimisation that
 * left them at the wall, to the wall. */
static void fields_round_in(myr_molecular *m)
{
    for (int c = 0; c < 3; c++) {
        const box_wall *w = &m->fields.wall[c];
        const double place = fabs(m->box.origin[c]) + m->box.length[c];
        const double error = 4 * DBL_EPSILON * place / m->box.length[c] * 0x1p64;
        for (int64_t i = 0; w->kind == BOX_WALL_REFLECTING && i < m->n; i++) {
            const int64_t low = (int64_t)(m->q[c][i] - w->at[BOX_LOW]), high = (int64_t)(m->q[c][i] - w->at[BOX_HIGH]);
            if (w->has[BOX_LOW] && low < 0 && (double)-low <= error)
                m->q[c][i] = w->at[BOX_LOW];
            if (w->has[BOX_HIGH] && high >= 0 && (double)high <= error)
                m->q[c][i] = w->at[BOX_HIGH] - 1;
        }
    }
}

myr_status myr_molecular_set_walls(myr_molecular *m)
{
    int c, walls = 0;
    int64_t i;
    for (c = 0; c < 3; c++) {
        walls |= m->options.wall[c].kind != MYR_WALL_NONE;
        m->reflecting |= m->options.wall[c].kind == MYR_WALL_REFLECTING;
    }
    const myr_status status = walls ? fields_act(m) : MYR_OK;
    if (!status)
        fields_round_in(m);
    if (status || !walls || !wall_find_outside(m, BOX_WALL_REFLECTING, &c, &i))
        return status;
    return myr_context_fail(m->context, MYR_ERROR_VALUE,
                            "particle %lld is at %c = %.10g, outside the walls at %g and %g; move it or the wall",
                            (long long)m->id[i], "xyz"[c], myr_box_position(&m->box, c, m->q[c][i], 0),
                            m -> options.wall[c].low, m->options.wall[c].high);
}

myr_status myr_molecular_set_external(myr_molecular *m, const myr_molecular_external *external)
{
    if (m->options.pressure_interval > 0)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "a barostat does not go with external fields: the pressure is not the same everywhere");
    m->external = *external;
    return fields_act(m);
}

/* --- impulses on walls --------------------------------------------------------------------------------------------
 * The largest impulse follows from the largest displacement of a step, which is half the shortest cutoff. */

myr_status myr_molecular_choose_push(myr_molecular *m)
{
    double largest = 0;
    if (!m->fielded)
        return MYR_OK;
    for (int64_t i = 0; i < m->n; i++)
        largest = fmax(largest, m->mass[i]);
    const myr_status status = myr_agreement_largest(myr_molecular_agreement(m), &largest, 1);
    m->memory.push_exponent = myr_sum_exponent(2 * largest * m->cutoff[0] / m->parameter[MYR_MOLECULAR_STEP]);
    myr_molecular_map_fields(m);
    return status;
}

void myr_molecular_add_push(myr_molecular *m, const int64_t *push)
{
    for (int k = 0; k < 3 * BOX_SIDES; k++)
        m->own_push[k] += push[k];
}

void myr_molecular_reflect(myr_molecular *m)
{
    int64_t push[3 * BOX_SIDES] = {0};
    if (!m->reflecting)
        return;
#pragma omp parallel for num_threads(m->team) reduction(+ : push[:3 * BOX_SIDES]) if (m->n > MYR_MOLECULAR_ALONE)
    for (int64_t i = 0; i < m->n; i++)
        myr_molecular_reflect_one(m, i, push);
    myr_molecular_add_push(m, push);
}

myr_status myr_molecular_agree_push(myr_molecular *m)
{
    const myr_status status =
        m->fielded ? myr_agreement_add(myr_molecular_agreement(m), m->own_push, 3 * BOX_SIDES) : MYR_OK;
    for (int k = 0; k < 3 * BOX_SIDES && !status; k++) {
        m->memory.wall_push[k / BOX_SIDES][k % BOX_SIDES] += m->own_push[k];
        m->own_push[k] = 0;
    }
    return status;
}

myr_status myr_molecular_wall_impulse(myr_molecular *m, double impulse[3][2], double area[3])
{
    const myr_status status = myr_molecular_agree_push(m);
    for (int c = 0; c < 3; c++) {
        int walls = 0;
        for (int side = 0; side < BOX_SIDES; side++) {
            const int has = m->fielded && m->fields.wall[c].has[side];
            const double sum = (double)m->memory.wall_push[c][side];
            impulse[c][side] = has ? ldexp(sum, (int)m->memory.push_exponent - BOX_PUSH_BITS) : (double)NAN;
            walls |= has;
        }
        area[c] = walls ? myr_molecular_edge(m, (c + 1) % 3) * myr_molecular_edge(m, (c + 2) % 3) : (double)NAN;
    }
    return status;
}

void myr_molecular_hold(myr_molecular *m)
{
    for (int c = 0; c < 3 && m->reflecting; c++)
        for (int64_t i = 0; i < m->n; i++)
            box_wall_hold(&m->fields.wall[c], &m->q[c][i], &m->v[c][i], &m->f[c][i]);
}
