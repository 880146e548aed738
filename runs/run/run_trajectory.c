/* run_trajectory.c - trajectory.hdf5: positions and velocities of chosen bodies as time series.
 *
 * Frames go to trajectory.rows as they come, numbers of a fixed size: a run that is killed loses none that a checkpoint
 * counts, and a run that is continued cuts off the others. trajectory.hdf5 is made from them at every checkpoint and at
 * the end, completely or not at all. The bodies go with the run in its checkpoints. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/run.h"

enum { BODIES_MOST = 10000, LINE = 32 + MYR_PARTICLES_NAME_MAX };

static const char attachment[] = "trajectory";

struct run_trajectory {
    FILE *rows;
    int64_t bodies;
    run_name *body;    /* [bodies]; the name is "" where a body has none */
    int64_t *place;    /* [bodies]: where the body was found last */
    double *frame;     /* [bodies][6]: position and velocity */
    int64_t published; /* frames in trajectory.hdf5, by this process; -1 = none */
};

/* A frame in trajectory.rows: its step, its time, and the numbers of the bodies. */
typedef struct {
    int64_t step;
    double time;
} frame_head;

static size_t frame_bytes(const run_trajectory *t)
{
    return sizeof(frame_head) + (size_t)t->bodies * 6 * sizeof(double);
}

static int rows_failed(const run *r)
{
    return cli_fail(CLI_FAILED, "%s/trajectory.rows cannot be written: %s", r->directory, strerror(errno));
}

/* --- names -------------------------------------------------------------------------------------------------------- */

int run_take_names(myr_particles *particles, run_names *names)
{
    int64_t count = 0;
    const int64_t n = myr_particles_count(particles);
    for (int64_t i = 0; i < n; i++)
        count += myr_particles_name(particles, i) != NULL;
    *names = (run_names){0};
    if (!count)
        return CLI_OK;
    names->body = calloc((size_t)count, sizeof *names->body);
    for (int64_t i = 0; i < n && names->body; i++)
        if (myr_particles_name(particles, i)) {
            run_name *to = &names->body[names->count++];
            to->id = myr_particles_ids(particles)[i];
            snprintf(to->name, sizeof to->name, "%s", myr_particles_name(particles, i));
            myr_particles_set_name(particles, i, NULL);
        }
    return names->body ? CLI_OK : cli_fail(CLI_FAILED, "no memory for %" PRId64 " names", count);
}

void run_free_names(run_names *names)
{
    free(names->body);
    *names = (run_names){0};
}

int run_keep_names(run *r)
{
    const run_names *n = &r->names;
    if (n->count < 1 || n->count > RUN_NAMES_KEPT)
        return CLI_OK;
    return cli_check(r->context,
                     myr_simulation_attach(r->simulation, "names", n->body, (size_t)n->count * sizeof *n->body));
}

int run_restore_names(run *r)
{
    size_t size;
    const void *bytes = myr_simulation_attached(r->simulation, "names", &size);
    if (!bytes || size == 0 || size % sizeof *r->names.body || size / sizeof *r->names.body > RUN_NAMES_KEPT)
        return CLI_OK;
    r->names.body = malloc(size);
    if (!r->names.body)
        return cli_fail(CLI_FAILED, "no memory for names");
    memcpy(r->names.body, bytes, size);
    r->names.count = (int64_t)(size / sizeof *r->names.body);
    for (int64_t k = 0; k < r->names.count; k++)
        r->names.body[k].name[MYR_PARTICLES_NAME_MAX] = 0;
    return CLI_OK;
}

static const char *name_of(const run_names *names, int64_t id)
{
    for (int64_t k = 0; k < names->count; k++)
        if (names->body[k].id == id)
            return names->body[k].name;
    return "";
}

/* --- which bodies ------------------------------------------------------------------------------------------------- */

static int make_room(run_trajectory *t, int64_t bodies)
{
    const size_t n = (size_t)bodies + 1;
    t->body = calloc(n, sizeof *t->body);
    t->place = calloc(n, sizeof *t->place);
    t->frame = calloc(n, 6 * sizeof *t->frame);
    return t->body && t->place && t->frame ? CLI_OK : cli_fail(CLI_FAILED, "no memory for %" PRId64 " bodies", bodies);
}

static void add_body(run_trajectory *t, int64_t id, const char *name)
{
    run_name *to = &t->body[t->bodies++];
    to->id = id;
    snprintf(to->name, sizeof to->name, "%s", name);
}

