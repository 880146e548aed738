/* run_observables.c - averages that a run of particles in a box takes while it goes: radial distribution, mean-square
 * displacement and the like, each in a file of its own name, NAME.csv. The files are written whole with every
 * checkpoint and at the end; what has been summed so far goes into the checkpoint, so that a run that is continued goes
 * on with it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"
#include "run/run.h"

enum { ATTACHMENT = 64 };

static const char *attachment_name(const char *kind, char name[ATTACHMENT])
{
    snprintf(name, ATTACHMENT, "observable_%s", kind);
    return name;
}

/* Whether the input asks for one of them. */
static int is_wanted(const run *r, const char *kind)
{
    const input_value *list = input_of(r->in, KEY_observables_measure);
    const size_t length = strlen(kind);
    if (list->word)
        return 1; /* all */
    for (const char *at = list->text; at && *at;) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, kind, word) == 0)
            return 1;
        at += word + (at[word] == ' ');
    }
    return 0;
}

static myr_observable_options options_of(const run *r, const char *kind)
{
    const input_value *reach = input_of(r->in, KEY_observables_reach);
    const int is_rdf = strcmp(kind, "rdf") == 0, is_profile = strcmp(kind, "profile") == 0;
    const char *axis = input_of(r->in, KEY_observables_axis)->word;
    return (myr_observable_options){.rows = input_of(r->in, is_rdf       ? KEY_observables_bins
                                                            : is_profile ? KEY_observables_slices
                                                                         : KEY_observables_lags)
                                                ->integer,
                                    .reach = reach->word ? 0 : reach->number,
                                    .spacing = input_of(r->in, KEY_observables_spacing)->integer,
                                    .axis = axis ? *axis - 'x' : 2};
}

/* What the box does not allow is an error of the input; of all that is measured unless somebody asks, it is left out.
 */
static int check_box(run *r, const char *kind, int *is_left_out)
{
    const input_value *reach = input_of(r->in, KEY_observables_reach), *list = input_of(r->in, KEY_observables_measure);
    double box[3], origin[3];
    *is_left_out = 0;
    const int code = cli_check(r->context, myr_simulation_box(r->simulation, box, origin));
    if (code || strcmp(kind, "rdf") != 0)
        return code;
    const double shortest = fmin(box[0], fmin(box[1], box[2]));
    if (!(shortest > 0) && list->word) {
        *is_left_out = 1;
        if (!r->options->quiet && !r->options->json)
            messages_say(MYR_RUN_EVENT_TEXT,
                         "note: the observable rdf is left out: it needs a box that is periodic along all axes");
        return CLI_OK;
    }
    if (!(shortest > 0))
        tree_fail_value(r->in->tree, list->node,
                        "observables.measure cannot have 'rdf' here; expected a box that is periodic along all axes");
    else if (!reach->word && reach->number > shortest / 2 * (1 + 1e-9) && !r->options->restart)
        tree_fail_value(r->in->tree, reach->node,
                        "observables.reach is more than half the edge %.6g of the box; expected less, or auto",
                        shortest / units_bare(&r->in->units, UNITS_LENGTH));
    else
        return CLI_OK;
    tree_report(r->in->tree);
    return CLI_USAGE;
}

int run_open_observables(run *r)
{
    char name[ATTACHMENT];
    if (input_of(r->in, KEY_observables_interval)->word)
        return CLI_OK;
    int code = CLI_OK, is_left_out;
    for (int k = 0; !code && myr_observable_kind(k) && r->observables < RUN_OBSERVABLES; k++) {
        const char *kind = myr_observable_kind(k)->name;
        if (!is_wanted(r, kind))
            continue;
        code = check_box(r, kind, &is_left_out);
        if (code || is_left_out)
            continue;
        const myr_observable_options options = options_of(r, kind);
        size_t size = 0;
        const void *kept = myr_simulation_attached(r->simulation, attachment_name(kind, name), &size);
        myr_observable **o = &r->observable[r->observables];
        code = cli_check(r->context, myr_observable_create(r->context, kind, &options, o));
        if (!code && kept)
            code = cli_check(r->context, myr_observable_load(*o, kept, size));
        r->observable_kind[r->observables++] = kind;
    }
    return code;
}

void run_close_observables(run *r)
{
    for (int k = 0; k < r->observables; k++)
        myr_observable_destroy(&r->observable[k]);
}

