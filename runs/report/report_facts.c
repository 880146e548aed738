/* report_facts.c - the parts of the page that are words and tables: where the time went, how wrong the forces are, what
 * was run and with what, how to cite it, how to repeat it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "run/run_repeat.h"

/* --- time --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *fact, *name;
} spent[] = {
    {"spent.forces", "sums over pairs of particles"},
    {"spent.steps", "the rest of the steps"},
    {"spent.diagnostics", "diagnostics"},
    {"spent.snapshots", "snapshots"},
    {"spent.checkpoints", "checkpoints"},
    {"spent.encounters", "encounters and mergers"},
    {"spent.elements", "renewal of vortex elements"},
};

enum { GPUS = 64 }; /* named at most */
enum { SPENT = sizeof spent / sizeof spent[0] };
#define PART_LEAST 5e-4 /* of the whole; what took less counts as other */

/* Steps of particles in a box on a GPU. */
static void write_device_time(markup *out, const report *r)
{
    static const struct {
        const char *fact, *name;
    } phase[] = {{"device_step_seconds", "forces and steps"},
                 {"device_list_seconds", "lists of neighbours"},
                 {"device_rest_seconds", "the rest: launches, waiting, the processor"}};
    enum { PHASES = sizeof phase / sizeof phase[0] };
    char text[REPORT_NUMBER], percent[REPORT_NUMBER];
    double total = 0;
    if (!(report_fact_number(r, "device_step_seconds") > 0))
        return;
    for (int k = 0; k < PHASES; k++)
        total += report_fact_number(r, phase[k].fact);
    markup_write(out, "<table class=\"numbers\"><thead><tr><th>steps on the GPU, in the last session</th><th>time</th>"
                      "<th>part</th></tr></thead><tbody>\n");
    for (int k = 0; k < PHASES; k++) {
        const double part = report_fact_number(r, phase[k].fact);
        markup_write(out, "<tr><td>%s</td><td>%s</td><td>%s %%</td></tr>\n", phase[k].name, report_duration(part, text),
                     report_number(round(1000 * part / total) / 10, 3, percent));
    }
    markup_write(out, "</tbody></table>\n");
}

