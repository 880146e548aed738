/* mesh.c - mesh, places on it, and passes over the mesh; see mesh.h. The loops over sources and targets are in
 * mesh_loops.c. */
#include "method/mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/memory.h"
#include "method/mesh/mesh_inside.h"

enum {
    MESH_APART = 16,             /* columns between sources that are spread one after the other: the widest window */
    MESH_RUN = 256,              /* targets gathered by a thread at a time */
    MESH_POINTS = 8192,          /* most points along an axis that fourier.h transforms */
    MESH_WAVES = MESH_POINTS / 2 /* and waves along x */
};

/* Bits of the integers: of one contribution, as the loops round it, and of a sum. */
#define MESH_ONE_BITS 50
#define MESH_SUM_BITS 62
#define MESH_SINGLE_BITS 30
#define MESH_SIZE_BITS 30 /* of the largest weight, where weights are added to bound a sum */

/* --- mesh --------------------------------------------------------------------------------------------------------- */

/* Row of a tile along y (0) or z (1): tiles are at least as wide as the window, so that one touches itself and the next
 * tile only. */
static int64_t mesh_tile(const myr_mesh *m, int axis, int32_t first)
{
    return first * m->tiles[axis] / m->choice.side[axis + 1];
}

void myr_mesh_waves(const myr_mesh_choice *choice, int axis, double edge, double *wave, double *unwound)
{
    const double pi = acos(-1.0);
    const int64_t side = choice->side[axis];
    for (int64_t i = 0; i < side; i++) {
        const double mode = (double)myr_fourier_mode(side, i), theta = fabs(2 * pi * mode / (double)side);
        wave[i] = 2 * pi * mode / edge;
        unwound[i] = pow(myr_mesh_window_transform(choice->width, choice->beta, theta), -2) * (double)side / edge;
    }
}

static int mesh_allocate(myr_mesh *m)
{
    const int64_t *side = m->choice.side, width = m->choice.width;
    int whole =
        (m->grid = myr_memory_some(m->row * side[1] * side[2] + MYR_MESH_SINGLE_LANES, (size_t)m->bytes)) != NULL;
    for (int c = 0; c < 3; c++) {
        m->field[c] = myr_memory_some(2 * myr_fourier_half(side[0]) * side[1] * side[2], (size_t)m->bytes);
        m->wave[c] = myr_memory_zeros(side[c], sizeof(double));
        m->unwound[c] = myr_memory_zeros(side[c], sizeof(double));
        m->damped[c] = myr_memory_zeros(side[c], sizeof(double));
        whole = whole && m->field[c] && m->wave[c] && m->unwound[c] && m->damped[c];
    }
    whole = (m->turn = myr_memory_zeros(side[0], sizeof *m->turn)) && whole;
    for (int64_t first = 0, rank = 0; first < MESH_APART && m->turn; first++)
        for (int64_t x = first; x < side[0]; x += MESH_APART)
            m->turn[x] = rank++;
    for (int c = 0; c < 2; c++) {
        m->wrap[c] = myr_memory_zeros(side[c + 1] + width, sizeof(int64_t));
        whole = whole && m->wrap[c];
        for (int64_t k = 0; k < side[c + 1] + width && whole; k++)
            m->wrap[c][k] = k % side[c + 1] * m->row * (c ? side[1] : 1);
    }
    return whole;
}

