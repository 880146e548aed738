/* neighbour_liquid.h - a Lennard-Jones liquid near its triple point, and errors of its forces: of a list, and of double
 * sums over the same single-precision pairs. */
#ifndef MYR_TEST_NEIGHBOUR_LIQUID_H
#define MYR_TEST_NEIGHBOUR_LIQUID_H

#include "unit/neighbour_scene.h"

enum { LIQUID_CELLS = 10, LIQUID_COUNT = 4 * LIQUID_CELLS * LIQUID_CELLS * LIQUID_CELLS };
#define LIQUID_DENSITY 0.8442
#define LIQUID_TEMPERATURE 0.722
#define LIQUID_HOT 2.6

/* Particles on a face-centred cubic lattice; velocities v for twice the temperature. */
static inline void liquid_lattice(scene *s, double *const v[3])
{
    static const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const double length = cbrt(LIQUID_COUNT / LIQUID_DENSITY);
    memset(s, 0, sizeof *s);
    for (int k = 0; k < 3; k++) {
        s->set.box.length[k] = length;
        s->set.box.periodic[k] = 1;
    }
    for (int64_t i = 0; i < LIQUID_COUNT; i++) {
        const int64_t cell[3] = {i / 4 / LIQUID_CELLS / LIQUID_CELLS, i / 4 / LIQUID_CELLS % LIQUID_CELLS,
                                 i / 4 % LIQUID_CELLS};
        for (int k = 0; k < 3; k++) {
            const double at = ((double)cell[k] + corner[i % 4][k] + 0.25) * length / LIQUID_CELLS;
            s->q[k][i] = myr_box_coordinate(&s->set.box, k, at, NULL);
            v[k][i] = sqrt(24 * LIQUID_TEMPERATURE) * (scene_random((uint64_t)i, 20 + k) - 0.5);
        }
        s->id[i] = (int32_t)i;
    }
    s->set.n = LIQUID_COUNT;
    s->set.types = 1;
    s->set.skin = 0.3;
    s->set.fixed = s->set.threads = 1;
    s->pair[0] = (myr_pair_potential){1, 1, 2.5, 0};
}

/* Kick and drift of a step; returns the largest displacement. *twice: twice the kinetic energy. */
static inline double liquid_step(scene *s, double *const v[3], double *const f[3], double dt, double scale,
                                 double *twice)
{
    double most = 0;
    *twice = 0;
    for (int64_t i = 0; i < s->set.n; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            v[k][i] = scale * v[k][i] + dt * f[k][i];
            square += v[k][i] * v[k][i];
            s->q[k][i] += (uint64_t)myr_box_displacement(&s->set.box, k, dt * v[k][i]);
        }
        *twice += square;
        most = fmax(most, square);
    }
    return dt * sqrt(most);
}

/* Melts the lattice at twice the critical temperature, and cools the liquid in as many steps. */
static inline void liquid_make(scene *s, double temperature, int steps)
{
    static double v[3][SCENE_MOST], f[3][SCENE_MOST];
    double *const velocity[3] = {v[0], v[1], v[2]}, *const force[3] = {f[0], f[1], f[2]};
    double furthest = 0, twice = 0;
    myr_neighbour *list;
    liquid_lattice(s, velocity);
    assert_int_equal(scene_list(s, context, &list), MYR_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(myr_neighbour_track(list, v[k], sizeof *v[k]), MYR_OK);
    for (int n = 0; n < 2 * steps; n++) {
        if (n % 10 == 0)
            myr_neighbour_choose_unit(list);
        assert_int_equal(myr_neighbour_update(list, furthest, NULL), MYR_OK);
        assert_int_equal(neighbour_forces(list, force, NULL), MYR_OK);
        const double wanted = n < steps ? LIQUID_HOT : temperature;
        const double scale = n % 10 || twice == 0 ? 1 : sqrt(3 * (double)s->set.n * wanted / twice);
        furthest = liquid_step(s, velocity, force, 0.004, scale, &twice);
    }
    myr_neighbour_destroy(&list);
}

/* Forces of one pair as the loops of single arithmetic compute them where operations are fused. */
static inline void liquid_float_pair(const scene *s, int64_t i, int64_t j, scene_answer *to)
{
    float d[3];
    for (int k = 0; k < 3; k++)
        d[k] = (float)(int32_t)((uint32_t)(s->q[k][i] >> 32) - (uint32_t)(s->q[k][j] >> 32)) *
               (float)(s->set.box.length[k] * 0x1p-32);
    const float r2 = fmaf(d[2], d[2], fmaf(d[1], d[1], d[0] * d[0])), rinv2 = 1 / r2;
    if (!(r2 < 6.25f))
        return;
    const float y3 = rinv2 * rinv2 * rinv2, factor = rinv2 * y3 * fmaf(48, y3, -24);
    for (int k = 0; k < 3; k++) {
        to->force[s->id[i]][k] += (double)(factor * d[k]);
        to->force[s->id[j]][k] -= (double)(factor * d[k]);
    }
}

static inline void liquid_float_sums(const scene *s, scene_answer *to)
{
    memset(to, 0, sizeof *to);
    for (int64_t i = 0; i < s->set.n; i++)
        for (int64_t j = 0; j < i; j++)
            liquid_float_pair(s, i, j, to);
}

/* Errors of forces: root mean square and largest over the particles except 0 and 1, relative to the root mean square of
 * their forces; error of the forces on particle 0, relative to that force. */
typedef struct {
    double rms, most, first;
} liquid_error;

static inline double liquid_square(const double *a, const double *b)
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

static inline liquid_error liquid_compare(const scene *s, const scene_answer *a, const scene_answer *b)
{
    static const double zero[3];
    liquid_error e = {.first = sqrt(liquid_square(a->force[0], b->force[0]) / liquid_square(b->force[0], zero))};
    double size = 0;
    for (int64_t i = 2; i < s->set.n; i++) {
        const double difference = liquid_square(a->force[i], b->force[i]);
        size += liquid_square(b->force[i], zero);
        e.rms += difference;
        e.most = fmax(e.most, difference);
    }
    const double typical = size / (double)(s->set.n - 2);
    e.rms = sqrt(e.rms / size);
    e.most = sqrt(e.most / typical);
    return e;
}

#endif
