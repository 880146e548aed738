/* run_encounters.c - bodies that come close: encounters.csv, and merging on contact. Looked at after every step.
 *
 * An encounter is one line: written when the two are seen apart again, or when the run has finished. Those that last
 * are kept in checkpoints, so that a run that is continued writes the same file. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

static const char attachment[] = "encounters";

struct run_encounter {
    int64_t id[2];
    double begin;                 /* first seen */
    double time, distance, speed; /* where it was closest, of the steps */
    int64_t seen;                 /* in this step */
};

static int file_flush(run *r)
{
    return run_table_flush(r, "encounters.csv", r->encounters_csv, &r->counters.encounter_bytes);
}

static int file_header(run *r)
{
    static const units_dimension dimension[] = {UNITS_TIME,   UNITS_TIME,   UNITS_TIME,    UNITS_NUMBER,
                                                UNITS_NUMBER, UNITS_LENGTH, UNITS_VELOCITY};
    char label[UNITS_MESSAGE];
    fprintf(r->encounters_csv, "# units:");
    for (size_t k = 0; k < sizeof dimension / sizeof *dimension; k++) {
        units_label(&r->in->units, dimension[k], label);
        fprintf(r->encounters_csv, "%s%s", k ? "," : " ", *label ? label : "1");
    }
    fprintf(r->encounters_csv, "\nbegin,end,closest,id_1,id_2,distance,speed\n");
    return file_flush(r);
}

static void write_line(run *r, const run_encounter *e, double end)
{
    const units_system *u = &r->in->units;
    const double t = units_bare(u, UNITS_TIME);
    fprintf(r->encounters_csv, "%.17g,%.17g,%.17g,%" PRId64 ",%" PRId64 ",%.17g,%.17g\n", e->begin / t, end / t,
            e->time / t, e->id[0], e->id[1], e->distance / units_bare(u, UNITS_LENGTH),
            e->speed / units_bare(u, UNITS_VELOCITY));
}

/* Room for one more. */
static int list_grow(run *r)
{
    if (r->encounters < r->encounter_room)
        return CLI_OK;
    const int64_t room = 2 * r->encounter_room + 64;
    run_encounter *more = realloc(r->encounter, (size_t)room * sizeof *more);
    if (!more)
        return cli_fail(CLI_FAILED, "no memory for %lld encounters", (long long)room);
    r->encounter = more;
    r->encounter_room = room;
    return CLI_OK;
}

int run_open_encounters(run *r)
{
    size_t size = 0;
    const char *kept = myr_simulation_attached(r->simulation, attachment, &size);
    if (input_of(r->in, KEY_output_encounter_radius)->word)
        return CLI_OK;
    int code = run_table_open(r, "encounters.csv", r->counters.encounter_bytes, &r->encounters_csv);
    if (code || r->counters.encounter_bytes == 0)
        return code ? code : file_header(r);
    for (size_t at = 0; kept && at + sizeof(run_encounter) <= size; at += sizeof(run_encounter)) {
        code = list_grow(r);
        if (code)
            return code;
        memcpy(&r->encounter[r->encounters++], kept + at, sizeof(run_encounter));
    }
    return CLI_OK;
}

int run_attach_encounters(run *r)
{
    if (!r->encounters_csv)
        return CLI_OK;
    const int code = run_table_sync(r, "encounters.csv", r->encounters_csv);
    if (code)
        return code;
    return cli_check(r->context, myr_simulation_attach(r->simulation, attachment, r->encounter,
                                                       (size_t)r->encounters * sizeof *r->encounter));
}

static int see_pair(run *r, const myr_particles *now, const myr_close_pair *pair)
{
    const int64_t *ids = myr_particles_ids(now), a = ids[pair->first], b = ids[pair->second];
    const double time = myr_simulation_time(r->simulation);
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double *v = myr_particles_component_const(now, "velocity", c);
        const double d = v ? v[pair->first] - v[pair->second] : 0;
        square += d * d;
    }
    const run_encounter seen = {{a < b ? a : b, a < b ? b : a}, time, time, pair->distance, sqrt(square), 1};
    int64_t k = 0;
    while (k < r->encounters && (r->encounter[k].id[0] != seen.id[0] || r->encounter[k].id[1] != seen.id[1]))
        k++;
    if (k == r->encounters) {
        const int code = list_grow(r);
        if (code)
            return code;
        r->encounter[r->encounters++] = seen;
        return CLI_OK;
    }
    run_encounter *e = &r->encounter[k];
    const double begin = e->begin;
    if (seen.distance < e->distance)
        *e = seen;
    e->begin = begin;
    e->seen = 1;
    return CLI_OK;
}

/* Writes those that are over, and forgets them. */
static int end_encounters(run *r)
{
    int64_t left = 0;
    for (int64_t k = 0; k < r->encounters; k++) {
        if (r->encounter[k].seen)
            r->encounter[left++] = r->encounter[k];
        else
            write_line(r, &r->encounter[k], myr_simulation_time(r->simulation));
    }
    const int changed = left != r->encounters;
    r->encounters = left;
    return changed ? file_flush(r) : CLI_OK;
}

static int watch_encounters(run *r)
{
    const myr_particles *now;
    const double radius = input_of(r->in, KEY_output_encounter_radius)->number;
    int64_t count = r->encounters + 16, room = 0; /* a second search only where many are new */
    myr_close_pair *pair = NULL;
    int code = cli_check(r->context, myr_simulation_particles(r->simulation, &now));
    while (!code && count > room) {
        free(pair);
        room = count;
        pair = calloc((size_t)room, sizeof *pair);
        code = pair ? cli_check(r->context, myr_diagnostic_pairs_within(now, radius, room, pair, &count))
                    : cli_fail(CLI_FAILED, "no memory for %lld encounters", (long long)room);
    }
    for (int64_t k = 0; k < r->encounters; k++)
        r->encounter[k].seen = 0;
    for (int64_t k = 0; k < count && !code; k++)
        code = see_pair(r, now, &pair[k]);
    free(pair);
    return code ? code : end_encounters(r);
}

static int merge(run *r)
{
    int64_t merged = 0;
    double energy = 0;
    const double distance = input_of(r->in, KEY_run_merge_distance)->number;
    const int code = cli_check(r->context, myr_simulation_merge(r->simulation, NULL, distance, &merged, &energy));
    r->counters.merged += merged;
    r->counters.merge_energy += energy;
    return code;
}

int run_is_watching(const run *r)
{
    return r->encounters_csv || !input_of(r->in, KEY_run_merge_distance)->word;
}

int run_watch(run *r)
{
    int code = r->encounters_csv ? watch_encounters(r) : CLI_OK;
    if (!code && !input_of(r->in, KEY_run_merge_distance)->word)
        code = merge(r);
    return code;
}

int run_close_encounters(run *r, int finished)
{
    int code = CLI_OK;
    for (int64_t k = 0; finished && r->encounters_csv && k < r->encounters; k++)
        write_line(r, &r->encounter[k], NAN);
    if (r->encounters_csv && (ferror(r->encounters_csv) | fclose(r->encounters_csv)))
        code = run_table_failed(r, "encounters.csv");
    r->encounters_csv = NULL;
    free(r->encounter);
    r->encounter = NULL;
    r->encounters = r->encounter_room = 0;
    return code;
}
