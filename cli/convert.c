/* convert.c - `myriad convert FROM TO`: particles from one file format to another. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"
#include "convert_frames.h"
#include "json.h"
#include "progress.h"

typedef struct {
    const char *source, *target, *from, *to;
    args_list field;
    int64_t frame;
    int all_frames, strict, force, json, quiet;
} convert_options;

static const char *convert_format(int k)
{
    return myr_snapshot_format(k) ? myr_snapshot_format(k)->name : NULL;
}

#define AT(field) offsetof(convert_options, field)
static const args_option convert_table[] = {
    {"from", ARGS_WORD, AT(from), "NAME", "format of FROM (found out from its bytes)", convert_format, 0, 0},
    {"to", ARGS_WORD, AT(to), "NAME", "format of TO (by its ending)", convert_format, 0, 0},
    {"field", ARGS_LIST, AT(field), "NAME", "a field to take over (all that TO can carry); may be repeated", NULL, 0,
     0},
    {"frame", ARGS_INTEGER, AT(frame), "K", "which frame of FROM: 0 is the first, -1 the last (-1)", NULL, -1e15, 1e15},
    {"all-frames", ARGS_FLAG, AT(all_frames), NULL,
     "all frames of FROM, or all snapshots of the directory of a run, as frames of TO", NULL, 0, 0},
    {"strict", ARGS_FLAG, AT(strict), NULL, "what would be lost is an error, not a note", NULL, 0, 0},
    {"force", ARGS_FLAG, AT(force), NULL, "replace TO if it is there", NULL, 0, 0},
    {"json", ARGS_FLAG, AT(json), NULL, "print JSON", NULL, 0, 0},
    {"quiet", ARGS_FLAG, AT(quiet), NULL, "print errors only", NULL, 0, 0},
    {0},
};
#undef AT

static const args_table convert_args = {
    .command = "convert",
    .text = "Writes the particles of one file to another, with ids, types, time, box and units where the format can\n"
            "carry them. What it cannot carry is told by name. 'myriad info FILE' tells what is in a file.",
    .operand = "FROM",
    .operand_text = "the file to read",
    .operand_offset = offsetof(convert_options, source),
    .second = "TO",
    .second_text = "the file to write",
    .second_offset = offsetof(convert_options, target),
    .options = convert_table,
};

/* A conversion at work. */
typedef struct {
    convert_options *options;
    myr_context *context;
    progress shown;
    int notes;             /* what was said about the files */
    char note[1024];       /* the last of it */
    const char *from, *to; /* from: null where --all-frames finds it out file by file */
    convert_frames frames;
} convert_work;

static void convert_note(void *user, const char *text)
{
    convert_work *w = user;
    w->notes++;
    snprintf(w->note, sizeof w->note, "%s", text);
    progress_end(&w->shown);
    if (!w->options->quiet && !w->options->strict)
        cli_note(text);
}

/* Both formats, before anything that takes long. */
static int convert_formats(convert_work *w)
{
    convert_options *o = w->options;
    w->to = o->to;
    w->from = o->from;
    if (!w->to) {
        const int code = cli_check(w->context, myr_snapshot_format_for(w->context, o->target, &w->to));
        if (code)
            return code;
    }
    if (!o->force && access(o->target, F_OK) == 0)
        return cli_fail(CLI_FAILED, "%s is there already; --force replaces it", o->target);
    return w->from || o->all_frames ? CLI_OK
                                    : cli_check(w->context, myr_snapshot_format_of(w->context, o->source, &w->from));
}

/* One frame of a file. */
static int convert_read_one(convert_work *w)
{
    const convert_options *o = w->options;
    myr_particles *particles = NULL;
    myr_snapshot_header header = {0};
    int code =
        cli_check(w->context, myr_snapshot_read_frame(w->context, o->source, w->from, o->frame, &particles, &header));
    if (!code)
        code = convert_frames_add(&w->frames, particles, &header);
    if (!code && header.frames > 1 && !o->quiet)
        fprintf(stderr,
                "myriad: note: %s holds %" PRId64 " frames; this is frame %" PRId64
                " (--frame chooses, or --all-frames)\n",
                o->source, header.frames, header.frame);
    return code;
}

static int convert_read(convert_work *w)
{
    const convert_options *o = w->options;
    progress_begin(&w->shown, "reading %s", o->source);
    const int code =
        o->all_frames ? convert_frames_read(w->context, o->source, w->from, &w->frames) : convert_read_one(w);
    progress_end(&w->shown);
    if (!code && o->strict && w->notes > 0)
        return cli_fail(CLI_FAILED, "%s", w->note);
    return code;
}

static int convert_write(convert_work *w)
{
    const convert_options *o = w->options;
    const char *fields[ARGS_LIST_MAX + 1] = {NULL};
    memcpy(fields, o->field.item, (size_t)o->field.count * sizeof fields[0]);
    for (int64_t k = 0; k < w->frames.count; k++) {
        w->frames.header[k].program = "myriad";
        w->frames.header[k].strict = o->strict;
    }
    progress_begin(&w->shown, "writing %s", o->target);
    const int code = cli_check(
        w->context, myr_snapshot_write_frames(w->frames.count, (const myr_particles *const *)w->frames.particles,
                                              o->target, w->to, o->field.count > 0 ? fields : NULL, w->frames.header));
    progress_end(&w->shown);
    return code;
}

static void convert_report(const convert_work *w)
{
    const convert_options *o = w->options;
    const myr_snapshot_header *header = &w->frames.header[0];
    const int64_t n = myr_particles_count(w->frames.particles[0]);
    if (!o->json) {
        if (!o->quiet && o->all_frames)
            printf("%" PRId64 " frames from %s to %s (%s)\n", w->frames.count, o->source, o->target, w->to);
        else if (!o->quiet)
            printf("%" PRId64 " particle%s from %s (%s) to %s (%s)\n", n, myr_plural(n), o->source, w->from, o->target,
                   w->to);
        return;
    }
    json_writer j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "from", o->source);
    if (w->from)
        json_text(&j, "from_format", w->from);
    json_text(&j, "to", o->target);
    json_text(&j, "to_format", w->to);
    json_integer(&j, "particles", n);
    json_number(&j, "time", header->time);
    json_integer(&j, "frame", header->frame);
    json_integer(&j, "frames", header->frames);
    json_integer(&j, "frames_written", w->frames.count);
    json_integer(&j, "notes", w->notes);
    json_finish(&j);
}

static int convert_run(convert_options *o)
{
    convert_work w = {.options = o};
    if (myr_context_create(&w.context))
        return cli_fail(CLI_FAILED, "no memory");
    progress_attach(&w.shown, w.context, o->quiet);
    myr_context_set_warning(w.context, convert_note, &w);
    int code = convert_formats(&w);
    if (!code)
        code = convert_read(&w);
    if (!code)
        code = convert_write(&w);
    if (!code)
        convert_report(&w);
    convert_frames_free(&w.frames);
    myr_context_destroy(&w.context);
    return code;
}

int cli_convert(int argc, char **argv)
{
    convert_options options = {.frame = MYR_SNAPSHOT_LAST};
    switch (args_parse(&convert_args, argc, argv, &options)) {
    case ARGS_HELPED:
        return CLI_OK;
    case ARGS_WRONG:
        return CLI_USAGE;
    case ARGS_GO:
        break;
    }
    return convert_run(&options);
}