myr_status myr_mesh_create(myr_context *context, const myr_mesh_choice *choice, const double edge[3], myr_mesh **mesh)
{
    myr_mesh *m = calloc(1, sizeof *m);
    int whole = m != NULL;
    *mesh = NULL;
    if (m) {
        *m = (myr_mesh){.context = context, .threads = myr_context_threads(context), .choice = *choice, .core = -1};
        memcpy(m->edge, edge, sizeof m->edge);
        /* vectors that end beyond the last touched point stay within the row */
        m->row = 3 * (choice->side[0] + choice->width) + (choice->single ? MYR_MESH_SINGLE_LANES : MYR_MESH_LANES);
        m->bytes = choice->single ? (int64_t)sizeof(float) : (int64_t)sizeof(double);
        m->passes = choice->single ? &myr_mesh_passes_single : &myr_mesh_passes_double;
        for (int c = 0; c < 2; c++) {
            const int64_t wide = choice->width > MYR_MESH_TILE ? choice->width : MYR_MESH_TILE;
            const int64_t tiles = choice->side[c + 1] / wide;
            m->tiles[c] = tiles < 2 ? 1 : tiles - tiles % 2;
        }
        myr_mesh_window_make(choice->width, choice->beta, &m->window);
        for (int j = 0; j <= m->window.degree; j++)
            for (int k = 0; k < choice->width; k++)
                m->coefficient[j][k] = (float)m->window.coefficient[j][k];
        whole = mesh_allocate(m);
    }
    myr_status status =
        whole ? choice->single ? myr_fourier_single_create_box(context, choice->side, &m->fourier)
                               : myr_fourier_create_box(context, choice->side, choice->side, &m->fourier)
              : myr_context_fail(context, MYR_ERROR_MEMORY, "no memory for a mesh of %lld x %lld x %lld points",
                                 (long long)choice->side[0], (long long)choice->side[1], (long long)choice->side[2]);
    if (status)
        myr_mesh_destroy(&m);
    for (int c = 0; c < 3 && !status; c++)
        myr_mesh_waves(choice, c, edge[c], m->wave[c], m->unwound[c]);
    *mesh = m;
    return status;
}

void myr_mesh_destroy(myr_mesh **mesh)
{
    if (!mesh || !*mesh)
        return;
    myr_mesh *m = *mesh;
    for (int c = 0; c < 3; c++) {
        free(m->field[c]);
        free(m->kept[c]);
        free(m->wave[c]);
        free(m->unwound[c]);
        free(m->damped[c]);
    }
    for (int c = 0; c < 2; c++)
        free(m->wrap[c]);
    free(m->turn);
    free(m->grid);
    myr_fourier_destroy(&m->fourier);
    free(m);
    *mesh = NULL;
}

void myr_mesh_set_box(myr_mesh *mesh, const double edge[3])
{
    if (mesh->edge[0] == edge[0] && mesh->edge[1] == edge[1] && mesh->edge[2] == edge[2])
        return;
    memcpy(mesh->edge, edge, sizeof mesh->edge);
    mesh->core = -1;
    for (int c = 0; c < 3; c++)
        myr_mesh_waves(&mesh->choice, c, edge[c], mesh->wave[c], mesh->unwound[c]);
}

void myr_mesh_set_origin(myr_mesh *mesh, const double origin[3])
{
    memcpy(mesh->origin, origin, sizeof mesh->origin);
}

int myr_mesh_matches(const myr_mesh *mesh, const myr_mesh_choice *choice, const double edge[3])
{
    return mesh && mesh->choice.width == choice->width && mesh->choice.single == choice->single &&
           mesh->choice.beta == choice->beta && memcmp(mesh->choice.side, choice->side, sizeof choice->side) == 0 &&
           mesh->edge[0] == edge[0] && mesh->edge[1] == edge[1] && mesh->edge[2] == edge[2] &&
           mesh->threads == myr_context_threads(mesh->context);
}

const myr_mesh_choice *myr_mesh_choice_of(const myr_mesh *mesh)
{
    return &mesh->choice;
}

