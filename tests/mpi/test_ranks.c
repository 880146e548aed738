/* test_ranks.c - what ranks say to each other arrives. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranks.h"

static void test_reductions(void **state)
{
    (void)state;
    double most[3] = {me, -me, me == ranks - 1 ? NAN : 0};
    check(myr_ranks_max(context, most, 3));
    assert_true(most[0] == ranks - 1 && most[1] == 0 && most[2] == (double)INFINITY);
    uint64_t flags[2] = {UINT64_C(1) << me, UINT64_C(1) << 63};
    check(myr_ranks_any(context, flags, 2));
    assert_true(flags[0] == (UINT64_C(1) << ranks) - 1 && flags[1] == UINT64_C(1) << 63);
    int64_t sum[2] = {me, -INT64_C(4000000000) * (me + 1)};
    check(myr_ranks_sum(context, sum, 2));
    assert_true(sum[0] == ranks * (ranks - 1) / 2 && sum[1] == -INT64_C(2000000000) * ranks * (ranks + 1));
    int64_t each[64];
    check(myr_ranks_all(context, 7 * me - 1, each));
    for (int k = 0; k < ranks; k++)
        assert_int_equal(each[k], 7 * k - 1);
}

/* Messages go while the others' values are under way; a rank that asks for something else meanwhile gets that. */
static void test_ahead(void **state)
{
    (void)state;
    double most[2] = {me, -3 - me}, other = 10 + me;
    int done;
    if (ranks == 1) {
        assert_int_equal(myr_ranks_max_begin(context, most, 2), MYR_ERROR_ARGUMENT);
        return;
    }
    const int64_t before = myr_ranks_reductions(context);
    check(myr_ranks_max_begin(context, most, 2));
    char out = (char)me, in = -1;
    myr_rank_message m[2] = {{&in, 1, (me + ranks - 1) % ranks, 5, 0, NULL}, {&out, 1, (me + 1) % ranks, 5, 1, NULL}};
    check(myr_ranks_start(context, m, 2));
    for (done = 0; !done;)
        check(myr_ranks_test(context, m, 2, &done));
    assert_int_equal(in, (me + ranks - 1) % ranks);
    for (done = 0; !done;)
        check(myr_ranks_max_end(context, me % 2, most, 2, &done));
    assert_true(most[0] == ranks - 1 && most[1] == -3);
    check(myr_ranks_max_begin(context, most, 2));
    check(myr_ranks_max(context, &other, 1));
    assert_true(other == 10 + ranks - 1);
    assert_int_equal(myr_ranks_reductions(context), before + 3);
    assert_int_equal(myr_ranks_max_end(context, 1, most, 2, &done), MYR_ERROR_ARGUMENT);
}

/* Numbers of both signs beyond 64 bits, more of them than go at once. */
static void test_wide(void **state)
{
    enum { N = 150 };
    myr_wide value[N];
    (void)state;
    for (int k = 0; k < N; k++)
        value[k] = (k - 70) * ((myr_wide)1 << 90) + (k % 2 ? -1 : 1) * (myr_wide)me;
    check(myr_ranks_sum_wide(context, value, N));
    for (int k = 0; k < N; k++)
        assert_true(value[k] == (k - 70) * ((myr_wide)1 << 90) * ranks + (k % 2 ? -1 : 1) * ranks * (ranks - 1) / 2);
}

/* x 2^(32 shift) as an integer of 256 bits. */
static void place(uint64_t to[MYR_RANKS_WIDER], int64_t x, int shift)
{
    for (int k = 0; k < MYR_RANKS_WIDER; k++)
        to[k] = x < 0 ? UINT64_MAX : 0;
    for (int k = 0; k < 4; k++) { /* half a word each, from the lowest */
        const uint64_t half = k < 2 ? (uint64_t)x >> 32 * k & 0xffffffff : x < 0 ? 0xffffffff : 0;
        const int at = shift + k;
        if (at < 2 * MYR_RANKS_WIDER)
            to[at / 2] = (to[at / 2] & ~(UINT64_C(0xffffffff) << 32 * (at % 2))) | half << 32 * (at % 2);
    }
    for (int k = 0; k < shift; k++)
        to[k / 2] &= ~(UINT64_C(0xffffffff) << 32 * (k % 2));
}

/* Numbers of both signs, whose carries go through all words. */
static void test_wider(void **state)
{
    enum { SHIFTS = 7 };
    uint64_t value[2 * SHIFTS][MYR_RANKS_WIDER], sum[MYR_RANKS_WIDER];
    (void)state;
    for (int k = 0; k < 2 * SHIFTS; k++)
        place(value[k], (k % 2 ? -1 : 1) * (INT64_C(1) << 60) * (me % 2 ? -1 : 1) + me, k / 2);
    check(myr_ranks_sum_wider(context, value[0], 2 * SHIFTS));
    for (int k = 0; k < 2 * SHIFTS; k++) {
        place(sum, (k % 2 ? -1 : 1) * (INT64_C(1) << 60) * (ranks % 2) + ranks * (ranks - 1) / 2, k / 2);
        assert_memory_equal(value[k], sum, sizeof sum);
    }
}

