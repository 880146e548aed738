/* test_checkpoint.c - the container of checkpoints: what goes in comes out, and anything else is refused by name. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "io/checkpoint_layout.h"

enum { LARGE = 3 * (1 << 20) + 17 }; /* more than one piece of the reader */

static int skip_without_hashes(void)
{
    if (myr_hash_available())
        return 0;
    print_message("skipped: this build has no xxHash\n");
    return 1;
}

/* Bytes that depend on a number. */
static void fill(unsigned char *bytes, size_t size, unsigned number)
{
    uint32_t x = number * 2654435761u + 1;
    for (size_t i = 0; i < size; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(x >> 24);
    }
}

/* A small checkpoint: alpha (40 bytes), empty, beta (100 bytes), all made from a number. */
static void add_small(myr_checkpoint_writer *w, unsigned number)
{
    unsigned char bytes[100];
    fill(bytes, sizeof bytes, number);
    assert_int_equal(myr_checkpoint_add(w, "alpha", bytes, 40), MYR_OK);
    assert_int_equal(myr_checkpoint_add(w, "empty", NULL, 0), MYR_OK);
    assert_int_equal(myr_checkpoint_add(w, "beta", bytes, 100), MYR_OK);
}

static void write_small(scratch *s, const char *name, unsigned number, int keep)
{
    myr_checkpoint_writer *w = NULL;
    assert_int_equal(myr_checkpoint_create(s->context, scratch_path(s, name), &w), MYR_OK);
    add_small(w, number);
    assert_int_equal(myr_checkpoint_commit(&w, keep), MYR_OK);
    assert_null(w);
}

/* The number of a small checkpoint that reads as valid, or -1. */
static int read_small(scratch *s, const char *name)
{
    unsigned char expected[100];
    myr_checkpoint *c = NULL;
    int number = -1;
    if (myr_checkpoint_open_share(s->context, scratch_path(s, name), 0, 1, &c) != MYR_OK) {
        assert_null(c);
        return -1;
    }
    size_t size = 0;
    const void *bytes = myr_checkpoint_section(c, "beta", &size);
    assert_int_equal(size, 100);
    for (unsigned k = 0; k < 10 && number < 0; k++) {
        fill(expected, sizeof expected, k);
        if (memcmp(bytes, expected, size) == 0)
            number = (int)k;
    }
    myr_checkpoint_close(&c);
    assert_true(number >= 0);
    return number;
}

static void test_round_trip(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    scratch_begin(&s);
    const size_t sizes[] = {0, 1, 63, 64, 65, 1 << 20, LARGE};
    const int n = sizeof sizes / sizeof sizes[0];
    unsigned char *bytes = malloc(LARGE);
    myr_checkpoint_writer *w = NULL;
    myr_checkpoint *c = NULL;
    char name[32];
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_OK);
    for (int k = 0; k < n; k++) {
        snprintf(name, sizeof name, "section number %d", k);
        fill(bytes, sizes[k], (unsigned)k);
        assert_int_equal(myr_checkpoint_add(w, name, bytes, sizes[k]), MYR_OK);
    }
    assert_int_equal(myr_checkpoint_add(w, "a name of thirty-one characters", "x", 1), MYR_OK);
    assert_int_equal(myr_checkpoint_commit(&w, 0), MYR_OK);
    assert_int_equal(scratch_entries(&s), 1);
    assert_int_equal(myr_checkpoint_verify(s.context, scratch_path(&s, "a")), MYR_OK);
    assert_int_equal(myr_checkpoint_open_share(s.context, scratch_path(&s, "a"), 0, 1, &c), MYR_OK);
    assert_non_null(myr_checkpoint_section_name(c, n));
    assert_null(myr_checkpoint_section_name(c, n + 1));
    for (int k = 0; k < n; k++) {
        size_t size = 1;
        snprintf(name, sizeof name, "section number %d", k);
        assert_string_equal(myr_checkpoint_section_name(c, k), name);
        const void *got = myr_checkpoint_section(c, name, &size);
        assert_non_null(got);
        assert_int_equal((uintptr_t)got % 64, 0);
        assert_int_equal(size, sizes[k]);
        fill(bytes, size, (unsigned)k);
        assert_memory_equal(got, bytes, size);
    }
    size_t size = 1;
    assert_null(myr_checkpoint_section(c, "section number 7", &size));
    assert_int_equal(size, 0);
    assert_null(myr_checkpoint_section_name(c, n + 1));
    assert_null(myr_checkpoint_section_name(c, -1));
    myr_checkpoint_close(&c);
    assert_null(c);
    free(bytes);
    scratch_end(&s);
}

