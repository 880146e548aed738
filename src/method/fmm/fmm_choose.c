/* fmm_choose.c - settings for a tolerance, from a table of measured errors. */
#include "method/fmm/fmm_choose.h"

/* Relative L2 error of the gradient, the largest over uniform, Plummer and clustered distributions (docs/notes/fmm.md):
 * for strengths of one sign, and for charges of random signs, which have no large mean field that hides the error. Rows
 * are sorted by cost. */
static const struct {
    int separation, order;
    double masses, charges;
} rows[] = {
    {1, 3, 2e-2, 2e-2},      {1, 4, 6e-3, 6e-3},      {1, 5, 2e-3, 2e-3},      {1, 6, 5e-4, 7e-4},
    {1, 7, 1.5e-4, 2.5e-4},  {1, 8, 5e-5, 9e-5},      {1, 9, 2e-5, 4e-5},      {1, 10, 8e-6, 1.6e-5},
    {1, 11, 3e-6, 8e-6},     {1, 12, 1.4e-6, 4e-6},   {1, 13, 6e-7, 2.5e-6},   {1, 14, 3e-7, 1.5e-6},
    {1, 16, 1.2e-7, 7e-7},   {1, 18, 5e-8, 2.5e-7},   {1, 20, 1.5e-8, 8e-8},   {1, 22, 4e-9, 3e-8},
    {1, 24, 1e-9, 1.2e-8},   {1, 26, 6e-10, 5e-9},    {1, 28, 4e-10, 1.5e-9},  {1, 30, 2.5e-10, 8e-10},
    {2, 14, 2.4e-10, 7e-10}, {2, 16, 5e-11, 1.2e-10}, {2, 18, 5e-12, 1.2e-11}, {2, 20, 6e-13, 1.5e-12},
    {2, 22, 1e-13, 2e-13},
};

double myr_fmm_floor(int real_bytes, int coord_lanes)
{
    return real_bytes == 8 ? 1e-13 : coord_lanes == 2 ? 1e-7 : 1e-6;
}

double myr_fmm_least(int mixed_signs)
{
    const int last = (int)(sizeof rows / sizeof *rows) - 1;
    return mixed_signs ? rows[last].charges : rows[last].masses;
}

/* Lowest order at which fewer degrees for far offsets save more time than the added error costs. */
enum { RELAXED = 16 };

/* Number of particles per leaf for which near and far field take equal time; measured on one core. */
static int64_t choose_leaf(const myr_fmm_settings *s)
{
    if (!s->in_double)
        return 32;
    return s->separation > 1 ? 64 : s->order < 10 ? 32 : s->order < 20 ? 64 : 82;
}

void myr_fmm_choose(double tolerance, int mixed_signs, int in_floats, myr_fmm_settings *settings)
{
    const int count = (int)(sizeof rows / sizeof *rows);
    myr_fmm_settings s = *settings;
    int k = 0;
    while (k < count - 1 && ((mixed_signs ? rows[k].charges : rows[k].masses) > tolerance ||
                             (s.separation && rows[k].separation != s.separation)))
        k++;
    /* no row is accurate enough: takes the most accurate row */
    while (s.separation && rows[k].separation != s.separation)
        k--;
    if (!s.order)
        s.order = rows[k].order;
    if (!s.separation)
        s.separation = rows[k].separation;
    s.relax = s.separation > 1 || s.order >= RELAXED ? 0.4 : 0;
    s.in_double = !in_floats || tolerance < 2e-6; /* expansions in float reach an error of 4e-7 */
    if (!s.leaf)
        s.leaf = choose_leaf(&s);
    *settings = s;
}
