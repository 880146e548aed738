/* info_file.c - `myriad info FILE`: what is in a particle file, in a checkpoint, or in the directory of a run. */
#include "info.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "json.h"
#include "progress.h"

enum { INFO_PATH = 1024, INFO_NAME = 256, INFO_TYPES = 32, INFO_COMPONENTS = 16, INFO_FIELDS = 64 };

/* The values of one component. */
typedef struct {
    double least, greatest;
    int64_t not_finite;
} info_range;

typedef struct {
    char name[INFO_NAME];
    myr_snapshot_field_info about;
    info_range range[INFO_COMPONENTS];
} info_field;

/* What is known of the particles, which may come in several lots. */
typedef struct {
    int64_t n;
    int64_t type[INFO_TYPES + 1]; /* how many there are of each; the last is of all beyond */
    int64_t least_id, greatest_id;
    int fields;
    info_field field[INFO_FIELDS];
} info_particles;

/* What a file holds. */
typedef struct {
    const char *path;
    const char *format, *text;
    int64_t bytes;
    info_particles particles;
    myr_snapshot_header header;
    int checkpoint;
    int64_t steps; /* of a checkpoint */
    char integrator[INFO_NAME];
    json_writer *json; /* null = plain text */
} info_facts;

static void info_widen(info_range *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            r->not_finite++;
            continue;
        }
        r->least = x[i] < r->least || isnan(r->least) ? x[i] : r->least;
        r->greatest = x[i] > r->greatest || isnan(r->greatest) ? x[i] : r->greatest;
    }
}

/* A field of the first lot is one of all. */
static void info_count_field(info_particles *to, const myr_particles *p, int k)
{
    info_field *f = &to->field[k];
    if (k >= to->fields) {
        snprintf(f->name, sizeof f->name, "%s", myr_particles_field_name(p, k));
        if (!myr_snapshot_field(p, f->name, &f->about))
            f->about = (myr_snapshot_field_info){.components = 0};
        f->about.name = f->name;
        for (int c = 0; c < INFO_COMPONENTS; c++)
            f->range[c] = (info_range){NAN, NAN, 0};
        to->fields = k + 1;
    }
    for (int c = 0; c < f->about.components && c < INFO_COMPONENTS; c++)
        info_widen(&f->range[c], myr_particles_component_const(p, f->name, c), myr_particles_count(p));
}

static void info_count(info_particles *to, const myr_particles *p)
{
    const int64_t n = myr_particles_count(p), *ids = myr_particles_ids(p);
    if (to->n == 0 && n > 0)
        to->least_id = to->greatest_id = ids[0];
    for (int64_t i = 0; i < n; i++) {
        const int32_t type = myr_particles_types(p)[i];
        to->type[type < INFO_TYPES ? type : INFO_TYPES]++;
        to->least_id = ids[i] < to->least_id ? ids[i] : to->least_id;
        to->greatest_id = ids[i] > to->greatest_id ? ids[i] : to->greatest_id;
    }
    to->n += n;
    for (int k = 0; k < myr_particles_fields(p) && k < INFO_FIELDS; k++)
        info_count_field(to, p, k);
}

/* --- particles ---------------------------------------------------------------------------------------------------- */

static void info_field_json(json_writer *w, const myr_snapshot_field_info *f, const info_range *range)
{
    json_open(w, NULL, '{');
    json_text(w, "name", f->name);
    json_integer(w, "components", f->components);
    json_text(w, "unit", *f->unit ? f->unit : NULL);
    json_text(w, "text", *f->text ? f->text : NULL);
    int64_t not_finite = 0;
    json_open(w, "least", '[');
    for (int c = 0; c < f->components; c++)
        json_number(w, NULL, range[c].least);
    json_close(w);
    json_open(w, "greatest", '[');
    for (int c = 0; c < f->components; c++) {
        json_number(w, NULL, range[c].greatest);
        not_finite += range[c].not_finite;
    }
    json_close(w);
    json_integer(w, "not_finite", not_finite);
    json_close(w);
}

