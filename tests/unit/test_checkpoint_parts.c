/* test_checkpoint_parts.c - checkpoints whose parts several hands write and several readers share. */
#include "unit/scratch.h"

#include "io/checkpoint_layout.h"

enum { HANDS = 3, PARTS = 5, PART_BYTES = 60 };

/* Part k has 10 k bytes, each k. */
static size_t part_size(int64_t k)
{
    return 10 * (size_t)k;
}

/* Writes parts [first, last) through a hand of its own. */
static void write_parts(scratch *s, const char *temporary, uint64_t offset, int first, int last,
                        myr_checkpoint_part *part)
{
    myr_checkpoint_part_writer *hand = NULL;
    unsigned char bytes[PART_BYTES];
    assert_int_equal(myr_checkpoint_join(s->context, temporary, offset, &hand), MYR_OK);
    for (int k = first; k < last; k++) {
        memset(bytes, k, sizeof bytes);
        assert_int_equal(myr_checkpoint_write(hand, bytes, part_size(k) / 2), MYR_OK);
        assert_int_equal(myr_checkpoint_write(hand, bytes, part_size(k) - part_size(k) / 2), MYR_OK);
        part[k] = myr_checkpoint_end_part(hand);
        assert_int_equal(part[k].size, part_size(k));
    }
    assert_int_equal(myr_checkpoint_leave(&hand), MYR_OK);
    assert_null(hand);
}

/* A checkpoint of PARTS parts by HANDS hands, the last one first, and a section "rest". */
static void write_shared(scratch *s, const char *name)
{
    static const int begin[HANDS + 1] = {0, 3, 3, PARTS};
    myr_checkpoint_writer *w = NULL;
    myr_checkpoint_part part[PARTS];
    assert_int_equal(myr_checkpoint_create(s->context, scratch_path(s, name), &w), MYR_OK);
    for (int hand = HANDS; hand-- > 0;) {
        uint64_t offset = MYR_CHECKPOINT_BEGIN;
        for (int k = 0; k < begin[hand]; k++)
            offset += part_size(k);
        write_parts(s, myr_checkpoint_temporary(w), offset, begin[hand], begin[hand + 1], part);
    }
    assert_int_equal(myr_checkpoint_add_parts(w, part, PARTS), MYR_OK);
    assert_int_equal(myr_checkpoint_add(w, "rest", "what is left", 13), MYR_OK);
    assert_int_equal(myr_checkpoint_commit(&w, 0), MYR_OK);
}

static int begin(scratch *s)
{
    if (!myr_hash_available()) {
        print_message("skipped: this build has no xxHash\n");
        return 0;
    }
    scratch_begin(s);
    return 1;
}

/* Readers that share the parts have each of them once, and the rest all. */
static void test_shares(void **state)
{
    (void)state;
    scratch s;
    if (!begin(&s))
        skip();
    write_shared(&s, "a");
    assert_int_equal(scratch_entries(&s), 1);
    for (int64_t shares = 1; shares <= PARTS + 2; shares++) {
        int64_t seen = 0;
        for (int64_t share = 0; share < shares; share++) {
            myr_checkpoint *c = NULL;
            int64_t first, last;
            size_t size;
            unsigned char bytes[PART_BYTES];
            assert_int_equal(myr_checkpoint_open_share(s.context, scratch_path(&s, "a"), share, shares, &c), MYR_OK);
            assert_int_equal(myr_checkpoint_parts(c, &first, &last), PARTS);
            assert_int_equal(first, seen);
            for (int64_t k = first; k < last; k++) {
                assert_int_equal(myr_checkpoint_part_size(c, k), part_size(k));
                assert_int_equal(myr_checkpoint_part_read(c, k, 0, bytes, part_size(k)), MYR_OK);
                for (size_t i = 0; i < part_size(k); i++)
                    assert_int_equal(bytes[i], k);
            }
            assert_int_equal(myr_checkpoint_part_read(c, last, 0, bytes, 1), MYR_ERROR_FORMAT);
            if (last > first)
                assert_int_equal(myr_checkpoint_part_read(c, first, part_size(first), bytes, 1), MYR_ERROR_FORMAT);
            assert_string_equal(myr_checkpoint_section(c, "rest", &size), "what is left");
            assert_true(myr_checkpoint_section_name(c, 0) && !myr_checkpoint_section_name(c, 1));
            assert_null(myr_checkpoint_section(c, "particles 1", &size));
            myr_checkpoint_close(&c);
            seen = last;
        }
        assert_int_equal(seen, PARTS);
    }
    scratch_end(&s);
}

