/* convert_frames.h - all frames of a file, or all snapshots of a run, as the frames of one file. */
#ifndef MYR_CLI_CONVERT_FRAMES_H
#define MYR_CLI_CONVERT_FRAMES_H

#include <stdint.h>

#include <myriad/myriad.h>

/* Particles and headers, frame by frame. */
typedef struct {
    int64_t count, room;
    myr_particles **particles;
    myr_snapshot_header *header;
} convert_frames;

/* Reads every frame of a file, or every snapshot_* in a directory by name. format null = found out from the bytes. */
int convert_frames_read(myr_context *context, const char *source, const char *format, convert_frames *frames);

/* Adds one frame, which is ours from then on, also after an error. */
int convert_frames_add(convert_frames *frames, myr_particles *particles, const myr_snapshot_header *header);

/* Frees them. */
void convert_frames_free(convert_frames *frames);

#endif
