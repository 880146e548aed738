/* molecule_set.c - molecules on a device: how they are divided among threads, the program of molecule.cuh, and copies
 * of what does not change. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/molecule_inside.h"

enum {
    MOLECULE_THREADS = 512, /* of a multiprocessor */
    MOLECULE_SMALL = 64     /* atoms of a molecule with a small block */
};

/* --- shape and program -------------------------------------------------------------------------------------------- */

/* Time of the pairs of a replica with pieces of `chunk` sources, in the time of one source: a scheduler has a quarter
 * of the pieces of its multiprocessor, each with its sources, a beginning and an end. */
static int64_t molecule_cost(const myr_cuda_molecule *m, int64_t chunk)
{
    const int64_t pieces = m->all.groups * ((m->all.sources + chunk - 1) / chunk);
    const int64_t here = (pieces + m->all.blocks - 1) / m->all.blocks;
    return (here + 3) / 4 * (chunk + 16);
}

/* Sources of a piece of work. */
static int32_t molecule_chunk(const myr_cuda_molecule *m)
{
    int32_t best = m->all.sources < MYR_MOLECULE_CHUNK ? m->all.sources : MYR_MOLECULE_CHUNK;
    for (int32_t chunk = best / 4 * 4; chunk >= 4 && m->all.blocks > 1; chunk -= 4)
        if (molecule_cost(m, chunk) < molecule_cost(m, best))
            best = chunk;
    /* one replica in a block: at least four pieces for each warp */
    while (m->all.blocks == 1 && best > MYR_MOLECULE_WORD &&
           m->all.groups * ((m->all.sources + best - 1) / best) < 4 * m->threads / 32)
        best = best / 2 / 2 * 2;
    return best;
}

/* Blocks of a replica, threads, and how the pairs are divided. Replicas that are alone on a multiprocessor have large
 * blocks; a few share the multiprocessors, with one block on each, since the blocks of a replica wait for each other.
 */
static void molecule_shape(myr_cuda_molecule *m)
{
    const int all = m->device.properties.cooperativeLaunch ? m->device.properties.multiProcessorCount : 1;
    const int64_t words = m->padded / MYR_MOLECULE_WORD;
    const int64_t share = all / m->replicas, useful = (words * words + 7) / 8, on_each = (m->replicas + all - 1) / all;
    const int64_t blocks = share < useful ? share : useful;
    m->all.blocks = (int32_t)(blocks > 1 ? blocks : 1);
    m->threads = on_each > 2 || (on_each == 2 && m->n <= MOLECULE_SMALL) ? MOLECULE_THREADS / 4 : MOLECULE_THREADS / 2;
    m->resident = on_each == 1 ? 1 : MOLECULE_THREADS / m->threads;
    m->has_lanes = on_each == 1;
    m->targets = m->n <= MOLECULE_SMALL ? 1 : 2;
    m->all.groups = (int32_t)((m->n + 32 * m->targets - 1) / (32 * m->targets));
    m->all.sources = (int32_t)((m->n + 1) / 2 * 2);
    m->all.chunk = molecule_chunk(m);
}

/* Another shape, for tests and measurements: "threads,targets,chunk,blocks,lanes", the fourth for which registers must
 * suffice on a multiprocessor, the last 1 = a unit has several threads. */
static void molecule_shape_given(myr_cuda_molecule *m)
{
    const char *given = getenv("MYRIAD_MOLECULE_SHAPE");
    int threads, targets, chunk, blocks, lanes;
    if (!given || sscanf(given, "%d,%d,%d,%d,%d", &threads, &targets, &chunk, &blocks, &lanes) != 5)
        return;
    m->resident = blocks < 1 ? 1 : blocks;
    m->has_lanes = lanes != 0;
    m->threads = threads < 32 ? 32 : threads > MOLECULE_THREADS ? MOLECULE_THREADS : threads / 32 * 32;
    m->targets = targets < 1 ? 1 : targets > 8 ? 8 : targets;
    m->all.chunk = chunk < 2 ? 2 : chunk > MYR_MOLECULE_CHUNK ? MYR_MOLECULE_CHUNK : chunk / 2 * 2;
    m->all.groups = (int32_t)((m->n + 32 * m->targets - 1) / (32 * m->targets));
}

