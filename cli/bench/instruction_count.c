/* instruction_count.c - counts the vector instructions of a loop with objdump.
 *
 * The hot loop is the innermost loop of the symbol with the most instructions: from the target of a backward jump to
 * the jump, with no other such jump inside. The loop that handles several target vectors at a time ("many") is divided
 * by their number, which is the ratio of its length to that of the loop for one. */
#include "bench/instruction_count.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 20000, COMMAND_MAX = 4096 };

typedef struct {
    uint64_t address;
    uint64_t jump; /* where it may jump to, 0 = nowhere */
    int is_vector;
} instruction;

/* A line of objdump: "  401136:\tvmulps %zmm0,%zmm1,%zmm2" */
static int emitted_read_line(const char *line, instruction *to)
{
    unsigned long long address, jump;
    int used = 0;
    if (sscanf(line, " %llx:%n", &address, &used) != 1 || used == 0)
        return 0;
    const char *text = line + used;
    while (*text == ' ' || *text == '\t')
        text++;
    *to = (instruction){.address = address};
    /* an unconditional jump backwards returns from a block that was moved out of the way: no loop */
    if (text[0] == 'j' && strncmp(text, "jmp", 3) != 0 && sscanf(text, "%*s %llx", &jump) == 1)
        to->jump = jump;
    to->is_vector = strstr(text, "%zmm") || strstr(text, "%ymm") || strstr(text, "%xmm") || strstr(text, "%k");
    return 1;
}

static int emitted_longest(const instruction *list, int count)
{
    int most = 0;
    for (int end = 0; end < count; end++) {
        if (!list[end].jump || list[end].jump > list[end].address || list[end].jump < list[0].address)
            continue;
        int begin = end, inner = 1, vectors = 0;
        while (begin > 0 && list[begin].address > list[end].jump) {
            begin--;
            if (list[begin].jump && list[begin].jump <= list[begin].address && list[begin].jump >= list[end].jump)
                inner = 0;
            vectors += list[begin].is_vector;
        }
        if (inner && vectors > most)
            most = vectors;
    }
    return most;
}

/* Vector instructions in the longest innermost loop of a symbol; 0 if it cannot be read. */
static int emitted_loop(const char *path, const char *symbol)
{
    char command[COMMAND_MAX], line[512];
    if (!*symbol || !*path || strchr(path, '\'') || strchr(symbol, '\''))
        return 0;
    snprintf(command, sizeof command, "objdump -d --no-show-raw-insn --disassemble='%s' '%s' 2>/dev/null", symbol,
             path);
    FILE *in = popen(command, "r");
    instruction *list = malloc(LINES_MAX * sizeof *list);
    int count = 0;
    while (in && list && fgets(line, sizeof line, in))
        if (count < LINES_MAX && emitted_read_line(line, &list[count]))
            count++;
    if (in)
        pclose(in);
    const int vectors = list && count ? emitted_longest(list, count) : 0;
    free(list);
    return vectors;
}

double emitted_count(myr_context *context, const char *kernel, const char *accumulator, const char *arithmetic,
                     const char *isa)
{
    char path[1024], many[256];
    snprintf(path, sizeof path, "%s", myr_machine_loop_file(context, kernel, arithmetic, isa));
    snprintf(many, sizeof many, "%s", myr_machine_loop_symbol(context, kernel, accumulator, arithmetic, isa, "many"));
    const int all = emitted_loop(path, many);
    const int one = emitted_loop(path, myr_machine_loop_symbol(context, kernel, accumulator, arithmetic, isa, "one"));
    if (all < 1 || one < 1)
        return NAN;
    const double vectors = round((double)all / one);
    return all / (vectors < 1 ? 1 : vectors);
}