static void write_time(markup *out, const report *r)
{
    char text[REPORT_NUMBER], percent[REPORT_NUMBER];
    double part[SPENT + 1], total = report_fact_number(r, "seconds"), sum = 0;
    markup_write(out, "<section id=\"time\"><h2>Where the time went</h2>\n");
    for (int k = 0; k < SPENT; k++) {
        part[k] = report_fact_number(r, spent[k].fact);
        part[k] = part[k] >= PART_LEAST * total ? part[k] : 0;
        sum += part[k];
    }
    if (!(total > 0) || !(sum > 0)) {
        markup_write(out, "<p>Not known: a run writes it down when it ends.</p></section>\n");
        return;
    }
    total = fmax(total, sum);
    part[SPENT] = total - sum;
    markup_write(out,
                 "<svg class=\"strip\" viewBox=\"0 0 1000 40\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    double at = 0;
    for (int k = 0; k <= SPENT; k++) {
        markup_write(out, "<rect class=\"part p%d\" x=\"%.2f\" width=\"%.2f\" height=\"40\"/>", k, 1000 * at / total,
                     1000 * part[k] / total);
        at += part[k];
    }
    markup_write(out,
                 "</svg>\n<table class=\"numbers\"><thead><tr><th>spent on</th><th>time</th><th>part</th></tr></thead>"
                 "<tbody>\n");
    for (int k = 0; k <= SPENT; k++)
        if (part[k] > 0)
            markup_write(
                out,
                "<tr><td><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"part p%d\" "
                "width=\"10\" height=\"10\"/></svg>%s</td><td>%s</td><td>%s %%</td></tr>\n",
                k,
                k == 0 && report_is_flow(r) ? "Fourier transforms and products"
                : k < SPENT                 ? spent[k].name
                                            : "other",
                report_duration(part[k], text), report_number(round(1000 * part[k] / total) / 10, 3, percent));
    markup_write(out, "<tr class=\"total\"><td>in all</td><td>%s</td><td></td></tr></tbody></table>\n",
                 report_duration(total, text));
    write_device_time(out, r);
    markup_write(out, "</section>\n");
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *fact, *name;
} rank_parts[] = {
    {"force", "forces"}, {"list", "lists of neighbours"}, {"communication", "communication"}, {"idle", "waiting"}};

enum { RANK_PARTS = sizeof rank_parts / sizeof rank_parts[0] };

/* One row of seconds per 1000 steps; `prefix` is where the facts are. */
static void rank_row(markup *out, const report *r, const char *name, const char *prefix)
{
    char path[96], text[REPORT_NUMBER];
    const double steps = report_fact_number(r, "ranks.steps");
    markup_write(out, "<tr><td>%s</td>", name);
    for (int k = 0; k < RANK_PARTS; k++) {
        snprintf(path, sizeof path, "%s.%s", prefix, rank_parts[k].fact);
        markup_write(out, "<td>%s</td>", report_number(1e3 * report_fact_number(r, path) / steps, 3, text));
    }
    markup_write(out, "</tr>\n");
}

/* Paper 003, Tables IV and V, rank by rank. */
static void write_ranks(markup *out, const report *r)
{
    char text[3][REPORT_NUMBER], path[64], name[96];
    const double count = report_fact_number(r, "ranks.count");
    if (!(count > 1) || !(report_fact_number(r, "ranks.steps") > 0))
        return;
    markup_write(out, "<section id=\"ranks\"><h2>Where the time of the ranks went</h2>\n<p>%s ranks, %s by %s by ",
                 report_integer(count, text[0]), report_integer(report_fact_number(r, "ranks.domains.0"), text[1]),
                 report_integer(report_fact_number(r, "ranks.domains.1"), text[2]));
    markup_write(out, "%s domains. ", report_integer(report_fact_number(r, "ranks.domains.2"), text[0]));
    markup_write(
        out,
        "The longest time that a rank took for the forces of a step, less the shortest, was %s of the mean (at most "
        "%s); the most pairs of a rank were %s of the mean.</p>\n",
        report_number(report_fact_number(r, "ranks.t_diff"), 3, text[0]),
        report_number(report_fact_number(r, "ranks.t_diff_most"), 3, text[1]),
        report_number(report_fact_number(r, "ranks.imbalance"), 4, text[2]));
    markup_write(out, "<table class=\"numbers\"><thead><tr><th>seconds of 1000 steps</th>");
    for (int k = 0; k < RANK_PARTS; k++)
        markup_write(out, "<th>%s</th>", rank_parts[k].name);
    markup_write(out, "</tr></thead><tbody>\n");
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "ranks.each.%d", k);
        snprintf(name, sizeof name, "%s.force", path);
        if (!report_fact(r, name))
            break;
        snprintf(name, sizeof name, "rank %d", k);
        rank_row(out, r, name, path);
    }
    rank_row(out, r, "mean", "ranks");
    markup_write(out, "</tbody></table></section>\n");
}

/* --- the error of the forces -------------------------------------------------------------------------------------- */

/* The error of a far field with images of a box, which the method measures now and then. */
static void write_far_error(markup *out, const report *r)
{
    static const char *const outputs[] = {"acceleration", "potential", "jerk", "field", "velocity", "stretching"};
    char path[64], text[REPORT_NUMBER];
    markup_write(out,
                 "<p>What the kernel gives, as %s particles were last summed directly with the images of the box, "
                 "in double arithmetic: rms of the error over rms of the value.</p>\n<table class=\"numbers\">"
                 "<thead><tr><th>output</th><th>rms</th></tr></thead><tbody>\n",
                 report_integer(report_fact_number(r, "far.samples"), text));
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        snprintf(path, sizeof path, "far.error.%s", outputs[k]);
        if (report_fact(r, path))
            markup_write(out, "<tr><td>%s</td><td>%s</td></tr>\n", outputs[k],
                         report_number(report_fact_number(r, path), 2, text));
    }
    markup_write(out, "</tbody></table></section>\n");
}

