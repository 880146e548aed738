/* box_bins.cuh - particles of a box on a GPU sorted for a new list, included by box_list.cuh: counts of bins, their
 * scan, the order of the particles, and the arrays in that order. */

/* Particles beyond the grid of an open axis are in its first or last cell. */
MYR_FN int32_t list_cell(const myr_box_list &a, const myr_box_grid &g, int c, uint32_t q)
{
#if BOX_OPEN
    if (!a.all.periodic[c]) {
        if (q < a.low[c])
            return 0;
        const uint64_t cell = ((uint64_t)(q - a.low[c]) * g.factor[c]) >> 32;
        return cell < (uint64_t)g.cells[c] ? (int32_t)cell : g.cells[c] - 1;
    }
#endif
    return (int32_t)(((uint64_t)(q - a.low[c]) * g.factor[c]) >> 32);
}

MYR_FN int32_t list_column(const myr_box_grid &g, int32_t x, int32_t y)
{
    return x * g.cells[1] + (x & 1 ? g.cells[1] - 1 - y : y);
}

/* What a list reads of a particle. */
struct listed_particle {
    uint64_t q[3];
    double v[3];
    float pull[3];
};

MYR_FN listed_particle load_listed(const myr_box_list &a, const myr_box_side &s, int32_t i)
{
    listed_particle p;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        p.q[c] = s.q[c][i];
        p.v[c] = s.v[c][i];
        p.pull[c] = a.all.pull[c][i];
    }
    return p;
}

/* Place for which a particle is listed, as upper halves of its coordinates. Returns the particle's skin. */
MYR_FN float list_place(const myr_box_list &a, const listed_particle &p, uint32_t at[3])
{
    float way[3], way2 = 0, straight2 = 0, bent2 = 0;
    MYR_UNROLL
    for (int c = 0; c < 3; c++) {
        const float straight = (float)p.v[c] * a.lead[c], bent = p.pull[c] * a.bend[c];
        way[c] = straight + bent;
        way2 += way[c] * a.displace[c] * (way[c] * a.displace[c]);
        straight2 += straight * a.displace[c] * (straight * a.displace[c]);
        bent2 += bent * a.displace[c] * (bent * a.displace[c]);
    }
    const float part = way2 <= a.lead2 ? 1.0f : sqrtf(a.lead2 / way2);
    MYR_UNROLL
    for (int c = 0; c < 3; c++) /* a velocity that is not finite is refused in the next step */
        at[c] = (uint32_t)(p.q[c] >> 32) + (uint32_t)(way2 < INFINITY ? (int32_t)rintf(way[c] * part) : 0);
    const float skin = a.least + a.straight * sqrtf(straight2) + a.bent * sqrtf(bent2);
    return fminf(a.most, fmaxf(skin, a.beyond + sqrtf(way2))); /* the particle is that far away now */
}

/* Skin in sigma and type of a listed particle, in one word: the skin is rounded up to a number whose last byte is 0. */
MYR_FN real_int listed_word(const myr_box_list &a, float skin, int type)
{
    const float length = skin * a.per_sigma;
    uint32_t bits;
    memcpy(&bits, &length, sizeof bits);
    return (real_int)(((bits + 0xff) & ~0xffu) | (uint32_t)type);
}

MYR_FN float listed_skin(real_int word)
{
    const uint32_t bits = (uint32_t)word & ~0xffu;
    float length;
    memcpy(&length, &bits, sizeof length);
    return length;
}

MYR_FN int listed_type(real_int word)
{
    return (int)((uint32_t)word & 0xff);
}

/* Threads take several particles at a time, so that their loads are on the way together. */
enum { COUNTED = 2, PLACED = 4, SORTED = 2 };

/* Particle k of a thread. */
MYR_FN int32_t list_index(int each, int k)
{
    return ((int32_t)blockIdx.x * each + k) * MYR_BOX_THREADS + (int32_t)threadIdx.x;
}

MYR_FN void count_particle(const myr_box_list &a, const myr_box_side &s, int32_t i, const listed_particle &p,
                           const uint32_t old[3])
{
    uint32_t q[3];
    list_place(a, p, q);
    for (int c = 0; c < 3; c++) {
        const uint32_t upper = (uint32_t)(p.q[c] >> 32);
        const int32_t crossed = crossings_between(a.all, c, old[c], upper) + crossings_between(a.all, c, upper, q[c]);
        if (crossed)
            a.all.image[c][s.row[i]] += crossed;
    }
    const myr_box_grid &g = a.grid[BOX_TYPED && a.sections > 1 ? a.all.type[s.row[i]] : 0];
    const int32_t column = list_column(g, list_cell(a, g, 0, q[0]), list_cell(a, g, 1, q[1]));
    const int32_t z = list_cell(a, g, 2, q[2]);
    const int32_t bin = g.first + column * g.cells[2] + (column & 1 ? g.cells[2] - 1 - z : z);
    a.bin[i] = bin;
    a.rank[i] = atomicAdd(&a.count[bin], 1);
}

