/* run_diagnostics.c - diagnostics.csv: one table of columns, one line per diagnostic. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

enum { COLUMN_INTEGER = 1 };
#define BODIES RUN_OF_BODIES
#define MESH RUN_OF_MESH
#define BOX RUN_OF_BOX
#define MOLECULE RUN_OF_MOLECULE
#define HEATED (RUN_OF_BOX | RUN_OF_MOLECULE)
#define PARTICLES (RUN_OF_BODIES | HEATED)
#define ELEMENTS RUN_OF_ELEMENTS
#define PERIODIC (RUN_OF_MESH | RUN_OF_CUBE)
#define VORTICES (RUN_OF_ELEMENTS | RUN_OF_CUBE)
#define FLOWS (RUN_OF_MESH | RUN_OF_ELEMENTS | RUN_OF_CUBE)
#define MOVING (PARTICLES | VORTICES)

typedef struct {
    const char *name;
    units_dimension dimension;
    size_t offset; /* in run_sample: a double, or an int64_t */
    int integer;
    unsigned kinds; /* of runs that have it; 0 = all */
} column;

#define AT(field) offsetof(run_sample, field)
static const column column_table[] = {
    {"time", UNITS_TIME, AT(now.time), 0, 0},
    {"step", UNITS_NUMBER, AT(progress.steps), COLUMN_INTEGER, 0},
    {"particle_steps", UNITS_NUMBER, AT(progress.particle_steps), COLUMN_INTEGER, MOVING},
    /* not of a box, where it depends on when lists are built */
    {"pairs", UNITS_NUMBER, AT(progress.pairs), COLUMN_INTEGER, BODIES | VORTICES},
    {"kinetic", UNITS_ENERGY, AT(now.kinetic), 0, PARTICLES},
    {"potential", UNITS_ENERGY, AT(now.potential), 0, PARTICLES},
    {"external", UNITS_ENERGY, AT(now.external), 0, PARTICLES},
    {"energy", UNITS_ENERGY, AT(now.energy), 0, PARTICLES},
    {"jacobi", UNITS_ENERGY, AT(now.jacobi), 0, RUN_IN_FIELDS},
    {"energy_error", UNITS_NUMBER, AT(energy_error), 0, PARTICLES},
    {"temperature", UNITS_TEMPERATURE, AT(box.temperature), 0, HEATED},
    {"pressure", UNITS_PRESSURE, AT(box.pressure), 0, BOX},
    {"pressure_xx", UNITS_PRESSURE, AT(box.pressure_tensor[0]), 0, BOX},
    {"pressure_yy", UNITS_PRESSURE, AT(box.pressure_tensor[1]), 0, BOX},
    {"pressure_zz", UNITS_PRESSURE, AT(box.pressure_tensor[2]), 0, BOX},
    {"pressure_yz", UNITS_PRESSURE, AT(box.pressure_tensor[3]), 0, BOX},
    {"pressure_xz", UNITS_PRESSURE, AT(box.pressure_tensor[4]), 0, BOX},
    {"pressure_xy", UNITS_PRESSURE, AT(box.pressure_tensor[5]), 0, BOX},
    {"wall_pressure_x_low", UNITS_PRESSURE, AT(wall_pressure[0][0]), 0, RUN_IN_WALLS},
    {"wall_pressure_x_high", UNITS_PRESSURE, AT(wall_pressure[0][1]), 0, RUN_IN_WALLS},
    {"wall_pressure_y_low", UNITS_PRESSURE, AT(wall_pressure[1][0]), 0, RUN_IN_WALLS},
    {"wall_pressure_y_high", UNITS_PRESSURE, AT(wall_pressure[1][1]), 0, RUN_IN_WALLS},
    {"wall_pressure_z_low", UNITS_PRESSURE, AT(wall_pressure[2][0]), 0, RUN_IN_WALLS},
    {"wall_pressure_z_high", UNITS_PRESSURE, AT(wall_pressure[2][1]), 0, RUN_IN_WALLS},
    {"conserved", UNITS_ENERGY, AT(box.conserved), 0, HEATED},
    {"bath", UNITS_ENERGY, AT(box.bath), 0, HEATED},
    {"tail", UNITS_ENERGY, AT(box.tail), 0, BOX},
    {"set_temperature", UNITS_TEMPERATURE, AT(box.set_temperature), 0, HEATED},
    {"set_pressure", UNITS_PRESSURE, AT(box.set_pressure), 0, BOX},
    {"box_x", UNITS_LENGTH, AT(box.box[0]), 0, BOX},
    {"box_y", UNITS_LENGTH, AT(box.box[1]), 0, BOX},
    {"box_z", UNITS_LENGTH, AT(box.box[2]), 0, BOX},
    {"density", UNITS_NUMBER_DENSITY, AT(box.density), 0, BOX},
    {"volume_trials", UNITS_NUMBER, AT(box.volume_trials), COLUMN_INTEGER, BOX},
    {"volume_moves", UNITS_NUMBER, AT(box.volume_moves), COLUMN_INTEGER, BOX},
#define MYR_TERM_COLUMN(k, name)                                                                                       \
    {                                                                                                                  \
        "energy_" #name, UNITS_ENERGY, AT(term[k]), 0, MOLECULE                                                        \
    }
    MYR_TERM_COLUMN(0, bond),
    MYR_TERM_COLUMN(1, angle),
    MYR_TERM_COLUMN(2, dihedral),
    MYR_TERM_COLUMN(3, lj14),
    MYR_TERM_COLUMN(4, coulomb14),
    MYR_TERM_COLUMN(5, lj),
    MYR_TERM_COLUMN(6, coulomb),
    {"energy_gb", UNITS_ENERGY, AT(term[7]), 0, RUN_IN_SOLVENT},
    {"energy_surface", UNITS_ENERGY, AT(term[8]), 0, RUN_IN_SOLVENT},
#undef MYR_TERM_COLUMN
    {"energy_coulomb", UNITS_ENERGY, AT(box.coulomb), 0, RUN_OF_CHARGES},
    {"gyration", UNITS_LENGTH, AT(shape.gyration), 0, MOLECULE},
    {"hydrogen_bonds", UNITS_NUMBER, AT(shape.hydrogen_bonds), 0, MOLECULE},
    {"helix", UNITS_NUMBER, AT(shape.helix), 0, MOLECULE},
    {"rmsd", UNITS_LENGTH, AT(shape.rmsd), 0, RUN_TO_REFERENCE},
    {"native_contacts", UNITS_NUMBER, AT(shape.native_contacts), 0, RUN_TO_REFERENCE},
    {"phi", UNITS_NUMBER, AT(phi), 0, MOLECULE},
    {"psi", UNITS_NUMBER, AT(psi), 0, MOLECULE},
    {"virial_ratio", UNITS_NUMBER, AT(now.virial_ratio), 0, BODIES},
    {"momentum_x", UNITS_MOMENTUM, AT(now.momentum[0]), 0, PARTICLES},
    {"momentum_y", UNITS_MOMENTUM, AT(now.momentum[1]), 0, PARTICLES},
    {"momentum_z", UNITS_MOMENTUM, AT(now.momentum[2]), 0, PARTICLES},
    {"momentum_error", UNITS_MOMENTUM, AT(momentum_error), 0, PARTICLES},
    {"angular_x", UNITS_ANGULAR_MOMENTUM, AT(now.angular[0]), 0, BODIES},
    {"angular_y", UNITS_ANGULAR_MOMENTUM, AT(now.angular[1]), 0, BODIES},
    {"angular_z", UNITS_ANGULAR_MOMENTUM, AT(now.angular[2]), 0, BODIES},
    {"angular_error", UNITS_ANGULAR_MOMENTUM, AT(angular_error), 0, BODIES},
    {"centre_x", UNITS_LENGTH, AT(now.centre[0]), 0, BODIES},
    {"centre_y", UNITS_LENGTH, AT(now.centre[1]), 0, BODIES},
    {"centre_z", UNITS_LENGTH, AT(now.centre[2]), 0, BODIES},
    {"centre_velocity_x", UNITS_VELOCITY, AT(now.centre_velocity[0]), 0, BODIES},
    {"centre_velocity_y", UNITS_VELOCITY, AT(now.centre_velocity[1]), 0, BODIES},
    {"centre_velocity_z", UNITS_VELOCITY, AT(now.centre_velocity[2]), 0, BODIES},
    {"mass", UNITS_MASS, AT(now.mass), 0, BODIES},
    {"smallest_step", UNITS_TIME, AT(progress.smallest_step), 0, MOVING},
    {"largest_step", UNITS_TIME, AT(progress.largest_step), 0, MOVING},
    {"lagrangian_10", UNITS_LENGTH, AT(structure.lagrangian[0]), 0, BODIES},
    {"lagrangian_50", UNITS_LENGTH, AT(structure.lagrangian[1]), 0, BODIES},
    {"lagrangian_90", UNITS_LENGTH, AT(structure.lagrangian[2]), 0, BODIES},
    {"core_radius", UNITS_LENGTH, AT(structure.core_radius), 0, BODIES},
    {"closest_pair", UNITS_LENGTH, AT(structure.closest_pair), 0, BODIES},
    {"tidal_radius", UNITS_LENGTH, AT(structure.tidal_radius), 0, RUN_IN_FIELDS},
    {"escapers", UNITS_NUMBER, AT(structure.escapers), 0, BODIES},
    {"binaries", UNITS_NUMBER, AT(structure.binaries), 0, BODIES},
    {"hardest_binary", UNITS_ENERGY, AT(structure.hardest), 0, BODIES},
    {"merged", UNITS_NUMBER, AT(merged), COLUMN_INTEGER, BODIES},
    {"merge_energy", UNITS_ENERGY, AT(merge_energy), 0, BODIES},
    {"kinetic_energy", UNITS_SPECIFIC_ENERGY, AT(flow.kinetic), 0, PERIODIC},
    {"dissipation", UNITS_DISSIPATION, AT(flow.dissipation), 0, PERIODIC},
    {"enstrophy", UNITS_RATE_SQUARED, AT(flow.enstrophy), 0, PERIODIC},
    {"helicity", UNITS_ACCELERATION, AT(flow.helicity), 0, PERIODIC},
    {"rms_speed", UNITS_VELOCITY, AT(flow.speed), 0, PERIODIC},
    {"reynolds", UNITS_NUMBER, AT(flow.reynolds), 0, PERIODIC},
    {"integral_scale", UNITS_LENGTH, AT(flow.integral_scale), 0, PERIODIC},
    {"taylor_scale", UNITS_LENGTH, AT(flow.taylor_scale), 0, PERIODIC},
    {"kolmogorov_scale", UNITS_LENGTH, AT(flow.kolmogorov), 0, PERIODIC},
    {"turnover_time", UNITS_TIME, AT(flow.turnover_time), 0, PERIODIC},
    {"resolution", UNITS_NUMBER, AT(flow.resolution), 0, PERIODIC},
    {"skewness", UNITS_NUMBER, AT(flow.skewness), 0, PERIODIC},
    {"divergence", UNITS_RATE, AT(flow.divergence), 0, PERIODIC},
    {"kinetic_energy", UNITS_FLUID_ENERGY, AT(now.kinetic), 0, ELEMENTS},
    {"helicity", UNITS_FLUID_HELICITY, AT(vortices.helicity), 0, ELEMENTS},
    {"vorticity_x", UNITS_STRENGTH, AT(vortices.vorticity[0]), 0, VORTICES},
    {"vorticity_y", UNITS_STRENGTH, AT(vortices.vorticity[1]), 0, VORTICES},
    {"vorticity_z", UNITS_STRENGTH, AT(vortices.vorticity[2]), 0, VORTICES},
    {"vorticity_error", UNITS_STRENGTH, AT(vorticity_error), 0, VORTICES},
    {"impulse_x", UNITS_IMPULSE, AT(now.momentum[0]), 0, ELEMENTS},
    {"impulse_y", UNITS_IMPULSE, AT(now.momentum[1]), 0, ELEMENTS},
    {"impulse_z", UNITS_IMPULSE, AT(now.momentum[2]), 0, ELEMENTS},
    {"impulse_error", UNITS_IMPULSE, AT(momentum_error), 0, ELEMENTS},
    {"angular_impulse_x", UNITS_ANGULAR_IMPULSE, AT(now.angular[0]), 0, ELEMENTS},
    {"angular_impulse_y", UNITS_ANGULAR_IMPULSE, AT(now.angular[1]), 0, ELEMENTS},
    {"angular_impulse_z", UNITS_ANGULAR_IMPULSE, AT(now.angular[2]), 0, ELEMENTS},
    {"angular_impulse_error", UNITS_ANGULAR_IMPULSE, AT(angular_error), 0, ELEMENTS},
    {"centroid_x", UNITS_LENGTH, AT(now.centre[0]), 0, ELEMENTS},
    {"centroid_y", UNITS_LENGTH, AT(now.centre[1]), 0, ELEMENTS},
    {"centroid_z", UNITS_LENGTH, AT(now.centre[2]), 0, ELEMENTS},
    {"elements", UNITS_NUMBER, AT(elements), COLUMN_INTEGER, VORTICES},
    {"tracers", UNITS_NUMBER, AT(tracers), COLUMN_INTEGER, VORTICES},
    {"vorticity_divergence", UNITS_NUMBER, AT(fitness.divergence), 0, VORTICES},
    {"overlap", UNITS_NUMBER, AT(fitness.overlap), 0, VORTICES},
    {"largest_vorticity", UNITS_RATE, AT(fitness.vorticity), 0, VORTICES},
    {"weak_gone", UNITS_NUMBER, AT(pruned), COLUMN_INTEGER, VORTICES},
    {"weak_strength", UNITS_STRENGTH, AT(pruned_strength), 0, VORTICES},
    {"reinitialisations", UNITS_NUMBER, AT(renewed), COLUMN_INTEGER, VORTICES},
    {"solver_iterations", UNITS_NUMBER, AT(iterations), 0, RUN_OF_CUBE},
    {"solver_residual", UNITS_NUMBER, AT(solved.residual), 0, RUN_OF_CUBE},
    {"total_strength", UNITS_STRENGTH, AT(vortices.strength), 0, VORTICES},
/* particles whose step is 2^-k, of the program's own unit of time */
#define BIN(k)                                                                                                         \
    {                                                                                                                  \
        "steps_" #k, UNITS_NUMBER, AT(progress.bin[k]), COLUMN_INTEGER, BODIES                                         \
    }
    // clang-format off
    BIN(0), BIN(1), BIN(2), BIN(3), BIN(4), BIN(5), BIN(6), BIN(7),
    BIN(8), BIN(9), BIN(10), BIN(11), BIN(12), BIN(13), BIN(14), BIN(15),
    BIN(16), BIN(17), BIN(18), BIN(19), BIN(20), BIN(21), BIN(22), BIN(23),
    BIN(24), BIN(25), BIN(26), BIN(27), BIN(28), BIN(29), BIN(30), BIN(31),
    BIN(32), BIN(33), BIN(34), BIN(35), BIN(36), BIN(37), BIN(38), BIN(39),
    BIN(40), BIN(41), BIN(42), BIN(43), BIN(44), BIN(45), BIN(46), BIN(47),
    BIN(48), BIN(49), BIN(50), BIN(51), BIN(52), BIN(53), BIN(54), BIN(55),
    BIN(56), BIN(57), BIN(58), BIN(59), BIN(60), BIN(61), BIN(62), BIN(63),
// clang-format on
#undef BIN
};
#undef AT

