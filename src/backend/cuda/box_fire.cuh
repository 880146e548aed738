/* box_fire.cuh - minimisation of the energy by FIRE on a GPU, included by box.cuh. Formulas and their order are those
 * of the processor (backend/box_motion.h). */

/* Holds particle i at reflecting walls. */
MYR_FN void hold_particle(const myr_box_common &a, box_motion &m, double f[3])
{
    if (!has_mirrors(a))
        return;
    for (int c = 0; c < 3; c++)
        box_wall_hold(&a.external->fields.wall[c], &m.q[c], &m.v[c], &f[c]);
}

MYR_FN void load_motion(const myr_box_common &a, const myr_box_side &s, int32_t i, box_motion &m, double f[3])
{
    for (int c = 0; c < 3; c++) {
        m.q[c] = s.q[c][i];
        m.v[c] = s.v[c][i];
        f[c] = a.f[c][i];
    }
}

MYR_FN void store_motion(const myr_box_common &a, const myr_box_slot &now, int face, int32_t i, const box_motion &m)
{
    const myr_box_side &s = a.side[now.side];
    box_point p;
    for (int c = 0; c < 3; c++) {
        s.q[c][i] = m.q[c];
        s.v[c][i] = m.v[c];
        p.x[c] = point_coordinate(m.q[c]);
    }
    p.type = BOX_TYPED ? (real_int)a.type[s.row[i]] : 0;
    ((box_point *)a.point[face])[i] = p;
}

MYR_FN double dot_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Largest F.F and v.v, after particles at walls were held there. */
extern "C" __global__ void __launch_bounds__(256) box_fire_largest(const __grid_constant__ myr_box_fire a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double f2 = 0, v2 = 0;
    if (is_target(a.all, now, i)) {
        box_motion m;
        double f[3];
        load_motion(a.all, a.all.side[now.side], i, m, f);
        if (has_mirrors(a.all)) {
            hold_particle(a.all, m, f);
            store_motion(a.all, now, now.face, i, m);
            for (int c = 0; c < 3; c++)
                a.all.f[c][i] = f[c];
        }
        f2 = fmax(0.0, dot_product(f, f)); /* 0 for a NaN, as on the processor */
        v2 = fmax(0.0, dot_product(m.v, m.v));
    }
    raise_total(a.total, f2);
    raise_total(a.total + 1, v2);
}

extern "C" __global__ void __launch_bounds__(256) box_fire_sums(const __grid_constant__ myr_box_fire a)
{
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    box_motion m = {};
    double f[3] = {0, 0, 0};
    const myr_box_slot now = a.all.slot[0];
    if (is_target(a.all, now, i))
        load_motion(a.all, a.all.side[now.side], i, m, f);
    add_total(a.total, __double2ll_rn(dot_product(f, m.v) * a.scale[0]));
    add_total(a.total + 2, __double2ll_rn(dot_product(f, f) * a.scale[1]));
    add_total(a.total + 4, __double2ll_rn(dot_product(m.v, m.v) * a.scale[2]));
}

/* Step, with the proof that the list still holds. */
extern "C" __global__ void __launch_bounds__(256) box_fire_move(const __grid_constant__ myr_box_fire a)
{
    const myr_box_slot now = a.all.slot[0];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double way = 0;
    float way2 = 0;
    if (is_target(a.all, now, i)) {
        box_motion m;
        double f[3];
        load_motion(a.all, a.all.side[now.side], i, m, f);
        way = box_motion_fire(&m, f, &a.step);
        hold_particle(a.all, m, f);
        store_motion(a.all, now, 1 - now.face, i, m);
        for (int c = 0; c < 3; c++) {
            const float d = (float)(int32_t)((uint32_t)(m.q[c] >> 32) - a.all.old[c][i]) * a.displace[c];
            way2 += d * d;
        }
        if (!(way2 < a.all.spare[i]))
            atomicOr(&a.all.slot[1].state, (uint32_t)MYR_BOX_EXPIRED);
    }
    raise_total(a.total, fmax(0.0, way));
#if BOX_DIVIDED
    raise_total(&a.all.slot[1].furthest2, (double)way2);
#endif
    if (!is_first_thread())
        return;
    a.all.slot[1].made = now.made;
    a.all.slot[1].side = now.side;
    a.all.slot[1].face = 1 - now.face;
    a.all.slot[1].longest = now.longest;
    a.all.slot[1].crowd = now.crowd;
}
