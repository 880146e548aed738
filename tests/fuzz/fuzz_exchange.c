/* fuzz_exchange.c - the reader of exchange.state against any bytes. The first byte is the number of systems; what is
 * accepted is what the writer would write, up to leading zeros. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "sweep/sweep_exchange.h"

enum { COLUMNS = 5, SYSTEMS = 8 };

/* 1 where the bytes are accepted. */
static int try_bytes(const uint8_t *data, size_t size)
{
    int64_t made = -1, state[COLUMNS * SYSTEMS], again[COLUMNS * SYSTEMS], then = -1;
    char text[24 * (COLUMNS * SYSTEMS + 1)];
    if (size == 0)
        return 0;
    const int64_t count = COLUMNS * (data[0] % SYSTEMS + 1);
    if (!sweep_exchange_parse((const char *)data + 1, size - 1, &made, state, count))
        return 0;
    int used = snprintf(text, sizeof text, "%" PRId64 "\n", made);
    for (int64_t k = 0; k < count; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%" PRId64 "\n", state[k]);
    fuzz_expect(sweep_exchange_parse(text, (size_t)used, &then, again, count), "what was read can be written and read");
    fuzz_expect(then == made && memcmp(state, again, (size_t)count * sizeof *state) == 0, "it is the same then");
    fuzz_expect(!sweep_exchange_parse(text, (size_t)used - 1, &then, again, count), "an unfinished file is refused");
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size);
    return 0;
}

size_t fuzz_seed(int k, uint8_t *to, size_t room)
{
    static const char *const seed[] = {
        "\x01"
        "500\n0\n1\n6\n6\n5\n4\n0\n0\n1\n0\n",
        "\x07"
        "0\n0\n0\n0\n0\n0\n",
        "\x07"
        "-1\n9223372036854775807\n-9223372036854775808\n9223372036854775808\n0x10\n 1\n",
    };
    if (k >= (int)(sizeof seed / sizeof seed[0]) || strlen(seed[k]) > room)
        return 0;
    memcpy(to, seed[k], strlen(seed[k]));
    fuzz_expect(try_bytes(to, strlen(seed[k])) == (k == 0), "the first is a good file");
    return strlen(seed[k]);
}
