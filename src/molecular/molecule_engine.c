/* molecule_engine.c - the atoms of a molecule in the engine: positions in double beside the box coordinates, forces,
 * and rigid bonds. There is no pair list and so no sorting: arrays are in the order of the topology. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/box_motion.h"
#include "interaction/coincident.h"
#include "molecular/molecular.h"

myr_status myr_molecular_check_molecule(const myr_molecular *m)
{
    const myr_molecular_options *o = &m->options;
    if (!myr_method_of(m->interaction)->every_pair)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "a molecule needs all pairs: use method direct, not %s",
                                myr_method_of(m->interaction)->info.name);
    if (m->n != m->molecule->t->atoms)
        return myr_context_fail(m->context, MYR_ERROR_VALUE, "the topology has %lld atom%s, the set %lld",
                                (long long)m->molecule->t->atoms, myr_plural(m->molecule->t->atoms), (long long)m->n);
    if (o->box[0] > 0 || o->box[1] > 0 || o->box[2] > 0)
        return myr_context_fail(m->context, MYR_ERROR_COMBINATION,
                                "a molecule cannot be in a periodic box: its charges would need Ewald sums, which "
                                "molecules do not have yet; leave the box open");
    return MYR_OK;
}

/* Computes positions x from box coordinates q. */
static void engine_positions(myr_molecular *m)
{
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->x[c][i] = myr_box_position(&m->box, c, m->q[c][i], 0);
}

myr_status myr_molecular_bind(myr_molecular *m)
{
    myr_bonded_constrain(m->molecule->bonded, m->rigid != NULL);
    if (!m->rigid)
        return MYR_OK;
    engine_positions(m);
    for (int c = 0; c < 3; c++)
        memcpy(m->g[c], m->x[c], (size_t)m->n * sizeof *m->g[c]);
    myr_status status = myr_constraints_positions(m->rigid, m->inverse, (const double *const *)m->g, m->x);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < m->n; i++)
            m->q[c][i] += (uint64_t)myr_box_displacement(&m->box, c, m->x[c][i] - m->g[c][i]);
    return status ? status : myr_molecular_rigid_speed(m);
}

/* Appends "1 (HH31 of ACE 1)": number from 1, name and residue of an atom. */
static size_t engine_name(const myr_topology *t, int64_t atom, char *text, size_t size)
{
    int64_t number;
    const char *residue = myr_topology_residue(t, atom, &number);
    const int length = snprintf(text, size, "%lld (%s of %s %lld)", (long long)atom + 1, myr_topology_atom(t, atom),
                                residue, (long long)number);
    return (size_t)length < size ? (size_t)length : size - 1;
}

myr_status myr_molecular_check_places(myr_molecular *m)
{
    const myr_topology *t = m->molecule->t;
    int64_t pair[2 * MYR_COINCIDENT_NAMED], count;
    char list[512];
    size_t used = 0;
    engine_positions(m);
    const myr_status status =
        myr_coincident_find(m->context, m->n, (const double *const *)m->x, 0, MYR_COINCIDENT_NAMED, pair, &count);
    if (status || count == 0)
        return status;
    for (int64_t k = 0; k < count && k < MYR_COINCIDENT_NAMED; k++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s", k ? ", " : "");
        used += engine_name(t, pair[2 * k], list + used, sizeof list - used);
        used += (size_t)snprintf(list + used, sizeof list - used, " and ");
        used += engine_name(t, pair[2 * k + 1], list + used, sizeof list - used);
    }
    return myr_context_fail(m->context, MYR_ERROR_NONFINITE,
                            "%lld pair%s of atoms at the same place: %s%s; the force between them is no number: move "
                            "one of each pair, or minimise the energy first",
                            (long long)count, myr_plural(count), list, count > MYR_COINCIDENT_NAMED ? ", ..." : "");
}

myr_status myr_molecular_molecule_forces(myr_molecular *m, double *const force[3], myr_neighbour_sums *sums)
{
    engine_positions(m);
    const myr_status status = myr_molecule_forces(m->molecule, (const double *const *)m->x, force);
    if (status || !sums)
        return status;
    memset(sums, 0, sizeof *sums);
    const myr_status measured = myr_molecule_energies_at(m->molecule, (const double *const *)m->x, m->energy);
    for (int k = 0; k < MYR_MOLECULE_TERMS; k++)
        sums->energy += m->energy[k];
    return measured;
}

/* Drift with rigid bonds. The constraint displacement acts like a force in the middle of the drift and so changes the
 * velocity too; for atoms without a rigid bond it is exactly 0. Velocity components along the bonds are removed later,
 * after the next kick or thermostat step, which add such components as well. */
myr_status myr_molecular_rigid_drift(myr_molecular *m, double dt)
{
    const double rate = 1 / dt;
    engine_positions(m);
    for (int c = 0; c < 3; c++)
        for (int64_t i = 0; i < m->n; i++) {
            m->g[c][i] = m->x[c][i];
            m->x[c][i] += m->v[c][i] * dt;
        }
    const myr_status status = myr_constraints_positions(m->rigid, m->inverse, (const double *const *)m->g, m->x);
    for (int c = 0; c < 3 && !status; c++)
        for (int64_t i = 0; i < m->n; i++) {
            const double way = rigid_displace(m->x[c][i], m->g[c][i], &m->v[c][i], dt, rate);
            m->q[c][i] += (uint64_t)box_motion_round(way * (0x1p64 / m->box.length[c]));
        }
    return status;
}

myr_status myr_molecular_rigid_speed(myr_molecular *m)
{
    engine_positions(m);
    return myr_constraints_velocities(m->rigid, m->inverse, (const double *const *)m->x, m->v);
}