/* Even and odd ranks by themselves, twice; then all together again. */
static void test_groups(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        myr_context *part;
        assert_int_equal(myr_context_create(&part), MYR_OK);
        check(myr_ranks_open_group(part, context, me % 2));
        const int members = (ranks + 1 - me % 2) / 2;
        int64_t sum[1] = {me}, expected = 0;
        for (int k = me % 2; k < ranks; k += 2)
            expected += k;
        assert_int_equal(myr_ranks_count(part), members);
        assert_int_equal(myr_ranks_me(part), me / 2);
        assert_int_equal(myr_ranks_sum(part, sum, 1), MYR_OK);
        assert_int_equal(sum[0], expected);
        /* a failure in one group is none of the other */
        const int fails = round == 1 && me == 0;
        const myr_status status =
            myr_ranks_agree(part, fails ? myr_context_fail(part, MYR_ERROR_FILE, "one group") : MYR_OK);
        assert_int_equal(status, round == 1 && me % 2 == 0 ? MYR_ERROR_FILE : MYR_OK);
        assert_int_equal(myr_ranks_open_group(part, context, 0), MYR_ERROR_VALUE);
        myr_context_destroy(&part);
    }
    double most = me;
    check(myr_ranks_max(context, &most, 1));
    assert_true(most == ranks - 1);
}

/* Rank k has k bytes more than the one before it, the second none. */
static void test_gather(void **state)
{
    unsigned char mine[1000], all[64 * 1000];
    size_t offset = 0;
    (void)state;
    const size_t size = me == 1 ? 0 : 100 + (size_t)me;
    memset(mine, me, sizeof mine);
    check(myr_ranks_gather(context, mine, size, all));
    for (int k = 0; k < ranks && me == 0; k++)
        for (size_t b = 0; b < (k == 1 ? 0 : 100 + (size_t)k); b++)
            assert_int_equal(all[offset++], k);
    char word[16];
    snprintf(word, sizeof word, "from %d", me);
    check(myr_ranks_broadcast(context, word, sizeof word, ranks - 1));
    assert_int_equal(atoi(word + 5), ranks - 1);
}

/* Round a ring in both directions at once. */
static void test_messages(void **state)
{
    enum { N = 50000 };
    static int32_t out[2][N], in[2][N];
    (void)state;
    if (ranks == 1)
        return;
    const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
    for (int k = 0; k < N; k++) {
        out[0][k] = me * N + k;
        out[1][k] = -out[0][k];
    }
    myr_rank_message m[4] = {{in[0], sizeof in[0], left, 5, 0, NULL},
                             {in[1], sizeof in[1], right, 6, 0, NULL},
                             {out[0], sizeof out[0], right, 5, 1, NULL},
                             {out[1], sizeof out[1], left, 6, 1, NULL}};
    check(myr_ranks_start(context, m, 4));
    check(myr_ranks_finish(context, m, 4));
    for (int k = 0; k < N; k++)
        assert_true(in[0][k] == left * N + k && in[1][k] == -(right * N + k));
}

/* More bytes than an int can count. MYRIAD_TEST_LONG=1: it takes 4.3 GB. */
static void test_large_message(void **state)
{
    const size_t size = ((size_t)1 << 31) + 12345;
    (void)state;
    if (!getenv("MYRIAD_TEST_LONG") || ranks != 2)
        return;
    unsigned char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t k = 0; k < size; k++)
        bytes[k] = me == 0 ? (unsigned char)(k * 2654435761u >> 13) : 0;
    myr_rank_message m = {bytes, size, 1 - me, 6, me == 0, NULL};
    check(myr_ranks_start(context, &m, 1));
    check(myr_ranks_finish(context, &m, 1));
    size_t wrong = 0;
    for (size_t k = 0; k < size; k++)
        wrong += bytes[k] != (unsigned char)(k * 2654435761u >> 13);
    assert_int_equal(wrong, 0);
    free(bytes);
}

/* The lowest of those that failed speaks for all; some are elsewhere meanwhile. After that nothing works any more. */
static void test_agree(void **state)
{
    myr_status mine = MYR_OK;
    int64_t value[64] = {0};
    (void)state;
    check(myr_ranks_agree(context, mine));
    if (me % 2 || ranks == 1)
        mine = myr_context_fail(context, me == 1 ? MYR_ERROR_FILE : MYR_ERROR_MEMORY, "the disk of %d is full", me);
    const myr_status all = me == 2   ? myr_ranks_gather(context, value, sizeof value, NULL)
                           : me == 4 ? myr_ranks_sum(context, value, 3)
                                     : myr_ranks_agree(context, mine);
    assert_int_equal(myr_ranks_all(context, 0, value), ranks == 1 ? MYR_OK : MYR_ERROR_FILE);
    assert_int_equal(all, ranks == 1 ? MYR_ERROR_MEMORY : MYR_ERROR_FILE);
    assert_string_equal(myr_context_message(context),
                        ranks == 1 ? "the disk of 0 is full" : "rank 1: the disk of 1 is full");
}

/* `test_ranks killed|gives_up`: one rank goes while the others wait for it. */
static int end_badly(const char *how)
{
    double value = 0;
    if (myr_context_create(&context) || myr_ranks_open(context) || myr_ranks_max(context, &value, 1))
        return 1;
    printf("%d of %d\n", myr_ranks_me(context), myr_ranks_count(context));
    fflush(stdout);
    if (myr_ranks_me(context) == 1)
        usleep(300000); /* what the others print must be read first */
    if (myr_ranks_me(context) == 1 && strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (myr_ranks_me(context) == 1)
        myr_ranks_abort(context, 9);
    (void)myr_ranks_max(context, &value, 1);
    sleep(60);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions), cmocka_unit_test(test_ahead),         cmocka_unit_test(test_wide),
        cmocka_unit_test(test_wider),      cmocka_unit_test(test_groups),        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_large_message), cmocka_unit_test(test_agree),
    };
    return argc > 1 ? end_badly(argv[1]) : RANKS_MAIN(tests);
}