/* Every bit of a file, one at a time. */
static void test_any_flipped_bit(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    size_t size;
    scratch_begin(&s);
    write_small(&s, "a", 1, 0);
    unsigned char *bytes = scratch_load(scratch_path(&s, "a"), &size);
    assert_int_equal(size, 64 + 40 + 100 + 3 * 64);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        myr_checkpoint *c = NULL;
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        scratch_store(scratch_path(&s, "b"), bytes, size);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (myr_checkpoint_open_share(s.context, s.path, 0, 1, &c) != MYR_ERROR_FORMAT ||
            myr_checkpoint_verify(s.context, s.path) != MYR_ERROR_FORMAT)
            fail_msg("bit %zu of byte %zu was not missed", bit % 8, bit / 8);
        assert_null(c);
        scratch_says(&s, s.path);
        const size_t byte = bit / 8;
        if (byte >= 104 && byte < 204)
            scratch_says(&s, "section 'beta' (bytes 104 to 203)");
        else if (byte >= 64 && byte < 104)
            scratch_says(&s, "section 'alpha' (bytes 64 to 103)");
        else if (byte >= 204)
            scratch_says(&s, "section table (bytes 204 to 395)");
    }
    scratch_store(scratch_path(&s, "b"), bytes, size);
    assert_int_equal(read_small(&s, "b"), 1); /* the test itself did not spoil it */
    free(bytes);
    scratch_end(&s);
}

static void test_cut_short_or_longer(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    size_t size;
    scratch_begin(&s);
    write_small(&s, "a", 1, 0);
    unsigned char *bytes = scratch_load(scratch_path(&s, "a"), &size);
    for (size_t n = 0; n < size; n++) {
        scratch_store(scratch_path(&s, "b"), bytes, n);
        assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
        scratch_says(&s, "is cut short");
    }
    bytes[size] = 0;
    scratch_store(scratch_path(&s, "b"), bytes, size + 1);
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
    scratch_says(&s, "1 bytes after its end at byte 396");
    scratch_store(scratch_path(&s, "b"), "id,type\n1,2\n", 12);
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
    scratch_says(&s, "no checkpoint of Myriad");
    free(bytes);
    scratch_end(&s);
}

/* Makes the hashes of table and header right again, so that what they hold has to be checked by itself. */
static void seal(unsigned char *bytes)
{
    myr_checkpoint_header h;
    memcpy(&h, bytes, sizeof h);
    if (h.table <= 4096 && h.length >= h.table && h.length <= 4096)
        h.table_hash = myr_hash_bytes(bytes + h.table, h.length - h.table);
    h.header_hash = myr_hash_bytes(&h, offsetof(myr_checkpoint_header, header_hash)).low;
    memcpy(bytes, &h, sizeof h);
}

/* Writes `value` at an offset, seals, and expects a refusal that says so. */
static void expect_refusal(scratch *s, const unsigned char *bytes, size_t size, size_t offset, const void *value,
                           size_t count, const char *says)
{
    unsigned char copy[4096];
    memcpy(copy, bytes, size);
    memcpy(copy + offset, value, count);
    seal(copy);
    scratch_store(scratch_path(s, "b"), copy, size);
    assert_int_equal(myr_checkpoint_verify(s->context, s->path), MYR_ERROR_FORMAT);
    scratch_says(s, says);
    myr_checkpoint *c = NULL;
    assert_int_equal(myr_checkpoint_open_share(s->context, s->path, 0, 1, &c), MYR_ERROR_FORMAT);
    assert_null(c);
}