MYR_FN void count_bins(const myr_box_list &a, const myr_box_slot &now)
{
    const myr_box_side &s = a.all.side[now.side];
    listed_particle p[COUNTED];
    uint32_t old[COUNTED][3];
    MYR_UNROLL
    for (int k = 0; k < COUNTED; k++) {
        const int32_t i = list_index(COUNTED, k), there = i < a.all.n ? i : a.all.n - 1;
        p[k] = load_listed(a, s, there);
        MYR_UNROLL
        for (int c = 0; c < 3; c++)
            old[k][c] = a.all.old[c][there];
    }
    MYR_UNROLL
    for (int k = 0; k < COUNTED; k++)
        if (list_index(COUNTED, k) < a.all.n)
            count_particle(a, s, list_index(COUNTED, k), p[k], old[k]);
}

/* Exclusive scan of a number of each thread of a block; *all receives their sum. */
MYR_FN int32_t scan_block(int32_t x, int32_t *all)
{
    enum { WARPS = MYR_BOX_THREADS / 32 };
    __shared__ int32_t of_warp[WARPS];
    int32_t up = x;
    MYR_UNROLL
    for (int far = 1; far < 32; far *= 2) {
        const int32_t other = __shfl_up_sync(~0u, up, far);
        up += (int)threadIdx.x % 32 >= far ? other : 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 31)
        of_warp[threadIdx.x / 32] = up;
    __syncthreads();
    int32_t below = 0, sum = 0;
    MYR_UNROLL
    for (int k = 0; k < WARPS; k++) {
        below += k < (int)threadIdx.x / 32 ? of_warp[k] : 0;
        sum += of_warp[k];
    }
    *all = sum;
    return below + up - x;
}

/* The block that ends last scans the sums of all parts. */
MYR_FN void scan_parts(const myr_box_list &a, int32_t parts)
{
    enum { EACH = 4 };
    int32_t before = 0, all;
    for (int32_t first = 0; first < parts; first += MYR_BOX_THREADS * EACH) {
        const int32_t at = first + threadIdx.x * EACH;
        int32_t x[EACH], sum = 0;
        MYR_UNROLL
        for (int k = 0; k < EACH; k++) {
            x[k] = at + k < parts ? __ldcg(a.part + at + k) : 0;
            sum += x[k];
        }
        int32_t below = before + scan_block(sum, &all);
        MYR_UNROLL
        for (int k = 0; k < EACH; k++) {
            if (at + k < parts)
                a.part[at + k] = below;
            below += x[k];
        }
        before += all;
        __syncthreads();
    }
}

/* Parts of MYR_BOX_SCAN bins, each of which a block scans by itself, and their sums. */
MYR_FN void scan_bins(const myr_box_list &a)
{
    enum { EACH = MYR_BOX_SCAN / MYR_BOX_THREADS };
    __shared__ int is_last;
    const int32_t parts = a.bins / MYR_BOX_SCAN + 1;
    for (int32_t part = blockIdx.x; part < parts; part += (int32_t)gridDim.x) {
        const int64_t first = (int64_t)part * MYR_BOX_SCAN + threadIdx.x * EACH;
        int32_t x[EACH], sum = 0, all;
        for (int k = 0; k < EACH; k++) {
            x[k] = first + k < a.bins ? a.count[first + k] : 0;
            sum += x[k];
        }
        int32_t below = scan_block(sum, &all);
        for (int k = 0; k < EACH; k++) {
            if (first + k <= a.bins)
                a.count[first + k] = below;
            below += x[k];
        }
        if (threadIdx.x == 0) {
            a.part[part] = all;
            __threadfence();
            is_last = atomicAdd(&a.count[a.bins + 1], 1) == parts - 1;
        }
        __syncthreads();
        if (is_last) {
            __threadfence();
            scan_parts(a, parts);
        }
    }
}

/* First place of the particles of a bin. */
MYR_FN int32_t list_start(const myr_box_list &a, int32_t bin)
{
    return a.count[bin] + a.part[bin / MYR_BOX_SCAN];
}

