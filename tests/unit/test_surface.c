/* Isosurfaces: closed and turned the same way for every arrangement of corners, of the right size on spheres, with
 * normals that point outwards. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "physics/physics.h"
#include "report/surface.h"

/* A directed edge of a triangle. */
typedef struct {
    double from[3], to[3];
} edge;

static int compare_edges(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int k = 0; k < 6; k++)
        if (x[k] != y[k])
            return x[k] < y[k] ? -1 : 1;
    return 0;
}

/* Every edge is there as often in one direction as in the other. Gives the number of edges. (Two sheets of one cube may
 * share a diagonal with those of its neighbour: then it is there twice.) */
static int64_t expect_closed(const surface *s)
{
    const int64_t count = 3 * s->triangles;
    edge *all = malloc((size_t)(count + 1) * sizeof *all), *back = malloc((size_t)(count + 1) * sizeof *back);
    assert_true(all && back);
    for (int64_t k = 0; k < count; k++) {
        const double *from = s->vertex[k].at, *to = s->vertex[k % 3 == 2 ? k - 2 : k + 1].at;
        for (int c = 0; c < 3; c++) {
            all[k].from[c] = back[k].to[c] = from[c];
            all[k].to[c] = back[k].from[c] = to[c];
        }
    }
    qsort(all, (size_t)count, sizeof *all, compare_edges);
    qsort(back, (size_t)count, sizeof *back, compare_edges);
    for (int64_t k = 0; k < count; k++)
        assert_int_equal(compare_edges(&all[k], &back[k]), 0);
    free(all);
    free(back);
    return count / 2;
}

static int64_t count_places(const surface *s)
{
    edge *all = calloc((size_t)(3 * s->triangles + 1), sizeof *all);
    int64_t places = 0;
    for (int64_t k = 0; k < 3 * s->triangles; k++)
        memcpy(all[k].from, s->vertex[k].at, sizeof all[k].from);
    qsort(all, (size_t)(3 * s->triangles), sizeof *all, compare_edges);
    for (int64_t k = 0; k < 3 * s->triangles; k++)
        places += k == 0 || compare_edges(&all[k - 1], &all[k]) != 0;
    free(all);
    return places;
}

/* Corners above and below at random inside a mesh whose boundary is below: all 256 cases are there. */
static void test_closed(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    static double field[SIDE * SIDE * SIDE];
    static int seen[256];
    uint64_t seed = 5;
    surface s;
    int cases = 0;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        const int inner =
            at[0] > 0 && at[1] > 0 && at[2] > 0 && at[0] < SIDE - 1 && at[1] < SIDE - 1 && at[2] < SIDE - 1;
        field[k] = inner ? uniform(&seed) - 0.5 : -1;
    }
    for (int k = 0; k < (SIDE - 1) * SIDE * SIDE - SIDE * SIDE; k++) {
        int above = 0;
        for (int c = 0; c < 8 && k % SIDE < SIDE - 1 && k / SIDE % SIDE < SIDE - 1; c++)
            above |= (field[k + (c & 1) + (c >> 1 & 1) * SIDE + (c >> 2) * SIDE * SIDE] > 0) << c;
        cases += !seen[above]++;
    }
    assert_int_equal(cases, 256);
    assert_int_equal(surface_make(field, SIDE, 0, &s), 0);
    expect_closed(&s);
    surface_free(&s);
}

/* A sphere: Euler's number, its area and the normals. */
static void test_sphere(void **state)
{
    (void)state;
    enum { SIDE = 32 };
    static double field[SIDE * SIDE * SIDE];
    const double centre = 15.7, radius = 11;
    double area = 0, volume = 0, worst_place = 0, worst_normal = 0;
    surface s;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const double x = k % SIDE - centre, y = k / SIDE % SIDE - centre, z = k / SIDE / SIDE - centre;
        field[k] = -sqrt(x * x + y * y + z * z);
    }
    assert_int_equal(surface_make(field, SIDE, -radius, &s), 0);
    const int64_t edges = expect_closed(&s);
    assert_int_equal(count_places(&s) - edges + s.triangles, 2);
    for (int64_t t = 0; t < s.triangles; t++) {
        const surface_vertex *v = s.vertex + 3 * t;
        double a[3], b[3], n[3];
        for (int c = 0; c < 3; c++) {
            a[c] = v[1].at[c] - v[0].at[c];
            b[c] = v[2].at[c] - v[0].at[c];
        }
        for (int c = 0; c < 3; c++) {
            n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
            volume += n[c] * (v[0].at[c] - centre) / 6;
        }
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double along = 0, distance = 0;
        for (int c = 0; c < 3; c++) {
            along += v[0].normal[c] * (v[0].at[c] - centre) / radius;
            distance = hypot(distance, v[0].at[c] - centre);
        }
        keep_largest(&worst_normal, fabs(along - 1));
        keep_largest(&worst_place, fabs(distance - radius));
    }
    expect_near("area", area / (4 * PI * radius * radius), 1, 0.01); /* measured: 2.6e-3 */
    expect_near("volume, outside is where the field is lower", volume / (4 * PI / 3 * pow(radius, 3)), 1,
                0.02);                           /* measured: 4.9e-3 */
    expect_below("places", worst_place, 0.05);   /* measured: 1.1e-2 */
    expect_below("normals", worst_normal, 5e-3); /* measured: 1.0e-3 */
    surface_free(&s);
}

/* The mesh repeats: waves end at its boundary, and a field without the value has no surface. */
static void test_periodic(void **state)
{
    (void)state;
    enum { SIDE = 8 };
    static double field[SIDE * SIDE * SIDE];
    surface s;
    double last = 0;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++)
        field[k] = cos(2 * PI * (k % SIDE) / SIDE);
    assert_int_equal(surface_make(field, SIDE, 0.5, &s), 0);
    assert_int_equal(s.triangles, 2 * 2 * SIDE * SIDE); /* two planes */
    for (int64_t k = 0; k < 3 * s.triangles; k++)
        last = fmax(last, s.vertex[k].at[0]);
    assert_true(last > SIDE - 2 && last < SIDE);
    surface_free(&s);
    assert_int_equal(surface_make(field, SIDE, 2, &s), 0);
    assert_int_equal(s.triangles, 0);
    surface_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed), cmocka_unit_test(test_sphere),
                                       cmocka_unit_test(test_periodic)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
