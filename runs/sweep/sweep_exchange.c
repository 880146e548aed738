/* sweep_exchange.c - files of replicas that exchange temperatures; see sweep_exchange.h. */
#include "sweep/sweep_exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outfile.h"
#include "sweep/sweep_page.h"

enum { DIGITS = 20 }; /* most characters of a number, with its sign */

static const char exchange_file[] = "exchange.json", state_file[] = "exchange.state";

static const char *own_path(const sweep *s, const char *name, char path[RUN_PATH])
{
    snprintf(path, RUN_PATH, "%s/%s", s->directory, name);
    return path;
}

/* --- exchange.state ----------------------------------------------------------------------------------------------- */

int sweep_exchange_keep(const sweep *s, const myr_ensemble *ensemble, int64_t made)
{
    char path[RUN_PATH];
    outfile file;
    const int64_t count = myr_ensemble_exchange_state(ensemble, NULL, 0);
    int64_t *state = calloc((size_t)count + 1, sizeof *state);
    const int code = state ? outfile_open(&file, own_path(s, state_file, path)) : cli_fail(CLI_FAILED, "no memory");
    if (code) {
        free(state);
        return code;
    }
    (void)myr_ensemble_exchange_state(ensemble, state, count);
    fprintf(file.out, "%" PRId64 "\n", made);
    for (int64_t k = 0; k < count; k++)
        fprintf(file.out, "%" PRId64 "\n", state[k]);
    free(state);
    return outfile_finish(&file);
}

/* Reads one line with a whole number; null if it is anything else. */
static const char *parse_line(const char *at, const char *end, int64_t *number)
{
    char text[DIGITS + 1] = "", *after;
    const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    if (!stop || stop == at || stop - at > DIGITS)
        return NULL;
    memcpy(text, at, (size_t)(stop - at));
    if (!(text[0] == '-' || (text[0] >= '0' && text[0] <= '9')))
        return NULL;
    errno = 0;
    *number = strtoll(text, &after, 10);
    return errno || after != text + (stop - at) ? NULL : stop + 1;
}

int sweep_exchange_parse(const char *bytes, size_t size, int64_t *made, int64_t *state, int64_t count)
{
    const char *end = bytes + size, *at = parse_line(bytes, end, made);
    for (int64_t k = 0; k < count && at; k++)
        at = parse_line(at, end, &state[k]);
    return at == end && *made >= 0;
}

/* The bytes of a file that is not longer than `most`; null otherwise. */
static char *read_bytes(const char *path, size_t most, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *bytes = in ? malloc(most + 1) : NULL;
    *size = bytes ? fread(bytes, 1, most + 1, in) : 0;
    if (in)
        fclose(in);
    if (*size <= most)
        return bytes;
    free(bytes);
    return NULL;
}

int sweep_exchange_take(const sweep *s, myr_context *context, myr_ensemble *ensemble, int64_t made)
{
    char path[RUN_PATH];
    size_t size;
    int64_t then = -1;
    const int64_t count = myr_ensemble_exchange_state(ensemble, NULL, 0);
    int64_t *state = calloc((size_t)count + 1, sizeof *state);
    char *bytes = read_bytes(own_path(s, state_file, path), (size_t)(count + 1) * (DIGITS + 1), &size);
    const int fine = state && bytes && sweep_exchange_parse(bytes, size, &then, state, count) && then == made;
    int code = CLI_OK;
    if (!fine)
        code = cli_fail(CLI_FAILED, "%s is not that of step %" PRId64 "; start again with --force", path, made);
    else if (myr_ensemble_set_exchange_state(ensemble, state, count))
        code = cli_fail(CLI_FAILED, "%s: %s", path, myr_context_message(context));
    free(bytes);
    free(state);
    return code;
}

/* --- exchange.json ------------------------------------------------------------------------------------------------ */

