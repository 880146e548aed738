/* instruction_count_gpu.c - counts the instructions of a GPU's hot loop with cuobjdump.
 *
 * The hot loop is an innermost loop of the function `sweep`: from the target of a backward branch to the branch, with
 * no other such branch inside. There are others: those that copy are too short for the pairs, and one that masks pairs
 * is longer for as many. So it is the shortest of those that are long enough. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/instruction_count.h"

enum { LINES_MAX = 60000 };

typedef struct {
    long address, jump; /* jump: where it branches to, -1 = nowhere */
} instruction;

/* A line of cuobjdump -sass: "        /\*0a40*\/                   @!P0 BRA 0x9d0 ;" */
static int line_read(const char *line, instruction *to)
{
    unsigned long address, jump;
    const char *text = strstr(line, "/*");
    if (!text || sscanf(text, "/*%lx*/", &address) != 1 || !strchr(text, ';'))
        return 0;
    *to = (instruction){(long)address, -1};
    const char *branch = strstr(text, "BRA");
    const char *place = branch ? strstr(branch, "0x") : NULL;
    if (place && sscanf(place, "%lx", &jump) == 1)
        to->jump = (long)jump;
    return 1;
}

/* The longest innermost loop, or the shortest of at least `least` instructions where that is not 0. */
static int innermost_loop(const instruction *list, int count, int least)
{
    int found = 0;
    for (int end = 0; end < count; end++) {
        if (list[end].jump < 0 || list[end].jump > list[end].address || list[end].jump < list[0].address)
            continue;
        if (list[end].jump == list[end].address)
            continue; /* the branch to itself behind a function's end */
        int begin = end, inner = 1;
        while (begin > 0 && list[begin].address > list[end].jump) {
            begin--;
            if (list[begin].jump >= list[end].jump && list[begin].jump <= list[begin].address)
                inner = 0;
        }
        const int length = end - begin + 1;
        if (inner && (least ? length >= least && (!found || length < found) : length > found))
            found = length;
    }
    return found;
}

/* Instructions in the hot loop of the function sweep; 0 if it cannot be read. */
static int loop_length(const char *path, int least)
{
    char command[1200], line[512];
    snprintf(command, sizeof command, "cuobjdump -sass '%s' 2>/dev/null", path);
    FILE *in = popen(command, "r");
    instruction *list = malloc(LINES_MAX * sizeof *list);
    int count = 0, inside = 0;
    while (in && list && fgets(line, sizeof line, in)) {
        if (strstr(line, "Function :"))
            inside = strstr(line, ": sweep") != NULL;
        else if (inside && count < LINES_MAX && line_read(line, &list[count]))
            count++;
    }
    if (in)
        pclose(in);
    const int longest = list && count ? innermost_loop(list, count, 0) : 0;
    const int hot = longest ? innermost_loop(list, count, least) : 0;
    free(list);
    return hot ? hot : longest;
}

double emitted_gpu_count(myr_interaction *interaction, const myr_particles *particles, int64_t n, const int64_t *index)
{
    const char *folder = getenv("TMPDIR");
    char path[1024];
    int pairs = 0;
    snprintf(path, sizeof path, "%s/myriad-XXXXXX", folder && *folder && !strchr(folder, '\'') ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return NAN;
    close(file);
    const int there = !myr_machine_gpu_code(interaction, particles, n, index, path, &pairs);
    const myr_kernel_info *kernel = myr_kernel_find(myr_interaction_choice(interaction, "kernel"));
    /* 40 % of what a processor needs, whose functions are longer, is more than half a loop and less than one */
    const int least = kernel ? 2 * kernel->issue * pairs / 5 : 0;
    const int length = there ? loop_length(path, least) : 0;
    unlink(path);
    return length && pairs ? (double)length / pairs : NAN;
}
