/* report_field.c - the flow of a snapshot on a mesh: size of the vorticity and second invariant, for pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "report.h"

enum { SIDE_MOST = 512 };

void report_field_free(report_field *field)
{
    free(field->rotation);
    free(field->invariant);
    *field = (report_field){0};
}

/* Where the mesh is. */
static int find_mesh(const myr_particles *p, report_field *f)
{
    const int64_t n = myr_particles_count(p), side = llround(cbrt((double)n));
    if (side < 2 || side > SIDE_MOST || side * side * side != n)
        return 0;
    for (int c = 0; c < 3; c++) {
        const double *x = myr_particles_component_const(p, "position", c);
        double high = x[0];
        f->low[c] = x[0];
        for (int64_t i = 0; i < n; i++) {
            f->low[c] = fmin(f->low[c], x[i]);
            high = fmax(high, x[i]);
        }
        f->spacing = (high - f->low[c]) / (double)(side - 1);
    }
    f->side = side;
    return 1;
}

/* The values of points that may be in any order. */
static void fill(const myr_particles *p, report_field *f)
{
    const double *invariant = myr_particles_component_const(p, "second_invariant", 0);
    for (int64_t i = 0; i < myr_particles_count(p); i++) {
        int64_t at = 0;
        double rotation = 0;
        for (int c = 2; c >= 0; c--) {
            const double x = myr_particles_component_const(p, "position", c)[i];
            const int64_t place = llround((x - f->low[c]) / f->spacing);
            at = at * f->side + (place < 0 ? 0 : place < f->side ? place : f->side - 1);
            rotation = hypot(rotation, myr_particles_component_const(p, "vorticity", c)[i]);
        }
        f->rotation[at] = rotation;
        f->invariant[at] = invariant[i];
    }
}

/* Meshes without vorticity (of a build without FFTW, or damaged) have no field: side 0. */
static int field_make(myr_particles *p, report_field *f)
{
    if (!find_mesh(p, f) || myr_flow_derive(p) != MYR_OK) {
        f->side = 0;
        return CLI_OK;
    }
    const size_t n = (size_t)myr_particles_count(p);
    f->rotation = calloc(n, sizeof *f->rotation);
    f->invariant = calloc(n, sizeof *f->invariant);
    if (!f->rotation || !f->invariant)
        return cli_fail(CLI_FAILED, "no memory for a flow of %zu points", n);
    fill(p, f);
    return CLI_OK;
}

int report_field_read(report *r, int64_t from, int64_t step, report_field *field)
{
    myr_particles *p = NULL;
    *field = (report_field){0};
    int code = report_find_snapshot(r, from, step, &p, &field->time);
    if (!code && p)
        code = field_make(p, field);
    myr_particles_destroy(&p);
    if (code)
        report_field_free(field);
    return code;
}

double report_field_rms(const double *value, int64_t side)
{
    double sum = 0;
    for (int64_t k = 0; k < side * side * side; k++)
        sum += value[k] * value[k];
    return side > 0 ? sqrt(sum / (double)(side * side * side)) : 0;
}