int64_t myr_mesh_bytes(const myr_mesh *mesh)
{
    const int64_t *side = mesh->choice.side;
    return mesh->bytes * side[1] * side[2] * (mesh->row + 6 * myr_fourier_half(side[0]));
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static void place_find(const myr_mesh *m, const double x[3], myr_mesh_place *p)
{
    for (int c = 0; c < 3; c++) {
        const double side = (double)m->choice.side[c];
        double u = (x[c] - m->origin[c]) / m->edge[c];
        u = (u - floor(u)) * side - 0.5 * m->choice.width;
        double first = ceil(u);
        p->beyond[c] = first - u;
        first += first < 0 ? side : 0;
        p->first[c] = (int32_t)(first < side ? first : first - side);
    }
}

/* Key of the order of places: by tile, so that sources spread one after the other touch the same cache lines, and by
 * column along x within a tile. Neighbouring columns are not spread one after the other: a processor cannot forward
 * what it has just stored to a load that overlaps it in part, and waits. */
static int64_t place_key(const myr_mesh *m, const myr_mesh_place *p)
{
    return (mesh_tile(m, 1, p->first[2]) * m->tiles[0] + mesh_tile(m, 0, p->first[1])) * m->choice.side[0] +
           m->turn[p->first[0]];
}

/* Stable counting sort; `count` has a zero for each key, and one more. */
static void places_sort(const myr_mesh *m, const myr_mesh_place *found, int64_t *count, myr_mesh_places *p)
{
    const int64_t keys = m->tiles[0] * m->tiles[1] * m->choice.side[0];
    for (int64_t i = 0; i < p->n; i++)
        count[place_key(m, found + i) + 1]++;
    for (int64_t k = 0; k < keys; k++)
        count[k + 1] += count[k];
    for (int64_t t = 0; t <= m->tiles[0] * m->tiles[1]; t++)
        p->tile[t] = count[t * m->choice.side[0]];
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t j = count[place_key(m, found + i)]++;
        p->order[j] = i;
        p->place[j] = found[i];
    }
}

myr_status myr_mesh_places_create(const myr_mesh *mesh, int64_t n, const double *const x[3], myr_mesh_places **places)
{
    const int64_t tiles = mesh->tiles[0] * mesh->tiles[1];
    myr_mesh_places *p = *places = calloc(1, sizeof *p);
    myr_mesh_place *found = myr_memory_some(n + 1, sizeof *found);
    int64_t *count = myr_memory_zeros(tiles * mesh->choice.side[0] + 1, sizeof *count);
    if (p) {
        p->n = n;
        p->tile = myr_memory_zeros(tiles + 1, sizeof *p->tile);
        p->order = myr_memory_some(n + 1, sizeof *p->order);
        p->place = myr_memory_some(n + 1, sizeof *p->place);
    }
    const int whole = p && found && count && p->tile && p->order && p->place;
    if (whole) {
#pragma omp parallel for num_threads(mesh->threads) schedule(static)
        for (int64_t i = 0; i < n; i++)
            place_find(mesh, (const double[3]){x[0][i], x[1][i], x[2][i]}, found + i);
        places_sort(mesh, found, count, p);
    } else
        myr_mesh_places_destroy(places);
    free(found);
    free(count);
    return whole
               ? MYR_OK
               : myr_context_fail(mesh->context, MYR_ERROR_MEMORY, "no memory for %lld places on a mesh", (long long)n);
}

void myr_mesh_places_destroy(myr_mesh_places **places)
{
    if (!places || !*places)
        return;
    free((*places)->tile);
    free((*places)->order);
    free((*places)->place);
    free(*places);
    *places = NULL;
}

/* --- spreading ---------------------------------------------------------------------------------------------------- */

/* Largest weight. */
static double spread_most(const myr_mesh *m, int64_t n, const double *const weight[3])
{
    double most = 0;
#pragma omp parallel for num_threads(m->threads) schedule(static) reduction(max : most)
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(weight[c][i]));
    return most;
}

/* Largest sum of the weights, in grains, rounded up, of the sources that begin in `width` columns along x of a tile:
 * `column` has a zero for each column. */
static uint64_t spread_columns(const myr_mesh *m, const myr_mesh_places *p, int64_t tile, const double *const weight[3],
                               double per_grain, uint64_t *column)
{
    const int64_t side = m->choice.side[0], width = m->choice.width < side ? m->choice.width : side;
    uint64_t sum = 0, most = 0;
    for (int64_t j = p->tile[tile]; j < p->tile[tile + 1]; j++)
        for (int c = 0; c < 3; c++)
            column[p->place[j].first[0]] += (uint64_t)ceil(fabs(weight[c][p->order[j]]) * per_grain);
    for (int64_t x = 0; x < width; x++)
        sum += column[x];
    for (int64_t x = 0; x < side; x++) {
        most = sum > most ? sum : most;
        sum += column[(x + width) % side] - column[x];
    }
    memset(column, 0, (size_t)side * sizeof *column);
    return most;
}

