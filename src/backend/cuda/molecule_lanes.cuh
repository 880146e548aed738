/* molecule_lanes.cuh - motion of units with 16 threads for each, one per component of each atom, of molecule.cuh: for
 * molecules that have more threads than atoms. What belongs to a component is done once, in less code, and the rigid
 * bonds of a unit are held by all of its threads alike. The formulas are those of molecule_motion.cuh. */
#ifndef MYR_BACKEND_CUDA_MOLECULE_LANES_CUH
#define MYR_BACKEND_CUDA_MOLECULE_LANES_CUH

#if CUDA_LANES
/* One component of one atom. */
struct lane_state {
    int lane;  /* among the threads of the unit */
    int i, c;  /* atom and component */
    int is_on; /* 1 = there is such an atom */
    double inverse, x, v, f, z;
    uint64_t q;
};

/* Numbers that the threads of a unit exchange. */
MYR_FN double *lane_room()
{
    return block_room().exchange[threadIdx.x / LANES_OF_UNIT];
}

/* Own number among those of all atoms. */
template <int atoms> __device__ __forceinline__ double lane_own(int lane, const double (*all)[atoms])
{
    double own = 0;
    MYR_UNROLL
    for (int k = 0; k < atoms; k++)
        MYR_UNROLL
    for (int c = 0; c < 3; c++)
        own = 3 * k + c == lane ? all[c][k] : own;
    return own;
}

/* unit_solve with the numbers in the room; returns the own one. */
template <int atoms, int bonds>
__device__ __forceinline__ double lane_solve(const myr_molecule_unit &unit, int lane, const int velocities, int *held)
{
    const double *room = lane_room();
    unit_state<atoms, bonds> u;
    MYR_UNROLL
    for (int k = 0; k < atoms; k++) {
        u.inverse[k] = unit.inverse[k];
        MYR_UNROLL
        for (int c = 0; c < 3; c++) {
            u.g[c][k] = room[3 * k + c];
            u.x[c][k] = room[LANES_OF_UNIT + 3 * k + c];
        }
    }
    MYR_UNROLL
    for (int n = 0; n < bonds; n++)
        u.square[n] = unit.square[n];
    *held = unit_solve(u, u.g, u.x, velocities);
    return lane_own<atoms>(lane, u.x);
}

/* Holds the bonds of the unit; before, now: as for rigid_solve. Returns the new number of this thread. */
MYR_FN double lane_hold(const myr_molecule_unit &unit, int shape, int lane, double before, double now,
                        const int velocities, int *held)
{
    double *room = lane_room();
    double own = now;
    *held = 1;
    __syncwarp();
    room[lane] = before;
    room[LANES_OF_UNIT + lane] = now;
    __syncwarp();
    if (shape == MYR_MOLECULE_BOND)
        own = lane_solve<2, 1>(unit, lane, velocities, held);
    else if (shape == MYR_MOLECULE_TWO)
        own = lane_solve<3, 2>(unit, lane, velocities, held);
    else if (shape == MYR_MOLECULE_THREE)
        own = lane_solve<4, 3>(unit, lane, velocities, held);
    else if (shape == MYR_MOLECULE_TRIANGLE)
        own = lane_solve<3, 3>(unit, lane, velocities, held);
    return own;
}

/* Sum of a number of the three components of an atom, in their order. */
MYR_FN double lane_sum(double x)
{
    const int first = threadIdx.x % 32 - threadIdx.x % LANES_OF_UNIT % 3;
    const double one = __shfl_sync(~0u, x, first), two = __shfl_sync(~0u, x, first + 1);
    const double three = __shfl_sync(~0u, x, first + 2);
    return one + two + three;
}

MYR_FN double lane_position(const lane_state &s)
{
    return box_position(block_room().one.origin[s.c], block_room().one.length[s.c], s.q, 0);
}

/* Reads the component, and its force as unit_load does. */
MYR_FN lane_state lane_load(const myr_molecule_steps &m, const replica_view &w, const myr_molecule_unit &unit,
                            int shape, const unit_task &t)
{
    const int atoms = shape == MYR_MOLECULE_ATOM    ? 1
                      : shape == MYR_MOLECULE_BOND  ? 2
                      : shape == MYR_MOLECULE_THREE ? 4
                                                    : 3;
    lane_state s;
    s.lane = threadIdx.x % LANES_OF_UNIT;
    const int a = s.lane / 3;
    s.c = s.lane % 3;
    s.is_on = shape != MYR_MOLECULE_ANY && a < atoms;
    const int k = a < atoms ? a : 0;
    s.i = k == 0 ? unit.at[0] : k == 1 ? unit.at[1] : k == 2 ? unit.at[2] : unit.at[3];
    s.inverse = k == 0 ? unit.inverse[0] : k == 1 ? unit.inverse[1] : k == 2 ? unit.inverse[2] : unit.inverse[3];
    const int64_t at = (3 * (int64_t)w.replica + s.c) * m.n + s.i;
    const uint32_t used = t.sums ? __ldcg(&block_room().sweep[LAST_SET].over_used[s.i]) : 0;
    const double before = CUDA_BORN || !t.sums ? m.f[at] : 0;
    const unsigned long long bonded = m.bonded[at];
    const atom_sum sum = sum_load(m, w, LAST_SET, s.c, s.i);
    s.q = m.q[at];
    s.v = m.v[at];
    s.z = t.begins && m.scheme == MYR_MOLECULE_LANGEVIN ? m.z[at] : 0;
    s.x = lane_position(s);
    s.f = before;
    __syncwarp();
    if (!t.sums || !s.is_on)
        return s;
    const double last = sum_number(sum, LAST_SET, s.i, s.c, used), pairs = CUDA_BORN ? before + last : last;
    s.f = pairs + (double)(int64_t)bonded * MYR_BONDED_UNIT;
    sum_clear(m, w, LAST_SET, s.c, s.i);
    m.bonded[at] = 0;
    if (used && s.c == 0)
        block_room().sweep[LAST_SET].over_used[s.i] = 0;
    return s;
}

