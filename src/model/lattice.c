/* lattice.c - simple cubic lattice about the origin, at rest. */
#include "model/lattice.h"

#include <math.h>
#include <string.h>

enum { SPACING, CENTRE };

static int64_t lattice_side(int64_t cells)
{
    int64_t side = (int64_t)cbrt((double)cells); /* may be off by one in either direction */
    while (side > 1 && (side - 1) * (side - 1) * (side - 1) >= cells)
        side--;
    while (side * side * side < cells)
        side++;
    return side;
}

void myr_lattice_place(const myr_model_arrays *to, int sites, const double (*site)[3], double spacing)
{
    const int64_t side = lattice_side((to->all + sites - 1) / sites);
    for (int64_t i = 0; i < to->n; i++) {
        const int64_t at = to->first + i, cell = at / sites,
                      row[3] = {cell / (side * side), cell / side % side, cell % side};
        for (int c = 0; c < 3; c++) {
            double middle = 0.5 * (double)(side - 1);
            for (int s = 0; s < sites; s++)
                middle += site[s][c] / sites;
            to->position[c][i] = ((double)row[c] + site[at % sites][c] - middle) * spacing;
        }
    }
}

static myr_status lattice_place(const myr_model_arrays *to)
{
    static const double corner[1][3] = {{0, 0, 0}};
    myr_lattice_place(to, 1, corner, to->value[SPACING]);
    return MYR_OK;
}

/* Rows can be made separately only with equal masses: masses of a mass function are divided by their sum. */
static int lattice_in_rows(const myr_model_spec *spec)
{
    return strcmp(myr_model_spec_chosen(spec, "mass_function"), "equal") == 0;
}

const myr_model_kind myr_lattice_model = {
    .info = {"lattice", "simple cubic lattice of unit spacing, centred, at rest, total mass 1", 1},
    .place = lattice_place,
    .in_rows = lattice_in_rows,
    .with = MYR_WITH_MASSES | MYR_WITH_SCALES,
    .param = {[SPACING] = {{"spacing", "distance of neighbours", 1, 1e-300, MYR_HUGE}, MYR_LENGTH},
              [CENTRE] = {{"centre", "1 = the centre of mass is at the origin, 0 = the whole cube's centre is", 0, 0,
                           1},
                          MYR_NUMBER}},
};
