/* box_inside.h - definitions shared by the files of particles in a box on a device; see box.c. */
#ifndef MYR_BACKEND_CUDA_BOX_INSIDE_H
#define MYR_BACKEND_CUDA_BOX_INSIDE_H

#include "backend/backend.h"
#include "backend/cuda/box_args.h"
#include "backend/cuda/cuda.h"

enum {
    BOX_ROOMS = 128,
    BOX_PATHS = 4,         /* observables that correlate and have memory on the device */
    BOX_SEARCHES = 32768,  /* warps of a search, which take groups of clusters in turn */
    BOX_SLOTS = 1024,      /* launches between two looks at the state */
    BOX_LISTS = 16,        /* lists between two looks, from which their life is learned */
    BOX_LIFE_MOST = 64,    /* steps between two lists */
    BOX_SECTION_LEAST = 10 /* least share of each of these, in percent */
};

typedef enum {
    KERNEL_STEP,
    KERNEL_STEP_CUBE,
    KERNEL_FIRST_STEP,
    KERNEL_COUNT,
    KERNEL_SCAN,
    KERNEL_PLACE,
    KERNEL_SORT,
    KERNEL_SEARCH,
    KERNEL_SUMS,
    KERNEL_MEASURE,
    KERNEL_LARGEST,
    KERNEL_KINETIC,
    KERNEL_CHANGE,
    KERNEL_FETCH,
    KERNEL_EXTERNAL,
    KERNEL_GOOD,
    KERNEL_KEEP,
    KERNEL_COUNT_PAIRS,
    KERNEL_COUNT_SLICES,
    KERNEL_PLAIN,
    KERNEL_FIRE_LARGEST,
    KERNEL_FIRE_SUMS,
    KERNEL_FIRE_MOVE,
    KERNEL_BATH_KICK,
    KERNEL_BATH_SUM,
    KERNEL_BATH_FACTOR,
    KERNEL_BATH_MOVE,
    KERNEL_PATHS_NOW,
    KERNEL_PATHS_SUMS,
    KERNEL_CHECK,
    KERNEL_WHERE,
    KERNEL_PACK,
    KERNEL_UNPACK,
    KERNELS
} box_kernel;

/* Memory of an observable that correlates: see myr_box_paths. */
typedef struct {
    const void *key;        /* of the observable; null = free */
    int64_t slots, samples; /* samples: number of samples of the observable when the device had the last one */
    double *now, *slot, *path, *part;
    int32_t *type, *compare;
} cuda_box_paths;

struct myr_cuda_box {
    myr_cuda *cuda;
    myr_context *context;
    cuda_device device; /* device with its own stream */
    myr_cuda_box_set set;
    cudaLibrary_t library;
    cudaKernel_t kernel[KERNELS];
    int lanes;
    void *room[BOX_ROOMS]; /* device memory, freed at the end */
    size_t size[BOX_ROOMS];
    int rooms;
    size_t bytes;
    myr_box_common all;
    myr_box_list list;
    myr_box_slot *slot; /* [BOX_SLOTS], pinned host copy; the device's is all.slot */
    int at;             /* slot of the next launch */
    myr_box_slot known; /* state that was read last */
    int is_known;       /* 1 = nothing was enqueued since that changes it */
    /* state at the start of a call, to which a step that needs the processor returns */
    myr_box_side kept;
    double *kept_f[3];
    uint32_t *kept_old[3];
    int32_t *kept_image[3];
    double *copy;      /* [3 n], for copies to the host */
    int32_t *images;   /* [3 n] */
    myr_box_good good; /* copy of the particles; arrays are null before the first one */
    double *heat;
    int64_t heats;
    myr_box_bath bath; /* whole steps: arguments of the kernels */
    double *plain;     /* sums of warps */
    unsigned long long *total;
    unsigned long long *counts; /* [bins] of observables */
    int64_t bins;
    cuda_box_paths paths[BOX_PATHS];
    int paths_next;
    unsigned long long *wrong; /* see myr_box_check; null = lists are not checked */
    void *table, *table_cube;  /* constants in units of sigma; in units of the coordinates */
    double scale_cube;
    double ratio, near; /* smallest sigma^2 / largest 48 epsilon; distance within which pairs repel, in sigma */
    int is_cube;        /* 1 = steps are made with the latter */
    double length[3], search, grid;
    double share[MYR_BOX_SECTIONS]; /* of the particles, in each section of the list */
    /* open axes: the grid of the list covers upper halves of coordinates from low[c] on, `part` of the axis */
    int is_open;
    uint32_t low[3];
    double part[3];
    double *fastest2; /* [fastest]: see myr_box_slot, of each step of a call */
    int64_t fastest;
    myr_box_external external; /* copy of all.external */
    int is_listed;             /* 1 = the list is that of the present order and box */
    int64_t capacity;          /* number of particles for which there is room */
    /* several ranks */
    myr_box_ranks ranks;
    int32_t *entry;        /* device memory of ranks.entry */
    uint64_t *pinned[2];   /* messages: sent, received */
    size_t pinned_size[2]; /* in words */
    int is_fresh;          /* 1 = no step was made with the present list */
    double furthest[2];    /* largest displacement since the list was built, and its largest change in one step */
    int has_tasks;         /* 1 = one kernel makes steps and lists (box_turns.c) */
    int32_t resident;      /* blocks of steps that the device holds at once */
    int64_t used;          /* steps made with the present list */
    int64_t life;          /* steps for which a list is expected to last */
    int has_expired;       /* 1 = a list has expired before */
    double lead[2];        /* expected way of a particle until halfway, per unit of velocity and of acceleration */
    int64_t builds;
    /* time of one list and of the steps with it in a batch of launches, for which all others are taken */
    cudaEvent_t mark[3]; /* before the list, before the steps, after the steps */
    double list_seconds, step_seconds;
    double seconds[2]; /* time in steps, in lists */
};

