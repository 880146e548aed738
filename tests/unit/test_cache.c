/* test_cache.c - the cache of compiled results: what is written is read, what is damaged or not ours is not, and many
 * writers at once leave one whole entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/cache.h"
#include "core/hash.h"

static char folder[256], inside[300];

static int make_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/myr_cache_XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return -1;
    snprintf(inside, sizeof inside, "%s/a/b", folder);
    return setenv("MYRIAD_CACHE", inside, 1);
}

/* Removes what is in the cache; the number of files that were there. */
static int empty_folder(void)
{
    int files = 0;
    DIR *list = opendir(inside);
    for (struct dirent *at; list && (at = readdir(list));) {
        if (at->d_name[0] == '.')
            continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", inside, at->d_name);
        files += unlink(path) == 0;
    }
    if (list)
        closedir(list);
    return files;
}

static int remove_folder(void **state)
{
    (void)state;
    char middle[300];
    empty_folder();
    snprintf(middle, sizeof middle, "%s/a", folder);
    return rmdir(inside) | rmdir(middle) | rmdir(folder);
}

static void key_of(const char *text, char key[MYR_CACHE_KEY])
{
    myr_cache_key(&text, 1, key);
}

static void test_key(void **state)
{
    (void)state;
    const char *const ab_c[] = {"ab", "c"}, *const a_bc[] = {"a", "bc"};
    char one[MYR_CACHE_KEY], two[MYR_CACHE_KEY];
    myr_cache_key(ab_c, 2, one);
    myr_cache_key(a_bc, 2, two);
    assert_int_equal(strlen(one), 32);
    assert_string_not_equal(one, two);
    myr_cache_key(ab_c, 2, two);
    assert_string_equal(one, two);
}

static void test_round_trip(void **state)
{
    (void)state;
    char key[MYR_CACHE_KEY], message[256] = "", path[512];
    const char bytes[] = "some\0bytes";
    void *got = NULL;
    size_t size = 0;
    struct stat s;
    key_of("round trip", key);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    assert_int_equal(myr_cache_write(key, "bin", bytes, sizeof bytes, message, sizeof message), 1);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 1);
    assert_int_equal(size, sizeof bytes);
    assert_memory_equal(got, bytes, sizeof bytes);
    free(got);
    assert_int_equal(myr_cache_read(key, "so", &got, &size), 0);
    assert_int_equal(stat(inside, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    assert_int_equal(myr_cache_path(key, "bin", path, sizeof path, message, sizeof message), 1);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(empty_folder(), 1); /* and nothing else */
}

static void test_damage(void **state)
{
    (void)state;
    char key[MYR_CACHE_KEY], other[MYR_CACHE_KEY], message[256], path[512], path_other[512];
    const char bytes[] = "bytes that matter";
    const off_t whole = (off_t)sizeof bytes + 32; /* the trailer */
    void *got;
    size_t size;
    key_of("damage", key);
    key_of("another", other);
    assert_int_equal(myr_cache_path(key, "bin", path, sizeof path, message, sizeof message), 1);
    for (off_t at = 0; at < whole; at++) { /* each byte, one bit of it */
        assert_int_equal(myr_cache_write(key, "bin", bytes, sizeof bytes, message, sizeof message), 1);
        const int file = open(path, O_RDWR);
        char byte;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= (char)(1 << at % 8);
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
        assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    }
    for (off_t length = 0; length < whole; length++) {
        assert_int_equal(myr_cache_write(key, "bin", bytes, sizeof bytes, message, sizeof message), 1);
        assert_int_equal(truncate(path, length), 0);
        assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    }
    assert_int_equal(myr_cache_write(key, "bin", bytes, sizeof bytes, message, sizeof message), 1);
    assert_int_equal(myr_cache_path(other, "bin", path_other, sizeof path_other, message, sizeof message), 1);
    assert_int_equal(rename(path, path_other), 0); /* an entry under another's name */
    assert_int_equal(myr_cache_read(other, "bin", &got, &size), 0);
    empty_folder();
}

static void test_not_ours(void **state)
{
    (void)state;
    char key[MYR_CACHE_KEY], message[512] = "", path[512], link[600];
    void *got;
    size_t size;
    key_of("not ours", key);
    assert_int_equal(myr_cache_write(key, "bin", "x", 1, message, sizeof message), 1);
    assert_int_equal(myr_cache_path(key, "bin", path, sizeof path, message, sizeof message), 1);
    assert_int_equal(chmod(path, 0620), 0);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    assert_int_equal(chmod(path, 0600), 0);
    snprintf(link, sizeof link, "%s.moved", path);
    assert_int_equal(rename(path, link), 0);
    assert_int_equal(symlink(link, path), 0);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rename(link, path), 0);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 1);
    free(got);
    assert_int_equal(chmod(inside, 0777), 0);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    assert_int_equal(myr_cache_write(key, "bin", "x", 1, message, sizeof message), 0);
    assert_non_null(strstr(message, "not yours alone"));
    assert_non_null(strstr(message, "MYRIAD_CACHE"));
    assert_int_equal(chmod(inside, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
        assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
        assert_int_equal(chown(path, 0, (gid_t)-1), 0);
    }
    empty_folder();
}