MYR_FN void place_particles(const myr_box_list &a)
{
    int32_t bin[PLACED], rank[PLACED], place[PLACED];
    MYR_UNROLL
    for (int k = 0; k < PLACED; k++) {
        const int32_t i = list_index(PLACED, k), there = i < a.all.n ? i : a.all.n - 1;
        bin[k] = a.bin[there];
        rank[k] = a.rank[there];
    }
    MYR_UNROLL
    for (int k = 0; k < PLACED; k++)
        place[k] = list_start(a, bin[k]) + rank[k];
    MYR_UNROLL
    for (int k = 0; k < PLACED; k++)
        if (list_index(PLACED, k) < a.all.n)
            a.order[place[k]] = list_index(PLACED, k);
    for (int32_t k = list_index(1, 0); k <= a.bins; k += (int32_t)(gridDim.x * MYR_BOX_THREADS))
        a.start[k] = list_start(a, k);
}

/* Where a particle comes from, and the places of its bin. */
struct sorted_particle {
    listed_particle p;
    int32_t row, first, last;
    double inverse;
};

/* Stores a particle in its place. For sums that depend on the order particles of a bin are in the order of their ids,
 * whatever order the atomic additions had. */
MYR_FN void sort_particle(const myr_box_list &a, const myr_box_slot &now, const sorted_particle &from)
{
    const myr_box_side &before = a.all.side[now.side], &to = a.all.side[1 - now.side];
    int32_t place = from.first;
    if (BOX_SUMS != 0 && from.last - from.first > 1) {
        const int64_t id = a.all.id[from.row];
        for (int32_t k = from.first; k < from.last; k++)
            place += a.all.id[before.row[a.order[k]]] < id;
    }
    box_point p, listed;
    uint32_t expected[3];
    const float skin = list_place(a, from.p, expected);
    const int type = BOX_TYPED ? a.all.type[from.row] : 0;
    for (int c = 0; c < 3; c++) {
        to.q[c][place] = from.p.q[c];
        to.v[c][place] = from.p.v[c];
        a.all.old[c][place] = expected[c];
        p.x[c] = point_coordinate(from.p.q[c]);
        listed.x[c] = point_coordinate((uint64_t)expected[c] << 32);
    }
    p.type = type;
    listed.type = listed_word(a, skin, type < a.listed ? type : 0);
    a.all.spare[place] = skin * skin;
    ((box_point *)a.all.point[now.face])[place] = p;
    ((box_point *)a.all.point[1 - now.face])[place] = listed; /* for the search: the next step writes there */
    to.inverse[place] = from.inverse;
    to.row[place] = from.row;
}

/* Sorts the particles, and clears the counts for the next list. */
MYR_FN void sort_particles(const myr_box_list &a, const myr_box_slot &now)
{
    const myr_box_side &from = a.all.side[now.side];
    sorted_particle sorted[SORTED];
    int32_t i[SORTED];
    for (int32_t k = list_index(1, 0); k < a.bins + 2; k += (int32_t)(gridDim.x * MYR_BOX_THREADS))
        a.count[k] = 0;
    MYR_UNROLL
    for (int k = 0; k < SORTED; k++) {
        const int32_t at = list_index(SORTED, k);
        i[k] = a.order[at < a.all.n ? at : a.all.n - 1];
    }
    MYR_UNROLL
    for (int k = 0; k < SORTED; k++) {
        const int32_t bin = BOX_SUMS != 0 ? a.bin[i[k]] : 0;
        sorted[k].row = from.row[i[k]];
        sorted[k].p = load_listed(a, from, i[k]);
        sorted[k].inverse = from.inverse[i[k]];
        sorted[k].first = BOX_SUMS != 0 ? a.start[bin] : list_index(SORTED, k);
        sorted[k].last = BOX_SUMS != 0 ? a.start[bin + 1] : 0;
    }
    MYR_UNROLL
    for (int k = 0; k < SORTED; k++)
        if (list_index(SORTED, k) < a.all.n)
            sort_particle(a, now, sorted[k]);
    if (list_index(1, 0) == 0) {
        /* the source of entries that fill a row: as a pair of types that do not interact, or infinitely far */
        box_point p = {};
        p.type = BOX_TYPED ? (real_int)a.all.types : lane_bits(K(INFINITY));
        ((box_point *)a.all.point[0])[a.all.n] = ((box_point *)a.all.point[1])[a.all.n] = p;
    }
}
