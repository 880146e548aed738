/* scratch.h - what tests of files need: a folder that goes away, whole files in memory, warnings that are kept. */
#ifndef MYR_TEST_SCRATCH_H
#define MYR_TEST_SCRATCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <myriad/context.h>

typedef struct {
    myr_context *context;
    char folder[64];
    char path[128]; /* folder/file: the last that scratch_path made */
    char warning[2048];
    int warnings;
} scratch;

static inline void scratch_warn(void *user, const char *text)
{
    scratch *s = user;
    s->warnings++;
    snprintf(s->warning, sizeof s->warning, "%s", text);
}

static inline void scratch_begin(scratch *s)
{
    *s = (scratch){0};
    strcpy(s->folder, "/tmp/myriad_test_XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(myr_context_create(&s->context), MYR_OK);
    assert_int_equal(myr_context_set_warning(s->context, scratch_warn, s), MYR_OK);
}

/* folder/name; valid until the next call. */
static inline const char *scratch_path(scratch *s, const char *name)
{
    const size_t length = strlen(s->folder);
    memcpy(s->path, s->folder, length);
    snprintf(s->path + length, sizeof s->path - length, "/%s", name);
    return s->path;
}

/* The number of entries in the folder. */
static inline int scratch_entries(const scratch *s)
{
    int n = 0;
    DIR *d = opendir(s->folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(d);
    return n;
}

static inline int scratch_exists(scratch *s, const char *name)
{
    return access(scratch_path(s, name), F_OK) == 0;
}

static inline void scratch_end(scratch *s)
{
    char file[400];
    DIR *d = opendir(s->folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        snprintf(file, sizeof file, "%s/%s", s->folder, e->d_name);
        if (e->d_name[0] != '.' && unlink(file) != 0)
            rmdir(file);
    }
    closedir(d);
    rmdir(s->folder);
    myr_context_destroy(&s->context);
}

/* A whole file; free it. */
static inline unsigned char *scratch_load(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

/* A new file each time: some file systems flush one that is emptied and filled again, which takes milliseconds. */
static inline void scratch_store(const char *path, const void *bytes, size_t size)
{
    unlink(path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* The context's message holds a text. */
static inline void scratch_says(const scratch *s, const char *text)
{
    const char *message = myr_context_message(s->context);
    if (!strstr(message, text))
        fail_msg("the message is \"%s\"; expected in it: \"%s\"", message, text);
}

#endif
