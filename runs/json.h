/* json.h - writes JSON to a stream, indented, with commas and escapes in the right places. */
#ifndef MYR_CLI_JSON_H
#define MYR_CLI_JSON_H

#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 16 };

typedef struct {
    FILE *out;
    int depth;
    int filled;                   /* bit d: the container at depth d has a member already */
    char closing[JSON_DEPTH_MAX]; /* what ends each container that is open */
    int compact;                  /* all on one line: events */
} json_writer;

/* Opens an object ('{') or an array ('['); key is null at the top and inside arrays. */
void json_open(json_writer *w, const char *key, char bracket);

/* Closes the innermost. */
void json_close(json_writer *w);

/* Closes all that are open, so that what was written so far can be read. */
void json_finish(json_writer *w);

/* Members. A number that is not finite becomes null, and so does a null text. */
void json_text(json_writer *w, const char *key, const char *value);
void json_number(json_writer *w, const char *key, double value);
void json_integer(json_writer *w, const char *key, int64_t value);
void json_boolean(json_writer *w, const char *key, int value);

#endif
