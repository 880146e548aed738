/* instruction_count.c - counts the vector instructions of a loop with objdump.
 *
 * The hot loop is the innermost loop of the symbol with the most instructions: from the target of a backward jump to
 * the jump, with no other such jump inside. The loop that handles several target vectors at a time ("many") is divided
 * by their number, which is the ratio of its arithmetic instructions to those of the loop for one: copies of registers
 * that do not fit are no multiple. */
#include "bench/instruction_count.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 20000, COMMAND_MAX = 4096 };

typedef struct {
    uint64_t address;
    uint64_t jump; /* target of a conditional jump; 0 = none */
    int is_vector;
    int is_arithmetic; /* a vector instruction other than loads, stores, copies and broadcasts */
} instruction;

/* Instructions of a loop. */
typedef struct {
    int vectors, arithmetic;
} loop_size;

/* A line of objdump: "  401136:\tvmulps %zmm0,%zmm1,%zmm2" */
static int count_read_line(const char *line, instruction *to)
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
    /* a move under a mask is a selection */
    const int moves = strncmp(text, "vmov", 4) == 0 || strncmp(text, "kmov", 4) == 0 ||
                      strncmp(text, "vbroadcast", 10) == 0 || strncmp(text, "vpbroadcast", 11) == 0;
    to->is_arithmetic = to->is_vector && !(moves && !strstr(text, "{%k"));
    return 1;
}

static loop_size count_longest(const instruction *list, int count)
{
    loop_size most = {0, 0};
    for (int end = 0; end < count; end++) {
        if (!list[end].jump || list[end].jump > list[end].address || list[end].jump < list[0].address)
            continue;
        loop_size size = {0, 0};
        int begin = end, inner = 1;
        while (begin > 0 && list[begin].address > list[end].jump) {
            begin--;
            if (list[begin].jump && list[begin].jump <= list[begin].address && list[begin].jump >= list[end].jump)
                inner = 0;
            size.vectors += list[begin].is_vector;
            size.arithmetic += list[begin].is_arithmetic;
        }
        if (inner && size.vectors > most.vectors)
            most = size;
    }
    return most;
}

/* The longest innermost loop of a symbol; 0 instructions if it cannot be read. */
static loop_size count_loop(const char *path, const char *symbol)
{
    char command[COMMAND_MAX], line[512];
    if (!*symbol || !*path || strchr(path, '\'') || strchr(symbol, '\''))
        return (loop_size){0, 0};
    snprintf(command, sizeof command, "objdump -d --no-show-raw-insn --disassemble='%s' '%s' 2>/dev/null", symbol,
             path);
    FILE *in = popen(command, "r");
    instruction *list = malloc(LINES_MAX * sizeof *list);
    int count = 0;
    while (in && list && fgets(line, sizeof line, in))
        if (count < LINES_MAX && count_read_line(line, &list[count]))
            count++;
    if (in)
        pclose(in);
    const loop_size size = list && count ? count_longest(list, count) : (loop_size){0, 0};
    free(list);
    return size;
}

double instruction_count_of_loop(myr_context *context, const char *kernel, const char *accumulator,
                                 const char *arithmetic, const char *isa, double *without_moves)
{
    char path[1024], many[256];
    snprintf(path, sizeof path, "%s", myr_machine_loop_file(context, kernel, arithmetic, isa));
    snprintf(many, sizeof many, "%s", myr_machine_loop_symbol(context, kernel, accumulator, arithmetic, isa, "many"));
    const loop_size all = count_loop(path, many);
    const loop_size one =
        count_loop(path, myr_machine_loop_symbol(context, kernel, accumulator, arithmetic, isa, "one"));
    const double vectors = fmax(round((double)all.arithmetic / one.arithmetic), 1);
    const int known = all.arithmetic > 0 && one.arithmetic > 0;
    if (without_moves)
        *without_moves = known ? all.arithmetic / vectors : NAN;
    return known ? all.vectors / vectors : NAN;
}
