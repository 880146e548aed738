/* surface.h - where a field on a periodic cubic mesh has a given value: triangles by marching cubes (Lorensen and Cline
 * 1987), with the 256 cases made by a rule and not kept as a table. */
#ifndef MYR_CLI_REPORT_SURFACE_H
#define MYR_CLI_REPORT_SURFACE_H

#include <stdint.h>

/* Places are in units of the mesh spacing, from its first point. Normals have length 1 and point to where the field is
 * below the value. */
typedef struct {
    double at[3], normal[3];
} surface_vertex;

typedef struct {
    int64_t triangles, room;
    surface_vertex *vertex; /* three of a triangle follow each other, counterclockwise as seen from below the value */
} surface;

/* Makes the surface field = value between the points (0, 0, 0) and (side, side, side), where the mesh repeats:
 * field[(z * side + y) * side + x]. Non-zero where memory ran out. Free with surface_free in any case. */
int surface_make(const double *field, int64_t side, double value, surface *made);
void surface_free(surface *made);

#endif
