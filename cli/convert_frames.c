/* convert_frames.c - all frames of a file, or all snapshots of a run, in memory. */
#include "convert_frames.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

enum { FRAMES_PATH = 4096 };

/* Makes room for more frames; not 0: there is no memory. */
static int frames_grow(convert_frames *frames)
{
    const int64_t room = frames->room ? 2 * frames->room : 64;
    myr_particles **particles = realloc(frames->particles, (size_t)room * sizeof *particles);
    if (!particles)
        return 1;
    frames->particles = particles;
    myr_snapshot_header *header = realloc(frames->header, (size_t)room * sizeof *header);
    if (!header)
        return 1;
    frames->header = header;
    frames->room = room;
    return 0;
}

int convert_frames_add(convert_frames *frames, myr_particles *particles, const myr_snapshot_header *header)
{
    if (frames->count == frames->room && frames_grow(frames)) {
        myr_particles_destroy(&particles);
        return cli_fail(CLI_FAILED, "no memory for more than %lld frames", (long long)frames->room);
    }
    frames->particles[frames->count] = particles;
    frames->header[frames->count++] = *header;
    return CLI_OK;
}

static int frames_of_file(myr_context *context, const char *path, const char *format, convert_frames *f)
{
    int64_t frames = 1;
    for (int64_t k = 0; k < frames; k++) {
        myr_particles *particles = NULL;
        myr_snapshot_header header = {0};
        int code = cli_check(context, myr_snapshot_read_frame(context, path, format, k, &particles, &header));
        if (!code)
            code = convert_frames_add(f, particles, &header);
        if (code)
            return code;
        frames = header.frames;
    }
    return CLI_OK;
}

static int frames_is_snapshot(const struct dirent *entry)
{
    return cli_is_of_series(entry->d_name, "snapshot_");
}

static int frames_of_directory(myr_context *context, const char *path, const char *format, convert_frames *f)
{
    struct dirent **entry = NULL;
    char name[FRAMES_PATH];
    int code = CLI_OK;
    const int n = scandir(path, &entry, frames_is_snapshot, alphasort);
    if (n <= 0)
        code = cli_fail(CLI_FAILED, "%s has no snapshots: no file there is called snapshot_*", path);
    for (int k = 0; k < n; k++) {
        const int fits = snprintf(name, sizeof name, "%s/%s", path, entry[k]->d_name) < (int)sizeof name;
        if (!code)
            code =
                fits ? frames_of_file(context, name, format, f) : cli_fail(CLI_FAILED, "the name %s is too long", name);
        free(entry[k]);
    }
    free(entry);
    return code;
}

int convert_frames_read(myr_context *context, const char *source, const char *format, convert_frames *frames)
{
    struct stat there;
    if (stat(source, &there) == 0 && S_ISDIR(there.st_mode))
        return frames_of_directory(context, source, format, frames);
    return frames_of_file(context, source, format, frames);
}

void convert_frames_free(convert_frames *frames)
{
    for (int64_t k = 0; k < frames->count; k++)
        myr_particles_destroy(&frames->particles[k]);
    free(frames->particles);
    free(frames->header);
    *frames = (convert_frames){0};
}
