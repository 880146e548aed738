/* bench_lj_paper.c - paper 003's Algorithms 3 to 8 as they are printed, with the smooth cutoff of its eq. (2.2) and a
 * search length of 2.8: what a list, its sorting, branches, divisions and pipelining by hand are worth today.
 *
 * Particles near a face are copied beyond the opposite one, as the paper's processes do with their neighbours: pairs
 * with a copy are evaluated once from each side, and the momenta of copies are thrown away. A position is q[i], three
 * doubles in a row; a pair is a key particle and a partner of a higher number. */
#include "bench/bench_lj_paper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SORT_EVERY = 10, PAD = 8 };

static const double cutoff = 2.5, search = 2.8, step = 0.001;

typedef double vector[3];

struct lj_paper {
    int64_t n, all; /* particles; and with their copies */
    double length, c2, margin;
    vector *q, *p;
    int64_t room;    /* of q and p */
    int32_t *source; /* of copy all - n: the particle; */
    vector *shift;   /* and how far it was moved */
    int32_t (*pair)[2];
    int64_t pairs, pair_room;
    int32_t *partner; /* SortedList */
    int64_t *pointer; /* KeyPointer */
    int64_t cells;    /* per axis, of the box with its rim */
    int32_t *order;   /* particles and copies by cells */
    int64_t *start;
    int64_t builds;
    int stale; /* the list has run out */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- the list (sections 2.2 to 2.4) ------------------------------------------------------------------------------- */

/* Makes an array longer; 1 where memory is short. */
static int grow(void *array, int64_t room, size_t bytes)
{
    void **at = array;
    void *more = realloc(*at, (size_t)room * bytes);
    if (more)
        *at = more;
    return more == NULL;
}

/* Makes room for copies. */
static int grow_copies(lj_paper *s, int64_t room)
{
    if (grow(&s->q, room, sizeof *s->q) || grow(&s->p, room, sizeof *s->p) ||
        grow(&s->source, room, sizeof *s->source) || grow(&s->shift, room, sizeof *s->shift) ||
        grow(&s->order, room, sizeof *s->order))
        return 1;
    s->room = room;
    return 0;
}

/* Folds all particles into the box and copies those near a face, axis by axis, so that corners come by themselves. */
static int copy_rim(lj_paper *s)
{
    for (int64_t i = 0; i < s->n; i++)
        for (int c = 0; c < 3; c++)
            s->q[i][c] -= s->length * floor(s->q[i][c] / s->length);
    s->all = s->n;
    for (int c = 0; c < 3; c++) {
        const int64_t so_far = s->all;
        for (int64_t i = 0; i < so_far; i++) {
            const double x = s->q[i][c];
            const double by = x < search ? s->length : x >= s->length - search ? -s->length : 0;
            if (by == 0)
                continue;
            if (s->all + PAD >= s->room && grow_copies(s, 2 * s->room))
                return 1;
            memcpy(s->q[s->all], s->q[i], sizeof(vector));
            s->q[s->all][c] += by;
            s->source[s->all] = i < s->n ? (int32_t)i : s->source[i];
            for (int d = 0; d < 3; d++)
                s->shift[s->all][d] = (i < s->n ? 0 : s->shift[i][d]) + (d == c ? by : 0);
            s->all++;
        }
    }
    return 0;
}

static int64_t cell_of(const lj_paper *s, const vector q)
{
    int64_t cell = 0;
    for (int c = 0; c < 3; c++) {
        int64_t k = (int64_t)((q[c] + search) / (s->length + 2 * search) * (double)s->cells);
        k = k < 0 ? 0 : k >= s->cells ? s->cells - 1 : k;
        cell = cell * s->cells + k;
    }
    return cell;
}

/* Cells as a linear array (Fig. 3): a counting sort. */
static void sort_cells(lj_paper *s)
{
    const int64_t cells = s->cells * s->cells * s->cells;
    memset(s->start, 0, (size_t)(cells + 2) * sizeof *s->start);
    for (int64_t i = 0; i < s->all; i++)
        s->start[cell_of(s, s->q[i]) + 2]++;
    for (int64_t k = 1; k <= cells; k++)
        s->start[k + 1] += s->start[k];
    for (int64_t i = 0; i < s->all; i++)
        s->order[s->start[cell_of(s, s->q[i]) + 1]++] = (int32_t)i;
}

/* Takes a pair into the list where it is near and not between two copies. */
static int take_pair(lj_paper *s, int32_t i, int32_t j)
{
    const double x = s->q[i][0] - s->q[j][0], y = s->q[i][1] - s->q[j][1], z = s->q[i][2] - s->q[j][2];
    if ((i >= s->n && j >= s->n) || x * x + y * y + z * z >= search * search)
        return 0;
    if (s->pairs + PAD >= s->pair_room) {
        const int64_t room = 2 * s->pair_room + 1024;
        if (grow(&s->pair, room, sizeof *s->pair) || grow(&s->partner, room, sizeof *s->partner))
            return 1;
        s->pair_room = room;
    }
    s->pair[s->pairs][0] = i < j ? i : j;
    s->pair[s->pairs++][1] = i < j ? j : i;
    return 0;
}

/* Pairs within a cell and with 13 of its 26 neighbours (Algorithm 1). */
static int find_pairs(lj_paper *s)
{
    const int64_t m = s->cells;
    s->pairs = 0;
    for (int64_t cell = 0; cell < m * m * m; cell++) {
        const int64_t at[3] = {cell / (m * m), cell / m % m, cell % m};
        for (int k = 13; k < 27; k++) {
            const int64_t x = at[0] + k / 9 - 1, y = at[1] + k / 3 % 3 - 1, z = at[2] + k % 3 - 1;
            if (x < 0 || y < 0 || z < 0 || x >= m || y >= m || z >= m)
                continue;
            const int64_t other = (x * m + y) * m + z;
            for (int64_t a = s->start[cell]; a < s->start[cell + 1]; a++)
                for (int64_t b = k == 13 ? a + 1 : s->start[other]; b < s->start[other + 1]; b++)
                    if (take_pair(s, s->order[a], s->order[b]))
                        return 1;
        }
    }
    return 0;
}

/* Pairs grouped by their key particles (Fig. 6). */
static void sort_pairs(lj_paper *s)
{
    memset(s->pointer, 0, (size_t)(s->n + 2) * sizeof *s->pointer);
    for (int64_t k = 0; k < s->pairs; k++)
        s->pointer[s->pair[k][0] + 2]++;
    for (int64_t i = 1; i <= s->n; i++)
        s->pointer[i + 1] += s->pointer[i];
    for (int64_t k = 0; k < s->pairs; k++)
        s->partner[s->pointer[s->pair[k][0] + 1]++] = s->pair[k][1];
    s->partner[s->pairs] = 0; /* Algorithm 8 looks one ahead */
}

/* Particles in the order of their cells (Fig. 7). */
static int sort_particles(lj_paper *s)
{
    vector *q = malloc((size_t)s->n * sizeof *q), *p = malloc((size_t)s->n * sizeof *p);
    int64_t to = 0;
    for (int64_t k = 0; q && p && k < s->all; k++) {
        if (s->order[k] >= s->n)
            continue;
        memcpy(q[to], s->q[s->order[k]], sizeof *q);
        memcpy(p[to++], s->p[s->order[k]], sizeof *p);
    }
    const int failed = !q || !p;
    if (!failed) {
        memcpy(s->q, q, (size_t)s->n * sizeof *q);
        memcpy(s->p, p, (size_t)s->n * sizeof *p);
    }
    free(q);
    free(p);
    return failed;
}

static int build_list(lj_paper *s, int sorted)
{
    if (copy_rim(s))
        return 1;
    sort_cells(s);
    if (sorted && s->builds % SORT_EVERY == 0) {
        if (sort_particles(s) || copy_rim(s))
            return 1;
        sort_cells(s);
    }
    if (find_pairs(s))
        return 1;
    sort_pairs(s);
    s->builds++;
    s->margin = search - cutoff;
    s->stale = 0;
    return 0;
}

/* --- forces: momenta change by f dt ------------------------------------------------------------------------------- */

/* The force times dt, per r: Algorithm 6. */
static inline double force_dt(const lj_paper *s, double r2)
{
    const double r6 = r2 * r2 * r2, r14 = r6 * r6 * r2;
    return ((24 * r6 - 48) / r14 + 8 * s->c2) * step;
}

static inline double distance(const vector a, const vector b, vector r)
{
    for (int c = 0; c < 3; c++)
        r[c] = a[c] - b[c];
    return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
}

static inline void kick(vector p, double f, const vector r)
{
    for (int c = 0; c < 3; c++)
        p[c] += f * r[c];
}

/* Algorithms 3 and 6: all pairs of the list, one after the other. */
static void force_plain(lj_paper *s)
{
    for (int64_t k = 0; k < s->pairs; k++) {
        const int32_t i = s->pair[k][0], j = s->pair[k][1];
        vector r;
        const double r2 = distance(s->q[j], s->q[i], r);
        if (r2 >= cutoff * cutoff)
            continue;
        const double f = force_dt(s, r2);
        kick(s->p[i], f, r);
        kick(s->p[j], -f, r);
    }
}

/* Algorithm 4: grouped by key particles, whose own data stay in registers. */
static void force_sorted(lj_paper *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const vector key = {s->q[i][0], s->q[i][1], s->q[i][2]};
        vector sum = {0, 0, 0};
        for (int64_t k = s->pointer[i]; k < s->pointer[i + 1]; k++) {
            const int32_t j = s->partner[k];
            vector r;
            const double r2 = distance(s->q[j], key, r);
            if (r2 >= cutoff * cutoff)
                continue;
            const double f = force_dt(s, r2);
            kick(sum, f, r);
            kick(s->p[j], -f, r);
        }
        kick(s->p[i], 1, sum);
    }
}