/* box.c: names of the kernels. */
extern const char *const cuda_box_kernel_name[KERNELS];

/* --- box.c: memory ----------------------------------------------------------------------------------------------- */

/* Converts an error of the CUDA runtime to a status. */
myr_status cuda_box_check(const myr_cuda_box *b, cudaError_t error, const char *what);

/* Device memory, cleared; `pointer` is the address of the pointer that receives it. */
myr_status cuda_box_room(myr_cuda_box *b, void *pointer, size_t bytes);

/* Frees memory made by cuda_box_room, or nothing. */
void cuda_box_free(myr_cuda_box *b, void *at);

/* Grid of the list, for the present box and bounds of the particles. */
myr_status cuda_box_grid(myr_cuda_box *b);

/* Rows with room for `entries`. */
myr_status cuda_box_list_room(myr_cuda_box *b, double entries);

/* --- box_state.c: state, launches and copies ------------------------------------------------------------------------
 */

/* Clears the slots, and writes the first one. */
myr_status cuda_box_begin(myr_cuda_box *b, const myr_box_slot *first);

/* Waits, and reads the slots up to the present one. */
myr_status cuda_box_look(myr_cuda_box *b, myr_box_slot *now);

/* Launches a kernel with one structure as argument. */
myr_status cuda_box_launch(myr_cuda_box *b, box_kernel k, int64_t threads, int block, void *arguments, size_t size);

/* Where the constants of several types are: 1 = in shared memory, 2 = they do not fit there; 0 = one type. */
int cuda_box_typed(const myr_cuda_box_set *set);

/* Size of the constants of all pairs of types on the device, in bytes. */
size_t cuda_box_table_size(const myr_cuda_box_set *set);

/* Number of threads of the loops over pairs. */
int64_t cuda_box_pair_threads(const myr_cuda_box *b);

/* Arguments of the next launch that all kernels read; most: number of steps to make. */
myr_box_common cuda_box_common(const myr_cuda_box *b, int64_t most);

/* Arguments of a new list. */
myr_box_list cuda_box_list_arguments(const myr_cuda_box *b, int64_t most);

/* Enqueues a new list, by launches of its own. always: 1 = also if the present one holds. */
myr_status cuda_box_build(myr_cuda_box *b, int64_t most, int always);

/* Saves (0) or restores (1) the particles. */
myr_status cuda_box_keep(myr_cuda_box *b, const myr_box_slot *now, int back);

/* Copies from the host, without waiting; a null pointer is not copied. */
myr_status cuda_box_upload(myr_cuda_box *b, void *to, const void *from, size_t bytes);

/* Sends the place of each particle in the order of the user; null = the device has it. */
myr_status cuda_box_send_index(myr_cuda_box *b, const int64_t *index);

/* Arguments of sums over pairs or particles. */
myr_box_sums cuda_box_sums(const myr_cuda_box *b);

/* Copies the forces to b->copy in the order of the host (power 2) or from there (power 3). */
myr_status cuda_box_carry_forces(myr_cuda_box *b, int power);

/* --- box_steps.c: parts of steps ---------------------------------------------------------------------------------- */

/* Arguments of evaluations and moves; of the first move of a call, with the forces that are there. s: null = forces
 * only. */
myr_box_step cuda_box_step_arguments(const myr_cuda_box *b, const myr_cuda_box_steps *s);
myr_box_step cuda_box_first_arguments(const myr_cuda_box *b, const myr_cuda_box_steps *s);

/* Arguments of the loop over pairs that steps have. */
myr_box_common cuda_box_step_common(const myr_cuda_box *b, int64_t most);

/* Makes room for rows as long as the longest, and asks for a new list. */
myr_status cuda_box_more_room(myr_cuda_box *b, myr_box_slot *now);

/* Enqueues an evaluation and a move. */
myr_status cuda_box_step(myr_cuda_box *b, myr_box_step *a, int64_t most);

/* Ends the steps: forces at the last positions. */
myr_status cuda_box_end(myr_cuda_box *b, const myr_cuda_box_steps *s, myr_box_slot *now);

/* Brings the list up to date. The particles may be sorted. */
myr_status cuda_box_renew_list(myr_cuda_box *b, myr_box_slot *now);