enum { COLUMNS = sizeof column_table / sizeof column_table[0] };

static int is_shown(const run *r, int k)
{
    return !column_table[k].kinds || (column_table[k].kinds & run_kind_of(r));
}

/* Column k of those that the run has; null past the end. */
static const column *shown_column(const run *r, int k)
{
    for (int n = 0; n < COLUMNS; n++)
        if (is_shown(r, n) && k-- == 0)
            return &column_table[n];
    return NULL;
}

int run_columns(const run *r)
{
    int count = 0;
    for (int n = 0; n < COLUMNS; n++)
        count += is_shown(r, n);
    return count;
}

const char *run_column(const run *r, int k, units_dimension *dimension)
{
    const column *c = shown_column(r, k);
    *dimension = c->dimension;
    return c->name;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Units in a comment, then names: what readers of CSV expect first. */
static void csv_header(const run *r)
{
    char label[UNITS_MESSAGE];
    fprintf(r->csv, "# units:");
    const column *c;
    for (int k = 0; (c = shown_column(r, k)); k++) {
        units_label(&r->in->units, c->dimension, label);
        fprintf(r->csv, "%s%s", k ? "," : " ", *label ? label : "1");
    }
    fprintf(r->csv, "\n");
    for (int k = 0; (c = shown_column(r, k)); k++)
        fprintf(r->csv, "%s%s", k ? "," : "", c->name);
    fprintf(r->csv, "\n");
}

static int csv_flush(run *r)
{
    return run_table_flush(r, "diagnostics.csv", r->csv, &r->counters.csv_bytes);
}

/* The header that this version writes, as text that the caller frees. */
static int csv_header_text(run *r, char **text, size_t *size)
{
    FILE *const file = r->csv, *const memory = open_memstream(text, size);
    if (!memory)
        return cli_fail(CLI_FAILED, "no memory for diagnostics");
    r->csv = memory;
    csv_header(r);
    r->csv = file;
    return fclose(memory) ? cli_fail(CLI_FAILED, "no memory for diagnostics") : CLI_OK;
}

/* Whether the table begins with the header of this version. A table that cannot be read is an error and not another
 * table. */
static int csv_compare(run *r, int *same)
{
    char *want = NULL;
    size_t size = 0;
    int code = csv_header_text(r, &want, &size);
    char *have = code ? NULL : malloc(size + 1);
    if (!code && !have)
        code = cli_fail(CLI_FAILED, "no memory for diagnostics");
    if (!code) {
        rewind(r->csv);
        *same = fread(have, 1, size, r->csv) == size && memcmp(have, want, size) == 0;
        if (ferror(r->csv) || fseek(r->csv, (long)r->counters.csv_bytes, SEEK_SET))
            code = cli_fail(CLI_FAILED, "%s/diagnostics.csv cannot be read: %s", r->directory, strerror(errno));
    }
    free(have);
    free(want);
    return code;
}

/* A file of an earlier program with other columns or units keeps its lines; a new one begins beside it. */
static int csv_set_aside(run *r)
{
    char path[RUN_PATH], aside[RUN_PATH], text[RUN_PATH + 120];
    run_path(r, "diagnostics_before.csv", aside);
    fclose(r->csv);
    r->csv = NULL;
    if (rename(run_path(r, "diagnostics.csv", path), aside))
        return run_table_failed(r, "diagnostics.csv");
    r->counters.csv_bytes = 0;
    snprintf(text, sizeof text,
             "diagnostics.csv has other columns or units than this version writes; its lines are in %s", aside);
    if (!r->options->quiet)
        cli_note(text);
    return run_table_open(r, "diagnostics.csv", 0, &r->csv);
}

int run_open_diagnostics(run *r)
{
    int same = 1;
    int code = run_table_open(r, "diagnostics.csv", r->counters.csv_bytes, &r->csv);
    if (!code && r->counters.csv_bytes > 0)
        code = csv_compare(r, &same);
    if (!code && !same)
        code = csv_set_aside(r);
    if (code || r->counters.csv_bytes > 0)
        return code;
    csv_header(r);
    return csv_flush(r);
}

static int csv_row(run *r)
{
    const column *c;
    for (int k = 0; (c = shown_column(r, k)); k++) {
        const void *at = (const char *)&r->sample + c->offset;
        if (c->integer)
            fprintf(r->csv, "%s%lld", k ? "," : "", (long long)*(const int64_t *)at);
        else
            fprintf(r->csv, "%s%.17g", k ? "," : "", units_shown(&r->in->units, c->dimension, *(const double *)at));
    }
    fprintf(r->csv, "\n");
    return csv_flush(r);
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* A line through the conserved energy over time: sums of (t, E) from the first row on. */
static void fit_energy(run *r, double energy)
{
    run_counters *c = &r->counters;
    const double t = r->sample.now.time - c->start, e = energy - c->energy;
    const double more[RUN_FIT] = {1, t, e, t * t, t * e};
    for (int k = 0; k < RUN_FIT; k++)
        c->fit[k] += more[k];
    const double spread = c->fit[0] * c->fit[3] - c->fit[1] * c->fit[1];
    c->slope = spread > 0 ? (c->fit[0] * c->fit[4] - c->fit[1] * c->fit[2]) / spread : NAN;
}

static void compare_with_start(run *r)
{
    run_sample *s = &r->sample;
    run_counters *c = &r->counters;
    /* With a thermostat or in a field that turns the energy of the particles is no constant of the motion; what is,
     * the library says, or that there is none. */
    const double energy = input_is_molecular(r->in) ? s->box.conserved : s->now.jacobi;
    if (c->rows == 0) {
        c->energy = isnan(energy) ? s->now.energy : energy; /* Langevin's bath conserves nothing */
        memcpy(c->momentum, s->now.momentum, sizeof c->momentum);
        memcpy(c->angular, s->now.angular, sizeof c->angular);
    }
    s->merged = c->merged;
    s->merge_energy = c->merge_energy;
    const double change = energy - c->energy - c->merge_energy; /* what mergers took is accounted for */
    s->energy_error = c->energy != 0 ? change / fabs(c->energy) : change;
    if (myr_simulation_viscosity(r->simulation) > 0 || (run_kind_of(r) & VORTICES))
        s->energy_error = NAN; /* the energy is to decay, or is a sum that only thin cores conserve */
    s->momentum_error = distance(s->now.momentum, c->momentum);
    s->angular_error = distance(s->now.angular, c->angular);
    if (fabs(s->energy_error) > c->worst)
        c->worst = fabs(s->energy_error);
}

double run_drift(const run *r)
{
    const double dt = myr_simulation_get(r->simulation, "dt"), energy = fabs(r->counters.energy);
    return r->counters.rows > 2 ? r->counters.slope * 1000 * dt / (energy > 0 ? energy : 1) : NAN;
}

/* A copy of ours. */
static int copy_good(run *r)
{
    static const char *const names[] = {"position", "velocity", "mass"};
    const myr_particles *now;
    int code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    const int64_t n = code ? 0 : myr_particles_count(now);
    if (myr_particles_count(r->good) != n) /* bodies have merged */
        myr_particles_destroy(&r->good);
    if (!code && !r->good)
        code = cli_check(r->context, myr_particles_create(r->context, n, &r->good));
    if (!code)
        code = cli_check(r->context, myr_particles_set_ids(r->good, myr_particles_ids(now)));
    for (size_t k = 0; k < sizeof names / sizeof names[0] && !code; k++) {
        const double *from;
        int components = 0;
        while (myr_particles_component_const(now, names[k], components))
            components++;
        if (components == 0) /* vortex elements have no mass */
            continue;
        code = cli_check(r->context, myr_particles_add_field(r->good, names[k], components));
        for (int c = 0; c < components && !code; c++) {
            from = myr_particles_component_const(now, names[k], c);
            memcpy(myr_particles_component(r->good, names[k], c), from, (size_t)n * sizeof *from);
        }
    }
    return code;
}

int run_keep_good(run *r)
{
    const int code = run_kind_of(r) & RUN_OF_BOX ? cli_check(r->context, myr_simulation_keep(r->simulation))
                                                 : copy_good(r); /* every rank keeps its own particles of a box */
    r->has_good = !code;
    r->good_time = myr_simulation_time(r->simulation);
    r->good_step = myr_simulation_steps(r->simulation);
    return code;
}

/* Whether the energy says that the run has gone wrong; sets the reason. */
static void check_energy(run *r)
{
    const input_value *limit = input_of(r->in, KEY_run_energy_limit);
    const run_sample *s = &r->sample;
    char time[UNITS_MESSAGE];
    units_print(&r->in->units, UNITS_TIME, s->now.time, 10, time);
    if ((isfinite(r->counters.energy) || input_is_molecular(r->in)) && !isfinite(s->now.energy))
        snprintf(r->reason, sizeof r->reason, "the energy is not a finite number at time %.60s, step %lld", time,
                 (long long)s->progress.steps);
    else if (!limit->word && fabs(s->energy_error) > limit->number)
        snprintf(r->reason, sizeof r->reason,
                 "the relative error of the energy is %.3g at time %.60s, step %lld; run.energy_limit is %.3g",
                 s->energy_error, time, (long long)s->progress.steps, limit->number);
    if (r->reason[0])
        r->code = RUN_BROKEN;
}

int run_measure(run *r)
{
    const myr_particles *now = NULL; /* asked for first: then it holds the potentials of the energy */
    int code = CLI_OK;
    if (!(run_kind_of(r) & HEATED)) /* what these look like, ranks know together */
        code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    if (!code)
        code = cli_check(r->context, myr_simulation_conserved(r->simulation, &r->sample.now));
    if (!code)
        code = run_kind_of(r) & FLOWS    ? run_measure_flow(r, now)
               : run_kind_of(r) & HEATED ? run_measure_box(r)
                                         : run_measure_structure(r, now);
    if (!code)
        code = cli_check(r->context, myr_simulation_progress(r->simulation, &r->sample.progress));
    r->sample.seconds = run_seconds(r);
    if (!code)
        compare_with_start(r);
    return code;
}

/* Mean force per area on walls since the last line. */
static void compare_walls(run *r)
{
    const myr_thermodynamics *t = &r->sample.box;
    const double time = r->sample.now.time - r->counters.last_row;
    for (int k = 0; k < 6; k++) {
        const double now = t->wall_impulse[k / 2][k % 2];
        r->sample.wall_pressure[k / 2][k % 2] =
            time != 0 ? (now - r->counters.wall[k / 2][k % 2]) / (t->wall_area[k / 2] * fabs(time)) : (double)NAN;
        r->counters.wall[k / 2][k % 2] = now;
    }
}

int run_diagnose(run *r)
{
    int code = run_measure(r);
    if (!code && run_kind_of(r) & RUN_IN_WALLS)
        compare_walls(r);
    if (!code)
        code = csv_row(r);
    if (!code)
        code = run_write_probe_lines(r);
    if (code)
        return code;
    if (input_is_molecular(r->in))
        fit_energy(r, r->sample.box.conserved);
    r->counters.rows++;
    r->counters.last_row = r->sample.now.time;
    check_energy(r);
    if (!r->reason[0])
        code = run_keep_good(r);
    run_tell(r, MYR_RUN_MEASURED, NULL, NULL);
    return code;
}