/* Pieces of work of a step. Dihedrals take longest and come first. */
static void molecule_items(myr_cuda_molecule *m)
{
    static const int order[MYR_BONDED_KINDS] = {MYR_BONDED_DIHEDRALS, MYR_BONDED_ANGLES, MYR_BONDED_PAIRS14,
                                                MYR_BONDED_BONDS};
    int32_t items = m->all.groups * ((m->all.sources + m->all.chunk - 1) / m->all.chunk);
    m->all.pair_items = items;
    for (int k = 0; k < MYR_BONDED_KINDS; k++)
        m->all.item_end[order[k]] = items += (int32_t)((m->all.terms[order[k]] + 31) / 32);
    m->all.items = items + (m->all.scheme == MYR_MOLECULE_LANGEVIN ? (int32_t)((m->n + 31) / 32) : 0);
}

static myr_status molecule_program(myr_cuda_molecule *m, const myr_direct *job)
{
    char text[1024];
    void *code = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "#define MYR_KERNEL %s\n#define MYR_KERNEL_FILE \"kernel/%s\"\n#define MYR_ARITH %d\n"
             "#define MYR_LANE_BYTES 0\n#define MYR_ACC_NAME fixed\n#define MYR_ACC_FILE \"accumulator/fixed.h\"\n"
             "#define CUDA_FOLD 0\n#define CUDA_TYPES %d\n#define CUDA_TARGETS %d\n#define CUDA_THREADS %d\n"
             "#define CUDA_BLOCKS %d\n#define MYR_KERNEL_UNLIMITED %d\n#define CUDA_BATH %d\n#define CUDA_BORN "
             "%d\n#define CUDA_CLOCKS %d\n"
             "#include \"backend/cuda/molecule.cuh\"\n",
             job->unit->desc->name, cuda_kernel_file(job->unit->desc->name), job->unit->arithmetic, m->types,
             m->targets, m->threads, m->resident, job->unlimited != 0, m->all.scheme == MYR_MOLECULE_BATH, m->has_born,
             m->clocks);
    myr_status status =
        cuda_compile(m->cuda, m->context, &m->device, "the program of molecules", text, NULL, &code, &size);
    if (!status)
        status = cuda_molecule_check(m, cudaLibraryLoadData(&m->library, code, NULL, NULL, 0, NULL, NULL, 0),
                                     "loading a program");
    free(code);
    return status ? status
                  : cuda_molecule_check(m, cudaLibraryGetKernel(&m->kernel, m->library, "molecule"), "molecule");
}

/* --- what does not change ----------------------------------------------------------------------------------------- */

/* Pair table: [target][source][parameter] becomes [source][parameter][target]. */
static myr_status molecule_pairs(myr_cuda_molecule *m, const myr_direct *job)
{
    const myr_unit *u = job->unit;
    const size_t row = (size_t)u->pair * (size_t)m->types, reals = row * (size_t)job->types;
    char *table = calloc(reals + 1, (size_t)u->real_bytes);
    void *at = NULL;
    if (!table)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for a table of %d types", job->types);
    for (int64_t k = 0; k < (int64_t)job->types * job->types; k++)
        for (int p = 0; p < u->pair; p++) {
            const size_t target = (size_t)(k / job->types), source = (size_t)(k % job->types);
            const size_t to = source * row + (size_t)p * (size_t)m->types + target;
            const double value = job->pair_table[k * u->pair + p];
            if (u->real_bytes == sizeof(float))
                ((float *)(void *)table)[to] = (float)value;
            else
                ((double *)(void *)table)[to] = value;
        }
    m->all.row = (int32_t)(row * (size_t)u->real_bytes);
    const myr_status status = cuda_molecule_place(m, &at, table, reals * (size_t)u->real_bytes);
    m->all.sweep.pair_table = at;
    m->all.sweep.types = job->types;
    m->shared += reals * (size_t)u->real_bytes;
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream); /* the copy reads the table */
    free(table);
    return status;
}

