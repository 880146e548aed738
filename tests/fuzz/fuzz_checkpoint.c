/* fuzz_checkpoint.c - the reader of checkpoints against any bytes. Damage is found by the hashes, so that what is
 * behind them would never be reached: the bytes are tried as they are, with the header's hash made right, and with all
 * made right. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "io/checkpoint_layout.h"

enum { FUZZ_BYTES_MAX = 1 << 18 };

/* The parts are what the file holds from `end` on; where they end. */
static size_t look_at_parts(const myr_checkpoint *c, const uint8_t *data, size_t end)
{
    unsigned char bytes[64];
    int64_t first, last;
    const int64_t parts = myr_checkpoint_parts(c, &first, &last);
    fuzz_expect(first == 0 && last == parts, "one reader has all parts");
    for (int64_t k = 0; k < parts; k++) {
        const size_t size = (size_t)myr_checkpoint_part_size(c, k), some = size < sizeof bytes ? size : sizeof bytes;
        fuzz_expect(myr_checkpoint_part_read(c, k, size - some, bytes, some) == MYR_OK, "a part can be read");
        fuzz_expect(memcmp(bytes, data + end + size - some, some) == 0, "a part is what the file holds");
        end += size;
    }
    return end;
}

/* 1 where the bytes are accepted. */
static int open_and_look(myr_context *context, const uint8_t *data, size_t size)
{
    myr_checkpoint *c = NULL;
    const char *path = fuzz_file(data, size);
    const myr_status status = myr_checkpoint_open_share(context, path, 0, 1, &c);
    fuzz_expect((status == MYR_OK) == (c != NULL), "a checkpoint is given exactly where there is no error");
    fuzz_expect(myr_checkpoint_verify(context, path) == status, "open and verify agree");
    size_t end = sizeof(myr_checkpoint_header), bytes;
    int64_t first, last;
    const size_t table = (size_t)myr_checkpoint_parts(c, &first, &last) * sizeof(myr_checkpoint_entry);
    end = look_at_parts(c, data, end);
    const char *name;
    size_t sections = 0;
    for (; (name = myr_checkpoint_section_name(c, (int)sections)); sections++) {
        fuzz_expect(*name && strlen(name) <= MYR_CHECKPOINT_NAME_MAX, "sections have names");
        const unsigned char *section = myr_checkpoint_section(c, name, &bytes);
        fuzz_expect(section != NULL, "a section is found by its name");
        fuzz_expect(bytes == 0 || memcmp(section, data + end, bytes) == 0, "a section is what the file holds");
        end += bytes;
    }
    end += sections * sizeof(myr_checkpoint_entry) + table;
    fuzz_expect(!c || end == size, "sections and table fill the file");
    myr_checkpoint_close(&c);
    return status == MYR_OK;
}

/* Makes what the fuzzer cannot guess right: always the hash of the header, and where all is set, everything else that a
 * writer fills in. */
static void repair(uint8_t *data, size_t size, int all)
{
    myr_checkpoint_header h;
    memcpy(&h, data, sizeof h);
    if (all) {
        memcpy(h.magic, MYR_CHECKPOINT_MAGIC, sizeof h.magic);
        h.version = MYR_CHECKPOINT_VERSION;
        h.order = MYR_CHECKPOINT_ORDER;
        h.length = size;
        uint32_t k = 0;
        for (uint64_t at = h.table; at < size && size - at >= sizeof(myr_checkpoint_entry);
             at += sizeof(myr_checkpoint_entry), k++) {
            myr_checkpoint_entry e;
            memcpy(&e, data + at, sizeof e);
            if (k < h.parts)
                myr_checkpoint_part_name(k, e.name);
            if (e.offset <= size && e.size <= size - e.offset)
                e.hash = myr_hash_bytes(data + e.offset, (size_t)e.size);
            memcpy(data + at, &e, sizeof e);
        }
        if (h.table <= size)
            h.table_hash = myr_hash_bytes(data + h.table, size - (size_t)h.table);
    }
    h.header_hash = myr_hash_bytes(&h, offsetof(myr_checkpoint_header, header_hash)).low;
    memcpy(data, &h, sizeof h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static myr_context *context;
    if (size > FUZZ_BYTES_MAX || !myr_hash_available() || (!context && myr_context_create(&context) != MYR_OK))
        return 0;
    open_and_look(context, data, size);
    uint8_t *copy = malloc(size + 1);
    if (copy && size >= sizeof(myr_checkpoint_header))
        for (int all = 0; all < 2; all++) {
            memcpy(copy, data, size);
            repair(copy, size, all);
            open_and_look(context, copy, size);
        }
    free(copy);
    return 0;
}

static int sections_of_seed, parts_of_seed;

/* Parts of different sizes, through a hand. */
static void write_parts(myr_context *context, myr_checkpoint_writer *w, const char *bytes)
{
    myr_checkpoint_part part[8];
    myr_checkpoint_part_writer *hand = NULL;
    myr_checkpoint_join(context, myr_checkpoint_temporary(w), MYR_CHECKPOINT_BEGIN, &hand);
    for (int k = 0; hand && k < parts_of_seed; k++) {
        myr_checkpoint_write(hand, bytes, (size_t)k * 9);
        part[k] = myr_checkpoint_end_part(hand);
    }
    if (hand && myr_checkpoint_leave(&hand) == MYR_OK)
        myr_checkpoint_add_parts(w, part, parts_of_seed);
}

static void write_seed(const char *path)
{
    myr_context *context = NULL;
    myr_checkpoint_writer *w = NULL;
    static const char bytes[64] = "what a section holds";
    char name[32] = "section";
    if (myr_context_create(&context) == MYR_OK && myr_checkpoint_create(context, path, &w) == MYR_OK) {
        write_parts(context, w, bytes);
        for (int k = 0; k < sections_of_seed; k++) {
            name[7] = (char)('a' + k);
            myr_checkpoint_add(w, name, bytes, sizeof bytes / 2 * (size_t)(k % 3));
        }
        myr_checkpoint_commit(&w, 0);
    }
    myr_context_destroy(&context);
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    myr_context *context = NULL;
    if (k >= 8 || !myr_hash_available() || myr_context_create(&context) != MYR_OK)
        return 0;
    sections_of_seed = k < 5 ? k * k : k - 5;
    parts_of_seed = k < 5 ? 0 : k;
    const size_t size = fuzz_written(write_seed, ".checkpoint", to, room);
    fuzz_expect(open_and_look(context, to, size), "a checkpoint that was written can be read");
    myr_context_destroy(&context);
    return size;
}
