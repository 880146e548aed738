/* report_atoms.c - what a picture of a molecule needs and a snapshot does not hold: elements, by mass, and bonds, by
 * distance, as viewers of molecules find them. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"

#define BOND_REACH 1.25 /* times the sum of the covalent radii */
#define MASS_ERROR 0.3  /* g/mol by which a mass may differ from that of its element */

/* Radii in Angstrom of Cordero et al. 2008; 0 = an ion, which has no bonds. Colours as usual since Corey and Pauling,
 * bright enough for a dark and dark enough for a light page. */
static const report_element element_table[] = {
    {"H", 1.008, 0.31, "b8c0cc"},  {"C", 12.011, 0.76, "7c8694"}, {"N", 14.007, 0.71, "4f7dff"},
    {"O", 15.999, 0.66, "f04a4a"}, {"F", 18.998, 0.57, "7fc23f"}, {"Na", 22.990, 0, "a877e8"},
    {"Mg", 24.305, 0, "5c9c2c"},   {"P", 30.974, 1.07, "f08a24"}, {"S", 32.06, 1.05, "d8b400"},
    {"Cl", 35.45, 1.02, "2fb344"}, {"K", 39.098, 0, "8f5cd0"},    {"Br", 79.904, 1.20, "b5532d"},
    {"I", 126.904, 1.39, "8a3fb0"}};
static const report_element other = {"other", 0, 0.77, "e07ab0"};

enum { ELEMENTS = sizeof element_table / sizeof element_table[0], ATOMS_MOST = 20000 };

const report_element *report_element_of(double mass)
{
    const report_element *best = &other;
    double error = MASS_ERROR;
    for (int k = 0; k < ELEMENTS; k++)
        if (fabs(mass - element_table[k].mass) < error) {
            error = fabs(mass - element_table[k].mass);
            best = &element_table[k];
        }
    return best;
}

/* Whether atoms i and j are bonded. */
static int is_bond(const double *const x[3], const double *mass, int64_t i, int64_t j)
{
    const double a = report_element_of(mass[i])->radius, b = report_element_of(mass[j])->radius;
    const double reach = BOND_REACH * (a + b);
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (x[c][i] - x[c][j]) * (x[c][i] - x[c][j]);
    return a > 0 && b > 0 && r2 < reach * reach;
}

int report_bonds_find(const myr_particles *atoms, report_bonds *bonds)
{
    const double *x[3], *mass = myr_particles_component_const(atoms, "mass", 0);
    const int64_t n = myr_particles_count(atoms);
    int64_t room = 0;
    *bonds = (report_bonds){0};
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(atoms, "position", c);
    for (int64_t i = 0; mass && n <= ATOMS_MOST && i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            if (!is_bond(x, mass, i, j))
                continue;
            if (bonds->count == room) {
                room = room ? 2 * room : 64;
                uint16_t(*more)[2] = realloc(bonds->atom, (size_t)room * sizeof *more);
                if (!more)
                    return cli_fail(CLI_FAILED, "no memory for the bonds of a molecule");
                bonds->atom = more;
            }
            bonds->atom[bonds->count][0] = (uint16_t)i;
            bonds->atom[bonds->count++][1] = (uint16_t)j;
        }
    return CLI_OK;
}

void report_bonds_free(report_bonds *bonds)
{
    free(bonds->atom);
    *bonds = (report_bonds){0};
}

/* --- projections -------------------------------------------------------------------------------------------------- */

/* The square that one projection fills, in units of the drawing, and the cube that it shows. */
typedef struct {
    int left, top, edge, side;
    double centre[3], half;
} atoms_view;

static atoms_view view_of(const double *const x[3], int64_t n)
{
    atoms_view v = {0};
    report_frame_place(&v.left, &v.top, &v.edge, &v.side);
    for (int c = 0; c < 3; c++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, x[c][i]);
            high = fmax(high, x[c][i]);
        }
        v.centre[c] = 0.5 * (low + high);
        v.half = fmax(v.half, 0.5 * (high - low));
    }
    v.half = 1.15 * v.half + 0.5;
    return v;
}