/* Masks of excluded pairs, and which words of them are not 0 for a group of targets. */
static myr_status molecule_mask(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const int64_t n = m->n, words = m->padded / MYR_MOLECULE_WORD, busy_words = (words + 31) / 32;
    const size_t bytes[2] = {(size_t)(words * n) * sizeof(uint32_t),
                             (size_t)(m->all.groups * busy_words) * sizeof(uint32_t)};
    uint32_t *mask = calloc(1, bytes[0]), *busy = calloc(1, bytes[1]);
    myr_status status = MYR_OK;
    if (!mask || !busy)
        status = m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)n);
    for (int64_t i = 0; i < n && !status; i++) {
        mask[i / 32 * n + i] |= 1u << i % 32;
        for (int64_t k = set->offset[i]; k < set->offset[i + 1]; k++)
            mask[set->partner[k] / 32 * n + i] |= 1u << set->partner[k] % 32;
        for (int64_t j = n; j < m->padded; j++)
            mask[j / 32 * n + i] |= 1u << j % 32;
        for (int64_t w = 0; w < words; w++)
            if (mask[w * n + i])
                busy[i / (32 * m->targets) * busy_words + w / 32] |= 1u << w % 32;
    }
    m->all.busy_words = (int32_t)busy_words;
    if (!status)
        status = cuda_molecule_place(m, &m->all.mask, mask, bytes[0]);
    if (!status)
        status = cuda_molecule_place(m, &m->all.busy, busy, bytes[1]);
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream);
    free(mask);
    free(busy);
    return status;
}

/* Terms of a kind, without those of bonds that are rigid. */
static myr_status molecule_kind(myr_cuda_molecule *m, const myr_cuda_molecule_set *set, int kind)
{
    molecule_term *term = malloc(((size_t)set->terms[kind] + 1) * sizeof *term);
    int64_t count = 0;
    if (!term)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld terms",
                                   (long long)set->terms[kind]);
    for (int64_t k = 0; k < set->terms[kind]; k++)
        if (!set->term[kind][k].rigid)
            term[count++] = set->term[kind][k];
    m->all.terms[kind] = count;
    const myr_status status = cuda_molecule_place(m, &m->all.term[kind], term, (size_t)count * sizeof *term);
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream);
    free(term);
    return status;
}

static int bond_has(const rigid_bond *b, int32_t atom)
{
    return b->i == atom || b->j == atom;
}

/* 1 if three bonds are a triangle; `at` receives its atoms: the common one of the first two bonds, and the other ones
 * of the first and of the second. */
static int unit_triangle(const rigid_bond *b, int32_t at[4])
{
    at[0] = bond_has(&b[1], b[0].i) ? b[0].i : b[0].j;
    at[1] = b[0].i == at[0] ? b[0].j : b[0].i;
    at[2] = b[1].i == at[0] ? b[1].j : b[1].i;
    return bond_has(&b[1], at[0]) && at[1] != at[2] && bond_has(&b[2], at[1]) && bond_has(&b[2], at[2]);
}

/* Describes unit `number`. */
static myr_molecule_unit unit_describe(const myr_cuda_molecule_set *set, int32_t number)
{
    static const int shape[] = {MYR_MOLECULE_ATOM, MYR_MOLECULE_BOND, MYR_MOLECULE_TWO, MYR_MOLECULE_THREE};
    const int32_t first = set->unit_atoms[number], bonds = set->unit_bonds[number + 1] - set->unit_bonds[number];
    const int32_t atoms = set->unit_atoms[number + 1] - first;
    const rigid_bond *bond = set->bond + set->unit_bonds[number];
    myr_molecule_unit u = {.shape = MYR_MOLECULE_ANY, .number = number};
    for (int k = 0; k < atoms && k < 4; k++)
        u.at[k] = set->unit_atom[first + k];
    if (bonds == 0 || (bonds <= 3 && set->unit_star[number]))
        u.shape = shape[bonds];
    else if (bonds == 3 && atoms == 3 && unit_triangle(bond, u.at))
        u.shape = MYR_MOLECULE_TRIANGLE;
    for (int k = 0; k < atoms && k < 4; k++)
        u.inverse[k] = set->inverse[u.at[k]];
    for (int k = 0; k < bonds && k < 3; k++)
        u.square[k] = bond[k].square;
    return u;
}

/* Units by shape, those that take longest first. */
static myr_status molecule_units(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    myr_molecule_unit *unit = calloc((size_t)set->units + 1, sizeof *unit);
    int64_t count = 0;
    if (!unit)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)m->n);
    for (int shape = 0; shape < MYR_MOLECULE_SHAPES; shape++)
        for (int32_t k = 0; k < set->units; k++) {
            const myr_molecule_unit u = unit_describe(set, k);
            if (u.shape == shape)
                unit[count++] = u;
        }
    m->all.units = (int32_t)set->units;
    m->all.is_rigid = set->bonds > 0;
    const myr_status status = cuda_molecule_place(m, &m->all.unit, unit, (size_t)count * sizeof *unit);
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream);
    free(unit);
    return status;
}