/* Algorithm 5: no branch; forces beyond the cutoff are evaluated and set to 0. */
static void force_branchless(lj_paper *s)
{
    for (int64_t k = 0; k < s->pairs; k++) {
        const int32_t i = s->pair[k][0], j = s->pair[k][1];
        vector r;
        const double r2 = distance(s->q[j], s->q[i], r);
        double f = force_dt(s, r2);
        f = r2 >= cutoff * cutoff ? 0 : f;
        kick(s->p[i], f, r);
        kick(s->p[j], -f, r);
    }
}

/* Algorithms 4 and 5 together. */
static void force_sorted_branchless(lj_paper *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const vector key = {s->q[i][0], s->q[i][1], s->q[i][2]};
        vector sum = {0, 0, 0};
        for (int64_t k = s->pointer[i]; k < s->pointer[i + 1]; k++) {
            const int32_t j = s->partner[k];
            vector r;
            const double r2 = distance(s->q[j], key, r);
            double f = force_dt(s, r2);
            f = r2 >= cutoff * cutoff ? 0 : f;
            kick(sum, f, r);
            kick(s->p[j], -f, r);
        }
        kick(s->p[i], 1, sum);
    }
}

/* Algorithm 7: one division for two pairs. */
static void force_divisions(lj_paper *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const vector key = {s->q[i][0], s->q[i][1], s->q[i][2]};
        vector sum = {0, 0, 0};
        int64_t k = s->pointer[i];
        for (; k + 1 < s->pointer[i + 1]; k += 2) {
            const int32_t a = s->partner[k], b = s->partner[k + 1];
            vector ra, rb;
            const double a2 = distance(s->q[a], key, ra), b2 = distance(s->q[b], key, rb);
            const double a6 = a2 * a2 * a2, b6 = b2 * b2 * b2, a14 = a6 * a6 * a2, b14 = b6 * b6 * b2;
            const double inverse = 1 / (a14 * b14);
            double fa = ((24 * a6 - 48) * inverse * b14 + 8 * s->c2) * step;
            double fb = ((24 * b6 - 48) * inverse * a14 + 8 * s->c2) * step;
            fa = a2 >= cutoff * cutoff ? 0 : fa;
            fb = b2 >= cutoff * cutoff ? 0 : fb;
            kick(sum, fa, ra);
            kick(sum, fb, rb);
            kick(s->p[a], -fa, ra);
            kick(s->p[b], -fb, rb);
        }
        if (k < s->pointer[i + 1]) {
            vector r;
            const double r2 = distance(s->q[s->partner[k]], key, r), f = r2 >= cutoff * cutoff ? 0 : force_dt(s, r2);
            kick(sum, f, r);
            kick(s->p[s->partner[k]], -f, r);
        }
        kick(s->p[i], 1, sum);
    }
}