int sweep_exchange_write(const sweep *s, const myr_ensemble *ensemble, const int64_t *which, int64_t moved)
{
    char path[RUN_PATH];
    outfile file;
    const double kelvin = units_bare(&s->in->units, UNITS_TEMPERATURE);
    const int code = outfile_open(&file, own_path(s, exchange_file, path));
    if (code)
        return code;
    json_writer w = {.out = file.out};
    json_open(&w, NULL, '{');
    json_integer(&w, "every", s->in->sweep->exchange);
    json_integer(&w, "seed", input_of(s->in, KEY_integrator_seed)->integer);
    json_open(&w, "temperatures", '[');
    for (int64_t k = 0; k < moved; k++) {
        double temperature = NAN;
        int64_t tried = 0, accepted = 0;
        (void)myr_ensemble_exchanged(ensemble, k, &temperature, &tried, &accepted);
        json_open(&w, NULL, '{');
        json_number(&w, "temperature", temperature / kelvin);
        json_integer(&w, "tried", tried);
        json_integer(&w, "accepted", accepted);
        json_number(&w, "acceptance", tried ? (double)accepted / (double)tried : NAN);
        json_close(&w);
    }
    json_close(&w);
    json_open(&w, "replicas", '[');
    for (int64_t k = 0; k < moved; k++) {
        json_open(&w, NULL, '{');
        json_integer(&w, "replica", which[k] + 1);
        json_integer(&w, "temperature", myr_ensemble_rank(ensemble, k));
        json_integer(&w, "round_trips", myr_ensemble_round_trips(ensemble, k));
        json_close(&w);
    }
    json_close(&w);
    json_finish(&w);
    return outfile_finish(&file);
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

/* A number of a map of the file; NaN where it has none. */
static double member(const tree_node *map, const char *key)
{
    const tree_node *n = tree_find(map, key);
    char *end = NULL;
    const double value = n && n->kind == TREE_SCALAR && !n->quoted ? strtod(n->text, &end) : NAN;
    return end && end != n->text && !*end ? value : NAN;
}

static const tree_node *list_of(const tree *t, const char *key)
{
    const tree_node *n = tree_find(t->root, key);
    return n && n->kind == TREE_LIST ? n->first : NULL;
}

static void show_cell(markup *out, double value, int digits)
{
    char text[REPORT_NUMBER];
    if (isnan(value))
        markup_write(out, "<td></td>");
    else
        markup_write(out, "<td data-v=\"%.17g\">%s</td>", value, report_number(value, digits, text));
}

static void show_pairs(markup *out, const tree_node *first)
{
    markup_write(out, "<table><thead><tr><th>temperature</th><th>next one</th><th>tried</th><th>accepted</th>"
                      "<th>acceptance</th></tr></thead><tbody>\n");
    for (const tree_node *n = first; n && n->next; n = n->next) {
        markup_write(out, "<tr>");
        show_cell(out, member(n, "temperature"), 6);
        show_cell(out, member(n->next, "temperature"), 6);
        show_cell(out, member(n, "tried"), 9);
        show_cell(out, member(n, "accepted"), 9);
        show_cell(out, member(n, "acceptance"), 3);
        markup_write(out, "</tr>\n");
    }
    markup_write(out, "</tbody></table>\n");
}

static void show_replicas(markup *out, const sweep *s, const tree_node *first, const tree_node *temperatures)
{
    markup_write(out, "<table class=\"sort\"><thead><tr><th>replica</th><th>temperature at the end</th>"
                      "<th>round trips</th></tr></thead><tbody>\n");
    for (const tree_node *n = first; n; n = n->next) {
        const double number = member(n, "replica"), rank = member(n, "temperature");
        const tree_node *at = temperatures;
        for (double k = 0; at && k < rank; k++)
            at = at->next;
        if (!(number >= 1 && number <= (double)s->runs))
            continue;
        markup_write(out, "<tr>");
        show_cell(out, number, 9);
        show_cell(out, at && rank >= 0 ? member(at, "temperature") : NAN, 6);
        show_cell(out, member(n, "round_trips"), 9);
        markup_write(out, "</tr>\n");
    }
    markup_write(out, "</tbody></table>\n");
}

void sweep_exchange_show(markup *out, const sweep *s)
{
    char path[RUN_PATH], number[3][REPORT_NUMBER];
    tree *t = s->in->sweep->exchange > 0 ? sweep_load_json(own_path(s, exchange_file, path)) : NULL;
    const tree_node *temperatures = t ? list_of(t, "temperatures") : NULL,
                    *replicas = t ? list_of(t, "replicas") : NULL;
    double tried = 0, accepted = 0, trips = 0;
    for (const tree_node *n = temperatures; n; n = n->next) {
        tried += fmax(member(n, "tried"), 0);
        accepted += fmax(member(n, "accepted"), 0);
    }
    for (const tree_node *n = replicas; n; n = n->next)
        trips += fmax(member(n, "round_trips"), 0);
    if (temperatures && replicas && tried > 0) {
        markup_write(
            out,
            "<section id=\"exchange\"><h2>Replica exchange</h2>\n<p>%s of %s exchanges of neighbouring "
            "temperatures were accepted; all replicas together went from the lowest temperature to the highest "
            "and back %s times.</p>\n<div class=\"wide\">",
            report_integer(accepted, number[0]), report_integer(tried, number[1]), report_integer(trips, number[2]));
        show_pairs(out, temperatures);
        show_replicas(out, s, replicas, temperatures);
        markup_write(out, "</div></section>\n");
    }
    tree_destroy(&t);
}
