/* compiler.c - runs the system's C compiler on the library's embedded texts and on a pipeline's header. */
#define _GNU_SOURCE /* nftw */
#include "backend/compiler.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/compile_flags.h"
#include "backend/source.h"
#include "core/spawn.h"

enum { COMPILE_WORDS = 64, COMPILE_COMMAND = 2048 };

/* Command line as words; all pointers point into `text`. */
typedef struct {
    char text[COMPILE_COMMAND];
    char *word[COMPILE_WORDS];
    int words;
} command;

const char *myr_compiler_flags(void)
{
    return MYR_COMPILE_FLAGS;
}

static const char *compiler(void)
{
    const char *cc = getenv("CC");
    return cc && cc[0] ? cc : "cc";
}

static int compile_fail(char *message, size_t room, const char *what, const char *path)
{
    snprintf(message, room, "%s %s: %s", what, path, strerror(errno));
    return 0;
}

/* Appends words separated by blanks. */
static int add_words(command *c, const char *text)
{
    size_t used = 0;
    for (int k = 0; k < c->words; k++)
        used += strlen(c->word[k]) + 1;
    if (used + strlen(text) + 1 > sizeof c->text)
        return 0;
    char *at = strcpy(c->text + used, text), *save = NULL;
    for (char *word = strtok_r(at, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        if (c->words == COMPILE_WORDS - 1)
            return 0;
        const size_t length = strlen(word) + 1;
        c->word[c->words++] = memmove(c->text + used, word, length); /* words are stored contiguously */
        used += length;
    }
    c->word[c->words] = NULL;
    return 1;
}

/* Appends one word unchanged, blanks included. */
static int add_word(command *c, const char *word)
{
    size_t used = 0;
    for (int k = 0; k < c->words; k++)
        used += strlen(c->word[k]) + 1;
    if (used + strlen(word) + 1 > sizeof c->text || c->words == COMPILE_WORDS - 1)
        return 0;
    c->word[c->words++] = strcpy(c->text + used, word);
    c->word[c->words] = NULL;
    return 1;
}

static size_t read_start(const char *path, char *text, size_t room)
{
    FILE *f = fopen(path, "r");
    const size_t got = f ? fread(text, 1, room - 1, f) : 0;
    text[got] = '\0';
    if (f)
        fclose(f);
    return got;
}

static int no_compiler(char *message, size_t room)
{
    snprintf(message, room, "the C compiler '%.100s' cannot be run; install one (Debian: gcc), or set CC to its name",
             compiler());
    return 0;
}

int myr_compiler_start(myr_compiler *c, char *message, size_t room)
{
    const char *temporary = getenv("TMPDIR");
    command version = {.words = 0};
    char log[MYR_COMPILER_PATH + 8];
    memset(c, 0, sizeof *c);
    const int length = snprintf(c->folder, sizeof c->folder, "%s/myriad-XXXXXX",
                                temporary && temporary[0] == '/' ? temporary : "/tmp");
    if (length < 0 || length >= (int)sizeof c->folder || !mkdtemp(c->folder)) {
        compile_fail(message, room, "cannot make a folder in", temporary ? temporary : "/tmp");
        c->folder[0] = '\0';
        return 0;
    }
    snprintf(log, sizeof log, "%s/log", c->folder);
    snprintf(c->object, sizeof c->object, "%s/unit.so", c->folder);
    if (!add_words(&version, compiler()) || version.words == 0 || !add_word(&version, "--version") ||
        myr_spawn(version.word, log) != 0)
        return no_compiler(message, room);
    read_start(log, c->version, sizeof c->version);
    return 1;
}

static int write_text(const char *folder, const char *name, const char *text, size_t size)
{
    char path[MYR_COMPILER_PATH + 128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *at = path + strlen(folder) + 1; *at; at++) /* creates the folders of the name */
        if (*at == '/') {
            *at = '\0';
            if (mkdir(path, 0700) != 0 && errno != EEXIST)
                return 0;
            *at = '/';
        }
    FILE *f = fopen(path, "w");
    if (!f)
        return 0;
    const int whole = fwrite(text, 1, size, f) == size;
    return (fclose(f) == 0) && whole;
}

static int write_texts(const myr_compiler *c, const myr_compiler_text *text)
{
    int count, whole = write_text(c->folder, "unit.c", text->unit, strlen(text->unit));
    if (whole && text->header)
        whole = write_text(c->folder, "kernel/pipeline.h", text->header, strlen(text->header));
    const myr_source *source = myr_sources(&count);
    for (int k = 0; k < count && whole; k++)
        whole = write_text(c->folder, source[k].name, source[k].text, source[k].size);
    return whole;
}

/* Extracts the most useful line of the compiler's output: the first line with "error", else the first line. */
static void compile_report(const char *log, int code, char *message, size_t room)
{
    char text[4096];
    read_start(log, text, sizeof text);
    const char *error = strstr(text, "error"), *line = error ? error : text;
    while (line > text && line[-1] != '\n')
        line--;
    snprintf(message, room, "the C compiler '%.100s' failed (exit code %d): %.*s", compiler(), code,
             (int)strcspn(line, "\n"), line);
}

int myr_compiler_run(myr_compiler *c, const myr_compiler_text *text, char *message, size_t room)
{
    char include[MYR_COMPILER_PATH + 8], unit[MYR_COMPILER_PATH + 8], log[MYR_COMPILER_PATH + 8];
    command run = {.words = 0};
    if (!write_texts(c, text))
        return compile_fail(message, room, "cannot write into", c->folder);
    snprintf(include, sizeof include, "-I%s", c->folder);
    snprintf(unit, sizeof unit, "%s/unit.c", c->folder);
    snprintf(log, sizeof log, "%s/log", c->folder);
    if (!(add_words(&run, compiler()) && add_words(&run, MYR_COMPILE_FLAGS) && add_words(&run, text->isa_flags) &&
          add_word(&run, include) && add_word(&run, unit) && add_word(&run, "-o") && add_word(&run, c->object) &&
          add_word(&run, "-lm"))) {
        snprintf(message, room, "the command in CC is too long");
        return 0;
    }
    const int code = myr_spawn(run.word, log);
    if (code == 127)
        return no_compiler(message, room);
    if (code != 0 || access(c->object, R_OK) != 0) {
        compile_report(log, code, message, room);
        return 0;
    }
    return 1;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s, (void)kind, (void)where;
    return remove(path);
}

void myr_compiler_end(myr_compiler *c)
{
    if (c->folder[0])
        nftw(c->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    c->folder[0] = '\0';
}