/* Exponent of the integers' unit: the largest contribution has at most as many bits as the loops can round, and the
 * largest sum, of the sources at one point, as the integer has. A point is touched by sources of four tiles that begin
 * in `width` columns. Powers of two lose no bits. Weights are added as integers, so that their order does not
 * matter. */
static int spread_exponent(const myr_mesh *m, const myr_mesh_places *p, const double *const weight[3])
{
    const int64_t tiles = m->tiles[0] * m->tiles[1];
    const double most = spread_most(m, p->n, weight);
    const double grain = most > 0 && isfinite(most) ? ldexp(1, ilogb(most) - MESH_SIZE_BITS) : 0;
    const int one_bits = m->choice.single ? MESH_SINGLE_BITS : MESH_ONE_BITS;
    const int sum_bits = m->choice.single ? MESH_SINGLE_BITS : MESH_SUM_BITS;
    uint64_t sums = 0;
    if (!(grain > 0) || !isfinite(1 / grain))
        return 0;
#pragma omp parallel num_threads(m->threads) reduction(max : sums)
    {
        uint64_t column[MESH_POINTS] = {0};
#pragma omp for schedule(static)
        for (int64_t t = 0; t < tiles; t++) {
            const uint64_t sum = spread_columns(m, p, t, weight, 1 / grain, column);
            sums = sum > sums ? sum : sums;
        }
    }
    const int one = one_bits - ilogb(most) - 1, all = sum_bits - ilogb(4 * (double)sums * grain) - 1;
    return one < all ? one : all;
}

/* Tiles spread at the same time touch no common points: four colours, one after the other. */
void myr_mesh_spread(myr_mesh *mesh, const myr_mesh_places *sources, const double *const weight[3])
{
    const myr_mesh *m = mesh;
    const int64_t rows = m->choice.side[1] * m->choice.side[2], tiles = m->tiles[0] * m->tiles[1];
    const int exponent = spread_exponent(m, sources, weight);
    const double scale = ldexp(1, exponent);
    myr_mesh_spread_loop *spread = myr_mesh_spread_best(m);
    mesh->unit = ldexp(1, -exponent);
#pragma omp parallel num_threads(m->threads)
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < rows; r++)
            memset((char *)m->grid + r * m->row * m->bytes, 0, (size_t)(m->row * m->bytes));
        for (int colour = 0; colour < 4; colour++) {
#pragma omp for schedule(dynamic, 1)
            for (int64_t t = 0; t < tiles; t++)
                if (t % m->tiles[0] % 2 == colour % 2 && t / m->tiles[0] % 2 == colour / 2)
                    spread(m, sources, sources->tile[t], sources->tile[t + 1], weight, scale);
        }
    }
}

/* --- waves -------------------------------------------------------------------------------------------------------- */

/* Transforms of a Gaussian along the axes, without what both windows did. */
static void apply_damp(myr_mesh *m, double core)
{
    for (int c = 0; c < 3 && m->core != core; c++)
        for (int64_t i = 0; i < m->choice.side[c]; i++)
            m->damped[c][i] = m->unwound[c][i] * exp(-0.5 * pow(core * m->wave[c][i], 2));
    m->core = core;
}

static void mesh_apply(myr_mesh *m, int again, double core, myr_mesh_kernel *kernel, void *user)
{
    const int64_t *side = m->choice.side;
    apply_damp(m, core);
#pragma omp parallel num_threads(m->threads)
    {
        double room[7 * MESH_WAVES];
        if (!again) {
#pragma omp for schedule(static)
            for (int64_t z = 0; z < side[2]; z++)
                m->passes->forward(m, z);
        }
#pragma omp for schedule(static)
        for (int64_t r = 0; r < side[1] - 1; r++)
            m->passes->row(m, r, again, room, kernel, user);
#pragma omp for schedule(static)
        for (int64_t z = 0; z < side[2]; z++)
            m->passes->inverse(m, z);
    }
}

