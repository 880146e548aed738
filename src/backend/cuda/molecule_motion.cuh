/* molecule_motion.cuh - motion between two evaluations of the forces, of molecule.cuh. A unit, which is a cluster of
 * rigid bonds or an atom without, has a thread. The shapes of most clusters are known to the compiler, so that their
 * atoms are in registers; units of one shape follow each other, and the first units are in different warps, since the
 * threads of a warp wait for each other's shapes. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_MOTION_CUH
#define MYR_BACKEND_CUDA_MOLECULE_MOTION_CUH

/* Position of atom i, also in its record. */
MYR_FN void atom_place(const myr_molecule_steps &m, const replica_view &w, int i)
{
    double x[3];
    MYR_UNROLL
    for (int c = 0; c < 3; c++)
        w.x[c][i] = x[c] = box_position(block_room().one.origin[c], block_room().one.length[c], w.q[c][i], 0);
    record_move(m, w, i, x);
}

/* The last sums of the forces on an atom: in a solvent the others are in f already. */
enum { LAST_SET = CUDA_BORN ? MYR_MOLECULE_CHAIN : MYR_MOLECULE_PAIRS };
struct force_words {
    atom_sum sum[3];
    unsigned long long bonded[3];
    double before[3];
    uint32_t used; /* 1 = a wide integer is in use */
};

MYR_FN force_words force_load(const myr_molecule_steps &m, const replica_view &w, int i)
{
    force_words s;
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        s.sum[k] = sum_load(m, w, LAST_SET, k, i);
        s.bonded[k] = w.bonded[k][i];
        s.before[k] = CUDA_BORN ? w.f[k][i] : 0;
    }
    s.used = __ldcg(&block_room().sweep[LAST_SET].over_used[i]);
    return s;
}

MYR_FN void force_clear(const myr_molecule_steps &m, const replica_view &w, int i, const force_words &s)
{
    MYR_UNROLL
    for (int k = 0; k < 3; k++) {
        sum_clear(m, w, LAST_SET, k, i);
        w.bonded[k][i] = 0;
    }
    if (s.used)
        block_room().sweep[LAST_SET].over_used[i] = 0;
}

/* Component k of the force on atom i, in the order of the processor's additions. */
MYR_FN double force_value(const force_words &s, int i, int k)
{
    const double last = sum_number(s.sum[k], LAST_SET, i, k, s.used), pairs = CUDA_BORN ? s.before[k] + last : last;
    return pairs + (double)(int64_t)s.bonded[k] * MYR_BONDED_UNIT;
}

/* --- units of known shapes ---------------------------------------------------------------------------------------- */

/* What a call does with a unit. */
struct unit_task {
    int step;
    int sums;         /* 1 = forces come from the sums, which are cleared, 0 = they are in f */
    int ends, begins; /* 1 = the end of step `step` - 1, and the first part of `step` */
    int forces;       /* 1 = forces are stored in f */
};

/* A unit in registers: bond n is between atoms 0 and n + 1, but the third of a triangle is between atoms 1 and 2. */
template <int atoms, int bonds> struct unit_state {
    int at[atoms];
    uint64_t q[3][atoms];
    double v[3][atoms], f[3][atoms], x[3][atoms], g[3][atoms], z[3][atoms], inverse[atoms];
    double square[bonds ? bonds : 1]; /* of the lengths of its bonds */
};

template <int atoms, int bonds> __device__ __forceinline__ void unit_positions(unit_state<atoms, bonds> &u)
{
    MYR_UNROLL
    for (int k = 0; k < atoms; k++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++)
        u.x[c][k] = box_position(block_room().one.origin[c], block_room().one.length[c], u.q[c][k], 0);
}

/* Reads a unit. */
template <int atoms, int bonds>
__device__ __forceinline__ void unit_load(const myr_molecule_steps &m, const replica_view &w,
                                          const myr_molecule_unit &unit, const unit_task &t,
                                          unit_state<atoms, bonds> &u)
{
    force_words words[atoms];
    MYR_UNROLL
    for (int k = 0; k < atoms; k++) {
        const int i = u.at[k] = unit.at[k];
        u.inverse[k] = unit.inverse[k];
        if (t.sums)
            words[k] = force_load(m, w, i);
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            u.q[c][k] = w.q[c][i];
            u.v[c][k] = w.v[c][i];
            u.z[c][k] = t.begins && m.scheme == MYR_MOLECULE_LANGEVIN ? w.z[c][i] : 0;
            if (!t.sums)
                u.f[c][k] = w.f[c][i];
        }
    }
    MYR_UNROLL
    for (int n = 0; n < bonds; n++)
        u.square[n] = unit.square[n];
    unit_positions(u);
    MYR_UNROLL
    for (int k = 0; k < atoms && t.sums; k++) {
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            u.f[c][k] = force_value(words[k], u.at[k], c);
        force_clear(m, w, u.at[k], words[k]);
    }
}

