/* run_probes.c - velocity and vorticity of vortex elements at places of the user's: lines of probes.csv, or files
 * beside the snapshots. The places go with the run in its checkpoints. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { LINES = 1000 }; /* probes that are written as lines where nothing is said */

static const char attachment[] = "probes";

/* --- making them -------------------------------------------------------------------------------------------------- */

static int refuse(input *in, key_id id, const char *expected)
{
    tree_fail_value(in->tree, input_of(in, id)->node, "probes.%s cannot be read; expected %s", keys_at(id)->name,
                    expected);
    tree_report(in->tree);
    return CLI_USAGE;
}

/* Three numbers of a list. */
static int read_three(const input_value *v, double number[3])
{
    const char *text = v->text;
    for (int c = 0; c < 3; c++) {
        char *end;
        number[c] = strtod(text, &end);
        if (end == text || (*end && *end != ' ') || !isfinite(number[c]))
            return 1;
        text = end;
    }
    return *text != 0;
}

/* x fastest, so that readers see a grid. */
static int make_grid(input *in, myr_context *context, myr_particles **made)
{
    double points[3], from[3], to[3], all = 1;
    if (read_three(input_of(in, KEY_probes_from), from))
        return refuse(in, KEY_probes_from, "three coordinates, as in [0, 0, -2]");
    if (read_three(input_of(in, KEY_probes_to), to))
        return refuse(in, KEY_probes_to, "three coordinates, as in [0, 0, 2]");
    if (read_three(input_of(in, KEY_probes_points), points))
        return refuse(in, KEY_probes_points, "three whole numbers, as in [1, 1, 41]");
    for (int c = 0; c < 3; c++) {
        if (points[c] < 1 || points[c] != floor(points[c]) || (all *= points[c]) > 1e9)
            return refuse(in, KEY_probes_points, "three whole numbers from 1 on, 10^9 points at most");
    }
    int code = cli_check(context, myr_particles_create(context, (int64_t)all, made));
    if (!code)
        code = cli_check(context, myr_particles_add_field(*made, "position", 3));
    const int64_t side[2] = {(int64_t)points[0], (int64_t)points[1]};
    for (int64_t i = 0; i < (int64_t)all && !code; i++) {
        const int64_t at[3] = {i % side[0], i / side[0] % side[1], i / side[0] / side[1]};
        for (int c = 0; c < 3; c++)
            myr_particles_component(*made, "position", c)[i] =
                units_bare(&in->units, UNITS_LENGTH) *
                (points[c] > 1 ? from[c] + (to[c] - from[c]) * (double)at[c] / (points[c] - 1) : from[c]);
    }
    return code;
}

int run_read_points(input *in, myr_context *context, key_id file, key_id format, myr_particles **points)
{
    const input_value *path = input_of(in, file);
    const char *as = strcmp(input_of(in, format)->word, "auto") == 0 ? NULL : input_of(in, format)->word;
    myr_snapshot_header header = {0};
    const myr_snapshot_header units = {.unit_length = in->units.si[0],
                                       .unit_mass = in->units.si[1],
                                       .unit_time = in->units.si[2],
                                       .unit_charge = in->units.si[3]};
    int code = run_build_check(in, path->node, context, myr_snapshot_read(context, path->text, as, points, &header));
    if (!code)
        code = run_build_check(in, path->node, context, myr_snapshot_convert(*points, &header, &units));
    if (code || myr_particles_component(*points, "position", 2))
        return code;
    tree_fail_value(in->tree, path->node, "%s has no positions; expected a file of particles with 3 coordinates",
                    path->text);
    tree_report(in->tree);
    return CLI_USAGE;
}

