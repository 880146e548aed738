/* box_fields.cuh - restraints, external fields and walls of particles in a box on a GPU, included by box.cuh. Formulas
 * and their order are those of the processor (backend/box_fields.h): forces of pairs, restraints, fields. */

/* What a step of one particle leaves beside its motion. */
struct box_effect {
    double fastest2, way2;       /* see myr_box_slot; way2: squared displacement since the list was built */
    int64_t push[MYR_BOX_WALLS]; /* impulses on walls */
};

MYR_FN int has_mirrors(const myr_box_common &a)
{
    return BOX_EXTERNAL ? a.external->has_mirrors : 0;
}

/* Adds restraint and fields to the force on particle i. */
MYR_FN void add_external(const myr_box_step &a, const myr_box_slot &now, int32_t i, double force[3], box_effect &effect)
{
    const myr_box_external &e = *a.all.external;
    const myr_box_side &s = a.all.side[now.side];
    const int32_t row = s.row[i];
    if (e.stiffness > 0 && (e.restrained_type < 0 || a.all.type[row] == e.restrained_type))
        for (int c = 0; c < 3; c++)
            force[c] -= e.stiffness * ((double)(int64_t)(s.q[c][i] - e.anchor[c][row]) * e.unit[c]);
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        double on_wall[BOX_SIDES] = {0, 0};
        if (!e.has_fields)
            continue;
        force[c] += box_field_force(&e.fields, c, s.q[c][i], a.all.mass[row], on_wall);
        MYR_UNROLL
        for (int side = 0; side < BOX_SIDES; side++)
            effect.push[BOX_SIDES * c + side] += box_push_round(on_wall[side] * a.duration, e.fields.push_scale);
    }
}

/* Reflects a particle that has passed a reflecting wall. */
MYR_FN void reflect_particle(const myr_box_common &a, int32_t row, box_motion &m, box_effect &effect)
{
    if (!has_mirrors(a))
        return;
    const box_fields &f = a.external->fields;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        double turned[BOX_SIDES] = {0, 0};
        if (f.wall[c].kind != BOX_WALL_REFLECTING)
            continue;
        box_wall_reflect(&f.wall[c], &m.q[c], &m.v[c], turned);
        MYR_UNROLL
        for (int side = 0; side < BOX_SIDES; side++)
            effect.push[BOX_SIDES * c + side] += box_push_round(a.mass[row] * turned[side], f.push_scale);
    }
}

/* Adds up the impulses on walls, and finds the fastest particle. Called by whole warps. */
MYR_FN void store_effect(const myr_box_common &a, const box_effect &effect)
{
#if BOX_EXTERNAL
    MYR_UNROLL
    for (int k = 0; k < MYR_BOX_WALLS; k++)
        if (a.external->fields.wall[k / BOX_SIDES].has[k % BOX_SIDES])
            add_total(a.external->push + 2 * k, effect.push[k]);
#endif
#if BOX_OPEN
    raise_total(&a.slot[1].fastest2, effect.fastest2);
#endif
#if BOX_DIVIDED
    raise_total(&a.slot[1].furthest2, effect.way2);
#endif
}

#if BOX_EXTERNAL
MYR_FN double restraint_square(const myr_box_common &a, const myr_box_side &s, int32_t i)
{
    const myr_box_external &e = *a.external;
    const int32_t row = s.row[i];
    double r2 = 0;
    for (int c = 0; c < 3 && (e.restrained_type < 0 || a.type[row] == e.restrained_type); c++) {
        const double d = (double)(int64_t)(s.q[c][i] - e.anchor[c][row]) * e.unit[c];
        r2 += d * d;
    }
    return r2;
}

/* Energy of particle i; in periodic directions of the image that it is in. */
MYR_FN double field_energy(const myr_box_common &a, const myr_box_side &s, int32_t i)
{
    const myr_box_external &e = *a.external;
    const int32_t row = s.row[i];
    double energy = 0;
    for (int c = 0; c < 3; c++) {
        const uint64_t q = s.q[c][i];
        const double x =
            e.origin[c] + e.length[c] * ((double)(a.image[c][row] + crossings(a, c, i, q)) + (double)q * 0x1p-64);
        energy += box_field_energy(&e.fields, c, q, x, a.mass[row]);
    }
    return energy;
}

/* Largest magnitude (scale 0) or sum of a quantity of each particle; power: myr_cuda_box_quantity. */
extern "C" __global__ void __launch_bounds__(256) box_external(const __grid_constant__ myr_box_sums a)
{
    const myr_box_side &s = a.all.side[a.all.slot[0].side];
    const int32_t i = blockIdx.x * 256 + threadIdx.x;
    double term = 0;
    if (i < a.all.n && is_own(a.all, a.all.slot[0].side, i))
        term = a.power == 0 ? restraint_square(a.all, s, i) : field_energy(a.all, s, i);
    if (a.scale == 0)
        raise_total(a.total, fabs(term));
    else
        add_total(a.total, __double2ll_rn(term * a.scale));
}
#endif