/* Files whose hashes are right and whose numbers lie: none may lead to an allocation (that would be another status). */
static void test_lies_with_right_hashes(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    size_t size;
    scratch_begin(&s);
    write_small(&s, "a", 1, 0);
    unsigned char *b = scratch_load(scratch_path(&s, "a"), &size);
    const size_t table = 204, beta = table + 2 * 64;
    const uint64_t huge = UINT64_MAX - 7, much = (uint64_t)1 << 60;
    const uint32_t one = 1, two = 2, four = 4, swapped = 0x04030201, many = 0xffffffff, other = 0x01020305;
#define LIE(at, value, says) expect_refusal(&s, b, size, at, &(value), sizeof(value), says)
    LIE(offsetof(myr_checkpoint_header, version), one, "has version 1; this program reads version 2");
    LIE(offsetof(myr_checkpoint_header, order), swapped, "other byte order");
    LIE(offsetof(myr_checkpoint_header, order), other, "does not fit");
    LIE(offsetof(myr_checkpoint_header, length), huge, "is cut short");
    LIE(offsetof(myr_checkpoint_header, table), huge, "does not fit");
    LIE(offsetof(myr_checkpoint_header, table), much, "does not fit");
    LIE(offsetof(myr_checkpoint_header, sections), many, "does not fit");
    LIE(offsetof(myr_checkpoint_header, sections), two, "does not fit");
    LIE(offsetof(myr_checkpoint_header, parts), four, "does not fit");
    LIE(offsetof(myr_checkpoint_header, parts), many, "does not fit");
    LIE(offsetof(myr_checkpoint_header, parts), two, "has no 'particles 0' in table entry 0 at byte 204");
    LIE(beta + offsetof(myr_checkpoint_entry, size), huge, "section 'beta' has 18446744073709551608 bytes");
    LIE(beta + offsetof(myr_checkpoint_entry, size), much, "section 'beta'");
    LIE(beta + offsetof(myr_checkpoint_entry, offset), much, "section 'beta'");
    const uint64_t less = 99, overlap = 64;
    LIE(beta + offsetof(myr_checkpoint_entry, size), less, "bytes 203 to 203 that belong to no section");
    LIE(beta + offsetof(myr_checkpoint_entry, offset), overlap, "section 'beta'");
    const char same[32] = "alpha", none[32] = "", unclean[32] = "beta\0x";
    LIE(beta, same, "two sections 'alpha'");
    LIE(beta, none, "no proper name in table entry 2");
    LIE(beta, unclean, "no proper name in table entry 2");
    char endless[32];
    memset(endless, 'x', sizeof endless);
    LIE(beta, endless, "no proper name in table entry 2");
#undef LIE
    free(b);
    scratch_end(&s);
}

static void test_writer_refuses(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    static const struct {
        const char *name, *says;
        myr_status status;
    } bad[] = {{"", "1 to 31 characters", MYR_ERROR_ARGUMENT},
               {NULL, "1 to 31 characters", MYR_ERROR_ARGUMENT},
               {"a name of thirty-two characters.", "1 to 31 characters", MYR_ERROR_ARGUMENT},
               {"alpha", "section 'alpha' already", MYR_ERROR_NAME}};
    scratch s;
    scratch_begin(&s);
    write_small(&s, "a", 1, 0);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        myr_checkpoint_writer *w = NULL;
        assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_OK);
        add_small(w, 2);
        assert_int_equal(myr_checkpoint_add(w, bad[k].name, "x", 1), bad[k].status);
        scratch_says(&s, bad[k].says);
        assert_int_equal(scratch_entries(&s), 1); /* gone at once */
        assert_int_equal(myr_checkpoint_add(w, "more", "x", 1), bad[k].status);
        assert_int_equal(myr_checkpoint_commit(&w, 0), bad[k].status);
        scratch_says(&s, bad[k].says);
        assert_null(w);
        assert_int_equal(read_small(&s, "a"), 1);
    }
    myr_checkpoint_writer *w = NULL;
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_OK);
    add_small(w, 2);
    assert_int_equal(scratch_entries(&s), 2);
    myr_checkpoint_abandon(&w);
    assert_null(w);
    assert_int_equal(scratch_entries(&s), 1);
    assert_int_equal(read_small(&s, "a"), 1);
    assert_int_equal(myr_checkpoint_commit(&w, 0), MYR_ERROR_ARGUMENT);
    scratch_end(&s);
}