static myr_status molecule_terms(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const size_t units = (size_t)set->units + 1;
    myr_status status = molecule_units(m, set);
    for (int k = 0; k < MYR_BONDED_KINDS && !status; k++)
        status = molecule_kind(m, set, k);
    if (!status)
        status = cuda_molecule_place(m, &m->all.unit_atoms, set->unit_atoms, units * sizeof(int32_t));
    if (!status)
        status = cuda_molecule_place(m, &m->all.unit_bonds, set->unit_bonds, units * sizeof(int32_t));
    if (!status)
        status = cuda_molecule_place(m, &m->all.unit_atom, set->unit_atom, (size_t)m->n * sizeof(int32_t));
    if (!status)
        status = cuda_molecule_place(m, &m->all.bond, set->bond, (size_t)set->bonds * sizeof *set->bond);
    m->all.law = *set->law;
    return status;
}

static myr_status molecule_atoms(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const myr_direct *job = set->job[0];
    const size_t n = (size_t)m->n;
    const void *charge = job->source.component[job->unit->desc->coords * job->unit->coord_lanes];
    myr_status status = cuda_molecule_place(m, &m->all.inverse, set->inverse, n * sizeof(double));
    if (!status && set->stiffness)
        status = cuda_molecule_place(m, &m->all.stiffness, set->stiffness, n * sizeof(double));
    if (!status && set->stiffness)
        status = cuda_molecule_room(m, &m->all.anchor, 3 * n * (size_t)m->replicas * sizeof(uint64_t));
    if (!status)
        status = cuda_molecule_place(m, &m->all.mass, set->mass, n * sizeof(double));
    if (!status)
        status = cuda_molecule_place(m, &m->all.id, set->id, n * sizeof(int64_t));
    if (!status)
        status = cuda_molecule_place(m, &m->all.type, job->source.type, n * sizeof(int32_t));
    return status ? status : cuda_molecule_place(m, &m->all.charge, charge, n * (size_t)job->unit->real_bytes);
}

/* Room for the wide integers of a set of sums. */
static myr_status molecule_wide(myr_cuda_molecule *m, myr_cuda_sweep *sweep, int outputs)
{
    const size_t all = (size_t)(m->replicas * m->n);
    myr_status status = cuda_molecule_room(m, &sweep->over, (size_t)outputs * all * sizeof(myr_cuda_digits));
    if (!status)
        status = cuda_molecule_room(m, &sweep->over_used, all * sizeof(uint32_t));
    return status ? status : cuda_molecule_room(m, &sweep->report, sizeof(myr_cuda_report));
}

static myr_status molecule_rooms(myr_cuda_molecule *m, const myr_direct *job)
{
    const size_t all = (size_t)(m->replicas * m->n), padded = (size_t)(m->replicas * m->padded);
    const size_t real = (size_t)job->unit->real_bytes, align = MYR_CUDA_BAG_ALIGN;
    const size_t record = ((size_t)job->unit->coord_lanes * 3 + 2) * real;
    const size_t bag = ((size_t)job->unit->coord_lanes * 3 + (m->has_born ? 3 : 2)) * real;
    const size_t words = real == sizeof(double) ? 4 : 1; /* SUM_WORDS of molecule_view.cuh */
    m->all.sum_words = (int32_t)(words * (m->has_born ? MYR_MOLECULE_SUMS : 3));
    double **const wide[] = {&m->all.v, &m->all.f, &m->all.x, &m->all.g, &m->all.z, &m->kept_v, &m->kept_f};
    myr_status status = cuda_molecule_room(m, &m->all.q, 3 * all * sizeof(uint64_t));
    if (!status)
        status = cuda_molecule_room(m, &m->kept_q, 3 * all * sizeof(uint64_t));
    for (size_t k = 0; k < sizeof wide / sizeof *wide && !status; k++)
        status = cuda_molecule_room(m, wide[k], 3 * all * sizeof(double));
    if (!status)
        status = cuda_molecule_room(m, &m->all.record, padded * ((record + align - 1) / align * align));
    if (!status)
        status = cuda_molecule_room(m, &m->all.sum, (size_t)m->all.sum_words * padded * sizeof(unsigned long long));
    if (!status)
        status = cuda_molecule_room(m, &m->all.bonded, 3 * all * sizeof(unsigned long long));
    if (!status)
        status = molecule_wide(m, &m->all.sweep, 3);
    if (!status)
        status = cuda_molecule_room(m, &m->all.one, (size_t)m->replicas * sizeof *m->all.one);
    if (!status)
        status = cuda_molecule_room(m, &m->all.clock, 2 * MYR_MOLECULE_CLOCKS * sizeof *m->all.clock);
    m->shared += (sizeof(myr_molecule_room) + 15) / 16 * 16 + (size_t)m->threads * ((bag + align - 1) / align * align);
    return status;
}

