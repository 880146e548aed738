/* fuzz_table.c - the reader of tables of text with a choice of columns, against any bytes. Up to the first zero byte
 * there is the choice, one entry per line; the table follows. Without a zero byte there is only a table, whose format
 * must be recognised. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include <myriad/snapshot.h>

enum { FUZZ_BYTES_MAX = 1 << 16, FUZZ_CHOICE_MAX = 512, FUZZ_ENTRIES = 32 };

/* The lines of a text, which are cut apart; ended by null. */
static void split(char *text, const char *entry[FUZZ_ENTRIES + 1])
{
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, "\n", &rest); word && count < FUZZ_ENTRIES; word = strtok_r(NULL, "\n", &rest))
        entry[count++] = word;
    entry[count] = NULL;
}

/* 1 where the bytes are accepted. */
static int try_bytes(const uint8_t *data, size_t size)
{
    static myr_context *context;
    const char *entry[FUZZ_ENTRIES + 1] = {NULL};
    char choice[FUZZ_CHOICE_MAX];
    myr_particles *p = NULL;
    if (size > FUZZ_BYTES_MAX || (!context && myr_context_create(&context) != MYR_OK))
        return 0;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t head = zero ? (size_t)(zero - data) : 0;
    if (head >= sizeof choice)
        return 0;
    if (head)
        memcpy(choice, data, head);
    choice[head] = 0;
    split(choice, entry);
    const size_t skipped = zero ? head + 1 : 0;
    const char *path = fuzz_file(data + skipped, size - skipped);
    const myr_status status = entry[0] ? myr_snapshot_read_columns(context, path, entry, &p, NULL)
                                       : myr_snapshot_read(context, path, NULL, &p, NULL);
    fuzz_expect((status == MYR_OK) == (p != NULL), "particles are given exactly where there is no error");
    fuzz_expect(status == MYR_OK || *myr_context_message(context), "an error has a sentence");
    const int64_t n = p ? myr_particles_count(p) : 0;
    fuzz_expect(n >= 0 && (size_t)n <= size, "no more particles than the file can hold");
    for (int64_t i = 0; i < n; i++) {
        const char *name = myr_particles_name(p, i);
        fuzz_expect(!name || (*name && strlen(name) <= MYR_PARTICLES_NAME_MAX), "names have a bounded length");
    }
    myr_particles_destroy(&p);
    return status == MYR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    return 0;
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    static const char seed[][160] = {
        "x=X\ny=Y\nz=3\nmass=M\nname=star\0X,Y,Z,M,star\n1,2,3,4,Sun\n5,6,7,8,\"a, b\"\n",
        "x\ny\nz\nskip\nname\0"
        "1 2 3 text Sun\n4 5 6 \"more text\" \"a b\"\n",
        "x\ny\nz\0# time = 3\n\n1;2;3\r\n4;5;6\r\n",
        "x;y;z;vx;vy;vz;mass\n1;2;3;4;5;6;7\n",
        "# x y z\n# pc pc pc\n1 2 3\n4 5 6\n",
        "\xef\xbb\xbfx\ty\tz\tname\n1\t2\t3\ta b\n",
        "x y z f[0] f[1] id type\n1 2 3 4 5 6 7\n",
    };
    if (k >= (int)(sizeof seed / sizeof seed[0]) || sizeof seed[0] > room)
        return 0;
    size_t size = sizeof seed[0];
    while (seed[k][size - 1] == 0)
        size--;
    memcpy(to, seed[k], size);
    fuzz_expect(try_bytes(to, size), "a good table can be read");
    return size;
}
