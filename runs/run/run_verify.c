/* run_verify.c - repeats a stretch of a run; see run_verify.h. */
#include "run/run_verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank_roles.h"

#define BYTES_MOST (1L << 30) /* of a file of hashes */
enum { LINE = 160 };

typedef struct {
    int64_t step;
    char hash[REPEAT_HASH];
} hash_line;

struct run_stretch {
    hash_line *line;
    int64_t count, room, at; /* `at`: the next line that is compared */
};

int64_t run_stretch_next(const run_stretch *s)
{
    return s->at < s->count ? s->line[s->at].step : INT64_MAX;
}

/* --- hashes.csv --------------------------------------------------------------------------------------------------- */

/* Takes a line apart; 0 where it is none. */
static int parse_line(const char *text, hash_line *line)
{
    double time;
    int end = 0;
    const int found = sscanf(text, "%18" SCNd64 ",%lf,%16[0-9a-f]%n", &line->step, &time, line->hash, &end);
    return found == 3 && end > 0 && text[end] == '\n' && strlen(line->hash) == 16 && line->step >= 0 && isfinite(time);
}

static int add_line(run_stretch *s, const hash_line *line)
{
    if (s->count == s->room) {
        const int64_t room = 2 * s->room + 64;
        hash_line *more = realloc(s->line, (size_t)room * sizeof *more);
        if (!more)
            return cli_fail(CLI_FAILED, "no memory for %lld hashes", (long long)room);
        s->line = more;
        s->room = room;
    }
    s->line[s->count++] = *line;
    return CLI_OK;
}

/* Reads the lines after the two of the header. A last one without its end was being written. */
static int read_lines(run_stretch *s, const char *path, FILE *file)
{
    char text[LINE];
    hash_line line = {.step = -1};
    int code = CLI_OK;
    for (int64_t number = 1; !code && fgets(text, sizeof text, file); number++) {
        const int64_t before = s->count ? s->line[s->count - 1].step : -1;
        if (number <= 2 || (!strchr(text, '\n') && feof(file)))
            continue;
        if (parse_line(text, &line) && line.step > before)
            code = add_line(s, &line);
        else
            code = cli_fail(CLI_FAILED,
                            "%s: line %lld is damaged; expected the number of a step after %lld, a time and 16 digits "
                            "from 0 to f",
                            path, (long long)number, (long long)before);
    }
    if (!code && s->count == 0)
        code = cli_fail(CLI_FAILED, "%s holds no hash yet", path);
    return code;
}