/* moved: 1 = with coordinates, positions and records; forces: 1 = with the forces. */
template <int atoms, int bonds>
__device__ __forceinline__ void unit_store(const myr_molecule_steps &m, const replica_view &w,
                                           const unit_state<atoms, bonds> &u, int moved, int forces)
{
    MYR_UNROLL
    for (int k = 0; k < atoms; k++) {
        const int i = u.at[k];
        double x[3];
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            w.v[c][i] = u.v[c][k];
            x[c] = u.x[c][k];
            if (forces)
                w.f[c][i] = u.f[c][k];
            if (moved) {
                w.q[c][i] = u.q[c][k];
                w.x[c][i] = x[c];
            }
        }
        if (moved)
            record_move(m, w, i, x);
    }
}

template <int atoms, int bonds>
__device__ __forceinline__ int unit_solve(unit_state<atoms, bonds> &u, double (*before)[atoms], double (*now)[atoms],
                                          const int velocities)
{
    double *const from[3] = {before[0], before[1], before[2]}, *const to[3] = {now[0], now[1], now[2]};
    rigid_bond bond[bonds ? bonds : 1]; /* an array of its own, whose indices the compiler sees */
    MYR_UNROLL
    for (int n = 0; n < bonds; n++) {
        bond[n].i = n < atoms - 1 ? 0 : 1;
        bond[n].j = n < atoms - 1 ? n + 1 : 2;
        bond[n].square = u.square[n];
    }
    return bonds == 0 || rigid_together(bond, bonds ? bonds : 1, u.inverse, from, to, velocities);
}

/* Drift by dt, with the bonds of the unit held; returns 1 if they cannot be held. */
template <int atoms, int bonds>
__device__ __forceinline__ int unit_drift(unit_state<atoms, bonds> &u, double dt, double rate)
{
    MYR_UNROLL
    for (int k = 0; k < atoms; k++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        u.g[c][k] = u.x[c][k];
        u.x[c][k] += u.v[c][k] * dt;
    }
    const int held = unit_solve(u, u.g, u.x, 0);
    MYR_UNROLL
    for (int k = 0; k < atoms; k++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const double way = rigid_displace(u.x[c][k], u.g[c][k], &u.v[c][k], dt, rate);
        u.q[c][k] += (uint64_t)box_motion_round(way * block_room().one.unit[c]);
    }
    unit_positions(u);
    return !held;
}

/* Drift of an atom of a molecule without rigid bonds; returns the square of its velocity. */
template <int atoms, int bonds>
__device__ __forceinline__ double unit_free_drift(unit_state<atoms, bonds> &u, double dt)
{
    double v2 = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const double v = u.v[c][0];
        v2 += v * v;
        u.q[c][0] += (uint64_t)box_motion_round(v * (dt * block_room().one.unit[c]));
    }
    return v2;
}

/* Ornstein-Uhlenbeck step, as box_motion_shake. */
template <int atoms, int bonds> __device__ __forceinline__ void unit_shake(unit_state<atoms, bonds> &u)
{
    MYR_UNROLL
    for (int k = 0; k < atoms; k++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++)
        u.v[c][k] = block_room().one.keep * u.v[c][k] + u.z[c][k];
}

/* Kick by half a step. Returns the largest square of a velocity after it, or after another such kick if `next`; NaN
 * passes for a large one. */
template <int atoms, int bonds>
__device__ __forceinline__ double unit_kick(const myr_molecule_steps &m, unit_state<atoms, bonds> &u, int next)
{
    double most = 0;
    MYR_UNROLL
    for (int k = 0; k < atoms; k++) {
        const double weight = 0.5 * m.dt * u.inverse[k];
        double v2 = 0;
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            const double kick = weight * u.f[c][k], now = u.v[c][k] + kick, later = now + kick;
            u.v[c][k] = now;
            v2 += next ? later * later : now * now;
        }
        most = v2 <= most ? most : v2 <= 0x1p1000 ? v2 : 0x1p1000;
    }
    return most;
}

/* End of step `step` - 1. */
template <int atoms, int bonds>
__device__ __forceinline__ void unit_end(const myr_molecule_steps &m, const replica_view &w,
                                         unit_state<atoms, bonds> &u, int step)
{
    if (!(unit_kick(m, u, 1) * m.dt * m.dt < m.limit2))
        raise_stop(w, step + 1, step);
    if (!unit_solve(u, u.x, u.v, 1))
        raise_stop(w, step + 1, step - 1);
}