/* --- solvent ------------------------------------------------------------------------------------------------------ */

/* Copies numbers of atoms, times a factor each, in the arithmetic of the pairs, with zeros after the last atom. */
static myr_status born_reals(myr_cuda_molecule *m, const myr_direct *job, const double *from, const double *factor,
                             const void **to)
{
    const size_t real = (size_t)job->unit->real_bytes;
    char *copy = calloc((size_t)m->padded, real);
    void *at = NULL;
    if (!copy)
        return m->cuda->host->fail(m->context, MYR_ERROR_MEMORY, "no memory for %lld atoms", (long long)m->n);
    for (int64_t i = 0; i < m->n; i++) {
        const double value = factor ? factor[i] * from[i] : from[i];
        if (real == sizeof(float))
            ((float *)(void *)copy)[i] = (float)value;
        else
            ((double *)(void *)copy)[i] = value;
    }
    const myr_status status = cuda_molecule_place(m, &at, copy, (size_t)m->padded * real);
    if (!status)
        (void)cudaStreamSynchronize(m->device.stream);
    free(copy);
    *to = at;
    return status;
}

static myr_status molecule_born(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    static const int outputs[MYR_MOLECULE_SETS - 1] = {1, 4, 3};
    const size_t padded = (size_t)(m->replicas * m->padded), n = (size_t)m->n, all = (size_t)m->replicas * n;
    const size_t real = (size_t)set->born[0]->unit->real_bytes;
    myr_molecule_born *b = &m->born;
    myr_status status = born_reals(m, set->born[0], set->born_reduced, NULL, &b->reduced_real);
    if (!status)
        status = born_reals(m, set->born[0], set->born_reduced, set->born_screen, &b->screened_real);
    if (!status)
        status = cuda_molecule_room(m, &b->radius_real, padded * real);
    if (!status)
        status = cuda_molecule_room(m, &b->weight_real, padded * real);
    if (!status)
        status = cuda_molecule_place(m, &b->wide, set->born_radius, n * sizeof(double));
    if (!status)
        status = cuda_molecule_place(m, &b->reduced, set->born_reduced, n * sizeof(double));
    if (!status)
        status = cuda_molecule_room(m, &b->radius, all * sizeof(double));
    if (!status)
        status = cuda_molecule_room(m, &b->slope, all * sizeof(double));
    for (int k = 0; k < MYR_MOLECULE_SETS - 1 && !status; k++) {
        b->sweep[k].factor = set->born[k]->factor;
        cuda_arguments_numbers(set->born[k], &b->sweep[k]);
        status = molecule_wide(m, &b->sweep[k], outputs[k]);
    }
    b->law = set->born_law;
    return status ? status : cuda_molecule_place(m, &m->all.born, b, sizeof *b);
}

static int power_of_two(int n)
{
    int p = 1;
    while (p < n)
        p *= 2;
    return p;
}

myr_status cuda_molecule_prepare(myr_cuda_molecule *m, const myr_cuda_molecule_set *set)
{
    const myr_direct *job = set->job[0];
    const char *clocks = getenv("MYRIAD_MOLECULE_CLOCKS"); /* for measurements */
    m->clocks = clocks && *clocks == '1';
    m->has_born = set->born[0] != NULL;
    m->types = power_of_two(job->types);
    molecule_shape(m);
    molecule_shape_given(m);
    m->all.n = (int32_t)m->n;
    m->all.padded = (int32_t)m->padded;
    m->all.scheme = set->langevin ? MYR_MOLECULE_LANGEVIN : set->whole ? MYR_MOLECULE_BATH : MYR_MOLECULE_VERLET;
    m->all.sweep.factor = job->factor;
    cuda_arguments_numbers(job, &m->all.sweep);
    myr_status status = molecule_program(m, job);
    if (!status)
        status = molecule_pairs(m, job);
    if (!status)
        status = molecule_mask(m, set);
    if (!status)
        status = molecule_terms(m, set);
    if (!status)
        status = molecule_atoms(m, set);
    if (!status)
        status = molecule_rooms(m, job);
    if (!status && m->has_born)
        status = molecule_born(m, set);
    molecule_items(m);
    return status;
}