static void info_field_text(const myr_snapshot_field_info *f, const info_range *range)
{
    char name[INFO_NAME];
    info_range all = {NAN, NAN, 0};
    for (int c = 0; c < f->components; c++) {
        all.least = fmin(all.least, range[c].least); /* a NaN gives way to a number */
        all.greatest = fmax(all.greatest, range[c].greatest);
        all.not_finite += range[c].not_finite;
    }
    if (f->components > 1)
        snprintf(name, sizeof name, "%s[%d]", f->name, f->components);
    else
        snprintf(name, sizeof name, "%s", f->name);
    printf("  %-22s %12.6g %12.6g %11" PRId64 "  %-18s %s\n", cli_plain(name), all.least, all.greatest, all.not_finite,
           *f->unit ? f->unit : "?", f->text);
}

static void info_fields(const info_facts *facts)
{
    const info_particles *p = &facts->particles;
    if (facts->json)
        json_open(facts->json, "fields", '[');
    else if (p->fields > 0)
        printf("\n  %-22s %12s %12s %11s  %s\n", "field", "least", "greatest", "not finite", "unit");
    for (int k = 0; k < p->fields; k++) {
        const info_field *f = &p->field[k];
        if (f->about.components == 0)
            continue;
        if (facts->json)
            info_field_json(facts->json, &f->about, f->range);
        else
            info_field_text(&f->about, f->range);
    }
    if (facts->json)
        json_close(facts->json);
}

/* How many particles there are of each type. */
static void info_types(const info_facts *facts)
{
    const int64_t n = facts->particles.n, *count = facts->particles.type;
    const int64_t least = facts->particles.least_id, greatest = facts->particles.greatest_id;
    if (facts->json) {
        json_integer(facts->json, "particles", n);
        json_open(facts->json, "types", '{');
    } else {
        printf("  %-10s %" PRId64, "particles", n);
    }
    for (int t = 0, shown = 0; t <= INFO_TYPES; t++) {
        char label[32];
        snprintf(label, sizeof label, t < INFO_TYPES ? "%d" : "%d and above", t);
        if (count[t] == 0)
            continue;
        if (facts->json)
            json_integer(facts->json, label, count[t]);
        else
            printf("%s type %s: %" PRId64, shown++ ? "," : ";", label, count[t]);
    }
    if (facts->json) {
        json_close(facts->json);
        json_integer(facts->json, "least_id", least);
        json_integer(facts->json, "greatest_id", greatest);
    } else {
        printf("\n");
        if (n > 0)
            printf("  %-10s %" PRId64 " to %" PRId64 "\n", "ids", least, greatest);
    }
}

