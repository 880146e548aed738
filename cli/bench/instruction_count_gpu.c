/* instruction_count_gpu.c - counts the instructions of a GPU's hot loop with cuobjdump.
 *
 * The hot loop is an innermost loop of the function `sweep`: from the target of a backward branch to the branch, with
 * no other such branch inside. There are others: those that copy are too short for the pairs, those for contributions
 * beyond the range evaluate one pair, and one that masks pairs is longer for as many. So it is the one with the most
 * reciprocals and roots of those that are long enough, the shortest of several. Of particles in a cube it is the loop
 * with the most reciprocals, one per pair, of the function `box_step_cube`, or of `box_step` where that is missing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/instruction_count.h"

enum { LINES_MAX = 60000 };

typedef struct {
    long address, jump;            /* jump: where it branches to, -1 = nowhere */
    int is_reciprocal, is_special; /* 1/x; any function of the special function unit */
} instruction;

/* A line of cuobjdump -sass: "        /\*0a40*\/                   @!P0 BRA 0x9d0 ;" */
static int line_read(const char *line, instruction *to)
{
    unsigned long address, jump;
    const char *text = strstr(line, "/*");
    if (!text || sscanf(text, "/*%lx*/", &address) != 1 || !strchr(text, ';'))
        return 0;
    *to = (instruction){(long)address, -1, strstr(text, "MUFU.RCP") != NULL, strstr(text, "MUFU") != NULL};
    const char *branch = strstr(text, "BRA");
    const char *place = branch ? strstr(branch, "0x") : NULL;
    if (place && sscanf(place, "%lx", &jump) == 1)
        to->jump = (long)jump;
    return 1;
}

/* First instruction of the innermost loop that ends at instruction `end`; -1 if none ends there. */
static int loop_begin(const instruction *list, int end)
{
    if (list[end].jump < 0 || list[end].jump > list[end].address || list[end].jump < list[0].address)
        return -1;
    if (list[end].jump == list[end].address)
        return -1; /* the branch to itself behind a function's end */
    int begin = end, inner = 1;
    while (begin > 0 && list[begin].address > list[end].jump) {
        begin--;
        if (list[begin].jump >= list[end].jump && list[begin].jump <= list[begin].address)
            inner = 0;
    }
    return inner ? begin : -1;
}

/* Length of the innermost loop with the most special functions, at least one per pair, of those with at least so many
 * instructions; 0 if there is none, as where a loop calls functions. */
static int innermost_loop(const instruction *list, int count, int least, int pairs)
{
    int found = 0, most = pairs - 1;
    for (int end = 0; end < count; end++) {
        const int begin = loop_begin(list, end), length = end - begin + 1;
        int special = 0;
        if (begin < 0 || length < least)
            continue;
        for (int k = begin; k <= end; k++)
            special += list[k].is_special;
        if (special > most || (special == most && length < found)) {
            most = special;
            found = length;
        }
    }
    return found;
}

/* Instructions per reciprocal of the innermost loop with the most reciprocals, the shortest of several; NaN if no loop
 * has any. */
static double loop_per_reciprocal(const instruction *list, int count)
{
    int most = 0, length = 0;
    for (int end = 0; end < count; end++) {
        const int begin = loop_begin(list, end);
        int reciprocals = 0;
        for (int k = begin; begin >= 0 && k <= end; k++)
            reciprocals += list[k].is_reciprocal;
        if (reciprocals > most || (most && reciprocals == most && end - begin + 1 < length)) {
            most = reciprocals;
            length = end - begin + 1;
        }
    }
    return most ? (double)length / most : NAN;
}

/* Instructions of a function in a file of machine code; null if there are none. The caller frees them. */
static instruction *read_function(const char *path, const char *name, int *count)
{
    char command[1200], line[512], found[128];
    snprintf(command, sizeof command, "cuobjdump -sass '%s' 2>/dev/null", path);
    FILE *in = popen(command, "r");
    instruction *list = malloc(LINES_MAX * sizeof *list);
    int inside = 0;
    *count = 0;
    while (in && list && fgets(line, sizeof line, in)) {
        const char *head = strstr(line, "Function :");
        if (head)
            inside = sscanf(head, "Function : %127s", found) == 1 && strcmp(found, name) == 0;
        else if (inside && *count < LINES_MAX && line_read(line, &list[*count]))
            (*count)++;
    }
    if (in)
        pclose(in);
    if (*count)
        return list;
    free(list);
    return NULL;
}

/* Instructions in the hot loop of the function sweep; 0 if it cannot be read. */
static int loop_length(const char *path, int least, int pairs)
{
    int count;
    instruction *list = read_function(path, "sweep", &count);
    const int hot = list ? innermost_loop(list, count, least, pairs) : 0;
    free(list);
    return hot;
}

/* Path of a new, empty file; 0 if there is none. */
static int scratch_file(char *path, size_t room)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, room, "%s/myriad-XXXXXX", folder && *folder && !strchr(folder, '\'') ? folder : "/tmp");
    const int file = mkstemp(path);
    if (file < 0)
        return 0;
    close(file);
    return 1;
}

double emitted_gpu_count(myr_interaction *interaction, const myr_particles *particles, int64_t n, const int64_t *index)
{
    char path[1024];
    int pairs = 0;
    if (!scratch_file(path, sizeof path))
        return NAN;
    const int there = !myr_machine_gpu_code(interaction, particles, n, index, path, &pairs);
    const myr_kernel_info *kernel = myr_kernel_find(myr_interaction_choice(interaction, "kernel"));
    /* 40 % of what a processor needs, whose functions are longer, is more than half a loop and less than one */
    const int least = kernel ? 2 * kernel->issue * pairs / 5 : 0;
    const int length = there ? loop_length(path, least, pairs) : 0;
    unlink(path);
    return length && pairs ? (double)length / pairs : NAN;
}

double emitted_box_count(const myr_simulation *simulation)
{
    char path[1024];
    int count = 0;
    if (!scratch_file(path, sizeof path))
        return NAN;
    const int there = !myr_simulation_box_code(simulation, path);
    instruction *list = there ? read_function(path, "box_step_cube", &count) : NULL;
    if (there && !list) /* programs without a loop of its own for cubes */
        list = read_function(path, "box_step", &count);
    const double emitted = list ? loop_per_reciprocal(list, count) : NAN;
    unlink(path);
    free(list);
    return emitted;
}