static double across(const atoms_view *v, int axis, double x)
{
    return v->left + (0.5 + 0.5 * (x - v->centre[axis]) / v->half) * v->edge;
}

static double upwards(const atoms_view *v, int axis, double x)
{
    return v->top + (0.5 - 0.5 * (x - v->centre[axis]) / v->half) * v->edge;
}

static void draw_atoms(markup *out, const atoms_view *v, const myr_particles *atoms, const report_bonds *bonds,
                       const int axis[2])
{
    const double *x = myr_particles_component_const(atoms, "position", axis[0]);
    const double *y = myr_particles_component_const(atoms, "position", axis[1]);
    const double *mass = myr_particles_component_const(atoms, "mass", 0);
    for (int64_t b = 0; b < bonds->count; b++) {
        const int64_t i = bonds->atom[b][0], j = bonds->atom[b][1];
        markup_write(out, "<line class=\"bond\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                     across(v, axis[0], x[i]), upwards(v, axis[1], y[i]), across(v, axis[0], x[j]),
                     upwards(v, axis[1], y[j]));
    }
    for (int64_t i = 0; i < myr_particles_count(atoms); i++) {
        const report_element *e = report_element_of(mass ? mass[i] : 0);
        const double radius = 0.4 * fmax(e->radius, 0.5) / (2 * v->half) * v->edge;
        markup_write(out, "<circle class=\"atom\" fill=\"#%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", e->colour,
                     across(v, axis[0], x[i]), upwards(v, axis[1], y[i]), fmax(radius, 1.5));
    }
}

static void draw_elements(markup *out, const double *mass, int64_t n)
{
    markup_write(out, "<ul class=\"legend\">");
    for (int k = 0; k <= ELEMENTS; k++) {
        const report_element *e = k < ELEMENTS ? &element_table[k] : &other;
        int64_t i = 0;
        while (i < n && report_element_of(mass ? mass[i] : 0) != e)
            i++;
        if (i < n)
            markup_write(out,
                         "<li><svg viewBox=\"0 0 28 8\" aria-hidden=\"true\"><circle class=\"atom\" fill=\"#%s\" "
                         "cx=\"14\" cy=\"4\" r=\"4\"/></svg>%s</li>",
                         e->colour, e->name);
    }
    markup_write(out, "</ul>");
}

int report_atoms_write(markup *out, const report *r, const report_shot *shot)
{
    static const int axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    char length[UNITS_MESSAGE], time[UNITS_MESSAGE], text[REPORT_NUMBER];
    const int64_t n = myr_particles_count(shot->particles);
    const double *x[3];
    report_bonds bonds;
    const int code = report_bonds_find(shot->particles, &bonds);
    for (int c = 0; c < 3; c++)
        x[c] = myr_particles_component_const(shot->particles, "position", c);
    const atoms_view v = view_of(x, n);
    units_label(&r->in->units, UNITS_LENGTH, length);
    units_label(&r->in->units, UNITS_TIME, time);
    markup_write(out, "<p>The molecule in the last snapshot, <i>t</i> = %s ", report_number(shot->time, 4, text));
    report_unit(out, time);
    markup_write(out, ", seen along the axes. Elements follow from masses, and bonds from distances.</p>"
                      "<figure class=\"images\"><div class=\"views\">");
    for (int k = 0; k < 3; k++) {
        markup_write(out,
                     "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>The molecule, projected onto the %c%c plane"
                     "</title><rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
                     v.side, v.side, "xyz"[axes[k][0]], "xyz"[axes[k][1]], v.left, v.top, v.edge, v.edge);
        draw_atoms(out, &v, shot->particles, &bonds, axes[k]);
        report_frame_write(out, v.centre, v.half, k, length);
        markup_write(out, "</svg>");
    }
    markup_write(out, "</div>");
    draw_elements(out, myr_particles_component_const(shot->particles, "mass", 0), n);
    markup_write(out, "</figure>\n");
    report_bonds_free(&bonds);
    return code;
}