void myr_mesh_apply(myr_mesh *mesh, double core, myr_mesh_kernel *kernel, void *user)
{
    mesh_apply(mesh, 0, core, kernel, user);
}

void myr_mesh_apply_again(myr_mesh *mesh, double core, myr_mesh_kernel *kernel, void *user)
{
    mesh_apply(mesh, 1, core, kernel, user);
}

myr_status myr_mesh_keep(myr_mesh *mesh)
{
    const int64_t *side = mesh->choice.side;
    for (int c = 0; c < 3; c++)
        if (!mesh->kept[c] &&
            !(mesh->kept[c] = myr_memory_some(2 * myr_fourier_half(side[0]) * side[1] * side[2], (size_t)mesh->bytes)))
            return myr_context_fail(mesh->context, MYR_ERROR_MEMORY, "no memory for the waves of a mesh");
    return MYR_OK;
}

/* What one window does to a wave, undone, times the transform of a Gaussian, along each axis; scaled: 1 = times
 * side/edge. `damped` serves as room. */
static void modes_wound(myr_mesh *m, double core, int scaled, double *wound[3])
{
    m->core = -1;
    for (int c = 0; c < 3; c++) {
        const double side = (double)m->choice.side[c], factor = scaled ? side / m->edge[c] : m->edge[c] / side;
        wound[c] = m->damped[c];
        for (int64_t i = 0; i < m->choice.side[c]; i++)
            wound[c][i] = sqrt(m->unwound[c][i] * factor) * exp(-0.5 * pow(core * m->wave[c][i], 2));
    }
}

void myr_mesh_modes(myr_mesh *mesh, double core, int64_t modes, int fold, double *const hat[3])
{
    const myr_mesh *m = mesh;
    const int64_t *side = m->choice.side;
    double *wound[3];
    modes_wound(mesh, core, 1, wound);
    for (int c = 0; c < 3; c++)
        memset(hat[c], 0, (size_t)myr_fourier_numbers(modes) * sizeof(double));
#pragma omp parallel num_threads(m->threads)
    {
#pragma omp for schedule(static)
        for (int64_t z = 0; z < side[2]; z++)
            m->passes->forward(m, z);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < side[1] - 1; r++)
            m->passes->transform_row(m, r);
#pragma omp for schedule(static)
        for (int64_t r = 0; r < modes - 1; r++)
            m->passes->modes(m, r, modes, fold, wound, hat);
    }
}

void myr_mesh_values(myr_mesh *mesh, int64_t modes, const double *const hat[3])
{
    const myr_mesh *m = mesh;
    const int64_t *side = m->choice.side;
    double *wound[3];
    modes_wound(mesh, 0, 0, wound);
#pragma omp parallel num_threads(m->threads)
    {
#pragma omp for schedule(static)
        for (int64_t r = 0; r < side[1] - 1; r++)
            m->passes->values(m, r, modes, wound, hat);
#pragma omp for schedule(static)
        for (int64_t z = 0; z < side[2]; z++)
            m->passes->inverse(m, z);
    }
}

/* --- gathering ---------------------------------------------------------------------------------------------------- */

void myr_mesh_gather(const myr_mesh *mesh, const myr_mesh_places *targets, int gradient, myr_mesh_take *take,
                     void *user)
{
    myr_mesh_gather_loop *gather = myr_mesh_gather_best(mesh);
    const int64_t runs = (targets->n + MESH_RUN - 1) / MESH_RUN;
#pragma omp parallel for num_threads(mesh->threads) schedule(static)
    for (int64_t k = 0; k < runs; k++) {
        const int64_t end = (k + 1) * MESH_RUN < targets->n ? (k + 1) * MESH_RUN : targets->n;
        for (int64_t j = k * MESH_RUN; j < end; j++) {
            double sum[12];
            gather(mesh, targets->place + j, gradient, sum);
            take(user, targets->order[j], sum);
        }
    }
}