/* --- the header ----------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *key, *unit;
    size_t offset;
} info_units[] = {{"length", "m", offsetof(myr_snapshot_header, unit_length)},
                  {"mass", "kg", offsetof(myr_snapshot_header, unit_mass)},
                  {"time", "s", offsetof(myr_snapshot_header, unit_time)},
                  {"charge", "C", offsetof(myr_snapshot_header, unit_charge)}};

enum { INFO_UNITS = sizeof info_units / sizeof info_units[0] };

static double info_unit(const myr_snapshot_header *header, int k)
{
    double value;
    memcpy(&value, (const char *)header + info_units[k].offset, sizeof value);
    return value;
}

static void info_header_json(const info_facts *facts)
{
    json_writer *w = facts->json;
    const myr_snapshot_header *h = &facts->header;
    json_text(w, "path", facts->path);
    json_text(w, "kind", facts->checkpoint ? "checkpoint" : "snapshot");
    json_text(w, "format", facts->format);
    json_integer(w, "bytes", facts->bytes);
    json_number(w, "time", h->time);
    if (facts->checkpoint) {
        json_text(w, "integrator", facts->integrator);
        json_integer(w, "steps", facts->steps);
    } else {
        json_integer(w, "frame", h->frame);
        json_integer(w, "frames", h->frames);
    }
    json_open(w, "box", '[');
    for (int c = 0; c < 3; c++)
        json_number(w, NULL, h->box[c]);
    json_close(w);
    json_open(w, "origin", '[');
    for (int c = 0; c < 3; c++)
        json_number(w, NULL, h->origin[c]);
    json_close(w);
    json_open(w, "units", '{');
    for (int k = 0; k < INFO_UNITS; k++)
        json_number(w, info_units[k].key, info_unit(h, k) > 0 ? info_unit(h, k) : NAN);
    json_close(w);
}

static void info_header_text(const info_facts *facts)
{
    const myr_snapshot_header *h = &facts->header;
    int units = 0;
    printf("%s\n  %-10s %s: %s\n  %-10s %" PRId64 " bytes\n", facts->path, "format", facts->format, facts->text, "size",
           facts->bytes);
    printf("  %-10s %.17g\n", "time", h->time);
    if (facts->checkpoint)
        printf("  %-10s %" PRId64 " of %s\n", "steps", facts->steps, facts->integrator);
    if (h->frames > 1)
        printf("  %-10s %" PRId64 " of %" PRId64 ", counted from 0\n", "frame", h->frame, h->frames);
    if (h->box[0] > 0 || h->box[1] > 0 || h->box[2] > 0)
        printf("  %-10s %.17g x %.17g x %.17g (0: not periodic)\n", "box", h->box[0], h->box[1], h->box[2]);
    else
        printf("  %-10s none\n", "box");
    if (h->origin[0] != 0 || h->origin[1] != 0 || h->origin[2] != 0)
        printf("  %-10s %.17g %.17g %.17g\n", "begins at", h->origin[0], h->origin[1], h->origin[2]);
    printf("  %-10s", "units");
    for (int k = 0; k < INFO_UNITS; k++)
        if (info_unit(h, k) > 0)
            printf("%s %s %.10g %s", units++ ? "," : "", info_units[k].key, info_unit(h, k), info_units[k].unit);
    printf("%s\n", units ? "" : " not stated");
}

static void info_print(const info_facts *facts)
{
    if (facts->json && facts->json->depth == 0) /* alone, and not part of a directory */
        json_open(facts->json, NULL, '{');
    if (facts->json)
        info_header_json(facts);
    else
        info_header_text(facts);
    info_types(facts);
    info_fields(facts);
}

/* --- files ---------------------------------------------------------------------------------------------------------
 */

static int info_snapshot(myr_context *context, info_facts *facts, const char *format, int64_t frame)
{
    myr_particles *particles = NULL;
    facts->format = format;
    int code = format ? CLI_OK : cli_check(context, myr_snapshot_format_of(context, facts->path, &facts->format));
    if (!code)
        code = cli_check(
            context, myr_snapshot_read_frame(context, facts->path, facts->format, frame, &particles, &facts->header));
    if (code)
        return code;
    myr_snapshot_format_info info;
    facts->text = myr_snapshot_format_describe(facts->format, &info) ? info.info.text : "";
    info_count(&facts->particles, particles);
    info_print(facts);
    myr_particles_destroy(&particles);
    return CLI_OK;
}

/* One lot of the particles of a checkpoint. */
static myr_status info_look(void *user, const myr_simulation *simulation, const myr_particles *particles)
{
    info_facts *facts = user;
    myr_progress so_far = {0};
    myr_status status = myr_simulation_progress(simulation, &so_far);
    if (!status)
        status = myr_simulation_box(simulation, facts->header.box, facts->header.origin);
    const char *name = myr_simulation_integrator(simulation);
    facts->header.time = so_far.time;
    facts->steps = so_far.steps;
    snprintf(facts->integrator, sizeof facts->integrator, "%s", name ? name : "");
    info_count(&facts->particles, particles);
    return status;
}