/* What stands at a path is not always a file that may be replaced. */
static void test_paths(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    myr_checkpoint_writer *w = NULL;
    scratch_begin(&s);
    assert_int_equal(mkdir(scratch_path(&s, "d"), 0777), 0);
    assert_int_equal(myr_checkpoint_create(s.context, s.path, &w), MYR_ERROR_FILE);
    scratch_says(&s, "a directory of that name");
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FILE);
    scratch_says(&s, "it is a directory");
    assert_int_equal(mkfifo(scratch_path(&s, "p"), 0666), 0);
    assert_int_equal(myr_checkpoint_create(s.context, s.path, &w), MYR_ERROR_FILE);
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FILE);
    scratch_says(&s, "not a regular file");
    assert_int_equal(myr_checkpoint_create(s.context, "/dev/null", &w), MYR_ERROR_FILE);
    scratch_says(&s, "something other than a file");
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "no/a"), &w), MYR_ERROR_FILE);
    scratch_says(&s, "No such file or directory");
    assert_int_equal(myr_checkpoint_verify(s.context, scratch_path(&s, "none")), MYR_ERROR_FILE);
    scratch_says(&s, "No such file or directory");
    /* a link is followed, and stays a link */
    char link_path[200];
    struct stat link_stat;
    write_small(&s, "a", 1, 0);
    snprintf(link_path, sizeof link_path, "%s/l", s.folder);
    assert_int_equal(symlink(scratch_path(&s, "a"), link_path), 0);
    write_small(&s, "l", 2, 1);
    assert_int_equal(lstat(link_path, &link_stat), 0);
    assert_true(S_ISLNK(link_stat.st_mode));
    assert_int_equal(read_small(&s, "a"), 2);
    assert_int_equal(read_small(&s, "a.previous"), 1);
    assert_null(w);
    scratch_end(&s);
}

/* Two writers of one path: the second is told, and the first is not disturbed. A writer that was killed leaves a file
 * that the next one takes over. */
static void test_two_writers(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    myr_checkpoint_writer *first = NULL, *second = NULL;
    scratch_begin(&s);
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &first), MYR_OK);
    add_small(first, 1);
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &second), MYR_ERROR_FILE);
    scratch_says(&s, "another process is writing it");
    assert_null(second);
    assert_int_equal(myr_checkpoint_commit(&first, 0), MYR_OK);
    assert_int_equal(read_small(&s, "a"), 1);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (myr_checkpoint_create(s.context, scratch_path(&s, "a"), &second) == MYR_OK)
            myr_checkpoint_add(second, "much", s.folder, sizeof s.folder);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(scratch_exists(&s, "a.partial"));
    write_small(&s, "a", 2, 0);
    assert_false(scratch_exists(&s, "a.partial"));
    assert_int_equal(read_small(&s, "a"), 2);
    scratch_end(&s);
}

static void damage(scratch *s, const char *name)
{
    size_t size;
    unsigned char *bytes = scratch_load(scratch_path(s, name), &size);
    bytes[150] ^= 4;
    scratch_store(s->path, bytes, size);
    free(bytes);
}