static void write_accuracy(markup *out, const report *r)
{
    char path[64], text[REPORT_NUMBER];
    if (report_is_flow(r)) /* it has no sums over pairs */
        return;
    markup_write(out, "<section id=\"accuracy\"><h2>Measured error of the forces</h2>\n");
    if (!report_fact(r, "accuracy.0.output") && report_fact(r, "far.samples")) {
        write_far_error(out, r);
        return;
    }
    if (!report_fact(r, "accuracy.0.output")) {
        markup_write(out, "<p>Not measured: that is done when a run reaches its end.</p></section>\n");
        return;
    }
    /* a far field has a tolerance; what it leaves out is no error of the summing */
    const int is_far = report_fact(r, "far.samples") != NULL;
    markup_write(
        out,
        "<p>What the kernel gives, compared at the end on %s particle%s with the same sum in double arithmetic, "
        "relative to the size of each one's own value; %s.</p>"
        "\n<table class=\"numbers\"><thead><tr><th>output</th><th>rms</th><th>largest</th><th>%s</th>"
        "</tr></thead><tbody>\n",
        report_integer(report_fact_number(r, "accuracy.0.samples"), text),
        myr_plural((int64_t)report_fact_number(r, "accuracy.0.samples")),
        is_far ? "and the errors of all together relative to all values, which the tolerance limits"
               : "of the summing alone, against the exact sum of the same contributions",
        is_far ? "of all together" : "of the summing");
    for (int k = 0;; k++) {
        snprintf(path, sizeof path, "accuracy.%d.output", k);
        const char *output = report_fact(r, path);
        if (!output)
            break;
        markup_write(out, "<tr><td>%s</td>", output);
        const char *const which[] = {"rms", "max", is_far ? "norm" : "sum"};
        for (int w = 0; w < 3; w++) {
            snprintf(path, sizeof path, "accuracy.%d.%s", k, which[w]);
            markup_write(out, "<td>%s</td>", report_number(report_fact_number(r, path), 2, text));
        }
        markup_write(out, "</tr>\n");
    }
    markup_write(out, "</tbody></table></section>\n");
}

/* --- what was run ------------------------------------------------------------------------------------------------- */

static void row_begin(markup *out, const char *name)
{
    markup_write(out, "<tr><th scope=\"row\">%s</th><td>", name);
}

static void row_end(markup *out)
{
    markup_write(out, "</td></tr>\n");
}

/* The text of a choice in one of the library's lists. */
static const char *choice_text(const myr_choice_info *(*item)(int k), const char *name)
{
    for (int k = 0; name && item(k); k++)
        if (strcmp(item(k)->name, name) == 0)
            return item(k)->text;
    return NULL;
}

static const char *accumulator_text(const char *name)
{
    for (int k = 0; name && myr_accumulator(k); k++)
        if (strcmp(myr_accumulator(k)->name, name) == 0)
            return myr_accumulator(k)->text;
    return NULL;
}

/* A name with what it means; nothing where there is no name. */
static void row_choice(markup *out, const char *name, const char *value, const char *text)
{
    if (!value)
        return;
    row_begin(out, name);
    markup_write(out, "<b>%s</b>", value);
    if (text) {
        markup_write(out, ": ");
        markup_text(out, text);
    }
    row_end(out);
}

static void row_text(markup *out, const char *name, const char *text)
{
    if (!text)
        return;
    row_begin(out, name);
    markup_text(out, text);
    row_end(out);
}

/* Whether a text is a number and nothing else: then it has a unit that is not written. */
static int is_bare(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && !*end;
}

