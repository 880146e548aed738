/* test_checkpoint_faults.c - checkpoints on bad days: killed at every system call and at random moments, every call
 * failing once, a full disk. There is always a valid checkpoint, and never a file that reads as valid and is not.
 *
 * The calls that change files are replaced here by ones that can be told to fail, or to be the last. */
#include "unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "io/checkpoint.h"
#include "core/hash.h"

/* --- calls that fail -------------------------------------------------------------------------------------------------
 */

enum { FAULT_NONE, FAULT_ERROR, FAULT_DEATH };

static struct {
    int kind, at, calls, error;
    const char *failed; /* the call that was made to fail */
    int halves;         /* write only half of what is asked for */
} fault;

/* 1 where this call has to fail. */
static int fault_here(const char *call)
{
    if (fault.kind == FAULT_NONE || ++fault.calls != fault.at)
        return 0;
    if (fault.kind == FAULT_DEATH)
        kill(getpid(), SIGKILL);
    fault.failed = call;
    errno = fault.error;
    return 1;
}

/* The library is a shared one here: its calls come to these functions where they are visible to it. */
#pragma GCC visibility push(default)
int rename(const char *from, const char *to)
{
    return fault_here("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int link(const char *from, const char *to)
{
    return fault_here("link") ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    return fault_here("unlink") ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int fsync(int descriptor)
{
    return fault_here("fsync") ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int ftruncate(int descriptor, off_t size)
{
    return fault_here("ftruncate") ? -1 : (int)syscall(SYS_ftruncate, descriptor, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    if (fault.halves && size > 1)
        size /= 2;
    return fault_here("pwrite") ? -1 : (ssize_t)syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}
#pragma GCC visibility pop

/* --- checkpoints that know what they should hold ---------------------------------------------------------------------
 */

enum { WORDS = 20000 };

/* Section "number" is a number, section "words" is made from it. */
static myr_status write_numbered(scratch *s, const char *path, uint32_t number)
{
    static uint32_t words[WORDS];
    myr_checkpoint_writer *w = NULL;
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = number * 2654435761u + i * 40503u;
    myr_status status = myr_checkpoint_create(s->context, path, &w);
    if (!status)
        status = myr_checkpoint_add(w, "number", &number, sizeof number);
    if (!status)
        status = myr_checkpoint_add(w, "words", words, sizeof words);
    if (w)
        status = myr_checkpoint_commit(&w, 1);
    return status;
}

static int64_t number_of(myr_checkpoint *c)
{
    uint32_t number;
    size_t size = 0;
    memcpy(&number, myr_checkpoint_section(c, "number", &size), sizeof number);
    assert_int_equal(size, sizeof number);
    const uint32_t *words = myr_checkpoint_section(c, "words", &size);
    assert_int_equal(size, WORDS * sizeof *words);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(words[i], number * 2654435761u + i * 40503u);
    return number;
}

/* The number of a file that reads as valid (and then it must be right), or -1. */
static int64_t read_numbered(scratch *s, const char *path)
{
    myr_checkpoint *c = NULL;
    if (myr_checkpoint_open_share(s->context, path, 0, 1, &c) != MYR_OK)
        return -1;
    const int64_t number = number_of(c);
    myr_checkpoint_close(&c);
    return number;
}

static int64_t read_latest(scratch *s, const char *path)
{
    myr_checkpoint *c = NULL;
    if (myr_checkpoint_open_latest(s->context, path, &c, NULL) != MYR_OK)
        return -1;
    const int64_t number = number_of(c);
    myr_checkpoint_close(&c);
    return number;
}

static int start(scratch *s, char path[200])
{
    if (!myr_hash_available()) {
        print_message("skipped: this build has no xxHash\n");
        return 0;
    }
    fault = (typeof(fault)){0};
    scratch_begin(s);
    snprintf(path, 200, "%s/run.checkpoint", s->folder);
    return 1;
}

/* Files 2 and 1 are there; 3 is being written when death or an error comes at call `at`. */
static void prepare(scratch *s, const char *path)
{
    assert_int_equal(write_numbered(s, path, 1), MYR_OK);
    assert_int_equal(write_numbered(s, path, 2), MYR_OK);
}

static void test_killed_at_every_call(void **state)
{
    (void)state;
    scratch s;
    char path[200], previous[220];
    int finished = 0, at = 0;
    if (!start(&s, path))
        skip();
    snprintf(previous, sizeof previous, "%s.previous", path);
    while (!finished) {
        int status = 0;
        at++;
        prepare(&s, path);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            fault.kind = FAULT_DEATH;
            fault.at = at;
            _exit(write_numbered(&s, path, 3) == MYR_OK ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        finished = WIFEXITED(status);
        assert_true(finished ? WEXITSTATUS(status) == 0 : WTERMSIG(status) == SIGKILL);
        const int64_t latest = read_latest(&s, path), first = read_numbered(&s, path),
                      second = read_numbered(&s, previous);
        if (latest < 2 || (finished && latest != 3) || first != latest || second < 1 || second > 2)
            fail_msg("killed at call %d: latest %lld, at the path %lld, before it %lld", at, (long long)latest,
                     (long long)first, (long long)second);
    }
    assert_true(at > 8); /* open to rename: the calls were counted at all */
    assert_int_equal(write_numbered(&s, path, 4), MYR_OK);
    assert_int_equal(scratch_entries(&s), 2); /* what the dead left behind is gone */
    scratch_end(&s);
}

static void test_every_call_fails_once(void **state)
{
    (void)state;
    scratch s;
    char path[200], previous[220];
    int errors = 0, calls = 0;
    if (!start(&s, path))
        skip();
    snprintf(previous, sizeof previous, "%s.previous", path);
    for (int at = 1; at == 1 || fault.failed; at++) {
        fault.kind = FAULT_NONE;
        prepare(&s, path);
        fault = (typeof(fault)){.kind = FAULT_ERROR, .at = at, .error = at % 2 ? ENOSPC : EIO};
        const myr_status status = write_numbered(&s, path, 3);
        fault.kind = FAULT_NONE;
        if (!fault.failed) {
            assert_int_equal(status, MYR_OK);
            break;
        }
        calls++;
        if (status) {
            errors++;
            assert_int_equal(status, MYR_ERROR_FILE);
            scratch_says(&s, s.folder);
            scratch_says(&s, at % 2 ? "No space left on device" : "Input/output error");
        }
        /* the directory is flushed last: then the new one is there */
        const int64_t first = read_numbered(&s, path), second = read_numbered(&s, previous);
        if (first != (status ? 2 : 3) && !(status && strcmp(fault.failed, "fsync") == 0 && first == 3))
            fail_msg("call %d (%s) failed, status %d: at the path is %lld", at, fault.failed, (int)status,
                     (long long)first);
        assert_true(second == 1 || second == 2);
        if (strcmp(fault.failed, "unlink") != 0)
            assert_int_equal(scratch_entries(&s), 2);
    }
    assert_true(calls > 8 && errors > 6);
    scratch_end(&s);
}

/* A disk may take less than it is given. */
static void test_short_writes(void **state)
{
    (void)state;
    scratch s;
    char path[200];
    if (!start(&s, path))
        skip();
    fault.halves = 1;
    assert_int_equal(write_numbered(&s, path, 5), MYR_OK);
    fault.halves = 0;
    assert_int_equal(read_numbered(&s, path), 5);
    scratch_end(&s);
}

/* Writes checkpoints for ever, and tells through a pipe which one is on the disk. */
static void write_until_killed(scratch *s, const char *path, uint32_t number, int report)
{
    for (;; number++) {
        if (write_numbered(s, path, number) != MYR_OK)
            _exit(1);
        if (syscall(SYS_write, report, &number, sizeof number) != sizeof number)
            _exit(2);
    }
}

static void test_killed_fifty_times(void **state)
{
    (void)state;
    scratch s;
    char path[200];
    uint32_t number = 0, done = 0;
    int landed = 0;
    if (!start(&s, path))
        skip();
    for (int round = 0; round < 50; round++) {
        int report[2], status = 0;
        assert_int_equal(pipe(report), 0);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            write_until_killed(&s, path, done + 1, report[1]);
        close(report[1]);
        /* until a first one of this round is there, then for a while that differs from round to round */
        if (round % 5)
            assert_int_equal(read(report[0], &number, sizeof number), sizeof number);
        const struct timespec while_writing = {0, (round * 7919 % 50) * 100000L};
        nanosleep(&while_writing, NULL);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        while (read(report[0], &number, sizeof number) == sizeof number)
            ;
        close(report[0]);
        /* the last that was reported, or the one after it */
        const int64_t latest = read_latest(&s, path);
        if (number == 0 && latest < 0)
            continue;
        if (latest != number && latest != (int64_t)number + 1)
            fail_msg("round %d: %u was on the disk, %lld is read", round, number, (long long)latest);
        landed += latest > done;
        done = number = (uint32_t)latest;
    }
    assert_true(landed >= 30); /* rounds in which something was written */
    print_message("  %u checkpoints in 50 rounds\n", (unsigned)done);
    assert_int_equal(write_numbered(&s, path, done + 1), MYR_OK);
    assert_int_equal(scratch_entries(&s), 2);
    scratch_end(&s);
}

/* Writes number 2 where there is no room for it beside number 1. */
typedef struct {
    myr_status status;
    char message[512];
    int64_t number; /* what is at the path then */
    int partial;    /* whether something was left behind */
} outcome;

static outcome write_without_room(scratch *s, const char *path)
{
    char partial[220];
    outcome o = {.status = write_numbered(s, path, 2)};
    snprintf(o.message, sizeof o.message, "%s", myr_context_message(s->context));
    snprintf(partial, sizeof partial, "%s.partial", path);
    o.number = read_numbered(s, path);
    o.partial = access(partial, F_OK) == 0;
    return o;
}

static void expect_full(const outcome *o, const char *path, const char *says)
{
    assert_int_equal(o->status, MYR_ERROR_FILE);
    assert_non_null(strstr(o->message, path));
    assert_non_null(strstr(o->message, says));
    assert_int_equal(o->number, 1);
    assert_false(o->partial);
}

static void test_file_size_limit(void **state)
{
    (void)state;
    scratch s;
    char path[200];
    struct rlimit before, limit;
    if (!start(&s, path))
        skip();
    assert_int_equal(write_numbered(&s, path, 1), MYR_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = WORDS * 2;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const outcome o = write_without_room(&s, path);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    expect_full(&o, path, "File too large");
    assert_int_equal(write_numbered(&s, path, 2), MYR_OK);
    assert_int_equal(read_numbered(&s, path), 2);
    scratch_end(&s);
}

static void test_full_disk(void **state)
{
    (void)state;
    scratch s;
    char path[200];
    if (!start(&s, path))
        skip();
    if (mount("myriad_test", s.folder, "tmpfs", 0, "size=128k") != 0) {
        print_message("skipped: cannot mount a small disk (%s)\n", strerror(errno));
        scratch_end(&s);
        skip();
    }
    const myr_status first = write_numbered(&s, path, 1); /* 80 of 128 KiB */
    const outcome o = write_without_room(&s, path);
    assert_int_equal(umount(s.folder), 0); /* before anything may fail */
    assert_int_equal(first, MYR_OK);
    expect_full(&o, path, "No space left on device");
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_at_every_call), cmocka_unit_test(test_every_call_fails_once),
        cmocka_unit_test(test_short_writes),         cmocka_unit_test(test_killed_fifty_times),
        cmocka_unit_test(test_file_size_limit),      cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