static void test_last_two(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    int previous = -1;
    myr_checkpoint *c = NULL;
    scratch_begin(&s);
    for (unsigned k = 1; k <= 3; k++)
        write_small(&s, "a", k, 1);
    assert_int_equal(scratch_entries(&s), 2);
    assert_int_equal(read_small(&s, "a"), 3);
    assert_int_equal(read_small(&s, "a.previous"), 2);
    assert_int_equal(myr_checkpoint_open_latest(s.context, scratch_path(&s, "a"), &c, &previous), MYR_OK);
    assert_int_equal(previous, 0);
    assert_int_equal(s.warnings, 0);
    myr_checkpoint_close(&c);
    /* damage: the previous one, loudly */
    damage(&s, "a");
    assert_int_equal(myr_checkpoint_open_latest(s.context, scratch_path(&s, "a"), &c, &previous), MYR_OK);
    assert_int_equal(previous, 1);
    assert_int_equal(s.warnings, 1);
    assert_non_null(strstr(s.warning, "section 'beta'"));
    assert_non_null(strstr(s.warning, "a.previous' is used instead"));
    myr_checkpoint_close(&c);
    /* the damaged one must not push the good one out */
    write_small(&s, "a", 4, 1);
    assert_int_equal(s.warnings, 2);
    assert_non_null(strstr(s.warning, "does not become the previous checkpoint"));
    assert_int_equal(read_small(&s, "a"), 4);
    assert_int_equal(read_small(&s, "a.previous"), 2);
    /* only the previous one is there */
    assert_int_equal(unlink(scratch_path(&s, "a")), 0);
    assert_int_equal(myr_checkpoint_open_latest(s.context, scratch_path(&s, "a"), &c, NULL), MYR_OK);
    assert_int_equal(s.warnings, 3);
    myr_checkpoint_close(&c);
    /* none is good: both reasons */
    damage(&s, "a.previous");
    assert_int_equal(myr_checkpoint_open_latest(s.context, scratch_path(&s, "a"), &c, &previous), MYR_ERROR_FILE);
    assert_null(c);
    scratch_says(&s, "No such file or directory");
    scratch_says(&s, "section 'beta'");
    scratch_end(&s);
}

static void test_rotation(void **state)
{
    (void)state;
    if (skip_without_hashes())
        skip();
    scratch s;
    scratch_begin(&s);
    assert_int_equal(myr_checkpoint_rotate(s.context, scratch_path(&s, "a")), MYR_OK); /* nothing there yet */
    write_small(&s, "a", 1, 0);
    assert_int_equal(myr_checkpoint_rotate(s.context, scratch_path(&s, "a")), MYR_OK);
    assert_int_equal(read_small(&s, "a"), 1); /* both names, one file: as a crash at this moment leaves it */
    assert_int_equal(read_small(&s, "a.previous"), 1);
    assert_int_equal(myr_checkpoint_rotate(s.context, scratch_path(&s, "a")), MYR_OK);
    assert_int_equal(scratch_entries(&s), 2);
    write_small(&s, "a", 2, 1);
    assert_int_equal(read_small(&s, "a"), 2);
    assert_int_equal(read_small(&s, "a.previous"), 1);
    assert_int_equal(scratch_entries(&s), 2);
    scratch_end(&s);
}

static void test_without_hashes(void **state)
{
    (void)state;
    if (myr_hash_available())
        skip();
    scratch s;
    myr_checkpoint_writer *w = NULL;
    myr_checkpoint *c = NULL;
    scratch_begin(&s);
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_ERROR_UNAVAILABLE);
    scratch_says(&s, "libxxhash-dev");
    assert_int_equal(myr_checkpoint_open_share(s.context, scratch_path(&s, "a"), 0, 1, &c), MYR_ERROR_UNAVAILABLE);
    scratch_says(&s, "libxxhash-dev");
    assert_int_equal(scratch_entries(&s), 0);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_any_flipped_bit),
        cmocka_unit_test(test_cut_short_or_longer),
        cmocka_unit_test(test_lies_with_right_hashes),
        cmocka_unit_test(test_writer_refuses),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_last_two),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_without_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
