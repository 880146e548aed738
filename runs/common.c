/* common.c - messages of the library of runs, and the lists of names that inputs and options check against. */
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MESSAGE = 16384 }; /* two paths of the longest kind, and words */

static _Thread_local messages *hears; /* null = nobody */

messages *messages_enter(messages *m)
{
    messages *before = hears;
    hears = m;
    return before;
}

void messages_clear(messages *m)
{
    m->said[0] = m->all[0] = 0;
    m->status = MYR_OK;
}

const char *cli_said(void)
{
    return hears ? hears->said : "";
}

/* Keeps the first error, and as many lines as there is room for. */
static void remember(const char *text, myr_status status)
{
    if (!hears)
        return;
    if (!hears->said[0])
        snprintf(hears->said, sizeof hears->said, "%.*s", (int)sizeof hears->said - 1, text);
    if (hears->status == MYR_OK)
        hears->status = status;
    const size_t used = strlen(hears->all);
    if (used + strlen(text) + 2 < sizeof hears->all)
        snprintf(hears->all + used, sizeof hears->all - used, "%s%s", used ? "\n" : "", text);
}

void cli_remember(const char *text)
{
    remember(text, MYR_ERROR_VALUE);
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

static void say_line(myr_run_message_kind kind, const char *line)
{
    if (hears && hears->listener.say)
        hears->listener.say(hears->listener.user, kind, line);
}

void messages_say(myr_run_message_kind kind, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (kind == MYR_RUN_INPUT_ERROR)
        remember(text, MYR_ERROR_VALUE);
    say_line(kind, text);
}

void messages_work(const char *what, double fraction, double seconds_left)
{
    if (hears && hears->listener.work)
        hears->listener.work(hears->listener.user, what, fraction, seconds_left);
}

int messages_stop(int signal, const char **by)
{
    *by = "a request";
    return hears && hears->listener.stop ? hears->listener.stop(hears->listener.user, signal, by) : 0;
}

static void note(myr_run_message_kind kind, const char *text)
{
    char line[MESSAGE];
    snprintf(line, sizeof line, "%s", text);
    say_line(kind, cli_plain(line));
}

void cli_note(const char *text)
{
    note(MYR_RUN_NOTE, text);
}

void cli_notice(const char *text)
{
    note(MYR_RUN_NOTICE, text);
}

void cli_mute(int muted)
{
    if (hears)
        hears->is_muted = muted;
}

static int fail_with(int code, myr_status status, char text[MESSAGE])
{
    cli_plain(text);
    if (code)
        remember(text, status);
    say_line(code ? MYR_RUN_ERROR : MYR_RUN_REMARK, text);
    return code;
}

int cli_fail(int code, const char *format, ...)
{
    char text[MESSAGE];
    va_list args;
    if (hears && hears->is_muted)
        return code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return fail_with(code, code == CLI_USAGE ? MYR_ERROR_VALUE : MYR_ERROR_FILE, text);
}

int cli_check(const myr_context *context, myr_status status)
{
    char text[MESSAGE];
    if (status == MYR_OK)
        return CLI_OK;
    const int code = status == MYR_ERROR_NAME ? CLI_USAGE : CLI_FAILED;
    if (hears && hears->is_muted)
        return code;
    const char *message = myr_context_message(context);
    snprintf(text, sizeof text, "%s", *message ? message : myr_status_text(status));
    return fail_with(code, status, text);
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