int run_build_probes(input *in, myr_context *context, myr_simulation *simulation)
{
    const int grid = !input_of(in, KEY_probes_points)->word && input_of(in, KEY_probes_points)->text;
    myr_particles *made = NULL;
    if (!grid && !input_of(in, KEY_probes_file)->text)
        return CLI_OK;
    int code =
        grid ? make_grid(in, context, &made) : run_read_points(in, context, KEY_probes_file, KEY_probes_format, &made);
    const size_t n = code ? 0 : (size_t)myr_particles_count(made);
    double *places = code ? NULL : calloc(3 * n + 1, sizeof *places);
    if (!code && !places)
        code = cli_fail(CLI_FAILED, "no memory for probes");
    for (int c = 0; c < 3 && !code; c++)
        memcpy(places + (size_t)c * n, myr_particles_component(made, "position", c), n * sizeof *places);
    if (!code)
        code = cli_check(context, myr_simulation_attach(simulation, attachment, places, 3 * n * sizeof *places));
    free(places);
    myr_particles_destroy(&made);
    return code;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int file_flush(run *r)
{
    return run_table_flush(r, "probes.csv", r->probes_csv, &r->counters.probe_bytes);
}

static const struct {
    const char *field;
    units_dimension dimension;
} column_table[] = {{"position", UNITS_LENGTH}, {"velocity", UNITS_VELOCITY}, {"vorticity", UNITS_RATE}};

enum { COLUMNS = sizeof column_table / sizeof column_table[0] };

static int file_header(run *r)
{
    char label[UNITS_MESSAGE];
    units_label(&r->in->units, UNITS_TIME, label);
    fprintf(r->probes_csv, "# units: %s,1", *label ? label : "1");
    for (int k = 0; k < COLUMNS; k++)
        for (int c = 0; c < 3; c++) {
            units_label(&r->in->units, column_table[k].dimension, label);
            fprintf(r->probes_csv, ",%s", *label ? label : "1");
        }
    fprintf(r->probes_csv, "\ntime,probe");
    for (int k = 0; k < COLUMNS; k++)
        for (int c = 0; c < 3; c++)
            fprintf(r->probes_csv, ",%s_%c", column_table[k].field, "xyz"[c]);
    fprintf(r->probes_csv, "\n");
    return file_flush(r);
}

/* The probes, from where the simulation keeps their places. */
static int take_probes(run *r)
{
    size_t size;
    const double *places = myr_simulation_attached(r->simulation, attachment, &size);
    const int64_t n = places ? (int64_t)(size / (3 * sizeof *places)) : 0;
    if (n == 0)
        return CLI_OK;
    int code = cli_check(r->context, myr_particles_create(r->context, n, &r->probes));
    if (!code)
        code = cli_check(r->context, myr_particles_add_field(r->probes, "position", 3));
    for (int c = 0; c < 3 && !code; c++)
        memcpy(myr_particles_component(r->probes, "position", c), places + c * n, (size_t)n * sizeof *places);
    return code;
}

static int are_lines(const run *r)
{
    return input_is(r->in, KEY_probes_write, "lines") ||
           (input_is(r->in, KEY_probes_write, "auto") && myr_particles_count(r->probes) <= LINES);
}

int run_open_probes(run *r)
{
    int code = take_probes(r);
    if (code || !r->probes || !are_lines(r))
        return code;
    code = run_table_open(r, "probes.csv", r->counters.probe_bytes, &r->probes_csv);
    return code || r->counters.probe_bytes > 0 ? code : file_header(r);
}

int run_write_probe_lines(run *r)
{
    if (!r->probes_csv)
        return CLI_OK;
    const int code = cli_check(r->context, myr_simulation_probe(r->simulation, r->probes));
    const double time = myr_simulation_time(r->simulation) / units_bare(&r->in->units, UNITS_TIME);
    for (int64_t i = 0; i < myr_particles_count(r->probes) && !code; i++) {
        fprintf(r->probes_csv, "%.17g,%" PRId64, time, i);
        for (int k = 0; k < COLUMNS; k++)
            for (int c = 0; c < 3; c++) {
                const double *value = myr_particles_component(r->probes, column_table[k].field, c);
                fprintf(r->probes_csv, ",%.17g",
                        value ? value[i] / units_bare(&r->in->units, column_table[k].dimension) : NAN);
            }
        fprintf(r->probes_csv, "\n");
    }
    return code ? code : file_flush(r);
}

int run_write_probe_snapshot(run *r)
{
    char path[RUN_PATH], file[96];
    myr_snapshot_format_info info;
    const myr_snapshot_header header = {
        .time = myr_simulation_time(r->simulation),
        .step = myr_simulation_steps(r->simulation),
        .unit_length = r->in->units.si[0],
        .unit_mass = r->in->units.si[1],
        .unit_time = r->in->units.si[2],
        .unit_charge = r->in->units.si[3],
        .program = "myriad",
    };
    if (!r->probes || r->probes_csv || !r->format[0])
        return CLI_OK;
    const int known = myr_snapshot_format_describe(r->format, &info);
    snprintf(file, sizeof file, "probes_%05" PRId64 ".%s", r->counters.snapshots - 1, known ? info.ending : r->format);
    int code = cli_check(r->context, myr_simulation_probe(r->simulation, r->probes));
    if (!code)
        code = cli_check(r->context, myr_snapshot_write(r->probes, run_path(r, file, path), r->format, NULL, &header));
    if (!code)
        run_tell(r, MYR_RUN_FILE, "probes", path);
    return code;
}

int run_sync_probes(const run *r)
{
    return run_table_sync(r, "probes.csv", r->probes_csv);
}

void run_close_probes(run *r)
{
    if (r->probes_csv)
        fclose(r->probes_csv);
    r->probes_csv = NULL;
    myr_particles_destroy(&r->probes);
}
