/* run_repeat.c - packs what a report carries of its run, and reads it back from a page that anybody may have written.
 */
#include "run/run_repeat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "run/run.h"

enum {
    PACKED_MOST = REPEAT_INPUT_MOST + REPEAT_KERNEL_MOST + 4096,
    TEXT_MOST = PACKED_MOST / 3 * 4 + 16,
    READ_BYTES = 1 << 16
};

static const char mark[] = "id=\"" REPEAT_ID "\">";

int repeat_is_report(const char *path)
{
    const size_t length = path ? strlen(path) : 0;
    return length > 5 && strcmp(path + length - 5, ".html") == 0;
}

char *repeat_pack(const repeat_parts *parts, size_t *size)
{
    char *text = NULL;
    const size_t kernel = parts->kernel ? strlen(parts->kernel) : 0;
    if (parts->input_size > REPEAT_INPUT_MOST || kernel > REPEAT_KERNEL_MOST)
        return NULL;
    FILE *memory = open_memstream(&text, size);
    if (!memory)
        return NULL;
    fprintf(memory, "myriad-run 1\nversion %.60s\nhash %.20s\nkernel %zu\ninput %zu\n", parts->version,
            *parts->hash ? parts->hash : "none", kernel, parts->input_size);
    fwrite(kernel ? parts->kernel : "", 1, kernel, memory);
    fwrite(parts->input, 1, parts->input_size, memory);
    if (fclose(memory) == 0)
        return text;
    free(text);
    return NULL;
}

void repeat_free(repeat_parts *parts)
{
    free(parts->input);
    free(parts->kernel);
    *parts = (repeat_parts){0};
}

/* --- the page ----------------------------------------------------------------------------------------------------- */

/* Goes past the first mark in the file; 0 where there is none. */
static int find_mark(FILE *file)
{
    size_t matched = 0;
    for (int c; (c = getc(file)) != EOF;) {
        matched = c == mark[matched] ? matched + 1 : c == mark[0] ? 1 : 0;
        if (matched == sizeof mark - 1)
            return 1;
    }
    return 0;
}

static int digit_of(int c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

/* Base 64 up to the next tag, ended by 0; null where it is something else, too long, or memory is short. */
static char *decode(FILE *file, size_t *size)
{
    char *bytes = malloc(PACKED_MOST + 1);
    uint32_t bits = 0;
    int held = 0, c;
    *size = 0;
    for (long seen = 0; bytes && (c = getc(file)) != '<' && c != '='; seen++) {
        const int digit = digit_of(c);
        if (digit < 0 || seen >= TEXT_MOST) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)digit;
        held += 6;
        if (held < 8)
            continue;
        held -= 8;
        if (*size == PACKED_MOST) {
            free(bytes);
            return NULL;
        }
        bytes[(*size)++] = (char)(bits >> held & 0xff);
    }
    if (bytes)
        bytes[*size] = 0;
    return bytes;
}

/* Takes the parts out of the packed text; 0 where it is not whole. */
static int unpack(const char *text, size_t size, repeat_parts *parts)
{
    size_t kernel = 0, in = 0;
    int head = 0;
    if (sscanf(text, "myriad-run 1\nversion %60s\nhash %20s\nkernel %9zu\ninput %9zu%n", parts->version, parts->hash,
               &kernel, &in, &head) != 4 ||
        text[head] != '\n')
        return 0;
    const size_t begin = (size_t)head + 1;
    if (kernel > REPEAT_KERNEL_MOST || in > REPEAT_INPUT_MOST || begin + kernel + in != size)
        return 0;
    if (strcmp(parts->hash, "none") == 0)
        parts->hash[0] = 0;
    parts->input = strndup(text + begin + kernel, in);
    parts->input_size = in;
    parts->kernel = kernel ? strndup(text + begin, kernel) : NULL;
    return parts->input && (!kernel || parts->kernel) && strlen(parts->input) == in &&
           (!kernel || strlen(parts->kernel) == kernel);
}