/* First part of a step: kick and drift. *way2 receives the square of the way of an atom without bonds, as the processor
 * bounds it. Returns 1 if the step needs the processor. */
template <int atoms, int bonds>
__device__ __forceinline__ int unit_begin(const myr_molecule_steps &m, unit_state<atoms, bonds> &u, int step,
                                          double *way2)
{
    const int langevin = m.scheme == MYR_MOLECULE_LANGEVIN;
    const double half = 0.5 * m.dt, drift = langevin ? half : m.dt, rate = 1 / drift, v2 = unit_kick(m, u, 0);
    if (step == 0 && !(v2 * m.dt * m.dt < m.limit2))
        return 1;
    if (m.is_rigid) {
        int stop = 0;
        MYR_UNROLL_BY(1)
        for (int part = 0; part <= langevin; part++) {
            if (part)
                unit_shake(u);
            stop |= unit_drift(u, drift, rate);
        }
        return stop;
    }
    const double before[3] = {u.v[0][0], u.v[1][0], u.v[2][0]};
    *way2 = unit_free_drift(u, drift);
    if (langevin) {
        unit_shake(u);
        const double after[3] = {u.v[0][0], u.v[1][0], u.v[2][0]};
        (void)unit_free_drift(u, drift);
        *way2 = box_motion_way2(before, after, 0) * half * half;
    }
    unit_positions(u);
    return 0;
}

template <int atoms, int bonds>
__device__ __forceinline__ int unit_move(const myr_molecule_steps &m, const replica_view &w,
                                         const myr_molecule_unit &unit, const unit_task &t, double *way2)
{
    unit_state<atoms, bonds> u;
    int stop = 0;
    unit_load(m, w, unit, t, u);
    if (t.ends)
        unit_end(m, w, u, t.step);
    if (t.begins)
        stop = unit_begin(m, u, t.step, way2);
    unit_store(m, w, u, t.begins, t.forces);
    return stop;
}

/* --- units of other shapes, in memory ----------------------------------------------------------------------------- */

/* Drift by dt of the atoms of a unit; returns 1 if its bonds cannot be held. */
MYR_FN int any_drift(const myr_molecule_steps &m, double *const *g, const replica_view &w, const int32_t *atom,
                     int atoms, const rigid_bond *bond, int bonds, double dt)
{
    const myr_molecule_one &one = block_room().one;
    double *const *x = w.x;
    const double rate = 1 / dt;
    for (int k = 0; k < atoms; k++)
        for (int c = 0; c < 3; c++) {
            const int i = atom[k];
            g[c][i] = box_position(one.origin[c], one.length[c], w.q[c][i], 0);
            x[c][i] = g[c][i] + w.v[c][i] * dt;
        }
    if (!rigid_solve(bond, bonds, m.inverse, g, x, 0))
        return 1;
    for (int k = 0; k < atoms; k++)
        for (int c = 0; c < 3; c++) {
            const int i = atom[k];
            const double way = rigid_displace(x[c][i], g[c][i], &w.v[c][i], dt, rate);
            w.q[c][i] += (uint64_t)box_motion_round(way * one.unit[c]);
        }
    return 0;
}

/* Forces on the atoms of a unit: from the sums, which are cleared, to f. */
MYR_FN void any_forces(const myr_molecule_steps &m, const replica_view &w, const int32_t *atom, int atoms)
{
    for (int k = 0; k < atoms; k++) {
        const force_words words = force_load(m, w, atom[k]);
        for (int c = 0; c < 3; c++)
            w.f[c][atom[k]] = force_value(words, atom[k], c);
        force_clear(m, w, atom[k], words);
    }
}

/* unit_kick for the atoms of a unit. */
MYR_FN double any_kick(const myr_molecule_steps &m, const replica_view &w, const int32_t *atom, int atoms, int next)
{
    double most = 0;
    for (int k = 0; k < atoms; k++) {
        unit_state<1, 0> u;
        u.inverse[0] = m.inverse[atom[k]];
        for (int c = 0; c < 3; c++) {
            u.f[c][0] = w.f[c][atom[k]];
            u.v[c][0] = w.v[c][atom[k]];
        }
        const double v2 = unit_kick(m, u, next);
        most = v2 > most ? v2 : most;
        for (int c = 0; c < 3; c++)
            w.v[c][atom[k]] = u.v[c][0];
    }
    return most;
}