/* "eps = 0.01 pc", as written where the user wrote it. */
static void write_parameters(markup *out, const report *r, const input_member *member)
{
    char label[UNITS_MESSAGE], number[REPORT_NUMBER];
    if (member->count > 0)
        markup_write(out, "<br><span class=\"small\">");
    for (int k = 0; k < member->count; k++) {
        const input_parameter *p = &member->parameter[k];
        markup_write(out, "%s", k ? ", " : "");
        markup_text(out, p->name);
        markup_write(out, " = ");
        units_label(&r->in->units, p->dimension, label);
        if (p->text || p->word)
            markup_text(out, p->text ? p->text : p->word);
        else
            markup_write(out, "%s", report_number(p->value / units_bare(&r->in->units, p->dimension), 7, number));
        if (p->word || (p->text && !is_bare(p->text)) || !*label)
            continue;
        markup_write(out, " ");
        report_unit(out, label);
    }
    if (member->count > 0)
        markup_write(out, "</span>");
}

static void row_member(markup *out, const report *r, const char *name, const input_member *member, const char *text)
{
    if (!member->name)
        return;
    row_begin(out, name);
    markup_write(out, "<b>%s</b>", member->name);
    if (text) {
        markup_write(out, ": ");
        markup_text(out, text);
    }
    write_parameters(out, r, member);
    row_end(out);
}

static void row_particles(markup *out, const report *r)
{
    char text[REPORT_NUMBER];
    row_begin(out, "particles");
    markup_write(out, "%s", report_integer(report_fact_number(r, "particles"), text));
    if (r->in->model.name) {
        markup_write(out, ", model <b>%s</b>, seed ", r->in->model.name);
        markup_text(out, input_of(r->in, KEY_particles_seed)->text);
        write_parameters(out, r, &r->in->model);
    } else {
        char source[INPUT_SOURCE];
        markup_write(out, ", from ");
        markup_text(out, input_source(r->in, source));
    }
    row_end(out);
}

static void row_machine(markup *out, const report *r)
{
    char text[REPORT_NUMBER];
    const char *processor = report_fact(r, "machine.processor"), *isa = report_fact(r, "choices.isa");
    const char *backend = report_fact(r, "choices.backend"), *threads = report_fact(r, "choices.threads");
    if (backend) {
        row_begin(out, "backend");
        markup_write(out, "<b>%s</b>", backend);
        if (isa && strcmp(isa, backend) != 0) {
            markup_write(out, ", ");
            markup_text(out, isa);
        }
        if (threads)
            markup_write(out, ", %s thread%s", report_integer(strtod(threads, NULL), text),
                         strcmp(threads, "1") == 0 ? "" : "s");
        row_end(out);
    }
    for (int k = 0; k < GPUS; k++) {
        char path[64];
        snprintf(path, sizeof path, "machine.gpus.%d", k);
        row_text(out, "GPU", report_fact(r, path));
    }
    if (report_fact_number(r, "machine.cores") > 0) {
        row_begin(out, "machine");
        markup_text(out, processor ? processor : "processor unknown");
        markup_write(out, ", %s core%s, ", report_integer(report_fact_number(r, "machine.cores"), text),
                     myr_plural((int64_t)report_fact_number(r, "machine.cores")));
        markup_write(out, "%s GiB", report_number(report_fact_number(r, "machine.memory") / 1073741824.0, 3, text));
        if (report_fact(r, "machine.system")) {
            markup_write(out, ", ");
            markup_text(out, report_fact(r, "machine.system"));
        }
        row_end(out);
    }
}

/* How lists of neighbours fared. */
static void row_lists(markup *out, const report *r)
{
    static const struct {
        const char *before, *fact;
        int is_length;
    } part[] = {{"", "lists_built", 0},
                {" built, one in ", "list_lifetime", 0},
                {" steps; particles reordered ", "particles_reordered", 0},
                {" times; skin ", "skin", 1},
                {", margin ", "list_margin", 1}};
    char text[REPORT_NUMBER], label[UNITS_MESSAGE];
    if (!(report_fact_number(r, "lists_built") > 0))
        return;
    units_label(&r->in->units, UNITS_LENGTH, label);
    row_begin(out, "lists of neighbours");
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        const double value = report_fact_number(r, part[k].fact);
        if (isnan(value)) /* the margin, on a GPU */
            continue;
        markup_write(out, "%s%s", part[k].before,
                     value == floor(value) ? report_integer(value, text) : report_number(value, 3, text));
        if (part[k].is_length && *label) {
            markup_write(out, " ");
            report_unit(out, label);
        }
    }
    if (!isnan(report_fact_number(r, "list_margin")))
        markup_write(out, " at the end");
    row_end(out);
}

