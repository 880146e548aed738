/* markup.h - the writer of a page, which keeps markup and text apart by their types.
 *
 * Markup is a string literal of this program, and nothing else compiles there. Text comes from files that anybody may
 * have written; it goes through %s, and %s always escapes. There is no third way into the page but bytes in base 64 and
 * the files of runs/report/page: the stream itself is known to markup.c alone. */
#ifndef MYR_CLI_MARKUP_H
#define MYR_CLI_MARKUP_H

#include <stddef.h>
#include <stdio.h>

typedef struct markup markup;

/* A writer to an open stream, which stays the caller's; null without memory. */
markup *markup_create(FILE *out);
void markup_destroy(markup **m);

/* Whether something could not be written. */
int markup_failed(const markup *m);

/* markup_write(m, "<p id=\"%s\">%d", id, number): a literal with values in it, as printf. Knows %s with an optional
 * precision in bytes, %c, %d, %lld, %x, %f and %g; a text is safe between tags and inside a quoted attribute. What is
 * no character of a page (broken UTF-8, control characters, marks that turn the direction of writing) becomes U+FFFD.
 */
#define markup_write(m, ...) markup_format(m, "" __VA_ARGS__)
void markup_format(markup *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same as markup_write(m, "%s", text). */
void markup_text(markup *m, const char *text);

/* Base 64, in pieces of any length. */
void markup_base64(markup *m, const void *bytes, size_t size);
void markup_base64_end(markup *m);

/* A file of runs/report/page: as it is; as the style or a script that the policy of the page allows; as an inert block
 * of data. */
void markup_asset(markup *m, const char *name);
void markup_style(markup *m, const char *name);
void markup_script(markup *m, const char *name);
void markup_data(markup *m, const char *name);

/* The Content-Security-Policy: styles and scripts of runs/report/page by their hashes, pictures inside the page, and
 * nothing else. */
void markup_policy(markup *m);

/* The same for the shell of a live page, whose script asks the server that it came from. */
void markup_live_policy(markup *m);

/* Leaves room for `size` bytes that are written later: markup_return goes back there, markup_resume to the end. */
long markup_reserve(markup *m, int size);
int markup_return(markup *m, long place);
void markup_resume(markup *m);

#endif