/* unit_move for a cluster of any shape. */
static __device__ __noinline__ int any_move(const myr_molecule_steps &m, replica_view w, int number, unit_task t)
{
    const int32_t *atom = m.unit_atom + m.unit_atoms[number];
    const rigid_bond *bond = m.bond + m.unit_bonds[number];
    const int atoms = m.unit_atoms[number + 1] - m.unit_atoms[number];
    const int bonds = m.unit_bonds[number + 1] - m.unit_bonds[number];
    const int langevin = m.scheme == MYR_MOLECULE_LANGEVIN;
    double *const g[3] = {m.g + (w.x[0] - m.x), m.g + (w.x[1] - m.x), m.g + (w.x[2] - m.x)};
    if (t.sums)
        any_forces(m, w, atom, atoms);
    if (t.ends) {
        if (!(any_kick(m, w, atom, atoms, 1) * m.dt * m.dt < m.limit2))
            raise_stop(w, t.step + 1, t.step);
        if (!rigid_solve(bond, bonds, m.inverse, w.x, w.v, 1))
            raise_stop(w, t.step + 1, t.step - 1);
    }
    if (!t.begins)
        return 0;
    const double v2 = any_kick(m, w, atom, atoms, 0);
    int stop = t.step == 0 && !(v2 * m.dt * m.dt < m.limit2);
    for (int part = 0; part <= langevin && !stop; part++) {
        for (int k = 0; part && k < atoms; k++)
            for (int c = 0; c < 3; c++)
                w.v[c][atom[k]] = block_room().one.keep * w.v[c][atom[k]] + w.z[c][atom[k]];
        stop = any_drift(m, g, w, atom, atoms, bond, bonds, langevin ? 0.5 * m.dt : m.dt);
    }
    for (int k = 0; k < atoms; k++)
        atom_place(m, w, atom[k]);
    return stop;
}

/* --- all units ---------------------------------------------------------------------------------------------------- */

#if !CUDA_LANES
MYR_FN int unit_any_shape(const myr_molecule_steps &m, const replica_view &w, const myr_molecule_unit &u,
                          const unit_task &t, double *way2)
{
    *way2 = 0;
    return u.shape == MYR_MOLECULE_ATOM       ? unit_move<1, 0>(m, w, u, t, way2)
           : u.shape == MYR_MOLECULE_BOND     ? unit_move<2, 1>(m, w, u, t, way2)
           : u.shape == MYR_MOLECULE_TWO      ? unit_move<3, 2>(m, w, u, t, way2)
           : u.shape == MYR_MOLECULE_THREE    ? unit_move<4, 3>(m, w, u, t, way2)
           : u.shape == MYR_MOLECULE_TRIANGLE ? unit_move<3, 3>(m, w, u, t, way2)
                                              : any_move(m, w, u.number, t);
}

/* The first unit of the thread, which it reads while others sum the forces. */
MYR_FN void unit_look(const myr_molecule_steps &m, replica_view &w)
{
    const int k = unit_mine(m, w);
    if (k < m.units)
        w.unit = m.unit[k];
}

/* A task for all units of the thread; returns 1 if the step needs the processor. */
MYR_FN int motion_units(const myr_molecule_steps &m, const replica_view &w, const unit_task &t, double *furthest)
{
    const int first = unit_mine(m, w);
    int stop = 0;
    *furthest = 0;
    MYR_UNROLL_BY(1)
    for (int k = first; k < m.units; k += CUDA_THREADS * m.blocks) {
        myr_molecule_unit unit = w.unit;
        double way2;
        if (k != first)
            unit = m.unit[k];
        stop |= unit_any_shape(m, w, unit, t, &way2);
        *furthest = way2 <= *furthest ? *furthest : way2;
    }
    return stop;
}
#endif

#include "backend/cuda/molecule_lanes.cuh"

/* The largest way of a step, for the host. */
MYR_FN void motion_note_way(const myr_molecule_steps &m, const replica_view &w, int step, double furthest)
{
    if (m.fastest)
        atomicMax(&m.fastest[(int64_t)w.replica * m.most + step], (unsigned long long)__double_as_longlong(furthest));
}

/* The end of step `step` - 1 if `ends`, the first part of `step` if `begins`. */
MYR_FN void motion_plain(const myr_molecule_steps &m, const replica_view &w, int step, int ends, int begins)
{
    const unit_task task = {step, 1, ends, begins, !begins};
    double furthest;
    const int stop = motion_units(m, w, task, &furthest);
    if (begins)
        motion_note_way(m, w, step, furthest);
    if (stop)
        raise_stop(w, step + 1, step);
}

#endif