/* A damaged part is named, by those who read it and by nobody else. */
static void test_damaged_part(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    if (!begin(&s))
        skip();
    write_shared(&s, "a");
    unsigned char *bytes = scratch_load(scratch_path(&s, "a"), &size);
    const size_t at = MYR_CHECKPOINT_BEGIN + part_size(1) + part_size(2) + 7; /* in part 3, of the 2nd of 2 shares */
    bytes[at] ^= 1;
    scratch_store(scratch_path(&s, "a"), bytes, size);
    myr_checkpoint *c = NULL;
    for (int64_t share = 0; share < 2; share++) {
        const myr_status status = myr_checkpoint_open_share(s.context, s.path, share, 2, &c);
        assert_int_equal(status, share == 1 ? MYR_ERROR_FORMAT : MYR_OK);
        myr_checkpoint_close(&c);
    }
    scratch_says(&s, "is damaged in section 'particles 3' (bytes 94 to 123)");
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
    free(bytes);
    scratch_end(&s);
}

/* Any flipped bit is found, and any wrong name of a part, also where the hashes have been made right. */
static void test_any_byte(void **state)
{
    (void)state;
    scratch s;
    size_t size;
    if (!begin(&s))
        skip();
    write_shared(&s, "a");
    unsigned char *bytes = scratch_load(scratch_path(&s, "a"), &size);
    for (size_t k = 0; k < size; k++) {
        bytes[k] ^= 0x10;
        scratch_store(scratch_path(&s, "b"), bytes, size);
        assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
        bytes[k] ^= 0x10;
    }
    myr_checkpoint_header h;
    memcpy(&h, bytes, sizeof h);
    bytes[h.table + 64 + strlen("particles ")] = '7'; /* entry 1 */
    h.table_hash = myr_hash_bytes(bytes + h.table, size - h.table);
    h.header_hash = myr_hash_bytes(&h, offsetof(myr_checkpoint_header, header_hash)).low;
    memcpy(bytes, &h, sizeof h);
    scratch_store(scratch_path(&s, "b"), bytes, size);
    assert_int_equal(myr_checkpoint_verify(s.context, s.path), MYR_ERROR_FORMAT);
    scratch_says(&s, "has no 'particles 1' in table entry 1");
    free(bytes);
    scratch_end(&s);
}

/* More parts than there may be other sections: the table is read in pieces. */
static void test_many_parts(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    scratch s;
    if (!begin(&s))
        skip();
    myr_checkpoint_writer *w = NULL;
    myr_checkpoint_part_writer *hand = NULL;
    myr_checkpoint_part *part = calloc(MANY, sizeof *part);
    assert_non_null(part);
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_OK);
    assert_int_equal(myr_checkpoint_join(s.context, myr_checkpoint_temporary(w), MYR_CHECKPOINT_BEGIN, &hand), MYR_OK);
    for (int k = 0; k < MANY; k++) {
        assert_int_equal(myr_checkpoint_write(hand, &k, sizeof k), MYR_OK);
        part[k] = myr_checkpoint_end_part(hand);
    }
    assert_int_equal(myr_checkpoint_leave(&hand), MYR_OK);
    assert_int_equal(myr_checkpoint_add_parts(w, part, MANY), MYR_OK);
    assert_int_equal(myr_checkpoint_commit(&w, 0), MYR_OK);
    myr_checkpoint *c = NULL;
    int64_t first, last;
    int got = -1;
    assert_int_equal(myr_checkpoint_open_share(s.context, s.path, 0, 1, &c), MYR_OK);
    assert_int_equal(myr_checkpoint_parts(c, &first, &last), MANY);
    assert_int_equal(myr_checkpoint_part_read(c, MANY - 1, 0, &got, sizeof got), MYR_OK);
    assert_int_equal(got, MANY - 1);
    myr_checkpoint_close(&c);
    free(part);
    scratch_end(&s);
}

static void test_refuses(void **state)
{
    (void)state;
    scratch s;
    if (!begin(&s))
        skip();
    const myr_checkpoint_part part[1] = {{0}};
    myr_checkpoint_writer *w = NULL;
    myr_checkpoint_part_writer *hand = NULL;
    assert_int_equal(myr_checkpoint_create(s.context, scratch_path(&s, "a"), &w), MYR_OK);
    assert_int_equal(myr_checkpoint_add(w, "rest", "x", 1), MYR_OK);
    assert_int_equal(myr_checkpoint_add_parts(w, part, 1), MYR_ERROR_ARGUMENT);
    scratch_says(&s, "before the other sections");
    assert_int_equal(myr_checkpoint_commit(&w, 0), MYR_ERROR_ARGUMENT);
    assert_int_equal(myr_checkpoint_create(s.context, s.path, &w), MYR_OK);
    assert_int_equal(myr_checkpoint_add_parts(w, part, MYR_CHECKPOINT_PARTS_MAX + 1), MYR_ERROR_VALUE);
    scratch_says(&s, "at most 1048576 parts");
    myr_checkpoint_abandon(&w);
    assert_int_equal(scratch_entries(&s), 0);
    assert_int_equal(myr_checkpoint_join(s.context, scratch_path(&s, "a.partial"), 64, &hand), MYR_ERROR_FILE);
    scratch_says(&s, "cannot join in writing");
    assert_null(hand);
    scratch_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),     cmocka_unit_test(test_damaged_part), cmocka_unit_test(test_any_byte),
        cmocka_unit_test(test_many_parts), cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