int repeat_read(const char *path, repeat_parts *parts)
{
    struct stat s;
    size_t size = 0;
    *parts = (repeat_parts){0};
    const int d = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (d < 0)
        return cli_fail(CLI_FAILED, "%s cannot be read: %s", path, strerror(errno));
    if (fstat(d, &s) || !S_ISREG(s.st_mode)) {
        close(d);
        return cli_fail(CLI_USAGE, "%s is not a file", path);
    }
    FILE *file = fdopen(d, "r");
    if (!file) {
        close(d);
        return cli_fail(CLI_FAILED, "no memory");
    }
    setvbuf(file, NULL, _IOFBF, READ_BYTES);
    const int found = find_mark(file);
    char *text = found ? decode(file, &size) : NULL;
    fclose(file);
    const int whole = text && unpack(text, size, parts);
    free(text);
    if (whole)
        return CLI_OK;
    repeat_free(parts);
    if (!found)
        return cli_fail(CLI_USAGE, "%s carries no run; expected a page that 'myriad run' or 'myriad report' made",
                        path);
    return cli_fail(CLI_USAGE, "%s: what it carries of its run is damaged", path);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* The directory of the repetition, in the present folder: the name of that of the page, or of the page itself. */
static void name_directory(const char *path, char name[RUN_DIRECTORY])
{
    static const char usual[] = "report.html";
    const size_t length = strlen(path);
    size_t end = length > sizeof usual && strcmp(path + length - (sizeof usual - 1), usual) == 0 &&
                         path[length - sizeof usual] == '/'
                     ? length - sizeof usual
                     : length - strlen(".html");
    while (end > 0 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    if (end == begin || strncmp(path + begin, "..", end - begin) == 0)
        snprintf(name, RUN_DIRECTORY, "run_again");
    else
        snprintf(name, RUN_DIRECTORY, "%.*s_again", (int)(end - begin > 500 ? 500 : end - begin), path + begin);
}

int run_open_repeat(run *r)
{
    char name[RUN_DIRECTORY], directory[RUN_DIRECTORY + 24];
    args_list set = {0};
    int code = repeat_read(r->options->file, &r->repeat);
    if (code)
        return code;
    if (!r->repeat.hash[0])
        return cli_fail(CLI_USAGE,
                        "%s has no hash of the last particles, as its run has not finished; to run its input all the "
                        "same, save it from the page",
                        r->options->file);
    /* whatever directory the page names, the results are here, or where the command line says */
    name_directory(r->options->file, name);
    snprintf(directory, sizeof directory, "output.directory=%s", name);
    set.item[set.count++] = directory;
    for (int k = 0; k < r->options->set.count && set.count < ARGS_LIST_MAX; k++)
        set.item[set.count++] = r->options->set.item[k];
    r->in = input_from_checkpoint(r->options->file, r->repeat.input, r->repeat.input_size, &set, r->repeat.kernel);
    if (!r->in)
        return cli_fail(CLI_FAILED, "no memory");
    if (r->in->tree->errors) {
        tree_report(r->in->tree);
        return CLI_USAGE;
    }
    return CLI_OK;
}

int run_compare_repeat(run *r)
{
    if (!r->repeat.input || r->code != CLI_OK)
        return r->code;
    if (!r->hash[0])
        return cli_fail(RUN_DIFFERS, "too many particles: nobody knows whether the bits agree with those of %s",
                        r->options->file);
    if (strcmp(r->hash, r->repeat.hash) != 0)
        return cli_fail(RUN_DIFFERS,
                        "the bits differ: the hash of the last particles is %s, and %s of version %s has %s", r->hash,
                        r->options->file, r->repeat.version, r->repeat.hash);
    if (!r->options->quiet && !r->options->json)
        messages_say(MYR_RUN_EVENT_TEXT, "the bits agree with those of %s: the hash of the last particles is %s",
                     r->options->file, r->hash);
    return CLI_OK;
}
