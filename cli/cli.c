/* cli.c - messages, and the lists of names that the options check against. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MESSAGE = 16384 }; /* two paths of the longest kind, and words */

static char said[1024];
static int is_muted;

const char *cli_said(void)
{
    return said;
}

void cli_remember(const char *text)
{
    if (!said[0])
        snprintf(said, sizeof said, "%.*s", (int)sizeof said - 1, text);
}

char *cli_plain(char *text)
{
    for (char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c, next = (unsigned char)c[1];
        if (byte < 0x20 || byte == 0x7f)
            *c = '?';
        else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080 to U+009F */
            c[0] = c[1] = '?';
    }
    return text;
}

void cli_note(const char *text)
{
    char line[MESSAGE];
    snprintf(line, sizeof line, "%s", text);
    fprintf(stderr, "myriad: note: %s\n", cli_plain(line));
}

void cli_mute(int muted)
{
    is_muted = muted;
}

int cli_fail(int code, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    if (is_muted)
        return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_plain(text);
    if (code)
        cli_remember(text);
    fflush(stdout);
    fprintf(stderr, "myriad: %s\n", text);
    return code;
}

int cli_check(const myr_context *context, myr_status status)
{
    if (status == MYR_OK)
        return CLI_OK;
    const char *message = myr_context_message(context);
    return cli_fail(status == MYR_ERROR_NAME ? CLI_USAGE : CLI_FAILED, "%s",
                    *message ? message : myr_status_text(status));
}

int cli_is_of_series(const char *name, const char *begins)
{
    if (strncmp(name, begins, strlen(begins)) != 0)
        return 0;
    name += strlen(begins);
    const size_t digits = strspn(name, "0123456789");
    return digits > 0 && name[digits] == '.' && !strchr(name + digits + 1, '.');
}

int cli_is_pipeline(const char *word)
{
    static const char ending[] = ".pipe";
    const size_t length = strlen(word), tail = sizeof ending - 1;
    return length > tail && strcmp(word + length - tail, ending) == 0;
}

double cli_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *cli_kernel_name(int k)
{
    return myr_kernel(k) ? myr_kernel(k)->name : NULL;
}

const char *cli_accumulator_name(int k)
{
    return myr_accumulator(k) ? myr_accumulator(k)->name : NULL;
}

static const char *choice_name(const myr_choice_info *choice)
{
    return choice ? choice->name : NULL;
}

const char *cli_arithmetic_name(int k)
{
    return choice_name(myr_arithmetic(k));
}

const char *cli_method_name(int k)
{
    return choice_name(myr_method(k));
}

const char *cli_backend_name(int k)
{
    return choice_name(myr_backend(k));
}

/* "auto" first: the widest that this machine has. */
const char *cli_isa_name(int k)
{
    return k == 0 ? "auto" : choice_name(myr_isa(k - 1));
}

const char *cli_model_name(int k)
{
    return choice_name(myr_model(k));
}

const char *cli_softening_name(int k)
{
    static const char *const names[] = {"plummer", "spline", NULL};
    return k >= 0 && k < 2 ? names[k] : NULL;
}