/* Algorithm 8: the distance of the next pair is computed while the force of this one is, and the momenta of the one
 * before are updated. */
static void force_pipelined(lj_paper *s)
{
    for (int64_t i = 0; i < s->n; i++) {
        const vector key = {s->q[i][0], s->q[i][1], s->q[i][2]};
        vector sum = {0, 0, 0}, ahead, behind = {0, 0, 0};
        double f = 0;
        int32_t next = s->partner[s->pointer[i]], before = 0;
        double ahead2 = distance(s->q[next], key, ahead);
        for (int64_t k = s->pointer[i]; k < s->pointer[i + 1]; k++) {
            const vector r = {ahead[0], ahead[1], ahead[2]};
            const double r2 = ahead2;
            const int32_t j = next;
            next = s->partner[k + 1];
            ahead2 = distance(s->q[next], key, ahead);
            if (r2 < cutoff * cutoff) {
                kick(sum, f, behind);
                kick(s->p[before], -f, behind);
                f = force_dt(s, r2);
                before = j;
                memcpy(behind, r, sizeof behind);
            }
        }
        kick(s->p[before], -f, behind);
        kick(sum, f, behind);
        kick(s->p[i], 1, sum);
    }
}

static const struct {
    const char *name;
    void (*force)(lj_paper *s);
} algorithms[] = {
    {"3, 6: plain list", force_plain},
    {"4: sorted list", force_sorted},
    {"5: no branch, plain list", force_branchless},
    {"4 and 5: no branch, sorted list", force_sorted_branchless},
    {"7: one division for two pairs", force_divisions},
    {"8: software pipelining", force_pipelined},
};

