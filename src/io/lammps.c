/* lammps.c - parsing of lines of LAMMPS files, and bounds of boxes. */
#include "io/lammps.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int myr_lammps_line_ended(myr_text *t)
{
    return myr_text_at_end(t) || *t->at == '#';
}

int myr_lammps_line_next(myr_text *t)
{
    while (t->at < t->end) {
        if (!myr_lammps_line_ended(t))
            return 1;
        myr_text_next_line(t);
    }
    return 0;
}

myr_status myr_lammps_line_done(myr_text *t)
{
    return myr_lammps_line_ended(t) ? MYR_OK : myr_text_fail(t, t->at, "the line should end here");
}

void myr_lammps_line_rest(myr_text *t, char word[MYR_LAMMPS_WORD])
{
    myr_text_skip_blanks(t);
    size_t length = strcspn(t->at, "#\r\n");
    while (length > 0 && isspace((unsigned char)t->at[length - 1]))
        length--;
    snprintf(word, MYR_LAMMPS_WORD, "%.*s", (int)(length < MYR_LAMMPS_WORD ? length : MYR_LAMMPS_WORD - 1), t->at);
}

myr_status myr_lammps_line_numbers(myr_text *t, int n, double *to)
{
    for (int k = 0; k < n; k++) {
        if (myr_lammps_line_ended(t))
            return myr_text_fail(t, t->at, "this line ends too early: a number was expected");
        const myr_status status = myr_text_double(t, &to[k]);
        if (status)
            return status;
        if (*t->at && !isspace((unsigned char)*t->at) && *t->at != '#')
            return myr_text_fail(t, t->at, "a blank was expected");
    }
    return MYR_OK;
}

myr_status myr_lammps_line_integer(myr_text *t, const char *what, int64_t lowest, int64_t highest, int64_t *value)
{
    if (myr_lammps_line_ended(t))
        return myr_text_fail(t, t->at, "this line ends too early: the %s was expected", what);
    const myr_status status = myr_text_integer(t, what, lowest, highest, value);
    if (!status && *t->at && !isspace((unsigned char)*t->at) && *t->at != '#')
        return myr_text_fail(t, t->at, "a blank was expected: the %s is a whole number", what);
    return status;
}

int myr_lammps_line_words(const myr_text *t)
{
    int words = 0;
    const char *at = t->at;
    for (;;) {
        at += strspn(at, " \t");
        const size_t length = strcspn(at, " \t\r\n#");
        if (length == 0)
            return words;
        words++;
        at += length;
    }
}

void myr_lammps_bounds(const myr_particles *particles, const myr_snapshot_header *header, int axis, double bound[2])
{
    const double *x = myr_particles_component_const(particles, "position", axis);
    const int64_t n = x ? myr_particles_count(particles) : 0;
    bound[0] = header->origin[axis];
    bound[1] = header->origin[axis] + header->box[axis];
    if (header->box[axis] > 0)
        return;
    bound[0] = n ? INFINITY : 0;
    bound[1] = n ? -INFINITY : 0;
    for (int64_t i = 0; i < n; i++) {
        bound[0] = fmin(bound[0], x[i]);
        bound[1] = fmax(bound[1], x[i]);
    }
    /* positive even if all particles are at the same position */
    const double room = 0.5 + 4 * DBL_EPSILON * fmax(fabs(bound[0]), fabs(bound[1]));
    bound[0] -= room;
    bound[1] += room;
}