int run_observe(run *r)
{
    const double time = myr_simulation_time(r->simulation);
    const input_value *start = input_of(r->in, KEY_observables_start);
    if (r->observables == 0)
        return CLI_OK;
    r->counters.last_observed = time;
    const double nearly = 1e-6 * input_of(r->in, KEY_observables_interval)->number; /* times are sums of steps */
    if (!start->word && time < start->number - nearly)
        return CLI_OK;
    int code = CLI_OK;
    for (int k = 0; !code && k < r->observables; k++)
        code = cli_check(r->context, myr_simulation_observe(r->simulation, r->observable[k]));
    return code;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static units_dimension dimension_named(const char *name)
{
    for (int d = 0; d < UNITS_DIMENSIONS; d++)
        if (strcmp(units_dimension_at((units_dimension)d)->name, name) == 0)
            return (units_dimension)d;
    return UNITS_NUMBER;
}

double *run_observable_column(const run *r, int index, int k, char *name, char label[UNITS_MESSAGE])
{
    const myr_observable *o = r->observable[index];
    const int64_t rows = myr_observable_rows(o);
    char numbered[MYR_OBSERVABLE_NAME_MAX + 1];
    const units_dimension dimension = dimension_named(myr_observable_column(o, k, numbered));
    input_species_column(r->in, numbered, MYR_OBSERVABLE_NAME_MAX + 1, name);
    double *values = malloc((size_t)(rows + 1) * sizeof *values);
    if (!values || myr_observable_get(o, k, values) != MYR_OK) {
        free(values);
        return NULL;
    }
    for (int64_t row = 0; row < rows; row++)
        values[row] /= units_bare(&r->in->units, dimension);
    units_label(&r->in->units, dimension, label);
    return values;
}

/* Units in a comment, names, then rows: as diagnostics.csv. */
static void write_table(int64_t samples, int columns, int64_t rows, char (*name)[MYR_OBSERVABLE_NAME_MAX + 1],
                        char (*label)[UNITS_MESSAGE], double *const *values, FILE *out)
{
    fprintf(out, "# samples: %" PRId64 "\n# units:", samples);
    for (int k = 0; k < columns; k++)
        fprintf(out, "%s%s", k ? "," : " ", *label[k] ? label[k] : "1");
    for (int k = 0; k < columns; k++)
        fprintf(out, "%s%s", k ? "," : "\n", name[k]);
    for (int64_t row = 0; row < rows; row++)
        for (int k = 0; k < columns; k++)
            fprintf(out, "%s%.17g", k ? "," : "\n", values[k][row]);
    fprintf(out, "\n");
}

static int write_observable(const run *r, int index)
{
    enum { COLUMNS = 3 + MYR_OBSERVABLE_TYPES_MAX * (MYR_OBSERVABLE_TYPES_MAX + 1) / 2 };
    char path[RUN_PATH], file[ATTACHMENT], name[COLUMNS][MYR_OBSERVABLE_NAME_MAX + 1], label[COLUMNS][UNITS_MESSAGE];
    double *values[COLUMNS] = {NULL};
    outfile out;
    const myr_observable *o = r->observable[index];
    const int columns = myr_observable_columns(o) < COLUMNS ? myr_observable_columns(o) : COLUMNS;
    int code = CLI_OK;
    if (columns == 0)
        return CLI_OK; /* no sample yet */
    for (int k = 0; !code && k < columns; k++)
        if (!(values[k] = run_observable_column(r, index, k, name[k], label[k])))
            code = cli_fail(CLI_FAILED, "no memory for %s", r->observable_kind[index]);
    snprintf(file, sizeof file, "%s.csv", r->observable_kind[index]);
    if (!code)
        code = outfile_open(&out, run_path(r, file, path));
    if (!code) {
        write_table(myr_observable_samples(o), columns, myr_observable_rows(o), name, label, values, out.out);
        code = outfile_finish(&out);
    }
    for (int k = 0; k < columns; k++)
        free(values[k]);
    return code;
}

int run_write_observables(run *r)
{
    int code = CLI_OK;
    for (int k = 0; !code && k < r->observables; k++)
        code = write_observable(r, k);
    return code;
}

int run_attach_observables(run *r)
{
    char name[ATTACHMENT];
    int code = run_write_observables(r);
    for (int k = 0; !code && k < r->observables; k++) {
        const size_t size = myr_observable_save(r->observable[k], NULL);
        void *bytes = malloc(size + 1);
        if (!bytes)
            return cli_fail(CLI_FAILED, "no memory for a checkpoint");
        myr_observable_save(r->observable[k], bytes);
        code = cli_check(r->context, myr_simulation_attach(r->simulation, attachment_name(r->observable_kind[k], name),
                                                           bytes, size));
        free(bytes);
    }
    return code;
}