enum { ALGORITHMS = sizeof algorithms / sizeof algorithms[0] };

const char *lj_paper_algorithm(int k)
{
    return k >= 0 && k < ALGORITHMS ? algorithms[k].name : NULL;
}

/* --- motion ------------------------------------------------------------------------------------------------------- */

/* Drift of a second-order symplectic step, copies along with their particles; uses up the margin of the list. */
static void move(lj_paper *s, double dt)
{
    double fastest = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double v2 = s->p[i][0] * s->p[i][0] + s->p[i][1] * s->p[i][1] + s->p[i][2] * s->p[i][2];
        fastest = v2 > fastest ? v2 : fastest;
        for (int c = 0; c < 3; c++)
            s->q[i][c] += dt * s->p[i][c];
    }
    for (int64_t k = s->n; k < s->all; k++)
        for (int c = 0; c < 3; c++)
            s->q[k][c] = s->q[s->source[k]][c] + s->shift[k][c];
    s->margin -= 2 * sqrt(fastest) * dt;
    s->stale = s->margin <= 0;
}

int lj_paper_run(lj_paper *paper, int k, int64_t steps, int sorted, lj_paper_times *times)
{
    lj_paper *s = paper;
    *times = (lj_paper_times){0};
    s->builds = 0;
    if (build_list(s, sorted))
        return 1;
    const double start = now();
    for (int64_t n = 0; n < steps; n++) {
        move(s, step / 2);
        const double before = now();
        if (s->stale && build_list(s, sorted))
            return 1;
        const double built = now();
        memset(s->p + s->n, 0, (size_t)(s->all - s->n) * sizeof *s->p);
        algorithms[k].force(s);
        times->list_seconds += built - before;
        times->force_seconds += now() - built;
        move(s, step / 2);
        if (s->stale && build_list(s, sorted))
            return 1;
    }
    times->seconds = now() - start;
    times->builds = s->builds - 1;
    return 0;
}

double lj_paper_temperature(const lj_paper *paper)
{
    double sum = 0;
    for (int64_t i = 0; i < paper->n; i++)
        for (int c = 0; c < 3; c++)
            sum += paper->p[i][c] * paper->p[i][c];
    return sum / (3 * (double)paper->n);
}

/* Which particle gets label i: any, each once (Fisher and Yates). */
static void shuffle(lj_paper *s)
{
    uint64_t state = 1;
    for (int64_t i = s->n - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t j = (int64_t)((state >> 33) % (uint64_t)(i + 1));
        for (int c = 0; c < 3; c++) {
            const double q = s->q[i][c], p = s->p[i][c];
            s->q[i][c] = s->q[j][c];
            s->p[i][c] = s->p[j][c];
            s->q[j][c] = q;
            s->p[j][c] = p;
        }
    }
}

lj_paper *lj_paper_create(int64_t n, double length, const double *const q[3], const double *const p[3], int shuffled)
{
    lj_paper *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->n = s->all = n;
    s->length = length;
    s->c2 = 6 * pow(cutoff, -14) - 3 * pow(cutoff, -8);
    s->cells = (int64_t)((length + 2 * search) / search);
    s->pointer = calloc((size_t)n + 3, sizeof *s->pointer);
    s->start = calloc((size_t)(s->cells * s->cells * s->cells + 3), sizeof *s->start);
    s->q = calloc((size_t)n, sizeof *s->q);
    s->p = calloc((size_t)n, sizeof *s->p);
    if (!s->pointer || !s->start || !s->q || !s->p || grow_copies(s, n + n / 2 + 1024)) {
        lj_paper_destroy(&s);
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            s->q[i][c] = q[c][i];
            s->p[i][c] = p[c][i];
        }
    if (shuffled)
        shuffle(s);
    return s;
}

void lj_paper_destroy(lj_paper **paper)
{
    lj_paper *s = *paper;
    if (!s)
        return;
    free(s->q);
    free(s->p);
    free(s->source);
    free(s->shift);
    free(s->order);
    free(s->pair);
    free(s->partner);
    free(s->pointer);
    free(s->start);
    free(s);
    *paper = NULL;
}
