/* box_bath.cuh - steps of particles in a box on a GPU whose velocities are those at the end of every step: thermostats
 * that scale velocities, and removal of the drift. Included by box.cuh after box_sums.cuh. Between two evaluations of
 * the forces the kinetic energy is summed in integers and one thread finds the factor of the velocities, so that the
 * host does not wait. */
#include "backend/box_bath.h"
#include "backend/cuda/halves.cuh"

/* As myr_sum_exponent. */
MYR_FN int bath_exponent(const myr_box_bath_state &bath)
{
    const double largest = __longlong_as_double((long long)bath.largest);
    return largest > 0 ? ilogb(largest) + 1 : 0;
}

/* v = (v + h f / m) * factor; measure: 1 = finds the largest m v^2. */
extern "C" __global__ void __launch_bounds__(256) box_bath_kick(const __grid_constant__ myr_box_bath a)
{
    const myr_box_common &all = a.step.all;
    const myr_box_slot now = all.slot[0];
    const myr_box_side &s = all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double most = 0;
    if (now.state)
        return;
    if (is_target(all, now, i)) {
        double v2 = 0;
        for (int c = 0; c < 3; c++) {
            double v = s.v[c][i];
            v = a.h == 0 ? v : v + a.h * s.inverse[i] * all.f[c][i];
            v = a.scaled ? v * a.bath->factor : v;
            s.v[c][i] = v;
            v2 += v * v;
        }
        most = all.mass[s.row[i]] * v2;
    }
    if (a.measure)
        raise_total(&a.bath->largest, most);
}

/* Sums of m v_x^2, m v_y^2, m v_z^2. */
extern "C" __global__ void __launch_bounds__(256) box_bath_sum(const __grid_constant__ myr_box_bath a)
{
    const myr_box_common &all = a.step.all;
    const myr_box_slot now = all.slot[0];
    const myr_box_side &s = all.side[now.side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    if (now.state)
        return;
    const int counts = is_target(all, now, i);
    const double mass = counts ? all.mass[s.row[i]] : 0, scale = ldexp(1.0, 62 - bath_exponent(*a.bath));
    for (int c = 0; c < 3; c++) {
        const double v = counts ? s.v[c][i] : 0;
        add_total(a.bath->total[c], __double2ll_rn(mass * (v * v) * scale));
    }
}

/* The factor of the velocities, by one thread. second: 0 = first half of the next step, 1 = end of the last one. */
extern "C" __global__ void __launch_bounds__(32) box_bath_factor(const __grid_constant__ myr_box_bath a)
{
    const myr_box_slot now = a.step.all.slot[0];
    myr_box_bath_state &bath = *a.bath;
    if (now.state || threadIdx.x != 0)
        return;
    const int exponent = bath_exponent(bath);
    double twice = 0;
    for (int c = 0; c < 3; c++) {
        twice += halves_value(bath.total[c], exponent);
        bath.total[c][0] = bath.total[c][1] = 0;
    }
    bath.largest = 0;
    const double heat = a.heat[a.second ? 2 * now.made - 1 : 2 * now.made];
    bath.factor = a.set.kind == BOX_BATH_CHAIN ? box_chain_advance(&a.set, &bath.chain, twice, heat, 0.5 * a.dt)
                                               : box_berendsen_factor(&a.set, twice, heat);
}

/* Moves the particles with the forces that are there. */
extern "C" __global__ void __launch_bounds__(MYR_BOX_THREADS) box_bath_move(const __grid_constant__ myr_box_bath a)
{
    const myr_box_common &all = a.step.all;
    const myr_box_slot now = all.slot[0];
    if (now.state || now.made >= all.most) {
        pass_on(all.slot, now, now.task);
        return;
    }
    const int32_t i = blockIdx.x * MYR_BOX_THREADS + threadIdx.x;
    uint32_t state = 0;
    box_effect effect = {};
    if (is_target(all, now, i)) {
        const double force[3] = {all.f[0][i], all.f[1][i], all.f[2][i]};
        box_particle particle;
        load_particle(all, now, 0, i, particle);
        state = move_particle(a.step, now, i, particle, 0, a.scaled ? a.bath->factor : 1.0, force, effect);
    }
    store_effect(all, effect);
    leave_slot(all, now, state, 1);
}
