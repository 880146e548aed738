/* sweep_gpus.h - which GPU each run of a sweep gets. */
#ifndef MYR_CLI_SWEEP_GPUS_H
#define MYR_CLI_SWEEP_GPUS_H

enum { SWEEP_GPUS = 64 };

/* GPUs by their numbers, as in MYRIAD_CUDA_DEVICES; none = every run chooses as if it were alone. */
typedef struct {
    int count;
    int gpu[SWEEP_GPUS];
} sweep_gpus;

/* Reads "N", the first N GPUs of the machine, or a list with commas, as in "0,2", or "2," for one GPU by its number;
 * null gives none. Prints the error and gives the exit code. */
int sweep_gpus_read(const char *text, sweep_gpus *gpus);

/* Gives this process, and what it starts, GPU number `k` modulo their number. Nothing where there are none. */
void sweep_gpus_take(const sweep_gpus *gpus, int k);

#endif