static void write_program(markup *out, const report *r)
{
    const char *version = report_fact(r, "version"), *build = report_fact(r, "build");
    if (!version)
        return;
    row_begin(out, "program");
    markup_write(out, "<b>myriad ");
    markup_text(out, version);
    markup_write(out, "</b>%s", build ? ", " : "");
    markup_text(out, build ? build : "");
    row_end(out);
}

static void write_what(markup *out, const report *r)
{
    const myr_kernel_info *kernel = r->in->kernel.name ? myr_kernel_find(r->in->kernel.name) : NULL;
    const myr_integrator_info *integrator = r->in->integrator.name ? myr_integrator_find(r->in->integrator.name) : NULL;
    const char *accumulator = input_of(r->in, KEY_interaction_accumulator)->word;
    const char *arithmetic = input_of(r->in, KEY_interaction_arithmetic)->word;
    const char *method = input_of(r->in, KEY_interaction_method)->word;
    markup_write(out, "<section id=\"what\"><h2>What was run, and with what</h2>\n<table class=\"facts\"><tbody>\n");
    row_particles(out, r);
    row_member(out, r, "kernel", &r->in->kernel, kernel ? kernel->text : NULL);
    row_text(out, "formula", kernel ? kernel->formula : NULL);
    if (r->in->kernel.name) {
        row_choice(out, "accumulator", accumulator, accumulator_text(accumulator));
        row_choice(out, "arithmetic", arithmetic, choice_text(myr_arithmetic, arithmetic));
        row_choice(out, "method", method, choice_text(myr_method, method));
    }
    row_lists(out, r);
    if (report_is_flow(r)) {
        row_choice(out, "method", method, "Galerkin in primitive variables, 3/2 rule");
        row_text(out, "viscosity", input_of(r->in, KEY_interaction_viscosity)->text);
    }
    row_member(out, r, "integrator", &r->in->integrator, integrator ? integrator->text : NULL);
    for (int k = 0; k < r->in->externals; k++)
        row_member(out, r, "external field", &r->in->external[k], NULL);
    row_choice(out, "units", r->in->units.name, r->in->units.text);
    row_machine(out, r);
    write_program(out, r);
    row_text(out, "date", report_fact(r, "written"));
    markup_write(out, "</tbody></table></section>\n");
}

/* --- citing ------------------------------------------------------------------------------------------------------- */

/* CITATION.cff is the one place where title and authors are written. */
static tree *read_citation(void)
{
    int count;
    const report_asset *all = report_assets(&count);
    tree *t = tree_create("CITATION.cff");
    for (int k = 0; t && k < count; k++)
        if (strcmp(all[k].name, "CITATION.cff") == 0 && tree_parse(t, all[k].text, all[k].size) == 0)
            return t;
    tree_destroy(&t);
    return NULL;
}

static void write_citation(markup *out, const report *r)
{
    tree *t = read_citation();
    const tree_node *title = t ? tree_find(t->root, "title") : NULL,
                    *authors = t ? tree_find(t->root, "authors") : NULL;
    const tree_node *author = authors && authors->first ? tree_find(authors->first, "name") : NULL;
    const char *version = report_fact(r, "version") ? report_fact(r, "version") : myr_version();
    markup_write(out, "<section id=\"cite\"><h2>How to cite</h2>\n");
    if (title && title->text && author && author->text) {
        markup_write(out,
                     "<p>%s: <i>%s</i>, version %s. For the run itself give the input below: it says everything that "
                     "the results depend on.</p>\n<pre class=\"copy\">@software{myriad,\n  author  = {{%s}},\n  "
                     "title   = {{%s}},\n  version = {%s}\n}</pre>\n",
                     author->text, title->text, version, author->text, title->text, version);
    }
    markup_write(out, "</section>\n");
    tree_destroy(&t);
}