static int read_hashes(const run *r, run_stretch *s)
{
    char path[RUN_PATH];
    struct stat is;
    const int d = open(run_path(r, RUN_HASHES, path), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (d < 0 && errno == ENOENT)
        return cli_fail(CLI_FAILED,
                        "%s has no " RUN_HASHES ", so that there is nothing to compare with; runs with output.hash = N "
                        "write one",
                        r->directory);
    if (d < 0)
        return cli_fail(CLI_FAILED, "%s cannot be read: %s", path, strerror(errno));
    FILE *file = fstat(d, &is) || !S_ISREG(is.st_mode) || is.st_size > BYTES_MOST ? NULL : fdopen(d, "r");
    if (!file) {
        close(d);
        return cli_fail(CLI_FAILED, "%s is not a file of hashes", path);
    }
    const int code = read_lines(s, path, file);
    fclose(file);
    return code;
}

/* --- the stretch -------------------------------------------------------------------------------------------------- */

/* Says why the bits of this repetition need not be those of the run; "" = they must. */
static void note_promise(const run *r, char note[VERIFY_NOTE])
{
    const myr_interaction *f = myr_simulation_interaction(r->simulation);
    const char *sum = f ? myr_interaction_choice(f, "accumulator") : NULL;
    const char *arithmetic = f ? myr_interaction_choice(f, "arithmetic") : NULL;
    int elsewhere = 0;
    note[0] = 0;
    for (int k = 0; k < r->options->set.count; k++)
        elsewhere |= strncmp(r->options->set.item[k], "backend.", strlen("backend.")) == 0;
    for (int k = 0; sum && myr_accumulator(k); k++)
        if (strcmp(myr_accumulator(k)->name, sum) == 0 && !myr_accumulator(k)->order_independent)
            snprintf(note, VERIFY_NOTE,
                     "sums of accumulator %s depend on their order, which threads, ranks, backends and checkpoints may "
                     "change: equal bits are promised by accumulator fixed",
                     sum);
    if (!note[0] && elsewhere && arithmetic && strcmp(arithmetic, "portable") != 0)
        snprintf(note, VERIFY_NOTE,
                 "arithmetic %s promises equal bits on one backend and one instruction set: on others arithmetic "
                 "portable does",
                 arithmetic);
}

/* Ends where the run did. One that was made longer after the checkpoint has its end in the input beside the results;
 * where that cannot be read, the run has no end, and a last step that was shortened for it differs. */
static void find_end(run *r)
{
    static const args_list none;
    char path[RUN_PATH];
    input *later = NULL;
    if (!run_is_finished(r))
        return;
    cli_mute(1);
    const int code = input_load(run_path(r, "input.yaml", path), &none, &later);
    cli_mute(0);
    run_take_end(r, code ? NULL : later);
    input_destroy(&later);
    if (run_is_finished(r))
        run_take_end(r, NULL);
}

/* Leaves out the hashes before the checkpoint. */
static int find_begin(run *r)
{
    run_stretch *s = r->stretch;
    const int64_t last = s->line[s->count - 1].step;
    while (s->at < s->count && s->line[s->at].step < r->made)
        s->at++;
    find_end(r);
    return last > r->made
               ? CLI_OK
               : cli_fail(CLI_FAILED,
                          "nothing can be repeated: the oldest checkpoint of %s that can be used is of step %lld, and "
                          "its last hash of step %lld",
                          r->directory, (long long)r->made, (long long)last);
}

/* Compares the particles with the next hash. */
static int compare(run *r, run_verified *v)
{
    const hash_line *line = &r->stretch->line[r->stretch->at++];
    const int code = run_hash(r);
    const int same = !code && strcmp(r->hash, line->hash) == 0;
    if (code)
        return code;
    v->compared++;
    v->to = line->step;
    if (v->differs >= 0) {
        v->again = same;
    } else if (same) {
        v->agreed = line->step;
    } else {
        v->differs = line->step;
        snprintf(v->here, sizeof v->here, "%s", r->hash);
        snprintf(v->there, sizeof v->there, "%s", line->hash);
    }
    return CLI_OK;
}

/* Steps to the next hash; it is not reached where r->reason says why. */
static int go_on(run *r, const run_verified *v, int64_t to)
{
    int code = CLI_OK;
    while (!code && !r->reason[0] && r->made < run_stretch_next(r->stretch) && !run_is_finished(r)) {
        code = run_move(r);
        run_skip_due(r);
        if (!code && !r->reason[0])
            run_check_requests(r);
        progress_show(&r->progress, (double)(r->made - v->from) / (double)(to - v->from));
    }
    if (!code && !r->reason[0] && r->made < run_stretch_next(r->stretch))
        snprintf(r->reason, sizeof r->reason, "the run ends after step %lld here, and has a hash of step %lld",
                 (long long)r->made, (long long)run_stretch_next(r->stretch));
    return code;
}

/* Compares up to the first difference, and one hash more: where that agrees, the line before it is damaged. */
static int compare_all(run *r, int64_t steps, run_verified *v)
{
    const run_stretch *s = r->stretch;
    const int64_t until = steps < INT64_MAX - v->from ? v->from + steps : INT64_MAX;
    int64_t last = s->count - 1;
    while (last > s->at && s->line[last].step > until)
        last--;
    progress_begin(&r->progress, "steps %lld to %lld", (long long)v->from, (long long)s->line[last].step);
    int code = CLI_OK, after = 0;
    while (!code && !r->reason[0] && s->at <= last && after < 2) {
        code = go_on(r, v, s->line[last].step);
        if (!code && !r->reason[0])
            code = compare(r, v);
        after += v->differs >= 0;
    }
    progress_end(&r->progress);
    if (code || !r->reason[0])
        return code;
    return cli_fail(r->code ? r->code : RUN_DIFFERS, "%s; %lld hash%s agreed until then", r->reason,
                    (long long)v->compared, v->compared == 1 ? "" : "es");
}

static int say_difference(const run *r, const run_verified *v)
{
    char where[128], again[96] = "";
    if (v->agreed >= 0)
        snprintf(where, sizeof where, ": those of step %lld agree, those of step %lld do not", (long long)v->agreed,
                 (long long)v->differs);
    else
        snprintf(where, sizeof where, " from the first hash on, that of step %lld", (long long)v->differs);
    if (v->again)
        snprintf(again, sizeof again, "; that of step %lld agrees again: the line between is damaged",
                 (long long)v->to);
    return cli_fail(RUN_DIFFERS, "the bits differ%s (%s here, %s in %s/" RUN_HASHES ")%s%s%s", where, v->here, v->there,
                    r->directory, again, v->note[0] ? "; " : "", v->note);
}

static int repeat(run *r, int64_t steps, run_verified *v)
{
    int code = run_start_motion(r);
    if (!code)
        code = find_begin(r);
    if (code)
        return code;
    v->from = r->made;
    note_promise(r, v->note);
    if (v->note[0] && !r->options->quiet)
        cli_note(v->note);
    run_skip_due(r);
    code = compare_all(r, steps, v);
    return code || v->differs < 0 ? code : say_difference(r, v);
}

int run_verify(run *r, int64_t steps, run_verified *verified)
{
    run_stretch stretch = {0};
    *verified = (run_verified){.agreed = -1, .differs = -1};
    r->stretch = &stretch;
    int code = run_set_up(r);
    if (!code)
        code = ranks_follows(r->context) ? cli_check(r->context, myr_simulation_follow(r->simulation))
                                         : repeat(r, steps, verified);
    free(stretch.line);
    r->stretch = NULL;
    return code;
}

int run_stretch_read(run *r)
{
    return read_hashes(r, r->stretch);
}