static int info_checkpoint(myr_context *context, info_facts *facts)
{
    const int code = cli_check(context, myr_simulation_look(context, facts->path, info_look, facts));
    if (!code) {
        facts->checkpoint = 1;
        facts->format = "checkpoint";
        facts->text = "a simulation that can be continued; all of it is as it was written";
        info_print(facts);
    }
    return code;
}

static int info_is_checkpoint(const char *path)
{
    char start[8] = {0};
    FILE *f = fopen(path, "rb");
    const size_t got = f ? fread(start, 1, sizeof start, f) : 0;
    if (f)
        fclose(f);
    return got == sizeof start && memcmp(start, "MYRIADCK", sizeof start) == 0;
}

static int info_one(myr_context *context, info_facts *facts, const char *format, int64_t frame)
{
    if (!format && info_is_checkpoint(facts->path))
        return info_checkpoint(context, facts);
    return info_snapshot(context, facts, format, frame);
}

/* Files of a series in a directory: how many, and the last of them by name. */
static int info_series(const char *path, const char *begins, char last[INFO_NAME])
{
    int count = 0;
    DIR *directory = opendir(path);
    *last = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        const size_t length = strlen(entry->d_name);
        if (!cli_is_of_series(entry->d_name, begins) || length >= INFO_NAME)
            continue;
        count++;
        if (strcmp(entry->d_name, last) > 0)
            memcpy(last, entry->d_name, length + 1);
    }
    if (directory)
        closedir(directory);
    return count;
}

/* The directory of a run: what there is, and its last snapshot. */
static int info_directory(myr_context *context, const char *path, json_writer *w)
{
    char snapshot[INFO_NAME], checkpoint[INFO_NAME], name[INFO_PATH];
    struct stat there;
    const int snapshots = info_series(path, "snapshot_", snapshot);
    const int checkpoints = info_series(path, "checkpoint_", checkpoint);
    snprintf(name, sizeof name, "%s/run.json", path);
    const int has_facts = stat(name, &there) == 0;
    if (snapshots + checkpoints == 0 && !has_facts)
        return cli_fail(CLI_FAILED, "%s is not the directory of a run: it holds no snapshots and no checkpoints", path);
    if (w) {
        json_open(w, NULL, '{');
        json_text(w, "path", path);
        json_text(w, "kind", "run");
        info_run_state(path, w);
        json_integer(w, "snapshots", snapshots);
        json_integer(w, "checkpoints", checkpoints);
    } else {
        printf("%s\n", path);
        info_run_state(path, NULL);
        printf("  %-10s %d, and %d checkpoint%s\n", "snapshots", snapshots, checkpoints, myr_plural(checkpoints));
    }
    if (snapshots + checkpoints == 0)
        return CLI_OK;
    if (w)
        json_open(w, "last", '{');
    else
        printf("\n");
    if ((size_t)snprintf(name, sizeof name, "%s/%s", path, snapshots ? snapshot : checkpoint) >= sizeof name)
        return cli_fail(CLI_FAILED, "the name of %s is too long", path);
    info_facts facts = {.path = name, .json = w};
    facts.bytes = stat(name, &there) == 0 ? (int64_t)there.st_size : 0;
    return info_one(context, &facts, NULL, MYR_SNAPSHOT_LAST);
}

int info_file(const char *path, const char *format, int64_t frame, int json, int quiet)
{
    myr_context *context = NULL;
    struct stat there;
    progress shown;
    json_writer writer = {.out = stdout}, *w = json ? &writer : NULL;
    if (stat(path, &there) != 0)
        return cli_fail(CLI_FAILED, "cannot read '%s': %s", path, strerror(errno));
    if (myr_context_create(&context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&shown, context, quiet);
    progress_begin(&shown, "reading %s", path);
    info_facts facts = {.path = path, .bytes = (int64_t)there.st_size, .json = w};
    const int code =
        S_ISDIR(there.st_mode) ? info_directory(context, path, w) : info_one(context, &facts, format, frame);
    if (w)
        json_finish(w);
    progress_end(&shown);
    myr_context_destroy(&context);
    return code;
}