MYR_FN void lane_store(const myr_molecule_steps &m, const replica_view &w, const lane_state &s, const unit_task &t)
{
    const int64_t at = (3 * (int64_t)w.replica + s.c) * m.n + s.i;
    if (!s.is_on)
        return;
    m.v[at] = s.v;
    if (t.forces)
        m.f[at] = s.f;
    if (!t.begins)
        return;
    m.q[at] = s.q;
    m.x[at] = s.x;
    record_move_one(m, w, s.i, s.c, s.x);
}

/* As unit_kick: the square of the velocity of the atom after it, or after another such kick. */
MYR_FN double lane_kick(const myr_molecule_steps &m, lane_state &s, int next)
{
    const double kick = 0.5 * m.dt * s.inverse * s.f, now = s.v + kick, later = now + kick;
    s.v = now;
    const double v2 = lane_sum(next ? later * later : now * now);
    return v2 <= 0x1p1000 ? v2 : 0x1p1000;
}

/* As unit_end. */
MYR_FN void lane_end(const myr_molecule_steps &m, const replica_view &w, const myr_molecule_unit &unit, int shape,
                     lane_state &s, int step)
{
    int held;
    const double next2 = lane_kick(m, s, 1);
    s.v = lane_hold(unit, shape, s.lane, s.x, s.v, 1, &held);
    if (s.is_on && !(next2 * m.dt * m.dt < m.limit2))
        raise_stop(w, step + 1, step);
    if (s.is_on && !held)
        raise_stop(w, step + 1, step - 1);
}

/* As unit_begin. */
MYR_FN int lane_begin(const myr_molecule_steps &m, const myr_molecule_unit &unit, int shape, lane_state &s, int step,
                      double *way2)
{
    const myr_molecule_one &one = block_room().one;
    const int langevin = m.scheme == MYR_MOLECULE_LANGEVIN;
    const double half = 0.5 * m.dt, drift = langevin ? half : m.dt, v2 = lane_kick(m, s, 0), before = s.v;
    const double rate = 1 / drift;
    int stop = step == 0 && !(v2 * m.dt * m.dt < m.limit2);
    MYR_UNROLL_BY(1)
    for (int part = 0; part <= langevin; part++) {
        int held = 1;
        if (part)
            s.v = one.keep * s.v + s.z;
        if (m.is_rigid) {
            const double g = s.x;
            s.x = lane_hold(unit, stop ? MYR_MOLECULE_ATOM : shape, s.lane, g, g + s.v * drift, 0, &held);
            const double way = rigid_displace(s.x, g, &s.v, drift, rate);
            s.q += (uint64_t)box_motion_round(way * one.unit[s.c]);
        } else {
            s.q += (uint64_t)box_motion_round(s.v * (drift * one.unit[s.c]));
        }
        s.x = lane_position(s);
        stop |= !held;
    }
    const double way = langevin ? before + s.v : before, sum = lane_sum(way * way);
    *way2 = m.is_rigid ? 0 : langevin ? sum * half * half : sum;
    return stop && s.is_on;
}

/* The first unit of the thread, which it reads while others sum the forces. */
MYR_FN int unit_first(const myr_molecule_steps &m, const replica_view &w)
{
    return warp_mine(m, w) * UNITS_OF_WARP + threadIdx.x % 32 / LANES_OF_UNIT;
}

MYR_FN void unit_look(const myr_molecule_steps &m, replica_view &w)
{
    const int k = unit_first(m, w);
    w.unit = m.unit[k < m.units ? k : 0];
}

/* As the function of molecule_motion.cuh. All threads of a warp stay together. */
MYR_FN int motion_units(const myr_molecule_steps &m, const replica_view &w, const unit_task &t, double *furthest)
{
    const int first = unit_first(m, w), own = threadIdx.x % 32 / LANES_OF_UNIT;
    int stop = 0;
    *furthest = 0;
    MYR_UNROLL_BY(1)
    for (int k = first; k - own < m.units; k += BLOCK_WARPS * m.blocks * UNITS_OF_WARP) {
        myr_molecule_unit unit = w.unit;
        double way2 = 0;
        if (k != first)
            unit = m.unit[k < m.units ? k : 0];
        const int shape = k < m.units ? unit.shape : MYR_MOLECULE_ANY;
        lane_state s = lane_load(m, w, unit, shape, t);
        if (t.ends)
            lane_end(m, w, unit, shape, s, t.step);
        if (t.begins)
            stop |= lane_begin(m, unit, shape, s, t.step, &way2);
        lane_store(m, w, s, t);
        if (k < m.units && shape == MYR_MOLECULE_ANY && s.lane == 0)
            stop |= any_move(m, w, unit.number, t);
        if (s.is_on)
            *furthest = way2 <= *furthest ? *furthest : way2;
    }
    return stop;
}
#endif

#endif
