/* surface.c - marching cubes.
 *
 * The rule that makes the cases: walk around each face of a cube, as seen from outside. Where the walk comes among
 * corners above the value it crosses an edge, and another where it leaves them; these two are joined. Two corners above
 * at the ends of a diagonal are cut off one by one, whichever cube looks at them, so that surfaces of neighbours fit.
 * Each crossed edge is entered on one of its faces and left on the other, so the joints are closed loops: polygons,
 * which fans of triangles fill. */
#include "report/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 8, EDGES = 12, FACES = 6, CASES = 256, NONE = -1 };

/* Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2). */
typedef struct {
    int edge[EDGES][2];            /* its corners, the lower first */
    int between[CORNERS][CORNERS]; /* the edge of two corners */
    int next[CASES][EDGES];
} cube_table;

typedef struct {
    const double *field;
    int64_t side;
    double value;
    const cube_table *table;
    surface *made;
} cube_march;

/* --- the cases ---------------------------------------------------------------------------------------------------- */

static void table_edges(cube_table *t)
{
    int count = 0;
    for (int a = 0; a < CORNERS; a++)
        for (int axis = 0; axis < 3; axis++) {
            const int b = a | 1 << axis;
            if (b == a)
                continue;
            t->edge[count][0] = a;
            t->edge[count][1] = b;
            t->between[a][b] = t->between[b][a] = count++;
        }
}

/* Corner k of 4 of a face, counterclockwise as seen from outside: the face is across an axis, at its low or high end.
 */
static int face_corner(int face, int k)
{
    const int axis = face / 2, high = face % 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    const int around = high ? k : 3 - k;
    return high << axis | (around == 1 || around == 2) << u | (around >= 2) << v;
}

/* Joins the crossed edges of a face: from where the walk comes among corners above to where it leaves them. */
static void join_face(const cube_table *t, int above, int face, int *next)
{
    for (int k = 0; k < 4; k++) {
        const int a = face_corner(face, k), b = face_corner(face, (k + 1) % 4);
        if (above >> a & 1 || !(above >> b & 1))
            continue;
        int last = k + 1;
        while (above >> face_corner(face, (last + 1) % 4) & 1)
            last++;
        const int c = face_corner(face, last % 4), d = face_corner(face, (last + 1) % 4);
        next[t->between[a][b]] = t->between[c][d];
    }
}

static cube_table *table_make(void)
{
    cube_table *t = malloc(sizeof *t);
    if (!t)
        return NULL;
    table_edges(t);
    memset(t->next, 0xff, sizeof t->next); /* NONE */
    for (int above = 0; above < CASES; above++)
        for (int face = 0; face < FACES; face++)
            join_face(t, above, face, t->next[above]);
    return t;
}

/* --- values and places -------------------------------------------------------------------------------------------- */

static double value_at(const cube_march *m, int64_t x, int64_t y, int64_t z)
{
    const int64_t n = m->side;
    return m->field[((z + n) % n * n + (y + n) % n) * n + (x + n) % n];
}

static void slope_at(const cube_march *m, const int64_t at[3], double slope[3])
{
    slope[0] = value_at(m, at[0] + 1, at[1], at[2]) - value_at(m, at[0] - 1, at[1], at[2]);
    slope[1] = value_at(m, at[0], at[1] + 1, at[2]) - value_at(m, at[0], at[1] - 1, at[2]);
    slope[2] = value_at(m, at[0], at[1], at[2] + 1) - value_at(m, at[0], at[1], at[2] - 1);
}

/* The point of an edge where the field has the value. */
static surface_vertex cross_edge(const cube_march *m, const int64_t cell[3], int edge)
{
    int64_t end[2][3];
    double value[2], slope[2][3], length = 0;
    surface_vertex v;
    for (int e = 0; e < 2; e++) {
        for (int c = 0; c < 3; c++)
            end[e][c] = cell[c] + (m->table->edge[edge][e] >> c & 1);
        value[e] = value_at(m, end[e][0], end[e][1], end[e][2]);
        slope_at(m, end[e], slope[e]);
    }
    const double part = (m->value - value[0]) / (value[1] - value[0]);
    for (int c = 0; c < 3; c++) {
        v.at[c] = (double)end[0][c] + part * (double)(end[1][c] - end[0][c]);
        v.normal[c] = -(slope[0][c] + part * (slope[1][c] - slope[0][c]));
        length = hypot(length, v.normal[c]);
    }
    for (int c = 0; c < 3; c++)
        v.normal[c] = length > 0 ? v.normal[c] / length : 0;
    return v;
}

/* --- the march ---------------------------------------------------------------------------------------------------- */

static int add_triangle(surface *s, const surface_vertex *a, const surface_vertex *b, const surface_vertex *c)
{
    if (s->triangles == s->room) {
        const int64_t room = 2 * s->room + 4096;
        surface_vertex *more = realloc(s->vertex, (size_t)(3 * room) * sizeof *more);
        if (!more)
            return 1;
        s->vertex = more;
        s->room = room;
    }
    surface_vertex *to = s->vertex + 3 * s->triangles++;
    to[0] = *a;
    to[1] = *b;
    to[2] = *c;
    return 0;
}

static int march_cell(const cube_march *m, const int64_t cell[3])
{
    int above = 0, done = 0, failed = 0;
    for (int c = 0; c < CORNERS; c++)
        above |= (value_at(m, cell[0] + (c & 1), cell[1] + (c >> 1 & 1), cell[2] + (c >> 2)) > m->value) << c;
    const int *next = m->table->next[above];
    for (int begin = 0; begin < EDGES && !failed; begin++) {
        if (next[begin] == NONE || done >> begin & 1)
            continue;
        const surface_vertex first = cross_edge(m, cell, begin);
        surface_vertex last = cross_edge(m, cell, next[begin]);
        done |= 1 << begin | 1 << next[begin];
        for (int edge = next[next[begin]]; edge != begin && !failed; edge = next[edge]) {
            const surface_vertex here = cross_edge(m, cell, edge);
            failed = add_triangle(m->made, &first, &last, &here);
            last = here;
            done |= 1 << edge;
        }
    }
    return failed;
}

int surface_make(const double *field, int64_t side, double value, surface *made)
{
    *made = (surface){0};
    cube_table *table = table_make();
    const cube_march m = {field, side, value, table, made};
    int failed = table == NULL;
    for (int64_t k = 0; k < side * side * side && !failed; k++)
        failed = march_cell(&m, (const int64_t[3]){k % side, k / side % side, k / side / side});
    free(table);
    return failed;
}

void surface_free(surface *made)
{
    free(made->vertex);
    *made = (surface){0};
}
