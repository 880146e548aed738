/* morton.c - Morton keys and their radix sort. */
#include "method/tree/morton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1 << MYR_MORTON_PASS, PARALLEL_LEAST = 1 << 15, INSERTION_MOST = 32 };

/* Inserts two zero bits before each of the lowest 21 bits. */
static uint64_t key_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

uint64_t myr_morton_cell(const int64_t at[3], int level)
{
    const int shift = MYR_MORTON_BITS - 3 * level;
    const uint64_t place =
        key_spread((uint64_t)at[0]) << 2 | key_spread((uint64_t)at[1]) << 1 | key_spread((uint64_t)at[2]);
    return level ? place << shift : 0;
}

static uint64_t key_grid(double x, double origin, double per_length)
{
    const double most = 0x1p21 - 1, g = (x - origin) * per_length;
    return (uint64_t)fmin(fmax(g, 0), most);
}

void myr_morton_make(const myr_points *points, const double origin[3], double side, int64_t n, myr_morton_entry *entry,
                     int threads)
{
    const double per_length = 0x1p21 / side;
    (void)threads;
#pragma omp parallel for num_threads(threads) schedule(static) if (n >= PARALLEL_LEAST)
    for (int64_t i = 0; i < n; i++) {
        uint64_t grid[3];
        for (int axis = 0; axis < 3; axis++)
            grid[axis] = key_grid(myr_points_get(points, axis, entry[i].number), origin[axis], per_length);
        entry[i].key = key_spread(grid[0]) << 2 | key_spread(grid[1]) << 1 | key_spread(grid[2]);
    }
}

/* One radix pass. Each worker first counts the entries of its chunk by bucket, then places them;
 * count[worker][bucket]. */
typedef struct {
    const myr_morton_entry *from;
    myr_morton_entry *to;
    int64_t n, *count;
    int shift, workers;
} keys_pass;

static void pass_range(const keys_pass *p, int worker, int64_t *begin, int64_t *end)
{
    *begin = p->n * worker / p->workers;
    *end = p->n * (worker + 1) / p->workers;
}

static void pass_count(const keys_pass *p, int worker)
{
    int64_t begin, end, *count = p->count + (int64_t)worker * BUCKETS;
    pass_range(p, worker, &begin, &end);
    memset(count, 0, BUCKETS * sizeof *count);
    for (int64_t i = begin; i < end; i++)
        count[p->from[i].key >> p->shift & (BUCKETS - 1)]++;
}

/* Replaces the counts by the first place of each worker's entries in each bucket. */
static void pass_places(const keys_pass *p)
{
    int64_t at = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (int w = 0; w < p->workers; w++) {
            int64_t *count = &p->count[(int64_t)w * BUCKETS + b];
            const int64_t here = *count;
            *count = at;
            at += here;
        }
}

static void pass_move(const keys_pass *p, int worker)
{
    int64_t begin, end, *place = p->count + (int64_t)worker * BUCKETS;
    pass_range(p, worker, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        p->to[place[p->from[i].key >> p->shift & (BUCKETS - 1)]++] = p->from[i];
}

static void pass_run(const keys_pass *p)
{
#pragma omp parallel for num_threads(p->workers) schedule(static, 1) if (p->workers > 1)
    for (int w = 0; w < p->workers; w++)
        pass_count(p, w);
    pass_places(p);
#pragma omp parallel for num_threads(p->workers) schedule(static, 1) if (p->workers > 1)
    for (int w = 0; w < p->workers; w++)
        pass_move(p, w);
}

static void keys_insertion(myr_morton_entry *entry, int64_t n, int shift)
{
    const uint64_t mask = ((uint64_t)1 << MYR_MORTON_HALF) - 1;
    for (int64_t i = 1; i < n; i++) {
        const myr_morton_entry e = entry[i];
        int64_t k = i;
        for (; k > 0 && (entry[k - 1].key >> shift & mask) > (e.key >> shift & mask); k--)
            entry[k] = entry[k - 1];
        entry[k] = e;
    }
}

int myr_morton_sort(myr_morton_entry *entry, myr_morton_entry *scratch, int64_t n, int shift, int threads)
{
    if (n <= INSERTION_MOST) {
        keys_insertion(entry, n, shift);
        return 1;
    }
    const int workers = n >= PARALLEL_LEAST && threads > 1 ? threads : 1;
    keys_pass p = {.from = entry, .to = scratch, .n = n, .workers = workers};
    p.count = malloc((size_t)workers * BUCKETS * sizeof *p.count);
    if (!p.count)
        return 0;
    for (int pass = 0; pass < 3; pass++) {
        p.from = pass % 2 ? scratch : entry;
        p.to = pass % 2 ? entry : scratch;
        p.shift = shift + pass * MYR_MORTON_PASS;
        pass_run(&p);
    }
    memcpy(entry, scratch, (size_t)n * sizeof *entry);
    free(p.count);
    return 1;
}
