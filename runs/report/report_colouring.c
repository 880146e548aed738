/* report_colouring.c - ways to colour the particles of the replay: bodies, elements, types, the distance at the start,
 * and every field of one number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { FEW = 32 }; /* bodies that have each a colour, and categories that have names */

typedef struct {
    double value;
    int64_t k;
} ranked;

static int compare_values(const void *a, const void *b)
{
    const double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

static report_colouring *add_colouring(report_colourings *set, const report_drawn *d, const char *name)
{
    report_colouring *c = &set->item[set->count];
    if (set->count == REPORT_COLOURINGS)
        return NULL;
    snprintf(c->name, sizeof c->name, "%s", name);
    c->byte = calloc((size_t)d->count, 1);
    if (!c->byte)
        return NULL;
    set->count++;
    return c;
}

/* By rank, so that a few extremes do not leave all others in one colour. Nothing where all are equal. */
static void colour_by_rank(report_colourings *set, const report_drawn *d, const char *name, const double *value,
                           int inverse)
{
    ranked *all = malloc((size_t)d->count * sizeof *all);
    int64_t kept = 0;
    for (int64_t k = 0; all && k < d->count; k++)
        if (isfinite(value[k]))
            all[kept++] = (ranked){value[k], k};
    if (all && kept > 1) {
        qsort(all, (size_t)kept, sizeof *all, compare_values);
        report_colouring *c = all[0].value < all[kept - 1].value ? add_colouring(set, d, name) : NULL;
        if (c) {
            c->low = all[inverse ? kept - 1 : 0].value;
            c->high = all[inverse ? 0 : kept - 1].value;
        }
        double shade = 0;
        for (int64_t r = 0; c && r < kept; r++) { /* equal values, equal colours */
            if (r == 0 || all[r].value > all[r - 1].value)
                shade = 255.0 * (double)r / (double)(kept - 1);
            c->byte[all[r].k] = (unsigned char)(inverse ? 255 - shade : shade);
        }
    }
    free(all);
}

/* Room for the names of the categories of a colouring; null = they have their numbers. */
static char (*add_labels(report_colouring *c))[REPORT_NAME]
{
    const int64_t count = (int64_t)(c->high - c->low) + 1;
    c->label = count <= FEW ? calloc((size_t)count, sizeof *c->label) : NULL;
    return c->label;
}

static void colour_by_type(const report *r, report_colourings *set, const report_drawn *d, const myr_particles *first)
{
    const int32_t *type = myr_particles_types(first);
    int32_t least = type[d->at[0]], most = least;
    for (int64_t k = 0; k < d->count; k++) {
        least = type[d->at[k]] < least ? type[d->at[k]] : least;
        most = type[d->at[k]] > most ? type[d->at[k]] : most;
    }
    report_colouring *c = most > least ? add_colouring(set, d, "type") : NULL;
    for (int64_t k = 0; c && k < d->count; k++)
        c->byte[k] = (unsigned char)(type[d->at[k]] % REPORT_CATEGORIES);
    if (c) {
        c->categories = REPORT_CATEGORIES;
        c->low = least;
        c->high = most;
    }
    if (!c || most >= r->in->species.count || !add_labels(c))
        return;
    for (int32_t k = least; k <= most; k++)
        snprintf(c->label[k - least], REPORT_NAME, "%s",
                 input_entry_of(&r->in->species.entry[k], KEY_species_name)->text);
}

/* By element, for the atoms of a molecule: the categories are the elements that it has, in the order of their masses.
 */
static void colour_by_element(report_colourings *set, const report_drawn *d, const myr_particles *first)
{
    const double *mass = myr_particles_component_const(first, "mass", 0);
    const report_element *found[REPORT_CATEGORIES] = {0};
    int count = 0;
    for (int64_t k = 0; mass && k < d->count; k++) {
        const report_element *e = report_element_of(mass[d->at[k]]);
        int n = 0;
        while (n < count && found[n] != e)
            n++;
        if (n == count && count < REPORT_CATEGORIES)
            found[count++] = e;
    }
    for (int i = 1; i < count; i++) /* in order */
        for (int j = i; j > 0 && found[j]->mass < found[j - 1]->mass; j--) {
            const report_element *e = found[j];
            found[j] = found[j - 1];
            found[j - 1] = e;
        }
    report_colouring *c = count > 0 ? add_colouring(set, d, "element") : NULL;
    if (!c)
        return;
    c->categories = REPORT_CATEGORIES;
    c->high = count - 1;
    if (!add_labels(c))
        return;
    for (int n = 0; n < count; n++) {
        snprintf(c->label[n], REPORT_NAME, "%s", found[n]->name);
        snprintf(c->colours + 6 * n, 7, "%s", found[n]->colour);
    }
    for (int64_t k = 0; k < d->count; k++)
        for (int n = 0; n < count; n++)
            if (found[n] == report_element_of(mass[d->at[k]]))
                c->byte[k] = (unsigned char)n;
}

/* Each of a few bodies, in the order of the first snapshot, as in the projections. */
static void colour_by_body(const report *r, report_colourings *set, const report_drawn *d, const myr_particles *first)
{
    report_colouring *c = d->of <= FEW ? add_colouring(set, d, "body") : NULL;
    for (int64_t k = 0; c && k < d->count; k++)
        c->byte[k] = (unsigned char)(d->at[k] % REPORT_CATEGORIES);
    if (c) {
        c->categories = REPORT_CATEGORIES;
        c->high = (double)(d->of - 1);
    }
    if (!c || d->count != d->of || !report_body_name(r, myr_particles_ids(first)[0]) || !add_labels(c))
        return;
    for (int64_t k = 0; k < d->count; k++) {
        const char *name = report_body_name(r, d->id[k]);
        if (name)
            snprintf(c->label[d->at[k]], REPORT_NAME, "%s", name);
        else
            snprintf(c->label[d->at[k]], REPORT_NAME, "%lld", (long long)d->id[k]);
    }
}

static void distances(const report_drawn *d, const myr_particles *first, const double centre[3], double *distance)
{
    for (int64_t k = 0; k < d->count; k++) {
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += pow(myr_particles_component_const(first, "position", c)[d->at[k]] - centre[c], 2);
        distance[k] = sqrt(sum);
    }
}

int report_colourings_make(const report *r, const report_drawn *d, const myr_particles *first, const double centre[3],
                           report_colourings *set)
{
    double *value = malloc((size_t)d->count * sizeof *value);
    if (!value)
        return cli_fail(CLI_FAILED, "no memory for a replay");
    if (input_is_molecule(r->in))
        colour_by_element(set, d, first);
    else
        colour_by_body(r, set, d, first);
    colour_by_type(r, set, d, first);
    distances(d, first, centre, value);
    colour_by_rank(set, d, "distance from the centre at the start", value, 1); /* bright in the middle */
    for (int f = 0; f < myr_particles_fields(first); f++) {
        const char *name = myr_particles_field_name(first, f);
        if (myr_particles_field_components(first, f) != 1)
            continue;
        char label[64];
        snprintf(label, sizeof label, "%.40s at the start", name);
        for (int64_t k = 0; k < d->count; k++)
            value[k] = myr_particles_component_const(first, name, 0)[d->at[k]];
        colour_by_rank(set, d, label, value, 0);
    }
    free(value);
    return CLI_OK;
}

void report_colourings_free(report_colourings *set)
{
    for (int k = 0; k < set->count; k++) {
        free(set->item[k].byte);
        free(set->item[k].label);
    }
    set->count = 0;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* Names of categories, after their colouring. */
static void write_labels(markup *out, const report_colouring *c)
{
    if (!c->label)
        return;
    markup_write(out, "<ul class=\"names\" hidden>");
    for (int64_t n = 0; n <= (int64_t)(c->high - c->low); n++)
        markup_write(out, "<li>%s</li>", c->label[n]);
    markup_write(out, "</ul>\n");
}

void report_colourings_write(markup *out, const report_colourings *set, int64_t drawn)
{
    for (int k = 0; k < set->count; k++) {
        const report_colouring *c = &set->item[k];
        markup_write(out,
                     "<script type=\"text/plain\" class=\"colouring\" data-categories=\"%d\" data-low=\"%.6g\" "
                     "data-high=\"%.6g\" data-colours=\"%s\" data-name=\"",
                     c->categories, c->low, c->high, c->colours);
        markup_text(out, c->name);
        markup_write(out, "\">");
        markup_base64(out, c->byte, (size_t)drawn);
        markup_base64_end(out);
        markup_write(out, "</script>\n");
        write_labels(out, c);
    }
}
