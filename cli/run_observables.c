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
#include "run.h"

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

/* A word in the list that is no observable. */
static int check_words(const run *r)
{
    char text[256], *rest = NULL;
    const input_value *list = input_of(r->in, KEY_observables_measure);
    if (list->word || !list->text)
        return CLI_OK;
    snprintf(text, sizeof text, "%s", list->text);
    for (const char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        int k = 0;
        while (myr_observable_kind(k) && strcmp(myr_observable_kind(k)->name, word) != 0)
            k++;
        if (!myr_observable_kind(k))
            return cli_fail(CLI_USAGE,
                            "observables.measure: there is no observable '%s'; there are rdf, msd, vacf and "
                            "profile",
                            word);
    }
    return CLI_OK;
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

int run_open_observables(run *r)
{
    char name[ATTACHMENT];
    if (input_of(r->in, KEY_observables_interval)->word)
        return CLI_OK;
    int code = check_words(r);
    for (int k = 0; !code && myr_observable_kind(k) && r->observables < RUN_OBSERVABLES; k++) {
        const char *kind = myr_observable_kind(k)->name;
        if (!is_wanted(r, kind))
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
    const myr_particles *now;
    double box[3], origin[3];
    const double time = myr_simulation_time(r->simulation);
    const input_value *start = input_of(r->in, KEY_observables_start);
    if (r->observables == 0)
        return CLI_OK;
    r->counters.last_observed = time;
    if (!start->word && time < start->number)
        return CLI_OK;
    int code = cli_check(r->context, myr_simulation_box(r->simulation, box, origin));
    if (!code)
        code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    for (int k = 0; !code && k < r->observables; k++)
        code = cli_check(r->context, myr_observable_add(r->observable[k], now, time, box, origin));
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

/* Units in a comment, names, then rows: as diagnostics.csv. */
static void write_table(const run *r, const myr_observable *o, const double *values, FILE *out)
{
    char name[MYR_OBSERVABLE_NAME_MAX + 1], label[UNITS_MESSAGE];
    const int columns = myr_observable_columns(o);
    const int64_t rows = myr_observable_rows(o);
    const units_system *u = &r->in->units;
    fprintf(out, "# samples: %" PRId64 "\n# units:", myr_observable_samples(o));
    for (int k = 0; k < columns; k++) {
        units_label(u, dimension_named(myr_observable_column(o, k, name)), label);
        fprintf(out, "%s%s", k ? "," : " ", *label ? label : "1");
    }
    for (int k = 0; k < columns; k++) {
        myr_observable_column(o, k, name);
        fprintf(out, "%s%s", k ? "," : "\n", name);
    }
    for (int64_t row = 0; row < rows; row++)
        for (int k = 0; k < columns; k++)
            fprintf(out, "%s%.17g", k ? "," : "\n",
                    values[k * rows + row] / units_bare(u, dimension_named(myr_observable_column(o, k, name))));
    fprintf(out, "\n");
}

static int write_observable(const run *r, int index)
{
    char path[RUN_PATH], file[ATTACHMENT];
    outfile out;
    const myr_observable *o = r->observable[index];
    const int columns = myr_observable_columns(o);
    const int64_t rows = myr_observable_rows(o);
    if (columns == 0)
        return CLI_OK; /* no sample yet */
    double *values = calloc((size_t)(columns * rows) + 1, sizeof *values);
    if (!values)
        return cli_fail(CLI_FAILED, "no memory for %s", r->observable_kind[index]);
    int code = CLI_OK;
    for (int k = 0; !code && k < columns; k++)
        code = cli_check(r->context, myr_observable_get(o, k, values + k * rows));
    snprintf(file, sizeof file, "%s.csv", r->observable_kind[index]);
    if (!code)
        code = outfile_open(&out, run_path(r, file, path));
    if (!code) {
        write_table(r, o, values, out.out);
        code = outfile_finish(&out);
    }
    free(values);
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