/* Records event k of `mark`. */
myr_status cuda_box_mark(const myr_cuda_box *b, int k);

/* Chooses the device, waits, and reads the present state; on several ranks makes sure that there is a list. */
myr_status cuda_box_now(myr_cuda_box *b, myr_box_slot *now);

/* Length of the box per unit of the upper half of a coordinate. */
void cuda_box_displace(const myr_cuda_box *b, float displace[3]);

/* What rounding may add to the distance of two particles. */
double cuda_box_resolution(const myr_cuda_box *b);

/* Largest displacement that a list allows a particle. */
float cuda_box_allowed(const myr_cuda_box *b);

/* Sends `count` numbers to b->heat. */
myr_status cuda_box_send_heat(myr_cuda_box *b, const double *heat, int64_t count);

/* --- box_turns.c: steps and lists by one kernel ------------------------------------------------------------------- */

/* Sets b->lead for the next lists. */
void cuda_box_expect(myr_cuda_box *b, const myr_cuda_box_steps *s);

/* Makes steps from a state until there are `most`, and evaluates the forces at the end of the last one; or until
 * something needs attention. s: null = evaluates only. */
myr_status cuda_box_turns(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_box_slot *now);

/* Enqueues a new list if that is the task of the state. */
myr_status cuda_box_turns_list(myr_cuda_box *b, myr_box_slot *now);

/* --- box_bath.c: whole steps -----------------------------------------------------------------------------------------
 * A step is first (the thermostat's first half, kick and drift), an evaluation of the forces, and last (kick, the
 * thermostat's second half). All are enqueued without waiting. */

/* Sends the state of the thermostat, at the start of a call. */
myr_status cuda_box_bath_begin(myr_cuda_box *b, const myr_cuda_box_steps *s);
myr_status cuda_box_bath_first(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most);
myr_status cuda_box_bath_last(myr_cuda_box *b, const myr_cuda_box_steps *s);

/* Forces at the end of a step, its last part, and the first part of the next step. Takes BOX_BATH_SLOTS slots. */
enum { BOX_BATH_SLOTS = 2 };
myr_status cuda_box_bath_next(myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most);

/* Copies the state of the thermostat to the host. */
myr_status cuda_box_bath_fetch(myr_cuda_box *b, box_chain *chain);

/* --- box_check.c: comparison of lists with all pairs -------------------------------------------------------------- */

/* Enqueues the comparison of the list that the next launch uses, if lists are to be checked. */
myr_status cuda_box_check_list(myr_cuda_box *b);

/* Fails with a message if a comparison has found that the list is wrong. */
myr_status cuda_box_checked(myr_cuda_box *b, const myr_box_slot *now);

/* --- box_ranks.c: one rank of several ----------------------------------------------------------------------------- */

/* cuda_box_steps on several ranks. */
myr_status cuda_box_ranks_steps(myr_cuda_box *b, const myr_cuda_box_steps *steps, myr_cuda_box_done *done);

/* Makes a list for particles that were just sent. */
myr_status cuda_box_ranks_list(myr_cuda_box *b, myr_box_slot *now);

/* Enqueues what follows the sort of a new list. */
myr_status cuda_box_ranks_sorted(myr_cuda_box *b);

/* Thermostat: agrees with the other ranks on the largest m v^2 (0) or on the sums (1), after the launch that finds
 * those of this rank. */
myr_status cuda_box_ranks_bath(myr_cuda_box *b, int sums);

/* After a move outside the steps: brings the copies up to date. *renew: 1 = the list may not hold after another move.
 */
myr_status cuda_box_ranks_moved(myr_cuda_box *b, int *renew);

/* Frees pinned memory. */
void cuda_box_ranks_close(myr_cuda_box *b);

/* --- box_fields.c: restraints, external fields, walls and open axes ----------------------------------------------- */

/* Device memory for restraints and fields. */
myr_status cuda_box_external_room(myr_cuda_box *b);

/* Sends restraints and fields. */
myr_status cuda_box_set_external(myr_cuda_box *b, const myr_cuda_box_potential *p);

/* Finds the bounds of the particles along open axes, and fits the grid of the list to them. */
myr_status cuda_box_bounds(myr_cuda_box *b, const myr_cuda_box_arrays *from);

/* Makes room for the largest velocity of every step of a call. */
myr_status cuda_box_begin_fastest(myr_cuda_box *b, int64_t steps);

/* Notes the largest velocities of the steps since the last cuda_box_begin, from the slots. */
void cuda_box_note_fastest(myr_cuda_box *b);

/* Number of steps of `most` after which the slack of open axes lasts; sets what is left of it, and the largest
 * displacement. */
int64_t cuda_box_lasting(const myr_cuda_box *b, const myr_cuda_box_steps *s, int64_t most, myr_cuda_box_done *done);

/* Clears the impulses on walls, and copies them to the host. */
myr_status cuda_box_clear_push(myr_cuda_box *b);
myr_status cuda_box_fetch_push(myr_cuda_box *b, myr_cuda_box_done *done);

#endif