/* A folder that cannot be made, or written (a file stands in its way, which stops even the superuser). */
static void test_no_folder(void **state)
{
    (void)state;
    char key[MYR_CACHE_KEY], message[512] = "";
    void *got;
    size_t size;
    key_of("no folder", key);
    setenv("MYRIAD_CACHE", "/dev/null/cache", 1);
    assert_int_equal(myr_cache_write(key, "bin", "x", 1, message, sizeof message), 0);
    assert_non_null(strstr(message, "/dev/null/cache: Not a directory"));
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    setenv("MYRIAD_CACHE", "/dev/null", 1);
    assert_int_equal(myr_cache_write(key, "bin", "x", 1, message, sizeof message), 0);
    assert_non_null(strstr(message, "not a folder"));
    setenv("MYRIAD_CACHE", inside, 1);
}

/* Several processes write the same entry again and again while one reads: it sees nothing, or all of it. */
static void test_writers(void **state)
{
    (void)state;
    enum { WRITERS = 4, ROUNDS = 100, BYTES = 1 << 16 };
    char key[MYR_CACHE_KEY];
    pid_t child[WRITERS];
    char *bytes = malloc(BYTES);
    assert_non_null(bytes);
    memset(bytes, 'b', BYTES);
    key_of("writers", key);
    for (int k = 0; k < WRITERS; k++)
        if ((child[k] = fork()) == 0) {
            int fine = 1;
            for (int n = 0; n < ROUNDS; n++)
                fine &= myr_cache_write(key, "bin", bytes, BYTES, NULL, 0);
            _exit(!fine);
        }
    for (int seen = 0, n = 0; seen < 1 || n < ROUNDS; n++) {
        void *got;
        size_t size;
        const int found = myr_cache_read(key, "bin", &got, &size);
        if (!found && !seen)
            continue;
        assert_int_equal(found, 1); /* once there, always there and whole */
        assert_int_equal(size, BYTES);
        assert_memory_equal(got, bytes, BYTES);
        free(got);
        seen = 1;
    }
    for (int k = 0; k < WRITERS; k++) {
        int status = 1;
        assert_int_equal(waitpid(child[k], &status, 0), child[k]);
        assert_int_equal(status, 0);
    }
    free(bytes);
    assert_int_equal(empty_folder(), 1);
}

/* What a killed writer left is taken over, and never read. */
static void test_leftover(void **state)
{
    (void)state;
    char key[MYR_CACHE_KEY], message[256], path[512], partial[600];
    void *got;
    size_t size;
    key_of("leftover", key);
    assert_int_equal(myr_cache_path(key, "bin", path, sizeof path, message, sizeof message), 1);
    snprintf(partial, sizeof partial, "%s.partial", path);
    const int file = open(partial, O_WRONLY | O_CREAT, 0600);
    assert_int_equal(write(file, "half a file that is longer than the next", 40), 40);
    close(file);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 0);
    assert_int_equal(myr_cache_write(key, "bin", "x", 1, message, sizeof message), 1);
    assert_int_equal(myr_cache_read(key, "bin", &got, &size), 1);
    assert_int_equal(size, 1);
    free(got);
    assert_int_equal(empty_folder(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_key),      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage),
        cmocka_unit_test(test_not_ours), cmocka_unit_test(test_no_folder),  cmocka_unit_test(test_writers),
        cmocka_unit_test(test_leftover),
    };
    if (!myr_hash_available())
        return 77; /* no xxHash: no cache */
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