/* Finds the id of the body with that name or id; 0 = there is none. */
static int find_body(const run_names *names, const myr_particles *p, const char *word, int64_t *id)
{
    char *end;
    for (int64_t k = 0; k < names->count; k++)
        if (strcmp(names->body[k].name, word) == 0) {
            *id = names->body[k].id;
            return 1;
        }
    *id = strtoll(word, &end, 10);
    for (int64_t i = 0; end > word && !*end && i < myr_particles_count(p); i++)
        if (myr_particles_ids(p)[i] == *id)
            return 1;
    return 0;
}

static int refuse_body(const input *in, const run_names *names, const char *word)
{
    char list[200] = "";
    size_t used = 0;
    for (int64_t k = 0; k < names->count && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", names->body[k].name);
    tree_fail_value(in->tree, input_of(in, KEY_output_bodies)->node,
                    "output.bodies has '%.60s', which is neither the name nor the id of a body; the names are: %s",
                    word, used ? list : "none");
    tree_report(in->tree);
    return CLI_USAGE;
}

int run_check_bodies(const input *in, const myr_particles *particles, const run_names *names)
{
    const input_value *bodies = input_of(in, KEY_output_bodies);
    const char *const *word = input_entries(in, bodies);
    const int64_t n = myr_particles_count(particles);
    int64_t id;
    for (; word && *word; word++)
        if (!find_body(names, particles, *word, &id))
            return refuse_body(in, names, *word);
    const input_value *trajectory = input_of(in, KEY_output_trajectory);
    myr_snapshot_format_info hdf5 = {0};
    const int can_write = myr_snapshot_format_describe("h5md", &hdf5) && hdf5.info.available;
    if (trajectory->word || (can_write && (!bodies->word || n <= BODIES_MOST)))
        return CLI_OK;
    if (!can_write)
        tree_fail_value(in->tree, trajectory->node,
                        "output.trajectory needs HDF5, which this build does not have; expected none");
    else
        tree_fail_value(in->tree, trajectory->node,
                        "a trajectory of %" PRId64
                        " bodies is too large; choose up to %d of them with output.bodies, or use "
                        "output.snapshots",
                        n, BODIES_MOST);
    tree_report(in->tree);
    return CLI_USAGE;
}

/* The bodies that the input names, which run_check_bodies has seen before; or all. */
static int choose_bodies(const run *r, run_trajectory *t)
{
    const myr_particles *p = NULL;
    const char *const *word = input_entries(r->in, input_of(r->in, KEY_output_bodies));
    int64_t count = 0, id;
    int code = cli_check(r->context, myr_simulation_particles(r->simulation, &p));
    if (code)
        return code;
    while (word && word[count])
        count++;
    const int64_t n = word ? count : myr_particles_count(p);
    code = make_room(t, n);
    for (int64_t k = 0; k < n && !code; k++) {
        if (!word)
            id = myr_particles_ids(p)[k];
        else if (!find_body(&r->names, p, word[k], &id))
            return refuse_body(r->in, &r->names, word[k]);
        add_body(t, id, name_of(&r->names, id));
    }
    return code;
}

/* Bodies as text, one "id name" per line. */
int run_attach_trajectory(run *r)
{
    const run_trajectory *t = r->trajectory;
    char *text = NULL;
    size_t size = 0;
    if (!t)
        return CLI_OK;
    FILE *memory = open_memstream(&text, &size);
    for (int64_t k = 0; memory && k < t->bodies; k++)
        fprintf(memory, "%" PRId64 " %s\n", t->body[k].id, t->body[k].name);
    int code = !memory || fclose(memory) ? cli_fail(CLI_FAILED, "no memory for a checkpoint") : CLI_OK;
    if (!code)
        code = cli_check(r->context, myr_simulation_attach(r->simulation, attachment, text, size));
    free(text);
    return code;
}

/* The bodies that a checkpoint kept. */
static int take_bodies(const run *r, run_trajectory *t)
{
    size_t size = 0;
    const char *text = myr_simulation_attached(r->simulation, attachment, &size);
    int64_t lines = 0;
    for (size_t k = 0; text && k < size; k++)
        lines += text[k] == '\n';
    int code = make_room(t, lines);
    for (const char *at = text, *end = text + size; lines && at < end && !code;) {
        char line[LINE], *name = NULL;
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t length = newline ? (size_t)(newline - at) : 0;
        if (length && length < sizeof line) {
            memcpy(line, at, length);
            line[length] = 0;
            const int64_t id = strtoll(line, &name, 10);
            if (name > line && *name == ' ')
                add_body(t, id, name + 1);
        }
        at = newline ? newline + 1 : end;
    }
    if (!code && (lines == 0 || t->bodies != lines))
        code = cli_fail(CLI_FAILED, "the checkpoint in %s does not hold the bodies of the trajectory", r->directory);
    return code;
}

/* --- frames ------------------------------------------------------------------------------------------------------- */

/* Where the body is among the particles now; -1 = it is gone, having merged with another. */
static int64_t find_place(run_trajectory *t, int64_t k, const myr_particles *p)
{
    const int64_t *ids = myr_particles_ids(p), n = myr_particles_count(p);
    if (t->place[k] < n && ids[t->place[k]] == t->body[k].id)
        return t->place[k];
    for (int64_t i = 0; i < n; i++)
        if (ids[i] == t->body[k].id)
            return t->place[k] = i;
    return -1;
}

int run_write_frame(run *r)
{
    run_trajectory *t = r->trajectory;
    const myr_particles *p = NULL;
    if (!t)
        return CLI_OK;
    const frame_head head = {myr_simulation_steps(r->simulation), myr_simulation_time(r->simulation)};
    const int code = cli_check(r->context, myr_simulation_particles(r->simulation, &p));
    for (int64_t k = 0; k < t->bodies && !code; k++) {
        const int64_t i = find_place(t, k, p);
        for (int c = 0; c < 6; c++) {
            const double *x = myr_particles_component_const(p, c < 3 ? "position" : "velocity", c % 3);
            t->frame[6 * k + c] = i < 0 || !x ? NAN : x[i];
        }
    }
    if (code)
        return code;
    if (fwrite(&head, sizeof head, 1, t->rows) != 1 ||
        fwrite(t->frame, 6 * sizeof *t->frame, (size_t)t->bodies, t->rows) != (size_t)t->bodies || fflush(t->rows))
        return rows_failed(r);
    r->counters.frames++;
    r->counters.last_frame = head.time;
    return CLI_OK;
}

/* Opens the file of frames, cut back to those that the checkpoint counts. */
static int open_rows(const run *r, run_trajectory *t)
{
    char path[RUN_PATH];
    struct stat about;
    const int64_t bytes = r->counters.frames * (int64_t)frame_bytes(t);
    run_path(r, "trajectory.rows", path);
    if (bytes == 0) {
        t->rows = fopen(path, "w+");
        return t->rows ? CLI_OK : rows_failed(r);
    }
    t->rows = fopen(path, "r+");
    if (!t->rows || fstat(fileno(t->rows), &about) || about.st_size < bytes)
        return cli_fail(CLI_FAILED,
                        "%s is not there or has less than the %" PRId64 " frames of the checkpoint; go on without a "
                        "trajectory by --set output.trajectory=none",
                        path, r->counters.frames);
    return ftruncate(fileno(t->rows), bytes) || fseek(t->rows, (long)bytes, SEEK_SET) ? rows_failed(r) : CLI_OK;
}

int run_reopen_trajectory(run *r)
{
    run_trajectory *t = r->trajectory;
    if (!t || !t->rows)
        return CLI_OK;
    (void)fclose(t->rows); /* fails again where a frame did */
    t->rows = NULL;
    return open_rows(r, t);
}

int run_sync_trajectory(const run *r)
{
    const run_trajectory *t = r->trajectory;
    return t && (fflush(t->rows) || fsync(fileno(t->rows))) ? rows_failed(r) : CLI_OK;
}

int run_open_trajectory(run *r)
{
    if (input_of(r->in, KEY_output_trajectory)->word)
        return CLI_OK; /* frames of an earlier session stay as they are */
    run_trajectory *t = r->trajectory = calloc(1, sizeof *t);
    if (!t)
        return cli_fail(CLI_FAILED, "no memory for a trajectory");
    t->published = -1;
    const int is_new = r->counters.frames == 0;
    int code = is_new ? choose_bodies(r, t) : take_bodies(r, t);
    if (!code)
        code = open_rows(r, t);
    /* one that begins where a run is continued has its first frame there */
    return code || !is_new || !r->options->restart ? code : run_write_frame(r);
}

void run_close_trajectory(run *r)
{
    run_trajectory *t = r->trajectory;
    if (!t)
        return;
    if (t->rows)
        fclose(t->rows);
    free(t->body);
    free(t->place);
    free(t->frame);
    free(t);
    r->trajectory = NULL;
}

/* --- the file for people ------------------------------------------------------------------------------------------ */

/* All frames, as myr_trajectory_write takes them. */
typedef struct {
    int64_t *ids, *steps;
    const char **names;
    double *times, *masses, *positions, *velocities;
} series;

static void free_series(series *s)
{
    free(s->ids);
    free(s->steps);
    free(s->names);
    free(s->times);
    free(s->masses);
    free(s->positions);
    free(s->velocities);
}

static int make_series(const run *r, const run_trajectory *t, series *s)
{
    const size_t frames = (size_t)r->counters.frames, bodies = (size_t)t->bodies;
    *s = (series){.ids = calloc(bodies, sizeof *s->ids),
                  .steps = calloc(frames, sizeof *s->steps),
                  .names = calloc(bodies, sizeof *s->names),
                  .times = calloc(frames, sizeof *s->times),
                  .masses = calloc(bodies, sizeof *s->masses),
                  .positions = calloc(frames * bodies, 3 * sizeof *s->positions),
                  .velocities = calloc(frames * bodies, 3 * sizeof *s->velocities)};
    for (size_t k = 0; s->ids && s->names && k < bodies; k++) {
        s->ids[k] = t->body[k].id;
        s->names[k] = t->body[k].name;
    }
    return s->ids && s->steps && s->names && s->times && s->masses && s->positions && s->velocities
               ? CLI_OK
               : cli_fail(CLI_FAILED, "no memory for the %zu frames of a trajectory", frames);
}

/* Reads all frames back; the file stays at its end. */
static int read_series(const run *r, run_trajectory *t, const series *s)
{
    int failed = fseek(t->rows, 0, SEEK_SET) != 0;
    for (int64_t f = 0; f < r->counters.frames && !failed; f++) {
        frame_head head;
        failed = fread(&head, sizeof head, 1, t->rows) != 1 ||
                 fread(t->frame, 6 * sizeof *t->frame, (size_t)t->bodies, t->rows) != (size_t)t->bodies;
        s->steps[f] = head.step;
        s->times[f] = head.time;
        for (int64_t k = 0; k < t->bodies; k++) {
            memcpy(&s->positions[3 * (f * t->bodies + k)], &t->frame[6 * k], 3 * sizeof(double));
            memcpy(&s->velocities[3 * (f * t->bodies + k)], &t->frame[6 * k + 3], 3 * sizeof(double));
        }
    }
    failed |= fseek(t->rows, (long)(r->counters.frames * (int64_t)frame_bytes(t)), SEEK_SET) != 0;
    return failed ? cli_fail(CLI_FAILED, "%s/trajectory.rows cannot be read", r->directory) : CLI_OK;
}

/* The masses now: 0 of a body that has merged with another. */
static int measure_masses(const run *r, run_trajectory *t, const series *s)
{
    const myr_particles *p = NULL;
    const int code = cli_check(r->context, myr_simulation_particles(r->simulation, &p));
    const double *mass = code ? NULL : myr_particles_component_const(p, "mass", 0);
    for (int64_t k = 0; k < t->bodies && mass; k++) {
        const int64_t i = find_place(t, k, p);
        s->masses[k] = i < 0 ? 0 : mass[i];
    }
    return code;
}

static int write_series(run *r, const run_trajectory *t, const series *s, const char *state)
{
    static const units_dimension dimension[4] = {UNITS_TIME, UNITS_LENGTH, UNITS_VELOCITY, UNITS_MASS};
    char path[RUN_PATH], label[4][UNITS_MESSAGE];
    myr_trajectory all = {.frames = r->counters.frames,
                          .bodies = t->bodies,
                          .ids = s->ids,
                          .names = s->names,
                          .steps = s->steps,
                          .times = s->times,
                          .masses = s->masses,
                          .positions = s->positions,
                          .velocities = s->velocities,
                          .state = state,
                          .units_in_si = {.unit_length = r->in->units.si[0],
                                          .unit_mass = r->in->units.si[1],
                                          .unit_time = r->in->units.si[2],
                                          .unit_charge = r->in->units.si[3]}};
    for (int k = 0; k < 4; k++)
        all.units[k] = units_label(&r->in->units, dimension[k], label[k]);
    const int code =
        cli_check(r->context, myr_trajectory_write(r->context, run_path(r, "trajectory.hdf5", path), &all));
    if (!code)
        run_tell(r, MYR_RUN_FILE, "trajectory", path);
    return code;
}

int run_publish_trajectory(run *r, const char *state)
{
    run_trajectory *t = r->trajectory;
    series s;
    if (!t || r->counters.frames == 0 || (t->published == r->counters.frames && strcmp(state, "running") == 0))
        return CLI_OK;
    int code = make_series(r, t, &s);
    if (!code)
        code = read_series(r, t, &s);
    if (!code)
        code = measure_masses(r, t, &s);
    if (!code)
        code = write_series(r, t, &s, state);
    free_series(&s);
    if (!code)
        t->published = r->counters.frames;
    return code;
}
