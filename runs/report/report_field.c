/* report_field.c - the flow of a snapshot on a mesh: size of the vorticity and second invariant, for pictures. Of
 * vortex elements in a periodic cube it is made. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <myriad/flow.h>

#include "report/report.h"

enum { SIDE_MOST = 512 };

void report_field_free(report_field *field)
{
    free(field->rotation);
    free(field->invariant);
    *field = (report_field){0};
}

/* The cube that vortex elements repeat in; 0 = the run had none. */
static double cube_edge(const report *r)
{
    static const key_id edge[3] = {KEY_box_x, KEY_box_y, KEY_box_z};
    const myr_kernel_info *kernel = input_kernel(r->in);
    int moves = 0;
    for (int k = 0; kernel && k < 8 && kernel->output[k].name; k++)
        moves |= strcmp(kernel->output[k].name, "velocity") == 0;
    for (int c = 0; c < 3; c++)
        if (!moves || input_of(r->in, edge[c])->word ||
            input_of(r->in, edge[c])->number != input_of(r->in, edge[0])->number)
            return 0;
    return input_of(r->in, edge[0])->number;
}

int report_has_field(const report *r)
{
    return report_is_flow(r) || cube_edge(r) > 0;
}

/* Puts the mesh of the flow of vortex elements, the same as that of `like` where there is one, in their place. */
static void replace_elements(const report *r, const report_field *like, myr_particles **p)
{
    const double edge = cube_edge(r), corner[3] = {-0.5 * edge, -0.5 * edge, -0.5 * edge};
    myr_particles *mesh = NULL;
    if (report_is_flow(r) || !(edge > 0))
        return;
    const int same = like && like->side && fabs(like->spacing * (double)like->side - edge) < 1e-9 * edge;
    if (myr_flow_of_elements(*p, edge, same ? like->low : corner, same ? like->side : 0, &mesh) == MYR_OK) {
        myr_particles_destroy(p);
        *p = mesh;
    }
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

int report_field_read(report *r, int64_t from, int64_t step, const report_field *like, report_field *field)
{
    report_shot shot = {0};
    *field = (report_field){0};
    int code = report_has_field(r) ? report_find_snapshot(r, from, step, (report_part){.most = -1}, &shot) : CLI_OK;
    field->time = shot.time;
    if (!code && shot.particles) {
        replace_elements(r, like, &shot.particles);
        code = field_make(shot.particles, field);
    }
    myr_particles_destroy(&shot.particles);
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