/* --- repeating ---------------------------------------------------------------------------------------------------- */

/* A word of a command line as a shell reads it back. */
static void write_word(markup *out, const char *word)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
    if (*word && word[strspn(word, plain)] == 0) {
        markup_text(out, word);
        return;
    }
    markup_write(out, "&#39;");
    for (;;) {
        const size_t length = strcspn(word, "'");
        markup_write(out, "%.*s", (int)length, word);
        word += length;
        if (!*word++)
            break;
        markup_text(out, "'\\''");
    }
    markup_write(out, "&#39;");
}

static void write_command(markup *out, const report *r)
{
    const tree_node *command = r->facts ? tree_find(r->facts->root, "command") : NULL;
    if (!command || command->kind != TREE_LIST)
        return;
    markup_write(out, "<p>The run was started with</p>\n<pre class=\"copy\">");
    for (const tree_node *word = command->first; word; word = word->next) {
        write_word(out, word->text ? word->text : "");
        markup_write(out, "%s", word->next ? " " : "");
    }
    markup_write(out, "</pre>\n");
}

/* What 'myriad run report.html' reads. */
static void write_parts(markup *out, const report *r)
{
    const char *file, *hash = report_fact(r, "final_hash"), *version = report_fact(r, "version");
    repeat_parts parts = {.input = r->input_text, .input_size = strlen(r->input_text)};
    size_t size = 0;
    snprintf(parts.hash, sizeof parts.hash, "%s", hash && r->state == REPORT_FINISHED ? hash : "");
    snprintf(parts.version, sizeof parts.version, "%.40s", version ? version : "");
    if (strspn(parts.hash, "0123456789abcdef") != strlen(parts.hash) || strlen(parts.hash) != 16)
        parts.hash[0] = 0;
    if (!*parts.version || strpbrk(parts.version, " \t\r\n"))
        snprintf(parts.version, sizeof parts.version, "unknown");
    parts.kernel = (char *)input_kernel_source(r->in, &file);
    char *text = repeat_pack(&parts, &size);
    if (!text)
        return;
    markup_write(out, "<script type=\"text/plain\" id=\"%s\">", REPEAT_ID);
    markup_base64(out, text, size);
    markup_base64_end(out);
    markup_write(out, "</script>\n");
    free(text);
    if (parts.hash[0])
        markup_write(out,
                     "<p>Or run <code>myriad run report.html</code> with this page: it repeats the run in a new "
                     "directory and tells whether the last particles have the same bits, with the hash "
                     "<code>%s</code>.</p>\n",
                     parts.hash);
}

static void write_repeat(markup *out, const report *r)
{
    const input_value *file = input_of(r->in, KEY_particles_file);
    markup_write(out, "<section id=\"repeat\"><h2>To repeat the run</h2>\n");
    write_command(out, r);
    markup_write(out, "<p>To repeat it, save the input below as input.yaml and run</p>\n<pre class=\"copy\">myriad run "
                      "input.yaml --set output.directory=again</pre>\n");
    write_parts(out, r);
    for (int k = 0; k < (r->in->sets ? r->in->sets : 1); k++) {
        if (r->in->sets)
            file = &r->in->set[k].value[KEY_particles_file - KEY_particles_model];
        if (file->text)
            markup_write(out, "<p>The particles came from <code>%s</code>, which is needed too.</p>\n", file->text);
    }
    markup_write(out, "<p>The input, with every default and automatic choice written out (<a download=\"input.yaml\" "
                      "href=\"data:text/plain;base64,");
    markup_base64(out, r->input_text, strlen(r->input_text));
    markup_base64_end(out);
    markup_write(out, "\">save</a>):</p>\n<pre class=\"copy input\">%s</pre></section>\n", r->input_text);
}

void report_facts_write(markup *out, const report *r)
{
    write_time(out, r);
    write_ranks(out, r);
    write_accuracy(out, r);
    write_what(out, r);
    write_citation(out, r);
    write_repeat(out, r);
}
